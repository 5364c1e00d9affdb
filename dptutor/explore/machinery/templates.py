"""Words with the names of parameters and readouts in the place of their numbers."""

from __future__ import annotations

from collections.abc import Mapping


def fill(template: str, values: Mapping[str, str]) -> str:
    """`template` with the value of a name for each {name}; other braces stay as they are."""
    for name, value in values.items():
        template = template.replace("{" + name + "}", value)
    return template
