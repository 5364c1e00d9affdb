"""Exercises of chapter 10: moments of the loss, the Gaussian that a composition is close to, and who dominates whom."""

import math

import numpy as np

from ...comparing.asymptotics import composition_moments
from ...mechanisms import SubsampledGaussian
from ..judging.core import Exercise, Mistake
from ..judging.drawing import Curve
from ..judging.questions import Question, Within

_EXPERIMENTS = (
    (np.array([0.6, 0.4]), np.array([0.3, 0.7])),
    (np.array([0.2, 0.5, 0.3]), np.array([0.4, 0.25, 0.35])),
    (np.array([0.7, 0.2, 0.1]), np.array([0.1, 0.2, 0.7])),
)
# (v1, v2, v3) of randomized responses with ε = 0.1 and 0.3 and of a Gaussian mechanism with μ = 0.2.
_FIRST = (0.0049958375, 0.01, 0.0009999938)
_SECOND = (0.0446655, 0.09, 0.0269867)
_THIRD = (0.02, 0.0404, 0.0127661)


def _phi(x):
    return (1 + math.erf(x / math.sqrt(2))) / 2


def _eta(v, raw=False):
    return v[0] / math.sqrt(v[1] - (0 if raw else v[0] ** 2))


def _distance(count, v, *, constant=0.56, root=0.5, power=1.5, raw=False):
    variance = v[1] if raw else v[1] - v[0] ** 2
    return constant * v[2] / (count**root * variance**power)


def _missing(count, v, other_count, w, factor=2.0, raw=False):
    mu, other_mu = (factor * math.sqrt(n) * _eta(x, raw) for n, x in ((count, v), (other_count, w)))
    return max(0.0, _phi(-mu / 2) - _phi(-other_mu / 2))


def _bound(count, v, other_count, w, *, shortfall=True, factor=2.0, **wrong):
    missing = _missing(count, v, other_count, w, factor) if shortfall else 0.0
    return _distance(count, v, **wrong) + _distance(other_count, w, **wrong) + missing


def _moments(p, q, *, weight=None, raw=False, signed=False):
    p, q = np.array(p), np.array(q)
    loss, weight = np.log(q / p), p if weight is None else np.array(weight)
    v1 = -(weight @ loss)
    v2 = weight @ loss**2 - (v1**2 if raw else 0)
    third = (lambda x: x**3) if signed else (lambda x: np.abs(x) ** 3)
    spread = v2 if raw else v2 - v1**2
    return v1, v2, weight @ third(loss + v1), weight @ third(loss), v1 / math.sqrt(spread)


def _exactly(sigma, rate, steps, direction):
    return 2 * math.sqrt(steps) * composition_moments(SubsampledGaussian(sigma, rate, direction)).eta


def _training(sigma, rate, steps):
    return rate * math.sqrt(steps * math.expm1(1 / sigma**2))


_RENYI = tuple(
    (count, np.array(one), other_count, np.array(other))
    for count, one, other_count, other in (
        (10, (0.2, 0.4, 0.8), 10, (0.1, 0.3, 0.9)),
        (20, (0.2, 0.4, 0.8), 10, (0.1, 0.3, 0.9)),
        (10, (0.1, 0.3, 0.9), 20, (0.2, 0.4, 0.8)),
        (5, (0.5, 1.0, 2.0), 10, (0.25, 0.5, 0.9)),
        (7, (0.5, 1.0, 2.0), 9, (0.5, 0.6, 0.7)),
        (3, (1.0, 2.0, 4.0), 4, (0.5, 1.0, 2.0)),
        (10, (0.3, 0.5, 0.7), 10, (0.1, 0.6, 0.7)),
        (10, (0.2, 0.3, 0.4), 10, (0.1, 0.5, 0.6)),
        (10, (0.1, 0.5, 0.9), 10, (0.2, 0.4, 0.8)),
        (20, (0.2, 0.4, 0.8), 10, (0.3, 0.5, 1.1)),  # √20·0.2 < √10·0.3
    )
)


EXERCISES = [
    Question(
        id="10.a",
        title="η from two moments",
        question="The privacy loss of one step has the moments v₁ = 0.08 and v₂ = 0.1664, as a Gaussian mechanism with σ = 2.5 has. "
        "What is η? Give three decimals.",
        goals=(1,),
        solution="import dptutor as dp\n\nanswer = float(dp.composition_moments(dp.Gaussian(sigma=2.5)).eta)\n",
        explanation="The variance of the loss is v₂ − v₁² = 0.16, its standard deviation 0.4, and η = 0.08/0.4.",
        hints=(
            "η says how many standard deviations the mean of the loss is away from 0.",
            "v₂ is a moment about 0. What is the variance?",
            "The variance is v₂ − v₁² = 0.16; divide v₁ by its root.",
        ),
        praise="Right. For Gaussian noise η is μ/2, here 0.4/2.",
        mistakes=(
            Mistake(0.08 / math.sqrt(0.1664), "You forgot the second term: the variance is v₂ − v₁², not v₂."),
            Mistake(0.08 / 0.16, "You divide by the variance. Take its root: η counts standard deviations."),
            Mistake(0.08 / 0.1664, "You divide by v₂. η is v₁ over the standard deviation, the root of v₂ − v₁²."),
            Mistake(0.4, "This is the standard deviation of the loss. Divide v₁ by it."),
            Mistake(5, "The ratio is upside down: η is v₁ over the standard deviation."),
            Mistake(0.16, "This is the variance of the loss. Divide v₁ by its root."),
            Mistake(
                0.08 / math.sqrt(0.1664 - 0.08),
                "The variance is v₂ − v₁², and you subtracted v₁ without the square.",
            ),
            Mistake(0.08, "This is v₁. Divide it by the standard deviation of the loss, √(v₂ − v₁²)."),
            Mistake(0.1664, "This is v₂. η is v₁ over the standard deviation, √(v₂ − v₁²)."),
        ),
        tolerance=0.001,
    ),
    Question(
        id="10.b",
        title="Which Gaussian emerges?",
        question="A symmetric mechanism with η = 0.02 is used N = 400 times. It comes close to a Gaussian mechanism. "
        "What is the μ of that mechanism?",
        goals=(1,),
        solution="from math import sqrt\n\nanswer = 2 * sqrt(400) * 0.02\n",
        explanation="Over N steps the mean of the loss grows like N and its standard deviation like √N, so η grows by √400 = 20. A "
        "Gaussian mechanism has η = μ/2, hence μ = 2√N η.",
        hints=(
            "How do the mean of the loss and its standard deviation grow with N?",
            "Like N and like √N, so η grows like √N. What is the η of a Gaussian mechanism?",
            "A Gaussian mechanism has η = μ/2. So μ = 2·√400·0.02.",
        ),
        praise="Right: μ = 2√N η.",
        mistakes=(
            Mistake(0.4, "This is √N η, the η of the whole. A Gaussian mechanism has η = μ/2: a factor 2 is missing."),
            Mistake(16, "η grows like the root of N: the mean grows like N, but the standard deviation like √N."),
            Mistake(8, "η grows like √N, not like N, and the factor 2 is missing, too."),
            Mistake(2 * math.sqrt(400 * 0.02), "The root is of N only: μ = 2·√N·η."),
            Mistake(math.sqrt(800) * 0.02, "The 2 stands outside the root: μ = 2·√N·η."),
            Mistake(0.04, "This is μ of one step, 2η. The root of N is missing."),
            Mistake(
                0.002,
                "You divided by √N, as for a mean. The losses add up: the mean of the loss grows like N, its standard deviation like √N.",
            ),
            Mistake(0.2, "You halved √N η. A Gaussian mechanism has η = μ/2, so μ is twice √N η."),
        ),
        laws=(Within(0, math.inf, "μ is a distance: it is not negative."),),
        tolerance=0.005,
    ),
    Exercise(
        id="10.1",
        grade="warm-up",
        title="η of randomized response",
        question="Write `eta(epsilon)`: η = v₁/√(v₂ − v₁²) of randomized response with parameter `epsilon` > 0.",
        brief=r"Compute $\eta$ of randomized response from its two values of the loss.",
        goals=(1,),
        name="eta",
        curve=Curve("epsilon", hidden=True),
        stub="from math import sinh, sqrt, tanh\n\n\ndef eta(epsilon):\n    ...\n",
        solution="""from math import sqrt, tanh


def eta(epsilon):
    v1, v2 = epsilon * tanh(epsilon / 2), epsilon**2
    return v1 / sqrt(v2 - v1**2)          # = sinh(epsilon / 2)
""",
        explanation="The loss is ε or −ε, so v₂ = ε². Under P it is −ε with probability e^ε/(1 + e^ε), so v₁ = ε tanh(ε/2). The quotient is sinh(ε/2).",
        hints=(
            "Which two values does the loss take, and with which probabilities under P?",
            "v₂ = ε², because the square is always the same. v₁ = ε(e^ε − 1)/(e^ε + 1) = ε tanh(ε/2).",
            "tanh/√(1 − tanh²) = sinh.",
        ),
        praise="Right. It is more than ε/2, the η of the Gaussian mechanism with μ = ε: a little for small ε, much for large ones.",
        cases=((1.0,), (0.1,), (3.0,)),
        draw=lambda r: (r.uniform(0.1, 3),),
        mistakes=(
            Mistake(
                lambda e: math.tanh(e / 2), "You divided by √v₂. η divides by the standard deviation, √(v₂ − v₁²)."
            ),
            Mistake(
                lambda e: e / 2, "This is η of the Gaussian mechanism with μ = ε. Compute the moments of two atoms."
            ),
            Mistake(lambda e: e * math.tanh(e / 2), "This is v₁. Divide by √(v₂ − v₁²)."),
            Mistake(
                lambda e: e * math.tanh(e / 2) / (e / math.cosh(e / 2)) ** 2,
                "You divided by the variance. η divides by its square root.",
            ),
            Mistake(lambda e: -math.sinh(e / 2), "v₁ is minus the mean of the loss under P, which makes it positive."),
            Mistake(math.sinh, "The argument is half of that: v₁ = ε tanh(ε/2), and η = sinh(ε/2)."),
            Mistake(
                lambda e: math.tanh(e / 2) / e,
                "You divided by v₂. η divides by the standard deviation, √(v₂ − v₁²).",
            ),
            Mistake(
                lambda e: (1 / (1 + math.exp(-e))) / math.sqrt(1 - (1 / (1 + math.exp(-e))) ** 2),
                "Your v₁ counts one of the two outcomes only. The other one has the opposite loss, and takes off some of the mean.",
            ),
            Mistake(lambda e: e, "This is ε, the size of the loss. η is its mean in standard deviations."),
        ),
        laws=(
            lambda result, e: (
                "Losses are negative on average under P, so v₁ and η are positive." if result[0] <= 0 else None
            ),
        ),
    ),
    Exercise(
        id="10.2",
        grade="warm-up",
        title="How many steps reveal as much?",
        question="A symmetric mechanism with η = `eta` is used `count` times, another with `other_eta` is to be used as often as the condition of "
        "the finite-step bound allows. Write `most(count, eta, other_eta)`: the largest whole number of steps of the other.",
        brief="One mechanism is used $N$ times. How many steps of another does the condition of {prf:ref}`thm-finite-steps` allow?",
        goals=(2,),
        name="most",
        stub="from math import floor\n\n\ndef most(count, eta, other_eta):\n    ...\n",
        solution="""from math import floor


def most(count, eta, other_eta):
    return floor(count * eta**2 / other_eta**2)
""",
        explanation="The condition N/Ñ ≥ η̃²/η² says √N η ≥ √Ñ η̃: the first Gaussian has the larger μ. Solve for Ñ and round down.",
        hints=(
            "The condition says which of the two Gaussian mechanisms has the larger μ. What are their μ?",
            "2√N η ≥ 2√Ñ η̃, so Ñ ≤ N η²/η̃².",
            "Round down.",
        ),
        praise="Right: steps count in proportion to η².",
        cases=((100, 0.2, 0.11), (1000, 0.1, 0.17), (10, 0.5, 0.3), (1, 0.9, 0.12)),
        draw=lambda r: (r.randint(20, 100), r.uniform(0.2, 0.5), r.uniform(0.2, 0.5)),
        mistakes=(
            Mistake(
                lambda n, a, b: math.floor(n * a / b), "μ grows with the square root of the steps, so η enters squared."
            ),
            Mistake(lambda n, a, b: math.floor(n * b**2 / a**2), "The other way round: a smaller η̃ allows more steps."),
            Mistake(lambda n, a, b: math.ceil(n * a**2 / b**2 + 1e-9), "Rounded up, the condition fails. Round down."),
            Mistake(lambda n, a, b: n * a**2 / b**2, "Steps are whole: round down."),
            Mistake(
                lambda n, a, b: round(n * a**2 / b**2),
                "You rounded to the nearest number. Where that is up, the condition fails: round down.",
            ),
            Mistake(
                lambda n, a, b: n * a / b,
                "μ grows with the square root of the steps, so η enters squared; and round down.",
            ),
            Mistake(
                lambda n, a, b: math.floor(2 * n * a**2 / b**2),
                "The 2 of μ = 2√N η is on both sides, and cancels.",
            ),
            Mistake(
                lambda n, a, b: n,
                "This is the number of steps of the first. The steps of the other one have a different η.",
            ),
            Mistake(lambda n, a, b: math.floor(math.sqrt(n) * a / b), "Square both sides of √N η ≥ √Ñ η̃."),
            Mistake(
                lambda n, a, b: math.floor(4 * n * a**2 / b**2),
                "The 2 of μ = 2√N η is on both sides, and cancels, its square as well.",
            ),
        ),
        laws=(
            lambda result, n, a, b: (
                "With so many steps the condition fails."
                if math.sqrt(result[0]) * b > math.sqrt(n) * a * (1 + 1e-9)
                else None
            ),
        ),
    ),
    Exercise(
        id="10.3",
        grade="think",
        title="Which Gaussian is this training run?",
        question="A training run takes `steps` steps with noise multiplier `sigma` and a small sampling rate `rate`. Write "
        "`training_mu(sigma, rate, steps)`: the μ of the Gaussian mechanism that it is close to, to first order in the rate.",
        brief=r"Compute the $\mu$ of a training run from its noise multiplier, sampling rate and steps.",
        goals=(1,),
        name="training_mu",
        stub="from math import exp, sqrt\n\n\ndef training_mu(sigma, rate, steps):\n    ...\n",
        solution="""from math import exp, sqrt


def training_mu(sigma, rate, steps):
    variance = exp(1 / sigma**2) - 1        # of the likelihood ratio, without sampling
    return rate * sqrt(steps * variance)
""",
        explanation="The loss of a step is log(1 + p(W − 1)) ≈ p(W − 1), where W is the likelihood ratio of a full step. So v₂ ≈ p² Var W, v₁ ≈ v₂/2, and μ ≈ √(N v₂).",
        hints=(
            "A step’s likelihood ratio is 1 + p(W − 1), where W belongs to the step without sampling. What is its logarithm if p is small?",
            "L ≈ p(W − 1), so v₂ ≈ p² Var(W), and Var(W) = E[W²] − 1 under P.",
            "E[W²] = e^(1/σ²) for Gaussian noise. μ ≈ √(N v₂).",
        ),
        praise="Right. Twice the rate costs as much as four times the steps.",
        cases=((1.0, 0.01, 1000), (2.0, 0.001, 100000), (0.7, 0.01, 100), (5.0, 0.05, 400)),
        draw=lambda r: (r.uniform(0.7, 3), r.uniform(0.005, 0.05), r.randint(200, 5000)),
        mistakes=(
            Mistake(
                lambda s, p, n: p * math.sqrt(n) / s,
                "This is right only for much noise, where e^(1/σ²) − 1 ≈ 1/σ². Keep the exponential.",
            ),
            Mistake(
                lambda s, p, n: p * math.sqrt(n * math.exp(1 / s**2)),
                "Subtract 1: the variance of W is E[W²] − 1, as E[W] = 1 under P.",
            ),
            Mistake(
                lambda s, p, n: p * n * math.sqrt(math.expm1(1 / s**2)),
                "μ grows with the square root of the number of steps.",
            ),
            Mistake(
                lambda s, p, n: math.sqrt(p * n * math.expm1(1 / s**2)),
                "The rate enters v₂ squared, so it stands before the root.",
            ),
            Mistake(
                lambda s, p, n: math.sqrt(n) / s,
                "This is the composition without sampling. The rate p makes each loss about p times as large.",
            ),
            Mistake(
                lambda s, p, n: _training(s, p, n) / 2,
                "This is √N η. The Gaussian mechanism has μ = 2√N η.",
            ),
            Mistake(
                lambda s, p, n: _exactly(s, p, n, "remove"),
                "This is 2√N η with the exact moments of a step: nearer to the composition, but the question asks for the first order in the rate.",
                within=1e-5,
            ),
            Mistake(
                lambda s, p, n: _exactly(s, p, n, "add"),
                "This is 2√N η with the exact moments of a step, the worlds exchanged: nearer to that composition, but the question asks for the first order in the rate.",
                within=1e-5,
            ),
            Mistake(
                lambda s, p, n: p * math.sqrt(n * math.expm1(1 / s)),
                "E[W²] is e^(1/σ²), with the square of σ.",
            ),
            Mistake(
                lambda s, p, n: math.sqrt(n * math.expm1(1 / s**2)),
                "The rate is missing: the loss of a step is about p(W − 1).",
            ),
        ),
    ),
    Exercise(
        id="10.4",
        grade="think",
        title="Not ruled out",
        question="`renyi` and `other_renyi` are the Rényi divergences D_s(Q‖P) of one step of two mechanisms, at the same orders s. Write "
        "`possible(count, renyi, other_count, other_renyi)`: False if they prove that `count` steps of the first do not "
        "dominate `other_count` steps of the other, else True.",
        brief="From Rényi divergences of single steps, find out whether one composition may dominate another.",
        goals=(3,),
        name="possible",
        stub="def possible(count, renyi, other_count, other_renyi):\n    ...\n",
        solution="""def possible(count, renyi, other_count, other_renyi):
    return all(count * d >= other_count * e for d, e in zip(renyi, other_renyi))
""",
        explanation="Rényi divergences add up over the steps, and dominance implies the order at every order s. One order that fails is enough.",
        hints=(
            "What are the Rényi divergences of the whole compositions?",
            "They add up: N times that of a step. The dominating mechanism has the larger one, at every order.",
            "all(count * d >= other_count * e …): one failure rules dominance out.",
        ),
        praise="Right. Passing is not yet dominance: only some orders were tried, and only one direction. For generic mechanisms with bounded losses strict order at all of them, in both directions, is dominance after enough steps.",
        cases=_RENYI,
        mistakes=(
            Mistake(
                lambda n, a, m, b: any(n * x >= m * y for x, y in zip(a, b, strict=True)),
                "One order in favor is not enough: dominance needs them all.",
            ),
            Mistake(
                lambda n, a, m, b: all(x >= y for x, y in zip(a, b, strict=True)),
                "You compare single steps. Rényi divergences add up over the steps.",
            ),
            Mistake(
                lambda n, a, m, b: all(n * x <= m * y for x, y in zip(a, b, strict=True)),
                "The direction is reversed: the dominating mechanism reveals more, so its divergences are the larger "
                "ones.",
            ),
            Mistake(
                lambda n, a, m, b: n * sum(a) >= m * sum(b),
                "A sum over the orders hides an order that fails. Compare order by order.",
            ),
            Mistake(
                lambda n, a, m, b: n * a[-1] >= m * b[-1],
                "You compare the last order only.",
            ),
            Mistake(
                lambda n, a, m, b: n * a[0] >= m * b[0],
                "You compare the first order only.",
            ),
            Mistake(
                lambda n, a, m, b: all(n * x > m * y for x, y in zip(a, b, strict=True)),
                "Where the two divergences are the same, dominance is not ruled out: use >=.",
            ),
            Mistake(
                lambda n, a, m, b: all(m * x >= n * y for x, y in zip(a, b, strict=True)),
                "The numbers of steps are exchanged: `count` belongs to `renyi`.",
            ),
            Mistake(
                lambda n, a, m, b: not all(n * x >= m * y for x, y in zip(a, b, strict=True)),
                "True and False are exchanged: True if nothing rules dominance out.",
            ),
            Mistake(
                lambda n, a, m, b: True,
                "You never rule dominance out. One order at which the first has the smaller divergence is enough to do so.",
            ),
            Mistake(
                lambda n, a, m, b: False,
                "You always rule dominance out. Where the first has the larger divergence at every order, nothing is proved.",
            ),
            Mistake(
                lambda n, a, m, b: all(math.sqrt(n) * x >= math.sqrt(m) * y for x, y in zip(a, b, strict=True)),
                "Rényi divergences add up over the steps: N times that of a step. The root of N belongs to μ.",
            ),
        ),
        shape="True or False",
    ),
    Exercise(
        id="10.5",
        grade="build",
        title="Moments of a table",
        question="`p` and `q` are the probabilities of a finite experiment’s outcomes, all positive. Write `moments(p, q)`: the five numbers "
        "(v₁, v₂, v₃, v₄, η).",
        brief=r"Compute $v_1, \dots, v_4$ and $\eta$ of a finite experiment.",
        goals=(1,),
        name="moments",
        stub="import numpy as np\n\n\ndef moments(p, q):\n    ...\n",
        solution="""import numpy as np


def moments(p, q):
    p, q = np.array(p), np.array(q)
    loss = np.log(q / p)
    v1, v2 = -(p @ loss), p @ loss**2
    v3, v4 = p @ np.abs(loss + v1) ** 3, p @ np.abs(loss) ** 3
    return v1, v2, v3, v4, v1 / np.sqrt(v2 - v1**2)
""",
        explanation="The loss at outcome i is log(q_i/p_i), and it occurs with probability p_i under P. v₃ is the third moment about the mean −v₁, v₄ the one about 0.",
        hints=(
            "What is the loss at an outcome, and how likely is the outcome under P?",
            "All four are sums with the weights p: of −L, L², |L + v₁|³ and |L|³.",
            "η = v₁/√(v₂ − v₁²).",
        ),
        praise="Right: dp.composition_moments does this for every mechanism.",
        cases=_EXPERIMENTS,
        mistakes=(
            Mistake(
                lambda p, q: _moments(p, q, weight=q),
                "You averaged under Q. The moments are those of the loss under P.",
            ),
            Mistake(
                lambda p, q: _moments(p, q, raw=True),
                "v₂ is the second moment about 0. It is in η that v₁² is subtracted.",
            ),
            Mistake(
                lambda p, q: _moments(p, q, signed=True),
                "v₃ and v₄ are moments of absolute values: |L + v₁|³ and |L|³.",
            ),
            Mistake(
                lambda p, q: (lambda v: (v[0], v[1], v[3], v[2], v[4]))(_moments(p, q)),
                "v₃ and v₄ are exchanged: v₃ is the one about the mean.",
            ),
            Mistake(
                lambda p, q: _moments(q, p, weight=p),
                "v₁ and η have the wrong sign. The privacy loss is log(q/p), with Q on top, and v₁ is minus its mean under P.",
            ),
            Mistake(
                lambda p, q: (lambda v: (*v[:4], v[0] / math.sqrt(v[1])))(_moments(p, q)),
                "The first four are right. η divides by the standard deviation, √(v₂ − v₁²), not by √v₂.",
            ),
            Mistake(
                lambda p, q: (lambda v: (*v[:4], v[0] / (v[1] - v[0] ** 2)))(_moments(p, q)),
                "The first four are right. η divides by the standard deviation, the root of the variance.",
            ),
            Mistake(
                lambda p, q: (lambda v: (*v[:2], p @ np.abs(np.log(q / p) - v[0]) ** 3, *v[3:]))(_moments(p, q)),
                "All but v₃ are right. The mean of the loss is −v₁, so the distance from it is |L + v₁|.",
            ),
            Mistake(
                lambda p, q: (lambda v: (*v[:2], v[3], *v[3:]))(_moments(p, q)),
                "Your v₃ is the moment about 0, the same as v₄. v₃ is about the mean of the loss.",
            ),
            Mistake(
                lambda p, q: _moments(q, p, weight=q),
                "These are moments in world Q. v₁ is a Kullback–Leibler divergence in world P: the mean of log(p/q) under P.",
            ),
            Mistake(
                lambda p, q: _moments(q, p, weight=q, raw=True),
                "Your means are those of world Q, but the moments are taken in world P. And v₂ is the second moment about 0, not the variance.",
            ),
            Mistake(
                lambda p, q: (lambda v: (*v, v[0] / math.sqrt(v[1] - v[0] ** 2)))(
                    [float(q @ np.log(q / p) ** k) for k in (1, 2, 3, 4)]
                ),
                "These are the means of L, L², L³ and L⁴ in world Q. Means are taken in world P, and v₃ and v₄ are both third moments of absolute values.",
            ),
        ),
        laws=(
            lambda result, p, q: (
                "v₁ is a Kullback–Leibler divergence, which is never negative." if result[0] < -1e-12 else None
            ),
            lambda result, p, q: (
                "v₂ is at least v₁²." if len(result) > 1 and result[1] < result[0] ** 2 - 1e-12 else None
            ),
        ),
        shape="five numbers (v1, v2, v3, v4, eta)",
    ),
    Exercise(
        id="10.6",
        grade="build",
        title="The bound, in both directions",
        question="`v` and `w` are (v₁, v₂, v₃) of one step of two symmetric mechanisms. Write `bound(count, v, "
        "other_count, w)`: the finite-step bound on Δ of the first composition to the second; if its "
        "condition fails, add the Δ between the two Gaussian mechanisms, Φ(−μ/2) − Φ(−μ̃/2).",
        brief="Program {prf:ref}`thm-finite-steps` together with {prf:ref}`cor-shortfall`.",
        goals=(2,),
        name="bound",
        stub="from math import erf, sqrt\n\n\ndef bound(count, v, other_count, w):\n    ...\n",
        solution="""from math import erf, sqrt


def bound(count, v, other_count, w):
    def error(mu):                                   # Φ(−μ/2)
        return (1 - erf(mu / sqrt(8))) / 2

    total, mus = 0, []
    for n, (v1, v2, v3) in ((count, v), (other_count, w)):
        spread = sqrt(v2 - v1**2)
        total += 0.56 * v3 / (sqrt(n) * spread**3)
        mus.append(2 * sqrt(n) * v1 / spread)
    return total + max(0, error(mus[0]) - error(mus[1]))
""",
        explanation="Each composition is within 0.56 v₃/(√N (v₂ − v₁²)^(3/2)) of its Gaussian mechanism; the triangle inequality adds the Δ between these two.",
        hints=(
            "The path from one composition to the other leads through two Gaussian mechanisms. How long are its three "
            "parts?",
            "The outer parts are 0.56 v₃/(√N (v₂ − v₁²)^(3/2)), one for each composition. The middle part is 0 if μ ≥ "
            "μ̃.",
            "Otherwise the middle part is Φ(−μ/2) − Φ(−μ̃/2), with μ = 2√N v₁/√(v₂ − v₁²).",
        ),
        praise="Right, and it holds in every direction.",
        cases=(
            (100, _FIRST, 100, _SECOND),
            (900, _FIRST, 100, _SECOND),
            (100, _SECOND, 100, _FIRST),
            (400, _THIRD, 2500, _FIRST),
            (400, _THIRD, 1000, _FIRST),
        ),
        mistakes=(
            Mistake(
                lambda n, v, m, w: _bound(n, v, m, w, shortfall=False),
                "Where the condition fails, the two Gaussian mechanisms are themselves apart: add Φ(−μ/2) − Φ(−μ̃/2).",
            ),
            Mistake(
                lambda n, v, m, w: _bound(m, w, n, v),
                "This is the bound in the other direction.",
            ),
            Mistake(
                lambda n, v, m, w: _bound(n, v, m, w, factor=1.0),
                "μ is 2√N η; the 2 is missing.",
            ),
            Mistake(
                lambda n, v, m, w: (
                    _bound(n, v, m, w, shortfall=False) + _phi(-math.sqrt(n) * _eta(v)) - _phi(-math.sqrt(m) * _eta(w))
                ),
                "Where the condition holds, the Δ between the two Gaussian mechanisms is 0: add 0 there, not a "
                "negative number.",
            ),
            Mistake(
                lambda n, v, m, w: _missing(n, v, m, w),
                "This is the Δ between the two Gaussian mechanisms. The distances of both compositions from them are "
                "missing.",
            ),
            Mistake(
                lambda n, v, m, w: _bound(n, v, m, w, root=1),
                "The distance to the limit shrinks with the root of the number of steps.",
            ),
            Mistake(
                lambda n, v, m, w: _bound(n, v, m, w, power=0.5),
                "v₃ is a third moment: divide it by the third power of the standard deviation.",
            ),
            Mistake(
                lambda n, v, m, w: _bound(n, v, m, w, raw=True),
                "The variance of the loss is v₂ − v₁², not v₂.",
            ),
            Mistake(
                lambda n, v, m, w: _bound(n, v, m, w, constant=0.4748),
                "Your constant is 0.4748, which the inequality of Berry and Esseen allows for equal laws. The chapter’s bound has 0.56.",
            ),
            Mistake(
                lambda n, v, m, w: _bound(n, v, m, w, constant=1),
                "The constant 0.56 is missing.",
            ),
            Mistake(
                lambda n, v, m, w: _distance(n, v) + _missing(n, v, m, w),
                "The distance of the second composition to its Gaussian mechanism is missing.",
            ),
            Mistake(
                lambda n, v, m, w: max(_distance(n, v), _distance(m, w)) + _missing(n, v, m, w),
                "The path has both parts: add the two distances, do not take the larger one.",
            ),
            Mistake(
                lambda n, v, m, w: (
                    abs(_distance(n, v) - _distance(m, w)) + _bound(n, v, m, w) - _distance(n, v) - _distance(m, w)
                ),
                "Distances to the two Gaussian mechanisms add up; they do not cancel.",
            ),
            Mistake(
                lambda n, v, m, w: _bound(n, v, n, w),
                "The other mechanism is used a different number of times.",
            ),
            Mistake(
                lambda n, v, m, w: (
                    _distance(n, v, raw=True) + _distance(m, w, raw=True) + _missing(n, v, m, w, raw=True)
                ),
                "You divide by √v₂, in η as well as in the distances. The variance of the loss is v₂ − v₁².",
            ),
            Mistake(
                lambda n, v, m, w: _bound(n, v, m, w, shortfall=False, root=1),
                "The distance to the limit shrinks with √N, not with N. And where the condition fails, the Δ between the two Gaussian mechanisms is missing.",
            ),
            Mistake(
                lambda n, v, m, w: _bound(n, v, m, w, shortfall=False, raw=True),
                "You divide by a power of v₂, but the variance of the loss is v₂ − v₁². And where the condition fails, the Δ between the two Gaussian mechanisms is missing.",
            ),
        ),
        laws=(lambda result, *case: "A bound on a divergence is not negative." if result[0] < -1e-12 else None,),
    ),
]
