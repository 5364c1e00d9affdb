"""Comparing mechanisms: Blackwell dominance, and how far two mechanisms are from it.

`mechanism` Blackwell-dominates `other` (is at least as informative, hence at most as private) when

    f ≤ f̃   ⇔   δ ≥ δ̃   ⇔   R ≤ R̃      everywhere.

The Δ-divergence is the smallest shift that makes this true, and the worst-case regret, in Bayes error, of using
`other` in place of `mechanism`:

    Δ(M‖M̃) = inf { κ ≥ 0 : f(α + κ) − κ ≤ f̃(α) for all α } = max_π [R(π) − R̃(π)] = max_ε (δ̃(ε) − δ(ε))/(1 + e^ε).

The maximum is found with a certificate; see `dptutor.comparing.regret`.

Sources: Blackwell (1953); Kaissis et al. (2024), theorems 1 and 2, definitions 1-3, corollary 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit

from .._numeric import Numeric
from .._types import Array, Curve, Number, Numbers
from .._validation import callable_, real_array, shaped
from ..mechanisms.base import Mechanism, as_mechanism
from .certificates import Certificate, certified
from .ordering import Dominance, dominance
from .profile_order import Side, places
from .regret import largest_difference, largest_weighted_difference

__all__ = [
    "Comparison",
    "DeltaDivergence",
    "compare",
    "delta_divergence",
    "jeffreys_prior",
    "symmetric_delta_divergence",
    "u_quadratic_prior",
]


@dataclass(frozen=True, eq=False)
class DeltaDivergence(Numeric):
    """A Δ-divergence and where it is attained. It behaves like a number, its value.

    Attributes
    ----------
    value : float
        In [0, 1/2].
    prior : float
        The adversary's prior π at which it is attained.
    epsilon : float
        The log-odds of that prior.
    error_bound : float
        Bound on the absolute error of `value`: below 1e-12, but up to 1e-7 where curves coincide, for then concavity
        alone certifies little.
    mechanisms : tuple of Mechanism
        The two, where the divergence has no density: what a certificate is made of.

    Examples
    --------
    >>> import dptutor as dp
    >>> d = dp.delta_divergence(dp.Laplace(scale=1), dp.Gaussian(sigma=1))
    >>> round(float(d), 6), round(d.prior, 6), round(d.epsilon, 6), d.error_bound < 1e-12
    (0.034139, 0.268941, -1.0, True)
    >>> d > 0.03, round(d, 4), f"{d:.2%}"
    (True, 0.0341, '3.41%')
    """

    value: float
    prior: float
    epsilon: float
    error_bound: float
    mechanisms: tuple[Mechanism, ...] = field(default=(), repr=False)

    @property
    def certificate(self) -> Certificate:
        """Points from which a short program can check, without this library, that the divergence is no larger.

        Raises
        ------
        ValueError
            If the divergence is weighted by a density.

        Examples
        --------
        >>> import dptutor as dp
        >>> d = dp.delta_divergence(dp.Gaussian(sigma=1), dp.Laplace(scale=1))
        >>> 0 < d.certificate.bound - d.value < 2e-9
        True
        """
        if not self.mechanisms:
            raise ValueError("there is a certificate of a divergence without prior_density only")
        mechanism, other = self.mechanisms
        return certified(mechanism, other, self.value, self.epsilon)


def delta_divergence(mechanism: Mechanism, other: Mechanism, *, prior_density: Curve | None = None) -> DeltaDivergence:
    """Worst-case regret, in Bayes error, of using `other` instead of `mechanism`.

    Smallest κ ≥ 0 such that f(α + κ) − κ ≤ f̃(α) for all α; equal to max_π [R(π) − R̃(π)].
    Zero exactly when `mechanism` Blackwell-dominates `other`.

    Parameters
    ----------
    mechanism, other : Mechanism
    prior_density : callable, optional
        Density Ψ on (0, 1) over the adversary's prior, for arrays or constant; the maximum is then of
        Ψ(π)[R(π) − R̃(π)].

    Returns
    -------
    DeltaDivergence
        `value` in [0, 1/2] (unweighted), the `prior` and `epsilon` = logit(prior) where it is attained (0 and −∞
        if it is 0), and `error_bound`, absolute. A density is known by its values only: the bound takes it to have no
        peak that falls between priors 2^-14 apart (2^-20, if the mass found is less than 1), and it is infinite where
        no mass is found.

    Raises
    ------
    TypeError
        If either argument is not a mechanism, or the density cannot be called.
    ValueError
        If the density is negative, infinite or NaN somewhere, or has another shape than its argument.

    References
    ----------
    Kaissis et al. (2024), definition 1, corollary 1; section 5 for the weighted form.
    In the book: chapter 7, :prf:ref:`def-delta`, :prf:ref:`thm-approximate`, :prf:ref:`cor-regret`,
    :prf:ref:`prop-certificate`; chapter 8, :prf:ref:`def-weighted-delta`.

    Examples
    --------
    >>> import dptutor as dp
    >>> d = dp.delta_divergence(dp.Laplace(scale=1), dp.Gaussian(sigma=1))
    >>> round(d.value, 10), round(d.epsilon, 10)
    (0.0341385466, -1.0)
    """
    as_mechanism("mechanism", mechanism), as_mechanism("other", other)
    if prior_density is not None:
        callable_("prior_density", prior_density)
    if mechanism == other:
        return DeltaDivergence(0.0, 0.5, 0.0, 0.0, () if prior_density else (mechanism, other))
    if prior_density is None:
        epsilon, value, gap = largest_difference(mechanism, other)
        bound = gap + mechanism._bayes_error_bound + other._bayes_error_bound
        return DeltaDivergence(value, float(expit(epsilon)), epsilon, bound, (mechanism, other))
    epsilon, value, bound = largest_weighted_difference(mechanism, other, prior_density)
    return DeltaDivergence(value, float(expit(epsilon)), epsilon, bound)


def symmetric_delta_divergence(
    mechanism: Mechanism, other: Mechanism, *, prior_density: Curve | None = None
) -> DeltaDivergence:
    """The larger of the Δ-divergences in both directions, a metric: `max_π |R(π) − R̃(π)|`.

    Read as cumulative distributions 1 − f, it is the Lévy distance of the trade-off functions.
    Parameters, result and errors are those of `delta_divergence`.

    References
    ----------
    Kaissis et al. (2024), definition 3, corollary 2, lemma B.1.
    In the book: chapter 7, :prf:ref:`def-symmetrized`, :prf:ref:`lem-band`, :prf:ref:`prop-levy`.

    Examples
    --------
    >>> import dptutor as dp
    >>> a, b = dp.Gaussian(sigma=1), dp.Laplace(scale=1)
    >>> round(float(dp.delta_divergence(a, b)), 6), round(float(dp.symmetric_delta_divergence(a, b)), 6)
    (0.005272, 0.034139)
    """
    return max(
        delta_divergence(mechanism, other, prior_density=prior_density),
        delta_divergence(other, mechanism, prior_density=prior_density),
        key=float,
    )


@overload
def jeffreys_prior(prior: Number) -> float: ...
@overload
def jeffreys_prior(prior: Numbers) -> Array: ...
def jeffreys_prior(prior: Number | Numbers) -> Any:
    """Density of the Jeffreys hyper-prior, Beta(1/2, 1/2), which is infinite at 0 and 1.

    Parameters
    ----------
    prior : float or array_like
        π in [0, 1].

    Returns
    -------
    float or ndarray
        In the shape of `prior`.

    Raises
    ------
    ValueError
        If an entry of `prior` is outside [0, 1].

    References
    ----------
    Kaissis et al. (2024), section 5.
    In the book: chapter 8, :prf:ref:`def-weighted-delta`.

    Examples
    --------
    >>> import dptutor as dp
    >>> a, b = dp.Gaussian(sigma=1), dp.Laplace(scale=1)
    >>> round(dp.jeffreys_prior(0.5), 6)
    0.63662
    >>> round(dp.delta_divergence(b, a, prior_density=dp.jeffreys_prior).value, 6)
    0.024507
    """
    prior = real_array("prior", prior, 0.0, 1.0)
    with np.errstate(divide="ignore"):
        return shaped(1 / (math.pi * np.sqrt(prior * (1 - prior))))


@overload
def u_quadratic_prior(prior: Number) -> float: ...
@overload
def u_quadratic_prior(prior: Numbers) -> Array: ...
def u_quadratic_prior(prior: Number | Numbers) -> Any:
    """Density of the U-quadratic hyper-prior on [0, 1], 12 (π − 1/2)²: an adversary with strong opinions.

    Parameters
    ----------
    prior : float or array_like
        π in [0, 1].

    Returns
    -------
    float or ndarray
        In [0, 3], in the shape of `prior`.

    Raises
    ------
    ValueError
        If an entry of `prior` is outside [0, 1].

    References
    ----------
    Kaissis et al. (2024), section 5.
    In the book: chapter 8, :prf:ref:`def-weighted-delta`.

    Examples
    --------
    >>> import dptutor as dp
    >>> dp.u_quadratic_prior([0, 0.25, 0.5]).tolist()
    [3.0, 0.75, 0.0]
    >>> a, b = dp.Gaussian(sigma=1), dp.Laplace(scale=1)
    >>> round(dp.delta_divergence(b, a, prior_density=dp.u_quadratic_prior).value, 6)
    0.021871
    """
    return shaped(12 * (real_array("prior", prior, 0.0, 1.0) - 0.5) ** 2)


def compare(mechanism: Mechanism, other: Mechanism) -> Comparison:
    """Both Δ-divergences of two mechanisms, where their Bayes errors cross, and a verdict in words.

    Parameters
    ----------
    mechanism, other : Mechanism

    Returns
    -------
    Comparison

    Raises
    ------
    TypeError
        If either argument is not a mechanism.

    References
    ----------
    Kaissis et al. (2024), section 3.2 and corollary 1.
    In the book: chapter 7, :prf:ref:`cor-regret`; chapter 20, :prf:ref:`prop-card-prior`.

    Examples
    --------
    >>> import dptutor as dp
    >>> found = dp.compare(dp.Gaussian(sigma=1), dp.Laplace(scale=1))
    >>> [round(prior, 6) for prior in found.crossings], round(found.divergence.value, 6)
    ([0.418539, 0.581461], 0.005272)
    """
    forth, back = delta_divergence(mechanism, other), delta_divergence(other, mechanism)
    return Comparison(mechanism, other, forth, back, _crossings(mechanism, other))


@dataclass(frozen=True)
class Comparison:
    """How two mechanisms differ; made by `compare`. It prints as a small table.

    Attributes
    ----------
    mechanism, other : Mechanism
        The two.
    divergence : DeltaDivergence
        Δ(mechanism‖other), the regret of choosing `other`.
    reverse_divergence : DeltaDivergence
        Δ(other‖mechanism), the regret of choosing `mechanism`.
    crossings : tuple of float
        The priors at which the Bayes errors are equal and change order, in rising order.

    Examples
    --------
    >>> import dptutor as dp
    >>> found = dp.compare(dp.Laplace(scale=1), dp.Gaussian(sigma=1))
    >>> print(found.verdict.split(": ")[0])
    Neither dominates. Laplace(scale=1.0, sensitivity=1.0) is the safer choice
    >>> round(found.divergence.value, 6), round(found.reverse_divergence.value, 6)
    (0.034139, 0.005272)
    """

    mechanism: Mechanism
    other: Mechanism
    divergence: DeltaDivergence
    reverse_divergence: DeltaDivergence
    crossings: tuple[float, ...]

    @property
    def symmetric_divergence(self) -> float:
        """The larger of the two, a metric, `max_π |R(π) − R̃(π)|`.

        Examples
        --------
        >>> import dptutor as dp
        >>> round(dp.compare(dp.Gaussian(sigma=1), dp.Laplace(scale=1)).symmetric_divergence, 6)
        0.034139
        """
        return max(self.divergence.value, self.reverse_divergence.value)

    @property
    def dominance(self) -> Dominance:
        """Whether the first mechanism dominates the second, as `dptutor.dominance` says.

        Examples
        --------
        >>> import dptutor as dp
        >>> dp.compare(dp.Laplace(1), dp.PerfectPrivacy()).dominance.verdict
        'proven'
        """
        return dominance(self.mechanism, self.other)

    @property
    def reverse_dominance(self) -> Dominance:
        """Whether the second mechanism dominates the first.

        Examples
        --------
        >>> import dptutor as dp
        >>> dp.compare(dp.Laplace(1), dp.PerfectPrivacy()).reverse_dominance.verdict
        'refuted'
        """
        return dominance(self.other, self.mechanism)

    @property
    def verdict(self) -> str:
        """Which mechanism dominates the other, or else which choice has the smaller worst-case regret.

        Examples
        --------
        >>> import dptutor as dp
        >>> dp.compare(dp.PerfectPrivacy(), dp.Laplace(1)).verdict.split(":")[0]
        'PerfectPrivacy() is the more private against every adversary'
        """
        first, second = repr(self.mechanism), repr(self.other)
        order, reverse_order = self.dominance, self.reverse_dominance
        if order and reverse_order:
            return f"{first} and {second} give the same privacy."
        if reverse_order:
            return f"{first} is the more private against every adversary: {second} Blackwell-dominates it."
        if order:
            return f"{second} is the more private against every adversary: {first} Blackwell-dominates it."
        refuted = order.verdict == reverse_order.verdict == "refuted"
        return f"{'Neither dominates' if refuted else 'Neither is known to dominate'}. {self._choice(first, second)}"

    def _choice(self, first: str, second: str) -> str:
        """Which of the two to prefer when neither dominates."""
        forth, back = self.divergence, self.reverse_divergence
        small, large = sorted((forth, back), key=float)
        if large.value <= large.error_bound:
            return f"Their Bayes errors are the same to {max(forth.error_bound, back.error_bound):.0e}."
        if forth.value == back.value:
            return f"Either choice may be regretted by up to {forth.value:.4g}."
        safer, riskier = (second, first) if forth.value < back.value else (first, second)
        if small.value > small.error_bound:
            return (
                f"{safer} is the safer choice: it is regretted by at most {small.value:.4g} in Bayes error "
                f"(prior {small.prior:.3g}), {riskier} by up to {large.value:.4g} (prior {large.prior:.3g})."
            )
        order = self.dominance if small is forth else self.reverse_dominance
        tail = (
            "Yet its tail is the heavier one" if order.verdict == "refuted" else "The order of the tails is not known"
        )
        return (
            f"{safer} is the safer choice: no adversary errs less often against it, to {small.error_bound:.0e} in "
            f"Bayes error; {riskier} is regretted by up to {large.value:.4g} (prior {large.prior:.3g}). "
            f"{tail}: {order.reason}."
        )

    def __str__(self) -> str:
        rows = "\n".join(f"{name:<44}{value}" for name, value in self._rows())
        return f"{self.mechanism!r}\n{self.other!r}\n{rows}\n{self.verdict}"

    def _repr_html_(self) -> str:
        from html import escape

        rows = "".join(f"<tr><th scope='row'>{name}</th><td>{value}</td></tr>" for name, value in self._rows())
        caption = f"{escape(repr(self.mechanism))} against {escape(repr(self.other))}"
        return f"<table><caption>{caption}</caption>{rows}</table><p>{escape(self.verdict)}</p>"

    def _rows(self) -> Iterator[tuple[str, str]]:
        forth, back = self.divergence, self.reverse_divergence
        yield "Δ(first‖second), regret of the second", f"{forth.value:.10f} at prior {forth.prior:.6f}"
        yield "Δ(second‖first), regret of the first", f"{back.value:.10f} at prior {back.prior:.6f}"
        yield "Bayes errors cross at priors", ", ".join(f"{x:.10f}" for x in self.crossings) or "nowhere"


def _crossings(mechanism: Mechanism, other: Mechanism) -> tuple[float, ...]:
    """The priors at which R − R̃ certainly changes sign, given the bounds on both profiles."""
    losses, signs = (np.concatenate(x) for x in zip(*_signs(mechanism, other), strict=True))
    decided = np.argsort(losses)[signs[np.argsort(losses)] != 0]
    losses, signs = losses[decided], signs[decided]

    def difference(epsilon: float) -> float:
        # For negative losses the profiles of the reverse pairs, which keep their digits.
        pair = (mechanism, other) if epsilon >= 0 else (mechanism.reverse, other.reverse)
        first, second = (float(m._delta(np.asarray(abs(epsilon)))) for m in pair)
        return math.log(first) - math.log(second) if min(first, second) > 0 else first - second

    crossings = []
    for i in np.flatnonzero(signs[1:] != signs[:-1]):
        at = brentq(difference, losses[i], losses[i + 1], xtol=1e-15, rtol=1e-15)
        crossings.append(float(expit(at)))
    return tuple(crossings)


def _signs(mechanism: Mechanism, other: Mechanism) -> Iterator[tuple[Array, Array]]:
    """Losses (negative ones by the reverse pairs) and the sign of δ − δ̃ there; 0 if the errors leave it open."""
    for turn, pair in ((1, (mechanism, other)), (-1, (mechanism.reverse, other.reverse))):
        first, second = (Side(m) for m in pair)
        at = np.union1d(places(first, second), places(second, first))
        (low, high), (low_, high_) = first.between(at), second.between(at)
        yield turn * at, np.where(low > high_, 1.0, np.where(high < low_, -1.0, 0.0))
