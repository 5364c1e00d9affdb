"""One noise, two tests: a study that looks for an effect among many people, and an adversary who looks for one answer.

The idea: the same noise blurs both tests, and the more people take part, the less it costs the study.
"""

import numpy as np
from scipy.special import ndtr, ndtri

from ..machinery import BLUE, DASHED, GREEN, GREY, PURPLE, VERMILLION, Explorer, Number, Slider
from ..machinery.shapes import type_one_errors

# The study asks a question with two answers: an effect of ten points on a share near one half.
EFFECT, VARIANCE, LEVEL = 0.1, 0.25, 0.05
NOISES = (*(round(0.5 + 0.1 * k, 1) for k in range(15)), *(round(2 + 0.25 * k, 2) for k in range(12)),
          *(5 + 0.5 * k for k in range(10)), *map(float, range(10, 21)))  # fmt: skip
PEOPLE = (*range(50, 200, 10), *range(200, 500, 25), *range(500, 1000, 50), *range(1000, 2001, 250))
ALPHAS = type_one_errors(41)

study = Explorer(
    "study",
    title="Which noise hides an answer and not the effect?",
    caption="A noisy count of n people. The study’s test of 50% yes against 60% (blue); the adversary’s, "
    "whether one person said yes (vermillion). Second panel: over the noise, how often each succeeds, at 5% false "
    "alarms.",
    find="With at most 300 people, find a noise with which the study has a power of at least 80% and the adversary a "
    "true-positive rate below 8%.",
    parameters={
        "sigma": Slider(0.5, 20.0, 4.0, "noise", "σ", stops=NOISES, play=True),
        "people": Slider(50, 2000, 200, "people", "n", stops=PEOPLE),
    },
    steps={
        "A small study": (
            "Sixty people. Noise that hides an answer hides most of the effect as well.",
            {"sigma": 5.0, "people": 60},
        ),
        "Ten times as many": (
            "Six hundred people and the same noise: the study hardly notices it, and the adversary sees no more.",
            {"sigma": 5.0, "people": 600},
        ),
        "Too little noise": (
            "With this noise the study loses next to nothing, and the adversary recognizes nearly two of three "
            "who said yes.",
            {"sigma": 0.5, "people": 200},
        ),
    },
)


def distance(sigma, people):
    """μ of the study: the effect in standard deviations of the published count."""
    return people * EFFECT / np.sqrt(people * VARIANCE + sigma**2)


tradeoff = study.plain_panel(
    "tradeoff", "Two tests", xlabel="false alarms", ylabel="misses", xlim=(0, 1), ylim=(0, 1), titled=False, width=350.0
)
over_noise = study.plain_panel(
    "power", "Over the noise", xlabel="noise σ", ylabel="found, with 5% false alarms", xlim=(0.5, 20), ylim=(0, 1),
    xlog=True, titled=False, width=370.0,
)  # fmt: skip


@tradeoff.curve(GREY, width=1.0, moves="", ghost=False)
def blind():
    return [0, 1], [1, 0]


@tradeoff.curve(BLUE, "the study", moves="people")
def of_study(sigma, people):
    return ALPHAS, ndtr(-ndtri(ALPHAS) - distance(sigma, people))


@tradeoff.curve(VERMILLION, "the adversary", line=DASHED, moves="sigma")
def of_adversary(sigma):
    return ALPHAS, ndtr(-ndtri(ALPHAS) - 1 / sigma)


@over_noise.curve(BLUE, "power", moves="", ghost=False)
def powers(people):
    noises = np.array(NOISES)
    return noises, ndtr(ndtri(LEVEL) + distance(noises, people))


@over_noise.curve(VERMILLION, "true positives", line=DASHED, moves="", ghost=False)
def rates():
    return NOISES, ndtr(ndtri(LEVEL) + 1 / np.array(NOISES))


@over_noise.curve(PURPLE, width=1.6, ghost=False, share=0.5)
def noise(sigma):
    return [sigma, sigma], [0, 1]


@over_noise.points(BLUE, moves="")
def power_here(sigma, people):
    return sigma, power(sigma, people)


@over_noise.points(VERMILLION, moves="")
def rate_here(sigma):
    return sigma, found(sigma)


@study.readout("power of the study", BLUE, 1, percent=True)
def power(sigma, people):
    return ndtr(ndtri(LEVEL) + distance(sigma, people))


@study.readout("adversary’s true positives", VERMILLION, 1, percent=True)
def found(sigma):
    return ndtr(ndtri(LEVEL) + 1 / sigma)


@study.readouts(
    lost=Number("as many people left out", GREEN, 1),
    advantage=Number("adversary’s advantage", VERMILLION, 3),
)
def numbers(sigma, people):
    return people * sigma**2 / (people * VARIANCE + sigma**2), 2 * ndtr(1 / (2 * sigma)) - 1


@study.readout("power without noise", BLUE, 1, percent=True)
def without(people):
    return ndtr(ndtri(LEVEL) + distance(0.0, people))


@study.solved
def both(sigma, people):
    return people <= 300 and power(sigma, people) >= 0.8 and found(sigma) < 0.08


@study.words
def words(sigma, people):
    if power(sigma, people) > 0.999:
        chance = "above 99.9%, with the noise as without it"
    else:
        chance = "{power} instead of " + ("more than 99.9%" if without(people) > 0.999 else "{without}")
    return (
        "Noise of {sigma} costs the study as much as leaving out {lost} of its {people} people: it finds the effect "
        f"with probability {chance}. The adversary recognizes a yes with probability {{found}}, where 5% is chance."
    )


study.ask(
    "The noise is 4. It costs a study with 200 people as much as leaving out 48 of them. How many people does the same "
    "noise cost a study with 2,000?",
    truth=lambda: numbers(4.0, 2000)[0],
    hides=(powers, power_here),
    says="You said {said}. It is {truth}, and never more than 64, however many take part.",
)


@study.code
def program(sigma, people):
    from math import sqrt

    from scipy.special import ndtr, ndtri

    import dptutor as dp

    effect, variance = 0.1, 0.25
    mu = people * effect / sqrt(people * variance + sigma**2)  # of the study
    adversary = dp.Gaussian(sigma=sigma)

    power, found = ndtr(ndtri(0.05) + mu), 1 - adversary.tradeoff(0.05)
    without = ndtr(ndtri(0.05) + effect * sqrt(people / variance))
    lost, advantage = people * sigma**2 / (people * variance + sigma**2), adversary.advantage
    print(f"power {power:.3f} ({without:.3f} without noise); the adversary finds {found:.3f}")
