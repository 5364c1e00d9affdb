"""What a class got wrong: how many made which mistake, which chapter to reread, and a slide for each exercise.

The mistakes are those that the checks have recognized (`Result.kind` and `Result.about` of `dptutor.exercises`). A
student counts once for each mistake in an exercise, however often it was handed in. Nothing here quotes an answer:
whoever can put words before the class will.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import NamedTuple

import dptutor as dp
from dptutor.exercises.judging.questions import words
from dptutor.exercises.judging.slips import SLIPS

BOOK = Path(__file__).resolve().parent.parent / "book"
HEAD = ("exercise", "title", "kind", "misconception", "students", "of", "reread")
# What has no name is counted together.
OTHERS = {
    "law": None,  # is named by its reply
    "generic": "Wrong in a way that no reply names.",
    "partly": "Right in some cases, or in some of the numbers, but not in all.",
    "nearly": "Nearly right: the last digits are off.",
    "form": "Nothing to compare: an error, no number, or a call that does not end.",
    "nothing": "Not answered.",
    "judged": None,
    "": "The check did not run.",
}
_CHAPTERS = {slip.reply: slip.chapter for slip in SLIPS if slip.chapter}
STYLE = """
:root { color-scheme: light dark; --bar: #0072b2; --wrong: #d55e00; --pale: #8884; }
html { scroll-snap-type: y mandatory; }
body { font: max(1.1rem, 1.9vw)/1.45 system-ui, sans-serif; margin: 0 auto; max-width: 46em; padding: 0 1rem; }
section { box-sizing: border-box; min-height: 100vh; padding: 2.5rem 0; scroll-snap-align: start; break-after: page; }
h1, h2 { line-height: 1.2; margin: 0 0 .6rem; }
table { border-collapse: collapse; width: 100%; }
th, td { padding: .35rem .8rem .35rem 0; text-align: left; vertical-align: top; }
td.count { white-space: nowrap; width: 11em; }
.bar { background: var(--pale); display: inline-block; height: .7em; margin-right: .5em; width: 6em; }
.bar i { background: var(--wrong); display: block; height: 100%; }
.bar.solved i { background: var(--bar); }
@media print { @page { size: landscape; } body { font-size: 14pt; } section { min-height: 0; } }
"""
# The keys of a presenter turn the slides.
TURN = """
const slides = [...document.querySelectorAll("section")];
const WAYS = { ArrowRight: 1, PageDown: 1, " ": 1, ArrowLeft: -1, PageUp: -1 };
const nearest = () =>
  slides.reduce((best, slide, k) => {
    const far = (one) => Math.abs(one.getBoundingClientRect().top);
    return far(slide) < far(slides[best]) ? k : best;
  }, 0);
addEventListener("keydown", (event) => {
  const way = { ...WAYS, Home: -slides.length, End: slides.length }[event.key];
  if (!way || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  const next = nearest() + (event.shiftKey ? -way : way);
  slides[Math.max(0, Math.min(slides.length - 1, next))].scrollIntoView();
});
"""


class Reply(NamedTuple):
    """What was said to a student's answer."""

    student: str
    exercise: str
    passed: bool
    words: str
    kind: str
    about: str


@dataclass
class Misconception:
    """A mistake, and who made it."""

    kind: str
    words: str
    chapter: int
    students: set[str] = field(default_factory=set)


@dataclass
class Asked:
    """An exercise, who was asked, who solved it, and what was wrong, the most frequent first."""

    id: str
    title: str
    students: set[str] = field(default_factory=set)
    solved: set[str] = field(default_factory=set)
    wrong: list[Misconception] = field(default_factory=list)


def counted(replies: Sequence[Reply]) -> list[Asked]:
    """The exercises that were handed in, in the order of the book."""
    found: dict[str, Asked] = {}
    kept: dict[tuple, Misconception] = {}
    for exercise in dp.exercises.catalogue():
        for reply in (reply for reply in replies if reply.exercise == exercise.id):
            asked = found.setdefault(exercise.id, Asked(exercise.id, exercise.title))
            asked.students.add(reply.student)
            if reply.passed:
                asked.solved.add(reply.student)
                continue
            said = reply.words.removeprefix("✘").strip()
            named = reply.about and reply.kind in ("mistake", "slip", "ignores")
            told = reply.about if named else OTHERS.get(reply.kind) or said
            key = exercise.id, reply.kind, reply.about or told
            if key not in kept:
                kept[key] = Misconception(reply.kind, told, _CHAPTERS.get(reply.about, exercise.chapter))
                asked.wrong.append(kept[key])
            kept[key].students.add(reply.student)
    for asked in found.values():
        asked.wrong.sort(key=lambda one: (-len(one.students), one.words))
    return list(found.values())


def rows(found: list[Asked]) -> list[tuple]:
    """The table of all misconceptions; its columns are `HEAD`."""
    return [
        (asked.id, asked.title, one.kind, one.words, len(one.students), len(asked.students), chapter(one.chapter))
        for asked in found
        for one in asked.wrong
    ]


def chapter(number: int) -> str:
    """A chapter by its title, which carries its number."""
    (path,) = BOOK.glob(f"{number:02}_*.md")
    lines = path.read_text(encoding="utf-8").splitlines()
    return next(line.removeprefix("# ") for line in lines if line.startswith("# "))


def page(found: list[Asked]) -> str:
    """A page for a lecture hall: what to come back to, then a slide for each exercise. It names nobody."""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>What the class got wrong</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{STYLE}</style></head><body><main>'
        f"{_summary(found)}{''.join(map(_slide, found))}</main><script>{TURN}</script></body></html>\n"
    )


def _summary(found: list[Asked]) -> str:
    named = ("mistake", "slip", "law", "ignores")
    lines = [(one, asked) for asked in found for one in asked.wrong if one.kind in named]
    lines.sort(key=lambda line: -len(line[0].students) / len(line[1].students))
    body = "".join(
        f'<tr><td class="count">{_bar(one.students, asked.students)}</td><td><a href="#e-{asked.id}">{asked.id}</a> '
        f"{words(one.words)}</td><td>{escape(chapter(one.chapter))}</td></tr>"
        for one, asked in lines[:8]
    )
    table = f"<table><tr><th>students</th><th>mistake</th><th>reread chapter</th></tr>{body}</table>"
    solved = sum(len(asked.solved) for asked in found)
    total = sum(len(asked.students) for asked in found)
    return (
        f"<section><h1>What the class got wrong</h1><p>{solved} of {total} answers to {len(found)} exercises are right."
        f"{' The most frequent mistakes:' if lines else ''}</p>{table if lines else ''}</section>"
    )


def _slide(asked: Asked) -> str:
    body = "".join(
        f'<tr><td class="count">{_bar(one.students, asked.students)}</td><td>{words(one.words)}</td>'
        f"<td>{escape(chapter(one.chapter))}</td></tr>"
        for one in asked.wrong
    )
    table = f"<table><tr><th>students</th><th>mistake</th><th>reread chapter</th></tr>{body}</table>"
    return (
        f'<section id="e-{asked.id}"><h2>{asked.id} {words(asked.title)}</h2>'
        f"<p>{_bar(asked.solved, asked.students, 'solved')} solved it</p>{table if asked.wrong else ''}</section>"
    )


def _bar(part: set, whole: set, look: str = "") -> str:
    share = 100 * len(part) / len(whole)
    return (
        f'<span class="bar {look}" aria-hidden="true"><i style="width:{share:.0f}%"></i></span>'
        f"{len(part)} of {len(whole)}"
    )
