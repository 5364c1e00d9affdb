"""The convolutional network of the experiments of Bernau et al., with a separate gradient for every example.

Each layer of filters is a 3 × 3 convolution without padding, a ReLU, and the largest of every 2 × 2 values (a row or
column that is left over is dropped). An affine map and a softmax follow. A convolution is an affine map of each 3 × 3
patch, so the gradient of one example is Σ_patches a dᵀ, with a a patch and d the derivative of the loss by what leaves
it. That sum is no outer product, so the gradients are computed one by one.

Source: Bernau et al. (2021), section 6.1. Their network also normalizes batches. Then the gradient of one example
depends on the others, and clipping it bounds nothing; so batches are not normalized here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from .._validation import positive_integer, shown
from .classifier import Classifier, softmax_signal
from .gradients import GradientRows

__all__ = ["ConvolutionalNetwork"]

_Affine: TypeAlias = tuple[np.ndarray, np.ndarray]
_Layer: TypeAlias = tuple[np.ndarray, list[np.ndarray], np.ndarray]

# Numbers of patches that are held at a time, where networks can be taken one by one.
_MOST = 20_000_000
# The places of a 2 × 2 block.
_CORNERS = ((0, 0), (0, 1), (1, 0), (1, 1))


@dataclass(frozen=True)
class ConvolutionalNetwork(Classifier):
    """A network of 3 × 3 convolutions with ReLU and 2 × 2 max pooling, and a softmax at the end.

    Parameters
    ----------
    image_shape : tuple of int
        Height and width of the images, which have one channel.
    filters : tuple of int
        Number of filters of each convolution.
    classes : int

    Raises
    ------
    TypeError, ValueError
        If one of them is no such number, or nothing is left of the images after the last pooling.

    References
    ----------
    Bernau et al. (2021), section 6.1.

    Examples
    --------
    >>> from dptutor.auditing import ConvolutionalNetwork
    >>> ConvolutionalNetwork((28, 28), (16, 16), 10).size
    6490
    """

    image_shape: tuple[int, int] = (28, 28)
    filters: tuple[int, ...] = (16, 16)
    classes: int = 10

    def __post_init__(self) -> None:
        for name in ("image_shape", "filters"):
            value = getattr(self, name)
            if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
                raise TypeError(f"{name} must be a sequence of integers, got {shown(value)}")
            object.__setattr__(self, name, tuple(positive_integer(name, each) for each in value))
        object.__setattr__(self, "classes", positive_integer("classes", self.classes))
        if len(self.image_shape) != 2:
            raise ValueError(f"image_shape must be a height and a width, got {shown(self.image_shape)}")
        if not self.filters:
            raise ValueError("filters must name at least one convolution")
        if min(self._left[-1][:2]) < 1:
            raise ValueError(f"nothing is left of images of {self.image_shape} after {len(self.filters)} convolutions")

    @property
    def _left(self) -> list[tuple[int, int, int]]:
        """Height, width and channels before the first layer and after each."""
        height, width = self.image_shape
        shapes = [(height, width, 1)]
        for filters in self.filters:
            height, width = (height - 2) // 2, (width - 2) // 2
            shapes.append((height, width, filters))
        return shapes

    @property
    def maps(self) -> tuple[tuple[int, int], ...]:
        """Inputs and outputs of every affine map, those of the filters first.

        Examples
        --------
        >>> from dptutor.auditing import ConvolutionalNetwork
        >>> ConvolutionalNetwork((4, 4), (2,), 3).maps
        ((9, 2), (2, 3))
        """
        left = self._left
        between = ((9 * before[2], filters) for before, filters in zip(left, self.filters, strict=False))
        return *between, (math.prod(left[-1]), self.classes)

    @property
    def _leaving(self) -> list[int]:
        """A filter counts the nine places of each of its channels as inputs, and of each filter as outputs."""
        return [*(9 * filters for filters in self.filters), self.classes]

    @property
    def inputs(self) -> int:
        """Number of pixels of an image.

        Examples
        --------
        >>> from dptutor.auditing import ConvolutionalNetwork
        >>> ConvolutionalNetwork((28, 28)).inputs
        784
        """
        return math.prod(self.image_shape)

    @property
    def widest(self) -> int:
        """Most numbers that a layer holds of one example.

        Examples
        --------
        >>> from dptutor.auditing import ConvolutionalNetwork
        >>> ConvolutionalNetwork((4, 4), (2,), 3).widest  # four patches of nine pixels
        36
        """
        held = [(h - 2) * (w - 2) * max(9 * channels, filters)
                for (h, w, channels), filters in zip(self._left, self.filters, strict=False)]  # fmt: skip
        return max(*held, self.inputs)

    def logits(self, parameters: np.ndarray, features: np.ndarray) -> np.ndarray:
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
        >>> from dptutor.auditing import ConvolutionalNetwork
        >>> network = ConvolutionalNetwork((4, 4), (2,), 3)
        >>> network.logits(np.zeros((5, network.size)), np.ones((4, 16))).shape
        (5, 4, 3)
        """
        if parameters.ndim > 1 and parameters.size // self.size * len(features) * self.widest > _MOST:
            return np.stack([self.logits(each, features) for each in parameters])
        *_, logits = self._forward(self._affine(parameters), features)
        return logits

    def backpropagate(self, parameters: np.ndarray, features: np.ndarray, labels: np.ndarray) -> GradientRows:
        """The gradients of the losses by the parameters, example by example.

        Parameters
        ----------
        parameters : ndarray
            Of shape (…, size).
        features, labels : ndarray
            Of shape (n, inputs) and (n,).

        Returns
        -------
        GradientRows

        Examples
        --------
        >>> import numpy as np
        >>> from dptutor.auditing import ConvolutionalNetwork
        >>> network = ConvolutionalNetwork((4, 4), (2,), 3)
        >>> network.backpropagate(np.zeros(network.size), np.eye(2, 16), np.array([0, 1])).gradients.shape
        (2, 29)
        """
        affine = self._affine(parameters)
        layers, flat, logits = self._forward(affine, features)
        signal = softmax_signal(logits, labels)
        parts = [signal, (flat[..., :, None] * signal[..., None, :]).reshape(*signal.shape[:-1], -1)]
        signal = signal @ np.swapaxes(affine[-1][0], -1, -2)
        for index in range(len(self.filters) - 1, -1, -1):
            patches, chosen, pooled = layers[index]
            signal = _unpooled(signal.reshape(pooled.shape) * (pooled > 0), chosen, patches.shape[-3:-1])
            rows = signal.reshape(*signal.shape[:-3], -1, signal.shape[-1])
            entering = np.swapaxes(patches.reshape(*patches.shape[:-3], -1, patches.shape[-1]), -1, -2)
            parts += [rows.sum(-2), (entering @ rows).reshape(*rows.shape[:-2], -1)]
            if index:
                weights = affine[index][0]
                signal = _spread(signal @ np.swapaxes(weights, -1, -2)[..., None, None, :, :])
        return GradientRows(np.concatenate(parts[::-1], -1))

    def _forward(
        self, affine: list[tuple[np.ndarray, np.ndarray]], features: np.ndarray
    ) -> tuple[list[_Layer], np.ndarray, np.ndarray]:
        """Patches, chosen values and pooled values of every layer of filters; what enters the last map; the logits."""
        layers: list[_Layer] = []
        signal = np.reshape(features, (len(features), *self.image_shape, 1))
        for weights, biases in affine[:-1]:
            patches = _patches(signal)
            moved = patches @ weights[..., None, None, :, :] + biases[..., None, None, :]
            chosen, pooled = _pooled(moved)
            signal = np.maximum(pooled, 0.0)
            layers.append((patches, chosen, signal))
        flat = signal.reshape(*signal.shape[:-3], -1)
        weights, biases = affine[-1]
        return layers, flat, flat @ weights + biases


def _patches(images: np.ndarray) -> np.ndarray:
    """The 3 × 3 patches of images (…, h, w, c), of shape (…, h − 2, w − 2, 9c)."""
    windows = np.lib.stride_tricks.sliding_window_view(images, (3, 3), axis=(-3, -2))
    return np.moveaxis(windows, -3, -1).reshape(*windows.shape[:-3], -1)


def _spread(patches: np.ndarray) -> np.ndarray:
    """The transposed map of `_patches`: every patch is added where it was taken."""
    *rest, height, width, inputs = patches.shape
    places = patches.reshape(*rest, height, width, 3, 3, inputs // 9)
    images = np.zeros((*rest, height + 2, width + 2, inputs // 9))
    for i in range(3):
        for j in range(3):
            images[..., i : i + height, j : j + width, :] += places[..., i, j, :]
    return images


def _pooled(images: np.ndarray) -> tuple[list[np.ndarray], np.ndarray]:
    """Which of every 2 × 2 values is the largest, the first of them where they are equal, and its value."""
    height, width = (each // 2 * 2 for each in images.shape[-3:-1])
    corners = [images[..., i:height:2, j:width:2, :] for i, j in _CORNERS]
    largest = np.maximum(np.maximum(corners[0], corners[1]), np.maximum(corners[2], corners[3]))
    chosen, left = [], np.ones(largest.shape, dtype=bool)
    for corner in corners:
        here = (corner == largest) & left
        left &= ~here
        chosen.append(here)
    return chosen, largest


def _unpooled(signal: np.ndarray, chosen: list[np.ndarray], shape: tuple[int, ...]) -> np.ndarray:
    """A derivative by pooled values as one by the values before, of the height and width given."""
    *rest, rows, columns, channels = signal.shape
    images = np.zeros((*rest, *shape, channels))
    for (i, j), here in zip(_CORNERS, chosen, strict=True):
        images[..., i : 2 * rows : 2, j : 2 * columns : 2, :] = signal * here
    return images
