"""A mechanism that is another one under its own name: a training run is a composition of steps, say.

All faces, and what the library asks for when it composes, are those of `_whole`; the name, the parameters and the
direction are its own.
"""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property, wraps
from typing import Any, Self

import numpy as np

from .base import Mechanism

# Not forwarded: the parameters, and the effect of a group, which the pair does not determine.
_ITS_OWN = {"_parameters", "_of_group"}


def _hooks() -> dict[str, Any]:
    """All that the library asks of a mechanism and that follows from its pair, by name, as the base class has it."""
    found = {
        name: hook
        for name, hook in vars(Mechanism).items()
        if callable(hook) or isinstance(hook, property | cached_property)
    }
    return {name: found[name] for name in found if name == "error_bound" or (name[0] == "_" != name[1])}


def _asked_of_whole(name: str, hook: Any) -> Any:
    """The hook of this name, as `_whole` answers it."""
    if not callable(hook):
        return property(lambda self: getattr(self._whole, name))

    @wraps(hook)
    def asked(self: Delegated, *arguments: Any) -> Any:
        return getattr(self._whole, name)(*arguments)

    return asked


class Delegated(Mechanism):
    """Subclasses say what they are, `_whole`, and how they are reversed."""

    vars().update({name: _asked_of_whole(name, hook) for name, hook in _hooks().items() if name not in _ITS_OWN})

    @property
    @abstractmethod
    def _whole(self) -> Mechanism:
        """The mechanism that it is."""

    # Declared for type checkers.

    def _errors(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self._whole._errors(epsilon)

    def _delta(self, epsilon: np.ndarray) -> np.ndarray:
        return self._whole._delta(epsilon)


class SymmetricDelegated(Delegated):
    """One whose pair is symmetric: subclasses say what they are, `_whole`."""

    @property
    def is_symmetric(self) -> bool:
        return True

    @property
    def reverse(self) -> Self:
        return self
