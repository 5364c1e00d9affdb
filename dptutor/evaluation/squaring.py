"""Many of the same put together, by squaring."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

_T = TypeVar("_T")


def by_squaring(one: _T, count: int, both: Callable[[_T, _T], _T]) -> _T:
    """`count` of `one`, at least 1, put together by `both`, which is associative."""
    whole, square = None, one
    while True:
        if count & 1:
            whole = square if whole is None else both(whole, square)
        count >>= 1
        if not count:
            assert whole is not None
            return whole
        square = both(square, square)
