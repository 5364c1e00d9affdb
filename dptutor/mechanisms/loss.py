"""The privacy loss random variable L = log dQ/dP, on which accountants are built."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

import numpy as np

from .._types import Array, Number, Numbers
from .._validation import array_shape, choice, random_generator, real_array, shaped
from ..evaluation.roots import slope_of_profile

if TYPE_CHECKING:
    from .base import Mechanism


@dataclass(frozen=True)
class PrivacyLoss:
    """L = log dQ/dP of a mechanism's pair, under `"P"` or under `"Q"`; it may take the values −∞ and +∞.

    The posterior belief of an adversary with prior ½ is the logistic function of L, so the distribution of L
    determines that of the belief.

    References
    ----------
    Dwork & Rothblum (2016); Zhu, Dong & Wang (2022).

    Examples
    --------
    >>> import dptutor as dp
    >>> loss = dp.Laplace(scale=1).privacy_loss
    >>> loss.sf([-1, 0, 1], under="P").round(4), loss.sf([-1, 0, 1], under="Q").round(4)
    (array([0.5   , 0.3033, 0.    ]), array([0.8161, 0.6967, 0.    ]))
    """

    mechanism: Mechanism

    @overload
    def sf(self, x: Number, under: str = "Q") -> float: ...
    @overload
    def sf(self, x: Numbers, under: str = "Q") -> Array: ...
    def sf(self, x: Number | Numbers, under: str = "Q") -> float | Array:
        """Pr[L > x] in world `under`.

        Parameters
        ----------
        x : float or array_like
            Any real numbers, ±∞ included.
        under : {"Q", "P"}

        Returns
        -------
        float or ndarray
            In [0, 1], in the shape of `x`.

        Raises
        ------
        ValueError
            If an entry of `x` is NaN, or `under` is another word.

        References
        ----------
        In the book: chapter 1, :prf:ref:`thm-neyman-pearson`; chapter 3, :prf:ref:`prop-exact-points`.

        Examples
        --------
        That L exceeds ε is more probable than δ(ε), by e^ε α:

        >>> import dptutor as dp
        >>> m = dp.Gaussian(sigma=1)
        >>> round(m.privacy_loss.sf(1.0), 4), round(m.privacy_profile(1.0), 4)
        (0.3085, 0.1269)
        """
        x = real_array("x", x)
        alpha, beta = self.mechanism._errors(x)
        if choice("under", under, ("P", "Q")) == "P":
            return shaped(alpha)
        return shaped(_tail(x, alpha, beta, self.mechanism))

    @overload
    def cdf(self, x: Number, under: str = "Q") -> float: ...
    @overload
    def cdf(self, x: Numbers, under: str = "Q") -> Array: ...
    def cdf(self, x: Number | Numbers, under: str = "Q") -> float | Array:
        """Pr[L ≤ x] in world `under`; parameters and errors are those of `sf`.

        References
        ----------
        In the book: chapter 1, :prf:ref:`thm-neyman-pearson`; chapter 3, :prf:ref:`prop-exact-points`.

        Examples
        --------
        >>> import dptutor as dp
        >>> loss = dp.Laplace(scale=1).privacy_loss
        >>> round(loss.cdf(0.0) + loss.sf(0.0), 12), loss.cdf(1.0)
        (1.0, 1.0)
        """
        x = real_array("x", x)
        alpha, beta = self.mechanism._errors(x)
        if choice("under", under, ("P", "Q")) == "Q":
            return shaped(beta)
        return shaped(_tail(-x, beta, alpha, self.mechanism.reverse))

    def mean(self, under: str = "Q") -> float:
        """E[L]: the Kullback-Leibler divergence of Q from P under Q, minus that of P from Q under P.

        Raises
        ------
        ValueError
            If `under` is neither "P" nor "Q".

        Examples
        --------
        >>> import dptutor as dp
        >>> loss = dp.Gaussian(sigma=1).privacy_loss
        >>> loss.mean("Q"), loss.mean("P")
        (0.5, -0.5)
        """
        return self.mechanism._loss_moments(choice("under", under, ("P", "Q")))[0]

    def variance(self, under: str = "Q") -> float:
        """Var[L]; infinite where L takes infinite values.

        Raises
        ------
        ValueError
            If `under` is neither "P" nor "Q".

        Examples
        --------
        >>> import dptutor as dp
        >>> dp.Gaussian(sigma=0.5).privacy_loss.variance()
        4.0
        """
        return self.mechanism._loss_moments(choice("under", under, ("P", "Q")))[1]

    def sample(
        self, size: int | tuple[int, ...], under: str = "Q", seed: int | np.random.Generator | None = None
    ) -> Array:
        """Independent draws of L.

        Parameters
        ----------
        size : int or tuple of int
            Shape of the array.
        under : {"Q", "P"}
        seed : optional
            As for `numpy.random.default_rng`.

        Returns
        -------
        ndarray

        Raises
        ------
        ValueError
            If `under` is neither "P" nor "Q".

        Examples
        --------
        >>> import dptutor as dp
        >>> draws = dp.Gaussian(sigma=1).privacy_loss.sample(10_000, seed=1)
        >>> draws.shape, bool(abs(draws.mean() - 0.5) < 0.03)
        ((10000,), True)
        """
        generator = random_generator("seed", seed)
        shape = array_shape("size", size)
        return self.mechanism._sample_loss(shape, choice("under", under, ("P", "Q")), generator)


def _tail(x: np.ndarray, alpha: np.ndarray, beta: np.ndarray, mechanism: Mechanism) -> np.ndarray:
    """Pr_Q[L > x], as δ + e^x α if 1 − β would cancel."""
    alpha, beta, tail = (np.array(each, dtype=float) for each in (alpha, beta, 1.0 - beta))
    few = (tail < 0.5) & np.isfinite(x)
    if few.any():
        delta, at = mechanism._delta(x[few]), x[few]
        rest = beta[few]
        slope = slope_of_profile(at, alpha[few], lambda far: np.maximum(1.0 - rest[far] - delta[far], 0.0))
        tail[few] = np.minimum(delta + slope, 1.0)
    return tail
