"""Numbers as they are typed: Python and the pages read the same description, and give the same for the same text.

The table of cases is tests/numerals.yaml.
"""

import math
import random
import re
from pathlib import Path

import pytest
import yaml
from conftest import approx
from hypothesis import given
from hypothesis import strategies as st

import dptutor as dp
from dptutor.exercises.judging.numerals import Unreadable, read, shown
from dptutor.explore.machinery.page import resource

pytestmark = pytest.mark.sources

TABLE = yaml.safe_load((Path(__file__).parent / "numerals.yaml").read_text(encoding="utf-8"))
SHOWN = [(number, wanted, *digits) for number, wanted, *digits in TABLE.pop("shown")]
CASES = [(text, part == "counts", wanted) for part, cases in TABLE.items() for text, wanted in cases.items()]


def result(text, counts=False):
    """The number that Python reads, or the name of the reason why not."""
    try:
        return read(text, counts=counts)
    except Unreadable as problem:
        return problem.reason


def alike(one, other):
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    return math.isclose(one, other, rel_tol=4e-16) or one == other


@pytest.fixture(scope="module")
def script(chromium):
    page = chromium.new_page()
    page.add_script_tag(content=resource("numerals.js") + "globalThis.numerals = numerals;")
    yield page
    page.close()


@pytest.fixture(scope="module")
def in_page(script):
    return lambda texts: script.evaluate(
        "texts => texts.map(([text, counts]) => { const { value, reason } = numerals.read(text, counts);"
        "return reason ?? value; })",
        [list(text) for text in texts],
    )


def test_a_text_is_read_as_the_table_says():
    found = [(case, result(*case[:2])) for case in CASES]
    assert not [(case, got) for case, got in found if not alike(got, case[2])]


def test_a_page_reads_each_text_as_the_table_says(in_page):
    found = in_page([(text, counts) for text, counts, _ in CASES])
    wrong = [(case, got) for case, got in zip(CASES, found, strict=True) if not alike(got, case[2])]
    assert not wrong


def shown_in_page(script, numbers):
    return script.evaluate("all => all.map((one) => numerals.shown(...one))", [list(one) for one in numbers])


def test_numbers_are_shown_as_readers_write_them(script):
    numbers = [(number, *digits) for number, _, *digits in SHOWN]
    assert [shown(*one) for one in numbers] == [wanted for _, wanted, *_ in SHOWN] == shown_in_page(script, numbers)


def test_a_page_and_python_show_random_numbers_alike_and_read_what_they_show(script):
    r = random.Random(3)
    numbers = [(r.uniform(-10, 10) * 10 ** r.uniform(-20, 20), r.choice([2, 4, 6])) for _ in range(2000)]
    words = [shown(*one) for one in numbers]
    assert words == shown_in_page(script, numbers)
    assert not [text for text in words if re.search(r"[a-z]|\.$|\.\d*0$|\d{6,}\.", text)]
    for (number, digits), text in zip(numbers, words, strict=True):
        assert read(text) == approx(number, rel=0.51 * 10 ** (1 - digits))


REASONS = {"empty", "unreadable", "ambiguous", "undefined", "infinite"}
PIECES = (
    *"0123456789.,·*/^+-−–()%e ½√π'_\u202f\u00a0⁻⁵²≈∞:×", "10^", "10⁻⁵", "·10", "exp(", "ln ", "sqrt", "1/3", "1,000",
    "1.5", "0,25", "3 000", "e-3", "pi", "inf", "**", "x", "\u2060", "１", "٣", "A", "%%", "1e400",
)  # fmt: skip


def random_texts(count, seed):
    generator = random.Random(seed)
    for _ in range(count):
        yield "".join(generator.choice(PIECES) for _ in range(generator.randint(1, 12)))


def well_formed(generator, depth=3):
    """A random expression that is a number, or nearly always."""
    number = generator.choice(
        ["{}", "0.{}", "{},5", ".{}", "{}e-2", "3·10^-{}", "{} %", "1 {}00", "½", "e", "-{}", "10⁻²"]
    )
    number = number.format(generator.randint(1, 9))
    if not depth or generator.random() < 0.3:
        return number
    inner = [well_formed(generator, depth - 1) for _ in range(2)]
    return generator.choice(
        ["{} + {}", "{} − {}", "({})·({})", "({})/({})", "exp(-({}))", "({})^2", "√({})", "1/(1+{})"]
    ).format(*inner)


def test_a_page_and_python_read_random_texts_alike(in_page):
    generator = random.Random(23)
    texts = [*random_texts(6000, 7), *(well_formed(generator) for _ in range(3000))]
    read_here = [result(text) for text in texts]
    numbers = sum(not isinstance(value, str) for value in read_here)
    assert numbers > 3000 and {"unreadable", "infinite", "ambiguous", "undefined"} <= {
        x for x in read_here if isinstance(x, str)
    }
    for text, here, there in zip(texts, read_here, in_page([(text, False) for text in texts]), strict=True):
        if isinstance(here, str) or not re.search(r"\^|\*\*|[⁻⁵²]|[a-z√]", text):
            assert here == there or (here == 0 and there == 0), (text, here, there)  # arithmetic is the same everywhere
        else:  # functions are right to a last digit, which a difference may bring to the front
            assert there == approx(here, rel=1e-9, abs=1e-12), (text, here, there)


@given(st.text(max_size=300) | st.lists(st.sampled_from(PIECES), max_size=30).map("".join), st.booleans())
def test_any_text_is_a_finite_number_or_is_refused_for_a_reason(text, counts):
    found = result(text, counts)
    assert found in REASONS if isinstance(found, str) else math.isfinite(found)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_what_python_writes_is_read_exactly(number):
    assert read(repr(number)) == number
    assert read(f"{number:.17g}") == number


@given(st.integers(0, 10**15))
def test_thousands_are_read_as_a_page_writes_them(number):
    for parting in ("\u202f", "\u2009", " ", "'", "_"):
        assert read(f"{number:,}".replace(",", parting)) == number
    assert read(f"{number:,}", counts=True) == number
    assert read(f"{number:,}.0") == number


@pytest.mark.parametrize("given", ["1/4", "25 %", "0,25", "¼", ["25 %"], ("2.5·10⁻¹",)])
def test_a_text_is_an_answer_in_a_notebook_as_in_the_page(given):
    assert dp.exercises.get("1.a").check(given).passed  # two of eight


@pytest.mark.parametrize(
    ("given", "words"),
    [("1,125", "could mark thousands"), ("0/0", "works out to no number"), ("inf", "is infinite"),
     ("a half", "'a half'"), ("25", "percent"), (["1/4", "half"], "'half'")],
)  # fmt: skip
def test_a_text_that_is_no_right_number_is_told_why(given, words):
    result = dp.exercises.get("1.a").check(given)
    assert not result.passed and words in result.message
