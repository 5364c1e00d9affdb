"""Draws from two laws, P and Q, that fall into an explorer's picture, pile up and are counted at a threshold.

A law is given by its quantiles at `LEVELS`, between which the script interpolates: for a normal law this changes no
probability by more than 0.0003, while the share of a thousand draws is uncertain by 0.01. A draw is stored as a number
u between 0 and 1. Its place follows from u and the setting, so that all draws are always from the law that is shown,
and none moves with the threshold.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import ndtr

from .tables import Table

if TYPE_CHECKING:
    from .panel import Panel

LEVELS = ndtr(np.linspace(-4, 4, 81))


@dataclass(frozen=True)
class Samples:
    """The draws that `Panel.samples` declares."""

    panel: Panel
    table: Table
    cut: str
    fills: tuple[str, str]
    bases: tuple[float, float]
    bin: float
    hides: tuple[str, ...]
    tells: dict[str, str]
    says: str
    shares: Panel | None
    total: int


def quantile_table(quantiles: Callable[..., object], panel: Panel) -> Table:
    """The table of the quantiles of P, then of Q."""
    low, high = panel.xlim
    return Table(quantiles, panel.explorer.parameters, _QuantilesEncoder(2 * low - high, 2 * high - low))


@dataclass(frozen=True)
class _QuantilesEncoder:
    """Places on an axis, in steps of 1/65,535 of three times its length."""

    low: float
    high: float
    kind = "quantiles"

    @property
    def step(self) -> float:
        return (self.high - self.low) / 65535

    @property
    def manifest(self) -> dict[str, float]:
        return {"low": self.low, "step": self.step}

    def encode(self, value: Any) -> np.ndarray:
        places = np.array(value, dtype=float)
        if places.shape != (2, len(LEVELS)):
            raise ValueError(f"expected the quantiles of two laws at {len(LEVELS)} levels, got {places.shape}")
        if not ((self.low <= places) & (places <= self.high) & (np.diff(places, prepend=-np.inf) >= 0)).all():
            raise ValueError(f"quantiles must rise, from {self.low:g} to {self.high:g} at most")
        return np.rint((places - self.low) / self.step).astype(np.uint16).ravel()
