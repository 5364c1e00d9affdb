"""Group privacy: what a mechanism reveals about several examples that change together.

If neighbors are separated by f, data sets that differ in k examples are separated by

    f^k = 1 − (1 − f) ∘ … ∘ (1 − f),     k times.

For log-concave noise that is added to a number (Gaussian, Laplace, discrete Gaussian, geometric), this is the curve of
a sensitivity that is k times as large, and it is attained. If examples are sampled first, the number of the group that
takes part is random (`sampled_groups`, `subsampled_discrete`). For finite experiments f^k is the best bound that
follows from f; whether a mechanism attains it depends on more than f. In a composition each part is replaced by that
for the group, which reveals no more than f^k of the whole.

Source: Dong, Roth & Su (2022), section 2, for f^k.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, replace
from decimal import MIN_EMIN, Decimal, localcontext
from functools import cached_property
from typing import TypeAlias

import numpy as np

from .._floats import UNIT_ROUNDOFF
from .._validation import positive_integer
from ..evaluation.finite_law import FiniteLaw
from ..evaluation.laws import AtomicLaw
from ..evaluation.squaring import by_squaring
from .base import Mechanism, as_mechanism
from .composition import compose
from .finite import FiniteMechanism

# Decimal digits of masses, in addition to those that the largest loss takes, so that even tiny masses are accurate.
_DIGITS = 350
# Largest number of outcomes and largest loss of a result. A mass below _SMALL is computed from the other and the loss.
_MOST_OUTCOMES, _LARGEST_LOSS, _SMALL = 5000, 2e4, 1e-290
# Masses of an outcome under P and under Q.
_Masses: TypeAlias = tuple[Decimal, Decimal]


def group(mechanism: Mechanism, size: int) -> Mechanism:
    """The mechanism for groups of `size` examples that change together.

    Parameters
    ----------
    mechanism : Mechanism
        A composition of Gaussian, Laplace, discrete Gaussian and geometric noise, for which the result is attained,
        and of finite experiments, for which it is the best bound that follows from their trade-off function.
    size : int
        Number of examples, at least 1.

    Returns
    -------
    Mechanism

    Raises
    ------
    TypeError
        If `mechanism` is no mechanism, or `size` no integer.
    ValueError
        If `size` is not positive, or a part is none of those above.

    References
    ----------
    Dong, Roth & Su (2022), section 2.
    In the book: *More on batches, attacks and reports*, :prf:ref:`prop-attack-group`.

    Examples
    --------
    >>> import dptutor as dp
    >>> dp.group(dp.Gaussian(sigma=2), 3)
    Gaussian(sigma=2.0, sensitivity=3.0)
    >>> m = dp.group(dp.ApproximateDP(epsilon=0.5, delta=1e-6), 2)
    >>> round(m.epsilon(1e-5), 6), round(m.privacy_profile(1.0) / 1e-6, 6)
    (0.999988, 2.648721)
    """
    size = positive_integer("size", size)
    parts, both = as_mechanism("mechanism", mechanism)._parts()
    if size == 1:
        return mechanism
    whole = compose([(_of_group(part, size), count) for part, count in parts])
    return whole.symmetrized if both else whole


def _of_group(part: Mechanism, size: int) -> Mechanism:
    for_group = part._of_group(size)
    if for_group is not None:
        return for_group
    law = part._loss_law()
    if not isinstance(law, AtomicLaw):
        raise ValueError(
            "mechanism must consist of Gaussian, Laplace, discrete Gaussian and geometric noise, DP-SGD and finite "
            f"experiments, got {part!r}: for groups no pair of distributions is known here"
        )
    return _Chain(part, size, law.enumerated())


@dataclass(frozen=True, eq=False, repr=False)
class _Chain(FiniteMechanism):
    """f^k of a finite experiment."""

    part: Mechanism
    size: int
    of_one: FiniteLaw

    def __post_init__(self) -> None:
        if self.of_one.loss.size * self.size > _MOST_OUTCOMES:
            raise ValueError(
                f"size must be so that outcomes times size are at most {_MOST_OUTCOMES}, got {self.size} for "
                f"{self.of_one.loss.size}"
            )
        if self._furthest > _LARGEST_LOSS:
            raise ValueError(
                f"size must be so that the largest loss times size is at most {_LARGEST_LOSS:g}, got {self._furthest:g}"
            )

    @property
    def _furthest(self) -> float:
        """The largest absolute value of a finite loss."""
        return self.size * float(np.max(np.abs(self.of_one.kinks), initial=0.0))

    def __repr__(self) -> str:
        return f"group({self.part!r}, {self.size})"

    @property
    def _key(self) -> Hashable:
        return "group", self.part._key, self.size

    @property
    def is_symmetric(self) -> bool:
        return self.part.is_symmetric

    @cached_property
    def reverse(self) -> Mechanism:
        if self.is_symmetric:
            return self
        other = replace(self, part=self.part.reverse, of_one=self.of_one.reverse)
        other.__dict__["reverse"] = self
        return other

    def _of_group(self, size: int) -> _Chain:
        return replace(self, size=size * self.size)

    def _outcomes(self) -> tuple[np.ndarray, np.ndarray]:
        return self._law.p, self._law.q

    @cached_property
    def _law(self) -> FiniteLaw:
        with localcontext() as context:
            context.prec = _DIGITS + math.ceil(self._furthest / math.log(10))
            context.Emin = MIN_EMIN
            chain = by_squaring(_step(self.of_one), self.size, _joined)
            p_infinite, q_infinite = (
                float(sum(masses[side] for masses in chain if not masses[1 - side])) for side in (0, 1)
            )
            chain = [masses for masses in chain if all(masses)]
            loss, larger = (
                (np.array(column) for column in zip(*map(_logarithms, chain), strict=True))
                if chain
                else np.zeros((2, 0))
            )
        # A relative error of masses, under P and under Q, shifts losses by as much; f^k joins k of them.
        relative_error = 2 * self.size * (self.of_one.relative_error + self.of_one.location_error)
        location_error = relative_error + 8 * UNIT_ROUNDOFF * self._furthest
        return FiniteLaw.merged(
            loss, larger, p_infinite, q_infinite, location_error, relative_error + 16 * UNIT_ROUNDOFF
        )


def _step(law: FiniteLaw) -> list[_Masses]:
    """Masses of the outcomes, in the order in which a test of increasing size rejects them: by decreasing loss."""
    step = []
    for loss, p, q in zip(*(column[::-1].tolist() for column in (law.loss, law.p, law.q)), strict=True):
        small, large = sorted((p, q))
        if math.isfinite(loss) and small < _SMALL:
            # The smaller mass may have lost digits.
            other = Decimal(large) * Decimal(-abs(loss)).exp()
            step.append((other, Decimal(q)) if loss > 0 else (Decimal(p), other))
        else:
            step.append((Decimal(p), Decimal(q)))
    totals = [sum(side) for side in zip(*step, strict=True)]
    return [(p / totals[0], q / totals[1]) for p, q in step]


def _logarithms(masses: _Masses) -> tuple[float, float]:
    """The loss, and the logarithm of the larger mass."""
    p, q = masses
    ratio = q / p
    loss = math.log1p(float(ratio - 1)) if abs(ratio - 1) < Decimal("0.5") else _log(ratio)
    return loss, _log(max(p, q))


def _log(value: Decimal) -> float:
    exponent = value.adjusted()
    return math.log(float(value.scaleb(-exponent))) + exponent * math.log(10)


def _joined(first: list[_Masses], second: list[_Masses]) -> list[_Masses]:
    """Masses of the outcomes of 1 − (1 − f') ∘ (1 − f), where Q of the first and P of the second are the same."""
    # An outcome that only Q of the second has, or only P of the first, has no counterpart, and stays as it is.
    outcomes = [(Decimal(0), q) for p, q in second if p == 0]
    waiting = [[p, q / p] for p, q in second if p > 0]
    at = 0
    for p, q in first:
        room = q
        while room > 0 and waiting:
            left, ratio = waiting[at]
            # The last one also takes what rounding leaves.
            overlap = min(room, left) if at < len(waiting) - 1 else room
            outcomes.append((overlap * p / q, overlap * ratio))
            room, waiting[at][0] = room - overlap, left - overlap
            at += waiting[at][0] <= 0 and at < len(waiting) - 1
        if q == 0:
            outcomes.append((p, q))
    return outcomes
