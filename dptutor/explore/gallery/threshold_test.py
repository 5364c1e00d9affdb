"""Telling two worlds apart by a threshold: whom it accuses, whom it misses, and its place on the trade-off function.

The idea: a threshold only trades one error for the other.
"""

import numpy as np
from scipy.special import ndtr, ndtri

from ...mechanisms import Gaussian
from ..machinery import BLUE, DOTTED, GREY, INK, LEVELS, PURPLE, VERMILLION, Explorer, Number, Slider
from ..machinery.face_panels import ERRORS
from ..machinery.shapes import type_one_errors

PEOPLE = 100
# A hundred people of either kind as the quantiles of their answers, which counts them right to the nearest one; their
# heights only keep them apart.
SHARES = (np.arange(PEOPLE) + 0.5) / PEOPLE
HEIGHTS = 0.06 + 0.88 * (np.arange(PEOPLE) * (np.sqrt(5) - 1) / 2 % 1)
LOW, HIGH, AXIS = -4.4, 5.4, 0.13  # of the picture: the ends of the axis, and half the room for its numbers

threshold_test = Explorer(
    "threshold_test",
    title="Where would you draw the line?",
    caption="Each person stands at the output that the adversary sees. Everyone to the right of the purple line is "
    "accused; errors are drawn solid. Second panel: every threshold is a point on the curve. Pull it to change the "
    "noise.",
    find="Drag the purple line. Can you make both errors smaller at once?",
    parameters={
        "threshold": Slider(-3.0, 4.0, 0.8, "threshold", "t", step=0.1),
        "sigma": Slider(0.5, 2.0, 1.0, "noise", "σ", step=0.025, play=True),
    },
    steps={
        "Accuse few": ("Accuse only on strong evidence, and three in four of those who are in the data go unnoticed.",
                       {"threshold": 1.7, "sigma": 1}),
        "Accuse many": ("Be suspicious instead: few are missed, and most of the innocent are accused.",
                        {"threshold": -0.4, "sigma": 1}),
        "Less noise": ("Only the clinic can make both errors smaller at once: here with half the noise.",
                       {"threshold": 0.5, "sigma": 0.5}),
        "More noise": ("With twice the noise the whole curve comes closer to blind guessing.",
                       {"threshold": 0.5, "sigma": 2}),
    },
)  # fmt: skip

ALPHA = type_one_errors()
HILL = np.linspace(LOW, HIGH, 121)


def hill(answer, center, sigma):
    """The density of the answers, as high as the picture is at σ = 0.9, and no higher."""
    return min(1, 0.9 / sigma) * np.exp(-((answer - center) ** 2) / (2 * sigma**2))


@threshold_test.panel("Two hundred people", xlabel="", ylabel="", xlim=(LOW, HIGH), ylim=(-1.2, 1.2), titled=False,
                      width=448.0, margins=(4.0, 8.0, 8.0, 8.0))  # fmt: skip
def people(axes):
    axes.set_axis_off()
    for y in (-AXIS, AXIS):
        axes.plot([LOW, HIGH], [y, y], color=GREY, linewidth=0.6, label="_axis")
    for answer in range(-4, 5):
        axes.text(answer, 0, f"{answer}".replace("-", "−"), ha="center", va="center", color=GREY)


@people.text(GREY, offset=(0, -4), align="right")
def output():
    return HIGH, 0, "output"


@people.text(BLUE, offset=(0, -4))
def hundred_outside():
    return LOW, 1.15, "100 people not in the data"


@people.text(VERMILLION, offset=(0, -4))
def hundred_inside():
    return LOW, -1.15, "100 people in the data"


@people.region(BLUE, opacity=0.09)
def hill_outside(sigma):
    return HILL, AXIS, AXIS + hill(HILL, 0, sigma)


@people.region(VERMILLION, opacity=0.09)
def hill_inside(sigma):
    return HILL, -AXIS, -AXIS - hill(HILL, 1, sigma)


def dots(center, sigma):
    answers = np.clip(center + sigma * ndtri(SHARES), LOW, HIGH)
    return answers, AXIS + 0.04 + HEIGHTS * (hill(answers, center, sigma) - 0.02)


@people.points(BLUE, size=8.5, opacity=0.26, moves="")
def outside(sigma):
    return dots(0, sigma)


@people.points(VERMILLION, size=8.5, opacity=0.26, moves="")
def inside(sigma):
    answers, heights = dots(1, sigma)
    return answers, -heights


@people.points(BLUE, size=8.5, moves="")
def accused(threshold, sigma):
    answers, heights = dots(0, sigma)
    return answers, np.where(sigma * ndtri(SHARES) > threshold, heights, np.nan)


@people.points(VERMILLION, size=8.5, moves="")
def missed(threshold, sigma):
    answers, heights = dots(1, sigma)
    return answers, np.where(1 + sigma * ndtri(SHARES) <= threshold, -heights, np.nan)


@people.curve(PURPLE, width=2, ghost=False, share=0.5)
def cut(threshold):
    return [threshold, threshold], [-1.1, 1.1]


@people.text(BLUE, offset=(0, 0), align="left")
def accused_of(threshold, sigma):
    return max(threshold + 0.3, 1.9 * sigma**0.5), 0.62, "{accused} wrongly accused"


@people.text(VERMILLION, offset=(0, 0), align="right")
def missed_of(threshold, sigma):
    return min(threshold - 0.3, 1 - 1.9 * sigma**0.5), -0.72, "{missed} missed"


@people.text(PURPLE, offset=(7, -3))
def accusing(threshold):
    return threshold, 1.12 if 0 < threshold < 3 else np.nan, "you accuse →"


@threshold_test.panel("Trade-off function", titled=False, width=272.0, **ERRORS,
                      margins=(44.0, 16.0, 52.0, 50.0))  # fmt: skip
def tradeoff(axes):
    axes.plot([0, 1], [1, 0], color=GREY, linewidth=1, linestyle=DOTTED, label="blind guessing")


@tradeoff.curve(INK, "all thresholds", width=2.4)
def best_tests(sigma):
    return ALPHA, Gaussian(sigma=sigma).tradeoff(ALPHA)


def errors(threshold, sigma):
    return ndtr(-threshold / sigma), ndtr((threshold - 1) / sigma)


@tradeoff.curve(BLUE, width=1.4, ghost=False, moves="")
def across(threshold, sigma):
    alpha, beta = errors(threshold, sigma)
    return [alpha, alpha], [0, beta]


@tradeoff.curve(VERMILLION, width=1.4, ghost=False, moves="")
def up(threshold, sigma):
    alpha, beta = errors(threshold, sigma)
    return [0, alpha], [beta, beta]


@tradeoff.points(PURPLE, "your threshold", moves="threshold")
def your_test(threshold, sigma):
    alpha, beta = errors(threshold, sigma)
    return alpha, beta


# The same by chance: draws instead of the quantiles of a hundred.


@people.samples(
    "threshold", fills=(hill_outside, hill_inside), bases=(AXIS, -AXIS), bin=0.2, shares=tradeoff,
    hides=(outside, inside, accused, missed),
    tells={hundred_outside: "{n} draws from P", hundred_inside: "{n} draws from Q",
           accused_of: "{over} wrongly accused", missed_of: "{under} missed"},
    says="Simulated: of {n} draws from P, {over} lie to the right, {over_share} (long run: {alpha}); of {n} from "
    "Q, {under} to the left, {under_share} (long run: {beta}).",
)  # fmt: skip
def quantiles(sigma):
    return sigma * ndtri(LEVELS), 1 + sigma * ndtri(LEVELS)


@threshold_test.readouts(
    accused=Number("wrongly accused, of 100", BLUE, 0),
    missed=Number("missed, of 100", VERMILLION, 0),
    alpha=Number("type I error α", BLUE, 1, percent=True),
    beta=Number("type II error β", VERMILLION, 1, percent=True),
)
def test(threshold, sigma):
    alpha, beta = errors(threshold, sigma)
    accused = np.sum(sigma * ndtri(SHARES) > threshold)
    missed = np.sum(1 + sigma * ndtri(SHARES) <= threshold)
    return accused, missed, alpha, beta


@threshold_test.solved
def both_smaller(threshold, sigma):
    """Whether both errors are smaller than at the start, which no threshold alone achieves."""
    return all(now < at_first for now, at_first in zip(errors(threshold, sigma), errors(0.8, 1.0), strict=True))


@threshold_test.words
def words(threshold, sigma):
    # As in the picture, where nobody and everybody are fewer than one half from being so.
    accused, missed, *_ = test(threshold, sigma)
    some = {0: "hardly any of 100", 100: "nearly all of 100"}
    return (
        f"If you accuse everyone above {{threshold}}, you accuse {some.get(accused, 'about {accused} of 100')} people "
        f"who are not in the data, and miss {some.get(missed, 'about {missed} of 100')} who are."
    )


@threshold_test.code
def program(threshold, sigma):
    from statistics import NormalDist

    import dptutor as dp

    mechanism = dp.Gaussian(sigma=sigma)
    alpha = 1 - NormalDist(0, sigma).cdf(threshold)
    beta = mechanism.tradeoff(alpha)
    people = [sigma * NormalDist().inv_cdf((k + 0.5) / 100) for k in range(100)]
    accused, missed = sum(x > threshold for x in people), sum(1 + x <= threshold for x in people)
    print(f"wrongly accused: {alpha:.3f}, missed: {beta:.3f}")
