"""Mechanisms written as text, in the form in which they print, and read without running any code.

    dp.read("DPSGD(0.6, 0.01, 500)")     dp.read("Gaussian(sigma=2) ** 10 @ Laplace(1)")
    family("DPSGD(?, 0.01, 500)")        # σ ↦ the mechanism: `?` is the number that is looked for

Allowed are the public mechanisms by name with numbers, texts and lists of numbers as arguments, `join(…)`, `meet(…)`,
`group(…)`, `allowed_by(…)`, `matrix_mechanism(…)` and `tree_aggregation(…)`, `**` with an integer, `@`, `.reverse` and
`.symmetrized`, and arithmetic with numbers (`1/3`, `10**6`, `sqrt`, `exp`, `log`). A minus sign may be typed as the
book prints it.

Limits: 100,000 characters; calls, brackets and operators nested 50 deep, where a chain like `a @ b @ c` counts as one
level; and the cost of nested joins and meets. A join or a meet evaluates each of its parts twice, so every level
doubles the work, and the curve of a join within a meet, or of a meet within a join, is itself the result of a search.
"""

from __future__ import annotations

import ast
import difflib
import functools
import math
import operator
import unicodedata
from collections.abc import Callable
from typing import Any

from . import mechanisms
from ._validation import shortened, shown
from .mechanisms import Mechanism
from .risk.facts import allowed_by

__all__ = ["family", "read"]

# All others are made by operators and by `join` and `meet`, and print as those; the rest print as what they give.
_FROM_OTHERS = ["join", "meet", "group", "matrix_mechanism", "tree_aggregation"]
_MAKERS = {name: getattr(mechanisms, name) for name in [*mechanisms.registry.__all__, *_FROM_OTHERS]}
_MAKERS["allowed_by"] = allowed_by
_FUNCTIONS = {"sqrt": math.sqrt, "exp": math.exp, "log": math.log}
_ARITHMETIC = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}  # fmt: skip
_LONGEST, _DEEPEST = 100_000, 50
# What joins and meets may cost: 12 of the same kind within one another, or 3 in turn, which take about 10 s.
_MOST_WORK, _LEVEL, _CHANGE = 2**12, 2, 8
_SOUGHT = "the_number_sought"
_TYPED = str.maketrans({"−": "-", **dict.fromkeys("\u00a0\u2009\u202f", " ")})


def read(text: str) -> Mechanism:
    """The mechanism that a text describes.

    Parameters
    ----------
    text : str
        Like "DPSGD(0.6, 0.01, 500)".

    Returns
    -------
    Mechanism

    Raises
    ------
    ValueError
        If the text does not describe a mechanism, or a number is out of range; the message says what and where.
    TypeError
        If `text` is no string, or an argument is of the wrong kind or missing.

    Examples
    --------
    >>> import dptutor as dp
    >>> dp.read("Gaussian(sigma=2) ** 4 @ Laplace(1/4)")
    Gaussian(sigma=1.0, sensitivity=1.0) @ Laplace(scale=0.25, sensitivity=1.0)
    """
    return _mechanism(_parsed(text), text, {})


def family(text: str) -> Callable[[float], Mechanism]:
    """The family of mechanisms that a text with a `?` describes, for `calibrate`.

    Parameters
    ----------
    text : str
        Like "DPSGD(?, 0.01, 500)", with exactly one `?`.

    Returns
    -------
    callable
        From a number to a mechanism.

    Raises
    ------
    ValueError, TypeError
        As `read` does, and if there is not exactly one `?`.

    Examples
    --------
    >>> import dptutor as dp
    >>> from dptutor.specification import family
    >>> round(dp.calibrate(family("DPSGD(?, 0.01, 500)"), epsilon=8, delta=1e-5).noise_multiplier, 6)
    0.541509
    """
    if isinstance(text, str) and text.count("?") != 1:
        raise ValueError(
            f"{shown(text)} needs one ? where the number is to be found, as in 'DPSGD(?, 0.01, 500)', got "
            f"{text.count('?')}; in Python, dp.calibrate also takes families with one number in several places"
        )
    tree = _parsed(text)
    return lambda number: _mechanism(tree, text, {_SOUGHT: number})


def _parsed(text: object) -> ast.expr:
    if not isinstance(text, str):
        raise TypeError(f"a specification must be text, got {shown(text)}")
    if len(text) > _LONGEST:
        raise ValueError(f"a specification must have at most {_LONGEST} characters, got {len(text)}")
    # Python takes letters of other alphabets for the Latin ones that they look like.
    for foreign in (character for character in text.translate(_TYPED) if not character.isascii()):
        name = unicodedata.name(foreign, "no letter").lower()
        raise ValueError(f"a specification must be written in plain letters, got {foreign!a} ({name}) in {shown(text)}")
    try:
        tree = ast.parse(_source(text), mode="eval").body
    except (RecursionError, MemoryError):
        raise ValueError(_TOO_DEEP) from None
    except (SyntaxError, ValueError):
        raise ValueError(
            f"{shown(text)} is not a mechanism: write one as it prints, like 'Gaussian(sigma=1)'"
        ) from None
    if _depth(tree) > _DEEPEST:
        raise ValueError(_TOO_DEEP)
    if _work(tree)[0] > _MOST_WORK:
        raise ValueError(
            "joins and meets are nested too deeply: every level doubles the work, and every change between join and "
            f"meet takes {_CHANGE} times as long; at most {int(math.log2(_MOST_WORK))} of one kind are possible, or 3 "
            "in turn"
        )
    return tree


_TOO_DEEP = f"a specification must be nested at most {_DEEPEST} deep, and a chain of operators have about 1000 parts"


def _source(text: str) -> str:
    return text.translate(_TYPED).strip().replace("?", _SOUGHT)


def _operands(chain: ast.BinOp) -> list[ast.expr]:
    """a, b and c of a @ b @ c, which Python nests to the left, and the like."""
    found: list[ast.expr] = []
    node: ast.expr = chain
    while isinstance(node, ast.BinOp) and type(node.op) is type(chain.op):
        found.append(node.right)
        node = node.left
    return [node, *reversed(found)]


def _within(node: ast.AST) -> list[ast.AST]:
    return [*_operands(node)] if isinstance(node, ast.BinOp) else [*ast.iter_child_nodes(node)]


def _depth(tree: ast.AST) -> int:
    depth, level = 0, [tree]
    while level:
        depth, level = depth + 1, [child for node in level for child in _within(node)]
    return depth


def _work(node: ast.AST) -> tuple[int, str]:
    """How much longer the joins and meets of a text take than a mechanism without, and the outermost kind."""
    work, kind = max((_work(child) for child in _within(node)), default=(1, ""))
    match node:
        case ast.Call(func=ast.Name(id="join" | "meet" as own)):
            return work * _LEVEL * (_CHANGE if kind not in ("", own) else 1), own
    return work, kind


def _mechanism(tree: ast.expr, text: str, names: dict[str, float]) -> Mechanism:
    return _is_mechanism(_value(tree, text, names), text)


def _is_mechanism(value: object, text: str) -> Mechanism:
    if not isinstance(value, Mechanism):
        raise ValueError(f"{shown(text)} is not a mechanism: write one as it prints, like 'Gaussian(sigma=1)'")
    return value


def _value(node: ast.expr, text: str, names: dict[str, float]) -> Any:
    """What a piece of the text stands for: a mechanism, a number, a text or a list of numbers."""

    def part(node: ast.expr) -> Any:
        return _value(node, text, names)

    match node:
        case ast.Constant(value=bool() | None | bytes() | complex()) | ast.Starred():
            pass
        case ast.Constant(value=value) if value is not ...:
            return value
        case ast.Name(id=id) if id in names:
            return names[id]
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return tuple(part(p) for p in parts)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_number(part(operand), text)
        case ast.Attribute(value=of, attr="reverse" | "symmetrized" as face):
            return getattr(_mechanism(of, text, names), face)
        case ast.Call(func=ast.Name(id=id), args=[argument], keywords=[]) if id in _FUNCTIONS:
            return _calculated(_FUNCTIONS[id], node, text, part(argument))
        case ast.Call(func=ast.Name(id=id), args=args, keywords=keywords) if id in _MAKERS:
            given = [keyword.arg for keyword in keywords if keyword.arg]  # none of them is **
            for name in given:
                if given.count(name) > 1:
                    raise ValueError(f"{name} is given twice in {shortened(_shown(node, text))!r}")
            if len(given) == len(keywords):
                named = zip(given, keywords, strict=True)
                return _MAKERS[id](*map(part, args), **{name: part(keyword.value) for name, keyword in named})
        case ast.Call(func=ast.Name(id=id)):
            close = _near(id)
            meant = f"did you mean {close}(…)?" if close else f"known are {', '.join(_NAMES.values())}"
            raise ValueError(f"{shortened(id.replace(_SOUGHT, '?'))} is unknown; {meant}")
        case ast.BinOp(op=ast.MatMult()):
            return functools.reduce(operator.matmul, [_mechanism(each, text, names) for each in _operands(node)])
        case ast.BinOp(op=operation) if type(operation) in _ARITHMETIC:
            return functools.reduce(
                lambda first, second: _combined(operation, node, text, first, second), map(part, _operands(node))
            )
        case ast.Name(id=id) if near := _near(id):
            raise ValueError(f"{shortened(id)} is no mechanism by itself; did you mean {near}(…)?")
    raise ValueError(f"{shortened(_shown(node, text))!r} is not allowed in a specification")


_NAMES = {name.lower(): name for name in [*_MAKERS, *_FUNCTIONS]}


def _near(name: str) -> str | None:
    """The name that was probably meant."""
    return next((_NAMES[each] for each in difflib.get_close_matches(name.lower(), _NAMES, 1)), None)


def _combined(operation: ast.operator, node: ast.expr, text: str, first: Any, second: Any) -> Any:
    if isinstance(first, Mechanism) and isinstance(operation, ast.Pow):
        return first**second
    return _calculated(_ARITHMETIC[type(operation)], node, text, first, second)


def _number(value: object, text: str) -> Any:
    if isinstance(value, (int, float)):
        return value
    raise ValueError(f"in {shown(text)} only numbers can be added, multiplied and so on")


def _calculated(operation: Callable[..., Any], node: ast.expr, text: str, *values: object) -> Any:
    numbers = [_number(value, text) for value in values]
    written = shortened(_shown(node, text))
    try:
        # A large integer could fill the memory.
        if operation is operator.pow and all(isinstance(number, int) for number in numbers):
            base, exponent = numbers
            if abs(base) > 1 and exponent * base.bit_length() > 2000:
                raise OverflowError
        result = operation(*numbers)
        if not isinstance(result, complex) and abs(result) > 1e308:
            raise OverflowError
    except OverflowError:
        raise ValueError(f"{written!r} is beyond the largest number, 1e308") from None
    except (ArithmeticError, ValueError):
        result = 1j
    if isinstance(result, complex):
        raise ValueError(f"{written!r} is not a real number")
    return result


def _shown(node: ast.expr, text: str) -> str:
    return (ast.get_source_segment(_source(text), node) or "").replace(_SOUGHT, "?")
