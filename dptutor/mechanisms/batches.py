"""Batches as they are drawn: fixed, shuffled, thrown into bins, or sampled without replacement.

An epoch has T steps, each the sum of the clipped gradients of a batch plus N(0, σ²); every example is in one batch.
Neighbors: an example is there, or its gradient is 0. The pairs of one epoch, remove direction, in units of the clip:

    fixed             T(N(0, σ²), N(1, σ²)): in one known step                            attained
    balls and bins    P = N(0, σ² I_T),  Q = (1/T) Σ_t N(e_t, σ² I_T): in a random step   attained
    shuffled          no pair is known: below fixed batches, above balls and bins

Balls and bins have the loss log(S/T), S a sum of T independent log-normal variables e^(z/σ − 1/2σ²). Its law is found
from those of halves of the bins (`evaluation/curves`), and where δ is faint between two laws on a grid
(`evaluation/lognormal_sums`), of which the larger one is a pair that dominates the true one.

A shuffle is a mixture over orders, each a fixed batching, so by convexity it is below that; and where all other
gradients are 0 it is balls and bins.

Sources: Chua, Ghazi, Kamath, Kumar, Manurangsi, Sinha & Zhang (2024); Chua et al. (2025) for balls and bins; Feldman &
Shenfeld (2025), who call them random allocation; Balle, Barthe & Gaboardi (2018) without replacement.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from scipy.special import gammaln, log_ndtr, xlogy

from .._validation import choice, positive_integer, positive_number, real_number
from ..evaluation.curves import Curves, CurveTable, TailedTable, curves_of
from ..evaluation.evaluator import Evaluator
from ..evaluation.faces import TabulatedFaces, TailedFaces
from ..evaluation.finite_law import FiniteLaw
from ..evaluation.from_profile import integral, loss_moments_from_profile, renyi_from_profile
from ..evaluation.inverse_powers import log_mean_inverse_power
from ..evaluation.lognormal_sums import LogNormalSum, lognormal_sum, ratio_of_levels
from ..evaluation.remembering import remembering
from ..evaluation.roots import decreasing_root
from .base import Mechanism
from .delegated import SymmetricDelegated
from .directed import DIRECTIONS, Directed
from .evaluated import Evaluated
from .finite import FiniteMechanism
from .gaussian import Gaussian, mills
from .lattice import Join
from .subsampled import SubsampledGaussian

# Smallest noise for which e^(z/σ) does not overflow, and largest number of bins for a grid.
_NOISE, _MOST_STEPS = (0.05, 1000.0), 10**5
# The largest order of a Rényi divergence of removal that is computed, in about a second.
_MOST_ORDER = 2000
# Of the largest answer: where all of its law is without shifts, and how precisely a peak is located.
_WIDE, _NARROW = 40.0, 1e-4
# Logarithms of moments smaller than this lose digits.
_SLIGHT = 0.1
BOUNDS = ("upper", "lower")
# Answers, in σ, and losses beyond which masses are negligible.
_FAR, _LARGEST = 1e8, 1e4


@dataclass(frozen=True, eq=False)
class FixedBatches(SymmetricDelegated):
    """One epoch of DP-SGD in fixed batches: every example in one known step. Its curves are those of `Gaussian`.

    Exact, and the same for any number of steps; epochs are a power.

    Parameters
    ----------
    noise_multiplier : float
        σ, the noise's standard deviation in units of the clip; positive.

    Raises
    ------
    ValueError
        If `noise_multiplier` is not positive and finite.

    References
    ----------
    Chua, Ghazi, Kamath, Kumar, Manurangsi, Sinha & Zhang (2024), on ABLQ with deterministic batches.
    In the book: chapter 14, :prf:ref:`def-batches`.

    Examples
    --------
    Of one epoch of 1000 steps, in fixed and in Poisson batches:

    >>> import dptutor as dp
    >>> round(dp.FixedBatches(0.6).epsilon(1e-5), 2), round(dp.DPSGD(0.6, 1 / 1000, 1000).epsilon(1e-5), 2)
    (8.0, 1.43)
    """

    noise_multiplier: float

    def __post_init__(self) -> None:
        noise = positive_number("noise_multiplier", self.noise_multiplier)
        object.__setattr__(self, "noise_multiplier", Gaussian(noise).sigma)

    @property
    def _whole(self) -> Gaussian:
        return Gaussian(self.noise_multiplier)


@dataclass(frozen=True, eq=False)
class BallsAndBins(Directed):
    """One epoch of DP-SGD in which every example is put into one of the steps at random, independently of the others.

    The pair is attained, and errors say how far each answer may be off. Epochs are a power. Rényi divergences above
    order 1 are exact, but of removal, between whole orders and beyond order 2000, upper bounds.

    Parameters
    ----------
    noise_multiplier : float
        σ, the noise's standard deviation in units of the clip; in [0.05, 1000].
    steps : int
        T, the number of steps of an epoch, at most 100 000; fewer where the noise is small, for which a call that would
        take longer than ten seconds is refused: all for σ from 0.3 on, 30 000 from 0.08 on, 1000 from 0.05 on.
    direction : {"both", "add", "remove"}
        As for `SubsampledGaussian`.

    Raises
    ------
    ValueError, TypeError
        If a parameter is outside its range, or `steps` not an integer.

    References
    ----------
    Chua, Ghazi, Harrison, Leeman, Kamath, Kumar, Manurangsi, Sinha & Zhang (2025); Feldman & Shenfeld (2025).
    In the book: chapter 14, :prf:ref:`def-batches`.

    Examples
    --------
    >>> import dptutor as dp
    >>> epoch = dp.BallsAndBins(noise_multiplier=1, steps=20)
    >>> round(epoch.epsilon(1e-5), 3), round(dp.DPSGD(1, 1 / 20, 20).epsilon(1e-5), 3)
    (1.609, 1.985)
    """

    noise_multiplier: float
    steps: int
    direction: str = "both"

    def __post_init__(self) -> None:
        object.__setattr__(self, "noise_multiplier", _noise(self.noise_multiplier))
        object.__setattr__(self, "steps", _bins(self.steps))
        choice("direction", self.direction, DIRECTIONS)
        _within_reach(self.noise_multiplier, self.steps)

    @cached_property
    def _removal(self) -> Mechanism:
        if self.steps == 1:
            return Gaussian(self.noise_multiplier)
        return _Allocation(self.noise_multiplier, self.steps)


@dataclass(frozen=True, eq=False)
class ShuffledBatches(SymmetricDelegated):
    """One epoch of DP-SGD in shuffled batches: a bound, above or below, since no dominating pair has been proven.

    The upper curve is that of fixed batches (by convexity; Chua et al. 2024), the lower one the join of two that are
    attained: balls and bins, where all other gradients are 0, and a test of the largest answer where all others are
    opposite to the example (Chua et al. 2024). What is true lies between. The lower curve is proven, but it is not the
    largest that is known: where all others are opposite, the likelihood ratio of all answers shows more than the
    largest answer does, above all where the two bounds are far apart.

    Parameters
    ----------
    noise_multiplier : float
        σ, the noise's standard deviation in units of the clip; in [0.05, 1000].
    steps : int
        T, the number of steps of an epoch, at most 100 000.
    bound : {"upper", "lower"}
        Whose curves these are. To be safe, use "upper".

    Raises
    ------
    ValueError, TypeError
        If a parameter is outside its range, or `steps` not an integer.

    References
    ----------
    Chua, Ghazi, Kamath, Kumar, Manurangsi, Sinha & Zhang (2024).
    In the book: chapter 14, :prf:ref:`def-batches`, :prf:ref:`thm-shuffle-band`.

    Examples
    --------
    >>> import dptutor as dp
    >>> [round(dp.ShuffledBatches(1, 20, bound).epsilon(1e-5), 2) for bound in ("lower", "upper")]
    [4.31, 4.38]
    """

    noise_multiplier: float
    steps: int
    bound: str = "upper"

    def __post_init__(self) -> None:
        object.__setattr__(self, "noise_multiplier", _noise(self.noise_multiplier))
        object.__setattr__(self, "steps", _bins(self.steps))
        choice("bound", self.bound, BOUNDS)
        if self.bound == "lower":
            _within_reach(self.noise_multiplier, self.steps)

    @cached_property
    def _whole(self) -> Mechanism:
        if self.steps == 1 or self.bound == "upper":
            return Gaussian(self.noise_multiplier)
        largest = _LargestAnswer(1.0 / self.noise_multiplier, self.steps)
        return Join(BallsAndBins(self.noise_multiplier, self.steps), largest.symmetrized)

    @cached_property
    def _key(self) -> Hashable:
        fixed = self.steps == 1 or self.bound == "upper"
        return self._whole._key if fixed else ("ShuffledBatches", self.noise_multiplier, self.steps)

    def _parts(self) -> tuple[tuple[tuple[Mechanism, int], ...], bool]:
        if self.bound == "lower" and self.steps > 1:
            # Each direction is attained in all epochs; their join is not.
            raise ValueError(f"a lower bound cannot be composed, got {self!r}: compose BallsAndBins, which is below it")
        return self._whole._parts()


@dataclass(frozen=True, eq=False)
class SampledWithoutReplacement(SymmetricDelegated):
    """One step on a batch of fixed size, drawn without replacement; neighbors replace one example by another.

    Two clipped gradients differ by at most 2, so that the curve is that of `SubsampledGaussian` with σ/2, the worse
    of its two directions at every ε: exact for one step, since each is attained, where all other gradients are
    opposite. Both orders of the neighbors are meant at once in every step, so a power composes the worse of both, not
    each by itself: an upper bound, proven by Zhu, Dong & Wang (2022), theorem 10. To compose
    one direction alone would not be safe (Lebeda, Regehr, Kamath & Steinke 2024).

    Parameters
    ----------
    noise_multiplier : float
        σ, the noise's standard deviation in units of the clip; greater than 2e-150.
    sampling_rate : float
        Size of the batch over that of the data, in (0, 1].

    Raises
    ------
    ValueError
        If a parameter is outside its range.

    References
    ----------
    Balle, Barthe & Gaboardi (2018), theorem 2, on joint convexity; Zhu, Dong & Wang (2022), theorem 11.

    Examples
    --------
    >>> import dptutor as dp
    >>> m = dp.SampledWithoutReplacement(noise_multiplier=2, sampling_rate=0.1)
    >>> m.advantage == dp.SubsampledGaussian(1, 0.1).advantage
    True
    >>> round((m**10).epsilon(1e-5), 2), round(dp.DPSGD(1, 0.1, 10).epsilon(1e-5), 2)
    (2.93, 2.85)
    """

    noise_multiplier: float
    sampling_rate: float

    def __post_init__(self) -> None:
        noise = positive_number("noise_multiplier", self.noise_multiplier)
        noise = real_number("noise_multiplier", noise, 2e-150, open_low=True)
        object.__setattr__(self, "noise_multiplier", noise)
        object.__setattr__(self, "sampling_rate", SubsampledGaussian(1.0, self.sampling_rate).sampling_rate)

    @cached_property
    def _whole(self) -> Mechanism:
        if self.sampling_rate == 1.0:
            return Gaussian(self.noise_multiplier, 2.0)
        return SubsampledGaussian(self.noise_multiplier / 2.0, self.sampling_rate)

    @cached_property
    def _key(self) -> Hashable:
        if self.sampling_rate == 1.0:
            return self._whole._key
        return "SampledWithoutReplacement", self.noise_multiplier, self.sampling_rate

    def _parts(self) -> tuple[tuple[tuple[Mechanism, int], ...], bool]:
        return self._whole._parts() if self.sampling_rate == 1.0 else (((self, 1),), False)

    def _breakpoints(self) -> np.ndarray:
        # Between its two directions the curve is a line of slope −1.
        return np.zeros(0 if self.sampling_rate == 1.0 else 1)

    def _renyi(self, order: np.ndarray) -> np.ndarray:
        return self._pair_renyi(order)


@dataclass(frozen=True, eq=False)
class _LargestAnswer(Mechanism):
    """The largest of T answers, P with e_t and Q with 2 e_t in a random place t, in units of σ: one number m.

    Its likelihood ratio grows with m, so tests at a threshold are the best ones.
    """

    mu: float
    steps: int
    removal: bool = True

    @property
    def reverse(self) -> _LargestAnswer:
        return replace(self, removal=not self.removal)

    def _log_below(self, shift: float, m: np.ndarray) -> np.ndarray:
        """log Pr[all answers ≤ m]."""
        return (self.steps - 1) * log_ndtr(m) + log_ndtr(m - shift)

    def _log_ratio(self, m: np.ndarray) -> np.ndarray:
        """Of the densities, without the factor that both have."""
        within = np.clip(m, -_FAR, _FAR)
        ratio = self._log_beside(2 * self.mu, within) - self._log_beside(self.mu, within)
        ratio += self.mu * within - 1.5 * self.mu**2
        return np.where(np.abs(m) < _FAR, ratio, np.copysign(math.inf, m))

    def _log_beside(self, shift: float, m: np.ndarray) -> np.ndarray:
        """log of the density over φ(m − a) Φ(m)^(T − 2), for one answer with mean a; where m < 0 without e^(−m²/2)."""
        # Φ(m) + (T − 1) Φ(m − a) φ(m) / φ(m − a).
        with np.errstate(over="ignore"):
            one = _log_over_density(m - shift) - np.maximum(m, 0.0) ** 2 / 2
            far = log_ndtr(m - shift) - shift * (m - shift / 2)
        return np.logaddexp(_log_below_0(m), math.log(self.steps - 1) + np.where(m < shift, one, far))

    @cached_property
    def _tests(self) -> Callable[[np.ndarray], tuple[np.ndarray, ...]]:
        """The threshold at ε, and the two errors of the removal direction; δ and its error ask at the same ε."""
        return remembering(self._tested)

    def _tested(self, epsilon: np.ndarray) -> tuple[np.ndarray, ...]:
        m = -decreasing_root(lambda x: self._log_ratio(-x), np.clip(epsilon, -_LARGEST, _LARGEST))
        m = np.where(np.isinf(epsilon), epsilon, m)
        return m, -np.expm1(self._log_below(self.mu, m)), np.exp(self._log_below(2 * self.mu, m))

    def _errors(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        _, alpha, beta = self._tests(epsilon if self.removal else -np.asarray(epsilon, dtype=float))
        return (alpha, beta) if self.removal else (beta, alpha)

    def _delta(self, epsilon: np.ndarray) -> np.ndarray:
        epsilon = np.asarray(epsilon, dtype=float)
        if not self.removal:
            return self._covered(-epsilon, True)
        return self._covered(epsilon, False)

    def _covered(self, epsilon: np.ndarray, back: bool) -> np.ndarray:
        """δ, or that of the reverse pair at −ε: a probability less a part of it."""
        m = self._tests(epsilon)[0]
        if back:
            # Pr_P[M ≤ m] − e^−ε Pr_Q[M ≤ m].
            with np.errstate(invalid="ignore"):
                first, second = self._log_below(self.mu, m), self._log_below(2 * self.mu, m) - epsilon
        else:
            with np.errstate(divide="ignore", invalid="ignore"):
                first = log_rest(self._log_below(2 * self.mu, m))
                second = log_rest(self._log_below(self.mu, m)) + epsilon
        with np.errstate(invalid="ignore", over="ignore"):
            return np.where(
                (first > -math.inf) & (second < first), np.exp(first) * -np.expm1(np.minimum(second - first, 0.0)), 0.0
            )

    def _delta_error(self, epsilon: np.ndarray) -> np.ndarray:
        _, beta = self._errors(np.asarray(epsilon, dtype=float))
        return 1e-14 * (1.0 - beta) + 1e-15

    def _renyi(self, order: np.ndarray) -> np.ndarray:
        return np.array([self._renyi_of_order(s) for s in order.ravel().tolist()]).reshape(order.shape)

    def _renyi_of_order(self, s: float) -> float:
        if s == 1.0:
            return self._loss_moments("Q")[0]
        more, less = (2 * self.mu, self.mu) if self.removal else (self.mu, 2 * self.mu)

        # s log φ(m − a) − (s − 1) log φ(m − b) is −m²/2 + slope · m − rest, and where m < 0 there is more of −m²/2.
        slope, rest = s * more - (s - 1) * less, (s * more**2 - (s - 1) * less**2) / 2
        middle = slope / self.steps

        def logs(m: np.ndarray) -> np.ndarray:
            left = -self.steps / 2 * (m - middle) ** 2 + middle * slope / 2 - rest
            right = -((m - slope) ** 2) / 2 + s * (s - 1) * self.mu**2 / 2
            common = np.where(m < 0, left, right) - math.log(2 * math.pi) / 2 + (self.steps - 2) * _log_below_0(m)
            beside = self._log_beside(less, m)
            return common + s * (self._log_beside(more, m) - beside) + beside

        # Where m is far from 0, log Φ(m) is about −m²/2 or 0: the peak is at most so far away.
        reach = 2 * self.mu * (s + 1) + _WIDE
        peak, width = 0.0, reach
        while width > _NARROW:
            places = peak + width * np.linspace(-1, 1, 201)
            peak, width = float(places[np.argmax(logs(places))]), width / 20
        top = float(logs(np.array(peak)))
        sides = np.append(0.0, np.geomspace(_NARROW, 2 * reach, 60))
        cuts = peak + np.append(-sides[:0:-1], sides)
        log_moment = top + math.log(integral(lambda m: np.exp(logs(m) - top), cuts))
        if abs(log_moment) > _SLIGHT:
            return log_moment / (s - 1)

        def excess(m: np.ndarray) -> np.ndarray:
            # E[e^sL] − 1 is E[(e^sL − e^L) − (s − 1)(e^L − 1)], of second order where L is small.
            loss = self._log_ratio(m) if self.removal else -self._log_ratio(m)
            last = logs(m) - s * loss
            return _change(last + loss, (s - 1) * loss) - (s - 1) * _change(last, loss)

        return math.log1p(integral(excess, cuts)) / (s - 1)


def _change(x: np.ndarray, by: np.ndarray) -> np.ndarray:
    """e^(x + by) − e^x."""
    return np.exp(x + np.maximum(by, 0.0)) * np.copysign(np.expm1(-np.abs(by)), by)


def _log_over_density(x: np.ndarray) -> np.ndarray:
    """log(Φ(x)/φ(x)) − log(2π)/2, where x < 0 without cancellation."""
    below_0 = np.log(mills(-np.minimum(x, 0.0))) - math.log(2 * math.pi) / 2
    return np.where(x < 0, below_0, log_ndtr(x) + x**2 / 2)


def _log_below_0(m: np.ndarray) -> np.ndarray:
    """log Φ(m), where m < 0 without its −m²/2."""
    return np.where(m < 0, _log_over_density(m), log_ndtr(m))


def log_rest(log_p: np.ndarray) -> np.ndarray:
    """log(1 − p) from log p."""
    with np.errstate(under="ignore"):
        return np.where(log_p > -0.7, np.log(-np.expm1(log_p)), np.log1p(-np.exp(np.minimum(log_p, -0.6))))


@dataclass(frozen=True, eq=False)
class _OnGrid(FiniteMechanism):
    """The pair of one epoch, by the law that dominates it, or the reverse."""

    noise_multiplier: float
    steps: int
    removal: bool = True

    @cached_property
    def reverse(self) -> Self:
        other = replace(self, removal=not self.removal)
        other.__dict__["reverse"] = self  # each computes its law once
        return other

    def _outcomes(self) -> tuple[np.ndarray, np.ndarray]:
        return self._law.p, self._law.q

    @cached_property
    def _sum(self) -> LogNormalSum:
        return lognormal_sum(1.0 / self.noise_multiplier, self.steps)

    @cached_property
    def _law(self) -> FiniteLaw:
        if not self.removal:
            return self.reverse._law.reverse
        total = self._sum
        p, ratio = total.mass, total.node / self.steps
        q = p * ratio
        kept = p > 0
        left = total.call / self.steps
        return FiniteLaw.of_finite(np.log(ratio[kept]), p[kept], q[kept], total.below, left, 1e-15)

    def _loss_law(self) -> None:
        # The law of the loss has no atoms, and the law that dominates it no error bound for sums.
        return None

    def _delta(self, epsilon: np.ndarray) -> np.ndarray:
        # No loss is infinite, though those beyond the grid count as infinite.
        never = np.asarray(epsilon) == math.inf
        return np.zeros(never.shape) if never.all() else np.where(never, 0.0, super()._delta(epsilon))

    @cached_property
    def _gaps(self) -> tuple[np.ndarray, np.ndarray]:
        """The losses of the grid, and bounds on the error of a put or call before, between and beyond them."""
        total = self._sum
        # Before the first node a put is at most its there, and beyond the last one a call at most what is left.
        first = max(total.below * total.node[0], total.gap[0])
        gap = np.maximum(np.append(total.gap, total.call + total.gap[-1]), np.append(first, total.gap))
        return np.log(total.node / self.steps), gap

    def _delta_error(self, epsilon: np.ndarray) -> np.ndarray:
        """Bound on the error of δ of that law.

        Of removal it is a call, a sum over larger losses, and of addition a put, a sum over smaller ones. At k = T e^ε
        the grid bounds the error of one of them; that of the other is as large but for what its masses lack of 1 and
        their mean of T.
        """
        epsilon, total = np.asarray(epsilon, dtype=float), self._sum
        value = self._delta(epsilon)
        loss = epsilon if self.removal else -epsilon
        losses, gaps = self._gaps
        gap = gaps[np.searchsorted(losses, loss)]
        mass, mean = total.parity
        with np.errstate(over="ignore", invalid="ignore"):
            gap = gap + np.where((loss > 0) != self.removal, mean + mass * self.steps * np.exp(loss), 0.0)
            gap = gap / self.steps
            gap = gap if self.removal else np.where(gap > 0, gap * np.exp(epsilon), 0.0)
        # Neither it nor the truth is below 0, or below 1 − e^ε, or above 1; the tail of the law is summed.
        least = -np.expm1(np.minimum(epsilon, 0.0))
        rounded = np.where(np.isinf(epsilon), 0.0, np.abs(epsilon))
        summed = 1e-12 * value + 4e-15 * (rounded + 1.0) * value
        return np.minimum(gap + 1e-15 * least, np.maximum(value - least, 1.0 - value)) + summed + 1e-300

    def tail(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """δ, −δ′ and a bound on the error of δ."""
        return self._delta(epsilon), self._law.scaled_tail(epsilon), self._delta_error(epsilon)

    @cached_property
    def error_bound(self) -> float:
        loss, _ = self._gaps
        return float(max(pair._delta_error(sign * loss).max() for pair, sign in ((self, 1), (self.reverse, -1))))

    @cached_property
    def _bayes_error_bound(self) -> float:
        return self.error_bound

    def _breakpoints(self) -> np.ndarray:
        return np.empty(0)

    def _loss_range(self) -> tuple[float, float]:
        return -math.inf, math.inf

    def _largest_finite_loss(self) -> float:
        return math.inf

    def _epsilon_error(self, delta: np.ndarray, epsilon: np.ndarray) -> np.ndarray:
        # No loss is infinite, but those beyond the grid count as infinite.
        open_ = np.isinf(epsilon) & (np.asarray(delta) > 0)
        return np.where(open_, math.inf, Mechanism._epsilon_error(self, delta, epsilon))

    def _hellinger(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        value, _ = super()._hellinger(s)
        return value, np.full(s.shape, math.inf)

    @property
    def _finite_law(self) -> FiniteLaw:
        """The law without the losses beyond the grid."""
        law, finite = self._law, np.isfinite(self._law.loss)
        return FiniteLaw(law.loss[finite], law.p[finite], law.q[finite], law.location_error)


@dataclass(frozen=True, eq=False)
class _Allocation(Evaluated, _OnGrid):
    """The pair of one epoch, by curves and, where δ is faint, by that law."""

    @cached_property
    def _curves(self) -> Curves:
        if not self.removal:
            return self.reverse._curves.reverse
        return curves_of(Gaussian(self.noise_multiplier)).one_of(self.steps)

    @cached_property
    def _on_grid(self) -> _OnGrid:
        return _OnGrid(self.noise_multiplier, self.steps) if self.removal else self.reverse._on_grid.reverse

    @cached_property
    def _faces(self) -> Evaluator:
        if not self.removal:
            return self.reverse._faces.reverse
        there, back = self._curves.forward, self._curves.backward
        tailed, its = TailedTable(there, self._on_grid.tail), TailedTable(back, self._on_grid.reverse.tail)
        plain = TabulatedFaces(CurveTable(there), CurveTable(back))
        return TailedFaces(plain, TabulatedFaces(tailed, its, near=(tailed.near, its.near)))

    def _renyi(self, order: np.ndarray) -> np.ndarray:
        divergence, above = np.empty(order.shape), order > 1
        divergence[~above] = renyi_from_profile(self, order[~above])
        divergence[above] = self._log_moments(order[above]) / (order[above] - 1.0)
        return divergence

    def _renyi_at_least(self, order: np.ndarray) -> np.ndarray:
        return self._renyi(np.floor(np.minimum(order, _MOST_ORDER)) if self.removal else order)

    def _log_moments(self, order: np.ndarray) -> np.ndarray:
        """log E_P[(dQ/dP)^s] for s > 1, or, of removal, bounds: chords between whole orders, beyond them no bins."""
        mu = 1.0 / self.noise_multiplier
        if not self.removal:
            return np.array([log_mean_inverse_power(mu, self.steps, s - 1.0) for s in order.tolist()])
        moments = self._whole_orders(math.ceil(min(order.max(initial=1.0), _MOST_ORDER)))
        within = np.interp(order, np.arange(moments.size), moments)
        return np.where(order > _MOST_ORDER, order * (order - 1.0) * mu**2 / 2, within)

    def _whole_orders(self, most: int) -> np.ndarray:
        """log E[(S/T)^k] for k = 0, 1, … from the power series of A(u)^T − e^(Tu), with A(u) = E[e^(uX)]."""
        k = np.arange(most + 1.0)
        exponent, factorials = k * (k - 1) / (2 * self.noise_multiplier**2), gammaln(k + 1)
        once = exponent - factorials
        with np.errstate(divide="ignore"):
            rise_of_one = once + np.log(-np.expm1(-exponent))
        rise, n = np.full(k.shape, -math.inf), 0
        for digit in f"{self.steps:b}":
            # A^(2n) − e^(2nu) = (A^n − e^(nu)) (A^n − e^(nu) + 2 e^(nu))
            rise = _series(rise, np.logaddexp(rise, math.log(2) + xlogy(k, n) - factorials))
            n *= 2
            if digit == "1":
                # A^(n+1) − e^((n+1)u) = (A^n − e^(nu)) A + e^(nu) (A − e^u)
                rise = np.logaddexp(_series(rise, once), _series(xlogy(k, n) - factorials, rise_of_one))
                n += 1
        return np.logaddexp(0.0, rise + factorials - k * math.log(self.steps))

    def _loss_moments(self, under: str) -> tuple[float, float]:
        return loss_moments_from_profile(self, under)


def _series(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The product of two power series of positive terms, in logarithms, as far as both are known."""
    product = np.full(a.shape, -math.inf)
    for k in range(a.size):
        terms = a[: k + 1] + b[k::-1]
        if (top := float(terms.max())) > -math.inf:
            product[k] = top + math.log(np.exp(terms - top).sum())
    return product


def _noise(value: object) -> float:
    low, high = _NOISE
    return real_number("noise_multiplier", positive_number("noise_multiplier", value), low, high)


def _bins(value: object) -> int:
    steps = positive_integer("steps", value)
    if steps > _MOST_STEPS:
        raise ValueError(f"steps must be at most {_MOST_STEPS}, got {steps}")
    return steps


def _within_reach(noise_multiplier: float, steps: int) -> None:
    if steps > 1 and ratio_of_levels(1.0 / noise_multiplier, steps) is None:
        raise ValueError(
            f"noise_multiplier is too small for so many steps, got {noise_multiplier!r} and {steps}: losses are so far "
            "apart that they would take longer than ten seconds"
        )
