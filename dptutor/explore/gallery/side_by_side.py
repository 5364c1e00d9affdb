"""Any two mechanisms that have one number in common: which of them to regret, by how much, and for whom.

The idea: what is equal at one point of the curves says little about the rest; the choice can be regretted in one
direction and hardly in the other.
"""

import math
from functools import lru_cache

import numpy as np

from ...comparing import blackwell
from ...mechanisms import DiscreteLaplace, ExponentialMechanism, Gaussian, Laplace, SubsampledGaussian
from ...risk.calibration import calibrate
from ..machinery import BLUE, GREEN, INK, PURPLE, VERMILLION, Choice, Explorer, Number, Slider, in_points, lead_axes

KINDS = {
    "Gaussian": Gaussian,
    "Laplace": Laplace,
    "discrete": DiscreteLaplace,
    "exponential": ExponentialMechanism,
    "sampled": lambda s: SubsampledGaussian(s, 0.3),
}
NAMES = tuple(KINDS)
ALIKE = {"advantage ¼": {"advantage": 0.25}, "(1, 10⁻⁵)": {"epsilon": 1.0, "delta": 1e-5}}
# What only some of them have: a pure ε of 1, and noise of standard deviation 3.
OF_SOME = {
    "pure ε = 1": {"Laplace": Laplace(1), "discrete": DiscreteLaplace(1), "exponential": ExponentialMechanism(1)},
    "noise of 3": {
        "Gaussian": Gaussian(3),
        "Laplace": Laplace(3 / math.sqrt(2)),
        "discrete": DiscreteLaplace(1 / math.acosh(1 + 1 / 9)),
    },
}
LACKS = {
    "pure ε = 1": "has no pure ε: its losses have no bound, however much noise there is",
    "noise of 3": "is left out here: what it releases is not a number plus noise alone",
}
CALLED = {"Gaussian": "Gaussian noise", "exponential": "The exponential mechanism", "sampled": "The sampled step"}
SEEN = 1e-4  # a smaller regret is not shown
PRIORS = np.linspace(0, 1, 121)

side_by_side = Explorer(
    "side_by_side",
    title="What if you had taken the other one?",
    caption="First panel: by how many percentage points the first protects better, at each prior (scale stretched "
    "near zero). Discrete: Laplace noise on whole numbers. Exponential: the exponential mechanism. Sampled: a Gaussian "
    "step, p = 0.3.",
    find="Find the choice that can be regretted most at equal (1, 10⁻⁵).",
    parameters={
        "prior": Slider(0.02, 0.98, 0.5, "prior of “not in”", "π", step=0.02, percent=True),
        "first": Choice(NAMES, "Gaussian", "First"),
        "second": Choice(NAMES, "Laplace", "Second"),
        "alike": Choice((*ALIKE, *OF_SOME), "(1, 10⁻⁵)", "Both have"),
    },
    steps={
        "The same (ε, δ)": (
            "Laplace noise has bounded losses, so that it can be far smaller at the same (1, 10⁻⁵). At even odds that "
            "shows.",
            {"first": "Gaussian", "second": "Laplace", "alike": "(1, 10⁻⁵)", "prior": 0.5},
        ),
        "The same advantage": (
            "At even odds both are alike. At other priors no adversary does worse against Gaussian noise, and many do "
            "better.",
            {"first": "Laplace", "second": "Gaussian", "alike": "advantage ¼", "prior": 0.5},
        ),
        "The same ε": (
            "Both are 1-DP, and no better. Yet the exponential mechanism gives away much less.",
            {"first": "exponential", "second": "discrete", "alike": "pure ε = 1", "prior": 0.5},
        ),
        "The same noise": (
            "With the same standard deviation neither is better: at even odds it is Gaussian noise, at most other "
            "priors Laplace noise.",
            {"first": "Gaussian", "second": "Laplace", "alike": "noise of 3", "prior": 0.5},
        ),
    },
)


@lru_cache(maxsize=64)
def made(kind, alike):
    """The mechanism, or None where it has no such number."""
    return calibrate(KINDS[kind], **ALIKE[alike]) if alike in ALIKE else OF_SOME[alike].get(kind)


@lru_cache(maxsize=1024)
def compared(first, second, alike):
    one, other = made(first, alike), made(second, alike)
    return blackwell.compare(one, other) if one and other else None


@lru_cache(maxsize=64)
def errors(kind, alike):
    mechanism = made(kind, alike)
    return mechanism.bayes_error(PRIORS) if mechanism else np.full(PRIORS.shape, np.nan)


@side_by_side.mechanism(BLUE, "first")
def one(first, alike):
    return made(first, alike)


@side_by_side.mechanism(VERMILLION, "second")
def other(second, alike):
    return made(second, alike)


@side_by_side.panel("Which protects better", xlabel="adversary’s prior π", ylabel="lead of the first, points",
                    ylim=(-42, 42), ystretch=1.0, titled=False, width=440.0,
                    margins=(56.0, 12.0, 44.0, 12.0))  # fmt: skip
def leads(axes):
    lead_axes(
        axes,
        "the first protects better",
        "the second protects better",
        (28, -36),
        (-30, -10, -3, -1, 0, 1, 3, 10, 30),
    )


@leads.curve(INK, moves="")
def lead(first, second, alike):
    return PRIORS, 100 * (errors(first, alike) - errors(second, alike))


leads.filled(BLUE, lead, above=True)
leads.filled(VERMILLION, lead, above=False)


def attained_at(divergence):
    """The lower of the two priors at which a divergence is attained (all f are symmetric), if there is much."""
    return min(divergence.prior, 1 - divergence.prior) if divergence.value >= SEEN else np.nan


@leads.points(GREEN, moves="")
def largest_of_second(first, second, alike):
    forth, at, *_ = numbers(first, second, alike)
    return at, 100 * forth


@leads.points(GREEN, moves="")
def largest_of_first(first, second, alike):
    *_, back, at = numbers(first, second, alike)
    return at, -100 * back


@leads.curve(PURPLE, width=1.4, ghost=False)
def adversary(prior):
    return [prior, prior], [-10, 10]


tradeoff = side_by_side.face_panel("tradeoff", titled=False, width=356.0)


@side_by_side.readouts(
    regret=in_points("largest regret of the second", GREEN),
    regret_prior=Number("… attained at prior", GREEN, 1, percent=True),
    back=in_points("largest regret of the first", GREEN),
    back_prior=Number("… attained at prior", GREEN, 1, percent=True),
)
def numbers(first, second, alike):
    both = compared(first, second, alike)
    if not both:
        return (np.nan,) * 4
    forth, back = both.divergence, both.reverse_divergence
    return forth.value, attained_at(forth), back.value, attained_at(back)


def advantage(kind, alike):
    mechanism = made(kind, alike)
    return mechanism.advantage if mechanism else np.nan


def error(kind, alike, prior):
    mechanism = made(kind, alike)
    return mechanism.bayes_error(prior) if mechanism else np.nan


@side_by_side.readout("advantage, first", BLUE, 4)
def first_advantage(first, alike):
    return advantage(first, alike)


@side_by_side.readout("advantage, second", VERMILLION, 4)
def second_advantage(second, alike):
    return advantage(second, alike)


@side_by_side.readout("Bayes error, first", BLUE, 1, percent=True)
def first_error(first, alike, prior):
    return error(first, alike, prior)


@side_by_side.readout("Bayes error, second", VERMILLION, 1, percent=True)
def second_error(second, alike, prior):
    return error(second, alike, prior)


@lru_cache(maxsize=2)
def largest(alike):
    return max(compared(one, other, alike).divergence.value for one in NAMES for other in NAMES if one != other)


@side_by_side.solved
def most_regretted(first, second, alike):
    return alike == "(1, 10⁻⁵)" and compared(first, second, alike).divergence.value > largest(alike) - 1e-6


def cost(divergence, name):
    """What a choice costs in percentage points, and never a zero that is none."""
    if divergence.value >= SEEN:
        return f"can cost up to {{{name}}}, at a prior of {{{name}_prior}}"
    return "costs less than 0.01 percentage points"


@side_by_side.words
def words(first, second, alike):
    for kind in (first, second):
        if not made(kind, alike):
            return f"{CALLED[kind]} {LACKS[alike]}."
    if first == second:
        return "Twice the same mechanism: there is nothing to regret."
    both = compared(first, second, alike)
    return (
        f"Taking the second in place of the first {cost(both.divergence, 'regret')}; "
        f"the first in place of the second {cost(both.reverse_divergence, 'back')}."
    )


@side_by_side.words
def at_the_prior(first, second, alike):
    if not compared(first, second, alike):
        return ""
    return "At a prior of {prior} the adversary’s error is {first_error} (first) and {second_error} (second)."


@side_by_side.code
def program(first, second, alike, prior):
    import math

    import dptutor as dp

    kinds = {
        "Gaussian": dp.Gaussian,
        "Laplace": dp.Laplace,
        "discrete": dp.DiscreteLaplace,
        "exponential": dp.ExponentialMechanism,
        "sampled": lambda s: dp.SubsampledGaussian(s, 0.3),
    }

    def having(**target):
        return {name: dp.calibrate(kinds[name], **target) for name in (first, second)}

    def pure():
        return {"Laplace": dp.Laplace(1), "discrete": dp.DiscreteLaplace(1), "exponential": dp.ExponentialMechanism(1)}

    def as_noisy(deviation=3):
        return {
            "Gaussian": dp.Gaussian(deviation),
            "Laplace": dp.Laplace(deviation / math.sqrt(2)),
            "discrete": dp.DiscreteLaplace(1 / math.acosh(1 + 1 / deviation**2)),
        }

    made = {
        "advantage ¼": lambda: having(advantage=0.25),
        "(1, 10⁻⁵)": lambda: having(epsilon=1, delta=1e-5),
        "pure ε = 1": pure,
        "noise of 3": as_noisy,
    }[alike]()
    one, other = made.get(first), made.get(second)
    first_advantage, first_error = (one.advantage, one.bayes_error(prior)) if one else (math.nan, math.nan)
    second_advantage, second_error = (other.advantage, other.bayes_error(prior)) if other else (math.nan, math.nan)
    regret = back = math.nan
    if one and other:
        comparison = dp.compare(one, other)
        regret, back = comparison.divergence.value, comparison.reverse_divergence.value
        print(comparison)
