"""Mechanisms written as text, as they print themselves, read without running anything.

    read("DPSGD(0.6, 0.01, 500)")        read("Gaussian(sigma=2) ** 10 @ Laplace(1)")
    family("DPSGD(?, 0.01, 500)")        # σ ↦ the mechanism: `?` is the number that is looked for

Allowed are the public mechanisms by name with numbers, texts and lists of numbers as arguments, `join(…)` and
`meet(…)`, `**` with an integer, `@`, `.reverse` and `.symmetrized`, and arithmetic with numbers (`1/3`, `10**6`,
`sqrt`, `exp`, `log`).
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable

from . import mechanisms
from .mechanisms import Mechanism

__all__ = ["family", "read"]

_MAKERS = {
    name: getattr(mechanisms, name)
    for name in (
        "ApproximateDP", "BlatantlyNonPrivate", "DPSGD", "FiniteExperiment", "Gaussian", "Laplace", "PerfectPrivacy",
        "RandomizedResponse", "SubsampledGaussian", "join", "meet",
    )
}  # fmt: skip
_FUNCTIONS = {"sqrt": math.sqrt, "exp": math.exp, "log": math.log}
_ARITHMETIC = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}  # fmt: skip
_LONGEST, _DEEPEST = 10_000, 50
_SOUGHT = "the_number_sought"


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
        If the text is no such description, or its numbers are out of range; the message says what and where.
    TypeError
        If `text` is no string, or an argument is of the wrong kind or missing.

    Examples
    --------
    >>> from dptutor.specification import read
    >>> read("Gaussian(sigma=2) ** 4 @ Laplace(1/4)")
    Gaussian(sigma=1.0, sensitivity=1.0) @ Laplace(scale=0.25, sensitivity=1.0)
    """
    return _mechanism(_parsed(text), text, {})


def family(text: str) -> Callable[[float], Mechanism]:
    """The family of mechanisms that a text with a `?` describes, for `calibrate`.

    Parameters
    ----------
    text : str
        Like "DPSGD(?, 0.01, 500)"; every `?` is the same number.

    Returns
    -------
    callable
        From a number to a mechanism.

    Raises
    ------
    ValueError, TypeError
        As `read` does, and if there is no `?`.

    Examples
    --------
    >>> import dptutor as dp
    >>> from dptutor.specification import family
    >>> round(dp.calibrate(family("DPSGD(?, 0.01, 500)"), epsilon=8, delta=1e-5).noise_multiplier, 6)
    0.541509
    """
    if isinstance(text, str) and "?" not in text:
        raise ValueError(f"{text!r} needs a ? where the number is to be found, as in 'DPSGD(?, 0.01, 500)'")
    tree = _parsed(text)
    return lambda number: _mechanism(tree, text, {_SOUGHT: number})


def _parsed(text) -> ast.expr:
    if not isinstance(text, str):
        raise TypeError(f"a specification must be text, got {text!r}")
    if len(text) > _LONGEST:
        raise ValueError(f"a specification must have at most {_LONGEST} characters, got {len(text)}")
    try:
        tree = ast.parse(text.strip().replace("?", _SOUGHT), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ValueError(f"{text!r} is not a mechanism: write one as it prints, like 'Gaussian(sigma=1)'") from None
    if _depth(tree) > _DEEPEST:
        raise ValueError(f"a specification must be nested at most {_DEEPEST} deep")
    return tree


def _depth(tree: ast.AST) -> int:
    depth, level = 0, [tree]
    while level:
        depth, level = depth + 1, [child for node in level for child in ast.iter_child_nodes(node)]
    return depth


def _mechanism(tree, text, names) -> Mechanism:
    value = _value(tree, text, names)
    if not isinstance(value, Mechanism):
        raise ValueError(f"{text!r} is not a mechanism: write one as it prints, like 'Gaussian(sigma=1)'")
    return value


def _value(node, text, names):
    """What a piece of the text stands for: a mechanism, a number, a text or a list of numbers."""

    def part(node):
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
        case ast.Attribute(value=of, attr="reverse" | "symmetrized" as name):
            return getattr(_mechanism(of, text, names), name)
        case ast.Call(func=ast.Name(id=id), args=[argument], keywords=[]) if id in _FUNCTIONS:
            return _calculated(_FUNCTIONS[id], text, part(argument))
        case ast.Call(func=ast.Name(id=id), args=args, keywords=keywords) if id in _MAKERS:
            if all(keyword.arg for keyword in keywords):
                return _MAKERS[id](*map(part, args), **{k.arg: part(k.value) for k in keywords})
        case ast.Call(func=ast.Name(id=id)):
            raise ValueError(f"{id} is not known: there are {', '.join(_MAKERS)}")
        case ast.BinOp(left=left, op=ast.MatMult(), right=right):
            return _mechanism(left, text, names) @ _mechanism(right, text, names)
        case ast.BinOp(left=left, op=operation, right=right) if type(operation) in _ARITHMETIC:
            first, second = part(left), part(right)
            if isinstance(first, Mechanism) and isinstance(operation, ast.Pow):
                return first**second
            return _calculated(_ARITHMETIC[type(operation)], text, first, second)
    raise ValueError(f"{_shown(node, text)!r} may not stand in a specification")


def _number(value, text):
    if isinstance(value, (int, float)):
        return value
    raise ValueError(f"in {text!r} numbers may be calculated with, nothing else")


def _calculated(operation, text, *values):
    values = [_number(value, text) for value in values]
    # An integer power could fill the memory.
    if operation is operator.pow and abs(values[1]) > 1000:
        raise ValueError(f"exponents of numbers go up to 1000, got {values[1]}")
    try:
        result = operation(*values)
        if isinstance(result, complex) or abs(result) > 1e308:
            raise OverflowError
    except (ArithmeticError, ValueError):
        raise ValueError(f"{text!r} has a number that is not there") from None
    return result


def _shown(node, text):
    return ast.get_source_segment(text.strip().replace("?", _SOUGHT), node).replace(_SOUGHT, "?")
