// The picture is the control. A part that moves with a slider is a handle of it, without a formula: dragging looks in the
// tables for the setting at which the part is drawn nearest to the pointer. Between two stops what is held glides.

const GRIPPED = 22,
  NEAR = 10; // pixels of the screen from a grip and from a line
const RESTED = 250; // milliseconds without a move
const APART = 18; // of two grips, in units of the picture
const SHARES = [0.5, 0.38, 0.62, 0.28, 0.72]; // where on its curve a grip sits; no two of a panel at the same place
const MARK = 4; // from the middle of a point to its rim
const ASIDE = [0.1, -0.1, 0.2, -0.2, 0.3, -0.3, 0.4, -0.4, 0.5, -0.5]; // how a value gives way on its line
const SVG = "http://www.w3.org/2000/svg";
const away = (p, q) => Math.hypot(p[0] - q[0], p[1] - q[1]);

// The place on a broken line nearest to q, or of several points the one nearest to it.
const nearestOn = (points, q, apart) => {
  let best = null,
    least = Infinity;
  points.forEach((p, i) => {
    if (!p) return;
    const next = apart ? null : points[i + 1];
    let at = p;
    if (next) {
      const dx = next[0] - p[0],
        dy = next[1] - p[1],
        size = dx * dx + dy * dy;
      const share = size ? Math.min(1, Math.max(0, ((q[0] - p[0]) * dx + (q[1] - p[1]) * dy) / size)) : 0;
      at = [p[0] + share * dx, p[1] + share * dy];
    }
    const distance = away(at, q);
    if (distance < least) {
      least = distance;
      best = { at, index: i, distance };
    }
  });
  return best;
};

// The part of a segment within a box; nothing if it misses it.
const clipped = ([a, b], [left, top, width, height]) => {
  let from = 0,
    to = 1;
  for (const [d, start, low, high] of [
    [b[0] - a[0], a[0], left, left + width],
    [b[1] - a[1], a[1], top, top + height],
  ]) {
    if (!d) {
      if (start < low - 1 || start > high + 1) return null; // at the end of an axis, but for rounding
      continue;
    }
    const [first, last] = [(low - start) / d, (high - start) / d].sort((x, y) => x - y);
    from = Math.max(from, first);
    to = Math.min(to, last);
  }
  const at = (share) => [a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])];
  return from <= to ? [at(from), at(to)] : null;
};

// Whether a box is within a grip's reach of a place.
const touches = ([left, top, right, bottom], [x, y], [dx, dy]) =>
  x > left - dx && x < right + dx && y > top - dy && y < bottom + dy;

// The value of an axis at a share of its length, and the other way round.
const scaled = ({ log, stretch }) =>
  log
    ? [Math.log, Math.exp]
    : stretch
      ? [(v) => Math.asinh(v / stretch), (h) => stretch * Math.sinh(h)]
      : [(v) => v, (h) => h];
const valueAt = (axis, share) => {
  const [to, from] = scaled(axis),
    [low, high] = axis.limits.map(to);
  return from(low + (high - low) * share);
};
const shareOf = (axis, value) => {
  const [to] = scaled(axis),
    [low, high] = axis.limits.map(to);
  return (to(value) - low) / (high - low);
};

const lone = ({ kind, grip, points, veiled }) =>
  kind === "points" && !grip && !veiled && points.length === 1 && points[0] !== null;

class Handles {
  constructor(explorer) {
    this.explorer = explorer;
    this.panels = [...explorer.root.querySelectorAll("svg.dpe-panel")];
    this.parts = explorer.parts.filter((part) => part.moves.length && part.kind !== "text");
    this.panels.forEach((svg, number) => {
      this.gripsOf(svg, number);
      svg.addEventListener("pointerdown", (event) => this.grab(event, svg, number));
      // Not every browser heeds the `touch-action` of a shape: it would scroll, and let go of the handle.
      const holds = (event) => event.target.closest?.(".dpe-grip") && event.preventDefault();
      svg.addEventListener("touchstart", holds, { passive: false });
      svg.addEventListener("pointermove", (event) => (this.held ? this.drag(event) : this.over(event, svg, number)));
      for (const kind of ["pointerup", "pointercancel", "lostpointercapture"])
        svg.addEventListener(kind, () => this.drop());
      svg.addEventListener("pointerleave", () => this.rest());
    });
    this.tip = document.createElement("div");
    this.tip.className = "dpe-tip";
    this.tip.hidden = true;
    this.tip.setAttribute("aria-hidden", "true");
    this.panels[0]?.parentElement.append(this.tip);
  }

  // Each slider has one grip in a panel: on an upright line, if it moves one there, else on a point, else on a curve.
  gripsOf(svg, number) {
    const upright = ({ kind, moves, points: [a, b, more] }) =>
      kind === "curve" && moves.length === 1 && a && b && !more && Math.abs(a[0] - b[0]) < 0.1;
    const rank = (part) =>
      upright(part) ? 0 : part.kind === "points" ? 1 : part.points.length === 2 ? 2 : part.kind === "ruler" ? 4 : 3;
    const chosen = new Map();
    for (const part of this.parts.filter((p) => p.panel === number).sort((a, b) => rank(a) - rank(b))) {
      const names = part.moves.join();
      if (rank(part) < 4 && !chosen.has(names) && ![...chosen.keys()].some((other) => other.split(",").includes(names)))
        chosen.set(names, part);
    }
    [...chosen.values()].forEach((part, i) => {
      const grip = document.createElementNS(SVG, "g");
      grip.setAttribute("class", "dpe-grip");
      grip.dataset.handle = part.moves.map((d) => this.explorer.manifest.parameters[d].name).join(" ");
      const pill = upright(part);
      grip.style.setProperty("--dpe-tone", part.tone);
      // A line that goes from side to side carries its value between two arrows.
      grip.innerHTML = pill
        ? `<rect class="dpe-target"/><rect class="dpe-pill"/><path class="dpe-arrow"/><path class="dpe-arrow"/><text class="dpe-value"></text>`
        : `<circle class="dpe-target" r="16"/><circle class="dpe-ring" r="${part.kind === "points" ? 6.5 : 5.5}"/>` +
          (part.kind === "points" ? `<circle class="dpe-dot" r="2"/>` : "");
      svg.append(grip);
      part.grip = {
        element: grip,
        share: part.share ?? (pill ? 1 : SHARES[i % SHARES.length]),
        index: null,
        text: grip.querySelector("text"),
        half: pill ? [16, 9] : [9, 9],
      };
    });
  }

  // A pill is as wide as its value.
  fill(part) {
    const { element, text } = part.grip,
      value = this.explorer.shownParameter(part.moves[0]);
    if (text.textContent !== value) {
      text.textContent = value;
      part.grip.wide = 0;
    }
    // At an end there is only the way back.
    const { values } = this.explorer.manifest.parameters[part.moves[0]],
      now = this.explorer.values[part.moves[0]];
    element.querySelectorAll("path").forEach((arrow, k) => {
      arrow.toggleAttribute("hidden", now === (k ? values.at(-1) : values[0]));
    });
    // Asked for its size, a browser would lay out the page again in every frame of a drag.
    const { size = 11.5, font = "11.5px sans-serif" } = this.explorer.names?.panels[part.panel] ?? {};
    if (part.grip.wide && part.grip.font === font) return;
    const half = Math.max(2.1 * size, lengthOf(value, `600 ${font}`) / 2 + 1.5 * size),
      high = 0.95 * size;
    Object.assign(part.grip, { font, wide: half, half: [half, high] });
    const [target, pill] = element.querySelectorAll("rect");
    for (const [rect, more] of [
      [target, 6],
      [pill, 0],
    ])
      for (const [name, value] of Object.entries({
        x: -half - more,
        y: -high - more,
        width: 2 * (half + more),
        height: 2 * (high + more),
        rx: high + more,
      }))
        rect.setAttribute(name, short(value));
    element.querySelectorAll("path").forEach((arrow, k) => {
      const x = (k ? 1 : -1) * (half - 0.75 * size),
        tip = (k ? 1 : -1) * 0.3 * size;
      arrow.setAttribute(
        "d",
        `M${short(x - tip / 2)} ${short(-0.3 * size)}l${short(tip)} ${short(0.3 * size)}l${short(-tip)} ${short(0.3 * size)}`,
      );
    });
    text.setAttribute("y", short(0.36 * size));
  }

  // Where the grip of a part sits: always at the same place of its path, as long as that is in the panel.
  showGrip(part) {
    const { grip, points } = part;
    if (!grip) {
      if (lone(part))
        for (const other of this.parts) if (other.grip?.text && other.panel === part.panel) this.showGrip(other);
      return;
    }
    const at = this.gripAt(part, points, grip);
    grip.at = at;
    // What lies on a point gives way to it.
    if (part.kind === "points" && at)
      for (const other of this.parts)
        if (
          other !== part &&
          other.kind !== "points" &&
          other.panel === part.panel &&
          other.grip?.at &&
          away(other.grip.at, at) <= APART
        )
          this.showGrip(other);
    if (!at) {
      grip.element.setAttribute("display", "none");
      return;
    }
    grip.element.removeAttribute("display");
    if (grip.text) this.fill(part);
    grip.shift = grip.text ? this.inwards(part) : 0;
    grip.element.setAttribute("transform", `translate(${short(at[0] + grip.shift)} ${short(at[1])})`);
  }

  // By how much a value leaves the middle of its line to stay in the picture, beside the numbers of its upright axis.
  inwards({ grip: { at, half }, panel }) {
    const { x, width } = this.panels[panel].viewBox.baseVal,
      [left] = this.explorer.manifest.panels[panel].box,
      least = left + half[0] - at[0],
      most = x + width - half[0] - 1 - at[0];
    return Math.max(least, Math.min(0, most));
  }

  gripAt(part, points, grip) {
    // Held, it stays under the pointer, and where it is left it remains.
    if (this.held?.part === part && part.kind !== "points") {
      const on = nearestOn(points, this.held.aim);
      if (points.length === 2) grip.share = this.shareOf(points, on?.at, part);
      else grip.index = on?.index;
      return on?.at ?? null;
    }
    const box = this.explorer.manifest.panels[part.panel].box,
      [left, top, width, height] = box;
    const inside = (p) =>
      p && p[0] >= left - 1 && p[0] <= left + width + 1 && p[1] >= top - 1 && p[1] <= top + height + 1;
    if (part.kind === "points") return points.find(inside) ?? null;
    // Clear of the other grips there, as near as that is to where it was.
    const others = this.parts.filter((other) => other !== part && other.panel === part.panel && other.grip?.at);
    const words = this.explorer.names?.panels[part.panel].written ?? [];
    const legible = (at) => !words.some((box) => touches(box, at, grip.half));
    // A value hides no point either that is there for the eye alone.
    const marks = grip.text ? this.explorer.parts.filter((other) => other.panel === part.panel && lone(other)) : [];
    const clear = (at) =>
      others.every((other) => away(other.grip.at, at) > APART) &&
      (grip.text || legible(at)) && // beneath a value words hide
      !marks.some(({ points: [[x, y]] }) => touches([x - MARK, y - MARK, x + MARK, y + MARK], at, grip.half));
    if (points.length === 2 && points[0] && points[1]) {
      const segment = clipped(points, box),
        on = (share) => between([segment[0]], [segment[1]], share)[0];
      if (!segment || clear(on(grip.share))) return segment && on(grip.share);
      const shares = grip.text
        ? ASIDE.map((by) => grip.share + by).filter((share) => share >= 0 && share <= 1 && clear(on(share)))
        : SHARES.filter((share) => clear(on(share)));
      return on(shares.find((share) => legible(on(share))) ?? shares[0] ?? grip.share);
    }
    const seen = points.map((p, i) => (inside(p) ? i : -1)).filter((i) => i >= 0);
    if (!seen.length) return null;
    grip.index ??= seen[Math.floor(seen.length * grip.share)];
    const near = seen.toSorted((a, b) => Math.abs(a - grip.index) - Math.abs(b - grip.index));
    return points[near.find((i) => clear(points[i])) ?? near[0]];
  }

  shareOf(points, at, part) {
    const segment = clipped(points, this.explorer.manifest.panels[part.panel].box);
    const length = segment ? away(...segment) : 0;
    return length && at ? Math.min(1, Math.max(0, away(segment[0], at) / length)) : 0.5;
  }

  // A place on the screen in the coordinates of a panel, and how many pixels a unit of these has.
  place(event, svg) {
    const matrix = svg.getScreenCTM();
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    return { at: [x, y], scale: matrix.a };
  }

  onGrip({ grip }, at, scale) {
    const middle = [grip.at[0] + grip.shift, grip.at[1]];
    const [dx, dy] = [0, 1].map((i) => Math.max(0, Math.abs(at[i] - middle[i]) - (grip.text ? grip.half[i] : 0)));
    return Math.hypot(dx, dy) * scale <= (grip.text ? GRIPPED / 3 : GRIPPED);
  }

  // What is under the pointer: a grip, else the nearest point or line.
  find({ at, scale }, number, parts) {
    const here = parts.filter((part) => part.panel === number && part.points && !part.veiled);
    const grips = here.filter((part) => part.grip?.at && this.onGrip(part, at, scale));
    if (grips.length) return grips.reduce((a, b) => (away(a.grip.at, at) <= away(b.grip.at, at) ? a : b));
    let found = null,
      least = NEAR / scale;
    for (const part of here) {
      const on = nearestOn(part.points, at, part.kind === "points");
      // A point lies on its curve: it is meant.
      const distance = on && on.distance - (part.kind === "points" ? NEAR / scale : 0);
      if (on && distance < least) {
        least = distance;
        found = part;
      }
    }
    return found;
  }

  grab(event, svg, number) {
    if (event.button !== 0 || this.held || this.explorer.asking?.drawsOn(svg)) return;
    const where = this.place(event, svg),
      part = this.find(where, number, this.parts);
    // A finger on anything but a grip scrolls the page.
    const scrolls = event.pointerType === "touch" && !event.target.closest?.(".dpe-grip");
    if (!part || scrolls) {
      if (event.pointerType === "touch") this.read(where, svg, number);
      return;
    }
    event.preventDefault();
    svg.setPointerCapture(event.pointerId);
    const on = nearestOn(
      part.points,
      part.grip?.at && this.onGrip(part, where.at, where.scale) ? part.grip.at : where.at,
      part.kind === "points",
    );
    this.held = { part, svg, index: on.index, offset: [on.at[0] - where.at[0], on.at[1] - where.at[1]], aim: on.at };
    this.rest();
    this.explorer.root.classList.add("dpe-held");
    part.grip?.element.classList.add("dpe-gripped");
    part.moves.forEach((place) => this.explorer.tables.moved(this.explorer.values, place));
  }

  drag(event) {
    const { part, svg, index, offset } = this.held,
      { at } = this.place(event, svg);
    this.held.aim = [at[0] + offset[0], at[1] + offset[1]];
    const found = this.search(part, this.held.aim, index);
    if (found) this.explorer.dragged(found.setting, found.blend);
    // Who rests can read: what is drawn then is what the numbers belong to.
    clearTimeout(this.resting);
    if (found?.blend) this.resting = setTimeout(() => this.held && this.explorer.dragged(new Map(), null), RESTED);
  }

  // The setting of a part's sliders at which it is drawn nearest to a place, and how far it is from there to the next.
  search(part, place, index) {
    const { parameters } = this.explorer.manifest,
      values = [...this.explorer.values];
    const off = (points) => {
      if (!points) return Infinity;
      if (part.kind === "points") return points[index] ? away(points[index], place) : Infinity;
      return nearestOn(points, place)?.distance ?? Infinity;
    };
    const at = (stops) => {
      part.moves.forEach((d, i) => {
        values[d] = parameters[d].values[stops[i]];
      });
      return this.explorer.pointsOf(part, values);
    };
    const now = part.moves.map((d) =>
      parameters[d].values.indexOf(nearest(parameters[d].values, this.explorer.values[d])),
    );
    const counts = part.moves.map((d) => parameters[d].values.length);
    let best = null,
      least = Infinity;
    for (let k = 0; k < counts.reduce((a, b) => a * b); k++) {
      const stops = counts.length === 1 ? [k] : [Math.floor(k / counts[1]), k % counts[1]];
      // Of settings that are drawn alike the one nearest to where it is.
      const distance = off(at(stops)) + 1e-3 * stops.reduce((sum, stop, i) => sum + Math.abs(stop - now[i]), 0);
      if (distance < least) {
        least = distance;
        best = stops;
      }
    }
    if (!best) return null;
    const setting = new Map(part.moves.map((d, i) => [d, parameters[d].values[best[i]]]));
    if (best.length > 1) return { setting, blend: null };
    const own = at(best),
      beside = [best[0] - 1, best[0] + 1].filter((k) => k >= 0 && k < counts[0]);
    let blend = null;
    least = off(own);
    for (const k of beside) {
      const other = at([k]);
      if (!other || !alike(own, other)) continue;
      for (let share = 0.1; share < 0.6; share += 0.1) {
        const distance = off(between(own, other, share));
        if (distance < least) {
          least = distance;
          blend = { place: part.moves[0], value: parameters[part.moves[0]].values[k], share };
        }
      }
    }
    return { setting, blend };
  }

  drop() {
    if (!this.held) return;
    clearTimeout(this.resting);
    this.held.part.grip?.element.classList.remove("dpe-gripped");
    this.held = null;
    this.explorer.root.classList.remove("dpe-held");
    this.explorer.dragged(new Map(), null);
    this.parts.forEach((part) => this.showGrip(part));
  }

  // Hovering: what can be grabbed says so, and a curve tells where one is on it.
  over(event, svg, number) {
    const where = this.place(event, svg),
      part = this.find(where, number, this.parts);
    if (this.near !== part) {
      for (const [which, on] of [
        [this.near, false],
        [part, true],
      ])
        which?.group.classList.toggle("dpe-near", on);
      this.near = part;
      svg.classList.toggle("dpe-grab", Boolean(part));
      part?.moves.forEach((place) => this.explorer.tables.moved(this.explorer.values, place));
    }
    this.read(where, svg, number);
  }

  read(where, svg, number) {
    const marks = this.explorer.parts.filter((part) => part.kind === "curve" || part.kind === "points");
    const part = this.find(where, number, marks),
      at = part && nearestOn(part.points, where.at, part.kind === "points").at;
    const said = part ? this.readout(part, at) : "";
    this.tip.hidden = !said;
    if (!said) return;
    this.tip.textContent = said;
    const screen = new DOMPoint(...at).matrixTransform(svg.getScreenCTM()),
      frame = this.tip.parentElement.getBoundingClientRect();
    const x = screen.x - frame.left,
      right = x > frame.width / 2;
    this.tip.style.cssText = `top:${short(screen.y - frame.top - 38)}px;${right ? `right:${short(frame.width - x + 10)}px` : `left:${short(x + 10)}px`}`;
  }

  // What something in the picture is called, and where one is on it. A line that only marks a setting is read there.
  readout(part, at) {
    const { panels } = this.explorer.manifest;
    const setting = part.moves.map((place) => this.explorer.inWords(place));
    // Another mark lies on the line that it belongs to, or has its color.
    const lines = this.explorer.parts.filter((line) => line.kind === "curve" && line.panel === part.panel && line.name);
    const under =
      lines.find((line) => line.tone === part.tone) ?? lines.find((line) => nearestOn(line.points, at)?.distance < 2);
    const name = part.name?.textContent ?? (setting.join(", ") || under?.name.textContent);
    const marks = part.grip?.text && !part.name;
    return [name, marks ? "" : this.told(panels[part.panel], at)].filter(Boolean).join(": ");
  }

  // The place in the units of the axes, called by their letters or names: "π ≈ 0.2, lead ≈ 4.7 percentage points".
  told({ box: [left, top, width, height], x, y }, at) {
    return [
      [x, (at[0] - left) / width],
      [y, 1 - (at[1] - top) / height],
    ]
      .filter(([axis]) => axis.label)
      .map(([axis, share]) => {
        const [name, unit = ""] = axis.label.split(", "),
          last = name.split(" ").at(-1),
          letter = last.length <= 4 && /[^ -~]|^[A-Za-z](\(|$)/.test(last) ? last : name;
        return `${letter} ≈ ${+(axis.times * valueAt(axis, share)).toPrecision(2)} ${unit}`.trim().replace("-", "−");
      })
      .join(", ");
  }

  rest() {
    this.near?.group.classList.remove("dpe-near");
    this.near = null;
    this.tip.hidden = true;
    this.panels.forEach((svg) => svg.classList.remove("dpe-grab"));
  }
}
