"""Means of inverse powers of Y, the mean of T independent log-normal variables X = e^(μz − μ²/2), z ~ N(0, 1).

As Γ(a) Y^−a = ∫ u^(a−1) e^(−uY) du, and likewise for 1 in place of Y,

    E[Y^−a] − 1 = (1/Γ(a)) ∫ u^(a−1) e^−u (e^c(u) − 1) du,    c(u) = T log E[e^(−v(X − 1))] ≥ 0,    v = u/T.

All terms are positive, so nothing cancels, however small the difference or large the power. Both integrals are sums at
equal distances, in log u and in z, which converge geometrically for functions that are analytic in a strip: along a
line at the angle θ the outer integrand grows by (cos θ)^−a at most, as a change of scale shows.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import gammaln, logsumexp, wrightomega

# Distances of nodes where integrands are widest and, as a share of their width, where they are narrow. Twice as large
# they leave six digits.
_WIDEST, _OF_WIDTH = 0.2, 0.5
# What is left out of a sum is smaller than its largest term by this power of e, so many standard deviations away.
_NOTHING, _FAR = 40.0, 9.5
# The largest v for which E[e^(−v(X − 1))] is computed from its difference to 1, and values of log u at once.
_SMALL, _AT_ONCE = 10.0, 32


def log_mean_inverse_power(mu: float, count: int, power: float) -> float:
    """log E[Y^−a], with its digits where it is small."""
    step = min(_WIDEST, _OF_WIDTH / math.sqrt(1.0 + power))

    def logs(place: np.ndarray) -> np.ndarray:
        return power * place + _log_rise(mu, count, place)

    peak = _peak(mu, count, power)
    total, largest = [logs(np.array([peak]))], -math.inf
    for side in (-1, 1):
        start = 1
        while True:
            found = logs(peak + side * step * np.arange(start, start + _AT_ONCE))
            total.append(found)
            largest = max(largest, *(float(each.max()) for each in total[-2:]))
            if found[-1] < largest - _NOTHING and found[-1] <= found[0]:
                break
            start += _AT_ONCE
    # Of E[Y^−a] − 1.
    log_excess = math.log(step) + float(logsumexp(np.concatenate(total))) - float(gammaln(power))
    return float(np.logaddexp(0.0, log_excess))


def _peak(mu: float, count: int, power: float) -> float:
    """About the log u of which the terms are largest: u E[Y] = a under the law that e^(−uY) tilts.

    There z is about −μa/T, at which all X e^(…) are in the middle of their law.
    """
    shift = mu * power / count
    return math.log(power + 1.0) + min(mu * shift + mu**2 / 2, mu * shift * (1.0 + mu**2 / 2))


def _log_rise(mu: float, count: int, log_u: np.ndarray) -> np.ndarray:
    """−u + log(e^c(u) − 1)."""
    log_v, found = log_u - math.log(count), np.empty(log_u.shape)
    small = log_v <= math.log(_SMALL)
    for place in np.flatnonzero(small):
        u, c = math.exp(log_u[place]), count * math.log1p(_mean_rise(mu, math.exp(log_v[place])))
        found[place] = -u + c + math.log(-math.expm1(-c)) if c > 0 else -math.inf
    log_mean = count * _log_mean(mu, log_v[~small])
    with np.errstate(over="ignore"):
        found[~small] = log_mean + np.log(-np.expm1(-(log_mean + np.exp(log_u[~small]))))
    return found


def _mean_rise(mu: float, v: float) -> float:
    """E[e^(−v(X − 1)) − 1 + v(X − 1)], which is E[e^(−v(X − 1))] − 1."""
    step = min(_WIDEST, _OF_WIDTH / math.sqrt(1.0 + mu**2 * (1.0 + v)), 0.25 / mu)
    low, high = -math.sqrt(2 * (_NOTHING + v)), mu + _FAR
    z = low + step * np.arange(math.ceil((high - low) / step) + 1)
    x = v * np.expm1(mu * z - mu**2 / 2)
    near, series = np.clip(x, -0.1, 0.1), np.zeros(x.shape)
    for k in range(12, 2, -1):
        series = -near / k * (1.0 + series)
    rise = np.where(np.abs(x) < 0.1, near**2 / 2 * (1.0 + series), np.expm1(-x) + x)
    return float(step * (np.exp(-(z**2) / 2) @ rise)) / math.sqrt(2 * math.pi)


def _log_mean(mu: float, log_v: np.ndarray) -> np.ndarray:
    """log E[e^(−vX)]."""
    # Where the terms are largest, v X is −z/μ, and the logarithm bends by 1 − μz.
    middle = -wrightomega(2 * math.log(mu) + log_v - mu**2 / 2).real / mu
    width = 1.0 / np.sqrt(1.0 - mu * middle)
    step = np.minimum(_OF_WIDTH * width, min(_WIDEST, 0.25 / mu))
    # To the right it falls by (t/width)²/2 or more. To the left, as x − 1 + e^−x ≥ x²/(2 + x), by t²/2 and by
    # m t²/(2 + μt) or more, with m = −μz.
    most, m = _FAR**2 / 2, -mu * middle
    left = np.minimum(_FAR, (most * mu + np.sqrt((most * mu) ** 2 + 8.0 * most * m)) / (2.0 * m))
    ends = [math.ceil(float(np.max(far / step, initial=0.0))) for far in (left, _FAR * width)]
    z = middle[:, None] + np.multiply.outer(step, np.arange(-ends[0], ends[1] + 1))
    with np.errstate(over="ignore", under="ignore"):
        logs = -(z**2) / 2 - np.exp(log_v[:, None] + mu * z - mu**2 / 2)
        top = logs.max(axis=1)
        return top + np.log(np.exp(logs - top[:, None]).sum(axis=1) * step / math.sqrt(2 * math.pi))
