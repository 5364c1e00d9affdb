"""Checks of arguments, made once at the public boundary; code inside the library trusts its arguments.

Every message names the argument, the value and the allowed range, in one line. Values of the wrong type (text, None,
complex numbers) raise TypeError; values out of range (NaN is out of every range) raise ValueError.

An array of any shape gives an array of the same shape, a scalar a Python float. Real numbers are those of Python and
numpy, `Fraction` and `Decimal`, but not truth values.
"""

from __future__ import annotations

import decimal
import math
import numbers
import operator
import reprlib
from collections.abc import Iterable, Mapping, Set
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ._types import Array

_Text = TypeVar("_Text", bound=str)

# Counts beyond this are a slip, and floats would lose their last digits.
_LARGEST_COUNT = 10**15
# Entries of an array that is asked for: 0.8 GB.
_MOST_ENTRIES = 10**8
_LONGEST = 40

_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = _LONGEST
_SHORT.maxlevel = 3


def real_array(
    name: str,
    value: object,
    low: float = -math.inf,
    high: float = math.inf,
    *,
    open_low: bool = False,
    open_high: bool = False,
) -> Array:
    """`value` as a float64 array whose entries all lie in the range from `low` to `high`."""
    allowed = _interval(low, high, open_low, open_high)
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        raise ValueError(f"{name} must be {allowed}, got a masked array: fill it or drop what is masked")
    try:
        array = np.asarray(value)
    except ValueError:  # lists of different lengths, or nested too deeply
        raise ValueError(f"{name} must be a number or a rectangular array of numbers, got {shown(value)}") from None
    if array.dtype.kind == "O":
        array = _of_objects(name, value, array, allowed)
    if array.dtype.kind not in "fiu":
        raise TypeError(f"{name} must be a real number or an array of real numbers, got {shown(value)}")
    with np.errstate(over="ignore", under="ignore"):  # of a longer type
        array = array.astype(float)
    above = array > low if open_low else array >= low
    below = array < high if open_high else array <= high
    inside = above & below
    if not np.all(inside):
        worst = array[~inside].flat[0].item()
        raise ValueError(f"{name} must be {allowed}, got {worst!r}")
    return array


def _of_objects(name: str, value: object, array: NDArray[Any], allowed: str) -> Array:
    """Fractions, decimals and integers beyond 64 bits as floats."""
    found = np.empty(array.shape)
    for place, entry in np.ndenumerate(array):
        if isinstance(entry, (bool, np.bool_)) or not isinstance(entry, (numbers.Real, decimal.Decimal)):
            raise TypeError(f"{name} must be a real number or an array of real numbers, got {shown(value)}")
        try:
            found[place] = float(entry)
            beyond = math.isinf(found[place]) and entry != found[place]
        except (OverflowError, ValueError):  # the second from a signaling NaN
            beyond = True
        if beyond:
            between = allowed if "number" not in allowed else "a number up to 1.8e308"
            raise ValueError(f"{name} must be {between}, got {shown(entry)}")
    return found


def shown(value: object) -> str:
    """`value` as messages quote it: in one line, and shortened."""
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 64:
        return f"an integer of about {int(value.bit_length() * math.log10(2)) + 1} digits"
    try:
        text = " ".join(_SHORT.repr(value).split())
    except Exception:  # a foreign object's own, or that of a number too long to be written
        text = f"a {type(value).__name__}"
    return shortened(text, 3 * _LONGEST)


def shortened(text: str, longest: int = _LONGEST) -> str:
    """A text of limited length, with its middle left out."""
    if len(text) <= longest:
        return text
    tail = longest // 4
    return f"{text[: longest - tail - 1]}…{text[-tail:]}"


def complex_array(name: str, value: object) -> NDArray[Any]:
    """`value` as an array of finite numbers, complex where it has complex entries, else real."""
    try:
        is_complex = np.asarray(value).dtype.kind == "c"
    except ValueError:
        is_complex = False
    if not is_complex:
        return real_array(name, value, open_low=True, open_high=True)
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        raise ValueError(f"{name} must be finite, got a masked array: fill it or drop what is masked")
    with np.errstate(over="ignore", under="ignore"):  # of a longer type
        array = np.asarray(value).astype(complex)
    if not np.all(np.isfinite(array)):
        raise ValueError(f"{name} must be finite, got {array[~np.isfinite(array)].flat[0].item()!r}")
    return array


def real_number(
    name: str,
    value: object,
    low: float = -math.inf,
    high: float = math.inf,
    *,
    open_low: bool = False,
    open_high: bool = False,
) -> float:
    """`value` as a float in the range from `low` to `high`."""
    if type(value) is float and low < value < high:  # as most arguments are: no array is needed
        return value
    array = real_array(name, value, low, high, open_low=open_low, open_high=open_high)
    if array.ndim:
        raise TypeError(f"{name} must be a single number, got an array of shape {array.shape}")
    return float(array)


def positive_number(name: str, value: object) -> float:
    """`value` as a positive, finite float."""
    return real_number(name, value, 0.0, math.inf, open_low=True, open_high=True)


def positive_integer(name: str, value: object) -> int:
    """`value` as an integer from 1 to 1e15."""
    allowed = "a positive integer"
    if isinstance(value, (float, np.floating)):
        raise ValueError(f"{name} must be {allowed}, got {value!r}")
    whole = integer(name, value, allowed)
    if whole < 1:
        raise ValueError(f"{name} must be {allowed}, got {shown(whole)}")
    if whole > _LARGEST_COUNT:
        raise ValueError(f"{name} must be {allowed} up to {_LARGEST_COUNT:.0e}, got {shown(whole)}")
    return whole


def integer(name: str, value: Any, allowed: str) -> int:
    """`value` as an integer, which a truth value is not."""
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be {allowed}, got {shown(value)}") from None


def array_shape(name: str, value: object) -> tuple[int, ...]:
    """`value`, an integer or a sequence of integers, as the shape of an array of at most 1e8 entries."""
    allowed = f"a whole number, or a tuple of them, that asks for at most {_MOST_ENTRIES:.0e} entries"
    whole = value if isinstance(value, (tuple, list)) else (value,)
    shape = tuple(integer(name, length, allowed) for length in whole)
    if min(shape, default=0) < 0 or math.prod(shape) > _MOST_ENTRIES or len(shape) > 64:
        raise ValueError(f"{name} must be {allowed}, got {shown(value)}")
    return shape


def random_generator(name: str, value: Any) -> np.random.Generator:
    """The generator that `numpy.random.default_rng` makes of a seed."""
    allowed = "None, a non-negative integer or a sequence of them, or one of numpy's seeds and generators"
    if isinstance(value, (bool, np.bool_, str, bytes)):
        raise TypeError(f"{name} must be {allowed}, got {shown(value)}")
    try:
        return np.random.default_rng(value)
    except (TypeError, ValueError) as problem:
        raise type(problem)(f"{name} must be {allowed}, got {shown(value)}") from None


def probabilities(name: str, value: object) -> tuple[float, ...]:
    """`value` as a tuple of probabilities that sum to one (to 1e-9, the rounding of typed numbers)."""
    if isinstance(value, (str, bytes, Mapping, Set)) or not isinstance(value, Iterable):
        of_mapping = ": give its values" if isinstance(value, Mapping) else ""
        raise TypeError(f"{name} must be a sequence of probabilities, got {shown(value)}{of_mapping}")
    # A masked array is checked as it is; whatever else can be iterated over becomes a list.
    whole = value if isinstance(value, np.ndarray) and value.ndim else list(value)
    array = real_array(name, whole, 0.0, 1.0)
    if array.ndim != 1 or not array.size:
        raise ValueError(f"{name} must be a non-empty sequence of probabilities, got shape {array.shape}")
    total = math.fsum(array)
    if abs(total - 1.0) > 1e-9:
        raise ValueError(f"{name} must sum to 1, got the sum {total!r}")
    return tuple(array.tolist())


def callable_(name: str, value: object) -> None:
    """Refuses what cannot be called."""
    if not callable(value):
        raise TypeError(f"{name} must be callable, got {shown(value)}")


def choice(name: str, value: _Text, options: Iterable[str]) -> _Text:
    """`value`, if it is one of these texts."""
    if not isinstance(value, str) or value not in options:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, options))}, got {shown(value)}")
    return value


def shaped(array: object) -> Any:
    """A Python float where the caller asked with a scalar, the array otherwise."""
    array = np.asarray(array)
    return array.item() if array.ndim == 0 else array


def _interval(low: float, high: float, open_low: bool, open_high: bool) -> str:
    if math.isinf(low) and math.isinf(high):
        # An infinite end can be reached unless it is open: only NaN is refused then.
        return "finite" if open_low or open_high else "a number (not NaN)"
    if math.isinf(high):
        finite = " and finite" if open_high else ""
        return (f"greater than {low:g}" if open_low else f"at least {low:g}") + finite
    if math.isinf(low):
        return f"less than {high:g}" if open_high else f"at most {high:g}"
    return f"in {'(' if open_low else '['}{low:g}, {high:g}{')' if open_high else ']'}"
