"""Exercises of chapter 14: batches that are fixed, shuffled, sampled or thrown, what they reveal, and an audit of them."""

import math

import numpy as np
from scipy.special import betaincinv, log_ndtr, ndtr
from scipy.stats import binom, norm

from ...mechanisms import DPSGD, FixedBatches
from ...risk.calibration import calibrate
from ..judging.core import Exercise, Mistake
from ..judging.drawing import Curve
from ..judging.questions import Question, Within


def _ratio(answers, sigma, *, base=True, square=True):
    answers = np.asarray(answers, dtype=float)
    return float(np.mean(np.exp(answers / (sigma**2 if square else sigma) - (1 / (2 * sigma**2) if base else 0))))


def _known(sigma, batches):
    times = np.arange(batches + 1)
    return float(binom.pmf(times, batches, 1 / batches) @ (2 * ndtr(np.sqrt(times) / (2 * sigma)) - 1))


def _above(sigma, batches, cut, mean, others=None):
    """That the largest answer is above the cut, where one batch has that mean."""
    others = batches - 1 if others is None else others
    return float(-np.expm1(others * log_ndtr(cut / sigma) + log_ndtr((cut - mean) / sigma)))


def _errors(sigma, batches, cut):
    return _above(sigma, batches, cut, 1), _above(sigma, batches, cut, 2)


def _noise(epsilon, delta, epochs, *, power=0.5):
    return calibrate(FixedBatches, epsilon=epsilon, delta=delta).noise_multiplier * epochs**power


def _high(successes, trials, error=0.025):
    return 1.0 if successes == trials else float(betaincinv(successes + 1, trials - successes, 1 - error))


def _low(successes, trials, error=0.025):
    return 0.0 if successes == 0 else float(betaincinv(successes, trials - successes + 1, error))


def _refuted(false, true, epochs, epsilon, delta):
    return _low(true, epochs) > math.exp(epsilon) * _high(false, epochs) + delta


def _largest(sigma, batches, epsilon, *, means=(1, 2), fixed=None):
    cuts = np.linspace(-2 * sigma, 2 + 12 * sigma, 40_001) if fixed is None else np.array([fixed])
    beyond = [-np.expm1((batches - 1) * log_ndtr(cuts / sigma) + log_ndtr((cuts - mean) / sigma)) for mean in means]
    return max(float(np.max(beyond[1] - math.exp(epsilon) * beyond[0])), 0.0)


def _probability(result, *case):
    return "A probability lies between 0 and 1; yours does not." if not -1e-9 <= result[0] <= 1 + 1e-9 else None


EXERCISES = [
    Question(
        id="14.a",
        title="Nine epochs in one",
        question="Nine epochs in fixed batches with noise multiplier σ = 0.6 reveal as much as one release with Gaussian noise "
        "and sensitivity 1. What is the σ of that release?",
        goals=(1,),
        solution="from math import sqrt\n\nanswer = 0.6 / sqrt(9)\n",
        explanation="Each epoch is a Gaussian mechanism with μ = 1/0.6. Nine of them are one with μ = 3/0.6, so σ = 0.6/3.",
        hints=(
            "Which mechanism is one epoch in fixed batches, whatever the number of batches?",
            "A Gaussian mechanism with μ = 1/σ. What is the μ of nine of them together?",
            "μ grows with the square root of the number, √9 = 3: it is 3/0.6. And σ = 1/μ.",
        ),
        praise="Right. The number of batches does not matter, only how often each record is used.",
        mistakes=(
            Mistake(0.6 / 9, "μ grows with the square root of the number of releases, not with the number."),
            Mistake(1.8, "You multiplied. Nine releases reveal more than one, which corresponds to less noise."),
            Mistake(5.4, "You multiplied by nine. More releases correspond to less noise, and the square root counts."),
            Mistake(0.6, "This is one epoch. Each further epoch uses the record once more."),
            Mistake(5, "This is μ. The σ of the release is 1/μ."),
            Mistake(0.36 / 9, "This is σ², the variance. Take the square root."),
            Mistake(1 / 0.6, "This is the μ of one epoch, 1/0.6. Nine of them have √9 times as much; then σ = 1/μ."),
            Mistake(15, "This is nine times the μ of one epoch. μ grows with the square root of 9, and σ = 1/μ."),
            Mistake(3, "This is √9, by which μ grows. Start from the μ of one epoch, 1/0.6, and take σ = 1/μ."),
        ),
        laws=(Within(0, math.inf, "A noise multiplier is positive."),),
        tolerance=0.002,
    ),
    Question(
        id="14.b",
        title="What may be said",
        question="A loader shuffles anew in each of five epochs. Which statement about the training has a proof?",
        goals=(4,),
        options=(
            "Its ε is that of Poisson batches, as each record is in a batch with the same probability.",
            "Its ε is at most that of fixed batches.",
            "Its ε is that of the strongest known attack.",
            "Its ε is that of balls and bins, as each record is in a random batch.",
        ),
        solution="import dptutor as dp\n\n"
        "# Publishing the order makes fixed batches of it, and reveals no less.\n"
        "assert dp.ShuffledBatches(1.0, 20, 'upper') == dp.FixedBatches(1.0)\n"
        "answer = 2\n",
        explanation="If the order is published as well, the batches are fixed, and not publishing it cannot reveal more. No better "
        "bound is known for all parameters, and the other three statements may be false.",
        hints=(
            "Two of the four are about other mechanisms.",
            "An attack shows that ε is at least something. What is needed to show that it is at most something?",
            "Think of an adversary who is told the order.",
        ),
        praise="Right. The secret order can only help, and how much it helps is open.",
        mistakes=(
            Mistake(1, "The probability is the same, but the batches depend on each other. Poisson batches do not."),
            Mistake(3, "An attack proves that ε is at least the number that it shows. A stronger attack may exist."),
            Mistake(
                4,
                "With balls and bins the places of the others say nothing about the place of the record. In a shuffle they "
                "do, as batches have equal sizes.",
            ),
        ),
    ),
    Exercise(
        id="14.1",
        grade="warm-up",
        title="How often a record is drawn",
        question="An epoch has `batches` Poisson batches with rate 1/`batches`. Write `drawn(batches, times)`: the probability "
        "that a record takes part in exactly `times` of them.",
        brief="How likely is it that a record takes part exactly $k$ times in an epoch of Poisson batches?",
        goals=(1,),
        name="drawn",
        stub="from math import comb\n\n\ndef drawn(batches, times):\n    ...\n",
        solution="""from math import comb


def drawn(batches, times):
    p = 1 / batches
    return comb(batches, times) * p**times * (1 - p) ** (batches - times)
""",
        explanation="The batches are filled independently, so the number is binomial, with mean 1.",
        hints=(
            "The batches are drawn independently. What is the distribution of the number of those that the record joins?",
            "A binomial distribution with T trials of probability 1/T.",
            "The number of ways to choose the batches, times p^k (1 − p)^(T−k).",
        ),
        praise="Right. For many batches about e^(−1), or 37%, of the records are not used in an epoch, and about 26% more than once.",
        cases=((2, 2), (10, 0), (10, 3), (100, 1)),
        draw=lambda r: (r.randint(5, 50), r.randint(1, 4)),
        mistakes=(
            Mistake(
                lambda n, k: (1 / n) ** k * (1 - 1 / n) ** (n - k),
                "This is the probability of one particular choice of batches. How many choices are there?",
            ),
            Mistake(
                lambda n, k: math.exp(-1) / math.factorial(k),
                "This is the limit for many batches, a Poisson distribution with mean 1. The number of batches is given.",
            ),
            Mistake(
                lambda n, k: float(binom.sf(k - 1, n, 1 / n)),
                "This is the probability of `times` batches or more. Exactly `times` is asked for.",
            ),
            Mistake(
                lambda n, k: float(binom.cdf(k, n, 1 / n)),
                "This is the probability of `times` batches or fewer. Exactly `times` is asked for.",
            ),
            Mistake(
                lambda n, k: float(binom.pmf(k, n, k / n)),
                "The probability of joining a batch is 1/T, whatever the number that you ask about.",
            ),
            Mistake(
                lambda n, k: float(k == 1),
                "This is a shuffle, in which each record takes part exactly once. Poisson batches are independent.",
            ),
            Mistake(
                lambda n, k: math.comb(n, k) / n**k,
                "The other batches are missing: the record must not join them, with probability 1 − p each.",
            ),
            Mistake(
                lambda n, k: math.comb(n, k) / n**k * (1 - 1 / n) ** n,
                "Only T − k batches are those that the record does not join: (1 − p)^(T−k).",
            ),
        ),
        laws=(_probability,),
    ),
    Exercise(
        id="14.2",
        grade="warm-up",
        title="The ratio of balls and bins",
        question="In an epoch of balls and bins the other gradients are 0, and `answers` holds the noisy answer of every batch, "
        "in units of the record’s gradient. Write `ratio(answers, sigma)`: the likelihood ratio of “with the record” to “without it”.",
        brief="Compute the likelihood ratio of an epoch from its noisy answers.",
        goals=(1,),
        name="ratio",
        stub="import numpy as np\n\n\ndef ratio(answers, sigma):\n    ...\n",
        solution="""import numpy as np


def ratio(answers, sigma):
    return np.mean(np.exp(np.array(answers) / sigma**2 - 1 / (2 * sigma**2)))
""",
        explanation="With the record each batch is equally likely to have mean 1. The density is the average over the batches, and so is its ratio to the density without the record.",
        hints=(
            "Suppose that the record’s batch is known. What is the ratio of the two normal densities of its answer?",
            "It is exp(y/σ² − 1/(2σ²)); the other answers have the same density in both worlds.",
            "The batch is random, so the density with the record is an average over the batches: take the mean of these ratios.",
        ),
        praise="Right. The privacy loss is the logarithm of this average.",
        cases=(
            (np.array([0.3, -0.2]), 1.0),
            (np.array([1.4, 0.1, -0.8, 0.5]), 0.6),
            (np.array([0.0]), 2.0),
            (np.array([-1.0, 2.5, 0.7]), 0.8),
        ),
        mistakes=(
            Mistake(
                lambda y, s: float(np.prod(np.exp(np.asarray(y) / s**2 - 1 / (2 * s**2)))),
                "This is the ratio if the record is in every batch. It is in one of them, and nobody knows in which.",
            ),
            Mistake(
                lambda y, s: len(np.atleast_1d(y)) * _ratio(y, s),
                "You add up. Each batch has the record with the same probability: take the mean.",
            ),
            Mistake(
                lambda y, s: float(np.exp(np.max(y) / s**2 - 1 / (2 * s**2))),
                "This treats the largest answer as if it were known to be that of the record.",
            ),
            Mistake(
                lambda y, s: _ratio(y, s, base=False),
                "The squares of y and of y − 1 differ by 2y − 1. You forgot the 1: divide by e^(1/(2σ²)).",
            ),
            Mistake(
                lambda y, s: _ratio(y, s, square=False),
                "In a normal density the square is divided by 2σ², so y is divided by σ².",
            ),
            Mistake(
                lambda y, s: math.log(_ratio(y, s)),
                "This is the privacy loss, the logarithm. The ratio itself is asked for.",
            ),
            Mistake(
                lambda y, s: float(np.exp(np.mean(np.asarray(y) / s**2 - 1 / (2 * s**2)))),
                "You average before the exponential. Densities are averaged, not their logarithms.",
            ),
            Mistake(
                lambda y, s: 1 / _ratio(y, s),
                "This is the ratio of “without” to “with”.",
            ),
            Mistake(
                lambda y, s: float(
                    np.prod(1 - 1 / np.size(y) + np.exp(np.asarray(y) / s**2 - 1 / (2 * s**2)) / np.size(y))
                ),
                "This is the ratio of Poisson batches, which are drawn independently. A ball is in one bin only.",
            ),
            Mistake(
                lambda y, s: float(np.mean(norm.pdf(y, 1, s)) / np.mean(norm.pdf(y, 0, s))),
                "You average the densities of single answers. What is averaged is the density of all answers together, "
                "in whose ratio all batches but one cancel: take the mean of the ratios.",
            ),
        ),
        laws=(lambda result, *case: "A likelihood ratio is not negative." if result[0] < 0 else None,),
    ),
    Exercise(
        id="14.3",
        grade="think",
        title="If the steps were known",
        question="An adversary against Poisson batches (`batches` of them, with rate 1/`batches` and noise multiplier `sigma`) is told "
        "in which batches the record would take part. Write `advantage(sigma, batches)`: the advantage that it then has, "
        "averaged over how often this is.",
        brief="Bound the advantage against Poisson batches by telling the adversary where the record took part.",
        goals=(2,),
        name="advantage",
        curve=Curve("sigma"),
        stub="from math import comb, sqrt\nfrom statistics import NormalDist\n\n\ndef advantage(sigma, batches):\n    ...\n",
        solution="""from math import comb, sqrt
from statistics import NormalDist


def advantage(sigma, batches):
    total, p = 0, 1 / batches
    for k in range(batches + 1):
        chance = comb(batches, k) * p**k * (1 - p) ** (batches - k)
        total += chance * (2 * NormalDist().cdf(sqrt(k) / (2 * sigma)) - 1)
    return total
""",
        explanation="Given k batches the outputs are a Gaussian mechanism with μ = √k/σ, whose advantage is 2Φ(μ/2) − 1. The average is an upper bound for the advantage of an adversary who is not told.",
        hints=(
            "If the record takes part in k known steps, which mechanism is the epoch?",
            "A Gaussian mechanism with μ = √k/σ. Its advantage is 2Φ(μ/2) − 1.",
            "Weigh these advantages with the binomial probabilities of k, from 0 to T.",
        ),
        praise="Right. It is below 2Φ(1/(2σ)) − 1, the advantage with fixed batches: the gamble on k is worth less than its mean.",
        cases=((0.6, 2), (0.6, 10), (1.5, 5), (2.0, 40)),
        draw=lambda r: (r.uniform(0.5, 2), r.randint(2, 40)),
        mistakes=(
            Mistake(
                lambda s, n: 2 * float(ndtr(1 / (2 * s))) - 1,
                "This is the advantage for one batch, the mean of how often the record takes part. Average the advantages instead.",
            ),
            Mistake(
                lambda s, n: float(binom.pmf(np.arange(n + 1), n, 1 / n) @ (2 * ndtr(np.arange(n + 1) / (2 * s)) - 1)),
                "In k steps μ grows to √k/σ, not to k/σ.",
            ),
            Mistake(
                lambda s, n: DPSGD(s, 1 / n, n).advantage,
                "This adversary does not know the batches. The one in question is told.",
                within=1e-4,
            ),
            Mistake(
                lambda s, n: float(
                    binom.pmf(np.arange(n + 1), n, 1 / n) @ (2 * ndtr(np.sqrt(np.arange(n + 1)) / s) - 1)
                ),
                "The advantage of a Gaussian mechanism is 2Φ(μ/2) − 1: half of μ is missing.",
            ),
            Mistake(
                lambda s, n: float(binom.pmf(np.arange(n + 1), n, 1 / n) @ ndtr(np.sqrt(np.arange(n + 1)) / (2 * s))),
                "This is the probability of a right guess. The advantage is twice that, minus 1.",
            ),
            Mistake(
                lambda s, n: (1 - (1 - 1 / n) ** n) * (2 * float(ndtr(1 / (2 * s))) - 1),
                "A record that takes part does so perhaps several times. You treat all of them as once.",
            ),
            Mistake(
                lambda s, n: (1 - _known(s, n)) / 2,
                "This is how often the adversary is wrong at even odds. The advantage is 1 minus twice that.",
            ),
        ),
        laws=(_probability,),
    ),
    Exercise(
        id="14.4",
        grade="think",
        title="The largest answer",
        question="One epoch of `batches` shuffled batches with noise multiplier `sigma`; all other gradients are opposite to the record’s. "
        "An adversary subtracts from every answer the sum of a batch of others only, and says “in” if the largest difference is above `cut`. "
        "Write `errors(sigma, batches, cut)`: its type I error and its power.",
        brief="Compute both error rates of the attack on shuffled batches.",
        goals=(3,),
        name="errors",
        stub="from statistics import NormalDist\n\n\ndef errors(sigma, batches, cut):\n    ...\n",
        solution="""from statistics import NormalDist


def errors(sigma, batches, cut):
    cdf = NormalDist(0, sigma).cdf
    return tuple(1 - cdf(cut) ** (batches - 1) * cdf(cut - mean) for mean in (1, 2))
""",
        explanation="The largest is below the cut if all are. The batch of the record has mean 1 even without the record’s gradient, since it has one opponent fewer, and 2 with it; the others have mean 0.",
        hints=(
            "The largest of independent answers is below the cut if each of them is.",
            "All batches but one have mean 0. Which mean does the record’s batch have in each world?",
            "2 with the record. Without its gradient still 1, as one of the others is missing there. So 1 − Φ(c/σ)^(T−1) Φ((c − a)/σ) for a = 1 and a = 2.",
        ),
        praise="Right. Far out, the two differ as in fixed batches: the others hardly ever come so far.",
        cases=((0.6, 1000, 2.6), (1.0, 10, 2.0), (0.5, 50, 1.2), (2.0, 4, 3.0)),
        draw=lambda r: (r.uniform(0.5, 1.5), r.randint(5, 200), r.uniform(1.5, 3)),
        mistakes=(
            Mistake(
                lambda s, n, c: (_above(s, n, c, 0), _above(s, n, c, 2)),
                "Without the record’s gradient its batch still has one opponent fewer than the others: its mean is 1.",
            ),
            Mistake(
                lambda s, n, c: (_above(s, n, c, 0), _above(s, n, c, 1)),
                "These are the means if all other gradients are 0. Here they are opposite: a batch with the record is 2 above one of others only.",
            ),
            Mistake(
                lambda s, n, c: tuple(_above(s, n, c, mean, others=n) for mean in (1, 2)),
                "One of the batches is the record’s, so there are T − 1 others.",
            ),
            Mistake(
                lambda s, n, c: tuple(1 - x for x in _errors(s, n, c)),
                "These are the probabilities of no alarm. The type I error and the power are those of an alarm.",
            ),
            Mistake(
                lambda s, n, c: _errors(s, n, c)[::-1],
                "The two are exchanged: first the type I error, which is the alarm without the record.",
            ),
            Mistake(
                lambda s, n, c: tuple(float(ndtr((mean - c) / s)) for mean in (1, 2)),
                "You look at the record’s batch only. The others may exceed the cut, too.",
            ),
            Mistake(
                lambda s, n, c: (_errors(s, n, c)[0], 1 - _errors(s, n, c)[1]),
                "The second number is the type II error. The power is asked for.",
            ),
            Mistake(
                lambda s, n, c: tuple(_above(1.0, n, c, mean) for mean in (1, 2)),
                "The noise has standard deviation σ: divide by it.",
            ),
            Mistake(
                lambda s, n, c: tuple((n - 1) * float(ndtr(-c / s)) + float(ndtr((m - c) / s)) for m in (1, 2)),
                "You add up the probabilities of all batches, but two may be above the cut at once: the sum is too large.",
            ),
            Mistake(
                lambda s, n, c: tuple(float(-np.expm1(n * log_ndtr((c - mean) / s))) for mean in (1, 2)),
                "This gives all batches the mean of the record’s. The T − 1 others have mean 0.",
            ),
        ),
        shape="two numbers: the type I error and the power",
    ),
    Exercise(
        id="14.5",
        grade="think",
        title="Noise for a loader that shuffles",
        question="A training run takes `epochs` epochs with a new shuffle each. Write `noise(epsilon, delta, epochs)`: the smallest noise multiplier "
        "for which this chapter proves that the training is (ε, δ)-differentially private.",
        brief="Which noise makes a statement about several shuffled epochs true?",
        goals=(4,),
        name="noise",
        stub="import dptutor as dp\n\n\ndef noise(epsilon, delta, epochs):\n    ...\n",
        solution="""from math import sqrt

import dptutor as dp


def noise(epsilon, delta, epochs):
    return dp.calibrate(dp.Gaussian, epsilon=epsilon, delta=delta).sigma * sqrt(epochs)
""",
        explanation="Shuffled batches are dominated by fixed ones, of which E epochs are a Gaussian mechanism with noise σ/√E.",
        hints=(
            "Which of the mechanisms of this chapter is proven to dominate shuffled batches?",
            "Fixed batches: a Gaussian mechanism in each epoch. What are E of them together?",
            "One Gaussian mechanism with σ/√E. Calibrate a Gaussian mechanism to (ε, δ) and multiply its σ by √E.",
        ),
        praise="Right. The number of batches does not occur in it.",
        cases=((1.0, 1e-5, 1), (8.0, 1e-5, 10), (2.0, 1e-6, 4), (0.5, 1e-3, 25)),
        draw=lambda r: (r.uniform(0.5, 8), 1e-5, r.randint(2, 30)),
        mistakes=(
            Mistake(
                lambda e, d, n: _noise(e, d, n, power=0),
                "This is enough for one epoch. Each further epoch uses the record again.",
            ),
            Mistake(
                lambda e, d, n: _noise(e, d, n, power=1),
                "Gaussian releases compose with the square root of their number.",
            ),
            Mistake(
                lambda e, d, n: _noise(e, d, n, power=-0.5),
                "More epochs need more noise: multiply by √E.",
            ),
            Mistake(
                lambda e, d, n: math.sqrt(2 * math.log(1.25 / d)) / e * math.sqrt(n),
                "This is the classical formula, which is only proven for ε below 1 and wastes noise there. Calibrate exactly.",
            ),
            Mistake(
                lambda e, d, n: _noise(e / n, d / n, 1),
                "You split ε and δ among the epochs, which proves less than composing the Gaussian mechanisms.",
            ),
            Mistake(
                lambda e, d, n: 2 * _noise(e, d, n),
                "You doubled the noise, as for replaced records. Here a record’s gradient is there or 0.",
            ),
            Mistake(
                lambda e, d, n: _noise(e / n, d, 1),
                "You split ε among the epochs. Their δ add up, too, and composing Gaussian mechanisms proves more: take "
                "all epochs together as one.",
            ),
            Mistake(
                lambda e, d, n: _noise(e, d / n, n),
                "The factor √E is right, and with it all epochs are one Gaussian mechanism: its δ is not split.",
            ),
            Mistake(
                lambda e, d, n: _noise(e / math.sqrt(n), d, 1),
                "It is μ that grows with √E, not ε. Calibrate one Gaussian mechanism to (ε, δ), and multiply its σ by √E.",
            ),
        ),
        laws=(lambda result, *case: "A noise multiplier is positive." if result[0] <= 0 else None,),
    ),
    Exercise(
        id="14.6",
        grade="build",
        title="Is the claim refuted?",
        question="An audit ran `epochs` epochs without the canary, with `false` alarms, and `epochs` with it, with `true` alarms. "
        "The claim is (`epsilon`, `delta`). Write `refuted(false, true, epochs, epsilon, delta)`: True if the claim is refuted at the level "
        "of 5%, where each of the two error rates gets an exact (Clopper–Pearson) bound that fails with probability at most 2.5%.",
        brief="Write the verdict of an audit from two counts of alarms.",
        goals=(3,),
        name="refuted",
        stub="from math import exp\n\nimport dptutor as dp\n\n\ndef refuted(false, true, epochs, epsilon, delta):\n    ...\n",
        solution="""from math import exp

import dptutor as dp


def refuted(false, true, epochs, epsilon, delta):
    _, alpha = dp.auditing.clopper_pearson(false, epochs)
    power, _ = dp.auditing.clopper_pearson(true, epochs)
    return bool(power > exp(epsilon) * alpha + delta)
""",
        explanation="If the claim is true, the power of every test is at most e^ε α + δ. The upper end of one 95% interval and the lower end of the other fail with probability 2.5% each.",
        hints=(
            "What does (ε, δ) say about the power of a test with type I error α?",
            "The power is at most e^ε α + δ. Which end of which interval speaks for the claim?",
            "The upper end for α, the lower end for the power. The claim is refuted if even these violate the inequality.",
        ),
        praise="Right. A claim of a whole curve f would allow only 1 − f(α), and is easier to refute.",
        cases=(
            (0, 12, 100, 1.0, 0.05),
            (10, 120, 200, 1.6, 1e-5),
            (10, 120, 200, 1.6, 0.1),
            (10, 120, 200, 1.85, 1e-5),
            (10, 20, 200, 0.8, 1e-5),
            (66, 4, 400, 1.0, 1e-5),
            (3, 14, 200, 0.2, 1e-5),
            (0, 16, 100, 0.63, 0.02),
            (12, 75, 200, 1.4, 0.05),
            (36, 112, 400, 0.61, 1e-5),
            (20, 30, 400, 0.9, 1e-5),
            (24, 27, 100, 1.3, 1e-5),
            (1, 86, 200, 1.8, 0.05),
            (3, 34, 200, 1.0, 0.1),
        ),
        mistakes=(
            Mistake(
                lambda a, b, n, e, d: b / n > math.exp(e) * a / n + d,
                "You compare the observed rates, which may differ from the true ones by chance. Use the ends of intervals.",
            ),
            Mistake(
                lambda a, b, n, e, d: _low(b, n) > _high(a, n),
                "You ask whether the canary changes anything. The claim allows it to: up to e^ε times the type I error, plus δ.",
            ),
            Mistake(
                lambda a, b, n, e, d: _high(b, n) > math.exp(e) * _low(a, n) + d,
                "You took the ends that speak against the claim. A refutation has to hold with those that speak for it.",
            ),
            Mistake(
                lambda a, b, n, e, d: _low(b, n) > math.exp(e) * _high(a, n),
                "The δ of the claim is missing.",
            ),
            Mistake(
                lambda a, b, n, e, d: _low(b, n, 0.05) > math.exp(e) * _high(a, n, 0.05) + d,
                "Each of your bounds fails with probability 5%, so that the two together may fail with 10%.",
            ),
            Mistake(
                lambda a, b, n, e, d: _low(b, n) > e * _high(a, n) + d,
                "The error rate is multiplied by e^ε, not by ε.",
            ),
            Mistake(
                lambda a, b, n, e, d: not _refuted(a, b, n, e, d),
                "True and False are exchanged.",
            ),
            Mistake(
                lambda a, b, n, e, d: _refuted(b, a, n, e, d),
                "The two counts are exchanged: the power is the rate of alarms with the canary.",
            ),
            Mistake(lambda a, b, n, e, d: True, "You always refute. Few epochs may show nothing."),
            Mistake(
                lambda a, b, n, e, d: False,
                "You never refute, even where the alarms differ as much as no true claim allows.",
            ),
            Mistake(
                lambda a, b, n, e, d: _high(b, n) > math.exp(e) * _high(a, n) + d,
                "The end for α is right. For the power you took the upper end, which speaks against the claim.",
            ),
            Mistake(
                lambda a, b, n, e, d: _low(b, n) > math.exp(e) * _low(a, n) + d,
                "The end for the power is right. For α you took the lower end, which speaks against the claim.",
            ),
            Mistake(
                lambda a, b, n, e, d: _low(b, n, 0.0125) > math.exp(e) * _high(a, n, 0.0125) + d,
                "Each of your bounds fails with probability 1.25%. Only one end of each interval counts, so that of an "
                "interval of 95% fails with 2.5%, as is allowed.",
            ),
            Mistake(
                lambda a, b, n, e, d: math.exp(e) * _low(b, n) > _high(a, n) + d,
                "The ends are right, but e^ε multiplies the type I error, not the power.",
            ),
            Mistake(
                lambda a, b, n, e, d: _low(b, 2 * n) > math.exp(e) * _high(a, 2 * n) + d,
                "Each count is one of `epochs` epochs, not of those with and without the canary together.",
            ),
            Mistake(
                lambda a, b, n, e, d: _high(b, n) < math.exp(e) * _low(a, n) + d,
                "The inequality is the wrong way round, and both ends speak against the claim.",
            ),
            Mistake(
                lambda a, b, n, e, d: _low(b, n) > math.exp(e) * (_high(a, n) + d),
                "δ is added after the multiplication: the power is at most e^ε α + δ.",
            ),
        ),
        shape="True or False",
    ),
    Exercise(
        id="14.7",
        grade="build",
        title="The lower curve",
        question="Write `delta(sigma, batches, epsilon)`: the largest value that the attack by the largest answer proves for δ(ε) of one epoch "
        "of shuffled batches, over all cuts. Five decimals are enough.",
        brief="Write the privacy profile that the largest answer proves.",
        goals=(3,),
        name="delta",
        curve=Curve("epsilon"),
        stub="import numpy as np\nfrom scipy.stats import norm\n\n\ndef delta(sigma, batches, epsilon):\n    ...\n",
        solution="""import numpy as np
from scipy.stats import norm


def delta(sigma, batches, epsilon):
    cut = np.linspace(-2 * sigma, 2 + 12 * sigma, 20_001)
    alpha, power = (
        -np.expm1((batches - 1) * norm.logcdf(cut / sigma) + norm.logcdf((cut - mean) / sigma)) for mean in (1, 2)
    )
    return max(np.max(power - np.exp(epsilon) * alpha), 0)
""",
        explanation="Every test gives a lower bound, δ(ε) ≥ power − e^ε α. The largest over all cuts is the profile of the pair of the largest answer.",
        hints=(
            "What does a test with type I error α and a known power say about δ(ε)?",
            "δ(ε) ≥ power − e^ε α. Both depend on the cut, as in exercise 14.4.",
            "Try many cuts, from below 0 to far above 2, and take the largest difference, at least 0.",
        ),
        praise="Right. At σ = 0.6 and a thousand batches it comes within a few percent of fixed batches at ε = 8.",
        # With much noise balls and bins show more than the largest answer.
        cases=((0.6, 1000, 8.0), (0.6, 1000, 0.0), (1.0, 10, 1.0), (0.5, 50, 4.0), (2.0, 4, 0.5), (3.0, 100, 0.0)),
        draw=lambda r: (r.uniform(0.5, 1.5), r.randint(5, 200), r.uniform(0, 3)),
        mistakes=(
            Mistake(
                lambda s, n, e: _largest(s, n, e, fixed=2.0),
                "You use one cut. Which one is best depends on ε: take the largest value over all of them.",
                within=1e-6,
            ),
            Mistake(
                lambda s, n, e: _largest(s, n, e, means=(0, 2)),
                "Without the record’s gradient its batch has mean 1, not 0.",
                within=1e-5,
            ),
            Mistake(
                lambda s, n, e: _largest(s, n, e, means=(0, 1)),
                "These are the means if all other gradients are 0. If they are opposite, they are 1 and 2.",
                within=1e-5,
            ),
            Mistake(
                lambda s, n, e: max(0.0, _above(s, n, 1.5, 2) - math.exp(e) * _above(s, n, 1.5, 1)),
                "This is what one cut proves, halfway between the two means. Take the cut that proves most.",
                within=1e-5,
            ),
            Mistake(
                lambda s, n, e: _largest(s, n, math.log(e) if e > 0 else -math.inf),
                "The type I error is multiplied by e^ε, not by ε.",
                within=1e-5,
            ),
            Mistake(
                lambda s, n, e: _largest(s, n, 0.0),
                "This is the advantage. The type I error is multiplied by e^ε.",
                within=1e-5,
            ),
            Mistake(
                lambda s, n, e: FixedBatches(s).privacy_profile(e),
                "This is the profile of fixed batches, the upper curve.",
                within=1e-9,
            ),
        ),
        laws=(_probability,),
        tolerance=5e-6,
    ),
]
