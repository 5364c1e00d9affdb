"""Points for a report, line by line: what a line should say, how an answer is read, and what is said to it.

Numbers count as right to half a percent, or if they are rounded correctly to the digits given, two at least; they may
be given as text ("3.5%"). A line that is wrong costs its own points
and no other's.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from ..judging import numerals
from ..judging.core import Mistake
from ..judging.slips import told_apart

__all__ = ["Graded", "Line", "Rubric", "Ungraded", "numeric", "word", "worded"]

_CLOSE = 5e-3


@dataclass(frozen=True)
class Line:
    """What a line should say, and what is said to other answers. `read` makes an answer comparable, or replies."""

    points: int
    right: object
    mistakes: tuple[Mistake, ...]
    otherwise: str
    read: Callable[..., Any]
    decimals: int | None = None  # to so many, the chapter prints it

    def judge(self, answer: object) -> str | None:
        """A reply, or None if the answer is right."""
        if answer is None or answer is ...:
            return "Not filled in yet."
        try:
            given = self.read(answer)
        except Ungraded as told:
            return str(told)
        if _alike(given, self.right) or self._printed(given):
            return None
        for mistake in self.mistakes:
            if _alike(given, mistake.answer, hidden=0):
                return mistake.reply
        if isinstance(given, float) and isinstance(self.right, float):
            if _alike(given, 100 * self.right):
                return "This is in percent. Give the share itself, or write the % sign."
            share = 0 < self.right < 1 <= given
            if given and not share and abs(given - self.right) <= _half_a_unit(given, least=1):
                return "Right as far as it goes. Give at least two significant digits."
            return f"This is too {'large' if given > self.right else 'small'}. {self.otherwise}"
        return self.otherwise

    def _printed(self, given: object) -> bool:
        """Whether an answer is right to the decimals that the chapter prints."""
        if self.decimals is None or not isinstance(given, float) or not isinstance(self.right, float) or given <= 0:
            return False
        assert isinstance(self.right, float)
        return given == round(given, self.decimals) and abs(given - self.right) <= 0.5 * 10**-self.decimals


class Ungraded(Exception):
    """An entry of a report that gets no points, and why."""


@dataclass(frozen=True)
class Graded:
    """A line of a rubric: its part, its name, the points given and possible, and a note."""

    part: str
    name: str
    points: int
    possible: int
    reply: str


@dataclass(frozen=True)
class Rubric:
    """The points of a report, line by line; true if it has all.

    Attributes
    ----------
    seed : int
        That of the case.
    lines : tuple
        Each with its `part`, `name`, `points`, `possible` points and `reply`.
    note : str
        A remark on the report as a whole.

    Examples
    --------
    >>> import dptutor as dp
    >>> nothing = dp.exercises.rubric({"seed": 7})
    >>> bool(nothing), nothing.points, nothing.possible
    (False, 0, 26)
    """

    seed: int
    lines: tuple[Graded, ...]
    note: str = ""

    @property
    def points(self) -> int:
        """The points given."""
        return sum(line.points for line in self.lines)

    @property
    def possible(self) -> int:
        """The points that there are."""
        return sum(line.possible for line in self.lines)

    def __bool__(self) -> bool:
        return self.points == self.possible

    def __repr__(self) -> str:
        rows = [f"{g.part:<13}{g.name:<18}{g.points} of {g.possible}  {g.reply}".rstrip() for g in self.lines]
        total = f"{'total':<31}{self.points} of {self.possible}"
        return "\n".join([f"Report on case {self.seed}", *filter(None, [self.note]), *rows, total])

    def _repr_html_(self) -> str:
        parts = dict.fromkeys(line.part for line in self.lines)
        body = "".join(self._table_of(part) for part in [*parts, "total"])
        note = f"<p>{escape(self.note)}</p>" if self.note else ""
        return f"<p>Report on case {self.seed}</p>{note}<table>{body}</table>"

    def _table_of(self, part: str) -> str:
        lines = [line for line in self.lines if part in (line.part, "total")]
        points = f"{sum(line.points for line in lines)} of {sum(line.possible for line in lines)}"
        rows = [(part, points, "", "th")]
        if part != "total":
            rows += [(line.name, f"{line.points} of {line.possible}", line.reply, "td") for line in lines]
        left = "text-align:left;vertical-align:top;padding:.1em .6em .1em 0"
        return "".join(
            f'<tr><{cell} style="{left}">{escape(name)}</{cell}>'
            f'<{cell} style="{left};white-space:nowrap">{points}</{cell}>'
            f'<td style="{left};white-space:normal">{escape(reply)}</td></tr>'
            for name, points, reply, cell in rows
        )


# Reading answers.


def number(answer: Any) -> float:
    """An answer that is a number, or text that shows one."""
    try:
        value = numerals.read(answer) if isinstance(answer, str) else np.asarray(answer, dtype=float).item()
    except numerals.Unreadable as problem:
        raise Ungraded("This should be a number." if problem.reason == "unreadable" else str(problem)) from None
    except Exception:  # objects may do anything when asked for a number
        raise Ungraded("This should be a number.") from None
    if not math.isfinite(value):
        raise Ungraded("This should be a finite number.")
    return value


def word(answer: object) -> str:
    """An answer that is a word or a letter, in small letters; the ways to say "neither" are one."""
    if not isinstance(answer, str):
        raise Ungraded("This should be a word, in quotes.")
    said = answer.lower().strip(" .()").removeprefix("vendor").removeprefix("offer").strip()
    return "neither" if said in {"none", "no", "nobody", "nothing"} else said


def _alike(given: Any, wanted: Any, hidden: int = 2) -> bool:
    if isinstance(wanted, frozenset):
        return given in wanted
    if isinstance(wanted, float):
        if not isinstance(given, float) or 0 < wanted < 1 <= given:  # one is no share that is rounded
            return False
        return abs(given - wanted) <= max(_CLOSE * abs(wanted), _half_a_unit(given, hidden))
    return given == wanted


def _half_a_unit(given: float, least: int = 2) -> float:
    """Half a unit of the last of the digits given, `least` at least, as trailing zeros do not show."""
    if not given:
        return 0.0
    mantissa, exponent = f"{abs(given):.11e}".split("e")
    digits = max(len(mantissa.rstrip("0").replace(".", "")), least)
    if digits < 2 and not least:
        return 0.0
    return 0.5 * 10.0 ** (int(exponent) - digits + 1)


# Making lines.


def numeric(
    points: int, right: float, otherwise: str, *mistakes: tuple[float, str], decimals: int | None = None
) -> Line:
    """A line with a number; mistakes that cannot be told from it, or from one before, are left out."""

    def close(a: float, b: float) -> bool:
        printed = 0.6 * 10**-decimals if decimals and right in (a, b) else 0.0
        return abs(a - b) <= max(3 * _CLOSE * max(abs(a), abs(b)), 2 * _half_a_unit(float(a)), printed)

    told: list[tuple[float, str]] = []
    for wrong, reply in mistakes:
        if math.isfinite(wrong) and not any(close(wrong, x) for x in [right, *(before for before, _ in told)]):
            told.append((float(wrong), reply))
    told += told_apart(float(right), [wrong for wrong, _ in told], close)
    return Line(points, float(right), tuple(Mistake(*one) for one in told), otherwise, number, decimals)


def worded(
    right: Any, otherwise: str, mistakes: Iterable[tuple[Any, str]] = (), read: Callable[[Any], Any] = word
) -> Line:
    """A line with a word; a frozen set is of words that are all right."""
    return Line(1, right, tuple(Mistake(answer, reply) for answer, reply in mistakes), otherwise, read)
