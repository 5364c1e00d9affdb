"""Divergences as mixtures of hockey sticks: integrals over the privacy profile of a pair and of its reverse.

A convex g is a mixture of hinges with weight g″, so E_P[g(dQ/dP)] = ∫₀^∞ w(ε) δ(ε) dε + ∫₀^∞ w̃(ε) δ_QP(ε) dε with
w(ε) = g″(e^ε) e^ε and w̃(ε) = g″(e^−ε) e^−2ε; see `dptutor.divergences`. Here is what mechanisms without closed
forms of their own fall back on.

Source: Liese & Vajda (2006), theorem 11.
"""

from __future__ import annotations

import itertools
import math
import warnings

import numpy as np
from scipy.integrate import quad

# Beyond this loss e^ε overflows.
_LARGEST_LOSS = 700.0


def renyi_from_profile(mechanism, order: np.ndarray) -> np.ndarray:
    """Rényi divergences of finite orders, where a mechanism has no closed form for them."""
    return np.vectorize(lambda s: _renyi_of_order(mechanism, float(s)), otypes=[float])(order)


def loss_moments_from_profile(mechanism, under: str) -> tuple[float, float]:
    """Mean and variance of the privacy loss under P or Q, where a mechanism has no closed form for them."""
    pair = mechanism if under == "Q" else mechanism.reverse
    # g(γ) = γ log γ has mixture weights 1 and e^−ε; g(γ) = γ log² γ has (2ε + 2) and (2 − 2ε) e^−ε.
    mean = mixture_of_hockey_sticks(pair, lambda epsilon: 1.0, lambda epsilon: math.exp(-epsilon))
    square = mixture_of_hockey_sticks(
        pair, lambda epsilon: 2 + 2 * epsilon, lambda epsilon: (2 - 2 * epsilon) * math.exp(-epsilon)
    )
    variance = square - mean**2 if math.isfinite(square) else math.inf
    return (mean if under == "Q" else -mean), variance


def _renyi_of_order(mechanism, s: float) -> float:
    if s == 1.0:
        return loss_moments_from_profile(mechanism, "Q")[0]
    # H(s) − 1 = s(s−1) [∫ e^{(s−1)ε} δ(ε) dε + ∫ e^{−sε} δ_QP(ε) dε].
    area = _weighted_area(mechanism, lambda epsilon: 1.0, s - 1) + _weighted_area(
        mechanism.reverse, lambda epsilon: 1.0, -s
    )
    excess = s * (s - 1) * area
    return math.log1p(excess) / (s - 1) if excess > -1 else math.inf


def mixture_of_hockey_sticks(mechanism, weight, weight_reverse) -> float:
    """∫ weight·δ over the pair plus ∫ weight_reverse·δ over its reverse, on positive losses."""
    return _weighted_area(mechanism, weight) + _weighted_area(mechanism.reverse, weight_reverse)


def _weighted_area(mechanism, weight, tilt: float = 0.0) -> float:
    """∫₀^∞ weight(ε) e^{tilt·ε} δ(ε) dε, split at the kinks and cut where the integrand has vanished."""

    def integrand(epsilon):
        delta = float(mechanism._delta(np.asarray(epsilon)))
        try:
            # In one exponential: where e^{tilt·ε} overflows, its product with δ need not.
            return weight(epsilon) * math.exp(tilt * epsilon + math.log(delta)) if delta else 0.0
        except OverflowError:
            return math.inf

    cuts = np.concatenate([[0.0], mechanism._kinks(), np.geomspace(1e-3, _LARGEST_LOSS, 24)])
    cuts = np.unique(cuts[(cuts >= 0) & (cuts <= _LARGEST_LOSS)])
    heights = np.array([integrand(cut) for cut in cuts])
    if heights[-1] > 1e-300 and heights[-1] * _LARGEST_LOSS > 1e-12 * max(np.nanmax(heights), 1e-300):
        if tilt >= 0:
            return math.inf
        # From there on δ is what infinite losses leave, and the integral a decaying exponential's.
        total = heights[-1] / -tilt
    else:
        total = 0.0
    with warnings.catch_warnings():
        # A piece that quad finds hard is one where δ is rounding; the sum is tested against closed forms.
        warnings.simplefilter("ignore")
        for low, high in itertools.pairwise(cuts):
            total += quad(integrand, low, high, epsabs=1e-15, epsrel=1e-11, limit=200)[0]
    return total
