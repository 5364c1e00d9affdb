"""The law of the privacy loss of many steps with two finite losses: a binomial, seen without enumerating it.

Randomized response, with or without a leak, and any experiment with two finite losses have a total loss that is a
line in K ~ Bin(n, q₁) (`finite_two`). With l_k the k-th loss and l_{k−1} ≤ ε < l_k,

    α = Pr_P[K ≥ k],    β = Pr_Q[K < k],
    δ(ε) = Σ_{j>k} q_j (1 − e^{l_k − l_j}) + (1 − e^{ε − l_k}) Σ_{j≥k} q_j e^{l_k − l_j},

times the probability that no loss was infinite. These tails have twelve digits at any n (`lattice_binomial`). For
negative losses δ(ε) = 1 − e^ε + e^ε δ_QP(−ε), and between the means of both hypotheses δ = 1 − β − e^ε α, where it is
no small difference.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import expit

from .._floats import UNIT_ROUNDOFF
from .finite_law import MOST_ATOMS, AtomicLaw, FiniteLaw, TooManyAtoms
from .finite_two import TwoLosses, log_ratio_of_rests, log_rest, shares, times, two_floats
from .lattice_binomial import Binomial, Ratios, falling, peak, two_product
from .subsampled_gaussian import complex_log1p

# Kinks that change R by less than this are left out.
_VISIBLE = 1e-13
# With more kinks than this, none is listed.
_MOST_KINKS = 50_000
# At larger log-odds no kink is visible.
_LARGEST_LOG_ODDS = 40.0


@dataclass(frozen=True, eq=False)
class BinomialLaw(AtomicLaw):
    """The law of `count` steps, a few hundred at least; its atoms are numbered by k = 0, …, count."""

    step: TwoLosses
    count: int

    @cached_property
    def reverse(self) -> BinomialLaw:
        """The law of the reverse pair."""
        other = BinomialLaw(self.step.reverse, self.count)
        other.__dict__["reverse"] = self
        return other

    def power(self, count: int) -> AtomicLaw:
        """The law of the sum of `count` independent copies."""
        return BinomialLaw(self.step, self.count * count)

    def composed(self, other: AtomicLaw) -> FiniteLaw:
        """The law of the sum with an independent loss, by enumeration."""
        return self.enumerated().composed(other)

    def enumerated(self) -> FiniteLaw:
        """The same law with all its atoms.

        Raises
        ------
        TooManyAtoms
            If there are more than can be enumerated.
        """
        if self.count >= MOST_ATOMS:
            raise TooManyAtoms
        k = np.arange(self.count + 1.0)
        log_peak = np.log(peak(k, self.count))
        with np.errstate(under="ignore"):
            p = np.exp(self._log_masses[0] - self._null.deviance(k) + log_peak)
            q = np.exp(self._log_masses[1] - self._alternative.deviance(k) + log_peak)
        loss = self._loss(k)
        return FiniteLaw.of_finite(
            loss, p, q, self.p_infinite, self.q_infinite, UNIT_ROUNDOFF * float(np.max(np.abs(loss)))
        )

    @property
    def loss(self) -> np.ndarray:
        """All losses, if they can be enumerated."""
        return self.enumerated().loss

    @property
    def p(self) -> np.ndarray:
        """Their probabilities under P."""
        return self.enumerated().p

    @property
    def q(self) -> np.ndarray:
        """Their probabilities under Q."""
        return self.enumerated().q

    @property
    def loss_range(self) -> tuple[float, float]:
        """Smallest and largest loss."""
        low, high = (float(self._loss(np.asarray(k))) for k in (0.0, float(self.count)))
        return -math.inf if self.p_infinite else low, math.inf if self.q_infinite else high

    @property
    def largest_finite_loss(self) -> float:
        return float(self._loss(np.asarray(float(self.count))))

    @cached_property
    def kinks(self) -> np.ndarray:
        """The losses at which R has a visible kink, one that changes it by more than 1e-13.

        Empty if there are more than 50,000 of them: R then bends by less than 1e-7 at each.
        """
        spread = 9.0 * max(self._null.deviation, self._alternative.deviation) + 50.0
        means = self._null.mean, self._alternative.mean
        first, last = self._index(np.array([-_LARGEST_LOG_ODDS, _LARGEST_LOG_ODDS]))
        first, last = max(first - 1, min(means) - spread, 0.0), min(last, max(means) + spread, self.count)
        if last - first > 4 * _MOST_KINKS:
            return np.empty(0)
        k = np.arange(math.floor(first), math.floor(last) + 1.0)
        with np.errstate(under="ignore"):
            q = np.exp(self._log_masses[1] - self._alternative.deviance(k)) * peak(k, self.count)
            loss = self._loss(k)
            seen = q * expit(-loss) * -math.expm1(-self._gap[0]) > _VISIBLE
        return loss[seen] if seen.sum() <= _MOST_KINKS else np.empty(0)

    # The faces.

    @cached_property
    def p_infinite(self) -> float:
        """Pr_P[L = −∞]."""
        return -math.expm1(self._log_masses[0])

    @cached_property
    def q_infinite(self) -> float:
        """Pr_Q[L = +∞]."""
        return -math.expm1(self._log_masses[1])

    def errors(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """α = Pr_P[L > ε] and β = Pr_Q[L ≤ ε]."""
        shape = np.shape(epsilon)
        k = self._index(_flat(epsilon))
        with np.errstate(under="ignore"):
            return self._tail_p(k).reshape(shape), self._head_q(k).reshape(shape)

    def delta(self, epsilon: np.ndarray) -> np.ndarray:
        """The privacy profile, every term of it positive."""
        flat = _flat(epsilon)
        k = self._index(flat)
        with np.errstate(under="ignore"):
            return self._profile(k, self._beyond(flat, k), flat).reshape(np.shape(epsilon))

    def scaled_tail(self, epsilon: np.ndarray) -> np.ndarray:
        """e^ε Pr_P[L > ε]."""
        flat = _flat(epsilon)
        k = self._index(flat)
        with np.errstate(under="ignore"):
            value = self._scaled(k) * np.exp(self._beyond(flat, k))
        return np.where(k > self.count, 0.0, value).reshape(np.shape(epsilon))

    def tradeoff(self, alpha: np.ndarray) -> np.ndarray:
        """Linear interpolation between the exact corners of f."""
        flat = _flat(alpha)
        with np.errstate(under="ignore"):
            corner = _first(self._tail_p, np.less, flat, _edges(self._null)) - 1
            at = self._tail_p(np.maximum(corner, 0.0))
            share = np.where(corner < 0, 0.0, (at - flat) / np.where(at > 0, at, 1.0))
            beta = self._head_q(np.maximum(corner, 0.0)) + self._scaled(np.maximum(corner, 0.0)) * share
        beta = np.where(corner < 0, 0.0, np.where(flat == 0, self._finite_q, beta))
        return np.clip(beta, 0.0, 1.0 - flat).reshape(np.shape(alpha))

    def epsilon(self, delta: np.ndarray) -> np.ndarray:
        """The smallest ε ≥ 0 with δ(ε) ≤ `delta`; infinite where mass at +∞ exceeds it."""
        flat = _flat(delta)
        with np.errstate(under="ignore", divide="ignore"):
            k = _first(self._knot, np.less_equal, flat, _edges(self._alternative)[:-1])
            scale = self._scaled(k)
            share = (flat - self._knot(k)) / np.where(scale > 0, scale, 1.0)
            inside = self._loss(k) + np.log1p(-np.clip(share, 0.0, 1.0))
        # For δ = q_infinite every finite loss counts, however improbable.
        inside = np.where(flat == 0, self.largest_finite_loss, inside)
        return np.where(flat < self.q_infinite, np.inf, np.maximum(inside, 0.0)).reshape(np.shape(delta))

    def renyi(self, order: np.ndarray) -> np.ndarray:
        """Rényi divergence D_s(Q‖P) for finite orders s > 0, which is additive."""
        return self.count * self._one.renyi(order)

    def loss_moments(self, under: str) -> tuple[float, float]:
        """Mean and variance of the loss; infinite where an infinite loss has mass."""
        mean, variance = self._one.loss_moments(under)
        return self.count * mean, self.count * variance

    def hellinger(self, s: np.ndarray) -> np.ndarray:
        """H(s) = Σ q^s p^(1−s) over finite losses, for complex s of any shape."""
        return np.exp(self._log_hellinger(s))

    def hellinger_excess(self, s: np.ndarray) -> np.ndarray:
        """H(s) − 1."""
        log_h = np.asarray(self._log_hellinger(s))
        x, y = log_h.real, log_h.imag
        excess = np.expm1(x) * np.cos(y) - 2 * np.sin(y / 2) ** 2 + 1j * np.exp(x) * np.sin(y)
        return excess if np.iscomplexobj(s) else excess.real

    def _log_hellinger(self, s: np.ndarray) -> np.ndarray:
        log_h = self.count * complex_log1p(np.asarray(self._one.hellinger_excess(s), dtype=complex))
        return log_h if np.iscomplexobj(s) else log_h.real

    @property
    def relative_error(self) -> float:
        return 512 * UNIT_ROUNDOFF + 2 * UNIT_ROUNDOFF * max(map(abs, self._log_masses))

    @property
    def location_error(self) -> float:
        # Losses are sums of two floats: the error is of second order in the rounding of one.
        return 4 * UNIT_ROUNDOFF**2 * self.count * max(map(abs, self._one.kinks))

    # Ingredients of the faces.

    @cached_property
    def _one(self) -> FiniteLaw:
        return FiniteLaw.of_step(self.step)

    @cached_property
    def _null(self) -> Binomial:
        return Binomial(self.count, *shares(self.step.p))

    @cached_property
    def _alternative(self) -> Binomial:
        return Binomial(self.count, *shares(self.step.q))

    @cached_property
    def _calls(self) -> Ratios:
        return Ratios(self._alternative, self._alternative, self._null, self._gap[0])

    @cached_property
    def _tails(self) -> Ratios:
        return self._null.tails_around(self._alternative)

    @cached_property
    def _gap(self) -> tuple[float, float]:
        return two_floats(self.step.gap)

    @cached_property
    def _lowest_loss(self) -> tuple[float, float]:
        return times(self.step.losses[0], self.count)

    @cached_property
    def _shift(self) -> tuple[float, float]:
        """The loss minus the loss given that no step has an infinite one."""
        return log_ratio_of_rests(self.step.q_infinite, self.step.p_infinite, self.count)

    @cached_property
    def _log_masses(self) -> tuple[float, float]:
        """log Pr_P[L > −∞] and log Pr_Q[L < ∞]."""
        return log_rest(self.step.p_infinite, self.count), log_rest(self.step.q_infinite, self.count)

    # Below, k is an array of whole numbers: the index of the smallest loss above ε, or n + 1 if there is none.

    def _loss_parts(self, k: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        product, rest = two_product(k, self._gap[0])
        total = product + self._lowest_loss[0]
        of_product = total - self._lowest_loss[0]
        rounding = (product - of_product) + (self._lowest_loss[0] - (total - of_product))
        return total, rounding + (rest + k * self._gap[1] + self._lowest_loss[1])

    def _loss(self, k: np.ndarray) -> np.ndarray:
        return np.add(*self._loss_parts(k))

    def _index(self, epsilon: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore"):
            place = ((epsilon - self._lowest_loss[0]) - self._lowest_loss[1]) / self._gap[0]
        k = np.clip(np.floor(place) + 1.0, 0.0, self.count + 1.0)
        # Division may round to the wrong side of a loss.
        k = k + ((k <= self.count) & (self._loss(k) <= epsilon))
        return k - ((k > 0) & (self._loss(k - 1.0) > epsilon))

    def _beyond(self, epsilon: np.ndarray, k: np.ndarray) -> np.ndarray:
        """ε − l_k, at most 0."""
        high, low = self._loss_parts(k)
        return np.minimum((epsilon - high) - low, 0.0)

    def _tail_p(self, k: np.ndarray) -> np.ndarray:
        return math.exp(self._log_masses[0]) * self._null.tail(k)

    def _head_q(self, k: np.ndarray) -> np.ndarray:
        return self._finite_q * self._alternative.head(k)

    @cached_property
    def _finite_q(self) -> float:
        return math.exp(self._log_masses[1])

    def _scaled(self, k: np.ndarray) -> np.ndarray:
        """e^{l_k} Pr_P[L ≥ l_k]."""
        value = np.zeros(k.shape)
        upper = self._null.is_upper(k)
        value[upper] = falling(self._alternative.deviance(k[upper]), k[upper], self._tails)
        rest = k[~upper]
        log_odds = np.add(*self._loss_parts(rest)) - self._shift[0]
        value[~upper] = np.exp(np.minimum(log_odds, 0.0)) * self._null.tail(rest)
        return np.where(k > self.count, 0.0, self._finite_q * value)

    def _knot(self, k: np.ndarray) -> np.ndarray:
        """δ(l_k)."""
        return self._profile(k, np.zeros(k.shape), self._loss(k))

    def _profile(self, k: np.ndarray, beyond: np.ndarray, epsilon: np.ndarray) -> np.ndarray:
        """δ(ε), from the index k of the next loss and ε − l_k."""
        with np.errstate(over="ignore"):
            log_odds = (epsilon - self._shift[0]) - self._shift[1]
        upper = self._alternative.is_upper(k)
        lower = (log_odds < 0) & ((k <= self._null.mean + 0.75 * self._null.deviation) | ~np.isfinite(epsilon))
        upper &= ~lower
        middle = ~(upper | lower)
        delta = np.empty(k.shape)
        delta[upper] = self._call(k[upper], beyond[upper])
        below = k[lower] - 1.0
        # The largest loss ≤ ε is the next one above −ε in the reverse pair.
        above = -np.maximum((epsilon[lower] - self._loss(below)), 0.0)
        put = np.where(below >= 0, self.reverse._call(self.count - below, above), 0.0)
        delta[lower] = -np.expm1(log_odds[lower]) + np.exp(log_odds[lower]) * put
        tail = falling(self._alternative.deviance(k[middle]), k[middle], self._tails)
        delta[middle] = 1.0 - self._alternative.head(k[middle]) - np.exp(beyond[middle]) * tail
        return np.minimum(self.q_infinite + self._finite_q * np.clip(delta, 0.0, 1.0), 1.0)

    def _call(self, k: np.ndarray, beyond: np.ndarray) -> np.ndarray:
        """δ(ε), given that no loss is infinite, where the loss l_k above ε is closer to Q's mean than to P's."""
        inside = np.minimum(k, float(self.count))
        deviance = self._alternative.deviance(inside)
        value = falling(deviance, inside, self._calls)
        value -= np.expm1(beyond) * falling(deviance, inside, self._tails)
        return np.where(k > self.count, 0.0, value)


def _flat(values: Any) -> np.ndarray:
    return np.array(values, dtype=float).ravel()


def _edges(law: Binomial) -> np.ndarray:
    """0, numbers an eighth of a standard deviation apart wherever a tail is neither 0 nor 1, and n + 1."""
    scale = 2 * math.sqrt(law.count)
    middle = math.atan2(math.sqrt(law.success[0]), math.sqrt(law.failure[0]))
    angle = np.clip(middle + np.linspace(-60.0, 60.0, 961) / scale, 0.0, math.pi / 2)
    return np.unique(np.concatenate([[0.0, law.count, law.count + 1.0], np.floor(law.count * np.sin(angle) ** 2)]))


def _first(
    function: Callable[[np.ndarray], np.ndarray],
    is_below: Callable[[np.ndarray, np.ndarray], np.ndarray],
    target: np.ndarray,
    edges: np.ndarray,
) -> np.ndarray:
    """The smallest whole number at which the decreasing `function` is below the target, elementwise; else the last.

    By false position on the logarithm, with a bisection in every third step.
    """
    table = function(edges)
    place = np.searchsorted(-table, -target, side="right" if is_below is np.less else "left")
    high = np.minimum(place, edges.size - 1)
    low = np.where(place < edges.size, np.maximum(place - 1, 0), high)
    log_target = _log(target)
    (log_low, log_high), (low, high) = (_log(table)[np.array([low, high])], edges[np.array([low, high])])
    open_, step = np.flatnonzero(high - low > 1), 0
    while open_.size:
        step += 1
        below, above = high[open_], low[open_]
        drop = np.maximum(log_low[open_] - log_high[open_], 1e-300)
        share = 0.5 if step % 3 == 0 else np.clip((log_low[open_] - log_target[open_]) / drop, 0.0, 1.0)
        # Alternate sides of the guess, so that the bracket closes from both ends.
        guess = np.floor(above + share * (below - above)) + step % 2
        guess = np.clip(guess, above + 1.0, below - 1.0)
        value = function(guess)
        reached = is_below(value, target[open_])
        log_value = _log(value)
        high[open_], log_high[open_] = np.where(reached, [guess, log_value], [below, log_high[open_]])
        low[open_], log_low[open_] = np.where(reached, [above, log_low[open_]], [guess, log_value])
        open_ = open_[high[open_] - low[open_] > 1]
    return high


def _log(values: np.ndarray) -> np.ndarray:
    return np.log(np.maximum(values, 1e-320))
