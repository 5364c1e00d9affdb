"""Group privacy: what a mechanism says about several examples that change together.

If neighbors are separated by f, data sets that differ in k examples are separated by

    f^k = 1 − (1 − f) ∘ … ∘ (1 − f),     k times.

Where the noise is log-concave and added to a number (Gaussian, Laplace, discrete Gaussian, geometric), this is the
curve of a sensitivity that is k times as large, and attained. For finite experiments it is exact as a function of f;
whether a mechanism attains it depends on more than f. Of a composition every part is taken for the group, which
reveals no more than f^k of the whole.

Source: Dong, Roth & Su (2022), section 2, for f^k.
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from typing import TypeAlias

from .._validation import positive_integer
from ..evaluation.finite_law import FiniteLaw
from ..evaluation.laws import AtomicLaw
from .base import Mechanism, as_mechanism
from .composition import compose
from .finite import FiniteExperiment

# Digits of the arithmetic with masses, so that even tiny ones are accurate; largest number of outcomes of a result.
_DIGITS, _MOST_OUTCOMES = 350, 5000
# Of an outcome, under P and under Q.
_Masses: TypeAlias = tuple[Decimal, Decimal]


def group(mechanism: Mechanism, size: int) -> Mechanism:
    """The mechanism as it is for groups of `size` examples that change together.

    Parameters
    ----------
    mechanism : Mechanism
        A composition of Gaussian, Laplace, discrete Gaussian and geometric noise, for which the answer is attained,
        and of finite experiments, for which it is the best that follows from their trade-off function.
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
    return _chained(law.enumerated(), size)


def _chained(law: FiniteLaw, size: int) -> FiniteExperiment:
    """f^k of a finite experiment, as an experiment."""
    if law.loss.size * size > _MOST_OUTCOMES:
        raise ValueError(
            f"size must be so that outcomes times size are at most {_MOST_OUTCOMES}, got {size} for {law.loss.size}"
        )
    with localcontext() as context:
        context.prec = _DIGITS
        # From the largest loss on, as a test of growing size rejects.
        step = [(Decimal(float(p)), Decimal(float(q))) for p, q in zip(law.p[::-1], law.q[::-1], strict=True)]
        totals = [sum(side) for side in zip(*step, strict=True)]
        step = [(p / totals[0], q / totals[1]) for p, q in step]
        chain = step
        for _ in range(size - 1):
            chain = _joined(chain, step)
        p, q = (tuple(float(mass) for mass in side) for side in zip(*chain, strict=True))
    return FiniteExperiment(p, q)


def _joined(first: list[_Masses], second: list[_Masses]) -> list[_Masses]:
    """Masses of the outcomes of 1 − (1 − f)(1 − f'), where Q of the first and P of the second are one distribution."""
    # What only the second's Q produces, and what only the first's P does, is at neither's place.
    outcomes = [(Decimal(0), q) for p, q in second if p == 0]
    waiting = [[p, q / p] for p, q in second if p > 0]
    at = 0
    for p, q in first:
        room = q
        while room > 0 and at < len(waiting):
            left, ratio = waiting[at]
            overlap = min(room, left)
            outcomes.append((overlap * p / q, overlap * ratio))
            room, waiting[at][0] = room - overlap, left - overlap
            at += waiting[at][0] <= 0
        if q == 0:
            outcomes.append((p, q))
    return outcomes
