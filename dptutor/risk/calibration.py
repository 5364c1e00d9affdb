"""The parameter of a family of mechanisms at which a target is met exactly.

A family is any function from a positive number to a mechanism along which privacy changes in one direction:
`lambda sigma: dp.DPSGD(sigma, 0.01, 500)`. Targets are (ε, δ), the advantage, the success 1 − f(κ) of attacks whose
blind guess succeeds with probability κ (of membership attacks: the rate of true positives at κ false ones), or
a posterior belief ρ from the prior belief b, at ε = logit ρ − logit b: there the profile must equal δ, or the tail
Pr_Q[L > ε] a given exceedance. The
parameter is found by inverse interpolation in log-log coordinates, where δ(ε) is nearly straight, or by Brent's method;
the last step is to the side on which the target is kept.

Sources: Kaissis et al. (2024), section 1 (the calibration point); Kulynych et al. (2024) and (2025) for attacks.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
from scipy.optimize import brentq
from scipy.special import logit

from .._floats import LAST_PLACE
from .._types import Array, Number
from .._validation import callable_, positive_number, real_number
from ..mechanisms.base import Mechanism, as_mechanism
from . import attacks

__all__ = ["Unreachable", "calibrate"]

_M = TypeVar("_M", bound=Mechanism)
# The value to be met ("height"), and the relative amount by which it may fall short of the target.
_Height: TypeAlias = Callable[[Mechanism], tuple[float, float]]

# Range of parameters that is searched without a bracket.
_SMALLEST, _LARGEST = 1e-9, 1e15
# Logarithms of heights are clipped to ± this.
_FAR = 800.0
# If δ is below _CLEARLY times the target, the relative accuracy _ROUGH is enough; below _NOTHING times, any is.
_CLEARLY, _ROUGH, _NOTHING = 0.1, 1e-2, 5e-4
# Parameters whose logarithms differ by less than this are equal.
_NEAR = 1e-13
# Number of parameters through which heights are interpolated.
_THROUGH = 4
# Number of interpolations before another method takes over.
_TRIES = 12
# A height this little below the target, relatively, meets it.
_MET = 1e-9
# The bound on the error of δ may add at most this share of δ.
_OF_BOUND = 1e-3
# If the relative error bound of heights exceeds this, heights that differ by less are equal.
_LOOSE = 1e-6
# The first relative step away from a parameter that was found, and the factor by which steps grow.
_STRIDE, _FASTER = 2.0**-46, 8.0


class _Target(NamedTuple):
    """What is to be met: its name and value, the height, what messages add to heights, and the largest height."""

    name: str
    value: float
    height: _Height
    above: float = 0.0
    most: float = 1.0


class Unreachable(ValueError):
    """Raised by `calibrate` if all arguments are valid but no member of the family reaches the target.

    Examples
    --------
    >>> import dptutor as dp
    >>> try:
    ...     dp.calibrate(lambda p: dp.SubsampledGaussian(1, min(p, 1)), advantage=0.9, bracket=(0.01, 1))
    ... except dp.Unreachable as problem:
    ...     print(problem)
    advantage = 0.9 is out of reach: the family reaches 0.00382925 to 0.382925
    """


def calibrate(
    family: Callable[[float], _M],
    *,
    epsilon: Number | None = None,
    delta: Number = 0.0,
    advantage: Number | None = None,
    posterior_belief: Number | None = None,
    membership_prior: Number = 0.5,
    exceedance: Number | None = None,
    fpr: Number | None = None,
    tpr: Number | None = None,
    baseline: Number | None = None,
    success: Number | None = None,
    bracket: tuple[Number, Number] | None = None,
) -> _M:
    """The mechanism of a one-parameter family that meets a target exactly.

    Parameters
    ----------
    family : callable
        A function from a positive number to a mechanism. As the number grows, the mechanism must become more and more
        private, or less and less.
    epsilon, delta : float, optional
        Target (ε, δ): the profile at ε equals δ; with δ = 0, the largest loss equals ε.
    advantage : float, optional
        Target: the membership advantage, in (0, 1).
    posterior_belief, membership_prior : float, optional
        Target: the belief ρ in membership, above the prior belief b in it, in the sense of ε = logit ρ − logit b at
        `delta`. With δ = 0 it is the largest belief; with δ > 0 it is exceeded with a probability larger than δ.
    exceedance : float, optional
        With `posterior_belief` and instead of `delta`: the probability in (0, 1) with which the belief exceeds ρ in
        world Q.
    fpr, tpr : float, optional
        Target: no membership attack with a false-positive rate of at most `fpr`, in (0, 1), has a true-positive rate
        above `tpr`, in (`fpr`, 1).
    baseline, success : float, optional
        Target: no attack whose blind guess succeeds with probability `baseline`, in (0, 1), succeeds with a probability
        above `success`, in (`baseline`, 1). See `attack_bound`.
    bracket : tuple of float, optional
        Smallest and largest parameter to consider.

    Returns
    -------
    Mechanism
        `family` at the parameter nearest to the target, usually to twelve digits, at which it is kept: δ,
        the largest loss, the advantage, the exceedance or the success is at most what was asked for. For δ and the
        success this includes the bound on its error, if that is less than a thousandth of it.

    Raises
    ------
    Unreachable
        If no parameter reaches the target; the message states what is reachable. It is a subclass of `ValueError`.
    ValueError
        If not exactly one target is given, or the family does not change in one direction.

    References
    ----------
    Kaissis et al. (2024), section 1 (the calibration point); Bernau et al. (2021), equation 10, for beliefs; Kulynych
    et al. (2024) for the rates of membership attacks, Kulynych et al. (2025) for all attacks.

    Examples
    --------
    >>> import dptutor as dp
    >>> round(dp.calibrate(lambda s: dp.Gaussian(sigma=s), epsilon=1, delta=1e-5).sigma, 6)
    3.730632

    At most one reconstruction in four succeeds, where one blind guess in ten does:

    >>> m = dp.calibrate(lambda s: dp.DPSGD(s, 0.01, 500), baseline=0.1, success=0.25)
    >>> round(m.noise_multiplier, 6), round(1 - m.tradeoff(0.1), 6)
    (0.678213, 0.25)
    """
    callable_("family", family)
    rates = {("fpr", "tpr"): (fpr, tpr), ("baseline", "success"): (baseline, success)}
    target = _target(epsilon, delta, advantage, posterior_belief, membership_prior, exceedance, rates)
    search = _Search(family, target)
    ends = search.bracketed(None if bracket is None else _ends(bracket))
    if ends is None:
        low, high = (target.above + each for each in search.reachable)
        reached = f"{low:.6g} to {high:.6g}" if low < high else f"{low:.6g} only"
        raise Unreachable(f"{_stated(target)} is out of reach: the family reaches {reached}")
    root = search.kept(search.root(*ends))
    search.insist_on_one_direction()
    if exceedance is not None:
        search.insist_on_no_jump(root)
    return family(root)


def _target(
    epsilon: Any,
    delta: Any,
    advantage: Any,
    posterior_belief: Any,
    membership_prior: Any,
    exceedance: Any,
    rates: dict[tuple[str, str], tuple[Any, Any]],
) -> _Target:
    """What is to be met."""
    single = [value for value in (epsilon, advantage, posterior_belief) if value is not None]
    pairs = [names for names, pair in rates.items() if any(value is not None for value in pair)]
    if len(single) + len(pairs) != 1:
        raise ValueError(
            "give exactly one of epsilon (with delta), advantage, posterior_belief (with delta), fpr with tpr, "
            "baseline with success"
        )
    if pairs and (delta or exceedance is not None):
        raise ValueError(f"{' and '.join(pairs[0])} are a target without delta or exceedance")
    for names in pairs:
        return _attack(names, *rates[names])
    if exceedance is not None and (posterior_belief is None or delta):
        raise ValueError("exceedance requires posterior_belief, and replaces delta")
    if advantage is not None:
        value = real_number("advantage", advantage, 0.0, 1.0, open_low=True, open_high=True)
        return _Target("advantage", value, lambda m: (m.advantage, 0.0))
    delta = real_number("delta", delta, 0.0, 1.0, open_high=True)
    if posterior_belief is not None:
        prior = real_number("membership_prior", membership_prior, 0.0, 1.0, open_low=True, open_high=True)
        belief = real_number("posterior_belief", posterior_belief, prior, 1.0, open_low=True, open_high=True)
        epsilon = logit(belief) - logit(prior)
    if exceedance is not None:
        value = real_number("exceedance", exceedance, 0.0, 1.0, open_low=True, open_high=True)
        return _Target(f"exceedance of {belief:.6g}", value, lambda m: (float(m.privacy_loss.sf(epsilon)), 0.0))
    if delta == 0:
        largest = positive_number("epsilon", epsilon)
        return _Target("epsilon at delta = 0", largest, lambda m: (m.epsilon(0.0), 0.0), most=math.inf)
    epsilon = real_number("epsilon", epsilon, 0.0, math.inf, open_high=True)
    at = np.asarray(float(epsilon))

    def height(mechanism: Mechanism) -> tuple[float, float]:
        # Far from the target only the side matters: a few digits are enough.
        quickly = mechanism._delta_quickly(at)
        value, error = (float(x) for x in quickly or (mechanism._delta(at), mechanism._delta_error(at)))
        if error <= _ROUGH * value and value + error < _CLEARLY * delta:
            return value, 0.0
        if value + error < _NOTHING * delta:
            return value + error, 0.0
        if quickly:
            value, error = float(mechanism._delta(at)), float(mechanism._delta_error(at))
        return _with_error(value, error)

    return _Target(f"delta at epsilon = {epsilon:.6g}", delta, height)


def _with_error(value: float, error: float) -> tuple[float, float]:
    """A height that includes the bound on its error."""
    off = min(error, _OF_BOUND * value)
    return value + off, off / value if off > _LOOSE * value else 0.0


def _stated(target: _Target) -> str:
    """A target in words: epsilon = 1 at delta = 0."""
    quantity, at, where = target.name.partition(" at ")
    return f"{quantity} = {target.above + target.value:.6g}{at}{where}"


def _attack(names: tuple[str, str], blind: Any, most: Any) -> _Target:
    """The same for attacks: the height is their gain over a blind guess; messages state their success."""
    low, high = names
    for name, value in zip(names, (blind, most), strict=True):
        if value is None:
            raise ValueError(f"{low} and {high} are one target: {name} is missing")
    blind = real_number(low, blind, 0.0, 1.0, open_low=True, open_high=True)
    most = real_number(high, most, blind, 1.0, open_low=True, open_high=True)
    at = np.asarray(blind)
    near: Array | None = None

    def gain(mechanism: Mechanism) -> tuple[float, float]:
        nonlocal near
        loss = attacks.supporting_loss(mechanism, at, near)
        near = loss if np.isfinite(loss) else None
        value = float(attacks.advantage_along(mechanism, at, loss))
        return _with_error(value, float(mechanism._delta_error(loss)))

    return _Target(f"{high} at {low} = {blind:.6g}", most - blind, gain, blind, 1.0 - blind)


def _ends(bracket: tuple[Number, Number]) -> tuple[float, float]:
    if not (isinstance(bracket, (tuple, list)) and len(bracket) == 2):
        raise TypeError(f"bracket must be two positive numbers, got {bracket!r}")
    low, high = (positive_number("bracket", value) for value in bracket)
    if low >= high:
        raise ValueError(f"bracket must be increasing, got {bracket!r}")
    return low, high


class _Search:
    """The search for the parameter; every evaluation of the family is kept."""

    def __init__(self, family: Callable[[float], Mechanism], target: _Target):
        self._family, self._goal, self._height, self._target = family, target, target.height, target.value
        self._seen: dict[float, float] = {}
        self._loose: dict[float, float] = {}
        self._known: dict[Mechanism, tuple[float, float]] = {}

    def at(self, x: float) -> float:
        """The height at a parameter; a ValueError of the family propagates."""
        if x not in self._seen:
            mechanism = as_mechanism("what the family returns", self._family(x))
            # A family that rounds its parameter gives the same mechanism many times.
            if mechanism not in self._known:
                self._known[mechanism] = self._height(mechanism)
            self._seen[x], self._loose[x] = self._known[mechanism]
        return self._seen[x]

    def root(self, low: float, high: float) -> float:
        """The parameter between two on different sides of the target."""
        if low == high:
            return low
        # Heights are almost straight in log-log coordinates.
        left, right = math.log(low), math.log(high)
        rising = self._excess(self.at(high)) > self._excess(self.at(low))
        for _ in range(_TRIES):
            guess, sure = self._interpolated()
            if not left < guess < right:
                break
            if sure <= _NEAR:
                return math.exp(guess)
            excess = self._excess(self.at(math.exp(guess)))
            if -self._loose[math.exp(guess)] <= excess <= 0.0:
                return math.exp(guess)
            left, right = (left, guess) if (excess > 0) == rising else (guess, right)

        def excess_at(y: float) -> float:
            return self._excess(self.at(math.exp(y)))

        return math.exp(brentq(excess_at, left, right, xtol=max(_NEAR, *self._loose.values())))

    def kept(self, root: float) -> float:
        """The parameter closest to `x` at which the height is at most the target."""
        if -self._loose.get(root, 0.0) <= self._excess(self._seen.get(root, math.inf)) <= 0.0:
            return root
        low, high = self._crossing(()) or (root, root)
        if low == high:
            return low
        bad, safe = (high, low) if self.at(low) <= self._target else (low, high)
        towards, stride = math.copysign(1.0, safe - bad), max(_STRIDE, self._loose[safe])
        place = root * (1.0 + towards * stride)
        while abs(safe - bad) > 2.0 * LAST_PLACE * safe:
            if not min(bad, safe) < place < max(bad, safe):
                place = (bad + safe) / 2
            stride *= _FASTER
            if self.at(place) <= self._target:
                safe, place = place, place * (1.0 - towards * stride)
            else:
                bad, place = place, place * (1.0 + towards * stride)
            if self._excess(self.at(safe)) >= -max(_MET, self._loose[safe]):
                break
        return safe

    def _interpolated(self) -> tuple[float, float]:
        """The root by inverse interpolation through the parameters closest to the target, and its distance from the
        root with one parameter less."""
        # Aim at the middle of the heights that count as met.
        excess = {math.log(x): self._excess(height) + self._loose[x] / 2 for x, height in self._seen.items()}
        near = sorted(excess.items(), key=lambda pair: abs(pair[1]))[:_THROUGH]
        if len(near) < 2 or len({height for _, height in near}) < len(near):
            return math.nan, math.inf
        heights, row = [height for _, height in near], [y for y, _ in near]
        found = [row[0]]
        # Neville's scheme: after each step the first entry uses one more parameter.
        for step in range(1, len(row)):
            row = [
                (heights[k + step] * row[k] - heights[k] * row[k + 1]) / (heights[k + step] - heights[k])
                for k in range(len(row) - 1)
            ]
            found.append(row[0])
        return found[-1], abs(found[-1] - found[-2])

    def _excess(self, height: float) -> float:
        """The difference of log(h/(m − h)) between a height h and the target, if m is the largest possible height."""
        return self._logarithm(height) - self._logarithm(self._target)

    def _logarithm(self, height: float) -> float:
        if height <= 0:
            return -_FAR
        return math.log(height) - math.log1p(-height / self._goal.most) if height < self._goal.most else _FAR

    def bracketed(self, bracket: tuple[float, float] | None) -> tuple[float, float] | None:
        """Neighboring parameters on both sides of the target, or None."""
        if bracket is not None:
            return self._crossing(bracket)
        # Outwards from 1 with growing steps; a family may be undefined beyond some parameter.
        low = high = self._start()
        down = up = True
        factor = 2.0
        while down or up:
            if up:
                high, up = self._further(high, min(high * self._stride(high, factor), _LARGEST))
            if (found := self._crossing((low, high))) is not None:
                return found
            if down:
                low, down = self._further(low, max(low / self._stride(low, factor), _SMALLEST))
            if (found := self._crossing((low, high))) is not None:
                return found
            # Once the heights on both sides differ, the direction is known.
            if self.at(low) != self.at(high):
                rising = self.at(high) > self.at(low)
                wanted_up = rising == (self._target > self.at(high))
                up, down = up and wanted_up, down and not wanted_up
            factor = min(factor**1.5, 1e3)
        return None

    def _stride(self, x: float, longest: float) -> float:
        """The factor of the next step: if heights were straight, it would lead past the target."""
        others = [other for other in self._seen if other != x]
        if not others:
            return longest
        near = min(others, key=lambda other: abs(math.log(other / x)))
        here, there = self._excess(self.at(x)), self._excess(self.at(near))
        if here == there:
            return longest
        ahead = abs(here * math.log(near / x) / (there - here))
        return min(longest, math.exp(min(1.3 * ahead + 0.02, _FAR / 2)))

    def _start(self) -> float:
        for x in (1.0, 0.1, 0.01, 10.0, 100.0):
            try:
                self.at(x)
            except ValueError:
                continue
            return x
        self.at(1.0)
        return 1.0

    def _further(self, x: float, beyond: float) -> tuple[float, bool]:
        """The next parameter in this direction, and whether the search may continue there."""
        if x == beyond:
            return x, False
        try:
            self.at(beyond)
        except ValueError:
            return self._edge(x, beyond), False
        return beyond, True

    def _edge(self, inside: float, outside: float) -> float:
        """The last parameter for which the family is defined and its height can be computed."""
        first = inside
        for evaluate, rounds in ((self._family, 60), (self.at, 10)):
            inside, beyond = first, outside
            for _ in range(rounds):
                middle = math.sqrt(inside * beyond)
                try:
                    evaluate(middle)
                    inside = middle
                except ValueError:
                    beyond = middle
            # A limit of the family is usually a round number, which belongs to it.
            for near in (float(f"{inside:.12g}"), inside):
                try:
                    self.at(near)
                except ValueError:
                    continue
                return near
        return first

    def _crossing(self, ends: tuple[float, ...]) -> tuple[float, float] | None:
        """The closest pair of evaluated parameters between which the target lies."""
        for x in ends:
            self.at(x)
        xs = sorted(self._seen)
        for left, right in itertools.pairwise(xs):
            # The product of two differences would underflow for δ below 1e-154.
            if min(self.at(left), self.at(right)) <= self._target <= max(self.at(left), self.at(right)):
                if self.at(left) == self._target:
                    return left, left
                return (right, right) if self.at(right) == self._target else (left, right)
        return (xs[0], xs[0]) if len(xs) == 1 and self.at(xs[0]) == self._target else None

    @property
    def reachable(self) -> tuple[float, float]:
        """Smallest and largest height seen."""
        return min(self._seen.values()), max(self._seen.values())

    def insist_on_no_jump(self, root: float) -> None:
        """Raises if the height jumps over the target: a bounded loss exceeds ε often or never."""
        before, after = (self._height(self._family(root * (1 + step)))[0] for step in (-1e-9, 1e-9))
        if abs(before - after) > 1e-3 * self._target:
            raise Unreachable(f"{_stated(self._goal)} is out of reach: near {root:.6g} it jumps from "
                             f"{before:.6g} to {after:.6g}")  # fmt: skip

    def insist_on_one_direction(self) -> None:
        """Raises if heights both rise and fall."""
        heights = np.array([self._seen[x] for x in sorted(self._seen)])
        steps = np.diff(heights[np.isfinite(heights)])
        slack = 1e-6 * np.abs(heights[np.isfinite(heights)][1:]) + 1e-3 * self._target
        if (steps > slack).any() and (steps < -slack).any():
            raise ValueError(f"family must be monotone, but its {self._goal.name} rises and falls; give a bracket")
