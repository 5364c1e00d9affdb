"""Roots of decreasing functions, elementwise, without a bracket given; and trade-off functions by tangents."""

from __future__ import annotations

import numpy as np
from scipy.interpolate import PchipInterpolator
from scipy.optimize.elementwise import find_root
from scipy.special import logit


def decreasing_root(function, target, *, low=None, guess=None):
    """The smallest x, elementwise, at which the decreasing `function` is at or below `target`.

    The search starts around 0 and doubles its bracket; −∞ or +∞ where the function is below or above the target
    everywhere. With `low` the search starts there, and `low` is returned where the function is below already.
    With a `guess` it starts around that, closely.
    Jumps of the function are located as precisely as its zeros.
    """
    target = np.asarray(target, dtype=float)
    start = -np.inf if low is None else low
    at_once = function(np.full(target.shape, start)) <= target
    never = function(np.full(target.shape, np.inf)) > target
    searched = ~(at_once | never)
    if guess is None:
        left = np.full(target.shape, -1.0 if low is None else low)
        right = left + 2.0
    else:
        left, right = np.maximum(guess * 0.98 - 0.01, start), guess * 1.02 + 0.01
    while (too_far := searched & (left > start) & (function(left) <= target)).any():
        left = np.where(too_far, np.maximum(left - 2 * (right - left), start), left)
    while (too_near := searched & (function(right) > target)).any():
        right = np.where(too_near, right + 2 * (right - left), right)

    def excess(x, goal):
        value = function(x) - goal
        # Equality counts as below, so that the lower end of a flat stretch is found.
        value = np.where(value == 0.0, -5e-324, value)
        return np.where(np.isfinite(value), value, np.sign(value) * 1e300)

    # An empty bracket where there is nothing to search.
    bracket = np.where(searched, left, 0.0), np.where(searched, right, 0.0)
    tolerances = {"xatol": 1e-18, "xrtol": 4e-16, "fatol": 0.0, "frtol": 0.0}
    root = find_root(excess, bracket, args=(target,), tolerances=tolerances).x
    return np.select([at_once, never], [start, np.inf], root)


# So often a table of losses is made finer where it is too coarse; what it does not find then is a jump.
_ROUNDS = 5
# How far apart the tangent below f and the chord above it may be.
_APART = 5e-13


def tradeoff_by_tangents(errors, window, alpha):
    """f(α) by the tangent at a loss whose type I error is close to α: what the loss is off counts squared.

    Parameters
    ----------
    errors : callable
        Losses ε ↦ (α, β).
    window : tuple
        The losses between which α falls from 1 to 0, but for rounding.
    alpha : ndarray
        Type I errors, in [0, 1].
    """
    # Where both directions of a pair are as bad, at ε = 0, a symmetrized R has a kink.
    losses = np.sort(np.append(np.linspace(*window, 512), [-1e-10, 1e-10]))
    points = np.array(errors(losses))
    if np.count_nonzero((points[0] > 0.0) & (points[0] < 1.0)) < 2:
        # Nothing between certainty and certainty: the best test errs in neither world.
        return np.where(alpha > 0, 0.0, np.minimum(errors(np.asarray(window[1]))[1], 1.0))
    value, off = np.empty(alpha.shape), np.ones(alpha.shape, dtype=bool)
    for _ in range(_ROUNDS):
        loss = _loss_near(alpha[off], losses, points[0])
        found = np.array(errors(loss))
        value[off] = _on_tangent(alpha[off], loss, found)
        # f is convex: it lies above its tangents and below the chord of two of its points.
        losses, order = np.unique(np.append(losses, loss), return_index=True)
        points = np.append(points, found, axis=1)[:, order]
        chord = np.interp(alpha[off], *points[:, np.argsort(points[0], kind="stable")])
        off[off] = chord - value[off] > _APART
        if not off.any():
            break
    else:
        # Where α jumps, at another kink of R, the loss has to be found exactly.
        loss = decreasing_root(lambda epsilon: errors(epsilon)[0], alpha[off])
        value[off] = _on_tangent(alpha[off], loss, errors(loss))
    return np.clip(value, 0.0, 1.0 - alpha)


def _on_tangent(alpha, loss, point):
    return point[1] - np.exp(np.minimum(loss, 700.0)) * (alpha - point[0])


def _loss_near(alpha, losses, table):
    """Losses whose type I error is close to α, by interpolation of those in a table."""
    kept = np.flatnonzero((table > 0.0) & (table < 1.0))
    log_odds = logit(table[kept])
    kept = kept[np.append(True, np.diff(np.minimum.accumulate(log_odds)) < 0.0)]
    log_odds, losses = logit(table[kept]), losses[kept]
    sought = np.clip(logit(np.clip(alpha, 1e-300, 1 - 1e-16)), log_odds[-1], log_odds[0])
    loss = np.zeros(alpha.shape)
    for side in (losses < 0.0, losses > 0.0):
        # Each side of the kink on its own: in between f is the line of slope −1.
        if side.sum() > 1:
            inside = (sought <= log_odds[side][0]) & (sought >= log_odds[side][-1])
            loss[inside] = PchipInterpolator(-log_odds[side], losses[side])(-sought[inside])
    return loss
