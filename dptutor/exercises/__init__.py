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

A chapter's exercises are one file, `chapters/chapter_NN.py`, a list `EXERCISES` of pages (see `judging.core.Exercise`);
those that a page can judge by itself are each a `Question`.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from .capstone.cases import Case, case
from .capstone.grading import Rubric
from .capstone.report import rubric
from .judging.core import Exercise, Mistake
from .judging.drawing import Curve, Drawing
from .judging.questions import Question, Sheet, words
from .judging.results import Result
from .learners.checking import Calls, checked
from .learners.handing_in import HandIn
from .learners.learner import Learner, learner
from .learners.progress import Progress
from .lookup import catalogue, get

__all__ = [
    "Case",
    "Curve",
    "Drawing",
    "Exercise",
    "HandIn",
    "Learner",
    "Mistake",
    "Progress",
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


def ask(id: str, seed: object = None) -> Text:
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


def check(id: str, answer: object, seed: object = None) -> Result:
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
    return checked(_chosen(id, seed), answer, Calls())


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


def solution(id: str, seed: object = None) -> Text:
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


def _chosen(id: str, seed: object) -> Exercise:
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
