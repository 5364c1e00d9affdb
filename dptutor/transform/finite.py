"""The law of the privacy loss of a finite experiment, and all that can be read off it exactly.

With atoms at the losses l₁ < … < l_k, all sums that matter are sums of positive terms, so small numbers keep
their digits: with S_n = e^{l_n} Pr_P[L ≥ l_n] and for l_{n−1} ≤ ε < l_n,

    δ(l_{n−1}) = δ(l_n) + S_n (1 − e^{l_{n−1} − l_n}),    δ(ε) = δ(l_n) + S_n (1 − e^{ε − l_n}).

Outcomes that only Q produces have loss +∞ and are never covered by any ε: δ(ε) ≥ Pr_Q[L = +∞].
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import logsumexp

# Sums of losses closer than this, relative to 1 + |loss|, are the same loss reached in another order.
_EQUAL = 1e-12
_MOST_ATOMS, _MOST_SUMS = 200_000, 20_000_000


class TooManyAtoms(Exception):
    """A composition has more atoms than can be enumerated."""


@dataclass(frozen=True, eq=False)
class FiniteLaw:
    """Losses in increasing order, ±∞ included, with their probabilities under P and under Q."""

    loss: np.ndarray
    p: np.ndarray
    q: np.ndarray

    @classmethod
    def from_probabilities(cls, p, q) -> FiniteLaw:
        """The law of the loss of outcomes with probabilities `p` and `q`; equal losses are merged."""
        p, q = np.asarray(p, dtype=float), np.asarray(q, dtype=float)
        possible = (p > 0) | (q > 0)
        with np.errstate(divide="ignore"):
            ratio = np.log(q[possible]) - np.log(p[possible])
        loss, index = np.unique(ratio, return_inverse=True)
        return cls(loss, np.bincount(index, p[possible]), np.bincount(index, q[possible]))

    def composed(self, other: FiniteLaw) -> FiniteLaw:
        """The law of the sum of two independent losses; sums that are equal but for rounding are merged.

        Raises
        ------
        TooManyAtoms
            If there are more sums than can be enumerated.
        """
        own, others = self._finite, other._finite
        if own.sum() * others.sum() > _MOST_SUMS:
            raise TooManyAtoms
        loss = np.add.outer(self.loss[own], other.loss[others]).ravel()
        p = np.multiply.outer(self.p[own], other.p[others]).ravel()
        q = np.multiply.outer(self.q[own], other.q[others]).ravel()
        order = np.argsort(loss, kind="stable")
        loss, p, q = loss[order], p[order], q[order]
        first = np.ones(loss.shape, dtype=bool)
        first[1:] = np.diff(loss) > _EQUAL * (1.0 + np.abs(loss[1:]))
        if first.sum() > _MOST_ATOMS:
            raise TooManyAtoms
        starts = np.flatnonzero(first)
        loss = loss[starts]
        p, q = np.add.reduceat(p, starts), np.add.reduceat(q, starts)
        p_infinite = self._p_infinite + other._p_infinite - self._p_infinite * other._p_infinite
        q_infinite = self._q_infinite + other._q_infinite - self._q_infinite * other._q_infinite
        ends = [(-np.inf, p_infinite, 0.0)] if p_infinite else []
        last = [(np.inf, 0.0, q_infinite)] if q_infinite else []
        low, high = np.array(ends).reshape(-1, 3), np.array(last).reshape(-1, 3)
        return FiniteLaw(*(np.concatenate([a, b, c]) for a, b, c in zip(low.T, (loss, p, q), high.T, strict=True)))

    def power(self, count: int) -> FiniteLaw:
        """The law of the sum of `count` independent copies, by squaring."""
        if count == 1:
            return self
        half = self.power(count // 2)
        square = half.composed(half)
        return square.composed(self) if count % 2 else square

    @property
    def reverse(self) -> FiniteLaw:
        return FiniteLaw(-self.loss[::-1], self.q[::-1], self.p[::-1])

    @property
    def loss_range(self) -> tuple[float, float]:
        return float(self.loss[0]), float(self.loss[-1])

    @property
    def kinks(self) -> np.ndarray:
        """The finite losses: between them R is linear in the prior and δ in e^ε."""
        return self.loss[self._finite]

    def errors(self, epsilon):
        """α = Pr_P[L > ε] and β = Pr_Q[L ≤ ε]."""
        above = np.searchsorted(self.kinks, epsilon, side="right")
        return self._tail_p[above], self._head_q[above]

    def delta(self, epsilon):
        """The privacy profile, every term of it positive."""
        above = np.searchsorted(self.kinks, epsilon, side="right")
        nearest = np.append(self.kinks, 0.0)[above]
        gap = np.where(above < self.kinks.size, np.minimum(epsilon - nearest, 0.0), 0.0)
        return np.minimum(self._knots[above] - self._scaled_tail[above] * np.expm1(gap), 1.0)

    def tradeoff(self, alpha):
        """Linear interpolation between the exact corners of f."""
        corners = np.concatenate([[0.0], self._tail_p[-2::-1], [1.0]])
        return np.clip(np.interp(alpha, corners, np.append(self._head_q[::-1], 0.0)), 0.0, 1.0 - alpha)

    def epsilon(self, delta):
        """The smallest ε ≥ 0 with δ(ε) ≤ `delta`; infinite where mass at +∞ exceeds it."""
        # The knots decrease: the first one at or below δ ends the piece that holds the answer.
        index = np.searchsorted(-self._knots, -np.asarray(delta), side="left")
        reached = np.minimum(index, self._knots.size - 1)
        scale = self._scaled_tail[reached]
        share = np.where(scale > 0, (delta - self._knots[reached]) / np.where(scale > 0, scale, 1.0), 1.0)
        with np.errstate(divide="ignore"):
            inside = np.append(self.kinks, 0.0)[reached] + np.log1p(-np.clip(share, 0.0, 1.0))
        return np.where(index < self._knots.size, np.maximum(inside, 0.0), np.inf)

    def renyi(self, order):
        """Rényi divergence D_s(Q‖P) for finite orders s > 0."""
        order = np.asarray(order, dtype=float)
        if not self.kinks.size:
            return np.full(order.shape, np.inf)
        gap = order[..., None] - 1
        loss, q = self.kinks, self.q[self._finite]
        near = np.sum(q * np.expm1(np.clip(gap * loss, -1, 1)), axis=-1)
        small = (np.max(np.abs(gap * loss), axis=-1) < 0.1) & (self._q_infinite == 0)
        with np.errstate(divide="ignore"):
            log_h = np.where(small, np.log1p(np.where(small, near, 0.0)), logsumexp(np.log(q) + gap * loss, axis=-1))
        kl = self.loss_moments("Q")[0]
        away = np.where(order == 1, kl, log_h / np.where(order == 1, 1.0, gap[..., 0]))
        return np.where((self._q_infinite > 0) & (order >= 1), np.inf, np.maximum(away, 0.0))

    def loss_moments(self, under: str) -> tuple[float, float]:
        """Mean and variance of the loss; infinite where an infinite loss has mass."""
        if under == "P":
            mean, variance = self.reverse.loss_moments("Q")
            return -mean, variance
        if self._q_infinite:
            return np.inf, np.inf
        loss, q = self.kinks, self.q[self._finite]
        # E_Q[L] with Σ (q − p) taken out of it: positive terms only.
        mean = float(np.sum(q * (loss + np.expm1(-loss))) + self._p_infinite)
        return mean, float(np.sum(q * (loss - mean) ** 2))

    def hellinger(self, s):
        """H(s) = Σ q^s p^(1−s) over finite losses, for complex s of any shape."""
        return 1 + self.hellinger_excess(s)

    def hellinger_excess(self, s):
        """H(s) − 1, with Σ (q − p) taken out of it so that small losses keep their digits."""
        s = np.asarray(s)[..., None]
        loss, p = self.kinks, self.p[self._finite]
        inner = np.sum(p * (np.expm1(s * loss) - s * np.expm1(loss)), axis=-1)
        return inner + s[..., 0] * (self._p_infinite - self._q_infinite) - self._p_infinite

    @cached_property
    def _finite(self) -> np.ndarray:
        return np.isfinite(self.loss)

    @cached_property
    def _p_infinite(self) -> float:
        return float(self.p[self.loss == -np.inf].sum())

    @cached_property
    def _q_infinite(self) -> float:
        return float(self.q[self.loss == np.inf].sum())

    # Below, entry n belongs to the n-th finite loss; the entry behind the last to losses above them all.

    @cached_property
    def _tail_p(self) -> np.ndarray:
        """Pr_P[L ≥ l_n]."""
        return np.append(np.minimum(np.cumsum(self.p[self._finite][::-1])[::-1], 1.0), 0.0)

    @cached_property
    def _head_q(self) -> np.ndarray:
        """Pr_Q[L < l_n]."""
        return np.append(0.0, np.minimum(np.cumsum(self.q[self._finite]), 1.0))

    @cached_property
    def _scaled_tail(self) -> np.ndarray:
        """S_n = e^{l_n} Pr_P[L ≥ l_n], in logarithms: the factor may overflow, the product is at most 1."""
        with np.errstate(divide="ignore"):
            return np.append(np.exp(np.minimum(self.kinks + np.log(self._tail_p[:-1]), 0.0)), 0.0)

    @cached_property
    def _knots(self) -> np.ndarray:
        """δ(l_n)."""
        steps = -self._scaled_tail[1:-1] * np.expm1(-np.diff(self.kinks))
        rises = np.concatenate([[0.0] if self.kinks.size else [], steps[::-1]])
        knots = self._q_infinite + np.cumsum(rises)[::-1]
        return np.append(knots, self._q_infinite)
