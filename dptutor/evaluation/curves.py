"""The composition of any two mechanisms: profiles are polynomials, integrated over each other.

Infinite losses are left out: δ is that of finite losses, whose masses are m under Q and m⁻ under P. With losses X and
Y, δ⁻ the profile of the reverse pair, and G(y) = Pr_Q[∞ > Y > y] = δ_Y(y) − δ_Y′(y), by parts,

    δ_XY(ε) = E_Q[δ_X(ε − Y)] = ∫ −δ_X′(ε − y) G_Y(y) dy.

The integrand is positive. To the left of 0, δ(−v) = m − m⁻ e^{−v} + e^{−v} δ⁻(v).

*Errors.* Let polynomials D_X and D_Y approximate δ_X and δ_Y with errors η_X and η_Y. The integral then has the error

    E_Q[η_X(ε − Y)] + ∫ η_Y(ε − x) (D_X″ − D_X′)(x) dx,

as D_X″ − D_X′ approximates the density of X under Q. This is at most sup |η_X| + sup |η_Y| ∫ |D_X″ − D_X′|, including
jumps of D_X′; the integral is bounded by the inequality of Cauchy and Schwarz. Jumps of D_X and D_Y where polynomials
meet add their heights. On a panel of length 2h where both are polynomials, or e^x times polynomials, Gauss's rule with
n points errs by at most 64/15 h M ρ^{−2n}/(1 − ρ^{−2}), where M bounds the integrand on the Bernstein ellipse with ρ as
the sum of its half-axes (Trefethen 2008, theorem 4.5). The error of polynomials between their points is estimated, as
in `profile_table`: at further points, and wherever either profile bends.

*One of several.* If an example takes part in one of two groups of mechanisms, of sizes in the proportion of w and w̄,
the likelihood ratio is w R + w̄ R̄ under P × P̄. With α = Pr_P[L > ·] as a function of the loss,

    δ(ε) = w δ_X(ε − log w) + w̄ δ_Y(ε − log w̄) + e^ε ∫₀¹ α_X(ε + log((1 − u)/w)) α_Y(ε + log(u/w̄)) du,
    δ⁻(ε) = ∫₀¹ (1 − α_X)(−ε + log((1 − u)/w)) (1 − α_Y)(−ε + log(u/w̄)) du,

by parts again, from E_P[(A + B − κ)₊] = E[(A − κ)₊] + E[(B − κ)₊] + ∫₀^κ Pr[A > κ − x] Pr[B > x] dx. The errors of
these expectations are bounded as above, with P in place of Q and the weights w and w̄. δ⁻ is such an expectation times
e^ε; its error is also bounded without the factor and the weights.

Source: Trefethen (2008), Is Gauss quadrature better than Clenshaw-Curtis?
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from typing import Any

import numpy as np

from .._floats import LARGEST_LOSS, LAST_PLACE
from .finite_law import FiniteLaw
from .polynomials import chebyshev, gauss, lebesgue, sums
from .profile_table import Answer
from .squaring import by_squaring

# Degree of the polynomials.
_DEGREE = 15
# Interpolation error that is always allowed, relative to values and besides _END; largest number of pieces, and the
# length of the shortest one, relative to the range.
_ALLOWED, _MOST_PIECES, _SHORTEST = 4e-16, 400, 2.0**-44
_LEBESGUE = lebesgue(_DEGREE + 1)
# Safety factor for the error of interpolation, as estimated.
_OF_MEASURED = 4.0
# Interpolation error that is allowed as a share of the inherited error.
_OF_INHERITED = 1.0 / 64
# After so many halvings without progress, up to _NOISE times the allowed error counts as noise.
_STUCK, _NOISE = 3, 30.0
# Losses below −_FURTHEST have a mass of at most e^−_FURTHEST under Q, which counts as an error: half of it leaves 1e-8.
# The widest piece to the left of 0. Integrals over a panel that are smaller than _NOTHING are left out.
_FURTHEST, _WIDEST, _NOTHING = 42.0, 2.0, 1e-20
# Gauss's rule: nodes on [−1, 1], weights, their number, and ρ of the ellipse for its error. With ρ = 2 the bound on
# that would be 1e-8.
_NODES, _WEIGHTS = gauss(16)
_COUNT, _RHO = 16, 4.0
# By how much the longer half-axis of the ellipse exceeds half a panel, in units of that.
_LONGER = (_RHO + 1 / _RHO) / 2 - 1
# Ends of panels for the logarithm of a share, so that none is long.
_CUTS = -np.append(np.arange(1.0, 4.0, 0.5), np.arange(4.0, 500.0, 2.0))
# A closed form ends at the first of these ε at which δ is at most _END. It is checked at these distances from its ends
# and kinks, relative to its range.
_END, _PLACES_OF_ENDS, _BENDS = 1e-17, np.geomspace(1e-12, 1e9, 2600), 2.0 ** -np.arange(1.0, 44.0)
# A profile for one of several ends at the first of these shares of the largest loss at which it is at most _ZERO.
_ZERO, _SHARES = 1e-16, np.append(np.geomspace(1e-4, 0.97, 100), 1.0)
# A profile is faint where its relative error is larger than _FAINT. Number of places for first guesses of ε.
_FAINT, _PLACES_OF_NEAR = 1e-4, 1000
# Number of nodes at which polynomials are evaluated at once, to limit memory.
_AT_ONCE = 2**19
# Powers with more copies than _FEW_COPIES are formed only while there are at most _FEW_BORDERS borders: the time for a
# product is proportional to the square of their number.
_FEW_COPIES, _FEW_BORDERS = 64, 100
# Kinks closer to each other than this, relative to the largest, are one.
_SAME = 1e-13
# Interpolation across places where polynomials meet may add this share of their error to a mixture.
_OF_ERROR = 1.0 / 16
# Largest numbers of kinks of a profile and of atoms of a mixture; atoms that together have less mass than _NO_MASS are
# left out.
MOST_KINKS, _MOST_ATOMS, _NO_MASS = 300, 2**18, 1e-15
# Atoms are sorted into at most _MOST_CELLS cells, with at least _ATOMS_OF_CELL in each on average. A mixture may take
# _PIECES_TIMES_ATOMS divided by its atoms, or _FEW_PIECES, polynomials between kinks.
_MOST_CELLS, _ATOMS_OF_CELL, _FEW_PIECES, _PIECES_TIMES_ATOMS = 512, 128, 64, 2**20


class TooRough(ValueError):
    """A profile that takes too many polynomials."""


@dataclass(frozen=True, eq=False)
class Curve:
    """The profile of one direction at ε ≥ 0: polynomials on pieces, 0 beyond them, and a bound on the error."""

    borders: np.ndarray
    coefficients: np.ndarray  # of Chebyshev polynomials, one row for each piece
    error: float

    @property
    def end(self) -> float:
        """From here on the polynomials are 0."""
        return float(self.borders[-1])

    @cached_property
    def slopes(self) -> np.ndarray:
        """The derivatives of the polynomials."""
        return _derivatives(self.coefficients, np.diff(self.borders))

    @cached_property
    def masses(self) -> np.ndarray:
        """D″ − D′ of each piece."""
        return _derivatives(self.slopes, np.diff(self.borders)) - self.slopes

    def values(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """D and D′ at an array of ε ≥ 0."""
        inside = epsilon < self.end
        value, slope = np.zeros((2, *epsilon.shape))
        at = epsilon[inside]
        place = np.clip(np.searchsorted(self.borders, at, side="right") - 1, 0, len(self.coefficients) - 1)
        low, high = self.borders[place], self.borders[place + 1]
        x = (2 * (at - low) / (high - low) - 1)[:, None]
        value[inside] = sums(self.coefficients[place], x)[:, 0]
        slope[inside] = sums(self.slopes[place], x)[:, 0]
        return value, slope


def curve(
    profile: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]],
    edges: np.ndarray,
    checks: np.ndarray,
    inherited: float = 0.0,
    most_pieces: int = _MOST_PIECES,
) -> Curve:
    """Polynomials for a profile that is smooth between `edges`, on pieces that are halved until all values fit.

    Parameters
    ----------
    profile : callable
        ε ≥ 0 ↦ δ and a bound on its rounding error.
    edges : ndarray
        From 0 to an ε beyond which δ may count as 0.
    checks : ndarray
        Further ε at which the polynomials must fit.
    inherited : float
        All other errors of `profile`.
    most_pieces : int

    Raises
    ------
    TooRough
        If more pieces would be needed.
    """
    checks = np.unique(checks[(checks > 0) & (checks < edges[-1])])
    known = profile(checks)[0] if checks.size else checks
    low, high = edges[:-1], edges[1:]
    before, stuck = np.full(low.shape, np.inf), np.zeros(low.shape, dtype=int)
    done: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    error, count = 0.0, 0
    while low.size:
        places = (low + high)[:, None] / 2 + (high - low)[:, None] / 2 * _PLACES
        values, errors = (each.reshape(places.shape) for each in profile(places.ravel()))
        own = values[:, : _DEGREE + 1] @ _TO_COEFFICIENTS
        missed = np.abs(own @ _AT_OTHERS - values[:, _DEGREE + 1 :]).max(axis=1)
        missed = np.maximum(missed, np.abs(own[:, -2:]).max(axis=1))
        order = np.argsort(low)
        piece = order[np.clip(np.searchsorted(low[order], checks, side="right") - 1, 0, None)]
        inside = (checks >= low[piece]) & (checks <= high[piece])
        piece, at = piece[inside], checks[inside]
        x = np.clip(2 * (at - low[piece]) / (high - low)[piece] - 1, -1.0, 1.0)
        np.maximum.at(missed, piece, np.abs(sums(own[piece], x[:, None])[:, 0] - known[inside]))
        noise = errors.max(axis=1)
        stuck = np.where(missed < before / 2, 0, stuck + 1)
        wanted = _END + _ALLOWED * np.abs(own[:, 0]) + noise / 2 + _OF_INHERITED * inherited
        fine = (
            (missed <= wanted)
            | ((stuck >= _STUCK) & (missed <= _NOISE * wanted))
            | (high - low <= _SHORTEST * edges[-1])
        )
        error = max(error, float(np.max(_LEBESGUE * noise + _OF_MEASURED * missed, where=fine, initial=0.0)))
        done.append((low[fine], high[fine], own[fine]))
        count += int(fine.sum())
        low, high, before, stuck = (each[~fine] for each in (low, high, missed, stuck))
        middle = (low + high) / 2
        low, high = np.append(low, middle), np.append(middle, high)
        before, stuck = np.tile(before, 2), np.tile(stuck, 2)
        if count + low.size > most_pieces:
            raise TooRough(f"more than {most_pieces} polynomials")
    starts, _, coefficients = (np.concatenate(column) for column in zip(*done, strict=True))
    order = np.argsort(starts)
    return Curve(np.append(starts[order], edges[-1]), coefficients[order], error + inherited + LAST_PLACE)


class Curves:
    """Both directions of a mechanism, without its infinite losses.

    Parameters
    ----------
    forward, backward : Curve
    kinks : ndarray
        Losses at which the profile may have a kink, or a sharp bend because many losses are close to them.
    smooth : bool
        Whether it has no kinks, because some part has none.
    under_p : float, optional
        Bound on the error of E_P[(R − κ)₊] and E_P[(κ − R)₊], R the likelihood ratio: of δ at ε = log κ ≥ 0, and of
        e^−ε times that of the reverse pair. By default the larger error of both.
    masses : tuple of float
        Pr_Q and Pr_P of finite losses.
    """

    def __init__(
        self,
        forward: Curve,
        backward: Curve,
        kinks: np.ndarray,
        smooth: bool = False,
        under_p: float | None = None,
        masses: tuple[float, float] = (1.0, 1.0),
    ) -> None:
        self.forward, self.backward, self.kinks, self.smooth, self.masses = forward, backward, kinks, smooth, masses
        self.under_p = self.error if under_p is None else under_p

    @cached_property
    def reverse(self) -> Curves:
        """Both directions exchanged."""
        other = Curves(self.backward, self.forward, -self.kinks[::-1], self.smooth, self.under_p, self.masses[::-1])
        other.__dict__["reverse"] = self
        return other

    @cached_property
    def error(self) -> float:
        """The larger of both errors."""
        return max(self.forward.error, self.backward.error)

    @cached_property
    def borders(self) -> np.ndarray:
        """The losses, of both signs, at which pieces meet."""
        return np.unique(np.concatenate([-self.backward.borders, self.forward.borders]))

    @cached_property
    def line(self) -> _Line:
        """The profile and its slope at losses of both signs."""
        return _Line(self.forward, self.backward, *self.masses)

    def times(self, other: Curves) -> Curves:
        """The curves of the composition with another mechanism."""
        if np.abs(other.borders).max() > np.abs(self.borders).max():
            # The rounding of large losses matters less to slopes than to tails.
            return other.times(self)
        kinks = _kinks(self.kinks, other.kinks)
        # The composition bends where one part does, shifted by losses that are frequent in the other.
        checks = np.concatenate([np.add.outer(a.borders, b._dense).ravel() for a, b in ((self, other), (other, self))])
        same = self.forward is self.backward and other.forward is other.backward
        forward = _product(self, other, kinks, checks)
        backward = forward if same else _product(self.reverse, other.reverse, -kinks, -checks)
        under_q, under_p = (own * its for own, its in zip(self.masses, other.masses, strict=True))
        return Curves(forward, backward, kinks, self.smooth or other.smooth, masses=(under_q, under_p))

    def beside(self, law: FiniteLaw, off: float) -> Curves:
        """The curves of the composition with a law of atoms, whose profile has the error `off`."""
        finite = np.isfinite(law.loss)
        matters = finite & (np.maximum(law.p, law.q) > _NO_MASS / law.loss.size)
        if matters.sum() > _MOST_ATOMS:
            raise TooRough(f"more than {_MOST_ATOMS} atoms")
        kinks = np.zeros(1)
        if not self.smooth:
            kinks = _kinks(self.kinks, law.loss[matters])
        sides = []
        for own, sign, q in ((self, 1, law.q), (self.reverse, -1, law.p)):
            losses = sign * law.loss[matters]
            error = own.error + float(q[finite & ~matters].sum()) + law.relative_error + law.location_error + off
            checks = np.add.outer(own.borders, [0.0, losses.min(), losses.max()]).ravel()
            sides.append(_mixed(own, losses, q[matters], sign * kinks, checks, error))
        under_q, under_p = (
            mass * float(side[finite].sum()) for mass, side in zip(self.masses, (law.q, law.p), strict=True)
        )
        return Curves(sides[0], sides[1], kinks, self.smooth, masses=(under_q, under_p))

    def delta(self, epsilon: np.ndarray) -> np.ndarray:
        """D of finite losses at ε of either sign."""
        found, left = np.empty(epsilon.shape), epsilon < 0
        found[~left] = self.forward.values(epsilon[~left])[0]
        x, (mass, its_mass) = epsilon[left], self.masses
        found[left] = mass - its_mass - its_mass * np.expm1(x) + np.exp(x) * self.backward.values(-x)[0]
        return found

    def power(self, count: int) -> Curves:
        """The curves of the composition of `count` such mechanisms, by squaring."""

        def both(first: Curves, second: Curves) -> Curves:
            if count > _FEW_COPIES and first.line.borders.size > _FEW_BORDERS:
                raise TooRough(f"more than {_FEW_BORDERS} polynomials in a large power")
            return first.times(second)

        return by_squaring(self, count, both)

    def one_of(self, count: int) -> Curves:
        """The curves of `count` such mechanisms if an example takes part in one of them, at random and in secret."""
        return by_squaring((self, 1), count, _one_of)[0]

    @cached_property
    def _dense(self) -> np.ndarray:
        """Losses that may be frequent: 0, the kinks and the start of the narrowest piece."""
        return np.append(self.kinks, [0.0, self.borders[np.argmin(np.diff(self.borders))]])


def _kinks(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """All sums of two kinks; sums that are equal up to rounding count once.

    Raises
    ------
    TooRough
        If they are too many.
    """
    sums = np.unique(np.add.outer(first, second))
    sums = sums[np.append(True, np.diff(sums) > _SAME * np.abs(sums).max())]
    if sums.size > MOST_KINKS:
        raise TooRough(f"more than {MOST_KINKS} kinks")
    return sums


def curves_of(pair: Any) -> Curves:
    """The profiles of both directions of a mechanism that has them in closed form."""
    infinite = [float(side._delta(np.asarray(math.inf))) for side in (pair, pair.reverse)]
    forward = _curve_of(pair, infinite[0])
    backward = forward if pair.is_symmetric else _curve_of(pair.reverse, infinite[1])
    kinks = pair._breakpoints()
    masses = 1.0 - infinite[0], 1.0 - infinite[1]
    return Curves(forward, backward, np.unique(np.append(kinks, 0.0)), smooth=not kinks.size, masses=masses)


def _curve_of(pair: Any, infinite: float) -> Curve:
    nothing = _PLACES_OF_ENDS[pair._delta(_PLACES_OF_ENDS) - infinite <= _END]
    largest = max(pair._largest_finite_loss(), _PLACES_OF_ENDS[0])
    end = float(np.append(nothing, largest).min())
    if not math.isfinite(end):
        raise TooRough("losses are too far apart")
    kinks = pair._breakpoints()
    edges = np.unique(np.concatenate([[0.0, end], kinks[(kinks > 0) & (kinks < end)]]))
    bends = [edge + side * end * _BENDS for edge in edges for side in (-1.0, 1.0)]

    def profile(epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return pair._delta(epsilon) - infinite, np.minimum(pair._delta_error(epsilon), pair.error_bound)

    return curve(profile, edges, np.concatenate([np.linspace(0.0, end, 200), *bends]))


class _Cells:
    """Σ q D(ε − l) over many atoms l, sorted into cells: where D does not bend, 16 points replace the atoms of a cell.

    Interpolation at 16 points is exact for polynomials of degree 15. Its error for another function is at most 1 + Λ
    times the distance to such a polynomial (Λ: Lebesgue's constant): where two polynomials meet within a cell, at most
    their difference there. To the left of 0, D is 1 − e^x + e^x D⁻ at x = ε − l; beyond the polynomials, 1 − e^x or 0.
    """

    def __init__(self, own: Curves, losses: np.ndarray, q: np.ndarray) -> None:
        self._own = own
        order = np.argsort(losses)
        self._losses, self._q = losses[order], q[order]
        low, high = float(losses.min()), float(losses.max())
        count = max(min(losses.size // _ATOMS_OF_CELL, _MOST_CELLS), 1)
        width = max((high - low) / count, 1e-300)
        self._ends = np.append(low + width * np.arange(count), high)
        self._first = np.append(np.searchsorted(self._losses, self._ends[:-1]), losses.size)
        cell = np.clip(np.searchsorted(self._ends, self._losses, side="right") - 1, 0, count - 1)
        x = np.clip(2 * (self._losses - self._ends[cell]) / width - 1, -1.0, 1.0)
        shares = np.cos(np.outer(np.arccos(x), np.arange(_DEGREE + 1))) @ _TO_COEFFICIENTS.T
        self._nodes = self._ends[:-1, None] + width / 2 * (1 + _POINTS)
        # Weights for q, and for q e^−l with l measured from the start of the cell.
        tilted = self._q * np.exp(self._ends[cell] - self._losses)
        self._weights = np.zeros((2, count, _DEGREE + 1))
        for weight, mass in zip(self._weights, (self._q, tilted), strict=True):
            np.add.at(weight, cell, shares * mass[:, None])
        # Sums of q, and of q e^−l, over all atoms from the start of a cell on.
        self._masses = np.zeros((2, count + 1))
        self._masses[:, :-1] = [np.bincount(cell, each, count) for each in (self._q, tilted)]
        for place in range(count - 1, -1, -1):
            self._masses[:, place] += self._masses[:, place + 1] * (1.0, math.exp(-width))
        ahead, behind = (_bends(each, width) for each in (own.forward, own.backward))
        bends = np.concatenate([behind[::-1], [np.inf], ahead])
        bends[[0, -1]] = np.inf
        smooth = bends <= _OF_ERROR * own.error / bends.size
        self._borders, self.missed = own.borders[~smooth], (1.0 + _LEBESGUE) * float(bends[smooth].sum())

    def sums(self, epsilon: np.ndarray) -> np.ndarray:
        """The sum at each ε."""
        value = np.empty(epsilon.shape)
        few = max(1, _AT_ONCE // (self._nodes.size + 16 * math.isqrt(self._losses.size)))
        for start in range(0, epsilon.size, few):
            value[start : start + few] = self._sums(epsilon[start : start + few])
        return value

    def _sums(self, epsilon: np.ndarray) -> np.ndarray:
        near, far = (
            np.searchsorted(self._borders, epsilon[:, None] - ends, side="right")
            for ends in (self._ends[1:], self._ends[:-1])
        )
        mass, its_mass = self._own.masses
        # In the cells from `beyond` on, ε − l is to the left of all polynomials: D is 1 − e^x.
        beyond = np.count_nonzero(far, axis=1)
        start = np.append(self._ends[:-1], np.inf)[beyond]
        total = (
            mass * self._masses[0, beyond]
            - its_mass * np.exp(np.minimum(epsilon - start, 0.0)) * self._masses[1, beyond]
        )
        row, cell = np.nonzero((near == far) & (far > 0) & (far < self._borders.size))
        x = epsilon[row, None] - self._nodes[cell]
        left = x[:, 0] < 0
        found = np.empty(row.shape)
        values = self._own.forward.values(x[~left])[0]
        found[~left] = (values * self._weights[0, cell[~left]]).sum(axis=1)
        values = self._own.backward.values(-x[left])[0]
        own, others = self._weights[:, cell[left]]
        shrink = np.exp(epsilon[row[left]] - self._ends[cell[left]])
        found[left] = mass * own.sum(axis=1) + shrink * ((values - its_mass) * others).sum(axis=1)
        total += np.bincount(row, found, epsilon.size)
        # Where D bends within a cell, its atoms are summed one by one.
        row, cell = np.nonzero(near != far)
        counts = (self._first[1:] - self._first[:-1])[cell]
        begin = np.cumsum(counts) - counts
        atoms = np.arange(counts.sum()) + np.repeat(self._first[:-1][cell] - begin, counts)
        row = np.repeat(row, counts)
        alone = self._own.delta(epsilon[row] - self._losses[atoms]) * self._q[atoms]
        return total + np.bincount(row, alone, epsilon.size)


def _mixed(own: Curves, losses: np.ndarray, q: np.ndarray, kinks: np.ndarray, checks: np.ndarray, off: float) -> Curve:
    """One direction of a mixture over atoms l: Σ q δ(ε − l)."""
    end = own.forward.end + float(losses.max())
    if end <= 0.0:
        return Curve(np.array([0.0, 1e-300]), np.zeros((1, _DEGREE + 1)), off)
    cells = _Cells(own, losses, q)
    off += cells.missed
    # Of sums, of weights, and of losses, as no profile is steeper than 1.
    rounding = LAST_PLACE * (64.0 + math.sqrt(losses.size) * 2 + 8.0 * (1.0 + np.abs(losses).max() + end))
    edges = np.unique(np.append(kinks[(kinks > 0) & (kinks < end)], [0.0, end]))

    def profile(epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return cells.sums(epsilon), np.full(epsilon.shape, rounding)

    pieces = min(max(_PIECES_TIMES_ATOMS // losses.size, _FEW_PIECES) + edges.size, _MOST_PIECES)
    return curve(profile, edges, checks, off, pieces)


def _product(first: Curves, second: Curves, kinks: np.ndarray, checks: np.ndarray) -> Curve:
    """One direction of two mechanisms together."""
    end = first.forward.end + second.forward.end
    edges = np.unique(np.concatenate([[0.0, end], kinks[(kinks > 0) & (kinks < end)]]))
    edges = edges[np.append(True, np.diff(edges) > _SAME * end)]
    edges[-1] = end
    return curve(partial(_values, first, second), edges, checks, inherited=_inherited(first, second))


def _inherited(first: Curves, second: Curves) -> float:
    """The error of a product that comes from the errors of both profiles."""
    x, y = first.line, second.line
    steps = x.steps + y.steps * x.steepest
    return float(first.error + second.error * x.variation + steps + 2 * math.exp(-_FURTHEST))


def _values(first: Curves, second: Curves, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """δ of a product, and a bound on what is rounded or left out."""
    x, y = first.line, second.line
    value, error = np.empty((2, *epsilon.shape))
    few = max(1, _AT_ONCE // (_COUNT * (len(x.borders) + len(y.borders))))
    for start in range(0, epsilon.size, few):
        part = slice(start, start + few)
        value[part], error[part] = _integrals(x, y, epsilon[part])
    # Below `lowest` all finite losses are larger: that part of the integral is G δ_X(ε − lowest).
    below, slope = first.forward.values(epsilon - y.lowest)
    value += second.masses[0] * below
    of_slopes = (x.rounding + x.moved_slope) * y.largest
    of_tails = y.rounding * (1.0 + x.length_of_slopes) + y.moved_tail * x.steepest
    return value, error + of_slopes + of_tails + 4 * LAST_PLACE * np.abs(slope) * (epsilon - y.lowest)


def _integrals(x: _Line, y: _Line, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """∫ −D_X′(ε − y) G_Y(y) dy where both have pieces, and a bound on the error of Gauss's rule and on what is left
    out."""
    count = len(epsilon)
    borders = np.concatenate(
        [epsilon[:, None] - x.borders[::-1], np.broadcast_to(y.borders, (count, len(y.borders)))], axis=1
    )
    low = np.maximum(epsilon - x.borders[-1], y.lowest)[:, None]
    high = np.maximum(np.minimum(epsilon - x.borders[0], y.borders[-1])[:, None], low)
    borders = np.sort(np.clip(borders, low, high), axis=1)
    length = np.diff(borders, axis=1)
    middle = borders[:, :-1] + length / 2
    of_x = np.clip(np.searchsorted(x.borders, epsilon[:, None] - middle, side="right") - 1, 0, len(x.slopes) - 1)
    of_y = np.clip(np.searchsorted(y.borders, middle, side="right") - 1, 0, len(y.tails) - 1)
    most = x.most_slope[of_x] * y.most_tail[of_y] * length
    counts = most > _NOTHING
    row, column = np.nonzero(counts)
    of_x, of_y = of_x[row, column], of_y[row, column]
    start, half = borders[row, column], length[row, column] / 2
    place = start[:, None] + half[:, None] * (1.0 + _NODES)
    other = epsilon[row, None] - place
    value = x.slope(of_x, other) * y.tail(of_y, place)
    area = half * (value @ _WEIGHTS)
    missed = half * x.ellipse_slope[of_x] * y.ellipse_tail[of_y] * (64 / 15 * _RHO ** (-2 * _COUNT) / (1 - _RHO**-2))
    found = np.bincount(row, area, count)
    return found, np.bincount(row, missed, count) + np.where(counts, 0.0, most).sum(axis=1)


class _Line:
    """−D′ and G = D − D′ at losses of both signs: polynomials to the right of 0; to the left e^x A and m + e^y B, with
    m the mass of finite losses under Q."""

    def __init__(self, forward: Curve, backward: Curve, mass: float, its_mass: float) -> None:
        self._mass = mass
        # To the left of 0, pieces extend to −_FURTHEST, and none is wide.
        left = np.unique(np.minimum(backward.borders, _FURTHEST)).tolist()
        rows: list[np.ndarray] = []
        borders = [0.0]
        for number, (low, high) in enumerate(pairwise([*left, _FURTHEST])):
            cuts = np.linspace(low, high, math.ceil((high - low) / _WIDEST) + 1)
            for near, far in pairwise(cuts.tolist()):
                rest, slope = np.zeros((2, _DEGREE + 1))
                if number < len(left) - 1:
                    ends = backward.borders[number : number + 2]
                    rest -= _part(backward.coefficients[number], ends, near, far)
                    slope = _part(backward.slopes[number], ends, near, far)
                rest[0] += its_mass
                rows.append(np.array([rest + slope, slope]) * _FLIPPED)
                borders.append(-far)
        self.lowest = -left[-1]
        a, b = np.array(rows[::-1]).reshape(-1, 2, _DEGREE + 1).transpose(1, 0, 2)
        self.borders = np.concatenate([borders[::-1], forward.borders[1:]])
        self._tilted = np.arange(len(self.borders) - 1) < len(a)
        self.slopes = np.concatenate([a, -forward.slopes])
        self.tails = np.concatenate([b, forward.coefficients - forward.slopes])
        width = np.diff(self.borders)
        grown = np.where(self._tilted, np.exp(np.minimum(self.borders[1:], 0.0)), 1.0)
        beyond = np.exp(np.where(self._tilted, width / 2 * ((_RHO + 1 / _RHO) / 2 - 1), 0.0))
        order = np.arange(_DEGREE + 1)
        axes = (_RHO**order + _RHO**-order) / 2
        sizes = [np.abs(each) for each in (self.slopes, self.tails)]
        self.most_slope = sizes[0].sum(axis=1) * grown
        self.most_tail = sizes[1].sum(axis=1) * grown + self._tilted
        self.ellipse_slope = sizes[0] @ axes * grown * beyond
        self.ellipse_tail = sizes[1] @ axes * grown * beyond + self._tilted
        self.steepest, self.length_of_slopes = float(self.most_slope.max()), float(self.most_slope @ width)
        self.largest = float(self.most_tail.max())
        # Bounds on ∫ |D″ − D′| and ∫ |D″|, including jumps of D′, and on the same weighted with the rounding errors of
        # places; to the left |D″| is at most |D″ − D′| + |D′|.
        parts = [_variation(forward, forward.masses, 0.0), _variation(backward, backward.masses, -1.0)]
        bends = [_variation(forward, _derivatives(forward.slopes, np.diff(forward.borders)), 0.0), parts[1]]
        steep = (self.most_slope * width * -self.borders[:-1])[self._tilted].sum()
        # At 0, from the left, −D′ is its mass − D⁻ + D⁻′.
        starts = [each.coefficients[0] @ _FLIPPED for each in (forward, backward)]
        slopes = [each.slopes[0] @ _FLIPPED for each in (forward, backward)]
        self.variation = math.fsum(part.sum() for part, _ in parts) + abs(its_mass - starts[1] + slopes[1] + slopes[0])
        moved, bent = (math.fsum(part @ places for part, places in each) for each in (parts, bends))
        self.moved_tail, self.moved_slope = 4 * LAST_PLACE * moved, 4 * LAST_PLACE * (bent + float(steep))
        self.rounding = 32 * LAST_PLACE * max(self.length_of_slopes, self.largest)
        # The heights of all jumps of D.
        heights = [np.abs(_jumps(each.coefficients)).sum() for each in (forward, backward)]
        self.steps = math.fsum(heights) + abs(mass - its_mass + starts[1] - starts[0])

    def slope(self, piece: np.ndarray, x: np.ndarray) -> np.ndarray:
        """−D′ at rows of places within pieces."""
        value = self._at(self.slopes, piece, x)
        tilted = self._tilted[piece]
        value[tilted] *= np.exp(x[tilted])
        return value

    def tail(self, piece: np.ndarray, y: np.ndarray) -> np.ndarray:
        """G at rows of places within pieces."""
        value = self._at(self.tails, piece, y)
        tilted = self._tilted[piece]
        value[tilted] = self._mass + np.exp(y[tilted]) * value[tilted]
        return value

    def _at(self, coefficients: np.ndarray, piece: np.ndarray, x: np.ndarray) -> np.ndarray:
        low, high = self.borders[piece, None], self.borders[piece + 1, None]
        return sums(coefficients[piece], np.clip(2 * (x - low) / (high - low) - 1, -1.0, 1.0))


def _one_of(group: tuple[Curves, int], other: tuple[Curves, int]) -> tuple[Curves, int]:
    """The curves of two groups of mechanisms, with their sizes, if an example takes part in one mechanism of all."""
    (first, size), (second, its_size) = group, other
    x, y = _Alpha(first, size / (size + its_size)), _Alpha(second, its_size / (size + its_size))
    pairs, logs = (first, second), (math.log(x.share), math.log(y.share))
    checks = np.concatenate([np.append(one.borders, one.borders + log) for one, log in zip(pairs, logs, strict=True)])
    steps = x.share * x.steps + y.share * y.steps * x.largest
    under_p = x.share * first.under_p + y.share * second.under_p * x.variation + steps
    relative = first.error + second.error * x.variation + x.steps + y.steps * x.largest
    made, more = [], 0.0
    for sign in (1, -1):
        profile = partial(_values_of_one, x, y, sign)
        ends = [(pair.forward if sign > 0 else pair.backward).end for pair in pairs]
        places = _SHARES * max(ends)
        end = float(places[np.argmax(np.append(profile(places[:-1])[0], 0.0) <= _ZERO)])
        off = under_p if sign > 0 else min(relative, under_p * math.exp(min(end, LARGEST_LOSS)))
        made.append(curve(profile, np.array([0.0, end]), sign * checks, inherited=off))
        more = max(more, made[-1].error - off)
    whole = Curves(made[0], made[1], np.zeros(1), first.smooth or second.smooth, under_p + more)
    return whole, size + its_size


def _values_of_one(x: _Alpha, y: _Alpha, sign: int, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """δ of one of both, in one direction, and a bound on what is left out, or lost by rounding and the quadrature."""
    value, error = np.empty((2, *epsilon.shape))
    few = max(1, _AT_ONCE // (2 * _COUNT * (len(x.borders) + len(y.borders) + len(_CUTS))))
    for start in range(0, epsilon.size, few):
        at = epsilon[start : start + few]
        halves = _halves(x, y, sign, at), _halves(y, x, sign, at)
        value[start : start + few], error[start : start + few] = np.sum(halves, axis=0)
    if sign > 0:
        value += x.share * x.delta(epsilon - math.log(x.share)) + y.share * y.delta(epsilon - math.log(y.share))
    return value, error + x.rounding + y.rounding


def _halves(x: _Alpha, y: _Alpha, sign: int, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """e^ε ∫ α_X α_Y du, or ∫ (1 − α_X) (1 − α_Y) du, over u < ½ in the variable v = log u."""
    count = len(epsilon)
    loss = sign * epsilon[:, None]
    top, lowest = -math.log(2.0), -np.maximum(loss, 0.0) - _FURTHEST
    # The v at which pieces of X and of Y begin.
    with np.errstate(divide="ignore", over="ignore"):
        of_x = np.log1p(-np.exp(np.minimum(x.borders + math.log(x.share) - loss, 0.0)))
    of_y = y.borders + math.log(y.share) - loss
    borders = np.concatenate([of_x, of_y, np.broadcast_to(_CUTS, (count, len(_CUTS)))], axis=1)
    borders = np.sort(np.clip(borders, lowest, top), axis=1)
    half = np.diff(borders, axis=1) / 2
    middle = borders[:, :-1] + half
    places = loss + np.log1p(-np.exp(middle)) - math.log(x.share), loss + middle - math.log(y.share)
    pieces = [np.searchsorted(own.borders, place, side="right") for own, place in zip((x, y), places, strict=True)]
    most = np.exp(borders[:, 1:] + np.maximum(loss, 0.0)) * 2 * half
    for own, piece in zip((x, y), pieces, strict=True):
        most = most * (own.most if sign > 0 else own.most_below)[piece]
    counts = most > _NOTHING
    row, column = np.nonzero(counts)
    start, half = borders[row, column], half[row, column]
    v = start[:, None] + half[:, None] * (1.0 + _NODES)
    shift = loss[row]
    values, sizes = (
        np.exp(v + np.maximum(shift, 0.0)),
        np.exp(start + half * (2.0 + _LONGER) + np.maximum(shift[:, 0], 0.0)),
    )
    # On the ellipse log(1 − e^v) is at most this far from its values on the panel.
    largest = np.exp(start + half * (2.0 + _LONGER))
    apart = half * (_RHO - 1 / _RHO) / 2 * largest / (1.0 - largest)
    inner = shift + np.log1p(-np.exp(v)) - math.log(x.share), shift + v - math.log(y.share)
    for own, piece, place, off in zip((x, y), pieces, inner, (apart, half * (_RHO - 1 / _RHO) / 2), strict=True):
        value, size = own.at(piece[row, column], place, off, sign < 0)
        values, sizes = values * value, sizes * size
    area = half * (values @ _WEIGHTS)
    missed = half * sizes * (64 / 15 * _RHO ** (-2 * _COUNT) / (1 - _RHO**-2))
    left = np.where(counts, 0.0, most).sum(axis=1) + math.exp(-_FURTHEST)
    return np.bincount(row, area, count), np.bincount(row, missed, count) + left


class _Alpha:
    """α = Pr_P[L > ε] at losses of both signs: 1 − D⁻ + D⁻′ to the left of 0, and −e^{−ε} D′ to the right."""

    def __init__(self, curves: Curves, share: float) -> None:
        forward, backward = curves.forward, curves.backward
        self.share, self._curves = share, curves
        self.borders = np.concatenate([-backward.borders[::-1], forward.borders[1:]])
        left = backward.slopes - backward.coefficients
        left[:, 0] += 1.0
        one, none = np.eye(1, _DEGREE + 1), np.zeros((1, _DEGREE + 1))
        # Below the first border α is 1, beyond the last one 0.
        self._rows = np.concatenate([one, (left * _FLIPPED)[::-1], -forward.slopes, none])
        ends = np.concatenate([[self.borders[0] - 1.0], self.borders, [self.borders[-1] + 1.0]])
        self._low, self._width, self._tilted = ends[:-1], np.diff(ends), ends[:-1] >= 0.0
        shrink = np.exp(-np.maximum(ends[:-1], 0.0))
        self.most = np.abs(self._rows).sum(axis=1) * shrink
        below = np.abs(self._rows[:, 0] - 1.0) + np.abs(self._rows[:, 1:]).sum(axis=1)
        self.most_below = np.where(self._tilted, 1.0 + self.most, below)
        self.largest = float(self.most.max())
        line = curves.reverse.line
        self.variation, self.steps = line.variation, curves.line.steps + line.steps
        self.rounding = sum(its.rounding + its.moved_tail for its in (line, curves.line))

    def delta(self, epsilon: np.ndarray) -> np.ndarray:
        """δ at ε ≥ 0."""
        return self._curves.forward.values(epsilon)[0]

    def at(self, piece: np.ndarray, loss: np.ndarray, apart: np.ndarray, below: bool) -> tuple[np.ndarray, np.ndarray]:
        """α, or 1 − α, at rows of losses within pieces; a bound on it at complex losses up to `apart` from these."""
        low, width, rows = self._low[piece], self._width[piece], self._rows[piece]
        value = sums(rows, np.clip(2 * (loss - low[:, None]) / width[:, None] - 1, -1.0, 1.0))
        # The ellipse with this sum of half-axes contains all points that are at most this far from the piece.
        further = 2 * apart / width
        rho = 1.0 + further + np.sqrt(further * (further + 2.0))
        powers = np.exp(np.minimum(np.outer(np.log(rho), np.arange(_DEGREE + 1)), LARGEST_LOSS))
        size = (np.abs(rows) * powers).sum(axis=1)
        tilted = self._tilted[piece]
        value[tilted] *= np.exp(-loss[tilted])
        size[tilted] *= np.exp(apart[tilted] - loss[tilted].min(axis=1, initial=np.inf))
        return (1.0 - value, 1.0 + size) if below else (value, size)


class CurveTable:
    """One direction as a table, for `TabulatedFaces`."""

    off, crosses = 0.0, False

    def __init__(self, own: Curve, mass: float = 1.0) -> None:
        self._curve, self.mass = own, mass

    @property
    def end(self) -> float:
        """From here on δ is 0."""
        return self._curve.end

    def at(self, epsilon: np.ndarray) -> Answer:
        """The profile at a one-dimensional array of ε ≥ 0."""
        value, slope = self._curve.values(epsilon)
        delta = np.clip(value, 0.0, self.mass)
        return Answer(delta, self.mass - delta, np.maximum(-slope, 0.0), np.full(epsilon.shape, self._curve.error))

    def quickly(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """δ and a bound on its error."""
        answer = self.at(epsilon)
        return answer.delta, answer.error

    def most(self, epsilon: np.ndarray) -> np.ndarray:
        """An upper bound on δ."""
        return np.sum(self.quickly(epsilon), axis=0)

    def beyond(self, delta: float) -> float:
        """An ε beyond which δ(ε) is smaller than `delta`, up to its error."""
        above = np.flatnonzero(self._curve.values(self._curve.borders[:-1])[0] > delta)
        return float(self._curve.borders[above[-1] + 1]) if above.size else 0.0

    def ends(self, low: float, high: float) -> np.ndarray:
        """Ends of the pieces from `low` to `high`."""
        borders = self._curve.borders
        return borders[(borders >= low) & (borders <= high)]

    def nodes(self, low: float, high: float) -> np.ndarray:
        """Losses between which the profile is smooth: the ends and quarters of all pieces from `low` to `high`."""
        borders = self._curve.borders
        places = borders[:-1, None] + np.diff(borders)[:, None] * np.linspace(0.0, 0.75, 4)
        places = np.append(places.ravel(), min(self.end, high))
        return np.unique(places[(places >= low) & (places <= high)])


class TailedTable(CurveTable):
    """One direction as a table. Where the curve's error is large relative to δ, another law may know δ better.

    Parameters
    ----------
    own : Curve
    tail : callable
        ε ↦ δ, −δ′ and a bound on the error of δ. It is asked only where δ is that faint.
    """

    end = math.inf

    def __init__(self, own: Curve, tail: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray]]) -> None:
        super().__init__(own)
        self._tail = tail

    def at(self, epsilon: np.ndarray) -> Answer:
        """The profile at a one-dimensional array of ε ≥ 0."""
        answer = super().at(epsilon)
        faint = np.flatnonzero((answer.error > _FAINT * answer.delta) & np.isfinite(epsilon))
        if faint.size:
            delta, slope, error = self._tail(epsilon[faint])
            better = error < answer.error[faint]
            for mine, its in (
                (answer.delta, delta),
                (answer.rest, 1.0 - delta),
                (answer.slope, slope),
                (answer.error, error),
            ):
                mine[faint[better]] = its[better]
        return answer

    def quickly(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """δ and a bound on its error."""
        answer = super().at(epsilon)
        return answer.delta, answer.error

    def near(self, log_delta: np.ndarray) -> np.ndarray:
        """A first guess of the ε at which δ has this logarithm."""
        places = np.linspace(0.0, self._curve.end, _PLACES_OF_NEAR)
        with np.errstate(divide="ignore"):
            logs = np.log(np.clip(self._curve.values(places)[0], 1e-300, 1.0))
        return np.interp(-log_delta, np.maximum.accumulate(-logs), places)


def _part(coefficients: np.ndarray, ends: np.ndarray, low: float, high: float) -> np.ndarray:
    """The polynomial of a piece on a part of it."""
    if low == ends[0] and high == ends[1]:
        return coefficients
    places = (low + high) / 2 + (high - low) / 2 * _POINTS
    x = 2 * (places - ends[0]) / (ends[1] - ends[0]) - 1
    return sums(coefficients[None], x[None])[0] @ _TO_COEFFICIENTS


def _variation(own: Curve, rows: np.ndarray, tilt: float) -> tuple[np.ndarray, np.ndarray]:
    """For each piece a bound on ∫ e^{tilt ε} |D″ − D′|, or |D″|, given as polynomials, plus the jump of D′ at its end;
    and the ends of the pieces."""
    width = np.diff(own.borders)
    squares = width / 2 * (sums(rows, np.broadcast_to(_NODES, (len(width), _COUNT))) ** 2 @ _WEIGHTS)
    shrink = np.exp(tilt * own.borders)
    inside = np.sqrt(squares * width) * shrink[:-1]
    return inside + np.abs(_jumps(own.slopes)) * shrink[1:], own.borders[1:]


def _jumps(coefficients: np.ndarray) -> np.ndarray:
    """The jump from the end of each polynomial to the start of the next; 0 follows the last one."""
    signs = (-1.0) ** np.arange(coefficients.shape[1])
    return np.append(coefficients[1:] @ signs, 0.0) - coefficients.sum(axis=1)


def _bends(own: Curve, width: float) -> np.ndarray:
    """For each border but 0, a bound on the difference of the polynomials on both sides within this distance of it."""
    places = own.borders[1:, None] + width * _POINTS
    low, high = own.borders[:-1], own.borders[1:]
    rows = np.append(own.coefficients, np.zeros((1, _DEGREE + 1)), axis=0)
    low, high = np.append(low, high[-1]), np.append(high, high[-1] + 1.0)
    each = [
        sums(rows[part], 2 * (places - low[part, None]) / (high - low)[part, None] - 1)
        for part in (slice(-1), slice(1, None))
    ]
    return np.abs((each[1] - each[0]) @ _TO_COEFFICIENTS).sum(axis=1)


def _derivatives(coefficients: np.ndarray, width: np.ndarray) -> np.ndarray:
    found = np.zeros(coefficients.shape)
    found[:, :-1] = np.polynomial.chebyshev.chebder(coefficients, axis=1) * (2 / width)[:, None]
    return found


_POINTS, _TO_COEFFICIENTS = chebyshev(_DEGREE + 1)
_OTHERS = np.array([-1.0, -0.83, -0.41, 0.05, 0.45, 0.86, 1.0])
_PLACES = np.concatenate([_POINTS, _OTHERS])
_AT_OTHERS = np.cos(np.outer(np.arange(_DEGREE + 1), np.arccos(_OTHERS)))
_FLIPPED = (-1.0) ** np.arange(_DEGREE + 1)
