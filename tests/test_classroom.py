"""A class of thirty hands in, ten of them with bad intent: nothing is lost, nothing runs, and nobody gains anything."""

import contextlib
import csv
import io
import json
import os
import select
import shutil
import tempfile
import venv
import zipfile
from pathlib import Path

import nbformat
import numpy as np
import pytest
from nbformat.v4 import new_code_cell, new_output

import dptutor as dp
from classroom import (
    assignments,
    collecting,
    exam,
    grading,
    isolating,
    marking,
    packing,
    roster,
    secrets,
    tables,
    wheels,
)
from dptutor.exercises import HandIn
from dptutor.exercises.judging.judge import run
from dptutor.exercises.learners.handing_in import MIME, Record, prepared, result_of
from dptutor.exercises.renumbering import NUMBERING

SECRET = "0123456789abcdef0123456789abcdef"

PEOPLE = [
    f"{first} {last}"
    for last in ("Ott", "Kim", "Diaz")
    for first in ["Ada", "Bob", "Cem", "Dia", "Eve", "Fay", "Gus", "Hal", "Ivy", "Jon"]
]
STUDENTS = [roster.Student(f"s{number:02}", name, f"s{number:02}@uni.org") for number, name in enumerate(PEOPLE)]


@pytest.fixture
def isolated():
    if why := isolating.missing():
        pytest.skip(why)


@pytest.fixture(scope="module")
def packed(tmp_path_factory):
    """A course of chapter 4, with the examination of no one."""
    folder = tmp_path_factory.mktemp("class") / "course"
    packing.pack(folder, STUDENTS, [4], SECRET)
    return folder


def rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def handed_out(packed, student, name="04_own"):
    return nbformat.read(packed / "students" / student / f"{name}.ipynb", 4)


def solved(notebook, student, wrong=()):
    """The notebook with right answers in its stubs, but for some exercises."""
    code = secrets.code(SECRET, student)
    own = notebook.metadata.dptutor.assignment.endswith("own")
    for cell in notebook.cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id", "")
        if name.startswith("answer-"):
            exercise = dp.exercises.get(name.removeprefix("answer-").replace("-", "."))
            asked = exercise.variant(code) if own else exercise
            cell.source = asked.solution
            if exercise.id in wrong:
                cell.source += f"\n{asked.name} = 0.123"
    return notebook


def executed(notebook, monkeypatch):
    """The notebook after a run of all its cells, with what its checks recorded."""
    space: dict = {}
    for cell in notebook.cells:
        if cell.cell_type != "code" or "%pip" in cell.source:
            continue
        cell.outputs = []

        def show(hand_in, data, words, outputs=cell.outputs):
            bundle = {MIME: {"version": 1, "of": hand_in.mark} | data, "text/plain": words}
            outputs.append(new_output("display_data", data=json.loads(json.dumps(bundle))))

        monkeypatch.setattr(HandIn, "_show", show)
        with contextlib.suppress(BaseException), contextlib.redirect_stdout(io.StringIO()):
            exec(cell.source, space)
    return notebook


def put(folder, where, notebook):
    path = folder / "submitted" / where
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(notebook if isinstance(notebook, bytes) else nbformat.writes(notebook).encode())
    return path


def wanted(packed, student, name="04_own"):
    master = nbformat.read(packed / "source" / name / f"{name}.ipynb", 4)
    return marking.Assignment.of(name, master, student, SECRET)


OWN = [exercise for exercise in dp.exercises.catalogue(4) if exercise.draw]
ALL = sum(exercise.points for exercise in OWN)


# What is recorded.


# The report is judged part by part, in the same way; its first part stands for all.
RECORDED = [exercise for exercise in dp.exercises.catalogue()[::3] if exercise.chapter != 20 or exercise.id == "20.1"]


@pytest.mark.parametrize("exercise", RECORDED, ids=lambda exercise: exercise.id)
def test_recorded_values_are_judged_as_the_answer_was(exercise, monkeypatch, tmp_path):
    seen = []
    monkeypatch.setattr(HandIn, "_show", lambda hand_in, data, words: seen.append(json.loads(json.dumps(data))))
    monkeypatch.setattr("dptutor.exercises.learners.checking.drawn", lambda *given: None)
    monkeypatch.setattr("dptutor.exercises.judging.worker.available", lambda: False)
    with dp.exercises.Learner(tmp_path / "progress.json"):
        dp.exercises.case(1)
        asked = prepared(exercise.id, "4f1c09d2")
        for answer in (asked.answer, run(asked.stub)[asked.name], *(mistake.answer for mistake in asked.mistakes[:1])):
            said = HandIn("ada", "4f1c09d2", NUMBERING).check(exercise.id, answer)
            again = result_of(asked, Record.read(seen[-1]))
            assert (again.passed, again.kind, again.about) == (said.passed, said.kind, said.about)


def test_points_of_a_function_are_those_of_the_student():
    mine, others = (prepared("4.1", secrets.code(SECRET, id)) for id in ("s00", "s01"))
    assert mine.tried[: len(mine.cases)] == others.tried[: len(others.cases)] == mine.cases
    assert not set(mine.tried[len(mine.cases) :]) & set(others.tried[len(others.cases) :])


HOSTILE_VALUES = [
    None,
    3,
    [],
    {"exercise": 4},
    {"exercise": "4.1", "outcomes": "right", "passed": True, "points": 99},
    {"exercise": "4.1", "outcomes": [["result", [float("nan")]]] * 10},
    {"exercise": "4.1", "outcomes": [["result", [10**400]]] * 10},
    {"exercise": "4.1", "outcomes": [["result", [[1], [2, 3]]]] * 10},
    {"exercise": "4.1", "outcomes": [["right", 1], 7, None, ["result"]]},
    {"exercise": "4.1", "outcomes": [["result", list(range(10**5))]] * 10},
    {"exercise": "4.1", "outcomes": [["stopped", {"a": "b" * 10**6}]] * 10},
    {"exercise": "4.1", "outcomes": [], "names": [{}, 1], "untouched": "yes", "case": "x", "of": {}},
    {"exercise": "4.1", "answer": "__import__('os').system('true')"},
]


@pytest.mark.parametrize("data", HOSTILE_VALUES, ids=range(len(HOSTILE_VALUES)))
def test_forged_values_are_wrong_answers_at_most(data):
    record = Record.read(json.loads(json.dumps(data)))
    assert record is None or not result_of(prepared("4.1"), record).passed


def test_a_name_that_a_task_forbids_is_recorded_with_the_values():
    (name, *_) = dp.exercises.get("9.6").without
    program = f"{run.__name__} = None\ndef f(*given):\n    return {name}(*given)\n"
    space: dict = {"run": run}
    exec(program, space)
    assert dp.exercises.get("9.6").forbidden(space["f"]) == [name]


# The class.

CANARY = (
    "import os\nos.system('touch {victim}/written')\nopen('{victim}/written2', 'w')\nos.remove('{victim}/precious')"
)
STUBBORN = """import signal, time
for number in range(1, 65):
    try: signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError): pass
while True:
    try: time.sleep(1000)
    except BaseException: pass"""


def without_outputs(notebook):
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = []
    return notebook


def begin(notebook, program):
    notebook.cells.insert(4, new_code_cell(program))
    return notebook


@pytest.fixture(scope="module")
def handed_in(packed):
    """What thirty students hand in, in every shape; s20 to s29 mean harm."""
    monkeypatch = pytest.MonkeyPatch()
    victim = packed.parent / "victim"
    victim.mkdir()
    (victim / "precious").write_text("precious")

    def done(number, *wrong):
        id = f"s{number:02}"
        return executed(solved(handed_out(packed, id), id, wrong), monkeypatch)

    right = {number: done(number) for number in (*range(7), 20, 22, 28)}
    with contextlib.suppress(OSError):
        (packed / "submitted").rmdir()
    for number in range(3):  # where it should lie
        put(packed, f"s{number:02}/04_own/04_own.ipynb", right[number])
    put(packed, "s03/04_own.ipynb", right[3])  # one level too high
    put(packed, "somewhere/04_own (1).ipynb", right[4])  # known by its mark alone
    with zipfile.ZipFile(packed / "submitted" / "moodle.zip", "w") as archive:
        archive.writestr("Fay Ott_1234_assignsubmission_file/04_own.ipynb", nbformat.writes(right[5]))
    bare = json.loads(nbformat.writes(right[6]))  # Colab has taken the metadata of the cells
    for cell in bare["cells"]:
        cell["metadata"] = {}
    with zipfile.ZipFile(packed / "submitted" / "canvas.zip", "w") as archive:
        archive.writestr("ottgus_LATE_99_100_04_own-2.ipynb", json.dumps(bare))
    for number in range(7, 17):
        put(packed, f"s{number:02}/04_own/04_own.ipynb", done(number, OWN[number % len(OWN)].id))
    # 17, 18 and 19 hand in nothing, an untouched handout, and answers without outputs, checks and metadata.
    put(packed, "s18/04_own/04_own.ipynb", handed_out(packed, "s18"))
    bare = without_outputs(solved(handed_out(packed, "s19"), "s19"))
    bare.cells = [cell for cell in bare.cells if "hand_in.check" not in cell.source]
    for cell in bare.cells:
        cell.metadata = {}
    put(packed, "s19/04_own/04_own.ipynb", bare)

    # 20: a check that always passes, before stubs that nobody has filled in.
    cheat = """import dptutor as dp
dp.exercises.HandIn.check = dp.exercises.check = dp.exercises.Exercise.check = lambda *a, **k: '✔ Right.'"""
    with monkeypatch.context() as changed:  # what the cheat changes here comes back
        for owner in (HandIn, dp.exercises, dp.exercises.Exercise):
            changed.setattr(owner, "check", owner.check)
        put(packed, "s20/04_own/04_own.ipynb", executed(begin(handed_out(packed, "s20"), cheat), monkeypatch))
    # 21: the notebook of another.
    put(packed, "s21/04_own/04_own.ipynb", right[0])
    # 22: values of another, with the mark of one's own, and words that claim a pass.
    forged = json.loads(nbformat.writes(right[1]))
    mark = HandIn("s22", secrets.code(SECRET, "s22")).mark
    for cell in forged["cells"]:
        for output in cell.get("outputs", []):
            output["data"][MIME] |= {"of": mark, "passed": True, "points": 100, "kind": "right"}
    put(packed, "s22/04_own/04_own.ipynb", json.dumps(forged).encode())
    # 23: damage, where code is run.
    harm = begin(without_outputs(solved(handed_out(packed, "s23"), "s23")), CANARY.format(victim=victim))
    harm.cells.insert(5, new_code_cell(f"open('{packed}/key.csv').read()\nanswer = 1"))
    put(packed, "s23/04_own/04_own.ipynb", harm)
    # 24: a cell that no signal ends. 25: processes without end, then the end of Python.
    put(packed, "s24/04_own/04_own.ipynb", begin(without_outputs(solved(handed_out(packed, "s24"), "s24")), STUBBORN))
    bomb = begin(without_outputs(solved(handed_out(packed, "s25"), "s25")), "import os\nwhile True: os.fork()")
    put(packed, "s25/04_own/04_own.ipynb", begin(bomb, "import os\nos._exit(0)"))
    # 26: no notebook, nested deeper than anyone reads.
    put(packed, "s26/04_own/04_own.ipynb", b'{"cells": ' + b"[" * 100_000)
    # 27: formulas. 28: archives with paths, and one that grows when it is read. 29: a link.
    formula = handed_out(packed, "s27")
    for cell in formula.cells:
        if cell.metadata.get("nbgrader", {}).get("solution"):
            name = cell.metadata.nbgrader.grade_id.removeprefix("answer-").replace("-", "_")
            cell.source = f'answer_{name} = \'=HYPERLINK("http://evil.example","Full marks")\''
    put(packed, "s27/04_own/04_own.ipynb", executed(formula, monkeypatch))
    with zipfile.ZipFile(packed / "submitted" / "evil.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("../../../../../../tmp/dptutor-evil/04_own.ipynb", "{}")
        archive.writestr("=cmd|' /C calc'!A0.ipynb", "{}")
        archive.writestr("s28/04_own/04_own.ipynb", b"0" * (collecting.LARGEST + 1))
        archive.writestr("s28/04_own/progress-dptutor.json", "{}")
    (packed / "submitted" / "s29").mkdir()
    (packed / "submitted" / "s29" / "04_own.ipynb").symlink_to(packed / "key.csv")
    (packed / "submitted" / "s29" / "progress-dptutor.json").write_text("{}")
    monkeypatch.undo()
    return packed


@pytest.fixture(scope="module")
def marked(handed_in):
    """The course after `make marks`, where isolation may be had or not."""
    monkeypatch = pytest.MonkeyPatch()
    monkeypatch.setattr(isolating, "CELL", 4.0)
    monkeypatch.setattr(grading, "_FEW", 100)  # a worker would not see that limit
    said: list[str] = []
    count = grading.marks(handed_in, say=lambda text, **how: said.append(text))
    monkeypatch.undo()
    return handed_in, {row["student"]: row for row in rows(handed_in / "marks.csv")}, said, count


def test_all_that_was_handed_in_is_marked_wherever_it_lay(marked):
    folder, table, _, _ = marked
    assert [table[f"s{number:02}"]["total"] for number in range(7)] == [str(ALL)] * 7
    assert list(table) == [student.id for student in STUDENTS]
    for number in range(7, 17):
        assert table[f"s{number:02}"]["total"] == str(ALL - OWN[number % len(OWN)].points)
    column = next(name for name in table["s17"] if name.startswith("04_own"))
    assert table["s17"][column] == "" and table["s18"][column] == "0"
    assert (folder / "feedback" / "s05.html").read_text().count("<tr>") == len(OWN)
    assert not (folder / "feedback" / "s17.html").exists()


def test_whoever_means_harm_gains_nothing(marked):
    folder, table, _, _ = marked
    for id in ("s20", "s21", "s22", "s26", "s27", "s28", "s29"):
        assert table[id]["total"] == "0", id
    victim = folder.parent / "victim"
    assert (victim / "precious").read_text() == "precious"
    assert sorted(os.listdir(victim)) == ["precious"]
    assert not Path("/tmp/dptutor-evil").exists()
    replies = {(row["student"], row["exercise"]): row for row in rows(folder / "replies.csv")}
    assert "cannot be read as a notebook" in replies["s26", "4.1"]["reply"]


def test_files_that_belong_to_nobody_are_named_with_the_reason(marked):
    folder, _, said, _ = marked
    left = {row["file"]: row["why"] for row in rows(folder / "not_marked.csv")}
    assert "links are not followed" in left["s29/04_own.ipynb"]
    assert "larger than" in left["evil.zip/s28/04_own/04_own.ipynb"]
    assert any("tmp/dptutor-evil" in file for file in left)
    assert not any("progress" in file for file in left)
    assert all(any(text.startswith("not marked: ") and why in text for text in said) for why in left.values())


def test_no_cell_of_a_table_is_a_formula(marked):
    folder, *_ = marked
    for path in folder.glob("*.csv"):
        with open(path, encoding="utf-8", newline="") as file:
            for row in csv.reader(file):
                assert not any(cell.lstrip()[:1] in {"=", "+", "-", "@"} for cell in row if cell and not _number(cell))
    assert "HYPERLINK" in (folder / "replies.csv").read_text()


def _number(cell):
    with contextlib.suppress(ValueError):
        float(cell.split(",")[0])
        return True
    return False


@pytest.mark.usefixtures("isolated")
def test_where_values_are_missing_code_runs_isolated(marked):
    _, table, said, _ = marked
    assert table["s19"]["total"] == str(ALL)  # checks stand again where they were
    # What was done there before is done in isolation; it came to nothing, and the answers after it count.
    assert [table[id]["total"] for id in ("s23", "s24", "s25")] == [str(ALL)] * 3
    assert not any("are not judged" in text for text in said)


def test_where_there_is_no_isolation_nothing_is_run_and_the_notebooks_are_named(handed_in, monkeypatch):
    monkeypatch.setattr(isolating.shutil, "which", lambda name: None)
    isolating.missing.cache_clear()
    monkeypatch.setattr(isolating, "run", lambda *given: pytest.fail("it was run"))
    try:
        done = marking.marked((handed_in / "submitted/s23/04_own/04_own.ipynb").read_bytes(), wanted(handed_in, "s23"))
        assert {(mark.points, mark.kind) for mark in done} == {(None, "unrun")}
        assert "bubblewrap, which is not installed" in done[0].words
        # Values need no isolation.
        own = (handed_in / "submitted/s00/04_own/04_own.ipynb").read_bytes()
        assert sum(mark.points for mark in marking.marked(own, wanted(handed_in, "s00"))) == ALL
        # Who has written nothing is told so.
        blank = (handed_in / "submitted/s18/04_own/04_own.ipynb").read_bytes()
        assert {mark.kind for mark in marking.marked(blank, wanted(handed_in, "s18"))} == {"nothing"}
    finally:
        isolating.missing.cache_clear()


@pytest.mark.parametrize("why", ["platform", "refused"])
def test_a_system_that_cannot_isolate_says_why(monkeypatch, tmp_path, why):
    isolating.missing.cache_clear()
    if why == "platform":
        monkeypatch.setattr(isolating.sys, "platform", "darwin")
    else:
        (tmp_path / "bwrap").write_text("#!/bin/sh\necho 'bwrap: No permission to create new namespace' >&2\nexit 1\n")
        (tmp_path / "bwrap").chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    said = isolating.missing()
    isolating.missing.cache_clear()
    assert ("which only Linux has" if why == "platform" else "No permission to create new namespace") in said


@pytest.mark.usefixtures("isolated")
def test_a_program_in_isolation_sees_and_reaches_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("SECRET_OF_THE_TEACHER", "1")
    (tmp_path / "mine").write_text("mine")
    look = f"""
import os, socket
def attempt(call):
    try: return str(call())
    except BaseException as error: return type(error).__name__
hand_in.record("seen", {{
    "home": attempt(lambda: os.listdir(os.path.expanduser("~"))),
    "file": attempt(lambda: open({str(tmp_path / "mine")!r}).read()),
    "course": attempt(lambda: os.listdir({str(tmp_path)!r})),
    "tests": attempt(lambda: os.listdir({str(Path(__file__).parent)!r})),
    "variable": os.environ.get("SECRET_OF_THE_TEACHER"),
    "network": attempt(lambda: socket.create_connection(("127.0.0.1", 9), 2)),
    "interfaces": [name for _, name in socket.if_nameindex()],
    "library": attempt(lambda: open("/library/dptutor/__init__.py", "a")),
    "packages": attempt(lambda: open(os.__file__, "a")),
    "processes": len([name for name in os.listdir("/proc") if name.isdigit()]),
    "root": attempt(lambda: os.mkdir("/new")),
    "user": os.getuid(),
}})
"""
    ran = isolating.run([look], "s00", "c0de")
    (seen,) = [value["answer"] for value in ran.values]
    assert seen["home"] in ("[]", "['.ipython']") and seen["variable"] is None and seen["interfaces"] == ["lo"]
    assert seen["file"] == seen["course"] == seen["tests"] == "FileNotFoundError"
    assert seen["network"] != "" and "socket" not in seen["network"]
    assert {seen["library"], seen["packages"], seen["root"]} <= {"OSError", "PermissionError"}
    assert seen["processes"] <= 4 and seen["user"] == 65534


@pytest.mark.host
@pytest.mark.usefixtures("isolated")
def test_nothing_of_a_run_is_left_when_it_has_ended(monkeypatch):
    monkeypatch.setattr(isolating, "CELL", 20.0)
    long = f"sleep({10**6 + os.getpid()})"  # that no other test leaves behind
    leave = f"""import subprocess, sys
subprocess.Popen([sys.executable, '-c', 'import time; time.{long}'], start_new_session=True)"""
    memory = "x = [bytes(10**6) + b'1' * 10**6 for _ in range(10**6)]"
    ran = isolating.run([leave, memory, "hand_in.record('end', 1)"], "s00", "c0de")
    assert [value["exercise"] for value in ran.values] == ["end"]
    assert set(ran.stopped) <= {1}  # the limit of the process comes first, or that of all
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if long.encode() in path.read_bytes():  # the kernel ends a namespace after the process that made it
                assert select.select([os.pidfd_open(int(path.parent.name))], [], [], 60)[0], "it lives on"


@pytest.mark.host
def test_a_run_goes_on_where_it_was_stopped(handed_in, marked, monkeypatch):
    folder, table, _, count = marked
    lines = (folder / grading.STATE).read_text().splitlines()
    (folder / grading.STATE).write_text("\n".join(lines[:5]) + '\n{"key": "half of a li')
    asked = []
    real = grading.marked
    monkeypatch.setattr(isolating, "CELL", 4.0)
    monkeypatch.setattr(grading, "_FEW", 100)
    monkeypatch.setattr(grading, "marked", lambda data, job: asked.append(job.student) or real(data, job))
    said = []

    def say(text, **how):
        said.append(text)
        if len(asked) == 3:
            monkeypatch.setattr(grading, "marked", lambda *given: (_ for _ in ()).throw(KeyboardInterrupt))

    grading.marks(folder, say)
    assert len(asked) == 3 and any("the next run goes on from here" in text for text in said)
    assert sum(row["total"] not in ("", "0") for row in rows(folder / "marks.csv")) <= 8
    (folder / grading.STATE).write_text("\n".join(lines) + "\n")
    monkeypatch.setattr(grading, "marked", lambda *given: pytest.fail("it was marked before"))
    monkeypatch.setattr(grading, "_work", lambda waiting: iter(()) if not waiting else real_work(waiting))
    real_work = lambda waiting: pytest.fail("it was marked before")  # noqa: E731
    if isolating.missing() is None:
        assert grading.marks(folder, lambda *given, **how: None) == count
        assert {row["student"]: row for row in rows(folder / "marks.csv")} == table


@pytest.mark.parametrize("file", ["lookup.py", "judging/core.py", "chapters/chapter_04.py"])
def test_a_changed_check_is_another_way_of_marking(file, monkeypatch, tmp_path):
    package = Path(dp.exercises.__file__).parent
    copied = shutil.copytree(package, tmp_path / "exercises", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(dp.exercises, "__file__", str(copied / "__init__.py"))
    before = grading._version()
    with (copied / file).open("a") as end:
        end.write("changed = True\n")
    assert grading._version() != before


@pytest.mark.host
def test_many_notebooks_are_marked_by_several_processes(packed, monkeypatch, tmp_path):
    monkeypatch.setattr(grading, "_FEW", 0)
    found = collecting.Found("x", b"{}", "s00", "04_own")
    (one, marks) = next(iter(grading._work([(found, wanted(packed, "s00"))])))
    assert one == found and all("cannot be read" in mark.words for mark in marks)


@pytest.mark.usefixtures("isolated")
def test_isolation_needs_no_certain_place(monkeypatch):
    """As in a clone below the folder that isolation has in memory."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        venv.create(folder)
        monkeypatch.setattr(isolating.sys, "prefix", folder)
        monkeypatch.setattr(isolating.sys, "executable", f"{folder}/bin/python")
        isolating.missing.cache_clear()
        why = isolating.missing()
        isolating.missing.cache_clear()
    assert why is None


@pytest.mark.deep
def test_a_copy_is_named_and_earns_nothing_by_itself(packed, monkeypatch, tmp_path):
    course = shutil.copytree(packed, tmp_path / "course", ignore=shutil.ignore_patterns("submitted", grading.STATE))
    name = "04_exercises"
    ada, bob = (executed(solved(handed_out(course, id, name), id), monkeypatch) for id in ("s00", "s04"))
    everything = sum(exercise.points for exercise in dp.exercises.catalogue(4))
    for id in ("s00", "s01"):
        put(course, f"{id}/{name}/{name}.ipynb", ada)
    put(course, f"s04/{name}/{name}.ipynb", bob)
    # 3 has run two checks in an own notebook, and has put the rest of the other's below.
    mixed = executed(solved(handed_out(course, "s03", name), "s03"), monkeypatch)
    checks = [place for place, cell in enumerate(mixed.cells) if "hand_in.check(" in cell.source]
    mixed.cells[checks[1] + 1 :] = ada.cells[checks[1] + 1 :]
    put(course, f"s03/{name}/{name}.ipynb", mixed)
    put(course, f"s02/{name}/{name}.ipynb", without_outputs(ada))  # with the code of the other alone
    said: list[str] = []
    grading.marks(course, say=lambda text, **how: said.append(text))
    table = {row["student"]: row["total"] for row in rows(course / "marks.csv")}
    two = sum(exercise.points for exercise in dp.exercises.catalogue(4)[:2])
    assert [table[id] for id in ("s00", "s01", "s02", "s03", "s04")] == [
        f"{everything}",
        "0",
        "0",
        f"{two}",
        f"{everything}",
    ]
    copied = rows(course / "copied.csv")
    assert [(row["student"], row["assignment"], row["of"]) for row in copied] == [
        (f"s0{k}", name, "s00") for k in (1, 2, 3)
    ]
    assert sum("the code of s00" in text for text in said) == 3
    told = (course / "feedback" / "s01.html").read_text()
    assert "someone else" in told and not any(word in told for word in ("s00", "Ada Ott"))
    assert "s01" not in (course / "misconceptions.csv").read_text()


# What is given out.


def test_students_get_what_they_need_to_install(packed, tmp_path):
    readme = (packed / "handout" / "README.md").read_text()
    wheel = packed / "handout" / wheels.name()
    assert wheel.name in readme
    names = zipfile.ZipFile(wheel).namelist()
    assert {"dptutor/__init__.py", "dptutor/py.typed"} <= set(names) and not any(
        "__pycache__" in name for name in names
    )
    here = {
        path.relative_to(wheels.ROOT).as_posix()
        for path in (wheels.ROOT / "dptutor").rglob("*.*")
        if "__pycache__" not in path.parts
    }
    assert here <= set(names)
    first = next(cell for cell in handed_out(packed, "s00").cells if cell.cell_type == "code")
    assert wheel.name in first.source


def test_git_ignores_a_course_wherever_it_is_made(packed):
    assert (packed / ".gitignore").read_text() == "*\n"


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("  @SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'=1"),
        ("\r\n+1", "'+1"),
        ("\u200b-1", "'\u200b-1"),
        ("＝1", "'＝1"),
        ("two\nlines\r=3", "two lines =3"),
        ("✘ no", "✘ no"),
        ("\ud800", "\\ud800"),
        (7, 7),
    ],
)
def test_text_becomes_a_cell_that_is_no_formula(text, cell):
    assert tables.cell(text) == cell


@pytest.mark.parametrize(
    ("where", "student"),
    [
        ("Bob Ott_17_assignsubmission_file_/04_own.ipynb", "s01"),
        ("ottbob_17_18_04_own.ipynb", "s01"),
        ("ottbob_LATE_17_18_04_own-3.ipynb", "s01"),
        ("OTT Bob/04_OWN.ipynb", "s01"),
        ("s01_04_own.ipynb", "s01"),
        ("s01@uni.org/copy of 04_own (2).ipynb", "s01"),
        ("04_own/s01/04_own.ipynb", "s01"),
        ("Robert/04_own.ipynb", ""),
        ("../s01/04_ownership.ipynb", ""),
    ],
)
def test_whose_a_notebook_is(where, student):
    matcher = collecting._Matcher(STUDENTS, ["04_own", "04_exercises"], SECRET)
    found = matcher.matched(collecting.Found(where, b"{}"))
    assert found.student == student and bool(found.why) == (not student)


def zipped(files):
    """An archive of (name, bytes), all dated as late as an archive can say."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files:
            archive.writestr(zipfile.ZipInfo(name, (2107, 12, 31, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
    return held.getvalue()


def test_nobody_hands_in_for_another(tmp_path):
    """Bob puts a notebook for Fay into his archive, with a later date, and one more loose file."""
    mark = HandIn("s05", secrets.code(SECRET, "s05")).mark
    honest = json.dumps({"cells": [], "metadata": {}, "of": mark}).encode()
    forged = zipped([("s05/04_own/04_own.ipynb", b'{"cells": []}')])
    places = [("Bob Ott_1_assignsubmission_file/more.zip", forged), ("s05_2_late/04_own.ipynb", b"{}")]
    (tmp_path / "moodle.zip").write_bytes(zipped([("Fay Ott_2_assignsubmission_file/04_own.ipynb", honest), *places]))
    found, left = collecting.collected(tmp_path, STUDENTS, ["04_own"], SECRET)
    assert {one.student: one.data for one in found} == {"s05": honest, "s01": b'{"cells": []}'}
    assert "s05 also handed in" in left[0].why


def test_archives_in_an_archive_share_its_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(collecting, "ALL", 10_000)
    inner = [(f"{k}.zip", zipped([(f"s0{k}/04_own.ipynb", b" " * 4000)])) for k in range(3)]
    (tmp_path / "bomb.zip").write_bytes(zipped(inner))
    found, left = collecting.collected(tmp_path, STUDENTS, ["04_own"], SECRET)
    assert len(found) == 2, left
    assert [(one.where, one.why) for one in left] == [("bomb.zip/2.zip", "it is an archive too large to read")]


def test_a_folder_that_is_a_link_is_named(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "submitted").mkdir()
    (tmp_path / "submitted" / "s03").symlink_to(tmp_path / "elsewhere")
    found, left = collecting.collected(tmp_path / "submitted", STUDENTS, ["04_own"], SECRET)
    assert not found and [(one.where, one.why) for one in left] == [("s03", collecting.LINK)]


# The examination.


PROGRAM = """
prior = case.records / case.population
tails = []
for name in "AB":
    offer = dp.DPSGD(**case.offers[name], direction="remove")
    tail = dp.PosteriorBelief(offer, prior).quantile(1 - case.exceedance)
    tails.append(tail)
kept = [name for name, tail in zip("AB", tails) if tail <= case.tolerance]
"""


@pytest.fixture(scope="module")
def examined(tmp_path_factory):
    """An examination of three; the third has copied from the first."""
    monkeypatch = pytest.MonkeyPatch()
    folder = tmp_path_factory.mktemp("exam") / "course"
    three = STUDENTS[:3]
    packing.pack(folder, three, [1], SECRET, examined=True)
    right = {}
    for student in three:
        lines = exam.lines(exam.case(SECRET, student.id))
        right[student.id] = {k: min(v.right) if isinstance(v.right, frozenset) else v.right for k, v in lines.items()}
        right[student.id]["sentence"] = (
            "=I sign what keeps the tolerance with probability 0.01, if the noise is what the vendor claims it to be."
        )
    given = {"s00": right["s00"], "s01": right["s01"] | {"sentence": "<b>B</b>", "odds": 1.0}, "s02": right["s00"]}
    for id, report in given.items():
        notebook = nbformat.read(folder / "students" / id / "exam.ipynb", 4)
        program = "" if id == "s01" else PROGRAM.replace("tail", f"tail_of_{id}")
        notebook.cells[-1].source = f'{program}\nreport = {report!r}\nprint(hand_in.record("exam", report))'
        monkeypatch.chdir(folder / "students" / id)
        put(folder, f"{id}/exam.ipynb", executed(notebook, monkeypatch))
    monkeypatch.undo()
    grading.marks(folder, say=lambda *given, **how: None)
    return folder, right


def test_an_examination_has_points_line_by_line(examined):
    folder, _ = examined
    table = rows(folder / "exam" / "points.csv")
    lost = {
        id: {row["line"] for row in table if row["student"] == id and row["points"] == "0"}
        for id in ("s00", "s01", "s02")
    }
    assert lost["s00"] == set() and lost["s01"] == {"odds"}
    assert {"steps", "belief_a", "miss_b", "cost_b", "epsilon_low"} <= lost["s02"]


@pytest.mark.parametrize(("id", "own"), [("1.a", False), ("1.3", True), ("7.2", True)])
def test_values_of_a_function_in_place_of_a_number_are_told_in_a_sentence(id, own):
    record = Record.read({"exercise": id, "own": own, "outcomes": [["rejected", "x"], "y"], "names": ["z"]})
    result = result_of(prepared(id, "4f1c", own), record)
    assert not result.passed
    assert result.message.startswith("The notebook records values of a function, where ")
    assert "Replayed" not in repr(result)


@pytest.mark.deep
@pytest.mark.cases(1)
def test_an_examination_has_a_sum_a_page_and_letters(examined, monkeypatch):
    folder, _ = examined
    said = []

    def marked():
        said.clear()
        grading.marks(folder, say=lambda *words, **how: said.append(words[0]))
        return {row["student"]: row for row in rows(folder / "marks.csv")}

    possible, first = exam.possible(), marked()
    column = f"exam (of {possible})"
    assert {row["of"] for row in first.values()} == {str(possible)}
    assert first["s00"][column] == first["s00"]["total"] == str(possible - exam.READER)
    assert int(first["s01"]["total"]) == possible - exam.READER - 1
    assert {row["not judged"] for row in first.values()} == {"1"}
    assert f"1 of 3  s00  exam  {possible - exam.READER} points" in said
    assert "lines" not in "".join(said) and "not judged:" not in "".join(said)
    page = (folder / "feedback" / "s01.html").read_text()
    assert f"exam: {possible - exam.READER - 1} of {possible} points" in page
    assert "odds" in page and "Not judged yet" in page
    assert {row["right"] for row in rows(folder / "exam" / "points.csv") if row["line"] == "sign"} <= {
        "A",
        "B",
        "neither",
    }
    path = folder / "exam" / "sentences.csv"
    path.write_text("\ufeffnumber;student;points (of 3)\n1;s00;2\n2;s01;\n3;s02;99\n")
    second = marked()
    assert [int(second[id]["total"]) - int(first[id]["total"]) for id in ("s00", "s01", "s02")] == [2, 0, 3]
    assert [second[id]["not judged"] for id in ("s00", "s01", "s02")] == ["0", "1", "0"]


def test_sentences_are_laid_out_for_a_reader_without_names(examined):
    folder, _ = examined
    text = (folder / "exam" / "sentences.html").read_text()
    assert text.count("<section>") == 3 and "&lt;b&gt;B&lt;/b&gt;" in text
    assert not any(student.name in text or student.id in text for student in STUDENTS)


def test_reports_that_look_alike_are_named(examined):
    folder, _ = examined
    found = {(row["one"], row["other"]): row["what is alike"] for row in rows(folder / "exam" / "alike.csv")}
    assert ("s02", "s00") in found and "gives what is right for s00" in found["s02", "s00"]
    assert "programs" in found["s00", "s02"] or "sentences" in found["s00", "s02"]
    assert not any("s01" in pair for pair in found), found


def test_no_part_of_an_examination_comes_out_of_the_exercises(examined, monkeypatch):
    folder, right = examined
    case = dp.exercises.Case.load(folder / "students" / "s00" / exam.CASE)
    assert case.seed < 0 and exam.case(SECRET, "s00").seed > 999_999
    with pytest.raises(ValueError):
        dp.exercises.case(exam.case(SECRET, "s00").seed)
    assert not dp.exercises.rubric({"seed": case.seed}).points
    assert np.array_equal(case.transcripts["A"].released, exam.case(SECRET, "s00").transcripts["A"].released)
    chapter = {line for exercise in dp.exercises.catalogue(20) for line in ("sigma", "naive", "exceedance_a", "regret")}
    assert not chapter & set(right["s00"])
    assert SECRET not in "".join(path.read_text() for path in (folder / "handout").rglob("*.ipynb"))
    assert right["s00"]["odds"] != right["s01"]["odds"]
    assert "Vendor B" in str(case) and "four statements" not in str(case)  # about which no line asks


def test_a_stub_is_known_as_one(packed):
    for name in ("04_own", "04_exercises"):
        notebook = handed_out(packed, "s00", name)
        cells = json.loads(nbformat.writes(notebook))["cells"]
        assert not marking._touched(cells, wanted(packed, "s00", name))
        begin(notebook, "x = 1")
        assert marking._touched(json.loads(nbformat.writes(notebook))["cells"], wanted(packed, "s00", name))
    assert assignments.IN_PLACE in nbformat.writes(handed_out(packed, "s00"))
