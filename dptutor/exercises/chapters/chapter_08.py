"""Exercises of chapter 8: hyper-priors, weighted regrets and mean leads."""

import math

import numpy as np
from scipy.special import expit
from scipy.stats import beta

from ...comparing.blackwell import compare, delta_divergence, u_quadratic_prior
from ...mechanisms import Gaussian, Laplace, RandomizedResponse, SubsampledGaussian
from ..judging.calling import numbers
from ..judging.core import Exercise, Mistake
from ..judging.drawing import Curve
from ..judging.questions import Question

_PAIRS = (
    (Gaussian(sigma=1), Laplace(scale=1)),
    (Laplace(scale=1), Gaussian(sigma=1)),
    (RandomizedResponse(epsilon=1.5), Gaussian(sigma=2)),
    # One that treats the two worlds differently, so that π cannot be taken for 1 − π.
    (SubsampledGaussian(0.8, 0.3, direction="remove"), Laplace(scale=2)),
)
_EXPERIMENTS = tuple(
    tuple(np.array(probabilities) for probabilities in experiments)
    for experiments in (
        ((0.7, 0.3), (0.3, 0.7), (0.9, 0.1), (0.5, 0.5)),
        ((0.5, 0.5, 0.0), (0.0, 0.5, 0.5), (0.6, 0.3, 0.1), (0.1, 0.3, 0.6)),
        ((0.25, 0.25, 0.5), (0.5, 0.3, 0.2), (0.8, 0.2, 0.0), (0.2, 0.8, 0.0)),
    )
)

_FLAT = (
    "This density is flat: it is the comparison without weights, in which Laplace noise is the safer choice. Put the weight "
    "on the priors at which Laplace noise loses more."
)
_AT_THE_ENDS = (
    "With a and b below 1 the density rises toward 0 and 1, where Laplace noise is the safer one. Other parameters make it "
    "high in the middle."
)
_ASIDE = (
    "Your density peaks away from one half, where Laplace noise is the safer one. Between which priors does Laplace noise "
    "lose more?"
)
_BROAD = (
    "The right place, but the density is too broad: its flanks reach priors where Gaussian noise loses more, and that "
    "decides the comparison against it."
)


def _truth(epsilon):
    return math.exp(epsilon) / (1 + math.exp(epsilon))


def _ahead(m, other, prior):
    return m.bayes_error(prior) - other.bayes_error(prior)


def _harmonic(p, q):
    p, q = np.asarray(p), np.asarray(q)
    return float(np.sum(np.divide(p * q, p + q, out=np.zeros(len(p)), where=p + q > 0))) / 2


def _error(p, q, prior):
    return float(np.sum(np.minimum(prior * np.asarray(p), (1 - prior) * np.asarray(q))))


def _largest_lead(p, q, other_p, other_q):
    """Δ of the first experiment from the second: the largest lead, at a kink of one of the two curves."""
    kinks = [0.0, 0.5, 1.0]
    for a, b in ((p, q), (other_p, other_q)):
        kinks += [float(y / (x + y)) for x, y in zip(a, b, strict=True) if x + y > 0]
    return max(_error(p, q, x) - _error(other_p, other_q, x) for x in kinks)


def _averaged(epsilon, points):
    """The mean Bayes error of randomized response over a grid of priors, both ends included."""
    prior, lie = np.linspace(0, 1, points), 1 - _truth(epsilon)
    return float(np.mean(np.minimum(np.minimum(prior, 1 - prior), lie)))


def _winner(answer):
    """Judges the parameters of a Beta density under which Gaussian noise is to be the safer choice."""
    given = numbers(answer, "two numbers a and b")
    if given.size != 2:
        return f"Give the two parameters of the density, (a, b); you give {given.size}."
    if np.any(given <= 0):
        return "The parameters of a Beta density are positive."
    a, b = (float(x) for x in given)
    if a < 0.1 or b < 0.1 or max(a, b) > 1e4:
        return "A density with such parameters is too extreme to be compared here. Stay between 0.1 and 10,000."
    gaussian, laplace = Gaussian(sigma=1), Laplace(scale=1)

    def density(prior):
        return beta.pdf(prior, a, b)

    of_laplace = delta_divergence(gaussian, laplace, prior_density=density).value
    of_gaussian = delta_divergence(laplace, gaussian, prior_density=density).value
    if of_gaussian < of_laplace:
        return None
    if (a, b) == (1, 1):
        return _FLAT
    if a < 1 and b < 1:
        return _AT_THE_ENDS
    peak = (a - 1) / (a + b - 2) if min(a, b) > 1 else float(a > b)
    first, last = compare(gaussian, laplace).crossings
    return _BROAD if first < peak < last else _ASIDE


EXERCISES = [
    Question(
        id="8.a",
        title="Weigh, then compare",
        question="At the priors 0.1, 0.2 and 0.5 the differences R − R̃ are 0.01, 0.02 and 0.03. What is the largest weighted "
        "difference of the three under the U-quadratic hyper-prior Ψ(π) = 12 (π − 1/2)²? Give four decimals.",
        goals=(1,),
        solution="import dptutor as dp\n\npriors, differences = (0.1, 0.2, 0.5), (0.01, 0.02, 0.03)\n"
        "answer = max(float(dp.u_quadratic_prior(p)) * d for p, d in zip(priors, differences))\n",
        explanation="The weights are 1.92, 1.08 and 0, so the products are 0.0192, 0.0216 and 0. The adversary in the middle "
        "counts nothing, and neither the heaviest weight nor the largest difference wins.",
        hints=(
            "How much does each of the three adversaries count?",
            "Ψ is 12·0.4², 12·0.3² and 0. Multiply first, then take the largest.",
            "The products are 1.92·0.01, 1.08·0.02 and 0·0.03.",
        ),
        praise="Right: first weigh, then take the largest.",
        mistakes=(
            Mistake(
                0.03,
                "This is the largest difference without weights. Under this hyper-prior that adversary counts nothing.",
            ),
            Mistake(0.0192, "This is where the weight is largest. Take the largest product."),
            Mistake(0.0408, "You added them up. The weighted Δ-divergence is a largest value."),
            Mistake(0.0136, "You took the mean. The weighted Δ-divergence is a largest value."),
            Mistake(0.02, "The place is right, but the weight is missing: multiply by Ψ(0.2)."),
            Mistake(12 * 0.3 * 0.02, "The square is missing: Ψ(π) = 12 (π − 1/2)²."),
            Mistake(
                0,
                "This is the largest difference times its weight, which is 0. Weigh all three first, then take the largest.",
            ),
            Mistake(
                1.92 * 0.03,
                "This is the largest weight times the largest difference, but they belong to different adversaries. Multiply "
                "at each prior first.",
            ),
            Mistake(0.0018, "The factor 12 is missing. Without it the weight is no density: its integral is 1/12."),
            Mistake(1.08, "This is a weight, Ψ(0.2). Multiply it by the difference."),
            Mistake(2.16, "You multiplied by 100, as for percentage points. The differences are given as shares."),
        ),
        tolerance=0.0003,
    ),
    Question(
        id="8.b",
        title="What can an opinion change?",
        question="M̃ protects at least as well as M against every adversary, and strictly better against some. "
        "Someone proposes a hyper-prior Ψ, positive everywhere. What can it change?",
        goals=(2,),
        options=(
            "Which of the two is preferred.",
            "How large the regret of M is, but not that M̃ has none.",
            "Nothing: the weighted numbers are those without a weight.",
            "The Bayes errors of the adversaries.",
        ),
        solution="""import dptutor as dp

m, other = dp.Gaussian(sigma=1), dp.Gaussian(sigma=1.1)
weighted = [float(dp.delta_divergence(*pair, prior_density=dp.u_quadratic_prior)) for pair in ((m, other), (other, m))]
plain = float(dp.delta_divergence(other, m))
answer = 2 if weighted[0] == 0 < weighted[1] != plain else 1
""",
        explanation="A product Ψ·(R − R̃) has the sign of R − R̃. Where there is nothing to regret, no weight creates "
        "a regret; where there is something, the weight scales it.",
        hints=(
            "Ψ multiplies the difference R − R̃ at every prior. What does a positive factor leave unchanged?",
            "The sign. R − R̃ is nowhere positive here. What about R̃ − R?",
            "The regret of M̃ stays 0; that of M is positive, and its size depends on Ψ.",
        ),
        praise="Right: an opinion cannot reverse an order, it can only scale the regrets.",
        mistakes=(
            Mistake(
                1,
                "No: that happens when neither dominates. Here R − R̃ is nowhere positive, and a weight keeps the sign.",
            ),
            Mistake(3, "The sign stays, but not the size: where Ψ is small, a difference counts little."),
            Mistake(4, "Those are facts about each adversary. Ψ only says how much each of them counts."),
        ),
    ),
    Exercise(
        id="8.1",
        grade="warm-up",
        title="How much does it count?",
        question="The U-quadratic hyper-prior has density 12 (π − ½)². How many times as much weight "
        "does an adversary with prior 0.1 have as one with prior 0.4? Give `times`.",
        brief="Under the U-quadratic hyper-prior, how many times as much weight does an adversary with prior 0.1 have as one with prior 0.4?",
        goals=(1,),
        name="times",
        stub="times = None\n",
        solution="times = (0.1 - 0.5) ** 2 / (0.4 - 0.5) ** 2\n",
        explanation="Four times as far from one half, and the density grows with the square.",
        hints=(
            "The factor 12 is the same for both.",
            "Compare the squares of the distances from one half.",
            "0.4² against 0.1².",
        ),
        praise="Right. Because of the square, strong opinions count for a lot, and nearly even ones for next to "
        "nothing.",
        mistakes=(
            Mistake(4, "Four times as far from one half; but the density grows with the square of the distance."),
            Mistake(
                1 / 16,
                "The ratio is upside down. What counts is the distance from one half, and the adversary with prior "
                "0.1 is farther away: it counts for more.",
            ),
            Mistake(192, "The factor 12 belongs to both densities and cancels."),
            Mistake(1.8, "This is the difference of the two densities. You are asked for the ratio."),
            Mistake(
                1 / 4,
                "The density grows with the square of the distance from one half. These distances are 0.4 and 0.1, and the larger one counts for more.",
            ),
            Mistake(1.92, "This is the density at 0.1. Divide it by the density at 0.4."),
            Mistake(0.12, "This is the density at 0.4. How many times as large is the density at 0.1?"),
            Mistake(
                1.8 / 0.12,
                "This is the difference of the two densities, in units of the smaller one. The ratio is one more.",
            ),
            Mistake(64, "The density grows with the square of the distance, not with its cube."),
        ),
    ),
    Exercise(
        id="8.2",
        grade="warm-up",
        title="The weighted difference",
        question="The weighted Δ-divergence of `mechanism` from `other` is the largest value, over all priors, of one function. Write "
        "that function for the U-quadratic hyper-prior: `weighted(mechanism, other, prior)`.",
        brief="Given two mechanisms, a density and a prior, compute the quantity whose largest value over all priors is the weighted Δ-divergence.",
        goals=(1,),
        name="weighted",
        curve=Curve("prior"),
        stub="import dptutor as dp\n\n\ndef weighted(mechanism, other, prior):\n    ...\n",
        solution="""import dptutor as dp


def weighted(mechanism, other, prior):
    lead = mechanism.bayes_error(prior) - other.bayes_error(prior)
    return dp.u_quadratic_prior(prior) * lead
""",
        explanation="Ψ(π) [R(π) − R̃(π)], with Ψ(π) = 12 (π − ½)².",
        hints=(
            "The unweighted Δ-divergence is the largest value of which difference?",
            "R(π) − R̃(π), with R for the mechanism and R̃ for the other. Now include the weight.",
            "Multiply it by dp.u_quadratic_prior(prior).",
        ),
        praise="Right. Where the weight is 0, at one half, the mechanisms may differ as much as they like.",
        cases=tuple((m, other, prior) for m, other in _PAIRS for prior in (0.1, 0.35, 0.5, 0.8)),
        mistakes=(
            Mistake(
                lambda m, o, x: 12 * (x - 0.5) * _ahead(m, o, x),
                "The weight is 12 (π − ½)², with the square: a density is never negative.",
            ),
            Mistake(
                lambda m, o, x: u_quadratic_prior(x) * _ahead(o, m, x),
                "The sign is reversed: Δ(M‖M̃) is the largest R − R̃, with the error of `mechanism` first.",
            ),
            Mistake(_ahead, "This is the unweighted difference."),
            Mistake(
                lambda m, o, x: (x - 0.5) ** 2 * _ahead(m, o, x),
                "Without the factor 12 the weight is no density: its integral is 1/12.",
            ),
            Mistake(
                lambda m, o, x: abs(u_quadratic_prior(x) * _ahead(m, o, x)),
                "The sign matters: where the difference is negative, nothing is regretted in this direction.",
            ),
            Mistake(
                lambda m, o, x: max(0.0, u_quadratic_prior(x) * _ahead(m, o, x)),
                "You cut the function off at 0. Its largest value is never negative anyway, and the function itself may be.",
            ),
            Mistake(
                lambda m, o, x: u_quadratic_prior(x) * _ahead(m, o, 1 - x),
                "You ask for the Bayes errors at 1 − π. `prior` is the prior π of world P, as bayes_error takes it.",
            ),
            Mistake(
                lambda m, o, x: u_quadratic_prior(x) * m.bayes_error(x),
                "This is the weighted error of the first mechanism alone. Subtract that of the other.",
            ),
            Mistake(
                lambda m, o, x: delta_divergence(m, o, prior_density=u_quadratic_prior).value,
                "This is the largest value itself, the same at every prior. You are asked for the function whose "
                "largest value this is.",
            ),
            Mistake(
                lambda m, o, x: 12 * abs(x - 0.5) * _ahead(m, o, x),
                "The square is missing: Ψ(π) = 12 (π − ½)².",
            ),
            Mistake(
                lambda m, o, x: u_quadratic_prior(x) * (m.tradeoff(x) - o.tradeoff(x)),
                "You compare trade-off functions at α = π. A prior belongs to the Bayes error.",
            ),
        ),
        laws=(
            lambda result, m, o, x: (
                "At a prior of one half the U-quadratic weight is 0, and so is the weighted difference."
                if x == 0.5 and abs(result[0]) > 1e-9
                else None
            ),
        ),
    ),
    Exercise(
        id="8.3",
        grade="think",
        title="The mean of randomized response",
        question="An adversary’s prior is drawn from the flat hyper-prior, and it then guesses as well as it can. "
        "Write `mean_error(epsilon)`: the probability that it errs against randomized response with "
        "parameter `epsilon`.",
        brief="An adversary's prior is drawn from the flat hyper-prior. What is the adversary's probability of error against randomized response?",
        goals=(3,),
        name="mean_error",
        curve=Curve("epsilon", hidden=True),
        stub="from math import exp\n\n\ndef mean_error(epsilon):\n    ...\n",
        solution="""from math import exp


def mean_error(epsilon):
    return exp(epsilon) / (1 + exp(epsilon)) ** 2
""",
        explanation="Half of Σ pq/(p + q). Both outcomes have p + q = 1 and pq = truth·lie, so the mean is truth·lie = e^ε/(1 + e^ε)².",
        hints=(
            "There is a proposition in the chapter on the mean Bayes error under the flat hyper-prior.",
            "It is half of Σ pq/(p + q), over the two outcomes.",
            "For both outcomes p + q = 1 and pq = e^ε/(1 + e^ε)².",
        ),
        praise="Right: the variance of the coin that decides whether to lie.",
        cases=((0.0,), (0.3,), (1.0,), (3.0,), (8.0,)),
        draw=lambda r: (r.uniform(0.3, 3),),
        mistakes=(
            Mistake(
                lambda e: 1 - _truth(e), "This is the Bayes error at an even prior, the largest there is, not the mean."
            ),
            Mistake(
                lambda e: 2 * _truth(e) * (1 - _truth(e)),
                "Twice too much: the mean is half of Σ pq/(p + q).",
            ),
            Mistake(
                lambda e: _truth(e) * (1 - _truth(e)) / 2,
                "This is half of what is right: there are two outcomes, and both contribute the same.",
            ),
            Mistake(
                lambda e: 0.25 - _truth(e) * (1 - _truth(e)),
                "This is the mean gain over blind guessing, whose mean error is 1/4.",
            ),
            Mistake(lambda e: 0.25 + 0 * e, "This is the mean error of blind guessing; the output helps."),
            Mistake(
                lambda e: 1 - _truth(e) * (1 - _truth(e)),
                "This is the mean probability of being right. You are asked for the probability of an error.",
            ),
            Mistake(_truth, "This is the probability that randomized response tells the truth, whatever the prior."),
            Mistake(
                lambda e: 4 * _truth(e) * (1 - _truth(e)),
                "Four times too much: relative to blind guessing, whose mean error is 1/4. You are asked for the mean error itself.",
            ),
            Mistake(
                lambda e: (1 - _truth(e)) / 2,
                "Half of the error at an even prior. The Bayes error is flat in the middle and falls linearly at both ends; the mean is larger.",
            ),
            Mistake(
                lambda e: _averaged(e, 101),
                "You averaged over 101 priors. The two ends, where the error is 0, count too much; it is right to about one percent. The chapter has an exact formula.",
            ),
            Mistake(
                lambda e: _averaged(e, 1001),
                "You averaged over 1001 priors. The two ends, where the error is 0, count too much; it is right to about three digits. The chapter has an exact formula.",
            ),
        ),
        laws=(
            lambda result, e: (
                "On average, blind guessing is wrong 1/4 of the time, and the output cannot make that worse."
                if result[0] > 0.25 + 1e-9
                else None
            ),
            lambda result, e: "A probability is not negative." if result[0] < -1e-12 else None,
        ),
    ),
    Exercise(
        id="8.4",
        grade="think",
        title="Choose the winner",
        question="Without weights, Laplace noise with b = 1 is a safer choice than Gaussian noise with σ = 1. Give "
        "`shape = (a, b)` of a Beta density under which Gaussian noise has the smaller of the two largest "
        "weighted regrets.",
        brief=r"Without weights, Laplace noise of scale 1 is a safer choice than Gaussian noise with $\sigma = 1$. Find a Beta density under which it is not.",
        goals=(2,),
        name="shape",
        stub="shape = None\n",
        solution="shape = (40, 40)  # nearly everybody close to one half\n",
        explanation="Laplace noise loses more only between the two crossings, at priors near one half. A density that "
        "is high there and low elsewhere lets those adversaries decide.",
        hints=(
            "At which priors does Laplace noise lose more? Look at dp.compare(…).crossings.",
            "Between the two crossings, around one half. Which Beta densities have their mass there?",
            "Those with a = b, both large. Try 10, then larger values.",
        ),
        praise="Right. Your opinion has just chosen the winner. Would your reader have noticed?",
        mistakes=(
            Mistake((1, 1), _FLAT),
            Mistake((0.5, 0.5), _AT_THE_ENDS),
            Mistake((30, 10), _ASIDE),
            Mistake((4, 4), _BROAD),
            Mistake((0, 3), "The parameters of a Beta density are positive."),
        ),
        judge=_winner,
        shape="two numbers (a, b)",
    ),
    Exercise(
        id="8.5",
        grade="build",
        title="The same opinion in log-odds",
        question="Your opinion is the density Beta(a, b) over priors π. Write `log_odds_density(a, b, epsilon)`: the density of the same "
        "opinion over ε = log(π/(1 − π)).",
        brief=r"Convert a density over priors into the density over $\varepsilon$ that expresses the same opinion.",
        goals=(1,),
        name="log_odds_density",
        curve=Curve("epsilon"),
        stub="from scipy.special import expit\nfrom scipy.stats import beta\n\n\ndef log_odds_density(a, b, epsilon):\n    ...\n",
        solution="""from scipy.special import expit
from scipy.stats import beta


def log_odds_density(a, b, epsilon):
    prior = expit(epsilon)
    return beta.pdf(prior, a, b) * prior * (1 - prior)
""",
        explanation="A piece dε of log-odds is a piece dπ = π(1 − π) dε of priors, and has the same probability.",
        hints=(
            "Which prior has the log-odds ε?",
            "It is 1/(1 + e^−ε). How long is the piece of priors that belongs to a short piece of log-odds?",
            "dπ = π(1 − π) dε: multiply the density at π by π(1 − π).",
        ),
        praise="Right. The heights have changed, the opinion has not.",
        cases=tuple((a, b, e) for a, b in ((1, 1), (0.5, 0.5), (2, 5), (30, 4)) for e in (-2.0, 0.0, 0.7, 3.0)),
        draw=lambda r: (r.randint(1, 8), r.randint(1, 8), r.uniform(-2, 2)),
        mistakes=(
            Mistake(
                lambda a, b, e: beta.pdf(1 / (1 + math.exp(-e)), a, b),
                "The height at the same prior, but lengths change too: multiply by dπ/dε = π(1 − π).",
            ),
            Mistake(
                lambda a, b, e: beta.pdf(1 / (1 + math.exp(-e)), a, b) * (1 + math.exp(-e)) * (1 + math.exp(e)),
                "You divide by π(1 − π) instead of multiplying: a density over ε is one per unit of ε.",
            ),
            Mistake(
                lambda a, b, e: beta.pdf(1 / (1 + math.exp(e)), a, b) / (1 + math.exp(-e)) / (1 + math.exp(e)),
                "The log-odds are those of the prior π itself: π = 1/(1 + e^−ε), not 1/(1 + e^ε).",
            ),
            Mistake(
                lambda a, b, e: beta.cdf(1 / (1 + math.exp(-e)), a, b),
                "This is the probability of log-odds up to ε. Differentiate it.",
            ),
            Mistake(
                lambda a, b, e: beta.pdf(expit(e), a, b) * expit(e),
                "One factor is missing: dπ/dε is π(1 − π), not π.",
            ),
            Mistake(
                lambda a, b, e: beta.pdf(expit(e), a, b) * expit(-e),
                "One factor is missing: dπ/dε is π(1 − π), not 1 − π.",
            ),
            Mistake(
                lambda a, b, e: beta.pdf(expit(e), a, b) * math.exp(e),
                "You multiply by dx/dε of the odds x = e^ε. The opinion is a density over priors, not over odds.",
            ),
            Mistake(
                lambda a, b, e: expit(e) ** a * expit(-e) ** b,
                "The constant of the Beta density, 1/B(a, b), is missing: this does not integrate to 1.",
            ),
            Mistake(
                lambda a, b, e: beta.pdf(expit(e), a, b) * expit(e) * expit(-e) / 2,
                "Half of it. The derivative of 1/(1 + e^−ε) is π(1 − π), without a factor.",
            ),
        ),
        stumbles=lambda a, b, e: (
            "Beta(a, b) is a density over priors, which lie between 0 and 1. ε is log-odds, which may be any number."
            if e <= 0 or e >= 1
            else None
        ),
        laws=(lambda result, a, b, e: "A density is never negative." if result[0] < -1e-12 else None,),
    ),
    Exercise(
        id="8.6",
        grade="build",
        title="The mean lead",
        question="Two finite experiments are given by the probabilities of their outcomes. Write `mean_lead(p, q, "
        "other_p, other_q)`: how much more often an adversary errs against the first experiment, if its "
        "prior is drawn from the flat hyper-prior.",
        brief="Program the mean lead of one finite mechanism over another under the flat hyper-prior.",
        goals=(3,),
        name="mean_lead",
        stub="import numpy as np\n\n\ndef mean_lead(p, q, other_p, other_q):\n    ...\n",
        solution="""import numpy as np


def mean_error(p, q):
    p, q = np.array(p), np.array(q)
    there = p + q > 0
    return np.sum(p[there] * q[there] / (p + q)[there]) / 2


def mean_lead(p, q, other_p, other_q):
    return mean_error(p, q) - mean_error(other_p, other_q)
""",
        explanation="Half of Σ pq/(p + q) for each, and the difference. Outcomes that never occur contribute nothing.",
        hints=(
            "The mean Bayes error under the flat hyper-prior has a closed form.",
            "Half of Σ p q/(p + q), for each experiment. Beware of outcomes with p + q = 0.",
            "Subtract the second from the first.",
        ),
        praise="Right. No grid and no quadrature.",
        cases=_EXPERIMENTS,
        mistakes=(
            Mistake(
                lambda p, q, op, oq: 2 * (_harmonic(p, q) - _harmonic(op, oq)),
                "Twice too much: the mean is half of Σ p q/(p + q).",
            ),
            Mistake(
                lambda p, q, op, oq: _harmonic(op, oq) - _harmonic(p, q),
                "The sign is reversed: a positive lead means more errors against the first.",
            ),
            Mistake(
                lambda p, q, op, oq: _error(p, q, 0.5) - _error(op, oq, 0.5),
                "This is the lead at an even prior, not the mean over all priors.",
            ),
            Mistake(lambda p, q, op, oq: _harmonic(p, q), "This is the mean error of the first experiment alone."),
            Mistake(
                _largest_lead,
                "This is the largest lead, the Δ-divergence, which a single adversary decides. Here the mean over all "
                "priors is asked for.",
                within=2e-3,
            ),
            Mistake(
                lambda p, q, op, oq: 4 * (_harmonic(p, q) - _harmonic(op, oq)),
                "Four times too much: you added up the harmonic means 2pq/(p + q).",
            ),
            Mistake(
                lambda p, q, op, oq: (_harmonic(p, q) - _harmonic(op, oq)) / 2,
                "You give half of what is right: the mean is half of Σ pq/(p + q), not a quarter of it.",
            ),
            Mistake(
                lambda p, q, op, oq: _harmonic(p, q) + _harmonic(op, oq),
                "You added the two mean errors. A lead is a difference.",
            ),
            Mistake(
                lambda p, q, op, oq: abs(_harmonic(p, q) - _harmonic(op, oq)),
                "The sign matters: where the first errs less often, the lead is negative.",
            ),
            Mistake(
                lambda p, q, op, oq: float(np.sum(np.asarray(p) * q) - np.sum(np.asarray(op) * oq)) / 2,
                "The denominator p + q is missing. It is 1 for randomized response only.",
            ),
            Mistake(
                lambda p, q, op, oq: (
                    float(np.sum(np.sqrt(np.multiply(p, q))) - np.sum(np.sqrt(np.multiply(op, oq)))) / 2
                ),
                "½ Σ √(p q) bounds the error at an even prior. Take the error itself, min(π p, (1 − π) q) for each outcome, and average it over π.",
            ),
        ),
        stumbles=lambda *case: (
            "One of the outcomes has probability 0 in both worlds: p + q is 0 there."
            if any(np.any(np.add(case[i], case[i + 1]) == 0) for i in (0, 2))
            else None
        ),
        laws=(
            lambda result, *case: (
                "Mean errors lie between 0 and 1/4, so a lead is at most 1/4." if abs(result[0]) > 0.25 + 1e-9 else None
            ),
        ),
    ),
]
