"""Exercises of chapter 3: the privacy loss, the hockey stick and the privacy profile."""

import math

import numpy as np
from scipy.special import ndtr

from ...mechanisms import Gaussian, Laplace, RandomizedResponse
from ..judging.core import Exercise, Mistake
from ..judging.drawing import Curve
from ..judging.questions import Question, Within, in_percent


class _Half:
    """The part of a privacy profile at ε ≥ 0; calls at other ε are refused."""

    __name__ = "privacy_profile"

    def __init__(self, mechanism):
        self.__self__ = mechanism

    def __call__(self, epsilon):
        if np.any(np.asarray(epsilon) < 0):
            raise ValueError("delta may be called for ε ≥ 0 only")
        return self.__self__.privacy_profile(epsilon)


_LISTS = tuple(
    (np.array(p), np.array(q))
    for p, q in (
        ((0.7, 0.2, 0.1), (0.2, 0.3, 0.5)),
        ((0.5, 0.5, 0.0), (0.25, 0.25, 0.5)),
        ((0.9, 0.1), (0.4, 0.6)),
    )
)
_PROFILES = tuple(_Half(m) for m in (Gaussian(sigma=1), Laplace(scale=1), RandomizedResponse(epsilon=2)))
_LAWS = tuple(
    (np.array(losses), np.array(p))
    for losses, p in (
        ((-1.0, 1.0), (math.e / (1 + math.e), 1 / (1 + math.e))),
        ((-2.0, 0.0, 1.0), (0.3, 0.7 - 0.7 / (2 * math.e), 0.7 / (2 * math.e))),
        ((-0.5, 0.4, 3.0), (0.8, 0.19, 0.01)),  # under Q some mass is left for an infinite loss
    )
)
# The first can be read in a reply.
_SAMPLES = tuple(
    np.round(np.random.default_rng(k).normal(0.5, 1.0, size), 3) for k, size in ((1, 12), (2, 200), (3, 200))
)


def _gaussian(mu, epsilon):
    return float(ndtr(-epsilon / mu + mu / 2) - math.exp(epsilon) * ndtr(-epsilon / mu - mu / 2))


def _stick(p, q, epsilon):
    return float(np.sum(np.maximum(np.asarray(q) - math.exp(epsilon) * np.asarray(p), 0)))


def _classical(epsilon, delta):
    return math.sqrt(2 * math.log(1.25 / delta)) / epsilon


def _between_0_and_1(result, *case):
    return "δ is at least 0 and at most 1." if not -1e-9 <= result[0] <= 1 + 1e-9 else None


def _profile_at(sigma, epsilon):
    return float(Gaussian(sigma=sigma).privacy_profile(epsilon))


EXERCISES = [
    Question(
        id="3.a",
        title="An area by hand",
        question="Three outcomes have probabilities (0.5, 0.3, 0.2) in world P and (0.3, 0.2, 0.5) in world Q. What is "
        "δ(ε) at ε = log 2?",
        goals=(1,),
        solution="from math import log\n\nimport dptutor as dp\n\n"
        "m = dp.FiniteExperiment((0.5, 0.3, 0.2), (0.3, 0.2, 0.5))\nanswer = float(m.privacy_profile(log(2)))\n",
        explanation="Only the last outcome is more than twice as likely in Q as in P. It contributes 0.5 − 2·0.2; the "
        "others would make the difference smaller, so the best event leaves them out.",
        hints=(
            "δ is the largest Q[E] − e^ε P[E] over all events E. Which outcomes belong to the best E?",
            "Those with q > 2p. What do they contribute?",
            "Only the last one: 0.5 − 2·0.2.",
        ),
        praise="Right: what Q has above twice P.",
        mistakes=(
            Mistake(0.5, "This is Pr_Q[L > ε], not δ: you forgot the second term, e^ε Pr_P[L > ε]."),
            Mistake(0.5 - 0.2, "The second probability has to be multiplied by e^ε = 2."),
            Mistake(0.5 - math.log(2) * 0.2, "The factor is e^ε, not ε."),
            Mistake(0, "The worlds are exchanged: δ(ε) is what Q has above e^ε P."),
            Mistake(1 - 2, "You added up all outcomes. The best event leaves out those with q < 2p."),
            Mistake(0.3 - 2 * 0.5, "This is what the first outcome would contribute. The best event leaves it out."),
            Mistake(0.5 / 0.2, "This is the largest ratio q/p. δ is a difference, Q[E] − e^ε P[E], not a ratio."),
            Mistake(math.log(2.5), "This is the largest privacy loss. δ asks how much Q has above e^ε P."),
            in_percent(0.1),
        ),
        laws=(Within(0, 1, "δ is the largest Q[E] − e^ε P[E]. The empty event gives 0, and no event more than 1."),),
        tolerance=0.005,
    ),
    Question(
        id="3.b",
        title="What is δ?",
        question="A mechanism has δ(1) = 0.01. Which statement is true of every such mechanism?",
        goals=(1,),
        options=(
            "With probability 0.01 it gives everything away.",
            "In world Q the privacy loss exceeds 1 with probability 0.01.",
            "In world P the privacy loss exceeds 1 with probability 0.01.",
            "No event E has Q[E] > e·P[E] + 0.01.",
        ),
        solution="""from math import e

import dptutor as dp

# A Gaussian mechanism with this δ refutes the first three: none of its losses is infinite, and its tails are others.
loss = dp.calibrate(dp.Gaussian, epsilon=1, delta=0.01).privacy_loss
in_q, in_p = loss.sf(1), loss.sf(1, under="P")
true = [loss.sf(float("inf")) > 0, abs(in_q - 0.01) < 1e-3, abs(in_p - 0.01) < 1e-3, abs(in_q - e * in_p - 0.01) < 1e-6]
answer = 1 + true.index(True)
""",
        explanation="δ is the largest difference Q[E] − e^ε P[E], and nothing else. It is at most Pr_Q[L > ε], because a second term is subtracted, and Gaussian noise, which gives nothing away with certainty, has a δ as well.",
        hints=(
            "Does Gaussian noise ever give everything away? It has a δ, too.",
            "δ = Pr_Q[L > ε] − e^ε Pr_P[L > ε]. Is one of the two terms alone enough?",
            "δ is the largest Q[E] − e^ε P[E] over all events E. Which statement says that?",
        ),
        praise="Right: δ is a difference of areas, not the probability of anything.",
        mistakes=(
            Mistake(1, "Some mechanisms do that. Gaussian noise has such a δ, too, and never gives everything away."),
            Mistake(
                2,
                "You forgot the second term: Pr_Q[L > 1] is δ + e·Pr_P[L > 1], which is more unless P never has such a loss.",
            ),
            Mistake(3, "Pr_P[L > 1], times e, is what is subtracted: δ is Pr_Q[L > 1] minus that."),
        ),
    ),
    Exercise(
        id="3.1",
        grade="warm-up",
        title="The profile of Gaussian noise",
        question="Write `delta(mu, epsilon)`: the privacy profile of a Gaussian mechanism with μ = sensitivity/σ. `norm.cdf` of scipy.stats is Φ.",
        brief=r"Write down $\delta(\varepsilon)$ of a Gaussian mechanism.",
        goals=(1,),
        name="delta",
        curve=Curve("epsilon"),
        stub="from math import exp\n\nfrom scipy.stats import norm\n\n\ndef delta(mu, epsilon):\n    ...\n",
        solution="""from math import exp

from scipy.stats import norm


def delta(mu, epsilon):
    in_q = norm.cdf(-epsilon / mu + mu / 2)     # Pr[L > epsilon], L normal with mean mu^2/2
    in_p = norm.cdf(-epsilon / mu - mu / 2)     # the same with mean -mu^2/2
    return in_q - exp(epsilon) * in_p
""",
        explanation="The loss is normal with variance μ², and mean μ²/2 in world Q, −μ²/2 in world P. δ is the difference of the tails, the second "
        "times e^ε.",
        hints=(
            "What are the distributions of the privacy loss in the two worlds?",
            "Normal, with variance μ² and means μ²/2 (in Q) and −μ²/2 (in P). Which tails do you need?",
            "Φ(−ε/μ + μ/2) − e^ε Φ(−ε/μ − μ/2).",
        ),
        praise="Right. It is the formula of the analytic Gaussian mechanism.",
        cases=((1.0, 1.0), (0.5, 0.1), (2.0, 3.0), (1.0, -1.0), (3.0, 0.0)),
        draw=lambda r: (r.uniform(0.4, 2), r.uniform(0.1, 1.5)),
        mistakes=(
            Mistake(
                lambda m, e: float(ndtr(m / 2 - e * m) - math.exp(e) * ndtr(-m / 2 - e * m)),
                "The standard deviation of the loss is μ, so ε amounts to ε/μ standard deviations, not ε·μ.",
            ),
            Mistake(
                lambda m, e: float(ndtr(-e / m + m / 2)),
                "This is Pr_Q[L > ε], not δ: you forgot the second term, e^ε Pr_P[L > ε].",
            ),
            Mistake(
                lambda m, e: float(ndtr(-e / m + m / 2) - ndtr(-e / m - m / 2)),
                "The second tail has to be multiplied by e^ε.",
            ),
            Mistake(
                lambda m, e: float(ndtr(-e / m - m / 2) - math.exp(e) * ndtr(-e / m + m / 2)),
                "The worlds are exchanged: in world Q the loss is larger on average.",
            ),
            Mistake(
                lambda m, e: float(ndtr(e / m - m / 2) - math.exp(e) * ndtr(e / m + m / 2)),
                "These are distribution functions, Pr[L ≤ ε]. δ needs the tails above ε.",
            ),
            Mistake(
                lambda m, e: float(ndtr(-e / m + m / 2) - e * ndtr(-e / m - m / 2)),
                "The factor is e^ε, not ε.",
            ),
            Mistake(
                lambda m, e: float(ndtr(-e / m + m) - math.exp(e) * ndtr(-e / m - m)),
                "You put the means μ standard deviations from 0. They are μ²/2 and −μ²/2, and the standard deviation is μ.",
            ),
            Mistake(
                lambda m, e: _gaussian(1 / m, e),
                "You took μ for σ. Here μ is sensitivity/σ, so a larger μ means less noise.",
            ),
            Mistake(
                lambda m, e: float(ndtr(-e / m + m / 2) - math.exp(-e) * ndtr(-e / m - m / 2)),
                "The exponent has the wrong sign: δ is what Q has above e^ε P, not above e^(−ε) P.",
            ),
            Mistake(
                lambda m, e: float(ndtr(-e + m * m / 2) - math.exp(e) * ndtr(-e - m * m / 2)),
                "The loss has the standard deviation μ. Divide its distance from the mean by that.",
            ),
            Mistake(
                lambda m, e: float(2 * ndtr(m / 2) - 1),
                "This is δ(0), the advantage, whatever ε is.",
            ),
            Mistake(
                lambda m, e: float(ndtr(m / 2) - math.exp(e) * ndtr(-m / 2)),
                "You used one test, the threshold halfway between the two worlds. It is the best one at ε = 0 only.",
            ),
            Mistake(
                lambda m, e: float(ndtr(m - e) - math.exp(e) * ndtr(-e)),
                "You put the threshold at the output ε. The loss at an output y is μy − μ²/2: at which y is it ε?",
            ),
        ),
        laws=(_between_0_and_1,),
    ),
    Exercise(
        id="3.2",
        grade="warm-up",
        title="A hockey stick for two lists",
        question="Write `hockey_stick(p, q, epsilon)`: δ(ε) of two finite distributions, arrays of probabilities of the same outcomes.",
        brief=r"Compute the hockey-stick divergence of two finite distributions, for any real $\varepsilon$.",
        goals=(1,),
        name="hockey_stick",
        curve=Curve("epsilon"),
        stub="from math import exp\n\n\ndef hockey_stick(p, q, epsilon):\n    ...\n",
        solution="""from math import exp


def hockey_stick(p, q, epsilon):
    return sum(max(b - exp(epsilon) * a, 0) for a, b in zip(p, q))
""",
        explanation="Add up, over the outcomes, what q has above e^ε p.",
        hints=(
            "Which outcomes belong to the best event E in Q[E] − e^ε P[E]?",
            "Those with q > e^ε p. What does each of them contribute?",
            "The sum of max(q − e^ε p, 0).",
        ),
        praise="Right: an area, here a sum of pieces of columns.",
        cases=tuple((p, q, e) for p, q in _LISTS for e in (-0.5, 0.0, 0.5, 2.0)),
        mistakes=(
            Mistake(
                lambda p, q, e: _stick(q, p, e),
                "P and Q are exchanged: δ(ε) is what Q has above e^ε P.",
            ),
            Mistake(
                lambda p, q, e: max(0.0, float(np.sum(np.asarray(q) - math.exp(e) * np.asarray(p)))),
                "Take the positive part of each outcome, then add: the best event leaves the negative ones out.",
            ),
            Mistake(
                lambda p, q, e: float(np.max(np.asarray(q) - math.exp(e) * np.asarray(p))),
                "An event may contain many outcomes: add up all positive ones.",
            ),
            Mistake(
                lambda p, q, e: float(np.sum(np.abs(np.asarray(q) - math.exp(e) * np.asarray(p)))) / 2,
                "Half the absolute difference is right for ε = 0 only, where both sides have the same area.",
            ),
            Mistake(
                lambda p, q, e: float(sum(b for a, b in zip(p, q, strict=True) if b > math.exp(e) * a)),
                "This is Pr_Q[L > ε]: you forgot to subtract e^ε p.",
            ),
            Mistake(
                lambda p, q, e: float(np.sum(np.maximum(np.asarray(q) - e * np.asarray(p), 0))),
                "The factor is e^ε, not ε.",
            ),
            Mistake(
                lambda p, q, e: _stick(p, q, 0),
                "This is δ(0), the total variation, whatever ε is.",
            ),
            Mistake(
                lambda p, q, e: _stick(p, q, -e),
                "The exponent has the wrong sign: compare q with e^ε p, not with e^(−ε) p.",
            ),
            Mistake(
                lambda p, q, e: float(np.sum(np.asarray(q) - math.exp(e) * np.asarray(p))),
                "You added up all outcomes, which gives 1 − e^ε. The best event leaves out those with q < e^ε p.",
            ),
            Mistake(
                lambda p, q, e: float(np.max(np.maximum(np.subtract(q, math.exp(e) * np.asarray(p)), 0))),
                "This is the largest part of a single outcome. The best event has all outcomes with q > e^ε p: add their parts.",
            ),
        ),
        laws=(_between_0_and_1,),
    ),
    Exercise(
        id="3.3",
        grade="think",
        title="Below zero",
        question="`delta` is the privacy profile of a symmetric mechanism, and may be called for ε ≥ 0 only. Write `below(delta, epsilon)`: δ(−ε), for "
        "ε ≥ 0.",
        brief=r"You know the profile of a symmetric mechanism only for $\varepsilon \ge 0$. What is $\delta(-\varepsilon)$?",
        goals=(2,),
        name="below",
        curve=Curve("epsilon"),
        stub="from math import exp\n\n\ndef below(delta, epsilon):\n    ...\n",
        solution="""from math import exp


def below(delta, epsilon):
    return 1 - exp(-epsilon) + exp(-epsilon) * delta(epsilon)
""",
        explanation="max(x, 0) = x + max(−x, 0), with x = q − e^(−ε) p. The first integrates to 1 − e^(−ε), the second is e^(−ε) times δ of the "
        "reverse pair, which is δ itself if the mechanism is symmetric.",
        hints=(
            "max(x, 0) = x + max(−x, 0). Use it with x = q − e^(−ε) p.",
            "The first part integrates to 1 − e^(−ε). The second is e^(−ε) ∫ max(p − e^ε q, 0).",
            "1 − e^(−ε) + e^(−ε) δ(ε).",
        ),
        praise="Right. The whole profile follows from half of it.",
        cases=tuple((d, e) for d in _PROFILES for e in (0.0, 0.3, 1.0, 2.5)),
        mistakes=(
            Mistake(lambda d, e: float(d(e)), "A profile is not symmetric about 0: it decreases all the way, from 1."),
            Mistake(lambda d, e: float(d(0.0)), "This is δ(0). At negative ε the profile is larger still."),
            Mistake(lambda d, e: 1 - float(d(e)), "At ε = 0 this should give δ(0) itself, and it gives 1 − δ(0)."),
            Mistake(
                lambda d, e: 1 - math.exp(-e) + float(d(e)),
                "The last term needs the factor e^(−ε) as well.",
            ),
            Mistake(
                lambda d, e: 1 - math.exp(e) + math.exp(e) * float(d(e)),
                "The exponents have the wrong sign: you are asked for δ(−ε), and e^(−ε) is the factor of p there.",
            ),
            Mistake(
                lambda d, e: 1 - math.exp(-e),
                "This is δ(−ε) for perfect privacy. What does the mechanism add to it?",
            ),
            Mistake(
                lambda d, e: math.exp(-e) * float(d(e)),
                "This is one of the two parts. At large ε, δ(−ε) comes near 1, and yours goes to 0.",
            ),
            Mistake(
                lambda d, e: 1 - math.exp(-e) * float(d(e)),
                "At ε = 0 this should give δ(0) itself. What is the integral of q − e^(−ε) p?",
            ),
            Mistake(
                lambda d, e: -float(d(e)),
                "A profile is not odd: δ is never negative. It decreases all the way, from 1.",
            ),
        ),
        laws=(_between_0_and_1,),
    ),
    Exercise(
        id="3.4",
        grade="think",
        title="From one world to the other",
        question="In world P the privacy loss takes the finite values `losses` with the probabilities `p` (two arrays). Write `tail(losses, p, epsilon)`: "
        "Pr_Q[L > ε], counting finite losses only.",
        brief=r"From the distribution of the loss in world $P$, which takes finitely many finite values, compute $\Pr_Q[L > \varepsilon]$.",
        goals=(2,),
        name="tail",
        curve=Curve("epsilon"),
        stub="from math import exp\n\n\ndef tail(losses, p, epsilon):\n    ...\n",
        solution="""from math import exp


def tail(losses, p, epsilon):
    return sum(weight * exp(loss) for loss, weight in zip(losses, p) if loss > epsilon)
""",
        explanation="Q[L = x] = e^x P[L = x]: each probability is multiplied by e to the loss.",
        hints=(
            "How are the probabilities of a loss x in the two worlds related?",
            "Q[L = x] = e^x P[L = x].",
            "Add up e^x p over the losses x above ε.",
        ),
        praise="Right: what is rare in P is e^x times as likely in Q.",
        cases=tuple((x, p, e) for x, p in _LAWS for e in (-1.5, 0.0, 0.4, 2.0)),
        mistakes=(
            Mistake(
                lambda x, p, e: sum(w for a, w in zip(x, p, strict=True) if a > e),
                "This is the tail in world P. In world Q every loss x is e^x times as likely.",
            ),
            Mistake(
                lambda x, p, e: sum(w * math.exp(-a) for a, w in zip(x, p, strict=True) if a > e),
                "The factor is e^x, not e^(−x): large losses are more likely in Q.",
            ),
            Mistake(
                lambda x, p, e: math.exp(e) * sum(w for a, w in zip(x, p, strict=True) if a > e),
                "Each loss has its own factor e^x; e^ε is that of the smallest one.",
            ),
            Mistake(
                lambda x, p, e: sum(w * math.exp(a) for a, w in zip(x, p, strict=True) if a <= e),
                "This is Pr_Q[L ≤ ε].",
            ),
            Mistake(
                lambda x, p, e: sum(w * math.exp(a) for a, w in zip(x, p, strict=True) if a >= e),
                "A loss equal to ε does not exceed it.",
            ),
            Mistake(
                lambda x, p, e: 1 - sum(w * math.exp(a) for a, w in zip(x, p, strict=True) if a <= e),
                "You count infinite losses as well: Q gives them the probability that the finite ones leave over.",
            ),
            Mistake(
                lambda x, p, e: sum(w * a for a, w in zip(x, p, strict=True) if a > e),
                "This is the mean of the losses above ε in world P. The factor is e to the loss, not the loss.",
            ),
            Mistake(
                lambda x, p, e: sum(w * math.exp(a) - math.exp(e) * w for a, w in zip(x, p, strict=True) if a > e),
                "This is δ(ε) without infinite losses: you subtracted the second term, e^ε Pr_P[L > ε].",
            ),
            Mistake(
                lambda x, p, e: sum(w * (1 + a) for a, w in zip(x, p, strict=True) if a > e),
                "1 + x is near e^x for small losses only.",
            ),
            Mistake(
                lambda x, p, e: sum(w * math.exp(a) for a, w in zip(x, p, strict=True)),
                "You added up all finite losses. Only those above ε count.",
            ),
        ),
        laws=(
            lambda result, *case: "A probability lies between 0 and 1." if not -1e-9 <= result[0] <= 1 + 1e-9 else None,
        ),
    ),
    Exercise(
        id="3.5",
        grade="build",
        title="δ from a sample",
        question="The array `losses` is a sample of privacy losses from world Q. Write `estimate(losses, epsilon)`: the mean over the sample whose expectation is "
        "δ(ε).",
        brief=r"You have a sample of privacy losses from world $Q$. Estimate $\delta(\varepsilon)$.",
        goals=(1,),
        name="estimate",
        curve=Curve("epsilon"),
        stub="import numpy as np\n\n\ndef estimate(losses, epsilon):\n    ...\n",
        solution="""import numpy as np


def estimate(losses, epsilon):
    return np.mean(np.maximum(1 - np.exp(epsilon - np.array(losses)), 0))
""",
        explanation="δ(ε) = E_Q[max(1 − e^(ε − L), 0)]: substitute dP = e^(−L) dQ into the difference of tails.",
        hints=(
            "Write δ(ε) = Pr_Q[L > ε] − e^ε Pr_P[L > ε] with an expectation in world Q only.",
            "In world Q, Pr_P[L > ε] is the mean of e^(−L) if each loss of at most ε counts as 0. What weight does that give to each loss above ε?",
            "The mean of max(1 − e^(ε − L), 0).",
        ),
        praise="Right. An infinite loss has weight 1, and one just above ε has almost none.",
        cases=tuple((s, e) for s in _SAMPLES for e in (-0.5, 0.0, 1.0)),
        mistakes=(
            Mistake(
                lambda x, e: float(np.mean(np.asarray(x) > e)),
                "This is the share of losses above ε, Pr_Q[L > ε]. A loss just above ε should count for almost nothing.",
            ),
            Mistake(
                lambda x, e: float(np.mean(1 - np.exp(e - np.asarray(x)))),
                "Losses below ε must not count: take the positive part.",
            ),
            Mistake(
                lambda x, e: float(np.mean(np.maximum(np.exp(np.asarray(x)) - math.exp(e), 0))),
                "This would be right for losses from world P. Yours come from world Q, where large losses turn up more often.",
            ),
            Mistake(
                lambda x, e: float(np.mean(np.maximum(np.asarray(x) - e, 0))),
                "The weight of a loss is not L − ε: no weight may exceed 1.",
            ),
            Mistake(
                lambda x, e: float(np.mean(1 - np.exp(e - x[x > e]))),
                "You divide by the number of losses above ε. The mean is over the whole sample.",
            ),
            Mistake(
                lambda x, e: float(np.sum(np.maximum(1 - np.exp(e - x), 0))),
                "This is the sum. The mean over the sample is asked for.",
            ),
            Mistake(
                lambda x, e: float((1 - math.exp(e)) * np.mean(x > e)),
                "You took both tails from the sample of world Q. In world P a loss L is e^(−L) times as likely.",
            ),
            Mistake(
                lambda x, e: float(np.mean(np.maximum(1 - np.exp(x - e), 0))),
                "The exponent has the wrong sign: this counts losses below ε, and δ is about those above.",
            ),
            Mistake(
                lambda x, e: float(np.mean(np.maximum(1 - np.exp(e) * np.exp(x), 0))),
                "In world P a loss L is e^(−L) times as likely as in Q, not e^L times.",
            ),
            Mistake(
                lambda x, e: max(0.0, float(1 - np.exp(e - np.mean(x)))),
                "You took the mean of the losses first. The mean belongs outside: each loss has its own weight.",
            ),
            Mistake(
                lambda x, e: float(np.median(np.maximum(1 - np.exp(e - np.asarray(x)), 0))),
                "This is the median of the weights. δ is an expectation, which the mean estimates.",
            ),
        ),
        laws=(_between_0_and_1,),
    ),
    Exercise(
        id="3.6",
        grade="build",
        title="What the classical noise spends",
        question="Write `spent(epsilon, delta)`: the δ(epsilon) that a Gaussian mechanism of sensitivity 1 really has with the classical "
        "σ = √(2 log(1.25/δ))/ε.",
        brief=r"Compute the $\delta(\varepsilon)$ that the classical $\sigma$ for $(\varepsilon, \delta)$ really has.",
        goals=(4,),
        name="spent",
        curve=Curve("epsilon"),
        stub="from math import log, sqrt\n\nimport dptutor as dp\n\n\ndef spent(epsilon, delta):\n    ...\n",
        solution="""from math import log, sqrt

import dptutor as dp


def spent(epsilon, delta):
    sigma = sqrt(2 * log(1.25 / delta)) / epsilon
    return dp.Gaussian(sigma=sigma).privacy_profile(epsilon)
""",
        explanation="Take the σ of the formula, and evaluate the exact profile.",
        hints=(
            "Compute σ first, by the formula.",
            "dp.Gaussian(sigma=σ) has a privacy_profile.",
            "Evaluate that profile at ε. The result is not the δ that you put into the formula.",
        ),
        praise="Right. Try it at ε = 1 and at ε = 15: one wastes noise, the other breaks the promise.",
        cases=((1.0, 1e-5), (0.1, 1e-3), (5.0, 0.01), (15.0, 1e-5), (2.2, 0.01)),
        draw=lambda r: (r.uniform(0.3, 8), r.uniform(1e-5, 1e-3)),
        mistakes=(
            Mistake(
                lambda e, d: float(Gaussian(sigma=math.sqrt(2 * math.log(1.25 / d)) / e).privacy_loss.sf(e, "Q")),
                "This is Pr_Q[L > ε], which the classical proof bounds. δ is less: the second term is missing.",
            ),
            Mistake(lambda e, d: d, "This is what was promised. How much is really spent?"),
            Mistake(
                lambda e, d: float(Gaussian(sigma=math.sqrt(2 * math.log10(1.25 / d)) / e).privacy_profile(e)),
                "The logarithm is the natural one.",
            ),
            Mistake(
                lambda e, d: float(Gaussian(sigma=e / math.sqrt(2 * math.log(1.25 / d))).privacy_profile(e)),
                "You used 1/σ in place of σ: a smaller ε needs more noise.",
            ),
            Mistake(
                lambda e, d: _profile_at(math.sqrt(2 * math.log(1.25 / d) / e), e),
                "ε stands outside the root: σ is √(2 log(1.25/δ)), divided by ε.",
            ),
            Mistake(
                lambda e, d: _profile_at(math.sqrt(2 * math.log(1 / d)) / e, e),
                "The 1.25 of the formula is missing.",
            ),
            Mistake(
                lambda e, d: _profile_at(math.sqrt(math.log(1.25 / d)) / e, e),
                "The factor 2 under the root is missing.",
            ),
            Mistake(
                lambda e, d: _profile_at(math.sqrt(2 * math.log(1.25 / d)), e),
                "You did not divide by ε: a smaller ε needs more noise.",
            ),
            Mistake(
                lambda e, d: _profile_at(2 * math.sqrt(math.log(1.25 / d)) / e, e),
                "The factor 2 belongs under the root.",
            ),
            Mistake(
                lambda e, d: _profile_at(2 * math.log(1.25 / d) / e**2, e),
                "You took the variance σ² for σ: the root is missing.",
            ),
            Mistake(
                lambda e, d: _classical(e, d),
                "This is the σ of the formula. The question is which δ a Gaussian mechanism has with it.",
            ),
            Mistake(
                lambda e, d: _profile_at(_classical(e, d), 0),
                "This is δ(0), the advantage. Evaluate the profile at ε.",
            ),
        ),
        laws=(_between_0_and_1,),
        tolerance=1e-15,
        relative=1e-6,
    ),
]
