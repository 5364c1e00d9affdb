"""Results that behave like numbers: they compare, calculate, round and format as their `value`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from numbers import Real
from typing import Any


class Numeric:
    """A frozen dataclass (with `eq=False`) that behaves like the number `value`.

    With a number it is equal where the value is, with another result of its kind where all fields are.
    """

    value: float

    def __float__(self) -> float:
        return float(self.value)

    def __eq__(self, other: object) -> bool:
        if type(other) is type(self):
            return all(getattr(self, each.name) == getattr(other, each.name) for each in fields(self))  # type: ignore[arg-type]  # every kind is a dataclass
        return self.value == other if isinstance(other, Real) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.value)

    def __bool__(self) -> bool:
        return self.value != 0

    def __lt__(self, other: object) -> Any:
        return _compared(other, lambda number: self.value < number)

    def __le__(self, other: object) -> Any:
        return _compared(other, lambda number: self.value <= number)

    def __gt__(self, other: object) -> Any:
        return _compared(other, lambda number: self.value > number)

    def __ge__(self, other: object) -> Any:
        return _compared(other, lambda number: self.value >= number)

    def __add__(self, other: object) -> Any:
        return _compared(other, lambda number: self.value + number)

    __radd__ = __add__

    def __sub__(self, other: object) -> Any:
        return _compared(other, lambda number: self.value - number)

    def __rsub__(self, other: object) -> Any:
        return _compared(other, lambda number: number - self.value)

    def __mul__(self, other: object) -> Any:
        return _compared(other, lambda number: self.value * number)

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> Any:
        return _compared(other, lambda number: self.value / number)

    def __rtruediv__(self, other: object) -> Any:
        return _compared(other, lambda number: number / self.value)

    def __neg__(self) -> float:
        return -self.value

    def __abs__(self) -> float:
        return abs(self.value)

    def __round__(self, digits: int | None = None) -> Any:
        return round(self.value, digits)

    def __format__(self, spec: str) -> str:
        return format(self.value, spec) if spec else str(self)


def _compared(other: object, operation: Callable[[Any], Any]) -> Any:
    if isinstance(other, Numeric):
        return operation(other.value)
    return operation(other) if isinstance(other, Real) else NotImplemented
