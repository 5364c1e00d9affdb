"""Two mechanisms through one (ε, δ): what the pair of numbers fixes, and all that it leaves open."""

from ..blackwell import delta_divergence
from ..calibration import calibrate
from ..mechanisms import Gaussian, Laplace
from .machinery import BLUE, GREEN, VERMILLION, Explorer, Number, Slider, decades

calibration_point = Explorer(
    "calibration_point",
    title="The same (ε, δ), not the same privacy",
    caption="A Gaussian mechanism (blue, solid: f and δ) and a Laplace mechanism (vermillion, dashed: f̃ and δ̃), both "
    "with exactly the noise that (ε, δ) requires. First panel: their privacy profiles, on a logarithmic scale, meet at "
    "the green point. (The Laplace profile is nearly vertical there: it is 0 where ε is at least 1/b.) Second panel: "
    "their trade-off functions. Pull a curve by its ring to change δ.",
    find="Hold ε fixed and move δ: which curve hardly moves, and which one moves a lot?",
    code="""import dptutor as dp

target = {"epsilon": {epsilon}, "delta": {delta}}
gaussian, laplace = dp.calibrate(dp.Gaussian, **target), dp.calibrate(dp.Laplace, **target)
sigma, scale = gaussian.sigma, laplace.scale
gaussian_advantage, laplace_advantage = gaussian.advantage, laplace.advantage
regret = dp.delta_divergence(gaussian, laplace).value
print(f"sigma = {sigma:.4f}, b = {scale:.4f}, regret {regret:.4f}")
""",
    parameters={
        "epsilon": Slider(0.25, 5.0, 1.0, "privacy parameter", "ε", step=0.25),
        "delta": Slider(1e-9, 0.1, 1e-5, "with", "δ", stops=decades(-9, -1, 1, 2, 5), power=True),
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


profiles = calibration_point.face_panel("privacy_profile", xlim=(0, 6), ylim=(1e-10, 1), ylog=True, legend="")
tradeoff = calibration_point.face_panel("tradeoff")


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


@calibration_point.words
def words():
    return (
        "Both are (ε, δ)-DP with the same ε and δ, yet the advantage is larger against Laplace noise: "
        "{gaussian_advantage} for the Gaussian, {laplace_advantage} for the Laplace mechanism."
    )
