"""Two data sets that differ in one example, and how to find a pair that is easy to tell apart.

D holds the example that the adversary asks about, D′ does not: it is removed (unbounded neighbors) or replaced
(bounded neighbors). Clipped to C, the sum of the gradients changes by at most

    global sensitivity    C  (unbounded),    2C  (bounded),

and by the *local* sensitivity ‖ḡ(x)‖ or ‖ḡ(x) − ḡ(x′)‖ at the weights reached. Instead of searching for the pair
of largest local sensitivity at every step, one may search once for the most dissimilar one,

    x̂ = argmax_{x₁ ∈ D} Σ_{x₂ ∈ D∖x₁} d(x₁, x₂)  or    (x̂, x̂′) = argmax_{x ∈ D, x′ ∈ U∖D} d(x, x′).

Sources: Bernau et al. (2021), definition 6, equations 18-21; Wang et al., Image quality assessment (2004), for SSIM.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist

from .._validation import choice, integer, positive_integer, positive_number, real_array, shown

__all__ = ["DISSIMILARITIES", "Neighbors", "dissimilarity", "find_neighbors"]

DISSIMILARITIES = ("euclidean", "hamming", "manhattan", "cosine", "ssim")
_SCIPY = {"euclidean": "euclidean", "hamming": "hamming", "manhattan": "cityblock", "cosine": "cosine"}


@dataclass(frozen=True, eq=False)
class Neighbors:
    """A data set D of n examples and the neighbor D′ without its example number `index`.

    Parameters
    ----------
    features, labels : array_like
        D, of shape (n, inputs) and (n,).
    index : int
        The example of D that D′ lacks.
    replacement : tuple, optional
        Features and label of the example that D′ has in its place (bounded). If omitted, D′ is smaller (unbounded).

    Raises
    ------
    TypeError, ValueError
        If shapes do not fit, or `index` is not one of the n.

    References
    ----------
    Bernau et al. (2021), definition 6 and equations 18-21.

    Examples
    --------
    >>> import numpy as np
    >>> import dptutor as dp
    >>> pair = dp.auditing.Neighbors(np.eye(3), [0, 1, 1], index=2, replacement=([1, 1, 1], 0))
    >>> pair.bounded, pair.without[0].shape, pair.global_sensitivity(3)
    (True, (3, 3), 6.0)
    """

    features: np.ndarray
    labels: np.ndarray
    index: int
    replacement: tuple[np.ndarray, int] | None = None

    def __post_init__(self):
        features, labels = _examples(self.features, self.labels)
        index = integer("index", self.index, f"one of the {len(labels)} examples")
        if not -len(labels) <= index < len(labels):
            raise ValueError(f"index must be one of the {len(labels)} examples, got {self.index}")
        object.__setattr__(self, "features", features)
        object.__setattr__(self, "labels", labels)
        object.__setattr__(self, "index", index % len(labels))
        if self.replacement is not None:
            other, label = _pair("replacement", self.replacement, "features and a label")
            other = real_array("replacement", other)
            if other.shape != features.shape[1:]:
                raise ValueError(f"replacement must have {features.shape[1]} features, got the shape {other.shape}")
            object.__setattr__(self, "replacement", (other, integer("the label of replacement", label, "an integer")))

    @property
    def bounded(self) -> bool:
        """Whether D′ replaces the example (and does not only remove it).

        Examples
        --------
        >>> import numpy as np
        >>> import dptutor as dp
        >>> dp.auditing.Neighbors(np.eye(3), [0, 1, 1], index=2).bounded
        False
        """
        return self.replacement is not None

    @property
    def union(self) -> tuple[np.ndarray, np.ndarray]:
        """Features and labels of all examples of D and, last, of the replacement if there is one.

        Examples
        --------
        >>> import numpy as np
        >>> import dptutor as dp
        >>> features, labels = dp.auditing.Neighbors(np.eye(3), [0, 1, 1], 2, ([1, 1, 1], 0)).union
        >>> labels
        array([0, 1, 1, 0])
        """
        if self.replacement is None:
            return self.features, self.labels
        other, label = self.replacement
        return np.vstack([self.features, other]), np.append(self.labels, label)

    @property
    def without(self) -> tuple[np.ndarray, np.ndarray]:
        """Features and labels of D′.

        Examples
        --------
        >>> import numpy as np
        >>> import dptutor as dp
        >>> features, labels = dp.auditing.Neighbors(np.eye(3), [0, 1, 1], index=0).without
        >>> labels
        array([1, 1])
        """
        features, labels = self.union
        return np.delete(features, self.index, 0), np.delete(labels, self.index)

    def global_sensitivity(self, clip) -> float:
        """Largest change of a sum of gradients clipped to C: C if an example is removed, 2C if it is replaced.

        Parameters
        ----------
        clip : float
            C, positive.

        Raises
        ------
        ValueError
            If `clip` is not positive and finite.

        References
        ----------
        In the book: chapter 13, :prf:ref:`def-three-sensitivities`.

        Examples
        --------
        >>> import numpy as np
        >>> import dptutor as dp
        >>> dp.auditing.Neighbors(np.eye(3), [0, 1, 1], index=2).global_sensitivity(3)
        3.0
        """
        return (2.0 if self.bounded else 1.0) * positive_number("clip", clip)


def dissimilarity(first, second, kind, *, image_shape=None) -> np.ndarray:
    """Dissimilarity of each row of `first` to each row of `second`.

    Parameters
    ----------
    first, second : array_like
        Of shape (m, d) and (n, d).
    kind : str
        "euclidean", "hamming" (the share of features that differ), "manhattan", "cosine" (1 − cos of the angle), or
        "ssim": the negative structural similarity of images.
    image_shape : tuple of int, optional
        Height and width of the images, for "ssim". Features are taken to lie in [0, 1].

    Returns
    -------
    ndarray
        Of shape (m, n).

    Raises
    ------
    ValueError
        If the shapes do not fit, a row is all zero for "cosine", or images are smaller than 7 × 7 for "ssim".

    References
    ----------
    Bernau et al. (2021), definition 6 and section 6; Wang et al. (2004) for "ssim".

    Examples
    --------
    >>> import dptutor as dp
    >>> dp.auditing.dissimilarity([[0, 0], [1, 0]], [[1, 1]], "manhattan")
    array([[2.],
           [1.]])
    >>> dp.auditing.DISSIMILARITIES
    ('euclidean', 'hamming', 'manhattan', 'cosine', 'ssim')
    """
    first, second = real_array("first", first), real_array("second", second)
    if first.ndim != 2 or second.ndim != 2 or first.shape[1] != second.shape[1]:
        raise ValueError(f"first and second must be tables of equal width, got {first.shape} and {second.shape}")
    if choice("kind", kind, DISSIMILARITIES) == "ssim":
        return -_structural_similarity(_images(first, image_shape), _images(second, image_shape))
    if kind == "cosine" and not (first.any(1).all() and second.any(1).all()):
        raise ValueError("the cosine dissimilarity needs rows that are not all zero")
    return cdist(first, second, _SCIPY[kind])


def find_neighbors(
    features, labels, kind, *, pool=None, count=1, least=False, image_shape=None
) -> list[tuple[float, Neighbors]]:
    """The neighbors of D of largest (or least) dissimilarity, each with its dissimilarity, best first.

    Parameters
    ----------
    features, labels : array_like
        The examples of D.
    kind : str
        A dissimilarity; see `dissimilarity`.
    pool : tuple of array_like, optional
        Features and labels of U∖D, for bounded neighbors. If omitted, each neighbor lacks an example.
    count : int
        How many neighbors. Bounded neighbors each use a different example of the pool.
    least : bool
        Whether to look for the least dissimilar ones.
    image_shape : tuple of int, optional
        For "ssim".

    Returns
    -------
    list of (float, Neighbors)
        The first dissimilarity is the dataset sensitivity of D.

    Raises
    ------
    ValueError
        If the shapes do not fit, or there are fewer than `count` examples to choose from.

    References
    ----------
    Bernau et al. (2021), equations 18 and 20.
    In the book: chapter 13, :prf:ref:`def-three-sensitivities`.

    Examples
    --------
    >>> import dptutor as dp
    >>> features, labels = [[0.0], [0.1], [0.2], [5.0]], [0, 0, 1, 1]
    >>> ((value, pair),) = dp.auditing.find_neighbors(features, labels, "euclidean")
    >>> pair.index, round(value, 6)
    (3, 14.7)
    """
    features, labels = _examples(features, labels)
    sign = -1 if least else 1
    others, other_labels = (
        (features, labels) if pool is None else _examples(*_pair("pool", pool, "features and labels"))
    )
    available = len(others)
    if positive_integer("count", count) > available:
        raise ValueError(f"count must be at most {available}, the number of examples to choose from, got {count}")
    table = dissimilarity(features, others, kind, image_shape=image_shape)
    if pool is None:
        np.fill_diagonal(table, 0.0)
        total = table.sum(1)
        chosen = np.argsort(-sign * total, kind="stable")[:count]
        return [(float(total[index]), Neighbors(features, labels, int(index))) for index in chosen]
    partner = (sign * table).argmax(0)
    value = table[partner, np.arange(available)]
    chosen = np.argsort(-sign * value, kind="stable")[:count]
    return [
        (float(value[j]), Neighbors(features, labels, int(partner[j]), (others[j], int(other_labels[j]))))
        for j in chosen
    ]


def _pair(name, value, parts):
    if not (isinstance(value, (tuple, list)) and len(value) == 2):
        raise TypeError(f"{name} must be {parts}, got {shown(value)}")
    return value


def _examples(features, labels) -> tuple[np.ndarray, np.ndarray]:
    features, labels = real_array("features", features), np.asarray(labels)
    if features.ndim != 2 or not len(features):
        raise ValueError(f"features must be a table of at least one row, got the shape {features.shape}")
    if labels.shape != features.shape[:1]:
        raise ValueError(f"labels must have the shape {features.shape[:1]}, got {labels.shape}")
    return features, labels


def _images(rows, shape) -> np.ndarray:
    if shape is None:
        raise ValueError('image_shape must be given for the dissimilarity "ssim"')
    height, width = (positive_integer("image_shape", side) for side in shape)
    if height * width != rows.shape[1]:
        raise ValueError(f"image_shape must have {rows.shape[1]} pixels, got {height} × {width}")
    if min(height, width) < 7:
        raise ValueError(f"image_shape must be at least 7 × 7, the size of the window, got {height} × {width}")
    return rows.reshape(-1, height, width)


def _structural_similarity(first, second) -> np.ndarray:
    """Mean over all 7 × 7 windows of (2 m m′ + c₁)(2 s s′ + c₂) / ((m² + m′² + c₁)(v + v′ + c₂)), all pairs."""
    c1, c2 = 0.01**2, 0.03**2
    views = [np.lib.stride_tricks.sliding_window_view(images, (7, 7), axis=(1, 2)) for images in (first, second)]
    rows, columns = views[0].shape[1:3]
    total = np.zeros((len(first), len(second)))
    for i in range(rows):
        for j in range(columns):
            a, b = (view[:, i, j].reshape(len(view), 49) for view in views)
            ma, mb = a.mean(1)[:, None], b.mean(1)[None, :]
            va, vb = a.var(1, ddof=1)[:, None], b.var(1, ddof=1)[None, :]
            covariance = (a - ma) @ (b - mb.T).T / 48
            total += (2 * ma * mb + c1) * (2 * covariance + c2) / ((ma**2 + mb**2 + c1) * (va + vb + c2))
    return total / (rows * columns)
