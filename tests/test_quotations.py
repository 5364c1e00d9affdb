"""What others wrote is quoted word for word, and as often as the book quotes it."""

import re

import pytest
from conftest import each

from content import ROOT
from quoting import find, quotations

pytestmark = pytest.mark.sources

# The sources are not ours to pass on; where they are at hand, they lie beside the book.
SOURCES = {
    "kaissis2024": ["000_95bc8c0f7a17419a.txt", "001_ff1ecb18517d2c6a.txt"],
    "wang-lecture": ["002_741470a0fe732f11.txt"],
    "hypothesis-testing-post": ["003_ba0a18552870e88c.txt"],
    "bernau2021": ["004_9d431915642e617e.txt"],
}
AT_HAND = {file.name: file.read_text() for file in ROOT.parent.glob("shared/sources/*.txt")}
PAGES = {file.name: file.read_text() for file in ROOT.glob("book/*.md")}
ERRATA = PAGES["errata.md"]
# A link, a citation or a name, and words in quotation marks later in the sentence.
QUOTING = re.compile(
    r"(?:\]\(https?://[^)]*\)|\{cite:[pt]\}`[^`]*`|Kaissis|Bernau)"
    r"(?:(?!\]\(https|\{cite:)[^\"\n.|]|\.(?!\s))*"
    r"\"([^\"\n]{20,}?)\""
)


@each([one for one in quotations().values() if one.source in SOURCES])
def test_a_quotation_is_in_its_source(one):
    if not AT_HAND:
        pytest.skip("no sources beside the book")
    assert any(find(one.words, AT_HAND[file]) for file in SOURCES[one.source])


@pytest.mark.parametrize(
    ("quoted", "there"),
    [
        ("a lower envelope of all", True),
        ("lower envelope of all $(\\varepsilon, \\delta)$-based … all possible values", True),
        ("non-white spaces", True),
        ("an upper envelope of all", False),
        ("all $(\\varepsilon, \\gamma)$-based", False),
        ("possible values … a lower envelope", False),
        ("envelope [of these] of all", True),
    ],
)
def test_words_and_formulas_are_found_in_their_order(quoted, there):
    source = "a \\saylower\nenve-lope of all (εδ)εδ(\\varepsilon, \\delta)-based curves, "
    source += "for all possible values; nonwhite spaces"
    assert bool(find(quoted, source)) == there


def test_the_errata_say_what_is_printed_in_the_words_of_the_source():
    """Nothing is said to be printed but what is quoted, and each entry begins with a quotation."""
    assert "*Printed" not in ERRATA
    for title, text in re.findall(r"^### (.*)\n((?:(?!^##).*\n)*)", ERRATA, flags=re.M):
        assert "```{printed}" in text or title.startswith("Withdrawn"), title


def squeezed(text):
    """Without formulas, which pages write with macros of their own."""
    return re.sub(r"[^a-z0-9]", "", re.sub(r"\$[^$]*\$", "", text).casefold().replace("{eval}", ""))


SQUEEZED = [squeezed(page) for page in PAGES.values()]


@each(list(quotations()))
def test_a_quotation_is_used(name):
    parts = [squeezed(part) for part in quotations()[name].words.split("…")]
    assert f"{{printed}} {name}\n" in ERRATA or any(all(part in page for part in parts) for page in SQUEEZED)


@each([name for name in PAGES if name != "errata.md"])
def test_words_quoted_from_a_source_that_the_sentence_names_are_in_the_file(name):
    known = [squeezed(one.words) for one in quotations().values()]
    for words in QUOTING.findall(re.sub(r"^```\{code.*?^```", "", PAGES[name], flags=re.M | re.S)):
        assert any(squeezed(words) in one for one in known), words
