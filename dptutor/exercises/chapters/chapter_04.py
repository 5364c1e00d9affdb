"""Exercises of chapter 4: what one point of a profile says, and what all of them say."""

import math

import numpy as np
from scipy.special import ndtr

from ...mechanisms import ApproximateDP, Gaussian, Laplace, RandomizedResponse, SubsampledGaussian
from ...risk.calibration import calibrate
from ..judging.calling import apart_in_words, numbers
from ..judging.core import Exercise, Mistake, roughly
from ..judging.drawing import Curve
from ..judging.questions import PROBABILITY, Question, Within, in_percent

_REPORTS = tuple(
    map(
        np.array,
        (
            ((1.0, 0.1),),
            ((0.5, 0.2), (1.0, 0.05), (3.0, 1e-4)),
            ((0.0, 0.3), (2.0, 0.01)),
        ),
    )
)
# Among them σ of 31 and of 0.15: a search has to look that far.
_TARGETS = ((1.0, 1e-5), (0.2, 0.05), (8.0, 1e-6), (3.0, 0.01), (0.1, 1e-5), (30.0, 0.1))
_CURVES = (
    Gaussian(sigma=1),
    Laplace(scale=0.8),
    RandomizedResponse(epsilon=1),
    SubsampledGaussian(0.4, 0.3, direction="remove"),  # not symmetric
)


def _promise(epsilon, delta, alpha):
    return max(0.0, 1 - delta - math.exp(epsilon) * alpha, math.exp(-epsilon) * (1 - delta - alpha))


def _classical(epsilon, delta):
    return math.sqrt(2 * math.log(1.25 / delta)) / epsilon


def _delta(mu, epsilon):
    return float(Gaussian(sigma=1 / mu).privacy_profile(epsilon))


def _sigma(epsilon, delta):
    return calibrate(lambda s: Gaussian(sigma=s), epsilon=epsilon, delta=delta).sigma


def _noise_for(spent):
    """The σ at which `spent`, a decreasing function of it, is 0."""
    low, high = 1e-3, 1e3
    for _ in range(200):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if spent(middle) > 0 else (low, middle)
    return high


def _one_tail_each(epsilon, delta):
    """Takes e^ε for 1."""
    return _noise_for(lambda s: ndtr(0.5 / s - epsilon * s) - ndtr(-0.5 / s - epsilon * s) - delta)


def _ends_at_a_round_number(result, epsilon, delta):
    ends = [m * 10.0**n for m in (1, 2, 5) for n in range(-3, 4)]
    if min(abs(result[0] / end - 1) for end in ends) < 1e-9:
        beyond = "more" if result[0] < _sigma(epsilon, delta) else "less"
        return f"Does your search end there? The σ for these numbers is {beyond}: look in a wider interval."
    return None


def _tail_sigma(epsilon, delta):
    return _noise_for(lambda s: ndtr(0.5 / s - epsilon * s) - delta)


_ROUNDING = 1e-9


def _two(answer):
    """Judges two pairs (ε, δ), each standing for the worst mechanism with these parameters."""
    given = numbers(answer, "two pairs ((ε, δ), (ε, δ))")
    if given.size == 2:
        return "This is one pair. Give two, each with its own ε and δ: ((ε, δ), (ε, δ))."
    if given.size != 4:
        return f"Give two pairs, ((ε, δ), (ε, δ)): four numbers. You give {given.size}."
    if np.any(given < 0) or np.any(given[1::2] > 1):
        return "ε is at least 0, and δ lies between 0 and 1."
    first, second = (ApproximateDP(float(e), float(d)) for e, d in given.reshape(2, 2))
    if given[0] == given[2] and given[1] == given[3]:
        return "These are the same pair twice, and one mechanism. The advantages should differ by 0.3."
    at_one = [float(m.privacy_profile(1.0)) for m in (first, second)]
    if not math.isclose(*at_one, rel_tol=1e-8, abs_tol=1e-15):  # also of the smallest δ nine digits count
        one, other = apart_in_words(*at_one)
        if given[1] == given[3]:
            return (
                f"The δ in your pairs are the same, but at ε = 1 the first mechanism has δ = {one}, the second "
                f"{other}. Below its own ε a worst mechanism has a larger δ."
            )
        return f"At ε = 1 the first has δ = {one}, the second {other}. They should be the same."
    apart = abs(first.advantage - second.advantage)
    if apart < 0.3 - _ROUNDING:
        shown, _ = apart_in_words(apart, 0.3, 3)
        return (
            f"The same (ε, δ), but the advantages differ by only {shown}. Which mechanism with that δ has the smallest?"
        )
    return None


EXERCISES = [
    Question(
        id="4.a",
        title="The worst that one point allows",
        question="All you know about a symmetric mechanism is δ(log 3) = 0.1. How large can its advantage δ(0) be?",
        goals=(1,),
        solution="from math import log\n\nimport dptutor as dp\n\nanswer = float(dp.ApproximateDP(log(3), 0.1).advantage)\n",
        explanation="The worst mechanism with this point is leaky randomized response. Its two lines meet at "
        "α = β = (1 − δ)/(1 + e^ε) = 0.9/4, and the advantage is 1 − α − β.",
        hints=(
            "Which mechanism attains the two lines of an (ε, δ) promise?",
            "Leaky randomized response. Where do its lines meet, and what is 1 − α − β there?",
            "α = β = (1 − δ)/(1 + e^ε), so the advantage is 1 − 2·0.9/4.",
        ),
        praise="Right. It is at least δ = 0.1; one point leaves the whole range between them open.",
        mistakes=(
            Mistake(0.5, "This is tanh(ε/2), for pure ε-DP: you forgot δ, with which more may be given away."),
            Mistake(
                0.1, "This is the smallest possible, since the profile decreases. The question asks for the largest."
            ),
            Mistake(
                0.6,
                "Nearly: with δ + tanh(ε/2) you count part of it twice. What is left to reveal where everything "
                "has been given away?",
            ),
            Mistake(1 - 0.9 / 4, "You subtracted only one of the two errors. The advantage is 1 − α − β."),
            Mistake(1 - 2 * 0.9 / (1 + math.log(3)), "You used ε where e^ε belongs: e^ε is 3."),
            Mistake(0.9 / 4, "This is the error at which the lines meet. The advantage is 1 − α − β there."),
            Mistake(0.9, "This is 1 − δ, where the curve starts. The advantage is 1 − α − β at the best test."),
            Mistake(1, "With an advantage of 1 the promise would be broken: it keeps α + β well above 0."),
            in_percent(0.55),
        ),
        laws=(Within(0, 1, "An advantage lies between 0 and 1; in percent, write the sign %."),),
        tolerance=0.005,
    ),
    Question(
        id="4.b",
        title="Two pairs, one guarantee",
        question="A report states two pairs (ε, δ) that a mechanism keeps: (0, 0.3) and (log 4, 0.05). Which type II error do "
        "they guarantee together at α = 0.05?",
        goals=(2,),
        solution="""from math import log

import dptutor as dp

pairs = [(0, 0.3), (log(4), 0.05)]
answer = float(max(dp.ApproximateDP(*pair).tradeoff(0.05) for pair in pairs))
""",
        explanation="The first pair guarantees 1 − 0.3 − 0.05 = 0.65, the second 1 − 0.05 − 4·0.05 = 0.75. Both are kept, so "
        "the higher one is the guarantee.",
        hints=(
            "What does each of the pairs guarantee by itself at α = 0.05?",
            "1 − δ − e^ε α is 0.65 for the first. What is it for the second, and which of the two counts?",
            "The second gives 1 − 0.05 − 4·0.05. All promises are kept at once, so the strongest counts.",
        ),
        praise="Right: the upper envelope of the two.",
        mistakes=(
            Mistake(0.65, "This is what the first pair says. Both are kept, so the stronger one counts at every α."),
            Mistake(0.7, "An average is weaker than the better of the two promises, and both are kept."),
            Mistake(1 - 0.35 - 0.2, "You added up the δ. Both pairs are about one mechanism, not about two outputs."),
            Mistake(0.8, "You forgot δ: the second line is 1 − δ − e^ε α, with δ = 0.05."),
            Mistake(0.95 - 0.05 * math.log(4), "You used ε where e^ε belongs: the slope of the second line is −4."),
            Mistake(0.95, "This is blind guessing, 1 − α, or a line without its slope. Subtract δ and e^ε α."),
            Mistake(0.25, "This is the power, 1 − β. A guarantee is about what is missed."),
            in_percent(0.75),
            Mistake(
                0.6,
                "You added up the δ, and used the slope of the first pair. Both pairs are about one mechanism, not about two outputs.",
            ),
        ),
        laws=(PROBABILITY,),
        tolerance=0.005,
    ),
    Exercise(
        id="4.1",
        grade="warm-up",
        title="What one (ε, δ) excludes",
        question="A symmetric mechanism has δ(epsilon) = delta, and that is all you know. Write "
        "`advantage_range(epsilon, delta)`: the smallest and the largest advantage δ(0) that it may have.",
        brief=r"Between which two numbers may the advantage lie, if $\delta(\varepsilon_0) = \delta_0$ is all you know about a symmetric mechanism?",
        goals=(1,),
        name="advantage_range",
        curve=Curve("epsilon"),
        stub="from math import exp\n\n\ndef advantage_range(epsilon, delta):\n    ...\n",
        solution="""from math import exp


def advantage_range(epsilon, delta):
    return delta, 1 - 2 * (1 - delta) / (1 + exp(epsilon))
""",
        explanation="δ decreases, so δ(0) ≥ δ; a mechanism that gives everything away with probability δ attains it. The worst one is leaky randomized "
        "response, whose two lines meet at α = (1 − δ)/(1 + e^ε).",
        hints=(
            "The profile decreases in ε. What does that say about δ(0)?",
            "At least δ. And at most the advantage of the worst mechanism with these parameters: where do its two lines meet?",
            "(δ, 1 − 2(1 − δ)/(1 + e^ε)).",
        ),
        praise="Right. For (8, 1e-5) that is nearly everything between 0 and 1.",
        cases=((8.0, 1e-5), (1.0, 0.1), (0.0, 0.2), (0.1, 0.0)),
        draw=lambda r: (r.uniform(0.2, 3), r.uniform(0.01, 0.2)),
        mistakes=(
            Mistake(
                lambda e, d: (0.0, 1 - 2 * (1 - d) / (1 + math.exp(e))),
                "Perfect privacy has δ = 0 everywhere, but here δ(ε) = delta, and a profile decreases: δ(0) is at "
                "least that.",
            ),
            Mistake(
                lambda e, d: (d, math.tanh(e / 2)),
                "This is the largest advantage for pure ε-DP. With probability δ more may be given away.",
            ),
            Mistake(
                lambda e, d: (d, 1.0),
                "An advantage of 1 would break the guarantee: the two lines keep f away from the axes.",
            ),
            Mistake(
                lambda e, d: (d, d + math.tanh(e / 2)),
                "Nearly: tanh(ε/2) counts only where not everything has been given away already.",
            ),
            Mistake(
                lambda e, d: (d, 1 - (1 - d) / (1 + math.exp(e))),
                "You subtracted only one of the two errors. The advantage is 1 − α − β.",
            ),
            Mistake(
                lambda e, d: (d, (1 - d) / (1 + math.exp(e))),
                "Your second number is the error at which the two lines meet. The advantage there is 1 − α − β.",
            ),
            Mistake(
                lambda e, d: (d, 1 - 2 * (1 - d) / (1 + e)),
                "You used ε where e^ε belongs.",
            ),
            Mistake(
                lambda e, d: (0.0, 1.0),
                "This is the range without any information. δ(ε) = delta excludes some of it.",
            ),
            Mistake(
                lambda e, d: (d, (math.exp(e) - 1 + d) / math.exp(e)),
                "You followed the steep line down to the axis. It meets the mirrored line earlier, where α = β.",
            ),
        ),
        laws=(
            lambda result, *case: (
                "An advantage lies between 0 and 1." if np.any(result < -1e-9) or np.any(result > 1 + 1e-9) else None
            ),
        ),
        shape="two numbers (least, largest)",
    ),
    Exercise(
        id="4.2",
        grade="warm-up",
        title="An envelope of a few",
        question="A report lists `pairs`, an array with a row (ε, δ) for each promise that the mechanism keeps. Write `guaranteed(pairs, alpha)`: the type II error that "
        "all of them together guarantee at α.",
        brief=r"A report lists a few pairs $(\varepsilon, \delta)$. What do they guarantee together, at the type I error $\alpha$?",
        goals=(2,),
        name="guaranteed",
        curve=Curve("alpha"),
        stub="from math import exp\n\n\ndef guaranteed(pairs, alpha):\n    ...\n",
        solution="""from math import exp


def guaranteed(pairs, alpha):
    lines = [0]
    for epsilon, delta in pairs:
        lines += [1 - delta - exp(epsilon) * alpha, exp(-epsilon) * (1 - delta - alpha)]
    return max(lines)
""",
        explanation="Every pair is kept, so every line is below f: the highest of them is the guarantee, the upper envelope.",
        hints=(
            "What does one pair guarantee? You wrote that down in exercise 2.1.",
            "All pairs are kept at once. Does the weakest or the strongest guarantee count?",
            "The maximum over all pairs of max(0, 1 − δ − e^ε α, e^(−ε)(1 − δ − α)).",
        ),
        praise="Right: the upper envelope. From all ε it is the trade-off function itself.",
        cases=tuple((r, a) for r in _REPORTS for a in (0.0, 0.02, 0.2, 0.6, 1.0)),
        mistakes=(
            Mistake(
                lambda r, a: min(_promise(e, d, a) for e, d in r),
                "This is the lower envelope. A mechanism keeps all its promises, so the strongest one counts at every α.",
            ),
            Mistake(
                lambda r, a: max([0.0] + [1 - d - math.exp(e) * a for e, d in r]),
                "The mirrored lines are missing: a promise holds with the worlds exchanged, too.",
            ),
            Mistake(
                lambda r, a: _promise(r[0][0], r[0][1], a),
                "You only use the first pair.",
            ),
            Mistake(
                lambda r, a: sum(_promise(e, d, a) for e, d in r) / len(r),
                "An average is weaker than the best of the promises, and all of them are kept.",
            ),
            Mistake(
                lambda r, a: _promise(r[-1][0], r[-1][1], a),
                "You only use the last pair. Does your loop overwrite what it found earlier?",
            ),
            Mistake(
                lambda r, a: max(x for e, d in r for x in (1 - d - math.exp(e) * a, math.exp(-e) * (1 - d - a))),
                "An error is never negative: where all lines are below 0, the guarantee is 0.",
            ),
            Mistake(
                lambda r, a: max([0.0] + [math.exp(-e) * (1 - d - a) for e, d in r]),
                "These are only the lines with the worlds exchanged. Each pair promises a steep line as well.",
            ),
            Mistake(
                lambda r, a: _promise(sum(e for e, _ in r), sum(d for _, d in r), a),
                "You added up the pairs. That would be for several outputs; these pairs are all about the same one.",
            ),
            Mistake(
                lambda r, a: _promise(min(e for e, _ in r), min(d for _, d in r), a),
                "You combined the smallest ε with the smallest δ. No single pair promises both.",
            ),
            Mistake(
                lambda r, a: max([0.0] + [x for e, d in r for x in (1 - d - e * a, (1 - d - a) / e if e else 0)]),
                "The slopes are −e^ε and −e^(−ε). You used ε itself.",
            ),
        ),
        laws=(
            lambda result, r, a: "A type II error is at least 0." if result[0] < -1e-9 else None,
            lambda result, r, a: (
                "Blind guessing reaches 1 − α, so nothing more is ever guaranteed."
                if result[0] > 1 - a + 1e-9
                else None
            ),
        ),
    ),
    Exercise(
        id="4.3",
        grade="think",
        title="Where the line touches",
        question="A Gaussian mechanism has μ = 1/σ. Write `touch(mu, epsilon)`: the point (α, β) at which the line 1 − δ(ε) − e^ε α touches its "
        "trade-off function.",
        brief=r"At which point does the line of $(\varepsilon, \delta(\varepsilon))$ touch the curve of a Gaussian mechanism?",
        goals=(2,),
        name="touch",
        curve=Curve("epsilon"),
        stub="from scipy.stats import norm\n\n\ndef touch(mu, epsilon):\n    ...\n",
        solution="""from scipy.stats import norm


def touch(mu, epsilon):
    threshold = epsilon / mu + mu / 2        # the output whose privacy loss is epsilon
    return norm.sf(threshold), norm.cdf(threshold - mu)
""",
        explanation="The line has slope −e^ε, and the test that thresholds the privacy loss at ε attains δ(ε). The loss is μy − μ²/2, so the threshold "
        "on the output is ε/μ + μ/2.",
        hints=(
            "Which test attains δ(ε) = max of Q[E] − e^ε P[E]?",
            "The one that rejects when the privacy loss exceeds ε. For N(0, 1) against N(μ, 1) the loss at y is μy − μ²/2.",
            "y > ε/μ + μ/2. What are the errors of that threshold?",
        ),
        praise="Right: α = Pr_P[L > ε] and β = Pr_Q[L ≤ ε], an exact point of the curve for every ε.",
        cases=((1.0, 1.0), (0.5, 0.0), (2.0, 3.0), (1.0, -1.0)),
        draw=lambda r: (r.uniform(0.5, 2), r.uniform(0.1, 2)),
        mistakes=(
            Mistake(
                lambda m, e: (float(ndtr(-e / m)), float(ndtr(e / m - m))),
                "The loss at the output y is μy − μ²/2, not μy: the threshold is ε/μ + μ/2.",
            ),
            Mistake(
                lambda m, e: (float(ndtr(e / m + m / 2 - m)), float(ndtr(-e / m - m / 2))),
                "Both numbers are right, in the wrong order: α comes first.",
            ),
            Mistake(
                lambda m, e: (float(ndtr(-e / m - m / 2)), float(1 - ndtr(e / m + m / 2 - m))),
                "Your second number is the power. β is the probability that the output stays below the threshold in "
                "world Q.",
            ),
            Mistake(
                lambda m, e: (float(ndtr(e / m + m / 2)), float(ndtr(e / m + m / 2 - m))),
                "The first number is the probability that P is accepted. α is the probability of exceeding the "
                "threshold.",
            ),
            Mistake(
                lambda m, e: (float(ndtr(m - e / m - m / 2)), float(ndtr(e / m + m / 2))),
                "You exchanged the worlds: α is measured in world P, N(0, 1), and β in world Q, N(μ, 1).",
            ),
            Mistake(
                lambda m, e: (float(ndtr(-e)), float(ndtr(e - m))),
                "ε is a threshold on the privacy loss. Which output has that loss?",
            ),
            Mistake(
                lambda m, e: (float(ndtr(-e / m - m / 2)), float(ndtr(e / m + m / 2))),
                "Your α is right. Your β leaves out that in world Q the outputs are larger by μ.",
            ),
            Mistake(
                lambda m, e: (float(ndtr(-e / m + m / 2)), float(ndtr(e / m - m / 2))),
                "Your β is right. Your first number is the power, the same tail in world Q. α is measured in world P.",
            ),
            Mistake(
                lambda m, e: ((1 - _delta(m, e)) / (1 + math.exp(e)),) * 2,
                "This is where the two lines of the promise meet. The curve touches only one of them, and elsewhere.",
            ),
            Mistake(
                lambda m, e: (0.0, 1 - _delta(m, e)),
                "This is where the line starts, at α = 0. Where does it touch the curve?",
            ),
        ),
        shape="two numbers (α, β)",
    ),
    Exercise(
        id="4.4",
        grade="think",
        title="From the curve to δ",
        question="Write `delta(f, epsilon)`: δ(ε) of a mechanism with the trade-off function `f`, to six digits, for any real ε. `f` takes arrays.",
        brief=r"Given $f$, compute $\delta(\varepsilon)$, for any real $\varepsilon$.",
        goals=(2,),
        name="delta",
        curve=Curve("epsilon"),
        stub="import numpy as np\n\n\ndef delta(f, epsilon):\n    ...\n",
        solution="""import numpy as np


def delta(f, epsilon):
    low, high = 0.0, 1.0
    for _ in range(6):   # the sum is convex: look ever closer at where it is smallest
        alpha = np.linspace(low, high, 1001)
        total = np.exp(epsilon) * alpha + f(alpha)
        best = np.argmin(total)
        low, high = alpha[max(best - 1, 0)], alpha[min(best + 1, 1000)]
    return 1 - np.min(total)
""",
        explanation="δ(ε) = max of (1 − β) − e^ε α over all tests, and for each α the best β is f(α). A single grid misses "
        "the corners of f by up to its spacing; a finer one around the best α finds them.",
        hints=(
            "δ(ε) is the largest Q[E] − e^ε P[E]. Write it with α and β.",
            "max of 1 − β − e^ε α. Which β belongs to the best test at α?",
            "f is convex, so there is one lowest point of e^ε α + f(α). Find it on a grid, then look closer around it.",
        ),
        praise="Right. f and δ are conjugate: this is one direction, the envelope is the other.",
        cases=tuple((m.tradeoff, e) for m in _CURVES for e in (-1.0, 0.0, 0.7, 2.0)),
        exact=lambda f, e: f.__self__.privacy_profile(e),
        mistakes=roughly(
            1e-3,
            Mistake(
                lambda f, e: 1 - math.exp(e) * float(1 - f.__self__.privacy_profile(-e)),
                "The factor e^ε belongs to α: it weighs the probability in world P.",
            ),
            Mistake(
                lambda f, e: float(f.__self__.privacy_profile(abs(e))),
                "ε keeps its sign: the question is about negative ε, too.",
            ),
            Mistake(
                lambda f, e: float(1 - f.__self__.privacy_profile(e)),
                "Subtract it from 1: δ is large where the errors are small.",
            ),
            Mistake(
                lambda f, e: float(f.__self__.privacy_profile(0.0)),
                "This is the advantage, δ(0), whatever ε is.",
            ),
            Mistake(
                lambda f, e: float(f.__self__.privacy_profile(-e)),
                "The exponent has the wrong sign: α is weighed by e^ε, not by e^(−ε).",
            ),
            Mistake(
                lambda f, e: float(1 - f(0.5) - math.exp(e) / 2),
                "You tried α = 1/2 only. Another test may be better.",
            ),
            Mistake(
                lambda f, e: max(0.0, 1 - math.exp(e)),
                "This is δ(ε) for perfect privacy. Where does f enter?",
            ),
            Mistake(
                lambda f, e: float(1 - min(e * a + f(a) for a in np.linspace(0, 1, 4001))),
                "The factor of α is e^ε, not ε.",
            ),
            Mistake(
                lambda f, e: float(np.max(1 - f(np.linspace(0, 1, 101)) - math.exp(e) * np.linspace(0, 1, 101))),
                "A grid of a hundred α misses the best one: six digits need a closer look around it, and at kinks.",
            ),
        ),
        laws=(lambda result, f, e: "δ is at least 0 and at most 1." if not -1e-9 <= result[0] <= 1 + 1e-9 else None,),
        tolerance=2e-6,
    ),
    Exercise(
        id="4.5",
        grade="build",
        title="Calibrate",
        question="Write `sigma(epsilon, delta)`: the σ with which a Gaussian mechanism of sensitivity 1 has δ(epsilon) = delta exactly, to six digits.",
        brief=r"Find the $\sigma$ with which a Gaussian mechanism has exactly a given $\delta$ at a given $\varepsilon$.",
        goals=(3,),
        name="sigma",
        curve=Curve("epsilon"),
        stub="from scipy.stats import norm\n\n\ndef sigma(epsilon, delta):\n    ...\n",
        solution="""from math import exp, sqrt

from scipy.stats import norm


def sigma(epsilon, delta):
    low, high = 1e-3, 1e3
    for _ in range(60):
        middle = sqrt(low * high)
        mu = 1 / middle
        leaked = norm.sf(epsilon / mu - mu / 2) - exp(epsilon) * norm.sf(epsilon / mu + mu / 2)
        low, high = (middle, high) if leaked > delta else (low, middle)
    return high
""",
        explanation="δ(ε) = Pr_Q[L > ε] − e^ε Pr_P[L > ε] decreases as σ grows, so halving an interval finds the σ.",
        hints=(
            "Write δ(ε) of a Gaussian mechanism with two normal tails.",
            "Φ(−ε/μ + μ/2) − e^ε Φ(−ε/μ − μ/2), with μ = 1/σ. How does it change with σ?",
            "It decreases. Halve an interval until it is narrow, and begin with a wide one.",
        ),
        praise="Right: the analytic Gaussian mechanism. dp.calibrate does the same for any family.",
        cases=_TARGETS,
        exact=_sigma,
        draw=lambda r: (r.uniform(0.3, 4), r.uniform(1e-5, 1e-3)),
        mistakes=(
            Mistake(
                _classical,
                "This is the classical σ = √(2 log(1.25/δ))/ε. It is not exact, and for ε > 1 it is not always enough noise.",
            ),
            Mistake(
                _tail_sigma,
                "You set Pr_Q[L > ε] = δ. The second term, e^ε Pr_P[L > ε], is missing: less noise is enough.",
            ),
            Mistake(
                lambda e, d: 1 / _sigma(e, d),
                "This is μ = 1/σ.",
            ),
            Mistake(
                lambda e, d: _sigma(e, d) ** 2,
                "This is the variance. The standard deviation is asked for.",
            ),
            Mistake(
                lambda e, d: math.sqrt(2 * math.log(1.25 / d)) * e,
                "This is the classical formula, multiplied by ε where it divides. And that formula is not exact.",
            ),
            Mistake(
                lambda e, d: math.sqrt(2 * math.log(1.25 / d)),
                "This is the classical formula, without its division by ε. And that formula is not exact.",
            ),
            Mistake(
                lambda e, d: math.sqrt(2 * math.log(1 / d)) / e,
                "This is the classical formula without its 1.25, and that formula is not exact either.",
            ),
            Mistake(
                _one_tail_each,
                "The second tail, Pr_P[L > ε], has to be multiplied by e^ε.",
            ),
            Mistake(
                lambda e, d: 1 / e,
                "This is the scale of Laplace noise. Gaussian noise needs a δ, and its σ depends on it.",
            ),
        ),
        laws=(
            lambda result, *case: "A standard deviation is positive." if result[0] <= 0 else None,
            _ends_at_a_round_number,
        ),
        tolerance=1e-6,
        relative=5e-6,
    ),
    Exercise(
        id="4.6",
        grade="build",
        title="One (ε, δ), two mechanisms",
        question="Give `pairs = ((ε, δ), (ε, δ))`: the parameters of two worst mechanisms, dp.ApproximateDP(ε, δ), that have the same δ at ε = 1 but advantages "
        "that differ by at least 0.3.",
        brief=r"Find two mechanisms with the same $\delta$ at $\varepsilon = 1$ whose advantages are far apart.",
        goals=(3,),
        name="pairs",
        stub="pairs = None\n",
        solution="""# Nothing but a leak, and leaky randomized response with the same leak.
pairs = ((0, 0.1), (1, 0.1))
""",
        explanation="dp.ApproximateDP(0, δ) has δ(ε) = δ at every ε ≥ 0, the smallest possible. dp.ApproximateDP(1, "
        "δ) has the same δ at 1, and more below.",
        hints=(
            "For dp.ApproximateDP(e, d), what is δ at ε = 1 if e ≤ 1?",
            "It is d, for every e from 0 to 1. And the advantage?",
            "It grows with e: take e = 0 and e = 1, with the same d.",
        ),
        praise="Right. The same (ε, δ), yet one of the two reveals far more.",
        mistakes=(
            Mistake(
                ((0.9, 0.1), (1, 0.1)),
                f"The same (ε, δ), but the advantages differ by only {abs(ApproximateDP(0.9, 0.1).advantage - ApproximateDP(1.0, 0.1).advantage):.3g}. "
                "Which mechanism with that δ has the smallest?",
            ),
            Mistake(
                ((0, 0.1), (1, 0.2)),
                "At ε = 1 the first has δ = 0.1, the second 0.2. They should be the same.",
            ),
            Mistake(((0, 10), (1, 10)), "ε is at least 0, and δ lies between 0 and 1."),
        ),
        judge=_two,
        shape="two pairs ((ε, δ), (ε, δ))",
    ),
]
