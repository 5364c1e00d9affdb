// A game, as game.py tells. What it deals are settings of parameters without a control; the rounds that were played it
// keeps itself, and shows them as dots where their answers were.

const FALL = 350; // milliseconds
const pick = (weights, chance) => {
  let rest = chance * weights.reduce((sum, weight) => sum + weight, 0);
  return weights.findIndex((weight) => (rest -= weight) < 0);
};
const counted = (tally) => tally.split(" of ").map(Number);

// Of the stops at which "in" above the stop gives most guesses, the middle of the longest run; nothing if all guesses
// were the same.
const thresholdOf = (rounds, stops) => {
  if (new Set(rounds.map((round) => round.said)).size < 2) return null;
  const fits = stops.map((stop) => rounds.filter(({ answer, said }) => +(answer > stop) === said).length);
  const most = Math.max(...fits);
  let best = [0, -1];
  for (let from = 0; from < fits.length; from++) {
    let to = from;
    while (fits[to] === most) to++;
    if (to - from > best[1] - best[0]) best = [from, to];
    from = to;
  }
  return { stop: Math.floor((best[0] + best[1] - 1) / 2), fits: most };
};

// The level of each dot on its side: the lowest on which it touches none that was there before.
const levelsOf = (dots, size) => {
  const levels = [];
  dots.forEach(({ x, side }, i) => {
    const free = (level) =>
      dots.slice(0, i).every((dot, k) => dot.side !== side || levels[k] !== level || Math.abs(dot.x - x) >= size);
    let level = 0;
    while (!free(level)) level++;
    levels.push(level);
  });
  return levels;
};

const WORLDS = ["dpe-world0", "dpe-world1"];

class Game {
  constructor(explorer, group) {
    const { parameters, game } = explorer.manifest;
    Object.assign(this, {
      explorer,
      group,
      ...game,
      random: Math.random,
      history: [],
      length: game.lengths[0],
      taken: 0,
    });
    this.places = Object.fromEntries(parameters.map((p, place) => [p.name, place]));
    this.hidden = parameters.filter((p) => p.hidden);
    this.fresh = Object.fromEntries(this.hidden.map((p) => [p.name, p.start]));
    this.answers = parameters[this.places.answer].values;
    const find = (name) => group.querySelector(name);
    this.progress = find(".dpe-rounds");
    this.slots = find(".dpe-slots");
    this.count = find("[data-round]");
    this.sure = find(".dpe-sure");
    this.starts = [...group.querySelectorAll("[data-game=start]")];
    this.guesses = [...group.querySelectorAll("[data-guess]")];
    this.undo = find("[data-game=undo]");
    this.leave = find("[data-game=leave]");
    this.starts.forEach((button) => {
      button.titled = button.textContent;
      button.addEventListener("click", () => this.begin(+button.dataset.length));
    });
    this.guesses.forEach((button, world) => button.addEventListener("click", () => this.guess(world)));
    this.undo.addEventListener("click", () => this.takeBack());
    this.leave.addEventListener("click", () => this.asks(() => this.clear()) || this.clear());
    find("[data-game=keep]").addEventListener("click", () => this.answered(false));
    find("[data-game=throw]").addEventListener("click", () => this.answered(true));
    group.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !this.sure.hidden) this.answered(false);
      const world = ["ArrowLeft", "ArrowRight"].indexOf(event.key);
      if (world < 0 || !this.playing) return;
      // The slides of a lecture would go on by the same keys.
      event.preventDefault();
      event.stopPropagation();
      if (!event.repeat) this.guess(world);
    });
    if (this.stage) this.build();
    this.show();
    this.key = `dptutor:game:${explorer.manifest.name}:${globalThis.location?.pathname}`;
    if ("frozen" in explorer.root.dataset)
      explorer.tables.load().then(
        () => this.restore(),
        () => {},
      );
  }

  // A page that is loaded again, or come back to, goes on with its game.
  keep() {
    const { history, taken, again, length, explorer } = this;
    try {
      if (history.length)
        sessionStorage.setItem(this.key, JSON.stringify({ history, taken, again, length, values: explorer.values }));
      else sessionStorage.removeItem(this.key);
    } catch {
      /* a browser may refuse to keep anything */
    }
  }

  restore() {
    if (!["reload", "back_forward"].includes(performance.getEntriesByType("navigation")[0]?.type)) return;
    try {
      const { values, ...kept } = JSON.parse(sessionStorage.getItem(this.key)) ?? {};
      if (!values || this.played) return;
      const { parameters } = this.explorer.manifest;
      if (!parameters.every((p, place) => p.values.includes(values[place]))) return;
      Object.assign(this, kept);
      this.explorer.setAll(Object.fromEntries(parameters.map((p, place) => [p.name, values[place]])), 0);
      this.show();
    } catch {
      /* nothing was kept, or another edition kept it */
    }
  }

  value(name) {
    return this.explorer.values[this.places[name]];
  }
  get row() {
    return this.explorer.tables.row(this.table, this.explorer.values);
  }
  get playing() {
    return this.value("answer") !== this.fresh.answer;
  }
  get played() {
    return counted(this.value("accused"))[1] + counted(this.value("missed"))[1];
  }

  // The probabilities of all answers in either world, each counted as often as it is still to come.
  odds({ accused, missed }) {
    const { row } = this;
    return [accused, missed].map((tally, world) => {
      const odds = [...row.subarray((world * row.length) / 2, ((world + 1) * row.length) / 2)];
      const left = this.length - counted(tally)[1],
        sum = odds.reduce((a, b) => a + b, 0);
      return odds.map((chance) => (left * chance) / sum);
    });
  }

  begin(length) {
    this.explorer.tables.load().then(() => {
      if (!this.row) return;
      this.length = length;
      this.forget();
      this.deal(this.fresh);
      // The button that was pressed is gone: keys go to the game.
      this.group.focus({ preventScroll: true });
    });
  }

  deal(state) {
    const at = pick(
      this.odds(state).reduce((p, q) => p.map((chance, k) => chance + q[k])),
      this.random(),
    );
    const over = at < 0;
    this.explorer.setAll(
      { ...state, answer: over ? this.fresh.answer : this.answers[at + 1], ...(over && this.ending(state)) },
      STEP,
    );
    this.show();
    this.keep();
  }

  ending({ accused, missed }) {
    const ended = { ended: `${counted(accused)[0]} and ${counted(missed)[0]} of ${this.length}` };
    const stops = this.answers.slice(1),
      threshold = this.history.length === 2 * this.length && thresholdOf(this.history, stops.map(Number));
    if (!threshold) return ended;
    return { ...ended, threshold: stops[threshold.stop], fits: `${threshold.fits} of ${2 * this.length}` };
  }

  // Nobody guesses about an answer that is not on the screen yet.
  guess(said) {
    const { values, drawn } = this.explorer,
      answer = this.value("answer");
    if (!this.playing || !this.sure.hidden || !drawn || drawn.some((value, place) => value !== values[place])) return;
    const tallies = { accused: this.value("accused"), missed: this.value("missed") };
    const odds = this.odds(tallies).map((odds) => odds[this.answers.indexOf(answer) - 1]);
    const truth = pick(odds, this.random());
    if (truth < 0) return;
    const name = ["accused", "missed"][truth],
      [wrong, played] = counted(tallies[name]);
    const before = { ...tallies };
    tallies[name] = `${wrong + (said !== truth)} of ${played + 1}`;
    const outcome = [
      ["cleared", "accused"],
      ["missed", "found"],
    ][truth][said];
    this.history.push({ answer: +answer, said, truth, before });
    this.again = true;
    this.deal({ ...tallies, outcome });
  }

  // A slip costs nothing, and no truth can be used: the round is void, and another answer is drawn.
  takeBack() {
    if (!this.again) return;
    const { before } = this.history.pop();
    this.again = false;
    this.taken++;
    this.deal({ ...this.fresh, ...before, ...(this.history.length && { outcome: "void" }) });
    this.group.focus({ preventScroll: true });
  }

  forget() {
    Object.assign(this, { history: [], taken: 0, again: false });
    this.keep();
  }

  clear() {
    this.forget();
    this.explorer.setAll(this.fresh, STEP);
    this.show();
    this.starts[0].focus({ preventScroll: true });
  }

  // No game is lost by accident: whatever would end it asks first. Tells whether it does.
  asks(next) {
    if (!this.history.length) return false;
    this.next = next;
    const n = this.history.length;
    this.sure.firstElementChild.textContent = `Throw away ${n} round${n === 1 ? "" : "s"}?`;
    this.sure.hidden = false;
    this.show();
    this.sure.querySelector("button").focus({ preventScroll: true });
    return true;
  }

  answered(sure) {
    if (this.sure.hidden) return;
    this.sure.hidden = true;
    const { next } = this;
    if (sure) {
      this.forget();
      next();
    }
    this.show();
    this.group.focus({ preventScroll: true });
  }

  // A moved slider is another mechanism: what a step of the explorer shows says nothing of it.
  end() {
    for (const { name, start } of this.hidden) {
      if (this.value(name) === start) continue;
      this.explorer.values[this.places[name]] = start;
      this.explorer.onmove?.(name, start);
    }
  }

  show() {
    const { playing, played, length } = this,
      asked = !this.sure.hidden,
      over = this.value("ended") !== this.fresh.ended;
    // Set by a program or a link, the score has no rounds that are known.
    if (this.history.length !== played) this.forget();
    if (Math.max(counted(this.value("accused"))[1], counted(this.value("missed"))[1]) > length)
      [this.length] = this.lengths;
    const locked = playing || this.history.length > 0;
    this.explorer.root.classList.toggle("dpe-playing", playing);
    this.explorer.root.classList.toggle("dpe-locked", locked);
    this.guesses.forEach((button) => {
      button.hidden = !playing || asked;
      button.setAttribute("aria-disabled", String(!playing));
    });
    this.starts.forEach((button, k) => {
      button.hidden = playing || asked;
      button.textContent = over && k === 0 ? "Play again" : button.titled;
    });
    this.undo.hidden = asked || !(playing || this.history.length);
    this.undo.setAttribute("aria-disabled", String(!this.again));
    this.leave.hidden = asked || !locked;
    this.leave.textContent = playing ? "Leave the game" : "Clear";
    for (const inputs of [...this.explorer.inputs, this.explorer.typed])
      for (const input of inputs) {
        if (!input) continue;
        input.disabled = locked;
        input.title = locked ? "Locked until this game is left" : "";
      }
    this.progress.hidden = !playing && !this.history.length;
    const taken = this.taken
      ? ` · ${this.taken} taken back${playing ? "" : `, which ${this.taken === 1 ? "was" : "were"} drawn anew: the score may flatter you`}`
      : "";
    this.count.textContent = (playing ? `Round ${played + 1} of ${2 * this.length}` : `${played} rounds`) + taken;
    this.slot();
    if (this.stage) this.place();
  }

  // A slot for each round: errors full, the rest pale, as the dots.
  slot() {
    const total = 2 * this.length;
    while (this.slots.children.length > total) this.slots.lastChild.remove();
    while (this.slots.children.length < total) this.slots.append(document.createElement("i"));
    [...this.slots.children].forEach((slot, k) => {
      const round = this.history[k];
      slot.className = round
        ? WORLDS[round.truth] + (round.said === round.truth ? "" : " dpe-wrong")
        : k < this.played
          ? "dpe-past"
          : k === this.played && this.playing
            ? "dpe-now"
            : "";
    });
  }

  // Dots of rounds, and the two sides of the picture as buttons.
  build() {
    const svg = this.explorer.root.querySelectorAll("svg.dpe-panel")[this.stage.panel];
    this.layer = document.createElementNS(SVG, "g");
    this.layer.setAttribute("class", "dpe-dots");
    svg.insertBefore(this.layer, svg.querySelector(".dpe-name, .dpe-grip"));
    svg.addEventListener("click", (event) => {
      if (!this.playing || !svg.classList.contains("dpe-main")) return;
      const [left, , width] = this.explorer.manifest.panels[this.stage.panel].box,
        { at } = this.explorer.handles.place(event, svg);
      this.guess(+(at[0] > left + width / 2));
      this.group.focus({ preventScroll: true });
    });
  }

  place() {
    const { panel, right, wrong, size } = this.stage,
      { box, x } = this.explorer.manifest.panels[panel];
    const dots = this.history.map(({ answer, said, truth }) => ({
      x: box[0] + shareOf(x, answer) * box[2],
      side: said === truth,
      truth,
    }));
    const levels = levelsOf(dots, size);
    while (this.layer.children.length > dots.length) this.layer.lastChild.remove();
    dots.forEach(({ x, side, truth }, k) => {
      const before = this.layer.children[k],
        circle = before ?? document.createElementNS(SVG, "circle");
      const y = side ? right - (levels[k] + 0.5) * size : wrong + (levels[k] + 0.5) * size;
      const tone = truth ? "var(--dpe-vermillion, #d55e00)" : "var(--dpe-blue, #0072b2)";
      const told = {
        cx: short(x),
        cy: short(y),
        r: short(0.46 * size),
        style: `fill:${tone};opacity:${side ? 0.4 : 1}`,
      };
      for (const [name, value] of Object.entries(told)) circle.setAttribute(name, value);
      if (before) return;
      this.layer.append(circle);
      const from = (right + wrong) / 2 - y;
      if (!calm?.matches)
        circle.animate(
          {
            transform: [
              `translateY(${short(from)}px)`,
              `translateY(${short(from - Math.sign(-from) * size)}px)`,
              "none",
            ],
          },
          { duration: FALL, easing: "ease-out" },
        );
    });
  }
}
