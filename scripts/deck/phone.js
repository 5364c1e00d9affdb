// The page of a phone: it plays the game of lecture 1, and votes. Served by `make room` it follows the lecturer's slides
// and sends what is chosen; from anywhere else it says which numbers to read out.

const here = document.querySelector("meta[name=room]") !== null;
const [game, vote, told] = ["#game", "#vote", "#told"].map((id) => document.querySelector(id));
const explorer = () => document.querySelector("[data-explorer]").explorer;
let asked = null,
  shown = "";

const hex = () => [...crypto.getRandomValues(new Uint8Array(8))].map((b) => b.toString(16).padStart(2, "0")).join("");
function phone() {
  try {
    const kept = localStorage.getItem("dptutor-phone") ?? hex();
    localStorage.setItem("dptutor-phone", kept);
    return kept;
  } catch {
    return (phone.made ??= hex());
  }
}

async function send(value) {
  try {
    const answer = await fetch("/answer", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ phone: phone(), key: asked.key, value }),
    });
    const { refused } = await answer.json();
    return refused ? `Not counted: ${refused}.` : "Counted.";
  } catch {
    return "Not sent: the lecturer's machine cannot be reached.";
  }
}

const say = (text, link) => {
  told.textContent = text;
  if (!link) return;
  const a = document.createElement("a");
  a.href = link;
  a.textContent = "your result as a link";
  told.append(" Or pass on ", a, ".");
};

// A question: its choices as buttons.
function choose(question, choices) {
  vote.replaceChildren();
  const heading = document.createElement("h1");
  heading.textContent = question;
  vote.append(heading);
  choices.forEach((choice, k) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = choice;
    button.addEventListener("click", async () => {
      for (const other of vote.querySelectorAll("button")) other.setAttribute("aria-pressed", String(other === button));
      say(here ? await send(k) : `Read out: ${k + 1}.`);
    });
    vote.append(button);
  });
}

function show() {
  const playing = !asked?.choices.length,
    now = JSON.stringify(asked);
  if (now === shown) return;
  shown = now;
  game.hidden = !playing || (here && !asked);
  vote.hidden = playing && !(here && !asked);
  say("");
  if (here && !asked) choose("Wait for a question on the screen.", []);
  else if (!playing) choose(asked.text, asked.choices);
  else document.querySelector("[data-explorer]").dispatchEvent(new Event("pointerdown")); // which wakes it
}

// A game that is over has its two numbers.
let over = "none";
function watch() {
  const run = explorer();
  if (run?.game) {
    const now = run.game.history.length ? run.game.value("ended") : "none";
    if (now !== over) {
      over = now;
      finish(run, now);
    }
  }
  requestAnimationFrame(watch);
}

async function finish(run, ended) {
  const numbers = ended.match(/\d+/g)?.map(Number);
  if (!numbers) {
    say("");
    return;
  }
  if (run.moved && run.manifest.parameters.some((p, k) => p.name === "sigma" && run.values[k] !== p.start)) {
    say("Played with another noise, so it does not count in the room.");
    return;
  }
  const [accused, missed] = numbers,
    words = `Wrongly accused ${accused}, missed ${missed}.`;
  if (here && asked && !asked.choices.length) say(`${words} ${await send(numbers)}`);
  else say(`${words} Read both numbers out.`, `${location.href.split("#")[0]}#result=${numbers.join("-")}`);
}

async function follow() {
  try {
    asked = await (await fetch("/ask")).json();
    show();
  } catch {
    /* the lecturer's machine is away for a moment */
  }
  setTimeout(follow, 2000);
}

if (here) follow();
else {
  const [, count] = location.hash.match(/^#vote=([2-9])$/) ?? [];
  const [, result] = location.hash.match(/^#result=(\d{1,3}-\d{1,3}-\d{1,3})$/) ?? [];
  if (count) {
    const choices = Array.from({ length: +count }, (_, k) => `${k + 1}`);
    asked = { key: "", text: "Which one, of those on the screen?", choices };
  }
  show();
  const [accused, missed, rounds] = result?.split("-") ?? [];
  if (result) say(`Of ${rounds} rounds of either kind: wrongly accused ${accused}, missed ${missed}.`);
}
watch();
document.documentElement.dataset.ready = "1"; // for tests
