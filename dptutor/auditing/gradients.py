"""A gradient for every example: their lengths, their weighted sums, one of them.

The gradient of one example by an affine map is the outer product a dᵀ, with a what enters the map (1 appended for the
bias) and d the derivative of the loss by what leaves it. So over the maps l of a network

    ‖g‖² = Σ_l ‖a_l‖² ‖d_l‖²    and    Σ_i w_i g_i = Σ_l a_lᵀ (w d_l),

and neither the norms nor the clipped sums of DP-SGD need the gradients one by one. Where that does not hold, as for
convolutions, they are kept as rows.

Source: Goodfellow, Efficient per-example gradient computations (2015).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["GradientRows", "PerExample", "clipping_factors"]


@dataclass(frozen=True, eq=False)
class PerExample:
    """Gradients of n examples at each of several networks, kept as the two factors of their outer products.

    Attributes
    ----------
    entering : tuple of ndarray
        What enters each layer, of shape (…, n, inputs of the layer).
    leaving : tuple of ndarray
        The derivative of the loss by what leaves it, of shape (…, n, outputs of the layer).

    References
    ----------
    Goodfellow (2015).

    Examples
    --------
    Norms and sums need no gradient by itself:

    >>> import numpy as np
    >>> from dptutor.auditing import Network
    >>> network, generator = Network((2, 3, 2)), np.random.default_rng(0)
    >>> g = network.backpropagate(network.initial(generator), generator.random((4, 2)), np.array([0, 1, 1, 0]))
    >>> bool(np.allclose(g.norms, np.linalg.norm(g.gradients, axis=-1)))
    True
    >>> bool(np.allclose(g.total(np.ones(4)), g.gradients.sum(0))), bool(np.allclose(g.one(2), g.gradients[2]))
    (True, True)
    """

    entering: tuple[np.ndarray, ...]
    leaving: tuple[np.ndarray, ...]

    @property
    def norms(self) -> np.ndarray:
        """Euclidean length of each example's gradient, in the shape (…, n).

        Examples
        --------
        >>> import numpy as np
        >>> import dptutor as dp
        >>> gradients = dp.auditing.Network((2, 2)).backpropagate(np.zeros(6), np.eye(2), np.array([0, 1]))
        >>> gradients.norms
        array([1., 1.])
        """
        square = sum(
            (np.einsum("...i,...i", a, a) + 1) * np.einsum("...i,...i", d, d)
            for a, d in zip(self.entering, self.leaving, strict=True)
        )
        norms: np.ndarray = np.sqrt(square)
        return norms

    def total(self, weights: np.ndarray) -> np.ndarray:
        """Σ_i w_i g_i, of shape (…, p), for weights of shape (…, n).

        Examples
        --------
        >>> import numpy as np
        >>> import dptutor as dp
        >>> gradients = dp.auditing.Network((2, 2)).backpropagate(np.zeros(6), np.eye(2), np.array([0, 1]))
        >>> gradients.total(np.array([1.0, 0.0]))
        array([-0.5,  0.5,  0. ,  0. , -0.5,  0.5])
        """
        parts = []
        for a, d in zip(self.entering, self.leaving, strict=True):
            weighted = d * weights[..., None]
            outer = np.swapaxes(a, -1, -2) @ weighted
            parts += [outer.reshape(*outer.shape[:-2], -1), weighted.sum(-2)]
        return np.concatenate(parts, -1)

    def one(self, index: int) -> np.ndarray:
        """The gradient of one example, of shape (…, p).

        Examples
        --------
        >>> import numpy as np
        >>> import dptutor as dp
        >>> gradients = dp.auditing.Network((2, 2)).backpropagate(np.zeros(6), np.eye(2), np.array([0, 1]))
        >>> gradients.one(1)[2:]
        array([ 0.5, -0.5,  0.5, -0.5])
        """
        parts = []
        for a, d in zip(self.entering, self.leaving, strict=True):
            outer = a[..., index, :, None] * d[..., index, None, :]
            parts += [outer.reshape(*outer.shape[:-2], -1), d[..., index, :]]
        return np.concatenate(parts, -1)

    @property
    def gradients(self) -> np.ndarray:
        """All gradients one by one, of shape (…, n, p), for small cases and for looking at.

        Examples
        --------
        >>> import numpy as np
        >>> import dptutor as dp
        >>> gradients = dp.auditing.Network((2, 2)).backpropagate(np.zeros(6), np.eye(2), np.array([0, 1]))
        >>> gradients.gradients.shape
        (2, 6)
        """
        return np.stack([self.one(index) for index in range(self.leaving[0].shape[-2])], -2)


@dataclass(frozen=True, eq=False)
class GradientRows:
    """Gradients of n examples at each of several networks, one by one.

    Attributes
    ----------
    gradients : ndarray
        Of shape (…, n, p).

    Examples
    --------
    >>> import numpy as np
    >>> import dptutor as dp
    >>> rows = dp.auditing.GradientRows(np.array([[3.0, 4.0], [0.0, 1.0]]))
    >>> rows.norms, rows.total(np.array([1.0, 2.0])), rows.one(1)
    (array([5., 1.]), array([3., 6.]), array([0., 1.]))
    """

    gradients: np.ndarray

    @property
    def norms(self) -> np.ndarray:
        """Euclidean length of each example's gradient, in the shape (…, n).

        Examples
        --------
        >>> import numpy as np
        >>> import dptutor as dp
        >>> dp.auditing.GradientRows(np.array([[3.0, 4.0]])).norms
        array([5.])
        """
        norms: np.ndarray = np.sqrt(np.einsum("...i,...i", self.gradients, self.gradients))
        return norms

    def total(self, weights: ArrayLike) -> np.ndarray:
        """Σ_i w_i g_i, of shape (…, p), for weights of shape (…, n).

        Examples
        --------
        >>> import numpy as np
        >>> import dptutor as dp
        >>> dp.auditing.GradientRows(np.eye(2)).total(np.array([1.0, 2.0]))
        array([1., 2.])
        """
        sums: np.ndarray = np.asarray(weights)[..., None, :] @ self.gradients
        return sums[..., 0, :]

    def one(self, index: int) -> np.ndarray:
        """The gradient of one example, of shape (…, p).

        Examples
        --------
        >>> import numpy as np
        >>> import dptutor as dp
        >>> dp.auditing.GradientRows(np.eye(2)).one(-1)
        array([0., 1.])
        """
        row: np.ndarray = self.gradients[..., index, :]
        return row


def clipping_factors(norms: np.ndarray, clip: float) -> np.ndarray:
    """The factors min(1, C/‖g‖) that shorten gradients to the length C at most."""
    factors: np.ndarray = np.minimum(1.0, clip / np.maximum(norms, np.finfo(float).tiny))
    return factors
