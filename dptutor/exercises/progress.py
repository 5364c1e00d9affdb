"""What a learner has done, kept in a file beside the notebook that can be read, copied and deleted."""

from __future__ import annotations

import contextlib
import json
from html import escape
from pathlib import Path

FILE = Path("progress-dptutor.json")


class Progress:
    """Tries, hints and passes by exercise. The file is plain JSON; what cannot be written is kept in memory.

    Parameters
    ----------
    path : path

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from dptutor.exercises.progress import Progress
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     mine = Progress(Path(folder) / "progress.json")
    ...     _ = mine.note("1.3", tries=1, passed=True)
    ...     print(mine.records)
    ...     print(mine.export(Path(folder) / "copy.json").name)
    ...     mine.erase()
    {'1.3': {'hints': 0, 'passed': True, 'saw_solution': False, 'tries': 1}}
    copy.json
    """

    def __init__(self, path: Path = FILE):
        self.path = Path(path)
        self._kept: dict = {}

    @property
    def records(self) -> dict[str, dict]:
        """What is known of every exercise that was tried, by its number."""
        try:
            found = json.loads(self.path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return dict(self._kept)
        return found if isinstance(found, dict) else {}

    def note(self, id: str, **changes) -> dict:
        """Changes an exercise's record: numbers are added, True stays True."""
        records = self.records
        record = {"tries": 0, "hints": 0, "passed": False, "saw_solution": False} | records.get(id, {})
        for key, change in changes.items():
            record[key] = record[key] or change if isinstance(change, bool) else record[key] + change
        self._write(records | {id: record})
        return record

    def export(self, path) -> Path:
        """Writes a copy, to hand in or to take along."""
        path = Path(path)
        path.write_text(json.dumps(self.records, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        return path

    def erase(self):
        """Forgets everything, and deletes the file."""
        self._kept = {}
        self.path.unlink(missing_ok=True)

    def _write(self, records: dict):
        self._kept = records
        with contextlib.suppress(OSError):  # a folder that is not ours to write to
            self.path.write_text(json.dumps(records, indent=1, sort_keys=True) + "\n", encoding="utf-8")

    def _rows(self):
        from . import catalogue

        records = self.records
        for exercise in catalogue():
            record = records.get(exercise.id, {})
            state = "✔ solved" if record.get("passed") else "tried" if record.get("tries") else "–"
            yield exercise.id, exercise.title, exercise.grade, state, record.get("tries", 0), record.get("hints", 0)

    def __repr__(self) -> str:
        rows = [("", "exercise", "grade", "state", "tries", "hints"), *self._rows()]
        lines = [
            f"{i:<5}{title:<44}{grade:<9}{state:<10}{tries:>6}{hints:>6}"
            for i, title, grade, state, tries, hints in rows
        ]
        return "\n".join([*lines, f"kept in {self.path}"])

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{name}</th>" for name in ("", "exercise", "grade", "state", "tries", "hints"))
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in self._rows()
        )
        return f"<table><tr>{head}</tr>{body}</table><p>kept in <code>{escape(str(self.path))}</code></p>"
