"""An exercise by its number, and those of a chapter; their files are loaded at the first call."""

from __future__ import annotations

import difflib
from functools import lru_cache
from importlib import import_module
from pkgutil import iter_modules

from .._validation import shown
from . import chapters
from .judging.core import Exercise
from .renumbering import moved

__all__ = ["catalogue", "get"]


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
    names = sorted(module.name for module in iter_modules(chapters.__path__))
    return tuple(e for name in names for e in import_module(f".{name}", chapters.__name__).EXERCISES)


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
