"""Tables that a spreadsheet opens: no cell is a formula, whoever wrote it."""

import csv
import os
import re
import tempfile
from pathlib import Path

# With these a spreadsheet takes a cell for a formula, also behind what it ignores.
_FORMULA = re.compile(r"[\s\x00-\x20\u200b-\u200f\ufeff\u2060]*[=+\-@\uff1d\uff0b\uff0d\uff20\u2212]")
_LONGEST = 2000


def cell(value):
    """A value as a cell: text is one line, and what could be a formula begins with an apostrophe."""
    if not isinstance(value, str):
        return value
    text = " ".join(value.encode("utf-8", "backslashreplace").decode("utf-8").replace("\0", " ").split())[:_LONGEST]
    return f"'{text}" if _FORMULA.match(text) else text


def write(path: Path, head, rows):
    """Writes a table, whole or not at all."""
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", newline="", dir=path.parent, prefix=".table-", delete=False
    ) as file:
        csv.writer(file).writerows([list(map(cell, row)) for row in [head, *rows]])
    os.replace(file.name, path)


def read(path: Path) -> list[dict[str, str]]:
    """The rows of a table that was written here, perhaps stored again by a spreadsheet."""
    text = path.read_text(encoding="utf-8-sig", errors="replace")
    head = text.partition("\n")[0]
    return [*csv.DictReader(text.splitlines(), delimiter=";" if ";" in head else ",")]
