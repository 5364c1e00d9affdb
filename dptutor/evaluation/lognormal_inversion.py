"""Tails of sums of independent log-normal variables by inverting a Laplace transform: fast, but without a bound.

With X = e^(μz − μ²/2), z ~ N(0, 1), and S a sum of T copies, let φ(u) = E[e^(−uX)] and ψ(u) = E[X e^(−uX)]. Over k,

    Pr[S > k]        has the transform  (1 − φ(u)^T) / u,
    E[S/T; S > k]    has the transform  (1 − φ(u)^(T−1) ψ(u)) / u,

which Euler's summation inverts (Abate & Whitt 1995); as tails decrease, its discretization error is relative. In φ and
ψ, z is moved along the imaginary axis by θ/μ, θ close to the angle of u, where uX hardly turns, and the trapezoidal
rule converges fast. Where the grids of log k and of μz are multiples of one, uX depends on the sum of two places on it,
so that few exponentials are needed. For pictures: `lognormal_sums` has a bound, and takes a hundred times as long.
"""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from scipy.special import comb

# Abscissa of the line, and number of partial sums that are averaged.
_ABSCISSA, _AVERAGED = 20.0, 20
_FEWEST, _DEVIATIONS = 40, 10.0
# z is moved at most this far along the imaginary axis, where the integrand grows like e^(y²/2).
_MOST_MOVED = 3.0
_FAR, _STEP = 9.0, 0.2


def lognormal_tails(mu: float, count: int, losses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pr[S > k] and E[S/T; S > k] for the sum S of `count` variables, at k = T e^loss on an even grid of losses."""
    terms = _FEWEST + int(_DEVIATIONS * np.sqrt(count / np.expm1(mu**2)))
    order = np.arange(terms + _AVERAGED + 1)
    first = (_ABSCISSA + 2j * np.pi * order) / (2.0 * count)
    less, mean = _moments(mu, first, losses)
    one = np.log1p(less)
    sums = -np.expm1(count * one), -np.expm1((count - 1) * one + np.log(mean))
    weight = np.where(order, 1.0, 0.5) * (-1.0) ** order
    averages = comb(_AVERAGED, np.arange(_AVERAGED + 1)) / 2.0**_AVERAGED
    found = []
    for each in sums:
        partial = np.cumsum((each / first).real * weight, axis=1)[:, terms:]
        found.append(np.clip(np.exp(_ABSCISSA / 2.0) / count * (partial @ averages), 0.0, 1.0))
    return found[0], found[1]


def _moments(mu: float, first: np.ndarray, losses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """E[e^(−uX)] − 1 and E[X e^(−uX)] at u = `first` e^(−loss): a row for each loss."""
    step = (losses[-1] - losses[0]) / (losses.size - 1)
    # Spacing of losses and of z, in grid points.
    apart, wide = max(int(np.ceil(step / (mu * _STEP))), 1), max(int(mu * _STEP / step), 1)
    width = step / apart * wide / mu
    z = width * np.arange(-np.ceil(_FAR / width), np.ceil((_FAR + mu) / width) + 1.0)
    # μz − loss, from the least on; at the last loss first.
    window = wide * (z.size - 1) + 1
    place = mu * z[0] - losses[-1] + step / apart * np.arange(window + apart * (losses.size - 1))
    angle = np.minimum(np.angle(first), _MOST_MOVED * mu)
    found = np.empty((2, losses.size, first.size), dtype=complex)
    for n, (u, theta) in enumerate(zip(first, angle, strict=True)):
        moved = z - 1j * theta / mu
        weight = width / np.sqrt(2.0 * np.pi) * np.exp(-(moved**2) / 2.0)
        weights = np.column_stack([weight, weight * np.exp(mu * moved - mu**2 / 2.0)])
        values = np.expm1(-u * np.exp(place - mu**2 / 2.0 - 1j * theta))
        found[:, :, n] = (sliding_window_view(values, window)[::apart, ::wide][::-1] @ weights).T
    return found[0], found[1] + 1.0
