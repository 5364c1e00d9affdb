"""Gaussian noise for an (ε, δ): exactly calibrated, and by the classical formula, which first wastes and then fails."""

from functools import lru_cache

import numpy as np

from ..calibration import calibrate
from ..mechanisms import Gaussian
from .machinery import BLUE, DASHED, GREEN, GREY, VERMILLION, Explorer, Number, Slider

EPSILONS = np.geomspace(0.1, 20, 41)

gaussian_noise = Explorer(
    "gaussian_noise",
    title="How much Gaussian noise does an (ε, δ) need?",
    caption="Sensitivity 1. First panel: the noise σ that meets (ε, δ) exactly (blue, solid) and the classical √(2 "
    "log(1.25/δ))/ε (vermillion, dashed), over ε; left of the grey line the classical one is proven. Second panel: "
    "the privacy profiles of both at your ε. The exact one passes through the green target, the classical one below "
    "it, which is noise for nothing, or above it, which is a broken promise.",
    find="At which ε does the classical σ break its promise? Does that come earlier or later with a larger δ?",
    code="""from math import log, sqrt

import dptutor as dp

epsilon, delta = {epsilon}, 10**{log_delta}
exact = dp.calibrate(lambda sigma: dp.Gaussian(sigma=sigma), epsilon=epsilon, delta=delta).sigma
classic = sqrt(2 * log(1.25 / delta)) / epsilon
saved = 1 - exact / classic
spent = dp.Gaussian(sigma=classic).privacy_profile(epsilon)
times = spent / delta
print(f"exact {exact:.4f}, classical {classic:.4f}, which spends {spent:.2e}")
""",
    parameters={
        "epsilon": Slider(0.1, 20.0, 1.0, "privacy parameter", "ε"),
        "log_delta": Slider(-9, -1, -5, "its δ, a power of ten", "log₁₀ δ", step=1),
    },
    steps={
        "As it is proven": (
            "ε = 0.5: the formula is valid, and spends a small part of the δ that it may.",
            {"epsilon": 0.5, "log_delta": -5},
        ),
        "Just by luck": (
            "ε = 8, far beyond the proof: here the formula nearly hits the target.",
            {"epsilon": 8, "log_delta": -5},
        ),
        "A broken promise": (
            "ε = 10, δ = 0.01: too little noise, and nothing in the formula warns you.",
            {"epsilon": 10, "log_delta": -2},
        ),
    },
)


def classical(epsilon, log_delta):
    return np.sqrt(2 * np.log(1.25 / 10**log_delta)) / epsilon


@lru_cache(maxsize=4096)
def exact_sigma(epsilon, log_delta):
    return calibrate(lambda sigma: Gaussian(sigma=sigma), epsilon=epsilon, delta=10**log_delta).sigma


@gaussian_noise.mechanism(BLUE, "exact σ")
def exact_mechanism(epsilon, log_delta):
    return Gaussian(sigma=exact_sigma(epsilon, log_delta))


@gaussian_noise.mechanism(VERMILLION, "classical σ")
def classical_mechanism(epsilon, log_delta):
    return Gaussian(sigma=classical(epsilon, log_delta))


@gaussian_noise.panel("Noise", xlabel="ε", ylabel="σ", xlim=(0.1, 20), ylim=(0.1, 100), xlog=True, ylog=True)
def noise(axes):
    axes.axvline(1, color=GREY, linewidth=1)
    axes.text(0.93, 0.13, "proven here", color=GREY, ha="right")


@noise.curve(BLUE, "exact σ")
def exact_curve(log_delta):
    return EPSILONS, [exact_sigma(e, log_delta) for e in EPSILONS]


@noise.curve(VERMILLION, "classical σ", line=DASHED)
def classical_curve(log_delta):
    return EPSILONS, classical(EPSILONS, log_delta)


@noise.points(GREEN, "at your ε", moves="epsilon")
def both(epsilon, log_delta):
    return [epsilon, epsilon], [exact_sigma(epsilon, log_delta), classical(epsilon, log_delta)]


scales = {"xlim": (0.1, 20), "xlog": True, "ylim": (1e-14, 1), "ylog": True, "legend": ""}
profiles = gaussian_noise.face_panel("privacy_profile", grid=np.geomspace(0.1, 20, 61), **scales)


@profiles.points(GREEN, moves=("epsilon", "log_delta"))
def target(epsilon, log_delta):
    return epsilon, 10**log_delta


@gaussian_noise.readouts(
    exact=Number("exact σ", BLUE, 4),
    classic=Number("classical σ", VERMILLION, 4),
    saved=Number("noise saved by the exact σ", BLUE, 1, percent=True, help="negative: the classical σ is too small"),
    spent=Number("δ spent by the classical σ", VERMILLION, 2, power=True),
    times=Number("… as a multiple of δ", GREEN, 2, power=True),
)
def numbers(epsilon, log_delta):
    sigmas = exact_sigma(epsilon, log_delta), classical(epsilon, log_delta)
    spent = classical_mechanism(epsilon, log_delta).privacy_profile(epsilon)
    return *sigmas, 1 - sigmas[0] / sigmas[1], spent, spent / 10**log_delta


@gaussian_noise.words
def words(epsilon, log_delta):
    if numbers(epsilon, log_delta)[2] < 0:
        return "The classical σ breaks its promise: it spends a δ of {spent}, {times} times what was agreed."
    if epsilon >= 1:
        return "The formula is not proven here, but it holds: it spends {spent} and wastes {saved} of its noise."
    return "The classical σ keeps its promise and wastes {saved} of its noise: it spends no more than {spent}."
