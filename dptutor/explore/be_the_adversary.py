"""You are the adversary for thirty rounds: your own two errors, with their region of confidence, against the best."""

from functools import cache

import numpy as np
from scipy.special import ndtr

from ..auditing import clopper_pearson
from ..mechanisms import Gaussian
from .machinery import BLUE, DASHED, GREEN, INK, PURPLE, VERMILLION, Explorer, Number, Slider, place, tally
from .machinery.shapes import normal_density, type_one_errors


def played(sigma, accused, missed):
    """The setting of a game that is over."""
    return {"sigma": sigma, "accused": f"{accused} of 15", "missed": f"{missed} of 15",
            "answer": "none", "before": "none", "outcome": "none"}  # fmt: skip


be_the_adversary = Explorer(
    "be_the_adversary",
    title="Be the adversary",
    caption="First panel: an answer of a Gaussian mechanism, the upright line, rounded to a twentieth, and the "
    "densities of answers without the example (P, blue, solid) and with it (Q, vermillion, dashed). The example is "
    "in the data in fifteen of the thirty rounds, in random order. The answer of the round before stands on the "
    "axis, as a blue circle if it came from P, as a vermillion triangle if from Q. Second panel: your type I error α "
    "and type II error β so far, against the trade-off function f of the mechanism; the diamond is the best test "
    "with your α. The sides of the purple rectangle are exact intervals (Clopper–Pearson) of 95 % each: if you keep "
    "to one test, then at the end of the game it holds the true errors of that test with a probability of at least "
    "90 %. Another σ is another game.",
    find="Press Start and say thirty times whether the example is in the data. Can you get below the curve?",
    code="""import dptutor as dp

sigma = {sigma}
accused, outside = {accused}
missed, inside = {missed}
mechanism = dp.Gaussian(sigma=sigma)
best_error = mechanism.bayes_error(0.5)


def interval(wrong, rounds):
    return dp.auditing.clopper_pearson(wrong, rounds) if rounds else (0.0, 1.0)


def rate(wrong, rounds):
    return wrong / rounds if rounds else float("nan")


alpha, beta = rate(accused, outside), rate(missed, inside)
wrong = rate(accused + missed, outside + inside)
alpha_low, alpha_high = interval(accused, outside)
beta_low, beta_high = interval(missed, inside)
best_beta = mechanism.tradeoff(alpha) if outside else float("nan")
print(f"you: ({alpha:.3f}, {beta:.3f}), the best: ({alpha:.3f}, {best_beta:.3f})")
""",
    parameters={"sigma": Slider(0.5, 2.0, 1.0, "noise", "σ", step=0.25)},
    steps={
        "A threshold of ½": (
            "Someone said “in” above ½ and was as lucky as one is on average: the region is wide all the same.",
            played(1.0, 5, 5),
        ),
        "Never accuse": (
            "Always “not in the data”: no false accusation, and all are missed. The curve starts here too.",
            played(1.0, 0, 15),
        ),
        "Tossed a coin": (
            "With little noise, thirty rounds do show that someone did not look at the answers.",
            played(0.5, 8, 7),
        ),
    },
)

ANSWERS = np.arange(-100, 121) / 20
EDGES = np.concatenate([[-np.inf], (ANSWERS[1:] + ANSWERS[:-1]) / 2, [np.inf]])
X = np.linspace(-5.2, 6.2, 115)
ALPHA = type_one_errors()


@be_the_adversary.game(answers=ANSWERS, says=("Not in the data", "In the data"))
def chances(sigma):
    return np.diff(ndtr(EDGES / sigma)), np.diff(ndtr((EDGES - 1) / sigma))


@be_the_adversary.mechanism(GREEN, "the best tests")
def mechanism(sigma):
    return Gaussian(sigma=sigma)


# The answer, between the two worlds.


worlds = be_the_adversary.plain_panel(
    "worlds", "In the data, or not?", xlabel="answer", ylabel="density", xlim=(-5.2, 6.2), ylim=(0, 1.1), grid=False
)


@worlds.curve(BLUE, "P: not in the data")
def without(sigma):
    return X, normal_density(X, sigma)


@worlds.curve(VERMILLION, "Q: in the data", line=DASHED)
def with_example(sigma):
    return X, normal_density(X - 1, sigma)


@worlds.ruler(INK, words="{answer}", offset=(0, 5))
def answered(answer):
    return place(answer), 0, 0.84


@worlds.points(BLUE)
def was_out(before, outcome):
    return place(before) if outcome in ("cleared", "accused") else np.nan, 0


@worlds.points(VERMILLION, marker="^", size=9)
def was_in(before, outcome):
    return place(before) if outcome in ("missed", "found") else np.nan, 0


@worlds.text(INK, offset=(0, 9), align="center")
def was_right(before, outcome):
    return place(before), 0, "right" if outcome in ("cleared", "found") else "wrong"


# Your errors, against the best.


tradeoff = be_the_adversary.face_panel("tradeoff", title="Your errors")


@cache
def interval(errors):
    """The exact 95 % interval of a probability, after so many errors of so many."""
    wrong, rounds = tally(errors)
    return clopper_pearson(wrong, rounds) if rounds else (0.0, 1.0)


def rate(errors):
    wrong, rounds = tally(errors)
    return wrong / rounds if rounds else np.nan


@tradeoff.region(PURPLE, "not contradicted", opacity=0.2)
def region(accused, missed):
    low, high = interval(missed)
    return interval(accused), low, high


@tradeoff.points(GREEN, marker="D", size=6)
def best(sigma, accused):
    return rate(accused), best_beta(sigma, accused)


@tradeoff.points(PURPLE, "you")
def you(accused, missed):
    return rate(accused), rate(missed)


@be_the_adversary.readouts(
    alpha=Number("your α, false accusations", PURPLE, 1, percent=True),
    alpha_low=Number("α is at least", PURPLE, 1, percent=True),
    alpha_high=Number("α is at most", PURPLE, 1, percent=True),
)
def first_kind(accused):
    return rate(accused), *interval(accused)


@be_the_adversary.readouts(
    beta=Number("your β, misses", PURPLE, 1, percent=True),
    beta_low=Number("β is at least", PURPLE, 1, percent=True),
    beta_high=Number("β is at most", PURPLE, 1, percent=True),
)
def second_kind(missed):
    return rate(missed), *interval(missed)


@be_the_adversary.readout("the smallest β at your α", GREEN, 1, percent=True)
def best_beta(sigma, accused):
    return mechanism(sigma).tradeoff(rate(accused)) if tally(accused)[1] else np.nan


@be_the_adversary.readout("you are wrong in", PURPLE, 1, percent=True)
def wrong(accused, missed):
    (k, n), (j, m) = tally(accused), tally(missed)
    return (k + j) / (n + m) if n + m else np.nan


@be_the_adversary.readout("the best test is wrong in", GREEN, 1, percent=True)
def best_error(sigma):
    return mechanism(sigma).bayes_error(0.5)


@be_the_adversary.words
def truth(outcome):
    return {
        "none": "",
        "cleared": "Right: it was not in the data.",
        "accused": "Wrong: it was not in the data. That was a false accusation.",
        "missed": "Wrong: it was in the data. That was a miss.",
        "found": "Right: it was in the data.",
    }[outcome]


@be_the_adversary.words
def where_you_are(accused, missed):
    done = tally(accused)[1] + tally(missed)[1]
    if done == 0:
        return (
            "Thirty rounds, half of them with the example in the data. The best test is wrong in {best_error} of them."
        )
    return f"Round {done + 1} of 30." if done < 30 else ""


@be_the_adversary.words
def the_end(sigma, accused, missed):
    if tally(accused)[1] < 15 or tally(missed)[1] < 15:
        return ""
    (alpha_low, alpha_high), (beta_low, beta_high) = interval(accused), interval(missed)
    f = mechanism(sigma).tradeoff
    if beta_low > f(alpha_low):
        end = "All of your region lies above the curve: chance hardly explains it, there was a better test."
    elif beta_high < f(alpha_high):
        end = "All of your region lies below the curve, where no test stays in the long run: you were very lucky."
    else:
        end = "The curve runs through your region: thirty rounds do not tell you from the best."
    return (
        "You accused {accused} wrongly and missed {missed}. In the long run a test with your α misses no less than "
        f"{{best_beta}}; you missed {{beta}}. {end}"
    )


@be_the_adversary.words
def question(answer):
    return "" if answer == "none" else "The answer is {answer}. Is the example in the data?"
