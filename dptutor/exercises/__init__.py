"""Exercises that answer back.

    dp.exercises.check("1.3", tradeoff)     # what is right, or which mistake it looks like
    dp.exercises.hint("1.3")                # one step more each time, three in all
    dp.exercises.solution("1.3")            # the worked answer
    dp.exercises.progress()                 # what is done; .export(path), .erase()
    dp.exercises.case(7)                    # chapter 14: what your own report is about
    dp.exercises.rubric(report)             # its points, line by line

A chapter's exercises are one file, `chapter_NN.py`, a list `EXERCISES` of pages (see `core.Exercise`).
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from importlib import import_module
from pkgutil import iter_modules

from .cases import Case, case
from .core import Exercise, Mistake, Result
from .grading import Rubric
from .progress import Progress
from .report import rubric

__all__ = [
    "Case",
    "Exercise",
    "Mistake",
    "Result",
    "Rubric",
    "case",
    "catalogue",
    "check",
    "get",
    "hint",
    "progress",
    "rubric",
    "solution",
]

_progress = Progress()
_catalogue: dict[str, Exercise] = {}


def catalogue(chapter: int | None = None) -> list[Exercise]:
    """All exercises in order, or those of one chapter."""
    if not _catalogue:
        names = sorted(module.name for module in iter_modules(__path__) if module.name.startswith("chapter_"))
        for name in names:
            _catalogue.update({e.id: e for e in import_module(f".{name}", __name__).EXERCISES})
    return [e for e in _catalogue.values() if chapter is None or e.chapter == chapter]


def get(id: str) -> Exercise:
    """The exercise with a number like "1.3".

    Raises
    ------
    ValueError
        If there is none of that number.
    """
    known = {e.id: e for e in catalogue()}
    if str(id) not in known:
        raise ValueError(f"id must be one of {', '.join(known)}, got {id!r}")
    return known[str(id)]


def check(id: str, answer) -> Result:
    """Judges an answer, and notes the try."""
    result = get(id).check(answer)
    _progress.note(get(id).id, tries=1, passed=result.passed)
    return result


def hint(id: str) -> Text:
    """The next hint; after the third, the third again."""
    exercise = get(id)
    number = min(_progress.note(exercise.id, hints=1)["hints"], 3)
    return Text(f"Hint {number} of 3: {exercise.hints[number - 1]}")


def solution(id: str) -> Text:
    """A worked answer."""
    exercise = get(id)
    _progress.note(exercise.id, saw_solution=True)
    return Text(exercise.explanation, exercise.solution)


def progress() -> Progress:
    """What has been tried and solved."""
    return _progress


@dataclass(frozen=True)
class Text:
    """Words to a learner, perhaps with a program."""

    words: str
    code: str = ""

    def __repr__(self) -> str:
        return f"{self.words}\n\n{self.code}" if self.code else self.words

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.words)}</p>" + (f"<pre>{escape(self.code)}</pre>" if self.code else "")
