"""What any attack on one person can achieve, from the trade-off function alone.

An attack guesses something about a target: which of many candidates it is, an attribute of it, a property that singles
it out, or whether it is in the data. Say that no guess that ignores the output succeeds with probability above κ, the
*baseline*. Under P the output says nothing about the target, so there the attack is such a guess; "the attack
succeeds" is a test of P against Q, whose type I error is at most κ. Hence

    success ≤ 1 − f(κ),        success − κ ≤ TV(P, Q),

with f = T(P, Q) of the pair as it is given: P is the world without the target's record, Q that with it. The curve of a
mechanism in both directions lies below those of both, so it bounds attacks under either reading. With other neighbors
(one record replaced by another) P is the world with the record of somebody else.

The membership attack of Neyman and Pearson, with κ its false-positive rate, attains the bound.

Sources: Kulynych et al. (2025); Kaissis et al. (2023); Kulynych et al. (2024) for the rates of membership
attacks.
"""

from __future__ import annotations

from typing import Any, overload

import numpy as np

from .._floats import LARGEST_LOSS
from .._types import Array, Number, Numbers
from .._validation import real_array, shaped
from ..evaluation.roots import decreasing_root
from ..mechanisms.base import Mechanism, as_mechanism

__all__ = ["attack_advantage", "attack_bound"]


@overload
def attack_bound(mechanism: Mechanism, baseline: Number) -> float: ...
@overload
def attack_bound(mechanism: Mechanism, baseline: Numbers) -> Array: ...
def attack_bound(mechanism: Mechanism, baseline: Number | Numbers) -> Any:
    """The largest success probability 1 − f(κ) of any attack on one person.

    It holds for re-identification and singling out, attribute inference and reconstruction, and for membership
    inference with the false-positive rate as the baseline and the true-positive rate as the success.

    Parameters
    ----------
    mechanism : Mechanism
        Its Q is the world in which the target's record is in the data; in both directions, it bounds attacks whichever
        world that is.
    baseline : float or array_like
        κ in [0, 1], the success probability of the best guess that ignores the output.

    Returns
    -------
    float or ndarray
        In [κ, 1], in the shape of `baseline`, with a small relative error even where it is tiny.

    Raises
    ------
    TypeError, ValueError
        If the first argument is not a mechanism, or a baseline is outside [0, 1].

    See Also
    --------
    reconstruction_bound : the same bound, for reconstruction.

    References
    ----------
    Kulynych et al. (2025); Kaissis et al. (2023), for reconstruction.
    In the book: chapter 11, :prf:ref:`thm-reconstruction`; chapter 15, :prf:ref:`thm-attack`.

    Examples
    --------
    An attribute that one person in a thousand has, and one that every second has:

    >>> import dptutor as dp
    >>> dp.attack_bound(dp.Gaussian(sigma=1), [0.001, 0.5]).round(4)
    array([0.0183, 0.8413])
    """
    baseline = real_array("baseline", baseline, 0.0, 1.0)
    return shaped(success(as_mechanism("mechanism", mechanism), baseline))


@overload
def attack_advantage(mechanism: Mechanism, baseline: Number) -> float: ...
@overload
def attack_advantage(mechanism: Mechanism, baseline: Numbers) -> Array: ...
def attack_advantage(mechanism: Mechanism, baseline: Number | Numbers) -> Any:
    """The most that an attack can gain from the output: 1 − f(κ) − κ.

    Its maximum over all baselines is the advantage of the mechanism, the total variation of P and Q.

    Parameters
    ----------
    mechanism : Mechanism
    baseline : float or array_like
        κ in [0, 1], as for `attack_bound`.

    Returns
    -------
    float or ndarray
        In [0, 1 − κ], in the shape of `baseline`.

    Raises
    ------
    TypeError, ValueError
        If the first argument is not a mechanism, or a baseline is outside [0, 1].

    References
    ----------
    Kulynych et al. (2024), for membership; Kulynych et al. (2025).
    In the book: chapter 11, :prf:ref:`thm-reconstruction`; chapter 15, :prf:ref:`thm-attack`.

    Examples
    --------
    >>> import dptutor as dp
    >>> m = dp.Gaussian(sigma=1)
    >>> dp.attack_advantage(m, [0.001, m.minimax_bayes_error]).round(4), round(m.advantage, 4)
    (array([0.0173, 0.3829]), 0.3829)
    """
    baseline = real_array("baseline", baseline, 0.0, 1.0)
    return shaped(advantage(as_mechanism("mechanism", mechanism), baseline))


def success(mechanism: Mechanism, baseline: Array) -> Array:
    """1 − f(κ) = δ(ε) + e^ε κ along the line of slope −e^ε that supports f at κ: a sum of positive terms."""
    loss = supporting_loss(mechanism, baseline)
    delta: Array = mechanism._delta(loss)
    return np.clip(delta + np.exp(np.minimum(loss, LARGEST_LOSS)) * baseline, baseline, 1.0)


def advantage(mechanism: Mechanism, baseline: Array) -> Array:
    """1 − f(κ) − κ, in the same way."""
    return advantage_along(mechanism, baseline, supporting_loss(mechanism, baseline))


def advantage_along(mechanism: Mechanism, baseline: Array, loss: Array) -> Array:
    """The same from the supporting line at a known ε; any other line gives a larger value."""
    delta: Array = mechanism._delta(loss)
    return np.clip(delta + np.expm1(np.minimum(loss, LARGEST_LOSS)) * baseline, 0.0, 1.0 - baseline)


def supporting_loss(mechanism: Mechanism, baseline: Array, guess: Array | None = None) -> Array:
    """The ε of this line: the loss that is exceeded under P with probability κ."""
    loss = decreasing_root(lambda epsilon: mechanism._errors(epsilon)[0], baseline, guess=guess)
    return np.where(baseline > 0, loss, np.inf)
