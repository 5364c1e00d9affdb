"""What learners answer: the right answers in all their forms pass, and each wrong one gets the reply meant for it.

The answers stand in tests/answers, a file for each chapter, so that who teaches can add to them. An answer is an
expression, or a program that defines what the exercise asks for; numpy, scipy.stats.norm, math and dptutor are there
as np, norm, math and dp, and X is a grid from 0 to 1.
"""

import math
import re
from pathlib import Path

import numpy as np
import pytest
import yaml
from scipy.stats import norm

import dptutor as dp
from dptutor.exercises.slips import SLIPS, explained, told_apart

FILES = sorted((Path(__file__).parent / "answers").glob("*.yaml"))
ANSWERS = {id: given for path in FILES for id, given in yaml.safe_load(path.read_text(encoding="utf-8")).items()}
# A reply of this kind only says where an answer lies.
GENERIC = re.compile(r"which is too (large|small)\.|and it should not be")


def made(program, name):
    space = {"np": np, "norm": norm, "math": math, "dp": dp, "X": np.linspace(0, 1, 20001)}
    try:
        code = compile(program.strip(), "<answer>", "eval")
    except SyntaxError:
        exec(compile(program, "<answer>", "exec"), space)
        return space[name]
    return eval(code, space)


@pytest.mark.parametrize("id", ANSWERS)
def test_right_answers_pass_and_wrong_ones_get_the_reply_meant_for_them(id):
    exercise, given = dp.exercises.get(id), ANSWERS[id]
    for program in given.get("right", []):
        result = exercise.check(made(str(program), exercise.name))
        assert result.passed, f"{program}\n{result.message}"
    for wrong in given.get("wrong", []):
        result = exercise.check(made(str(wrong["answer"]), exercise.name))
        assert not result.passed, wrong["answer"]
        assert wrong["reply"] in result.message, f"{wrong['answer']}\n{result.message}"


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
    assert {reply: wrong for wrong, reply in found}[SLIPS[0].reply] == pytest.approx(30)
