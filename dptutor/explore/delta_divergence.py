"""The Δ-divergence of a Gaussian and a Laplace mechanism: figures 2 and 3 of Kaissis et al. (2024), moving."""

from functools import lru_cache

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtri

from .. import blackwell
from ..mechanisms import Gaussian, Laplace
from .machinery import BLUE, GREEN, GREY, PURPLE, VERMILLION, Choice, Explorer, Number, Slider

FORTH, BACK = "Δ(Gauss‖Lap)", "Δ(Lap‖Gauss)"

delta_divergence = Explorer(
    "delta_divergence",
    title="Which is riskier: Gaussian or Laplace noise?",
    caption="First panel: trade-off functions of a Gaussian mechanism (f, blue, solid) and a Laplace mechanism (f̃, "
    "vermillion, dashed), and one of them shifted down and left by κ until it lies under the other (dotted). Second "
    "panel: their Bayes errors over the adversary's prior. The green rulers measure both Δ-divergences, circles mark "
    "where the Bayes errors cross, the purple line is the adversary of the slider.",
    find="Move σ until the green rulers are equally long: then neither choice is the safer one.",
    code="""import dptutor as dp

gaussian, laplace = dp.Gaussian(sigma={sigma}), dp.Laplace(scale={scale})
comparison = dp.compare(gaussian, laplace)
forth, back = comparison.divergence.value, comparison.reverse_divergence.value
gaussian_error, laplace_error = gaussian.bayes_error({prior}), laplace.bayes_error({prior})
difference = abs(laplace_error - gaussian_error)
gaussian_advantage, laplace_advantage = gaussian.advantage, laplace.advantage
print(comparison)
""",
    parameters={
        "sigma": Slider(0.3, 4.0, 1.0, "Gaussian noise", "σ", also=(0.97, 3.19)),
        "scale": Slider(0.3, 4.0, 1.0, "Laplace noise", "b"),
        "prior": Slider(0.01, 0.99, 0.2, "adversary's prior", "π", step=0.01, percent=True),
        "shift": Choice((FORTH, BACK), FORTH, "Shift by κ ="),
    },
    presets={
        "Figure 3 of the paper": (
            "σ = 1 against b = 1, the example of Kaissis et al. (2024).",
            {"sigma": 1, "scale": 1, "prior": 0.27, "shift": FORTH},
        ),
        "Same advantage": (
            "The same membership advantage δ(0), to the digits of σ, and still not the same privacy.",
            lambda: {"sigma": 1 / (2 * ndtri((1 + Laplace(scale=1).advantage) / 2)), "scale": 1, "shift": BACK},
        ),
        "Same (ε, δ)": (
            "Both are (1, 0.0001)-DP, to the digits of σ: this one pair hides all the rest.",
            lambda: {"sigma": brentq(lambda s: Gaussian(sigma=s).epsilon(1e-4) - 1, 1, 10), "scale": 1, "prior": 0.5},
        ),
        "Gaussian dominates": (
            "Every adversary errs less against this Gaussian. The reverse never happens: its loss has no bound.",
            {"sigma": 0.5, "scale": 2, "prior": 0.5, "shift": BACK},
        ),
    },
)


@delta_divergence.mechanism(BLUE, "Gaussian")
def gaussian(sigma):
    return Gaussian(sigma=sigma)


@delta_divergence.mechanism(VERMILLION, "Laplace")
def laplace(scale):
    return Laplace(scale=scale)


@lru_cache(maxsize=4096)
def compared(sigma, scale):
    return blackwell.compare(gaussian(sigma), laplace(scale))


tradeoff = delta_divergence.face_panel("tradeoff")
bayes = delta_divergence.face_panel("bayes_error")


def shift_of_gaussian(sigma, scale, shift):
    return np.repeat(-compared(sigma, scale).divergence.value if shift == FORTH else np.nan, 2)


def shift_of_laplace(sigma, scale, shift):
    return np.repeat(-compared(sigma, scale).reverse_divergence.value if shift == BACK else np.nan, 2)


tradeoff.shifted(gaussian, shift_of_gaussian, "f shifted by κ")
tradeoff.shifted(laplace, shift_of_laplace, "f̃ shifted by κ")
bayes.crossings(compared)


def attained_at(divergence):
    """The lower of the two priors at which a divergence is attained (both f are symmetric), if it is not zero."""
    return min(divergence.prior, 1 - divergence.prior) if divergence.value > divergence.error_bound else np.nan


def ends(divergence, sigma, scale):
    prior = attained_at(divergence) if divergence.value >= 5e-5 else np.nan  # less is shown as 0
    return prior, *sorted(m.bayes_error(np.nan_to_num(prior)) for m in (gaussian(sigma), laplace(scale)))


@bayes.ruler(GREEN, "Δ, both ways", words="{forth}", offset=(0, -14))
def forth_ruler(sigma, scale):
    return ends(compared(sigma, scale).divergence, sigma, scale)


@bayes.ruler(GREEN, words="{back}", offset=(-26, 6))
def back_ruler(sigma, scale):
    return ends(compared(sigma, scale).reverse_divergence, sigma, scale)


bayes.reader("prior", "adversary", top=lambda prior: min(prior, 1 - prior))


@delta_divergence.readouts(
    forth=Number("Δ(Gauss‖Lap)", GREEN, 4, help="The worst regret of choosing Laplace noise"),
    forth_prior=Number("… attained at prior", GREEN, 1, percent=True),
    back=Number("Δ(Lap‖Gauss)", GREEN, 4, help="The worst regret of choosing Gaussian noise"),
    back_prior=Number("… attained at prior", GREEN, 1, percent=True),
    crossing=Number("errors cross at prior", GREY, 1, percent=True),
    gaussian_advantage=Number("advantage, Gaussian", BLUE, 4),
    laplace_advantage=Number("advantage, Laplace", VERMILLION, 4),
)
def comparison(sigma, scale):
    both = compared(sigma, scale)
    forth, back, crossing = both.divergence, both.reverse_divergence, (*both.crossings, np.nan)[0]
    advantages = gaussian(sigma).advantage, laplace(scale).advantage
    return forth.value, attained_at(forth), back.value, attained_at(back), crossing, *advantages


@delta_divergence.readout("Bayes error, Gaussian", BLUE, 2, percent=True)
def gaussian_error(sigma, prior):
    return gaussian(sigma).bayes_error(prior)


@delta_divergence.readout("Bayes error, Laplace", VERMILLION, 2, percent=True)
def laplace_error(scale, prior):
    return laplace(scale).bayes_error(prior)


@delta_divergence.readout("difference at your π", PURPLE, 1, percent=True, unit="points")
def difference(sigma, scale, prior):
    return abs(laplace_error(scale, prior) - gaussian_error(sigma, prior))


@delta_divergence.words
def words(sigma, scale, prior):
    lead = laplace_error(scale, prior) - gaussian_error(sigma, prior)
    target = "Laplace" if lead > 0 else "Gaussian"
    errs = f"{{difference}} more often against {target} noise" if abs(lead) >= 5e-4 else "about equally against both"
    return f"An adversary of prior {{prior}} errs {errs}. {verdict(sigma, scale)}"


@lru_cache(maxsize=4096)
def verdict(sigma, scale):
    forth, back = compared(sigma, scale).divergence, compared(sigma, scale).reverse_divergence
    for choice, regret in ("Laplace", forth), ("Gaussian", back):
        if regret.value <= regret.error_bound:
            return f"No adversary errs less often against {choice} noise: choosing it is never regretted."
    safer = "Laplace" if forth.value < back.value else "Gaussian"
    return f"Choosing Laplace may be regretted by {{forth}}, Gaussian by {{back}}: {safer} is the safer choice."
