// Each curve carries its name, next to it and in its color, and the name moves with it. Without a script it
// stands where `naming.py` has put it. A name has candidate places along its curve; the one that meets least is taken,
// and kept while it is as good. It stays on its side of the curve as long as there is room beside it. One that is further
// off has a line to its curve. A long one has two lines of letters.

const WHERE_IT_WAS = 30, // what a better place must be better by
  NEARBY = 12, // how far off the line it goes rather than change sides
  OVER = 40, // what it costs to change sides
  CROSSED = 150, // to lie on a line
  COVERED = 250, // or on another name
  ASTRAY = 80, // to be nearer to another
  LEADING = 120, // to have a line to its own that goes through other names
  ACROSS = 40, // or over other lines
  CUT = 1000; // and to leave the picture
const CLOSE = 15; // to the middle of a grip, in units of the picture
const LEAST = 12.2, // of letters, in pixels of the screen; a room asks for more
  SMALL = 120;
const SHEET = "640px"; // the width of what is printed
const HIDDEN = 2; // so near to something that is held a number of an axis cannot be read
const NUMERAL = /^−?[\d.]+$/;
const TOUCHING = 2; // of the boxes of two texts, which are wider than what is seen of them
const LINE = 1.18; // the height of a line of letters, in units of their size
const BREAK = `<tspan x="0" dy="${LINE}em">\u200b</tspan>`;
const RIM = 5; // between a name and its curve, in units of the picture
const ALONG = [0.5, 0.32, 0.68, 0.18, 0.82, 0.4, 0.6, 0.25, 0.75, 0.06, 0.94];
// Right and left above, right and left below, centered above and below, and further off: offsets, and which end stands
// there; `down` is the height of a line of letters.
const beside = (down) => [
  [7, -RIM, 0],
  [-7, -RIM, 1],
  [7, down, 0],
  [-7, down, 1],
  [0, -RIM - 3, 0.5],
  [0, down + 3, 0.5],
  [8, -RIM - down, 0],
  [-8, -RIM - down, 1],
  [8, 2 * down, 0],
  [-8, 2 * down, 1],
  [0, -RIM - 2 * down, 0.5],
  [0, 3 * down, 0.5],
  [8, -RIM - 3 * down, 0],
  [-8, -RIM - 3 * down, 1],
  [8, 4 * down, 0],
  [-8, 4 * down, 1],
  [3 * down, -RIM - 2 * down, 0],
  [-3 * down, -RIM - 2 * down, 1],
  [3 * down, 3 * down, 0],
  [-3 * down, 3 * down, 1],
  [4 * down, -RIM - 5 * down, 0],
  [-4 * down, -RIM - 5 * down, 1],
  [4 * down, 6 * down, 0],
  [-4 * down, 6 * down, 1],
];
const FURTHER = [0, 0, 0, 12, 12, 18, 24, 30, 32, 32, 36, 36]; // what it costs to be off the line, of each two of these
const FURTHEST = 40, // and anywhere else in the panel, where there is room after all
  ANYWHERE = 0.3; // for each unit from there to its line
const LED = 9, // from this far on a name has a line to its curve
  GAP = 3, // before either of its ends
  ON = 2.2; // so near to it is a point of a line that crosses it
const overlap = (a, b) =>
  Math.max(0, Math.min(a[2], b[2]) - Math.max(a[0], b[0])) * Math.max(0, Math.min(a[3], b[3]) - Math.max(a[1], b[1]));

const wider = ([x0, y0, x1, y1], by) => [x0 - by, y0, x1 + by, y1];

// More than edges, which are generous.
const meets = (a, b) =>
  Math.min(a[2], b[2]) - Math.max(a[0], b[0]) > TOUCHING && Math.min(a[3], b[3]) - Math.max(a[1], b[1]) > 2.5;

class Names {
  constructor(explorer) {
    this.explorer = explorer;
    this.panels = [...explorer.root.querySelectorAll("svg.dpe-panel")].map((svg, number) => {
      const { box, fixed } = explorer.manifest.panels[number];
      const parts = explorer.parts.filter((part) => part.panel === number);
      const named = parts.filter((part) => part.label).map((part) => ({ part, label: part.label, color: part.color }));
      const standing = fixed.filter((line) => line.label);
      // What has the fewest places comes first: of a point there is one, of a line many.
      const single = ({ part }) => part?.kind === "points";
      const entries = [...named, ...standing.map(({ points, label, color }) => ({ line: points, label, color }))].sort(
        (a, b) => single(b) - single(a),
      );
      for (const entry of entries) write(svg, entry);
      const still = [...svg.querySelectorAll("text")].filter(
        (text) => !text.closest("[data-part], .dpe-still, .dpe-name, .dpe-grip"),
      );
      return { svg, box, parts, entries, still, lines: fixed.map((line) => line.points) };
    });
    explorer.root.classList.add("dpe-named");
    const observer = new ResizeObserver(() => this.measured && this.measured !== this.widths() && this.place());
    for (const element of [explorer.root, ...this.panels.map(({ svg }) => svg)]) observer.observe(element);
    // On a sheet the picture is smaller and its letters are larger. No script hears how large.
    for (const [event, width] of [
      ["beforeprint", SHEET],
      ["afterprint", ""],
    ])
      globalThis.addEventListener(event, () => {
        explorer.root.style.width = explorer.root.style.minWidth = width;
        if (this.measured) this.place();
      });
  }

  // A further name beside a line that does not move.
  add(number, entry) {
    write(this.panels[number].svg, entry);
    this.panels[number].entries.push(entry);
    this.measure();
  }

  drop(number, entry) {
    const { entries } = this.panels[number];
    entries.splice(entries.indexOf(entry), 1);
    entry.text.remove();
  }

  // What a panel shows may have another size than when it was last asked for: a large one, a phone's.
  measure() {
    const least = parseFloat(getComputedStyle(this.explorer.root).getPropertyValue("--dpe-least")) || LEAST;
    for (const panel of this.panels) {
      this.enlargeLetters(panel.svg, least);
      for (const entry of panel.entries) fold(entry, panel.box[2] / 2);
      this.setApart(panel);
      const { fontSize, fontFamily } = getComputedStyle(panel.svg.querySelector("text") ?? panel.svg);
      panel.size = parseFloat(fontSize) || 11.5;
      panel.font = `${panel.size}px ${fontFamily}`;
    }
    this.measured = this.widths();
  }

  // Also of a panel that is hidden, or has come since; the size of letters depends on the width of the whole.
  widths() {
    const sizes = this.panels.map(({ svg }) => [svg.clientWidth * zoomOf(svg), svg.clientHeight].join());
    return [this.explorer.root.clientWidth, ...sizes].join();
  }

  // Letters have a size that does not shrink with their picture, where a window is low. In a phone's small panel there
  // are none.
  enlargeLetters(svg, least) {
    const width = svg.clientWidth * zoomOf(svg),
      { width: across, height: down } = svg.viewBox.baseVal,
      scale = Math.min(width / across, (svg.clientHeight * zoomOf(svg)) / down);
    if (width > SMALL) svg.style.setProperty("--dpe-letter", `${short(least / scale)}px`);
  }

  // Numbers of axes that have grown meet in a corner, and the name of an upright axis meets its numbers: what is below
  // goes down, that name goes out.
  setApart(panel) {
    const { svg, still, box } = panel,
      bottom = box[1] + box[3];
    for (const text of still) text.style.translate = "";
    panel.written = still.map((text) => boxOf(text, svg));
    const [below, beside] = [[], []];
    panel.written.forEach((place, i) => (place[1] > bottom - 2 ? below : beside).push(i));
    const inside = ([x, y]) => x > box[0] && y > box[1];
    panel.words = beside.filter((i) => inside(panel.written[i]) && !NUMERAL.test(still[i].textContent));
    const shift = (i, dx, dy) => {
      still[i].style.translate = `${short(dx)}px ${short(dy)}px`;
      panel.written[i] = panel.written[i].map((x, k) => x + (k % 2 ? dy : dx));
    };
    const most = (i, others, far) =>
      Math.max(0, ...others.filter((k) => k !== i && meets(panel.written[i], panel.written[k])).map(far));
    const down = Math.max(0, ...below.map((i) => most(i, beside, (k) => panel.written[k][3] - panel.written[i][1])));
    if (down) for (const i of below) shift(i, 0, down);
    for (const i of beside)
      if (still[i].getAttribute("transform")?.startsWith("rotate")) {
        const [left, top, right, foot] = panel.written[i],
          others = beside.filter((k) => k !== i).map((k) => panel.written[k]),
          room = (boxes) => Math.min(...boxes.map((other) => other[0])) - right,
          cut = svg.viewBox.baseVal.x - left;
        const met = Math.max(0, -room(others.filter((other) => other[1] < foot && other[3] > top)));
        // What only comes close to numbers stays in the picture; and where they leave room, it comes back into it.
        const out = met > TOUCHING ? met : Math.min(met, Math.max(0, -cut)),
          back = Math.min(Math.max(0, cut), Math.max(0, room(others)));
        if (out || back) shift(i, back - out, 0);
      }
  }

  place() {
    if (this.measured !== this.widths()) this.measure();
    for (const panel of this.panels) this.placeIn(panel);
  }

  placeIn(panel) {
    const { svg, box, parts, entries, still, written, lines } = panel,
      { x: start, width: whole } = svg.viewBox.baseVal;
    const [left, top, width, height] = box;
    const inside = (p) => p && p[0] >= left && p[0] <= left + width && p[1] >= top && p[1] <= top + height;
    // An axis may be written on where a line ends at it.
    const near = (p) => p[0] > left - 3 && p[0] < left + width + 3 && p[1] > top - 3 && p[1] < top + height + 3;
    const seen = (points) =>
      points.length === 2 && points[0] && points[1] ? along(clipped(points, box) ?? []) : points.filter(inside);
    const drawn = [
      ...parts.filter((part) => !part.veiled && (part.kind === "curve" || part.kind === "ruler")).map((p) => p.points),
      ...lines,
    ].map((points) => ({ points, dense: dense(points).filter(near) }));
    const crowd = drawn.flatMap((line) => line.dense),
      names = new Set(entries.map(({ part, line }) => part?.points ?? line));
    const gripped = parts.filter((part) => part.grip?.at && !part.veiled),
      values = gripped.filter((part) => part.grip.text),
      pills = values.map((part) => boxAround(part.grip)),
      rings = gripped
        .filter((part) => !part.grip.text)
        .map((part) => boxAround({ ...part.grip, half: [CLOSE / 2, CLOSE / 2] })),
      uprights = values.map((part) => upright(part.points)).filter(Boolean);
    const pen = this.explorer.asking?.penOn(svg);
    if (pen) rings.push(boxAround({ at: pen, half: [CLOSE / 2, CLOSE / 2] }));
    const taken = written.filter((_, i) => !panel.words.includes(i));
    for (const part of parts) {
      if (part.veiled) continue;
      if (part.grip?.at) taken.push(boxAround(part.grip));
      else if (part.kind === "points")
        for (const p of part.points.filter(inside)) taken.push([p[0] - 5, p[1] - 5, p[0] + 5, p[1] + 5]);
    }
    // What a panel says of one of its places stays at that height.
    const places = [...written];
    for (const i of panel.words) {
      const { dx, place } = this.roomFor(written[i], panel, taken, crowd, [0]);
      still[i].style.translate = dx ? `${short(dx)}px` : "";
      taken.push((places[i] = place));
    }
    // Numbers of an axis hide where something is held on them, or a value's upright line stands.
    still.forEach((text, i) => {
      const covered = NUMERAL.test(text.textContent)
        ? [...pills, ...rings, ...uprights].some((box) => overlap(wider(box, HIDDEN), places[i]))
        : pills.some((box) => meets(box, places[i]));
      text.classList.toggle("dpe-covered", covered);
    });
    for (const part of parts) if (!part.veiled && isText(part)) taken.push(this.giveWay(part, panel, taken, crowd));
    // For a name, an axis is a line like others.
    const corner = [left, top + height];
    crowd.push(...dense([[left, top], corner, [left + width, corner[1]]]));
    for (const entry of entries) {
      const points = entry.part ? entry.part.points : entry.line;
      // A region has no line of its own.
      const own = drawn.find((line) => line.points === points)?.dense;
      const others = own ? drawn.filter((line) => line.points !== points).flatMap((line) => line.dense) : [];
      const named = own ? drawn.filter((l) => l.points !== points && names.has(l.points)).flatMap((l) => l.dense) : [];
      // Close to the grip of another curve, a reader takes it for that curve's name.
      const grips = own
        ? parts
            .filter((p) => p.kind === "curve" && p.grip?.at && !p.grip.text && !p.veiled && p !== entry.part)
            .map(({ grip }) => boxAround({ ...grip, half: [CLOSE, CLOSE] }))
        : [];
      const best = this.best(entry, {
        line: LINE * panel.size,
        box,
        whole: [start, start + whole],
        inside,
        seen,
        crowd,
        own,
        others,
        named,
        taken,
        grips,
      });
      if (!best) {
        entry.text.setAttribute("display", "none");
        continue;
      }
      entry.text.removeAttribute("display");
      const [x, y] = [best.box[0], best.box[3] - 3];
      entry.text.setAttribute("transform", `translate(${short(x)} ${short(y)})`);
      entry.leader.setAttribute("d", best.lead ? path(best.lead, [x, y]) : "");
      if (best.lead) crowd.push(...dense(best.lead));
      taken.push(wider(best.box, 0.6 * panel.size)); // two names side by side would be read as one
      entry.kept = best.number;
      entry.side = best.side;
    }
  }

  // Words stand where their part puts them, and beside that where something else is; in any case in the picture. Returns
  // their box.
  giveWay(part, panel, taken, crowd) {
    const box = boxOfText(part, panel.size, panel.font);
    if (box[2] <= panel.box[0]) return box; // a number of the axis
    const best = this.roomFor(box, panel, taken, crowd, [0, -1, 1, -2, 2, -3, 3, -4, 4, -5, 5]);
    const moved = best.dx || best.dy ? `translate(${short(best.dx)} ${short(best.dy)})` : "";
    if (part.moved !== moved) part.text.setAttribute("transform", moved);
    part.moved = moved;
    return best.place;
  }

  // The nearest place for the words in a box, so many lines lower, where nothing else is.
  roomFor([x0, y0, x1, y1], { svg, box: [left, top, width, height], size }, taken, crowd, lower) {
    const { x: start, width: whole } = svg.viewBox.baseVal,
      half = (x1 - x0) / 2,
      line = LINE * size;
    const past = half + size / 2,
      far = half + 2 * size,
      from = x0 < left ? start : Math.min(x0, left + 2), // words of a panel stay in it
      to = x1 > left + width ? start + whole : left + width;
    // Two hundred points may be there, and few of them where the words may go.
    const reach = [x0 - 2 * far, y0 - 5 * line, x1 + 2 * far, y1 + 5 * line],
      near = taken.filter((other) => meets(reach, other)),
      strokes = crowd.filter(([x, y]) => x > reach[0] && x < reach[2] && y > reach[1] && y < reach[3]);
    let best = null,
      least = Infinity;
    for (const dy of lower.map((lines) => lines * line))
      for (const way of [0, half / 2, -half / 2, half, -half, past, -past, far, -far, 2 * far, -2 * far]) {
        const dx = Math.max(from - x0, Math.min(way, to - x1)),
          place = [x0 + dx, y0 + dy, x1 + dx, y1 + dy];
        let cost = Math.hypot(dx, 2 * dy) / 10;
        if (cost >= least) continue;
        // Where their part puts them they may leave the panel.
        if (way || dy)
          cost +=
            4 *
            (Math.max(0, left + 2 - place[0], place[2] - left - width) +
              Math.max(0, top - place[1], place[3] - top - height));
        for (const other of near) if (meets(place, other)) cost += 90 + overlap(place, other) / 2;
        cost += crossed([place[0] + 3, place[1] + 0.3 * size, place[2] - 3, place[3] - 3], strokes);
        if (cost < least) {
          least = cost;
          best = { dx, dy, place };
        }
        if (!cost) break;
      }
    return best;
  }

  best(entry, { line, box: panel, whole, inside, seen, crowd, own, others, named, taken, grips }) {
    const points = entry.part ? entry.part.points : entry.line,
      on = seen(points);
    if (!on.length) return null;
    const anchors = entry.part?.kind === "region" ? [middleOf(points, inside)] : [];
    anchors.push(...ALONG.map((share) => Math.min(on.length - 1, Math.floor(share * on.length))).map((k) => on[k]));
    const high = line * entry.lines,
      places = beside(high);
    let best = null,
      staying = null; // on its side of the line, beside it, where nothing else is
    const consider = (box, number, further, anchor, centered) => {
      const way = own && wayAt(on, anchor),
        side = way ? sideOf(box, anchor, way) : 0,
        stays = side !== 0 && side === entry.side && further <= NEARBY;
      let cost = further - (entry.kept === number ? WHERE_IT_WAS : 0);
      if (side && entry.side && side !== entry.side) cost += OVER;
      // From here on it only costs more: most places are left at once, which a drag needs in every frame.
      if (staying ? !stays || cost >= staying.cost : !stays && cost >= (best?.cost ?? Infinity)) return;
      const wanted = cost,
        tooMuch = () => cost > wanted && (staying || cost >= (best?.cost ?? Infinity));
      cost += outside(box, panel) + (box[0] < whole[0] || box[2] > whole[1] ? CUT : 0);
      for (const other of taken) {
        if (tooMuch()) return;
        const common = overlap(box, other);
        if (common) cost += COVERED + common / 2;
      }
      if (grips.some((grip) => overlap(box, grip))) cost += ASTRAY;
      cost += crossed(box, crowd);
      if (tooMuch()) return;
      // A reader takes it for the name of the line that is nearest, unless a line leads to its own.
      // For one without a name it is not taken then.
      const far = own && farOf(box, own);
      if (own && farOf(box, far < LED ? others : named) < far - 1) cost += far < LED ? ASTRAY : ASTRAY / 2;
      const lead = centered ? null : leader(box, own ?? on),
        led = lead ? along(lead) : [];
      if (taken.some((other) => led.some((p) => within(p, other, RIM)))) cost += LEADING;
      if (tooMuch()) return;
      if (lead && meetsLine(lead, others)) cost += ACROSS;
      if (tooMuch()) return;
      if (stays && cost === wanted) staying = { box, number, cost, side, lead };
      else best = { box, number, cost, side, lead };
    };
    anchors.forEach((anchor, a) => {
      if (!anchor) return;
      const centered = entry.part?.kind === "region" && a === 0;
      (centered ? [[0, line / 3, 0.5]] : places).forEach(([dx, dy, end], b) => {
        const x = anchor[0] + dx - end * entry.width,
          y = anchor[1] + dy;
        const box = [x, y - high + 3, x + entry.width, y + 3];
        consider(box, a * places.length + b, 1.5 * a + 0.5 * b + (FURTHER[Math.floor(b / 2)] ?? 0), anchor, centered);
      });
    });
    if (!staying && best?.cost > FURTHEST)
      everywhere(panel, entry.width, high, line).forEach((box, k) => {
        const [anchor, far] = nearestOf(box, on);
        const further = FURTHEST + ANYWHERE * Math.max(far, 3 * (RIM - far)); // near its line, but not at it
        consider(box, anchors.length * places.length + k, further, anchor, false);
      });
    return staying ?? best;
  }
}

// What it costs a name to leave its panel, and to lie on lines, of which there are points every few units.
const outside = (box, [left, top, width, height]) => {
  const out =
    Math.max(0, left + 2 - box[0], box[2] - left - width - 4) + Math.max(0, top - box[1], box[3] + 2 - top - height);
  return out && 60 + 4 * out;
};
const crossed = (box, crowd) => {
  let met = 0;
  for (const p of crowd) if (p[0] > box[0] - 2 && p[0] < box[2] + 2 && p[1] > box[1] && p[1] < box[3]) met++;
  return met && CROSSED + 10 * met;
};

// Where a line goes at one of its points, and on which side of it a box is.
const wayAt = (points, at) => {
  const k = points.indexOf(at),
    [p, q] = [points[Math.max(0, k - 1)], points[Math.min(points.length - 1, k + 1)]];
  return [q[0] - p[0], q[1] - p[1]];
};
const sideOf = ([left, top, right, bottom], [x, y], [dx, dy]) =>
  Math.sign(dx * ((top + bottom) / 2 - y) - dy * ((left + right) / 2 - x));

const within = ([x, y], [left, top, right, bottom], rim = 0) =>
  x > left + rim && x < right - rim && y > top + rim && y < bottom - rim;

// The places for a name in a panel, a line of letters apart, and half of one up and down.
const everywhere = ([left, top, width, height], wide, high, line) => {
  const across = Math.max(0, Math.floor((width - wide) / line) + 1),
    down = Math.max(0, Math.floor((2 * (height - high)) / line));
  return [...Array(across * down).keys()].map((k) => {
    const x = left + 2 + (k % across) * line,
      y = top + 1 + (Math.floor(k / across) * line) / 2;
    return [x, y, x + wide, y + high];
  });
};

// Of several points the nearest to a box.
const nearestOf = ([left, top, right, bottom], points) => {
  let near = points[0],
    least = Infinity;
  for (const p of points) {
    const dx = Math.max(left - p[0], 0, p[0] - right),
      dy = Math.max(top - p[1], 0, p[1] - bottom),
      far = dx * dx + dy * dy;
    if (far < least) [near, least] = [p, far];
  }
  return [near, Math.sqrt(least)];
};
const farOf = (box, points) => nearestOf(box, points)[1];

// From a name that is not beside its line to the nearest of the line's points, a little before both.
const leader = (box, points) => {
  const [to] = nearestOf(box, points),
    from = [Math.min(Math.max(to[0], box[0]), box[2]), Math.min(Math.max(to[1], box[1]), box[3])],
    far = away(from, to);
  return far < LED ? null : [GAP / far, 1 - GAP / far].map((share) => between([from], [to], share)[0]);
};

// Whether a leader crosses lines, of which there are points every few units.
const meetsLine = ([p, q], points) => {
  const around = [Math.min(p[0], q[0]), Math.min(p[1], q[1]), Math.max(p[0], q[0]), Math.max(p[1], q[1])];
  return points.some((point) => within(point, around, -ON) && nearestOn([p, q], point).distance < ON);
};

// As seen from `origin`.
const path = (points, origin) =>
  points.map(([x, y], k) => `${k ? "L" : "M"}${short(x - origin[0])} ${short(y - origin[1])}`).join("");

const write = (svg, entry) => {
  entry.text = document.createElementNS(SVG, "g");
  entry.text.setAttribute("class", "dpe-name");
  entry.leader = document.createElementNS(SVG, "path");
  entry.leader.style.cssText = `fill:none;stroke-width:1px;stroke:${entry.color}`;
  entry.text.append(entry.leader);
  // Twice, the rim beneath: that of one letter would cover its neighbor's end. Written out, as a saved picture takes no
  // style with it.
  for (const rim of ["stroke:var(--dpe-back, #ffffff);stroke-width:4px;stroke-linejoin:round;", ""]) {
    const text = document.createElementNS(SVG, "text");
    text.style.cssText = `font-size:11.5px;${rim}fill:${entry.color}`;
    if (rim) {
      text.setAttribute("class", "dpe-rim");
      text.setAttribute("aria-hidden", "true");
    }
    entry.text.append(text);
  }
  svg.append(entry.text);
  if (entry.part) entry.part.name = entry.text.lastChild;
};

// One that is wider than the most there is room for has two lines, of much the same length.
const fold = (entry, most) => {
  const last = entry.text.lastChild,
    say = (said, lines) => {
      for (const text of entry.text.querySelectorAll("text")) {
        text.innerHTML = said;
        text.setAttribute("dy", `${(1 - lines) * LINE}em`);
      }
      entry.lines = lines;
      entry.width = last.getBBox().width || 6 * last.textContent.length;
    };
  say(entry.label, 1);
  const ends = [...entry.label.matchAll(/ (?![^<]*>)/g)].map(({ index }) => index + 1);
  if (entry.width <= most || !ends.length) return;
  const lines = ends.map((at) => [entry.label.slice(0, at), entry.label.slice(at)]),
    longest = (pair) => Math.max(...pair.map((said) => said.replace(/<[^>]*>/g, "").length));
  say(lines.reduce((best, pair) => (longest(pair) < longest(best) ? pair : best)).join(BREAK), 2);
};

const isText = (part) => part.kind === "text" && part.points[0] && part.text.textContent.trim();

// Asked for its size, a browser would lay out the page again in every frame of a drag; asked for that of letters, not.
const letters = document.createElement("canvas").getContext("2d");
const lengthOf = (text, font) => {
  letters.font = font;
  return letters.measureText(text).width;
};
const boxOfText = (part, size, font) => {
  const w = lengthOf(part.text.textContent, font),
    x = part.points[0][0] + part.offset[0],
    y = part.points[0][1] - part.offset[1];
  const start = { middle: x - w / 2, end: x - w }[part.text.style.textAnchor] ?? x;
  return [start - 2, y - size, start + w + 2, y + 3];
};

// Points along a line, also between its ends.
const along = (points) => {
  const known = points.filter(Boolean);
  return known.length === 2 ? [...Array(25).keys()].map((k) => between([known[0]], [known[1]], k / 24)[0]) : known;
};

// A line with further points, where two are more than a few units apart.
const dense = (points) =>
  points.flatMap((p, i) => {
    const next = points[i + 1];
    const count = p && next ? Math.min(200, Math.ceil(away(p, next) / 4)) : 0;
    return count ? [...Array(count).keys()].map((k) => between([p], [next], k / count)[0]) : p ? [p] : [];
  });

// Where a line of two points stands that is upright.
const upright = ([p, q, ...more]) =>
  p && q && !more.length && Math.abs(p[0] - q[0]) < 1
    ? [p[0] - 1, Math.min(p[1], q[1]), p[0] + 1, Math.max(p[1], q[1])]
    : null;

// By how much a page enlarges what surrounds a picture; the lengths that it tells leave that out.
const zoomOf = (svg) => svg.currentCSSZoom ?? 1;

const boxAround = ({ at: [x, y], half: [dx, dy], shift = 0 }) => [x + shift - dx, y - dy, x + shift + dx, y + dy];

// Where a text or a picture stands, turned as it may be, in the coordinates of a panel.
const boxOf = (element, svg) => {
  const { left, right, top, bottom } = element.getBoundingClientRect(),
    matrix = svg.getScreenCTM()?.inverse();
  if (!matrix || left === right) return [0, 0, 0, 0];
  const [a, b] = [new DOMPoint(left, top), new DOMPoint(right, bottom)].map((corner) => corner.matrixTransform(matrix));
  return [a.x - 2, a.y, b.x + 2, b.y];
};

const middleOf = (points, inside) => {
  const seen = points.filter(inside);
  return seen.length
    ? [0, 1].map((i) => (Math.min(...seen.map((p) => p[i])) + Math.max(...seen.map((p) => p[i]))) / 2)
    : null;
};
