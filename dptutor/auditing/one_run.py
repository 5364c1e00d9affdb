"""Audits that need only one training: many canaries at once, each included by a coin of its own.

The auditor guesses for r of m canaries whether they were included, and is right v times. For an (ε, δ)-private training

    Pr[right ≥ v] ≤ Pr[B ≥ v] + 2 m δ · max_i Pr[v > B ≥ v − i]/i,        B ~ Binomial(r, e^ε/(1 + e^ε)) :

under pure privacy each guess is right no more often than randomized response is, whatever the others are. The canaries
must not be chosen by their outcome; the guesses may be, as an auditor says nothing about the canaries that are unclear.

Also the bound on ε from the rates of false positives and false negatives of one threshold, over repetitions:
ε ≥ log((1 − δ − FNR)/FPR), and the same with both exchanged, as every test obeys both.

Sources: Steinke, Nasr & Jagielski (2023), appendix D; Kairouz, Oh & Viswanath (2017) for the rates.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import brentq
from scipy.special import bdtr, bdtrc, betaincinv, expit

from .._validation import positive_integer, real_array, real_number
from .evidence import Estimate

__all__ = ["epsilon_from_one_run", "epsilon_from_rates", "epsilon_from_scores", "one_run_p_value"]

_LARGEST = 60.0


def one_run_p_value(right: int, guesses: int, canaries: int, epsilon: float, delta: float = 0.0) -> float:
    """The probability, at most, of so many right guesses about canaries of one (ε, δ)-private training.

    Parameters
    ----------
    right, guesses, canaries : int
        v ≤ r ≤ m: right guesses, guesses made, and canaries, each included with probability ½.
    epsilon, delta : float
        The claim: ε ≥ 0, δ in [0, 1].

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    TypeError, ValueError
        If a number is not an integer or out of range.

    References
    ----------
    Steinke, Nasr & Jagielski (2023), appendix D.

    Examples
    --------
    >>> import math
    >>> import dptutor as dp
    >>> round(dp.auditing.one_run_p_value(75, 100, 100, math.log(3)), 3)
    0.553
    """
    right, guesses, canaries = _counts(right, guesses, canaries)
    epsilon = real_number("epsilon", epsilon, 0.0, open_high=True)
    delta = real_number("delta", delta, 0.0, 1.0)
    if right == 0:
        return 1.0
    rate = float(expit(epsilon))
    beyond = float(bdtrc(right - 1, guesses, rate))
    if delta == 0.0:
        return beyond
    few = np.arange(right)  # Pr[v > B ≥ v − i] for i = v, …, 1
    between = bdtr(right - 1, guesses, rate) - np.where(few > 0, bdtr(np.maximum(few - 1, 0), guesses, rate), 0.0)
    share = float(np.max(between / (right - few)))
    return min(beyond + 2.0 * canaries * delta * share, 1.0)


def epsilon_from_one_run(
    right: int, guesses: int, canaries: int, delta: float = 0.0, *, confidence: float = 0.95
) -> Estimate:
    """ε′ from guesses about many canaries of a single training.

    Parameters
    ----------
    right, guesses, canaries : int
        v ≤ r ≤ m: right guesses, guesses made, and canaries, each included with probability ½.
    delta : float
        δ in [0, 1).
    confidence : float
        In (0, 1).

    Returns
    -------
    Estimate
        `value` is log(v/(r − v)), that of randomized response with this share of right guesses; `low` refutes
        (ε, δ)-differential privacy of the training.

    Raises
    ------
    TypeError, ValueError
        If a number is not an integer or out of range.

    References
    ----------
    Steinke, Nasr & Jagielski (2023), appendix D.

    Examples
    --------
    >>> import dptutor as dp
    >>> found = dp.auditing.epsilon_from_one_run(90, 100, 1000, 1e-5)
    >>> round(found.low, 3), round(found.value, 3), found.refutes
    (1.535, 2.197, 'the training is (ε, 1e-05)-differentially private')
    """
    right, guesses, canaries = _counts(right, guesses, canaries)
    delta = real_number("delta", delta, 0.0, 1.0, open_high=True)
    tail = (1.0 - _confidence(confidence)) / 2

    def excess(epsilon):
        return one_run_p_value(right, guesses, canaries, epsilon, delta) - tail

    if excess(0.0) >= 0.0:
        low = 0.0
    else:
        # The safe end of the last step: the p-value there is still below the tail.
        low = brentq(excess, 0.0, _LARGEST, xtol=1e-10) if excess(_LARGEST) > 0.0 else _LARGEST
        low = max(low - 1e-9, 0.0)
    value = math.log(right / (guesses - right)) if 0 < right < guesses else (math.inf if right else 0.0)
    refutes = f"the training is (ε, {delta:g})-differentially private"
    return Estimate(max(value, 0.0), low, math.inf, confidence, refutes)


def epsilon_from_rates(
    false_positives: int,
    negatives: int,
    false_negatives: int,
    positives: int,
    delta: float = 0.0,
    *,
    confidence: float = 0.95,
) -> Estimate:
    """ε′ from the errors of one attack, counted with and without the example: the bound for any mechanism.

    Parameters
    ----------
    false_positives, negatives : int
        Of so many trainings without the example, those taken for trainings with it.
    false_negatives, positives : int
        Of so many trainings with the example, those taken for trainings without it.
    delta : float
        δ in [0, 1).
    confidence : float
        In (0, 1).

    Returns
    -------
    Estimate
        `low` refutes (ε, δ)-differential privacy. Both error rates are at most their limits with this confidence.

    Raises
    ------
    TypeError, ValueError
        If a number is not an integer or out of range.

    References
    ----------
    Kairouz, Oh & Viswanath (2017); Jagielski, Ullman & Oprea (2020).

    Examples
    --------
    The rates of an attack that is seldom wrong when it says "in" show more than its advantage does:

    >>> import dptutor as dp
    >>> rates = dp.auditing.epsilon_from_rates(2, 500, 350, 500, 1e-5)
    >>> advantage = dp.auditing.epsilon_from_advantage(648, 1000, 1e-5, method="any")
    >>> round(rates.low, 2), round(advantage.low, 2)
    (2.76, 0.48)
    """
    delta = real_number("delta", delta, 0.0, 1.0, open_high=True)
    tail = (1.0 - _confidence(confidence)) / 2
    counts = []
    for name, wrong, all_name, count in (
        ("false_positives", false_positives, "negatives", negatives),
        ("false_negatives", false_negatives, "positives", positives),
    ):
        count = positive_integer(all_name, count)
        wrong = 0 if wrong == 0 and not isinstance(wrong, bool) else positive_integer(name, wrong)
        if wrong > count:
            raise ValueError(f"{name} must be at most {count}, the number of {all_name}, got {wrong}")
        counts.append((wrong, count))
    shares = [wrong / count for wrong, count in counts]
    value = _of_rates(shares[0], shares[1], delta)
    # Half of the tail for each rate.
    limits = [_highest(wrong, count, tail / 2) for wrong, count in counts]
    low = _of_rates(limits[0], limits[1], delta)
    return Estimate(value, low, math.inf, confidence, f"the training is (ε, {delta:g})-differentially private")


def epsilon_from_scores(member, scores, delta: float = 0.0, *, confidence: float = 0.95) -> Estimate:
    """ε′ from the scores of an attack: a threshold is chosen on every second one, and judged on the others.

    Parameters
    ----------
    member : array_like of bool
        Whether the example was in the data, by repetition.
    scores : array_like
        Larger for "in", by repetition; at least four, with both kinds in each half.
    delta : float
        δ in [0, 1).
    confidence : float
        In (0, 1).

    Returns
    -------
    Estimate
        As of `epsilon_from_rates`, by the second half alone.

    Raises
    ------
    TypeError, ValueError
        If the two are not equally long rows, or a half has trainings of one kind only.

    References
    ----------
    Jagielski, Ullman & Oprea (2020).

    Examples
    --------
    >>> import numpy as np
    >>> import dptutor as dp
    >>> generator = np.random.default_rng(0)
    >>> member = generator.random(2000) < 0.5
    >>> scores = generator.normal(size=2000) + 2 * member
    >>> found = dp.auditing.epsilon_from_scores(member, scores, 1e-5)
    >>> bool(1 < found.low < dp.Gaussian(sigma=0.5).epsilon(1e-5))
    True
    """
    scores = real_array("scores", scores)
    member = np.asarray(member)
    if member.dtype != bool or scores.ndim != 1 or member.shape != scores.shape:
        raise ValueError(f"member must be a row of truth values as long as scores, got the shape {np.shape(member)}")
    halves = [(member[start::2], scores[start::2]) for start in (0, 1)]
    for inside, _ in halves:
        if inside.all() or not inside.any():
            raise ValueError("member must have trainings with and without the example in every second place")

    def judged(half, threshold) -> Estimate:
        inside, score = half
        said = score > threshold
        wrong, missed = int((said & ~inside).sum()), int((~said & inside).sum())
        count = int(inside.sum())
        return epsilon_from_rates(wrong, inside.size - count, missed, count, delta, confidence=confidence)

    places = np.unique(halves[0][1])
    best = max(places[:: 1 + len(places) // 200].tolist(), key=lambda at: judged(halves[0], at).low)
    return judged(halves[1], best)


def _highest(wrong: int, count: int, tail: float) -> float:
    """The upper limit of Clopper and Pearson."""
    return 1.0 if wrong == count else float(betaincinv(wrong + 1, count - wrong, 1.0 - tail))


def _of_rates(false_positive, false_negative, delta) -> float:
    bounds = [0.0]
    for one, other in ((false_positive, false_negative), (false_negative, false_positive)):
        power = 1.0 - delta - other
        if power > 0.0:
            bounds.append(math.log(power / one) if one > 0.0 else math.inf)
    return max(bounds)


def _counts(right, guesses, canaries):
    canaries = positive_integer("canaries", canaries)
    guesses = positive_integer("guesses", guesses)
    right = 0 if right == 0 and not isinstance(right, bool) else positive_integer("right", right)
    if not right <= guesses <= canaries:
        raise ValueError(f"right, guesses and canaries must increase, got {right}, {guesses} and {canaries}")
    return right, guesses, canaries


def _confidence(value) -> float:
    return real_number("confidence", value, 0.0, 1.0, open_low=True, open_high=True)
