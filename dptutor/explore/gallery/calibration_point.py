"""Two mechanisms through one (ε, δ): what the pair of numbers fixes, and all that it leaves open."""

import numpy as np

from ...comparing.blackwell import delta_divergence
from ...mechanisms import Gaussian, Laplace
from ...risk.calibration import calibrate
from ..machinery import BLUE, GREEN, VERMILLION, Explorer, Number, Slider, decades
from ..machinery.shapes import type_one_errors

calibration_point = Explorer(
    "calibration_point",
    title="The same (ε, δ), not the same privacy",
    caption="Both mechanisms have exactly the noise that (ε, δ) requires. First panel: their privacy profiles, on a "
    "logarithmic scale, meet at the green point. Second panel: their trade-off functions. Pull a curve by its ring to "
    "change δ.",
    find="Find an (ε, δ) at which the advantage is more than five times as large with Laplace noise as with Gaussian.",
    parameters={
        "epsilon": Slider(0.3, 5.0, 1.0, "privacy parameter", "ε"),
        "delta": Slider(1e-9, 0.1, 1e-5, "with", "δ", stops=decades(-9, -1, 1, 1.5, 2, 3, 5), power=True),
    },
    steps={
        "As in the textbooks": ("ε = 1, δ = 10⁻⁵.", {"epsilon": 1, "delta": 1e-5}),
        "A generous δ": (
            "δ = 0.1: now the Laplace mechanism needs visibly less noise, too.",
            {"epsilon": 1, "delta": 0.1},
        ),
        "As in deep learning": (
            "ε = 5: the advantage of an adversary is far from small.",
            {"epsilon": 5, "delta": 1e-5},
        ),
    },
)


@calibration_point.mechanism(BLUE, "Gaussian")
def gaussian(epsilon, delta):
    return calibrate(Gaussian, epsilon=epsilon, delta=delta)


@calibration_point.mechanism(VERMILLION, "Laplace")
def laplace(epsilon, delta):
    return calibrate(Laplace, epsilon=epsilon, delta=delta)


profiles = calibration_point.face_panel(
    "privacy_profile", grid=np.linspace(0, 6, 61), xlim=(0, 6), ylim=(1e-10, 1), ylog=True
)
tradeoff = calibration_point.face_panel("tradeoff", grid=type_one_errors(61))


@profiles.points(GREEN, moves=("epsilon", "delta"))
def target(epsilon, delta):
    return epsilon, delta


@calibration_point.readouts(
    sigma=Number("Gaussian noise σ", BLUE, 3),
    scale=Number("Laplace noise b", VERMILLION, 3),
    gaussian_advantage=Number("advantage, Gaussian", BLUE, 4),
    laplace_advantage=Number("advantage, Laplace", VERMILLION, 4),
    regret=Number("largest regret of choosing Laplace noise", GREEN, 4),
)
def numbers(epsilon, delta):
    pair = gaussian(epsilon, delta), laplace(epsilon, delta)
    return pair[0].sigma, pair[1].scale, *(m.advantage for m in pair), delta_divergence(*pair).value


@calibration_point.solved
def five_times(epsilon, delta):
    return laplace(epsilon, delta).advantage > 5 * gaussian(epsilon, delta).advantage


@calibration_point.words
def words():
    return (
        "Both are (ε, δ)-DP with the same ε and δ, yet the advantage is larger against Laplace noise: "
        "{laplace_advantage}, and only {gaussian_advantage} against Gaussian noise."
    )


@calibration_point.code
def program(epsilon, delta):
    import dptutor as dp

    gaussian = dp.calibrate(dp.Gaussian, epsilon=epsilon, delta=delta)
    laplace = dp.calibrate(dp.Laplace, epsilon=epsilon, delta=delta)
    sigma, scale = gaussian.sigma, laplace.scale
    gaussian_advantage, laplace_advantage = gaussian.advantage, laplace.advantage
    regret = dp.delta_divergence(gaussian, laplace).value
    print(f"sigma = {sigma:.4f}, b = {scale:.4f}, regret {regret:.4f}")
