"""Divergences of a mechanism's pair, read off its privacy profile.

A divergence D_g(Q‖P) = E_P[g(dQ/dP)] with g convex and g(1) = 0 is a mixture of hockey-stick divergences, with
weight g″ (every convex function is a mixture of hinges). In the loss variable ε = log γ and with δ_QP for the
profile of the reverse pair,

    D_g(Q‖P) = ∫₀^∞ g″(e^ε) e^ε δ(ε) dε + ∫₀^∞ g″(e^−ε) e^−2ε δ_QP(ε) dε .

So the privacy profile determines them all; none of them alone determines the profile.

Source: Liese & Vajda (2006), theorem 11; Sason & Verdú (2016), proposition 3.
"""

from __future__ import annotations

import math

import numpy as np

from ._validation import real_array, shaped
from .mechanisms.base import LARGEST_LOSS, as_mechanism
from .mechanisms.mixture import mixture_of_hockey_sticks

__all__ = [
    "chi_squared",
    "f_divergence",
    "hellinger_squared",
    "hockey_stick",
    "kullback_leibler",
    "renyi",
    "total_variation",
]


def hockey_stick(mechanism, order):
    """Hockey-stick divergence ∫ max(Q − γP, 0) of order γ ≥ 0, scalar or array: the privacy profile at log γ."""
    order = real_array("order", order, 0.0)
    with np.errstate(divide="ignore"):
        return shaped(as_mechanism("mechanism", mechanism)._delta(np.log(order)))


def total_variation(mechanism) -> float:
    """Total variation of P and Q, in [0, 1]: the hockey-stick divergence of order 1."""
    return as_mechanism("mechanism", mechanism).advantage


def renyi(mechanism, order):
    """Rényi divergence D_s(Q‖P) of order s > 0, scalar or array."""
    return as_mechanism("mechanism", mechanism).renyi_divergence(order)


def kullback_leibler(mechanism) -> float:
    """Kullback-Leibler divergence of Q from P, E_Q[L]."""
    return as_mechanism("mechanism", mechanism).renyi_divergence(1.0)


def chi_squared(mechanism) -> float:
    """χ² divergence ∫ (Q − P)²/P = e^{D_2} − 1."""
    divergence = as_mechanism("mechanism", mechanism).renyi_divergence(2.0)
    return math.expm1(divergence) if divergence < LARGEST_LOSS else math.inf


def hellinger_squared(mechanism) -> float:
    """Squared Hellinger distance 1 − ∫ √(PQ), in [0, 1]: 1 − e^{−D_½/2}."""
    return -math.expm1(-as_mechanism("mechanism", mechanism).renyi_divergence(0.5) / 2)


def f_divergence(mechanism, second_derivative) -> float:
    """The divergence E_P[g(dQ/dP)] of a convex g with g(1) = 0, given its second derivative.

    Parameters
    ----------
    mechanism : Mechanism
    second_derivative : callable
        g″ on (0, ∞), for arrays. Kullback-Leibler has 1/γ, χ² has 2, squared Hellinger γ^−1.5/4.

    Returns
    -------
    float
        The divergence, to about 1e-10 relative; infinite where the mixture diverges.

    In the book: chapter 3, def-f-divergence; chapter 8, thm-mean-gain.
    """
    as_mechanism("mechanism", mechanism)
    return mixture_of_hockey_sticks(
        mechanism,
        lambda epsilon: math.exp(epsilon) * second_derivative(math.exp(epsilon)),
        lambda epsilon: math.exp(-2 * epsilon) * second_derivative(math.exp(-epsilon)),
    )
