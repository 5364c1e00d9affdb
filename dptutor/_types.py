"""Types for type checkers: the numbers and arrays that public functions take and return.

A scalar gives a Python float, anything with a shape an array of that shape (see `_validation`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Array", "Curve", "Number", "Numbers", "Size"]


class _HasArray(Protocol):
    """What can be read as an array with a shape: arrays, series, tensors."""

    @property
    def shape(self) -> tuple[int, ...]: ...

    def __array__(self) -> NDArray[Any]: ...

    def __len__(self) -> int: ...


Number: TypeAlias = float | np.floating[Any] | np.integer[Any] | Fraction | Decimal
Numbers: TypeAlias = _HasArray | Sequence[Number] | Sequence[Sequence[Number]] | Sequence[Sequence[Sequence[Number]]]
Array: TypeAlias = NDArray[np.float64]
# Of an array of random numbers.
Size: TypeAlias = int | tuple[int, ...]
# A function of arrays: a trade-off function, a profile, a density.
Curve: TypeAlias = Callable[[Array], Any]
