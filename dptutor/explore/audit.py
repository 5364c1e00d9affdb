"""An audit by repetition: beliefs over the steps of a training, and what three statistics of them say about ε."""

from functools import cache
from math import expm1, inf, log, log1p, sqrt

import numpy as np
from scipy.special import expit, ndtr, ndtri

from ..auditing import (
    FIRST_STEP_ONLY,
    HALF_THE_NOISE,
    NO_CLIPPING,
    SAME_NOISE,
    SOUND,
    clopper_pearson,
    epsilon_from_advantage,
    epsilon_from_beliefs,
    gaussian_epsilon,
    gaussian_mu,
    most_wins,
)
from ..mechanisms import Gaussian
from .machinery import BLUE, DASHED, GREEN, GREY, PURPLE, VERMILLION, Choice, Explorer, Number, Slider

STEPS, MOST, DELTA, TOP, PATHS = 30, 2048, 0.01, 9.0, 8
Z = sqrt(STEPS) / gaussian_mu(log(9), DELTA)
NOISE = np.random.default_rng(13).standard_normal((MOST, STEPS))
NAMES = tuple(flaw.name for flaw in (SOUND, NO_CLIPPING, HALF_THE_NOISE, FIRST_STEP_ONLY, SAME_NOISE))

audit = Explorer(
    "audit",
    title="What repeating a training shows",
    caption="Trainings of up to 30 steps that claim to scale the noise of each step to its local sensitivity. The "
    "claim is then exact: the ε of k Gaussian steps at δ = 0.01. First panel: the belief in D during eight "
    "trainings on D (vermillion, dashed) and eight on D′ (blue); if the claim is true, each step’s belief on "
    "D lies in the gray band with probability 98 %. Second panel: three ways to estimate ε′ after k steps and "
    "R repetitions. Points are the values reported, bars are 95 % intervals, and the dashed line is the "
    "claim. Without clipping, gradients are assumed to be twice as long as C; with a reused seed, the "
    "direction of the gradient’s change is assumed to stay the same.",
    find="For each flaw, find a statistic that reveals it and one that misses it.",
    code="""import numpy as np

import dptutor as dp

a, flaw, k, R, delta = dp.auditing, {flaw}, {steps}, {repetitions}, 0.01
z = 30**0.5 / a.gaussian_mu(np.log(9), delta)
noise = np.random.default_rng(13).standard_normal((2048, 30))[:R, :k]
size = 2.0 if flaw == a.NO_CLIPPING.name else 1.0  # of a gradient, in units of the sensitivity
if flaw == a.HALF_THE_NOISE.name:
    noise = noise / 2
if flaw == a.FIRST_STEP_ONLY.name:
    noise = noise * (np.arange(k) == 0)
if flaw == a.SAME_NOISE.name:
    noise = noise[:, :1] * np.ones(k)
loss = k * (size / z) ** 2 / 2 + size / z * noise.sum(1)  # towards the truth
claim = dp.Gaussian(sigma=z, sensitivity=k**0.5)
epsilon = claim.epsilon(delta)
sensitivities, sigmas = np.full((R, k), size), np.full((R, k), z)
by_sensitivities = a.epsilon_from_sensitivities(sensitivities, sigmas, delta).value
by_beliefs = a.epsilon_from_beliefs(loss, delta).value
wins = int((loss > 0).sum())
at_least = a.epsilon_from_advantage(wins, R, delta, method="any").low
allowed = a.most_wins(R, claim)
print(f"{wins} right guesses, up to {allowed} allowed by the claim")
""",
    parameters={
        "flaw": Choice(NAMES, NAMES[0], "Training"),
        "steps": Slider(1, STEPS, STEPS, "steps", "k", step=1),
        "repetitions": Slider(16, 2048, 512, "repetitions", "R", stops=tuple(2**k for k in range(4, 12))),
    },
    steps={
        "Half the noise": (
            "The adversary trusts the stated σ and is too cautious. The beliefs look private, but the wins reveal the "
            "flaw.",
            {"flaw": NAMES[2], "steps": STEPS, "repetitions": 512},
        ),
        "Noise once": (
            "The beliefs settle at a harmless value, but they are nearly always on the right side.",
            {"flaw": NAMES[3], "steps": STEPS, "repetitions": 512},
        ),
        "One seed": (
            "The beliefs run wild, yet the adversary guesses hardly better than a coin: it does not know that the "
            "noise repeats.",
            {"flaw": NAMES[4], "steps": STEPS, "repetitions": 512},
        ),
        "Too few": (
            "Half the noise again, but sixteen repetitions are too few to show it.",
            {"flaw": NAMES[2], "steps": STEPS, "repetitions": 16},
        ),
    },
)


@cache
def losses(flaw):
    """The privacy loss towards the truth, of shape (repetitions, steps)."""
    steps = np.arange(1, STEPS + 1)
    noise = np.cumsum(NOISE, 1)
    if flaw == HALF_THE_NOISE.name:
        noise = noise / 2
    if flaw == FIRST_STEP_ONLY.name:
        noise = NOISE[:, :1] + 0 * noise
    if flaw == SAME_NOISE.name:
        noise = NOISE[:, :1] * steps
    size = ratio(flaw) / Z
    return size**2 / 2 * steps + size * noise


def ratio(flaw):
    return 2.0 if flaw == NO_CLIPPING.name else 1.0


def paths(flaw, first, sign):
    """The beliefs of some repetitions, from one half, with a gap after each."""
    start, gap = np.zeros((PATHS, 1)), np.full((PATHS, 1), np.nan)
    seen = np.hstack([start, sign * losses(flaw)[first : first + PATHS], gap])
    return np.tile(np.append(np.arange(STEPS + 1.0), STEPS), PATHS), expit(seen).ravel()


@audit.panel("Beliefs over the training", xlabel="step", ylabel="belief in D", xlim=(0, STEPS), ylim=(0, 1),
             legend="upper left")  # fmt: skip
def beliefs(axes):
    steps = np.linspace(0, STEPS, 121)
    middle, spread = steps / Z**2 / 2, ndtri(0.99) * np.sqrt(steps) / Z
    axes.fill_between(steps, expit(middle - spread), expit(middle + spread), color=GREY, alpha=0.18, linewidth=0)
    axes.grid(False)


@beliefs.curve(BLUE, "on D′", width=1.1, ghost=False)
def without(flaw):
    return paths(flaw, PATHS, -1)


@beliefs.curve(VERMILLION, "on D", line=DASHED, width=1.1, ghost=False)
def with_example(flaw):
    return paths(flaw, 0, 1)


@beliefs.curve(PURPLE, width=1.6, ghost=False)
def now(steps):
    return [steps, steps], [0, 1]


@audit.panel("Three estimates of ε′", xlabel="estimated from", ylabel="ε′ at δ = 0.01", xlim=(0.4, 3.6), ylim=(0, TOP),
             legend="upper left")  # fmt: skip
def ways(axes):
    axes.set_xticks([1, 2, 3], ["sensitivities", "beliefs", "wins"])
    axes.grid(False)


@ways.curve(GREY, "claimed ε", line=DASHED, width=1.6, ghost=False)
def claimed(steps):
    return [0.4, 3.6], [claim(steps)] * 2


@ways.ruler(BLUE)
def from_beliefs(flaw, steps, repetitions):
    found = belief(flaw, steps, repetitions)
    return 2, *np.clip([found.low, found.high], 0, TOP)


@cache
def epsilons():
    """The ε of Gaussian mechanisms, between which the picture interpolates."""
    mus = np.linspace(0, 4, 201)
    return mus, [gaussian_epsilon(mu, DELTA) for mu in mus]


def by_wins(share):
    return np.interp(2 * np.maximum(ndtri(share), 0), *epsilons())


@ways.ruler(GREEN)
def from_wins(flaw, steps, repetitions):
    loss = final(flaw, steps, repetitions)
    return 3, *np.minimum(by_wins(clopper_pearson(int((loss > 0).sum()), len(loss))), TOP)


@ways.points(PURPLE, "ε′")
def reported(flaw, steps, repetitions):
    loss = final(flaw, steps, repetitions)
    largest = max(loss.max(), 0) if loss.max() <= TOP else np.nan
    return [1, 2, 3], [claim(steps, ratio(flaw)), largest, min(by_wins((loss > 0).mean()), TOP)]


@ways.text(PURPLE, align="center")
def above(flaw, steps, repetitions):
    return 2 if final(flaw, steps, repetitions).max() > TOP else np.nan, TOP, "↑ {by_beliefs}"


@cache
def claim(steps, size=1.0):
    """ε of so many steps at the claimed noise, of gradients of this size."""
    return gaussian_epsilon(size * sqrt(steps) / Z, DELTA)


def final(flaw, steps, repetitions):
    return losses(flaw)[:repetitions, steps - 1]


@cache
def belief(flaw, steps, repetitions):
    return epsilon_from_beliefs(final(flaw, steps, repetitions), DELTA)


@audit.readouts(
    epsilon=Number("claimed ε", GREY, 2),
    by_sensitivities=Number("ε′ from sensitivities", PURPLE, 2),
    by_beliefs=Number("ε′ from the largest belief", BLUE, 2),
    at_least=Number("ε is at least, from the wins", GREEN, 2, help="for any mechanism, at 95 % confidence"),
    wins=Number("right guesses", GREEN, 0),
    allowed=Number("right guesses allowed by the claim", GREY, 0, help="at most; at the 1 % level"),
)
def numbers(flaw, steps, repetitions):
    loss = final(flaw, steps, repetitions)
    wins, count = int((loss > 0).sum()), len(loss)
    true = Gaussian(sigma=Z, sensitivity=sqrt(steps))
    low = epsilon_from_advantage(wins, count, DELTA, method="any").low
    return claim(steps), claim(steps, ratio(flaw)), float(loss.max()), low, wins, most_wins(count, true)


def chance_of_so_large(largest, steps, repetitions):
    """The probability that the largest of so many log-odds is at least so large, if the claim is true."""
    mu = sqrt(steps) / Z
    return -expm1(repetitions * log1p(-ndtr(mu / 2 - largest / mu)))


@audit.words
def words(flaw, steps, repetitions):
    _, _, largest, _, wins, allowed = numbers(flaw, steps, repetitions)
    start = f"After {'one step' if steps == 1 else '{steps} steps'} the claim is ε = {{epsilon}}. "
    if wins > allowed:
        return start + (
            "The adversary guesses right in {wins} of {repetitions} cases. If the claim is true, more than {allowed} "
            "happen at most once in a hundred audits: caught."
        )
    start += "{wins} of {repetitions} guesses are right, which the claim allows. "
    if ratio(flaw) > 1:
        return start + "But the steps move by more than the claimed sensitivity."
    if chance_of_so_large(largest, steps, repetitions) < 0.01:
        return start + (
            "But if the claim is true, some log-odds reach {by_beliefs} at most once in a hundred audits: caught."
        )
    if belief(flaw, steps, repetitions).high == inf:
        return start + (
            "So few repetitions give no upper limit for the log-odds that one training in a hundred exceeds."
        )
    return start + "The largest log-odds give ε′ = {by_beliefs}, and more repetitions can only raise it."
