"""The privacy profile of different Laplace mechanisms, and of finite experiments with them, as sums of positive terms.

Under the middle tilt (s = ½) every Laplace loss is two equal atoms and a flat density between them, whatever its scale.
A composition is therefore atoms and a piecewise polynomial, times e^{−D/2} with D the distance to the largest loss; its
knots are the sums of the parts' ends. Pieces are kept in Bernstein's basis, in which shifting, cutting, integrating
and adding are sums of positive terms, and so is the profile (see laplace_powers.py).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from .._floats import UNIT_ROUNDOFF
from .laplace_powers import _bernstein, _integral, _raised
from .polynomials import gauss

_LONGEST = 8.0


class LaplaceProduct:
    """δ of Laplace mechanisms (`tops`: largest losses, with repetitions) and a finite law of loss.

    Parameters
    ----------
    tops : sequence of float
    loss, q : ndarray
        Finite losses of the composition of all finite parts, and their probabilities under Q.
    """

    # No lines are used.
    most_terms = 1

    def __init__(self, tops: Sequence[float], loss: Any = (0.0,), q: Any = (1.0,)) -> None:
        loss, q = np.asarray(loss, dtype=float), np.asarray(q, dtype=float)
        end = sum(Fraction(top) for top in tops) + Fraction(float(loss.max()))
        self.high = float(end)
        self._residual = float(end - Fraction(self.high))
        n = len(tops)
        self._sure = 2 * n + 24 * math.sqrt(n) + 120.0 + float(loss.max() - loss.min())
        # Down to ε = 0, or to where 1 − δ is below e^−36.
        self._reach = min(max(self.high, 0.0), self._sure) * (1 + 1e-15) + 1e-300
        self._equal = 4 * UNIT_ROUNDOFF * self.high
        self.relative = (60.0 * n + 2.0 * self.high + 1000.0) * UNIT_ROUNDOFF
        self._knots, self._atoms, self._density = np.zeros(1), np.ones(1), np.zeros((0, 1))
        for top in sorted(tops):
            self._add_laplace(top)
        distance = loss.max() - loss
        if len(loss) > 1 or q[0] != 1.0:
            inside = distance <= self._reach
            self._add_finite(distance[inside], q[inside])
        self._finish()
        self.mass = float(q.sum())
        self.breakpoints = self.high - self._knots

    def profile(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Lower and upper bounds on E_Q[(1 − e^{ε−L})₊; L finite] for ε ≥ 0; 0 at and beyond `high`."""
        y = (self.high - epsilon) + self._residual
        inside = (epsilon < self.high) & (y > 0) & (y <= self._knots[-1] * (1 + 1e-14))
        lower, upper = np.zeros(epsilon.shape), np.zeros(epsilon.shape)
        number = np.clip(np.searchsorted(self._knots, y[inside], side="right") - 1, 0, len(self._half) - 1)
        half = self._half[number]
        v = np.clip((y[inside] - self._knots[number]) / (2 * half), 0.0, 1.0)
        basis = _bernstein(self._total.shape[1] - 1, v)
        value = self._delta[number] - self._tail[number] * np.expm1(-2 * half * v)
        value += np.exp(-self._knots[number] / 2 - half * v) * np.einsum("ij,ij->i", basis, self._total[number])
        lower[inside] = upper[inside] = value
        below = (epsilon < self.high) & (y > self._knots[-1] * (1 + 1e-14))
        lower[below], upper[below] = self._delta_end, self.mass
        return lower * (1 - self.relative), np.minimum(upper * (1 + self.relative), self.mass * (1 + 1e-15))

    def _add_laplace(self, top: float) -> None:
        shifted = self._knots + 2 * top
        knots = self._merged(np.concatenate([self._knots, shifted]))
        atoms = np.zeros(len(knots))
        self._place(knots, atoms, self._knots, self._atoms / 2)
        self._place(knots, atoms, shifted, self._atoms / 2)
        start, end = knots[:-1], knots[1:]
        middle, length = (start + end) / 2, end - start
        here, before, _ = self._cut(start, end, middle)
        there, _, until = self._cut(start - 2 * top, end - 2 * top, middle - 2 * top)
        # The flat density between the two atoms, convolved with the density and with the atoms.
        summed = np.append(0.0, np.cumsum(self._atoms))
        between = np.maximum(before - until, 0.0)
        between += summed[np.searchsorted(self._knots, middle)] - summed[np.searchsorted(self._knots, middle - 2 * top)]
        window = length[:, None] * (_integral(here) + _integral(there[:, ::-1])[:, ::-1])
        density = _raised_by_one((here + there) / 2) + (window + between[:, None]) / 4
        self._knots, self._atoms, self._density = knots, atoms, density

    def _add_finite(self, distance: np.ndarray, q: np.ndarray) -> None:
        knots = self._merged(np.add.outer(distance, self._knots).ravel())
        atoms = np.zeros(len(knots))
        start, end = knots[:-1], knots[1:]
        middle = (start + end) / 2
        density = np.zeros((len(start), self._density.shape[1]))
        for far, weight in zip(distance, q * np.exp(distance / 2), strict=True):
            self._place(knots, atoms, self._knots + far, weight * self._atoms)
            density += weight * self._cut(start - far, end - far, middle - far)[0]
        self._knots, self._atoms, self._density = knots, atoms, density

    def _merged(self, places: np.ndarray) -> np.ndarray:
        """The knots that are needed, in increasing order; knots that are equal up to rounding are merged."""
        places = np.sort(places)
        keep = np.append(True, np.diff(places) > self._equal)
        places = places[keep]
        first_beyond = int(np.searchsorted(places, self._reach))
        return places[: first_beyond + 1]

    def _place(self, knots: np.ndarray, atoms: np.ndarray, places: np.ndarray, weights: np.ndarray) -> None:
        inside = places <= knots[-1] + self._equal
        places = places[inside]
        right = np.minimum(np.searchsorted(knots, places), len(knots) - 1)
        left = np.maximum(right - 1, 0)
        nearest = np.where(np.abs(knots[left] - places) < np.abs(knots[right] - places), left, right)
        np.add.at(atoms, nearest, weights[inside])

    def _cut(self, start: np.ndarray, end: np.ndarray, middle: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The density so far on intervals, each within one cell, and its integrals up to their two ends."""
        cells = len(self._density)
        degree = self._density.shape[1]
        cut = np.zeros((len(start), degree))
        before, until = np.zeros(len(start)), np.zeros(len(start))
        if not cells:
            return cut, before, until
        length = np.diff(self._knots)
        prefix = np.append(0.0, np.cumsum(length * self._density.mean(axis=1)))
        number = np.searchsorted(self._knots, middle, side="right") - 1
        beyond = number >= cells
        before[beyond] = until[beyond] = prefix[-1]
        inside = np.flatnonzero((number >= 0) & ~beyond)
        number = number[inside]
        a = np.clip((start[inside] - self._knots[number]) / length[number], 0.0, 1.0)
        b = np.clip((end[inside] - self._knots[number]) / length[number], 0.0, 1.0)
        left, _ = _halves(self._density[number], b)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(b > 0, a / b, 0.0)
        first, cut[inside] = _halves(left, share)
        before[inside] = prefix[number] + length[number] * a * first.mean(axis=1)
        until[inside] = prefix[number] + length[number] * b * left.mean(axis=1)
        return cut, before, until

    def _finish(self) -> None:
        """Divides long cells and computes δ and S at their starts, and the coefficients within."""
        pieces = np.maximum(np.ceil(np.diff(self._knots) / _LONGEST), 1).astype(int)
        knots = np.concatenate(
            [
                self._knots[:1],
                *(
                    np.linspace(a, b, k + 1)[1:]
                    for a, b, k in zip(self._knots[:-1], self._knots[1:], pieces, strict=True)
                ),
            ]
        )
        if knots[-1] < self._reach:
            knots = np.append(knots, self._reach)
        start, end = knots[:-1], knots[1:]
        density = self._cut(start, end, (start + end) / 2)[0]
        atoms = np.zeros(len(knots))
        self._place(knots, atoms, self._knots, self._atoms)
        half = (end - start) / 2
        column = half[:, None]
        base, total = density, _integral(_integral(density))
        longest = float(half.max(initial=0.0))
        terms = 1
        while terms < 60 and longest > 0 and 2 * terms * math.log(longest) - math.lgamma(2 * terms + 2) > -40.0:
            terms += 1
        for _ in range(terms - 1):
            base = _raised_by_one(_raised_by_one(base))
            total = _integral(_integral(base + column**2 * total))
        # Σ_k 2 h^{2k+1} 2h times the (2k+2)-fold integral, by Horner's rule.
        total = 4 * column**2 * total
        nodes, weights = gauss((density.shape[1] + 45) // 16 * 8)
        v = (nodes + 1) / 2
        values = density @ _bernstein(density.shape[1] - 1, v).T
        moments = ((values * np.exp(-column * (1 - v))) @ (weights / 2)) * 2 * half * np.exp(-end / 2)
        ends = total[:, -1] * np.exp(-end / 2)
        atoms = atoms * np.exp(-knots / 2)
        delta, tail, d, s = np.empty(len(half)), np.empty(len(half)), 0.0, 0.0
        for i in range(len(half)):
            s += float(atoms[i])
            delta[i], tail[i] = d, s
            d += -s * math.expm1(-2 * half[i]) + float(ends[i])
            s = s * math.exp(-2 * half[i]) + float(moments[i])
        self._delta, self._tail, self._delta_end = delta, tail, d
        self._total, self._half, self._knots = total, half, knots


def _raised_by_one(pieces: np.ndarray) -> np.ndarray:
    return _raised(np.pad(pieces, ((0, 0), (0, 1))), pieces.shape[1])


def _halves(pieces: np.ndarray, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Bernstein coefficients of polynomials on [0, at] and on [at, 1], by de Casteljau's algorithm."""
    work, degree = pieces.copy(), pieces.shape[1] - 1
    left, right = np.empty_like(pieces), np.empty_like(pieces)
    t = at[:, None]
    left[:, 0], right[:, degree] = work[:, 0], work[:, degree]
    for r in range(1, degree + 1):
        work = (1 - t) * work[:, :-1] + t * work[:, 1:]
        left[:, r], right[:, degree - r] = work[:, 0], work[:, -1]
    return left, right
