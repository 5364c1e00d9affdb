"""Exercises of chapter 1: errors, tests, the lemma of Neyman and Pearson."""

import itertools
import math

import numpy as np
from scipy.stats import beta as beta_distribution
from scipy.stats import binom, norm

from ..judging.core import Exercise, Mistake
from ..judging.drawing import Curve
from ..judging.questions import PROBABILITY, Question, in_percent

_ROUNDS = tuple(
    (np.array(in_data), np.array(says_in))
    for in_data, says_in in (
        (
            [False, False, False, False, True, True, True, True, True, False],
            [False, True, False, False, True, False, True, True, False, False],
        ),
        ([True, False, True, False], [True, True, True, False]),
        ([True, False, False], [False, False, True]),
    )
)
_FINITE = tuple(
    (np.array(p), np.array(q), alpha)
    for p, q, alpha in (
        ([0.5, 0.3, 0.2], [0.2, 0.3, 0.5], 0.2),
        ([0.5, 0.3, 0.2], [0.2, 0.3, 0.5], 0.35),
        ([0.25, 0.25, 0.5], [0.5, 0.25, 0.25], 0.1),
        ([0.6, 0.4, 0.0], [0.1, 0.7, 0.2], 0.3),
        ([0.1, 0.2, 0.7], [0.3, 0.4, 0.3], 0.25),
        ([0.4, 0.1, 0.5], [0.6, 0.25, 0.15], 0.2),
        ([0.45, 0.05, 0.5], [0.5, 0.2, 0.3], 0.1),
        ([0.5, 0.1, 0.4], [0.8, 0.05, 0.15], 0.3),
        ([0.5, 0.5], [0.5, 0.5], 1.0),
        ([0.6, 0.4, 0.0], [0.1, 0.7, 0.2], 0.0),
    )
)


def _counted(in_data, says_in, numerators=((False, True), (True, False)), of_all=False):
    """Both errors, or what other counts people take for them."""
    pairs = list(zip(in_data, says_in, strict=True))
    rates = []
    for world, guess in numerators:
        total = len(pairs) if of_all else sum(1 for truth, _ in pairs if truth == world)
        rates.append(sum(1 for pair in pairs if pair == (world, guess)) / total)
    return tuple(rates)


def _power(p, q, alpha, key=lambda a, b: b / a if a else math.inf, partial=True):
    """Power of the test that rejects outcomes in falling order of `key` until α is spent."""
    spent = power = 0.0
    for a, b in sorted(zip(p, q, strict=True), key=lambda pair: -key(*pair)):
        share = 1.0 if spent + a <= alpha + 1e-15 else (alpha - spent) / a if partial else 0.0
        spent, power = spent + share * a, power + share * b
        if share < 1:
            break
    return power


def _share(counted, among):
    """How large a part of the rounds `among` is `counted`."""
    return float(np.sum(counted & among) / np.sum(among))


def _best_set(p, q, alpha):
    """Power of the best test without a coin."""
    sets = itertools.chain.from_iterable(itertools.combinations(range(len(p)), n) for n in range(len(p) + 1))
    return max(sum(q[i] for i in chosen) for chosen in sets if sum(p[i] for i in chosen) <= alpha + 1e-12)


def _power_and_rest(p, q, alpha):
    """Takes whole outcomes, and adds what is left of α to the power."""
    spent = power = 0.0
    for a, b in sorted(zip(p, q, strict=True), key=lambda pair: -(pair[1] / pair[0] if pair[0] else math.inf)):
        if spent + a > alpha + 1e-15:
            return power + alpha - spent
        spent, power = spent + a, power + b
    return power


def _corner_only(alpha, epsilon):
    return max(0.0, 1 - math.exp(epsilon) * alpha)


def _in_unit_interval(name):
    def law(result, *case):
        if np.any(result < -1e-12) or np.any(result > 1 + 1e-12):
            return f"{name} is a probability, so it lies between 0 and 1."
        return None

    return law


def _below_guessing(result, alpha, *others):
    if result[0] > 1 - alpha + 1e-9:
        return "Guessing blindly reaches 1 − α without looking at the output, yet your curve lies above that."
    return None


def _starts_at_one(result, alpha, *others):
    if alpha == 0 and abs(result[0] - 1) > 1e-6:
        return "A test that never says “in” misses everyone, so with these worlds f(0) = 1."
    return None


def _clopper_pearson(wrong, rounds, level=0.95):
    tail = (1 - level) / 2
    low = beta_distribution.ppf(tail, wrong, rounds - wrong + 1) if wrong > 0 else 0.0
    high = beta_distribution.ppf(1 - tail, wrong + 1, rounds - wrong) if wrong < rounds else 1.0
    return float(low), float(high)


# What writing 1.96 for the quantile may change.
_ROUNDED_QUANTILE = 1e-4


def _normal_interval(wrong, rounds, level=0.95):
    rate = wrong / rounds
    half = norm.ppf((1 + level) / 2) * math.sqrt(rate * (1 - rate) / rounds)
    return rate - half, rate + half


def _cut_off(interval):
    """An interval whose ends are moved to 0 and 1 where they lie beyond."""
    return lambda wrong, rounds: tuple(float(end) for end in np.clip(interval(wrong, rounds), 0, 1))


def _wilson(wrong, rounds):
    z = norm.ppf(0.975)
    center = (wrong + z * z / 2) / (rounds + z * z)
    half = z / (rounds + z * z) * math.sqrt(wrong * (rounds - wrong) / rounds + z * z / 4)
    return center - half, center + half


def _plus_four(wrong, rounds):
    z = norm.ppf(0.975)
    rate, count = (wrong + z * z / 2) / (rounds + z * z), rounds + z * z
    half = z * math.sqrt(rate * (1 - rate) / count)
    return rate - half, rate + half


def _jeffreys(wrong, rounds, ends=False):
    law = beta_distribution(wrong + 0.5, rounds - wrong + 0.5)
    low, high = float(law.ppf(0.025)), float(law.ppf(0.975))
    return (0.0 if ends and wrong == 0 else low), (1.0 if ends and wrong == rounds else high)


def _hoeffding(wrong, rounds):
    half = math.sqrt(math.log(2 / 0.05) / (2 * rounds))
    return wrong / rounds - half, wrong / rounds + half


def _without_the_next(wrong, rounds):
    low, _ = _clopper_pearson(wrong, rounds)
    return low, float(beta_distribution.ppf(0.975, wrong, rounds - wrong + 1)) if wrong else 0.0


def _one_sided(wrong, rounds, level=0.95):
    return _clopper_pearson(wrong, rounds, 2 * level - 1)


_ERRORS = "two numbers, alpha and beta"

EXERCISES = [
    Question(
        id="1.a",
        title="Which one is the false accusation?",
        question="In 8 of 20 rounds the person is not in the data; in the other 12 they are. You said “in” in 2 of the 8 "
        "and in 8 of the 12. What is your type I error α?",
        goals=(1,),
        solution="not_in, accused = 8, 2\nanswer = accused / not_in\n",
        explanation="α is the share of false accusations among the rounds in which the person is not in the data: 2 "
        "of 8. The 12 other rounds play no part.",
        hints=(
            "Type I is a false accusation: “in” is said of someone who is not in the data.",
            "In how many rounds could this happen, and in how many of them did it?",
            "Divide the 2 false accusations by the 8 rounds in which the person was not in the data.",
        ),
        praise="Right: a rate within its own world.",
        mistakes=(
            Mistake(4 / 12, "This is β, the share of misses among the 12. Type I, α, is the false accusation."),
            Mistake(
                2 / 20, "You divide by all rounds. α is a rate among the rounds in which the person is not in the data."
            ),
            Mistake(
                2 / 10,
                "You divide by the rounds in which you said “in”. That is how often your word is wrong, and it "
                "changes with how often people are in the data. α does not.",
            ),
            Mistake(6 / 8, "This is 1 − α, the rate at which you are right about those who are not in the data."),
            Mistake(8 / 12, "This is the power 1 − β, the share of those in the data whom you found."),
            Mistake(
                8 / 20, "This is how often the person is not in the data. In how many of those rounds did you say “in”?"
            ),
            Mistake(12 / 20, "This is how often the person is in the data. α is about the other rounds."),
            in_percent(2 / 8),
            Mistake(
                6 / 20,
                "These are both kinds of error, among all rounds. α counts false accusations only, among the rounds in which they can happen.",
            ),
        ),
        laws=(PROBABILITY,),
        tolerance=0.01,
    ),
    Question(
        id="1.b",
        title="Believe every output",
        question="Randomized response with ε = log 4 tells the truth with probability e^ε/(1 + e^ε). An adversary believes "
        "every output. What is the type II error β of this test?",
        goals=(5,),
        solution="""from math import log

import dptutor as dp

# Both errors of this test are equal, so their mean at an even prior is each of them.
answer = float(dp.RandomizedResponse(log(4)).bayes_error(0.5))
""",
        explanation="An adversary who believes every output misses someone exactly when the output is a lie, which "
        "has probability 1/(1 + e^ε). With e^ε = 4 that is one in five.",
        hints=(
            "The adversary misses someone who is in the data. What was the output?",
            "It was a lie. With what probability does randomized response lie?",
            "The truth has probability e^ε/(1 + e^ε), a lie 1/(1 + e^ε), and e^ε is 4.",
        ),
        praise="Right: a miss is a lie, and so is a false accusation. Both errors are 1/(1 + e^ε).",
        mistakes=(
            Mistake(4 / 5, "This is the power 1 − β, the probability that the output is true and the person is found."),
            Mistake(1 / 4, "This is e^−ε, the odds of a lie. A probability is odds/(1 + odds)."),
            Mistake(1 / (1 + math.log(4)), "You used ε where e^ε belongs: ε is a logarithm, and e^ε is 4."),
            Mistake(
                1 / (1 + 10 ** math.log(4)),
                "You took powers of 10. The natural logarithm belongs to e: e to the power log 4 is 4.",
            ),
            Mistake(1 / 2, "This is the error of tossing a coin. A randomized response with ε > 0 is true more often."),
            Mistake(math.exp(-4), "You used e^−4, as if ε were 4. Here ε is log 4, and e^ε is 4."),
            in_percent(1 / 5),
            Mistake(
                4.0,
                "This is e^ε: how many times likelier the truth is than a lie. The probability of an error is asked for.",
            ),
            Mistake(
                math.log(4) / (1 + math.log(4)),
                "You used ε where e^ε belongs, and this would be how often the output is true. A miss is a lie.",
            ),
            Mistake(
                0,
                "Believing every output is not the same as always saying “in”: an output may be a lie, and then someone is missed.",
            ),
        ),
        laws=(PROBABILITY,),
        tolerance=0.005,
    ),
    Question(
        id="1.c",
        title="An attack as a point",
        question="A paper says: “At a false-positive rate of 1%, our attack finds 30% of the members.” Which point "
        "(α, β) is that?",
        goals=(4,),
        options=("(0.01, 0.30)", "(0.01, 0.70)", "(0.99, 0.30)", "(0.70, 0.01)"),
        solution="false_positives, found = 0.01, 0.30\npoint = (false_positives, 1 - found)\n"
        "answer = 1 + [(0.01, 0.30), (0.01, 0.70), (0.99, 0.30), (0.70, 0.01)].index(point)\n",
        explanation="A false positive is a type I error, so α = 0.01. An attack that finds 30% of the members "
        "misses 70%, so β = 0.70. Blind guessing would miss 99% at this α.",
        hints=(
            "Which of the two errors is a false positive?",
            "Finding a member is no error. What is the error, and how often does it happen?",
            "α is the false-positive rate; β is the share of members that the attack does not find.",
        ),
        praise="Right: few accusations, and most members missed.",
        mistakes=(
            Mistake(1, "α is right. But 0.30 is the power, the share found; β is the share missed."),
            Mistake(3, "These are 1 − α and the power 1 − β, two rates of being right. Which are the errors?"),
            Mistake(4, "Both numbers are right, in the wrong order: α, the false-positive rate, comes first."),
        ),
    ),
    Exercise(
        id="1.1",
        grade="warm-up",
        title="Count your errors",
        question="In each round someone is in the data or is not (`in_data`), and you say so or not (`says_in`): two arrays "
        "of True and False. Write `errors(in_data, says_in)`, which returns the pair (α, β) that you made: the rate of "
        "type I errors and that of type II errors.",
        brief=r'In each round a person is or is not in the data, and the adversary says "in" or "not in." Compute the pair $(\alpha, \beta)$ from two arrays of Booleans, which say who is in the data and whom the adversary calls "in."',
        goals=(1,),
        name="errors",
        stub="def errors(in_data, says_in):\n    ...\n",
        solution="""def errors(in_data, says_in):
    rounds = list(zip(in_data, says_in))
    outside = [says for present, says in rounds if not present]
    inside = [says for present, says in rounds if present]
    alpha = sum(outside) / len(outside)              # accused, among those who are not in the data
    beta = sum(not says for says in inside) / len(inside)   # missed, among those who are
    return alpha, beta
""",
        explanation="Each error is a rate within its own world: α among those who are not in the data, β among those "
        "who are. The number of people of either kind plays no part.",
        hints=(
            "Type I is a false accusation: “in” is said of someone who is not in the data.",
            "α is a share of the rounds in which the person was not in the data, not of all rounds.",
            "α = (rounds: not in, said in) / (rounds: not in);  β = (rounds: in, said not in) / (rounds: in).",
        ),
        praise="Right: each error is a rate within its own world.",
        cases=_ROUNDS,
        mistakes=(
            Mistake(
                lambda a, b: _counted(a, b)[::-1],
                "You have swapped the two errors. Type I, α, is the false accusation: P is the world without the "
                "record, and a type I error rejects P although it is true.",
            ),
            Mistake(
                lambda a, b: _counted(a, b, of_all=True),
                "You divide by all rounds. α is a rate among those who are not in the data, β among those who are: "
                "otherwise both would change with how often people are in the data, which is not your doing.",
            ),
            Mistake(
                lambda a, b: _counted(a, b, ((False, True), (True, True))),
                "Your first number is α, but your second is the power 1 − β: it counts those you found, not those you "
                "missed.",
            ),
            Mistake(
                lambda a, b: _counted(a, b, ((False, False), (True, True))),
                "These are the rates at which you were right, 1 − α and 1 − β. Count the errors.",
            ),
            Mistake(
                lambda a, b: (_share(~a, b), _share(a, ~b)),
                "You divide by how often you said “in”, and by how often you said “not in”. This says how often "
                "your word is wrong, and it depends on how often people are in the data. α and β are rates within "
                "one world.",
            ),
            Mistake(
                lambda a, b: (float(np.sum(~a & b)), float(np.sum(a & ~b))),
                "These are counts. An error rate is a count divided by the rounds in which that error can happen.",
            ),
            Mistake(
                lambda a, b: float(np.mean(a != b)),
                "This is one rate for all errors together. Give the two kinds of error separately: (α, β).",
            ),
            Mistake(
                lambda a, b: (float(np.sum(~a & b) / np.sum(a)), float(np.sum(a & ~b) / np.sum(~a))),
                "The counts are right, but each is divided by the rounds of the other world. A false accusation can happen "
                "only to someone who is not in the data.",
            ),
            Mistake(
                lambda a, b: (float(np.mean(a != b)),) * 2,
                "This is one rate for all errors together, twice. Count each kind of error, and divide it, within its own world.",
            ),
        ),
        laws=(_in_unit_interval("An error rate"),),
        shape=_ERRORS,
    ),
    Exercise(
        id="1.2",
        grade="warm-up",
        title="A threshold in Gaussian noise",
        question="The output is drawn from N(0, 1) if you are not in the data, from N(μ, 1) if you are. The adversary "
        "says “in” when the output exceeds `threshold`. Write `errors(threshold, mu)`, which returns (α, β).",
        brief=r"The output is drawn from $\mathcal{N}(0, 1)$ or from $\mathcal{N}(\mu, 1)$. What are the two errors of the threshold $t$?",
        goals=(1,),
        name="errors",
        curve=Curve("threshold"),
        stub="from scipy.stats import norm\n\n\ndef errors(threshold, mu):\n    ...\n",
        solution="""from scipy.stats import norm


def errors(threshold, mu):
    alpha = norm.sf(threshold)           # Pr[answer > threshold] in the world without you
    beta = norm.cdf(threshold - mu)      # Pr[answer ≤ threshold] in the world with you
    return alpha, beta
""",
        explanation="α is a tail of P, to the right of the threshold; β is a tail of Q, to the left of it.",
        hints=(
            "Draw both densities and the threshold, and shade the two ways of being wrong.",
            "α is the area under P to the right of the threshold, β the area under Q to the left of it.",
            "norm.sf(x) is the area of N(0, 1) to the right of x; Q is N(0, 1) moved by μ.",
        ),
        praise="Right: a tail of P to the right, a tail of Q to the left.",
        cases=((0.5, 1.0), (0.0, 2.0), (1.7, 0.4), (-1.0, 3.0)),
        draw=lambda r: (r.uniform(-1, 2), r.uniform(0.5, 3)),
        mistakes=(
            Mistake(
                lambda t, mu: (norm.cdf(t - mu), norm.sf(t)),
                "Both numbers are right, in the wrong order: α comes first, the false accusation in world P.",
            ),
            Mistake(
                lambda t, mu: (norm.cdf(t), norm.sf(t - mu)),
                "You took the other tails: these are the rates of being right, 1 − α and 1 − β.",
            ),
            Mistake(
                lambda t, mu: (norm.sf(t), norm.sf(t - mu)),
                "Your α is right. Your second number is the power 1 − β, the probability of finding someone who is in the data.",
            ),
            Mistake(
                lambda t, mu: (norm.sf(t), norm.cdf(t + mu)),
                "Your α is right. For β, an output from N(μ, 1) is below t when the noise is below t − μ, not t + μ.",
            ),
            Mistake(
                lambda t, mu: (norm.sf(t - mu), norm.cdf(t)),
                "You have swapped the worlds: P, the one without the record, is N(0, 1), and Q is N(μ, 1).",
            ),
            Mistake(
                lambda t, mu: (norm.pdf(t), norm.pdf(t - mu)),
                "These are heights of the two densities at the threshold. A probability is an area: use norm.cdf or norm.sf.",
            ),
            Mistake(
                lambda t, mu: (norm.sf(t), norm.cdf(t)),
                "Your α is right. Your β leaves out μ: in the world with you the output comes from N(μ, 1).",
            ),
            Mistake(
                lambda t, mu: (norm.cdf(t), norm.cdf(t - mu)),
                "Your β is right. Your first number is 1 − α: a false accusation is an output above the threshold.",
            ),
            Mistake(
                lambda t, mu: (norm.sf(t - mu), norm.cdf(t - mu)),
                "Your β is right. Your first number is the power 1 − β: you took both from the world with you. α belongs to "
                "the world without.",
            ),
            Mistake(
                lambda t, mu: (norm.sf(t), norm.cdf(t, 0, mu)),
                "Your α is right. For β you made μ the standard deviation: norm.cdf takes the mean first.",
            ),
        ),
        laws=(_in_unit_interval("An error rate"),),
        shape=_ERRORS,
    ),
    Exercise(
        id="1.3",
        grade="think",
        title="The best that any test can do",
        question="For the same two worlds, N(0, 1) and N(μ, 1), write the trade-off function `tradeoff(alpha, mu)`: the "
        "smallest type II error of all tests whose type I error is at most `alpha`.",
        brief=r"For the two worlds of exercise 1.2, find the smallest type II error of any test whose type I error is at most $\alpha$. Why is no test better?",
        goals=(2,),
        name="tradeoff",
        curve=Curve("alpha"),
        stub="from scipy.stats import norm\n\n\ndef tradeoff(alpha, mu):\n    ...\n",
        solution="""from scipy.stats import norm


def tradeoff(alpha, mu):
    threshold = norm.isf(alpha)          # the test of type I error alpha that Neyman and Pearson recommend
    return norm.cdf(threshold - mu)
""",
        explanation="The likelihood ratio grows with the output, so by the Neyman–Pearson lemma the best test is a "
        "threshold. The required α determines the threshold, and the threshold determines β.",
        hints=(
            "Here the likelihood ratio grows with the output. Which test is then best, by the Neyman–Pearson lemma?",
            "A threshold test. First find the threshold that has type I error α, then the β of that threshold.",
            "The threshold is norm.isf(alpha). Its β is found as in exercise 1.2.",
        ),
        praise="Right: f(α) = Φ(Φ⁻¹(1 − α) − μ), the curve G_μ of the Gaussian mechanism.",
        cases=tuple((a, mu) for mu in (0.5, 1.0, 3.0) for a in (0.01, 0.2, 0.5, 0.9)),
        draw=lambda r: (r.uniform(0.02, 0.6), r.uniform(0.3, 2)),
        mistakes=(
            Mistake(
                lambda a, mu: norm.sf(norm.isf(a) - mu),
                "This is the power 1 − β: it grows with α and with μ. The trade-off function is what the best test misses.",
            ),
            Mistake(
                lambda a, mu: norm.cdf(norm.ppf(a) - mu),
                "You turned α into a threshold with the left tail. α is the area to the right of the threshold.",
            ),
            Mistake(
                lambda a, mu: norm.cdf(norm.isf(a) + mu),
                "Your curve lies above blind guessing and rises with μ. An output from N(μ, 1) is below t when its noise "
                "is below t − μ.",
            ),
            Mistake(
                lambda a, mu: norm.cdf(norm.isf(a) - mu / 2),
                "You moved one world by μ/2. The threshold t is measured from the center of P, and the center of Q is μ farther up.",
            ),
            Mistake(
                lambda a, mu: 1 - a,
                "This is what blind guessing reaches, whatever μ is. With μ > 0 the output helps.",
            ),
            Mistake(
                lambda a, mu: norm.cdf(a - mu),
                "You used α itself as the threshold. The threshold is the output that N(0, 1) exceeds with probability α.",
            ),
            Mistake(
                lambda a, mu: norm.cdf(norm.isf(a) - mu**2),
                "You moved Q by μ². Its mean is μ, and the standard deviation is 1.",
            ),
            Mistake(
                lambda a, mu: max(0.0, 1 - math.exp(mu) * a, math.exp(-mu) * (1 - a)),
                "These are the two lines of randomized response with ε = μ. Gaussian noise has a smooth curve.",
            ),
            Mistake(
                lambda a, mu: max(0.0, 2 - a - 2 * norm.cdf(mu / 2)),
                "You subtract the advantage at every α. It is the largest distance from blind guessing, and it is reached at one α only.",
            ),
        ),
        laws=(_in_unit_interval("f(α)"), _below_guessing),
    ),
    Exercise(
        id="1.4",
        grade="think",
        title="One corner, and coins for the rest",
        question="Randomized response tells the truth with probability e^ε/(1 + e^ε). Write its trade-off function "
        "`tradeoff(alpha, epsilon)` for all α in [0, 1]; tests may toss coins.",
        brief=r"Write down the trade-off function of randomized response for every $\alpha$. Where is its corner, and which tests lie on the two segments?",
        goals=(3,),
        name="tradeoff",
        curve=Curve("alpha", hidden=True),
        stub="from math import exp\n\n\ndef tradeoff(alpha, epsilon):\n    ...\n",
        solution="""from math import exp


def tradeoff(alpha, epsilon):
    # Lines through the corner and (0, 1), and through the corner and (1, 0); no test beats the higher one.
    return max(1 - exp(epsilon) * alpha, exp(-epsilon) * (1 - alpha))
""",
        explanation="Without a coin there are four tests: never, always, trust the output, distrust it. Trusting has both "
        "errors 1/(1 + e^ε), the corner. A coin reaches every point on the lines between never, corner and always.",
        hints=(
            "Which tests use no coin, and what are their errors?",
            "Trusting the output has α = β = 1/(1 + e^ε). What does a coin between this and “never” reach?",
            "f consists of two line segments: one of slope −e^ε from (0, 1) to the corner, and one of slope −e^−ε "
            "from there to (1, 0).",
        ),
        praise="Right: two lines that meet where both errors are 1/(1 + e^ε).",
        cases=tuple((a, e) for e in (0.0, 0.5, 2.0) for a in (0.0, 0.1, 0.3, 0.5, 0.8, 1.0)),
        draw=lambda r: (r.uniform(0.05, 0.9), r.uniform(0.2, 2)),
        mistakes=(
            Mistake(
                _corner_only,
                "Your first line is right, but only down to the corner, at α = 1/(1 + e^ε). From there on the best tests "
                "toss a coin between “trust the output” and “always in”, and the curve falls more gently.",
            ),
            Mistake(
                lambda a, e: max(0.0, 1 - e * a),
                "You used ε where e^ε belongs: a privacy loss is a logarithm, and slopes of f are likelihood ratios.",
            ),
            Mistake(
                lambda a, e: norm.cdf(norm.isf(a) - e),
                "This is the curve of Gaussian noise with μ = ε. Randomized response has only two outputs, so its curve is "
                "made of straight lines.",
            ),
            Mistake(
                lambda a, e: min(1.0, math.exp(e) * a),
                "This is the power, and only until the corner. The trade-off function is what the best test misses.",
            ),
            Mistake(
                lambda a, e: 1 - a,
                "This is blind guessing. With ε > 0 trusting the output does better.",
            ),
            Mistake(
                lambda a, e: 1 - max(1 - math.exp(e) * a, math.exp(-e) * (1 - a)),
                "This is the power 1 − f(α). The trade-off function is what the best test misses.",
            ),
            Mistake(
                lambda a, e: min(1 - math.exp(e) * a, math.exp(-e) * (1 - a)),
                "You took the lower of the two lines. No test gets below either of them, so f is the higher one.",
            ),
            Mistake(
                lambda a, e: 1.0 if a < 1 / (1 + math.exp(e)) else (1 / (1 + math.exp(e)) if a < 1 else 0.0),
                "These are the tests without a coin. Mixing two tests by a coin reaches the line between them.",
            ),
        ),
        laws=(_in_unit_interval("f(α)"), _starts_at_one, _below_guessing),
    ),
    Exercise(
        id="1.5",
        grade="think",
        title="A threshold for what you believe",
        question="An adversary believes with probability π that the record is not in the data (world P), and wants "
        "the smallest probability of error. Write `threshold(prior)`: the privacy loss log dQ/dP(output) "
        "above which this adversary should say “in”.",
        brief=r"""An adversary believes with probability $\pi$ that the record is not in the data. Above which privacy loss should this adversary say "in"? Derive it from Bayes' rule, without {prf:ref}`thm-bayes-threshold`.""",
        goals=(5,),
        name="threshold",
        curve=Curve("prior"),
        stub="from math import log\n\n\ndef threshold(prior):\n    ...\n",
        solution="""from math import log


def threshold(prior):
    # Say "in" when that is the likelier world after the output: (1 − π) dQ > π dP.
    return log(prior / (1 - prior))
""",
        explanation="After the output y the odds of the two worlds are π p(y) to (1 − π) q(y). The second is larger when "
        "q(y)/p(y) > π/(1 − π), that is, when the loss exceeds the log-odds of the prior.",
        hints=(
            "Use Bayes’ rule. For which outputs y is world Q more likely than world P?",
            "Compare π p(y) with (1 − π) q(y), and solve the inequality for q(y)/p(y).",
            "The privacy loss is the logarithm of q(y)/p(y).",
        ),
        praise="Right: ε = log(π/(1 − π)). Every threshold on the loss belongs to one prior, and every prior to one "
        "threshold.",
        cases=((0.5,), (0.1,), (0.8,), (0.99,)),
        draw=lambda r: (r.uniform(0.05, 0.95),),
        mistakes=(
            Mistake(
                lambda p: math.log((1 - p) / p),
                "The sign is wrong. π is the prior of world P, “not in the data”: an adversary who is nearly sure of it "
                "needs strong evidence, hence a high threshold.",
            ),
            Mistake(
                lambda p: p / (1 - p),
                "This is the threshold for the likelihood ratio. The privacy loss is its logarithm.",
            ),
            Mistake(lambda p: p, "This is the prior itself. After the output, compare π p(y) with (1 − π) q(y)."),
            Mistake(
                lambda p: math.log10(p / (1 - p)),
                "Use the natural logarithm: a privacy loss is one, so that e^ε is a likelihood ratio.",
            ),
            Mistake(
                lambda p: math.log(p),
                "The odds are missing: it is not π alone that the likelihood ratio must beat.",
            ),
            Mistake(
                lambda p: 1 - p, "This is the prior of world Q. How large must q(y)/p(y) be to outweigh both priors?"
            ),
            Mistake(
                lambda p: 0.0,
                "A threshold of 0 is best for an even prior only. An adversary with another prior leans to one side.",
            ),
            Mistake(
                lambda p: norm.ppf(p),
                "This is a quantile of the normal distribution. The threshold does not depend on the noise: use Bayes’ rule.",
            ),
            Mistake(
                lambda p: -math.log(2 * (1 - p)),
                "You compare (1 − π) q/p with 1/2. Compare it with π, the weight of the other world.",
            ),
            Mistake(
                lambda p: -math.log(1 - p),
                "You left π out of the comparison. Weigh p(y) by π and q(y) by 1 − π.",
            ),
            Mistake(
                lambda p: math.log(1 - p),
                "You left π out of the comparison, and the sign is wrong. Weigh p(y) by π and q(y) by 1 − π.",
            ),
            Mistake(
                lambda p: math.log(2 * p),
                "You compare π with 1/2. The worlds have the weights π and 1 − π: compare these two.",
            ),
        ),
    ),
    Exercise(
        id="1.6",
        grade="build",
        title="Neyman and Pearson with a coin",
        question="The arrays `p` and `q` hold two finite distributions over the same outcomes, and `alpha` is a level. Write `power(p, q, alpha)`: the largest probability under q with which any test, coins allowed, says “in”, "
        "if under p it may do so with probability at most `alpha`.",
        brief=r"Given two finite distributions and a budget $\alpha$, compute the largest power of any test, coins allowed.",
        goals=(2, 3),
        name="power",
        curve=Curve("alpha"),
        stub="def power(p, q, alpha):\n    ...\n",
        solution="""def power(p, q, alpha):
    ratio = lambda pair: pair[1] / pair[0] if pair[0] > 0 else float("inf")
    reached, left = 0.0, alpha
    for p_i, q_i in sorted(zip(p, q), key=ratio, reverse=True):   # the most telling outcomes first
        share = 1.0 if p_i <= left else left / p_i                # a coin at the boundary
        reached, left = reached + share * q_i, left - share * p_i
        if share < 1:
            break
    return reached
""",
        explanation="Take outcomes in falling order of the likelihood ratio while they fit into α. The first that does "
        "not fit is taken with the probability that fits: that is the coin on the boundary in the lemma.",
        hints=(
            "Which outcome gives the most power for the type I error that it costs?",
            "Sort by q/p, largest first (outcomes with p = 0 cost nothing), and take them while α lasts.",
            "Of the first outcome that no longer fits, take the share left/p: toss a coin there.",
        ),
        praise="Right. 1 − power(p, q, α) is the trade-off function of a finite experiment.",
        cases=_FINITE,
        mistakes=(
            Mistake(
                lambda p, q, a: _power(p, q, a, partial=False),
                "You stop before the outcome that no longer fits, and some of α is left. Toss a coin there.",
            ),
            Mistake(
                lambda p, q, a: 1 - _power(p, q, a),
                "This is the type II error, 1 − power. The question asks for the power.",
            ),
            Mistake(
                lambda p, q, a: _power(p, q, a, key=lambda x, y: y),
                "You take the outcomes that are most likely under q. What counts is how much power an outcome gives "
                "for the type I error that it costs: sort by q/p.",
            ),
            Mistake(
                lambda p, q, a: _power(p, q, a, key=lambda x, y: y - x),
                "You sort by the difference q − p. That is best for an even prior; for a given α sort by the ratio q/p.",
            ),
            Mistake(
                lambda p, q, a: _power(q, p, a),
                "You have swapped the worlds: α is spent under p, the power is gained under q.",
            ),
            Mistake(
                _best_set,
                "This is the best that a test reaches without a coin. A coin lets you take an outcome in part.",
            ),
            Mistake(
                lambda p, q, a: _power(p, q, a, key=lambda x, y: -(y / x if x else math.inf)),
                "You take the outcomes with the smallest q/p first. They cost the most type I error for their power.",
            ),
            Mistake(
                _power_and_rest,
                "At the boundary you add what is left of α to the power. A coin there adds a share of q, not of p.",
            ),
            Mistake(
                lambda p, q, a: _power(p, q, a, key=lambda x, y: -x),
                "You take the outcomes with the smallest p first. Cheap ones may bring little power: what counts is q/p.",
            ),
            Mistake(
                lambda p, q, a: a,
                "This is blind guessing, a coin for every outcome. Outcomes that are more likely under q are worth "
                "more.",
            ),
        ),
        laws=(
            _in_unit_interval("Power"),
            lambda r, p, q, a: (
                "Blind guessing has power α already, and the best test has at least as much."
                if r[0] < a - 1e-9
                else None
            ),
        ),
    ),
    Exercise(
        id="1.7",
        grade="build",
        title="How sure are you of your errors?",
        question="You erred `wrong` times in `rounds` rounds of one world. Write `interval(wrong, rounds)`: the exact "
        "(Clopper–Pearson) two-sided 95% confidence interval (low, high) of your error.",
        brief=r"You were wrong $k$ times in $n$ rounds. Compute the exact confidence interval for your error rate. What does the usual interval, rate $\pm$ two standard errors, say when $k = 0$?",
        goals=(1,),
        name="interval",
        stub="from scipy.stats import beta\n\n\ndef interval(wrong, rounds):\n    ...\n",
        solution="""from scipy.stats import beta


def interval(wrong, rounds):
    low = beta.ppf(0.025, wrong, rounds - wrong + 1) if wrong > 0 else 0.0
    high = beta.ppf(0.975, wrong + 1, rounds - wrong) if wrong < rounds else 1.0
    return low, high
""",
        explanation="An error rate belongs to the interval if the count is not too extreme for it: neither tail of the "
        "binomial distribution is below 2.5%. A binomial tail is a value of a beta distribution function, which gives both ends at once.",
        hints=(
            "For which error rates does a count as large as yours have probability below 2.5%? For which does one as "
            "small?",
            "Pr[Binomial(n, x) ≥ k] = Pr[Beta(k, n − k + 1) ≤ x].",
            "low = beta.ppf(0.025, k, n − k + 1), high = beta.ppf(0.975, k + 1, n − k), with 0 and 1 at the ends.",
        ),
        praise="Right, also at 0 and n, where the textbook’s ± gives an interval of no width.",
        cases=((3, 15), (0, 30), (7, 30), (30, 30), (1, 8)),
        draw=lambda r: (r.randint(2, 12), r.randint(20, 60)),
        mistakes=(
            Mistake(
                _normal_interval,
                "This is the normal approximation, the textbook’s ±. With no errors in 30 rounds it says “between 0 and 0”, "
                "so it cannot be trusted for small counts. Use the binomial distribution itself.",
                within=_ROUNDED_QUANTILE,
            ),
            Mistake(
                _one_sided,
                "You leave 5% on each side: together that is a 90% interval. A two-sided one of 95% leaves 2.5% on each.",
            ),
            Mistake(
                lambda k, n: (
                    float(beta_distribution.ppf(0.025, k + 1, n - k + 1)),
                    float(beta_distribution.ppf(0.975, k + 1, n - k + 1)),
                ),
                "This is the Bayesian interval from a flat prior. It is narrower, and covers some error rates less "
                "than 95% of the time.",
            ),
            Mistake(
                _cut_off(_normal_interval),
                "This is the normal approximation, cut off at 0 and 1. At no errors it still has no width. Use the binomial "
                "distribution itself.",
                within=_ROUNDED_QUANTILE,
            ),
            Mistake(
                _wilson,
                "This is Wilson’s interval. It is far better than the textbook’s ±, but still an approximation: it covers "
                "some error rates less than 95% of the time. The exact one inverts two binomial tails.",
                within=_ROUNDED_QUANTILE,
            ),
            Mistake(
                _plus_four,
                "This is the interval of Agresti and Coull, the normal approximation around a rate moved toward 1/2. The "
                "exact one inverts two binomial tails.",
                within=_ROUNDED_QUANTILE,
            ),
            Mistake(
                _cut_off(_plus_four),
                "This is the interval of Agresti and Coull, cut off at 0 and 1: an approximation. The exact one inverts two "
                "binomial tails.",
                within=_ROUNDED_QUANTILE,
            ),
            Mistake(
                _jeffreys,
                "This is Jeffreys’ interval, Bayesian with the prior Beta(1/2, 1/2). On average over error rates it is good, "
                "but it does not guarantee 95% for each of them.",
            ),
            Mistake(
                lambda k, n: _jeffreys(k, n, ends=True),
                "This is Jeffreys’ interval, with 0 and 1 for its ends where nothing or everything was wrong. It does not "
                "guarantee 95% for every error rate.",
            ),
            Mistake(
                _hoeffding,
                "This is Hoeffding’s inequality, right for every distribution on [0, 1] and therefore wide. The binomial "
                "distribution is known: use its tails.",
            ),
            Mistake(
                _cut_off(_hoeffding),
                "This is Hoeffding’s inequality, cut off at 0 and 1. It guarantees its 95%, but is wider than it has to be.",
            ),
            Mistake(
                lambda k, n: tuple(binom.ppf([0.025, 0.975], n, k / n) / n),
                "You ask which rates would be observed if the true rate were the observed one. Ask instead which true "
                "rates would make the observed count too extreme.",
            ),
            Mistake(
                _without_the_next,
                "Your lower end is right. For the upper end the tail is Pr[Binomial(n, x) ≤ k], which is the complement of "
                "k + 1 errors or more.",
            ),
            Mistake(
                lambda k, n: (max(0.0, k / n - 0.05), min(1.0, k / n + 0.05)),
                "95% is not a width of ±5 percentage points. It is the share of such intervals that contain the true "
                "error, and they are wide if there are few rounds.",
            ),
            Mistake(
                lambda k, n: tuple(beta_distribution.ppf([0.025, 0.975], k, n - k)) if 0 < k < n else (0.0, 1.0),
                "Both of your ends are quantiles of Beta(k, n − k). Each end has a law of its own, with one of the two parameters larger by 1: “k errors or more” and “k errors or fewer” both include k.",
            ),
        ),
        laws=(
            _in_unit_interval("An end of the interval"),
            lambda r, k, n: (
                "The interval should contain the observed rate, and yours does not."
                if not r[0] - 1e-9 <= k / n <= r[-1] + 1e-9
                else None
            ),
        ),
        shape="two numbers, low and high",
    ),
]
