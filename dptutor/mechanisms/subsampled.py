"""The Poisson-subsampled Gaussian mechanism, one step of DP-SGD, and DP-SGD itself.

Every example takes part in a step with probability p; noise of standard deviation σ is added to the sum of the clipped
gradients, of norm at most 1. One step is dominated by

    remove:  P = N(0, σ²),  Q = (1−p) N(0, σ²) + p N(1, σ²)        add:  the same pair, exchanged,

the loss of `remove` being log(1 − p + p e^g) with g the loss of the Gaussian mechanism. So one step is a Gaussian
mechanism in other coordinates: with e^{ε'} = (e^ε − 1 + p)/p, and e^{ε''} = p e^ε / (1 − (1−p) e^ε) for `add`,

    δ(ε) = p δ_G(ε'),     δ_add(ε) = (1 − (1−p) e^ε) δ_G(ε''),

where the logarithms are defined; elsewhere δ = 1 − e^ε for `remove` and 0 for `add`.

Removal has the larger δ at every positive ε, and therefore addition at every negative ε.

Sources: Abadi et al. (2016); Zhu, Dong & Wang (2022); Balle, Barthe & Gaboardi (2018), theorem 2.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

from .._floats import LARGEST_LOSS, LAST_PLACE
from .._validation import choice, positive_integer, positive_number, real_number
from ..evaluation.laws import LossLaw, NormalLaw, SampledLaw
from ..evaluation.renyi_areas import renyi_of_answers
from ..evaluation.roots import decreasing_root
from ..evaluation.subsampled_gaussian import (
    APART,
    WHOLLY_APART,
    gaussian_loss,
    largest_powers,
    largest_powers_matter,
    log_hellinger,
    loss_at,
    loss_moments,
    reach,
    renyi_where_apart,
)
from .base import Mechanism
from .delegated import Delegated
from .gaussian import Gaussian, gaussian_profile

# As for the Gaussian mechanism, 1/σ² must not overflow.
_LEAST_NOISE = 1e-150
# Divergences are of the order of the squared rate, which must not underflow.
_LEAST_RATE = 1e-200
# Peaks of integrands are at s/σ; the square of a larger one would overflow.
_FURTHEST = 1e150
# Distance from order 1 above which log H has its digits.
_CLOSE = 0.01
# Relative error of log H up to which Rényi divergences follow from it.
_ACCURATE = 1e-12
DIRECTIONS = ("both", "add", "remove")


@dataclass(frozen=True, eq=False)
class SubsampledGaussian(Mechanism):
    """One Poisson-subsampled Gaussian step.

    Parameters
    ----------
    noise_multiplier : float
        σ, the noise's standard deviation in units of the sensitivity; greater than 1e-150, in compositions at least
        0.05.
    sampling_rate : float
        p in (0, 1], the probability with which an example takes part; at least 1e-200.
    direction : {"both", "add", "remove"}
        Neighbors: "remove" tests the step without the example (P) against the step with it (Q), "add" the reverse,
        "both" is the worse of the two at every ε.

    Raises
    ------
    ValueError
        If a parameter is outside its range.

    References
    ----------
    Abadi et al. (2016); Zhu, Dong & Wang (2022); Balle, Barthe & Gaboardi (2018), theorem 2.
    In the book: chapter 9, :prf:ref:`thm-subsampling`.

    Examples
    --------
    >>> import dptutor as dp
    >>> step = dp.SubsampledGaussian(noise_multiplier=1, sampling_rate=0.1)
    >>> round(step.advantage, 6), round(0.1 * dp.Gaussian(sigma=1).advantage, 6)
    (0.038292, 0.038292)
    """

    noise_multiplier: float
    sampling_rate: float
    direction: str = "both"

    def __post_init__(self) -> None:
        noise = positive_number("noise_multiplier", self.noise_multiplier)
        noise = real_number("noise_multiplier", noise, _LEAST_NOISE, open_low=True)
        object.__setattr__(self, "noise_multiplier", noise)
        rate = real_number("sampling_rate", self.sampling_rate, 0.0, 1.0, open_low=True)
        rate = real_number("sampling_rate", rate, _LEAST_RATE)
        object.__setattr__(self, "sampling_rate", rate)
        choice("direction", self.direction, DIRECTIONS)

    @cached_property
    def _key(self) -> Hashable:
        if self.sampling_rate == 1.0:
            return Gaussian(sigma=self.noise_multiplier)._key
        if self.direction == "both":
            return "both", frozenset(step._key for step in self.directions)
        return "SubsampledGaussian", self.noise_multiplier, self.sampling_rate, self.direction

    @property
    def is_symmetric(self) -> bool:
        return self.direction == "both" or self.sampling_rate == 1.0

    @property
    def error_bound(self) -> float:
        return max(super().error_bound, LAST_PLACE * 2.0 / self.noise_multiplier)

    @property
    def reverse(self) -> SubsampledGaussian:
        return replace(self, direction={"add": "remove", "remove": "add", "both": "both"}[self.direction])

    @property
    def symmetrized(self) -> SubsampledGaussian:
        return replace(self, direction="both")

    @property
    def directions(self) -> tuple[SubsampledGaussian, SubsampledGaussian]:
        """The mechanism under removal and under addition of an example.

        Examples
        --------
        >>> import dptutor as dp
        >>> [step.direction for step in dp.SubsampledGaussian(1, 0.1).directions]
        ['remove', 'add']
        """
        return replace(self, direction="remove"), replace(self, direction="add")

    @property
    def both_directions(self) -> tuple[SubsampledGaussian, ...]:
        return self.directions if self.direction == "both" and self.sampling_rate < 1 else ()

    def _loss_range(self) -> tuple[float, float]:
        lowest = math.log1p(-self.sampling_rate) if self.sampling_rate < 1 else -math.inf
        ranges = {"remove": (lowest, math.inf), "add": (-math.inf, -lowest), "both": (-math.inf, math.inf)}
        return ranges[self.direction]

    def _errors(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if self.direction == "both":
            return self._of_the_worse(lambda step, at: step._errors(at), epsilon)
        if self.direction == "add":
            # L_add = −L: Pr_Q[L_remove < −ε] and Pr_P[L_remove ≥ −ε], the loss being continuous.
            alpha, beta = self.reverse._errors(-epsilon)
            return beta, alpha
        cut = self._threshold(epsilon)
        return ndtr(-cut), self._below(cut)

    def _below(self, cut: np.ndarray) -> np.ndarray:
        """Pr[answer ≤ cut] with the example, the cut in units of σ."""
        rate = self.sampling_rate
        return (1 - rate) * ndtr(cut) + rate * ndtr(cut - 1 / self.noise_multiplier)

    def _of_the_worse(self, face: Callable[..., Any], epsilon: np.ndarray) -> Any:
        """A face of both directions: removal has the larger δ at positive ε, addition at negative ones."""
        epsilon, (remove, add) = np.asarray(epsilon), self.directions
        first = epsilon >= 0
        parts = face(remove, epsilon[first]), face(add, epsilon[~first])
        faces = np.empty((*np.shape(parts[0])[:-1], *epsilon.shape))
        faces[..., first], faces[..., ~first] = parts
        return faces

    def _tradeoff(self, alpha: np.ndarray) -> np.ndarray:
        alpha = np.asarray(alpha, dtype=float)
        if self.direction == "remove":
            return np.minimum(self._below(-ndtri(alpha)), 1 - alpha)
        if self.direction == "add":
            cut = -decreasing_root(lambda x: self._below(-x), alpha)
            return np.minimum(ndtr(-cut), 1 - alpha)
        # Between the test at ε = 0 and its mirror image, f is a line of slope −1.
        remove, add = self.directions
        low, high = (float(error) for error in remove._errors(np.asarray(0.0)))
        return np.select(
            [alpha <= low, alpha >= high], [remove._tradeoff(alpha), add._tradeoff(alpha)], low + high - alpha
        )

    def _threshold(self, epsilon: np.ndarray) -> np.ndarray:
        """The answer, in units of σ, at which the loss is ε; −∞ below the smallest loss."""
        mu = 1 / self.noise_multiplier
        return gaussian_loss(self.sampling_rate, epsilon) / mu + mu / 2

    def _delta(self, epsilon: np.ndarray) -> np.ndarray:
        if self.direction == "both":
            return self._of_the_worse(lambda step, at: step._delta(at), epsilon)
        rate, mu = self.sampling_rate, 1 / self.noise_multiplier
        if self.direction == "remove":
            inner = gaussian_loss(self.sampling_rate, epsilon)
            inside = rate * gaussian_profile(mu, inner)
            return np.where(inner > -np.inf, inside, -np.expm1(np.minimum(epsilon, 0.0)))
        # 1 − (1−p) e^ε, without cancellation near the largest loss.
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            exponent = np.minimum(epsilon, LARGEST_LOSS) + (math.log1p(-rate) if rate < 1 else -math.inf)
            room = np.maximum(-np.expm1(exponent), 0.0)
            inner = epsilon + math.log(rate) - np.log(room)
        return np.where(room > 0, room * gaussian_profile(mu, inner), 0.0)

    def _parts(self) -> tuple[tuple[tuple[Mechanism, int], ...], bool]:
        if self.sampling_rate == 1.0:
            return ((Gaussian(sigma=self.noise_multiplier), 1),), False
        both = self.direction == "both"
        return ((self.directions[0] if both else self, 1),), both

    def _loss_law(self) -> LossLaw | None:
        if self.sampling_rate == 1.0:
            return NormalLaw(1 / self.noise_multiplier)
        if self.direction == "both":
            return None
        return SampledLaw(self.noise_multiplier, self.sampling_rate, self.direction)

    def _of_group(self, size: int) -> Mechanism | None:
        from .sampled_groups import SubsampledGaussianGroup

        return SubsampledGaussianGroup(self.noise_multiplier, self.sampling_rate, size, self.direction)

    def _hellinger(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return super()._hellinger(s) if self.both_directions else self._exponentiated(s)

    def _log_hellinger(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if self.sampling_rate == 1.0:
            return Gaussian(sigma=self.noise_multiplier)._log_hellinger(s)
        if self.direction == "both":
            return super()._log_hellinger(s)
        s = 1.0 - s if self.direction == "add" else s
        within = np.abs(s.real) <= _FURTHEST * self.noise_multiplier
        if within.all():
            return log_hellinger(self.noise_multiplier, self.sampling_rate, s)
        value, error = np.full(s.shape, np.nan, dtype=complex), np.full(s.shape, np.inf)
        if within.any():
            value[within], error[within] = self._log_hellinger(
                1.0 - s[within] if self.direction == "add" else s[within]
            )
        return value, error

    def _renyi(self, order: np.ndarray) -> np.ndarray:
        if self.sampling_rate == 1.0:
            return order / (2 * self.noise_multiplier**2)
        if self.direction == "both":
            return np.maximum(*(pair._renyi(order) for pair in self.directions))
        return np.array([self._of_order(s) for s in order.ravel().tolist()]).reshape(order.shape)

    def _of_order(self, order: float) -> float:
        """D_s from log H(s), or where that is inaccurate or unknown from integrals about the peaks."""
        if order == 1.0:
            return self._loss_moments("Q")[0]
        mu, rate = 1.0 / self.noise_multiplier, self.sampling_rate
        t = order if self.direction == "remove" else 1.0 - order
        if mu >= WHOLLY_APART:
            return renyi_where_apart(mu, rate, order, t)
        if t > 1.0 and largest_powers_matter(mu, rate, t):
            return largest_powers(self.noise_multiplier, rate, order)
        # Next to order 1, log H of removal cancels.
        if mu <= APART and max(order, abs(t)) < self.hellinger_reach and abs(order - 1.0) > _CLOSE:
            (log_h,), (error,) = self._log_hellinger(np.array([order], dtype=complex))
            if error <= _ACCURATE * abs(log_h.real):
                return float(log_h.real) / (order - 1.0)
        centers = np.clip(mu * np.array([0.0, 1.0, t]), -_FURTHEST, _FURTHEST)
        return renyi_of_answers(lambda z: loss_at(mu, rate, z), lambda z: -(z**2) / 2, order, t, centers)

    def _loss_moments(self, under: str) -> tuple[float, float]:
        if self.sampling_rate == 1.0:
            return Gaussian(sigma=self.noise_multiplier)._loss_moments(under)
        if self.direction == "both":
            return super()._loss_moments(under)
        of_p, of_q = loss_moments(self.noise_multiplier, self.sampling_rate)
        if self.direction == "remove":
            return of_q if under == "Q" else of_p
        # The loss of addition is minus the loss of removal.
        mean, variance = of_p if under == "Q" else of_q
        return -mean, variance

    @property
    def hellinger_reach(self) -> float:
        """The largest absolute value of a real s at which the Hellinger transform H(s) can be computed.

        Examples
        --------
        >>> import dptutor as dp
        >>> dp.SubsampledGaussian(1, 0.1).hellinger_reach
        590.0
        """
        return reach(self.noise_multiplier)


@dataclass(frozen=True, eq=False)
class DPSGD(Delegated):
    """DP-SGD: `steps` Poisson-subsampled Gaussian steps, with all outputs published.

    Parameters
    ----------
    noise_multiplier, sampling_rate : float
        As for `SubsampledGaussian`.
    steps : int
        Number of steps, at least 1.
    direction : {"both", "add", "remove"}
        As for `SubsampledGaussian`; the direction is the same in all steps.

    Raises
    ------
    ValueError, TypeError
        If a parameter is outside its range, or `steps` not an integer.

    References
    ----------
    Abadi et al. (2016); Kaissis et al. (2024), section 5.
    In the book: chapter 9, :prf:ref:`thm-composition`; chapter 14, :prf:ref:`def-batches`.

    Examples
    --------
    >>> import dptutor as dp
    >>> m = dp.DPSGD(noise_multiplier=0.6, sampling_rate=0.01, steps=500)
    >>> round(m.epsilon(1e-5), 4), round(m.bayes_error(0.5), 4)
    (5.8002, 0.3617)
    """

    noise_multiplier: float
    sampling_rate: float
    steps: int
    direction: str = "both"

    def __post_init__(self) -> None:
        step = SubsampledGaussian(self.noise_multiplier, self.sampling_rate, self.direction)
        object.__setattr__(self, "noise_multiplier", step.noise_multiplier)
        object.__setattr__(self, "sampling_rate", step.sampling_rate)
        object.__setattr__(self, "steps", positive_integer("steps", self.steps))

    @property
    def step(self) -> SubsampledGaussian:
        """One step.

        Examples
        --------
        >>> import dptutor as dp
        >>> dp.DPSGD(0.6, 0.01, 500).step
        SubsampledGaussian(noise_multiplier=0.6, sampling_rate=0.01, direction='both')
        """
        return SubsampledGaussian(self.noise_multiplier, self.sampling_rate, self.direction)

    @property
    def directions(self) -> tuple[DPSGD, DPSGD]:
        """The training under removal and under addition of an example.

        Examples
        --------
        >>> import dptutor as dp
        >>> [training.direction for training in dp.DPSGD(1, 0.1, 10).directions]
        ['remove', 'add']
        """
        return replace(self, direction="remove"), replace(self, direction="add")

    @property
    def both_directions(self) -> tuple[DPSGD, ...]:
        return self.directions if self.direction == "both" and self.sampling_rate < 1 else ()

    @cached_property
    def _whole(self) -> Mechanism:
        return self.step**self.steps

    @property
    def is_symmetric(self) -> bool:
        return self.step.is_symmetric

    @cached_property
    def reverse(self) -> DPSGD:
        # The same object, which keeps its cache.
        return self if self.is_symmetric else replace(self, direction=self.step.reverse.direction)

    @property
    def symmetrized(self) -> DPSGD:
        return self if self.direction == "both" else replace(self, direction="both")

    def _parts(self) -> tuple[tuple[tuple[Mechanism, int], ...], bool]:
        parts, both = self.step._parts()
        return tuple((part, count * self.steps) for part, count in parts), both
