"""Exercises that answer back.

    dp.exercises.check("1.3", tradeoff)     # what is right, or which mistake it looks like
    dp.exercises.hint("1.3")                # one step more each time, three in all
    dp.exercises.solution("1.3")            # the worked answer
    dp.exercises.progress()                 # what is done; .export(path), .erase()

A chapter's exercises are one file, `chapter_NN.py`, a list `EXERCISES` of pages (see `core.Exercise`).
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from importlib import import_module
from pkgutil import iter_modules

from .core import Exercise, Mistake, Result
from .progress import Progress

__all__ = ["Exercise", "Mistake", "Result", "catalogue", "check", "get", "hint", "progress", "solution"]

_progress = Progress()
_catalogue: dict[str, Exercise] = {}


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
    ['1.1', '1.2', '1.3', '1.4', '1.5', '1.6', '1.7']
    """
    if not _catalogue:
        names = sorted(module.name for module in iter_modules(__path__) if module.name.startswith("chapter_"))
        for name in names:
            _catalogue.update({e.id: e for e in import_module(f".{name}", __name__).EXERCISES})
    return [e for e in _catalogue.values() if chapter is None or e.chapter == chapter]


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
    if str(id) not in known:
        raise ValueError(f"id must be one of {', '.join(known)}, got {id!r}")
    return known[str(id)]


def check(id: str, answer) -> Result:
    """Judges an answer, and notes the try in the learner's file.

    Parameters
    ----------
    id : str
        A number like "1.3".
    answer : number, sequence of numbers or callable
        What the exercise asks for. Whatever it is or does, a result comes back.

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
    result = get(id).check(answer)
    _progress.note(get(id).id, tries=1, passed=result.passed)
    return result


def hint(id: str) -> Text:
    """The next hint; after the third, the third again.

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
    'Hint 1 of 3: Which test does the lemma o'
    """
    exercise = get(id)
    number = min(_progress.note(exercise.id, hints=1)["hints"], 3)
    return Text(f"Hint {number} of 3: {exercise.hints[number - 1]}")


def solution(id: str) -> Text:
    """A worked answer, which the learner's file notes to have been seen.

    Parameters
    ----------
    id : str
        A number like "1.3".

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
    exercise = get(id)
    _progress.note(exercise.id, saw_solution=True)
    return Text(exercise.explanation, exercise.solution)


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
