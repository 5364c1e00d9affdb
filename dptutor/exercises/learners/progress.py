"""What a learner has done, kept in a file beside the notebook that can be read, copied and deleted.

The file is marked with the numbering of its exercises, see `renumbering`.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from ...palette import GREEN
from ..lookup import catalogue
from ..renumbering import MARK, NUMBERING, numbering, present

FILE = Path("progress-dptutor.json")
_NOTHING = {"tries": 0, "hints": 0, "passed": False, "saw_solution": False}
_HEAD = ("", "exercise", "grade", "state", "tries", "hints")


class Progress:
    """Tries, hints and passes by exercise, in a file of plain JSON, or in memory if it cannot be written.

    Parameters
    ----------
    path : path

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from dptutor.exercises.learners.progress import Progress
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     mine = Progress(Path(folder) / "progress.json")
    ...     _ = mine.note("1.3", tries=1, passed=True)
    ...     print(mine.records)
    ...     print(mine.export(Path(folder) / "copy.json").name)
    ...     mine.erase()
    {'1.3': {'tries': 1, 'hints': 0, 'passed': True, 'saw_solution': False}}
    copy.json
    """

    def __init__(self, path: Path = FILE) -> None:
        self.path = Path(path)
        self._kept: dict[str, Any] = {}  # what could not be written

    @property
    def records(self) -> dict[str, dict[str, Any]]:
        """The record of each exercise that was tried, by its number."""
        try:
            found = json.loads(self.path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return dict(self._kept)
        # The learner may have edited the file: it may contain anything.
        return _renumbered(found) if isinstance(found, dict) else {}

    def note(self, id: str, **changes: Any) -> dict[str, Any]:
        """Updates an exercise's record: numbers are added, True stays True."""
        records = self.records
        record = _joined(records.get(id, _NOTHING), changes)
        self._write(records | {id: record})
        return record

    def export(self, path: str | Path) -> Path:
        """Writes a copy, to hand in or to use elsewhere."""
        path = Path(path)
        path.write_text(_text(self.records), encoding="utf-8")
        return path

    def erase(self) -> None:
        """Forgets everything, and deletes the file."""
        self._kept = {}
        self.path.unlink(missing_ok=True)

    def _write(self, records: dict[str, Any]) -> None:
        beside = self.path.with_name(f"{self.path.name}.new")
        self._kept = records
        if self.path.exists() and not self.path.is_file():  # never replace a device or a folder
            return
        with contextlib.suppress(OSError):  # a folder that is not ours to write to
            beside.write_text(_text(records), encoding="utf-8")
            os.replace(beside, self.path)
            self._kept = {}

    def _solved(self) -> dict[int, list[bool]]:
        """For each chapter, which of its exercises are solved."""
        records = self.records
        chapters: dict[int, list[bool]] = {}
        for exercise in catalogue():
            done = records.get(exercise.id, {}).get("passed", False)
            chapters.setdefault(exercise.chapter, []).append(done)
        return chapters

    def _rows(self) -> Iterator[tuple[Any, ...]]:
        records = self.records
        for exercise in catalogue():
            if record := records.get(exercise.id):
                seen = "solution seen" if record["saw_solution"] else "tried" if record["tries"] else "–"
                state = "✔ solved" if record["passed"] else seen
                yield exercise.id, exercise.title, exercise.grade, state, record["tries"], record["hints"]

    def __repr__(self) -> str:
        rings = [
            f"chapter {chapter:<3}{''.join('●' if done else '○' for done in solved):<12}{_count(solved)}"
            for chapter, solved in self._solved().items()
        ]
        lines = [
            f"{i:<5}{title:<44}{grade:<9}{state:<10}{tries:>6}{hints:>6}"
            for i, title, grade, state, tries, hints in (_HEAD, *self._rows())
        ]
        return "\n".join([*rings, "", *(lines[1:] and lines), f"kept in {self.path}"])

    def _repr_html_(self) -> str:
        rings = "".join(_ring(chapter, solved) for chapter, solved in self._solved().items())
        head = "".join(f"<th>{name}</th>" for name in _HEAD)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in self._rows()
        )
        table = f"<table><tr>{head}</tr>{body}</table>" if body else ""
        return f"<div>{rings}</div>{table}<p>kept in <code>{escape(str(self.path))}</code></p>"


def _renumbered(found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The records of a file, by the present numbers of their exercises."""
    records: dict[str, dict[str, Any]] = {}
    for id, record in found.items():
        if _whole(record):
            now = present(id, numbering(found))
            records[now] = _joined(records.get(now, _NOTHING), record)
    return records


def _joined(record: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """A record after changes: numbers are added, True stays True."""
    return record | {
        key: record[key] or change if isinstance(change, bool) else record[key] + change
        for key, change in changes.items()
    }


def _whole(record: object) -> bool:
    """Whether a record has all the fields of one that was written here, with their types."""
    return isinstance(record, dict) and all(type(record.get(key)) is type(value) for key, value in _NOTHING.items())


def _text(records: dict[str, Any]) -> str:
    return json.dumps(records | {MARK: NUMBERING}, indent=1, sort_keys=True) + "\n"


def _count(solved: list[bool]) -> str:
    return f"{sum(solved)} of {len(solved)}"


def _ring(chapter: int, solved: list[bool]) -> str:
    """A ring that fills as the exercises of a chapter are solved, with the chapter's number inside."""
    share = sum(solved) / len(solved)
    words = f"chapter {chapter}: {_count(solved)} solved"
    full = share == 1
    # With pathLength 100 the lengths of dashes are percentages.
    circle = '<circle cx="22" cy="22" r="18" fill="none" stroke-width="5" pathLength="100"'
    arc = f'{circle} stroke="{GREEN}" stroke-dasharray="{100 * share:.1f} 100" transform="rotate(-90 22 22)"/>'
    return (
        f'<svg class="dp-ring" data-chapter="{chapter}" data-full="{str(full).lower()}" role="img" '
        f'aria-label="{words}" width="44" height="44" viewBox="0 0 44 44" style="margin-right:.3em">'
        f'<title>{words}</title>{circle} stroke="#8886"/>{arc if share else ""}'
        f'<text x="22" y="27" text-anchor="middle" font-size="14" fill="currentColor" '
        f'font-weight="{"bold" if full else "normal"}">{chapter}</text></svg>'
    )
