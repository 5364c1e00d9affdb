"""The law of the loss of subsampled Gaussian steps, by sums of positive terms.

The loss of a step is at least log(1 − p), and exceeds it by X = log(1 + e^{μu − μ²/2} p/(1 − p)) > 0. Under P the u of
all steps are standard normal. Composition adds independent X. With S their sum, g the density of log S, and edge the
sum of all log(1 − p), the loss of Q against P is S + edge, and

    δ(ε) = E_P[(e^{S + edge} − e^ε)₊]        remove,
    δ(ε) = E_P[(1 − e^{ε + edge + S})₊]      add.

All integrands are positive, and so is that of a convolution,

    g(log s) = ∫ g₁(τ) g₂(log(s − e^τ)) s/(s − e^τ) dτ    over e^τ < s.

So no digits cancel, however rare a large loss is and wherever ε lies: the relative errors of the steps add up. log g is
represented by polynomials on pieces, and powers are formed by doubling. On a logarithmic scale the density of a sum
that spans many orders of magnitude is as smooth as that of a single step, so a million steps that hardly ever have a
large loss take twenty convolutions.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from .._floats import LAST_PLACE
from .polynomials import chebyshev, gauss

# Degree of the polynomials for log g.
_DEGREE = 13
# Densities of log S below e^−_CUT under both P and Q are left out; just above, relative errors may be as large as 1.
# With half of it, a δ of 1e-18 has five digits, and one of 1e-30 none.
_CUT = 118.0
# Gauss-Legendre points on a panel of a quadrature.
_POINTS = 12
# On a panel the exponent of the integrand changes by at most twice the first, and is within the second of its chord.
_EXPONENT, _BEND = 10.0, 2.2
# Largest width of a panel in log s.
_WIDEST = 1.8
# Largest number of pieces into which a panel is cut because of the other summand.
_MOST_PIECES = 32
# Panels are at most _NO_WIDER times as wide in s as those of the other summand with terms above e^−_BESIDE.
_BESIDE, _NO_WIDER = 25.0, 4.0
# The last coefficients of log g may be _SMOOTH where there is much mass, as these errors count once for each step;
# where the density is e^−level they may be e^{_LOOSER · level} times that, but at most _ROUGH.
_SMOOTH, _LOOSER, _ROUGH = 1e-14, 0.35, 1e-9
# Densities below e^_EDGE may have larger relative errors than _ROUGH.
_EDGE = -_CUT - math.log(_ROUGH)
# Interpolation error allowed on a piece, as a share of the error inherited from the laws that are added.
_OF_KNOWN = 0.003
# Largest change of log g on an initial piece.
_SPREAD = 14.0
# An initial piece takes at most 1/_SHARE of the range of log S.
_SHARE = 10
# Pieces shorter than this are not halved.
_SMALLEST = 1e-6
# Number of terms computed at once, to limit memory.
_AT_ONCE = 400_000
# Number of points evaluated together, which fits into the processor's cache.
_TOGETHER = 8192
# Losses S below e^_LEAST, which might underflow, are squeezed into [e^(_LEAST − _DRAWN), e^_LEAST].
_LEAST, _DRAWN = -600.0, 40.0
# A panel is left out if its largest term, estimated by linear interpolation, is below e^−_NEGLIGIBLE times another's.
# Error bounds do not include this: with half of it, results are off by more than their bounds.
_NEGLIGIBLE = 44.0
# Points of a piece at which its error is checked.
_FINE = np.linspace(-1.0, 1.0, 41)


@dataclass(frozen=True)
class _Side:
    """A law at the Gauss-Legendre points of panels: s and log(weight · g), with one column for each panel.

    For each panel also the largest log(weight · g) and a bound on the relative error of g; `panels` are the ends as
    log s.
    """

    s: np.ndarray
    log_mass: np.ndarray
    log_size: np.ndarray
    error: np.ndarray
    panels: np.ndarray


class PositiveLaw:
    """The law of a positive S, given by the density of log S under P.

    Parameters
    ----------
    edges : ndarray
        Ends of the pieces on which log g is a polynomial, as values of log s.
    coefficients : ndarray
        Chebyshev coefficients, one row for each piece.
    log_weight : float
        log dQ/dP is S plus this.
    errors : ndarray
        Bounds on the relative error of g at the edges; their logarithms are interpolated linearly.
    dropped : float
        Bound on the mass left out, under P and under Q.
    """

    def __init__(
        self, edges: np.ndarray, coefficients: np.ndarray, log_weight: float, errors: np.ndarray, dropped: float
    ) -> None:
        self.edges, self.log_weight, self.errors, self.dropped = edges, log_weight, errors, dropped
        self._columns, self._log_errors = np.ascontiguousarray(coefficients.T), np.log(errors)
        self._sides: dict[int, _Side] = {}
        self._middle, self._half = (edges[1:] + edges[:-1]) / 2, np.diff(edges) / 2

    @classmethod
    def of_step(cls, noise_multiplier: float, sampling_rate: float) -> PositiveLaw:
        """One step: log g = log φ(u) + log du/dv with v = log s."""
        mu, log_odds = 1.0 / noise_multiplier, math.log(sampling_rate) - math.log1p(-sampling_rate)

        def log_density(v: np.ndarray) -> np.ndarray:
            s = np.exp(v)
            # log(e^s − 1) for small and for large s.
            above = np.where(s > 1.0, s + np.log(-np.expm1(-np.maximum(s, 1.0))), np.log(np.expm1(np.minimum(s, 1.0))))
            u = (above - log_odds) / mu + mu / 2
            log_slope = v - np.log(-np.expm1(-s)) - math.log(mu)
            # Squeeze losses that might underflow.
            if start > -reach:
                below = v < _LEAST
                u = np.where(below, start + (v - _LEAST) * (start + reach) / _DRAWN, u)
                log_slope = np.where(below, math.log((start + reach) / _DRAWN), log_slope)
            return -u * u / 2 - math.log(math.sqrt(2 * math.pi)) + log_slope

        reach = math.sqrt(2 * _CUT)
        start = (_LEAST - log_odds) / mu + mu / 2
        u = np.array([-reach, 0.0, mu, mu + reach])
        exponent = mu * u - mu * mu / 2 + log_odds
        exponent = exponent[exponent > _LEAST]
        places = np.log(np.where(exponent > 30, exponent, np.log1p(np.exp(np.minimum(exponent, 30.0)))))
        if start > -reach:
            places = np.append(places, [_LEAST - _DRAWN, _LEAST])
        return _fitted(log_density, np.unique(places), math.log1p(-sampling_rate), None, 2 * math.exp(-_CUT))

    def power(self, count: int) -> PositiveLaw:
        """The sum of `count` independent copies, by few convolutions."""
        width = min(range(1, 5), key=lambda width: len(_sums_to(count, width)))
        laws = {1: self}
        for first, second in _sums_to(count, width):
            laws[first + second] = laws[first].plus(laws[second])
        return laws[count]

    def plus(self, other: PositiveLaw) -> PositiveLaw:
        """The sum with an independent variable of the other law."""
        for refinement in (1, 2, 4):
            convolution = _Convolution(self, other, refinement)
            places = convolution.places()
            middles = (places[1:] + places[:-1]) / 2
            size, inherited, moved = convolution.checked(middles)
            # Halving the panels changes less than is allowed, or than a share of the errors of the two laws.
            if np.all(moved < np.maximum(20 * _allowed(size), _OF_KNOWN * inherited)):
                break
        log_weight, dropped = self.log_weight + other.log_weight, self.dropped + other.dropped
        known = middles, np.log(np.maximum(inherited + moved, 1e-300))
        return _fitted(convolution.log_density, places, log_weight, convolution.errors, dropped, known)

    def error_at(self, v: np.ndarray) -> np.ndarray:
        """Bound on the relative error of g at any array of places."""
        return np.exp(np.interp(v, self.edges, self._log_errors))

    def log_density(self, v: np.ndarray) -> np.ndarray:
        """log g at any array of places; −∞ outside."""
        found = np.empty(v.shape)
        for start in range(0, len(v), _TOGETHER):
            found[start : start + _TOGETHER] = self._evaluated(v[start : start + _TOGETHER])
        return found

    def log_density_in_columns(self, v: np.ndarray) -> np.ndarray:
        """log g at places that are monotone along each column; the piece is looked up once if a column lies in one."""
        found, columns = np.empty(v.shape), max(1, _TOGETHER // len(v))
        for start in range(0, v.shape[1], columns):
            some = v[:, start : start + columns]
            place, last = (np.searchsorted(self.edges, some[end], side="right") - 1 for end in (0, -1))
            value = self._on_pieces(some, np.clip(place, 0, len(self._half) - 1))
            across = np.flatnonzero((place != last) | (place < 0) | (place >= len(self._half)))
            value[:, across] = self._evaluated(some.take(across, axis=1))
            found[:, start : start + columns] = value
        return found

    def _evaluated(self, v: np.ndarray) -> np.ndarray:
        place = np.searchsorted(self.edges, v, side="right") - 1
        outside = (place < 0) | (place >= len(self._half))
        value = self._on_pieces(v, np.clip(place, 0, len(self._half) - 1))
        value[outside] = -np.inf
        return value

    def _on_pieces(self, v: np.ndarray, place: np.ndarray) -> np.ndarray:
        """Clenshaw's sum of Chebyshev polynomials, on the piece of each place, or of each column of them."""
        x = (v - self._middle.take(place)) / self._half.take(place)
        twice, above, value, spare = 2 * x, np.zeros(x.shape), np.empty(x.shape), np.empty(x.shape)
        value[...] = self._columns[-1].take(place)
        for column in self._columns[-2:0:-1]:
            np.multiply(twice, value, out=spare)
            spare -= above
            spare += column.take(place)
            above, value, spare = value, spare, above
        x *= value
        x -= above
        x += self._columns[0].take(place)
        return x

    def side(self, refinement: int) -> _Side:
        """Points for integrals of g and of e^S g."""
        if refinement not in self._sides:
            self._sides[refinement] = self._panelled(refinement)
        return self._sides[refinement]

    def _panelled(self, refinement: int) -> _Side:
        # The exponent is measured at 41 points of each piece. The width is limited because log(s − e^τ) is singular at
        # a distance of log 2 from the largest τ.
        v = self._middle[:, None] + self._half[:, None] * _FINE
        needed = np.diff(self.edges) / _WIDEST
        for exponent in (self._fine_values, self._fine_values + np.exp(v)):
            counts = exponent > -_CUT - 40.0 - self.log_weight
            slope, bend = np.abs(np.diff(exponent)), np.abs(np.diff(exponent, 2)).max(axis=1)
            slope = np.where(counts[:, 1:] | counts[:, :-1], slope, 0.0).max(axis=1)
            needed = np.maximum.reduce([needed, slope * 40 / _EXPONENT / 2, np.sqrt(bend * 1600 / 8 / _BEND)])
        return self._on_panels(_cut(self.edges, refinement * np.ceil(needed).astype(int)))

    @cached_property
    def _fine_values(self) -> np.ndarray:
        """log g at the points of each piece, a row for each."""
        return np.polynomial.chebyshev.chebval(_FINE, self._columns)

    @cached_property
    def _few_values(self) -> tuple[np.ndarray, np.ndarray]:
        v = self._middle[:, None] + self._half[:, None] * _FINE[::5]
        return v.ravel(), self._fine_values[:, ::5].ravel()

    def log_density_roughly(self, v: np.ndarray) -> np.ndarray:
        """log g by linear interpolation."""
        places, values = self._few_values
        return np.interp(v, places, values, left=-np.inf, right=-np.inf)

    def side_beside(self, other: PositiveLaw, refinement: int) -> _Side:
        """The points for sums with another law, where that is the larger summand.

        The other law is evaluated at s minus these points, so panels must not be much wider in s than its own.
        """
        panels, there = self.side(refinement).panels, other.side(refinement)
        its, width = there.panels, np.where(there.log_size > -_BESIDE, np.diff(np.exp(there.panels)), np.inf)
        least = np.append(np.minimum.accumulate(width[::-1])[::-1], np.inf)
        place = np.maximum(np.searchsorted(its, panels[:-1], side="right") - 1, 0)
        count = np.clip(np.ceil(np.diff(np.exp(panels)) / (_NO_WIDER * least[place])), 1, _MOST_PIECES).astype(int)
        return self._on_panels(_cut(panels, count))

    def _on_panels(self, panels: np.ndarray) -> _Side:
        x, weight = gauss(_POINTS)
        half = np.diff(panels) / 2
        v = panels[:-1] + half * (1.0 + x[:, None])
        log_mass = self.log_density_in_columns(v) + np.log(half * weight[:, None])
        error = self.error_at(panels)
        return _Side(np.exp(v), log_mass, log_mass.max(axis=0), np.maximum(error[1:], error[:-1]), panels)

    @cached_property
    def range(self) -> tuple[float, float]:
        """The least and the largest S at which a density, under P or Q, is well above the cut."""
        low, high = (float(x) for x in np.exp(self.edges[[0, -1]]))
        v = np.linspace(self.edges[0], self.edges[-1], 2001)
        size = _larger(v, self.log_density(v), self.log_weight)
        inside = np.exp(v[size > -_CUT + 6.0])
        return (float(inside[0]), float(inside[-1])) if inside.size else (low, high)

    # Profiles.

    def removed(self, epsilon: np.ndarray, complement: bool) -> tuple[np.ndarray, np.ndarray]:
        """δ of (P, Q), or 1 − δ, at ε, and a bound on the relative error."""
        start, edge = epsilon - self.log_weight, self.log_weight

        def difference(s: np.ndarray, log_mass: np.ndarray, at: np.ndarray) -> np.ndarray:
            return np.exp(log_mass + s + edge) * -np.expm1(np.minimum(at - s, 0.0))

        def under_q(s: np.ndarray, log_mass: np.ndarray, at: np.ndarray) -> np.ndarray:
            return np.exp(log_mass + s + edge)

        def under_p(s: np.ndarray, log_mass: np.ndarray, at: np.ndarray) -> np.ndarray:
            return np.exp(log_mass + at + edge)

        value, error = self._integral(start, 1, under_p if complement else difference)
        if complement:
            more, its_error = self._integral(start, -1, under_q)
            value, error = value + more, error + its_error
        return self._with_error(value, error, np.abs(edge) + 2 * np.abs(epsilon))

    def added(self, epsilon: np.ndarray, complement: bool) -> tuple[np.ndarray, np.ndarray]:
        """δ of (Q, P), or 1 − δ, at ε, and a bound on the relative error."""
        end = -self.log_weight - epsilon

        def difference(s: np.ndarray, log_mass: np.ndarray, at: np.ndarray) -> np.ndarray:
            return np.exp(log_mass) * -np.expm1(np.minimum(s - at, 0.0))

        def under_q(s: np.ndarray, log_mass: np.ndarray, at: np.ndarray) -> np.ndarray:
            return np.exp(log_mass + np.minimum(s - at, 0.0))

        def under_p(s: np.ndarray, log_mass: np.ndarray, at: np.ndarray) -> np.ndarray:
            return np.exp(log_mass + 0.0 * at)

        value, error = self._integral(end, -1, under_q if complement else difference)
        if complement:
            more, its_error = self._integral(end, 1, under_p)
            value, error = value + more, error + its_error
        # Near the largest loss the difference s − at loses digits.
        lost = 8.0 * LAST_PLACE * (np.abs(self.log_weight) + np.abs(epsilon))
        error = error + lost * self._integral(end, -1, under_q)[0]
        return self._with_error(value, error, np.abs(self.log_weight))

    def _with_error(self, value: np.ndarray, error: np.ndarray, size: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        with np.errstate(divide="ignore", invalid="ignore"):
            error = (error + self.dropped) / value
        return value, np.where(value > 0, error + LAST_PLACE * (16.0 + size), np.inf)

    def _integral(
        self, start: np.ndarray, side: Any, integrand: Callable[..., np.ndarray]
    ) -> tuple[np.ndarray, np.ndarray]:
        """∫ integrand(s, log dP, start) over s above each start (side 1) or below it (−1); and a bound on the error
        that the density's error causes."""
        # Panels of half the usual size, as the quadrature's own error is not estimated here.
        points, total = self.side(2), np.zeros((2, len(start)))
        log_start = np.log(np.maximum(start, 1e-300))
        panel = np.searchsorted(points.panels, log_start, side="right") - 1
        s, log_mass = points.s.T.ravel(), points.log_mass.T.ravel()
        number, error = np.arange(len(s)) // _POINTS, np.repeat(points.error, _POINTS)
        for few in np.array_split(np.arange(len(start)), max(1, len(start) * len(s) // _AT_ONCE)):
            inside = (number > panel[few, None]) if side > 0 else (number < panel[few, None])
            terms = integrand(s, np.where(inside, log_mass, -np.inf), start[few, None])
            total[0, few], total[1, few] = terms.sum(axis=1), terms @ error
        # The panel that contains the start.
        within = np.flatnonzero((panel >= 0) & (panel < len(points.panels) - 1))
        if within.size:
            x, weight = gauss(_POINTS)
            low, high = points.panels[panel[within]], points.panels[panel[within] + 1]
            low, high = (log_start[within], high) if side > 0 else (low, log_start[within])
            half = (high - low)[:, None] / 2
            v = low[:, None] + half * (1.0 + x)
            with np.errstate(divide="ignore"):
                log_mass = self.log_density(v.ravel()).reshape(v.shape) + np.log(half * weight)
            more = np.sum(integrand(np.exp(v), log_mass, start[within][:, None]), axis=1)
            total[0, within] += more
            total[1, within] += more * points.error[panel[within]]
        return total[0], total[1]


class _Convolution:
    """The density of the logarithm of the sum of two independent variables."""

    def __init__(self, first: PositiveLaw, second: PositiveLaw, refinement: int) -> None:
        self._laws = (first, second)
        self._same, self._refinement = first is second, refinement
        self._sides = [first.side(refinement)]
        if not self._same:
            self._sides = [first.side_beside(second, refinement), second.side_beside(first, refinement)]
        self._log_weight = first.log_weight + second.log_weight

    def log_density(self, v: np.ndarray) -> np.ndarray:
        """log g at any array of places."""
        found = np.empty(v.shape)
        count = sum(side.s.size for side in self._sides)
        for few in np.array_split(np.arange(len(v)), max(1, len(v) * count // _AT_ONCE)):
            row, log_term, *_ = self._terms(v[few])
            largest, total = _log_sums(row, log_term, len(few))
            with np.errstate(divide="ignore"):
                found[few] = largest + np.log(total)
        return found

    def _terms(self, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """The terms of the quadrature at all places, one column for each pair of a place and a panel.

        Returns the index of the place, the logarithms of the panel's terms, and bounds on the relative errors of both
        densities.
        """
        s, x = np.exp(v), gauss(_POINTS)[0][:, None]
        rows, logs, errors = [], [], []
        for number, side in enumerate(self._sides):
            own, other = self._laws[number], self._laws[1 - number]
            twice = math.log(2.0) if self._same else 0.0
            # Each law in turn is the smaller summand, up to s/2: panels below that, unless they are negligible, and the
            # part of a panel that ends there.
            last = np.searchsorted(side.panels, v - math.log(2.0), side="right") - 1
            middle = side.s[_POINTS // 2]
            row, panel = np.nonzero(np.arange(len(middle)) < last[:, None])
            size = other.log_density_roughly(np.log(s[row] - middle[panel])) + side.log_size[panel]
            highest = np.full(v.shape, -1e300)
            np.maximum.at(highest, row, size)
            counts = size > highest[row] - _NEGLIGIBLE
            row, panel = row[counts], panel[counts]
            log_rest = np.log(s[row] - side.s.take(panel, axis=1))
            value = side.log_mass.take(panel, axis=1)
            value += v[row] + twice
            value -= log_rest
            value += other.log_density_in_columns(log_rest)
            rows.append(row)
            logs.append(value)
            errors.append((side.error[panel], other.error_at(log_rest[_POINTS // 2])))
            part = np.flatnonzero((last >= 0) & (last < len(side.panels) - 1))
            if part.size:
                half = (v[part] - math.log(2.0) - side.panels[last[part]]) / 2
                tau = side.panels[last[part]] + half * (1.0 + x)
                log_rest = np.log(s[part] - np.exp(tau))
                with np.errstate(divide="ignore"):
                    value = np.log(half * gauss(_POINTS)[1][:, None]) + (v[part] + twice) - log_rest
                value += own.log_density_in_columns(tau)
                value += other.log_density_in_columns(log_rest)
                rows.append(part)
                logs.append(value)
                middle = _POINTS // 2
                errors.append((own.error_at(tau[middle]), other.error_at(log_rest[middle])))
        first, second = (np.concatenate([pair[k] for pair in errors]) for k in (0, 1))
        return np.concatenate(rows), np.concatenate(logs, axis=1), first, second

    def places(self) -> np.ndarray:
        """Ends of the initial pieces, over the range in which the density is not negligible."""
        first, second = (np.exp(law.edges) for law in self._laws)
        modes = [float(np.exp(law._middle[np.argmax(law._columns[0])])) for law in self._laws]
        sums = np.concatenate([first + modes[1], second + modes[0], *self._alike()])
        v = np.unique(np.log(sums))
        v = v[np.append(True, np.diff(v) > _SMALLEST)]
        value = self.log_density(v)
        size = _larger(v, value, self._log_weight)
        counts = np.flatnonzero(size > -_CUT)
        low, high = max(counts[0] - 1, 0), min(counts[-1] + 1, len(v) - 1)
        v[low], v[high] = self._end(v[low], v[low + 1]), self._end(v[high], v[high - 1])
        value[[low, high]] = self.log_density(v[[low, high]])
        # As few as possible, so that neither log S nor log g changes much between two.
        kept = [low]
        furthest = (v[high] - v[low]) / _SHARE
        for place in range(low + 1, high):
            spread = np.ptp(value[kept[-1] : place + 2])
            if v[place + 1] - v[kept[-1]] > furthest or spread > _SPREAD:
                kept.append(place)
        return v[[*kept, high]]

    def _end(self, outside: float, inside: float) -> float:
        """A place between the two beyond which the density is negligible."""
        for _ in range(3):
            v = np.linspace(outside, inside, 8)
            value = self.log_density(v)
            size = _larger(v, value, self._log_weight)
            first = int(np.argmax(size > -_CUT - 4.0))
            if first == 0 or size[first] < -_CUT:
                return float(v[first])
            outside, inside = v[first - 1], v[first]
        return float(inside)

    def _alike(self) -> list[np.ndarray]:
        """The sums of both laws at approximately the same quantile, that is, at the same share of their pieces."""
        if self._same:
            return [2 * np.exp(self._laws[0].edges)]
        first, second = (np.exp(law.edges) for law in self._laws)
        return [first + np.interp(np.linspace(0, 1, len(first)), np.linspace(0, 1, len(second)), second)]

    def checked(self, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The logarithm of the larger density (under P or Q), and two relative errors of g: the one inherited from the
        two laws, and the change when panels are halved."""
        value, inherited = self._with_inherited(v)
        moved = np.abs(np.expm1(self._finer.log_density(v) - value))
        return _larger(v, value, self._log_weight), inherited, moved

    def _with_inherited(self, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        row, log_term, first, second = self._terms(v)
        largest, total = _log_sums(row, log_term, len(v))
        share = np.exp(log_term - largest[row]).sum(axis=0) * (first + second)
        with np.errstate(divide="ignore"):
            return largest + np.log(total), np.bincount(row, share, minlength=len(v)) / np.maximum(total, 1e-300)

    def errors(self, edges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Bounds on the relative error of the density at the edges of pieces and in their middles."""
        _, inherited, moved = self.checked((edges[1:] + edges[:-1]) / 2)
        at_ends = np.maximum(np.append(moved, 0.0), np.append(0.0, moved))
        return self._with_inherited(edges)[1] + at_ends, inherited + moved

    @cached_property
    def _finer(self) -> _Convolution:
        return _Convolution(*self._laws, 2 * self._refinement)


def _cut(ends: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Ends of `counts` equal parts of each interval."""
    start, length = np.repeat(ends[:-1], counts), np.repeat(np.diff(ends) / counts, counts)
    number = np.arange(len(start)) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.append(start + number * length, ends[-1])


def _sums_to(count: int, width: int) -> list[tuple[int, int]]:
    """An addition chain for `count`: pairs of numbers, each 1 or the sum of an earlier pair.

    By doubling, and by adding groups of `width` binary digits, so that a group that occurs again is formed only once.
    """
    pairs: dict[int, tuple[int, int]] = {}

    def reach(number: int) -> None:
        if number > 1 and number not in pairs:
            last = number & ((1 << width) - 1)
            # A short number is its leading binary digit and the rest.
            part = number // 2 if number % 2 == 0 else min(last, number - (1 << (number.bit_length() - 1)))
            reach(number - part)
            reach(part)
            pairs[number] = number - part, part

    reach(count)
    return list(pairs.values())


def _larger(v: np.ndarray, value: np.ndarray, log_weight: float) -> np.ndarray:
    """The logarithm of the larger of the densities of log S under P and Q, from that under P."""
    return np.maximum(value, value + np.exp(v) + log_weight)


def _rounding(low: np.ndarray, high: np.ndarray, least: np.ndarray, most: np.ndarray) -> np.ndarray:
    """The error of log g on a piece by its own rounding and by that of v."""
    slope = (most - least) / (high - low)
    size = np.maximum(np.abs(least), np.abs(most))
    return LAST_PLACE * (4.0 + 4.0 * size + np.maximum(np.abs(low), np.abs(high)) * slope)


def _allowed(size: np.ndarray) -> np.ndarray:
    """Relative interpolation error allowed for a density e^size."""
    level = np.maximum(-size, 0.0)
    relative = np.minimum(_SMOOTH * np.exp(_LOOSER * level), _ROUGH)
    return np.maximum(relative, np.exp(np.minimum(level - _CUT, 0.0)))


def _log_sums(row: np.ndarray, log_term: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """For each place the logarithm of its largest term, and the sum of its terms divided by that."""
    largest = np.full(count, -1e300)
    np.maximum.at(largest, row, log_term.max(axis=0))
    return largest, np.bincount(row, np.exp(log_term - largest[row]).sum(axis=0), minlength=count)


def _fitted(
    log_density: Callable[[np.ndarray], Any],
    places: Any,
    log_weight: float,
    inherited: Any,
    dropped: float,
    known: Any = None,
) -> PositiveLaw:
    """A law from the logarithm of its density, as polynomials on pieces that are halved where necessary.

    A piece is not halved below `known`: places, and there the logarithm of a relative error that remains anyway.
    """
    pieces, rows = [(a, b, math.inf, 0) for a, b in pairwise(places)], []
    nodes, to_coefficients = chebyshev(_DEGREE + 1)
    while pieces:
        low, high, before, stuck = np.array(pieces).T
        v = (low + high)[:, None] / 2 + (high - low)[:, None] / 2 * nodes
        value = log_density(v.ravel()).reshape(v.shape)
        coefficients = value @ to_coefficients
        tail = np.abs(coefficients[:, -3:]).max(axis=1)
        sizes = _larger(v, value, log_weight)
        size = sizes.max(axis=1)
        # An error that three halvings do not reduce comes from rounding, or from a corner.
        stuck = np.where(tail < before / 2, 0, stuck + 1)
        noise = 4 * _rounding(low, high, value.min(axis=1), value.max(axis=1))
        wanted = np.maximum(_allowed(size), noise)
        if known is not None:
            wanted = np.maximum(wanted, _OF_KNOWN * np.exp(np.interp((low + high) / 2, *known)))
        further = (tail > wanted) & (stuck < 3)
        # Where large errors are allowed, near the cut, pieces are short, so that these do not spread.
        further |= (sizes.min(axis=1) < _EDGE) & (np.ptp(sizes, axis=1) > _SPREAD / 2) & (size > -_CUT)
        further &= high - low > _SMALLEST
        pieces = []
        for a, b, row, last, count, halve in zip(low, high, coefficients, tail, stuck, further, strict=True):
            if halve:
                pieces += [(a, (a + b) / 2, last, count), ((a + b) / 2, b, last, count)]
            else:
                rows.append((a, b, row, last))
    rows.sort(key=lambda row: row[0])
    low, high, coefficients, tail = (np.array(column) for column in zip(*rows, strict=True))
    spread = np.abs(coefficients[:, 1:]).sum(axis=1)
    own = 4 * tail + _rounding(low, high, coefficients[:, 0] - spread, coefficients[:, 0] + spread)
    errors = np.maximum(np.append(own, 0.0), np.append(0.0, own))
    edges = np.append(low, high[-1])
    if inherited is not None:
        more, between = inherited(edges)
        # If the error is larger in the middle than the ends imply, raise it there.
        factor = np.maximum(between / np.sqrt(np.maximum(more[1:] * more[:-1], 1e-300)), 1.0)
        errors += more * np.maximum(np.append(factor, 1.0), np.append(1.0, factor))
    # Where the relative error is large, and clipped to 1, the mass is negligible and counts as left out.
    dropped += len(rows) * math.exp(-_CUT)
    return PositiveLaw(edges, coefficients, log_weight, np.clip(errors, 1e-16, 1.0), dropped)
