"""Finite experiments: two distributions on the same finite set, and the mechanisms that are such experiments.

Everything is a sum over outcomes: the law of the loss has an atom at log(q/p) for each outcome with p, q > 0,
an atom at +∞ for what only Q produces (p = 0) and at −∞ for what only P produces (q = 0). Between its atoms the
trade-off function is linear; its corners are exact.

Sources: Kairouz, Oh & Viswanath (2015), for (ε, δ) as a randomized response that leaks; Dong, Roth & Su (2022),
section 2.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from .._floats import LARGEST_LOSS, LAST_PLACE
from .._types import Number, Size
from .._validation import positive_integer, probabilities, real_number
from ..evaluation.finite_law import AtomicLaw, FiniteLaw
from ..evaluation.finite_two import TwoLosses
from ..evaluation.transforms import logarithm
from .base import Mechanism


class FiniteMechanism(Mechanism):
    """A mechanism that is a finite experiment: subclasses give the probabilities of its outcomes."""

    @abstractmethod
    def _outcomes(self) -> tuple[np.ndarray, np.ndarray]:
        """Probabilities of the outcomes under P and under Q."""

    @cached_property
    def _law(self) -> FiniteLaw:
        return FiniteLaw.from_probabilities(*self._outcomes())

    def _loss_law(self) -> AtomicLaw | None:
        return self._law

    @property
    def error_bound(self) -> float:
        return self._law.error_bound

    def _errors(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self._law.errors(epsilon)

    def _delta(self, epsilon: np.ndarray) -> np.ndarray:
        return self._law.delta(epsilon)

    def _tradeoff(self, alpha: np.ndarray) -> np.ndarray:
        return self._law.tradeoff(alpha)

    def _epsilon(self, delta: np.ndarray) -> np.ndarray:
        return self._law.epsilon(delta)

    def _breakpoints(self) -> np.ndarray:
        return self._law.kinks

    def _loss_range(self) -> tuple[float, float]:
        return self._law.loss_range

    def _largest_finite_loss(self) -> float:
        return float(self._law.kinks.max(initial=-math.inf))

    def _renyi(self, order: np.ndarray) -> np.ndarray:
        return self._law.renyi(order)

    def _loss_moments(self, under: str) -> tuple[float, float]:
        return self._law.loss_moments(under)

    def _sample_loss(self, size: Size, under: str, generator: np.random.Generator) -> np.ndarray:
        return generator.choice(self._law.loss, size, p=self._law.p if under == "P" else self._law.q)

    def _hellinger(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        with np.errstate(over="ignore", invalid="ignore"):
            value, error = self._law.hellinger(s), self._law.hellinger_error(s)
        known = np.isfinite(value) & np.isfinite(error)
        return np.where(known, value, math.inf), np.where(known, error, math.inf)

    def _log_hellinger(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if not self._law.kinks.size:
            return np.full(s.shape, -math.inf, dtype=complex), np.zeros(s.shape)
        return logarithm(*self._hellinger(s))

    def _delta_error(self, epsilon: np.ndarray) -> np.ndarray:
        # By rounding, an atom at ε may really lie above it. The mass of infinite losses is exact.
        epsilon, finite = np.asarray(epsilon, dtype=float), np.isfinite(epsilon)
        moved = self._law.location_error + np.where(finite, 4 * LAST_PLACE * (1.0 + np.abs(epsilon)), 0.0)
        of_atoms = 2 * moved * self._law.scaled_tail(epsilon - moved)
        # Masses that underflowed.
        of_atoms += np.where(epsilon < self._largest_finite_loss(), self._law.missing, 0.0)
        bound = np.minimum(super()._delta_error(epsilon) + of_atoms, self.error_bound)
        return np.where(epsilon == math.inf, 0.0, bound)


@dataclass(frozen=True, eq=False)
class FiniteExperiment(FiniteMechanism):
    """Any two distributions on the same finite set, used as given, in one direction.

    Parameters
    ----------
    p, q : sequence of float
        Probabilities of the outcomes under P and under Q, equally long, each summing to one; zeros are allowed.

    Raises
    ------
    ValueError
        If an entry is negative, a sum is not one, or the lengths differ.

    References
    ----------
    Blackwell (1953).

    Examples
    --------
    >>> import dptutor as dp
    >>> dp.FiniteExperiment(p=[0.5, 0.5, 0.0], q=[0.25, 0.5, 0.25]).privacy_profile([0.0, 5.0])
    array([0.25, 0.25])
    """

    p: tuple[float, ...]
    q: tuple[float, ...]

    def __post_init__(self) -> None:
        for name in ("p", "q"):
            object.__setattr__(self, name, probabilities(name, getattr(self, name)))
        if len(self.p) != len(self.q):
            raise ValueError(f"p and q must be equally long, got {len(self.p)} and {len(self.q)} probabilities")

    @cached_property
    def is_symmetric(self) -> bool:
        """Whether (P, Q) and (Q, P) have the same trade-off function, in the exact arithmetic of the numbers given.

        Examples
        --------
        >>> import dptutor as dp
        >>> dp.FiniteExperiment(p=[0.6, 0.3, 0.1], q=[0.1, 0.3, 0.6]).is_symmetric
        True
        """
        p, q = self._outcomes()
        # A quick test for most pairs: this difference does not change when outcomes are merged, and 1e-12 is above its
        # rounding error.
        if abs(np.sum(p**0.25 * q**0.75) - np.sum(p**0.75 * q**0.25)) > 1e-12:
            return False
        # Merge outcomes with the same likelihood ratio.
        merged: dict[Fraction | None, tuple[Fraction, Fraction]] = {}
        for of_p, of_q in zip(map(Fraction, self.p), map(Fraction, self.q), strict=True):
            ratio = of_q / of_p if of_p else None
            before = merged.get(ratio, (Fraction(0), Fraction(0)))
            merged[ratio] = before[0] + of_p, before[1] + of_q
        masses = {each for each in merged.values() if any(each)}
        return masses == {(q, p) for p, q in masses}

    @cached_property
    def reverse(self) -> FiniteExperiment:
        if self.is_symmetric:
            return self
        other = FiniteExperiment(self.q, self.p)
        other.__dict__["reverse"] = self
        return other

    def _outcomes(self) -> tuple[np.ndarray, np.ndarray]:
        return np.asarray(self.p), np.asarray(self.q)


class SymmetricFiniteMechanism(FiniteMechanism):
    """A finite experiment whose trade-off function is its own inverse."""

    @property
    def is_symmetric(self) -> bool:
        return True

    @property
    def reverse(self) -> Mechanism:
        return self


@dataclass(frozen=True, eq=False, repr=False)
class WithFewerLosses(FiniteMechanism):
    """A mechanism some of whose outcomes are not told apart."""

    part: Mechanism
    law: FiniteLaw

    def __repr__(self) -> str:
        return f"{self.part!r} with {self.law.kinks.size} losses"

    @property
    def _key(self) -> Hashable:
        return "fewer", self.part._key, self.law.kinks.tobytes(), self.law.q.tobytes()

    @property
    def is_symmetric(self) -> bool:
        return self.part.is_symmetric

    @cached_property
    def reverse(self) -> WithFewerLosses:
        if self.is_symmetric:
            return self
        other = WithFewerLosses(self.part.reverse, self.law.reverse)
        other.__dict__["reverse"] = self
        return other

    def _outcomes(self) -> tuple[np.ndarray, np.ndarray]:
        return self._law.p, self._law.q

    @property
    def _law(self) -> FiniteLaw:
        return self.law


@dataclass(frozen=True, eq=False, init=False, repr=False)
class ApproximateDP(SymmetricFiniteMechanism):
    """The worst mechanism that (ε, δ)-differential privacy allows: leaky randomized response.

    With probability δ it publishes the truth, otherwise it is randomized response with parameter ε. Its
    trade-off function is max(0, 1 − δ − e^ε α, e^−ε (1 − δ − α)). With δ = 0 it is pure differential privacy.

    Parameters
    ----------
    epsilon : float
        At least 0, finite; by default 1. The attribute is called `largest_finite_loss`, because `epsilon` is a method.
    delta : float
        In [0, 1]; by default 1e-5. The attribute is called `leak`.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    References
    ----------
    Wasserman & Zhou (2010); Kairouz, Oh & Viswanath (2015).
    In the book: chapter 2, :prf:ref:`thm-eps-delta-curve`; chapter 4, :prf:ref:`prop-freedom`,
    :prf:ref:`prop-one-point`; *What a weak audit misses*, :prf:ref:`thm-membership`.

    Examples
    --------
    >>> import dptutor as dp
    >>> m = dp.ApproximateDP(epsilon=1, delta=0.01)
    >>> round(m.privacy_profile(1.0), 12), round(m.advantage, 4)
    (0.01, 0.4675)
    """

    # The names differ from the parameters, because `epsilon` is a method of every mechanism.
    largest_finite_loss: float
    leak: float

    def __init__(
        self,
        epsilon: Number | None = None,
        delta: Number | None = None,
        *,
        largest_finite_loss: float = 1.0,
        leak: float = 1e-5,
    ) -> None:
        # `dataclasses.replace` passes the attributes by their own names.
        epsilon = largest_finite_loss if epsilon is None else epsilon
        object.__setattr__(self, "largest_finite_loss", _loss_parameter(epsilon))
        object.__setattr__(self, "leak", real_number("delta", leak if delta is None else delta, 0.0, 1.0))

    @property
    def _key(self) -> Hashable:
        return _response_key(self.largest_finite_loss, self.leak)

    def __repr__(self) -> str:
        return f"ApproximateDP(epsilon={self.largest_finite_loss!r}, delta={self.leak!r})"

    def _outcomes(self) -> tuple[np.ndarray, np.ndarray]:
        truth, lie = _randomized_response(self.largest_finite_loss)
        p = np.array([0.0, (1 - self.leak) * lie, (1 - self.leak) * truth, self.leak])
        return p, p[::-1]

    @cached_property
    def _law(self) -> FiniteLaw:
        return _response(self.largest_finite_loss, self.leak)


@dataclass(frozen=True, eq=False, init=False, repr=False)
class RandomizedResponse(SymmetricFiniteMechanism):
    """Answers a yes/no question truthfully with probability e^ε/(1 + e^ε).

    Parameters
    ----------
    epsilon : float
        At least 0, finite; by default 1. The mechanism is (ε, 0)-differentially private, and no such mechanism reveals
        more. The attribute is called `largest_loss`, because `epsilon` is a method.

    Raises
    ------
    ValueError
        If `epsilon` is negative, infinite or NaN.

    References
    ----------
    Warner (1965); Kairouz, Oh & Viswanath (2015).

    Examples
    --------
    >>> import dptutor as dp
    >>> m = dp.RandomizedResponse(epsilon=1)
    >>> m.epsilon(0), round(m.bayes_error(0.5), 4)
    (1.0, 0.2689)
    """

    largest_loss: float

    def __init__(self, epsilon: Number | None = None, *, largest_loss: float = 1.0) -> None:
        object.__setattr__(self, "largest_loss", _loss_parameter(largest_loss if epsilon is None else epsilon))

    @property
    def _key(self) -> Hashable:
        return _response_key(self.largest_loss, 0.0)

    def __repr__(self) -> str:
        return f"RandomizedResponse(epsilon={self.largest_loss!r})"

    def _outcomes(self) -> tuple[np.ndarray, np.ndarray]:
        p = np.array(_randomized_response(self.largest_loss)[::-1])
        return p[::-1], p

    @cached_property
    def _law(self) -> FiniteLaw:
        return _response(self.largest_loss, 0.0)


@dataclass(frozen=True, eq=False, init=False, repr=False)
class KaryRandomizedResponse(SymmetricFiniteMechanism):
    """Publishes one of k categories: the true one with probability e^ε/(e^ε + k − 1), else one of the others.

    All neighbors, any two categories, give the same pair, so the faces are exact. With two categories it is
    `RandomizedResponse`; the more there are, the less each answer says.

    Parameters
    ----------
    epsilon : float
        At least 0, finite; by default 1. The attribute is called `largest_loss`, because `epsilon` is a method.
    categories : int
        k, at least 2; by default 3.

    Raises
    ------
    ValueError, TypeError
        If `epsilon` is out of range, or `categories` not an integer of at least 2.

    References
    ----------
    Kairouz, Oh & Viswanath (2016).

    Examples
    --------
    >>> import dptutor as dp
    >>> m = dp.KaryRandomizedResponse(epsilon=1, categories=10)
    >>> m.epsilon(0), round(m.advantage, 4), round(dp.RandomizedResponse(1).advantage, 4)
    (1.0, 0.1466, 0.4621)
    """

    largest_loss: float
    categories: int

    def __init__(self, epsilon: Number | None = None, categories: int = 3, *, largest_loss: float = 1.0) -> None:
        object.__setattr__(self, "largest_loss", _loss_parameter(largest_loss if epsilon is None else epsilon))
        categories = positive_integer("categories", categories)
        if categories < 2:
            raise ValueError(f"categories must be at least 2, got {categories}")
        object.__setattr__(self, "categories", categories)

    @property
    def _key(self) -> Hashable:
        if self.categories == 2 or not self.largest_loss:
            return _response_key(self.largest_loss, 0.0)
        return "KaryRandomizedResponse", self.largest_loss, self.categories

    def __repr__(self) -> str:
        return f"KaryRandomizedResponse(epsilon={self.largest_loss!r}, categories={self.categories!r})"

    def _outcomes(self) -> tuple[np.ndarray, np.ndarray]:
        shrink = math.exp(-self.largest_loss)
        truth = 1.0 / (1.0 + (self.categories - 1) * shrink)
        p = np.array([truth, (self.categories - 2) * shrink * truth, shrink * truth])
        return p, p[::-1]

    @cached_property
    def _law(self) -> FiniteLaw:
        if self.categories == 2 or self.largest_loss < 1e-30:
            return _response(self.largest_loss, 0.0)
        return law_of_three(self.largest_loss, *self._outcomes())


@dataclass(frozen=True, eq=False)
class PerfectPrivacy(SymmetricFiniteMechanism):
    """Reveals nothing about the example: P = Q, f(α) = 1 − α, R(π) = min(π, 1−π).

    References
    ----------
    Kaissis et al. (2024), section 3.4.
    In the book: chapter 7, :prf:ref:`thm-extremal`.

    Examples
    --------
    >>> import dptutor as dp
    >>> dp.PerfectPrivacy().tradeoff([0, 0.25, 1]), dp.PerfectPrivacy().advantage
    (array([1.  , 0.75, 0.  ]), 0.0)
    """

    def _outcomes(self) -> tuple[np.ndarray, np.ndarray]:
        return np.ones(1), np.ones(1)


@dataclass(frozen=True, eq=False)
class BlatantlyNonPrivate(SymmetricFiniteMechanism):
    """Reveals whether the example is in the data: P and Q have no outcome in common, f = 0 and R = 0.

    References
    ----------
    Kaissis et al. (2024), section 3.4.
    In the book: chapter 7, :prf:ref:`thm-extremal`.

    Examples
    --------
    >>> import dptutor as dp
    >>> dp.BlatantlyNonPrivate().tradeoff([0, 0.25, 1]), dp.BlatantlyNonPrivate().epsilon(0.99)
    (array([0., 0., 0.]), inf)
    """

    def _outcomes(self) -> tuple[np.ndarray, np.ndarray]:
        return np.array([1.0, 0.0]), np.array([0.0, 1.0])


def law_of_three(largest_loss: float, p: np.ndarray, q: np.ndarray) -> FiniteLaw:
    """The law of three outcomes whose losses are −ε₀, 0 and ε₀."""
    return FiniteLaw.of_finite(largest_loss * np.array([-1.0, 0.0, 1.0]), p, q, 0.0, 0.0, location_error=0.0)


def _response_key(epsilon: float, leak: float) -> tuple[Hashable, ...]:
    if leak == 1.0:
        return ("BlatantlyNonPrivate",)
    return ("ApproximateDP", epsilon, leak) if epsilon or leak else ("PerfectPrivacy",)


def _loss_parameter(epsilon: Number) -> float:
    # For a larger ε the probability of a lie would be subnormal.
    return real_number("epsilon", epsilon, 0.0, LARGEST_LOSS)


def _randomized_response(epsilon: float) -> tuple[float, float]:
    """Probabilities of the truth and of a lie."""
    return 1 / (1 + math.exp(-epsilon)), math.exp(-epsilon) / (1 + math.exp(-epsilon))


def _response(epsilon: float, leak: float) -> FiniteLaw:
    """The law of leaky randomized response, whose losses are exactly ±ε."""
    # Masses for a smaller ε have no digits to tell them apart.
    if epsilon < 1e-30 or leak == 1:
        return FiniteLaw.from_probabilities([1 - leak, leak, 0.0], [1 - leak, 0.0, leak])
    return FiniteLaw.of_step(TwoLosses.response(epsilon, leak))
