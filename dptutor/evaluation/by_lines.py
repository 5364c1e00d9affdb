"""What faces have in common that know little more than the profile: every ε gives a line below f."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property

import numpy as np

from .._floats import LAST_PLACE
from .remembering import remembering
from .roots import decreasing_root, reach_of_epsilon, slope_of_profile
from .touching import LARGEST, SMALLEST, known_at

# Lines are tried at these distances from the root of α, and at these losses.
_BESIDE_ROOT = np.array([1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0])[:, None]
_ANYWHERE = [SMALLEST, -100.0, -10.0, 0.0, 10.0, 100.0, LARGEST]


class Plainly:
    """Faces for which nothing is faster than δ itself."""

    delta: Callable[[np.ndarray], np.ndarray]
    delta_error: Callable[[np.ndarray], np.ndarray]
    window = None
    tables = None

    def delta_quickly(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """δ at ε and a bound on its error."""
        return self.delta(epsilon), self.delta_error(epsilon)

    def delta_at_most(self, epsilon: np.ndarray) -> np.ndarray:
        """An upper bound on δ."""
        return np.minimum(self.delta(epsilon) + self.delta_error(epsilon), 1.0)


class ByLines(Plainly, ABC):
    """What faces have in common that know δ and its error, α and β, and the mass of infinite losses."""

    @property
    @abstractmethod
    def _masses(self) -> tuple[float, float]:
        """Pr_Q and Pr_P of finite losses."""

    @property
    @abstractmethod
    def _largest(self) -> float:
        """The largest finite loss, or more."""

    @abstractmethod
    def errors(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """α and β at ε."""

    @abstractmethod
    def delta(self, epsilon: np.ndarray) -> np.ndarray:
        """δ at ε."""

    @abstractmethod
    def delta_error(self, epsilon: np.ndarray) -> np.ndarray:
        """Bound on the error of δ."""

    def tradeoff(self, alpha: np.ndarray) -> np.ndarray:
        """f at α."""
        return self._touched(alpha)[0]

    def tradeoff_error(self, alpha: np.ndarray) -> np.ndarray:
        """Bound on the error of f."""
        return self._touched(alpha)[1]

    @cached_property
    def _touched(self) -> Callable[[np.ndarray], tuple[np.ndarray, ...]]:
        """f at α and a bound on its error."""
        return remembering(self._touching)

    def _exceeded_by(self, epsilon: np.ndarray) -> np.ndarray | float:
        """The part of the error of δ by which the true one can only be larger."""
        return 0.0

    def _lines(self, losses: np.ndarray) -> tuple[np.ndarray, ...]:
        """The heights of lines at α = 0, and bounds on how much the true ones are below or above that."""
        error = self.delta_error(losses) + LAST_PLACE
        return 1.0 - self.delta(losses), error, error - self._exceeded_by(losses)

    def _roots(self, alpha: np.ndarray) -> list[np.ndarray]:
        """Losses beyond which P has about the mass α."""
        return [decreasing_root(lambda epsilon: self.errors(epsilon)[0], alpha)]

    def _touching(self, alpha: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """f at α by lines at the roots of α and at losses around them, and a bound on its error."""
        flat = np.ravel(alpha).astype(float)
        losses = [np.outer(_ANYWHERE, np.ones(flat.shape))]
        for root in self._roots(flat):
            losses += [root[None], root - _BESIDE_ROOT, root + _BESIDE_ROOT]
        at = np.sort(np.clip(np.concatenate(losses), SMALLEST, LARGEST), axis=0)
        value, bound = known_at(self._lines, at, flat, self._masses)
        return value.reshape(np.shape(alpha)), bound.reshape(np.shape(alpha))

    def epsilon(self, delta: np.ndarray) -> np.ndarray | None:
        """None: a search over the profile is just as good."""
        return None

    def _slope(self, epsilon: np.ndarray) -> np.ndarray:
        """−dδ/dε."""
        alpha, beta = self.errors(epsilon)
        return slope_of_profile(epsilon, alpha, lambda far: 1.0 - beta[far] - self.delta(epsilon[far]))

    def epsilon_error(self, delta: np.ndarray, epsilon: np.ndarray) -> np.ndarray:
        """Bound on the error of an answer of `epsilon`."""
        flat = np.ravel(epsilon).astype(float)
        bound, finite = np.zeros(flat.shape), np.isfinite(flat)
        at, wanted = flat[finite], np.broadcast_to(np.ravel(delta), flat.shape)[finite].astype(float)
        bound[finite] = reach_of_epsilon(self.delta, self.delta_error, wanted, at, self._slope(at), self._largest)
        return bound.reshape(np.shape(epsilon))
