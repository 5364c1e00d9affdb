"""The symmetrized mechanism: the worse of (P, Q) and (Q, P) at every ε.

Under add/remove neighbors a mechanism has two dominating pairs, one for each direction. A guarantee that covers both
added and removed examples is that of the join of the two:

    δ(ε) = max(δ_PQ(ε), δ_QP(ε)),    R(π) = min(R(π), R(1−π)),    f = convex hull of min(f, f⁻¹).

Composing a symmetrized mechanism composes each direction with itself and symmetrizes the result: an example is
in all steps or in none.

Sources: Dong, Roth & Su (2022), section 4 (the convex hull); Zhu, Dong & Wang (2022).
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .._floats import LAST_PLACE
from ..evaluation.evaluator import Evaluator
from .base import Mechanism, as_mechanism
from .lattice import worse_of

# A bound on the error of f above this may be larger than f itself.
_SMALL = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class Symmetrized(Mechanism):
    """The worse of both directions of `mechanism`; made by `mechanism.symmetrized`."""

    mechanism: Mechanism

    def __post_init__(self) -> None:
        as_mechanism("mechanism", self.mechanism)

    def __repr__(self) -> str:
        return f"({self.mechanism!r}).symmetrized"

    @cached_property
    def _key(self) -> Hashable:
        return "both", frozenset(pair._key for pair in self.directions)

    @property
    def is_symmetric(self) -> bool:
        return True

    @property
    def reverse(self) -> Symmetrized:
        return self

    @cached_property
    def directions(self) -> tuple[Mechanism, Mechanism]:
        """The mechanism as given, and its reverse."""
        return self.mechanism, self.mechanism.reverse

    @property
    def both_directions(self) -> tuple[Mechanism, Mechanism]:
        return self.directions

    @cached_property
    def _faces(self) -> Evaluator | None:
        """The faces of the worse direction at each ε, if both have tables."""
        faces = self.mechanism._faces
        return None if faces is None else faces.worse()

    def _parts(self) -> tuple[tuple[tuple[Mechanism, int], ...], bool]:
        return self.mechanism._parts()[0], True

    @property
    def error_bound(self) -> float:
        return self._faces.error_bound if self._faces else max(part.error_bound for part in self.directions)

    @property
    def _bayes_error_bound(self) -> float:
        return max(part._bayes_error_bound for part in self.directions)

    def _loss_range(self) -> tuple[float, float]:
        low, high = self.mechanism._loss_range()
        return min(low, -high), max(high, -low)

    def _breakpoints(self) -> np.ndarray:
        return np.concatenate([part._breakpoints() for part in self.directions])

    def _errors(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if self._faces:
            return self._faces.errors(epsilon)
        return worse_of(self.directions, epsilon)[1:]

    def _tradeoff(self, alpha: np.ndarray) -> np.ndarray:
        return self._faces.tradeoff(alpha) if self._faces else super()._tradeoff(alpha)

    def _tradeoff_error(self, alpha: np.ndarray) -> np.ndarray:
        if self._faces:
            return self._faces.tradeoff_error(alpha)
        error = super()._tradeoff_error(alpha)
        if self.error_bound <= _SMALL:
            return error
        # f is at most that of either direction, and at least 0.
        value = self._tradeoff(alpha)
        most = np.minimum(*(part._tradeoff(alpha) + part._tradeoff_error(alpha) for part in self.directions))
        return np.minimum(error, np.maximum(most - value, value) + LAST_PLACE)

    def _bayes_error(self, log_odds: np.ndarray) -> np.ndarray:
        if self._faces:
            return self._faces.bayes_error(np.asarray(log_odds, dtype=float))
        return np.minimum(*(part._bayes_error(log_odds) for part in self.directions))

    def _bayes_error_error(self, log_odds: np.ndarray) -> np.ndarray:
        if self._faces:
            return self._faces.bayes_error_error(np.asarray(log_odds, dtype=float))
        return np.maximum(*(part._bayes_error_error(log_odds) for part in self.directions))

    def _epsilon(self, delta: np.ndarray) -> np.ndarray:
        return self._epsilon_of_the_worse(np.asarray(delta, dtype=float))[0]

    def _epsilon_error(self, delta: np.ndarray, epsilon: np.ndarray) -> np.ndarray:
        delta = np.asarray(delta, dtype=float)
        found, more = self._epsilon_of_the_worse(delta)
        first, second = self.directions
        error = np.array(first._epsilon_error(delta, np.where(more, first._epsilon(delta), found)), dtype=float)
        if more.any():
            other = second._epsilon_error(delta[more], second._epsilon(delta[more]))
            error[more] = np.maximum(error[more], other)
        return error

    def _epsilon_of_the_worse(self, delta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """ε, and where the second direction matters, because its δ may be too large at the ε of the first."""
        first, second = self.directions
        found = np.array(first._epsilon(delta), dtype=float)
        more = np.array(np.isfinite(found))
        more[more] = second._delta_at_most(found[more]) > delta[more]
        if more.any():
            at = found[more]
            more[more] = second._delta(at) + second._delta_error(at) > delta[more]
        if more.any():
            found[more] = np.maximum(found[more], second._epsilon(delta[more]))
        return found, more

    def _delta(self, epsilon: np.ndarray) -> np.ndarray:
        if self._faces:
            return self._faces.delta(np.asarray(epsilon, dtype=float))
        return np.maximum(*(part._delta(epsilon) for part in self.directions))

    def _delta_error(self, epsilon: np.ndarray) -> np.ndarray:
        if self._faces:
            return self._faces.delta_error(np.asarray(epsilon, dtype=float))
        return np.maximum(*(part._delta_error(epsilon) for part in self.directions))

    def _delta_quickly(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        return self._faces.delta_quickly(epsilon) if self._faces else super()._delta_quickly(epsilon)

    def _renyi(self, order: np.ndarray) -> np.ndarray:
        return np.maximum(*(part._renyi(order) for part in self.directions))
