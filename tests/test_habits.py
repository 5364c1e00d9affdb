"""English: habits of other languages and house words, which a reader would stumble over.

Each pattern is a construction, not a word.
"""

import ast
import json
import re
from pathlib import Path

import pytest
from test_prose import prose

pytestmark = pytest.mark.words

ROOT = Path(__file__).resolve().parent.parent

LABEL, LOSS = r"\blabels?\b", r"(?:ε|\\varepsilon)"
QUANTITY = (
    r"(?:(?:type II? )?errors?|probabilit(?:y|ies)|prior|slope|height|mean|variance|densit(?:y|ies)|rate|advantage)"
)
PLACE, VERB = r"(?:On|In|At|Beside|Below|Above|Under|Behind)", r"(?:stands?|lies|sits)"
HABITS = {
    "a statement that begins with a free who": r"(?:^|(?<=[.!?:] ))Who\b[^.?!]*\.(?!\d)",
    "who for someone who": r"\b(?:of|for|to|by|against|than|from) who (?!(?:is|are|was|were|the)\b)\w+",
    "an unlikely event that happens rarely": r"\b(?:more|how|so|as) rarely\b",
    "turn round": r"\bturn(?:s|ed|ing)? (?:\S+ ){0,3}round\b",
    "a label that is an (ε, δ)": rf"{LABEL}(?:\W+\S+){{0,5}}\W*{LOSS}|{LOSS}(?:\S*\W+\S+){{0,4}}\W+{LABEL}",
    "there is to": r"\b(?:[Ww]hat|all) there (?:is|are) to\b|\b[Tt]here (?:is|are) to (?!the\b|this\b|that\b|a\b)[a-z]",
    "so many times": r"\bso (?:many|much) times\b",
    "mechanisms that tell": r"\btells? (?:more|less|(?:at least )?as much|nothing|everything|all)\b(?! people)",
    "the subject arrives last": rf"(?:^|(?<=[.!?:] )){PLACE} [^,.;:]{{1,60}} {VERB} (?:a|an|the)\b",
    "false friends": r"\beven-handed\b|\bholds? \S+ for (?:likely|true)\b|\baccepts? to\b|\bas the \w+ has it\b",
    "house words": r"\beasier prey\b|\bthe road\b|\bcards? (?:says?|shows?|promises?)\b",
    "a probability counted in cases": r"(?:%|half|quarter|third|most) of (?:the|all) cases\b|\bcases? out of\b",
    "an article before a value": rf"\b(?:has|have|had|having|with) the {QUANTITY} (?:x|…|\(|\d|zero\b|one half\b)",
    "so large a thing": r"\bso (?:small|large|long|few|many|rare) an? [a-zαβδεμπρσκ]",
    "an adversary of a prior": r"\b(?:adversar\w+|reader|someone|somebody|anyone) of prior\b",
    "a request without a verb": r"(?:^|(?<=[.?!] ))(?:Two|Three|Four|Five) (?:decimals?|digits?)\.",
    "an adverb that turns the sentence": r"(?:^|(?<=[.!?:] ))(?:Rarely|Seldom|Hardly) (?:is|are|does|do|has|have)\b",
    "something stands somewhere": r"\bstands? (?:inside|beside|above|below|under|on|there\b)|\bstands? in (?!for\b)",
    "exactly if": r"\bexactly if\b",
    "to err less": r"\berrs? (?:less|more)\b(?! often| than \d)",
    "which of no set": r"\b[Ww]ith which probability\b|\b[Ww]hich distribution ha[sd]\b",
}
# Sentences that may stay as they are, by a piece of them.
FINE: tuple[str, ...] = ()


def found(text):
    text = re.sub(r"\$\$.*?\$\$|\$[^$\n]+\$", "x", text, flags=re.DOTALL)
    text = re.sub(r"(?<!\n)[ \t]*\n(?!\n)[ \t]*", " ", text)
    for name, pattern in HABITS.items():
        for hit in re.finditer(pattern, text, re.MULTILINE):
            around = text[max(0, hit.start() - 30) : hit.end() + 30]
            if not any(piece in around for piece in FINE):
                yield f"{name}: … {around} …"


PAGES = [
    *sorted((ROOT / "book").glob("*.md")),
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md")),
]


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_pages_have_no_such_habit(page):
    text = page.read_text(encoding="utf-8")
    # Items of lists and cells of tables are sentences of their own, and what others wrote is theirs.
    text = re.sub(r"^\s*(?:[-*]|\d+\.|\|) ?", "\n\n", prose(text), flags=re.MULTILINE).replace("|", "\n\n")
    assert not list(found(re.sub(r'"[^"\n]*"', "…", text)))


@pytest.mark.parametrize("notebook", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_notebooks_have_no_such_habit(notebook):
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    texts = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
    texts += [cell["metadata"].get("slideshow", {}).get("notes", "") for cell in cells]
    texts = [re.sub(r"^\s*(?:[-*]|\d+\.|\|) ?", "\n\n", text, flags=re.MULTILINE) for text in texts]
    assert not [habit for text in texts for habit in found(prose(text))]


@pytest.mark.parametrize("module", sorted((ROOT / "dptutor").rglob("*.py")), ids=lambda path: path.stem)
def test_what_the_library_says_has_no_such_habit(module):
    tree = ast.parse(module.read_text(encoding="utf-8"))
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    assert not [habit for text in texts for habit in found(text)]


def test_no_space_parts_a_number_from_its_percent_sign():
    kinds = "book/*.md", "book/*.js", "dptutor/**/*.py", "dptutor/**/*.js", "notebooks/*.ipynb"
    for source in (each for kind in kinds for each in ROOT.glob(kind)):
        parted = re.findall(r"(?<=[\d}`\]])[ \N{NO-BREAK SPACE}]%(?! \d).*", source.read_text(encoding="utf-8"))
        assert not parted, source
