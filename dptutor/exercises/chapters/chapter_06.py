"""Exercises of chapter 6: garblings, order, and what lies between."""

import math

import numpy as np

from ...mechanisms import Gaussian, Laplace, RandomizedResponse, SubsampledGaussian
from ..judging.core import Exercise, Mistake
from ..judging.drawing import Curve
from ..judging.questions import Question, Within

_PAIRS = (
    (Gaussian(sigma=1), RandomizedResponse(epsilon=1.5)),
    (Laplace(scale=1), Gaussian(sigma=1)),
    (RandomizedResponse(epsilon=1), RandomizedResponse(epsilon=2)),
    (SubsampledGaussian(0.4, 0.3, direction="remove"), Gaussian(sigma=1.5)),  # the first is not symmetric
)
_EXPERIMENTS = tuple(
    tuple(map(np.array, experiment))
    for experiment in (
        ((0.7, 0.2, 0.1), (0.1, 0.3, 0.6), ((0.9, 0.1), (0.5, 0.5), (0.2, 0.8))),
        ((0.6, 0.4), (0.3, 0.7), ((0.8, 0.2), (0.1, 0.9))),
        ((0.25, 0.25, 0.5), (0.5, 0.3, 0.2), ((1.0, 0.0, 0.0), (0.0, 0.5, 0.5), (0.3, 0.3, 0.4))),
    )
)


def _lie(epsilon):
    return 1 / (1 + math.exp(epsilon))


def _flip(epsilon, other):
    return (_lie(other) - _lie(epsilon)) / (1 - 2 * _lie(epsilon))


def _corner(epsilon, delta):
    return (1 - delta) / (1 + math.exp(epsilon))


def _error(p, q, prior):
    return float(np.sum(np.minimum(prior * np.asarray(p), (1 - prior) * np.asarray(q))))


def _renyi(epsilon, s):
    truth, lie = 1 - _lie(epsilon), _lie(epsilon)
    return math.log(truth**s * lie ** (1 - s) + lie**s * truth ** (1 - s)) / (s - 1)


def _probability(result, *case):
    return "A probability lies between 0 and 1." if not -1e-9 <= result[0] <= 1 + 1e-9 else None


EXERCISES = [
    Question(
        id="6.a",
        title="A lie about a lie",
        question="Randomized response with ε = log 9 lies with probability 0.1. Its output, and nothing else, goes "
        "through a second randomized response, with ε = log 4, which lies with probability 0.2. What is the ε "
        "of the whole? Give two decimals.",
        goals=(2,),
        solution="""from math import log

first, second = 0.1, 0.2
lie = first * (1 - second) + (1 - first) * second     # exactly one of the two lies
answer = log((1 - lie) / lie)
""",
        explanation="The whole lies if exactly one of the two does: 0.1·0.8 + 0.9·0.2 = 0.26. It is randomized response "
        "again, with e^ε = 0.74/0.26.",
        hints=(
            "When does the whole lie? Two lies make a truth.",
            "It lies if exactly one of the two lies, which has probability 0.1·0.8 + 0.9·0.2.",
            "The whole lies with probability 0.26, and e^ε is the odds of the truth, 0.74/0.26.",
        ),
        praise="Right: a garbling of either, so ε is smaller than both.",
        mistakes=(
            Mistake(
                math.log(36),
                "Epsilons add up when an adversary sees two outputs about the data. The second step never saw the data: it "
                "only garbles the first output.",
            ),
            Mistake(
                math.log(4),
                "The smaller of the two is only a bound: here the garbling reveals less than either step alone.",
            ),
            Mistake(math.log(0.7 / 0.3), "Lies do not simply add up: a lie that is flipped is true again."),
            Mistake(math.log(9) - math.log(4), "Parameters do not subtract. Compute how often the whole lies."),
            Mistake(
                math.log(0.72 / 0.28), "You counted only two truths as a truth. Two lies make the whole true as well."
            ),
            Mistake(math.log(0.98 / 0.02), "You took the whole for a lie only if both lie. Two lies make a truth."),
            Mistake(0.26, "This is the probability of a lie. ε is the logarithm of the odds of the truth."),
            Mistake(0.74 / 0.26, "This is e^ε. Take its logarithm."),
            Mistake(math.log10(0.74 / 0.26), "Use the natural logarithm: e^ε is a likelihood ratio."),
        ),
        laws=(Within(0, math.inf, "ε is not negative here: the whole tells the truth more often than not."),),
        tolerance=0.006,
    ),
    Question(
        id="6.b",
        title="Which one reveals more?",
        question="The trade-off functions f of M and f̃ of M̃ satisfy f ≤ f̃ everywhere. Which statement follows?",
        goals=(1,),
        options=(
            "The output of M̃ can be garbled into one like that of M.",
            "The output of M can be garbled into one like that of M̃.",
            "M protects at least as well as M̃ against every adversary.",
            "The Rényi divergences of M are larger, and that is all that follows.",
        ),
        solution="import dptutor as dp\n\nmore, less = dp.Gaussian(sigma=1), dp.Gaussian(sigma=2)      # f ≤ f̃\n"
        "answer = 2 if dp.blackwell_dominates(more, less) and not dp.blackwell_dominates(less, more) else 1\n",
        explanation="A lower curve means that tests miss less often: M reveals more. By Blackwell’s theorem this is "
        "the case if and only if the output of M can be turned into that of M̃ by a machine that never looks "
        "at the data.",
        hints=(
            "f(α) is what the best test misses. Which of the two reveals more to an adversary?",
            "M, whose curve is lower, does. What can be done with the output that reveals more?",
            "A more revealing output can be garbled, and in general a garbling cannot be undone.",
        ),
        praise="Right: by Blackwell’s theorem one curve is below another exactly where such a garbling exists.",
        mistakes=(
            Mistake(1, "The other way round: a garbling never lowers the curve, so it leads from M to M̃."),
            Mistake(3, "With a lower curve tests miss less often, so M reveals more and protects less."),
            Mistake(4, "They are at least as large, but more follows: Rényi divergences do not decide the order."),
        ),
    ),
    Exercise(
        id="6.1",
        grade="warm-up",
        title="A little more lying",
        question="You have the output of randomized response with parameter `epsilon` > 0. Write `flip(epsilon, "
        "other)`: the probability with which it has to be flipped so that the whole is randomized response "
        "with the smaller parameter `other`.",
        brief=r"With what probability do you have to flip the output of randomized response to obtain a given smaller $\tilde\varepsilon$?",
        goals=(2,),
        name="flip",
        stub="from math import exp\n\n\ndef flip(epsilon, other):\n    ...\n",
        solution="""from math import exp


def flip(epsilon, other):
    lie, more = 1 / (1 + exp(epsilon)), 1 / (1 + exp(other))
    return (more - lie) / (1 - 2 * lie)
""",
        explanation="The whole lies if exactly one of the two does: lie·(1 − flip) + (1 − lie)·flip. Solve for the flip.",
        hints=(
            "The whole is a lie if exactly one of the two steps flips the output.",
            "lie·(1 − flip) + (1 − lie)·flip must be the new probability of a lie, 1/(1 + e^other).",
            "This is a linear equation for flip: collect what is multiplied by it.",
        ),
        praise="Right. That is the garbling that dp.garbling finds, too.",
        cases=((2.0, 1.0), (1.0, 1.0), (3.0, 0.0), (0.5, 0.2)),
        draw=lambda r: (r.uniform(1.5, 3), r.uniform(0.2, 1.5)),
        mistakes=(
            Mistake(
                lambda e, o: _lie(o) - _lie(e),
                "The lies do not simply add up: a lie that is flipped is true again.",
            ),
            Mistake(
                lambda e, o: _lie(e - o),
                "Parameters do not subtract. Compute how often the whole lies.",
            ),
            Mistake(
                lambda e, o: _lie(o),
                "This would be right if the first output were always true. Sometimes it is a lie already.",
            ),
            Mistake(
                lambda e, o: 1 - _flip(e, o),
                "This is the probability of leaving the output as it is.",
            ),
            Mistake(
                lambda e, o: o / e,
                "This is the ratio of the parameters. Compute how often the whole lies.",
            ),
            Mistake(
                lambda e, o: 1 - _lie(o) / _lie(e),
                "You compared the lies as a ratio. The whole lies if exactly one of the two steps flips the output.",
            ),
            Mistake(
                lambda e, o: _flip(o, e) if o > 0 else 0.0,
                "You exchanged the parameters: the output that you have lies less often than the whole should.",
            ),
            Mistake(
                lambda e, o: (_lie(o) - _lie(e)) / (1 - _lie(e)),
                "You count the true outputs that become lies, but not the lies that become true.",
            ),
        ),
        laws=(_probability,),
    ),
    Exercise(
        id="6.2",
        grade="warm-up",
        title="A little more noise",
        question="You have the output of a Gaussian mechanism with standard deviation `sigma`. Write `extra(sigma, "
        "other)`: the standard deviation of Gaussian noise to add, so that the whole is a Gaussian mechanism "
        "with the larger `other`.",
        brief=r"How much noise has to be added to the output of a Gaussian mechanism with $\sigma$ to imitate one with a larger $\tilde\sigma$?",
        goals=(2,),
        name="extra",
        stub="def extra(sigma, other):\n    ...\n",
        solution="""def extra(sigma, other):
    return (other**2 - sigma**2) ** 0.5
""",
        explanation="The variances of independent noise terms add up.",
        hints=(
            "When independent noise terms are added, what adds up: standard deviations or variances?",
            "other² = sigma² + extra².",
            "The square root of other² − sigma².",
        ),
        praise="Right: Gaussian mechanisms form a chain, ordered by σ alone.",
        cases=((1.0, 2.0), (0.5, 0.6), (3.0, 3.0), (0.1, 5.0)),
        draw=lambda r: (r.uniform(0.5, 2), r.uniform(2, 4)),
        mistakes=(
            Mistake(lambda s, o: o - s, "Standard deviations do not add up; variances do."),
            Mistake(lambda s, o: o**2 - s**2, "This is the variance of the extra noise. Take the square root."),
            Mistake(lambda s, o: o, "The output already carries noise; adding this much gives more noise than wanted."),
            Mistake(
                lambda s, o: math.sqrt(o**2 + s**2),
                "This is what comes out if noise `other` is added. You want `other` to come out.",
            ),
            Mistake(
                lambda s, o: o / s,
                "This is the ratio of the two. Noise is added, not multiplied.",
            ),
            Mistake(
                lambda s, o: math.sqrt(o - s),
                "You took the standard deviations for variances. Square them first.",
            ),
            Mistake(
                lambda s, o: (o - s) ** 2,
                "You squared the difference. Take the difference of the squares, and then a root.",
            ),
        ),
        laws=(
            lambda result, s, o: (
                "With that much added, the whole has more noise than `other`." if result[0] > o + 1e-9 else None
            ),
        ),
    ),
    Exercise(
        id="6.3",
        grade="think",
        title="Two promises, ordered or not",
        question="Write `dominates(epsilon, delta, other_epsilon, other_delta)`: True if the worst (ε, δ) mechanism "
        "reveals at least as much as the worst mechanism with the other parameters, else False.",
        brief=r"When does the worst $(\varepsilon, \delta)$ mechanism dominate the worst $(\tilde\varepsilon, \tilde\delta)$ mechanism?",
        goals=(1,),
        name="dominates",
        stub="from math import exp\n\n\ndef dominates(epsilon, delta, other_epsilon, other_delta):\n    ...\n",
        solution="""from math import exp


def dominates(epsilon, delta, other_epsilon, other_delta):
    # f is convex, so it is below f̃ if and only if it is at the corners of f̃: (0, 1 − δ̃), and the one on the diagonal.
    corner = (1 - delta) / (1 + exp(epsilon))                    # where f meets the diagonal
    other_corner = (1 - other_delta) / (1 + exp(other_epsilon))  # where f̃ does
    return delta >= other_delta and corner <= other_corner
""",
        explanation="Both curves are made of lines. A convex f is below the broken line f̃ if and only if it is below the corners of f̃: (0, 1 − δ̃), and the "
        "one on the diagonal, at (1 − δ̃)/(1 + e^ε̃). f is not above the second corner if it meets the diagonal α = β no farther out.",
        hints=(
            "Draw both trade-off functions. At which points is it enough to compare them?",
            "At the corners of the upper one: at α = 0, and where it meets the diagonal α = β.",
            "At α = 0 the curves are at 1 − δ and 1 − δ̃. On the diagonal solve 1 − δ − e^ε α = α, and the same for f̃.",
        ),
        praise="Right. A smaller ε with a larger δ may dominate: ε̃ ≤ ε is not needed.",
        cases=(
            (1.0, 0.1, 0.5, 0.1),
            (0.5, 0.1, 1.0, 1e-5),
            (0.9, 0.2, 1.0, 0.0),
            (1.0, 1e-5, 0.5, 0.1),
            (1.0, 0.01, 1.0, 0.01),
            (0.0, 0.5, 1.0, 0.01),
            (1.0, 0.0, 0.9, 0.2),
            (1.0, 0.3, 1.05, 0.0),
            (1.05, 0.0, 1.0, 0.3),
            (1.0, 0.2, 0.5, 0.1),
        ),
        mistakes=(
            Mistake(
                lambda e, d, oe, od: e >= oe and d >= od,
                "Sufficient, but not necessary: a larger δ can make up for a smaller ε. Compare the corners of the curves.",
            ),
            Mistake(
                lambda e, d, oe, od: e <= oe and d <= od,
                "The direction is reversed, and the condition is too strict: to dominate is to reveal more.",
            ),
            Mistake(
                lambda e, d, oe, od: _corner(e, d) <= _corner(oe, od),
                "You compare the corners on the diagonal only. At α = 0 the curves are at 1 − δ and 1 − δ̃.",
            ),
            Mistake(
                lambda e, d, oe, od: d >= od,
                "You compare at α = 0 only. What about the corner on the diagonal?",
            ),
            Mistake(
                lambda e, d, oe, od: d <= od and _corner(e, d) >= _corner(oe, od),
                "The direction is reversed: to dominate is to reveal more, so f ≤ f̃.",
            ),
            Mistake(
                lambda e, d, oe, od: e >= oe,
                "You compare only ε. A larger ε does not make up for a smaller δ, which counts at α = 0.",
            ),
            Mistake(
                lambda e, d, oe, od: math.exp(e) + d >= math.exp(oe) + od,
                "No single number made of ε and δ decides this: the curves have to be compared at two corners.",
            ),
            Mistake(
                lambda e, d, oe, od: d > od and _corner(e, d) < _corner(oe, od),
                "“At least as much” includes equality. Two equal mechanisms dominate each other.",
            ),
            Mistake(
                lambda e, d, oe, od: d >= od or _corner(e, d) <= _corner(oe, od),
                "One corner is not enough: f has to be below f̃ at both.",
            ),
            Mistake(
                lambda e, d, oe, od: e > oe and d > od,
                "This is too strict twice: “at least as much” includes equality, and a larger δ can make up for a smaller ε.",
            ),
        ),
        shape="True or False",
    ),
    Exercise(
        id="6.4",
        grade="think",
        title="Just above, just below",
        question="Write `faces(m, other, x)`: the pair (Bayes error of their join at the prior x, trade-off function of their meet at α = x).",
        brief="From the curves of two mechanisms, compute the Bayes error of their join and the trade-off function of their meet.",
        goals=(3,),
        name="faces",
        curve=Curve("x"),
        stub="def faces(m, other, x):\n    ...\n",
        solution="""def faces(m, other, x):
    join = min(m.bayes_error(x), other.bayes_error(x))
    meet = max(m.tradeoff(x), other.tradeoff(x))
    return join, meet
""",
        explanation="The join reveals at least as much as both: the smaller Bayes error, everywhere. The meet reveals "
        "at most as much as both: the higher trade-off function.",
        hints=(
            "The join reveals at least as much as both. Is its Bayes error larger or smaller than theirs?",
            "At most min(R, R̃); and that is concave, hence a Bayes error itself.",
            "The meet reveals at most as much as both. Of two trade-off functions, which one reveals less?",
        ),
        praise="Right. The other function of each is a convex hull, reached by coins that choose between tests of "
        "both.",
        cases=tuple((m, o, x) for m, o in _PAIRS for x in (0.1, 0.4, 0.7, 0.0, 1.0)),
        mistakes=(
            Mistake(
                lambda m, o, x: (max(m.bayes_error(x), o.bayes_error(x)), min(m.tradeoff(x), o.tradeoff(x))),
                "You exchanged join and meet: the join reveals more, so its adversary errs less often.",
            ),
            Mistake(
                lambda m, o, x: (min(m.bayes_error(x), o.bayes_error(x)), min(m.tradeoff(x), o.tradeoff(x))),
                "The join is right. The meet reveals less than both, so its trade-off function is the higher one.",
            ),
            Mistake(
                lambda m, o, x: (max(m.bayes_error(x), o.bayes_error(x)), max(m.tradeoff(x), o.tradeoff(x))),
                "The meet is right. The join reveals more than both, so its Bayes error is the smaller one.",
            ),
            Mistake(
                lambda m, o, x: ((m.bayes_error(x) + o.bayes_error(x)) / 2, (m.tradeoff(x) + o.tradeoff(x)) / 2),
                "Averages belong to a coin that chooses between the mechanisms. The join is above both, the meet "
                "below both.",
            ),
            Mistake(
                lambda m, o, x: (min(m.tradeoff(x), o.tradeoff(x)), max(m.bayes_error(x), o.bayes_error(x))),
                "You exchanged the two: give the Bayes error of the join and the trade-off function of the meet.",
            ),
            Mistake(
                lambda m, o, x: (min(m.bayes_error(x), o.bayes_error(x)), max(m.bayes_error(x), o.bayes_error(x))),
                "The join is right. For the meet, give the trade-off function instead of the Bayes error.",
            ),
            Mistake(
                lambda m, o, x: (min(m.tradeoff(x), o.tradeoff(x)), max(m.tradeoff(x), o.tradeoff(x))),
                "The meet is right. For the join, give the Bayes error.",
            ),
            Mistake(
                lambda m, o, x: (
                    min(m.bayes_error(1 - x), o.bayes_error(1 - x)),
                    max(m.tradeoff(x), o.tradeoff(x)),
                ),
                "The meet is right. For the join you took 1 − x for the prior; x is the prior of world P.",
            ),
            Mistake(
                lambda m, o, x: (m.bayes_error(x), o.tradeoff(x)),
                "These are functions of the two mechanisms themselves. The join is above both, the meet below both.",
            ),
        ),
        shape="two numbers (join, meet)",
    ),
    Exercise(
        id="6.5",
        grade="build",
        title="Garble",
        question="The arrays `p` and `q` are the probabilities of a finite experiment’s outcomes and `matrix` is a garbling, a row for each outcome. Write "
        "`garbled_error(p, q, matrix, prior)`: the Bayes error of the garbled experiment.",
        brief="Apply a garbling matrix to a finite experiment, and compute the Bayes error of the result.",
        goals=(2,),
        name="garbled_error",
        curve=Curve("prior"),
        stub="import numpy as np\n\n\ndef garbled_error(p, q, matrix, prior):\n    ...\n",
        solution="""import numpy as np


def garbled_error(p, q, matrix, prior):
    made_p, made_q = np.array(p) @ np.array(matrix), np.array(q) @ np.array(matrix)
    return np.sum(np.minimum(prior * made_p, (1 - prior) * made_q))
""",
        explanation="Outcome j comes out with probability Σ p_i K_ij; then the best guess at each outcome is the more "
        "likely world.",
        hints=(
            "What is the probability of the garbled outcome j in world P?",
            "Σ over i of p_i K_ij: a row vector times the matrix, p @ K. The same for q.",
            "The Bayes error of a finite experiment is Σ min(π p_j, (1 − π) q_j).",
        ),
        praise="Right, and it is never smaller than the Bayes error before the garbling.",
        cases=tuple((p, q, k, prior) for p, q, k in _EXPERIMENTS for prior in (0.3, 0.5, 0.8)),
        mistakes=(
            Mistake(
                lambda p, q, k, x: _error(p, q, x),
                "This is the Bayes error before the garbling. Compute the garbled probabilities first.",
            ),
            Mistake(
                lambda p, q, k, x: _error(np.array(p) @ np.array(k), np.array(q) @ np.array(k), 1 - x),
                "The prior belongs to world P, and weighs p.",
            ),
            Mistake(
                lambda p, q, k, x: _error(np.array(p) @ np.array(k), np.array(q) @ np.array(k), 0.5),
                "This is the error at an even prior, whatever the prior is.",
            ),
            Mistake(
                lambda p, q, k, x: 1 - _error(np.array(p) @ np.array(k), np.array(q) @ np.array(k), x),
                "This is the probability of being right. The Bayes error is that of being wrong.",
            ),
            Mistake(
                lambda p, q, k, x: float(np.sum(np.minimum(np.array(p) @ np.array(k), np.array(q) @ np.array(k)))),
                "The prior is missing: weigh the two worlds before you take the smaller one.",
            ),
            Mistake(
                lambda p, q, k, x: float(min(x, 1 - x)),
                "This is the error of an adversary who ignores the output. The garbled output may still help.",
            ),
            Mistake(
                lambda p, q, k, x: float(
                    np.sum(np.minimum(x * p @ k, (1 - x) * (q @ k)) / (x * p @ k + (1 - x) * (q @ k)))
                ),
                "You added up the probability of error after each outcome. Weigh each by how likely the outcome is.",
            ),
            Mistake(
                lambda p, q, k, x: float(np.min(np.minimum(x * (p @ k), (1 - x) * (q @ k)))),
                "You took the smallest of the outcomes. The adversary may err at any of them: add up.",
            ),
        ),
        laws=(
            lambda result, p, q, k, x: (
                (
                    "Garbling never makes an adversary err less often, but your error is smaller than before the "
                    "garbling."
                )
                if result[0] < _error(p, q, x) - 1e-9
                else None
            ),
        ),
    ),
    Exercise(
        id="6.6",
        grade="build",
        title="All orders at once",
        question="Write `renyi(epsilon, order)`: the Rényi divergence D_s(Q‖P) of randomized response, for an order s > 1.",
        brief="Program the Rényi divergence of randomized response, and check {prf:ref}`thm-renyi-fails` for yourself.",
        goals=(4,),
        name="renyi",
        curve=Curve("order", hidden=True),
        stub="from math import exp, log\n\n\ndef renyi(epsilon, order):\n    ...\n",
        solution="""from math import exp, log


def renyi(epsilon, order):
    truth, lie = exp(epsilon) / (1 + exp(epsilon)), 1 / (1 + exp(epsilon))
    total = truth**order * lie ** (1 - order) + lie**order * truth ** (1 - order)
    return log(total) / (order - 1)
""",
        explanation="Two outcomes: q^s p^(1−s) with (q, p) = (truth, lie) and (lie, truth).",
        hints=(
            "There are two outcomes. What are their probabilities in the two worlds?",
            "Σ q^s p^(1−s), with (q, p) = (truth, lie) and the other way round.",
            "Take the logarithm and divide by s − 1.",
        ),
        praise="Right. Compare with s·ε²/2, the Gaussian mechanism with σ = 1/ε: yours is smaller at every order.",
        cases=((1.0, 2.0), (0.5, 1.5), (2.0, 8.0), (0.1, 30.0)),
        draw=lambda r: (r.uniform(0.2, 2), r.uniform(1.5, 8)),
        mistakes=(
            Mistake(
                lambda e, s: _renyi(e, s) * (s - 1),
                "Divide by s − 1: a Rényi divergence is log H/(s − 1).",
            ),
            Mistake(
                lambda e, s: math.exp(_renyi(e, s) * (s - 1)) / (s - 1),
                "The logarithm of the sum is missing.",
            ),
            Mistake(
                lambda e, s: s * e**2 / 2,
                "This is the Rényi divergence of Gaussian noise with σ = 1/ε, which is larger. Compute that of two outcomes.",
            ),
            Mistake(
                lambda e, s: _renyi(e, s) / math.log(2),
                "These are bits. Divergences here use the natural logarithm.",
            ),
            Mistake(
                lambda e, s: _renyi(e, s) * (s - 1) / s,
                "Divide by s − 1, not by s.",
            ),
            Mistake(
                lambda e, s: math.log((1 - _lie(e)) ** s * _lie(e) ** (1 - s)) / (s - 1),
                "You counted the truth only. The lie is the second outcome.",
            ),
            Mistake(
                lambda e, s: math.log(sum(x**s * (1 - x) ** (s - 1) for x in (_lie(e), 1 - _lie(e)))) / (s - 1),
                "The exponent of p has the wrong sign: q^s p^(1−s) gets larger where p is small.",
            ),
            Mistake(
                lambda e, s: math.log(sum(x**s for x in (_lie(e), 1 - _lie(e)))) / (s - 1),
                "World P is missing: you added up q^s only, which gives an entropy and not a divergence.",
            ),
            Mistake(
                lambda e, s: e,
                "This is the largest privacy loss, the limit of large orders. At a finite order the divergence is smaller.",
            ),
            Mistake(
                lambda e, s: e * math.tanh(e / 2),
                "This is the Kullback–Leibler divergence, the limit s → 1. Where does the order enter?",
            ),
        ),
        laws=(
            lambda result, e, s: (
                "No Rényi divergence exceeds the largest privacy loss, ε." if result[0] > e + 1e-9 else None
            ),
        ),
    ),
]
