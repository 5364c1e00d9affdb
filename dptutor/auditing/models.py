"""Small networks, trained many at a time, with a separate gradient for every example.

A network of widths (d, h, …, c) is affine maps with ReLU between them and softmax cross-entropy at the end; two widths
make softmax regression. All parameters of one network are one flat vector, and a leading axis of `parameters` runs
over networks. The gradient of one example is an outer product, layer by layer (see `gradients`).

Source: Goodfellow, Efficient per-example gradient computations (2015).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from .._validation import positive_integer, shown
from .classifier import Classifier, softmax_signal
from .gradients import PerExample

__all__ = ["Network"]


@dataclass(frozen=True)
class Network(Classifier):
    """A network of ReLU layers with a softmax at the end.

    Parameters
    ----------
    widths : tuple of int
        Number of inputs, then of units in each hidden layer (none for softmax regression), then of classes.

    Raises
    ------
    TypeError, ValueError
        If the widths are not integers of at least 1, or fewer than two.

    References
    ----------
    Goodfellow (2015).

    Examples
    --------
    >>> from dptutor.auditing import Network
    >>> Network((64, 32, 10)).size
    2410
    """

    widths: tuple[int, ...]

    def __post_init__(self):
        if isinstance(self.widths, (str, bytes)) or not isinstance(self.widths, Iterable):
            raise TypeError(f"widths must be a sequence of integers, got {shown(self.widths)}")
        widths = tuple(positive_integer("widths", width) for width in self.widths)
        if len(widths) < 2:
            raise ValueError(f"widths must name at least inputs and classes, got {shown(self.widths)}")
        object.__setattr__(self, "widths", widths)

    @property
    def inputs(self) -> int:
        """Number of features.

        Examples
        --------
        >>> from dptutor.auditing import Network
        >>> Network((64, 10)).inputs
        64
        """
        return self.widths[0]

    @property
    def classes(self) -> int:
        """Number of classes.

        Examples
        --------
        >>> from dptutor.auditing import Network
        >>> Network((64, 10)).classes
        10
        """
        return self.widths[-1]

    @property
    def widest(self) -> int:
        """Most numbers that a layer holds of one example.

        Examples
        --------
        >>> from dptutor.auditing import Network
        >>> Network((64, 32, 10)).widest
        64
        """
        return max(self.widths)

    @property
    def maps(self) -> tuple[tuple[int, int], ...]:
        """Inputs and outputs of every layer.

        Examples
        --------
        >>> from dptutor.auditing import Network
        >>> Network((64, 10)).maps
        ((64, 10),)
        """
        return tuple(pairwise(self.widths))

    def logits(self, parameters, features) -> np.ndarray:
        """What the softmax is taken of.

        Parameters
        ----------
        parameters : ndarray
            Of shape (…, size).
        features : ndarray
            Of shape (n, inputs).

        Returns
        -------
        ndarray
            Of shape (…, n, classes).

        Examples
        --------
        >>> import numpy as np
        >>> from dptutor.auditing import Network
        >>> network = Network((2, 3))
        >>> network.logits(np.zeros((5, network.size)), np.ones((4, 2))).shape
        (5, 4, 3)
        """
        return self._forward(self._affine(parameters), features)[-1]

    def backpropagate(self, parameters, features, labels) -> PerExample:
        """The gradients of the losses by the parameters, example by example.

        Parameters
        ----------
        parameters : ndarray
            Of shape (…, size).
        features, labels : ndarray
            Of shape (n, inputs) and (n,).

        Returns
        -------
        PerExample

        References
        ----------
        Goodfellow (2015).

        Examples
        --------
        >>> import numpy as np
        >>> from dptutor.auditing import Network
        >>> gradients = Network((2, 2)).backpropagate(np.zeros(6), np.eye(2), np.array([0, 1]))
        >>> gradients.norms
        array([1., 1.])
        """
        layers = self._affine(parameters)
        *entering, logits = self._forward(layers, features)
        signal = softmax_signal(logits, labels)
        leaving = [signal]
        for (weights, _), entered in zip(layers[:0:-1], entering[:0:-1], strict=True):
            signal = (signal @ np.swapaxes(weights, -1, -2)) * (entered > 0)
            leaving.append(signal)
        return PerExample(tuple(entering), tuple(reversed(leaving)))

    def _forward(self, layers, features) -> list[np.ndarray]:
        """What enters each layer, and the logits."""
        signals = [features]
        for index, (weights, biases) in enumerate(layers):
            signal = signals[-1] @ weights
            signal += biases
            if index < len(layers) - 1:
                np.maximum(signal, 0, out=signal)
            signals.append(signal)
        return signals
