// The front page: three guesses at whether somebody is in the data, and then two training runs that promise the same and
// protect differently. The published answers are 0 + noise or 1 + noise, with normal noise of standard deviation 1; what is
// guessed about the two runs stands in the page's table, which is computed when the book is built.

import { normalCdf } from "./accountant/numbers.js";

const ROUNDS = 3,
  BEST = Math.round(100 * normalCdf(0.5)), // right of 100, by whoever says "in" where that is more likely
  PULL = 48, // pixels by which the answer is pulled aside for a guess
  CLEAR = 6, // pixels between a line and a name
  TONES = ["front-out", "front-in"]; // colors of the two worlds, and of the two runs
const SIZES = {
  wide: { height: 300, top: 84, foot: 48, range: [-3.2, 4.2] },
  narrow: { height: 210, top: 54, foot: 48, range: [-2.7, 3.7] },
};
const CALM = globalThis.matchMedia("(prefers-reduced-motion: reduce)");

const make = (tag, attributes = {}, ...inside) => {
  const { onclick, ...rest } = attributes,
    made = document.createElement(tag);
  for (const [name, value] of Object.entries(rest)) made.setAttribute(name, value);
  if (onclick) made.addEventListener("click", onclick);
  made.append(...inside);
  return made;
};
const drawn = (tag, attributes = {}, text = "") => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.textContent = text;
  return made;
};
const signed = (value) => value.toFixed(1).replace("-", "−").replace("−0.0", "0.0");
const density = (x) => Math.exp((-x * x) / 2);
const normal = () => Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
const times = (count) => `${count} ${count === 1 ? "time" : "times"}`;
const rightly = ({ said, truth }) => said === truth;

class Front {
  constructor(root) {
    this.root = root;
    this.title = document.querySelector(".front h1");
    this.lead = document.querySelector(".front .lead");
    this.opening = [this.title, this.lead].map((part) => [...part.childNodes]);
    this.runs = new Runs(document.querySelector(".front-duel"));
    this.sent = /^#score=([0-3])$/.exec(location.hash)?.[1]; // whose link it is was so often right
    this.svg = drawn("svg", { class: "front-picture", role: "group" });
    const guess = (said, text) =>
      make("button", { type: "button", class: "front-guess", onclick: () => this.guess(said) }, text);
    [this.left, this.right] = [guess(0, "←\u2002Not in the data"), guess(1, "In the data\u2002→")];
    this.skip = make("button", { type: "button", class: "front-link", onclick: () => this.end() }, "Skip the game");
    this.said = make("p", { class: "front-said", role: "status" });
    this.heard = make("p", { class: "front-heard", role: "status" });
    root.before(this.heard);
    root.replaceChildren(this.svg, make("div", { class: "front-play" }, this.left, this.said, this.right));
    root.addEventListener("keydown", (event) => this.key(event));
    this.svg.addEventListener("pointerdown", (event) => this.press(event));
    this.svg.addEventListener("pointermove", (event) => this.pull(event));
    for (const end of ["pointerup", "pointercancel"]) this.svg.addEventListener(end, (event) => this.release(event));
    new ResizeObserver(() => this.draw()).observe(root);
    this.start();
  }

  start() {
    this.rounds = [];
    [this.title, this.lead].forEach((part, k) => part.replaceChildren(...this.opening[k]));
    this.show(true);
    this.deal();
    this.tell();
  }

  // The game, or what comes after it.
  show(game) {
    this.root.hidden = !game;
    this.runs.root.classList.toggle("front-open", !game);
  }

  // In the data in half of the rounds; an answer beyond the picture is drawn again.
  deal() {
    this.truth = +(Math.random() < 0.5);
    do this.answer = Math.round(10 * (this.truth + normal())) / 10;
    while (this.answer < -2.3 || this.answer > 3.3);
    this.pulled = 0;
    this.held = null;
    this.draw();
    const dot = this.svg.querySelector(".front-answer");
    if (!CALM.matches)
      dot?.animate(
        { opacity: [0, 1], transform: ["translateY(-24px)", "none"] },
        { duration: 250, easing: "ease-out" },
      );
  }

  guess(said) {
    this.rounds.push({ answer: this.answer, truth: this.truth, said });
    if (this.rounds.length === ROUNDS) {
      this.end();
      return;
    }
    this.deal();
    this.tell();
  }

  end() {
    const played = this.rounds.length === ROUNDS,
      right = this.rounds.filter(rightly).length;
    if (played)
      this.title.replaceChildren(
        "You were right ",
        make("b", { class: "front-score" }, `${times(right)} out of ${ROUNDS}.`),
      );
    const share = make(
      "a",
      { href: `#score=${right}`, class: "front-link", onclick: (event) => this.share(event) },
      "Share your score",
    );
    const again = make(
      "button",
      { type: "button", class: "front-link", onclick: () => this.restart() },
      played ? "play again" : "Play the game",
    );
    this.lead.replaceChildren(
      make(
        "p",
        {},
        played ? `The last one was ${this.rounds.at(-1).truth ? "" : "not "}in the data. ` : "",
        this.from(),
        `In the long run nobody can be right more often than about ${BEST} times in 100: this much noise hides a person that well. `,
        ...(played ? [share, " or ", again] : [again]),
        ".",
      ),
    );
    this.show(false);
    this.heard.textContent = played ? this.title.textContent : "";
    this.title.scrollIntoView({ block: "nearest" });
    this.runs.slider.focus({ preventScroll: true });
  }

  restart() {
    this.start();
    this.left.focus({ preventScroll: true });
  }

  share(event) {
    event.preventDefault();
    history.replaceState(null, "", event.currentTarget.hash);
    const told = (where) => {
      this.lead.querySelector("a").textContent = this.heard.textContent = `The link is ${where}`;
    };
    if (navigator.clipboard)
      navigator.clipboard.writeText(location.href).then(
        () => told("copied"),
        () => told("in the address bar"),
      );
    else told("in the address bar");
  }

  tell() {
    const { rounds } = this;
    const hint =
      rounds.length === 0
        ? "Each time, a fair coin has decided whether they are in. "
        : rounds.length === ROUNDS - 1
          ? "The last one. "
          : "";
    const heard = make("span", { class: "front-heard" }, `The answer is ${signed(this.answer)}.`);
    this.said.replaceChildren(
      rounds.length ? this.went() : this.from(),
      `Round ${rounds.length + 1} of ${ROUNDS}. `,
      heard,
      hint,
      this.skip,
    );
  }

  from() {
    return this.sent ? `The reader who sent you here was right ${times(+this.sent)} out of ${ROUNDS}. ` : "";
  }

  // How the last guess went.
  went() {
    const last = this.rounds.at(-1);
    return rightly(last) ? "Right. " : `Wrong: they were ${last.truth ? "" : "not "}in the data. `;
  }

  // The picture, in the page's own pixels.

  draw() {
    const width = this.root.clientWidth;
    if (!width) return;
    Object.assign(this, { width, ...(width < 600 ? SIZES.narrow : SIZES.wide), brief: width < 1000 });
    this.base = this.height - this.foot;
    const { svg, base, range, brief } = this;
    svg.setAttribute("viewBox", `0 0 ${width} ${this.height}`);
    svg.setAttribute("aria-label", "The densities of the published answer without this person and with them");
    svg.replaceChildren();
    for (const world of [0, 1]) {
      const tone = TONES[world];
      svg.append(drawn("path", { class: `front-area ${tone}`, d: this.area(world, range[0], range[1]) }));
      svg.append(drawn("path", { class: `front-curve ${tone}`, d: this.curve(world, range[0], range[1]) }));
    }
    svg.append(drawn("path", { class: "front-axis", d: `M0 ${base}H${width}` }));
    for (let at = Math.ceil(range[0]); at <= range[1]; at++)
      svg.append(drawn("text", { class: "front-tick", x: this.x(at), y: base + 24, "text-anchor": "middle" }, String(at).replace("-", "−"))); // biome-ignore format: one line
    this.past();
    const names = (
      brief
        ? [
            ["not in the data", 0, "start"],
            ["in the data", width, "end"],
          ]
        : [
            ["what comes out if this person is not in the data", this.x(-0.95), "end"],
            ["if this person is in the data", this.x(1.98), "start"],
          ]
    ).map(([text, x, anchor], world) => {
      const place = { class: `front-name ${TONES[world]}`, x, y: this.y(0.7) };
      return drawn("text", { ...place, "text-anchor": anchor }, text);
    });
    svg.append(...names);
    this.fallen(names);
  }

  x(value) {
    return (this.width * (value - this.range[0])) / (this.range[1] - this.range[0]);
  }
  y(height) {
    return this.base - height * (this.base - this.top);
  }
  curve(world, from, to) {
    const steps = 96,
      at = (k) => from + ((to - from) * k) / steps;
    return `M${Array.from({ length: steps + 1 }, (_, k) => `${this.x(at(k)).toFixed(1)} ${this.y(density(at(k) - world)).toFixed(1)}`).join("L")}`;
  }
  area(world, from, to) {
    return `${this.curve(world, from, to)}V${this.base}H${this.x(from).toFixed(1)}Z`;
  }

  // Rounds that are over: a ring for a right guess, a cross for a wrong one; below it, if there is room, how it went.
  past() {
    let before = [];
    // The newest first: it keeps its words.
    [...this.rounds.keys()].reverse().forEach((k) => {
      const round = this.rounds[k],
        x = this.x(round.answer),
        right = rightly(round);
      this.svg.append(drawn("circle", { class: right ? "front-right" : "front-wrong", cx: x, cy: this.base, r: 7 }));
      if (!right)
        this.svg.append(drawn("path", { class: "front-cross", d: `M${x - 3} ${this.base - 3}l6 6m0 -6l-6 6` }));
      const said = right ? "right" : round.said ? "wrongly accused" : "missed",
        text = this.brief ? (right ? "right" : "wrong") : `round ${k + 1}: ${said}`,
        half = 4 * text.length;
      if (before.some((other) => Math.abs(other.x - x) < other.half + half)) return;
      before = [...before, { x, half }];
      const inside = Math.min(this.width - half, Math.max(half, x));
      this.svg.append(
        drawn("text", { class: "front-tick", x: inside, y: this.base + 44, "text-anchor": "middle" }, text),
      );
    });
  }

  // The answer of this round: pulled aside it is a guess.
  fallen(names) {
    const x = this.x(this.answer),
      left = x > this.width - 180;
    // Its line leaves out a name that it would cross.
    const crossed = names
      .map((name) => name.getBBox())
      .find((box) => x > box.x - CLEAR && x < box.x + box.width + CLEAR);
    const gap = crossed ? `V${crossed.y - 2}M${x} ${crossed.y + crossed.height + 2}` : "";
    const group = drawn("g", { class: "front-answer" });
    group.append(
      drawn("path", { class: "front-drop", d: `M${x} 4${gap}V${this.base}` }),
      drawn("circle", { class: "front-dot", cx: x + this.pulled, cy: this.base, r: 12.5 }),
    );
    const beside = { x: x + (left ? -18 : 18), "text-anchor": left ? "end" : "start" };
    if (!this.brief)
      group.append(
        drawn("text", { class: "front-round", y: 18, ...beside }, `round ${this.rounds.length + 1}: the answer is`),
      );
    group.append(drawn("text", { class: "front-value", y: this.brief ? 24 : 46, ...beside }, signed(this.answer)));
    this.svg.append(group);
  }

  // Keys and fingers.

  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const world = ["ArrowLeft", "ArrowRight"].indexOf(event.key);
    if (world < 0 || event.repeat) return;
    event.preventDefault();
    this.guess(world);
  }

  at(event) {
    return new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse()).x;
  }

  press(event) {
    if (!event.target.closest(".front-answer")) return;
    event.preventDefault();
    this.held = this.at(event);
    this.svg.setPointerCapture(event.pointerId);
  }

  pull(event) {
    if (this.held === null) return;
    const by = this.at(event) - this.held;
    this.pulled = Math.max(-90, Math.min(90, by));
    this.draw();
    this.left.classList.toggle("front-meant", by < -PULL);
    this.right.classList.toggle("front-meant", by > PULL);
  }

  release(event) {
    if (this.held === null) return;
    this.held = null;
    const by = this.pulled;
    this.pulled = 0;
    for (const button of [this.left, this.right]) button.classList.remove("front-meant");
    if (event.type === "pointerup" && Math.abs(by) > PULL) this.guess(+(by > 0));
    else this.draw();
  }
}

// Two runs and a hundred people each: how many of them an adversary guesses right, by what it believes beforehand.

class Runs {
  constructor(root) {
    this.root = root;
    const [table] = root.getElementsByTagName("table"),
      numbers = ({ cells }) => [...cells].slice(1).map((cell) => +cell.textContent);
    this.rows = [...table.rows];
    [this.before, ...this.right] = this.rows.map(numbers);
    this.blind = this.right.pop();
    this.fields = [...root.querySelectorAll(".front-fields > p")].map((setting, run) => new Field(setting, run));
    this.slider = make("input", {
      type: "range",
      min: 0,
      max: this.before.length - 1,
      "aria-label": "What the adversary believes beforehand",
    });
    this.slider.addEventListener("input", () => this.show());
    const [place] = [table.tHead.insertRow()].map((line) => [line.insertCell(), line.insertCell()][1]);
    place.colSpan = this.before.length;
    place.append(this.slider);
    table.addEventListener("click", ({ target: { cellIndex, colSpan } }) => {
      if (!(cellIndex > 0 && colSpan === 1)) return;
      this.slider.value = cellIndex - 1;
      this.show();
    });
    this.words = make("p", { class: "front-words" });
    root.append(this.words);
    this.slider.value = this.before.indexOf(50);
    this.show();
  }

  show() {
    const at = +this.slider.value,
      blind = this.blind[at],
      [first, second] = this.right.map((counts) => counts[at]),
      bold = (text, run) => make("b", { class: TONES[run] }, text);
    for (const { cells } of this.rows)
      [...cells].forEach((cell, k) => cell.classList.toggle("front-here", k === at + 1));
    this.fields.forEach((field, run) => field.show(blind, this.right[run][at]));
    this.slider.setAttribute("aria-valuetext", `${this.before[at]}%: right about ${first} and ${second} times in 100`);
    const who = blind === 50 ? "An adversary with no idea beforehand" : `An adversary who is ${blind}% sure beforehand`;
    this.words.replaceChildren(
      `${who} is right about `,
      bold(first, 0),
      " times in 100 about the first run and ",
      bold(second, 1),
      " about the second. ",
      first === second
        ? "There is hardly anything left to learn, and they protect nearly alike."
        : "The promise is the same; the protection is not.",
    );
  }
}

// A hundred people in columns of five: pale, who would be guessed right anyway; full, who is thanks to the run; rings,
// who is guessed wrong.
class Field {
  constructor(setting, run) {
    this.count = make("b");
    this.share = make("span");
    this.people = Array.from({ length: 100 }, (_, k) =>
      drawn("circle", { cx: 13.4 + 26.8 * Math.floor(k / 5), cy: 13.4 + 26.8 * (k % 5), r: 9 }),
    );
    const svg = drawn("svg", { viewBox: "0 0 536 134", role: "img" });
    this.name = svg.appendChild(drawn("title"));
    svg.append(...this.people);
    const field = make("div", { class: TONES[run] });
    setting.replaceWith(field);
    setting.prepend(this.count, this.share);
    field.append(setting, svg);
  }

  show(blind, right) {
    this.count.textContent = `${right} guessed right`;
    this.share.textContent = `${blind} anyway, ${right - blind} thanks to the run`;
    this.name.textContent = `A hundred people, ${right} of them guessed right`;
    this.people.forEach((person, k) => {
      person.setAttribute("class", k < blind ? "front-anyway" : k < right ? "front-found" : "front-hidden");
    });
  }
}

const front = document.querySelector(".dptutor-front");
if (front) front.run = new Front(front);
