"""Exercises of chapter 13: what a step tells, what four flaws look like, and what right guesses say about ε."""

import math

import numpy as np
from scipy.special import bdtrc, betaincinv, expit, ndtr, ndtri

from ...auditing import epsilon_from_advantage
from ..judging.core import Exercise, Mistake
from ..judging.drawing import Curve
from ..judging.questions import Question, Within


def _step(released, present, absent, sigma):
    released, present, absent = map(np.asarray, (released, present, absent))
    return float((released - (present + absent) / 2) @ (present - absent) / sigma**2)


def _p_value(wins, repetitions, mu):
    return float(bdtrc(wins - 1, repetitions, ndtr(mu / 2)))


def _contrast(middles, directions):
    return float((np.diff(middles, axis=0) * np.diff(directions, axis=0)).sum())


def _low(wins, repetitions, error):
    return float(betaincinv(wins, repetitions - wins + 1, error))


def _least(rate, delta):
    advantage = 2 * rate - 1
    return math.log(max((1 + advantage - 2 * delta) / (1 - advantage), 1.0))


def _probability(result, *case):
    return "A probability lies between 0 and 1; yours does not." if not -1e-9 <= result[0] <= 1 + 1e-9 else None


def _scale(result, *case):
    return "A scale is not negative." if result[0] < -1e-12 else None


def _ratio(result, *case):
    return "A ratio of two lengths is not negative." if result[0] < -1e-12 else None


def _arrays(*cases):
    return tuple(tuple(np.array(x) if isinstance(x, tuple) else x for x in case) for case in cases)


EXERCISES = [
    Question(
        id="13.a",
        title="At least which ε?",
        question="Against a training run that claims pure ε-DP, an attack has the errors α = 0.05 and β = 0.4 (take them "
        "as exact). How large must ε be at least? Give two decimals.",
        goals=(2,),
        solution="from math import log\n\nalpha, beta = 0.05, 0.4\n"
        "answer = max(log((1 - beta) / alpha), log((1 - alpha) / beta))\n",
        explanation="ε-DP keeps the point on or above both lines: β ≥ 1 − e^ε α, and α ≥ 1 − e^ε β. The first gives e^ε ≥ 0.6/0.05 = 12, the "
        "second only 0.95/0.4.",
        hints=(
            "ε-DP promises two lines below the curve. The point of the attack lies on or above the curve.",
            "β ≥ 1 − e^ε α and α ≥ 1 − e^ε β. Solve both for e^ε.",
            "e^ε is at least (1 − β)/α = 12 and at least (1 − α)/β. Take the larger one, then the logarithm.",
        ),
        praise="Right: log 12, from the steep line.",
        mistakes=(
            Mistake(
                math.log(0.95 / 0.4), "This is the weaker of the two lines. Both must hold, so the larger ε is needed."
            ),
            Mistake(math.log(0.4 / 0.05), "You put the misses where the power belongs: (1 − β)/α."),
            Mistake(12, "This is e^ε. Take its logarithm."),
            Mistake(math.log10(12), "Use the natural logarithm: e^ε is a likelihood ratio."),
            Mistake(math.log(0.95 / 0.05), "You used α twice: the power of the attack is 1 − β = 0.6."),
            Mistake(
                math.log(1.55 / 0.45),
                "This is what the advantage 0.55 alone shows. The point (α, β) shows more.",
            ),
            Mistake(
                math.log(8.5),
                "This is log 8.5. e^ε is at least (1 − β)/α, with the power 0.6 above and the false alarms 0.05 below.",
            ),
            Mistake(
                0.6 / 0.4, "This is the odds of catching D. e^ε compares the power with the false alarms: (1 − β)/α."
            ),
            Mistake(
                math.log(0.6 / 0.4),
                "You used β twice: the power 1 − β is compared with α, the misses β with 1 − α.",
            ),
            Mistake(math.log(1 / 0.4), "You left out α: the two ratios are (1 − β)/α and (1 − α)/β."),
            Mistake(0.55, "This is the advantage, 1 − α − β. Which ε do the two ratios (1 − β)/α and (1 − α)/β need?"),
        ),
        laws=(Within(0, math.inf, "ε is not negative, and an attack that is better than guessing shows more than 0."),),
        tolerance=0.006,
    ),
    Question(
        id="13.b",
        title="A claim that stands",
        question="An audit makes 1000 repetitions, and the claim is not refuted at the 5% level. What follows?",
        goals=(3,),
        options=(
            "The claim is true, with a probability of 95%.",
            "This adversary, on this pair and these data, did not refute it.",
            "The training keeps a smaller ε than it claims.",
            "The ε′ that was measured is the true ε.",
        ),
        solution="import dptutor as dp\n\n"
        "# The chance that an adversary who guesses blindly refutes a claim of ε = 0 is 5% at most. The test bounds no other probability.\n"
        "answer = 2\n",
        explanation="A test at 5% bounds how often a true claim is refuted. A false claim may survive for many "
        "reasons: a weak adversary, a harmless pair, too few repetitions.",
        hints=(
            "What does the 5% level bound: how often a true claim is refuted, or how often a false one stands?",
            "Only the first. Could another adversary do better, or the same one on another pair?",
            "Repetitions can refute. What was chosen before them limits what a survival says.",
        ),
        praise="Right: repetitions refute claims, they never prove one.",
        mistakes=(
            Mistake(1, "The 5% are about refuting a true claim. They give no probability to the claim itself."),
            Mistake(
                3,
                "It may just as well keep exactly what it claims, or be worse than it claims: the adversary may have "
                "been too weak.",
            ),
            Mistake(
                4, "An audit measures from below: ε′ is what this adversary has shown, and a better one may show more."
            ),
        ),
    ),
    Exercise(
        id="13.1",
        grade="warm-up",
        title="One step",
        question="A step publishes the vector `released`. The sums of clipped gradients are `present` (of D) and `absent` (of D′), the noise is `sigma`. "
        "Write `step(released, present, absent, sigma)`: what the step adds to the privacy loss.",
        brief="What does one step of a training run add to the privacy loss?",
        goals=(1,),
        name="step",
        stub="import numpy as np\n\n\ndef step(released, present, absent, sigma):\n    ...\n",
        solution="""import numpy as np


def step(released, present, absent, sigma):
    released, present, absent = np.array(released), np.array(present), np.array(absent)
    return (released - (present + absent) / 2) @ (present - absent) / sigma**2
""",
        explanation="The logarithm of the ratio of two normal densities around `present` and `absent`: the squares of `released` cancel.",
        hints=(
            "Write down the logarithm of each normal density. What is left of the difference?",
            "It is (‖released − absent‖² − ‖released − present‖²)/(2σ²).",
            "This is ⟨released − middle, present − absent⟩/σ², where middle is the mean of the two sums.",
        ),
        praise="Right. The adversary adds these up over all steps; the belief in D is the logistic function of the sum.",
        cases=_arrays(
            ((1.0, 0.0), (1.0, 0.0), (0.0, 0.0), 1.0),
            ((0.5, 2.0), (1.0, 1.0), (0.0, 1.0), 2.0),
            ((-1.0, 3.0, 0.5), (0.5, 1.0, 0.0), (0.0, -1.0, 2.0), 3.0),
        ),
        mistakes=(
            Mistake(
                lambda r, p, a, s: (
                    float(np.linalg.norm(np.subtract(r, a)) - np.linalg.norm(np.subtract(r, p))) / (2 * s**2)
                ),
                "You subtract two distances. The density of a Gaussian contains their squares.",
            ),
            Mistake(
                lambda r, p, a, s: -_step(r, p, a, s),
                "The sign is reversed: L has Q, the world of D, on top. An output near `present` speaks for D.",
            ),
            Mistake(
                lambda r, p, a, s: s * _step(r, p, a, s),
                "The noise counts twice, once for the output and once for the difference: divide by σ².",
            ),
            Mistake(
                lambda r, p, a, s: 2 * _step(r, p, a, s),
                "The densities have 2σ² below the square. You forgot the 2.",
            ),
            Mistake(
                lambda r, p, a, s: float((np.asarray(r) - np.asarray(a)) @ (np.asarray(p) - np.asarray(a)) / s**2),
                "You measure from `absent`. The output that speaks for neither lies in the middle of the two sums.",
            ),
            Mistake(
                lambda r, p, a, s: float((np.asarray(r) - np.asarray(p)) @ (np.asarray(p) - np.asarray(a)) / s**2),
                "You measure from `present`. The output that speaks for neither lies in the middle of the two sums.",
            ),
            Mistake(
                lambda r, p, a, s: _step(r, p, a, s) / 2,
                "This is half of what is right: ‖released − absent‖² − ‖released − present‖² is twice ⟨released − "
                "middle, present − absent⟩.",
            ),
            Mistake(
                lambda r, p, a, s: s**2 * _step(r, p, a, s),
                "The noise is missing: divide by σ².",
            ),
            Mistake(
                lambda r, p, a, s: float(np.asarray(r) @ (np.asarray(p) - np.asarray(a)) / s**2),
                "You measure from 0. The output that speaks for neither lies in the middle of the two sums.",
            ),
            Mistake(
                lambda r, p, a, s: expit(_step(r, p, a, s)),
                "This is the belief in D from even odds. The step adds to the privacy loss, its log-odds.",
            ),
            Mistake(
                lambda r, p, a, s: float(np.sum((np.asarray(p) - np.asarray(a)) ** 2)) / (2 * s**2),
                "This is the mean of the loss in world Q, whatever was published. The loss itself depends on `released`.",
            ),
            Mistake(
                lambda r, p, a, s: float(np.linalg.norm(np.subtract(r, a)) - np.linalg.norm(np.subtract(r, p))) / s,
                "You compare distances. The logarithm of a normal density goes with their squares.",
            ),
        ),
        laws=(),
    ),
    Exercise(
        id="13.2",
        grade="warm-up",
        title="Too far for one step",
        question="A transcript holds the local sensitivities ‖d‖ of some repetitions (rows) and steps (columns). "
        "Noise is scaled to the global sensitivity for the clipping norm `clip`; an example is removed, or, "
        "if `bounded`, replaced. Write `excess(sensitivities, clip, bounded)`: the number that proves, if it "
        "exceeds 1, that gradients are not clipped as claimed.",
        brief="Gradients were never clipped. Show this from a transcript's sensitivities.",
        goals=(4,),
        name="excess",
        stub="import numpy as np\n\n\ndef excess(sensitivities, clip, bounded):\n    ...\n",
        solution="""import numpy as np


def excess(sensitivities, clip, bounded):
    return np.max(sensitivities) / (2 * clip if bounded else clip)
""",
        explanation="No step of any repetition may move by more than the global sensitivity. A single step that does "
        "is a proof, without any statistics.",
        hints=(
            "How far can the sum of clipped gradients move when one example is removed? When it is replaced?",
            "By C, and by 2C: two gradients of length C may point in opposite directions.",
            "Divide the largest of all local sensitivities by that.",
        ),
        praise="Right. This is the first check of a transcript, and the only one that cannot err.",
        cases=_arrays(
            (((1.0, 2.0), (1.5, 0.5)), 1.0, False),
            (((1.0, 2.0), (1.5, 0.5)), 1.5, True),
            (((0.2, 0.1, 0.3),), 0.5, True),
            (((4.0, 3.0), (2.0, 5.0), (1.0, 1.0)), 3.0, False),
        ),
        mistakes=(
            Mistake(
                lambda d, c, b: float(np.max(d)) / c,
                "Replacing an example can move the sum by 2C: the sensitivity depends on what neighbors are.",
            ),
            Mistake(
                lambda d, c, b: float(np.max(d)) / (c if b else 2 * c),
                "The two cases are exchanged: C for removing, 2C for replacing.",
            ),
            Mistake(
                lambda d, c, b: float(np.mean(d)) / (2 * c if b else c),
                "The mean may be small although one step goes too far. Clipping bounds every step: take the largest.",
            ),
            Mistake(
                lambda d, c, b: float(np.max(np.sqrt(np.sum(np.square(d), 1)))) / (2 * c if b else c),
                "You add up the steps of a repetition. The bound is for each step alone.",
            ),
            Mistake(
                lambda d, c, b: float(np.max(d)) - (2 * c if b else c),
                "This is a difference, which is above 0 where a step goes too far. Give the ratio, to be compared with 1.",
            ),
            Mistake(
                lambda d, c, b: float(np.max(d)),
                "The largest local sensitivity, in which unit? Divide by the global one.",
            ),
            Mistake(
                lambda d, c, b: float(np.max(d)) / (2 * c),
                "Removing an example moves the sum by C at most; only replacing one moves it by up to 2C.",
            ),
            Mistake(
                lambda d, c, b: float(np.max(d) > (2 * c if b else c)),
                "This says whether a step goes too far. The number that is then above 1 is asked for.",
            ),
            Mistake(
                lambda d, c, b: float(np.median(d)) / (2 * c if b else c),
                "The median may be small although one step goes too far. Clipping bounds every step: take the largest.",
            ),
            Mistake(
                lambda d, c, b: float(np.max(d)) / (math.sqrt(2) * c if b else c),
                "Two clipped gradients may be opposite, which moves the sum by 2C. √2·C is for two at a right angle.",
            ),
            Mistake(
                lambda d, c, b: float(np.mean(np.max(d, axis=-1))) / (2 * c if b else c),
                "You average over the repetitions. A single step that is too long is a proof: take the largest of all.",
            ),
            Mistake(
                lambda d, c, b: float(np.max(np.mean(d, axis=0))) / (2 * c if b else c),
                "You average each step over the repetitions. One step that is too long is a proof: take the largest of all numbers.",
            ),
            Mistake(
                lambda d, c, b: float(np.max(np.sum(d, axis=1))) / (2 * c if b else c),
                "You add up all steps of a repetition. The bound is for each step by itself.",
            ),
        ),
        laws=(_ratio,),
    ),
    Exercise(
        id="13.3",
        grade="think",
        title="Half the noise",
        question="`residuals` holds, step by step, the published vector minus the sum that was used, in units of the "
        "claimed σ. Write `scale(residuals)`: the estimate (by maximum likelihood) of the factor by which "
        "the true standard deviation differs from the claimed one.",
        brief="Noise was scaled to the wrong sensitivity. Show this from a transcript's residuals.",
        goals=(4,),
        name="scale",
        stub="import numpy as np\n\n\ndef scale(residuals):\n    ...\n",
        solution="""import numpy as np


def scale(residuals):
    return np.sqrt(np.mean(np.square(residuals)))
""",
        explanation="The mean of the noise is known to be zero, so the mean square estimates the variance. About one half: noise for the wrong sensitivity.",
        hints=(
            "What is the expected square of each number, if the noise is as claimed?",
            "One. With half the noise it is one quarter.",
            "The square root of the mean of all squares.",
        ),
        praise="Right. Under a true claim, its square times the number of entries has a χ² distribution: that is the "
        "second check of a transcript.",
        cases=_arrays(
            (((1.0, -1.0), (2.0, 0.0)),),
            (((0.4, 0.6, -0.5), (0.3, -0.7, 0.2)),),
            (((0.1,), (-0.9,), (1.7,)),),
        ),
        mistakes=(
            Mistake(
                lambda u: float(np.std(u)),
                "You subtract the mean. The mean of the noise is known: zero.",
            ),
            Mistake(
                lambda u: float(np.std(u, ddof=1)),
                "You subtract the mean, and pay for it with a degree of freedom. The mean of the noise is known: zero.",
            ),
            Mistake(lambda u: float(np.mean(np.square(u))), "This is the variance. Take its square root."),
            Mistake(
                lambda u: float(np.mean(np.abs(u))),
                "The mean of |ξ| is √(2/π) for a standard normal ξ, so this is off by that factor. Use squares.",
            ),
            Mistake(
                lambda u: float(np.mean(np.linalg.norm(u, axis=-1))),
                "This is the mean length of the vectors, which grows with their dimension.",
            ),
            Mistake(
                lambda u: float(np.sqrt(np.sum(np.square(u)))),
                "This is the length of all numbers together. Take the mean of the squares, not their sum.",
            ),
            Mistake(
                lambda u: float(np.sqrt(np.mean(np.sum(np.square(u), axis=-1)))),
                "You divide by the number of steps. Each step has as many numbers as the vector has entries.",
            ),
            Mistake(
                lambda u: float(np.sqrt(np.sum(np.square(u)) / (np.size(u) - 1))),
                "No degree of freedom is lost, as the mean is known to be 0: divide by the number of entries.",
            ),
            Mistake(
                lambda u: float(np.var(u)),
                "This is a variance, around the sample’s own mean. The mean of the noise is known to be 0, and a factor "
                "of standard deviations is asked for.",
            ),
        ),
        laws=(_scale,),
    ),
    Exercise(
        id="13.4",
        grade="think",
        title="Only once",
        question="Every one of `steps` steps has sensitivity 1 and claims the noise `sigma`, but only the first step adds any. The adversary trusts the claim. "
        "Write `right(sigma, steps)`: the probability that its guess, from prior ½, is right.",
        brief="Only the first of $k$ steps adds noise. How often is an adversary who believes the claim right?",
        goals=(4,),
        name="right",
        curve=Curve("sigma"),
        stub="from statistics import NormalDist\n\n\ndef right(sigma, steps):\n    ...\n",
        solution="""from statistics import NormalDist


def right(sigma, steps):
    return NormalDist().cdf(steps / (2 * sigma))
""",
        explanation="Towards the truth L = k/(2σ²) + ξ/σ: all steps give half of μ², one gives noise. L > 0 has the probability Φ(k/(2σ)).",
        hints=(
            "Add up the loss. What does a step without noise add?",
            "Each step adds 1/(2σ²) towards the truth, and the first one adds ξ/σ as well.",
            "k/(2σ²) + ξ/σ > 0 means ξ > −k/(2σ).",
        ),
        praise="Right. All beliefs lie near the logistic function of k/(2σ²), which looks private. The guesses reveal "
        "the flaw.",
        cases=((1.0, 1), (5.0, 10), (8.0, 30), (3.0, 2)),
        draw=lambda r: (r.uniform(3, 10), r.randint(3, 20)),
        mistakes=(
            Mistake(
                lambda s, k: float(ndtr(math.sqrt(k) / (2 * s))),
                "This is right for a sound training run. Here the spread is that of a single step.",
            ),
            Mistake(
                lambda s, k: float(ndtr(1 / (2 * s))),
                "This is right after one step. The other steps add to the loss, too, though without noise.",
            ),
            Mistake(
                lambda s, k: 2 * float(ndtr(k / (2 * s))) - 1,
                "This is the advantage. The probability that the guess is right is asked for.",
            ),
            Mistake(
                lambda s, k: float(ndtr(k / s)),
                "The mean of a step’s loss is half of μ²: 1/(2σ²).",
            ),
            Mistake(
                lambda s, k: 1.0,
                "An adversary who knows of the flaw is always right from the second step on. This one adds the first step’s noise.",
            ),
            Mistake(
                lambda s, k: float(ndtr(k / (2 * s**2))),
                "You divided by σ once too often: L = k/(2σ²) + ξ/σ, so compare ξ with k/(2σ).",
            ),
            Mistake(
                lambda s, k: float(expit(k / (2 * s**2))),
                "This is the belief at the mean of the loss. The probability that the loss has the right sign is "
                "asked for.",
            ),
            Mistake(
                lambda s, k: float(ndtr(-k / (2 * s))),
                "This is the probability that the guess is wrong.",
            ),
            Mistake(
                lambda s, k: 1.0 if k > 1 else float(ndtr(1 / (2 * s))),
                "Whoever knows that only one step is noisy could be sure. This adversary trusts the claim, and adds up all outputs as if each had noise.",
            ),
        ),
        laws=(_probability,),
    ),
    Exercise(
        id="13.5",
        grade="think",
        title="The largest of many",
        question="ε′ is taken from the largest belief of `repetitions` sound training runs, each the Gaussian mechanism with `mu`. Write `largest(mu, repetitions)`: "
        "the median of this ε′, the log-odds of the largest belief in the truth from prior ½.",
        brief=r"Nothing is wrong with the training, but an auditor reports the largest belief of $R$ repetitions. What $\varepsilon'$ should you expect?",
        goals=(2,),
        name="largest",
        stub="from statistics import NormalDist\n\n\ndef largest(mu, repetitions):\n    ...\n",
        solution="""from statistics import NormalDist


def largest(mu, repetitions):
    return mu**2 / 2 + mu * NormalDist().inv_cdf(0.5 ** (1 / repetitions))
""",
        explanation="The largest is below x with probability F(x)^R. That is ½ where F(x) = 2^(−1/R), and F is normal with mean μ²/2 and standard deviation μ.",
        hints=(
            "With what probability are all repetitions below x?",
            "F(x)^R = ½, so x is the 2^(−1/R)-quantile.",
            "F belongs to a normal distribution with mean μ²/2 and standard deviation μ: μ²/2 + μ Φ⁻¹(2^(−1/R)).",
        ),
        praise="Right. It grows without limit, while ε(δ) stays: the expected maximum says more about R than about privacy.",
        cases=((1.0, 1), (0.65, 300), (0.65, 1000), (2.0, 10)),
        draw=lambda r: (r.uniform(0.3, 2), r.randint(10, 500)),
        mistakes=(
            Mistake(
                lambda m, r: m**2 / 2 + m * float(ndtri(1 - 1 / r)) if r > 1 else -1e9,
                "This is what one repetition in R exceeds. The median of the largest is the 2^(−1/R)-quantile.",
            ),
            Mistake(
                lambda m, r: m * float(ndtri(0.5 ** (1 / r))),
                "The loss towards the truth has the mean μ²/2, not 0.",
            ),
            Mistake(
                lambda m, r: -(m**2) / 2 + m * float(ndtri(0.5 ** (1 / r))),
                "This is the loss in the other world. Towards the truth its mean is +μ²/2.",
            ),
            Mistake(
                lambda m, r: m**2 / 2,
                "This is the median of one repetition. The largest of many lies above.",
            ),
            Mistake(
                lambda m, r: r * m**2 / 2 + math.sqrt(r) * m * float(ndtri(0.5)),
                "Repetitions are not steps: nothing adds up between them.",
            ),
            Mistake(
                lambda m, r: expit(m**2 / 2 + m * float(ndtri(0.5 ** (1 / r)))),
                "This is the median of the largest belief. ε′ is its log-odds.",
            ),
            Mistake(
                lambda m, r: m**2 / 2 + m**2 * float(ndtri(0.5 ** (1 / r))),
                "The standard deviation of the loss is μ, not its variance μ².",
            ),
            Mistake(
                lambda m, r: m**2 / 2 + m * float(ndtri(0.95 ** (1 / r))),
                "This is the 95% quantile of the largest. Its median is asked for.",
            ),
            Mistake(
                lambda m, r: m**2 / 2 + m * math.sqrt(2 * math.log(r)),
                "√(2 log R) is how the largest of R normal numbers grows for very many of them. Its median has an exact "
                "quantile.",
            ),
            Mistake(
                lambda m, r: m**2 / 2 + m * float(ndtri(r / (r + 1))),
                "R/(R + 1) is the mean level of the largest of R. The median of the largest is at the level 2^(−1/R).",
            ),
        ),
        stumbles=lambda m, r: (
            "With one repetition the largest belief is the only one, so the quantile that is needed there is the median."
            if r == 1
            else None
        ),
    ),
    Exercise(
        id="13.6",
        grade="build",
        title="Too many wins",
        question="A training run claims to be the Gaussian mechanism with `mu`. In `repetitions` repetitions, each with a "
        "fresh coin, an adversary was right `wins` times. Write `p_value(wins, repetitions, mu)`: the "
        "largest probability, under a true claim, of at least that many right guesses.",
        brief="Write a function that gives the p-value of a claim for a number of right guesses.",
        goals=(3,),
        name="p_value",
        stub="from math import comb\nfrom statistics import NormalDist\n\n\ndef p_value(wins, repetitions, mu):\n    ...\n",
        solution="""from math import comb
from statistics import NormalDist


def p_value(wins, repetitions, mu):
    p = NormalDist().cdf(mu / 2)
    terms = (comb(repetitions, w) * p**w * (1 - p) ** (repetitions - w) for w in range(wins, repetitions + 1))
    return sum(terms)
""",
        explanation="No adversary is right with a probability above (1 + advantage)/2 = Φ(μ/2). So the wins are at most binomial with that probability.",
        hints=(
            "With what probability, at most, is an adversary right in one repetition?",
            "With probability (1 + (2Φ(μ/2) − 1))/2 = Φ(μ/2).",
            "Take the upper tail of a binomial distribution, from `wins` on, with `wins` included.",
        ),
        praise="Right. It holds for any adversary, even one that nobody has thought of: dp.auditing.judge(guesses, claim).p_value.",
        cases=((60, 100, 0.3), (20, 20, 1.0), (10, 15, 0.6536), (3, 8, 2.0)),
        draw=lambda r: (r.randint(12, 18), r.randint(20, 25), r.uniform(0.2, 1)),
        mistakes=(
            Mistake(
                lambda w, r, m: 1 - float(bdtrc(w, r, ndtr(m / 2))),
                "This is the probability of at most `wins` right guesses. Many right guesses speak against the claim.",
            ),
            Mistake(
                lambda w, r, m: float(bdtrc(w, r, ndtr(m / 2))),
                "You start above `wins`. Evidence at least as strong as this includes this.",
            ),
            Mistake(
                lambda w, r, m: float(bdtrc(w - 1, r, 2 * ndtr(m / 2) - 1)),
                "You took the advantage for the probability of being right. That is (1 + advantage)/2.",
            ),
            Mistake(
                lambda w, r, m: float(bdtrc(w - 1, r, 0.5)),
                "This tests whether the adversary is better than a coin. The claim allows it to be right with probability Φ(μ/2).",
            ),
            Mistake(
                lambda w, r, m: float(bdtrc(w - 1, r, ndtr(m))),
                "The best threshold is in the middle: Φ(μ/2).",
            ),
            Mistake(
                lambda w, r, m: 1 - _p_value(w, r, m),
                "This is the lower tail. Many right guesses speak against the claim.",
            ),
            Mistake(
                lambda w, r, m: float(ndtr((r * ndtr(m / 2) - w) / math.sqrt(r * ndtr(m / 2) * ndtr(-m / 2)))),
                "This is the normal approximation, which may promise more than is true. The binomial distribution is "
                "exact.",
            ),
            Mistake(
                lambda w, r, m: math.comb(r, w) * ndtr(m / 2) ** w * ndtr(-m / 2) ** (r - w),
                "This is the probability of exactly `wins` right guesses. More than that would be evidence, too: add them.",
            ),
            Mistake(
                lambda w, r, m: min(1.0, 2 * _p_value(w, r, m)),
                "You doubled it, for a test on two sides. Only many right guesses speak against the claim.",
            ),
            Mistake(
                lambda w, r, m: float(bdtrc(w - 1, r, expit(m))),
                "You took mu for ε. The claim is a Gaussian mechanism, whose adversary is right with probability Φ(μ/2).",
            ),
        ),
        laws=(_probability,),
        exact=_p_value,
    ),
    Exercise(
        id="13.7",
        grade="build",
        title="The same draw again",
        question="`middles` holds the vectors m_i of all steps, `directions` the vectors e_i, both in units of σ. You "
        "suspect that every step adds the same noise. Write `contrast(middles, directions)`: the sum over pairs of "
        "neighboring steps that is always above 0 for D and below 0 for D′, if you are right.",
        brief="Write a function for the statistic that is always right when a seed is reused at every step.",
        goals=(4,),
        name="contrast",
        stub="import numpy as np\n\n\ndef contrast(middles, directions):\n    ...\n",
        solution="""import numpy as np


def contrast(middles, directions):
    return np.sum(np.diff(middles, axis=0) * np.diff(directions, axis=0))
""",
        explanation="m_i = ±e_i/2 + ξ. In the change from one step to the next ξ cancels, and ±½‖e_i − e_{i−1}‖² is left.",
        hints=(
            "Where does the repeated draw ξ go when you subtract one step from the next?",
            "m_i − m_{i−1} = ±½(e_i − e_{i−1}). What do you multiply this by to see the sign?",
            "Add up ⟨m_i − m_{i−1}, e_i − e_{i−1}⟩ from the second step on.",
        ),
        praise="Right. Against honest noise it is merely a weak test; against a reused seed it never errs.",
        cases=_arrays(
            (((0.5, 0.0), (0.0, 0.5)), ((1.0, 0.0), (0.0, 1.0))),
            (((1.2, -0.3), (1.1, 0.4), (0.7, 0.2)), ((0.5, 0.1), (0.3, 0.3), (-0.2, 0.4))),
            (((-2.0, 1.0, 0.5), (-1.8, 1.1, 0.1)), ((0.4, -0.2, 0.3), (0.1, -0.4, 1.0))),
        ),
        mistakes=(
            Mistake(
                lambda m, e: float(np.sum(np.multiply(m, e))),
                "This is the privacy loss, which the repeated draw enters once for every step. Take changes between steps.",
            ),
            Mistake(
                lambda m, e: float(np.sum(np.diff(m, axis=0) * np.asarray(e)[1:])),
                "The noise cancels, but ⟨e_i − e_{i−1}, e_i⟩ may have either sign. Take changes of both.",
            ),
            Mistake(
                lambda m, e: float(np.sum(np.asarray(m)[1:] * np.diff(e, axis=0))),
                "The noise does not cancel in m_i alone. Take changes of both.",
            ),
            Mistake(
                lambda m, e: float((np.asarray(m)[-1] - np.asarray(m)[0]) @ (np.asarray(e)[-1] - np.asarray(e)[0])),
                "You compare only the last step with the first. The sum over all neighboring steps is asked for.",
            ),
            Mistake(
                lambda m, e: float(np.mean(np.diff(m, axis=0) * np.diff(e, axis=0))),
                "This is the mean over all numbers. The sum is asked for.",
            ),
            Mistake(
                lambda m, e: float(np.sum(np.square(np.diff(m, axis=0)))),
                "These are the squares of the changes, which are positive in both worlds. Multiply by the changes of the directions.",
            ),
            Mistake(
                lambda m, e: float(np.sum(np.square(np.diff(e, axis=0)))) / 2,
                "This is what the contrast is for D if you are right, ½ Σ‖e_i − e_{i−1}‖². It has to be computed from what was published.",
            ),
            Mistake(
                lambda m, e: -_contrast(m, e),
                "The sign is reversed: it should be above 0 for D. One of the two changes is taken backward.",
            ),
            Mistake(
                lambda m, e: float(np.sum(np.diff(m) * np.diff(e))),
                "These are differences between the coordinates of a vector. Take changes from step to step: np.diff(…, axis=0).",
            ),
            Mistake(
                lambda m, e: float(np.sum((np.asarray(m) - np.mean(m)) * np.asarray(e))),
                "You take one number off everywhere, but the repeated draw is a vector. Take changes from step to step.",
            ),
            Mistake(
                lambda m, e: float(np.sum((np.asarray(m) - np.mean(m, axis=0)) * np.asarray(e))),
                "This does have the two signs, too: the mean over the steps contains the repeated draw. The sum over neighboring steps is asked for.",
            ),
        ),
    ),
    Exercise(
        id="13.8",
        grade="build",
        title="At least this much",
        question="An adversary was right `wins` times (not always) in `repetitions` repetitions. Write "
        "`at_least(wins, repetitions, delta)`: the smallest ε that a training run, whatever its mechanism, can "
        "have at this δ, with 95% confidence (one-sided; 0 if nothing is shown).",
        brief=r"Write a function for the lower limit of $\varepsilon$ that assumes nothing.",
        goals=(2,),
        name="at_least",
        stub="from math import log\n\nfrom scipy.stats import beta\n\n\ndef at_least(wins, repetitions, delta):\n    ...\n",
        solution="""from math import log

from scipy.stats import beta


def at_least(wins, repetitions, delta):
    low = beta.ppf(0.05, wins, repetitions - wins + 1)     # Pr[Bin(R, low) >= wins] = 0.05
    advantage = 2 * low - 1
    return log(max((1 + advantage - 2 * delta) / (1 - advantage), 1))
""",
        explanation="The Clopper–Pearson lower limit for the probability of being right, turned into an advantage; "
        "then the smallest ε that allows it.",
        hints=(
            "First find a lower limit for the probability of being right. At which p do that many wins, or more, have "
            "probability exactly 5%?",
            "At the 5% quantile of the beta distribution with parameters wins and R − wins + 1.",
            "a = 2p − 1, and a(e^ε + 1) ≤ e^ε − 1 + 2δ gives ε ≥ log((1 + a − 2δ)/(1 − a)).",
        ),
        praise="Right. This number assumes nothing about noise, network or adversary. The price is that it is smaller than an estimate that knows the noise.",
        cases=((80, 100, 0.01), (190, 300, 0.01), (299, 300, 1e-5), (50, 100, 0.05)),
        draw=lambda r: (r.randint(70, 95), r.randint(100, 110), r.uniform(0.005, 0.03)),
        mistakes=(
            Mistake(
                lambda w, r, d: _least(w / r, d),
                "You took the share itself. Chance may have helped: use a lower limit.",
            ),
            Mistake(
                lambda w, r, d: _least(_low(w, r, 0.025), d),
                "This is the lower end of a two-sided interval. One-sided, all 5% lie below.",
            ),
            Mistake(
                lambda w, r, d: _least(_low(w, r, 0.05), 0.0),
                "This is right for δ = 0. Some of the advantage may be due to δ.",
            ),
            Mistake(
                lambda w, r, d: _least((1 + _low(w, r, 0.05)) / 2, d),
                "You used the probability of being right as the advantage. The advantage is 2p − 1.",
            ),
            Mistake(
                lambda w, r, d: _least(1 - _low(r - w + 1, r, 0.05), d),
                "This limit is on the wrong side, or belongs to another number of wins: at it, `wins` or more should "
                "have probability 5%.",
            ),
            Mistake(
                lambda w, r, d: _least(float(w / r - 1.6448536269514722 * math.sqrt(w / r * (1 - w / r) / r)), d),
                "This is the normal approximation, which is not valid near 0 and 1. Use the beta distribution.",
            ),
            Mistake(
                lambda w, r, d: math.log(max((2 * _low(w, r, 0.05) - d) / (2 - 2 * _low(w, r, 0.05)), 1.0)),
                "You subtract δ once. In a(e^ε + 1) ≤ e^ε − 1 + 2δ it counts twice.",
            ),
            Mistake(
                lambda w, r, d: epsilon_from_advantage(w, r, d, confidence=0.9).low,
                "This assumes that the mechanism is Gaussian. The bound should hold whatever the mechanism.",
            ),
            Mistake(
                lambda w, r, d: _least(float(w / r - math.sqrt(math.log(20) / (2 * r))), d),
                "This is Hoeffding’s limit, which is valid, but smaller. The Clopper–Pearson limit is asked for, from "
                "the beta distribution.",
            ),
            Mistake(
                lambda w, r, d: math.log(max(_low(w, r, 0.05) / (1 - _low(w, r, 0.05)), 1.0)) + d,
                "δ is subtracted, not added: some of the advantage may be due to it.",
            ),
            Mistake(
                lambda w, r, d: math.log(max((2 * _low(w, r, 0.05) - 1 - d) / (1 - _low(w, r, 0.05)), 1.0)),
                "Solve a(e^ε + 1) ≤ e^ε − 1 + 2δ for e^ε. The numerator is not the advantage alone.",
            ),
        ),
        laws=(lambda result, *case: "ε is not negative." if result[0] < -1e-12 else None,),
    ),
]
