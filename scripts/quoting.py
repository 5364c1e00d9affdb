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
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

FILE = Path(__file__).resolve().parent.parent / "book" / "quotations.yaml"
LEFT_OUT = re.compile(r"…|\[[^\]]*\]")  # an omission, or words of ours
FORMULA = re.compile(r"\$([^$]+)\$")
APART = 3000  # characters of the source between two pieces of a quotation, in which extracted formulas stand several times


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
    """Patterns of the parts that follow each other in the source: of words their letters and digits, of formulas all."""
    found = []
    for part in LEFT_OUT.split(FORMULA.sub(lambda match: f"…{match[0]}…".replace("[", "\0").replace("]", "\1"), words)):
        part = part.strip().replace("\0", "[").replace("\1", "]")
        formula = FORMULA.fullmatch(part)
        kept = [c for c in formula[1] if not c.isspace()] if formula else re.findall("[A-Za-z0-9]", part)
        if kept:
            found.append((r"[\s%]*" if formula else r"[^A-Za-z0-9]*").join(map(re.escape, kept)))
    return found


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


class Printed(SphinxDirective):
    """What a source prints, word for word."""

    required_arguments = 1
    has_content = True

    def run(self):
        """A paragraph."""
        self.env.note_dependency(str(FILE))
        asked = quotations()[self.arguments[0]]
        text = f"*Printed*, {asked.place}: “{asked.words}” " + "\n".join(self.content)
        return self.parse_text_to_nodes(text)


def setup(app):
    app.add_directive("printed", Printed)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
