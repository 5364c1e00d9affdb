"""Lossless conversions between the trade-off function, the privacy profile and the Bayes error, for arbitrary curves.

With ε = log(π/(1−π)), and every infimum or supremum over the whole range of its variable,

    δ(ε) = 1 − min_α [ e^ε α + f(α) ]          f(α) = max_ε [ 1 − δ(ε) − e^ε α ]
    R(π) = min_α [ π α + (1−π) f(α) ]          R(π) = (1−π) (1 − δ(ε))

A curve is either a function that takes and returns arrays, or a pair of arrays `(x, y)`: the corners of a
piecewise linear one. Corners are converted exactly, functions by a search whose objective has a single valley
(both problems are convex), so the result is right to about 1e-12 for smooth curves.

Sources: Dong, Roth & Su (2022), proposition 2.12 (profile and trade-off function are conjugate);
Kaissis et al. (2024), equations 1, 2 and 25 (the minimum Bayes error).
"""

from __future__ import annotations

from typing import overload

import numpy as np
from scipy.special import expit, logit

from ._floats import LARGEST_LOSS, UNIT_ROUNDOFF
from ._types import Array, Curve, Number, Numbers
from ._validation import real_array, shaped, shown

__all__ = [
    "bayes_error_from_profile",
    "bayes_error_from_tradeoff",
    "dominating_pair",
    "profile_from_bayes_error",
    "profile_from_tradeoff",
    "tradeoff_from_bayes_error",
    "tradeoff_from_profile",
]

# Log-odds beyond which a Bayes error is below 1e-17, and losses below which 1 − δ(ε) ≤ e^ε has no digits left.
_LOG_ODDS = 40.0
_SMALLEST_LOSS = -30.0
# The last number below 1.
_LARGEST_PRIOR = 1.0 - UNIT_ROUNDOFF


@overload
def profile_from_tradeoff(tradeoff: Curve, epsilon: Number) -> float: ...
@overload
def profile_from_tradeoff(tradeoff: Curve, epsilon: Numbers) -> Array: ...
def profile_from_tradeoff(tradeoff: Curve, epsilon: Number | Numbers) -> float | Array:
    """Privacy profile δ(ε) = 1 − min_α [e^ε α + f(α)].

    Parameters
    ----------
    tradeoff : callable or pair of array_like
        f, as a function of arrays or by its corners (α, β).
    epsilon : float or array_like
        Any real numbers.

    Returns
    -------
    float or ndarray
        δ in [0, 1], in the shape of `epsilon`.

    Raises
    ------
    ValueError
        If an entry of `epsilon` is NaN, or a corner is outside [0, 1].
    TypeError
        If `tradeoff` is no function of arrays.

    References
    ----------
    Dong, Roth & Su (2022), proposition 2.12.
    In the book: chapter 4, :prf:ref:`thm-envelope`.

    Examples
    --------
    The profile of randomized response with ε = 1, from the corners of its trade-off function:

    >>> import dptutor as dp
    >>> m = dp.RandomizedResponse(epsilon=1)
    >>> corners = [0, m.minimax_bayes_error, 1], [1, m.minimax_bayes_error, 0]
    >>> round(dp.conversions.profile_from_tradeoff(corners, 0.0), 6), round(m.advantage, 6)
    (0.462117, 0.462117)
    """
    epsilon = real_array("epsilon", epsilon)
    slope = np.exp(np.minimum(epsilon, LARGEST_LOSS))
    return shaped(np.clip(1.0 - _support(tradeoff, slope, 1.0), 0.0, 1.0))


@overload
def bayes_error_from_tradeoff(tradeoff: Curve, prior: Number) -> float: ...
@overload
def bayes_error_from_tradeoff(tradeoff: Curve, prior: Numbers) -> Array: ...
def bayes_error_from_tradeoff(tradeoff: Curve, prior: Number | Numbers) -> float | Array:
    """Minimum Bayes error R(π) = min_α [π α + (1−π) f(α)].

    Parameters
    ----------
    tradeoff : callable or pair of array_like
        f, as a function of arrays or by its corners (α, β).
    prior : float or array_like
        π in [0, 1].

    Returns
    -------
    float or ndarray
        R in [0, 1/2], in the shape of `prior`.

    Raises
    ------
    ValueError
        If a prior or a corner is outside [0, 1].
    TypeError
        If `tradeoff` is no function of arrays.

    References
    ----------
    Kaissis et al. (2024), equations 1 and 2.
    In the book: chapter 5, :prf:ref:`thm-bayes-lossless`.

    Examples
    --------
    >>> import dptutor as dp
    >>> m = dp.Gaussian(sigma=1)
    >>> round(dp.conversions.bayes_error_from_tradeoff(m.tradeoff, 0.3), 9), round(m.bayes_error(0.3), 9)
    (0.253004379, 0.253004379)
    """
    prior = real_array("prior", prior, 0.0, 1.0)
    return shaped(_support(tradeoff, prior, 1.0 - prior) + 0.0)  # no −0


@overload
def tradeoff_from_profile(profile: Curve, alpha: Number) -> float: ...
@overload
def tradeoff_from_profile(profile: Curve, alpha: Numbers) -> Array: ...
def tradeoff_from_profile(profile: Curve, alpha: Number | Numbers) -> float | Array:
    """Trade-off function f(α) = max_ε [1 − δ(ε) − e^ε α].

    Parameters
    ----------
    profile : callable
        δ, as a function of arrays, on the whole real line.
    alpha : float or array_like
        α in [0, 1].

    Returns
    -------
    float or ndarray
        f in [0, 1 − α], in the shape of `alpha`.

    Raises
    ------
    ValueError
        If an entry of `alpha` is outside [0, 1].
    TypeError
        If `profile` is no function of arrays.

    References
    ----------
    Dong, Roth & Su (2022), proposition 2.12.
    In the book: chapter 4, :prf:ref:`thm-envelope`.

    Examples
    --------
    >>> import dptutor as dp
    >>> m = dp.Laplace(scale=1)
    >>> round(dp.conversions.tradeoff_from_profile(m.privacy_profile, 0.1), 9), round(m.tradeoff(0.1), 9)
    (0.728171817, 0.728171817)
    """
    alpha, profile = real_array("alpha", alpha, 0.0, 1.0), _of_arrays("profile", profile)

    def line_below(epsilon: np.ndarray) -> np.ndarray:
        return 1.0 - profile(epsilon) - np.exp(epsilon) * alpha

    return _highest_line(line_below, alpha)


@overload
def tradeoff_from_bayes_error(bayes_error: Curve, alpha: Number) -> float: ...
@overload
def tradeoff_from_bayes_error(bayes_error: Curve, alpha: Numbers) -> Array: ...
def tradeoff_from_bayes_error(bayes_error: Curve, alpha: Number | Numbers) -> float | Array:
    """Trade-off function f(α) = max_π [R(π) − π α]/(1−π).

    Priors end at the last number below 1, so where f falls more steeply than e^36.7 the result is too small, by
    at most δ(36.7).

    Parameters
    ----------
    bayes_error : callable
        R, as a function of arrays.
    alpha : float or array_like
        α in [0, 1].

    Returns
    -------
    float or ndarray
        f in [0, 1 − α], in the shape of `alpha`.

    Raises
    ------
    ValueError
        If an entry of `alpha` is outside [0, 1].
    TypeError
        If `bayes_error` is no function of arrays.

    References
    ----------
    Kaissis et al. (2024), equations 1 and 2.
    In the book: chapter 5, :prf:ref:`thm-bayes-lossless`.

    Examples
    --------
    >>> import dptutor as dp
    >>> m = dp.Laplace(scale=1)
    >>> round(dp.conversions.tradeoff_from_bayes_error(m.bayes_error, 0.1), 9), round(m.tradeoff(0.1), 9)
    (0.728171817, 0.728171817)
    """
    alpha, bayes_error = real_array("alpha", alpha, 0.0, 1.0), _of_arrays("bayes_error", bayes_error)

    def line_below(epsilon: np.ndarray) -> np.ndarray:
        prior = _prior_at(epsilon)
        return (bayes_error(prior) - prior * alpha) / (1.0 - prior)

    return _highest_line(line_below, alpha, logit(_LARGEST_PRIOR))


@overload
def bayes_error_from_profile(profile: Curve, prior: Number) -> float: ...
@overload
def bayes_error_from_profile(profile: Curve, prior: Numbers) -> Array: ...
def bayes_error_from_profile(profile: Curve, prior: Number | Numbers) -> float | Array:
    """Minimum Bayes error R(π) = (1−π)(1 − δ(ε)) at ε = log(π/(1−π)).

    Parameters
    ----------
    profile : callable
        δ, as a function of arrays, on the whole real line.
    prior : float or array_like
        π in [0, 1].

    Returns
    -------
    float or ndarray
        R, in the shape of `prior`.

    Raises
    ------
    ValueError
        If an entry of `prior` is outside [0, 1].
    TypeError
        If `profile` is no function of arrays.

    References
    ----------
    Kaissis et al. (2024), equation 25.
    In the book: chapter 5, :prf:ref:`thm-bayes-profile`.

    Examples
    --------
    >>> import dptutor as dp
    >>> m = dp.Gaussian(sigma=1)
    >>> round(dp.conversions.bayes_error_from_profile(m.privacy_profile, 0.3), 9), round(m.bayes_error(0.3), 9)
    (0.253004379, 0.253004379)
    """
    prior = real_array("prior", prior, 0.0, 1.0)
    delta = _of_arrays("profile", profile)(logit(prior))
    return shaped(np.asarray((1.0 - prior) * (1.0 - delta)))


@overload
def profile_from_bayes_error(bayes_error: Curve, epsilon: Number) -> float: ...
@overload
def profile_from_bayes_error(bayes_error: Curve, epsilon: Numbers) -> Array: ...
def profile_from_bayes_error(bayes_error: Curve, epsilon: Number | Numbers) -> float | Array:
    """Privacy profile δ(ε) = 1 − R(π)/(1−π) at π = 1/(1 + e^−ε).

    Priors end at the last number below 1, so beyond ε = 36.7 the result is δ(36.7), which may be too large.

    Parameters
    ----------
    bayes_error : callable
        R, as a function of arrays.
    epsilon : float or array_like
        Any real numbers.

    Returns
    -------
    float or ndarray
        δ in [0, 1], in the shape of `epsilon`.

    Raises
    ------
    ValueError
        If an entry of `epsilon` is NaN.
    TypeError
        If `bayes_error` is no function of arrays.

    References
    ----------
    Kaissis et al. (2024), equation 25.
    In the book: chapter 5, :prf:ref:`thm-bayes-profile`.

    Examples
    --------
    >>> import dptutor as dp
    >>> m = dp.Gaussian(sigma=1)
    >>> round(dp.conversions.profile_from_bayes_error(m.bayes_error, 1.0), 9), round(m.privacy_profile(1.0), 9)
    (0.126936738, 0.126936738)
    """
    epsilon = real_array("epsilon", epsilon)
    prior = _prior_at(epsilon)
    error = _of_arrays("bayes_error", bayes_error)(prior)
    return shaped(np.clip(1.0 - error / (1.0 - prior), 0.0, 1.0))


def dominating_pair(alpha: Numbers, beta: Numbers) -> tuple[Array, Array]:
    """The pair (p, q) of finite distributions whose trade-off function has the corners (`alpha`, `beta`).

    Lemma B.1 of Kaissis et al. (2024) in its finite form: P uniform on [0, 1], Q with cumulative distribution
    1 − f, both lumped between corners (nothing is lost, f being linear there).

    Parameters
    ----------
    alpha, beta : array_like, shape (n,)
        Corners of a convex, decreasing f with f(α) ≤ 1 − α, from α = 0 to α = 1; `beta[0]` < 1 is an atom that
        only Q has.

    Returns
    -------
    p, q : ndarray
        Probabilities of the same outcomes under P and Q.

    Raises
    ------
    ValueError
        If the corners are not those of a trade-off function; the message names the broken law and the place.

    References
    ----------
    Kaissis et al. (2024), lemma B.1.
    In the book: chapter 2, :prf:ref:`thm-shape`; chapter 7, :prf:ref:`prop-levy`.

    Examples
    --------
    >>> import dptutor as dp
    >>> p, q = dp.conversions.dominating_pair([0, 0.2, 1], [0.9, 0.3, 0])
    >>> p.round(2).tolist(), q.round(2).tolist()
    ([0.2, 0.8, 0.0], [0.6, 0.3, 0.1])
    >>> round(dp.FiniteExperiment(p, q).tradeoff(0.2), 12)
    0.3
    """
    x, y = _corners(alpha, beta)
    if x[0] != 0.0 or x[-1] != 1.0 or y[-1] != 0.0:
        raise ValueError("the corners must run from α = 0 to α = 1, with f(1) = 0")
    p, q = np.diff(x), -np.diff(y)
    if np.any(p <= 0):
        raise ValueError(f"alpha must increase, it does not after α = {x[:-1][p <= 0][0]:g}")
    if np.any(q < 0):
        raise ValueError(f"f must decrease, it does not after α = {x[:-1][q < 0][0]:g}")
    slopes = q / p
    if np.any(np.diff(slopes) > 1e-12 * (1.0 + slopes[:-1])):
        where = x[1:-1][np.diff(slopes) > 1e-12 * (1.0 + slopes[:-1])][0]
        raise ValueError(f"f must be convex, it is not at α = {where:g}")
    return np.append(p, 0.0), np.append(q, 1.0 - y[0])


def _corners(alpha: Numbers, beta: Numbers) -> tuple[Array, Array]:
    """Two rows of numbers, the corners of a trade-off function."""
    x, y = real_array("alpha", alpha, 0.0, 1.0), real_array("beta", beta, 0.0, 1.0)
    if x.ndim != 1 or x.shape != y.shape or not x.size:
        raise ValueError(
            f"alpha and beta must be equally long rows that are not empty, got the shapes {x.shape} and {y.shape}"
        )
    return x, y


def _of_arrays(name: str, function: Curve) -> Curve:
    """The function, which is refused by its name where it does not take arrays."""

    def taken(x: np.ndarray) -> np.ndarray:
        try:
            return function(x)
        except (TypeError, ArithmeticError, DeprecationWarning) as error:
            raise TypeError(f"{name} must be a function of arrays, got {function!r}") from error

    return taken


def _prior_at(epsilon: np.ndarray) -> np.ndarray:
    """The prior with log-odds ε, kept below 1: 1 − π must be exact for what is divided by it."""
    return np.minimum(expit(epsilon), _LARGEST_PRIOR)


def _highest_line(line_below: Curve, alpha: np.ndarray, largest_loss: float = LARGEST_LOSS) -> float | Array:
    """max over ε of the supporting lines of f, at `alpha`."""
    low, high = np.full(alpha.shape, _SMALLEST_LOSS), np.full(alpha.shape, largest_loss)
    best = -_valley(lambda epsilon: -line_below(epsilon), low, high)
    return shaped(np.clip(best, 0.0, 1.0 - alpha))


def _support(tradeoff: Curve, weight_alpha: np.ndarray, weight_beta: np.ndarray | float) -> np.ndarray:
    """min over α of weight_alpha·α + weight_beta·f(α), the distance at which a line of that slope touches f."""
    weight_alpha, weight_beta = np.broadcast_arrays(weight_alpha, weight_beta)
    if not callable(tradeoff):
        if not (isinstance(tradeoff, (tuple, list)) and len(tradeoff) == 2):
            raise TypeError(f"tradeoff must be a function of arrays, or its corners, got {shown(tradeoff)}")
        alpha, beta = _corners(*tradeoff)
        return np.min(weight_alpha[..., None] * alpha + weight_beta[..., None] * beta, axis=-1)
    tradeoff = _of_arrays("tradeoff", tradeoff)

    def height(log_odds: np.ndarray) -> np.ndarray:
        alpha = expit(log_odds)
        return weight_alpha * alpha + weight_beta * tradeoff(alpha)

    low = np.full(weight_alpha.shape, -LARGEST_LOSS)
    inside = _valley(height, low, np.full(weight_alpha.shape, _LOG_ODDS))
    ends = (weight_beta * tradeoff(np.zeros(weight_beta.shape)), weight_alpha)  # α = 0 and α = 1
    return np.minimum.reduce([inside, *np.broadcast_arrays(*ends)])


def _valley(function: Curve, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Lowest value of a function with a single valley on [low, high], by golden sections, elementwise."""
    ratio = (np.sqrt(5.0) - 1.0) / 2.0
    left, right = high - ratio * (high - low), low + ratio * (high - low)
    at_left, at_right = function(left), function(right)
    lowest = np.minimum(at_left, at_right)
    # Far below the square root of the rounding unit, for valleys with a kink.
    while np.any(high - low > 1e-13 * (1.0 + np.abs(low))):
        go_left = at_left < at_right
        high, low = np.where(go_left, right, high), np.where(go_left, low, left)
        new = np.where(go_left, high - ratio * (high - low), low + ratio * (high - low))
        left, right = np.where(go_left, new, right), np.where(go_left, left, new)
        at_new = function(new)
        at_left, at_right = np.where(go_left, at_new, at_right), np.where(go_left, at_left, at_new)
        lowest = np.minimum(lowest, at_new)
    return lowest
