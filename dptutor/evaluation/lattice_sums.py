"""Finite losses that lie on one lattice, composed: far fewer sums differ than there are pairs.

With losses l₀ + mh of each part, m whole numbers, those of a composition are L₀ + Mh. Short ones are convolved, sums of
positive terms. Longer ones are Fourier sums of tilted laws,

    q_M ∝ e^{−θMh} w_M,    w_M = 1/N Σ_k Π_j φ_j(2πk/N)^{n_j} e^{−2πikM/N},    φ_j the transform of a part tilted by θ,

in which w_M has all its digits near the mean of the tilted law: from θ = 0 on, where the sum of all q is known, one
tilt takes over from the other where both have digits, up to the largest loss or until nothing is left. What w_M may be
off is what the transforms round, what the Fourier sum rounds, and what is beyond the circle, which Chernoff's bound
limits. Losses below 0 are those of the reverse pair.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from scipy.fft import next_fast_len
from scipy.special import logsumexp

from .._floats import LARGEST_LOSS, SMALLEST_LOG, UNIT_ROUNDOFF
from .finite_law import MOST_ATOMS, AtomicLaw, FiniteLaw, TooManyAtoms, power_of_masses
from .finite_two import log_rest, two_floats, with_fifty_digits
from .lattice_binomial import two_product

# Two laws share a lattice if the ratio of their steps is a fraction with at most this denominator.
_DENOMINATOR = 2000
# Convolution is direct up to this many products of masses; beyond, Fourier sums are faster.
_MOST_PRODUCTS = 30_000_000
# Smaller masses are dropped: they are negligible, and subnormal numbers are slow.
_FAINT = 1e-300
# The period of a Fourier sum is so long that the mass beyond it is below e to minus this.
_BEYOND = 44.0
# The longest period that is affordable.
_LONGEST_SUM = 2**19
# Parts with at most this many losses are transformed term by term, which keeps more digits than an FFT.
_FEW = 4
# Distance between the means of neighboring tilts, in standard deviations.
_STRIDE = 3.0
# Largest relative error of a mass at which one tilt hands over to the next.
_TOO_ROUGH = 1e-7
# The probabilities of a law sum to 1, up to this.
_LACKING = 1e-6
# Rates at which Chernoff's bound is tried, in units of 1/(standard deviation).
_RATES = np.array([1.0, 2.0, 3.0, 4.5, 6.0, 7.5, 9.0, 12.0, 16.0, 24.0, 40.0])


@dataclass(frozen=True)
class Part:
    """A law whose losses exceed the smallest by multiples of the common step, and its number of copies."""

    law: FiniteLaw
    multiples: np.ndarray
    count: int

    @property
    def longest(self) -> int:
        """The number of steps from the smallest sum to the largest."""
        return int(self.multiples[-1]) * self.count

    @property
    def reverse(self) -> Part:
        """The part of the reverse pair."""
        return Part(self.law.reverse, self.multiples[-1] - self.multiples[::-1], self.count)

    def masses(self) -> tuple[np.ndarray, np.ndarray]:
        """The probabilities under P and Q of the sum of all copies, by its number of steps above the smallest."""
        if self.multiples.size == 2:
            law = self.law.power(self.count).enumerated()
            finite = np.isfinite(law.loss)
            stretched = np.zeros((2, self.longest + 1))
            stretched[:, :: int(self.multiples[-1])] = law.p[finite], law.q[finite]
            return stretched[0], stretched[1]
        finite = np.isfinite(self.law.loss)
        sides = (np.bincount(self.multiples, side[finite]) for side in (self.law.p, self.law.q))
        p, q = (power_of_masses(side, self.count) for side in sides)
        return p, q


@with_fifty_digits
def common_step(laws: Iterable[FiniteLaw]) -> Decimal | None:
    """A step such that the losses of each law exceed its smallest by multiples of the step; None if there is none."""
    found = [law.unit for law in laws if law.kinks.size != 1]
    units = [unit for unit in found if unit is not None]
    if len(units) < len(found):
        return None
    if not units:
        return Decimal(1)
    ratios = [float(unit / units[0]) for unit in units]
    fractions = [Fraction(ratio).limit_denominator(_DENOMINATOR) for ratio in ratios]
    near = (
        abs(ratio - float(each)) <= 4 * UNIT_ROUNDOFF * ratio for ratio, each in zip(ratios, fractions, strict=True)
    )
    if not all(fractions) or not all(near):
        return None
    shared = math.lcm(*(each.denominator for each in fractions))
    return units[0] / shared * math.gcd(*(int(each * shared) for each in fractions))


def composed(laws: Sequence[tuple[Any, int]], most_sums: int) -> AtomicLaw:
    """The law of the sum of independent losses, given as pairs of a law and its number of copies.

    Laws on a common lattice are summed first.

    Raises
    ------
    TooManyAtoms
        If there are too many sums; of groups without a common lattice, more than `most_sums`.
    """
    if len(laws) == 1:
        return laws[0][0].power(laws[0][1])
    groups: list[list[tuple[FiniteLaw, int]]] = []
    # A constant loss is on every lattice. It comes last, because a group is represented by its first law.
    for law, count in sorted(laws, key=lambda part: part[0].kinks.size == 1):
        one = law.enumerated()
        group = next((group for group in groups if common_step([group[0][0], one])), None)
        if group is None:
            groups.append([(one, count)])
        else:
            group.append((one, count))
    sums = [sum_of for group in groups for sum_of in _sums(group)]
    whole, formed = sums[0], 0
    for law in sums[1:]:
        formed += whole.enumerated().kinks.size * law.enumerated().kinks.size
        if formed > most_sums:
            raise TooManyAtoms
        whole = whole.composed(law)
    return whole


def _sums(group: Sequence[tuple[Any, int]]) -> list[FiniteLaw]:
    """The law of the sum of a group, or, if enumerating is cheaper than the lattice, of each part by itself."""
    if len(group) == 1:
        return [group[0][0].power(group[0][1])]
    step = common_step([law for law, _ in group])
    if step is not None:
        places = sum(int(_in_units(law, step)[-1]) * count for law, count in group)
        pairs = math.prod(math.comb(count + law.kinks.size - 1, count) for law, count in group)
        if pairs > min(places, MOST_ATOMS):
            with contextlib.suppress(TooManyAtoms):
                return [summed(group)]
    return [law.power(count) for law, count in group]


def summed(laws: Sequence[tuple[Any, int]]) -> FiniteLaw:
    """The law of the sum of independent losses on a common lattice, given as pairs of a law and its number of copies.

    Raises
    ------
    TooManyAtoms
        If there are too many sums, or there is no common lattice.
    """
    step = common_step([law for law, _ in laws])
    if step is None:
        raise TooManyAtoms
    parts = [Part(law, _in_units(law, step), count) for law, count in laws]
    places = _Places(parts, step)
    lengths = [part.longest + 1 for part in parts]
    products = sum(length**2 for part, length in zip(parts, lengths, strict=True) if part.multiples.size > 2)
    products += sum(sum(lengths[:number]) * length for number, length in enumerate(lengths))
    if products <= _MOST_PRODUCTS:
        number, p, q, error = _convolved(parts)
        missing = 2 * products * _FAINT
    else:
        number, p, q, error, missing = _by_tilts(parts, places)
    loss = places.loss(number)
    with np.errstate(under="ignore"):
        shrink = np.exp(-np.abs(loss))
        p, q = np.where(loss < 0, p, q * shrink), np.where(loss < 0, p * shrink, q)
    p_infinite, q_infinite = places.infinite
    if not (abs(p.sum() + p_infinite - 1.0) < _LACKING and abs(q.sum() + q_infinite - 1.0) < _LACKING):
        raise TooManyAtoms
    return FiniteLaw.of_finite(loss, p, q, p_infinite, q_infinite, places.off, error, missing=missing)


class _Places:
    """The losses on the lattice, and the probabilities of infinite losses."""

    @with_fifty_digits
    def __init__(self, parts: Sequence[Part], step: Decimal) -> None:
        lowest = sum((part.count * part.law.lowest for part in parts), Decimal(0))
        self._exact_step = step
        self.step, self._lowest = two_floats(step), two_floats(lowest)
        self.last = sum(part.longest for part in parts)
        off = Decimal(0)
        for part in parts:
            gaps = zip(part.law.gaps, part.multiples.tolist(), strict=True)
            off += part.count * max(abs(gap - multiple * step) for gap, multiple in gaps)
            if part.law.step is None:
                off += part.count * Decimal(part.law.location_error)
        ends = np.abs(self.loss(np.array([0.0, self.last])))
        self.off = 1.01 * float(off) + 2 * UNIT_ROUNDOFF * float(ends.max())
        of_p, self.log_mass = (math.fsum(_log_rest(part, side) for part in parts) for side in (0, 1))
        self.infinite = 0.0 - math.expm1(of_p), 0.0 - math.expm1(self.log_mass)

    def reverse(self, parts: Sequence[Part]) -> _Places:
        """The same for the reverse parts."""
        return _Places(parts, self._exact_step)

    @cached_property
    def first(self) -> int:
        """The number of the first loss ≥ 0, or of the one before it."""
        return min(max(math.ceil(-self._lowest[0] / self.step[0]) - 1, 0), self.last)

    def loss(self, number: np.ndarray) -> np.ndarray:
        """The losses with these numbers of steps above the smallest."""
        product, rest = two_product(np.asarray(number, dtype=float), self.step[0])
        total = product + self._lowest[0]
        of_product = total - self._lowest[0]
        rounding = (product - of_product) + (self._lowest[0] - (total - of_product))
        return total + (rounding + (rest + number * self.step[1] + self._lowest[1]))


def _log_rest(part: Part, side: int) -> float:
    """log of the probability of no infinite loss under P or Q."""
    if part.law.step is not None:
        step = part.law.step
        return log_rest((step.p_infinite, step.q_infinite)[side], part.count)
    mass = (part.law.p_infinite, part.law.q_infinite)[side]
    return part.count * math.log1p(-mass) if mass < 1 else -math.inf


@with_fifty_digits
def _in_units(law: FiniteLaw, step: Decimal) -> np.ndarray:
    return np.array([int((gap / step).to_integral_value()) for gap in law.gaps])


def _convolved(parts: Sequence[Part]) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """All sums as numbers of steps, their masses under P and Q, and a bound on the relative error of the masses."""
    whole, error = [np.ones(1), np.ones(1)], 64 * UNIT_ROUNDOFF
    for part in parts:
        masses = [np.where(side < _FAINT, 0.0, side) for side in part.masses()]
        longest = min(part.longest + 1, len(whole[0]))
        error += (64 + 4 * (part.count if part.multiples.size > 2 else 0) + 8 * math.sqrt(longest)) * UNIT_ROUNDOFF
        with np.errstate(under="ignore"):
            whole = [np.convolve(a, b) for a, b in zip(whole, masses, strict=True)]
    p, q = whole
    kept = np.maximum(p, q) > _FAINT
    kept[[0, -1]] = True  # the largest loss is kept, however improbable
    return np.flatnonzero(kept), p[kept], q[kept], error


def _by_tilts(parts: Sequence[Part], places: _Places) -> tuple[np.ndarray, np.ndarray, np.ndarray, float, float]:
    """The same by Fourier sums, and a bound on the mass that is missing; losses below 0 come from the reverse pair."""
    number, log_q, error, missing = _Upper(parts, places).masses()
    reverse = [part.reverse for part in parts]
    if all(np.array_equal(own.law.log_q, other.law.log_q) for own, other in zip(parts, reverse, strict=True)):
        back, log_p, its_error, its_missing = number, log_q, error, missing
    else:
        back, log_p, its_error, its_missing = _Upper(reverse, places.reverse(reverse)).masses()
    back, log_p = places.last - back[::-1], log_p[::-1]
    below = places.loss(back) < 0
    back, log_p = back[below], log_p[below]
    with np.errstate(under="ignore"):
        p = np.concatenate([np.exp(log_p), np.zeros(number.size)])
        q = np.concatenate([np.zeros(back.size), np.exp(log_q)])
    number = np.concatenate([back, number])
    # The largest loss is kept, however improbable.
    kept = (np.maximum(p, q) > 0) & (number > 0) & (number < places.last)
    ends = np.array([0, places.last])
    of_ends = np.array([[side[number == end].sum() for end in ends] for side in (p, q)])
    number = np.concatenate([ends[:1], number[kept], ends[1:]])
    p, q = (np.concatenate([own[:1], side[kept], own[1:]]) for own, side in zip(of_ends, (p, q), strict=True))
    return number, p, q, max(error, its_error) + 64 * UNIT_ROUNDOFF, max(missing, its_missing)


class _Upper:
    """The masses under Q of losses from 0 on."""

    def __init__(self, parts: Sequence[Part], places: _Places) -> None:
        self._parts, self._places = parts, places

    def masses(self) -> tuple[np.ndarray, np.ndarray, float, float]:
        """Numbers of steps, the logarithms of their masses, and bounds on the relative and absolute errors of sums.

        Raises
        ------
        TooManyAtoms
            If a sum has too few digits.
        """
        first = self._places.first
        start = _Tilt(self._parts, 0.0, self._places.last)
        start.known(self._places.log_mass, 0.0)
        tilts, cuts = [start], list[int]()
        # On both sides until the masses underflow.
        while not tilts[0].reaches(first) and tilts[0].log_largest > SMALLEST_LOG:
            below = tilts[0].next(-1)
            cuts.insert(0, _taken_over(tilts[0], below, below, tilts[0]))
            tilts.insert(0, below)
        while not tilts[-1].reaches(self._places.last) and tilts[-1].log_largest > SMALLEST_LOG:
            above = tilts[-1].next(1)
            cuts.append(_taken_over(tilts[-1], above, tilts[-1], above))
            tilts.append(above)
        pieces = [
            tilt.between(max(low, first), high)
            for tilt, low, high in zip(tilts, [0, *cuts], [*cuts, self._places.last + 1], strict=True)
        ]
        number, log_q, log_off = (np.concatenate(each) for each in zip(*pieces, strict=True))
        q, off = np.exp(log_q), np.exp(log_off)
        worst = max((tilt.error for tilt in tilts), default=0.0)
        missing = 2 * _FAINT
        # Errors are bounded for both kinds of sums: δ, whose weights increase with the loss, and tails under P, whose
        # weights decrease.
        for fall in (1.0, np.exp(-np.minimum(self._places.step[0] * (number - first), LARGEST_LOSS))):
            sums, offs = (np.cumsum((side * fall)[::-1]) for side in (q, off))
            seen = sums > 1e-290
            worst = max(worst, float(np.max(offs[seen] / sums[seen], initial=0.0)))
            missing = max(missing, float(np.max(offs[~seen], initial=0.0)))
        if worst > _TOO_ROUGH or missing > 1e-280:
            raise TooManyAtoms
        return number, log_q, worst, missing


def _taken_over(known: _Tilt, new: _Tilt, lower: _Tilt, upper: _Tilt) -> int:
    """The number at which the new tilt takes over from the known one, where both are most accurate; sets its scale."""
    number = np.arange(math.floor(lower.mean), math.ceil(upper.mean) + 1)
    number = number[lower.has(number) & upper.has(number)]
    rough = np.maximum(known.roughness(number), new.roughness(number))
    at = int(np.argmin(rough)) if rough.size else 0
    if not rough.size or rough[at] > _TOO_ROUGH:
        raise TooManyAtoms
    place = number[at : at + 1]
    scale = known.log_mass(place)[0] - new.log_weight(place)[0]
    new.known(float(scale), known.error + float(known.roughness(place)[0] + new.roughness(place)[0]))
    return int(place[0]) + 1


class _Tilt:
    """The law tilted by e^{τM}, for numbers M of steps near its mean."""

    def __init__(self, parts: Sequence[Part], tilt: float, last: int) -> None:
        self._parts, self._tilt, self._last = parts, tilt, last
        self._weights, self.mean, variance = _tilted(parts, tilt)
        self.deviation = math.sqrt(variance)
        self._scale, self.error = 0.0, 0.0
        self._center = sum(part.count * int(each @ part.multiples + 0.5) for part, each in self._each)
        self._first, end = self._circle()
        self._weight, self._off = self._sampled(end - self._first + 1)

    @property
    def _each(self) -> Iterator[tuple[Part, np.ndarray]]:
        return zip(self._parts, self._weights, strict=True)

    def known(self, scale: float, error: float) -> None:
        """Sets the scale in log q = log w − τ(M − center) + `scale`, and its error."""
        self._scale, self.error = scale, error

    @property
    def log_largest(self) -> float:
        """The logarithm of the largest mass, approximately."""
        at = np.array([round(self.mean)])
        return float(self.log_mass(at)[0]) if self.has(at)[0] else -math.inf

    def has(self, number: np.ndarray) -> np.ndarray:
        """Which numbers are on the circle."""
        return (number >= self._first) & (number < self._first + self._weight.size)

    def reaches(self, number: int) -> bool:
        """Whether this tilt covers the number."""
        return abs(number - self.mean) <= max(_STRIDE * self.deviation, 1.5)

    def next(self, way: int) -> _Tilt:
        """The neighboring tilt above (1) or below (−1)."""
        goal = min(max(self.mean + way * max(_STRIDE * self.deviation, 1.0), 0.3), self._last - 0.3)
        return _Tilt(self._parts, _tilt_to(self._parts, goal, self._tilt), self._last)

    def roughness(self, number: np.ndarray) -> np.ndarray:
        """Bounds on the relative errors of masses."""
        weight = self._weight[number - self._first]
        return np.where(weight > 0, self._off / np.maximum(weight, 1e-300), np.inf)

    def log_weight(self, number: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore"):
            log_w = np.log(np.maximum(self._weight[number - self._first], 0.0))
        return log_w - self._tilt * (number - self._center)

    def log_mass(self, number: np.ndarray) -> np.ndarray:
        """log q of numbers on the circle; −∞ if no digit is certain."""
        return np.where(self.roughness(number) < 0.5, self.log_weight(number) + self._scale, -np.inf)

    def between(self, low: int, high: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The numbers in [low, high) that this tilt covers, their log q, and the logarithm of its error."""
        number = np.arange(max(low, self._first), min(high, self._first + self._weight.size))
        near = np.abs(number - self.mean) <= max(2 * _STRIDE * self.deviation, 2.0)
        number = number[near]
        off = math.log(self._off) - self._tilt * (number - self._center) + self._scale
        return number, self.log_mass(number), off

    def _circle(self) -> tuple[int, int]:
        """Numbers below and above which the mass is negligible."""
        ends = []
        for way in (-1, 1):
            rates = way * _RATES / max(self.deviation, 1e-6)
            bounds = [(self._cumulant(rate) + _BEYOND) / abs(rate) for rate in rates]
            ends.append(self.mean + way * min(bounds))
        low, high = max(math.floor(ends[0]), 0), min(math.ceil(ends[1]), self._last)
        if high - low >= _LONGEST_SUM:
            raise TooManyAtoms
        return low, high

    def _cumulant(self, rate: float) -> float:
        total = 0.0
        for part, weight in self._each:
            some = weight > 0
            centered = part.multiples[some] - float(weight @ part.multiples)
            total += part.count * float(logsumexp(rate * centered + np.log(weight[some])))
        return total

    def _sampled(self, least: int) -> tuple[np.ndarray, np.ndarray]:
        """The tilted masses on the circle, and a bound on the error of each."""
        size = next_fast_len(max(least, 2), real=True)
        place = np.arange(size // 2 + 1)
        log_phi, angle, log_most, error = np.zeros((4, *place.shape))
        with np.errstate(divide="ignore", invalid="ignore", under="ignore"):
            for part, weight in self._each:
                moved = part.multiples - int(weight @ part.multiples + 0.5)
                if moved.size <= _FEW:
                    turn = np.multiply.outer(place, moved) % size
                    half = np.sin(math.pi / size * turn)
                    x = (-2 * half**2) @ weight - 1j * (np.sin(2 * math.pi / size * turn) @ weight)
                    own = 2 * np.abs(half) @ (weight * (16.0 - np.log(np.maximum(weight, 1e-300))))
                else:
                    x = np.fft.rfft(np.bincount(moved % size, weight, size)) - 1.0
                    own = np.full(place.shape, 8.0 * math.log2(size))
                length = np.abs(1 + x)
                # Near 1, log |1 + x| is computed from |1 + x|² − 1, which has no cancellation.
                change = 2 * x.real + np.abs(x) ** 2
                log_size = np.where(np.abs(change) < 0.5, 0.5 * np.log1p(np.maximum(change, -0.5)), np.log(length))
                log_phi += part.count * log_size
                angle += part.count * np.arctan2(x.imag, 1 + x.real)
                # |aⁿ − bⁿ| ≤ n |a − b| mⁿ⁻¹ if |a|, |b| ≤ m.
                most = length + UNIT_ROUNDOFF * own
                log_most += part.count * np.log(most)
                error += part.count * UNIT_ROUNDOFF * own / most
            seen = log_phi > SMALLEST_LOG
            phi = np.exp(np.where(seen, log_phi, -np.inf)) * np.exp(1j * angle)
            error += UNIT_ROUNDOFF * (8.0 + np.abs(angle) + np.where(seen, -log_phi, 0.0))
        weight = np.fft.irfft(phi, size)
        off = 2.0 / size * float(np.exp(np.minimum(log_most, 0.0)) @ error) + 2 * math.exp(-_BEYOND)
        off += 4 * UNIT_ROUNDOFF * math.log2(size) * math.sqrt(float(weight @ weight))
        number = (self._first - self._center + np.arange(least)) % size
        return weight[number], off


def _tilted(parts: Sequence[Part], tilt: float) -> tuple[list[np.ndarray], float, float]:
    """The tilted probabilities of each part, and mean and variance of the sum."""
    weights, mean, variance = [], 0.0, 0.0
    for part in parts:
        log_weight = part.law.log_q + tilt * part.multiples
        weight = np.exp(log_weight - log_weight.max())
        weight /= weight.sum()
        own = float(weight @ part.multiples)
        mean += part.count * own
        variance += part.count * float(weight @ (part.multiples - own) ** 2)
        weights.append(weight)
    return weights, mean, variance


def _tilt_to(parts: Sequence[Part], goal: float, tilt: float) -> float:
    """The tilt with mean approximately `goal`."""
    low, high = -math.inf, math.inf
    for _ in range(200):
        _, mean, variance = _tilted(parts, tilt)
        if abs(mean - goal) <= 0.05 * math.sqrt(variance) + 0.01:
            break
        low, high = (tilt, high) if mean < goal else (low, tilt)
        further = tilt + max(min((goal - mean) / max(variance, 1e-300), 1.0), -1.0)
        tilt = further if low < further < high else (low + high) / 2
    return tilt
