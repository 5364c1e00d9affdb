"""Blackwell's order of two mechanisms, and what lies between them: their meet and their join.

The idea: where the curves cross, neither mechanism reveals more to every adversary; only one that lies below the other
everywhere does.
"""

from functools import lru_cache

import numpy as np

from ...comparing import blackwell
from ...mechanisms import Gaussian, RandomizedResponse, join, meet
from ..machinery import (
    BLUE,
    INK,
    ORANGE,
    PURPLE,
    VERMILLION,
    Choice,
    Explorer,
    Number,
    Slider,
    by_up_to,
    in_points,
    lead_axes,
)

blackwell_order = Explorer(
    "blackwell_order",
    title="Which one always reveals more?",
    caption="First panel: how much more the Gaussian mechanism reveals to the adversary at each prior (percentage "
    "points of Bayes error; scale stretched near zero). Second panel: the trade-off functions. Orange, if asked "
    "for: join or meet.",
    find="Find a σ at which the Gaussian mechanism reveals more to everyone. Can randomized response ever do so?",
    parameters={
        "sigma": Slider(0.3, 4.0, 1.0, "Gaussian noise", "σ"),
        "epsilon": Slider(0.1, 4.0, 1.5, "randomized response", "ε", step=0.1),
        "third": Choice(("nothing", "join", "meet"), "nothing", "Add their"),
    },
    steps={
        "Neither": (
            "The curves cross: at some priors one mechanism reveals more, at other priors the other.",
            {"sigma": 1, "epsilon": 1.5, "third": "nothing"},
        ),
        "Gaussian dominates": (
            "Every adversary does at least as well against this Gaussian mechanism: garbling its output gives the "
            "other's.",
            {"sigma": 0.4, "epsilon": 0.9, "third": "nothing"},
        ),
        "Never the reverse": (
            "However large ε is: far out, an output with Gaussian noise reveals more than any output of randomized "
            "response.",
            {"sigma": 3, "epsilon": 3.9, "third": "nothing"},
        ),
    },
)


@blackwell_order.mechanism(BLUE, "Gaussian")
def gaussian(sigma):
    return Gaussian(sigma=sigma)


@blackwell_order.mechanism(VERMILLION, "randomized response")
def response(epsilon):
    return RandomizedResponse(epsilon=epsilon)


@lru_cache(maxsize=4096)
def compared(sigma, epsilon):
    return blackwell.compare(gaussian(sigma), response(epsilon))


@lru_cache(maxsize=4096)
def between(sigma, epsilon, third):
    return (join if third == "join" else meet)(gaussian(sigma), response(epsilon))


LOSSES, PRIORS = 12 * np.linspace(-1, 1, 81) ** 3, np.linspace(0, 1, 101)
SEEN = 1e-4  # a smaller lead cannot be seen


@blackwell_order.panel("Which reveals more", xlabel="adversary’s prior π",
                       ylabel="lead of Gaussian noise, percentage points", ylim=(-75, 42), ystretch=1.0,
                       titled=False, width=400.0, margins=(56.0, 12.0, 44.0, 12.0))  # fmt: skip
def leads(axes):
    lead_axes(axes, "", "", (26, -62), (-30, -10, -3, -1, 0, 1, 3, 10, 30))  # words beside the arrows are below


@leads.curve(INK, moves="sigma")
def lead(sigma, epsilon):
    return PRIORS, 100 * (response(epsilon).bayes_error(PRIORS) - gaussian(sigma).bayes_error(PRIORS))


leads.filled(BLUE, lead, above=True)
leads.filled(VERMILLION, lead, above=False)


@leads.text(BLUE, offset=(0, 0))
def said_of_gaussian(sigma, epsilon):
    ahead = compared(sigma, epsilon).reverse_divergence.value >= SEEN
    to = " to everyone" if dominates(sigma, epsilon) else " to some"
    return 0.06, 26, f"Gaussian noise reveals more{to if ahead else ''}"


@leads.text(VERMILLION, offset=(0, 0))
def said_of_response(sigma, epsilon):
    to = "" if dominates(sigma, epsilon) else " to some"
    return 0.06, -62, f"randomized response reveals more{to}"


def dominates(sigma, epsilon):
    """The Gaussian mechanism: its f lies below the one corner of the other."""
    return gaussian(sigma).advantage >= response(epsilon).advantage


tradeoff = blackwell_order.face_panel("tradeoff", titled=False, width=320.0)


def seen_if(wanted, third, x, y):
    return x, np.where(third == wanted, y, np.nan)


def third_tradeoff(wanted, sigma, epsilon, third):
    loss = between(sigma, epsilon, wanted).privacy_loss
    return seen_if(wanted, third, [1, *loss.sf(LOSSES, under="P"), 0], [0, *loss.cdf(LOSSES, under="Q"), 1])


@tradeoff.curve(ORANGE, "join", width=1.5, ghost=False, moves="")
def join_tradeoff(sigma, epsilon, third):
    return third_tradeoff("join", sigma, epsilon, third)


@tradeoff.curve(ORANGE, "meet", width=1.5, ghost=False, moves="")
def meet_tradeoff(sigma, epsilon, third):
    return third_tradeoff("meet", sigma, epsilon, third)


@blackwell_order.readouts(
    forth=in_points("largest lead of randomized response", VERMILLION, help="0: the Gaussian mechanism dominates"),
    back=in_points("largest lead of the Gaussian mechanism", BLUE, help="0: randomized response dominates"),
    gaussian_advantage=Number("advantage, Gaussian", BLUE, 4),
    response_advantage=Number("advantage, randomized response", VERMILLION, 4),
)
def numbers(sigma, epsilon):
    both = compared(sigma, epsilon)
    advantages = gaussian(sigma).advantage, response(epsilon).advantage
    return both.divergence.value, both.reverse_divergence.value, *advantages


@blackwell_order.readout("advantage, join or meet", PURPLE, 4)
def third_advantage(sigma, epsilon, third):
    if third == "nothing":
        return np.nan
    return between(sigma, epsilon, third).advantage


@blackwell_order.solved
def to_everyone(sigma, epsilon):
    return dominates(sigma, epsilon)


@blackwell_order.words
def words(sigma, epsilon):
    both = compared(sigma, epsilon)
    if dominates(sigma, epsilon):
        return "The Gaussian mechanism reveals more to every adversary: it Blackwell-dominates randomized response."
    if both.reverse_divergence.value < 5e-11:
        return "To ten digits, the Gaussian mechanism reveals more to no adversary; far out in its tails it still does."
    return (
        "Neither reveals more to everyone: some adversaries err less often against randomized response, "
        f"{by_up_to(both.divergence.value, 'forth')}, others against the Gaussian mechanism, "
        f"{by_up_to(both.reverse_divergence.value, 'back')}."
    )


@blackwell_order.code
def program(sigma, epsilon, third):
    import math

    import dptutor as dp

    gaussian, response = dp.Gaussian(sigma=sigma), dp.RandomizedResponse(epsilon=epsilon)
    comparison = dp.compare(gaussian, response)
    forth, back = comparison.divergence.value, comparison.reverse_divergence.value
    gaussian_advantage, response_advantage = gaussian.advantage, response.advantage
    between = {"nothing": lambda *_: None, "join": dp.join, "meet": dp.meet}[third](gaussian, response)
    third_advantage = between.advantage if between else math.nan
    print(comparison)
