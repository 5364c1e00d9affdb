// Laws of the privacy loss: the profile of one direction, part by part and composed.
//
// A law answers `half(ε, goal)`, ε ≥ 0: { d, r, a, e }, that is δ(ε), 1 − δ(ε), e^ε α(ε) = e^ε Pr_P[L > ε] and a bound on the
// error of the first two; `a` only guides searches. An error of `goal` is small enough, or one of 1e-9 δ. `reverse` is the
// law of the pair (Q, P). Below 0, δ(ε) = 1 − e^ε + e^ε δ_rev(−ε), and α(ε) = 1 − δ_rev(−ε) − α_rev(−ε) e^{−ε}.

import { gauss, gaussianDelta, logBinomial, normalCdf, scaledErfc, ULP } from "./numbers.js";
import { Contours, SampledStep, TooHard } from "./transform.js";

// Closed forms keep about 12 digits.
const CLOSED = 1e-11;
const closed = (d, a) => ({ d, r: 1 - d, a, e: CLOSED * d });

function profileAt(law, epsilon, goal) {
  if (epsilon >= 0) return law.half(epsilon, goal);
  const { d, r, a, e } = law.reverse.half(-epsilon, goal),
    x = Math.exp(epsilon);
  return { d: x * d - Math.expm1(epsilon), r: x * r, a: x * (r - a), e: x * e + (x < 1 ? 2 * ULP * x : 0) };
}

class GaussianLaw {
  constructor(mu) {
    this.mu = mu;
    this.highest = Infinity;
    this.kinks = [];
    this.scale = mu;
  }

  get reverse() {
    return this;
  }

  half(epsilon) {
    const { mu } = this,
      a = epsilon / mu - mu / 2,
      b = a + mu,
      d = gaussianDelta(mu, epsilon);
    return closed(d, (Math.exp((-a * a) / 2) * scaledErfc(b / Math.SQRT2)) / 2);
  }
}

// One subsampled step, in closed form: `remove` has δ = p δ_G(ε'), e^{ε'} = (e^ε − 1 + p)/p; `add` has
// δ = (1 − (1−p)e^ε) δ_G(ε''), e^{ε''} = p e^ε/(1 − (1−p)e^ε).
class StepLaw {
  constructor(sigma, rate, add, back) {
    Object.assign(this, { mu: 1 / sigma, rate, add, kinks: [], highest: add ? -Math.log1p(-rate) : Infinity });
    this.scale = Math.min(1 / sigma, 1) * rate;
    this.reverse = back ?? new StepLaw(sigma, rate, !add, this);
  }

  half(epsilon) {
    const { mu, rate, add } = this;
    if (epsilon >= this.highest) return { d: 0, r: 1, a: 0, e: 0 };
    if (!add) {
      const inner =
        epsilon < 1
          ? Math.log1p(Math.expm1(epsilon) / rate)
          : epsilon - Math.log(rate) + Math.log1p(-(1 - rate) * Math.exp(-epsilon));
      return closed(
        rate * gaussianDelta(mu, inner),
        Math.exp(Math.min(epsilon, 700)) * normalCdf(-inner / mu - mu / 2),
      );
    }
    const room = -Math.expm1(epsilon + Math.log1p(-rate)),
      inner = epsilon + Math.log(rate) - Math.log(room),
      cut = mu / 2 - inner / mu;
    const below = (1 - rate) * normalCdf(cut) + rate * normalCdf(cut - mu);
    // Near the largest loss the room is a difference.
    const found = closed(room * gaussianDelta(mu, inner), Math.exp(epsilon) * below);
    return { ...found, e: found.e + (4 * ULP * found.d * (1 + inner / mu / mu)) / room };
  }
}

// One Laplace mechanism: δ(ε) = 1 − e^{(ε − ε₀)/2}.
class LaplaceLaw {
  constructor(top) {
    Object.assign(this, { top, highest: top, kinks: [-top, top], scale: top });
  }

  get reverse() {
    return this;
  }

  half(epsilon) {
    const { top } = this;
    if (epsilon >= top) return { d: 0, r: 1, a: 0, e: 0 };
    const x = (epsilon - top) / 2;
    return { d: -Math.expm1(x), r: Math.exp(x), a: Math.exp(x) / 2, e: 4 * ULP * (1 + top) * Math.exp(x) };
  }
}

// Finitely many losses: increasing, with their probabilities under Q. `loose` is what was left out, `error` relative.
class FiniteLaw {
  constructor(losses, weights, loose, error) {
    Object.assign(this, { losses, weights, loose, error });
    this.highest = losses[losses.length - 1];
    this.kinks = losses.length > 4000 ? [] : losses;
    this.scale = Math.max(Math.abs(losses[0]), Math.abs(this.highest), 1e-300) / Math.sqrt(losses.length);
    // All that are made here are symmetric.
    this.reverse = this;
  }

  half(epsilon) {
    const { losses, weights } = this;
    if (epsilon >= this.highest) return { d: 0, r: 1, a: 0, e: this.loose };
    let d = 0,
      a = 0,
      r = 0;
    for (let k = losses.length - 1; k >= 0; k--) {
      const away = epsilon - losses[k];
      if (away >= 0) r += weights[k];
      else {
        const x = weights[k] * Math.exp(away);
        d += away > -0.5 ? -weights[k] * Math.expm1(away) : weights[k] - x;
        a += x;
        r += x;
      }
    }
    return complementary(d, r, a, this.loose + 2 * ULP * (epsilon + this.highest) * a, this.error);
  }
}

// Weights err in proportion: of d and r = 1 − d, the smaller one is known better.
const complementary = (d, r, a, e, error) =>
  d < 0.5 ? { d, r: 1 - d, a, e: e + error * d } : { d: 1 - r, r, a, e: e + error * r };

// k-fold randomized responses, losses ε(2i − k) with i binomial, and products of several.
const MOST_ATOMS = 200_000;

function responses(parts) {
  let atoms = [{ losses: Float64Array.of(0), logs: Float64Array.of(0) }];
  let loose = 0;
  for (const { epsilon, count } of parts) {
    const truth = 1 / (1 + Math.exp(-epsilon)),
      lie = Math.exp(-epsilon) / (1 + Math.exp(-epsilon));
    const middle = count * truth,
      reach = count < 2e4 ? count : 40 * Math.sqrt(count * truth * lie) + 400;
    const from = Math.max(0, Math.floor(middle - reach)),
      to = Math.min(count, Math.ceil(middle + reach));
    if (to - from > MOST_ATOMS) throw new TooHard();
    const losses = [],
      logs = [];
    for (let i = from; i <= to; i++) {
      const log = logBinomial(count, i, truth, lie);
      if (log < -740) continue;
      losses.push((2 * i - count) * epsilon);
      logs.push(log);
    }
    if (losses.length <= count) loose += 1e-300;
    atoms.push({ losses, logs });
  }
  atoms = atoms.reduce((one, other) => {
    // Of products, only what matters to a δ of 1e-20.
    const least = one.logs.length > 1 && other.logs.length > 1 ? -75 : -745;
    const losses = [],
      logs = [];
    for (let i = 0; i < one.logs.length; i++)
      for (let k = 0; k < other.logs.length; k++) {
        const log = one.logs[i] + other.logs[k];
        if (log > least) {
          losses.push(one.losses[i] + other.losses[k]);
          logs.push(log);
        } else loose += Math.exp(log);
      }
    if (logs.length > MOST_ATOMS) throw new TooHard();
    return { losses, logs };
  });
  const order = Array.from(atoms.losses.keys()).sort((i, k) => atoms.losses[i] - atoms.losses[k]);
  const most = Math.max(...parts.map(({ count }) => count));
  return new FiniteLaw(
    Float64Array.from(order, (i) => atoms.losses[i]),
    Float64Array.from(order, (i) => Math.exp(atoms.logs[i])),
    loose,
    most < 1e4 ? 1e-11 : 1e-10,
  );
}

// Gaussians and subsampled Gaussians, maybe with Laplace mechanisms and randomized responses, by integrals along lines Re z = c.
class ContourLaw {
  constructor(parts, back) {
    this.parts = parts;
    this.contours = new Contours({ ...parts, choices: 0, out: [] });
    this.kinks = [];
    const steps = parts.sampled;
    // Only subsampled steps in the direction `add`, and Laplace, have a largest loss.
    this.highest = parts.mu > 0 || steps.some(({ add }) => !add) ? Infinity : 0;
    for (const { step, count } of steps) this.highest -= count * Math.log1p(-step.rate);
    for (const { top, count } of parts.laplace) this.highest += count * top;
    for (const { epsilon, count } of parts.responses) this.highest += count * epsilon;
    const turned = { ...parts, sampled: steps.map((each) => ({ ...each, add: !each.add })) };
    this.mirrored = Boolean(back);
    this.reverse = back ?? (steps.length ? new ContourLaw(turned, this) : this);
    if (!back && !this.contours.line(-0.5)) throw new TooHard();
    this.scale = this.contours.tilted(-0.5).deviation;
  }

  half(epsilon, goal) {
    if (epsilon >= this.highest) return { d: 0, r: 1, a: 0, e: 0 };
    const first = this.on(-0.5, epsilon);
    if (first && first.e <= Math.max(goal, 1e-9 * first.d)) return first;
    return this.sharper(epsilon, goal, first);
  }

  // On a line through the saddle point, or near it.
  sharper(epsilon, goal, first) {
    const c = this.contours.best(epsilon),
      most = this.contours.chernoff(c, epsilon);
    let found = first;
    // Lines of many panels are not worth it where δ is tiny, nor for a digit more.
    const costly = (this.mirrored ? this.reverse : this).contours.line(-0.5).panels.length > MANY_PANELS,
      sharp = costly ? 5e-7 : 1e-7;
    if (most < Math.max(goal, costly ? TINY : 0)) return { d: most / 2, r: 1 - most / 2, a: most / 2, e: most / 2 };
    for (const factor of [1, 0.5, 2, 1.4, 1.2, 0.84, 0.25]) {
      const next = c * factor > -0.6 ? this.on(c * factor, epsilon, true) : null;
      if (next && !(found && found.e <= next.e)) found = next;
      if (found && found.e <= Math.max(goal, sharp * found.d)) break;
    }
    // Where no digit is known.
    if (!found || found.e > most) return { d: most / 2, r: 1 - most / 2, a: most / 2, e: most / 2 };
    return found;
  }

  // By one line. The other direction has on Re z = −½ the conjugate transform: the same line, at −ε.
  on(c, epsilon, sharp = false) {
    if (c === -0.5 && this.mirrored) {
      const found = this.reverse.contours.on(-0.5, -epsilon, 0);
      if (!found) return null;
      const x = Math.exp(epsilon);
      return settled(1 + x * found.d, -x * found.d, -x * (found.d + found.a), x * found.e);
    }
    const found = this.contours.on(c, epsilon, 0, 0, sharp);
    if (!found) return null;
    if (found.off) return withReference(found.off, epsilon, found.d, found.a, found.e);
    return found.complement
      ? settled(1 + found.d, -found.d, found.a, found.e)
      : settled(found.d, 1 - found.d, found.a, found.e);
  }
}

// What was taken off, added again: a Gaussian mechanism, which is symmetric.
function withReference(variance, epsilon, d, a, e) {
  const own = new GaussianLaw(Math.sqrt(variance)).half(epsilon);
  return settled(own.d + d, own.r - d, own.a + a, e + own.e);
}

const MANY_PANELS = 100,
  TINY = 1e-16;

function settled(d, r, a, e) {
  return {
    d: Math.min(Math.max(d, 0), 1),
    r: Math.min(Math.max(r, 0), 1),
    a: Math.max(a, 0),
    e: Number.isNaN(e) ? Infinity : e + 2 * ULP * d,
  };
}

// A few Laplace mechanisms, maybe with Gaussians: which of the answers lie beyond both centers, and on which side, is taken
// out, and gives e^{zε₀}(1 + a)/2 and e^{−(1+z)ε₀}(1 − a)/2, a = 1/(2z + 1), for each.
const MOST_CHOICES = 64,
  MOST_TERMS = 160;

class ChoicesLaw {
  constructor(parts, back) {
    let terms = [{ loss: 0, log: 0, plus: 0 }],
      choices = 0;
    for (const { top, count } of parts.laplace) {
      choices += count;
      if (choices > MOST_CHOICES) throw new TooHard();
      const next = [];
      for (const { loss, log, plus } of terms)
        for (let j = 0; j <= count; j++)
          next.push({
            loss: loss + (2 * j - count) * top,
            log: log + logBinomial(count, j, 0.5, 0.5) - (count - j) * top,
            plus: plus + j,
          });
      terms = next;
    }
    if (terms.length > MOST_TERMS) throw new TooHard();
    this.terms = terms;
    this.contours = new Contours({ ...parts, laplace: [], responses: [], choices, out: parts.laplace });
    const turned = { ...parts, sampled: parts.sampled.map((each) => ({ ...each, add: !each.add })) };
    this.reverse = back ?? (parts.sampled.length ? new ChoicesLaw(turned, this) : this);
    const smooth = parts.mu > 0 || parts.sampled.length > 0;
    this.highest = parts.mu > 0 || parts.sampled.some(({ add }) => !add) ? Infinity : 0;
    for (const { step, count } of parts.sampled) this.highest -= count * Math.log1p(-step.rate);
    for (const { top, count } of parts.laplace) this.highest += count * top;
    this.kinks = smooth ? [] : terms.map(({ loss }) => loss);
    this.scale = this.contours.tilted(-0.25).deviation + parts.laplace.reduce((sum, { top }) => sum + top, 0);
  }

  half(epsilon, goal) {
    if (epsilon >= this.highest) return { d: 0, r: 1, a: 0, e: 0 };
    const c = this.contours.best(epsilon);
    let found = null;
    for (const other of [0.5, 2, c, c > 0 ? c / 2 : -0.25, c > 0 ? 2 * c : 0.125, 1.4 * c, 0.7 * c]) {
      const next = this.on(other, epsilon);
      if (next && !(found && found.e <= next.e)) found = next;
      if (found && found.e <= Math.max(goal, 1e-8 * found.d)) break;
    }
    const most = this.contours.chernoff(c, epsilon);
    if (!found || found.e > most) return { d: most / 2, r: 1 - most / 2, a: most / 2, e: most / 2 };
    return found;
  }

  on(c, epsilon) {
    let d = 0,
      a = 0,
      e = 0;
    for (const { loss, log, plus } of this.terms) {
      if (log < -800) continue;
      const found = this.contours.on(c, epsilon - loss, plus, log);
      if (!found) return null;
      d += found.d;
      a += found.a;
      e += found.e + 8 * ULP * (1 + Math.abs(log)) * Math.abs(found.d);
    }
    return c < 0 ? settled(1 + d, -d, a, e) : settled(d, 1 - d, a, e);
  }
}

// Powers of one Laplace mechanism as sums of positive terms. Under e^{−x/2} dQ a loss is ±ε₀, each with weight ½, or uniform
// with weight ε₀/2, all times e^{−ε₀/2}. In units of 2ε₀ from the smallest loss, a sum of m with k uniform ones has the law of
// a binomial number with m − k trials plus that of k uniform numbers, whose density is the B-spline of degree k − 1:
//
//     B_k(x) = (x B_{k−1}(x) + (k − x) B_{k−1}(x − 1))/(k − 1).
//
// Between neighboring whole numbers the density is kept at Gauss-Legendre points.
const SPLINE_POINTS = 24,
  MOST_UNIFORM = 130,
  WIDEST = 6;

class SplineLaw {
  constructor(top, count) {
    const mean = (count * top) / 2,
      uniform = Math.min(count, Math.ceil(mean + 12 * Math.sqrt(mean) + 20));
    const reach = Math.ceil(9 * Math.sqrt(count) + mean / 2 + uniform + 20);
    const from = Math.max(0, Math.floor(count / 2) - reach),
      to = Math.min(count, Math.ceil(count / 2) + reach);
    if (uniform > MOST_UNIFORM || top > WIDEST || to - from > 20_000) throw new TooHard();
    Object.assign(this, { top, count, from, to, highest: count * top, reverse: this });
    this.scale = top * Math.sqrt(count) * Math.min(1, 0.5 + top);
    this.kinks = Array.from({ length: to - from + 1 }, (_, i) => this.loss(from + i));
    const { x, w } = gauss(SPLINE_POINTS);
    this.u = x.map((at) => (1 + at) / 2);
    this.w = w.map((weight) => weight / 2);
    this.loose = to - from < count || uniform < count ? 1e-20 : 0;
    const logUniform = (k) => -mean + count * Math.LN2 + logBinomial(count, k, 0.5, 0.5) + k * Math.log(top / 2);
    this.atoms = Float64Array.from({ length: to - from + 1 }, (_, i) =>
      Math.exp(-mean + logBinomial(count, from + i, 0.5, 0.5)),
    );
    this.density = Array.from({ length: SPLINE_POINTS }, () => new Float64Array(to - from));
    const splines = Array.from(this.u, () => [1]);
    for (let k = 1; k <= uniform; k++) {
      const weight = Math.exp(logUniform(k));
      const binomial = Float64Array.from({ length: to - from + k }, (_, i) => {
        const at = from - k + 1 + i;
        return at < 0 || at > count - k ? 0 : weight * Math.exp(logBinomial(count - k, at, 0.5, 0.5));
      });
      for (let g = 0; g < SPLINE_POINTS; g++) {
        const before = splines[g],
          u = this.u[g];
        if (k > 1)
          splines[g] = Array.from(
            { length: k },
            (_, r) => ((u + r) * (before[r] ?? 0) + (k - u - r) * (before[r - 1] ?? 0)) / (k - 1),
          );
        const own = splines[g],
          density = this.density[g];
        for (let i = 0; i < to - from; i++) {
          let sum = 0;
          for (let r = 0; r < k; r++) sum += binomial[i - r + k - 1] * own[r];
          density[i] += sum;
        }
      }
    }
    this.add();
  }

  loss(place) {
    return (2 * place - this.count) * this.top;
  }

  // At each whole number: δ, e^ε α with the atom that lies there, and what polynomials may miss. A step of h = 2ε₀ down adds
  // (1 − e^{−h}) e^ε α to δ, and what lies between: no term is negative.
  add() {
    const { from, to, top, atoms, density } = this,
      { legendre } = gauss(SPLINE_POINTS),
      length = to - from;
    this.delta = new Float64Array(length + 1);
    this.alpha = new Float64Array(length + 1);
    this.missed = new Float64Array(length + 1);
    for (let i = length; i >= 0; i--) {
      const x = this.loss(from + i) / 2;
      this.alpha[i] = atoms[i] * Math.exp(x);
      if (i === length) continue;
      let last = 0;
      for (let g = 0; g < SPLINE_POINTS; g++)
        last += this.w[g] * density[g][i] * (2 * SPLINE_POINTS - 1) * legendre[SPLINE_POINTS - 1][g];
      const between = this.between(i, this.u, 0);
      this.delta[i] = this.delta[i + 1] - Math.expm1(-2 * top) * this.alpha[i + 1] + between.d;
      this.alpha[i] += Math.exp(-2 * top) * this.alpha[i + 1] + between.a;
      this.missed[i] = 8 * Math.abs(last) * Math.exp(x + top) + this.missed[i + 1];
    }
  }

  // δ and e^ε α of what lies between ε = `start` after whole number i and the next; by density, or by its values there.
  between(i, u, start, values) {
    let d = 0,
      a = 0;
    for (let g = 0; g < SPLINE_POINTS; g++) {
      const at = start + (1 - start) * u[g],
        away = 2 * this.top * (start - at),
        weight = this.w[g] * (1 - start) * (values ? values(at) : this.density[g][i]);
      const size = weight * Math.exp(this.loss(this.from + i + at) / 2);
      d -= size * Math.expm1(away);
      a += size * Math.exp(away);
    }
    return { d, a };
  }

  half(epsilon) {
    const { from, to, top, count, delta, alpha } = this;
    if (epsilon >= this.highest) return { d: 0, r: 1, a: 0, e: 0 };
    const place = Math.min((epsilon / top + count) / 2, to) - from,
      first = Math.max(Math.floor(place), 0);
    let d = 0,
      a = 0;
    if (place < 0) {
      const away = epsilon - this.loss(from);
      d = delta[0] - Math.expm1(away) * alpha[0];
      a = Math.exp(away) * alpha[0];
    } else if (first < to - from) {
      const away = epsilon - this.loss(from + first + 1),
        values = this.polynomial(first);
      const between = this.between(first, this.u, place - first, values);
      d = delta[first + 1] - Math.expm1(away) * alpha[first + 1] + between.d;
      a = Math.exp(away) * alpha[first + 1] + between.a;
    }
    const e =
      CLOSED * d + this.loose + this.missed[Math.min(first, to - from)] + 4 * ULP * (epsilon + this.highest) * a;
    return { d, r: 1 - d, a, e };
  }

  // The density after whole number i, from its coefficients.
  polynomial(i) {
    this.known ??= new Map();
    if (!this.known.has(i)) {
      const { x, w, legendre } = gauss(SPLINE_POINTS),
        { density } = this;
      const found = legendre.map((p, n) => {
        let sum = 0;
        for (let k = 0; k < x.length; k++) sum += (n + 0.5) * w[k] * p[k] * density[k][i];
        return sum;
      });
      this.known.set(i, (at) => {
        const y = 2 * at - 1;
        let [before, here] = [1, y],
          sum = found[0];
        for (let n = 1; n < SPLINE_POINTS; n++) {
          sum += found[n] * here;
          const next = ((2 * n + 1) * y * here - n * before) / (n + 1);
          before = here;
          here = next;
        }
        return Math.max(sum, 0);
      });
    }
    return this.known.get(i);
  }
}

// A law together with finitely many independent losses.
const MOST_MIXED = 3000,
  MOST_PRODUCTS = 400,
  HARDLY = 1e-24;

function beyond(law, epsilon) {
  const { d, e } = law.half(epsilon, 0);
  return d + e > HARDLY;
}

class MixedLaw {
  constructor(atoms, law, back) {
    Object.assign(this, { atoms, law, kinks: law.kinks.length * atoms.losses.length <= 4000 ? sums(law, atoms) : [] });
    this.highest = law.highest + atoms.highest;
    this.scale = Math.hypot(law.scale, atoms.scale * Math.sqrt(atoms.losses.length));
    this.reverse = back ?? (law.reverse === law ? this : new MixedLaw(atoms, law.reverse, this));
  }

  // Beyond which the law hardly reaches, to either side.
  get reach() {
    if (this.ownReach === undefined) {
      let at = this.law.scale;
      for (let round = 0; round < 60 && [this.law, this.law.reverse].some((law) => beyond(law, at)); round++) at *= 1.3;
      this.ownReach = at;
    }
    return this.ownReach;
  }

  half(epsilon, goal) {
    const { losses, weights, loose, error } = this.atoms;
    if (epsilon >= this.highest) return { d: 0, r: 1, a: 0, e: loose };
    const { reach } = this;
    let d = 0,
      r = 0,
      a = 0,
      e = loose;
    // The heaviest first: what is left at the end counts as error.
    this.order ??= Array.from(losses.keys()).sort((i, k) => weights[k] - weights[i]);
    for (const k of this.order) {
      const least = goal > 0 ? 0.01 * goal : 1e-8 * d;
      if (weights[k] * losses.length < least) {
        e += least;
        break;
      }
      const away = epsilon - losses[k];
      if (Math.abs(away) > reach) {
        // δ is nearly 0 there, or 1 − e^ε.
        const x = Math.exp(Math.min(away, 0));
        d += weights[k] * (away < 0 ? -Math.expm1(away) : HARDLY / 2);
        if (away < 0) a += weights[k] * x;
        r += weights[k] * x;
        e += (weights[k] * HARDLY) / 2;
        continue;
      }
      const each = profileAt(this.law, away, goal);
      d += weights[k] * each.d;
      r += weights[k] * each.r;
      a += weights[k] * each.a;
      e += weights[k] * each.e;
    }
    return complementary(d, r, a, e + 4 * ULP * (epsilon + Math.abs(losses[0])) * a, error);
  }
}

const sums = (law, atoms) => law.kinks.flatMap((kink) => Array.from(atoms.losses, (loss) => loss + kink));

// The law of a composition of parts of one direction.
function lawOf(parts) {
  const pooled = new Map();
  let square = 0;
  for (const { kind, key, count, ...rest } of parts) {
    if (kind === "gaussian") square += count * rest.mu ** 2;
    else if (kind !== "nothing") {
      const before = pooled.get(key)?.count ?? 0;
      pooled.set(key, { kind, ...rest, count: before + count });
    }
  }
  const of = (wanted) => [...pooled.values()].filter(({ kind }) => kind === wanted);
  const finite = of("response").filter(({ epsilon }) => epsilon > 1e-30);
  const smooth = [Math.sqrt(square), of("sampled"), of("laplace")];
  if (!finite.length) return continuous(...smooth) ?? new FiniteLaw(Float64Array.of(0), Float64Array.of(1), 0, 0);
  if (smooth[1].length || (square > 0 && smooth[2].length))
    try {
      return new ContourLaw(contourParts(...smooth, finite));
    } catch (problem) {
      if (!(problem instanceof TooHard)) throw problem;
    }
  const law = continuous(...smooth),
    atoms = responses(finite);
  if (!law) return atoms;
  const slow = law instanceof ContourLaw || law instanceof ChoicesLaw;
  if (slow && atoms.losses.length * (law.terms?.length ?? 1) > (law.terms ? MOST_PRODUCTS : MOST_MIXED))
    throw new TooHard();
  return new MixedLaw(atoms, law);
}

const contourParts = (mu, sampled, laplace, finite = []) => ({
  mu,
  sampled: sampled.map(({ sigma, rate, count, add }) => ({ step: stepOf(sigma, rate), count, add })),
  laplace: laplace.map(({ top, count }) => ({ top, count })),
  responses: finite.map(({ epsilon, count }) => ({ epsilon, count })),
});

// Of the parts that have a density.
function continuous(mu, sampled, laplace) {
  if (!sampled.length && !laplace.length) return mu > 0 ? new GaussianLaw(mu) : null;
  const [first] = [...sampled, ...laplace];
  if (mu === 0 && sampled.length + laplace.length === 1 && first.count === 1)
    return laplace.length ? new LaplaceLaw(first.top) : new StepLaw(first.sigma, first.rate, first.add);
  const parts = contourParts(mu, sampled, laplace);
  if (!laplace.length) return new ContourLaw(parts);
  const number = laplace.reduce((sum, { count }) => sum + count, 0),
    few = number <= (laplace.some(({ top }) => top > WIDEST) ? MOST_CHOICES : 6);
  const ways = [() => new ChoicesLaw(parts), () => new ContourLaw(parts)];
  if (!few) ways.reverse();
  if (mu === 0 && !sampled.length && laplace.length === 1) ways.unshift(() => new SplineLaw(first.top, first.count));
  for (const way of ways)
    try {
      return way();
    } catch (problem) {
      if (!(problem instanceof TooHard)) throw problem;
    }
  throw new TooHard();
}

// Steps remember their nodes; those of one σ and p are one.
const steps = new Map();

function stepOf(sigma, rate) {
  const key = `${sigma} ${rate}`;
  if (!steps.has(key)) {
    if (steps.size > 64) steps.clear();
    steps.set(key, new SampledStep(sigma, rate));
  }
  return steps.get(key);
}

export { lawOf, profileAt };
