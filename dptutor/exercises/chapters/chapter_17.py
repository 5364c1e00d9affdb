"""Exercises of chapter 17: the power of a study with noise, what the noise costs in people, and honest intervals."""

import math

from scipy.special import ndtr, ndtri

from ..judging.core import Exercise, Mistake
from ..judging.drawing import Curve
from ..judging.questions import Question, Within


def _mu(n, d, v, sigma):
    return n * d / math.sqrt(n * v + sigma**2)


def _power(mu, level):
    return float(ndtr(ndtri(level) + mu))


def _needed(level, power):
    return float(ndtri(1 - level) + ndtri(power))


def _noise(n, d, v, m):
    return math.sqrt(max(0.0, n**2 * d**2 / m**2 - n * v))


def _interval(noisy, n, sigma, confidence, *, noise=1.0, tail=2.0, chance=1.0, root=True):
    share = noisy / n
    variance = chance * share * (1 - share) / n + noise * sigma**2 / n**2
    z = ndtri(1 - (1 - confidence) / tail)
    half = float(z * (math.sqrt(variance) if root else variance))
    return share - half, share + half


def _people(d, v, sigma, m):
    return (m**2 * v + math.sqrt(m**4 * v**2 + 4 * m**2 * d**2 * sigma**2)) / (2 * d**2)


EXERCISES = [
    Question(
        id="17.a",
        title="The price of a noise",
        question="A question has two answers, and about one person in five says yes. Its count is published with Gaussian noise, σ = 4. At most how many "
        "people does the noise cost a study, however large it is?",
        goals=(2,),
        solution="answer = 4**2 / (0.2 * 0.8)\n",
        explanation="The variance of one answer is 0.2 · 0.8 = 0.16, and the price is σ²/v = 16/0.16 = 100 people.",
        hints=(
            "Which variance does one answer have?",
            "p(1 − p) = 0.16. The price is bounded by a quotient of two variances.",
            "Divide σ² = 16 by 0.16.",
        ),
        praise="Right. The rarer the yes, the more people the same noise costs.",
        mistakes=(
            Mistake(64, "This is for v = ¼, the variance of an answer that is yes for half of the people."),
            Mistake(16, "This is σ². Divide by the variance of one answer."),
            Mistake(2.56, "You multiplied by the variance of an answer. Divide by it."),
            Mistake(80, "You divided by 0.2. The variance of one answer is 0.2 · 0.8."),
            Mistake(25, "You divided 4 by 0.16. It is the variance of the noise, σ², that counts."),
            Mistake(
                40, "You divided by the standard deviation of an answer, 0.4. Variances add up, so divide by 0.16."
            ),
            Mistake(10, "You divided two standard deviations. The price is a quotient of variances."),
            Mistake(20, "You divided by 0.8, the share of no. The variance of one answer is 0.2 · 0.8."),
        ),
        laws=(Within(0, math.inf, "A number of people is not negative."),),
        tolerance=0.5,
    ),
    Question(
        id="17.b",
        title="Which is true?",
        question="A study doubles its number of people and keeps the noise in its count. Which statement is true?",
        goals=(1,),
        options=(
            "Every person is better protected against an adversary who knows all others.",
            "The power of the study’s test grows, and the adversary’s trade-off function stays as it is.",
            "The number of people that the noise costs doubles.",
            "A 95% interval that ignores the noise becomes worse.",
        ),
        solution="answer = 2\n",
        explanation="The adversary who knows all others sees one person and the noise. The study’s μ grows with n, the people lost stay below σ²/v, and the "
        "noise becomes a smaller part of the variance.",
        hints=(
            "What does the adversary’s test depend on?",
            "On σ alone. And the study’s?",
            "On n d/√(n v + σ²), which grows with n.",
        ),
        praise="Right: this is why larger studies can afford stronger promises.",
        mistakes=(
            Mistake(1, "This adversary subtracts the others’ answers, however many there are."),
            Mistake(3, "It grows, but it does not double, and it stays below σ²/v."),
            Mistake(4, "It becomes better: the noise is a smaller part of the variance n v + σ²."),
        ),
    ),
    Exercise(
        id="17.1",
        grade="warm-up",
        title="The power of a study",
        question="A study counts how many of `n` people answer yes; one answer has variance `v`, and the effect would change the mean of an answer by `d` > 0. The count "
        "is published with Gaussian noise of standard deviation `sigma`. Write `power(n, d, v, sigma, level)`: the power of the best one-sided test at "
        "this level, by the normal approximation.",
        brief="Compute the power of a study whose count is published with noise.",
        goals=(1,),
        name="power",
        curve=Curve("sigma"),
        stub="from math import sqrt\n\nfrom scipy.stats import norm\n\n\ndef power(n, d, v, sigma, level):\n    ...\n",
        solution="""from math import sqrt

from scipy.stats import norm


def power(n, d, v, sigma, level):
    mu = n * d / sqrt(n * v + sigma**2)
    return norm.cdf(norm.ppf(level) + mu)
""",
        explanation="The count changes by n d and has the variance n v + σ², so the two hypotheses are μ standard deviations apart.",
        hints=(
            "By how much does the effect change the count, and which variance does the published count have?",
            "By n d; the variance is n v + σ².",
            "With μ = n d/√(n v + σ²) the power is Φ(Φ⁻¹(level) + μ).",
        ),
        praise="Right. Compare sigma = 0, the study without noise.",
        cases=(
            (200, 0.1, 0.25, 4.0, 0.05),
            (60, 0.1, 0.25, 5.0, 0.05),
            (500, 0.05, 0.16, 8.0, 0.01),
            (200, 0.1, 0.25, 0.0, 0.05),
        ),
        draw=lambda r: (
            r.choice([80, 150, 300]),
            r.choice([0.05, 0.08, 0.1]),
            r.choice([0.16, 0.25]),
            round(r.uniform(1, 9), 1),
            r.choice([0.05, 0.01]),
        ),
        mistakes=(
            Mistake(
                lambda n, d, v, s, a: _power(_mu(n, d, v, 0.0), a),
                "You leave out the noise: the published count has the variance n v + σ².",
            ),
            Mistake(
                lambda n, d, v, s, a: 1 - _power(_mu(n, d, v, s), a),
                "This is the probability of missing the effect. The power is 1 minus it.",
            ),
            Mistake(
                lambda n, d, v, s, a: float(ndtr(ndtri(a / 2) + _mu(n, d, v, s))),
                "You halve the level, as for a two-sided test. This test is one-sided.",
            ),
            Mistake(
                lambda n, d, v, s, a: _power(n * d / (math.sqrt(n * v) + s), a),
                "You add standard deviations. Variances add up: √(n v + σ²).",
            ),
            Mistake(
                lambda n, d, v, s, a: _power(d / math.sqrt(v / n + s**2), a),
                "You treat σ as the noise of the share. It is that of the count: σ/n for the share.",
            ),
            Mistake(
                lambda n, d, v, s, a: _power(n * d / math.sqrt(n * n * v + s**2), a),
                "The variance of a count of n independent answers is n v, not n² v.",
            ),
            Mistake(
                lambda n, d, v, s, a: _power(_mu(n, d, v, s) / n, a),
                "The effect changes the mean of one answer by d. By how much does it change the count of n answers?",
            ),
            Mistake(
                lambda n, d, v, s, a: float(ndtr(_mu(n, d, v, s))),
                "Where is the level? The test rejects beyond Φ⁻¹(1 − level).",
            ),
        ),
        laws=(
            lambda result, *case: "A power is a probability." if not 0 <= result[0] <= 1 else None,
            lambda result, n, d, v, s, a: (
                "A best test is never worse than a blind one, whose power is the level."
                if result[0] < a - 1e-9
                else None
            ),
        ),
        tolerance=1e-6,
    ),
    Exercise(
        id="17.2",
        grade="think",
        title="As many people left out",
        question="A study of `n` people, with variance `v` of one answer, publishes its count with noise `sigma`. Write `people_lost(n, v, sigma)`: the number of "
        "people, not rounded, that a study without noise could leave out and be just as good.",
        brief="How many people does the noise cost a study?",
        goals=(2,),
        name="people_lost",
        curve=Curve("sigma"),
        stub="def people_lost(n, v, sigma):\n    ...\n",
        solution="""def people_lost(n, v, sigma):
    return n * sigma**2 / (n * v + sigma**2)
""",
        explanation="A study of m people without noise has μ = d√(m/v), and this equals n d/√(n v + σ²) for m = n² v/(n v + σ²).",
        hints=(
            "Which μ does a study of m people without noise have?",
            "d √(m/v). For which m is this n d/√(n v + σ²)?",
            "m = n² v/(n v + σ²). The people lost are n − m.",
        ),
        praise="Right: it is less than σ²/v for every n, and less than n for every σ.",
        cases=((200, 0.25, 4.0), (48, 0.25, 4.0), (1200, 0.25, 4.0), (100, 0.09, 2.0)),
        draw=lambda r: (r.choice([50, 120, 400]), r.choice([0.09, 0.16, 0.25]), round(r.uniform(0.5, 9), 1)),
        mistakes=(
            Mistake(
                lambda n, v, s: s**2 / v,
                "This is the largest price, for a study without end. A study of n people loses less.",
            ),
            Mistake(
                lambda n, v, s: n**2 * v / (n * v + s**2),
                "This is the size of the equally good study. Asked for is how many people it leaves out.",
            ),
            Mistake(
                lambda n, v, s: n * (1 - math.sqrt(n * v / (n * v + s**2))),
                "μ is proportional to the square root of the number of people: square the quotient.",
            ),
            Mistake(
                lambda n, v, s: s**2 / (n * v + s**2),
                "This is the share of people that is lost. Multiply by n.",
            ),
            Mistake(
                lambda n, v, s: n * s / (n * v + s),
                "The variance of the noise is σ².",
            ),
        ),
        laws=(
            lambda result, n, v, s: "No more people can be left out than there are." if result[0] > n + 1e-9 else None,
            lambda result, n, v, s: "Noise does not add people." if result[0] < -1e-9 else None,
        ),
        tolerance=1e-6,
        relative=1e-6,
    ),
    Exercise(
        id="17.3",
        grade="think",
        title="The largest noise",
        question="A study of `n` people looks for an effect `d` with variance `v` of one answer, at a one-sided level `level`, and needs the power `power`. Write "
        "`largest_noise(n, d, v, level, power)`: the largest standard deviation of the noise in its count, or 0 if the study is too small even without noise.",
        brief="How much noise leaves a study the power that it needs?",
        goals=(3,),
        name="largest_noise",
        curve=Curve("n"),
        stub="from math import sqrt\n\nfrom scipy.stats import norm\n\n\ndef largest_noise(n, d, v, level, power):\n    ...\n",
        solution="""from math import sqrt

from scipy.stats import norm


def largest_noise(n, d, v, level, power):
    needed = norm.ppf(1 - level) + norm.ppf(power)
    return sqrt(max(0, n**2 * d**2 / needed**2 - n * v))
""",
        explanation="The power is reached if n d/√(n v + σ²) ≥ μ*. Solve for σ; if the number under the root is negative, no σ will do.",
        hints=(
            "Which μ does the study need?",
            "μ* = Φ⁻¹(1 − level) + Φ⁻¹(power).",
            "Solve n d/√(n v + σ²) = μ* for σ, and mind a negative number under the root.",
        ),
        praise="Right. The data protection officer turns this number into an ε.",
        cases=(
            (200, 0.1, 0.25, 0.05, 0.8),
            (1000, 0.1, 0.25, 0.05, 0.8),
            (150, 0.1, 0.25, 0.05, 0.8),
            (400, 0.08, 0.16, 0.01, 0.9),
        ),
        mistakes=(
            Mistake(
                lambda n, d, v, a, p: max(0.0, n**2 * d**2 / _needed(a, p) ** 2 - n * v),
                "This is the variance of the noise. Take the root.",
            ),
            Mistake(
                lambda n, d, v, a, p: n * d / _needed(a, p),
                "This is the standard deviation that the published count may have. A part of it is chance: subtract n v from its square.",
            ),
            Mistake(
                lambda n, d, v, a, p: _noise(n, d, v, _needed(a / 2, p)),
                "You halve the level, as for a two-sided test. This one is one-sided.",
            ),
            Mistake(
                lambda n, d, v, a, p: _noise(n, d, v, float(ndtri(1 - a))),
                "With this noise the power is only one half: Φ⁻¹(power) is missing from μ*.",
            ),
            Mistake(
                lambda n, d, v, a, p: _noise(n, d, v, float(ndtri(1 - a) - ndtri(p))),
                "The two quantiles add up: the mean has to lie beyond the threshold by Φ⁻¹(power).",
            ),
            Mistake(
                lambda n, d, v, a, p: _noise(n, d, v, _needed(a, p)) / n,
                "This is the noise of the share. Asked for is that of the count.",
            ),
            Mistake(
                lambda n, d, v, a, p: math.sqrt(max(0.0, n**2 * d**2 / _needed(a, p) ** 2 - v)),
                "The chance of who was asked has the variance v for one answer, and n v for the count.",
            ),
            Mistake(
                lambda n, d, v, a, p: math.sqrt(abs(n**2 * d**2 / _needed(a, p) ** 2 - n * v)),
                "Right for studies that are large enough. If the number under the root is negative, no noise is small enough: return 0.",
            ),
        ),
        laws=(lambda result, *case: "A standard deviation is not negative." if result[0] < 0 else None,),
        tolerance=1e-6,
        relative=1e-6,
    ),
    Exercise(
        id="17.4",
        grade="build",
        title="An honest interval",
        question="The number of people who answered yes, out of `n`, was published with Gaussian noise `sigma`: it is `noisy`, between 0 and `n`. Write "
        "`interval(noisy, n, sigma, confidence)`: lower and upper end of the two-sided interval of this chapter for the share, noise included, with "
        "p(1 − p) estimated from the published count. (Do not cut it at 0 or 1.)",
        brief="From a noisy count, compute a confidence interval for the share that includes the noise.",
        goals=(4,),
        name="interval",
        stub="from math import sqrt\n\nfrom scipy.stats import norm\n\n\ndef interval(noisy, n, sigma, confidence):\n    ...\n",
        solution="""from math import sqrt

from scipy.stats import norm


def interval(noisy, n, sigma, confidence):
    share = noisy / n
    z = norm.ppf(1 - (1 - confidence) / 2)
    half = z * sqrt(share * (1 - share) / n + sigma**2 / n**2)
    return share - half, share + half
""",
        explanation="The published share has the variance p(1 − p)/n + σ²/n². Everything in the interval comes from published numbers, so it costs no privacy.",
        hints=(
            "Which variance does noisy/n have?",
            "p(1 − p)/n from chance, and σ²/n² from the noise.",
            "Half of the length is z times the root of the sum, with z = Φ⁻¹(1 − (1 − confidence)/2).",
        ),
        praise="Right. Try n = 13 with sigma = 4, and compare sigma = 0.",
        cases=((110.3, 200, 4.0, 0.95), (6.2, 13, 4.0, 0.95), (250.0, 1000, 8.0, 0.99), (30.5, 60, 0.0, 0.9)),
        mistakes=(
            Mistake(
                lambda y, n, s, c: _interval(y, n, s, c, noise=0.0),
                "You leave out the noise: the share has the further variance σ²/n².",
            ),
            Mistake(
                lambda y, n, s, c: _interval(y, n, s, c, tail=1.0),
                "You take z for a one-sided interval. Both ends share the rest: 1 − (1 − confidence)/2.",
            ),
            Mistake(
                lambda y, n, s, c: _interval(y, n, s, c, noise=n),
                "The noise of the share is σ/n, so its variance is σ²/n², not σ²/n.",
            ),
            Mistake(
                lambda y, n, s, c: _interval(y, n, s, c, noise=n * n),
                "σ is the noise of the count. In the share it is σ/n.",
            ),
            Mistake(
                lambda y, n, s, c: _interval(y, n, s, c, chance=0.0),
                "You leave out the chance of who was asked: p(1 − p)/n.",
            ),
            Mistake(
                lambda y, n, s, c: _interval(y, n, s, c, chance=0.25 / (y / n * (1 - y / n))),
                "You take p(1 − p) to be ¼, the largest that it can be. Estimate it from the published count.",
            ),
            Mistake(
                lambda y, n, s, c: tuple(
                    y / n + end * float(ndtri((1 + c) / 2)) * (math.sqrt(y / n * (1 - y / n) / n) + s / n)
                    for end in (-1, 1)
                ),
                "You add standard deviations. Variances add up.",
            ),
            Mistake(
                lambda y, n, s, c: _interval(y, n, s, c, root=False),
                "This is a multiple of the variance. Take its root.",
            ),
            Mistake(
                lambda y, n, s, c: tuple(n * x for x in _interval(y, n, s, c)),
                "This is an interval for the count. Asked for is the share.",
            ),
            Mistake(
                lambda y, n, s, c: _interval(y, n, s, c)[::-1],
                "The two ends are exchanged: the lower one first.",
            ),
        ),
        shape="two numbers",
        tolerance=1e-6,
    ),
    Exercise(
        id="17.5",
        grade="build",
        title="How many people",
        question="Write `people_needed(d, v, sigma, level, power)`: the number of people, not rounded, with which a study with noise `sigma` in its count has the "
        "power `power` at the one-sided level `level`, for an effect `d` and variance `v` of one answer.",
        brief="How many people does a study with noise need?",
        goals=(2,),
        name="people_needed",
        curve=Curve("sigma"),
        stub="from math import sqrt\n\nfrom scipy.stats import norm\n\n\ndef people_needed(d, v, sigma, level, power):\n    ...\n",
        solution="""from math import sqrt

from scipy.stats import norm


def people_needed(d, v, sigma, level, power):
    needed = norm.ppf(1 - level) + norm.ppf(power)
    q = (d / needed) ** 2
    return (v + sqrt(v**2 + 4 * q * sigma**2)) / (2 * q)
""",
        explanation="q n² = n v + σ², with q = (d/μ*)², is a quadratic equation for n, and its positive solution is the number of people.",
        hints=(
            "Which equation does n solve, if the power is just reached?",
            "n d = μ* √(n v + σ²). Divide by μ* and square.",
            "q n² − v n − σ² = 0 with q = (d/μ*)²: take the positive solution.",
        ),
        praise="Right. The difference to σ = 0 is what the promise costs in people, always less than σ²/v.",
        cases=(
            (0.1, 0.25, 8.0, 0.05, 0.8),
            (0.1, 0.25, 0.0, 0.05, 0.8),
            (0.05, 0.16, 20.0, 0.01, 0.9),
            (0.2, 0.25, 3.0, 0.05, 0.95),
        ),
        mistakes=(
            Mistake(
                lambda d, v, s, a, p: _needed(a, p) ** 2 * v / d**2,
                "This is the number without noise.",
            ),
            Mistake(
                lambda d, v, s, a, p: _needed(a, p) ** 2 * v / d**2 + s**2 / v,
                "You add the largest price, σ²/v. The study needs fewer people than that: solve the quadratic equation.",
            ),
            Mistake(
                lambda d, v, s, a, p: _needed(a, p) ** 2 * (v + s**2) / d**2,
                "You add the noise to each answer. It is added once, to the count.",
            ),
            Mistake(
                lambda d, v, s, a, p: _people(d, v, s, _needed(a / 2, p)),
                "You halve the level, as for a two-sided test. This one is one-sided.",
            ),
            Mistake(
                lambda d, v, s, a, p: _people(d, v, s, float(ndtri(1 - a))),
                "With so many people the power is only one half: Φ⁻¹(power) is missing from μ*.",
            ),
            Mistake(
                lambda d, v, s, a, p: _people(d, v, s, _needed(a, p)) * d,
                "Divide by 2 d², not by 2 d.",
            ),
            Mistake(
                lambda d, v, s, a, p: _people(math.sqrt(d / _needed(a, p)), v, s, 1.0),
                "You took q = d/μ*. Its square goes with n²: q = (d/μ*)².",
            ),
            Mistake(
                lambda d, v, s, a, p: _needed(a, p) * s / d,
                "You leave out the chance of who was asked: the published count has the variance n v + σ², not σ².",
            ),
        ),
        laws=(lambda result, *case: "A number of people is positive." if result[0] <= 0 else None,),
        tolerance=1e-5,
        relative=1e-6,
    ),
]
