"""The staircase mechanism: noise whose density is a flight of steps, the best among all additive noise of pure privacy.

With b = e^(−ε), the density is a b^k at distances from kΔ to (k + γ)Δ, and a b^(k+1) from there to (k + 1)Δ, where
2Δa = (1 − b)/(γ + b(1 − γ)). A shift of Δ makes every step meet the next one: losses are ±ε, but for a plain between
the two laws, of mass

    b (1 − 2γ) Δa   for γ ≤ ½,      (2γ − 1) Δa   for γ ≥ ½,

where both densities are the same. Smaller shifts move less mass to the loss ε, so Δ is the worst.

Source: Geng & Viswanath (2016); Geng, Kairouz, Oh & Viswanath (2015).
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .._types import Number
from .._validation import real_number
from ..evaluation.finite_law import FiniteLaw
from .finite import SymmetricFiniteMechanism, _response, _response_key, law_of_three
from .selection import loss_range


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Staircase(SymmetricFiniteMechanism):
    """Adds staircase noise to a number. Exact: the pair dominates all neighbors, and attains them.

    Parameters
    ----------
    epsilon : float
        Positive, at most 700; by default 1. The mechanism is (ε, 0)-differentially private. The attribute is called
        `largest_loss`, because `epsilon` is a method.
    gamma : float, optional
        γ in [0, 1], the width of a step's upper part over the sensitivity; by default 1/(1 + e^(ε/2)), which makes the
        mean size of the noise smallest.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    References
    ----------
    Geng & Viswanath (2016).

    Examples
    --------
    Against noise with the same ε that is Laplace:

    >>> import dptutor as dp
    >>> m = dp.Staircase(epsilon=1)
    >>> m.epsilon(0), round(m.advantage, 4), round(dp.Laplace(scale=1).advantage, 4)
    (1.0, 0.4404, 0.3935)
    """

    largest_loss: float
    gamma: float

    def __init__(
        self, epsilon: Number | None = None, gamma: Number | None = None, *, largest_loss: float = 1.0
    ) -> None:
        largest_loss = loss_range(largest_loss if epsilon is None else epsilon)
        object.__setattr__(self, "largest_loss", largest_loss)
        best = math.exp(-largest_loss / 2) / (1.0 + math.exp(-largest_loss / 2))
        object.__setattr__(self, "gamma", best if gamma is None else real_number("gamma", gamma, 0.0, 1.0))

    @property
    def _key(self) -> Hashable:
        if self.gamma == 0.5:
            return _response_key(self.largest_loss, 0.0)
        # Steps of one part only are the same.
        return "Staircase", self.largest_loss, self.gamma % 1.0

    def __repr__(self) -> str:
        return f"Staircase(epsilon={self.largest_loss!r}, gamma={self.gamma!r})"

    def _outcomes(self) -> tuple[np.ndarray, np.ndarray]:
        gamma, shrink, rest = self.gamma, math.exp(-self.largest_loss), -math.expm1(-self.largest_loss)
        # Without cancellation in 1 − plain.
        if gamma <= 0.5:
            larger, plain = shrink + 2.0 * gamma * rest, shrink * (1.0 - 2.0 * gamma) * rest
        else:
            larger, plain = 1.0, (2.0 * gamma - 1.0) * rest
        larger, plain = (each / (2.0 * (gamma + shrink * (1.0 - gamma))) for each in (larger, plain))
        p = np.array([larger, plain, shrink * larger])
        return p, p[::-1]

    @cached_property
    def _law(self) -> FiniteLaw:
        if self.gamma == 0.5 or self.largest_loss < 1e-30:
            return _response(self.largest_loss, 0.0)
        return law_of_three(self.largest_loss, *self._outcomes())
