"""What a learner is told: the result of a check, with its reply."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import NamedTuple

from ...formulas import typeset
from ...palette import GREEN, VERMILLION
from .drawing import Drawing

__all__ = ["Reply", "Result"]


@dataclass(frozen=True)
class Result:
    """Whether an answer passed, and the reply to it; true if and only if it passed.

    Attributes
    ----------
    passed : bool
    message : str
    kind : str
        Of the reply: "right", "nothing" (nothing to check yet), "form" (no numbers to compare), "mistake" (one of the
        exercise's), "slip" (one that is made everywhere), "law" (a law is broken), "ignores" (an argument is not used),
        "nearly", "partly" (right in some of the cases or numbers), "judged", or "generic": it says only where the
        answer lies.
    about : str
        The mistake or law that the reply is about: the same for the same one, whatever the numbers.
    drawing : Drawing or None
        A wrong function as a picture.
    note : str
        How the answer was called, where that is worth a word.

    Examples
    --------
    >>> import dptutor as dp
    >>> dp.exercises.get("1.3").check(None)
    ✘ There is nothing to check yet: fill in the stub, run the cell, and check again.
    >>> blind = dp.exercises.get("1.3").check(lambda alpha, mu: 1 - alpha)
    >>> blind.kind, blind.named
    ('mistake', True)
    """

    passed: bool
    message: str
    kind: str = ""
    about: str = ""
    drawing: Drawing | None = field(default=None, repr=False, compare=False)
    note: str = ""

    @property
    def named(self) -> bool:
        """Whether the reply names what is wrong."""
        return self.kind in ("mistake", "slip", "law", "ignores")

    def __bool__(self) -> bool:
        return self.passed

    def insist(self) -> None:
        """Shows the reply, and fails if the answer has not passed, as the notebooks of a class do for nbgrader.

        Raises
        ------
        AssertionError

        Examples
        --------
        >>> import dptutor as dp
        >>> dp.exercises.get("1.a").check("1/4").insist()  # doctest: +ELLIPSIS
        ✔ Right...
        """
        try:
            from IPython.display import display
        except ImportError:
            print(self)
        else:
            display(self)
        if not self.passed:
            raise _NotPassed(self.message)

    def __repr__(self) -> str:
        return f"{'✔' if self.passed else '✘'} {self.message}" + (f"\n({self.note})" if self.note else "")

    def _repr_html_(self) -> str:
        color, sign = (GREEN, "✔") if self.passed else (VERMILLION, "✘")
        said = f'<p style="border-left:4px solid {color};padding-left:.6em">{sign} {typeset(escape(self.message))}</p>'
        note = f"<p><small>{escape(self.note)}</small></p>" if self.note else ""
        return said + note + (self.drawing.html if self.drawing else "")


class _NotPassed(AssertionError):
    """Raised so that nbgrader sees a failed check; the notebook has already shown the reply."""

    def _render_traceback_(self) -> list[str]:
        return ["This check has not passed yet."]


class Reply(NamedTuple):
    """The reply to an answer that is not right, and its kind; see `Result`."""

    kind: str
    words: str
    about: str = ""
