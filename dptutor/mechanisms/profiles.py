"""Profiles of compositions for tables: subsampled Gaussians by contours, the rest by lower and upper values.

A composition of subsampled Gaussians of one direction has its losses pile up at Σ n log(1 − p) (remove; minus that for
add), where no example takes part in a step.
"""

from __future__ import annotations

import math
from functools import cached_property, lru_cache, reduce
from itertools import pairwise

import numpy as np
from scipy.special import ndtr

from ..transform.hellinger import Inversion
from ..transform.lines import Lines
from ..transform.polynomials import gauss
from ..transform.positive_sums import PositiveLaw
from ..transform.profile_table import Profile, ProfileTable
from ..transform.separate_sums import SeparateSums
from .faces import TabulatedFaces
from .roots import FAR, slope_of_profile

# δ below e^−this is not told from 0: upper values are at least 1e-300.
_DEEPEST = 690.0
_OCTAVES = 44
# The profile is looked at apart where it takes less than such a part of the range, in so many intervals.
_PARTS_OF_RANGE, _LEVELS = 100, 24
# Between the last kink and the end, as a share of the loss at that.
_NARROW = 1e-2
# 1 − δ below this is not told from 0.
_SURE = 1e-12
# Pieces of an interval times terms of a value, and how few and how many pieces there may be, where lines serve.
_MOST_SUMMED, _PIECES = 3e6, (48, 512)
# Panels of an integral over the range of a bounded loss, and the orders of the rule on each and of the one that shows
# what it misses. By parts an integral against slopes has the relative error of the profile, and where one polynomial
# gives way to the next twice that of what the profile is there: together less than so many times, as a polynomial
# reaches over several factors of e.
_PANELS, _ORDERS, _OF_SLOPES, _AT_ONCE = 24, (16, 12), 4.0, 30_000
_ROUNDING, _LEAST = 2.0**-52, 1e-300
# Below this noise the losses of a step with and without the example are so far apart that sums of them form groups.
_GROUPED = 0.2
# Kinks, and how wide the range may be, in windows of the other loss, that so many panels show.
_MOST_KINKS, _WIDEST = 200, 1.5
# Up to as many steps, or participations, by sums of losses where contours do not do.
_FEW, _RARE = 32, 40.0
_NEARLY_NORMAL = 1e4
# By the number of participations, if these are no more, and so little noise that that leaves less open than this.
_PARTICIPATIONS, _SEPARATE = 1e4, 3e-12


def contours(factors) -> TabulatedFaces:
    """The faces of plain and subsampled Gaussians together, of one direction or with a transform that decays."""
    if _are_separate(factors):
        ((part, count),) = factors
        sigma, rate, direction = part._sampled
        sums = SeparateSums(sigma, rate, count)
        profiles = [_SeparateProfile(sums, x) for x in (direction, "add" if direction == "remove" else "remove")]
        return TabulatedFaces(*map(ProfileTable, profiles))
    forward, backward = _inversion(factors), _inversion([(part.reverse, count) for part, count in factors])
    same = all(part.reverse == part for part, _ in factors)
    there = ProfileTable(forward)
    back = there if same else ProfileTable(backward)
    both = forward, forward if same else backward
    near, loss_near = (tuple(getattr(one, name) for one in both) for name in ("epsilon_near", "loss_near"))
    return TabulatedFaces(there, back, near=near, loss_near=loss_near)


def _are_separate(factors) -> bool:
    """Whether there are only steps of one kind with hardly any noise."""
    (part, count), *others = factors
    if others or part._sampled is None:
        return False
    sigma, rate, _ = part._sampled
    return rate * count < _PARTICIPATIONS and 3.0 * count * float(ndtr(-0.5 / sigma)) < _SEPARATE


def mixed(bounded, smooth) -> TabulatedFaces | None:
    """The faces of two mechanisms together: of a bounded loss, and of a composition by contours or sums; none where the
    first has many kinks or a wide range."""
    (low, high), (left, right) = bounded._loss_range(), smooth._faces.window
    if len(bounded._breakpoints()) > _MOST_KINKS or high - low > _WIDEST * (right - left):
        return None
    there, back = (ProfileTable(MixedProfile(*pair)) for pair in ((bounded, smooth), (bounded.reverse, smooth.reverse)))
    return TabulatedFaces(there, back)


def _inversion(factors) -> Inversion:
    def log_transform(s):
        value, error = np.zeros(s.shape, dtype=complex), np.zeros(s.shape)
        for part, count in factors:
            log_h, its_error = part._log_hellinger(s)
            value += count * log_h
            error += count * its_error
        return value, error

    steps = [(*part._sampled, count) for part, count in factors if part._sampled is not None]
    directions = {direction for _, _, direction, _ in steps}
    alone = len(steps) == len(factors) and len(directions) == 1
    edge = sum(count * math.log1p(-rate) for _, rate, _, count in steps)
    # Losses of steps with so little noise form groups, and the transform comes back after half a turn between them.
    revives = any(sigma < _GROUPED for sigma, *_ in steps)
    if not alone:
        return Inversion(log_transform, revives=revives)
    direction = directions.pop()
    law = _SumsOfLosses(tuple(steps), direction) if _are_summed(steps) else None
    return Inversion(log_transform, -edge if direction == "add" else edge, law, revives)


def _are_summed(steps) -> bool:
    """Whether losses are summed where contours do not do: those of few steps, or of few participations. With so much
    noise that losses are nearly normal contours do."""
    nearly_normal = all(sigma >= _NEARLY_NORMAL for sigma, *_ in steps)
    few = sum(count for *_, count in steps) <= _FEW
    return not nearly_normal and (few or sum(rate * count for _, rate, _, count in steps) < _RARE)


@lru_cache(maxsize=16)
def _law(parts) -> PositiveLaw:
    """The law of the losses of (σ, p, count) together."""
    laws = (PositiveLaw.of_step(sigma, rate).power(count) for sigma, rate, count in parts)
    return reduce(lambda a, b: a.plus(b), laws)


class _SumsOfLosses:
    """Profiles of subsampled Gaussian steps of one direction by sums of positive terms."""

    def __init__(self, steps, direction: str):
        self._parts = tuple((sigma, rate, count) for sigma, rate, _, count in steps)
        self.direction = direction

    def __call__(self, epsilon, complement: bool):
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
        """A loss up to which δ is known, nearly."""
        law = _law(self._parts)
        low, high = law.range
        return -law.log_weight - low if self.direction == "add" else high + law.log_weight


class _SeparateProfile(Profile):
    """The profile of steps with hardly any noise, on intervals for a table."""

    def __init__(self, sums: SeparateSums, direction: str):
        self._sums, self._direction = sums, direction

    @cached_property
    def edges(self) -> np.ndarray:
        """0, octaves towards it, and the losses between which the profile is smooth."""
        places = self._sums.losses() if self._direction == "remove" else np.array([self._sums.highest])
        octaves = float(places[-1]) * 2.0 ** -np.arange(_OCTAVES)
        if self._direction == "add":
            # Next to the largest loss δ falls to 0.
            places = octaves = places * (1.0 - 2.0 ** -np.arange(1.0, _OCTAVES - 4))
        return np.unique(np.concatenate([[0.0], places[places > 0], octaves[octaves > 0]]))

    @property
    def highest(self) -> float:
        """The largest loss."""
        return math.inf if self._direction == "remove" else self._sums.highest

    def left(self, epsilon: np.ndarray) -> np.ndarray:
        """An upper bound on δ beyond the last interval."""
        if self._direction == "add":
            return np.maximum(self._sums.highest - epsilon, 0.0) * 1.01
        return self._sums.left(epsilon) + _LEAST

    def sample(self, interval: int, epsilon: np.ndarray):
        """δ or its complement, a bound on its relative error, and which it is."""
        profile = self._sums.removed if self._direction == "remove" else self._sums.added
        complement = bool(profile(self.edges[interval : interval + 2].mean(keepdims=True), False)[0][0] > 0.5)
        return *profile(epsilon, complement), complement


class MixedProfile(Profile):
    """The profile of finite losses of two mechanisms together, of which the first has few kinks and a bounded loss and
    the second is smooth.

    With F(x) = Pr_Q[L > x] of the first, and δ' the profile of the second, integration by parts of ∫ δ'(ε − x) dQ(x)
    leaves positive terms only:

        δ(ε) = δ'(ε − low) + ∫ F(x) s(ε − x) dx,     1 − δ(ε) = 1 − δ'(ε − high) + ∫ (1 − F(x)) s(ε − x) dx,

    over low < x < high, the range of the first, with s = −dδ'/dε.
    """

    def __init__(self, bounded, smooth):
        self._bounded, self._smooth = bounded, smooth
        self._range = bounded._loss_range()
        kinks = np.asarray(bounded._breakpoints(), dtype=float)
        places = np.unique(np.concatenate([kinks, self._range]))
        self._places = places[np.append(np.diff(places) > 1e-12 * self._range[1], True)]

    @cached_property
    def edges(self) -> np.ndarray:
        """Ends of intervals from 0 on: those of the second, moved by the range of the first."""
        others = self._smooth._faces._forward._evaluator.edges
        cuts = np.concatenate([others + self._range[1], others[1:] + self._range[0], [0.0]])
        cuts = np.unique(cuts[cuts > 1e-12 * self._range[1]])
        return np.append(0.0, cuts[np.append(np.diff(cuts) > 1e-12 * cuts[1:], True)])

    @cached_property
    def _points(self):
        """Points on panels between kinks, and as columns weight · F and weight · (1 − F), by rules of both orders: each
        rule has no weight at the points of the other; and what is open of weight · F by the first rule."""
        length = self._range[1] - self._range[0]
        pieces = [
            np.linspace(low, high, math.ceil(_PANELS * (high - low) / length), endpoint=False)
            for low, high in pairwise(self._places)
        ]
        ends = np.append(np.concatenate(pieces), self._places[-1])
        middle, half = (ends[1:] + ends[:-1])[:, None] / 2, np.diff(ends)[:, None] / 2
        rules = [gauss(count) for count in _ORDERS]
        x = np.concatenate([(middle + half * node).ravel() for node, _ in rules])
        columns, start = np.zeros((len(x), 2)), 0
        for number, (_, weight) in enumerate(rules):
            own = slice(start, start := start + half.size * weight.size)
            columns[own, number] = (half * weight).ravel()
        alpha, beta = self._bounded._errors(x)
        delta = self._bounded._delta(x)
        slope = slope_of_profile(x, alpha, lambda far: np.maximum(1.0 - beta[far] - delta[far], 0.0))
        above, far = np.where(x >= 0, np.minimum(delta + slope, 1.0), 1.0 - beta), x >= FAR
        return x, columns * above[:, None], columns * beta[:, None], np.where(far, columns[:, 0] * 4 * _ROUNDING, 0.0)

    def sample(self, interval: int, epsilon: np.ndarray):
        """δ or its complement, a bound on its relative error, and which it is."""
        low, high = self.edges[interval : interval + 2]
        complement = bool(self._smooth._delta(np.array([(low + high) / 2]))[0] > 0.5)
        value, noise, off = self._integrated(epsilon, complement)
        # What no number can be is left open.
        value = np.maximum(value, _LEAST)
        return value, (noise + off + _LEAST) / value + 1e-13 * _OF_SLOPES, complement

    def _integrated(self, epsilon, complement):
        """δ or its complement, what the errors of the second profile make of it, and by how much a rule of lower order
        differs."""
        x, above, below, unsure = self._points
        mass = below if complement else above
        left_open = np.zeros(len(x)) if complement else unsure
        integral, noise = np.empty((*epsilon.shape, len(_ORDERS))), np.empty(epsilon.shape)
        for few in np.array_split(np.arange(len(epsilon)), max(1, len(epsilon) * len(x) // _AT_ONCE)):
            slope, _, share = self._of_smooth(np.subtract.outer(epsilon[few], x), complement)
            integral[few] = slope @ mass
            noise[few] = (slope * share) @ mass[:, 0] + slope @ left_open
        # What is not within the range.
        _, rest, share = self._of_smooth(epsilon - self._range[1 if complement else 0], complement)
        finer, coarser = integral.T
        return rest + finer, rest * share + _OF_SLOPES * noise, np.abs(finer - coarser)

    def _of_smooth(self, epsilon, complement):
        """−dδ'/dε of the second at losses of either sign, δ' or 1 − δ', and a bound on the relative error of that, all
        of one look into the tables."""
        flat = epsilon.ravel()
        slope, value, error = np.empty((3, *flat.shape))
        right = flat >= 0
        answer = self._smooth._faces._forward.at(flat[right])
        slope[right], error[right] = answer.slope, answer.error
        value[right] = answer.rest if complement else answer.delta
        left = ~right
        loss = -flat[left]
        # δ'(−ε) = 1 − e^−ε + e^−ε δ⁻(ε), of the reverse pair.
        answer, shrink = self._smooth.reverse._faces._forward.at(loss), np.exp(-loss)
        slope[left] = shrink * np.clip(answer.rest - answer.slope, 0.0, 1.0)
        value[left] = shrink * answer.rest if complement else shrink * answer.delta - np.expm1(-loss)
        error[left] = shrink * answer.error + _ROUNDING * (not complement)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(error > 0, np.minimum(error / value, 1e300), 0.0)
        return (each.reshape(epsilon.shape) for each in (slope, value, share))


class LinesProfile(Profile):
    """The profile of finite losses from lower and upper values, on intervals for a table."""

    def __init__(self, factors, largest: float):
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
        """0, the kinks, and octaves towards 0 and towards the end, beyond which δ is the mass of infinite losses."""
        end = self._largest if self._largest < math.inf else self._vanishing()
        if end <= 0:
            return np.array([0.0, 1e-300])
        octaves = 2.0 ** -np.arange(1, _OCTAVES)
        last = float(self.kinks[self.kinks < end * (1 - 1e-12)].max(initial=0.0))
        inner = np.concatenate([end * octaves[:20], end - (end - last) * octaves, self.kinks, [self._sure]])
        # Of very many steps all of the profile is within a small part of the range.
        if _PARTS_OF_RANGE * (self._unlikely - self._sure) < end:
            inner = np.append(inner, np.linspace(self._sure, min(self._unlikely, end), _LEVELS))
        # Next to a kink near the end δ falls to almost nothing.
        if end - last < _NARROW * last:
            inner = np.append(inner, last - last * octaves[last * octaves > (end - last) / 2])
        # Losses that cancel leave a kink next to 0.
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
        """A loss from which on δ of finite losses is no number: it is at most e^{−cε} H(1 + c), c > 0."""
        c = np.geomspace(1e-9, 1e3, 121)
        log_h = c * sum(count * part._renyi(1.0 + c) for part, count in self._factors)
        return max(float(np.min((log_h + _DEEPEST) / c)), 0.0)

    def _vanishing(self) -> float:
        """A loss at which δ is no longer a number."""
        spread = math.sqrt(sum(count * part._loss_moments("Q")[1] for part, count in self._factors))
        end = spread if 0 < spread < 1 else 1.0
        while end < 1e15 and self._lines.covered(np.array([end]))[1][0] > math.exp(-_DEEPEST):
            end *= 2.0
        return end

    @property
    def near(self):
        """log δ ↦ about where δ has this logarithm, and log α ↦ about where α has, where that is known."""
        return self._lines.near

    @property
    def most_pieces(self) -> int:
        """As many as a few seconds allow for all intervals."""
        return int(np.clip(_MOST_SUMMED / self._lines.most_terms, *_PIECES))

    def cuts(self, interval: int) -> np.ndarray:
        """Losses within an interval at which the profile bends."""
        low, high = self.edges[interval : interval + 2]
        return self._lines.bends[(self._lines.bends > low) & (self._lines.bends < high)]

    def sample(self, interval: int, epsilon: np.ndarray):
        """Values, bounds on their relative error, and that they are of δ."""
        if self.edges[interval + 1] <= self._sure:
            return np.full(epsilon.shape, 1.0 - self.infinite), np.full(epsilon.shape, _SURE), False
        lower, upper = self._lines.covered(epsilon)
        middle = (lower + upper) / 2
        with np.errstate(divide="ignore", invalid="ignore"):
            return middle, np.where(middle > 0, (upper - lower) / (2 * middle), np.inf), False
