"""One mechanism drawn in five ways, each of which becomes the next: two hills, a curve, a tangent, a profile, an error.

The idea: all of them are rearrangements of the same two hundred people.
"""

import numpy as np
from scipy.special import ndtr, ndtri

from ...mechanisms import Gaussian
from ..machinery import BLUE, DOTTED, GREEN, GREY, INK, PURPLE, VERMILLION, Explorer, Number, Slider
from ..machinery.shapes import type_one_errors

# Everything is placed in the panel by its own coordinates, of which it has so many.
WIDE, HIGH = 436.0, 316.0
MIDDLE, HALF = 158.0, 13.0  # the axis of the outputs, and half the room for its numbers
LOW, TOP = -3.0, 118.0  # the smallest output, and how high a hill is
SQUARE, SMALL = (92.0, 54.0, 228.0), (300.0, 168.0, 112.0)  # of a trade-off curve: left, bottom and side
LEFT, RIGHT, BOTTOM, UPPER = 54.0, 414.0, 46.0, 282.0  # of profile and Bayes error
MOST_EPSILON, MOST_DELTA = 3.0, 0.4  # at the ends of the profile's axes

HILLS, CURVE, TANGENT, PROFILE, ERROR = 1, 2, 3, 4, 5
MECHANISM = Gaussian(sigma=1)

one_mechanism = Explorer(
    "one_mechanism",
    title="How can five pictures be one?",
    caption="Gaussian noise, σ = 1: a hundred people of either kind; the errors of all thresholds; a tangent of slope "
    "−exp(ε) and the length δ; these lengths; the Bayes error. The purple ring is one threshold in all five.",
    find="Drag the ring to where as many people are wrongly accused as are missed. Where is it in the other pictures?",
    parameters={
        "epsilon": Slider(0.0, 3.0, 0.3, "threshold on the loss", "ε", step=0.05),
        "picture": Slider(1.0, 5.0, 1.0, "picture", step=0.0625, play=True),
    },
    steps={
        "One curve": ("Every threshold is one point of the trade-off curve.", {"epsilon": 0.3, "picture": CURVE}),
        "One tangent": ("A line of slope −exp(ε) touches the curve at this threshold and leaves the length δ.",
                        {"epsilon": 1.0, "picture": TANGENT}),
        "One profile": ("Side by side, the lengths for all ε are the privacy profile.",
                        {"epsilon": 1.0, "picture": PROFILE}),
        "One Bayes error": ("Hung from the error of a blind guess, they leave the Bayes error.",
                            {"epsilon": 1.0, "picture": ERROR}),
    },
)  # fmt: skip


def share(picture, start, end):
    """How much of the way from `start` to `end` is behind it, starting and ending slowly."""
    x = np.clip((picture - start) / (end - start), 0, 1)
    return np.where(x < 0.5, 4 * x**3, 1 - (2 - 2 * x) ** 3 / 2)


def between(a, b, part):
    return a + (b - a) * part


def fallen(picture):
    return share(picture, 1.0, 1.4)


def turned(picture):
    return share(picture, 1.35, 1.9)


def leaning(picture):
    return share(picture, 2.25, 2.75)


def spread(picture):
    return share(picture, 3.25, 3.75)


def hung(picture):
    return share(picture, 4.25, 4.75)


def shown(there, *values):
    """The values where something is there, else nothing."""
    return tuple(np.where(there, value, np.nan) for value in np.broadcast_arrays(*values))


# Where things are in each of the pictures.


def output(value):
    return (value - LOW) / 7 * WIDE


def square(picture):
    return tuple(between(a, b, spread(picture)) for a, b in zip(SQUARE, SMALL, strict=True))


def errors_at(picture, alpha, beta):
    left, bottom, side = square(picture)
    return left + side * alpha, bottom + side * beta


def errors(epsilon):
    return ndtr(-epsilon - 0.5), ndtr(epsilon - 0.5)


def delta(epsilon):
    return np.maximum(MECHANISM.privacy_profile(np.asarray(epsilon, dtype=float)), 0)


def prior(epsilon):
    """The prior of "not in" at which this threshold is best."""
    return 1 / (1 + np.exp(-np.asarray(epsilon, dtype=float)))


def in_profile(epsilon, height):
    across = np.minimum(epsilon, MOST_EPSILON) / MOST_EPSILON
    return between(LEFT, RIGHT, across), between(BOTTOM, UPPER, height / MOST_DELTA)


def in_error(belief, error):
    return between(LEFT, RIGHT, belief), between(BOTTOM, UPPER, 2 * error)


def tips(epsilon, picture):
    """The end of the length δ that is free: on the left edge, in the profile, and on the Bayes error."""
    left, bottom, side = square(picture)
    length, belief = delta(epsilon), prior(epsilon)
    x, y = left, bottom + side
    for part, (there, height) in (
        (spread(picture), in_profile(epsilon, delta(np.minimum(epsilon, MOST_EPSILON)))),
        (hung(picture), in_error(belief, (1 - belief) * (1 - length))),
    ):
        x, y = between(x, there, part), between(y, height, part)
    return x, y


def bases(epsilon, picture):
    """Its other end: on the tangent, on the axis, and on the error of a blind guess."""
    left, bottom, side = square(picture)
    belief = prior(epsilon)
    x, y = left, bottom + side * (1 - delta(epsilon))
    for part, (there, height) in (
        (spread(picture), in_profile(epsilon, 0.0)),
        (hung(picture), in_error(belief, 1 - belief)),
    ):
        x, y = between(x, there, part), between(y, height, part)
    return x, y


@one_mechanism.panel("One mechanism", xlabel="", ylabel="", xlim=(0, WIDE), ylim=(0, HIGH), titled=False, width=440.0,
                     margins=(2.0, 2.0, 2.0, 2.0))  # fmt: skip
def drawing(axes):
    axes.set_axis_off()


# The hills, and a hundred people of either kind at the quantiles of their outputs.

PEOPLE = np.arange(100)
SHARES = (PEOPLE + 0.5) / 100
HEIGHTS = 0.05 + 0.86 * (PEOPLE * (np.sqrt(5) - 1) / 2 % 1)
ROW = np.where(PEOPLE % 2, 2.6, -2.6)  # two rows of fifty are easier to count than one
OUTPUTS = np.linspace(LOW, 4.0, 91)


def hill(values, center):
    return TOP * np.exp(-((values - center) ** 2) / 2)


@drawing.region(BLUE, opacity=0.09)
def hill_outside(picture):
    return output(OUTPUTS), MIDDLE + HALF, MIDDLE + HALF + hill(OUTPUTS, 0) * (1 - fallen(picture))


@drawing.region(VERMILLION, opacity=0.09)
def hill_inside(picture):
    return output(OUTPUTS), MIDDLE - HALF, MIDDLE - HALF - hill(OUTPUTS, 1) * (1 - fallen(picture))


def not_in(picture):
    """They fall onto their axis, and are dealt out from its right end along the bottom."""
    values = ndtri(SHARES)
    down, turn = fallen(picture), turned(picture)
    x = between(output(values), SHARES * WIDE, down)
    y = between(MIDDLE + HALF + 4 + HEIGHTS * hill(values, 0), MIDDLE + HALF + 9 + ROW, down)
    left, bottom, side = square(picture)
    mine = np.clip(1.6 * turn - 0.6 * (99 - PEOPLE) / 99, 0, 1)
    arc = 40 * np.sin(np.pi * mine)
    x, y = between(x, left + side * (1 - SHARES), mine), between(y, bottom - 9 + ROW, mine) - arc
    return shown(picture < 3.2, x, y)


def in_it(picture):
    """They fall, too, and their row turns up."""
    values = 1 + ndtri(SHARES)
    down, turn = fallen(picture), turned(picture)
    left, bottom, side = square(picture)
    angle = turn * np.pi / 2
    along = SHARES * between(WIDE, side, turn)
    x = between(0, left - 9, turn) + along * np.cos(angle) - ROW * np.sin(angle)
    y = between(MIDDLE - HALF - 9, bottom, turn) + along * np.sin(angle) + ROW * np.cos(angle)
    x = between(output(values), x, down)
    y = between(MIDDLE - HALF - 4 - HEIGHTS * hill(values, 1), y, down)
    return shown(picture < 3.2, x, y)


@drawing.points(BLUE, size=5.5, opacity=0.26, moves="")
def outside(picture):
    return not_in(picture)


@drawing.points(VERMILLION, size=5.5, opacity=0.26, moves="")
def inside(picture):
    return in_it(picture)


@drawing.points(BLUE, size=5.5, moves="")
def accused_people(epsilon, picture):
    return shown(ndtri(SHARES) > epsilon + 0.5, *not_in(picture))


@drawing.points(VERMILLION, size=5.5, moves="")
def missed_people(epsilon, picture):
    return shown(1 + ndtri(SHARES) <= epsilon + 0.5, *in_it(picture))


# Axes.


@drawing.curve(GREY, width=0.8, ghost=False, moves="")
def across(picture):
    left, bottom, side = square(picture)
    turn, wide = turned(picture), spread(picture)
    ends = between(0, between(left, LEFT, wide), turn), between(WIDE, between(left + side, RIGHT, wide), turn)
    return ends, np.full(2, between(MIDDLE + HALF, between(bottom, BOTTOM, wide), turn))


@drawing.curve(GREY, width=0.8, ghost=False, moves="")
def upward(picture):
    left, bottom, side = square(picture)
    turn, wide = turned(picture), spread(picture)
    angle, length = turn * np.pi / 2, between(WIDE, between(side, UPPER - BOTTOM, wide), turn)
    x, y = between(0, between(left, LEFT, wide), turn), between(MIDDLE - HALF, between(bottom, BOTTOM, wide), turn)
    return [x, x + length * np.cos(angle)], [y, y + length * np.sin(angle)]


# The trade-off curve.

ALPHA = type_one_errors(61)


@drawing.curve(GREY, line=DOTTED, width=1.2, ghost=False, moves="")
def blind(picture):
    return shown((picture >= 1.9) & (picture < 4.1), *errors_at(picture, np.array([0, 1]), np.array([1, 0])))


@drawing.curve(INK, width=2.2, ghost=False, moves="")
def best_tests(picture):
    x, y = errors_at(picture, ALPHA, MECHANISM.tradeoff(ALPHA))
    return shown((picture < 4.1) & ((picture - 1.85) / 0.15 >= ALPHA), x, y)


def touching(epsilon, picture):
    """Of the tangent: where it begins, where it touches, and where it ends."""
    (alpha, beta), top = errors(epsilon), 1 - delta(epsilon)
    lean = leaning(picture)
    return (
        errors_at(picture, 0, between(beta, top, lean)),
        errors_at(picture, alpha, beta),
        errors_at(picture, between(alpha, np.exp(-epsilon) * top, lean), 0),
    )


@drawing.curve(PURPLE, width=2, ghost=False, moves="")
def cut_above(epsilon, picture):
    """The upper half of the threshold, which becomes the line down to α and then the lower part of the tangent."""
    turn, cut = turned(picture), output(epsilon + 0.5)
    _, touch, end = touching(epsilon, picture)
    heights = MIDDLE + HALF + TOP + 8, MIDDLE
    return shown(picture < 4.1, *(
        between(np.array(start), np.array(goal), turn)
        for start, goal in zip(((cut, cut), heights), zip(touch, end, strict=True), strict=True)
    ))  # fmt: skip


@drawing.curve(PURPLE, width=2, ghost=False, moves="")
def cut_below(epsilon, picture):
    turn, cut = turned(picture), output(epsilon + 0.5)
    begin, touch, _ = touching(epsilon, picture)
    heights = MIDDLE, MIDDLE - HALF - TOP - 8
    return shown(picture < 4.1, *(
        between(np.array(start), np.array(goal), turn)
        for start, goal in zip(((cut, cut), heights), zip(touch, begin, strict=True), strict=True)
    ))  # fmt: skip


# The lengths δ, for many ε and for this one.

FAN = np.arange(0, MOST_EPSILON + 0.01, 0.15)
FINE = np.concatenate([np.linspace(0, MOST_EPSILON, 41), np.linspace(3.2, 9, 12)])


@drawing.curve(GREEN, width=0.8, ghost=False, moves="")
def lengths(picture):
    ends = np.stack([bases(FAN, picture), tips(FAN, picture), np.full((2, len(FAN)), np.nan)], axis=-1)
    return shown(picture > 3.25, *ends.reshape(2, -1))


@drawing.curve(GREEN, width=4, ghost=False, moves="")
def length(epsilon, picture):
    ends = np.array([bases(epsilon, picture), tips(epsilon, picture)]).T
    return shown(picture > 2.6, *ends)


@drawing.curve(INK, width=2.2, ghost=False, moves="")
def profile(picture):
    return shown(picture >= 3.8, *tips(FINE, picture))


@drawing.curve(GREY, line=DOTTED, width=1.2, ghost=False, moves="")
def guessing(picture):
    return shown(picture >= 3.8, *bases(FINE, picture))


@drawing.curve(INK, width=2.2, ghost=False, moves="")
def error_mirrored(picture):
    return shown(picture >= 4.8, *in_error(1 - prior(FINE), (1 - prior(FINE)) * (1 - delta(FINE))))


@drawing.curve(GREY, line=DOTTED, width=1.2, ghost=False, moves="")
def guessing_mirrored(picture):
    return shown(picture >= 4.8, *in_error(np.array([0, 0.5]), np.array([0, 0.5])))


@drawing.points(PURPLE, size=9, moves="epsilon")
def chosen(epsilon, picture):
    alpha, beta = errors(epsilon)
    point = between(
        np.array([output(epsilon + 0.5), MIDDLE]), np.array(errors_at(picture, alpha, beta)), turned(picture)
    )
    return between(point, np.array(tips(epsilon, picture)), spread(picture))


# Words and numbers, where the picture stands still.


def stands(picture, *ones):
    return any(abs(picture - one) <= 0.07 for one in ones)


def tick(name, places):
    """A number of an axis: in each picture where it has one its place and what it says."""

    def number(picture):
        for one, (x, y, words) in places.items():
            if stands(picture, one):
                return x, y, words
        return np.nan, np.nan, ""

    number.__name__ = name
    return number


def below(k):
    left, bottom, side = SQUARE
    part = k / 2
    found = {CURVE: (left + side * part, bottom - 30, f"{100 * part:.0f}")} if k in (0, 1, 2) else {}
    found[TANGENT] = found.get(CURVE)
    if k <= 3:
        found[PROFILE] = (between(LEFT, RIGHT, k / 3), BOTTOM - 17, f"{k}")
    if k <= 2:
        found[ERROR] = (between(LEFT, RIGHT, part), BOTTOM - 17, ("0", "50%", "100%")[k])
    found[HILLS] = (output(k - 1), MIDDLE - 5, f"{k - 1}".replace("-", "−"))
    return {one: place for one, place in found.items() if place}


def beside(k):
    left, bottom, side = SQUARE
    part = k / 2
    at = left - 20, bottom + side * part - 4, f"{100 * part:.0f}"
    return {
        CURVE: at,
        **({TANGENT: at} if k < 2 else {}),
        PROFILE: (LEFT - 6, between(BOTTOM, UPPER, part) - 4, ("0", "0.2", "0.4")[k]),
        ERROR: (LEFT - 6, between(BOTTOM, UPPER, part) - 4, ("0", "25%", "50%")[k]),
    }


for k in range(5):
    drawing.text(GREY, offset=(0, 0), align="center")(tick(f"below_{k}", below(k)))
for k in range(3):
    drawing.text(GREY, offset=(0, 0), align="right")(tick(f"beside_{k}", beside(k)))

LABELS = {
    "outside_words": (BLUE, "left", {HILLS: (2, HIGH - 14, "100 not in the data")}),
    "inside_words": (VERMILLION, "left", {HILLS: (2, 6, "100 in the data")}),
    "alpha_words": (BLUE, "center", dict.fromkeys((CURVE, TANGENT), (206, 3, "of 100, accused"))),
    "beta_words": (VERMILLION, "left", dict.fromkeys((CURVE, TANGENT), (2, HIGH - 14, "of 100, missed"))),
    "epsilon_words": (PURPLE, "right", {PROFILE: (RIGHT - 30, BOTTOM - 17, "ε")}),
    "delta_words": (GREEN, "left", {PROFILE: (2, HIGH - 14, "δ, the length left")}),
    "prior_words": (PURPLE, "center", {ERROR: (LEFT + 280, BOTTOM - 17, "prior")}),
    "error_words": (INK, "left", {ERROR: (2, HIGH - 14, "wrong guesses")}),
}
for name, (color, align, places) in LABELS.items():
    drawing.text(color, offset=(0, 0), align=align)(tick(name, places))


@drawing.text(BLUE, offset=(0, 0))
def accused_words(epsilon, picture):
    there = stands(picture, HILLS)
    return np.where(there, max(output(epsilon + 0.5) + 14, output(1.8)), np.nan), MIDDLE + 84, "{accused} accused"


@drawing.text(VERMILLION, offset=(0, 0), align="right")
def missed_words(epsilon, picture):
    there = stands(picture, HILLS)
    return np.where(there, min(output(epsilon + 0.5) - 14, output(-0.8)), np.nan), MIDDLE - 88, "{missed} missed"


@drawing.text(GREEN, offset=(0, 0), align="right")
def delta_here(epsilon, picture):
    left, bottom, side = SQUARE
    there = stands(picture, TANGENT)
    return np.where(there, left - 18, np.nan), bottom + side * (1 - delta(epsilon) / 2) - 4, "δ = {delta}"


@one_mechanism.readouts(
    threshold=Number("threshold on the output", PURPLE, 2),
    accused=Number("wrongly accused, of 100", BLUE, 0),
    missed=Number("missed, of 100", VERMILLION, 0),
    alpha=Number("type I error α", BLUE, 2, percent=True),
    beta=Number("type II error β", VERMILLION, 2, percent=True),
    slope=Number("slope exp(ε)", PURPLE, 2),
    delta=Number("δ(ε)", GREEN, 4),
    prior=Number("prior of “not in”", PURPLE, 1, percent=True),
    guess=Number("error of a blind guess", GREY, 1, percent=True),
    error=Number("Bayes error", INK, 1, percent=True),
)
def numbers(epsilon):
    alpha, beta = errors(epsilon)
    belief, cut = float(prior(epsilon)), epsilon + 0.5
    return (
        cut, np.sum(ndtri(SHARES) > cut), np.sum(1 + ndtri(SHARES) <= cut), alpha, beta, np.exp(epsilon),
        float(delta(epsilon)), belief, 1 - belief, MECHANISM.bayes_error(belief),
    )  # fmt: skip


@one_mechanism.solved
def equal(epsilon):
    alpha, beta = errors(epsilon)
    return abs(alpha - beta) < 0.005


@one_mechanism.words
def words(epsilon, picture):
    some = "about {accused}" if numbers(epsilon)[1] else "hardly any"
    return (
        f"If you accuse everyone above {{threshold}}, you accuse {some} of 100 people who are not in the data, and "
        "miss about {missed} of 100 who are.",
        f"This threshold is one point of the curve: of 100 people not in the data, {some} are accused, and of 100 in "
        "it about {missed} are missed.",
        "The line that falls by {slope} for each step to the right touches the curve at this threshold, and leaves "
        "δ = {delta} above it.",
        "At ε = {epsilon} the privacy profile is δ = {delta}.",
        "At a prior of {prior} for “not in” a blind guess is wrong with probability {guess}, the best use of the "
        "output with probability {error}.",
    )[round(picture + 1e-9) - 1]


@one_mechanism.code
def program(epsilon):
    from math import exp
    from statistics import NormalDist

    import dptutor as dp

    mechanism = dp.Gaussian(sigma=1)
    threshold, slope = epsilon + 1 / 2, exp(epsilon)
    alpha, beta = 1 - NormalDist().cdf(threshold), NormalDist(mu=1).cdf(threshold)
    people = [NormalDist().inv_cdf((k + 0.5) / 100) for k in range(100)]
    accused, missed = sum(x > threshold for x in people), sum(1 + x <= threshold for x in people)
    delta = mechanism.privacy_profile(epsilon)
    prior = slope / (1 + slope)
    guess, error = 1 - prior, mechanism.bayes_error(prior)
    print(f"accused {alpha:.3f}, missed {beta:.3f}, delta {delta:.4f}, Bayes error {error:.4f}")
