"""A privacy profile as a table of polynomials for log δ, or for log(1 − δ), filled where it is asked for.

Its intervals of ε are fixed by the mechanism, never by what is asked. On each, log δ is interpolated at Chebyshev
points, on pieces that are halved until the last coefficients are below the error of the values. So an ε gives the same
answer alone and in an array, a million of them cost as many evaluations of polynomials, the derivative yields
δ'(ε) = −e^ε Pr_P[L > ε], and each piece has one bound on its error, relative to δ (or 1 − δ).

This bound is rigorous at the Chebyshev points only. The error of the interpolation between them is estimated from the
last coefficients and at seven further points, and multiplied by a safety factor: no inequality proves it.
"""

from __future__ import annotations

import math
from bisect import bisect
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from .._floats import LARGEST_LOSS, LAST_PLACE, SMALLEST_LOG
from .polynomials import chebyshev, lebesgue
from .tilted_areas import TiltedAreas

_DEGREE = 15
# A piece with a larger error than this is halved if some of its values are known much better than others.
_UNEVEN = 1e-8
# Length of the shortest piece, relative to the distance between two cuts; smallest such distance, relative to the
# interval.
_SMALLEST, _APART = 2.0**-12, 2.0**-44
# Halvings without progress after which an error counts as noise.
_STUCK = 3
# Largest number of pieces of an interval. Once it is reached, as at the atoms of many steps, pieces keep larger errors.
_MOST_PIECES = 512
# Last coefficients below this, relative to 1 + |log δ|, or below the error of the values need no further halving.
_SMALL_ENOUGH = 2e-14
# Number of answers computed at once, to limit memory.
_MOST_AT_ONCE = 2**16
# A piece without values above the first is not halved, since floats lose their digits there; a value below the second
# counts as unknown.
_NEARLY_ZERO, _ZERO = 1e-290, 1e-320
_LEBESGUE = lebesgue(_DEGREE + 1)
# The interpolation error, in units of the last coefficients: where these are small enough, and where a kink keeps them
# from getting smaller. If they are larger than `_ROUGH`, they do not bound it.
_OF_LAST, _OF_KINK, _ROUGH = 4.0, 16.0, 1e-3
# A polynomial that rises gives way to a line if they differ by at most so many times the rise.
_FLAT = 4.0
# Number of ε at which `beyond` compares upper bounds with δ.
_TRIED = 80


@dataclass(frozen=True)
class Answer:
    """At some ε: δ of finite losses, and their mass minus δ, each without cancellation; −dδ/dε; a bound on the error
    of δ."""

    delta: np.ndarray
    rest: np.ndarray
    slope: np.ndarray
    error: np.ndarray


class Profile:
    """What a table is filled from: the profile of finite losses, on intervals from 0 to where δ is nearly 0.

    Subclasses define `edges` and `sample`; all else has defaults.
    """

    @property
    def edges(self) -> np.ndarray:
        """Ends of the intervals."""
        raise NotImplementedError

    # Rounding may shift all losses together by at most this much.
    off = 0.0

    @property
    def highest(self) -> float:
        """The largest loss."""
        return math.inf

    def sample(self, interval: int, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray, bool]:
        """On one interval: values, a bound on their relative error, and whether they are `mass` − δ instead of δ."""
        raise NotImplementedError

    def cuts(self, interval: int) -> np.ndarray:
        """Losses within an interval between which its values are smooth."""
        return np.empty(0)

    @property
    def most_pieces(self) -> int:
        """Largest number of pieces of an interval; with fewer, bounds are larger where the profile is rough."""
        return _MOST_PIECES

    def left(self, epsilon: np.ndarray) -> np.ndarray:
        """An upper bound on δ beyond the last interval."""
        return np.zeros(epsilon.shape)

    def log_most(self, epsilon: np.ndarray) -> np.ndarray:
        """log of an upper bound on δ, without any table."""
        return np.full(epsilon.shape, math.inf)

    def beyond(self, delta: float) -> float | None:
        """An ε beyond which δ(ε) is smaller than `delta`, if one is known without evaluating the profile."""
        return None

    def quickly(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        """δ and a bound on its error, which may be large; None if nothing is faster than `sample`."""
        return None


class ProfileTable:
    """The profile of finite losses at ε ≥ 0.

    Parameters
    ----------
    evaluator : Profile
    mass : float
        The mass of all finite losses under Q, δ at −∞.
    """

    # Whether this is the larger of two profiles; α jumps where they cross.
    crosses = False

    def __init__(self, evaluator: Profile, mass: float = 1.0) -> None:
        self._evaluator, self.mass = evaluator, mass
        self._pieces: dict[int, list[tuple[Any, ...]]] = {}
        self._merged: tuple[np.ndarray, ...] = ()
        self._areas: dict[tuple[int, int], TiltedAreas] = {}

    @property
    def off(self) -> float:
        """Rounding may shift all losses together by at most this much."""
        return self._evaluator.off

    @property
    def end(self) -> float:
        """From here on δ is 0."""
        return float(self._evaluator.edges[-1])

    def at(self, epsilon: np.ndarray) -> Answer:
        """The profile at a one-dimensional array of ε ≥ 0."""
        inside = epsilon < self.end
        zero = np.zeros(epsilon.shape)
        delta, rest, slope, error = zero.copy(), np.full(epsilon.shape, self.mass), zero.copy(), zero.copy()
        error[~inside] = self._evaluator.left(epsilon[~inside])
        if inside.any():
            self._fill(epsilon[inside])
            for few in np.array_split(np.flatnonzero(inside), max(1, int(inside.sum()) // _MOST_AT_ONCE)):
                delta[few], rest[few], slope[few], error[few] = self._evaluated(epsilon[few])
                error[few] += self._rise(epsilon[few], delta[few])
        return Answer(delta, rest, slope, error)

    def _rise(self, epsilon: np.ndarray, delta: np.ndarray) -> np.ndarray | float:
        """How much δ rises if all losses are larger by `off`. As δ is convex in e^ε, this bounds, up to a factor e^off,
        how much it falls if they are smaller."""
        if not self._evaluator.off:
            return 0.0
        left = np.maximum(epsilon - self._evaluator.off, 0.0)
        self._fill(left)
        return np.maximum(self._evaluated(left)[0] - delta, 0.0)

    def areas(self, low: float, high: float) -> TiltedAreas:
        """The areas under the intervals of the table that meet [`low`, `high`]."""
        edges = self._evaluator.edges
        within = np.flatnonzero((edges[:-1] < high) & (edges[1:] > low))
        key = int(within[0]), int(within[-1])
        if key not in self._areas:
            self._fill(edges[within])
            rows = [row for interval in within.tolist() for row in self._pieces[interval]]
            self._areas[key] = TiltedAreas([np.array(column) for column in zip(*rows, strict=True)][:6], self.mass)
        return self._areas[key]

    def quickly(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """δ and a bound on its error, which may be large: without filling the table, if that is faster."""
        if (found := self._evaluator.quickly(epsilon)) is not None:
            return found
        answer = self.at(epsilon)
        return answer.delta, answer.error

    def beyond(self, delta: float) -> float:
        """An ε beyond which δ(ε) of the finite losses is smaller than `delta`."""
        if (known := self._evaluator.beyond(delta)) is not None:
            return known
        if not math.isfinite(self.end) or self.end == 0.0:
            return self.end
        places = self.end * np.geomspace(2.0**-6, 1.0, _TRIED)
        small = np.asarray(self._evaluator.log_most(places) <= math.log(delta))
        if small.any():
            return float(places[np.argmax(small)])
        place = self.end * 2.0**-6
        while place < self.end and float(self.at(np.array([place])).delta[0]) > delta:
            place = min(1.3 * place, self.end)
        return place

    def most(self, epsilon: np.ndarray) -> np.ndarray:
        """An upper bound on δ, without filling the table: that at the start of the interval."""
        bound, inside = np.zeros(epsilon.shape), epsilon < self._evaluator.highest
        if inside.any():
            place = np.searchsorted(self._evaluator.edges, epsilon[inside], side="right") - 1
            bound[inside] = np.append(self._bounds, 0.0)[np.minimum(place, len(self._bounds))]
        return bound

    @cached_property
    def _bounds(self) -> np.ndarray:
        log_most = self._evaluator.log_most(self._evaluator.edges[:-1])
        return np.exp(np.clip(log_most, SMALLEST_LOG + 1.0, LARGEST_LOSS)) * 1.01

    def ends(self, low: float, high: float) -> np.ndarray:
        """Ends of the intervals from `low` to `high`; builds no table."""
        edges = self._evaluator.edges
        return edges[(edges >= low) & (edges <= high)]

    def nodes(self, low: float, high: float) -> np.ndarray:
        """Losses between which the profile is smooth: the ends and quarters of all pieces from `low` to `high`."""
        edges = self._evaluator.edges
        self._fill(edges[:-1][(edges[:-1] < high) & (edges[1:] > low)])
        if not self._merged:
            return np.empty(0)  # no interval meets the range, and none was filled before
        starts, ends = self._merged[0], self._merged[1]
        places = starts[:, None] + (ends - starts)[:, None] * np.linspace(0.0, 0.75, 4)
        places = np.append(places.ravel(), min(self.end, high))
        return np.unique(places[(places >= low) & (places <= high)])

    def _fill(self, epsilon: np.ndarray) -> None:
        edges = self._evaluator.edges
        # `searchsorted` counts edges at or below ε: 1 for the first interval, whose number is 0.
        wanted = np.flatnonzero(np.bincount(np.searchsorted(edges, epsilon, side="right"), minlength=1)) - 1
        missing = [int(k) for k in wanted if 0 <= k < len(edges) - 1 and k not in self._pieces]
        for interval in missing:
            self._pieces[interval] = self._built(interval)
        if missing:
            rows = [row for interval in sorted(self._pieces) for row in self._pieces[interval]]
            self._merged = tuple(np.array(column) for column in zip(*rows, strict=True))

    def _built(self, interval: int) -> list[tuple[Any, ...]]:
        """The pieces of one interval as rows (start, end, coefficients, complement, error, upper bound, least and
        largest answer)."""
        low, high = self._evaluator.edges[interval : interval + 2]
        places = np.unique(np.concatenate([[low, high], self._evaluator.cuts(interval)]))
        places = places[np.append(True, np.diff(places) > _APART * (high - low))]
        places[-1] = high
        pieces = [(float(a), float(b), math.inf, 0, _SMALLEST * (b - a)) for a, b in pairwise(places)]
        rows: list[tuple[Any, ...]] = []
        while pieces:
            nodes = np.concatenate([(a + b) / 2 + (b - a) / 2 * _PLACES for a, b, *_ in pieces])
            value, error, complement = self._evaluator.sample(interval, nodes)
            error = np.where(np.isnan(error), np.inf, error)
            log_value = np.log(np.maximum(value, _ZERO)).reshape(len(pieces), -1)
            # δ is largest at the start of a piece, its complement at the end. NaN means that no bound is known.
            with np.errstate(invalid="ignore"):
                most = np.nan_to_num(value + np.abs(value) * error, nan=0.0, posinf=self.mass)
            most = np.clip(most, _ZERO, self.mass).reshape(len(pieces), -1)[:, -1 if complement else -2]
            errors = np.where(value < _ZERO, np.inf, error).reshape(len(pieces), -1)
            # The ends of a piece do not count if the profile is 0 or unknown there.
            known, errors = errors[:, -2:] < 1.0, errors[:, :-2]
            error = errors.max(axis=1)
            hopeless = errors.min(axis=1) >= 1.0  # nothing is known, and halving does not help
            # If only a part of a piece is uncertain, the other part gets a piece with a smaller error.
            uneven = (error > _UNEVEN) & (errors.min(axis=1) < error / 1e3)
            coefficients = log_value[:, : _DEGREE + 1] @ _TO_COEFFICIENTS
            # The interpolation error shows in the last coefficients and between the nodes.
            missed = np.abs(coefficients @ _AT_OTHERS - log_value[:, _DEGREE + 1 :])
            missed[:, -2:] *= known
            tail = np.maximum(np.abs(coefficients[:, -2:]).max(axis=1), missed.max(axis=1))
            further: list[tuple[Any, ...]] = []
            useful = most > np.where(hopeless, np.inf, _NEARLY_ZERO)
            rest = zip(coefficients, log_value, tail, error, most, uneven, useful, strict=True)
            for piece, (own, values, last, noise, limit, halve, may) in zip(pieces, rest, strict=True):
                a, b, before, stuck, smallest = piece
                # What the rounding of ε and of the piece's ends changes in the polynomial: halving cannot reduce it.
                rounding = 2 * LAST_PLACE * max(abs(a), abs(b)) / (b - a) * 2.0 * np.abs(own[1:]).sum()
                wanted = max(_SMALL_ENOUGH * (1.0 + np.abs(own[0])), min(noise, 1.0) / 2, rounding)
                # An error that repeated halving does not reduce is noise, unless it is huge, as before a steep end.
                stuck = 0 if last < before / 2 or last > _ROUGH else stuck + 1
                few = len(rows) + len(pieces) + len(further) <= self._evaluator.most_pieces
                if ((last > wanted and stuck < _STUCK) or halve) and b - a > smallest and may and few:
                    middle = (a + b) / 2
                    further += [(a, middle, last, stuck, smallest), (middle, b, last, stuck, smallest)]
                    continue
                own, dropped = _without_noise(own)
                missed = _missed(own, values, last, wanted) + dropped
                if noise >= 1.0:
                    # The values are unknown: a line between those at the ends.
                    own, moved = _line(values[-2], values[-1], -1.0 if complement else 1.0), 0.0
                else:
                    own, moved = _falling(own, -1.0 if complement else 1.0)
                rows.append((a, b, own, complement, _relative_error(noise, missed + moved), limit))
            pieces = further
        rows.sort(key=lambda row: row[0])
        return _joined(rows)

    def _evaluated(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        starts, ends, coefficients, complement, error, most, low, high = self._merged
        place = np.clip(np.searchsorted(starts, epsilon, side="right") - 1, 0, None)
        start, length = starts[place], (ends - starts)[place]
        x = 2 * (epsilon - start) / length - 1
        log_value, derivative = _clenshaw(coefficients, place, x)
        # Neither the answer nor the true value is larger than `most`.
        error, most = error[place], most[place]
        value = np.minimum(np.exp(np.minimum(log_value, 1.0)), most)
        slope = value * derivative * 2 / length
        with np.errstate(invalid="ignore"):
            bound = np.fmin(error * value, most)
        # δ must not increase from one piece to the next either.
        of_rest = complement[place]
        sign = np.where(of_rest, -1.0, 1.0)
        within = sign * np.clip(sign * value, low[place], high[place])
        bound, value = bound + np.abs(within - value), within
        other = np.maximum(self.mass - value, 0.0)
        delta, rest = np.where(of_rest, other, value), np.where(of_rest, value, other)
        bound = bound + LAST_PLACE * np.where(of_rest, 1.0, 4 * value)
        falling = np.maximum(np.where(of_rest, slope, -slope), 0.0)
        return np.minimum(delta, self.mass), np.minimum(rest, self.mass), falling, bound


class WorseTable:
    """The larger of two profiles, at every ε."""

    crosses = True

    def __init__(self, first: ProfileTable, second: ProfileTable) -> None:
        self._both = first, second
        self.mass = first.mass

    @property
    def end(self) -> float:
        """From here on both are 0."""
        return max(table.end for table in self._both)

    def quickly(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """δ and a bound on its error."""
        delta, error = self._both[0].quickly(epsilon)
        open_ = np.flatnonzero(self._both[1].most(epsilon) >= delta - error)
        if open_.size:
            other, its_error = self._both[1].quickly(epsilon[open_])
            delta[open_] = np.maximum(delta[open_], other)
            error[open_] = np.maximum(error[open_], its_error)
        return delta, error

    def most(self, epsilon: np.ndarray) -> np.ndarray:
        """An upper bound on δ."""
        return np.maximum(*(table.most(epsilon) for table in self._both))

    def beyond(self, delta: float) -> float:
        """An ε beyond which both are smaller than `delta`."""
        return max(table.beyond(delta) for table in self._both)

    def at(self, epsilon: np.ndarray) -> Answer:
        """The profile at a one-dimensional array of ε ≥ 0."""
        a = self._both[0].at(epsilon)
        # The other one is asked only where it may be larger.
        open_ = np.flatnonzero(self._both[1].most(epsilon) >= a.delta - a.error)
        if not open_.size:
            return a
        b = self._both[1].at(epsilon[open_])
        delta, rest = a.delta[open_], a.rest[open_]
        second = np.where(delta > 0.5, rest > b.rest, delta < b.delta)
        a.error[open_] = np.maximum(a.error[open_], b.error)
        for mine, its in ((a.delta, b.delta), (a.rest, b.rest), (a.slope, b.slope)):
            mine[open_[second]] = its[second]
        return a

    def ends(self, low: float, high: float) -> np.ndarray:
        """Ends of the intervals of both from `low` to `high`."""
        return np.unique(np.concatenate([table.ends(low, high) for table in self._both]))

    def nodes(self, low: float, high: float) -> np.ndarray:
        """Losses between which both profiles are smooth."""
        return np.unique(np.concatenate([table.nodes(low, high) for table in self._both]))


def _missed(coefficients: np.ndarray, values: np.ndarray, last: float, wanted: float) -> float:
    """Bound on the distance of the polynomial from a monotone function with these values at `_PLACES`."""
    if last <= wanted:
        return _OF_LAST * last
    if last < _ROUGH:
        return _OF_KINK * last
    # A monotone function lies between its values at the two nearest places.
    order = np.argsort(_PLACES)
    place = np.clip(np.searchsorted(_PLACES[order], _FINE, side="right"), 1, len(order) - 1)
    known, own = values[order], np.polynomial.chebyshev.chebval(_FINE, coefficients)
    return float(np.abs([own - known[place], own - known[place - 1]]).max())


def _without_noise(coefficients: np.ndarray) -> tuple[np.ndarray, float]:
    """The polynomial without its last terms that are rounding errors, and the sum of these.

    They would matter in the derivative, where the k-th counts k² times, and on a short piece even more.
    """
    noise = 4 * LAST_PLACE * (1.0 + abs(coefficients[0]))
    degree = int(np.flatnonzero(np.abs(coefficients) > noise).max(initial=0))
    kept = np.where(np.arange(_DEGREE + 1) <= degree, coefficients, 0.0)
    return kept, float(np.abs(coefficients - kept).sum())


def _falling(coefficients: np.ndarray, sign: float) -> tuple[np.ndarray, float]:
    """A polynomial that falls (for a negative sign, rises), and by how much it differs from the one given.

    One that does not gives way to a line if it only wiggles about it, as noise makes it do; otherwise it stays.
    """
    value = sign * (coefficients @ _AT_FINE)
    rise = float(np.max(value - np.minimum.accumulate(value)))
    if rise <= 0.0:
        return coefficients, 0.0
    line = _line(sign * value[0], sign * value[-1], sign)
    moved = float(np.max(np.abs(value - sign * (line @ _AT_FINE))))
    return (line, moved) if moved <= _FLAT * rise else (coefficients, 0.0)


def _line(first: float, last: float, sign: float) -> np.ndarray:
    """The line from `first` to `last`, or a constant if that would rise (for a negative sign, fall)."""
    last = sign * min(sign * last, sign * first)
    line = np.zeros(_DEGREE + 1)
    line[:2] = (first + last) / 2, (last - first) / 2
    return line


def _joined(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """The rows of one interval, each with the least and the largest answer (of complements, with a minus sign).

    Answers are kept between these, so that they do not rise from one row to the next. Where two rows meet, the limit
    is the value of the one with the smaller error.
    """
    sign = np.array([-1.0 if complement else 1.0 for *_, complement, _, _ in rows])
    log_ends = np.array([[own @ _AT_FINE[:, 0], own.sum()] for _, _, own, *_ in rows])
    ends = sign[:, None] * np.minimum(np.exp(np.minimum(log_ends, 1.0)), np.array([[row[-1]] for row in rows]))
    error = np.array([row[-2] for row in rows])
    meeting = np.where(error[:-1] <= error[1:], ends[:-1, 1], ends[1:, 0])
    places, values = [-1, len(meeting)], [math.inf, -math.inf]
    for place in np.argsort(np.minimum(error[:-1], error[1:]), kind="stable").tolist():
        after = bisect(places, place)
        places.insert(after, place)
        values.insert(after, min(max(float(meeting[place]), values[after]), values[after - 1]))
    return [(*row, low, high) for row, high, low in zip(rows, values[:-1], values[1:], strict=True)]


def _relative_error(noise: float, missed: float) -> float:
    """Bound on the relative error of e^p, where p interpolates logarithms of values that have a relative error `noise`,
    and is off by `missed` between them."""
    if noise >= 1.0:
        return math.inf
    return math.expm1(min(missed - _LEBESGUE * math.log1p(-noise), 690.0))


def _clenshaw(coefficients: np.ndarray, place: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Value and derivative, at x, of the Chebyshev series in the rows `place`, by Clenshaw's recurrence."""
    columns = coefficients.T
    b1 = b2 = d1 = d2 = np.zeros(x.shape)
    for k in range(_DEGREE, 0, -1):
        d1, d2 = 2 * (b1 + x * d1) - d2, d1
        b1, b2 = columns[k][place] + 2 * x * b1 - b2, b1
    return columns[0][place] + x * b1 - b2, b1 + x * d1 - d2


_POINTS, _TO_COEFFICIENTS = chebyshev(_DEGREE + 1)
# Points between those, where the interpolation is checked.
_OTHERS = np.array([-0.998, -0.83, -0.41, 0.05, 0.45, 0.86, 0.998])
_PLACES = np.concatenate([_POINTS, _OTHERS, [-1.0, 1.0]])
_AT_OTHERS = np.cos(np.outer(np.arange(_DEGREE + 1), np.arccos(_PLACES[_DEGREE + 1 :])))
_FINE = np.linspace(-1.0, 1.0, 200)
_AT_FINE = np.cos(np.outer(np.arange(_DEGREE + 1), np.arccos(_FINE)))
