"""The results of an answer beside the right ones: whether they agree, and if not, what is said.

Results are compared with the truth; where they differ, with the mistakes that people make, first those of the exercise
and then the slips that are made everywhere: whoever made one of them is told which, everyone else the first law that
the answer breaks, or how nearly it is right, or the first place where it is off, and in which direction.
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

# The share of a number by which it may be off that a slip makes, and what rounding may leave where that is 0.
_CLEAR, _ROUNDED = 0.01, 1e-9
# So near an answer is said to be right but for its last digits.
_NEARLY = 1e-3
# So near everywhere it may be a matter of accuracy: as a share of the largest number, or ten times this of each.
_CLOSE_BY = 2e-3


class Comparison:
    """The results of an answer to an exercise, beside the right ones; one case without arguments for a number."""

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
        """What is said to the answer; None if it is right."""
        # Every case is tried with every candidate, so that a mistake is named only if it explains all results.
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
        return f"{self.exercise.name} should be {self.exercise.shape}; you give {wrong[0]} of them." if wrong else None

    def _nearly(self) -> str | None:
        """Whether all is right but for the last digits."""
        near = partial(alike, tolerance=0.0, relative=_NEARLY)
        if self.exercise._yes_or_no or not any(all(starmap(like, self._pairs)) for like in (near, self._same)):
            return None
        tolerance, relative = self.exercise.tolerance, self.exercise.relative
        asked = shown(tolerance) if tolerance else f"{shown(relative)} of it"
        return (
            f"This is nearly right: it is off by {shown(self._off, 2)} at most, where less than {asked} is asked for."
        )

    def _close_by(self) -> str | None:
        """Whether all is near what is right, but not as near as rounding would leave it."""
        size = max(float(np.max(np.abs(right))) for right in self.truths)
        if not all(alike(own, right, _CLOSE_BY * size, 10 * _CLOSE_BY) for own, right in self._pairs):
            return None
        return (
            f"This is close everywhere, but off by up to {shown(self._off, 2)}, which is more than is let through. Is "
            "there a grid that is too coarse, a number that is rounded on the way, or a random one?"
        )

    @property
    def _off(self) -> float:
        """The largest difference from what is right."""
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
    """Whether an answer is what a slip makes: where that is small, what is let through would make it anything."""
    # A mistake may be made by a program that is no more exact than a learner's.
    slack = max(exercise.tolerance, *(mistake.within for mistake in exercise.mistakes), _ROUNDED)
    near = np.clip(_CLEAR * np.abs(made), _ROUNDED, slack)
    return alike(own, made, near, max(exercise.relative, 1e-6))


def alike(own: ArrayLike, right: ArrayLike, tolerance: ArrayLike, relative: float) -> bool:
    """Whether two answers are as many numbers, and the same up to a tolerance."""
    return np.size(own) == np.size(right) and bool(np.allclose(own, right, rtol=relative, atol=tolerance))


def listed(result: np.ndarray) -> str:
    """The first numbers of an answer, in words."""
    return ", ".join(map(shown, result[:4])) + (", …" if result.size > 4 else "")
