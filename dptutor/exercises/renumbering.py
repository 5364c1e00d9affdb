"""Exercises whose number has changed: the capstone was chapter 14 before it became chapter 20.

What is stored says by a mark, `{"numbering": 2}`, that its numbers are the present ones. What has no mark is from
before, and 14.1 there is what is 20.1 now; with the mark, 14.1 is an exercise of the present chapter 14. The mark is
written together with the numbers, so a change that was interrupted has either not begun or is done.
"""

from __future__ import annotations

from typing import Any

__all__ = ["MARK", "NUMBERING", "moved", "numbering", "present"]

MARK, NUMBERING = "numbering", 2
_MOVED = {f"14.{k}": f"20.{k}" for k in range(1, 9)}


def numbering(stored: dict[str, Any]) -> int:
    """What the mark of something stored says; 1 where it has none."""
    mark = stored.get(MARK, 1)
    return mark if type(mark) is int else 1


def moved(id: str) -> str | None:
    """The present number of an exercise that once had this one."""
    return _MOVED.get(id)


def present(id: str, numbering: int) -> str:
    """The present number of an exercise.

    Examples
    --------
    >>> from dptutor.exercises.renumbering import present
    >>> present("14.1", 1), present("14.1", 2), present("1.3", 1)
    ('20.1', '14.1', '1.3')
    """
    return _MOVED.get(id, id) if numbering < NUMBERING else id
