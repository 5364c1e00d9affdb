"""The privacy loss random variable L = log dQ/dP, the face that accountants read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .._validation import choice, real_array, shaped

if TYPE_CHECKING:
    from .base import Mechanism


@dataclass(frozen=True)
class PrivacyLoss:
    """L = log dQ/dP of a mechanism's pair, under `"P"` or under `"Q"`; it may take the values −∞ and +∞.

    The posterior belief of an adversary with prior ½ is the logistic function of L, so the distribution of L is
    the distribution of what the adversary can come to believe.
    """

    mechanism: Mechanism

    def sf(self, x, under: str = "Q"):
        """Pr[L > x], for real x of any shape."""
        alpha, beta = self.mechanism._errors(real_array("x", x))
        return shaped(alpha if choice("under", under, ("P", "Q")) == "P" else 1.0 - beta)

    def cdf(self, x, under: str = "Q"):
        """Pr[L ≤ x], for real x of any shape."""
        alpha, beta = self.mechanism._errors(real_array("x", x))
        return shaped(beta if choice("under", under, ("P", "Q")) == "Q" else 1.0 - alpha)

    def mean(self, under: str = "Q") -> float:
        """E[L]: the Kullback-Leibler divergence of Q from P under Q, minus that of P from Q under P."""
        return self.mechanism._loss_moments(choice("under", under, ("P", "Q")))[0]

    def variance(self, under: str = "Q") -> float:
        """Var[L]; infinite or NaN-free infinite where L takes infinite values."""
        return self.mechanism._loss_moments(choice("under", under, ("P", "Q")))[1]

    def sample(self, size, under: str = "Q", seed=None) -> np.ndarray:
        """Independent draws of L, an array of shape `size`; `seed` as for `numpy.random.default_rng`."""
        generator = np.random.default_rng(seed)
        return self.mechanism._sample_loss(size, choice("under", under, ("P", "Q")), generator)
