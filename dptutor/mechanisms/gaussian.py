"""The Gaussian mechanism: P = N(0, σ²), Q = N(Δ, σ²), that is N(0, 1) against N(μ, 1) with μ = Δ/σ.

    f(α) = Φ(Φ⁻¹(1−α) − μ),    δ(ε) = Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ),    L ~ N(±μ²/2, μ²) under Q and P,
    H(s) = e^{s(s−1)μ²/2}.

Its trade-off function is symmetric. Composition adds μ².

Sources: Dong, Roth & Su (2022), theorem 2.7; Balle & Wang (2018), theorem 8 (the analytic Gaussian mechanism).
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import erfcx, ndtr, ndtri

from .._floats import LAST_PLACE
from .._types import Size
from .._validation import positive_number
from ..evaluation.laws import LossLaw, NormalLaw
from ..evaluation.polynomials import gauss
from .base import Mechanism

# For μ below this the difference of two terms, which would cancel, is computed as an integral.
_SMALL = 0.1
_NODES, _WEIGHTS = gauss(16)


@dataclass(frozen=True, eq=False)
class Gaussian(Mechanism):
    """Adds normal noise of standard deviation `sigma` to a query of L2 sensitivity `sensitivity`.

    Parameters
    ----------
    sigma : float
        Standard deviation of the noise, positive, in the units of the query.
    sensitivity : float
        Largest change of the query by one example, positive, in the same units.

    Raises
    ------
    ValueError
        If a parameter is not positive and finite.

    References
    ----------
    Dong, Roth & Su (2022), theorem 2.7; Balle & Wang (2018), theorem 8.

    Examples
    --------
    >>> import dptutor as dp
    >>> round(dp.Gaussian(sigma=1).advantage, 6)
    0.382925
    """

    sigma: float = 1.0
    sensitivity: float = 1.0

    def __post_init__(self) -> None:
        for name in ("sigma", "sensitivity"):
            object.__setattr__(self, name, positive_number(name, getattr(self, name)))
        if not 0.0 < self.mu < 1e150:
            raise ValueError(f"sensitivity/sigma must be in (0, 1e150), got {self.mu!r}")

    @property
    def mu(self) -> float:
        """μ = sensitivity/sigma, the parameter of Gaussian differential privacy.

        Examples
        --------
        >>> import dptutor as dp
        >>> dp.Gaussian(sigma=4, sensitivity=2).mu, (dp.Gaussian(sigma=2) ** 4).mu
        (0.5, 1.0)
        """
        return self.sensitivity / self.sigma

    @property
    def _key(self) -> Hashable:
        return "Gaussian", self.mu

    @property
    def is_symmetric(self) -> bool:
        return True

    @property
    def error_bound(self) -> float:
        return max(super().error_bound, LAST_PLACE * self.mu)

    @property
    def reverse(self) -> Gaussian:
        return self

    def _errors(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        with np.errstate(over="ignore"):
            in_sigmas = epsilon / self.mu
        return ndtr(-self.mu / 2 - in_sigmas), ndtr(in_sigmas - self.mu / 2)

    def _delta(self, epsilon: np.ndarray) -> np.ndarray:
        return gaussian_profile(self.mu, epsilon)

    def _tradeoff(self, alpha: np.ndarray) -> np.ndarray:
        return ndtr(-ndtri(alpha) - self.mu)

    def _renyi(self, order: np.ndarray) -> np.ndarray:
        return order * self.mu**2 / 2

    def _loss_moments(self, under: str) -> tuple[float, float]:
        return (1 if under == "Q" else -1) * self.mu**2 / 2, self.mu**2

    def _sample_loss(self, size: Size, under: str, generator: np.random.Generator) -> np.ndarray:
        mean, variance = self._loss_moments(under)
        return generator.normal(mean, math.sqrt(variance), size)

    def _of_group(self, size: int) -> Mechanism | None:
        return replace(self, sensitivity=size * self.sensitivity)

    def _loss_law(self) -> LossLaw | None:
        return NormalLaw(self.mu)

    def _hellinger(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self._exponentiated(s)

    def _log_hellinger(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """log H(s), and a bound on its error."""
        half = self.mu**2 / 2
        return s * (s - 1) * half, 1e-15 * half * np.abs(s) * (1 + np.abs(s))

    def _log_envelope(self, s: np.ndarray) -> np.ndarray:
        s = np.asarray(s)
        return (s.real * (s.real - 1.0) - s.imag**2) * self.mu**2 / 2


def gaussian_profile(mu: float, epsilon: np.ndarray) -> np.ndarray:
    """δ(ε) of N(0, 1) against N(μ, 1), relatively accurate down to the smallest numbers."""
    # By e^ε φ(b) = φ(a), both terms share the factor φ(a): δ = φ(a) [M(a) − M(b)] with Mills' ratio M.
    with np.errstate(over="ignore", invalid="ignore"):
        size = np.abs(epsilon)
        a, b = size / mu - mu / 2, size / mu + mu / 2
        density = np.exp(-(a**2) / 2)
        delta = density / math.sqrt(2 * math.pi) * _mills_drop(a, mu)
        if mu > _SMALL:
            # If δ is not small, its two terms can be subtracted.
            delta = np.where(a > 0, delta, ndtr(-a) - density * erfcx(b / math.sqrt(2)) / 2)
        delta = np.where(np.isinf(a), 0.0, delta)
        # By symmetry, δ(−ε) = 1 − e^−ε + e^−ε δ(ε).
        return np.where(epsilon < 0, np.exp(-size) * delta - np.expm1(-size), delta)


def _mills_drop(a: np.ndarray, mu: float) -> np.ndarray:
    """M(a) − M(a + μ) for a ≥ 0, or any a > −μ if μ is small, with Mills' ratio M(x) = Φ(−x)/φ(x)."""
    if mu > _SMALL:
        a = np.maximum(a, 0.0)
        return mills(a) - mills(a + mu)
    # −M' = 1 − x M(x) integrated over [a, a + μ], where the difference would cancel.
    x = a[..., None] + mu * (_NODES + 1) / 2
    return mu / 2 * np.sum(_minus_mills_slope(x) * _WEIGHTS, axis=-1)


def mills(x: np.ndarray) -> np.ndarray:
    """The Mills ratio (1 − Φ(x))/φ(x)."""
    return math.sqrt(math.pi / 2) * erfcx(x / math.sqrt(2))


def _minus_mills_slope(x: np.ndarray) -> np.ndarray:
    """1 − x M(x), by an asymptotic series if the difference would cancel."""
    with np.errstate(divide="ignore", over="ignore"):
        square = 1.0 / np.maximum(x, 1.0) ** 2
    series = square * (1 - 3 * square * (1 - 5 * square * (1 - 7 * square * (1 - 9 * square * (1 - 11 * square)))))
    return np.where(x > 30, series, 1 - x * mills(x))
