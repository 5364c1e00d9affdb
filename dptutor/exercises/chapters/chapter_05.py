"""Exercises of chapter 5: adversaries with a prior, and what their errors say about a mechanism."""

import itertools
import math

import numpy as np

from ...mechanisms import ApproximateDP, FiniteExperiment, Gaussian, Laplace, RandomizedResponse
from ..judging.core import Exercise, Mistake, roughly
from ..judging.drawing import Curve
from ..judging.questions import PROBABILITY, Question, in_percent

_MECHANISMS = (
    Gaussian(sigma=1),
    Laplace(scale=0.7),
    RandomizedResponse(epsilon=1.5),
    ApproximateDP(epsilon=0.5, delta=0.1),
    FiniteExperiment(p=(0.7, 0.2, 0.1), q=(0.2, 0.3, 0.5)),
)
_PRIORS = (0.1, 0.35, 0.5, 0.9)
_EXPERIMENTS = tuple(
    (np.array(p), np.array(q))
    for p, q in (
        ((0.9, 0.1), (0.4, 0.6)),
        ((0.7, 0.2, 0.1), (0.2, 0.3, 0.5)),
        ((0.5, 0.5), (0.5, 0.5)),
        ((1.0, 0.0), (0.3, 0.7)),
        ((0.05, 0.15, 0.8), (0.6, 0.3, 0.1)),
    )
)
_GRID = 1 / (1 + np.exp(-np.linspace(-15, 15, 20_001)))  # of priors


def _profile(mechanism):
    return mechanism.privacy_profile


def _arc(mechanism):
    return mechanism.bayes_error


def _slope(mechanism, prior, step=1e-7):
    return float(mechanism.bayes_error(prior + step) - mechanism.bayes_error(prior - step)) / (2 * step)


def _between_0_and_1(name):
    def law(result, *case):
        return f"{name} lies between 0 and 1." if np.any(result < -1e-9) or np.any(result > 1 + 1e-9) else None

    return law


def _not_above_guessing(result, mechanism, prior):
    if result[0] > min(prior, 1 - prior) + 1e-9:
        return (
            "Guessing the more likely world errs with probability min(π, 1 − π), so no Bayes error is larger than that."
        )
    return None


def _never_a_loss(result, mechanism, prior):
    return "Reading an output never hurts: a gain is at least 0." if result[0] < -1e-9 else None


def _below_the_diagonal(result, arc, alpha):
    return (
        "A trade-off function is nowhere above blind guessing, f(α) ≤ 1 − α." if result[0] > 1 - alpha + 1e-6 else None
    )


def _both_sides(result, scale):
    if len(result) == 2 and abs(result[0] + result[1] - 1) > 1e-9:
        return "Laplace noise protects both worlds alike, so the two priors add up to 1."
    return None


def _bayes(p, q, prior):
    return float(np.sum(np.minimum(prior * np.asarray(p), (1 - prior) * np.asarray(q))))


def _worst_prior(p, q):
    return float(max(q / (p + q), key=lambda prior: _bayes(p, q, prior)))


def _without_a_coin(p, q):
    """The smallest max(α, β) of the tests that toss no coin."""
    sets = itertools.product((0, 1), repeat=len(p))
    return float(min(max(np.dot(chosen, p), 1 - np.dot(chosen, q)) for chosen in sets))


EXERCISES = [
    Question(
        id="5.a",
        title="One point, one adversary",
        question="An adversary gives “not in the data” the prior probability π = 0.8. The mechanism has δ(log 4) = "
        "0.3. What is the Bayes error R(π)?",
        goals=(1,),
        solution="""from math import exp, log

prior, delta = 0.8, {log(4): 0.3}
epsilon = log(4)
assert abs(prior / (1 - prior) - exp(epsilon)) < 1e-9      # this is the ε of this adversary
answer = (1 - prior) * (1 - delta[epsilon])
""",
        explanation="The odds 0.8/0.2 are 4, so ε = log 4 is the point of this adversary, and R = (1 − π)(1 − δ) = 0.2·0.7. "
        "Without the output the error would be 0.2.",
        hints=(
            "Which ε corresponds to the prior π?",
            "ε = log(π/(1 − π)) = log 4, where you know δ. How does it give R(π)?",
            "R(π) = (1 − π)(1 − δ(ε)).",
        ),
        praise="Right: every (ε, δ) is a statement about one adversary.",
        mistakes=(
            Mistake(0.8 * 0.7, "The factor belongs to Q: δ is measured in world Q, whose prior is 1 − π."),
            Mistake(0.7, "A factor is missing: with δ = 0 this would be an error of 1. It is (1 − π)(1 − δ)."),
            Mistake(0.35, "You used an even prior. This adversary gives world Q only 0.2."),
            Mistake(0.2, "This is the error without the output, min(π, 1 − π). Reading it helps: δ > 0."),
            Mistake(0.86, "This is the probability that the adversary is right. R is the error."),
            Mistake(0.06, "This is the gain, min(π, 1 − π) − R(π). The question asks for R itself."),
            Mistake(0.2 * (1 - 0.3 / 4), "δ(log 4) is δ at this adversary’s own ε. It need not be divided by e^ε."),
            in_percent(0.14),
        ),
        laws=(PROBABILITY,),
        tolerance=0.005,
    ),
    Question(
        id="5.b",
        title="A belief after one output",
        question="An adversary is 90% sure that you are not in the data: π = 0.9. The output has the privacy loss L "
        "= log 27. With what probability does this adversary now believe that you are in the data?",
        goals=(4,),
        solution="from math import exp, log\n\nodds = 0.1 / 0.9 * exp(log(27))     # of “in the data”\nanswer = odds / (1 + odds)\n",
        explanation="The prior odds of “in” are 1 to 9. The output is 27 times as likely if you are in the data, so the odds "
        "become 27 to 9, which is 3 to 1.",
        hints=(
            "How many times as likely is this output if you are in the data?",
            "It is e^L = 27 times as likely. Bayes’ rule multiplies the odds of “in the data” by this factor.",
            "The prior odds are 0.1/0.9, so the new ones are 27/9 = 3. Turn odds into a probability.",
        ),
        praise="Right: odds of 1 to 9 become odds of 3 to 1.",
        mistakes=(
            Mistake(0.25, "This is the probability that you are not in the data. The question asks for “in”."),
            Mistake(27 / 28, "You forgot the prior: this is the belief of someone who started from an even prior."),
            Mistake(
                243 / 244,
                "You took 0.9 for the prior of “in the data”. Here π belongs to “not in”, so the odds start at 1 to 9.",
            ),
            Mistake(
                math.log(27) / (9 + math.log(27)),
                "You used L where e^L belongs: the loss is the logarithm of what multiplies the odds.",
            ),
            Mistake(2.7, "The prior times e^L is not yet a probability. Multiply the odds, then divide by 1 + odds."),
            Mistake(3, "These are the odds. As a probability, odds of 3 to 1 are 3/(1 + 3)."),
            Mistake(0.1, "This is the belief before the output. An output with a positive loss raises it."),
            in_percent(0.75),
        ),
        laws=(PROBABILITY,),
        tolerance=0.005,
    ),
    Exercise(
        id="5.1",
        grade="warm-up",
        title="What the output is worth",
        question="Write `gain(mechanism, prior)`: the drop in error probability that the mechanism’s output brings an "
        "adversary of this prior.",
        brief=r"An adversary with prior $\pi$ reads the output of a mechanism. By how much does that lower the probability of error?",
        goals=(4,),
        name="gain",
        curve=Curve("prior"),
        stub="def gain(mechanism, prior):\n    ...\n",
        solution="""def gain(mechanism, prior):
    return min(prior, 1 - prior) - mechanism.bayes_error(prior)
""",
        explanation="Without the output, the best guess is the more likely world.",
        hints=(
            "An adversary who ignores the output guesses as well as possible. How likely is that guess to be wrong?",
            "Guessing the more likely world errs with probability min(π, 1 − π).",
            "mechanism.bayes_error(prior) is the error with the output. By how much is it smaller?",
        ),
        praise="Right. The gain, not the accuracy, measures what the mechanism gives away.",
        cases=tuple((m, prior) for m in _MECHANISMS for prior in _PRIORS),
        mistakes=(
            Mistake(
                lambda m, p: 0.5 - m.bayes_error(p),
                "You compare with a coin. An adversary who leans to one side guesses that side, and errs with min(π, 1 − π).",
            ),
            Mistake(
                lambda m, p: 1 - m.bayes_error(p),
                "This is the accuracy. Much of it needs no output at all: compare with blind guessing.",
            ),
            Mistake(
                lambda m, p: m.bayes_error(p) - min(p, 1 - p),
                "The sign is wrong: a gain is an error that got smaller, and at least 0.",
            ),
            Mistake(
                lambda m, p: p - m.bayes_error(p),
                "π is the error of always saying “in”. If π > 1/2, “not in” is the better guess.",
            ),
            Mistake(
                lambda m, p: 1 - p - m.bayes_error(p),
                "1 − π is the error of always saying “not in”. If π < 1/2, “in” is the better guess.",
            ),
            Mistake(
                lambda m, p: m.bayes_error(p),
                "This is the error with the output. By how much is it smaller than without?",
            ),
            Mistake(
                lambda m, p: min(p, 1 - p),
                "This is the error without the output. By how much does the output lower it?",
            ),
            Mistake(
                lambda m, p: m.advantage / 2,
                "This is the gain at an even prior, half the advantage. This adversary has a prior of its own.",
            ),
            Mistake(
                lambda m, p: m.advantage,
                "This is the advantage, which belongs to an even prior and is twice the gain there.",
            ),
            Mistake(
                lambda m, p: max(p, 1 - p) - m.bayes_error(p),
                "max(π, 1 − π) is the probability that the better guess is right. Compare two errors.",
            ),
            Mistake(
                lambda m, p: 1 - m.bayes_error(p) / min(p, 1 - p),
                "This is the relative drop. The difference of the two error probabilities is asked for.",
            ),
            Mistake(
                lambda m, p: m.bayes_error(0.5) - m.bayes_error(p),
                "You compare with an adversary of another prior. Compare this adversary with and without the output.",
            ),
        ),
        laws=(_never_a_loss,),
    ),
    Exercise(
        id="5.2",
        grade="warm-up",
        title="From a privacy profile to a Bayes error",
        question="You are given a privacy profile, a function `delta` of ε. Write `bayes_error(delta, prior)`, for "
        "0 < prior < 1.",
        brief=r"You are given $\delta$ as a function of $\varepsilon$. What is the Bayes error at the prior $\pi$?",
        goals=(1,),
        name="bayes_error",
        curve=Curve("prior"),
        stub="from math import log\n\n\ndef bayes_error(delta, prior):\n    ...\n",
        solution="""from math import log


def bayes_error(delta, prior):
    epsilon = log(prior / (1 - prior))
    return (1 - prior) * (1 - delta(epsilon))
""",
        explanation="R(π) is the integral of min(πp, (1−π)q). Write the minimum as (1−π)q minus the positive part of "
        "(1−π)q − πp. The first integrates to 1−π. The second is (1−π) times that of max(q − e^ε p, 0), where e^ε is "
        "the odds π/(1−π), and this is (1−π)δ(ε).",
        hints=(
            "Which ε corresponds to the prior π?",
            "The threshold of the best test: ε = log(π/(1 − π)), of any sign.",
            "R(π) = (1 − π)(1 − δ(ε)).",
        ),
        praise="Right: every (ε, δ) is a statement about one adversary.",
        cases=tuple((_profile(m), prior) for m in _MECHANISMS for prior in _PRIORS),
        mistakes=(
            Mistake(
                lambda d, p: (1 - p) * (1 - d(math.log((1 - p) / p))),
                "Your odds are upside down. π is the prior of “not in the data”, and a large π is a large ε.",
            ),
            Mistake(
                lambda d, p: p * (1 - d(math.log(p / (1 - p)))),
                "The factor belongs to Q: δ is measured in world Q, whose prior is 1 − π.",
            ),
            Mistake(
                lambda d, p: 1 - d(math.log(p / (1 - p))),
                "A factor is missing. For δ = 0 you would get an error of 1; guessing “not in” has 1 − π.",
            ),
            Mistake(
                lambda d, p: p * (1 - d(math.log((1 - p) / p))),
                "You took π for the prior of “in the data”. In this book it belongs to “not in the data”, world P.",
            ),
            Mistake(
                lambda d, p: (1 - p) * (1 - d(math.log(p))),
                "You took the logarithm of π. The ε of an adversary is the logarithm of the odds.",
            ),
            Mistake(
                lambda d, p: min(p, 1 - p) * (1 - d(0)),
                "You took δ(0), which belongs to an even prior. An adversary with another prior has another ε.",
            ),
            Mistake(
                lambda d, p: (1 - p) * d(math.log(p / (1 - p))),
                "This is how much better than “not in” the adversary does. The error is what remains.",
            ),
            Mistake(
                lambda d, p: min(p, 1 - p) * (1 - d(math.log(p / (1 - p)))),
                "The factor is not always the smaller prior: δ is measured in world Q.",
            ),
            Mistake(
                lambda d, p: (1 - p) - d(math.log(p / (1 - p))),
                "δ is not itself a drop in error: it is a probability in world Q, so weigh it by 1 − π.",
            ),
            Mistake(
                lambda d, p: min(p, 1 - p) - d(math.log(p / (1 - p))),
                "δ is not itself a drop in error. It has to be weighed by a prior first.",
            ),
            Mistake(
                lambda d, p: (1 - p) * (1 - d(p / (1 - p))),
                "This is e^ε in place of ε: the profile wants the logarithm of the odds.",
            ),
            Mistake(
                lambda d, p: (1 - p) * (1 - d(abs(math.log(p / (1 - p))))),
                "ε keeps its sign. Adversaries with π < 1/2 have a negative ε.",
            ),
            Mistake(
                lambda d, p: (1 - d(0)) / 2,
                "This is R(1/2), the Bayes error at an even prior, whatever the prior is.",
            ),
        ),
        laws=(_not_above_guessing,),
    ),
    Exercise(
        id="5.3",
        grade="think",
        title="Both errors from a tangent",
        question="At a prior the Bayes error is `error`, and its slope there is `slope`. Write `errors(prior, error, slope)`: "
        "the pair (α, β) of the best test at that prior.",
        brief=r"At the prior $\pi$ the arc has height $R$ and slope $s$. Which errors $(\alpha, \beta)$ does the best test have?",
        goals=(2,),
        name="errors",
        stub="def errors(prior, error, slope):\n    ...\n",
        solution="""def errors(prior, error, slope):
    alpha = error + (1 - prior) * slope   # the tangent's height above prior 1
    beta = error - prior * slope          # and above prior 0
    return alpha, beta
""",
        explanation="The line πα + (1−π)β of the best test touches the arc. Its slope is α − β, its height at 0 is β, at 1 it is α.",
        hints=(
            "A fixed test has the error πα + (1 − π)β at the prior π. What does it look like as a function of π?",
            "It is a line that touches the arc at the prior where the test is best.",
            "Its height above π = 0 is β, above π = 1 it is α. Follow the tangent to both walls.",
        ),
        praise="Right: the tangent meets the left wall at β, and the right wall at α.",
        cases=tuple(
            (prior, float(m.bayes_error(prior)), _slope(m, prior))
            for m in (_MECHANISMS[0], _MECHANISMS[4])
            for prior in (0.2, 0.42, 0.77)
        ),
        mistakes=(
            Mistake(
                lambda p, r, s: (r - p * s, r + (1 - p) * s),
                "You exchanged the two errors. At π = 1 only world P counts, so the height there is the type I error α.",
            ),
            Mistake(
                lambda p, r, s: (r - (1 - p) * s, r + p * s),
                "The slope has the wrong sign: to the right of π the tangent rises if the slope is positive.",
            ),
            Mistake(
                lambda p, r, s: (r + p * s, r - (1 - p) * s),
                "You mixed up the distances: the right wall is 1 − π away from π, the left wall π away.",
            ),
            Mistake(
                lambda p, r, s: (r / p, r / (1 - p)),
                "These are the points where the line πα + (1 − π)β = R meets the axes. The best test is where it touches f.",
            ),
            Mistake(
                lambda p, r, s: (r + s, r - s),
                "You went a full step of 1 in both directions. The walls, π = 0 and π = 1, are nearer.",
            ),
            Mistake(
                lambda p, r, s: (p * r, (1 - p) * r),
                "You weighed R by the priors. R is already the weighted average of α and β.",
            ),
            Mistake(
                lambda p, r, s: (r, r),
                "Both errors are R only for the test with α = β. In general R is their average with the weights π and 1 − π.",
            ),
        ),
        laws=(_between_0_and_1("An error rate"),),
        tolerance=1e-5,
        shape="two numbers (α, β)",
    ),
    Exercise(
        id="5.4",
        grade="think",
        title="When is the output worth reading?",
        question="A mechanism adds Laplace noise of scale `scale` to a query of sensitivity 1. Write `worth_reading(scale)`: the two priors (low, high) between which the output brings a gain, and outside which it brings none.",
        brief="A mechanism adds Laplace noise of scale $b$ to a count. Between which two priors is there anything to gain from the output?",
        goals=(4,),
        name="worth_reading",
        curve=Curve("scale", hidden=True),
        stub="from math import exp\n\n\ndef worth_reading(scale):\n    ...\n",
        solution="""from math import exp


def worth_reading(scale):
    low = 1 / (1 + exp(1 / scale))
    return low, 1 - low
""",
        explanation="The privacy loss never exceeds ε₀ = 1/b. It can reverse a decision only if the log-odds are "
        "between −ε₀ and ε₀.",
        hints=(
            "How large can the privacy loss of a Laplace mechanism be?",
            "At most 1/b, in either direction. When can such a loss change the sign of the log-odds?",
            "If |log(π/(1 − π))| < 1/b. Solve for π at both ends.",
        ),
        praise="Right. Gaussian noise has no such limits: δ(ε) > 0 for every ε.",
        cases=((0.5,), (1.0,), (2.0,), (5.0,)),
        draw=lambda r: (r.uniform(0.4, 4),),
        mistakes=(
            Mistake(
                lambda b: (1 / (1 + math.exp(b)), 1 - 1 / (1 + math.exp(b))),
                "The largest loss is 1/b, not b: more noise means less to learn.",
            ),
            Mistake(
                lambda b: (1 - 1 / (1 + math.exp(1 / b)), 1 / (1 + math.exp(1 / b))),
                "The numbers are right, in the wrong order: give the smaller prior first.",
            ),
            Mistake(
                lambda b: (math.exp(-1 / b), 1 - math.exp(-1 / b)),
                "e^(−1/b) is a ratio, the odds of a prior. Turn odds into a probability.",
            ),
            Mistake(
                lambda b: (-1 / b, 1 / b),
                "These are log-odds. A prior is a probability: turn log-odds into one.",
            ),
            Mistake(
                lambda b: (math.exp(-1 / b) / 2, 1 - math.exp(-1 / b) / 2),
                "You used the probability e^(−1/b)/2 of an extreme loss. What matters is how large a loss can be, not how "
                "likely it is.",
            ),
            Mistake(
                lambda b: (1 / (1 + math.exp(2 / b)), 1 - 1 / (1 + math.exp(2 / b))),
                "You took 2/b for the largest loss. The two worlds are 1 apart, and the scale is b.",
            ),
            Mistake(
                lambda b: (0.0, 1.0),
                "For Gaussian noise this would be right. The privacy loss of Laplace noise is bounded.",
            ),
            Mistake(
                lambda b: (math.exp(-1 / (2 * b)) / 2, 1 - math.exp(-1 / (2 * b)) / 2),
                "This is the Bayes error at an even prior, and 1 minus it. At which priors does the gain vanish?",
            ),
            Mistake(
                lambda b: (1 / (1 + math.exp(1 / b)), 0.5),
                "Your lower prior is right. Adversaries on the other side of 1/2 gain as well.",
            ),
            Mistake(
                lambda b: (1 / (1 + 1 / b), 1 - 1 / (1 + 1 / b)),
                "You used 1/b as odds. The privacy loss is the logarithm of a likelihood ratio.",
            ),
        ),
        laws=(_between_0_and_1("A prior"), _both_sides),
        shape="two priors (low, high)",
    ),
    Exercise(
        id="5.5",
        grade="think",
        title="A belief, updated",
        question="The prior of “not in the data” is `prior`, and the output has the privacy loss `loss` = log q/p. "
        "Write `belief(prior, loss)`: the probability that this adversary now gives to “in the data”.",
        brief=r'An adversary with prior $\pi$ of "not in the data" reads an output with privacy loss $L$. What probability does this adversary now give to "in the data"?',
        goals=(4,),
        name="belief",
        curve=Curve("loss"),
        stub="from math import exp, log\n\n\ndef belief(prior, loss):\n    ...\n",
        solution="""from math import exp, log


def belief(prior, loss):
    log_odds_in = log((1 - prior) / prior) + loss
    return 1 / (1 + exp(-log_odds_in))
""",
        explanation="Bayes’ rule adds the privacy loss to the log-odds of “in”. A logistic function turns them into a probability.",
        hints=(
            "Write Bayes’ rule as odds: what does an output multiply the odds of “in” by?",
            "By q/p = e^L. And the odds beforehand are (1 − π)/π.",
            "belief = 1/(1 + e^(ε − L)) with ε = log(π/(1 − π)).",
        ),
        praise="Right: belief = logistic(L − ε). Its whole distribution follows from that of the loss.",
        cases=tuple((p, x) for p in (0.1, 0.5, 0.95) for x in (-2.0, 0.0, 0.7, 3.0)),
        draw=lambda r: (r.uniform(0.05, 0.95), r.uniform(-2, 3)),
        mistakes=(
            Mistake(
                lambda p, x: 1 / (1 + math.exp(-x)),
                "You started from an even prior. The prior’s log-odds have to be added to the loss.",
            ),
            Mistake(
                lambda p, x: 1 / (1 + math.exp(x - math.log(p / (1 - p)))),
                "This is the probability of “not in”. You want the other one.",
            ),
            Mistake(
                lambda p, x: 1 / (1 + math.exp(-math.log(p / (1 - p)) - x)),
                "You took π as the prior of “in”. Here it belongs to “not in the data”.",
            ),
            Mistake(
                lambda p, x: 1 / (1 + math.exp(math.log(p / (1 - p)) + x)),
                "The loss has the wrong sign: a positive loss is more likely in world Q and speaks for “in”.",
            ),
            Mistake(
                lambda p, x: (1 - p) * math.exp(x),
                "e^L multiplies odds, not probabilities: what you have can exceed 1.",
            ),
            Mistake(
                lambda p, x: min(1.0, (1 - p) * math.exp(x)),
                "e^L multiplies odds, not probabilities. Cutting it off at 1 does not make it right.",
            ),
            Mistake(
                lambda p, x: math.exp(x) * (1 - p) / p,
                "These are the odds of “in”. A probability is odds/(1 + odds).",
            ),
            Mistake(
                lambda p, x: math.log((1 - p) / p) + x,
                "These are the log-odds of “in”. Turn them into a probability.",
            ),
            Mistake(
                lambda p, x: 1 / (1 + math.exp(-math.log(1 - p) - x)),
                "You added the loss to the logarithm of the prior. It adds to the log-odds.",
            ),
            Mistake(
                lambda p, x: 1 - p,
                "This is the belief before the output. Where does the loss enter?",
            ),
        ),
        laws=(_between_0_and_1("A probability"),),
    ),
    Exercise(
        id="5.6",
        grade="build",
        title="The trade-off function, rebuilt",
        question="Write `tradeoff(bayes_error, alpha)`: f(α) for 0 < α < 1 to five digits, where all you may use is `bayes_error`, a "
        "function of the prior that takes arrays.",
        brief="You may ask for the Bayes error at any prior, and for nothing else. Program the trade-off function.",
        goals=(2,),
        name="tradeoff",
        curve=Curve("alpha"),
        stub="import numpy as np\n\n\ndef tradeoff(bayes_error, alpha):\n    ...\n",
        solution="""import numpy as np


def tradeoff(bayes_error, alpha):
    # Even in log-odds: both ends matter, near 1 above all, where 1 − π divides.
    log_odds = np.linspace(-15, 15, 2001)
    for _ in range(4):   # the bounds have one peak: look ever closer at it
        priors = 1 / (1 + np.exp(-log_odds))
        bounds = (bayes_error(priors) - priors * alpha) / (1 - priors)
        best, step = log_odds[np.argmax(bounds)], log_odds[1] - log_odds[0]
        log_odds = np.linspace(best - step, best + step, 2001)
    return np.max(bounds)
""",
        explanation="Every prior gives a line below which f cannot fall: πα + (1−π)f(α) ≥ R(π). The best of these bounds is f itself. Where R has a kink, a single grid misses the peak by up to its spacing; a "
        "finer one around the best prior finds it.",
        hints=(
            "R(π) ≤ πα + (1 − π)f(α) for every π. Solve for f(α).",
            "f(α) ≥ (R(π) − πα)/(1 − π), with equality for one prior: take the largest.",
            "The bounds have a single peak. Find it on a grid of priors, then look closer around the best one.",
        ),
        praise="Right: nothing was lost on the way to Bayes errors.",
        cases=tuple((_arc(m), alpha) for m in _MECHANISMS for alpha in (0.05, 0.3, 0.8)),
        exact=lambda r, a: r.__self__.tradeoff(a),
        mistakes=roughly(
            1e-3,
            Mistake(
                lambda r, a: float(
                    np.min(
                        (r(np.linspace(0.001, 0.999, 999)) - a * np.linspace(0.001, 0.999, 999))
                        / (1 - np.linspace(0.001, 0.999, 999))
                    )
                ),
                "Every prior gives a bound from below. The best bound is the largest, not the smallest.",
            ),
            Mistake(
                lambda r, a: float(np.max(r(_GRID) - a * _GRID)),
                "R(π) − πα is what is left for (1 − π)f(α): divide by 1 − π.",
            ),
            Mistake(
                lambda r, a: max(0.0, float(r(0.5)) * 2 - a),
                "This is the line of the even prior only, cut off at 0. Other priors give larger bounds elsewhere.",
            ),
            Mistake(
                lambda r, a: float(r(0.5)) * 2 - a,
                "This is the line of the even prior only. Other priors give larger bounds elsewhere.",
            ),
            Mistake(
                lambda r, a: float(np.max((r(_GRID) - (1 - _GRID) * a) / _GRID)),
                "You weigh α by 1 − π. In this book π belongs to world P, and weighs α; you get the inverse of f.",
            ),
            Mistake(
                lambda r, a: float(np.max(r(_GRID) / (1 - _GRID) - a)),
                "The weight π of α is missing: the error of a test is πα + (1 − π)β.",
            ),
            Mistake(
                lambda r, a: float(r(a)),
                "You used α as a prior. R(π) is an average of both errors; α is one of them.",
            ),
            Mistake(
                lambda r, a: 1 - a,
                "This is blind guessing, and R is smaller than that.",
            ),
            Mistake(
                lambda r, a: float(1 - r.__self__.tradeoff(a)),
                "This is the power. The trade-off function is what the best test misses.",
            ),
        ),
        laws=(
            lambda result, *case: (
                "A type II error is at least 0. Every prior gives a bound from below: which of them is the best?"
                if result[0] < -1e-9
                else None
            ),
            _between_0_and_1("A type II error"),
            _below_the_diagonal,
        ),
        tolerance=2e-5,
    ),
    Exercise(
        id="5.7",
        grade="build",
        title="The least favorable prior",
        question="The arrays `p` and `q` hold two finite distributions over the same outcomes. Write `minimax(p, q)`: the "
        "largest Bayes error over all priors, to nine digits.",
        brief="Given two finite distributions $p$ and $q$, program the largest Bayes error over all priors.",
        goals=(3,),
        name="minimax",
        stub="import numpy as np\n\n\ndef minimax(p, q):\n    ...\n",
        solution="""import numpy as np


def minimax(p, q):
    p, q = np.array(p), np.array(q)

    def error(prior):
        return np.sum(np.minimum(prior * p, (1 - prior) * q))

    # R is piecewise linear; it bends where an outcome changes sides, π p = (1 − π) q.
    return max(error(prior) for prior in q / (p + q))
""",
        explanation="R(π) = Σ min(πp, (1−π)q) is concave and made of lines. It bends at π = q/(p + q), one prior for each outcome, and "
        "its largest value is at a bend.",
        hints=(
            "Write R(π) as a sum over outcomes. Which of the two worlds does the best test choose for each?",
            "R(π) = Σ min(π p, (1 − π) q) is a sum of tents. Where is the peak of each?",
            "A piecewise linear function has its maximum at one of its bends, π = q/(p + q).",
        ),
        praise="Right, and the test that is best there has α = β, with a coin at the bend.",
        cases=_EXPERIMENTS,
        mistakes=(
            Mistake(
                lambda p, q: _bayes(p, q, 0.5),
                "This is R(1/2). The least favorable prior is one half only where f is symmetric.",
            ),
            Mistake(
                lambda p, q: float(np.sum(np.minimum(p, q))),
                "This is 2R(1/2), or one minus the total variation. Weigh the worlds by a prior, and look for the largest "
                "error.",
            ),
            Mistake(
                _worst_prior,
                "This is the prior itself. The Bayes error there is asked for.",
            ),
            Mistake(
                _without_a_coin,
                "This is the best test without a coin, whose larger error is as small as possible. Coins do better.",
            ),
            Mistake(
                lambda p, q: 0.5,
                "This is the error of someone who ignores the output, at an even prior. The output helps.",
            ),
            Mistake(
                lambda p, q: max(_bayes(p, q, x) for x in np.linspace(0, 1, 1001)),
                "A grid of a thousand priors misses the bend. Where exactly does R bend?",
            ),
            Mistake(
                lambda p, q: max(_bayes(p, q, x) for x in np.linspace(0, 1, 11)),
                "A coarse grid of priors misses the bend. Where exactly does R bend?",
            ),
            Mistake(
                lambda p, q: max(_bayes(p, q, x) for x in np.linspace(0, 1, 101)),
                "A grid of a hundred priors misses the bend. Where exactly does R bend?",
            ),
            Mistake(
                lambda p, q: min(_bayes(p, q, b / (a + b)) for a, b in zip(p, q, strict=True)),
                "You took the bend with the smallest error. The largest is asked for.",
            ),
        ),
        laws=(lambda result, p, q: "No Bayes error exceeds 1/2." if result[0] > 0.5 + 1e-9 else None,),
        tolerance=1e-9,
    ),
]
