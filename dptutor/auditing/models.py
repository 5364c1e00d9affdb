"""Small networks, trained many at a time, with a separate gradient for every example.

A network of widths (d, h, …, c) is affine maps with ReLU between them and softmax cross-entropy at the end; two widths
make softmax regression. All parameters of one network are one flat vector, and a leading axis of `parameters` runs
over networks. With a_l what enters layer l (1 appended for the bias) and d_l the derivative of the loss by what leaves
it, the gradient of one example is the outer product a_l d_lᵀ, layer by layer, so that

    ‖g‖² = Σ_l ‖a_l‖² ‖d_l‖²    and    Σ_i w_i g_i = Σ_l a_lᵀ (w d_l),

and neither the norms nor the clipped sums of DP-SGD need the gradients one by one.

Source: Goodfellow, Efficient per-example gradient computations (2015).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from .._validation import positive_integer, real_array, shown

if TYPE_CHECKING:
    from .convolutions import GradientRows

__all__ = ["Classifier", "Network", "PerExample"]


class Classifier(ABC):
    """What a training run needs of a network: a start, logits, and the gradient of every example.

    `Network` and `ConvolutionalNetwork` are classifiers. Another one needs the members that are abstract here, and a
    `repr` with all its settings, by which a checkpoint knows it.

    Examples
    --------
    >>> from dptutor.auditing import Classifier, ConvolutionalNetwork, Network
    >>> isinstance(Network((64, 10)), Classifier), isinstance(ConvolutionalNetwork(), Classifier)
    (True, True)
    """

    @property
    @abstractmethod
    def inputs(self) -> int:
        """Number of features.

        Examples
        --------
        >>> from dptutor.auditing import Network
        >>> Network((64, 10)).inputs
        64
        """

    @property
    @abstractmethod
    def classes(self) -> int:
        """Number of classes.

        Examples
        --------
        >>> from dptutor.auditing import Network
        >>> Network((64, 10)).classes
        10
        """

    @property
    @abstractmethod
    def maps(self) -> tuple[tuple[int, int], ...]:
        """Inputs and outputs of every affine map, in the order of the parameters.

        Examples
        --------
        >>> from dptutor.auditing import Network
        >>> Network((64, 32, 10)).maps
        ((64, 32), (32, 10))
        """

    @property
    @abstractmethod
    def widest(self) -> int:
        """Most numbers that a layer holds of one example.

        Examples
        --------
        >>> from dptutor.auditing import Network
        >>> Network((64, 32, 10)).widest
        64
        """

    @property
    def size(self) -> int:
        """Number of parameters.

        Examples
        --------
        >>> from dptutor.auditing import Network
        >>> Network((64, 10)).size
        650
        """
        return sum((inputs + 1) * outputs for inputs, outputs in self.maps)

    def initial(self, generator: np.random.Generator) -> np.ndarray:
        """One vector of parameters: weights uniform in ±√(6/(inputs + outputs)) (Glorot), biases zero.

        Parameters
        ----------
        generator : numpy.random.Generator

        Returns
        -------
        ndarray
            Of shape (size,).

        Examples
        --------
        >>> import numpy as np
        >>> from dptutor.auditing import Network
        >>> Network((2, 3)).initial(np.random.default_rng(0)).shape
        (9,)
        """
        parts = []
        for (inputs, outputs), leaving in zip(self.maps, self._leaving, strict=True):
            width = math.sqrt(6 / (inputs + leaving))
            parts += [generator.uniform(-width, width, inputs * outputs), np.zeros(outputs)]
        return np.concatenate(parts)

    @property
    def _leaving(self) -> list[int]:
        """What each map counts as outputs at the start."""
        return [outputs for _, outputs in self.maps]

    def _affine(self, parameters: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        """Weights (…, inputs, outputs) and biases (…, 1, outputs) of every affine map, as views."""
        found, start = [], 0
        for inputs, outputs in self.maps:
            bias = start + inputs * outputs
            weights = parameters[..., start:bias].reshape(*parameters.shape[:-1], inputs, outputs)
            found.append((weights, parameters[..., None, bias : bias + outputs]))
            start = bias + outputs
        return found

    @abstractmethod
    def logits(self, parameters, features) -> np.ndarray:
        """What the softmax is taken of, of shape (…, n, classes) for parameters of shape (…, size).

        Examples
        --------
        >>> import numpy as np
        >>> from dptutor.auditing import Network
        >>> Network((2, 3)).logits(np.zeros(9), np.ones((4, 2))).shape
        (4, 3)
        """

    @abstractmethod
    def backpropagate(self, parameters, features, labels) -> PerExample | GradientRows:
        """The gradients of the losses by the parameters, example by example.

        Examples
        --------
        >>> import numpy as np
        >>> from dptutor.auditing import Network
        >>> Network((2, 2)).backpropagate(np.zeros(6), np.eye(2), np.array([0, 1])).norms
        array([1., 1.])
        """

    def examples(self, features, labels) -> tuple[np.ndarray, np.ndarray]:
        """The examples as arrays, if they fit the network.

        Parameters
        ----------
        features : array_like
            Finite, of shape (n, inputs).
        labels : array_like of int
            0, 1, …, of shape (n,).

        Returns
        -------
        features, labels : ndarray

        Raises
        ------
        TypeError, ValueError
            Saying what does not fit.

        Examples
        --------
        >>> from dptutor.auditing import Network
        >>> features, labels = Network((2, 3)).examples([[0, 1], [1, 0]], [0, 2])
        >>> features.shape, labels.shape
        ((2, 2), (2,))
        """
        features, labels = real_array("features", features, open_low=True, open_high=True), np.asarray(labels)
        if features.ndim != 2 or features.shape[1] != self.inputs:
            raise ValueError(f"features must have the shape (n, {self.inputs}), got {features.shape}")
        if labels.shape != features.shape[:1]:
            raise ValueError(f"labels must have the shape {features.shape[:1]}, got {labels.shape}")
        if labels.dtype.kind not in "iu":
            raise TypeError(f"labels must be integers, got {labels.dtype}")
        wrong = labels[(labels < 0) | (labels >= self.classes)]
        if wrong.size:
            raise ValueError(f"labels must be in 0, …, {self.classes - 1}, got {wrong[0]}")
        return features, labels

    def losses(self, parameters, features, labels) -> np.ndarray:
        """Cross-entropy −log p(label) of each example.

        Parameters
        ----------
        parameters : ndarray
            Of shape (…, size).
        features, labels : ndarray
            Of shape (n, inputs) and (n,).

        Returns
        -------
        ndarray
            Of shape (…, n).

        Examples
        --------
        A network that knows nothing pays log 3 for each of three classes:

        >>> import numpy as np
        >>> from dptutor.auditing import Network
        >>> Network((2, 3)).losses(np.zeros(9), np.ones((2, 2)), np.array([0, 1])).round(4)
        array([1.0986, 1.0986])
        """
        return _cross_entropy(self.logits(parameters, features), labels)

    def accuracy(self, parameters, features, labels) -> np.ndarray:
        """Share of the examples whose label has the largest logit.

        Parameters
        ----------
        parameters : ndarray
            Of shape (…, size).
        features, labels : ndarray
            Of shape (n, inputs) and (n,).

        Returns
        -------
        float or ndarray
            Of shape (…).

        Examples
        --------
        >>> import numpy as np
        >>> from dptutor.auditing import Network
        >>> parameters = np.array([1.0, 0.0, 0.0, 1.0, 0.0, 0.0])  # weights of the identity, then biases
        >>> float(Network((2, 2)).accuracy(parameters, np.eye(2), np.array([0, 1])))
        1.0
        """
        return (self.logits(parameters, features).argmax(-1) == labels).mean(-1)


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
        return np.sqrt(square)

    def total(self, weights) -> np.ndarray:
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


def clipping_factors(norms, clip) -> np.ndarray:
    """The factors min(1, C/‖g‖) that shorten gradients to the length C at most."""
    return np.minimum(1.0, clip / np.maximum(norms, np.finfo(float).tiny))


def softmax_signal(logits, labels) -> np.ndarray:
    """The derivative of each loss by its logits: the probabilities, less 1 at the label."""
    signal = np.exp(logits - logits.max(-1, keepdims=True))
    signal /= signal.sum(-1, keepdims=True)
    signal[..., np.arange(len(labels)), labels] -= 1
    return signal


def _cross_entropy(logits, labels) -> np.ndarray:
    shifted = logits - logits.max(-1, keepdims=True)
    chosen = np.take_along_axis(shifted, np.broadcast_to(labels[:, None], (*shifted.shape[:-1], 1)), -1)
    return np.log(np.exp(shifted).sum(-1)) - chosen[..., 0]
