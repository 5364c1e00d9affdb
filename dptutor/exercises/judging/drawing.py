"""A wrong function drawn over the right one, with the place where it breaks a law or is farthest off.

An exercise names the argument along which its answers are drawn, `Curve("alpha")`. The others are those of the case
at which the answer is farthest off, so the mistake can be seen. Where the curve itself is what is asked for (where its
corner is, which constant it takes), `Curve("alpha", hidden=True)` draws the learner's only: the right one would give
the answer away.
"""

from __future__ import annotations

import base64
import inspect
import io
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from textwrap import shorten
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np

from .calling import Call, Case, Outcome, breach, here, short
from .numerals import shown

if TYPE_CHECKING:
    from .core import Exercise

__all__ = ["Curve", "Drawing", "drawn"]

_POINTS = 81
# A call for a picture may take this many seconds, and this many on average, so that nobody has to wait.
_PATIENCE, _QUICK = 1.0, 0.1
# With fewer points there is no curve to see.
_LEAST = 20


@dataclass(frozen=True)
class Curve:
    """The argument along which answers are drawn, over the range in which they are tried.

    Attributes
    ----------
    over : str
        The name of the argument.
    hidden : bool
        Whether the right curve would give the answer away.

    Examples
    --------
    >>> import dptutor as dp
    >>> dp.exercises.get("1.3").curve
    Curve(over='alpha', hidden=False)
    """

    over: str
    hidden: bool = False


@dataclass(frozen=True, eq=False)
class Drawing:
    """A wrong function and where it is wrong.

    Attributes
    ----------
    over, name : str
        The argument along which it is drawn, and the name of the function.
    at : str
        The other arguments, in words.
    x, given : array
        The curve of the learner.
    right : array or None
        The right one, unless it would give the answer away.
    place : int
        Where it breaks a law, or is farthest off.
    law : str
        What is broken there, if anything.

    Examples
    --------
    >>> import dptutor as dp
    >>> wrong = dp.exercises.check("1.3", lambda alpha, mu: 1 - alpha).drawing
    >>> wrong.over, wrong.at, wrong.law
    ('alpha', 'mu = 3.0', '')
    >>> wrong.html.startswith('<figure><img alt="Your tradeoff')
    True
    """

    over: str
    name: str
    at: str
    x: np.ndarray
    given: np.ndarray
    right: np.ndarray | None
    place: int
    law: str

    @property
    def words(self) -> str:
        """What the picture shows.

        Examples
        --------
        >>> import dptutor as dp
        >>> dp.exercises.check("1.3", lambda alpha, mu: 1 - alpha).drawing.words
        'Your tradeoff along alpha at mu = 3.0, and the right one. It is farthest off at alpha = 0.0656.'
        """
        at = f" at {self.at}" if self.at else ""
        beside = ", and the right one" if self.right is not None else ""
        where = f"{self.over} = {shown(self.x[self.place], 3)}"
        law = f" At {where} it breaks a law: {self.law}" if self.law else f" It is farthest off at {where}."
        return f"Your {self.name} along {self.over}{at}{beside}.{law}"

    def plot(self, ax: Any = None) -> Any:
        """The picture as matplotlib Axes, of its own if none are given.

        Examples
        --------
        >>> import dptutor as dp
        >>> ax = dp.exercises.check("1.3", lambda alpha, mu: 1 - alpha).drawing.plot()
        >>> [text.get_text() for text in ax.get_legend().get_texts()]
        ['yours', 'right', 'farthest off']
        """
        from ... import plots

        label = "breaks a law" if self.law else "farthest off"
        ax = plots.answer(self.x, self.given, self.right, place=self.place, label=label, ax=ax)
        ax.set(xlabel=self.over, ylabel=self.name)
        ax.set_title(shorten(self.at, 60, placeholder=" …"), fontsize="small")
        return ax

    @property
    def html(self) -> str:
        """The picture for a notebook, with its words."""
        from ... import plots

        file = io.BytesIO()
        self.plot(plots.detached()).figure.savefig(file, format="png", dpi=160)
        data = base64.b64encode(file.getvalue()).decode()
        words = escape(self.words)
        return f'<figure><img alt="{words}" width="414" src="data:image/png;base64,{data}"></figure>'


def drawn(exercise: Exercise, answer: Any, outcomes: Sequence[Outcome], call: Call = here) -> Drawing | None:
    """The picture of a wrong function, or None if there is nothing to draw: no curve, no numbers, or too slow.

    `outcomes` are those of the cases that the exercise tries, as `calling.here` gives them.
    """
    curve = exercise.curve
    if curve is None:
        return None
    names = list(inspect.signature(exercise.answer).parameters)
    along = names.index(curve.over)
    found = _farthest(exercise, outcomes)
    if found is None:
        return None
    case, number = found
    tried = [float(other[along]) for other in exercise.tried]
    x = np.linspace(min(tried), max(tried), _POINTS)
    cases = [(*case[:along], float(value), *case[along + 1 :]) for value in x]
    given = np.full(_POINTS, np.nan)
    for place, (kind, result) in _along(exercise, answer, cases, call):
        if kind == "result" and result.size > number:
            given[place] = result[number]
    right = np.array([np.ravel(truth)[number] for truth in exercise.truths(cases)])
    seen = np.isfinite(given) & np.isfinite(right)
    if np.sum(seen) < _LEAST:
        return None
    marked, law = _place(exercise, cases, given, right, seen)
    others = [f"{name} = {short(value)}" for name, value in zip(names, case, strict=True) if name != curve.over]
    words = ", ".join(others)
    return Drawing(
        curve.over, exercise.name, words, x[seen], given[seen], None if curve.hidden else right[seen], marked, law
    )


def _along(exercise: Exercise, answer: Any, cases: Sequence[Case], call: Call) -> list[tuple[int, Outcome]]:
    """Points along the curve and the outcomes there: first a few, and if these are quick, the others."""
    few = range(0, len(cases), 16)
    others = [place for place in range(len(cases)) if place not in few]
    start = monotonic()
    found = list(zip(few, call(answer, [cases[i] for i in few], exercise.shape, _PATIENCE), strict=False))
    if monotonic() - start > _QUICK * len(few):
        return []
    return found + list(zip(others, call(answer, [cases[i] for i in others], exercise.shape, _PATIENCE), strict=False))


def _farthest(exercise: Exercise, outcomes: Sequence[Outcome]) -> tuple[Case, int] | None:
    """The case at which an answer is farthest off, and which of its numbers."""
    worst, found = 0.0, None
    for case, right, (kind, own) in zip(exercise.tried, exercise.truths(), outcomes, strict=False):
        if kind != "result" or own.size != right.size:
            return None
        off = np.abs(own - right)
        if np.max(off) > worst:
            worst, found = float(np.max(off)), (case, int(np.argmax(off)))
    return found


def _place(
    exercise: Exercise, cases: Sequence[Case], given: np.ndarray, right: np.ndarray, seen: np.ndarray
) -> tuple[int, str]:
    """The point to mark, and the law that is broken there, if any."""
    places = np.flatnonzero(seen).tolist()
    off = np.abs(given - right)[places]
    if exercise.truths()[0].size == 1:
        for law in exercise.laws:
            broken = [breach(law, given[[i]], cases[i]) for i in places]
            if any(broken):
                place = max((i for i, words in enumerate(broken) if words), key=lambda i: off[i])
                return place, broken[place] or ""
    return int(np.argmax(off)), ""
