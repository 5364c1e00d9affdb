// The page "Your own run": the reader types the settings of two mechanisms and sees how the two compare. The numbers come
// from the accountant in ./accountant, each with a bound on its error, and only digits that the bound makes certain are
// shown. The address of the page contains all settings. In the last chapter the same is a report on the pair that the
// reader keeps: `data-pair` holds its settings, and the chapter's address stays as it is.

import { calibrate, compare, inPython, Refused, read, Unreachable } from "./accountant/accountant.js";

// The kinds of mechanism: the sentence that describes each, and its text in the library. Those that the accountant does
// not have are `outside`: for them there is a line of Python.

const KINDS = {
  dpsgd: {
    name: "DP-SGD",
    says: "with noise multiplier {sigma}, sampling rate {rate} and {steps:step}",
    brief: "σ {sigma}, p {rate}, {steps:step}",
    text: ({ sigma, rate, steps }) => `DPSGD(${sigma}, ${rate}, ${steps})`,
    paper: ({ sigma, rate, steps }) =>
      `DP-SGD (noise multiplier ${sigma}, Poisson sampling rate ${rate}, ${counted(steps, "step")})`,
    trains: true,
    start: { sigma: "1", rate: "1%", steps: "1000" },
  },
  full: {
    name: "DP-SGD, full batches",
    says: "with noise multiplier {sigma} and {steps:step}",
    brief: "σ {sigma}, {steps:step}",
    text: ({ sigma, steps }) => `DPSGD(${sigma}, 1, ${steps})`,
    paper: ({ sigma, steps }) => `full-batch DP-SGD (noise multiplier ${sigma}, ${counted(steps, "step")})`,
    trains: true,
    start: { sigma: "50", steps: "100" },
  },
  SubsampledGaussian: {
    name: "One step of DP-SGD",
    says: "with noise multiplier {sigma} and sampling rate {rate}",
    brief: "σ {sigma}, p {rate}",
    text: ({ sigma, rate }) => `SubsampledGaussian(${sigma}, ${rate})`,
    paper: ({ sigma, rate }) => `one step of DP-SGD (noise multiplier ${sigma}, Poisson sampling rate ${rate})`,
    trains: true,
    start: { sigma: "1", rate: "1%" },
  },
  FixedBatches: {
    name: "One pass in fixed batches",
    says: "with noise multiplier {sigma}, {count:time}",
    brief: "σ {sigma}, {count:time}",
    text: ({ sigma, count }) => `FixedBatches(${sigma})${times(count)}`,
    paper: ({ sigma, count }) => `one pass in fixed batches (noise multiplier ${sigma}${repeated(count)})`,
    trains: true,
    start: { sigma: "1", count: "1" },
  },
  gaussian: {
    name: "Gaussian noise",
    says: "with σ = {sigma}, {count:time}",
    text: ({ sigma, count }) => `Gaussian(${sigma})${times(count)}`,
    paper: ({ sigma, count }) => `Gaussian noise (σ = ${sigma}${repeated(count)})`,
    start: { sigma: "1", count: "1" },
  },
  laplace: {
    name: "Laplace noise",
    says: "with scale b = {scale}, {count:time}",
    text: ({ scale, count }) => `Laplace(${scale})${times(count)}`,
    paper: ({ scale, count }) => `Laplace noise (b = ${scale}${repeated(count)})`,
    start: { scale: "1", count: "1" },
  },
  DiscreteLaplace: {
    name: "Discrete Laplace noise",
    says: "on counts with scale b = {scale}, {count:time}",
    text: ({ scale, count }) => `DiscreteLaplace(${scale})${times(count)}`,
    paper: ({ scale, count }) => `discrete Laplace noise on counts (b = ${scale}${repeated(count)})`,
    start: { scale: "1", count: "1" },
  },
  response: {
    name: "Randomized response",
    says: "with ε₀ = {loss}, {count:time}",
    text: ({ loss, count }) => `RandomizedResponse(${loss})${times(count)}`,
    paper: ({ loss, count }) => `randomized response (ε₀ = ${loss}${repeated(count)})`,
    start: { loss: "1", count: "1" },
  },
  point: {
    name: "Any (ε, δ)",
    says: "with ε = {loss} and δ = {share}, {count:time}",
    text: ({ loss, share, count }) => `ApproximateDP(${loss}, ${share})${times(count)}`,
    paper: ({ loss, share, count }) => `the worst mechanism that is (${loss}, ${share})-DP${repeated(count)}`,
    start: { loss: "1", share: "10⁻⁵", count: "1" },
  },
  PerfectPrivacy: {
    name: "Perfect privacy",
    says: "",
    text: () => "PerfectPrivacy()",
    paper: () => "a release that does not depend on the record",
    start: {},
  },
  BlatantlyNonPrivate: {
    name: "No privacy",
    says: "",
    text: () => "BlatantlyNonPrivate()",
    paper: () => "the release of the record itself",
    start: {},
  },
  ...outside("DiscreteGaussian", "Discrete Gaussian noise", "with σ = {sigma}, {count:time}", { sigma: "1" }),
  ...outside("Staircase", "Staircase noise", "with ε = {loss}, {count:time}", { loss: "1" }),
  ...outside("KaryRandomizedResponse", "Response with k categories", "with ε₀ = {loss} and {categories} categories, {count:time}", { loss: "1", categories: "10" }),
  ...outside("ShuffledRandomizedResponse", "Shuffled randomized response", "with ε₀ = {loss} and {users} people, {count:time}", { loss: "1", users: "100" }),
  ...outside("ExponentialMechanism", "Exponential mechanism", "with ε = {loss}, {count:time}", { loss: "1" }),
  ...outside("PermuteAndFlip", "Permute-and-flip", "with ε = {loss}, {count:time}", { loss: "1" }),
  ...outside("SparseVector", "Sparse vector technique", "with noise of scale {scale} on the threshold, {answerScale} on the answers, and {answers:answer} above it, {count:time}",
    { scale: "2", answerScale: "4", answers: "1" }),
  ...outside("SubsampledLaplace", "Sampled Laplace noise", "with scale b = {scale} and sampling rate {rate}, {count:time}", { scale: "1", rate: "1%" }),
  ...outside("SubsampledDiscreteGaussian", "Sampled discrete Gaussian noise", "with σ = {sigma} and sampling rate {rate}, {count:time}", { sigma: "1", rate: "1%" }),
  ...outside("SubsampledDiscreteLaplace", "Sampled discrete Laplace noise", "with scale b = {scale} and sampling rate {rate}, {count:time}", { scale: "1", rate: "1%" }),
  ...outside("SubsampledGaussianReplaceOne", "DP-SGD, one example replaced", "with noise multiplier {sigma}, sampling rate {rate} and {count:step}", { sigma: "1", rate: "1%", count: "1000" }),
  ...outside("SubsampledGaussianGroup", "DP-SGD, a group", "of {members:member}, with noise multiplier {sigma}, sampling rate {rate} and {count:step}", { sigma: "1", rate: "1%", members: "3", count: "1000" }),
  ...outside("SampledWithoutReplacement", "Batches without replacement", "with noise multiplier {sigma}, sampling rate {rate} and {count:step}, one example replaced", { sigma: "1", rate: "1%", count: "1000" }),
  ...outside("ShuffledBatches", "One pass in shuffled batches", "with noise multiplier {sigma} and {steps:step}, {count:time}", { sigma: "1", steps: "100" }),
  ...outside("BallsAndBins", "Balls and bins", "with noise multiplier {sigma} and {steps:step} a pass, {count:time}", { sigma: "1", steps: "100" }),
  ...outside("TruncatedPoisson", "Truncated Poisson batches", "with noise multiplier {sigma}, sampling rate {rate}, {steps:step}, {examples:example} and batches of at most {batch}",
    { sigma: "1", rate: "1%", steps: "1000", examples: "10000", batch: "200" }, ({ sigma, rate, steps, examples, batch }) => [sigma, rate, steps, examples, batch]),
  ...outside("GaussianMixture", "Mixture of Gaussians", "with σ = {sigma} and amounts and weights to be written in Python, {count:time}", { sigma: "1" },
    ({ sigma }) => [sigma, "[0, 1, 2]", "[0.7, 0.2, 0.1]"]),
  ...outside("FiniteExperiment", "Any table of probabilities", "to be written in Python, {count:time}", {}, () => ["[0.5, 0.5, 0.0]", "[0.25, 0.5, 0.25]"]),
}; // biome-ignore format: a table
// Of one that only Python has. It takes the numbers that it starts with, in this order, unless `given` says what it takes;
// how often it is used is not among them.
function outside(made, name, says, start, given = ({ count, ...rest }) => Object.values(rest)) {
  const fields = says.includes("{count:") ? { ...start, count: start.count ?? "1" } : start;
  return {
    [made]: {
      name,
      says,
      start: fields,
      text: (numbers) => `${made}(${given(numbers).join(", ")})${numbers.count ? times(numbers.count) : ""}`,
      isOutside: true,
    },
  };
}
const counted = (number, what) => `${number} ${what}${number === "1" ? "" : "s"}`;
const repeated = (count) => (count === "1" ? "" : `, applied ${count} times`);
const times = (count) => (count === "1" ? "" : ` ** ${count}`);

const PAIR = "dptutor-pair";

// The targets that a "?" can meet.
const GOALS = {
  point: { name: "(ε, δ)", says: "ε = {epsilon} at δ = {delta}", start: { epsilon: "8", delta: "10⁻⁵" } },
  advantage: { name: "an advantage", says: "the advantage is {advantage}", start: { advantage: "0.1" } },
  belief: {
    name: "a belief",
    says: "a prior belief of {prior} rises above {belief} with probability {exceedance}",
    start: { prior: "50%", belief: "90%", exceedance: "1%" },
  },
  rates: {
    name: "hits and false alarms",
    says: "{tpr} are caught at {fpr} false alarms",
    start: { tpr: "1%", fpr: "0.1%" },
  },
};
const TARGETS = {
  point: ({ epsilon, delta }) => ({ epsilon, delta }),
  advantage: ({ advantage }) => ({ advantage }),
  belief: ({ prior, belief, exceedance }) => ({ membershipPrior: prior, posteriorBelief: belief, exceedance }),
  rates: ({ tpr, fpr }) => ({ tpr, fpr }),
};

// For each number its name, its range, and the message for a number outside that range.
const positive = { test: (x) => x > 0 && Number.isFinite(x), says: "This must be a positive number." };
const whole = {
  test: (x) => Number.isInteger(x) && x >= 1 && x <= 1e15,
  says: "This must be a whole number, 1 or more.",
};
const several = { test: (x) => whole.test(x) && x >= 2, says: "This must be a whole number, 2 or more." };
const share = { test: (x) => x > 0 && x < 1, says: "This must be more than 0 and less than 1." };
const rate = { test: (x) => x > 0 && x <= 1, says: "This must be more than 0 and at most 1, or 100%." };
const notNegative = { test: (x) => x >= 0 && Number.isFinite(x), says: "This must be 0 or a positive number." };
const FIELDS = {
  sigma: { name: "noise multiplier", ...positive },
  scale: { name: "scale b", ...positive },
  rate: { name: "sampling rate", ...rate },
  steps: { name: "steps", ...whole },
  count: { name: "times", ...whole },
  categories: { name: "categories", ...several },
  users: { name: "people", ...several },
  members: { name: "members", ...whole },
  answers: { name: "answers", ...whole },
  answerScale: { name: "scale on the answers", ...positive },
  examples: { name: "examples", ...whole },
  batch: { name: "largest batch", ...whole },
  loss: { name: "ε", test: (x) => x >= 0 && x <= 700, says: "This must lie between 0 and 700." },
  share: { name: "δ", test: (x) => x >= 0 && x <= 1, says: "This must lie between 0 and 1." },
  epsilon: { name: "ε", ...notNegative },
  delta: { name: "δ", ...share },
  advantage: { name: "advantage", ...share },
  prior: { name: "prior", ...share },
  belief: { name: "belief", ...share },
  exceedance: { name: "probability", ...share },
  fpr: { name: "false alarms", ...share },
  tpr: { name: "hits", ...share },
};
// Any number of a mechanism may be asked for by "?"; of those that count, the most that meet the target.
const ASKABLE = new Set(Object.values(KINDS).flatMap(({ start }) => Object.keys(start)));
const COUNTS = new Set(["steps", "count", "categories", "users", "members", "answers", "examples", "batch"]);

const EXAMPLES = {
  "two training runs, both (8, 10⁻⁵)-DP": "A=dpsgd;0.5415;1%;500&B=dpsgd;?;90%;1500&goalB=point;8;10⁻⁵",
  "a million steps": "A=dpsgd;2;0.09%;1400000&B=dpsgd;3;0.09%;3400000",
  "two defaults of Opacus": "A=dpsgd;1;64/60000;9380&B=dpsgd;1.5;4%;2250",
  "Poisson or full batches": "A=dpsgd;1;1%;100&B=full;?;1&goalB=point;1.3;10⁻⁵",
};

// A number as people write it.
const RAISED = "⁻⁰¹²³⁴⁵⁶⁷⁸⁹";
const lowered = (text) =>
  text.replace(/[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+/g, (all) => "^" + [...all].map((one) => "-0123456789"[RAISED.indexOf(one)]).join(""));
// In counts and in quotients of them a comma parts thousands: 1,125 steps, a rate of 64/1,125.
const reading = (text, name) => numerals.read(text, COUNTS.has(name) || text.includes("/"));
const numberIn = (text, name) => reading(text, name).value ?? NaN;
const ambiguous = (text, name) => reading(text, name).reason === "ambiguous";

// Numbers as they are shown. A value below its error bound cannot be distinguished from 0.
const THIN = "\u202f",
  JOINED = "\u2060"; // no new line before it
const raisedTo = (exponent) => `10${[...String(exponent)].map((c) => RAISED["-0123456789".indexOf(c)]).join("")}`;
const grouped = (digits) => digits.replace(/^\d{4,}(?=\.|$)/, (all) => all.replace(/\B(?=(\d{3})+$)/g, THIN));
const ungrouped = (text) => text.replace(/(\d)[\s\u2009\u202f](?=\d{3})/g, "$1");
const fixed = (value, errorBound, most) => {
  // As many digits as are certain, except for the rounding of the last one.
  const certain = errorBound > 0 ? Math.floor(-Math.log10(2 * errorBound)) : most;
  return grouped(value.toFixed(Math.max(0, Math.min(most, certain)))).replace("-", "−");
};
const scientific = (value, digits = 2) => {
  const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
  return Number(mantissa) === 1 ? raisedTo(+exponent) : `${mantissa}·${raisedTo(+exponent)}`;
};
const small = ({ value, errorBound }) =>
  value <= 2 * errorBound ? `< ${raisedTo(Math.ceil(Math.log10(value + errorBound)))}` : scientific(value);
// Neither 0% nor 100% is said of what is only near it.
const percent = ({ value, errorBound }, most = 1) => {
  if (value === 0 && errorBound === 0) return "0%";
  if (100 * value < 0.5 * 10 ** -most) return `${small({ value: 100 * value, errorBound: 100 * errorBound })}%`;
  const said = fixed(100 * value, 100 * errorBound, most);
  return said.startsWith("100") && (value < 1 || errorBound > 0)
    ? `> ${(100 - 10 ** -most).toFixed(most)}%`
    : `${said}%`;
};
const shownEpsilon = ({ value, errorBound }) =>
  value === Infinity ? "∞" : fixed(value, errorBound, value >= 1000 ? 1 : 3);
// A probability that is below 1 is never shown as 1.
const fraction = ({ value, errorBound }, most) => {
  const said = fixed(value, errorBound, most);
  return said.startsWith("1") && (value < 1 || errorBound > 0) ? `> ${(1 - 10 ** -most).toFixed(most)}` : said;
};
const shownDelta = ({ value, errorBound }) =>
  value === 0 && errorBound === 0
    ? "0"
    : value < 1e-3
      ? small({ value, errorBound })
      : fraction({ value, errorBound }, 5);
// Regret in points: how many more of 100 guesses are right. At least two digits, if they are certain.
const points = ({ value, errorBound }) =>
  value <= 2 * errorBound
    ? `< ${raisedTo(Math.ceil(Math.log10(100 * (value + errorBound) || 1e-12)))}`
    : 100 * value < 0.001
      ? scientific(100 * value)
      : fixed(100 * value, 100 * errorBound, Math.max(1, 1 - Math.floor(Math.log10(100 * value))));
// A number that was asked for, as it would be typed.
const foundAs = (name, { value, errorBound }) => {
  if (COUNTS.has(name)) return String(value);
  const digits = Math.max(1, Math.min(4, Math.floor(-Math.log10((2 * errorBound) / value)))) + 1;
  if (name === "rate") return `${+(100 * value).toPrecision(digits)}%`;
  return value < 1e-3 ? scientific(value, digits) : String(+value.toPrecision(digits));
};
const inPoints = (regret) => {
  const said = points(regret);
  return `${said.replace("< ", "less than ")} ${said === "1.0" ? "point" : "points"}`;
};
// All digits that the bound makes certain, and the bound, in percent or points if that is the unit.
const withBound = ({ value, errorBound }, unit = "") => {
  if (value === Infinity) return "∞, exactly";
  const factor = unit ? 100 : 1,
    [x, bound] = [factor * value, factor * errorBound],
    digits = bound
      ? Math.max(1, Math.min(15, 1 + Math.floor(Math.log10(Math.abs(x) || bound) - Math.log10(bound))))
      : 15,
    said = String(+x.toPrecision(digits)).replace(/e-(\d+)/, (_, power) => `·${raisedTo(-power)}`);
  return `${said}${unit}, ${bound ? `± ${scientific(bound, 1)}${unit}` : "exactly"}`;
};
// "fewer than 1 in a billion", "3 in a million", "13 in 100"
const inSo = ({ value, errorBound }) => {
  const scales = [[100, "100"], [1000, `1${THIN}000`], [1e6, "a million"], [1e9, "a billion"], [1e12, "a trillion"]]; // biome-ignore format: a table
  for (const [many, said] of scales)
    if (value * many >= 1.5 && errorBound * many < 0.5) return `${Math.round(value * many)} in ${said}`;
  const [, said] = scales.findLast(([many]) => (value + errorBound) * many < 1) ?? scales[0];
  return `fewer than 1 in ${said}`;
};

// Computing: pure functions, run in a worker where the page is allowed one.

const PRIORS = Float64Array.from({ length: 201 }, (_, k) => k / 200);
const ODDS = Float64Array.from({ length: 241 }, (_, k) => 1 / (1 + Math.exp(-Math.sinh((k - 120) / 34)))); // to e^−17
const ALPHAS = Float64Array.from({ length: 161 }, (_, k) => ((1 - Math.cos((Math.PI * k) / 160)) / 2) ** 1.5);

// Results are cached, and the least recently used dropped first: people who type return to earlier settings.
const MOST_KEPT = 400;
const kept = new Map();
const once = (key, act) => {
  const known = kept.has(key) ? kept.get(key) : act();
  kept.delete(key);
  kept.set(key, known);
  if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value);
  return known;
};
const attempt = (act) => {
  try {
    return act();
  } catch (error) {
    if (error instanceof Refused) return { refused: error.python };
    throw error;
  }
};
const mechanismOf = (text) => once(`read ${text}`, () => read(text));
const ask = (text, what, ...given) =>
  once([what, ...given, text].join(" "), () => attempt(() => mechanismOf(text)[what](...given)));
const curve = (text, what, xs) =>
  once(`${what} ${xs.length} ${xs.at(-1)} ${text}`, () => attempt(() => mechanismOf(text)[what](xs)));

// R at priors that lie symmetrically about ½, as R does here.
const errors = (text, priors) => {
  const half = curve(text, "bayesErrors", priors.subarray(0, (priors.length + 1) / 2));
  return half.refused ? half : { values: priors.map((_, k) => half.values[Math.min(k, priors.length - 1 - k)]) };
};

// For the picture: f is the upper envelope of the lines that Bayes errors correspond to.
const envelope = ({ values, refused }) => {
  if (refused) return { refused };
  const found = new Float64Array(ALPHAS.length);
  for (let k = 0; k < ODDS.length; k++) {
    const start = values[k] / (1 - ODDS[k]),
      slope = ODDS[k] / (1 - ODDS[k]);
    for (let j = 0; j < ALPHAS.length; j++) found[j] = Math.max(found[j], start - slope * ALPHAS[j]);
  }
  return { values: found };
};

// What the page has no numbers for: the mechanism in Python, and a line that prints what it comes to.
const code = (text) => text.replace(/\b([A-Z]\w*)\(/g, "dp.$1(");
function elsewhere(text, target, { delta }) {
  const made = target ? `dp.calibrate(lambda x: ${code(text).replaceAll("?", "x")}, ${inPython(target)})` : code(text);
  const asked = target ? made : `${/ [@*]+ /.test(made) ? `(${made})` : made}.epsilon(${delta})`;
  return { python: made, refused: `import dptutor as dp; print(${asked})` };
}

function answer({ sides, look }) {
  const started = performance.now(),
    answers = {};
  for (const [side, { text, target }] of Object.entries(sides)) {
    try {
      const found = target && once(`${JSON.stringify(target)} ${text}`, () => attempt(() => calibrate(text, target)));
      if (found?.refused) {
        answers[side] = elsewhere(text, target, look);
        continue;
      }
      const made = found ? found.text : text;
      mechanismOf(made);
      answers[side] = {
        text: made,
        found: found && { value: found.parameter, errorBound: found.errorBound },
        epsilon: ask(made, "epsilon", look.delta),
        delta: ask(made, "delta", look.epsilon),
        advantage: ask(made, "advantage"),
        missed: ask(made, "tradeOff", look.fpr),
        error: ask(made, "bayesError", look.prior),
        even: ask(made, "bayesError", 0.5),
        R: errors(made, PRIORS),
        f: look.view === "f" ? once(`f ${made}`, () => envelope(errors(made, ODDS))) : null,
      };
    } catch (error) {
      answers[side] =
        error instanceof Refused
          ? elsewhere(text, target, look)
          : {
              wrong: error instanceof Unreachable ? "No number in place of the “?” meets this target." : error.message,
            };
    }
  }
  const made = Object.values(answers).filter((one) => one.text);
  let losses = null;
  if (look.view === "d") {
    const reach = made.map(({ text }) => ask(text, "epsilon", 1e-10).value).filter(Number.isFinite);
    const most = Math.max(1, look.epsilon, ...reach);
    losses = Float64Array.from({ length: 121 }, (_, k) => (k / 120) * most);
    for (const one of made) one.d = curve(one.text, "deltas", losses);
  }
  const both =
    made.length === 2
      ? once(`Δ ${made[0].text} ‖ ${made[1].text}`, () =>
          attempt(() => compare(mechanismOf(made[0].text), mechanismOf(made[1].text))),
        )
      : null;
  return { answers, both, losses, took: performance.now() - started };
}

// A worker needs only what is above.

const worker = typeof document === "undefined";
if (worker)
  globalThis.onmessage = ({ data }) => {
    globalThis.postMessage({ number: data.number, result: answer(data) });
  };

const make = (tag, attributes = {}, ...inside) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null) element.setAttribute(name, value);
  element.append(...inside.filter((one) => one !== null));
  return element;
};
const drawn = (tag, attributes = {}, text = "") => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.textContent = text;
  return element;
};
// Letters that are symbols, in the type of formulas.
const lettered = (text) =>
  text.split(/([εδσπαβΔ]₀?|\bb\b(?= =)|\bp\b(?= $))/).map((part, k) => (k % 2 ? make("i", {}, part) : part));

// What is wrong with a number that was typed, or nothing.
const mistake = (text, name, value) => {
  const { test, says } = FIELDS[name];
  if (ambiguous(text, name))
    return `Is this ${text.replace(",", ".")} or ${text.replace(",", "")}? Write it without a comma.`;
  if (Number.isNaN(value)) return "This is not a number.";
  if (test(value)) return "";
  if (test === whole.test && value > 1 && whole.test(Math.round(value)))
    return `This must be a whole number. Did you mean ${grouped(String(Math.round(value)))}?`;
  return says;
};

// What answers the settings, and the buttons that use the answer. While another is computed, it is dimmed, and they do
// nothing.
const ANSWERED =
  ".run-chart, .run-glance, .run-words, .run-numbers [data-of], .run-found, .run-goal output, p.run-wrong";
const USES = ".run-tools button, .run-found";
const SOON = 100; // milliseconds before it is dimmed: else quick answers, as while a grip is dragged, would flicker

class Run {
  constructor(root) {
    this.root = root;
    this.job = 0;
    this.known = {}; // of the numbers of the table, those that were right last
    this.asReport = Boolean(root.dataset.pair);
    this.fill(root.dataset.pair || location.hash.slice(1) || EXAMPLES[Object.keys(EXAMPLES)[0]]);
    // Seen once its numbers are there, or after a while: else what they need would move the rest.
    root.classList.add("run-waits");
    setTimeout(() => root.classList.remove("run-waits"), 3000);
    this.frame();
    this.build();
    if (this.asReport) return;
    globalThis.addEventListener("hashchange", () => {
      if (location.hash.slice(1) === this.address()) return;
      this.fill(location.hash.slice(1));
      this.build();
      // An example may have been chosen far below.
      if (this.columns.getBoundingClientRect().top < 0) this.columns.scrollIntoView();
    });
  }

  // What is set, and the address of it: A=dpsgd;1;1%;100+gaussian;2;1&goalA=…&look=…

  fill(address) {
    const raised = (_, power) => raisedTo(power).slice(2);
    const asked = new URLSearchParams(address.replaceAll("+", "%2B").replace(/\^(-?\d+)/g, raised));
    const parts = (text) =>
      (text ?? "").split("+").flatMap((part) => {
        const [kind, ...numbers] = part.split(";");
        if (!KINDS[kind]) return [];
        const { start } = KINDS[kind];
        return [
          { kind, fields: Object.fromEntries(Object.keys(start).map((name, k) => [name, numbers[k] ?? start[name]])) },
        ];
      });
    const goal = (text) => {
      const [kind, ...numbers] = (text ?? "").split(";");
      if (!GOALS[kind]) return { kind: "point", fields: { ...GOALS.point.start } };
      const { start } = GOALS[kind];
      return {
        kind,
        fields: Object.fromEntries(Object.keys(start).map((name, k) => [name, numbers[k] ?? start[name]])),
      };
    };
    this.sides = {};
    for (const side of "AB") {
      const its = parts(asked.get(side));
      if (its.length) this.sides[side] = { parts: its, goal: goal(asked.get(`goal${side}`)) };
    }
    if (!this.sides.A) this.sides.A = { parts: parts("dpsgd"), goal: goal() };
    const look = (asked.get("look") ?? "").split(";");
    this.look = {
      prior: look[0] || "50%",
      fpr: look[1] || "0.1%",
      delta: look[2] || "10⁻⁵",
      epsilon: look[3] || "1",
    };
    this.view = ["f", "R", "d"].includes(asked.get("view")) ? asked.get("view") : "f";
  }

  address() {
    const asked = new URLSearchParams();
    for (const [side, { parts, goal }] of Object.entries(this.sides)) {
      asked.set(side, parts.map(({ kind, fields }) => [kind, ...Object.values(fields)].join(";")).join("+"));
      if (this.asks(side)) asked.set(`goal${side}`, [goal.kind, ...Object.values(goal.fields)].join(";"));
    }
    asked.set("look", Object.values(this.look).join(";"));
    if (this.view !== "f") asked.set("view", this.view);
    return String(new URLSearchParams([...asked].map(([name, text]) => [name, lowered(text)])))
      .replaceAll("+", "%20")
      .replaceAll("%3B", ";")
      .replaceAll("%2B", "+")
      .replaceAll("%5E", "^")
      .replaceAll("%3F", "?");
  }

  asks(side) {
    return this.sides[side].parts.some(({ fields }) => Object.values(fields).includes("?"));
  }

  // The page: made once, and the two sides again when a line changes.

  frame() {
    this.columns = make("div", { class: "run-sides" });
    this.menu = make("div", { class: "run-tools", role: "group", "aria-label": "Tools" });
    this.tabs = make("div", { class: "run-tabs", role: "group", "aria-label": "What the picture shows" });
    for (const [view, name] of [["f", "Trade-off"], ["R", "Bayes error"], ["d", "Privacy profile"]]) // biome-ignore format: a table
      this.tabs.append(make("button", { type: "button", "data-view": view, onclick: () => this.show(view) }, name));
    this.left = new Chart("run-left", this);
    this.right = new Chart("run-right", this);
    this.front = "left";
    this.glance = make("button", { type: "button", class: "run-glance", onclick: () => this.exchange() });
    this.table = make("table", { class: "run-numbers" });
    this.table.addEventListener("click", ({ target }) => {
      const cell = target.closest("td[data-told]");
      if (cell) this.tell(cell.parentElement.dataset.row, cell.dataset.of);
    });
    this.bound = make("tr", { class: "run-bound" }, make("td", { colspan: 3, role: "status" }));
    this.words = make("p", { class: "run-words", "data-words": true, role: "status" });
    this.said = make("p", { class: "run-said", role: "status" });
    this.computing = make("p", { class: "run-computing", role: "status" });
    this.root.addEventListener(
      "click",
      (event) => event.target.closest("[aria-disabled=true]") && event.stopPropagation(),
      { capture: true },
    );
    const title = make("p", { class: "run-title" }, "A report on two mechanisms");
    const examples = make("p", { class: "run-examples" }, "Type your settings. Write ", make("span", { class: "run-field run-asked" }, "?"),
      " for a number you want to know. Examples: "); // biome-ignore format: one line
    Object.entries(EXAMPLES).forEach(([name, address], k) => {
      examples.append(k ? " · " : "", make("a", { href: `#${address}` }, name));
    });
    const tools = [
      ["link", "Copy link", () => this.copy(this.link(), "The link to this comparison is copied.")],
      ["python", "Copy as Python", () => this.copy(this.python(), "The program is copied.")],
      ["sentence", "Copy as a sentence for a paper", () => this.copy(this.sentence(), "The sentence is copied.")],
      ["report", this.asReport ? "Print this report" : "Print a report", () => this.print()],
    ];
    this.source = make("p", { class: "run-source" });
    globalThis.addEventListener("beforeprint", () => this.sign());
    this.keep = make("button", { type: "button", "data-keep": true, onclick: () => this.keepPair() });
    this.menu.append(this.keep);
    for (const [what, name, act] of tools)
      this.menu.append(make("button", { type: "button", "data-copy": what, onclick: act }, name));
    this.root.replaceChildren(
      this.asReport ? title : examples,
      this.columns,
      this.tabs,
      make(
        "div",
        { class: "run-picture" },
        this.left.svg,
        this.right.svg,
        this.glance,
        this.words,
        this.table,
        this.computing,
      ),
      this.menu,
      this.said,
      this.source,
    );
    // What is known stays on the page.
    NARROW.addEventListener("change", () => {
      this.build();
      this.draw();
    });
    globalThis.addEventListener("resize", () => NARROW.matches && this.draw());
    // Paper shows both pictures.
    for (const [event, printing] of [["beforeprint", true], ["afterprint", false]]) // biome-ignore format: a table
      globalThis.addEventListener(event, () => {
        this.printing = printing;
        this.draw();
      });
  }

  // The report alone: what stands beside it, or beside what it is in, is not printed.
  print() {
    const hidden = [];
    for (let part = this.root; part !== document.body; part = part.parentElement)
      hidden.push(...[...part.parentElement.children].filter((other) => other !== part && other.matches(":not(h1)")));
    for (const other of hidden) other.classList.add("run-beside");
    globalThis.addEventListener(
      "afterprint",
      () => {
        for (const other of hidden) other.classList.remove("run-beside");
      },
      { once: true },
    );
    globalThis.print();
  }

  // What a printed report ends with.
  sign() {
    const day = new Date().toLocaleDateString("en", { day: "numeric", month: "long", year: "numeric" });
    this.source.replaceChildren(
      "Neighboring data sets differ by one record, added or removed; batches are Poisson samples. Every digit shown is certain. ",
      `Computed on ${day} by `,
      make("span", { class: "run-address" }, this.link()),
    );
  }

  // A number with its bound, in a row below its own; another tap takes it away.
  tell(row, side) {
    const same = this.told?.row === row && this.told.side === side;
    this.told = same ? null : { row, side };
    this.showTold();
  }

  showTold() {
    const { row, side } = this.told ?? {},
      cell = this.table.querySelector(`[data-row=${row}] [data-of=${side}][data-told]`);
    if (!cell) {
      this.bound.remove();
      return;
    }
    this.bound.firstChild.textContent = `${side}: ${cell.dataset.told}`;
    cell.parentElement.after(this.bound);
  }

  exchange() {
    this.front = this.front === "left" ? "right" : "left";
    this.draw();
  }

  show(view) {
    this.view = view;
    this.front = "left";
    this.update();
  }

  build() {
    this.columns.replaceChildren(...["A", "B"].map((side) => this.column(side)));
    this.root.classList.toggle("run-alone", !this.sides.B);
    this.numbers();
    this.update();
  }

  column(side) {
    const its = this.sides[side],
      letter = make("div", { class: "run-letter", "aria-hidden": "true" }, side);
    if (!its) {
      const add = () => {
        const { parts, goal } = this.sides.A;
        this.sides[side] = structuredClone({ parts, goal });
        this.build();
        const added = this.columns.lastChild;
        (added.querySelector("input") ?? added.querySelector("select")).focus();
      };
      return make("section", { class: `run-side run-${side}`, "aria-label": side }, letter,
        make("p", {}, make("button", { type: "button", onclick: add }, "Compare with another mechanism"))); // biome-ignore format: one line
    }
    const lines = its.parts.map((part, number) => this.line(side, part, number));
    const add = make(
      "button",
      { type: "button", class: "run-add", onclick: () => this.addPart(side) },
      "+ another part",
    );
    its.place = make("span", { class: "run-goal" });
    its.wrong = make("p", { class: "run-wrong", role: "alert", hidden: true });
    its.mistake = make("p", { class: "run-mistake", id: `run-mistake-${side}`, role: "alert", hidden: true });
    const drop =
      side === "B" &&
      make(
        "button",
        { type: "button", class: "run-add", onclick: () => this.drop(), "aria-label": "Remove B" },
        "remove",
      );
    this.goalLine(side);
    return make("section", { class: `run-side run-${side}`, "aria-label": side }, letter,
      make("div", { class: "run-says" }, ...lines, make("p", { class: "run-part" }, its.place, make("span", { class: "run-more" }, add, drop || null)), its.mistake, its.wrong)); // biome-ignore format: one line
  }

  addPart(side) {
    const kind = "gaussian";
    this.sides[side].parts.push({ kind, fields: { ...KINDS[kind].start } });
    this.build();
  }

  drop() {
    delete this.sides.B;
    this.build();
  }

  line(side, part, number) {
    const { parts } = this.sides[side];
    const choose = make("select", { "aria-label": `${side}: kind of mechanism`, onchange: ({ target }) => {
      const old = part.fields;
      part.kind = target.value;
      part.fields = { ...KINDS[part.kind].start };
      for (const name of Object.keys(part.fields)) if (old[name] && old[name] !== "?") part.fields[name] = old[name];
      // What is asked for stays asked for, under the name that it has now.
      const asked = Object.keys(old).find((name) => old[name] === "?");
      const takes = Object.keys(part.fields);
      if (asked && takes.length) part.fields[takes.includes(asked) ? asked : takes[0]] = "?";
      this.build();
      this.columns.querySelectorAll(`.run-${side} .run-part > select`)[number]?.focus();
    } }); // biome-ignore format: short
    for (const [label, isOutside] of [["Computed on this page", false], ["In Python", true]]) // biome-ignore format: a table
      choose.append(
        make("optgroup", { label }, ...Object.entries(KINDS).filter(([, its]) => Boolean(its.isOutside) === isOutside)
          .map(([kind, { name }]) => make("option", { value: kind, selected: kind === part.kind }, name))),
      ); // biome-ignore format: short
    const remove = () => {
      parts.splice(number, 1);
      this.build();
    };
    return make("p", { class: "run-part" }, number ? "and " : null, choose, " ",
      ...this.worded(side, (NARROW.matches && KINDS[part.kind].brief) || KINDS[part.kind].says, part.fields),
      parts.length > 1 ? make("button", { type: "button", class: "run-drop", "aria-label": `Remove part ${number + 1} of ${side}`, onclick: remove }, "remove") : null); // biome-ignore format: one line
  }

  worded(side, says, fields) {
    return says.split(/\{([\w:]+)\}/).flatMap((part, k) => {
      const [name, unit] = part.split(":");
      return k % 2 ? this.field(side, name, fields, unit) : lettered(part.replace(/^,/, `${JOINED},`));
    });
  }

  // With a unit, which is one or many.
  field(side, name, fields, unit, label = `${side}: ${FIELDS[name].name}`) {
    const input = make("input", { type: "text", class: "run-field", "data-field": name, "aria-label": label, autocomplete: "off",
      spellcheck: "false", inputmode: ASKABLE.has(name) ? "text" : "decimal", value: grouped(fields[name]) }); // biome-ignore format: one line
    const counts = make("span");
    const fit = () => {
      if (unit) counts.textContent = ` ${unit}${numberIn(input.value, name) === 1 ? "" : "s"}`;
      input.style.width = `${Math.max(2, input.value.length) + 0.4}ch`;
      input.classList.toggle("run-asked", input.value.trim() === "?");
    };
    const found = make("button", {
      type: "button",
      class: "run-found",
      hidden: true,
      title: "Use this value",
    });
    const wrong = side === "look" ? make("span", { class: "run-wrong", hidden: true }) : null;
    input.addEventListener("input", () => {
      const asked = side !== "look" && this.asks(side);
      fields[name] = ungrouped(input.value.trim());
      fit();
      if (side !== "look" && this.asks(side) !== asked) {
        const { goal } = this.sides[side];
        if (!asked && goal.kind === "point") goal.fields.delta = this.look.delta;
        this.goalLine(side);
      }
      this.update();
    });
    // What is typed replaces it. Selecting focuses, too: not if a quick key has gone on.
    input.addEventListener("focus", () => {
      const before = input.value; // what is typed within a frame stays
      requestAnimationFrame(() => document.activeElement === input && input.value === before && input.select());
    });
    input.addEventListener("change", () => {
      const value = numberIn(fields[name], name);
      if (unit && whole.test(value)) fields[name] = String(value);
      input.value = grouped(fields[name]);
      fit();
    });
    found.addEventListener("click", () => {
      fields[name] = input.value = found.dataset.value;
      fit();
      this.goalLine(side);
      this.update();
      input.focus();
    });
    fit();
    input.run = { name, fields, found, wrong };
    return [input, unit ? counts : null, found, wrong].filter(Boolean);
  }

  // What the numbers come to; or, where one is asked for, what it has to meet.
  goalLine(side) {
    const { place, goal } = this.sides[side];
    if (!this.asks(side)) {
      const out = make("output", { class: "run-out", "data-epsilon": side });
      place.replaceChildren(
        "which is ",
        make("i", {}, "ε"),
        " = ",
        out,
        " at ",
        make("i", {}, "δ"),
        " = ",
        make("output", { "data-delta": "" }),
      );
      return;
    }
    const choose = make("select", { "aria-label": `${side}: target`, onchange: ({ target }) => {
      goal.kind = target.value;
      goal.fields = { ...GOALS[goal.kind].start };
      this.goalLine(side);
      place.querySelector("select").focus();
      this.update();
    } }); // biome-ignore format: short
    for (const [kind, { name }] of Object.entries(GOALS))
      choose.append(make("option", { value: kind, selected: kind === goal.kind }, name));
    place.replaceChildren("to meet ", choose, ": ", ...this.worded(side, GOALS[goal.kind].says, goal.fields));
  }

  numbers() {
    const row = (name, ...said) => make("tr", { "data-row": name }, make("th", { scope: "row" }, ...said),
      ...["A", "B"].map((side) => make("td", { "data-of": side }))); // biome-ignore format: one line
    const look = (name, label) => this.field("look", name, this.look, null, label);
    this.table.replaceChildren(
      make("thead", {}, make("tr", {}, make("td"), make("th", { scope: "col", class: "run-A" }, "A"), make("th", { scope: "col", class: "run-B" }, "B"))),
      make("tbody", {},
        row("right", "right guesses at even odds"),
        row("advantage", "membership advantage"),
        row("caught", "caught at ", ...look("fpr", "false alarms"), " false alarms"),
        row("error", "Bayes error at ", make("i", {}, "π"), " = ", ...look("prior", "prior of not being in the data")),
        row("epsilon", make("i", {}, "ε"), " at ", make("i", {}, "δ"), " = ", ...look("delta", "δ")),
        row("delta", make("i", {}, "δ"), " at ", make("i", {}, "ε"), " = ", ...look("epsilon", "ε")),
        row("regret", "worst regret, in points", make("small", {}, "1 point: 1 more right guess in 100")),
      ),
    ); // biome-ignore format: a table
  }

  // From what is typed to what is computed.

  update() {
    const sides = {};
    // A row whose number is wrong stays empty; all else is answered.
    this.empty = new Set();
    for (const input of this.table.querySelectorAll("input")) {
      const { field } = input.dataset,
        value = this.checked(input);
      if (Number.isNaN(value)) this.empty.add(input.closest("tr").dataset.row);
      else Object.assign(this.known, { [field]: value, [`${field} as typed`]: this.look[field] });
    }
    const { prior = 0.5, fpr = 0.001, delta = 1e-5, epsilon = 1 } = this.known,
      look = { prior, fpr, delta, epsilon };
    for (const side of Object.keys(this.sides)) {
      const section = this.columns.querySelector(`.run-${side}`),
        inputs = [...section.querySelectorAll("input")];
      // The library does not look for whole numbers.
      const inside = !this.sides[side].parts.some(({ kind }) => KINDS[kind].isOutside),
        askable = (name) => ASKABLE.has(name) && (inside || !COUNTS.has(name));
      const values = new Map(inputs.map((input) => [input.run.fields, {}]));
      const asked = new Set(
        inputs.filter(({ run }) => askable(run.name) && run.fields[run.name] === "?").map(({ run }) => run.name),
      );
      const mistakes = [];
      for (const input of inputs) {
        const value = this.checked(input, asked, (says) => mistakes.push(`${FIELDS[input.run.name].name}: ${says}`));
        if (Number.isNaN(value)) input.setAttribute("aria-describedby", this.sides[side].mistake.id);
        else input.removeAttribute("aria-describedby");
        values.get(input.run.fields)[input.dataset.field] = value;
      }
      this.complain(side, mistakes.join(" "));
      const { parts, goal } = this.sides[side];
      if (mistakes.length) continue;
      const written = parts.map(({ kind, fields }) => {
        const numbers = values.get(fields);
        return KINDS[kind].text(Object.fromEntries(Object.keys(fields).map((name) => [name, String(numbers[name])])));
      });
      sides[side] = {
        text: written.join(" @ "),
        target: this.asks(side) ? TARGETS[goal.kind](values.get(goal.fields)) : null,
      };
    }
    this.note();
    // While a number is wrong, what is known of the last right ones stays, dimmed.
    this.stuck = Object.keys(sides).length < Object.keys(this.sides).length && Boolean(this.result);
    if (this.stuck) this.mark();
    else this.ask({ sides, look: { ...look, view: this.view } });
  }

  // What is wrong with a side, below its lines.
  complain(side, says) {
    const { mistake } = this.sides[side];
    if (mistake.textContent !== says) mistake.textContent = says;
    mistake.hidden = !says;
  }

  // The number in a field, or NaN, and what is wrong is told: beside it, unless elsewhere. Only one kind of number may be
  // asked for.
  checked(input, asked = new Set(), tell = null) {
    const { name, fields, wrong } = input.run,
      text = fields[name],
      asks = text === "?" && asked.has(name);
    const value = asks ? "?" : numberIn(text, name);
    const says = asks
      ? asked.size > 1
        ? "Only one number can be asked for."
        : ""
      : text === "?"
        ? "This number must be given."
        : mistake(text, name, value);
    input.setAttribute("aria-invalid", String(Boolean(says)));
    if (wrong) {
      if (wrong.textContent !== says) wrong.textContent = says;
      wrong.hidden = !says;
    } else if (says) tell(says);
    return says ? NaN : value;
  }

  note() {
    if (this.asReport) return;
    clearTimeout(this.noting);
    this.noting = setTimeout(() => history.replaceState(null, "", `#${this.address()}`), 300);
  }

  // In a worker, so that typing is never held up, and always for what was typed last.
  ask(question) {
    this.job += 1;
    this.question = question;
    this.mark();
    this.helper ??= this.helpful();
    this.waiting = { number: this.job, ...question };
    if (!this.busy) this.send();
  }

  send() {
    const asked = this.waiting;
    this.busy = true;
    this.waiting = null;
    this.helper.postMessage(asked);
  }

  receive({ number, result }) {
    this.busy = false;
    if (this.waiting) this.send();
    if (number !== this.job) return;
    const unmet = Object.entries(result.answers).filter(([, { wrong }]) => wrong);
    for (const [side, { wrong }] of unmet) this.complain(side, wrong);
    if (unmet.length && this.result) this.stuck = true;
    else {
      this.result = { ...result, question: this.question };
      this.draw();
    }
    this.root.dataset.job = number;
    this.mark();
    this.root.classList.remove("run-waits");
  }

  helpful() {
    try {
      const helper = new Worker(this.root.dataset.script);
      helper.onmessage = ({ data }) => this.receive(data);
      helper.onerror = () => {
        this.helper = this.here();
        this.busy = false;
        this.ask(this.question);
      };
      return helper;
    } catch {
      return this.here();
    }
  }

  // A page that was opened from a folder may have no worker. It then says that it computes before it does, except where
  // only a grip has moved.
  here() {
    let before = "";
    const postMessage = ({ number, ...asked }) => {
      const act = () => this.receive({ number, result: answer(asked) }),
        made = JSON.stringify([asked.sides, asked.look.view]);
      if (made === before) return act();
      before = made;
      this.root.classList.add("run-late");
      requestAnimationFrame(() => setTimeout(act));
    };
    return { postMessage };
  }

  // Whether what is shown belongs to earlier settings.
  get pending() {
    return this.stuck || Number(this.root.dataset.job) !== this.job;
  }

  mark() {
    const { pending } = this;
    for (const part of [this.bound, ...this.root.querySelectorAll(ANSWERED)]) part.setAttribute("aria-busy", pending);
    for (const button of this.root.querySelectorAll(USES)) button.setAttribute("aria-disabled", pending);
    this.showKept();
    this.computing.textContent = this.stuck ? "These are the earlier settings." : pending ? this.doing() : "";
    if (pending) {
      this.said.replaceChildren();
      this.late ??= setTimeout(() => this.root.classList.add("run-late"), SOON);
    } else {
      clearTimeout(this.late);
      this.late = null;
      this.root.classList.remove("run-late");
    }
  }

  doing() {
    const known = this.result?.question.sides ?? {},
      anew = Object.entries(this.question.sides).filter(
        ([side, its]) => JSON.stringify(its) !== JSON.stringify(known[side]),
      );
    const named = anew.map(([side, { target }]) => (target ? `the “?” of ${side}` : side));
    return ["Computing", named.join(" and "), "…"].filter(Boolean).join(" ");
  }

  // Showing.

  draw() {
    if (!this.result) return;
    const { answers, both, losses } = this.result,
      cell = (row, side) => this.table.querySelector(`[data-row=${row}] [data-of=${side}]`);
    for (const output of this.columns.querySelectorAll("[data-delta]")) output.textContent = this.look.delta;
    for (const side of ["A", "B"]) {
      const its = answers[side];
      for (const place of this.table.querySelectorAll(`[data-of=${side}]`)) {
        place.textContent = "";
        place.removeAttribute("title");
        delete place.dataset.told;
      }
      const section = this.columns.querySelector(`.run-${side}`),
        alert = this.sides[side]?.wrong;
      if (alert) {
        const refused = its?.refused ?? Object.values(its ?? {}).find((value) => value?.refused)?.refused ?? "";
        alert.hidden = !refused;
        const what = its?.refused ? "this mechanism" : "some of these numbers";
        alert.replaceChildren(`This page cannot compute ${what}. In Python: `, make("code", {}, refused));
      }
      for (const input of section.querySelectorAll("input")) {
        const { found, name, fields } = input.run;
        if (!found) continue;
        found.hidden = !(its?.found && fields[name] === "?");
        if (found.hidden) continue;
        found.dataset.value = foundAs(name, its.found);
        const before = found.textContent;
        found.textContent = `= ${grouped(found.dataset.value)}`;
        if (before === found.textContent) continue;
        found.setAttribute("aria-label", `= ${found.dataset.value}: use this value`);
        found.title = COUNTS.has(name) ? "The most that meet the target. Use this value" : "Use this value";
      }
      const out = section.querySelector("[data-epsilon]");
      if (out)
        out.textContent =
          its?.text && !its.epsilon.refused && !this.empty.has("epsilon") ? shownEpsilon(its.epsilon) : "–";
      if (its?.refused)
        for (const place of this.table.querySelectorAll(`tbody [data-of=${side}]`)) place.textContent = "–";
      if (!its?.text) continue;
      const put = (row, value, show, unit) => {
        const place = cell(row, side);
        if (this.empty.has(row)) return;
        if (value.refused) {
          place.replaceChildren(make("abbr", { title: `In Python: ${value.refused}` }, "–"));
          return;
        }
        place.textContent = show(value);
        place.title = place.dataset.told = withBound(value, unit);
      };
      const other = ({ value, errorBound, refused }) => ({ value: 1 - value, errorBound, refused });
      const inPercent = (value) => percent(value, 2);
      put("right", other(its.even), inPercent, "%");
      put("advantage", its.advantage, ({ value, errorBound }) =>
        value < 5e-4 && value > 0 ? small({ value, errorBound }) : fraction({ value, errorBound }, 3),
      );
      put("caught", other(its.missed), inPercent, "%");
      put("error", its.error, inPercent, "%");
      put("epsilon", its.epsilon, shownEpsilon);
      put("delta", its.delta, shownDelta);
      if (!both || both.refused) continue;
      put("regret", { value: side === "A" ? both.reverseDivergence : both.divergence, errorBound: both.errorBound }, points, " points"); // biome-ignore format: one line
    }
    this.showTold();
    this.root.classList.toggle("run-none", !answers.A?.text && !answers.B?.text);
    this.root.classList.toggle("run-single", !answers.B?.text || !answers.A?.text);
    this.pictures(answers, both, losses);
    this.words.replaceChildren(...this.verdict(answers, both));
  }

  pictures(answers, both, losses) {
    this.arrange(Boolean(answers.A?.R?.values && answers.B?.R?.values), both);
    const curves = (name) =>
      ["A", "B"]
        .filter((side) => answers[side]?.[name]?.values)
        .map((side) => ({ side, y: answers[side][name].values }));
    const { look } = this.result.question;
    const told = (show) => {
      const sides = ["A", "B"].filter((side) => answers[side]?.text);
      return sides.map((side) => `${side} ${show(answers[side].text)}`).join(", ");
    };
    if (this.view === "f" && curves("f").length)
      this.left.curves({ name: "Trade-off functions", x: ALPHAS, lines: curves("f"), xlim: [0, 1], ylim: [0, 1], xlabel: "of 100 people not in the data, wrongly accused",
        ylabel: "of 100 people in the data, missed", xbrief: "wrongly accused, of 100", ybrief: "missed, of 100", ticks: [0, 0.25, 0.5, 0.75, 1], tick: (x) => String(100 * x), reference: [[0, 1], [1, 0]],
        handle: { at: look.fpr, moves: "fpr", toText: (x) => `${+(100 * x).toPrecision(3)}%` },
        tip: (x) => [`${told((text) => percent(ask(text, "tradeOff", x)))} missed`, `at ${percent({ value: x, errorBound: 0 })} wrongly accused`] }); // biome-ignore format: long
    else if (this.view === "R" && curves("R").length)
      this.left.curves({ name: "Bayes errors", x: PRIORS, lines: curves("R"), xlim: [0, 1], ylim: [0, 0.5], xlabel: "adversary’s prior for “not in the data”",
        ylabel: "of 100 guesses, wrong", xbrief: "prior for “not in the data”", ybrief: "wrong, of 100", ticks: [0, 0.25, 0.5, 0.75, 1], tick: (x) => String(100 * x), yticks: [0, 0.1, 0.2, 0.3, 0.4, 0.5], reference: [[0, 0.5, 1], [0, 0.5, 0]],
        handle: { at: look.prior, moves: "prior", toText: (x) => `${+(100 * x).toPrecision(3)}%` },
        tip: (x) => [`${told((text) => percent(ask(text, "bayesError", x)))} wrong`, `at a prior of ${percent({ value: x, errorBound: 0 })}`] }); // biome-ignore format: long
    else if (curves("d").length) {
      const most = losses.at(-1),
        step = [1, 2, 5, 10].map((n) => n * 10 ** Math.floor(Math.log10(most / 5))).find((one) => most / one <= 6);
      this.left.curves({ name: "Privacy profiles", x: losses, lines: curves("d"), xlim: [0, most], ylim: [1e-10, 1], log: true, xlabel: "ε", ylabel: "δ",
        ticks: Array.from({ length: Math.floor(most / step) + 1 }, (_, k) => k * step), tick: (x) => String(+x.toPrecision(4)), yticks: [1e-10, 1e-8, 1e-6, 1e-4, 1e-2, 1],
        handle: { at: look.epsilon, moves: "epsilon", toText: (x) => String(+x.toPrecision(3)) },
        tip: (x) => [`δ at ε = ${+x.toPrecision(3)}:`, told((text) => shownDelta(ask(text, "delta", x)))] }); // biome-ignore format: long
    } else this.left.clear();
    if (answers.A?.R?.values && answers.B?.R?.values) this.right.regrets(answers, both, look.prior);
    else this.right.clear();
  }

  // On a phone one picture is large, and the other a thumbnail that exchanges them.
  arrange(two, both) {
    const narrow = NARROW.matches && !this.printing,
      front = two ? this.front : "left",
      room = Math.max(200, this.root.clientWidth - (two ? GLANCE : 0));
    this.root.dataset.front = front;
    for (const tab of this.tabs.children)
      tab.setAttribute("aria-pressed", String(tab.dataset.view === this.view && !(narrow && front === "right")));
    this.left.fit(!narrow ? "wide" : front === "left" ? "large" : "small", room);
    this.right.fit(!narrow ? "wide" : front === "right" ? "large" : "small", room);
    if (front === "right") {
      const name = this.tabs.querySelector(`[data-view=${this.view}]`).textContent;
      this.glance.replaceChildren(make("b", {}, name));
      this.glance.setAttribute("aria-label", `Show large: ${name}`);
      return;
    }
    const { divergence = 0, reverseDivergence = 0, errorBound = 0, refused } = both ?? { refused: true };
    const [side, value] = divergence >= reverseDivergence ? ["B", divergence] : ["A", reverseDivergence];
    const big = refused ? "" : `${points({ value, errorBound })} points`;
    this.glance.replaceChildren(make("b", {}, big), refused ? "Which is better?" : ` regret of choosing ${side}`);
    this.glance.setAttribute(
      "aria-label",
      `Show large: which of the two protects better. ${big} regret of choosing ${side}`,
    );
  }

  verdict(answers, both) {
    const { A, B } = answers,
      bold = (text, side) => make("b", { class: side ? `run-${side}` : "" }, text);
    // So many digits that the two differ.
    const share = (its) => 100 * (1 - its.even.value),
      known = (its) => its?.text && !its.even.refused,
      digits = known(A) && known(B) ? [0, 1, 2, 3].find((n) => share(A).toFixed(n) !== share(B).toFixed(n)) : 0;
    const people = (its) =>
      share(its) >= 99.5 && its.even.value + its.even.errorBound > 0
        ? `all but ${inSo(its.even)}`
        : `${share(its).toFixed(digits ?? 0)} of 100`;
    if (!known(A) && !known(B)) return [];
    if (!known(A) || !known(B)) {
      const [side, its] = known(A) ? ["A", A] : ["B", B];
      const against = B ? ` against ${side}` : "";
      return ["Starting from even odds, the best adversary guesses right for ", bold(people(its), side), ` people${against}.`]; // biome-ignore format: one sentence
    }
    const start = [];
    if (
      !A.epsilon.refused &&
      !B.epsilon.refused &&
      Math.abs(A.epsilon.value - B.epsilon.value) < 5e-3 * A.epsilon.value
    )
      start.push(
        `Both have about ε = ${+A.epsilon.value.toPrecision(3)} at δ = ${scientific(this.result.question.look.delta)}`,
      );
    if (!both || both.refused) return [];
    const { divergence, reverseDivergence, errorBound, divergencePrior, reversePrior } = both,
      ofB = { value: divergence, errorBound },
      ofA = { value: reverseDivergence, errorBound };
    if (divergence <= 2 * errorBound && reverseDivergence <= 2 * errorBound)
      return [
        "To the accuracy of this page, A and B are ",
        bold("equally private"),
        ` against every adversary: each regret is ${inPoints({ value: 0, errorBound: Math.max(divergence, reverseDivergence) + errorBound })}.`,
      ];
    const odds = [
      start.length ? `${start[0]}, ${Math.max(divergence, reverseDivergence) < 1e-3 ? "and they are almost equally private" : "but they are not equally private"}. ` : "",
      "Starting from even odds, the best adversary guesses right for ", bold(people(A), "A"), " people against A, and for ",
      bold(people(B), "B"), " against B. ",
    ]; // biome-ignore format: one sentence
    const [better, mine, other, against] =
      divergence >= reverseDivergence ? ["A", ofA, ofB, reversePrior] : ["B", ofB, ofA, divergencePrior];
    if (mine.value <= 1e-6 || mine.value <= 2 * errorBound)
      return [
        ...odds,
        bold(`Choose ${better}:`),
        " you can regret it by at most ",
        bold(inPoints(mine).replace("less than ", ""), "gain"),
        ".",
      ];
    if (other.value - mine.value <= 2 * errorBound)
      return [
        ...odds,
        "Neither protects better against every adversary, and choosing either can cost up to ",
        bold(inPoints(mine), "gain"),
        ".",
      ];
    return [...odds, bold(`Choose ${better}:`), " some adversaries do better against it than against the other, but by at most ", bold(inPoints(mine), "gain"),
      `; choosing ${better === "A" ? "B" : "A"} can cost up to `, bold(inPoints(other), "gain"), ". ",
      `The adversary for whom ${better} is worst starts out ${percent({ value: against, errorBound: 0 }, 0)} sure that you are not in the data.`,
      other.value < 2 * mine.value ? " It is a close call." : ""]; // biome-ignore format: one sentence
  }

  // For elsewhere.

  python() {
    const { A, B } = this.result.answers,
      lines = ["import dptutor as dp", ""];
    const made = [["a", A], ["b", B]].filter(([, its]) => its?.text || its?.python); // biome-ignore format: a table
    for (const [name, { text, python }] of made) lines.push(`${name} = ${python ?? code(text)}`);
    for (const [name] of made)
      lines.push(`print(${name}.epsilon(${this.result.question.look.delta}), ${name}.advantage)`);
    if (made.length === 2) lines.push("print(dp.compare(a, b))");
    return `${lines.join("\n")}\n`;
  }

  sentence() {
    const { answers, both } = this.result;
    const parts = (side) =>
      this.sides[side].parts.map(({ kind, fields }) => {
        const { found } = answers[side],
          said = Object.entries(fields).map(([name, text]) => [
            name,
            grouped(text === "?" && found ? foundAs(name, found) : text),
          ]);
        return KINDS[kind].paper(Object.fromEntries(said));
      });
    const named = (side) => parts(side).join(" composed with ");
    const known = (side) => {
      const { epsilon, advantage } = answers[side],
        shown = (value, show) => (value.refused ? "?" : show(value));
      return [
        `(${shown(epsilon, shownEpsilon)}, ${this.known["delta as typed"] ?? "10⁻⁵"})-DP`,
        `membership advantage is ${shown(advantage, ({ value, errorBound }) => fixed(value, errorBound, 4))}`,
      ];
    };
    const [one, other] = ["A", "B"].filter((side) => answers[side]?.text);
    if (!one) return "";
    const trains = this.sides[one].parts.some(({ kind }) => KINDS[kind].trains),
      adjacency = "add-or-remove-one adjacency";
    const [budget, advantage] = known(one),
      first = named(one),
      inside = first.endsWith(")") && !first.includes(" composed ");
    const start = inside ? `${first.slice(0, -1)}; ${adjacency})` : `${first} (${adjacency})`;
    const text = `We ${trains ? "train with" : "use"} ${start}, which is ${budget}; its ${advantage}.`;
    if (!other) return text;
    const [its, theirs] = known(other),
      alternative = `${text} The alternative, ${named(other)}, is ${its}; its ${theirs}.`;
    if (!both || both.refused) return alternative;
    const share = (value) => {
      const { errorBound } = both;
      if (value <= 2 * errorBound) return `less than ${raisedTo(Math.ceil(Math.log10(value + errorBound || 1e-12)))}`;
      return value < 1e-3 ? scientific(value, 2) : fixed(value, errorBound, 4);
    };
    return (
      `${alternative} Choosing ours over the alternative raises no adversary's success by more than ${share(both.reverseDivergence)}, ` +
      `and the alternative over ours by more than ${share(both.divergence)} (Δ-divergences between the two, in probability).`
    );
  }

  // One pair for the whole book: the chapters then link to their curves for it.
  keepPair() {
    try {
      const there = localStorage.getItem(PAIR) === this.pair();
      if (there) localStorage.removeItem(PAIR);
      else localStorage.setItem(PAIR, this.pair());
      this.said.textContent = there
        ? ""
        : "In most chapters, a link below the first picture now leads to the chapter's curve for this pair.";
    } catch {
      this.said.textContent = "This browser does not allow pages to store anything.";
    }
    this.showKept();
  }

  pair() {
    return this.address().replace(/&view=\w/, "");
  }

  showKept() {
    let kept = null;
    try {
      kept = localStorage.getItem(PAIR);
    } catch {
      /* nothing is kept */
    }
    this.keep.textContent = kept === this.pair() ? "Kept as my pair ✓" : "Keep as my pair";
    this.keep.setAttribute("aria-pressed", String(kept === this.pair()));
    this.keep.title = "The chapters then link to their curves for this pair";
  }

  // The address as it is now, not as it was a moment ago.
  link() {
    clearTimeout(this.noting);
    const there = `#${this.address()}`;
    if (this.asReport) return new URL(`your_run.html${there}`, location.href).href;
    history.replaceState(null, "", there);
    return location.href;
  }

  copy(text, told) {
    const { job } = this,
      say = (what) => job === this.job && this.said.replaceChildren(what),
      show = () => say(make("code", {}, text));
    if (!text) return say("This page has no numbers to copy.");
    if (navigator.clipboard) navigator.clipboard.writeText(text).then(() => say(told), show);
    else show();
  }
}

// A picture: axes, the curves of both sides, what is read off under the pointer, and a grip.

const SIZES = {
  wide: { width: 430, height: 392, box: { left: 54, top: 14, right: 14, bottom: 50 } },
  // On a phone one picture is large, in its own pixels, and the other a thumbnail beside it.
  large: (width) => ({ width, height: Math.min(width, 330) + 24, box: { left: 36, top: 8, right: 10, bottom: 50 } }),
  small: { width: 104, height: 104, box: { left: 9, top: 20, right: 9, bottom: 14 } },
};

class Chart {
  constructor(name, run) {
    this.run = run;
    this.svg = drawn("svg", { class: `run-chart ${name}`, role: "group" });
    this.fit("wide");
    this.svg.addEventListener("pointermove", (event) => this.hover(event));
    this.svg.addEventListener("pointerleave", () => this.tipGone());
    this.svg.addEventListener("pointerdown", (event) => this.press(event));
  }

  // How large it is drawn: "wide", "large" or "small".
  fit(size, room) {
    this.size = size;
    Object.assign(this, size === "large" ? SIZES.large(room) : SIZES[size]);
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
    this.svg.classList.toggle("run-small", size === "small");
    this.svg.toggleAttribute("inert", size === "small");
  }

  clear() {
    this.shown = null;
    this.svg.replaceChildren();
  }

  // From values to places, and back for the x axis.
  scale({ xlim, ylim, log }) {
    const { left, top, right, bottom } = this.box;
    const across = this.width - left - right,
      down = this.height - top - bottom;
    this.x = (x) => left + (across * (x - xlim[0])) / (xlim[1] - xlim[0]);
    this.back = (px) => Math.min(xlim[1], Math.max(xlim[0], xlim[0] + ((px - left) / across) * (xlim[1] - xlim[0])));
    const of = log
      ? (y) => Math.log(Math.max(y, ylim[0] / 100) / ylim[0]) / Math.log(ylim[1] / ylim[0])
      : (y) => (y - ylim[0]) / (ylim[1] - ylim[0]);
    this.y = (y) => top + down * (1 - Math.min(1.02, Math.max(log ? 0 : -0.02, of(y))));
  }

  axes({
    name,
    xlim,
    ylim,
    ticks,
    tick,
    yticks = ticks,
    ytick,
    xlabel,
    ylabel,
    xbrief = xlabel,
    ybrief = ylabel,
    log,
  }) {
    this.svg.setAttribute("aria-label", name);
    const put = (...made) => this.svg.append(...made);
    if (this.size === "small") {
      put(drawn("path", { class: "run-axis", d: `M${this.x(xlim[0])} ${this.y(ylim[0])}H${this.x(xlim[1])}` }));
      return;
    }
    const brief = this.size === "large";
    for (const x of ticks) {
      put(drawn("path", { class: "run-grid", d: `M${this.x(x)} ${this.box.top}V${this.height - this.box.bottom}` }));
      put(
        drawn(
          "text",
          { class: "run-tick", x: this.x(x), y: this.height - this.box.bottom + 19, "text-anchor": "middle" },
          tick(x),
        ),
      );
    }
    for (const y of yticks) {
      put(drawn("path", { class: "run-grid", d: `M${this.box.left} ${this.y(y)}H${this.width - this.box.right}` }));
      const text = ytick
        ? ytick(y)
        : log
          ? y === 1
            ? "1"
            : raisedTo(Math.round(Math.log10(y)))
          : String(+(100 * y).toPrecision(3));
      put(drawn("text", { x: this.box.left - 8, y: this.y(y) + 5, "text-anchor": "end" }, text));
    }
    put(
      drawn("path", {
        class: "run-axis",
        d: `M${this.box.left} ${this.box.top}V${this.y(ylim[0])}H${this.x(xlim[1])}`,
      }),
    );
    const across = (this.box.left + this.width - this.box.right) / 2,
      down = (this.box.top + this.height - this.box.bottom) / 2;
    const label = { class: "run-label", "text-anchor": "middle" };
    put(drawn("text", { ...label, x: across, y: this.height - 8 }, brief ? xbrief : xlabel));
    if (brief && ybrief) put(this.corner(`↑ ${ybrief}`, this.box.top + 16));
    else put(drawn("text", { ...label, x: 12, y: down, transform: `rotate(-90 12 ${down})` }, ylabel));
  }

  // A label inside the picture, at its right edge.
  corner(text, y, side) {
    const place = { class: `run-corner run-${side}`, x: this.width - this.box.right - 6, y, "text-anchor": "end" };
    return drawn("text", place, text);
  }

  path(xs, ys) {
    return `M${Array.from(xs, (x, k) => `${this.x(x).toFixed(1)} ${this.y(ys[k]).toFixed(1)}`).join("L")}`;
  }

  curves(chart) {
    this.begin(chart);
    if (chart.reference) this.svg.append(drawn("path", { class: "run-reference", d: this.path(...chart.reference) }));
    for (const { side, y } of [...chart.lines].reverse()) {
      this.svg.append(drawn("path", { class: `run-curve run-${side}`, d: this.path(...this.above(chart, y)) }));
      if (this.size !== "small") this.name(chart, side, y);
    }
    this.end(chart);
  }

  // On a logarithmic axis a curve ends where it leaves the picture.
  above({ x, ylim, log }, y) {
    const last = log ? y.findIndex((value) => value < ylim[0]) : -1;
    return last < 0 ? [x, y] : [x.subarray(0, last + 1), y];
  }

  // Letters beside the curves: A right of its own, B left of it, further along where they meet.
  name(chart, side, y) {
    const other = chart.lines.find((line) => line.side !== side);
    const far = (k) => (other ? Math.abs(this.y(y[k]) - this.y(other.y[k])) : 1);
    let best = 0;
    chart.x.forEach((x, k) => {
      const inside =
        this.y(y[k]) > this.box.top + (this.size === "large" ? 44 : 20) &&
        this.y(y[k]) < this.height - this.box.bottom - 12 &&
        this.x(x) > this.box.left + 24 &&
        this.x(x) < this.width - this.box.right - 30;
      if (inside && far(k) > (best ? far(best) : -1)) best = k;
    });
    const above = !other || y[best] >= other.y[best];
    this.svg.append(drawn("text", { class: `run-name run-${side}`, x: this.x(chart.x[best]) + (above ? 9 : -9), y: this.y(y[best]) + (above ? -7 : 17),
      "text-anchor": above ? "start" : "end" }, side)); // biome-ignore format: one line
  }

  begin(chart) {
    this.shown = chart;
    const focused = this.svg.contains(document.activeElement);
    this.svg.replaceChildren();
    this.scale(chart);
    this.axes(chart);
    this.focused = focused;
  }

  end(chart) {
    if (this.size === "small") return;
    if (chart.handle) this.grip(chart);
    this.tip = drawn("g", { class: "run-tip", visibility: "hidden" });
    this.svg.append(this.tip);
    if (this.focused) this.svg.querySelector("[role=slider]")?.focus();
  }

  grip({ handle, xlim, xlabel, lines, x: xs }) {
    const at = Math.min(xlim[1], Math.max(xlim[0], handle.at)),
      said = handle.toText(handle.at);
    const group = drawn("g", { class: "run-grip", "data-handle": handle.moves, tabindex: 0, role: "slider", "aria-label": xlabel, "aria-valuemin": xlim[0],
      "aria-valuemax": xlim[1], "aria-valuenow": handle.at, "aria-valuetext": said }); // biome-ignore format: one line
    const x = this.x(at),
      foot = this.height - this.box.bottom,
      half = 5 * said.length + 16;
    const shift = Math.min(this.width - this.box.right - half, Math.max(this.box.left + half, x)) - x;
    group.append(drawn("path", { class: "run-line", d: `M${x} ${this.box.top}V${foot}` }));
    for (const { side, y } of lines ?? []) {
      const k = nearestTo(xs, at);
      group.append(drawn("circle", { class: `run-dot run-${side}`, cx: this.x(xs[k]), cy: this.y(y[k]), r: 5 }));
    }
    group.append(
      drawn("rect", { class: "run-target", x: x - 22, y: this.box.top, width: 44, height: foot - this.box.top }),
      drawn("rect", { class: "run-pill", x: x + shift - half, y: foot + 1, width: 2 * half, height: 28, rx: 14 }),
      drawn("path", {
        class: "run-arrow",
        d: `M${x + shift - half + 12} ${foot + 11}l-5 4l5 4M${x + shift + half - 12} ${foot + 11}l5 4l-5 4`,
      }),
      drawn("text", { class: "run-value", x: x + shift, y: foot + 20, "text-anchor": "middle" }, said),
    );
    for (const text of this.svg.querySelectorAll(".run-tick"))
      if (Math.abs(text.getAttribute("x") - x - shift) < half + 14) text.remove();
    group.addEventListener("keydown", (event) => this.key(event));
    this.svg.append(group);
  }

  key(event) {
    const { handle, xlim } = this.shown;
    const step = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 }[event.key];
    const to =
      { Home: xlim[0], End: xlim[1] }[event.key] ??
      (step && handle.at + (step * (xlim[1] - xlim[0])) / (event.shiftKey ? 1000 : 100));
    if (to === undefined) return;
    event.preventDefault();
    this.move(to);
  }

  // Kept off the very ends, where nothing is to be seen.
  move(x) {
    const { handle, xlim } = this.shown,
      width = xlim[1] - xlim[0];
    const inside =
      handle.moves === "epsilon"
        ? Math.min(xlim[1], Math.max(0, x))
        : Math.min(xlim[1] - width / 1000, Math.max(xlim[0] + width / 1000, x));
    const text = handle.toText(inside);
    handle.at = inside; // the next key may come before the picture
    const input = this.run.table.querySelector(`[data-field=${handle.moves}]`);
    input.value = text;
    input.dispatchEvent(new Event("input"));
  }

  place(event) {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    return [point.x, point.y];
  }

  press(event) {
    if (!this.shown?.handle || !event.target.closest(".run-grip")) return;
    event.preventDefault();
    event.target.closest(".run-grip").focus();
    this.held = true;
    this.svg.setPointerCapture(event.pointerId);
    this.svg.classList.add("run-held");
    const end = () => {
      this.held = false;
      this.svg.classList.remove("run-held");
    };
    this.svg.addEventListener("pointerup", end, { once: true });
    this.svg.addEventListener("pointercancel", end, { once: true });
  }

  hover(event) {
    if (!this.shown) return;
    const [px] = this.place(event);
    if (this.held) {
      this.move(this.back(px));
      return;
    }
    if (
      !this.shown.tip ||
      event.target.closest(".run-grip") ||
      px < this.box.left ||
      px > this.width - this.box.right
    ) {
      this.tipGone();
      return;
    }
    const { x, lines, tip } = this.shown,
      k = nearestTo(x, this.back(px));
    const said = this.size === "large" ? tip(x[k]) : [tip(x[k]).join(" ")];
    const texts = said.map((line, n) =>
      drawn("text", { y: this.box.top + 14 + 18 * n, "text-anchor": "middle" }, line),
    );
    this.tip.replaceChildren(...texts);
    this.tip.setAttribute("visibility", "visible");
    const half = Math.max(...texts.map((text) => text.getComputedTextLength())) / 2 + 8,
      middle = Math.min(this.width - half - 2, Math.max(half + 2, this.x(x[k])));
    for (const text of texts) text.setAttribute("x", middle);
    texts[0].before(
      drawn("path", { d: `M${this.x(x[k])} ${this.box.top}V${this.height - this.box.bottom}` }),
      drawn("rect", { x: middle - half, y: this.box.top - 4, width: 2 * half, height: 8 + 18 * said.length, rx: 4 }),
    );
    for (const { side, y } of lines)
      this.tip.append(drawn("circle", { class: `run-dot run-${side}`, cx: this.x(x[k]), cy: this.y(y[k]), r: 4 }));
  }

  tipGone() {
    this.tip?.setAttribute("visibility", "hidden");
  }

  // By how many points in a hundred the adversary errs more often against A than against B.
  regrets(answers, both, prior) {
    const lead = PRIORS.map((_, k) => 100 * (answers.A.R.values[k] - answers.B.R.values[k]));
    const high = Math.max(...lead, 0),
      low = Math.min(...lead, 0),
      size = Math.max(high, -low, 1e-12);
    const unit =
      [1, 2, 5, 10].map((n) => n * 10 ** Math.floor(Math.log10(size / 2))).find((step) => (high - low) / step <= 6) ??
      size;
    const top = Math.ceil((high / unit) * 1.12 + 0.2) * unit,
      bottom = low < -unit / 20 ? Math.floor((low / unit) * 1.12 - 0.2) * unit : 0;
    const yticks = [];
    for (let k = Math.round(bottom / unit); k <= Math.round(top / unit); k += 1) yticks.push(k * unit);
    const chart = { name: "Which of the two protects better, by the adversary's prior", x: PRIORS, lines: [], xlim: [0, 1], ylim: [bottom, top], ticks: [0, 0.25, 0.5, 0.75, 1],
      tick: (x) => `${100 * x}${x === 0 || x === 1 ? "%" : ""}`, yticks, ytick: (y) => (Math.abs(y) < 1e-3 && y ? scientific(Math.abs(y), 1) : String(Math.abs(+y.toPrecision(6)))),
      xlabel: "adversary’s prior for “not in the data”", xbrief: "prior for “not in the data”", ylabel: "",
      handle: { at: prior, moves: "prior", toText: (x) => `${+(100 * x).toPrecision(3)}%` } }; // biome-ignore format: long
    this.begin(chart);
    for (const [side, sign] of [
      ["A", 1],
      ["B", -1],
    ]) {
      // biome-ignore format: a table
      const part = lead.map((y) => (sign * y > 0 ? y : 0));
      this.svg.append(
        drawn("path", {
          class: `run-area run-${side}`,
          d: `${this.path(PRIORS, part)}L${this.x(1)} ${this.y(0)}L${this.x(0)} ${this.y(0)}Z`,
        }),
      );
    }
    if (this.size === "wide") this.ways(top, bottom);
    if (this.size === "large") {
      this.svg.append(this.corner("↑ A better", this.box.top + 16, "A"));
      if (this.y(bottom) - this.y(0) > 40) this.svg.append(this.corner("↓ B better", this.y(bottom) - 8, "B"));
    }
    this.svg.append(
      drawn("path", { class: "run-zero", d: `M${this.box.left} ${this.y(0)}H${this.width - this.box.right}` }),
      drawn("path", { class: "run-curve run-lead", d: this.path(PRIORS, lead) }),
    );
    this.end(chart);
    if (!both || both.refused) return;
    for (const [value, at, sign, side] of [
      [both.divergence, both.divergencePrior, 1, "B"],
      [both.reverseDivergence, both.reversePrior, -1, "A"],
    ]) {
      // biome-ignore format: a table
      const height = Math.abs(this.y(0) - this.y(sign * 100 * value));
      if (height < 4) continue;
      const x = this.x(at),
        end = this.y(sign * 100 * value);
      this.svg.append(
        drawn("path", {
          class: "run-ruler",
          d: `M${x} ${this.y(0)}V${end}M${x - 8} ${end}h16M${x - 8} ${this.y(0)}h16`,
        }),
      );
      if (this.size === "small") continue;
      const big = `${points({ value, errorBound: both.errorBound })} points`;
      if (this.size === "large") this.svg.append(this.gain(x, end + (sign > 0 ? -10 : 20), big, ""));
      else this.svg.append(this.gain(x, end + (sign > 0 ? -10 : 20), big, ` regret of choosing ${side}`));
      this.better(lead, side === "B" ? "A" : "B", sign, at, 100 * value);
    }
  }

  // What the ruler measures, at its end.
  gain(x, y, big, rest) {
    const half = rest ? 116 : 52,
      inside = Math.min(this.width - this.box.right - half + 10, Math.max(this.box.left + half - 4, x));
    const text = drawn("text", { class: "run-gain", x: inside, y, "text-anchor": "middle" });
    text.append(drawn("tspan", { class: "run-big" }, big), rest);
    return text;
  }

  // Beside the axis: what its two directions mean.
  ways(top, bottom) {
    for (const [side, from, to] of [
      ["A", bottom < 0 ? 0 : bottom, top],
      ["B", bottom, 0],
    ]) {
      // biome-ignore format: a table
      const room = Math.abs(this.y(from) - this.y(to)),
        text = room > 240 ? `points by which ${side} protects better` : room > 70 ? `${side} better` : "";
      const middle = (this.y(from) + this.y(to)) / 2;
      const place = { class: `run-way run-${side}`, x: 12, y: middle, "text-anchor": "middle", transform: `rotate(-90 12 ${middle})` }; // biome-ignore format: one line
      this.svg.append(drawn("text", place, side === "A" ? `${text} ${text && "→"}` : `${text && "←"} ${text}`));
    }
  }

  // Who protects better, in the wider half of the area, between the ruler and the edge, in two lines.
  better(lead, side, sign, at, size) {
    if (Math.abs(this.y(0) - this.y(sign * size)) < 90) return;
    const inside = PRIORS.filter((_, k) => sign * lead[k] > 0.33 * size),
      [low, high] = [inside[0], inside[inside.length - 1]];
    const [from, to] = at - low > high - at ? [low, at] : [at, high];
    if (this.x(to) - this.x(from) < 84) return;
    const x = (this.x(from) + this.x(to)) / 2,
      y = this.y(sign * 0.12 * size);
    for (const [k, text] of [`${side} protects`, "better"].entries())
      this.svg.append(
        drawn("text", { class: `run-better run-${side}`, x, y: y + 19 * k - 14, "text-anchor": "middle" }, text),
      );
  }
}

// What the thumbnail takes of a phone's width, with the space before it.
const GLANCE = 120;

const NARROW = worker ? null : globalThis.matchMedia("(max-width: 600px)");

const nearestTo = (xs, x) => {
  let best = 0;
  xs.forEach((one, k) => {
    if (Math.abs(one - x) < Math.abs(xs[best] - x)) best = k;
  });
  return best;
};

if (!worker) {
  const root = document.querySelector(".dptutor-run");
  globalThis.dptutor = { ...globalThis.dptutor, compare: async (a, b) => compare(a, b), read, calibrate };
  // With the letters that it has, so that no line breaks anew when they come.
  const letters = [
    '600 17px "Source Sans 3"',
    '15px "Source Sans 3"',
    '19px "STIX Two Text"',
    'italic 19px "STIX Two Text"',
  ];
  if (root)
    Promise.race([
      Promise.allSettled(letters.map((face) => document.fonts.load(face))),
      new Promise((late) => setTimeout(late, 1000)),
    ]).then(() => {
      root.run = new Run(root);
    });
}
