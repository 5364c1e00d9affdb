"""The Δ-divergence of a Gaussian and a Laplace mechanism: figures 2 and 3 of Kaissis et al. (2024), moving.

The idea: either choice can be regretted, each by some adversary, and the two largest regrets are what to compare.
"""

from functools import lru_cache

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtri

from ...comparing import blackwell
from ...mechanisms import Gaussian, Laplace
from ..machinery import BLUE, GREEN, GREY, INK, PURPLE, VERMILLION, Explorer, Number, Slider, in_points, lead_axes

ENDS = 0.5, 1, 2, 5, 10, 20, 40  # of the scale, in percentage points
EVEN = 1.12  # the σ, to its digits, at which both choices can be regretted alike, beside b = 1

delta_divergence = Explorer(
    "delta_divergence",
    title="Which noise could you regret choosing?",
    caption="First panel: by how many percentage points Gaussian noise protects better, at each prior. "
    "Green rulers: the largest regrets. Second panel: shifted down and left by the larger Δ, "
    "the safer curve lies below the other.",
    find="Pull a curve until the green rulers are equally long: then neither choice is the safer one.",
    parameters={
        "sigma": Slider(0.3, 4.0, 1.0, "Gaussian", "σ", also=(EVEN, 0.97, 3.19)),
        "scale": Slider(0.3, 4.0, 1.0, "Laplace", "b"),
        "prior": Slider(0.01, 0.99, 0.2, "prior of “not in”", "π", step=0.01, percent=True),
    },
    steps={
        "Figure 3 of the paper": (
            "σ = 1 against b = 1, the example of Kaissis et al. (2024), at the prior where Gaussian noise is "
            "regretted most.",
            {"sigma": 1, "scale": 1, "prior": 0.27},
        ),
        "Same advantage": (
            "The same membership advantage, to the precision of σ: no difference at even odds, but still not the same "
            "privacy.",
            lambda: {"sigma": 1 / (2 * ndtri((1 + Laplace(scale=1).advantage) / 2)), "scale": 1, "prior": 0.5},
        ),
        "Same (ε, δ)": (
            "Both are (1, 10⁻⁴)-DP, to the precision of σ. This one pair of numbers hides all the rest.",
            lambda: {"sigma": brentq(lambda s: Gaussian(sigma=s).epsilon(1e-4) - 1, 1, 10), "scale": 1, "prior": 0.5},
        ),
        "Gaussian dominates": (
            "This Gaussian mechanism reveals at least as much to every adversary. Laplace noise never does, because "
            "the loss of Gaussian noise has no bound.",
            {"sigma": 0.5, "scale": 2, "prior": 0.5},
        ),
    },
)

PRIORS = np.linspace(0, 1, 121)


@delta_divergence.mechanism(BLUE, "Gaussian")
def gaussian(sigma):
    return Gaussian(sigma=sigma)


@delta_divergence.mechanism(VERMILLION, "Laplace")
def laplace(scale):
    return Laplace(scale=scale)


@lru_cache(maxsize=4096)
def compared(sigma, scale):
    return blackwell.compare(gaussian(sigma), laplace(scale))


def end(sigma, scale):
    """The end of a scale from zero on which the larger regret is seen."""
    both = compared(sigma, scale)
    largest = 100 * max(both.divergence.value, both.reverse_divergence.value)
    return next((one for one in ENDS if largest <= one), ENDS[-1])


# Heights are shares of the end, so that rulers are as long as what they measure.
@delta_divergence.panel("Which protects better", xlabel="adversary’s prior π", ylabel="", ylim=(-1.3, 1.3),
                        titled=False, width=430.0, margins=(70.0, 12.0, 44.0, 12.0))  # fmt: skip
def leads(axes):
    axes.set_ylabel("Gaussian lead in points", labelpad=46)
    lead_axes(axes, "Gaussian noise protects better", "Laplace noise protects better", (1.14, -1.22))
    axes.set_yticks([-1, -0.5, 0, 0.5, 1], [])


def tick(share):
    def label(sigma, scale):
        return 0, share, f"{share * end(sigma, scale):g}".replace("-", "−")

    label.__name__ = f"tick_at_{share:g}"
    leads.text(INK, offset=(-6, -4), align="right")(label)


for share in (-1, -0.5, 0, 0.5, 1):
    tick(share)


@leads.curve(INK, moves="")
def lead(sigma, scale):
    errors = gaussian(sigma).bayes_error(PRIORS) - laplace(scale).bayes_error(PRIORS)
    return PRIORS, 100 * errors / end(sigma, scale)


leads.filled(BLUE, lead, above=True, opacity=0.18)
leads.filled(VERMILLION, lead, above=False, opacity=0.18)


def attained_at(divergence):
    """The lower of the two priors at which a divergence is attained (both f are symmetric), if it is not zero."""
    return min(divergence.prior, 1 - divergence.prior) if divergence.value > divergence.error_bound else np.nan


def ruled(divergence, sign, end):
    # Less than a hundredth of a point cannot be seen.
    prior = attained_at(divergence) if divergence.value >= 1e-4 else np.nan
    return prior, *sorted((0, sign * 100 * divergence.value / end))


@leads.ruler(GREEN, words="{laplace_cost}", offset=(0, 7))
def forth_ruler(sigma, scale):
    return ruled(compared(sigma, scale).divergence, 1, end(sigma, scale))


@leads.ruler(GREEN, words="{gaussian_cost}", offset=(0, -14))
def back_ruler(sigma, scale):
    return ruled(compared(sigma, scale).reverse_divergence, -1, end(sigma, scale))


@leads.curve(PURPLE, width=1.4, ghost=False)
def adversary(prior):
    return [prior, prior], [-1.08, 0.72]


tradeoff = delta_divergence.face_panel("tradeoff", titled=False, width=290.0)


def shift_of_gaussian(sigma, scale):
    forth, back = compared(sigma, scale).divergence.value, compared(sigma, scale).reverse_divergence.value
    return np.repeat(-forth if forth > back else np.nan, 2)


def shift_of_laplace(sigma, scale):
    forth, back = compared(sigma, scale).divergence.value, compared(sigma, scale).reverse_divergence.value
    return np.repeat(-back if back >= forth else np.nan, 2)


tradeoff.shifted(gaussian, shift_of_gaussian, "f shifted by Δ")
tradeoff.shifted(laplace, shift_of_laplace, "f̃ shifted by Δ")


@delta_divergence.readouts(
    gaussian_cost=in_points("largest regret of choosing Gaussian noise", GREEN),
    laplace_cost=in_points("largest regret of choosing Laplace noise", GREEN),
    forth=Number("Δ(Gauss‖Lap)", GREEN, 4, help="The largest regret of choosing Laplace noise"),
    forth_prior=Number("… attained at prior", GREEN, 1, percent=True),
    back=Number("Δ(Lap‖Gauss)", GREEN, 4, help="The largest regret of choosing Gaussian noise"),
    back_prior=Number("… attained at prior", GREEN, 1, percent=True),
    crossing=Number("errors cross at prior", GREY, 1, percent=True),
    gaussian_advantage=Number("advantage, Gaussian", BLUE, 4),
    laplace_advantage=Number("advantage, Laplace", VERMILLION, 4),
)
def comparison(sigma, scale):
    both = compared(sigma, scale)
    forth, back, crossing = both.divergence, both.reverse_divergence, (*both.crossings, np.nan)[0]
    costs = back.value, forth.value
    advantages = gaussian(sigma).advantage, laplace(scale).advantage
    return *costs, forth.value, attained_at(forth), back.value, attained_at(back), crossing, *advantages


@delta_divergence.readout("Bayes error, Gaussian", BLUE, 1, percent=True)
def gaussian_error(sigma, prior):
    return gaussian(sigma).bayes_error(prior)


@delta_divergence.readout("Bayes error, Laplace", VERMILLION, 1, percent=True)
def laplace_error(scale, prior):
    return laplace(scale).bayes_error(prior)


@delta_divergence.readout("difference at your π", PURPLE, 1, percent=True, unit="percentage points")
def difference(sigma, scale, prior):
    return abs(laplace_error(scale, prior) - gaussian_error(sigma, prior))


@lru_cache(maxsize=4096)
def regret(sigma, scale, choice):
    """What a choice costs in percentage points, as the sentence says it, and never a zero that is none."""
    both = compared(sigma, scale)
    divergence = both.reverse_divergence if choice == "gaussian" else both.divergence
    if divergence.value >= 1e-4:
        return f"can cost up to {{{choice}_cost}}"
    # Laplace noise never dominates: far out, only an output with Gaussian noise reveals more.
    if choice == "laplace" and both.dominance:
        return "costs nothing, whatever the prior"
    return "costs less than 0.01 percentage points"


@delta_divergence.words
def words(sigma, scale):
    both = compared(sigma, scale)
    safer = "Laplace noise" if both.reverse_divergence.value > both.divergence.value else "Gaussian noise"
    if even(sigma, scale):
        safer = "To within 0.02 percentage points neither"
    return (
        f"Choosing Gaussian noise {regret(sigma, scale, 'gaussian')}; choosing Laplace noise "
        f"{regret(sigma, scale, 'laplace')}. {safer} is the safer choice."
    )


@delta_divergence.words
def at_the_prior(prior):
    return "At a prior of {prior} the adversary’s error is {gaussian_error} (Gaussian) and {laplace_error} (Laplace)."


@delta_divergence.solved
def even(sigma, scale):
    both = compared(sigma, scale)
    return abs(both.divergence.value - both.reverse_divergence.value) < 2e-4


@delta_divergence.code
def program(sigma, scale, prior):
    import dptutor as dp

    gaussian, laplace = dp.Gaussian(sigma=sigma), dp.Laplace(scale=scale)
    comparison = dp.compare(gaussian, laplace)
    forth, back = comparison.divergence.value, comparison.reverse_divergence.value
    gaussian_cost, laplace_cost = back, forth
    gaussian_error, laplace_error = gaussian.bayes_error(prior), laplace.bayes_error(prior)
    difference = abs(laplace_error - gaussian_error)
    gaussian_advantage, laplace_advantage = gaussian.advantage, laplace.advantage
    print(comparison)
