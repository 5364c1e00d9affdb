"""What computes all faces of a composition together, each answer with a bound on its error.

There are four kinds of them in `dptutor.evaluation.faces`, with these methods and no others. Arguments and results are
float arrays of any shape; ε, delta and α as everywhere.
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
        """Losses beyond which α, β and R are what they are without finite losses, where that is known."""

    @property
    def breakpoints(self) -> np.ndarray:
        """The finite losses at which the loss has an atom or its density a jump."""

    @property
    def tables(self) -> tuple[ProfileTable, ProfileTable] | None:
        """The profiles of both directions as tables, where all losses are finite and in their place."""

    @property
    def error_bound(self) -> float:
        """Bound on the error of f, R and δ at every ε ≥ 0."""

    @property
    def bayes_error_bound(self) -> float:
        """Bound on the error of R at every prior."""

    def worse(self) -> Evaluator | None:
        """The faces of the worse of both directions at every ε, where they are found without asking both."""

    def errors(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """α and β at ε."""

    def delta(self, epsilon: np.ndarray) -> np.ndarray:
        """δ at ε."""

    def delta_error(self, epsilon: np.ndarray) -> np.ndarray:
        """Bound on the error of δ."""

    def delta_quickly(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """δ at ε and a bound on its error, maybe a large one, in as little time as possible."""

    def delta_at_most(self, epsilon: np.ndarray) -> np.ndarray:
        """An upper bound on δ that takes as little time as possible."""

    def bayes_error(self, log_odds: np.ndarray) -> np.ndarray:
        """R at log-odds."""

    def bayes_error_error(self, log_odds: np.ndarray) -> np.ndarray:
        """Bound on the error of R."""

    def tradeoff(self, alpha: np.ndarray) -> np.ndarray:
        """f at α."""

    def tradeoff_error(self, alpha: np.ndarray) -> np.ndarray:
        """Bound on the error of f."""

    def epsilon(self, delta: np.ndarray) -> np.ndarray | None:
        """The smallest ε ≥ 0 with δ(ε) ≤ `delta`; none where a search over the profile does as well."""

    def epsilon_error(self, delta: np.ndarray, epsilon: np.ndarray) -> np.ndarray:
        """Bound on the error of an ε that was found."""
