"""The weakest mechanism that satisfies all facts that are reported: the meet of what each of them allows.

A fact is a bound on every pair of neighbors, so in both directions. Each of these is one on a trade-off function:

    (ε, δ):         f(α) ≥ 1 − δ − e^ε α, and its mirror image
    advantage a:    the same with ε = 0, δ = a
    μ-GDP:          f ≥ G_μ
    (s, D)-RDP:     t^s α^(1−s) + (1−t)^s (1−α)^(1−s) ≤ e^((s−1) D) for t = 1 − f(α), and with both hypotheses exchanged
    ρ-zCDP:         the same with D = ρ s for every s > 1

The first three are attained. Those of Rényi divergences say what one test can achieve: they are the data-processing
inequality for a test, and every point (α, t) that they allow is attained by a pair of coins that satisfies the fact. So
no larger f follows from these facts at any point, but a single mechanism need not attain all points. Several facts
allow the points that each of them allows: the maximum of the curves.

The curves of Rényi divergences are represented by tangents, a polygon below them that leaves less than 1e-5 open.

Sources: Wasserman & Zhou (2010); Dong, Roth & Su (2022), section 2; Balle et al. (2020) and
Asoodeh et al. (2021) for tests under Rényi differential privacy; Bun & Steinke (2016) for zCDP.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any, TypeAlias

import numpy as np
from scipy.special import expit, log_expit, logit, ndtr, ndtri

from .._floats import LARGEST_LOSS, SMALLEST_LOG
from .._types import Number, Numbers
from .._validation import real_array, real_number
from ..evaluation.roots import bracketed_root
from ..mechanisms import ApproximateDP, BlatantlyNonPrivate, Gaussian, Mechanism, PerfectPrivacy, meet
from ..mechanisms.finite import SymmetricFiniteMechanism

__all__ = ["allowed_by"]

# Against rounding, divergences are increased by this,
_ROUNDED = 1e-9
# and δ of tangents by this factor.
_SAFE = 1e-12
# Larger log-odds count as certainty.
_LARGEST = -SMALLEST_LOG
# Tangents touch at _MANY equally spaced normal quantiles of α up to ±_FAR,
_FAR, _MANY = 8.0, 4000
# and at α that grow by _FACTOR from _SMALLEST.
_SMALLEST, _FACTOR = 1e-120, math.exp(0.1)
# Losses that differ by less than this, relatively, are equal.
_SAME = 1e-15
# For zCDP: distances of the orders from 1,
_ORDERS = np.geomspace(1e-6, 1e6, 193)
# and number of points at which the best order is determined.
_PLACES = 192
# All orders of a Rényi curve are tried at one in so many points of contact.
_STRIDE = 32

_Pairs: TypeAlias = tuple[tuple[float, float], ...]


def allowed_by(
    *,
    epsilon: Number | Numbers | None = None,
    delta: Number | Numbers | None = None,
    advantage: Number | None = None,
    mu: Number | None = None,
    orders: Number | Numbers | None = None,
    rdp: Number | Numbers | None = None,
    rho: Number | None = None,
) -> Mechanism:
    """The weakest mechanism that satisfies all these facts, in both directions.

    Every mechanism that satisfies them has a trade-off function at or above the one of this mechanism, and no larger
    function is at or below all of theirs.

    Parameters
    ----------
    epsilon, delta : float or sequence of float, optional
        (ε, δ), or several of them, equally long; without `delta`, pure differential privacy.
    advantage : float, optional
        The membership advantage, or total variation, in [0, 1].
    mu : float, optional
        μ ≥ 0 of Gaussian differential privacy.
    orders, rdp : float or sequence of float, optional
        Orders s > 1 and Rényi divergences at these orders, equally long; the order may be infinite.
    rho : float, optional
        ρ ≥ 0 of zero-concentrated differential privacy.

    Returns
    -------
    Mechanism
        Symmetric. Rényi divergences and ρ give a mechanism a little less private, by less than 1e-5 in f and R.

    Raises
    ------
    ValueError
        If there is no fact, one half of a fact is missing, or a number is out of range.

    References
    ----------
    Wasserman & Zhou (2010); Dong, Roth & Su (2022); Balle et al. (2020); Bun & Steinke (2016).

    In the book: chapter 16, :prf:ref:`def-left-open`, :prf:ref:`prop-chords`.

    Examples
    --------
    The advantage, reported beside (ε, δ), rules out most of what (ε, δ) alone allows:

    >>> import dptutor as dp
    >>> m = dp.DPSGD(0.5415, 0.01, 500)
    >>> one = dp.allowed_by(epsilon=m.epsilon(1e-5), delta=1e-5)
    >>> two = dp.allowed_by(epsilon=m.epsilon(1e-5), delta=1e-5, advantage=m.advantage)
    >>> [round(float(dp.delta_divergence(m, weakest)), 4) for weakest in (one, two)]
    [0.3305, 0.0564]

    What 0.5-zCDP allows is weaker than the Gaussian mechanism that has this ρ:

    >>> dp.Gaussian(sigma=1).advantage < dp.allowed_by(rho=0.5).advantage < 0.48
    True
    """
    pairs = _pairs("epsilon", epsilon, "delta", delta, optional=True)
    if advantage is not None:
        pairs.append((0.0, real_number("advantage", advantage, 0.0, 1.0)))
    curve = _pairs("orders", orders, "rdp", rdp, open_low=1.0)
    # A divergence of infinite order is the largest loss; if any divergence is 0, so is every loss.
    pairs += [(divergence, 0.0) for order, divergence in curve if order == math.inf or divergence == 0.0]
    # An infinite one allows everything.
    if any(divergence == math.inf for _, divergence in curve):
        pairs.append((math.inf, 0.0))
    curve = [(order, divergence) for order, divergence in curve if 0.0 < divergence < math.inf and order < math.inf]
    zcdp = None if rho is None else real_number("rho", rho, 0.0)
    if zcdp in (0.0, math.inf):
        pairs, zcdp = [*pairs, (zcdp, 0.0)], None
    pairs = [pair for pair in pairs if pair[0] < math.inf] or pairs[:1]
    gdp = None if mu is None else real_number("mu", mu, 0.0)
    parts: list[Mechanism] = []
    if pairs or curve or zcdp is not None:
        parts.append(_weakest(tuple(pairs), tuple(curve), zcdp))
    if gdp is not None:
        parts.append(gaussian(gdp))
    if not parts:
        raise ValueError("give at least one fact: epsilon with delta, advantage, mu, orders with rdp, or rho")
    return reduce(meet, parts)


def gaussian(mu: float) -> Mechanism:
    """The Gaussian mechanism with this μ, which may be 0 or infinite."""
    if mu == 0:
        return PerfectPrivacy()
    return Gaussian(sigma=1.0 / mu) if mu < math.inf else BlatantlyNonPrivate()


def approximate(epsilon: float, delta: float) -> Mechanism:
    """The weakest mechanism that (ε, δ) allows; ε may be infinite."""
    # Larger losses than a response can have are treated as infinite.
    return ApproximateDP(epsilon, delta) if epsilon <= LARGEST_LOSS else BlatantlyNonPrivate()


def _weakest(pairs: _Pairs, curve: _Pairs, rho: float | None) -> Mechanism:
    if len(pairs) == 1 and not curve and rho is None:
        return approximate(*pairs[0])
    weakest = Allowed(pairs, curve, rho)
    return weakest if len(weakest._lines[0]) else BlatantlyNonPrivate()


def _pairs(
    first: str, firsts: Any, second: str, seconds: Any, *, optional: bool = False, open_low: float | None = None
) -> list[tuple[float, float]]:
    """Two parameters of the same length as pairs of numbers."""
    if firsts is None and seconds is None:
        return []
    if seconds is None and optional:
        seconds = np.zeros(np.shape(firsts))
    for name, other, value in ((first, second, firsts), (second, first, seconds)):
        if value is None:
            raise ValueError(f"{other} needs {name}: give both")
    low = 0.0 if open_low is None else open_low
    one = np.atleast_1d(real_array(first, firsts, low, open_low=open_low is not None))
    two = np.atleast_1d(real_array(second, seconds, 0.0, math.inf if open_low is not None else 1.0))
    if one.ndim != 1 or one.shape != two.shape or not one.size:
        raise ValueError(f"{first} and {second} must be equally long, got the shapes {one.shape} and {two.shape}")
    return list(zip(one.tolist(), two.tolist(), strict=True))


@dataclass(frozen=True, eq=False, repr=False)
class Allowed(SymmetricFiniteMechanism):
    """The weakest mechanism that (ε, δ) pairs, a curve of Rényi divergences and a ρ allow; made by `allowed_by`."""

    pairs: tuple[tuple[float, float], ...]
    curve: tuple[tuple[float, float], ...]
    rho: float | None

    def __repr__(self) -> str:
        given: dict[str, object] = {}
        if self.pairs:
            given |= dict(zip(("epsilon", "delta"), map(list, zip(*self.pairs, strict=True)), strict=True))
        if self.curve:
            given |= dict(zip(("orders", "rdp"), map(list, zip(*self.curve, strict=True)), strict=True))
        if self.rho is not None:
            given["rho"] = self.rho
        return f"allowed_by({', '.join(f'{name}={value!r}' for name, value in given.items())})"

    @cached_property
    def _lines(self) -> tuple[np.ndarray, np.ndarray]:
        """ε ≥ 0 and δ of the lines 1 − δ − e^ε α whose maximum f is, up to the diagonal; steepest first."""
        lines = [np.array(self.pairs, dtype=float).reshape(-1, 2).T]
        if self.curve:
            lines.append(np.array(tangents(*np.array(self.curve).T[:, :, None])))
        if self.rho is not None:
            lines.append(np.array(tangents_of_zcdp(self.rho)))
        epsilon, delta = np.concatenate(lines, axis=1)
        return upper_envelope(epsilon[epsilon <= LARGEST_LOSS], delta[epsilon <= LARGEST_LOSS])

    def _outcomes(self) -> tuple[np.ndarray, np.ndarray]:
        epsilon, delta = self._lines
        with np.errstate(over="ignore"):
            corner = np.diff(delta) / (np.exp(epsilon[1:]) * np.expm1(epsilon[:-1] - epsilon[1:]))
            last = (1.0 - delta[-1]) / (1.0 + np.exp(epsilon[-1]))
        # Between two corners the loss is that of the line: masses under P, and e^ε times these under Q.
        p = np.diff(np.concatenate([[0.0], np.minimum(corner, last), [last]]))
        q = np.exp(epsilon) * p
        # The leaked mass is exact; the rest is normalized.
        leak, rest = delta[0], (1.0 - delta[0]) / (p.sum() + q.sum())
        one, other = np.concatenate([p, q[::-1]]) * rest, np.concatenate([q, p[::-1]]) * rest
        return np.concatenate([[0.0], one, [leak]]), np.concatenate([[leak], other, [0.0]])


def upper_envelope(epsilon: np.ndarray, delta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The lines 1 − δ − e^ε α that are the largest somewhere on 0 ≤ α ≤ f(α), steepest first."""
    kept: list[tuple[float, float]] = []
    starts: list[float] = []  # the α from which on each is the largest
    for e, d in sorted(zip((-epsilon).tolist(), delta.tolist(), strict=True)):
        if d >= 1.0 or (kept and kept[-1][0] + e < _SAME and d >= kept[-1][1]):
            continue
        start = 0.0
        while kept:
            steep, its = kept[-1]
            start = (d - its) / (math.exp(-e) * math.expm1(steep + e))
            if start > starts[-1]:
                break
            kept.pop()
            starts.pop()
            start = 0.0
        kept.append((-e, d))
        starts.append(start)
    # Beyond the diagonal the mirror image takes over.
    while len(kept) > 1 and starts[-1] >= (1.0 - kept[-2][1]) / (1.0 + math.exp(kept[-2][0])):
        kept.pop()
        starts.pop()
    found = np.array(kept, dtype=float).reshape(-1, 2)
    return found[:, 0], found[:, 1]


def tangents(orders: np.ndarray, divergences: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """ε and δ of tangents to the curve that Rényi divergences allow; orders are a column."""
    alpha = _places(_middle(orders, divergences))
    if not alpha.size:
        return alpha, alpha
    # The best order varies slowly: between two points it lies between the best orders at both.
    number = np.arange(len(alpha))
    few = np.append(number[:-1:_STRIDE], number[-1])
    right = np.clip(np.searchsorted(few, number, side="right"), 1, len(few) - 1)
    found = []
    for reversed_ in (0, 1):
        best = np.argmin(_largest_power(alpha[few], orders, divergences, reversed_), axis=0)
        low, high = np.sort([best[right - 1], best[right]], axis=0)
        rows = np.minimum(low + np.arange(np.max(high - low) + 1)[:, None], high)
        odds = _largest_power(alpha, orders[rows, 0], divergences[rows, 0], reversed_)
        lowest = np.argmin(odds, axis=0)
        found.append([odds[lowest, number], orders[rows[lowest, number], 0]])
    reversed_ = np.argmin([odds for odds, _ in found], axis=0)
    odds, order = np.array(found)[reversed_, :, number].T
    return _lines_at(alpha, odds, reversed_, order)


def tangents_of_zcdp(rho: float) -> tuple[np.ndarray, np.ndarray]:
    """The same for D(s) = ρ s at all s > 1."""
    every = 1.0 + _ORDERS[:, None]
    alpha = _places(_middle(every, rho * every))
    if not alpha.size:
        return alpha, alpha
    # The best order of either divergence varies slowly, and any order gives a tangent.
    few = alpha[:: len(alpha) // _PLACES]
    found = []
    for reversed_ in (0, 1):
        best = _best_of(few, np.broadcast_to(every, (len(every), len(few))), rho, reversed_)
        for wide in (0.16, 0.02):
            ladder = np.exp(np.linspace(-wide, wide, 17))[:, None]
            best = _best_of(few, 1.0 + (best - 1.0) * ladder, rho, reversed_)
        order = np.interp(ndtri(alpha), ndtri(few), best)
        odds = _largest_power(alpha, order, rho * order, reversed_)
        found.append(_lines_at(alpha, odds, np.full(alpha.shape, reversed_), order))
    epsilon, delta = np.concatenate(found, axis=1)
    return epsilon, delta


def _places(middle: float) -> np.ndarray:
    """The α at which tangents touch, increasing up to the α given; none if that is too small."""
    if middle <= _SMALLEST * _FACTOR:
        return np.empty(0)
    last = float(ndtri(middle))
    near = ndtr(np.linspace(min(-_FAR, last - 1e-3), last, _MANY))
    steps = max(1, math.ceil(math.log(near[0] / _SMALLEST) / math.log(_FACTOR)))
    return np.append(np.geomspace(_SMALLEST, near[0], steps, endpoint=False), near)


def _best_of(alpha: np.ndarray, orders: np.ndarray, rho: float, reversed_: int) -> np.ndarray:
    """For every α the order (from a column) whose divergence, of Q from P or reversed, allows the least power."""
    power = _largest_power(alpha, orders, rho * orders, reversed_)
    return np.take_along_axis(orders, np.argmin(power, axis=0)[None], axis=0)[0]


def _middle(order: np.ndarray, divergence: np.ndarray) -> float:
    """The largest α = f(α) of the curves of all orders."""

    def excess(u: np.ndarray, s: np.ndarray, d: np.ndarray) -> np.ndarray:
        first, second = s * log_expit(u) + (1 - s) * log_expit(-u), s * log_expit(-u) + (1 - s) * log_expit(u)
        return np.logaddexp(first, second) - (s - 1) * (d + _ROUNDED)

    odds = bracketed_root(excess, np.zeros(order.shape), np.full(order.shape, _LARGEST), order, divergence)
    return float(expit(-np.nanmin(np.where(np.isnan(odds), _LARGEST, odds))))


def _largest_power(alpha: np.ndarray, order: np.ndarray, divergence: np.ndarray, reversed_: int) -> np.ndarray:
    """Log-odds of the largest power at α, by the divergence of Q from P, or by the reversed one."""
    order, divergence, alpha = np.broadcast_arrays(order, divergence, alpha)

    def excess(u: np.ndarray, s: np.ndarray, d: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        if reversed_:
            return np.logaddexp(s * low + (1 - s) * log_expit(u), s * high + (1 - s) * log_expit(-u)) - (s - 1) * d
        return np.logaddexp(s * log_expit(u) + (1 - s) * low, s * log_expit(-u) + (1 - s) * high) - (s - 1) * d

    given = order, divergence + _ROUNDED, np.log(alpha), np.log1p(-alpha)
    found = bracketed_root(excess, logit(alpha), np.full(alpha.shape, _LARGEST), *given)
    # Without a root any power is allowed.
    return np.where(np.isnan(found), math.inf, found)


def _lines_at(
    alpha: np.ndarray, odds: np.ndarray, reversed_: np.ndarray, order: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """ε and δ of the tangents at powers with these log-odds, on the curve of the one divergence or the other."""
    found = np.isfinite(odds) & (odds < _LARGEST)
    alpha, odds, reversed_, s = alpha[found], odds[found], reversed_[found] == 1, order[found]
    rise, fall = log_expit(odds) - np.log(alpha), log_expit(-odds) - np.log1p(-alpha)
    apart = rise - fall
    # The slope is r (s−1)/s · (1 − e^−sd)/(1 − e^−(s−1)d), d = log r/q, for the ratios r of powers and q of their rest.
    share = np.log((s - 1) / s) + np.log(np.expm1(-s * apart) / np.expm1(-(s - 1) * apart))
    epsilon = np.where(reversed_, fall - share, rise + share)
    delta = expit(odds) * -np.expm1(epsilon - rise) * (1.0 + _SAFE)
    sound = (epsilon >= 0) & (delta >= 0)
    return epsilon[sound], delta[sound]
