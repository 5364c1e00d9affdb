"""Prose: no number in it is typed by hand.

Results come from `{eval}`. Typed are only numbers that name something (chapters, figures, years), numbers that the
page's own code has as a parameter, small whole numbers in formulas, and what stands in `QUOTED`: numbers printed in a
source, or chosen in the text.
"""

import ast
import builtins
import re
from pathlib import Path
from urllib.parse import parse_qsl

import pytest
from conftest import each

import dptutor as dp
from exercising import with_exercises
from reading import with_mechanisms

pytestmark = pytest.mark.sources

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted((ROOT / "book").glob("*.md"))
# Pages of names and quotations alone, without results: what others print, and where things stand.
LISTS = {"notation", "references", "source_index", "glossary"}

MOVES = re.compile(r'<a data-move href="#(\w+)\?([^"]*)">')

NAMED = [
    r"(?i:\b(chapters?|sections?|figures?|theorems?|equations?|lemmas?|corollar(?:y|ies)|definitions?|propositions?|tables?|"
    r"exercises?|lecture|checkpoints?|points?|appendix))\s+[A-Z]?\.?\d+(\.\d+)*(\([a-z]\))?"
    r"((\s*(,|to|and|or)\s*)[A-Z]?\.?\d+(\.\d+)*(\([a-z]\))?)*",
    r"^ask-\d\d-[a-z-]+$",  # questions that are asked again
    r"\(\d\)",  # the statements of a theorem
    r"\*\d\.\*",
    r"\b(19|20)\d\d\b",  # years
    r"\b[Aa]bout \d+ minutes",
    r"\b[Aa]n? hint for \d+\.\d+",
    r"\b[A-Z]\d+\b",
    r"CIFAR-10\b|Purchase-100\b|Python \d\.\d+|case of the published 8·10⁻⁴",
]


def source(page: Path) -> str:
    """A page with what its exercises ask, but without their hints."""
    text, chapter = page.read_text(encoding="utf-8"), page.stem[:2]
    if chapter.isdigit():
        text = with_exercises(text, int(chapter))
        text = re.sub(r"^::::\{dropdown\} A hint for .*?^::::$", "", text, flags=re.S | re.M)
    return text


def prose(text: str) -> str:
    """What a reader reads as text: without code, directives, formulas' names, roles, links and labels."""
    text = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.S)
    text = re.sub(r"^(`{3,})\{code-cell\}.*?^\1", "", text, flags=re.S | re.M)
    text = re.sub(r"^(`{3,})(bash|python|text)\n.*?^\1", "", text, flags=re.S | re.M)
    text = re.sub(r"^`{3,}\{exercise\}.*$", "", text, flags=re.M)
    text = re.sub(r"\{[\w:-]+\}`[^`]*`", "", text)
    text = re.sub(r"`[^`\n]*`", "", text)
    text = re.sub(r"\[\[.*?\]\]", "", text)  # numbers of a question that is asked anew
    text = re.sub(r"^\s*:[\w-]+:.*$", "", text, flags=re.M)
    text = re.sub(r"^#+ \d+ ", "", text, flags=re.M)
    text = re.sub(r"^\s*\d+\. ", "", text, flags=re.M)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    for pattern in NAMED:
        text = re.sub(pattern, "", text, flags=re.M)
    return text


def typed_numbers(text: str):
    """The numbers in prose: all of its text, and of its formulas those that are not small whole numbers."""
    text = prose(text)
    formulas = re.findall(r"\$\$.*?\$\$|\$[^$\n]+\$", text, flags=re.S)
    plain = re.sub(r"\$\$.*?\$\$|\$[^$\n]+\$", " ", text, flags=re.S)
    for number in re.findall(r"(?<![\w^])\d+(?:[.,]\d+)*", plain):
        yield number.replace(",", "")
    for formula in formulas:
        formula = re.sub(r"\{,\}|\\,", "", formula)
        formula = re.sub(r"10\^\{?-?\d+\}?|\\t?frac\d\d", "", formula)
        for number in re.findall(r"\d+(?:\.\d+)?", formula):
            if "." in number or float(number) > 12:
                yield number


def cells(text: str):
    """The options and the code of every cell."""
    for cell in re.findall(r"^```\{code-cell\}[^\n]*\n(.*?)^```", text, flags=re.S | re.M):
        yield re.fullmatch(r"((?:---\n.*?\n---\n)?(?::[^\n]*\n)*)(.*)", cell, flags=re.S).groups()


def parameters(text: str) -> set[float]:
    """The number literals of the page's code, and of the curves that it asks for."""
    found = set()
    curves = re.findall(r"^- `(.+)`(?: \(right\))?$", text, flags=re.M)
    for code in (*(code for _, code in cells(text)), *curves):
        for node in ast.walk(ast.parse(code)):
            if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
                found |= {float(node.value), 100 * float(node.value)}
    return found


QUOTED = {
    "01_two_worlds": {"0.1"},  # an adversary's budget, chosen for the sake of the argument
    "08_hyper_priors": {"0.007", "0.01", "0.014", "0.015", "0.4"},  # figure 4 of the source; the prior of an exercise
    "10_emergent_dominance": {"0.4748", "0.56", "24", "48"},  # constants of theorems
    "11_dpsgd_in_practice": {"0.12", "0.55", "21"},  # figures 6 and 7 of the source
    "13_auditing": {"2.2"},  # the ε of the source, rounded
    "14_batches": {"9", "16", "1.14"},  # probabilities of an example worked by hand; a number of a source
    "16_reports": {"17.14", "2.0", "1.1", "1024", "0.0010", "1.2", "06", "10", "13.376"},  # printed in the sources
    "18_stopping": {"1500", "150"},  # numbers of a story, and of rounds in the explorer
    "accountants": {"40"},  # the digits of the reference
    "asymmetric_steps": {"0.56"},  # a constant of a theorem
    "errata": {"0.02", "0.55"},  # printed in the sources
    "more_attacks_reports": {"1.14", "06", "90", "0.9"},  # printed in the sources; chosen for a question
    "one_table": {"95"},  # chosen for a question
    "reproduction": {  # printed in the sources
        *("0.005", "0.034", "0.12", "15", "0.54", "0.55", "21", "0.84", "0.86", "0.217", "1.5686"),
        *("3.38", "3.42", "3.43", "3.70", "4.83", "20.80", "21.70", "21.80"),
        *("2.56", "0.07", "17.14", "2.47", "4.96", "7.70", "26.34", "34.33"),
        *("0.376", "1.453", "0.0728", "0.015", "2.64"),
    },
}


@each(PAGES)
def test_no_result_is_typed_by_hand(page):
    if page.stem in LISTS:
        return
    text = MOVES.sub("", with_mechanisms(source(page)))  # an address of a setting is no result
    known = parameters(text)
    typed = {
        number
        for number in typed_numbers(text)
        if not any(abs(float(number) - value) <= 1e-9 * max(1, abs(value)) for value in known)
    }
    assert typed <= QUOTED.get(page.stem, set()), f"not from code: {sorted(typed - QUOTED.get(page.stem, set()))}"


# What each source states by number, and chapters take up.
STATED = {
    "kaissis2024": {
        "definition": "1 2 3",
        "theorem": "1 2 3",
        "corollary": "1 2",
        "lemma": "1 2 3 4 5 6 B.1 B.2 B.3",
        "figure": "1 2 3 4 5 6 7 8",
    },
    "wang-lecture": {"definition": "2.4", "checkpoint": "1 2", "proposition": "2.12", "theorem": "1 2 3"},
    "hypothesis-testing-post": {"definition": "3.2 3.3", "lemma": "3.4"},
    "bernau2021": {"definition": "4 5", "theorem": "1 2", "figure": "1 2 3"},
}


def numbered(cell: str):
    """The statements that the first cell of a row names: "lemmas 2 to 5" are four."""
    kinds = "definition|theorem|corollar(?:y|ies)|lemma|figure|proposition|checkpoint|equation|section|table|appendix"
    for kind, listed in re.findall(rf"({kinds})s? ((?:(?:, | and | to )?[A-Z\d][.\d]*(?:\([iv]+\))?[a-z]?)+)", cell):
        kind = "corollary" if kind.startswith("corollar") else kind
        for first, last in re.findall(r"([A-Z\d][.\d]*)(?:\([iv]+\))?(?: to (\d+))?", listed):
            yield from ((kind, str(n)) for n in range(int(first), int(last) + 1)) if last else ((kind, first),)


def names_in(tree):
    """Names that a piece of code uses, and names that it makes."""
    used, made = set(), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            (used if isinstance(node.ctx, ast.Load) else made).add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            made.add(node.name)
        elif isinstance(node, ast.arg):
            made.add(node.arg)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            made |= {(name.asname or name.name).partition(".")[0] for name in node.names}
    return used, made


@each([page for page in PAGES if page.stem[0].isdigit()])
def test_the_code_that_is_shown_can_be_copied(page):
    """No name comes from a cell that no reader sees."""
    known, missing = set(dir(builtins)), set()
    for options, code in cells(page.read_text(encoding="utf-8")):
        if "remove-input" not in options and "remove-cell" not in options:
            used, made = names_in(ast.parse(code))
            missing |= used - known - made
            known |= made
    assert not missing


# What matplotlib writes as it stands: labels of curves and axes, titles, and texts at a place.
LABELS = re.compile(r'(?:label|title)=f?"([^"]*)"|(?:text|annotate|label|title)\((?:[^"\n]*, )?f?"([^"]*)"')


@each([*PAGES, *sorted((ROOT / "notebooks").glob("*_lecture.ipynb"))])
def test_a_picture_has_symbols_in_the_letters_of_formulas_and_colors_of_the_palette(page):
    code = page.read_text(encoding="utf-8").replace('\\"', '"')
    labels = [label for pair in LABELS.findall(code) for label in pair]
    assert [label for label in labels if re.search("[α-ω]", re.sub(r"\$[^$]*\$", "", label))] == []
    # A typewriter's apostrophe becomes a small mark far above its letter.
    assert [label for label in labels if re.search(r"\$[^$]*'", label)] == []
    assert not re.findall(r'(?:color=|\()"C\d"', code)


@each(STATED)
def test_every_numbered_statement_of_a_source_is_in_the_index(source):
    text = (ROOT / "book" / "source_index.md").read_text(encoding="utf-8")
    section = next(part for part in text.split("\n## ") if f"`{source}`" in part)
    rows = [line.split("|")[1] for line in section.split("\n") if line.startswith("| ")]
    found = {statement for row in rows for statement in numbered(row)}
    wanted = {(kind, number) for kind, listed in STATED[source].items() for number in listed.split()}
    assert wanted <= found, f"no row: {sorted(wanted - found)}"


@each([p for p in PAGES if MOVES.search(p.read_text(encoding="utf-8"))])
def test_a_phrase_moves_an_explorer_of_its_page_to_a_stop(path):
    text = path.read_text(encoding="utf-8")
    for name, query in MOVES.findall(text):
        assert f"dp.explore.{name}().frozen()" in text
        parameters = getattr(dp.explore, name).parameters
        for parameter, value in parse_qsl(query, strict_parsing=True):
            assert value in map(str, parameters[parameter].values) or float(value) in parameters[parameter].values


GREEK = (
    "alpha|beta|gamma|delta|varepsilon|zeta|eta|theta|kappa|lambda|mu|nu|xi|pi|rho|sigma|tau|phi|varphi|chi|psi|omega"
    "|ell|Gamma|Delta|Theta|Lambda|Sigma|Phi|Psi|Omega"
)
FREE = set("acdijmrtuwxy")  # numbers, outputs and indices, which the page on notation lists as such


def letters_of(text):
    """The letters of all formulas, without words and names of functions."""
    text = re.sub(r"^(`{3,})\{code-cell\}.*?^\1", "", text, flags=re.S | re.M)
    for formula in re.findall(r"\$\$.*?\$\$|\$[^$\n]+\$", text, flags=re.S):
        formula = re.sub(r"\\(text|mathrm|mathsf|mathcal|mathbb|operatorname\*?|begin|end)\s*\{[^{}]*\}", " ", formula)
        yield from re.findall(rf"\\(?:{GREEK})(?![A-Za-z])|(?<![A-Za-z\\])[A-Za-z](?![A-Za-z])", formula)
        # Letters that follow each other, as in pq.
        for word in re.findall(r"(?<![A-Za-z\\])[A-Za-z]{2,}", formula):
            yield from word


NOTATION = (ROOT / "book" / "notation.md").read_text(encoding="utf-8")
EVERYWHERE = set(letters_of(NOTATION.partition("## Letters of single chapters")[0]))
HERE = {
    int(number): meanings
    for number, meanings in re.findall(
        r"^\| (\d+) \| (.*) \|$", NOTATION.partition("## Letters of single chapters")[2].partition("\n## ")[0], re.M
    )
}


@pytest.mark.whole
@pytest.mark.parametrize("page", [page for page in PAGES if page.stem[0].isdigit()], ids=lambda path: path.stem)
def test_every_letter_of_a_chapter_is_on_the_page_on_notation_once(page):
    own = re.findall(r"\$([^$]+)\$", HERE[int(page.stem[:2])])
    named = [letter for one in own for letter in letters_of(f"${one.partition('=')[0]}$")]
    missing = set(letters_of(source(page))) - EVERYWHERE - FREE - set(named)
    assert not missing


def test_no_letter_of_a_chapter_is_listed_twice_or_without_use():
    for number, meanings in HERE.items():
        heads = [re.search(r"\$([^$=]+)", part)[1] for part in meanings.split(";")]
        listed = [letter for head in heads for letter in set(letters_of(f"${head}$"))]
        assert len(set(listed)) == len(listed), number
        (page,) = (ROOT / "book").glob(f"{number:02}_*.md")
        assert set(listed) <= set(letters_of(source(page))), number


def predictions(text):
    """Each question to predict, and what comes before the next question or heading."""
    for asked in re.finditer(r"^:::\{ask\}\n(.*?)^:::$", text, re.S | re.M):
        if ":predict:" in asked[1]:
            yield asked[1], re.split(r"^(?:#|:::\{ask\})", text[asked.end() :], maxsplit=1, flags=re.M)[0]


@each(PAGES)
def test_no_picture_and_no_number_answers_a_prediction_before_it_is_made(page):
    """The first cell after it that shows something is covered; until then the text has no number from code."""
    for question, after in predictions(page.read_text(encoding="utf-8")):
        before, *cells_after = re.split(r"^```\{code-cell\}(.*?)^```", after, flags=re.S | re.M)
        shown = ""
        for cell, words in zip(cells_after[::2], cells_after[1::2], strict=True):
            if "remove-output" not in cell and re.search(r"print\(|show\(|frozen\(|^\w+\n\Z", cell, re.M):
                shown = cell
                break
            before += words
        assert "{eval}" not in before, question[:40]
        assert re.search(r"hide-(?:output|cell).*Show the answer|frozen\(\)|\A\Z", shown, re.S), question[:40]
