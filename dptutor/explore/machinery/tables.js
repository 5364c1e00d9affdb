// Moves an explorer: sliders in, pictures, numbers and words out. One script for frozen pages, whose tables lie in
// the page, and for notebooks, whose tables the kernel fills. Rows of tables are described in tables.py.

const MISSING = 65535,
  INFINITE = 2 ** 31 - 1,
  MINUS_INFINITE = -(2 ** 31),
  UNDEFINED = MINUS_INFINITE + 1;
const WAITING = "Waiting for the kernel…",
  BUSY = "The kernel is busy. The picture follows when it is done.",
  SILENT = "The kernel has not answered yet. It may be busy; if it was restarted, run the cell again.";
const PATIENCE = 500,
  LOST = 10_000; // milliseconds
const KEPT = 4096; // rows of a table that a view keeps
const short = (x) => Math.round(x * 100) / 100;
const nearest = (values, x) => values.reduce((best, v) => (Math.abs(v - x) < Math.abs(best - x) ? v : best));

// Where rows come from. `row(t, explorer)` gives table t's row at the setting on the sliders, or nothing yet.

// Tables that a site keeps beside its pages come as scripts, as a page opened from a disk may load nothing else: a script
// puts them, by the name of its file, into `dptutorTables`.
const sent = new Map();
const tablesAt = (address) => {
  if (!sent.has(address))
    sent.set(
      address,
      new Promise((done, failed) => {
        const script = document.createElement("script");
        script.src = address;
        script.onload = () => done(globalThis.dptutorTables.get(address.replace(/^.*\/|\.js$/g, "")));
        script.onerror = () => {
          sent.delete(address);
          failed(new Error(address));
        };
        document.head.append(script);
      }),
    );
  return sent.get(address);
};

class FrozenTables {
  constructor(manifest, text, address) {
    Object.assign(this, { tables: manifest.tables, parameters: manifest.parameters, text, address });
  }

  // Unpacked once, when the explorer comes near the screen.
  load() {
    return (this.loading ??= this.unpack());
  }

  async unpack() {
    const binary = atob(this.text ?? (await tablesAt(this.address))),
      packed = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i++) packed[i] = binary.charCodeAt(i);
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    const data = [];
    let start = 0,
      since = performance.now();
    for (const table of this.tables) {
      // A phone takes its time for them: the page lives on between two.
      if (performance.now() - since > 16) {
        await new Promise((done) => setTimeout(done));
        since = performance.now();
      }
      const { rows, width, still, along, down, place } = table;
      const moving = still ? [...still.keys()].filter((c) => still[c] === null) : [...Array(width).keys()];
      const n = moving.length,
        size = n * rows,
        cells = new Uint16Array(size);
      for (let i = 0; i < size; i++) cells[i] = (bytes[start + i] << 8) | bytes[start + size + i];
      start += 2 * size;
      for (let k = 0; k < along; k++)
        for (let c = place; c < n; c++)
          for (let r = 0; r < rows; r++) cells[c * rows + r] += cells[(c - place) * rows + r];
      for (let k = 0; k < down; k++)
        for (let c = 0; c < n; c++) for (let r = 1; r < rows; r++) cells[c * rows + r] += cells[c * rows + r - 1];
      const whole = new Uint16Array(rows * width);
      for (let r = 0; r < rows; r++) {
        if (still) for (let c = 0; c < width; c++) whole[r * width + c] = still[c] ?? 0;
        for (let k = 0; k < n; k++) whole[r * width + moving[k]] = cells[k * rows + r];
      }
      data.push(whole);
    }
    this.data = data;
  }

  row(t, values) {
    if (!this.data) return undefined;
    const { dims, width } = this.tables[t];
    let r = 0;
    for (const d of dims) r = r * this.parameters[d].values.length + this.parameters[d].values.indexOf(values[d]);
    return this.data[t].subarray(r * width, (r + 1) * width);
  }

  string(t, number) {
    return this.tables[t].strings[number];
  }
  moved() {}
}

class LiveTables {
  exact = true; // any setting can be asked for, not only stops

  constructor(manifest, model) {
    this.tables = manifest.tables;
    this.parameters = manifest.parameters;
    this.model = model;
    this.rows = this.tables.map(() => new Map());
    this.lines = new Set();
    this.view = crypto.randomUUID?.() ?? String(Math.random()); // several views hear each other's answers
    this.asked = 0;
    this.open = null;
    this.next = null;
    this.filling = null;
    this.heard = false;
    this.wait = LOST;
    this.receive = (message, buffers) => this.answered(message, buffers);
    model.on("msg:custom", this.receive);
  }

  load() {
    return Promise.resolve();
  }
  key(t, values) {
    return JSON.stringify(this.tables[t].dims.map((d) => values[d]));
  }
  row(t, values) {
    return this.rows[t].get(this.key(t, values));
  }
  string(t, number) {
    return this.tables[t].strings[number];
  }

  line(values, place) {
    return place === null ? null : JSON.stringify([place, values.filter((_, d) => d !== place)]);
  }

  missing(values) {
    return this.tables.some((_, t) => !this.row(t, values));
  }

  // The reader moves parameter `place`, or is about to. One question is open at a time; of those that would have to
  // wait only the last is kept.
  moved(values, place) {
    const line = this.line(values, place);
    if (!this.missing(values) && (line === null || this.lines.has(line) || this.filling === line)) return;
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
    this.calm();
    if (!question) return;
    this.open = `${this.view} ${++this.asked}`;
    this.filling = question.line;
    const setting = Object.fromEntries(this.parameters.map((p, d) => [p.name, question.values[d]]));
    const { along, line } = question;
    try {
      this.model.send({ kind: "want", id: this.open, first: !this.heard, setting, along, line });
    } catch {
      this.open = null;
      this.explorer.lag(SILENT);
      return;
    }
    let left = this.wait;
    this.waiting = setInterval(() => {
      // Where a host tells: an answer that comes after other work is not lost.
      const busy = this.model.widget_manager?.kernel?.status === "busy";
      if (!busy) left -= PATIENCE;
      if (left <= 0) this.lost(question);
      else if (this.explorer.lagging()) this.explorer.lag(busy ? BUSY : this.wait === LOST ? WAITING : SILENT);
    }, PATIENCE);
  }

  // A question or its answer may be lost, as when a view opens before the kernel listens: it is asked again, after
  // ever longer waits, until there is an answer.
  lost(question) {
    this.wait = Math.min(2 * this.wait, 16 * LOST);
    this.next ??= question;
    this.ask();
  }

  answered(message, buffers) {
    if (message.id?.startsWith(this.view)) {
      this.heard = true;
      this.wait = LOST;
    }
    const awaited = this.open !== null && message.id === this.open;
    if (awaited) {
      this.calm();
      this.open = null;
    }
    if (message.kind === "error") {
      if (this.missing(this.explorer.values)) this.explorer.lag(message.text);
      if (awaited) this.filling = null;
    }
    if (message.kind === "rows") {
      const view = buffers[0];
      const cells = new Uint16Array(
        view.buffer ? view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength) : view,
      );
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

  calm() {
    clearInterval(this.waiting);
  }
}
