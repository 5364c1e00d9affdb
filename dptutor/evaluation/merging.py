"""Finite experiments with fewer losses, and faces that allow for what they leave out.

If two outcomes are not told apart, an experiment reveals no more than before. Conversely, whoever sees the merged
outcome, of masses p and q, can draw one of the two: by their shares under P, whose law is then right under P and off by
q T under Q, or by their shares under Q, which is right under Q and off by p T under P. T is the total variation between
the shares. With l < l' the two losses, s the share of l under P and t' that of l' under Q, T = s t' (1 − e^(l − l')).
So δ of the merged experiment is at most the true one, which is at most

    δ + Σ T min(q, e^ε p),

over all mergers, each counted as often as its experiment is used: in a composition, the total variations of the parts
under P add up, and so do those under Q. At −ε the same bound holds for the reverse pair, times e^ε.

δ is a sum of terms that decrease in the mass under P. So a loss beyond c may be lowered to c, as if P had the mass
q e^−c there: that makes δ smaller, by at most min(q, e^ε q e^−c); and so with −c.

To leave out a part altogether is to merge all its outcomes: T p and T q are at most its total variation.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any, TypeAlias

import numpy as np
from scipy.special import expit, log_expit

from .._floats import UNIT_ROUNDOFF
from .by_lines import ByLines
from .evaluator import Evaluator
from .finite_law import FiniteLaw
from .squaring import by_squaring

# Mergers are chosen such that errors are small up to this ε, in both directions.
_UP_TO = 400.0
# Losses beyond this are lowered to it.
_FAR = 500.0
# Relative rounding error of the sum of errors.
_ROUNDING = 1e-9
# Number of cells for each unit of loss, in which errors are added.
_CELLS = 16
# Largest number of sums of two losses: more take seconds.
_MOST_SUMS = 2**22


@dataclass(frozen=True, eq=False)
class Excess:
    """How much larger the true δ may be, at ε of either sign: Σ min(T q, e^ε T p)."""

    log_p: np.ndarray  # log T p
    log_q: np.ndarray

    @classmethod
    def of_part(cls, distance: float) -> Excess:
        """That of a part with this total variation that is left out."""
        log = np.log(np.array([max(distance, 1e-300)]))
        return cls(log, log)

    @classmethod
    def gathered(cls, log_p: np.ndarray, log_q: np.ndarray) -> Excess:
        """At least that of all entries, of which those with nearly the same loss are added: Σ min ≤ min of the sums."""
        cell = np.round(_CELLS * (log_q - log_p))
        order = np.argsort(cell)
        starts = np.flatnonzero(np.diff(cell[order], prepend=-np.inf))
        return cls(*(np.logaddexp.reduceat(log[order], starts) for log in (log_p, log_q)))

    @classmethod
    def total(cls, each: list[tuple[Excess, int]]) -> Excess:
        """That of several parts, each with its number of uses."""
        sides = [[getattr(one, side) + np.log(count) for one, count in each] for side in ("log_p", "log_q")]
        return cls.gathered(*(np.concatenate([np.empty(0), *side]) for side in sides))

    @cached_property
    def reverse(self) -> Excess:
        """That of the reverse pair."""
        return Excess(self.log_q, self.log_p)

    @cached_property
    def _sums(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Losses, increasing; Σ T q up to each, from none on; log Σ T p beyond each."""
        loss = self.log_q - self.log_p
        order = np.argsort(loss)
        below = np.append(0.0, np.cumsum(np.exp(self.log_q[order])))
        beyond = np.append(np.logaddexp.accumulate(self.log_p[order][::-1])[::-1], -np.inf)
        return loss[order], below, beyond

    def at(self, epsilon: np.ndarray) -> np.ndarray:
        """The bound at ε."""
        loss, below, beyond = self._sums
        place = np.searchsorted(loss, epsilon, side="right")
        with np.errstate(under="ignore", invalid="ignore"):
            scaled = np.where(np.isneginf(beyond[place]), 0.0, np.exp(np.minimum(epsilon + beyond[place], 0.0)))
        return np.minimum((below[place] + scaled) * (1.0 + _ROUNDING), 1.0)


_Sum: TypeAlias = tuple[FiniteLaw, Excess, int]  # with its number of terms


def merged_sum(laws: list[tuple[FiniteLaw, int]], allowed: float, symmetric: bool) -> tuple[FiniteLaw, Excess]:
    """The law of a sum of losses, given as pairs of a law and its number of copies, with fewer losses; and how much
    larger the true δ may be.

    Two laws are added at a time, and losses merged after each addition, at a total cost of at most `allowed`, usually
    a thousandth of it, at every ε up to 400.

    Raises
    ------
    TooManyAtoms
        If too many losses remain.
    """
    uses = sum(count for _, count in laws)
    # As many additions at most.
    allowed /= sum(2 * count.bit_length() for _, count in laws)

    def fewer(law: FiniteLaw, size: int) -> tuple[FiniteLaw, Excess]:
        return merged(law, allowed * size / uses / (2.0 * max(law.kinks.size, 1)), symmetric)

    def added(first: _Sum, second: _Sum) -> _Sum:
        (law, excess, size), (other, its_excess, its_size) = first, second
        both, own = fewer(law.composed(other, _MOST_SUMS, apart=True), size + its_size)
        return both, Excess.total([(excess, 1), (its_excess, 1), (own, 1)]), size + its_size

    powers = (by_squaring((*fewer(law, 1), 1), count, added) for law, count in laws)
    return reduce(added, sorted(powers, key=lambda power: power[0].kinks.size))[:2]


def merged(law: FiniteLaw, allowed: float, symmetric: bool) -> tuple[FiniteLaw, Excess]:
    """A law with fewer losses, and how much larger the true δ may be.

    Neighboring losses are merged if that costs at most `allowed` at every ε up to 400, in both directions. A law that
    is its own mirror image stays so if `symmetric`.
    """
    # Masses may underflow under both.
    some = np.maximum(law.log_p, law.log_q) > -np.inf
    loss, log_p, log_q = law.kinks[some], law.log_p[some], law.log_q[some]
    at_0 = loss == 0
    high, low = loss > _FAR, loss < -_FAR
    far = [
        np.array([log_q[high] - _FAR, log_q[high]]),
        np.array([log_p[low], log_p[low] - _FAR]),
    ]
    loss = np.clip(loss, -_FAR, _FAR)
    log_p, log_q = np.where(high, log_q - loss, log_p), np.where(low, log_p + loss, log_q)
    if symmetric:
        first = [0] if at_0.any() else []
        middle = loss[at_0][:1], *(np.logaddexp.reduceat(log[at_0], first) for log in (log_p, log_q))
        right = loss > 0
        loss, log_p, log_q, rows, depth = _paired(loss[right], log_p[right], log_q[right], allowed)
        loss, log_p, log_q = (
            np.concatenate([left[::-1], own, right])
            for left, own, right in zip((-loss, log_q, log_p), middle, (loss, log_p, log_q), strict=True)
        )
        rows = np.concatenate([rows, rows[::-1]], axis=1)
    else:
        loss, log_p, log_q, rows, depth = _paired(loss, log_p, log_q, allowed)
    with np.errstate(under="ignore"):
        p, q = np.exp(log_p), np.exp(log_q)
    size = float(np.max(np.abs(loss), initial=0.0))
    rows = np.concatenate([*far, rows], axis=1)
    rows = rows[:, np.isfinite(rows).all(axis=0)]
    few = FiniteLaw.of_finite(
        loss,
        p,
        q,
        law.p_infinite,
        law.q_infinite,
        law.location_error + 16 * depth * UNIT_ROUNDOFF * (1.0 + size),
        law.relative_error + (16 * depth + 8) * UNIT_ROUNDOFF,
        missing=law.missing,
    )
    return few, Excess.gathered(*rows)


def _paired(loss: np.ndarray, log_p: np.ndarray, log_q: np.ndarray, allowed: float) -> tuple[Any, ...]:
    """Losses and logarithms of masses, log T p and log T q of all mergers, and how many are nested."""
    rows, first, idle, depth = [np.empty((2, 0))], 0, 0, np.zeros(loss.shape, dtype=int)
    while idle < 2 and loss.size > 1:
        left = np.arange(first, loss.size - 1, 2)
        right = left + 1
        distance = loss[right] - loss[left]
        own_p, own_q = np.logaddexp(log_p[left], log_p[right]), np.logaddexp(log_q[left], log_q[right])
        with np.errstate(divide="ignore", under="ignore"):
            log_t = (log_p[left] - own_p) + (log_q[right] - own_q) + np.log(-np.expm1(-distance))
            small, large = np.minimum(own_p, own_q), np.maximum(own_p, own_q)
            fine = log_t + np.minimum(large, small + _UP_TO) <= np.log(allowed)
        idle = 0 if fine.any() else idle + 1
        first = 1 - first
        if not fine.any():
            continue
        left, right, log_t, own_p, own_q = left[fine], right[fine], log_t[fine], own_p[fine], own_q[fine]
        known = np.isfinite(log_t)
        rows.append(np.array([log_t + own_p, log_t + own_q])[:, known])
        # The shares under P sum to 1, however its masses are rounded.
        share = log_expit(np.array([1.0, -1.0])[:, None] * (log_p[left] - log_p[right]))
        place = loss[left] + np.logaddexp(share[0], share[1] + distance[fine])
        place = np.clip(place, loss[left], loss[right])
        # Of the two masses the smaller one follows from the larger.
        log_p, log_q, loss = log_p.copy(), log_q.copy(), loss.copy()
        loss[left] = place
        log_p[left] = np.where(place < 0, own_p, own_q - place)
        log_q[left] = np.where(place < 0, own_p + place, own_q)
        depth[left] = np.maximum(depth[left], depth[right]) + 1
        kept = np.ones(loss.shape, dtype=bool)
        kept[right] = False
        loss, log_p, log_q, depth = loss[kept], log_p[kept], log_q[kept], depth[kept]
    return loss, log_p, log_q, np.concatenate(rows, axis=1), int(depth.max(initial=0))


class ExceededFaces(ByLines):
    """Faces of a composition from those of one that reveals less, and from how much larger the true δ may be.

    Parameters
    ----------
    few : Evaluator
        The faces of the composition that reveals less.
    excess : Excess
    infinite : tuple of float
        Pr_Q[L = +∞] and Pr_P[L = −∞].
    losses : tuple of float
        The smallest and the largest loss.
    own : float
        Sum of the errors of δ of the parts, each of which is a law that may itself be off by that.
    """

    def __init__(
        self,
        few: Evaluator,
        excess: Excess,
        infinite: tuple[float, float],
        losses: tuple[float, float],
        own: float = 0.0,
    ) -> None:
        self._few, self._excess, self._infinite, self._losses, self._own = few, excess, infinite, losses, own
        self.breakpoints = few.breakpoints

    @cached_property
    def reverse(self) -> ExceededFaces:
        """The faces of the reverse pair."""
        losses = -self._losses[1], -self._losses[0]
        other = ExceededFaces(self._few.reverse, self._excess.reverse, self._infinite[::-1], losses, self._own)
        other.__dict__["reverse"] = self
        return other

    def worse(self) -> WorseFaces:
        """The faces of the worse direction at each ε."""
        return WorseFaces(self)

    def errors(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """α and β at ε."""
        return self._few.errors(epsilon)

    def delta(self, epsilon: np.ndarray) -> np.ndarray:
        """δ at ε."""
        return self._few.delta(epsilon)

    def _exceeded_by(self, epsilon: np.ndarray) -> np.ndarray:
        """How much larger the true δ may be, which is at most 1."""
        return np.minimum(self._excess.at(epsilon), 1.0 - self.delta(epsilon))

    def delta_error(self, epsilon: np.ndarray) -> np.ndarray:
        """Bound on the error of δ."""
        epsilon = np.asarray(epsilon, dtype=float)
        return self._few.delta_error(epsilon) + self._exceeded_by(epsilon) + self._own

    def bayes_error(self, log_odds: np.ndarray) -> np.ndarray:
        """R at log-odds."""
        return self._few.bayes_error(log_odds)

    def epsilon(self, delta: np.ndarray) -> np.ndarray | None:
        """The smallest ε ≥ 0 with δ(ε) ≤ `delta`."""
        return self._few.epsilon(delta)

    def bayes_error_error(self, log_odds: np.ndarray) -> np.ndarray:
        """Bound on the error of R."""
        log_odds = np.asarray(log_odds, dtype=float)
        with np.errstate(under="ignore"):
            off = np.minimum(expit(-log_odds) * self._excess.at(log_odds), self.bayes_error(log_odds))
        return self._few.bayes_error_error(log_odds) + off + self._own / 2

    @cached_property
    def _largest_excess(self) -> float:
        """Bound on the error of R, besides that of the faces: at most the largest R."""
        sides = self._excess, self._excess.reverse
        at = np.concatenate([[0.0], *(side._sums[0] for side in sides)])
        most = max(float(np.max(expit(-at[at >= 0]) * side.at(at[at >= 0]))) for side in sides)
        return min(most, float(self._few.bayes_error(np.zeros(()))))

    @cached_property
    def bayes_error_bound(self) -> float:
        """Bound on the error of R at every prior."""
        return self._few.bayes_error_bound + self._largest_excess + self._own / 2

    @cached_property
    def error_bound(self) -> float:
        """Bound on the error of f, R and δ at every ε ≥ 0."""
        most = max(float(side._sums[1][-1]) for side in (self._excess, self._excess.reverse))
        return min(self._few.error_bound + most * (1.0 + _ROUNDING) + self._own, 1.0)

    @property
    def _masses(self) -> tuple[float, float]:
        return 1.0 - self._infinite[0], 1.0 - self._infinite[1]

    @property
    def _largest(self) -> float:
        return self._losses[1]


class WorseFaces(ByLines):
    """Faces of the worse of both directions at every ε: its δ is the larger one."""

    def __init__(self, faces: ExceededFaces) -> None:
        self._sides = faces, faces.reverse
        self.breakpoints = np.unique(np.concatenate([side.breakpoints for side in self._sides]))

    @property
    def error_bound(self) -> float:
        """Bound on the error of f, R and δ at every ε ≥ 0."""
        return max(side.error_bound for side in self._sides)

    @property
    def bayes_error_bound(self) -> float:
        """Bound on the error of R at every prior."""
        return max(side.bayes_error_bound for side in self._sides)

    @property
    def reverse(self) -> WorseFaces:
        """The same faces."""
        return self

    def worse(self) -> WorseFaces:
        """The same faces."""
        return self

    @property
    def _masses(self) -> tuple[float, float]:
        mass = min(self._sides[0]._masses)
        return mass, mass

    @property
    def _largest(self) -> float:
        return max(side._largest for side in self._sides)

    def _roots(self, alpha: np.ndarray) -> list[np.ndarray]:
        return [root for side in self._sides for root in side._roots(alpha)]

    def errors(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """α and β at ε."""
        there, back = self._sides
        larger = back.delta(epsilon) > there.delta(epsilon)
        (alpha, beta), (its_alpha, its_beta) = there.errors(epsilon), back.errors(epsilon)
        return np.where(larger, its_alpha, alpha), np.where(larger, its_beta, beta)

    def delta(self, epsilon: np.ndarray) -> np.ndarray:
        """δ at ε."""
        return np.maximum(*(side.delta(epsilon) for side in self._sides))

    def delta_error(self, epsilon: np.ndarray) -> np.ndarray:
        """Bound on the error of δ."""
        return np.maximum(*(side.delta_error(epsilon) for side in self._sides))

    def _exceeded_by(self, epsilon: np.ndarray) -> np.ndarray:
        """The part of the error of δ by which the true one can only be larger."""
        return np.minimum(*(side._exceeded_by(epsilon) for side in self._sides))

    def bayes_error(self, log_odds: np.ndarray) -> np.ndarray:
        """R at log-odds."""
        return np.minimum(*(side.bayes_error(log_odds) for side in self._sides))

    def bayes_error_error(self, log_odds: np.ndarray) -> np.ndarray:
        """Bound on the error of R."""
        return np.maximum(*(side.bayes_error_error(log_odds) for side in self._sides))
