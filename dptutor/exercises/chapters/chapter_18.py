"""Exercises of chapter 18: bets against a claim, their stakes, peeking, and teams of gamblers."""

import math

import numpy as np
from scipy.stats import binom

from ..judging.core import Exercise, Mistake
from ..judging.drawing import Curve
from ..judging.questions import Question, Within


def _rounds(seed, count, share):
    return np.random.default_rng(seed).random(count) < share


_SHORT = np.array([True, True, False, True])
_STAKES = np.array([0.05, 0.2, 0.5, 0.8])


def _wealths(right, q, stakes):
    stakes = np.asarray(stakes)[:, None]
    return np.cumprod(np.where(right, 1 - stakes + stakes / q, 1 - stakes), axis=1)


def _factors(right, price, stake, won=lambda price, stake: 1 - stake + stake / price, lost=lambda stake: 1 - stake):
    return float(np.prod(np.where(right, won(price, stake), lost(stake))))


def _divergence(p, q):
    return p * math.log(p / q) + (1 - p) * math.log((1 - p) / (1 - q))


def _alone(q, borders):
    """The probability of reaching each border, looking once."""
    return [float(binom.sf(border - 1, count, q)) for count, border in enumerate(borders, start=1)]


def _ever(q, borders, enough=lambda right, border: right >= border):
    law, found = np.ones(1), 0.0
    for border in borders:
        law = np.append(law * (1 - q), 0.0) + np.append(0.0, law * q)
        stop = enough(np.arange(len(law)), border)
        found += law[stop].sum()
        law[stop] = 0.0
    return float(found)


def _first(wealth, level, counted_from=1):
    enough = np.flatnonzero(wealth >= 1 / level)
    return float(enough[0] + counted_from) if enough.size else 0.0


def _borders(count, share, extra):
    return np.array([math.ceil(share * n + extra * math.sqrt(n)) for n in range(1, count + 1)])


EXERCISES = [
    Question(
        id="18.a",
        title="A right guess",
        question="A claim allows every guess to be right with a probability of at most 0.8. A gambler who bets against it stakes 30% of its wealth "
        "on “right”. By which factor does a right guess multiply the wealth?",
        goals=(1,),
        solution="answer = 1 - 0.3 + 0.3 / 0.8\n",
        explanation="A ticket costs 0.8 and pays 1. The stake of 0.3 buys 0.375 tickets, and 0.7 was kept: 1.075.",
        hints=(
            "A ticket costs as much as the claim says that it is worth. What does it cost?",
            "It costs 0.8 and pays 1. How many tickets does a stake of 0.3 buy?",
            "0.3/0.8 tickets pay 1 each, and 0.7 of the wealth was not staked.",
        ),
        praise="Right: what was kept, and what the tickets pay.",
        mistakes=(
            Mistake(1.3, "So it would be if a ticket cost one half. Here it costs 0.8, and pays 1."),
            Mistake(0.7, "This is what is left after a wrong guess."),
            Mistake(0.375, "This is what the tickets pay. The gambler has kept the rest of its wealth, too."),
            Mistake(1.375, "The stake has been paid for the tickets: only 0.7 of the wealth is left beside them."),
            Mistake(1.25, "That is so for a gambler who stakes everything."),
            Mistake(1.24, "A stake of 0.3 buys 0.3/0.8 tickets, not 0.3 · 0.8."),
            Mistake(0.075, "This is the gain. Asked for is the factor."),
            Mistake(0.94, "You have the price of 1 − 0.8. The ticket on “right” costs 0.8, and it pays 1."),
        ),
        laws=(Within(0, math.inf, "A wealth is never negative."),),
        tolerance=0.0005,
    ),
    Question(
        id="18.b",
        title="Up and down",
        question="A gambler’s wealth against a claim reached 30 after 80 rounds and is down to 4 after 120 rounds, when the audit ends. Which report "
        "is right?",
        goals=(4,),
        options=(
            "Nothing is refuted: what counts is the wealth at the end.",
            "The claim is refuted at level 5%, because the wealth has reached 20.",
            "The claim is refuted at level 1%.",
            "The 40 rounds after the 80th are evidence for the claim, which cancels the evidence against it.",
        ),
        solution="answer = 2\n",
        explanation="Under a true claim, the wealth ever reaches 20 with a probability of at most 5%. It has done so, and what comes afterwards does not "
        "undo it.",
        hints=(
            "What does Ville’s inequality say about the largest wealth of all rounds?",
            "It ever reaches 20 with a probability of at most 5% if the claim is true.",
            "The largest wealth, 30, counts: it is at least 20, but not at least 100.",
        ),
        praise="Right. Had the auditor stopped at round 80, the report would have been the same.",
        mistakes=(
            Mistake(1, "The largest wealth counts: Ville’s inequality is about all rounds at once."),
            Mistake(3, "For 1% the wealth has to reach 100 at some time."),
            Mistake(4, "A small wealth is no evidence for a claim: the gambler may have bet badly."),
        ),
    ),
    Exercise(
        id="18.1",
        grade="warm-up",
        title="The wealth of a gambler",
        question="A claim allows every guess to be right with a probability of at most `q`. A gambler begins with 1 and stakes the share `stake` of its "
        "wealth on “right” in every round. Write `wealth(right, q, stake)`: what it owns in the end, if `right` is an array that says of each guess "
        "whether it was right.",
        brief="From the guesses of an audit, compute what a gambler with a fixed stake owns in the end.",
        goals=(1,),
        name="wealth",
        stub="import numpy as np\n\n\ndef wealth(right, q, stake):\n    ...\n",
        solution="""import numpy as np


def wealth(right, q, stake):
    return np.prod(np.where(right, 1 - stake + stake / q, 1 - stake))
""",
        explanation="The stake buys stake/q tickets, each of which pays 1 if the guess is right; the rest of the wealth is kept. So each round multiplies the wealth by one of two factors.",
        hints=(
            "By which factor does a right guess multiply the wealth, and by which a wrong one?",
            "1 − stake + stake/q, and 1 − stake.",
            "np.where(right, one, other) gives the factors of all rounds, and np.prod their product.",
        ),
        praise="Right. Its mean under a true claim is at most 1, whatever the stake.",
        cases=(
            (_SHORT, 0.6, 0.5),
            (_rounds(1, 30, 0.8), 0.69, 0.3),
            (_rounds(2, 50, 0.7), 0.6, 0.1),
            (~_SHORT, 0.8, 0.25),
        ),
        mistakes=(
            Mistake(
                lambda r, q, s: _factors(r, q, s, won=lambda q, s: 1 + s),
                "You let a right guess pay as much as was staked. A ticket costs q and pays 1, so the stake becomes stake/q.",
            ),
            Mistake(
                lambda r, q, s: _factors(r, q, s, won=lambda q, s: 1 + s / q),
                "The stake is spent on tickets: after a right guess the gambler has 1 − stake beside what the tickets pay.",
            ),
            Mistake(
                lambda r, q, s: _factors(r, q, s, won=lambda q, s: s / q),
                "The gambler keeps what it does not stake, also if the guess is right.",
            ),
            Mistake(
                lambda r, q, s: 1 + float(np.sum(np.where(r, s / q - s, -s))),
                "This gambler stakes a share of the 1 that it began with. It should be a share of what it owns in that round: multiply.",
            ),
            Mistake(
                lambda r, q, s: _factors(~np.asarray(r), q, s),
                "Right and wrong are exchanged.",
            ),
            Mistake(
                lambda r, q, s: _factors(r, 1 - q, s),
                "A ticket that pays if the guess is right costs q, not 1 − q.",
            ),
            Mistake(
                lambda r, q, s: math.log(_factors(r, q, s)),
                "This is the logarithm of the wealth.",
            ),
            Mistake(
                lambda r, q, s: float(np.max(_wealths(r, q, [s]))),
                "This is the largest wealth on the way. Asked for is that in the end.",
            ),
        ),
        laws=(lambda result, *case: "A wealth is never negative." if result[0] < 0 else None,),
        tolerance=1e-9,
        relative=1e-6,
    ),
    Exercise(
        id="18.2",
        grade="think",
        title="The best stake",
        question="Guesses are right with probability `p`, independently; the claim allows `q`. Write `best_stake(p, q)`: the share of its wealth, from 0 "
        "to 1, that lets a gambler’s wealth grow fastest in the long run.",
        brief="Which share of its wealth should a gambler stake?",
        goals=(3,),
        name="best_stake",
        curve=Curve("p"),
        stub="def best_stake(p, q):\n    ...\n",
        solution="""def best_stake(p, q):
    return max(0, (p - q) / (1 - q))
""",
        explanation="The mean of the logarithm, p log(1 − s + s/q) + (1 − p) log(1 − s), is concave in s, and its derivative vanishes at (p − q)/(1 − q). If p ≤ q, the best is not to bet.",
        hints=(
            "The wealth is a product. Which mean per round should be as large as possible?",
            "That of the logarithm: p log(1 − s + s/q) + (1 − p) log(1 − s).",
            "Set the derivative to zero, and think of p ≤ q.",
        ),
        praise="Right: then the wealth is the likelihood ratio of p against q.",
        cases=((0.8, 0.6), (0.9, 0.5), (0.7, 0.69), (0.5, 0.6)),
        draw=lambda r: (round(r.uniform(0.55, 0.95), 2), round(r.uniform(0.3, 0.8), 2)),
        mistakes=(
            Mistake(
                lambda p, q: (p - q) / (1 - q),
                "Right for p > q. If p ≤ q, tickets are not worth their price: then the best stake is 0.",
            ),
            Mistake(lambda p, q: max(0, p - q), "This is how far p is above q. Divide by 1 − q, and see p = 1."),
            Mistake(
                lambda p, q: max(0, 2 * p - 1),
                "This is the best stake where a ticket costs one half. Here it costs q.",
            ),
            Mistake(lambda p, q: p, "That is best if the rest must be staked on “wrong”. Here it is kept."),
            Mistake(
                lambda p, q: max(0, (p - q) / q),
                "This is the mean gain of a stake. Divide by 1 − q instead of q.",
            ),
            Mistake(
                lambda p, q: 1.0 if p > q else 0.0,
                "To stake everything has the largest mean, but the first wrong guess takes all.",
            ),
            Mistake(
                lambda p, q: max(0, 1 - q / p), "Set the derivative of p log(1 − s + s/q) + (1 − p) log(1 − s) to zero."
            ),
            Mistake(
                lambda p, q: max(0, (p - q) / (1 - q)) / 2,
                "This is half of the best stake, as careful gamblers take it. Asked for is the one that grows fastest.",
            ),
        ),
        laws=(
            lambda result, p, q: "A share lies between 0 and 1." if not -1e-9 <= result[0] <= 1 + 1e-9 else None,
            lambda result, p, q: (
                "Tickets that cost as much as they are worth, or more, are not worth a stake."
                if p <= q and result[0] > 1e-6
                else None
            ),
        ),
    ),
    Exercise(
        id="18.3",
        grade="think",
        title="How long it takes",
        question="Guesses are right with probability `p`, independently; the claim allows `q`, and 0 < `q` < `p` < 1. Write `rounds_needed(p, q, level)`: the lower bound of "
        "this chapter on the mean number of rounds until a gambler with the best stake refutes the claim at this level. (Not rounded.)",
        brief="At least how many rounds does a refutation take on average?",
        goals=(3,),
        name="rounds_needed",
        stub="from math import log\n\n\ndef rounds_needed(p, q, level):\n    ...\n",
        solution="""from math import log


def rounds_needed(p, q, level):
    growth = p * log(p / q) + (1 - p) * log((1 - p) / (1 - q))
    return log(1 / level) / growth
""",
        explanation="With the best stake the logarithm of the wealth grows by the Kullback-Leibler divergence per round on average, and it has to reach log(1/level).",
        hints=(
            "To which value has the logarithm of the wealth to rise?",
            "To log(1/level). By how much does it rise per round, on average, with the best stake?",
            "By p log(p/q) + (1 − p) log((1 − p)/(1 − q)). Divide.",
        ),
        praise="Right. A claim that is false by twice as much takes about a quarter of the rounds.",
        cases=((0.84, 0.69, 0.05), (0.6, 0.5, 0.05), (0.9, 0.6, 0.01), (0.72, 0.69, 0.05)),
        draw=lambda r: (round(r.uniform(0.75, 0.97), 2), round(r.uniform(0.4, 0.7), 2), r.choice([0.05, 0.01, 0.001])),
        mistakes=(
            Mistake(
                lambda p, q, a: math.log(1 / a) / _divergence(q, p),
                "The divergence is taken the wrong way: the guesses follow p, so the logarithms are weighted with p and 1 − p.",
            ),
            Mistake(
                lambda p, q, a: math.log(1 / a) / (p * math.log(p / q)),
                "Wrong guesses make the wealth smaller: add (1 − p) log((1 − p)/(1 − q)).",
            ),
            Mistake(
                lambda p, q, a: math.log(1 / a) / math.log(p / q),
                "So many right guesses in a row would do. Take the mean over right and wrong ones.",
            ),
            Mistake(
                lambda p, q, a: math.log(a) / _divergence(p, q),
                "The sign is wrong: the wealth has to reach 1/level.",
            ),
            Mistake(
                lambda p, q, a: 1 / a / _divergence(p, q),
                "The divergence is the growth of the logarithm. It is log(1/level) that has to be reached.",
            ),
            Mistake(
                lambda p, q, a: math.log(1 / a) / (2 * (p - q) ** 2),
                "By Pinsker’s inequality 2(p − q)² is less than the divergence, so this is too many. Use the divergence itself.",
            ),
            Mistake(
                lambda p, q, a: (math.log(1 / a) + math.log(p / q)) / _divergence(p, q),
                "This is the upper bound, with the overshoot of the last round. Asked for is the lower one.",
            ),
            Mistake(
                lambda p, q, a: math.log(1 / a) * _divergence(p, q),
                "Divide by the growth per round.",
            ),
        ),
        laws=(lambda result, *case: "A number of rounds is positive." if result[0] <= 0 else None,),
        tolerance=1e-6,
        relative=1e-6,
    ),
    Exercise(
        id="18.4",
        grade="build",
        title="Peeking",
        question="Guesses are right with probability `q`, independently. An auditor looks after every round and stops when, after n rounds, at least "
        "`borders[n - 1]` guesses were right. Write `ever_stopped(q, borders)`: the probability that the auditor stops at one of these rounds. (A border above n is never reached.)",
        brief="Compute the probability that the number of right guesses ever reaches a border.",
        goals=(2,),
        name="ever_stopped",
        stub="import numpy as np\n\n\ndef ever_stopped(q, borders):\n    ...\n",
        solution="""import numpy as np


def ever_stopped(q, borders):
    law, stopped = np.ones(1), 0.0                  # of the number of right guesses, not yet stopped
    for border in borders:
        law = np.append(law * (1 - q), 0) + np.append(0, law * q)
        stop = np.arange(len(law)) >= border
        stopped += law[stop].sum()
        law[stop] = 0
    return stopped
""",
        explanation="The law of the number of right guesses, among those who have not stopped, is followed from round to round; what reaches the border is added up and taken out.",
        hints=(
            "Follow the probabilities of 0, 1, 2, … right guesses from one round to the next.",
            "A wrong guess leaves the number as it is, a right one adds 1: law[k](1 − q) + law[k − 1] q.",
            "After each round, add up the probability at or above the border, and set it to zero so that it is not counted again.",
        ),
        praise="Right. With the borders of an interval for one look this shows what peeking costs.",
        cases=(
            (0.5, np.array([2, 2, 3])),
            (0.69, _borders(30, 0.69, 0.8)),
            (0.5, _borders(60, 0.5, 0.9)),
            (0.8, np.array([9, 9, 3, 9, 5])),
        ),
        mistakes=(
            Mistake(
                lambda q, b: _alone(q, b)[-1],
                "This is the probability of stopping at the last look, if there were no others.",
            ),
            Mistake(
                lambda q, b: sum(_alone(q, b)),
                "You add up the probabilities of all looks. An auditor who has stopped does not stop again: take out what has reached the border.",
            ),
            Mistake(
                lambda q, b: max(_alone(q, b)),
                "This is the largest probability of a single look. One of several looks is enough to stop.",
            ),
            Mistake(
                lambda q, b: 1 - math.prod(1 - x for x in _alone(q, b)),
                "You multiply as if looks were independent. Two neighboring looks share nearly all rounds.",
            ),
            Mistake(
                lambda q, b: _ever(q, b, enough=lambda right, border: right > border),
                "The auditor stops at the border, not only above it.",
            ),
            Mistake(
                lambda q, b: _ever(1 - q, b),
                "You count wrong guesses in the place of right ones.",
            ),
            Mistake(
                lambda q, b: 1 - _ever(q, b),
                "This is the probability of never stopping.",
            ),
        ),
        laws=(
            lambda result, q, b: (
                "A probability lies between 0 and 1." if not -1e-12 <= result[0] <= 1 + 1e-12 else None
            ),
            lambda result, q, b: (
                "It cannot be less than the probability of stopping at the last look alone."
                if result[0] < _alone(q, b)[-1] - 1e-9
                else None
            ),
        ),
        tolerance=1e-9,
    ),
    Exercise(
        id="18.5",
        grade="build",
        title="A team of gamblers",
        question="A claim allows every guess to be right with a probability of at most `q`. Gamblers with the stakes in the array `stakes` bet against it; "
        "`right` says of each guess whether it was right. Write `refuted_after(right, q, stakes, level)`: the first round after which the *average* of "
        "their wealths is at least 1/`level`, counted from 1, or 0 if there is none.",
        brief="Compute the first round at which the average wealth of gamblers with several stakes refutes a claim.",
        goals=(4,),
        name="refuted_after",
        stub="import numpy as np\n\n\ndef refuted_after(right, q, stakes, level):\n    ...\n",
        solution="""import numpy as np


def refuted_after(right, q, stakes, level):
    s = np.array(stakes)[:, None]
    wealths = np.cumprod(np.where(right, 1 - s + s / q, 1 - s), axis=1)   # a row for each gambler
    enough = np.flatnonzero(wealths.mean(axis=0) >= 1 / level)
    return enough[0] + 1 if enough.size else 0
""",
        explanation="Each row is the wealth of one gambler over time. Their average is a wealth to which Ville’s inequality applies, so its first crossing of 1/level refutes the claim.",
        hints=(
            "Compute the wealth of one gambler after every round first: np.cumprod.",
            "With the stakes as a column, np.where gives a table with a row for each gambler.",
            "Average over the gamblers (axis 0), and find the first entry that is at least 1/level.",
        ),
        praise="Right. The average loses at most a factor of the number of gamblers against the best of them.",
        cases=(
            (_rounds(3, 200, 0.84), 0.69, _STAKES, 0.05),
            (_rounds(4, 300, 0.8), 0.6, _STAKES, 0.01),
            (_rounds(5, 60, 0.6), 0.69, _STAKES, 0.05),
            (_rounds(6, 250, 0.9), 0.7, np.array([0.1, 0.3]), 0.001),
        ),
        mistakes=(
            Mistake(
                lambda r, q, s, a: _first(_wealths(r, q, s).max(axis=0), a),
                "You take the richest gambler after each round, and which one that is depends on the data. The average may be used.",
            ),
            Mistake(
                lambda r, q, s, a: _first(_wealths(r, q, s).sum(axis=0), a),
                "You add up the wealths. Together the gamblers began with more than 1: take the average.",
            ),
            Mistake(
                lambda r, q, s, a: _first(np.exp(np.log(_wealths(r, q, s)).mean(axis=0)), a),
                "You average the logarithms. The geometric mean is smaller, so this finds the refutation too late.",
            ),
            Mistake(
                lambda r, q, s, a: _first(_wealths(r, q, [np.mean(s)])[0], a),
                "You average the stakes. That is one gambler; average the wealths of all of them.",
            ),
            Mistake(
                lambda r, q, s, a: max(_first(_wealths(r, q, s).mean(axis=0), a) - 1, 0.0),
                "You count rounds from 0. The first one is round 1.",
            ),
            Mistake(
                lambda r, q, s, a: float(len(r)) if _wealths(r, q, s).mean(axis=0)[-1] >= 1 / a else 0.0,
                "You look at the end only. The wealth may be watched: give the first round.",
            ),
            Mistake(
                lambda r, q, s, a: _first(_wealths(~np.asarray(r), q, s).mean(axis=0), a),
                "Right and wrong are exchanged.",
            ),
            Mistake(
                lambda r, q, s, a: float(
                    int(_wealths(r, q, s).mean(axis=0).max() >= 1 / a) and np.argmax(_wealths(r, q, s).mean(axis=0)) + 1
                ),
                "This is the round with the largest average. Give the first that reaches 1/level.",
            ),
        ),
        laws=(
            lambda result, *case: (
                "A round is a whole number, 0 for none." if result[0] != round(float(result[0])) else None
            ),
        ),
    ),
]
