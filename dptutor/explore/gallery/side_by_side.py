"""Two to four mechanisms that have one number in common: which of them to regret, by how much, and for whom.

The idea: what is equal at one point of the curves says little about the rest; the choice can be regretted in one
direction and hardly in the other.
"""

import math
from functools import cache, lru_cache, partial
from itertools import combinations
from operator import itemgetter

import numpy as np
from scipy.optimize import minimize_scalar

from ...comparing import blackwell
from ...mechanisms import DiscreteLaplace, ExponentialMechanism, Gaussian, Laplace, PermuteAndFlip, SubsampledGaussian
from ...risk.calibration import calibrate
from ..machinery import (
    BLUE,
    DASHDOT,
    DASHED,
    DOTTED,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    SOLID,
    VERMILLION,
    Choice,
    Explorer,
    Number,
    Slider,
    several,
)  # fmt: skip

KINDS = {
    "Gaussian": (Gaussian, "Gaussian noise", BLUE, SOLID),
    "Laplace": (Laplace, "Laplace noise", VERMILLION, DASHED),
    "discrete": (DiscreteLaplace, "discrete Laplace noise", ORANGE, DOTTED),
    "exponential": (ExponentialMechanism, "the exponential mechanism", GREEN, DASHDOT),
    "flip": (PermuteAndFlip, "permute-and-flip", GREEN, DOTTED),
    "sampled": (lambda s: SubsampledGaussian(s, 0.3), "the sampled step", BLUE, DASHED),
}
NAMES = tuple(KINDS)
CALLED = {name: called for name, (_, called, *_) in KINDS.items()}
ALIKE = {"advantage ¼": {"advantage": 0.25}, "(1, 10⁻⁵)": {"epsilon": 1.0, "delta": 1e-5}}


def worst_loss(right):
    """How far the chosen score is from the best of ten, on average, if the others are as far behind as is worst.

    `right` gives the probability of the best, by e^(−εd/2) for a distance of d; the loss is in units of 1/ε.
    """
    return -minimize_scalar(lambda d: d * (right(math.exp(-d / 2)) - 1), bounds=(1, 40), method="bounded").fun


# What only some of them have: a pure ε of 1, noise of standard deviation 3, an expected loss of 2.
OF_SOME = {
    "pure ε = 1": {
        "Laplace": Laplace(1),
        "discrete": DiscreteLaplace(1),
        "exponential": ExponentialMechanism(1),
        "flip": PermuteAndFlip(1),
    },
    "noise of 3": {
        "Gaussian": Gaussian(3),
        "Laplace": Laplace(3 / math.sqrt(2)),
        "discrete": DiscreteLaplace(1 / math.acosh(1 + 1 / 9)),
    },
    "loss of 2": {
        "exponential": ExponentialMechanism(worst_loss(lambda p: 1 / (1 + 9 * p)) / 2),
        "flip": PermuteAndFlip(worst_loss(lambda p: -math.expm1(10 * math.log1p(-p)) / (10 * p)) / 2),
    },
}
LACKS = {
    "pure ε = 1": "Left out, as no noise bounds the losses",
    "noise of 3": "Left out, as more than a number plus noise",
    "loss of 2": "Left out, as no choice among candidates",
}
POINTS = partial(Number, digits=2, percent=True, unit="points")
SEEN, SAME = 1e-4, 1e-6  # a smaller regret is not shown; two that differ by less are the same
PRIORS = np.linspace(0, 1, 121)

side_by_side = Explorer(
    "side_by_side",
    title="What if you had taken another one?",
    caption="First panel: how many percentage points less an adversary errs than against the best of those chosen. "
    "Flip: permute-and-flip. Sampled: a Gaussian step, p = 0.3. Loss: by how much the score chosen of ten falls short.",
    find="Find the choice that can be regretted most at equal (1, 10⁻⁵).",
    parameters={
        "prior": Slider(0.02, 0.98, 0.5, "prior of “not in”", "π", step=0.02, percent=True),
        "mechanisms": several(NAMES, ("Gaussian", "Laplace", "exponential"), "Compare", most=4),
        "alike": Choice((*ALIKE, *OF_SOME), "(1, 10⁻⁵)", "All have"),
    },
    steps={
        "The same (ε, δ)": (
            "Laplace noise has bounded losses, so that it can be far smaller at the same (1, 10⁻⁵). At even odds that "
            "shows.",
            {"mechanisms": "Gaussian, Laplace", "alike": "(1, 10⁻⁵)", "prior": 0.5},
        ),
        "The same advantage": (
            "At even odds all are alike. At other priors no adversary does worse against Gaussian noise than against "
            "the other three, and many do better.",
            {"mechanisms": "Gaussian, Laplace, discrete, exponential", "alike": "advantage ¼", "prior": 0.5},
        ),
        "The same ε": (
            "All are 1-DP, and no better. Yet the exponential mechanism gives away much less.",
            {"mechanisms": "Laplace, discrete, exponential", "alike": "pure ε = 1", "prior": 0.5},
        ),
        "The same noise": (
            "With the same standard deviation neither is better: at even odds it is Gaussian noise, at most other "
            "priors Laplace noise.",
            {"mechanisms": "Gaussian, Laplace", "alike": "noise of 3", "prior": 0.5},
        ),
    },
)


@cache
def made(name, alike):
    """The mechanism, or None where it has no such number."""
    return calibrate(KINDS[name][0], **ALIKE[alike]) if alike in ALIKE else OF_SOME[alike].get(name)


def chosen(mechanisms, alike):
    """Those of the chosen that have the number."""
    return [name for name in mechanisms.split(", ") if made(name, alike)]


@cache
def divergence(row, column, alike):
    """The regret of the mechanism of the column, taken in place of that of the row."""
    return blackwell.delta_divergence(made(row, alike), made(column, alike))


@cache
def errors(name, alike):
    return made(name, alike).bayes_error(PRIORS)


@side_by_side.panel("What you would regret", xlabel="adversary’s prior π", ylabel="regret, points", ylim=(-0.3, 42),
                    ystretch=1.0, titled=False, width=440.0, margins=(56.0, 12.0, 44.0, 12.0))  # fmt: skip
def regrets(axes):
    axes.axhline(0, color=GREY, linewidth=1, label="_zero")
    axes.set_yticks((0, 1, 3, 10, 30), ("0", "1", "3", "10", "30"))
    axes.set_yticks([], minor=True)


def draw(name, color, line):
    """The mechanism, its regret at each prior, and its error at one."""

    def mechanism(mechanisms, alike):
        return made(name, alike) if name in chosen(mechanisms, alike) else None

    def regret(mechanisms, alike):
        there = chosen(mechanisms, alike)
        if name not in there or len(there) < 2:
            return PRIORS, np.full(PRIORS.shape, np.nan)
        lost = np.max([errors(other, alike) for other in there], axis=0) - errors(name, alike)
        seen = np.convolve(lost > 1e-6, np.ones(3), mode="same") > 0
        # A line at zero is drawn only of what is never regretted: there the others would cover one another.
        return PRIORS, np.where(seen | (lost.max() < SEEN), 100 * lost, np.nan)

    def error(alike, prior):
        return made(name, alike).bayes_error(prior) if made(name, alike) else np.nan

    mechanism.__name__, regret.__name__, error.__name__ = name, f"regret_of_{name}", f"error_of_{name}"
    side_by_side.mechanism(color, name, line=line)(mechanism)
    regrets.curve(color, name, line=line, moves="")(regret)
    side_by_side.readout(f"Bayes error, {name}", color, 1, percent=True)(error)


for _name, (_, _, _color, _line) in KINDS.items():
    draw(_name, _color, _line)


@lru_cache(maxsize=1024)
def ranked(mechanisms, alike):
    """Of each, the largest regret, where it is attained, and beside which mechanism; in the order of the names."""
    there = chosen(mechanisms, alike)
    found = {}
    for name in there if len(there) > 1 else ():
        against = {other: divergence(other, name, alike) for other in there if other != name}
        largest = max(d.value for d in against.values())
        other = next(other for other, d in against.items() if d.value > largest - SAME)
        # All f are symmetric: of two priors at which a divergence is attained, the lower.
        found[name] = largest, min(against[other].prior, 1 - against[other].prior), other
    return found


@regrets.curve(PURPLE, width=1.4, ghost=False)
def adversary(prior):
    return [prior, prior], [0, 10]


tradeoff = side_by_side.face_panel("tradeoff", titled=False, width=356.0, symbols=False)


@side_by_side.matrix(NAMES, "Regret of the column in place of the row, at most, points",
                     "{1} in place of {0}".format, digits=2, percent=True, unit="")  # fmt: skip
def regret(mechanisms, alike):
    there = chosen(mechanisms, alike)
    return [
        [divergence(row, column, alike).value if {row, column} <= {*there} and row != column else np.nan
         for column in NAMES] for row in NAMES
    ]  # fmt: skip


@side_by_side.readouts(
    most=POINTS("largest regret of all", GREEN),
    most_prior=Number("… attained at prior", GREEN, 1, percent=True),
    least=POINTS("smallest of their largest regrets", GREEN),
    least_prior=Number("… attained at prior", GREEN, 1, percent=True),
)
def numbers(mechanisms, alike):
    ranking = ranked(mechanisms, alike).values()
    if not ranking:
        return (np.nan,) * 4
    (most, most_prior, _), (least, least_prior, _) = (of(ranking, key=itemgetter(0)) for of in (max, min))
    return most, most_prior if most >= SEEN else np.nan, least, least_prior if least >= SEEN else np.nan


@regrets.points(GREEN, moves="")
def largest(mechanisms, alike):
    most, most_prior, *_ = numbers(mechanisms, alike)
    return most_prior, 100 * most


@side_by_side.solved
def most_regretted(mechanisms, alike):
    pairs = [", ".join(pair) for pair in combinations(NAMES, 2)]
    return alike == "(1, 10⁻⁵)" and numbers(mechanisms, alike)[0] > max(numbers(p, alike)[0] for p in pairs) - 1e-6


def listed(names):
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


@side_by_side.words
def words(mechanisms, alike):
    there, ranking = chosen(mechanisms, alike), ranked(mechanisms, alike)
    left_out = [CALLED[name] for name in mechanisms.split(", ") if name not in there]
    lacking = f"{LACKS[alike]}: {listed(left_out)}." if left_out else ""
    if not ranking:
        return f"{lacking} Of these, compare {listed([CALLED[name] for name in OF_SOME[alike]])}."
    most, _, least, _ = numbers(mechanisms, alike)
    if most < SEEN:
        return f"{lacking} Between these no choice costs as much as 0.01 points.".strip()
    return " ".join(filter(None, [lacking, verdict("most", most, ranking), verdict("least", least, ranking)]))


def verdict(rank, value, ranking):
    """Who is regretted most or least, and what that costs: never a zero that is none."""
    ties = [name for name, (largest, *_) in ranking.items() if abs(largest - value) < SAME]
    are, they, cost = ("are", "they", "cost") if len(ties) > 1 else ("is", "it", "costs")
    who = f"{rank.capitalize()} regretted {are} {listed([CALLED[name] for name in ties])}"
    if value < SEEN:
        return f"{who}: {they} {cost} less than 0.01 points."
    *_, other = ranking[ties[0]]
    return f"{who}: in place of {CALLED[other]} {they} {cost} up to {{{rank}}}, at a prior of {{{rank}_prior}}."


@side_by_side.words
def at_the_prior(mechanisms, alike):
    errors = [f"{{error_of_{name}}} ({name})" for name in chosen(mechanisms, alike)]
    return f"At a prior of {{prior}} the adversary errs in {', '.join(errors)}." if len(errors) > 1 else ""


@side_by_side.code
def program(mechanisms, alike, prior):
    import math

    from scipy.optimize import minimize_scalar

    import dptutor as dp

    kinds = {
        "Gaussian": dp.Gaussian,
        "Laplace": dp.Laplace,
        "discrete": dp.DiscreteLaplace,
        "exponential": dp.ExponentialMechanism,
        "flip": dp.PermuteAndFlip,
        "sampled": lambda s: dp.SubsampledGaussian(s, 0.3),
    }

    def having(*names, **target):
        return {name: dp.calibrate(kinds[name], **target) for name in names or kinds}

    def as_noisy(deviation=3):
        discrete = dp.DiscreteLaplace(1 / math.acosh(1 + 1 / deviation**2))
        return {
            "Gaussian": dp.Gaussian(deviation),
            "Laplace": dp.Laplace(deviation / math.sqrt(2)),
            "discrete": discrete,
        }

    def losing(right, loss=2):
        # The best of ten is chosen with probability right(e^(−εd/2)) where it leads the others by d, at worst:
        worst = minimize_scalar(lambda d: d * (right(math.exp(-d / 2)) - 1), bounds=(1, 40), method="bounded")
        return -worst.fun / loss

    made = {
        "advantage ¼": lambda: having(advantage=0.25),
        "(1, 10⁻⁵)": lambda: having(epsilon=1, delta=1e-5),
        "pure ε = 1": lambda: having("Laplace", "discrete", "exponential", "flip", epsilon=1, delta=0),
        "noise of 3": as_noisy,
        "loss of 2": lambda: {
            "exponential": dp.ExponentialMechanism(losing(lambda p: 1 / (1 + 9 * p))),
            "flip": dp.PermuteAndFlip(losing(lambda p: (1 - (1 - p) ** 10) / (10 * p))),
        },
    }[alike]()
    there = [name for name in mechanisms.split(", ") if name in made]
    # How much could one regret the second, taken in place of the first?
    numbers = {
        f"{first}_{second}": dp.delta_divergence(made[first], made[second]).value
        for first in there
        for second in there
        if first != second
    }
    largest = [max(numbers[f"{first}_{name}"] for first in there if first != name) for name in there if numbers]
    most, least = (max(largest), min(largest)) if largest else (math.nan, math.nan)
    numbers |= {f"error_of_{name}": mechanism.bayes_error(prior) for name, mechanism in made.items()}
    print(numbers)
