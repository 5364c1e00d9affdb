"""Functions and grids that several explorers draw."""

import numpy as np


def normal_density(x, sigma=1.0):
    """The density of N(0, σ²) at x, an array."""
    return np.exp(-((x / sigma) ** 2) / 2) / (sigma * np.sqrt(2 * np.pi))


def type_one_errors(count=101):
    """`count` numbers from 0 to 1, closer to the ends, where trade-off functions are steep."""
    return np.sin(np.linspace(0, np.pi / 2, count)) ** 2
