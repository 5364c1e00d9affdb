"""Several uses of exponential mechanisms, each with candidates that may depend on all earlier answers.

The losses of one use lie in a range [t − ε, t], and the pair of one use takes the worst t, which is a different one at
each point of the curve. A composition in which t is chosen anew for every use is bounded in two ways:

- by the power of that pair, which no choice exceeds (Zhu, Dong & Wang 2022, theorem 10): from curves, or from above on
  a grid;
- by Rényi divergences, which add up whatever is chosen. That of a use is at most the largest over all t, which is less
  than that of the pair; and δ(ε) ≤ e^((s − 1)(D_s − ε)) (1 − 1/s)^(s − 1)/s (Canonne, Kamath & Steinke 2020).

The true profile is convex in e^ε and below both bounds, so it is also below the lower convex hull of any of their
points.

In a composition with other mechanisms the worst order is to have these last: what the others reveal does not depend on
t, and knowing it can only help in choosing t. So the hull composes like any other part.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np

from .._floats import LAST_PLACE, SMALLEST, SMALLEST_NORMAL
from ..evaluation.curves import Curves, TooRough, curves_of
from ..evaluation.discretized import Factor, bracketed, window
from ..evaluation.finite_law import FiniteLaw
from ..evaluation.roots import decreasing_root
from .base import Mechanism
from .finite import SymmetricFiniteMechanism

# Orders s of Rényi divergences: the smallest and the largest s − 1 for losses of size 1, and their number.
_FIRST, _LAST, _ORDERS = 1e-4, 1e5, 8000
# Largest number of points for the hull, smaller for powers, which are calibrated often, than in products: half as many
# have four times the error. They are a power of two apart where δ is between _SURE and _TINY; _BEYOND more follow.
_PLACES, _PLACES_BESIDE, _SURE, _TINY, _BEYOND = 2**15, 2**17, 1.0 - 1e-15, 1e-20, 2**9
# Target error for the power of the pairs on a grid.
_GOAL = 1e-8


@dataclass(frozen=True, eq=False)
class Adaptive(SymmetricFiniteMechanism):
    """Uses of mechanisms of which each stands for many pairs; made by `**` and `@`."""

    uses: tuple[tuple[Mechanism, int], ...]
    # Whether these are some of the parts of a larger composition.
    beside: bool = False

    def __repr__(self) -> str:
        return " @ ".join(f"{part!r} ** {count}" if count > 1 else repr(part) for part, count in self.uses)

    @cached_property
    def _key(self) -> Hashable:
        return "Adaptive", frozenset((part._key, count) for part, count in self.uses), self.beside

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
        """The law; the losses ≥ 0 of its atoms; bounds on how far δ exceeds what is possible before, between and after
        these."""
        top = sum(count * part._largest_finite_loss() for part, count in self.uses)
        of_orders, (of_pairs, gap) = self._most_of_renyi, self._most_of_pairs

        def most_of_both(epsilon: np.ndarray) -> np.ndarray:
            return np.minimum(of_pairs(epsilon), of_orders(epsilon))

        first, last = np.minimum(decreasing_root(most_of_both, [_SURE, _TINY], low=0.0), top)
        most_places = _PLACES_BESIDE if self.beside else _PLACES
        step = 2.0 ** math.ceil(math.log2(max((last - first) / most_places, SMALLEST)))
        within = step * np.arange(math.floor(first / step), math.ceil(last / step) + 1)
        places = np.unique(np.concatenate([[0.0], within, np.linspace(last, top, _BEYOND)]))
        places = np.append(places[places < top], top)
        most = np.array([of_pairs(places), of_orders(places)])
        most = np.append(np.maximum(most[:, :-1], SMALLEST_NORMAL), np.zeros((2, 1)), axis=1)
        law, kept = _law_below(places, most.min(axis=0))
        return law, places[kept], _left_open(places, most, np.array([gap, 0.0]), law, kept)

    @cached_property
    def _most_of_pairs(self) -> tuple[Callable[[np.ndarray], np.ndarray], float]:
        """ε ↦ an upper bound on δ of the power of the pairs; and by how much it may be too large."""
        with contextlib.suppress(TooRough):
            both = reduce(Curves.times, (curves_of(part).power(count) for part, count in self.uses)).forward
            return lambda epsilon: both.values(epsilon)[0] + both.error, 2 * both.error
        factors = [
            Factor(part._errors, 0.0, 0.0, count, *window(part._errors, 0.0, 0.0), tuple(part._breakpoints().tolist()))
            for part, count in self.uses
        ]
        found = bracketed(factors, _GOAL)
        return lambda epsilon: found.law.delta(epsilon) + found.lost, found.gap

    @property
    def _most_of_renyi(self) -> Callable[[np.ndarray], np.ndarray]:
        """ε ↦ the largest δ(ε) that Rényi divergences allow.

        Its logarithm is φ(s) − (s − 1) ε at the best s, where the convex function φ has the slope ε.
        """
        scale = max(part._largest_finite_loss() for part, _ in self.uses)
        above = np.geomspace(_FIRST * min(1.0, 1.0 / scale), _LAST * max(1.0, 1.0 / scale), _ORDERS)

        def exponent(above: np.ndarray) -> np.ndarray:
            return above * self._renyi(1.0 + above) - above * np.log1p(1.0 / above) - np.log1p(above)

        slopes = np.maximum.accumulate(np.diff(exponent(above)) / np.diff(above))

        def most(epsilon: np.ndarray) -> np.ndarray:
            best = np.interp(epsilon, slopes, (above[1:] + above[:-1]) / 2)
            return np.exp(np.minimum(exponent(best) - best * epsilon + 1e-12, 0.0))

        return most


def _law_below(places: np.ndarray, delta: np.ndarray) -> tuple[FiniteLaw, np.ndarray]:
    """The law whose profile is the lower convex hull, in e^ε, of `delta` at `places` ≥ 0 and of the mirror image of
    these points; and the indices of the places that it keeps. `delta` ends with 0."""
    kept: list[int] = []
    slopes: list[float] = []  # log −dδ/de^ε to the left of each; to the left of the first is its mirror image
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
    loss, log_slope = places[kept], np.append(slopes, -math.inf)
    # The mass of P at each loss is the change of the slope.
    log_p = log_slope[:-1] + np.log(-np.expm1(np.minimum(np.diff(log_slope), -LAST_PLACE)))
    # Add the mirror image; a loss of 0 is its own.
    own = loss > 0
    losses = np.concatenate([-loss[::-1], loss[own]])
    log_p = np.concatenate([log_p[::-1] + loss[::-1], log_p[own]])
    log_p[len(kept) - 1] += 0.0 if own[0] else math.log(2.0)
    with np.errstate(under="ignore"):
        p, q = np.exp(log_p), np.exp(log_p + losses)
    return FiniteLaw.of_finite(losses, p / p.sum(), q / q.sum(), 0.0, 0.0, 0.0), np.array(kept)


def _left_open(places: np.ndarray, most: np.ndarray, gaps: np.ndarray, law: FiniteLaw, kept: np.ndarray) -> np.ndarray:
    """How far the law may exceed the hull of the bounds at all ε, before, between and after the places that it keeps.

    Between two places the bound of the pairs, which is convex in e^ε, is above the extended chords on both sides. That
    of Rényi divergences, a minimum of powers of e^ε, is above the power through both points, and this is below its own
    chord by at most an eighth of its second derivative times the square of the distance. `most` has both bounds at all
    places; they count only where they come that close to the law. `gaps` is how far each may be too large itself.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
        width, falls = np.diff(places), np.maximum(-np.diff(most, axis=1), 0.0)
        slopes = np.log(falls[0]) - places[:-1] - np.log(np.expm1(width))
        at_first = np.log1p(-most[0, 0]) - np.logaddexp(0.0, places[0])
        change = np.maximum(-np.diff(np.concatenate([[at_first], slopes, [-np.inf]])), 0.0)
        steeper, flatter = change[:-1], change[1:]
        power = np.log(most[1, :-1] / most[1, 1:]) / width
        below = np.array(
            [
                falls[0] * np.expm1(-steeper) * np.expm1(-flatter) / -np.expm1(-steeper - flatter),
                most[1, :-1] * power * (power + 1.0) * np.expm1(width) ** 2 / 8,
            ]
        )
    below = np.where(below < falls, below, falls)
    above = np.maximum(most - law.delta(places), 0.0)
    open_ = below + gaps[:, None] - np.minimum(above[:, 1:], above[:, :-1])
    off = np.maximum.reduceat(np.maximum(open_, 0.0).max(axis=0), np.unique(np.append(0, kept[:-1])))
    # What lowers one chord of the hull may lower the next one, too.
    off = np.maximum.reduce([off, np.append(off[1:], 0.0), np.append(0.0, off[:-1])])
    return np.concatenate([off[:1] if kept[0] == 0 else [], off, [0.0]])
