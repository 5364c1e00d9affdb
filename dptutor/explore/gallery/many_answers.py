"""The privacy loss of many answers together: a sum of small losses of either sign, whose law becomes a bell curve.

The idea: budgets add up to more than the losses of nearly everybody, because losses of opposite signs cancel.
"""

from functools import lru_cache

import numpy as np
from scipy.special import expit
from scipy.stats import binom

from ..machinery import BLUE, DASHED, GREEN, GREY, INK, PURPLE, VERMILLION, Explorer, Number, Slider
from ..machinery.shapes import normal_density

EPSILON, MOST = 0.4, 40  # of one answer, and the number of answers
LIKELY = expit(EPSILON)  # the probability of a loss of +ε under Q, and of −ε under P
LOW, HIGH, AXIS, TALL = -11.0, 18.5, 0.13, 0.8  # of the picture: its ends, the room for numbers, the highest bar

many_answers = Explorer(
    "many_answers",
    title="Do privacy budgets add up?",
    caption="Each answer is randomized response and has a loss of 0.4 or −0.4. Bars: how probable each total loss is, "
    "for people in the data and not in it. Dashed: a normal law with the same mean and variance.",
    find="After how many answers do the losses of 99 of 100 people add up to at most two thirds of the budgets?",
    parameters={"steps": Slider(1, MOST, 9, "answers", "k", step=1, play=True)},
    steps={
        "One answer": ("The loss is 0.4 or −0.4, and for people in the data it is 0.4 more often.", {"steps": 1}),
        "Nine answers": (
            "The losses add up to the budgets only if all nine answers point the same way: for fewer than 1 in 100.",
            {"steps": 9},
        ),
        "Forty answers": (
            "Losses of opposite signs cancel. What is left is close to a bell curve, and far from the budgets.",
            {"steps": 40},
        ),
    },
)


@lru_cache(maxsize=64)
def law(steps):
    """Every total loss, and its probability under Q; under P losses have the opposite sign."""
    ups = np.arange(steps + 1)
    return EPSILON * (2 * ups - steps), binom.pmf(ups, steps, LIKELY)


def normal(steps):
    """Mean and standard deviation of the total loss under Q."""
    return steps * EPSILON * (2 * LIKELY - 1), 2 * EPSILON * np.sqrt(steps * LIKELY * (1 - LIKELY))


def bars(steps):
    """Their outline, each as wide as two losses are apart, and the highest as high as the picture has room for."""
    losses, probable = law(steps)
    edges = np.repeat([*(losses - EPSILON), losses[-1] + EPSILON], 2)[1:-1]
    missing = 2 * (MOST + 1) - len(edges)
    return np.pad(edges, (0, missing), "edge"), np.pad(np.repeat(TALL * probable / probable.max(), 2), (0, missing))


@many_answers.panel("Total loss", xlabel="", ylabel="", xlim=(LOW, HIGH), ylim=(-1.2, 1.2), titled=False,
                    width=448.0, margins=(4.0, 8.0, 8.0, 8.0))  # fmt: skip
def totals(axes):
    axes.set_axis_off()
    for y in (-AXIS, AXIS):
        axes.plot([LOW, HIGH], [y, y], color=GREY, linewidth=0.6, label="_axis")
    for loss in range(-8, 15, 2):
        axes.text(loss, 0, f"{loss}".replace("-", "−"), ha="center", va="center", color=GREY)
    axes.text(LOW, 0, "loss", ha="left", va="center", color=GREY, style="italic")


@totals.text(BLUE, offset=(0, -4))
def outside():
    return LOW, 1.15, "not in the data"


@totals.text(VERMILLION, offset=(0, -4))
def inside():
    return LOW, -1.15, "in the data"


@totals.region(BLUE, opacity=0.35)
def under_p(steps):
    losses, heights = bars(steps)
    return -losses, AXIS, AXIS + heights


@totals.region(VERMILLION, opacity=0.35)
def under_q(steps):
    losses, heights = bars(steps)
    return losses, -AXIS, -AXIS - heights


def bell(steps):
    mean, spread = normal(steps)
    away = np.linspace(-3.5 * spread, 3.5 * spread, 81)
    return mean + away, 2 * EPSILON * normal_density(away, spread) * TALL / law(steps)[1].max()


@totals.curve(INK, line=DASHED, width=1.4, ghost=False, moves="")
def bell_of_p(steps):
    losses, heights = bell(steps)
    return -losses, AXIS + heights


@totals.curve(INK, line=DASHED, width=1.4, ghost=False, moves="")
def bell_of_q(steps):
    losses, heights = bell(steps)
    return losses, -AXIS - heights


@totals.curve(GREEN, width=2.5, ghost=False, moves="")
def nearly_all(steps):
    usual = numbers(steps)[1]
    return [usual, usual], [-AXIS, -1.0]


@totals.text(GREEN, offset=(7, -4))
def of_nearly_all(steps):
    return numbers(steps)[1], -0.98, "99 of 100: at most {usual}"


@totals.curve(PURPLE, width=2, ghost=False, share=0.45)
def budget(steps):
    return [EPSILON * steps, EPSILON * steps], [AXIS, 1.1]


@totals.curve(PURPLE, width=2, ghost=False, moves="")
def budget_below(steps):
    return [EPSILON * steps, EPSILON * steps], [-AXIS, -0.8]


def summed(side, align):
    def text(steps):
        here = (EPSILON * steps < 9.5) == (side > 0)
        return EPSILON * steps if here else np.nan, 1.02, "the budgets: {largest}"

    text.__name__ = f"budgets_{align}"
    totals.text(PURPLE, offset=(7 * side, -4), align=align)(text)


summed(1, "left")
summed(-1, "right")


@many_answers.readouts(
    largest=Number("sum of the budgets, kε", PURPLE, 1),
    usual=Number("loss that 99 of 100 in the data do not exceed", GREEN, 1),
    mean=Number("mean loss of those in the data", VERMILLION, 2),
    spread=Number("standard deviation of the loss", VERMILLION, 2),
)
@lru_cache(maxsize=64)
def numbers(steps):
    return EPSILON * steps, EPSILON * (2 * binom.ppf(0.99, steps, LIKELY) - steps), *normal(steps)


@many_answers.solved
def a_third_is_spared(steps):
    largest, usual, *_ = numbers(steps)
    return 3 * usual <= 2 * largest + 1e-9


@many_answers.words
def words(steps):
    largest, usual, *_ = numbers(steps)
    if steps == 1:
        return "One answer has a budget of {largest}, and most people in the data have a loss of {largest}."
    start = "{steps} answers have budgets that add up to {largest}"
    if usual == largest:
        return f"{start}, and for more than 1 in 100 people in the data the losses do so, too."
    return f"{start}, but for 99 of 100 people in the data the losses add up to at most {{usual}}."


@many_answers.code
def program(steps):
    import numpy as np

    import dptutor as dp

    loss = (dp.RandomizedResponse(epsilon=0.4) ** steps).privacy_loss
    totals = 0.4 * np.arange(-steps, steps + 1, 2)
    largest = 0.4 * steps
    usual = next(total for total in totals if loss.cdf(total + 0.1) >= 0.99)
    mean, spread = loss.mean(), loss.variance() ** 0.5
    print(f"{largest:.1f}, but 99 of 100 lose at most {usual:.1f}")
