"""Shuffled randomized response: n people answer yes or no by randomized response, and the number of yes is published.

With r = 1/(1 + e^ε₀), each answer is a fair coin with probability 2r, and the truth otherwise. Let C be the number of
the n − 1 other people whose answers are coins, and suppose that the adversary knows who they are, and the truth about
all others. Then only the number of heads A ~ Bin(C, ½), plus one's own answer, is uncertain:

    C ~ Bin(n − 1, 2r),     P: A + Bern(r),     Q: A + Bern(1 − r).

This holds for every data set, so the pair dominates all neighbors; with a = A plus one's own answer, x = a/(C + 1),

    e^L = (r (1 − x) + (1 − r) x)/((1 − r)(1 − x) + r x).

Values of C far from its mean, which are improbable, count as if one's own answer were revealed. If the truth of all
others is the same, the adversary needs no such help: the number of yes is Bin(n − 1, r) plus one's own answer, and this
pair is attained.

For few people all data sets are tried. If the truth of k of the others is yes, A = Bin(k, 1 − r) + Bin(n − 1 − k, r) of
them answer yes. The law of A is log-concave, so the best tests of the pair reject large numbers. The curve of the
mechanism is the convex hull of the points (α, β) of all thresholds and all k. It is symmetric, as k and n − 1 − k
exchange yes and no. No single k is the worst at every ε.

Sources: Balle, Bell, Gascón & Nissim (2019) for the coins; Feldman, McMillan & Talwar (2023) for any local mechanism.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .._floats import UNIT_ROUNDOFF
from .._types import Number
from .._validation import choice, positive_integer
from ..evaluation.finite_law import FiniteLaw
from .base import Mechanism
from .delegated import SymmetricDelegated
from .finite import FiniteMechanism, RandomizedResponse, SymmetricFiniteMechanism
from .selection import loss_range

# Largest number of people, for bounds and for the exact curve.
_MOST_USERS, _MOST_EXACT = 10**6, 1000
BOUNDS = ("exact", "upper", "lower")
# Tails with less mass than this are left out, and bounded.
_TAIL = 1e-20
# Up to this many outcomes are enumerated;
_ENUMERATED = 200_000
# more are put on a grid with this many cells. Half as many have four times the error.
_CELLS = 2**17
# Number of outcomes that are processed together.
_AT_ONCE = 400_000


@dataclass(frozen=True, eq=False, init=False, repr=False)
class ShuffledRandomizedResponse(SymmetricDelegated):
    """Randomized response of many people, shuffled: exact for few people, or a bound from above or below.

    The exact curve is that of the worst data set at every ε. The upper bound is that of an adversary who also knows
    whose answers were coins (Balle et al. 2019); it is computed to 1e-8 for up to a million people. The lower bound is
    attained where the truth of all others is the same. The exact curve lies between, much closer to the lower bound.
    Powers are upper bounds.

    Parameters
    ----------
    epsilon : float
        ε₀ of each answer, positive, at most 700. The attribute is called `largest_loss`.
    users : int
        n, the number of people, at most a million; for "exact", at most 1000.
    bound : {"upper", "exact", "lower"}
        Which of the three curves. To be safe, use "upper" or "exact".

    Raises
    ------
    ValueError, TypeError
        If a parameter is outside its range, or `users` not an integer.

    References
    ----------
    Balle, Bell, Gascón & Nissim (2019); Feldman, McMillan & Talwar (2023).

    Examples
    --------
    >>> import dptutor as dp
    >>> kinds = "lower", "exact", "upper"
    >>> [round(dp.ShuffledRandomizedResponse(2, 1000, bound).epsilon(1e-6), 4) for bound in kinds]
    [0.3233, 0.3233, 0.3971]
    """

    largest_loss: float
    users: int
    bound: str

    def __init__(
        self, epsilon: Number | None = None, users: int = 1000, bound: str = "upper", *, largest_loss: float = 1.0
    ) -> None:
        object.__setattr__(self, "largest_loss", loss_range(largest_loss if epsilon is None else epsilon))
        users = positive_integer("users", users)
        if users > _MOST_USERS:
            raise ValueError(f"users must be at most {_MOST_USERS}, got {users}")
        if bound == "exact" and users > _MOST_EXACT:
            raise ValueError(f"users must be at most {_MOST_EXACT} for the bound 'exact', got {users}")
        object.__setattr__(self, "users", users)
        object.__setattr__(self, "bound", choice("bound", bound, BOUNDS))

    def __repr__(self) -> str:
        return f"ShuffledRandomizedResponse(epsilon={self.largest_loss!r}, users={self.users!r}, bound={self.bound!r})"

    @cached_property
    def _whole(self) -> Mechanism:
        if self.users == 1:
            return RandomizedResponse(self.largest_loss)
        if self.bound == "exact":
            return _EveryDataSet(self.largest_loss, self.users)
        if self.bound == "upper":
            return _Coins(self.largest_loss, self.users)
        return _AllOthersSayNo(self.largest_loss, self.users).symmetrized

    def _renyi(self, order: np.ndarray) -> np.ndarray:
        return self._pair_renyi(order)

    def _parts(self) -> tuple[tuple[tuple[Mechanism, int], ...], bool]:
        if self.bound == "lower" and self.users > 1:
            # Each direction can be attained in all rounds, but the worse of the two at each ε cannot.
            raise ValueError(f"a lower bound cannot be composed, got {self!r}: compose the upper one")
        return self._whole._parts()


@dataclass(frozen=True, eq=False)
class _AllOthersSayNo(FiniteMechanism):
    """The number of yes if the truth of all others is no."""

    largest_loss: float
    users: int
    is_reversed: bool = False

    @cached_property
    def reverse(self) -> _AllOthersSayNo:
        return _AllOthersSayNo(self.largest_loss, self.users, not self.is_reversed)

    def _outcomes(self) -> tuple[np.ndarray, np.ndarray]:
        return self._law.p, self._law.q

    @cached_property
    def _law(self) -> FiniteLaw:
        if self.is_reversed:
            return self.reverse._law.reverse
        lie = _lie(self.largest_loss)
        count, p, error = _binomial(self.users, lie, 1e-300)
        # Under P, one's own answer is yes with probability j/n, given j yes among n answers.
        share = count / self.users
        other = share * math.exp(self.largest_loss) + (1 - share) * math.exp(-self.largest_loss)
        return FiniteLaw.of_finite(np.log(other), p, p * other, 0.0, 0.0, 8 * UNIT_ROUNDOFF * self.largest_loss, error)


@dataclass(frozen=True, eq=False)
class _EveryDataSet(SymmetricFiniteMechanism):
    """The number of yes, for the worst data set at every ε."""

    largest_loss: float
    users: int

    def __repr__(self) -> str:
        return repr(ShuffledRandomizedResponse(self.largest_loss, self.users, "exact"))

    def _outcomes(self) -> tuple[np.ndarray, np.ndarray]:
        return self._law.p, self._law.q

    @cached_property
    def _law(self) -> FiniteLaw:
        alpha, power = self._points()
        error = (64 + 16 * self.users) * UNIT_ROUNDOFF
        # The half of the curve with α ≤ β; the other one is its mirror image.
        near = alpha + power <= 1.0 + error
        p, q = np.diff(_hull(alpha[near], power[near]))
        # Losses decrease along the hull, up to rounding.
        loss = np.minimum(np.minimum.accumulate(np.log(q / p)), self.largest_loss)
        p, q, loss = p[loss > 0], q[loss > 0], loss[loss > 0]
        # Merge equal losses.
        location = 8 * UNIT_ROUNDOFF * self.largest_loss
        first = np.flatnonzero(np.diff(loss, prepend=math.inf) < -location)
        p, q, loss = np.add.reduceat(p, first), np.add.reduceat(q, first), loss[first]
        # The mass between the two halves has the loss 0.
        total = math.fsum([*p, *q])
        middle, whole = [1.0 - total] if total < 1.0 else [], max(total, 1.0)
        law = (np.concatenate([q, middle, p[::-1]]) / whole, np.concatenate([p, middle, q[::-1]]) / whole)
        losses = np.concatenate([-loss, [0.0] * len(middle), loss[::-1]])
        return FiniteLaw.of_finite(losses, *law, 0.0, 0.0, location, error)

    def _points(self) -> np.ndarray:
        """α and 1 − β for every threshold and every data set."""
        lie, others = _lie(self.largest_loss), self.users - 1
        no, yes = np.array([1 - lie, lie]), np.array([lie, 1 - lie])
        # The laws of the number of yes among 0, 1, … people whose truth is no; if it is yes, they are reversed.
        liars = [np.ones(1)]
        for _ in range(others):
            liars.append(np.convolve(liars[-1], no))
        tails = []
        for k in range(others + 1):
            law = np.convolve(liars[k][::-1], liars[others - k])
            tails.append([np.cumsum(np.convolve(law, own)[::-1]) for own in (no, yes)])
        return np.minimum(np.concatenate(tails, axis=1), 1.0)


def _hull(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The corners of the concave hull of the points of each row, from the origin until its slope falls below 1."""
    order = np.lexsort((-y, x))
    corners, slopes = [(0.0, 0.0)], [math.inf]
    for point in zip(x[order].tolist(), y[order].tolist(), strict=True):
        # Merge points that differ only by rounding.
        if point[0] <= corners[-1][0] * (1 + 1e-12) or point[1] <= corners[-1][1] * (1 + 1e-12):
            continue
        while (slope := (point[1] - corners[-1][1]) / (point[0] - corners[-1][0])) >= slopes[-1]:
            corners.pop()
            slopes.pop()
        if slope > 1.0:
            corners.append(point)
            slopes.append(slope)
    return np.array(corners).T


@dataclass(frozen=True, eq=False)
class _Coins(SymmetricFiniteMechanism):
    """The number of yes if the adversary knows whose answers are coins."""

    largest_loss: float
    users: int

    def __repr__(self) -> str:
        return repr(ShuffledRandomizedResponse(self.largest_loss, self.users))

    def _outcomes(self) -> tuple[np.ndarray, np.ndarray]:
        return self._law.p, self._law.q

    @cached_property
    def _law(self) -> FiniteLaw:
        return self._table[0]

    @cached_property
    def _table(self) -> tuple[FiniteLaw, np.ndarray]:
        """The law, and an array with the step of its grid and, for each cell from 0 on, how much δ may be too large;
        without a grid the array is empty."""
        count, weight, error = _binomial(self.users - 1, 2 * _lie(self.largest_loss), _TAIL)
        coins = count + 1  # with one's own answer
        # Hoeffding's inequality.
        reach = np.minimum(coins // 2, math.ceil(math.sqrt(-math.log(_TAIL) * coins[-1] / 2))).astype(int)
        if np.sum(reach + 1) <= _ENUMERATED:
            loss, q = (np.concatenate(each) for each in zip(*self._rows(coins, weight, reach), strict=True))
            gaps = np.zeros(0)
        else:
            loss, q, gaps = self._on_a_grid(coins, weight, reach)
        # Numbers of coins that are left out count as if one's own randomized answer were revealed.
        top, left_out = self.largest_loss, 4 * _TAIL
        # Different numbers of coins may have the same loss.
        loss, place = np.unique(np.append(loss, top), return_inverse=True)
        q = np.bincount(place, np.append(q, left_out))
        p, middle = q * np.exp(-loss), np.array([q[loss == 0].sum()])
        above = loss > 0
        loss, p, q = loss[above], p[above], q[above]
        loss = np.concatenate([-loss[::-1], [0.0], loss])
        p, q = np.concatenate([q[::-1], middle, p]), np.concatenate([p[::-1], middle, q])
        error += 4 * UNIT_ROUNDOFF * float(reach[-1]) + 64 * UNIT_ROUNDOFF
        law = FiniteLaw.of_finite(loss, p / math.fsum(p), q / math.fsum(q), 0.0, 0.0, 8 * UNIT_ROUNDOFF * top, error)
        return law, gaps

    def _rows(
        self, coins: np.ndarray, weight: np.ndarray, reach: np.ndarray
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Losses ≥ 0 and their masses under Q, for batches of numbers of coins."""
        lie, truth = _lie(self.largest_loss), 1 - _lie(self.largest_loss)
        start = 0
        while start < coins.size:
            few = slice(start, start + max(1, _AT_ONCE // (int(reach[-1]) + 1)))
            start = few.stop
            number, share, end = coins[few, None], weight[few, None], reach[few, None]
            first = np.ceil(number / 2)
            heads = first + np.arange(int(reach[few].max()) + 1.0)
            with np.errstate(divide="ignore", invalid="ignore"):
                step = np.maximum((number - heads + 1) / heads, 0.0)
            step[:, 0] = 1.0
            mass = np.cumprod(step, axis=1) * (heads <= np.minimum(first + end, number))
            # The two halves have mass 1 together and share the outcome in the middle.
            even = (number % 2 == 0).astype(float)
            mass /= np.sum(2 * mass, axis=1, keepdims=True) - even * mass[:, :1]
            x = heads / number
            with np.errstate(invalid="ignore"):
                loss = np.log1p((2 * x - 1) * (truth - lie) / (truth * (1 - x) + lie * x))
            q = share * mass * 2 * (lie * (1 - x) + truth * x)
            kept = (heads <= number) & (mass > 0)
            loss = np.where(2 * heads == number, 0.0, np.minimum(loss, self.largest_loss))
            yield loss[kept], q[kept]

    def _on_a_grid(self, coins: np.ndarray, weight: np.ndarray, reach: np.ndarray) -> tuple[np.ndarray, ...]:
        """Losses on a grid: each mass is divided between the ends of its cell so that P and Q keep their masses."""
        lie, truth = _lie(self.largest_loss), 1 - _lie(self.largest_loss)
        x = np.minimum(0.5 + (reach + 1) / coins, 1.0).max()
        end = min(math.log((lie * (1 - x) + truth * x) / (truth * (1 - x) + lie * x)), self.largest_loss)
        step = end / _CELLS
        total, gap, even = np.zeros(_CELLS + 2), np.zeros(_CELLS + 1), 0.0
        for loss, q in self._rows(coins, weight, reach):
            even += q[loss == 0].sum()
            cell = np.minimum((loss / step).astype(int), _CELLS)
            # Such that e^−l keeps its mean, and with it the mass under P.
            inside = np.maximum(loss - cell * step, 0.0)
            up = -np.expm1(-inside) / -math.expm1(-step)
            total += np.bincount(cell, q * (1 - up), _CELLS + 2) + np.bincount(cell + 1, q * up, _CELLS + 2)
            gap += np.bincount(cell, q * up * np.maximum(step - inside, 0.0), _CELLS + 1)
        # The loss 0 receives mass from both sides; the mass that was there before is not doubled.
        total[0] = 2 * total[0] - even
        kept = total > 0
        return step * np.arange(_CELLS + 2)[kept], total[kept], np.append(step, gap)

    # Errors include how much δ of the law on a grid may be too large.

    def _delta_error(self, epsilon: np.ndarray) -> np.ndarray:
        epsilon, value = np.asarray(epsilon, dtype=float), super()._delta_error(epsilon)
        gaps = self._table[1]
        if not gaps.size:
            return value + 8 * _TAIL
        size = np.abs(np.where(np.isfinite(epsilon), epsilon, 0.0))
        cell = np.minimum(size / gaps[0], gaps.size - 2).astype(int)
        near = np.maximum(gaps[1:][cell], gaps[1:][np.maximum(cell - 1, 0)])
        return value + near + 8 * _TAIL

    @cached_property
    def error_bound(self) -> float:
        gaps = self._table[1]
        return self._law.error_bound + 8 * _TAIL + (float(gaps[1:].max()) if gaps.size else 0.0)

    @cached_property
    def _bayes_error_bound(self) -> float:
        return self.error_bound

    def _breakpoints(self) -> np.ndarray:
        return super()._breakpoints() if not self._table[1].size else np.array(self._loss_range())


def _lie(epsilon: float) -> float:
    """r, the probability that an answer is not the truth."""
    return math.exp(-epsilon) / (1 + math.exp(-epsilon))


def _binomial(count: int, rate: float, tail: float) -> tuple[np.ndarray, np.ndarray, float]:
    """The values of a binomial variable without tails of mass `tail`, their masses, and a bound on the relative error
    of these. The masses are scaled to sum to 1."""
    # Bernstein's inequality.
    depth, variance = -math.log(tail), count * rate * (1 - rate)
    away = depth / 3 + math.sqrt((depth / 3) ** 2 + 2 * variance * depth)
    low, high = max(math.floor(count * rate - away), 0), min(math.ceil(count * rate + away), count)
    number = np.arange(low, high + 1.0)
    mode = min(max(int((count + 1) * rate), low), high) - low
    odds = rate / (1 - rate) if rate < 1 else math.inf
    with np.errstate(divide="ignore", under="ignore"):
        up = (count - number[mode:-1]) / (number[mode:-1] + 1) * odds
        down = number[1 : mode + 1][::-1] / (count - number[1 : mode + 1][::-1] + 1) / odds
        mass = np.concatenate([np.cumprod(down)[::-1], [1.0], np.cumprod(up)])
    return number, mass / math.fsum(mass), (8 + 4 * number.size) * UNIT_ROUNDOFF
