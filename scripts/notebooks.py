"""Writes the exercise notebooks from the catalogue of exercises, and stores every notebook anew after a run.

    .venv/bin/python scripts/notebooks.py                 # all
    .venv/bin/python scripts/notebooks.py 07_lecture      # one

What is stored is what a run from top to bottom gives; the tests repeat the run and compare.
"""

import hashlib
import itertools
import json
import os
import re
import sys
import tempfile
from copy import deepcopy
from pathlib import Path

import nbformat
from nbconvert.preprocessors import ExecutePreprocessor
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

import dptutor as dp
from dptutor.exercises.judging.questions import listed
from exercising import GRADES

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = ROOT / "notebooks"
# What a notebook runs first: where it comes without the library, it fetches it; elsewhere this does nothing.
SETUP = """\
import sys

if "google.colab" in sys.modules or sys.platform == "emscripten":  # Colab, JupyterLite
    %pip install -q dptutor
if "google.colab" in sys.modules:
    from google.colab import output

    output.enable_custom_widget_manager()"""
ASKED = re.compile(r"\*[^*]+\?\*")  # *a question to the room*
FOLDED = {
    "jupyter": {"outputs_hidden": True},
    "tags": ["hide-output"],
    "mystnb": {"code_prompt_show": "Show the answer", "code_prompt_hide": "Hide the answer"},
}
# On no page and no slide.
UNSEEN = {"tags": ["remove-cell"], "slideshow": {"slide_type": "skip"}}
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}


def setup_cell():
    """The cell that makes a notebook run anywhere."""
    return new_code_cell(SETUP, metadata=deepcopy(UNSEEN))


def chapter_page(chapter: int):
    return next((ROOT / "book").glob(f"{chapter:02}_*.md")).read_text(encoding="utf-8")


def note_cell(chapter: int):
    """Tells readers of a notebook what of the chapter it has not."""
    kinds = " and ".join(f"*{kind}*" for kind in re.findall("^### (Sketch|Argue)$", chapter_page(chapter), re.M))
    note = (
        f"Only the book has the text of this chapter, its questions and the exercises under {kinds}; in a copy of the "
        f"book, `make book` opens it. `{chapter:02}_lecture.ipynb` is the lecture, and `{chapter:02}_exercises.ipynb` "
        "has the other exercises."
    )
    return new_markdown_cell(note, metadata=deepcopy(UNSEEN))


def with_setup(notebook, chapter: int):
    """The notebook whose first code cell is that one, and no other is, after the note."""
    notebook.cells = [cell for cell in notebook.cells if "remove-cell" not in cell.metadata.get("tags", [])]
    first = next(number for number, cell in enumerate(notebook.cells) if cell.cell_type == "code")
    notebook.cells[first:first] = [note_cell(chapter), setup_cell()]
    return notebook


def code_digest(notebook):
    """What stands for a notebook's code; where it says `ran` in the metadata, its outputs are those of that code."""
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code" and not is_setup(cell)]
    return hashlib.sha256(json.dumps(code).encode()).hexdigest()


def outputs_digest(notebook):
    """What stands for a notebook's outputs; where its metadata says otherwise, somebody has changed one."""
    outputs = [cell.get("outputs") for cell in notebook.cells]
    return hashlib.sha256(json.dumps(outputs, sort_keys=True).encode()).hexdigest()


def is_setup(cell):
    return "remove-cell" in cell.metadata.get("tags", [])


def fold_answers(notebook):
    """Folds outputs that answer a question of their slide, until the reader opens them; an explorer asks by itself.

    On a page of the book a tag folds them. JupyterLab shows the first line of the first output even so: that is empty.
    """
    asked = False
    for cell in notebook.cells:
        kind = cell.metadata.get("slideshow", {}).get("slide_type")
        asked &= kind not in {"slide", "subslide"}
        asked |= cell.cell_type == "markdown" and bool(ASKED.search(cell.source))
        if asked and kind == "fragment" and cell.cell_type == "code" and cell.outputs:
            cell.metadata |= FOLDED
            cell.outputs.insert(0, new_output("display_data"))
        elif "jupyter" in cell.metadata:
            cell.metadata = {name: value for name, value in cell.metadata.items() if name not in FOLDED}


def exercise_notebook(chapter: int):
    """A stub with its check for every exercise of a chapter."""
    title = next(line[2:] for line in chapter_page(chapter).splitlines() if line.startswith("# "))
    cells = [
        new_markdown_cell(
            f"# Exercises {title}\n\n"
            "Fill in a stub and run its cell: the check tells you which mistake it looks like. Without the `#`, "
            "`dp.exercises.hint` gives one hint more each time, and `dp.exercises.solution` a worked answer. "
            "`dp.exercises.progress()` shows what you have done, as a ring for each chapter; it is kept in a file "
            "beside this notebook, which you may read, copy or delete. After a restart of the kernel, run the first "
            "cells again."
        ),
        new_code_cell("import dptutor as dp"),
    ]
    grade = None
    for exercise in dp.exercises.catalogue(chapter):
        if exercise.grade != grade:
            grade = exercise.grade
            cells.append(new_markdown_cell(GRADES[grade]))
        cells.append(new_markdown_cell(f"### {exercise.id} {exercise.title}\n\n{exercise.question}{listed(exercise)}"))
        check = f'dp.exercises.check("{exercise.id}", {exercise.name})'
        cells.append(new_code_cell(f"{exercise.stub.strip()}\n\n\n{check}"))
        cells.append(new_code_cell(f'# dp.exercises.hint("{exercise.id}")\n# dp.exercises.solution("{exercise.id}")'))
    cells.append(new_markdown_cell("## What you have done\n\nThe ring of the chapter closes with its last exercise."))
    cells.append(new_code_cell("# dp.exercises.progress()"))
    return new_notebook(cells=cells)


def number_cells(notebook, path: Path):
    numbers = itertools.count()
    for cell in notebook.cells:
        note = cell.cell_type == "markdown" and is_setup(cell)
        cell["id"] = f"{path.stem.replace('_', '-')}-{'note' if note else next(numbers)}"


def source(path: Path):
    """A notebook as it is before its run: its exercises are written anew from the catalogue."""
    chapter = int(path.stem[:2])
    made = path.stem.endswith("_exercises")
    return with_setup(exercise_notebook(chapter) if made else nbformat.read(path, 4), chapter)


def executed(notebook, folder):
    """Runs a notebook in a folder, with the kernel of this environment, which says only what goes wrong."""
    os.environ["JUPYTER_PREFER_ENV_PATH"] = "1"
    quiet = {"kernel_name": "python3", "extra_arguments": ["--log-level=ERROR"]}
    run = ExecutePreprocessor(timeout=300, coalesce_streams=True, **quiet)  # one output, however slow
    run.preprocess(notebook, {"metadata": {"path": str(folder)}})


def store(notebook, path: Path):
    """Runs a notebook and writes it with its outputs, without anything that another run would change."""
    notebook.metadata = {"kernelspec": KERNEL, "language_info": {"name": "python"}}
    number_cells(notebook, path)
    with tempfile.TemporaryDirectory() as folder:  # what a run writes is not kept
        executed(notebook, folder)
    notebook.metadata.pop("widgets", None)
    notebook.metadata["language_info"] = {"name": "python"}
    if path.stem.endswith("_lecture"):
        notebook.metadata["ran"] = code_digest(notebook)
        fold_answers(notebook)
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
    notebook.metadata["outputs"] = outputs_digest(notebook)
    nbformat.write(notebook, path)
    print(f"stored {path.name}")


def main(names: list[str]):
    """Writes and stores the notebooks named, or all."""
    made = {f"{exercise.chapter:02}_exercises" for exercise in dp.exercises.catalogue()}
    found = {path.stem for path in NOTEBOOKS.glob("*.ipynb")}
    for name in names or sorted(found | made):
        path = NOTEBOOKS / f"{name}.ipynb"
        store(source(path), path)


if __name__ == "__main__":
    main(sys.argv[1:])
