"""The law of the privacy loss of a finite experiment, and all that can be read off it exactly.

With atoms at the losses l₁ < … < l_k, everything is a sum of positive terms, so small numbers keep their digits:
with S_n = e^{l_n} Pr_P[L ≥ l_n] = Σ_{j≥n} q_j e^{l_n − l_j} and for l_{n−1} ≤ ε < l_n,

    δ(l_{n−1}) = δ(l_n) + S_n (1 − e^{l_{n−1} − l_n}),    δ(ε) = δ(l_n) + S_n (1 − e^{ε − l_n}).

Outcomes that only Q produces have loss +∞ and are never covered by any ε: δ(ε) ≥ Pr_Q[L = +∞].

Losses may be in the thousands. Where p underflows, q does not, unless the outcome is practically impossible, and the
logarithm of either follows from the other and the loss. Powers are enumerated by counting outcomes, never step by step;
with two finite losses and many steps they are not enumerated at all (`binomial_law`).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import expit, logsumexp

from .._floats import LARGEST_LOSS, UNIT_ROUNDOFF
from .finite_two import TwoLosses, with_fifty_digits
from .lattice_binomial import deviance_term, stirling_error
from .polynomials import gauss

# Largest number of atoms of a law.
MOST_ATOMS = 200_000
# Largest number of sums of losses that are formed before equal ones are merged.
_MOST_SUMS = 4_000_000
# Powers of steps with two losses are enumerated up to this many steps; beyond, `binomial_law` takes over.
_MOST_STEPS = 4_000
# Losses count as multiples of a common step if no multiple exceeds the first; a power of such a law is formed by
# convolution if no multiple in it exceeds the second.
_MOST_MULTIPLES, _LONGEST = 2_000, 20_000
# Tails are summed in blocks of losses that differ by at most this, so that no factor overflows.
_SPAN = 300.0
# With more blocks than this, tails are summed for all losses at once instead,
_MANY_BLOCKS = 1000
# provided that at most this many larger losses matter to each.
_FEW_WITHIN = 100
# Gauss-Legendre points and weights for integrals from 0 to 1.
_SHARES, _SHARE_WEIGHTS = (1.0 + gauss(10)[0]) / 2, gauss(10)[1] / 2


class TooManyAtoms(Exception):
    """A composition has more atoms than can be enumerated."""


class AtomicLaw(ABC):
    """The law of a privacy loss with atoms only, under P and under Q.

    Besides what is declared here, laws have `tradeoff`, `epsilon`, `renyi`, `loss_moments`, `hellinger`,
    `hellinger_excess`, `loss_range`, `reverse`, `power` and `composed`; and `loss`, `p` and `q` if enumerated.
    """

    # Bound on the sum of masses that underflow.
    missing: float = 1e-320

    @property
    @abstractmethod
    def kinks(self) -> np.ndarray:
        """The finite losses at which R has kinks."""

    @property
    @abstractmethod
    def p_infinite(self) -> float:
        """Pr_P[L = −∞]."""

    @property
    @abstractmethod
    def q_infinite(self) -> float:
        """Pr_Q[L = +∞]."""

    @property
    @abstractmethod
    def relative_error(self) -> float:
        """Bound on the relative error of probabilities and of sums of them."""

    @property
    @abstractmethod
    def location_error(self) -> float:
        """Bound on the absolute error of losses."""

    @abstractmethod
    def errors(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """α = Pr_P[L > ε] and β = Pr_Q[L ≤ ε]."""

    @abstractmethod
    def delta(self, epsilon: np.ndarray) -> np.ndarray:
        """The privacy profile."""

    @abstractmethod
    def scaled_tail(self, epsilon: np.ndarray) -> np.ndarray:
        """e^ε Pr_P[L > ε], minus the derivative of the profile."""

    @abstractmethod
    def enumerated(self) -> FiniteLaw:
        """The same law as a list of its atoms; raises TooManyAtoms if they are too many."""

    @property
    @abstractmethod
    def largest_finite_loss(self) -> float:
        """The largest finite loss; −∞ if there is none."""

    def bayes_error(self, log_odds: np.ndarray) -> np.ndarray:
        """R at log-odds: π α + (1 − π) β, both terms positive."""
        alpha, beta = self.errors(log_odds)
        with np.errstate(under="ignore"):
            error = expit(log_odds) * alpha + expit(-np.asarray(log_odds)) * beta
            return np.minimum(error, expit(-np.abs(log_odds)))

    def profile(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Lower and upper bounds on δ that allow for the rounding of sums and of losses.

        Losses that are off by x change δ by at most about x e^ε Pr_P[L > ε − x], since an atom at ε may truly lie above
        it. Beyond all finite losses δ is exact.
        """
        epsilon = np.asarray(epsilon, dtype=float)
        delta = self.delta(epsilon)
        with np.errstate(under="ignore"):
            below = np.nextafter(epsilon - self.location_error, -np.inf)
            moved = self.location_error * math.exp(2 * self.location_error) * self.scaled_tail(below)
            slack = delta * self.log_error(delta) + moved + self.missing
        slack = np.where(below >= self.largest_finite_loss, 0.0, slack)
        return np.maximum(delta - slack, 0.0), np.minimum(delta + slack, 1.0)

    def log_error(self, delta: np.ndarray) -> np.ndarray:
        """Bound on the relative error of δ; the smaller δ is, the more the rounding of log-probabilities matters."""
        with np.errstate(divide="ignore"):
            return self.relative_error - 4 * UNIT_ROUNDOFF * np.maximum(np.log(delta), -800.0)

    @property
    def error_bound(self) -> float:
        """Bound on the absolute error of f, R and δ."""
        return self.relative_error + self.location_error + 8 * UNIT_ROUNDOFF


@dataclass(frozen=True, eq=False)
class FiniteLaw(AtomicLaw):
    """Losses in increasing order, ±∞ included, with their probabilities under P and under Q.

    Only the larger of the two probabilities of a finite loss is used: the smaller one may underflow.
    """

    loss: np.ndarray
    p: np.ndarray
    q: np.ndarray
    location_error: float = 0.0
    relative_error: float = 16 * UNIT_ROUNDOFF
    step: TwoLosses | None = None
    missing: float = AtomicLaw.missing

    @classmethod
    def from_probabilities(cls, p: Any, q: Any) -> FiniteLaw:
        """The law of the loss of outcomes with probabilities `p` and `q`; equal losses are merged."""
        p, q = np.asarray(p, dtype=float), np.asarray(q, dtype=float)
        p, q = p / math.fsum(p), q / math.fsum(q)
        both = (p > 0) & (q > 0)
        p_infinite, q_infinite = (math.fsum(side[~both]) for side in (p, q))
        p, q = p[both], q[both]
        loss = _log_ratio(q, p)
        order = np.argsort(loss, kind="stable")
        starts = _starts(loss[order], 4 * UNIT_ROUNDOFF * (1.0 + np.abs(loss[order])))
        groups = np.split(order, starts[1:]) if order.size else []
        p, q = (np.array([math.fsum(side[group]) for group in groups]) for side in (p, q))
        loss = _log_ratio(q, p)
        step = TwoLosses.from_masses(p, q, p_infinite, q_infinite) if loss.size == 2 else None
        return cls.of_finite(loss, p, q, p_infinite, q_infinite, 4 * UNIT_ROUNDOFF * _largest(loss), step=step)

    @classmethod
    def of_step(cls, step: TwoLosses) -> FiniteLaw:
        """The law of a single step with two finite losses."""
        loss, p, q = (np.array(values, dtype=float) for values in (step.losses, step.p, step.q))
        masses = float(step.p_infinite), float(step.q_infinite)
        return cls.of_finite(loss, p, q, *masses, location_error=UNIT_ROUNDOFF * _largest(loss), step=step)

    @classmethod
    def of_finite(
        cls,
        loss: np.ndarray,
        p: np.ndarray,
        q: np.ndarray,
        p_infinite: float,
        q_infinite: float,
        location_error: float,
        relative_error: float = 64 * UNIT_ROUNDOFF,
        step: TwoLosses | None = None,
        missing: float = AtomicLaw.missing,
    ) -> FiniteLaw:
        """The law of finite losses, in increasing order, and of infinite ones."""
        low, high = ([1.0] if mass > 0 else [] for mass in (p_infinite, q_infinite))
        return cls(
            np.concatenate([-np.inf * np.array(low), loss, np.inf * np.array(high)]),
            np.concatenate([p_infinite * np.array(low), p, 0.0 * np.array(high)]),
            np.concatenate([0.0 * np.array(low), q, q_infinite * np.array(high)]),
            location_error,
            relative_error,
            step,
            missing,
        )

    @classmethod
    def merged(
        cls,
        loss: np.ndarray,
        larger: np.ndarray,
        p_infinite: float,
        q_infinite: float,
        location_error: float,
        relative_error: float,
        missing: float = AtomicLaw.missing,
        apart: bool = False,
    ) -> FiniteLaw:
        """The law of losses in any order; `larger` is the logarithm of the larger of their masses under P and Q.

        Losses that rounding may have separated are merged, unless they are to be kept `apart`.
        """
        order = np.argsort(loss, kind="stable")
        loss, larger = loss[order], larger[order]
        starts = np.arange(loss.size) if apart else _starts(loss, np.full(loss.shape, 2 * location_error))
        if starts.size > MOST_ATOMS and not apart:
            raise TooManyAtoms
        if starts.size < loss.size:
            ends = np.append(starts[1:], loss.size) - 1
            # In a long run of small gaps the ends may differ by more than rounding.
            location_error = max(location_error, float(np.max(loss[ends] - loss[starts])))
            largest = np.maximum.reduceat(larger, starts)
            # Losses whose probabilities underflow under both P and Q are negligible, even together.
            scale = np.where(np.isfinite(largest), largest, 0.0)
            with np.errstate(under="ignore", divide="ignore"):
                sums = np.add.reduceat(np.exp(larger - np.repeat(scale, ends - starts + 1)), starts)
                loss, larger = loss[starts], scale + np.log(sums)
        with np.errstate(under="ignore"):
            p, q = np.exp(larger - np.maximum(loss, 0.0)), np.exp(larger + np.minimum(loss, 0.0))
        return cls.of_finite(loss, p, q, p_infinite, q_infinite, location_error, relative_error, missing=missing)

    def composed(self, other: AtomicLaw, most: int = _MOST_SUMS, apart: bool = False) -> FiniteLaw:
        """The law of the sum of two independent losses; sums that are equal up to rounding are merged, unless they are
        to be kept `apart`.

        Raises
        ------
        TooManyAtoms
            If there are more than `most` sums, or more than can be enumerated remain.
        """
        # `self` may be a power that is not enumerated yet.
        mine, others = self.enumerated(), other.enumerated()
        if mine.kinks.size * others.kinks.size > most:
            raise TooManyAtoms
        loss = np.add.outer(mine.kinks, others.kinks).ravel()
        log_p, log_q = np.add.outer(mine.log_p, others.log_p).ravel(), np.add.outer(mine.log_q, others.log_q).ravel()
        location_error = mine.location_error + others.location_error + UNIT_ROUNDOFF * _largest(loss)
        p_infinite = mine.p_infinite + others.p_infinite - mine.p_infinite * others.p_infinite
        q_infinite = mine.q_infinite + others.q_infinite - mine.q_infinite * others.q_infinite
        relative_error = mine.relative_error + others.relative_error + 8 * UNIT_ROUNDOFF
        larger, missing = np.where(loss < 0, log_p, log_q), mine.missing + others.missing
        return FiniteLaw.merged(loss, larger, p_infinite, q_infinite, location_error, relative_error, missing, apart)

    def power(self, count: int) -> AtomicLaw:
        """The law of the sum of `count` independent copies; a `BinomialLaw` for many steps with two losses.

        Raises
        ------
        TooManyAtoms
            If there are too many sums, before any of them is computed.
        """
        from .binomial_law import BinomialLaw
        from .lattice_sums import summed

        if count == 1:
            return self
        if self.kinks.size == 2:
            law = BinomialLaw(self.two, count)
            return law if count > _MOST_STEPS else law.enumerated()
        if self._multiples is not None and self._multiples[-1] * count <= _LONGEST:
            return self._convolved(self._multiples, count)
        if self.kinks.size and math.comb(count + self.kinks.size - 1, count) > MOST_ATOMS:
            if self._multiples is None:
                raise TooManyAtoms
            return summed([(self, count)])
        return self._counted(count)

    def enumerated(self) -> FiniteLaw:
        return self

    @property
    def reverse(self) -> FiniteLaw:
        """The law of the reverse pair."""
        step = self.step and self.step.reverse
        arrays = -self.loss[::-1], self.q[::-1], self.p[::-1]
        return FiniteLaw(*arrays, self.location_error, self.relative_error, step, self.missing)

    @property
    def loss_range(self) -> tuple[float, float]:
        """Smallest and largest loss."""
        return float(self.loss[0]), float(self.loss[-1])

    @property
    def largest_finite_loss(self) -> float:
        return float(self.kinks[-1]) if self.kinks.size else -math.inf

    @cached_property
    def kinks(self) -> np.ndarray:
        """The finite losses: between them R is linear in the prior and δ in e^ε."""
        return self.loss[self._finite]

    @cached_property
    def log_q(self) -> np.ndarray:
        """log Pr_Q of the finite losses, also where it underflows."""
        return _log_of_larger(self.q[self._finite], self.p[self._finite], self.kinks)

    @cached_property
    def log_p(self) -> np.ndarray:
        """log Pr_P of the finite losses, also where it underflows."""
        return _log_of_larger(self.p[self._finite], self.q[self._finite], -self.kinks)

    def errors(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """α = Pr_P[L > ε] and β = Pr_Q[L ≤ ε]."""
        above = np.searchsorted(self.kinks, epsilon, side="right")
        return self._tail_p[above], self._head_q[above]

    def delta(self, epsilon: np.ndarray) -> np.ndarray:
        """The privacy profile, every term of it positive."""
        above, gap = self._next(epsilon)
        with np.errstate(under="ignore"):
            return np.minimum(self._knots[above] - self._scaled_tail[above] * np.expm1(gap), 1.0)

    def scaled_tail(self, epsilon: np.ndarray) -> np.ndarray:
        """e^ε Pr_P[L > ε]."""
        above, gap = self._next(epsilon)
        with np.errstate(under="ignore"):
            return self._scaled_tail[above] * np.exp(gap)

    def _next(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The index of the next loss above ε, and ε minus that loss."""
        above = np.searchsorted(self.kinks, epsilon, side="right")
        if not self.kinks.size:
            return above, np.zeros(above.shape)
        nearest = self.kinks[np.minimum(above, self.kinks.size - 1)]
        return above, np.where(above < self.kinks.size, np.minimum(epsilon - nearest, 0.0), 0.0)

    def tradeoff(self, alpha: np.ndarray) -> np.ndarray:
        """Linear interpolation between the exact corners of f."""
        alpha = np.asarray(alpha, dtype=float)
        # The last corner at α or to its right; f is 0 where there is none.
        number = np.searchsorted(-self._tail_p[:-1], -alpha, side="right") - 1
        corner = np.maximum(number, 0)
        with np.errstate(under="ignore"):
            at = self._tail_p[corner]
            share = np.maximum(at - alpha, 0.0) / np.where(at > 0, at, 1.0)
            beta = self._head_q[corner] + self._scaled_tail[corner] * share
        # At α = 0 only infinite losses are detected, however improbable the others are under P.
        beta = np.where(number < 0, 0.0, np.where(alpha == 0, self._head_q[-1], beta))
        return np.clip(beta, 0.0, 1.0 - alpha)

    def epsilon(self, delta: np.ndarray) -> np.ndarray:
        """The smallest ε ≥ 0 with δ(ε) ≤ `delta`; infinite where mass at +∞ exceeds it."""
        delta = np.asarray(delta, dtype=float)
        # δ decreases from knot to knot: the answer lies on the piece that ends at the first value ≤ `delta`.
        index = np.searchsorted(-self._knots, -delta, side="left")
        reached = np.minimum(index, self._knots.size - 1)
        scale = self._scaled_tail[reached]
        with np.errstate(divide="ignore", under="ignore"):
            share = np.where(scale > 0, (delta - self._knots[reached]) / np.where(scale > 0, scale, 1.0), 1.0)
            inside = np.append(self.kinks, 0.0)[reached] + np.log1p(-np.clip(share, 0.0, 1.0))
        # For δ = q_infinite the answer is the largest finite loss, however improbable that is.
        inside = np.where(delta == self.q_infinite, max(self.largest_finite_loss, 0.0), inside)
        return np.where(index < self._knots.size, np.maximum(inside, 0.0), np.inf)

    def renyi(self, order: np.ndarray) -> np.ndarray:
        """Rényi divergence D_s(Q‖P) for finite orders s > 0."""
        order = np.asarray(order, dtype=float)
        if not self.kinks.size:
            return np.full(order.shape, np.inf)
        gap = order[..., None] - 1
        with np.errstate(under="ignore"):
            log_h = logsumexp(self.log_q + gap * self.kinks, axis=-1)
            excess = self._real_excess(order)
            small = (np.abs(excess) < 0.5) & (self.q_infinite == 0)
            log_h = np.where(small, np.log1p(np.where(small, excess, 0.0)), log_h)
        kl = self.loss_moments("Q")[0]
        away = np.where(order == 1, kl, log_h / np.where(order == 1, 1.0, gap[..., 0]))
        return np.where((self.q_infinite > 0) & (order >= 1), np.inf, np.maximum(away, 0.0))

    def _real_excess(self, order: np.ndarray) -> np.ndarray:
        """H(s) − 1 for real s as a sum of terms of one sign, p (e^{sl} − 1 − s (e^l − 1)).

        For a small loss l the term is computed as p s ∫₀^l e^x (e^{(s−1)x} − 1) dx.
        """
        s = order[..., None]
        loss, p, q = self.kinks, self.p[self._finite], self.q[self._finite]
        small = np.maximum(1.0, np.abs(s)) * np.abs(loss) < 1.0
        near, inner = np.where(small, loss, 0.0), 0.0
        with np.errstate(under="ignore", over="ignore", invalid="ignore"):
            for share, weight in zip(_SHARES, _SHARE_WEIGHTS, strict=True):
                inner = inner + weight * np.exp(share * near) * np.expm1((s - 1.0) * share * near)
            away = _excess_of_large(s, loss, p, q)
            total = np.sum(np.where(small, p * s * near * inner, away), axis=-1)
        return total + order * (self.p_infinite - self.q_infinite) - self.p_infinite

    def loss_moments(self, under: str) -> tuple[float, float]:
        """Mean and variance of the loss; infinite where an infinite loss has mass."""
        if under == "P":
            mean, variance = self.reverse.loss_moments("Q")
            return -mean, variance
        if self.q_infinite:
            return np.inf, np.inf
        loss, p, q = self.kinks, self.p[self._finite], self.q[self._finite]
        near = np.clip(loss, -1.0, 1.0)
        with np.errstate(under="ignore"):
            # The terms q l + p − q of E_Q[L] + Σ (p − q) are positive; for a small loss they are q ∫₀^l (1 − e^−x) dx.
            inner = -near * (np.expm1(-near[:, None] * _SHARES) @ _SHARE_WEIGHTS)
            terms = np.where(np.abs(loss) < 1, q * inner, q * loss + (p - q))
            mean = float(np.sum(terms) + self.p_infinite)
            return mean, float(np.sum(q * (loss - mean) ** 2))

    def hellinger(self, s: np.ndarray) -> np.ndarray:
        """H(s) = Σ q^s p^(1−s) over finite losses, for complex s of any shape."""
        return 1 + self.hellinger_excess(s)

    def hellinger_excess(self, s: np.ndarray) -> np.ndarray:
        """H(s) − 1 = Σ p (e^{sl} − 1 − s (e^l − 1)) + s Σ (q − p) − Pr_P[L = −∞], over finite losses.

        Σ (q − p) follows from the masses of infinite losses, so small losses keep their digits.
        """
        s = np.asarray(s)[..., None]
        loss, p, q = self.kinks, self.p[self._finite], self.q[self._finite]
        small = np.abs(loss) < 1
        near = np.where(small, loss, 0.0)
        with np.errstate(under="ignore"):
            away = _excess_of_large(s, loss, p, q)
            terms = np.where(small, p * (np.expm1(s * near) - s * np.expm1(near)), away)
            inner = np.sum(terms, axis=-1)
        return inner + s[..., 0] * (self.p_infinite - self.q_infinite) - self.p_infinite

    def hellinger_error(self, s: np.ndarray) -> np.ndarray:
        """Bound on the error of H(s), for complex s of any shape."""
        s = np.asarray(s)[..., None]
        loss, p, q = self.kinks, self.p[self._finite], self.q[self._finite]
        size, turns = np.abs(s), np.abs(s) * np.abs(loss)
        with np.errstate(under="ignore"):
            modulus = np.exp(self.log_p + np.real(s) * loss)
            terms = modulus * (self.relative_error + 8 * UNIT_ROUNDOFF * (4.0 + turns))
            rest = (p + size * (p + q)) * (self.relative_error + 8 * UNIT_ROUNDOFF)
            moved = np.sum(terms + rest + size * self.location_error * modulus, axis=-1)
        return moved + 8 * UNIT_ROUNDOFF * (1.0 + size[..., 0])

    # Powers.

    @cached_property
    def two(self) -> TwoLosses:
        """The step with these two finite losses."""
        if self.step is not None:
            return self.step
        finite = self._finite
        larger = np.maximum(self.p[finite], self.q[finite])
        return TwoLosses.from_larger_masses(self.kinks, larger, self.p_infinite, self.q_infinite)

    def _infinite(self, count: int) -> tuple[float, float]:
        """The probabilities of infinite losses in `count` steps."""
        p, q = (-math.expm1(count * math.log1p(-m)) if m < 1 else 1.0 for m in (self.p_infinite, self.q_infinite))
        return p, q

    def _counted(self, count: int) -> FiniteLaw:
        """The power by enumeration: the numbers of occurrences of the losses are multinomial."""
        counts = _multinomial_counts(count, self.kinks.size)
        loss = counts @ self.kinks
        log_p, log_q = (_log_multinomial(counts, log_mass) for log_mass in (self.log_p, self.log_q))
        location_error = count * (self.location_error + 2 * UNIT_ROUNDOFF * _largest(self.kinks))
        relative_error = count * self.relative_error + (64 + 4 * count) * UNIT_ROUNDOFF
        larger = np.where(loss < 0, log_p, log_q)
        return FiniteLaw.merged(loss, larger, *self._infinite(count), location_error, relative_error)

    @cached_property
    @with_fifty_digits
    def lowest(self) -> Decimal:
        """The smallest finite loss."""
        return self.two.losses[0] if self.kinks.size == 2 else Decimal(float(self.kinks[0]))

    @cached_property
    @with_fifty_digits
    def gaps(self) -> list[Decimal]:
        """The differences of the finite losses from the smallest."""
        if self.kinks.size == 2:
            return [Decimal(0), self.two.gap]
        return [Decimal(loss) - self.lowest for loss in self.kinks.tolist()]

    @cached_property
    @with_fifty_digits
    def unit(self) -> Decimal | None:
        """A step such that the finite losses exceed the smallest by multiples of it; None if there is none."""
        if self.kinks.size == 2:
            return self.gaps[1]
        return None if self._multiples is None else self.gaps[-1] / int(self._multiples[-1])

    @cached_property
    def _multiples(self) -> np.ndarray | None:
        """The distances of the losses from the smallest, as multiples of a common step; None if there is no such step,
        or it is too short."""
        if not 3 <= self.kinks.size <= _MOST_MULTIPLES + 1:
            return None
        above = self.kinks - self.kinks[0]
        if not above[1]:
            return None
        ratios = [Fraction(float(ratio)).limit_denominator(100) for ratio in above / above[1]]
        step = above[1] / math.lcm(*(ratio.denominator for ratio in ratios))
        if above[-1] / step > _MOST_MULTIPLES:
            return None
        multiples = np.rint(above / step)
        off = np.abs(above - multiples * (above[-1] / multiples[-1]))
        return multiples.astype(int) if off.max() <= 4 * self.location_error else None

    def _convolved(self, multiples: np.ndarray, count: int) -> FiniteLaw:
        """The power, by convolution of both distributions on the multiples of a step."""
        step = (self.kinks[-1] - self.kinks[0]) / multiples[-1]
        with np.errstate(under="ignore"):
            p, q = (power_of_masses(np.bincount(multiples, side[self._finite]), count) for side in (self.p, self.q))
            loss = count * self.kinks[0] + step * np.arange(p.size)
            kept = np.maximum(p, q) > 0
            loss, p, q = loss[kept], p[kept], q[kept]
            shrink = np.exp(-np.abs(loss))
            p, q = np.where(loss < 0, p, q * shrink), np.where(loss < 0, p * shrink, q)
        location_error = count * 5 * self.location_error + 4 * UNIT_ROUNDOFF * _largest(loss)
        relative_error = (
            count.bit_length() * (4 * UNIT_ROUNDOFF * math.sqrt(p.size) + 8 * UNIT_ROUNDOFF) + 4 * count * UNIT_ROUNDOFF
        )
        return FiniteLaw.of_finite(loss, p, q, *self._infinite(count), location_error, relative_error)

    # In the arrays below, entry n belongs to the n-th finite loss, and the last entry to any ε above all of them.

    @cached_property
    def _finite(self) -> np.ndarray:
        return np.isfinite(self.loss)

    @cached_property
    def p_infinite(self) -> float:
        """Pr_P[L = −∞]."""
        return float(self.p[self.loss == -np.inf].sum())

    @cached_property
    def q_infinite(self) -> float:
        """Pr_Q[L = +∞]."""
        return float(self.q[self.loss == np.inf].sum())

    @cached_property
    def _tail_p(self) -> np.ndarray:
        """Pr_P[L ≥ l_n]."""
        tail = np.minimum(_sums(self.p[self._finite][::-1])[::-1], 1.0)
        if self.p_infinite == 0:
            tail[:1] = 1.0
        return np.append(tail, 0.0)

    @cached_property
    def _head_q(self) -> np.ndarray:
        """Pr_Q[L < l_n]."""
        head = np.append(0.0, np.minimum(_sums(self.q[self._finite]), 1.0))
        if self.q_infinite == 0:
            head[-1] = 1.0
        return head

    @cached_property
    def _scaled_tail(self) -> np.ndarray:
        """S_n = Σ_{j≥n} q_j e^{l_n − l_j}, block by block from the largest losses to the smallest."""
        loss, log_q = self.kinks, self.log_q
        tail = np.zeros(loss.size + 1)
        end = loss.size
        if end and loss[-1] - loss[0] > _MANY_BLOCKS * _SPAN:
            # Losses are so far apart that only a few matter to each.
            within = np.searchsorted(loss, loss + LARGEST_LOSS) - np.arange(end)
            if within.max() <= _FEW_WITHIN:
                with np.errstate(under="ignore"):
                    for k in range(within.max()):
                        tail[: end - k] += np.exp(log_q[k:] - (loss[k:] - loss[: end - k]))
                return np.minimum(tail, 1.0)
        with np.errstate(under="ignore"):
            while end:
                last = loss[end - 1]
                start = int(np.searchsorted(loss, last - _SPAN))
                terms = np.exp(log_q[start:end] + (last - loss[start:end]))
                if end < loss.size:
                    terms[-1] += tail[end] * np.exp(last - loss[end])
                tail[start:end] = np.exp(loss[start:end] - last) * _sums(terms[::-1])[::-1]
                end = start
        return np.minimum(tail, 1.0)

    @cached_property
    def _knots(self) -> np.ndarray:
        """δ(l_n)."""
        with np.errstate(under="ignore"):
            steps = -self._scaled_tail[1:-1] * np.expm1(-np.diff(self.kinks))
        rises = np.concatenate([[0.0] if self.kinks.size else [], steps[::-1]])
        knots = self.q_infinite + _sums(rises)[::-1]
        return np.append(knots, self.q_infinite)


def _log_ratio(q: np.ndarray, p: np.ndarray) -> np.ndarray:
    """log(q/p) without cancellation where the two are close."""
    near = np.abs(q - p) < 0.5 * p
    with np.errstate(over="ignore"):
        return np.where(near, np.log1p(np.where(near, q - p, 0.0) / p), np.log(q) - np.log(p))


def _log_of_larger(own: np.ndarray, other: np.ndarray, loss: np.ndarray) -> np.ndarray:
    """log `own`, computed from the larger of `own` and `other`, where own = e^loss other."""
    with np.errstate(divide="ignore"):
        return np.where(loss < 0, np.log(other) + loss, np.log(own))


def _largest(loss: np.ndarray) -> float:
    return float(np.max(np.abs(loss), initial=0.0))


def _starts(loss: np.ndarray, tolerance: np.ndarray) -> np.ndarray:
    """The first index of each run of losses that are equal up to rounding."""
    first = np.ones(loss.shape, dtype=bool)
    first[1:] = np.diff(loss) > tolerance[1:]
    return np.flatnonzero(first)


def _excess_of_large(s: np.ndarray, loss: np.ndarray, p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """p (e^{sl} − 1 − s (e^l − 1)) for large losses l and real or complex s; accurate also near s = 0 and 1."""
    return np.where(
        np.real(s) > 0.5,
        q * np.expm1((s - 1.0) * loss) - (s - 1.0) * (q - p),
        p * np.expm1(s * loss) - s * (q - p),
    )


def _multinomial_counts(count: int, kinds: int) -> np.ndarray:
    """All ways to distribute `count` among `kinds`, one in each row."""
    counts, left = np.zeros((min(kinds, 1), 0), dtype=int), np.full(min(kinds, 1), count)
    for _ in range(kinds - 1):
        repeats = left + 1
        row = np.repeat(np.arange(left.size), repeats)
        taken = np.arange(row.size) - np.repeat(np.cumsum(repeats) - repeats, repeats)
        counts, left = np.column_stack([counts[row], taken]), left[row] - taken
    return np.column_stack([counts, left])[:, :kinds].astype(float)


def _log_multinomial(counts: np.ndarray, log_mass: np.ndarray) -> np.ndarray:
    """Logarithms of multinomial probabilities; the probabilities of the kinds may sum to less than one."""
    count = counts[:1].sum()
    total = logsumexp(log_mass) if log_mass.size else 0.0
    share = log_mass - total
    # Probabilities that would underflow are replaced by e^−700; `beyond` corrects for it.
    held = np.maximum(share, -LARGEST_LOSS)
    mean = count * np.exp(held)
    some = counts > 0
    with np.errstate(invalid="ignore"):
        beyond = np.where(some, counts * (share - held), 0.0)
    at_least = np.where(some, counts, 1.0)
    peaks = np.where(some, 0.5 * np.log(2 * math.pi * at_least) + stirling_error(at_least), 0.0)
    whole = 0.5 * np.log(2 * math.pi * count) + stirling_error(count) if count else 0.0
    return count * total + whole - np.sum(peaks - beyond + deviance_term(counts, mean, counts - mean), axis=-1)


def power_of_masses(mass: np.ndarray, count: int) -> np.ndarray:
    """The distribution of a sum of `count` independent whole numbers, as sums of positive terms."""
    power = np.ones(1)
    for bit in bin(count)[2:]:
        power = np.convolve(power, power)
        if bit == "1":
            power = np.convolve(power, mass)
    return power


def _sums(terms: np.ndarray) -> np.ndarray:
    """Cumulative sums in two levels, so that few rounding errors add up."""
    side = math.isqrt(max(terms.size, 1)) + 1
    rows = np.zeros(side * side)
    rows[: terms.size] = terms
    sums = np.cumsum(rows.reshape(side, side), axis=1)
    before = np.append(0.0, np.cumsum(sums[:-1, -1]))
    return (sums + before[:, None]).ravel()[: terms.size]
