"""Composition on a grid, between two experiments that are composed exactly.

Where a transform does not decay, losses are put on a grid of step h and convolved by FFT, in two ways.

- *More informative.* The mass of a cell (ε_j, ε_{j+1}] goes to its two ends, in the proportion that keeps both its
  P-mass a and its Q-mass b. The profile becomes the chord, in e^ε, between the true values at grid points; the
  result is a pair of distributions of its own, which dominates the true one.
- *Less informative.* In the middle of each cell the profile has a supporting line, (1 − β) − e^ε α. At a grid point the
  lower one of its two neighboring lines is taken, and the convex hull, from below, of these points: a profile below the
  true one, whose losses are on the grid again.

Composition preserves both relations, so that the truth lies between, and the gap is the error bound. It is of second
order in h, where rounding losses up and down would be of first; steps are chosen so that atoms lie on the grid.

The lower profile D is linear in e^ε between its grid points and the upper one is convex, so that the gap at any ε is at
most the larger one of both ends of its cell. With D⁻ of the reverse pair, at most

    f(α) ≤ max over ε ≥ 0 of    1 − D(ε) − e^ε α,    e^−ε (1 − D⁻(ε) − α),

which is attained at grid points; and R at log-odds ε errs by the gap at |ε|, in that direction, over 1 + e^|ε|.

Sources: Doroshenko et al. (2022), for the first; Meiser & Mohammadi (2018) for rounding.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import NamedTuple

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft
from scipy.optimize import isotonic_regression
from scipy.special import expit

from .._answers import NumericalError
from .._floats import LARGEST_LOSS, LAST_PLACE
from .finite_law import FiniteLaw
from .squaring import by_squaring

# Negligible mass of finite losses; larger than the rounding error of sums of probabilities.
_TAIL = 1e-15
# Largest number of grid points.
_LONGEST = 2**20
# Largest number of parts: with more, rounding each of them to the grid adds up to too much.
_MOST_STEPS = 10**6
# With more distinct parts than this the grid is shorter: each of them takes a transform.
_MANY = 12
# Larger losses of a part count as infinite; bounds then hold for ε up to this only.
LARGEST = 650.0
# Rounding error of the transforms, for each part and each doubling of their length,
_LOST = 2 * LAST_PLACE
# and in addition.
_LOST_ANYWAY = 1e-12
# e^−43 is negligible compared with that.
_NOTHING = 43.0
# Chernoff's bound on the tails: numbers of cells into which a part is divided, and of tilts that are tried.
_CELLS, _TILTS = 2**10, 40
# Target gap between the bounds for a power: a smaller one takes longer, and powers are calibrated often.
POWERS_GOAL = 5e-7
# Number of grid points of the first grid.
_SHORTEST = 2**14
# The next step is at least this fraction of the last one.
_FINER = 2.0**-5
# The widest step with which e^ε cannot overflow.
_WIDEST = LARGEST_LOSS - LARGEST
# Largest number of steps that are tried, times the number of atoms.
_TRIED = 2**20


@dataclass(frozen=True)
class Factor:
    """One part of a composition, with its number of copies."""

    errors: Callable  # ε ↦ (Pr_P[L > ε], Pr_Q[L ≤ ε])
    p_infinite: float  # Pr_P[L = −∞]
    q_infinite: float  # Pr_Q[L = +∞]
    count: int
    low: float  # finite losses beyond these have negligible mass
    high: float
    atoms: tuple[float, ...] = ()  # finite losses of positive probability

    @property
    def reverse(self) -> Factor:
        """The part of the reverse pair."""

        def errors(epsilon):
            # α_rev(ε) = Pr_Q[L < −ε], β_rev(ε) = Pr_P[L ≥ −ε]: the left limits at −ε.
            alpha, beta = self.errors(np.nextafter(-epsilon, -np.inf))
            return beta, alpha

        atoms = tuple(-atom for atom in self.atoms)
        return Factor(errors, self.q_infinite, self.p_infinite, self.count, -self.high, -self.low, atoms)


def window(errors, p_infinite, q_infinite) -> tuple[float, float]:
    """An interval outside which finite losses are negligible under both distributions."""

    def first(small):
        inside, outside = 0.0, 1.0
        while not small(outside) and outside < LARGEST_LOSS:
            inside, outside = outside, 2 * outside
        for _ in range(40):
            middle = (inside + outside) / 2
            inside, outside = (inside, middle) if small(middle) else (middle, outside)
        return outside

    def above(x):
        alpha, beta = (float(v) for v in errors(np.asarray(x)))
        return alpha <= _TAIL and 1 - beta - q_infinite <= _TAIL

    def below(x):
        alpha, beta = (float(v) for v in errors(np.asarray(-x)))
        return 1 - alpha - p_infinite <= _TAIL and beta <= _TAIL

    return max(-first(below), -LARGEST), min(first(above), LARGEST)


@dataclass(frozen=True, eq=False)
class Side:
    """What is known of one direction: values at ε = 0 and at all grid points beyond, in increasing order."""

    loss: np.ndarray
    gap: np.ndarray  # the upper minus the lower δ, both without the mass of infinite losses
    below: np.ndarray  # the lower δ, with that mass
    scaled_tail: np.ndarray  # minus the derivative of the lower δ, to the right

    @cached_property
    def _of_cells(self) -> np.ndarray:
        """The larger gap of the two ends of each cell; the last one is without end."""
        return np.maximum(self.gap, np.append(self.gap[1:], 0.0))

    def gaps(self, epsilon: np.ndarray) -> np.ndarray:
        """Bounds on the gap at ε ≥ 0."""
        return self._of_cells[np.searchsorted(self.loss, epsilon, side="right") - 1]

    def largest(self, reaches: float) -> float:
        """The largest gap for ε ≤ `reaches`."""
        return float(np.max(self.gap[self.loss <= reaches], initial=0.0))

    @cached_property
    def of_risk(self) -> float:
        """The largest gap over 1 + e^ε."""
        return float(np.max(expit(-self.loss) * self._of_cells))

    @cached_property
    def _tails(self) -> tuple[np.ndarray, np.ndarray]:
        """Pr_P[L > ε] and Pr_Q[L > ε] of the lower pair, negative so that they increase."""
        with np.errstate(under="ignore"):
            under_p = np.exp(-self.loss) * self.scaled_tail
        return np.maximum.accumulate(-under_p), np.maximum.accumulate(-self.below - self.scaled_tail)

    def most(self, alpha: np.ndarray) -> np.ndarray:
        """The largest 1 − D − e^ε α."""
        at = np.minimum(np.searchsorted(self._tails[0], -alpha), self.loss.size - 1)
        return 1.0 - self.below[at] - np.exp(np.minimum(self.loss[at], LARGEST_LOSS)) * alpha

    def most_reverse(self, alpha: np.ndarray) -> np.ndarray:
        """The largest e^−ε (1 − D − α)."""
        at = np.minimum(np.searchsorted(self._tails[1], alpha - 1.0), self.loss.size - 1)
        with np.errstate(under="ignore"):
            return np.exp(-self.loss[at]) * (1.0 - self.below[at] - alpha)


class Bracket(NamedTuple):
    """A composition on a grid."""

    law: FiniteLaw  # of a pair that dominates the composition
    gap: float  # bound on how much its δ exceeds the true one for ε ≥ 0, with rounding
    lost: float  # the share of that which does not depend on ε, as rounding
    reaches: float  # the largest ε for which the gap holds
    sides: tuple[Side, Side]  # of the pair and of its reverse

    @property
    def reverse(self) -> Bracket:
        """The same for the reverse pair."""
        return self._replace(law=self.law.reverse, sides=self.sides[::-1])

    def widened(self, error: float) -> Bracket:
        """The same if the parts' own δ may be off by `error` in all."""
        return self._replace(gap=self.gap + error, lost=self.lost + error)


def bracketed(factors: list[Factor], goal: float = POWERS_GOAL) -> Bracket:
    """The composition on a grid, refined until the gap is below `goal` or the grid has its largest length."""
    truncation = _truncation(factors)
    length, count = (
        max(truncation[1] - truncation[0], *(f.high - f.low for f in factors)),
        sum(f.count for f in factors),
    )
    if count > _MOST_STEPS:
        raise ValueError(
            f"at most {_MOST_STEPS} mechanisms of which one has no transform can be composed, got {count}: more would "
            "take longer than ten seconds"
        )
    longest = _LONGEST * min(1.0, _MANY / len(factors))
    if length > longest * _WIDEST:
        raise NumericalError("losses are too far apart for a grid: dptutor cannot compute it")
    coarse = min(max(length / _SHORTEST, 1e-7), _WIDEST)
    reaches = LARGEST if any(max(-f.low, f.high) >= LARGEST for f in factors) else math.inf
    while True:
        step = _aligned(factors, coarse)
        law, clipped = _pessimistic(factors, step, truncation)
        back, of_back = _side(law.reverse, [f.reverse for f in factors], step, (-truncation[1], -truncation[0]))
        there, of_there = _side(law, factors, step, truncation)
        sides = there, back
        gap = max(side.largest(reaches) for side in sides)
        if gap < goal or length / step > 0.9 * longest:
            lost = _LOST_ANYWAY + _LOST * count * math.log2(2.0 + length / step) + clipped + max(of_there, of_back)
            return Bracket(law, gap + lost, lost, reaches, sides)
        # The gap is approximately proportional to the square of the step.
        coarse = max(step * min(max(0.8 * math.sqrt(goal / gap), _FINER), 0.5), length / longest)


def _aligned(factors, coarse) -> float:
    """A step of at most `coarse` of which all atoms are multiples, as nearly as possible."""
    atoms = np.unique(np.abs([atom for factor in factors for atom in factor.atoms if atom]))
    if not atoms.size or atoms[-1] < coarse:
        return coarse
    parts = math.ceil(atoms[-1] / coarse)
    tries = min(parts, max(_TRIED // atoms.size, 1)) if atoms.size > 1 else 1
    steps = atoms[-1] / np.arange(parts, parts + tries)
    # An atom lies on the grid or slightly beyond a grid point, so that the supporting line before the last atom ends
    # above 0.
    off = (np.multiply.outer(1 / steps, atoms) + 1e-9) % 1.0
    return float(steps[np.argmin(off.max(axis=1))])


def _truncation(factors) -> tuple[float, float]:
    """An interval outside which losses of the composition are negligible under both distributions (Chernoff)."""
    low, high = sum(f.count * f.low for f in factors), sum(f.count * f.high for f in factors)
    tilts = np.geomspace(1e-3, 1e4, _TILTS) / max(f.high - f.low for f in factors)
    # Upper bounds on log E[e^{cL}] under P and Q over finite losses: each loss is moved to the worse end of its cell.
    logs = np.zeros((2, 2, tilts.size))
    for factor in factors:
        loss = np.linspace(factor.low, factor.high, _CELLS + 1)
        alpha, beta = factor.errors(loss)
        masses = np.maximum([-np.diff(alpha), np.diff(beta)], 0.0)
        some = masses.any(axis=0)
        if not some.any():
            return low, high  # no finite loss has positive mass
        for side, ends in enumerate((-loss[:-1][some], loss[1:][some])):
            highest = ends.max()
            with np.errstate(under="ignore"):
                sums = np.exp(np.multiply.outer(tilts, ends - highest)) @ masses[:, some].T
            logs[side] += factor.count * (tilts * highest + np.log(np.maximum(sums.T, 1e-300)))
    below, above = np.min((logs.max(axis=1) + _NOTHING) / tilts, axis=1)
    return max(low, -below), min(high, above)


def _pessimistic(factors, step, truncation) -> tuple[FiniteLaw, float]:
    """The law of the composition of the more informative pairs, and how much mass was clipped."""
    spectra = []
    for factor in factors:
        left, right = math.floor(factor.low / step) - 1, math.ceil(factor.high / step) + 1
        loss = step * np.arange(left, right + 1)
        alpha, beta = factor.errors(loss)
        a, b = np.maximum(-np.diff(alpha), 0.0), np.maximum(np.diff(beta), 0.0)
        # Q-masses are divided by e^ε at the left end, which may overflow.
        tilted = b * np.exp(-loss[:-1])
        up = np.clip((tilted - a) / math.expm1(step), 0.0, a)
        p = np.append(a - up, 0.0) + np.append(0.0, up)
        spectra.append((left, factor.count, p, p * np.exp(loss)))
    start, (p, of_p), (q, of_q) = _convolved(spectra, step, truncation)
    loss = step * (start + np.arange(p.size))
    # Of the two masses of a loss the smaller one follows from the larger.
    with np.errstate(under="ignore"):
        shrink = np.exp(-np.abs(loss))
        p, q = np.where(loss < 0, p, q * shrink), np.where(loss < 0, p * shrink, q)
    kept = np.maximum(p, q) > 1e-18
    low = [(-np.inf, max(1.0 - p[kept].sum(), 0.0), 0.0)]
    high = [(np.inf, 0.0, max(1.0 - q[kept].sum(), 0.0))]
    rows = np.concatenate([low, np.column_stack([loss, p, q])[kept], high])
    return FiniteLaw(*rows[(rows[:, 1] > 0) | (rows[:, 2] > 0)].T), of_p + of_q


def _side(law, factors, step, truncation) -> tuple[Side, float]:
    """What is known of δ in one direction, and how much mass was clipped."""
    spectra = [_optimistic(factor, step) for factor in factors]
    start, (q, clipped) = _convolved(spectra, step, truncation)
    loss = step * (start + np.arange(q.size))
    infinite = -math.expm1(sum(factor.count * math.log1p(-factor.q_infinite) for factor in factors))
    loss, q = loss[loss >= 0], q[loss >= 0]
    with np.errstate(under="ignore"):
        lower = FiniteLaw.of_finite(loss, q * np.exp(-loss), q, 0.0, 0.0, 0.0)
    at = np.append(0.0, loss[loss > 0])
    below = lower.delta(at)
    gap = np.maximum(law.delta(at) - infinite - below, 0.0)
    return Side(at, gap, infinite + below, lower.scaled_tail(at)), clipped


def _optimistic(factor: Factor, step: float):
    """The less informative pair of a factor under Q, as `_convolved` takes it."""
    left, right = math.floor(factor.low / step) - 1, math.ceil(factor.high / step) + 1
    number = np.arange(left + 1, right + 1)
    # The supporting line of a cell touches in the middle; if it would fall below 0 within the cell, at the end.
    touching = step * (np.arange(left, right + 1) + 0.5)
    alpha, beta = (np.array(error) for error in factor.errors(touching))
    ends = step * np.arange(left + 1, right + 2)
    low = 1.0 - beta - factor.q_infinite < np.exp(np.minimum(ends, LARGEST_LOSS)) * alpha - 1e-15
    if low.any():
        alpha[low], beta[low] = factor.errors(ends[low] - 1e-6 * step)
    # Masses between neighboring points of contact: one grid point lies between each two.
    a, b = np.maximum(-np.diff(alpha), 0.0), np.maximum(np.diff(beta), 0.0)
    # How far the left line is above the right one at the grid point, divided by e^ε.
    above = b * np.exp(np.minimum(-step * number, LARGEST_LOSS)) - a
    slope = (
        alpha[1:-1] + np.maximum(above[1:], 0.0) / -math.expm1(-step) - np.maximum(-above[:-1], 0.0) / math.expm1(step)
    )
    # The slopes of the convex hull are the isotonic regression of the slopes between the points.
    weight = np.exp(np.clip(step * (number[:-1] - number[-1]), -LARGEST_LOSS, 0.0))
    hull = isotonic_regression(slope, weights=weight, increasing=False).x
    p = -np.diff(np.concatenate([alpha[:1], np.clip(hull, 0.0, alpha[0]), [0.0]]))
    q = p * np.exp(np.minimum(step * number, LARGEST_LOSS))
    # What the hull leaves at its lowest point: larger losses are moved to the upper end, which makes δ smaller.
    end = math.exp(min(step * right, LARGEST_LOSS))
    left_over = float(np.min(1.0 - beta[-2:] - factor.q_infinite - end * alpha[-2:]))
    left_over -= end * (math.expm1(step) * float(weight @ np.maximum(-hull, 0.0)))
    q[-2] += max(left_over - _TAIL, 0.0)
    return left + 1, factor.count, q


def _convolved(spectra, step, truncation):
    """The first grid number and the mass functions of the sum of all parts, within the truncation, each with the mass
    that rounding made negative: without it, 0 in its place, all tails are larger by up to that.

    A part is given by its first grid number, its number of copies, and its mass functions, one for each distribution.
    """
    start = sum(count * left for left, count, *_ in spectra)
    end = start + sum(count * (mass.size - 1) for _, count, mass, *_ in spectra)
    # A part's losses may be rounded to the next grid point.
    slack = sum(count for _, count, *_ in spectra)
    first = max(start, math.floor(truncation[0] / step) - slack)
    last = min(end, math.ceil(truncation[1] / step) + slack)
    length = next_fast_len(max(last - first, 1) + 1, real=True)
    places = (np.arange(first, last + 1) - start) % length

    def sums(masses):
        # Masses wrap around the grid: the sum fits even if a single part does not. Squaring is more accurate than
        # numpy's power of complex numbers.
        circles = (np.bincount(np.arange(mass.size) % length, mass, length) for mass in masses)
        counts = [count for _, count, *_ in spectra]
        product = reduce(
            np.multiply, (by_squaring(rfft(circle), n, np.multiply) for circle, n in zip(circles, counts, strict=True))
        )
        mass = irfft(product, length)[places]
        return np.maximum(mass, 0.0), -float(np.minimum(mass, 0.0).sum())

    return first, *(sums(masses) for masses in zip(*(masses for _, _, *masses in spectra), strict=True))
