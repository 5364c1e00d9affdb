// Hellinger transforms H(s) = ∫ Q^s P^{1−s} on lines Re s = const, and the way back to the privacy profile.
//
// H of a composition is the product of its parts'. With F(z) = H(1 + z) = E_Q[e^{zL}], K = log F and a line Re z = c,
//
//     δ(ε) = [c < 0] + (1/2πi) ∫ e^{K(z) − zε} / (z(z + 1)) dz,      e^ε α(ε) = (1/2πi) ∫ e^{K(z) − zε} / (z + 1) dz,  c > −1.
//
// Where hardly anything is lost, F is nearly 1 and δ small by cancellation. There the transform of N(0, 1) against N(μ, 1) with
// the same variance μ² is taken off before, and its own δ, which is known, added afterwards.
//
// A line is cut into panels on which F, but for a factor e^{itω}, is nearly a polynomial; the integrals of its Legendre
// polynomials against e^{−iεt} are spherical Bessel functions. So neither large ε nor losses of many scales cost more.

import { gauss, sphericalBessel, ULP } from "./numbers.js";

// Sums over nodes are right to e^−46 of their size.
const DEPTH = 46,
  REACH = Math.sqrt(2 * DEPTH),
  TINY_EXCESS = 14,
  RELATIVE = 4e-15;
const SERIES_LENGTH = 15,
  NEAR = 0.5;
const MOST_NODES = 12_000,
  MANY_NODES = 600,
  MOST_PANELS = 300,
  MANY_STEPS = 1e5;
const LEAST_DEVIATION = 0.3;
const POINTS = 24;

// The transform is not known well enough, or needs too much work.
class TooHard extends Error {}

// Much faster than Math.hypot; no number here is near 1e154.
const modulusOf = (x, y) => Math.sqrt(x * x + y * y);

// log(1 + x + iy), relatively accurate near 0: real part; the imaginary one is atan2(y, 1 + x).
function logOnePlus(x, y) {
  const square = x * (2 + x) + y * y;
  return square > -0.5 && square < 1e300 ? Math.log1p(square) / 2 : Math.log(Math.max(Math.hypot(1 + x, y), 1e-300));
}

// One step of DP-SGD, "remove": P = N(0, 1), Q = (1−p) N(0, 1) + p N(μ, 1), L = ℓ(u) = log(1 + p w), w = e^{μu − μ²/2} − 1.
//
// H(s) = E_P[e^{sℓ}] by the trapezoid rule in u, which is spectrally accurate: on the real line, or for large |Im s| on a
// line above it, where |1 + p w|^{i Im s} = e^{−|Im s| θ}, θ = arg(1 + p w) > 0, so that large losses vanish.
class SampledStep {
  constructor(sigma, rate) {
    Object.assign(this, { mu: 1 / sigma, rate, logOdds: Math.log1p(-rate) - Math.log(rate), lines: new Map() });
    if (!(this.mu > 1e-6 && this.mu < 1e3)) throw new TooHard();
  }

  // ℓ at u + iv, into `re` and `im`.
  loss(u, v) {
    const { mu, rate, logOdds } = this,
      x = mu * u - (mu * mu) / 2,
      y = mu * v;
    if (x > Math.max(logOdds, 1)) {
      const rest = Math.exp(logOdds - x);
      const a = rest * Math.cos(y),
        b = -rest * Math.sin(y);
      this.re = Math.log(rate) + x + logOnePlus(a, b);
      this.im = y + Math.atan2(b, 1 + a);
    } else if (v === 0) {
      this.re = Math.log1p(rate * Math.expm1(x));
      this.im = 0;
    } else {
      const a = rate * (Math.expm1(x) * Math.cos(y) - 2 * Math.sin(y / 2) ** 2),
        b = rate * Math.exp(x) * Math.sin(y);
      this.re = logOnePlus(a, b);
      this.im = Math.atan2(b, 1 + a);
    }
    return this.re;
  }

  // ℓ − log(1 − p) = log(1 + e^x p/(1 − p)).
  lossAbove(u, v) {
    const x = this.mu * u - (this.mu * this.mu) / 2 - this.logOdds,
      y = this.mu * v;
    const turned = x > 0,
      size = Math.exp(-Math.abs(x));
    const a = size * Math.cos(y),
      b = (turned ? -1 : 1) * size * Math.sin(y);
    this.re = (turned ? x : 0) + logOnePlus(a, b);
    this.im = (turned ? y : 0) + Math.atan2(b, 1 + a);
  }

  // Beyond which E_P[e^{rℓ}] needs no nodes.
  ends(r) {
    const { mu, rate } = this;
    const depth = DEPTH + TINY_EXCESS + Math.log1p(Math.abs(r)),
      reach = Math.sqrt(2 * depth);
    const [peak, right] = this.tiltedRight(Math.max(r, 0), depth);
    const low = Math.max(-r, 0);
    return {
      left: -reach - Math.min(mu * low, Math.log1p((low * rate * mu * mu) / (1 - rate)) / mu),
      right,
      peak,
      reach,
    };
  }

  // What is known of the line Re s = r: ends of the nodes, and moduli and arguments on a coarse grid, at heights v.
  strips(r) {
    const { mu, rate } = this;
    const { left, right, peak, reach } = this.ends(r);
    // On lines above, moduli may peak beyond the nodes.
    const highest = Math.min((Math.PI / mu) * 0.9, 1.4 * REACH),
      beyond = 3 * highest + 4;
    const grid = [];
    for (let k = 0; k < 200; k++) grid.push(left - beyond + ((right - left + 2 * beyond) * k) / 199);
    for (let k = 0; k < 36; k++) grid.push(peak + reach * ((2 * k) / 35 - 1));
    const heights = [],
      modulus = [],
      angle = [];
    let top = -Infinity;
    for (const u of grid) if (u >= left && u <= right) top = Math.max(top, r * this.loss(u, 0) - (u * u) / 2);
    for (let j = 1; j < 14; j++) {
      const v = (highest * j) / 13;
      heights.push(v);
      const sizes = new Float64Array(grid.length),
        angles = new Float64Array(grid.length),
        cos = Math.cos(mu * v),
        sin = Math.sin(mu * v);
      for (let k = 0; k < grid.length; k++) {
        const u = grid[k],
          x = mu * u - (mu * mu) / 2,
          w = rate * Math.exp(Math.min(x, 300)),
          a = 1 - rate + w * cos,
          b = w * sin;
        const loss = x > 300 ? Math.log(rate) + x : Math.log(a * a + b * b) / 2;
        sizes[k] = r * loss - (u * u) / 2 + (v * v) / 2 - top;
        angles[k] = Math.atan2(b, a);
      }
      modulus.push(sizes);
      angle.push(angles);
    }
    return { left, right, heights, modulus, angle };
  }

  // The last peak of sℓ − u²/2 for real s ≥ 0, and a place beyond it that is lower by `depth`.
  tiltedRight(order, depth) {
    const { mu, logOdds } = this;
    const height = (u) => order * this.loss(u, 0) - (u * u) / 2;
    let peak = order * mu;
    for (let round = 0; round < 200; round++) {
      const lower = (order * mu) / (1 + Math.exp(Math.min(logOdds - mu * peak + (mu * mu) / 2, 700)));
      if (peak - lower <= 1e-3 * (1 + lower)) break;
      peak = lower;
    }
    const wanted = height(peak) - depth;
    let width = 1;
    while (height(peak + width) > wanted) width *= 1.25;
    return [peak, peak + width];
  }

  // Nodes for Re s = r and least ≤ Im s ≤ most.
  nodes(r, least, most) {
    if (!this.lines.has(r)) this.lines.set(r, this.strips(r));
    const { left, right, heights, modulus, angle } = this.lines.get(r);
    const largest = (j, t) => {
      let top = 0,
        place = -1;
      for (let k = 0; k < modulus[j].length; k++) {
        const size = modulus[j][k] + t * angle[j][k];
        if (size > top) {
          top = size;
          place = k;
        }
      }
      return place === 0 || place === 199 ? Number.POSITIVE_INFINITY : top;
    };
    // On the real line, from a strip around it, of which the lower half is the worse one; or half-way up.
    let step = 0,
      height = 0;
    for (let j = 0; j < heights.length; j++)
      step = Math.max(step, (2 * Math.PI * heights[j]) / (DEPTH + largest(j, most)));
    if (least > 0 && (right - left) / step > MANY_NODES) {
      let best = 1.2 * step;
      const growth = heights.map((_, j) => largest(j, -least));
      for (let j = 1; j < heights.length; j += 2) {
        const half = heights[j] / 2;
        if (half > 2.2 || growth[(j - 1) / 2] > 3.4) continue;
        const own = (2 * Math.PI * half) / (DEPTH + growth[j]);
        if (own > best) [best, step, height] = [own, own, half];
      }
    }
    const count = Math.ceil((right - left) / step) + 1;
    if (count > MOST_NODES) throw new TooHard();
    return { left, height, step: (right - left) / (count - 1), count };
  }

  // E_P[ℓ − p w] = E_P[ℓ], without cancellation.
  get mean() {
    if (this.ownMean === undefined) {
      const { left, step, count } = this.nodes(0.5, 0, 0),
        most = this.mu > 15 ? count : Math.max(count, Math.ceil((this.mu + REACH - left) / step)); // w lies about μ
      let sum = 0;
      for (let k = 0; k < most; k++) {
        const u = left + k * step,
          y = this.rate * Math.expm1(Math.min(this.mu * u - (this.mu * this.mu) / 2, 600));
        const weight = (step / Math.sqrt(2 * Math.PI)) * Math.exp((-u * u) / 2);
        sum += weight * (this.mu > 15 ? this.loss(u, 0) : logRemainder(y));
      }
      this.ownMean = sum;
    }
    return this.ownMean;
  }

  // log H(r + it) for an increasing array of t ≥ 0 within [least, most]: real and imaginary parts, bounds on the error.
  log(r, t, least, most) {
    const { left, height, step, count } = this.nodes(r, least, most);
    const lossRe = new Float64Array(count),
      lossIm = new Float64Array(count),
      weightRe = new Float64Array(count),
      weightIm = new Float64Array(count),
      size = new Float64Array(count);
    const logStep = Math.log(step / Math.sqrt(2 * Math.PI)),
      logRate = Math.abs(Math.log(this.rate)),
      longest = Math.hypot(r, t[t.length - 1]);
    let top = -Infinity;
    // For large t the phase t log(1 − p) that all losses have in common is taken out.
    const edge = least * this.rate > 1 ? Math.log1p(-this.rate) : 0;
    for (let j = 0; j < count; j++) {
      const u = left + j * step;
      if (edge) this.lossAbove(u, height);
      else this.loss(u, height);
      lossRe[j] = this.re;
      lossIm[j] = this.im;
      weightRe[j] = logStep - (u * u - height * height) / 2;
      weightIm[j] = -u * height;
      // ℓ is a difference where log(1 + pw) is log p + log w, nearly.
      const modulus = modulusOf(lossRe[j], lossIm[j]);
      size[j] = modulus > 0.5 ? modulus + Math.abs(this.mu * u - (this.mu * this.mu) / 2) + logRate : modulus;
      top = Math.max(top, r * lossRe[j] - least * lossIm[j] + weightRe[j]);
    }
    // E[e^{sℓ} − 1 − sℓ] + s E[ℓ], as H may be 1 nearly: nodes near 0 as a series in s, the others one by one. Where e^{sℓ}
    // is large there is nothing to lose, and the sum is that of e^{sℓ}.
    const direct = top > 30 || edge < 0;
    const moments = new Float64Array(2 * (SERIES_LENGTH + 2)),
      far = [];
    let nearWeight = 0,
      nearSquare = 0,
      farWeight = 0,
      farLoss = 0,
      light = 0;
    const floor = (direct ? top : Math.max(top, 0)) - 50 - TINY_EXCESS - Math.log1p(longest);
    for (let j = 0; j < count; j++) {
      const modulus = modulusOf(lossRe[j], lossIm[j]),
        weight = Math.exp(weightRe[j]);
      if (!direct && modulus * longest < NEAR) {
        let a = weight * Math.cos(weightIm[j]),
          b = weight * Math.sin(weightIm[j]);
        for (let q = 0; q < SERIES_LENGTH + 2; q++) {
          moments[2 * q] += a;
          moments[2 * q + 1] += b;
          const re = a * lossRe[j] - b * lossIm[j];
          b = a * lossIm[j] + b * lossRe[j];
          a = re;
        }
        nearWeight += weight;
        nearSquare += weight * modulus * modulus;
        continue;
      }
      const tilted = r * lossRe[j] - least * lossIm[j] + weightRe[j],
        highest = direct ? tilted : Math.max(tilted, weightRe[j]);
      if (highest > floor) {
        far.push(j);
        farWeight += weight;
        farLoss += weight * modulus;
      } else light += Math.exp(highest - (direct ? top : 0));
    }
    const found = this.sums(
      r,
      t,
      { lossRe, lossIm, weightRe, weightIm, size, far, moments, direct, top, height },
      { nearWeight, nearSquare, farWeight, farLoss, light },
    );
    const { re, im, error } = found;
    for (let k = 1; k < t.length; k++) im[k] += 2 * Math.PI * Math.round((im[k - 1] - im[k]) / (2 * Math.PI));
    if (edge)
      for (let k = 0; k < t.length; k++) {
        re[k] += r * edge;
        im[k] += t[k] * edge;
        error[k] += 2 * ULP * Math.hypot(r, t[k]) * Math.abs(edge);
      }
    return found;
  }

  sums(r, t, nodes, { nearWeight, nearSquare, farWeight, farLoss, light }) {
    const { lossRe, lossIm, weightRe, weightIm, size, far, moments, direct, top, height } = nodes;
    const re = new Float64Array(t.length),
      im = new Float64Array(t.length),
      error = new Float64Array(t.length);
    // −Σ w (1 + sℓ) over the far nodes is linear in s.
    let w0 = 0,
      w1 = 0,
      l0 = 0,
      l1 = 0;
    if (!direct)
      for (const j of far) {
        const a = Math.exp(weightRe[j]) * Math.cos(weightIm[j]),
          b = Math.exp(weightRe[j]) * Math.sin(weightIm[j]);
        w0 += a;
        w1 += b;
        l0 += a * lossRe[j] - b * lossIm[j];
        l1 += a * lossIm[j] + b * lossRe[j];
      }
    const shift = direct ? top : 0,
      onLine = height === 0;
    const heights = onLine ? far.map((j) => Math.exp(r * lossRe[j] + weightRe[j] - shift)) : null;
    const mean = this.mean;
    for (let k = 0; k < t.length; k++) {
      const tk = t[k],
        length = modulusOf(r, tk);
      let sumRe = 0,
        sumIm = 0,
        plain = 0,
        turned = 0;
      for (let i = 0; i < far.length; i++) {
        const j = far[i];
        const modulus = onLine ? heights[i] : Math.exp(r * lossRe[j] - tk * lossIm[j] + weightRe[j] - shift);
        const phase = r * lossIm[j] + tk * lossRe[j] + weightIm[j];
        sumRe += modulus * Math.cos(phase);
        sumIm += modulus * Math.sin(phase);
        plain += modulus * (8 + Math.abs(weightRe[j]) + Math.abs(weightIm[j]));
        turned += modulus * size[j];
      }
      const rounding = plain + length * turned;
      // s² Σ m_{q+2} s^q / (q+2)!
      let a = 0,
        b = 0,
        factorial = 1;
      for (let q = 2; q < SERIES_LENGTH + 2; q++) factorial *= q;
      if (!direct) {
        for (let q = SERIES_LENGTH + 1; q >= 2; q--) {
          const next = a * r - b * tk + moments[2 * q] / factorial;
          b = a * tk + b * r + moments[2 * q + 1] / factorial;
          a = next;
          factorial /= q;
        }
        const next = a * (r * r - tk * tk) - b * 2 * r * tk;
        b = a * 2 * r * tk + b * (r * r - tk * tk);
        a = next;
      }
      const nearError = RELATIVE * length * length * nearSquare;
      // H itself.
      const hRe = sumRe + a + (direct ? 0 : moments[0] + r * moments[2] - tk * moments[3]),
        hIm = sumIm + b + (direct ? 0 : moments[1] + r * moments[3] + tk * moments[2]);
      const hError =
        ULP * rounding +
        4 * RELATIVE * nearWeight +
        nearError +
        light +
        1e-20 * Math.exp(Math.max(top, 0) - Math.max(shift, 0));
      if (!direct) {
        const xRe = a + sumRe - w0 - (r * l0 - tk * l1) + r * mean,
          xIm = b + sumIm - w1 - (r * l1 + tk * l0) + tk * mean;
        const modulus = Math.hypot(1 + xRe, xIm);
        if (modulus > 0.5) {
          re[k] = logOnePlus(xRe, xIm);
          im[k] = Math.atan2(xIm, 1 + xRe);
          const own =
            RELATIVE * length * Math.abs(mean) +
            nearError +
            light +
            ULP * (rounding + 2 * farWeight * 8 + 2 * length * farLoss);
          error[k] = own / modulus + RELATIVE * Math.hypot(re[k], im[k]);
          continue;
        }
      }
      const modulus = Math.hypot(hRe, hIm);
      im[k] = Math.atan2(hIm, hRe);
      const known = hError < modulus / 2;
      // Where not even the first digit is known: the largest that H may be, which errs by at most twice that.
      re[k] = shift + Math.log(known ? modulus : modulus + hError + 1e-300);
      error[k] = known ? (1.01 * hError) / (modulus - hError) + ULP * Math.abs(shift) : Math.log(3);
    }
    return { re, im, error };
  }

  // log H(r) for real r, and mean and variance of ℓ under the law tilted by it. ℓ is convex and turns within 1/μ, ℓ'' ≤ μ²/4,
  // so peaks of e^{rℓ − u²/2} are no narrower than 1, for r < 0 than (1 − rμ²/4)^{−1/2}: these steps are short. The logarithm
  // errs by about 1e-15; where very many steps make that count, it is that of `log`.
  real(r, many = false) {
    const { left, right } = this.ends(r),
      narrow = Math.max(1, this.mu, Math.sqrt(1 + Math.max(-r, 0) * this.mu ** 2)),
      count = Math.ceil(((right - left) * narrow) / 0.25) + 1,
      step = (right - left) / (count - 1);
    if (!(count < MOST_NODES)) throw new TooHard();
    const losses = new Float64Array(count),
      logs = new Float64Array(count);
    let top = -Infinity;
    for (let j = 0; j < count; j++) {
      const u = left + j * step;
      losses[j] = this.loss(u, 0);
      logs[j] = r * losses[j] - (u * u) / 2;
      top = Math.max(top, logs[j]);
    }
    let sum = 0,
      first = 0,
      second = 0;
    for (let j = 0; j < count; j++) {
      const weight = Math.exp(logs[j] - top);
      sum += weight;
      first += weight * losses[j];
      second += weight * losses[j] * losses[j];
    }
    const log = many ? this.log(r, [0], 0, 0).re[0] : top + Math.log((sum * step) / Math.sqrt(2 * Math.PI));
    return { log, mean: first / sum, variance: Math.max(second / sum - (first / sum) ** 2, 0) };
  }

  // log of a bound on |H(r + iT')| for all T' ≥ T: on a line u + iv the modulus of every term falls with T.
  envelope(r, T) {
    const ends = this.lines.get(r) ?? this.ends(r),
      step = Math.min(0.1, 0.25 / this.mu),
      count = Math.ceil((ends.right - ends.left) / step);
    let best = this.real(r).log + 1e-14;
    if (count > MOST_NODES) return best;
    const highest = Math.min((0.5 * Math.PI) / this.mu, 3);
    const exponents = new Float64Array(count + 1),
      logStep = Math.log(step / Math.sqrt(2 * Math.PI));
    for (let v = highest; v > 1e-7 * highest; v /= 3) {
      let top = 0;
      for (let j = 0; j <= count; j++) {
        const u = ends.left + j * step;
        this.loss(u, v);
        exponents[j] = r * this.re - T * this.im + (v * v) / 2;
        top = Math.max(top, exponents[j] - (u * u) / 2);
      }
      // The sum less 1, while that may be small: n steps take it n times.
      let excess = 0;
      for (let j = 0; j <= count; j++) {
        const u = ends.left + j * step,
          log = logStep - (u * u) / 2;
        excess += top > 30 ? Math.exp(exponents[j] + log - top) : Math.exp(log) * Math.expm1(exponents[j]);
      }
      // One in a thousand more, for the rule itself.
      excess += 1e-3 * (excess > 0 ? excess : Math.min(-excess, 1 + excess));
      excess += 64 * ULP * (1 + Math.abs(excess));
      best = Math.min(best, top > 30 ? top + Math.log(excess) : Math.log1p(Math.max(excess, 64 * ULP - 1)));
    }
    return best;
  }
}

// log(1 + y) − y, by 2 artanh(y/(2 + y)) where the difference would cancel.
function logRemainder(y) {
  if (Math.abs(y) >= 0.5) return Math.log1p(y) - y;
  const r = y / (2 + y);
  let series = 0;
  for (let k = 29; k > 1; k -= 2) series = r * r * (1 / k + series);
  return 2 * r * series - y * r;
}

// log H(c + 1 + it) of a Laplace mechanism with largest loss `top`, to a power: added to the arrays.
//
// H = 1 + e^{−ε₀/2} [2 sinh²(x/2) + (ε₀/2)(sinh(x)/x − 1) − (e^{ε₀/2} − 1 − ε₀/2)], x = (z + ½)ε₀: no term is larger than H − 1 is.
function addLaplace(top, power, c, t, re, im, error) {
  const fixed = top < 1 ? expRemainder(top / 2) : 0;
  let before = 0;
  for (let k = 0; k < t.length; k++) {
    const u = c + 0.5,
      v = t[k],
      x = u * top,
      y = v * top;
    let logRe, logIm, own;
    if (top < 1 && x < 300) {
      // sinh²(x/2) = (cosh x − 1)/2.
      const s2 = Math.sinh(x) * Math.sin(y);
      const coshRe = Math.sinh(x / 2) ** 2 * Math.cos(y) * 2 - 2 * Math.sin(y / 2) ** 2;
      const [ratioRe, ratioIm] = sinhRatio(x, y);
      const scale = Math.exp(-top / 2);
      const hRe = scale * (coshRe + (top / 2) * ratioRe - fixed),
        hIm = scale * (s2 + (top / 2) * ratioIm);
      const size = scale * (Math.hypot(coshRe, s2) + (top / 2) * Math.hypot(ratioRe, ratioIm) + fixed);
      const modulus = Math.hypot(1 + hRe, hIm);
      logRe = logOnePlus(hRe, hIm);
      logIm = Math.atan2(hIm, 1 + hRe);
      own = (32 * ULP * size) / modulus;
    } else {
      // With e^{|u|ε₀} taken out: H = e^{(|u| − ½)ε₀} [(e^{ix} + …)/2 …].
      const far = Math.abs(x),
        turn = u < 0 ? -y : y,
        small = Math.exp(-2 * far);
      const plusRe = Math.cos(turn),
        plusIm = Math.sin(turn);
      const coshRe = (plusRe * (1 + small)) / 2,
        coshIm = (plusIm * (1 - small)) / 2;
      // sinh(w ε₀)/(2w), w = |u| + i sgn(u) v
      const sinhRe = (plusRe * (1 - small)) / 2,
        sinhIm = (plusIm * (1 + small)) / 2;
      const wRe = 2 * Math.abs(u),
        wIm = u < 0 ? -2 * v : 2 * v,
        norm = wRe * wRe + wIm * wIm;
      let qRe = top / 2,
        qIm = 0;
      if (norm * top * top > 1e-12) {
        qRe = (sinhRe * wRe + sinhIm * wIm) / norm;
        qIm = (sinhIm * wRe - sinhRe * wIm) / norm;
      }
      const hRe = coshRe + qRe,
        hIm = coshIm + qIm;
      const modulus = Math.hypot(hRe, hIm);
      logRe = far - top / 2 + Math.log(modulus);
      logIm = Math.atan2(hIm, hRe);
      own = (8 * ULP * (1 + Math.hypot(qRe, qIm) + Math.abs(y))) / modulus + ULP * Math.abs(far - top / 2);
    }
    logIm += 2 * Math.PI * Math.round((before - logIm) / (2 * Math.PI));
    before = logIm;
    re[k] += power * logRe;
    im[k] += power * logIm;
    error[k] += power * (own + 4 * ULP * Math.hypot(logRe, logIm));
  }
}

// log H(c + 1 + it) of a randomized response of ε₀, to a power: H = cosh(w)/cosh(ε₀/2), w = (z + ½)ε₀. It may have zeros.
function addResponse(epsilon, power, c, t, re, im, error) {
  const x = (c + 0.5) * epsilon,
    far = Math.abs(x),
    half = epsilon / 2,
    small = 2 * Math.sinh(half / 2) ** 2;
  let before = 0,
    turned = 0;
  for (let k = 0; k < t.length; k++) {
    const y = t[k] * epsilon;
    let logRe, logIm, modulus, own;
    if (epsilon < 1 && far < 1) {
      const fall = 2 * Math.sin(y / 2) ** 2,
        rise = 2 * Math.sinh(x / 2) ** 2 * Math.cos(y),
        hRe = (rise - fall - small) / (1 + small),
        hIm = (Math.sinh(x) * Math.sin(y)) / (1 + small);
      modulus = Math.hypot(1 + hRe, hIm);
      logRe = logOnePlus(hRe, hIm);
      logIm = Math.atan2(hIm, 1 + hRe);
      own = ULP * (8 * (fall + Math.abs(rise) + small + Math.abs(hIm)) + Math.abs(y) * Math.hypot(fall, Math.sin(y)));
    } else {
      // With e^{|x|} taken out.
      const turn = x < 0 ? -2 * y : 2 * y,
        rest = Math.exp(-2 * far),
        a = rest * Math.cos(turn),
        b = -rest * Math.sin(turn);
      modulus = Math.hypot(1 + a, b);
      logRe =
        (Math.abs(c + 0.5) - 0.5) * epsilon + Math.log(Math.max(modulus, 1e-300)) - Math.log1p(Math.exp(-epsilon));
      logIm = turn / 2 + Math.atan2(b, 1 + a);
      own = ULP * (8 + 2 * Math.abs(y)) + 4 * ULP * modulus * Math.abs(logRe);
    }
    // On Re z = −½ the sign changes at a zero; else the nearest turn.
    const step = logIm - before - 2 * Math.PI * Math.round((logIm - before) / (2 * Math.PI));
    before = logIm;
    turned += c === -0.5 ? (power * step) % (2 * Math.PI) : power * step;
    re[k] += power * logRe;
    im[k] += turned;
    error[k] += power * Math.log1p(own / modulus) + 4 * ULP * Math.abs(turned);
  }
}

// sinh(w)/w − 1 for w = x + iy.
function sinhRatio(x, y) {
  const size = x * x + y * y;
  if (size < 1) {
    const a = x * x - y * y,
      b = 2 * x * y;
    let re = 0,
      im = 0;
    for (let k = 9; k > 0; k--) {
      const d = 2 * k * (2 * k + 1);
      [re, im] = [(a * (1 + re) - b * im) / d, (a * im + b * (1 + re)) / d];
    }
    return [re, im];
  }
  const re = Math.sinh(x) * Math.cos(y),
    im = Math.cosh(x) * Math.sin(y);
  return [(re * x + im * y) / size - 1, (im * x - re * y) / size];
}

// e^x − 1 − x.
function expRemainder(x) {
  let series = 0;
  for (let k = 18; k > 2; k--) series = (x / k) * (1 + series);
  return ((x * x) / 2) * (1 + series);
}

// The transform of a composition on the line Re z = c, panel by panel.
//
// parts: { mu, sampled: [{ step, count, add }], laplace: [{ top, count }], responses: [{ epsilon, count }], choices }. `choices` is the number of Laplace
// mechanisms that are taken out: of those e^{zε₀}(1 + a)/2 and e^{−(1+z)ε₀}(1 − a)/2, a = 1/(2z + 1), are the transforms of
// the positive and of the negative noise, and a term with j of the former and m − j of the latter is
// (1 + a)^j (1 − a)^{m−j} times an exponential that only shifts ε. So there are m + 1 sets of coefficients.
class Line {
  constructor(parts, c, { peak, deviation }, usual) {
    Object.assign(this, { parts, c, peak, panels: [] });
    const { choices } = parts,
      distance = Math.min(Math.abs(c), 1 + c, choices ? Math.abs(c + 0.5) : 1),
      hardly = !choices && usual < LEAST_DEVIATION && Math.abs(peak) < LEAST_DEVIATION;
    // The variance of what is taken off.
    this.off = hardly ? usual * usual : 0;
    // No panel may be so wide that a peak of a response's transform hides between its points.
    this.widest = Math.min(...parts.responses.map(({ epsilon, count }) => 8 / (epsilon * Math.sqrt(count))));
    this.sums = Array.from({ length: choices + 1 }, () => ({ rounding: 0, turning: 0, missed: 0, size: 0, tail: 0 }));
    let end = 1 / (1 / (2 * distance) + deviation / 3);
    this.resolve(0, end, 0);
    for (let octave = 0; octave < 90; octave++) {
      if (this.finished(end)) return;
      this.resolve(end, 2 * end, 0);
      end *= 2;
    }
    throw new TooHard();
  }

  // Whether what is left out beyond T does not matter.
  finished(T) {
    const last = this.panels[this.panels.length - 1];
    // |1 + a|^j |1 − a|^{m−j} is at most (1 + 1/2T)^m.
    const growth = (1 + 0.5 / T) ** this.parts.choices / T,
      most = growth / Math.min(...this.sums.map(({ size }) => size));
    if (last.end * most > 3e-16) return false;
    const { c, off, peak } = this,
      rest = off ? Math.exp((off / 2) * (c * c + c - T * T) - peak) : 0,
      bound = Math.exp(this.envelope(T)) + rest;
    if (bound * most > 3e-16) return false;
    for (const sum of this.sums) sum.tail = bound * growth;
    return true;
  }

  // log of a bound on |F(c + it)|/F(c) for t ≥ T.
  envelope(T) {
    const { c, peak } = this,
      { mu, sampled, laplace, responses } = this.parts;
    let log = ((c * c + c - T * T) * mu * mu) / 2 - peak;
    for (const { step, count, add } of sampled) log += count * step.envelope(add ? -c : 1 + c, T);
    for (const { top, count } of laplace) {
      const u = Math.abs(c + 0.5);
      log +=
        count * ((u - 0.5) * top + Math.log((1 + Math.exp(-2 * u * top)) / 2) + Math.log1p(1 / (2 * Math.hypot(u, T))));
    }
    for (const { epsilon, count } of responses) log += count * responsePeak(c, epsilon);
    return log;
  }

  // log F at c + it.
  log(t, least, most) {
    const { c } = this,
      { mu, sampled, laplace, responses } = this.parts;
    const half = (mu * mu) / 2;
    const re = t.map((y) => half * (c * c + c - y * y)),
      im = t.map((y) => half * (2 * c + 1) * y),
      error = t.map((y) => 4 * ULP * half * (1 + c * c + y * y));
    for (const { step, count, add } of sampled) {
      const own = step.log(add ? -c : 1 + c, t, least, most);
      for (let k = 0; k < t.length; k++) {
        re[k] += count * own.re[k];
        im[k] += (add ? -count : count) * own.im[k];
        error[k] += count * own.error[k];
      }
    }
    for (const { top, count } of laplace) addLaplace(top, count, c, t, re, im, error);
    for (const { epsilon, count } of responses) addResponse(epsilon, count, c, t, re, im, error);
    return { re, im, error };
  }

  // The panel [start, end], or halves of it until F is nearly a polynomial on each.
  resolve(start, end, depth) {
    if (this.panels.length > MOST_PANELS || depth > 40) throw new TooHard();
    const { x, w, legendre } = gauss(POINTS),
      { c, peak } = this,
      { choices } = this.parts;
    if (end - start > this.widest) {
      const parts = 2 ** Math.ceil(Math.log2((end - start) / this.widest));
      if (this.panels.length + parts > MOST_PANELS) throw new TooHard();
      for (let k = 0; k < parts; k++)
        this.resolve(start + ((end - start) * k) / parts, start + ((end - start) * (k + 1)) / parts, depth);
      return;
    }
    const half = (end - start) / 2,
      t = x.map((at) => start + half * (1 + at));
    const { re, im, error } = this.log(t, start, end);
    const turn = this.parts.responses.length ? weighted(t, re, im) : (im[POINTS - 1] - im[0]) / (t[POINTS - 1] - t[0]);
    const panel = { middle: start + half, half, turn, sets: [], end: Math.exp(re[POINTS - 1] - peak) };
    const sums = [];
    let fine = true;
    for (let j = 0; j <= choices; j++) {
      const values = [0, 1, 2, 3].map(() => new Float64Array(POINTS));
      const sum = { rounding: 0, turning: 0, missed: 0, size: 0 };
      for (let k = 0; k < POINTS; k++) {
        const y = t[k];
        let logSize = re[k] - peak,
          phase = im[k] - turn * y;
        if (choices) {
          // a = 1/(2c + 1 + 2iy)
          const norm = (2 * c + 1) ** 2 + 4 * y * y,
            aRe = (2 * c + 1) / norm,
            aIm = (-2 * y) / norm;
          logSize += j * logOnePlus(aRe, aIm) + (choices - j) * logOnePlus(-aRe, -aIm);
          phase += j * Math.atan2(aIm, 1 + aRe) + (choices - j) * Math.atan2(-aIm, 1 - aRe);
        }
        const size = Math.exp(logSize);
        let vRe = size * Math.cos(phase),
          vIm = size * Math.sin(phase),
          // What one unit in the last place of each step costs, in units of the value.
          steps = 6 + 4 * choices + Math.abs(re[k]) + Math.abs(im[k]),
          share = 1;
        if (this.off) {
          const own = this.lessReference(re[k], im[k], y, turn * y);
          [vRe, vIm] = own.value;
          const modulus = modulusOf(vRe, vIm) || 1e-300;
          share = size / modulus;
          steps = 8 + (size * (Math.abs(re[k]) + Math.abs(im[k])) + own.rounding) / modulus;
        }
        // 1/(z + 1) and 1/(z (z + 1))
        const one = (1 + c) ** 2 + y * y,
          zero = c * c + y * y;
        const aRe = (vRe * (1 + c) + vIm * y) / one,
          aIm = (vIm * (1 + c) - vRe * y) / one;
        values[2][k] = aRe;
        values[3][k] = aIm;
        values[0][k] = (aRe * c + aIm * y) / zero;
        values[1][k] = (aIm * c - aRe * y) / zero;
        const modulus = half * w[k] * modulusOf(values[0][k], values[1][k]);
        sum.size += modulus;
        sum.turning += modulus * y;
        sum.rounding += modulus * (share * Math.expm1(Math.min(error[k], 700)) + ULP * steps);
      }
      const coefficients = values.map((value) => {
        const found = new Float64Array(POINTS);
        for (let n = 0; n < POINTS; n++) {
          let total = 0;
          for (let k = 0; k < POINTS; k++) total += w[k] * legendre[n][k] * value[k];
          found[n] = (n + 0.5) * total;
        }
        return found;
      });
      let last = 0;
      for (let n = POINTS - 5; n < POINTS; n++)
        last = Math.max(last, modulusOf(coefficients[0][n], coefficients[1][n]));
      // What comes after the last five of falling coefficients, and as much again.
      sum.missed = 4 * half * last;
      if (sum.missed > 4e-15 * (sum.size + this.sums[j].size) + 2 * sum.rounding) fine = false;
      panel.sets.push(coefficients);
      sums.push(sum);
    }
    if (!Number.isFinite(sums[0].rounding)) throw new TooHard();
    if (!fine) {
      this.resolve(start, start + half, depth + 1);
      this.resolve(start + half, end, depth + 1);
      return;
    }
    this.panels.push(panel);
    sums.forEach((sum, j) => {
      for (const name of ["rounding", "turning", "missed", "size"]) this.sums[j][name] += sum[name];
    });
  }

  // F less what is taken off, both times e^{−peak − i turned}, and how many units in the last place of 1 it may err by.
  lessReference(re, im, y, turned) {
    const { c, off, peak } = this;
    const ownRe = (off / 2) * (c * c + c - y * y),
      ownIm = (off / 2) * (2 * c + 1) * y;
    const size = Math.exp(ownRe - peak),
      a = re - ownRe,
      b = im - ownIm,
      rounding = 4 * size * (off / 2) * (1 + c * c + y * y);
    const at = (phase) => [Math.cos(phase), Math.sin(phase)];
    if (Math.abs(a) > 1) {
      const first = Math.exp(re - peak),
        [cos, sin] = at(im - turned),
        [ownCos, ownSin] = at(ownIm - turned);
      return { value: [first * cos - size * ownCos, first * sin - size * ownSin], rounding };
    }
    const x = Math.expm1(a) * Math.cos(b) - 2 * Math.sin(b / 2) ** 2,
      z = Math.exp(a) * Math.sin(b),
      [cos, sin] = at(ownIm - turned);
    return { value: [size * (x * cos - z * sin), size * (x * sin + z * cos)], rounding };
  }

  // Both integrals at ε, without the factor e^{K(c) − cε}: δ (or δ − 1), e^ε α, and a bound on the error of the first.
  //
  // Errors of values at Gauss-Legendre points enter the integral with at most three times their weight.
  integrals(epsilon, j) {
    const bessel = this.bessel ?? (this.bessel = new Float64Array(POINTS));
    let delta = 0,
      alpha = 0,
      furthest = 0;
    for (let k = 0; k < this.panels.length; k++) {
      const { middle, half, turn, sets } = this.panels[k],
        away = epsilon - turn,
        set = sets[j],
        dRe = set[0],
        dIm = set[1],
        aRe = set[2],
        aIm = set[3];
      sphericalBessel(Math.abs(away) * half, POINTS, bessel);
      // 2 (−i sgn)^n j_n: even n real, odd n imaginary.
      let d0 = 0,
        d1 = 0,
        a0 = 0,
        a1 = 0;
      const side = away < 0 ? -1 : 1;
      for (let n = 0; n < POINTS; n += 4) {
        const b0 = bessel[n],
          b1 = side * bessel[n + 1],
          b2 = bessel[n + 2],
          b3 = side * bessel[n + 3];
        d0 += b0 * dRe[n] + b1 * dIm[n + 1] - b2 * dRe[n + 2] - b3 * dIm[n + 3];
        d1 += b0 * dIm[n] - b1 * dRe[n + 1] - b2 * dIm[n + 2] + b3 * dRe[n + 3];
        a0 += b0 * aRe[n] + b1 * aIm[n + 1] - b2 * aRe[n + 2] - b3 * aIm[n + 3];
        a1 += b0 * aIm[n] - b1 * aRe[n + 1] - b2 * aIm[n + 2] + b3 * aRe[n + 3];
      }
      const cos = Math.cos(away * middle),
        sin = Math.sin(away * middle);
      delta += 2 * half * (d0 * cos + d1 * sin);
      alpha += 2 * half * (a0 * cos + a1 * sin);
      furthest = Math.max(furthest, Math.abs(turn));
    }
    const { rounding, turning, missed, tail, size } = this.sums[j];
    const error = 3 * rounding + missed + tail + ULP * (4 * size + 2 * (Math.abs(epsilon) + furthest) * turning);
    return [delta / Math.PI, alpha / Math.PI, error / Math.PI];
  }
}

// The mean slope of the phase, where the modulus is large.
function weighted(t, re, im) {
  const top = Math.max(...re);
  let up = 0,
    across = 0;
  for (let k = 1; k < t.length; k++) {
    const weight = Math.exp(re[k] + re[k - 1] - 2 * top);
    up += weight * (im[k] - im[k - 1]);
    across += weight * (t[k] - t[k - 1]);
  }
  return up / across;
}

// log H(c + 1) of a randomized response.
const responsePeak = (c, epsilon) =>
  (Math.abs(c + 0.5) - 0.5) * epsilon +
  Math.log1p(Math.exp(-2 * Math.abs(c + 0.5) * epsilon)) -
  Math.log1p(Math.exp(-epsilon));

// Profiles of the smooth part of a composition, at any real ε.
class Contours {
  constructor(parts) {
    Object.assign(this, { parts, lines: new Map(), sharpLines: new Map(), peaks: new Map() });
    this.base = parts.choices ? -0.25 : -0.5;
  }

  // K(c), and the standard deviation of the loss under the law that is tilted by c.
  tilted(c) {
    if (!this.peaks.has(c)) {
      const { mu, sampled, laplace, responses } = this.parts;
      let peak = (c * (c + 1) * mu * mu) / 2,
        variance = mu * mu;
      try {
        for (const { step, count, add } of sampled) {
          const own = step.real(add ? -c : 1 + c, count > MANY_STEPS);
          peak += count * own.log;
          variance += count * own.variance;
        }
        for (const { top, count } of laplace) {
          const re = [0];
          addLaplace(top, count, c, [0], re, [0], [0]);
          peak += re[0];
          variance += count * Math.min(top * top, 4);
        }
        for (const { epsilon, count } of responses) {
          peak += count * responsePeak(c, epsilon);
          variance += count * epsilon * epsilon * (1 - Math.tanh((c + 0.5) * epsilon) ** 2);
        }
      } catch (problem) {
        if (!(problem instanceof TooHard)) throw problem;
        peak = Infinity;
      }
      this.peaks.set(c, { peak, deviation: Math.sqrt(variance) });
    }
    return this.peaks.get(c);
  }

  // A sharp one takes off what makes δ small by cancellation; it needs more panels.
  line(c, sharp = false) {
    const lines = sharp ? this.sharpLines : this.lines;
    if (!lines.has(c)) {
      let line = null;
      try {
        const at = this.tilted(c);
        if (at.peak < Infinity) line = new Line(this.parts, c, at, sharp ? this.tilted(this.base).deviation : Infinity);
      } catch (problem) {
        if (!(problem instanceof TooHard)) throw problem;
      }
      lines.set(c, line);
    }
    return lines.get(c);
  }

  // log of how large the integrand of δ or 1 − δ is on a line.
  height(c, epsilon) {
    let { peak } = this.tilted(c);
    for (const { top, count } of this.parts.out) {
      const re = [0];
      addLaplace(top, count, c, [0], re, [0], [0]);
      peak += re[0];
    }
    return peak - c * epsilon - Math.log(Math.abs(c) * (1 + c));
  }

  // By one line: δ or δ − 1, e^ε α and a bound on the error of the first, times a weight; nothing where there is no line. Of
  // what was taken off the variance is said.
  on(c, epsilon, j, logWeight = 0, sharp = false) {
    const line = this.line(c, sharp);
    if (!line) return null;
    const log = line.peak - c * epsilon + logWeight;
    if (log > 700) return null;
    const scale = Math.exp(log),
      [delta, alpha, error] = line.integrals(epsilon, j);
    // e^x errs by ULP times x.
    const more = 2 * ULP * (Math.abs(line.peak) + Math.abs(c * epsilon)) * Math.abs(delta);
    return { d: scale * delta, a: scale * alpha, e: scale * (error + more), complement: c < 0, off: line.off };
  }

  // Chernoff's bound, δ ≤ e^{K(c) − cε} c^c/(1 + c)^{1+c}; K is known to far more digits than are added.
  chernoff(c, epsilon) {
    if (c <= 0) return 1;
    return Math.min(1, Math.exp(this.height(c, epsilon) + (1 + c) * Math.log(c) - c * Math.log1p(c) + 1e-6));
  }

  // The best c of ±2^k: where the integrand is smallest.
  best(epsilon) {
    const from = (sign, start, least, most) => {
      const at = (k) => this.height(sign * 2 ** k, epsilon);
      let k = start,
        here = at(k);
      for (const way of [1, -1])
        while (k + way <= most && k + way >= least) {
          const next = at(k + way);
          if (!(next < here)) break;
          k += way;
          here = next;
        }
      return [here, sign * 2 ** k];
    };
    const right = from(1, this.lastRight ?? 0, -30, 40),
      left = from(-1, this.parts.choices ? -2 : -1, -30, this.parts.choices ? -2 : -1);
    if (right[0] < left[0]) this.lastRight = Math.log2(right[1]);
    return right[0] < left[0] ? right[1] : left[1];
  }
}

export { Contours, POINTS, SampledStep, TooHard };
