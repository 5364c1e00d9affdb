"""Exercises of chapter 2: trade-off functions, and what they promise."""

import math

import numpy as np
from scipy.special import ndtr, ndtri

from ...mechanisms import ApproximateDP, Gaussian, Laplace, RandomizedResponse, SubsampledGaussian
from ..judging.core import Exercise, Mistake
from ..judging.drawing import Curve
from ..judging.questions import PROBABILITY, Question, in_percent

_PARAMETERS = ((1.0, 0.0), (0.5, 0.1), (2.0, 1e-3), (0.0, 0.2))
_LEVELS = (0.0, 0.05, 0.3, 0.7, 1.0)
_CURVES = tuple(
    m.tradeoff
    for m in (
        Gaussian(sigma=1),
        Laplace(scale=1),
        RandomizedResponse(epsilon=1),
        SubsampledGaussian(0.4, 0.3, direction="remove"),
    )
)
_ATTACKS = ((0.01, 0.7, 1e-5), (0.3, 0.05, 0.01), (0.2, 0.2, 0.0), (0.5, 0.5, 0.1), (0.05, 0.9, 0.02))
_TESTS = tuple(
    (np.array(alphas), np.array(betas))
    for alphas, betas in (
        ((0.1, 0.4), (0.5, 0.2)),
        ((0.1, 0.4, 0.6), (0.5, 0.45, 0.1)),
        ((0.2,), (0.3,)),
        ((0.3, 0.6, 0.65), (0.6, 0.35, 0.3)),
    )
)


def _below_the_diagonal(result, *case):
    alpha = case[-1]
    if result[0] > 1 - alpha + 1e-9:
        return "Blind guessing reaches β = 1 − α, so no trade-off function is above that."
    return None


def _not_negative(result, *case):
    return "A type II error is a probability, so it is at least 0." if result[0] < -1e-9 else None


def _attacked(alpha, beta, delta):
    return max(0.0, math.log((1 - delta - beta) / alpha), math.log((1 - delta - alpha) / beta))


def _attacked_by(alpha, beta, delta, *ratios):
    return max(0.0, *(math.log(ratio) for ratio in ratios if ratio > 0))


def _grouped(f, k, alpha):
    for _ in range(k):
        alpha = 1 - f(alpha)
    return 1 - alpha


def _iterate(f, k, alpha):
    for _ in range(k):
        alpha = f(alpha)
    return alpha


def _without_the_trivial(alphas, betas, level):
    """Coins that choose between two of the tests, or blind guessing."""
    best, tests = 1 - level, list(zip(alphas, betas, strict=True))
    for a, b in tests:
        if a <= level:
            best = min(best, b)
        for other_a, other_b in tests:
            if a <= level < other_a:
                best = min(best, b + (level - a) / (other_a - a) * (other_b - b))
    return best


def _hull(alphas, betas, level):
    a, b = [0.0, *alphas, 1.0], [1.0, *betas, 0.0]
    best = 1.0
    for i in range(len(a)):
        for j in range(len(a)):
            if a[i] <= level <= a[j]:
                share = (level - a[i]) / (a[j] - a[i]) if a[j] > a[i] else 0.0
                best = min(best, b[i] + share * (b[j] - b[i]))
    return best


def _with_guessing(alphas, betas, level):
    """The best that a coin between one test and blind guessing reaches."""
    return min(float(np.interp(level, [0, a, 1], [1, b, 0])) for a, b in zip(alphas, betas, strict=True))


def _as_gaussian(f, k, alpha):
    return float(ndtr(ndtri(1 - alpha) - k * (ndtri(1 - alpha) - ndtri(f(alpha)))))


def _on_a_grid(f, u, points=1001):
    grid = np.linspace(0, 1, points)
    return float(grid[np.argmax(1 - np.array([float(f(x)) for x in grid]) >= u)])


def _draw(f, u, target):
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if target(f, middle) >= u else (middle, high)
    return high


EXERCISES = [
    Question(
        id="2.a",
        title="What a promise says at one level",
        question="A mechanism is (ε, δ)-DP with ε = log 2 and δ = 0.1. What is the smallest type II error that this "
        "promise allows at α = 0.1?",
        goals=(2,),
        solution="from math import log\n\nimport dptutor as dp\n\n"
        "answer = float(dp.ApproximateDP(log(2), 0.1).tradeoff(0.1))\n",
        explanation="The promise is the higher of two lines, 1 − δ − e^ε α and e^(−ε)(1 − δ − α). At α = 0.1 they are "
        "1 − 0.1 − 0.2 = 0.7 and (1 − 0.1 − 0.1)/2 = 0.4.",
        hints=(
            "A pair (ε, δ) promises two lines. Which ones?",
            "1 − δ − e^ε α, and its mirror image e^(−ε)(1 − δ − α). Both hold.",
            "e^ε = 2, so compare 1 − 0.1 − 2·0.1 with (1 − 0.1 − 0.1)/2. The larger one counts.",
        ),
        praise="Right: the higher of the two lines, here the steep one.",
        mistakes=(
            Mistake(1 - math.exp(math.log(2)) * 0.1, "You forgot δ: with (ε, δ) the line starts at 1 − δ, not at 1."),
            Mistake(1 - 0.1 - math.log(2) * 0.1, "You used ε where e^ε belongs: the slope of the line is −e^ε = −2."),
            Mistake(
                (1 - 0.1 - 0.1) / 2,
                "This is the lower of the two lines. Both are promised, so the higher one counts.",
            ),
            Mistake(1 - 0.7, "This is the power, 1 − β. The promise is about what is missed."),
            Mistake(1 - 0.1, "This is blind guessing, 1 − α. At ε = log 2 an adversary may do better than that."),
            Mistake(1 - 0.1 - 0.1 / 2, "You used e^−ε where e^ε belongs: the steep line counts at a small α."),
            in_percent(0.7),
            Mistake(
                0.9 * 0.8,
                "You multiply the line of pure ε-DP by 1 − δ. A leak takes δ away: the line starts at 1 − δ, and keeps its slope.",
            ),
        ),
        laws=(PROBABILITY,),
        tolerance=0.005,
    ),
    Question(
        id="2.b",
        title="Two curves that cross",
        question="Mechanism M has f(0.05) = 0.6 and f(0.5) = 0.2. Mechanism M̃ has f̃(0.05) = 0.8 and f̃(0.5) = 0.1. Which "
        "one protects better?",
        goals=(2,),
        options=(
            "M, against every test.",
            "M̃ against tests of small α, M against those of large α.",
            "M̃, against every test.",
            "That cannot be said without their ε and δ.",
        ),
        solution="better = {0.05: 0.8 > 0.6, 0.5: 0.1 > 0.2}     # is the second higher?\n"
        "answer = {(False, False): 1, (True, False): 2, (True, True): 3}[tuple(better.values())]\n",
        explanation="At α = 0.05 the best test misses 60% with M and 80% with M̃; at α = 0.5 it misses 20% and 10%. A "
        "higher curve protects better, and here neither curve is higher everywhere.",
        hints=(
            "f(α) is what the best test of level α misses. Is a large value good or bad for privacy?",
            "Compare the two mechanisms at α = 0.05, and then at α = 0.5.",
            "At 0.05 M̃ is higher; at 0.5 M is. The curves cross.",
        ),
        praise="Right: the curves cross, so neither is safer against all tests.",
        mistakes=(
            Mistake(1, "At α = 0.05 the best test misses 0.6 with M, but 0.8 with M̃: there M̃ protects better."),
            Mistake(3, "At α = 0.5 the best test misses 0.1 with M̃, but 0.2 with M: there M protects better."),
            Mistake(4, "All (ε, δ) of a mechanism can be read off f, as its tangents. f is all you need."),
        ),
    ),
    Question(
        id="2.c",
        title="A family of three",
        question="A count, which one person changes by 1 at most, gets Gaussian noise with σ = 2. A family of three "
        "takes part together or not at all. The family is promised a curve G_μ. What is μ?",
        goals=(4,),
        solution="import dptutor as dp\n\nfamily = dp.Gaussian(sigma=2, sensitivity=3)\n"
        "answer = family.sensitivity / family.sigma\n",
        explanation="Together they change the count by 3. The two worlds are N(0, 4) and N(3, 4), and μ is the "
        "distance between them in standard deviations.",
        hints=(
            "By how much do three people change a count?",
            "μ is the distance between the two worlds, in standard deviations of the noise.",
            "The distance is 3 and the standard deviation 2.",
        ),
        praise="Right: μ grows in proportion to the group.",
        mistakes=(
            Mistake(1 / 2, "This is the promise to one person. Together the three change the count by 3."),
            Mistake(
                math.sqrt(3) / 2,
                "Square roots belong to composition, with three outputs about one person. Here one output moves by 3.",
            ),
            Mistake(2 / 3, "The ratio is upside down: more noise must make μ smaller."),
            Mistake(3, "This is how far the family moves the count. μ measures it in standard deviations."),
            Mistake(3 / 4, "You divide by the variance. μ counts standard deviations."),
            Mistake(6, "You multiply by σ, but more noise must make μ smaller."),
        ),
        tolerance=0.005,
    ),
    Exercise(
        id="2.1",
        grade="warm-up",
        title="Two numbers as a curve",
        question="Write `tradeoff(epsilon, delta, alpha)`: the smallest type II error that an (ε, δ) guarantee leaves possible at the "
        "type I error α.",
        brief=r"Write down the trade-off function that an $(\varepsilon, \delta)$ guarantee promises.",
        goals=(2,),
        name="tradeoff",
        curve=Curve("alpha"),
        stub="from math import exp\n\n\ndef tradeoff(epsilon, delta, alpha):\n    ...\n",
        solution="""from math import exp


def tradeoff(epsilon, delta, alpha):
    return max(0, 1 - delta - exp(epsilon) * alpha, exp(-epsilon) * (1 - delta - alpha))
""",
        explanation="1 − β ≤ e^ε α + δ for the test, and 1 − α ≤ e^ε β + δ for its opposite with the worlds exchanged.",
        hints=(
            "Apply the definition of (ε, δ)-DP to the event “the test rejects,” and express it in terms of α and β.",
            "1 − β ≤ e^ε α + δ. Now exchange the worlds, for the event “the test accepts”.",
            "The largest of 0, 1 − δ − e^ε α and e^(−ε)(1 − δ − α).",
        ),
        praise="Right. It is the curve of leaky randomized response, the worst that keeps the promise.",
        cases=tuple((e, d, a) for e, d in _PARAMETERS for a in _LEVELS),
        draw=lambda r: (r.uniform(0.3, 2), r.uniform(0.01, 0.2), r.uniform(0.02, 0.6)),
        mistakes=(
            Mistake(
                lambda e, d, a: max(0.0, 1 - d - math.exp(e) * a),
                "One line is missing: the promise holds with the worlds exchanged, too, which gives the mirror image of "
                "the line you have.",
            ),
            Mistake(
                lambda e, d, a: max(1 - d - math.exp(e) * a, math.exp(-e) * (1 - d - a)),
                "An error is never negative: beyond α = 1 − δ the curve is 0.",
            ),
            Mistake(
                lambda e, d, a: max(0.0, 1 - d - e * a, (1 - d - a) / e if e else 1 - d - a),
                "The factor is e^ε, not ε: (ε, δ)-DP bounds a ratio of probabilities by e^ε.",
            ),
            Mistake(
                lambda e, d, a: max(0.0, 1 - math.exp(e) * a, math.exp(-e) * (1 - a)),
                "This is pure ε-DP. With probability δ the mechanism may give everything away: β starts at 1 − δ.",
            ),
            Mistake(
                lambda e, d, a: min(1 - d - math.exp(e) * a, math.exp(-e) * (1 - d - a)),
                "Each line is a bound from below, and all hold: the highest of them counts.",
            ),
            Mistake(
                lambda e, d, a: max(0.0, min(1 - d - math.exp(e) * a, math.exp(-e) * (1 - d - a))),
                "Each line is a bound from below, and both hold: the higher of the two counts, not the lower.",
            ),
            Mistake(
                lambda e, d, a: max(0.0, 1 - d - a),
                "You left out ε: this is what (0, δ) promises.",
            ),
            Mistake(
                lambda e, d, a: max(0.0, math.exp(-e) * (1 - d - a)),
                "This is only the flat line, with the worlds exchanged. The steep one counts at a small α.",
            ),
            Mistake(
                lambda e, d, a: max(0.0, 1 - d - math.exp(-e) * a, math.exp(e) * (1 - d - a)),
                "The signs of ε are exchanged: the line that starts at 1 − δ falls with the slope −e^ε.",
            ),
            Mistake(
                lambda e, d, a: d + (1 - d) * max(0.0, 1 - math.exp(e) * a, math.exp(-e) * (1 - a)),
                "You add δ to the misses. With probability δ the mechanism may give everything away, which lowers the curve.",
            ),
            Mistake(
                lambda e, d, a: (1 - d) * max(0.0, 1 - math.exp(e) * a, math.exp(-e) * (1 - a)),
                "You scale only β by 1 − δ. A leak takes away from both errors.",
            ),
            Mistake(
                lambda e, d, a: max(0.0, 1 - d - math.exp(e) * a, math.exp(-e) * (1 - a) - d),
                "In the mirrored line you take δ off last. Solve α ≥ 1 − δ − e^ε β for β.",
            ),
        ),
        laws=(_not_negative, _below_the_diagonal),
    ),
    Exercise(
        id="2.2",
        grade="warm-up",
        title="A Gaussian curve",
        question="Write `tradeoff(sigma, sensitivity, alpha)` for 0 < α < 1: the trade-off function of a query of this sensitivity with "
        "Gaussian noise of standard deviation σ. `norm.cdf` and `norm.ppf` of scipy.stats are Φ and its inverse.",
        brief=r"Write down the trade-off function of a Gaussian mechanism with noise $\sigma$ and a given sensitivity.",
        goals=(2,),
        name="tradeoff",
        curve=Curve("alpha"),
        stub="from scipy.stats import norm\n\n\ndef tradeoff(sigma, sensitivity, alpha):\n    ...\n",
        solution="""from scipy.stats import norm


def tradeoff(sigma, sensitivity, alpha):
    return norm.cdf(norm.ppf(1 - alpha) - sensitivity / sigma)
""",
        explanation="In units of σ the worlds are N(0, 1) and N(μ, 1) with μ = sensitivity/σ. The threshold with type I error α is "
        "Φ⁻¹(1 − α), and the output stays below it with probability Φ(Φ⁻¹(1 − α) − μ) in world Q.",
        hints=(
            "Measure the output in units of σ. How far apart are the centers of the two worlds?",
            "μ = sensitivity/σ. Which threshold is exceeded with probability α under N(0, 1)?",
            "t = Φ⁻¹(1 − α). With what probability is a draw from N(μ, 1) below it?",
        ),
        praise="Right: G_μ with μ = sensitivity/σ, the curve of μ-Gaussian differential privacy.",
        cases=tuple((s, d, a) for s, d in ((1.0, 1.0), (2.0, 1.0), (1.0, 3.0)) for a in (0.02, 0.3, 0.8)),
        draw=lambda r: (r.uniform(0.5, 3), r.uniform(0.5, 3), r.uniform(0.02, 0.8)),
        mistakes=(
            Mistake(
                lambda s, d, a: float(ndtr(ndtri(1 - a) - 1 / s)),
                "You forgot the sensitivity: the worlds are that far apart, in units of σ.",
            ),
            Mistake(
                lambda s, d, a: float(ndtr(ndtri(a) - d / s)),
                "Your threshold is exceeded with probability 1 − α. Rejecting above it should have probability α.",
            ),
            Mistake(
                lambda s, d, a: float(ndtr(ndtri(1 - a) - d)),
                "You left out σ: the distance between the two worlds has to be measured in standard deviations of the "
                "noise.",
            ),
            Mistake(
                lambda s, d, a: float(ndtr(ndtri(1 - a) - d / s**2)),
                "You divided by the variance. The distance between the two worlds is measured in standard deviations.",
            ),
            Mistake(
                lambda s, d, a: float(ndtr(ndtri(1 - a) - d * s)),
                "You multiplied by σ. More noise brings the two worlds together.",
            ),
            Mistake(
                lambda s, d, a: 1 - a,
                "This is blind guessing, the curve for infinite noise. Where do σ and the sensitivity enter?",
            ),
            Mistake(
                lambda s, d, a: float(ndtr(ndtri(1 - a) + d / s)),
                "The sign is wrong: in world Q the output tends to be larger, so it stays below the threshold less often.",
            ),
            Mistake(
                lambda s, d, a: float(ndtr(ndtri(1 - a) - s / d)),
                "Your ratio of σ and the sensitivity is upside down: more noise brings the two worlds together.",
            ),
            Mistake(
                lambda s, d, a: float(1 - ndtr(ndtri(1 - a) - d / s)),
                "This is the power 1 − β, the ROC curve. The trade-off function is the type II error β.",
            ),
            Mistake(
                lambda s, d, a: float(ndtr(ndtri(1 - a) - d / (math.sqrt(2) * s))),
                "You divide by √2·σ, the noise of a difference of two outputs. Only one output is published.",
            ),
            Mistake(
                lambda s, d, a: float(ndtr((ndtri(1 - a) - d) / s)),
                "The quantile counts standard deviations already. Only the sensitivity is to be divided by σ.",
            ),
            Mistake(
                lambda s, d, a: float(ndtr(s * ndtri(1 - a) - d)),
                "The threshold is σ times the quantile, but Φ wants standard deviations: divide by σ at the end.",
            ),
        ),
        laws=(_not_negative, _below_the_diagonal),
    ),
    Exercise(
        id="2.3",
        grade="think",
        title="From an attack to a lower bound",
        question="An attack on an (ε, δ)-DP mechanism has the exact errors α and β, both above 0, and δ is known. Write "
        "`least_epsilon(alpha, beta, delta)`: the smallest ε ≥ 0 that is consistent with the attack.",
        brief=r"An attack attains the errors $(\alpha, \beta)$. The vendor claims $(\varepsilon, \delta)$-DP with a known $\delta$. What is the smallest possible $\varepsilon$?",
        goals=(3,),
        name="least_epsilon",
        stub="from math import log\n\n\ndef least_epsilon(alpha, beta, delta):\n    ...\n",
        solution="""from math import log


def least_epsilon(alpha, beta, delta):
    ratios = (1 - delta - beta) / alpha, (1 - delta - alpha) / beta
    return max([0] + [log(ratio) for ratio in ratios if ratio > 0])
""",
        explanation="Both lines of the guarantee must lie below the attack’s point: 1 − δ − β ≤ e^ε α and 1 − δ − α ≤ e^ε β.",
        hints=(
            "The attack’s point cannot lie below the curve that (ε, δ) promises. Which two inequalities does that "
            "give?",
            "1 − δ − e^ε α ≤ β and e^(−ε)(1 − δ − α) ≤ β. Solve both for ε.",
            "The larger of log((1 − δ − β)/α) and log((1 − δ − α)/β), and at least 0.",
        ),
        praise="Right. This is how an audit turns an attack into a statement about ε; there, α and β come with confidence intervals.",
        cases=_ATTACKS,
        draw=lambda r: (r.uniform(0.01, 0.2), r.uniform(0.05, 0.6), r.uniform(0.001, 0.05)),
        mistakes=(
            Mistake(
                lambda a, b, d: max(0.0, (1 - d - b) / a, (1 - d - a) / b),
                "This bounds the likelihood ratio e^ε. Take the logarithm.",
            ),
            Mistake(
                lambda a, b, d: _attacked_by(a, b, d, (1 - d - b) / a),
                "There are two lines, one with the worlds exchanged. With few misses β the second one says more.",
            ),
            Mistake(
                lambda a, b, d: _attacked_by(a, b, d, (1 - b) / a, (1 - a) / b),
                "You left out δ: with that probability the mechanism may give everything away at no cost in ε.",
            ),
            Mistake(
                lambda a, b, d: max(1.0, (1 - d - b) / a, (1 - d - a) / b),
                "This is e^ε. Take the logarithm.",
            ),
            Mistake(
                lambda a, b, d: min(
                    abs(math.log(max((1 - d - b) / a, 1e-9))), abs(math.log(max((1 - d - a) / b, 1e-9)))
                ),
                "Both inequalities must hold, so the larger of the two bounds counts.",
            ),
            Mistake(
                lambda a, b, d: max(0.0, min(math.log((1 - d - b) / a), math.log((1 - d - a) / b))),
                "Both inequalities must hold, so the larger of the two bounds counts: a smaller ε would break one of them.",
            ),
            Mistake(
                lambda a, b, d: _attacked(a, b, d) / math.log(2),
                "These are bits. Privacy parameters use the natural logarithm.",
            ),
            Mistake(
                lambda a, b, d: max(math.log((1 - d - b) / a), math.log((1 - d - a) / b)),
                "An attack that is no better than guessing gives a negative number here. The smallest ε is then 0.",
            ),
            Mistake(
                lambda a, b, d: _attacked_by(a, b, d, (1 - d - a) / b),
                "There are two lines, one with the worlds exchanged. With few false accusations α the first one says more.",
            ),
            Mistake(
                lambda a, b, d: _attacked_by(a, b, d, (b - d) / a),
                "You took β for the power. The power is 1 − β, the share that the attack finds.",
            ),
            Mistake(
                lambda a, b, d: _attacked_by(a, b, d, (1 - b) / a - d, (1 - a) / b - d),
                "You took δ off the ratio. It has to be taken off the power, before you divide.",
            ),
            Mistake(
                lambda a, b, d: _attacked_by(a, b, d, (1 - b) / a),
                "You left out δ, and there are two lines: the other one has the worlds exchanged.",
            ),
            Mistake(
                lambda a, b, d: _attacked(a, b, -d),
                "δ has the wrong sign. A mechanism that gives something away with probability δ needs a smaller ε.",
            ),
            Mistake(
                lambda a, b, d: _attacked_by(a, b, d, (1 - d - a) / a, (1 - d - b) / b),
                "You divided each power by the wrong error. For the first line 1 − β is the power, and α its cost.",
            ),
            Mistake(
                lambda a, b, d: max(0.0, math.log((1 - b) / a) - d),
                "You take δ off the logarithm. It is a probability, and comes off the power before you divide. And there are two lines.",
            ),
            Mistake(
                lambda a, b, d: max(0.0, math.log(max((1 - d - a - b) / a, 1e-9))),
                "You take both errors off. The power is 1 − β, and of that only δ comes off.",
            ),
        ),
        laws=(lambda result, *case: "ε is at least 0." if result[0] < -1e-9 else None,),
    ),
    Exercise(
        id="2.4",
        grade="think",
        title="A whole family",
        question="Write `group(f, k, alpha)`: the smallest type II error at α, if all that is known is that neighbors "
        "have a trade-off function of at least `f`, and k records are in the data together or not at all.",
        brief="A family of $k$ takes part together or not at all. The mechanism is $f$-DP. Which trade-off function does it promise to the family as a whole?",
        goals=(4,),
        name="group",
        curve=Curve("alpha"),
        stub="def group(f, k, alpha):\n    ...\n",
        solution="""def group(f, k, alpha):
    rejected = alpha
    for _ in range(k):
        rejected = 1 - f(rejected)   # at most, one neighbor further
    return 1 - rejected
""",
        explanation="Along a chain of k neighbors the probability of rejecting grows from α to 1 − f(α), to 1 − f(1 − f(α)), and so on.",
        hints=(
            "A test rejects with probability α in the first world. With what probability, at most, can it reject one "
            "neighbor farther along?",
            "At most 1 − f(α). That is its type I error for the next step.",
            "Apply 1 − f k times, and subtract the result from 1.",
        ),
        praise="Right: 1 − (1 − f)∘…∘(1 − f). For Gaussian noise this is μ ↦ kμ exactly.",
        cases=tuple((f, k, a) for f in _CURVES for k in (1, 2, 4) for a in (0.01, 0.2, 0.9)),
        mistakes=(
            Mistake(
                lambda f, k, a: float(_iterate(f, k, a)),
                "You apply f to its own values, but what goes in is a type I error, and what comes out a type II "
                "error. Which probability is passed on from one neighbor to the next?",
            ),
            Mistake(
                lambda f, k, a: float(1 - min(1.0, k * (1 - f(a)))),
                "The power does not grow k-fold: each step starts from where the last one ended.",
            ),
            Mistake(
                lambda f, k, a: float(f(min(1.0, k * a))),
                "The probability of rejecting does not grow k-fold along the chain, but from α to 1 − f(α), and on.",
            ),
            Mistake(
                lambda f, k, a: float(1 - _grouped(f, k, a)),
                "This is the power in the last world. The type II error is one minus that.",
            ),
            Mistake(
                lambda f, k, a: float(_grouped(f, k - 1, a)),
                "One step is missing: k records are k neighbors away.",
            ),
            Mistake(
                lambda f, k, a: float(f(a)),
                "This is the promise for one record, whatever k is.",
            ),
            Mistake(
                _as_gaussian,
                "This is k times the μ that Gaussian noise with this f(α) would have. It is right for Gaussian curves only.",
            ),
            Mistake(
                lambda f, k, a: float(f(a)) ** k,
                "You raised f(α) to the power k, as if each record had to be missed on its own. They are in the data "
                "together or not at all: one test decides about all of them.",
            ),
            Mistake(
                lambda f, k, a: float(_grouped(f, k + 1, a)),
                "One step too many: with k = 1 this should be f itself.",
            ),
        ),
        laws=(_not_negative, _below_the_diagonal),
    ),
    Exercise(
        id="2.5",
        grade="build",
        title="The curve of what coins can reach",
        question="The arrays `alphas` and `betas` hold the errors of a handful of tests. Write `best(alphas, betas, "
        "level)`: the smallest type II error with a type I error of at most `level`, if a coin may choose "
        "between these tests, blind guessing included.",
        brief=r"You know the errors of a handful of tests. Write a program that computes the smallest type II error at a level $\alpha$, coins allowed.",
        goals=(1,),
        name="best",
        curve=Curve("level"),
        stub="def best(alphas, betas, level):\n    ...\n",
        solution="""def best(alphas, betas, level):
    a, b = [0, *alphas, 1], [1, *betas, 0]      # "never in" and "always in"
    found = 1.0
    for i in range(len(a)):
        for j in range(len(a)):
            if a[i] <= level <= a[j]:
                share = (level - a[i]) / (a[j] - a[i]) if a[j] > a[i] else 0.0
                found = min(found, b[i] + share * (b[j] - b[i]))
    return found
""",
        explanation="A coin that chooses between two tests reaches the segment between them, and at one level more "
        "than two tests never help. The lowest of these segments form the lower convex hull.",
        hints=(
            "Which points can a coin that chooses between two tests reach?",
            "The segment between them. Try all pairs of tests, (0, 1) and (1, 0) included, with one on each side of "
            "the level.",
            "The answer is the lowest of all these segments at the level.",
        ),
        praise="Right: the lower convex hull. With all tests there are, it is the trade-off function.",
        cases=tuple((a, b, level) for a, b in _TESTS for level in (0.05, 0.25, 0.5, 0.9, 0.0, 1.0)),
        mistakes=(
            Mistake(
                lambda a, b, x: float(np.interp(x, [0, *a, 1], [1, *b, 0])),
                "You join tests that are next to each other in the list. A test that lies above the segment between two others is not worth using.",
            ),
            Mistake(
                lambda a, b, x: min([bb for aa, bb in zip(a, b, strict=True) if aa <= x], default=1.0),
                "You use no coins. Mixing with a test beyond the level, with the right probability, keeps the type I error and has fewer misses.",
            ),
            Mistake(
                lambda a, b, x: min([1 - x, *(bb for aa, bb in zip(a, b, strict=True) if aa <= x)]),
                "You use the best single test, or blind guessing. A coin that chooses between two tests may do better.",
            ),
            Mistake(
                _without_the_trivial,
                "You mix pairs of tests, but never one of them with “never in”, (0, 1), or with “always in”, (1, 0).",
            ),
            Mistake(
                _with_guessing,
                "You mix each test with blind guessing only. A coin that chooses between two of the tests may do "
                "better.",
            ),
            Mistake(
                lambda a, b, x: float(np.interp(x, a, b)),
                "You join tests that are next to each other in the list, and leave out blind guessing: “never in” is (0, 1), “always in” is (1, 0).",
            ),
            Mistake(
                lambda a, b, x: float(b[np.argmin(np.abs(np.asarray(a) - x))]),
                "This is the test whose type I error is nearest to the level. It may lie above the level, and coins do better.",
            ),
            Mistake(
                lambda a, b, x: float(np.min(b)),
                "This is the smallest β of all tests. Its type I error may be above the level.",
            ),
            Mistake(
                lambda a, b, x: float(1 - x),
                "This is blind guessing. Some of the tests are better.",
            ),
            Mistake(
                lambda a, b, x: 1 - _hull(a, b, x),
                "This is the power. The type II error is one minus that.",
            ),
        ),
        laws=(_not_negative, _below_the_diagonal),
    ),
    Exercise(
        id="2.6",
        grade="build",
        title="Draw from the second world",
        question="Let P be uniform on [0, 1], and let Q be the second world of a pair (P, Q) with the trade-off "
        "function `f`. Write `draw(f, u)`, which turns a uniform random number u in (0, 1) into an output of "
        "Q, to six digits. `f` takes a number; it need not have an inverse in closed form.",
        brief="Given $f$, write a program that draws from the $Q$ in the proof of {prf:ref}`thm-shape`, starting from a uniform random number.",
        goals=(1,),
        name="draw",
        curve=Curve("u"),
        stub="def draw(f, u):\n    ...\n",
        solution="""def draw(f, u):
    # The distribution function of Q is 1 - f: find the first x with 1 - f(x) >= u.
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if 1 - f(middle) >= u:
            high = middle
        else:
            low = middle
    return high
""",
        explanation="Q has the distribution function 1 − f. A draw is the first x at which that reaches a uniform random number.",
        hints=(
            "The best tests reject all outputs below some x. What is the probability under Q of an output of at most "
            "x?",
            "It is 1 − f(x), the power of that test. How do you draw from a distribution with a given distribution "
            "function?",
            "Find the smallest x with 1 − f(x) ≥ u, by repeatedly halving an interval.",
        ),
        praise="Right. Every trade-off function has its pair of worlds, and now you can visit the second one.",
        cases=tuple(
            (f, u) for f in (*_CURVES, ApproximateDP(epsilon=0.5, delta=0.3).tradeoff) for u in (0.1, 0.4, 0.9)
        ),
        mistakes=(
            Mistake(
                lambda f, u: _draw(f, 1 - u, lambda f, x: 1 - f(x)),
                "You use f where 1 − f is the distribution function: a small u should give a small output.",
            ),
            Mistake(
                lambda f, u: float(1 - f(u)),
                "This is the probability of an output up to u, the distribution function. A draw inverts it.",
            ),
            Mistake(
                lambda f, u: float(u),
                "This is a draw from P. Under Q small outputs are more likely.",
            ),
            Mistake(
                lambda f, u: float(f(1 - u)),
                "This is f itself at 1 − u. It is right for symmetric mechanisms only, whose f is its own inverse.",
            ),
            Mistake(
                lambda f, u: float(f(u)),
                "This is f(u), a type II error. A draw inverts the distribution function of Q.",
            ),
            Mistake(
                _on_a_grid,
                "A grid of a thousand points gives three digits. Halve an interval, which gains a digit every few steps.",
            ),
            Mistake(
                lambda f, u: 1 - _draw(f, u, lambda f, x: 1 - f(x)),
                "Your outputs are mirrored: the best tests reject small x, so under Q small outputs are the likely "
                "ones.",
            ),
        ),
        laws=(lambda result, f, u: "An output lies between 0 and 1." if not -1e-9 <= result[0] <= 1 + 1e-9 else None,),
        tolerance=1e-6,
    ),
]
