"""Mechanisms read from text: all that they print is read, and nothing else is run."""

import contextlib
import math
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import mechanisms

import dptutor as dp
from dptutor.specification import family, read


@given(mechanisms())
def test_what_a_mechanism_prints_is_read_as_it(m):
    assert read(repr(m)) == m


@pytest.mark.parametrize(
    ("text", "mechanism"),
    [
        ("DPSGD(0.6, 0.01, 500)", dp.DPSGD(0.6, 0.01, 500)),
        (" Gaussian(sigma=2)**10 @ Laplace(1) ", dp.Gaussian(2) ** 10 @ dp.Laplace(1)),
        ("RandomizedResponse(log(3))", dp.RandomizedResponse(math.log(3))),
        ("Gaussian(1/sqrt(2) + 1 - 0.5*2)", dp.Gaussian(1 / math.sqrt(2) + 1 - 1)),
        ("Gaussian(1) ** (10**6)", dp.Gaussian(1) ** 10**6),
        ("join(Gaussian(1), meet(Laplace(1), ApproximateDP(1, 1e-5)))",
         dp.join(dp.Gaussian(1), dp.meet(dp.Laplace(1), dp.ApproximateDP(1, 1e-5)))),
        ("FiniteExperiment([.5, .5], q=(.1, .9)).reverse", dp.FiniteExperiment([0.5, 0.5], [0.1, 0.9]).reverse),
        ("SubsampledGaussian(1, .1, 'add').symmetrized", dp.SubsampledGaussian(1, 0.1, "add").symmetrized),
    ],
)  # fmt: skip
def test_a_specification_is_read(text, mechanism):
    assert read(text) == mechanism


def test_a_question_mark_stands_for_the_number():
    assert family("DPSGD(?, 0.01, 500)")(0.6) == dp.DPSGD(0.6, 0.01, 500)
    assert family("Gaussian(?) @ Laplace(2 * ?)")(3.0) == dp.Gaussian(3) @ dp.Laplace(6)
    with pytest.raises(ValueError, match=r"needs a \?"):
        family("Gaussian(1)")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is not a mechanism"),
        ("3", "is not a mechanism"),
        ("Gaussian", "may not stand"),
        ("Gaussian(1", "is not a mechanism"),
        ("Gausian(1)", "Gausian is not known: there are"),
        ("Gaussian(-1)", "sigma must be"),
        ("Gaussian(1) ** 0", "positive integer"),
        ("Gaussian(1) @ 3", "'Gaussian.1. @ 3' is not a mechanism"),
        ("Gaussian(1) + Gaussian(1)", "numbers may be calculated with"),
        ("__import__('os').system('true')", "may not stand"),
        ("Gaussian(1).__class__", "may not stand"),
        ("[].append(1)", "may not stand"),
        ("(lambda: 1)()", "may not stand"),
        ("Gaussian(x)", "'x' may not stand"),
        ("Gaussian(f'{1}')", "may not stand"),
        ("Gaussian(True)", "may not stand"),
        ("Gaussian(...)", "may not stand"),
        ("Gaussian(*[1])", "may not stand"),
        ("Gaussian(**{'sigma': 1})", "may not stand"),
        ("Gaussian(9**9**9)", "exponents of numbers go up to 1000"),
        ("Gaussian((9.0**999)**999)", "a number that is not there"),
        ("Gaussian(10**400)", "a number that is not there"),
        ("Gaussian(1/0)", "a number that is not there"),
        ("Gaussian(log(-1))", "a number that is not there"),
        ("Gaussian((-1)**0.5)", "a number that is not there"),
        ("Gaussian(" + "(" * 300 + "1" + ")" * 300 + ")", "is not a mechanism"),
        ("Gaussian(" + "-" * 80 + "1)", "nested at most"),
        ("Gaussian(" + "1" * 20_000 + ")", "at most 10000 characters"),
        ("Gaussian(1)\0", "is not a mechanism"),
    ],
)
def test_what_is_no_specification_is_refused(text, words):
    with pytest.raises(ValueError, match=words):
        read(text)


@pytest.mark.parametrize(("text", "words"), [(None, "must be text"), (b"Gaussian(1)", "must be text"),
                                             ("DPSGD(1)", "sampling_rate"), ("Gaussian('one')", "sigma must be"),
                                             ("Gaussian(1, width=2)", "width")])  # fmt: skip
def test_wrong_kinds_are_refused(text, words):
    with pytest.raises(TypeError, match=words):
        read(text)


TOKENS = "Gaussian DPSGD join ( ) [ ] , 1 .5 1e308 ** @ .reverse sigma= - 'add' ? lambda: None \n é log"
PIECES = re.findall(r"\S+|\n", TOKENS)


@given(st.one_of(st.text(max_size=40), st.lists(st.sampled_from(PIECES), max_size=12).map("".join)))
@settings(max_examples=500)
def test_any_text_is_a_mechanism_or_refused_in_words(text):
    with contextlib.suppress(ValueError, TypeError):
        assert isinstance(read(text), dp.Mechanism)
