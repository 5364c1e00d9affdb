"""Formulas as MathML, which a browser draws without a script and a screen reader reads as mathematics.

The work is done by math-core, which the book needs and the library does not: where it is not installed, a formula is
left between `\\(` and `\\)`, for a notebook to typeset. A command that math-core does not know is an error.
"""

from __future__ import annotations

import re
from functools import lru_cache
from html import escape, unescape
from itertools import pairwise
from typing import Any

# Environments that number their lines themselves: numbers are the page's business.
_NUMBERED = {"equation": "", "equation*": "", "align": "aligned", "align*": "aligned", "gather": "gathered"}
_WHOLE = re.compile(r"\\begin\{([a-z]+\*?)\}(.*)\\end\{\1\}", re.DOTALL)
_DOLLARS = re.compile(r"(?<![\\$\w])\$(?!\s)([^$\n]+?)(?<![\s\\])\$(?!\w)")
# What is raised or lowered in a plain text: e^ε, e^(−ε), e^{−ε/2}, (1 − x)^2, G_μ, Pr_Q, min_α; but no p_value.
_TILDE = re.compile(r"\b([A-Za-zα-ω])\u0303")
_RAISED = re.compile(
    r"(?:(?<![\w^.])(Pr|min|max|[A-Za-zα-ωΑ-Ω]|\d+(?=\^))|(?<=[)\]]))"
    r"(?:([\^])|(_)(?=[({]|\w{1,2}(?!\w)))"
    r"(?:\(([^(){}$\\^]+)\)|\{([^(){}$\\^]+)\}|([−-]?\w+(?:\.\d+)?))"
)
_NAMED = {"Pr": r"\operatorname{Pr}", "min": r"\min", "max": r"\max", None: "{}"}
_SMALL = str.maketrans(
    {"−": "-", "½": r"\frac12 "}
    | {digit: f"^{n}" for n, digit in enumerate("⁰¹²³")}
    | {digit: f"_{n}" for n, digit in enumerate("₀₁₂₃₄₅₆₇₈₉")}
)
# Letters that are symbols where they stand alone: "a" and "I" are words, but for Beta(a, b). Sentences that a script
# writes have the same rule in `explore/machinery/explorer.js`.
_SYMBOL = re.compile(
    r"(?<![\w'’\\$])(?:[B-HJ-Zb-hj-z]\u0303?|(?<=[a-z]\()a(?=, )|[α-ωϑϕϵ]\u0303|[α-ωϑϕϵ]+)(?![\w'’]|\.\w)"
)
# What `typeset` has set.
_SET = re.compile(r"(<math.*?</math>|\\\(.*?\\\))")
_COLORED = re.compile(r"\x1b\[[\d;]*m")


class UnknownFormula(ValueError):
    """A formula that cannot be set."""


def mathml(tex: str, *, display: bool = False) -> str:
    """A formula in TeX as a `<math>` element, which keeps its TeX for those who copy it.

    Parameters
    ----------
    tex : str
        The formula, without dollars.
    display : bool
        Whether it is set on lines of its own.

    Examples
    --------
    >>> from dptutor.formulas import mathml
    >>> mathml("x")
    '<math data-tex="x"><mi>x</mi></math>'
    """
    shown = " ".join(tex.split())
    return _converted(_lines(tex) if display else tex.strip(), display).replace(
        "<math", f'<math data-tex="{escape(shown)}"', 1
    )


def typeset(text: str) -> str:
    """A text of HTML whose formulas, which stand between dollars, are set, and so are exponents and indices.

    A text that is also read without a page may say e^ε, which a page shows as it should be.

    Examples
    --------
    >>> from dptutor.formulas import typeset
    >>> typeset("at most $x$")
    'at most <math data-tex="x"><mi>x</mi></math>'
    """

    def formula(tex: str) -> str:
        tex = unescape(tex)
        try:
            return mathml(tex)
        except ImportError:
            return rf"\({escape(tex)}\)"

    def set_off(found: re.Match[str]) -> str:
        try:
            return mathml(_raised(found))
        except ImportError:
            return found[0]

    def waved(found: re.Match[str]) -> str:
        try:
            return mathml(rf"\tilde {found[1]}")
        except ImportError:
            return found[0]

    parts = _DOLLARS.split(text)
    parts[1::2] = [formula(tex) for tex in parts[1::2]]
    parts[::2] = [_TILDE.sub(waved, _RAISED.sub(set_off, part)) for part in parts[::2]]
    return "".join(parts)


def raised(text: str) -> list[str]:
    """A plain text in pieces, of which every second is the TeX of what the text raises or lowers.

    Examples
    --------
    >>> from dptutor.formulas import raised
    >>> raised("at least e^(−ε) times D_s")
    ['at least ', 'e^{-ε}', ' times ', 'D_{s}', '']
    """
    pieces, end = [], 0
    for found in _RAISED.finditer(text):
        pieces += [text[end : found.start()], _raised(found)]
        end = found.end()
    return [*pieces, text[end:]]


def _raised(found: re.Match[str]) -> str:
    letter, up, down, *inside = found.groups()
    script = next(filter(None, inside)).translate(_SMALL)
    return f"{_NAMED.get(letter, letter)}{up or down}{{{script}}}"


def symbols(text: str) -> list[str]:
    """A label in pieces, of which every second is a symbol: what formulas set in italic letters.

    Examples
    --------
    >>> from dptutor.formulas import symbols
    >>> symbols("Bayes error R(π), type I")
    ['Bayes error ', 'R', '(', 'π', '), type I']
    """
    ends = [0, *(end for found in _SYMBOL.finditer(text) for end in found.span()), len(text)]
    return [text[start:end] for start, end in pairwise(ends)]


def lettered(text: str) -> str:
    """A label as HTML, its symbols in the letters of formulas.

    Examples
    --------
    >>> from dptutor.formulas import lettered
    >>> lettered("prior < b")
    'prior &lt; <i>b</i>'
    """
    parts = [escape(part) for part in symbols(text)]
    parts[1::2] = [typeset(part) if "\u0303" in part else f"<i>{part}</i>" for part in parts[1::2]]
    return "".join(parts)


def worded(text: str) -> str:
    """A plain text as HTML: formulas, and what is raised or lowered, are set; symbols are italic.

    Examples
    --------
    >>> from dptutor.formulas import worded
    >>> worded("at least p, if $x$ < b")
    'at least <i>p</i>, if <math data-tex="x"><mi>x</mi></math>\xa0&lt;\xa0<i>b</i>'
    """
    pieces = _SET.split(typeset(escape(unbroken(text))))
    pieces[::2] = [lettered(unescape(piece)) for piece in pieces[::2]]
    return "".join(pieces)


def unbroken(text: str) -> str:
    """A text in which no line ends beside the sign of a formula.

    Examples
    --------
    >>> from dptutor.formulas import unbroken
    >>> unbroken("the length 1 − f")
    'the length 1\\xa0−\\xa0f'
    """
    return re.sub(r" (?=[−+=<>≤≥≈·](?!\w))|(?<= [−+=<>≤≥≈·]) |(?<=\blog) (?=[\dα-ω])", "\N{NO-BREAK SPACE}", text)


@lru_cache(maxsize=8192)
def _converted(tex: str, display: bool) -> str:
    from math_core import LatexError

    try:
        # A script capital is told which of two kinds it is, by a sign that has a browser look through all its fonts.
        made: str = _converter().convert_with_local_state(tex, displaystyle=display)
        return made.replace("\N{VARIATION SELECTOR-1}", "")
    except LatexError as error:
        words = _COLORED.sub("", str(error)).strip().splitlines()
        raise UnknownFormula(f"{words[0].removeprefix('Error: ')} In: {tex}") from None


@lru_cache(maxsize=1)
def _converter() -> Any:
    from math_core import LatexToMathML

    # A wide tilde is drawn over the letter, not stretched: good enough for one or two letters.
    return LatexToMathML(allow_unreliable_rendering=True)


def _lines(tex: str) -> str:
    """A formula on lines of its own, aligned if there are several; an empty line begins a new one."""
    tex = tex.strip()
    if (whole := _WHOLE.fullmatch(tex)) and whole[1] in _NUMBERED:
        inside = _NUMBERED[whole[1]]
        return rf"\begin{{{inside}}}{whole[2]}\end{{{inside}}}" if inside else _lines(whole[2])
    parts = [part.strip() for part in re.split(r"\n\s*\n", tex) if part.strip()]
    tex = r" \\ ".join(parts)
    several = re.search(r"\\\\", re.sub(r"\\begin\{(\w+\*?)\}.*?\\end\{\1\}", "", tex, flags=re.DOTALL))
    return rf"\begin{{aligned}}{tex}\end{{aligned}}" if several else tex
