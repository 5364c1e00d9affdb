"""A function of an array that keeps its last answer: whoever asks for a value asks for its error at the same places."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np


def remembering(answers: Callable) -> Callable:
    """The same function, of one array to a tuple of arrays, which is not worked out twice in a row."""
    last: tuple = (None, None)

    def asked(places):
        nonlocal last
        places = np.asarray(places, dtype=float)
        key = places.shape, places.tobytes()
        if last[0] != key:
            last = key, answers(places)
        return tuple(each.copy() for each in last[1])

    return asked
