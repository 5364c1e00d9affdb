"""What learners answer: the right answers in all their forms pass, and each wrong one gets the reply meant for it.

The answers stand in tests/answers, a file for each chapter, so that who teaches can add to them. An answer is an
expression, or a program that defines what the exercise asks for; numpy, scipy.stats.norm, math and dptutor are there
as np, norm, math and dp, and X is a grid from 0 to 1. `told` says which reply a wrong one gets, whatever its words:
"mistake 3", the third of the exercise's, or "law 2", or another kind of reply (see `dptutor.exercises.Result`).
`of` is a symbol, number or term in the reply to a mistake that stands in few others of the exercise: it tells the
replies apart.
"""

import math
import re
from pathlib import Path

import numpy as np
import pytest
import yaml
from conftest import approx
from scipy.stats import norm

import dptutor as dp
from dptutor.exercises.judging import arguments
from dptutor.exercises.judging.slips import SLIPS, explained, told_apart


def loaded(path):
    """What a file of answers holds, read by the parser in C where there is one: every worker reads all of them."""
    return yaml.load(path.read_text(encoding="utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader))


FILES = sorted((Path(__file__).parent / "answers").glob("*.yaml"))
ANSWERS = {id: given for path in FILES for id, given in loaded(path).items()}
# Those of readers who saw the tasks only: each with the mistake in their words.
OF_READERS = {
    id: given
    for path in sorted((Path(__file__).parent / "answers" / "readers").glob("*.yaml"))
    for id, given in loaded(path).items()
}


def told(exercise, wrong):
    """Which reply a wrong answer gets."""
    result = exercise.check(made(str(wrong["answer"]), exercise.name))
    assert not result.passed, wrong["answer"]
    if result.kind == "mistake":
        return f"mistake {1 + [mistake.reply for mistake in exercise.mistakes].index(result.about)}"
    return result.about if result.kind == "law" else result.kind


def made(program, name):
    space = {"np": np, "norm": norm, "math": math, "dp": dp, "X": np.linspace(0, 1, 20001)}
    try:
        code = compile(program.strip(), "<answer>", "eval")
    except SyntaxError:
        exec(compile(program, "<answer>", "exec"), space)
        return space[name]
    return eval(code, space)


@pytest.mark.cases(15)
@pytest.mark.parametrize("id", ANSWERS)
def test_right_answers_pass_and_wrong_ones_get_the_reply_meant_for_them(id):
    exercise, given = dp.exercises.get(id), ANSWERS[id]
    for program in given.get("right", []):
        result = exercise.check(made(str(program), exercise.name))
        assert result.passed, f"{program}\n{result.message}"
    for wrong in given.get("wrong", []):
        assert told(exercise, wrong) == wrong["told"], wrong["answer"]


@pytest.mark.cases(15)
@pytest.mark.parametrize("id", OF_READERS)
def test_the_mistakes_of_readers_get_their_replies(id):
    for wrong in OF_READERS[id]:
        assert told(dp.exercises.get(id), wrong) == wrong["told"] != "generic", wrong["mistake"]


def test_the_reply_to_a_mistake_speaks_of_it():
    silent = []
    for id, wrong in ((id, wrong) for id, given in ANSWERS.items() for wrong in given["wrong"]):
        if "of" in wrong:
            reply = dp.exercises.get(id).mistakes[int(wrong["told"].removeprefix("mistake ")) - 1].reply
            if not re.search(rf"(?<![\w.]){re.escape(str(wrong['of']))}(?!\w|\.\d)", reply):
                silent.append(f"{id}, {wrong['told']}, not of {wrong['of']}: {reply}")
    assert not silent


def test_readers_have_answered_exercises():
    assert set(OF_READERS) <= set(ANSWERS)
    assert all(len(given) >= 3 for given in OF_READERS.values())


def test_every_exercise_has_a_right_answer_in_other_words_and_five_wrong_ones():
    exercises = {exercise.id for exercise in dp.exercises.catalogue()}
    assert set(ANSWERS) == exercises, "each exercise has answers in tests/answers/NN.yaml, one right and five wrong"
    for id, given in ANSWERS.items():
        assert given["right"] and len(given["wrong"]) >= 5, id


@pytest.mark.parametrize("id", [e.id for e in dp.exercises.catalogue() if e.cases])
def test_an_exact_answer_passes_as_array_list_long_and_rounded(id):
    exercise = dp.exercises.get(id)
    right = exercise.exact or exercise.answer
    forms = [np.asarray, lambda x: np.asarray(x).tolist(), lambda x: np.asarray(x, dtype=np.longdouble)]
    if np.asarray(right(*exercise.tried[0])).dtype != bool:
        forms.append(lambda x: [float(f"{y:.12g}") for y in np.ravel(x)])
    for form in forms:
        result = exercise.check(lambda *case, form=form: form(right(*case)))
        assert result.passed, result.message


def test_every_slip_is_told_by_its_reply():
    def alike(a, b):
        return np.allclose(a, b, rtol=1e-6, atol=0)

    truths = [np.array([0.2, 0.7]), np.array([0.4, 0.3])]
    for slip in SLIPS:
        here = truths if slip.wrong(truths[0]) is not None and not alike(slip.wrong(truths[0]), truths[0]) else None
        here = here or [np.array([-0.2, 0.7]), np.array([0.4, -0.3])]
        assert explained([slip.wrong(right) for right in here], here, alike) == slip.reply


def test_no_slip_is_told_that_does_not_explain_all():
    truths = [np.array([0.2]), np.array([0.4])]
    assert explained([np.array([0.8]), np.array([0.5])], truths, np.allclose) is None
    assert explained([np.array([0.5]), np.array([0.5])], [np.array([0.5])] * 2, np.allclose) is None


def test_slips_of_one_number_are_apart_from_all_that_has_a_reply():
    found = told_apart(0.3, [0.7], lambda a, b: abs(a - b) < 0.01)
    assert all(abs(wrong - 0.3) > 0.01 and abs(wrong - 0.7) > 0.01 for wrong, _ in found)
    assert {reply: wrong for wrong, reply in found}[SLIPS[0].reply] == approx(30)


def test_nothing_is_no_hundredth_of_a_number():
    assert dp.exercises.get("1.a").check(0).kind != "slip"  # of 0.25, which is asked for to two digits
    assert dp.exercises.get("9.6").check(lambda mu, prior: 0.0).kind != "slip"
    hundredth = dp.exercises.get("9.6").check(lambda mu, prior: dp.Gaussian(1 / mu).bayes_error(prior) / 100)
    assert hundredth.kind == "slip"


# Answers that nobody foresaw.

FRESH = sorted((Path(__file__).parent / "answers" / "unforeseen").glob("*.yaml"))


@pytest.mark.parametrize("path", FRESH, ids=lambda path: path.stem)
def test_few_unforeseen_mistakes_are_only_told_where_they_lie(path):
    replies = []
    for id, given in loaded(path).items():
        exercise = dp.exercises.get(id)
        for program in given:
            result = exercise.check(made(program, exercise.name))
            assert not result.passed and result.kind != "form", f"{id}: {program}\n{result.message}"
            replies.append((id, result.kind))
    assert len(replies) >= 100 and len({id for id, _ in replies}) >= 25
    assert [kind for _, kind in replies].count("generic") / len(replies) < 0.2


# Slips with arguments.


def half(share, sigma, f):
    return f * share / (sigma + share)


CASES = [(0.2, 1.0, 2.0), (0.7, 3.0, 1.0), (0.4, 0.5, 5.0), (0.1, 2.0, 0.3)]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda x, s, f: half(1 - x, s, f), "1 − `share`"),
        (lambda x, s, f: half(x, s**2, f), "`sigma`²"),
        (lambda x, s, f: half(s, x, f), "`share`.*`sigma`"),
        (lambda x, s, f: half(x, s, f) / s**2, "1/`sigma`²"),
        (lambda x, s, f: half(x, s, f) * x / (1 - x), r"`share`/\(1 − `share`\)"),
        (lambda x, s, f: 1.7 * half(x, s, f), r"\b1\.7\b"),
        (lambda x, s, f: half(x, s, f) - 0.25, r"\b0\.25\b"),
        (lambda x, s, f: half(x, s, f) if s < 3 else 0.9, r"\b3\b.*\b4\b"),
        (lambda x, s, f: x * s * f + 0.3 * x, None),
    ],
)
def test_slips_with_arguments_are_told_apart(wrong, said):
    def alike(a, b):
        return a.shape == b.shape and np.allclose(a, b, rtol=1e-6, atol=1e-9)

    names = ["share", "sigma", "f"]
    given, truths = ([np.array([program(*case)]) for case in CASES] for program in (wrong, half))
    found = (
        arguments.misplaced(half, names, CASES, given, alike)
        or arguments.scaled(names, CASES, given, truths, alike)
        or arguments.constant(given, truths, alike)
        or arguments.in_part(given, truths, alike, lambda place: f"case {place}")
    )
    assert (found is None) if said is None else re.search(said, found), found


def test_an_argument_that_is_left_out_is_told():
    result = dp.exercises.get("12.3").check(lambda sigma, belief, prior: 1 - belief)
    assert result.kind == "ignores"
    assert re.search(r"`sigma`.* 0\.1 .* 1\.0 .* 0\.5\b", result.message)


def test_an_argument_counts_as_left_out_only_if_nothing_changes_with_it_where_the_right_answer_does():
    def asked(program, cases=CASES, place=1):
        def results(program):
            return lambda cases: [np.array([program(*case)]) for case in cases]

        return arguments.ignored(place, cases, results(program), results(half), np.allclose)

    assert asked(lambda x, s, f: x * f)[0] == (1.0, 3.0)
    assert asked(half) is None and asked(lambda x, s, f: s if x > 0.3 else 0) is None
    assert asked(lambda x, s, f: 1 / 0) is None
    assert asked(lambda x, s, f: x * f, cases=[(0.2, 1.0, 2.0)]) is None  # there is no other value
    assert asked(lambda x, s, f: x * f, cases=[(0.0, s, 1.0) for s in (1.0, 2.0, 3.0)]) is None  # nothing changes


def test_two_cases_are_no_rule():
    given = [np.array([half(1 - x, s, f)]) for x, s, f in CASES[:2]]
    assert arguments.misplaced(half, ["share", "sigma", "f"], CASES[:2], given, np.allclose) is None


def test_of_two_numbers_the_right_one_is_told():
    given, truths = [np.array([1.0, x]) for x in (2, 3, 4)], [np.array([1.0, x]) for x in (2, 3.5, 5)]
    assert re.search(r"\b1\b.*\b2\b", arguments.in_part(given, truths, np.allclose, str))


def test_a_right_program_that_takes_forever_elsewhere_is_not_called_there():
    def slow(steps):
        assert steps <= 100
        return float(sum(range(int(steps))))

    given = [np.array([0.1 * n]) for n in (3, 5, 10)]
    assert arguments.misplaced(slow, ["steps"], [(3,), (5,), (10,)], given, np.allclose) is None
