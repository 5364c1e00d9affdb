"""Hellinger transforms and their logarithms, with bounds on their errors."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from .._floats import LARGEST_LOG, LAST_PLACE, SMALLEST


def logarithm(value: np.ndarray, error: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """log H and a bound on its error, from H and its bound; NaN with an infinite bound if H may be 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        share = error / np.abs(value)
        known = share < 1.0
        log_h = np.log(np.where(known, value, math.nan))
        bound = -np.log1p(-np.where(known, share, 0.0)) + 2 * LAST_PLACE * np.abs(log_h)
        return log_h, np.where(known, bound, math.inf)


def exponential(log_h: np.ndarray, error: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """H and a bound on its error, from log H and its bound; infinite if H overflows or nothing is known."""
    known = np.isfinite(error) & ~np.isnan(log_h.real)
    fits = known & (log_h.real < LARGEST_LOG)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        value = np.where(fits, np.exp(np.where(fits, log_h, 0.0)), math.inf)
        log_size = np.where(fits & np.isfinite(log_h), np.abs(log_h), 0.0)
        bound = np.abs(value) * (np.expm1(np.where(known, error, 0.0)) + 4e-16 * (1.0 + log_size)) + SMALLEST
    return value, np.where(fits, bound, math.inf)


def exponentiated(
    log_hellinger: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]],
    log_envelope: Callable[[np.ndarray], np.ndarray],
    s: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """H and a bound on its error, from log H and its bound; if log H is unknown, from the bound |H| ≤ H(Re s)."""
    value, error = np.empty(s.shape, dtype=complex), np.empty(s.shape)
    # A call uses the same nodes for all its s: group those with similar real parts.
    near = np.round(2.0 * s.real)
    for line in np.unique(near):
        value[near == line], error[near == line] = exponential(*log_hellinger(s[near == line]))
    unknown = np.flatnonzero(~np.isfinite(error))
    if unknown.size:
        most = np.exp(log_envelope(s[unknown])) * (1.0 + 1e-9)
        some = unknown[np.isfinite(most)]
        value[some], error[some] = 0.0, most[np.isfinite(most)]
    return value, error
