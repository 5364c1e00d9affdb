"""Integer noise on a count over a Poisson sample: an example takes part with probability p.

If l is the loss of the noise without sampling, that of removal is log(1 − p + p e^l), and that of addition its
negative. As for all noise, the pair (P, Q) without sampling yields the dominating one: P against (1 − p) P + p Q.

Of a group of k members, j take part with probability w_j, that of Bin(k, p). With Q_j the noise shifted by jΔ, the pair
of P and Σ_j w_j Q_j is attained. It also dominates. The likelihood ratios of Q_j to P all increase with the answer, and
among sums of terms with given laws, the sum of terms that increase together is the largest in the convex order. If
members shift the noise by less than Δ, a ratio is smaller in the convex order; if they shift it in the other direction,
its law under P is the same, as the noise is symmetric.

Sources: Balle, Barthe & Gaboardi (2018), theorem 2; Zhu, Dong & Wang (2022), theorem 11; Kaas, Dhaene & Goovaerts
(2000), Upper and lower bounds for sums of random variables, for sums of terms that increase together.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, TypeAlias

import numpy as np
from scipy.special import logsumexp

from .._floats import UNIT_ROUNDOFF
from .._validation import choice, positive_integer, real_number
from ..evaluation.finite_law import FiniteLaw
from ..evaluation.renyi_areas import TAIL, log_excess, peaks, renyi_of_excess
from .base import Mechanism
from .directed import DIRECTIONS, Directed
from .discrete import DiscreteGaussian, DiscreteLaplace
from .finite import FiniteMechanism
from .sampled_groups import SubsampledGaussianGroup

# Smallest sampling rate; largest σ, beyond which the Gaussian mechanism has the same curves and sums are long.
_LEAST_RATE, _WIDEST = 1e-200, 1000.0
# σ above which sums over integers equal integrals; largest number of members of a group.
_SMOOTH, _MOST_MEMBERS = 20.0, 100
# Largest number of answers times members of a group.
_MOST_TERMS = 20_000_000
_Noise: TypeAlias = DiscreteGaussian | DiscreteLaplace


class _SampledNoise(Directed):
    """What both kinds of noise have in common; subclasses define the noise, `_noise`."""

    sampling_rate: float
    members: int

    @property
    @abstractmethod
    def _noise(self) -> _Noise:
        """The noise without sampling, for one example."""

    def __post_init__(self) -> None:
        noise = self._noise
        for name in noise._parameters():
            object.__setattr__(self, name, getattr(noise, name))
        rate = real_number("sampling_rate", self.sampling_rate, 0.0, 1.0, open_low=True)
        object.__setattr__(self, "sampling_rate", real_number("sampling_rate", rate, _LEAST_RATE))
        choice("direction", self.direction, DIRECTIONS)
        object.__setattr__(self, "members", positive_integer("members", self.members))
        if self.members > _MOST_MEMBERS:
            raise ValueError(f"members must be at most {_MOST_MEMBERS}, got {self.members}")
        # `_of_group` itself refuses losses that are too large.
        answers = noise._of_group(self.members)._outcomes()[0].size if self.members > 1 else 0
        if self.members * answers > _MOST_TERMS:
            raise ValueError(
                f"members times answers must be at most {_MOST_TERMS:.0e}, got {self.members} times {answers}"
            )

    @cached_property
    def _removal(self) -> Mechanism:
        return self._noise._of_group(self.members) if self.sampling_rate == 1.0 else self._mixed()

    def _of_group(self, size: int) -> Mechanism:
        own: Any = self
        made: Mechanism = replace(own, members=size * self.members)
        return made

    @abstractmethod
    def _mixed(self) -> Mechanism:
        """The pair of removal, for rates below 1."""


@dataclass(frozen=True, eq=False)
class SubsampledDiscreteGaussian(_SampledNoise):
    """Discrete Gaussian noise on a count over a Poisson sample: every example takes part with the same probability.

    Exact in each direction, and so are powers whose sums of losses can be enumerated. Longer ones are computed from two
    laws on a grid, a lower and an upper bound; their distance is the error bound.

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
    members : int
        Size of a group that is in the data or not as a whole, at most 100; by default one example.

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
    members: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        real_number("sigma", self.sigma, 0.0, _WIDEST, open_low=True)

    @property
    def _noise(self) -> _Noise:
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
    members : int
        Size of a group that is in the data or not as a whole, at most 100; by default one example.

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
    members: int = 1

    @property
    def _noise(self) -> _Noise:
        return DiscreteLaplace(self.scale, self.sensitivity)

    def _mixed(self) -> Mechanism:
        return _LaplaceRemoval(self._noise, self._towards("remove"))


@dataclass(frozen=True, eq=False)
class _Removal(FiniteMechanism):
    """P without the example against Q with it, or the reverse."""

    noise: _Noise
    named: _SampledNoise
    is_reversed: bool = False

    @property
    def rate(self) -> float:
        return self.named.sampling_rate

    def __repr__(self) -> str:
        return repr(self.named.reverse if self.is_reversed else self.named)

    @cached_property
    def _key(self) -> Hashable:
        return "sampled", self.noise._key, self.rate, self.named.members, self.is_reversed

    @cached_property
    def reverse(self) -> _Removal:
        return replace(self, is_reversed=not self.is_reversed)

    @cached_property
    def _log_weights(self) -> np.ndarray:
        """Logarithms of the probabilities that 0, 1, … members take part."""
        k, rate = self.named.members, self.rate
        return np.array(
            [math.log(math.comb(k, j)) + j * math.log(rate) + (k - j) * math.log1p(-rate) for j in range(k + 1)]
        )

    def _loss(self, of_noise: Callable[[int], np.ndarray]) -> np.ndarray:
        """The loss of removal, accurate also near 0; `of_noise(j)` is that if j members are known to take part."""
        large, change = np.asarray(self._log_weights[0]), np.zeros(())
        for j, log_weight in enumerate(self._log_weights[1:].tolist(), 1):
            loss = of_noise(j)
            large = np.logaddexp(large, log_weight + loss)
            change = change + math.exp(log_weight) * np.expm1(np.clip(loss, -np.inf, 600.0))
        near = (change > -0.5) & (change < 1.0)
        return np.where(near, np.log1p(np.where(near, change, 0.0)), large)

    @abstractmethod
    def _answers(self) -> np.ndarray:
        """Answers for the group that have mass; one answer may stand for all with the same loss."""

    @abstractmethod
    def _moved(self, x: np.ndarray, j: int) -> np.ndarray:
        """Masses of these answers if j members take part."""

    @abstractmethod
    def _loss_of_noise(self, x: np.ndarray, j: int) -> np.ndarray:
        """The loss at these answers, if it is known that j members take part."""

    def _outcomes(self) -> tuple[np.ndarray, np.ndarray]:
        return self._law.p, self._law.q

    @cached_property
    def _law(self) -> FiniteLaw:
        if self.is_reversed:
            return self.reverse._law.reverse
        k, rate = self.named.members, self.rate
        shares = [math.comb(k, j) * rate**j * (1.0 - rate) ** (k - j) for j in range(k + 1)]
        x = self._answers()
        alone, mixed = self._moved(x, 0), np.zeros(x.shape)
        with np.errstate(under="ignore"):
            for j, share in enumerate(shares):
                mixed += share * self._moved(x, j)
        kept = np.maximum(alone, mixed) > 0  # masses between distant peaks underflow
        x, alone, mixed = x[kept], alone[kept], mixed[kept]
        loss = np.maximum.accumulate(self._loss(partial(self._loss_of_noise, x)))
        # In a term that matters, the logarithm of the weight is at most about as large as the loss of the noise.
        furthest = 150.0 * (k > 1) + float(np.max(np.abs(self._loss_of_noise(x[[0, -1]], k))))
        location_error = UNIT_ROUNDOFF * (4 * furthest + 8 * float(np.max(np.abs(loss))))
        relative_error = self.noise._law.relative_error + 8 * k * UNIT_ROUNDOFF
        return FiniteLaw.of_finite(loss, alone, mixed, 0.0, 0.0, location_error, relative_error)

    def _loss_range(self) -> tuple[float, float]:
        low, high = (float(self._loss(partial(np.multiply, end))) for end in self.noise._loss_range())
        return (-high, -low) if self.is_reversed else (low, high)

    def _largest_finite_loss(self) -> float:
        return self._loss_range()[1]

    def _epsilon(self, delta: np.ndarray) -> np.ndarray:
        return np.where(delta == 0, self._loss_range()[1], self._law.epsilon(delta))

    def _epsilon_error(self, delta: np.ndarray, epsilon: np.ndarray) -> np.ndarray:
        return np.where(np.isfinite(epsilon), super()._epsilon_error(delta, epsilon), 0.0)


class _LaplaceRemoval(_Removal):
    """Removal with discrete Laplace noise: answers below 0 have the loss of 0, and those above kΔ that of kΔ."""

    named: SubsampledDiscreteLaplace

    def _answers(self) -> np.ndarray:
        return np.arange(self.named.members * self.named.sensitivity + 1.0)

    def _moved(self, x: np.ndarray, j: int) -> np.ndarray:
        scale = self.named.scale
        mass = np.exp(-np.abs(x - j * self.named.sensitivity) / scale) / (1.0 + math.exp(-1.0 / scale))
        mass[1:-1] *= -math.expm1(-1.0 / scale)
        return mass

    def _loss_of_noise(self, x: np.ndarray, j: int) -> np.ndarray:
        return (x - np.abs(x - j * self.named.sensitivity)) / self.named.scale


class _GaussianRemoval(_Removal):
    """Removal with discrete Gaussian noise; large orders of Rényi divergences need answers that its law leaves out."""

    named: SubsampledDiscreteGaussian

    @cached_property
    def _centered(self) -> np.ndarray:
        """Masses of the noise around 0."""
        return self.noise._outcomes()[0][: -self.named.sensitivity]

    def _answers(self) -> np.ndarray:
        beyond = self._centered.size // 2
        return np.arange(-beyond, self.named.members * self.named.sensitivity + beyond + 1.0)

    def _moved(self, x: np.ndarray, j: int) -> np.ndarray:
        mass, first = np.zeros(x.shape), j * self.named.sensitivity
        mass[first : first + self._centered.size] = self._centered
        return mass

    def _loss_of_noise(self, x: np.ndarray, j: int) -> np.ndarray:
        mu = j * self.named.sensitivity / self.named.sigma
        return mu * (x / self.named.sigma - mu / 2)

    def _renyi(self, order: np.ndarray) -> np.ndarray:
        sigma, shift, members = self.named.sigma, self.named.sensitivity, self.named.members
        if sigma > _SMOOTH and sigma**2 > 2 * _SMOOTH * shift * members:
            # By Poisson's summation formula the sum equals the integral: the loss has no singularity within πσ²/kΔ of
            # the real line, as a polynomial of degree k with positive coefficients has no root of argument below π/k.
            direction = "add" if self.is_reversed else "remove"
            return SubsampledGaussianGroup(sigma / shift, self.rate, members, direction)._renyi(order)
        return np.reshape([self._of_order(s) for s in np.ravel(order)], np.shape(order))

    def _of_order(self, order: float) -> float:
        """D_s as a sum around the answers that contribute most."""
        sigma, mu = self.named.sigma, self.named.sensitivity / self.named.sigma
        t, shifts = 1.0 - order if self.is_reversed else order, mu * np.arange(self.named.members + 1.0)

        # A peak that is about to split into two is wider than that of a normal density.
        around = math.ceil(TAIL * sigma * (1.0 + 1.0 / math.sqrt(min(mu, 1.0))))
        near = np.arange(-around, around + 1.0)

        def loss_at(z: np.ndarray) -> np.ndarray:
            return self._loss(lambda j: j * mu * (z - j * mu / 2))

        def log_p(z: np.ndarray) -> np.ndarray:
            return -(z**2) / 2

        def log_q(z: np.ndarray) -> np.ndarray:
            return np.logaddexp.reduce([weight - (z - j * mu) ** 2 / 2 for j, weight in enumerate(self._log_weights)])

        def total(log_terms: Callable[[np.ndarray], np.ndarray]) -> float:
            middle = np.unique(np.round(peaks(log_terms, np.append(shifts, t * shifts)) * sigma))
            terms = log_terms(np.unique(np.add.outer(middle, near)) / sigma)
            return float(logsumexp(terms) - logsumexp(log_p(near / sigma)))

        excess = total(lambda z: log_excess(loss_at(z), log_p(z), log_q(z), t, order == 1.0))
        return renyi_of_excess(excess, order, t, lambda: total(lambda z: t * loss_at(z) + log_p(z)))
