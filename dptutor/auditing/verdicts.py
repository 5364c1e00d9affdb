"""Is the training as private as it claims? Exact tests of the claim, with a stated level.

A run that claims to be no worse than a mechanism (P, Q) claims that *no* test of D against D′ is right more often
than (1 + TV(P, Q))/2 when a coin chooses the data set. So however the adversary guesses, and whatever it knows, the
number of its wins under a true claim is at most Binomial(R, (1 + TV)/2), and the claim is refuted when so many wins
would have a probability of at most the level. A true claim is refuted no more often than that.

How surely a flaw is caught depends on how often the adversary then wins, for which the law of the loss is needed; see
`repetitions_to_catch`. The best adversary against one flaw may be blind to another: noise that is repeated makes the
usual one *worse*. `audit` therefore asks several and divides the level among them.

Source: Jagielski, Ullman & Oprea (2020) for auditing by tests; the bound on wins is Neyman and Pearson's lemma.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc, betainc

from .._validation import positive_integer, real_number, shown
from ..mechanisms.base import Mechanism, as_mechanism
from .adversaries import Guesses, find_repeated_noise, identify
from .experiments import Experiment

__all__ = ["Verdict", "audit", "judge", "most_wins", "repetitions_to_catch"]

# So many equal throws are no coin: they happen once in half a million.
_SUSPICIOUS = 20
# Repetitions beyond these are not searched.
_MOST = 10_000_000


@dataclass(frozen=True)
class Verdict:
    """What an audit finds.

    Attributes
    ----------
    evidence : str
        What was seen, in words.
    p_value : float
        The probability, at most, of such evidence under a true claim.
    level : float
        At which the claim is refuted.

    Examples
    --------
    >>> import dptutor as dp
    >>> dp.auditing.Verdict("58 of 60 guesses right", p_value=1e-9, level=0.01).caught
    True
    """

    evidence: str
    p_value: float
    level: float

    @property
    def caught(self) -> bool:
        """Whether the claim is refuted, `p_value` being at most `level`.

        Examples
        --------
        >>> import dptutor as dp
        >>> dp.auditing.Verdict("31 of 60 guesses right", p_value=0.45, level=0.01).caught
        False
        """
        return self.p_value <= self.level


def judge(guesses: Guesses, claim: Mechanism, *, level: float = 0.01) -> Verdict:
    """Whether these guesses are right more often than the claimed mechanism allows.

    Parameters
    ----------
    guesses : Guesses
        With `member` drawn by a fair coin, independently for each repetition.
    claim : Mechanism
        What the whole training run claims to be dominated by, `training.claim` for example.
    level : float
        Largest probability of refuting a true claim.

    Returns
    -------
    Verdict

    Raises
    ------
    ValueError
        If no coin chose the data sets: then one can be right without knowing anything.

    References
    ----------
    Jagielski, Ullman & Oprea (2020).
    In the book: chapter 13, :prf:ref:`thm-claim-test`.

    Examples
    --------
    >>> import numpy as np
    >>> import dptutor as dp
    >>> member = np.arange(100) % 2 == 0
    >>> guesses = dp.auditing.Guesses(member, np.where(np.arange(100) < 90, member, ~member))
    >>> verdict = dp.auditing.judge(guesses, dp.Gaussian(sigma=1))
    >>> verdict.evidence, f"{verdict.p_value:.0e}", verdict.caught
    ('90 of 100 guesses right', '7e-07', True)
    """
    if not isinstance(guesses, Guesses):
        raise TypeError(f"guesses must be Guesses, got {shown(guesses)}")
    level = _level(level)
    one_side = guesses.member.all() or not guesses.member.any()
    if not guesses.coin or (one_side and guesses.repetitions >= _SUSPICIOUS):
        raise ValueError("member must be drawn by a coin, but all repetitions were trained on the same data set")
    p_value = 1.0
    if guesses.wins:
        p_value = float(bdtrc(guesses.wins - 1, guesses.repetitions, _win_rate(claim)))
    return Verdict(f"{guesses.wins} of {guesses.repetitions} guesses right", p_value, level)


def audit(experiment: Experiment, *, level: float = 0.01) -> tuple[Verdict, ...]:
    """The verdicts of both gradient adversaries on the claim of a training run, at half the level each.

    The training is caught where one of them catches it; a sound one is caught with at most the probability `level`.

    Parameters
    ----------
    experiment : Experiment
    level : float
        In (0, 1).

    Returns
    -------
    tuple of Verdict
        On the guesses of `identify` and of `find_repeated_noise`.

    Raises
    ------
    TypeError, ValueError
        If the first argument is no experiment, the level not in (0, 1), or no coin chose the data sets.

    References
    ----------
    Jagielski, Ullman & Oprea (2020).
    In the book: chapter 13, :prf:ref:`thm-claim-test`.

    Examples
    --------
    >>> import numpy as np
    >>> import dptutor as dp
    >>> from dptutor.auditing import HALF_THE_NOISE, Neighbors, Network, Training, audit, experiment
    >>> pair = Neighbors(np.eye(3), [0, 1, 1], 2)
    >>> for flaw in (dp.auditing.SOUND, HALF_THE_NOISE):
    ...     training = Training(Network((3, 2)), noise_multiplier=2, steps=4, scaling="local", flaw=flaw)
    ...     print([verdict.caught for verdict in audit(experiment(training, pair, 300))])
    [False, False]
    [True, False]
    """
    if not isinstance(experiment, Experiment):
        raise TypeError(f"experiment must be an Experiment, got {shown(experiment)}")
    level = _level(level)
    adversaries = (identify, find_repeated_noise)
    return tuple(judge(ask(experiment), experiment.training.claim, level=level / 2) for ask in adversaries)


def most_wins(repetitions: int, claim: Mechanism, *, level: float = 0.01) -> int:
    """The largest number of right guesses that is still in keeping with the claim.

    Parameters
    ----------
    repetitions : int
        At least 1.
    claim : Mechanism
    level : float
        In (0, 1).

    Returns
    -------
    int

    Raises
    ------
    TypeError, ValueError
        If an argument is of another type or out of range.

    References
    ----------
    In the book: chapter 13, :prf:ref:`thm-claim-test`.

    Examples
    --------
    >>> import dptutor as dp
    >>> dp.auditing.most_wins(100, dp.Gaussian(sigma=1)), round(100 * (1 + dp.Gaussian(sigma=1).advantage) / 2, 2)
    (80, 69.15)
    """
    repetitions = positive_integer("repetitions", repetitions)
    return int(_most_wins(repetitions, _win_rate(claim), _level(level)))


def repetitions_to_catch(win_rate: float, claim: Mechanism, *, level: float = 0.01, power: float = 0.99) -> int:
    """The smallest number of repetitions at which a flawed training is caught with this probability.

    Parameters
    ----------
    win_rate : float
        How often the adversary is right against the flawed training: (1 + a)/2 for the advantage a.
    claim : Mechanism
    level, power : float

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If the adversary is not right more often than the claim allows, or that allows it to be always right: then
        nothing can be seen.

    References
    ----------
    In the book: chapter 13, :prf:ref:`prop-flaws`.

    Examples
    --------
    Against half the noise the adversary is right with probability Φ(μ) instead of Φ(μ/2):

    >>> from statistics import NormalDist
    >>> import dptutor as dp
    >>> dp.auditing.repetitions_to_catch(NormalDist().cdf(1), dp.Gaussian(sigma=1))
    173
    """
    allowed = _win_rate(claim)
    if allowed == 1.0:
        raise ValueError(f"claim must not allow an adversary who is always right, as {claim!r} does")
    win_rate = real_number("win_rate", win_rate, allowed, 1.0, open_low=True)
    level, power = _level(level), real_number("power", power, 0.0, 1.0, open_low=True, open_high=True)
    start = 1
    while start < _MOST:
        sizes = np.arange(start, 2 * start)
        enough = bdtrc(_most_wins(sizes, allowed, level), sizes, win_rate) >= power
        if enough.any():
            return int(sizes[enough.argmax()])
        start *= 2
    raise ValueError(f"win_rate {win_rate!r} is too close to {allowed!r}: more than {_MOST} repetitions are needed")


def _most_wins(repetitions: int | NDArray[np.int_], rate: float, level: float) -> NDArray[np.int_]:
    """Smallest c with Pr[Binomial > c] ≤ level, by bisection; repetitions of any shape."""
    low, high = np.full(np.shape(repetitions), -1), np.asarray(repetitions)
    while (high - low > 1).any():
        middle = (low + high) // 2
        # bdtrc ends at 2³¹ repetitions.
        rare = betainc(middle + 1.0, np.asarray(repetitions) - middle, rate) <= level
        low, high = np.where(rare, low, middle), np.where(rare, middle, high)
    return high


def _win_rate(claim: Mechanism) -> float:
    return (1 + as_mechanism("claim", claim).advantage) / 2


def _level(value: float) -> float:
    return real_number("level", value, 0.0, 1.0, open_low=True, open_high=True)
