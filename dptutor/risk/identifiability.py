"""What a mechanism reveals about one person: how sure an adversary can become, its advantage, and reconstruction.

Here the *prior* is the belief in membership, in Q, before the output is seen: b = 1 − π, where π weighs type I errors.
After an output of loss L the belief in Q is

    B = b e^L / (b e^L + 1 − b),    so    logit B = L + logit b :

the loss determines the belief. With ε = logit ρ − logit b and expectations over both worlds,

    Pr_Q[B > ρ] = Pr_Q[L > ε]    and    E[max(B − ρ, 0)] = (1 − ρ) b δ(ε) :

δ is a mean excess, not a bound on the probability of an excess. At b = ½ the expected advantage over guessing is the
total variation of the pair. If no blind guess succeeds with probability above κ, no reconstruction succeeds with
probability above 1 − f(κ).

Sources: Bernau et al. (2021), theorems 1 and 2, equations 10 and 15; Kaissis et al. (2023).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from scipy.special import erf, erfinv, expit, logit

from .._types import Array, Number, Numbers
from .._validation import choice, real_array, real_number, shaped
from ..accounting import rdp_to_epsilon
from ..divergences import f_divergence
from ..evaluation.roots import decreasing_root
from ..mechanisms.base import Mechanism, as_mechanism
from . import attacks

__all__ = [
    "PosteriorBelief",
    "belief_exceedance_bound",
    "epsilon_for_expected_advantage",
    "epsilon_for_posterior_belief",
    "expected_advantage_bound",
    "posterior_belief_bound",
    "rdp_expected_advantage",
    "rdp_posterior_belief_bound",
    "reconstruction_bound",
]


@dataclass(frozen=True)
class PosteriorBelief:
    """The belief B in membership after the output is seen, a random variable under `"P"` or under `"Q"`.

    It is the logistic function of the privacy loss plus the log-odds of the prior. A pair is used as given, in one
    direction. If `mechanism` is symmetrized, B is the belief of an adversary against the join of both directions,
    which reveals at least as much as either direction.

    Parameters
    ----------
    mechanism : Mechanism
    membership_prior : float
        Belief b in (0, 1) in membership, in Q, before the answer.

    Raises
    ------
    TypeError, ValueError
        If `mechanism` is none, or `membership_prior` not in (0, 1).

    References
    ----------
    Bernau et al. (2021), definition 4 and lemma 1.
    In the book: chapter 12, :prf:ref:`def-posterior-belief`, :prf:ref:`prop-belief-law`; chapter 20,
    :prf:ref:`prop-largest-prior`.

    Examples
    --------
    >>> import dptutor as dp
    >>> belief = dp.PosteriorBelief(dp.Gaussian(sigma=1))
    >>> round(belief.sf(0.9), 4), round(belief.quantile(0.99), 4)
    (0.0448, 0.9441)
    """

    mechanism: Mechanism
    membership_prior: float = 0.5

    def __post_init__(self) -> None:
        as_mechanism("mechanism", self.mechanism)
        object.__setattr__(self, "membership_prior", _prior(self.membership_prior))

    @overload
    def sf(self, belief: Number, under: str = "Q") -> float: ...
    @overload
    def sf(self, belief: Numbers, under: str = "Q") -> Array: ...
    def sf(self, belief: Number | Numbers, under: str = "Q") -> float | Array:
        """Pr[B > ρ]. Where B has an atom at ρ itself, rounding may count it.

        Parameters
        ----------
        belief : float or array_like
            ρ in [0, 1].
        under : {"Q", "P"}

        Returns
        -------
        float or ndarray
            In [0, 1], in the shape of `belief`.

        Raises
        ------
        ValueError
            If a belief is outside [0, 1], or `under` another word.

        Examples
        --------
        >>> import dptutor as dp
        >>> belief = dp.PosteriorBelief(dp.Gaussian(sigma=1), membership_prior=0.1)
        >>> belief.sf([0.1, 0.5, 0.9]).round(4)
        array([0.6915, 0.0448, 0.    ])
        """
        belief = real_array("belief", belief, 0.0, 1.0)
        tail = self.mechanism.privacy_loss.sf(logit(belief) - logit(self.membership_prior), under)
        return shaped(np.where(belief == 1.0, 0.0, tail))

    @overload
    def cdf(self, belief: Number, under: str = "Q") -> float: ...
    @overload
    def cdf(self, belief: Numbers, under: str = "Q") -> Array: ...
    def cdf(self, belief: Number | Numbers, under: str = "Q") -> float | Array:
        """Pr[B ≤ ρ]; parameters and errors are those of `sf`.

        Examples
        --------
        >>> import dptutor as dp
        >>> belief = dp.PosteriorBelief(dp.Laplace(scale=1))
        >>> belief.cdf([0.2, 0.5, 0.8]).round(4)
        array([0.    , 0.3033, 1.    ])
        """
        belief = real_array("belief", belief, 0.0, 1.0)
        below = self.mechanism.privacy_loss.cdf(logit(belief) - logit(self.membership_prior), under)
        return shaped(np.where(belief == 1.0, 1.0, below))

    @overload
    def quantile(self, level: Number, under: str = "Q") -> float: ...
    @overload
    def quantile(self, level: Numbers, under: str = "Q") -> Array: ...
    def quantile(self, level: Number | Numbers, under: str = "Q") -> float | Array:
        """The smallest ρ with Pr[B ≤ ρ] at least `level`.

        Parameters
        ----------
        level : float or array_like
            In (0, 1).
        under : {"Q", "P"}

        Returns
        -------
        float or ndarray
            ρ in [0, 1], in the shape of `level`.

        Raises
        ------
        ValueError
            If a level is outside (0, 1), or `under` another word.

        Examples
        --------
        >>> import dptutor as dp
        >>> dp.PosteriorBelief(dp.Gaussian(sigma=1)).quantile([0.5, 0.99]).round(4)
        array([0.6225, 0.9441])
        """
        level = real_array("level", level, 0.0, 1.0, open_low=True, open_high=True)
        errors = self.mechanism._errors
        if choice("under", under, ("P", "Q")) == "P":
            loss = decreasing_root(lambda epsilon: errors(epsilon)[0], 1.0 - level)
        else:
            loss = decreasing_root(lambda epsilon: -errors(epsilon)[1], -level)
        return shaped(expit(loss + logit(self.membership_prior)))

    def mean(self, under: str = "Q") -> float:
        """E[B]. Its average over both worlds, weighted by the prior, is the prior.

        Raises
        ------
        ValueError
            If `under` is neither "P" nor "Q".

        Examples
        --------
        >>> import dptutor as dp
        >>> belief = dp.PosteriorBelief(dp.Gaussian(sigma=1), membership_prior=0.1)
        >>> inside, outside = belief.mean("Q"), belief.mean("P")
        >>> round(inside, 4), round(outside, 4), round(0.1 * inside + 0.9 * outside, 9)
        (0.1935, 0.0896, 0.1)
        """
        b, c = self.membership_prior, 1.0 - self.membership_prior
        # E_Q[B] − b is the f-divergence of g(x) = b x²/(b x + c) − b.
        gain = f_divergence(self.mechanism, lambda x: 2 * b * c**2 * (b * x + c) ** -3.0)
        return b + gain if choice("under", under, ("P", "Q")) == "Q" else b - b / c * gain

    def sample(
        self, size: int | tuple[int, ...], under: str = "Q", seed: int | np.random.Generator | None = None
    ) -> Array:
        """Independent draws of B.

        Parameters
        ----------
        size : int or tuple of int
            Shape of the array.
        under : {"Q", "P"}
        seed : optional
            As for `numpy.random.default_rng`.

        Returns
        -------
        ndarray

        Raises
        ------
        ValueError
            If `under` is neither "P" nor "Q".

        Examples
        --------
        >>> import dptutor as dp
        >>> draws = dp.PosteriorBelief(dp.Gaussian(sigma=1)).sample(10_000, seed=1)
        >>> bool(abs((draws > 0.9).mean() - 0.0448) < 0.01)
        True
        """
        return expit(self.mechanism.privacy_loss.sample(size, under, seed) + logit(self.membership_prior))


@overload
def posterior_belief_bound(epsilon: Number, membership_prior: float = ...) -> float: ...
@overload
def posterior_belief_bound(epsilon: Numbers, membership_prior: float = ...) -> Array: ...
def posterior_belief_bound(epsilon: Number | Numbers, membership_prior: float = 0.5) -> float | Array:
    """Largest posterior belief ρ = 1/(1 + e^{−ε} (1−b)/b) of an adversary under (ε, 0)-differential privacy.

    Under (ε, δ) with δ > 0 beliefs may exceed it, with a probability that depends on the mechanism and may be much
    larger than δ: `PosteriorBelief(m).sf` computes it, and `belief_exceedance_bound` is the most that it can be.

    Parameters
    ----------
    epsilon : float or array_like
        ε ≥ 0, of the whole composition.
    membership_prior : float
        Belief b in (0, 1) in membership before the answer.

    Returns
    -------
    float or ndarray
        ρ in [b, 1], in the shape of `epsilon`.

    Raises
    ------
    ValueError
        If an ε is negative, or the membership prior not in (0, 1).

    References
    ----------
    Bernau et al. (2021), theorem 1.
    In the book: chapter 12, :prf:ref:`thm-largest-belief`.

    Examples
    --------
    >>> import dptutor as dp
    >>> round(dp.posterior_belief_bound(2.2), 4)
    0.9002
    """
    epsilon = real_array("epsilon", epsilon, 0.0)
    return shaped(expit(epsilon + logit(_prior(membership_prior))))


@overload
def epsilon_for_posterior_belief(belief: Number, membership_prior: float = ...) -> float: ...
@overload
def epsilon_for_posterior_belief(belief: Numbers, membership_prior: float = ...) -> Array: ...
def epsilon_for_posterior_belief(belief: Number | Numbers, membership_prior: float = 0.5) -> float | Array:
    """The ε at which the posterior belief is bounded by `belief`: ε = logit ρ − logit b.

    Parameters
    ----------
    belief : float or array_like
        ρ between the prior and 1.
    membership_prior : float
        Belief b in (0, 1) in membership before the answer.

    Returns
    -------
    float or ndarray
        ε in [0, ∞], in the shape of `belief`.

    Raises
    ------
    ValueError
        If a belief is below the prior or above 1, or the membership prior not in (0, 1).

    References
    ----------
    Bernau et al. (2021), equation 10.
    In the book: chapter 12, :prf:ref:`thm-largest-belief`.

    Examples
    --------
    >>> import dptutor as dp
    >>> [round(dp.epsilon_for_posterior_belief(0.9, membership_prior=b), 4) for b in (0.5, 0.1)]
    [2.1972, 4.3944]
    """
    prior = _prior(membership_prior)
    return shaped(logit(real_array("belief", belief, prior, 1.0)) - logit(prior))


@overload
def belief_exceedance_bound(
    epsilon: Number, delta: Number, belief: Number, membership_prior: Number = ...
) -> float: ...
@overload
def belief_exceedance_bound(
    epsilon: Number, delta: Number, belief: Numbers, membership_prior: Number = ...
) -> Array: ...
def belief_exceedance_bound(
    epsilon: Number, delta: Number | Numbers, belief: Number | Numbers, membership_prior: Any = 0.5
) -> float | Array:
    """Largest probability, in world Q, of a belief above ρ, if only (ε, δ) is known, in both directions.

    With ε′ = logit ρ − logit b it is the smaller of (e^ε − 1 + δ)/(e^ε − e^{−ε′}) and, for ε′ > ε only, of
    δ/(1 − e^{ε−ε′}); no bound from (ε, δ) can be lower. At ε′ = ε it is 1/(1 + e^{−ε}) + δ/(2 sinh ε): beliefs that
    exceed ρ only slightly hardly add to δ.

    Parameters
    ----------
    epsilon, delta : float
        ε ≥ 0 and δ in [0, 1], for both (P, Q) and (Q, P).
    belief : float or array_like
        ρ in [0, 1).
    membership_prior : float
        Belief b in (0, 1) in membership before the answer.

    Returns
    -------
    float or ndarray
        A probability, in the shape of `belief`.

    Raises
    ------
    ValueError
        If an argument is out of range.

    References
    ----------
    It corrects Bernau et al. (2021), theorem 1(ii), where δ stands alone.
    In the book: *What (ε, δ) says about beliefs*, :prf:ref:`thm-exceedance`.

    Examples
    --------
    >>> import dptutor as dp
    >>> round(dp.belief_exceedance_bound(2.2, 0.01, dp.posterior_belief_bound(2.2)), 4)
    0.9014
    """
    epsilon = real_number("epsilon", epsilon, 0.0, open_high=True)
    delta = real_number("delta", delta, 0.0, 1.0)
    loss = logit(real_array("belief", belief, 0.0, 1.0, open_high=True)) - logit(_prior(membership_prior))
    # What P has where the belief exceeds ρ is less than e^{−ε′} of what Q has there; what is left obeys (ε, δ) too.
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        above = np.where(loss > epsilon, delta / -np.expm1(epsilon - loss), 1.0)
        most = delta * np.exp(-epsilon) - np.expm1(-epsilon)  # what a small ε adds keeps its digits
        rest = np.where(loss > -epsilon, most / -np.expm1(-epsilon - loss), 1.0)
    bound = np.minimum(np.minimum(above, rest), 1.0)
    return shaped(np.where((delta == 0.0) & (loss >= epsilon), 0.0, bound))


@overload
def rdp_posterior_belief_bound(
    orders: Numbers, rdp: Numbers, delta: Number, membership_prior: Number = ...
) -> float: ...
@overload
def rdp_posterior_belief_bound(
    orders: Numbers, rdp: Numbers, delta: Numbers, membership_prior: Number = ...
) -> Array: ...
def rdp_posterior_belief_bound(orders: Any, rdp: Any, delta: Any, membership_prior: Any = 0.5) -> float | Array:
    """A belief that is exceeded, in world Q, with probability at most δ, from Rényi divergences of the composition.

    Its log-odds are those of the prior plus the smallest D_s + ln(1/δ)/(s − 1): by Markov's inequality this bounds the
    tail Pr_Q[L > ε] itself, and not only δ(ε). There is a single δ for the whole composition.

    Parameters
    ----------
    orders, rdp : array_like
        Orders s > 1 and the divergences D_s(Q‖P) of the composition; of k parts, the sum of theirs.
    delta : float or array_like
        δ in (0, 1].
    membership_prior : float
        Belief b in (0, 1) in membership before the answer.

    Returns
    -------
    float or ndarray
        ρ in [b, 1], in the shape of `delta`.

    Raises
    ------
    ValueError
        If an order is not greater than 1, an argument is out of range, or the two sequences are not equally long.

    References
    ----------
    Bernau et al. (2021), theorem 1(ii) and section 4.4; Mironov (2017), proposition 3.
    In the book: chapter 12, :prf:ref:`thm-rdp-belief`.

    Examples
    --------
    What the mechanism itself tells is less:

    >>> import dptutor as dp
    >>> m, orders = dp.Gaussian(sigma=2), list(range(2, 60))
    >>> bound = dp.rdp_posterior_belief_bound(orders, m.renyi_divergence(orders), 0.01)
    >>> round(bound, 4), round(dp.PosteriorBelief(m).quantile(0.99), 4)
    (0.8379, 0.7838)
    """
    epsilon: Any = rdp_to_epsilon(orders, rdp, delta, conversion="standard")
    return posterior_belief_bound(epsilon, membership_prior)


@overload
def expected_advantage_bound(epsilon: Number, delta: Number) -> float: ...
@overload
def expected_advantage_bound(epsilon: Numbers, delta: Number | Numbers) -> Array: ...
@overload
def expected_advantage_bound(epsilon: Number, delta: Numbers) -> Array: ...
def expected_advantage_bound(epsilon: Number | Numbers, delta: Number | Numbers) -> float | Array:
    """Expected advantage ρ = 2Φ(ε/(2√(2 ln(1.25/δ)))) − 1 against the classically calibrated Gaussian mechanism.

    The classical σ = √(2 ln(1.25/δ))/ε is proven private for ε < 1 only. For the exact advantage against any mechanism
    use `m.advantage`.

    Parameters
    ----------
    epsilon : float or array_like
        ε ≥ 0.
    delta : float or array_like
        δ in (0, 1].

    Returns
    -------
    float or ndarray
        ρ in [0, 1], in the shape of the two together.

    Raises
    ------
    ValueError
        If an ε is negative or a δ not in (0, 1].

    References
    ----------
    Bernau et al. (2021), theorem 2.
    In the book: chapter 12, :prf:ref:`thm-expected-advantage`.

    Examples
    --------
    >>> import math
    >>> import dptutor as dp
    >>> sigma = (2 * math.log(1.25 / 0.01)) ** 0.5 / 2.2
    >>> round(dp.expected_advantage_bound(2.2, 0.01), 6), round(dp.Gaussian(sigma=sigma).advantage, 6)
    (0.276647, 0.276647)
    """
    return shaped(erf(real_array("epsilon", epsilon, 0.0) / (2 * np.sqrt(2) * _classical(delta))))


@overload
def epsilon_for_expected_advantage(advantage: Number, delta: Number) -> float: ...
@overload
def epsilon_for_expected_advantage(advantage: Numbers, delta: Number | Numbers) -> Array: ...
@overload
def epsilon_for_expected_advantage(advantage: Number, delta: Numbers) -> Array: ...
def epsilon_for_expected_advantage(advantage: Number | Numbers, delta: Number | Numbers) -> float | Array:
    """The ε at which the classically calibrated Gaussian mechanism has this advantage: 2√(2 ln(1.25/δ)) Φ⁻¹((ρ+1)/2).

    Parameters
    ----------
    advantage : float or array_like
        ρ in [0, 1].
    delta : float or array_like
        δ in (0, 1].

    Returns
    -------
    float or ndarray
        ε in [0, ∞], in the shape of the two together.

    Raises
    ------
    ValueError
        If an advantage is outside [0, 1] or a δ not in (0, 1].

    References
    ----------
    Bernau et al. (2021), equation 15, where the factor 2 in front is missing.
    In the book: chapter 12, :prf:ref:`thm-expected-advantage`.

    Examples
    --------
    >>> import dptutor as dp
    >>> epsilon = dp.epsilon_for_expected_advantage(0.3, 0.01)
    >>> round(epsilon, 4), round(dp.expected_advantage_bound(epsilon, 0.01), 9)
    (2.3948, 0.3)
    """
    return shaped(2 * np.sqrt(2) * _classical(delta) * erfinv(real_array("advantage", advantage, 0.0, 1.0)))


@overload
def rdp_expected_advantage(order: Number, rdp: Number) -> float: ...
@overload
def rdp_expected_advantage(order: Numbers, rdp: Number | Numbers) -> Array: ...
@overload
def rdp_expected_advantage(order: Number, rdp: Numbers) -> Array: ...
def rdp_expected_advantage(order: Number | Numbers, rdp: Number | Numbers) -> float | Array:
    """Expected advantage 2Φ(√(D_s/(2s))) − 1 of the Gaussian mechanism, from its Rényi divergence of one order.

    A Gaussian mechanism has D_s = sμ²/2 at every order, and so has a composition of Gaussian mechanisms, whose μ² add
    up. For other mechanisms it is not a bound: randomized response has smaller divergences and a larger advantage.

    Parameters
    ----------
    order : float or array_like
        s > 0.
    rdp : float or array_like
        D_s ≥ 0 of the whole composition.

    Returns
    -------
    float or ndarray
        In [0, 1], in the shape of the two together.

    Raises
    ------
    ValueError
        If an order is not positive and finite, or a divergence negative.

    References
    ----------
    Bernau et al. (2021), section 4.4.
    In the book: chapter 12, :prf:ref:`thm-expected-advantage`.

    Examples
    --------
    >>> import dptutor as dp
    >>> m = dp.Gaussian(sigma=2) ** 9
    >>> round(dp.rdp_expected_advantage(5, m.renyi_divergence(5)), 6), round(m.advantage, 6)
    (0.546745, 0.546745)
    """
    order = real_array("order", order, 0.0, open_low=True, open_high=True)
    return shaped(erf(np.sqrt(real_array("rdp", rdp, 0.0)) / np.sqrt(order) / 2))


@overload
def reconstruction_bound(mechanism: Mechanism, prior_success: Number) -> float: ...
@overload
def reconstruction_bound(mechanism: Mechanism, prior_success: Numbers) -> Array: ...
def reconstruction_bound(mechanism: Mechanism, prior_success: Number | Numbers) -> float | Array:
    """Largest probability 1 − f(κ) with which data can be reconstructed: `attack_bound` for this attack.

    Parameters
    ----------
    mechanism : Mechanism
    prior_success : float or array_like
        κ in [0, 1], the success probability of the best guess that ignores the output.

    Returns
    -------
    float or ndarray
        At least κ, in its shape.

    Raises
    ------
    TypeError, ValueError
        If the first argument is not a mechanism, or a probability is outside [0, 1].

    References
    ----------
    Kaissis et al. (2023); Hayes, Mahloujifar & Balle (2023) for the adversary.
    In the book: chapter 11, :prf:ref:`thm-reconstruction`.

    Examples
    --------
    Ten candidates, and a secret among them that is as likely as the others:

    >>> import dptutor as dp
    >>> round(dp.reconstruction_bound(dp.Gaussian(sigma=1), 0.1), 4)
    0.3891
    """
    baseline = real_array("prior_success", prior_success, 0.0, 1.0)
    return shaped(attacks.success(as_mechanism("mechanism", mechanism), baseline))


def _prior(value: object) -> float:
    return real_number("membership_prior", value, 0.0, 1.0, open_low=True, open_high=True)


def _classical(delta: Number | Numbers) -> np.ndarray:
    """σ ε of the classical Gaussian mechanism of sensitivity 1."""
    return np.sqrt(2 * (np.log(1.25) - np.log(real_array("delta", delta, 0.0, 1.0, open_low=True))))
