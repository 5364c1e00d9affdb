"""Sums of independent log-normal variables, between two laws on a grid: the likelihood ratio of random allocation.

With X = e^(μz − μ²/2), z ~ N(0, 1), and S a sum of T copies, of mean T, it is asked for

    put(k) = E[(k − S)₊]  and  call(k) = E[(S − k)₊] = put(k) + T − k,     k > 0,

in which δ is expressed: the put up to k = T and the call beyond, so that neither is a difference of large numbers.

*Two grids.* Expectations of convex functions of S rise where an X becomes larger in the convex order, and fall where it
becomes smaller. Up to B, the last point of a grid c + jh, X is replaced by two laws on this grid:

- larger: the mass between two grid points goes to these, in the proportion that keeps its mean;
- smaller: with C(x) = E[(X − x)₊; X ≤ B] and the density φ, the function C(jh) − h²/8 max φ, the maximum over the two
  cells beside jh, joined by lines, is below C, since a chord is above a function by no more than h²/8 of its second
  derivative; it is 0 on the last cell. What lies below c + h is at its mean, and c is chosen to be that.

*What is beyond the grid.* Where an X is above B ≥ k, so is S: this adds nothing to put(k), and to call(k) it adds

    E[S − k; some X > B] = T (1 − E[X; X ≤ B] Pr[X ≤ B]^(T−1)) − k (1 − Pr[X ≤ B]^T).

*Sums* of variables up to B are formed by an FFT. It errs by a share of the largest of its numbers, so masses are tilted
by e^(ax), a < 0 for puts and a > 0 for calls, so that the largest ones are those that matter. What is beyond the circle
comes back in part; with F(b) = E[e^(bX); X ≤ B] and W the circle's length, the sums above W are, times e^(aS), at
most e^((a−b)W) F(b)^T for every b ≥ a, b ≥ 0.

*Levels* of grids, each e times as long as the one before, or more if they are many, keep the relative resolution; each
is refined until the gap is small. Since put is convex, the lower hull of any points above it is above it too: that of
all levels' points is the larger law. Where one level follows on another, the gap is that to the smaller law of the
latter.
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
from .discretized import power

# log of a negligible mass, and deviations beyond which a log-normal variable has no more than that.
_NOTHING, _DEVIATIONS = -92.0, 14.0
# Grid points of a level, initial and largest number; target error of δ, absolute and relative; and a negligible error.
_FIRST, _MOST, _GOAL, _SHARE, _FAINT = 2**11, 2**17, 1e-9, 1e-3, 1e-13
# Circles are at most so many times as long as a grid. Tilts, over a grid's length; of those that lose no more than
# this factor, the largest is taken.
_ROUND, _SHORT, _TILTS, _LOSS = 4, 2**18, np.append(0.0, 2.0 ** np.arange(-2.0, 10.0)), math.log(20.0)
# Relative errors of probabilities of single cells, and of sums of many of them.
_RELATIVE = 1e-12
# Largest absolute logarithm of a power.
_LARGEST_LOG = 0.9 * math.log(2.0) * np.finfo(np.longdouble).maxexp
# Largest number of grid points of all levels together, and smallest end of a level.
_ALL, _LEAST_LEVEL = 2**22, 1.1
# What all levels may cost, in grid points, what a level costs besides, and from how many points on transforms are slow;
# and smallest number of grid points before a level begins.
_COST, _EACH, _SLOW, _LEAST_POINTS = 4.7e6, 18_000, 2**18, 32


@dataclass(frozen=True)
class LogNormalSum:
    """The larger law, atoms at `node` and `below` at 0, and how much its put and call are too large or too small.

    In a cell the larger of its ends' errors counts. `call` is what is left at the last node.
    """

    node: np.ndarray
    mass: np.ndarray
    gap: np.ndarray
    below: float
    call: float
    count: int

    @cached_property
    def parity(self) -> tuple[float, float]:
        """By how much all mass and its mean are not 1 and T: what a put adds to the error of a call, and vice versa."""
        mean = math.fsum(self.mass * self.node) + self.call
        return abs(math.fsum(self.mass) + self.below - 1.0), abs(mean - self.count)


@lru_cache(maxsize=8)
def lognormal_sum(mu: float, count: int) -> LogNormalSum:
    """The sum of `count` log-normal variables of mean 1, z multiplied by `mu`."""
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
        # If cells are wide for so many variables, the previous level may extend beyond the end of this one.
        if not levels or end > _LEAST_LEVEL * start:
            levels.append(_refined(mu, count, start, end, most))
            start = float(levels[-1].k[-1])
    return _stitched(levels, count)


def ratio_of_levels(mu: float, count: int) -> float | None:
    """How many times as long as the one before each level is: e, or more where so many levels would take long; none
    where even these would, or be too coarse."""
    lowest, highest = _window(mu, count)
    first = _first_points(count)
    most = _COST / (_EACH * min(count / _ROUND**2, 1.0) + first + first**2 / _SLOW)
    ratio = math.exp(max(1.0, (math.log(highest) - math.log(lowest)) / most))
    return ratio if ratio * _LEAST_POINTS <= first else None


def _first_points(count: int) -> int:
    """Grid points of a level at first."""
    return max(_FIRST, 2 << (count - 1).bit_length())


def _window(mu: float, count: int) -> tuple[float, float]:
    """Sums below and above which the mass is negligible: of the largest variable, and of all together."""
    largest = math.exp(mu * float(ndtri_exp(_NOTHING / count)) - mu**2 / 2)
    together = count - math.sqrt(-2.0 * _NOTHING * count * math.exp(mu**2))
    spread = _DEVIATIONS * math.sqrt(count * math.expm1(mu**2))
    each = count * math.exp(-mu * _DEVIATIONS - mu**2 / 2)
    return max(largest, together, each), math.exp(mu**2 / 2 + _DEVIATIONS * mu) + count + spread


@dataclass(frozen=True)
class _Side:
    """Of one law, at grid points: the put up to T and the call beyond, the slope from there on, and errors."""

    value: np.ndarray
    slope: np.ndarray
    noise: np.ndarray


@dataclass(frozen=True)
class _Level:
    """Grid points between two ends, including the last one before, and the values there."""

    k: np.ndarray
    value: np.ndarray
    slope: np.ndarray
    low: np.ndarray
    noise: np.ndarray


def _refined(mu: float, count: int, start: float, end: float, most: float) -> _Level:
    points = _first_points(count)
    while True:
        level = _level(mu, count, start, end, points)
        # In units of δ, in that direction in which it is larger.
        between = level.value - level.low - level.noise
        unit = np.minimum(level.k, count)
        worst = float(np.max(between / (_GOAL * unit), initial=0.0))
        share = between > np.maximum(_SHARE * level.value, _FAINT * unit)
        worst = max(worst, 4.0 if share.any() else 0.0)
        if worst < 1.0 or points >= most:
            return level
        points = min(most, points * 2 ** max(1, math.ceil(0.5 * math.log2(worst))))


def _level(mu: float, count: int, start: float, end: float, points: int) -> _Level:
    # Below t there is nothing, or one cell above the mean of what is there.
    t = math.exp(-mu * _DEVIATIONS - mu**2 / 2)
    step = (end - count * t) / points
    before = int(t - _mean_below(t, mu) < step)
    if before:
        step = end / points
        # The mean is at most 1, but for rounding.
        high = 1.000001 * (step + 1.0)
        # Up to two thousand halvings: t may be next to nothing.
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
    """Pr[X ≤ x] and E[X; X ≤ x] between neighbors, from the nearer tail."""
    z = _deviation(np.maximum(x, 0.0), mu)
    found = []
    for place in (z, z - mu):
        low, high = ndtr(place), ndtr(-place)
        found.append(np.where(place[:-1] > 0, high[:-1] - high[1:], low[1:] - low[:-1]))
    return found[0], found[1]


def _split(x: np.ndarray, mu: float, step: float) -> tuple[np.ndarray, np.ndarray]:
    """Masses at grid points, with those of cells split so that their means are kept, and those of cells."""
    mass, mean = _masses(x, mu)
    share = np.clip((mean - mass * x[:-1]) / step, 0.0, mass)
    return np.append(mass - share, 0.0) + np.append(0.0, share), mass


def _larger(mu: float, origin: float, step: float, before: int, points: int) -> np.ndarray:
    """Masses at the grid points from `before` cells below the origin on."""
    x = origin + step * np.arange(-before, points + 1.0)
    law, _ = _split(x, mu, step)
    law[0] += float(ndtr(_deviation(max(x[0], 0.0), mu))) if x[0] > 0 else 0.0
    return law


def _smaller(mu: float, origin: float, step: float, t: float, head: float, points: int) -> np.ndarray:
    """Masses at the grid points from the origin on."""
    x = origin + step * np.arange(points + 1.0)
    # The part above t, split like the larger one.
    mass, mean = _masses(np.maximum(x, t), mu)
    share = np.clip((mean - mass * x[:-1]) / step, 0.0, mass)
    split = np.append(mass - share, 0.0) + np.append(0.0, share)
    # How far a chord is above C, at most; a function that bends by a mass in a cell is below it by less than a quarter.
    mode = np.clip(math.exp(-1.5 * mu**2), np.maximum(x[:-1], t), np.maximum(x[1:], t))
    chord = np.minimum(step / 8.0 * _density(mode, mu) * step, step / 4.0 * mass)
    lowered = np.concatenate([[0.0], np.maximum(chord[1:], chord[:-1]), [0.0]])
    # 0 on the last cell; nothing is in the first one.
    lowered[-2] = max(step * split[-1], lowered[-2])
    law = split - np.diff(np.concatenate([[0.0], lowered, [0.0]]), 2) / step
    law[0] += head
    if law.min() < 0:
        # The hull from below of the points: their slopes in increasing order, each summed from its own end of the law.
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
    """Values at the grid points from `first` on; those of the law's sums begin `shift` points earlier."""
    left, parts = int(np.searchsorted(k, count, side="right")), []
    if first < left:
        sums, noise = _sums(law, count, left - 1 + shift, -1)
        cdf = np.cumsum(sums)
        put = step * np.append(0.0, np.cumsum(cdf)[:-1])
        parts.append([column[first + shift :] for column in (put, cdf, step * noise)])
    if left < k.size:
        first = max(left, first)
        sums, noise = _sums(law, count, first + shift, 1)
        # For the points to the right.
        tail = np.append(np.cumsum(sums[::-1])[-2::-1], 0.0)
        call = step * np.cumsum(tail[::-1])[::-1]
        call, tail, noise = (column[: k.size - first] for column in (call, tail, noise))
        parts.append([call + (beyond[1] - beyond[0] * k[first:]), -(tail + beyond[0]), step * noise])
    value, slope, noise = (np.concatenate(column) for column in zip(*parts, strict=True))
    # Between cells the excess on one side equals the deficit on the other.
    moved = 4 * LAST_PLACE * count * np.minimum(k[-value.size :], 1.0) * np.abs(slope)
    return _Side(value, slope, noise + _RELATIVE * value + moved)


def _sums(mass: np.ndarray, count: int, place: int, direction: int) -> tuple[np.ndarray, np.ndarray]:
    """Masses of sums of `count` variables at grid points up to a place, or from it on to the end of the circle, and a
    bound on the error of sums over sums of them from that end.

    The error is to be small at the place, the nearest one to the middle of the law.
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
    # Of the spectrum in every entry, `count` times; sums of n errors are below √n times their norm.
    rounding = LONG_LAST_PLACE * (4.0 + math.log2(size)) * (2.0 + count)
    terms = index + 1.0 if direction < 0 else size - index
    once, both = (min(-1.0 / math.expm1(-n * abs(tilt)), size) if tilt else size for n in (1, 2))
    grown = grown.astype(float)
    noise = rounding * norm * grown * np.minimum(terms, once) * np.sqrt(np.minimum(terms, both))
    back = 2.0 * size * np.exp(log_back - (tilt * (index - place) if direction > 0 else 0.0))
    return np.maximum(sums.astype(float) * grown, 0.0), noise + back


def _power(mass: np.ndarray, count: int, size: int) -> tuple[np.ndarray, float]:
    """The masses of sums on a circle, and the norm to which errors of the transform are proportional.

    An atom of more than one half, as of all small variables where the grid is long, is taken out first: with masses m
    and m r of the atom and of the others, m^T ((1 + r)^T − 1) is what is beside the atom's own power. Where (1 + r)^T
    could be beyond all numbers, and that power next to nothing, it stays where it is.
    """
    top = int(np.argmax(mass))
    atom = mass[top] if mass[top] > 0.5 and -count * math.log(mass[top]) < _LARGEST_LOG else 0.0
    if not atom:
        sums = irfft(power(rfft(mass, size), count), size)
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
    """A tilt, the logarithm of F there, and that of what comes back round the circle, as it counts at the place."""
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
        # The least from each tilt on; of no tilt nothing is known.
        above[0] = math.inf
        above = np.minimum.accumulate(above[::-1])[::-1]
        back = above + tilts * (size - place) if direction > 0 else above[0] - tilts * size
    cost = np.logaddexp(math.log(LONG_LAST_PLACE) + height, back)
    best = np.flatnonzero(cost <= cost.min() + _LOSS)[-1]
    return float(direction * tilts[best]), float(forth[best]), float(back[best])


def _stitched(levels: list[_Level], count: int) -> LogNormalSum:
    """The lower hull of the points of all levels, each from the end of the one before on."""
    known = int(np.argmax(levels[0].value > 0))
    columns = [levels[0].k, levels[0].value, levels[0].slope, levels[0].value - levels[0].low, levels[0].noise]
    columns = [column[known:] for column in columns]
    for level in levels[1:]:
        columns = _joined(columns, level, count)
    k, value, slope, gap, noise = columns
    left = int(np.searchsorted(k, count, side="right"))
    below = value[0] / k[0]
    error = np.abs(gap) + noise
    # Calls decrease, also where a level is below the previous one; there the hull is that of chords.
    capped = np.append(value[:left], np.minimum.accumulate(value[left:]))
    error = np.minimum(error, capped + np.append(noise[:left], np.minimum.accumulate(noise[left:])))
    chords = np.flatnonzero((capped < value)[1:] | (capped < value)[:-1])
    value, slope = capped, slope.copy()
    slope[chords] = (value[chords + 1] - value[chords]) / (k[chords + 1] - k[chords])
    if left < k.size:
        # From the last put to the first call there is a chord too, by which all masses have the mean T.
        before = value[left - 1] + count - k[left - 1]
        slope[left - 1] = 1.0 + (value[left] - before) / (k[left] - k[left - 1])
    width = np.diff(k, prepend=0.0)
    rising = isotonic_regression(np.append(below, slope[:left])[: left + 1], weights=width[: left + 1]).x
    falling = isotonic_regression(np.append(rising[-1] - 1.0, slope[left:-1]), weights=width[left:]).x
    mass = np.concatenate([np.diff(rising), np.diff(np.append(np.minimum(falling, 0.0), 0.0))])
    return LogNormalSum(k, np.maximum(mass, 0.0), error, float(rising[0]), float(value[-1]), count)


def _joined(columns: list[np.ndarray], level: _Level, count: int) -> list[np.ndarray]:
    """The points so far, and those of the next level from there on."""
    k, value, slope, gap, noise = columns
    at = float(k[-1])
    apart = max(at - float(k[-2]), float(level.k[-1] - level.k[-2])) / 2
    begin = int(np.searchsorted(level.k, at + apart))
    # Everything in puts, or everything in calls.
    calls = level.k[begin] > count
    parity = np.where(level.k[: begin + 1] > count, 0.0, count - level.k[: begin + 1]) if calls else 0.0
    low, own = level.low[: begin + 1] + parity, level.value[begin]
    before = value[-1] + (count - at if calls and at <= count else 0.0)
    chord = (own - before) / (level.k[begin] - at)
    # In the cell between: the chord over the lower values, at all points where these bend.
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
