// A pen for curves, of explorers and of questions. A line is drawn from left to right, in so many places of a box; drawing
// again replaces a part of it, and a few typed points replace all. Heights are those of the picture.

// The height of a line at x; its points go from left to right.
const heightAt = (points, x) => {
  for (let i = 1; i < points.length; i++) {
    const [a, b] = [points[i - 1], points[i]];
    if (a && b && a[0] <= x && x <= b[0])
      return b[0] === a[0] ? b[1] : a[1] + ((b[1] - a[1]) * (x - a[0])) / (b[0] - a[0]);
  }
  return null;
};

class Pen {
  // `path` shows the line, `ring` where the pen is, and before there is a line an `edge`, if any, where it may start.
  // `open()`: may it be drawn? `before(height)`: how high is the left end of a line that starts further right at this
  // height? `changed()` is called when the line has changed.
  constructor(svg, box, places, { path, ring, edge, open, before, changed }) {
    Object.assign(this, { svg, box, path, ring, edge, open, before, changed });
    const [left, , width] = box;
    this.xs = [...Array(places).keys()].map((k) => left + ((k + 0.5) * width) / places);
    this.heights = Array(places).fill(null);
    svg.addEventListener("pointerdown", (event) => this.press(event));
    // Not every browser heeds the `touch-action` of a shape: it would scroll, and end the stroke.
    svg.addEventListener("touchstart", (event) => this.draws(event) && event.preventDefault(), { passive: false });
    svg.addEventListener("pointermove", (event) => this.last && this.put(this.placeOf(event)));
    for (const kind of ["pointerup", "pointercancel", "lostpointercapture"])
      svg.addEventListener(kind, () => {
        this.last = null;
      });
  }

  get left() {
    return this.heights.filter((height) => height === null).length;
  }

  // How much there is to do, in words; nothing of a line that is complete.
  get toGo() {
    return this.left ? `${Math.ceil((100 * this.left) / this.heights.length)}% to go` : "";
  }

  placeOf(event) {
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    return [x, y];
  }

  within(y) {
    const [, top, , height] = this.box;
    return Math.min(top + height, Math.max(top, y));
  }

  // A finger draws from the ring or the edge on; anywhere else it scrolls the page.
  draws(event) {
    return this.open() && (this.ring.contains(event.target) || Boolean(this.edge?.contains(event.target)));
  }

  press(event) {
    if (!this.open() || event.button !== 0 || (event.pointerType === "touch" && !this.draws(event))) return;
    event.preventDefault();
    this.svg.setPointerCapture(event.pointerId);
    this.last = this.placeOf(event);
    this.put(this.last);
  }

  // Everything between the last place of the pen and this one.
  put(at) {
    const { heights, box, last } = this,
      places = heights.length,
      place = (x) => Math.min(places - 1, Math.max(0, Math.floor(((x - box[0]) / box[2]) * places)));
    const y = this.within(at[1]),
      [to, from] = [place(at[0]), place(last[0])];
    for (let k = Math.min(from, to); k <= Math.max(from, to); k++) {
      const share = from === to ? 1 : (k - from) / (to - from);
      heights[k] = last[1] + (y - last[1]) * share;
    }
    const first = heights.findIndex((height) => height !== null),
      start = this.before(heights[first]);
    for (let k = 0; k < first; k++) heights[k] = start + ((heights[first] - start) * k) / first;
    this.last = [at[0], y];
    this.show();
  }

  // The line through a few points, from left to right.
  through(points) {
    const inside = points.map(([x, y]) => [x, this.within(y)]),
      end = (x) => (x < inside[0][0] ? inside[0] : inside.at(-1))[1];
    this.heights = this.xs.map((x) => heightAt(inside, x) ?? end(x));
    this.show();
  }

  clear() {
    this.heights.fill(null);
    this.show();
  }

  show() {
    const { heights, xs, box } = this,
      round = (x) => Math.round(100 * x) / 100;
    let data = "",
      last = -1;
    heights.forEach((height, k) => {
      if (height === null) return;
      data += `${data && last === k - 1 ? "L" : "M"}${round(xs[k])} ${round(height)}`;
      last = k;
    });
    this.path.setAttribute("d", data);
    this.at = last < 0 ? [box[0], this.before(null)] : [xs[last], heights[last]];
    const shown = (part, now) => (now ? part.removeAttribute("display") : part.setAttribute("display", "none")),
      starts = Boolean(this.edge) && last < 0;
    shown(this.ring, this.open() && !starts);
    if (this.edge) shown(this.edge, this.open() && starts);
    this.ring.setAttribute("transform", `translate(${this.at.map(round).join(" ")})`);
    this.changed();
  }
}
