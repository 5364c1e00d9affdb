"""Tables: what a part shows at every setting of the parameters it depends on, as rows of 16-bit numbers.

The page and the notebook use the same encoders for rows, so that both show the same digits and the same pixels:

    path    pairs x, y of picture coordinates, in 65,535 steps over five times the panel's width and height (a
            fiftieth of a point each, about), of which every fourth is used; a pair of 65,535 is a missing point
    numbers readouts as they are shown, rounded to their digits: an integer of 32 bits in two halves; for a number
            that is shown with a power of ten, its digits and then the exponent + 1,000
    text    the index of a string in the table's list of strings

A frozen page contains whole tables, `pack`ed: columns that never change are stored once, the others as differences of
first or second order along a row or from row to row, high bytes before low bytes, and all is deflated.
"""

from __future__ import annotations

import inspect
import itertools
import math
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from .parameters import following, power_of_ten

MISSING = 65535
# Points use only every fourth step: nobody sees the difference, and pages are smaller.
_COARSE = 4
INFINITE, MINUS_INFINITE, UNDEFINED = 2**31 - 1, -(2**31), -(2**31) + 1
_SPECIAL = {math.inf: INFINITE, -math.inf: MINUS_INFINITE}
_WORDS = {MINUS_INFINITE: "−∞", UNDEFINED: "—"}


class Table:
    """Rows of one function of some of the parameters, whose names are the function's arguments."""

    def __init__(self, function: Callable, parameters: Mapping[str, object], encoder):
        self.function = function
        self.encoder = encoder
        # In the order of the parameters, so that Python and the script number rows alike.
        self.arguments = tuple(inspect.signature(function).parameters)
        self.dims = tuple(name for name in parameters if name in self.arguments)
        unknown = [name for name in self.arguments if name not in parameters]
        if unknown:
            raise TypeError(
                f"{function.__name__} may depend on {', '.join(parameters)}; {', '.join(unknown)} is none of these"
            )

    def at(self, setting: Mapping[str, object]):
        """The function's result at a setting."""
        # Positional arguments, as functions call one another with, so that a cache has each result only once.
        return self.function(*(setting[name] for name in self.arguments))

    def row(self, setting: Mapping[str, object]) -> np.ndarray:
        return self.encoder.encode(self.at(setting))

    def rows(self, parameters: Mapping) -> np.ndarray:
        """The rows of all settings; the last parameter changes fastest."""
        rows = []
        for values in itertools.product(*(parameters[name].values for name in self.dims)):
            rows.append(self.row(dict(zip(self.dims, values, strict=True))))
            if len(rows[-1]) != len(rows[0]):
                raise ValueError(
                    f"{self.function.__name__} must give the same number of points at every setting, got "
                    f"{len(rows[0])} and, at {values}, {len(rows[-1])}"
                )
        return np.array(rows, dtype=np.uint16)


class PathEncoder:
    """Points of a panel, as picture coordinates."""

    kind = "path"

    def __init__(self, panel, shape: Callable):
        self.panel, self.shape = panel, shape
        self.origin, self.span = panel.reach

    def encode(self, value) -> np.ndarray:
        return self.quantized(self.panel.pixels(*self.shape(value)))

    def quantized(self, points: np.ndarray) -> np.ndarray:
        there = np.isfinite(points).all(axis=1)
        steps = (points - self.origin) / self.span * (MISSING - 1)
        beyond = points[there][(steps[there] < 0).any(axis=1) | (steps[there] > MISSING - 1).any(axis=1)]
        if beyond.size:
            raise ValueError(f"{len(beyond)} points lie more than two widths or heights outside {self.panel.name}")
        steps = np.minimum(_COARSE * np.rint(np.where(there[:, None], steps, 0) / _COARSE), MISSING - _COARSE + 1)
        return np.where(there[:, None], steps, MISSING).astype(np.uint16).ravel()

    @property
    def manifest(self) -> dict:
        scale = self.span / (MISSING - 1)
        return {"origin": [float(v) for v in self.origin], "scale": [float(v) for v in scale]}


class ShiftEncoder(PathEncoder):
    """A displacement (dx, dy), in the units of a panel with linear axes."""

    def __init__(self, panel):
        super().__init__(panel, lambda value: value)
        self.origin = -self.span / 2

    def encode(self, value) -> np.ndarray:
        return self.quantized(np.asarray(value, dtype=float)[None, :] * self.panel.pixels_per_unit)


@dataclass(frozen=True)
class Number:
    """How a readout is shown: with `digits` decimals, or, as a `power` of ten, with that many after its first digit.

    `percent` shows 0.034 as 3.4%, or, with another `unit`, as 3.4 percentage points. `color` is that of what it
    measures. `infinite` is what is said in place of a number that is not finite.
    """

    label: str
    color: str = ""
    digits: int = 3
    percent: bool = False
    power: bool = False
    unit: str | None = None
    help: str = ""
    infinite: str = "∞"

    def cells(self, value: float) -> list[int]:
        """The number as shown, in two or three cells of a row."""
        if self.power:
            mantissa, exponent = self._parts(value)
            return [*_halves(mantissa), exponent + 1000]
        return _halves(self._whole(value))

    def show(self, value: float) -> str:
        """The number as shown, as text."""
        whole, exponent = self._parts(value) if self.power else (self._whole(value), -self.digits)
        if whole == INFINITE:
            return self.infinite
        if whole in _WORDS:
            return _WORDS[whole]
        sign, digits = "−" if whole < 0 else "", str(abs(whole))
        if not self.power:
            digits = digits.rjust(self.digits + 1, "0")
            return sign + _pointed(digits, len(digits) - self.digits) + self.suffix
        if whole == 0:
            return "0"
        if -4 <= exponent < 0:
            return f"{sign}0.{'0' * (-exponent - 1)}{digits}"
        if 0 <= exponent <= self.digits:
            return sign + _pointed(digits, exponent + 1)
        return f"{sign}{_pointed(digits, 1)}·{power_of_ten(exponent)}"

    @property
    def suffix(self) -> str:
        return following(self.unit if self.unit is not None else "%" if self.percent else "")

    def _whole(self, value: float) -> int:
        if not math.isfinite(value):
            return _SPECIAL.get(value, UNDEFINED)
        # By way of text, so that the integer has the digits that Python prints.
        shown = f"{100 * value if self.percent else value:.{self.digits}f}"
        whole = int(shown.replace(".", ""))
        if abs(whole) >= 2**31 - 1:
            raise ValueError(f"{self.label} of {value:g} has too many digits to be shown: let it be a power of ten")
        return whole

    def _parts(self, value: float) -> tuple[int, int]:
        if not math.isfinite(value):
            return _SPECIAL.get(value, UNDEFINED), 0
        mantissa, exponent = f"{value:.{self.digits}e}".split("e")
        return int(mantissa.replace(".", "")), int(exponent)


class NumbersEncoder:
    """Several numbers side by side."""

    kind = "numbers"

    def __init__(self, numbers: Mapping[str, Number]):
        self.numbers = dict(numbers)

    @property
    def manifest(self) -> dict:
        return {}

    def named(self, values) -> dict[str, float]:
        values = np.atleast_1d(values)
        if len(values) != len(self.numbers):
            raise ValueError(f"expected the numbers {', '.join(self.numbers)}, got {len(values)} values")
        return {name: float(value) for name, value in zip(self.numbers, values, strict=True)}

    def encode(self, values) -> np.ndarray:
        named = self.named(values)
        return np.array([c for name, value in named.items() for c in self.numbers[name].cells(value)], np.uint16)


class TextEncoder:
    """Texts, each stored once."""

    kind = "text"

    def __init__(self):
        self.strings: list[str] = []
        self._number: dict[str, int] = {}

    def encode(self, value: str) -> np.ndarray:
        if value not in self._number:
            self._number[value] = len(self.strings)
            self.strings.append(value)
        return np.array([self._number[value]], dtype=np.uint16)

    @property
    def manifest(self) -> dict:
        return {"strings": self.strings}

    def as_if_new(self, rows: np.ndarray) -> tuple[np.ndarray, dict]:
        """The rows and their texts, renumbered in the order of the rows, whatever was encoded before."""
        found, first, place = np.unique(rows, return_index=True, return_inverse=True)
        order = np.argsort(first)
        number = np.empty(len(found), dtype=np.uint16)
        number[order] = np.arange(len(found))
        return number[place].reshape(rows.shape), {"strings": [self.strings[old] for old in found[order]]}


def _halves(whole: int) -> list[int]:
    return [whole >> 16 & 0xFFFF, whole & 0xFFFF]


def _pointed(digits: str, cut: int) -> str:
    """The digits with a point after `cut` of them; if these are five or more, with commas, as in the text: 60,000."""
    whole = f"{int(digits[:cut]):,}" if cut > 4 else digits[:cut]
    return whole + ("." + digits[cut:] if digits[cut:] else "")


def pack(rows: np.ndarray) -> tuple[dict, bytes]:
    """What is needed to unpack a table, and its numbers in an order that deflates well."""
    still = (rows == rows[0]).all(axis=0)
    moving = rows[:, ~still]
    # The x and y of a path alternate, so differences along a row are also tried over two places.
    orders = [(0, 0, 1)]
    if moving.size:
        orders += [(0, 1, 1), *((along, down, place) for along in (1, 2) for down in (0, 1) for place in (1, 2))]
    planes = {order: _planes(moving, *order) for order in orders}
    along, down, place = min(orders, key=lambda order: len(zlib.compress(planes[order], 6)))
    kept = [int(value) if fixed else None for value, fixed in zip(rows[0], still, strict=True)]
    manifest = {"still": kept if still.any() else None, "along": along, "down": down, "place": place}
    return manifest, planes[along, down, place]


def _planes(rows: np.ndarray, along: int, down: int, place: int) -> bytes:
    for _ in range(down):
        rows = np.concatenate([rows[:1], rows[1:] - rows[:-1]])
    for _ in range(along):
        rows = np.concatenate([rows[:, :place], rows[:, place:] - rows[:, :-place]], axis=1)
    # Column by column, high bytes before low ones, so that similar numbers are next to each other.
    flat = rows.T
    return (flat >> 8).astype(np.uint8).tobytes() + (flat & 0xFF).astype(np.uint8).tobytes()
