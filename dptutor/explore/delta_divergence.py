"""The Δ-divergence of a Gaussian and a Laplace mechanism: figures 2 and 3 of Kaissis et al. (2024), moving."""

from functools import lru_cache

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtri

from .. import blackwell
from ..mechanisms import Gaussian, Laplace
from .machinery import BLUE, DASHED, DOTTED, GREEN, GREY, PURPLE, SOLID, VERMILLION, Choice, Explorer, Slider

FORTH, BACK = "f until it is under f̃: κ = Δ(Gauss‖Lap)", "f̃ until it is under f: κ = Δ(Lap‖Gauss)"

delta_divergence = Explorer(
    "delta_divergence",
    title="Which is riskier: Gaussian or Laplace noise?",
    caption="Left: trade-off functions of a Gaussian mechanism (f, blue, solid) and a Laplace mechanism (f̃, "
    "vermillion, dashed), and one of them shifted down and left by κ until it lies under the other (dotted). Right: "
    "their Bayes errors over the adversary's prior; the green rulers measure both Δ-divergences, the purple one the "
    "difference for the adversary of the prior on the slider; circles mark where the Bayes errors cross.",
    find="Move σ until the green rulers are equally long: neither choice is then the safer one.",
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
        "sigma": Slider(0.3, 4.0, 1.0, "Gaussian noise", "σ"),
        "scale": Slider(0.3, 4.0, 1.0, "Laplace noise", "b"),
        "prior": Slider(0.01, 0.99, 0.2, "adversary's prior", "π", step=0.01, percent=True),
        "shift": Choice((FORTH, BACK), FORTH, "Shift"),
    },
)

ALPHA = np.sin(np.linspace(0, np.pi / 2, 101)) ** 2
PRIORS = np.linspace(0, 1, 121)


@lru_cache(maxsize=4096)
def compared(sigma, scale):
    return blackwell.compare(Gaussian(sigma=sigma), Laplace(scale=scale))


@delta_divergence.panel(
    "Trade-off functions", xlabel="type I error α", ylabel="type II error β", xlim=(-0.02, 1), ylim=(-0.02, 1.02)
)
def tradeoff(axes):
    axes.plot([0, 1], [1, 0], color=GREY, linewidth=1, label="blind guessing")


@tradeoff.curve(BLUE, "f: Gaussian")
def gaussian_tradeoff(sigma):
    return ALPHA, Gaussian(sigma=sigma).tradeoff(ALPHA)


@tradeoff.curve(VERMILLION, "f̃: Laplace", line=DASHED)
def laplace_tradeoff(scale):
    return ALPHA, Laplace(scale=scale).tradeoff(ALPHA)


def forth_shift(sigma, scale, shift):
    value = compared(sigma, scale).divergence.value if shift == FORTH else np.nan
    return -value, -value


@tradeoff.curve(BLUE, line=DOTTED, shift=forth_shift, ghost=False)
def shifted_gaussian(sigma):
    return gaussian_tradeoff(sigma)


def back_shift(sigma, scale, shift):
    value = compared(sigma, scale).reverse_divergence.value if shift == BACK else np.nan
    return -value, -value


@tradeoff.curve(VERMILLION, line=DOTTED, shift=back_shift, ghost=False)
def shifted_laplace(scale):
    return laplace_tradeoff(scale)


@tradeoff.text(GREEN, offset=(0, 0))
def kappa(shift):
    return 0.34, 0.66, "shifted by κ = {forth}" if shift == FORTH else "shifted by κ = {back}"


@delta_divergence.panel(
    "Bayes errors", xlabel="adversary's prior π", ylabel="Bayes error R(π)", ylim=(0, 0.6), legend="upper left"
)
def bayes(axes):
    axes.plot([0, 0.5, 1], [0, 0.5, 0], color=GREY, linewidth=1, label="blind guessing")


@bayes.curve(BLUE, "R: Gaussian")
def gaussian_bayes(sigma):
    return PRIORS, Gaussian(sigma=sigma).bayes_error(PRIORS)


@bayes.curve(VERMILLION, "R̃: Laplace", line=DASHED)
def laplace_bayes(scale):
    return PRIORS, Laplace(scale=scale).bayes_error(PRIORS)


def errors_at(prior, sigma, scale):
    return Gaussian(sigma=sigma).bayes_error(prior), Laplace(scale=scale).bayes_error(prior)


def attained_at(divergence):
    """The lower of the two priors at which a divergence is attained: both f are symmetric."""
    return min(divergence.prior, 1 - divergence.prior) if divergence.value > divergence.error_bound else np.nan


def ruler_end(divergence, sigma, scale, which):
    """An end of the ruler of a divergence, if that is not zero."""
    prior = attained_at(divergence)
    return prior, np.nan if np.isnan(prior) else errors_at(prior, sigma, scale)[which]


def forth_upper(sigma, scale):
    return ruler_end(compared(sigma, scale).divergence, sigma, scale, 0)


def forth_lower(sigma, scale):
    return ruler_end(compared(sigma, scale).divergence, sigma, scale, 1)


def back_upper(sigma, scale):
    return ruler_end(compared(sigma, scale).reverse_divergence, sigma, scale, 1)


def back_lower(sigma, scale):
    return ruler_end(compared(sigma, scale).reverse_divergence, sigma, scale, 0)


def gaussian_meets(sigma, prior):
    return prior, Gaussian(sigma=sigma).bayes_error(prior)


def laplace_meets(scale, prior):
    return prior, Laplace(scale=scale).bayes_error(prior)


bayes.ruler(forth_lower, forth_upper, GREEN, "Δ, both ways")
bayes.ruler(back_lower, back_upper, GREEN)
bayes.ruler(gaussian_meets, laplace_meets, PURPLE, "your adversary", width=1.5, cap="D", size=4.5)


@bayes.points(GREY, size=5, hollow=True)
def crossings(sigma, scale):
    found = compared(sigma, scale).crossings[:6]
    priors = np.append(found, np.full(6 - len(found), np.nan))
    return priors, Gaussian(sigma=sigma).bayes_error(np.nan_to_num(priors))


@bayes.text(GREEN, offset=(0, -14), align="center")
def forth_label(sigma, scale):
    return *forth_lower(sigma, scale), "{forth}"


@bayes.text(GREEN, offset=(0, 8), align="center")
def back_label(sigma, scale):
    return *back_upper(sigma, scale), "{back}"


@delta_divergence.readout("Δ(Gauss‖Lap)", color=GREEN, digits=4, help="worst regret of choosing Laplace noise")
def forth(sigma, scale):
    return compared(sigma, scale).divergence.value


@delta_divergence.readout("… attained at prior", percent=True, digits=1)
def forth_prior(sigma, scale):
    return attained_at(compared(sigma, scale).divergence)


@delta_divergence.readout("Δ(Lap‖Gauss)", color=GREEN, digits=4, help="worst regret of choosing Gaussian noise")
def back(sigma, scale):
    return compared(sigma, scale).reverse_divergence.value


@delta_divergence.readout("… attained at prior", percent=True, digits=1)
def back_prior(sigma, scale):
    return attained_at(compared(sigma, scale).reverse_divergence)


@delta_divergence.readout("Bayes error, Gaussian", color=BLUE, percent=True, digits=2)
@lru_cache(maxsize=4096)
def gaussian_error(sigma, prior):
    return Gaussian(sigma=sigma).bayes_error(prior)


@delta_divergence.readout("Bayes error, Laplace", color=VERMILLION, percent=True, digits=2)
@lru_cache(maxsize=4096)
def laplace_error(scale, prior):
    return Laplace(scale=scale).bayes_error(prior)


@delta_divergence.readout("difference at your π", color=PURPLE, percent=True, unit="points", digits=1)
def difference(sigma, scale, prior):
    return abs(laplace_error(scale, prior) - gaussian_error(sigma, prior))


@delta_divergence.readout("crossing at prior", digits=4)
def crossing(sigma, scale):
    return (*compared(sigma, scale).crossings, np.nan)[0]


@delta_divergence.readout("advantage, Gaussian", color=BLUE, digits=4)
def gaussian_advantage(sigma):
    return Gaussian(sigma=sigma).advantage


@delta_divergence.readout("advantage, Laplace", color=VERMILLION, digits=4)
def laplace_advantage(scale):
    return Laplace(scale=scale).advantage


@delta_divergence.words
def words(sigma, scale, prior):
    lead = laplace_error(scale, prior) - gaussian_error(sigma, prior)
    target = "Laplace" if lead > 0 else "Gaussian"
    seen = f"An adversary of prior {{prior}} errs {{difference}} more often against {target} noise."
    return f"{seen} {verdict(sigma, scale)}"


@lru_cache(maxsize=4096)
def verdict(sigma, scale):
    regret, back_regret = compared(sigma, scale).divergence, compared(sigma, scale).reverse_divergence
    if regret.value <= regret.error_bound:
        return "No adversary errs less often against Laplace noise: choosing it is never regretted."
    if back_regret.value <= back_regret.error_bound:
        return "No adversary errs less often against Gaussian noise: choosing it is never regretted."
    safer = "Laplace" if regret.value < back_regret.value else "Gaussian"
    return f"Choosing Laplace may be regretted by {{forth}}, Gaussian by {{back}}: {safer} is the safer choice."


@delta_divergence.preset("Figure 3 of the paper", "σ = 1 against b = 1: the example of Kaissis et al. (2024).")
def figure_3():
    return {"sigma": 1, "scale": 1, "prior": 0.27, "shift": FORTH}


@delta_divergence.preset("Same advantage", "The same membership advantage δ(0), and still not the same privacy.")
def same_advantage():
    return {"sigma": 1 / (2 * ndtri((1 + Laplace(scale=1).advantage) / 2)), "scale": 1, "shift": BACK}


@delta_divergence.preset("Same (ε, δ)", "Both (1, 0.0001)-DP, as near as the sliders go: one pair hides the rest.")
def same_epsilon_delta():
    sigma = brentq(lambda sigma: Gaussian(sigma=sigma).epsilon(1e-4) - 1, 1, 10)
    return {"sigma": sigma, "scale": 1, "prior": 0.5, "shift": FORTH}


@delta_divergence.preset("Gaussian dominates", "Every adversary errs less against this Gaussian; the reverse never happens.")
def gaussian_dominates():
    return {"sigma": 0.5, "scale": 2, "prior": 0.5, "shift": BACK}
