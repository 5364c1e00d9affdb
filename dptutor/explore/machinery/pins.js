// Settings that are kept to compare with: their curves and points, pale and named A, B, C …; their numbers beside those of
// now; and a line for each below the controls, by which a reader comes back to it.

const PINS = "ABCD";
const GREY = "var(--dpe-grey, #6b6b6b)";
const MOST_MARKS = 12; // more are a crowd, of which a copy would say nothing

class Pins {
  constructor(explorer) {
    this.explorer = explorer;
    this.list = explorer.root.querySelector(".dpe-pins");
    this.button = explorer.root.querySelector('[data-tool="pin"]');
    this.kept = [];
  }

  add() {
    const letter = [...PINS].find((one) => !this.kept.some((pin) => pin.letter === one));
    if (!letter) return;
    const { explorer } = this,
      { parameters } = explorer.manifest;
    const values = [...explorer.values],
      setting = Object.fromEntries(parameters.map((p, place) => [p.name, values[place]]));
    const shown = parameters.flatMap((p, place) => (p.hidden ? [] : [explorer.inWords(place)]));
    const pin = { letter, elements: [], names: [] };
    for (const part of explorer.parts) if (comparable(part)) this.copy(part, pin);
    for (const { cell } of explorer.readouts) {
      if (cell.matches("td")) continue; // a cell of a table has no room for two
      const was = document.createElement("dd");
      Object.assign(was, { className: "dpe-was", textContent: `${letter}: ${cell.textContent}` });
      cell.parentNode.append(was);
      pin.elements.push(was);
    }
    const line = document.createElement("li");
    const said = `${letter}: ${shown.join(", ")}`;
    const back = button(said, `Back to ${said}`, () => {
      explorer.setAll(setting);
      explorer.noteAddress(true);
    });
    line.append(
      back,
      button("×", `Unpin ${letter}`, () => this.remove(pin)),
    );
    this.list.append(line);
    pin.elements.push(line);
    this.kept.push(pin);
    this.changed();
  }

  copy(part, pin) {
    const ghost = part.group.cloneNode(true);
    ghost.classList.add("dpe-ghost");
    ghost.querySelectorAll("[display=none]").forEach((mark) => mark.remove());
    if (!ghost.querySelector("path[d]:not([d='']), use")) return;
    // Written out, as a saved picture takes no style with it.
    ghost.querySelectorAll("path").forEach((path) => Object.assign(path.style, { stroke: GREY, strokeWidth: "1.5px" }));
    ghost.querySelectorAll("use").forEach((mark) => Object.assign(mark.style, { fill: GREY, stroke: GREY }));
    part.group.before(ghost);
    pin.elements.push(ghost);
    // One name in a panel is enough: that of its first curve.
    if (part.kind !== "curve" || pin.names.some(({ panel }) => panel === part.panel)) return;
    const points = [...part.points];
    pin.names.push({ panel: part.panel, entry: { line: points, label: pin.letter, color: GREY } });
    this.explorer.names.add(part.panel, pin.names.at(-1).entry);
  }

  remove(pin) {
    for (const element of pin.elements) element.remove();
    for (const { panel, entry } of pin.names) this.explorer.names.drop(panel, entry);
    this.kept = this.kept.filter((other) => other !== pin);
    this.changed();
    this.button.focus();
  }

  clear() {
    for (const pin of this.kept) this.remove(pin);
  }

  changed() {
    this.list.hidden = !this.kept.length;
    this.button.setAttribute("aria-disabled", String(this.kept.length === PINS.length));
    this.explorer.names.place();
  }
}

// Lines and single points, if they depend on what moves.
const comparable = (part) =>
  (part.kind === "curve" && part.ghost) || (part.kind === "points" && part.uses.length <= MOST_MARKS && !part.veiled);

const button = (text, label, act) => {
  const made = document.createElement("button");
  Object.assign(made, { type: "button", textContent: text });
  made.setAttribute("aria-label", label);
  made.addEventListener("click", act);
  return made;
};
