"""What a student hands in: values, not programs.

A check in a class notebook also records what it judged: a number as it is, a function as its values at the points asked
for. This record is an output of the cell and so a part of the notebook. Whoever marks the notebook judges the values
again, and need not run anything.

A student's own numbers, and the random points of a function, follow from the student's code, which the teacher derives
from a secret. The code is written into the student's own notebook and nowhere else, so that others cannot use a table
of values.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..judging.calling import Case, Outcome, Rejected, Replayed, Stopped, in_time, short
from ..judging.core import Exercise
from ..judging.results import Result
from ..lookup import get
from ..renumbering import MARK, NUMBERING, numbering, present
from .checking import Calls, checked
from .learner import Learner, learner

__all__ = ["MIME", "HandIn", "Record", "prepared", "result_of"]

MIME = "application/vnd.dptutor.values+json"
# Largest number of values, longest text and deepest nesting that are recorded: more than any exercise asks for.
_MOST, _LONGEST, _DEEPEST = 2000, 4000, 4
# Seconds that reading an answer may take.
_PATIENCE = 5.0
_KINDS = {"result", "nothing", "rejected", "stopped", "late", "died"}


def prepared(id: str, code: str = "", own: bool = False) -> Exercise:
    """An exercise as the student with this code gets it: for own numbers, or for a function with own random points."""
    exercise = get(id)
    if own:
        return exercise.variant(code)
    return replace(exercise, inputs=code) if code and exercise.draw else exercise


class HandIn:
    """The hand-in of a student: its checks reply as `dp.exercises.check` does, and record the values in the notebook.

    Parameters
    ----------
    student : str
    code : str
        Determines the student's numbers and points. Without one they are the same for all.
    numbering : int
        The numbering of exercises, see `renumbering`; by default that of notebooks older than the capstone as chapter
        20, which do not state it.

    Examples
    --------
    >>> import dptutor as dp
    >>> hand_in = dp.exercises.HandIn("ada", "4f1c09d2")
    >>> hand_in.check("1.3", lambda alpha, mu: 1 - alpha).passed
    False
    """

    def __init__(self, student: str = "", code: str = "", numbering: int = 1) -> None:
        self.student, self.code, self.numbering = str(student), str(code), numbering
        self._prepared: dict[Case, Exercise] = {}

    def __repr__(self) -> str:
        return f"HandIn of {self.student}" if self.student else "HandIn"

    def check(self, id: str, answer: object, own: bool = False) -> Result:
        """Judges an answer, and records its values.

        Parameters
        ----------
        id : str
            A number like "1.3".
        answer : number, sequence of numbers or callable
        own : bool
            Whether the numbers are the student's own.

        Returns
        -------
        Result

        Examples
        --------
        >>> import dptutor as dp
        >>> dp.exercises.HandIn().check("1.a", 0.5).kind
        'slip'
        """
        id = present(id, self.numbering)
        exercise = self._prepared.setdefault((id, own), prepared(id, self.code, own))
        calls = _Recorded(Calls())
        result = checked(exercise, answer, calls)
        data: dict[str, Any] = {"exercise": exercise.id, MARK: NUMBERING, "own": own, "case": learner().case}
        if exercise.cases and callable(answer) and not exercise.judge:
            data |= {"outcomes": calls.outcomes, "names": exercise.forbidden(answer), "untouched": not calls.called}
        else:
            data["answer"] = _plain_in_time(answer)
        self._show(data, f"Recorded in this notebook: {exercise.id}.")
        return result

    def record(self, name: str, answer: object) -> str:
        """Records an answer that is judged later, by the teacher.

        Parameters
        ----------
        name : str
            What was asked.
        answer : number, text, or a list or dict of such

        Returns
        -------
        str
            What was recorded.

        Examples
        --------
        >>> import dptutor as dp
        >>> dp.exercises.HandIn().record("exam", {"sigma": 2.5, "keeps": ...})
        'Recorded: 1 of 2 lines.'
        """
        plain = _plain_in_time(answer)
        self._show({"exercise": name, "own": False, "answer": plain}, f"Recorded in this notebook: {name}.")
        if isinstance(plain, dict):
            return f"Recorded: {sum(value is not None for value in plain.values())} of {len(plain)} lines."
        return "Recorded."

    def _show(self, data: dict[str, Any], words: str) -> None:
        try:
            from IPython import get_ipython
            from IPython.display import display
        except ImportError:
            return
        if get_ipython() is not None:
            bundle = {MIME: {"version": 1, "of": self.mark} | data, "text/plain": words}
            display(bundle, raw=True)

    @property
    def mark(self) -> str:
        """A digest by which a record shows whose it is, without revealing the code.

        Examples
        --------
        >>> import dptutor as dp
        >>> dp.exercises.HandIn("ada", "4f1c").mark == dp.exercises.HandIn("bob", "4f1c").mark
        False
        """
        if not self.code:
            return ""
        return hashlib.sha256(f"{self.student}\n{self.code}".encode("utf-8", "replace")).hexdigest()[:16]


class _Recorded:
    """Calls functions as `call` does, and keeps the outcomes."""

    def __init__(self, call: Calls) -> None:
        self._call = call
        self.outcomes: list[Any] = []
        self.called = False

    @property
    def note(self) -> str:
        return self._call.note

    @property
    def tried(self) -> list[Any]:
        return self._call.tried

    def __call__(self, answer: Any, cases: Sequence[Case], shape: str, patience: float) -> Iterator[Outcome]:
        first, self.called = not self.called, True
        for kind, value in self._call(answer, cases, shape, patience):
            if first:  # a second call is for the picture
                self.outcomes.append([kind, _plain(value)])
            yield kind, value


def _plain_in_time(answer: object) -> Any:
    try:
        return in_time(_plain, answer, patience=_PATIENCE)
    except (Rejected, Stopped):
        return "something that cannot be read"


def _plain(value: Any, depth: int = 0) -> Any:
    """An answer in the types of JSON; of anything but numbers, texts, lists and dicts, a description."""
    if value is None or value is ...:
        return None
    if type(value).__module__ == "__main__":
        return short(value)
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if isinstance(value, bool | int):
        return value if abs(value) < 2**53 else float(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else repr(value)
    if isinstance(value, str):
        return value[:_LONGEST]
    if depth < _DEEPEST and isinstance(value, Mapping):
        return {str(key)[:100]: _plain(value[key], depth + 1) for key in list(value)[:_MOST]}
    if depth < _DEEPEST and isinstance(value, list | tuple):
        return [_plain(item, depth + 1) for item in value[:_MOST]]
    return short(value)


# For whoever marks. A record may contain anything, since a student may have written it.


@dataclass(frozen=True)
class Record:
    """An answer as a notebook has recorded it; `of` is the student's mark."""

    exercise: str
    own: bool
    of: str
    case: int | None
    answer: object

    @classmethod
    def read(cls, data: object) -> Record | None:
        """The record in some JSON, or None if it is none."""
        if not isinstance(data, dict) or not isinstance(data.get("exercise"), str):
            return None
        case = data.get("case")
        answer = data.get("answer")
        if isinstance(outcomes := data.get("outcomes"), list):
            names = [name for name in data.get("names") or () if isinstance(name, str)]
            kept = tuple(_outcome(outcome) for outcome in outcomes[:_MOST])
            answer = Replayed(kept, frozenset(names), data.get("untouched") is True)
        return cls(
            present(data["exercise"], numbering(data)),
            data.get("own") is True,
            str(data.get("of", ""))[:64],
            case if type(case) is int else None,
            answer,
        )


def _outcome(data: object) -> Case:
    """An outcome (see `calling.outcome`) in some JSON: numbers, or words."""
    kind, value = data if isinstance(data, list) and len(data) == 2 else ("rejected", "")
    if kind not in _KINDS:
        return "rejected", "This is no value."
    if kind == "result":
        try:
            array = np.asarray(value, dtype=float).ravel()[:_MOST]
        except (TypeError, ValueError, OverflowError):
            return "rejected", "This is no value."
        return ("result", array) if array.size and np.all(np.isfinite(array)) else ("rejected", "This is no value.")
    return kind, None if kind == "nothing" else str(value)[:400]


def result_of(exercise: Exercise, record: Record, case: int | None = None) -> Result:
    """Judges recorded values as `check` judges an answer; nothing that was handed in is run.

    Parameters
    ----------
    exercise : Exercise
        As the student got it, see `prepared`.
    record : Record
    case : int, optional
        The student's case of the capstone; by default the one that was recorded.

    Examples
    --------
    >>> from dptutor.exercises.learners.handing_in import Record, prepared, result_of
    >>> record = Record.read({"exercise": "1.a", "answer": 0.5})
    >>> result_of(prepared("1.a"), record).kind
    'slip'
    """
    if isinstance(record.answer, Replayed) and (exercise.judge or not exercise.cases):
        return Result(False, f"The notebook records values of a function, where {exercise.shape} is asked for.", "form")
    mine = Learner()
    mine.case = record.case if case is None else case
    with mine:
        return exercise.check(record.answer)
