"""Exercises of chapter 12: posterior beliefs, how often they exceed a tolerance, and the noise that keeps a promise."""

import math

import numpy as np
from scipy.special import expit, logit, ndtr, ndtri

from ...mechanisms import Gaussian, Laplace, RandomizedResponse
from ...risk.calibration import calibrate
from ...risk.identifiability import PosteriorBelief
from ..judging.core import Exercise, Mistake
from ..judging.drawing import Curve
from ..judging.questions import PROBABILITY, Question, Within, in_percent

_MECHANISMS = (Gaussian(sigma=1), Laplace(scale=0.7), RandomizedResponse(epsilon=2))


def _exceeds(sigma, belief, prior):
    return PosteriorBelief(Gaussian(sigma=sigma), prior).sf(belief)


def _noise(belief, probability):
    z = ndtri(probability)
    return 1 / (z + math.sqrt(z**2 + 2 * logit(belief)))


def _profile_noise(belief, probability):
    return calibrate(lambda s: Gaussian(sigma=s), posterior_belief=belief, delta=probability).sigma


def _sum(sigma, steps):
    return steps / (2 * sigma**2)


def _improved(rho, delta):
    """The smallest ε of the conversion with the factor (1/s)(1 − 1/s)^(s − 1), over all orders."""
    s = 1 + np.geomspace(1e-3, 1e4, 20_001)
    return float(np.min(rho * s + (np.log(1 / (s * delta)) + (s - 1) * np.log1p(-1 / s)) / (s - 1)))


def _converted(rho, log_inverse):
    return rho + 2 * math.sqrt(rho * log_inverse)


def _probability(result, *case):
    return "A probability lies between 0 and 1; yours does not." if not -1e-9 <= result[0] <= 1 + 1e-9 else None


def _belief(result, *case):
    return "A belief lies between 0 and 1; yours does not." if not -1e-9 <= result[0] <= 1 + 1e-9 else None


EXERCISES = [
    Question(
        id="12.a",
        title="A tolerated belief",
        question="No one who starts from the prior belief b = 0.25 that you are in the data may end with a belief "
        "above ρ = 0.9. What is the largest ε of pure differential privacy that guarantees it? Give two decimals.",
        goals=(1,),
        solution="import dptutor as dp\n\nanswer = float(dp.epsilon_for_posterior_belief(0.9, membership_prior=0.25))\n",
        explanation="The log-odds of a belief are those of the prior plus the loss, which is at most ε. From odds of "
        "1/3 to odds of 9 is a factor of 27, so ε = log 27.",
        hints=(
            "What happens to the log-odds of a belief when the output is read?",
            "The privacy loss is added, and it is at most ε. So ε is the difference of two log-odds.",
            "logit ρ − logit b = log 9 − log(1/3).",
        ),
        praise="Right: logit ρ − logit b = log 27.",
        mistakes=(
            Mistake(math.log(9), "This is logit ρ, for an even prior. Take the prior 0.25 into account."),
            Mistake(
                math.log(3),
                "You added the log-odds of the prior. Someone who starts low is farther from 0.9: subtract them.",
            ),
            Mistake(27, "This is e^ε, the factor of the odds. Take its logarithm."),
            Mistake(math.log10(27), "Use the natural logarithm: e^ε is a likelihood ratio."),
            Mistake(math.log(0.9 / 0.25), "You compared probabilities. What the output multiplies is the odds."),
            Mistake(0.65, "Beliefs do not move by differences. Their log-odds do."),
            Mistake(math.log(36), "You took the prior 0.25 for its odds, which are 0.25/0.75."),
            Mistake(math.log(2.7), "The odds of the tolerance are 0.9/0.1. You took 0.9 itself."),
        ),
        laws=(Within(0, math.inf, "ε is not negative: with ε = 0 the belief stays at the prior."),),
        tolerance=0.006,
    ),
    Question(
        id="12.b",
        title="How sure can anyone become?",
        question="A mechanism is ε-DP with ε = log 6. Before seeing the output, an adversary believes with probability "
        "b = 0.2 that you are in the data. How large can this belief become?",
        goals=(2,),
        solution="from math import log\n\nimport dptutor as dp\n\nanswer = float(dp.posterior_belief_bound(log(6), membership_prior=0.2))\n",
        explanation="The odds are 0.2/0.8 = 1/4 before, and the output multiplies them by at most 6. Odds of 3/2 are "
        "a belief of 0.6.",
        hints=(
            "By what factor, at most, can an output multiply the odds?",
            "By e^ε = 6. The prior odds are 0.2/0.8.",
            "The odds become 6/4 = 1.5. As a probability, that is 1.5/(1 + 1.5).",
        ),
        praise="Right: odds of 1 to 4 become odds of 6 to 4 at most.",
        mistakes=(
            Mistake(6 / 7, "You forgot the prior: this is the bound for an even one."),
            Mistake(1.2, "You multiplied the probability by e^ε. What is multiplied is the odds."),
            Mistake(1.5, "These are the odds. As a probability, 1.5/(1 + 1.5)."),
            Mistake(0.4, "This is the belief that is left for “not in the data”."),
            Mistake(math.log(6) / (4 + math.log(6)), "You used ε where e^ε belongs: e^ε is 6."),
            Mistake(24 / 25, "You took 0.2 for the prior of “not in the data”. Here b is the belief “in”."),
            in_percent(0.6),
            Mistake(
                1.2 / 2.2,
                "You took the probability 0.2 for the odds. The odds of 0.2 are 0.2/0.8.",
            ),
            Mistake(
                0.2,
                "This is the belief before the output. The largest one after it is asked for.",
            ),
            Mistake(
                0.25, "These are the odds before the output. Multiply them by e^ε, and turn them into a probability."
            ),
            Mistake(
                0.2 * math.log(6), "You multiplied the probability by ε. What is multiplied is the odds, and by e^ε."
            ),
        ),
        laws=(PROBABILITY,),
        tolerance=0.005,
    ),
    Exercise(
        id="12.1",
        grade="warm-up",
        title="After the output",
        question="Before seeing the output, an adversary believes with probability `prior` that you are in the data. "
        "The output has the privacy loss `loss`. Write `posterior(loss, prior)`: the belief after it.",
        brief="Turn a prior belief and a privacy loss into a posterior belief.",
        goals=(1,),
        name="posterior",
        curve=Curve("loss"),
        stub="from math import exp\n\n\ndef posterior(loss, prior):\n    ...\n",
        solution="""from math import exp


def posterior(loss, prior):
    return prior * exp(loss) / (prior * exp(loss) + 1 - prior)
""",
        explanation="Bayes’ rule: the odds of being in the data, prior/(1 − prior), are multiplied by q/p = e^loss.",
        hints=(
            "Work with odds. Which factor takes the odds before the output to the odds after it?",
            "q/p = e^loss. The odds after the output are e^loss · prior/(1 − prior).",
            "Odds o are a probability o/(1 + o): prior·e^loss/(prior·e^loss + 1 − prior).",
        ),
        praise="Right. In log-odds it is a sum: the loss plus the log-odds of the prior.",
        cases=((0.0, 0.3), (2.0, 0.5), (-1.0, 0.2), (3.0, 0.01), (0.5, 0.9)),
        draw=lambda r: (r.uniform(-2, 3), r.uniform(0.05, 0.8)),
        mistakes=(
            Mistake(
                lambda x, b: expit(x),
                "You start from even odds whatever the prior is. Multiply e^loss by the odds of the prior.",
            ),
            Mistake(
                lambda x, b: expit(x - logit(b)),
                "You weigh by the prior of the other world: here `prior` is the belief that you are in.",
            ),
            Mistake(
                lambda x, b: expit(logit(b) - x),
                "The direction is reversed: a positive loss speaks for world Q, so it raises the belief.",
            ),
            Mistake(
                lambda x, b: b * math.exp(x) / (1 - b),
                "These are the odds after the output. A probability is odds/(1 + odds).",
            ),
            Mistake(
                lambda x, b: b * math.exp(x),
                "Bayes’ rule divides by the probability of the output in both worlds together.",
            ),
            Mistake(
                lambda x, b: b + x,
                "A loss adds to log-odds, not to the belief itself.",
            ),
            Mistake(
                lambda x, b: logit(b) + x,
                "These are the log-odds after the output. Turn them into a probability.",
            ),
            Mistake(
                lambda x, b: b * math.exp(x) / (b * math.exp(x) + (1 - b) * math.exp(-x)),
                "The loss is the logarithm of q/p, so it counts once: q is e^loss times p.",
            ),
            Mistake(
                lambda x, b: b * math.exp(x) / (1 + b * math.exp(x)),
                "You took the prior for the odds. The odds of a probability are b/(1 − b).",
            ),
        ),
        laws=(_belief,),
    ),
    Exercise(
        id="12.2",
        grade="warm-up",
        title="From a tolerance to ε",
        question="No one who starts with the belief `prior` may end above `belief`. Write `epsilon(belief, prior)`: "
        "the largest ε of pure differential privacy that guarantees it.",
        brief=r"Which $\varepsilon$ keeps every belief at or below a tolerance, for a given prior?",
        goals=(1,),
        name="epsilon",
        curve=Curve("belief"),
        stub="from math import log\n\n\ndef epsilon(belief, prior):\n    ...\n",
        solution="""from math import log


def epsilon(belief, prior):
    return log(belief / (1 - belief)) - log(prior / (1 - prior))
""",
        explanation="The largest loss is ε, so the largest log-odds are ε plus those of the prior.",
        hints=(
            "How far may the log-odds of the belief rise?",
            "From log(prior/(1 − prior)) to log(belief/(1 − belief)).",
            "ε is the difference of these two.",
        ),
        praise="Right. From one half it is log(ρ/(1 − ρ)); a smaller prior leaves more room.",
        cases=((0.9, 0.5), (0.75, 0.5), (0.9, 0.1), (0.6, 0.3), (0.2, 0.001)),
        draw=lambda r: (r.uniform(0.6, 0.95), r.uniform(0.1, 0.5)),
        mistakes=(
            Mistake(
                lambda r, b: math.log((1 - b) / (1 - r)),
                "This is how the belief in the other world falls. Odds take both: ρ/(1 − ρ) against prior/(1 − prior).",
            ),
            Mistake(
                lambda r, b: math.log(r / (1 - r)),
                "This is right for a prior of one half. Subtract the log-odds of the prior.",
            ),
            Mistake(
                lambda r, b: (r / (1 - r)) / (b / (1 - b)),
                "This is the ratio of the odds, which is e^ε. Take its logarithm.",
            ),
            Mistake(lambda r, b: r / (1 - r), "These are odds. Take the logarithm, and include the prior."),
            Mistake(
                lambda r, b: math.log(r / b),
                "You compare probabilities. A loss adds to log-odds: use ρ/(1 − ρ) and prior/(1 − prior).",
            ),
            Mistake(
                lambda r, b: math.log2(r / (1 - r)) - math.log2(b / (1 - b)),
                "These are bits. Privacy losses use the natural logarithm.",
            ),
            Mistake(
                lambda r, b: math.log(b / (1 - b)) - math.log(r / (1 - r)),
                "The sign is reversed: ε is what is added to the prior’s log-odds to reach the tolerance.",
            ),
            Mistake(
                lambda r, b: logit(r) + logit(b), "You added the log-odds of the prior. The rise is the difference."
            ),
            Mistake(lambda r, b: r - b, "Beliefs do not rise by differences. Their log-odds do."),
            Mistake(
                lambda r, b: math.log(r * (1 - b) / b),
                "The odds of the tolerance are ρ/(1 − ρ). You took ρ itself.",
            ),
            Mistake(
                lambda r, b: math.log(r / (1 - r) / b),
                "The odds of the prior are prior/(1 − prior). You took the prior itself.",
            ),
        ),
    ),
    Exercise(
        id="12.3",
        grade="think",
        title="How often?",
        question="A Gaussian mechanism has sensitivity 1 and noise `sigma`; you are in the data. Write `exceeds(sigma, belief, prior)`: the probability that an "
        "adversary of that prior belief ends above `belief`.",
        brief="With what probability does the belief exceed a tolerance under Gaussian noise?",
        goals=(2,),
        name="exceeds",
        curve=Curve("belief"),
        stub="from math import log\nfrom statistics import NormalDist\n\n\ndef exceeds(sigma, belief, prior):\n    ...\n",
        solution="""from math import log
from statistics import NormalDist


def exceeds(sigma, belief, prior):
    mu = 1 / sigma
    epsilon = log(belief / (1 - belief)) - log(prior / (1 - prior))
    return NormalDist().cdf(mu / 2 - epsilon / mu)
""",
        explanation="B > ρ means L > ε, and in world Q the loss is normal with mean μ²/2 and standard deviation μ.",
        hints=(
            "Which loss leads to exactly this belief?",
            "ε = logit(belief) − logit(prior). In world Q the loss is normal with mean μ²/2 and standard deviation μ = 1/σ.",
            "Pr_Q[L > ε] = Φ((μ²/2 − ε)/μ).",
        ),
        praise="Right. That is a tail of the loss, and not δ(ε).",
        cases=((1.0, 0.9, 0.5), (0.5, 0.99, 0.5), (2.0, 0.6, 0.3), (1.0, 0.2, 0.01), (0.7, 0.4, 0.5)),
        draw=lambda r: (r.uniform(0.5, 2), r.uniform(0.6, 0.95), r.uniform(0.2, 0.5)),
        mistakes=(
            Mistake(
                lambda s, r, b: float(ndtr(1 / (2 * s) - (logit(r) - logit(b)) / s)),
                "The loss has the standard deviation 1/σ, not σ: in units of it, the rise of the log-odds is multiplied by σ.",
            ),
            Mistake(
                lambda s, r, b: Gaussian(sigma=s).privacy_profile(logit(r) - logit(b)),
                "This is δ(ε), smaller than the probability: you subtracted e^ε Pr_P[L > ε].",
            ),
            Mistake(
                lambda s, r, b: PosteriorBelief(Gaussian(sigma=s), b).sf(r, "P"),
                "This is true if you are not in the data. In world Q the loss has the mean +μ²/2.",
            ),
            Mistake(
                lambda s, r, b: 1 - _exceeds(s, r, b),
                "This is the probability of ending at or below the tolerance.",
            ),
            Mistake(
                lambda s, r, b: _exceeds(s, r, 0.5),
                "You start from one half. The loss has to lift the log-odds from those of the prior.",
            ),
            Mistake(
                lambda s, r, b: float(ndtr(-(logit(r) - logit(b)) * s)),
                "The spread is right, but the loss in world Q has the mean μ²/2, not 0.",
            ),
            Mistake(
                lambda s, r, b: float(ndtr(1 / s - r / s)),
                "You compare the output with a belief. First find the loss that leads to this belief.",
            ),
            Mistake(
                lambda s, r, b: _exceeds(s, r, 1 - b),
                "You took `prior` for π, the prior of not being in the data. Here it is the belief b that you are in.",
            ),
            Mistake(
                lambda s, r, b: (
                    b * _exceeds(s, r, b) + (1 - b) * float(PosteriorBelief(Gaussian(sigma=s), b).sf(r, "P"))
                ),
                "You average over both worlds. You are in the data: world Q is given.",
            ),
            Mistake(
                lambda s, r, b: _exceeds(1 / s, r, b),
                "You used sigma for μ. μ = 1/σ: more noise, smaller losses.",
            ),
            Mistake(
                lambda s, r, b: _exceeds(s**2, r, b),
                "You used 1/σ² for μ. The loss has mean μ²/2 and standard deviation μ, with μ = 1/σ.",
            ),
            Mistake(
                lambda s, r, b: float(ndtr((1 / (2 * s**2) - logit(r) + logit(b)) * s**2)),
                "You divided by the variance of the loss. Divide by its standard deviation, μ.",
            ),
            Mistake(
                lambda s, r, b: float(ndtr(1 / (2 * s) - math.log(r / b) * s)),
                "You compare probabilities. A loss adds to log-odds: use ρ/(1 − ρ) and prior/(1 − prior).",
            ),
        ),
        laws=(_probability,),
    ),
    Exercise(
        id="12.4",
        grade="think",
        title="What δ says about beliefs",
        question="A coin that shows “in” with probability `prior` decides the world, and an adversary with that prior "
        "belief reads the output of the mechanism `m`. Write `excess(m, belief, prior)`: the mean of max(B − "
        "belief, 0).",
        brief=r"From $\delta(\varepsilon)$ and a prior, compute the mean excess of the belief over a tolerance.",
        goals=(3,),
        name="excess",
        curve=Curve("belief"),
        stub="from math import log\n\n\ndef excess(m, belief, prior):\n    ...\n",
        solution="""from math import log


def excess(m, belief, prior):
    epsilon = log(belief / (1 - belief)) - log(prior / (1 - prior))
    return (1 - belief) * prior * m.privacy_profile(epsilon)
""",
        explanation="The density of the output is bq + (1−b)p, and B times it is bq. So the mean is ∫ max(bq − ρ(bq + (1−b)p), 0), a hockey stick.",
        hints=(
            "The output has the density bq + (1−b)p. What is B times that?",
            "It is bq. So integrate max((1−ρ) b q − ρ (1−b) p, 0), and factor out (1−ρ) b.",
            "(1−ρ) b ∫ max(q − e^ε p, 0), with e^ε = ρ(1−b)/((1−ρ)b).",
        ),
        praise="Right. This is what δ bounds: by how much beliefs exceed the tolerance on average, not how often they "
        "do.",
        cases=tuple((m, r, b) for m in _MECHANISMS for r, b in ((0.8, 0.5), (0.6, 0.2))),
        mistakes=(
            Mistake(
                lambda m, r, b: m.privacy_profile(logit(r) - logit(b)),
                "This is δ(ε) itself. The factor of q, (1 − ρ) b, is missing.",
            ),
            Mistake(
                lambda m, r, b: (1 - r) * m.privacy_profile(logit(r) - logit(b)),
                "You forgot the probability of world Q.",
            ),
            Mistake(
                lambda m, r, b: b * m.privacy_profile(logit(r) - logit(b)),
                "You forgot that the tolerance also weighs bq: ρ(bq + (1−b)p) is subtracted from bq.",
            ),
            Mistake(
                lambda m, r, b: (1 - r) * b * m.privacy_profile(logit(r)),
                "The factors are right. The ε is that of a prior of one half.",
            ),
            Mistake(
                lambda m, r, b: PosteriorBelief(m, b).sf(r),
                "This is how often the belief exceeds the tolerance, in world Q. The question is by how much, on "
                "average.",
            ),
            Mistake(
                lambda m, r, b: (1 - r) * b * PosteriorBelief(m, b).sf(r),
                "You took the probability of exceeding for δ. δ(ε) is smaller: e^ε Pr_P[L > ε] is subtracted.",
            ),
            Mistake(
                lambda m, r, b: b * PosteriorBelief(m, b).sf(r) + (1 - b) * PosteriorBelief(m, b).sf(r, "P"),
                "This is how often the belief exceeds the tolerance, in both worlds together. The question is by how "
                "much, on average.",
            ),
            Mistake(
                lambda m, r, b: r * b * m.privacy_profile(logit(r) - logit(b)),
                "The ε is right. The factor of q is b − ρb = (1 − ρ) b, not ρ b.",
            ),
            Mistake(
                lambda m, r, b: (1 - r) * (1 - b) * m.privacy_profile(logit(r) - logit(b)),
                "The ε is right, but you weigh world Q by 1 − b: here `prior` is the belief b that you are in.",
            ),
            Mistake(
                lambda m, r, b: (1 - r) * (1 - b) * m.privacy_profile(logit(r) + logit(b)),
                "You took `prior` for π, the prior of not being in the data. Here it is the belief b that you are in.",
            ),
        ),
        laws=(
            lambda result, m, r, b: (
                "No excess is larger than 1 − belief, and so no mean." if result[0] > 1 - r + 1e-9 else None
            ),
        ),
    ),
    Exercise(
        id="12.5",
        grade="think",
        title="Right, after many steps",
        question="A run has `steps` Gaussian steps, each of sensitivity 1 and noise `sigma`, all published. Write `advantage(sigma, steps)`: the expected "
        "membership advantage of the best adversary with an even prior.",
        brief="How large is the expected advantage after $k$ Gaussian steps?",
        goals=(4,),
        name="advantage",
        stub="from statistics import NormalDist\n\n\ndef advantage(sigma, steps):\n    ...\n",
        solution="""from statistics import NormalDist


def advantage(sigma, steps):
    mu = steps**0.5 / sigma
    return 2 * NormalDist().cdf(mu / 2) - 1
""",
        explanation="All steps together are one Gaussian mechanism with √k times the μ, and its total variation is 2Φ(μ/2) − 1.",
        hints=(
            "All steps together are equivalent to one Gaussian mechanism. Which one?",
            "μ² adds up, so μ = √steps/σ.",
            "The advantage is Φ(μ/2) − Φ(−μ/2).",
        ),
        praise="Right. Rényi divergences say the same: 2Φ(√(D_s/(2s))) − 1, at every order.",
        cases=((1.0, 1), (5.0, 30), (10.0, 100), (2.0, 4)),
        draw=lambda r: (r.uniform(2, 10), r.randint(2, 40)),
        mistakes=(
            Mistake(
                lambda s, k: 2 * float(ndtr(k / s / 2)) - 1,
                "Distances do not add up as k: the squares of μ do. Use √k.",
            ),
            Mistake(
                lambda s, k: min(k * (2 * float(ndtr(1 / s / 2)) - 1), 1.0),
                "Advantages do not add up: the steps are read together.",
            ),
            Mistake(
                lambda s, k: float(ndtr(math.sqrt(k) / s / 2)),
                "This is the probability that the adversary is right. The advantage is twice that, minus one.",
            ),
            Mistake(
                lambda s, k: 2 * float(ndtr(math.sqrt(k) / s)) - 1,
                "The threshold lies halfway between the two means: μ/2.",
            ),
            Mistake(
                lambda s, k: 2 * float(ndtr(1 / s / 2)) - 1,
                "This is the advantage after one step.",
            ),
            Mistake(
                lambda s, k: 2 * float(ndtr(math.sqrt(k) / s**2 / 2)) - 1,
                "You divided by σ². μ of a step is 1/σ.",
            ),
            Mistake(
                lambda s, k: float(ndtr(-math.sqrt(k) / s / 2)),
                "This is the probability that the adversary errs. The advantage is 1 minus twice that.",
            ),
            Mistake(
                lambda s, k: 2 * float(ndtr(1 / (s * math.sqrt(k)) / 2)) - 1,
                "More steps reveal more: multiply μ by √k, do not divide by it.",
            ),
            Mistake(
                lambda s, k: 1 - (2 - 2 * float(ndtr(1 / (2 * s)))) ** k,
                "You treat the steps as separate chances. Their losses add up, and the adversary guesses once, at the end.",
            ),
        ),
        laws=(_probability,),
    ),
    Exercise(
        id="12.6",
        grade="build",
        title="Keep the promise",
        question="If you are in the data, an adversary with an even prior should end above `belief` (over one half) "
        "with exactly the given `probability`. Write `noise(belief, probability)`: the σ of a Gaussian "
        "mechanism of sensitivity 1 that does it.",
        brief=r"Find the $\sigma$ with which a belief exceeds a tolerance with exactly the probability that was agreed on.",
        goals=(1,),
        name="noise",
        curve=Curve("belief"),
        stub="from math import log, sqrt\nfrom statistics import NormalDist\n\n\ndef noise(belief, probability):\n    ...\n",
        solution="""from math import log, sqrt
from statistics import NormalDist


def noise(belief, probability):
    epsilon = log(belief / (1 - belief))
    z = NormalDist().inv_cdf(probability)
    mu = z + sqrt(z**2 + 2 * epsilon)
    return 1 / mu
""",
        explanation="Φ(μ/2 − ε/μ) has to be the given probability: μ/2 − ε/μ = z, a quadratic equation with one "
        "positive root.",
        hints=(
            "Write down the probability for a given σ, as in exercise 12.3, and set it equal.",
            "μ/2 − ε/μ = z with z = Φ⁻¹(probability). Multiply by 2μ.",
            "μ² − 2zμ − 2ε = 0; the positive root is z + √(z² + 2ε), and σ = 1/μ.",
        ),
        praise="Right. dp.calibrate(…, posterior_belief=…, exceedance=…) finds the same, for any family with a continuous tail.",
        # The last two need little and much noise, so that a narrow search misses them.
        cases=((0.9, 0.01), (0.9, 0.1), (0.6, 0.001), (0.99, 0.05), (0.75, 0.3), (0.999, 0.4), (0.505, 1e-4)),
        relative=1e-6,
        draw=lambda r: (r.uniform(0.6, 0.95), r.uniform(0.005, 0.1)),
        mistakes=(
            Mistake(
                _profile_noise,
                "You solved δ(ε) = probability. That noise is too little: the tail is larger than δ.",
            ),
            Mistake(
                lambda r, t: math.sqrt(2 * math.log(1.25 / t)) / logit(r),
                "This is the classical formula, with `probability` as its δ. It does not make the probability what is asked.",
            ),
            Mistake(
                lambda r, t: 1 / (ndtri(1 - t) + math.sqrt(ndtri(1 - t) ** 2 + 2 * logit(r))),
                "You took the quantile of 1 − probability. The one of `probability` is needed, which is negative below ½.",
            ),
            Mistake(
                lambda r, t: _noise(r, t / 2),
                "You shared the probability between two tails. A belief exceeds the tolerance on one side only.",
            ),
            Mistake(
                lambda r, t: -ndtri(t) / logit(r),
                "You left out the mean of the loss, μ²/2, and solved ε/μ = −z.",
            ),
            Mistake(
                lambda r, t: 1 / (ndtri(t) + math.sqrt(ndtri(t) ** 2 + logit(r))),
                "A factor 2 is missing below the root: the equation is μ² − 2zμ − 2ε = 0.",
            ),
            Mistake(
                lambda r, t: 1 / (ndtri(t) + math.sqrt(ndtri(t) ** 2 + 2 * r)),
                "You put the belief where a loss belongs. Which loss leads from ½ to this belief?",
            ),
            Mistake(
                lambda r, t: 1 / _noise(r, t),
                "This is μ. The noise is σ = 1/μ.",
            ),
        ),
        laws=(lambda result, r, t: "A standard deviation is positive." if result[0] <= 0 else None,),
    ),
    Exercise(
        id="12.7",
        grade="build",
        title="One δ for the whole run",
        question="A run has `steps` Gaussian steps, each of sensitivity 1 and noise `sigma`, so D_s = s/(2σ²) for "
        "each, at every order s > 1. Write `promised(sigma, steps, delta)`: the belief, from an even prior, "
        "that is exceeded with probability at most δ according to Rényi divergences.",
        brief=r"From Rényi divergences, bound the belief after a run of Gaussian steps with probability at least $1 - \delta$.",
        goals=(4,),
        name="promised",
        stub="from math import exp, log, sqrt\n\n\ndef promised(sigma, steps, delta):\n    ...\n",
        solution="""from math import exp, log, sqrt


def promised(sigma, steps, delta):
    rho = steps / (2 * sigma**2)                       # the divergence of order s is rho * s
    epsilon = rho + 2 * sqrt(rho * log(1 / delta))     # the smallest rho * s + log(1/delta) / (s - 1)
    return 1 / (1 + exp(-epsilon))
""",
        explanation="Divergences of all steps add up; then one δ is converted once. The best order is s = 1 + √(log(1/δ)/ρ), with ρ = k/(2σ²).",
        hints=(
            "Add the divergences of all steps first. What is D_s of the run?",
            "Minimize ρs + log(1/δ)/(s − 1) over s > 1, with ρ = steps/(2σ²), by hand or over a fine grid.",
            "The minimum is ρ + 2√(ρ log(1/δ)); the belief is the logistic function of it.",
        ),
        praise="Right: added first, converted once, with one δ for the whole run.",
        cases=((5.0, 30, 0.01), (2.0, 1, 0.1), (10.0, 100, 1e-4), (8.0, 10, 0.05)),
        draw=lambda r: (r.uniform(3, 10), r.randint(5, 50), r.uniform(0.001, 0.05)),
        mistakes=(
            Mistake(
                lambda s, k, d: expit(k * _converted(_sum(s, 1), math.log(1 / d))),
                "You converted every step and added the ε, which pays for δ to the power of the number of steps. Add divergences, convert once.",
            ),
            Mistake(
                lambda s, k, d: expit(k * _converted(_sum(s, 1), math.log(k / d))),
                "A valid bound, but a loose one: you converted every step with δ/k and added. Add divergences, convert once.",
            ),
            Mistake(
                lambda s, k, d: expit(_converted(_sum(s, 1), math.log(1 / d))),
                "This is the bound for one step.",
            ),
            Mistake(
                lambda s, k, d: _converted(_sum(s, k), math.log(1 / d)),
                "This is ε. The belief is asked for: the logistic function of ε.",
            ),
            Mistake(
                lambda s, k, d: expit(2 * _sum(s, k) + math.log(1 / d)),
                "You took order 2. Other orders may promise more: minimize.",
            ),
            Mistake(
                lambda s, k, d: PosteriorBelief(Gaussian(sigma=s) ** k).quantile(1 - d),
                "This is the exact quantile, from the normal distribution of the loss. It is better, but the question "
                "is what Rényi divergences say.",
            ),
            Mistake(
                lambda s, k, d: expit(_improved(_sum(s, k), d)),
                "You converted with the factor (1/s)(1 − 1/s)^(s−1), which bounds δ(ε), not the probability of exceeding. For the tail it is log(1/δ)/(s − 1).",
                within=2e-4,
            ),
            Mistake(
                lambda s, k, d: expit(_converted(_sum(s, k), math.log(k / d))),
                "You shared δ among the steps. Added divergences are converted once, with all of δ.",
            ),
            Mistake(
                lambda s, k, d: expit(_converted(2 * _sum(s, k), math.log(1 / d))),
                "The ½ is missing: D_s = s/(2σ²).",
            ),
            Mistake(
                lambda s, k, d: expit(2 * math.sqrt(k / (2 * s**2) * math.log(1 / d))),
                "A term is missing: this is the smallest value of ρ(s − 1) + log(1/δ)/(s − 1). The divergence of order s is ρs.",
            ),
            Mistake(
                lambda s, k, d: float(expit(_sum(s, k) + math.sqrt(_sum(s, k) * math.log(1 / d)))),
                "This is not the smallest value of the conversion over the orders s: set its derivative in s to 0.",
            ),
        ),
        laws=(_belief,),
        tolerance=1e-4,
    ),
]
