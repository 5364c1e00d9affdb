"""Points, weights and matrices of polynomials on [−1, 1], each computed once.

Gauss-Legendre points integrate, Chebyshev points interpolate: with x_j = cos(π (j + ½)/n) the values at n points turn
into coefficients of Chebyshev polynomials by a discrete cosine transform.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

# Number of places that are evaluated together, so that they stay in the processor's cache.
_AT_ONCE = 2**13


@lru_cache(maxsize=64)
def gauss(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Gauss-Legendre points and their weights."""
    return np.polynomial.legendre.leggauss(count)


@lru_cache(maxsize=64)
def chebyshev(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Chebyshev points, decreasing, and the matrix that turns values there into coefficients: values @ matrix."""
    angle, order = math.pi * (np.arange(count) + 0.5) / count, np.arange(count)
    return np.cos(angle), np.cos(np.outer(angle, order)) * np.where(order == 0, 1.0, 2.0) / count


def lebesgue(count: int) -> float:
    """Lebesgue's constant of the Chebyshev points, the factor by which interpolation enlarges errors of the values.

    Source: Rivlin (1974), The Chebyshev Polynomials, chapter 1.
    """
    return float(np.sum(1.0 / np.tan((np.arange(count) + 0.5) * (math.pi / (2 * count))))) / count


def sums(coefficients: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Σ c_k T_k(x), of each row of coefficients at each row of places."""
    found, many = np.empty(x.shape), max(1, _AT_ONCE // x.shape[1])
    for start in range(0, len(x), many):
        rows = slice(start, start + many)
        at, columns = x[rows], np.ascontiguousarray(coefficients[rows].T)[:, :, None]
        twice = 2 * at
        b0, b1, b2 = np.zeros((3, *at.shape))
        for column in columns[:0:-1]:
            np.multiply(twice, b1, out=b0)
            b0 += column
            b0 -= b2
            b0, b1, b2 = b2, b0, b1
        found[rows] = columns[0] + at * b1 - b2
    return found
