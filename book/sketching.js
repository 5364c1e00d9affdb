// A curve that a reader sketches: drawn over empty axes, or through points that are typed; then judged by the laws that such
// curves obey and by its distance from those that are known. Places and heights are shares of the axes.

const PLACES = 60; // of a drawn curve
const SLACK = 0.04, // for a hand that shakes
  ENDS = 0.07;
const SVG_NAME = "http://www.w3.org/2000/svg";

// Its places and heights as points, from one end of the axis to the other.
function lineOf(heights) {
  const count = heights.length,
    points = heights.map((y, k) => [(k + 0.5) / count, y]);
  const end = (x, y, next) => [x, Math.min(1, Math.max(0, y + (y - next) / 2))];
  return [end(0, heights[0], heights[1]), ...points, end(1, heights[count - 1], heights[count - 2])];
}

const curveOf = (shares) => shares.map((y, k) => [k / (shares.length - 1), y]);

// From a point to a broken line.
function distance([x, y], line) {
  let least = Infinity;
  for (let i = 1; i < line.length; i++) {
    const [a, b] = [line[i - 1], line[i]],
      [dx, dy] = [b[0] - a[0], b[1] - a[1]],
      size = dx * dx + dy * dy,
      share = size ? Math.min(1, Math.max(0, ((x - a[0]) * dx + (y - a[1]) * dy) / size)) : 0;
    least = Math.min(least, Math.hypot(a[0] + share * dx - x, a[1] + share * dy - y));
  }
  return least;
}

// The farthest point of either line from the other. How high a hand begins and ends in its first and its last place is not
// known: a curve may be steep there.
const apart = (line, other) => {
  const known = ([x]) => Math.min(x, 1 - x) > 0.49 / PLACES;
  const far = (points, from) => points.filter(known).map((point) => distance(point, from));
  return Math.max(...far(line, other), ...far(other, line));
};

// The greatest convex line below points that go from left to right.
function hullOf(points) {
  const hull = [];
  for (const point of points) {
    while (hull.length > 1) {
      const [a, b] = hull.slice(-2);
      if ((b[0] - a[0]) * (point[1] - a[1]) > (b[1] - a[1]) * (point[0] - a[0])) break;
      hull.pop();
    }
    hull.push(point);
  }
  return hull;
}

// By how much a line breaks a law at each of its points, less what a hand may be off.
const BREACHES = {
  decreasing: (line) => {
    let least = Infinity;
    return line.map(([, y]) => y - (least = Math.min(least, y)) - SLACK);
  },
  increasing: (line) => {
    let most = -Infinity;
    return line.map(([, y]) => (most = Math.max(most, y)) - y - SLACK);
  },
  convex: (line) => {
    const hull = hullOf(line);
    return line.map((point) => distance(point, hull) - SLACK);
  },
  concave: (line) => {
    const hull = hullOf(line.map(([x, y]) => [x, -y]));
    return line.map(([x, y]) => distance([x, -y], hull) - SLACK);
  },
  below: (line, { guide }) => line.map(([x, y]) => y - heightAt(curveOf(guide), x) - SLACK),
  above: (line, { guide }) => line.map(([x, y]) => heightAt(curveOf(guide), x) - y - SLACK),
  ends: (line, { ends }) =>
    line.map(([x, y]) => Math.max(...ends.map(([at, height]) => (x === at ? Math.abs(y - height) - ENDS : -1)))),
  symmetric: (line, { mirror }) => {
    if (mirror === "middle") return line.map(([, y], k) => Math.abs(y - line[line.length - 1 - k][1]) - 2 * SLACK);
    // A curve that begins below 1 falls to its first point along the axis.
    const whole = [[0, 1], ...line];
    return line.map(([x, y]) => distance([y, x], whole) - 2 * SLACK);
  },
};

// What there is to say to a line: whether it is right, which of the known curves it is, which law it breaks, and where to
// look, as the place of a point.
function judgeSketch(line, { laws, ...of }, curves, right, within) {
  const off = curves.map((curve) => apart(line, curveOf(curve)));
  let place = off[right] <= within ? right : null;
  off.forEach((away, k) => {
    if (away <= within && (place === null || away < off[place])) place = k;
  });
  const truth = curveOf(curves[right]),
    gaps = line.map((point) => distance(point, truth)),
    found = { place, law: null, at: gaps.indexOf(Math.max(...gaps)), off: off[right] };
  if (place === right) return found;
  for (const [law] of laws) {
    const broken = BREACHES[law](line, of),
      worst = Math.max(...broken);
    if (worst > 0) return { ...found, law, at: broken.indexOf(worst) };
  }
  return found;
}

class Sketch {
  // The picture of the right curve is the paper; `check` is called when a curve is handed in.
  constructor(data, picture, check, begun) {
    Object.assign(this, { data, check, begun, done: false });
    this.svg = picture.cloneNode(true);
    this.svg.setAttribute("class", "ask-sketch");
    this.svg.setAttribute("aria-label", `Empty axes for your curve: ${this.svg.getAttribute("aria-label")}`);
    this.truth = this.svg.querySelector(".ask-truth");
    const make = (kind, name) => {
      const made = document.createElementNS(SVG_NAME, kind);
      made.setAttribute("class", name);
      this.svg.append(made);
      return made;
    };
    this.gap = make("path", "ask-gap");
    const path = make("path", "ask-drawn"),
      ring = make("g", "ask-pen");
    ring.innerHTML = '<circle class="ask-target" r="22"/><circle class="ask-ring" r="7"/>';
    // How high a curve begins is for the reader to say: it may be drawn from anywhere on the left edge.
    const edge = make("g", "ask-pen");
    const [left, top, , height] = data.box;
    edge.innerHTML =
      `<rect class="ask-target" x="${left - 14}" y="${top - 6}" width="36" height="${height + 12}"/>` +
      `<path class="ask-start" d="M${left} ${top}v${height}"/>`;
    this.mark = make("circle", "ask-mark");
    this.mark.setAttribute("r", "9");
    this.pen = new Pen(this.svg, data.box, PLACES, {
      path,
      ring,
      edge,
      open: () => !this.done,
      before: (first) => first ?? top + height / 2,
      changed: () => this.changed?.(),
    });
    this.build();
    this.again();
  }

  build() {
    const [across, up] = [this.data.across, this.data.up].map(([name]) => name),
      [, least, most] = this.data.across;
    this.count = make("span", { class: "ask-count", role: "status" });
    this.button = make("button", { type: "button", press: () => this.hand() }, "Check my curve");
    const afresh = () => {
      this.again();
      this.begun();
    };
    const again = make("button", { type: "button", press: afresh }, "Start over");
    this.input = make("input", {
      type: "text",
      maxlength: "200",
      autocomplete: "off",
      autocapitalize: "off",
      spellcheck: "false",
      placeholder: [least, (least + most) / 2, most].map((x) => `${x} …`).join("; "),
      "aria-label": `Points of the curve, ${across} and ${up} of each, with semicolons between`,
    });
    const form = make("form", { class: "ask-entry", novalidate: "" }, this.input, make("button", {}, "Draw"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.type();
    });
    this.problem = make("p", { class: "ask-problem", role: "status" });
    this.changed = () => {
      this.count.textContent = this.pen.toGo;
      this.button.setAttribute("aria-disabled", String(this.done || this.pen.left > 0));
    };
    this.element = make(
      "div",
      { class: "ask-paper" },
      make(
        "p",
        { class: "ask-how" },
        "Start at any height on the purple line at the left edge, and draw to the right; draw again over what you want to change.",
      ),
      this.svg,
      make("div", { class: "ask-entry" }, this.button, again, this.count),
      make(
        "details",
        { class: "ask-typing" },
        make("summary", {}, "Type points instead"),
        make("p", {}, `${across} and ${up} of each point, with semicolons between. Straight lines join them.`),
        form,
        this.problem,
      ),
    );
  }

  // Between shares and places of the picture.
  at(x, y) {
    const [left, top, width, height] = this.data.box;
    return [left + x * width, top + (1 - y) * height];
  }

  get shares() {
    const [, top, , height] = this.data.box;
    return this.pen.heights.map((y) => Math.round(1000 * (1 - (y - top) / height)) / 1000);
  }

  set shares(given) {
    this.pen.heights = given.map((share) => this.at(0, share)[1]);
    this.pen.show();
  }

  type() {
    const share = (value, [, least, most]) => (value - least) / (most - least);
    const points = this.input.value
      .split(";")
      .map((text) => text.replace(/[()]/g, " ").trim())
      .filter(Boolean)
      .map((text) => {
        const parts = text.split(/\s+/).length === 2 ? text.split(/\s+/) : text.split(/,\s*/);
        const [x, y] = parts.map((part) => numerals.read(part.replace(/,$/, "")).value);
        return [share(x, this.data.across), share(y, this.data.up)];
      });
    const bad = points.length < 2 || points.some((point) => point.length !== 2 || !point.every(Number.isFinite));
    const across = points.every(([x], k) => !k || x > points[k - 1][0]);
    const whole = !bad && Math.abs(points[0][0]) <= 0.01 && Math.abs(points.at(-1)[0] - 1) <= 0.01;
    const [name, least, most] = this.data.across,
      [, lowest, highest] = this.data.up;
    this.problem.textContent = bad
      ? "Two numbers for each point, with a space between: 0 0.5; 1/2 0.25; 1 0."
      : !across
        ? `The points go from left to right: each needs a larger ${name} than the one before.`
        : !whole
          ? `The curve goes from ${name} = ${least} to ${most}.`
          : points.some(([, y]) => y < 0 || y > 1)
            ? `Heights go from ${lowest} to ${highest}.`
            : "";
    if (this.problem.textContent) return;
    if (this.done) {
      this.again(true);
      this.begun();
    }
    this.pen.through(points.map(([x, y]) => this.at(x, y)));
  }

  again(typed = false) {
    this.done = false;
    this.truth.setAttribute("display", "none");
    this.mark.setAttribute("display", "none");
    this.gap.setAttribute("d", "");
    this.pen.path.setAttribute("class", "ask-drawn");
    if (!typed) this.input.value = "";
    this.pen.clear();
  }

  hand() {
    if (!this.done && !this.pen.left) this.check();
  }

  // The curve that was handed in, over the right one, and where to look.
  reveal(line, truth, { place, law, at, right }) {
    this.done = true;
    this.truth.removeAttribute("display");
    this.pen.path.setAttribute("class", "ask-drawn ask-mine");
    this.pen.show();
    if (place === right) return;
    const [x, y] = this.at(...line[at]);
    this.mark.removeAttribute("display");
    this.mark.setAttribute("cx", x);
    this.mark.setAttribute("cy", y);
    if (!law) this.gap.setAttribute("d", `M${x} ${y}V${this.at(0, heightAt(truth, line[at][0]))[1]}`);
  }

  value([, least, most], share) {
    return String(+(least + share * (most - least)).toPrecision(2)).replace("-", "−");
  }

  // What is said of it, apart from the reply to a known curve.
  words(line, truth, { law, at }) {
    const [x, y] = line[at],
      { across, up } = this.data,
      where = `At ${across[0]} = ${this.value(across, x)}`;
    if (law) return `${where} your curve breaks a law. ${this.data.laws.find(([name]) => name === law)[1]}`;
    return `${where} your curve is at ${this.value(up, y)}, and the right one at ${this.value(up, heightAt(truth, x))}.`;
  }
}
