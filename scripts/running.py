"""A Sphinx extension: a page whose words alone have changed is not run again.

What the code of a page printed and drew, and the values that its text quotes, are kept in a file, in the user's cache.
They are used again as long as the page has the same code, the files it names (`Path("benchmark.json")`) have the same
content, and so has what else code depends on, the library and its packages, the foundation of a build
(scripts/book.py). Code that looks for files is run each time.
"""

import copy
import hashlib
import json
import re
from functools import cache
from pathlib import Path

import myst_nb.sphinx_
import nbformat
from myst_nb.core.execute import create_client
from myst_nb.core.execute.inline import NotebookClientInline

from book import FOUNDATION
from content import RUNS, digest

foundation = cache(lambda: digest(*FOUNDATION))


def setup(app):
    # The parser of pages has no other place where a way to run them may be named.
    myst_nb.sphinx_.create_client = client
    return {"version": "1", "parallel_read_safe": True}


def client(notebook, source, nb_config, logger, read_fmt=None):
    """What runs a page, or says what its run gave."""
    made = create_client(notebook, source, nb_config, logger, read_fmt)
    return KeptRun(notebook, Path(source), nb_config, logger) if type(made) is NotebookClientInline else made


class KeptRun(NotebookClientInline):
    """Runs a page cell by cell, as far as they are shown, or gives what is kept of its last run."""

    def start_client(self):
        self._key = key(self.notebook.cells, self.path.parent)
        self._file = RUNS / f"{self.path.stem}-{self._key}.json"
        self._kept = json.loads(self._file.read_text(encoding="utf-8")) if self._key and self._file.is_file() else None
        self._values = {}
        if self._kept is None:
            super().start_client()
        else:
            self._file.touch()
            self.notebook.metadata.update(nbformat.from_dict(self._kept["metadata"]))
            self._last_cell_executed, self._cell_error = -1, None

    def code_cell_outputs(self, cell_index):
        if self._kept and cell_index >= len(self._kept["cells"]):  # shown now, and not in the run that is kept
            self._run_after_all()
        if self._kept is None:
            return super().code_cell_outputs(cell_index)
        for place in range(self._last_cell_executed + 1, cell_index + 1):
            self.notebook.cells[place].update(nbformat.from_dict(self._kept["cells"][place]))
        self._last_cell_executed = max(self._last_cell_executed, cell_index)
        cell = self.notebook.cells[cell_index]
        return cell.get("execution_count"), cell.get("outputs", [])

    def eval_variable(self, name):
        wanted = f"{self._last_cell_executed} {name}"
        if self._kept and wanted not in self._kept["values"]:
            self._run_after_all()
        if self._kept:
            return [nbformat.from_dict(output) for output in self._kept["values"][wanted]]
        self._values[wanted] = copy.deepcopy(found := super().eval_variable(name))
        return found

    def _run_after_all(self):
        shown, self._values, self._kept = self._last_cell_executed, self._kept["values"], None
        super().start_client()
        if shown >= 0:
            super().code_cell_outputs(shown)

    def finalise_client(self):
        if self._kept is None:
            super().finalise_client()

    def close_client(self, exc_type, exc_val, exc_tb):
        if self._kept is not None:
            return
        super().close_client(exc_type, exc_val, exc_tb)
        if self._key and exc_type is None and self._cell_error is None:
            cells = self.notebook.cells[: self._last_cell_executed + 1]
            run = {
                "metadata": {name: self.notebook.metadata[name] for name in ("language_info", "widgets")
                             if name in self.notebook.metadata},
                "cells": [{name: cell[name] for name in ("execution_count", "outputs") if name in cell}
                          for cell in cells],
                "values": self._values,
            }  # fmt: skip
            RUNS.mkdir(parents=True, exist_ok=True)
            written = self._file.with_suffix(".new")
            written.write_text(json.dumps(run), encoding="utf-8")
            written.replace(self._file)  # never a file half written


def key(cells, folder):
    """A digest of the code of a page and of the files that it names; nothing, if it looks for files."""
    code = [cell.source for cell in cells if cell.cell_type == "code"]
    text = "\n".join(code)
    if "glob(" in text:
        return ""
    files = [folder / name for name in re.findall(r"""Path\(["']([^"']+)["']\)""", text)]
    contents = [file.read_bytes().hex() for file in files if file.is_file()]
    # Where the cells stand among the words does not matter, but a value is kept by the cell before it.
    places = [place for place, cell in enumerate(cells) if cell.cell_type == "code"]
    return hashlib.sha256(json.dumps([foundation(), code, places, contents]).encode()).hexdigest()[:32]
