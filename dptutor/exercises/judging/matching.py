"""Compares the results of an answer with the right ones, and finds the reply.

If they differ, they are compared with the mistakes of the exercise and then with the slips that people make everywhere.
The reply names the mistake or slip that explains all results; otherwise the first law that the answer breaks, or how
close it is, or the first case that is wrong, and in which direction.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import starmap
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from . import arguments
from .calling import Case, breach
from .numerals import shown
from .results import Reply
from .slips import explained

if TYPE_CHECKING:
    from .core import Exercise

# Relative accuracy to which an answer must be what a slip makes of the right one,
_CLEAR = 0.01
# and absolute accuracy where that is 0.
_ROUNDED = 1e-9
# An answer with a relative error below this is said to be right except for its last digits.
_NEARLY = 1e-3
# Errors below this, relative to the largest number, or below ten times this of each, may be a matter of accuracy.
_CLOSE_BY = 2e-3


class Matching:
    """The results of an answer to an exercise; a number is a single case without arguments."""

    def __init__(self, exercise: Exercise, cases: Sequence[Case], given: list[np.ndarray]):
        self.exercise, self.cases, self.given = exercise, cases, given

    @property
    def truths(self) -> list[np.ndarray]:
        """The right results."""
        return self.exercise._truths

    @property
    def _pairs(self) -> list[tuple[np.ndarray, np.ndarray]]:
        return list(zip(self.given, self.truths, strict=True))

    @property
    def _same(self) -> Callable[[np.ndarray, np.ndarray], bool]:
        return partial(as_a_slip_makes, self.exercise)

    def reply(self) -> Reply | None:
        """The reply to the answer; None if it is right."""
        # A mistake is named only if it explains the results of all cases.
        cases, given, exercise = self.cases, self.given, self.exercise
        if self._agrees(self.truths):
            return None
        for mistake, wrong in zip(exercise.mistakes, exercise._errors, strict=True):
            if self._agrees(wrong, mistake.within):
                return Reply("mistake", mistake.reply, mistake.reply)
        if words := self._slip():
            return Reply("slip", words, words)
        if words := self._nearly():
            return Reply("nearly", words)
        if words := self._slip_of_arguments():
            return Reply("slip", words, words)
        if words := self._of_another_size():
            return Reply("form", words)
        for number, law in enumerate(exercise.laws, 1):
            for case, result in zip(cases, given, strict=True):
                if broken := breach(law, result, case):
                    words = f"At {exercise._words(case)} you give {listed(result)}. {broken}" if case else broken
                    return Reply("law", words, f"law {number}")
        if exercise.cases and not exercise._yes_or_no:
            if words := arguments.constant(given, self.truths, self._same):
                return Reply("slip", words, words)
            words = arguments.in_part(given, self.truths, self._close, lambda place: exercise._words(cases[place]))
            if words:
                return Reply("partly", words)
            if words := self._close_by():
                return Reply("nearly", words)
        return Reply("generic", self._direction())

    def _slip(self) -> str | None:
        if self.exercise._yes_or_no or any(own.size != right.size for own, right in self._pairs):
            return None
        return explained(self.given, self.truths, self._same)

    def _close(self, own: np.ndarray, right: np.ndarray) -> bool:
        return alike(own, right, self.exercise.tolerance, self.exercise.relative)

    def _slip_of_arguments(self) -> str | None:
        exercise = self.exercise
        if not exercise.cases or exercise._yes_or_no:
            return None
        if exercise._quick:
            right = exercise.exact or exercise.answer
            if words := arguments.misplaced(right, exercise._names, self.cases, self.given, self._same):
                return words
        return arguments.scaled(exercise._names, self.cases, self.given, self.truths, self._same)

    def _of_another_size(self) -> str | None:
        wrong = [own.size for own, right in self._pairs if own.size != right.size]
        if not wrong:
            return None
        values = "1 value" if wrong[0] == 1 else f"{wrong[0]} values"
        return f"{self.exercise.name} should be {self.exercise.shape}; you give {values}."

    def _nearly(self) -> str | None:
        """Whether all results are right except for their last digits."""
        near = partial(alike, tolerance=0.0, relative=_NEARLY)
        if self.exercise._yes_or_no or not any(all(starmap(like, self._pairs)) for like in (near, self._same)):
            return None
        tolerance, relative = self.exercise.tolerance, self.exercise.relative
        asked = shown(tolerance) if tolerance else f"{shown(relative)} of it"
        return (
            f"This is nearly right: it is off by {shown(self._off, 2)} at most, where less than {asked} is asked for."
        )

    def _close_by(self) -> str | None:
        """Whether all results are close to the right ones, but not as close as rounding would leave them."""
        size = max(float(np.max(np.abs(right))) for right in self.truths)
        if not all(alike(own, right, _CLOSE_BY * size, 10 * _CLOSE_BY) for own, right in self._pairs):
            return None
        return (
            f"This is close everywhere, but off by up to {shown(self._off, 2)}, which is more than is let through. Is "
            "there a grid that is too coarse, a number that is rounded on the way, or a random one?"
        )

    @property
    def _off(self) -> float:
        """The largest difference from the right results."""
        return max(float(np.max(np.abs(own - right))) for own, right in self._pairs)

    def _agrees(self, wanted: list[np.ndarray], within: float = 0.0) -> bool:
        tolerance = max(self.exercise.tolerance, within)
        pairs = zip(self.given, wanted, strict=True)
        return all(alike(own, other, tolerance, self.exercise.relative) for own, other in pairs)

    def _direction(self) -> str:
        for case, result, wanted in zip(self.cases, self.given, self.truths, strict=True):
            for place, (own, right) in enumerate(zip(result, wanted, strict=True)):
                if not alike(own, right, self.exercise.tolerance, self.exercise.relative):
                    which = f"number {place + 1} of " if len(wanted) > 1 else ""
                    where = f"{which}your answer"
                    where = f"At {self.exercise._words(case)} {where}" if case else where.capitalize()
                    if self.exercise._yes_or_no:
                        said = f"is {bool(own)}, and it should not be" if own in (0, 1) else f"is {shown(own)}"
                        return f"{where} {said}."
                    return f"{where} is {shown(own)}, which is too {'large' if own > right else 'small'}."
        raise AssertionError("an answer that differs differs somewhere")


def as_a_slip_makes(exercise: Exercise, own: np.ndarray, made: np.ndarray) -> bool:
    """Whether an answer is what a slip makes. Small numbers must agree more closely, or anything would."""
    # Whoever makes a mistake may compute as roughly as a learner whose answer is right.
    slack = max(exercise.tolerance, *(mistake.within for mistake in exercise.mistakes), _ROUNDED)
    near = np.clip(_CLEAR * np.abs(made), _ROUNDED, slack)
    return alike(own, made, near, max(exercise.relative, 1e-6))


def alike(own: ArrayLike, right: ArrayLike, tolerance: ArrayLike, relative: float) -> bool:
    """Whether two answers have the same length and are equal up to tolerances."""
    return np.size(own) == np.size(right) and bool(np.allclose(own, right, rtol=relative, atol=tolerance))


def listed(result: np.ndarray) -> str:
    """The first numbers of an answer, in words."""
    return ", ".join(map(shown, result[:4])) + (", …" if result.size > 4 else "")
