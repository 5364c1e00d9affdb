// What a reader is asked in the text. What is right, and what is said to each answer, stands in the page, folded; this file
// makes the answers something to press or to type, judges, and remembers in this browser what was said.

const GAPS = [1, 3, 7, 21, 60]; // days until a question comes back, the longer the more often it was answered right
const FIVE = 5;

const today = () => {
  const now = new Date();
  return Math.floor((now.getTime() - now.getTimezoneOffset() * 60_000) / 86_400_000);
};

// The first answer of a day decides when a question comes back.
function note(name, right, said, place = null) {
  const kept = answers(),
    old = kept[name],
    day = today();
  const box = old ? (old.day === day ? old.box : right ? Math.min(old.box + 1, GAPS.length - 1) : 0) : Number(right);
  const last = old?.done && !right ? { said: old.said, place: old.place } : { said, place };
  kept[name] = { first: old ? old.first : right, guess: old ? old.guess : said, ...last, box, day };
  kept[name].done = right || Boolean(old?.done);
  kept[name].turns = (old?.turns ?? Number(Boolean(old))) + Number(old?.day !== day);
  shelf.set(ANSWERS, kept);
}

function make(tag, attributes = {}, ...inside) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (name === "press") made.addEventListener("click", value);
    else made.setAttribute(name, value);
  made.append(...inside);
  return made;
}

const copied = (node) => [...node.cloneNode(true).childNodes];

// What a button says: a formula alone is no name for it.
function worded(text, name) {
  const inside = copied(text);
  const bare = inside.every((node) => node.nodeName === "math" || !node.textContent.trim());
  return bare ? [make("span", { class: "ask-unseen" }, `${name}: `), ...inside] : inside;
}

// The same order for everybody each time, with no step right before the one that follows it.
function shuffled(count, name) {
  let state = [...name].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) >>> 0, 7);
  const order = [...Array(count).keys()];
  do
    for (let k = count - 1; k > 0; k--) {
      state = (state * 1664525 + 1013904223) >>> 0;
      const other = Math.floor((state / 2 ** 32) * (k + 1));
      [order[k], order[other]] = [order[other], order[k]];
    }
  while (order.some((place, k) => order[k + 1] === place + 1));
  return order;
}

class Ask {
  constructor(section, changed) {
    this.section = section;
    this.changed = changed;
    const { ask, kind, within } = section.dataset;
    Object.assign(this, { name: ask, kind, within: Number(within ?? 0), predict: "predict" in section.dataset });
    this.folded = section.querySelector(".ask-answers");
    this.answers = [...this.folded.querySelectorAll(".ask-answer")];
    this.right = this.answers.findIndex((answer) => "right" in answer.dataset);
    this.told = make("div", { class: "ask-told", role: "status" });
    const made = { choice: "choices", number: "field", order: "steps", sketch: "paper" };
    this.folded.before(this[made[kind]]());
    this.folded.before(this.told);
    section.dataset.ready = "";
    const kept = section.id && answers()[this.name]; // elsewhere it is asked anew
    if (kept && (kept.done || this.predict || this.kind === "order")) this.restore(kept);
  }

  text(place) {
    return this.answers[place].querySelector(".ask-text");
  }

  reply(place) {
    const reply = place === null ? null : this.answers[place].querySelector(".ask-reply");
    return reply ? copied(reply) : [];
  }

  // What is said to the answer at a place, after a word of ours.
  tell(right, place, ...words) {
    this.say(right ? "right" : "wrong", right ? "✔" : "✘", ...words, ...this.reply(place));
  }

  // A prediction: everybody is told what is right and why, and these words alone depend on what was said.
  disclose(right, place, ...words) {
    this.tell(right, this.right, ...(right ? [] : this.reply(place)), make("p", {}, right ? "Yes. " : "", ...words));
    this.uncover();
  }

  say(verdict, sign, ...words) {
    this.told.dataset.verdict = verdict;
    this.told.replaceChildren(
      make("span", { class: "ask-sign", "aria-hidden": "true" }, sign),
      make("div", {}, ...words),
    );
  }

  unsay() {
    this.told.dataset.verdict = "";
    this.told.replaceChildren();
  }

  judged(right, said, place = null) {
    note(this.name, right, said, place);
    this.section.toggleAttribute(
      "data-done",
      right || this.predict || this.kind === "order" || "done" in this.section.dataset,
    );
    this.changed();
  }

  // A prediction shows what comes after it, once it is made.
  uncover() {
    const cover = [...document.querySelectorAll("article details.hide")].find(
      (one) => this.section.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING,
    );
    const next = [...document.querySelectorAll("article .ask")].find(
      (one) => this.section.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING,
    );
    const before = !next || (cover && cover.compareDocumentPosition(next) & Node.DOCUMENT_POSITION_FOLLOWING);
    if (cover && before && /answer/i.test(cover.querySelector("summary").textContent)) cover.open = true;
  }

  // A choice.

  choices() {
    this.buttons = this.answers.map((_, place) =>
      make(
        "button",
        { type: "button", press: () => this.choose(place) },
        ...worded(this.text(place), `Answer ${place + 1}`),
      ),
    );
    return make("div", { class: "ask-choices" }, ...this.buttons);
  }

  choose(place, again = false) {
    const right = place === this.right;
    this.buttons[place].dataset.verdict = right ? "right" : "wrong";
    if (this.predict) {
      this.buttons.forEach((button) => (button.disabled = true));
      this.buttons[this.right].dataset.verdict = "right";
      this.disclose(right, place, ...(right ? [] : ["The right answer: ", ...copied(this.text(this.right))]));
    } else this.tell(right, place);
    if (!again) this.judged(right, this.text(place).textContent.trim(), place);
  }

  // A number.

  field() {
    this.input = make("input", {
      type: "text",
      inputmode: "text",
      maxlength: "80",
      autocomplete: "off",
      autocapitalize: "off",
      spellcheck: "false",
      "aria-label": this.predict ? "Your prediction" : "Your answer",
    });
    this.button = make("button", {}, this.predict ? "This is my guess" : "Check");
    const form = make("form", { class: "ask-entry", novalidate: "" }, this.input, this.button);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.weigh();
    });
    return form;
  }

  // The answer that a number is taken for, or none. The ends of an interval are exact. Near a small mistake less is let
  // through, as anything would be near it. Nearer to a known mistake than to what is right, it is the mistake.
  nearest(number) {
    const off = this.answers.map(({ dataset }, place) => {
      const [least, most] = [Number(dataset.least), Number(dataset.most)];
      const near = place === this.right ? this.within : Math.min(this.within, Math.abs(least) / 10);
      const away = Math.max(least - number, number - most, 0);
      return away <= (least < most ? 0 : near * (1 + 1e-9)) ? away : Infinity;
    });
    const least = Math.min(...off);
    if (least === Infinity) return null;
    return off[this.right] === least ? this.right : off.indexOf(least);
  }

  weigh(again = false) {
    const typed = this.input.value.trim(),
      { value, plain, problem } = numerals.read(typed);
    if (problem) {
      this.say("", "…", problem);
      return;
    }
    // A percentage without its sign, where all answers are shares.
    const shares = this.answers.every(({ dataset }) => Number(dataset.least) >= 0 && Number(dataset.most) <= 1);
    if (shares && value > 1 && value <= 100 && this.nearest(value / 100) !== null) {
      this.say("", "…", `If ${typed}% is meant, write it as ${typed}% or ${numerals.shown(value / 100)}.`);
      return;
    }
    const place = this.nearest(value),
      right = place === this.right,
      { least, most } = this.answers[this.right].dataset;
    const read = plain ? "" : `I read ${typed} as ${numerals.shown(value)}. `;
    if (this.predict) {
      this.input.disabled = this.button.disabled = true;
      this.disclose(right, place, `You said ${numerals.shown(value)}. It is `, ...copied(this.text(this.right)), ".");
    } else if (place === null) {
      const large = value > Number(most);
      const words =
        least === most ? `That is too ${large ? "large" : "small"}.` : `Try a ${large ? "smaller" : "larger"} number.`;
      this.tell(false, null, make("p", {}, `${read}${words}`));
    } else this.tell(right, place, ...(read ? [make("p", {}, read)] : []));
    if (!again) this.judged(right, typed);
  }

  // Steps, pressed in their order.

  steps() {
    this.placed = make("ol", { class: "ask-placed" });
    this.missed = false;
    this.pieces = shuffled(this.answers.length, this.name).map((place) => {
      const button = make(
        "button",
        { type: "button", press: () => this.step(place, button) },
        ...worded(this.text(place), "Step"),
      );
      return button;
    });
    return make("div", {}, this.placed, make("div", { class: "ask-choices" }, ...this.pieces));
  }

  step(place, button) {
    const next = this.placed.children.length;
    for (const one of this.pieces) delete one.dataset.verdict;
    if (place !== next) {
      this.missed = true;
      button.dataset.verdict = "wrong";
      this.tell(
        false,
        null,
        make("p", {}, next ? "Not yet: something has to come before this." : "This is not the first step."),
      );
      return;
    }
    const following = button.nextElementSibling ?? button.previousElementSibling;
    this.place(place);
    button.remove();
    if (this.placed.children.length < this.answers.length) {
      this.unsay();
      following?.focus();
      return;
    }
    this.tell(true, null, make("p", {}, this.missed ? "That is the order." : "That is the order, on the first try."));
    this.judged(!this.missed, this.missed ? "another order" : "this order");
  }

  place(place) {
    this.placed.append(make("li", {}, ...copied(this.text(place))));
  }

  // A curve.

  paper() {
    this.sketch = new Sketch(
      JSON.parse(this.section.dataset.sketch),
      this.answers[this.right].querySelector("svg"),
      () => this.look(),
      () => this.unsay(),
    );
    return this.sketch.element;
  }

  look(again = false) {
    const { sketch, right } = this,
      curves = this.answers.map((answer) => JSON.parse(answer.dataset.curve)),
      line = lineOf(sketch.shares),
      truth = curveOf(curves[right]);
    const found = { ...judgeSketch(line, sketch.data, curves, right, this.within), right },
      { place, law } = found;
    sketch.reveal(line, truth, found);
    const known = this.reply(place);
    const lawful =
      place === null && !law && sketch.data.laws.length
        ? "This breaks no law of such curves, but it is not the right one. "
        : "";
    const where = place === right ? "" : `${lawful}${sketch.words(line, truth, found)} `;
    const key = `The solid line is the right curve, the dashed one yours${place === right ? "" : "; the circle marks the place"}.`;
    this.tell(place === right, null, ...known, make("p", {}, `${where}${key}`));
    if (!again) this.judged(place === right, "another curve", sketch.shares);
  }

  // As it was left.
  restore(kept) {
    if (this.kind === "sketch" && Array.isArray(kept.place)) {
      this.sketch.shares = kept.place;
      this.look(true);
    } else if (this.kind === "choice" && this.answers[kept.place]) this.choose(kept.place, true);
    else if (this.kind === "number") {
      this.input.value = kept.said;
      this.weigh(true);
    } else if (this.kind === "order") {
      this.pieces.forEach((piece) => piece.remove());
      this.answers.forEach((_, place) => this.place(place));
    }
    this.section.dataset.done = "";
  }

  // What it asks, in few words.
  get asks() {
    const text = this.section.querySelector(".ask-question").textContent.replace(/\s+/g, " ").trim();
    return text.length > 90 ? `${text.slice(0, 88).replace(/\s\S*$/, "")} …` : text;
  }
}

// What was answered wrong at first, on this page.

function surprises(place, asks) {
  const kept = answers();
  const missed = asks.filter(({ section, name }) => section.id && kept[name]?.first === false);
  place.hidden = !missed.length;
  place.replaceChildren(
    make("p", { class: "ask-head" }, "Where you were surprised"),
    make(
      "ul",
      {},
      ...missed.map((one) =>
        make(
          "li",
          {},
          make("a", { href: `#${one.name}` }, one.asks),
          ...(["order", "sketch"].includes(one.kind) ? [] : [` You said: ${kept[one.name].guess}`]),
        ),
      ),
    ),
  );
}

// Five of the questions that are due today, of different chapters in turn.

function due(asks) {
  const kept = answers(),
    day = today();
  const read = new Set(Object.keys(kept).map((name) => name.split("-")[1])); // chapters
  const ripe = asks.filter(({ name }) => {
    const old = kept[name];
    return read.has(name.split("-")[1]) && (!old || old.day + GAPS[old.box] <= day);
  });
  // Those that were asked before come first, the longest due at the head.
  const waits = ({ name }) => (kept[name] ? kept[name].day + GAPS[kept[name].box] - day : 1);
  ripe.sort((a, b) => waits(a) - waits(b));
  const turns = new Map();
  const turn = (one) => {
    const chapter = one.name.split("-")[1];
    turns.set(chapter, (turns.get(chapter) ?? 0) + 1);
    return turns.get(chapter);
  };
  return ripe
    .map((one) => [turn(one), one])
    .sort((a, b) => a[0] - b[0])
    .map(([, one]) => one)
    .slice(0, FIVE);
}

// With numbers that change each time, where a question has some.
function renewed(one, asks) {
  const ways = [one, ...asks.filter((other) => other.name === one.name && "anew" in other.section.dataset)];
  const old = answers()[one.name];
  return ways[(old?.turns ?? Number(Boolean(old))) % ways.length];
}

function serve(asks) {
  const chosen = due(asks.filter(({ section }) => !("anew" in section.dataset))).map((one) => renewed(one, asks)),
    none = document.querySelector(".ask-none");
  chosen.forEach(({ section }) => {
    section.hidden = false;
    none.before(section);
  });
  if (chosen.length) return;
  const kept = answers(),
    days = asks.filter(({ name }) => kept[name]).map(({ name }) => kept[name].day + GAPS[kept[name].box] - today());
  none.hidden = false;
  none.textContent = days.length
    ? `Nothing is due today. The next question comes back in ${Math.min(...days) === 1 ? "a day" : `${Math.min(...days)} days`}.`
    : "Nothing is due: no question of a chapter has been answered in this browser yet. Answer some as you read, and they come back here.";
}

// An argument: the reader compares it with the model and counts.

function argue(place) {
  const name = place.dataset.argue,
    boxes = [...place.querySelectorAll("input[type=checkbox]")],
    sum = place.querySelector(".argue-sum");
  const count = () => {
    const points = boxes.filter((box) => box.checked).reduce((total, box) => total + Number(box.value), 0);
    sum.textContent = `${points} of ${sum.dataset.most} points`;
  };
  const kept = answers()[name]?.ticked ?? [];
  boxes.forEach((box, k) => {
    box.checked = kept.includes(k);
    box.addEventListener("change", () => {
      const all = answers();
      all[name] = { ticked: [...boxes.keys()].filter((one) => boxes[one].checked) };
      shelf.set(ANSWERS, all);
      count();
    });
  });
  count();
}

// What this browser remembers of the book: saved to a file, or erased.

function keeping(place) {
  const names = () => Object.keys(localStorage).filter((name) => name.startsWith("dptutor"));
  const save = make("a", { href: "", download: "dptutor-progress.json" }, "Save what this browser remembers");
  save.addEventListener("click", () => {
    const all = Object.fromEntries(names().map((name) => [name, localStorage.getItem(name)]));
    save.href = URL.createObjectURL(new Blob([JSON.stringify(all, null, 1)], { type: "application/json" }));
  });
  const erase = make(
    "button",
    {
      type: "button",
      press: () => {
        if (erase.dataset.sure === undefined) {
          erase.dataset.sure = "";
          erase.textContent = "Press again to erase all answers, predictions and progress";
          return;
        }
        names().forEach((name) => localStorage.removeItem(name));
        location.reload();
      },
    },
    "Erase it",
  );
  place.hidden = false;
  place.replaceChildren(save, " ", erase);
}

{
  const asks = [];
  const changed = () => document.querySelectorAll(".ask-surprises").forEach((place) => surprises(place, asks));
  for (const section of document.querySelectorAll(".ask:not([data-ready])")) asks.push(new Ask(section, changed));
  changed();
  document.querySelectorAll(".argue").forEach(argue);
  if (document.querySelector(".ask-none")) serve(asks.filter(({ section }) => "due" in section.dataset));
  document.querySelectorAll(".ask-keep").forEach(keeping);
}
