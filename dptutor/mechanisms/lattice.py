"""Meet and join of two mechanisms in Blackwell's order.

The join is the most private mechanism that is no more private than either, the meet the least private one that is
no less private than either:

    join:  R = min(R, R̃),  δ = max(δ, δ̃),  f = convex hull of min(f, f̃);
    meet:  f = max(f, f̃),  R = concave, piecewise R or R̃, joined by lines where f and f̃ cross.

Sources: Blackwell (1953), theorem 10; Kaissis et al. (2024), section 3.4.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import expit

from .._floats import LARGEST_LOSS, LAST_PLACE
from ..evaluation.remembering import remembering
from ..evaluation.roots import bracketed_root
from .base import Mechanism, as_mechanism

# Below this, α loses digits or underflows.
_FAINT = 1e-290
# Where crossings of the curves are looked for, and how far these are apart at least on either side of one.
_ALPHAS = np.concatenate([np.geomspace(1e-90, 1e-16, 38), expit(np.linspace(-36, 36, 289)), [1.0]])
_CLEAR = 1e-12


def join(mechanism: Mechanism, other: Mechanism) -> Mechanism:
    """The most private mechanism that is no more private than `mechanism` or `other` (their least upper bound).

    Parameters
    ----------
    mechanism, other : Mechanism

    Returns
    -------
    Mechanism
        With R = min(R, R̃) and δ = max(δ, δ̃); either argument itself, if they are equal.

    Raises
    ------
    TypeError
        If either argument is not a mechanism.

    References
    ----------
    Blackwell (1953), theorem 10; Kaissis et al. (2024), section 3.4.
    In the book: chapter 6, :prf:ref:`thm-lattice`.

    Examples
    --------
    >>> import dptutor as dp
    >>> a, b = dp.Gaussian(sigma=1), dp.Laplace(scale=1)
    >>> both = dp.join(a, b)
    >>> [round(m.bayes_error(0.3), 6) for m in (a, b, both)]
    [0.253004, 0.277947, 0.253004]
    >>> dp.blackwell_dominates(both, a), dp.blackwell_dominates(both, b)
    (True, True)
    """
    as_mechanism("mechanism", mechanism), as_mechanism("other", other)
    return mechanism if mechanism == other else Join(mechanism, other)


def meet(mechanism: Mechanism, other: Mechanism) -> Mechanism:
    """The least private mechanism that is no less private than `mechanism` or `other` (greatest lower bound).

    Parameters
    ----------
    mechanism, other : Mechanism

    Returns
    -------
    Mechanism
        With f = max(f, f̃); either argument itself, if they are equal.

    Raises
    ------
    TypeError
        If either argument is not a mechanism.

    References
    ----------
    Blackwell (1953), theorem 10; Kaissis et al. (2024), section 3.4.
    In the book: chapter 6, :prf:ref:`thm-lattice`.

    Examples
    --------
    >>> import dptutor as dp
    >>> a, b = dp.Gaussian(sigma=1), dp.Laplace(scale=1)
    >>> both = dp.meet(a, b)
    >>> [round(m.tradeoff(0.1), 6) for m in (a, b, both)]
    [0.610856, 0.728172, 0.728172]
    >>> dp.blackwell_dominates(a, both), dp.blackwell_dominates(b, both)
    (True, True)
    """
    as_mechanism("mechanism", mechanism), as_mechanism("other", other)
    return mechanism if mechanism == other else Meet(mechanism, other)


class _Pairing(Mechanism):
    """The common base of joins and meets."""

    mechanism: Mechanism
    other: Mechanism

    @cached_property
    def _key(self) -> Hashable:
        return type(self).__name__, frozenset(part._key for part in self.parts)

    @property
    def parts(self) -> tuple[Mechanism, Mechanism]:
        return self.mechanism, self.other

    @property
    def is_symmetric(self) -> bool:
        return all(part.is_symmetric for part in self.parts)

    @cached_property
    def reverse(self) -> Mechanism:
        if self.is_symmetric:
            return self
        other: Any = type(self)
        other = other(*(part.reverse for part in self.parts))
        other.__dict__["reverse"] = self
        return other

    def _renyi_at_least(self, order: np.ndarray) -> np.ndarray:
        return np.zeros(order.shape)

    @property
    def error_bound(self) -> float:
        return max(part.error_bound for part in self.parts)

    @property
    def _bayes_error_bound(self) -> float:
        return max(part._bayes_error_bound for part in self.parts)

    def _breakpoints(self) -> np.ndarray:
        return np.concatenate([part._breakpoints() for part in self.parts])

    def _delta_error(self, epsilon: np.ndarray) -> np.ndarray:
        return np.maximum(*(part._delta_error(epsilon) for part in self.parts))


@dataclass(frozen=True, eq=False)
class Join(_Pairing):
    """The least upper bound of two mechanisms; made by `join`."""

    mechanism: Mechanism
    other: Mechanism

    def __repr__(self) -> str:
        return f"join({self.mechanism!r}, {self.other!r})"

    def _loss_range(self) -> tuple[float, float]:
        lows, highs = zip(*(part._loss_range() for part in self.parts), strict=True)
        return min(lows), max(highs)

    def _made_of(self) -> tuple[tuple[Mechanism, ...], bool]:
        return self.parts, True

    def _errors(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self._worse(epsilon)[1:]

    def _delta(self, epsilon: np.ndarray) -> np.ndarray:
        return self._worse(epsilon)[0]

    @cached_property
    def _worse(self) -> Callable[[np.ndarray], Any]:
        # δ and its error are requested at the same ε; without a cache each level of nested joins doubles the work.
        return remembering(lambda epsilon: worse_of(self.parts, epsilon))


@dataclass(frozen=True, eq=False)
class Meet(_Pairing):
    """The greatest lower bound of two mechanisms; made by `meet`."""

    mechanism: Mechanism
    other: Mechanism

    def __repr__(self) -> str:
        return f"meet({self.mechanism!r}, {self.other!r})"

    def _loss_range(self) -> tuple[float, float]:
        lows, highs = zip(*(part._loss_range() for part in self.parts), strict=True)
        return max(lows), min(highs)

    def _made_of(self) -> tuple[tuple[Mechanism, ...], bool]:
        return self.parts, False

    def _tradeoff(self, alpha: np.ndarray) -> np.ndarray:
        return np.maximum(*(part._tradeoff(alpha) for part in self.parts))

    def _errors(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self._touching(epsilon)[:2]

    def _delta(self, epsilon: np.ndarray) -> np.ndarray:
        epsilon = np.asarray(epsilon)
        alpha, beta, own, deltas, *_ = self._touching(epsilon)
        with np.errstate(over="ignore", invalid="ignore"):
            between = 1 - beta - np.exp(np.minimum(epsilon, LARGEST_LOSS)) * alpha
        # If δ is that of one part, take it from there, with all its digits; δ is at most that of either part.
        least = np.minimum(*deltas)
        return np.clip(np.select([own == 0, own == 1, own == 3], [*deltas, least], between), 0.0, least)

    def _delta_error(self, epsilon: np.ndarray) -> np.ndarray:
        epsilon = np.asarray(epsilon)
        alpha, _, own, deltas, parts, above = self._touching(epsilon)
        # At a crossing, δ is the difference 1 − β − e^ε α, which loses digits.
        with np.errstate(over="ignore", invalid="ignore"):
            crossing = (1 + np.exp(np.minimum(epsilon, LARGEST_LOSS)) * alpha) * self._rounded
        # Where none was found, δ is at least that difference.
        crossing = np.maximum(*parts) + np.where(above > crossing, np.minimum(*deltas) - self._delta(epsilon), crossing)
        # δ is at most that of either part, and if the other curve is higher by r where the line touches one, δ is at
        # most r less than that of this one: r is unknown if it is less than the errors of both.
        unknown = np.where(own == 3, np.inf, np.where((own < 2) & (above <= self._rounded), 2 * self._rounded, 0.0))
        known = np.select([own == 0, own == 1, own == 3], [*parts, np.maximum(*parts)], crossing)
        return known + np.minimum(unknown, np.minimum(*deltas))

    @cached_property
    def _rounded(self) -> float:
        """What both curves together may be off by."""
        return 8 * LAST_PLACE + sum(part.error_bound for part in self.parts)

    @cached_property
    def _touching(self) -> Callable[[np.ndarray], Any]:
        return remembering(self._touched)

    def _touched(self, epsilon: np.ndarray) -> tuple[np.ndarray, ...]:
        """The point at which a line of slope −e^ε touches max(f, f̃), which curve it touches there, of both curves δ and
        its error, and how far the curve is above the other; of a crossing, how far they are apart.

        0 and 1 stand for f and f̃, 2 for a crossing of both. 3 means unknown, because α underflows: then the point is
        that of the curve with the smaller δ.
        """
        alpha, beta, own, deltas, errors, above, low, high = self._ends(epsilon)
        crossing = own == 2
        if np.any(crossing):
            known = self._crossings
            at = known[np.minimum(np.searchsorted(known, low), known.size - 1)] if known.size else high + 1
            missed = (at < low) | (at > high)
            if np.any(missed):
                at = at.copy()
                at[missed] = self._crossing(low[missed], high[missed])
            betas = [part._tradeoff(at) for part in self.parts]
            alpha[crossing], beta[crossing], above[crossing] = at, np.maximum(*betas), np.abs(np.subtract(*betas))
        faint = crossing & (alpha < _FAINT)
        if np.any(faint):
            points = zip(*(part._errors(epsilon[faint]) for part in self.parts), strict=True)
            alpha[faint], beta[faint] = (np.where((deltas[0] <= deltas[1])[faint], *both) for both in points)
            own = np.where(faint, 3, own)
        return alpha, beta, own, deltas, errors, above

    def _ends(self, epsilon: np.ndarray) -> tuple[np.ndarray, ...]:
        """The same as `_touched`, but for a crossing only the interval [low, high] that contains its α."""
        deltas = np.array([part._delta(epsilon) for part in self.parts])
        errors = np.array([part._delta_error(epsilon) for part in self.parts])
        (alpha, beta), (alpha_other, beta_other) = (part._errors(epsilon) for part in self.parts)
        f, f_other = (part._tradeoff for part in self.parts)
        # The line is above the tangent of the curve with the larger δ, which it cannot touch.
        one, other = deltas - errors <= (deltas + errors)[::-1]
        own, above = np.full(epsilon.shape, 2), np.zeros(epsilon.shape)
        for number, at, margin in (
            (1, other, beta_other[other] - f(alpha_other[other])),
            (0, one, beta[one] - f_other(alpha[one])),
        ):
            # Rounding of α alone may move a point below the other curve.
            own[at] = np.where(margin >= -self._rounded, number, own[at])
            above[at] = np.where(margin >= -self._rounded, margin, above[at])
        ends = alpha[own == 2], alpha_other[own == 2]
        alpha, beta = np.where(own == 1, alpha_other, alpha), np.where(own == 1, beta_other, beta)
        return alpha, beta, own, deltas, errors, above, np.minimum(*ends), np.maximum(*ends)

    @cached_property
    def _crossings(self) -> np.ndarray:
        """The crossings of f and f̃ between many α, increasing; not those of curves that differ by rounding."""
        above = np.subtract(*(part._tradeoff(_ALPHAS) for part in self.parts))
        clear = np.flatnonzero(np.abs(above) > _CLEAR)
        changes = np.flatnonzero((above[clear[1:]] > 0) != (above[clear[:-1]] > 0))
        return self._crossing(_ALPHAS[clear[changes]], _ALPHAS[clear[changes + 1]])

    def _crossing(self, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        # Between the points at which f and f̃ are touched, f − f̃ is monotone and changes sign: there is one crossing.
        f, f_other = (part._tradeoff for part in self.parts)
        low = np.maximum(low, 1e-300)  # at α = 0 the curves may meet once more
        at = bracketed_root(lambda x: f(x) - f_other(x), low, high)
        return np.where(np.isfinite(at), at, low)  # without a change of sign the curves differ only by rounding


def worse_of(mechanisms: Iterable[Mechanism], epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """δ, α and β at every ε of whichever mechanism has the larger δ there."""
    faces = [(m._delta(epsilon), *m._errors(epsilon)) for m in mechanisms]
    (delta, alpha, beta), (other, other_alpha, other_beta) = faces
    # If δ is close to 1, compare 1 − δ.
    rest, other_rest = _rest(alpha, beta, epsilon), _rest(other_alpha, other_beta, epsilon)
    first = np.where(np.maximum(delta, other) > 0.5, rest <= other_rest, delta >= other)
    return np.where(first, delta, other), np.where(first, alpha, other_alpha), np.where(first, beta, other_beta)


def _rest(alpha: np.ndarray, beta: np.ndarray, epsilon: np.ndarray) -> np.ndarray:
    """1 − δ = β + e^ε α."""
    return beta + np.exp(np.minimum(epsilon, LARGEST_LOSS)) * alpha
