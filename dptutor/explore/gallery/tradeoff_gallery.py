"""Four mechanisms and the tangents of their trade-off functions.

The idea: one curve holds a guarantee for every ε, its tangent of slope −e^ε.
"""

import numpy as np

from ...mechanisms import ApproximateDP, Gaussian, Laplace, RandomizedResponse
from ..machinery import BLUE, DASHED, DOTTED, GREEN, GREY, Choice, Explorer, Slider

KINDS = {
    "Gaussian": lambda noise: Gaussian(sigma=noise),
    "Laplace": lambda noise: Laplace(scale=noise),
    "randomized response": lambda noise: RandomizedResponse(epsilon=1 / noise),
    "worst (ε, δ)": lambda noise: ApproximateDP(epsilon=1 / noise, delta=0.1),
}
SYMBOLS = {"Gaussian": "σ", "Laplace": "b", "randomized response": "1/ε₀", "worst (ε, δ)": "1/ε₀"}
STEP = 0.05

tradeoff_gallery = Explorer(
    "tradeoff_gallery",
    title="One curve, a guarantee for every ε",
    caption="First panel: a line of slope −exp(ε) touches the curve and meets the axis at 1 − δ. Second panel: the "
    "δ of every ε; the green point is this line. Pull a blue curve to change the noise.",
    find="Roll the green line along the curve to the smallest ε with δ = 0. Which mechanisms have no such ε?",
    parameters={
        "kind": Choice(tuple(KINDS), "Gaussian", "Mechanism"),
        "noise": Slider(0.3, 4.0, 1.0, "noise", by="kind", symbols=SYMBOLS),
        "epsilon": Slider(0.0, 4.0, 1.0, "privacy parameter", "ε", step=STEP),
    },
    steps={
        "One line suffices": (
            "The curve of randomized response is this one tangent and its mirror image: ε = ε₀ says it all.",
            {"kind": "randomized response", "noise": 1, "epsilon": 1},
        ),
        "A tangent everywhere": (
            "No tangent to a Gaussian curve has δ = 0: at α = 0 the curve is infinitely steep.",
            {"kind": "Gaussian", "noise": 0.5, "epsilon": 4},
        ),
        "The edge of Laplace noise": (
            "Beyond ε = 1/b every tangent passes through the upper left corner, and δ is 0.",
            {"kind": "Laplace", "noise": 1, "epsilon": 1},
        ),
    },
)


@tradeoff_gallery.mechanism(BLUE, "the mechanism")
def mechanism(kind, noise):
    return KINDS[kind](noise)


tradeoff = tradeoff_gallery.face_panel("tradeoff", title="Trade-off function", titled=False)
profile = tradeoff_gallery.face_panel("privacy_profile", title="Privacy profile", titled=False)


@tradeoff.curve(GREEN, "tangent of slope −exp(ε)", line=DASHED, width=1.8, ghost=False)
def tangent(kind, noise, epsilon):
    level, slope = 1 - mechanism(kind, noise).privacy_profile(epsilon), np.exp(epsilon)
    return [0, min(1, level / slope)], [level, max(level - slope, 0)]


@tradeoff.points(GREEN, "", size=6)
def touching(kind, noise, epsilon):
    loss = mechanism(kind, noise).privacy_loss
    return loss.sf(epsilon, under="P"), loss.cdf(epsilon, under="Q")


@tradeoff.curve(GREEN, "mirror image", line=DOTTED, width=1.6, ghost=False)
def mirrored(kind, noise, epsilon):
    x, y = tangent(kind, noise, epsilon)
    return y[::-1], x[::-1]


@profile.points(GREEN, "this tangent")
def guarantee(kind, noise, epsilon):
    return epsilon, mechanism(kind, noise).privacy_profile(epsilon)


@tradeoff_gallery.readout("δ at this ε", GREEN, 2, power=True)
def delta(kind, noise, epsilon):
    return mechanism(kind, noise).privacy_profile(epsilon)


@tradeoff_gallery.readout("power at α = 5%", BLUE, 1, percent=True)
def touch(kind, noise):
    return 1 - mechanism(kind, noise).tradeoff(0.05)


@tradeoff_gallery.readout("advantage δ(0)", BLUE, 4)
def advantage(kind, noise):
    return mechanism(kind, noise).advantage


@tradeoff_gallery.readout("equal errors at", BLUE, 4)
def fixed_point(kind, noise):
    return mechanism(kind, noise).minimax_bayes_error


@tradeoff_gallery.readout("least ε with δ = 0", GREY, 2)
def pure(kind, noise):
    return mechanism(kind, noise).epsilon(0.0)


@tradeoff_gallery.solved
def just_zero(kind, noise, epsilon):
    return 0 <= epsilon - pure(kind, noise) < STEP - 1e-9


@tradeoff_gallery.words
def words(kind, noise, epsilon):
    if mechanism(kind, noise).epsilon(0.0) <= epsilon:
        return "The mechanism is ({epsilon}, 0)-DP: the tangent starts in the upper left corner, and δ is 0."
    return (
        "At ε = {epsilon} the smallest δ is {delta}: the line of slope −exp(ε) that starts at the height 1 − δ on the "
        "axis touches the curve."
    )


@tradeoff_gallery.code
def program(kind, noise, epsilon):
    import dptutor as dp

    makers = {
        "Gaussian": dp.Gaussian,
        "Laplace": dp.Laplace,
        "randomized response": lambda noise: dp.RandomizedResponse(epsilon=1 / noise),
        "worst (ε, δ)": lambda noise: dp.ApproximateDP(epsilon=1 / noise, delta=0.1),
    }
    mechanism = makers[kind](noise)
    delta, touch, advantage = mechanism.privacy_profile(epsilon), 1 - mechanism.tradeoff(0.05), mechanism.advantage
    fixed_point, pure = mechanism.minimax_bayes_error, mechanism.epsilon(0.0)
    print(f"({epsilon}, {delta:.4g})-DP")
