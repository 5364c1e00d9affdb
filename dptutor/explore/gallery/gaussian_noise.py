"""Gaussian noise for an (ε, δ): exactly calibrated, and by the classical formula, which first wastes and then fails."""

from functools import lru_cache

import numpy as np

from ...mechanisms import Gaussian
from ...risk.calibration import calibrate
from ..machinery import BLUE, DASHED, GREEN, GREY, VERMILLION, Explorer, Number, Slider, decades

EPSILONS = np.geomspace(0.1, 20, 41)
_DIGITS = (1, 1.1, 1.2, 1.4, 1.6, 1.8, 2, 2.2, 2.5, 2.8, 3.2, 3.6, 4, 4.5, 5, 5.6, 6.3, 7, 8, 9)
STOPS = (*decades(-1, 1, *_DIGITS), *map(float, range(12, 21, 2)))

gaussian_noise = Explorer(
    "gaussian_noise",
    title="How much Gaussian noise does an (ε, δ) need?",
    caption="First panel: the classical σ = √(2 log(1.25/δ))/ε as a multiple of the exact one. Second panel: "
    "privacy profiles. The classical one passes below the green target, which wastes noise, or above it, which "
    "breaks the promise.",
    find="Drag the green point to where the classical σ just begins to break its promise, for two values of δ.",
    parameters={
        "epsilon": Slider(0.1, 20.0, 1.0, "privacy parameter", "ε", stops=STOPS),
        "delta": Slider(1e-9, 0.1, 1e-5, "with", "δ", stops=decades(-9, -1, 1, 1.5, 2, 3, 5), power=True),
    },
    steps={
        "Where it is proved": (
            "ε = 0.5: the formula is valid, and spends only a small part of the δ that it may spend.",
            {"epsilon": 0.5, "delta": 1e-5},
        ),
        "By luck": (
            "ε = 8, far beyond the proof: here the formula nearly hits the target.",
            {"epsilon": 8, "delta": 1e-5},
        ),
        "A broken promise": (
            "ε = 10, δ = 0.01: too little noise, and nothing in the formula warns you.",
            {"epsilon": 10, "delta": 0.01},
        ),
    },
)


def classical(epsilon, delta):
    return np.sqrt(2 * np.log(1.25 / delta)) / epsilon


@lru_cache(maxsize=4096)
def exact_sigma(epsilon, delta):
    return calibrate(lambda sigma: Gaussian(sigma=sigma), epsilon=epsilon, delta=delta).sigma


@gaussian_noise.mechanism(BLUE, "exact σ")
def exact_mechanism(epsilon, delta):
    return Gaussian(sigma=exact_sigma(epsilon, delta))


@gaussian_noise.mechanism(VERMILLION, "classical σ")
def classical_mechanism(epsilon, delta):
    return Gaussian(sigma=classical(epsilon, delta))


@gaussian_noise.panel("Too much noise, or too little", xlabel="ε", ylabel="σ, as a multiple of the exact one",
                      xlim=(0.1, 20), ylim=(0.5, 8), xlog=True, ylog=True)  # fmt: skip
def noise(axes):
    axes.set_yticks([0.5, 1, 2, 4, 8], ["0.5", "1", "2", "4", "8"])
    axes.set_yticks([], minor=True)
    axes.axhspan(0.5, 1, color=VERMILLION, alpha=0.1, linewidth=0)
    axes.axhline(1, color=BLUE, linewidth=2, label="exact σ")
    axes.axvline(1, color=GREY, linewidth=1)
    axes.text(0.93, 6.6, "proved: ε < 1", color=GREY, ha="right")
    axes.text(0.115, 0.9, "↓ promise broken", color=VERMILLION, va="top")
    axes.text(0.115, 1.05, "↑ noise wasted", color=BLUE)


def multiple(epsilon, delta):
    return classical(epsilon, delta) / exact_sigma(epsilon, delta)


@noise.curve(VERMILLION, "classical σ", line=DASHED)
def classical_curve(delta):
    return EPSILONS, [multiple(epsilon, delta) for epsilon in EPSILONS]


@noise.points(GREEN, moves="epsilon")
def at_your_epsilon(epsilon, delta):
    return epsilon, multiple(epsilon, delta)


scales = {"xlim": (0.1, 20), "xlog": True, "ylim": (1e-14, 1), "ylog": True}
profiles = gaussian_noise.face_panel("privacy_profile", grid=np.geomspace(0.1, 20, 61), **scales)


@profiles.points(GREEN, moves=("epsilon", "delta"))
def target(epsilon, delta):
    return epsilon, delta


@gaussian_noise.readouts(
    exact=Number("exact σ", BLUE, 4),
    classic=Number("classical σ", VERMILLION, 4),
    saved=Number("noise saved by the exact σ", BLUE, 1, percent=True, help="negative: the classical σ is too small"),
    spent=Number("δ spent by the classical σ", VERMILLION, 2, power=True),
    times=Number("… as a multiple of δ", GREEN, 2, power=True),
)
def numbers(epsilon, delta):
    sigmas = exact_sigma(epsilon, delta), classical(epsilon, delta)
    spent = classical_mechanism(epsilon, delta).privacy_profile(epsilon)
    return *sigmas, 1 - sigmas[0] / sigmas[1], spent, spent / delta


@gaussian_noise.solved
def just_broken(epsilon, delta):
    return -0.02 < numbers(epsilon, delta)[2] < 0


@gaussian_noise.words
def words(epsilon, delta):
    _, _, saved, _, times = numbers(epsilon, delta)
    if saved < 0 and times < 1.005:
        return "The classical σ breaks its promise, though only slightly: it spends a δ of {spent}."
    if saved < 0:
        return "The classical σ breaks its promise: it spends a δ of {spent}, {times} times what was agreed."
    wastes = "wastes " + ("{saved}" if saved >= 1e-3 else "less than 0.1%") + " of its noise"
    if epsilon >= 1:
        return f"The proof does not cover this ε, but the formula holds: it spends a δ of {{spent}} and {wastes}."
    return f"The classical σ keeps its promise and {wastes}: it spends a δ of only {{spent}}."


@gaussian_noise.code
def program(epsilon, delta):
    from math import log, sqrt

    import dptutor as dp

    exact = dp.calibrate(dp.Gaussian, epsilon=epsilon, delta=delta).sigma
    classic = sqrt(2 * log(1.25 / delta)) / epsilon
    saved = 1 - exact / classic
    spent = dp.Gaussian(sigma=classic).privacy_profile(epsilon)
    times = spent / delta
    print(f"exact {exact:.4f}, classical {classic:.4f}, which spends {spent:.2e}")
