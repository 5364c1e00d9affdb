"""Exercises: the stub does not pass, the worked answer does, every mistake and all nonsense gets a reply."""

import contextlib
import json
import math
import os
import random
import re
import threading
import time
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path

import conftest
import numpy as np
import pytest
from conftest import each
from hypothesis import given
from hypothesis import strategies as st

import dptutor as dp
from dptutor.exercises.judging.core import Exercise
from dptutor.exercises.judging.judge import names_in, run
from dptutor.exercises.learners.progress import Progress
from exercising import with_exercises

ROOT = Path(__file__).resolve().parent.parent
CATALOGUE = dp.exercises.catalogue()


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with dp.exercises.Learner() as learner:
        learner.case = 1  # whoever has chosen none is told so
        yield


# Every exercise.


@each(CATALOGUE)
def test_the_page_is_whole(exercise):
    assert exercise.grade in ("warm-up", "think", "build")
    assert len(exercise.hints) == 3
    assert len(exercise.mistakes) >= 3 or exercise.judge
    assert all((exercise.title, exercise.question, exercise.explanation, exercise.praise))
    replies = [mistake.reply for mistake in exercise.mistakes]
    assert len({*replies}) == len(replies)


@each(CATALOGUE)
def test_stubs_do_not_pass_and_worked_answers_do_and_mistakes_get_their_own_replies(exercise):
    assert exercise.check(run(exercise.stub)[exercise.name]).kind == "nothing"
    result = exercise.check(run(exercise.solution)[exercise.name])
    assert result.passed and result.message == exercise.praise, result.message
    for mistake in exercise.mistakes:
        result = exercise.check(mistake.answer)
        assert not result.passed and result.message == mistake.reply, result.message


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
    "\ud800",
    b"one",
    {1, 2},
    np.array([0.5, "a", None], dtype=object),
    np.ma.masked_array([1.0, 2.0], mask=[True, False]),
    np.datetime64("2026-01-01"),
    Exception("no"),
]


@each(CATALOGUE)
def test_nonsense_is_answered(exercise):
    for nonsense in NONSENSE if conftest.everything else random.Random(exercise.id).sample(NONSENSE, 4):
        for answer in (nonsense, lambda *arguments, nonsense=nonsense: nonsense):
            result = exercise.check(answer)
            assert not result.passed, type(nonsense)
            for text in (result.message, repr(result), result._repr_html_()):
                assert text and "Traceback" not in text, type(nonsense)
                text.encode()  # can be sent to a page


@given(
    st.sampled_from(CATALOGUE), st.floats() | st.text() | st.lists(st.floats(), max_size=4) | st.none() | st.booleans()
)
def test_anything_at_all_is_answered(exercise, anything):
    assert exercise.check(anything).message
    assert exercise.check(lambda *arguments: anything).message


class Rude(Exception):
    """An exception that does not tell what is wrong."""

    def __str__(self):
        raise RuntimeError("no words")


def raising(error):
    def raises(*arguments):
        raise error

    return raises


@each(CATALOGUE)
def test_every_chapter_and_notebook_asks_for_its_exercises(exercise):
    (page,) = (ROOT / "book").glob(f"{exercise.chapter:02}_*.md")
    text = with_exercises(page.read_text(encoding="utf-8"), exercise.chapter)
    if isinstance(exercise, dp.exercises.Question):  # stands there as a whole
        assert f"dp.exercises.questions(chapter={exercise.chapter})" in text
    else:
        assert f"{exercise.id} {exercise.title}" in re.findall(r"\{exercise\} (.+)", text)
    goals = re.search(r"You will be able to\n((?:- .*\n)+)", text)[1].count("\n")
    assert exercise.goals and set(exercise.goals) <= set(range(1, goals + 1)), "`goals` counts those of the chapter"
    notebook = (ROOT / "notebooks" / f"{exercise.chapter:02}_exercises.ipynb").read_text(encoding="utf-8")
    cells = ["".join(cell["source"]) for cell in json.loads(notebook)["cells"]]
    check = f'check("{exercise.id}", {exercise.name})'
    assert any(exercise.stub.strip() in cell and check in cell for cell in cells), "no stub"


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
    goals=(1,),
    cases=((1.0,), (3.0,)),
    laws=(lambda result, x: "Yours is larger than x." if result[0] > x else None,),
)


RIGHT = [
    lambda x: np.array([x / 2]),
    lambda x: np.float32(x / 2),
    lambda x: [x * 0.5],
    lambda x: Fraction(x) / 2,
    lambda x: complex(x / 2),
    lambda x: (y / 2 for y in (x,)),
    lambda x: {"half": x / 2}.values(),
    lambda x: Decimal(x) / 2,
    partial(lambda by, x: x / by, 2),
    lambda x, by=2: x / by,
]


@pytest.mark.parametrize("other", RIGHT)
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
        (raising(Rude()), r"stops with Rude"),
        (lambda x: 1j * x, r"it is complex"),
        (lambda x: 2 * x, r"At x = 1.0 you give 2. Yours is larger than x."),
        (lambda x: x / 3, r"At x = 1.0 your answer is 0.333333, which is too small"),
        (lambda x: 0.5 if x == 1 else None, r"At x = 3.0 your function returns nothing"),
        (lambda x: math.nan, r"not a number"),
        (lambda x: "one half", r"should be a number, but it is 'one half'"),
        (lambda x: f"{50 * x} %", r"should be a number, but it is '50.0 %'"),
        (lambda x: [repr(x / 2)], r"should be a number, but it is \['0.5'\]"),
        (0.5, r"half should be a function, but it is 0.5"),
    ],
)
def test_what_goes_wrong_is_said(answer, reply):
    assert re.search(reply, EXAMPLE.check(answer).message)


def test_a_function_that_prints_is_told_so_and_one_that_is_not_written_yet_is_not():
    assert "print its result" in EXAMPLE.check(lambda x: print(x / 2)).message
    assert "nothing to check yet" in EXAMPLE.check(run(EXAMPLE.stub)["half"]).message


@pytest.mark.parametrize(
    ("id", "place", "end"),
    [("1.4", 0, 1), ("1.6", 2, 0), ("2.1", 2, 0), ("2.4", 2, 0.9), ("2.5", 2, 0), ("2.5", 2, 1), ("4.2", 1, 1),
     ("6.4", 2, 0), ("6.4", 2, 1), ("7.4", 2, 0), ("7.4", 2, 1), ("11.2", 1, 0), ("11.2", 1, 1)],
)  # fmt: skip
def test_what_is_wrong_only_at_an_end_does_not_pass(id, place, end):
    exercise = dp.exercises.get(id)
    assert not exercise.check(lambda *case: np.asarray(exercise.answer(*case)) + (case[place] == end)).passed


def test_advice_on_a_stumble_is_given_only_where_no_number_comes_out():
    density = dp.exercises.get("8.5")
    assert "density over priors" in density.check(lambda a, b, epsilon: math.nan).message
    assert "density over priors" not in density.check(lambda a, b, epsilon: "much").message


def test_what_is_true_or_false_is_not_too_large():
    exercise = dp.exercises.get("6.3")
    assert re.search("your answer is (True|False), and it should not be", exercise.check(lambda *case: True).message)


def test_nearly_right_is_said_with_how_nearly():
    assert "off by 0.00015 at most, where less than 10⁻⁶" in EXAMPLE.check(lambda x: x / 2 * 1.0001).message


def names(x):
    return norm_of(x)


def norm_of(x):
    return [math.hypot(y) for y in (x,)]


def test_the_names_that_an_answer_uses_are_found_in_what_it_calls():
    assert {"norm_of", "math", "hypot"} <= names_in(names)


def careless(x):
    while True:
        try:  # noqa: SIM105
            looped(x)
        except:  # noqa: E722
            pass


def endless_numbers(x):
    while True:
        yield 1 + x


def asleep(x):
    time.sleep(3)


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr("dptutor.exercises.judging.judge._PATIENCE", 0.2)


@pytest.mark.deep
@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("endless", [looped, looped_and_careless, careless, asleep])
def test_a_loop_without_end_is_ended(endless):
    assert "Does a loop never end?" in EXAMPLE.check(endless).message


@pytest.mark.deep
@pytest.mark.usefixtures("impatient")
def test_a_loop_without_end_is_ended_in_any_thread_and_does_not_live_on():
    before, results = set(threading.enumerate()), []
    thread = threading.Thread(target=lambda: results.append(EXAMPLE.check(looped)))
    thread.start()
    thread.join(10)
    assert "Does a loop never end?" in results[0].message
    assert set(threading.enumerate()) <= before


def test_a_series_without_end_is_not_waited_for():
    assert not EXAMPLE.check(endless_numbers)


def test_a_list_that_is_sorted_in_place_spoils_nothing():
    exercise = dp.exercises.get("1.6")

    def sorting(p, q, alpha):
        p.sort()
        q.sort()

    assert not exercise.check(sorting)
    assert exercise.check(exercise.answer)


def test_warnings_of_a_learners_arithmetic_are_not_shown():
    assert "infinite" in EXAMPLE.check(lambda x: np.array([x]) / 0).message


# Random inputs, and numbers of one's own.

VARYING = [exercise for exercise in CATALOGUE if exercise.draw]


def test_an_answer_that_only_knows_the_chosen_arguments_does_not_pass():
    exercise = dp.exercises.get("1.3")
    known = {case: exercise.answer(*case) for case in exercise.cases}
    assert not exercise.check(lambda *case: known.get(case, 0.5))


def test_every_chapter_has_exercises_with_numbers_of_ones_own():
    assert {e.chapter for e in VARYING} >= {e.chapter for e in CATALOGUE if not e.judge}


@pytest.mark.parametrize("exercise", VARYING, ids=lambda e: e.id)
def test_a_variant_is_an_exercise_like_any_other(exercise):
    questions = set()
    for seed in range(5):
        own = exercise.variant(seed)
        assert "nothing to check yet" in own.check(run(own.stub)[own.name]).message
        right = run(own.solution)[own.name]
        rounded = [float(f"{x:.4g}") for x in np.ravel(right)]
        assert own.check(right) and own.check(rounded)
        assert not own.check(np.asarray(right) * 1.01)
        assert len(own.mistakes) >= 3
        for mistake in own.mistakes:
            assert own.check(mistake.answer).message == mistake.reply
        questions.add(own.question)
    assert len(questions) == 5


def test_the_numbers_of_a_seed_are_the_same_everywhere_and_forever():
    assert "Your own numbers: threshold = " in dp.exercises.ask("1.2", seed="s01").words
    assert dp.exercises.get("1.2").variant("s01").stub.splitlines()[-1] == "answer_1_2 = errors(-0.952, 0.616)"
    assert dp.exercises.get("1.2").variant(7).question == dp.exercises.get("1.2").variant("7").question


def test_a_variant_is_checked_and_solved_by_its_seed():
    own = dp.exercises.get("4.3").variant("Ada")
    assert dp.exercises.check("4.3", own.answer, seed="Ada")
    assert not dp.exercises.check("4.3", own.answer, seed="Bob")
    assert own.solution in repr(dp.exercises.solution("4.3", seed="Ada"))


def test_an_exercise_without_numbers_says_that_it_has_no_variant():
    with pytest.raises(ValueError, match=r"exercise 4\.6 has no numbers that can vary"):
        dp.exercises.get("4.6").variant(1)


def test_a_check_of_a_class_shows_its_reply_and_fails_without_a_traceback(capsys):
    wrong = EXAMPLE.check(0.5)
    with pytest.raises(AssertionError, match="should be a function") as failed:
        wrong.insist()
    assert capsys.readouterr().out == f"{wrong!r}\n"
    assert failed.value._render_traceback_() == ["This check has not passed yet."]
    EXAMPLE.check(lambda x: x / 2).insist()
    assert capsys.readouterr().out == "✔ Right.\n"


# Help and progress.


def test_hints_come_one_by_one_and_then_the_solution():
    given_hints = [repr(dp.exercises.hint("1.3")) for _ in range(4)]
    assert [text[:11] for text in given_hints] == ["Hint 1 of 3", "Hint 2 of 3", "Hint 3 of 3", "Hint 3 of 3"]
    assert [text.count("There are no more") for text in given_hints] == [0, 0, 0, 1]
    assert dp.exercises.progress().records["1.3"]["hints"] == 3
    assert "def tradeoff" in repr(dp.exercises.solution("1.3"))
    assert re.search(r"1\.3 .*solution seen +0 +3", repr(dp.exercises.progress()))
    assert "<pre>" in dp.exercises.solution("1.3")._repr_html_()


def test_progress_is_a_file_to_see_to_copy_and_to_delete(tmp_path):
    exercise = dp.exercises.get("1.5")
    assert not dp.exercises.check("1.5", 3)
    assert dp.exercises.check("1.5", exercise.answer)
    progress = dp.exercises.progress()
    assert progress.records["1.5"] == {"tries": 2, "hints": 0, "passed": True, "saw_solution": False}
    assert json.loads(progress.path.read_text())["1.5"]["passed"]
    assert re.search(r"1\.5 .*solved +2 +0", repr(progress))
    assert "<table>" in progress._repr_html_()
    copy = progress.export(tmp_path / "copy.json")
    assert json.loads(copy.read_text()) == progress.records | {"numbering": 2}
    progress.erase()
    assert not progress.path.exists()
    assert progress.records == {}


def test_a_file_that_is_deleted_by_hand_is_forgotten():
    dp.exercises.check("1.5", 3)
    dp.exercises.progress().path.unlink()
    assert dp.exercises.progress().records == {}


def test_a_ring_for_every_chapter_fills_as_its_exercises_are_solved():
    progress = dp.exercises.progress()
    assert "chapter 1  ○○○○○○○" in repr(progress)
    assert "<table>" not in progress._repr_html_()
    for exercise in dp.exercises.catalogue(1):
        dp.exercises.check(exercise.id, exercise.answer)
    all_of_them = len(dp.exercises.catalogue(chapter=1))
    assert re.search(rf"chapter 1  ●{{{all_of_them}}} +{all_of_them} of {all_of_them}", repr(progress))
    rings = re.findall(r"<svg.*?</svg>", progress._repr_html_())
    assert len(rings) == len({e.chapter for e in CATALOGUE})
    assert 'data-full="true"' in rings[0] and f'"chapter 1: {all_of_them} of {all_of_them} solved"' in rings[0]
    assert "100.0 100" in rings[0]
    assert 'data-full="false"' in rings[1] and "dasharray" not in rings[1]


@pytest.mark.parametrize("content", ['{"1.1": 5}', '{"1.1": {"tries": "x"}}', "[1]", "null", '{"1.1": {"tries": 1}}'])
def test_progress_survives_what_somebody_wrote_into_its_file(tmp_path, content):
    (tmp_path / "own.json").write_text(content)
    progress = Progress(tmp_path / "own.json")
    assert progress.note("1.1", tries=1)["tries"] == 1
    assert "1.1" in repr(progress) and progress._repr_html_()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="has no named pipes")
def test_progress_replaces_nothing_but_a_file(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for place in ("pipe", "folder"):
        progress = Progress(tmp_path / place)
        progress._write({"1.a": {}})
        assert not progress.path.is_file()
        assert [path.name for path in sorted(tmp_path.iterdir())] == ["folder", "pipe"]


def test_progress_survives_a_broken_file_and_a_folder_that_is_not_ours(tmp_path):
    (tmp_path / "broken.json").write_text("{")
    broken = Progress(tmp_path / "broken.json")
    assert broken.records == {}
    assert broken.note("1.1", tries=1)["tries"] == 1
    nowhere = Progress(tmp_path / "no" / "folder.json")
    nowhere.note("1.1", tries=1)
    assert nowhere.note("1.1", tries=1)["tries"] == 2


def test_an_exercise_that_is_not_there_is_said_to_be_so():
    assert dp.exercises.get(" 7.2 ") is dp.exercises.get("7.2")
    with pytest.raises(
        ValueError, match=r"^there is no exercise '7\.22'; did you mean 7\.2\? \(chapter 7 has 7\.a to 7\.\d\)$"
    ):
        dp.exercises.hint("7.22")
    with pytest.raises(ValueError, match=r"^there is no exercise '9\.99'; did you mean 9\."):
        dp.exercises.get("9.99")


def test_the_catalogue_is_in_order_and_by_chapter():
    ids = [exercise.id for exercise in CATALOGUE]
    parts = [id.split(".") for id in ids]  # questions have letters, and stand before the numbers
    assert parts == sorted(parts, key=lambda part: (int(part[0]), part[1].isdigit(), part[1]))
    assert {e.chapter for e in dp.exercises.catalogue(1)} == {1}
