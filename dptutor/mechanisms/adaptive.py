"""Several uses of exponential mechanisms, each with candidates that may depend on all earlier answers.

The pair of one use is the worst of all ranges [t − ε, t] of its losses, and at each point another t is worst. Whoever
chooses t for one use after the other is bounded twice:

- by the power of that pair, which no choice exceeds (Zhu, Dong & Wang 2022, theorem 10), on a grid from above;
- by Rényi divergences, which add up whatever is chosen. Each use has the largest of all t at most, below that of the
  pair; δ(ε) ≤ e^((s − 1)(D_s − ε)) (1 − 1/s)^(s − 1)/s (Canonne, Kamath & Steinke 2020).

The true profile is convex in e^ε and below both, so also below the lower convex hull of any of their points.

In a product with other mechanisms these come last at worst: what an adversary gains at the others does not depend on t,
and what is known when t is chosen only helps. So the hull is a part like any other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .._floats import LAST_PLACE, SMALLEST, SMALLEST_NORMAL
from ..evaluation.discretized import Bracket, Factor, bracketed, window
from ..evaluation.finite_law import FiniteLaw
from ..evaluation.roots import decreasing_root
from .base import Mechanism
from .finite import SymmetricFiniteMechanism

# Orders of Rényi divergences, as far from 1: by scale of losses, and how many.
_FIRST, _LAST, _ORDERS = 1e-4, 1e5, 8000
# Places: so many at most, apart by a power of two, where δ is between these, and so many beyond.
_PLACES, _SURE, _TINY, _BEYOND = 2**15, 1.0 - 1e-15, 1e-20, 2**9
# What the grid of the pairs shall leave open.
_GOAL = 1e-8


@dataclass(frozen=True, eq=False)
class Adaptive(SymmetricFiniteMechanism):
    """Uses of mechanisms of which each stands for many pairs; made by `**` and `@`."""

    uses: tuple[tuple[Mechanism, int], ...]

    def __repr__(self) -> str:
        return " @ ".join(f"{part!r} ** {count}" if count > 1 else repr(part) for part, count in self.uses)

    @cached_property
    def _key(self) -> Hashable:
        return "Adaptive", frozenset((part._key, count) for part, count in self.uses)

    def _parts(self) -> tuple[tuple[tuple[Mechanism, int], ...], bool]:
        return self.uses, False

    def _renyi(self, order: np.ndarray) -> np.ndarray:
        return np.sum([count * part._renyi(order) for part, count in self.uses], axis=0)

    def _pair_renyi(self, order: np.ndarray) -> np.ndarray:
        return self._law.renyi(order)

    def _outcomes(self) -> tuple[np.ndarray, np.ndarray]:
        return self._law.p, self._law.q

    @property
    def _law(self) -> FiniteLaw:
        return self._hull[0]

    @property
    def error_bound(self) -> float:
        return float(self._hull[2].max()) + self._law.error_bound

    def _delta_error(self, epsilon: np.ndarray) -> np.ndarray:
        _, places, gaps = self._hull
        loss = np.abs(np.asarray(epsilon, dtype=float))
        return super()._delta_error(epsilon) + gaps[np.searchsorted(places, loss, side="right")]

    @cached_property
    def _hull(self) -> tuple[FiniteLaw, np.ndarray, np.ndarray]:
        """The law; the losses ≥ 0 of its atoms; how far δ may be above what is allowed before, between and after."""
        top = sum(count * part._largest_finite_loss() for part, count in self.uses)
        most = self._most_of_renyi
        pairs = self._bracket

        def most_of_both(epsilon: np.ndarray) -> np.ndarray:
            return np.minimum(pairs.law.delta(epsilon) + pairs.lost, most(epsilon))

        first, last = np.minimum(decreasing_root(most_of_both, [_SURE, _TINY], low=0.0), top)
        step = 2.0 ** math.ceil(math.log2(max((last - first) / _PLACES, SMALLEST)))
        within = step * np.arange(math.floor(first / step), math.ceil(last / step) + 1)
        places = np.unique(np.concatenate([[0.0], within, np.linspace(last, top, _BEYOND)]))
        places = np.append(places[places < top], top)
        delta = np.append(np.maximum(most_of_both(places[:-1]), SMALLEST_NORMAL), 0.0)
        by_pair = np.append(delta[:-1] < most(places[:-1]), False)
        return _law_below(places, delta, np.where(by_pair, pairs.gap, 0.0))

    @cached_property
    def _bracket(self) -> Bracket:
        """The power of the pairs on a grid."""
        factors = [
            Factor(part._errors, 0.0, 0.0, count, *window(part._errors, 0.0, 0.0), tuple(part._breakpoints().tolist()))
            for part, count in self.uses
        ]
        return bracketed(factors, _GOAL)

    @property
    def _most_of_renyi(self) -> Callable[[np.ndarray], np.ndarray]:
        """ε ↦ the most that Rényi divergences allow δ(ε) to be.

        The logarithm is φ(s) − (s − 1) ε at the best s, where φ, which is convex, has the slope ε.
        """
        scale = max(part._largest_finite_loss() for part, _ in self.uses)
        above = np.geomspace(_FIRST * min(1.0, 1.0 / scale), _LAST * max(1.0, 1.0 / scale), _ORDERS)
        order = 1.0 + above
        exponent = above * self._renyi(order) - above * np.log1p(1.0 / above) - np.log1p(above)
        slopes = np.maximum.accumulate(np.diff(exponent) / np.diff(above))

        def most(epsilon: np.ndarray) -> np.ndarray:
            best = np.searchsorted(slopes, epsilon)
            return np.exp(np.minimum(exponent[best] - above[best] * epsilon + 1e-12, 0.0))

        return most


def _law_below(places: np.ndarray, delta: np.ndarray, gaps: np.ndarray) -> tuple[FiniteLaw, np.ndarray, np.ndarray]:
    """The law with the lower convex hull in e^ε, and of its mirror image, of δ at places from 0 on, of which the last
    is 0; its places; and before, between and after them what hull and `gaps` leave open."""
    kept: list[int] = []
    slopes: list[float] = []  # log −dδ/de^ε to the left of each; of the first, where its mirror image is
    with np.errstate(divide="ignore"):
        mirrored = np.log1p(-np.minimum(delta, 1.0)) - np.logaddexp(0.0, places)
    for k in range(len(places)):
        slope = math.inf
        while kept:
            fall = delta[kept[-1]] - delta[k]
            gone = places[kept[-1]] - places[k]
            slope = math.log(fall) - places[k] - math.log(-math.expm1(gone)) if fall > 0 else -math.inf
            if slope < slopes[-1]:
                break
            kept.pop()
            slopes.pop()
        if not kept:
            slope = float(mirrored[k])
        kept.append(k)
        slopes.append(slope)
    loss, delta, log_slope = places[kept], delta[kept], np.append(slopes, -math.inf)
    # Of P at each loss what the slope changes by.
    log_p = log_slope[:-1] + np.log(-np.expm1(np.minimum(np.diff(log_slope), -LAST_PLACE)))
    # With the mirror image, in which a loss of 0 is its own.
    own = loss > 0
    losses = np.concatenate([-loss[::-1], loss[own]])
    log_p = np.concatenate([log_p[::-1] + loss[::-1], log_p[own]])
    log_p[len(kept) - 1] += 0.0 if own[0] else math.log(2.0)
    with np.errstate(under="ignore"):
        p, q = np.exp(log_p), np.exp(log_p + losses)
        # Between two atoms a convex function is above the chords on both sides, continued.
        both = log_p[:-1] + log_p[1:] - np.logaddexp(log_p[:-1], log_p[1:])
        rise = np.exp(both + losses[1:]) * -np.expm1(-np.diff(losses))
    law = FiniteLaw.of_finite(losses, p / p.sum(), q / q.sum(), 0.0, 0.0, 0.0)
    off = np.maximum(gaps[kept][:-1], gaps[kept][1:]) + rise[losses[:-1] >= loss[0]]
    return law, loss, np.concatenate([[rise[len(kept) - 1] + gaps[kept][0]], off, [0.0]])
