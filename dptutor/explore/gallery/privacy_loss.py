"""The privacy profile as an area: what Q has above exp(ε) P, and why it is less than a tail of the privacy loss.

The idea: δ is not the probability that the loss exceeds ε, but an area, and smaller.
"""

import numpy as np

from ...mechanisms import Gaussian, Laplace
from ..machinery import BLUE, DASHED, DOTTED, GREEN, PURPLE, VERMILLION, Choice, Explorer, Number, Slider
from ..machinery.shapes import normal_density

# Outputs are measured in units of the noise, so that the picture always shows where Q exceeds exp(ε) P.
LOW, HIGH, LOSSES = -3.5, 5.0, np.linspace(-1, 3, 81)
KINDS = {
    "Gaussian": (Gaussian, normal_density),
    "Laplace": (Laplace, lambda z: np.exp(-np.abs(z)) / 2),
}

privacy_loss = Explorer(
    "privacy_loss",
    title="δ is an area",
    caption="First panel: densities with the record (Q) and without it (P, times exp(ε)); the green area is δ(ε). "
    "Second panel: the privacy profile, and the probability in world Q that the loss exceeds ε. Pull P to change ε.",
    find="Find a noise σ and an ε at which the dotted curve, still above 0.1, is at least five times as high as δ.",
    parameters={
        "kind": Choice(tuple(KINDS), "Gaussian", "Mechanism"),
        "noise": Slider(0.5, 2.5, 1.0, "noise", step=0.05, by="kind", symbols={"Gaussian": "σ", "Laplace": "b"}),
        "epsilon": Slider(-1.0, 3.0, 1.0, "loss", "ε", step=0.1),
    },
    steps={
        "The advantage": (
            "At ε = 0 the green area is the total variation distance of the two densities.",
            {"kind": "Gaussian", "noise": 1, "epsilon": 0},
        ),
        "A bounded loss": (
            "Laplace noise: beyond ε = 1/b the curve exp(ε) P covers Q, and δ is 0.",
            {"kind": "Laplace", "noise": 1, "epsilon": 1},
        ),
        "A tail is not δ": (
            "Losses a little above ε count little: δ weights each loss by 1 − exp(ε − L).",
            {"kind": "Gaussian", "noise": 2, "epsilon": 0.3},
        ),
    },
)


@privacy_loss.mechanism(BLUE, "the mechanism")
def mechanism(kind, noise):
    return KINDS[kind][0](noise)


def around(center):
    """Outputs on both sides of the one at which a density may have a kink."""
    return np.concatenate([np.linspace(LOW, center, 30), np.linspace(center, HIGH, 31)[1:]])


def density(kind, x):
    return KINDS[kind][1](x)


worlds = privacy_loss.plain_panel(
    "worlds", "Two worlds", xlabel="output, in units of the noise", ylabel="density", xlim=(LOW, HIGH), ylim=(0, 1.75),
    grid=False, titled=False,
)  # fmt: skip


def green_from(kind, noise, epsilon):
    """Where the privacy loss begins to exceed ε, and with it Q exp(ε) P."""
    if kind == "Laplace" and epsilon <= -1 / noise:
        return LOW
    place = epsilon * noise**2 + 0.5 if kind == "Gaussian" else (1 + epsilon * noise) / 2
    return max(place / noise, LOW)


@worlds.region(GREEN, opacity=0.45)
def excess(kind, noise, epsilon):
    x = np.linspace(min(green_from(kind, noise, epsilon), HIGH - 0.1), HIGH, 23)
    low, high = np.exp(epsilon) * density(kind, x), density(kind, x - 1 / noise)
    return x, np.minimum(low, high * (1 - 1e-9)), high


@worlds.text(GREEN, offset=(-4, -6), align="right")
def green_in_words(kind, noise, epsilon):
    if epsilon >= mechanism(kind, noise).epsilon(0.0):
        return HIGH, 1.7, "no green: δ is 0"
    seen = green_from(kind, noise, epsilon) < HIGH - 0.5
    return HIGH, 1.7, "green: δ(ε)" if seen else "δ(ε) →"


@worlds.curve(BLUE, "exp(ε) P")
def scaled(kind, epsilon):
    x = around(0)
    return x, np.minimum(np.exp(epsilon) * density(kind, x), 2.0)


@worlds.curve(VERMILLION, "Q: in the data", line=DASHED)
def with_example(kind, noise):
    x = around(1 / noise)
    return x, density(kind, x - 1 / noise)


profile = privacy_loss.plain_panel(
    "profile", "Privacy profile", xlabel="ε", ylabel="δ(ε) and Pr[L > ε]", xlim=(-1, 3), ylim=(0, 1), titled=False
)


@profile.curve(BLUE, "δ(ε)")
def deltas(kind, noise):
    return LOSSES, mechanism(kind, noise).privacy_profile(LOSSES)


@profile.curve(PURPLE, "Pr[L > ε] in world Q", line=DOTTED)
def tails(kind, noise):
    return LOSSES, mechanism(kind, noise).privacy_loss.sf(LOSSES, under="Q")


@profile.points(GREEN)
def here(kind, noise, epsilon):
    delta, tail, *_ = numbers(kind, noise, epsilon)
    return [epsilon, epsilon], [delta, tail]


@privacy_loss.readouts(
    delta=Number("δ(ε)", GREEN, 3, power=True),
    tail=Number("Pr[L > ε] in world Q", PURPLE, 3, power=True),
    second=Number("exp(ε) Pr[L > ε] in world P", BLUE, 3, power=True, help="what is subtracted from the tail"),
    advantage=Number("advantage δ(0)", VERMILLION, 4),
    weight=Number("mean of 1 − exp(ε − L) where L > ε", GREEN, 3, help="in world Q: δ divided by the tail"),
    largest=Number("largest loss", VERMILLION, 3),
)
def numbers(kind, noise, epsilon):
    loss = mechanism(kind, noise).privacy_loss
    second = float(np.exp(epsilon) * loss.sf(epsilon, under="P"))
    delta = mechanism(kind, noise).privacy_profile(epsilon)
    tail, largest = delta + second, mechanism(kind, noise).epsilon(0.0)  # tiny tails have all their digits, too
    return delta, tail, second, mechanism(kind, noise).advantage, delta / tail if tail else np.nan, largest


@privacy_loss.solved
def five_times(kind, noise, epsilon):
    delta, tail, *_ = numbers(kind, noise, epsilon)
    return tail > 0.1 and 0 < 5 * delta <= tail


@privacy_loss.readout("α at this threshold", BLUE, 4)
def alpha(kind, noise, epsilon):
    return mechanism(kind, noise).privacy_loss.sf(epsilon, under="P")


@privacy_loss.words
def words(kind, noise, epsilon):
    delta, tail, *_ = numbers(kind, noise, epsilon)
    if epsilon >= mechanism(kind, noise).epsilon(0.0):
        return "No loss exceeds {largest}, so at ε = {epsilon} no part of Q is above exp(ε) P, and δ is 0."
    if tail > 3 * delta:
        return (
            "The loss exceeds ε with probability {tail}, but δ is only {delta}: each of these losses counts 1 − exp(ε "
            "− L), on average {weight}."
        )
    return (
        "δ is {delta}: the probability {tail} of a loss above ε, minus {second}, which is exp(ε) times the same "
        "probability in world P."
    )


@privacy_loss.code
def program(kind, noise, epsilon):
    import math

    import dptutor as dp

    mechanism = {"Gaussian": dp.Gaussian, "Laplace": dp.Laplace}[kind](noise)
    delta, advantage = mechanism.privacy_profile(epsilon), mechanism.advantage
    alpha = mechanism.privacy_loss.sf(epsilon, under="P")
    second = math.exp(epsilon) * alpha
    tail = delta + second  # as mechanism.privacy_loss.sf(epsilon, under="Q"), and to all digits where it is tiny
    weight, largest = delta / tail if tail else math.nan, mechanism.epsilon(0.0)
    print(f"{delta:.4f} = {tail:.4f} - {second:.4f}")
