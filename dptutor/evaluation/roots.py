"""Roots, elementwise: in a given bracket, and of decreasing functions without one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from .._floats import SMALLEST

_Function: TypeAlias = Callable[[np.ndarray], np.ndarray]

# Number of steps after which brackets are only halved, since interpolation may creep; and enough steps to halve the
# widest bracket of doubles until nothing lies between its ends.
_INTERPOLATED, _MOST_STEPS = 60, 2200


@np.errstate(divide="ignore", invalid="ignore", over="ignore")
def bracketed_root(
    function: Callable[..., np.ndarray],
    low: np.ndarray,
    high: np.ndarray,
    *args: np.ndarray,
    absolute: float = 1e-300,
    relative: float = 4e-16,
) -> np.ndarray:
    """Where `function(x, *args)` changes sign between `low` and `high`, elementwise, within these widths.

    Of the two ends of the last bracket it is the one where the function is closer to 0; NaN where signs do not differ.
    The function gets one-dimensional arrays of those elements that are still searched.

    Source: Chandrupatla (1997). For the few elements that mechanisms ask for, SciPy's implementation takes ten times
    as long.
    """
    shape = np.broadcast_shapes(np.shape(low), np.shape(high))
    a, b = (np.broadcast_to(end, shape).ravel().astype(float) for end in (low, high))
    args = tuple(np.broadcast_to(each, shape).ravel() for each in args)
    f_a, f_b = function(a, *args), function(b, *args)
    root, left = np.full(a.size, np.nan), np.arange(a.size)
    share = np.full(a.size, 0.5)
    c, f_c = b, f_b
    for step in range(_MOST_STEPS):
        best = np.where(np.abs(f_a) < np.abs(f_b), a, b)
        width, tolerance = np.abs(b - a), absolute + relative * np.abs(best)
        exact = (f_a == 0) | (f_b == 0)
        bracketed = (exact | ((f_a < 0) & (f_b > 0)) | ((f_a > 0) & (f_b < 0))) & np.isfinite(width)
        done = exact | ~bracketed | ~(width >= tolerance)
        if done.any():
            found = done & bracketed
            root[left[found]] = best[found]
            on = ~done
            left, args = left[on], tuple(each[on] for each in args)
            a, b, c, f_a, f_b, f_c, share, width, tolerance = (
                each[on] for each in (a, b, c, f_a, f_b, f_c, share, width, tolerance)
            )
        if not left.size:
            break
        least = 0.5 * tolerance / width
        x = a + np.clip(share, least, 1.0 - least) * (b - a)
        value = function(x, *args)
        same = (value > 0) == (f_a > 0)
        c, f_c = np.where(same, a, b), np.where(same, f_a, f_b)
        b, f_b = np.where(same, b, a), np.where(same, f_b, f_a)
        a, f_a = x, value
        # Inverse quadratic interpolation where it stays within the bracket, halves elsewhere.
        xi, phi = (a - b) / (c - b), (f_a - f_b) / (f_c - f_b)
        inverse = f_a / (f_a - f_b) * f_c / (f_c - f_b) - (c - a) / (b - a) * f_a / (f_c - f_a) * f_b / (f_b - f_c)
        near = (1 - np.sqrt(1 - xi) < phi) & (phi < np.sqrt(xi)) & (step < _INTERPOLATED)
        share = np.where(near, inverse, 0.5)
    return root.reshape(shape)


def decreasing_root(
    function: _Function, target: ArrayLike, *, low: float | None = None, guess: np.ndarray | None = None
) -> np.ndarray:
    """The smallest x, elementwise, at which the decreasing `function` is at or below `target`.

    The search starts around 0 and doubles its bracket; the result is −∞ or +∞ if the function is below or above the
    target everywhere. With `low` the search starts there, and `low` is returned if the function is below the target
    there. With a `guess` it starts in a small interval around that.
    Jumps of the function are located as precisely as its zeros.
    """
    target = np.asarray(target, dtype=float)
    start = -np.inf if low is None else low
    never = function(np.full(target.shape, np.inf)) > target
    at_once = np.zeros(target.shape, dtype=bool)
    if low is None:
        at_once = function(np.full(target.shape, start)) <= target
    searched = ~(at_once | never)
    if guess is None:
        left = np.full(target.shape, -1.0 if low is None else low)
        right = left + 2.0
    else:
        beside = 0.02 * np.abs(guess) + 0.01
        left, right = np.maximum(guess - beside, start), guess + beside
    while (too_far := searched & (left > start) & (function(left) <= target)).any():
        left = np.where(too_far, np.maximum(left - 2 * (right - left), start), left)
    if low is not None and (left == low).any():
        at_once = ~never & (left == low) & (function(left) <= target)
        searched &= ~at_once
    while (too_near := searched & (function(right) > target)).any():
        with np.errstate(over="ignore"):
            right = np.where(too_near, right + 2 * (right - left), right)

    # Elements that need no search get an empty bracket.
    bracket = np.where(searched, left, 0.0), np.where(searched, right, 0.0)
    root = bracketed_root(lambda x, goal: _excess(function, x, goal), *bracket, target, absolute=1e-18)
    return np.select([at_once, never], [start, np.inf], root)


# Number of targets from which interpolation pays, and number of bracketing levels.
_MANY, _LEVELS = 4096, 1025
# Beyond this loss e^ε almost overflows, and the probability of larger losses under P has no digits.
FAR = 650.0
# Number of times that a reach is widened before it is infinite.
_WIDER = 8


def many_decreasing_roots(function: _Function, target: np.ndarray) -> np.ndarray:
    """The same for many targets, to nine digits: the roots at a few levels are found first and serve as brackets."""
    flat = np.ravel(target)
    if flat.size < _MANY:
        return decreasing_root(function, target)
    levels = np.quantile(flat, np.linspace(0.0, 1.0, _LEVELS))
    known = decreasing_root(function, levels)
    place = np.clip(np.searchsorted(levels, flat, side="right"), 1, levels.size - 1)
    right, left = known[place - 1], known[place]
    root = np.where(left == right, left, np.nan)
    open_ = np.flatnonzero((left < right) & np.isfinite(left) & np.isfinite(right))
    ends = left[open_], right[open_], flat[open_]
    root[open_] = bracketed_root(lambda x, goal: _excess(function, x, goal), *ends, absolute=1e-9, relative=1e-9)
    rest = np.isnan(root)
    if rest.any():
        root[rest] = decreasing_root(function, flat[rest])
    return root.reshape(np.shape(target))


def nearest_within(values: np.ndarray, places: np.ndarray, distance: float) -> np.ndarray:
    """The values, each replaced by the nearest of the places, such as atoms, if that is within the distance."""
    places = np.unique(places)
    if not places.size:
        return values
    above = np.clip(np.searchsorted(places, values), 0, places.size - 1)
    for place in (places[above], places[np.maximum(above - 1, 0)]):
        with np.errstate(invalid="ignore"):
            values = np.where(np.abs(values - place) <= distance * (1 + np.abs(place)), place, values)
    return values


def _excess(function: _Function, x: np.ndarray, goal: np.ndarray) -> np.ndarray:
    value = function(x) - goal
    # Equality counts as below the target: the smallest root is wanted.
    value = np.where(value == 0.0, -SMALLEST, value)
    return np.where(np.isfinite(value), value, np.sign(value) * 1e300)


def slope_of_profile(epsilon: np.ndarray, alpha: np.ndarray, exceedance: _Function) -> np.ndarray:
    """−dδ/dε: e^ε α, or, where e^ε overflows and α has no digits, Pr_Q[L > ε] − δ, which `exceedance` computes."""
    slope, far = np.exp(np.minimum(epsilon, FAR)) * alpha, epsilon >= FAR
    if far.any():
        slope[far] = np.maximum(exceedance(far), 0.0)
    return slope


def reach_of_epsilon(
    delta: _Function,
    delta_error: _Function,
    wanted: np.ndarray,
    epsilon: np.ndarray,
    slope: np.ndarray,
    largest: float,
) -> np.ndarray:
    """Bound on the error of each ε that was found for a δ: within it the true profile certainly passes that δ.

    The error of δ along the slope −dδ/dε is proposed, and widened until the profile on both sides confirms it. Beyond
    the `largest` loss the profile is constant.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        moved = 2.0 * delta_error(epsilon) / slope
    reach = np.where((slope > 0) & (moved < 1e300), moved, 0.0) + 4e-14 * (1.0 + epsilon)
    left = np.arange(reach.size)
    for _ in range(_WIDER):
        low, high = np.maximum(epsilon[left] - reach[left], 0.0), epsilon[left] + reach[left]
        not_less = (low == 0) | (delta(low) - delta_error(low) >= wanted[left])
        not_more = (high >= largest) | (wanted[left] >= 1) | (delta(high) + delta_error(high) <= wanted[left])
        left = left[~(not_less & not_more)]
        if not left.size:
            break
        reach[left] *= 8.0
    reach[left] = np.inf
    return reach
