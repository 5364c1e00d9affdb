"""How far a trade-off function has to move before it lies below another one: the Δ-divergence, by hand.

The idea: two curves that cross are nearly ordered if a small shift of both errors orders them.
"""

import math
from functools import lru_cache

import numpy as np

from ...comparing import blackwell
from ...mechanisms import Gaussian, Laplace
from ..machinery import BLUE, DASHED, DOTTED, PURPLE, VERMILLION, Choice, Explorer, Number, Slider
from ..machinery.face_panels import ERRORS
from ..machinery.shapes import type_one_errors

MECHANISMS = {"Laplace": Laplace(scale=1), "Gaussian": Gaussian(sigma=1)}
OTHER = {"Laplace": "Gaussian", "Gaussian": "Laplace"}
DELTA = {name: blackwell.delta_divergence(m, MECHANISMS[OTHER[name]]).value for name, m in MECHANISMS.items()}
ENOUGH = {name: math.ceil(1e4 * delta) / 1e4 for name, delta in DELTA.items()}  # in whole hundredths of a point
STOPS = tuple(sorted({k / 1000 for k in range(61)} | {*ENOUGH.values()}))

nearly_ordered = Explorer(
    "nearly_ordered",
    title="How far apart are two curves that cross?",
    caption="The trade-off functions of Gaussian noise (σ = 1) and Laplace noise (b = 1, dashed), and one of them "
    "with both errors smaller by κ (dotted). Purple: where it still lies above the other one.",
    find="Drag the dotted curve until it has just come below the other one.",
    parameters={
        "kappa": Slider(0.0, 0.06, 0.01, "shift", "κ", stops=STOPS),
        "moved": Choice(tuple(MECHANISMS), "Laplace", "Moved"),
    },
    steps={
        "Laplace below Gaussian": (
            "The Laplace curve has just come below the Gaussian curve, and all but touches it near both ends.",
            {"kappa": ENOUGH["Laplace"], "moved": "Laplace"},
        ),
        "Gaussian below Laplace": (
            "The Gaussian curve had less far to move, because it was the higher one only in the middle.",
            {"kappa": ENOUGH["Gaussian"], "moved": "Gaussian"},
        ),
    },
)

ALPHA, FINE = type_one_errors(121), type_one_errors(20_001)


def tradeoff(name, alpha):
    """Of the mechanism of this name, zero beyond one."""
    return np.where(alpha >= 1, 0, MECHANISMS[name].tradeoff(np.minimum(alpha, 1)))


def shifted(kappa, moved, alpha):
    return tradeoff(moved, alpha + kappa) - kappa


curves = nearly_ordered.plain_panel("tradeoff", "Trade-off functions", titled=False, width=440.0, **ERRORS)


@curves.region(PURPLE, opacity=0.4)
def still_above(kappa, moved):
    below = tradeoff(OTHER[moved], ALPHA)
    return ALPHA, below, np.maximum(below, shifted(kappa, moved, ALPHA))


@curves.curve(BLUE, "Gaussian")
def gaussian():
    return ALPHA, tradeoff("Gaussian", ALPHA)


@curves.curve(VERMILLION, "Laplace", line=DASHED)
def laplace():
    return ALPHA, tradeoff("Laplace", ALPHA)


@curves.curve(PURPLE, "moved by κ", line=DOTTED, moves="kappa", ghost=False)
def dotted(kappa, moved):
    return ALPHA - kappa, tradeoff(moved, ALPHA) - kappa


@lru_cache(maxsize=4096)
def highest(kappa, moved):
    """By how much the moved curve lies above the other one at most."""
    return float(np.max(shifted(kappa, moved, FINE) - tradeoff(OTHER[moved], FINE)))


@nearly_ordered.readouts(
    taken=Number("taken off both errors, of 100", PURPLE, 2),
    above=Number("still above by up to, of 100", PURPLE, 2),
    delta=Number("Δ, the smallest shift that suffices", PURPLE, 4),
)
def numbers(kappa, moved):
    return 100 * kappa, max(0.0, 100 * highest(kappa, moved)), DELTA[moved]


@nearly_ordered.solved
def just_below(kappa, moved):
    return DELTA[moved] <= kappa < DELTA[moved] + 2e-4


@nearly_ordered.words
def words(kappa, moved):
    other = OTHER[moved]
    if kappa == 0:
        return f"Unshifted, the {moved} curve lies above the {other} curve at some errors, and below it at others."
    taken = "{taken}" if kappa >= 5e-5 else "less than 0.01"
    start = f"With {taken} of 100 people taken off both errors, the {moved} curve"
    if kappa < DELTA[moved]:
        most = "{above}" if numbers(kappa, moved)[1] >= 0.005 else "less than 0.01"
        return f"{start} still lies above the {other} curve in places, by up to {most}."
    return f"{start} lies nowhere above the {other} curve."


@nearly_ordered.code
def program(kappa, moved):
    import numpy as np

    import dptutor as dp

    mechanisms = {"Laplace": dp.Laplace(scale=1), "Gaussian": dp.Gaussian(sigma=1)}
    moving = mechanisms.pop(moved)
    (other,) = mechanisms.values()
    alpha = np.sin(np.linspace(0, np.pi / 2, 20_001)) ** 2
    shifted = moving.tradeoff(np.minimum(alpha + kappa, 1)) - kappa
    above = max(0, 100 * np.max(shifted - other.tradeoff(alpha)))
    taken, delta = 100 * kappa, dp.delta_divergence(moving, other).value
    print(f"still above by up to {above:.2f} of 100; Δ = {delta:.4f}")
