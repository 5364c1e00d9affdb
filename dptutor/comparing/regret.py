"""The largest difference of two Bayes errors over all priors, with a certificate; perhaps weighted by a density.

Bayes errors are concave, so between two priors R lies below its tangents and R̃ above its chord; only intervals whose
bound exceeds the best value so far are divided further. The gap that remains at the end is part of the error.

A density Ψ is known by its values only. It is *resolved* first: it is scanned at many spacings, so that intervals end
where it bends; if no mass is found, its bound is infinite. On an interval it is then assumed to lie below its chord
plus twice the excess seen at the quarters plus four times their deviation from a parabola; across a step, below its
largest value.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit

from .._types import Curve
from ..mechanisms.base import Mechanism

# The gap at which the search stops, slightly above the rounding error of Bayes errors.
_GAP = 2e-14
_OPEN_INTERVALS = 2**13
SEEDS = np.linspace(-34.0, 34.0, 137)
# A density below this fraction of its maximum is left out.
_NOTHING = 1e-13
# A relative second difference above this counts as a bend.
_BEND = 0.02
# On an interval narrower than this, in log-odds, a density is taken to step.
_STEP = 1e-12
# Relative error of R towards the ends.
_RELATIVE = 1e-9
# From values at both ends of intervals to upper bounds in between.
_Lift: TypeAlias = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


class _Nodes:
    """Priors at which both Bayes errors are known, and the slope α − β of the first."""

    def __init__(self, mechanism: Mechanism, other: Mechanism, log_odds: np.ndarray) -> None:
        self.log_odds = log_odds
        self.prior, self.rest = expit(log_odds), expit(-log_odds)
        # Neighboring intervals share their ends.
        single, place = np.unique(log_odds, return_inverse=True)
        self.alpha, self.beta = (errors[place] for errors in mechanism._errors(single))
        error = mechanism._bayes_error(single)
        self.error, self.difference = error[place], (error - other._bayes_error(single))[place]


def largest_difference(mechanism: Mechanism, other: Mechanism) -> tuple[float, float, float]:
    """Log-odds and value of the largest R − R̃, and the gap that remains between this value and its upper bound."""
    kinks = np.concatenate([mechanism._breakpoints(), other._breakpoints()])
    nodes = np.unique(np.concatenate([SEEDS, kinks[np.abs(kinks) < SEEDS[-1]]]))
    if mechanism.is_symmetric and other.is_symmetric:
        nodes = nodes[nodes <= 0]  # R(π) = R(1 − π) for both
    # No error exceeds min(π, 1 − π): a difference found in the middle rules out the tails.
    outside = float(expit(nodes[0]))
    central = nodes[np.abs(nodes) <= 8]
    found = float(np.max(mechanism._bayes_error(central) - other._bayes_error(central), initial=0.0))
    reach = -logit(found) + 0.5 if found > 0 else math.inf
    nodes = nodes[np.abs(nodes) <= max(reach, 8.5)]
    search = _Search(mechanism, other, nodes)
    gap = max(search.run(), outside - search.best)
    if search.bracket is None:
        return search.best_at, search.best, gap
    return *_polished(mechanism, other, search.best_at, search.best, search.bracket), gap


class _Search:
    """Branch and bound: intervals whose bound exceeds the best value found are divided further."""

    def __init__(
        self,
        mechanism: Mechanism,
        other: Mechanism,
        nodes: np.ndarray,
        weight: Callable[[np.ndarray], np.ndarray] | None = None,
    ) -> None:
        self._mechanisms, self._weight = (mechanism, other), weight
        self.left, self.right = nodes[:-1], nodes[1:]
        self.best, self.best_at, self.best_weight = 0.0, -math.inf, 1.0
        self.bracket: tuple[float, float] | None = None

    def run(self) -> float:
        """The gap between the best value and its upper bound."""
        left, right, gap, closed = self.left, self.right, math.inf, 0.0
        while gap > 0:
            # The ends of all open intervals together: one evaluation of each mechanism in a round.
            mechanism, other = self._mechanisms
            ends = _Nodes(mechanism, other, np.concatenate([left, right]))
            weights, lift = self._weights(ends.log_odds, left, right)
            self._keep_best(ends, weights, float(np.max(right - left)))
            middle = between(left, right, 0.5)
            bound = _upper_bounds(ends, weights, lift)
            gap = max(float(np.max(bound, initial=self.best)) - self.best, 0.0)
            open_ = (bound > self.best + _GAP * (1 + self.best_weight)) & (middle > left) & (middle < right)
            if self._weight is not None:
                closed = max(closed, float(np.max(bound[~open_], initial=0.0)))
            # If curves coincide, the bound falls only with the square of the width: stop, and report the gap.
            if not 0 < np.count_nonzero(open_) <= _OPEN_INTERVALS:
                break
            left, right = left[open_], right[open_]
            # While few intervals are open, more parts save rounds, which cost more than nodes.
            parts = 8 if left.size < 64 else 2
            cuts = [left, *(between(left, right, k / parts) for k in range(1, parts)), right]
            left, right = np.concatenate(cuts[:-1]), np.concatenate(cuts[1:])
        return max(gap, closed - self.best)

    def _weights(self, log_odds: np.ndarray, left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, _Lift | None]:
        if self._weight is None:
            return np.ones(log_odds.shape), None
        return self._weight(log_odds), _lift(self._weight, left, right)

    def _keep_best(self, ends: _Nodes, weights: np.ndarray, width: float) -> None:
        height = weights * ends.difference
        top = int(np.argmax(height))
        if height[top] > self.best:
            self.best, self.best_at = float(height[top]), float(ends.log_odds[top])
            self.best_weight, self.bracket = float(weights[top]), (self.best_at - width, self.best_at + width)


def between(left: np.ndarray, right: np.ndarray, share: float) -> np.ndarray:
    """The point at a share of the way, measured in the prior, or in log-odds in the far tails."""
    near = (np.abs(left) < 30) & (np.abs(right) < 30)
    mirrored = left + right > 0
    # By symmetry, use the side on which the prior is small and keeps its digits.
    a, b = np.where(mirrored, -left, left), np.where(mirrored, -right, right)
    place = logit((1 - share) * expit(a) + share * expit(b))
    place = np.where(mirrored, -place, place)
    return np.where(near & (place >= left) & (place <= right), place, (1 - share) * left + share * right)


def _upper_bounds(ends: _Nodes, weights: np.ndarray, lift: _Lift | None) -> np.ndarray:
    """Upper bounds of weighted R − R̃ between the first and the second half of the nodes, taken pairwise."""

    def halves(name: str) -> list[np.ndarray]:
        return np.split(getattr(ends, name), 2)

    (prior, prior_), (rest, rest_) = halves("prior"), halves("rest")
    (error, error_), (alpha, alpha_), (beta, beta_) = halves("error"), halves("alpha"), halves("beta")
    difference, difference_ = halves("difference")
    # The width, from the side that keeps its digits.
    width = np.where(prior + prior_ < 1, prior_ - prior, rest - rest_)
    slope, slope_ = alpha - beta, alpha_ - beta_
    # Tangents from both ends meet at `step` from the left; there R is at most `peak`, R̃ at least its chord.
    turn = slope - slope_
    rise = error_ - error - slope_ * width
    step = np.clip(np.where(turn > 0, rise / np.where(turn > 0, turn, 1.0), 0.0), 0.0, width)
    peak = np.minimum(error + slope * step, error_ - slope_ * (width - step))
    share = np.where(width > 0, step / np.where(width > 0, width, 1.0), 0.0)
    chord = (1 - share) * (error - difference) + share * (error_ - difference_)
    top = peak - chord
    weight, weight_ = np.split(weights, 2)
    if lift is not None:
        weight, weight_ = lift(weight, weight_)
    weight_top = (1 - share) * weight + share * weight_
    return np.maximum(
        _largest_product(difference, top, weight, weight_top),
        _largest_product(top, difference_, weight_top, weight_),
    )


def _largest_product(first: np.ndarray, first_: np.ndarray, second: np.ndarray, second_: np.ndarray) -> np.ndarray:
    """The largest product of two linear functions between two points, given their values at both."""
    change, change_ = first_ - first, second_ - second
    curvature = 2 * change * change_
    peaked = curvature < 0
    share = np.where(peaked, -(first * change_ + second * change) / np.where(peaked, curvature, 1.0), 0.0)
    share = np.clip(share, 0.0, 1.0)
    inside = (first + share * change) * (second + share * change_)
    return np.maximum(inside, np.maximum(first * second, first_ * second_))


def _polished(
    mechanism: Mechanism, other: Mechanism, at: float, best: float, bracket: tuple[float, float]
) -> tuple[float, float]:
    """The stationary point in the bracket, if the value there is larger than at the best node."""

    def slope(log_odds: np.ndarray) -> np.ndarray:
        return np.subtract(*mechanism._errors(log_odds)) - np.subtract(*other._errors(log_odds))

    # At a kink the node itself is the maximum: no search is needed.
    beside = 1e-9 * (1 + abs(at))
    places = np.array([bracket[0], at - beside, at + beside, bracket[1]])
    slopes = slope(places)
    if slopes[1] > 0 > slopes[2]:
        root = float(places[1] + 2 * beside * slopes[1] / (slopes[1] - slopes[2]))
    elif slopes[0] > 0 > slopes[3]:
        root = brentq(lambda log_odds: float(slope(np.asarray(log_odds))), *bracket, xtol=1e-15, rtol=1e-14)
    else:
        return at, best
    value = float(_Nodes(mechanism, other, np.asarray([root])).difference[0])
    # Rounding must not move the maximum away from an exact node, such as a kink.
    if value >= best - 1e-16 and abs(slope(np.asarray(root))) < abs(slope(np.asarray(at))):
        return root, max(value, best)
    return at, best


# With a density over priors.


def largest_weighted_difference(mechanism: Mechanism, other: Mechanism, density: Curve) -> tuple[float, float, float]:
    """The same for Ψ (R − R̃), with a bound on the error of the value; Ψ is a density that takes arrays of priors."""
    weight = _weight_of(density)
    places, floor = _resolving(weight)
    kinks = np.concatenate([mechanism._breakpoints(), other._breakpoints()])
    nodes = np.unique(np.concatenate([SEEDS, places, kinks[np.abs(kinks) < SEEDS[-1]]]))
    search = _Search(mechanism, other, nodes, weight)
    gap = search.run()
    # Beyond the seeds R − R̃ is at most min(π, 1 − π) δ̃, with the reverse pair's δ̃ on the left.
    tails = (float((m._delta(SEEDS[-1:]) + m._delta_error(SEEDS[-1:]))[0]) for m in (other.reverse, other))
    outside = max(float(w) * expit(-SEEDS[-1]) * t for w, t in zip(weight(SEEDS[[0, -1]]), tails, strict=True))
    gap = max(gap, outside - search.best, floor - search.best) if floor < math.inf else math.inf
    errors = sum(np.minimum(m._bayes_error_error(nodes), _RELATIVE * expit(-np.abs(nodes))) for m in (mechanism, other))
    return search.best_at, search.best, gap + float(np.max(weight(nodes) * errors))


def _weight_of(density: Curve) -> Callable[[np.ndarray], np.ndarray]:
    """The density as a function of log-odds, checked."""

    def weight(log_odds: np.ndarray) -> np.ndarray:
        priors = expit(log_odds)
        try:
            found = np.asarray(density(priors), dtype=float)
            values = np.broadcast_to(found, priors.shape)
        except (TypeError, ValueError) as problem:
            raise ValueError(f"prior_density must return numbers in the shape of its argument: {problem}") from None
        for word, fit in (("at least 0", values >= 0), ("finite between 0 and 1", values < math.inf)):
            if not np.all(fit):
                raise ValueError(f"prior_density must be {word}, got {values[~fit][0].item()!r}")
        return values

    return weight


def _resolving(weight: Callable[[np.ndarray], np.ndarray]) -> tuple[np.ndarray, float]:
    """Log-odds between which the density is smooth, and a bound on its value elsewhere (infinite: unknown).

    The density is scanned with every spacing from 1/2 to 2^-14; a spacing is kept where second differences show that
    the next larger one misses something. If less than the whole mass is found, the scan continues to 2^-20.
    """
    for depth in (14, 20):
        at = _scanned(depth)
        height = weight(at) * expit(at) * expit(-at)  # the density of the log-odds
        mass = float(np.trapezoid(height, at))
        if mass > 1 - 1e-3:
            break
    if not mass > 0:
        return at[:: max(1, at.size // 1000)], math.inf
    floor = _NOTHING * float(height.max())
    kept = [at[np.flatnonzero(np.diff(np.sign(height)) != 0)]]
    for stride in 2 ** np.arange(0, depth):
        few, place = height[::stride], at[::stride]
        if few.size < 3:
            break
        bend = np.abs(few[:-2] - 2 * few[1:-1] + few[2:])
        around = np.maximum(few[:-2], np.maximum(few[1:-1], few[2:]))
        found = np.flatnonzero((bend > _BEND * around) & (around > floor)) + 1
        kept += [place[found - 1], place[found], place[found + 1]]
    return np.unique(np.concatenate(kept)), floor


def _scanned(depth: int) -> np.ndarray:
    """Log-odds, evenly spaced in the prior in the middle and in the log-odds towards the ends."""
    priors = np.arange(1, 2**depth) / 2.0**depth
    ends = np.linspace(4.0, SEEDS[-1], 1500)
    return np.unique(np.concatenate([logit(priors), ends, -ends]))


def _lift(weight: Callable[[np.ndarray], np.ndarray], left: np.ndarray, right: np.ndarray) -> _Lift:
    """How far the density may rise above its chord on intervals, from its values at the quarters.

    Twice the excess at the quarters plus four times their deviation from a parabola, which is enough for a smooth
    density; on a very narrow interval it may be a step.
    """
    quarter, middle, quarter_ = (weight(between(left, right, share)) for share in (0.25, 0.5, 0.75))
    small = right - left < _STEP * (1 + np.abs(left))

    def lifted(first: np.ndarray, last: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        above = quarter - (3 * first + last) / 4, middle - (first + last) / 2, quarter_ - (first + 3 * last) / 4
        bump = np.maximum(np.maximum.reduce(above), 0.0)
        parabola = (3 * first + 6 * middle - last) / 8, (3 * last + 6 * middle - first) / 8
        missed = np.maximum(np.abs(quarter - parabola[0]), np.abs(quarter_ - parabola[1]))
        most = np.maximum.reduce([first, quarter, middle, quarter_, last])
        rise = 2 * bump + 4 * missed
        return np.where(small, most, first + rise), np.where(small, most, last + rise)

    return lifted
