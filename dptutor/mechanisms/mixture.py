"""Divergences as mixtures of hockey sticks: integrals over the privacy profile of a pair and of its reverse.

A convex g is a mixture of hinges with weight g″, so E_P[g(dQ/dP)] = ∫₀^∞ w(ε) δ(ε) dε + ∫₀^∞ w̃(ε) δ_QP(ε) dε with
w(ε) = g″(e^ε) e^ε and w̃(ε) = g″(e^−ε) e^−2ε; see `dptutor.divergences`. Here is what mechanisms without closed
forms of their own fall back on.

Source: Liese & Vajda (2006), theorem 11.
"""

from __future__ import annotations

import math

import numpy as np

# Beyond this loss e^ε overflows.
_LARGEST_LOSS = 700.0
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)
# How exact integrals are, and the absolute error below which all is rounding of δ.
_ACCURACY, _FLOOR, _MOST_PIECES = 1e-12, 1e-15, 4096


def renyi_from_profile(mechanism, order: np.ndarray) -> np.ndarray:
    """Rényi divergences of finite orders, where a mechanism has no closed form for them."""
    values = [_renyi_of_order(mechanism, float(s)) for s in np.ravel(order)]
    return np.reshape(np.asarray(values, dtype=float), np.shape(order))


def loss_moments_from_profile(mechanism, under: str) -> tuple[float, float]:
    """Mean and variance of the privacy loss under P or Q, where a mechanism has no closed form for them."""
    pair = mechanism if under == "Q" else mechanism.reverse
    # g(γ) = γ log γ has mixture weights 1 and e^−ε; g(γ) = γ log² γ has (2ε + 2) and (2 − 2ε) e^−ε.
    mean = mixture_of_hockey_sticks(pair, lambda epsilon: 1.0, lambda epsilon: np.exp(-epsilon))
    square = mixture_of_hockey_sticks(
        pair, lambda epsilon: 2 + 2 * epsilon, lambda epsilon: (2 - 2 * epsilon) * np.exp(-epsilon)
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
        delta = mechanism._delta(epsilon)
        heights, some = np.zeros(delta.shape), delta > 0
        with np.errstate(over="ignore", invalid="ignore"):
            # In one exponential: where e^{tilt·ε} overflows, its product with δ need not.
            found = weight(epsilon[some]) * np.exp(tilt * epsilon[some] + np.log(delta[some]))
        heights[some] = np.where(np.isnan(found), np.inf, found)  # a weight that overflows
        return heights

    cuts = np.concatenate([[0.0], mechanism._kinks(), np.geomspace(1e-3, _LARGEST_LOSS, 24)])
    cuts = np.unique(cuts[(cuts >= 0) & (cuts <= _LARGEST_LOSS)])
    heights = integrand(cuts)
    if not (heights[-1] > 1e-300 and heights[-1] * _LARGEST_LOSS > 1e-12 * max(np.nanmax(heights), 1e-300)):
        return _area(integrand, cuts)
    if tilt >= 0:
        return math.inf
    # From there on δ is what infinite losses leave, and the integral a decaying exponential's.
    return _area(integrand, cuts) + float(heights[-1]) / -tilt


def _area(function, cuts) -> float:
    """The integral from the first to the last cut: pieces are halved, all at once, until that changes nothing."""
    low, high = cuts[:-1], cuts[1:]
    whole, total = _gauss(function, low, high), 0.0
    while low.size:
        middle = (low + high) / 2
        low, high = np.array([low, middle]), np.array([middle, high])
        halves = _gauss(function, low, high)
        both = halves.sum(axis=0)
        with np.errstate(invalid="ignore"):  # what is infinite is so however finely it is cut
            moved = np.abs(both - whole) > max(_FLOOR, _ACCURACY * (total + np.abs(both).sum()))
        if halves.size > _MOST_PIECES:  # what still moves is rounding
            moved[:] = False
        total += float(both[~moved].sum())
        low, high, whole = (pieces[:, moved].ravel() for pieces in (low, high, halves))
    return total


def _gauss(function, low, high):
    half = (high - low) / 2
    return half * (function((low + half)[..., None] + half[..., None] * _NODES) @ _WEIGHTS)
