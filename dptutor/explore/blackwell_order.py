"""Blackwell's order of two mechanisms, and what lies between them: their meet and their join."""

from functools import lru_cache

import numpy as np

from .. import blackwell
from ..mechanisms import Gaussian, RandomizedResponse, join, meet
from .machinery import BLUE, GREEN, ORANGE, PURPLE, VERMILLION, Choice, Explorer, Number, Slider

blackwell_order = Explorer(
    "blackwell_order",
    title="Which one always reveals more?",
    caption="A Gaussian mechanism (blue, solid) and randomized response (vermillion, dashed). First panel: trade-off "
    "functions. Second panel: Bayes errors; circles mark where they cross. Where one curve lies below the "
    "other everywhere, garbling the output of its mechanism gives the other mechanism. Orange: their join "
    "(the most private mechanism from which both can be obtained by garbling) or their meet (the least "
    "private mechanism that can be obtained from either).",
    find="Find a σ at which the Gaussian mechanism dominates. Can randomized response ever dominate?",
    code="""import dptutor as dp

gaussian, response = dp.Gaussian(sigma={sigma}), dp.RandomizedResponse(epsilon={epsilon})
comparison = dp.compare(gaussian, response)
forth, back = comparison.divergence.value, comparison.reverse_divergence.value
between = {"join": dp.join, "meet": dp.meet}
third = between[{third}](gaussian, response)
gaussian_advantage, response_advantage, third_advantage = (m.advantage for m in (gaussian, response, third))
print(comparison)
""",
    parameters={
        "sigma": Slider(0.3, 4.0, 1.0, "Gaussian noise", "σ"),
        "epsilon": Slider(0.1, 3.9, 1.5, "randomized response", "ε", step=0.2),
        "third": Choice(("join", "meet"), "join", "Show their"),
    },
    steps={
        "Neither": (
            "The curves cross: at some priors one mechanism reveals more, at other priors the other.",
            {"sigma": 1, "epsilon": 1.5, "third": "join"},
        ),
        "Gaussian dominates": (
            "Every adversary does at least as well against this Gaussian mechanism: garbling its output gives the "
            "other's.",
            {"sigma": 0.4, "epsilon": 0.9, "third": "meet"},
        ),
        "Never the reverse": (
            "However large ε is: far out, an output with Gaussian noise reveals more than any output of randomized "
            "response.",
            {"sigma": 3, "epsilon": 3.9, "third": "meet"},
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


tradeoff = blackwell_order.face_panel("tradeoff")
bayes = blackwell_order.face_panel("bayes_error")
LOSSES, PRIORS = 12 * np.linspace(-1, 1, 81) ** 3, np.linspace(0, 1, 81)


@tradeoff.curve(ORANGE, "join or meet", width=1.5, ghost=False)
def third_tradeoff(sigma, epsilon, third):
    loss = between(sigma, epsilon, third).privacy_loss
    return [1, *loss.sf(LOSSES, under="P"), 0], [0, *loss.cdf(LOSSES, under="Q"), 1]


@bayes.curve(ORANGE, width=1.5, ghost=False)
def third_bayes(sigma, epsilon, third):
    return PRIORS, between(sigma, epsilon, third).bayes_error(PRIORS)


bayes.crossings(compared, "crossings")


@blackwell_order.readouts(
    forth=Number("Δ(Gauss‖RR)", GREEN, 4, help="0: the Gaussian mechanism dominates"),
    back=Number("Δ(RR‖Gauss)", GREEN, 4, help="0: randomized response dominates"),
    gaussian_advantage=Number("advantage, Gaussian", BLUE, 4),
    response_advantage=Number("advantage, RR", VERMILLION, 4),
)
def numbers(sigma, epsilon):
    both = compared(sigma, epsilon)
    advantages = gaussian(sigma).advantage, response(epsilon).advantage
    return both.divergence.value, both.reverse_divergence.value, *advantages


@blackwell_order.readout("advantage, join or meet", PURPLE, 4)
def third_advantage(sigma, epsilon, third):
    return between(sigma, epsilon, third).advantage


def amount(divergence, name):
    """How much less some adversary errs, and never a zero that is none."""
    return f"by up to {{{name}}}" if divergence.value >= 5e-5 else "by less than 0.0001"


@blackwell_order.words
def words(sigma, epsilon):
    both = compared(sigma, epsilon)
    if gaussian(sigma).advantage >= response(epsilon).advantage:  # then its f lies below the one corner of the other
        return (
            "No adversary errs less often against randomized response: the Gaussian mechanism Blackwell-dominates it."
        )
    if both.reverse_divergence.value < 5e-11:
        return (
            "To ten digits, no adversary errs less often against the Gaussian mechanism; far out in its tails it still "
            "reveals more."
        )
    return (
        f"Some adversaries err less often against randomized response, {amount(both.divergence, 'forth')}, others "
        f"against the Gaussian mechanism, {amount(both.reverse_divergence, 'back')}."
    )
