"""Questions that a page judges by itself, without a kernel: a number to type, or a choice.

A `Question` is an exercise whose answer is one number; with `options` it is the number of one of them. Whatever the
page needs to judge it (what is right and how nearly, the mistakes and their replies) is worked out by Python when
the page is built, so that `dp.exercises.check` and the page cannot disagree. In the page it is stored in base64: a look
at the source does not spoil the question.
"""

from __future__ import annotations

import base64
import itertools
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from importlib.resources import files
from typing import Any

import numpy as np

from ...formulas import worded
from .calling import Case, numbers
from .core import Exercise, Mistake
from .matching import Matching
from .results import Reply
from .slips import told_apart

# Numbers the sheets of a notebook, which need different names.
_sheets = itertools.count()


@dataclass(frozen=True)
class Within:
    """A law that a page can check: a number outside [least, most] is answered by `reply`."""

    least: float
    most: float
    reply: str

    def __call__(self, result: np.ndarray, *case: object) -> str | None:
        return None if self.least <= result[0] <= self.most else self.reply


PROBABILITY = Within(0, 1, "A probability lies between 0 and 1; in percent, write the sign %.")


def in_percent(probability: float) -> Mistake:
    """The mistake of leaving out the sign %."""
    return Mistake(100 * probability, "This is the right number of percent. Write the sign %, or a number from 0 to 1.")


# How closely a number agrees with a mistake, or with a slip that anybody could make anywhere, relative to it. Within a
# coarse tolerance other numbers lie near a slip, too.
_MISTAKE, _SLIP = 0.1, 0.005

_ROUNDED = "This is right as far as it goes, but it is rounded too much. Give the digits that the question asks for."


@dataclass(frozen=True, kw_only=True)
class Question(Exercise):
    """A warm-up whose answer is one number, or the number of one of `options`; laws are each a `Within`.

    Other parameters are those of `Exercise`.

    Parameters
    ----------
    options : tuple of str
        Statements to choose from; none, if a number is asked for.

    Examples
    --------
    >>> import dptutor as dp
    >>> question = dp.exercises.questions(chapter=1).questions[0]
    >>> question.grade, question.check(question.answer).passed
    ('warm-up', True)
    """

    grade: str = "warm-up"
    name: str = "answer"
    stub: str = "answer = ...\n"
    options: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.options:  # any other number than the right one and the mistakes is not in the list
            reply = f"Give the number of one of the statements, from 1 to {len(self.options)}."
            object.__setattr__(self, "laws", (lambda result: reply,))
            object.__setattr__(self, "stub", "answer = ...  # the number of one of them\n")

    @cached_property
    def _slips(self) -> list[tuple[float, str]]:
        """The slips that are distinct from the right answer and from all mistakes."""
        if self.options:
            return []
        right, taken = float(self.answer), [float(numbers(mistake.answer)[0]) for mistake in self.mistakes]
        share = any(isinstance(law, Within) and law.most <= 1 for law in self.laws)
        slips = told_apart(right, taken, lambda a, b: abs(a - b) <= 2 * self.tolerance, share)
        for digits in range(3):
            rough = float(f"{right:.{digits}e}")
            # It is the right number with too few digits, and nothing else that has a reply.
            if self.tolerance < abs(rough - right) <= 0.02 * abs(right) and not any(
                abs(rough - wrong) <= self.tolerance for wrong in (*taken, *(wrong for wrong, _ in slips))
            ):
                slips.append((rough, _ROUNDED))
        return slips

    def _near(self, other: float, share: float = _MISTAKE) -> float:
        """How close a number is that is taken for `other`; small ones must agree more closely, or anything would."""
        return min(self.tolerance, share * abs(other)) if other else self.tolerance

    def _compared(self, cases: Sequence[Case], given: list[np.ndarray]) -> Reply | None:
        return _AsThePage(self, cases, given).reply()

    @property
    def data(self) -> dict[str, Any]:
        """What a page has to know to judge an answer as `check` does.

        Examples
        --------
        >>> import dptutor as dp
        >>> sorted(dp.exercises.questions(chapter=1).questions[0].data)
        ['code', 'laws', 'mistakes', 'praise', 'right', 'tolerance', 'why']
        """
        mistakes = [(float(numbers(mistake.answer)[0]), mistake.reply, _MISTAKE) for mistake in self.mistakes]
        mistakes += [(wrong, reply, _SLIP) for wrong, reply in self._slips]
        return {
            "right": float(self.answer),
            "tolerance": self._near(float(self.answer)),
            "praise": words(self.praise),
            "mistakes": [[wrong, words(reply), self._near(wrong, share)] for wrong, reply, share in mistakes],
            "laws": [
                [_finite(law.least), _finite(law.most), words(law.reply)]
                for law in self.laws
                if isinstance(law, Within)
            ],
            "why": words(self.explanation),
            "code": self.solution.strip(),
        }


class _AsThePage(Matching):
    """A number compared as the page does it."""

    exercise: Question

    def _agrees(self, wanted: list[np.ndarray], within: float = 0.0) -> bool:
        return super()._agrees(wanted, within) and self._like(float(wanted[0][0]))

    def _like(self, other: float, share: float = _MISTAKE) -> bool:
        (own,) = self.given
        return own.size == 1 and bool(abs(own[0] - other) <= self.exercise._near(other, share))

    def _slip(self) -> str | None:
        return next((reply for wrong, reply in self.exercise._slips if self._like(wrong, _SLIP)), None)

    def _nearly(self) -> str | None:
        return None


class Sheet:
    """The questions of a chapter, as a piece of HTML that the book and notebooks show."""

    def __init__(self, questions: Sequence[Question]):
        self.questions = tuple(questions)

    @cached_property
    def html(self) -> str:
        """The piece of a page: questions, hints, and the script that judges."""
        return self._html(f"dpq-{next(_sheets)}")

    def _html(self, prefix: str) -> str:
        count = len(self.questions)
        return (
            '<section class="dptutor-questions" aria-label="Questions to answer on this page">'
            f"<style data-shared>{_resource('questions.css')}</style>"
            '<div class="dpq-head" hidden><svg class="dpq-ring" viewBox="0 0 36 36" aria-hidden="true">'
            '<circle cx="18" cy="18" r="15"/><circle cx="18" cy="18" r="15" pathLength="1"/></svg>'
            f'<p class="dpq-count" role="status">0 of {count} answered</p>'
            '<button type="button" class="dpq-erase" hidden>Erase my answers</button></div>'
            '<p class="dpq-note" hidden>Answer here. A number may be written as 0.25, 1/4, 25% or exp(-1). '
            "Your answers stay in this browser.</p>"
            '<p class="dpq-silent">Without JavaScript nothing is judged on this page. The exercise notebook asks the '
            "same questions.</p>"
            f"{''.join(_form(q, f'{prefix}-{place}') for place, q in enumerate(self.questions))}</section>"
            f'<script type="module" data-shared="script">{_resource("numerals.js", "dptutor.explore.machinery")}'
            f"{_resource('shelf.js', 'dptutor.explore.machinery')}{_resource('questions.js')}</script>"
        )

    @property
    def page(self) -> str:
        """A whole page with nothing else on it."""
        return (
            '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>Questions</title>'
            '<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">'
            "<style>html{color-scheme:light dark}body{font-family:system-ui,sans-serif;margin:1rem auto;"
            "max-width:44rem;padding:0 1rem}</style></head>"
            f"<body><main><h1>Questions</h1><h2>Exercises</h2><h3>Warm-up</h3>{self._html('dpq')}</main></body></html>\n"
        )

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return "\n\n".join(f"{q.id} {q.title}\n{q.question}{listed(q)}" for q in self.questions)


def words(text: str) -> str:
    """A text of an exercise as HTML; what stands between backticks is code, between dollars a formula."""
    parts = text.split("`")
    parts[::2] = [worded(part) for part in parts[::2]]
    parts[1::2] = [f"<code>{escape(part)}</code>" for part in parts[1::2]]
    return "".join(parts)


def listed(exercise: Exercise) -> str:
    """The options of a choice, numbered, as Markdown below the question; nothing for other exercises."""
    options = getattr(exercise, "options", ())
    return "\n".join(["\n", *(f"{number}. {option}" for number, option in enumerate(options, 1))]) if options else ""


def _form(question: Question, name: str) -> str:
    check = '<button type="submit">Check</button>'
    if question.options:
        options = "".join(
            f'<label><input type="radio" name="{name}" value="{number}"> <span>{words(option)}</span></label>'
            for number, option in enumerate(question.options, 1)
        )
        entry = (
            f'<fieldset aria-describedby="{name}-asked"><legend class="dpq-unseen">Your choice</legend>{options}'
            f'</fieldset><p class="dpq-entry" hidden>{check}</p>'
        )
    else:
        entry = (
            f'<p class="dpq-entry" hidden><label for="{name}">Your answer</label> <input id="{name}" type="text" '
            f'maxlength="80" autocomplete="off" autocapitalize="off" spellcheck="false" '
            f'aria-describedby="{name}-asked"> {check}</p>'
        )
    hints = "".join(
        f'<details class="dpq-hint"><summary>Hint {number} of 3</summary><p>{words(hint)}</p></details>'
        for number, hint in enumerate(question.hints, 1)
    )
    data = base64.b64encode(json.dumps(question.data).encode()).decode()
    return (
        f'<form class="dpq-question" data-question="{escape(question.id)}" novalidate>'
        f"<h4>{escape(question.id)} {escape(question.title)}</h4>"
        f'<p id="{name}-asked">{words(question.question)}</p>{entry}'
        f'<div class="dpq-reply" role="status" aria-live="polite"></div>{hints}'
        '<button type="button" class="dpq-show" aria-expanded="false" hidden>Show the worked answer</button>'
        '<div class="dpq-worked" hidden></div>'
        f'<script type="text/plain" class="dpq-data">{data}</script></form>'
    )


def _finite(limit: float) -> float | None:
    return limit if math.isfinite(limit) else None  # JSON knows no infinity


def _resource(name: str, package: str = __package__) -> str:
    return files(package).joinpath(name).read_text(encoding="utf-8")
