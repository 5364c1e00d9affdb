"""A privacy profile as a table that is filled where it is asked for: polynomials of log δ, or of log(1 − δ).

The intervals of ε on which the table stands are fixed for a mechanism, not by what is asked. On each, log δ is
interpolated at Chebyshev points, on pieces that are halved until the last coefficients vanish in the error of the
values. So an ε gives the same answer alone and in an array, a million of them cost as many evaluations of polynomials,
the slope δ'(ε) = −e^ε Pr_P[L > ε] comes along, and each piece has one limit of its error, relative to δ (or 1 − δ).

This limit is a bound at the Chebyshev points only. What a polynomial misses between them is measured, in its last
coefficients and at seven further points, and enlarged: no inequality proves it.
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
from .polynomials import chebyshev
from .tilted_areas import TiltedAreas

_DEGREE = 15
# Error above which a piece is split if only a part of it is uncertain.
_UNEVEN = 1e-8
# Shortest piece, as a fraction of the distance between two cuts; and smallest distance of cuts.
_SMALLEST, _APART = 2.0**-12, 2.0**-44
# Halvings without progress after which the error counts as noise.
_STUCK = 3
# Largest number of pieces of an interval: with more, as at the atoms of many steps, each keeps its error.
_MOST_PIECES = 512
# Coefficients below this, or below the error of the values, are treated as zero.
_NOTHING = 2e-14
_MOST_AT_ONCE = 2**16
# Near the smallest float δ has no digits, and halving does not help.
_NEARLY_ZERO, _ZERO = 1e-290, 1e-320
# By how much interpolation at so many points enlarges the errors of values; what polynomials miss, in units of their
# last coefficients, where these have become small, or a kink leaves them no smaller; and from where on not even that.
_LEBESGUE, _OF_LAST, _OF_KINK, _ROUGH = 2.7, 4.0, 16.0, 1e-3
# Largest distance of a line from a polynomial that rises, in units of the rise.
_FLAT = 4.0
# Places up to the end at which δ may be negligible.
_TRIED = 80


@dataclass(frozen=True)
class Answer:
    """At some ε: δ of finite losses, their mass less that, both with their digits; −dδ/dε; a bound on the error."""

    delta: np.ndarray
    rest: np.ndarray
    slope: np.ndarray
    error: np.ndarray


class Profile:
    """What a table is filled from: the profile of finite losses, on intervals from 0 on, beyond which δ is nearly 0.

    Each has `edges` and `sample`; the others have defaults.
    """

    @property
    def edges(self) -> np.ndarray:
        """Ends of the intervals."""
        raise NotImplementedError

    # Largest common shift of all losses, as they are rounded.
    off = 0.0

    @property
    def highest(self) -> float:
        """The largest loss."""
        return math.inf

    def sample(self, interval: int, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray, bool]:
        """On one interval: values, a bound on their relative error, and whether they are of `mass` − δ, not of δ."""
        raise NotImplementedError

    def cuts(self, interval: int) -> np.ndarray:
        """Losses within an interval between which its values are smooth."""
        return np.empty(0)

    @property
    def most_pieces(self) -> int:
        """How many pieces an interval may have; with fewer, bounds are larger where it is rough."""
        return _MOST_PIECES

    def left(self, epsilon: np.ndarray) -> np.ndarray:
        """An upper bound on δ beyond the last interval."""
        return np.zeros(epsilon.shape)

    def log_most(self, epsilon: np.ndarray) -> np.ndarray:
        """log of an upper bound on δ, without any table."""
        return np.full(epsilon.shape, math.inf)

    def beyond(self, delta: float) -> float | None:
        """A loss beyond which δ is less, if that is known without values."""
        return None

    def quickly(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        """δ, and a bound on its error, maybe a large one, if a single value takes less time than `sample`."""
        return None


class ProfileTable:
    """The profile of finite losses at ε ≥ 0.

    Parameters
    ----------
    evaluator : Profile
    mass : float
        The mass of all finite losses under Q, δ at −∞.
    """

    # Whether α jumps where two profiles cross.
    crosses = False

    def __init__(self, evaluator: Profile, mass: float = 1.0) -> None:
        self._evaluator, self.mass = evaluator, mass
        self._pieces: dict[int, list[tuple[Any, ...]]] = {}
        self._merged: tuple[np.ndarray, ...] = ()
        self._areas: dict[tuple[int, int], TiltedAreas] = {}

    @property
    def off(self) -> float:
        """Largest common shift of all losses."""
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
        """Change of δ when all losses shift a little; larger to the left than to the right, as δ is convex in e^ε."""
        if not self._evaluator.off:
            return 0.0
        left = np.maximum(epsilon - self._evaluator.off, 0.0)
        self._fill(left)
        return np.maximum(self._evaluated(left)[0] - delta, 0.0)

    def areas(self, low: float, high: float) -> TiltedAreas:
        """The areas under the part of the table from `low` to `high`."""
        edges = self._evaluator.edges
        within = np.flatnonzero((edges[:-1] < high) & (edges[1:] > low))
        key = int(within[0]), int(within[-1])
        if key not in self._areas:
            self._fill(edges[within])
            rows = [row for interval in within.tolist() for row in self._pieces[interval]]
            self._areas[key] = TiltedAreas([np.array(column) for column in zip(*rows, strict=True)][:6], self.mass)
        return self._areas[key]

    def quickly(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """δ at some ε, and a bound on its error, maybe a large one, in less time than it takes to fill the table."""
        if (found := self._evaluator.quickly(epsilon)) is not None:
            return found
        answer = self.at(epsilon)
        return answer.delta, answer.error

    def beyond(self, delta: float) -> float:
        """A loss beyond which δ of finite losses is less."""
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
        """An upper bound on δ, without any table: that at the start of the interval."""
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
        """Places between which the profile is smooth: quarters of all pieces from `low` to `high`."""
        edges = self._evaluator.edges
        self._fill(edges[:-1][(edges[:-1] < high) & (edges[1:] > low)])
        if not self._merged:
            return np.empty(0)  # everything lies beyond the end, and nothing has been computed
        starts, ends = self._merged[0], self._merged[1]
        places = starts[:, None] + (ends - starts)[:, None] * np.linspace(0.0, 0.75, 4)
        places = np.append(places.ravel(), min(self.end, high))
        return np.unique(places[(places >= low) & (places <= high)])

    def _fill(self, epsilon: np.ndarray) -> None:
        edges = self._evaluator.edges
        # Number 0 is what lies below the first edge.
        wanted = np.flatnonzero(np.bincount(np.searchsorted(edges, epsilon, side="right"), minlength=1)) - 1
        missing = [int(k) for k in wanted if 0 <= k < len(edges) - 1 and k not in self._pieces]
        for interval in missing:
            self._pieces[interval] = self._built(interval)
        if missing:
            rows = [row for interval in sorted(self._pieces) for row in self._pieces[interval]]
            self._merged = tuple(np.array(column) for column in zip(*rows, strict=True))

    def _built(self, interval: int) -> list[tuple[Any, ...]]:
        """Rows (start, end, coefficients, complement, error, upper bound, what answers are between) of one interval."""
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
            # δ decreases and its complement increases: each is largest at one end. NaN is no bound.
            with np.errstate(invalid="ignore"):
                most = np.nan_to_num(value + np.abs(value) * error, nan=0.0, posinf=self.mass)
            most = np.clip(most, _ZERO, self.mass).reshape(len(pieces), -1)[:, -1 if complement else -2]
            errors = np.where(value < _ZERO, np.inf, error).reshape(len(pieces), -1)
            # At the ends a profile may be 0 or unknown.
            known, errors = errors[:, -2:] < 1.0, errors[:, :-2]
            error = errors.max(axis=1)
            hopeless = errors.min(axis=1) >= 1.0  # where nothing is known, halving does not help
            # If only a part of a piece is uncertain, the rest must not suffer.
            uneven = (error > _UNEVEN) & (errors.min(axis=1) < error / 1e3)
            coefficients = log_value[:, : _DEGREE + 1] @ _TO_COEFFICIENTS
            # The last coefficients, and the polynomial's error between its nodes.
            missed = np.abs(coefficients @ _AT_OTHERS - log_value[:, _DEGREE + 1 :])
            missed[:, -2:] *= known
            tail = np.maximum(np.abs(coefficients[:, -2:]).max(axis=1), missed.max(axis=1))
            further: list[tuple[Any, ...]] = []
            halved = most > np.where(hopeless, np.inf, _NEARLY_ZERO)
            rest = zip(coefficients, log_value, tail, error, most, uneven, halved, strict=True)
            for piece, (own, values, last, noise, limit, halve, may) in zip(pieces, rest, strict=True):
                a, b, before, stuck, smallest = piece
                # The rounding of ε and of the ends of its range cannot be resolved.
                rounding = 2 * LAST_PLACE * max(abs(a), abs(b)) / (b - a) * 2.0 * np.abs(own[1:]).sum()
                wanted = max(_NOTHING * (1.0 + np.abs(own[0])), min(noise, 1.0) / 2, rounding)
                # An error that repeated halving does not reduce is noise, unless it is huge, as before a steep end.
                stuck = 0 if last < before / 2 or last > _ROUGH else stuck + 1
                few = len(rows) + len(pieces) + len(further) <= self._evaluator.most_pieces
                if ((last > wanted and stuck < _STUCK) or halve) and b - a > smallest and may and few:
                    middle = (a + b) / 2
                    further += [(a, middle, last, stuck, smallest), (middle, b, last, stuck, smallest)]
                    continue
                missed = _missed(own, values, last, wanted)
                if noise >= 1.0:
                    # Unknown: a line that ends where the next piece begins.
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
        # Neither the answer nor the truth is above this.
        error, most = error[place], most[place]
        value = np.minimum(np.exp(np.minimum(log_value, 1.0)), most)
        slope = value * derivative * 2 / length
        with np.errstate(invalid="ignore"):
            bound = np.fmin(error * value, most)
        # The answer must not increase from one piece to the next either.
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
        """From here on δ is 0."""
        return max(table.end for table in self._both)

    def quickly(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """δ at some ε, and a bound on its error."""
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
        """A loss beyond which both are less."""
        return max(table.beyond(delta) for table in self._both)

    def at(self, epsilon: np.ndarray) -> Answer:
        """The profile at a one-dimensional array of ε ≥ 0."""
        a = self._both[0].at(epsilon)
        # Ask the other one only where it may be larger.
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
        """Places between which both profiles are smooth."""
        return np.unique(np.concatenate([table.nodes(low, high) for table in self._both]))


def _missed(coefficients: np.ndarray, values: np.ndarray, last: float, wanted: float) -> float:
    """Bound on the distance of a polynomial from a monotone logarithm with these values at `_PLACES`."""
    if last <= wanted:
        return _OF_LAST * last
    if last < _ROUGH:
        return _OF_KINK * last
    # Between two places it lies between the values there.
    order = np.argsort(_PLACES)
    place = np.clip(np.searchsorted(_PLACES[order], _FINE, side="right"), 1, len(order) - 1)
    known, own = values[order], np.polynomial.chebyshev.chebval(_FINE, coefficients)
    return float(np.abs([own - known[place], own - known[place - 1]]).max())


def _falling(coefficients: np.ndarray, sign: float) -> tuple[np.ndarray, float]:
    """A polynomial that falls (for a negative sign, rises), and by how much it differs from the one given.

    Where values are not known to more than they change, a line is as good as what winds about it.
    """
    value = sign * (coefficients @ _AT_FINE)
    rise = float(np.max(value - np.minimum.accumulate(value)))
    if rise <= 0.0:
        return coefficients, 0.0
    line = _line(sign * value[0], sign * value[-1], sign)
    moved = float(np.max(np.abs(value - sign * (line @ _AT_FINE))))
    return (line, moved) if moved <= _FLAT * rise else (coefficients, 0.0)


def _line(first: float, last: float, sign: float) -> np.ndarray:
    """The line from `first` on that falls (for a negative sign, rises) to `last`, or does not change."""
    last = sign * min(sign * last, sign * first)
    line = np.zeros(_DEGREE + 1)
    line[:2] = (first + last) / 2, (last - first) / 2
    return line


def _joined(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """The rows of one interval, each with what its answers (of complements, these with a minus) are kept between, so
    that they do not rise from one row to the next: where two rows meet, the value of that which knows more."""
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
    """Bound on the relative error of e^p: p is off by the errors of logarithms of values, enlarged, and what it misses
    between them."""
    if noise >= 1.0:
        return math.inf
    return math.expm1(min(missed - _LEBESGUE * math.log1p(-noise), 690.0))


def _clenshaw(coefficients: np.ndarray, place: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Value and derivative at x of the polynomials in the rows `place`, through the Chebyshev polynomials."""
    columns = coefficients.T
    b1 = b2 = d1 = d2 = np.zeros(x.shape)
    for k in range(_DEGREE, 0, -1):
        d1, d2 = 2 * (b1 + x * d1) - d2, d1
        b1, b2 = columns[k][place] + 2 * x * b1 - b2, b1
    return columns[0][place] + x * b1 - b2, b1 + x * d1 - d2


_POINTS, _TO_COEFFICIENTS = chebyshev(_DEGREE + 1)
# Between them, where an interpolation is checked.
_OTHERS = np.array([-0.998, -0.83, -0.41, 0.05, 0.45, 0.86, 0.998])
_PLACES = np.concatenate([_POINTS, _OTHERS, [-1.0, 1.0]])
_AT_OTHERS = np.cos(np.outer(np.arange(_DEGREE + 1), np.arccos(_PLACES[_DEGREE + 1 :])))
_FINE = np.linspace(-1.0, 1.0, 200)
_AT_FINE = np.cos(np.outer(np.arange(_DEGREE + 1), np.arccos(_FINE)))
