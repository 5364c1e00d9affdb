"""One step on a random sample: its two dominating pairs, and the same step on all of the data."""

from functools import lru_cache
from math import log1p

import numpy as np

from ...mechanisms import Gaussian, SubsampledGaussian
from ..machinery import BLUE, DASHED, DOTTED, GREY, VERMILLION, Explorer, Number, Slider
from ..machinery.face_panels import ERRORS
from ..machinery.shapes import type_one_errors

ALPHAS, LOSSES = type_one_errors(61), np.linspace(0, 4, 61)
NOISES = (*(round(0.6 + 0.04 * k, 2) for k in range(26)), *(round(1.7 + 0.1 * k, 1) for k in range(14)))

subsampling = Explorer(
    "subsampling",
    title="A step on a sample, in two directions",
    caption="A Gaussian step on a Poisson sample, in both directions (“remove”: Q is the world with the example; "
    "“add”: P is), and on all of the data (dotted). First panel: trade-off functions. Second panel: privacy "
    "profiles.",
    find="Find a setting where ε is more than twenty times as large in one direction as in the other.",
    parameters={
        "sigma": Slider(0.6, 3.0, 1.0, "noise multiplier", "σ", stops=NOISES),
        "rate": Slider(0.04, 0.96, 0.2, "sampling rate", "p", step=0.02, percent=True),
    },
    steps={
        "A small sample": (
            "Most losses are tiny, but a few are large: with little noise, an example that is sampled gets noticed.",
            {"sigma": 0.6, "rate": 0.04},
        ),
        "Nearly everything": (
            "Nearly all of the data are used, and yet in the direction “add” no loss exceeds −log(1 − p).",
            {"sigma": 1, "rate": 0.96},
        ),
        "Much noise": (
            "The trade-off functions nearly agree. An ε at a tiny δ depends on their tails, which do not.",
            {"sigma": 3, "rate": 0.3},
        ),
    },
)


@lru_cache(maxsize=4096)
def directions(sigma, rate):
    return SubsampledGaussian(sigma, rate).directions


@lru_cache
def plain(sigma):
    return Gaussian(sigma=sigma)


@lru_cache(maxsize=4096)
def epsilons(sigma, rate):
    return tuple(m.epsilon(1e-5) for m in (plain(sigma), *directions(sigma, rate)))


@subsampling.panel("Trade-off functions", **ERRORS)
def tradeoff(axes):
    axes.plot([0, 1], [1, 0], color=GREY, linewidth=1, label="blind guessing")


@tradeoff.curve(GREY, "all of the data", line=DOTTED)
def plain_tradeoff(sigma):
    return ALPHAS, plain(sigma).tradeoff(ALPHAS)


@tradeoff.curve(BLUE, "remove")
def remove_tradeoff(sigma, rate):
    return ALPHAS, (1 - rate) * (1 - ALPHAS) + rate * plain(sigma).tradeoff(ALPHAS)


@tradeoff.curve(VERMILLION, "add", line=DASHED)
def add_tradeoff(sigma, rate):
    return remove_tradeoff(sigma, rate)[::-1]


profile = subsampling.plain_panel(
    "profile", "Privacy profiles", xlabel="ε", ylabel="δ(ε)", xlim=(0, 4), ylim=(1e-8, 1), ylog=True
)


def shown(mechanism, losses):
    return np.maximum(mechanism.privacy_profile(losses), 1e-12)  # below the panel


@profile.curve(GREY, "all of the data", line=DOTTED)
def plain_profile(sigma):
    return LOSSES, shown(plain(sigma), LOSSES)


@profile.curve(BLUE, "remove")
def remove_profile(sigma, rate):
    return LOSSES, shown(directions(sigma, rate)[0], LOSSES)


@profile.curve(VERMILLION, "add", line=DASHED)
def add_profile(sigma, rate):
    # Up to the largest loss only, where it falls to 0.
    losses = LOSSES / LOSSES[-1] * min(-log1p(-rate) * (1 - 1e-9), LOSSES[-1])
    return losses, shown(directions(sigma, rate)[1], losses)


@subsampling.readouts(
    plain_epsilon=Number("ε at δ = 10⁻⁵, all data", GREY, 3),
    remove_epsilon=Number("ε, sampled, remove", BLUE, 3),
    add_epsilon=Number("ε, sampled, add", VERMILLION, 3),
    largest=Number("largest loss, add", VERMILLION, 3, help="−log(1 − p)"),
    plain_advantage=Number("advantage, all data", GREY, 4),
    advantage=Number("advantage, sampled", BLUE, 4, help="the same in both directions"),
)
def numbers(sigma, rate):
    advantages = plain(sigma).advantage, directions(sigma, rate)[0].advantage
    return *epsilons(sigma, rate), -log1p(-rate), *advantages


@subsampling.solved
def twenty_times(sigma, rate):
    _, remove, add = epsilons(sigma, rate)
    return remove > 20 * add


@subsampling.words
def words(sigma, rate):
    _, one, other = epsilons(sigma, rate)
    much = "only " if one > 2 * other else ""
    return (
        "Sampling takes ε at δ = 10⁻⁵ from {plain_epsilon} to {remove_epsilon} in the direction “remove”, and to "
        f"{much}{{add_epsilon}} in the direction “add”."
    )


@subsampling.code
def program(sigma, rate):
    from math import log1p

    import dptutor as dp

    plain, step = dp.Gaussian(sigma=sigma), dp.SubsampledGaussian(noise_multiplier=sigma, sampling_rate=rate)
    remove, add = step.directions
    plain_epsilon, remove_epsilon, add_epsilon = (m.epsilon(1e-5) for m in (plain, remove, add))
    largest = -log1p(-rate)
    plain_advantage, advantage = plain.advantage, step.advantage
    print(f"{plain_epsilon:.3f} becomes {remove_epsilon:.3f} or {add_epsilon:.3f}")
