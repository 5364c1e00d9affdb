// Special functions, Gauss-Legendre points and spherical Bessel functions, to about 1e-15.

const ULP = 2 ** -52;

// erfcx(x) = e^{x²} erfc(x) for x ≥ 0, by the midpoint rule of step h for (2x/π) ∫₀^∞ e^{−t²}/(t² + x²) dt and the residue at
// t = ix that it misses; the error is e^{−π²/h²}, and all terms are positive.
const STEP = 0.5;
const MIDPOINTS = Array.from({ length: 13 }, (_, k) => ((k + 0.5) * STEP) ** 2);
const HEIGHTS = MIDPOINTS.map((square) => Math.exp(-square));

function scaledErfc(x) {
  if (x > 1e8) return 1 / (x * Math.sqrt(Math.PI));
  let sum = 0;
  for (let k = 12; k >= 0; k--) sum += HEIGHTS[k] / (MIDPOINTS[k] + x * x);
  const pole = x < 7 ? (2 * Math.exp(x * x)) / (Math.exp((2 * Math.PI * x) / STEP) + 1) : 0;
  return ((2 * STEP * x) / Math.PI) * sum + pole;
}

// Φ(x), the normal distribution function, relatively accurate in both tails.
function normalCdf(x) {
  if (x > 0) return 1 - normalCdf(-x);
  return x < -38.6 ? 0 : (Math.exp((-x * x) / 2) * scaledErfc(-x / Math.SQRT2)) / 2;
}

// Mills' ratio M(x) = Φ(−x)/φ(x) for x ≥ 0, and −M' = 1 − x M.
const mills = (x) => Math.sqrt(Math.PI / 2) * scaledErfc(x / Math.SQRT2);

function millsSlope(x) {
  if (x < 30) return 1 - x * mills(x);
  const y = 1 / (x * x);
  return y * (1 - 3 * y * (1 - 5 * y * (1 - 7 * y * (1 - 9 * y * (1 - 11 * y)))));
}

// δ(ε) of N(0, 1) against N(μ, 1) for ε ≥ 0: with a = ε/μ − μ/2 and b = a + μ both of its terms have the factor φ(a), and
// δ = φ(a) [M(a) − M(b)], a difference that is integrated where it would cancel.
function gaussianDelta(mu, epsilon) {
  const a = epsilon / mu - mu / 2,
    b = epsilon / mu + mu / 2;
  if (a > 39) return 0;
  const height = Math.exp((-a * a) / 2);
  if (a < 0) {
    if (mu > 0.5) return normalCdf(-a) - (height * scaledErfc(b / Math.SQRT2)) / 2;
    // For a small μ, a is at least −μ/2: M' is smooth across 0.
    return (height / Math.sqrt(2 * Math.PI)) * millsDrop(a, mu);
  }
  return (height / Math.sqrt(2 * Math.PI)) * (mu > 0.5 ? mills(a) - mills(b) : millsDrop(a, mu));
}

function millsDrop(a, mu) {
  const { x, w } = gauss(16);
  let sum = 0;
  for (let k = 0; k < 16; k++) {
    const at = a + (mu * (x[k] + 1)) / 2;
    sum += w[k] * (at < 0 ? 1 - at * (Math.sqrt(2 * Math.PI) * Math.exp((at * at) / 2) - mills(-at)) : millsSlope(at));
  }
  return (mu / 2) * sum;
}

// Points x and weights w of the Gauss-Legendre rule on [−1, 1], and `legendre[n][k]` = P_n(x_k).
const rules = new Map();

function gauss(count) {
  if (rules.has(count)) return rules.get(count);
  const x = new Float64Array(count),
    w = new Float64Array(count);
  for (let k = 0; k < count; k++) {
    let at = -Math.cos((Math.PI * (k + 0.75)) / (count + 0.5)),
      slope = 1;
    for (let round = 0; round < 8; round++) {
      let [before, here] = [1, at];
      for (let n = 2; n <= count; n++) [before, here] = [here, ((2 * n - 1) * at * here - (n - 1) * before) / n];
      slope = (count * (at * here - before)) / (at * at - 1);
      at -= here / slope;
    }
    x[k] = at;
    w[k] = 2 / ((1 - at * at) * slope * slope);
  }
  const legendre = [x.map(() => 1), x.slice()];
  for (let n = 2; n < count; n++)
    legendre.push(x.map((at, k) => ((2 * n - 1) * at * legendre[n - 1][k] - (n - 1) * legendre[n - 2][k]) / n));
  rules.set(count, { x, w, legendre });
  return rules.get(count);
}

// Spherical Bessel functions j₀(x) … j_{count−1}(x) for x ≥ 0, into `out`: upwards where that is stable, else downwards.
function sphericalBessel(x, count, out) {
  const first = x < 1e-4 ? 1 - (x * x) / 6 : Math.sin(x) / x;
  out[0] = first;
  if (x > count) {
    out[1] = (first - Math.cos(x)) / x;
    for (let n = 2; n < count; n++) out[n] = ((2 * n - 1) / x) * out[n - 1] - out[n - 2];
    return;
  }
  if (x < 1e-2) {
    let term = 1;
    for (let n = 0; n < count; n++) {
      out[n] = term * (1 - ((x * x) / 2 / (2 * n + 3)) * (1 - (x * x) / 4 / (2 * n + 5)));
      term *= x / (2 * n + 3);
    }
    return;
  }
  let above = 0,
    here = 1e-290;
  for (let n = Math.ceil(count + 16 + x); n >= 1; n--) {
    const below = ((2 * n + 1) / x) * here - above;
    above = here;
    here = below;
    if (n - 1 < count) out[n - 1] = here;
    if (Math.abs(here) > 1e150) {
      here *= 1e-200;
      above *= 1e-200;
      for (let k = n - 1; k < count; k++) out[k] *= 1e-200;
    }
  }
  // Scaled by whichever of the first two is not near a zero.
  const second = x < 0.5 ? (x / 3) * (1 - ((x * x) / 10) * (1 - (x * x) / 28)) : (first - Math.cos(x)) / x;
  const scale = Math.abs(first) > Math.abs(second) || x < 0.5 ? first / out[0] : second / out[1];
  for (let n = 0; n < count; n++) out[n] *= scale;
}

// log n! and the probabilities of a binomial law, as logarithms, by Loader's deviances: relatively accurate for any count.
const FACTORIALS = [0];
for (let n = 1; n < 20; n++) FACTORIALS.push(FACTORIALS[n - 1] + Math.log(n));

function stirlingRest(n) {
  if (n < 16) return n === 0 ? 0 : FACTORIALS[n] - (n + 0.5) * Math.log(n) + n - Math.log(2 * Math.PI) / 2;
  const y = 1 / (n * n);
  return (1 / 12 - y * (1 / 360 - y * (1 / 1260 - y * (1 / 1680 - y / 1188)))) / n;
}

// x log(x/m) + m − x, without cancellation near x = m.
function deviance(x, m) {
  if (x === 0) return m;
  const share = (x - m) / (x + m);
  if (Math.abs(share) > 0.1) return x * Math.log(x / m) + m - x;
  let sum = (x - m) * share,
    power = 2 * x * share;
  for (let k = 1; k < 60; k++) {
    power *= share * share;
    const next = sum + power / (2 * k + 1);
    if (next === sum) break;
    sum = next;
  }
  return sum;
}

function logBinomial(count, k, success, failure) {
  if (k === 0) return count * (failure > 0.5 ? Math.log1p(-success) : Math.log(failure));
  if (k === count) return count * (success > 0.5 ? Math.log1p(-failure) : Math.log(success));
  return (
    stirlingRest(count) -
    stirlingRest(k) -
    stirlingRest(count - k) -
    deviance(k, count * success) -
    deviance(count - k, count * failure) -
    Math.log(2 * Math.PI * k * (1 - k / count)) / 2
  );
}

export { gauss, gaussianDelta, logBinomial, normalCdf, scaledErfc, sphericalBessel, ULP };
