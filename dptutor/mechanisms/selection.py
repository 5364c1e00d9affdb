"""Selection: the exponential mechanism, permute-and-flip, and the sparse vector technique.

Each publishes which of several candidates is best, from scores that one example changes by at most Δ. Join the scores
of neighbors by a line, with a parameter t in [0, ε]. Scores that are dt apart are (dt, 0)-private, as the proof of pure
privacy shows for any scores. So the probability g(t) of any set of outcomes satisfies

    |g′| ≤ min(g, 1 − g),   and |g′| ≤ g (1 − g) for the exponential mechanism, whose losses then lie in a range of dt.

The distribution functions of Laplace and of logistic noise attain these bounds. So no test distinguishes neighbors
better than such noise can be distinguished from the same noise shifted by ε:

    Laplace:  `Laplace(scale=1/ε)`;        logistic:  f(α) = (1 − α)/(1 − α + e^ε α),
                                                      δ(t) = (1 − e^((t − ε)/2))²/(1 − e^(−ε)),   |t| ≤ ε.

Two candidates attain every point of both curves, each with other scores. For logistic noise,
H(s) = sinh(uε)/(2u sinh(ε/2)), u = s − ½.

Sources: McSherry & Talwar (2007); Dong, Durfee & Rogers (2020), for the pairs of a bounded range; McKenna & Sheldon
(2020) for permute-and-flip; Lyu, Su & Li (2017) for sparse vectors; for the argument, the reference page of the book.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .._floats import LARGEST_LOSS, LAST_PLACE
from .._validation import choice, positive_integer, positive_number, real_number
from ..evaluation.polynomials import gauss
from .base import Mechanism
from .delegated import SymmetricDelegated
from .laplace import Laplace

_NODES, _WEIGHTS = gauss(16)
QUERIES = ("any", "monotone")
# Coefficients c_k of log(sinh(x)/x) = Σ c_k x^(2k), used for this and its two derivatives up to x = 1/2.
_SERIES = (
    1 / 6, -1 / 180, 1 / 2835, -1 / 37800, 1 / 467775, -691 / 3831077250, 2 / 127702575, -3617 / 2605132530000,
    43867 / 350813659321125,
)  # fmt: skip


@dataclass(frozen=True, eq=False, init=False, repr=False)
class ExponentialMechanism(Mechanism):
    """Chooses a candidate with probability ∝ exp(ε score/2Δ), for scores of sensitivity Δ.

    Its losses lie in a range of width ε, which may be anywhere around 0. One use is exact: each point of the curve is
    attained by two candidates, and so is each Rényi divergence, the largest over all such ranges. A power is an upper
    bound, also for candidates that depend on earlier answers: what the power of the curve and the sum of these
    divergences both allow.

    Parameters
    ----------
    epsilon : float
        Positive, at most 700; by default 1. Where one example changes all scores in the same direction, weights may be
        exp(ε score/Δ). The attribute is called `largest_loss`, because `epsilon` is a method.

    Raises
    ------
    ValueError
        If `epsilon` is out of range.

    References
    ----------
    McSherry & Talwar (2007); Dong, Durfee & Rogers (2020).

    Examples
    --------
    >>> import dptutor as dp
    >>> m = dp.ExponentialMechanism(epsilon=1)
    >>> m.epsilon(0), round(m.advantage, 4), round(dp.RandomizedResponse(1).advantage, 4)
    (1.0, 0.2449, 0.4621)
    """

    largest_loss: float
    _stands_for_many = True

    def __init__(self, epsilon=None, *, largest_loss: float = 1.0):
        object.__setattr__(self, "largest_loss", loss_range(largest_loss if epsilon is None else epsilon))

    def __repr__(self):
        return f"ExponentialMechanism(epsilon={self.largest_loss!r})"

    @property
    def is_symmetric(self) -> bool:
        return True

    @property
    def error_bound(self) -> float:
        return max(super().error_bound, LAST_PLACE * self.largest_loss)

    @property
    def reverse(self) -> ExponentialMechanism:
        return self

    def _of_group(self, size):
        return ExponentialMechanism(size * self.largest_loss)

    def _loss_range(self):
        return -self.largest_loss, self.largest_loss

    def _breakpoints(self):
        return np.array([-self.largest_loss, self.largest_loss])

    def _errors(self, epsilon):
        top = self.largest_loss
        within = np.clip(epsilon, -top, top)
        return tuple(np.expm1((top + sign * within) / 2) / math.expm1(top) for sign in (-1, 1))

    def _delta(self, epsilon):
        top = self.largest_loss
        inside = np.expm1((np.clip(epsilon, -top, top) - top) / 2) ** 2 / -math.expm1(-top)
        return np.where(epsilon >= -top, inside, -np.expm1(np.minimum(epsilon, 0.0)))

    def _tradeoff(self, alpha):
        shrink = math.exp(-self.largest_loss)
        rest = shrink * (1 - alpha)
        return np.where(alpha == 0, 1.0, rest / np.where(alpha == 0, 1.0, alpha + rest))

    def _epsilon(self, delta):
        # At δ = 1 every ε is allowed.
        root = np.sqrt(np.minimum(delta * -math.expm1(-self.largest_loss), 1 - 1e-16))
        return np.maximum(self.largest_loss + 2 * np.log1p(-root), 0.0)

    def _renyi(self, order):
        # Two outcomes with the losses t and t − ε₀, at the worst t: e^t = s' (1 − e^−sε₀)/(s (1 − e^−s'ε₀)) e^ε₀ with
        # s' = s − 1. With l(x) = log(sinh(x)/x), D_s is l(sε₀/2) − l(s'ε₀/2) + (l(sε₀/2) − l(ε₀/2))/s'.
        half = np.asarray(self.largest_loss / 2)
        return half * (_mean_slope((order - 1) * half, order * half) + _mean_slope(half, order * half))

    def _pair_renyi(self, order):
        top = np.asarray(self.largest_loss)
        return top * _mean_slope(top / 2, (order - 0.5) * top)

    def _loss_moments(self, under):
        x = np.asarray(self.largest_loss / 2)
        mean, variance = self.largest_loss * float(_slope(x)), self.largest_loss**2 * float(_curvature(x))
        return (mean if under == "Q" else -mean), variance

    def _sample_loss(self, size, under, generator):
        top = self.largest_loss
        loss = 2 * np.log1p(generator.random(size) * math.expm1(top)) - top
        return loss if under == "Q" else -loss

    def _hellinger(self, s):
        top = self.largest_loss
        z = np.where(s.real >= 0.5, s - 0.5, 0.5 - s) * top
        small = np.abs(z) < 1e-3
        away = np.where(small, 1.0, z)
        with np.errstate(over="ignore", invalid="ignore"):
            # sinh(z)/z divided by its value at ε₀/2 and by e^(z − ε₀/2).
            scale = np.exp(z - top / 2) * (top / -math.expm1(-top))
            share = np.where(small, (1 + z**2 / 6 + z**4 / 120) * np.exp(-z), -np.expm1(-2 * away) / (2 * away))
            value = scale * share
            # Rounding of the two terms of sinh, or, if they cancel, of the series.
            size = np.where(small, 2.0, (2.0 + np.abs(z)) / np.abs(away))
            error = 8 * LAST_PLACE * np.abs(scale) * size
        known = np.isfinite(value) & np.isfinite(error)
        return np.where(known, value, math.inf), np.where(known, error, math.inf)


@dataclass(frozen=True, eq=False, init=False, repr=False)
class PermuteAndFlip(SymmetricDelegated):
    """Tries candidates in random order, and takes one with probability exp(ε (score − largest score)/2Δ).

    This amounts to choosing the largest score after adding exponential noise. Its curves are those of
    `Laplace(scale=1/ε)`. One use is exact: each point of the curve is attained by two candidates. A power is an upper
    bound.

    Parameters
    ----------
    epsilon : float
        Positive, at most 700; by default 1. The attribute is called `largest_loss`, because `epsilon` is a method.

    Raises
    ------
    ValueError
        If `epsilon` is out of range.

    References
    ----------
    McKenna & Sheldon (2020), who prove pure privacy; for the curve, the reference page of the book.

    Examples
    --------
    Its answers are better than those of the exponential mechanism, and reveal more:

    >>> import dptutor as dp
    >>> round(dp.PermuteAndFlip(epsilon=1).advantage, 4), round(dp.ExponentialMechanism(epsilon=1).advantage, 4)
    (0.3935, 0.2449)
    """

    largest_loss: float

    def __init__(self, epsilon=None, *, largest_loss: float = 1.0):
        object.__setattr__(self, "largest_loss", loss_range(largest_loss if epsilon is None else epsilon))

    def __repr__(self):
        return f"PermuteAndFlip(epsilon={self.largest_loss!r})"

    @property
    def _whole(self) -> Laplace:
        return Laplace(1.0, self.largest_loss)


@dataclass(frozen=True, eq=False)
class SparseVector(SymmetricDelegated):
    """Publishes which of many questions have answers above a threshold, until a given number do: an upper bound.

    Noise Lap(b₁) is added to the threshold once, and Lap(b₂) to every answer. This is (ε₀, 0)-private with
    ε₀ = Δ/b₁ + 2cΔ/b₂, for c answers above (Lyu, Su & Li 2017); the bound is the curve of `Laplace(scale=1/ε₀)`.
    It is proven on the reference page of the book, and does not depend on the number of questions.

    Parameters
    ----------
    threshold_scale, answer_scale : float
        b₁ and b₂, positive.
    answers : int
        c, the number of answers above the threshold after which it stops; at least 1.
    sensitivity : float
        Δ, the largest change of an answer by one example; positive.
    queries : {"any", "monotone"}
        If one example changes all answers in the same direction, they are "monotone"; then ε₀ = Δ/b₁ + cΔ/b₂.

    Raises
    ------
    ValueError, TypeError
        If a parameter is out of range, `answers` no integer, or ε₀ above 700.

    References
    ----------
    Dwork & Roth (2014), section 3.6; Lyu, Su & Li (2017).

    Examples
    --------
    >>> import dptutor as dp
    >>> m = dp.SparseVector(threshold_scale=2, answer_scale=4)
    >>> m.largest_loss, round(m.advantage, 4)
    (1.0, 0.3935)
    """

    threshold_scale: float
    answer_scale: float
    answers: int = 1
    sensitivity: float = 1.0
    queries: str = "any"

    def __post_init__(self):
        for name in ("threshold_scale", "answer_scale", "sensitivity"):
            object.__setattr__(self, name, positive_number(name, getattr(self, name)))
        object.__setattr__(self, "answers", positive_integer("answers", self.answers))
        choice("queries", self.queries, QUERIES)
        if not 0.0 < self.largest_loss <= LARGEST_LOSS:
            raise ValueError(
                "sensitivity/threshold_scale and answers times sensitivity/answer_scale must be in "
                f"(0, {LARGEST_LOSS:g}] together, got {self.largest_loss!r}"
            )

    @property
    def largest_loss(self) -> float:
        """ε₀, for which the mechanism is (ε₀, 0)-differentially private.

        Examples
        --------
        >>> import dptutor as dp
        >>> dp.SparseVector(threshold_scale=4, answer_scale=4, answers=3, queries="monotone").largest_loss
        1.0
        """
        sides = 1 if self.queries == "monotone" else 2
        of_answers = min(self.answers, 10**300) * sides * (self.sensitivity / self.answer_scale)
        return self.sensitivity / self.threshold_scale + of_answers

    @property
    def _whole(self) -> Laplace:
        return Laplace(1.0, self.largest_loss)

    @property
    def _moved(self) -> float:
        """Bound on the rounding error of ε₀, a sum of a quotient and of a multiple of another."""
        return 2.0 * self.largest_loss * LAST_PLACE

    @property
    def error_bound(self) -> float:
        return super().error_bound + self._moved / 2

    def _delta_error(self, epsilon):
        below = epsilon <= self.largest_loss + self._moved
        return super()._delta_error(epsilon) + np.where(below, self._moved / 2, 0.0)

    def _tradeoff_error(self, alpha):
        value = self._tradeoff(alpha)
        return super()._tradeoff_error(alpha) + self._moved * np.minimum(value, 1 - value)


def loss_range(epsilon) -> float:
    """ε as the largest loss of a mechanism, checked."""
    return real_number("epsilon", epsilon, 0.0, LARGEST_LOSS, open_low=True)


def _log_sinhc(x):
    """log(sinh(x)/x)."""
    x = np.abs(x)
    small = x < 0.5
    away = np.where(small, 1.0, x)
    return np.where(small, _even(x, _SERIES), away - np.log(2 * away) + np.log(-np.expm1(-2 * away)))


def _slope(x):
    """d/dx log(sinh(x)/x) = coth x − 1/x."""
    small = np.abs(x) < 0.5
    away = np.where(small, 1.0, x)
    series = [2 * (k + 1) * c for k, c in enumerate(_SERIES)]
    return np.where(small, _even(x, series) / np.where(x == 0, 1.0, x), 1 / np.tanh(away) - 1 / away)


def _mean_slope(low, high):
    """The mean of d/dx log(sinh(x)/x) between two x."""
    length = high - low
    near = np.abs(length) < 1
    x = low[..., None] + np.where(near, length, 0.0)[..., None] * (1 + _NODES) / 2
    mean = np.sum(_WEIGHTS * _slope(x), axis=-1) / 2
    return np.where(near, mean, (_log_sinhc(high) - _log_sinhc(low)) / np.where(near, 1.0, length))


def _curvature(x):
    """d²/dx² log(sinh(x)/x) = 1/x² − 1/sinh² x."""
    small = np.abs(x) < 0.5
    away = np.where(small, 1.0, x)
    series = [(2 * k + 2) * (2 * k + 1) * c for k, c in enumerate(_SERIES)]
    # sinh(x)² overflows from 355 on.
    return np.where(small, _even(x, series[1:]) + series[0], away**-2 - np.sinh(np.clip(away, -350.0, 350.0)) ** -2.0)


def _even(x, coefficients):
    """Σ c_k x^(2k), k from 1."""
    square = np.where(np.abs(x) < 0.5, x, 0.0) ** 2
    total = np.zeros_like(square)
    for c in reversed(coefficients):
        total = square * (c + total)
    return total
