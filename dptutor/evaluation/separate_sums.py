"""Losses of subsampled Gaussian steps with so little noise that the two components hardly overlap.

The u of a step is below μ/2, with μ = 1/σ, where the example takes no part, above where it does, up to a mass of
Φ(−μ/2). The loss L is about L' = log(1 − p) there and L' = log p + μu − μ²/2 here; that of n steps in which it takes
part k times is then a normal variable, and with B the binomial weights

    δ(ε) ≈ Σ_k B(k) δ_k(ε − m_k),     m_k = k log p + (n − k) log(1 − p),

where δ_k is the profile of N(0, 1) against N(√k μ, 1). Truly L = log(1 − p + p e^{μu − μ²/2}) = L' + r, r > 0, so δ is
no less than that. It is more by at most the sum over steps of E[r; L > ε], and 1 − δ is less by at most that of
E[r min(1, e^{ε − L'})], L and L' those of all steps. With Chernoff's bound, for c > 0 and −1 ≤ c ≤ 0,

    n E[r e^{cX}] E[e^{cX}]^{n − 1} e^{−cε},     X = L or X = L' of one step,

which is small beside δ, or 1 − δ, itself. The reverse pair has −n log(1 − p) as its largest loss. Its δ is less than if
all losses were that by at most n E[min(r, y)] under P, at a distance of y from it.
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np
from scipy.special import erfcx, gammaln, log_ndtr, logsumexp, ndtr

from .._floats import LAST_PLACE, SMALLEST_LOG

_LEAST = 1e-300
# Binomial weights below e^−_DEPTH are no numbers, and so are those of so many participations more than on average, of
# which there may be _MOST; terms of sums that are e^−_NEGLIGIBLE of others are left out.
_DEPTH, _MOST, _NEGLIGIBLE, _AT_ONCE = 720.0, 2e4, 60.0, 50_000
# Chernoff's bounds: their number on either side, the largest c in units of σ, how many points on a length of σ and how
# far beyond the means integrals are sums of; and a factor for what these miss. With so little noise, none is needed.
_TILTS, _LARGEST_TILT, _POINTS, _TAIL, _MARGIN, _SILENT = 24, 60.0, 3, 14.0, 1.01, 40.0


class SeparateSums:
    """Losses of `count` steps.

    Parameters
    ----------
    noise_multiplier, sampling_rate, count
        σ, 0 < p < 1 and the number of steps.
    """

    def __init__(self, noise_multiplier: float, sampling_rate: float, count: int) -> None:
        self._mu, self._rate, self._count = 1.0 / noise_multiplier, sampling_rate, count
        k = np.arange(min(float(count), count * sampling_rate + _MOST) + 1.0)
        log_weight = gammaln(count + 1.0) - gammaln(k + 1) - gammaln(count - k + 1)
        log_weight += k * math.log(sampling_rate) + (count - k) * math.log1p(-sampling_rate)
        kept = log_weight > -_DEPTH
        self._k, self._log_weight, self._weight = k[kept], log_weight[kept], np.exp(log_weight[kept])
        self._rounding = LAST_PLACE * (16.0 + 4.0 * float(gammaln(count + 1.0)) + _DEPTH)
        self._start = self._k * math.log(sampling_rate) + (count - self._k) * math.log1p(-sampling_rate)
        self._middle = self._start + self._k * self._mu**2 / 2

    def losses(self) -> np.ndarray:
        """Losses under Q between which profiles are smooth, up to where δ underflows."""
        width = np.sqrt(self._k) * self._mu
        return np.unique(self._middle + width * np.array([-13.0, -6.0, 0.0, 6.0, 13.0, 25.0, 39.0])[:, None])

    @property
    def highest(self) -> float:
        """The largest loss of (Q, P)."""
        return -self._count * math.log1p(-self._rate)

    def left(self, epsilon: np.ndarray, complement: bool = False) -> np.ndarray:
        """How much of δ of (P, Q), or of 1 − δ, is open."""
        c, height = self._tilts
        side = c <= 0 if complement else c >= 0
        exponent = height[side] - np.multiply.outer(np.minimum(epsilon, 1e300), c[side])
        return np.exp(np.clip(np.min(exponent, axis=-1), SMALLEST_LOG, 0.0))

    @cached_property
    def _tilts(self) -> tuple[np.ndarray, np.ndarray]:
        """c and the logarithm of n E[r e^{cX}] E[e^{cX}]^{n − 1}."""
        mu, rate, n = self._mu, self._rate, self._count
        if mu > _SILENT:
            # E[r] from the mass on the wrong side.
            return np.zeros(1), np.log(np.array([3.0 * n * ndtr(-mu / 2) + _LEAST]))
        least = 0.02 / (math.sqrt(n * rate + 1.0) * mu**2)
        right, left = np.geomspace(least, _LARGEST_TILT / mu, _TILTS), np.geomspace(min(least, 0.5), 1.0, _TILTS)
        end = mu + max(_LARGEST_TILT, mu) + _TAIL
        u, step = np.linspace(-_TAIL, end, math.ceil((end + _TAIL) * mu * _POINTS), retstep=True)
        off, there = math.log1p(-rate), math.log(rate) + mu * u - mu**2 / 2
        log_scale = math.log(step / math.sqrt(2 * math.pi))
        density = np.array([off - u**2 / 2, math.log(rate) - (u - mu) ** 2 / 2]) + log_scale
        shorter, gap = np.array([np.full(u.shape, off), there]), np.array([there - off, off - there])
        longer = np.logaddexp(off, there)
        # log r, r = log(1 + e^gap).
        log_r = np.log(np.logaddexp(0.0, np.maximum(gap, -30.0))) + np.minimum(gap + 30.0, 0.0)
        c, height = np.concatenate([-left[::-1], [0.0], right]), []
        for tilt in c:
            exponent = density + tilt * (longer if tilt > 0 else shorter)
            height.append(logsumexp(exponent + log_r) + (n - 1.0) * logsumexp(exponent))
        return c, np.array(height) + math.log(n * _MARGIN)

    def removed(self, epsilon: np.ndarray, complement: bool) -> tuple[np.ndarray, np.ndarray]:
        """δ of (P, Q), or 1 − δ, at ε, and a bound on the relative error."""
        value = np.zeros(epsilon.shape)
        places = self._that_count(float(epsilon.min()), float(epsilon.max()), complement)
        if places.size and self._k[places[0]] == 0:
            none, places = places[0], places[1:]
            at = np.minimum(epsilon - self._start[none], 0.0)
            value += self._weight[none] * (np.exp(at) if complement else -np.expm1(at))
        for few in np.array_split(places, max(1, len(places) * len(epsilon) // _AT_ONCE)):
            at, mu = epsilon - self._start[few, None], np.sqrt(self._k[few, None]) * self._mu
            value += self._weight[few] @ _profile(mu, at, complement)
        return self._with_error(value, self.left(epsilon, complement), np.abs(epsilon))

    def _that_count(self, low: float, high: float, complement: bool) -> np.ndarray:
        """Numbers of participations that are not too rare beside others, for losses between both."""
        if complement:
            return np.arange(len(self._k))
        with np.errstate(divide="ignore", invalid="ignore"):
            a, b = (np.maximum((x - self._middle) / (np.sqrt(self._k) * self._mu), 0.0) for x in (low, high))
        most, least = (self._log_weight - np.nan_to_num(x, posinf=1e150) ** 2 / 2 for x in (a, b))
        return np.flatnonzero(most > least.max() - _NEGLIGIBLE)

    def added(self, epsilon: np.ndarray, complement: bool) -> tuple[np.ndarray, np.ndarray]:
        """δ of (Q, P), or 1 − δ, at ε, and a bound on the relative error."""
        at = np.minimum(epsilon - self.highest, 0.0)
        value = np.exp(at) if complement else -np.expm1(at)
        # Of a step r ≤ x = e^{μu − μ²/2} p/(1 − p), which is y for one u.
        log_odds = math.log(self._rate) - math.log1p(-self._rate)
        with np.errstate(divide="ignore"):
            place = self._mu / 2 + (np.log(-at) - log_odds) / self._mu
        left = self._count * (-at * ndtr(-place) + math.exp(log_odds) * ndtr(place - self._mu))
        # The largest loss is rounded.
        return self._with_error(value, left + 4.0 * LAST_PLACE * self.highest, np.abs(at))

    def _with_error(self, value: np.ndarray, left: np.ndarray, size: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        # Values that cannot be represented remain open.
        value = np.maximum(value, _LEAST)
        return value, (left + _LEAST) / value + self._rounding + LAST_PLACE * size


def _profile(mu: float, epsilon: np.ndarray, complement: bool) -> np.ndarray:
    """δ of N(0, 1) against N(μ, 1), or 1 − δ, for a large μ."""
    a, b = epsilon / mu - mu / 2, epsilon / mu + mu / 2
    with np.errstate(under="ignore"):
        if complement:
            return np.minimum(ndtr(a) + np.exp(np.minimum(epsilon + log_ndtr(-b), 0.0)), 1.0)
        tail = (
            np.exp(-(a**2) / 2) / 2 * (erfcx(np.maximum(a, 0) / math.sqrt(2)) - erfcx(np.maximum(b, 0) / math.sqrt(2)))
        )
        bulk = ndtr(-a) - np.exp(np.minimum(epsilon + log_ndtr(-b), 0.0))
        return np.where(a > 0, tail, np.maximum(bulk, 0.0))
