"""The same (ε, δ) kept in two ways: by giving a few people away for certain, or by Gaussian noise.

The idea: δ does not say whether a few lose everything or many lose a little more than was promised.
"""

from functools import lru_cache

import numpy as np
from scipy.special import expit, ndtri

from ...mechanisms import ApproximateDP, Gaussian
from ...risk.calibration import calibrate
from ..machinery import BLUE, DASHED, GREEN, PURPLE, VERMILLION, Explorer, Number, Slider

MILLION = 10**6
COUNTS = (
    1,
    2,
    3,
    4,
    5,
    6,
    8,
    *(10**k * n // 10 for k in range(1, 5) for n in (10, 12, 15, 20, 25, 30, 40, 50, 60, 80)),
)
FACTORS = np.geomspace(1, 1000, 49)

total_failure = Explorer(
    "total_failure",
    title="The same δ: a few lose everything, or many a little?",
    caption="Leaky response publishes a record with probability δ, and otherwise is randomized response. First "
    "panel: how often the output multiplies the odds of “in” by more than a given factor; purple is the promise. "
    "Second panel: both privacy profiles.",
    find="Find an ε and a δ for which the loss exceeds ε at least twenty times as often with Gaussian noise as with "
    "leaky response.",
    parameters={
        "epsilon": Slider(0.1, 4.0, 1.0, "promise", "ε", step=0.1),
        "delta": Slider(1e-6, 0.08, 1e-5, "with", "δ", stops=tuple(count / MILLION for count in COUNTS), power=True),
    },
    steps={
        "Ten in a million": (
            "The same promise twice. Dashed: ten people are given away, on average. Solid: nobody is.",
            {"epsilon": 1, "delta": 1e-5},
        ),
        "A δ you can see": (
            "With δ = 0.01 one person in a hundred may be published outright, and the promise is kept.",
            {"epsilon": 1, "delta": 0.01},
        ),
        "A small ε": (
            "Now the Gaussian loss exceeds ε far more often than δ says, but only by a little each time.",
            {"epsilon": 0.1, "delta": 1e-5},
        ),
    },
)


@total_failure.mechanism(BLUE, "Gaussian noise")
def gaussian(epsilon, delta):
    return calibrate(lambda sigma: Gaussian(sigma=sigma), epsilon=epsilon, delta=delta)


@total_failure.mechanism(VERMILLION, "leaky response")
def failing(epsilon, delta):
    return ApproximateDP(epsilon, delta)


tails = total_failure.plain_panel(
    "tails", "How often odds rise", xlabel="factor by which the odds rise", ylabel="outputs that exceed it",
    xlim=(1, 1000), ylim=(1e-7, 1), xlog=True, ylog=True, titled=False, width=430.0, margins=(62.0, 12.0, 44.0, 12.0),
)  # fmt: skip


@tails.curve(VERMILLION, "leaky response", line=DASHED, moves="")
def share_of_failing(epsilon, delta):
    promised = np.exp(epsilon)
    flat = np.geomspace(promised, 1000, 6)  # corners, beside which the name may stand
    return [1, promised, *flat], [*2 * [delta + (1 - delta) * expit(epsilon)], *np.full(6, delta)]


@tails.curve(BLUE, "Gaussian noise", moves="")
def share_of_gaussian(epsilon, delta):
    return FACTORS, np.maximum(gaussian(epsilon, delta).privacy_loss.sf(np.log(FACTORS), under="Q"), 1e-9)


@tails.ruler(GREEN)
def beyond(epsilon, delta):
    return np.exp(epsilon), delta, gaussian(epsilon, delta).privacy_loss.sf(epsilon, under="Q")


@tails.text(GREEN, offset=(8, -4))
def times_more(epsilon, delta):
    _, low, high = beyond(epsilon, delta)
    return np.exp(epsilon), np.sqrt(low * high), "{times} times as often"


@tails.points(PURPLE, moves=("epsilon", "delta"))
def promise(epsilon, delta):
    return np.exp(epsilon), delta


scales = {"xlim": (0, 6), "ylim": (1e-7, 1), "ylog": True, "titled": False, "width": 290.0}
BEFORE = np.arange(1, 41) / 10 - 0.01  # just before each ε of the slider, where a profile falls steeply
profiles = total_failure.face_panel("privacy_profile", grid=np.sort([*np.linspace(0, 6, 61), *BEFORE]), **scales)


@profiles.points(PURPLE, moves=("epsilon", "delta"))
def target(epsilon, delta):
    return epsilon, delta


@total_failure.readouts(
    ruined=Number("given away, of a million: leaky response", VERMILLION, 0),
    over=Number("beyond exp(ε), of a million: Gaussian", BLUE, 0),
    times=Number("… as a multiple of δ", GREEN, 1),
    odds=Number("factor that the odds exceed with probability δ: Gaussian", BLUE, 2),
    promised=Number("exp(ε)", PURPLE, 2),
)
@lru_cache(maxsize=4096)
def numbers(epsilon, delta):
    share = gaussian(epsilon, delta).privacy_loss.sf(epsilon, under="Q")
    mu = gaussian(epsilon, delta).mu  # the loss is normal, with mean μ²/2 and standard deviation μ
    return MILLION * delta, MILLION * share, share / delta, np.exp(mu**2 / 2 - mu * ndtri(delta)), np.exp(epsilon)


@total_failure.solved
def far_more_often(epsilon, delta):
    return numbers(epsilon, delta)[2] >= 20


@total_failure.words
def words(epsilon, delta):
    people, few = "{ruined} people", "{ruined} on average multiply"
    if round(MILLION * delta) == 1:
        people, few = "one person", "one on average multiplies"
    return (
        f"Of a million people, leaky randomized response gives {people} away on average. Gaussian noise gives nobody "
        f"away. Of a million of its outputs, {few} the odds by {{odds}} or more, and {{over}} by more than the "
        "promised {promised}."
    )


@total_failure.code
def program(epsilon, delta):
    from math import exp

    from scipy.special import ndtri

    import dptutor as dp

    gaussian = dp.calibrate(dp.Gaussian, epsilon=epsilon, delta=delta)
    beyond = gaussian.privacy_loss.sf(epsilon, under="Q")
    promised, odds = exp(epsilon), exp(gaussian.mu**2 / 2 - gaussian.mu * ndtri(delta))
    ruined, over, times = 1e6 * delta, 1e6 * beyond, beyond / delta
    print(f"beyond exp(ε): {beyond:.2e} of the outputs; worst {delta:g}: odds times {odds:.1f} or more")
