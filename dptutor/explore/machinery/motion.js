// Positions glide, so that the eye can follow which curve went where. Numbers never do: they belong to a setting that
// was computed.

const STEP = 120,
  LEAP = 500; // milliseconds, to the next stop of a slider and to a preset
const calm = globalThis.matchMedia?.("(prefers-reduced-motion: reduce)");
const between = (a, b, share) =>
  a.map((p, i) => (p && b[i] ? [p[0] + (b[i][0] - p[0]) * share, p[1] + (b[i][1] - p[1]) * share] : b[i]));
// Points that appear, vanish or become more have no way to go.
const alike = (a, b) => a && a.length === b.length && a.every((p, i) => !p === !b[i]);
const eased = (x) => (x < 0.5 ? 4 * x ** 3 : 1 - (2 - 2 * x) ** 3 / 2);

class Motion {
  constructor(show, shown) {
    Object.assign(this, { show, shown, moving: new Map() });
  }

  // Brings a part to its points within `duration`; it goes on from wherever it is now.
  bring(part, points, duration) {
    if (!duration || calm?.matches || document.hidden || !alike(part.points, points)) {
      this.moving.delete(part);
      this.put(part, points);
      return;
    }
    this.moving.set(part, { from: part.points, to: points, start: performance.now(), duration });
    this.frame ??= requestAnimationFrame(() => this.step());
  }

  step() {
    this.frame = null;
    const now = performance.now();
    for (const [part, { from, to, start, duration }] of this.moving) {
      const share = Math.min(1, Math.max(0, (now - start) / duration));
      if (share === 1) this.moving.delete(part);
      this.put(part, share === 1 ? to : between(from, to, duration > STEP ? eased(share) : share));
    }
    this.shown();
    if (this.moving.size) this.frame = requestAnimationFrame(() => this.step());
  }

  put(part, points) {
    part.points = points;
    this.show(part, points);
  }
}
