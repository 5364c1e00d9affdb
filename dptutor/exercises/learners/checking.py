"""Judges an answer, notes the attempt in the learner's file, and draws what is wrong."""

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
    """Judges an answer, notes the attempt, and draws what is wrong."""
    mine = learner()
    result = exercise.check(answer, calls)
    if result.kind in ("mistake", "slip", "law", "ignores", "partly", "generic"):
        with contextlib.redirect_stdout(io.StringIO()):  # what the answer prints was shown when it was judged
            result = replace(result, drawing=drawn(exercise, answer, calls.tried, calls))
    before, praised = mine.named.get(exercise.id), mine.praised.setdefault(exercise.id, {})
    message = _praised(before, result, praised)
    if result.named or result.passed:
        mine.named[exercise.id] = result
    mine.progress.note(exercise.id, tries=1, passed=result.passed)
    return replace(result, message=message, note=calls.note)


def _praised(before: Result | None, result: Result, praised: dict[str, bool]) -> str:
    """The reply, after a word of praise if the mistake named last is certainly gone, and for the first time.

    `praised` has every mistake that was named, and whether correcting it was praised.
    """
    made_before = result.about in praised
    if result.named:
        praised.setdefault(result.about, False)
    if before is None or before.passed or before.about == result.about:
        return result.message
    if result.passed:
        return f"You have found your mistake. {result.message}"
    # After a violated law, an answer that violates none has corrected that. But where another mistake is named next, it
    # may include the first one.
    gone = result.kind in (("generic", "ignores", "nearly", "partly") if before.kind == "law" else ("nearly",))
    if not gone or made_before or praised[before.about]:
        return result.message
    praised[before.about] = True
    return f"The earlier mistake is gone, well done. {result.message}"


class Calls:
    """Calls functions in another process, or in this one if no other can be started, which `note` then says.

    A function that cannot be sent is not called at all: it might end this process, and with it the notebook's
    variables. `tried` has the outcomes of the first call.
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
