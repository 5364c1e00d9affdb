"""Arguments are checked here, once, at the door; inside the library there are no defensive ifs.

Every check names the argument, the value and the allowed range. Values of the wrong kind (text, None, complex
numbers) raise TypeError, values out of range (NaN is out of every range) raise ValueError.

Arrays of any shape go in as they are and come out in the same shape; scalars come out as Python floats.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable

import numpy as np

# Counts beyond this are a slip, and floats would lose their last digits.
_LARGEST_COUNT = 10**15


def real_array(name, value, low=-math.inf, high=math.inf, *, open_low=False, open_high=False):
    """`value` as a float64 array whose entries all lie in the range from `low` to `high`."""
    array = np.asarray(value)
    if array.dtype.kind not in "fiu":
        raise TypeError(f"{name} must be a real number or an array of real numbers, got {value!r}")
    array = array.astype(float)
    above = array > low if open_low else array >= low
    below = array < high if open_high else array <= high
    allowed = above & below
    if not np.all(allowed):
        worst = array[~allowed].flat[0].item()
        raise ValueError(f"{name} must be {_interval(low, high, open_low, open_high)}, got {worst!r}")
    return array


def real_number(name, value, low=-math.inf, high=math.inf, *, open_low=False, open_high=False) -> float:
    """`value` as a float in the range from `low` to `high`."""
    array = real_array(name, value, low, high, open_low=open_low, open_high=open_high)
    if array.ndim:
        raise TypeError(f"{name} must be a single number, got an array of shape {array.shape}")
    return float(array)


def positive_number(name, value) -> float:
    return real_number(name, value, 0.0, math.inf, open_low=True, open_high=True)


def positive_integer(name, value) -> int:
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be a positive integer, got {value!r}")
    try:
        integer = operator.index(value)
    except TypeError:
        if isinstance(value, (float, np.floating)):
            raise ValueError(f"{name} must be a positive integer, got {value!r}") from None
        raise TypeError(f"{name} must be a positive integer, got {value!r}") from None
    if integer < 1:
        raise ValueError(f"{name} must be a positive integer, got {integer if integer > -_LARGEST_COUNT else '-…'}")
    if integer > _LARGEST_COUNT:
        raise ValueError(f"{name} must be a positive integer up to {_LARGEST_COUNT:.0e}, got one above")
    return integer


def probabilities(name, value) -> tuple[float, ...]:
    """`value` as a tuple of probabilities that sum to one (to 1e-9, the rounding of typed numbers)."""
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        raise TypeError(f"{name} must be a sequence of probabilities, got {value!r}")
    array = real_array(name, list(value), 0.0, 1.0)
    if array.ndim != 1 or not array.size:
        raise ValueError(f"{name} must be a non-empty sequence of probabilities, got shape {array.shape}")
    total = math.fsum(array)
    if abs(total - 1.0) > 1e-9:
        raise ValueError(f"{name} must sum to 1, got the sum {total!r}")
    return tuple(array.tolist())


def choice(name, value, options):
    if value not in options:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, options))}, got {value!r}")
    return value


def shaped(array):
    """A Python float where the caller asked with a scalar, the array otherwise."""
    array = np.asarray(array)
    return array.item() if array.ndim == 0 else array


def _interval(low, high, open_low, open_high) -> str:
    if math.isinf(low) and math.isinf(high):
        # An infinite end can be reached unless it is open: only NaN is refused then.
        return "finite" if open_low or open_high else "a number (not NaN)"
    if math.isinf(high):
        finite = " and finite" if open_high else ""
        return (f"greater than {low:g}" if open_low else f"at least {low:g}") + finite
    if math.isinf(low):
        return f"less than {high:g}" if open_high else f"at most {high:g}"
    return f"in {'(' if open_low else '['}{low:g}, {high:g}{')' if open_high else ']'}"
