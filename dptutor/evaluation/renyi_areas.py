"""Rényi divergences if the loss is a function of a normal answer: sums of terms of one sign.

With r = e^loss and t = s, or t = 1 − s for the reverse pair, H(t) − 1 = E_P[r^t − 1 − t(r − 1)], and for order 1 the
mean of r log r or −log r in the same form; D_s = log H / (s − 1). All terms have one sign, so that small divergences
keep their digits. They are summed relative to the largest, since H may overflow.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from .from_profile import integral
from .polynomials import gauss

Function: TypeAlias = Callable[[np.ndarray], np.ndarray]

# If log |H − 1| exceeds this, H is summed instead.
_LARGE = math.log(0.5)
# Terms with exponents below this are computed as integrals, by Gauss's rule.
_INTEGRATED = 30.0
_NODES, _WEIGHTS = gauss(40)
# Integrals over the answer extend this far beyond the centers.
TAIL = 40.0
# Peaks are first looked for at this many places,
_PLACES = 2001
# and then, around each, at this many, repeatedly, until they are this close together.
_CLOSER, _CLOSE = 65, 1e-3
# Peaks that are lower than the highest by more than this, in logarithms, do not matter.
_LOWER = 800.0
# The square of an answer beyond this has no digits after the point.
_FAR = 1e7
_AROUND = np.geomspace(1e-3, TAIL, 16)


def renyi_of_answers(loss_at: Function, log_density: Function, order: float, t: float, centers: np.ndarray) -> float:
    """D_s; `log_density` is the log-density of the answer under P, without the constant of a normal density.

    `centers` are those of all normal terms.
    """
    low, high = float(np.min(centers)), float(np.max(centers))

    def area(log_terms: Function) -> float:
        """log ∫ e^terms / √2π."""
        at = peaks(log_terms, centers)
        heights = log_terms(at)
        largest = float(np.max(heights))
        at = at[heights >= largest - _LOWER]
        # So far out, only the height of a peak matters.
        if largest == -math.inf or np.max(np.abs(at)) > _FAR:
            return largest
        cuts = np.unique(np.concatenate([[low - TAIL, high + TAIL], *(at + d for d in (*_AROUND, *-_AROUND, 0.0))]))
        found = integral(lambda z: np.exp(log_terms(z) - largest), cuts)
        return largest + math.log(found / math.sqrt(2 * math.pi))

    def log_terms(z: np.ndarray) -> np.ndarray:
        loss, log_p = loss_at(z), log_density(z)
        return log_excess(loss, log_p, log_p + loss, t, order == 1.0)

    excess = area(log_terms)
    return renyi_of_excess(excess, order, t, lambda: area(lambda z: t * loss_at(z) + log_density(z)))


def renyi_of_excess(log_sum: float, order: float, t: float, log_h: Callable[[], float]) -> float:
    """D_s from log |H(t) − 1|, or, if that is large, from log H(t); for order 1 the excess is the divergence."""
    if order == 1.0:
        return math.exp(log_sum)
    if t * (t - 1.0) > 0:
        return float(np.logaddexp(0.0, log_sum)) / (order - 1.0)
    if log_sum > _LARGE:
        return log_h() / (order - 1.0)
    return math.log1p(-math.exp(log_sum)) / (order - 1.0)


def peaks(function: Function, centers: np.ndarray) -> np.ndarray:
    """The local maxima of a smooth function, approximately; −∞, which stands for a loss that underflows, is none.

    They are looked for around centers of normal terms, and between these.
    """
    between = np.linspace(np.min(centers) - TAIL, np.max(centers) + TAIL, _PLACES)
    around = np.add.outer(centers, np.concatenate([-_AROUND, [0.0], _AROUND])).ravel()
    places = np.unique(np.concatenate([between, around, np.linspace(-TAIL, TAIL, _PLACES)]))
    value = np.concatenate([[-np.inf], function(places), [-np.inf]])
    # Between two places at which the loss underflows, it underflows.
    is_peak = (value[1:-1] >= value[:-2]) & (value[1:-1] >= value[2:]) & (value[1:-1] > -np.inf)
    if not is_peak.any():
        return places[:1]
    highest = np.flatnonzero(is_peak)
    found = []
    for place in highest.tolist():
        left, right = places[max(place - 1, 0)], places[min(place + 1, places.size - 1)]
        while right - left > _CLOSE * (1.0 + abs(left) * _CLOSE):
            closer = np.linspace(left, right, _CLOSER)
            best = int(np.argmax(function(closer)))
            left, right = closer[max(best - 1, 0)], closer[min(best + 1, _CLOSER - 1)]
        found.append((left + right) / 2)
    return np.array(found)


def log_excess(loss: np.ndarray, log_p: np.ndarray, log_q: np.ndarray, t: float, derived: bool) -> np.ndarray:
    """log of p |e^{tl} − 1 − t (e^l − 1)|, or, if `derived`, of p times its derivative in t, at t = 0 or 1.

    log q = l + log p is given too: where both l and log p are huge, their sum has lost its digits.
    """
    size = abs(t)
    near = np.abs(loss) * max(1.0, size) < _INTEGRATED
    # As integrals from 0 to l of terms of one sign.
    x = np.where(near, loss, 0.0)[..., None] * (1.0 + _NODES) / 2
    if derived:
        inner = x * np.exp(x) if t else np.expm1(x)
    else:
        inner = size * np.exp(x) * np.expm1((t - 1.0) * x)
    with np.errstate(divide="ignore"):
        within = np.log(np.abs(np.where(near, loss, 0.0) * np.sum(inner * _WEIGHTS, axis=-1) / 2))
    away = np.where(near, _INTEGRATED, loss)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        if derived and t:
            beyond = np.where(
                away > 0, log_q + np.log(away - 1.0), log_p + np.log1p((away - 1.0) * np.exp(np.minimum(away, 0.0)))
            )
        elif derived:
            beyond = np.where(away > 0, log_q, log_p + np.log(-1.0 - away))  # next to e^30
        else:
            beyond = _far_excess(away, log_p, log_q, t)
    return np.where(near, log_p + within, beyond)


def _far_excess(loss: np.ndarray, log_p: np.ndarray, log_q: np.ndarray, t: float) -> np.ndarray:
    """The same for a large |l| or |tl|, as a share of q if l > 0 and of p if l < 0, without cancellation."""
    right, size = loss > 0, np.abs(loss)
    most, rest = np.where(right, log_q, log_p), -np.expm1(-size)
    if 0 < t < 1:
        share, other = (np.where(right, *both) for both in ((1.0 - t, t), (t, 1.0 - t)))
        small = -np.expm1(-share * size) - share * rest
        large = other * rest - np.exp(-share * size) + np.exp(-size)
        return most + np.log(np.where(share < 0.5, small, large))
    power, weight = np.where(right, (t - 1.0) * loss, t * loss), np.where(right, t - 1.0, -t)
    rising = most + power + np.log(-np.expm1(-power) - weight * rest * np.exp(-power))
    if t < 0:
        falling = _log_difference(np.logaddexp(log_p + t * loss, math.log(-t) + log_q), log_p + math.log1p(-t))
    else:
        falling = _log_difference(np.logaddexp(log_p + t * loss, log_p + math.log(t - 1.0)), math.log(t) + log_q)
    # e^l − 1 has digits that e^l does not have.
    close = log_p + np.log(np.expm1(np.minimum(t * loss, 0.0)) - t * np.expm1(np.clip(loss, -1.0, 1.0)))
    return np.where(power > 0, rising, np.where(size < 1.0, close, falling))


def _log_difference(more: np.ndarray, less: np.ndarray | float) -> np.ndarray:
    """log(e^more − e^less)."""
    return more + np.log(-np.expm1(np.minimum(less - more, 0.0)))
