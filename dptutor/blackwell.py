"""Comparing mechanisms: Blackwell dominance and how far from it two mechanisms are.

`mechanism` Blackwell-dominates `other` (is at least as informative, hence at most as private) when

    f ≤ f̃   ⇔   δ ≥ δ̃   ⇔   R ≤ R̃      everywhere.

The Δ-divergence is the least shift that restores it, and the worst-case regret, in Bayes error, of using
`other` in place of `mechanism`:

    Δ(M‖M̃) = inf { κ ≥ 0 : f(α + κ) − κ ≤ f̃(α) for all α } = max_π [R(π) − R̃(π)] = max_ε (δ̃(ε) − δ(ε))/(1 + e^ε).

The maximum is found with a certificate. Bayes errors are concave, so between two priors R lies below its tangents
and R̃ above its chord; only intervals whose bound exceeds the best value found are divided further. What is left
of the gap at the end is part of the reported error bound.

Sources: Blackwell (1953); Kaissis et al. (2024), theorems 1 and 2, definitions 1-3, corollary 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit

from ._validation import real_array, shaped
from .mechanisms.base import Mechanism, as_mechanism
from .ordering import Dominance, dominance
from .profile_order import Side, places

__all__ = [
    "Comparison",
    "DeltaDivergence",
    "compare",
    "delta_divergence",
    "jeffreys_prior",
    "symmetric_delta_divergence",
    "u_quadratic_prior",
]

# The gap at which the search stops: a little above the rounding of the errors themselves.
_GAP = 2e-14
_OPEN_INTERVALS = 2**13
_SEEDS = np.linspace(-34.0, 34.0, 137)


@dataclass(frozen=True)
class DeltaDivergence:
    """A Δ-divergence and where it is attained; `float()` gives its value.

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

    Examples
    --------
    >>> import dptutor as dp
    >>> d = dp.delta_divergence(dp.Laplace(scale=1), dp.Gaussian(sigma=1))
    >>> round(float(d), 6), round(d.prior, 6), round(d.epsilon, 6), d.error_bound < 1e-12
    (0.034139, 0.268941, -1.0, True)
    """

    value: float
    prior: float
    epsilon: float
    error_bound: float

    def __float__(self) -> float:
        return self.value


def delta_divergence(mechanism, other, *, prior_density=None) -> DeltaDivergence:
    """Worst-case regret, in Bayes error, of using `other` instead of `mechanism`.

    Smallest κ ≥ 0 such that f(α + κ) − κ ≤ f̃(α) for all α; equal to max_π [R(π) − R̃(π)].
    Zero exactly when `mechanism` Blackwell-dominates `other`.

    Parameters
    ----------
    mechanism, other : Mechanism
    prior_density : callable, optional
        Density Ψ on (0, 1) over the adversary's prior, for arrays; the maximum is then of Ψ(π)[R(π) − R̃(π)].

    Returns
    -------
    DeltaDivergence
        `value` in [0, 1/2] (unweighted), the `prior` and `epsilon` = logit(prior) where it is attained (0 and −∞
        if it is 0), and `error_bound`, absolute. With a density the bound holds if Ψ is convex; for a smooth Ψ
        that is not, it rests on a sample of its curvature between the nodes of the search.

    Raises
    ------
    TypeError
        If either argument is not a mechanism, or the density cannot be called.
    ValueError
        If the density is negative or NaN somewhere.

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
    if prior_density is not None and not callable(prior_density):
        raise TypeError(f"prior_density must be callable, got {prior_density!r}")
    rounding = mechanism._bayes_error_bound + other._bayes_error_bound
    if mechanism == other:
        return DeltaDivergence(0.0, 0.5, 0.0, 0.0)
    epsilon, value, gap, weight = _largest_difference(mechanism, other, prior_density)
    return DeltaDivergence(value, float(expit(epsilon)), epsilon, gap + weight * rounding)


def symmetric_delta_divergence(mechanism, other, *, prior_density=None) -> DeltaDivergence:
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


def jeffreys_prior(prior):
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


def u_quadratic_prior(prior):
    """Density of the U-quadratic hyper-prior on [0, 1]: 12 (π − 1/2)², an adversary with strong opinions.

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


def compare(mechanism, other) -> Comparison:
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
    In the book: chapter 7, :prf:ref:`cor-regret`; chapter 14, :prf:ref:`prop-card-prior`.

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
    """What separates two mechanisms; made by `compare`. It prints as a small table.

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
        """Who dominates whom, or which choice has the smaller worst-case regret.

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

    def _choice(self, first, second) -> str:
        """Which of the two to prefer, where neither is more private against everybody."""
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

    def _rows(self):
        forth, back = self.divergence, self.reverse_divergence
        yield "Δ(first‖second), regret of the second", f"{forth.value:.10f} at prior {forth.prior:.6f}"
        yield "Δ(second‖first), regret of the first", f"{back.value:.10f} at prior {back.prior:.6f}"
        yield "Bayes errors cross at priors", ", ".join(f"{x:.10f}" for x in self.crossings) or "nowhere"


class _Nodes:
    """Priors at which both Bayes errors are known, and the slope α − β of the first."""

    def __init__(self, mechanism, other, log_odds):
        self.log_odds = log_odds
        self.prior, self.rest = expit(log_odds), expit(-log_odds)
        # Neighboring intervals share their ends.
        single, place = np.unique(log_odds, return_inverse=True)
        self.alpha, self.beta = (errors[place] for errors in mechanism._errors(single))
        error = mechanism._bayes_error(single)
        self.error, self.difference = error[place], (error - other._bayes_error(single))[place]


def _largest_difference(mechanism, other, density):
    """Log-odds and value of the largest weighted R − R̃, the remaining gap, and the weight there."""

    def weight_at(log_odds):
        return np.ones(log_odds.shape) if density is None else _checked(density(expit(log_odds)))

    kinks = np.concatenate([mechanism._kinks(), other._kinks()])
    nodes = np.unique(np.concatenate([_SEEDS, kinks[np.abs(kinks) < _SEEDS[-1]]]))
    if density is None and mechanism.is_symmetric and other.is_symmetric:
        nodes = nodes[nodes <= 0]  # R(π) = R(1 − π) for both
    # Beyond the seeds no error exceeds min(π, 1 − π).
    outside = float(np.max(weight_at(nodes[[0, -1]])) * expit(nodes[0]))
    best, best_at, weight, bracket, gap = 0.0, -math.inf, 1.0, None, math.inf
    if density is None:
        # No error exceeds min(π, 1 − π): a difference found in the middle makes the tails superfluous.
        central = nodes[np.abs(nodes) <= 8]
        found = float(np.max(mechanism._bayes_error(central) - other._bayes_error(central), initial=0.0))
        reach = -logit(found) + 0.5 if found > 0 else math.inf
        nodes = nodes[np.abs(nodes) <= max(reach, 8.5)]
    left, right = nodes[:-1], nodes[1:]
    while gap > 0:
        # All ends of the open intervals at once: one evaluation of each mechanism a round.
        ends = _Nodes(mechanism, other, np.concatenate([left, right]))
        weights = weight_at(ends.log_odds)
        height = weights * ends.difference
        top = int(np.argmax(height))
        if height[top] > best:
            best, best_at, weight = float(height[top]), float(ends.log_odds[top]), float(weights[top])
            width = float(np.max(right - left))
            bracket = (best_at - width, best_at + width)
        middle = _between(left, right, 0.5)
        bound = _upper_bounds(ends, weights, None if density is None else weight_at(middle))
        gap = max(float(np.max(bound, initial=best)) - best, 0.0)
        open_ = (bound > best + _GAP * (1 + weight)) & (middle > left) & (middle < right)
        # Where curves coincide the bound falls with the square of the width only: stop, and report the gap.
        if not 0 < np.count_nonzero(open_) <= _OPEN_INTERVALS:
            break
        left, right = left[open_], right[open_]
        # Many parts while few intervals are open: rounds cost more than nodes.
        parts = 8 if left.size < 64 else 2
        cuts = [left, *(_between(left, right, k / parts) for k in range(1, parts)), right]
        left, right = np.concatenate(cuts[:-1]), np.concatenate(cuts[1:])
    gap = max(gap, outside - best)
    if density is None and bracket is not None:
        best_at, best = _polished(mechanism, other, best_at, best, bracket)
    return best_at, best, gap, weight


def _between(left, right, share):
    """The place at a share of the way, in prior where that resolves the interval, in log-odds in the far tails."""
    near = (np.abs(left) < 30) & (np.abs(right) < 30)
    mirrored = left + right > 0
    # By symmetry work on the side where the prior is small and keeps its digits.
    a, b = np.where(mirrored, -left, left), np.where(mirrored, -right, right)
    place = logit((1 - share) * expit(a) + share * expit(b))
    place = np.where(mirrored, -place, place)
    return np.where(near & (place >= left) & (place <= right), place, (1 - share) * left + share * right)


def _upper_bounds(ends: _Nodes, weights, middle_weights) -> np.ndarray:
    """Upper bounds of weighted R − R̃ between the first and the second half of the nodes, taken pairwise."""

    def halves(name):
        return np.split(getattr(ends, name), 2)

    (prior, prior_), (rest, rest_) = halves("prior"), halves("rest")
    (error, error_), (alpha, alpha_), (beta, beta_) = halves("error"), halves("alpha"), halves("beta")
    difference, difference_ = halves("difference")
    # The width, from whichever side keeps its digits.
    width = np.where(prior + prior_ < 1, prior_ - prior, rest - rest_)
    slope, slope_ = alpha - beta, alpha_ - beta_
    # Tangents from both ends meet at `step` from the left; there R is at most `peak`, R̃ at least its chord.
    turn = slope - slope_
    rise = error_ - error - slope_ * width
    step = np.clip(np.where(turn > 0, rise / np.where(turn > 0, turn, 1.0), 0.0), 0.0, width)
    peak = np.minimum(error + slope * step, error_ - slope_ * (width - step))
    share = np.where(width > 0, step / np.where(width > 0, width, 1.0), 0.0)
    chord = (1 - share) * (error - difference) + share * (error_ - difference_)
    top = peak - chord
    weight, weight_ = np.split(weights, 2)
    if middle_weights is not None:
        # A convex weight lies below its chord; above it, allow twice what the middle shows.
        bump = 2 * np.maximum(middle_weights - (weight + weight_) / 2, 0.0)
        weight, weight_ = weight + bump, weight_ + bump
    weight_top = (1 - share) * weight + share * weight_
    return np.maximum(
        _largest_product(difference, top, weight, weight_top),
        _largest_product(top, difference_, weight_top, weight_),
    )


def _largest_product(first, first_, second, second_):
    """The largest product of two linear functions between two points, given their values at both."""
    change, change_ = first_ - first, second_ - second
    curvature = 2 * change * change_
    peaked = curvature < 0
    share = np.where(peaked, -(first * change_ + second * change) / np.where(peaked, curvature, 1.0), 0.0)
    share = np.clip(share, 0.0, 1.0)
    inside = (first + share * change) * (second + share * change_)
    return np.maximum(inside, np.maximum(first * second, first_ * second_))


def _polished(mechanism, other, at, best, bracket):
    """The stationary point in the bracket, where that is higher than the best node."""

    def slope(log_odds):
        return np.subtract(*mechanism._errors(log_odds)) - np.subtract(*other._errors(log_odds))

    # At a kink the node itself is the maximum, and a search would only halve its way back to it.
    beside = 1e-9 * (1 + abs(at))
    places = np.array([bracket[0], at - beside, at + beside, bracket[1]])
    slopes = slope(places)
    if slopes[1] > 0 > slopes[2]:
        root = float(places[1] + 2 * beside * slopes[1] / (slopes[1] - slopes[2]))
    elif slopes[0] > 0 > slopes[3]:
        root = brentq(lambda log_odds: float(slope(np.asarray(log_odds))), *bracket, xtol=1e-15, rtol=1e-14)
    else:
        return at, best
    value = float(_Nodes(mechanism, other, np.asarray([root])).difference[0])
    # Rounding must not move the maximum off an exact node, a kink for instance.
    if value >= best - 1e-16 and abs(slope(np.asarray(root))) < abs(slope(np.asarray(at))):
        return root, max(value, best)
    return at, best


def _checked(weights) -> np.ndarray:
    weights = np.asarray(weights, dtype=float)
    if np.any(~(weights >= 0)):
        raise ValueError(f"prior_density must be at least 0, got {weights[~(weights >= 0)][0].item()!r}")
    return weights


def _crossings(mechanism, other) -> tuple[float, ...]:
    """The priors at which R − R̃ changes sign, as far as the bounds on both profiles show it."""
    losses, signs = (np.concatenate(x) for x in zip(*_signs(mechanism, other), strict=True))
    decided = np.argsort(losses)[signs[np.argsort(losses)] != 0]
    losses, signs = losses[decided], signs[decided]

    def difference(epsilon):
        # δ for positive losses, the reverse profile for negative ones: both keep their digits.
        pair = (mechanism, other) if epsilon >= 0 else (mechanism.reverse, other.reverse)
        first, second = (float(m._delta(np.asarray(abs(epsilon)))) for m in pair)
        return math.log(first) - math.log(second) if min(first, second) > 0 else first - second

    crossings = []
    for i in np.flatnonzero(signs[1:] != signs[:-1]):
        at = brentq(difference, losses[i], losses[i + 1], xtol=1e-15, rtol=1e-15)
        crossings.append(float(expit(at)))
    return tuple(crossings)


def _signs(mechanism, other):
    """Losses, negative ones by the reverse pairs, and the sign of δ − δ̃ there: 0 within the bounds on both errors."""
    for turn, pair in ((1, (mechanism, other)), (-1, (mechanism.reverse, other.reverse))):
        first, second = (Side(m) for m in pair)
        at = np.union1d(places(first, second), places(second, first))
        (low, high), (low_, high_) = first.between(at), second.between(at)
        yield turn * at, np.where(low > high_, 1.0, np.where(high < low_, -1.0, 0.0))
