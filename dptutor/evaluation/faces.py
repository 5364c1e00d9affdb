"""The faces of a composition, from the profiles of a pair and of its reverse: each answer with a bound on its error.

With D the profile of finite losses at ε ≥ 0 and D⁻ that of the reverse pair,

    δ(ε) = Pr_Q[L = ∞] + D(ε)      ε ≥ 0,         1 − δ(ε) = e^ε (1 − δ⁻(−ε))      ε < 0,
    e^ε α = −D′(ε),   β = 1 − δ − e^ε α,          R(π) = (1 − π)(1 − δ(ε)),
    f(α) = max_ε [1 − δ(ε) − e^ε α].

Every ε gives a line below f. At an ε that is slightly off the maximum, f is too small only by the square of that
distance. The error of f is bounded by the gap between these lines and chords above f, plus the error of δ.

The classes share the methods of `dptutor.evaluation.evaluator`: faces from tables, faces of finite experiments, and
mixtures of another mechanism's faces over the atoms of a finite experiment.
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np
from scipy.special import expit

from .._floats import LARGEST_LOSS, LAST_PLACE, SMALLEST_LOG, UNIT_ROUNDOFF
from .by_lines import ByLines, Plainly
from .discretized import Bracket
from .finite_law import TooManyAtoms
from .laplace_nodes import Missed
from .profile_table import ProfileTable, WorseTable
from .remembering import remembering
from .roots import decreasing_root, reach_of_epsilon, slope_of_profile
from .touching import LARGEST, SMALLEST, known_at

# δ of the finite losses is below this outside the window.
_TAIL = 1e-14
# The search for the loss at α stops when f is known this well, or after so many rounds.
_APART, _ROUNDS = 1e-15, 80
# Further lines are tried at these distances from the loss found, and at these multiples of the window's width.
_ASIDE = (1e-3, 1e-2, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
_ASIDE_IN_WINDOWS = np.array([1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2])
# With more kinks than _MANY_KINKS, only distances up to _NEAR times the width are tried: intervals of the table are
# then short, and each one that a further line touches has to be filled.
_MANY_KINKS, _NEAR = 300, 1e-4
# Relative distance from a kink at which the profile is asked for on either side of it.
_BESIDE_KINK = 1e-15
# A loss so large that α is negligible where a line of this slope touches f and 1 − δ is small.
_LARGE = 30.0
# Relative distance that losses keep from the ends of a bounded range, where slopes have no digits.
_NEXT_TO_END = 1e-7
# α may jump where two profiles cross: if it still falls by more than this, the search goes on to the last place.
_JUMP = 1e-4
# Largest number of atoms of a mixture, and if many are allowed.
_MOST_ATOMS, _MANY_ATOMS = 4096, 16384
# Atoms that together have less mass than this are left out of α, β and R.
_NO_MASS = 1e-18
# A mixture with more sums of a loss and a kink than this does not list its breakpoints.
_MOST_SUMS = 2**20
# With a larger bound on R at all priors, mixtures compute one at each.
_SHARP = 1e-10
# Largest number of steps of Newton's method, and the relative size of a step at which it has converged.
_NEWTON, _SETTLED = 12, 4e-16


class TabulatedFaces:
    """Faces from the tables of a pair and of its reverse.

    Parameters
    ----------
    forward, backward
        Tables of both directions.
    infinite : tuple of float
        Pr_Q[L = +∞] and Pr_P[L = −∞].
    near, loss_near : tuple of callable, optional
        For each direction, approximate inverses from which searches start: log δ ↦ the ε with that δ, and log α ↦ the ε
        with that α.
    breakpoints : ndarray
        Losses at which the profile has kinks.
    """

    def __init__(
        self, forward, backward, infinite=(0.0, 0.0), near=(None, None), loss_near=(None, None), breakpoints=()
    ):
        self._forward, self._backward, self._infinite, self._near = forward, backward, infinite, near
        self._loss_near, self._loss_near_back = loss_near
        self.breakpoints = np.asarray(breakpoints, dtype=float)
        self._known_nodes: dict[int, tuple] = {}

    @cached_property
    def reverse(self) -> TabulatedFaces:
        """The faces of the reverse pair; they share the tables."""
        other = TabulatedFaces(
            self._backward,
            self._forward,
            self._infinite[::-1],
            self._near[::-1],
            (self._loss_near_back, self._loss_near),
            -self.breakpoints[::-1],
        )
        other.__dict__["reverse"] = self
        return other

    @property
    def tables(self):
        """The profiles of both directions; None if losses may be infinite, or are known only up to a common shift, or
        curves stand for them."""
        both = self._forward, self._backward
        known = all(isinstance(table, ProfileTable) and not table.off for table in both)
        return both if known and not any(self._infinite) else None

    def worse(self) -> TabulatedFaces | None:
        """The faces of the worse of both directions at every ε; None unless both have the same infinite mass."""
        if self._infinite[0] != self._infinite[1]:
            return None
        table = WorseTable(self._forward, self._backward)
        near = None if None in self._near else lambda goal: np.maximum(*(guess(goal) for guess in self._near))
        kinks = np.unique(np.concatenate([self.breakpoints, -self.breakpoints]))
        return TabulatedFaces(table, table, self._infinite, (near, near), (self._loss_near,) * 2, kinks)

    def _filled(self, epsilon, *functions):
        """The first function of (answer, |ε|) where ε ≥ 0, with the forward table; the second where ε < 0, with the
        backward table."""
        flat = np.ravel(epsilon).astype(float)
        found = np.empty(flat.shape)
        right = flat >= 0
        for at, table, function in ((right, self._forward, functions[0]), (~right, self._backward, functions[1])):
            if at.any():
                loss = np.abs(flat[at])
                found[at] = function(table.at(loss), loss)
        return found.reshape(np.shape(epsilon))

    def delta(self, epsilon):
        """δ at ε."""
        infinite, back = self._infinite

        def small(answer, loss):
            # A small δ = 1 − e^ε + e^ε δ⁻ is a sum of positive terms; a large one is computed from 1 − δ.
            near = np.exp(-loss) * (back + answer.delta) - np.expm1(-loss)
            return np.where(near < 0.5, near, 1.0 - np.exp(-loss) * answer.rest)

        return self._filled(epsilon, lambda answer, _: np.minimum(infinite + answer.delta, 1.0), small)

    def delta_error(self, epsilon):
        """Bound on the error of δ."""
        return self._filled(
            epsilon,
            lambda answer, _: answer.error,
            lambda answer, loss: np.exp(-loss) * answer.error + LAST_PLACE,
        )

    def delta_quickly(self, epsilon):
        """δ at ε and a bound on its error, which may be large where ε ≥ 0: as fast as possible."""
        epsilon = np.asarray(epsilon, dtype=float)
        if (epsilon < 0).any():
            return self.delta(epsilon), self.delta_error(epsilon)
        value, error = self._forward.quickly(np.ravel(epsilon))
        return np.minimum(self._infinite[0] + value, 1.0).reshape(epsilon.shape), error.reshape(epsilon.shape)

    def delta_at_most(self, epsilon):
        """An upper bound on δ; where ε ≥ 0, no interval of the table is filled for it."""
        epsilon = np.asarray(epsilon, dtype=float)
        if (epsilon < 0).any():
            return self.delta(epsilon) + self.delta_error(epsilon)
        return self._infinite[0] + self._forward.most(np.ravel(epsilon)).reshape(epsilon.shape)

    def errors(self, epsilon):
        """α and β at ε."""

        def small(answer, loss):
            return np.minimum(np.exp(-loss) * answer.slope, 1.0)

        def large(answer, _):
            return np.clip(answer.rest - answer.slope, 0.0, 1.0)

        return self._filled(epsilon, small, large), self._filled(epsilon, large, small)

    def bayes_error(self, log_odds):
        """R at log-odds."""
        each = lambda answer, loss: expit(-loss) * answer.rest  # noqa: E731
        return np.minimum(self._filled(log_odds, each, each), expit(-np.abs(log_odds)))

    def bayes_error_error(self, log_odds):
        """Bound on the error of R."""
        each = lambda answer, loss: expit(-loss) * answer.error  # noqa: E731
        return self._filled(log_odds, each, each) + LAST_PLACE

    @cached_property
    def window(self) -> tuple[float, float]:
        """An interval of ε outside which δ of the finite losses, or that of the reverse pair, is negligible."""
        return -self._backward.beyond(_TAIL), self._forward.beyond(_TAIL)

    @cached_property
    def _knots(self):
        """Losses, increasing, between which each table stays in one interval, so that a search fills few intervals;
        only the ends of the window if there is no first guess for α."""
        low, high = self.window
        if self._loss_near is None:
            return np.array([low, high])
        return self._in_order([-self._backward.ends(0.0, -low), self._beside, self._forward.ends(0.0, high)])

    def _nodes(self, number):
        """Losses from one knot to the next, so close together that f is near its tangents between them, and α there."""
        if number not in self._known_nodes:
            low, high = self._knots[number : number + 2]
            inside = [[low, high], self._beside[(self._beside > low) & (self._beside < high)]]
            if low < 0:
                inside.append(-self._backward.nodes(max(-high, 0.0), -low))
            if high > 0:
                inside.append(self._forward.nodes(max(low, 0.0), high))
            losses = self._in_order(inside)
            # α decreases in ε; rounding must not let it rise.
            self._known_nodes[number] = losses, np.maximum.accumulate(self.errors(losses)[0][::-1])[::-1]
        return self._known_nodes[number]

    @cached_property
    def _kinks(self):
        """Losses at which a profile has kinks, increasing; a symmetrized profile has one at 0."""
        low, high = self.window
        return np.unique(np.append(self.breakpoints[(self.breakpoints >= low) & (self.breakpoints <= high)], 0.0))

    @cached_property
    def _beside(self):
        """Losses on both sides of the kinks."""
        kinks = self._kinks
        return np.concatenate([kinks - _BESIDE_KINK * (1 + np.abs(kinks)), kinks + _BESIDE_KINK * (1 + np.abs(kinks))])

    def _in_order(self, losses):
        """Losses, increasing, none too close to an end of a bounded range, where slopes have no digits; an end itself
        stays if it is among them, because the line there is accurate."""
        losses, ends = np.unique(np.concatenate(losses)), (-self._backward.end, self._forward.end)
        first, last = losses[0] == ends[0], losses[-1] == ends[1]
        losses = np.unique(np.clip(losses, ends[0] * (1 - _NEXT_TO_END), ends[1] * (1 - _NEXT_TO_END)))
        return np.concatenate([[ends[0]] if first else [], losses, [ends[1]] if last else []])

    def _level(self, numbers):
        """α at the knots with these numbers, each computed once."""
        missing = np.unique(numbers[np.isnan(self._levels[numbers])])
        if missing.size:
            self._levels[missing] = self.errors(self._knots[missing])[0]
        return self._levels[numbers]

    @cached_property
    def _levels(self):
        return np.full(len(self._knots), np.nan)

    def _between(self, alpha):
        """For each α the number of the last knot at which it is exceeded: from the first guess outwards in strides that
        double, then by bisection."""
        last = len(self._knots) - 1
        low, high = np.zeros(alpha.shape, dtype=int), np.full(alpha.shape, last)
        place = np.full(alpha.shape, last // 2)
        if self._loss_near is not None:
            with np.errstate(divide="ignore"):
                place = np.searchsorted(self._knots, self._loss_near(np.log(alpha)), side="right") - 1
        from_low, from_high = np.zeros(alpha.shape, dtype=bool), np.zeros(alpha.shape, dtype=bool)
        place, stride = np.clip(place, 1, max(last - 1, 1)), np.ones(alpha.shape, dtype=int)
        while (wide := np.flatnonzero(high - low > 1)).size:
            at = np.clip(place[wide], low[wide] + 1, high[wide] - 1)
            above = self._level(at) > alpha[wide]
            low[wide], high[wide] = np.where(above, at, low[wide]), np.where(above, high[wide], at)
            from_low[wide] |= above
            from_high[wide] |= ~above
            middle = (low[wide] + high[wide]) // 2
            further = np.where(above, at + stride[wide], at - stride[wide])
            place[wide] = np.where(from_low[wide] & from_high[wide], middle, further)
            stride[wide] *= 2
        return low

    def _bracketed(self, alpha):
        """For each α two neighboring losses between which it is attained, and the values of α at both."""
        low, high, a_low, a_high = np.empty((4, *alpha.shape))
        numbers = self._between(alpha)
        for number in np.unique(numbers):
            losses, falling = self._nodes(number)
            own = np.flatnonzero(numbers == number)
            place = len(falling) - np.searchsorted(falling[::-1], alpha[own], side="left")
            place = np.clip(place, 1, len(falling) - 1)
            low[own], high[own] = losses[place - 1], losses[place]
            a_low[own], a_high[own] = falling[place - 1], falling[place]
        return low, high, a_low, a_high

    @cached_property
    def _touched(self):
        """f at α and a bound on its error."""
        return remembering(self._touching)

    @cached_property
    def _nearly_none(self):
        """(α, most): f is at most `most` from α on, if no more is certain of the sum of both errors; else infinite."""
        known = math.inf, math.inf
        for loss in (0.0, _LARGE):
            answer = self._forward.at(np.array([loss]))
            rest, error = float(answer.rest[0]), float(answer.error[0])
            if not rest <= error > 0.0:
                break
            # β + e^ε α = 1 − δ at the point that a line touches.
            known = math.exp(-loss) * (rest + error), rest + error
        return known

    def _touching(self, alpha):
        """f at `alpha`, and a bound on its error."""
        flat = np.ravel(alpha).astype(float)
        first, most = self._nearly_none
        value, bound = np.zeros(flat.shape), np.minimum(most, 1.0 - flat)
        some = np.flatnonzero(flat < first)
        if some.size:
            value[some], bound[some] = self._by_lines(flat[some])
        return value.reshape(np.shape(alpha)), bound.reshape(np.shape(alpha))

    def _by_lines(self, flat):
        """f at a one-dimensional `flat` by supporting lines, and a bound on its error."""
        low, high, a_low, a_high = self._bracketed(flat)
        off, bound = np.ones(flat.shape, dtype=bool), np.full(flat.shape, np.inf)
        for turn in range(_ROUNDS):
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                share = np.log(a_low / flat) / np.log(a_low / a_high)
            share = np.where(np.isfinite(share) & (turn % 2 == 0), np.clip(share, 0.02, 0.98), 0.5)
            middle = low + (high - low) * share
            some = np.flatnonzero(off)
            alpha_at = self._lines(middle[some])[0]
            right = alpha_at > flat[some]
            low[some[right]], a_low[some[right]] = middle[some[right]], alpha_at[right]
            high[some[~right]], a_high[some[~right]] = middle[some[~right]], alpha_at[~right]
            # f lies between the chord and the higher of the two tangents, which are nowhere further apart than this.
            with np.errstate(over="ignore", invalid="ignore"):
                slopes = np.exp(np.minimum([low, high], LARGEST_LOSS))
                spread = np.abs(a_low - a_high) * (slopes[1] - slopes[0])
            bound = np.where(np.isnan(spread), bound, np.minimum(bound, spread))
            # Where two profiles cross, α jumps: there the bracket shrinks as far as rounding permits.
            jump = (a_low - a_high > _JUMP) & self._forward.crosses
            near = high - low <= 4e-15 * (1.0 + np.abs(low))
            off = (bound > np.where(jump, LAST_PLACE, _APART)) & ~near
            if not off.any():
                break
        # Where slopes have few digits, so has the loss found: lines at other losses may be higher, above all those at
        # kinks.
        number = np.searchsorted(self._kinks, (low + high) / 2)
        kinks = [self._kinks[np.clip(number + side, 0, len(self._kinks) - 1)] for side in (-1, 0)]
        aside = np.concatenate([_ASIDE, (self.window[1] - self.window[0]) * _ASIDE_IN_WINDOWS])[:, None]
        if self._loss_near is not None and len(self._kinks) > _MANY_KINKS:
            aside = aside[aside[:, 0] <= _NEAR * (self.window[1] - self.window[0])]
        ends = np.outer(self.window, np.ones(flat.shape))
        losses = np.concatenate([[low, high], kinks, low - aside, high + aside, ends])
        losses = np.sort(np.clip(np.clip(losses, *self.window), SMALLEST, LARGEST), axis=0)

        def lines(at):
            rest, error = (each.reshape(at.shape) for each in self._lines(at.ravel())[1:])
            return rest, error, error

        return known_at(lines, losses, flat, [1.0 - mass for mass in self._infinite])

    def _lines(self, losses):
        """For the line that touches f at each loss: α there, its height at α = 0, and a bound on the height's error."""
        found = np.empty((3, *losses.shape))
        for right in (True, False):
            at = (losses >= 0) == right
            if at.any():
                loss = np.abs(losses[at])
                answer = (self._forward if right else self._backward).at(loss)
                shrink = np.exp(-np.minimum(loss, -SMALLEST_LOG))
                if right:
                    found[:, at] = np.minimum(shrink * answer.slope, 1.0), answer.rest, answer.error
                else:
                    alpha = np.clip(answer.rest - answer.slope, 0.0, 1.0)
                    found[:, at] = alpha, shrink * answer.rest, shrink * answer.error
        return found

    def tradeoff(self, alpha):
        """f at α."""
        return self._touched(alpha)[0]

    def tradeoff_error(self, alpha):
        """Bound on the error of f."""
        return self._touched(alpha)[1]

    def epsilon(self, delta):
        """The smallest ε ≥ 0 with δ(ε) ≤ `delta`."""
        flat = np.ravel(delta).astype(float)
        sought = flat - self._infinite[0]
        found = np.full(flat.shape, math.inf)
        found[sought == 0.0] = self._forward.end
        some = sought > 0
        if some.any():

            def log_profile(loss):
                with np.errstate(divide="ignore"):
                    return np.log(self._forward.at(np.ravel(loss)).delta).reshape(np.shape(loss))

            goal = np.log(sought[some])
            if self._near[0] is None:
                found[some] = decreasing_root(log_profile, goal, low=0.0)
            else:
                found[some] = self._approached(log_profile, goal, self._near[0](goal))
        return found.reshape(np.shape(delta))

    def _approached(self, log_profile, goal, start):
        """The root of log δ = `goal` by Newton's method, which asks for few losses; by brackets where that does not
        converge."""
        at, settled = np.maximum(start, 0.0), np.zeros(goal.shape, dtype=bool)
        for _ in range(_NEWTON):
            moving = np.flatnonzero(~settled)
            here = at[moving]
            answer = self._forward.at(here)
            with np.errstate(divide="ignore", invalid="ignore"):
                step = (np.log(answer.delta) - goal[moving]) * answer.delta / answer.slope
            further = here + np.clip(np.nan_to_num(step, nan=-np.inf), -0.5 * here, 0.5 * here + 1.0)
            at[moving] = further
            settled[moving] = np.abs(further - here) <= _SETTLED * further
            if settled.all():
                return at
        rest = np.flatnonzero(~settled)
        at[rest] = decreasing_root(log_profile, goal[rest], low=0.0, guess=at[rest])
        return at

    def epsilon_error(self, delta, epsilon):
        """Bound on the error of an answer of `epsilon`."""
        flat = np.ravel(epsilon).astype(float)
        bound, finite = np.zeros(flat.shape), np.isfinite(flat)
        answer = self._forward.at(flat[finite])
        with np.errstate(divide="ignore", invalid="ignore"):
            moved = np.where(answer.error < answer.delta / 2, 2 * answer.error / answer.slope, np.inf)
        wanted = np.broadcast_to(np.ravel(delta), flat.shape)[finite].astype(float)
        at_zero = (flat[finite] == 0.0) & (answer.delta + self._infinite[0] + answer.error < wanted)
        found = np.where((answer.error == 0.0) | at_zero, 0.0, moved) + 1e-14 * (1.0 + flat[finite])
        # Near the end of a profile its slope does not bound the error: try how far ε may be off.
        open_ = np.isinf(found)
        if open_.any():
            places = wanted[open_], flat[finite][open_], answer.slope[open_]
            found[open_] = reach_of_epsilon(self.delta, self.delta_error, *places, np.inf)
        bound[finite] = found
        return bound.reshape(np.shape(epsilon))

    @cached_property
    def error_bound(self) -> float:
        """Bound on the error of f, R and δ at every ε ≥ 0."""
        low, high = self.window
        most = max(
            float(np.max(table.at(table.nodes(0.0, end)).error))
            for table, end in ((self._forward, high), (self._backward, -low))
        )
        return most + 1e-12

    @cached_property
    def bayes_error_bound(self) -> float:
        """Bound on the error of R at every prior."""
        low, high = self.window
        places = [(table, table.nodes(0.0, end)) for table, end in ((self._forward, high), (self._backward, -low))]
        return max(float(np.max(expit(-at) * table.at(at).error)) for table, at in places) + 4 * LAST_PLACE


class TailedFaces:
    """Faces from tables that may leave out the tail of δ; δ, ε, α and β from slower ones that have it.

    Parameters
    ----------
    plain, tailed : TabulatedFaces
        Faces without the tail, and with it.
    """

    def __init__(self, plain: TabulatedFaces, tailed: TabulatedFaces) -> None:
        self._plain, self._tailed = plain, tailed
        self.breakpoints = plain.breakpoints
        self.tradeoff, self.tradeoff_error = plain.tradeoff, plain.tradeoff_error
        self.bayes_error, self.bayes_error_error = plain.bayes_error, plain.bayes_error_error
        self.delta_quickly, self.delta_at_most = plain.delta_quickly, plain.delta_at_most
        self.delta, self.delta_error, self.errors = tailed.delta, tailed.delta_error, tailed.errors
        self.epsilon, self.epsilon_error = tailed.epsilon, tailed.epsilon_error

    @property
    def window(self) -> tuple[float, float]:
        """As for `TabulatedFaces`."""
        return self._plain.window

    @property
    def tables(self):
        """The profiles of both directions as tables, without their tails."""
        return self._plain.tables

    @property
    def error_bound(self) -> float:
        """Bound on the error of f, R and δ at every ε ≥ 0."""
        return self._plain.error_bound

    @property
    def bayes_error_bound(self) -> float:
        """Bound on the error of R at every prior."""
        return self._plain.bayes_error_bound

    @property
    def reverse(self) -> TailedFaces:
        """The faces of the reverse pair."""
        return TailedFaces(self._plain.reverse, self._tailed.reverse)

    def worse(self) -> TailedFaces | None:
        """The faces of the worse of both directions at every ε."""
        plain, tailed = self._plain.worse(), self._tailed.worse()
        return None if plain is None or tailed is None else TailedFaces(plain, tailed)


class FiniteFaces(Plainly):
    """Faces of an enumerated law.

    Parameters
    ----------
    law
        The law of the losses.
    bracket : Bracket, optional
        The errors, if the law is that of a grid; otherwise the law knows its own.
    smooth : bool
        Whether the law stands for one without atoms.
    infinite : tuple of float
        Pr_Q[L = +∞] and Pr_P[L = −∞].
    """

    window = None

    def __init__(self, law, bracket: Bracket | None = None, smooth: bool = False, infinite=(0.0, 0.0)):
        self.law, self._bracket, self._smooth, self._infinite = law, bracket, smooth, infinite
        self.errors, self.delta, self.tradeoff, self.epsilon = law.errors, law.delta, law.tradeoff, law.epsilon
        self.bayes_error = law.bayes_error
        # A law without atoms has no kinks, although its grid has.
        self.breakpoints = np.empty(0) if smooth else law.kinks
        self.error_bound = law.error_bound if bracket is None else bracket.gap

    @cached_property
    def reverse(self) -> FiniteFaces:
        """The faces of the reverse pair."""
        return FiniteFaces(
            self.law.reverse, self._bracket and self._bracket.reverse, self._smooth, self._infinite[::-1]
        )

    def worse(self) -> None:
        """None: nothing is faster than asking both directions."""

    @cached_property
    def _moved_by(self) -> float:
        """x such that rounding multiplies masses by at most 1 + x, besides their own error: e^location − 1."""
        return math.expm1(self.law.location_error)

    @property
    def _rounding(self) -> float:
        """What is left of the error if no loss is off."""
        return self.law.relative_error + 8 * UNIT_ROUNDOFF

    def delta_error(self, epsilon):
        """Bound on the error of δ."""
        flat = np.ravel(epsilon).astype(float)
        if self._bracket is None:
            lower, upper = self.law.profile(flat)
            return (upper - lower).reshape(np.shape(epsilon))
        found, back = np.empty(flat.shape), flat < 0
        there, its = self._bracket.sides
        # The true δ is between the infinite mass and this one; a grid counts losses that it does not reach as infinite.
        most = np.maximum(self.law.delta(flat[~back]) - self._infinite[0], 0.0)
        found[~back] = np.minimum(there.gaps(flat[~back]), most)
        with np.errstate(under="ignore"):
            found[back] = np.exp(flat[back]) * its.gaps(-flat[back])
        return (found + self._bracket.lost).reshape(np.shape(epsilon))

    @cached_property
    def bayes_error_bound(self) -> float:
        """Bound on the error of R at every prior."""
        if self._bracket is not None:
            return max(side.of_risk for side in self._bracket.sides) + self._bracket.lost
        # R is at most Σ min(p, q) = 1 − δ(0).
        return min(self.error_bound, self._moved_by * (1.0 - float(self.law.delta(np.zeros(())))) + self._rounding)

    def bayes_error_error(self, log_odds):
        """Bound on the error of R."""
        log_odds = np.asarray(log_odds, dtype=float)
        if self._bracket is None:
            return np.minimum(self._moved_by * self.bayes_error(log_odds) + self._rounding, self.bayes_error_bound)
        size, (there, back) = np.abs(log_odds), self._bracket.sides
        gap = np.where(log_odds < 0, back.gaps(size), there.gaps(size))
        return expit(-size) * gap + self._bracket.lost

    def tradeoff_error(self, alpha):
        """Bound on the error of f."""
        alpha, beta = np.asarray(alpha, dtype=float), self.tradeoff(alpha)
        if self._bracket is not None:
            there, back = self._bracket.sides
            most = np.maximum(there.most(alpha), back.most_reverse(alpha))
            return np.maximum(np.minimum(most, 1.0 - alpha) - beta, 0.0) + self._bracket.lost
        # A test whose errors are α and β has at most errors c α and c β with the true masses, and conversely.
        c = 1.0 + self._moved_by
        most = c * self.tradeoff(alpha / c) - beta
        least = beta - self.tradeoff(np.minimum(c * alpha, 1.0)) / c
        return np.minimum(np.maximum(most, least) + 2 * self._rounding, self.error_bound)

    def epsilon_error(self, delta, epsilon):
        """Bound on the error of an answer of `epsilon`."""
        flat = np.ravel(epsilon).astype(float)
        bound, finite = np.zeros(flat.shape), np.isfinite(flat)
        at, wanted = flat[finite], np.broadcast_to(np.ravel(delta), flat.shape)[finite].astype(float)
        if self._bracket is None:
            moved = self._moved(wanted, at)
        else:
            # The law on the grid may end where the true one does not.
            slope = np.ravel(self.law.scaled_tail(at))
            moved = reach_of_epsilon(self.delta, self.delta_error, wanted, at, slope, np.inf)
        bound[finite] = moved + 1e-12 * (1.0 + at)
        return bound.reshape(np.shape(epsilon))

    def _moved(self, delta, epsilon):
        """How far ε may be from the true one for `delta`, as sums are rounded and losses are shifted."""
        share = self.law.log_error(delta)
        # The mass of infinite losses is exact.
        less = np.maximum(delta * (1.0 - share), np.minimum(delta, self.law.q_infinite))
        more = np.minimum(delta * (1.0 + share), 1.0)
        return 2 * self.law.location_error + np.max([abs(self.law.epsilon(x) - epsilon) for x in (less, more)], axis=0)


class MixtureFaces(ByLines):
    """Faces of a finite experiment together with another mechanism: a mixture over the atoms l of the first.

    R at log-odds ε is Σ (π p + (1−π) q) R'(ε − l), and δ(ε) = Pr_Q[l = ∞] + Σ q δ'(ε − l). With `missed`, the atoms
    stand for a law with a density, and `missed` bounds the error of that.
    """

    window = None

    def __init__(self, law, rest, missed: Missed | None = None, many: bool = False):
        law, self._missed, self._many = law.enumerated(), missed, many
        finite = np.isfinite(law.loss)
        self._law, self._rest = law, rest
        self._loss, self._p, self._q = law.loss[finite], law.p[finite], law.q[finite]
        self._infinite = float(law.q[law.loss == np.inf].sum())
        if self._loss.size > (_MANY_ATOMS if many else _MOST_ATOMS):
            raise TooManyAtoms

    @cached_property
    def breakpoints(self) -> np.ndarray:
        """The finite losses at which the law of the loss has an atom or its density a jump; empty if they are too many
        to be of use."""
        kinks = self._rest._breakpoints()
        if self._loss.size * kinks.size > _MOST_SUMS:
            return np.empty(0)
        return np.unique(np.add.outer(self._loss, kinks))

    @cached_property
    def error_bound(self) -> float:
        """Bound on the error of f, R and δ at every ε ≥ 0."""
        return self._rest.error_bound + self._rest.reverse.error_bound + self._open + 1e-13

    @cached_property
    def _open(self) -> float:
        """Bound on the total error of the atoms' masses. Where losses are off by x, a mass is e^x times as large."""
        off = self._law.location_error + LAST_PLACE * float(np.max(np.abs(self._loss), initial=0.0))
        rounding = self._law.relative_error + math.expm1(off)
        return rounding if self._missed is None else rounding + float(self._missed.q.sum() + self._missed.p.sum())

    @property
    def bayes_error_bound(self) -> float:
        """Bound on the error of R at every prior."""
        # Of an atom whose loss is off by x, either mass may be kept as it is: then the other one is e^x times as large.
        off = np.minimum(self._law.location_error + LAST_PLACE * np.abs(self._loss), 1.0)
        moved = float(np.minimum(self._p, self._q) @ np.expm1(off)) + self._law.relative_error
        if self._missed is not None:
            moved += float(self._missed.q.sum() + self._missed.p.sum())
        of_rest: float = self._rest._bayes_error_bound + self._rest.reverse._bayes_error_bound
        return of_rest + min(moved, self._open) + 1e-14

    @cached_property
    def reverse(self) -> MixtureFaces:
        """The faces of the reverse pair."""
        missed = self._missed and self._missed.reverse
        other = MixtureFaces(self._law.reverse, self._rest.reverse, missed, self._many)
        other.__dict__["reverse"] = self
        return other

    @cached_property
    def _matters(self) -> np.ndarray:
        """Atoms with enough mass to change an answer by more than rounding."""
        matters = np.maximum(self._p, self._q) > _NO_MASS / self._loss.size
        return matters if matters.any() else np.ones(self._loss.shape, dtype=bool)

    def _over(self, face, epsilon, mass, loss=None):
        """Σ mass · face(ε − l) over all atoms, or over other losses."""
        return self._sums(lambda x: (face(x),), epsilon, (mass,), self._loss if loss is None else loss)[0]

    def _sums(self, faces, epsilon, masses, loss):
        """Σ mass · face(ε − l) for each of several faces, in portions that fit into memory."""
        flat = np.ravel(epsilon).astype(float)
        totals = np.empty((len(masses), flat.size))
        for few in np.array_split(np.arange(flat.size), max(1, flat.size * loss.size // 200_000)):
            for total, each, mass in zip(totals, faces(np.subtract.outer(flat[few], loss)), masses, strict=True):
                total[few] = np.sum(each * mass, axis=1)
        return totals.reshape(len(masses), *np.shape(epsilon))

    def worse(self) -> None:
        """None: nothing is faster than asking both directions."""

    def errors(self, epsilon):
        """α and β at ε."""
        return self._known_errors(epsilon)

    @cached_property
    def _known_errors(self):
        p, q, loss = self._p[self._matters], self._q[self._matters], self._loss[self._matters]
        return remembering(lambda epsilon: np.minimum(self._sums(self._rest._errors, epsilon, (p, q), loss), 1.0))

    def bayes_error(self, log_odds):
        """R at log-odds."""
        alpha, beta = self.errors(log_odds)
        with np.errstate(under="ignore"):
            return np.minimum(expit(log_odds) * alpha + expit(-log_odds) * beta, expit(-np.abs(log_odds)))

    def delta(self, epsilon):
        """δ at ε."""
        return np.minimum(self._infinite + self._over(self._rest._delta, epsilon, self._q), 1.0)

    def _exceedance(self, epsilon):
        """Pr_Q[L > ε] − δ."""
        beta = self._over(lambda x: self._rest._errors(x)[1], epsilon, self._q)
        return 1.0 - beta - self.delta(epsilon)

    def delta_error(self, epsilon):
        """Bound on the error of δ."""
        error = self._over(self._rest._delta_error, epsilon, self._q)
        delta = self._over(self._rest._delta, epsilon, self._q)
        # Losses are rounded, and so is ε − l. What a shift to the left adds to δ' bounds, up to a factor e^shift, what
        # one to the right takes away, because δ' is convex in e^ε.
        off = self._law.location_error
        most = self._over(lambda x: self._rest._delta(x * (1.0 - np.copysign(LAST_PLACE, x)) - off), epsilon, self._q)
        if self._missed is not None:
            at_most = lambda x: self._rest._delta(x) + self._rest._delta_error(x)  # noqa: E731
            error += self._over(at_most, epsilon, self._missed.q, self._missed.of_q)
        rounding = (1e-13 + self._law.relative_error) * delta + LAST_PLACE * self._infinite
        return error + np.maximum(most - delta, 0.0) + rounding

    def bayes_error_error(self, log_odds):
        """Bound on the error of R."""
        most = min(self.error_bound, self.bayes_error_bound)
        if most <= _SHARP:
            return np.full(np.shape(log_odds), most)
        # Where some loss is so large that all are badly known, few of them may matter: R is also (1 − π)(1 − δ).
        log_odds = np.asarray(log_odds, dtype=float)
        other = expit(-log_odds) * (1.0 - self.delta(log_odds))
        off = np.abs(other - self.bayes_error(log_odds)) + expit(-log_odds) * self.delta_error(log_odds)
        return np.minimum(most, off + 4 * LAST_PLACE)

    @property
    def _masses(self):
        """Pr_Q and Pr_P of finite losses."""
        return 1.0 - self._infinite, 1.0 - self.reverse._infinite

    def _lines(self, losses):
        """The heights of lines at α = 0, and bounds on how much the true ones are below or above that."""
        height, *errors = super()._lines(losses)
        return height, *(np.minimum(error, self.error_bound) for error in errors)

    @property
    def _largest(self) -> float:
        return float(self._loss.max()) + self._rest._largest_finite_loss()

    def _slope(self, epsilon):
        """−dδ/dε; all atoms matter where it is tiny."""
        alpha = self._over(lambda x: self._rest._errors(x)[0], epsilon, self._p)
        return slope_of_profile(epsilon, alpha, lambda far: self._exceedance(epsilon[far]))
