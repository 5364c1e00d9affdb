"""Exercises of chapter 15: baselines, the bound on every attack, the best attack itself, and what the rest reveals."""

import math
from statistics import NormalDist

import numpy as np
from scipy.special import ndtr, ndtri

from ...mechanisms import RandomizedResponse
from ...risk.attacks import attack_bound
from ..judging.core import Exercise, Mistake
from ..judging.drawing import Curve
from ..judging.questions import Question, Within

_T = np.linspace(-9, 9, 4001)
_DENSITY = np.exp(-(_T**2) / 2) / math.sqrt(2 * math.pi) * (_T[1] - _T[0])

_WEIGHTS = (
    (np.array([0.5, 0.5]), np.array([[0.75, 0.25], [0.25, 0.75]])),
    (np.array([0.6, 0.3, 0.1]), np.array([[0.5, 0.3, 0.2], [0.6, 0.3, 0.1], [0.1, 0.2, 0.7]])),
    (np.array([0.25, 0.25, 0.5]), np.array([[0.7, 0.1, 0.1, 0.1], [0.2, 0.4, 0.3, 0.1], [0.3, 0.2, 0.4, 0.1]])),
)
_JOINT = (
    np.array([[0.4, 0.1], [0.1, 0.4]]),
    np.array([[0.3, 0.1, 0.05], [0.05, 0.25, 0.25]]),
    np.array([[0.2, 0.15], [0.1, 0.2], [0.05, 0.3]]),
)


def _pair_bound(baseline, epsilon, delta):
    first = delta + math.exp(epsilon) * baseline
    return min(1.0, first, 1 - math.exp(-epsilon) * (1 - delta - baseline))


def _sigma(baseline, success):
    return 1 / (NormalDist().inv_cdf(success) - NormalDist().inv_cdf(baseline))


def _right(sigma, m, others=-1):
    return float((_DENSITY * ndtr(_T + 1 / sigma) ** (m + others)).sum())


def _at_least(truth, size, least):
    return sum(math.comb(size, k) * truth**k * (1 - truth) ** (size - k) for k in range(least, size + 1))


def _arrays(weights, table):
    return np.asarray(weights, dtype=float), np.asarray(table, dtype=float)


def _attacked(weights, table, best=None):
    """The baseline, and the success of an attack: by default the best."""
    weights, table = _arrays(weights, table)
    joint = weights[:, None] * table
    return float(weights.max()), float(joint.max(0).sum() if best is None else best(weights, table, joint))


def _both(joint, axis=0):
    joint = np.asarray(joint, dtype=float)
    return float(joint.sum(1 - axis).max()), float(joint.max(axis).sum())


def _success(result, baseline, *case):
    if not baseline - 1e-9 <= result[0] <= 1 + 1e-9:
        return "A bound on the success lies between the baseline and 1: ignoring the output is also an attack."
    return None


def _probability(result, *case):
    return "A probability lies between 0 and 1; yours does not." if not -1e-9 <= result[0] <= 1 + 1e-9 else None


def _positive(result, *case):
    return "A standard deviation is positive." if result[0] <= 0 else None


def _no_worse(result, sigma, m):
    if not 1 / m - 1e-6 <= result[0] <= 1 + 1e-9:
        return "The best guess is right at least as often as a blind one, 1/m, and with probability at most 1."
    return None


def _in_order(result, *case):
    if result[1] < result[0] - 1e-9:
        return "The second number cannot be smaller than the first: what was learned in addition may be ignored."
    return None


EXERCISES = [
    Question(
        id="15.a",
        title="From a blind guess",
        question="A release has the trade-off function of Gaussian noise with μ = 1.5. A blind guess succeeds with probability κ = Φ(−2) "
        "= 0.0228. What is the largest probability with which an attack can succeed? You may use Φ(0.5) = 0.6915 and Φ(1.5) = 0.9332. Give "
        "three decimals.",
        goals=(1,),
        solution="import dptutor as dp\nfrom scipy.stats import norm\n\n"
        "answer = float(dp.attack_bound(dp.Gaussian(sigma=1 / 1.5), norm.cdf(-2)))\n",
        explanation="1 − f(κ) = Φ(Φ⁻¹(κ) + μ) = Φ(−2 + 1.5) = Φ(−0.5) = 1 − 0.6915.",
        hints=(
            "The bound is 1 − f(κ), with f(κ) = Φ(Φ⁻¹(1 − κ) − μ).",
            "Φ⁻¹(1 − κ) = 2. So f(κ) = Φ(0.5).",
            "1 − Φ(0.5).",
        ),
        praise="Right: the output may raise the success from 2% to 31%.",
        mistakes=(
            Mistake(
                0.6915, "This is f(κ), the smallest possible probability of failing. The success is at most 1 − f(κ)."
            ),
            Mistake(0.3085 - 0.0228, "This is the gain over the blind guess. The success itself was asked for."),
            Mistake(
                2 * ndtr(0.75) - 1,
                "This is the advantage, the largest gain over all baselines. Here the baseline is given.",
            ),
            Mistake(
                2 * ndtr(0.75) - 1 + 0.0228,
                "You added the advantage. At a small baseline the gain is smaller: take 1 − f(κ).",
            ),
            Mistake(ndtr(-1.25), "You halved μ. It is halved for the error at even odds, but not in f."),
            Mistake(0.0228, "This is the baseline. By how much may the output raise it?"),
            Mistake(1 - 0.9332, "This is Φ(−μ), which leaves out the baseline. Add μ to Φ⁻¹(κ) = −2, then apply Φ."),
            Mistake(0.9332, "This is Φ(μ), the bound at the baseline ½. Here Φ⁻¹(κ) = −2."),
            Mistake(float(ndtr(-3.5)), "You subtracted μ from Φ⁻¹(κ) = −2. The output helps the attack: add it."),
            Mistake(math.exp(1.5) * 0.0228, "μ is no ε: the baseline is not multiplied by e^μ. Use 1 − f(κ)."),
        ),
        laws=(Within(0, 1, "A probability lies between 0 and 1."),),
        tolerance=0.0008,
    ),
    Question(
        id="15.b",
        title="Which baseline?",
        question="An attack guesses whom a person voted for. The adversary knows the person’s age and education, and all records of the other people in the "
        "data. Which number is the baseline of the attack?",
        goals=(1,),
        options=(
            "One half, since there are two values.",
            "The success of the best guess from age, education and the other records, without the release.",
            "The share of the more common vote in the country.",
            "The success of this attack on people who are not in the data.",
        ),
        solution="import numpy as np\n\n"
        "# Two groups, told apart by what the adversary knows, with different shares of the two votes.\n"
        "share, first = np.array([0.5, 0.5]), np.array([0.9, 0.2])\n"
        "in_the_country = max(share @ first, 1 - share @ first)\n"
        "with_knowledge = share @ np.maximum(first, 1 - first)\n"
        "# Knowledge makes the blind guess better, so no smaller baseline will do.\n"
        "answer = 2 if with_knowledge > max(0.5, in_the_country) else 3\n",
        explanation="The baseline belongs to the best guess that ignores the output, and this guess may use all that the adversary knows. With a smaller baseline the "
        "release would be blamed for what was known before.",
        hints=(
            "Who makes the blind guess: somebody who knows nothing, or the adversary without the output?",
            "The adversary, with everything else that it knows.",
            "It may use age, education, and whatever the other records say about such people.",
        ),
        praise="Right: what the adversary knows anyway belongs to the baseline.",
        mistakes=(
            Mistake(
                1,
                "That is the baseline if both votes are equally likely for this person, given all that is known. Age may say more.",
            ),
            Mistake(3, "That guess ignores age and education, which the adversary knows."),
            Mistake(
                4,
                "That is how often this one attack succeeds without the target’s record. It is at most the baseline: a "
                "better blind guess may exist.",
            ),
        ),
    ),
    Exercise(
        id="15.1",
        grade="warm-up",
        title="From one pair",
        question="Nothing is known of a release but that it is (`epsilon`, `delta`)-differentially private, in both directions. Write `bound(baseline, epsilon, delta)`: the best "
        "bound on the success of an attack with this baseline.",
        brief=r"Only $(\varepsilon, \delta)$ is known. What is the best bound on the success of an attack with a given baseline?",
        goals=(5,),
        name="bound",
        curve=Curve("baseline"),
        stub="from math import exp\n\n\ndef bound(baseline, epsilon, delta):\n    ...\n",
        solution="""from math import exp


def bound(baseline, epsilon, delta):
    small = delta + exp(epsilon) * baseline                # for small baselines
    large = 1 - exp(-epsilon) * (1 - delta - baseline)     # for large ones
    return min(1, small, large)
""",
        explanation="1 − f with f(α) = max(0, 1 − δ − e^ε α, e^(−ε)(1 − δ − α)), the trade-off function of the worst (ε, δ)-DP mechanism.",
        hints=(
            "The bound is 1 − f(κ). Which f follows from (ε, δ)?",
            "f(α) is the largest of 0, 1 − δ − e^ε α and e^(−ε)(1 − δ − α).",
            "So 1 − f(κ) is the smallest of 1, δ + e^ε κ and 1 − e^(−ε)(1 − δ − κ).",
        ),
        praise="Right. For small baselines δ + e^ε κ counts, for large ones 1 − e^(−ε) (1 − δ − κ).",
        cases=((0.01, 1.0, 1e-5), (0.6, 1.0, 0.01), (0.97, 0.5, 0.1), (0.2, 2.0, 0.001), (0.4, 0.3, 0.05)),
        draw=lambda r: (r.choice([0.002, 0.01, 0.05, 0.3, 0.5, 0.8]), r.uniform(0.2, 2), r.choice([1e-5, 0.001, 0.05])),
        mistakes=(
            Mistake(
                lambda k, e, d: d + math.exp(e) * k,
                "This is one of the two lines. For large baselines it exceeds 1, and the other line is lower.",
            ),
            Mistake(
                lambda k, e, d: min(1, d + math.exp(e) * k),
                "There is a second line, 1 − e^(−ε)(1 − δ − κ), which is lower for large baselines.",
            ),
            Mistake(
                lambda k, e, d: 1 - math.exp(-e) * (1 - d - k),
                "This is the line for large baselines. For small ones δ + e^ε κ is lower, and no probability exceeds 1.",
            ),
            Mistake(
                lambda k, e, d: min(1, 1 - math.exp(-e) * (1 - d - k)),
                "This is the line for large baselines. For small ones δ + e^ε κ is lower.",
            ),
            Mistake(
                lambda k, e, d: min(d + math.exp(e) * k, 1 - math.exp(-e) * (1 - d - k)),
                "Right but for baselines above 1 − δ, where this exceeds 1.",
            ),
            Mistake(lambda k, e, d: 1 - _pair_bound(k, e, d), "This is f(κ). The success is at most 1 − f(κ)."),
            Mistake(
                lambda k, e, d: min(1, math.exp(e) * k, 1 - math.exp(-e) * (1 - k)),
                "δ is missing: δ + e^ε κ, and 1 − e^(−ε)(1 − δ − κ).",
            ),
            Mistake(
                lambda k, e, d: min(1, k + (math.exp(e) - 1 + 2 * d) / (math.exp(e) + 1)),
                "You added the largest possible advantage. At most baselines the gain is smaller.",
            ),
            Mistake(
                lambda k, e, d: _pair_bound(k, e, d) - k,
                "This is the gain over the blind guess. The success itself is asked for.",
            ),
            Mistake(
                lambda k, e, d: k * math.exp(e) / (1 - k + k * math.exp(e)),
                "This is the largest belief after an output. A success probability is a mean over all outputs: use 1 − f(κ).",
            ),
        ),
        laws=(_success,),
    ),
    Exercise(
        id="15.2",
        grade="warm-up",
        title="Noise for a risk",
        question="A sum of records of length at most 1 is published with Gaussian noise; neighbors add or remove a record. Write `sigma(baseline, success)`: the smallest standard deviation "
        "for which the bound on the success at this baseline is at most `success`.",
        brief="How much Gaussian noise keeps the success at a given baseline at the tolerated value?",
        goals=(5,),
        name="sigma",
        stub="from statistics import NormalDist\n\n\ndef sigma(baseline, success):\n    ...\n",
        solution="""from statistics import NormalDist


def sigma(baseline, success):
    quantile = NormalDist().inv_cdf
    return 1 / (quantile(success) - quantile(baseline))
""",
        explanation="1 − f(κ) = Φ(Φ⁻¹(κ) + 1/σ). Set this equal to the tolerated success and solve for σ.",
        hints=(
            "What is 1 − f(κ) for Gaussian noise with standard deviation σ and sensitivity 1?",
            "Φ(Φ⁻¹(κ) + 1/σ). Apply Φ⁻¹ to both sides.",
            "1/σ = Φ⁻¹(success) − Φ⁻¹(κ).",
        ),
        praise="Right: on the scale of normal quantiles, a Gaussian release adds 1/σ to every baseline.",
        cases=((0.01, 0.1), (0.002, 0.05), (0.5, 0.6), (0.8, 0.9), (0.1, 0.7)),
        draw=lambda r: (lambda k: (k, k + (1 - k) * r.uniform(0.1, 0.7)))(r.choice([0.002, 0.01, 0.1, 0.3, 0.6])),
        mistakes=(
            Mistake(
                lambda k, s: -_sigma(k, s),
                "The sign is reversed: the tolerated success has the larger quantile.",
            ),
            Mistake(lambda k, s: 1 / _sigma(k, s), "This is μ = 1/σ. The standard deviation is its reciprocal."),
            Mistake(
                lambda k, s: 1 / (s - k),
                "You subtract the probabilities. The noise shifts their normal quantiles: use Φ⁻¹.",
            ),
            Mistake(
                lambda k, s: 1 / (2 * NormalDist().inv_cdf((1 + s - k) / 2)),
                "This makes the largest gain over all baselines as small as s − κ. At this baseline less noise is enough.",
            ),
            Mistake(
                lambda k, s: 2 * _sigma(k, s),
                "Twice too large: that is for records that are replaced, with sensitivity 2. Here one is added or removed.",
            ),
            Mistake(
                lambda k, s: _sigma(k, s) / 2,
                "Half of what is needed. The bound compares with the output without the record, at distance 1.",
            ),
            Mistake(
                lambda k, s: 1 / math.log(s / k),
                "This is the scale of Laplace noise for a factor of s/κ. Solve Φ(Φ⁻¹(κ) + 1/σ) = s for Gaussian noise.",
            ),
            Mistake(
                lambda k, s: 1 / abs(NormalDist().inv_cdf(1 - s) - NormalDist().inv_cdf(k)),
                "You took the quantile of 1 − s. The bound 1 − f(κ) is the success itself.",
            ),
            Mistake(
                lambda k, s: _sigma(k, s) ** 2,
                "This is the variance. Take the standard deviation.",
            ),
        ),
        laws=(_positive,),
    ),
    Exercise(
        id="15.3",
        grade="think",
        title="Which of so many?",
        question="A table has `m` cells, all known to be 0 except for one, drawn with equal probabilities, which is 1. Each cell is published with independent Gaussian noise of standard deviation "
        "`sigma`. Write `right(sigma, m)`: how often the best guess of the cell is right. Five decimals are enough.",
        brief="A table has one extra record, in one of $m$ cells. How often is the best guess of the cell right?",
        goals=(3,),
        name="right",
        stub="import numpy as np\nfrom scipy.stats import norm\n\n\ndef right(sigma, m):\n    ...\n",
        solution="""import numpy as np
from scipy.stats import norm


def right(sigma, m):
    t = np.linspace(-9, 9, 4001)                        # noise of the right cell, in units of sigma
    wins = norm.cdf(t + 1 / sigma) ** (m - 1)           # all others are lower
    return np.sum(norm.pdf(t) * wins) * (t[1] - t[0])
""",
        explanation="The best guess is the cell with the largest number. Given the noise σt in the right cell, each other cell is lower than 1 + σt with probability Φ(t + 1/σ), independently.",
        hints=(
            "All cells are equally likely beforehand. Which cell does the best guess name?",
            "The largest. Fix the noise σt in the right cell: with what probability is one other cell lower, and all of them?",
            "Integrate Φ(t + 1/σ)^(m − 1) against the normal density of t.",
        ),
        praise="Right. The bound 1 − f(1/m) is larger: it holds for every way in which m records can be placed, and for more than two no way attains it.",
        cases=((1.0, 2), (0.5, 100), (0.3, 1000), (2.0, 10)),
        draw=lambda r: (round(r.uniform(0.3, 2), 2), r.choice([3, 5, 20, 50, 200])),
        mistakes=(
            Mistake(
                lambda s, m: float(ndtr(ndtri(1 / m) + 1 / s)),
                "This is the bound 1 − f(1/m), which no attack exceeds. Here the records are known: compute what the best guess attains.",
            ),
            Mistake(
                lambda s, m: _right(s, m, 0),
                "The right cell need not beat itself: there are m − 1 others.",
            ),
            Mistake(
                lambda s, m: float(ndtr(1 / (math.sqrt(2) * s)) ** (m - 1)),
                "You multiply the probabilities of beating each other cell. These events are not independent: the right cell has the same noise in all.",
            ),
            Mistake(
                lambda s, m: float(ndtr(1 / s) ** (m - 1)),
                "You left out the noise in the right cell.",
            ),
            Mistake(
                lambda s, m: float(ndtr(1 / (2 * s)) ** m),
                "This asks for each cell to be on the right side of ½. It is enough that the right one is the largest.",
            ),
            Mistake(lambda s, m: 1 - _right(s, m), "This is how often the guess is wrong."),
            Mistake(
                lambda s, m: float((_DENSITY * ndtr(_T + 1 / s**2) ** (m - 1)).sum()),
                "In units of the noise, the right cell is 1/σ higher, not 1/σ².",
            ),
            Mistake(
                lambda s, m: float((_DENSITY * ndtr(_T + s) ** (m - 1)).sum()),
                "In units of the noise, the right cell is 1/σ higher. More noise must make the guess worse.",
            ),
            Mistake(
                lambda s, m: float(ndtr(1 / (math.sqrt(2) * s))),
                "This is how often the right cell beats one other. It has to beat all of them.",
            ),
            Mistake(lambda s, m: 1 / m, "This is the blind guess. How much does the table help?"),
        ),
        laws=(_no_worse,),
        tolerance=1e-5,
    ),
    Exercise(
        id="15.4",
        grade="think",
        title="A household",
        question="`size` people, an odd number, all vote alike, one way or the other with even odds. Each answers truthfully with probability `truth` > ½, independently. Write "
        "`household(truth, size)`: how often the best guess of their vote from all answers is right.",
        brief="People who all vote alike answer by randomized response. How often does the majority of their answers give their vote away?",
        goals=(4,),
        name="household",
        stub="from math import comb\n\n\ndef household(truth, size):\n    ...\n",
        solution="""from math import comb


def household(truth, size):
    least = size // 2 + 1
    return sum(comb(size, k) * truth**k * (1 - truth) ** (size - k) for k in range(least, size + 1))
""",
        explanation="The best guess is the vote of the majority of the answers. It is right if more than half of the answers are truthful, and their number is binomial.",
        hints=(
            "Both votes are equally likely. Which one does the best guess name, given the answers?",
            "The one that most answers name. When is it right?",
            "If at least (size + 1)/2 answers are truthful. Add up the binomial probabilities.",
        ),
        praise="Right. It is more than one answer alone allows, and exactly what the bound for the group allows if P is a fair coin for each of its people.",
        cases=((0.75, 3), (0.6, 5), (0.9, 7), (0.55, 21)),
        draw=lambda r: (round(r.uniform(0.55, 0.9), 2), r.choice([3, 5, 7, 9])),
        mistakes=(
            Mistake(
                lambda p, n: p,
                "This is what one answer allows. All answers are about the same vote: take the majority.",
            ),
            Mistake(
                lambda p, n: p**n,
                "This is how often all answers are true. The guess is right as soon as most of them are.",
            ),
            Mistake(
                lambda p, n: 1 - (1 - p) ** n,
                "This is how often some answer is true. The adversary does not know which.",
            ),
            Mistake(
                lambda p, n: math.comb(n, n // 2 + 1) * p ** (n // 2 + 1) * (1 - p) ** (n // 2),
                "This is one case, a majority by one. Add those with a larger majority.",
            ),
            Mistake(
                lambda p, n: _at_least(p, n, n // 2 + 2),
                "A majority by one is a majority: start at (size + 1)/2.",
            ),
            Mistake(
                lambda p, n: _at_least(p, n, n // 2),
                "You count answers that fall one short of a majority. Start at (size + 1)/2.",
            ),
            Mistake(lambda p, n: 1 - _at_least(p, n, n // 2 + 1), "This is how often the majority is wrong."),
            Mistake(
                lambda p, n: sum(p**k * (1 - p) ** (n - k) for k in range(n // 2 + 1, n + 1)),
                "The binomial coefficients are missing: k true answers can be given by different people.",
            ),
            Mistake(
                lambda p, n: p**n / (p**n + (1 - p) ** n),
                "This is the belief after all answers agree. How often is the guess right over all answers?",
            ),
            Mistake(
                lambda p, n: attack_bound(RandomizedResponse(math.log(p / (1 - p))) ** n, 0.5),
                "This tests one vote against the other with a type I error of ½. The prior is even, and both errors count.",
                within=1e-9,
            ),
            Mistake(
                lambda p, n: float(ndtr((p - 0.5) * math.sqrt(n / (p * (1 - p))))),
                "This is a normal approximation. The number of true answers is binomial: add up its probabilities.",
            ),
        ),
        laws=(_probability,),
    ),
    Exercise(
        id="15.5",
        grade="build",
        title="Baseline and best attack",
        question="The target’s record is z with probability `weights[z]`, and the output is then y with probability `table[z, y]`. Success means that the record is named exactly. Write "
        "`attack(weights, table)`: the two numbers (baseline, success of the best attack).",
        brief="From the weights of records and a table of output probabilities, compute the baseline and the success of the best attack.",
        goals=(3,),
        name="attack",
        stub="import numpy as np\n\n\ndef attack(weights, table):\n    ...\n",
        solution="""import numpy as np


def attack(weights, table):
    joint = np.array(weights)[:, None] * np.array(table)      # of record and output
    return np.max(weights), joint.max(axis=0).sum()
""",
        explanation="Without the output, name the most likely record. After the output y, name the record with the largest weights[z]·table[z, y]; add these up over the outputs.",
        hints=(
            "The baseline is the best guess without the output: which record does it name?",
            "After an output y, the record z and the output have the joint probability weights[z]·table[z, y]. Which z should be named?",
            "The one with the largest joint probability. The success is the sum over y of these largest numbers.",
        ),
        praise="Right: the success is a sum over outputs of the largest joint probability. It depends on the prior weights, as the baseline does.",
        cases=_WEIGHTS,
        mistakes=(
            Mistake(
                lambda w, q: _attacked(w, q)[::-1],
                "The two numbers are exchanged: first the baseline.",
            ),
            Mistake(
                lambda w, q: _attacked(w, q, lambda w, q, j: w @ q.max(1)),
                "You take the largest entry for every record, as if the record were known. For every output, take the record that fits best.",
            ),
            Mistake(
                lambda w, q: _attacked(w, q, lambda w, q, j: j[q.argmax(0), np.arange(q.shape[1])].sum()),
                "You name the record under which the output is most likely. The weights count, too: take the largest product.",
            ),
            Mistake(
                lambda w, q: _attacked(w, q, lambda w, q, j: q.max(0).sum() / len(w)),
                "You give all records the same weight. Multiply by `weights` first.",
            ),
            Mistake(
                lambda w, q: _attacked(w, q, lambda w, q, j: (j**2 / j.sum(0)).sum()),
                "This attack draws its guess from its beliefs. Always naming the most probable record is better.",
            ),
            Mistake(
                lambda w, q: _attacked(w, q, lambda w, q, j: (j / j.sum(0)).max(0).mean()),
                "You average the beliefs over the outputs as if all outputs were equally likely.",
            ),
            Mistake(
                lambda w, q: _attacked(w, q, lambda w, q, j: (j / j.sum(0)).max()),
                "This is the largest belief after any output. The success is a mean over the outputs.",
            ),
            Mistake(
                lambda w, q: (1 / len(w), _attacked(w, q)[1]),
                "The success is right. The baseline is the largest weight, not 1/len(weights).",
            ),
            Mistake(
                lambda w, q: _attacked(w, q, lambda w, q, j: j.max()),
                "This is the most probable pair of record and output. Add up the best guess over all outputs.",
            ),
            Mistake(
                lambda w, q: _attacked(w, q, lambda w, q, j: 1 - j.max(0).sum()),
                "The baseline is right; your second number is how often the best attack fails.",
            ),
            Mistake(
                lambda w, q: _attacked(w, q, lambda w, q, j: np.trace(j)),
                "You name the record with the number of the output. Another one may be more probable: after the output "
                "y, take the z with the largest weights[z]·table[z, y].",
            ),
            Mistake(
                lambda w, q: _attacked(w, q, lambda w, q, j: q.max(0).sum()),
                "You left out the weights. Multiply each row by its weight before you look for the largest.",
            ),
        ),
        laws=(_in_order,),
        shape="two numbers (baseline, success)",
    ),
    Exercise(
        id="15.6",
        grade="build",
        title="What the rest knows",
        question="`joint[z, d]` is the probability that the target’s record is z and the rest of the data is d. Success means that z is named. Write `baselines(joint)`: the two "
        "numbers (κ, κ̄), the success of the best guess without the output, first of somebody who knows nothing else, then of somebody who knows the rest.",
        brief="From the joint distribution of the target's record and the rest, compute both baselines, without the rest and with it.",
        goals=(4,),
        name="baselines",
        stub="import numpy as np\n\n\ndef baselines(joint):\n    ...\n",
        solution="""import numpy as np


def baselines(joint):
    joint = np.array(joint)
    return joint.sum(axis=1).max(), joint.max(axis=0).sum()
""",
        explanation="Without the rest, name the most probable z: the largest row sum. With the rest d, name the z with the largest joint[z, d], and add up over d.",
        hints=(
            "Without the rest, only the probabilities of z count. How do you get them from the table?",
            "They are the sums over d. With the rest d known, which z is named?",
            "The one with the largest joint[z, d]. Add these largest numbers up over d.",
        ),
        praise="Right. If the two differ, records are dependent, and the bound holds at the second.",
        cases=tuple((joint,) for joint in _JOINT),
        mistakes=(
            Mistake(lambda j: _both(j)[::-1], "The two numbers are exchanged: first κ, without the rest."),
            Mistake(lambda j: _both(j, 1), "You guess the rest, not the record: the rows are the records."),
            Mistake(
                lambda j: (_both(j)[0], _both(j, 1)[1]),
                "κ is right. For κ̄ take the best record for each rest: the largest number of each column.",
            ),
            Mistake(
                lambda j: (_both(j, 1)[0], _both(j)[1]),
                "κ̄ is right. For κ add up over the rest, and take the largest record.",
            ),
            Mistake(
                lambda j: (_both(j)[0], float((j / j.sum(0)).max(0).mean())),
                "κ is right. For κ̄ you average over the rests as if all were equally likely.",
            ),
            Mistake(
                lambda j: (_both(j)[0], float((j / j.sum(0)).max())),
                "κ is right. Your κ̄ is the success for the most revealing rest. Take the mean over all.",
            ),
            Mistake(
                lambda j: (float(np.max(j)), _both(j)[1]),
                "κ̄ is right. For κ you took the largest entry: add up over the rest first.",
            ),
            Mistake(
                lambda j: (1 / len(j), _both(j)[1]),
                "κ̄ is right. The records are not equally likely: κ is the largest row sum.",
            ),
            Mistake(
                lambda j: (_both(j)[0], float((j**2 / j.sum(0)).sum())),
                "κ is right. For κ̄ always name the most probable record, instead of drawing one.",
            ),
            Mistake(
                lambda j: (_both(j)[0],) * 2,
                "κ is right. Somebody who knows the rest may guess differently for each rest.",
            ),
        ),
        laws=(_in_order,),
        shape="two numbers (κ, κ̄)",
    ),
]
