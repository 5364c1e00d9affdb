"""Noise of whole numbers: discrete Laplace (two-sided geometric) and discrete Gaussian.

P is the law of the noise X, Q that of X + Δ, for a whole number Δ, the sensitivity. With masses ∝ e^(−|x|/b) and
∝ e^(−x²/2σ²) the loss at x is

    Laplace:  (|x| − |x − Δ|)/b, of Δ + 1 values from −Δ/b to Δ/b;      Gaussian:  Δ (2x − Δ)/2σ².

Both laws are log-concave, so a larger shift is always the worse one, and neighbors that differ by Δ dominate all
others. Of the discrete Gaussian H(s) = e^(s(s−1)Δ²/2σ²) θ(sΔ)/θ(0) with θ(c) = Σ_x e^(−(x−c)²/2σ²).

Sources: Ghosh, Roughgarden & Sundararajan (2012) for the geometric mechanism; Canonne, Kamath & Steinke (2020)
for the discrete Gaussian.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Self

import numpy as np
from scipy.special import logsumexp

from .._floats import LARGEST_LOSS, UNIT_ROUNDOFF
from .._validation import positive_integer, positive_number
from ..evaluation.finite_law import AtomicLaw, FiniteLaw, TooManyAtoms
from ..evaluation.finite_two import TwoLosses
from ..evaluation.transforms import logarithm
from .finite import SymmetricFiniteMechanism

# Largest number of outcomes of a law,
_MOST_OUTCOMES = 2_000_000
# and of a law that is convolved.
_MOST_CONVOLVED = 40_000
# Number of standard deviations beyond which masses underflow.
_DEVIATIONS = 38.4


@dataclass(frozen=True, eq=False)
class DiscreteLaplace(SymmetricFiniteMechanism):
    """Adds two-sided geometric noise, Pr[X = x] ∝ e^(−|x|/scale), to a whole number.

    Exact: the pair dominates all neighbors, and attains them. With sensitivity 1 the faces are those of randomized
    response with ε = 1/scale.

    Parameters
    ----------
    scale : float
        b, positive.
    sensitivity : int
        Δ, the largest change of the number by one example, at least 1; Δ/b is at most 700.

    Raises
    ------
    ValueError, TypeError
        If `scale` is not positive and finite, `sensitivity` no integer, or their ratio too large.

    References
    ----------
    Ghosh, Roughgarden & Sundararajan (2012).

    Examples
    --------
    >>> import dptutor as dp
    >>> m = dp.DiscreteLaplace(scale=2, sensitivity=3)
    >>> m.epsilon(0), round(m.advantage, 6), round(dp.Laplace(scale=2, sensitivity=3).advantage, 6)
    (1.5, 0.54202, 0.527633)
    """

    scale: float = 1.0
    sensitivity: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", positive_number("scale", self.scale))
        object.__setattr__(self, "sensitivity", _sensitivity(self.sensitivity, 0.0))
        if not 0.0 < self.largest_loss <= LARGEST_LOSS:
            raise ValueError(f"sensitivity/scale must be in (0, {LARGEST_LOSS:g}], got {self.largest_loss!r}")

    @property
    def largest_loss(self) -> float:
        """ε₀ = sensitivity/scale, for which the mechanism is (ε₀, 0)-differentially private.

        Examples
        --------
        >>> import dptutor as dp
        >>> dp.DiscreteLaplace(scale=4, sensitivity=2).largest_loss
        0.5
        """
        return self.sensitivity / self.scale

    def _outcomes(self) -> tuple[np.ndarray, np.ndarray]:
        between = np.arange(1.0, self.sensitivity)
        middle = -math.expm1(-1.0 / self.scale) * np.exp(-between / self.scale)
        p = np.concatenate([[1.0], middle, [math.exp(-self.largest_loss)]]) / (1.0 + math.exp(-1.0 / self.scale))
        return p, p[::-1]

    @cached_property
    def _law(self) -> FiniteLaw:
        if self.sensitivity == 1 and self.largest_loss >= 1e-30:
            return FiniteLaw.of_step(TwoLosses.response(self.largest_loss))
        loss = (2.0 * np.arange(self.sensitivity + 1.0) - self.sensitivity) / self.scale
        p, q = self._outcomes()
        return FiniteLaw.of_finite(loss, p, q, 0.0, 0.0, UNIT_ROUNDOFF * self.largest_loss)

    def _of_group(self, size: int) -> Self:
        return replace(self, sensitivity=size * self.sensitivity)


@dataclass(frozen=True, eq=False)
class DiscreteGaussian(SymmetricFiniteMechanism):
    """Adds discrete Gaussian noise, Pr[X = x] ∝ e^(−x²/2σ²), to a whole number.

    Exact: the pair dominates all neighbors, and attains them. Masses below the smallest float, 38.4 σ from the
    center, are left out: they change δ by less than 1e-318.

    Parameters
    ----------
    sigma : float
        σ, positive; nearly the standard deviation of the noise.
    sensitivity : int
        Δ, the largest change of the number by one example, at least 1. With Δ + 77 σ above 2 000 000 there would be
        too many outcomes, and `Gaussian` has nearly the same curves.

    Raises
    ------
    ValueError, TypeError
        If `sigma` is not positive, `sensitivity` no integer, their ratio not below 1e6, or there are too many outcomes.

    References
    ----------
    Canonne, Kamath & Steinke (2020).

    Examples
    --------
    >>> import dptutor as dp
    >>> m = dp.DiscreteGaussian(sigma=2)
    >>> round(m.privacy_profile(1.0), 8), round(dp.Gaussian(sigma=2).privacy_profile(1.0), 8)
    (0.00724878, 0.00682959)
    """

    sigma: float = 1.0
    sensitivity: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "sigma", positive_number("sigma", self.sigma))
        object.__setattr__(self, "sensitivity", _sensitivity(self.sensitivity, 2 * _DEVIATIONS * self.sigma))
        if not self.mu < 1e6:
            raise ValueError(f"sensitivity/sigma must be below 1e6, got {self.mu!r}")

    @property
    def mu(self) -> float:
        """μ = sensitivity/sigma, as for the Gaussian mechanism; D_s ≤ s μ²/2, with equality for whole orders s.

        Examples
        --------
        >>> import dptutor as dp
        >>> dp.DiscreteGaussian(sigma=4, sensitivity=2).mu
        0.5
        """
        return self.sensitivity / self.sigma

    def _places(self) -> np.ndarray:
        reach = math.floor(_DEVIATIONS * self.sigma)
        return np.arange(-reach, self.sensitivity + reach + 1.0)

    def _outcomes(self) -> tuple[np.ndarray, np.ndarray]:
        x = self._places()
        with np.errstate(under="ignore"):
            p = np.exp(-((x / self.sigma) ** 2) / 2) / self._scale
        return p, p[::-1]

    @cached_property
    def _law(self) -> FiniteLaw:
        p, q = self._outcomes()
        loss = self.mu * (self._places() / self.sigma - self.mu / 2)
        kept = np.maximum(p, q) > 0  # masses between distant peaks underflow
        furthest = float(np.max(np.abs(loss[kept])))
        relative_error = 2 * UNIT_ROUNDOFF * (16.0 + _DEVIATIONS**2)
        return _GaussianLaw(loss[kept], p[kept], q[kept], 4 * UNIT_ROUNDOFF * furthest, relative_error, noise=self)

    def _log_theta(self, center: np.ndarray) -> np.ndarray:
        """log Σ_x e^(−(x−c)²/2σ²) for an array of real c; it has period 1."""
        reach = math.ceil(_DEVIATIONS * self.sigma) + 1
        away = np.arange(-reach, reach + 1.0)
        fraction = center - np.round(center)
        return logsumexp(-(((away - fraction[..., None]) / self.sigma) ** 2) / 2, axis=-1)

    @cached_property
    def _scale(self) -> float:
        """θ(0)."""
        return math.exp(float(self._log_theta(np.zeros(1))[0]))

    # Losses are unbounded, even though the masses beyond those kept underflow.

    def _loss_range(self) -> tuple[float, float]:
        return -math.inf, math.inf

    def _largest_finite_loss(self) -> float:
        return math.inf

    def _epsilon(self, delta: np.ndarray) -> np.ndarray:
        return np.where(delta == 0, math.inf, self._law.epsilon(delta))

    def _epsilon_error(self, delta: np.ndarray, epsilon: np.ndarray) -> np.ndarray:
        return np.where(np.isfinite(epsilon), super()._epsilon_error(delta, epsilon), 0.0)

    def _renyi(self, order: np.ndarray) -> np.ndarray:
        if np.all(order == np.round(order)):
            return order * self.mu**2 / 2
        near_one = np.abs(order - 1.0) < 1e-5
        lower = self._log_theta(order * self.sensitivity) - self._log_theta(np.zeros(1))
        away = order * self.mu**2 / 2 + lower / np.where(near_one, 1.0, order - 1.0)
        mean, variance = self._loss_moments("Q")
        return np.where(near_one, mean + (order - 1.0) * variance / 2, np.maximum(away, 0.0))

    def _loss_moments(self, under: str) -> tuple[float, float]:
        x = np.arange(1.0, math.ceil(_DEVIATIONS * self.sigma) + 1)
        with np.errstate(under="ignore"):
            variance = 2.0 * float(np.sum(x**2 * np.exp(-((x / self.sigma) ** 2) / 2)) / self._scale)
        return (1 if under == "Q" else -1) * self.mu**2 / 2, self.mu**2 * variance / self.sigma**2

    def _hellinger(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        half = self._half(s)
        mean, error = self._turned(s)
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            scale = np.exp(half)
            value, error = mean * scale, scale * (error + 8 * UNIT_ROUNDOFF * (1.0 + np.abs(half)) * np.abs(mean))
        known = np.isfinite(value) & np.isfinite(error)
        return np.where(known, value, math.inf), np.where(known, error, math.inf)

    def _log_hellinger(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        half = self._half(s)
        log_mean, error = logarithm(*self._turned(s))
        return half + log_mean, error + 8 * UNIT_ROUNDOFF * np.abs(half)

    def _half(self, s: np.ndarray) -> np.ndarray:
        """c(c−1)μ²/2, where c = Re s."""
        return s.real * (s.real - 1.0) * self.mu**2 / 2

    def _turned(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """H(s) e^(−c(c−1)μ²/2), the mean of e^(i Im s L) under the noise centered at cΔ, with a bound on its error."""
        center = s.real * self.sensitivity
        reach = math.ceil(_DEVIATIONS * self.sigma) + 1
        mean, error = np.empty(s.shape, dtype=complex), np.empty(s.shape)
        away = np.arange(-reach, reach + 1.0)
        for few in np.array_split(np.arange(s.size), max(1, s.size * away.size // 2_000_000)):
            x = np.round(center[few])[:, None] + away
            with np.errstate(under="ignore"):
                mass = np.exp(-(((x - center[few, None]) / self.sigma) ** 2) / 2) / self._scale
                turn = s.imag[few, None] * self.mu * (x / self.sigma - self.mu / 2)
                mean[few] = np.sum(mass * np.exp(1j * turn), axis=1)
                error[few] = np.sum(mass * 4 * UNIT_ROUNDOFF * (12.0 + np.abs(turn)), axis=1)
        return mean, error

    def _of_group(self, size: int) -> Self:
        return replace(self, sensitivity=size * self.sensitivity)


@dataclass(frozen=True, eq=False)
class _GaussianLaw(FiniteLaw):
    """The law of the loss of discrete Gaussian noise; in n steps the loss is linear in the sum of the noises."""

    noise: DiscreteGaussian = field(kw_only=True)

    def power(self, count: int) -> AtomicLaw:
        """The law of the sum of `count` independent copies.

        With σ of at least 2 a sum of n discrete Gaussians is one of σ√n, but for a share of each mass below
        10 Σ_k e^(−2π²σ²k/(k+1)), k < n (Kairouz, Liu & Steinke 2021). With less it is convolved.

        Raises
        ------
        TooManyAtoms
            If there are more sums than can be enumerated.
        """
        sigma, shift = self.noise.sigma, count * self.noise.sensitivity
        if count == 1:
            return self
        if shift + 2 * _DEVIATIONS * sigma * math.sqrt(count) > (_MOST_OUTCOMES if sigma >= 2 else _MOST_CONVOLVED):
            raise TooManyAtoms
        if sigma >= 2:
            law = DiscreteGaussian(sigma * math.sqrt(count), shift)._law
            k = np.arange(1.0, min(count, 1000))
            share = 10.0 * float(np.sum(np.exp(-2 * (math.pi * sigma) ** 2 * k / (k + 1)))) + 1e-30 * count
            return replace(law, relative_error=law.relative_error + share + 8 * UNIT_ROUNDOFF * _DEVIATIONS**2)
        reach = math.floor(_DEVIATIONS * sigma)
        with np.errstate(under="ignore"):
            mass = np.exp(-((np.arange(-reach, reach + 1.0) / sigma) ** 2) / 2)
            mass = _convolved(mass / math.fsum(mass), count)
        reach = mass.size // 2
        x = np.arange(-reach, shift + reach + 1.0)
        p, q = np.zeros((2, x.size))
        p[: mass.size], q[-mass.size :] = mass, mass
        kept = np.maximum(p, q) > 0
        loss = self.noise.sensitivity * (2.0 * x[kept] - shift) / sigma / sigma / 2.0
        relative_error = (
            count.bit_length() * (4 * UNIT_ROUNDOFF * math.sqrt(mass.size) + 8 * UNIT_ROUNDOFF)
            + 4 * count * UNIT_ROUNDOFF
        )
        relative_error += count * self.relative_error
        furthest = float(np.max(np.abs(loss)))
        return FiniteLaw.of_finite(loss, p[kept], q[kept], 0.0, 0.0, 8 * UNIT_ROUNDOFF * furthest, relative_error)


def _convolved(mass: np.ndarray, count: int) -> np.ndarray:
    """The law of a sum of `count` symmetric whole numbers, from positive terms, without masses that underflow."""
    power = np.ones(1)
    for bit in bin(count)[2:]:
        power = np.trim_zeros(np.convolve(power, power))
        if bit == "1":
            power = np.trim_zeros(np.convolve(power, mass))
    return power


def _sensitivity(value: object, others: float) -> int:
    sensitivity = positive_integer("sensitivity", value)
    if not sensitivity + others <= _MOST_OUTCOMES:
        raise ValueError(
            f"sensitivity and noise must have at most {_MOST_OUTCOMES:.0e} outcomes, got {sensitivity + others:.3g}"
        )
    return sensitivity
