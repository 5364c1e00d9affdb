"""A wrong function as a picture: over the right one where that gives nothing away, marked where it is wrong."""

import base64
import inspect
import re

import numpy as np
import pytest

import dptutor as dp
from dptutor.exercises.judging.calling import breach, here
from dptutor.exercises.judging.drawing import Curve, drawn

pytestmark = pytest.mark.cases(6)

CATALOGUE = dp.exercises.catalogue()
DRAWN = [exercise for exercise in CATALOGUE if exercise.curve]
# Exercises whose curve is their answer: a corner, a constant, a formula of one number.
HIDDEN = {"1.4", "5.4", "6.6", "7.2", "7.5", "8.3", "10.1"}


@pytest.fixture(autouse=True)
def unhurried(monkeypatch):
    """What is too slow to be drawn depends on what else the machine does."""
    monkeypatch.setattr("dptutor.exercises.judging.drawing._QUICK", 60.0)


def test_most_exercises_with_a_curve_are_drawn_and_only_some_without_the_right_one():
    assert len(DRAWN) >= 45 and {e.chapter for e in DRAWN} == {e.chapter for e in CATALOGUE if not e.judge}
    assert {e.id for e in DRAWN if e.curve.hidden} == HIDDEN


@pytest.mark.parametrize("exercise", DRAWN, ids=lambda e: e.id)
def test_a_mistake_is_drawn_where_it_is_wrong(exercise):
    wrong = exercise.mistakes[0].answer
    picture = drawn(exercise, wrong, list(here(wrong, exercise.tried, exercise.shape, 5.0)))
    assert picture is not None and np.all(np.isfinite(picture.given)) and len(picture.x) == len(picture.given)
    assert (picture.right is None) == exercise.curve.hidden
    if picture.right is not None and not picture.law:
        off = np.abs(picture.given - picture.right)
        assert off[picture.place] == np.max(off) > 0
    assert picture.over in picture.words


@pytest.mark.parametrize("exercise", DRAWN, ids=lambda e: e.id)
def test_the_right_curve_breaks_no_law(exercise):
    along = [*exercise.tried[0]]
    names = list(inspect.signature(exercise.answer).parameters)
    place = names.index(exercise.curve.over)
    values = [case[place] for case in exercise.tried]
    for x in np.linspace(min(values), max(values), 21):
        case = (*along[:place], float(x), *along[place + 1 :])
        (right,) = exercise.truths([case])
        assert not any(breach(law, right, case) for law in exercise.laws)


def test_a_law_is_marked_where_it_is_broken():
    picture = dp.exercises.check("1.3", lambda alpha, mu: np.exp(-alpha)).drawing
    assert "above that" in picture.law and picture.law in picture.words
    assert picture.given[picture.place] > 1 - picture.x[picture.place]
    assert [text.get_text() for text in picture.plot().get_legend().get_texts()] == ["yours", "right", "breaks a law"]


def test_what_would_give_the_answer_away_is_not_drawn():
    picture = dp.exercises.check("1.4", lambda alpha, epsilon: (1 - alpha) ** 2).drawing
    assert [text.get_text() for text in picture.plot().get_legend().get_texts()] == ["yours", "farthest off"]
    assert "the right one" not in picture.words


def test_a_notebook_shows_the_picture_with_its_words():
    page = dp.exercises.check("1.3", lambda alpha, mu: 1 - alpha)._repr_html_()
    assert page.startswith("<p ") and re.search(r'<img alt="Your tradeoff along alpha at mu = [^"]+"', page)
    assert base64.b64decode(re.search(r"base64,([^\"]+)", page)[1]).startswith(b"\x89PNG")


@pytest.mark.parametrize(
    "answer",
    [
        lambda alpha, mu: 1 / 0,
        lambda alpha, mu: "half",
        lambda alpha, mu: None,
        lambda alpha, mu: (0.1, 0.2),
        lambda alpha, mu: 0.5 if round(alpha, 2) == alpha else np.nan,
        0.5,
        None,
    ],
)
def test_what_is_no_curve_is_not_drawn(answer):
    assert dp.exercises.check("1.3", answer).drawing is None


def test_a_right_answer_and_one_number_are_not_drawn():
    assert dp.exercises.check("1.3", dp.exercises.get("1.3").answer).drawing is None
    assert dp.exercises.check("1.3", 0.5, seed="Ada").drawing is None


def test_an_argument_is_named_that_the_exercise_has():
    for exercise in DRAWN:
        assert isinstance(exercise.curve, Curve)
        assert exercise.curve.over in inspect.signature(exercise.answer).parameters


# Praise.


def said(id, *answers):
    return [dp.exercises.check(id, answer).message for answer in answers]


def test_a_mistake_that_gives_way_to_another_is_not_praised():
    exercise = dp.exercises.get("1.3")
    first, second = exercise.mistakes[:2]
    replies = said("1.3", first.answer, first.answer, second.answer, second.answer, exercise.answer, exercise.answer)
    assert replies == [
        first.reply,
        first.reply,
        second.reply,
        second.reply,
        f"You have found your mistake. {exercise.praise}",
        exercise.praise,
    ]


def test_a_mistake_that_comes_back_was_not_gone():
    broken, kept = (lambda alpha, mu: 1.5 - alpha / 2), (lambda alpha, mu: 0.3 * (1 - alpha) ** 2)
    with dp.exercises.Learner():
        assert ["gone" in reply for reply in said("1.3", broken, kept, broken, kept)] == [False, True, False, False]


def test_nothing_is_praised_that_may_still_be_there():
    exercise = dp.exercises.get("1.3")
    mistake = exercise.mistakes[0]
    for worse in (lambda alpha, mu: 0.3, lambda alpha, mu: 1 / 0, None):
        assert "gone" not in "".join(said("1.3", mistake.answer, worse))
    assert said("1.3", exercise.answer)[0].startswith("You have found")


def test_a_law_that_is_kept_again_is_praised():
    above, below = (lambda alpha, mu: 1.5 - alpha / 2), (lambda alpha, mu: 0.3 * (1 - alpha) ** 2)
    replies = said("1.3", above, below)
    assert "gone" not in replies[0] and replies[1].startswith("The earlier mistake is gone")


def test_learners_of_one_process_share_nothing(tmp_path):
    wrong = dp.exercises.get("1.3").mistakes[0].answer
    with dp.exercises.Learner(tmp_path / "ada.json"):
        dp.exercises.case(7)
        said("1.3", wrong)
        with dp.exercises.Learner(tmp_path / "bob.json"):
            assert dp.exercises.case().seed == 1 and "no case was chosen" in str(dp.exercises.case())
            assert dp.exercises.progress().records == {}
            assert "found" not in said("1.3", dp.exercises.get("1.3").answer)[0]
        assert dp.exercises.case().seed == 7 and "no case was chosen" not in str(dp.exercises.case())
        assert set(dp.exercises.progress().records) == {"1.3"}
        assert "You have found your mistake" in said("1.3", dp.exercises.get("1.3").answer)[0]


def test_what_an_answer_prints_is_shown_for_the_cases_that_are_judged_and_not_for_the_picture(capsys):
    def printing(alpha, mu):
        print("called")
        return 1 - alpha

    assert dp.exercises.check("1.3", printing).drawing
    assert capsys.readouterr().out.count("called") == len(dp.exercises.get("1.3").tried)


def test_the_cases_that_are_judged_are_not_called_again_for_the_picture(monkeypatch):
    exercise, called = dp.exercises.get("1.3"), []
    monkeypatch.setattr("dptutor.exercises.judging.worker.available", lambda: False)

    def counting(alpha, mu):
        called.append((alpha, mu))
        return 1 - alpha

    drawing = dp.exercises.check("1.3", counting).drawing
    assert called[: len(exercise.tried)] == list(exercise.tried)
    along = called[len(exercise.tried) :]
    assert len(along) == len(drawing.x) and {mu for _, mu in along} == {3.0}


def test_what_is_slow_is_not_called_along_its_curve(monkeypatch):
    exercise, called = dp.exercises.get("1.3"), []
    monkeypatch.setattr("dptutor.exercises.judging.drawing._QUICK", 0.0)

    def counting(alpha, mu):
        called.append(alpha)
        return 1 - alpha

    assert drawn(exercise, counting, list(here(lambda alpha, mu: 1 - alpha, exercise.tried, "a number", 5.0))) is None
    assert 0 < len(called) < 10
