"""Gaussian noise for an (ε, δ): exactly calibrated, and by the classical formula, which first wastes and then fails."""

from functools import lru_cache

import numpy as np

from ..calibration import calibrate
from ..mechanisms import Gaussian
from .machinery import BLUE, DASHED, GREEN, GREY, VERMILLION, Explorer, Number, Slider, decades

EPSILONS = np.geomspace(0.1, 20, 41)

gaussian_noise = Explorer(
    "gaussian_noise",
    title="How much Gaussian noise does an (ε, δ) need?",
    caption="Sensitivity 1. First panel: the noise σ that meets (ε, δ) exactly (blue, solid) and the classical √(2 "
    "log(1.25/δ))/ε (vermillion, dashed), over ε; the classical formula is proven only to the left of the "
    "gray line. Second panel: the privacy profiles with both σ. The exact one passes through the green "
    "target. The classical one passes below it, which wastes noise, or above it, which breaks the promise.",
    find="At which ε does the classical σ begin to break its promise? Is that ε smaller or larger when δ is larger?",
    code="""from math import log, sqrt

import dptutor as dp

epsilon, delta = {epsilon}, {delta}
exact = dp.calibrate(lambda sigma: dp.Gaussian(sigma=sigma), epsilon=epsilon, delta=delta).sigma
classic = sqrt(2 * log(1.25 / delta)) / epsilon
saved = 1 - exact / classic
spent = dp.Gaussian(sigma=classic).privacy_profile(epsilon)
times = spent / delta
print(f"exact {exact:.4f}, classical {classic:.4f}, which spends {spent:.2e}")
""",
    parameters={
        "epsilon": Slider(0.1, 20.0, 1.0, "privacy parameter", "ε"),
        "delta": Slider(1e-9, 0.1, 1e-5, "with", "δ", stops=decades(-9, -1, 1, 2, 5), power=True),
    },
    steps={
        "As it is proven": (
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


@gaussian_noise.panel("Noise", xlabel="ε", ylabel="σ", xlim=(0.1, 20), ylim=(0.1, 100), xlog=True, ylog=True)
def noise(axes):
    axes.axvline(1, color=GREY, linewidth=1)
    axes.text(0.93, 0.13, "proven: ε < 1", color=GREY, ha="right")


@noise.curve(BLUE, "exact σ")
def exact_curve(delta):
    return EPSILONS, [exact_sigma(e, delta) for e in EPSILONS]


@noise.curve(VERMILLION, "classical σ", line=DASHED)
def classical_curve(delta):
    return EPSILONS, classical(EPSILONS, delta)


@noise.points(GREEN, "at your ε", moves="epsilon")
def both(epsilon, delta):
    return [epsilon, epsilon], [exact_sigma(epsilon, delta), classical(epsilon, delta)]


scales = {"xlim": (0.1, 20), "xlog": True, "ylim": (1e-14, 1), "ylog": True, "legend": ""}
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
        return "The classical σ breaks its promise, though by little: it spends a δ of {spent}."
    if saved < 0:
        return "The classical σ breaks its promise: it spends a δ of {spent}, {times} times what was agreed."
    wastes = "wastes " + ("{saved}" if saved >= 1e-3 else "less than 0.1 %") + " of its noise"
    if epsilon >= 1:
        return f"The proof does not cover this ε, but the formula holds: it spends a δ of {{spent}} and {wastes}."
    return f"The classical σ keeps its promise and {wastes}: it spends a δ of only {{spent}}."
