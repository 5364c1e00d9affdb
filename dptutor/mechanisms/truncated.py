"""DP-SGD with Poisson batches that are cut to a largest size: an upper bound.

Of n examples the batch of a step exceeds B with probability τ₁ = Pr[Bin(n, p) > B], and some batch of T steps does with
τ = 1 − (1 − τ₁)^T ≤ T τ₁. Until then nothing differs from Poisson batches, so each of P and Q moves by at most τ, and

    δ(ε) ≤ δ_Poisson(ε) + τ (1 + e^ε),      f(α) ≥ max(f_Poisson(α + τ) − τ, 0).

Source: Chua, Ghazi, Kamath, Kumar, Manurangsi, Sinha & Zhang (2024), "Scalable DP-SGD".
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import betainc

from .._floats import LARGEST_LOSS, LAST_PLACE
from .._validation import choice, positive_integer
from .base import Mechanism
from .directed import DIRECTIONS, Directed
from .subsampled import DPSGD


@dataclass(frozen=True, eq=False)
class TruncatedPoisson(Directed):
    """DP-SGD in Poisson batches of which none may be larger than `largest_batch`: an upper bound, proven by coupling.

    Parameters
    ----------
    noise_multiplier, sampling_rate : float
        As for `SubsampledGaussian`.
    steps : int
        Number of steps, at least 1.
    examples : int
        n, the number of examples, at least 1.
    largest_batch : int
        B, at least 1; larger batches are cut to this size.
    direction : {"both", "add", "remove"}
        As for `SubsampledGaussian`.

    Raises
    ------
    ValueError, TypeError
        If a parameter is outside its range, or a number not an integer.

    References
    ----------
    Chua, Ghazi, Kamath, Kumar, Manurangsi, Sinha & Zhang (2024), "Scalable DP-SGD".

    Examples
    --------
    Batches of 100 on average are cut to 200, and to 160:

    >>> import dptutor as dp
    >>> [round(dp.TruncatedPoisson(0.6, 0.01, 500, 10_000, b).epsilon(1e-5), 4) for b in (200, 160)]
    [5.8002, inf]
    >>> dp.TruncatedPoisson(0.6, 0.01, 500, 10_000, 200).cut < 1e-15
    True
    """

    noise_multiplier: float
    sampling_rate: float
    steps: int
    examples: int
    largest_batch: int
    direction: str = "both"

    def __post_init__(self) -> None:
        run = DPSGD(self.noise_multiplier, self.sampling_rate, self.steps)
        for name in ("noise_multiplier", "sampling_rate", "steps"):
            object.__setattr__(self, name, getattr(run, name))
        for name in ("examples", "largest_batch"):
            object.__setattr__(self, name, positive_integer(name, getattr(self, name)))
        if self.examples > 10**12:
            raise ValueError(f"examples must be at most 1e12, got {self.examples}")
        choice("direction", self.direction, DIRECTIONS)

    @property
    def cut(self) -> float:
        """τ, the probability that some batch is cut, rounded up in its thirteenth digit; a larger τ is a bound too.

        Examples
        --------
        >>> import dptutor as dp
        >>> round(dp.TruncatedPoisson(1, 0.1, steps=2, examples=2, largest_batch=1).cut, 6)
        0.0199
        """
        if self.largest_batch >= self.examples:
            return 0.0
        if self.sampling_rate == 1.0:
            return 1.0
        # Pr[Bin(n, p) > B] is a regularized beta function.
        tail = betainc(self.largest_batch + 1.0, float(self.examples - self.largest_batch), self.sampling_rate)
        one = float(tail) * (1.0 + 5e-13)
        return -math.expm1(self.steps * math.log1p(-one)) if one < 1.0 else 1.0

    @cached_property
    def _removal(self) -> Mechanism:
        run = DPSGD(self.noise_multiplier, self.sampling_rate, self.steps, "remove")
        return Moved(run, self.cut) if self.cut else run


@dataclass(frozen=True, eq=False, repr=False)
class Moved(Mechanism):
    """A pair of which each distribution may be moved by τ in total variation: the least private such pair."""

    run: Mechanism
    share: float

    def __repr__(self) -> str:
        return f"({self.run!r}, each distribution moved by {self.share!r})"

    @property
    def is_symmetric(self) -> bool:
        return self.run.is_symmetric

    @cached_property
    def reverse(self) -> Mechanism:
        return self if self.is_symmetric else Moved(self.run.reverse, self.share)

    @property
    def error_bound(self) -> float:
        return self.run.error_bound

    @cached_property
    def _ends(self) -> tuple[float, float]:
        """α and β at losses of +∞ and −∞: where the curve meets both axes."""
        at = np.asarray(min(self.share, 1.0))
        top, right = (max(float(m._tradeoff(at)) - self.share, 0.0) for m in (self.run, self.run.reverse))
        return top, right

    def _tradeoff(self, alpha: np.ndarray) -> np.ndarray:
        moved = np.asarray(alpha, dtype=float) + self.share
        return np.where(moved < 1.0, np.maximum(self.run._tradeoff(np.minimum(moved, 1.0)) - self.share, 0.0), 0.0)

    def _tradeoff_error(self, alpha: np.ndarray) -> np.ndarray:
        return self.run._tradeoff_error(np.minimum(np.asarray(alpha) + self.share, 1.0)) + 1e-15

    def _errors(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        alpha, beta = self.run._errors(epsilon)
        top, right = self._ends
        # Where one of them is 0, the other has its value on that axis.
        low, high = alpha < self.share, beta < self.share
        alpha = np.where(low, 0.0, np.where(high, right, np.maximum(alpha - self.share, 0.0)))
        return alpha, np.where(low, top, np.where(high, 0.0, np.maximum(beta - self.share, 0.0)))

    def _delta(self, epsilon: np.ndarray) -> np.ndarray:
        epsilon = np.asarray(epsilon, dtype=float)
        alpha, beta = self.run._errors(epsilon)
        top, right = self._ends
        with np.errstate(over="ignore", invalid="ignore"):
            grown = np.exp(np.minimum(epsilon, LARGEST_LOSS))
            inside = self.run._delta(epsilon) + self.share * (1.0 + grown)
            value = np.where(alpha < self.share, 1.0 - top, np.where(beta < self.share, 1.0 - grown * right, inside))
        return np.clip(value, np.maximum(-np.expm1(np.minimum(epsilon, 0.0)), 0.0), 1.0)

    def _delta_error(self, epsilon: np.ndarray) -> np.ndarray:
        epsilon = np.asarray(epsilon, dtype=float)
        # On the axes the curve is that of one point.
        alpha, beta = self.run._errors(epsilon)
        inside = (alpha >= self.share) & (beta >= self.share)
        within = np.clip(epsilon, -LARGEST_LOSS, LARGEST_LOSS)
        rounding = 4 * LAST_PLACE * self.share * (1.0 + np.exp(within) * (1.0 + np.abs(within)))
        return np.where(inside, self.run._delta_error(epsilon) + rounding, self.error_bound) + 1e-15
