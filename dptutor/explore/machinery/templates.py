"""Templates: sentences with names in place of numbers, and pieces of pages, which are files in `pieces/`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

_NAME = re.compile(r"\{(\w+)\}")


def fill(template: str, values: Mapping[str, str]) -> str:
    """`template` with the value of a name for each {name}; other braces stay as they are."""
    return _NAME.sub(lambda found: values.get(found[1], found[0]), template)


def piece(template: str, /, **values: str) -> str:
    """A piece of a page, from its template."""
    return fill(_template(template), values)


@cache
def _template(name: str) -> str:
    """The template without its line breaks: next to tags and names they are removed, elsewhere they become a space."""
    text = files(__package__).joinpath("pieces", f"{name}.html").read_text(encoding="utf-8").strip()
    return re.sub(r"\s*\n\s*", " ", re.sub(r"(?<=[>}])\s*\n\s*|\s*\n\s*(?=[<{])", "", text))
