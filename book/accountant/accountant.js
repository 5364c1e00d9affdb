// An exact accountant: mechanisms from text, their trade-off functions, privacy profiles and Bayes errors, how much one may
// lose against another, and the parameter that meets a target. README.md tells how it is used.
//
// P is the null hypothesis, L = log dQ/dP, and for every real ε
//
//     α = Pr_P[L > ε],  β = Pr_Q[L ≤ ε],  δ(ε) = 1 − β − e^ε α,  R(π) = (1 − π)(1 − δ(ε)) at π = 1/(1 + e^{−ε}),
//     f(α) = max_ε 1 − δ(ε) − e^ε α.
//
// All answers come from δ at ε ≥ 0 of the pair and of its reverse. Their bounds use only bounds on δ and convexity:
// δ is convex in e^ε, R is concave in π.

import { lawOf, profileAt } from "./laws.js";
import { ULP } from "./numbers.js";
import { TooHard } from "./transform.js";

// What an answer may leave open: absolute, absolute where the law has atoms, relative for δ and for ε; for a δ below
// the least, or after few steps of DP-SGD, absolute again.
const OPEN = 1e-9,
  OPEN_WITH_ATOMS = 1e-6,
  SHARP = 1e-6,
  LEAST = 1e-12,
  ROUGHLY = 1e-15,
  FEW = 10;
// Of two that are nearly the same it costs too much to tell how nearly: this suffices.
const NEARLY_SAME = 1e-6,
  OPEN_IF_NEARLY_SAME = 1e-7;
// What is asked of δ where only its absolute error counts.
const GOAL = 1e-11;
const LARGEST_LOSS = 700;

class SpecificationError extends Error {
  constructor(message, text, start, end) {
    super(message);
    Object.assign(this, { name: "SpecificationError", text, start, end });
  }
}

class Unreachable extends Error {
  constructor(message) {
    super(message);
    this.name = "Unreachable";
  }
}

class Refused extends Error {
  constructor(what, python) {
    super(`${what} is beyond what the page computes exactly; in Python: ${python}`);
    Object.assign(this, { name: "Refused", python });
  }
}

// Mechanisms: parts of one direction, each with how often it is used, and whether both directions are meant.

class Mechanism {
  constructor(text, parts, both, alone) {
    Object.assign(this, { text, parts, both, alone });
    this.leak = -Math.expm1(parts.reduce((sum, { leak, count }) => sum + count * Math.log1p(-(leak ?? 0)), 0));
    this.isSymmetric = both || !parts.some(({ kind }) => kind === "sampled");
    this.hasAtoms = parts.some(({ kind }) => kind === "laplace" || kind === "response");
  }

  toString() {
    const shown = this.parts.map(({ text, count }) => (count > 1 ? `${text} ** ${count}` : text)).join(" @ ");
    if (this.alone) return this.alone;
    return this.both ? `(${shown}).symmetrized` : shown || "PerfectPrivacy()";
  }

  get reverse() {
    if (this.isSymmetric) return this;
    return new Mechanism(`(${this.text}).reverse`, this.parts.map(turned), false);
  }

  get symmetrized() {
    return this.isSymmetric ? this : new Mechanism(`(${this.text}).symmetrized`, this.parts, true);
  }

  get directions() {
    if (!this.both || !this.parts.some(({ kind }) => kind === "sampled")) return [];
    return [this.parts, this.parts.map(turned)].map((parts) => new Mechanism(`(${this.text})`, parts, false));
  }

  get law() {
    if (this.ownLaw === undefined) {
      try {
        this.ownLaw = lawOf(this.leak < 1 ? this.parts : []);
      } catch (problem) {
        if (!(problem instanceof TooHard)) throw problem;
        this.ownLaw = null;
      }
    }
    return this.ownLaw;
  }

  get largestLoss() {
    if (this.leak === 1) return 0;
    const law = this.known("largest_loss");
    return this.both ? Math.max(law.highest, law.reverse.highest) : law.highest;
  }

  get kinks() {
    if (this.leak === 1) return [];
    const own = Array.from(this.known("kinks").kinks);
    return this.both && this.law.reverse !== this.law ? [...own, ...own.map((kink) => -kink), 0] : own;
  }

  kinksWithin(low, high) {
    this.ownKinks ??= this.kinks;
    return this.ownKinks.filter((kink) => kink >= low && kink <= high);
  }

  known(question) {
    if (!this.law) throw this.refused(question);
    return this.law;
  }

  refused(question) {
    return new Refused(
      `the answer for ${this.text}`,
      `import dptutor as dp; dp.read(${JSON.stringify(this.text)}).${question}`,
    );
  }

  // δ, 1 − δ, e^ε α and a bound on the error of the first two at ε ≥ 0, of the pair (side 0) or its reverse (side 1).
  half(epsilon, side, goal) {
    if (this.leak === 1) return { d: 1, r: 0, a: 0, e: 0 };
    const law = this.law,
      first = (side && !this.both ? law.reverse : law).half(epsilon, goal);
    let { d, r, a, e } = first;
    if (this.both && law.reverse !== law) {
      // Of the direction with the smaller δ it need only be known that it is.
      const second = law.reverse.half(epsilon, Math.max(goal, 1e-8 * d));
      if (second.d + second.e >= d) e = Math.max(e, second.e);
      if (second.d > d) ({ d, r, a } = second);
    }
    const { leak } = this;
    if (leak) [d, r, a, e] = [leak + (1 - leak) * d, (1 - leak) * r, (1 - leak) * a, e + 2 * ULP * leak];
    // What no mechanism has, or NaN, is no answer.
    const off = e + 4 * ULP;
    if (!(e >= 0 && Math.min(d, r) >= -off && Math.max(d, r) <= 1 + off) || Number.isNaN(a))
      throw this.refused(`privacy_profile(${side ? -epsilon : epsilon})`);
    return { d, r, a, e };
  }

  // The same at any real ε, ±∞ too.
  at(epsilon, goal = GOAL) {
    if (epsilon === Infinity) return { d: this.leak, r: 1 - this.leak, a: 0, e: ULP * this.leak };
    if (epsilon === -Infinity) return { d: 1, r: 0, a: 0, e: 0 };
    if (epsilon >= 0) return this.half(epsilon, 0, goal);
    const side = this.isSymmetric ? 0 : 1;
    return profileAt({ reverse: { half: (at, wanted) => this.half(at, side, wanted) } }, epsilon, goal);
  }

  // The same again, of what is asked for many α: the first thousand.
  remembered(epsilon) {
    this.memory ??= new Map();
    const known = this.memory.get(epsilon);
    if (known) return known;
    const found = this.at(epsilon);
    if (this.memory.size < 1000) this.memory.set(epsilon, found);
    return found;
  }

  // Answers.

  delta(epsilon) {
    within("epsilon", epsilon, -Infinity, Infinity);
    this.known(`privacy_profile(${epsilon})`);
    const { d, e } = this.at(epsilon, 0);
    if (e > this.open || (e > SHARP * d && !((this.isShort || d + e < LEAST) && e < ROUGHLY)))
      throw this.refused(`privacy_profile(${epsilon})`);
    return { value: d, errorBound: d === 0 && epsilon < this.largestLoss ? Math.max(e, Number.MIN_VALUE) : e };
  }

  advantage() {
    return this.delta(0);
  }

  bayesError(prior) {
    within("prior", prior, 0, 1);
    const { value, error } = this.bayes(Math.log(prior / (1 - prior)), prior, 1 - prior);
    if (error > this.open) throw this.refused(`bayes_error(${prior})`);
    return { value, errorBound: error };
  }

  // R at log-odds ε with a bound on its error; the priors as they keep their digits.
  bayes(epsilon, prior, rest) {
    this.known(`bayes_error(${prior})`);
    const least = Math.min(prior, rest);
    if (least === 0 || this.leak === 1) return { value: 0, error: 0, a: 0 };
    const { r, e, a } = this.half(Math.abs(epsilon), epsilon < 0 && !this.isSymmetric ? 1 : 0, GOAL);
    return { value: least * r, error: least * (e + 4 * ULP), a };
  }

  // DP-SGD of a few steps, and nothing else: a small δ comes from rare and large losses, which no line shows well.
  get isShort() {
    return this.parts.length === 1 && this.parts[0].kind === "sampled" && this.parts[0].count <= FEW;
  }

  get open() {
    return this.hasAtoms ? OPEN_WITH_ATOMS : OPEN;
  }

  tradeOff(alpha) {
    within("alpha", alpha, 0, 1);
    this.known(`tradeoff(${alpha})`);
    if (alpha === 0) return { value: 1 - this.leak, errorBound: ULP };
    if (alpha >= 1 - this.leak) return { value: 0, errorBound: this.leak === 1 ? 0 : 4 * ULP };
    const found = new Supporting(this, alpha).found();
    if (!(found.errorBound <= this.open)) throw this.refused(`tradeoff(${alpha})`);
    return found;
  }

  epsilon(delta) {
    within("delta", delta, 0, 1);
    this.known(`epsilon(${delta})`);
    if (delta < this.leak) return { value: Infinity, errorBound: 0 };
    const highest = Math.max(this.largestLoss, 0);
    if (delta === this.leak) return { value: highest, errorBound: highest < Infinity ? 4 * ULP * highest : 0 };
    const found = smallestEpsilon(this, delta, highest);
    // Not found at all, it is not infinite: δ is above the leak.
    if (!(found.value < Infinity && found.errorBound <= SHARP * Math.max(1, found.value)))
      throw this.refused(`epsilon(${delta})`);
    return found;
  }

  deltas(epsilons) {
    return all(epsilons, (x) => this.delta(x));
  }

  bayesErrors(priors) {
    return all(priors, (x) => this.bayesError(x));
  }

  tradeOffs(alphas) {
    return all(alphas, (x) => this.tradeOff(x));
  }

  epsilons(deltas) {
    return all(deltas, (x) => this.epsilon(x));
  }
}

const turned = (part) => (part.kind === "sampled" ? sampledPart(part.sigma, part.rate, part.count, !part.add) : part);

function all(places, answer) {
  const values = new Float64Array(places.length),
    errorBounds = new Float64Array(places.length);
  for (let k = 0; k < places.length; k++) ({ value: values[k], errorBound: errorBounds[k] } = answer(places[k]));
  return { values, errorBounds };
}

function within(name, value, low, high) {
  if (typeof value !== "number" || !(value >= low && value <= high))
    throw new RangeError(`${name} must be ${high < Infinity ? `in [${low}, ${high}]` : "a number"}, got ${value}`);
}

// f(α) = max_ε G(ε), G = 1 − δ(ε) − e^ε α, which is concave in x = e^ε.
class Supporting {
  constructor(mechanism, alpha) {
    Object.assign(this, { mechanism, alpha, logAlpha: Math.log(alpha) });
  }

  // Of G a value and a bound on its error, and the logarithm of α(ε)/α, which falls.
  at(epsilon) {
    const { r, a, e } = this.mechanism.remembered(epsilon),
      x = Math.exp(epsilon + this.logAlpha);
    return {
      epsilon,
      g: r - x,
      e: e + 4 * ULP * (r + x * (1 + Math.abs(epsilon))),
      over: a > 0 ? Math.log(a) - epsilon - this.logAlpha : -800,
    };
  }

  found() {
    const { mechanism } = this,
      scale = mechanism.law.scale || 1;
    mechanism.places ??= [-8, -6, -5, -4, -3, -2.5, -2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2, 2.5, 3, 4, 5, 6, 8].map(
      (k) => (k === 0 ? 0 : k * scale),
    );
    if (this.at(mechanism.places[0]).over < -100) {
      const most = this.least({ epsilon: 0 });
      if (most < 1e-15) return { value: most / 2, errorBound: most / 2 };
    }
    let [low, high] = this.bracket(scale);
    let best = low.g > high.g ? low : high;
    // Regula falsi with halved ends, and halving now and then.
    let overLow = low.over,
      overHigh = high.over;
    for (let round = 0; round < 60 && high.epsilon - low.epsilon > 1e-9 * (scale + Math.abs(low.epsilon)); round++) {
      const share = overLow / (overLow - overHigh);
      const useful = round % 4 < 3 && share > 1e-3 && share < 0.999;
      const next = this.at(low.epsilon + (high.epsilon - low.epsilon) * (useful ? share : 0.5));
      if (next.g > best.g) best = next;
      if (Math.abs(next.over) < 1e-8) break;
      if (next.over > 0) {
        low = next;
        overLow = next.over;
        overHigh /= 2;
      } else {
        high = next;
        overHigh = next.over;
        overLow /= 2;
      }
    }
    const reach = 1e-6 * (scale + Math.abs(low.epsilon));
    for (const kink of mechanism.kinksWithin(low.epsilon - reach, high.epsilon + reach).slice(0, 8)) {
      const there = this.at(kink);
      if (there.g >= best.g - there.e) best = there;
    }
    const slope = (overLow - overHigh) / Math.max(high.epsilon - low.epsilon, 1e-300);
    return this.bounded(best, scale, Math.abs(slope));
  }

  // Neighboring ε, of those that were asked for all α, between which the logarithm of α(ε)/α changes its sign.
  bracket(scale) {
    const { mechanism } = this,
      { places } = mechanism,
      seen = new Map();
    const at = (k) => {
      if (!seen.has(k)) seen.set(k, this.at(places[k]));
      return seen.get(k);
    };
    while (at(0).over <= 0 && places[0] > -1e6 * (1 + scale)) {
      places.unshift(2 * places[0]);
      seen.clear();
    }
    while (at(places.length - 1).over > 0 && places[places.length - 1] < 1e6 * (1 + scale))
      places.push(2 * places[places.length - 1]);
    let low = 0,
      high = places.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (at(middle).over > 0) low = middle;
      else high = middle;
    }
    return [at(low), at(high)];
  }

  // A concave function lies below its continued chords: beside the best place below that from the other side, and below
  // that from further out on the same side.
  bounded(best, scale, slope) {
    const size = scale + Math.abs(best.epsilon);
    // G falls by about e^ε α |slope| away²/2.
    const first = Math.sqrt((16 * best.e) / (Math.exp(best.epsilon + this.logAlpha) * slope)),
      start = Math.min(Math.max(1e-8 * size, first || 0), 1e-2 * size);
    const sides = [-1, 1].map((sign) => {
      for (let away = start; away < 1e3 * (1 + size); away *= 3) {
        const there = this.at(best.epsilon + sign * away);
        if (there.g + there.e >= best.g - best.e) continue;
        const further = this.at(best.epsilon + 3 * sign * away),
          near = Math.abs(Math.expm1(sign * away)),
          far = Math.abs(Math.expm1(3 * sign * away)) - near;
        const drop = best.g - there.g,
          own = ((there.g - further.g + there.e + further.e) * near) / far - drop + there.e;
        return { near, drop: drop + there.e + best.e, own };
      }
      return { near: Infinity, drop: Infinity, own: Infinity };
    });
    const [left, right] = sides;
    const above = Math.max(
      Math.min((left.drop * right.near) / left.near, right.own),
      Math.min((right.drop * left.near) / right.near, left.own),
      0,
    );
    const value = Math.min(Math.max(best.g, 0), 1 - this.alpha),
      errorBound = best.e + (Number.isNaN(above) ? Infinity : above);
    return errorBound < 1e-9
      ? { value, errorBound }
      : { value, errorBound: Math.min(errorBound, Math.max(this.least(best) - value, value)) };
  }

  // An upper bound on f, for where it is tiny: G ≤ 1 − δ, which rises with ε, and beyond where G is negative it stays so.
  least({ epsilon }) {
    for (const place of [-650, -300, -100, -40, -20, -10, -5, -2, 0, epsilon + 1e-3, epsilon + 0.1, epsilon + 1]) {
      const { r, e } = this.mechanism.at(place),
        x = Math.exp(place + this.logAlpha);
      if (r + e < x * (1 - 1e-12)) return r + e;
    }
    return 1;
  }
}

// The smallest ε ≥ 0 with δ(ε) ≤ δ, between an ε at which δ is surely larger and one at which it is surely smaller.
function smallestEpsilon(mechanism, delta, highest) {
  const at = (epsilon) => {
    const { d, e, a } = mechanism.at(epsilon, 1e-8 * delta);
    return { epsilon, d, e, a, over: (d > 0 ? Math.log(d) : -800) - Math.log(delta) };
  };
  const scale = mechanism.law.scale || 1;
  let low = at(0);
  if (low.d + low.e <= delta) return { value: 0, errorBound: 0 };
  let high = null;
  for (let step = scale / 2; !high; step *= 2) {
    const next = at(Math.min(step, highest));
    if (next.over <= 0) high = next;
    else low = next;
    if (step > 1e300) return { value: highest, errorBound: Infinity };
  }
  let best = Math.abs(low.over) < Math.abs(high.over) ? low : high;
  for (let round = 0; round < 60 && high.epsilon - low.epsilon > 4 * ULP * high.epsilon; round++) {
    // Newton's step for log δ, whose slope is −e^ε α/δ; within the bracket, else its middle.
    let next = best.epsilon + (best.over * best.d) / best.a;
    if (!(next > low.epsilon && next < high.epsilon)) next = (low.epsilon + high.epsilon) / 2;
    const there = at(next);
    const stuck = Math.abs(there.over) > 0.5 * Math.abs(best.over);
    best = there;
    if (there.over > 0) low = there;
    else high = there;
    if (Math.abs(there.over) < 1e-11) break;
    if (stuck) {
      const middle = at((low.epsilon + high.epsilon) / 2);
      if (middle.over > 0) low = middle;
      else high = middle;
      best = middle;
    }
  }
  const value = best.epsilon;
  const sides = [-1, 1].map((sign) => {
    for (let away = 1e-10 * (scale + value); away < 1 + scale + value; away *= 6) {
      const place = Math.min(value + sign * away, highest);
      if (place <= 0) return value;
      const there = at(place);
      if (sign < 0 ? there.d - there.e > delta : there.d + there.e <= delta || place === highest) return away;
    }
    return Infinity;
  });
  return { value, errorBound: Math.max(...sides) };
}

// Comparing.

// max_π R_a − R_b with a bound on its error. Between two priors R_a lies below the chords continued from both sides, and R_b
// above its chord; intervals on which the bound exceeds the best value found are divided, those where it does so by most if
// there are too many.
const GAP = 2e-10,
  MOST_PRIORS = 6000,
  TAIL = 1e-10;

function largestDifference(a, b, node, enough) {
  const symmetric = a.isSymmetric && b.isSymmetric,
    reach = 23;
  const places = new Set();
  for (let epsilon = -reach; epsilon <= (symmetric ? 0 : reach); epsilon += 0.5) places.add(epsilon);
  const kinks = [a, b].flatMap((each) => each.kinksWithin(-reach, reach));
  if (kinks.length < 1000)
    for (const kink of kinks)
      for (const at of symmetric ? [-Math.abs(kink)] : [kink, -kink]) if (Math.abs(at) < reach) places.add(at);
  let nodes = [...places].sort((x, y) => x - y).map(node);
  nodes.unshift({ epsilon: -Infinity, prior: 0, first: 0, second: 0, error: 0 });
  nodes.push(symmetric ? node(0.5) : { epsilon: Infinity, prior: 1, first: 0, second: 0, error: 0 });
  let best = nodes[0],
    most = 0;
  for (let round = 0; round < 40; round++) {
    for (const each of nodes) if (each.first - each.second > best.first - best.second) best = each;
    const bounds = nodes.slice(1).map((_, k) => upperBound(nodes, k)),
      least = best.first - best.second + GAP;
    most = Math.max(...bounds);
    const open = bounds.filter((bound) => bound > least).sort((x, y) => y - x),
      room = Math.floor((MOST_PRIORS - nodes.length) / 3);
    if (!open.length || room < 1 || (open.length > room && most - least < enough)) break;
    const from = open.length > room ? open[room - 1] : least;
    const next = [nodes[0]];
    bounds.forEach((bound, k) => {
      const { prior: left, epsilon: low } = nodes[k],
        { prior: right, epsilon: high } = nodes[k + 1];
      const parts = open.length < 12 ? 8 : 4;
      if (bound > least && bound >= from && right - left > 1e-13)
        for (let i = 1; i < parts; i++) {
          const prior = left + ((right - left) * i) / parts,
            epsilon = Math.log(prior / (1 - prior));
          if (epsilon > low && epsilon < high) next.push(node(epsilon));
        }
      next.push(nodes[k + 1]);
    });
    if (next.length === nodes.length) break;
    nodes = next;
  }
  const value = best.first - best.second;
  if (!(value > 0)) return { value: 0, prior: 0, error: Math.max(most, TAIL / 100) };
  const { value: top, prior } = polished(a, b, best, nodes, node);
  return { value: top, prior, error: Math.max(most - top, 0) + best.error };
}

// Of R_a − R_b between nodes k and k + 1.
function upperBound(nodes, k) {
  const left = nodes[k],
    right = nodes[k + 1],
    width = right.prior - left.prior;
  // Lines through (0, ·): value at the left end and slope, with errors.
  const line = (near, far) => {
    const apart = Math.abs(near.prior - far.prior),
      slack = near.error + ((near.error + far.error) * width) / apart;
    return { at: near.first + slack, slope: (near.first - far.first) / (near.prior - far.prior) };
  };
  const from = k > 0 ? line(left, nodes[k - 1]) : { at: 0, slope: 1 };
  const back = k + 2 < nodes.length ? line(right, nodes[k + 2]) : { at: right.first + right.error, slope: -1 };
  const chord = (x) => left.second + ((right.second - left.second) * x) / width - Math.max(left.error, right.error);
  const first = (x) => Math.min(from.at + from.slope * x, back.at + back.slope * (x - width));
  const meet = (back.at - back.slope * width - from.at) / (from.slope - back.slope);
  const ends = Math.max(left.first - left.second + left.error, right.first - right.second + right.error);
  return meet > 0 && meet < width ? Math.max(ends, first(meet) - chord(meet)) : ends;
}

// The slope of R is α − β: where those of both are equal, if that is higher.
function polished(a, b, best, nodes, node) {
  const slope = (epsilon) => {
    const [first, second] = [a, b].map((mechanism) => {
      const { r, a: tail } = mechanism.at(epsilon);
      return tail * Math.exp(-epsilon) - (r - tail);
    });
    return first - second;
  };
  const k = nodes.indexOf(best);
  let low = nodes[Math.max(k - 1, 1)].epsilon,
    high = nodes[Math.min(k + 1, nodes.length - 2)].epsilon;
  if (!(slope(low) > 0 && slope(high) < 0)) return { value: best.first - best.second, prior: best.prior };
  for (let round = 0; round < 40 && high - low > 1e-12; round++) {
    const middle = (low + high) / 2;
    if (slope(middle) > 0) low = middle;
    else high = middle;
  }
  const found = node((low + high) / 2),
    value = found.first - found.second;
  return value >= best.first - best.second - 1e-15
    ? { value, prior: found.prior }
    : { value: best.first - best.second, prior: best.prior };
}

// Whether two have the same law, up to rounding, however they are written: four steps of Gaussian noise with σ = 2 are one
// with σ = 1.
function alike(one, other) {
  if (one.leak !== other.leak || one.isSymmetric !== other.isSymmetric) return false;
  if (one.leak === 1) return true;
  const [first, second] = [one, other].map(({ parts }) => {
    const counts = new Map();
    let gaussian = 0;
    for (const { kind, key, mu, count } of parts)
      if (kind === "gaussian") gaussian += count * mu * mu;
      else counts.set(key, (counts.get(key) ?? 0) + count);
    return { counts, gaussian };
  });
  return (
    Math.abs(first.gaussian - second.gaussian) <= 8 * ULP * first.gaussian &&
    first.counts.size === second.counts.size &&
    [...first.counts].every(([key, count]) => second.counts.get(key) === count)
  );
}

function compare(a, b) {
  const [one, other] = [a, b].map((each) => (typeof each === "string" ? read(each) : each));
  if (String(one) === String(other))
    return { divergence: 0, divergencePrior: 0, reverseDivergence: 0, reversePrior: 0, errorBound: 0 };
  if (alike(one, other))
    return { divergence: 0, divergencePrior: 0, reverseDivergence: 0, reversePrior: 0, errorBound: 4 * ULP };
  const known = new Map();
  const both = (epsilon) => {
    if (!known.has(epsilon)) {
      const prior = 1 / (1 + Math.exp(-epsilon)),
        rest = 1 / (1 + Math.exp(epsilon));
      const first = one.bayes(epsilon, prior, rest),
        second = other.bayes(epsilon, prior, rest);
      const error = first.error + second.error;
      known.set(epsilon, { epsilon, prior, first: first.value, second: second.value, error });
    }
    return known.get(epsilon);
  };
  const swapped = (epsilon) => {
    const { first, second, ...rest } = both(epsilon);
    return { ...rest, first: second, second: first };
  };
  const enough = Math.max(one.open, other.open),
    there = largestDifference(one, other, both, enough),
    back = largestDifference(other, one, swapped, enough),
    errorBound = Math.max(there.error, back.error);
  const nearlySame = Math.max(there.value, back.value) < NEARLY_SAME;
  if (!(errorBound <= Math.max(enough, nearlySame ? OPEN_IF_NEARLY_SAME : 0))) {
    const texts = [one, other].map(({ text }) => `dp.read(${JSON.stringify(text)})`).join(", ");
    const python = `import dptutor as dp; dp.delta_divergence(${texts})`;
    throw new Refused(`the difference of ${one.text} and ${other.text}`, python);
  }
  return {
    divergence: there.value,
    divergencePrior: there.prior,
    reverseDivergence: back.value,
    reversePrior: back.prior,
    errorBound,
  };
}

// Reading.

// The parts that texts name: parameters with their defaults and ranges.
const positive = (name, value) => number(name, value, (x) => x > 0 && x < Infinity, "greater than 0 and finite");
const MAKERS = {
  Gaussian: {
    names: ["sigma", "sensitivity"],
    defaults: { sigma: 1, sensitivity: 1 },
    make({ sigma, sensitivity }) {
      const own = [positive("sigma", sigma), positive("sensitivity", sensitivity)];
      return gaussianPart(own[1] / own[0], `Gaussian(sigma=${shown(own[0])}, sensitivity=${shown(own[1])})`);
    },
  },
  Laplace: {
    names: ["scale", "sensitivity"],
    defaults: { scale: 1, sensitivity: 1 },
    make({ scale, sensitivity }) {
      const own = [positive("scale", scale), positive("sensitivity", sensitivity)],
        top = own[1] / own[0];
      if (!(top > 0 && top < 1e150)) fail(`sensitivity/scale must be in (0, 1e150), got ${top}`, scale);
      const text = `Laplace(scale=${shown(own[0])}, sensitivity=${shown(own[1])})`;
      return { parts: [{ kind: "laplace", key: `L${top}`, top, count: 1, text }] };
    },
  },
  DiscreteLaplace: {
    names: ["scale", "sensitivity"],
    defaults: { scale: 1, sensitivity: 1 },
    // On counts it is randomized response to every adversary; with a larger sensitivity its law has more losses.
    make({ scale, sensitivity }) {
      const own = positive("scale", scale),
        change = sensitivity === 1 ? 1 : whole("sensitivity", sensitivity);
      if (!(change / own <= LARGEST_LOSS))
        fail(`sensitivity/scale must be at most ${LARGEST_LOSS}, got ${change / own}`, scale);
      if (change > 1) return null;
      const { parts } = responsePart(1 / own, 0);
      return { parts: [{ ...parts[0], text: `DiscreteLaplace(scale=${shown(own)}, sensitivity=1)` }] };
    },
  },
  FixedBatches: {
    names: ["noise_multiplier"],
    defaults: {},
    make({ noise_multiplier }) {
      const own = positive("noise_multiplier", noise_multiplier);
      return gaussianPart(1 / own, `FixedBatches(noise_multiplier=${shown(own)})`);
    },
  },
  RandomizedResponse: {
    names: ["epsilon"],
    defaults: { epsilon: 1 },
    make: ({ epsilon }) => responsePart(epsilon, 0),
  },
  ApproximateDP: {
    names: ["epsilon", "delta"],
    defaults: { epsilon: 1, delta: 1e-5 },
    make: ({ epsilon, delta }) => responsePart(epsilon, delta),
  },
  SubsampledGaussian: {
    names: ["noise_multiplier", "sampling_rate", "direction"],
    defaults: { direction: "both" },
    make: (given) => sampledParts({ ...given, steps: null }),
  },
  DPSGD: {
    names: ["noise_multiplier", "sampling_rate", "steps", "direction"],
    defaults: { direction: "both" },
    make: sampledParts,
  },
  PerfectPrivacy: { names: [], defaults: {}, make: () => ({ parts: [] }) },
  BlatantlyNonPrivate: {
    names: [],
    defaults: {},
    make: () => ({ parts: [{ kind: "nothing", key: "", leak: 1, count: 1, text: "BlatantlyNonPrivate()" }] }),
  },
};
// biome-ignore format: a list
const REFUSED = ["DiscreteGaussian", "KaryRandomizedResponse", "ShuffledBatches", "BallsAndBins", "SampledWithoutReplacement",
  "FiniteExperiment", "join", "meet", "group", "matrix_mechanism",
  "tree_aggregation", "allowed_by", "TruncatedPoisson", "SubsampledLaplace", "SubsampledGaussianGroup", "Staircase",
  "SubsampledGaussianReplaceOne", "SubsampledDiscreteGaussian", "SubsampledDiscreteLaplace", "GaussianMixture",
  "ExponentialMechanism", "PermuteAndFlip", "SparseVector", "ShuffledRandomizedResponse"];
const FUNCTIONS = { sqrt: Math.sqrt, exp: Math.exp, log: Math.log };

function gaussianPart(mu, text) {
  if (!(mu > 0 && mu < 1e150)) fail(`sensitivity/sigma must be in (0, 1e150), got ${mu}`);
  return { parts: [{ kind: "gaussian", key: "G", mu, count: 1, text }] };
}

function responsePart(epsilon, delta) {
  const loss = number("epsilon", epsilon, (x) => x >= 0 && x <= LARGEST_LOSS, `in [0, ${LARGEST_LOSS}]`),
    leak = number("delta", delta, (x) => x >= 0 && x <= 1, "in [0, 1]");
  const text =
    delta === 0
      ? `RandomizedResponse(epsilon=${shown(loss)})`
      : `ApproximateDP(epsilon=${shown(loss)}, delta=${shown(leak)})`;
  return { parts: [{ kind: "response", key: `R${loss}`, epsilon: loss, leak, count: 1, text }] };
}

function sampledPart(sigma, rate, count, add) {
  const text = `SubsampledGaussian(noise_multiplier=${shown(sigma)}, sampling_rate=${shown(rate)}, direction='${add ? "add" : "remove"}')`;
  return { kind: "sampled", key: `S${sigma} ${rate} ${add}`, sigma, rate, add, count, text };
}

function sampledParts({ noise_multiplier, sampling_rate, steps, direction }) {
  const sigma = number("noise_multiplier", noise_multiplier, (x) => x > 1e-150 && x < Infinity, "greater than 1e-150"),
    rate = number("sampling_rate", sampling_rate, (x) => x > 0 && x <= 1, "in (0, 1]"),
    way = direction?.value ?? direction;
  if (!["both", "add", "remove"].includes(way))
    fail(`direction must be one of 'both', 'add', 'remove', got ${quoted(way)}`, direction);
  number("sampling_rate", sampling_rate, (x) => x >= 1e-200, "at least 1e-200");
  const count = steps === null ? 1 : whole("steps", steps);
  const names = [`noise_multiplier=${shown(sigma)}`, `sampling_rate=${shown(rate)}`];
  if (steps !== null) names.push(`steps=${count}`);
  const alone = `${steps === null ? "SubsampledGaussian" : "DPSGD"}(${names.join(", ")}, direction='${way}')`;
  if (rate === 1) {
    const { parts } = gaussianPart(1 / sigma, `Gaussian(sigma=${shown(sigma)}, sensitivity=1.0)`);
    return { parts: [{ ...parts[0], count }], alone };
  }
  return { parts: [sampledPart(sigma, rate, count, way === "add")], both: way === "both", alone };
}

// As Python prints a float.
function shown(x) {
  const text = String(x);
  if (/e/.test(text)) return text.replace(/e([+-])(\d)$/, "e$10$2");
  return Math.abs(x) < 1e-4 && x !== 0 ? shown(x.toExponential()) : /\./.test(text) ? text : `${text}.0`;
}

const quoted = (value) =>
  typeof value === "string" ? `'${value}'` : typeof value === "number" ? shown(value) : "a mechanism";

// Values while reading are { value, whole, start, end }: a number (whole: an integer as Python sees it), a text, a list, or
// a mechanism.
class Wrong extends Error {
  constructor(message, place) {
    super(message);
    this.place = place;
  }
}

function fail(message, place) {
  throw new Wrong(message, place);
}

function number(name, given, fits, range) {
  const value = given !== null && typeof given === "object" ? given.value : given;
  if (typeof value !== "number") fail(`${name} must be a real number, got ${quoted(value)}`, given);
  if (!fits(value)) fail(`${name} must be ${range}, got ${shown(value)}`, given);
  return value;
}

function whole(name, given) {
  const { value } = given;
  if (typeof value !== "number" || !given.whole || value < 1)
    fail(`${name} must be a positive integer, got ${given.whole ? value : quoted(value)}`, given);
  if (value > 1e15) fail(`${name} must be a positive integer up to 1e+15, got ${value}`, given);
  return value;
}

const TOKEN =
  /\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|([A-Za-z_]\w*)|("[^"]*"|'[^']*')|(\*\*|[-+*/@(),.=?[\]]))/y;
const LONGEST = 100_000,
  DEEPEST = 50;

class Reader {
  constructor(text, sought) {
    if (typeof text !== "string")
      throw new SpecificationError(`a specification must be text, got ${text}`, String(text), 0, 0);
    if (text.length > LONGEST)
      throw new SpecificationError(`a specification must have at most ${LONGEST} characters`, text, 0, 0);
    Object.assign(this, { text, sought, tokens: [], next: 0, depth: 0 });
    const plain = text
      .replace(/−/g, "-")
      .replace(/[\u00a0\u2009\u202f]/g, " ")
      .trimEnd();
    TOKEN.lastIndex = 0;
    while (TOKEN.lastIndex < plain.length) {
      const at = TOKEN.lastIndex,
        found = TOKEN.exec(plain);
      if (!found) {
        const start = at + plain.slice(at).search(/\S/);
        throw new SpecificationError(`'${text[start]}' is not allowed in a specification`, text, start, start + 1);
      }
      const [whole, digits, name, string, sign] = found,
        end = TOKEN.lastIndex;
      const start = end - whole.trimStart().length;
      this.tokens.push({ digits, name, string, sign, start, end });
    }
    this.tokens.push({ sign: "the end", start: plain.length, end: plain.length });
  }

  read() {
    try {
      const found = this.sum();
      if (this.here.sign !== "the end") this.unexpected();
      if (!(found.value instanceof Mechanism))
        fail(`'${this.text}' is not a mechanism: write one as it prints, like 'Gaussian(sigma=1)'`, found);
      return new Mechanism(this.text, found.value.parts, found.value.both, found.value.alone);
    } catch (problem) {
      if (!(problem instanceof Wrong)) throw problem;
      const { start, end } = problem.place ?? { start: 0, end: this.text.length };
      throw new SpecificationError(problem.message, this.text, start ?? 0, end ?? this.text.length);
    }
  }

  get here() {
    return this.tokens[this.next];
  }

  unexpected() {
    const { sign, start, end } = this.here,
      found = sign === "the end" ? sign : `'${this.text.slice(start, end)}'`;
    fail(
      `'${this.text}' is not a mechanism: ${found} is not expected there; write one as it prints, like 'Gaussian(sigma=1)'`,
      this.here,
    );
  }

  // The next token, if it is this sign.
  take(sign) {
    if (this.here.sign !== sign) return null;
    return this.tokens[this.next++];
  }

  expect(sign) {
    return this.take(sign) ?? this.unexpected();
  }

  chain(signs, part, combine) {
    let left = part();
    for (let sign = this.here; sign.sign && signs.includes(sign.sign); sign = this.here) {
      this.next++;
      const right = part();
      left = { ...combine(sign.sign, left, right), start: left.start, end: right.end };
    }
    return left;
  }

  sum() {
    if (++this.depth > DEEPEST) fail(`a specification must be nested at most ${DEEPEST} deep`, this.here);
    const found = this.chain(["+", "-"], () => this.product(), calculated);
    this.depth--;
    return found;
  }

  product() {
    return this.chain(
      ["*", "/", "@"],
      () => this.signed(),
      (sign, left, right) => (sign === "@" ? this.composed(left, right) : calculated(sign, left, right)),
    );
  }

  composed(left, right) {
    for (const each of [left, right])
      if (!(each.value instanceof Mechanism))
        fail(
          `'${this.text.slice(each.start, each.end)}' is not a mechanism: write one as it prints, like 'Gaussian(sigma=1)'`,
          each,
        );
    const [a, b] = [left.value, right.value];
    return { value: new Mechanism("", [...a.parts, ...b.parts], a.both || b.both) };
  }

  signed() {
    const sign = this.take("-") ?? this.take("+");
    if (!sign) return this.power();
    const { value, whole, end } = this.signed();
    if (typeof value !== "number") fail("only numbers can be added, multiplied and so on", { start: sign.start, end });
    return { value: sign.sign === "-" ? -value : value, whole, start: sign.start, end };
  }

  power() {
    const base = this.attributes();
    if (!this.take("**")) return base;
    const exponent = this.signed(),
      place = { start: base.start, end: exponent.end };
    if (!(base.value instanceof Mechanism)) return { ...calculated("**", base, exponent), ...place };
    const count = whole("the exponent", exponent);
    const parts = base.value.parts.map((part) => ({ ...part, count: part.count * count }));
    if (parts.some((part) => part.count > Number.MAX_SAFE_INTEGER)) fail("there are more than 1e15 steps", exponent);
    return { value: count === 1 ? base.value : new Mechanism("", parts, base.value.both), ...place };
  }

  attributes() {
    let found = this.atom();
    while (this.take(".")) {
      const { name, end } = this.tokens[this.next++];
      if (!["reverse", "symmetrized"].includes(name) || !(found.value instanceof Mechanism))
        fail(`'.${name ?? ""}' is not allowed in a specification`, { start: found.start, end });
      found = { value: found.value[name], start: found.start, end };
    }
    return found;
  }

  atom() {
    const token = this.here,
      { digits, name, string, start, end } = token;
    if (token.sign && !["(", "[", "?"].includes(token.sign)) this.unexpected();
    this.next++;
    if (digits) return { value: Number(digits), whole: /^\d+$/.test(digits), start, end };
    if (string) return { value: string.slice(1, -1), start, end };
    if (token.sign === "?") {
      if (this.sought === undefined) fail("a ? stands for a number that is looked for", token);
      return { value: this.sought, whole: Number.isInteger(this.sought), start, end };
    }
    if (token.sign === "(") {
      const inside = this.sum();
      return { ...inside, start, end: this.expect(")").end };
    }
    if (token.sign === "[") {
      const value = [];
      while (this.here.sign !== "]") {
        value.push(this.sum());
        if (!this.take(",")) break;
      }
      return { value, start, end: this.expect("]").end };
    }
    return this.called(name, token);
  }

  called(name, token) {
    const { start } = token;
    const known = Object.hasOwn(MAKERS, name) || Object.hasOwn(FUNCTIONS, name) || REFUSED.includes(name);
    if (!known)
      fail(
        `${name} is unknown; known are ${[...Object.keys(MAKERS), ...REFUSED, ...Object.keys(FUNCTIONS)].join(", ")}`,
        token,
      );
    this.expect("(");
    const given = {},
      list = [],
      names = MAKERS[name]?.names ?? [];
    while (this.here.sign !== ")") {
      const key = this.here.name,
        at = this.here;
      if (key && this.tokens[this.next + 1].sign === "=") {
        this.next += 2;
        if (MAKERS[name] && !names.includes(key))
          fail(`${name} has no parameter ${key}: it has ${names.join(", ") || "none"}`, at);
        if (Object.hasOwn(given, key)) fail(`${key} is given twice`, at);
        given[key] = this.sum();
      } else {
        const value = this.sum();
        if (MAKERS[name] && list.length >= names.length) fail(`${name} takes at most ${names.length} numbers`, value);
        if (Object.keys(given).length > list.length)
          fail("a number without a name may not follow one with a name", value);
        if (MAKERS[name]) given[names[list.length]] = value;
        list.push(value);
      }
      if (!this.take(",")) break;
    }
    const { end } = this.expect(")"),
      place = { start, end };
    if (FUNCTIONS[name]) {
      const value =
        list.length === 1 && typeof list[0].value === "number" ? FUNCTIONS[name](list[0].value) : Number.NaN;
      if (!Number.isFinite(value)) fail(`'${this.text.slice(start, end)}' is not a real number`, place);
      return { value, ...place };
    }
    if (REFUSED.includes(name)) this.refuse(name);
    const { defaults, make } = MAKERS[name];
    const missing = names.filter((each) => !Object.hasOwn(given, each) && !Object.hasOwn(defaults, each));
    if (missing.length) fail(`${name} needs ${missing.join(" and ")}`, place);
    const made = make({ ...defaults, ...given });
    if (!made) this.refuse(this.text.slice(start, end));
    const { parts, both, alone } = made;
    return { value: new Mechanism(this.text.slice(start, end), parts, Boolean(both), alone), ...place };
  }

  refuse(what) {
    throw new Refused(what, `import dptutor as dp; dp.read(${JSON.stringify(this.text)})`);
  }
}

function calculated(sign, left, right) {
  const [a, b] = [left.value, right.value],
    place = { start: left.start, end: right.end };
  if (typeof a !== "number" || typeof b !== "number") fail("only numbers can be added, multiplied and so on", place);
  const value = { "+": a + b, "-": a - b, "*": a * b, "/": a / b, "**": a ** b }[sign];
  if (Number.isNaN(value) || (sign === "/" && b === 0)) fail("this is not a real number", place);
  if (Math.abs(value) > 1e308) fail("this is beyond the largest number, 1e308", place);
  return { value, whole: left.whole && right.whole && sign !== "/" && !(sign === "**" && b < 0) };
}

function read(text) {
  return new Reader(text).read();
}

// Calibration.

const logit = (p) => Math.log(p / (1 - p));
const SMALLEST = 1e-9,
  LARGEST = 1e15;

// What is to meet the target, with a bound on its error, and the target.
function targetOf(wanted) {
  const { epsilon, delta = 0, advantage, posteriorBelief, membershipPrior = 0.5, exceedance, fpr, tpr } = wanted;
  const given = [epsilon, advantage, posteriorBelief, fpr].filter((x) => x !== undefined);
  if (given.length !== 1) throw new RangeError("give exactly one of epsilon, advantage, posteriorBelief, fpr");
  if (advantage !== undefined) {
    open("advantage", advantage, 0, 1);
    return { target: advantage, height: profileHeight(0) };
  }
  if (fpr !== undefined) {
    open("fpr", fpr, 0, 1);
    open("tpr", tpr, fpr, 1);
    return {
      target: tpr,
      height(mechanism) {
        const { value, errorBound } = mechanism.tradeOff(fpr);
        return { value: 1 - value, error: errorBound };
      },
    };
  }
  let at = epsilon;
  if (posteriorBelief !== undefined) {
    open("membershipPrior", membershipPrior, 0, 1);
    open("posteriorBelief", posteriorBelief, membershipPrior, 1);
    at = logit(posteriorBelief) - logit(membershipPrior);
  }
  if (exceedance !== undefined) {
    open("exceedance", exceedance, 0, 1);
    return { target: exceedance, height: (mechanism) => tail(mechanism, at) };
  }
  within("epsilon", at, 0, Number.MAX_VALUE);
  within("delta", delta, 0, 1);
  if (delta === 0)
    return { target: at, height: (mechanism) => ({ value: mechanism.largestLoss, error: 4 * ULP * at }) };
  return { target: delta, height: profileHeight(at) };
}

// A target as the library's `calibrate` takes it.
const inPython = (wanted) =>
  Object.entries(wanted)
    .map(([name, value]) => `${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}=${value}`)
    .join(", ");

function open(name, value, low, high) {
  if (!(typeof value === "number" && value > low && value < high))
    throw new RangeError(`${name} must be in (${low}, ${high}), got ${value}`);
}

const profileHeight = (epsilon) => (mechanism) => {
  mechanism.known(`privacy_profile(${epsilon})`);
  const { d, e } = mechanism.at(epsilon, 0);
  return { value: d, error: e };
};

// Pr_Q[L > ε] = δ + e^ε α. As δ is convex in e^ε, α lies between the slopes of chords to either side.
function tail(mechanism, epsilon) {
  mechanism.known(`privacy_loss.sf(${epsilon})`);
  const scale = mechanism.law.scale || 1,
    here = mechanism.at(epsilon),
    value = here.d + here.a;
  let error = 1;
  for (let away = 1e-8 * scale; away < 1e-3 * scale; away *= 4) {
    const [left, right] = [-away, away].map((step) => mechanism.at(epsilon + step));
    const most = (left.d - here.d + left.e + here.e) / -Math.expm1(-away),
      least = (here.d - right.d - right.e - here.e) / Math.expm1(away);
    error = Math.min(error, Math.max(most - here.a, here.a - least) + here.e);
  }
  return { value, error };
}

function calibrate(template, wanted) {
  if (typeof template !== "string" || !template.includes("?"))
    throw new SpecificationError(
      `'${template}' needs a ? where the number is to be found, as in 'DPSGD(?, 0.01, 500)'`,
      String(template),
      0,
      0,
    );
  const { target, height } = targetOf(wanted);
  const python = `import dptutor as dp; from dptutor.specification import family; dp.calibrate(family(${JSON.stringify(template)}), ${inPython(wanted)})`;
  const refused = () => new Refused(`the calibration of ${template}`, python);
  const allowed = (x) => {
    try {
      return Boolean(new Reader(template, x).read());
    } catch (problem) {
      if (problem instanceof SpecificationError) return false;
      throw problem instanceof Refused ? refused() : problem;
    }
  };
  const seen = new Map();
  // log of height over target; nothing where the number is out of range.
  const at = (x) => {
    if (!seen.has(x)) {
      let found = null;
      try {
        const { value, error } = height(new Reader(template, x).read());
        const log = (y) => Math.min(Math.max(y > 0 ? Math.log(y / target) : -800, -800), 800);
        found = { value: log(value), low: log(value - error), high: log(value + error) };
      } catch (problem) {
        if (!(problem instanceof SpecificationError) || seen.size === 0) throw problem;
      }
      seen.set(x, found);
    }
    return seen.get(x);
  };
  const name = `the target ${JSON.stringify(wanted)}`;
  if (allowed(2) && !allowed(1.5)) {
    const { most, errorBound } = mostOf(at, name),
      text = template.replaceAll("?", String(most));
    return { parameter: most, errorBound, text, mechanism: read(text) };
  }
  const [low, high] = bracketed(at, name);
  const root = rootBetween(at, low, high);
  const sides = [-1, 1].map((sign) => {
    const far = at(sign < 0 ? low : high).value;
    for (let away = 1e-12; away < 1e-2; away *= 8) {
      const there = at(root * (1 + sign * away));
      if (!there || (far > 0 ? there.low > 0 : there.high < 0)) return away * root;
    }
    return Infinity;
  });
  const text = template.replaceAll("?", String(root)),
    errorBound = Math.max(...sides);
  if (!(errorBound <= (wanted.exceedance === undefined ? SHARP : 20 * SHARP) * root)) throw refused();
  return { parameter: root, errorBound, text, mechanism: read(text) };
}

// Neighboring numbers on both sides of the target: outwards from 1, or another number that is allowed, ever faster.
function bracketed(at, name) {
  let start;
  for (const x of [1, 0.1, 0.01, 10, 100])
    if (at(x)) {
      start = x;
      break;
    }
  if (start === undefined) throw new Unreachable(`${name} is out of reach: no number makes a mechanism`);
  const ends = [start, start],
    done = [false, false];
  for (let factor = 2; !(done[0] && done[1]); factor = Math.min(factor ** 1.5, 1e3))
    for (const side of [1, 0]) {
      if (done[side]) continue;
      const before = ends[side];
      let next = side ? Math.min(before * factor, LARGEST) : Math.max(before / factor, SMALLEST);
      if (!at(next)) {
        // The last number that is allowed.
        let [inside, outside] = [before, next];
        for (let round = 0; round < 50; round++) {
          const middle = Math.sqrt(inside * outside);
          if (at(middle)) inside = middle;
          else outside = middle;
        }
        next = inside;
        done[side] = true;
      }
      if (next === before || next === LARGEST || next === SMALLEST) done[side] = true;
      ends[side] = next;
      const [one, other] = [at(before).value, at(next).value];
      if (one * other <= 0) return side ? [before, next] : [next, before];
      // Towards the target only, once the direction is clear.
      if (Math.abs(one - other) > 1e-6 && Math.abs(other) > Math.abs(one)) done[side] = true;
    }
  throw new Unreachable(`${name} is out of reach`);
}

// The largest whole number that meets the target, where each further one leaks more.
function mostOf(at, name) {
  const meets = (n) => at(n).value <= 0;
  if (!meets(1)) throw new Unreachable(`${name} is out of reach: once is already too often`);
  let [inside, outside] = [1, 2];
  while (meets(outside)) {
    if (outside >= LARGEST) throw new Unreachable(`${name} is out of reach: even 1e15 times meets it`);
    [inside, outside] = [outside, Math.min(2 * outside, LARGEST)];
  }
  while (outside - inside > 1) {
    const middle = Math.floor((inside + outside) / 2);
    if (meets(middle)) inside = middle;
    else outside = middle;
  }
  // Within the error of what was computed, the next one may meet it too, or this one may not.
  const certain = at(inside).high <= 0 && at(outside).low > 0;
  return { most: inside, errorBound: certain ? 0 : 1 };
}

function rootBetween(at, low, high) {
  let [a, b] = [Math.log(low), Math.log(high)],
    [fa, fb] = [at(low).value, at(high).value];
  for (let round = 0; round < 100 && b - a > 1e-14 * (1 + Math.abs(a)); round++) {
    const share = round % 3 === 2 ? 0.5 : fa / (fa - fb);
    const next = a + (b - a) * Math.min(Math.max(share, 0.001), 0.999),
      f = at(Math.exp(next)).value;
    if (Math.abs(f) < 1e-13) return Math.exp(next);
    if (f > 0 === fa > 0) [a, fa, fb] = [next, f, fb / 2];
    else [b, fb, fa] = [next, f, fa / 2];
  }
  return Math.exp((a + b) / 2);
}

export { calibrate, compare, inPython, Mechanism, read, Refused, SpecificationError, Unreachable };
