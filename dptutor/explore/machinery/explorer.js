// What is typed for a parameter; of a share that is shown in percent, 50 is one half.
const numberIn = (text, percent) => {
  const { value = NaN } = numerals.read(text);
  return percent && !text.includes("%") ? value / 100 : value;
};
const plain = (text) => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
// Symbols in the letters of formulas, by the rule of `formulas.py`.
const SYMBOL =
  /(?<![\p{L}\p{N}_'’\\$])((?:[B-HJ-Zb-hj-z]\u0303?|(?<=[a-z]\()a(?=, )|[α-ωϑϕϵ]\u0303|[α-ωϑϕϵ]+)(?![\p{L}\p{N}_'’]|\.[\p{L}\p{N}_]))/u;
const waved = ([letter]) =>
  `<math><mover accent="true"><mi>${letter}</mi><mo stretchy="false">\u02dc</mo></mover></math>`;
// What signs of a formula join stays on one line, as `page.py` writes it.
const FORMULA =
  /((<b [^>]*>[^<]*<\/b>|<i>[^<]*<\/i>|<math.*?<\/math>|[^\s<>])+)( ([−+=≤≥≈·]|&#6[02];) (<b [^>]*>[^<]*<\/b>|<i>[^<]*<\/i>|<math.*?<\/math>|[^\s<>])+)+/g;
const unbroken = (html) => html.replace(FORMULA, '<span class="dpe-formula">$&</span>');
const lettered = (text) =>
  text
    .split(SYMBOL)
    .map((part, k) => (k % 2 === 0 ? plain(part) : part.endsWith("\u0303") ? waved(part) : `<i>${part}</i>`))
    .join("");
// The same in a picture, as `picture.py` writes it: a tilde is a small one above its letter.
const TILDE = `<tspan dx="-.42em" dy="-.2em">\u02dc</tspan>`;
const letteredInPicture = (text) => {
  const [first, ...others] = text.split(SYMBOL);
  let said = plain(first);
  for (let k = 0; k < others.length; k += 2) {
    const [letter, tilde] = others[k],
      after = plain(others[k + 1]);
    said += `<tspan class="dpe-letter">${tilde === "\u0303" ? letter : others[k]}</tspan>`;
    said += tilde === "\u0303" ? `${TILDE}<tspan dy=".2em">${after || "\u200b"}</tspan>` : after;
  }
  return said;
};

// What is filled between the points of a curve and the level of zero, where the curve is above it, or below.
const outline = (points, { above, zero }) => {
  const bound = above ? Math.min : Math.max; // heights go downward
  const seen = points.filter(Boolean); // none where a curve has nothing to show
  if (!seen.length) return points;
  return [[seen[0][0], zero], ...seen.map(([x, y]) => [x, bound(y, zero)]), [seen.at(-1)[0], zero]];
};

class Explorer {
  constructor(root, manifest, tables) {
    Object.assign(this, { root, manifest, tables, memory: new Map(), step: 0 });
    tables.explorer = this;
    this.values = manifest.parameters.map((p) => p.value);
    const find = (selector) => root.querySelector(selector);
    this.parts = manifest.parts.map((part, number) => {
      const group = find(`[data-part="${number}"] > g`);
      return {
        ...part,
        group,
        path: group.querySelector(":scope > path"),
        uses: [...group.querySelectorAll("use")],
        text: group.querySelector("text"),
      };
    });
    const ends = {}; // numbers lie side by side in their table's row
    this.readouts = manifest.readouts.map((r) => {
      const at = ends[r.table] ?? 0;
      ends[r.table] = at + (r.power ? 3 : 2);
      return { ...r, at, cell: find(`[data-readout="${r.name}"]`) };
    });
    this.inputs = manifest.parameters.map((p) => [...root.querySelectorAll(`[data-parameter="${p.name}"]`)]);
    this.typed = manifest.parameters.map((p) => find(`[data-typed="${p.name}"]`));
    this.lines = [...root.querySelectorAll("[data-line]")];
    this.panels = find(".dpe-panels");
    this.words = find(".dpe-words");
    this.spoken = find(".dpe-spoken");
    this.status = find(".dpe-status");
    this.story = find(".dpe-story");
    this.invitation = find(".dpe-invitation");
    // On a phone what a step says is read in the place of the sentence, between picture and buttons.
    this.below = document.createElement("p");
    this.below.className = "dpe-below";
    this.below.setAttribute("aria-hidden", "true"); // heard once
    this.words.after(this.below);
    this.motion = new Motion(
      (part, points) => this.show(part, points),
      () => {
        this.names.place();
        this.rest();
      },
    );
    this.parts.forEach((part) => {
      part.points = this.drawnPoints(part);
    });
    this.smallName = document.createElement("span");
    this.smallName.className = "dpe-small-name";
    this.smallName.setAttribute("aria-hidden", "true");
    this.panels.append(this.smallName);
    this.handles = new Handles(this);
    this.enlargeWhatCanBeHeld();
    this.names = new Names(this);
    this.pins = new Pins(this);
    this.parts.forEach((part) => this.handles.showGrip(part));
    if (manifest.game) this.game = new Game(this, find(".dpe-game"));
    if (manifest.samples) this.samples = new Samples(this, find(".dpe-samples"));
    if (manifest.ask) this.asking = new Asking(this, find("[data-ask]"));
    else this.names.place();
    this.foldControls();
    this.listen();
    root.querySelectorAll(".dpe-controls").forEach((controls) => {
      controls.hidden = false;
    });
    root.explorer = this;
  }

  listen() {
    const { parameters } = this.manifest;
    this.inputs.forEach((inputs, place) =>
      inputs.forEach((input) => {
        whenSet(input, () =>
          parameters[place].members ? this.choose(place) : this.set(place, parameters[place].values[+input.value]),
        );
        for (const kind of ["pointerenter", "focus"])
          input.addEventListener(kind, () => this.tables.moved(this.values, place));
      }),
    );
    if (!this.tables.exact) this.root.addEventListener("pointerenter", () => this.drawn && this.prepare());
    this.typed.forEach((input, place) => {
      if (!input) return;
      const { values } = parameters[place];
      input.addEventListener("change", () => {
        const { percent, inverse, shown } = this.meaning(place),
          typed = numberIn(input.value, percent),
          x = inverse ? 1 / typed : typed,
          stop = nearest(values, x);
        const said = shown[values.indexOf(stop)];
        const exact = this.tables.exact && (Number.isInteger(x) || !values.every(Number.isInteger));
        const note = !Number.isFinite(x)
          ? "That is not a number."
          : x < values[0] || x > values.at(-1)
            ? `This goes from ${shown[0]} to ${shown.at(-1)}.`
            : exact || Math.abs(stop - x) <= 1e-9 * Math.abs(x) || said === input.value.trim()
              ? ""
              : `${input.value.trim()} lies between two stops: shown is the nearest, ${said}.`;
        this.set(place, note || !exact ? (Number.isFinite(x) ? stop : this.values[place]) : x);
        this.note = note;
        this.say(note);
      });
      input.addEventListener("keydown", (event) => {
        const step = { ArrowUp: 1, ArrowDown: -1 }[event.key];
        if (!step) return;
        event.preventDefault();
        const at = values.indexOf(nearest(values, this.values[place])) + step;
        this.set(place, values[Math.max(0, Math.min(values.length - 1, at))]);
      });
    });
    this.root
      .querySelectorAll("[data-play]")
      .forEach((button) => button.addEventListener("click", () => this.play(button)));
    for (const kind of ["pointerdown", "keydown", "wheel"])
      this.root.addEventListener(
        kind,
        (event) => {
          if (!event.target.closest?.("[data-play]")) this.pause();
          if (!event.target.closest?.("[data-samples]")) this.samples?.stop();
        },
        { passive: true },
      );
    for (const [name, way] of [
      ["back", -1],
      ["next", 1],
    ])
      this.root.querySelector(`[data-step=${name}]`)?.addEventListener("click", () => {
        this.stepTo(this.step + way);
        if (this.step) this.bringIntoView();
      });
    this.root.addEventListener("click", (event) => {
      if (!event.target.closest?.(".dpe-menu")) this.openMenu(false);
    });
    this.root
      .querySelectorAll("svg.dpe-panel")
      .forEach((svg) => svg.addEventListener("click", () => this.enlargePanel(svg)));
    const tools = {
      reset: () => {
        this.stepTo(0);
      },
      menu: () => this.openMenu(this.root.querySelector(".dpe-tools").hidden),
      numbers: (button) => button.setAttribute("aria-pressed", String(this.root.classList.toggle("dpe-all"))),
      pin: () => this.pins.add(),
      code: (button) => {
        const code = this.root.querySelector(".dpe-code");
        code.hidden = !code.hidden;
        button.setAttribute("aria-expanded", String(!code.hidden));
      },
      large: () => this.enlarge(!this.root.classList.contains("dpe-large")),
      link: () => this.copyLink(),
      embed: () => this.copyEmbedding(),
      svg: () => this.save(new Blob([this.picture()], { type: "image/svg+xml" }), "svg"),
      png: () => this.savePng(),
    };
    this.root.addEventListener("fullscreenchange", () => {
      if (!document.fullscreenElement) this.enlarge(false);
    });
    // What Enter does to a field by itself a host may swallow, as JupyterLab does.
    this.root.addEventListener("keydown", ({ key, target }) => {
      if (key === "Enter" && target.matches("input[type=text]")) {
        target.blur();
        target.focus();
      }
    });
    this.root.addEventListener("keydown", (event) => {
      if (event.key === "Escape") {
        this.openMenu(false);
        this.enlarge(false);
      }
    });
    this.root.querySelector('[data-tool="embed"]').hidden = !this.root.dataset.embed;
    for (const [name, act] of Object.entries(tools))
      this.root.querySelector(`[data-tool="${name}"]`).addEventListener("click", (event) => {
        act(event.currentTarget);
        if (name !== "menu") this.openMenu(false);
      });
  }

  // An address carries a setting: page.html#name?sigma=0.7&scale=1

  address() {
    const setting = this.manifest.parameters.map((p, place) => [p.name, this.values[place]]);
    return `#${this.manifest.name}?${new URLSearchParams(setting)}`;
  }

  // The address keeps the setting: a leap is an entry of its own in the history, where a drag led to stands in the same.
  noteAddress(leap) {
    if (!this.addressed || this.root.closest(".reveal") || this.manifest.game) return;
    clearTimeout(this.noting);
    if (leap && self === top) {
      // What was not moved yet has no address to come back to; where a drag led to just now may not stand there yet.
      if (this.unnoted) history.replaceState(null, "", this.unnoted);
      else if (!location.hash.startsWith(`#${this.manifest.name}?`))
        history.replaceState({ startOf: this.manifest.name }, "");
      history.pushState(null, "", this.address());
      this.unnoted = null;
    } else {
      this.unnoted = this.address();
      this.noting = setTimeout(() => {
        if (location.hash !== this.unnoted) history.replaceState(null, "", this.unnoted);
        this.unnoted = null;
      }, 300);
    }
  }

  copyLink() {
    history.replaceState(null, "", this.address());
    const told = (where) => this.say(`The link to this setting is ${where}.`);
    if (!navigator.clipboard) {
      told("in the address bar");
      return;
    }
    navigator.clipboard.writeText(location.href).then(
      () => told("copied, and in the address bar"),
      () => told("in the address bar"),
    );
  }

  // For other sites: this explorer alone, at this setting. A site has a page for that.
  copyEmbedding() {
    const { href } = new URL(this.root.dataset.embed, location),
      title = this.root.querySelector(".dpe-find strong").textContent;
    const element = document.createElement("iframe");
    const attributes = {
      src: href + this.address(),
      title,
      width: "100%",
      height: 720,
      style: "border: 0",
      loading: "lazy",
    };
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    const frame = element.outerHTML;
    const show = () => this.say(frame);
    if (navigator.clipboard)
      navigator.clipboard
        .writeText(frame)
        .then(() => this.say("The code that shows this on a page of yours is copied."), show);
    else show();
  }

  // To the setting in an address, if it is this explorer's; what the address does not name or misnames stays.
  arrive(address = location.hash, leap = false) {
    const [name, query] = address.slice(1).split("?");
    if (name !== this.manifest.name || !query) return;
    if (this.game?.asks(() => this.arrive(address, leap))) return;
    const asked = new URLSearchParams(query),
      setting = {};
    for (const { name, values } of this.manifest.parameters) {
      const text = asked.get(name),
        number = parseFloat(text);
      if (values.includes(text)) setting[name] = text;
      else if (typeof values[0] === "number" && Number.isFinite(number)) setting[name] = nearest(values, number);
    }
    this.setAll(setting);
    // Back leads to steps, too.
    const there = this.manifest.steps.findIndex(({ setting: its }) =>
      this.manifest.parameters.every((p, place) => (its[p.name] ?? this.values[place]) === this.values[place]),
    );
    if (there >= 0) {
      this.step = there + 1;
      this.countSteps();
    }
    if (leap) this.noteAddress(true);
    const picture = this.root.querySelector(".dpe-panels").getBoundingClientRect();
    if (picture.top < 0 || picture.bottom > innerHeight) this.root.scrollIntoView();
  }

  // For a lecture hall: the explorer alone on the screen, large letters, thick lines.
  enlarge(large) {
    this.root.classList.toggle("dpe-large", large);
    this.root.querySelector('[data-tool="large"]').setAttribute("aria-pressed", String(large));
    if (large) this.root.requestFullscreen?.().catch(() => {});
    else if (document.fullscreenElement === this.root) document.exitFullscreen();
  }

  openMenu(open) {
    const tools = this.root.querySelector(".dpe-tools");
    tools.hidden = !open;
    this.root.querySelector('[data-tool="menu"]').setAttribute("aria-expanded", String(open));
  }

  // On a phone the large panel is one with something to hold.
  enlargeWhatCanBeHeld() {
    const { panels } = this.handles;
    this.makeLarge(panels.find((svg) => svg.querySelector(".dpe-grip")) ?? panels[0]);
  }

  // On a phone one panel is large and the other small, above its name; pressing the small one makes it the large one.
  enlargePanel(svg) {
    this.makeLarge(svg);
    this.names.place();
  }

  makeLarge(svg) {
    const { panels } = this.handles,
      small = panels.find((other) => other !== svg);
    for (const panel of panels) panel.classList.toggle("dpe-main", panel === svg);
    this.smallName.innerHTML = small ? lettered(small.querySelector("title").textContent) : "";
  }

  // Moving. The controls follow at once, the picture with the next frame that has all its rows.

  set(place, value) {
    const changed = this.values[place] !== value;
    this.values[place] = value;
    this.showControl(place);
    if (!changed) return;
    this.leave();
    this.game?.end();
    this.tables.moved(this.values, place);
    this.onmove?.(this.manifest.parameters[place].name, value);
    this.noteAddress();
    this.drawSoon(STEP);
  }

  // Some of several: too few or too many are refused, and the reader is told.
  choose(place) {
    const { members, values, rule } = this.manifest.parameters[place];
    const chosen = this.inputs[place].filter((input) => input.checked).map((input) => members[+input.value]);
    const value = chosen.join(", ");
    if (values.includes(value)) {
      this.set(place, value);
      return;
    }
    this.showControl(place);
    this.note = rule;
    this.say(rule);
  }

  // What was said of another setting goes.
  leave() {
    this.moved = true;
    this.blend = null;
    this.note = "";
    this.tell("");
  }

  // Step 0 is the start. What a step says stands in the place of the task, until the reader moves on.
  stepTo(step, leap = true) {
    const { steps, parameters } = this.manifest;
    if (step < 0 || step > steps.length) return;
    if (this.game?.asks(() => this.stepTo(step, leap))) return;
    this.step = step;
    this.samples?.clear();
    this.setAll(step ? steps[step - 1].setting : Object.fromEntries(parameters.map((p) => [p.name, p.start])));
    if (step) this.asking?.skip();
    if (step) this.tell(steps[step - 1].story, steps[step - 1].label);
    if (leap) this.noteAddress(true);
    this.countSteps();
  }

  countSteps() {
    const { step } = this,
      { steps } = this.manifest;
    const count = this.root.querySelector("[data-steps] .dpe-count");
    if (!count) return;
    count.textContent = step ? `${step} of ${steps.length}` : `Tour of ${steps.length}`;
    for (const [name, end] of [
      ["back", 0],
      ["next", steps.length],
    ])
      this.root.querySelector(`[data-step=${name}]`).setAttribute("aria-disabled", String(step === end));
  }

  tell(story, label) {
    if (!story && this.story.hidden) return; // as in most moves of a drag
    this.story.innerHTML = (label ? `<b>${lettered(label)}</b>: ` : "") + unbroken(lettered(story));
    this.story.hidden = !story;
    this.below.innerHTML = this.story.innerHTML;
    this.root.classList.toggle("dpe-telling", Boolean(story));
  }

  // On a phone the first slider stands open. A line says what else is set, and unfolds to it.
  foldControls() {
    const folded = this.root.querySelectorAll(".dpe-slider ~ :is(.dpe-slider, .dpe-choice, .dpe-samples)");
    if (!folded.length) return;
    const [before] = this.root.querySelectorAll(".dpe-steps, .dpe-pins");
    this.more = document.createElement("button");
    Object.assign(this.more, { type: "button", className: "dpe-more" });
    before.before(this.more);
    this.more.addEventListener("click", () => {
      const open = this.root.classList.toggle("dpe-unfolded");
      this.more.setAttribute("aria-expanded", String(open));
    });
    this.more.setAttribute("aria-expanded", "false");
    this.folded = [...folded].map((control) => +control.querySelector("[data-place]")?.dataset.place);
    this.nameFolded();
  }

  nameFolded() {
    const said = this.folded.map((place) => (Number.isNaN(place) ? "Samples" : this.inWords(place)));
    const label = lettered(said.join(", "));
    if (this.labelled !== label) this.more.innerHTML = this.labelled = label;
  }

  // A browser takes its time for what it does for the first time: with nothing else to do, or when the pointer comes, it
  // looks for where each part can be dragged, and for the places of names, as it will in a drag.
  prepare() {
    if (this.prepared) return;
    this.prepared = true;
    for (const part of this.handles.parts)
      if (part.grip?.at && !part.veiled)
        this.handles.search(part, part.grip.at, Math.max(0, part.points.indexOf(part.grip.at)));
    this.names.place();
  }

  // Who presses for a step sees what it says, and the picture that it says it of.
  bringIntoView() {
    const seen = [this.story.offsetHeight > 1 ? this.story : this.below, this.root.querySelector(".dpe-panels")];
    const bar = parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) || 0;
    const boxes = seen.map((element) => element.getBoundingClientRect());
    if (boxes.some(({ top, bottom }) => top < bar - 12 || bottom > innerHeight)) this.root.scrollIntoView();
  }

  // A part is held: its sliders follow, and the picture goes on to between two stops. Without a blend it settles.
  dragged(setting, blend) {
    if (!setting.size && !this.blend) return;
    const moved = [...setting].some(([place, value]) => this.values[place] !== value);
    if (moved) this.leave();
    for (const [place, value] of setting) {
      if (this.values[place] === value) continue;
      this.values[place] = value;
      this.showControl(place);
      this.game?.end();
      this.tables.moved(this.values, place);
      this.onmove?.(this.manifest.parameters[place].name, value);
    }
    this.blend = blend;
    if (!setting.size) this.noteAddress();
    this.drawSoon(setting.size ? 0 : STEP);
  }

  setAll(setting, duration = LEAP) {
    this.leave();
    this.manifest.parameters.forEach((p, place) => {
      if (!(p.name in setting) || this.values[place] === setting[p.name]) return;
      this.values[place] = setting[p.name];
      this.showControl(place);
      this.onmove?.(p.name, setting[p.name]);
    });
    this.tables.moved(this.values, null);
    this.drawSoon(duration);
  }

  // From where a slider stands to its end, or from its start if it stands there, in at most four seconds.
  play(button) {
    const again = this.playing?.button === button;
    this.pause();
    if (again) return;
    const place = this.manifest.parameters.findIndex((p) => p.name === button.dataset.play),
      { values } = this.manifest.parameters[place];
    let at = values.indexOf(nearest(values, this.values[place]));
    if (at === values.length - 1) at = -1;
    const timer = setInterval(
      () => {
        this.set(place, values[++at]);
        if (at >= values.length - 1) this.pause();
      },
      Math.max(40, 4000 / values.length),
    );
    this.playing = { button, timer };
    button.textContent = "❚❚";
    button.setAttribute("aria-pressed", "true");
  }

  pause() {
    if (!this.playing) return;
    clearInterval(this.playing.timer);
    this.playing.button.textContent = "▶";
    this.playing.button.setAttribute("aria-pressed", "false");
    this.playing = null;
  }

  showControl(place) {
    const parameter = this.manifest.parameters[place],
      value = this.values[place];
    const { values } = parameter;
    let at = values.indexOf(value);
    if (at < 0)
      at = values.reduce((best, v, i) => (Math.abs(v - value) < Math.abs(values[best] - value) ? i : best), 0);
    for (const input of this.inputs[place]) {
      if (parameter.members) input.checked = value.split(", ").includes(parameter.members[+input.value]);
      else if (input.type === "radio") input.checked = +input.value === at;
      else {
        input.value = at;
        input.style.setProperty("--dpe-at", at / (values.length - 1));
        input.setAttribute("aria-valuetext", this.shownParameter(place));
      }
    }
    if (this.typed[place]) this.typed[place].value = this.shownParameter(place);
    if (this.more) this.nameFolded();
    this.manifest.parameters.forEach(({ by }, other) => {
      if (by === place) this.rename(other);
    });
  }

  // A slider may mean something else beside another option: σ, or b, or the ε₀ that it is the inverse of.
  meaning(place) {
    const { parameters } = this.manifest,
      { by, meanings } = parameters[place];
    return meanings
      ? { ...parameters[place], ...meanings[parameters[by].values.indexOf(this.values[by])] }
      : parameters[place];
  }

  rename(place) {
    const { title, named } = this.meaning(place),
      [slider] = this.inputs[place];
    slider.closest(".dpe-slider").querySelector(".dpe-label").innerHTML = named;
    slider.setAttribute("aria-label", title);
    this.typed[place].setAttribute("aria-label", `${title}, typed`);
    this.showControl(place);
  }

  // "σ = 1", "repetitions = 100", "Laplace".
  inWords(place) {
    const { symbol, title } = this.meaning(place),
      name = symbol || (this.typed[place] && title);
    return [name, this.shownParameter(place)].filter(Boolean).join(" = ");
  }

  shownParameter(place) {
    const { values, shown, percent, unit, inverse } = this.meaning(place),
      value = this.values[place];
    const at = values.indexOf(value);
    if (at >= 0) return shown[at];
    // Set by a program, between two steps.
    if (inverse) return String(+(1 / value).toPrecision(3));
    const digits = String(+(percent ? 100 * value : value).toPrecision(6)).replace("-", "−");
    return digits + (percent ? "%" : unit && ` ${unit}`);
  }

  // Drawing: only what changed.

  drawSoon(duration = 0) {
    this.duration = duration;
    this.panels.setAttribute("aria-busy", "true");
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      this.draw();
    });
  }

  draw() {
    const rows = this.manifest.tables.map((_, t) => this.tables.row(t, this.values));
    if (rows.some((row) => !row)) return false;
    const changed = (name, row) => this.memory.get(name) !== row.key && this.memory.set(name, row.key);
    const keyed = this.manifest.tables.map((table) => table.dims.map((d) => this.values[d]).join("|"));
    const shown = {};
    this.manifest.parameters.forEach((p, place) => {
      shown[p.name] = this.shownParameter(place);
    });
    for (const readout of this.readouts) {
      const { name, cell } = readout;
      shown[name] = this.number(readout, rows[readout.table].subarray(readout.at));
      if (cell.textContent === shown[name]) continue;
      cell.textContent = shown[name];
      cell.parentElement.classList.toggle("dpe-none", shown[name] === "—");
    }
    this.showLines();
    const filled = (template) => template.replace(/\{(\w+)\}/g, (whole, name) => shown[name] ?? whole);
    this.parts.forEach((part, number) => {
      const key = [...part.pieces, part.shift]
        .filter((t) => t !== null)
        .map((t) => keyed[t])
        .join(";");
      const blend = this.blend && this.blended(part) ? JSON.stringify(this.blend) : "";
      if (part.kind === "text") {
        const [, words] = part.pieces;
        this.write(part, filled(this.tables.string(words, rows[words][0])));
      }
      if (changed(number, { key: key + blend })) this.motion.bring(part, this.target(part), this.duration);
    });
    this.shown = shown;
    const template = this.manifest.words
      .map((t) => this.tables.string(t, rows[t][0]))
      .filter(Boolean)
      .join(" ");
    const sentence = this.colored(template, shown);
    if (this.sentence !== sentence) this.words.innerHTML = this.sentence = sentence;
    this.root.querySelector(".dpe-code code").textContent = this.code();
    this.names.place();
    this.root.classList.remove("dpe-lagging");
    this.say(this.note ?? "");
    this.speakLater();
    this.drawn = [...this.values];
    const { solved, task, find } = this.manifest;
    if (task !== null) {
      const told = this.tables.string(task, rows[task][0]);
      const invitation = told ? unbroken(lettered(told)) : find;
      if (this.invited !== invitation) this.invitation.innerHTML = this.invited = invitation;
    }
    if (solved !== null) this.root.classList.toggle("dpe-solved", Boolean(this.tables.string(solved, rows[solved][0])));
    this.asking?.refresh();
    this.samples?.refresh();
    this.game?.show();
    this.rest();
    return true;
  }

  // A square table has a line for each name that has a number.
  showLines() {
    for (const line of this.lines) {
      const gone = [...line.querySelectorAll("[data-readout]")].every((cell) => cell.textContent === "—");
      line.hidden = gone;
      for (const cell of this.root.querySelectorAll(`[data-column="${line.dataset.line}"]`)) cell.hidden = gone;
    }
  }

  // Whether the picture is that of the setting and stands still, for those who cannot see it: readers, and tests.
  rest() {
    if (this.frame || this.motion.moving.size) return;
    this.root.dataset.drawn = this.drawn.join(" ");
    this.panels.setAttribute("aria-busy", "false");
  }

  // The sentence, its numbers in the colors of what they measure.
  colored(template, shown) {
    const { colors } = this.manifest;
    const pieces = template.split(/\{(\w+)\}/).map((part, k) => {
      if (k % 2 === 0) return lettered(part);
      if (!(part in shown)) return `{${part}}`;
      return colors[part] ? `<b style="color: ${colors[part]}">${plain(shown[part])}</b>` : plain(shown[part]);
    });
    return unbroken(pieces.join(""));
  }

  // The points of a part at a setting, or nothing where a row is not there yet.
  pointsOf(part, values) {
    const rows = [],
      pieces = part.kind === "text" ? part.pieces.slice(0, 1) : part.pieces;
    for (const t of part.shift === null ? pieces : [...pieces, part.shift]) {
      rows[t] = this.tables.row(t, values);
      if (!rows[t]) return null;
    }
    const points = this.points(pieces, part.shift, rows);
    return part.filled ? outline(points, part.filled) : points;
  }

  blended(part) {
    return [...part.pieces, part.shift].some(
      (t) => t !== null && this.manifest.tables[t].dims.includes(this.blend.place),
    );
  }

  // Where a part is to be drawn: at the setting, or while something is held between two.
  target(part) {
    const points = this.pointsOf(part, this.values);
    if (!this.blend || !this.blended(part)) return points;
    const other = this.pointsOf(part, this.values.with(this.blend.place, this.blend.value));
    return other && alike(points, other) ? between(points, other, this.blend.share) : points;
  }

  // The points that stand in the page before anything has moved.
  drawnPoints(part) {
    const pair = (element) =>
      element.hasAttribute("display") ? null : [+element.getAttribute("x"), +element.getAttribute("y")];
    if (part.kind === "text") return [pair(part.text)].map((p) => p && [p[0] - part.offset[0], p[1] + part.offset[1]]);
    if (part.uses.length) return part.uses.map(pair);
    return part.path
      .getAttribute("d")
      .split(/(?=[ML])/)
      .filter((d) => d.trim())
      .map((d) => d.slice(1).replace("Z", "").trim().split(/[ ,]+/).map(Number));
  }

  show(part, points) {
    if (part.kind === "text") this.placeText(part, points[0]);
    else this.drawPath(part, points);
    this.handles.showGrip(part);
  }

  points(pieces, shift, rows) {
    let dx = 0,
      dy = 0;
    if (shift !== null) {
      const [x, y] = rows[shift],
        { origin, scale } = this.manifest.tables[shift];
      dx = x === MISSING ? NaN : origin[0] + x * scale[0];
      dy = y === MISSING ? NaN : origin[1] + y * scale[1];
    }
    const points = [];
    for (const t of pieces) {
      const row = rows[t],
        { origin, scale } = this.manifest.tables[t];
      for (let i = 0; i < row.length; i += 2)
        points.push(
          row[i] === MISSING ? null : [origin[0] + row[i] * scale[0] + dx, origin[1] + row[i + 1] * scale[1] + dy],
        );
    }
    return Number.isNaN(dx + dy) ? points.map(() => null) : points;
  }

  drawPath(part, points) {
    if (part.path) {
      let data = "",
        down = false;
      for (const point of points) {
        if (point) data += (down ? "L" : "M") + short(point[0]) + " " + short(point[1]);
        down = point !== null;
      }
      part.path.setAttribute("d", part.kind === "region" && data ? data + "Z" : data);
    }
    part.uses.forEach((use, i) => {
      // Of a hundred people few change at a time.
      const point = points[i],
        key = point ? `${short(point[0])} ${short(point[1])}` : "";
      if (use.dptutorAt === key) return;
      use.dptutorAt = key;
      if (!point) {
        use.setAttribute("display", "none");
        return;
      }
      use.removeAttribute("display");
      use.setAttribute("x", short(point[0]));
      use.setAttribute("y", short(point[1]));
    });
  }

  write(part, words) {
    if (part.written === words) return;
    part.written = words;
    part.text.innerHTML = letteredInPicture(words);
  }

  placeText(part, point) {
    if (!point) {
      part.text.setAttribute("display", "none");
      return;
    }
    part.text.removeAttribute("display");
    part.text.setAttribute("x", short(point[0] + part.offset[0]));
    part.text.setAttribute("y", short(point[1] - part.offset[1]));
  }

  number({ power, digits, unit, infinite }, row) {
    const whole = (row[0] << 16) | row[1];
    if (whole === INFINITE) return infinite;
    if (whole === MINUS_INFINITE) return "−∞";
    if (whole === UNDEFINED) return "—";
    const sign = whole < 0 ? "−" : "",
      text = String(Math.abs(whole));
    const parted = (t) => (t.length > 4 ? t.replace(/\B(?=(\d{3})+$)/g, ",") : t);
    const pointed = (t, cut) => sign + parted(t.slice(0, cut)) + (cut < t.length ? "." + t.slice(cut) : "");
    if (!power) {
      const padded = text.padStart(digits + 1, "0");
      return pointed(padded, padded.length - digits) + unit;
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
      return code.replaceAll(`«${p.name}»`, at < 0 ? String(this.values[place]) : p.code[at]);
    }, this.manifest.code);
  }

  // A screen reader hears where a drag ended, not every step of it, and nothing of what stands there unmoved.
  speakLater() {
    clearTimeout(this.speaking);
    if (this.moved)
      this.speaking = setTimeout(() => {
        this.spoken.textContent = this.words.textContent.replaceAll("\u02dc", "\u0303");
      }, 700);
  }

  say(text) {
    if (this.status.textContent === text) return;
    this.status.textContent = text;
    this.status.hidden = !text;
  }

  // A picture of an earlier setting than the controls stands back until it follows, with its sentence and its numbers;
  // what a step says of it comes with it.
  lag(why) {
    this.root.classList.toggle("dpe-lagging", this.lagging());
    this.say(why);
  }

  lagging() {
    return this.manifest.parameters.some((p, place) => this.values[place] !== (this.drawn?.[place] ?? p.value));
  }

  // Tools.

  // The panels side by side as one picture on white, colors written out.
  picture() {
    const panels = [...this.root.querySelectorAll("svg.dpe-panel")];
    const boxes = panels.map((svg) => svg.viewBox.baseVal);
    const width = boxes.reduce((sum, box) => sum + box.width, 0),
      { height } = boxes[0];
    const plain = (svg) => {
      const copy = svg.cloneNode(true);
      copy.querySelectorAll(".dpe-grip, .dpe-still").forEach((element) => element.remove());
      return copy.innerHTML;
    };
    const inner = panels.map((svg) => plain(svg).replace(/var\(--[\w-]+, (#\w+)\)/g, "$1")).join("");
    return (
      `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${2 * width}" height="${2 * height}" ` +
      `font-family="sans-serif"><rect width="${width}" height="${height}" fill="white"/>${inner}</svg>`
    );
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
