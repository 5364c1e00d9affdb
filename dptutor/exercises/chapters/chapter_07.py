"""Exercises of chapter 7: regret, the Δ-divergence and its shift."""

import math

import numpy as np
from scipy.special import logit

from ...comparing.blackwell import compare, delta_divergence
from ...mechanisms import ApproximateDP, Gaussian, Laplace, RandomizedResponse, SubsampledGaussian
from ..judging.calling import numbers
from ..judging.core import Exercise, Mistake, roughly
from ..judging.drawing import Curve
from ..judging.numerals import shown
from ..judging.questions import Question, in_percent

_PAIRS = (
    (Gaussian(sigma=1), Laplace(scale=1)),
    (Laplace(scale=1), Gaussian(sigma=1)),
    (RandomizedResponse(epsilon=1.5), Gaussian(sigma=2)),
    (Gaussian(sigma=2), ApproximateDP(epsilon=1, delta=0.05)),
    (Gaussian(sigma=1), Gaussian(sigma=3)),
    (RandomizedResponse(epsilon=0.5423728813559322), Gaussian(sigma=1.5)),  # a kink that grids miss
    (SubsampledGaussian(0.4, 0.3, direction="remove"), Gaussian(sigma=1.5)),  # the first is not symmetric
)
_GRID = np.linspace(0, 1, 20_001)


def _largest(difference, grid=_GRID):
    return max(0.0, float(np.max(difference(grid))))


def _of_profiles(m, other):
    losses = np.linspace(-12, 12, 20_001)
    return max(0.0, float(np.max(other.privacy_profile(losses) - m.privacy_profile(losses))))


def _never_negative(result, *case):
    return (
        "A Δ-divergence is never negative: at the priors 0 and 1 there is no error, and no regret."
        if result[0] < -1e-12
        else None
    )


def _at_most_half(result, *case):
    return "No Bayes error exceeds 1/2, so no regret does." if result[0] > 0.5 + 1e-12 else None


_EVEN = 1e-9  # a share of what is lost


def _duel(answer):
    """Judges two priors: one at which the Gaussian mechanism loses more, one at which the Laplace mechanism does."""
    gaussian, laplace = Gaussian(sigma=1), Laplace(scale=1)
    given = numbers(answer, "two priors between 0 and 1")
    if given.size != 2:
        return f"Give two priors, the first for Gaussian, the second for Laplace noise; you give {given.size}."
    if np.any(given > 1) and np.all((given >= 0) & (given <= 100)):
        return "Are these percentages? A prior is a probability: write 0.3 for 30%."
    if np.any((given < 0) | (given > 1)):
        return "A prior is a probability, between 0 and 1."
    # What the output takes off the error of a guess is min(π, 1 − π) δ(|logit π|): also far out, with all digits.
    loses_gaussian, loses_laplace = (m.privacy_profile(np.abs(logit(given))) for m in (gaussian, laplace))
    lead = (loses_laplace - loses_gaussian) / np.maximum(np.maximum(loses_laplace, loses_gaussian), 1e-300)
    even = np.abs(lead) <= _EVEN
    if np.any(even):
        prior = given[np.argmax(even)]
        if prior in (0, 1):
            return f"At the prior {shown(prior)} the adversary is sure already, and neither mechanism loses anything. Move away from 0 and 1."
        if min(prior, 1 - prior) < 1e-9:
            return f"At a prior as near 0 or 1 as {shown(prior)}, what the two lose is too small to compare. Move away from 0 and 1."
        return f"At the prior {shown(prior, 10)} the two lose the same, to nine digits: it is a crossing. Move away from it."
    if lead[0] < 0 < lead[1]:
        return None
    crossings = compare(gaussian, laplace).crossings
    if all(any(abs(prior - crossing) < 1e-3 for crossing in crossings) for prior in given):
        return "These are about the two crossings, where both mechanisms lose nearly the same. Move away from them."
    if lead[1] < 0 < lead[0]:
        return "The two are in the wrong order: the mechanism that loses more is the one against which the adversary errs less often."
    who = "Gaussian" if lead[0] < 0 else "Laplace"
    return f"At both of your priors the {who} mechanism loses more. Look between the crossings, and outside them."


EXERCISES = [
    Question(
        id="7.a",
        title="The largest regret",
        question="At the priors 0.2, 0.5 and 0.8 the Bayes errors against M are 0.17, 0.30 and 0.15, those against M̃ are 0.18, "
        "0.26 and 0.13. What is the largest regret, over these three adversaries, of having used M̃ in place of M?",
        goals=(2,),
        solution="errors, used = (0.17, 0.30, 0.15), (0.18, 0.26, 0.13)\n"
        "answer = max(r - other for r, other in zip(errors, used))\n",
        explanation="Regret is R − R̃: by how much the adversary’s error would have been larger with M. It is −0.01, 0.04 "
        "and 0.02; the Δ-divergence of M to M̃ is at least the largest of them.",
        hints=(
            "You used M̃. For which adversary do you most wish that you had used M?",
            "Regret is how much larger the Bayes error would have been: R − R̃.",
            "The three regrets are 0.17 − 0.18, 0.30 − 0.26 and 0.15 − 0.13.",
        ),
        praise="Right: so Δ(M‖M̃) is at least 0.04.",
        mistakes=(
            Mistake(0.01, "This is the largest R̃ − R, the regret of having used M in place of M̃."),
            Mistake(
                -0.04, "The sign is wrong: you regret that the adversary errs less often against M̃ than against M."
            ),
            Mistake(-0.01, "This is the regret at the prior 0.2, the smallest of the three."),
            Mistake(0.3, "This is the largest error against M. Regret compares the errors against M and M̃."),
            Mistake(0.04 / 0.3, "You divided by the error. Regret is the difference itself, in Bayes error."),
            Mistake(0.05 / 3, "You took the mean. The Δ-divergence is about the worst case, the largest regret."),
            Mistake(0.05, "You added them up. These are three different adversaries; take the largest."),
            Mistake(0.06, "You added up the two regrets that are positive. The largest one is asked for."),
            Mistake(0.02, "At the prior 0.8 this is right. Another adversary makes you regret more."),
            in_percent(0.04),
        ),
        tolerance=0.001,
    ),
    Question(
        id="7.b",
        title="What a zero says",
        question="Δ(M‖M̃) = 0 and Δ(M̃‖M) = 0.03. What follows?",
        goals=(1,),
        options=(
            "M protects at least as well as M̃, against every adversary.",
            "M̃ protects at least as well as M, against every adversary.",
            "The two are the same mechanism.",
            "M̃ protects better on average, but worse against some adversary.",
        ),
        solution="import dptutor as dp\n\nm, other = dp.Gaussian(sigma=1), dp.Gaussian(sigma=1.1)\n"
        "there, back = dp.delta_divergence(m, other), dp.delta_divergence(other, m)\n"
        "answer = 2 if float(there) == 0 < float(back) else 1      # nobody regrets the noisier one\n",
        explanation="Δ(M‖M̃) = 0 says that R − R̃ is never positive: M̃ is never regretted. In the other direction, "
        "some adversary makes you regret M, by 0.03.",
        hints=(
            "Δ(M‖M̃) is the largest regret R − R̃ of having used M̃ in place of M.",
            "It is 0, so R ≤ R̃ at every prior. Against which of the two do adversaries err more often?",
            "They err at least as often against M̃, and the more adversaries err, the better you are protected.",
        ),
        praise="Right: M̃ is never regretted, and the largest regret of using M is 0.03.",
        mistakes=(
            Mistake(1, "You exchanged the arguments: Δ(M‖M̃) is the regret of using M̃, and it is 0."),
            Mistake(3, "Both directions would have to be 0. Here the largest regret of using M is 0.03."),
            Mistake(
                4,
                "If some adversary erred less against M̃, then Δ(M‖M̃) would be positive. It is a largest value, not a mean.",
            ),
        ),
    ),
    Exercise(
        id="7.1",
        grade="warm-up",
        title="Regret at one prior",
        question="You use `other` where you might have used `mechanism`. Write `regret(mechanism, other, prior)`: how much "
        "smaller the Bayes error of an adversary of this prior is against your choice than against the alternative "
        "(negative if it is larger).",
        brief=r"You use $\tilde{\mathcal{M}}$ and might have used $\mathcal{M}$. By how much does your choice lower the Bayes error of an adversary with prior $\pi$?",
        goals=(2,),
        name="regret",
        curve=Curve("prior"),
        stub="def regret(mechanism, other, prior):\n    ...\n",
        solution="""def regret(mechanism, other, prior):
    return mechanism.bayes_error(prior) - other.bayes_error(prior)
""",
        explanation="You regret your choice when the adversary errs less often against it than against the alternative.",
        hints=(
            "Is a small Bayes error good for the adversary, or for you?",
            "You chose `other`. With `mechanism` the error would be R(π); with your choice it is R̃(π).",
            "regret = R(π) − R̃(π); every mechanism has .bayes_error(prior).",
        ),
        praise="Right: R(π) − R̃(π). Its largest value over all priors is Δ(mechanism‖other).",
        cases=tuple((m, other, prior) for m, other in _PAIRS for prior in (0.1, 0.3, 0.5, 0.8)),
        mistakes=(
            Mistake(
                lambda m, o, p: o.bayes_error(p) - m.bayes_error(p),
                "The sign is wrong: you regret a choice when the adversary errs less often against it. A small Bayes error is good "
                "for the adversary.",
            ),
            Mistake(
                lambda m, o, p: abs(m.bayes_error(p) - o.bayes_error(p)),
                "Without the sign a lucky choice would count as a regret. Δ is directed: Δ(M‖M̃) and Δ(M̃‖M) differ.",
            ),
            Mistake(
                lambda m, o, p: o.advantage - m.advantage,
                "These are advantages, which belong to an even prior. This adversary has a prior of its own.",
            ),
            Mistake(
                lambda m, o, p: (o.advantage - m.advantage) / 2,
                "This is the regret at an even prior, whatever the prior is.",
            ),
            Mistake(
                lambda m, o, p: max(0.0, m.bayes_error(p) - o.bayes_error(p)),
                "You stop at 0. At a single prior the regret may be negative, where your choice was the better one.",
            ),
            Mistake(
                lambda m, o, p: o.bayes_error(p),
                "This is the error against your choice. Compare it with that against the alternative.",
            ),
            Mistake(
                lambda m, o, p: m.bayes_error(p),
                "This is the error against the alternative. Compare it with that against your choice.",
            ),
            Mistake(
                lambda m, o, p: m.bayes_error(1 - p) - o.bayes_error(1 - p),
                "You took 1 − π for the prior. It makes a difference where a mechanism is not symmetric.",
            ),
            Mistake(
                lambda m, o, p: m.advantage - o.advantage,
                "These are advantages, which belong to an even prior, and a large advantage is a small Bayes error.",
            ),
            Mistake(
                lambda m, o, p: m.tradeoff(p) - o.tradeoff(p),
                "You compare trade-off functions at α = prior. A prior belongs to the Bayes error.",
            ),
            Mistake(
                lambda m, o, p: 1 - o.bayes_error(p) / m.bayes_error(p),
                "This is the relative difference. Regret is the difference of the two errors.",
            ),
        ),
    ),
    Exercise(
        id="7.2",
        grade="warm-up",
        title="How far from perfect privacy?",
        question="A mechanism’s membership advantage, δ(0), is `advantage`. Write `from_perfect_privacy(advantage)`: the "
        "Δ-divergence of perfect privacy to it, Δ(PP‖M).",
        brief=r"You know only the membership advantage of a mechanism. What is $\Delta(\mathrm{PP} \,\Vert\, \mathcal{M})$?",
        goals=(3,),
        name="from_perfect_privacy",
        curve=Curve("advantage", hidden=True),
        stub="def from_perfect_privacy(advantage):\n    ...\n",
        solution="""def from_perfect_privacy(advantage):
    return advantage / 2
""",
        explanation="Perfect privacy leaves blind guessing, min(π, 1−π). The difference min(π, 1−π) − R(π) is largest at an even "
        "prior, for R is nowhere steeper than 1. There it is 1/2 − R(1/2), and R(1/2) = (1 − δ(0))/2.",
        hints=(
            "What is the Bayes error of perfect privacy at a prior π?",
            "At which prior is min(π, 1 − π) − R(π) largest? The slope of R lies between −1 and 1.",
            "R(1/2) = (1 − δ(0))/2.",
        ),
        praise="Right: half the advantage. For a symmetric f, what is left of 1/2 is the distance to blatant "
        "non-privacy.",
        cases=((0.0,), (0.2,), (0.6,), (1.0,)),
        draw=lambda r: (r.uniform(0.05, 0.95),),
        mistakes=(
            Mistake(
                lambda a: a,
                "This is the advantage. It compares 1 − α − β with 0; a Bayes error at an even prior is (α + β)/2.",
            ),
            Mistake(
                lambda a: (1 - a) / 2,
                "This is R(1/2), for a symmetric f the distance to blatant non-privacy. From perfect privacy it is "
                "1/2 − R(1/2).",
            ),
            Mistake(lambda a: 1 - a, "This is 1 − δ(0) = 2R(1/2). Compare R(1/2) with 1/2."),
            Mistake(
                lambda a: -a / 2,
                "The size is right, the sign is not: against perfect privacy the adversary errs more often, R_PP − R ≥ 0.",
            ),
            Mistake(
                lambda a: (1 + a) / 2,
                "This is the probability of being right at an even prior. Compare it with 1/2, that of blind guessing.",
            ),
            Mistake(
                lambda a: 2 * a,
                "You multiplied by 2. The Bayes error at an even prior is the mean of α and β, and the advantage 1 − α − β.",
            ),
            Mistake(
                lambda a: a / (1 + a),
                "An advantage is a difference, not odds. What is R(1/2), and what is it for perfect privacy?",
            ),
            Mistake(
                lambda a: 0.5,
                "This is the Δ-divergence of perfect privacy to blatant non-privacy, whose advantage is 1.",
            ),
            Mistake(
                lambda a: 0.0,
                "Perfect privacy is the safer mechanism, so using the other one brings regret unless its advantage is 0.",
            ),
        ),
        laws=(_never_negative, _at_most_half),
    ),
    Exercise(
        id="7.3",
        grade="think",
        title="A duel at two priors",
        question="Compare a Gaussian mechanism with σ = 1 and a Laplace mechanism with b = 1. Give `priors = (first, second)`: a "
        "prior at which the Gaussian mechanism loses more (its adversary errs less often), and one at which the Laplace "
        "mechanism does.",
        brief="Find a prior at which the Gaussian mechanism of this chapter protects worse than the Laplace mechanism, and one at which it protects better.",
        goals=(2,),
        name="priors",
        stub="priors = None\n",
        solution="""import dptutor as dp

comparison = dp.compare(dp.Gaussian(sigma=1), dp.Laplace(scale=1))
# Δ(Lap‖Gauss) is attained where choosing Gaussian noise is regretted most, Δ(Gauss‖Lap) where Laplace noise is.
priors = (comparison.reverse_divergence.prior, comparison.divergence.prior)
""",
        explanation="Each Δ names the prior at which it is attained: there one of the mechanisms loses the most. "
        "Between the two crossings Laplace noise is the riskier choice, outside them Gaussian noise.",
        hints=(
            "Compare .bayes_error(prior) of both at a few priors.",
            "The Bayes errors cross twice: dp.compare(…).crossings. Which mechanism loses more between the crossings?",
            "At an even prior Laplace noise loses more. Now look at adversaries who lean to one side.",
        ),
        praise="Right: each mechanism protects better against some adversary. Neither dominates.",
        mistakes=(
            Mistake(
                (0.5, 0.27),
                "The two are in the wrong order: the mechanism that loses more is the one against which the adversary errs "
                "less often.",
            ),
            Mistake((27, 50), "Are these percentages? A prior is a probability: write 0.3 for 30%."),
            Mistake(
                (0.2, 0.25),
                "At both of your priors the Gaussian mechanism loses more. Look between the crossings, and outside them.",
            ),
            Mistake(
                (0.5, 0.45),
                "At both of your priors the Laplace mechanism loses more. Look between the crossings, and outside them.",
            ),
        ),
        judge=_duel,
        shape="two priors between 0 and 1",
    ),
    Exercise(
        id="7.4",
        grade="think",
        title="The shifted curve",
        question="The Δ-divergence asks for the smallest κ with f(α + κ) − κ ≤ f̃(α). Write `shifted(mechanism, kappa, alpha)`: the "
        "left side, for any α in [0, 1]; f is 0 beyond α = 1.",
        brief="Write the shifted curve in {prf:ref}`def-delta` as a function. In which direction does it move, and why must both errors be treated alike?",
        goals=(1,),
        name="shifted",
        curve=Curve("alpha"),
        stub="def shifted(mechanism, kappa, alpha):\n    ...\n",
        solution="""def shifted(mechanism, kappa, alpha):
    return mechanism.tradeoff(min(alpha + kappa, 1)) - kappa
""",
        explanation="The graph of f(α + κ) − κ is that of f, moved to the left by κ and down by κ: both errors get smaller by κ.",
        hints=(
            "To which side does the graph of f(α + κ) move, as κ grows?",
            "To the left, by κ; and the − κ moves it down by as much.",
            "mechanism.tradeoff takes numbers up to 1: beyond, f is 0.",
        ),
        praise="Right: down and to the left, both errors smaller by κ.",
        cases=tuple(
            (m, k, a)
            for m in (Gaussian(sigma=1), Laplace(scale=1))
            for k in (0.0, 0.1, 0.3)
            for a in (0.2, 0.6, 0.95, 0.0, 1.0)
        ),
        mistakes=(
            Mistake(
                lambda m, k, a: m.tradeoff(max(a - k, 0)) - k,
                "f(α − κ) moves the curve to the right. Both errors should get smaller, so the shift goes to the "
                "left: f(α + κ).",
            ),
            Mistake(
                lambda m, k, a: m.tradeoff(min(a + k, 1)) + k,
                "Left is correct, but + κ lifts the curve. Both errors should get smaller: − κ.",
            ),
            Mistake(
                lambda m, k, a: m.tradeoff(a) - k,
                "You only move the curve down. The definition treats both errors alike: left by κ as well.",
            ),
            Mistake(
                lambda m, k, a: m.tradeoff(min(a + k, 1)),
                "You only move the curve to the left. The definition treats both errors alike: down by κ as well.",
            ),
            Mistake(
                lambda m, k, a: max(0.0, m.tradeoff(min(a + k, 1)) - k),
                "You stop at 0, but the shifted curve goes on below it.",
            ),
            Mistake(
                lambda m, k, a: m.tradeoff(min(a + k, 1)) - k if a + k <= 1 else 0.0,
                "f is 0 beyond α = 1, but the left side is f(α + κ) − κ there, which is not 0.",
            ),
            Mistake(
                lambda m, k, a: m.tradeoff(max(a - k, 0)) + k,
                "You moved the curve up and to the right. Both errors should get smaller: down and to the left.",
            ),
            Mistake(
                lambda m, k, a: m.tradeoff(max(a - k, 0)),
                "You only moved the curve to the right. Both errors should get smaller: down and to the left.",
            ),
            Mistake(
                lambda m, k, a: m.tradeoff(a) - 2 * k,
                "You moved the curve down twice. One of the shifts is to the left, in the argument of f.",
            ),
            Mistake(
                lambda m, k, a: m.tradeoff(a),
                "This is f itself. Where does κ enter?",
            ),
        ),
    ),
    Exercise(
        id="7.5",
        grade="build",
        title="Δ in closed form",
        question="For two randomized responses with privacy parameters `epsilon` and `other`, write "
        "`delta_rr(epsilon, other)`: Δ(RR(epsilon)‖RR(other)), in closed form.",
        brief=r"Find $\Delta$ between two randomized responses in closed form. Where is it attained?",
        goals=(2,),
        name="delta_rr",
        curve=Curve("epsilon", hidden=True),
        stub="from math import exp\n\n\ndef delta_rr(epsilon, other):\n    ...\n",
        solution="""from math import exp


def delta_rr(epsilon, other):
    # R(π) = min(π, 1 − π, 1/(1 + e^ε)): the two differ most where both are flat.
    return max(0.0, 1 / (1 + exp(epsilon)) - 1 / (1 + exp(other)))
""",
        explanation="The Bayes error of randomized response is blind guessing, cut off at the error 1/(1 + e^ε) of "
        "trusting the output. The difference of two such curves is largest at an even prior.",
        hints=(
            "What is the Bayes error R(π) of randomized response? Which tests does it choose between?",
            "R(π) = min(π, 1 − π, 1/(1 + e^ε)).",
            "The difference is largest where both are flat, and a Δ-divergence is never negative.",
        ),
        praise="Right, and 0 exactly where the first dominates: when its ε is the larger.",
        cases=((0.5, 1.0), (2.0, 1.0), (1.0, 1.0), (0.0, 3.0), (3.0, 0.0)),
        draw=lambda r: (r.uniform(0.2, 1), r.uniform(1.2, 3)),
        mistakes=(
            Mistake(
                lambda e, o: abs(1 / (1 + math.exp(e)) - 1 / (1 + math.exp(o))),
                "This is the symmetrized divergence. Δ is 0 when the first mechanism dominates, that is, when epsilon ≥ other.",
            ),
            Mistake(
                lambda e, o: max(0.0, 1 / (1 + math.exp(o)) - 1 / (1 + math.exp(e))),
                "You exchanged the two: Δ(M‖M̃) = max [R − R̃] is the regret of choosing the second.",
            ),
            Mistake(
                lambda e, o: max(0.0, math.exp(-e) - math.exp(-o)),
                "e^−ε is the odds of a lie. The error of trusting the output is a probability.",
            ),
            Mistake(
                lambda e, o: max(0.0, math.exp(o) / (1 + math.exp(o))),
                "This is the probability that the second one tells the truth. Compare the Bayes errors of the two.",
            ),
            Mistake(
                lambda e, o: max(0.0, (o - e) / 4),
                "This is the first term for small ε. A closed form for all ε is asked for.",
            ),
            Mistake(
                lambda e, o: 1 / (1 + math.exp(max(o - e, 0.0))),
                "Parameters do not subtract here. Write down the Bayes error of each of the two.",
            ),
            Mistake(
                lambda e, o: max(0.0, math.tanh(o / 2) - math.tanh(e / 2)),
                "This is the difference of the advantages, twice that of the Bayes errors at an even prior.",
            ),
            Mistake(
                lambda e, o: 1 / (1 + math.exp(e)) - 1 / (1 + math.exp(o)),
                "This is right where it is positive. Elsewhere the largest regret is another one: look at the priors 0 and 1.",
            ),
            Mistake(
                lambda e, o: max(0.0, o - e),
                "You took the difference of the parameters, which are privacy losses. Δ is a difference of Bayes errors.",
            ),
        ),
        laws=(_never_negative, _at_most_half),
    ),
    Exercise(
        id="7.6",
        grade="build",
        title="Your own Δ-divergence",
        question="Write `delta(mechanism, other)`: Δ(mechanism‖other), right to six digits for any two mechanisms, from their "
        "Bayes errors alone.",
        brief="Program the Δ-divergence of any two mechanisms from their Bayes errors alone, correct to six digits. What would you need in order to *prove* it correct?",
        goals=(2,),
        name="delta",
        stub="import numpy as np\n\n\ndef delta(mechanism, other):\n    ...\n",
        solution="""import numpy as np


def delta(mechanism, other):
    priors = np.linspace(0, 1, 2001)
    for _ in range(6):   # look ever closer at where the difference is largest
        difference = mechanism.bayes_error(priors) - other.bayes_error(priors)
        best = priors[np.argmax(difference)]
        width = 2 * (priors[1] - priors[0])
        priors = np.linspace(max(best - width, 0), min(best + width, 1), 2001)
    return max(0.0, np.max(difference))
""",
        explanation="A grid alone misses kinks by its own spacing; looking closer where the difference is largest "
        "finds them. This is no proof, though: a second peak could be hidden. The library keeps every "
        "interval that may contain one.",
        hints=(
            "Which function of the prior do you maximize? Which value does it have at the priors 0 and 1?",
            "A grid of a hundred priors gives two or three digits. Refine around the best one.",
            "Six rounds of a new grid, two steps wide around the best prior, are plenty.",
        ),
        praise="Right. The library adds a proof: a bound on what may be hidden between the priors that it looked at.",
        cases=_PAIRS,
        exact=lambda m, o: float(delta_divergence(m, o)),
        without=("delta_divergence", "symmetric_delta_divergence", "compare", "tradeoff", "privacy_profile"),
        mistakes=roughly(
            1e-5,
            Mistake(
                lambda m, o: _largest(lambda x: m.bayes_error(x) - o.bayes_error(x), np.linspace(0, 1, 101)),
                "A grid of a hundred priors misses the maximum: six digits need a closer look around the best prior.",
            ),
            Mistake(
                lambda m, o: _largest(lambda x: m.bayes_error(x) - o.bayes_error(x), np.linspace(0, 1, 1001)),
                "A grid of a thousand priors misses kinks by up to its spacing: look closer around the best prior.",
            ),
            Mistake(
                lambda m, o: _largest(lambda x: m.bayes_error(x) - o.bayes_error(x), np.linspace(0, 1, 10_001)),
                "A grid of ten thousand priors still misses kinks, by up to its spacing. Look closer around the best prior.",
            ),
            Mistake(
                lambda m, o: _largest(lambda x: m.bayes_error(x) - o.bayes_error(x), np.linspace(0, 1, 100_001)),
                "This agrees with a grid of a hundred thousand priors, which is not enough for every pair: where a kink falls "
                "between two of them, the sixth digit is wrong. Look closer around the best prior.",
            ),
            Mistake(
                lambda m, o: float(delta_divergence(o, m)),
                "You exchanged the two: Δ(M‖M̃) = max [R − R̃] is the regret of choosing the second.",
            ),
            Mistake(
                lambda m, o: float(o.advantage / 2),
                "This compares `other` with perfect privacy. The alternative is `mechanism`.",
            ),
            Mistake(
                lambda m, o: float(np.min(m.bayes_error(_GRID) - o.bayes_error(_GRID))),
                "You took the smallest difference. The Δ-divergence is the largest R − R̃.",
            ),
            Mistake(
                lambda m, o: float(np.mean(m.bayes_error(_GRID) - o.bayes_error(_GRID))),
                "This is the mean regret over all priors. The Δ-divergence is the largest one.",
            ),
            Mistake(
                lambda m, o: max(float(delta_divergence(m, o)), float(delta_divergence(o, m))),
                "This is the symmetrized divergence, max |R − R̃|. Keep the sign of the difference.",
            ),
            Mistake(
                _of_profiles,
                "You maximize δ̃ − δ, which is not yet a regret: a Bayes error is R = (1 − π)(1 − δ(ε)).",
            ),
            Mistake(
                lambda m, o: max(0.0, (o.advantage - m.advantage) / 2),
                "You only looked at an even prior. The worst adversary may have another one.",
            ),
        ),
        laws=(_never_negative, _at_most_half),
        tolerance=1e-6,
    ),
]
