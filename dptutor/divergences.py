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
import warnings

import numpy as np
from scipy.integrate import quad

from ._validation import choice, real_array, shaped
from .mechanisms.base import LARGEST_LOSS, Mechanism, as_mechanism

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
    """
    as_mechanism("mechanism", mechanism)
    return _mixture(
        mechanism,
        lambda epsilon: math.exp(epsilon) * second_derivative(math.exp(epsilon)),
        lambda epsilon: math.exp(-2 * epsilon) * second_derivative(math.exp(-epsilon)),
    )


def renyi_from_profile(mechanism: Mechanism, order: np.ndarray) -> np.ndarray:
    """Rényi divergences of finite orders, where a mechanism has no closed form for them."""
    return np.vectorize(lambda s: _renyi_of_order(mechanism, s), otypes=[float])(order)


def loss_moments_from_profile(mechanism: Mechanism, under: str) -> tuple[float, float]:
    """Mean and variance of the privacy loss under P or Q, where a mechanism has no closed form for them."""
    pair = mechanism if choice("under", under, ("P", "Q")) == "Q" else mechanism.reverse
    # g(γ) = γ log γ has mixture weights 1 and e^−ε; g(γ) = γ log² γ has (2ε + 2) and (2 − 2ε) e^−ε.
    mean = _mixture(pair, lambda epsilon: 1.0, lambda epsilon: math.exp(-epsilon))
    square = _mixture(pair, lambda epsilon: 2 + 2 * epsilon, lambda epsilon: (2 - 2 * epsilon) * math.exp(-epsilon))
    variance = square - mean**2 if math.isfinite(square) else math.inf
    return (mean if under == "Q" else -mean), variance


def _renyi_of_order(mechanism: Mechanism, s: float) -> float:
    if s == 1.0:
        return loss_moments_from_profile(mechanism, "Q")[0]
    # H(s) − 1 = s(s−1) [∫ e^{(s−1)ε} δ(ε) dε + ∫ e^{−sε} δ_QP(ε) dε].
    excess = s * (s - 1) * _mixture(
        mechanism, lambda epsilon: math.exp((s - 1) * epsilon), lambda epsilon: math.exp(-s * epsilon)
    )
    return math.log1p(excess) / (s - 1) if excess > -1 else math.inf


def _mixture(mechanism: Mechanism, weight, weight_reverse) -> float:
    return _weighted_area(mechanism, weight) + _weighted_area(mechanism.reverse, weight_reverse)


def _weighted_area(mechanism: Mechanism, weight) -> float:
    """∫₀^∞ weight(ε) δ(ε) dε, split at the kinks and cut where the integrand has vanished."""

    def integrand(epsilon):
        delta = float(mechanism._delta(np.asarray(epsilon)))
        try:
            return weight(epsilon) * delta if delta else 0.0
        except OverflowError:
            return math.inf

    cuts = np.concatenate([[0.0], mechanism._kinks(), np.geomspace(1e-3, LARGEST_LOSS, 24)])
    cuts = np.unique(cuts[(cuts >= 0) & (cuts <= LARGEST_LOSS)])
    heights = np.array([integrand(cut) for cut in cuts])
    if heights[-1] > 1e-300 and heights[-1] * LARGEST_LOSS > 1e-12 * max(np.nanmax(heights), 1e-300):
        return math.inf
    total = 0.0
    with warnings.catch_warnings():
        # A piece that quad finds hard is one where δ is rounding; the sum is tested against closed forms.
        warnings.simplefilter("ignore")
        for low, high in zip(cuts[:-1], cuts[1:], strict=True):
            total += quad(integrand, low, high, epsabs=1e-15, epsrel=1e-11, limit=200)[0]
    return total
