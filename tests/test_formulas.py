"""Formulas become MathML when the book is built: all that are written, and all that could be."""

import re
import sys
from pathlib import Path

import pytest
from conftest import each
from docutils import nodes

import dptutor.explore.machinery as machinery
import typesetting
from content import ROOT
from dptutor import formulas
from dptutor.exercises.judging.questions import words
from dptutor.formulas import UnknownFormula, mathml, typeset, unbroken, worded

pytestmark = pytest.mark.sources

# What the book is written with, by kind: each has to be set. A new command is added here, and looked at in a page.
COMMANDS = r"""
\alpha \beta \gamma \delta \varepsilon \eta \theta \kappa \mu \nu \xi \pi \rho \sigma \tau \lambda \phi
\varphi \chi \psi \ell \Delta \Phi \Sigma \Psi \top \propto
\lfloor \rfloor \log \exp \liminf \limsup \cosh \sinh \tanh \lim \min \max \inf \sup \Pr \operatorname{Var}
\simeq \geq \leq \epsilon \omega \rightarrow \prime \forall \ast \parallel \ln \ldots
\cdot \circ \otimes \times \pm \cup \cap \setminus \approx \ge \le \ll \ne \mid \in \sim \subseteq \supseteq \succeq
\to \mapsto \iff \leftrightarrow \Longleftrightarrow \partial \infty \dots \cdots
\int_0^1 \sum_{k=1}^n \bigcap_i \int\nolimits_0 \frac12 \tfrac12 \dfrac12 \binom{n}{k} \sqrt{x}
\bar{x} \hat{x} \tilde{x} \widetilde{MN} \mathbb{R} \mathcal{M} \mathrm{d} \mathsf{H}
\text{if } \displaystyle \textstyle
\left\{x\right\}
\{x\} \langle{x}\rangle \lvert{x}\rvert \lVert{x}\rVert \bigl(x\bigr) \Bigl(x\Bigr) \biggl(x\biggr) \big| \Big| \Vert
\, \! \; \quad \qquad
"""


def test_no_line_ends_within_a_formula_of_plain_text():
    assert unbroken("It has δ(log 4) = 0.3, no log of −1.") == "It has δ(log\xa04)\xa0=\xa00.3, no log of −1."


def test_no_sized_bracket_carries_an_exponent():
    """A browser does not stretch it then; one of \\left and \\right it does."""
    for path in [*(ROOT / "book").glob("*.md"), *(ROOT / "notebooks").glob("*.ipynb")]:
        assert not re.search(r"\\[Bb]igg?r(?:\\[}|]|[)\]|])\s*[\^_]", path.read_text(encoding="utf-8")), path.name


@each([tex for tex in re.split(r"\s(?=\\)", COMMANDS.strip()) if tex.strip("\\ ")])
def test_every_command_of_the_book_is_set(tex):
    assert mathml(tex).startswith("<math ")
    assert mathml(tex, display=True).startswith("<math ")


def test_a_formula_that_cannot_be_set_is_named():
    with pytest.raises(UnknownFormula, match=r'Unknown command "\\nonsense". In: \\nonsense x'):
        mathml(r"\nonsense x")


@each(
    [
        (r"a = b", 0),
        (r"a &= b \\ &= c", 2),
        ("a = b\n\nc = d", 2),
        (r"\begin{equation}a = b\end{equation}", 0),
        (r"\begin{align}a &= b \\ &= c\end{align}", 2),
        (r"f = \begin{cases}1 & x < 0 \\ 2 & x > 0\end{cases}", 2),
    ]
)
def test_lines_of_a_displayed_formula(tex, rows):
    assert mathml(tex, display=True).count("<mtr>") == rows


def test_dollars_in_a_text_are_formulas_and_prices_are_not():
    assert typeset("at most $x$, $y$.").count("<math") == 2
    assert typeset("$5 and $7, or 3 $ more") == "$5 and $7, or 3 $ more"
    assert "<mo>&lt;</mo>" in typeset("$a &lt; b$")


@each(
    [
        ("1/(1 + e^ε)", "1/(1 + <msup><mi>e</mi><mi>ε</mi></msup>)"),
        ("e^(−ε)(1 − δ)", "<msup><mi>e</mi><mrow><mo"),
        ("the curve G_μ is", "<msub><mi>G</mi><mi>μ</mi></msub>"),
        ("e^{−ε₀/2}", "<msub><mi>ε</mi><mn>0</mn></msub>"),
        ("e^{1/σ²}", "<msup><mi>σ</mi><mn>2</mn></msup>"),
        ("0.01 · 2^k in", "0.01 · <"),
        ("min_α [e^ε α + f(α)]", "<mi>min</mi>"),
        ("the level, p_value and n_max", "the level, p_value and n_max"),
        ("Pr_Q[L]", "<mi>Pr</mi>"),
    ]
)
def test_what_is_raised_in_a_plain_text_is_raised_on_a_page(text, shown):
    assert shown in re.sub(r"</?math[^>]*>", "", typeset(text))


def test_a_letter_keeps_its_tilde():
    assert formulas.symbols("at μσ") == ["at ", "μσ", ""]
    for letter in "fδ":
        assert formulas.symbols(f"{letter}\u0303: total failure") == ["", f"{letter}\u0303", ": total failure"]
        assert "<mover" in typeset(f"at most {letter}\u0303") and "\u0303" not in typeset(f"at most {letter}\u0303")


def test_letters_of_a_sentence_are_in_the_letters_of_formulas(monkeypatch):
    shown = worded("Pairs (P, Q) with x < 1: from e^ε on, A’s offer is a “little” worse.")
    assert shown.startswith("Pairs (<i>P</i>, <i>Q</i>) with <i>x</i>\xa0&lt;\xa01: from <math ")
    assert shown.endswith("</math> on, A’s offer is a “little” worse.")
    assert words("of p in `p < q`") == "of <i>p</i> in <code>p &lt; q</code>"
    monkeypatch.setitem(sys.modules, "math_core", None)
    assert worded("at $x_1$ of n") == r"at \(x_1\) of <i>n</i>"


def test_names_of_a_program_are_no_formulas():
    assert typeset("bayes_error and __pow__") == "bayes_error and __pow__"


def test_without_the_converter_a_formula_is_left_for_a_notebook_to_set(monkeypatch):
    monkeypatch.setitem(sys.modules, "math_core", None)
    assert typeset("at most $x_{117}$, and e^(117)") == r"at most \(x_{117}\), and e^(117)"


def test_scripts_tell_symbols_from_words_by_the_same_rule():
    script = Path(machinery.__file__).with_name("explorer.js").read_text(encoding="utf-8")
    [theirs] = re.findall(r"const SYMBOL =\s+/(.*)/u;", script)
    word = r"\p{L}\p{N}_"
    ours = formulas._SYMBOL.pattern.replace(r"\.\w", rf"\.[{word}]").replace(r"\w", word)
    assert theirs.replace("((?:", "(?:", 1).removesuffix(")") == ours  # theirs keeps what it finds


def test_a_formula_keeps_the_bracket_before_it_and_the_marks_after_it():
    words = [nodes.Text(text) for text in ("the census (", "), by ", " and", ", and")]
    page = nodes.paragraph("", "")
    for text, letter in zip(words, ("x", "y", "z", ""), strict=True):
        page += [text, nodes.math("", letter)] if letter else [text]
    typesetting.together(None, page, None)
    assert [node.astext() for node in page.findall(nodes.inline)] == ["(x),", "z,"]
    assert page.astext() == "the census (x), by y andz, and"


def test_what_a_sign_or_a_hyphen_joins_stays_on_one_line():
    page = nodes.paragraph("", "")
    page += [nodes.Text("the "), nodes.math("", "N"), nodes.Text("-fold noise, "), nodes.math("", r"\sigma \le")]
    page += [nodes.Text(" 2 · "), nodes.math("", "10"), nodes.Text(", of "), nodes.math("", "ε")]
    page += [nodes.Text("-differential")]
    typesetting.together(None, page, None)
    assert [node.astext() for node in page.findall(nodes.inline)] == ["N-fold", "10,", "ε-"]
    assert "\xa02\xa0·\xa0" in page.astext()
