"""A mechanism that is another one under a name of its own, as a training run is a composition of steps.

All faces and all hooks are those of `_whole`; the name, the parameters and the direction are its own.
"""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property, wraps
from typing import Any, Self

import numpy as np

from .base import Mechanism

# Not forwarded: parameters, and groups, whose pair does not follow from that of one example.
_ITS_OWN = {"_parameters", "_of_group"}


def _hooks() -> dict[str, Any]:
    """The names of all hooks of the base class that follow from the pair."""
    found = {
        name: hook
        for name, hook in vars(Mechanism).items()
        if callable(hook) or isinstance(hook, property | cached_property)
    }
    return {name: found[name] for name in found if name == "error_bound" or (name[0] == "_" != name[1])}


def _asked_of_whole(name: str, hook: Any) -> Any:
    """The hook with this name, forwarded to `_whole`."""
    if not callable(hook):
        return property(lambda self: getattr(self._whole, name))

    @wraps(hook)
    def asked(self: Delegated, *arguments: Any) -> Any:
        return getattr(self._whole, name)(*arguments)

    return asked


class Delegated(Mechanism):
    """A mechanism that stands for `_whole`; subclasses define that and `reverse`."""

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
    """The same with a symmetric pair; subclasses define `_whole`."""

    @property
    def is_symmetric(self) -> bool:
        return True

    @property
    def reverse(self) -> Self:
        return self
