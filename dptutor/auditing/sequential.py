"""Audits that may be looked at after every repetition, and stopped at will: tests by betting.

Under a claim (P, Q), with a coin that chooses D or D′ in each round, no guess "D′" satisfies more than

    Q(guess) − e^ε P(guess) ≤ δ(ε),        so        Z = ±2 e^(ε·[not in D′]) if the guess is "D′", and 0 otherwise,

has a mean of at most δ(ε), given all that was seen before. A gambler who stakes the fraction λ of its wealth in each
round has the wealth Π (1 + λ (Z − δ(ε))), which no true claim makes grow on average. So do averages of such gamblers:
several ε, both guesses, several λ. By Ville's inequality the average wealth ever reaches 1/level with a probability of
at most the level: however often one looks, and whenever one stops, the claim may be refuted there.

Sources: Ville (1939); Waudby-Smith & Ramdas (2024) for the bets; González et al. (2025) for audits of privacy.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import logsumexp

from .._validation import real_number, shown
from ..mechanisms.base import Mechanism, as_mechanism
from .adversaries import Guesses
from .verdicts import Verdict

__all__ = ["evidence_by_betting", "judge_anytime"]

# Shares of the largest stake, and the δ of the points of the profile that are bet against, besides ε = 0.
_STAKES = np.geomspace(0.02, 0.95, 14)
_DELTAS = (0.1, 0.01)


def evidence_by_betting(guesses: Guesses, claim: Mechanism) -> np.ndarray:
    """The wealth of a gambler against the claim after every guess: an e-value at any time.

    Parameters
    ----------
    guesses : Guesses
        In the order in which they were made, with `member` drawn by a fair coin, independently for each.
    claim : Mechanism
        What the training claims to be dominated by; a pair in one direction, P being "not a member".

    Returns
    -------
    ndarray
        Of shape (R,). Under a true claim it ever reaches 1/a with a probability of at most a.

    Raises
    ------
    TypeError, ValueError
        If an argument is of another type, or no coin chose the data sets.

    References
    ----------
    Waudby-Smith & Ramdas (2024); González et al. (2025). In the book: chapter 18, :prf:ref:`thm-ville`.

    Examples
    --------
    >>> import numpy as np
    >>> import dptutor as dp
    >>> member = np.random.default_rng(1).random(300) < 0.5
    >>> guesses = dp.auditing.Guesses(member, np.where(np.arange(300) % 10 == 0, ~member, member))
    >>> wealth = dp.auditing.evidence_by_betting(guesses, dp.Gaussian(sigma=1))
    >>> wealth.shape, bool(wealth[-1] > 1e6)
    ((300,), True)
    """
    if not isinstance(guesses, Guesses):
        raise TypeError(f"guesses must be Guesses, got {shown(guesses)}")
    claim = as_mechanism("claim", claim)
    if not guesses.coin:
        raise ValueError("member must be drawn by a coin, but all repetitions were trained on the same data set")
    member, guess = np.asarray(guesses.member, dtype=bool), np.asarray(guesses.guess, dtype=bool)
    logs = []
    for pair, inside, said in ((claim, member, guess), (claim.reverse, ~member, ~guess)):
        losses = {0.0, *(float(pair.epsilon(delta)) for delta in _DELTAS)}
        for loss in sorted(losses - {np.inf}):
            delta = min(float(pair.privacy_profile(loss)) + float(pair._delta_error(np.asarray(loss))), 1.0)
            # Gains in units of the largest loss of a round, e^ε taken out of both: it may overflow.
            shrink = math.exp(-loss)
            gain = np.where(said, np.where(inside, 2.0 * shrink, -2.0), 0.0) - shrink * delta
            with np.errstate(under="ignore"):
                shares = np.multiply.outer(_STAKES, gain / (2.0 + shrink * delta))
            logs.append(np.cumsum(np.log1p(shares), axis=1))
    every = np.concatenate(logs)
    with np.errstate(over="ignore"):
        mean: np.ndarray = np.exp(logsumexp(every, axis=0) - np.log(len(every)))
        return mean


def judge_anytime(guesses: Guesses, claim: Mechanism, *, level: float = 0.01) -> Verdict:
    """Whether the claim is refuted, by evidence that may be looked at after every guess.

    Unlike `judge`, which is for a number of repetitions that was fixed beforehand, this may be asked again whenever
    more guesses are there: a true claim is ever refuted with a probability of at most the level.

    Parameters
    ----------
    guesses : Guesses
        In the order in which they were made, with `member` drawn by a fair coin.
    claim : Mechanism
    level : float
        In (0, 1).

    Returns
    -------
    Verdict
        With the p-value 1/(largest wealth so far), which is valid at any time.

    Raises
    ------
    TypeError, ValueError
        As for `evidence_by_betting`, or if the level is not in (0, 1).

    References
    ----------
    Ville (1939); González et al. (2025). In the book: chapter 18, :prf:ref:`thm-ville`.

    Examples
    --------
    >>> import numpy as np
    >>> import dptutor as dp
    >>> member = np.random.default_rng(1).random(300) < 0.5
    >>> guesses = dp.auditing.Guesses(member, np.where(np.arange(300) % 10 == 0, ~member, member))
    >>> verdict = dp.auditing.judge_anytime(guesses, dp.Gaussian(sigma=1))
    >>> verdict.caught, verdict.evidence
    (True, 'refuted after 59 of 300 guesses')
    """
    level = real_number("level", level, 0.0, 1.0, open_low=True, open_high=True)
    wealth = evidence_by_betting(guesses, claim)
    enough = np.flatnonzero(wealth >= 1.0 / level)
    largest = float(wealth.max(initial=1.0))
    if enough.size:
        words = f"refuted after {enough[0] + 1} of {len(wealth)} guesses"
    else:
        words = f"not refuted after {len(wealth)} guesses: a wealth of {largest:.3g}, where {1 / level:.3g} is needed"
    return Verdict(words, min(1.0, 1.0 / largest), level)
