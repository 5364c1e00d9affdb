"""Exercises of chapter 19: what published parameters say about one unit, and about somebody who is many."""

import math

import numpy as np
from scipy.special import gammaln, ndtr, ndtri

from ..judging.core import Exercise, Mistake
from ..judging.drawing import Curve
from ..judging.questions import Question, Within


def _advantage(mu):
    return float(2 * ndtr(mu / 2) - 1)


def _days(rho, advantage):
    return 2 * float(ndtri((1 + advantage) / 2)) ** 2 / rho


def _rho(epsilon, delta):
    far = math.log(1 / delta)
    return (math.sqrt(max(epsilon, 0.0) + far) - math.sqrt(far)) ** 2


def _many(epsilon, k):
    j = np.arange(k + 1)
    q = 1 / (1 + math.exp(-epsilon))
    counts = gammaln(k + 1) - gammaln(j + 1) - gammaln(k - j + 1)
    one = np.exp(counts + j * math.log(q) + (k - j) * math.log1p(-q))
    return float(np.maximum(one - one[::-1], 0).sum())


EXERCISES = [
    Question(
        id="19.a",
        title="Twenty-five days",
        question="A release protects one day of a person by Gaussian noise with ρ = 0.02, with fresh noise every day. What is μ for somebody whose data "
        "are in 25 days?",
        goals=(2,),
        solution="answer = (2 * 0.02 * 25) ** 0.5\n",
        explanation="25 days have ρ = 0.5, and μ = √(2ρ) = 1.",
        hints=(
            "What is ρ of 25 days?",
            "The ρ add up: 25 · 0.02 = 0.5. How are μ and ρ related?",
            "ρ = μ²/2, so μ = √(2 · 0.5).",
        ),
        praise="Right: a day has μ = 0.2, and 25 days have five times as much.",
        mistakes=(
            Mistake(0.2, "This is μ of a single day."),
            Mistake(5, "You multiplied μ by 25, as for a group in one release. With fresh noise it is √25."),
            Mistake(0.5, "This is ρ of the 25 days. μ = √(2ρ)."),
            Mistake(0.7071, "You left out the 2: ρ = μ²/2, so μ = √(2ρ)."),
            Mistake(0.1414, "This is √ρ of a single day: the 2 and the 25 days are missing."),
            Mistake(0.02, "This is ρ of a single day."),
        ),
        laws=(Within(0, math.inf, "μ is not negative."),),
        tolerance=0.005,
    ),
    Question(
        id="19.b",
        title="Which is true?",
        question="A release protects one event of a user by pure differential privacy with ε = 2, and nothing else is said. Which statement is true?",
        goals=(2,),
        options=(
            "A user with ten events is protected by ε = 2 as well, since each event is.",
            "For a user with ten events ε = 20 follows, and nothing smaller.",
            "A user with ten events has ε = 2√10, since independent noise adds up in squares.",
            "The advantage about one event is (e² − 1)/(e² + 1).",
        ),
        solution="answer = 2\n",
        explanation="k events have at most kε = 20. The advantage about one event is at most (e² − 1)/(e² + 1), which a mechanism need not reach.",
        hints=(
            "Which of the statements are about an upper bound, and which claim an exact number?",
            "ε of one event bounds the loss of one output. What bounds the sum of ten?",
            "Ten losses of at most 2 add up to at most 20.",
        ),
        praise="Right: kε is always safe, although it says little.",
        mistakes=(
            Mistake(1, "The losses of ten events add up."),
            Mistake(
                3,
                "Squares of standard deviations add up, and so do squares of μ. The largest losses add up as they are.",
            ),
            Mistake(4, "It is at most this. The count mean sketch of the chapter has ε = 2 and only 0.46."),
        ),
    ),
    Exercise(
        id="19.1",
        grade="warm-up",
        title="The advantage behind ρ",
        question="A release protects one day by Gaussian noise with ρ = `rho`, with fresh noise every day. Write `advantage(rho, days)`: the largest advantage of "
        "an adversary against somebody whose data are in `days` days.",
        brief=r"Compute the largest advantage of an adversary from $\rho$ and a number of days.",
        goals=(1,),
        name="advantage",
        curve=Curve("rho"),
        stub="from math import sqrt\n\nfrom scipy.stats import norm\n\n\ndef advantage(rho, days):\n    ...\n",
        solution="""from math import sqrt

from scipy.stats import norm


def advantage(rho, days):
    mu = sqrt(2 * rho * days)
    return 2 * norm.cdf(mu / 2) - 1
""",
        explanation="The days have ρ · days together, so μ = √(2 ρ days), and the advantage of a Gaussian mechanism is 2Φ(μ/2) − 1.",
        hints=(
            "Which ρ, and which μ, have the days together?",
            "ρ · days, and μ = √(2 ρ · days).",
            "The advantage of a Gaussian mechanism is 2Φ(μ/2) − 1.",
        ),
        praise="Right. Try a year of page views, advantage(0.015, 365).",
        cases=((2.56, 1), (0.015, 1), (0.015, 365), (0.0728, 4)),
        draw=lambda r: (round(r.uniform(0.01, 0.6), 3), r.choice([1, 3, 12])),
        mistakes=(
            Mistake(lambda rho, k: _advantage(math.sqrt(2 * rho)), "This is the advantage for a single day."),
            Mistake(
                lambda rho, k: _advantage(math.sqrt(2 * rho) * k),
                "You multiplied μ by the number of days, as for a group in one release. With fresh noise the ρ add up.",
            ),
            Mistake(lambda rho, k: _advantage(math.sqrt(rho * k)), "ρ = μ²/2, so μ = √(2ρ): the 2 is missing."),
            Mistake(
                lambda rho, k: float(2 * ndtr(math.sqrt(2 * rho * k)) - 1),
                "The threshold lies in the middle, μ/2 away from each mean: Φ(μ/2).",
            ),
            Mistake(
                lambda rho, k: float(ndtr(math.sqrt(2 * rho * k) / 2)),
                "This is how often the adversary is right at even odds. The advantage is 2Φ(μ/2) − 1.",
            ),
            Mistake(lambda rho, k: _advantage(rho * k), "You took ρ for μ: μ = √(2ρ)."),
            Mistake(
                lambda rho, k: 1 - (1 - _advantage(math.sqrt(2 * rho))) ** k,
                "The days are not separate attempts. The adversary looks at all outputs together: add up the ρ.",
            ),
        ),
        laws=(lambda result, *case: "An advantage is between 0 and 1." if not 0 <= result[0] <= 1 else None,),
        tolerance=1e-6,
    ),
    Exercise(
        id="19.2",
        grade="think",
        title="From ρ to ε",
        question="Write `epsilon(rho, delta)`: the ε that follows from ρ-zero-concentrated differential privacy at `delta` by the loose conversion of this chapter.",
        brief=r"Convert $\rho$ into a pair, as the Census did in 2023.",
        goals=(3,),
        name="epsilon",
        curve=Curve("rho"),
        stub="from math import log, sqrt\n\n\ndef epsilon(rho, delta):\n    ...\n",
        solution="""from math import log, sqrt


def epsilon(rho, delta):
    return rho + 2 * sqrt(rho * log(1 / delta))
""",
        explanation="Markov's inequality for the order (ε + ρ)/(2ρ) gives δ = exp(−(ε − ρ)²/(4ρ)). Solve for ε.",
        hints=(
            "Which probability does Markov's inequality give for a loss above ε?",
            "exp(−(ε − ρ)²/(4ρ)). Set it equal to δ.",
            "ε = ρ + 2√(ρ log(1/δ)).",
        ),
        praise="Right. Compare dp.accounting.zcdp_to_epsilon, which is tighter, and the Gaussian mechanism itself.",
        cases=((4.96, 1e-10), (0.5, 1e-5), (0.07, 1e-10), (0.015, 1e-7)),
        draw=lambda r: (round(r.uniform(0.02, 4), 2), r.choice([1e-5, 1e-8, 1e-10])),
        mistakes=(
            Mistake(
                lambda rho, d: 2 * math.sqrt(rho * math.log(1 / d)),
                "The first ρ is missing: it is the mean of the bound on the loss.",
            ),
            Mistake(lambda rho, d: rho + math.sqrt(rho * math.log(1 / d)), "The root counts twice."),
            Mistake(
                lambda rho, d: rho + 2 * math.sqrt(rho * math.log10(1 / d)),
                "This is the logarithm to base 10. Take the natural one.",
            ),
            Mistake(lambda rho, d: rho + 2 * rho * math.log(1 / d), "Take the root of ρ log(1/δ)."),
            Mistake(
                lambda rho, d: rho + 2 * math.sqrt(math.log(1 / d) / rho),
                "Multiply by ρ, do not divide: more noise is a smaller ρ and a smaller ε.",
            ),
            Mistake(
                lambda rho, d: rho + 2 * math.sqrt(rho) * math.log(1 / d), "The root is of ρ and of the logarithm."
            ),
            Mistake(
                lambda rho, d: rho / 2 + math.sqrt(2 * rho * math.log(1 / d)),
                "You took ρ for μ². It is μ²/2.",
            ),
        ),
        laws=(lambda result, *case: "An ε is not negative." if result[0] < 0 else None,),
        tolerance=1e-6,
        relative=1e-6,
    ),
    Exercise(
        id="19.3",
        grade="think",
        title="How many days",
        question="A release protects one day by Gaussian noise with ρ = `rho`, with fresh noise every day. Write `days_until(rho, advantage)`: the smallest whole "
        "number of days for which the largest advantage of an adversary is at least `advantage`.",
        brief="After how many days does a promise become too weak?",
        goals=(2,),
        name="days_until",
        stub="from math import ceil\n\nfrom scipy.stats import norm\n\n\ndef days_until(rho, advantage):\n    ...\n",
        solution="""from math import ceil

from scipy.stats import norm


def days_until(rho, advantage):
    half = norm.ppf((1 + advantage) / 2)
    return ceil(2 * half**2 / rho)
""",
        explanation="The advantage is reached if μ/2 ≥ Φ⁻¹((1 + a)/2), where μ = √(2 ρ k). Solve for k and round up.",
        hints=(
            "Which μ has this advantage?",
            "μ = 2Φ⁻¹((1 + a)/2). And k days have μ = √(2ρk).",
            "So k is at least 2Φ⁻¹((1 + a)/2)²/ρ. Round up.",
        ),
        praise="Right. For the page views and an advantage of one half it is 61 days.",
        cases=((0.015, 0.5), (0.015, 0.9), (0.0728, 0.25), (0.001, 0.1)),
        mistakes=(
            Mistake(lambda rho, a: _days(rho, a), "A number of days is whole: round up."),
            Mistake(
                lambda rho, a: math.floor(_days(rho, a)),
                "After so many whole days the advantage is not reached yet: round up.",
            ),
            Mistake(
                lambda rho, a: math.ceil(_days(2 * rho, a)),
                "ρ = μ²/2, so k days have μ = √(2ρk). You took twice as much.",
            ),
            Mistake(
                lambda rho, a: math.ceil(_days(rho / 2, a)),
                "You took μ = √(ρk). It is √(2ρk).",
            ),
            Mistake(
                lambda rho, a: math.ceil(math.sqrt(_days(rho, a))),
                "You let μ grow with k, as for a group in one release. With fresh noise it grows with √k.",
            ),
            Mistake(
                lambda rho, a: math.ceil(_days(rho, a) / 4),
                "The threshold lies in the middle: the advantage is 2Φ(μ/2) − 1, not 2Φ(μ) − 1.",
            ),
            Mistake(
                lambda rho, a: math.ceil(a / _advantage(math.sqrt(2 * rho))),
                "You added up the advantages of the days. Add up the ρ, and turn the sum into an advantage.",
            ),
            Mistake(
                lambda rho, a: math.ceil(2 * float(ndtri(a)) ** 2 / rho),
                "An advantage of a means a share (1 + a)/2 of right guesses at even odds: Φ⁻¹((1 + a)/2).",
            ),
        ),
        laws=(lambda result, *case: "A number of days is positive." if result[0] <= 0 else None,),
        tolerance=1e-9,
    ),
    Exercise(
        id="19.4",
        grade="build",
        title="The ρ behind a printed ε",
        question="A publication prints `epsilon`, rounded to two decimals, for the given `delta`, and you suspect that it was converted from ρ by the loose "
        "conversion. Write `rho_range(epsilon, delta)`: the smallest and the largest ρ that this ε allows, i.e. those of ε − 0.005 and ε + 0.005.",
        brief=r"Which $\rho$ can stand behind a rounded $\varepsilon$?",
        goals=(3,),
        name="rho_range",
        stub="from math import log, sqrt\n\n\ndef rho_range(epsilon, delta):\n    ...\n",
        solution="""from math import log, sqrt


def rho_range(epsilon, delta):
    far = log(1 / delta)

    def rho(value):
        return (sqrt(value + far) - sqrt(far)) ** 2

    return rho(epsilon - 0.005), rho(epsilon + 0.005)
""",
        explanation="ε = ρ + 2√(ρ L) with L = log(1/δ) is a quadratic equation for √ρ: (√ρ + √L)² = ε + L.",
        hints=(
            "Which equation does √ρ solve?",
            "ρ + 2√L √ρ = ε, with L = log(1/δ). Complete the square.",
            "(√ρ + √L)² = ε + L, so ρ = (√(ε + L) − √L)². Do it for both ends.",
        ),
        praise="Right. For 26.34 at 1e-10 both ends round to the printed 4.96; for 17.14 both round to 2.37, and 2.56 is printed.",
        cases=((26.34, 1e-10), (34.33, 1e-10), (17.14, 1e-10), (1.0, 1e-7)),
        mistakes=(
            Mistake(
                lambda e, d: (_rho(e + 0.005, d), _rho(e - 0.005, d)),
                "The two ends are exchanged: the smaller first.",
            ),
            Mistake(
                lambda e, d: (_rho(e, d), _rho(e, d)),
                "This is ρ for ε exactly as printed. It was rounded: take ε − 0.005 and ε + 0.005.",
            ),
            Mistake(
                lambda e, d: (_rho(e - 0.01, d), _rho(e + 0.01, d)),
                "A number rounded to two decimals is off by at most 0.005.",
            ),
            Mistake(
                lambda e, d: tuple(math.sqrt(_rho(e + s, d)) for s in (-0.005, 0.005)),
                "This is √ρ. Square it.",
            ),
            Mistake(
                lambda e, d: tuple((e + s) ** 2 / (4 * math.log(1 / d)) for s in (-0.005, 0.005)),
                "You left out the first ρ of the conversion. Complete the square.",
            ),
            Mistake(
                lambda e, d: tuple(
                    (math.sqrt(e + s + math.log(1 / d)) + math.sqrt(math.log(1 / d))) ** 2 for s in (-0.005, 0.005)
                ),
                "This is the other solution of the quadratic equation, for which √ρ would be negative.",
            ),
            Mistake(
                lambda e, d: (_rho(e, d) - 0.005, _rho(e, d) + 0.005),
                "It is ε that was rounded. Convert both ends.",
            ),
        ),
        shape="two numbers",
        tolerance=1e-7,
    ),
    Exercise(
        id="19.5",
        grade="build",
        title="Many events",
        question="Each event of a user is protected by pure differential privacy with ε = `epsilon`, independently. Write `advantage(epsilon, events)`: the largest "
        "advantage that this allows about all `events` events of a user together. (The worst case is randomized response for each of them; count how "
        "many answers say “in”.)",
        brief="Compute what pure differential privacy of one event allows for many.",
        goals=(2,),
        name="advantage",
        curve=Curve("epsilon"),
        stub="from math import exp\n\nimport numpy as np\nfrom scipy.stats import binom\n\n\ndef advantage(epsilon, events):\n    ...\n",
        solution="""from math import exp

import numpy as np
from scipy.stats import binom


def advantage(epsilon, events):
    counts = np.arange(events + 1)
    q = 1 / (1 + exp(-epsilon))
    inside, outside = binom.pmf(counts, events, q), binom.pmf(counts, events, 1 - q)
    return np.maximum(inside - outside, 0).sum()
""",
        explanation="Each answer says “in” with probability q = 1/(1 + e^−ε) in one world and 1 − q in the other. Their number is binomial, and it decides the test.",
        hints=(
            "With what probability does one answer say “in”, in either world?",
            "q = 1/(1 + e^−ε) and 1 − q. How many of the answers say “in”?",
            "The number is binomial in both worlds: add up the positive differences of the two laws.",
        ),
        praise="Right. Compare one event with two: the advantage is the same. Why?",
        cases=((2.0, 1), (2.0, 3), (0.5, 10), (0.22, 60)),
        draw=lambda r: (round(r.uniform(0.1, 2), 2), r.choice([3, 5, 9])),
        mistakes=(
            Mistake(lambda e, k: math.tanh(e / 2), "This is the advantage about one event."),
            Mistake(
                lambda e, k: math.tanh(k * e / 2),
                "This is what the sum kε allows, as if all losses were extreme at once. Count the answers instead.",
            ),
            Mistake(
                lambda e, k: math.tanh(math.sqrt(k) * e / 2),
                "The largest losses do not add up in squares. Count the answers: their number is binomial.",
            ),
            Mistake(
                lambda e, k: 1 - (1 - math.tanh(e / 2)) ** k,
                "The events are not separate attempts. The adversary looks at all answers together.",
            ),
            Mistake(
                lambda e, k: 2 * _many(e, k),
                "You added up the absolute differences. Half of this sum is the advantage.",
            ),
            Mistake(lambda e, k: (1 + _many(e, k)) / 2, "This is how often the adversary is right at even odds."),
            Mistake(
                lambda e, k: _advantage(math.sqrt(k) * e),
                "This is Gaussian noise with μ = ε. Randomized response has a binomial law.",
            ),
        ),
        laws=(lambda result, *case: "An advantage is between 0 and 1." if not 0 <= result[0] <= 1 + 1e-12 else None,),
        tolerance=1e-6,
    ),
]
