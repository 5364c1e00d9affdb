"""Composition: all answers of several mechanisms, about the same data, seen together.

Losses add, so the pairs multiply: (P, Q) and (P', Q') give (P × P', Q × Q'). Hellinger transforms multiply. A
composition in which one mechanism is taken in both directions is composed in each direction and symmetrized as a whole:
an example is in all parts or in none.

The road to its faces is chosen in `_road`, here and nowhere else:

    all parts finite experiments        their atoms, enumerated exactly        transform/finite.py
    the transform decays                an integral along Re s = const         transform/hellinger.py
    some parts finite experiments       a mixture over their atoms             roads.py
    anything else                       a grid, between two exact brackets     transform/discretized.py

Sources: Zhu, Dong & Wang (2022), theorem 10 (dominating pairs compose); Dong, Roth & Su (2022), theorem 3.2.
"""

from __future__ import annotations

import contextlib
import math
from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np

from .._validation import positive_integer
from ..transform.discretized import bracketed
from ..transform.finite import FiniteLaw, TooManyAtoms
from ..transform.hellinger import SlowDecay
from .base import Mechanism, as_mechanism
from .finite import BlatantlyNonPrivate, FiniteMechanism, PerfectPrivacy
from .gaussian import Gaussian
from .roads import FiniteRoad, MixtureRoad, TransformRoad, grid_factor
from .roots import tradeoff_by_tangents
from .subsampled import DPSGD, SubsampledGaussian
from .symmetrized import Symmetrized


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

    def _delta_error(self, epsilon):
        if isinstance(self._road, TransformRoad):
            return self._road.delta_error(np.asarray(epsilon, dtype=float))
        return super()._delta_error(epsilon)

    def _epsilon_near(self, log_delta):
        return self._road.epsilon_near(log_delta) if isinstance(self._road, TransformRoad) else None

    def _tradeoff(self, alpha):
        if isinstance(self._road, FiniteRoad):
            return self._road.tradeoff(alpha)
        if self._window is None:
            return super()._tradeoff(alpha)
        return tradeoff_by_tangents(self._errors, self._window, np.asarray(alpha, dtype=float))

    @property
    def _window(self):
        return self._road.window

    def _bayes_error(self, log_odds):
        if isinstance(self._road, FiniteRoad):
            return super()._bayes_error(log_odds)
        return self._road.bayes_error(np.asarray(log_odds, dtype=float))

    def _renyi(self, order):
        return sum(count * part._renyi(order) for part, count in self.factors)

    def _loss_moments(self, under):
        moments = np.array([part._loss_moments(under) for part, _ in self.factors])
        return tuple(np.array([count for _, count in self.factors]) @ moments)

    @cached_property
    def _road(self):
        finite = [(part, count) for part, count in self.factors if isinstance(part, FiniteMechanism)]
        others = tuple((part, count) for part, count in self.factors if not isinstance(part, FiniteMechanism))
        if not others:
            with contextlib.suppress(TooManyAtoms):
                return FiniteRoad(_enumerated(finite))
        with contextlib.suppress(SlowDecay):
            return TransformRoad(self.factors)
        if finite and others:
            rest = Composition(others) if len(others) > 1 or others[0][1] > 1 else others[0][0]
            with contextlib.suppress(TooManyAtoms):
                return MixtureRoad(_enumerated(finite), rest)
        grid = [grid_factor(part, count) for part, count in self.factors]
        return FiniteRoad(*bracketed(grid), smooth=not any(factor.atoms for factor in grid))


def _enumerated(parts) -> FiniteLaw:
    return reduce(FiniteLaw.composed, (part._law.power(count) for part, count in parts))


def power(mechanism: Mechanism, count) -> Mechanism:
    """`mechanism ** count`."""
    return compose([(mechanism, positive_integer("the exponent", count))])


def product(mechanism: Mechanism, other) -> Mechanism:
    """`mechanism @ other`."""
    return compose([(mechanism, 1), (as_mechanism("other", other), 1)])
