"""What a teacher gets: handouts and masters, numbers for each student with a key, marks; and the same by nbgrader."""

import contextlib
import csv
import html
import io
import json
import os
import re
import sqlite3
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import nbformat
import pytest
from nbconvert.preprocessors import ExecutePreprocessor

import dptutor as dp
import notebooks
import teach
from classroom import assignments, grading, packing, secrets
from classroom import roster as rosters

ROOT = Path(__file__).resolve().parent.parent

ROSTER = "id,name,email\nada,Ada Lovelace,ada@example.org\nbob,Bob,\ncem,Cem Öz,\ndia,Dia,\neve,Eve,\nfay,Fay,\n"


@pytest.fixture(scope="module")
def roster(tmp_path_factory):
    path = tmp_path_factory.mktemp("roster") / "roster.csv"
    path.write_text(ROSTER, encoding="utf-8")
    return path


@pytest.fixture
def course(tmp_path, roster):
    """A course of chapter 4."""
    folder = tmp_path / "course"
    assert teach.main(["pack", str(folder), "--roster", str(roster), "--chapters", "4"]) == 0
    return folder


def rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def code(path):
    return [cell for cell in nbformat.read(path, 4).cells if cell.cell_type == "code"]


def files(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# Handouts, masters, keys.


def test_a_pack_has_all_chapters_and_no_answer_in_a_handout(tmp_path, capsys):
    assert teach.main(["pack", str(tmp_path / "course")]) == 0
    assert f"make marks COURSE={tmp_path / 'course'}" in capsys.readouterr().out  # what comes next
    for chapter in sorted({exercise.chapter for exercise in dp.exercises.catalogue()}):
        name = f"{chapter:02}_exercises"
        handout = "\n\n".join(cell.source for cell in code(tmp_path / "course" / "handout" / f"{name}.ipynb"))
        master = "\n\n".join(cell.source for cell in code(tmp_path / "course" / "source" / name / f"{name}.ipynb"))
        for exercise in dp.exercises.catalogue(chapter):
            assert exercise.stub.strip() in handout and exercise.stub.strip() in master
            assert exercise.solution.strip() in master
            assert exercise.solution.strip() not in handout
        assert "SOLUTION" not in handout
        assert handout.startswith(notebooks.SETUP.partition("%pip")[0])  # it runs on Colab, too
    assert not (tmp_path / "course" / "key.csv").exists()


def test_a_master_passes_its_own_checks(course):
    for name in ("04_exercises", "04_own"):
        space, said = {}, io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.chdir(course):
            for cell in code(course / "source" / name / f"{name}.ipynb"):
                if "%pip" not in cell.source:  # which speaks to IPython
                    exec(cell.source, space)
        assert said.getvalue().count("✔") == len([c for c in dp.exercises.catalogue(4) if c.draw or "own" not in name])


def test_every_student_has_own_numbers_and_the_key_knows_them(course):
    key = rows(course / "key.csv")
    secret = secrets.read(course / "secret.txt")
    varying = [exercise.id for exercise in dp.exercises.catalogue(4) if exercise.draw]
    assert len(key) == 6 * len(varying)
    assert len({row["asked"] for row in key}) == len(key)
    for row in key:
        handout = "\n".join(cell.source for cell in code(course / "students" / row["student"] / "04_own.ipynb"))
        assert f"= {row['asked']}\n" in handout
        answer = [float(x) for x in row["answer"].split(", ")]
        own = dp.exercises.get(row["exercise"]).variant(secrets.code(secret, row["student"]))
        assert own.check(answer)
        assert int(row["points"]) == dp.exercises.get(row["exercise"]).points


def test_numbers_follow_from_the_secret_and_not_from_the_id_alone(course, roster, tmp_path):
    teach.main(["pack", str(tmp_path / "other"), "--roster", str(roster), "--chapters", "4"])
    asked = [
        {(row["student"], row["asked"]) for row in rows(place / "key.csv")} for place in (course, tmp_path / "other")
    ]
    assert not asked[0] & asked[1]
    assert secrets.read(course / "secret.txt") != secrets.read(tmp_path / "other" / "secret.txt")
    for path in (course / "handout").rglob("*"):
        assert path.is_dir() or secrets.read(course / "secret.txt").encode() not in path.read_bytes()
    code_ = secrets.code(secrets.read(course / "secret.txt"), "ada")
    holding = {path.parent.name for path in course.rglob("*.ipynb") if code_ in path.read_text()}
    assert holding == {"ada"}


def test_what_is_handed_out_to_all_may_be_published(course):
    students = rosters.read(course / "roster.csv")
    secret = secrets.read(course / "secret.txt")
    words = [word for s in students for word in (s.id, s.name, s.email, secrets.code(secret, s.id)) if len(word) > 2]
    for path in (course / "handout").rglob("*"):
        if path.suffix != ".whl":
            text = path.read_text() if path.is_file() else ""
            assert not [word for word in words if re.search(rf"\b{re.escape(word)}\b", f"{path.name}\n{text}")], path
    assert {path.name for path in (course / "students").glob("*.zip")} == {f"{s.folder}.zip" for s in students}
    for student in students:
        with zipfile.ZipFile(course / "students" / f"{student.folder}.zip") as archive:
            found = {name: archive.read(name) for name in archive.namelist()}
        folder = course / "students" / student.folder
        assert found == {f"{student.folder}/{path.name}": path.read_bytes() for path in folder.iterdir()} != {}


def test_the_same_roster_and_secret_make_the_same_course(course, roster, tmp_path):
    again = str(tmp_path / "again" / "course")
    secret = str(course / "secret.txt")
    teach.main(["pack", again, "--roster", str(roster), "--chapters", "4", "--secret", secret])
    assert files(tmp_path / "again" / "course") == files(course)


# What is refused.


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "lists no student"),
        ("id,name\n", "lists no student"),
        ("who,what\nAda,ada\n", "line 1: the first line must name the columns"),
        ("id,name\ncon,Ada\n", "line 2: 'con' is the name of a device"),
        ("id,name\nAUX.txt,Ada\n", "line 2: 'AUX.txt' is the name of a device"),
        ("id,name\na\u202eb,Ada\n", "line 2: an id has letters"),
        ("id,name\nа,Ada\n", "line 2: an id has letters"),  # a Cyrillic letter
        ("id,name\na@x,Ada\na-at-x,Bob\n", "line 3: the id 'a-at-x' is that of line 2"),
        ("id,name\nada,Ada\nbob\n", "line 3: 1 fields where the first line has 2"),
        ("id,name\nada,Ada,x\n", "line 2: 3 fields where the first line has 2"),
        ("id,name\n../ada,Ada\n", "line 2: an id has letters"),
        ("id,name\n.ada,Ada\n", "line 2: an id has letters"),
        ("id,name\nada.,Ada\n", "line 2: an id has letters"),
        ("id,name\n,Ada\n", "line 2: an id has letters"),
        ("id,name\nada,\n", "line 2: 'ada' has no name"),
        ("id,name\nada,A\x07da\n", "line 2: 'ada' has no name that can be printed"),
        ("id,name\nada,Ada\n\nADA,Ada\n", "line 4: the id 'ADA' is that of line 2"),
        ("id,name,email\nada,Ada,nowhere\n", "line 2: 'nowhere' is not an email address"),
        ('id,name\nada,"Ada\n', "line 2: unexpected end of data"),
        (b"id,name\nada,\x81\n", "cannot read the roster"),
        (None, "cannot read the roster"),
    ],
)
def test_a_bad_roster_is_refused_with_its_lines_and_nothing_is_written(tmp_path, capsys, text, complaint):
    path = tmp_path / "roster.csv"
    if text is not None:
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    before = files(tmp_path)
    assert teach.main(["pack", str(tmp_path / "course"), "--roster", str(path)]) == 1
    assert complaint in capsys.readouterr().err
    assert files(tmp_path) == before
    assert not (tmp_path / "course").exists()


def test_all_bad_rows_are_named_at_once(tmp_path, capsys):
    (tmp_path / "roster.csv").write_text("id,name\na b,Ada\nbob,Bob\nbob,Bob\n")
    assert teach.main(["pack", str(tmp_path / "course"), "--roster", str(tmp_path / "roster.csv")]) == 1
    assert re.findall(r"line (\d+): ", capsys.readouterr().err) == ["2", "4"]


ADA, BOB = rosters.Student("ada", "Lovelace, Ada"), rosters.Student("bob", "Bob Müller")


@pytest.mark.parametrize(
    ("data", "students"),
    [
        (b'\xef\xbb\xbfID , Name\r\nada,"Lovelace, Ada"\r\n\r\nbob,Bob M\xc3\xbcller\r\n', [ADA, BOB]),
        ("id;name\nada;Lovelace, Ada\nbob;Bob Müller\n".encode("cp1252"), [ADA, BOB]),
        ("name\tid\nLovelace, Ada\tada\nBob Müller\tbob\n".encode("utf-16"), [ADA, BOB]),
        (  # Moodle
            b'"First name","Last name","ID number","Email address"\nBob,"M\xc3\xbcller",bob,b@x.org\n',
            [rosters.Student("bob", "Bob Müller", "b@x.org")],
        ),
        (  # Canvas
            b'Student,ID,SIS User ID,SIS Login ID,Section\n    Points Possible,,,,\n"Lovelace, Ada",17,ada,al,1\n',
            [rosters.Student("17", "Lovelace, Ada")],
        ),
        (
            "Nachname;Vorname;E-Mail-Adresse\nMüller;Bob;b@x.org\n".encode("cp1252"),
            [rosters.Student("b@x.org", "Bob Müller")],
        ),
    ],
)
def test_a_roster_is_read_as_spreadsheets_and_platforms_save_it(tmp_path, data, students):
    path = tmp_path / "roster.csv"
    path.write_bytes(data)
    assert rosters.read(path) == students
    assert all("@" not in student.folder for student in students)


def test_a_folder_that_is_there_is_left_alone(course, roster, capsys):
    before = files(course)
    assert teach.main(["pack", str(course), "--roster", str(roster)]) == 1
    assert "already exists" in capsys.readouterr().err
    assert files(course) == before


def test_what_fails_in_the_middle_leaves_nothing(tmp_path, roster, monkeypatch):
    calls = iter(range(100))
    real = nbformat.write

    def failing(notebook, path):
        if next(calls) == 5:
            raise OSError("the disk is full")
        real(notebook, path)

    monkeypatch.setattr(nbformat, "write", failing)
    with pytest.raises(OSError, match="the disk is full"):
        packing.pack(tmp_path / "course", rosters.read(roster), [4])
    assert list(tmp_path.iterdir()) == []


def test_a_chapter_that_is_not_there_and_a_folder_that_is_no_course_are_refused(tmp_path, capsys):
    assert teach.main(["pack", str(tmp_path / "course"), "--chapters", "99"]) == 1
    assert "there is no chapter 99" in capsys.readouterr().err
    assert teach.main(["marks", str(tmp_path)]) == 1
    assert "is not a course" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


# Marks.


def answered(notebook, id, code_):
    """A handout with the answers of a student filled in."""
    for cell in notebook.cells:
        own = cell.metadata.get("nbgrader", {})
        if own.get("solution"):
            exercise = dp.exercises.get(own["grade_id"].removeprefix("answer-").replace("-", "."))
            cell.source = exercise.variant(code_).solution
    return notebook


def hand_in(course, id, change):
    notebook = nbformat.read(course / "students" / id / "04_own.ipynb", 4)
    path = course / "submitted" / id / "04_own" / "04_own.ipynb"
    path.parent.mkdir(parents=True)
    change(notebook)
    done = {"metadata": {"path": str(path.parent)}}
    ExecutePreprocessor(timeout=60).preprocess(notebook, done)  # all cells, as a student runs them
    nbformat.write(notebook, path)


def one_wrong(notebook):
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") == "answer-4-3":
            cell.source += "\nanswer_4_3 = answer_4_3[::-1]"


def of(grade):
    return sum(e.points for e in dp.exercises.catalogue(4) if e.draw and grade in (None, e.grade))


NBGRADER = """
from nbgrader.apps import NbGraderAPI
from traitlets.config import Config
config = Config()
exec(open("nbgrader_config.py").read(), {"get_config": lambda: config})
api = NbGraderAPI(config=config)
for done in (api.generate_assignment("04_own"), api.autograde("04_own", "ada"), api.autograde("04_own", "bob")):
    assert done["success"], done["log"]
"""


@pytest.mark.host
def test_nbgrader_takes_the_master_and_comes_to_the_same_marks(course, tmp_path):
    secret = secrets.read(course / "secret.txt")
    hand_in(course, "ada", lambda notebook: answered(notebook, "ada", secrets.code(secret, "ada")))
    hand_in(course, "bob", lambda notebook: one_wrong(answered(notebook, "bob", secrets.code(secret, "bob"))))
    path = f"{sysconfig.get_path('scripts')}{os.pathsep}{os.environ['PATH']}"  # it calls alembic
    environment = os.environ | {"PATH": path, "JUPYTER_PREFER_ENV_PATH": "1", "HOME": str(tmp_path)}
    with open(tmp_path / "log", "w") as log:
        nbgrader = subprocess.Popen(
            [sys.executable, "-c", NBGRADER], cwd=course, env=environment, stdout=log, stderr=log
        )
        assert grading.marks(course) == 2
        assert nbgrader.wait(300) == 0, (tmp_path / "log").read_text()
    # What nbgrader makes of the master is our handout.
    released = nbformat.read(course / "release" / "04_own" / "04_own.ipynb", 4)
    ours = assignments.handout(nbformat.read(course / "source" / "04_own" / "04_own.ipynb", 4))
    for theirs in released.cells:
        for added in ("checksum", "cell_type"):
            theirs.metadata.get("nbgrader", {}).pop(added, None)
    assert json.loads(nbformat.writes(released)) == json.loads(nbformat.writes(ours))
    query = """select a.student_id, sum(g.auto_score) from grade g
        join submitted_notebook n on g.notebook_id = n.id
        join submitted_assignment a on n.assignment_id = a.id group by a.student_id"""
    with contextlib.closing(sqlite3.connect(course / "gradebook.db")) as book:
        theirs = dict(book.execute(query))
    assert theirs == {
        row["student"]: float(row["total"]) for row in rows(course / "marks.csv") if row["student"] in theirs
    }
    assert theirs == {"ada": of(None), "bob": of(None) - dp.exercises.get("4.3").points}
    (made,) = rows(course / "misconceptions.csv")
    assert (made["exercise"], made["students"], made["of"], made["kind"]) == ("4.3", "1", "2", "mistake")
    page = (course / "class.html").read_text(encoding="utf-8")
    assert made["misconception"] in html.unescape(re.sub(r"<[^>]+>", "", page))
