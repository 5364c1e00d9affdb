"""One step of DP-SGD for a group: how many of its k members take part is a binomial number.

In units of the clip, with w_j = Pr[Bin(k, p) = j], a step is dominated by

    remove:  P = N(0, σ²),  Q = Σ_j w_j N(j, σ²)        add:  the same pair, exchanged,

where all gradients of the group are the same vector of norm 1; this is attained. With z the answer in units of σ and
r_j = e^(jz/σ − j²/2σ²) the loss is log Σ w_j r_j, which grows with z. With the Mills ratio m = (1 − Φ)/φ,

    δ(ε) = φ(z) Σ_j w_j r_j [m(z − j/σ) − m(z)],   positive terms; for `add` e^ε φ(z) Σ_j w_j r_j [m(−z) − m(j/σ − z)].

Source: Ganesh (2024).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import erfcx, gammaln, log_ndtr, logsumexp, ndtr

from .._validation import choice, positive_integer
from ..evaluation.from_profile import integral
from ..evaluation.polynomials import gauss
from .base import Mechanism
from .directed import DIRECTIONS, Directed
from .gaussian import Gaussian
from .subsampled import SubsampledGaussian

_MOST_MEMBERS = 100
# Steps of Newton's method, smallest noise for which squares of answers do not overflow, and the largest answer.
_NEWTON, _SETTLED, _NOISE, _FURTHEST = 60, 1e-10, (0.01, 1e6), 1e8
# Terms below e^−40 of the largest are negligible, as are weights relative to that of nobody; and answers per batch.
_SMALL_TERMS, _NO_WEIGHT, _AT_ONCE = 80.0, 1e-18, 4096
_NODES, _WEIGHTS = gauss(10)
# Integrals up to such exponents by so many points; and how far from a center an integrand is cut, in deviations.
_INTEGRATED = 30.0
_FINE_NODES, _FINE_WEIGHTS = gauss(40)
_AROUND = np.array([0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 40.0])


@dataclass(frozen=True, eq=False)
class SubsampledGaussianGroup(Directed):
    """One Poisson-subsampled Gaussian step, for groups of examples that are all in the data or all not.

    Exact in each direction. Powers are had between two laws on a grid, and say how far apart these are.

    Parameters
    ----------
    noise_multiplier : float
        σ, as for `SubsampledGaussian`; in [0.01, 1e6].
    sampling_rate : float
        p in (0, 1], the probability with which each member takes part.
    members : int
        k, the size of the group, at most 100.
    direction : {"both", "add", "remove"}
        As for `SubsampledGaussian`.

    Raises
    ------
    ValueError, TypeError
        If a parameter is outside its range, or `members` not an integer.

    References
    ----------
    Ganesh (2024).

    Examples
    --------
    >>> import dptutor as dp
    >>> m = dp.SubsampledGaussianGroup(1, 0.1, members=3)
    >>> round(m.epsilon(1e-5), 4), round(dp.SubsampledGaussian(1, 0.1).epsilon(1e-5), 4)
    (5.6162, 1.6845)

    """

    noise_multiplier: float
    sampling_rate: float
    members: int
    direction: str = "both"

    def __post_init__(self) -> None:
        step = SubsampledGaussian(self.noise_multiplier, self.sampling_rate)
        low, high = _NOISE
        if not low <= step.noise_multiplier <= high:
            raise ValueError(f"noise_multiplier must be in [{low:g}, {high:g}], got {step.noise_multiplier!r}")
        object.__setattr__(self, "noise_multiplier", step.noise_multiplier)
        object.__setattr__(self, "sampling_rate", step.sampling_rate)
        object.__setattr__(self, "members", positive_integer("members", self.members))
        if self.members > _MOST_MEMBERS:
            raise ValueError(f"members must be at most {_MOST_MEMBERS}, got {self.members}")
        choice("direction", self.direction, DIRECTIONS)

    @cached_property
    def _removal(self) -> Mechanism:
        if self.sampling_rate == 1.0:
            return Gaussian(self.noise_multiplier, self.members)
        if self.members == 1:
            return SubsampledGaussian(self.noise_multiplier, self.sampling_rate, "remove")
        return _Removal(self.noise_multiplier, self.sampling_rate, self.members)


@dataclass(frozen=True, eq=False)
class _Removal(Mechanism):
    """P without the group against Q with it, or the reverse."""

    noise: float
    rate: float
    members: int
    is_reversed: bool = False

    def __repr__(self) -> str:
        direction = "add" if self.is_reversed else "remove"
        return (
            f"SubsampledGaussianGroup(noise_multiplier={self.noise!r}, sampling_rate={self.rate!r}, "
            f"members={self.members!r}, direction={direction!r})"
        )

    @cached_property
    def reverse(self) -> _Removal:
        return _Removal(self.noise, self.rate, self.members, not self.is_reversed)

    @cached_property
    def _log_weights(self) -> tuple[np.ndarray, np.ndarray]:
        """log w_j, and j/σ."""
        k, j = self.members, np.arange(self.members + 1.0)
        logs = gammaln(k + 1) - gammaln(j + 1) - gammaln(k - j + 1)
        return logs + j * math.log(self.rate) + (k - j) * math.log1p(-self.rate), j / self.noise

    def _loss_range(self) -> tuple[float, float]:
        lowest = self.members * math.log1p(-self.rate)
        return (-math.inf, -lowest) if self.is_reversed else (lowest, math.inf)

    def _answer(self, epsilon: np.ndarray) -> np.ndarray:
        """The answer at which the loss of removal is ε; −∞ below the smallest.

        log Σ_{j≥1} w_j r_j is convex in it, with a slope from 1/σ to k/σ: Newton's method from above.
        """
        epsilon = np.asarray(epsilon, dtype=float)
        with np.errstate(divide="ignore"):
            room = -np.expm1(self.members * math.log1p(-self.rate) - epsilon)
            goal = np.where(room > 0, epsilon + np.log(np.maximum(room, 0.0)), -np.inf)
        z = np.where(epsilon == np.inf, np.inf, -np.inf)
        known = np.flatnonzero(np.isfinite(goal))
        for few in np.array_split(known, max(1, known.size // _AT_ONCE)):
            z.reshape(-1)[few] = self._root(goal.reshape(-1)[few])
        return z

    @cached_property
    def _largest_terms(self) -> np.ndarray:
        """The sums up to which w_j r_j is the largest term, j from 1 on."""
        log_w, shift = (each[1:] for each in self._log_weights)
        # Where j and j + 1 take turns, which is later for larger j, as log w_j is concave.
        turn = self.noise * -np.diff(log_w) + (shift[1:] + shift[:-1]) / 2
        return (log_w + shift * np.append(turn, math.inf) - shift**2 / 2)[:-1]

    def _root(self, goal: np.ndarray) -> np.ndarray:
        """Where log Σ_{j≥1} w_j r_j is `goal`."""
        log_w, shift = (each[1:] for each in self._log_weights)
        most = np.searchsorted(self._largest_terms, goal)
        z = (goal - log_w[most]) / shift[most] + shift[most] / 2
        # Away from the largest term others fall like e^{−d²/2σ²}; it changes by less than σ² log Σ/max.
        width = math.ceil(self.noise * math.sqrt(_SMALL_TERMS) + self.noise**2 * math.log(3.0 + 2.6 * self.noise)) + 2
        first = np.clip(most - width, 0, max(len(shift) - 2 * width - 1, 0))
        window = np.arange(min(2 * width + 1, len(shift)))
        moving = np.arange(goal.size)
        # Each stops on its own, so that none depends on the others.
        for _ in range(_NEWTON):
            near = first[moving, None] + window
            own = shift[near]
            terms = (log_w - shift**2 / 2)[near] + own * z[moving, None]
            largest = terms.max(axis=-1)
            shares = np.exp(terms - largest[:, None])
            total = np.sum(shares, axis=-1)
            step = (largest + np.log(total) - goal[moving]) * total / np.sum(shares * own, axis=-1)
            z[moving] -= step
            # The next step would be about the square of this one.
            moving = moving[np.abs(step) > _SETTLED * (1.0 + np.abs(z[moving]))]
            if not moving.size:
                break
        return z

    @cached_property
    def _few_weights(self) -> tuple[np.ndarray, np.ndarray]:
        """w_j, and j/σ, without those negligible relative to w_0, whose Φ(z − j/σ) is the largest."""
        log_w, shift = self._log_weights
        weights = np.exp(log_w)
        rest = np.append(np.cumsum(weights[:0:-1])[::-1], 0.0)
        few = int(np.argmax(rest <= _NO_WEIGHT * weights[0])) + 1
        return weights[:few], shift[:few]

    def _errors(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        z = self._answer(np.negative(epsilon) if self.is_reversed else epsilon)
        below = np.zeros(z.shape)
        for weight, shift in zip(*self._few_weights, strict=True):
            below += weight * ndtr(z - shift)
        below = np.minimum(below, 1.0)
        return (below, ndtr(-z)) if self.is_reversed else (ndtr(-z), below)

    def _renyi(self, order: np.ndarray) -> np.ndarray:
        return np.reshape([self._of_order(s) for s in np.ravel(order)], np.shape(order))

    def _of_order(self, order: float) -> float:
        """D_s from the excess H(t) − 1 = E_P[r^t − 1 − t(r − 1)] of the likelihood ratio r, t = s or 1 − s: all its
        terms have one sign; of order 1 that of r log r or −log r. In units of its largest term, as H may overflow.
        """
        t = 1.0 - order if self.is_reversed else order
        shift = self._log_weights[1]
        # Where one number of members contributes most, and the scales on which that changes.
        centers = np.unique(np.concatenate([[0.0], t * shift, shift]))
        around = np.concatenate([-_AROUND[::-1], [0.0], _AROUND])
        beside = np.concatenate([around, around * min(self.noise, 1.0)])
        cuts = np.unique(np.add.outer(centers, beside))
        cuts = cuts[np.append(np.diff(cuts) > 1e-9 * (1.0 + np.abs(cuts[1:])), True)]

        def log_terms(z: np.ndarray) -> np.ndarray:
            loss = self._loss_at(z)
            return _log_excess(loss, t, order == 1.0) - z**2 / 2

        largest = float(np.max(log_terms((cuts[1:] + cuts[:-1]) / 2)))
        if largest == -math.inf:
            return 0.0
        area = integral(lambda z: np.exp(log_terms(z) - largest), cuts) / math.sqrt(2 * math.pi)
        log_excess = largest + math.log(area)
        if order == 1.0:
            return math.exp(log_excess)
        if t * (t - 1.0) > 0:
            return float(np.logaddexp(0.0, log_excess)) / (order - 1.0)
        return math.log1p(-math.exp(log_excess)) / (order - 1.0)

    def _loss_at(self, z: np.ndarray) -> np.ndarray:
        """log r at an answer, of removal; with the digits of what differs from 0."""
        log_w, shift = self._log_weights
        with np.errstate(over="ignore"):
            exponent = shift * z[..., None] - shift**2 / 2
            change = np.sum(np.exp(log_w) * np.expm1(exponent), axis=-1)
        near = (change > -0.5) & (change < 1.0)
        return np.where(near, np.log1p(np.where(near, change, 0.0)), logsumexp(log_w + exponent, axis=-1))

    def _delta(self, epsilon: np.ndarray) -> np.ndarray:
        epsilon = np.asarray(epsilon, dtype=float)
        z = self._answer(-epsilon if self.is_reversed else epsilon)
        certain = -np.expm1(np.minimum(epsilon, 0.0))
        value, finite = (
            np.atleast_1d(np.where((z > 0) != self.is_reversed, 0.0, certain)),
            np.atleast_1d(np.abs(z) < _FURTHEST),
        )
        value[finite] = self._difference(np.atleast_1d(epsilon)[finite], np.atleast_1d(z)[finite])
        return value.reshape(epsilon.shape)

    def _difference(self, epsilon: np.ndarray, z: np.ndarray) -> np.ndarray:
        """δ where the answer is z."""
        log_w, shift = self._log_weights
        answer, tail = z[:, None], (-z if self.is_reversed else z)[:, None]
        with np.errstate(under="ignore", over="ignore", invalid="ignore"):
            log_ratio = shift * answer - shift**2 / 2
            own, other = log_ndtr(-tail), log_ndtr(-(tail + shift if self.is_reversed else tail - shift))
            # Of removal Pr[Z > z − s] − r Pr[Z > z], of addition r Pr[Z ≤ z] − Pr[Z ≤ z − s].
            larger, smaller = (log_ratio + own, other) if self.is_reversed else (other, log_ratio + own)
            log_scaled = log_w + self.is_reversed * epsilon[:, None]
            far = np.exp(larger + log_scaled) * -np.expm1(np.minimum(smaller - larger, 0.0))
            # Differences of Mills ratios as integrals over 1 − x m(x), where they are small.
            close = shift < 0.5
            start = tail if self.is_reversed else tail - shift[close]
            x = np.maximum(start[..., None] + shift[close, None] * (1 + _NODES) / 2, -8.0)
            slope = 1.0 - x * math.sqrt(math.pi / 2) * erfcx(x / math.sqrt(2))
            mills = shift[close] / 2 * np.sum(slope * _WEIGHTS, axis=-1)
            log_density = -(answer**2) / 2 - math.log(2 * math.pi) / 2
            far[:, close] = np.exp(log_scaled[:, close] + log_ratio[:, close] + log_density) * mills
            inside = np.sum(far, axis=1)
            # Where nearly all is in the tail, 1 − e^ε and what is not.
            weights, rest = np.exp(log_w), ndtr(tail[:, 0])
            if self.is_reversed:
                outside = -np.expm1(epsilon) + np.exp(epsilon) * np.sum(ndtr(shift - answer) * weights, axis=1) - rest
            else:
                outside = -np.expm1(epsilon) + np.exp(epsilon) * rest - np.sum(ndtr(answer - shift) * weights, axis=1)
        return np.where((tail[:, 0] > -5.0) | (epsilon > 0.0), np.minimum(inside, 1.0), outside)


def _log_excess(loss: np.ndarray, t: float, derived: bool) -> np.ndarray:
    """log |e^{tl} − 1 − t (e^l − 1)|, and where `derived` that of its derivative in t, at t = 1 or 0."""
    size = abs(t)
    near = np.abs(loss) * max(1.0, size) < _INTEGRATED
    # As integrals from 0 to l of terms of one sign.
    x = np.where(near, loss, 0.0)[..., None] * (1.0 + _FINE_NODES) / 2
    if derived:
        inner = x * np.exp(x) if t else np.expm1(x)
    else:
        inner = size * np.exp(x) * np.expm1((t - 1.0) * x)
    with np.errstate(divide="ignore"):
        within = np.log(np.abs(np.where(near, loss, 0.0) * np.sum(inner * _FINE_WEIGHTS, axis=-1) / 2))
    away = np.where(near, _INTEGRATED, loss)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        if derived and t:
            beyond = np.where(
                away > 0, away + np.log(away - 1.0), np.log1p((away - 1.0) * np.exp(np.minimum(away, 0.0)))
            )
        elif derived:
            beyond = np.where(away > 0, away, np.log(-1.0 - away))  # next to e^30
        elif t < 0:
            beyond = _log_difference(np.logaddexp(t * away, math.log(size) + away), math.log1p(size))
        elif t > 1:
            beyond = _log_difference(np.logaddexp(t * away, math.log(t - 1.0)), math.log(t) + away)
        else:
            beyond = _log_difference(np.logaddexp(math.log1p(-t), math.log(t) + away), t * away)
    return np.where(near, within, beyond)


def _log_difference(more: np.ndarray, less: np.ndarray | float) -> np.ndarray:
    """log(e^more − e^less)."""
    return more + np.log(-np.expm1(np.minimum(less - more, 0.0)))
