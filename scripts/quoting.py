"""A Sphinx extension: what the sources print, from book/quotations.yaml, with its place.

    ```{printed} total-variation
    ```

is the paragraph "*Printed*, section 1: “We will …”". Text in the directive's body follows in the same paragraph.
`find` says where a quotation stands in a source.
"""

import re
from pathlib import Path
from typing import NamedTuple

import yaml
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

FILE = Path(__file__).resolve().parent.parent / "book" / "quotations.yaml"
FORMULA = re.compile(r"\$([^$]+)\$")
LEFT_OUT = re.compile(r"…|\[[^\]]*\]")  # an omission, or words of ours
LETTERS = {r"\mathbf": r"\mathrm", r"\mathtt": r"\mathrm", "’": "'"}  # alphabets that the site's fonts lack
APART = 3000  # characters of a source between two pieces: what was extracted from it has some formulas three times


class Quotation(NamedTuple):
    """Words of others: as they are shown, and where they stand."""

    name: str
    source: str
    place: str
    words: str


def quotations() -> dict[str, Quotation]:
    """All quotations by name."""
    listed = yaml.safe_load(FILE.read_text())
    return {
        name: Quotation(name, source, one["place"], " ".join(one["words"].split()))
        for source, ones in listed.items()
        for name, one in ones.items()
    }


def pieces(words: str) -> list[str]:
    """Patterns of what follows each other in the source: the letters and digits of words, all of a formula."""
    found = []
    for place, part in enumerate(FORMULA.split(words)):
        if place % 2:
            found.append(r"[\s%]*".join(re.escape(c) for c in part if not c.isspace()))
        else:
            found += ["[^A-Za-z0-9]*".join(re.findall("[A-Za-z0-9]", said)) for said in LEFT_OUT.split(part)]
    return [piece for piece in found if piece]


def find(words: str, source: str) -> str:
    """What the source has between the first and the last word of a quotation, or nothing."""
    text = source.replace("\\say", "")
    first, *others = map(re.compile, pieces(words))
    for start in first.finditer(text):
        end = start.end()
        for other in others:
            following = other.search(text, end, end + APART + len(other.pattern))
            if not following:
                break
            end = following.end()
        else:
            return text[start.start() : end]
    return ""


def in_our_letters(formula: str) -> str:
    """A formula in alphabets that the site's fonts have."""
    for theirs, ours in LETTERS.items():
        formula = formula.replace(theirs, ours)
    return formula


class Printed(SphinxDirective):
    """What a source prints, word for word."""

    required_arguments = 1
    has_content = True

    def run(self):
        """A paragraph."""
        self.env.note_dependency(str(FILE))
        asked = quotations()[self.arguments[0]]
        words = FORMULA.sub(lambda formula: in_our_letters(formula[0]), asked.words)
        text = " ".join([f"*Printed*, {asked.place}: “{words}”", *self.content])
        shown = nodes.container()
        self.state.nested_parse(StringList([text], asked.name), self.content_offset, shown)
        return shown.children


def setup(app):
    app.add_directive("printed", Printed)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
