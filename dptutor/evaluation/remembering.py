"""A cache with one entry: a value and its error are usually requested at the same places."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._types import Array


def remembering(answers: Callable[[Array], tuple[Array, ...]]) -> Callable[[Array], tuple[Array, ...]]:
    """The same function, of one array to a tuple of arrays; not computed twice in a row."""
    last: Any = (None, None)

    def asked(places: Array) -> tuple[Array, ...]:
        nonlocal last
        places = np.asarray(places, dtype=float)
        key = places.shape, places.tobytes()
        if last[0] != key:
            last = key, answers(places)
        return tuple(each.copy() for each in last[1])

    return asked
