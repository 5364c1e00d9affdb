"""The notebooks of a class: masters with answers, and handouts without."""

import re

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from dptutor.exercises.judging.questions import listed
from dptutor.exercises.renumbering import MARK, NUMBERING, numbering, present
from notebooks import KERNEL, SETUP

from . import secrets

# What stands in a handout where the master has the answer; nbgrader puts there what its configuration says.
IN_PLACE = "# Your answer goes into the stub above, in place of the dots."
TASK = (
    "Write your answers into the stubs and run the checks below them: they tell you which mistake it looks like. A "
    "check is worth its points when it passes; you may try as often as you like. Without the `#`, `dp.exercises.hint` "
    "gives one hint more each time. After a restart of the kernel, run the first cells again.\n\nA check also records "
    "in this notebook the values that it judged. Hand in the notebook as it is then, with the outputs of its cells."
)
OWN = "The numbers are your own. Copy the functions from the exercises, if you have written them there."

# Names that assignments had before their chapters were renumbered.
ONCE = {"14_exercises": "20_exercises"}


def graded(grade: bool, name: str, points: int = 0) -> dict:
    """The metadata by which nbgrader knows a cell, and Jupyter that those below run although this one has failed."""
    own = {"grade": grade, "grade_id": name, "locked": grade, "schema_version": 3, "solution": not grade, "task": False}
    known = {"deletable": False, "nbgrader": own, "tags": ["raises-exception"]}
    if grade:
        return known | {"editable": False, "nbgrader": own | {"points": points}}
    return known


def setup(wheel: str) -> str:
    """The first cell of a handout, which fetches the library where it is not installed."""
    return SETUP.replace("%pip install -q dptutor", f"%pip install -q {wheel}")


def master(name: str, title: str, exercises: list, wheel: str, student: str = "", code: str = "", own: bool = False):
    """A notebook with stub, answer and check for every exercise; with a code, in the numbers of a student."""
    cells = [
        new_markdown_cell(f"# {title}\n\n{TASK}" + (f" {OWN}" if own else "")),
        new_code_cell(setup(wheel), metadata={"tags": ["remove-cell"], "slideshow": {"slide_type": "skip"}}),
        new_code_cell("import dptutor as dp"),
        new_code_cell(hand_in(student, code), metadata={"dptutor": "student"}),
    ]
    for exercise in exercises:
        asked = exercise.variant(code) if own else exercise
        stub, solution = (_with_case(program, code) for program in (asked.stub, asked.solution))
        mark = exercise.id.replace(".", "-")
        points = f"{exercise.points} point{'s' if exercise.points > 1 else ''}"
        cells += [
            new_markdown_cell(f"## {exercise.id} {exercise.title}\n\n{asked.question}{listed(asked)}\n\n*{points}*"),
            new_code_cell(
                f"{stub.strip()}\n\n### BEGIN SOLUTION\n{solution.strip()}\n### END SOLUTION",
                metadata=graded(False, f"answer-{mark}"),
            ),
            new_code_cell(
                f"reply = {checked(exercise.id, asked.name, own)}\nreply.insist()",
                metadata=graded(True, f"check-{mark}", exercise.points),
            ),
            new_code_cell(f'# dp.exercises.hint("{exercise.id}")'),
        ]
    for number, cell in enumerate(cells):
        cell["id"] = f"{name.replace('_', '-')}-{number}"
    made = {"kernelspec": KERNEL, "language_info": {"name": "python"}, "dptutor": about(name)}
    return new_notebook(cells=cells, metadata=made)


def about(name: str) -> dict:
    """What the metadata of a notebook say of it."""
    return {"assignment": name, MARK: NUMBERING}


def hand_in(student: str, code: str) -> str:
    """The cell that says whose notebook it is."""
    if not code:
        return f"hand_in = dp.exercises.HandIn(numbering={NUMBERING})"
    said = "# Your numbers and points follow from your code; it is yours alone."
    return f"{said}\nhand_in = dp.exercises.HandIn({student!r}, {code!r}, numbering={NUMBERING})"


def checked(id: str, name: str, own: bool) -> str:
    """The call that checks an exercise and records its values."""
    return f'hand_in.check("{id}", {name}{", own=True" if own else ""})'


def stub(exercise, code: str) -> str:
    """The cell of a handout that waits for an answer."""
    return f"{_with_case(exercise.stub, code).strip()}\n\n{IN_PLACE}"


def _with_case(program: str, code: str) -> str:
    """A program of the capstone with the student's case."""
    return re.sub(r"(?<=dp\.exercises\.case\()1(?=\))", str(secrets.case_number(code)), program) if code else program


def handout(notebook):
    """A master without its answers."""
    made = nbformat.from_dict(notebook)
    for cell in made.cells:
        cell.source = re.sub(r"### BEGIN SOLUTION\n.*### END SOLUTION", IN_PLACE, cell.source, flags=re.S)
    return made


def exercises_of(notebook) -> list[tuple[str, int, bool]]:
    """Present number and points of each exercise of a master, and whether its numbers are the student's own."""
    found, own = [], numbering_of(notebook)
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("grade"):
            number = cell.metadata.nbgrader.grade_id.removeprefix("check-").replace("-", ".")
            found.append((present(number, own), cell.metadata.nbgrader.points, "own=True" in cell.source))
    return found


def numbering_of(notebook, otherwise: int = 1) -> int:
    """The numbering of the exercises of a notebook; `otherwise`, where its metadata are not ours."""
    own = notebook.get("metadata")
    own = own.get("dptutor") if isinstance(own, dict) else None
    return numbering(own) if isinstance(own, dict) else otherwise


def named(name: str, numbering: int) -> str:
    """The present name of an assignment."""
    return ONCE.get(name, name) if numbering < NUMBERING else name
