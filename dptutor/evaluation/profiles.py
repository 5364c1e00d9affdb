"""Profiles of compositions for tables: subsampled Gaussians by contours, others by lower and upper bounds.

A composition of subsampled Gaussians of one direction has its losses pile up at Σ n log(1 − p) (remove; minus that for
add), where no example takes part in a step.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property, lru_cache, partial, reduce
from typing import Any, TypeAlias

import numpy as np

from .._floats import LAST_PLACE
from .._validation import shortened
from .faces import TabulatedFaces
from .hellinger import Inversion
from .laws import NormalLaw, SampledLaw
from .lines import Lines
from .positive_sums import PositiveLaw
from .profile_table import Profile, ProfileTable
from .subsampled_gaussian import log_fall

# δ below e to minus this counts as 0: upper bounds are at least 1e-300.
_DEEPEST = 690.0
_OCTAVES = 44
# A profile that falls from 1 to 0 within one part in _PARTS_OF_RANGE of the range gets _LEVELS intervals of its own.
_PARTS_OF_RANGE, _LEVELS = 100, 24
# The last kink is close to the end if it is within this fraction of the loss there.
_NARROW = 1e-2
# 1 − δ below this counts as 0.
_SURE = 1e-12
# With lines, the number of pieces of an interval times the number of terms is at most this,
_MOST_SUMMED = 3e6
# but the limit on pieces lies between these.
_PIECES = 48, 512
_LEAST = 1e-300
# Sums of losses replace inaccurate contours for at most _FEW steps, or at most _RARE expected participations.
_FEW, _RARE = 32, 40.0
_NEARLY_NORMAL = 1e4

# Mechanisms, with the number of copies of each.
Factors: TypeAlias = Sequence[tuple[Any, int]]


def contours(factors: Factors) -> TabulatedFaces:
    """The faces of Gaussians and subsampled Gaussians together, of one direction or with a decaying transform."""
    forward, backward = _inversion(factors), _inversion([(part.reverse, count) for part, count in factors])
    same = all(part.reverse == part for part, _ in factors)
    there = ProfileTable(forward)
    back = there if same else ProfileTable(backward)
    both = forward, forward if same else backward
    near, loss_near = (tuple(getattr(one, name) for one in both) for name in ("epsilon_near", "loss_near"))
    return TabulatedFaces(there, back, near=near, loss_near=loss_near)


def beside_laplace(faces: TabulatedFaces, tops: Sequence[float]) -> TabulatedFaces:
    """The faces of a composition of Laplace mechanisms, given by their largest losses, with a tabulated mechanism."""
    for top in tops:
        (there, back), same = faces.tables, faces.tables[0] is faces.tables[1]
        ahead = ProfileTable(BesideLaplace(there, back, top))
        behind = ahead if same else ProfileTable(BesideLaplace(back, there, top))
        near = tuple(partial(_near_beside, alone, top) for alone in (faces, faces.reverse))
        faces = TabulatedFaces(ahead, behind, near=near)
    return faces


def _near_beside(alone: TabulatedFaces, top: float, log_delta: np.ndarray) -> np.ndarray:
    """A first guess of the ε at which δ has this logarithm: half of the mass is at the largest loss of Laplace."""
    return top + alone.epsilon(np.minimum(1.5 * np.exp(log_delta), 1.0))


def _inversion(factors: Factors) -> Inversion:
    def log_transform(s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        value, error = np.zeros(s.shape, dtype=complex), np.zeros(s.shape)
        for part, count in factors:
            log_h, its_error = part._log_hellinger(s)
            value += count * log_h
            error += count * its_error
        return value, error

    laws = [(part._loss_law(), count) for part, count in factors]
    steps = [(law, count) for law, count in laws if isinstance(law, SampledLaw)]
    directions = {law.direction for law, _ in steps}
    alone = len(steps) == len(factors) and len(directions) == 1
    edge = sum(count * math.log1p(-law.sampling_rate) for law, count in steps)

    def falls(c: float, t: float) -> float:
        return sum(count * _log_fall(law, c, t) for law, count in laws)

    name = shortened(" @ ".join(f"{part!r} ** {count}" for part, count in factors), 120)
    if not alone:
        return Inversion(log_transform, falls, name=name)
    direction = directions.pop()
    sums = _SumsOfLosses(steps, direction) if _are_summed(steps) else None
    spread = min(1.0 / law.noise_multiplier for law, _ in steps)
    return Inversion(log_transform, falls, -edge if direction == "add" else edge, spread, sums, name)


def _log_fall(law: NormalLaw | SampledLaw, c: float, t: float) -> float:
    """log of a bound, decreasing in t, on |F(c + it)|/F(c) of one part."""
    if isinstance(law, NormalLaw):
        return -((t * law.mu) ** 2) / 2
    power = -c if law.direction == "add" else 1.0 + c
    return float(log_fall(law.noise_multiplier, law.sampling_rate, power, np.array([t]))[0])


def _are_summed(steps: Sequence[tuple[SampledLaw, int]]) -> bool:
    """Whether sums of losses may replace contours: for few steps or few participations, unless losses are almost
    normal."""
    nearly_normal = all(law.noise_multiplier >= _NEARLY_NORMAL for law, _ in steps)
    few = sum(count for _, count in steps) <= _FEW
    return not nearly_normal and (few or sum(law.sampling_rate * count for law, count in steps) < _RARE)


@lru_cache(maxsize=16)
def _law(parts: tuple[tuple[float, float, int], ...]) -> PositiveLaw:
    """The law of the total loss of parts (σ, p, count)."""
    laws = (PositiveLaw.of_step(sigma, rate).power(count) for sigma, rate, count in parts)
    return reduce(lambda a, b: a.plus(b), laws)


class _SumsOfLosses:
    """Profiles of subsampled Gaussian steps of one direction by sums of positive terms."""

    def __init__(self, steps: Sequence[tuple[SampledLaw, int]], direction: str) -> None:
        self._parts = tuple((law.noise_multiplier, law.sampling_rate, count) for law, count in steps)
        self.direction = direction

    def __call__(self, epsilon: np.ndarray, complement: bool) -> tuple[np.ndarray, np.ndarray]:
        """δ or 1 − δ at ε, and a bound on its relative error."""
        law = _law(self._parts)
        return (law.added if self.direction == "add" else law.removed)(epsilon, complement)

    @property
    def edges(self) -> np.ndarray:
        """Losses between which the law is smooth."""
        law = _law(self._parts)
        losses = np.exp(law.edges) + law.log_weight
        return -losses[::-1] if self.direction == "add" else losses

    @cached_property
    def end(self) -> float:
        """A loss slightly below the largest at which δ is known."""
        law = _law(self._parts)
        low, high = law.range
        return -law.log_weight - low if self.direction == "add" else high + law.log_weight


class BesideLaplace(Profile):
    """The profile of the composition of a mechanism with a Laplace mechanism of the largest loss ε₀.

    The loss x of the latter is ±ε₀, or has the density ¼ e^{(x − ε₀)/2} between. Given x, δ is δ'(ε − x), that of the
    other mechanism:

        δ(ε) = ½ δ'(ε − ε₀) + ½ e^{−ε₀} δ'(ε + ε₀) + ¼ e^{(ε − ε₀)/2} ∫ e^{−u/2} δ'(u) du,    ε − ε₀ < u < ε + ε₀,

    and 1 − δ likewise. To the left of 0, 1 − δ'(−v) = e^{−v} (1 − δ⁻(v)), δ⁻ the profile of the reverse pair.
    """

    def __init__(self, forward: ProfileTable, backward: ProfileTable, top: float) -> None:
        self._forward, self._backward, self._top = forward, backward, top

    @cached_property
    def edges(self) -> np.ndarray:
        """Ends of intervals from 0 on: those of the other mechanism, shifted by ±ε₀, and more towards ε₀."""
        ahead, behind = self._forward.ends(0.0, math.inf), self._backward.ends(0.0, math.inf)
        narrow = max(min(float(ahead[1]), float(behind[1])), 1e-13 * self._top)
        octaves = narrow * 2.0 ** np.arange(math.ceil(math.log2(max(self._top / narrow, 1.0))))
        cuts = np.concatenate([ahead + self._top, ahead[1:] - self._top, self._top - behind[1:], self._top - octaves])
        cuts = np.unique(cuts[cuts > 1e-12 * self._top])
        return np.append(0.0, cuts[np.append(np.diff(cuts) > 1e-12 * cuts[1:], True)])

    @property
    def highest(self) -> float:
        """The largest loss."""
        return self._forward._evaluator.highest + self._top

    def left(self, epsilon: np.ndarray) -> np.ndarray:
        """An upper bound on δ beyond the last interval."""
        return self._forward._evaluator.left(np.maximum(epsilon - self._top, self._forward.end))

    def log_most(self, epsilon: np.ndarray) -> np.ndarray:
        """log of an upper bound on δ: as if the loss of Laplace were always ε₀."""
        beyond = epsilon >= self._top
        return np.where(beyond, self._forward._evaluator.log_most(np.maximum(epsilon - self._top, 0.0)), 0.0)

    def sample(self, interval: int, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray, Any]:
        """δ or its complement, a bound on its relative error, and which it is."""
        middle = self.edges[interval : interval + 2].mean(keepdims=True)
        complement = bool(self._beside(middle, False)[0][0] > 0.5)
        value, error = self._beside(epsilon, complement)
        # A value that underflows may be anything below the smallest.
        value = np.maximum(value, _LEAST)
        return value, (error + _LEAST) / value + 16 * LAST_PLACE, complement

    def _beside(self, epsilon: np.ndarray, complement: bool) -> tuple[np.ndarray, np.ndarray]:
        low, high = epsilon - self._top, epsilon + self._top
        first, its_error = self._at(low, complement)
        last, other_error = self._at(high, complement)
        shrink = math.exp(-self._top)
        between, error = self._area(low, high, complement)
        value = first / 2 + shrink * last / 2 + between / 4
        return value, its_error / 2 + shrink * other_error / 2 + error / 4

    def _at(self, epsilon: np.ndarray, complement: bool) -> tuple[np.ndarray, np.ndarray]:
        """δ' or 1 − δ' at losses of either sign, and a bound on its error."""
        value, error = np.empty((2, *epsilon.shape))
        right = epsilon >= 0
        answer = self._forward.at(epsilon[right])
        value[right], error[right] = answer.rest if complement else answer.delta, answer.error
        loss = -epsilon[~right]
        answer, shrink = self._backward.at(loss), np.exp(-loss)
        value[~right] = shrink * answer.rest if complement else shrink * answer.delta - np.expm1(-loss)
        error[~right] = shrink * answer.error + LAST_PLACE * (not complement)
        return value, error

    def _area(self, low: np.ndarray, high: np.ndarray, complement: bool) -> tuple[np.ndarray, np.ndarray]:
        """∫ e^{−(u − low)/2} of δ' or 1 − δ' from `low` to `high`, and a bound on its error."""
        start, behind = np.maximum(low, 0.0), np.maximum(-low, 0.0)
        value, error = _tail(self._forward, start, high, complement)
        shrink = np.exp(-behind / 2)
        value, error = shrink * value, shrink * error
        some = np.flatnonzero(behind)
        if some.size:
            own, its_error = _tail(self._backward, np.zeros(some.size), behind[some], complement)
            value[some] += shrink[some] * own
            error[some] += shrink[some] * its_error
            if not complement:
                # ∫ e^{v/2} (1 − e^{−v}) dv from 0 to V, times e^{−V/2}.
                value[some] += 2 * np.expm1(-behind[some] / 2) ** 2
        return value, error


def _tail(table: ProfileTable, low: np.ndarray, high: np.ndarray, complement: bool) -> tuple[np.ndarray, np.ndarray]:
    """∫ e^{−(u − low)/2} of δ or 1 − δ from `low` to `high`, and a bound on its error, also beyond the table's end."""
    value, error = np.zeros((2, *low.shape))
    end = table.end
    within = np.flatnonzero(low < end)
    if within.size:
        stop = np.minimum(high[within], end)
        areas = table.areas(float(low[within].min()), float(stop.max()))
        value[within], error[within] = areas.area(low[within], stop, complement)
    beyond = np.flatnonzero(high > end)
    if beyond.size:
        # Beyond the table's end, δ is bounded by its last value, which is added to the error.
        start = np.maximum(low[beyond], end)
        weight = 2 * np.exp(-(start - low[beyond]) / 2) * -np.expm1(-(high[beyond] - start) / 2)
        error[beyond] += weight * table._evaluator.left(start)
        if complement:
            value[beyond] += weight * table.mass
    return value, error


class LinesProfile(Profile):
    """The profile without infinite losses, from lower and upper bounds, on intervals for a table."""

    def __init__(self, factors: Factors, largest: float) -> None:
        self._factors, self._lines = tuple(factors), Lines(factors)
        self._largest = min(largest, self._lines.largest)  # of the finite ones
        self.infinite, self.off = self._lines.infinite, self._lines.off

    @cached_property
    def kinks(self) -> np.ndarray:
        """Losses ε ≥ 0 at which the profile has kinks."""
        kinks = np.asarray(self._lines.breakpoints, dtype=float)
        return kinks[(kinks >= 0) & (kinks <= self._largest)]

    @cached_property
    def edges(self) -> np.ndarray:
        """0, the kinks, points towards 0 and towards the end, and the end, beyond which no loss is finite."""
        end = self._largest if self._largest < math.inf else self._vanishing()
        if end <= 0:
            return np.array([0.0, 1e-300])
        octaves = 2.0 ** -np.arange(1, _OCTAVES)
        last = float(self.kinks[self.kinks < end * (1 - 1e-12)].max(initial=0.0))
        inner = np.concatenate([end * octaves[:20], end - (end - last) * octaves, self.kinks, [self._sure]])
        # With very many steps δ falls from 1 to 0 within a small part of the range.
        if _PARTS_OF_RANGE * (self._unlikely - self._sure) < end:
            inner = np.append(inner, np.linspace(self._sure, min(self._unlikely, end), _LEVELS))
        # Between the last kink and an end close to it, δ falls to almost 0.
        if end - last < _NARROW * last:
            inner = np.append(inner, last - last * octaves[last * octaves > (end - last) / 2])
        # Losses that cancel up to rounding leave a kink near 0, which is dropped.
        inner = np.unique(inner[(inner > 1e-13 * end) & (inner < end * (1 - 1e-13))])
        return np.concatenate([[0.0], inner[np.append(np.diff(inner) > 1e-13 * end, True)], [end]])

    @cached_property
    def _sure(self) -> float:
        """A loss up to which 1 − δ is below _SURE: E_Q[min(1, e^{ε − L})] ≤ e^{θε} H(1 − θ), 0 < θ < 1."""
        theta = np.linspace(0.02, 0.98, 49)
        log_h = -theta * sum(count * part._renyi(1.0 - theta) for part, count in self._factors)
        return max(float(np.max((math.log(_SURE) - log_h) / theta)), 0.0)

    @cached_property
    def _unlikely(self) -> float:
        """A loss beyond which δ, without infinite losses, underflows: it is at most e^{−cε} H(1 + c), c > 0."""
        c = np.geomspace(1e-9, 1e3, 121)
        log_h = c * sum(count * part._renyi(1.0 + c) for part, count in self._factors)
        return max(float(np.min((log_h + _DEEPEST) / c)), 0.0)

    def _vanishing(self) -> float:
        """A loss at which δ underflows."""
        spread = math.sqrt(sum(count * part._loss_moments("Q")[1] for part, count in self._factors))
        end = spread if 0 < spread < 1 else 1.0
        while end < 1e15 and self._lines.covered(np.array([end]))[1][0] > math.exp(-_DEEPEST):
            end *= 2.0
        return end

    @property
    def near(self) -> Any:
        """First guesses of ε from log δ and from log α, or None."""
        return self._lines.near

    @property
    def most_pieces(self) -> int:
        """The largest number of pieces of an interval, such that all intervals take a few seconds."""
        return int(np.clip(_MOST_SUMMED / self._lines.most_terms, *_PIECES))

    def log_most(self, epsilon: np.ndarray) -> np.ndarray:
        """log of an upper bound on δ; infinite if δ itself is as quick to compute."""
        return self._lines.log_most(epsilon)

    def cuts(self, interval: int) -> np.ndarray:
        """Losses within an interval at which the profile bends."""
        low, high = self.edges[interval : interval + 2]
        return self._lines.bends[(self._lines.bends > low) & (self._lines.bends < high)]

    def sample(self, interval: int, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray, Any]:
        """δ, bounds on its relative error, and False: the values are not of the complement."""
        if self.edges[interval + 1] <= self._sure:
            return np.full(epsilon.shape, 1.0 - self.infinite), np.full(epsilon.shape, _SURE), False
        lower, upper = self._lines.covered(epsilon)
        middle = (lower + upper) / 2
        with np.errstate(divide="ignore", invalid="ignore"):
            return middle, np.where(middle > 0, (upper - lower) / (2 * middle), np.inf), False
