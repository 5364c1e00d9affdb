"""Mechanisms whose faces an evaluator computes (`dptutor.evaluation.evaluator`)."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from ..evaluation.evaluator import Evaluator
from .base import Mechanism


class Evaluated(Mechanism):
    """Answers of `_faces`, which subclasses give."""

    @property
    @abstractmethod
    def _faces(self) -> Evaluator:
        """The evaluator."""

    @property
    def error_bound(self) -> float:
        return self._faces.error_bound

    @property
    def _bayes_error_bound(self) -> float:
        return self._faces.bayes_error_bound

    def _breakpoints(self) -> np.ndarray:
        return self._faces.breakpoints

    def _errors(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self._faces.errors(np.asarray(epsilon, dtype=float))

    def _delta(self, epsilon: np.ndarray) -> np.ndarray:
        return self._faces.delta(np.asarray(epsilon, dtype=float))

    def _delta_error(self, epsilon: np.ndarray) -> np.ndarray:
        return self._faces.delta_error(np.asarray(epsilon, dtype=float))

    def _delta_quickly(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        return self._faces.delta_quickly(np.asarray(epsilon, dtype=float))

    def _delta_at_most(self, epsilon: np.ndarray) -> np.ndarray:
        return self._faces.delta_at_most(np.asarray(epsilon, dtype=float))

    def _epsilon(self, delta: np.ndarray) -> np.ndarray:
        found = self._faces.epsilon(np.asarray(delta, dtype=float))
        return super()._epsilon(delta) if found is None else found

    def _epsilon_error(self, delta: np.ndarray, epsilon: np.ndarray) -> np.ndarray:
        return self._faces.epsilon_error(np.asarray(delta, dtype=float), epsilon)

    def _tradeoff(self, alpha: np.ndarray) -> np.ndarray:
        return self._faces.tradeoff(np.asarray(alpha, dtype=float))

    def _tradeoff_error(self, alpha: np.ndarray) -> np.ndarray:
        return self._faces.tradeoff_error(np.asarray(alpha, dtype=float))

    def _bayes_error(self, log_odds: np.ndarray) -> np.ndarray:
        return self._faces.bayes_error(np.asarray(log_odds, dtype=float))

    def _bayes_error_error(self, log_odds: np.ndarray) -> np.ndarray:
        return self._faces.bayes_error_error(np.asarray(log_odds, dtype=float))
