"""The Hellinger transform of one Poisson-subsampled Gaussian step.

In units of the noise, with μ = 1/σ, the pair is P = N(0, 1) and Q = (1−p) N(0, 1) + p N(μ, 1), so that

    dQ/dP = 1 + p w(u),   w(u) = e^{μu − μ²/2} − 1,   E_P[w] = 0,   and with ℓ = log(1 + p w)

    H(s) − 1 = E_P[e^{sℓ} − 1] = E_P[e^{sℓ} − 1 − sℓ] + s E_P[ℓ − p w].

Both expectations are of terms of second order in ℓ, so H − 1 keeps its relative accuracy however small it is, as a
billion steps require. They are computed as trapezoid sums of a function that is analytic in the strip |Im u| < π/μ,
where 1 + p w has no zero, and has Gaussian tails. On the line Im u = v such a sum with step h errs by at most
e^{−2πa/h} times the integrals of the function's modulus along the edges Im u = v ± a of a strip (Trefethen & Weideman
2014).

Where Im s is large, e^{sℓ} oscillates along the real line. On the line Im u = v, with v of the sign of Im s, its
modulus is |1 + pw|^{Re s} e^{−|Im s| θ}, θ = |arg(1 + p w)| > 0: large losses no longer contribute, and the number of
nodes does not grow with s. The strip from the real line to Im u = 2v then determines the step h.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from .._floats import LARGEST_LOSS, LAST_PLACE
from .polynomials import gauss
from .transforms import complex_expm1, complex_log1p

# Sums are accurate to e^−46 of their size; densities are cut where they are that small. Half of it leaves relative
# errors of δ of 1e-8; twice as much takes more nodes and gains nothing.
_DEPTH = 46.0
_REACH = math.sqrt(2 * _DEPTH)
# Sums keep the digits of H − 1 at least down to log |H − 1| = −_TINY_EXCESS.
_TINY_EXCESS = 14.0
# Relative rounding error of sums and logarithms.
_RELATIVE = 4e-15
# |z| below which (e^z − 1 − z)/z² is summed as a series, and its coefficients, to 1e-17.
_NEAR = 0.5
_SERIES = np.array([1.0 / math.factorial(k) for k in range(2, 17)])
# Largest height v of a line, in standard deviations: weights grow like e^{v²/2}.
_HIGHEST = 2.2
# The real line is used if this many nodes are enough.
_ENOUGH_NODES = 300
# Above this μ the two components hardly overlap.
APART = 15.0
# Largest number of nodes; beyond it the result is unknown.
_MOST_NODES = 50_000
# Above this μ the components do not overlap: the loss is log(1 − p) under N(0, 1), and log p plus that of the Gaussian
# mechanism under N(μ, 1).
WHOLLY_APART = 100.0
# Number of nodes of the sums that bound the decay of H.
_FALL_NODES = 320
# Integrals for moments: the width of panels, and how far they extend beyond the means.
_PANEL, _AROUND = 0.5, 15.0


def log_hellinger(noise_multiplier: float, sampling_rate: float, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """log H(s) for a one-dimensional array of complex s, and a bound on its absolute error.

    Relatively accurate where H is close to 1, and where it is tiny. Where no digit of H is known, the result is the
    logarithm of a bound on |H|, and 2 its error: H is off by at most twice that bound. Where too many nodes would be
    needed, the result is NaN and its error infinite.

    Parameters
    ----------
    noise_multiplier, sampling_rate : float
        σ > 0 and 0 < p < 1.
    s : ndarray of complex
        Their real parts should be similar: the nodes have to serve all of them.
    """
    mu, rate = 1.0 / noise_multiplier, sampling_rate
    s = np.asarray(s, dtype=complex)
    log_h, error = np.empty(s.shape, dtype=complex), np.empty(s.shape)
    strips = _strips(mu, rate, float(s.real.min()), float(s.real.max()))
    log_left = _left_out(strips, s.real)
    for band, plan in _bands(strips, s):
        if plan[2] > _MOST_NODES:
            log_h[band], error[band] = np.nan, np.inf
            continue
        height, u, log_step = _nodes(*plan)
        # A line above the real one serves Im s > 0; for Im s < 0 take conjugates.
        below = s[band].imag < 0 if height else np.zeros(len(band), dtype=bool)
        above = np.where(below, s[band].conj(), s[band])
        value, error[band] = _on_line(mu, rate, above, u, log_step, log_left[band])
        log_h[band] = np.where(below, value.conj(), value)
    return log_h, error


def reach(noise_multiplier: float) -> float:
    """Largest real |s| at which H(s) can be computed."""
    return noise_multiplier * max(600.0 * noise_multiplier - 10.0, 1.0)


def log_fall(noise_multiplier: float, sampling_rate: float, power: float, t: np.ndarray) -> np.ndarray:
    """log of a bound, decreasing in t ≥ 0, on |E_P[e^{(power + it)ℓ}]| divided by its value at t = 0.

    On a curve u + iv, 0 ≤ v < π/μ, the modulus of the integrand is e^{(v² − u²)/2} |1 + pw|^power e^{−tθ} √(1 + v'²),
    θ = arg(1 + pw) ≥ 0. Here v increases with the share s of the second component, and v' = μs(1 − s) dv/ds.
    """
    mu, rate = 1.0 / noise_multiplier, sampling_rate
    u = np.linspace(-13.0 + mu * min(power, 0.0), 13.0 + mu * max(power, 0.0), _FALL_NODES)
    second = rate * np.exp(np.minimum(mu * u - mu**2 / 2, 600.0))
    still = power * np.log(1 - rate + second) - u**2 / 2
    weight = np.exp(still - still.max())
    weight /= weight.sum()
    share, most, best = second / (1 - rate + second), min(0.95 * math.pi / mu, 8.0), np.zeros(t.shape)
    # The first is best if v' matters, the last if the components do not overlap.
    for scale in (mu / (1 + mu**2), mu / (1 + mu), mu):
        tilt = np.multiply.outer(scale * t, share)
        v = most * np.tanh(tilt / most)
        slope = mu * (1 - share) * tilt * (1 - (v / most) ** 2)
        turned = complex_log1p(share * complex_expm1(1j * mu * v))
        change = (v**2 + np.log1p(slope**2)) / 2 + power * turned.real - t[..., None] * turned.imag
        change = np.minimum(change, 600.0)
        # The change from the integral on the real line has more digits, which a billion steps require.
        moved = np.expm1(change) @ weight
        fallen = np.log(np.maximum(np.exp(change) @ weight, 1e-300))
        best = np.minimum(best, np.where(moved > -0.5, np.log1p(np.maximum(moved, -0.5)), fallen))
    return np.minimum.accumulate(best)


def gaussian_loss(sampling_rate: float, epsilon: np.ndarray) -> np.ndarray:
    """ε' with e^{ε'} = (e^ε − 1 + p)/p: the loss of the Gaussian mechanism when the loss of a removal is ε."""
    rate = sampling_rate
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        near = np.log1p(np.maximum(np.expm1(np.minimum(epsilon, 1.0)) / rate, -1.0))
        far = epsilon - math.log(rate) + np.log1p(-(1 - rate) * np.exp(-np.maximum(epsilon, 0.5)))
        # Near the smallest loss, log(1 − p), the difference e^ε − 1 + p would cancel.
        room = -np.expm1(np.minimum(math.log1p(-rate) - epsilon, 0.0)) if rate < 1 else 1.0
        low = epsilon - math.log(rate) + np.log(room)
    return np.select([epsilon < -0.5, epsilon < 1.0], [low, near], far)


def _log_odds(rate: float) -> float:
    return math.log1p(-rate) - math.log(rate)


def _bands(strips: Any, s: np.ndarray) -> Iterator[Any]:
    """Groups of s that share nodes: their indices, and the height, ends and number of these nodes."""
    size = np.abs(s.imag)
    top = float(size.max())
    plan = _plan(strips, top, 0.0)
    if plan[2] <= _ENOUGH_NODES or top == 0.0:
        yield np.arange(len(s)), plan
        return
    octave = np.where(size > 0, np.floor(np.log2(np.maximum(size, 1e-300))), -np.inf)
    for one in np.unique(octave):
        band = np.flatnonzero(octave == one)
        yield band, _plan(strips, float(size[band].max()), float(size[band].min()))


@lru_cache(maxsize=256)
def _strips(mu: float, rate: float, low: float, high: float) -> Any:
    """What the choice of nodes for low ≤ Re s ≤ high depends on.

    Returns the ends of the nodes; heights v of lines; on a coarse grid on these lines logarithms of moduli, arguments
    θ and log |ℓ|; and on the real line the logarithms of moduli for both ends of Re s, log |ℓ|, ℓ and u²/2. The grid
    extends beyond the nodes, because moduli on higher lines may peak there.
    """
    # H − 1 may be tiny, and sℓ large where the density is cut off.
    depth = _DEPTH + _tiny_excess(mu, rate) + math.log1p(max(-low, high, 0.0))
    reach = math.sqrt(2 * depth)
    peak, right = _tilted_right(mu, rate, max(high, 0.0), depth)
    # To the left the loss is bounded, so that (1 + pw)^{Re s} moves the peak only a little.
    odds = rate / (1.0 - rate)
    left = -reach - min(mu * max(-low, 0.0), math.log1p(max(-low, 0.0) * odds * mu**2) / mu)
    around = peak + reach * np.linspace(-1.0, 1.0, 36)
    v = min(math.pi / mu * 0.9, 1.4 * _REACH) * np.linspace(0.0, 1.0, 14)
    beyond = (3.0 * v[-1] + 4.0) * np.linspace(0.0, 1.0, 25)[1:]
    within = np.linspace(left, right, 144), around[(around > left) & (around < right)]
    x = np.concatenate([left - beyond[::-1], *within, right + beyond])
    e = np.minimum(mu * x - mu**2 / 2, 600.0) + 1j * mu * v[:, None]
    loss = complex_log1p(rate * complex_expm1(e))
    # Relative to the maximum on the real line for each end of Re s, so that sums are accurate for both.
    modulus = [end * loss.real - x**2 / 2 + v[:, None] ** 2 / 2 for end in (low, high)]
    larger = np.maximum(*(size[1:] - size[0].max() for size in modulus))
    real = np.stack([size[0] - size[0].max() for size in modulus])
    log_loss = np.log(np.maximum(np.abs(loss), 1e-300))
    return (left, right), v[1:], larger, loss.imag[1:], log_loss[1:], (real, log_loss[0], loss[0].real, x**2 / 2)


def _tiny_excess(mu: float, rate: float) -> float:
    """The −log |H − 1| up to which sums keep the digits of H − 1.

    It grows with −log p² e^{μ²}, or, if 1 + pw ≈ pw where p² w² would be largest, with u²/2 for the u at which pw = 1.
    """
    turn = mu / 2 - math.log(rate) / mu
    least = turn**2 / 2 if turn < 2 * mu else -2 * math.log(rate) - mu**2
    return _TINY_EXCESS + max(least - 2 * _TINY_EXCESS, 0.0)


def _tilted_right(mu: float, rate: float, order: float, depth: float) -> tuple[float, float]:
    """The last peak of sℓ − u²/2 for real s ≥ 0, and a u to its right at which that is lower by `depth`."""

    def height(u: float) -> float:
        exponent = mu * u - mu**2 / 2
        if exponent > 600.0:
            return order * (exponent + math.log(rate)) - u**2 / 2
        return order * math.log1p(rate * math.expm1(exponent)) - u**2 / 2

    # At a peak u = sμ · (share of the second component), which increases with u: iterating from above finds the last.
    peak = order * mu
    for _ in range(200):
        lower = order * mu / (1.0 + math.exp(min(_log_odds(rate) - mu * peak + mu**2 / 2, LARGEST_LOSS)))
        if peak - lower <= 1e-3 * (1.0 + lower):
            break
        peak = lower
    wanted, width = height(peak) - depth, 1.0
    while height(peak + width) > wanted:
        width *= 1.25
    return peak, peak + width


def _plan(strips: Any, most: float, least: float) -> tuple[float, tuple[float, float], float]:
    """Height, ends and number of nodes of a trapezoid sum for |Im s| between `least` and `most`."""
    ends, v, larger, angle, log_loss, (real, real_log_loss, _, _) = strips
    # e^{sℓ} − 1 − sℓ is of second order where sℓ is small.
    log_size = math.log(max(most, 1.0))
    modulus = larger + 2 * np.minimum(log_loss + log_size, 0.0)
    modulus -= float(np.min(np.max(real + 2 * np.minimum(real_log_loss + log_size, 0.0), axis=1)))
    # For nodes on the real line the strip around it determines the step; the integrand is larger in its lower half.
    step, height = float(np.max(2 * math.pi * v / (_DEPTH + _growth(modulus + most * angle)))), 0.0
    if least > 0:
        # For nodes at height v/2 it is the strip between the real line and v.
        up = _growth(modulus - least * angle)
        half = v / 2
        usable = (half <= _HIGHEST) & (np.interp(half, v, up) <= _HIGHEST**2 / 2 + 1.0)
        steps = np.where(usable, 2 * math.pi * half / (_DEPTH + up), 0.0)
        best = int(np.argmax(steps))
        if steps[best] > 1.2 * step:
            step, height = float(steps[best]), float(half[best])
    return height, ends, math.ceil((ends[1] - ends[0]) / step) + 1 if step else math.inf


def _left_out(strips: Any, real: np.ndarray) -> np.ndarray:
    """The logarithm of the truncation error, which is e^−46 times a bound on the sums for Re s."""
    (left, right), (_, _, loss, square) = strips[0], strips[-1]
    margin = math.log(right - left) - _DEPTH
    if np.ptp(real) == 0.0:
        return np.full(real.shape, float(np.max(real[0] * loss - square)) + margin)
    some, place = np.unique(real, return_inverse=True)
    return (np.multiply.outer(some, loss) - square).max(axis=1)[place] + margin


def _growth(modulus: np.ndarray) -> np.ndarray:
    """How far log-moduli at each height exceed those on the real line; infinite if they still grow at an end."""
    largest = modulus.max(axis=1)
    inside = largest > np.maximum(modulus[:, 0], modulus[:, -1])
    return np.where(largest <= 0, 0.0, np.where(inside, largest, np.inf))


def _nodes(height: float, ends: tuple[float, float], count: Any) -> tuple[float, np.ndarray, float]:
    low, high = ends
    u, step = np.linspace(low, high, count, retstep=True)
    return height, u + 1j * height if height else u, math.log(step / math.sqrt(2 * math.pi))


def _on_line(
    mu: float, rate: float, s: np.ndarray, u: np.ndarray, log_step: float, log_left: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """log H(s) and a bound on its error, from nodes on one line with the truncation error e^log_left."""
    if not (np.iscomplexobj(u) or s.imag.any()):
        s = s.real  # real arithmetic is faster
    log_weight = log_step - u**2 / 2
    loss = loss_at(mu, rate, u)
    ends = np.maximum(s.real.max() * loss.real, s.real.min() * loss.real)
    if float(np.max(ends + log_weight.real)) > 30.0:  # factored out, against overflow
        return _directly(s, loss, log_weight, _size(mu, rate, u, loss), log_left)
    first = _first_order(mu, rate)
    (more, its_error), (total, error_of_total) = _both_sums(
        s, loss, log_weight, _size(mu, rate, u, loss), 50.0 + _tiny_excess(mu, rate)
    )
    excess, error = s * first + more, _RELATIVE * np.abs(s) * abs(first) + its_error
    log_h = complex_log1p(excess)
    error = error / np.maximum(np.abs(1.0 + excess), 1e-300) + _RELATIVE * np.abs(log_h)
    # Where 1 + (H − 1) cancels, H is summed directly.
    small = np.abs(1.0 + excess) < 0.5
    if small.any():
        log_h[small], error[small] = _logarithm(total[small], error_of_total[small] + np.exp(log_left[small]))
    return log_h, error


def _logarithm(total: np.ndarray, error: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The logarithm of a value with an error, and its own error; if no digit is certain, the logarithm of a bound."""
    size = np.abs(total)
    known = error < size / 2
    most = np.where(known, size, size + error)
    return np.log(most) + 1j * np.angle(total), np.where(known, error / np.where(known, size - error, 1.0), 2.0)


def _both_sums(
    s: np.ndarray, loss: np.ndarray, log_weight: np.ndarray, loss_size: np.ndarray, depth: float
) -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """E[e^{sℓ} − 1 − sℓ] and E[e^{sℓ}], each with a bound on its error.

    Nodes with small sℓ enter through a series in s, the others one by one.
    """
    size, modulus, weight = np.abs(s), np.abs(loss), np.exp(log_weight)
    near = modulus * size.max() < _NEAR
    moments = weight[near] @ np.vander(loss[near], len(_SERIES) + 2, increasing=True)
    excess = s**2 * np.polyval((_SERIES * moments[2:])[::-1], s)
    total = moments[0] + s * moments[1] + excess
    heights = np.abs(weight[near])
    error = _RELATIVE * size**2 * float(heights @ modulus[near] ** 2)
    error_of_total = _RELATIVE * np.full(s.shape, 4.0 * float(heights.sum())) + error
    # Nodes without weight, tilted or not, are left out.
    tilted = np.multiply.outer([s.real.min(), s.real.max()], loss.real) + log_weight.real
    least = np.maximum(tilted.max(axis=1, keepdims=True), 0.0) - depth - math.log1p(float(size.max()))
    highest = np.maximum(tilted, log_weight.real)
    heavy = np.any(highest > least, axis=0)
    far, light = np.flatnonzero(~near & heavy), ~(near | heavy)
    error_of_total += float(np.exp(highest[:, light]).sum())
    if not far.size:
        return (excess, error), (total, error_of_total)
    loss, weight, log_weight, modulus, loss_size = (x[far] for x in (loss, weight, log_weight, modulus, loss_size))
    product = np.multiply.outer(s, loss)
    terms, heights = exp(product + log_weight)
    logs = np.abs(log_weight)
    total += terms.sum(axis=1)
    exponents = heights @ logs + size * (heights @ loss_size)
    error_of_total += LAST_PLACE * (8.0 * heights.sum(axis=1) + exponents)
    terms -= weight * (1.0 + product)
    rounding = 4.0 * heights.sum(axis=1) + exponents
    rounding += 2.0 * float(np.abs(weight).sum()) + 2.0 * size * float(np.abs(weight) @ modulus)
    some = np.flatnonzero(modulus * size.min() < _NEAR)
    if some.size:
        # At these nodes sℓ is small for some s only: those get the series.
        row, column = np.nonzero(np.multiply.outer(size, modulus[some]) < _NEAR)
        column = some[column]
        z, own = product[row, column], np.abs(weight[column])
        lost = heights[row, column] * (4.0 + logs[column] + size[row] * loss_size[column])
        lost += own * (2.0 + 2.0 * np.abs(z))
        term = weight[column] * z**2 * np.polyval(_SERIES[::-1], z)
        terms[row, column] = term
        rounding += np.bincount(row, 16.0 * np.abs(term) - (1.0 - 1e-12) * lost, minlength=len(s))
    return (excess + terms.sum(axis=1), error + LAST_PLACE * rounding), (total, error_of_total)


def _size(mu: float, rate: float, u: np.ndarray, loss: np.ndarray) -> np.ndarray:
    """What the rounding error of ℓ is proportional to; where ℓ ≈ log p + log w, it is a difference of these."""
    exponent = np.abs(mu * u - mu**2 / 2)
    return np.where(np.abs(loss) > 0.5, np.abs(loss) + exponent + abs(math.log(rate)), np.abs(loss))


def _directly(
    s: np.ndarray, loss: np.ndarray, log_weight: np.ndarray, loss_size: np.ndarray, log_left: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """log E[e^{sℓ}], with the largest term factored out, and a bound on its error."""
    exponent = np.multiply.outer(s, loss)
    exponent += log_weight
    largest = exponent.real.max(axis=1, keepdims=True)
    exponent -= largest
    terms, heights = exp(exponent)
    total = terms.sum(axis=1)
    size = heights @ (8.0 + np.abs(log_weight)) + np.abs(s) * (heights @ loss_size)
    left = np.exp(np.minimum(log_left - largest[:, 0], LARGEST_LOSS))
    value, error = _logarithm(total, LAST_PLACE * size + left)
    return largest[:, 0] + value, error + LAST_PLACE * np.abs(largest[:, 0])


def loss_at(mu: float, rate: float, u: np.ndarray) -> np.ndarray:
    """ℓ = log(1 + p w) at nodes, continuous along the line."""
    exponent, log_odds = mu * u - mu**2 / 2, _log_odds(rate)
    # With x = μu − μ²/2: where p e^x is large, log p + x + log(1 + e^−x (1−p)/p), as 1 + p w may overflow.
    far = exponent.real > max(log_odds, 1.0)
    inner, outer = np.where(far, 0.0, exponent), np.where(far, exponent, log_odds + 40.0)
    if np.iscomplexobj(u):
        return np.where(
            far, math.log(rate) + outer + complex_log1p(np.exp(log_odds - outer)), log_of_mixture(rate, inner)
        )
    return np.where(far, math.log(rate) + outer + np.log1p(np.exp(log_odds - outer)), log_of_mixture(rate, inner))


def log_of_mixture(rate: float, exponent: np.ndarray) -> np.ndarray:
    """log(1 + p (e^x − 1)); near p = 1 by (1 − p) + p e^x, since 1 + p (e^x − 1) would lose digits of 1 − p."""
    is_complex = np.iscomplexobj(exponent)
    y = rate * (complex_expm1(exponent) if is_complex else np.expm1(exponent))
    value = complex_log1p(y) if is_complex else np.log1p(np.maximum(y, -0.9))
    small = np.abs(1.0 + y) < 0.5
    if small.any():
        value[small] = np.log((1.0 - rate) + rate * np.exp(exponent[small]))
    return value


@lru_cache(maxsize=4096)
def _first_order(mu: float, rate: float) -> float:
    """E_P[ℓ − p w], without cancellation; it is negative."""
    _, u, log_step = _nodes(*_plan(_strips(mu, rate, 0.0, 1.0), 0.0, 0.0))
    if mu > APART:
        # E_P[w] = 0, and hardly any loss is positive.
        return float(np.exp(log_step - u**2 / 2) @ loss_at(mu, rate, u))
    y = rate * np.expm1(mu * u - mu**2 / 2)
    return float(np.exp(log_step - u**2 / 2) @ _remainder(loss_at(mu, rate, u), y))


def exp(z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """e^z and its modulus; the phase enters by the tangent of its half, which is faster than sine and cosine."""
    modulus = np.exp(z.real)
    if not np.iscomplexobj(z):
        return modulus, modulus
    tangent = np.tan(z.imag / 2)
    square = tangent * tangent
    scale = modulus / (1.0 + square)
    value = np.empty(z.shape, dtype=complex)
    value.real = (1.0 - square) * scale
    value.imag = (2.0 * tangent) * scale
    return value, modulus


def _remainder(loss: np.ndarray, y: np.ndarray) -> np.ndarray:
    """log(1 + y) − y for y > −1; for small y by log(1 + y) = 2 artanh(y/(2 + y)), against cancellation."""
    remainder = loss - y
    small = np.abs(y) < _NEAR
    near = y[small]
    r = near / (2.0 + near)
    series = np.zeros_like(near)
    for k in range(29, 1, -2):
        series = r**2 * (1.0 / k + series)
    remainder[small] = 2 * r * series - near * r
    return remainder


def largest_powers(noise_multiplier: float, sampling_rate: float, order: float) -> float:
    """log(E_P[(dQ/dP)^s])/(s − 1) for an order so large that only u near sμ matters, where 1 + pw ≈ p e^{μu − μ²/2}."""
    return order / (2 * noise_multiplier) / noise_multiplier + math.log(sampling_rate) / (1 - 1 / order)


def largest_powers_matter(mu: float, rate: float, order: float) -> bool:
    """Whether an order is so large: near sμ both 1 + pw and the expectation are more than e^46."""
    log_rate = math.log(rate)
    return min((order - 0.5) * mu**2 + log_rate, order * (order - 1.0) * mu**2 / 2 + order * log_rate) > _DEPTH


def renyi_where_apart(mu: float, rate: float, order: float, t: float) -> float:
    """log(E_P[(dQ/dP)^t])/(s − 1), t = s or 1 − s, if almost every u is that of one component only."""
    log_rest, log_share = math.log1p(-rate), math.log(rate) + t * mu * mu / 2
    if t < 0.5:
        return t * log_rest / (order - 1.0)
    if (t - 1.0) * log_share > 1.0:
        return float(np.logaddexp(t * log_rest, math.log(rate) + (t - 1.0) * log_share)) / (order - 1.0)
    excess = (1.0 - rate) * math.expm1((t - 1.0) * log_rest) + rate * math.expm1((t - 1.0) * log_share)
    return math.log1p(excess) / (order - 1.0)


def loss_moments(noise_multiplier: float, sampling_rate: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """Mean and variance of the loss of a removal under P, and under Q.

    By integrals of positive terms: E_P[e^ℓ − 1 − ℓ] = −E_P[ℓ], E_Q[e^−ℓ − 1 + ℓ] = E_Q[ℓ], and squares of deviations.
    """
    mu, rate = 1.0 / noise_multiplier, sampling_rate
    if mu >= WHOLLY_APART:
        apart = mu * mu / 2 - _log_odds(rate)
        mean = math.log1p(-rate) + rate * apart
        return (math.log1p(-rate), 0.0), (mean, rate * mu * mu + rate * (1 - rate) * apart * apart)
    u, weight = _panels(mu, rate)
    loss = loss_at(mu, rate, u)
    p, shifted = (weight * np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi) for x in (u, u - mu))
    q = (1 - rate) * p + rate * shifted
    # E_P[e^ℓ] = E_Q[e^−ℓ] = 1.
    mean_p = -float(np.sum(np.where(loss < 1, p * _second_order(np.minimum(loss, 1.0)), q - p * (1 + loss))))
    mean_q = float(np.sum(np.where(loss > -1, q * _second_order(-np.maximum(loss, -1.0)), p - q * (1 - loss))))
    # If losses may be close to the smallest one, they are measured from it.
    above, least = (loss, 0.0) if mu < 1 else (_above_least(mu, rate, u), math.log1p(-rate))
    mean_above = float(p @ above) if least else mean_p
    return (mean_p, float(p @ (above - mean_above) ** 2)), (mean_q, float(q @ (loss - mean_q) ** 2))


def _panels(mu: float, rate: float) -> tuple[np.ndarray, np.ndarray]:
    """Gauss-Legendre points and weights for moments, from far below to far above the means, with shorter panels where
    the loss bends."""
    low, high, bend = -_AROUND, 2 * mu + _AROUND, mu / 2 + _log_odds(rate) / mu
    octaves = 2.0 ** np.arange(-1, max(math.log2((high - low) * mu), 0.0) + 1) / mu
    ends = np.concatenate([np.arange(low, high, _PANEL), bend - octaves, [bend], bend + octaves, [high]])
    ends = np.unique(ends[(ends >= low) & (ends <= high)])
    point, weight = gauss(16)
    half = np.diff(ends)[:, None] / 2
    return (ends[:-1, None] + half * (1 + point)).ravel(), (half * weight).ravel()


def _second_order(x: np.ndarray) -> np.ndarray:
    """e^x − 1 − x, relatively accurate."""
    return np.where(np.abs(x) < _NEAR, x * x * np.polyval(_SERIES[::-1], x), np.expm1(x) - x)


def _above_least(mu: float, rate: float, u: np.ndarray) -> np.ndarray:
    """ℓ − log(1 − p)."""
    return np.logaddexp(0.0, mu * u - mu**2 / 2 - _log_odds(rate))
