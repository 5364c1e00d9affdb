"""Noise of whole numbers on a Poisson sample: an example takes part with probability p.

Where l is the loss of the noise, the loss of removal is log(1 − p + p e^l), and that of addition minus it. As for all
noise, the pair of an example that takes part surely, mixed in the one world, dominates: P against (1 − p) P + p Q.

Sources: Balle, Barthe & Gaboardi (2018), theorem 2; Zhu, Dong & Wang (2022), theorem 11.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import logsumexp

from .._floats import UNIT_ROUNDOFF
from .._validation import choice, real_number
from ..evaluation.finite_law import FiniteLaw
from ..evaluation.renyi_areas import TAIL, log_excess, peaks, renyi_of_excess
from .base import Mechanism
from .directed import DIRECTIONS, Directed
from .discrete import DiscreteGaussian, DiscreteLaplace
from .finite import FiniteMechanism, SymmetricFiniteMechanism
from .subsampled import SubsampledGaussian

# Sampling rates, and σ, beyond which the Gaussian mechanism has the same curves and sums over outcomes are long.
_LEAST_RATE, _WIDEST = 1e-200, 1000.0
# σ beyond which sums over whole numbers are integrals.
_SMOOTH = 20.0


class _SampledNoise(Directed):
    """What both kinds of noise share: subclasses give the noise, `_noise`."""

    sampling_rate: float

    @property
    def _noise(self) -> SymmetricFiniteMechanism:
        raise NotImplementedError

    def __post_init__(self) -> None:
        noise = self._noise
        for name in noise._parameters():
            object.__setattr__(self, name, getattr(noise, name))
        rate = real_number("sampling_rate", self.sampling_rate, 0.0, 1.0, open_low=True)
        object.__setattr__(self, "sampling_rate", real_number("sampling_rate", rate, _LEAST_RATE))
        choice("direction", self.direction, DIRECTIONS)

    @cached_property
    def _removal(self) -> Mechanism:
        return self._noise if self.sampling_rate == 1.0 else self._mixed()

    def _mixed(self) -> Mechanism:
        """The pair of removal, for rates below 1."""
        return _Removal(self._noise, self._towards("remove"))


@dataclass(frozen=True, eq=False)
class SubsampledDiscreteGaussian(_SampledNoise):
    """Discrete Gaussian noise on a count over a Poisson sample: every example takes part with the same probability.

    Exact in each direction, and so are powers while their sums of losses can be enumerated; those of longer ones are
    had between two laws on a grid, and say how far apart these are.

    Parameters
    ----------
    sigma : float
        As for `DiscreteGaussian`, at most 1000; with more, `SubsampledGaussian` has the same curves to a dozen digits.
    sampling_rate : float
        p in (0, 1], the probability with which an example takes part; at least 1e-200.
    sensitivity : int
        As for `DiscreteGaussian`.
    direction : {"both", "add", "remove"}
        As for `SubsampledGaussian`.

    Raises
    ------
    ValueError, TypeError
        If a parameter is outside its range.

    References
    ----------
    Balle, Barthe & Gaboardi (2018), theorem 2; Canonne, Kamath & Steinke (2020).

    Examples
    --------
    >>> import dptutor as dp
    >>> m = dp.SubsampledDiscreteGaussian(sigma=2, sampling_rate=0.1)
    >>> round(m.epsilon(1e-6), 6), round(dp.SubsampledGaussian(2, 0.1).epsilon(1e-6), 6)
    (0.499157, 0.49092)
    """

    sigma: float
    sampling_rate: float
    sensitivity: int = 1
    direction: str = "both"

    def __post_init__(self) -> None:
        super().__post_init__()
        real_number("sigma", self.sigma, 0.0, _WIDEST, open_low=True)

    @property
    def _noise(self) -> SymmetricFiniteMechanism:
        return DiscreteGaussian(self.sigma, self.sensitivity)

    def _mixed(self) -> Mechanism:
        return _GaussianRemoval(self._noise, self._towards("remove"))


@dataclass(frozen=True, eq=False)
class SubsampledDiscreteLaplace(_SampledNoise):
    """Discrete Laplace noise on a count over a Poisson sample: every example takes part with the same probability.

    Exact in each direction, and so are powers.

    Parameters
    ----------
    scale : float
        b, positive, as for `DiscreteLaplace`.
    sampling_rate : float
        p in (0, 1], the probability with which an example takes part; at least 1e-200.
    sensitivity : int
        As for `DiscreteLaplace`.
    direction : {"both", "add", "remove"}
        As for `SubsampledGaussian`.

    Raises
    ------
    ValueError, TypeError
        If a parameter is outside its range.

    References
    ----------
    Balle, Barthe & Gaboardi (2018), theorem 2; Ghosh, Roughgarden & Sundararajan (2012).

    Examples
    --------
    >>> import dptutor as dp
    >>> m = dp.SubsampledDiscreteLaplace(scale=1, sampling_rate=0.1)
    >>> round(m.epsilon(0), 6), round(m.advantage / dp.DiscreteLaplace(scale=1).advantage, 6)
    (0.158565, 0.1)
    """

    scale: float
    sampling_rate: float
    sensitivity: int = 1
    direction: str = "both"

    @property
    def _noise(self) -> SymmetricFiniteMechanism:
        return DiscreteLaplace(self.scale, self.sensitivity)


@dataclass(frozen=True, eq=False)
class _Removal(FiniteMechanism):
    """P without the example against Q with it, or the reverse."""

    noise: SymmetricFiniteMechanism
    named: _SampledNoise
    is_reversed: bool = False

    @property
    def rate(self) -> float:
        return self.named.sampling_rate

    def __repr__(self) -> str:
        return repr(self.named.reverse if self.is_reversed else self.named)

    @cached_property
    def _key(self) -> Hashable:
        return "sampled", self.noise._key, self.rate, self.is_reversed

    @cached_property
    def reverse(self) -> _Removal:
        return replace(self, is_reversed=not self.is_reversed)

    def _loss(self, of_noise: np.ndarray) -> np.ndarray:
        """The loss of removal, where that of the noise is l; with the digits of what differs from 0."""
        change = self.rate * np.expm1(np.clip(of_noise, -np.inf, 600.0))
        large = np.logaddexp(math.log1p(-self.rate), math.log(self.rate) + of_noise)
        near = (change > -0.5) & (change < 1.0)
        return np.where(near, np.log1p(np.where(near, change, 0.0)), large)

    def _outcomes(self) -> tuple[np.ndarray, np.ndarray]:
        return self._law.p, self._law.q

    @cached_property
    def _law(self) -> FiniteLaw:
        if self.is_reversed:
            return self.reverse._law.reverse
        law = self.noise._law
        loss = self._loss(law.loss)
        location_error = law.location_error + 8 * UNIT_ROUNDOFF * float(np.max(np.abs(loss)))
        mixed = (1.0 - self.rate) * law.p + self.rate * law.q
        return FiniteLaw.of_finite(loss, law.p, mixed, 0.0, 0.0, location_error, law.relative_error + 8 * UNIT_ROUNDOFF)

    def _loss_range(self) -> tuple[float, float]:
        low, high = (float(self._loss(np.asarray(end))) for end in self.noise._loss_range())
        return (-high, -low) if self.is_reversed else (low, high)

    def _largest_finite_loss(self) -> float:
        return self._loss_range()[1]

    def _epsilon(self, delta: np.ndarray) -> np.ndarray:
        return np.where(delta == 0, self._loss_range()[1], self._law.epsilon(delta))

    def _epsilon_error(self, delta: np.ndarray, epsilon: np.ndarray) -> np.ndarray:
        return np.where(np.isfinite(epsilon), super()._epsilon_error(delta, epsilon), 0.0)


class _GaussianRemoval(_Removal):
    """Of discrete Gaussian noise, whose law leaves out what large orders of Rényi divergences are about."""

    named: SubsampledDiscreteGaussian

    def _renyi(self, order: np.ndarray) -> np.ndarray:
        sigma, shift = self.named.sigma, self.named.sensitivity
        if sigma > _SMOOTH and sigma**2 > 2 * _SMOOTH * shift:
            # By Poisson's summation formula the sum is the integral: the loss has no singularity within πσ²/Δ.
            step = SubsampledGaussian(sigma / shift, self.rate, "add" if self.is_reversed else "remove")
            return step._renyi(order)
        return np.reshape([self._of_order(s) for s in np.ravel(order)], np.shape(order))

    def _of_order(self, order: float) -> float:
        """D_s as a sum around the answers that contribute most."""
        sigma, mu = self.named.sigma, self.named.sensitivity / self.named.sigma
        t = 1.0 - order if self.is_reversed else order

        # A peak that is about to part is wider than those of normal terms.
        around = math.ceil(TAIL * sigma * (1.0 + 1.0 / math.sqrt(min(mu, 1.0))))
        ends, near = (min(0.0, t * mu) - TAIL, max(0.0, t * mu) + TAIL), np.arange(-around, around + 1.0)

        def loss_at(z: np.ndarray) -> np.ndarray:
            return self._loss(mu * (z - mu / 2))

        def total(log_weight: Callable[[np.ndarray], np.ndarray]) -> float:
            def log_terms(z: np.ndarray) -> np.ndarray:
                return log_weight(loss_at(z)) - z**2 / 2

            middle = np.unique(np.round(peaks(log_terms, *ends) * sigma))
            terms = log_terms(np.unique(np.add.outer(middle, near)) / sigma)
            return float(logsumexp(terms) - logsumexp(-((near / sigma) ** 2) / 2))

        excess = total(lambda loss: log_excess(loss, t, order == 1.0))
        return renyi_of_excess(excess, order, t, lambda: total(lambda loss: t * loss))
