// Each curve carries its name, next to it and in its color, and the name moves with it. Without a script it
// stands where `naming.py` has put it. A name has candidate places along its curve; the one that meets least is taken,
// and kept while it is as good. It stays on its side of the curve as long as there is room beside it. One that is further
// off has a line to its curve.

const WHERE_IT_WAS = 30, // what a better place must be better by
  NEARBY = 12, // how far off the line it goes rather than change sides
  OVER = 40, // what it costs to change sides
  CROSSED = 150, // to lie on a line
  ASTRAY = 80, // to be nearer to another
  LEADING = 120, // to have a line to its own that goes through others
  CUT = 1000; // and to leave the picture
const CLOSE = 15; // to the middle of a grip, in units of the picture
const LEAST = 12.2, // of letters, in pixels of the screen; a room asks for more
  SMALL = 120;
const HIDDEN = 2; // so near to something that is held a number of an axis cannot be read
const NUMERAL = /^−?[\d.]+$/;
const TOUCHING = 2; // of the boxes of two texts, which are wider than what is seen of them
const RIM = 5; // between a name and its curve, in units of the picture
const ALONG = [0.5, 0.32, 0.68, 0.18, 0.82, 0.4, 0.6, 0.25, 0.75, 0.06, 0.94];
// Where there is room after all: lines of letters across and up.
const FAR = [3, 5, 7, 9, 12, -5, -7].flatMap((up) => [0, 2, 6, 10].map((across) => [across, up]));
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
  ...FAR.flatMap(([across, up]) => [
    [across * down, -up * down, 0],
    [-across * down, -up * down, 1],
  ]),
];
const FURTHER = [0, 0, 0, 12, 12, 18, 24, 30, 32, 32, 36, 36]; // what it costs to be off the line, of each two of these
const FURTHEST = 44; // and of those after them
const LED = 9, // from this far on a name has a line to its curve
  GAP = 3; // before either of its ends
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
    for (const { svg } of this.panels) observer.observe(svg);
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
      for (const entry of panel.entries)
        entry.width = entry.text.lastChild.getComputedTextLength() || 6 * entry.text.lastChild.textContent.length;
      this.setApart(panel);
      const { fontSize, fontFamily } = getComputedStyle(panel.svg.querySelector("text") ?? panel.svg);
      panel.size = parseFloat(fontSize) || 11.5;
      panel.font = `${panel.size}px ${fontFamily}`;
    }
    this.measured = this.widths();
  }

  // Also of a panel that is hidden, or has come since.
  widths() {
    return this.panels.map(({ svg }) => [svg.clientWidth * zoomOf(svg), svg.clientHeight].join()).join();
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
        height: 1.18 * panel.size,
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
      line = 1.18 * size;
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
        cost += crossed([place[0] + 2, place[1] + 0.3 * size, place[2] - 2, place[3] - 3], strokes);
        if (cost < least) {
          least = cost;
          best = { dx, dy, place };
        }
        if (!cost) break;
      }
    return best;
  }

  best(entry, { height: line, box: panel, whole, inside, seen, crowd, own, others, named, taken, grips }) {
    const points = entry.part ? entry.part.points : entry.line,
      on = seen(points);
    if (!on.length) return null;
    const anchors = entry.part?.kind === "region" ? [middleOf(points, inside)] : [];
    anchors.push(...ALONG.map((share) => Math.min(on.length - 1, Math.floor(share * on.length))).map((k) => on[k]));
    const places = beside(line);
    let best = null,
      staying = null; // on its side of the line, beside it, where nothing else is
    anchors.forEach((anchor, a) => {
      if (!anchor) return;
      const centered = entry.part?.kind === "region" && a === 0,
        way = own && wayAt(on, anchor);
      (centered ? [[0, line / 3, 0.5]] : places).forEach(([dx, dy, end], b) => {
        const x = anchor[0] + dx - end * entry.width,
          y = anchor[1] + dy,
          number = a * places.length + b,
          further = FURTHER[Math.floor(b / 2)] ?? FURTHEST;
        const box = [x, y - line + 3, x + entry.width, y + 3],
          side = way ? sideOf(box, anchor, way) : 0;
        const stays = side !== 0 && side === entry.side && further <= NEARBY;
        let cost = 1.5 * a + 0.5 * b + further - (entry.kept === number ? WHERE_IT_WAS : 0);
        if (side && entry.side && side !== entry.side) cost += OVER;
        // From here on it only costs more: most places are left at once, which a drag needs in every frame.
        if (staying ? !stays || cost >= staying.cost : !stays && cost >= (best?.cost ?? Infinity)) return;
        const wanted = cost,
          tooMuch = () => cost > wanted && (staying || cost >= (best?.cost ?? Infinity));
        cost += outside(box, panel) + (box[0] < whole[0] || box[2] > whole[1] ? CUT : 0);
        for (const other of taken) {
          if (tooMuch()) return;
          const common = overlap(box, other);
          if (common) cost += 90 + common / 2;
        }
        if (grips.some((grip) => overlap(box, grip))) cost += ASTRAY;
        cost += crossed(box, crowd);
        if (tooMuch()) return;
        // A reader takes it for the name of the line that is nearest, unless a line leads to its own.
        // For one without a name it is not taken then.
        const far = own && farOf(box, own);
        if (own && farOf(box, far < LED ? others : named) < far - 1) cost += far < LED ? ASTRAY : ASTRAY / 2;
        const lead = centered ? null : leader(box, own ?? on);
        if (lead && taken.some((other) => along(lead).some((p) => within(p, other, RIM)))) cost += LEADING;
        if (tooMuch()) return;
        if (stays && cost === wanted) staying = { box, number, cost, side, lead };
        else best = { box, number, cost, side, lead };
      });
    });
    return staying ?? best;
  }
}

// What it costs a name to leave its panel, and to lie on lines.
const outside = (box, [left, top, width, height]) => {
  const out =
    Math.max(0, left + 2 - box[0], box[2] - left - width - 4) + Math.max(0, top - box[1], box[3] + 2 - top - height);
  return out && 60 + 4 * out;
};
const crossed = (box, crowd) => {
  let met = 0;
  for (const p of crowd) if (p[0] > box[0] - 1 && p[0] < box[2] + 1 && p[1] > box[1] && p[1] < box[3]) met++;
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

// From a name that is not beside its line to the nearest of the line's points, a little before both.
const leader = (box, points) => {
  const start = ([x, y]) => [Math.min(Math.max(x, box[0]), box[2]), Math.min(Math.max(y, box[1]), box[3])];
  const to = points.reduce((near, p) => (away(start(p), p) < away(start(near), near) ? p : near)),
    from = start(to),
    far = away(from, to);
  return far < LED ? null : [GAP / far, 1 - GAP / far].map((share) => between([from], [to], share)[0]);
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
    text.innerHTML = entry.label;
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

// How far a box is from the nearest of several points.
const farOf = ([left, top, right, bottom], points) =>
  Math.sqrt(
    points.reduce((least, [x, y]) => {
      const dx = Math.max(left - x, 0, x - right),
        dy = Math.max(top - y, 0, y - bottom);
      return Math.min(least, dx * dx + dy * dy);
    }, Infinity),
  );

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
