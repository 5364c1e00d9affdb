"""What an adversary believes after the output, in both worlds, and how often that is more than is tolerated."""

from math import log, sqrt

import numpy as np
from scipy.special import expit, logit

from ...mechanisms import Gaussian
from ...risk.calibration import calibrate
from ...risk.identifiability import PosteriorBelief
from ..machinery import BLUE, DASHED, GREEN, GREY, PURPLE, VERMILLION, Choice, Explorer, Number, Slider
from ..machinery.shapes import normal_density

PROFILE, CLASSICAL, TAIL = "δ(ε) = δ", "classical σ", "Pr[B > ρ] = δ"
Z = np.linspace(-4.2, 4.2, 49)
DELTAS = {"0.1": 0.1, "0.02": 0.02, "0.01": 0.01, "10⁻⁴": 1e-4, "10⁻⁶": 1e-6}
LEVELS = np.linspace(0.45, 1, 56)[:-1]
NORMAL = np.linspace(-8, 8, 161)

posterior_belief = Explorer(
    "posterior_belief",
    title="How often does a belief exceed the tolerance?",
    caption="First panel: the density of the adversary’s belief that you are in, if you are not (solid) and if you "
    "are (dashed); green: above ρ. Second panel: if you are in, the probability that the belief exceeds each "
    "level.",
    find="With exactly the noise that (ε, δ) requires: where is ρ exceeded twenty times as often as δ seems to say?",
    parameters={
        "reading": Choice((PROFILE, CLASSICAL, TAIL), PROFILE, "Noise"),
        "tolerance": Slider(0.6, 0.99, 0.9, "tolerated belief", "ρ", step=0.01, percent=True),
        "delta": Choice(tuple(DELTAS), "0.01", "δ"),
    },
    steps={
        "Nobody over 90%": (
            "The noise for (ε, δ) = (2.2, 0.01). Yet if you are in, more than three in a hundred outputs lead to a "
            "belief above 90%.",
            {"reading": PROFILE, "tolerance": 0.9, "delta": "0.01"},
        ),
        "With the old formula": (
            "The classical σ is larger than (ε, δ) requires, and here the probability stays below δ after all.",
            {"reading": CLASSICAL, "tolerance": 0.9, "delta": "0.01"},
        ),
        "As it was meant": (
            "Calibrated to the probability itself: if you are in, one output in a hundred leads to a belief above 90%.",
            {"reading": TAIL, "tolerance": 0.9, "delta": "0.01"},
        ),
        "A small promise": (
            "A belief just above even odds, and a δ of one in a million: it is exceeded more than forty times as "
            "often.",
            {"reading": PROFILE, "tolerance": 0.6, "delta": "10⁻⁶"},
        ),
    },
)


@posterior_belief.mechanism(VERMILLION, "the mechanism")
def mechanism(reading, tolerance, delta):
    if reading == CLASSICAL:
        return Gaussian(sigma=sqrt(2 * log(1.25 / DELTAS[delta])) / logit(tolerance))
    if reading == TAIL:
        return calibrate(Gaussian, posterior_belief=tolerance, exceedance=DELTAS[delta])
    return calibrate(Gaussian, posterior_belief=tolerance, delta=DELTAS[delta])


def density(mu, world):
    """Of the belief, over its maximum: that of the loss, a normal one, over the slope of the logistic function."""
    beliefs = expit(mu * Z + world * mu**2 / 2)
    height = normal_density(Z) / (beliefs * (1 - beliefs))
    return beliefs, height / height.max()


@posterior_belief.panel("Belief “in the data”", xlabel="belief B", ylabel="how often", xlim=(0, 1), ylim=(0, 1.3),
                        margins=(26.0, 14.0, 44.0, 30.0))  # fmt: skip
def beliefs(axes):
    axes.set_yticks([])
    axes.grid(False)


@beliefs.region(GREEN, "more than ρ →", opacity=0.45)
def beyond(reading, tolerance, delta):
    x, y = with_example(reading, tolerance, delta)
    inside = np.maximum(x, min(tolerance, x[-1]))
    return inside, 0, np.interp(inside, x, y)


@beliefs.curve(BLUE, "P: not in", moves="")
def without(reading, tolerance, delta):
    return density(mechanism(reading, tolerance, delta).mu, -1)


@beliefs.curve(VERMILLION, "Q: in", line=DASHED, moves="")
def with_example(reading, tolerance, delta):
    return density(mechanism(reading, tolerance, delta).mu, 1)


@beliefs.curve(PURPLE, width=1.6, ghost=False)
def line(tolerance):
    return [tolerance, tolerance], [0, 1.15]


tails = posterior_belief.plain_panel("tails", "How often exceeded", xlabel="belief",
                                     ylabel="Pr[B > belief] in world Q", xlim=(0.45, 1), ylim=(1e-8, 1), ylog=True,
                                     grid=False)  # fmt: skip


@tails.curve(GREY, line=DASHED, width=1.4, ghost=False)
def promised(delta):
    return [0.45, 1], [DELTAS[delta]] * 2


@tails.curve(VERMILLION, line=DASHED)
def exactly(reading, tolerance, delta):
    tail = PosteriorBelief(mechanism(reading, tolerance, delta)).sf(LEVELS)
    return LEVELS, np.maximum(tail, 1e-12)


@tails.text(GREY, offset=(0, 4), align="right")
def promised_label(delta):
    return 0.99, DELTAS[delta], "δ"


@tails.points(GREEN)
def above(reading, tolerance, delta):
    return tolerance, numbers(reading, tolerance, delta)[1]


@tails.text(GREEN, offset=(-12, -12), align="right")
def above_label(reading, tolerance, delta):
    return *above(reading, tolerance, delta), "{exceeds}"


@posterior_belief.readout("ε = logit ρ", PURPLE, 3)
def epsilon(tolerance):
    return log(tolerance / (1 - tolerance))


@posterior_belief.readouts(
    sigma=Number("noise σ", BLUE, 3),
    exceeds=Number("Pr[B > ρ] in world Q", GREEN, 2, power=True),
    ratio=Number("as a multiple of δ", GREEN, 2),
    advantage=Number("expected advantage", VERMILLION, 3),
    mean=Number("mean belief in Q", VERMILLION, 3),
)
def numbers(reading, tolerance, delta):
    m = mechanism(reading, tolerance, delta)
    exceeds = PosteriorBelief(m).sf(tolerance)
    # The trapezoidal rule, on an analytic function with normal tails.
    mean = np.sum(expit(m.mu**2 / 2 + m.mu * NORMAL) * np.exp(-(NORMAL**2) / 2)) / np.sum(np.exp(-(NORMAL**2) / 2))
    return m.sigma, exceeds, exceeds / DELTAS[delta], m.advantage, mean


@posterior_belief.solved
def twenty_times(reading, tolerance, delta):
    return reading == PROFILE and numbers(reading, tolerance, delta)[2] >= 20


@posterior_belief.words
def words(reading, tolerance, delta):
    ratio = numbers(reading, tolerance, delta)[2]
    start = "With σ = {sigma}, an output from world Q leads to a belief above {tolerance} with probability {exceeds}"
    if reading == TAIL:
        return start + ": exactly δ. In world Q the mean belief is {mean}."
    if ratio >= 1.005:
        return start + ", {ratio} times δ. In world Q the mean belief is {mean}."
    how = "hardly more" if ratio > 1 else "less"
    return start + f", {how} than δ. In world Q the mean belief is {{mean}}."


@posterior_belief.code
def program(reading, tolerance, delta):
    from math import log, sqrt

    import dptutor as dp

    epsilon = dp.epsilon_for_posterior_belief(tolerance)
    if reading == "δ(ε) = δ":
        mechanism = dp.calibrate(dp.Gaussian, posterior_belief=tolerance, delta=delta)
    elif reading == "classical σ":
        mechanism = dp.Gaussian(sigma=sqrt(2 * log(1.25 / delta)) / epsilon)
    else:  # Pr[B > ρ] = δ
        mechanism = dp.calibrate(dp.Gaussian, posterior_belief=tolerance, exceedance=delta)
    sigma, advantage, belief = mechanism.sigma, mechanism.advantage, dp.PosteriorBelief(mechanism)
    exceeds, mean = belief.sf(tolerance), belief.mean()
    ratio = exceeds / delta
    print(f"sigma = {sigma:.3f}: above {tolerance} with probability {exceeds:.2g}")
