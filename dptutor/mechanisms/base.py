"""The base class of mechanisms: a pair of distributions (P, Q) that dominates the mechanism, and its curves (*faces*).

Conventions, the same everywhere: P is the null hypothesis (the example is not in the data), Q the alternative, and
L = log dQ/dP the privacy loss. A test at threshold ε rejects where L > ε, so

    α = Pr_P[L > ε],    β = Pr_Q[L ≤ ε],    δ(ε) = Pr_Q[L > ε] − e^ε Pr_P[L > ε] = 1 − β − e^ε α

for every real ε. `(α, β)` is a point of the trade-off function f = T(P, Q), and −e^ε is the slope of f there. These
two numbers, as functions of ε, determine a mechanism; all other faces are computed from them. Outcomes
that only Q can produce have loss +∞, outcomes that only P can produce have loss −∞.

A pair that is not symmetric is used as given, in one direction; `reverse` is the pair (Q, P), and
`symmetrized` is the worse of the two at every ε.

Sources: Dong, Roth & Su (2022); Zhu, Dong & Wang (2022); Kaissis et al. (2024), equations 1-3 and 24-26.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Hashable
from dataclasses import fields
from functools import cached_property
from typing import Any, Literal, SupportsIndex, overload

import numpy as np
from scipy.special import expit, log_expit, logit

from .._answers import Bounded
from .._types import Array, Number, Numbers, Size
from .._validation import complex_array, real_array, shaped, shown
from ..evaluation.curves import Curves
from ..evaluation.evaluator import Evaluator
from ..evaluation.from_errors import (
    epsilon_from_profile,
    error_of_closed_form,
    error_of_epsilon,
    sampled_losses,
    tradeoff_from_errors,
)
from ..evaluation.from_profile import hellinger_from_profile, loss_moments_from_profile, renyi_from_profile
from ..evaluation.laws import LossLaw
from ..evaluation.roots import decreasing_root
from ..evaluation.transforms import exponentiated, logarithm
from .loss import PrivacyLoss


class Mechanism(Bounded, ABC):
    """A mechanism, represented by a pair (P, Q) that dominates it.

    Mechanisms are values: immutable, hashable, printed as the call that creates them. Two are equal if they are the
    same mechanism by construction: the same parameters, the same μ or largest loss in other units, the same parts in
    another order, a training run and the corresponding power of its step. They cache their results; copies and pickles
    leave the cache behind. All faces take scalars or arrays of any shape and return results of the same shape.

    Examples
    --------
    >>> import dptutor as dp
    >>> m = dp.DPSGD(noise_multiplier=0.6, sampling_rate=0.01, steps=500)
    >>> m == dp.DPSGD(0.6, 0.01, 500), m
    (True, DPSGD(noise_multiplier=0.6, sampling_rate=0.01, steps=500, direction='both'))
    >>> round(m.epsilon(1e-5), 4), round(m.advantage, 4)
    (5.8002, 0.2767)
    """

    # The complete interface of mechanisms: the library uses nothing that is not declared here.

    # Required of a subclass. `epsilon` is a float array, finite or ±∞.

    @abstractmethod
    def _errors(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """α = Pr_P[L > ε] and β = Pr_Q[L ≤ ε]."""

    @abstractmethod
    def _delta(self, epsilon: np.ndarray) -> np.ndarray:
        """δ(ε), without the cancellation in 1 − β − e^ε α."""

    @property
    @abstractmethod
    def reverse(self) -> Mechanism:
        """The mechanism with the hypotheses exchanged, the pair (Q, P); its trade-off function is the inverse of f.

        References
        ----------
        In the book: chapter 2, :prf:ref:`prop-inverse`; chapter 3, :prf:ref:`prop-negative`.

        Examples
        --------
        >>> import dptutor as dp
        >>> step = dp.SubsampledGaussian(1, 0.1, direction="remove")
        >>> step.reverse
        SubsampledGaussian(noise_multiplier=1.0, sampling_rate=0.1, direction='add')
        >>> round(step.privacy_profile(0.2), 4), round(step.reverse.privacy_profile(0.2), 4)
        (0.0099, 0.0)
        """

    # Defaults that a subclass may improve.

    @property
    def is_symmetric(self) -> bool:
        """Whether (P, Q) and (Q, P) have the same trade-off function, so that f is its own inverse.

        References
        ----------
        In the book: chapter 2, :prf:ref:`prop-inverse`.

        Examples
        --------
        >>> import dptutor as dp
        >>> dp.Gaussian(sigma=1).is_symmetric, dp.FiniteExperiment(p=[1, 0], q=[0.9, 0.1]).is_symmetric
        (True, False)
        """
        return False

    @property
    def error_bound(self) -> float:
        """Bound on the absolute error of f, R and δ (for ε ≥ 0) everywhere; for closed forms, only rounding.

        The bound for a single answer is usually smaller: ask for it by `with_error=True`.

        Examples
        --------
        >>> import dptutor as dp
        >>> dp.Gaussian(sigma=1).error_bound, dp.DPSGD(0.6, 0.01, 500).error_bound < 1e-10
        (1e-14, True)
        """
        return 1e-14

    def _loss_range(self) -> tuple[float, float]:
        """The smallest interval that contains all losses, infinite ones too."""
        return -math.inf, math.inf

    def _breakpoints(self) -> np.ndarray:
        """The finite losses at which the loss has an atom or its density a jump."""
        return np.empty(0)

    def _tradeoff(self, alpha: np.ndarray) -> np.ndarray:
        return tradeoff_from_errors(self, alpha)

    @property
    def _bayes_error_bound(self) -> float:
        """Bound on the absolute error of R at every prior."""
        return self.error_bound

    # Bounds on the absolute error of each answer.

    def _delta_error(self, epsilon: np.ndarray) -> np.ndarray:
        """For δ; by default that of a closed form."""
        return error_of_closed_form(self, epsilon)

    def _delta_quickly(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        """δ and a bound on its error, perhaps a large one, faster than `_delta`; None if that is impossible."""
        return None

    def _delta_at_most(self, epsilon: np.ndarray) -> np.ndarray:
        """An upper bound on δ, as fast as possible."""
        return self._delta(epsilon) + self._delta_error(epsilon)

    def _tradeoff_error(self, alpha: np.ndarray) -> np.ndarray:
        """For f."""
        return np.full(np.shape(alpha), self.error_bound)

    def _bayes_error_error(self, log_odds: np.ndarray) -> np.ndarray:
        """For R."""
        return np.full(np.shape(log_odds), self.error_bound)

    def _epsilon_error(self, delta: np.ndarray, epsilon: np.ndarray) -> np.ndarray:
        """For an answer of `_epsilon`: the error of δ there, divided by the slope of the profile."""
        return error_of_epsilon(self, delta, epsilon)

    def _largest_finite_loss(self) -> float:
        """A loss beyond which the profile is constant; +∞ if finite losses are unbounded, or if it is unknown."""
        return self._loss_range()[1]

    def _epsilon(self, delta: np.ndarray) -> np.ndarray:
        return epsilon_from_profile(self, delta)

    def _renyi(self, order: np.ndarray) -> np.ndarray:
        """Rényi divergence D_s(Q‖P) for finite orders s > 0."""
        return renyi_from_profile(self, order)

    def _renyi_at_least(self, order: np.ndarray) -> np.ndarray:
        """Lower bounds on Rényi divergences, of which `_renyi` may be upper bounds."""
        return self._renyi(order)

    def _loss_moments(self, under: str) -> tuple[float, float]:
        """Mean and variance of the privacy loss."""
        return loss_moments_from_profile(self, under)

    def _sample_loss(self, size: Size, under: str, generator: np.random.Generator) -> np.ndarray:
        return sampled_losses(self, size, under, generator)

    @property
    def both_directions(self) -> tuple[Mechanism, ...]:
        """The pairs (P, Q) and (Q, P) of a mechanism in both directions; empty for a single pair.

        The faces of such a mechanism are those of one pair, the join of the two. Two things are not: a composition is
        composed in each direction, and `renyi_divergence` is the larger one, as in Rényi differential privacy.

        Examples
        --------
        >>> import dptutor as dp
        >>> [step.direction for step in dp.SubsampledGaussian(1, 0.1).both_directions]
        ['remove', 'add']
        >>> dp.Gaussian(sigma=1).both_directions
        ()
        """
        return ()

    # What is composed, and how.

    # Whether its pair is the worst of many at each point, of which every use has one: Rényi divergences are the largest
    # of all these, below those of the pair, and several uses are `Adaptive`.
    _stands_for_many = False

    def _parts(self) -> tuple[tuple[tuple[Mechanism, int], ...], bool]:
        """The one-directional parts that it consists of, how often each is used, and whether both directions are meant.

        By default one part, in one direction. What is meant in both directions says so, and gives the parts of one.
        """
        return ((self, 1),), False

    def _made_of(self) -> tuple[tuple[Mechanism, ...], bool] | None:
        """For a join its parts and True (δ is the largest of theirs), for a meet and False (δ is at most each)."""
        return None

    def _loss_law(self) -> LossLaw | None:
        """The law of the loss, if it is of a kind in `dptutor.evaluation.laws`, which compositions know; else None."""
        return None

    @property
    def _curves(self) -> Curves | None:
        """Its profile and that of the reverse pair as polynomials, if these are not made from `_delta`."""
        return None

    @property
    def _on_grid(self) -> Mechanism:
        """What a grid takes for it: its `_errors` are those of a pair, which is as close as `error_bound` says."""
        return self

    def _of_group(self, size: int) -> Mechanism | None:
        """For noise added to a number, if larger shifts are worse: the mechanism with `size` times the shift."""
        return None

    def _hellinger(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """H(s) for a one-dimensional array of complex s, and a bound on its absolute error.

        By default from the profile: correct to a dozen digits, but slow. A subclass that knows log H returns
        `self._exponentiated(s)`.
        """
        return hellinger_from_profile(self, s)

    def _log_hellinger(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """log H(s) for a one-dimensional array of complex s, and a bound on its absolute error.

        By default from H. Compositions evaluate it on lines Re s = const and need all its digits where H is close to 1.
        If H may be 0, it is NaN with an infinite bound.
        """
        return logarithm(*self._hellinger(s))

    def _log_envelope(self, s: np.ndarray) -> np.ndarray:
        """Upper bound on log |H(s)| that does not rise with |Im s|; by default log H(Re s)."""
        flat = np.ravel(np.real(s)).astype(complex)
        return self._log_hellinger(flat)[0].real.reshape(np.shape(s))

    def _exponentiated(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """H from log H, or, if that is unknown, from its envelope."""
        return exponentiated(self._log_hellinger, self._log_envelope, s)

    @property
    def _faces(self) -> Evaluator | None:
        """The evaluator that computes all faces, in one direction; None if each has its own formula."""
        return None

    # Rényi divergences of one pair.

    def _pair_renyi(self, order: np.ndarray) -> np.ndarray:
        """Rényi divergences of the single pair that the faces belong to, also for a mechanism in both directions."""
        if not self.both_directions:
            return self._renyi(order)
        # If e^((s−1)D) is huge, δ underflows, and only the direction that is worse at large losses matters.
        divergence = self._renyi(order)
        near = (order - 1.0) * divergence < 450.0
        divergence[near] = renyi_from_profile(self, order[near])
        return divergence

    # Value semantics: the parameters, not what was computed from them.

    @classmethod
    def _parameters(cls) -> list[str]:
        """The names of what it was made from."""
        made_from: Any = cls
        return [each.name for each in fields(made_from)]

    @cached_property
    def _key(self) -> Hashable:
        """Equal for equal mechanisms, such as a composition in another order, or the same μ from other units."""
        return (type(self).__name__, *(getattr(self, name) for name in self._parameters()))

    def __eq__(self, other: object) -> bool:
        return self._key == other._key if isinstance(other, Mechanism) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key)

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self._parameters()}

    # The faces.

    @overload
    def tradeoff(self, alpha: Number, *, with_error: Literal[False] = ...) -> float: ...
    @overload
    def tradeoff(self, alpha: Number, *, with_error: Literal[True]) -> tuple[float, float]: ...
    @overload
    def tradeoff(self, alpha: Numbers, *, with_error: Literal[False] = ...) -> Array: ...
    @overload
    def tradeoff(self, alpha: Numbers, *, with_error: Literal[True]) -> tuple[Array, Array]: ...
    def tradeoff(self, alpha: Number | Numbers, *, with_error: bool = False) -> Any:
        """Trade-off function f(α): the smallest type II error of a test with type I error at most α.

        Parameters
        ----------
        alpha : float or array_like
            Type I errors, in [0, 1].
        with_error : bool
            Whether to return also a bound on the absolute error of this answer.

        Returns
        -------
        float or ndarray
            Type II errors in [0, 1 − α], in the shape of `alpha`. With `with_error` a pair: this,
            and the bounds, in the same shape.

        Raises
        ------
        ValueError
            If an entry of `alpha` is outside [0, 1].

        References
        ----------
        Dong, Roth & Su (2022), section 2; Kaissis et al. (2024), equation 24.
        In the book: chapter 1, :prf:ref:`def-tradeoff`; chapter 4, :prf:ref:`thm-envelope`.

        Examples
        --------
        >>> import dptutor as dp
        >>> dp.Gaussian(sigma=1).tradeoff([0, 0.05, 0.5, 1]).round(4)
        array([1.    , 0.7405, 0.1587, 0.    ])
        """
        alpha = real_array("alpha", alpha, 0.0, 1.0)
        value = shaped(self._tradeoff(alpha))
        return (value, shaped(self._tradeoff_error(alpha))) if with_error else value

    @overload
    def privacy_profile(self, epsilon: Number, *, with_error: Literal[False] = ...) -> float: ...
    @overload
    def privacy_profile(self, epsilon: Number, *, with_error: Literal[True]) -> tuple[float, float]: ...
    @overload
    def privacy_profile(self, epsilon: Numbers, *, with_error: Literal[False] = ...) -> Array: ...
    @overload
    def privacy_profile(self, epsilon: Numbers, *, with_error: Literal[True]) -> tuple[Array, Array]: ...
    def privacy_profile(self, epsilon: Number | Numbers, *, with_error: bool = False) -> Any:
        """Privacy profile δ(ε) = ∫ max(Q − e^ε P, 0), the hockey-stick divergence of order e^ε.

        Parameters
        ----------
        epsilon : float or array_like
            Any real numbers; ±∞ give the limits.
        with_error : bool
            Whether to return also a bound on the absolute error of this answer.

        Returns
        -------
        float or ndarray
            δ in [0, 1], in the shape of `epsilon`, with a small relative error even where it is tiny. With
            `with_error` a pair: this, and the bounds, in the same shape.

        Raises
        ------
        ValueError
            If an entry of `epsilon` is NaN.

        References
        ----------
        Balle, Barthe & Gaboardi (2020); Kaissis et al. (2024), equation 25.
        In the book: chapter 3, :prf:ref:`thm-three-deltas`, :prf:ref:`def-profile`, :prf:ref:`prop-negative`;
        chapter 4, :prf:ref:`thm-envelope`; chapter 5, :prf:ref:`thm-bayes-profile`.

        Examples
        --------
        >>> import dptutor as dp
        >>> m = dp.Gaussian(sigma=1)
        >>> round(m.privacy_profile(1.0), 6)
        0.126937
        >>> round(m.privacy_profile(0.0), 6), round(m.advantage, 6)
        (0.382925, 0.382925)
        """
        epsilon = real_array("epsilon", epsilon)
        value = shaped(self._delta(epsilon) + 0.0)  # no −0
        return (value, shaped(self._delta_error(epsilon))) if with_error else value

    @overload
    def bayes_error(self, prior: Number, *, with_error: Literal[False] = ...) -> float: ...
    @overload
    def bayes_error(self, prior: Number, *, with_error: Literal[True]) -> tuple[float, float]: ...
    @overload
    def bayes_error(self, prior: Numbers, *, with_error: Literal[False] = ...) -> Array: ...
    @overload
    def bayes_error(self, prior: Numbers, *, with_error: Literal[True]) -> tuple[Array, Array]: ...
    def bayes_error(self, prior: Number | Numbers, *, with_error: bool = False) -> Any:
        """Minimum Bayes error R(π) = min_α [π α + (1−π) f(α)] of an adversary who weighs type I errors by π.

        Parameters
        ----------
        prior : float or array_like
            π in [0, 1].
        with_error : bool
            Whether to return also a bound on the absolute error of this answer.

        Returns
        -------
        float or ndarray
            R in [0, min(π, 1−π)], in the shape of `prior`. With `with_error` a pair: this,
            and the bounds, in the same shape.

        Raises
        ------
        ValueError
            If an entry of `prior` is outside [0, 1].

        References
        ----------
        Kaissis et al. (2024), equations 1 and 2.
        In the book: chapter 1, :prf:ref:`thm-bayes-threshold`; chapter 5, :prf:ref:`def-bayes-error`,
        :prf:ref:`thm-bayes-profile`.

        Examples
        --------
        Two laboratories, and adversaries of whom one has an even prior and one is 75% sure:

        >>> import dptutor as dp
        >>> dp.Gaussian(sigma=1).bayes_error([0.5, 0.75]).round(3)
        array([0.309, 0.223])
        >>> dp.Laplace(scale=1).bayes_error([0.5, 0.75]).round(3)
        array([0.303, 0.25 ])
        """
        prior = real_array("prior", prior, 0.0, 1.0)
        # Log-odds are rounded; the error of a blind guess is exact.
        value = shaped(np.minimum(self._bayes_error(logit(prior)), np.minimum(prior, 1.0 - prior)) + 0.0)  # no −0
        return (value, shaped(self._bayes_error_error(logit(prior)))) if with_error else value

    @overload
    def epsilon(self, delta: Number, *, with_error: Literal[False] = ...) -> float: ...
    @overload
    def epsilon(self, delta: Number, *, with_error: Literal[True]) -> tuple[float, float]: ...
    @overload
    def epsilon(self, delta: Numbers, *, with_error: Literal[False] = ...) -> Array: ...
    @overload
    def epsilon(self, delta: Numbers, *, with_error: Literal[True]) -> tuple[Array, Array]: ...
    def epsilon(self, delta: Number | Numbers, *, with_error: bool = False) -> Any:
        """The smallest ε ≥ 0 for which the mechanism is (ε, δ)-differentially private.

        Parameters
        ----------
        delta : float or array_like
            δ in [0, 1].
        with_error : bool
            Whether to return also a bound on the absolute error of this answer.

        Returns
        -------
        float or ndarray
            ε, infinite where no finite ε satisfies the condition. With `with_error` a pair: this,
            and the bounds, in the same shape.

        Raises
        ------
        ValueError
            If an entry of `delta` is outside [0, 1].

        References
        ----------
        Dwork & Roth (2014), definition 2.4, for (ε, δ).
        In the book: chapter 2, :prf:ref:`def-eps-delta`.

        Examples
        --------
        >>> import dptutor as dp
        >>> dp.Gaussian(sigma=1).epsilon([1e-5, 0.1]).round(4), dp.Gaussian(sigma=1).epsilon(0)
        (array([4.3772, 1.1603]), inf)
        """
        delta = real_array("delta", delta, 0.0, 1.0)
        found = self._epsilon(delta)
        self._delta(found)  # raises if it is NaN, which would make the search meaningless
        return (shaped(found), shaped(self._epsilon_error(delta, found))) if with_error else shaped(found)

    @property
    def advantage(self) -> float:
        """Membership-inference advantage max_α [1 − α − f(α)] = δ(0), the total variation of P and Q, in [0, 1].

        References
        ----------
        Kaissis et al. (2024), section 2.
        In the book: chapter 4, :prf:ref:`prop-freedom`; chapter 5, :prf:ref:`def-advantage`,
        :prf:ref:`prop-advantage`; chapter 12, :prf:ref:`thm-expected-advantage`.

        Examples
        --------
        >>> import dptutor as dp
        >>> m = dp.RandomizedResponse(epsilon=1)
        >>> round(m.advantage, 6), round(1 - 2 * m.bayes_error(0.5), 6)
        (0.462117, 0.462117)
        """
        return float(self._delta(np.asarray(0.0)))

    @property
    def minimax_bayes_error(self) -> float:
        """Minimax Bayes error max_π R(π), at the prior that is worst for the adversary, in [0, 1/2].

        Where f is symmetric, this is the fixed point f(α*) = α*, at π = ½.

        References
        ----------
        Kaissis et al. (2024), equation 3.
        In the book: chapter 5, :prf:ref:`thm-minimax`.

        Examples
        --------
        >>> import dptutor as dp
        >>> m = dp.Gaussian(sigma=1)
        >>> worst = m.minimax_bayes_error
        >>> round(worst, 6), round(m.tradeoff(worst), 6)
        (0.308538, 0.308538)
        """
        if self.is_symmetric:
            return float(self._bayes_error(np.asarray(0.0)))

        def slope(epsilon: np.ndarray) -> np.ndarray:  # dR/dπ = α − β
            alpha, beta = self._errors(epsilon)
            return alpha - beta

        return float(self._bayes_error(decreasing_root(slope, np.asarray(0.0))))

    @overload
    def renyi_divergence(self, order: Number) -> float: ...
    @overload
    def renyi_divergence(self, order: Numbers) -> Array: ...
    def renyi_divergence(self, order: Number | Numbers) -> Any:
        """Rényi divergence D_s(Q‖P) of order s; of order 1 it is the Kullback-Leibler divergence.

        For a mechanism in both directions (`symmetrized`, or `direction="both"`) it is the larger of those of the
        two directions, as in Rényi differential privacy: this number adds up under composition, and accountants
        publish it. It is not the Rényi divergence of a single pair. All other faces and divergences are those of one
        pair, the join of both directions, whose Rényi divergence is at least as large.

        Of a join of k mechanisms it is an upper bound where it depends on a δ less than its error or than any float,
        too large by at most log(k)/(s − 1); of a meet, too, but it is at most that of each part.

        Parameters
        ----------
        order : float or array_like
            s > 0; ∞ gives the largest privacy loss.

        Returns
        -------
        float or ndarray
            D_s in [0, ∞], in the shape of `order`.

        Raises
        ------
        ValueError
            If an entry of `order` is not greater than 0.

        References
        ----------
        Mironov (2017).
        In the book: chapter 6, :prf:ref:`prop-renyi-implied`; chapter 9, :prf:ref:`def-rdp`.

        Examples
        --------
        >>> import dptutor as dp
        >>> dp.Gaussian(sigma=2).renyi_divergence([1, 2, 10])
        array([0.125, 0.25 , 1.25 ])
        >>> dp.Laplace(scale=2).renyi_divergence(float("inf"))
        0.5
        """
        order = real_array("order", order, 0.0, open_low=True)
        finite = np.isfinite(order)
        divergence = np.full(order.shape, float(self._loss_range()[1]))
        # Near order 0 log H cancels; D_s(Q‖P) = s/(1 − s) D_{1−s}(P‖Q) keeps its digits if the latter is bounded there.
        small = (order < 0.5) & (float(self.reverse._delta(np.asarray(math.inf))) == 0.0)
        finite &= ~small
        with np.errstate(over="ignore"):
            divergence[finite] = np.minimum(self._renyi(order[finite]), divergence[finite])
            back = order[small] / (1.0 - order[small]) * self.reverse._renyi(1.0 - order[small])
            divergence[small] = np.minimum(back, divergence[small])
        return shaped(divergence)

    def hellinger_transform(self, s: Any, *, with_error: bool = False) -> Any:
        """Hellinger transform H(s) = ∫ Q^s P^(1−s) = E_P[e^{sL}; L finite], which multiplies under composition.

        H(0) = 1 − Pr_P[L = −∞], H(1) = 1 − Pr_Q[L = ∞], H of the reverse pair is H(1 − s), and H takes conjugates to
        conjugates. Of a mechanism that is meant in both directions it is that of one pair, the join of the two, as are
        all its faces; a composition of such is composed in each direction, so there H does not multiply.

        Parameters
        ----------
        s : complex, float or array_like
            Finite numbers.
        with_error : bool
            Whether to return also a bound on the absolute error of this answer.

        Returns
        -------
        float, complex or ndarray
            H in the shape of `s`, real where `s` is; infinite where it exceeds the largest float, or is not known to
            be finite. With `with_error` a pair: this, and the bounds, in the same shape, which are infinite where
            nothing is known.

        Raises
        ------
        ValueError
            If an entry of `s` is not finite.
        TypeError
            If `s` is no number or array of numbers.

        References
        ----------
        Liese & Vajda (2006).
        In the book: *The exact accountant*, :prf:ref:`thm-inversion`.

        Examples
        --------
        >>> import dptutor as dp
        >>> m = dp.Gaussian(sigma=1)
        >>> round(m.hellinger_transform(0.5), 6), round((m**2).hellinger_transform(0.5), 6), round(0.882497**2, 6)
        (0.882497, 0.778801, 0.778801)
        >>> dp.Laplace(scale=1).hellinger_transform([0.25, 0.25 + 1j]).round(6)
        array([0.932018+0.j      , 0.595466-0.151901j])
        """
        s = complex_array("s", s)
        with np.errstate(all="ignore"):  # a NaN is reported by an infinite bound
            value, error = self._hellinger(np.ravel(s).astype(complex))
        value = (value if np.iscomplexobj(s) else value.real).reshape(s.shape)
        return (shaped(value), shaped(error.reshape(s.shape))) if with_error else shaped(value)

    @property
    def privacy_loss(self) -> PrivacyLoss:
        """The privacy loss random variable L = log dQ/dP, under P or under Q.

        References
        ----------
        Dwork & Rothblum (2016).
        In the book: chapter 1, :prf:ref:`def-privacy-loss`; chapter 3, :prf:ref:`prop-two-laws`.

        Examples
        --------
        >>> import dptutor as dp
        >>> loss = dp.Gaussian(sigma=1).privacy_loss
        >>> round(loss.sf(1.0, under="Q"), 4), loss.mean(), loss.variance()
        (0.3085, 0.5, 1.0)
        """
        return PrivacyLoss(self)

    # Mechanisms from mechanisms.

    @property
    def symmetrized(self) -> Mechanism:
        """The mechanism that is the worse of (P, Q) and (Q, P) at every ε; the same mechanism if f is symmetric.

        References
        ----------
        Dong, Roth & Su (2022), section 4; Zhu, Dong & Wang (2022).
        In the book: chapter 9, :prf:ref:`thm-dominating`.

        Examples
        --------
        >>> import dptutor as dp
        >>> step = dp.SubsampledGaussian(1, 0.1, direction="add")
        >>> step.symmetrized
        SubsampledGaussian(noise_multiplier=1.0, sampling_rate=0.1, direction='both')
        >>> step.privacy_profile(0.2) < step.symmetrized.privacy_profile(0.2)
        True
        """
        from .symmetrized import Symmetrized

        return self if self.is_symmetric else Symmetrized(self)

    def __pow__(self, count: SupportsIndex) -> Mechanism:
        """The mechanism applied `count` times to the same data, with all outputs published.

        Parameters
        ----------
        count : int
            At least 1.

        Raises
        ------
        TypeError, ValueError
            If `count` is not an integer of at least 1.

        References
        ----------
        Zhu, Dong & Wang (2022), theorem 10; Dong, Roth & Su (2022), section 3.
        In the book: chapter 6, :prf:ref:`prop-order-composition`; chapter 9, :prf:ref:`thm-composition`.

        Examples
        --------
        >>> import dptutor as dp
        >>> dp.Gaussian(sigma=2) ** 4
        Gaussian(sigma=1.0, sensitivity=1.0)
        >>> round((dp.Laplace(scale=10) ** 100).epsilon(1e-5), 4)
        4.2203
        """
        from .composition import power

        return power(self, count)

    def __matmul__(self, other: Mechanism) -> Mechanism:
        """This mechanism and another, applied to the same data, with both outputs published.

        Parameters
        ----------
        other : Mechanism

        Raises
        ------
        TypeError
            If `other` is not a mechanism.

        References
        ----------
        Zhu, Dong & Wang (2022), theorem 10; Dong, Roth & Su (2022), section 3.
        In the book: chapter 6, :prf:ref:`prop-order-composition`; chapter 9, :prf:ref:`thm-composition`.

        Examples
        --------
        >>> import dptutor as dp
        >>> m = dp.Gaussian(sigma=2) @ dp.Laplace(scale=2)
        >>> m
        Gaussian(sigma=2.0, sensitivity=1.0) @ Laplace(scale=2.0, sensitivity=1.0)
        >>> round(m.advantage, 4)
        0.2734
        """
        from .composition import product

        return product(self, other)

    # Shared by several faces.

    def _bayes_error(self, log_odds: np.ndarray) -> np.ndarray:
        # From α and β, not from δ: all terms are positive, so that tiny errors keep their digits.
        alpha, beta = self._errors(log_odds)
        error = expit(log_odds) * alpha + expit(-log_odds) * beta
        return np.minimum(error, np.exp(log_expit(-np.abs(log_odds))))


def as_mechanism(name: str, value: object) -> Mechanism:
    """`value`, if it is a mechanism."""
    if not isinstance(value, Mechanism):
        raise TypeError(f"{name} must be a mechanism, got {shown(value)}")
    return value
