// Predict, then see. What is asked stays covered until the reader has drawn a curve, chosen, or typed a number; a
// prediction that was made is kept by the browser and cannot be changed.

const BINS = 60,
  DRAWS = 1200; // places of a drawn curve, and milliseconds in which the truth appears
const two = (x) => String(+x.toPrecision(2)).replace("-", "−");

// The height of a line at x; its points go from left to right.
const heightAt = (points, x) => {
  for (let i = 1; i < points.length; i++) {
    const [a, b] = [points[i - 1], points[i]];
    if (a && b && a[0] <= x && x <= b[0])
      return b[0] === a[0] ? b[1] : a[1] + ((b[1] - a[1]) * (x - a[0])) / (b[0] - a[0]);
  }
  return null;
};

class Asking {
  constructor(explorer, group) {
    Object.assign(this, { explorer, group, ask: explorer.manifest.ask, made: new Map() });
    const find = (name) => group.querySelector(`[data-ask-${name}]`);
    this.hidden = this.ask.hides.map((number) => explorer.parts[number]);
    find("skip").addEventListener("click", () => this.commit(null));
    find("commit")?.addEventListener("click", () => this.complete() && this.commit(this.heights.map(Math.round)));
    group
      .querySelectorAll("[data-ask-option]")
      .forEach((button) => button.addEventListener("click", () => this.commit(button.textContent)));
    find("number")?.addEventListener("change", (event) => {
      const x = numberIn(event.target.value, this.ask.unit === "%");
      if (Number.isFinite(x)) this.commit(this.ask.unit === "%" ? 100 * x : x);
    });
    if (this.ask.kind === "draw") this.prepare(find);
    this.refresh();
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
    names.place();
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
          { said: typeof said === "number" ? two(said) : said, gap: two(Math.abs(said - this.ask.truth)) },
          said === this.ask.truth,
        ),
      );
      return;
    }
    const path = this.part.path;
    if (now && !calm?.matches) path.animate({ strokeDasharray: ["0 3000", "3000 0"] }, { duration: DRAWS });
    this.heights = said;
    this.mine.classList.add("dpe-mine");
    this.show();
    const {
        box: [left, top, width, height],
        x,
        y,
      } = this.panel,
      zero = this.heightOf(0);
    const truth = this.xs.map((at) => heightAt(this.part.points, at)),
      seen = truth.map((t, k) => (t === null ? 0 : Math.abs(t - said[k])));
    const worst = seen.findIndex((gap) => gap >= Math.max(...seen) - 0.5),
      place = this.xs[worst];
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
        at: two(100 * valueAt(x, (place - left) / width)) + " %",
        agree: String(Math.round((100 * agree) / BINS)),
      }),
    );
  }

  filled(values, right) {
    const [first, other] = this.ask.says;
    return (right === false ? (other ?? first) : first).replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
  }

  // Drawing, from left to right; drawing again replaces a part.

  prepare(find) {
    const { explorer } = this,
      part = explorer.parts[this.ask.part],
      svg = explorer.root.querySelectorAll("svg.dpe-panel")[part.panel];
    const panel = explorer.manifest.panels[part.panel],
      [left, top, width, height] = panel.box;
    Object.assign(this, {
      part,
      svg,
      panel,
      count: find("count"),
      button: find("commit"),
      xs: [...Array(BINS).keys()].map((k) => left + ((k + 0.5) * width) / BINS),
    });
    const make = (kind, name, parent = svg) => {
      const element = document.createElementNS(SVG, kind);
      element.setAttribute("class", name);
      parent.append(element);
      return element;
    };
    this.mine = make("path", "dpe-drawn");
    this.gap = make("path", "dpe-gap");
    this.start = make("g", "dpe-grip dpe-pen");
    this.start.innerHTML = `<circle class="dpe-target" r="20"/><circle class="dpe-ring" r="7"/>`;
    this.area = [left, top, width, height];
    svg.addEventListener("pointerdown", (event) => this.press(event));
    svg.addEventListener("pointermove", (event) => this.pen && this.move(event));
    for (const kind of ["pointerup", "pointercancel", "lostpointercapture"])
      svg.addEventListener(kind, () => {
        this.pen = null;
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

  press(event) {
    if (!this.open || event.button !== 0) return;
    if (event.pointerType === "touch" && !event.target.closest?.(".dpe-pen")) return;
    event.preventDefault();
    this.svg.setPointerCapture(event.pointerId);
    const { at } = this.explorer.handles.place(event, this.svg);
    this.pen = at;
    this.put(at);
  }

  move(event) {
    const { at } = this.explorer.handles.place(event, this.svg);
    this.put(at);
  }

  // Everything between the last place of the pen and this one; what was skipped before it is joined.
  put(at) {
    const [left, top, width, height] = this.area,
      bin = (x) => Math.min(BINS - 1, Math.max(0, Math.floor(((x - left) / width) * BINS)));
    const y = Math.min(top + height, Math.max(top, at[1])),
      [to, from] = [bin(at[0]), bin(this.pen[0])];
    for (let k = Math.min(from, to); k <= Math.max(from, to); k++) {
      const share = from === to ? 1 : (k - from) / (to - from);
      this.heights[k] = this.pen[1] + (y - this.pen[1]) * share;
    }
    const first = this.heights.findIndex((h) => h !== null);
    const zero = this.heightOf(0);
    for (let k = 0; k < first; k++) this.heights[k] = zero + ((this.heights[first] - zero) * k) / first;
    this.pen = [at[0], y];
    this.show();
  }

  type() {
    const given = this.typed
      .map((input) => [input.dataset.askValue * BINS, numberIn(input.value)])
      .filter(([, y]) => Number.isFinite(y));
    if (given.length < this.typed.length) return;
    const points = given.map(([x, y]) => [
      x,
      Math.min(this.area[1] + this.area[3], Math.max(this.area[1], this.heightOf(y))),
    ]);
    this.heights = this.heights.map(
      (_, k) => heightAt(points, k + 0.5) ?? (k < BINS / 2 ? points[0][1] : points.at(-1)[1]),
    );
    this.show();
  }

  complete() {
    return this.heights.every((h) => h !== null);
  }

  clear() {
    if (this.ask.kind !== "draw") return;
    this.heights = Array(BINS).fill(null);
    this.mine.setAttribute("class", "dpe-drawn");
    this.gap.setAttribute("d", "");
    this.typed.forEach((input) => {
      input.value = "";
    });
    this.show();
  }

  show() {
    const { heights, xs, open } = this;
    let data = "",
      last = -1;
    heights.forEach((h, k) => {
      if (h !== null) {
        data += `${last === k - 1 && data ? "L" : "M"}${short(xs[k])} ${short(h)}`;
        last = k;
      }
    });
    this.mine.setAttribute("d", data);
    const left = heights.filter((h) => h === null).length;
    this.start.toggleAttribute("display", false);
    if (!open) this.start.setAttribute("display", "none");
    else
      this.start.setAttribute(
        "transform",
        `translate(${short(last < 0 ? this.area[0] : xs[last])} ${short(last < 0 ? this.heightOf(0) : heights[last])})`,
      );
    this.count.textContent = left ? `${Math.ceil((100 * left) / BINS)} % to go` : "";
    this.button.setAttribute("aria-disabled", String(left > 0));
  }
}
