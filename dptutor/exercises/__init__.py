"""Exercises that answer back.

    dp.exercises.check("1.3", tradeoff)     # what is right, or which mistake it looks like
    dp.exercises.hint("1.3")                # one step more each time, three in all
    dp.exercises.solution("1.3")            # the worked answer
    dp.exercises.progress()                 # what is done; .export(path), .erase()
    dp.exercises.ask("1.3", seed="Ada")     # with numbers of your own; check and solution take the seed, too
    dp.exercises.questions(chapter=1)       # the warm-ups that a page judges without a kernel
    dp.exercises.case(7)                    # capstone: what your own report is about
    dp.exercises.rubric(report)             # its points, line by line
    dp.exercises.HandIn("ada", "4f1c…")     # in a class: checks that also record what is handed in

A chapter's exercises are one file, `chapter_NN.py`, a list `EXERCISES` of pages (see `core.Exercise`); those
that a page can judge by itself are each a `Question`.
"""

from __future__ import annotations

import contextlib
import difflib
import io
from dataclasses import dataclass, replace
from functools import lru_cache
from html import escape
from importlib import import_module
from pkgutil import iter_modules

from .._validation import shown
from . import worker
from .calling import Rejected, here
from .cases import Case, case
from .core import Exercise, Mistake, Result
from .drawing import Curve, Drawing, drawn
from .grading import Rubric
from .handing_in import HandIn
from .learner import Learner, learner
from .progress import Progress
from .questions import Question, Sheet, words
from .renumbering import moved
from .report import rubric

__all__ = [
    "Case",
    "Curve",
    "Drawing",
    "Exercise",
    "HandIn",
    "Learner",
    "Mistake",
    "Question",
    "Result",
    "Rubric",
    "ask",
    "case",
    "catalogue",
    "check",
    "get",
    "hint",
    "progress",
    "questions",
    "rubric",
    "solution",
]


def catalogue(chapter: int | None = None) -> list[Exercise]:
    """All exercises in order, or those of one chapter.

    Parameters
    ----------
    chapter : int, optional

    Returns
    -------
    list of Exercise

    Examples
    --------
    >>> import dptutor as dp
    >>> [exercise.id for exercise in dp.exercises.catalogue(chapter=1)]
    ['1.a', '1.b', '1.c', '1.1', '1.2', '1.3', '1.4', '1.5', '1.6', '1.7']
    """
    return [e for e in _all() if chapter is None or e.chapter == chapter]


@lru_cache
def _all() -> tuple[Exercise, ...]:
    names = sorted(module.name for module in iter_modules(__path__) if module.name.startswith("chapter_"))
    return tuple(e for name in names for e in import_module(f".{name}", __name__).EXERCISES)


def get(id: str) -> Exercise:
    """The exercise with a number like "1.3".

    Parameters
    ----------
    id : str

    Returns
    -------
    Exercise

    Raises
    ------
    ValueError
        If there is none of that number.

    Examples
    --------
    >>> import dptutor as dp
    >>> dp.exercises.get("1.3").title
    'The best that any test can do'
    """
    known = {e.id: e for e in catalogue()}
    asked = str(id).strip()
    if asked in known:
        return known[asked]
    if now := moved(asked):
        raise ValueError(f"there is no exercise {asked}: the capstone is chapter 20 now, and what was {asked} is {now}")
    near = known[difflib.get_close_matches(asked, known, 1, cutoff=0.0)[0]]
    ids = [e.id for e in catalogue(near.chapter)]
    told = f"chapter {near.chapter} has {ids[0]} to {ids[-1]}"
    raise ValueError(f"there is no exercise {shown(asked)}; did you mean {near.id}? ({told})")


def ask(id: str, seed=None) -> Text:
    """The question and its stub; given a seed, with numbers of one's own.

    Parameters
    ----------
    id : str
        A number like "1.3".
    seed : optional
        A name or a number, from which the numbers follow.

    Returns
    -------
    Text
        Words and a program.

    Raises
    ------
    ValueError
        If there is no exercise of that number, or none with numbers that can vary.

    Examples
    --------
    >>> import dptutor as dp
    >>> words = dp.exercises.ask("1.3", seed="Ada").words
    >>> "Your own numbers: " in words
    True
    """
    exercise = _chosen(id, seed)
    return Text(exercise.question, exercise.stub)


def check(id: str, answer, seed=None) -> Result:
    """Judges an answer, and notes the try in the learner's file.

    A function is called in a process of its own, so that a call that never ends can be ended. In a notebook, a wrong
    function is also drawn, where its exercise has a curve.

    Parameters
    ----------
    id : str
        A number like "1.3".
    answer : number, sequence of numbers or callable
        What the exercise asks for. Whatever it is or does, a result comes back.
    seed : optional
        A name or a number, if the numbers are one's own; see `ask`.

    Returns
    -------
    Result

    Raises
    ------
    ValueError
        If there is no exercise of that number.

    Examples
    --------
    Whoever makes a known mistake is told which:

    >>> from statistics import NormalDist
    >>> import dptutor as dp
    >>> def tradeoff(alpha, mu):
    ...     z = NormalDist()
    ...     return 1 if alpha == 0 else 0 if alpha == 1 else 1 - z.cdf(z.inv_cdf(1 - alpha) - mu)
    >>> result = dp.exercises.check("1.3", tradeoff)
    >>> result.passed, result.message.split(":")[0]
    (False, 'This is the power 1 − β')
    """
    return _checked(_chosen(id, seed), answer, _Calls())


def _checked(exercise: Exercise, answer, calls) -> Result:
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
    # What breaks no law has mended the one before, and one mistake that explains all leaves no room for another.
    gone = result.kind in (
        ("generic", "ignores", "nearly", "partly") if before.kind == "law" else ("mistake", "slip", "nearly")
    )
    if not gone or made_before or praised[before.about]:
        return result.message
    praised[before.about] = True
    return f"The earlier mistake is gone, well done. {result.message}"


class _Calls:
    """Calls functions in another process; in this one if there is no other, and says why.

    What cannot be sent is not called at all: it might end the process, and with it the notebook's variables.

    `tried` are the outcomes of the cases that were called first.
    """

    def __init__(self):
        self.note = ""
        self.tried: list[tuple] = []

    def __call__(self, answer, cases, shape, patience):
        outcomes: list[tuple] = []
        self.tried = self.tried or outcomes
        for outcome in self._called(answer, cases, shape, patience):
            outcomes.append(outcome)
            yield outcome

    def _called(self, answer, cases, shape, patience):
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


def hint(id: str) -> Text:
    """The next hint; after the third, the third again, with where to find a worked answer.

    Parameters
    ----------
    id : str
        A number like "1.3".

    Returns
    -------
    Text
        Words that show themselves in a notebook.

    Raises
    ------
    ValueError
        If there is no exercise of that number.

    Examples
    --------
    >>> import dptutor as dp
    >>> dp.exercises.hint("1.3").words[:40]
    'Hint 1 of 3: Here the likelihood ratio g'
    """
    exercise = get(id)
    progress, count = learner().progress, len(exercise.hints)
    given = progress.records.get(exercise.id, {"hints": 0})["hints"]
    number = min(given + 1, count)
    progress.note(exercise.id, hints=number - min(given, number))
    last = f' There are no more; dp.exercises.solution("{exercise.id}") has a worked answer.' if given >= count else ""
    return Text(f"Hint {number} of {count}: {exercise.hints[number - 1]}{last}")


def solution(id: str, seed=None) -> Text:
    """A worked answer, which the learner's file notes to have been seen.

    Parameters
    ----------
    id : str
        A number like "1.3".
    seed : optional
        A name or a number, if the numbers are one's own; see `ask`.

    Returns
    -------
    Text
        Words and a program.

    Raises
    ------
    ValueError
        If there is no exercise of that number.

    Examples
    --------
    >>> import dptutor as dp
    >>> space = {}
    >>> exec(dp.exercises.solution("1.3").code, space)
    >>> dp.exercises.check("1.3", space["tradeoff"]).passed
    True
    """
    exercise = _chosen(id, seed)
    learner().progress.note(exercise.id, saw_solution=True)
    return Text(exercise.explanation, exercise.solution)


def questions(chapter: int) -> Sheet:
    """The questions of a chapter, to be answered in a page that has no kernel.

    Parameters
    ----------
    chapter : int

    Returns
    -------
    Sheet
        Shows itself in a notebook and in the book.

    Raises
    ------
    ValueError
        If the chapter has none.

    Examples
    --------
    >>> import dptutor as dp
    >>> sheet = dp.exercises.questions(chapter=1)
    >>> all(isinstance(question, dp.exercises.Question) for question in sheet.questions)
    True
    """
    found = [exercise for exercise in catalogue(chapter) if isinstance(exercise, Question)]
    if not found:
        known = sorted({exercise.chapter for exercise in catalogue()})
        raise ValueError(f"chapter must be one of {', '.join(map(str, known))}, got {chapter!r}")
    return Sheet(found)


def progress() -> Progress:
    """What has been tried and solved, as the file beside the notebook has it.

    Returns
    -------
    Progress

    Examples
    --------
    >>> import dptutor as dp
    >>> dp.exercises.progress().path.name
    'progress-dptutor.json'
    """
    return learner().progress


def _chosen(id: str, seed) -> Exercise:
    return get(id) if seed is None else get(id).variant(seed)


@dataclass(frozen=True)
class Text:
    """Words to a learner, perhaps with a program."""

    words: str
    code: str = ""

    def __repr__(self) -> str:
        return f"{self.words}\n\n{self.code}" if self.code else self.words

    def _repr_html_(self) -> str:
        said = words(self.words).replace("\n\n", "</p><p>")
        return f"<p>{said}</p>" + (f"<pre>{escape(self.code)}</pre>" if self.code else "")
