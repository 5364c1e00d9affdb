"""Divergences between P and Q, computed from the privacy profile.

A divergence D_g(Q‖P) = E_P[g(dQ/dP)] with g convex and g(1) = 0 is a mixture of hockey-stick divergences, with
weight g″ (every convex function is a mixture of hinges). In the loss variable ε = log γ and with δ_QP for the
profile of the reverse pair,

    D_g(Q‖P) = ∫₀^∞ g″(e^ε) e^ε δ(ε) dε + ∫₀^∞ g″(e^−ε) e^−2ε δ_QP(ε) dε .

So the privacy profile determines all of them, but none of them alone determines the profile.

For a mechanism in both directions they belong to its profile, that of the join of the two. The Rényi divergence is the
exception: it is the larger of those of the two directions; see `Mechanism.renyi_divergence`.

Source: Liese & Vajda (2006); Sason & Verdú (2016). In the book: chapter 8, `thm-mean-gain`.
"""

from __future__ import annotations

import math
from typing import Any, overload

import numpy as np

from ._floats import LARGEST_LOSS
from ._types import Array, Curve, Number, Numbers
from ._validation import callable_, real_array, shaped
from .evaluation.from_profile import mixture_of_hockey_sticks
from .mechanisms.base import Mechanism, as_mechanism

__all__ = [
    "chi_squared",
    "f_divergence",
    "hellinger_squared",
    "hockey_stick",
    "kullback_leibler",
    "renyi",
    "total_variation",
]


@overload
def hockey_stick(mechanism: Mechanism, order: Number) -> float: ...
@overload
def hockey_stick(mechanism: Mechanism, order: Numbers) -> Array: ...
def hockey_stick(mechanism: Mechanism, order: Number | Numbers) -> Any:
    """Hockey-stick divergence ∫ max(Q − γP, 0) of order γ: the privacy profile at log γ.

    Parameters
    ----------
    mechanism : Mechanism
    order : float or array_like
        γ ≥ 0.

    Returns
    -------
    float or ndarray
        In [0, 1], in the shape of `order`.

    Raises
    ------
    TypeError, ValueError
        If the first argument is not a mechanism, or an order is negative.

    References
    ----------
    Balle, Barthe & Gaboardi (2020).
    In the book: chapter 3, :prf:ref:`thm-three-deltas`.

    Examples
    --------
    >>> import dptutor as dp
    >>> m = dp.RandomizedResponse(epsilon=1)
    >>> dp.divergences.hockey_stick(m, [0, 1, 2]).round(4).tolist()
    [1.0, 0.4621, 0.1932]
    """
    order = real_array("order", order, 0.0)
    with np.errstate(divide="ignore"):
        return shaped(as_mechanism("mechanism", mechanism)._delta(np.log(order)))


def total_variation(mechanism: Mechanism) -> float:
    """Total variation of P and Q, in [0, 1]: the hockey-stick divergence of order 1.

    Parameters
    ----------
    mechanism : Mechanism

    Returns
    -------
    float

    Raises
    ------
    TypeError
        If the argument is not a mechanism.

    References
    ----------
    Kaissis et al. (2024), section 2.
    In the book: chapter 5, :prf:ref:`prop-advantage`.

    Examples
    --------
    >>> import dptutor as dp
    >>> round(dp.divergences.total_variation(dp.Laplace(scale=1)), 6)
    0.393469
    """
    return as_mechanism("mechanism", mechanism).advantage


@overload
def renyi(mechanism: Mechanism, order: Number) -> float: ...
@overload
def renyi(mechanism: Mechanism, order: Numbers) -> Array: ...
def renyi(mechanism: Mechanism, order: Number | Numbers) -> Any:
    """Rényi divergence D_s(Q‖P), `mechanism.renyi_divergence(order)`: of both directions the larger one.

    Parameters
    ----------
    mechanism : Mechanism
    order : float or array_like
        s > 0.

    Returns
    -------
    float or ndarray
        In [0, ∞], in the shape of `order`.

    Raises
    ------
    TypeError, ValueError
        If the first argument is not a mechanism, or an order is not greater than 0.

    References
    ----------
    Mironov (2017).
    In the book: chapter 9, :prf:ref:`def-rdp`.

    Examples
    --------
    >>> import dptutor as dp
    >>> dp.divergences.renyi(dp.Gaussian(sigma=1), [0.5, 2]).tolist()
    [0.25, 1.0]
    """
    return as_mechanism("mechanism", mechanism).renyi_divergence(order)


def kullback_leibler(mechanism: Mechanism) -> float:
    """Kullback-Leibler divergence of Q from P, E_Q[L], in [0, ∞].

    Parameters
    ----------
    mechanism : Mechanism

    Returns
    -------
    float

    Raises
    ------
    TypeError
        If the argument is not a mechanism.

    References
    ----------
    Liese & Vajda (2006).
    In the book: chapter 3, :prf:ref:`def-f-divergence`.

    Examples
    --------
    >>> import dptutor as dp
    >>> dp.divergences.kullback_leibler(dp.Gaussian(sigma=1))
    0.5
    """
    return as_mechanism("mechanism", mechanism).privacy_loss.mean("Q")


def chi_squared(mechanism: Mechanism) -> float:
    """χ² divergence ∫ (Q − P)²/P = e^{D_2} − 1, in [0, ∞].

    Parameters
    ----------
    mechanism : Mechanism

    Returns
    -------
    float

    Raises
    ------
    TypeError
        If the argument is not a mechanism.

    References
    ----------
    Liese & Vajda (2006).
    In the book: chapter 3, :prf:ref:`def-f-divergence`.

    Examples
    --------
    >>> import dptutor as dp
    >>> round(dp.divergences.chi_squared(dp.Gaussian(sigma=1)), 6)
    1.718282
    """
    divergence = float(as_mechanism("mechanism", mechanism)._pair_renyi(np.array([2.0]))[0])
    return math.expm1(divergence) if divergence < LARGEST_LOSS else math.inf


def hellinger_squared(mechanism: Mechanism) -> float:
    """Squared Hellinger distance 1 − ∫ √(PQ), in [0, 1]: 1 − e^{−D_½/2}.

    Parameters
    ----------
    mechanism : Mechanism

    Returns
    -------
    float

    Raises
    ------
    TypeError
        If the argument is not a mechanism.

    References
    ----------
    Liese & Vajda (2006).
    In the book: chapter 3, :prf:ref:`def-f-divergence`.

    Examples
    --------
    >>> import dptutor as dp
    >>> m = dp.Gaussian(sigma=1)
    >>> round(dp.divergences.hellinger_squared(m), 6), round(1 - m.hellinger_transform(0.5), 6)
    (0.117503, 0.117503)
    """
    divergence = float(as_mechanism("mechanism", mechanism)._pair_renyi(np.array([0.5]))[0])
    return -math.expm1(-divergence / 2)


def f_divergence(mechanism: Mechanism, second_derivative: Curve) -> float:
    """The divergence E_P[g(dQ/dP)] of a convex g with g(1) = 0, given its second derivative.

    Parameters
    ----------
    mechanism : Mechanism
    second_derivative : callable
        g″ on (0, ∞), for arrays. Kullback-Leibler has 1/γ, χ² has 2, squared Hellinger γ^−1.5/4.

    Returns
    -------
    float
        The divergence, to about 1e-10 relative; infinite where the mixture diverges.

    Raises
    ------
    TypeError
        If the first argument is not a mechanism.
    NumericalError
        If losses count at which γ g″(γ) cannot be computed, as γ is beyond the range of long floats.

    References
    ----------
    Liese & Vajda (2006); Sason & Verdú (2016).
    In the book: chapter 3, :prf:ref:`def-f-divergence`; chapter 8, :prf:ref:`thm-mean-gain`.

    Examples
    --------
    The triangular discrimination ∫ (P − Q)²/(P + Q), of g(γ) = (γ − 1)²/(γ + 1) with g″(γ) = 8/(γ + 1)³:

    >>> import dptutor as dp
    >>> m = dp.RandomizedResponse(epsilon=1)
    >>> round(dp.divergences.f_divergence(m, lambda ratio: 8 / (ratio + 1) ** 3), 6), round(2 * m.advantage**2, 6)
    (0.427105, 0.427105)
    """
    as_mechanism("mechanism", mechanism)
    callable_("second_derivative", second_derivative)
    return mixture_of_hockey_sticks(
        mechanism,
        lambda epsilon: _weight(second_derivative, 1, epsilon),
        lambda epsilon: _weight(second_derivative, 2, -epsilon),
    )


def _weight(second_derivative: Curve, power: float, log_ratio: Array) -> Any:
    """A power of γ times g″(γ), with longer floats where g″ alone overflows: the product need not."""
    weight: Any = np.exp(power * log_ratio) * second_derivative(np.exp(log_ratio))
    large = np.flatnonzero(~np.isfinite(weight))
    if large.size:
        longer = np.asarray(log_ratio, dtype=np.longdouble)[large]
        weight = weight.astype(np.longdouble)  # its product with δ may be a float
        with np.errstate(over="ignore", invalid="ignore"):
            weight[large] = np.exp(power * longer) * second_derivative(np.exp(longer))
    return weight
