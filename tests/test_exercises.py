"""Exercises: the stub does not pass, the worked answer does, every mistake and all nonsense gets a reply."""

import contextlib
import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dptutor as dp
from dptutor.exercises.core import Exercise, run
from dptutor.exercises.progress import Progress

ROOT = Path(__file__).resolve().parent.parent
CATALOGUE = dp.exercises.catalogue()
every_exercise = pytest.mark.parametrize("exercise", CATALOGUE, ids=lambda e: e.id)


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


# Every exercise.


@every_exercise
def test_the_page_is_whole(exercise):
    assert exercise.grade in ("warm-up", "think", "build")
    assert len(exercise.hints) == 3
    assert len(exercise.mistakes) >= 3 or exercise.judge
    assert all((exercise.title, exercise.question, exercise.explanation, exercise.praise))
    replies = [mistake.reply for mistake in exercise.mistakes]
    assert len({*replies}) == len(replies)


@every_exercise
def test_the_stub_runs_and_does_not_pass(exercise):
    result = exercise.check(run(exercise.stub)[exercise.name])
    assert not result
    assert "nothing to check yet" in result.message


@every_exercise
def test_the_worked_answer_passes(exercise):
    result = exercise.check(run(exercise.solution)[exercise.name])
    assert result.passed, result.message
    assert result.message == exercise.praise


@every_exercise
def test_every_mistake_gets_its_own_reply(exercise):
    for mistake in exercise.mistakes:
        assert not exercise.check(mistake.answer)
        assert exercise.check(mistake.answer).message == mistake.reply


class Stubborn:
    """Neither shows itself nor becomes a number."""

    def __repr__(self):
        raise RuntimeError("no words")

    def __float__(self):
        raise RuntimeError("no number")


NONSENSE = [
    None,
    ...,
    3,
    -1.5,
    math.nan,
    math.inf,
    "0.5",
    [],
    {},
    [1, [2]],
    object(),
    np.zeros((0, 3)),
    1j,
    np.array([1j, 0.5]),
    10**400,
    Stubborn(),
    dp.PerfectPrivacy(),
    dict,
    print,
]


@every_exercise
@pytest.mark.parametrize("nonsense", NONSENSE, ids=lambda x: type(x).__name__)
def test_nonsense_is_answered(exercise, nonsense, capsys):
    for answer in (nonsense, lambda *arguments: nonsense):
        result = exercise.check(answer)
        assert not result.passed
        assert result.message
        assert "Traceback" not in result.message


@given(
    st.sampled_from(CATALOGUE), st.floats() | st.text() | st.lists(st.floats(), max_size=4) | st.none() | st.booleans()
)
def test_anything_at_all_is_answered(exercise, anything):
    assert exercise.check(anything).message
    assert exercise.check(lambda *arguments: anything).message


@every_exercise
def test_the_chapter_asks_for_it_by_the_same_title(exercise):
    pages = list((ROOT / "book").glob(f"{exercise.chapter:02}_*.md"))
    text = pages[0].read_text(encoding="utf-8")
    if isinstance(exercise, dp.exercises.Question):  # stands there as a whole
        assert f"dp.exercises.questions(chapter={exercise.chapter})" in text
    else:
        assert f"{exercise.id} {exercise.title}" in re.findall(r"\{exercise\} (.+)", text)


@every_exercise
def test_the_notebook_has_its_stub_and_its_check(exercise):
    notebook = json.loads((ROOT / "notebooks" / f"{exercise.chapter:02}_exercises.ipynb").read_text(encoding="utf-8"))
    cells = ["".join(cell["source"]) for cell in notebook["cells"]]
    assert any(exercise.stub.strip() in cell and f'check("{exercise.id}", {exercise.name})' in cell for cell in cells)


# Answers in other forms, and functions that go wrong.

EXAMPLE = Exercise(
    id="0.1",
    grade="warm-up",
    title="Half",
    question="Write half(x).",
    name="half",
    stub="def half(x):\n    ...\n",
    solution="def half(x):\n    return x / 2\n",
    explanation="Divide by two.",
    hints=("a", "b", "c"),
    praise="Right.",
    cases=((1.0,), (3.0,)),
    laws=(lambda result, x: "Yours is larger than x." if result[0] > x else None,),
)


@pytest.mark.parametrize("other", [lambda x: np.array([x / 2]), lambda x: np.float32(x / 2), lambda x: [x * 0.5]])
def test_a_right_answer_in_another_form_passes(other):
    assert EXAMPLE.check(other)


def looped(x):
    while True:
        pass


def looped_and_careless(x):
    while True:
        with contextlib.suppress(Exception):
            looped(x)


def left(x):
    raise SystemExit


def deep(x):
    return deep(x)


@pytest.mark.parametrize(
    ("answer", "reply"),
    [
        (lambda x: 1 / 0, r"At x = 1.0 it stops with ZeroDivisionError: division by zero"),
        (lambda x, y: x, r"stops with TypeError"),
        (deep, r"stops with RecursionError"),
        (left, r"At x = 1.0 it stops with SystemExit$"),
        (lambda x: 1j * x, r"it is complex"),
        (lambda x: 2 * x, r"Yours is larger than x. That is so at x = 1.0, for one."),
        (lambda x: x / 3, r"At x = 1.0 your answer is 0.333333, which is too small"),
        (lambda x: 0.5 if x == 1 else None, r"At x = 3.0 your function returns nothing"),
        (lambda x: math.nan, r"not a number"),
        (lambda x: "one half", r"should be a number, but it is 'one half'"),
        (0.5, r"half should be a function, but it is 0.5"),
    ],
)
def test_what_goes_wrong_is_said(answer, reply):
    assert re.search(reply, EXAMPLE.check(answer).message)


@pytest.mark.parametrize("endless", [looped, looped_and_careless])
def test_a_loop_without_end_is_ended(endless, monkeypatch):
    monkeypatch.setattr("dptutor.exercises.core._PATIENCE", 0.2)
    assert "Does a loop never end?" in EXAMPLE.check(endless).message


# Help and progress.


def test_hints_come_one_by_one_and_then_the_solution():
    given_hints = [repr(dp.exercises.hint("1.3")) for _ in range(4)]
    assert [text[:11] for text in given_hints] == ["Hint 1 of 3", "Hint 2 of 3", "Hint 3 of 3", "Hint 3 of 3"]
    assert "def tradeoff" in repr(dp.exercises.solution("1.3"))
    assert "<pre>" in dp.exercises.solution("1.3")._repr_html_()


def test_progress_is_a_file_to_see_to_copy_and_to_delete(tmp_path):
    exercise = dp.exercises.get("1.5")
    assert not dp.exercises.check("1.5", 3)
    assert dp.exercises.check("1.5", exercise.answer)
    progress = dp.exercises.progress()
    assert progress.records["1.5"] == {"tries": 2, "hints": 0, "passed": True, "saw_solution": False}
    assert json.loads(Path("progress-dptutor.json").read_text())["1.5"]["passed"]
    assert re.search(r"1\.5 .*solved +2 +0", repr(progress))
    assert "<table>" in progress._repr_html_()
    copy = progress.export(tmp_path / "copy.json")
    assert json.loads(copy.read_text()) == progress.records
    progress.erase()
    assert not Path("progress-dptutor.json").exists()
    assert progress.records == {}


def test_progress_survives_a_broken_file_and_a_folder_that_is_not_ours(tmp_path):
    (tmp_path / "broken.json").write_text("{")
    broken = Progress(tmp_path / "broken.json")
    assert broken.records == {}
    assert broken.note("1.1", tries=1)["tries"] == 1
    nowhere = Progress(tmp_path / "no" / "folder.json")
    nowhere.note("1.1", tries=1)
    assert nowhere.note("1.1", tries=1)["tries"] == 2


def test_an_exercise_that_is_not_there_is_said_to_be_so():
    with pytest.raises(ValueError, match=r"id must be one of 1\.a, .*, got '9\.99'"):
        dp.exercises.get("9.99")


def test_the_catalogue_is_in_order_and_by_chapter():
    ids = [exercise.id for exercise in CATALOGUE]
    parts = [id.split(".") for id in ids]  # questions have letters, and stand before the numbers
    assert parts == sorted(parts, key=lambda part: (int(part[0]), part[1].isdigit(), part[1]))
    assert {e.chapter for e in dp.exercises.catalogue(1)} == {1}
