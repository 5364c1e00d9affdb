"""Makes the notebooks of a class, with answers and marks.

    python scripts/teach.py pack FOLDER [--roster FILE] [--chapters 1 2 ...]
    python scripts/teach.py marks FOLDER

`pack` makes a new FOLDER, laid out as a course of nbgrader, which may but need not be used:

    handout/01_exercises.ipynb                  what students get: stubs and checks
    handout/ada/01_own.ipynb                    for each student of the roster, with numbers of the student's own
    key.csv                                     what every student was asked, and the right answer
    source/01_exercises/01_exercises.ipynb      the masters, with answers; of them the handouts are made
    roster.csv, nbgrader_config.py

A roster is a CSV file with the columns id, name and, if you like, email. A right answer has 1 point for a warm-up, 2
for an exercise to think about, 3 for one to build.

`marks` runs what was handed in, submitted/ada/01_own/01_own.ipynb, and writes marks.csv (a row for each student),
replies.csv (a row for each exercise), misconceptions.csv (how many made which mistake, and the chapter to reread), and
class.html with a slide for each exercise (see scripts/misconceptions.py). Checks are those of the master, whatever was
handed in; nothing leaves the machine.
"""

import argparse
import contextlib
import csv
import io
import json
import os
import re
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import nbformat
import numpy as np
from nbclient import NotebookClient
from nbclient.exceptions import DeadKernelError
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

import dptutor as dp
import misconceptions
from notebooks import KERNEL, setup_cell

PATIENCE = 60  # seconds for a cell of what was handed in
# What stands in a handout where the master has the answer; nbgrader puts there what its configuration says.
IN_PLACE = "# Your answer goes into the stub above, in place of the dots."
CONFIG = f"""c = get_config()
c.CourseDirectory.course_id = "COURSE"
c.ClearSolutions.code_stub = {{"python": {IN_PLACE!r}}}
c.Execute.timeout = {PATIENCE}
"""
ASSIGNMENT = (
    "Write your answers into the stubs and run the checks below them: they tell you which mistake it looks like. A "
    "check is worth its points when it passes; you may try as often as you like. Without the `#`, `dp.exercises.hint` "
    "gives one hint more each time."
)
# After each check: of which kind its reply is, and about which mistake.
DIAGNOSIS = """import json
print(json.dumps([getattr(reply, "kind", ""), getattr(reply, "about", "")]))"""
OWN = "The numbers are your own. Copy the functions from the exercises, if you have written them there."


class Refused(Exception):
    """What is wrong with what a teacher gave, in words."""


@dataclass(frozen=True)
class Student:
    id: str
    name: str
    email: str = ""


# The roster.


def roster(path: Path) -> list[Student]:
    """The students of a CSV file; a file with a bad row is refused, and every bad row named."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(f"cannot read the roster {path}: {error}") from None
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    students, wrong, seen = [], [], {}
    columns = None
    while True:
        try:
            row = [field.strip() for field in next(reader)]
        except StopIteration:
            break
        except csv.Error as error:
            wrong.append(f"line {reader.line_num}: {error}")
            continue
        if not any(row):
            continue
        if columns is None:
            columns = [name.lower() for name in row]
            if columns not in (["id", "name"], ["id", "name", "email"]):
                raise Refused(f"{path}, line {reader.line_num}: the first line must be id,name or id,name,email")
            continue
        if why := unfit(row, columns, seen):
            wrong.append(f"line {reader.line_num}: {why}")
            continue
        seen[row[0].lower()] = reader.line_num
        students.append(Student(*row))
    if wrong:
        raise Refused(f"{path} has invalid rows, so nothing was created:\n" + "\n".join(wrong))
    if not students:
        raise Refused(f"{path} lists no students")
    return students


def unfit(row, columns, seen) -> str | None:
    """Why a row of a roster cannot be used."""
    if len(row) != len(columns):
        return f"{len(row)} fields where the first line has {len(columns)}"
    id, name, *email = row
    # It becomes the name of a folder, on any system.
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", id) or id.endswith("."):
        return f"an id has letters, digits, '.', '-' and '_', and begins with a letter or digit; got {id!r}"
    if id.lower() in seen:
        return f"the id {id!r} is that of line {seen[id.lower()]}"
    if not name or not name.isprintable():
        return f"{id!r} has no name that can be printed"
    if email and email[0] and not re.fullmatch(r"[^@\s]+@[^@\s]+", email[0]):
        return f"{email[0]!r} is not an email address"
    return None


# The notebooks.


def kind(grade: bool, name: str, points: int = 0) -> dict:
    """The metadata by which nbgrader knows a cell."""
    own = {"grade": grade, "grade_id": name, "locked": grade, "schema_version": 3, "solution": not grade, "task": False}
    if grade:
        return {"deletable": False, "editable": False, "nbgrader": own | {"points": points}}
    return {"deletable": False, "nbgrader": own}


def master(name: str, title: str, exercises: list, student: str | None = None):
    """A notebook with stub, answer and check for every exercise; with a student, in the student's own numbers."""
    cells = [new_markdown_cell(f"# {title}\n\n{ASSIGNMENT}" + (f" {OWN}" if student else ""))]
    cells += [setup_cell(), new_code_cell("import dptutor as dp")]
    if student:
        cells.append(
            new_code_cell(f"student = {student!r}  # your numbers follow from it", metadata={"dptutor": "student"})
        )
    for exercise in exercises:
        asked = exercise.variant(student) if student else exercise
        mark = exercise.id.replace(".", "-")
        points = f"{exercise.points} point{'s' if exercise.points > 1 else ''}"
        seed = ", seed=student" if student else ""
        cells += [
            new_markdown_cell(f"## {exercise.id} {exercise.title}\n\n{asked.question} ({points})"),
            new_code_cell(
                f"{asked.stub.strip()}\n\n### BEGIN SOLUTION\n{asked.solution.strip()}\n### END SOLUTION",
                metadata=kind(False, f"answer-{mark}"),
            ),
            new_code_cell(
                f'reply = dp.exercises.check("{exercise.id}", {asked.name}{seed})\nassert reply, reply\nprint(reply)',
                metadata=kind(True, f"check-{mark}", exercise.points),
            ),
            new_code_cell(f'# dp.exercises.hint("{exercise.id}")'),
        ]
    for number, cell in enumerate(cells):
        cell["id"] = f"{name.replace('_', '-')}-{number}"
    return new_notebook(cells=cells, metadata={"kernelspec": KERNEL, "language_info": {"name": "python"}})


def handout(notebook):
    """A master without its answers."""
    made = nbformat.from_dict(notebook)
    for cell in made.cells:
        cell.source = re.sub(r"### BEGIN SOLUTION\n.*### END SOLUTION", IN_PLACE, cell.source, flags=re.S)
    return made


def write(notebook, path: Path):
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, path)


def table(path: Path, head, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([head, *rows])


# The course.


def pack(folder: Path, students: list[Student], chapters: list[int]):
    """Makes the folder of a course, whole or not at all."""
    known = sorted({exercise.chapter for exercise in dp.exercises.catalogue()})
    if unknown := [chapter for chapter in chapters if chapter not in known]:
        raise Refused(f"there is no chapter {unknown[0]}: chapters with exercises are {known[0]} to {known[-1]}")
    if folder.exists():
        raise Refused(f"{folder} already exists: choose a new folder, or move this one")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    except OSError as error:
        raise Refused(f"cannot write to {folder.parent}: {error.strerror}") from None
    try:
        fill(made, folder.name, students, sorted({*chapters}) or known)
        made.chmod(0o755)
        made.rename(folder)
    finally:
        shutil.rmtree(made, ignore_errors=True)


def fill(made: Path, course: str, students: list[Student], chapters: list[int]):
    key = []
    (made / "nbgrader_config.py").write_text(CONFIG.replace('"COURSE"', repr(course)), encoding="utf-8")
    for chapter in chapters:
        exercises = dp.exercises.catalogue(chapter)
        name = f"{chapter:02}_exercises"
        whole = master(name, f"Exercises of chapter {chapter}", exercises)
        write(whole, made / "source" / name / f"{name}.ipynb")
        write(handout(whole), made / "handout" / f"{name}.ipynb")
        varying = [exercise for exercise in exercises if exercise.draw]
        if not students or not varying:
            continue
        name, title = f"{chapter:02}_own", f"Chapter {chapter}, with your own numbers"
        write(master(name, title, varying, "teacher"), made / "source" / name / f"{name}.ipynb")
        for student in students:
            own = handout(master(name, f"{title}: {student.name}", varying, student.id))
            write(own, made / "handout" / student.id / f"{name}.ipynb")
            for exercise in varying:
                asked = exercise.variant(student.id)
                call = asked.stub.rstrip().splitlines()[-1].split(" = ", 1)[1]
                answer = ", ".join(f"{x:.6g}" for x in np.ravel(asked.answer))
                key.append((student.id, name, exercise.id, call, answer, exercise.points))
    if students:
        table(made / "roster.csv", ("id", "name", "email"), [(s.id, s.name, s.email) for s in students])
        table(made / "key.csv", ("student", "assignment", "exercise", "asked", "answer", "points"), sorted(key))


# The marks.


def marks(folder: Path) -> int:
    """Marks what was handed in, and says how many notebooks that were."""
    masters = {path.stem: nbformat.read(path, 4) for path in sorted((folder / "source").glob("*/*.ipynb"))}
    if not masters:
        raise Refused(f"{folder} is not a course: it has no source/NAME/NAME.ipynb")
    listed = roster(folder / "roster.csv") if (folder / "roster.csv").exists() else []
    names = {student.id: student.name for student in listed}
    found = sorted((folder / "submitted").glob("*/*/*.ipynb"))
    rows, replies, strange = {id: {} for id in names}, [], []
    for path in found:
        id, assignment = path.parts[-3], path.parts[-2]
        if path.stem != assignment or assignment not in masters or (names and id not in names):
            strange.append(path)
            continue
        results = marked(path, masters[assignment], id)
        rows.setdefault(id, {})[assignment] = sum(points for _, points, *_ in results)
        replies += [(id, assignment, *result) for result in results]
    of = {name: sum(points for _, points in graded(notebook)) for name, notebook in masters.items()}
    head = ("student", "name", *(f"{name} (of {of[name]})" for name in masters), "total", "of")
    lines = [
        (id, names.get(id, ""), *(done.get(name, "") for name in masters), sum(done.values()), sum(of.values()))
        for id, done in sorted(rows.items())
    ]
    with tempfile.TemporaryDirectory(dir=folder, prefix=".marks-") as made:
        table(Path(made) / "marks.csv", head, lines)
        head = ("student", "assignment", "exercise", "points", "of", "reply", "kind")
        table(Path(made) / "replies.csv", head, [reply[:7] for reply in replies])
        asked = misconceptions.counted(
            [misconceptions.Reply(id, exercise, points > 0, *said) for id, _, exercise, points, _, *said in replies]
        )
        table(Path(made) / "misconceptions.csv", misconceptions.HEAD, misconceptions.rows(asked))
        (Path(made) / "class.html").write_text(misconceptions.page(asked), encoding="utf-8")
        for name in ("marks.csv", "replies.csv", "misconceptions.csv", "class.html"):
            os.replace(Path(made) / name, folder / name)
    for path in strange:
        print(f"not marked, because no student or no assignment has this name: {path.relative_to(folder)}")
    return len(found) - len(strange)


def graded(notebook):
    """The names and points of the checks of a master."""
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("grade"):
            yield cell.metadata.nbgrader.grade_id, cell.metadata.nbgrader.points


def marked(path: Path, master, id: str) -> list[tuple]:
    """For every exercise its number, the points, of how many, the reply, its kind, and what it is about."""
    try:
        handed = nbformat.read(path, 4)
        notebook = to_run(handed, master, id)
    except Exception as error:  # a file may hold anything
        reply, outputs = f"cannot be read as a notebook: {type(error).__name__}", {}
    else:
        reply, outputs = executed(notebook)
    results = []
    for name, points in graded(master):
        passed, words, kind, about = outputs.get(name, (False, reply, "", ""))
        number = name.removeprefix("check-").replace("-", ".")
        results.append((number, points if passed else 0, points, words, kind, about))
    return results


def to_run(handed, master, id: str):
    """What was handed in, with the checks of the master and the numbers of the student who handed it in."""
    checks = {}
    for cell in master.cells:
        if cell.metadata.get("nbgrader", {}).get("grade"):
            name = cell.metadata.nbgrader.grade_id
            check = new_code_cell(f"student, reply = {id!r}, None\n{cell.source}", metadata=cell.metadata)
            checks[name] = check, new_code_cell(DIAGNOSIS, metadata={"dptutor": f"about {name}"})
    cells = []
    for cell in handed.cells:
        own = cell.metadata.get("nbgrader", {})
        if cell.cell_type != "code" or cell.metadata.get("dptutor") == "student":
            continue
        if not own.get("grade"):
            cells.append(new_code_cell(cell.source))
        elif own.get("grade_id") in checks:
            cells += checks.pop(own.grade_id)
    return new_notebook(
        cells=[*cells, *(cell for pair in checks.values() for cell in pair)], metadata={"kernelspec": KERNEL}
    )


def executed(notebook):
    """What the run of all died of, if so, and for every check that ran whether it passed, its words and diagnosis."""
    reply = "the check did not run"
    with tempfile.TemporaryDirectory() as place:
        client = NotebookClient(
            notebook,
            timeout=PATIENCE,
            interrupt_on_timeout=True,
            allow_errors=True,
            kernel_name="python3",
            extra_arguments=["--log-level=ERROR"],
            resources={"metadata": {"path": place}},
        )
        try:
            client.execute()
        except DeadKernelError:
            reply = "the run ended before the check: its kernel died"
    outputs = {}
    diagnoses = {cell.metadata.dptutor: diagnosed(cell) for cell in notebook.cells if "dptutor" in cell.metadata}
    for cell in notebook.cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id")
        if name and cell.outputs:
            errors = [output for output in cell.outputs if output.output_type == "error"]
            words = errors[0].evalue if errors else "".join(output.get("text", "") for output in cell.outputs)
            outputs[name] = not errors, " ".join(words.split()), *diagnoses.get(f"about {name}", ("", ""))
    return reply, outputs


def diagnosed(cell) -> tuple[str, str]:
    """The kind of a reply and what it is about, as the cell after a check prints them."""
    try:
        kind, about = json.loads("".join(output.get("text", "") for output in cell.outputs))
    except ValueError:  # whoever hands in may print anything
        return "", ""
    return str(kind), str(about)


def main(arguments) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    packing = commands.add_parser("pack", help="create the folder of a course")
    packing.add_argument("folder", type=Path)
    packing.add_argument("--roster", type=Path, metavar="FILE", help="a CSV file with the columns id, name[, email]")
    packing.add_argument("--chapters", type=int, nargs="+", default=[], metavar="N")
    marking = commands.add_parser("marks", help="grade the submissions")
    marking.add_argument("folder", type=Path)
    given = parser.parse_args(arguments)
    folder = given.folder.absolute()
    os.environ["JUPYTER_PREFER_ENV_PATH"] = "1"
    try:
        if given.command == "marks":
            count = marks(folder)
            print(f"marked {count} notebook{'' if count == 1 else 's'}: {given.folder / 'marks.csv'}")
        else:
            pack(folder, roster(given.roster) if given.roster else [], given.chapters)
            print(f"made {given.folder}")
    except Refused as refused:
        print(refused, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        sys.exit(main(sys.argv[1:]))
