"""Exercises of chapter 16: what a report allows, chords between its pairs, μ at a point and down to a floor."""

import math

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm

from ...mechanisms import DPSGD, ApproximateDP, Gaussian, Laplace
from ...risk.calibration import calibrate
from ..judging.core import Exercise, Mistake
from ..judging.drawing import Curve
from ..judging.questions import PROBABILITY, Question, in_percent

_LOSSES = np.array([0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 10.0, 12.0])


def _table(mechanism):
    return _LOSSES, np.asarray(mechanism.privacy_profile(_LOSSES))


_SMALL, _LARGE, _NOISE = (_table(m) for m in (DPSGD(0.5415, 0.01, 500), DPSGD(9.4, 0.328, 2000), Laplace(0.3)))
_NOISE = tuple(column[_NOISE[1] > 0] for column in _NOISE)  # a δ of 0 belongs to no μ


def _mu(epsilon, delta):
    return 1 / calibrate(Gaussian, epsilon=float(epsilon), delta=float(delta)).sigma


def _by_tail(epsilon, delta):
    """μ where Pr_Q[L > ε] is δ: the tail instead of the profile."""
    z = norm.ppf(delta)
    return z + math.sqrt(z * z + 2 * epsilon)


def _chord(epsilons, deltas, epsilon):
    return float(np.interp(np.exp(epsilon), np.exp(epsilons), deltas))


def _before(epsilons, deltas, epsilon):
    return float(deltas[max(0, np.searchsorted(epsilons, epsilon, side="right") - 1)])


def _after(epsilons, deltas, epsilon):
    return float(deltas[min(len(deltas) - 1, np.searchsorted(epsilons, epsilon))])


def _by_logs(epsilons, deltas, epsilon):
    return float(np.exp(np.interp(epsilon, epsilons, np.log(deltas))))


def _beyond_by_line(epsilons, deltas, epsilon):
    if epsilon <= epsilons[-1]:
        return _chord(epsilons, deltas, epsilon)
    y, z, x = np.exp(epsilons[-2]), np.exp(epsilons[-1]), math.exp(epsilon)
    return max(0.0, deltas[-1] + (x - z) * (deltas[-1] - deltas[-2]) / (z - y))


def _down_to(epsilons, deltas, floor, pick=max, keep=lambda delta, floor: delta >= floor):
    found = [_mu(e, d) for e, d in zip(epsilons, deltas, strict=True) if d > 0 and keep(d, floor)]
    return pick(found) if found else 0.0


def _nearest_floor(epsilons, deltas, floor):
    kept = [(d, e) for e, d in zip(epsilons, deltas, strict=True) if d >= floor]
    delta, epsilon = min(kept)
    return _mu(epsilon, delta)


def _chord_of(epsilons, deltas, reported, by):
    at = np.asarray(reported)
    return np.interp(by(epsilons), by(epsilons[at]), deltas[at])


def _open(epsilons, deltas, reported, *, weight=lambda y: 1 + y, by=np.exp, pick=np.max):
    return float(pick((_chord_of(epsilons, deltas, reported, by) - deltas) / weight(np.exp(epsilons))))


def _open_where_deltas_differ(epsilons, deltas, reported):
    """The difference of Bayes errors where that of the δ is largest."""
    lead = _chord_of(epsilons, deltas, reported, np.exp) - deltas
    return float(np.max(lead) / (1 + math.exp(epsilons[np.argmax(lead)])))


def _open_in_between(epsilons, deltas, reported):
    last = max(reported)
    return _open(epsilons[: last + 1], deltas[: last + 1], reported)


def _open_in_steps(epsilons, deltas, reported):
    """What would be left open if each row were allowed the δ of the reported row before it."""
    before = np.searchsorted(reported, np.arange(len(epsilons)), side="right") - 1
    return float(np.max((deltas[np.asarray(reported)[before]] - deltas) / (1 + np.exp(epsilons))))


EXERCISES = [
    Question(
        id="16.a",
        title="What the advantage says",
        question="A report states that the advantage of a mechanism is at most 0.3. At even odds, with what probability may an "
        "adversary guess right, at most?",
        goals=(1,),
        solution="answer = (1 + 0.3) / 2\n",
        explanation="At even odds the Bayes error is (1 − advantage)/2 = 0.35, so the best guess is right with probability 0.65.",
        hints=(
            "A coin is right half of the time. What does the advantage add?",
            "The advantage is 1 minus twice the Bayes error at even odds.",
            "The Bayes error is (1 − 0.3)/2, and right is what is not wrong.",
        ),
        praise="Right: half of the advantage is added to the half that a coin has.",
        mistakes=(
            Mistake(0.8, "Half of the advantage is added to what a coin has, not all of it."),
            Mistake(0.35, "This is the probability of guessing wrong."),
            Mistake(0.3, "This is the advantage. A coin has none, and is right half of the time."),
            Mistake(
                0.7,
                "This is 1 minus the advantage, the smallest sum of both errors. At even odds the error is half of it.",
            ),
            Mistake(0.15, "This is what the adversary gains over a coin. Add what a coin has."),
            in_percent(0.65),
        ),
        laws=(PROBABILITY,),
        tolerance=0.0005,
    ),
    Question(
        id="16.b",
        title="What a floor leaves out",
        question="A report states: “1.67-Gaussian differentially private for every δ down to 10⁻⁵.” Which statement follows?",
        goals=(3,),
        options=(
            "The advantage is that of the Gaussian mechanism with μ = 1.67.",
            "At no prior is an adversary’s success above the one against that Gaussian mechanism by more than 0.000005.",
            "At ε = 20, δ is at most that of the Gaussian mechanism with μ = 1.67, which is far below 10⁻⁵.",
            "The mechanism is 1.67-Gaussian differentially private.",
        ),
        solution="answer = 2\n",
        explanation="Wherever δ is at least the floor it is at most that of the Gaussian mechanism, and elsewhere it is below the floor. "
        "So at no prior is its Bayes error smaller than that of the Gaussian mechanism by more than half of the floor. (It may be much larger: that is the regret.)",
        hints=(
            "What does the report say about an ε at which δ is smaller than 10⁻⁵?",
            "Only that δ is smaller than 10⁻⁵. By how much can that lower a Bayes error?",
            "A difference of two δ, divided by 1 + e^ε, is a difference of two Bayes errors.",
        ),
        praise="Right. For decisions the floor costs next to nothing; about rarer events the report is silent.",
        mistakes=(
            Mistake(1, "It is at most that. The advantage may be smaller, by as much as twice the regret."),
            Mistake(3, "There δ may be below the floor, where the report says nothing about μ."),
            Mistake(4, "That is the promise without a floor, and for sampled training it may need a much larger μ."),
        ),
    ),
    Exercise(
        id="16.1",
        grade="warm-up",
        title="The least private reading",
        question="A report states a single pair: `epsilon` ≥ 0 and `delta`. Write `most_right(epsilon, delta)`: the largest probability with "
        "which, as far as the report says, an adversary with even odds may guess right.",
        brief="A report is a single pair. How often may an adversary with even odds be right, as far as the report says?",
        goals=(1,),
        name="most_right",
        curve=Curve("epsilon"),
        stub="from math import exp\n\n\ndef most_right(epsilon, delta):\n    ...\n",
        solution="""from math import exp


def most_right(epsilon, delta):
    return 1 - (1 - delta) / (1 + exp(epsilon))
""",
        explanation="The weakest mechanism has both errors (1 − δ)/(1 + e^ε) where they are equal, and this is its Bayes error at even odds.",
        hints=(
            "Which mechanism is the weakest that the pair allows, and where are its two errors equal?",
            "Its lines 1 − δ − e^ε α and their mirror images meet at α = (1 − δ)/(1 + e^ε).",
            "This α is the probability of guessing wrong at even odds.",
        ),
        praise="Right. At ε = 8 this is 0.9997, whatever the mechanism does.",
        cases=((8.0, 1e-5), (1.0, 0.01), (0.0, 0.3), (2.5, 0.0)),
        draw=lambda r: (r.uniform(0.2, 6), r.choice([0.05, 0.02, 0.01, 0.1])),
        mistakes=(
            Mistake(lambda e, d: (1 - d) / (1 + math.exp(e)), "This is the probability of guessing wrong."),
            Mistake(
                lambda e, d: 1 - 2 * (1 - d) / (1 + math.exp(e)),
                "This is the advantage. At even odds the best guess is right with probability (1 + advantage)/2.",
            ),
            Mistake(
                lambda e, d: math.exp(e) / (1 + math.exp(e)),
                "This leaves out δ: with probability δ the record may be given away.",
            ),
            Mistake(
                lambda e, d: min(1.0, math.exp(e) / (1 + math.exp(e)) + d),
                "δ is not simply added: the record is given away with probability δ, and only the rest, 1 − δ, is divided as for δ = 0.",
            ),
            Mistake(
                lambda e, d: math.exp(e) / (1 + math.exp(e)) + d,
                "For a large ε this exceeds 1. δ is not simply added: what is divided as for δ = 0 is only 1 − δ.",
            ),
            Mistake(lambda e, d: (1 + d) / 2, "This is for ε = 0. A larger ε allows more."),
            Mistake(
                lambda e, d: 1 - (1 - d) / math.exp(e),
                "The errors are equal where α + e^ε α = 1 − δ: divide by 1 + e^ε.",
            ),
            Mistake(
                lambda e, d: 1 - d,
                "1 − δ is no bound on a guess: the smaller δ is, the less an adversary can achieve, and this grows.",
            ),
        ),
        laws=(
            lambda result, e, d: "A probability lies between 0 and 1." if not 0 <= result[0] <= 1 + 1e-12 else None,
            lambda result, e, d: (
                "Nobody guesses worse than a coin, which is right half of the time." if result[0] < 0.5 - 1e-9 else None
            ),
        ),
    ),
    Exercise(
        id="16.2",
        grade="think",
        title="Between two pairs",
        question="A report lists exact pairs: `epsilons`, increasing from 0, and their `deltas`. Write `expected(epsilons, deltas, epsilon)`: the "
        "δ at another `epsilon` ≥ 0 that a reader must expect, that is, the largest that the report allows.",
        brief=r"A report lists exact pairs. Which $\delta$ must a reader expect at another $\varepsilon$?",
        goals=(2,),
        name="expected",
        stub="import numpy as np\n\n\ndef expected(epsilons, deltas, epsilon):\n    ...\n",
        solution="""import numpy as np


def expected(epsilons, deltas, epsilon):
    return float(np.interp(np.exp(epsilon), np.exp(epsilons), deltas))   # constant beyond the last
""",
        explanation="A profile is convex in y = e^ε, so between two pairs it lies on or below their chord, and the weakest mechanism attains the chord. Beyond the last pair it may stay where it is.",
        hints=(
            "In which variable is a privacy profile convex?",
            "In y = e^ε: a maximum of lines 1 − β − y α. Between two points a convex function is below the chord.",
            "Interpolate linearly between the two neighboring pairs, over e^ε; beyond the last pair the largest δ is the last one.",
        ),
        praise="Right: the chords are what a report of pairs allows.",
        cases=(
            (np.array([0.0, 2.0]), np.array([0.4, 0.05]), 1.0),
            (np.array([0.0, 1.0, 4.0]), np.array([0.5, 0.2, 0.001]), 3.0),
            (np.array([0.0, 1.0, 4.0]), np.array([0.5, 0.2, 0.001]), 0.3),
            (np.array([0.0, 3.0, 8.0]), np.array([0.34, 0.01, 1e-5]), 9.0),
            (np.array([0.0, 1.0, 4.0]), np.array([0.5, 0.2, 0.001]), 1.0),
        ),
        mistakes=(
            Mistake(
                lambda e, d, x: float(np.interp(x, e, d)),
                "You interpolate over ε. The profile is convex in e^ε, and its chord is straight over e^ε.",
            ),
            Mistake(_by_logs, "You interpolate log δ over ε. That is no bound: the chord over e^ε lies above it."),
            Mistake(
                _before,
                "This is the δ of the pair before. That pair alone allows it. With the pair after it, only their chord is allowed.",
            ),
            Mistake(
                _after,
                "This is the δ of the pair after. δ is at least that; asked for is the largest that the report allows.",
            ),
            Mistake(
                _beyond_by_line,
                "Between pairs you are right. Beyond the last pair, nothing forces δ to go on falling: the largest that is allowed is constant.",
            ),
            Mistake(
                lambda e, d, x: float(np.interp(np.exp(-x), np.exp(-e[::-1]), d[::-1])),
                "You interpolate over e^(−ε). The profile is convex in e^ε.",
            ),
            Mistake(
                lambda e, d, x: min(ApproximateDP(a, b).privacy_profile(x) for a, b in zip(e, d, strict=True)),
                "You ask what each pair allows alone, and take the smallest. Together they allow less: between two pairs "
                "the profile lies on or below their chord over e^ε.",
            ),
        ),
        laws=(
            lambda result, e, d, x: (
                "δ is decreasing: it is not larger than at ε = 0." if result[0] > d[0] + 1e-9 else None
            ),
        ),
    ),
    Exercise(
        id="16.3",
        grade="think",
        title="The number for this point",
        question="Write `mu_at(epsilon, delta)`: the μ of the Gaussian mechanism whose profile has the value `delta` at `epsilon`, for `epsilon` between "
        "0.1 and 100 and `delta` between 1e-30 and 0.9.",
        brief=r"Find the $\mu$ of the Gaussian mechanism with a given $\delta$ at a given $\varepsilon$.",
        goals=(3,),
        name="mu_at",
        curve=Curve("epsilon"),
        stub="from math import exp\n\nfrom scipy.optimize import brentq\nfrom scipy.stats import norm\n\n\ndef mu_at(epsilon, delta):\n    ...\n",
        solution="""from math import exp

from scipy.optimize import brentq
from scipy.stats import norm


def mu_at(epsilon, delta):
    def excess(mu):
        tail = exp(epsilon + norm.logcdf(-mu / 2 - epsilon / mu))
        return norm.cdf(mu / 2 - epsilon / mu) - tail - delta

    return brentq(excess, 1e-3, 60, xtol=1e-12)
""",
        explanation="The profile of a Gaussian mechanism is Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ), which increases with μ. So one μ gives δ, and a root finder such as `brentq` finds it.",
        hints=(
            "What is the privacy profile of the Gaussian mechanism with μ?",
            "δ(ε) = Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ). It increases with μ.",
            "Find the root of the difference to δ with brentq, between 0.001 and a large number.",
        ),
        praise="Right. Applied to each row of a profile this shows whether one μ will do.",
        cases=((1.0, 1e-5), (8.0, 1e-5), (0.5, 0.1), (4.0, 1e-9), (100.0, 0.9), (0.1, 1e-30)),
        draw=lambda r: (round(r.uniform(0.5, 6), 2), r.choice([1e-3, 1e-4, 1e-6, 1e-8])),
        exact=_mu,
        mistakes=(
            Mistake(
                lambda e, d: e / math.sqrt(2 * math.log(1.25 / d)),
                "This is the classical formula, which adds more noise than needed for small ε and is no guarantee for large ε. Solve for μ.",
            ),
            Mistake(
                _by_tail,
                "This is where the loss exceeds ε with probability δ. δ is less than that tail: subtract e^ε Φ(−μ/2 − ε/μ).",
            ),
            Mistake(lambda e, d: 1 / _mu(e, d), "This is σ. Give μ = 1/σ.", within=1e-6),
            Mistake(lambda e, d: 2 * norm.ppf((1 + d) / 2), "This is for ε = 0, where δ is the advantage. Use ε, too."),
            Mistake(
                lambda e, d: brentq(lambda m: norm.cdf(m / 2 - e / m) - norm.cdf(-m / 2 - e / m) - d, 1e-3, 60),
                "The factor e^ε before the second term is missing.",
                within=1e-6,
            ),
            Mistake(
                lambda e, d: brentq(lambda m: norm.cdf(m / 2 - e / m) - e * norm.cdf(-m / 2 - e / m) - d, 1e-3, 60),
                "The second term is multiplied by e^ε, not by ε.",
                within=1e-6,
            ),
            Mistake(
                lambda e, d: math.sqrt(2) * (math.sqrt(math.log(1 / d) + e) - math.sqrt(math.log(1 / d))),
                "This is the μ of ρ-zCDP, by ε = ρ + 2√(ρ log(1/δ)). It is a bound, and smaller than the μ asked for.",
                within=1e-9,
            ),
            Mistake(lambda e, d: _mu(e, d) ** 2 / 2, "This is ρ = μ²/2. Give μ.", within=1e-6),
        ),
        laws=(lambda result, *case: "μ is positive." if result[0] <= 0 else None,),
        tolerance=0.0,
        relative=1e-5,
    ),
    Exercise(
        id="16.4",
        grade="build",
        title="Down to a floor",
        question="A profile is given by a table: `epsilons`, increasing from 0, and `deltas`. Write `safe_mu(epsilons, deltas, floor)`: the smallest μ "
        "for which the Gaussian profile is at or above the table in every row whose δ is at least `floor`. (You may use `dp.calibrate`.)",
        brief=r"From a table of a profile, compute the smallest $\mu$ down to a floor.",
        goals=(3,),
        name="safe_mu",
        stub="import dptutor as dp\n\n\ndef safe_mu(epsilons, deltas, floor):\n    ...\n",
        solution="""import dptutor as dp


def safe_mu(epsilons, deltas, floor):
    rows = [(e, d) for e, d in zip(epsilons, deltas) if d >= floor]
    return max(1 / dp.calibrate(dp.Gaussian, epsilon=e, delta=d).sigma for e, d in rows)
""",
        explanation="Each row needs a μ of its own, and a Gaussian profile increases with μ at every ε. So the largest of them covers all rows, and a smaller one fails in some row.",
        hints=(
            "Which μ does a single row need?",
            "The μ of the Gaussian mechanism with this δ at this ε: `1 / dp.calibrate(dp.Gaussian, epsilon=e, delta=d).sigma`.",
            "The largest of these μ over all rows with δ ≥ floor covers every one of them.",
        ),
        praise="Right. Compare the results for two floors: if they differ much, μ is not a good report.",
        cases=((*_SMALL, 1e-5), (*_SMALL, 1e-3), (*_LARGE, 1e-9), (*_NOISE, 0.5), (*_SMALL, _SMALL[1][8])),
        mistakes=(
            Mistake(
                lambda e, d, f: _down_to(e, d, f, keep=lambda delta, floor: True),
                "You use rows below the floor as well. They need a larger μ, but the report promises nothing about them.",
                within=1e-5,
            ),
            Mistake(
                lambda e, d, f: _down_to(e, d, f, pick=min),
                "The smallest of the μ covers one row only. All of them have to be covered.",
                within=1e-5,
            ),
            Mistake(
                lambda e, d, f: _mu(e[0], d[0]),
                "This is the μ of the first row, the advantage. Other rows may need a larger one.",
                within=1e-5,
            ),
            Mistake(
                _nearest_floor,
                "This is the μ of the row nearest to the floor. Another row may need a larger one, as for Laplace noise.",
                within=1e-5,
            ),
            Mistake(
                lambda e, d, f: _down_to(e, d, f, keep=lambda delta, floor: delta <= floor),
                "You keep the rows below the floor. Keep those whose δ is at least the floor.",
                within=1e-5,
            ),
            Mistake(
                lambda e, d, f: _down_to(e, d, f, pick=lambda found: sum(found) / len(found)),
                "An average covers only some of the rows.",
                within=1e-5,
            ),
            Mistake(
                lambda e, d, f: 1 / _down_to(e, d, f),
                "This is σ. Give μ = 1/σ.",
                within=1e-5,
            ),
            Mistake(
                lambda e, d, f: 1 / _down_to(e, d, f, pick=min),
                "This is the largest σ. The largest μ belongs to the smallest σ; give that μ.",
                within=1e-5,
            ),
            Mistake(
                lambda e, d, f: _down_to(e, d, f, keep=lambda delta, floor: delta > floor),
                "A row whose δ is the floor itself counts, too: keep those with δ ≥ floor.",
                within=1e-5,
            ),
        ),
        tolerance=0.0,
        relative=1e-5,
    ),
    Exercise(
        id="16.5",
        grade="build",
        title="What the list leaves open",
        question="A profile is given by a table: `epsilons`, increasing from 0, and `deltas`. A report states the rows whose indices are in the list `reported`, in "
        "increasing order and beginning with row 0. Write `left_open(epsilons, deltas, reported)`: the largest amount by which the report exaggerates an "
        "adversary’s success, over the log-odds in the table.",
        brief="From a table of a profile and a list of its rows that are reported, compute what the report leaves open.",
        goals=(1,),
        name="left_open",
        stub="import numpy as np\n\n\ndef left_open(epsilons, deltas, reported):\n    ...\n",
        solution="""import numpy as np


def left_open(epsilons, deltas, reported):
    epsilons, deltas = np.array(epsilons), np.array(deltas)
    y = np.exp(epsilons)
    allowed = np.interp(y, y[reported], deltas[reported])    # chords, and constant beyond the last
    return np.max((allowed - deltas) / (1 + y))
""",
        explanation="The report allows the chords. At log-odds ε a difference of two δ, divided by 1 + e^ε, is a difference of two Bayes errors; the largest of them is what is left open.",
        hints=(
            "Which δ does the report allow in each row? Exercise 16.2 computes it.",
            "The Bayes error at log-odds ε is (1 − δ)/(1 + e^ε).",
            "Take the largest (allowed − δ)/(1 + e^ε) over all rows, those beyond the last reported one as well.",
        ),
        praise="Right. Add the row where the maximum is attained to the report, and repeat.",
        cases=(
            (*_SMALL, [0, 9]),
            (*_SMALL, [0, 3, 9]),
            (*_LARGE, [0, 9]),
            (*_NOISE, [0, 2]),
            (*_SMALL, [0, 1]),
        ),
        mistakes=(
            Mistake(
                lambda e, d, r: _open(e, d, r, weight=lambda y: 1),
                "This is the largest difference of two δ. A difference of Bayes errors is 1 + e^ε times smaller.",
            ),
            Mistake(
                lambda e, d, r: _open(e, d, r, by=lambda x: x),
                "You interpolate over ε. The chords are straight over e^ε.",
            ),
            Mistake(
                lambda e, d, r: _open(e, d, r, weight=lambda y: 2 + 0 * y),
                "You divide by 2 in every row. That is right at ε = 0 only: divide by 1 + e^ε.",
            ),
            Mistake(lambda e, d, r: _open(e, d, r, weight=lambda y: y), "Divide by 1 + e^ε, not by e^ε."),
            Mistake(
                _open_in_between,
                "You leave out what lies beyond the last reported row. There the report allows the δ of that row without "
                "change, and that is too much as well.",
            ),
            Mistake(
                lambda e, d, r: _open(e, d, r, pick=np.sum), "You add up the differences. Asked for is the largest."
            ),
            Mistake(
                lambda e, d, r: _open(e, d, r, pick=np.mean), "You average the differences. Asked for is the largest."
            ),
            Mistake(
                lambda e, d, r: 0.0,
                "This is 0, as in the rows that are reported. Take the largest (allowed − δ)/(1 + e^ε) over all rows.",
            ),
            Mistake(
                _open_where_deltas_differ, "Divide each difference by its own 1 + e^ε, and only then take the largest."
            ),
            Mistake(lambda e, d, r: _open(e, d, r, weight=lambda y: 1 + np.log(y)), "Divide by 1 + e^ε, not by 1 + ε."),
            Mistake(
                lambda e, d, r: -_open(e, d, r, pick=np.max),
                "The sign is wrong: the report allows more than the truth.",
            ),
            Mistake(
                _open_in_steps,
                "You allow the δ of the reported row before. With the reported row after it, only their chord is allowed.",
            ),
        ),
        laws=(
            lambda result, *case: "A report of true facts leaves nothing negative open." if result[0] < -1e-9 else None,
            lambda result, *case: "A difference of two Bayes errors is at most one half." if result[0] > 0.5 else None,
        ),
    ),
]
