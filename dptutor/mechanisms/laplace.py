"""The Laplace mechanism: P = Lap(0, b), Q = Lap(Δ, b); its losses fill [−ε₀, ε₀] with ε₀ = Δ/b, both ends atoms.

    f(α) = 1 − e^{ε₀} α              for α ≤ e^{−ε₀}/2,
           e^{−ε₀}/(4α)              between,
           e^{−ε₀} (1 − α)           for α ≥ ½;
    δ(ε) = 1 − e^{(ε−ε₀)/2}          for |ε| ≤ ε₀;
    H(s) = e^{−ε₀/2} [cosh(uε₀) + sinh(uε₀)/(2u)],  u = s − ½.

Its trade-off function is symmetric, and the mechanism is (ε₀, 0)-differentially private.

Source: Dong, Roth & Su (2022), example 2.6 and appendix A.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, replace

import numpy as np

from .._floats import LAST_PLACE, SMALLEST_NORMAL
from .._types import Size
from .._validation import positive_number
from ..evaluation.laws import LaplaceLaw, LossLaw
from ..evaluation.polynomials import gauss
from ..evaluation.transforms import complex_expm1, complex_log1p
from .base import Mechanism

_NODES, _WEIGHTS = gauss(16)


@dataclass(frozen=True, eq=False)
class Laplace(Mechanism):
    """Adds Laplace noise of scale `scale` to a query of L1 sensitivity `sensitivity`.

    Parameters
    ----------
    scale : float
        Scale b of the noise, positive, in the units of the query; its standard deviation is √2 b.
    sensitivity : float
        Largest change of the query by one example, positive, in the same units.

    Raises
    ------
    ValueError
        If a parameter is not positive and finite.

    References
    ----------
    Dong, Roth & Su (2022), example 2.6 and appendix A.

    Examples
    --------
    >>> import dptutor as dp
    >>> dp.Laplace(scale=2).epsilon(0)
    0.5
    """

    scale: float = 1.0
    sensitivity: float = 1.0

    def __post_init__(self) -> None:
        for name in ("scale", "sensitivity"):
            object.__setattr__(self, name, positive_number(name, getattr(self, name)))
        # The square of ε₀ must not overflow.
        if not 0.0 < self.largest_loss < 1e150:
            raise ValueError(f"sensitivity/scale must be in (0, 1e150), got {self.largest_loss!r}")

    @property
    def largest_loss(self) -> float:
        """ε₀ = sensitivity/scale, for which the mechanism is (ε₀, 0)-differentially private.

        Examples
        --------
        >>> import dptutor as dp
        >>> dp.Laplace(scale=4, sensitivity=2).largest_loss
        0.5
        """
        return self.sensitivity / self.scale

    @property
    def _key(self) -> Hashable:
        return "Laplace", self.largest_loss

    @property
    def is_symmetric(self) -> bool:
        return True

    @property
    def reverse(self) -> Laplace:
        return self

    def _of_group(self, size: int) -> Mechanism | None:
        return replace(self, sensitivity=size * self.sensitivity)

    @property
    def error_bound(self) -> float:
        # ε₀ is a quotient that was rounded, and f and δ change at most half as much.
        return super().error_bound + LAST_PLACE * self.largest_loss

    @property
    def _bayes_error_bound(self) -> float:
        # R changes only by e^{−ε₀/2} times that.
        return super().error_bound

    def _loss_law(self) -> LossLaw | None:
        return LaplaceLaw(self.largest_loss)

    def _loss_range(self) -> tuple[float, float]:
        return -self.largest_loss, self.largest_loss

    def _breakpoints(self) -> np.ndarray:
        return np.array([-self.largest_loss, self.largest_loss])

    def _errors(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self._upper_tail(epsilon, ">"), self._upper_tail(-epsilon, ">=")

    def _upper_tail(self, x: np.ndarray, relation: str) -> np.ndarray:
        """Pr_P[L > x] or Pr_P[L ≥ x]; by symmetry −L has under Q the law of L under P."""
        top = self.largest_loss
        inside = 0.5 * np.exp(-(np.clip(x, -top, top) + top) / 2)
        beyond = x >= top if relation == ">" else x > top
        reached = x < -top if relation == ">" else x <= -top
        return np.where(beyond, 0.0, np.where(reached, 1.0, inside))

    def _delta(self, epsilon: np.ndarray) -> np.ndarray:
        inside = -np.expm1((np.minimum(epsilon, self.largest_loss) - self.largest_loss) / 2)
        return np.where(epsilon >= -self.largest_loss, inside, -np.expm1(np.minimum(epsilon, 0.0)))

    def _delta_error(self, epsilon: np.ndarray) -> np.ndarray:
        # A relative error, and the rounding of ε₀ along the slope, which is at most (1 − δ)/2 from −ε₀ on.
        value, top = self._delta(epsilon), self.largest_loss
        below = np.where(epsilon < -top, 4 * LAST_PLACE, 0.0)
        error = 4 * LAST_PLACE * value + 0.51 * LAST_PLACE * top / 2 * (1 - value) + below
        return np.where(epsilon > top * (1 + LAST_PLACE), 0.0, error)

    def _tradeoff(self, alpha: np.ndarray) -> np.ndarray:
        top = self.largest_loss
        shrink = math.exp(-top)
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            # α e^{ε₀} in logarithms, since ε₀ may be in the thousands.
            log_share = top + np.log(alpha)
            middle = shrink / (4 * alpha) if shrink >= SMALLEST_NORMAL else np.exp(-log_share) / 4
            first = -np.expm1(log_share)
        low = np.where(alpha == 0.0, 1.0, first)
        near = 2 * alpha <= shrink if shrink >= SMALLEST_NORMAL else log_share <= -math.log(2.0)
        return np.where(near, low, np.where(alpha < 0.5, middle, shrink * (1 - alpha)))

    def _tradeoff_error(self, alpha: np.ndarray) -> np.ndarray:
        # Rounding of ε₀ and of log α, relative to 1 − f or f.
        value = self._tradeoff(alpha)
        return super().error_bound + 2 * LAST_PLACE * self.largest_loss * np.minimum(value, 1 - value)

    def _bayes_error_error(self, log_odds: np.ndarray) -> np.ndarray:
        return np.full(np.shape(log_odds), self._bayes_error_bound)

    def _epsilon(self, delta: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore"):
            return np.maximum(self.largest_loss + 2 * np.log1p(-delta), 0.0)

    def _renyi(self, order: np.ndarray) -> np.ndarray:
        mean, variance = self._loss_moments("Q")
        gap = order - 1
        near_one = np.abs(gap) < 1e-5
        with np.errstate(over="ignore", invalid="ignore"):
            excess = self._hellinger_excess(order)
        small = np.abs(excess) < 0.1
        log_h = np.where(small, np.log1p(np.where(small, excess, 0.0)), _log_hellinger(order, self.largest_loss))
        away = log_h / np.where(near_one, 1.0, gap)
        return np.where(near_one, mean + gap * variance / 2, away)

    def _loss_moments(self, under: str) -> tuple[float, float]:
        # Under Q: mass 1/2 at ε₀, mass e^{−ε₀}/2 at −ε₀, density e^{(x−ε₀)/2}/4 between.
        top = self.largest_loss
        mean = float(_exp_minus_1_minus(-top))
        x = top * _NODES
        between = top * np.sum(_WEIGHTS * x**2 * np.exp((x - top) / 2)) / 4
        square = top**2 * (1 + math.exp(-top)) / 2 + between
        # For large ε₀ the difference cancels, for small ε₀ the closed form does.
        variance = square - mean**2 if top < 1 else 3 - math.exp(-top) * (2 + 4 * top + math.exp(-top))
        return (mean if under == "Q" else -mean), float(variance)

    def _sample_loss(self, size: Size, under: str, generator: np.random.Generator) -> np.ndarray:
        noise = generator.laplace(0.0, self.scale, size)
        loss = (np.abs(noise + self.sensitivity) - np.abs(noise)) / self.scale
        return loss if under == "Q" else -loss

    def _hellinger(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self._exponentiated(s)

    def _hellinger_excess(self, s: np.ndarray) -> np.ndarray:
        top = self.largest_loss
        if top <= 1.0 and np.max(np.abs(np.real(s)), initial=0.0) * top < 600.0:
            return self._of_second_order(np.asarray(s))[0]
        flat = np.atleast_1d(np.asarray(s, dtype=complex)).ravel()
        log_h = self._log_hellinger(flat)[0].reshape(np.shape(s))
        with np.errstate(over="ignore"):
            return complex_expm1(log_h) if np.iscomplexobj(s) else np.expm1(log_h.real)

    def _of_second_order(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """H − 1 as a sum of terms of second order in ε₀, and a bound on its rounding error."""
        top = self.largest_loss
        z = (s - 0.5) * top
        cosh_minus_1, rest = 2 * np.sinh(z / 2) ** 2, top / 2 * _sinhc_minus_1(z)
        fixed = _exp_minus_1_minus(top / 2)
        size = np.abs(cosh_minus_1) + np.abs(rest) + fixed
        return math.exp(-top / 2) * (cosh_minus_1 + rest - fixed), 16 * LAST_PLACE * size

    def _log_hellinger(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """log H(s) for an array of complex s, and a bound on its error, which is small if log H is.

        With s = 1 + z and Re s ≥ ½,  H = e^{zε₀} [1 − z (1 − e^{−(1+2z)ε₀})/(1 + 2z)];  elsewhere H(s) = H(1 − s).
        """
        s, top = np.asarray(s, dtype=complex), self.largest_loss
        z = np.where(s.real >= 0.5, s - 1.0, -s)
        twice = 1.0 + 2.0 * z
        x = twice * top
        small = np.abs(x) < 1e-12
        fraction = np.where(small, top * (1 - x / 2), -complex_expm1(-x) / np.where(small, 1.0, twice))
        value = z * top + complex_log1p(-z * fraction)
        error = 4 * LAST_PLACE * (np.abs(z) * top + np.abs(value))
        near = (np.abs(z) < 2.0 / top) & (top <= 1.0)
        if near.any():
            excess, rounding = self._of_second_order(s[near])
            log_h = complex_log1p(excess)
            rounding = 2 * rounding + 4 * LAST_PLACE * np.abs(log_h)
            better = (np.abs(excess) < 0.5) & (rounding < error[near])
            place = np.flatnonzero(near)[better]
            value.flat[place], error.flat[place] = log_h[better], rounding[better]
        return value, error

    def _log_envelope(self, s: np.ndarray) -> np.ndarray:
        """log of a bound on |H(s)| that decreases in |Im s|.

        The part of the atoms is constant. That of the density is |sinh(wε₀)/2w|, w = s − ½: it decreases until
        |Im s| ε₀ = π, since τ cos τ ≤ sin τ there and sinh a ≥ a, and is below cosh(ε₀ Re w)/2|w| everywhere.
        """
        w, top = np.asarray(s) - 0.5, self.largest_loss
        real, imag = np.abs(w.real), np.abs(w.imag)
        small = real * top < 1e-8
        tanh = np.where(small, 0.0, np.tanh(real * top))
        # Relative to cosh(ε₀ Re w).
        least = 1 / (2 * np.hypot(real, np.maximum(imag, math.pi / top)))
        ratio = np.hypot(tanh, np.sin(np.minimum(imag * top, 3.2)) * np.sqrt(np.maximum(1 - tanh**2, 0.0)))
        size = np.hypot(real, imag)
        first = np.where(size * top < 1e-8, top / 2, ratio / (2 * np.maximum(size, 1e-300)))
        density = np.where(imag * top < math.pi, np.maximum(first, least), least)
        return (real - 0.5) * top + np.log1p(np.exp(-2 * real * top)) - math.log(2) + np.log1p(density)


def _log_hellinger(order: np.ndarray, top: float) -> np.ndarray:
    """log H at real orders, computed in logarithms, since H may overflow."""
    u = np.abs(order - 0.5)
    lowered = -np.expm1(-2 * u * top)
    quotient = np.where(u > 0, lowered / np.where(u > 0, 2 * u, 1.0), top)
    return (u - 0.5) * top + np.log((2 - lowered + quotient) / 2)


def _sinhc_minus_1(z: np.ndarray) -> np.ndarray:
    """sinh(z)/z − 1 for complex z, by its series if the difference would cancel."""
    small = np.abs(z) < 1
    square = np.where(small, z, 0.0) ** 2
    series = np.zeros_like(square)
    for k in range(9, 0, -1):
        series = square / (2 * k * (2 * k + 1)) * (1 + series)
    away = np.where(small, 1.0, z)
    return np.where(small, series, np.sinh(away) / away - 1)


def _exp_minus_1_minus(x: float) -> float:
    """e^x − 1 − x, by its series if the difference would cancel."""
    if abs(x) > 0.5:
        return math.expm1(x) - x
    series = 0.0
    for k in range(16, 2, -1):
        series = x / k * (1 + series)
    return x * x / 2 * (1 + series)
