"""A game in an explorer: rounds in which the reader guesses from which of two worlds an answer came.

Its state is a few parameters without a slider, so that all that is shown remains a function of parameters:

    accused, missed   wrong guesses of all in the world P, and in the world Q, as "3 of 7"
    answer            what the reader sees and guesses about, "none" between games
    before, outcome   the answer of the round before, and what the guess then was

The script deals. Worlds are drawn without replacement, answers by the probabilities in the game's table. The world of
an answer is drawn when the guess is in, given the answer: in law it is as if it had come first, and nobody can peek.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

from .parameters import Hidden, Tally
from .tables import Table

OUTCOMES = ("none", "cleared", "accused", "missed", "found")


@dataclass(frozen=True)
class Game:
    """`rounds` rounds in either world, in random order; `says` are the two guesses, P and Q, as on their buttons."""

    table: Table
    rounds: int
    says: tuple[str, str]


def state(answers, rounds: int) -> dict[str, Hidden]:
    """The parameters of a game, as it stands before its first round."""
    tallies = tuple(f"{wrong} of {played}" for played in range(rounds + 1) for wrong in range(played + 1))
    seen = ("none", *(f"{answer:.6g}" for answer in answers))
    return {
        "accused": Tally(tallies, tallies[0]),
        "missed": Tally(tallies, tallies[0]),
        "answer": Hidden(seen, seen[0]),
        "before": Hidden(seen, seen[0]),
        "outcome": Hidden(OUTCOMES, OUTCOMES[0]),
    }


@cache
def tally(value: str) -> tuple[int, int]:
    """3 and 7 from "3 of 7"."""
    wrong, played = value.split(" of ")
    return int(wrong), int(played)


def place(answer: str) -> float:
    """Where an answer is, NaN for "none"."""
    return np.nan if answer == "none" else float(answer)


def odds_table(chances: Callable, parameters: Mapping, count: int) -> Table:
    """The table of the answers' probabilities in both worlds."""
    return Table(chances, parameters, _OddsEncoder(count))


@dataclass(frozen=True)
class _OddsEncoder:
    """The probabilities of `count` answers in the world P, then in Q, in multiples of a 50,000th of the largest."""

    count: int
    kind = "odds"

    @property
    def manifest(self) -> dict:
        return {}

    def encode(self, value) -> np.ndarray:
        odds = np.array(value, dtype=float)
        if odds.shape != (2, self.count):
            raise ValueError(f"expected the probabilities of {self.count} answers in two worlds, got {odds.shape}")
        # Each world's own sum is taken out by the script.
        return np.rint(50_000 * odds / odds.max()).astype(np.uint16).ravel()
