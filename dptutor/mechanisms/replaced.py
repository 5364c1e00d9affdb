"""One Poisson-subsampled Gaussian step, where neighbors replace one example by another.

An example takes part with probability p. The sums of clipped gradients that the two examples lead to differ from what
the others give by vectors u and v of norm at most 1, so that in units of the clip the pair is

    P = (1 − p) N(0, σ²) + p N(u, σ²),    Q = (1 − p) N(0, σ²) + p N(v, σ²).

*The opposite unit vectors are the worst, at every ε.* For ε ≥ 0 and c = (1 − p)(e^ε − 1)/p ≥ 0,

    δ(ε)/p = sup_S  N(v)(S) − e^ε N(u)(S) − c N(0)(S).

Let N(v)(S) = Φ(t). By Neyman and Pearson every normal law whose center is at a distance d from v gives S at least
Φ(t − d/σ). Here |v − u| ≤ 2 and |v| ≤ 1, so that the right-hand side is at most Φ(t) − e^ε Φ(t − 2/σ) − c Φ(t − 1/σ). A
half-space attains this, for all three at once, if v = −u and |v| = 1. For ε < 0 exchange the two examples. Of
neighbors whose gradients are opposite in all steps the composition is the product, so the pair is attained there, too.

With m = 1/σ, z the answer in units of σ and s = asinh((1 − p)/p e^(m²/2) sinh(ε/2)) the loss is ε at mz = ε/2 + s. As
both densities of a test at z are equal but for e^ε, for ε ≥ 0, with the profile δ_μ of a Gaussian mechanism,

    δ(ε) = p [(1 − e^(−2s)) δ_m(ε/2 + s − m²/2) + e^(−2s) δ_2m(ε + 2s)].

Sources: the proof above; Doroshenko et al. (2022) for the program that composes this pair, `dp-accounting`.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from .._floats import LAST_PLACE
from .._validation import real_number
from ..evaluation.laws import NormalLaw
from ..evaluation.renyi_areas import renyi_of_answers
from .base import Mechanism
from .gaussian import Gaussian, gaussian_profile
from .subsampled import SubsampledGaussian

# Noise for which the squares of answers neither overflow nor underflow.
_NOISE = (1e-3, 1e6)


@dataclass(frozen=True, eq=False)
class SubsampledGaussianReplaceOne(Mechanism):
    """One Poisson-subsampled Gaussian step, for data sets that differ in the value of one example.

    Exact: two opposite gradients attain it, in one step and in many. Powers are had between two laws on a grid, and say
    how far apart these are.

    Parameters
    ----------
    noise_multiplier : float
        σ, the noise's standard deviation in units of the clip, as for `SubsampledGaussian`; in [0.001, 1e6].
        Replacing an example moves a sum by up to 2 of them.
    sampling_rate : float
        p in (0, 1], the probability with which an example takes part; at least 1e-200.

    Raises
    ------
    ValueError
        If a parameter is outside its range.

    References
    ----------
    In the book: the reference, "Why these pairs dominate".

    Examples
    --------
    >>> import dptutor as dp
    >>> replaced = dp.SubsampledGaussianReplaceOne(noise_multiplier=1, sampling_rate=0.1)
    >>> round(replaced.epsilon(1e-5), 4), round(dp.SubsampledGaussian(1, 0.1).epsilon(1e-5), 4)
    (1.7892, 1.6845)
    >>> round((replaced**100).epsilon(1e-5), 2), round(dp.DPSGD(1, 0.1, 100).epsilon(1e-5), 2)
    (10.52, 7.05)
    """

    noise_multiplier: float
    sampling_rate: float

    def __post_init__(self) -> None:
        step = SubsampledGaussian(self.noise_multiplier, self.sampling_rate)
        real_number("noise_multiplier", step.noise_multiplier, *_NOISE)
        object.__setattr__(self, "noise_multiplier", step.noise_multiplier)
        object.__setattr__(self, "sampling_rate", step.sampling_rate)

    @property
    def _key(self) -> Hashable:
        if self.sampling_rate == 1.0:
            return Gaussian(self.noise_multiplier, 2.0)._key
        return type(self).__name__, self.noise_multiplier, self.sampling_rate

    @property
    def is_symmetric(self) -> bool:
        return True

    @property
    def error_bound(self) -> float:
        return max(super().error_bound, LAST_PLACE * 4.0 * self._shift)

    @property
    def reverse(self) -> SubsampledGaussianReplaceOne:
        return self

    @property
    def _shift(self) -> float:
        return 1 / self.noise_multiplier

    def _place(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """s, and ε/2 + s − m²/2, the Gaussian loss at the answer at which the loss is ε; both for ε ≥ 0."""
        half = self._shift**2 / 2
        if self.sampling_rate == 1.0:
            return np.zeros_like(epsilon), epsilon / 2 - half
        rest = math.log1p(-self.sampling_rate)
        with np.errstate(divide="ignore"):
            log_odds = epsilon / 2 + np.log(-np.expm1(-epsilon) / 2) + (rest - math.log(self.sampling_rate))
        log_sinh = log_odds + half
        far = log_sinh > 0
        small = np.arcsinh(np.exp(np.where(far, 0.0, log_sinh)))
        # For large arguments s − m²/2 is computed without cancellation.
        above = np.log1p(np.sqrt(1.0 + np.exp(-2.0 * np.where(far, log_sinh, 0.0))))
        s = np.where(far, log_sinh + above, small)
        return s, epsilon / 2 + np.where(far, log_odds + above, small - half)

    def _errors(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        epsilon = np.asarray(epsilon, dtype=float)
        m, loss = self._shift, self._place(np.abs(epsilon))[1]
        z = np.where(epsilon < 0, -1.0, 1.0) * (loss / m + m / 2)
        rest = 1.0 - self.sampling_rate
        return (
            rest * ndtr(-z) + self.sampling_rate * ndtr(-z - m),
            rest * ndtr(z) + self.sampling_rate * ndtr(z - m),
        )

    def _delta(self, epsilon: np.ndarray) -> np.ndarray:
        epsilon = np.asarray(epsilon, dtype=float)
        size, m = np.abs(epsilon), self._shift
        s, loss = self._place(size)
        opposite = np.exp(-2.0 * s)
        parts = -np.expm1(-2.0 * s) * gaussian_profile(m, loss) + opposite * gaussian_profile(2 * m, size + 2.0 * s)
        value = self.sampling_rate * parts
        return np.where(epsilon < 0, -np.expm1(np.minimum(epsilon, 0.0)) + np.exp(-size) * value, value)

    def _loss_law(self) -> NormalLaw | None:
        return NormalLaw(2 * self._shift) if self.sampling_rate == 1.0 else None

    @property
    def _log_shares(self) -> tuple[float, float]:
        """log(1 − p), and log p − m²/2."""
        rest = math.log1p(-self.sampling_rate) if self.sampling_rate < 1.0 else -math.inf
        return rest, math.log(self.sampling_rate) - self._shift**2 / 2

    def _loss_at(self, z: np.ndarray) -> np.ndarray:
        """The loss at an answer, accurate also close to 0."""
        m, (rest, share) = self._shift, self._log_shares
        with np.errstate(over="ignore", invalid="ignore"):
            larger, smaller = np.logaddexp(rest, share + m * np.abs(z)), np.logaddexp(rest, share - m * np.abs(z))
            change = 2.0 * np.exp(share - smaller) * np.sinh(m * np.abs(z))
        return np.sign(z) * np.where(change < 1.0, np.log1p(np.minimum(change, 1.0)), larger - smaller)

    def _renyi(self, order: np.ndarray) -> np.ndarray:
        if self.sampling_rate == 1.0:
            return Gaussian(self.noise_multiplier, 2.0)._renyi(order)
        m, (rest, share) = self._shift, self._log_shares

        def log_density(z: np.ndarray) -> np.ndarray:
            return -(z**2) / 2 + np.logaddexp(rest, share - m * z)

        found = [
            renyi_of_answers(
                self._loss_at, log_density, s, s, m * np.array([-1.0, 0.0, 1.0, s - 1.0, s, 2.0 * s - 1.0])
            )
            for s in np.ravel(order)
        ]
        return np.reshape(found, np.shape(order))
