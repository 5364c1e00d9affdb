// Probability happens: draws from two laws appear anywhere in the regions of these, fall, pile up on either side of a
// threshold, and are counted. Each has the same area, so that the last ones fill the region. Where a draw lies follows
// from its number u and the setting (samples.py).

const DROP = 600,
  REST = 0.35, // milliseconds of one fall, and the share of them before it begins
  SHOWER = 8000; // until all have fallen
const GOLDEN = (Math.sqrt(5) - 1) / 2;
const SPEED = 2.5; // the first fall one by one, the last in hundreds
const OFTEN = 0.45;

// The quantile at u; levels and places rise.
const quantileAt = (levels, places, u) => {
  let [low, high] = [0, levels.length - 1];
  if (u <= levels[low]) return places[low];
  if (u >= levels[high]) return places[high];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (levels[middle] <= u) low = middle;
    else high = middle;
  }
  return places[low] + ((places[high] - places[low]) * (u - levels[low])) / (levels[high] - levels[low]);
};

const areaOf = (points) =>
  Math.abs(
    points.reduce((sum, [x, y], i) => {
      const [a, b] = points[(i + 1) % points.length];
      return sum + x * b - a * y;
    }, 0),
  ) / 2;

// The columns of a pile: draws of a bin on either side of the threshold, each over its own width.
const columnsOf = (places, bin, cut) => {
  const columns = new Map();
  for (const x of places) {
    const k = Math.floor(x / bin),
      over = x > cut,
      key = 2 * k + over;
    if (!columns.has(key)) {
      const [from, to] = [k * bin, (k + 1) * bin];
      const inside = cut > from && cut < to;
      columns.set(key, { from: inside && over ? cut : from, to: inside && !over ? cut : to, over, count: 0 });
    }
    columns.get(key).count++;
  }
  return columns;
};

class Samples {
  constructor(explorer, group) {
    const { parameters, samples } = explorer.manifest;
    Object.assign(this, { explorer, group, ...samples, random: Math.random, draws: [[], []], landed: 0 });
    this.place = parameters.findIndex((p) => p.name === samples.cut);
    this.button = group.querySelector("[data-samples=play]");
    this.wipe = group.querySelector("[data-samples=clear]");
    this.button.addEventListener("click", () => (this.running ? this.stop() : this.play()));
    this.wipe.addEventListener("click", () => this.clear());
    const layer = (parent, before) => {
      const g = document.createElementNS(SVG, "g");
      g.setAttribute("class", "dpe-rain");
      parent.insertBefore(g, before);
      return (style) => {
        const path = document.createElementNS(SVG, "path");
        path.style.cssText = style;
        g.append(path);
        return path;
      };
    };
    const tones = ["var(--dpe-blue, #0072b2)", "var(--dpe-vermillion, #d55e00)"];
    const first = explorer.parts[this.hides[0] ?? this.fills[0]].group.parentElement;
    const make = layer(first.parentElement, first);
    this.piles = tones.map((tone) => [0.26, 1].map((opacity) => make(`fill:${tone};opacity:${opacity}`)));
    this.drops = tones.map((tone) => make(`fill:none;stroke:${tone};stroke-width:5px;stroke-linecap:round`));
    if (this.shares !== null) {
      const svg = explorer.root.querySelectorAll("svg.dpe-panel")[this.shares];
      const bar = layer(svg, svg.querySelector(".dpe-name, .dpe-grip"));
      this.bars = tones.map((tone) => bar(`fill:none;stroke:${tone};stroke-width:6px;opacity:${OFTEN}`));
      this.mark = bar("fill:none;stroke:var(--dpe-ink, #222222);stroke-width:2px");
    }
    this.show();
  }

  get on() {
    return this.draws[0].length > 0;
  }
  get cutAt() {
    return this.explorer.values[this.place];
  }

  // The places of all draws at this setting; nothing while a row is on its way.
  spread() {
    const { low, step, dims } = this.explorer.manifest.tables[this.table];
    const row = this.explorer.tables.row(this.table, this.explorer.values),
      setting = dims.map((d) => this.explorer.values[d]).join("|");
    if (!row || this.spreadAt === setting) return;
    this.spreadAt = setting;
    const places = [...row].map((cell) => low + step * cell),
      half = places.length / 2;
    this.laws = [places.slice(0, half), places.slice(half)];
    this.places = this.draws.map((draws, law) => draws.map((u) => quantileAt(this.levels, this.laws[law], u)));
    const { explorer } = this;
    this.regions = this.fills.map((fill) => explorer.pointsOf(explorer.parts[fill], explorer.values).filter(Boolean));
    this.areas = this.regions.map(areaOf);
  }

  draw(count) {
    while (this.draws[0].length < count)
      this.draws.forEach((draws, law) => {
        const u = this.random();
        draws.push(u);
        this.places[law].push(quantileAt(this.levels, this.laws[law], u));
      });
  }

  play() {
    this.explorer.tables.load().then(() => {
      if (this.landed >= this.total) this.clear();
      this.spread();
      if (!this.laws) return;
      this.explorer.pause();
      if (calm?.matches) {
        this.draw(this.total);
        this.stop();
        return;
      }
      this.running = true;
      this.start = performance.now() - SHOWER * (this.landed / this.total) ** (1 / SPEED);
      this.show();
      this.step();
    });
  }

  // So many have begun to fall by a time.
  fallen(time) {
    return Math.min(this.total, Math.floor(this.total * Math.max(0, time / SHOWER) ** SPEED));
  }

  step() {
    if (!this.running) return;
    const now = performance.now() - this.start;
    // A first drop at once: whoever presses sees that something happens.
    this.draw(Math.max(1, this.fallen(now)));
    this.landed = Math.max(this.landed, Math.min(this.draws[0].length, this.fallen(now - DROP)));
    if (this.landed >= this.total) {
      this.stop();
      return;
    }
    this.refresh();
    this.frame = requestAnimationFrame(() => this.step());
  }

  // What still falls has landed.
  stop() {
    if (!this.running && this.landed === this.draws[0].length) return;
    this.running = false;
    cancelAnimationFrame(this.frame);
    this.landed = this.draws[0].length;
    this.refresh();
    this.show();
    this.explorer.moved = true;
    this.explorer.speakLater();
  }

  clear() {
    if (!this.on) return;
    this.running = false;
    cancelAnimationFrame(this.frame);
    Object.assign(this, { draws: [[], []], places: [[], []], landed: 0 });
    for (const path of [...this.piles.flat(), ...this.drops, ...(this.bars ?? []), this.mark])
      path?.setAttribute("d", "");
    this.show();
    this.explorer.sentence = null;
    this.explorer.drawSoon();
  }

  show() {
    const { explorer, on } = this;
    for (const part of this.hides.map((number) => explorer.parts[number])) {
      part.group.parentElement.classList.toggle("dpe-veiled", on || Boolean(this.running));
      part.veiled = on || Boolean(this.running);
    }
    explorer.root.classList.toggle("dpe-raining", Boolean(this.running));
    this.button.textContent = this.running
      ? "❚❚ Pause"
      : this.landed >= this.total
        ? "↻ Again"
        : on
          ? "▶ Go on"
          : "▶ Samples";
    // It keeps its place, so that no slider moves under the pointer.
    this.wipe.style.visibility = on && !this.running ? "" : "hidden";
    if (explorer.samples) explorer.names.place();
  }

  // With every frame of the rain, and whenever the setting is another.
  refresh() {
    if (!this.on && !this.running) return;
    this.spread();
    const seen = this.places.map((places) => places.slice(0, this.landed));
    const counts = seen.map((places, law) => places.filter((x) => x > this.cutAt === (law === 0)).length);
    this.pile(seen);
    const shares = counts.map((count) => (this.landed ? count / this.landed : 0));
    this.share(shares);
    const percent = shares.map((share) => `${(100 * share).toFixed(1)}%`);
    const told = { n: this.landed, over: counts[0], under: counts[1], over_share: percent[0], under_share: percent[1] };
    const shown = { ...this.explorer.shown, ...told };
    for (const [number, template] of Object.entries(this.tells))
      this.explorer.write(
        this.explorer.parts[number],
        template.replace(/\{(\w+)\}/g, (whole, name) => shown[name] ?? whole),
      );
    this.explorer.sentence = null;
    this.explorer.words.innerHTML = this.explorer.colored(
      this.says,
      Object.fromEntries(Object.entries(shown).map(([name, value]) => [name, String(value)])),
    );
  }

  pile(seen) {
    const { box, x } = this.explorer.manifest.panels[this.panel],
      [left, top, width, height] = box;
    const across = (value) => left + shareOf(x, value) * width;
    const now = performance.now() - this.start;
    seen.forEach((places, law) => {
      const way = law ? 1 : -1,
        base = this.bases[law],
        data = ["", ""],
        high = new Map();
      const columns = columnsOf(places, this.bin, this.cutAt);
      for (const [key, { from, to, over, count }] of columns) {
        const [a, b] = [across(from), across(to)];
        if (b - a < 1e-6 || a < left - 0.01 || b > left + width + 0.01) continue;
        const room = law ? top + height - base : base - top;
        const tall = Math.min(room, (count * this.areas[law]) / ((b - a) * this.total));
        high.set(key, tall);
        // An error is full: over the threshold of those from P, under it of those from Q.
        data[+(over === (law === 0))] +=
          `M${short(a)} ${short(base)}V${short(base + way * tall)}H${short(b)}V${short(base)}Z`;
      }
      data.forEach((d, error) => this.piles[law][error].setAttribute("d", d));
      let falling = "";
      if (this.running)
        for (let i = this.landed; i < this.places[law].length; i++) {
          const value = this.places[law][i],
            share = Math.min(1, Math.max(0, ((now - this.fellAt(i)) / DROP - REST) / (1 - REST)));
          const key = 2 * Math.floor(value / this.bin) + (value > this.cutAt);
          const at = across(value),
            to = base + way * (high.get(key) ?? 0),
            rim = heightAt(this.regions[law], at);
          if (rim === null || (rim - to) * way < 0) continue;
          const from = to + (rim - to) * ((i * GOLDEN) % 1);
          falling += `M${short(at)} ${short(from + (to - from) * share ** 2)}h0`;
        }
      this.drops[law].setAttribute("d", falling);
    });
  }

  // When the draw of a number began to fall.
  fellAt(i) {
    return i ? SHOWER * ((i + 1) / this.total) ** (1 / SPEED) : 0;
  }

  // The two shares as bars along the axes of the other panel, and the point they make.
  share(shares) {
    if (this.shares === null) return;
    const [left, top, width, height] = this.explorer.manifest.panels[this.shares].box;
    const at = [left + width * shares[0], top + height * (1 - shares[1])],
      zero = [left, top + height];
    this.bars[0].setAttribute("d", `M${short(zero[0])} ${short(zero[1] - 3)}H${short(at[0])}`);
    this.bars[1].setAttribute("d", `M${short(zero[0] + 3)} ${short(zero[1])}V${short(at[1])}`);
    this.mark.setAttribute("d", `M${short(at[0] - 5)} ${short(at[1] - 5)}l10 10m-10 0l10 -10`);
  }
}
