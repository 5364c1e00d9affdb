"""An answer judged, noted in the learner's file, and drawn where it is wrong."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from ..judging import worker
from ..judging.calling import Case, Outcome, Rejected, here
from ..judging.core import Exercise
from ..judging.drawing import drawn
from ..judging.results import Result
from .learner import learner

__all__ = ["Calls", "checked"]


def checked(exercise: Exercise, answer: Any, calls: Any) -> Result:
    """Judges an answer, notes the try, and draws what is wrong."""
    mine = learner()
    result = exercise.check(answer, calls)
    if result.kind in ("mistake", "slip", "law", "ignores", "partly", "generic"):
        with contextlib.redirect_stdout(io.StringIO()):  # what it prints was shown when it was judged
            result = replace(result, drawing=drawn(exercise, answer, calls.tried, calls))
    before, praised = mine.named.get(exercise.id), mine.praised.setdefault(exercise.id, {})
    message = _praised(before, result, praised)
    if result.named or result.passed:
        mine.named[exercise.id] = result
    mine.progress.note(exercise.id, tries=1, passed=result.passed)
    return replace(result, message=message, note=calls.note)


def _praised(before: Result | None, result: Result, praised: dict[str, bool]) -> str:
    """The reply, after a word of praise if what the last one named is gone for certain, for the first time.

    `praised` has every mistake that was named, and whether its end was praised.
    """
    made_before = result.about in praised
    if result.named:
        praised.setdefault(result.about, False)
    if before is None or before.passed or before.about == result.about:
        return result.message
    if result.passed:
        return f"You have found your mistake. {result.message}"
    # What breaks no law has mended the one before. Of two mistakes that are named, the second may contain the first.
    gone = result.kind in (("generic", "ignores", "nearly", "partly") if before.kind == "law" else ("nearly",))
    if not gone or made_before or praised[before.about]:
        return result.message
    praised[before.about] = True
    return f"The earlier mistake is gone, well done. {result.message}"


class Calls:
    """Calls functions in another process; in this one if there is no other, and says why.

    What cannot be sent is not called at all: it might end the process, and with it the notebook's variables.

    `tried` are the outcomes of the cases that were called first.
    """

    def __init__(self) -> None:
        self.note = ""
        self.tried: list[Outcome] = []

    def __call__(self, answer: Any, cases: Sequence[Case], shape: str, patience: float) -> Iterator[Outcome]:
        outcomes: list[Outcome] = []
        self.tried = self.tried or outcomes
        for outcome in self._called(answer, cases, shape, patience):
            outcomes.append(outcome)
            yield outcome

    def _called(self, answer: Any, cases: Sequence[Case], shape: str, patience: float) -> Iterable[Outcome]:
        try:
            if not worker.available():
                return here(answer, cases, shape, patience)
            return worker.results(answer, cases, shape, patience)
        except worker.Unsendable as why:
            raise Rejected(
                f"Your function is called in a process of its own, and cannot be sent there ({why}). Let it make what "
                "it needs by itself."
            ) from None
        except worker.Unstartable as why:
            self.note = (
                f"This was checked in the notebook's own process, since no other can be started ({why}). If a check "
                "hangs there, interrupt it."
            )
            return here(answer, cases, shape, patience)
