"""Composition: all answers of several mechanisms, about the same data, seen together.

Losses add, so the pairs multiply: (P, Q) and (P', Q') give (P × P', Q × Q'). Hellinger transforms multiply. A
composition in which one mechanism is taken in both directions is composed in each direction and symmetrized as a whole:
an example is in all parts or in none.

The road to its faces is chosen in `_road`, here and nowhere else:

    all parts finite experiments        their atoms, enumerated exactly        transform/finite.py
    the transform decays                an integral along Re s = const         transform/hellinger.py
    anything else                       a grid, between two exact brackets     transform/discretized.py

Sources: Zhu, Dong & Wang (2022), theorem 10 (dominating pairs compose); Dong, Roth & Su (2022), theorem 3.2.
"""

from __future__ import annotations

import contextlib
import copy
import math
from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np

from .._validation import positive_integer
from ..transform.discretized import Factor, bracketed, window
from ..transform.finite import FiniteLaw, TooManyAtoms
from ..transform.hellinger import Inversion, SlowDecay
from ..transform.subsampled_gaussian import complex_log1p
from .base import Mechanism, as_mechanism
from .finite import BlatantlyNonPrivate, FiniteMechanism, PerfectPrivacy
from .gaussian import Gaussian
from .roots import tradeoff_by_tangents
from .subsampled import DPSGD, SubsampledGaussian
from .symmetrized import Symmetrized

# Error of log H of one part, relative.
_RELATIVE = 4e-15


def compose(parts) -> Mechanism:
    """The composition of `parts`, pairs of a mechanism and how many times it is used."""
    counts: dict[Mechanism, int] = {}
    both = False
    for mechanism, count in parts:
        for part, times, was_both in _flattened(mechanism):
            counts[part] = counts.get(part, 0) + times * count
            both = both or was_both
    if any(isinstance(part, BlatantlyNonPrivate) for part in counts):
        return BlatantlyNonPrivate()
    counts = {part: count for part, count in counts.items() if not isinstance(part, PerfectPrivacy)}
    gaussians = [(part, count) for part, count in counts.items() if isinstance(part, Gaussian)]
    if len(gaussians) > 1 or (gaussians and gaussians[0][1] > 1):
        # μ² adds.
        rest = {part: count for part, count in counts.items() if not isinstance(part, Gaussian)}
        counts = {Gaussian(sigma=1 / math.sqrt(sum(n * part.mu**2 for part, n in gaussians))): 1} | rest
    if not counts:
        return PerfectPrivacy()
    first, times = next(iter(counts.items()))
    whole = first if len(counts) == 1 and times == 1 else Composition(tuple(counts.items()))
    return whole.symmetrized if both else whole


def _flattened(mechanism):
    """One-directional parts of a mechanism, how many times each is used, and whether both directions were meant."""
    if isinstance(mechanism, Symmetrized):
        return [(part, times, True) for part, times, _ in _flattened(mechanism.mechanism)]
    if isinstance(mechanism, Composition):
        return [(part, times, False) for part, times in mechanism.factors]
    if isinstance(mechanism, DPSGD):
        return [(part, mechanism.steps, both) for part, _, both in _flattened(mechanism.step)]
    if isinstance(mechanism, SubsampledGaussian):
        if mechanism.sampling_rate == 1.0:
            return [(Gaussian(sigma=mechanism.noise_multiplier), 1, False)]
        return [
            (mechanism.directions[0] if mechanism.direction == "both" else mechanism, 1, mechanism.direction == "both")
        ]
    return [(mechanism, 1, False)]


@dataclass(frozen=True)
class Composition(Mechanism):
    """Several mechanisms together, in one direction; made by `**` and `@`."""

    factors: tuple[tuple[Mechanism, int], ...]

    def __repr__(self):
        return " @ ".join(f"{part!r} ** {count}" if count > 1 else repr(part) for part, count in self.factors)

    @property
    def is_symmetric(self) -> bool:
        return all(part.is_symmetric for part, _ in self.factors)

    @cached_property
    def reverse(self) -> Mechanism:
        if self.is_symmetric:
            return self
        other = Composition(tuple((part.reverse, count) for part, count in self.factors))
        other.__dict__["_road"] = self._road.reverse
        return other

    @property
    def error_bound(self) -> float:
        return self._road.error_bound

    @property
    def _bayes_error_bound(self) -> float:
        return self._road.bayes_error_bound

    def _loss_range(self):
        ranges = [(part._loss_range(), count) for part, count in self.factors]
        return sum(n * low for (low, _), n in ranges), sum(n * high for (_, high), n in ranges)

    def _kinks(self):
        return self._road.kinks

    def _errors(self, epsilon):
        return self._road.errors(np.asarray(epsilon, dtype=float))

    def _delta(self, epsilon):
        return self._road.delta(np.asarray(epsilon, dtype=float))

    def _tradeoff(self, alpha):
        if self._window is None:
            return self._road.tradeoff(alpha)
        return tradeoff_by_tangents(self._errors, self._window, np.asarray(alpha, dtype=float))

    @property
    def _window(self):
        return self._road.window

    def _bayes_error(self, log_odds):
        if self._window is None:
            return super()._bayes_error(log_odds)
        return self._road.bayes_error(np.asarray(log_odds, dtype=float))

    def _renyi(self, order):
        return sum(count * part._renyi(order) for part, count in self.factors)

    def _loss_moments(self, under):
        moments = np.array([part._loss_moments(under) for part, _ in self.factors])
        return tuple(np.array([count for _, count in self.factors]) @ moments)

    @cached_property
    def _road(self):
        if all(isinstance(part, FiniteMechanism) for part, _ in self.factors):
            with contextlib.suppress(TooManyAtoms):
                return FiniteRoad(reduce(FiniteLaw.composed, (part._law.power(count) for part, count in self.factors)))
        try:
            return TransformRoad(self.factors)
        except SlowDecay:
            return FiniteRoad(*bracketed([_grid_factor(part, count) for part, count in self.factors]))


class FiniteRoad:
    """Faces of an enumerated law, exact or the dominating one of a bracket."""

    def __init__(self, law: FiniteLaw, error_bound: float = 1e-13):
        self._law = law
        self.errors, self.delta, self.tradeoff, self.kinks = law.errors, law.delta, law.tradeoff, law.kinks
        self.error_bound = self.bayes_error_bound = error_bound
        self.window = None

    @property
    def reverse(self) -> FiniteRoad:
        """The road of the reverse pair."""
        return FiniteRoad(self._law.reverse, self.error_bound)


class TransformRoad:
    """Faces by inversion of the Hellinger transform: of a pair for losses ε ≥ 0, of its reverse for ε < 0."""

    kinks = np.empty(0)

    def __init__(self, factors):
        self._factors = factors
        self._infinite = tuple(
            -math.expm1(sum(n * math.log1p(-_infinite(pair)) for pair, n in pairs))
            for pairs in (factors, [(part.reverse, n) for part, n in factors])
        )
        self._reach = min(_reach(part) for part, _ in factors)
        self._forward = Inversion(self._log_transform, self._reach)

    @cached_property
    def _backward(self) -> Inversion:
        return Inversion(lambda s: self._log_transform(1.0 - s), self._reach)

    def _log_transform(self, s):
        value, error = np.zeros(s.shape, dtype=complex), np.zeros(s.shape)
        for part, count in self._factors:
            log_h, its_error = _log_hellinger(part, s)
            value += count * log_h
            error += count * its_error
        return value, error

    @property
    def window(self) -> tuple[float, float]:
        """Losses beyond which min(π, 1 − π) − R is below rounding."""
        return self._forward.middle_window

    @property
    def bayes_error_bound(self) -> float:
        """Bound on the error of R at every prior."""
        return 2 * self._forward.bayes_error_bound + 1e-15

    @property
    def error_bound(self) -> float:
        """Bound on the error of R, and of f and δ: there that of R counts e^{|ε|/2} times on the middle line."""
        return 1e-15 + 4 * self._forward.bayes_error_bound * math.exp(self._forward.near / 2)

    def bayes_error(self, log_odds):
        """R at log-odds."""
        flat = np.clip(np.ravel(log_odds), -700.0, 700.0)
        return self._forward.bayes_error(flat).reshape(np.shape(log_odds))

    def errors(self, epsilon):
        """α and β at ε."""
        flat = np.ravel(epsilon)
        alpha, beta = np.empty(flat.shape), np.empty(flat.shape)
        # Beyond the window nothing is left of the finite losses.
        low, high = self.window
        beyond = (flat >= high) | (flat <= low)
        near = ~beyond & (np.abs(flat) <= self._forward.near)
        if near.any():
            alpha[near], beta[near] = self._forward.errors_near(flat[near])
        alpha[beyond] = np.where(flat[beyond] > 0, 0.0, 1.0 - self._infinite[1])
        beta[beyond] = np.where(flat[beyond] > 0, 1.0 - self._infinite[0], 0.0)
        right, left = ~near & ~beyond & (flat > 0), ~near & ~beyond & (flat < 0)
        if right.any():
            alpha[right], beta[right] = self._forward.tails(flat[right], self._infinite[0])
        if left.any():
            # Of the reverse pair at −ε: its type I error is β, its type II error α.
            beta[left], alpha[left] = self._backward.tails(-flat[left], self._infinite[1])
        return alpha.reshape(np.shape(epsilon)), beta.reshape(np.shape(epsilon))

    def delta(self, epsilon):
        """δ at ε."""
        flat = np.ravel(epsilon)
        delta = np.empty(flat.shape)
        right = flat >= 0
        if right.any():
            delta[right] = _profile(self._forward, flat[right], self._infinite[0])
        if not right.all():
            # δ(ε) = 1 − e^ε + e^ε δ_QP(−ε)
            left = flat[~right]
            delta[~right] = -np.expm1(left) + np.exp(left) * _profile(self._backward, -left, self._infinite[1])
        return delta.reshape(np.shape(epsilon))

    @cached_property
    def reverse(self) -> TransformRoad:
        """The road of the reverse pair; it shares what was worked out."""
        road = copy.copy(self)
        road._factors = [(part.reverse, count) for part, count in self._factors]
        road._infinite = self._infinite[::-1]
        road.__dict__.pop("reverse", None)
        road._forward, road.__dict__["_backward"] = self._backward, self._forward
        return road


def _profile(inversion, epsilon, infinite):
    delta = np.full(epsilon.shape, infinite)
    finite = np.isfinite(epsilon)
    if finite.any():
        delta[finite] = inversion.profile(epsilon[finite], infinite)[0]
    return np.minimum(delta, 1.0)


def _infinite(part) -> float:
    """Pr_Q[L = +∞]."""
    return float(part._delta(np.asarray(math.inf)))


def _grid_factor(part, count) -> Factor:
    infinite = _infinite(part.reverse), _infinite(part)
    atoms = tuple(float(kink) for kink in part._kinks())
    return Factor(part._errors, *infinite, count, *window(part._errors, *infinite), atoms)


def _reach(part) -> float:
    """|s| up to which H(s) of a part does not overflow on the real line."""
    if hasattr(part, "_log_hellinger"):
        return getattr(part, "hellinger_reach", math.inf)
    return 600.0 / float(np.max(np.abs(part._kinks()), initial=1e-6))


def _log_hellinger(part, s):
    """log H(s) of a part, and a bound on its error."""
    if hasattr(part, "_log_hellinger"):
        return part._log_hellinger(s)
    excess = np.asarray(part._hellinger_excess(np.append(s, 0.5)), dtype=complex)
    log_h = complex_log1p(excess)
    # The terms that make up H − 1 are of the size of |2s − 1|² times those at s = ½, also where they cancel.
    return log_h[:-1], _RELATIVE * (np.abs(log_h[:-1]) + abs(log_h[-1]) * (1.0 + np.abs(2.0 * s - 1.0) ** 2))


def power(mechanism: Mechanism, count) -> Mechanism:
    """`mechanism ** count`."""
    return compose([(mechanism, positive_integer("the exponent", count))])


def product(mechanism: Mechanism, other) -> Mechanism:
    """`mechanism @ other`."""
    return compose([(mechanism, 1), (as_mechanism("other", other), 1)])
