"""Sums of independent log-normal variables, bounded by two laws on a grid: the likelihood ratio of random allocation.

With X = e^(μz − μ²/2), z ~ N(0, 1), and S the sum of T independent copies, so that E[S] = T, δ is expressed in

    put(k) = E[(k − S)₊]  and  call(k) = E[(S − k)₊] = put(k) + T − k,     k > 0.

The put is computed up to k = T and the call beyond, so that neither is a small difference of large numbers.

*Two laws.* The expectation of a convex function of S rises if X is replaced by a variable that is larger in the convex
order, and falls if by one that is smaller. Up to B, the last point of a grid c + jh, X is replaced by two laws on it:

- larger: the mass between two grid points goes to these, in the proportion that keeps its mean;
- smaller: let C(x) = E[(X − x)₊; X ≤ B], and φ the density of X. A chord exceeds C by at most h²/8 times the maximum of
  C″ = φ. So the piecewise linear function with values C − h²/8 max φ at grid points, where the maximum is over both
  adjacent cells, lies below C; on the last cell it is set to 0. The mass below c + h goes to its mean, and c is chosen
  to be that mean.

*Beyond the grid.* If some X exceeds B ≥ k, so does S: this adds nothing to put(k), and to call(k) it adds

    E[S − k; some X > B] = T (1 − E[X; X ≤ B] Pr[X ≤ B]^(T−1)) − k (1 − Pr[X ≤ B]^T).

*Sums* of variables up to B are formed by an FFT. Its errors are proportional to the largest of its numbers, so masses
are tilted by e^(ax), a < 0 for puts and a > 0 for calls, which makes those largest that matter. Sums beyond the length
W of the circle wrap around; with F(b) = E[e^(bX); X ≤ B], their tilted mass E[e^(aS); S > W] is at most
e^((a−b)W) F(b)^T for every b ≥ a.

*Levels* are grids of increasing length, which keep the relative resolution: each is e times as long as the one before,
or more if these would be too many. Each is refined until the gap between its two laws is small. Since put is convex,
the lower hull of points above it is above it, too: the hull of the points of all levels is the larger law. In the cell
between two levels, the gap is measured to the smaller law of the later level.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft
from scipy.optimize import brentq, isotonic_regression
from scipy.special import log_ndtr, logsumexp, ndtr, ndtri_exp

from .._floats import LAST_PLACE, LONG_LAST_PLACE
from .squaring import by_squaring

# The logarithm of a negligible mass, and a z beyond which a normal variable has less than that.
_NOTHING, _DEVIATIONS = -92.0, 14.0
# Grid points of a level, at first and at most. More are used until the gap, in δ, is below `_GOAL`, and also below
# `_FAINT` or the share `_SHARE` of the value.
_FIRST, _MOST, _GOAL, _SHARE, _FAINT = 2**11, 2**17, 1e-9, 1e-3, 1e-13
# A circle is at most `_ROUND` times as long as the grid, or 16 times if that is at most `_SHORT` points.
_ROUND, _SHORT = 4, 2**18
# Tilts that are tried, times the length of the grid. The largest one is taken whose error is at most e^`_LOSS` times
# the least.
_TILTS, _LOSS = np.append(0.0, 2.0 ** np.arange(-2.0, 10.0)), math.log(20.0)
# Relative error of a value, as probabilities of cells and their sums are rounded.
_RELATIVE = 1e-12
# An atom of mass m is factored out of a power if −log m^T, which must not overflow as a long float, is below this.
_LARGEST_LOG = 0.9 * math.log(2.0) * np.finfo(np.longdouble).maxexp
# Largest number of grid points of all levels together; smallest ratio of the ends of two successive levels.
_ALL, _LEAST_LEVEL = 2**22, 1.1
# All levels together may cost `_COST`. One of n points costs n, n² / `_SLOW` for long transforms, and up to `_EACH`
# besides. Each has at least `_LEAST_POINTS` grid points up to the end of the one before.
_COST, _EACH, _SLOW, _LEAST_POINTS = 4.7e6, 18_000, 2**18, 32


@dataclass(frozen=True)
class LogNormalSum:
    """The larger law, with atoms of `mass` at `node` and of `below` at 0.

    `gap` bounds the error of its put (up to T) and call (beyond) at each node; between two nodes the larger of both
    bounds holds. `call` is the call at the last node.
    """

    node: np.ndarray
    mass: np.ndarray
    gap: np.ndarray
    below: float
    call: float
    count: int

    @cached_property
    def parity(self) -> tuple[float, float]:
        """By how much the total mass differs from 1, and the mean from T: an additional error of call(k) when it is
        computed from put(k), and vice versa."""
        mean = math.fsum(self.mass * self.node) + self.call
        return abs(math.fsum(self.mass) + self.below - 1.0), abs(mean - self.count)


@lru_cache(maxsize=8)
def lognormal_sum(mu: float, count: int) -> LogNormalSum:
    """The sum of `count` independent variables e^(μz − μ²/2)."""
    lowest, highest = _window(mu, count)
    ends, ratio = [highest], ratio_of_levels(mu, count)
    if ratio is None:
        raise ValueError("the sums of so many variables are too far apart: they would take longer than ten seconds")
    while ends[-1] > lowest:
        ends.append(ends[-1] / ratio)
    most = max(_FIRST, min(_MOST, 1 << (_ALL // len(ends)).bit_length() - 1))
    levels: list[_Level] = []
    start = lowest
    for end in reversed(ends[:-1]):
        # With many variables cells are wide, and the previous level may already reach the end of this one.
        if not levels or end > _LEAST_LEVEL * start:
            levels.append(_refined(mu, count, start, end, most))
            start = float(levels[-1].k[-1])
    return _stitched(levels, count)


def ratio_of_levels(mu: float, count: int) -> float | None:
    """The length of each level relative to the one before: e, or more where so many levels would take too long; None
    where as few as may be used would be too coarse."""
    lowest, highest = _window(mu, count)
    first = _first_points(count)
    most = _COST / (_EACH * min(count / _ROUND**2, 1.0) + first + first**2 / _SLOW)
    ratio = math.exp(max(1.0, (math.log(highest) - math.log(lowest)) / most))
    return ratio if ratio * _LEAST_POINTS <= first else None


def _first_points(count: int) -> int:
    """Number of grid points of a level before it is refined."""
    return max(_FIRST, 2 << (count - 1).bit_length())


def _window(mu: float, count: int) -> tuple[float, float]:
    """Sums below and above which the mass is negligible.

    A sum is below the first only if its largest variable is, or if it is far below its mean, or if some z is below
    −`_DEVIATIONS`.
    """
    largest = math.exp(mu * float(ndtri_exp(_NOTHING / count)) - mu**2 / 2)
    together = count - math.sqrt(-2.0 * _NOTHING * count * math.exp(mu**2))
    spread = _DEVIATIONS * math.sqrt(count * math.expm1(mu**2))
    each = count * math.exp(-mu * _DEVIATIONS - mu**2 / 2)
    return max(largest, together, each), math.exp(mu**2 / 2 + _DEVIATIONS * mu) + count + spread


@dataclass(frozen=True)
class _Side:
    """For one law at grid points: the put up to T and the call beyond, its slope to the right, and rounding errors."""

    value: np.ndarray
    slope: np.ndarray
    noise: np.ndarray


@dataclass(frozen=True)
class _Level:
    """Grid points from the last one before the level's start on; values and slopes of the larger law, values of the
    smaller one, and the sum of both rounding errors."""

    k: np.ndarray
    value: np.ndarray
    slope: np.ndarray
    low: np.ndarray
    noise: np.ndarray


def _refined(mu: float, count: int, start: float, end: float, most: float) -> _Level:
    points = _first_points(count)
    while True:
        level = _level(mu, count, start, end, points)
        # In units of δ, for the direction in which that is larger.
        between = level.value - level.low - level.noise
        unit = np.minimum(level.k, count)
        worst = float(np.max(between / (_GOAL * unit), initial=0.0))
        share = between > np.maximum(_SHARE * level.value, _FAINT * unit)
        worst = max(worst, 4.0 if share.any() else 0.0)
        if worst < 1.0 or points >= most:
            return level
        points = min(most, points * 2 ** max(1, math.ceil(0.5 * math.log2(worst))))


def _level(mu: float, count: int, start: float, end: float, points: int) -> _Level:
    # Either the mass below t is negligible, or t is one cell above the mean of that mass.
    t = math.exp(-mu * _DEVIATIONS - mu**2 / 2)
    step = (end - count * t) / points
    before = int(t - _mean_below(t, mu) < step)
    if before:
        step = end / points
        # The mean of what is below t is at most E[X] = 1, but for rounding.
        high = 1.000001 * (step + 1.0)
        # t may be tiny, and takes up to two thousand halvings.
        ends, places = (min(t, step), high), {"xtol": 1e-300, "rtol": 1e-15, "maxiter": 2000}
        t = float(brentq(lambda x: x - _mean_below(x, mu) - step, *ends, **places))
    head, origin = float(ndtr(_deviation(t, mu))), _mean_below(t, mu)
    before = before * math.ceil(origin / step)
    k = count * origin + step * np.arange(points + 1)
    first = max(int(np.searchsorted(k, start)) - 1, 0)
    beyond = _beyond(mu, count, origin + step * points)
    laws = (_larger(mu, origin, step, before, points), count * before), (_smaller(mu, origin, step, t, head, points), 0)
    up, down = (_side(law, shift, k, step, first, count, beyond) for law, shift in laws)
    return _Level(k[first:], up.value, up.slope, down.value, up.noise + down.noise)


def _deviation(x: Any, mu: float) -> Any:
    with np.errstate(divide="ignore", invalid="ignore"):
        return (np.log(x) + mu**2 / 2) / mu


def _mean_below(t: float, mu: float) -> float:
    """E[X | X ≤ t]."""
    z = _deviation(t, mu)
    return float(np.exp(log_ndtr(z - mu) - log_ndtr(z)))


def _beyond(mu: float, count: int, end: float) -> tuple[float, float]:
    """Pr[some X > B] and E[S; some X > B]."""
    z = float(_deviation(end, mu))
    mass, mean = float(log_ndtr(z)), float(log_ndtr(z - mu))
    return -math.expm1(count * mass), -count * math.expm1(mean + (count - 1) * mass)


def _density(x: np.ndarray, mu: float) -> np.ndarray:
    with np.errstate(divide="ignore", over="ignore", under="ignore"):
        positive = np.maximum(x, 1e-300)
        z = _deviation(positive, mu)
        return np.where(x > 0, np.exp(-(z**2) / 2) / (math.sqrt(2 * math.pi) * mu * positive), 0.0)


def _masses(x: np.ndarray, mu: float) -> tuple[np.ndarray, np.ndarray]:
    """Mass and E[X; …] of each cell, as differences in the nearer tail, where they keep their digits."""
    z = _deviation(np.maximum(x, 0.0), mu)
    found = []
    for place in (z, z - mu):
        low, high = ndtr(place), ndtr(-place)
        found.append(np.where(place[:-1] > 0, high[:-1] - high[1:], low[1:] - low[:-1]))
    return found[0], found[1]


def _split(x: np.ndarray, mu: float, step: float) -> tuple[np.ndarray, np.ndarray]:
    """Masses at grid points, each cell's mass being split between its ends so that its mean is kept; and masses of
    cells."""
    mass, mean = _masses(x, mu)
    share = np.clip((mean - mass * x[:-1]) / step, 0.0, mass)
    return np.append(mass - share, 0.0) + np.append(0.0, share), mass


def _larger(mu: float, origin: float, step: float, before: int, points: int) -> np.ndarray:
    """The larger law: masses at the grid points from `before` cells below the origin on."""
    x = origin + step * np.arange(-before, points + 1.0)
    law, _ = _split(x, mu, step)
    law[0] += float(ndtr(_deviation(max(x[0], 0.0), mu))) if x[0] > 0 else 0.0
    return law


def _smaller(mu: float, origin: float, step: float, t: float, head: float, points: int) -> np.ndarray:
    """The smaller law: masses at the grid points from the origin on."""
    x = origin + step * np.arange(points + 1.0)
    # The part above t, split as for the larger law.
    mass, mean = _masses(np.maximum(x, t), mu)
    share = np.clip((mean - mass * x[:-1]) / step, 0.0, mass)
    split = np.append(mass - share, 0.0) + np.append(0.0, share)
    # A chord exceeds C by at most h²/8 times the largest density in the cell, and by at most h/4 times its mass.
    mode = np.clip(math.exp(-1.5 * mu**2), np.maximum(x[:-1], t), np.maximum(x[1:], t))
    chord = np.minimum(step / 8.0 * _density(mode, mu) * step, step / 4.0 * mass)
    lowered = np.concatenate([[0.0], np.maximum(chord[1:], chord[:-1]), [0.0]])
    # The function becomes 0 on the last cell; in the first one there is no mass.
    lowered[-2] = max(step * split[-1], lowered[-2])
    law = split - np.diff(np.concatenate([[0.0], lowered, [0.0]]), 2) / step
    law[0] += head
    if law.min() < 0:
        # The lowered function is not convex: its hull is, whose slopes are an isotonic regression. Each slope is summed
        # from the nearer end of the law, where small masses keep their digits.
        up = np.cumsum(law)
        down = -np.append(np.cumsum(law[::-1])[::-1][1:], 0.0)
        rising = isotonic_regression(up, increasing=True).x
        falling = isotonic_regression(down, increasing=True).x
        law = np.where(
            np.append(0.0, up[:-1]) < 0.5,
            np.diff(np.append(0.0, np.clip(rising, 0.0, 1.0))),
            np.diff(np.append(0.0, np.minimum(falling, 0.0))),
        )
        law = np.maximum(law, 0.0)
    return law


def _side(
    law: np.ndarray, shift: int, k: np.ndarray, step: float, first: int, count: int, beyond: tuple[float, float]
) -> _Side:
    """Values at the grid points from `first` on; the sums of the law begin `shift` points before the grid."""
    left, parts = int(np.searchsorted(k, count, side="right")), []
    if first < left:
        sums, noise = _sums(law, count, left - 1 + shift, -1)
        cdf = np.cumsum(sums)
        put = step * np.append(0.0, np.cumsum(cdf)[:-1])
        parts.append([column[first + shift :] for column in (put, cdf, step * noise)])
    if left < k.size:
        first = max(left, first)
        sums, noise = _sums(law, count, first + shift, 1)
        # Pr[S > k] at each point.
        tail = np.append(np.cumsum(sums[::-1])[-2::-1], 0.0)
        call = step * np.cumsum(tail[::-1])[::-1]
        call, tail, noise = (column[: k.size - first] for column in (call, tail, noise))
        parts.append([call + (beyond[1] - beyond[0] * k[first:]), -(tail + beyond[0]), step * noise])
    value, slope, noise = (np.concatenate(column) for column in zip(*parts, strict=True))
    # Rounded ends of cells move mass from one to its neighbor: sums shift, and values change by the slope times that.
    moved = 4 * LAST_PLACE * count * np.minimum(k[-value.size :], 1.0) * np.abs(slope)
    return _Side(value, slope, noise + _RELATIVE * value + moved)


def _sums(mass: np.ndarray, count: int, place: int, direction: int) -> tuple[np.ndarray, np.ndarray]:
    """Masses of sums of `count` variables at grid points: up to `place` (direction −1), or from it to the end of the
    circle (1). Also a bound on the error of twofold cumulative sums of these, taken from the outer end.

    The error is kept small at `place`, of these points the nearest to the middle of the law.
    """
    points = mass.size - 1
    size = next_fast_len(min(count * points + 1, max(_ROUND * mass.size, min(16 * mass.size, _SHORT))), real=True)
    tilt, log_total, log_back = _tilted(mass, count, place, size, direction)
    total = (np.arange(size) if direction > 0 else np.arange(place + 1)).astype(float)
    index = total[place:] if direction > 0 else total
    number = np.flatnonzero(mass)
    tilted = np.zeros(mass.size, dtype=np.longdouble)
    tilted[number] = mass[number] * np.exp(np.longdouble(tilt) * number - np.longdouble(log_total))
    sums, norm = _power(tilted, count, size)
    sums = sums[int(index[0]) : int(index[-1]) + 1]
    grown = np.exp(np.longdouble(count) * np.longdouble(log_total) - np.longdouble(tilt) * index)
    # Raising the spectrum to a power multiplies its relative errors by `count`. A sum of n errors is at most √n times
    # their norm.
    rounding = LONG_LAST_PLACE * (4.0 + math.log2(size)) * (2.0 + count)
    terms = index + 1.0 if direction < 0 else size - index
    once, both = (min(-1.0 / math.expm1(-n * abs(tilt)), size) if tilt else size for n in (1, 2))
    grown = grown.astype(float)
    noise = rounding * norm * grown * np.minimum(terms, once) * np.sqrt(np.minimum(terms, both))
    back = 2.0 * size * np.exp(log_back - (tilt * (index - place) if direction > 0 else 0.0))
    return np.maximum(sums.astype(float) * grown, 0.0), noise + back


def _power(mass: np.ndarray, count: int, size: int) -> tuple[np.ndarray, float]:
    """The masses of sums on a circle, and the norm to which errors of the transform are proportional.

    An atom of mass m > ½ is factored out; a long grid has one, which holds all small variables. If the other masses are
    m r, the sums beside that of the atoms alone have masses m^T ((1 + r)^T − 1), the power being a convolution. This is
    not done where m^T would underflow, and (1 + r)^T could overflow.
    """
    top = int(np.argmax(mass))
    atom = mass[top] if mass[top] > 0.5 and -count * math.log(mass[top]) < _LARGEST_LOG else 0.0
    if not atom:
        sums = irfft(by_squaring(rfft(mass, size), count, np.multiply), size)
        return sums, max(_norm(mass), _norm(sums))
    rest = mass / atom
    rest[top] = 0.0
    circle = np.zeros(size, dtype=mass.dtype)
    circle[(np.arange(mass.size) - top) % size] = rest
    sums = atom**count * irfft(_excess(rfft(circle), count), size)
    norm = max(_norm(rest), _norm(sums))
    sums = np.roll(sums, count * top)
    if count * top < size:
        sums[count * top] += atom**count
    return sums, norm


def _norm(values: np.ndarray) -> float:
    return float(np.linalg.norm(values.astype(float)))


def _excess(r: np.ndarray, count: int) -> np.ndarray:
    """(1 + r)^count − 1, without cancellation where r is small."""
    result = None
    while True:
        if count & 1:
            result = r if result is None else result + r + result * r
        count >>= 1
        if not count:
            assert result is not None
            return result
        r = r * (2 + r)


def _tilted(mass: np.ndarray, count: int, place: int, size: int, direction: int) -> Any:
    """A tilt, log F there, and the logarithm of a bound on what wraps around the circle, the tilt undone at `place`."""
    number = np.flatnonzero(mass)
    tilts = _TILTS / (mass.size - 1)
    logs = np.log(mass[number])

    def log_f(tilts: np.ndarray) -> np.ndarray:
        return np.array([logsumexp(tilt * number + logs) for tilt in tilts])

    forth = log_f(direction * tilts)
    height = count * forth - direction * tilts * place
    back = np.full(tilts.size, -math.inf)
    if size <= count * (mass.size - 1):
        above = count * (forth if direction > 0 else log_f(tilts)) - tilts * size
        # The least bound over all b ≥ a; b = 0 bounds nothing.
        above[0] = math.inf
        above = np.minimum.accumulate(above[::-1])[::-1]
        back = above + tilts * (size - place) if direction > 0 else above[0] - tilts * size
    cost = np.logaddexp(math.log(LONG_LAST_PLACE) + height, back)
    best = np.flatnonzero(cost <= cost.min() + _LOSS)[-1]
    return float(direction * tilts[best]), float(forth[best]), float(back[best])


def _stitched(levels: list[_Level], count: int) -> LogNormalSum:
    """The lower hull of the points of all levels, each of which continues from the end of the one before."""
    known = int(np.argmax(levels[0].value > 0))
    columns = [levels[0].k, levels[0].value, levels[0].slope, levels[0].value - levels[0].low, levels[0].noise]
    columns = [column[known:] for column in columns]
    for level in levels[1:]:
        columns = _joined(columns, level, count)
    k, value, slope, gap, noise = columns
    left = int(np.searchsorted(k, count, side="right"))
    below = value[0] / k[0]
    error = np.abs(gap) + noise
    # The call must decrease, also where a level begins below the end of the previous one; slopes there are of chords.
    capped = np.append(value[:left], np.minimum.accumulate(value[left:]))
    error = np.minimum(error, capped + np.append(noise[:left], np.minimum.accumulate(noise[left:])))
    chords = np.flatnonzero((capped < value)[1:] | (capped < value)[:-1])
    value, slope = capped, slope.copy()
    slope[chords] = (value[chords + 1] - value[chords]) / (k[chords + 1] - k[chords])
    if left < k.size:
        # The last put and the first call are joined by a chord, too, which gives the law the mean T.
        before = value[left - 1] + count - k[left - 1]
        slope[left - 1] = 1.0 + (value[left] - before) / (k[left] - k[left - 1])
    width = np.diff(k, prepend=0.0)
    rising = isotonic_regression(np.append(below, slope[:left])[: left + 1], weights=width[: left + 1]).x
    falling = isotonic_regression(np.append(rising[-1] - 1.0, slope[left:-1]), weights=width[left:]).x
    mass = np.concatenate([np.diff(rising), np.diff(np.append(np.minimum(falling, 0.0), 0.0))])
    return LogNormalSum(k, np.maximum(mass, 0.0), error, float(rising[0]), float(value[-1]), count)


def _joined(columns: list[np.ndarray], level: _Level, count: int) -> list[np.ndarray]:
    """The points so far, followed by those of the next level beyond them."""
    k, value, slope, gap, noise = columns
    at = float(k[-1])
    apart = max(at - float(k[-2]), float(level.k[-1] - level.k[-2])) / 2
    begin = int(np.searchsorted(level.k, at + apart))
    # Compare puts with puts, or calls with calls.
    calls = level.k[begin] > count
    parity = np.where(level.k[: begin + 1] > count, 0.0, count - level.k[: begin + 1]) if calls else 0.0
    low, own = level.low[: begin + 1] + parity, level.value[begin]
    before = value[-1] + (count - at if calls and at <= count else 0.0)
    chord = (own - before) / (level.k[begin] - at)
    # The gap in the cell between: the chord minus the lower values, at the points between which these are linear.
    inside = np.append(at, level.k[: begin + 1][level.k[: begin + 1] > at])
    above = float(np.max(before + chord * (inside - at) - np.interp(inside, level.k[: begin + 1], low, left=0.0)))
    rest = [
        column[begin:].copy() for column in (level.k, level.value, level.slope, level.value - level.low, level.noise)
    ]
    own_noise = float(np.max(level.noise[: begin + 1]))
    for of_gap, of_noise, end in ((gap, noise, -1), (rest[3], rest[4], 0)):
        of_gap[end], of_noise[end] = max(of_gap[end], above), max(of_noise[end], own_noise)
    slope[-1] = chord
    return [np.concatenate(pair) for pair in zip(columns, rest, strict=True)]
