"""A game in an explorer: rounds in which the reader guesses from which of two worlds an answer came.

Its state is a few parameters without a slider, so that all numbers and sentences remain functions of parameters:

    accused, missed   wrong guesses out of all guesses in the world P, and in the world Q, as "3 of 7"
    answer            the answer about which the reader guesses, "none" between games
    outcome           what the last guess was, "void" if it was taken back, "over" in a game that was not played here
    ended             when a game is over, the wrong guesses in P and Q with the rounds in each: "3 and 4 of 15"
    threshold, fits   when a game is over, a threshold that agrees with as many of the reader's guesses as possible, and
                      with how many, as "28 of 30"; "none" and "0 of 0" if all guesses were the same

The script draws worlds without replacement, and answers by the probabilities in the game's table. It draws the world
of an answer, given the answer, only after the guess: the joint law is as if the world had come first, and nobody can
peek. A round that is taken back is void: its world is among those still to come, and another answer is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from .parameters import Hidden, Tally
from .tables import Table

if TYPE_CHECKING:
    from .panel import Panel

OUTCOMES = ("none", "cleared", "accused", "missed", "found", "void", "over")


@dataclass(frozen=True)
class Stage:
    """Where past rounds are shown as dots: the heights in a panel from which right and wrong ones pile up."""

    panel: Panel
    right: float
    wrong: float
    size: float


@dataclass(frozen=True)
class Game:
    """A game: one of `lengths` is the number of rounds in each world; `says` are the texts of the guesses P and Q."""

    table: Table
    lengths: tuple[int, ...]
    says: tuple[str, str]


def state(answers: Iterable[float], lengths: tuple[int, ...]) -> dict[str, Hidden]:
    """The parameters of a game before its first round."""
    most = max(lengths)
    tallies = tuple(f"{wrong} of {played}" for played in range(most + 1) for wrong in range(played + 1))
    seen = ("none", *(f"{answer:.6g}" for answer in answers))
    ends = (f"{p} and {q} of {each}" for each in lengths for p in range(each + 1) for q in range(each + 1))
    fits = (f"{given} of {2 * each}" for each in lengths for given in range(2 * each + 1))
    return {
        "accused": Tally(tallies, tallies[0]),
        "missed": Tally(tallies, tallies[0]),
        "answer": Hidden(seen, seen[0]),
        "outcome": Hidden(OUTCOMES, OUTCOMES[0]),
        "ended": Hidden(("none", *ends), "none"),
        "threshold": Hidden(seen, seen[0]),
        "fits": Tally((tallies[0], *fits), tallies[0]),
    }


@cache
def tally(value: str) -> tuple[int, int]:
    """3 and 7 from "3 of 7"."""
    wrong, played = value.split(" of ")
    return int(wrong), int(played)


@cache
def ending(value: str) -> tuple[int, int, int]:
    """3, 4 and 15 from "3 and 4 of 15"."""
    accused, rest = value.split(" and ")
    return int(accused), *tally(rest)


def place(answer: str) -> float:
    """The place of an answer on its axis, NaN for "none"."""
    return np.nan if answer == "none" else float(answer)


def odds_table(chances: Callable[..., object], parameters: Mapping[str, object], count: int) -> Table:
    """The table of the answers' probabilities in both worlds."""
    return Table(chances, parameters, _OddsEncoder(count))


@dataclass(frozen=True)
class _OddsEncoder:
    """The probabilities of `count` answers in the world P, then in Q, as multiples of 1/50,000 of the largest."""

    count: int
    kind = "odds"

    @property
    def manifest(self) -> dict[str, float]:
        return {}

    def encode(self, value: Any) -> np.ndarray:
        odds = np.array(value, dtype=float)
        if odds.shape != (2, self.count):
            raise ValueError(f"expected the probabilities of {self.count} answers in two worlds, got {odds.shape}")
        # The script divides by the sum for each world.
        cells: np.ndarray = np.rint(50_000 * odds / odds.max()).astype(np.uint16).ravel()
        return cells
