"""Classical accountants for compositions, for comparison with the exact one, `mechanism ** count`.

- Composition theorems use only the (ε, δ) of each part: basic, advanced, and optimal. The optimal one is the exact
  composition of the worst mechanism that (ε, δ) allows.
- Rényi and zero-concentrated accounting add up a curve of moments, and lose accuracy when they convert it back:

      δ ≤ e^{(α−1)(D_α − ε)}                          standard
      δ ≤ e^{(α−1)(D_α − ε)} (1 − 1/α)^{α−1}/α        improved, for each order α > 1.

  Where D_α = ρα for every order, the best order is known. With x = α − 1 it gives the curves

      ε = ρ(1 + 2x),                −log δ = ρx²                 standard: ε = ρ + 2√(ρ log(1/δ))
      ε = ρ(1 + 2x) − log(1 + 1/x), −log δ = ρx² + log(1 + x)    improved,

  and each of the four functions of x is increasing, so a single root replaces the search over orders.

- The central limit theorem gives a Gaussian mechanism that is close, but may lie on either side.

Sources: Dwork, Rothblum & Vadhan (2010), Kairouz, Oh & Viswanath (2015), Mironov (2017,
proposition 3), Canonne, Kamath & Steinke (2020, proposition 12), Bun & Steinke (2016), Bu et al. (2020).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, overload

import numpy as np
from scipy.optimize import minimize_scalar

from ._floats import LARGEST_LOSS
from ._types import Array, Number, Numbers
from ._validation import choice, positive_integer, positive_number, real_array, real_number, shaped
from .evaluation.roots import bracketed_root
from .mechanisms.base import Mechanism, as_mechanism
from .mechanisms.finite import ApproximateDP

__all__ = [
    "advanced_composition",
    "basic_composition",
    "clt_mu",
    "optimal_composition",
    "rdp_to_delta",
    "rdp_to_epsilon",
    "zcdp",
    "zcdp_to_delta",
    "zcdp_to_epsilon",
]

_CONVERSIONS = ("improved", "standard")


def basic_composition(epsilon: float, delta: float, steps: int) -> tuple[float, float]:
    """(kε, kδ) for k mechanisms, each (ε, δ)-differentially private.

    Parameters
    ----------
    epsilon : float
        ε ≥ 0, finite.
    delta : float
        δ in [0, 1].
    steps : int
        k, at least 1.

    Returns
    -------
    epsilon, delta : float
        kε and kδ, which is at most 1.

    Raises
    ------
    ValueError, TypeError
        If an argument is out of range, or `steps` not an integer.

    References
    ----------
    Dwork & Roth (2014), section 3.5.
    In the book: chapter 9, :prf:ref:`thm-advanced`.

    Examples
    --------
    >>> import dptutor as dp
    >>> epsilon, delta = dp.accounting.basic_composition(0.1, 1e-7, 100)
    >>> round(epsilon, 12), round(delta, 12)
    (10.0, 1e-05)
    """
    epsilon, delta, steps = _step(epsilon, delta, steps)
    return steps * epsilon, min(steps * delta, 1.0)


def advanced_composition(epsilon: float, delta: float, steps: int, slack: float) -> tuple[float, float]:
    """(√(2k ln(1/δ′)) ε + kε(e^ε − 1), kδ + δ′) for k mechanisms, each (ε, δ)-differentially private.

    Parameters
    ----------
    epsilon : float
        ε ≥ 0, finite.
    delta : float
        δ in [0, 1].
    steps : int
        k, at least 1.
    slack : float
        δ′ in (0, 1).

    Returns
    -------
    epsilon, delta : float

    Raises
    ------
    ValueError, TypeError
        If an argument is out of range, or `steps` not an integer.

    References
    ----------
    Dwork, Rothblum & Vadhan (2010), theorem III.3.
    In the book: chapter 9, :prf:ref:`thm-advanced`.

    Examples
    --------
    It pays after many steps only:

    >>> import dptutor as dp
    >>> [round(dp.accounting.advanced_composition(0.1, 0, steps, 1e-5)[0], 2) for steps in (10, 100, 1000)]
    [1.62, 5.85, 25.69]
    """
    epsilon, delta, steps = _step(epsilon, delta, steps)
    slack = real_number("slack", slack, 0.0, 1.0, open_low=True, open_high=True)
    spread = math.sqrt(-2 * steps * math.log(slack)) * epsilon
    growth = math.expm1(epsilon) if epsilon < LARGEST_LOSS else math.inf
    return spread + steps * epsilon * growth, min(steps * delta + slack, 1.0)


def optimal_composition(epsilon: float, delta: float, steps: int) -> Mechanism:
    """The composition of k mechanisms about which only (ε, δ) is known, as a mechanism.

    No bound from (ε, δ) alone can be better, since one mechanism attains it.

    Parameters
    ----------
    epsilon : float
        ε ≥ 0, finite.
    delta : float
        δ in [0, 1].
    steps : int
        k, at least 1.

    Returns
    -------
    Mechanism
        `dp.ApproximateDP(epsilon, delta) ** steps`.

    Raises
    ------
    ValueError, TypeError
        If an argument is out of range, or `steps` not an integer.

    References
    ----------
    Kairouz, Oh & Viswanath (2015).
    In the book: chapter 9, :prf:ref:`cor-optimal`.

    Examples
    --------
    >>> import dptutor as dp
    >>> round(dp.accounting.optimal_composition(0.1, 0, 100).epsilon(1e-5), 4)
    4.3068
    """
    epsilon, delta, steps = _step(epsilon, delta, steps)
    return ApproximateDP(epsilon=epsilon, delta=delta) ** steps


@overload
def rdp_to_delta(orders: Numbers, rdp: Numbers, epsilon: Number, *, conversion: str = ...) -> float: ...
@overload
def rdp_to_delta(orders: Numbers, rdp: Numbers, epsilon: Numbers, *, conversion: str = ...) -> Array: ...
def rdp_to_delta(orders: Any, rdp: Any, epsilon: Number | Numbers, *, conversion: str = "improved") -> float | Array:
    """The smallest δ at ε that a conversion of Rényi divergences gives, over the orders.

    It is a bound: the divergences themselves may imply less, see `allowed_by`.

    Parameters
    ----------
    orders, rdp : array_like
        Orders α > 1, finite, and the Rényi divergences D_α ≥ 0 of the composition (∞ is allowed), in one dimension
        each; of n parts, the sum of theirs. The minimum is over these orders only.
    epsilon : float or array_like
        ε ≥ 0, finite.
    conversion : {"improved", "standard"}
        Canonne, Kamath & Steinke (2020), proposition 12, or Mironov (2017), proposition 3.

    Returns
    -------
    float or ndarray
        δ in [0, 1], in the shape of `epsilon`.

    Raises
    ------
    ValueError, TypeError
        If an argument is out of range or no real number, or if the two sequences are not equally long.

    References
    ----------
    Canonne, Kamath & Steinke (2020), proposition 12; Mironov (2017), proposition 3.
    In the book: chapter 9, :prf:ref:`thm-rdp-conversion`.

    Examples
    --------
    >>> import dptutor as dp
    >>> m, orders = dp.Gaussian(sigma=5), list(range(2, 200))
    >>> loose = dp.accounting.rdp_to_delta(orders, m.renyi_divergence(orders), 1.0)
    >>> f"{loose:.2e}", f"{m.privacy_profile(1.0):.2e}"
    ('8.86e-08', '1.75e-08')
    """
    orders, rdp = _curve(orders, rdp)
    epsilon = real_array("epsilon", epsilon, 0.0, open_high=True)
    with np.errstate(over="ignore"):
        log_delta = (orders - 1) * (rdp - epsilon[..., None]) + _gain(orders, conversion)
    return shaped(np.exp(np.minimum(log_delta.min(axis=-1), 0.0)))


@overload
def rdp_to_epsilon(orders: Numbers, rdp: Numbers, delta: Number, *, conversion: str = ...) -> float: ...
@overload
def rdp_to_epsilon(orders: Numbers, rdp: Numbers, delta: Numbers, *, conversion: str = ...) -> Array: ...
def rdp_to_epsilon(orders: Any, rdp: Any, delta: Number | Numbers, *, conversion: str = "improved") -> float | Array:
    """The smallest ε at δ that a conversion of Rényi divergences gives, over the orders; the inverse of `rdp_to_delta`.

    It is a bound: the divergences themselves may imply less, see `allowed_by`.

    Parameters
    ----------
    orders, rdp : array_like
        Orders α > 1, finite, and the Rényi divergences D_α ≥ 0 of the composition (∞ is allowed), in one dimension
        each; of n parts, the sum of theirs. The minimum is over these orders only.
    delta : float or array_like
        δ in (0, 1].
    conversion : {"improved", "standard"}
        As for `rdp_to_delta`.

    Returns
    -------
    float or ndarray
        ε ≥ 0, in the shape of `delta`.

    Raises
    ------
    ValueError, TypeError
        If an argument is out of range or no real number, or if the two sequences are not equally long.

    References
    ----------
    Canonne, Kamath & Steinke (2020), proposition 12; Mironov (2017), proposition 3.
    In the book: chapter 9, :prf:ref:`thm-rdp-conversion`.

    Examples
    --------
    >>> import dptutor as dp
    >>> m, orders = dp.Gaussian(sigma=5), list(range(2, 200))
    >>> rdp = m.renyi_divergence(orders)
    >>> loose = [dp.accounting.rdp_to_epsilon(orders, rdp, 1e-5, conversion=c) for c in ("standard", "improved")]
    >>> [round(epsilon, 4) for epsilon in [*loose, m.epsilon(1e-5)]]
    [0.9797, 0.7945, 0.7255]
    """
    orders, rdp = _curve(orders, rdp)
    delta = real_array("delta", delta, 0.0, 1.0, open_low=True)
    epsilon = rdp + (_gain(orders, conversion) - np.log(delta)[..., None]) / (orders - 1)
    return shaped(np.maximum(epsilon.min(axis=-1), 0.0))


def zcdp(mechanism: Mechanism) -> float:
    """ρ of zero-concentrated differential privacy: the largest D_α/α over orders α > 1; infinite if some D_α is.

    For the Gaussian mechanism it is μ²/2. The larger of both directions is taken. Orders up to 1e9 are searched: where
    the ratio still grows there, as for a subsampled Gaussian mechanism, ρ is too small by a relative 1e-8 or so.

    Parameters
    ----------
    mechanism : Mechanism

    Returns
    -------
    float
        ρ in [0, ∞].

    Raises
    ------
    TypeError
        If the argument is not a mechanism.

    References
    ----------
    Bun & Steinke (2016), definition 1.1. In the book: chapter 9, :prf:ref:`def-zcdp`.

    Examples
    --------
    >>> import dptutor as dp
    >>> round(dp.accounting.zcdp(dp.Gaussian(sigma=2)), 9), round(dp.accounting.zcdp(dp.RandomizedResponse(1)), 4)
    (0.125, 0.4621)
    """
    pair = as_mechanism("mechanism", mechanism)
    directions = [pair] if pair.is_symmetric else [pair, pair.reverse]
    return max(_largest_ratio(direction) for direction in directions)


@overload
def zcdp_to_delta(rho: Number, epsilon: Number, *, conversion: str = ...) -> float: ...
@overload
def zcdp_to_delta(rho: Number, epsilon: Numbers, *, conversion: str = ...) -> Array: ...
def zcdp_to_delta(rho: Number, epsilon: Number | Numbers, *, conversion: str = "improved") -> float | Array:
    """The smallest δ at ε that ρ-zCDP implies, that is D_α = ρα for all orders α > 1.

    The best order is found as the root of an increasing function, so the minimum over all orders is exact.

    Parameters
    ----------
    rho : float
        ρ, positive and finite.
    epsilon : float or array_like
        ε ≥ 0, finite.
    conversion : {"improved", "standard"}
        As for `rdp_to_delta`.

    Returns
    -------
    float or ndarray
        δ in [0, 1], in the shape of `epsilon`.

    Raises
    ------
    ValueError, TypeError
        If an argument is out of range, or no real number.

    References
    ----------
    Bun & Steinke (2016), proposition 1.3; Canonne, Kamath & Steinke (2020), proposition 12.

    Examples
    --------
    >>> import dptutor as dp
    >>> f"{dp.accounting.zcdp_to_delta(0.125, 2.0):.2e}", f"{dp.Gaussian(sigma=2).privacy_profile(2.0):.2e}"
    ('3.95e-05', '9.44e-06')
    """
    rho = positive_number("rho", rho)
    epsilon = real_array("epsilon", epsilon, 0.0, open_high=True)
    with np.errstate(over="ignore", under="ignore"):
        if choice("conversion", conversion, _CONVERSIONS) == "standard":
            return shaped(np.exp(-((np.maximum(epsilon - rho, 0.0) / (2 * math.sqrt(rho))) ** 2)))
        return shaped(np.exp(-_log_inverse_delta(rho, _best_order_for_epsilon(rho, epsilon))))


@overload
def zcdp_to_epsilon(rho: Number, delta: Number, *, conversion: str = ...) -> float: ...
@overload
def zcdp_to_epsilon(rho: Number, delta: Numbers, *, conversion: str = ...) -> Array: ...
def zcdp_to_epsilon(rho: Number, delta: Number | Numbers, *, conversion: str = "improved") -> float | Array:
    """The smallest ε at δ that ρ-zCDP implies; by the standard conversion, ρ + 2√(ρ ln(1/δ)).

    The best order is found as for `zcdp_to_delta`, of which this is the inverse.

    Parameters
    ----------
    rho : float
        ρ, positive and finite.
    delta : float or array_like
        δ in (0, 1].
    conversion : {"improved", "standard"}
        As for `rdp_to_delta`.

    Returns
    -------
    float or ndarray
        ε ≥ 0, in the shape of `delta`.

    Raises
    ------
    ValueError, TypeError
        If an argument is out of range, or no real number.

    References
    ----------
    Bun & Steinke (2016), proposition 1.3; Canonne, Kamath & Steinke (2020), proposition 12.
    In the book: chapter 9, :prf:ref:`def-zcdp`.

    Examples
    --------
    >>> import dptutor as dp
    >>> round(dp.accounting.zcdp_to_epsilon(0.125, 1e-5), 4), round(dp.Gaussian(sigma=2).epsilon(1e-5), 4)
    (2.1657, 1.9931)
    """
    rho = positive_number("rho", rho)
    log_inverse = -np.log(real_array("delta", delta, 0.0, 1.0, open_low=True))
    if choice("conversion", conversion, _CONVERSIONS) == "standard":
        return shaped(rho + 2 * math.sqrt(rho) * np.sqrt(log_inverse))
    with np.errstate(over="ignore", under="ignore"):
        u = _best_order_for_delta(rho, np.maximum(log_inverse, 1e-300))
        found = rho + _epsilon_beyond_rho(rho, u)
        return shaped(np.where(log_inverse > 0, np.maximum(found, 0.0), 0.0))


def clt_mu(noise_multiplier: float, sampling_rate: float, steps: int) -> float:
    """μ = p √(k (e^{1/σ²} − 1)) of the Gaussian mechanism that DP-SGD tends to. This is not a bound.

    The limit is of many steps k with p√k fixed.

    Parameters
    ----------
    noise_multiplier : float
        σ, at least 0.04.
    sampling_rate : float
        p in (0, 1].
    steps : int
        k, at least 1.

    Returns
    -------
    float

    Raises
    ------
    ValueError, TypeError
        If an argument is out of range, or `steps` not an integer.

    References
    ----------
    Bu et al. (2020).
    In the book: chapter 9, :prf:ref:`thm-limit-dpsgd`; *Asymmetric steps*, :prf:ref:`prop-sampled-limit`.

    Examples
    --------
    It may promise too much:

    >>> import dptutor as dp
    >>> limit = dp.Gaussian(sigma=1 / dp.accounting.clt_mu(0.6, 0.01, 500))
    >>> round(limit.epsilon(1e-5), 4), round(dp.DPSGD(0.6, 0.01, 500).epsilon(1e-5), 4)
    (3.7204, 5.8002)
    """
    sigma = positive_number("noise_multiplier", noise_multiplier)
    rate = real_number("sampling_rate", sampling_rate, 0.0, 1.0, open_low=True)
    steps = positive_integer("steps", steps)
    if sigma < 0.04:
        raise ValueError(f"noise_multiplier must be at least 0.04 for the limit to be finite, got {sigma!r}")
    return rate * math.sqrt(steps * math.expm1(sigma**-2))


# With u = log x = log(α − 1), since x may be far outside the range of floats.


def _epsilon_beyond_rho(rho: float, u: np.ndarray) -> np.ndarray:
    return 2 * np.exp(math.log(rho) + u) - np.logaddexp(0.0, -u)


def _log_inverse_delta(rho: float, u: np.ndarray) -> np.ndarray:
    return np.exp(math.log(rho) + 2 * u) + np.logaddexp(0.0, u)


def _best_order_for_delta(rho: float, log_inverse: np.ndarray) -> np.ndarray:
    """u at which −log δ is `log_inverse`, which is positive."""
    # One of the two terms of −log δ is at least half of it, and neither is more.
    high, low = (
        np.minimum((np.log(y) - math.log(rho)) / 2, y + np.log(-np.expm1(-y))) for y in (log_inverse, log_inverse / 2)
    )
    return _root(lambda u, y: _log_inverse_delta(rho, u) - y, low, high, log_inverse)


def _best_order_for_epsilon(rho: float, epsilon: np.ndarray) -> np.ndarray:
    """u at which ε is `epsilon`; where that is less than ρ − 1000, δ is 1 to all digits, and u that of ρ − 1000."""
    gap = np.maximum(epsilon - rho, -1000.0)
    # log(1 + 1/x) is less than 1/x, which bounds x from above by the root of a quadratic equation, …
    size = np.hypot(gap, math.sqrt(8) * math.sqrt(rho))
    high = np.where(
        gap > 0, np.log(size / 2 + np.abs(gap) / 2) - math.log(rho) - math.log(2), -np.log(size / 2 + np.abs(gap) / 2)
    )
    # … and more than 1/(1 + x); it is at most 2(ρ − ε) or at most 4ρx.
    small = -math.log(2) - math.log(rho) / 2 - math.log(math.sqrt(rho) + math.sqrt(1 + rho))
    below = 2 * np.maximum(-gap, 1e-9)
    low = np.minimum(small, -below - np.log(-np.expm1(-below)))
    return _root(lambda u, y: _epsilon_beyond_rho(rho, u) - y, low, high, gap)


def _root(
    function: Callable[[np.ndarray, np.ndarray], np.ndarray], low: np.ndarray, high: np.ndarray, target: np.ndarray
) -> np.ndarray:
    """Where an increasing function is zero, elementwise; the ends are moved outwards by rounding."""
    low, high = (end + sign * (1e-12 + 1e-15 * np.abs(end)) for end, sign in ((low, -1), (high, 1)))
    return bracketed_root(function, low, high, target)


def _step(epsilon: object, delta: object, steps: object) -> tuple[float, float, int]:
    epsilon = real_number("epsilon", epsilon, 0.0, open_high=True)
    return epsilon, real_number("delta", delta, 0.0, 1.0), positive_integer("steps", steps)


def _curve(orders: object, rdp: object) -> tuple[np.ndarray, np.ndarray]:
    orders = real_array("orders", orders, 1.0, open_low=True, open_high=True)
    rdp = real_array("rdp", rdp, 0.0)
    if orders.ndim != 1 or not orders.size or orders.shape != rdp.shape:
        raise ValueError(f"orders and rdp must be equally long sequences, got shapes {orders.shape} and {rdp.shape}")
    return orders, rdp


def _gain(orders: np.ndarray, conversion: str) -> np.ndarray:
    """log of (1 − 1/α)^{α−1}/α, which the improved conversion has over the standard one."""
    if choice("conversion", conversion, _CONVERSIONS) == "standard":
        return np.zeros_like(orders)
    # log(1 − 1/α) this way, for orders near 1 and for large ones alike.
    return -(orders - 1) * np.log1p(1 / (orders - 1)) - np.log(orders)


def _largest_ratio(pair: Mechanism) -> float:
    def negative(log_gap: float) -> float:
        order = 1.0 + math.exp(log_gap)
        return -pair.renyi_divergence(order) / order

    # Losses that are small and rare have their largest ratio at large orders.
    gaps = np.linspace(math.log(1e-6), math.log(1e9), 70)
    orders = 1.0 + np.exp(gaps)
    ratios = pair.renyi_divergence(orders) / orders
    if not np.all(np.isfinite(ratios)):
        return math.inf
    top = int(np.argmax(ratios))
    around = gaps[max(top - 1, 0)], gaps[min(top + 1, gaps.size - 1)]
    found = -minimize_scalar(negative, bounds=around, method="bounded", options={"xatol": 1e-9}).fun
    # At order 1 the ratio is the Kullback-Leibler divergence.
    return float(max(found, ratios[top], pair.renyi_divergence(1.0)))
