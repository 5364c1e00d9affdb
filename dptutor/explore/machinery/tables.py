"""Tables: what a part shows at every setting of the parameters it depends on, as rows of 16-bit numbers.

A row is made by one encoder for the page and for the notebook alike, so that both show the same digits and
the same pixels:

    path    pairs x, y of picture coordinates, 65,535 steps over three times the panel's width and height
            (a hundredth of a pixel); a pair of 65,535 is a point that is not there
    number  a number as it is shown: rounded to its digits, an integer of 32 bits in two halves
    power   a number shown as a mantissa and a power of ten: 32-bit mantissa, exponent + 1,000
    text    the number of a string in the table's list of strings

A frozen page holds a whole table, `pack`ed: columns that never change are stored once, the rest as differences of
first or second order along a row or from row to row, high bytes apart from low bytes, all that deflated.
"""

from __future__ import annotations

import inspect
import itertools
import math
import zlib
from collections.abc import Callable, Mapping

import numpy as np

MISSING = 65535
INFINITE, MINUS_INFINITE, UNDEFINED = 2**31 - 1, -(2**31), -(2**31) + 1


class Table:
    """Rows of one function of some of the parameters, whose names are the function's arguments."""

    def __init__(self, function: Callable, parameters: Mapping[str, object], encoder):
        self.function = function
        self.encoder = encoder
        # In the order of the sliders, so that a row's number is the same for all who count.
        arguments = inspect.signature(function).parameters
        self.dims = tuple(name for name in parameters if name in arguments)
        unknown = [name for name in arguments if name not in parameters]
        if unknown:
            raise TypeError(
                f"{function.__name__} may depend on {', '.join(parameters)}; {', '.join(unknown)} is none of these"
            )

    def at(self, setting: Mapping[str, object]):
        """What the function gives at a setting."""
        return self.function(**{name: setting[name] for name in self.dims})

    def row(self, setting: Mapping[str, object]) -> np.ndarray:
        return self.encoder.encode(self.at(setting))

    def rows(self, parameters: Mapping) -> np.ndarray:
        """The rows of all settings, the last parameter running fastest."""
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
        with np.errstate(invalid="ignore"):
            steps = np.clip(np.rint(steps), 0, MISSING - 1)
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


class NumberEncoder:
    """A number rounded to the digits that are shown."""

    kind = "number"

    def __init__(self, digits: int, percent: bool, unit: str):
        self.digits, self.percent, self.unit = digits, percent, unit

    def encode(self, value) -> np.ndarray:
        return _halves(self.whole(float(value)))

    def whole(self, value: float) -> int:
        if not math.isfinite(value):
            return {math.inf: INFINITE, -math.inf: MINUS_INFINITE}.get(value, UNDEFINED)
        # Through text, so that the integer is the number which Python prints.
        shown = f"{100 * value if self.percent else value:.{self.digits}f}"
        return max(-(2**31) + 2, min(2**31 - 2, int(shown.replace(".", ""))))

    def show(self, value) -> str:
        whole = self.whole(float(value))
        words = {INFINITE: "∞", MINUS_INFINITE: "−∞", UNDEFINED: "none"}
        if whole in words:
            return words[whole]
        digits = str(abs(whole)).rjust(self.digits + 1, "0")
        cut = len(digits) - self.digits
        number = digits[:cut] + ("." + digits[cut:] if self.digits else "")
        return f"{'−' if whole < 0 else ''}{number}{self.unit and ' ' + self.unit}"

    @property
    def manifest(self) -> dict:
        return {"digits": self.digits, "unit": self.unit}


class PowerEncoder:
    """A number of `digits` + 1 significant digits, which may be very small or large."""

    kind = "power"

    def __init__(self, digits: int):
        self.digits = digits

    def encode(self, value) -> np.ndarray:
        mantissa, exponent = self.parts(float(value))
        return np.append(_halves(mantissa), np.uint16(exponent + 1000))

    def parts(self, value: float) -> tuple[int, int]:
        if not math.isfinite(value):
            return {math.inf: INFINITE, -math.inf: MINUS_INFINITE}.get(value, UNDEFINED), 0
        mantissa, exponent = f"{value:.{self.digits}e}".split("e")
        return int(mantissa.replace(".", "")), int(exponent)

    def show(self, value) -> str:
        mantissa, exponent = self.parts(float(value))
        words = {INFINITE: "∞", MINUS_INFINITE: "−∞", UNDEFINED: "none", 0: "0"}
        if mantissa in words:
            return words[mantissa]
        sign, digits = "−" if mantissa < 0 else "", str(abs(mantissa))
        if -4 <= exponent < 0:
            return f"{sign}0.{'0' * (-exponent - 1)}{digits}"
        if 0 <= exponent <= self.digits:
            fraction = digits[exponent + 1 :]
            return f"{sign}{digits[: exponent + 1]}{'.' + fraction if fraction else ''}"
        superscript = str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
        fraction = digits[1:]
        return f"{sign}{digits[0]}{'.' + fraction if fraction else ''}·10{superscript}"

    @property
    def manifest(self) -> dict:
        return {"digits": self.digits}


class TextEncoder:
    """Words, each kept once."""

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


def _halves(whole: int) -> np.ndarray:
    whole &= 0xFFFFFFFF
    return np.array([whole >> 16, whole & 0xFFFF], dtype=np.uint16)


def pack(rows: np.ndarray) -> tuple[dict, bytes]:
    """What is needed to unpack a table, and its numbers in an order that deflates well."""
    still = (rows == rows[0]).all(axis=0)
    moving = rows[:, ~still]
    # x and y of a path lie side by side, so where both move, differences along a row are taken over two places.
    place = 2 if rows.shape[1] > 2 and not still.any() else 1
    orders = [(along, down) for down in (0, 1) for along in (0, 1, 2)] if moving.size else [(0, 0)]
    planes = {order: _planes(moving, *order, place) for order in orders}
    along, down = min(orders, key=lambda order: len(zlib.compress(planes[order], 6)))
    kept = [int(value) if fixed else None for value, fixed in zip(rows[0], still, strict=True)]
    manifest = {"still": kept if still.any() else None, "along": along, "down": down, "place": place}
    return manifest, planes[along, down]


def _planes(rows: np.ndarray, along: int, down: int, place: int) -> bytes:
    for _ in range(down):
        rows = np.concatenate([rows[:1], rows[1:] - rows[:-1]])
    for _ in range(along):
        rows = np.concatenate([rows[:, :place], rows[:, place:] - rows[:, :-place]], axis=1)
    # All rows' first places come first, high bytes before low ones: like lies beside like.
    flat = rows.T
    return (flat >> 8).astype(np.uint8).tobytes() + (flat & 0xFF).astype(np.uint8).tobytes()
