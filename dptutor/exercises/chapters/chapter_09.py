"""Exercises of chapter 9: composition, its accountants, and sampling."""

import math

import numpy as np
from scipy.special import ndtr

from ...mechanisms import Gaussian, Laplace
from ..judging.core import Exercise, Mistake
from ..judging.drawing import Curve
from ..judging.numerals import shown
from ..judging.questions import Question, Within

_ORDERS = (1.5, 2.0, 3.0, 5.0, 8.0, 16.0, 32.0, 64.0)
_RENYI = (
    (np.array(_ORDERS), np.array(_ORDERS) / 800, 100, 1e-5),
    (np.array(_ORDERS), np.array(_ORDERS) / 200, 10, 1e-3),
    (np.array([2.0, 4.0, 9.0]), np.array([0.01, 0.03, 0.2]), 50, 1e-6),
    (np.array([2.0, 4.0, 9.0]), np.array([0.2, 0.9, 4.0]), 5, 0.1),  # the first order is the best
)
_SAMPLED = tuple(
    (m, rate, epsilon)
    for m in (Gaussian(sigma=1), Laplace(scale=0.5))
    for rate in (0.1, 0.5)
    for epsilon in (0.0, 0.05, 0.3, 0.9)
)


def _best(orders, divergences, epsilon):
    return min(epsilon(s, d) for s, d in zip(orders, divergences, strict=True))


def _directions(m, rate, epsilon):
    inner = math.log(1 + math.expm1(epsilon) / rate)
    left = 1 - (1 - rate) * math.exp(epsilon)
    other = left * m.privacy_profile(math.log(rate * math.exp(epsilon) / left)) if left > 0 else 0.0
    return rate * m.privacy_profile(inner), other


def _truths(epsilon, steps):
    """Probabilities of 0, 1, …, k true answers in world Q, and the loss of each."""
    truth, n = 1 / (1 + math.exp(-epsilon)), np.arange(steps + 1)
    ways = np.array([math.comb(steps, int(i)) for i in n], dtype=float)
    return ways * truth**n * (1 - truth) ** (steps - n), (2 * n - steps) * epsilon


def _response(epsilon, steps, at):
    q, loss = _truths(epsilon, steps)
    return float(q @ np.maximum(1 - np.exp(at - loss), 0))


def _amplified(epsilon, rate):
    return math.log1p(rate * math.expm1(epsilon))


def _gauss_error(mu, prior):
    epsilon = math.log(prior / (1 - prior))
    return prior * ndtr(-epsilon / mu - mu / 2) + (1 - prior) * ndtr(epsilon / mu - mu / 2)


def _unit(mu, prior):
    """What the value of the integrand at t = 0 adds to the Bayes error, for each unit of the step."""
    return 4 * math.exp(-(mu**2) / 8) / (2 * math.pi) * math.sqrt(prior * (1 - prior))


def _summed(mu, prior, step, end):
    """The sum over t from -end to end."""
    t = step * np.arange(-round(end / step), round(end / step) + 1)
    integrand = np.exp(-(0.25 + t**2) * mu**2 / 2) * np.cos(math.log(prior / (1 - prior)) * t) / (0.25 + t**2)
    return float(step * integrand.sum()) / (2 * math.pi) * math.sqrt(prior * (1 - prior))


_STEPS = 0.1, 0.05, 0.02, 0.01, 0.005, 0.001
_ROUGH = (
    *(
        Mistake(
            lambda mu, x, h=h: _gauss_error(mu, x) + h * _unit(mu, x),
            f"You count t = 0 twice: a sum over t ≥ 0, doubled, has the middle once too often (your step seems to be {shown(h)}).",
        )
        for h in _STEPS
    ),
    *(
        Mistake(
            lambda mu, x, h=h: _gauss_error(mu, x) - h * _unit(mu, x),
            f"You leave out t = 0, where the integrand is largest (your step seems to be {shown(h)}).",
        )
        for h in _STEPS
    ),
    *(
        Mistake(
            lambda mu, x, h=h: _gauss_error(mu, x) / h,
            f"The sum has to be multiplied by its step, which seems to be {shown(h)}, to stand for the integral.",
        )
        for h in _STEPS
    ),
    *(
        Mistake(
            lambda mu, x, h=h: _summed(mu, x, h, 50),
            f"Your step, about {shown(h)}, is too long: images of the function, 2π/{shown(h)} apart, add to the result. Halve it.",
            within=within,
        )
        for h, within in ((1, 1e-3), (0.5, 1e-4), (0.25, 1e-6))
    ),
    *(
        Mistake(
            lambda mu, x, end=end: _summed(mu, x, 0.001, end),
            f"Your sum ends too early, near t = {shown(end)}: for a small mu the transform is not small there yet.",
            within=within,
        )
        for end, within in ((1, 1e-2), (2, 5e-3), (3, 2e-3), (5, 1e-3), (10, 5e-5))
    ),
)


EXERCISES = [
    Question(
        id="9.a",
        title="Two Gaussian outputs",
        question="Two Gaussian mechanisms with μ = 1.2 and μ = 1.6 publish outputs about the same data. Together they "
        "reveal as much as one Gaussian mechanism. What is its μ?",
        goals=(1,),
        solution="from math import sqrt\n\nanswer = sqrt(1.2**2 + 1.6**2)\n",
        explanation="The losses are independent and normal with variances 1.2² and 1.6². Variances add up, to 4, so μ = 2.",
        hints=(
            "Losses add up. What is the distribution of the sum of two independent normal losses?",
            "Normal again; the variances μ² add up, and so do the means μ²/2.",
            "μ² = 1.2² + 1.6².",
        ),
        praise="Right: the squares add up.",
        mistakes=(
            Mistake(2.8, "The μ do not add up, their squares do, since the two noises are independent."),
            Mistake(4, "This is μ². Take the root."),
            Mistake(
                1.4, "This is the mean, less than the larger one alone. The other output adds to what is revealed."
            ),
            Mistake(1.6, "This is the larger one alone. The other output reveals something, too."),
            Mistake(1.92, "You multiplied the two. For independent outputs the squares of μ add up."),
            Mistake(math.sqrt(2.8), "You took the root of the sum of the μ. What adds up is their squares."),
            Mistake(
                1 / math.sqrt(1 / 1.2**2 + 1 / 1.6**2),
                "You added the variances of the noise. What adds up is 1/σ², which is μ².",
            ),
        ),
        laws=(Within(0, math.inf, "μ is a distance: it is not negative."),),
        tolerance=0.01,
    ),
    Question(
        id="9.b",
        title="One in ten",
        question="A mechanism is ε-DP with ε = log 11. It is run on a random sample, which contains each record "
        "independently with probability p = 0.1. Which ε is guaranteed now? Give two decimals.",
        goals=(3,),
        solution="from math import exp, log\n\nanswer = log(1 + 0.1 * (exp(log(11)) - 1))\n",
        explanation="Only with probability p are you in the sample, so the largest likelihood ratio becomes 1 + p(e^ε − 1) = "
        "1 + 0.1·10 = 2, and ε = log 2.",
        hints=(
            "How large can the likelihood ratio become if you are in the sample with probability one in ten?",
            "It is a mixture: 1 with weight 1 − p, and at most e^ε with weight p.",
            "log(1 + p(e^ε − 1)), with e^ε = 11.",
        ),
        praise="Right: log(1 + p(e^ε − 1)) = log 2.",
        mistakes=(
            Mistake(
                0.1 * math.log(11), "p·ε is right only for small ε. Likelihood ratios are mixed, not their logarithms."
            ),
            Mistake(1, "This is p(e^ε − 1). Add the 1 of the likelihood ratio without you, and take the logarithm."),
            Mistake(2, "This is the likelihood ratio e^ε after sampling. Take its logarithm."),
            Mistake(math.log10(2), "Use the natural logarithm: ε is measured in nats."),
            Mistake(
                math.log(1.1),
                "This is log(p·e^ε), which leaves out the case that you are not sampled: the ratio is (1 − p) + p·e^ε.",
            ),
            Mistake(math.log(11), "Sampling helps: nine times out of ten you are not in the sample."),
            Mistake(math.log(1 + 0.1 * (math.log(11) - 1)), "You used ε where e^ε belongs: e^ε is 11."),
            Mistake(
                math.log(2.1),
                "The ratio is 1 − p without you and p·e^ε with you, together 1 + p(e^ε − 1). You counted the 1 with "
                "full weight.",
            ),
            Mistake(math.log(1 + 0.1 * math.log(11)), "Likelihood ratios are mixed: add p(e^ε − 1) to 1, not p·ε."),
        ),
        laws=(Within(0, math.inf, "ε is not negative here: the largest likelihood ratio is at least 1."),),
        tolerance=0.006,
    ),
    Exercise(
        id="9.1",
        grade="warm-up",
        title="One mechanism for many",
        question="Gaussian mechanisms with the standard deviations `sigmas` (an array), all of sensitivity 1, have "
        "been applied to the same data. Write `whole(sigmas)`: the σ of the one Gaussian mechanism that "
        "reveals as much as all of them together.",
        brief="Several Gaussian mechanisms with different noise are applied to the same data. Which single Gaussian mechanism reveals as much?",
        goals=(1,),
        name="whole",
        stub="def whole(sigmas):\n    ...\n",
        solution="""def whole(sigmas):
    return sum(sigma**-2 for sigma in sigmas) ** -0.5
""",
        explanation="Losses add up, and Gaussian losses are normal with the variance μ² = 1/σ². So μ² adds up.",
        hints=(
            "The privacy loss of a Gaussian mechanism is normally distributed. What is its variance?",
            "Its variance is μ² = 1/σ², and the variances of independent losses add up.",
            "The 1/σ² of the whole is the sum of all 1/σ².",
        ),
        praise="Right. More outputs, less noise: k equal ones are like one with σ/√k.",
        cases=tuple((np.array(sigmas),) for sigmas in ((10.0, 10.0, 10.0, 10.0), (3.0, 4.0), (0.5,), (1.0, 2.0, 3.0))),
        mistakes=(
            Mistake(
                lambda sigmas: math.sqrt(sum(s**2 for s in sigmas)),
                "You add up the variances of the noise, as if all of it were in one output. But there are many "
                "outputs, and each of them reveals something more.",
            ),
            Mistake(
                lambda sigmas: 1 / sum(1 / s for s in sigmas),
                "You add up μ = 1/σ. What adds up is the variance of the losses, μ².",
            ),
            Mistake(
                lambda sigmas: math.sqrt(sum(s**-2 for s in sigmas)),
                "This is μ of the whole. Its σ is the reciprocal.",
            ),
            Mistake(
                lambda sigmas: min(sigmas),
                "The least noisy output alone reveals this much. The other ones reveal something, too.",
            ),
            Mistake(
                lambda sigmas: sum(s**-2 for s in sigmas) ** -0.5 * math.sqrt(len(sigmas)),
                "This is the noise of an average member. All outputs together reveal more than one of them.",
            ),
            Mistake(
                lambda sigmas: float(np.mean(sigmas)) / math.sqrt(len(sigmas)),
                "σ/√k is right if all σ are the same. Otherwise the mean of the σ is not enough: μ² = 1/σ² adds up.",
            ),
            Mistake(
                lambda sigmas: math.sqrt(sum(s**2 for s in sigmas)) / len(sigmas),
                "This is the noise of the mean of all outputs. A mean that gives more weight to the less noisy ones "
                "reveals more.",
            ),
            Mistake(
                lambda sigmas: 1 / sum(s**-2 for s in sigmas),
                "This is σ² of the whole, its variance. Take the root.",
            ),
            Mistake(
                lambda sigmas: float(np.mean(sigmas)),
                "This is the mean of the σ. All outputs together reveal more than any one of them.",
            ),
        ),
        laws=(
            lambda result, sigmas: "A standard deviation is positive." if result[0] <= 0 else None,
            lambda result, sigmas: (
                (
                    "All outputs together reveal at least as much as the least noisy one, so the σ of the whole cannot "
                    "exceed it."
                )
                if result[0] > min(sigmas) + 1e-9
                else None
            ),
        ),
    ),
    Exercise(
        id="9.2",
        grade="warm-up",
        title="What sampling gains",
        question="A mechanism is ε-DP. Each record is now kept with probability `rate`, independently, and the "
        "mechanism sees only the sample. Write `amplified(epsilon, rate)`: the ε of the whole, by "
        "amplification by subsampling.",
        brief=r"A mechanism is $\varepsilon$-DP. What is its $\varepsilon$ on a Poisson sample with rate $p$?",
        goals=(3,),
        name="amplified",
        curve=Curve("rate"),
        stub="from math import exp, log\n\n\ndef amplified(epsilon, rate):\n    ...\n",
        solution="""from math import exp, log


def amplified(epsilon, rate):
    return log(1 + rate * (exp(epsilon) - 1))
""",
        explanation="The likelihood ratio q/p ≤ e^ε becomes 1 − rate + rate·q/p, and ε is its largest logarithm.",
        hints=(
            "The pair (P, Q) becomes (P, (1 − rate) P + rate Q). How does that change the likelihood ratio?",
            "It becomes 1 − rate + rate·q/p, where q/p is at most e^ε.",
            "log(1 + rate·(e^ε − 1)).",
        ),
        praise="Right. For small ε it is about rate·ε; for large ε only ε − log(1/rate).",
        cases=((1.0, 0.01), (1.0, 1.0), (0.1, 0.5), (5.0, 0.1), (0.0, 0.3)),
        draw=lambda r: (r.uniform(0.3, 4), r.uniform(0.02, 0.5)),
        mistakes=(
            Mistake(
                lambda e, p: math.log1p(p * e),
                "What the sample adds to a ratio of 1 is rate·(e^ε − 1). You took ε for e^ε − 1.",
            ),
            Mistake(
                lambda e, p: p * e,
                "This is right for small ε only; for large ε it is too little. Sampling mixes probabilities, not their logarithms.",
            ),
            Mistake(
                lambda e, p: 1 + p * math.expm1(e),
                "This is the largest likelihood ratio. Take its logarithm.",
            ),
            Mistake(
                lambda e, p: math.log1p(math.expm1(e) / p),
                "You divide by the rate. That is the way back, from the whole to the mechanism on the sample.",
            ),
            Mistake(
                lambda e, p: e,
                "True, but this is what holds without sampling. The record is in the sample only with probability "
                "`rate`.",
            ),
            Mistake(
                lambda e, p: p * math.expm1(e),
                "Nearly: log(1 + x) is about x for small x. Keep the logarithm.",
            ),
            Mistake(
                lambda e, p: math.log1p(p * math.exp(e)),
                "You gave full weight to the case that the record is not sampled: the ratio is 1 − rate + rate·e^ε.",
            ),
            Mistake(
                lambda e, p: math.log(p) + e,
                "You forgot the case that the record is not sampled: the ratio is 1 − rate + rate·e^ε, not rate·e^ε.",
            ),
            Mistake(
                lambda e, p: -math.log1p(p * math.expm1(-e)),
                "This is the smaller of the two directions, −log(1 − rate + rate·e^−ε). ε has to cover both.",
            ),
        ),
        laws=(
            lambda result, e, p: (
                "ε is not negative: the largest likelihood ratio is at least 1." if result[0] < -1e-12 else None
            ),
            lambda result, e, p: (
                "Sampling never makes ε larger, but yours exceeds the ε of the mechanism."
                if result[0] > e + 1e-9
                else None
            ),
        ),
    ),
    Exercise(
        id="9.3",
        grade="think",
        title="Be the second accountant",
        question="One step has the Rényi divergences `divergences` at the `orders` (two arrays of the same length). Write `renyi_epsilon(orders, divergences, "
        "steps, delta)`: the smallest ε that the conversion of the chapter, with its factor (1/s)(1 − 1/s)^(s−1), gives for `steps` steps at δ = `delta`.",
        brief=r"From the Rényi divergences of one step, compute the smallest $\varepsilon$ that they guarantee for many steps.",
        goals=(2,),
        name="renyi_epsilon",
        stub="from math import log\n\n\ndef renyi_epsilon(orders, divergences, steps, delta):\n    ...\n",
        solution="""from math import log


def renyi_epsilon(orders, divergences, steps, delta):
    found = []
    for s, one in zip(orders, divergences):
        factor = (1 / s) * (1 - 1 / s) ** (s - 1)
        found.append(steps * one + log(factor / delta) / (s - 1))
    return min(found)
""",
        explanation="Divergences of steps add up. Solve δ = factor·exp((s − 1)(ρ − ε)) for ε at each order; all are valid, so take the smallest.",
        hints=(
            "Start with the composition: what are its Rényi divergences?",
            "They are ρ = steps·divergence. Solve δ = factor·exp((s − 1)(ρ − ε)) for ε at each order.",
            "ε = ρ + log(factor/δ)/(s − 1) at each order; take the smallest of them.",
        ),
        praise="Right. Each order is a valid bound, so the best one counts.",
        cases=_RENYI,
        mistakes=(
            Mistake(
                lambda o, d, k, t: _best(o, d, lambda s, r: k * r + math.log(1 / t) / (s - 1)),
                "This is the conversion without the factor (1/s)(1 − 1/s)^(s−1), which makes ε smaller.",
            ),
            Mistake(
                lambda o, d, k, t: _best(
                    o, d, lambda s, r: r + math.log((1 / s) * (1 - 1 / s) ** (s - 1) / t) / (s - 1)
                ),
                "This is the bound for one step. The divergences of all steps add up.",
            ),
            Mistake(
                lambda o, d, k, t: _best(
                    o, d, lambda s, r: k * (r + math.log((1 / s) * (1 - 1 / s) ** (s - 1) / t) / (s - 1))
                ),
                "You convert each step and add up the results. Compose first, convert once: that is the point of Rényi divergences.",
            ),
            Mistake(
                lambda o, d, k, t: (
                    -_best(o, d, lambda s, r: -(k * r + math.log((1 / s) * (1 - 1 / s) ** (s - 1) / t) / (s - 1)))
                ),
                "This is the largest over the orders. Every order is a valid bound, so take the smallest.",
            ),
            Mistake(
                lambda o, d, k, t: _best(
                    o, d, lambda s, r: k * (r + math.log(k * (1 / s) * (1 - 1 / s) ** (s - 1) / t) / (s - 1))
                ),
                "You convert each step at δ/k and add up. Valid, but wasteful: compose first, then convert once at the whole δ.",
            ),
            Mistake(
                lambda o, d, k, t: _best(
                    o, d, lambda s, r: k * r + math.log(k * (1 / s) * (1 - 1 / s) ** (s - 1) / t) / (s - 1)
                ),
                "You share δ among the steps. The conversion is done once, for the whole, and may use all of δ.",
            ),
            Mistake(
                lambda o, d, k, t: k * d[0] + math.log((1 / o[0]) * (1 - 1 / o[0]) ** (o[0] - 1) / t) / (o[0] - 1),
                "This is the bound of the first order. Try all orders, and take the smallest.",
            ),
            Mistake(
                lambda o, d, k, t: k * d[-1] + math.log((1 / o[-1]) * (1 - 1 / o[-1]) ** (o[-1] - 1) / t) / (o[-1] - 1),
                "This is the bound of the last order. Try all orders, and take the smallest.",
            ),
            Mistake(
                lambda o, d, k, t: _best(
                    o, d, lambda s, r: k * r + (math.log((1 / s) * (1 - 1 / s) ** (s - 1)) + math.log(t)) / (s - 1)
                ),
                "The sign of log δ is reversed: a smaller δ takes a larger ε, so log(1/δ) is added.",
            ),
            Mistake(
                lambda o, d, k, t: float(k * np.min(d)),
                "This is the smallest divergence of the whole. It becomes an ε only with log(factor/δ)/(s − 1) added.",
            ),
            Mistake(
                lambda o, d, k, t: _best(o, d, lambda s, r: k * r + math.log((1 / s) * (1 - 1 / s) ** (s - 1) / t) / s),
                "Divide by s − 1, the factor in the exponent, not by s.",
            ),
            Mistake(
                lambda o, d, k, t: _best(o, d, lambda s, r: k * (r + math.log(1 / t) / (s - 1))),
                "You convert each step and add up the results, and the factor is missing. Compose first, convert once.",
            ),
            Mistake(
                lambda o, d, k, t: max(
                    0.0, _best(o, d, lambda s, r: k * r + math.log(s / t) / (s - 1) - math.log(1 - 1 / s))
                ),
                "The factor (1/s)(1 − 1/s)^(s−1) is less than 1 and makes ε smaller; in your answer it makes ε larger. Solve for ε again.",
            ),
        ),
    ),
    Exercise(
        id="9.4",
        grade="think",
        title="Both directions",
        question="`m` is a symmetric mechanism with `m.privacy_profile(epsilon)`. Write `both(m, rate, epsilon)` for epsilon ≥ 0: the pair (δ of (P, (1 − rate) P + "
        "rate Q), δ of the same pair exchanged) after Poisson sampling.",
        brief="From the profile of a symmetric mechanism, compute the profiles of both directions after subsampling.",
        goals=(3,),
        name="both",
        curve=Curve("epsilon"),
        stub="from math import exp, log\n\n\ndef both(m, rate, epsilon):\n    ...\n",
        solution="""from math import exp, log


def both(m, rate, epsilon):
    inner = log(1 + (exp(epsilon) - 1) / rate)
    remove = rate * m.privacy_profile(inner)
    left = 1 - (1 - rate) * exp(epsilon)
    if left <= 0:
        return remove, 0.0
    add = left * m.privacy_profile(log(rate * exp(epsilon) / left))
    return remove, add
""",
        explanation="Under the integral, collect the terms with P and those with Q, and factor out what multiplies the positive one.",
        hints=(
            "Write down the hockey-stick integral of the sampled pair, and collect the terms with P and those with Q.",
            "You get rate·Q − (e^ε − 1 + rate)·P for the first direction and (1 − (1 − rate) e^ε)·P − rate·e^ε·Q for "
            "the second.",
            "Factor out rate in the first and 1 − (1 − rate) e^ε in the second. What remains is the profile of m at "
            "another ε; where the second factor is not positive, δ is 0.",
        ),
        praise="Right. At ε = 0 both are rate·δ(0); beyond log(1/(1 − rate)) only the first is left.",
        cases=_SAMPLED,
        mistakes=(
            Mistake(
                lambda m, p, e: (_directions(m, p, e)[1], _directions(m, p, e)[0]),
                "You exchanged the two: in the first pair Q is the mixture, and the loss is unbounded above if that "
                "of m is.",
            ),
            Mistake(
                lambda m, p, e: (_directions(m, p, e)[0], _directions(m, p, e)[0]),
                "The first is right. The exchanged pair has another profile, though m is symmetric: sampling breaks the symmetry.",
            ),
            Mistake(
                lambda m, p, e: (p * m.privacy_profile(e), p * m.privacy_profile(e)),
                "Sampling changes ε, too, not only δ: collect the terms with P.",
            ),
            Mistake(
                lambda m, p, e: (
                    m.privacy_profile(math.log(1 + math.expm1(e) / p)),
                    _directions(m, p, e)[1] / max(1 - (1 - p) * math.exp(e), 1e-300),
                ),
                "The ε are right. The factors that were taken out are missing.",
            ),
            Mistake(
                lambda m, p, e: (p * m.privacy_profile(_amplified(e, p)), _directions(m, p, e)[1]),
                "In the first you multiply e^ε − 1 by the rate. To go from the whole to the mechanism on the sample, divide.",
            ),
            Mistake(
                lambda m, p, e: (p * m.privacy_profile(_amplified(e, p)),) * 2,
                "You put the amplified ε, log(1 + rate·(e^ε − 1)), into the profile. That takes an ε of the mechanism on the sample to one of the whole; here ε belongs to the whole.",
            ),
            Mistake(
                lambda m, p, e: (m.privacy_profile(e), m.privacy_profile(e)),
                "This is δ without sampling.",
            ),
            Mistake(
                lambda m, p, e: (_directions(m, p, e)[0], p * m.privacy_profile(e)),
                "The first is right. In the second ε changes, too: collect what multiplies P, and take it out.",
            ),
            Mistake(
                lambda m, p, e: (_directions(m, p, e)[0], 0.0),
                "The first is right. The second is 0 only where 1 − (1 − rate) e^ε is not positive.",
            ),
            Mistake(
                lambda m, p, e: (m.privacy_profile(math.log(1 + math.expm1(e) / p)),) * 2,
                "The ε of the first is right, but the factor that was taken out is missing. The exchanged pair has another ε, and another factor.",
            ),
        ),
        laws=(
            lambda result, m, p, e: (
                "δ at ε = 0 is a total variation distance, the same in both directions."
                if e == 0 and len(result) == 2 and abs(result[0] - result[1]) > 1e-9
                else None
            ),
        ),
        stumbles=lambda m, p, e: (
            "Here 1 − (1 − rate) e^ε is not positive: the exchanged pair has no loss above ε. What is δ then?"
            if (1 - p) * math.exp(e) >= 1
            else None
        ),
        shape="two numbers (δ, δ of the exchanged pair)",
    ),
    Exercise(
        id="9.5",
        grade="build",
        title="The optimal theorem",
        question="Randomized response with parameter `epsilon` is applied `steps` times, independently. Write "
        "`response(epsilon, steps, at)`: the exact δ of all outputs together, at ε = `at`.",
        brief="Compute the exact profile of randomized response after $k$ rounds.",
        goals=(2,),
        name="response",
        curve=Curve("at"),
        stub="from math import comb, exp\n\n\ndef response(epsilon, steps, at):\n    ...\n",
        solution="""from math import comb, exp


def response(epsilon, steps, at):
    truth = exp(epsilon) / (1 + exp(epsilon))
    delta = 0.0
    for n in range(steps + 1):  # n true answers, in world Q
        q = comb(steps, n) * truth**n * (1 - truth) ** (steps - n)
        loss = n * epsilon - (steps - n) * epsilon
        delta += q * max(1 - exp(at - loss), 0)
    return delta
""",
        explanation="The number of true outputs is binomial, and the loss is ε for each true one, −ε for each lie. δ "
        "is the mean of max(1 − e^(at − L), 0) under Q.",
        hints=(
            "The loss of all outputs depends only on how many of them are true.",
            "In world Q, the number n of true outputs among k is binomial, and the loss is (2n − k)·epsilon.",
            "δ is the sum, over n, of the probability times max(1 − e^(at − loss), 0).",
        ),
        praise="Right: no bound from ε alone can be smaller at any `at`.",
        cases=((1.0, 1, 0.5), (0.1, 10, 0.3), (0.5, 7, 1.5), (1.0, 3, 0.0), (0.2, 50, 1.0), (2.0, 4, 8.0)),
        draw=lambda r: (r.uniform(0.2, 0.6), r.randint(3, 12), r.uniform(0.2, 0.9)),
        mistakes=(
            Mistake(
                lambda e, k, at: float(_truths(e, k)[0] @ (_truths(e, k)[1] > at)),
                "This is Pr_Q[L > ε]. The second term is missing: each loss counts with 1 − e^(at − loss).",
            ),
            Mistake(
                lambda e, k, at: _response(k * e, 1, at),
                "This is one output with k·epsilon. The losses of independent outputs have both signs and cancel in part.",
            ),
            Mistake(
                lambda e, k, at: _response(e, 1, at),
                "This is one output. Compose first.",
            ),
            Mistake(
                lambda e, k, at: min(k * _response(e, 1, at), 1.0),
                "δ at the same ε does not add up: a sum of losses may exceed what none of them exceeds.",
            ),
            Mistake(
                lambda e, k, at: float(_truths(e, k)[0][::-1] @ np.maximum(1 - np.exp(at - _truths(e, k)[1]), 0)),
                "Your probabilities are those of world P. In world Q the output that speaks for Q is the more likely "
                "one.",
            ),
            Mistake(
                lambda e, k, at: float(_truths(e, k)[0] @ (1 - np.exp(at - _truths(e, k)[1]))),
                "Losses below `at` count with a negative sign here. They should not count at all: max(1 − e^(at − "
                "loss), 0).",
            ),
            Mistake(
                lambda e, k, at: float(_truths(e, k)[0] @ np.maximum(1 - np.exp(at - np.arange(k + 1) * e), 0)),
                "Your loss counts only the true outputs. Each lie subtracts ε again: (2n − k)·epsilon.",
            ),
            Mistake(
                lambda e, k, at: float(
                    (_truths(e, k)[0] / [math.comb(k, n) for n in range(k + 1)])
                    @ np.maximum(1 - np.exp(at - _truths(e, k)[1]), 0)
                ),
                "The number of ways is missing: n of k outputs can be true in comb(k, n) ways.",
            ),
            Mistake(
                lambda e, k, at: float(_truths(e, k)[0][-1] * max(1 - math.exp(at - k * e), 0)),
                "This counts only the case that all outputs are true. Other losses exceed `at`, too.",
            ),
            Mistake(
                lambda e, k, at: float(_truths(e, k)[0][:-1] @ np.maximum(1 - np.exp(at - _truths(e, k)[1][:-1]), 0)),
                "One case is missing, the one with the largest loss: all outputs true. The sum goes from 0 to `steps`, both included.",
            ),
        ),
        laws=(
            lambda result, e, k, at: (
                "A sum of k losses never exceeds k·epsilon, so δ is 0 from there on."
                if at >= k * e and result[0] > 1e-9
                else None
            ),
            lambda result, e, k, at: "δ cannot be below 0." if result[0] < -1e-9 else None,
            lambda result, e, k, at: "δ cannot be above 1." if result[0] > 1 + 1e-9 else None,
        ),
    ),
    Exercise(
        id="9.6",
        grade="build",
        title="Back from the transform",
        question="A Gaussian mechanism with parameter `mu` has H(½ + it) = exp(−(¼ + t²) mu²/2). Write `bayes_error(mu, prior)`: its minimum Bayes error, from "
        "this transform alone, by a sum over t in place of the integral.",
        brief="Compute the Bayes error of a Gaussian mechanism from its Hellinger transform alone, after reading [The exact accountant](exact_accountant.md).",
        goals=(4,),
        name="bayes_error",
        stub="import numpy as np\n\n\ndef bayes_error(mu, prior):\n    ...\n",
        solution="""import numpy as np


def bayes_error(mu, prior):
    epsilon = np.log(prior / (1 - prior))
    h = 0.05
    t = h * np.arange(-1000, 1001)
    transform = np.exp(-(0.25 + t**2) * mu**2 / 2)
    integrand = transform * np.cos(epsilon * t) / (0.25 + t**2)
    return h * integrand.sum() / (2 * np.pi) / (2 * np.cosh(epsilon / 2))
""",
        explanation="The transform is real and even here, so e^{−iεt} leaves its cosine. A step of 0.05 has images 2π/0.05 away, which add e^{−63}.",
        hints=(
            "Which formula of the page “The exact accountant” gives R from H on the line s = ½ + it?",
            "Take equally spaced t from −50 to 50, and sum H(½ + it) cos(εt)/(¼ + t²), times the step; ε is the "
            "log-odds of the prior.",
            "Divide by 2π and by 2 cosh(ε/2).",
        ),
        praise="Right, and to ten digits or more. Raise the transform to a power, and you have the composition.",
        cases=((1.0, 0.5), (1.0, 0.3), (0.3, 0.5), (2.0, 0.8), (0.5, 0.6)),
        draw=lambda r: (r.uniform(0.3, 2), r.uniform(0.2, 0.8)),
        mistakes=(
            Mistake(
                lambda mu, x: _gauss_error(mu, x) * 2 * math.cosh(math.log(x / (1 - x)) / 2),
                "The factor 1/(2 cosh(ε/2)) is missing: √(π(1 − π)) in terms of the log-odds.",
            ),
            Mistake(
                lambda mu, x: _gauss_error(mu, x) * 2 * math.pi,
                "The integral has to be divided by the number 2π.",
            ),
            Mistake(
                lambda mu, x: _gauss_error(mu, x) / 2,
                "Half of it: the integral runs over negative t, too.",
            ),
            Mistake(
                lambda mu, x: _gauss_error(mu, 0.5) / math.cosh(math.log(x / (1 - x)) / 2),
                "The wave e^{−iεt} is missing, so that you integrate for even odds whatever the prior.",
            ),
            Mistake(
                lambda mu, x: 1 - _gauss_error(mu, x),
                "This is the probability of being right. The Bayes error is that of being wrong.",
            ),
            Mistake(
                lambda mu, x: _gauss_error(mu, x) * math.exp(mu**2 / 8),
                "The ¼ in the exponent is missing: on the line s = ½ + it, s(1 − s) is ¼ + t².",
            ),
            Mistake(
                lambda mu, x: _gauss_error(1 / mu, x),
                "You used 1/mu for mu. mu is the distance of the two means, in units of the noise.",
            ),
            Mistake(
                lambda mu, x: _gauss_error(mu, x) * 2,
                "Twice too much: if you sum over negative t as well, do not double; and cosh(ε/2) has a factor 2 before it.",
            ),
            *_ROUGH,
            *(
                Mistake(
                    lambda mu, x, h=h: (_gauss_error(mu, x) + h * _unit(mu, x)) / 2,
                    f"You sum over t ≥ 0 only (your step seems to be {shown(h)}). The integrand is even: double what lies at t > 0.",
                )
                for h in (2 * math.pi / 100, *_STEPS)
            ),
        ),
        laws=(
            lambda result, mu, x: (
                "An adversary who ignores the output errs with probability min(π, 1 − π), and the best guess cannot err more often."
                if result[0] > min(x, 1 - x) + 1e-6
                else None
            ),
            lambda result, mu, x: "An error probability is not negative." if result[0] < -1e-9 else None,
        ),
        exact=_gauss_error,
        without=("bayes_error", "Gaussian", "norm", "NormalDist", "ndtr", "erf", "erfc"),
    ),
]
