// A game, as game.py tells. What it deals are settings of parameters without a control.

const pick = (weights) => {
  let rest = Math.random() * weights.reduce((sum, weight) => sum + weight, 0);
  return weights.findIndex((weight) => (rest -= weight) < 0);
};

class Game {
  constructor(explorer, group) {
    const { parameters, game } = explorer.manifest;
    Object.assign(this, { explorer, rounds: game.rounds, table: game.table });
    this.places = Object.fromEntries(parameters.map((p, place) => [p.name, place]));
    this.hidden = parameters.filter((p) => p.hidden);
    this.fresh = Object.fromEntries(this.hidden.map((p) => [p.name, p.start]));
    this.answers = parameters[this.places.answer].values;
    this.start = group.querySelector("[data-game]");
    this.guesses = [...group.querySelectorAll("[data-guess]")];
    this.start.addEventListener("click", () => explorer.tables.load().then(() => this.row && this.deal(this.fresh)));
    this.guesses.forEach((button, world) => button.addEventListener("click", () => this.guess(world)));
    group.addEventListener("keydown", (event) => {
      const world = ["ArrowLeft", "ArrowRight"].indexOf(event.key);
      if (world < 0) return;
      event.preventDefault();
      if (!event.repeat) this.guess(world);
    });
    this.show();
  }

  value(name) {
    return this.explorer.values[this.places[name]];
  }
  get row() {
    return this.explorer.tables.row(this.table, this.explorer.values);
  }

  // The probabilities of all answers in either world, each counted as often as it is still to come.
  odds({ accused, missed }) {
    const { row } = this;
    return [accused, missed].map((tally, world) => {
      const odds = [...row.subarray((world * row.length) / 2, ((world + 1) * row.length) / 2)];
      const left = this.rounds - tally.split(" of ")[1],
        sum = odds.reduce((a, b) => a + b, 0);
      return odds.map((chance) => (left * chance) / sum);
    });
  }

  deal(state) {
    const at = pick(this.odds(state).reduce((p, q) => p.map((chance, k) => chance + q[k])));
    this.explorer.setAll({ ...state, answer: at < 0 ? this.fresh.answer : this.answers[at + 1] });
  }

  // Nobody guesses about an answer that is not on the screen yet.
  guess(said) {
    const { values, drawn } = this.explorer,
      answer = this.value("answer");
    if (answer === this.fresh.answer || !drawn || drawn.some((value, place) => value !== values[place])) return;
    const tallies = { accused: this.value("accused"), missed: this.value("missed") };
    const truth = pick(this.odds(tallies).map((odds) => odds[this.answers.indexOf(answer) - 1]));
    if (truth < 0) return;
    const name = ["accused", "missed"][truth],
      [wrong, played] = tallies[name].split(" of ");
    tallies[name] = `${+wrong + (said !== truth)} of ${+played + 1}`;
    const outcome = [
      ["cleared", "accused"],
      ["missed", "found"],
    ][truth][said];
    this.deal({ ...tallies, before: answer, outcome });
  }

  // A moved slider is another mechanism: what was guessed says nothing of it.
  end() {
    for (const { name, start } of this.hidden) {
      if (this.value(name) === start) continue;
      this.explorer.values[this.places[name]] = start;
      this.explorer.onmove?.(name, start);
    }
  }

  show() {
    const closed = this.value("answer") === this.fresh.answer;
    const begun = this.hidden.some(({ name, start }) => this.value(name) !== start);
    this.guesses.forEach((button) => button.setAttribute("aria-disabled", String(closed)));
    this.start.textContent = begun ? "New game" : "Start";
  }
}
