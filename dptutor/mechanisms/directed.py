"""A mechanism with a parameter `direction`: the pair of removal, that of addition, or the worse of both at every ε."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from functools import cached_property
from typing import Any, Self

from .base import Mechanism
from .delegated import Delegated
from .subsampled import DIRECTIONS

__all__ = ["DIRECTIONS", "Directed"]


class Directed(Delegated):
    """Subclasses are frozen dataclasses with a field `direction`; they give the pair of removal, `_removal`."""

    direction: str

    @property
    @abstractmethod
    def _removal(self) -> Mechanism:
        """The pair of removal; a symmetric one has no directions."""

    @cached_property
    def _whole(self) -> Mechanism:
        pair = self._removal
        return {"remove": pair, "add": pair.reverse, "both": pair.symmetrized}[self.direction]

    @property
    def is_symmetric(self) -> bool:
        return self.direction == "both" or self._removal.is_symmetric

    @cached_property
    def reverse(self) -> Self:
        return self if self.is_symmetric else self._towards("add" if self.direction == "remove" else "remove")

    @property
    def symmetrized(self) -> Self:
        return self if self.direction == "both" else self._towards("both")

    def _parts(self) -> tuple[tuple[tuple[Mechanism, int], ...], bool]:
        parts, both = self._whole._parts()
        if self._removal.is_symmetric or parts[0][0] not in (self._removal, self._removal.reverse):
            return parts, both
        # A pair without a public constructor is represented by this mechanism.
        return ((self.directions[0] if both else self, 1),), both

    def _towards(self, direction: str) -> Self:
        own: Any = self
        made: Any = replace(own, direction=direction)
        if "_removal" in self.__dict__:
            made.__dict__["_removal"] = self._removal  # with what it has computed
        return made

    @property
    def directions(self) -> tuple[Self, Self]:
        """The mechanism under removal and under addition of an example.

        Examples
        --------
        >>> import dptutor as dp
        >>> [step.direction for step in dp.SubsampledLaplace(1, 0.1).directions]
        ['remove', 'add']
        """
        return self._towards("remove"), self._towards("add")

    @property
    def both_directions(self) -> tuple[Self, ...]:
        return self.directions if self.direction == "both" and not self._removal.is_symmetric else ()
