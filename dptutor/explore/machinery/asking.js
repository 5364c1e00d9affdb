// Predict, then see. What is asked stays covered until the reader has drawn a curve, chosen, or typed a number; a
// prediction that was made is kept by the browser and cannot be changed.

const BOUNDS = "A share is at least 0% and at most 100%.",
  BINS = 60, // places of a drawn curve
  DRAWS = 1200; // milliseconds in which the truth appears
const digits = (x, most) => String(+x.toPrecision(most)).replace("-", "−"),
  two = (x) => digits(x, 2);

class Asking {
  constructor(explorer, group) {
    Object.assign(this, { explorer, group, ask: explorer.manifest.ask, made: new Map() });
    const find = (name) => group.querySelector(`[data-ask-${name}]`);
    this.hidden = this.ask.hides.map((number) => explorer.parts[number]);
    find("skip").addEventListener("click", () => this.commit(null));
    find("commit")?.addEventListener("click", () => this.pen.left || this.commit(this.pen.heights.map(Math.round)));
    group
      .querySelectorAll("[data-ask-option]")
      .forEach((button) => button.addEventListener("click", () => this.commit(button.textContent)));
    find("number")?.addEventListener("change", ({ target }) => {
      const percent = this.ask.unit === "%",
        x = numberIn(target.value, percent);
      const wrong = !Number.isFinite(x) ? "A number is asked for." : percent && !(x >= 0 && x <= 1) ? BOUNDS : "";
      target.setCustomValidity(wrong);
      if (wrong) target.reportValidity();
      else this.commit(percent ? 100 * x : x);
    });
    if (this.ask.kind === "draw") this.prepare(find);
    this.refresh();
    // On paper what is asked for is seen, and so it has its names.
    for (const [event, covered] of [
      ["beforeprint", false],
      ["afterprint", true],
    ])
      globalThis.addEventListener(event, () => {
        if (!this.open) return;
        for (const part of this.hidden) part.veiled = covered;
        this.explorer.names.place();
      });
  }

  // A duel may be asked about for each of its pairs.
  get key() {
    return `dptutor:prediction:${this.explorer.manifest.name}:${this.ask.per.map((place) => this.explorer.values[place]).join("|")}`;
  }
  get answer() {
    if (!this.made.has(this.key)) this.made.set(this.key, shelf.get(this.key));
    return this.made.get(this.key);
  }
  get open() {
    return !this.answer;
  }

  drawsOn(svg) {
    return this.open && this.svg === svg;
  }

  // Where the pen is, while it draws in this panel.
  penOn(svg) {
    return this.pen && this.drawsOn(svg) ? this.pen.at : null;
  }

  refresh() {
    if (this.shownFor === this.key) return;
    this.shownFor = this.key;
    this.clear();
    this.cover(this.open);
    if (!this.open) this.reveal(false);
  }

  cover(open) {
    const { root, names } = this.explorer;
    root.classList.toggle("dpe-asking", open);
    this.group.hidden = !open;
    for (const part of this.hidden) {
      for (const element of [part.group.parentElement, part.grip?.element, part.name?.parentElement])
        element?.classList.toggle("dpe-veiled", open);
      part.veiled = open;
    }
    if (open && this.svg) this.explorer.enlargePanel(this.svg);
    else names.place();
  }

  commit(said) {
    const answer = { said, at: new Date().toISOString().slice(0, 10) };
    this.made.set(this.key, answer);
    this.shownFor = this.key;
    if (said !== null) shelf.set(this.key, answer);
    this.cover(false);
    this.reveal(true);
  }

  // A step says what there is to see: it is no longer asked for.
  skip() {
    if (this.open) this.commit(null);
  }

  // The truth draws itself; then the reader's own answer stands beside it, and how far it was off.
  reveal(now) {
    const { said } = this.answer;
    if (said === null) {
      this.clear();
      return;
    }
    if (this.ask.kind !== "draw") {
      this.explorer.tell(
        this.filled(
          typeof said === "number"
            ? { said: digits(said, 4), truth: digits(this.ask.truth, 3) }
            : { said, truth: this.ask.truth },
          said === this.ask.truth,
        ),
      );
      return;
    }
    const path = this.part.path;
    if (now && !calm?.matches) path.animate({ strokeDasharray: ["0 3000", "3000 0"] }, { duration: DRAWS });
    this.pen.heights = [...said];
    this.mine.classList.add("dpe-mine");
    this.pen.show();
    const {
        box: [left, top, width, height],
        x,
        y,
      } = this.panel,
      { xs } = this.pen,
      zero = this.heightOf(0);
    const truth = xs.map((at) => heightAt(this.part.points, at)),
      seen = truth.map((t, k) => (t === null ? 0 : Math.abs(t - said[k])));
    const worst = seen.findIndex((gap) => gap >= Math.max(...seen) - 0.5),
      place = xs[worst];
    const agree = truth.filter(
      (t, k) => t !== null && Math.sign(Math.round(t - zero)) === Math.sign(Math.round(said[k] - zero)),
    ).length;
    const [ours, theirs] = [said[worst], truth[worst]].map((at) => valueAt(y, 1 - (at - top) / height));
    this.gap.setAttribute(
      "d",
      `M${short(place)} ${short(truth[worst])}V${said[worst]}M${short(place - 4)} ${short(truth[worst])}h8M${short(place - 4)} ${said[worst]}h8`,
    );
    this.explorer.tell(
      this.filled({
        gap: two(Math.abs(ours - theirs)),
        at: two(100 * valueAt(x, (place - left) / width)) + "%",
        agree: String(Math.round((100 * agree) / BINS)),
      }),
    );
  }

  filled(values, right) {
    const [first, other] = this.ask.says;
    return (right === false ? (other ?? first) : first).replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
  }

  prepare(find) {
    const { explorer } = this,
      part = explorer.parts[this.ask.part],
      svg = explorer.root.querySelectorAll("svg.dpe-panel")[part.panel];
    const panel = explorer.manifest.panels[part.panel];
    const make = (kind, name) => {
      const element = document.createElementNS(SVG, kind);
      element.setAttribute("class", name);
      svg.append(element);
      return element;
    };
    Object.assign(this, { part, svg, panel, count: find("count"), button: find("commit"), area: panel.box });
    this.mine = make("path", "dpe-drawn");
    this.gap = make("path", "dpe-gap");
    const ring = make("g", "dpe-grip dpe-pen");
    ring.innerHTML = `<circle class="dpe-target" r="20"/><circle class="dpe-ring" r="7"/>`;
    // Nothing is known at the left end: a line that starts further right starts at zero.
    this.pen = new Pen(svg, panel.box, BINS, {
      path: this.mine,
      ring,
      open: () => this.open,
      before: () => this.heightOf(0),
      changed: () => this.counted(),
    });
    find("again").addEventListener("click", () => this.clear());
    this.typed = [...this.group.querySelectorAll("[data-ask-value]")];
    this.typed.forEach((input) => input.addEventListener("change", () => this.type()));
    this.clear();
  }

  heightOf(value) {
    const [, top, , height] = this.area;
    return top + height * (1 - shareOf(this.panel.y, value));
  }

  type() {
    const given = this.typed
      .map((input) => [input.dataset.askValue, numberIn(input.value)])
      .filter(([, y]) => Number.isFinite(y));
    if (given.length < this.typed.length) return;
    const [left, , width] = this.area;
    this.pen.through(given.map(([share, y]) => [left + share * width, this.heightOf(y)]));
  }

  counted() {
    if (!this.pen) return;
    this.count.textContent = this.pen.toGo;
    this.button.setAttribute("aria-disabled", String(this.pen.left > 0));
    if (this.open) this.explorer.names.place();
  }

  clear() {
    if (this.ask.kind !== "draw") return;
    this.mine.setAttribute("class", "dpe-drawn");
    this.gap.setAttribute("d", "");
    this.typed.forEach((input) => {
      input.value = "";
    });
    this.pen.clear();
  }
}
