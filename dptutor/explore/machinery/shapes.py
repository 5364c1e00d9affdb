"""Functions and grids that several explorers draw."""

import numpy as np

from ..._types import Array


def normal_density(x: Array, sigma: float = 1.0) -> Array:
    """The density of N(0, σ²) at x, an array."""
    density: Array = np.exp(-((x / sigma) ** 2) / 2) / (sigma * np.sqrt(2 * np.pi))
    return density


def type_one_errors(count: int = 101) -> Array:
    """`count` numbers from 0 to 1, closer to the ends, where trade-off functions are steep."""
    errors: Array = np.sin(np.linspace(0, np.pi / 2, count)) ** 2
    return errors
