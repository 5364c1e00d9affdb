"""You are the adversary for thirty rounds, or ten: your own threshold, and your two errors against the best."""

from functools import cache

import numpy as np
from scipy.special import ndtr

from ...auditing import clopper_pearson
from ...mechanisms import Gaussian
from ..machinery import (
    BLUE,
    DASHED,
    DOTTED,
    GREEN,
    GREY,
    INK,
    PURPLE,
    VERMILLION,
    Explorer,
    Number,
    Slider,
    ending,
    place,
    tally,
)  # fmt: skip
from ..machinery.shapes import type_one_errors


def played(sigma, accused, missed):
    """The setting of a game that is over."""
    return {"sigma": sigma, "accused": f"{accused} of 15", "missed": f"{missed} of 15",
            "ended": f"{accused} and {missed} of 15", "answer": "none", "outcome": "over",
            "threshold": "none", "fits": "0 of 0"}  # fmt: skip


be_the_adversary = Explorer(
    "be_the_adversary",
    title="Be the adversary",
    caption="The record is in the data in half of the rounds, in random order. First panel: outputs, rounded, stay "
    "as dots, above the axis if you were right. Second panel: your two errors and their region of uncertainty.",
    find="Which world does each output come from? Find a threshold that errs hardly more often than the best one.",
    parameters={"sigma": Slider(0.5, 2.0, 1.0, "noise", "σ", step=0.025)},
    steps={
        "A threshold of ½": (
            "Someone said “in” above ½ and made about as many errors as expected. Even so, the region is wide.",
            played(1.0, 5, 5),
        ),
        "Never accuse": (
            "Always “not in the data”: no false accusations, and everyone is missed. The curve starts at this point, "
            "too.",
            played(1.0, 0, 15),
        ),
        "Tossed a coin": (
            "With little noise, thirty rounds are enough to show that someone ignored the outputs.",
            played(0.5, 8, 7),
        ),
    },
)

ANSWERS = np.arange(-100, 121) / 20
EDGES = np.concatenate([[-np.inf], (ANSWERS[1:] + ANSWERS[:-1]) / 2, [np.inf]])
LOW, HIGH, BAND = -5.2, 6.2, 0.07  # the ends of the axis, and half the room for its numbers
X = np.linspace(LOW, HIGH, 115)
ALPHA = type_one_errors()
ENOUGH = 10  # rounds, before a region says anything


@be_the_adversary.game(answers=ANSWERS, says=("Not in the data", "In the data"))
def chances(sigma):
    return np.diff(ndtr(EDGES / sigma)), np.diff(ndtr((EDGES - 1) / sigma))


@be_the_adversary.mechanism(GREEN, "the best tests")
def mechanism(sigma):
    return Gaussian(sigma=sigma)


# The output, between the two worlds.


@be_the_adversary.panel("In the data, or not?", xlabel="", ylabel="", xlim=(LOW, HIGH), ylim=(-0.74, 1.43),
                        titled=False, width=448.0, margins=(4.0, 8.0, 8.0, 8.0))  # fmt: skip
def worlds(axes):
    axes.set_axis_off()
    for y in (-BAND, BAND):
        axes.plot([LOW, HIGH], [y, y], color=GREY, linewidth=0.6, label="_axis")
    for answer in range(-4, 5):
        axes.text(answer, 0, f"{answer}".replace("-", "−"), ha="center", va="center", color=GREY)
    axes.text(HIGH, 0, "output", ha="right", va="center", color=GREY, style="italic")
    axes.text(LOW, BAND + 0.09, "right", color=GREY)
    axes.text(LOW, -BAND - 0.06, "wrong", color=GREY, va="top")
    axes.text(LOW, -0.7, "P: not in the data", color=BLUE)
    axes.text(HIGH, -0.7, "Q: in the data", color=VERMILLION, ha="right")


def hill(center, sigma):
    """The density of the answers, as high as the picture is at σ = 0.9, and no higher."""
    return BAND + min(1, 0.9 / sigma) * np.exp(-((X - center) ** 2) / (2 * sigma**2))


@worlds.region(BLUE, opacity=0.07)
def hill_without(sigma):
    return X, BAND, hill(0, sigma)


@worlds.region(VERMILLION, opacity=0.07)
def hill_with(sigma):
    return X, BAND, hill(1, sigma)


@worlds.curve(BLUE, width=1.6)
def without(sigma):
    return X, hill(0, sigma)


@worlds.curve(VERMILLION, line=DASHED, width=1.6)
def with_example(sigma):
    return X, hill(1, sigma)


worlds.rounds(right=BAND, wrong=-BAND, size=11)


@worlds.ruler(INK, words="{answer}", offset=(0, 5), cap=0)
def answered(answer):
    return place(answer), 0, 1.12 if place(answer) < 3.2 else 0.4  # on a phone a small panel is in that corner


@worlds.points(INK, size=13)
def dealt(answer):
    return place(answer), 0


# At the end: where the player's threshold lies. Outputs are rounded: those above 0.55 are noise above 0.575.

HALF = (ANSWERS[1] - ANSWERS[0]) / 2


@worlds.curve(PURPLE, line=DASHED, width=2, ghost=False)
def your_line(threshold):
    return [place(threshold) + HALF] * 2, [-0.7, 1.12]


@worlds.text(PURPLE, offset=(-5, -5), align="right")
def your_value(threshold):
    return max(place(threshold), -1) + HALF, 1.12, "your threshold {threshold}"


@worlds.curve(GREEN, line=DOTTED, width=2, ghost=False)
def best_line(threshold):
    return [0.5 + 0 * place(threshold)] * 2, [-0.7, 1.26]


@worlds.text(GREEN, offset=(-5, -5), align="right")
def best_value(threshold):
    return 0.5 + 0 * place(threshold), 1.26, "the best one 0.5"


# Your errors, against the best.


tradeoff = be_the_adversary.face_panel("tradeoff", title="Your errors", titled=False, width=272.0,
                                       margins=(46.0, 14.0, 46.0, 12.0))  # fmt: skip


@cache
def interval(errors):
    """The exact 95% interval of a probability, after so many errors of so many."""
    wrong, rounds = tally(errors)
    return clopper_pearson(wrong, rounds) if rounds else (0.0, 1.0)


def rate(errors):
    wrong, rounds = tally(errors)
    return wrong / rounds if rounds else np.nan


def enough(accused, missed):
    """Whether a region means something: before, next to nothing is contradicted."""
    outside, inside = tally(accused)[1], tally(missed)[1]
    return min(outside, inside) > 0 and outside + inside >= ENOUGH


@tradeoff.region(PURPLE, "compatible with your rounds", opacity=0.2)
def region(accused, missed):
    if not enough(accused, missed):
        return [np.nan, np.nan], np.nan, np.nan
    low, high = interval(missed)
    return interval(accused), low, high


@tradeoff.points(PURPLE, "you")
def you(accused, missed):
    return rate(accused), rate(missed)


def long_run(sigma, threshold):
    """The errors of a threshold."""
    edge = np.inf if place(threshold) == ANSWERS[-1] else place(threshold) + HALF
    return ndtr(-edge / sigma), ndtr((edge - 1) / sigma)


@tradeoff.points(PURPLE, "your threshold", hollow=True, size=9)
def your_test(sigma, threshold):
    return long_run(sigma, threshold)


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


@be_the_adversary.readout("of 100 rounds your threshold is wrong in", PURPLE, 1, percent=True, unit="")
def threshold_error(sigma, threshold):
    return sum(long_run(sigma, threshold)) / 2


@be_the_adversary.readout("of 100 rounds the best test is wrong in", GREEN, 1, percent=True, unit="")
def best_error(sigma):
    return np.minimum(*chances(sigma)).sum() / 2  # outputs are rounded, which costs the best test very little


@be_the_adversary.solved
def nearly_the_best(sigma, threshold):
    return threshold != "none" and threshold_error(sigma, threshold) < best_error(sigma) + 0.01


@be_the_adversary.task
def task(accused, missed):
    if enough(accused, missed):
        return "Purple: the error rates compatible with your rounds, each at 95%."
    if tally(accused)[1] + tally(missed)[1]:
        return "Outputs that you guess right stay above the axis, the others below it."
    return ""


@be_the_adversary.words
def truth(outcome):
    return {
        "none": "",
        "over": "",
        "void": "That round is void, and another output is drawn.",
        "cleared": "Right: it was not in the data.",
        "accused": "Wrong: it was not in the data, a false accusation.",
        "missed": "Wrong: it was in the data, a miss.",
        "found": "Right: it was in the data.",
    }[outcome]


@be_the_adversary.words
def before_it(answer, outcome):
    if answer != "none" or outcome != "none":
        return ""
    return (
        "The record is in the data in half of the rounds, in random order. In the long run the best test is wrong in "
        "{best_error} of 100 rounds."
    )


@be_the_adversary.words
def so_far(outcome, answer):
    return "" if "none" in (outcome, answer) else "So far {accused} wrongly accused, {missed} missed."


@be_the_adversary.words
def question(answer):
    return "" if answer == "none" else "The output is {answer}. Is the record in the data?"


@be_the_adversary.words
def the_end(sigma, ended):
    if ended == "none":
        return ""
    wrongly, overlooked, rounds = ending(ended)
    (alpha_low, alpha_high), (beta_low, beta_high) = (
        interval(f"{wrongly} of {rounds}"),
        interval(f"{overlooked} of {rounds}"),
    )
    f = mechanism(sigma).tradeoff
    if beta_low > f(alpha_low):
        end = "All of your region lies above the curve: chance hardly explains this; a better test exists."
    elif beta_high < f(alpha_high):
        end = "All of your region lies below the curve, where no test stays in the long run: you were very lucky."
    else:
        end = "The curve runs through your region: so few rounds cannot tell your test from one on the curve."
    return f"You accused {{accused}} wrongly and missed {{missed}}. {end}"


@be_the_adversary.words
def the_threshold(threshold):
    if threshold == "none":
        return ""
    return (
        "A threshold of {threshold} guesses as you did in {fits} rounds. In the long run it is wrong in "
        "{threshold_error} of 100 rounds, the best one in {best_error}."
    )


@be_the_adversary.code
def program(sigma, accused, missed):
    from statistics import NormalDist

    import dptutor as dp

    (accusations, outside), (misses, inside) = accused, missed
    mechanism = dp.Gaussian(sigma=sigma)
    # Outputs are rounded to twentieths: those from 0.55 on are above one half.
    accusing = [1 - NormalDist(world, sigma).cdf(0.525) for world in (0, 1)]
    best_error = (accusing[0] + 1 - accusing[1]) / 2

    def interval(wrong, rounds):
        return dp.auditing.clopper_pearson(wrong, rounds) if rounds else (0.0, 1.0)

    def rate(wrong, rounds):
        return wrong / rounds if rounds else float("nan")

    alpha, beta = rate(accusations, outside), rate(misses, inside)
    wrong = rate(accusations + misses, outside + inside)
    alpha_low, alpha_high = interval(accusations, outside)
    beta_low, beta_high = interval(misses, inside)
    best_beta = mechanism.tradeoff(alpha) if outside else float("nan")
    print(f"you: ({alpha:.3f}, {beta:.3f}), the best: ({alpha:.3f}, {best_beta:.3f})")
