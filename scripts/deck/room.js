// What the room says: votes, and the points of a class beside the curve. The lecturer types them in; where `make room`
// serves the deck, phones send theirs as well. Numbers are kept in this browser until they are cleared.

const rooms = [...document.querySelectorAll(".deck-room")];
const served = document.querySelector("meta[name=room]") !== null && root.dataset.preview === undefined;
const KEPT = `dptutor-room:${document.title}`;
// By the key of a question: how many chose each, or the points [accused, missed, rounds].
const said = { typed: {}, sent: {} };
let joining = ""; // the address that phones open

try {
  if (root.dataset.preview === undefined) Object.assign(said, JSON.parse(localStorage.getItem(KEPT)) ?? {});
} catch {
  /* a browser may refuse to keep anything */
}

function keep() {
  try {
    if (root.dataset.preview === undefined) localStorage.setItem(KEPT, JSON.stringify(said));
  } catch {
    /* a browser may refuse to keep anything */
  }
}

const listOf = (kind, key) => (Array.isArray(said[kind]?.[key]) ? said[kind][key] : []);
const countsOf = (key, count) => {
  const counts = Array.from({ length: count }, (_, k) => +listOf("typed", key)[k] || 0);
  for (const choice of listOf("sent", key)) if (choice in counts) counts[choice]++;
  return counts;
};
const pointsOf = (key) =>
  [...listOf("typed", key), ...listOf("sent", key)].filter((p) => Array.isArray(p) && p.length === 3 && p.every((n) => n >= 0)); // biome-ignore format: one line

// Two numbers of a game, as they are said, as fractions, or at the end of a link; of fifteen rounds each if nothing else
// is said.
function pointIn(text) {
  const numbers = (text.split("#result=").at(-1).match(/\d+/g) ?? []).map(Number),
    fractions = numbers.length === 4 && numbers[1] === numbers[3];
  const [accused, missed, rounds = 15] = fractions ? [numbers[0], numbers[2], numbers[1]] : numbers;
  const fits = (wrong) => wrong >= 0 && wrong <= rounds;
  return numbers.length < 5 && fits(accused) && fits(missed) && rounds <= 500 ? [accused, missed, rounds] : null;
}

function showVote(element) {
  const { key, right } = element.dataset,
    rows = [...element.querySelectorAll("[data-choice]")];
  const counts = countsOf(key, rows.length),
    all = counts.reduce((a, b) => a + b, 0),
    last = "again" in element.dataset;
  element.hidden = last && !all;
  rows.forEach((row, k) => {
    row.querySelector("i").style.width = `${(100 * counts[k]) / Math.max(1, ...counts)}%`;
    row.querySelector("output").textContent = all ? `${counts[k]}` : "";
    row.classList.toggle("deck-right", last && right === String(k));
    const input = row.querySelector("input");
    if (input && input !== document.activeElement) input.value = listOf("typed", key)[k] || "";
  });
  const sum = element.querySelector(".deck-sum");
  sum.textContent = !all
    ? ""
    : last && right !== undefined
      ? `${counts[right]} of ${all} had it right.`
      : `${all} vote${all === 1 ? "" : "s"}`;
}

const SVG = "http://www.w3.org/2000/svg";

function showCurve(element) {
  const points = pointsOf(element.dataset.key),
    svg = element.querySelector("svg"),
    [left, top, size] = svg.dataset.box.split(" ").map(Number),
    curve = JSON.parse(svg.dataset.curve);
  const layer = svg.querySelector(".deck-points");
  layer.replaceChildren();
  const place = ([a, b]) => [left + size * a, top + size * (1 - b)];
  const rates = points.map(([accused, missed, rounds]) => [accused / rounds, missed / rounds]);
  const draw = (name, attributes, text = "") => {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.textContent = text;
    layer.append(made);
  };
  const groups = Object.groupBy(rates, (rate) => rate.join());
  for (const group of Object.values(groups)) {
    const [x, y] = place(group[0]);
    draw("circle", { cx: x, cy: y, r: 8 * Math.sqrt(group.length), class: "deck-point" });
    if (group.length > 1) draw("text", { x, y: y + 6, class: "deck-many" }, String(group.length));
  }
  const sum = element.querySelector(".deck-sum");
  if (!points.length) {
    sum.textContent = "";
    return;
  }
  const mean = [0, 1].map((k) => rates.reduce((total, rate) => total + rate[k], 0) / rates.length),
    [x, y] = place(mean);
  draw("path", { d: `M${x - 14} ${y}h28M${x} ${y - 14}v28`, class: "deck-mean" });
  const best = (alpha) => {
    const at = alpha * (curve.length - 1),
      k = Math.min(curve.length - 2, Math.floor(at));
    return curve[k] + (at - k) * (curve[k + 1] - curve[k]);
  };
  const below = rates.filter(([alpha, beta]) => beta < best(alpha) - 1e-9).length;
  const players = `${points.length} player${points.length === 1 ? "" : "s"}`;
  sum.textContent = `${players}, on average (${mean.map((m) => m.toFixed(2)).join(", ")}): the cross. ${below} below the curve.`;
}

function showRoom() {
  for (const element of rooms) {
    if ("curve" in element.dataset) showCurve(element);
    else showVote(element);
    showCode(element);
  }
  if (typeof fitNow === "function") fitNow();
}

// The address that phones open, as a code; without a server it has to carry what is asked.
function showCode(element) {
  const code = element.querySelector(".deck-code-join"),
    offline = element.dataset.address;
  const choices = element.querySelectorAll("[data-choice]").length;
  const address = joining || (offline && (choices ? `${offline}#vote=${choices}` : offline)) || "";
  if (!code || code.dataset.shows === address) return;
  code.dataset.shows = address;
  code.hidden = !address;
  const modules = address && qr(address),
    size = modules ? modules.length + 8 : 0;
  const path = modules
    ? modules.flatMap((row, r) => row.map((dark, c) => (dark ? `M${c + 4} ${r + 4}h1v1h-1z` : ""))).join("")
    : "";
  const svg = code.querySelector("svg");
  svg.setAttribute("viewBox", `0 0 ${size} ${size}`);
  svg.toggleAttribute("hidden", !modules);
  svg.querySelector("path").setAttribute("d", path);
  code.querySelector("span").textContent = address.replace(/^https?:\/\/|\/$/g, "");
}

function typedIn(element, value) {
  said.typed[element.dataset.key] = value;
  keep();
  showRoom();
}

for (const element of rooms) {
  const { key } = element.dataset;
  element.addEventListener("input", ({ target }) => {
    const row = target.closest("[data-choice]");
    if (!row) return;
    const counts = [...listOf("typed", key)];
    counts[row.dataset.choice] = Math.min(9999, Math.max(0, Math.round(+target.value) || 0));
    typedIn(
      element,
      Array.from(counts, (count) => count ?? 0),
    );
  });
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !event.target.matches("input")) return;
    event.preventDefault();
    if (event.target.matches("[data-point]")) {
      // Several at once are one to a line, or with a semicolon between them.
      const points = event.target.value.split(/[;\n]|\s(?=https?:)/).map(pointIn).filter(Boolean); // biome-ignore format: one line
      event.target.classList.toggle("deck-wrong", !points.length);
      if (!points.length) return;
      event.target.value = "";
      typedIn(element, [...listOf("typed", key), ...points]);
      return;
    }
    const inputs = [...element.querySelectorAll("input")],
      next = inputs[inputs.indexOf(event.target) + 1];
    if (next) next.focus();
    else event.target.blur();
  });
  element.addEventListener("click", ({ target }) => {
    if (target.matches("[data-undo]")) typedIn(element, listOf("typed", key).slice(0, -1));
    if (!target.matches("[data-clear]")) return;
    said.sent[key] = [];
    typedIn(element, []);
    if (served) post("/clear", {});
  });
}

// The speaker's window has the same numbers; speaker.js carries them.
globalThis.deckRoom = {
  get text() {
    return JSON.stringify([said, joining]);
  },
  take(text) {
    const [now, address] = JSON.parse(text);
    Object.assign(said, now);
    joining = address;
    keep();
    showRoom();
  },
};

// Who played on a slide need not say how it went: the points of the class have it, once, if the game was that of the curve.

const known = new Set(); // the rounds of games
function takeGames() {
  const element = Reveal.getCurrentSlide().querySelector("[data-curve][data-key]");
  if (!element || preview) return;
  for (const slide of slides.slice(0, Reveal.getIndices().h))
    for (const { game, manifest, values } of explorersOn(slide)) {
      const rounds = game?.history;
      if (!rounds?.length || game.playing || known.has(rounds)) continue;
      if (manifest.parameters.some((p, k) => !p.hidden && p.start !== values[k])) continue;
      known.add(rounds);
      const wrong = (truth) => rounds.filter((round) => round.truth === truth && round.said !== truth).length;
      typedIn(element, [...listOf("typed", element.dataset.key), [wrong(0), wrong(1), game.length]]);
    }
}

// With a server: the question of the slide shown is open, and answers come in.

const post = (path, body) =>
  fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }).catch(() => {}); // biome-ignore format: one line

function openQuestion() {
  const element = Reveal.getCurrentSlide().querySelector(".deck-room:not([data-again])");
  if (!element) {
    post("/ask", null);
    return;
  }
  const choices = [...element.querySelectorAll("[data-choice] .deck-choice")].map((e) => e.textContent);
  post("/ask", { key: element.dataset.key, text: element.dataset.text, choices });
}

async function collect() {
  try {
    const { address, answers } = await (await fetch("/results")).json();
    if (JSON.stringify([address, answers]) !== JSON.stringify([joining, said.sent])) {
      joining = address;
      said.sent = answers;
      keep();
      showRoom();
    }
  } catch {
    /* the server was stopped: what came in stays */
  }
  setTimeout(collect, 1000);
}

if (rooms.length) {
  showRoom();
  Reveal.on("slidechanged", takeGames);
  if (served) {
    Reveal.on("slidechanged", openQuestion);
    openQuestion();
    collect();
  }
}
