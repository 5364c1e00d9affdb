"""Sums of independent log-normal variables, between two laws on a grid: the likelihood ratio of random allocation.

With X = e^(μz − μ²/2), z ~ N(0, 1), and S a sum of T copies, of mean T, it is asked for

    put(k) = E[(k − S)₊],     k > 0,

in which δ is expressed. Expectations of convex functions of S rise where an X becomes larger in the convex order, and
fall where it becomes smaller. So both of these are put on a grid c + jh, and their sums are exact but for rounding:

- larger: the mass between two grid points goes to these, in the proportion that keeps its mean;
- smaller: with C(x) = E[(X − x)₊] and the density φ, the function C(jh) − h²/8 max φ, the maximum over the two cells
  beside jh, joined by lines, is below C, since a chord is above a function by no more than h²/8 of its second
  derivative. What lies below c + h is at its mean, and c is chosen to be that.

Sums are formed by one FFT, damped so that what is beyond the grid does not come back. Levels of grids, each e times
as long as the one before, keep the relative resolution; each is refined until the gap is small.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.fft import irfft, rfft
from scipy.optimize import brentq, isotonic_regression
from scipy.special import log_ndtr, ndtr, ndtri_exp

from .discretized import power

# log of a mass that is nothing, and deviations beyond which a log-normal variable has nothing.
_NOTHING, _DEVIATIONS, _LOWEST = -41.5, 8.0, -9.0
# Grid points of a level: at first, at most; the gap of put/T that is aimed at.
_FIRST, _MOST, _GOAL = 2**13, 2**18, 1e-9
# A probability below which grids begin.
_SEEN = 1e-18
# How far sums are damped once around the circle, and how long this is for short grids.
_DAMPED, _SHORT = 40.0, 2**19
_ROUNDING = 2.0**-52


@dataclass(frozen=True)
class LogNormalSum:
    """An upper value of put(k) as a convex function, linear between nodes, and how much it may be too large there.

    `mass` is that of a law with atoms at `node`, and `below` a mass at 0; `rest` is beyond all nodes.
    """

    node: np.ndarray
    mass: np.ndarray
    gap: np.ndarray
    below: float
    count: int


@lru_cache(maxsize=8)
def lognormal_sum(mu: float, count: int) -> LogNormalSum:
    """The sum of `count` log-normal variables of mean 1, z multiplied by `mu`."""
    lowest, highest = _window(mu, count)
    ends = [highest]
    while ends[-1] > math.e * lowest and len(ends) < 400:
        ends.append(ends[-1] / math.e)
    levels, start = [], lowest
    for end in reversed(ends):
        levels.append(_refined(mu, count, start, end))
        start = end
    return _stitched(levels, lowest, count)


def _window(mu: float, count: int) -> tuple[float, float]:
    """Sums below and above which there is nothing: of the largest variable, and of all together."""
    largest = math.exp(mu * float(ndtri_exp(_NOTHING / count)) - mu**2 / 2)
    together = count - math.sqrt(-2.0 * _NOTHING * count * math.exp(mu**2))
    spread = 10.0 * math.sqrt(count * math.expm1(mu**2))
    each = count * math.exp(mu * _LOWEST - mu**2 / 2)
    return max(largest, together, each), math.exp(mu**2 / 2 + _DEVIATIONS * mu) + count + spread


@dataclass(frozen=True)
class _Level:
    """Grid points, the larger law's distribution function and put there, how far this is above the smaller one's, and
    the same with all rounding."""

    k: np.ndarray
    cdf: np.ndarray
    put: np.ndarray
    between: np.ndarray
    gap: np.ndarray


def _refined(mu, count, start, end) -> _Level:
    points = max(_FIRST, 2 << (count - 1).bit_length())
    while True:
        level = _level(mu, count, end, points)
        inside = level.k >= start
        worst = float(np.max((level.between / (count + level.k))[inside], initial=0.0))
        if worst < _GOAL or points >= _MOST:
            return level
        points = min(_MOST, points * 2 ** max(1, math.ceil(0.5 * math.log2(worst / _GOAL))))


def _level(mu, count, end, points) -> _Level:
    # Below t there is nothing, or one cell above the mean of what is there.
    t = math.exp(mu * _LOWEST - mu**2 / 2)
    step = (end - count * t) / points
    before = int(t - _mean_below(t, mu) < step)
    if before:
        step = end / points
        t = float(brentq(lambda x: x - _mean_below(x, mu) - step, min(t, step), step + 1.0, xtol=1e-16, rtol=1e-15))
    head, origin = float(ndtr(_deviation(t, mu))), _mean_below(t, mu)
    before = before * math.ceil(origin / step)
    larger = _larger(mu, origin, step, before, points)
    smaller = _smaller(mu, origin, step, t, head, points)
    sums = []
    for mass, shift in ((larger, count * before), (smaller, 0)):
        length = points + shift + 1
        sums.append(_power(mass, count, length))
    length = points + 1
    k = count * origin + step * np.arange(length)
    (up, up_noise), (down, down_noise) = sums
    cdf_up = np.cumsum(up)
    put_up = step * np.append(0.0, np.cumsum(cdf_up)[:-1])
    cdf_up, put_up = cdf_up[count * before :], put_up[count * before :]
    put_down = step * np.append(0.0, np.cumsum(np.cumsum(down))[:-1])
    noise = (up_noise[count * before :] + down_noise) * step * np.arange(1.0, length + 1.0)
    between = np.maximum(put_up - put_down, 0.0)
    return _Level(k, np.minimum(cdf_up, 1.0), put_up, between, between + noise + 1e-18 * count * k)


def _deviation(x, mu):
    with np.errstate(divide="ignore", invalid="ignore"):
        return (np.log(x) + mu**2 / 2) / mu


def _mean_below(t, mu) -> float:
    """E[X | X ≤ t]."""
    z = _deviation(t, mu)
    return float(np.exp(log_ndtr(z - mu) - log_ndtr(z)))


def _density(x, mu):
    with np.errstate(divide="ignore", over="ignore", under="ignore"):
        positive = np.maximum(x, 1e-300)
        z = _deviation(positive, mu)
        return np.where(x > 0, np.exp(-(z**2) / 2) / (math.sqrt(2 * math.pi) * mu * positive), 0.0)


def _masses(x, mu):
    """Pr[X ≤ x] and E[X; X ≤ x] between neighbors, from the nearer tail."""
    z = _deviation(np.maximum(x, 0.0), mu)
    found = []
    for place in (z, z - mu):
        low, high = ndtr(place), ndtr(-place)
        found.append(np.where(place[:-1] > 0, high[:-1] - high[1:], low[1:] - low[:-1]))
    return found


def _larger(mu, origin, step, before, points) -> np.ndarray:
    """Masses at the grid points from `before` cells below the origin on; what is beyond the last one is there."""
    x = origin + step * np.arange(-before, points + 1.0)
    mass, mean = _masses(x, mu)
    share = np.clip((mean - mass * x[:-1]) / step, 0.0, mass)
    law = np.append(mass - share, 0.0) + np.append(0.0, share)
    law[0] += float(ndtr(_deviation(max(x[0], 0.0), mu))) if x[0] > 0 else 0.0
    law[-1] += float(ndtr(-_deviation(x[-1], mu)))
    return law


def _smaller(mu, origin, step, t, head, points) -> np.ndarray:
    """Masses at the grid points from the origin on; what is beyond the last one is left out."""
    x = origin + step * np.arange(-1.0, points + 2.0)
    # What is above t, split as the larger one.
    mass, mean = _masses(np.maximum(x, t), mu)
    share = np.clip((mean - mass * x[:-1]) / step, 0.0, mass)
    split = (np.append(mass - share, 0.0) + np.append(0.0, share))[1:-1]
    # How far a chord is above C, at most; a function that bends by a mass in a cell is below it by less than a quarter.
    mode = np.clip(math.exp(-1.5 * mu**2), np.maximum(x[:-1], t), np.maximum(x[1:], t))
    chord = np.minimum(step**2 / 8.0 * _density(mode, mu), step / 4.0 * mass)
    lowered = np.maximum(chord[1:], chord[:-1])
    lowered[0] = 0.0  # nothing is in the first cell
    law = split - np.diff(np.concatenate([[0.0], lowered, chord[-1:]]), 2) / step
    law[0] += head
    if law.min() < 0:
        # The hull from below of the points: their slopes in increasing order.
        rising = isotonic_regression(np.cumsum(law), increasing=True).x
        law = np.diff(np.append(0.0, np.clip(rising, 0.0, 1.0)))
    return law


def _power(mass, count, length) -> tuple[np.ndarray, np.ndarray]:
    """The masses of sums of `count` variables up to a length, and a bound on the error of each of their sums."""
    size = 1 << (max(4 * length, min(16 * length, _SHORT)) - 1).bit_length()
    rate = _DAMPED / size
    damped = (mass * np.exp(-rate * np.arange(mass.size))).astype(np.longdouble)
    spectrum = rfft(damped, size)
    sums = irfft(power(spectrum, count), size)[:length].astype(float)
    grown = np.exp(rate * np.arange(length))
    # Of the spectrum in every entry, `count` times; sums of n errors are below √n times their norm.
    rounding = float(np.finfo(np.longdouble).eps) * (4.0 + math.log2(size)) * (2.0 + count)
    norm = max(float(np.linalg.norm(damped.astype(float))), float(np.linalg.norm(sums)))
    noise = rounding * norm * np.sqrt(np.arange(1.0, length + 1.0)) * grown
    with np.errstate(under="ignore"):
        return np.maximum(sums * grown, 0.0), noise + math.exp(-_DAMPED) + 4 * _ROUNDING * (1.0 + rate * size / 4)


def _stitched(levels, lowest, count) -> LogNormalSum:
    """One convex function of all levels: each from the end of the one before on, joined by a line below both."""
    levels = [level for level in levels if level.cdf[-1] > _SEEN]
    first = levels[0]
    at = max(int(np.searchsorted(first.k, lowest)), int(np.searchsorted(first.cdf, _SEEN)), 1)
    # From (0, 0) to the first node.
    while first.put[at] > first.k[at] * first.cdf[at]:
        at += 1
    below = float(first.put[at] / first.k[at])
    whole = [each[at:] for each in (first.k, first.cdf, first.put, first.gap)]
    for level in levels[1:]:
        begin, cells, joined = int(np.searchsorted(level.k, whole[0][-1], side="right")), 1, None
        while joined is None and begin + cells < level.k.size - 1:
            joined = _joined(whole, level, below, begin, begin + cells)
            cells *= 2
        if joined is None:
            break
        whole = joined
    node, slope, _, gap = whole
    return LogNormalSum(node, np.diff(np.append(below, slope)), gap, below, count)


def _joined(whole, level, below, begin, place):
    """Two convex functions, joined by a line to a node of the second, if slopes rise."""
    k, cdf, put, gap = whole
    slope = (level.put[place] - put) / (level.k[place] - k)
    rising = np.flatnonzero(slope >= np.append(below, cdf[:-1]))
    if not rising.size or slope[rising[-1]] > level.cdf[place]:
        return None
    end = rising[-1]
    cdf = np.append(cdf[:end], slope[end])
    # Beside the line the gap is that of nodes on either side, and how far the line is above the curve.
    bend = (level.cdf[place] - cdf[-2] if end else level.cdf[place]) * (level.k[place] - k[end])
    around = max(float(np.max(level.gap[begin - 1 : place + 1])), float(np.max(gap[end:])))
    beside = around + (bend if place > begin + 1 or end < k.size - 1 else 0.0)
    its_gap = level.gap[place:].copy()
    its_gap[0] = beside
    return [
        np.append(k[: end + 1], level.k[place:]),
        np.append(cdf, level.cdf[place:]),
        np.append(put[: end + 1], level.put[place:]),
        np.concatenate([gap[:end], [beside], its_gap]),
    ]
