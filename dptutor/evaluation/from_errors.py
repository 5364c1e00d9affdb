"""Faces of a pair from α, β and δ as functions of ε, by search: what mechanisms without closed forms fall back on."""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np

from .._floats import LARGEST_LOSS, LAST_PLACE
from .._types import Size
from .roots import decreasing_root, many_decreasing_roots, nearest_within, reach_of_epsilon, slope_of_profile

# Relative error of a profile in closed form.
_CLOSED = 1e-10


class Pair(Protocol):
    """The hooks of a mechanism that are used here; see `dptutor.mechanisms.base`."""

    def _errors(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]: ...

    def _delta(self, epsilon: np.ndarray) -> np.ndarray: ...

    def _delta_error(self, epsilon: np.ndarray) -> np.ndarray: ...

    @property
    def error_bound(self) -> float: ...

    def _largest_finite_loss(self) -> float: ...

    def _breakpoints(self) -> np.ndarray: ...


def tradeoff_from_errors(pair: Pair, alpha: np.ndarray) -> np.ndarray:
    """f at α."""
    loss = decreasing_root(lambda epsilon: pair._errors(epsilon)[0], alpha)
    at, beta = pair._errors(loss)
    # Move along the supporting line at the point found: exact on atoms, second order elsewhere.
    with np.errstate(over="ignore", invalid="ignore"):
        along = np.where(np.abs(loss) < LARGEST_LOSS, np.exp(loss) * (alpha - at), 0.0)
    # At α = 0 only infinite losses are detected, even where α underflows much earlier.
    beta = np.where(alpha == 0.0, 1.0 - pair._delta(np.full(np.shape(alpha), math.inf)), beta - along)
    return np.clip(beta, 0.0, 1.0 - alpha)


def epsilon_from_profile(pair: Pair, delta: np.ndarray) -> np.ndarray:
    """The smallest ε ≥ 0 with δ(ε) ≤ `delta`; infinite where there is none."""
    highest = max(pair._largest_finite_loss(), 0.0)

    def log_profile(epsilon: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore"):
            return np.log(pair._delta(epsilon))

    with np.errstate(divide="ignore"):
        target = np.log(delta)
    # The mass of infinite losses is reached at the largest finite loss, and never if these are unbounded.
    infinite = pair._delta(np.asarray(math.inf))
    root = decreasing_root(log_profile, np.where(delta <= infinite, 0.0, target), low=0.0)
    root = np.where(delta == infinite, highest, np.minimum(root, highest))
    return np.where(delta < infinite, math.inf, root)


def error_of_epsilon(pair: Pair, delta: np.ndarray, epsilon: np.ndarray) -> np.ndarray:
    """Bound on the error of an ε that was found: the error of δ there, along the slope of the profile."""
    flat, wanted = np.ravel(epsilon).astype(float), np.broadcast_to(np.ravel(delta), np.size(epsilon)).astype(float)
    bound = np.where(np.isfinite(flat), 4e-14 * (1.0 + np.abs(flat)), 0.0)
    found = np.isfinite(flat) & (wanted > 0) & (flat != 0)
    if found.any():
        at = flat[found]
        alpha, beta = pair._errors(at)
        slope = slope_of_profile(at, alpha, lambda far: 1.0 - beta[far] - pair._delta(at[far]))
        largest = pair._largest_finite_loss()
        bound[found] = reach_of_epsilon(pair._delta, pair._delta_error, wanted[found], at, slope, largest)
    return bound.reshape(np.shape(epsilon))


def error_of_closed_form(pair: Pair, epsilon: np.ndarray) -> np.ndarray:
    """Bound on the error of a δ in closed form: a relative one, and the rounding of ε and losses along the slope."""
    flat = np.ravel(epsilon).astype(float)
    value, finite = pair._delta(flat), np.isfinite(flat)
    at = np.where(finite, flat, 0.0)
    rounding = 2 * LAST_PLACE * (1.0 + np.abs(at))
    # The slope slightly to the left: rounding may have moved ε across a kink.
    left = at - rounding
    alpha, beta = pair._errors(left)
    slope = slope_of_profile(left, alpha, lambda far: 1.0 - beta[far] - pair._delta(left[far]))
    away = np.where(finite, rounding, 0.0) * (slope + value)
    bound = _CLOSED * value + away + np.where(flat < 0, 4 * LAST_PLACE, 0.0)
    return np.minimum(bound, pair.error_bound).reshape(np.shape(epsilon))


def sampled_losses(pair: Pair, size: Size, under: str, generator: np.random.Generator) -> np.ndarray:
    """Random losses under P or Q, by inverse transform."""
    # Pr_P[L > ε] = u, or Pr_Q[L ≤ ε] = u, for a uniform u.
    uniform = np.asarray(generator.random(size))
    if under == "P":
        losses = many_decreasing_roots(lambda epsilon: pair._errors(epsilon)[0], uniform)
    else:
        losses = many_decreasing_roots(lambda epsilon: -pair._errors(epsilon)[1], -uniform)
    return nearest_within(losses, pair._breakpoints(), 1e-8)
