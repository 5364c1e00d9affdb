"""Rényi divergences of two mechanisms, ordered at every order, while their trade-off functions cross."""

from functools import lru_cache

import numpy as np

from ...comparing import blackwell
from ...mechanisms import Gaussian, RandomizedResponse
from ..machinery import BLUE, DASHED, GREEN, VERMILLION, Explorer, Number, Slider, by_up_to, in_points

ORDERS = np.linspace(1, 20, 96)

renyi_order = Explorer(
    "renyi_order",
    title="Rényi says yes, Blackwell says no",
    caption="First panel: Rényi divergences at orders from 1 to 20. If the blue curve is higher everywhere, an "
    "accountant that uses Rényi divergences calls the Gaussian mechanism less private. Second panel: trade-off "
    "functions.",
    find="Here the Rényi curves do not cross, but the trade-off functions do. At which σ do Rényi and Blackwell agree?",
    parameters={
        "sigma": Slider(0.3, 4.0, 1.0, "Gaussian noise", "σ"),
        "epsilon": Slider(0.1, 4.0, 1.0, "randomized response", "ε", step=0.1),
    },
    steps={
        "σ = 1/ε": (
            "Pure ε-DP keeps Rényi divergences below sε²/2, those of Gaussian noise with σ = 1/ε.",
            {"sigma": 1, "epsilon": 1},
        ),
        "Both agree": (
            "With little enough noise the Gaussian mechanism reveals more in Blackwell’s sense, too.",
            {"sigma": 0.5, "epsilon": 1},
        ),
        "Rényi undecided": (
            "At low orders one divergence is larger, at high orders the other: Rényi divergences do not order the two.",
            {"sigma": 2, "epsilon": 1},
        ),
    },
)


@renyi_order.mechanism(BLUE, "Gaussian")
def gaussian(sigma):
    return Gaussian(sigma=sigma)


@renyi_order.mechanism(VERMILLION, "randomized response")
def response(epsilon):
    return RandomizedResponse(epsilon=epsilon)


renyi = renyi_order.plain_panel(
    "renyi",
    "Rényi divergences",
    xlabel="order s",
    ylabel="divergence",
    xlim=(1, 20),
    ylim=(1e-3, 200),
    ylog=True,
)


@renyi.curve(BLUE, "Gaussian")
def gaussian_renyi(sigma):
    return ORDERS, gaussian(sigma).renyi_divergence(ORDERS)


@renyi.curve(VERMILLION, "randomized response", line=DASHED)
def response_renyi(epsilon):
    return ORDERS, response(epsilon).renyi_divergence(ORDERS)


renyi_order.face_panel("tradeoff")


@lru_cache(maxsize=4096)
def compared(sigma, epsilon):
    return blackwell.compare(gaussian(sigma), response(epsilon))


@renyi_order.readouts(
    least_lead=Number("smallest lead of the Gaussian divergence", GREEN, 4, help="above 0: ordered at every order"),
    forth=in_points(
        "largest regret of choosing randomized response", GREEN, help="0: the Gaussian mechanism dominates"
    ),
    back=in_points("largest regret of choosing Gaussian noise", GREEN, help="0: randomized response dominates"),
    gaussian_advantage=Number("advantage, Gaussian", BLUE, 4),
    response_advantage=Number("advantage, randomized response", VERMILLION, 4),
)
def numbers(sigma, epsilon):
    lead = gaussian(sigma).renyi_divergence(ORDERS) - response(epsilon).renyi_divergence(ORDERS)
    both = compared(sigma, epsilon)
    advantages = gaussian(sigma).advantage, response(epsilon).advantage
    return float(lead.min()), both.divergence.value, both.reverse_divergence.value, *advantages


def crossing_is_shown(sigma, epsilon):
    """Whether the curves cross up to order 20: beyond it those of Gaussian noise rise above every bound."""
    return gaussian(sigma).renyi_divergence(ORDERS[-1]) >= response(epsilon).renyi_divergence(ORDERS[-1])


@renyi_order.solved
def both_agree(sigma, epsilon):
    lead, *_, gaussian_advantage, response_advantage = numbers(sigma, epsilon)
    return lead >= 0 and gaussian_advantage >= response_advantage


@renyi_order.words
def words(sigma, epsilon):
    lead, forth, back, gaussian_advantage, response_advantage = numbers(sigma, epsilon)
    if lead >= 0 and gaussian_advantage < response_advantage:
        return (
            "At every order above 1 the Gaussian divergence is the larger one; "
            f"yet some adversaries err more often against Gaussian noise, {by_up_to(forth, 'forth')}."
        )
    if lead >= 0:
        return (
            "Both orders agree: the Gaussian mechanism reveals more to every adversary, who errs less often against "
            "it, by up to {back}."
        )
    start = "The" if crossing_is_shown(sigma, epsilon) else "Beyond order 20 the"
    return (
        f"{start} Rényi curves cross: not even they order the two. Some adversaries err less often against randomized "
        f"response, {by_up_to(forth, 'forth')}, others against the Gaussian mechanism, {by_up_to(back, 'back')}."
    )


@renyi_order.code
def program(sigma, epsilon):
    import numpy as np

    import dptutor as dp

    gaussian, response = dp.Gaussian(sigma=sigma), dp.RandomizedResponse(epsilon=epsilon)
    orders = np.linspace(1, 20, 96)
    least_lead = min(gaussian.renyi_divergence(orders) - response.renyi_divergence(orders))
    forth, back = (float(dp.delta_divergence(*pair)) for pair in [(gaussian, response), (response, gaussian)])
    gaussian_advantage, response_advantage = gaussian.advantage, response.advantage
    print(least_lead, forth, back)
