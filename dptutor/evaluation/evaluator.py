"""The interface of evaluators, which compute all faces of a composition, each answer with a bound on its error.

Those in `dptutor.evaluation.faces` and `merging` have these methods and no others. Arguments and results are float
arrays of any shape.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from .profile_table import ProfileTable


class Evaluator(Protocol):
    """The faces of one direction."""

    @property
    def reverse(self) -> Evaluator:
        """The faces of the reverse pair."""

    @property
    def window(self) -> tuple[float, float] | None:
        """An interval outside which finite losses are negligible, or None."""

    @property
    def breakpoints(self) -> np.ndarray:
        """The finite losses at which the law of the loss has an atom, or its density a jump."""

    @property
    def tables(self) -> tuple[ProfileTable, ProfileTable] | None:
        """The profiles of both directions as tables, or None; only if all losses are finite and unshifted."""

    @property
    def error_bound(self) -> float:
        """Bound on the error of f, R and δ at every ε ≥ 0."""

    @property
    def bayes_error_bound(self) -> float:
        """Bound on the error of R at every prior."""

    def worse(self) -> Evaluator | None:
        """The faces of the worse direction at each ε, if computing them does not take both; else None."""

    def errors(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """α and β at ε."""

    def delta(self, epsilon: np.ndarray) -> np.ndarray:
        """δ at ε."""

    def delta_error(self, epsilon: np.ndarray) -> np.ndarray:
        """Bound on the error of δ."""

    def delta_quickly(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """δ at ε and a bound on its error, which may be large: as fast as possible."""

    def delta_at_most(self, epsilon: np.ndarray) -> np.ndarray:
        """An upper bound on δ, as fast as possible."""

    def bayes_error(self, log_odds: np.ndarray) -> np.ndarray:
        """R at log-odds."""

    def bayes_error_error(self, log_odds: np.ndarray) -> np.ndarray:
        """Bound on the error of R."""

    def tradeoff(self, alpha: np.ndarray) -> np.ndarray:
        """f at α."""

    def tradeoff_error(self, alpha: np.ndarray) -> np.ndarray:
        """Bound on the error of f."""

    def epsilon(self, delta: np.ndarray) -> np.ndarray | None:
        """The smallest ε ≥ 0 with δ(ε) ≤ `delta`; None if a search over the profile is just as good."""

    def epsilon_error(self, delta: np.ndarray, epsilon: np.ndarray) -> np.ndarray:
        """Bound on the error of an answer of `epsilon`."""
