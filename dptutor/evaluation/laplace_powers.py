"""The privacy profile of many Laplace mechanisms of one scale, as sums of positive terms.

With ε₀ the largest loss of one and D = nε₀ − L ≥ 0 the distance to the largest loss of n, one Laplace mechanism has,
under Q and doubled, an atom of weight 1 at D = 0, one of e^{−ε₀} at D = 2ε₀, and the density e^{−D/2}/2 between.
But for the factor e^{−D/2} that is A + B with two equal atoms A and a *flat* density B. So

    n mechanisms  =  Σ_j C(n, j) A^{n−j} B^j,

binomial lattices of B-splines: on every cell 2ε₀[i, i+1] a polynomial with positive coefficients in Bernstein's basis.
Their convolution, their integrals and so δ are sums of positive terms: no digit is lost, at kinks, at the end of the
range or for a tiny δ. Terms with more than J densities are left out, and bounded (Chernoff). With y = nε₀ − ε,

    e^{ε₀v} δ(2ε₀(i+v)) = e^{ε₀v} δ_i + 2 sinh(ε₀v) S_i + ∫₀^v 2 sinh(ε₀(v−w)) b_i(w) dw,    S = e^ε Pr_P[L ≥ ε],

and in the first cell, whatever n,   δ(nε₀ − y) = Pr[Binomial(n−1, ½) < Poisson(y/2)].
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from scipy.special import bdtr, gammaln, pdtrc

from .._floats import UNIT_ROUNDOFF
from .polynomials import gauss

_MOST_DENSITIES = 128
_MOST_CELLS = 20_000
# Cells whose weight is e^−600 of the largest are left out.
_DEEPEST = 600.0
# Up to this n the first cell's closed form is summed.
_MOST_CLOSED = 2000
# Losses below which 1 − δ is less than e^−36 need no cells.
_CERTAIN = 36.0


class LaplacePower:
    """δ of `count` Laplace mechanisms with the largest loss `top`, on a part of the range.

    Attributes
    ----------
    low, high : float
        Losses between which `profile` may be asked; `high` is the largest loss. Above `exact` it is sharp.
    """

    # No lines are used.
    most_terms = 1

    def __init__(self, top: float, count: int) -> None:
        self.top, self.count = top, count
        self.high = count * top
        self._residual = float(Fraction(count) * Fraction(top) - Fraction(self.high))
        # The first cell has a closed form; if nothing else matters, no other is computed.
        self._closed = count <= _MOST_CLOSED and (count > _MOST_DENSITIES or top > 32.0)
        wide = 2 * top > 2 * count + 24 * math.sqrt(count) + 120
        self._cells = None if wide and self._closed else _cells(top, count)
        steps = 12.0 * min(count, _MOST_DENSITIES) + 600.0
        if self._cells is not None and count > _MOST_DENSITIES:
            steps += 2000.0 + 8.0 * len(self._cells[1])
        if self._closed:
            steps += 6.0 * math.lgamma(count + 20.0)
        self.relative = steps * UNIT_ROUNDOFF
        if self._cells is not None:
            self._first, self._last = self._cells[0], self._cells[0] + len(self._cells[1])
        elif self._closed:
            self._first, self._last = 0, 1
        else:
            self._first, self._last = 0, 0
        # ε = 0 may be beyond the last cell, by rounding.
        self._end = self._last * (1 + 4 * UNIT_ROUNDOFF)

    @property
    def low(self) -> float:
        """The smallest loss that is served; −∞ if all are."""
        reach = self._last * 2 * self.top
        return -math.inf if reach >= min(self._sure, self.high) else self.high - reach

    @property
    def _sure(self) -> float:
        """The distance to the largest loss at which 1 − δ falls below e^−36 (Poisson against binomial)."""
        return 2 * self.count + 24 * math.sqrt(self.count) + 120.0

    @property
    def breakpoints(self) -> np.ndarray:
        """Losses at which an atom, or a jump of the density, is visible in δ at double precision."""
        places = self.count // 2 + 1
        if self.count * math.log1p(self.top / 2) > 41.0:
            # Near the end, about √(ny/2) densities overlap; further inside so many that the law is smooth.
            places = min(places, int(2 * 45.0**2 / self.count / (2 * self.top)) + 1)
        places = min(places, int(self._sure / (2 * self.top)) + 1, _MOST_CELLS)
        return (self.high - 2 * self.top * np.arange(places))[::-1]

    def distance(self, epsilon: np.ndarray) -> np.ndarray:
        """nε₀ − ε, relatively accurate."""
        return (self.high - epsilon) + self._residual

    def profile(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Lower and upper bounds on δ for ε in [low, high]; 0 at and beyond `high`."""
        y = self.distance(epsilon)
        lower, upper = np.zeros(epsilon.shape), np.ones(epsilon.shape)
        place = np.maximum(y, 0.0) / (2 * self.top)
        beyond = epsilon >= self.high
        lower[beyond] = upper[beyond] = 0.0
        near = ~beyond & (place <= 1.0) if self._closed else np.zeros(epsilon.shape, dtype=bool)
        if near.any():
            value = _first_cell(self.count, y[near])
            lower[near] = upper[near] = value
        rest = ~beyond & ~near & (place <= self._end) & (place >= self._first)
        if self._cells is not None and rest.any():
            value = self._in_cells(place[rest])
            lower[rest], upper[rest] = value, value + self._left_out(epsilon[rest])
        above = ~beyond & ~near & (place < self._first)
        if above.any():
            upper[above] = self._chernoff(epsilon[above])
        below = ~beyond & (place > self._end)
        if below.any():
            lower[below] = self._at_last
        return lower * (1 - self.relative), np.minimum(upper * (1 + self.relative), 1.0)

    @cached_property
    def _at_last(self) -> float:
        """δ at the end of the last cell, the smallest loss whose δ is known."""
        if self._cells is not None:
            return float(self._in_cells(np.array([float(self._last)]))[0])
        return float(_first_cell(self.count, np.array([2 * self.top]))[0]) if self._closed else 0.0

    def _in_cells(self, place: np.ndarray) -> np.ndarray:
        assert self._cells is not None
        first, coefficients, delta, tail, scale = self._cells
        number = np.minimum(np.floor(place).astype(int), self._last - 1)
        v = np.minimum(place - number, 1.0)
        number -= first
        value = delta[number] - tail[number] * np.expm1(-2 * self.top * v)
        basis = _bernstein(coefficients.shape[1] - 1, v)
        value += np.exp(-self.top * v) * np.einsum("ij,ij->i", basis, coefficients[number])
        with np.errstate(divide="ignore"):
            return np.exp(np.minimum(np.log(value) + scale, 0.0))

    def _left_out(self, epsilon: np.ndarray) -> np.ndarray | float:
        """Upper bound on the contribution of what is left out: more than J densities, and further cells."""
        if min(self.count, _densities(self.top, self.count)) == self.count and self._first == 0:
            return 0.0
        extra = 0.0 if self._first == 0 else math.exp(-_DEEPEST + 40.0)
        return self._chernoff(epsilon, more=True) + extra

    def _chernoff(self, epsilon: np.ndarray, more: bool = False) -> np.ndarray:
        """min over c of E[e^{cL}] e^{−cε} c^c/(1+c)^{1+c}; with `more`, only for more than J densities."""
        n, top = self.count, self.top
        c = np.geomspace(1e-3, 1e4, 120) / (math.sqrt(n) * min(top, 1.0))
        u = c + 0.5
        log_f = n * (c * top + np.log1p(-c / (2 * u) * -np.expm1(-2 * u * top)))
        log_k = -np.log1p(c) - c * np.log1p(1 / c)
        if more:
            log_f = log_f + _log_binomial_tail(n, np.tanh(u * top) / (2 * u), _densities(top, n))
        return np.exp(np.minimum(np.min(log_f + log_k - np.multiply.outer(epsilon, c), axis=-1), 0.0))


def _log_binomial_tail(n: int, odds: np.ndarray, most: int) -> np.ndarray:
    """The logarithm of Chernoff's bound on Pr[Binomial(n, odds/(1 + odds)) > most]."""
    share, chance = (most + 1) / n, odds / (1 + odds)
    if share >= 1:
        return np.full(odds.shape, -math.inf)
    exponent = share * np.log(share / chance) + (1 - share) * (np.log1p(-share) - np.log1p(-chance))
    return np.where(share > chance, -n * exponent * (1 - 1e-9), 0.0)


def _densities(top: float, count: int) -> int:
    """J, the largest number of densities: nearly all that occur, if they are few."""
    mean = count * (top / 2) / (1 + top / 2)
    return min(count, _MOST_DENSITIES, math.ceil(mean + 10 * math.sqrt(mean) + 30) if mean < 45 else _MOST_DENSITIES)


def _cells(top: float, count: int) -> Any:
    """The first cell's index, the coefficients of the cells, δ and S at their starts, and the log of their unit."""
    most = _densities(top, count)
    mean = count * (top / 2) / (1 + top / 2)
    # For ε >= 0 half of the range is enough.
    cells = (count + 1) // 2
    cells = min(cells, math.ceil((2 * count + 24 * math.sqrt(count) + 120) / (2 * top)) + 1)
    if count > _MOST_DENSITIES and mean >= 45:
        # Near the end, about √(ny/2) densities overlap. Where there are more, lines are used.
        cells = min(cells, int(2 * 45.0**2 / count / (2 * top)))
    if cells == 0:
        return None
    if top > 150.0:
        return None
    shrink = math.exp(-top)
    if most == count:
        log_weight = np.zeros(1)
        start = 0
    else:
        i = np.arange(cells)
        rest = count - most
        i = i[i <= rest]
        log_weight = gammaln(rest + 1) - gammaln(i + 1) - gammaln(rest - i + 1) - top * i
        peak = float(log_weight.max())
        start = max(int(np.argmax(log_weight > peak - _DEEPEST)), cells - _MOST_CELLS, 0)
        log_weight = log_weight[start:] - peak
    if cells - start > _MOST_CELLS:
        return None
    atoms, density = _lattice(top, count, most, min(cells, most + 1), shrink)
    size = max(float(atoms.max()), float(density.max()))
    unit = math.log(size) - count * math.log(2.0)
    atoms, density = atoms / size, density / size
    if most < count:
        unit += peak
        weight = _accurate_weights(top, count - most, start, len(log_weight))
        atoms, density = _convolved(weight, atoms, cells - start), _convolved(weight, density, cells - start)
    return start, *_profiles(top, atoms, density), unit


def _accurate_weights(top: float, rest: Any, start: int, size: int) -> np.ndarray:
    """C(rest, i) e^{−top i} for i from `start`, relative to the largest, by ratios of neighbors."""
    i = np.arange(start, start + size - 1, dtype=np.longdouble)
    log_weight = np.concatenate([[0.0], np.cumsum(np.log((rest - i) / (i + 1)) - top)])
    return np.exp((log_weight - log_weight.max()).astype(float))


def _convolved(weight: np.ndarray, pieces: np.ndarray, cells: int) -> np.ndarray:
    """Σ_k weight[i − k] pieces[k], for the first cells."""
    result = np.zeros((cells, *pieces.shape[1:]))
    for k in range(min(len(pieces), cells)):
        length = min(len(weight), cells - k)
        result[k : k + length] += np.multiply.outer(weight[:length], pieces[k])
    return result


def _lattice(top: float, count: int, most: int, cells: int, shrink: float) -> tuple[np.ndarray, np.ndarray]:
    """Σ_j≤most C(count, j) A^{most−j} B^j: atoms, and Bernstein coefficients of degree most − 1 of the first cells.

    The factor e^{−ε₀i} of cell i is included, e^{−ε₀v} within it is not.
    """
    atoms = np.zeros(cells)
    atoms[0] = 1.0
    density = np.zeros((cells, most))
    spline = np.zeros((cells, most))
    for k in range(1, most + 1):
        # Of degree k − 1: the first k coefficients.
        if k == 1:
            spline[0, 0] = count * top
        else:
            spline = _integrated_over_one(spline, k - 1, shrink) * (top * (count - k + 1) / k)
            density = _raised(density, k - 1)
        density[1:] += shrink * density[:-1]
        density += spline
        atoms[1:] += shrink * atoms[:-1]
    return atoms, density


def _integrated_over_one(pieces: np.ndarray, length: float, shrink: float) -> np.ndarray:
    """∫_{x−1}^x of polynomials with `length` coefficients, which get one more."""
    heads = np.zeros_like(pieces)
    heads[:, 1 : length + 1] = np.cumsum(pieces[:, :length], axis=1)
    tails = np.zeros_like(pieces)
    tails[:, :length] = np.cumsum(pieces[:, length - 1 :: -1] if length else pieces, axis=1)[:, ::-1]
    heads[1:] += shrink * tails[:-1]
    return heads / length


def _raised(pieces: np.ndarray, length: int) -> np.ndarray:
    """The same polynomials, written with one coefficient more."""
    share = np.arange(1, length) / length
    raised = np.zeros_like(pieces)
    raised[:, 0] = pieces[:, 0]
    raised[:, length] = pieces[:, length - 1]
    raised[:, 1:length] = share * pieces[:, : length - 1] + (1 - share) * pieces[:, 1:length]
    return raised


def _profiles(top: float, atoms: np.ndarray, density: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Coefficients of ∫₀^v 2 sinh(ε₀(v−w)) b(w) dw on each cell, and δ and S at the starts of cells."""
    cells, length = density.shape
    terms = 1
    while 2 * terms * math.log(top) - math.lgamma(2 * terms + 2) > -40.0 if top > 0 else False:
        terms += 1
    # Σ_k 2 ε₀^{2k+1} times the (2k+2)-fold integral, by Horner's rule: degrees are raised only once a step.
    base, total = density, _integral(_integral(density))
    for _ in range(terms - 1):
        for _ in range(2):
            base = _raised(np.pad(base, ((0, 0), (0, 1))), base.shape[1])
        total = _integral(_integral(base + top**2 * total))
    total *= 2 * top
    # ∫ e^{−2ε₀(1−v)} b(v) dv over a cell, by Gauss's rule.
    panels = math.ceil(top / 8.0)
    nodes, weights = gauss((length + 45) // 16 * 8)
    v = ((np.arange(panels)[:, None] + (nodes + 1) / 2) / panels).ravel()
    w = np.tile(weights / 2 / panels, panels) * np.exp(-top * (1 - v)) * math.exp(-top)
    moments = density @ (_bernstein(length - 1, v).T @ w)
    ends = total[:, -1] * math.exp(-top)
    delta, tail = np.empty(cells), np.empty(cells)
    d, s, fall, rise = 0.0, 0.0, math.exp(-2 * top), -math.expm1(-2 * top)
    for i, (atom, end, moment) in enumerate(zip(atoms.tolist(), ends.tolist(), moments.tolist(), strict=True)):
        s += atom
        delta[i], tail[i] = d, s
        d += s * rise + end
        s = s * fall + moment
    return total, delta, tail


def _integral(pieces: np.ndarray) -> np.ndarray:
    """∫₀^v of polynomials in Bernstein's basis."""
    length = pieces.shape[1]
    result = np.zeros((pieces.shape[0], length + 1))
    np.cumsum(pieces, axis=1, out=result[:, 1:])
    return result / length


def _bernstein(degree: int, v: np.ndarray) -> np.ndarray:
    """C(d, k) v^k (1−v)^{d−k}, one row for each v."""
    k = np.arange(degree + 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        log_v, log_w = np.log(v)[:, None], np.log1p(-v)[:, None]
        exponent = (
            _log_binomials(degree) + np.where(k > 0, k * log_v, 0.0) + np.where(k < degree, (degree - k) * log_w, 0.0)
        )
    return np.exp(exponent)


@lru_cache(maxsize=256)
def _log_binomials(degree: int) -> np.ndarray:
    half = [0.0]
    choose = 1
    for k in range(1, degree // 2 + 1):
        choose = choose * (degree - k + 1) // k
        half.append(math.log(choose))
    return np.array(half + half[: (degree + 1) // 2][::-1])


def _first_cell(count: int, y: np.ndarray) -> np.ndarray:
    """Pr[Binomial(n−1, ½) < Poisson(y/2)], as a sum of positive terms."""
    mean = y / 2
    most = int(min(count, 2e4) + 1)
    k = np.arange(1, most + 1)
    below = bdtr(np.minimum(k - 1, count - 1), count - 1, 0.5) if count > 1 else np.ones(most)
    with np.errstate(divide="ignore"):
        log_below = np.log(below)
    exponent = np.multiply.outer(np.log(mean), k) - mean[:, None] - gammaln(k + 1) + log_below
    total = np.exp(exponent).sum(axis=1)
    # A Poisson variable ≥ n exceeds the binomial with certainty.
    return np.minimum(total + pdtrc(most, mean), 1.0)
