"""The folder of a course: handouts, masters, the key and the secret."""

import shutil
import tempfile
import zipfile
from pathlib import Path

import nbformat
import numpy as np

import dptutor as dp

from . import assignments, exam, secrets, tables, wheels
from .errors import Refused
from .roster import Student

PATIENCE = 60  # seconds for a cell, of nbgrader
CONFIG = f"""c = get_config()
c.CourseDirectory.course_id = "COURSE"
c.ClearSolutions.code_stub = {{"python": {assignments.IN_PLACE!r}}}
c.Execute.timeout = {PATIENCE}
"""
README = """# How to work with these notebooks

You need Python 3.11 or newer. In the folder of this file:

    python3 -m venv dp-env
    dp-env/bin/python -m pip install jupyterlab {wheel}
    dp-env/bin/jupyter lab

On Windows the programs are `dp-env\\Scripts\\python` and `dp-env\\Scripts\\jupyter`.{hosted}

{whose}Fill in the stubs and run the checks. A check replies at once, and records in the notebook the values that
it judged. So before you hand in: run all cells once, save, and hand in the `.ipynb` file with its outputs, under the
name that it has. What your programs print is not read, and nobody runs them, as long as the values are there.
"""


def pack(
    folder: Path,
    students: list[Student],
    chapters: list[int] = (),
    secret: str | None = None,
    wheel: str = "",
    examined: bool = False,
):
    """Makes the folder of a course, whole or not at all."""
    known = sorted({exercise.chapter for exercise in dp.exercises.catalogue()})
    if unknown := [chapter for chapter in chapters if chapter not in known]:
        raise Refused(f"there is no chapter {unknown[0]}: chapters with exercises are {', '.join(map(str, known))}")
    if folder.exists():
        raise Refused(f"{folder} already exists: choose a new folder, or move this one")
    if examined and not students:
        raise Refused("an examination needs a roster: every student gets a case")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    except OSError as error:
        raise Refused(f"cannot write to {folder.parent}: {error.strerror}") from None
    secret = secret or secrets.drawn()
    try:
        # Names and answers are for no repository.
        (made / ".gitignore").write_text("*\n", encoding="utf-8")
        (made / secrets.FILE).write_text(f"{secret}\n", encoding="utf-8")
        (made / secrets.FILE).chmod(0o600)
        (made / "nbgrader_config.py").write_text(CONFIG.replace('"COURSE"', repr(folder.name)), encoding="utf-8")
        _fill(made, students, sorted({*chapters}) or known, secret, wheel)
        if examined:
            exam.pack(made, students, secret, wheel or wheels.name())
        for student in students:
            _zip(made / "students" / student.folder)
        made.chmod(0o755)
        made.rename(folder)
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _fill(made: Path, students: list[Student], chapters: list[int], secret: str, wheel: str):
    (made / "handout").mkdir()
    (made / "submitted").mkdir()
    file = wheels.write(made / "handout").name
    hosted = f" On Colab the first cell fetches the library from {wheel}." if wheel else (
        f" On Colab, upload `{file}` beside the notebook first."
    )  # fmt: skip
    whose = "The notebooks in the ZIP file that you get are yours alone: unpack it here. " if students else ""
    (made / "handout" / "README.md").write_text(README.format(wheel=file, hosted=hosted, whose=whose), encoding="utf-8")
    key = []
    for chapter in chapters:
        exercises = dp.exercises.catalogue(chapter)
        name, title = f"{chapter:02}_exercises", f"Exercises of chapter {chapter}"
        whole = assignments.master(name, title, exercises, wheel or file)
        write(whole, made / "source" / name / f"{name}.ipynb")
        write(assignments.handout(whole), made / "handout" / f"{name}.ipynb")
        for student in students:
            code = secrets.code(secret, student.id)
            own = assignments.master(name, f"{title}: {student.name}", exercises, wheel or file, student.id, code)
            write(assignments.handout(own), made / "students" / student.folder / f"{name}.ipynb")
        varying = [exercise for exercise in exercises if exercise.draw]
        if students and varying:
            key += _own(made, chapter, varying, students, secret, wheel or file)
    if students:
        tables.write(made / "roster.csv", ("id", "name", "email"), [(s.id, s.name, s.email) for s in students])
        head = ("student", "assignment", "exercise", "asked", "answer", "points")
        tables.write(made / "key.csv", head, sorted(key))


def _own(made: Path, chapter: int, varying: list, students: list[Student], secret: str, wheel: str):
    """Writes the notebooks with own numbers; the rows of the key."""
    name, title = f"{chapter:02}_own", f"Chapter {chapter}, with your own numbers"
    teacher = assignments.master(name, title, varying, wheel, "teacher", secrets.code(secret, "teacher"), own=True)
    write(teacher, made / "source" / name / f"{name}.ipynb")
    for student in students:
        code = secrets.code(secret, student.id)
        own = assignments.master(name, f"{title}: {student.name}", varying, wheel, student.id, code, own=True)
        write(assignments.handout(own), made / "students" / student.folder / f"{name}.ipynb")
        for exercise in varying:
            asked = exercise.variant(code)
            call = asked.stub.rstrip().splitlines()[-1].split(" = ", 1)[1]
            answer = ", ".join(f"{x:.6g}" for x in np.ravel(asked.answer))
            yield student.id, name, exercise.id, call, answer, exercise.points


def _zip(folder: Path):
    """A student's folder as one file to send, beside it; the same whenever it is made."""
    with zipfile.ZipFile(folder.with_name(f"{folder.name}.zip"), "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.iterdir()):
            archive.writestr(zipfile.ZipInfo(f"{folder.name}/{path.name}"), path.read_bytes())


def write(notebook, path: Path):
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, path)
