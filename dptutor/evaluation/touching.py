"""The trade-off function from a profile that is known at some losses, with a bound on its error.

With y = e^ε, 1 − δ is a concave function r of y, and f(α) = max_y [r(y) − αy]. Every y gives a line below f. An upper
bound on f follows from upper bounds on r: between two known points r lies below the chords on either side, extended;
also r(y) ≤ y, its slope is at most 1, and it is at most the mass of finite losses. Slopes of the profile are not used,
because they may have few digits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from .._floats import LARGEST_LOSS, LAST_PLACE

# Chords to this many preceding points are used: the slope to the nearest ones may have no digits.
_BEFORE = 16
# Losses are added until f is known up to this,
_SHARP = 1e-12
# or up to the error of 1 − δ and, each time, this share of it more,
_MORE_OF_ERROR = 0.05
# but at most this many times,
_ROUNDS = 12
# at these fractions of the distance between two.
_WITHIN = np.array([1e-3, 1e-2, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 0.999])[:, None]
# Losses between which e^ε and e^−ε are normal numbers.
SMALLEST, LARGEST = -LARGEST_LOSS, 709.0


def highest_lines(
    losses: np.ndarray,
    rest: np.ndarray,
    below: np.ndarray,
    above: np.ndarray,
    alpha: np.ndarray,
    masses: Sequence[float],
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """f at each α, a bound on its error, and the places of the two losses between which the upper bound is attained.

    Parameters
    ----------
    losses, rest, below, above : ndarray
        Losses between `SMALLEST` and `LARGEST`, increasing in each column; 1 − δ of the finite losses there, and bounds
        on how much the true one is below or above that. One column for each α.
    alpha : ndarray
    masses : tuple of float
        Pr_Q and Pr_P of finite losses.
    """
    with np.errstate(divide="ignore", over="ignore", under="ignore", invalid="ignore"):
        fall = np.exp(np.minimum(losses + np.log(alpha), LARGEST_LOSS))
        rounding = LAST_PLACE * (2.0 + np.minimum(fall, 2.0) * (2.0 + np.abs(losses)))
        low = np.maximum(rest - np.fmin(below, 1.0) - rounding, 0.0)
        high = np.minimum(rest + np.fmin(above, 1.0) + rounding, masses[0] + LAST_PLACE)
        # Differences that may be mere rounding become 0: near α = 1 f would otherwise not be convex.
        value = np.clip((np.maximum(rest - 32 * LAST_PLACE, 0.0) - fall).max(axis=0), 0.0, 1.0 - alpha)
        at_least = np.maximum((low - fall).max(axis=0), 0.0)
        at_most, doubtful = _at_most(losses, low, high, alpha, *masses)
        at_most = np.minimum(at_most, 1.0 - alpha)
    # At α = 0 only infinite losses are detected.
    value = np.where(alpha == 0.0, masses[0], value)
    bound = np.where(alpha == 0.0, 0.0, np.maximum(at_most - value, value - at_least))
    return value, bound + 2 * LAST_PLACE, doubtful


def known_at(
    lines: Callable[[np.ndarray], tuple[np.ndarray, ...]],
    losses: np.ndarray,
    alpha: np.ndarray,
    masses: Sequence[float],
) -> tuple[np.ndarray, np.ndarray]:
    """f at each α and a bound on its error; losses are added where it is not sharp enough.

    The initial losses are columns, one for each α. `lines` maps losses to 1 − δ, without infinite losses, and bounds
    on how much the true one is below or above that.
    """
    rest, below, above = lines(losses)
    value, bound, doubtful = highest_lines(losses, rest, below, above, alpha, masses)
    open_ = np.arange(alpha.size)
    for turn in range(_ROUNDS):
        own = bound[open_]
        first, last = np.take_along_axis(losses, doubtful, axis=0)
        error = np.take_along_axis(np.maximum(below, above), doubtful, axis=0).max(axis=0)
        still = (own > _SHARP) & (own > (1.0 + _MORE_OF_ERROR * turn) * error)
        if not still.any():
            break
        open_, more = open_[still], (first + (last - first) * _WITHIN)[:, still]
        pairs = zip((losses, rest, below, above), (more, *lines(more)), strict=True)
        together = [np.concatenate([old[:, still], new]) for old, new in pairs]
        order = np.argsort(together[0], axis=0, kind="stable")
        losses, rest, below, above = (np.take_along_axis(each, order, axis=0) for each in together)
        value[open_], bound[open_], doubtful = highest_lines(losses, rest, below, above, alpha[open_], masses)
    return value, bound


def _at_most(
    losses: np.ndarray, low: np.ndarray, high: np.ndarray, alpha: np.ndarray, mass: float, mass_p: float
) -> tuple[np.ndarray, np.ndarray]:
    """An upper bound on r(y) − αy, and the places of the losses between which it is attained.

    Distances and slopes at a point are in units of its y.
    """
    count = len(losses)
    mass_p = mass_p * (1.0 + 4 * LAST_PLACE)
    rising, falling = mass_p * np.exp(losses), np.zeros(losses.shape)
    for back in range(1, min(_BEFORE, count - 1) + 1):
        gap = losses[back:] - losses[:-back]
        slope = (high[back:] - low[:-back]) / -np.expm1(-gap)
        rising[back:] = np.fmin(rising[back:], np.where(gap > 0, slope, np.inf))
        slope = (low[back:] - high[:-back]) / np.expm1(gap)
        falling[:-back] = np.fmax(falling[:-back], np.where(gap > 0, slope, 0.0))
    tilt = np.exp(np.minimum(losses + np.log(alpha), LARGEST_LOSS))
    # Between each two points: the extended chord from the left, the one from the right, and their intersection.
    here, after, ratio = slice(None, -1), slice(1, None), np.expm1(np.diff(losses, axis=0))
    start, end, up = high[here], high[after], rising[here]
    down = falling[after] * np.exp(-np.diff(losses, axis=0))
    crossing = np.clip((end - down * ratio - start) / (up - down), 0.0, ratio)
    best = np.full(ratio.shape, -np.inf)
    for way in (np.zeros(ratio.shape), np.where(np.isnan(crossing), 0.0, crossing), ratio):
        r = np.fmin(start + up * way, end - down * (ratio - way))
        best = np.fmax(best, r - tilt[here] * (1.0 + way))
    place, best = np.argmax(best, axis=0), best.max(axis=0)
    # Before the first point r is at most P's mass times y, beyond the last one at most Q's mass.
    first = np.exp(losses[0])
    crossing = (high[0] - falling[0]) / np.maximum(mass_p - falling[0] / first, 1e-300)
    crossing = np.clip(crossing, 0.0, np.minimum(first, high[0] / max(mass_p, 1e-300)))
    best = np.fmax(best, crossing * np.maximum(mass_p - alpha, 0.0))
    way = np.maximum(mass - high[-1], 0.0) / np.maximum(rising[-1], 1e-300)
    last = np.where(rising[-1] > tilt[-1], mass - tilt[-1] * (1.0 + way), high[-1] - tilt[-1])
    return np.fmax(best, np.where(np.isfinite(last), last, 0.0)), np.array([place, place + 1])
