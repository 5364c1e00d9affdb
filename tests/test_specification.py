"""Mechanisms read from text: all that they print is read, and nothing else is run."""

import contextlib
import functools
import math
import operator
import re

import pytest
from conftest import each, examples
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import CLOSED_FORMS, mechanisms

import dptutor as dp
from dptutor.specification import family, read

pytestmark = pytest.mark.sources


@given(mechanisms())
def test_what_a_mechanism_prints_is_read_as_it(m):
    assert read(repr(m)) == m


@each(CLOSED_FORMS)
def test_compositions_of_every_mechanism_are_read_as_they_print(name):
    @given(CLOSED_FORMS[name], st.integers(1, 10**6))
    @settings(max_examples=20)
    def holds(part, count):
        steps = dp.DPSGD(1.0, 0.01, count)
        for m in (part**count, part**2 @ dp.Laplace(0.5) ** 3, steps @ part, part.reverse @ dp.Gaussian(2.0)):
            for form in (m, m.reverse, m.symmetrized):
                assert read(repr(form)) == form
                assert repr(read(repr(form))) == repr(form)

    holds()


def test_reading_is_public_and_runs_no_code():
    assert dp.read is read
    assert dp.read("DPSGD(0.6, 0.01, 500)") == dp.DPSGD(0.6, 0.01, 500)
    with pytest.raises(ValueError, match="is not allowed in a specification"):
        dp.read("Gaussian((open('stolen', 'w'), 1)[1])")


@each([
        ("DPSGD(0.6, 0.01, 500)", dp.DPSGD(0.6, 0.01, 500)),
        (" Gaussian(sigma=2)**10 @ Laplace(1) ", dp.Gaussian(2) ** 10 @ dp.Laplace(1)),
        ("RandomizedResponse(log(3))", dp.RandomizedResponse(math.log(3))),
        ("Gaussian(1/sqrt(2) + 1 - 0.5*2)", dp.Gaussian(1 / math.sqrt(2) + 1 - 1)),
        ("Gaussian(1) ** (10**6)", dp.Gaussian(1) ** 10**6),
        ("join(Gaussian(1), meet(Laplace(1), ApproximateDP(1, 1e-5)))",
         dp.join(dp.Gaussian(1), dp.meet(dp.Laplace(1), dp.ApproximateDP(1, 1e-5)))),
        ("FiniteExperiment([.5, .5], q=(.1, .9)).reverse", dp.FiniteExperiment([0.5, 0.5], [0.1, 0.9]).reverse),
        ("DiscreteGaussian(2)", dp.DiscreteGaussian(2)),
        ("DiscreteLaplace(1, 3) ** 2", dp.DiscreteLaplace(1, 3) ** 2),
        ("KaryRandomizedResponse(log(3), 5)", dp.KaryRandomizedResponse(math.log(3), 5)),
        ("group(Laplace(1) @ Gaussian(2), 3)", dp.Laplace(1, 3) @ dp.Gaussian(2, 3)),
        ("matrix_mechanism(2, [[1, 0], [1, 1]])", dp.matrix_mechanism(2, [[1, 0], [1, 1]])),
        ("tree_aggregation(2, 1000, epochs=3)", dp.tree_aggregation(2, 1000, 3)),
        ("SubsampledGaussian(1, .1, 'add').symmetrized", dp.SubsampledGaussian(1, 0.1, "add").symmetrized),
    ])  # fmt: skip
def test_a_specification_is_read(text, mechanism):
    assert read(text) == mechanism


def test_a_question_mark_stands_for_the_number():
    assert family("DPSGD(?, 0.01, 500)")(0.6) == dp.DPSGD(0.6, 0.01, 500)
    with pytest.raises(ValueError, match=r"needs one \? where .* got 0"):
        family("Gaussian(1)")
    with pytest.raises(ValueError, match=r"needs one \? where .* got 2"):
        family("DPSGD(?, ?, 500)")


@each(
    [
        ("", "is not a mechanism"),
        ("3", "is not a mechanism"),
        ("Gaussian", r"^Gaussian is no mechanism by itself; did you mean Gaussian\(…\)\?$"),
        ("laplace", r"did you mean Laplace\(…\)\?$"),
        ("Gaussian(1", "is not a mechanism"),
        ("Gausian(1)", r"^Gausian is unknown; did you mean Gaussian\(…\)\?$"),
        ("dpsgd(1, 0.01, 500)", r"did you mean DPSGD\(…\)\?$"),
        ("Nonsense(1)", "Nonsense is unknown; known are"),
        ("Gaussian(-1)", "sigma must be"),
        ("Gaussian(1) ** 0", "positive integer"),
        ("Gaussian(1) @ 3", "'Gaussian.1. @ 3' is not a mechanism"),
        ("Gaussian(1) + Gaussian(1)", "only numbers can be added"),
        ("__import__('os').system('true')", "is not allowed"),
        ("Gaussian(1).__class__", "is not allowed"),
        ("[].append(1)", "is not allowed"),
        ("(lambda: 1)()", "is not allowed"),
        ("Gaussian(x)", "'x' is not allowed"),
        ("Gaussian(f'{1}')", "is not allowed"),
        ("Gaussian(True)", "is not allowed"),
        ("Gaussian(...)", "is not allowed"),
        ("Gaussian(*[1])", "is not allowed"),
        ("Gaussian(**{'sigma': 1})", "is not allowed"),
        ("Gaussian(**{'sigma': 1}, **{'sensitivity': 1})", "is not allowed"),
        ("Gaussian(9**9**9)", r"^'9\*\*9\*\*9' is beyond the largest number, 1e308$"),
        ("Gaussian((9.0**999)**999)", r"'\(9.0\*\*999\)\*\*999' is beyond the largest number"),
        ("Gaussian((9.0**99)**999)", r"'\(9.0\*\*99\)\*\*999' is beyond the largest number"),
        ("Gaussian(10**400)", r"'10\*\*400' is beyond the largest number"),
        ("Gaussian(exp(1e4))", r"'exp\(1e4\)' is beyond the largest number"),
        ("Gaussian(1/0)", "^'1/0' is not a real number$"),
        ("Gaussian(log(-1))", "'log.-1.' is not a real number"),
        ("Gaussian((-1)**0.5)", r"'\(-1\)\*\*0.5' is not a real number"),
        ("Gaussian(10**-400)", "^sigma must be greater than 0 and finite, got 0.0$"),
        ("Gaussian(sigma=1, sigma=2)", "^sigma is given twice in 'Gaussian.sigma=1, sigma=2.'$"),
        ("G\uff41ussian(1)", r"plain letters, got '\\uff41' \(fullwidth latin small letter a\)"),
        ("Gaussian(\N{GREEK SMALL LETTER SIGMA}=1)", "greek small letter sigma"),
        ("Gaussian('\udc80')", "plain letters"),
        ("Gau?ssian(1)", r"Gau\?ssian is unknown"),
        (
            "Gaussian(" + "9" * 4000 + ")",
            "^sigma must be greater than 0 and finite, got an integer of about 400. digits$",
        ),
        ("Gaussian(" + "9" * 5000 + ")", "^'Gaussian.{30}' is not a mechanism"),
        ("Gaussian(" + "x" * 5000 + ")", "^'x{29}…x{10}' is not allowed"),
        ("x" * 5000 + "(1)", "^x{29}…x{10} is unknown"),
        ("Gaussian(" + "(" * 300 + "1" + ")" * 300 + ")", "is not a mechanism"),
        ("@".join(["Laplace(1)"] * 5000), "a chain of operators have about 1000 parts"),
        ("Gaussian(" + "-" * 80 + "1)", "nested at most"),
        ("Gaussian(" + "1" * 200_000 + ")", "at most 100000 characters"),
        ("Gaussian(1)\0", "is not a mechanism"),
    ]
)
def test_what_is_no_specification_is_refused(text, words):
    with pytest.raises(ValueError, match=words):
        read(text)


@each([(None, "must be text"), (b"Gaussian(1)", "must be text"),
                                             ("DPSGD(1)", "sampling_rate"), ("Gaussian('one')", "sigma must be"),
                                             ("Gaussian(1, width=2)", "width")])  # fmt: skip
def test_wrong_kinds_are_refused(text, words):
    with pytest.raises(TypeError, match=words):
        read(text)


def nested(depth, *kinds):
    text = "Gaussian(1)"
    for level in range(depth):
        text = f"{kinds[level % len(kinds)]}({text}, Laplace({level + 1}))"
    return text


def test_joins_and_meets_that_would_take_hours_are_refused_at_once():
    assert read(nested(12, "join")) and read(nested(12, "meet")) and read(nested(3, "join", "meet"))
    for text in (nested(13, "join"), nested(30, "join"), nested(40, "meet"), nested(4, "join", "meet")):
        with pytest.raises(ValueError, match="every level doubles the work"):
            read(text)


def test_a_long_product_is_not_deep():
    parts = [f"Laplace(scale={1 + k / 7}, sensitivity=1.0)" for k in range(100)]
    product = read(" @ ".join(parts))
    assert product == functools.reduce(operator.matmul, map(read, parts))
    assert read(repr(product)) == product
    assert read("Gaussian(" + " + ".join(["1"] * 300) + ")") == dp.Gaussian(300)
    assert read("Gaussian(10 - 4 - 3 / 3 / 2)") == dp.Gaussian(5.5)
    assert read("(Gaussian(1) ** 2) ** 3") == (dp.Gaussian(1) ** 2) ** 3


def test_numbers_are_read_as_the_book_prints_them():
    assert read("RandomizedResponse(exp(\N{MINUS SIGN}1))") == dp.RandomizedResponse(math.exp(-1))
    assert read("DPSGD(0.6,\u00a00.01,\u202f500)") == dp.DPSGD(0.6, 0.01, 500)
    assert read("RandomizedResponse(2**-1074)") == dp.RandomizedResponse(5e-324)
    assert read("Gaussian(1**2000 + 0.5**2000)") == dp.Gaussian(1)


TOKENS = "Gaussian DPSGD join ( ) [ ] , 1 .5 1e308 ** @ .reverse sigma= - 'add' ? lambda: None \n é log"
PIECES = re.findall(r"\S+|\n", TOKENS)


@given(st.one_of(st.text(max_size=40), st.lists(st.sampled_from(PIECES), max_size=12).map("".join)))
@settings(max_examples=examples(500))
def test_any_text_is_a_mechanism_or_refused_in_words(text):
    with contextlib.suppress(ValueError, TypeError):
        assert isinstance(read(text), dp.Mechanism)
