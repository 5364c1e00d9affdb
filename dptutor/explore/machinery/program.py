"""The program that an explorer shows: a function in its file, as a script in which its parameters have values.

The function is one that a reader might write: it imports what it needs, assigns the readouts to variables of their
names, and prints. In its file it is formatted, checked and run like all other code. The script has its imports, a line
for each of its parameters, and the rest of its body, with two blank lines around functions.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Mapping
from textwrap import dedent


def listing(function: Callable[..., object]) -> str:
    """The script, with «sigma» in place of the value of the parameter sigma."""
    lines = dedent(inspect.getsource(function)).splitlines()
    (declared,) = ast.parse("\n".join(lines)).body
    assert isinstance(declared, ast.FunctionDef)
    imports = [statement for statement in declared.body if isinstance(statement, (ast.Import, ast.ImportFrom))]
    start, end = imports[0].lineno - 1, imports[-1].end_lineno
    script = dedent("\n".join(lines[start:end])) + "\n\n"
    script += "\n".join(f"{name} = «{name}»" for name in inspect.signature(function).parameters)
    before: ast.stmt = imports[-1]
    for statement in declared.body[len(imports) :]:
        piece = dedent("\n".join(lines[before.end_lineno : statement.end_lineno]))
        if isinstance(before, ast.FunctionDef) or isinstance(statement, ast.FunctionDef):
            piece = "\n\n" + piece.lstrip("\n")
        elif before is imports[-1]:
            piece = piece.lstrip("\n")
        script += "\n" + piece
        before = statement
    return script + "\n"


def bound(text: str, values: Mapping[str, str]) -> str:
    """The script with the values of its parameters."""
    for name, value in values.items():
        text = text.replace(f"«{name}»", value)
    return text
