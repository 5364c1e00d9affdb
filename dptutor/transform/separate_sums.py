"""Losses of subsampled Gaussian steps with so little noise that the two components hardly overlap.

With μ = 1/σ ≥ 20 the u of a step is below μ/2 where the example takes no part, above where it does, up to a mass of
Φ(−μ/2). The loss is log(1 − p) there and log p + μu − μ²/2 here, so that of n steps in which it takes part k times is a
normal variable, and with B the binomial weights

    δ(ε) = Σ_k B(k) δ_k(ε − m_k),     m_k = k log p + (n − k) log(1 − p),

where δ_k is the profile of N(0, 1) against N(√k μ, 1). Profiles move by at most what losses move on average, and by the
mass that is on the wrong side: 3n Φ(−μ/2) together, or n (1 + 1/(1 − p)) Φ(−μ/2) under P.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import erfcx, gammaln, log_ndtr, ndtr

_ROUNDING, _LEAST = 2.0**-52, 1e-300
# Binomial weights below e^−_DEPTH are no numbers, and so are those of so many participations more than on average, of
# which there may be _MOST; terms of sums that are e^−_NEGLIGIBLE of others are left out.
_DEPTH, _MOST, _NEGLIGIBLE = 720.0, 2e4, 60.0


class SeparateSums:
    """Losses of `count` steps.

    Parameters
    ----------
    noise_multiplier, sampling_rate, count
        σ ≤ 1/20, 0 < p < 1 and the number of steps.
    """

    def __init__(self, noise_multiplier: float, sampling_rate: float, count: int):
        self._mu, self._rate, self._count = 1.0 / noise_multiplier, sampling_rate, count
        k = np.arange(min(float(count), count * sampling_rate + _MOST) + 1.0)
        log_weight = gammaln(count + 1.0) - gammaln(k + 1) - gammaln(count - k + 1)
        log_weight += k * math.log(sampling_rate) + (count - k) * math.log1p(-sampling_rate)
        kept = log_weight > -_DEPTH
        self._k, self._log_weight, self._weight = k[kept], log_weight[kept], np.exp(log_weight[kept])
        self._rounding = _ROUNDING * (16.0 + 4.0 * float(gammaln(count + 1.0)) + _DEPTH)
        self._wrong_side = float(ndtr(-self._mu / 2))
        self._start = self._k * math.log(sampling_rate) + (count - self._k) * math.log1p(-sampling_rate)
        self._middle = self._start + self._k * self._mu**2 / 2

    def losses(self) -> np.ndarray:
        """Losses under Q between which profiles are smooth, up to where δ is no number."""
        width = np.sqrt(self._k) * self._mu
        return np.unique(self._middle + width * np.array([-13.0, -6.0, 0.0, 6.0, 13.0, 25.0, 39.0])[:, None])

    @property
    def highest(self) -> float:
        """The largest loss of (Q, P)."""
        return -self._count * math.log1p(-self._rate)

    @property
    def left(self) -> float:
        """How much of δ of (P, Q) is open everywhere."""
        return 3.0 * self._count * self._wrong_side + _LEAST

    def removed(self, epsilon: np.ndarray, complement: bool):
        """δ of (P, Q), or 1 − δ, at ε, and a bound on the relative error."""
        value = np.zeros(epsilon.shape)
        for place in self._that_count(float(epsilon.min()), float(epsilon.max()), complement):
            k, weight, start = self._k[place], self._weight[place], self._start[place]
            at, mu = epsilon - start, math.sqrt(k) * self._mu
            if k == 0:
                value += weight * (np.exp(np.minimum(at, 0.0)) if complement else -np.expm1(np.minimum(at, 0.0)))
            else:
                value += weight * _profile(mu, at, complement)
        return self._with_error(value, self.left, np.abs(epsilon))

    def _that_count(self, low, high, complement):
        """Numbers of participations that are not too rare beside others, for losses between both."""
        if complement:
            return range(len(self._k))
        with np.errstate(divide="ignore", invalid="ignore"):
            a, b = (np.maximum((x - self._middle) / (np.sqrt(self._k) * self._mu), 0.0) for x in (low, high))
        most, least = (self._log_weight - np.nan_to_num(x, posinf=1e150) ** 2 / 2 for x in (a, b))
        return np.flatnonzero(most > least.max() - _NEGLIGIBLE)

    def added(self, epsilon: np.ndarray, complement: bool):
        """δ of (Q, P), or 1 − δ, at ε, and a bound on the relative error."""
        at = np.minimum(epsilon - self.highest, 0.0)
        value = np.exp(at) if complement else -np.expm1(at)
        left = self._count * (1.0 + 1.0 / (1.0 - self._rate)) * self._wrong_side
        return self._with_error(value, left, np.abs(at))

    def _with_error(self, value, left, size):
        # What no number can be is left open.
        value = np.maximum(value, _LEAST)
        return value, (left + _LEAST) / value + self._rounding + _ROUNDING * size


def _profile(mu, epsilon, complement):
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
