// Each curve carries its name, next to it and in its color, and the name moves with it. Without a script a legend does
// that. A name has candidate places along its curve; the one that meets least is taken, and kept while it is as good.

// What a better place must be better by, and one on another side of the line.
const KEPT_PLACE = 30,
  KEPT_SIDE = 16;
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
];
const FURTHER = [0, 0, 0, 12, 12, 18, 24, 30]; // what it costs to be off the line, of each two of these
const overlap = (a, b) =>
  Math.max(0, Math.min(a[2], b[2]) - Math.max(a[0], b[0])) * Math.max(0, Math.min(a[3], b[3]) - Math.max(a[1], b[1]));

// More than edges, which are generous.
const meets = (a, b) =>
  Math.min(a[2], b[2]) - Math.max(a[0], b[0]) > 2 && Math.min(a[3], b[3]) - Math.max(a[1], b[1]) > 2.5;

class Names {
  constructor(explorer) {
    this.explorer = explorer;
    this.panels = [...explorer.root.querySelectorAll("svg.dpe-panel")].map((svg, number) => {
      const { box, fixed } = explorer.manifest.panels[number];
      const parts = explorer.parts.filter((part) => part.panel === number);
      const named = parts.filter((part) => part.label).map((part) => ({ part, label: part.label, color: part.color }));
      const entries = [...named, ...fixed.map((line) => ({ line: line.points, label: line.label, color: line.color }))];
      for (const entry of entries) write(svg, entry);
      const still = [...svg.querySelectorAll("text")].filter(
        (text) => !text.closest("[data-part], .dpe-legend, .dpe-name, .dpe-grip"),
      );
      return { svg, box, parts, entries, still, lines: fixed.map((line) => line.points) };
    });
    explorer.root.classList.add("dpe-named");
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
    const least = parseFloat(getComputedStyle(this.explorer.root).getPropertyValue("--dpe-least")) || 0;
    for (const panel of this.panels) {
      this.enlargeLetters(panel.svg, least);
      for (const entry of panel.entries)
        entry.width = entry.text.lastChild.getComputedTextLength() || 6 * entry.text.lastChild.textContent.length;
      this.setApart(panel);
      panel.size = parseFloat(getComputedStyle(panel.svg.querySelector("text") ?? panel.svg).fontSize) || 11.5;
    }
    this.measured = this.widths();
  }

  // Also of a panel that is hidden, or has come since.
  widths() {
    return this.panels.map(({ svg }) => svg.clientWidth * zoomOf(svg)).join();
  }

  // For a room, letters have a size that does not shrink with their picture.
  enlargeLetters(svg, least) {
    const scale = (svg.clientWidth * zoomOf(svg)) / svg.viewBox.baseVal.width;
    if (least && scale) svg.style.setProperty("--dpe-letter", `${short(least / scale)}px`);
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
        const out = most(i, beside, (k) => panel.written[i][2] - panel.written[k][0]);
        if (out) shift(i, -out, 0);
      }
  }

  place() {
    if (this.measured !== this.widths()) this.measure();
    for (const panel of this.panels) this.placeIn(panel);
  }

  placeIn(panel) {
    const { box, parts, entries, written, lines } = panel;
    const [left, top, width, height] = box;
    const inside = (p) => p && p[0] >= left && p[0] <= left + width && p[1] >= top && p[1] <= top + height;
    const seen = (points) =>
      points.length === 2 && points[0] && points[1] ? along(clipped(points, box) ?? []) : points.filter(inside);
    const drawn = [
      ...parts.filter((part) => !part.veiled && (part.kind === "curve" || part.kind === "ruler")).map((p) => p.points),
      ...lines,
    ].map((points) => ({ points, dense: dense(points).filter(inside) }));
    const crowd = drawn.flatMap((line) => line.dense);
    // Numbers of an axis hide where a value stands on them.
    const pills = parts
      .filter((part) => part.grip?.at && part.grip.text && !part.veiled)
      .map((part) => boxAround(part.grip));
    panel.still.forEach((text, i) =>
      text.classList.toggle(
        "dpe-covered",
        pills.some((box) => overlap(box, written[i])),
      ),
    );
    const taken = [...written];
    for (const part of parts) {
      if (part.veiled) continue;
      if (part.grip?.at) taken.push(boxAround(part.grip));
      else if (part.kind === "points")
        for (const p of part.points.filter(inside)) taken.push([p[0] - 5, p[1] - 5, p[0] + 5, p[1] + 5]);
    }
    for (const part of parts) if (!part.veiled && isText(part)) taken.push(this.giveWay(part, panel, taken));
    for (const entry of entries) {
      const points = entry.part ? entry.part.points : entry.line;
      // A region has no line of its own.
      const own = drawn.find((line) => line.points === points)?.dense;
      const others = own ? drawn.filter((line) => line.points !== points).flatMap((line) => line.dense) : [];
      const best = this.best(entry, { height: 1.18 * panel.size, box, inside, seen, crowd, own, others, taken });
      if (!best) {
        entry.text.setAttribute("display", "none");
        continue;
      }
      entry.text.removeAttribute("display");
      entry.text.setAttribute("transform", `translate(${short(best.box[0])} ${short(best.box[3] - 3)})`);
      taken.push(best.box);
      entry.kept = best.number;
    }
  }

  // Words stand where their part puts them, and beside that where something else is. Returns their box.
  giveWay(part, { box: [left, top, width, height], size }, taken) {
    const [x0, y0, x1, y1] = boxOfText(part, size),
      half = (x1 - x0) / 2,
      line = 1.18 * size,
      far = half + 2 * size;
    // Two hundred points may be there, and few of them where the words may go.
    const reach = [x0 - far, y0 - 3 * line, x1 + far, y1 + 3 * line],
      near = taken.filter((other) => meets(reach, other));
    let best = null,
      least = Infinity;
    for (const dy of [0, -line, line, -2 * line, 2 * line, -3 * line, 3 * line])
      for (const dx of [0, half / 2, -half / 2, half, -half, far, -far]) {
        const place = [x0 + dx, y0 + dy, x1 + dx, y1 + dy];
        let cost = Math.hypot(dx, 2 * dy) / 10;
        // Where their part puts them they may leave the panel.
        if (dx || dy)
          cost +=
            4 *
            (Math.max(0, left + 2 - place[0], place[2] - left - width) +
              Math.max(0, top - place[1], place[3] - top - height));
        for (const other of near) if (meets(place, other)) cost += 90 + overlap(place, other) / 2;
        if (cost < least) {
          least = cost;
          best = { dx, dy, place };
        }
        if (!cost) break;
      }
    const moved = best.dx || best.dy ? `translate(${short(best.dx)} ${short(best.dy)})` : "";
    if (part.moved !== moved) part.text.setAttribute("transform", moved);
    part.moved = moved;
    return best.place;
  }

  best(entry, { height: line, box: [left, top, width, height], inside, seen, crowd, own, others, taken }) {
    const points = entry.part ? entry.part.points : entry.line,
      on = seen(points);
    if (!on.length) return null;
    const anchors = entry.part?.kind === "region" ? [middleOf(points, inside)] : [];
    anchors.push(...ALONG.map((share) => on[Math.min(on.length - 1, Math.floor(share * on.length))]));
    const places = beside(line);
    let best = null,
      least = Infinity;
    anchors.forEach((anchor, a) => {
      if (!anchor) return;
      const centered = entry.part?.kind === "region" && a === 0;
      (centered ? [[0, line / 3, 0.5]] : places).forEach(([dx, dy, end], b) => {
        const x = anchor[0] + dx - end * entry.width,
          y = anchor[1] + dy,
          number = a * places.length + b;
        const box = [x, y - line + 3, x + entry.width, y + 3];
        const out =
          Math.max(0, left + 2 - box[0], box[2] - left - width - 4) + Math.max(0, top - box[1], box[3] - top - height);
        let cost = 1.5 * a + 0.5 * b + FURTHER[Math.floor(b / 2)] + (out ? 60 + 4 * out : 0);
        if (entry.kept === number) cost -= KEPT_PLACE;
        else if (entry.kept % places.length === b) cost -= KEPT_SIDE;
        // From here on it only costs more: most places are left at once, which a drag needs in every frame.
        if (cost >= least) return;
        for (const other of taken) {
          const common = overlap(box, other);
          if (common) cost += 90 + common / 2;
        }
        if (cost >= least) return;
        if (!centered)
          for (const p of crowd)
            if (p[0] > box[0] - 1 && p[0] < box[2] + 1 && p[1] > box[1] && p[1] < box[3]) cost += 10;
        // A reader takes it for the name of the line that is nearest.
        if (own && cost < least && farOf(box, others) < farOf(box, own) - 1) cost += 60;
        if (cost < least) {
          least = cost;
          best = { box, number, cost };
        }
      });
    });
    return best;
  }
}

const write = (svg, entry) => {
  entry.text = document.createElementNS(SVG, "g");
  entry.text.setAttribute("class", "dpe-name");
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

// Asked for its size, a browser would lay out the page again in every frame of a drag.
const boxOfText = (part, size) => {
  const w = 0.6 * size * part.text.textContent.length,
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
    const count = p && next ? Math.min(200, Math.floor(away(p, next) / 4)) : 0;
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

// By how much a page enlarges what surrounds a picture; the lengths that it tells leave that out.
const zoomOf = (svg) => svg.currentCSSZoom ?? 1;

const boxAround = ({ at: [x, y], half: [dx, dy] }) => [x - dx, y - dy, x + dx, y + dy];

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
