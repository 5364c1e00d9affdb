"""What a training run needs of a network."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import ArrayLike

from .._validation import real_array
from .gradients import GradientRows, PerExample

__all__ = ["Classifier", "softmax_signal"]


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
    def logits(self, parameters: np.ndarray, features: np.ndarray) -> np.ndarray:
        """What the softmax is taken of, of shape (…, n, classes) for parameters of shape (…, size).

        Examples
        --------
        >>> import numpy as np
        >>> from dptutor.auditing import Network
        >>> Network((2, 3)).logits(np.zeros(9), np.ones((4, 2))).shape
        (4, 3)
        """

    @abstractmethod
    def backpropagate(
        self, parameters: np.ndarray, features: np.ndarray, labels: np.ndarray
    ) -> PerExample | GradientRows:
        """The gradients of the losses by the parameters, example by example.

        Examples
        --------
        >>> import numpy as np
        >>> from dptutor.auditing import Network
        >>> Network((2, 2)).backpropagate(np.zeros(6), np.eye(2), np.array([0, 1])).norms
        array([1., 1.])
        """

    def examples(self, features: ArrayLike, labels: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
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

    def losses(self, parameters: np.ndarray, features: np.ndarray, labels: np.ndarray) -> np.ndarray:
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

    def accuracy(self, parameters: np.ndarray, features: np.ndarray, labels: np.ndarray) -> np.ndarray:
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
        share: np.ndarray = (self.logits(parameters, features).argmax(-1) == labels).mean(-1)
        return share


def softmax_signal(logits: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The derivative of each loss by its logits: the probabilities, less 1 at the label."""
    signal: np.ndarray = np.exp(logits - logits.max(-1, keepdims=True))
    signal /= signal.sum(-1, keepdims=True)
    signal[..., np.arange(len(labels)), labels] -= 1
    return signal


def _cross_entropy(logits: np.ndarray, labels: np.ndarray) -> np.ndarray:
    shifted = logits - logits.max(-1, keepdims=True)
    chosen = np.take_along_axis(shifted, np.broadcast_to(labels[:, None], (*shifted.shape[:-1], 1)), -1)
    losses: np.ndarray = np.log(np.exp(shifted).sum(-1)) - chosen[..., 0]
    return losses
