// The front page: three guesses at whether somebody is in the data, and then the best that anyone can do, to drag. The
// published answers are 0 + noise or 1 + noise, with normal noise of standard deviation 1.

import { normalCdf } from "./accountant/numbers.js";

const ROUNDS = 3,
  BEST = 0.5, // where the densities cross
  PULL = 48; // pixels by which the answer is pulled aside for a guess
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
const rightly = ({ said, truth }) => said === truth;

class Front {
  constructor(root) {
    this.root = root;
    this.svg = drawn("svg", { class: "front-picture", role: "group" });
    this.left = make(
      "button",
      { type: "button", class: "front-guess", onclick: () => this.guess(0) },
      "←\u2002Not in the data",
    );
    this.right = make(
      "button",
      { type: "button", class: "front-guess", onclick: () => this.guess(1) },
      "In the data\u2002→",
    );
    this.again = make("button", { type: "button", class: "front-guess", onclick: () => this.start() }, "Play again");
    this.onward = make("a", { class: "front-guess", href: root.dataset.next }, "Read on: chapter 1\u2002→");
    this.skip = make(
      "button",
      { type: "button", class: "front-skip", onclick: () => this.end() },
      "Skip to the best guess",
    );
    this.said = make("p", { class: "front-said", role: "status" });
    this.play = make("div", { class: "front-play" });
    root.replaceChildren(this.svg, this.play);
    root.addEventListener("keydown", (event) => this.key(event));
    this.svg.addEventListener("pointerdown", (event) => this.press(event));
    this.svg.addEventListener("pointermove", (event) => this.pull(event));
    for (const end of ["pointerup", "pointercancel"]) this.svg.addEventListener(end, (event) => this.release(event));
    new ResizeObserver(() => this.draw()).observe(root);
    this.start();
  }

  start() {
    Object.assign(this, { rounds: [], over: false, line: BEST });
    this.deal();
    this.buttons(this.left, this.said, this.right);
    this.tell();
  }

  // In the data in half of the rounds; an answer beyond the picture is drawn again.
  deal() {
    this.truth = +(Math.random() < 0.5);
    do this.answer = Math.round(10 * (this.truth + normal())) / 10;
    while (this.answer < -2.3 || this.answer > 3.3);
    this.pulled = 0;
    this.draw();
    const dot = this.svg.querySelector(".front-answer");
    if (!CALM.matches)
      dot?.animate(
        { opacity: [0, 1], transform: ["translateY(-24px)", "none"] },
        { duration: 250, easing: "ease-out" },
      );
  }

  guess(said) {
    if (this.over) return;
    this.rounds.push({ answer: this.answer, truth: this.truth, said });
    if (this.rounds.length < ROUNDS) {
      this.deal();
      this.tell();
    } else this.end();
  }

  end() {
    this.over = true;
    this.buttons(this.again, this.said, this.onward);
    this.draw();
    this.tell();
    this.svg.querySelector("[role=slider]").focus({ preventScroll: true });
  }

  buttons(...shown) {
    this.play.replaceChildren(...shown);
  }

  tell() {
    const { rounds, over } = this;
    if (over) {
      this.said.replaceChildren(...this.verdict());
      return;
    }
    const went = this.went();
    const hint =
      rounds.length === 0
        ? "Each time, a fair coin has decided whether they are in. "
        : rounds.length === ROUNDS - 1
          ? "After this one you see the best anyone can do. "
          : "";
    const heard = make("span", { class: "front-heard" }, `The answer is ${signed(this.answer)}.`);
    this.said.replaceChildren(went, `Round ${rounds.length + 1} of ${ROUNDS}. `, heard, hint, this.skip);
  }

  // How the last guess went.
  went() {
    const last = this.rounds.at(-1);
    if (!last) return "";
    return rightly(last) ? "Right. " : `Wrong: they were ${last.truth ? "" : "not "}in the data. `;
  }

  // The errors of who says "in the data" right of the line, of a hundred people each.
  errors() {
    const accused = normalCdf(-this.line),
      missed = normalCdf(this.line - 1);
    return { accused: 100 * accused, missed: 100 * missed, wrong: 50 * (accused + missed) };
  }

  verdict() {
    const { accused, missed, wrong } = this.errors(),
      right = this.rounds.filter(rightly).length,
      bold = (text, tone) => make("b", { class: `front-${tone}` }, text);
    const start =
      this.rounds.length === ROUNDS
        ? `${this.went()}You were ${["never right", "right once", "right twice", "right all three times"][right]}. `
        : "";
    const least = 100 * normalCdf(-BEST);
    // A worse line is never said to be as good.
    const best = wrong - least < 1e-9,
      digits = best ? 0 : [0, 1, 2, 3].find((n) => wrong.toFixed(n) !== least.toFixed(n));
    const people = (count) => (count < 0.5 ? "fewer than 1" : count > 99.5 ? "more than 99" : count.toFixed(digits));
    const end = best
      ? ", and no line does better. Drag it and see."
      : `. The best line is wrong ${least.toFixed(digits)} times.`;
    return [start, "Of 100 people who are not in the data you accuse ", bold(people(accused), "out"), "; of 100 who are, you miss ",
      bold(people(missed), "in"), ". You are ", bold(`wrong ${wrong.toFixed(digits)} times in 100`, "best"), end]; // biome-ignore format: one sentence
  }

  // The picture, in the page's own pixels.

  draw() {
    const width = this.root.clientWidth;
    if (!width) return;
    const focused = this.svg.contains(document.activeElement);
    Object.assign(this, { width, ...(width < 600 ? SIZES.narrow : SIZES.wide), brief: width < 1000 });
    this.base = this.height - this.foot;
    const { svg, base, range, brief } = this;
    svg.setAttribute("viewBox", `0 0 ${width} ${this.height}`);
    svg.setAttribute("aria-label", "The densities of the published answer without this person and with them");
    svg.replaceChildren();
    for (const world of [0, 1]) {
      const tone = ["out", "in"][world];
      svg.append(drawn("path", { class: `front-area front-${tone}`, d: this.area(world, range[0], range[1]) }));
      svg.append(drawn("path", { class: `front-curve front-${tone}`, d: this.curve(world, range[0], range[1]) }));
    }
    if (this.over) {
      svg.append(drawn("path", { class: "front-error front-out", d: this.area(0, this.line, range[1]) }));
      svg.append(drawn("path", { class: "front-error front-in", d: this.area(1, range[0], this.line) }));
    }
    svg.append(drawn("path", { class: "front-axis", d: `M0 ${base}H${width}` }));
    for (let at = Math.ceil(range[0]); at <= range[1]; at++)
      svg.append(drawn("text", { class: "front-tick", x: this.x(at), y: base + 24, "text-anchor": "middle" }, String(at).replace("-", "−"))); // biome-ignore format: one line
    this.past();
    if (this.over) this.handle(focused);
    else this.fallen();
    // Above all else, so that the line does not cross them out.
    const names = brief
      ? [["not in the data", 0, "start"], ["in the data", width, "end"]]
      : [["what comes out if this person is not in the data", this.x(-0.95), "end"], ["if this person is in the data", this.x(1.98), "start"]]; // biome-ignore format: a table
    names.forEach(([text, x, anchor], world) => {
      const place = { class: `front-name front-${["out", "in"][world]}`, x, y: this.y(0.7) };
      svg.append(drawn("text", { ...place, "text-anchor": anchor }, text));
    });
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
      if (this.over || before.some((other) => Math.abs(other.x - x) < other.half + half)) return;
      before = [...before, { x, half }];
      const inside = Math.min(this.width - half, Math.max(half, x));
      this.svg.append(
        drawn("text", { class: "front-tick", x: inside, y: this.base + 44, "text-anchor": "middle" }, text),
      );
    });
  }

  // The answer of this round: pulled aside it is a guess.
  fallen() {
    const x = this.x(this.answer),
      left = x > this.width - 180;
    const group = drawn("g", { class: "front-answer" });
    group.append(
      drawn("path", { class: "front-drop", d: `M${x} 4V${this.base}` }),
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

  // The line: right of it one says "in the data".
  handle(focused) {
    const x = this.x(this.line),
      { base } = this,
      said = this.line.toFixed(1) === "-0.0" ? "0.0" : signed(this.line);
    const group = drawn("g", { class: "front-line", role: "slider", tabindex: 0, "aria-label": "The line: “in the data” right of it",
      "aria-valuemin": -2, "aria-valuemax": 3, "aria-valuenow": this.line, "aria-valuetext": said }); // biome-ignore format: one line
    const text = this.brief ? "“in” →" : "you say “in the data” →";
    group.append(
      drawn("path", { d: `M${x} 4V${base}` }),
      drawn("rect", { class: "front-target", x: x - 22, y: 0, width: 44, height: this.height }),
      drawn("text", { class: "front-way", x: x + 12, y: 18 }, text),
      drawn("rect", { class: "front-pill", x: x - 38, y: base - 14, width: 76, height: 28, rx: 14 }),
      drawn("path", { class: "front-arrow", d: `M${x - 25} ${base - 4}l-5 4l5 4M${x + 25} ${base - 4}l5 4l-5 4` }),
      drawn("text", { class: "front-at", x, y: base + 5, "text-anchor": "middle" }, said),
    );
    this.svg.append(group);
    if (focused) group.focus({ preventScroll: true });
  }

  // Keys and fingers.

  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (this.over) {
      const by = { ArrowLeft: -0.1, ArrowRight: 0.1, ArrowDown: -0.1, ArrowUp: 0.1, PageDown: -0.5, PageUp: 0.5, Home: -9, End: 9 }[event.key]; // biome-ignore format: a table
      if (!by || !event.target.closest("[role=slider]")) return;
      event.preventDefault();
      this.move(this.line + by);
      return;
    }
    const world = ["ArrowLeft", "ArrowRight"].indexOf(event.key);
    if (world < 0 || event.repeat) return;
    event.preventDefault();
    this.guess(world);
  }

  move(to) {
    this.line = Math.round(10 * Math.min(3, Math.max(-2, to))) / 10;
    this.draw();
    this.tell();
  }

  at(event) {
    return new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse()).x;
  }

  press(event) {
    if (!this.over && !event.target.closest(".front-answer")) return;
    // The line comes to where the picture is pressed; a finger beside it scrolls.
    if (this.over && !event.target.closest(".front-line")) {
      if (event.pointerType !== "touch")
        this.move(this.range[0] + (this.at(event) * (this.range[1] - this.range[0])) / this.width); // biome-ignore format: one line
      else return;
    }
    event.preventDefault();
    this.held = { from: this.at(event), line: this.line };
    this.svg.setPointerCapture(event.pointerId);
    if (this.over) this.svg.querySelector(".front-line").focus({ preventScroll: true });
  }

  pull(event) {
    if (!this.held) return;
    const by = this.at(event) - this.held.from;
    if (this.over) {
      this.move(this.held.line + (by * (this.range[1] - this.range[0])) / this.width);
      return;
    }
    this.pulled = Math.max(-90, Math.min(90, by));
    this.draw();
    this.left.classList.toggle("front-meant", by < -PULL);
    this.right.classList.toggle("front-meant", by > PULL);
  }

  release(event) {
    if (!this.held) return;
    this.held = null;
    if (this.over) return;
    const by = this.pulled;
    this.pulled = 0;
    for (const button of [this.left, this.right]) button.classList.remove("front-meant");
    if (event.type === "pointerup" && Math.abs(by) > PULL) this.guess(+(by > 0));
    else this.draw();
  }
}

const front = document.querySelector(".dptutor-front");
if (front) front.run = new Front(front);
