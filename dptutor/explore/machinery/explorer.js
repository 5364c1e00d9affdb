// Moves an explorer: sliders in, pictures, numbers and words out. One script for frozen pages, whose tables lie in
// the page, and for notebooks, whose tables the kernel fills. Rows of tables are described in tables.py.

const MISSING = 65535, INFINITE = 2 ** 31 - 1, MINUS_INFINITE = -(2 ** 31), UNDEFINED = MINUS_INFINITE + 1;
const WAITING = "Waiting for the kernel…", SILENT = "The kernel does not answer: if it was restarted, run the cell again.";
const PATIENCE = 800, LOST = 10_000; // milliseconds
const KEPT = 4096; // rows of a table that a view keeps
const short = (x) => Math.round(x * 100) / 100;
const nearest = (values, x) => values.reduce((best, v) => (Math.abs(v - x) < Math.abs(best - x) ? v : best));

// Where rows come from. `row(t, explorer)` gives table t's row at the setting on the sliders, or nothing yet.

// Tables that a site keeps beside its pages come as scripts, as a page opened from a disk may load nothing else: a script
// puts them, by the name of its file, into `dptutorTables`.
const sent = new Map();
const tablesAt = (address) => {
  if (!sent.has(address)) sent.set(address, new Promise((done, failed) => {
    const script = document.createElement("script");
    script.src = address;
    script.onload = () => done(globalThis.dptutorTables.get(address.replace(/^.*\/|\.js$/g, "")));
    script.onerror = () => { sent.delete(address); failed(new Error(address)); };
    document.head.append(script);
  }));
  return sent.get(address);
};

class FrozenTables {
  constructor(manifest, text, address) { Object.assign(this, { tables: manifest.tables, parameters: manifest.parameters, text, address }); }

  // Unpacked once, when the explorer comes near the screen.
  load() { return (this.loading ??= this.unpack()); }

  async unpack() {
    const binary = atob(this.text ?? await tablesAt(this.address)), packed = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i++) packed[i] = binary.charCodeAt(i);
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    let start = 0;
    this.data = this.tables.map((table) => {
      const { rows, width, still, along, down, place } = table;
      const moving = still ? [...still.keys()].filter((c) => still[c] === null) : [...Array(width).keys()];
      const n = moving.length, size = n * rows, cells = new Uint16Array(size);
      for (let i = 0; i < size; i++) cells[i] = (bytes[start + i] << 8) | bytes[start + size + i];
      start += 2 * size;
      for (let k = 0; k < along; k++) for (let c = place; c < n; c++) for (let r = 0; r < rows; r++)
        cells[c * rows + r] += cells[(c - place) * rows + r];
      for (let k = 0; k < down; k++) for (let c = 0; c < n; c++) for (let r = 1; r < rows; r++)
        cells[c * rows + r] += cells[c * rows + r - 1];
      const whole = new Uint16Array(rows * width);
      for (let r = 0; r < rows; r++) {
        if (still) for (let c = 0; c < width; c++) whole[r * width + c] = still[c] ?? 0;
        for (let k = 0; k < n; k++) whole[r * width + moving[k]] = cells[k * rows + r];
      }
      return whole;
    });
  }

  row(t, values) {
    if (!this.data) return undefined;
    const { dims, width } = this.tables[t];
    let r = 0;
    for (const d of dims) r = r * this.parameters[d].values.length + this.parameters[d].values.indexOf(values[d]);
    return this.data[t].subarray(r * width, (r + 1) * width);
  }

  string(t, number) { return this.tables[t].strings[number]; }
  moved() {}
}

class LiveTables {
  constructor(manifest, model) {
    this.tables = manifest.tables; this.parameters = manifest.parameters; this.model = model;
    this.rows = this.tables.map(() => new Map());
    this.lines = new Set();
    this.view = crypto.randomUUID?.() ?? String(Math.random()); // several views hear each other's answers
    this.asked = 0; this.timers = []; this.open = null; this.next = null; this.filling = null; this.heard = false; this.wait = LOST;
    this.receive = (message, buffers) => this.answered(message, buffers);
    model.on("msg:custom", this.receive);
  }

  load() { return Promise.resolve(); }
  key(t, values) { return JSON.stringify(this.tables[t].dims.map((d) => values[d])); }
  row(t, values) { return this.rows[t].get(this.key(t, values)); }
  string(t, number) { return this.tables[t].strings[number]; }

  line(values, place) { return place === null ? null : JSON.stringify([place, values.filter((_, d) => d !== place)]); }

  // The reader moves parameter `place`, or is about to. One question is open at a time; of those that would have to
  // wait only the last is kept.
  moved(values, place) {
    const line = this.line(values, place);
    const missing = this.tables.some((_, t) => !this.row(t, values));
    if (!missing && (line === null || this.lines.has(line) || this.filling === line)) return;
    this.next = { values: [...values], along: place === null ? null : this.parameters[place].name, line };
    if (!this.open) this.ask();
  }

  // With nothing else to do, the lines of the other sliders are filled too.
  rest() {
    if (this.open || this.next) return;
    const { values } = this.explorer;
    const place = this.parameters.findIndex((p, d) => !p.hidden && !this.lines.has(this.line(values, d)));
    if (place >= 0) this.moved(values, place);
  }

  ask() {
    const question = this.next;
    this.next = null;
    if (!question) return;
    this.open = `${this.view} ${++this.asked}`;
    this.filling = question.line;
    const setting = Object.fromEntries(this.parameters.map((p, d) => [p.name, question.values[d]]));
    const { along, line } = question;
    try {
      this.model.send({ kind: "want", id: this.open, first: !this.heard, setting, along, line });
    } catch {
      this.open = null;
      this.explorer.say(SILENT);
      return;
    }
    this.timers = [setTimeout(() => this.lost(question), this.wait)];
    if (this.wait === LOST) this.timers.push(setTimeout(() => this.explorer.say(WAITING), PATIENCE));
  }

  // A question or its answer may be lost, as when a view opens before the kernel listens: it is asked again, after
  // ever longer waits, until there is an answer.
  lost(question) {
    this.explorer.say(SILENT);
    this.wait = Math.min(2 * this.wait, 16 * LOST);
    this.next ??= question;
    this.ask();
  }

  answered(message, buffers) {
    if (message.id?.startsWith(this.view)) { this.heard = true; this.wait = LOST; }
    const awaited = this.open !== null && message.id === this.open;
    if (awaited) { this.calm(); this.open = null; }
    if (message.kind === "error") {
      this.explorer.say(message.text);
      if (awaited) this.filling = null;
    }
    if (message.kind === "rows") {
      const view = buffers[0];
      const cells = new Uint16Array(view.buffer ? view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength) : view);
      let start = 0;
      for (const [t, values, width, words] of message.rows) {
        this.keep(this.rows[t], JSON.stringify(values), cells.slice(start, start + width));
        if (words) (this.tables[t].strings ??= [])[words[0]] = words[1];
        start += width;
      }
      if (message.whole) {
        this.lines.add(message.whole);
        if (this.filling === message.whole) this.filling = null;
      }
      this.explorer.draw();
    }
    if (awaited) this.ask();
    // A moment later, so that a drag goes first.
    clearTimeout(this.resting);
    if (!this.filling) this.resting = setTimeout(() => this.rest(), 50);
  }

  // The oldest rows make room for new ones; what was whole then no longer is.
  keep(rows, key, row) {
    rows.delete(key);
    rows.set(key, row);
    if (rows.size <= KEPT) return;
    rows.delete(rows.keys().next().value);
    this.lines.clear();
  }

  close() {
    this.model.off("msg:custom", this.receive);
    this.calm();
    clearTimeout(this.resting);
  }

  calm() { this.timers.forEach((timer) => clearTimeout(timer)); this.timers = []; }
}

class Explorer {
  constructor(root, manifest, tables) {
    Object.assign(this, { root, manifest, tables, memory: new Map() });
    tables.explorer = this;
    this.values = manifest.parameters.map((p) => p.value);
    const find = (selector) => root.querySelector(selector);
    this.parts = manifest.parts.map((part, number) => {
      const group = find(`[data-part="${number}"] > g`);
      return { ...part, group, path: group.querySelector(":scope > path"), uses: [...group.querySelectorAll("use")], text: group.querySelector("text") };
    });
    const ends = {}; // numbers lie side by side in their table's row
    this.readouts = manifest.readouts.map((r) => {
      const at = ends[r.table] ?? 0;
      ends[r.table] = at + (r.power ? 3 : 2);
      return { ...r, at, cell: find(`[data-readout="${r.name}"]`) };
    });
    this.inputs = manifest.parameters.map((p) => [...root.querySelectorAll(`[data-parameter="${p.name}"]`)]);
    this.typed = manifest.parameters.map((p) => find(`[data-typed="${p.name}"]`));
    this.words = find(".dpe-words");
    this.spoken = find(".dpe-spoken");
    this.status = find(".dpe-status");
    if (manifest.game) this.game = new Game(this, find(".dpe-game"));
    this.listen();
    root.querySelectorAll(".dpe-controls").forEach((controls) => { controls.hidden = false; });
    root.explorer = this;
  }

  listen() {
    const { parameters, presets } = this.manifest;
    this.inputs.forEach((inputs, place) => inputs.forEach((input) => {
      input.addEventListener("input", () => this.set(place, parameters[place].values[+input.value]));
      for (const kind of ["pointerenter", "focus"]) input.addEventListener(kind, () => this.tables.moved(this.values, place));
    }));
    this.typed.forEach((input, place) => {
      if (!input) return;
      const { values } = parameters[place];
      input.addEventListener("change", () => {
        const x = parseFloat(input.value);
        this.set(place, Number.isFinite(x) ? nearest(values, x) : this.values[place]);
      });
      input.addEventListener("keydown", (event) => {
        const step = { ArrowUp: 1, ArrowDown: -1 }[event.key];
        if (!step) return;
        event.preventDefault();
        const at = values.indexOf(nearest(values, this.values[place])) + step;
        this.set(place, values[Math.max(0, Math.min(values.length - 1, at))]);
      });
    });
    this.root.querySelectorAll("[data-preset]").forEach((button) => button.addEventListener("click", () => {
      this.setAll(presets[+button.dataset.preset]);
      const story = this.root.querySelector(".dpe-story");
      story.textContent = button.title;
      story.hidden = false;
    }));
    const tools = {
      reset: () => {
        this.setAll(Object.fromEntries(parameters.map((p) => [p.name, p.start])));
        this.root.querySelector(".dpe-story").hidden = true;
      },
      pin: (button) => this.pin(button),
      code: (button) => {
        const code = this.root.querySelector(".dpe-code");
        code.hidden = !code.hidden;
        button.setAttribute("aria-expanded", String(!code.hidden));
      },
      large: () => this.enlarge(!this.root.classList.contains("dpe-large")),
      link: () => this.copyLink(),
      svg: () => this.save(new Blob([this.picture()], { type: "image/svg+xml" }), "svg"),
      png: () => this.savePng(),
    };
    this.root.addEventListener("fullscreenchange", () => { if (!document.fullscreenElement) this.enlarge(false); });
    this.root.addEventListener("keydown", (event) => { if (event.key === "Escape") this.enlarge(false); });
    for (const [name, act] of Object.entries(tools))
      this.root.querySelector(`[data-tool="${name}"]`).addEventListener("click", (event) => act(event.currentTarget));
  }

  // An address carries a setting: page.html#name?sigma=0.7&scale=1

  address() {
    const setting = this.manifest.parameters.map((p, place) => [p.name, this.values[place]]);
    return `#${this.manifest.name}?${new URLSearchParams(setting)}`;
  }

  copyLink() {
    history.replaceState(null, "", this.address());
    const told = (where) => this.say(`The link to this setting is ${where}.`);
    if (!navigator.clipboard) { told("in the address bar"); return; }
    navigator.clipboard.writeText(location.href).then(() => told("copied, and in the address bar"), () => told("in the address bar"));
  }

  // To the setting in the address, if it is this explorer's; what the address does not name or misnames stays.
  arrive() {
    const [name, query] = location.hash.slice(1).split("?");
    if (name !== this.manifest.name || !query) return;
    const asked = new URLSearchParams(query), setting = {};
    for (const { name, values } of this.manifest.parameters) {
      const text = asked.get(name), number = parseFloat(text);
      if (values.includes(text)) setting[name] = text;
      else if (typeof values[0] === "number" && Number.isFinite(number)) setting[name] = nearest(values, number);
    }
    this.setAll(setting);
    this.root.scrollIntoView();
  }

  // For a lecture hall: the explorer alone on the screen, large letters, thick lines.
  enlarge(large) {
    this.root.classList.toggle("dpe-large", large);
    this.root.querySelector('[data-tool="large"]').setAttribute("aria-pressed", String(large));
    if (large) this.root.requestFullscreen?.().catch(() => {});
    else if (document.fullscreenElement === this.root) document.exitFullscreen();
  }

  // Moving. The controls follow at once, the picture with the next frame that has all its rows.

  set(place, value) {
    const changed = this.values[place] !== value;
    this.values[place] = value;
    this.showControl(place);
    if (!changed) return;
    this.moved = true;
    this.game?.end();
    this.tables.moved(this.values, place);
    this.onmove?.(this.manifest.parameters[place].name, value);
    this.drawSoon();
  }

  setAll(setting) {
    this.moved = true;
    this.manifest.parameters.forEach((p, place) => {
      if (!(p.name in setting) || this.values[place] === setting[p.name]) return;
      this.values[place] = setting[p.name];
      this.showControl(place);
      this.onmove?.(p.name, setting[p.name]);
    });
    this.tables.moved(this.values, null);
    this.drawSoon();
  }

  showControl(place) {
    const parameter = this.manifest.parameters[place], value = this.values[place];
    const { values } = parameter;
    let at = values.indexOf(value);
    if (at < 0) at = values.reduce((best, v, i) => (Math.abs(v - value) < Math.abs(values[best] - value) ? i : best), 0);
    for (const input of this.inputs[place]) {
      if (input.type === "radio") input.checked = +input.value === at;
      else { input.value = at; input.setAttribute("aria-valuetext", this.shownParameter(place)); }
    }
    if (this.typed[place]) this.typed[place].value = value;
  }

  shownParameter(place) {
    const { values, shown, percent, unit } = this.manifest.parameters[place], value = this.values[place];
    const at = values.indexOf(value);
    if (at >= 0) return shown[at];
    // Set by a program, between two steps.
    return +(percent ? 100 * value : value).toPrecision(6) + (percent ? " %" : unit && ` ${unit}`);
  }

  // Drawing: only what changed.

  drawSoon() { this.frame ??= requestAnimationFrame(() => { this.frame = null; this.draw(); }); }

  draw() {
    const rows = this.manifest.tables.map((_, t) => this.tables.row(t, this.values));
    if (rows.some((row) => !row)) return false;
    const changed = (name, row) => this.memory.get(name) !== row.key && (this.memory.set(name, row.key), true);
    const keyed = this.manifest.tables.map((table) => table.dims.map((d) => this.values[d]).join("|"));
    const shown = {};
    this.manifest.parameters.forEach((p, place) => { shown[p.name] = this.shownParameter(place); });
    for (const readout of this.readouts) {
      const { name, cell } = readout;
      shown[name] = this.number(readout, rows[readout.table].subarray(readout.at));
      if (cell.textContent !== shown[name]) cell.textContent = shown[name];
    }
    const filled = (template) => template.replace(/\{(\w+)\}/g, (whole, name) => shown[name] ?? whole);
    this.parts.forEach((part, number) => {
      const key = [...part.pieces, part.shift].filter((t) => t !== null).map((t) => keyed[t]).join(";");
      if (part.kind === "text") {
        const [place, words] = part.pieces;
        if (changed(number, { key })) this.placeText(part, this.points([place], null, rows)[0]);
        part.text.textContent = filled(this.tables.string(words, rows[words][0]));
      } else if (changed(number, { key })) this.drawPath(part, this.points(part.pieces, part.shift, rows));
    });
    const sentence = filled(this.manifest.words.map((t) => this.tables.string(t, rows[t][0])).filter(Boolean).join(" "));
    if (this.words.textContent !== sentence) this.words.textContent = sentence;
    this.root.querySelector(".dpe-code code").textContent = this.code();
    this.say("");
    this.speakLater();
    this.drawn = [...this.values];
    this.game?.show();
    return true;
  }

  points(pieces, shift, rows) {
    let dx = 0, dy = 0;
    if (shift !== null) {
      const [x, y] = rows[shift], { origin, scale } = this.manifest.tables[shift];
      dx = x === MISSING ? NaN : origin[0] + x * scale[0];
      dy = y === MISSING ? NaN : origin[1] + y * scale[1];
    }
    const points = [];
    for (const t of pieces) {
      const row = rows[t], { origin, scale } = this.manifest.tables[t];
      for (let i = 0; i < row.length; i += 2)
        points.push(row[i] === MISSING ? null : [origin[0] + row[i] * scale[0] + dx, origin[1] + row[i + 1] * scale[1] + dy]);
    }
    return dx !== dx || dy !== dy ? points.map(() => null) : points;
  }

  drawPath(part, points) {
    if (part.path) {
      let data = "", down = false;
      for (const point of points) {
        if (point) data += (down ? "L" : "M") + short(point[0]) + " " + short(point[1]);
        down = point !== null;
      }
      part.path.setAttribute("d", part.kind === "region" && data ? data + "Z" : data);
    }
    part.uses.forEach((use, i) => {
      const point = points[i];
      if (!point) { use.setAttribute("display", "none"); return; }
      use.removeAttribute("display");
      use.setAttribute("x", short(point[0]));
      use.setAttribute("y", short(point[1]));
    });
  }

  placeText(part, point) {
    if (!point) { part.text.setAttribute("display", "none"); return; }
    part.text.removeAttribute("display");
    part.text.setAttribute("x", short(point[0] + part.offset[0]));
    part.text.setAttribute("y", short(point[1] - part.offset[1]));
  }

  number({ power, digits, unit }, row) {
    const whole = (row[0] << 16) | row[1];
    if (whole === INFINITE) return "∞";
    if (whole === MINUS_INFINITE) return "−∞";
    if (whole === UNDEFINED) return "none";
    const sign = whole < 0 ? "−" : "", text = String(Math.abs(whole));
    const pointed = (t, cut) => sign + t.slice(0, cut) + (cut < t.length ? "." + t.slice(cut) : "");
    if (!power) {
      const padded = text.padStart(digits + 1, "0");
      return pointed(padded, padded.length - digits) + (unit && " " + unit);
    }
    if (whole === 0) return "0";
    const exponent = row[2] - 1000;
    if (exponent >= -4 && exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${text}`;
    if (exponent >= 0 && exponent <= digits) return pointed(text, exponent + 1);
    const raised = [...String(exponent)].map((c) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(c)]).join("");
    return `${pointed(text, 1)}·10${raised}`;
  }

  code() {
    return this.manifest.parameters.reduce((code, p, place) => {
      const at = p.values.indexOf(this.values[place]);
      return code.replaceAll(`{${p.name}}`, at < 0 ? String(this.values[place]) : p.code[at]);
    }, this.manifest.code);
  }

  // A screen reader hears where a drag ended, not every step of it, and nothing of what stands there unmoved.
  speakLater() {
    clearTimeout(this.speaking);
    if (this.moved) this.speaking = setTimeout(() => { this.spoken.textContent = this.words.textContent; }, 700);
  }

  say(text) {
    if (this.status.textContent === text) return;
    this.status.textContent = text;
    this.status.hidden = !text;
  }

  // Tools.

  pin(button) {
    const pinned = this.root.querySelectorAll(".dpe-ghost");
    pinned.forEach((ghost) => ghost.remove());
    button.setAttribute("aria-pressed", String(!pinned.length));
    button.textContent = pinned.length ? "Pin curves" : "Unpin";
    const note = this.root.querySelector(".dpe-pinned");
    note.hidden = pinned.length > 0;
    if (pinned.length) return;
    for (const { ghost, group } of this.parts) {
      if (!ghost) continue;
      const copy = group.cloneNode(true);
      copy.classList.add("dpe-ghost");
      group.before(copy);
    }
    note.textContent = "Pinned, drawn pale: " + this.manifest.parameters.flatMap((p, place) =>
      p.symbol ? [`${p.symbol} = ${this.shownParameter(place)}`] : []).join(", ");
  }

  // The panels side by side as one picture on white, colors written out.
  picture() {
    const panels = [...this.root.querySelectorAll("svg.dpe-panel")];
    const boxes = panels.map((svg) => svg.viewBox.baseVal);
    const width = boxes.reduce((sum, box) => sum + box.width, 0), { height } = boxes[0];
    const inner = panels.map((svg) => svg.innerHTML.replace(/var\(--[\w-]+, (#\w+)\)/g, "$1")).join("");
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${2 * width}" height="${2 * height}" ` +
      `font-family="sans-serif"><rect width="${width}" height="${height}" fill="white"/>${inner}</svg>`;
  }

  save(blob, ending) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = `${this.manifest.name}.${ending}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  savePng() {
    const image = new Image();
    image.onload = () => {
      const canvas = document.createElement("canvas");
      Object.assign(canvas, { width: image.width, height: image.height });
      canvas.getContext("2d").drawImage(image, 0, 0);
      canvas.toBlob((blob) => this.save(blob, "png"));
    };
    image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(this.picture());
  }
}

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

  value(name) { return this.explorer.values[this.places[name]]; }
  get row() { return this.explorer.tables.row(this.table, this.explorer.values); }

  // The probabilities of all answers in either world, each counted as often as it is still to come.
  odds({ accused, missed }) {
    const { row } = this;
    return [accused, missed].map((tally, world) => {
      const odds = [...row.subarray(world * row.length / 2, (world + 1) * row.length / 2)];
      const left = this.rounds - tally.split(" of ")[1], sum = odds.reduce((a, b) => a + b, 0);
      return odds.map((chance) => left * chance / sum);
    });
  }

  deal(state) {
    const at = pick(this.odds(state).reduce((p, q) => p.map((chance, k) => chance + q[k])));
    this.explorer.setAll({ ...state, answer: at < 0 ? this.fresh.answer : this.answers[at + 1] });
  }

  // Nobody guesses about an answer that is not on the screen yet.
  guess(said) {
    const { values, drawn } = this.explorer, answer = this.value("answer");
    if (answer === this.fresh.answer || !drawn || drawn.some((value, place) => value !== values[place])) return;
    const tallies = { accused: this.value("accused"), missed: this.value("missed") };
    const truth = pick(this.odds(tallies).map((odds) => odds[this.answers.indexOf(answer) - 1]));
    if (truth < 0) return;
    const name = ["accused", "missed"][truth], [wrong, played] = tallies[name].split(" of ");
    tallies[name] = `${+wrong + (said !== truth)} of ${+played + 1}`;
    const outcome = [["cleared", "accused"], ["missed", "found"]][truth][said];
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

// In a notebook: anywidget calls `render` for every view of the widget.

function render({ model, el }) {
  const name = model.get("_name"), mine = `dpe-${name}-${Math.random().toString(36).slice(2)}`;
  const body = model.get("_body").replaceAll(`dpe-${name}-live`, mine); // no view shares ids with another
  el.innerHTML = `<figure class="dptutor-explorer" data-explorer="${name}">${body}</figure>`;
  // Keys belong to what has the focus, not to JupyterLab's shortcuts, of which arrows are some.
  el.querySelectorAll("input, button, pre").forEach((e) => e.setAttribute("data-lm-suppress-shortcuts", "true"));
  const manifest = structuredClone(model.get("_manifest"));
  manifest.parameters.forEach((p) => { p.value = model.get(p.name); });
  const tables = new LiveTables(manifest, model);
  const explorer = new Explorer(el.firstElementChild, manifest, tables);
  // Python hears of moves at most ten times a second, and always of the last. Until then they stay out of the model,
  // where the kernel's echo of an earlier move would undo them.
  const moves = new Map();
  const tell = () => {
    for (const [name, value] of moves) model.set(name, value);
    moves.clear();
    model.save_changes();
  };
  explorer.onmove = (name, value) => {
    if (!moves.size && model.get(name) === value) return; // it was the model that moved
    if (!moves.size) setTimeout(tell, 100);
    moves.set(name, value);
  };
  const follow = manifest.parameters.map((p, place) => () => {
    if (!moves.has(p.name) && model.get(p.name) !== explorer.values[place]) explorer.setAll({ [p.name]: model.get(p.name) });
  });
  manifest.parameters.forEach((p, place) => { model.on(`change:${p.name}`, follow[place]); explorer.showControl(place); });
  tables.moved(explorer.values, 0);
  return () => {
    tables.close();
    manifest.parameters.forEach((p, place) => model.off(`change:${p.name}`, follow[place]));
  };
}

// In a page: every frozen explorer is woken when it comes near the screen, or is touched.

function wake(root) {
  if (root.dataset.awake) return;
  root.dataset.awake = "1";
  const manifest = JSON.parse(root.querySelector(".dpe-manifest").textContent);
  const tables = new FrozenTables(manifest, root.querySelector(".dpe-tables")?.textContent, root.dataset.tables);
  const explorer = new Explorer(root, manifest, tables);
  if (document.querySelector(`[data-explorer="${manifest.name}"][data-frozen]`) === root) {
    explorer.arrive();
    addEventListener("hashchange", () => explorer.arrive());
  }
  tables.load().then(() => { root.dataset.ready = "1"; explorer.drawSoon(); }, () => {
    tables.loading = null;
    explorer.say("The numbers of this explorer did not arrive. Reload the page to try again.");
  });
}

// One that the address names moves at once: it is scrolled to.
const asked = globalThis.location?.hash.slice(1).split("?")[0];

for (const root of globalThis.document?.querySelectorAll(".dptutor-explorer[data-frozen]") ?? []) {
  if (root.dataset.explorer === asked) { wake(root); continue; }
  new IntersectionObserver(([entry], observer) => {
    if (entry.isIntersecting) { observer.disconnect(); wake(root); }
  }, { rootMargin: "800px" }).observe(root);
  for (const kind of ["pointerdown", "focusin"]) root.addEventListener(kind, () => wake(root), { once: true });
}
addEventListener?.("hashchange", () => {
  const named = document.querySelector(`.dptutor-explorer[data-frozen][data-explorer="${CSS.escape(location.hash.slice(1).split("?")[0])}"]`);
  if (named) wake(named);
});

export default { render };
