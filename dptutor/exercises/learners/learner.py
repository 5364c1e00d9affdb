"""A learner: the file with their progress, the case of the capstone, and what the last reply to an exercise named.

In a notebook there is one learner, who needs no name. A program that serves several gives each a `Learner` with a file
of its own, and everything in a `with` block is that learner's:

    with dp.exercises.Learner("ada.json"):
        dp.exercises.check("1.3", tradeoff)
"""

from __future__ import annotations

from contextvars import ContextVar, Token
from pathlib import Path

from ..judging.results import Result
from .progress import FILE, Progress

__all__ = ["Learner", "learner"]


class Learner:
    """A learner, whose file is at `path`.

    Attributes
    ----------
    progress : Progress
    case : int or None
        The number of the case that was chosen last.
    named : dict
        By exercise, the last result that named a mistake, or was right.
    praised : dict
        By exercise, whether correcting each mistake that was made has been praised.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import dptutor as dp
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with dp.exercises.Learner(Path(folder) / "ada.json"):
    ...         _ = dp.exercises.check("1.a", 0.5)
    ...         print(list(dp.exercises.progress().records))
    ['1.a']
    """

    def __init__(self, path: str | Path = FILE) -> None:
        self.progress = Progress(Path(path))
        self.case: int | None = None
        self.named: dict[str, Result] = {}
        self.praised: dict[str, dict[str, bool]] = {}
        self._before: list[Token[Learner]] = []

    def __enter__(self) -> Learner:
        self._before.append(_current.set(self))
        return self

    def __exit__(self, *error: object) -> None:
        _current.reset(self._before.pop())


_current: ContextVar[Learner] = ContextVar("learner", default=Learner())  # noqa: B039 - that of a notebook


def learner() -> Learner:
    """The learner of the innermost `with` block of this thread, or else that of the notebook.

    Examples
    --------
    >>> from dptutor.exercises.learners.learner import Learner, learner
    >>> with Learner("ada.json") as ada:
    ...     learner() is ada
    True
    """
    return _current.get()
