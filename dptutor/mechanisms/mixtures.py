"""A mixture of normal distributions against one of them: an example contributes a random amount, of given weights.

In units of σ let the answer z have the law N(0, 1) without an example, and Σ_j w_j N(s_j, 1) with it, where s_j ≥ 0:

    remove:  P = N(0, 1),  Q = Σ_j w_j N(s_j, 1)        add:  the same pair, exchanged.

*Vectors of norms s_j are no worse.* With N(0)(S) = Φ(−t), no law N(c_j) gives S more than Φ(|c_j| − t), or less than
Φ(−|c_j| − t), by Neyman and Pearson. One half-space attains all these at once where the vectors have one direction, so
that sup_S Q(S) − e^ε P(S) and sup_S P(S) − e^ε Q(S) are largest there; and both grow with each s_j.

With r_j = e^(s_j z − s_j²/2) the loss is log Σ w_j r_j, which grows with z. With the Mills ratio m = (1 − Φ)/φ,

    δ(ε) = φ(z) Σ_j w_j r_j [m(z − s_j) − m(z)],   positive terms; for `add` e^ε φ(z) Σ_j w_j r_j [m(−z) − m(s_j − z)].

Source: Choquette-Choo, Ganesh, Steinke & Thakurta (2024).
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import erfcx, log_ndtr, logsumexp, ndtr

from .._floats import LAST_PLACE
from .._validation import choice, positive_number, probabilities, real_array
from ..evaluation.polynomials import gauss
from ..evaluation.renyi_areas import renyi_of_answers
from .base import Mechanism
from .directed import DIRECTIONS, Directed
from .finite import PerfectPrivacy
from .subsampled import SubsampledGaussian

# Allowed sizes of the s_j that are not 0.
SHIFTS = (1e-6, 1e4)
# Answers beyond this have no mass.
_FURTHEST = 1e8
# Largest number of steps of Newton's method,
_NEWTON = 60
# which ends when a step is smaller than this, relatively.
_SETTLED = 1e-10
_MOST_COMPONENTS = 101
# Components with a smaller weight, relative to that of 0, are negligible.
_NO_WEIGHT = 1e-18
# Number of answers that are evaluated together.
_AT_ONCE = 4096
_NODES, _WEIGHTS = gauss(10)


@dataclass(frozen=True, eq=False)
class GaussianMixture(Directed):
    """Normal noise on a number to which an example adds one of several amounts, at random and in secret.

    Exact: attained in each direction. Amounts may be vectors of these norms, which are no worse. Powers are had between
    two laws on a grid, and say how far apart these are.

    Parameters
    ----------
    sigma : float
        Standard deviation of the noise, positive, in the units of the amounts.
    sensitivities : sequence of float
        The amounts, not negative, at most 101 of them, not all 0; those that are not 0 are from 1e-6 to 1e4 times σ.
    probabilities : sequence of float
        Their probabilities, which sum to one.
    direction : {"both", "add", "remove"}
        As for `SubsampledGaussian`.

    Raises
    ------
    ValueError, TypeError
        If a parameter is outside its range, or the two sequences are not equally long.

    References
    ----------
    Choquette-Choo, Ganesh, Steinke & Thakurta (2024).

    Examples
    --------
    An example that takes part once with probability 0.2, and twice with probability 0.1:

    >>> import dptutor as dp
    >>> m = dp.GaussianMixture(sigma=1, sensitivities=[0, 1, 2], probabilities=[0.7, 0.2, 0.1])
    >>> round(m.epsilon(1e-5), 4), round(dp.SubsampledGaussian(1, 0.3).epsilon(1e-5), 4)
    (6.6213, 2.9215)
    """

    sigma: float
    sensitivities: tuple[float, ...]
    probabilities: tuple[float, ...]
    direction: str = "both"

    def __post_init__(self) -> None:
        object.__setattr__(self, "sigma", positive_number("sigma", self.sigma))
        amounts = real_array("sensitivities", self.sensitivities, 0.0)
        weights = probabilities("probabilities", self.probabilities)
        if amounts.shape != (len(weights),):
            raise ValueError(
                f"sensitivities and probabilities must be equally long, got {amounts.size} and {len(weights)} numbers"
            )
        if amounts.size > _MOST_COMPONENTS:
            raise ValueError(f"sensitivities must be at most {_MOST_COMPONENTS} numbers, got {amounts.size}")
        (low, high), shifts = SHIFTS, amounts[amounts > 0] / self.sigma
        if not (shifts.size and low <= shifts.min() and shifts.max() <= high):
            raise ValueError(f"sensitivities must be 0 or from {low:g} to {high:g} times sigma, and not all 0, "
                             f"got {amounts.tolist()!r} with sigma {self.sigma!r}")  # fmt: skip
        object.__setattr__(self, "sensitivities", tuple(amounts.tolist()))
        object.__setattr__(self, "probabilities", weights)
        choice("direction", self.direction, DIRECTIONS)

    @cached_property
    def _components(self) -> tuple[np.ndarray, np.ndarray]:
        """The amounts of positive weight and 0, increasing, in units of σ, and their weights."""
        amounts, place = np.unique([0.0, *self.sensitivities], return_inverse=True)
        weights = np.bincount(place, [0.0, *self.probabilities])
        some = (weights > 0) | (amounts == 0)
        return amounts[some] / self.sigma, weights[some] / math.fsum(weights)

    @cached_property
    def _removal(self) -> Mechanism:
        shifts, weights = self._components
        if shifts.size == 1:
            return PerfectPrivacy()
        if shifts.size == 2:
            # With a single amount it is a subsampled Gaussian step.
            return SubsampledGaussian(1.0 / float(shifts[1]), float(weights[1]), "remove")
        with np.errstate(divide="ignore"):
            return MixturePair(self._towards("remove"), shifts, np.log(weights))


@dataclass(frozen=True, eq=False)
class MixturePair(Mechanism):
    """P without the example against Q with it, or the reverse; shifts, the first of which is 0, and log weights."""

    named: Directed
    shifts: np.ndarray
    log_weights: np.ndarray
    is_reversed: bool = False

    @cached_property
    def _key(self) -> Hashable:
        return "MixturePair", tuple(self.shifts.tolist()), tuple(self.log_weights.tolist()), self.is_reversed

    def __repr__(self) -> str:
        return repr(self.named.reverse if self.is_reversed else self.named)

    @cached_property
    def reverse(self) -> MixturePair:
        return MixturePair(self.named, self.shifts, self.log_weights, not self.is_reversed)

    @property
    def error_bound(self) -> float:
        return max(super().error_bound, LAST_PLACE * 4.0 * float(self.shifts[-1]) ** 2)

    def _loss_range(self) -> tuple[float, float]:
        lowest = float(self.log_weights[0])
        return (-math.inf, -lowest) if self.is_reversed else (lowest, math.inf)

    def _answer(self, epsilon: np.ndarray) -> np.ndarray:
        """The answer at which the loss of removal is ε; −∞ below the smallest."""
        epsilon = np.asarray(epsilon, dtype=float)
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):  # also where no amount is 0
            room = -np.expm1(self.log_weights[0] - epsilon)
            goal = np.where(room > 0, epsilon + np.log(np.maximum(room, 0.0)), -np.inf)
        z = np.where(epsilon == np.inf, np.inf, -np.inf)
        known = np.flatnonzero(np.isfinite(goal))
        for few in np.array_split(known, max(1, known.size // _AT_ONCE)):
            z.reshape(-1)[few] = self._root(goal.reshape(-1)[few])
        return z

    def _root(self, goal: np.ndarray) -> np.ndarray:
        """The answer at which log Σ_{j≥1} w_j r_j is `goal`, by Newton's method from above, as it is convex and
        increasing. It starts where one term alone is that large."""
        log_w, shift = self.log_weights[1:], self.shifts[1:]
        z = np.min((goal[:, None] - log_w) / shift + shift / 2, axis=1)
        moving = np.arange(goal.size)
        # Each element stops on its own, so that its digits do not depend on the others.
        for _ in range(_NEWTON):
            terms = log_w - shift**2 / 2 + shift * z[moving, None]
            largest = terms.max(axis=-1)
            shares = np.exp(terms - largest[:, None])
            total = np.sum(shares, axis=-1)
            step = (largest + np.log(total) - goal[moving]) * total / np.sum(shares * shift, axis=-1)
            z[moving] -= step
            # Convergence is quadratic: the next step would be negligible.
            moving = moving[np.abs(step) > _SETTLED * (1.0 + np.abs(z[moving]))]
            if not moving.size:
                break
        return z

    @cached_property
    def _few_weights(self) -> tuple[np.ndarray, np.ndarray]:
        """w_j and s_j, without negligible components."""
        weights = np.exp(self.log_weights)
        rest = np.append(np.cumsum(weights[:0:-1])[::-1], 0.0)
        few = int(np.argmax(rest <= _NO_WEIGHT * weights[0])) + 1
        return weights[:few], self.shifts[:few]

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
        t, shifts = 1.0 - order if self.is_reversed else order, np.append(0.0, self.shifts)
        return renyi_of_answers(self._loss_at, lambda z: -(z**2) / 2, order, t, np.append(shifts, t * shifts))

    def _loss_at(self, z: np.ndarray) -> np.ndarray:
        """The loss of removal at an answer, accurate also close to 0."""
        log_w, shift = self.log_weights, self.shifts
        exponent = shift * z[..., None] - shift**2 / 2
        change = np.sum(np.exp(log_w) * np.expm1(np.minimum(exponent, 600.0)), axis=-1)
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
        """δ at the loss of the answer z."""
        log_w, shift = self.log_weights, self.shifts
        answer, tail = z[:, None], (-z if self.is_reversed else z)[:, None]
        with np.errstate(under="ignore", over="ignore", invalid="ignore"):
            log_ratio = shift * answer - shift**2 / 2
            own, other = log_ndtr(-tail), log_ndtr(-(tail + shift if self.is_reversed else tail - shift))
            # Removal: Pr[Z > z − s] − r Pr[Z > z]; addition: r Pr[Z ≤ z] − Pr[Z ≤ z − s].
            larger, smaller = (log_ratio + own, other) if self.is_reversed else (other, log_ratio + own)
            log_scaled = log_w + self.is_reversed * epsilon[:, None]
            far = np.exp(larger + log_scaled) * -np.expm1(np.minimum(smaller - larger, 0.0))
            # In the tail the difference of Mills ratios of a small shift is an integral of 1 − x m(x).
            close = shift < 0.5
            start = tail if self.is_reversed else tail - shift[close]
            x = np.maximum(start[..., None] + shift[close, None] * (1 + _NODES) / 2, -8.0)
            slope = 1.0 - x * math.sqrt(math.pi / 2) * erfcx(x / math.sqrt(2))
            mills = shift[close] / 2 * np.sum(slope * _WEIGHTS, axis=-1)
            log_density = -(answer**2) / 2 - math.log(2 * math.pi) / 2
            in_tail = np.exp(log_scaled[:, close] + log_ratio[:, close] + log_density) * mills
            far[:, close] = np.where(tail > -5.0, in_tail, far[:, close])
            inside = np.sum(far, axis=1)
            # If almost all mass is in the tail: 1 − e^ε plus a correction.
            weights, rest = np.exp(log_w), ndtr(tail[:, 0])
            if self.is_reversed:
                outside = -np.expm1(epsilon) + np.exp(epsilon) * np.sum(ndtr(shift - answer) * weights, axis=1) - rest
            else:
                outside = -np.expm1(epsilon) + np.exp(epsilon) * rest - np.sum(ndtr(answer - shift) * weights, axis=1)
        return np.where((tail[:, 0] > -5.0) | (epsilon > 0.0), np.minimum(inside, 1.0), outside)
