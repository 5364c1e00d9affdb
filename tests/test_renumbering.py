"""What was stored while the capstone was chapter 14 is that of chapter 20, and never that of the new chapter 14."""

import json
import os
import shutil
from dataclasses import replace

import nbformat
import pytest
from test_classroom import SECRET, executed, isolated, put, rows  # noqa: F401 - a fixture

import dptutor as dp
import room
from classroom import assignments, collecting, grading, marking, packing, roster, secrets
from dptutor.exercises import HandIn
from dptutor.exercises.judging.core import Exercise
from dptutor.exercises.learners.handing_in import Record
from dptutor.exercises.learners.progress import Progress
from dptutor.exercises.renumbering import MARK, NUMBERING

ADA = roster.Student("ada", "Ada Ott")
DONE = {"tries": 2, "hints": 1, "passed": True, "saw_solution": False}
TRIED = {"tries": 3, "hints": 0, "passed": False, "saw_solution": True}


@pytest.fixture(autouse=True)
def own_learner(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with dp.exercises.Learner():
        yield


@pytest.fixture
def new_chapter(monkeypatch):
    """A catalogue in which there is an exercise 14.1 that is not of the capstone."""
    others = tuple(e for e in dp.exercises.catalogue() if e.chapter != 14)
    new: Exercise = replace(dp.exercises.get("1.1"), id="14.1")
    monkeypatch.setattr("dptutor.exercises.lookup._all", lambda: (*others, new))
    return new


def test_a_number_of_the_capstone_of_before_is_no_exercise_or_that_of_the_new_chapter(monkeypatch, new_chapter):
    assert dp.exercises.check("14.1", new_chapter.answer)
    assert list(dp.exercises.progress().records) == ["14.1"]
    with pytest.raises(
        ValueError, match=r"there is no exercise 14\.2: the capstone is chapter 20 now, and what was 14\.2 is 20\.2$"
    ):
        dp.exercises.check("14.2", {})


# A learner's file.


def written(path, records):
    path.write_text(json.dumps(records), encoding="utf-8")
    return Progress(path)


def test_progress_of_before_is_that_of_chapter_20(tmp_path):
    before = written(tmp_path / "own.json", {"1.3": DONE, "14.1": DONE, "14.8": TRIED})
    assert before.records == {"1.3": DONE, "20.1": DONE, "20.8": TRIED}
    before.note("14.1", tries=1)
    before.note("20.8", tries=1, passed=True)
    once = {"1.3": DONE, "20.1": DONE, "20.8": TRIED | {"tries": 4, "passed": True}}
    assert before.records == once | {"14.1": TRIED | {"tries": 1, "saw_solution": False}}
    assert Progress(before.path).records == before.records  # and stays so, however often it is read
    assert json.loads(before.path.read_text())[MARK] == NUMBERING


def test_a_copy_of_before_can_be_put_in_place_and_one_of_today_is_not_changed(tmp_path):
    copy = written(tmp_path / "copy.json", {"14.2": DONE}).export(tmp_path / "again.json")
    assert Progress(copy).records == {"20.2": DONE}
    written(copy, {"14.2": DONE, "20.2": TRIED, MARK: NUMBERING})
    assert Progress(Progress(copy).export(tmp_path / "more.json")).records == {"14.2": DONE, "20.2": TRIED}


def test_progress_that_two_versions_have_written_is_added_up(tmp_path):
    both = written(tmp_path / "own.json", {"14.1": DONE, "20.1": TRIED})
    assert both.records == {"20.1": {"tries": 5, "hints": 1, "passed": True, "saw_solution": True}}


def test_nothing_is_lost_if_the_first_change_is_interrupted(tmp_path, monkeypatch):
    before = written(tmp_path / "own.json", {"14.1": DONE})
    text = before.path.read_text()

    def stop(*places):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", stop)
        with pytest.raises(KeyboardInterrupt):
            before.note("1.1", tries=1)
    assert before.path.read_text() == text
    assert Progress(before.path).records == {"20.1": DONE}
    Progress(before.path).note("1.1", tries=1)
    assert Progress(before.path).records == {"20.1": DONE, "1.1": TRIED | {"tries": 1, "saw_solution": False}}


@pytest.mark.parametrize("mark", ["2", None, [2], 7, 2.0])
def test_a_mark_that_somebody_wrote_stops_nothing(tmp_path, mark):
    assert written(tmp_path / "own.json", {"1.3": DONE, MARK: mark}).records == {"1.3": DONE}


# A class.


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A course of the capstone."""
    folder = tmp_path_factory.mktemp("course") / "now"
    packing.pack(folder, [ADA], [20], SECRET)
    return folder


@pytest.fixture(scope="module")
def old_course(course, tmp_path_factory):
    """The same as it was packed before."""
    folder = shutil.copytree(course, tmp_path_factory.mktemp("course") / "before")
    for path in [*folder.glob("source/*/*.ipynb"), *folder.glob("handout/*.ipynb"), *folder.glob("students/*/*.ipynb")]:
        text = path.read_text(encoding="utf-8")
        for now, before in {
            "20_exercises": "14_exercises",
            "20-": "14-",
            "-20-": "-14-",
            "20.": "14.",
            f", numbering={NUMBERING}": "",
            f"numbering={NUMBERING}": "",
        }.items():
            text = text.replace(now, before)
        notebook = nbformat.reads(text, 4)
        del notebook.metadata.dptutor[MARK]
        path.unlink()
        place = path.parent.parent / path.parent.name.replace("20_", "14_") / path.name.replace("20_", "14_")
        place.parent.mkdir(exist_ok=True)
        nbformat.write(notebook, place)
    (folder / "source" / "20_exercises").rmdir()
    return folder


def solved(path):
    """A handout with right answers, as a student who has not run it has it."""
    notebook = nbformat.read(path, 4)
    for cell in notebook.cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id", "")
        if name in ("answer-14-1", "answer-20-1"):
            case = secrets.case_number(secrets.code(SECRET, "ada"))
            cell.source = dp.exercises.get("20.1").solution.replace("case()", f"case({case})")
    return notebook


def points(folder):
    assert grading.marks(folder, lambda *said, **how: None)
    replies = {row["exercise"]: row["points"] for row in rows(folder / "replies.csv")}
    shutil.rmtree(folder / "submitted")
    (folder / grading.STATE).unlink(missing_ok=True)
    return replies


@pytest.mark.usefixtures("new_chapter")
def test_a_course_of_before_is_marked_as_it_was(old_course, monkeypatch):
    handout = old_course / "students" / "ada" / "14_exercises.ipynb"
    master = nbformat.read(old_course / "source" / "14_exercises" / "14_exercises.ipynb", 4)
    assert "dp.exercises.HandIn('ada', " in handout.read_text() and MARK not in handout.read_text()
    assert assignments.exercises_of(master)[0] == ("20.1", dp.exercises.get("20.1").points, False)
    put(old_course, "ada/14_exercises/14_exercises.ipynb", executed(solved(handout), monkeypatch))
    assert points(old_course)["20.1"] == str(dp.exercises.get("20.1").points)


@pytest.mark.usefixtures("isolated")
@pytest.mark.usefixtures("new_chapter")
def test_a_notebook_of_before_without_its_values_is_run_as_it_was(old_course):
    put(old_course, "ada/14_exercises.ipynb", solved(old_course / "students" / "ada" / "14_exercises.ipynb"))
    assert points(old_course)["20.1"] == str(dp.exercises.get("20.1").points)


@pytest.mark.usefixtures("new_chapter")
def test_a_hand_in_of_before_belongs_to_the_capstone_of_today(course, old_course, monkeypatch):
    """Whatever its name is now that of: the course was packed again, with the same secret."""
    done = executed(solved(old_course / "students" / "ada" / "14_exercises.ipynb"), monkeypatch)
    put(course, "ada/14_exercises/14_exercises.ipynb", done)
    found, left = collecting.collected(course / "submitted", [ADA], ["14_exercises", "20_exercises"], SECRET)
    assert [one.assignment for one in found] == ["20_exercises"] and not left
    assert points(course)["20.1"] == str(dp.exercises.get("20.1").points)


def test_a_record_of_before_is_that_of_the_capstone(monkeypatch, new_chapter):
    assert Record.read({"exercise": "14.1", "answer": 1}).exercise == "20.1"
    seen = []
    monkeypatch.setattr(HandIn, "_show", lambda hand_in, data, words: seen.append(data))
    HandIn("ada", "4f1c", NUMBERING).check("14.1", new_chapter.answer)
    HandIn("ada", "4f1c").check("14.1", {})
    assert [Record.read(json.loads(json.dumps(data))).exercise for data in seen] == ["14.1", "20.1"]


def test_a_course_of_today_names_its_numbering(course):
    text = (course / "students" / "ada" / "20_exercises.ipynb").read_text(encoding="utf-8")
    notebook = nbformat.reads(text, 4)
    assert notebook.metadata.dptutor == {"assignment": "20_exercises", MARK: NUMBERING}
    assert f"numbering={NUMBERING})" in text
    assert marking.Assignment.of("20_exercises", notebook, "ada", SECRET).exercises[0][0] == "20.1"


# A lecture room.


def test_votes_of_before_are_those_of_lecture_20(tmp_path):
    file = tmp_path / "results.jsonl"
    line = {"key": "14_lecture offer", "phone": f"{1:016x}", "value": 1}
    file.write_text("\n".join(json.dumps(one) for one in (line, line | {MARK: NUMBERING, "value": 0})))
    assert room.Room(file).tally() == {"20_lecture offer": [1], "14_lecture offer": [0]}
