"""Exercises of chapter 1: errors, tests, the lemma of Neyman and Pearson."""

import math

import numpy as np
from scipy.stats import beta as beta_distribution
from scipy.stats import norm

from .core import Exercise, Mistake
from .questions import PROBABILITY, Question, in_percent

_TRUTH = [False, False, False, False, True, True, True, True, True, False]
_GUESS = [False, True, False, False, True, False, True, True, False, False]


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


def _corner_only(alpha, epsilon):
    return max(0.0, 1 - math.exp(epsilon) * alpha)


def _in_unit_interval(name):
    def law(result, *case):
        if np.any(result < 0) or np.any(result > 1):
            return f"{name} is a probability, but yours is {result[(result < 0) | (result > 1)][0]:.4g}."
        return None

    return law


def _below_guessing(result, alpha, *others):
    if result[0] > 1 - alpha + 1e-9:
        return "Guessing blindly reaches 1 − α without looking at the answer, yet your curve lies above that."
    return None


def _starts_at_one(result, alpha, *others):
    if alpha == 0 and abs(result[0] - 1) > 1e-6:
        return "Who never says “in” misses everyone: with these worlds f(0) = 1."
    return None


def _clopper_pearson(wrong, rounds, level=0.95):
    tail = (1 - level) / 2
    low = beta_distribution.ppf(tail, wrong, rounds - wrong + 1) if wrong > 0 else 0.0
    high = beta_distribution.ppf(1 - tail, wrong + 1, rounds - wrong) if wrong < rounds else 1.0
    return float(low), float(high)


def _normal_interval(wrong, rounds, level=0.95):
    rate = wrong / rounds
    half = norm.ppf((1 + level) / 2) * math.sqrt(rate * (1 - rate) / rounds)
    return rate - half, rate + half


def _one_sided(wrong, rounds, level=0.95):
    return _clopper_pearson(wrong, rounds, 2 * level - 1)


_ERRORS = "two numbers, alpha and beta"

EXERCISES = [
    Question(
        id="1.a",
        title="Which one is the false accusation?",
        question="In 8 of 20 rounds the person is not in the data, in 12 rounds they are. You said “in” in 2 of the 8 "
        "and in 8 of the 12. What is your type I error α?",
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
                "You divide by the rounds in which you said “in”. That is how far your word can be trusted, and it "
                "changes with how often people are in the data. α does not.",
            ),
            Mistake(6 / 8, "This is 1 − α, the rate at which you are right about those who are not in the data."),
            Mistake(8 / 12, "This is the power 1 − β, the share of those in the data whom you found."),
            in_percent(2 / 8),
        ),
        laws=(PROBABILITY,),
        tolerance=0.01,
    ),
    Question(
        id="1.b",
        title="Believe every answer",
        question="Randomized response with ε = ln 4 tells the truth with probability e^ε/(1 + e^ε). An adversary believes "
        "every answer. What is the type II error β of this test?",
        solution="""from math import log

import dptutor as dp

# Both errors of this test are equal, so their mean at an even prior is each of them.
answer = float(dp.RandomizedResponse(log(4)).bayes_error(0.5))
""",
        explanation="Who believes the answer misses someone exactly when the answer is a lie, which has probability "
        "1/(1 + e^ε). With e^ε = 4 that is one in five.",
        hints=(
            "The adversary misses someone who is in the data. What did the answer say?",
            "It was a lie. How often does randomized response lie?",
            "The truth has probability e^ε/(1 + e^ε), a lie 1/(1 + e^ε), and e^ε is 4.",
        ),
        praise="Right: a miss is a lie, and so is a false accusation. Both errors are 1/(1 + e^ε).",
        mistakes=(
            Mistake(4 / 5, "This is the power 1 − β: how often the answer is true, and the person found."),
            Mistake(1 / 4, "This is e^−ε, the odds of a lie. A probability is odds/(1 + odds)."),
            Mistake(1 / (1 + math.log(4)), "You used ε where e^ε belongs: ε is a logarithm, and e^ε is 4."),
            Mistake(
                1 / (1 + 10 ** math.log(4)),
                "Nearly: the base is e, not 10. By definition e to the power ln 4 is 4.",
            ),
            in_percent(1 / 5),
        ),
        laws=(PROBABILITY,),
        tolerance=0.005,
    ),
    Question(
        id="1.c",
        title="An attack as a point",
        question="A paper says: “At a false-positive rate of 1 %, our attack finds 30 % of the members.” Which point "
        "(α, β) is that?",
        options=("(0.01, 0.30)", "(0.01, 0.70)", "(0.99, 0.30)", "(0.70, 0.01)"),
        solution="false_positives, found = 0.01, 0.30\npoint = (false_positives, 1 - found)\n"
        "answer = 1 + [(0.01, 0.30), (0.01, 0.70), (0.99, 0.30), (0.70, 0.01)].index(point)\n",
        explanation="A false positive is a type I error, so α = 0.01. Who finds 30 % misses 70 %, so β = 0.70. Blind "
        "guessing would miss 99 % at this α.",
        hints=(
            "Which of the two errors is a false positive?",
            "Finding a member is no error. What is the error, and how often does it happen?",
            "α is the false-positive rate; β is the share of members that the attack does not find.",
        ),
        praise="Right: few accusations, and most members missed.",
        mistakes=(
            Mistake(1, "α is right. But 0.30 is the power, the share found; β is the share missed."),
            Mistake(3, "These are α turned into 1 − α, and the power 1 − β: two rates of being right."),
            Mistake(4, "Both numbers are right, in the wrong order: α, the false-positive rate, comes first."),
        ),
    ),
    Exercise(
        id="1.1",
        grade="warm-up",
        title="Count your errors",
        question="In each round someone is in the data or is not (`in_data`), and you say so or not (`says_in`). "
        "Write `errors(in_data, says_in)`, which returns the pair (α, β) that you made: the rate of type I errors "
        "and that of type II errors.",
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
        explanation="Each error is a rate within its own world: α among those who are not in the data, β among "
        "those who are. How many of either kind there were plays no part.",
        hints=(
            "Type I is a false accusation: “in” is said of someone who is not in the data.",
            "α is a share of the rounds in which the person was not in the data, not of all rounds.",
            "α = (rounds: not in, said in) / (rounds: not in);  β = (rounds: in, said not in) / (rounds: in).",
        ),
        praise="Right: each error is a rate within its own world.",
        cases=(
            (_TRUTH, _GUESS),
            ([True, False, True, False], [True, True, True, False]),
            ([True, False, False], [False, False, True]),
        ),
        mistakes=(
            Mistake(
                lambda a, b: _counted(a, b)[::-1],
                "You have swapped the two errors. Type I, α, is the false accusation: P is the world without the "
                "example, and a type I error rejects P although it is true.",
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
        ),
        laws=(_in_unit_interval("An error rate"),),
        shape=_ERRORS,
    ),
    Exercise(
        id="1.2",
        grade="warm-up",
        title="A threshold in Gaussian noise",
        question="The answer is drawn from N(0, 1) if you are not in the data, from N(μ, 1) if you are. The adversary "
        "says “in” when the answer exceeds `threshold`. Write `errors(threshold, mu)`, which returns (α, β).",
        name="errors",
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
                "Your α is right. Your second number is the power 1 − β, the chance to find who is in the data.",
            ),
            Mistake(
                lambda t, mu: (norm.sf(t), norm.cdf(t + mu)),
                "Your α is right. For β, an answer from N(μ, 1) is below t when the noise is below t − μ, not t + μ.",
            ),
            Mistake(
                lambda t, mu: (norm.sf(t - mu), norm.cdf(t)),
                "You have swapped the worlds: P, the one without the example, is N(0, 1), and Q is N(μ, 1).",
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
        name="tradeoff",
        stub="from scipy.stats import norm\n\n\ndef tradeoff(alpha, mu):\n    ...\n",
        solution="""from scipy.stats import norm


def tradeoff(alpha, mu):
    threshold = norm.isf(alpha)          # the test of type I error alpha that Neyman and Pearson recommend
    return norm.cdf(threshold - mu)
""",
        explanation="The likelihood ratio grows with the answer, so by the lemma of Neyman and Pearson the best test is "
        "a threshold. Its α fixes the threshold, and the threshold fixes β.",
        hints=(
            "Which test does the lemma of Neyman and Pearson recommend, when the likelihood ratio grows with the answer?",
            "It is a threshold. Turn α into the threshold first, then the threshold into β.",
            "threshold = norm.isf(alpha), and then β as in exercise 1.2.",
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
                "You turned α into a threshold with the left tail. α is the area to the right: use norm.isf, or "
                "norm.ppf(1 − α).",
            ),
            Mistake(
                lambda a, mu: norm.cdf(norm.isf(a) + mu),
                "Your curve lies above blind guessing and rises with μ: the answer from N(μ, 1) is below t when the noise is "
                "below t − μ.",
            ),
            Mistake(
                lambda a, mu: norm.cdf(norm.isf(a) - mu / 2),
                "You moved one world by μ/2. The threshold t is measured from the center of P, and Q lies μ further.",
            ),
            Mistake(
                lambda a, mu: 1 - a,
                "This is what blind guessing reaches, at μ = 0. The answer tells more than nothing.",
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
        name="tradeoff",
        stub="from math import exp\n\n\ndef tradeoff(alpha, epsilon):\n    ...\n",
        solution="""from math import exp


def tradeoff(alpha, epsilon):
    # Lines through the corner and (0, 1), and through the corner and (1, 0); no test beats the higher one.
    return max(1 - exp(epsilon) * alpha, exp(-epsilon) * (1 - alpha))
""",
        explanation="Without a coin there are four tests: never, always, trust the answer, distrust it. Trusting has both "
        "errors 1/(1 + e^ε), the corner. A coin reaches every point on the lines between never, corner and always.",
        hints=(
            "Which tests are there without a coin, and which errors do they have?",
            "Trusting the answer has α = β = 1/(1 + e^ε). What does a coin between this and “never” reach?",
            "f is made of two lines: of slope −e^ε from (0, 1) to the corner, and of slope −e^−ε from there to (1, 0).",
        ),
        praise="Right: two lines that meet where both errors are 1/(1 + e^ε).",
        cases=tuple((a, e) for e in (0.0, 0.5, 2.0) for a in (0.0, 0.1, 0.3, 0.5, 0.8, 1.0)),
        draw=lambda r: (r.uniform(0.05, 0.9), r.uniform(0.2, 2)),
        mistakes=(
            Mistake(
                _corner_only,
                "Your first line is right, but it reaches 0 too early: at α = 1/(1 + e^ε) the second line, of slope "
                "−e^−ε, takes over. An adversary who lies at the corner cannot find everyone for so little more.",
            ),
            Mistake(
                lambda a, e: max(0.0, 1 - e * a, (1 - a) * (1 - e)),
                "You used ε where e^ε belongs: a privacy loss is a logarithm, and slopes of f are likelihood ratios.",
            ),
            Mistake(
                lambda a, e: 1 - max(1 - math.exp(e) * a, math.exp(-e) * (1 - a)),
                "This is the power 1 − f(α). The trade-off function is what the best test misses.",
            ),
            Mistake(
                lambda a, e: min(1 - math.exp(e) * a, math.exp(-e) * (1 - a)),
                "You took the lower of the two lines. Both are limits that no test gets below: f is the higher one.",
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
        question="An adversary believes with probability π that the example is not in the data (world P), and wants to "
        "err as rarely as possible. Write `threshold(prior)`: the privacy loss log dQ/dP(answer) above which to say “in”.",
        name="threshold",
        stub="from math import log\n\n\ndef threshold(prior):\n    ...\n",
        solution="""from math import log


def threshold(prior):
    # Say "in" when that is the likelier world after the answer: (1 − π) dQ > π dP.
    return log(prior / (1 - prior))
""",
        explanation="After the answer y the worlds stand as π p(y) to (1 − π) q(y). The second is larger when "
        "q(y)/p(y) > π/(1 − π), that is, when the loss exceeds the log-odds of the prior.",
        hints=(
            "By Bayes' rule: when is it likelier that the answer came from Q?",
            "Compare π p(y) with (1 − π) q(y), and solve for q(y)/p(y).",
            "The privacy loss is the logarithm of q(y)/p(y).",
        ),
        praise="Right: ε = log(π/(1 − π)). Thresholds on the loss and priors are one and the same thing.",
        cases=((0.5,), (0.1,), (0.8,), (0.99,)),
        draw=lambda r: (r.uniform(0.05, 0.95),),
        mistakes=(
            Mistake(
                lambda p: math.log((1 - p) / p),
                "The sign is turned. π is the prior of world P, “not in the data”: who is nearly sure of it needs "
                "much evidence, hence a high threshold.",
            ),
            Mistake(
                lambda p: p / (1 - p),
                "This is the threshold for the likelihood ratio. The privacy loss is its logarithm.",
            ),
            Mistake(lambda p: p, "This is the prior itself. After the answer, compare π p(y) with (1 − π) q(y)."),
            Mistake(
                lambda p: math.log10(p / (1 - p)),
                "Use the natural logarithm: privacy losses are in nats, so that e^ε is a likelihood ratio.",
            ),
            Mistake(
                lambda p: math.log(p),
                "The odds are missing: it is π/(1 − π), not π, that the likelihood ratio must beat.",
            ),
        ),
    ),
    Exercise(
        id="1.6",
        grade="build",
        title="Neyman and Pearson with a coin",
        question="Two finite distributions `p` and `q` over the same outcomes (lists of probabilities), and a level "
        "`alpha`. Write `power(p, q, alpha)`: the largest probability under q with which any test, coins allowed, says “in”, "
        "if under p it may do so with probability at most `alpha`.",
        name="power",
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
            "Which outcome gives most power for the type I error that it costs?",
            "Sort by q/p, largest first (outcomes with p = 0 cost nothing), and take them while α lasts.",
            "Of the first outcome that no longer fits, take the share left/p: toss a coin there.",
        ),
        praise="Right. 1 − power(p, q, α) is the trade-off function of a finite experiment.",
        cases=(
            ([0.5, 0.3, 0.2], [0.2, 0.3, 0.5], 0.2),
            ([0.5, 0.3, 0.2], [0.2, 0.3, 0.5], 0.35),
            ([0.25, 0.25, 0.5], [0.5, 0.25, 0.25], 0.1),
            ([0.6, 0.4, 0.0], [0.1, 0.7, 0.2], 0.3),
            ([0.1, 0.2, 0.7], [0.3, 0.4, 0.3], 0.25),
            ([0.4, 0.1, 0.5], [0.6, 0.25, 0.15], 0.2),
            ([0.45, 0.05, 0.5], [0.5, 0.2, 0.3], 0.1),
            ([0.5, 0.5], [0.5, 0.5], 1.0),
        ),
        mistakes=(
            Mistake(
                lambda p, q, a: _power(p, q, a, partial=False),
                "You stop before the outcome that no longer fits. Toss a coin there: taking it with probability left/p "
                "spends exactly α.",
            ),
            Mistake(
                lambda p, q, a: 1 - _power(p, q, a),
                "This is the type II error, 1 − power. The question asks for the power.",
            ),
            Mistake(
                lambda p, q, a: _power(p, q, a, key=lambda x, y: y),
                "You take the outcomes that are likeliest under q. What counts is how much power an outcome gives for the "
                "type I error that it costs: sort by q/p.",
            ),
            Mistake(
                lambda p, q, a: _power(p, q, a, key=lambda x, y: y - x),
                "You sort by the difference q − p. That is best for an even prior; for a given α sort by the ratio q/p.",
            ),
            Mistake(
                lambda p, q, a: _power(q, p, a),
                "You have swapped the worlds: α is spent under p, the power is gained under q.",
            ),
        ),
        laws=(
            _in_unit_interval("Power"),
            lambda r, p, q, a: "Blind guessing has power α, yours has less." if r[0] < a - 1e-9 else None,
        ),
    ),
    Exercise(
        id="1.7",
        grade="build",
        title="How sure are you of your errors?",
        question="You erred `wrong` times in `rounds` rounds of one world. Write `interval(wrong, rounds)`: the exact "
        "(Clopper–Pearson) two-sided 95 % confidence interval (low, high) of your error.",
        name="interval",
        stub="from scipy.stats import beta\n\n\ndef interval(wrong, rounds):\n    ...\n",
        solution="""from scipy.stats import beta


def interval(wrong, rounds):
    low = beta.ppf(0.025, wrong, rounds - wrong + 1) if wrong > 0 else 0.0
    high = beta.ppf(0.975, wrong + 1, rounds - wrong) if wrong < rounds else 1.0
    return low, high
""",
        explanation="An error rate belongs to the interval if the count is not too extreme for it: neither tail of the "
        "binomial distribution is below 2.5 %. Binomial tails are beta distributions, which gives both ends at once.",
        hints=(
            "Which error rates would make a count as large as yours an event of probability below 2.5 %? And as small?",
            "Pr[Binomial(n, x) ≥ k] = Pr[Beta(k, n − k + 1) ≤ x].",
            "low = beta.ppf(0.025, k, n − k + 1), high = beta.ppf(0.975, k + 1, n − k), with 0 and 1 at the ends.",
        ),
        praise="Right, also at 0 and n, where the textbook's ± gives an interval of no width.",
        cases=((3, 15), (0, 30), (7, 30), (30, 30), (1, 8)),
        draw=lambda r: (r.randint(2, 12), r.randint(20, 60)),
        mistakes=(
            Mistake(
                _normal_interval,
                "This is the normal approximation. With no errors in 30 rounds it says “between 0 and 0”: it is not to be "
                "trusted for small counts. Use the binomial distribution itself.",
            ),
            Mistake(
                _one_sided,
                "You leave 5 % on each side: together that is a 90 % interval. A two-sided one of 95 % leaves 2.5 % on each.",
            ),
            Mistake(
                lambda k, n: (
                    float(beta_distribution.ppf(0.025, k + 1, n - k + 1)),
                    float(beta_distribution.ppf(0.975, k + 1, n - k + 1)),
                ),
                "This is the Bayesian interval from a flat prior. It is narrower, and not exact for every error rate.",
            ),
        ),
        laws=(
            _in_unit_interval("An end of the interval"),
            lambda r, k, n: "The rate you saw lies outside your interval." if not r[0] <= k / n <= r[-1] else None,
        ),
        shape="two numbers, low and high",
    ),
]
