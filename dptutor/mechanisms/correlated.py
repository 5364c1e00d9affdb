"""Correlated noise: the matrix mechanism and tree aggregation, which are Gaussian mechanisms with a sensitivity.

A workload A = BC of running sums or the like is answered as B(Cx + z), z ~ N(0, σ²). All that is published is a
function of Cx + z, so the pair is that of a Gaussian mechanism whose sensitivity is the largest ‖C u‖ that one example
can cause. With entries u_i in the rows i of a pattern π, vectors of norm at most 1,

    ‖C u‖² = Σ_{i,j ∈ π} (CᵀC)_ij ⟨u_i, u_j⟩ ≤ Σ_{i,j ∈ π} |(CᵀC)_ij|,

attained where no entry of CᵀC is negative.

Sources: Li, Miklau, Hay, McGregor & Rastogi (2015); Kairouz et al. (2021) for trees; Choquette-Choo,
McMahan, Rush & Thakurta (2023) for several participations.
"""

from __future__ import annotations

import math

import numpy as np

from .._types import Number, Numbers
from .._validation import positive_integer, positive_number, real_array
from .gaussian import Gaussian


def matrix_mechanism(sigma: Number, strategy: Numbers, epochs: int = 1) -> Gaussian:
    """The matrix mechanism: independent normal noise on the rows of `strategy` times the data, for any workload.

    Exact where no entry of CᵀC is negative; else an upper bound.

    Parameters
    ----------
    sigma : float
        Standard deviation of the noise, positive, in units of the norm of one example's contribution.
    strategy : array_like
        C, a finite matrix with a column for each step, also those of later epochs.
    epochs : int
        How often each example contributes: in the same place of every epoch. It divides the number of columns.

    Returns
    -------
    Gaussian

    Raises
    ------
    ValueError, TypeError
        If a parameter is out of range, `strategy` no matrix or zero, or `epochs` does not divide its columns.

    References
    ----------
    Li, Miklau, Hay, McGregor & Rastogi (2015); Choquette-Choo, McMahan, Rush & Thakurta (2023).

    Examples
    --------
    Three steps, of which the third answers the sum of all:

    >>> import dptutor as dp
    >>> dp.matrix_mechanism(2.0, [[1, 0, 0], [0, 1, 0], [1, 1, 1]])
    Gaussian(sigma=2.0, sensitivity=1.4142135623730951)
    """
    sigma = positive_number("sigma", sigma)
    matrix = real_array("strategy", strategy, open_low=True, open_high=True)
    if matrix.ndim != 2 or not matrix.size or not matrix.any():
        raise ValueError(f"strategy must be a matrix with an entry that is not zero, got shape {matrix.shape}")
    epochs = positive_integer("epochs", epochs)
    steps, rest = divmod(matrix.shape[1], epochs)
    if rest:
        raise ValueError(f"epochs must divide the {matrix.shape[1]} columns of strategy, got {epochs}")
    largest = float(np.abs(matrix).max())
    products = [columns.T @ columns for columns in ((matrix / largest)[:, first::steps] for first in range(steps))]
    return Gaussian(sigma, largest * math.sqrt(max(float(np.sum(np.abs(product))) for product in products)))


def tree_aggregation(sigma: Number, steps: int, epochs: int = 1) -> Gaussian:
    """Running sums by a binary tree of noisy sums, a new tree in each epoch.

    An example is in one node of each of the ⌊log₂ steps⌋ + 1 levels. Exact.

    Parameters
    ----------
    sigma : float
        Standard deviation of the noise of a node, positive, in units of the norm of one example's contribution.
    steps : int
        Number of leaves of a tree.
    epochs : int
        Number of trees; each example is in one leaf of each.

    Returns
    -------
    Gaussian

    Raises
    ------
    ValueError, TypeError
        If `sigma` is not positive, or a number not an integer of at least 1.

    References
    ----------
    Dwork, Naor, Pitassi & Rothblum (2010); Kairouz et al. (2021).

    Examples
    --------
    >>> import dptutor as dp
    >>> round(dp.tree_aggregation(4.0, steps=1000, epochs=2).mu ** 2, 12)
    1.25
    """
    sigma = positive_number("sigma", sigma)
    levels = positive_integer("steps", steps).bit_length()
    return Gaussian(sigma, math.sqrt(levels * positive_integer("epochs", epochs)))
