"""Audits that need only one training run: many canaries at once, each included by a coin of its own.

The auditor guesses for r of m canaries whether they were included, and is right v times. For an (ε, δ)-private training

    Pr[right ≥ v] ≤ Pr[B ≥ v] + 2 m δ · max_i Pr[v > B ≥ v − i]/i,        B ~ Binomial(r, e^ε/(1 + e^ε)) :

under pure privacy each guess is right no more often than randomized response is, whatever the others are. The canaries
must not be chosen by their outcome; the guesses may be, as an auditor says nothing about the canaries that are unclear.

A claim that is a whole curve is tested by all of its points. Inclusions are as likely with the coin of one canary
turned, and a right guess about it is then wrong. So with p_i = Pr[right = i], if r guesses are made,

    a_i = Σ_{j ≥ i} j p_j,    b_i = Σ_{j ≥ i} (r − j) p_j :        a_{i+1} ≤ e^t b_i + m δ(t)    for all i and t.

That is the profile for the event "right about this canary, and in all of at least i + 1", summed over the m canaries.
The largest Pr[right ≥ v] that this allows has that mass at v. Starting there and adding at i = v − 1, …, 0 no more mass
than b_i needs, one must not arrive at more than 1 in all.

Also the bound on ε from the rates of false positives and false negatives of one threshold, over repetitions:
ε ≥ log((1 − δ − FNR)/FPR), and the same with both exchanged, as every test obeys both.

Sources: Steinke, Nasr & Jagielski (2023); Mahloujifar, Melis & Chaudhuri (2025) for the claim that is a
curve; Kairouz, Oh & Viswanath (2017) for the rates.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import brentq
from scipy.special import betainc, betaincc, betaincinv, expit, ndtri

from .._floats import UNIT_ROUNDOFF
from .._validation import choice, positive_integer, real_array, real_number
from ..mechanisms.base import Mechanism, as_mechanism
from ..mechanisms.gaussian import Gaussian
from .evidence import Estimate
from .noise import gaussian_epsilon
from .verdicts import Verdict

__all__ = ["epsilon_from_one_run", "epsilon_from_rates", "epsilon_from_scores", "judge_one_run", "one_run_p_value"]

_LARGEST = 60.0
# Points of a profile that are used, down to which δ; levels that are tried at a time, and down to which.
_POINTS, _SMALLEST_DELTA, _LEVELS, _TINY = 512, 1e-15, 24, 1e-300
# Mass that is added, relatively, where the rest adds less and less.
_HARDLY = 1e-13
# Losses of atoms beyond this are left out.
_FAR = 600.0
# The largest μ that is tried, and how near to it the one is that is returned.
_LARGEST_MU, _NEAR = 20.0, 1e-5


def one_run_p_value(right: int, guesses: int, canaries: int, epsilon: float, delta: float = 0.0) -> float:
    """The probability, at most, of so many right guesses about canaries of one (ε, δ)-private training run.

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
    Steinke, Nasr & Jagielski (2023).

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
    # By beta functions, since those of binomial laws end at 2³¹; from the rate of wrong guesses, which may be tiny.
    wrong = expit(-epsilon)
    beyond = float(betaincc(guesses - right + 1.0, right, wrong))
    if delta == 0.0:
        return beyond
    few = np.arange(1.0, right)  # Pr[v > B ≥ v − i] for i = v, …, 1
    between = betainc(guesses - right + 1.0, right, wrong) - np.append(0.0, betainc(guesses - few + 1.0, few, wrong))
    share = float(np.max(between / (right - np.append(0.0, few))))
    return min(beyond + 2.0 * canaries * delta * share, 1.0)


def judge_one_run(right: int, guesses: int, canaries: int, claim, *, level: float = 0.01) -> Verdict:
    """Whether the claimed mechanism allows so many right guesses about canaries of one training run.

    Parameters
    ----------
    right, guesses, canaries : int
        v ≤ r ≤ m: right guesses, guesses made, and canaries, each included with probability ½.
    claim : Mechanism
        What the training claims to be dominated by, in both directions, where one example is added or removed.
    level : float
        Largest probability of refuting a true claim.

    Returns
    -------
    Verdict

    Raises
    ------
    TypeError, ValueError
        If an argument is of another type, or out of range.

    References
    ----------
    Mahloujifar, Melis & Chaudhuri (2025).

    Examples
    --------
    Of a thousand canaries the clearest hundred, for a training run that claims noise with σ = 2:

    >>> import dptutor as dp
    >>> [dp.auditing.judge_one_run(right, 100, 1000, dp.Gaussian(sigma=2)).caught for right in (80, 95)]
    [False, True]
    """
    right, guesses, canaries = _counts(right, guesses, canaries)
    claim = as_mechanism("claim", claim)
    level = real_number("level", level, 0.0, 1.0, open_low=True, open_high=True)
    p_value = _largest_probability(right, guesses, canaries, _points(claim))
    return Verdict(f"{right} of {guesses} guesses right, about {canaries} canaries", p_value, level)


def _points(claim: Mechanism) -> tuple[np.ndarray, np.ndarray]:
    """Losses t and a little more than δ(t), of both directions."""
    both = claim.symmetrized
    reach = float(both.epsilon(_SMALLEST_DELTA))
    reach = min(reach, _LARGEST) if reach > 0 else 1.0
    places = both._breakpoints()
    t = np.unique(np.concatenate([np.linspace(-reach, reach, _POINTS + 1), places[np.abs(places) <= _FAR]]))
    return t, both._delta(t) + both._delta_error(t) + 4 * UNIT_ROUNDOFF


def _mass(levels: np.ndarray, right: int, guesses: int, canaries: int, points) -> np.ndarray:
    """The mass that a law with Pr[right ≥ v] = level has at least, by these points of a profile."""
    t, delta = points
    shrink, missed = np.exp(-t), canaries * delta
    a, b = right * levels, (guesses - right) * levels
    for i in range(right - 1, -1, -1):
        more = np.maximum(np.max(shrink * (a[:, None] - missed), axis=1) - b, 0.0)
        # More than all is as good as any more.
        # What is left out lowers the mass, which allows a larger level.
        if ((more <= _HARDLY * b) | (a + b > guesses)).all():
            break
        a, b = np.minimum(a + more * i / (guesses - i), 2.0 * guesses), np.minimum(b + more, 2.0 * guesses)
    return (a + b) / guesses


def _largest_probability(right: int, guesses: int, canaries: int, points) -> float:
    """The largest level of which the mass is at most 1, or hardly more."""
    low, high = _TINY, 1.0
    while right and high > low * (1 + 1e-6):
        levels = np.geomspace(low, high, _LEVELS)
        allowed = _mass(levels, right, guesses, canaries, points) <= 1.0
        if allowed.all():
            break
        first = int(np.argmin(allowed))
        low, high = levels[max(first - 1, 0)], levels[first]
    return float(high)


def _of_gaussian(right, guesses, canaries, delta, tail, confidence) -> Estimate:
    def refuted(mu) -> bool:
        level = np.array([tail])
        return right > 0 and bool(_mass(level, right, guesses, canaries, _points(Gaussian(1.0 / mu)))[0] > 1.0)

    low, high = 0.0, _LARGEST_MU
    while high - low > _NEAR:
        middle = (low + high) / 2
        low, high = (middle, high) if refuted(middle) else (low, middle)
    value = 2 * max(float(ndtri(right / guesses)), 0.0)
    refutes = f"the training is dominated by a Gaussian mechanism that is (ε, {delta:g})-differentially private"
    return Estimate(gaussian_epsilon(value, delta), gaussian_epsilon(low, delta), math.inf, confidence, refutes)


def epsilon_from_one_run(
    right: int, guesses: int, canaries: int, delta: float = 0.0, *, method: str = "any", confidence: float = 0.95
) -> Estimate:
    """ε′ from guesses about many canaries of a single training run.

    Parameters
    ----------
    right, guesses, canaries : int
        v ≤ r ≤ m: right guesses, guesses made, and canaries, each included with probability ½.
    delta : float
        δ in [0, 1), and above 0 for "gaussian".
    method : {"any", "gaussian"}
        "any": for (ε, δ)-differential privacy, whatever the mechanism. "gaussian": for Gaussian mechanisms, by their
        whole curve, and their ε(δ).
    confidence : float
        In (0, 1).

    Returns
    -------
    Estimate
        With "any", `value` is log(v/(r − v)), that of randomized response with this share of right guesses, and `low`
        refutes (ε, δ)-differential privacy of the training. With "gaussian", `value` belongs to the noise with which
        this share would be right if no canary were left out, and `low` refutes that a Gaussian mechanism with this
        ε(δ) dominates the training.

    Raises
    ------
    TypeError, ValueError
        If a number is not an integer or out of range, or the method another word.

    References
    ----------
    Steinke, Nasr & Jagielski (2023); Mahloujifar, Melis & Chaudhuri (2025) for "gaussian".

    Examples
    --------
    >>> import dptutor as dp
    >>> found = dp.auditing.epsilon_from_one_run(90, 100, 1000, 1e-5)
    >>> round(found.low, 3), round(found.value, 3), found.refutes
    (1.535, 2.197, 'the training is (ε, 1e-05)-differentially private')
    """
    right, guesses, canaries = _counts(right, guesses, canaries)
    gaussian = choice("method", method, ("any", "gaussian")) == "gaussian"
    delta = real_number("delta", delta, 0.0, 1.0, open_low=gaussian, open_high=True)
    tail = (1.0 - _confidence(confidence)) / 2
    if gaussian:
        return _of_gaussian(right, guesses, canaries, delta, tail, confidence)

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
        Of so many training runs without the example, those taken for training runs with it.
    false_negatives, positives : int
        Of so many training runs with the example, those taken for training runs without it.
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
    """ε′ from the scores of an attack: a threshold is chosen on every second one of a kind, and judged on the others.

    Parameters
    ----------
    member : array_like of bool
        Whether the example was in the data, by repetition.
    scores : array_like
        Larger for "in", by repetition; at least two with the example and two without.
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
        If the two are not equally long rows, or there are fewer than two training runs of a kind.

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
    if min(member.sum(), (~member).sum()) < 2:
        raise ValueError("member must have at least two training runs with the example and two without")
    # Of each kind every second one, since both may alternate.
    place = np.where(member, np.cumsum(member), np.cumsum(~member))
    halves = [(member[place % 2 == rest], scores[place % 2 == rest]) for rest in (1, 0)]

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
