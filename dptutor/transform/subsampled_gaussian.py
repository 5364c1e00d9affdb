"""The Hellinger transform of one Poisson-subsampled Gaussian step.

In units of the noise, with μ = 1/σ, the pair is P = N(0, 1) and Q = (1−p) N(0, 1) + p N(μ, 1), so that

    dQ/dP = 1 + p w(u),   w(u) = e^{μu − μ²/2} − 1,   E_P[w] = 0,   and with ℓ = log(1 + p w)

    H(s) − 1 = E_P[e^{sℓ} − 1] = E_P[e^{sℓ} − 1 − sℓ] + s E_P[ℓ − p w].

Both expectations are of terms of second order in ℓ, so H − 1 keeps its relative accuracy however small it is, which
is what a billion steps need. They are trapezoid sums of a function that is analytic in the strip |Im u| < π/μ, where
1 + p w has no zero, and that has Gaussian tails. Moved to Im u = v, the integrand grows by e^{v²/2} from the density
and by e^{|Im s| θ(v)} from the oscillation, θ being the largest argument of 1 + p w there, while a trapezoid sum of
step h errs by e^{−2πv/h} of it: the best v gives the step (Trefethen & Weideman 2014, theorem 5.1).
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import logsumexp

from .hellinger import SlowDecay

# Sums are right to e^−46 of their size; densities are cut where they are that small.
_DEPTH = 46.0
_REACH = math.sqrt(2 * _DEPTH)
_ROUNDING = 2.0**-52
_RELATIVE = 4e-15
_MOST_NODES = 50_000
# (e^z − 1 − z)/z² by its series where |z| is below this; from the second power on, to 1e-17.
_NEAR = 0.5
_SERIES = np.array([1.0 / math.factorial(k) for k in range(2, 17)])


def log_hellinger(noise_multiplier: float, sampling_rate: float, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """log H(s) for a one-dimensional array of complex s, and a bound on its error, absolute.

    Relatively accurate where H is close to 1; for equidistant s, however different in size.

    Parameters
    ----------
    noise_multiplier, sampling_rate : float
        σ > 0 and 0 < p < 1.
    s : ndarray of complex
        With real parts as alike as possible: the nodes have to serve all of them.

    Raises
    ------
    SlowDecay
        If the oscillation at a large |Im s| would take too many nodes.
    """
    mu, rate = 1.0 / noise_multiplier, sampling_rate
    u, log_weight = _nodes(mu, rate, s)
    y = rate * np.expm1(mu * u - mu**2 / 2)
    remainder = _log1p_remainder(y)
    loss = np.where(np.abs(y) < _NEAR, y + remainder, np.log1p(y))
    ends = np.maximum(s.real.max() * loss, s.real.min() * loss)
    if float(np.max(ends + log_weight)) > 30.0:  # to be taken out, against overflow
        exponent = np.multiply.outer(s, loss) + log_weight
        largest = exponent.real.max(axis=1, keepdims=True)
        terms = np.exp(exponent - largest)
        total = terms.sum(axis=1)
        error = _ROUNDING * (np.abs(terms) * (8.0 + np.abs(exponent))).sum(axis=1) / np.abs(total)
        return largest[:, 0] + np.log(total), error + _ROUNDING * np.abs(largest[:, 0])
    weight = np.exp(log_weight)
    first, size = weight @ remainder, np.abs(s)
    excess, error = s * first, _RELATIVE * size * abs(first)
    # On a line nodes are near or far for s of like size: the largest would make far what is near for the others.
    for band in _bands(size) if _equidistant(s) else [slice(None)]:
        more, its_error = _second_order(weight, log_weight, loss, s[band])
        excess[band] += more
        error[band] += its_error
    log_h = complex_log1p(excess)
    return log_h, error / np.abs(1.0 + excess) + _RELATIVE * np.abs(log_h)


def _bands(size):
    """Places where sizes are within a factor of sixty-four."""
    top, left = float(size.max()), np.ones(size.shape, dtype=bool)
    while left.any():
        band = left & (size > top / 64.0) if top > 1e-3 else left
        if band.any():
            yield np.flatnonzero(band)
        left &= ~band
        top /= 64.0


def _second_order(weight, log_weight, loss, s):
    """E[e^{sℓ} − 1 − sℓ], and a bound on its error."""
    size = np.abs(s)
    near = np.abs(loss) * size.max() < _NEAR
    moments = weight[near] @ np.vander(loss[near], len(_SERIES) + 2, increasing=True)[:, 2:]
    total = s**2 * np.polyval((_SERIES * moments)[::-1], s)
    error = _RELATIVE * size**2 * moments[0]
    if not near.all():
        far = ~near
        total += _far_sum(log_weight[far], loss[far], s) - weight[far].sum() - s * (weight[far] @ loss[far])
        # By differences: what rounding leaves does not get smaller with s.
        largest = np.maximum(s.real.max() * loss[far], s.real.min() * loss[far])
        heavy = np.maximum(np.exp(largest + log_weight[far]), weight[far])
        error += _ROUNDING * (heavy @ (4.0 + np.abs(log_weight[far])) + 2.0 * size * (heavy @ np.abs(loss[far])))
    return total, error


def _far_sum(log_weight, loss, s):
    """E[e^{sℓ}] over some nodes; equidistant s make the exponentials a product of two small matrices."""
    count = len(s)
    if count < 32 or not _equidistant(s):
        return np.exp(np.multiply.outer(s, loss) + log_weight).sum(axis=1)
    step, small = s[1] - s[0], math.isqrt(count) + 1
    left = np.exp(np.multiply.outer(s[0] + small * step * np.arange(-(-count // small)), loss) + log_weight)
    right = np.exp(np.multiply.outer(loss, step * np.arange(small)))
    return (left @ right).ravel()[:count]


def _equidistant(s):
    gaps = np.diff(s.imag)
    return gaps.size > 0 and np.ptp(s.real) == 0.0 and np.ptp(gaps) <= 1e-9 * abs(gaps[0])


def _nodes(mu, rate, s):
    """Real nodes u, and the logarithms of their trapezoid weights under the standard normal density."""
    right = _REACH + mu * max(float(s.real.max()), 0.0)
    left = -_REACH + mu * min(float(s.real.min()), 0.0)
    oscillation = float(np.abs(s.imag).max())
    v = np.linspace(0.05, 1.0, 40) * min(0.8 * math.pi / mu, 1.4 * _REACH)
    angle = np.angle(1.0 - rate + rate * np.exp(min(mu * right - mu**2 / 2, 700.0) + 1j * mu * v))
    step = float(np.max(2 * math.pi * v / (_DEPTH + v**2 / 2 + oscillation * angle)))
    count = math.ceil((right - left) / step) + 1
    if count > _MOST_NODES:
        raise SlowDecay
    u = np.linspace(left, right, count)
    return u, math.log((u[1] - u[0]) / math.sqrt(2 * math.pi)) - u**2 / 2


def complex_log1p(x):
    """log(1 + x), relatively accurate for small complex x, which numpy's is not."""
    a, b = x.real, x.imag
    with np.errstate(over="ignore"):
        square = a * (2.0 + a) + b**2
    near = np.log1p(np.maximum(square, -0.5)) / 2
    far = np.log(np.maximum(np.hypot(1.0 + a, b), 1e-300))
    return np.where((square > -0.5) & (square < np.inf), near, far) + 1j * np.arctan2(b, 1.0 + a)


def _log1p_remainder(y):
    """log(1 + y) − y, by log(1 + y) = 2 artanh(y/(2 + y)) where the difference would cancel."""
    remainder = np.log1p(y) - y
    small = np.abs(y) < _NEAR
    near = y[small]
    r = near / (2.0 + near)
    series = np.zeros_like(near)
    for k in range(29, 1, -2):
        series = r**2 * (1.0 / k + series)
    remainder[small] = 2 * r * series - near * r
    return remainder


def largest_powers(noise_multiplier: float, sampling_rate: float, order: float) -> float:
    """log(E_P[(dQ/dP)^s])/(s − 1) for an order so large that only u near sμ counts: there 1 + pw is p e^{μu − μ²/2}."""
    return order / (2 * noise_multiplier) / noise_multiplier + math.log(sampling_rate) / (1 - 1 / order)


def largest_inverse_powers(noise_multiplier: float, sampling_rate: float, order: float) -> float:
    """log(E_P[(dQ/dP)^{1−s}])/(s − 1) for a large order s.

    Most of it comes from where 1 + p w is close to its infimum 1 − p; what is above that is summed in logarithms.
    """
    mu, odds = 1.0 / noise_multiplier, sampling_rate / (1 - sampling_rate)
    lowest = -_REACH - max(math.log1p(order * odds), 0.0) / mu
    # The peak is the narrower, the further below 0 it lies.
    step = 0.05 / math.sqrt(1.0 - mu * lowest)
    u = np.linspace(lowest, _REACH, min(math.ceil((_REACH - lowest) / step), 10**6))
    exponent = -(order - 1) * np.log1p(odds * np.exp(mu * u - mu**2 / 2)) - u**2 / 2
    log_sum = logsumexp(exponent) + math.log((u[1] - u[0]) / math.sqrt(2 * math.pi))
    return -math.log1p(-sampling_rate) + log_sum / (order - 1)
