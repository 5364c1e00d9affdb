"""What repetitions of a training run show about ε: three estimates of an empirical ε′, each with an interval.

From *sensitivities*: each training run has its own μ = √Σ(‖d_i‖/σ_i)², and ε′ is the ε(δ) of that Gaussian. From
*beliefs*: ε′ = log(β/(1−β)), the privacy loss towards the truth. From the *advantage* a: μ = 2Φ⁻¹((1+a)/2), or, for any
mechanism whatever, ε ≥ log((1+a−2δ)/(1−a)), as no (ε, δ)-private one has an advantage above (e^ε−1+2δ)/(e^ε+1).

The first two take the largest value of R repetitions, which grows with R and estimates nothing. They also return an
interval for a quantity that does not depend on R: the (1−δ)-quantile, which one repetition in 1/δ exceeds. For a
symmetric pair the quantile of the losses is at least ε(δ), since δ(ε) = Pr_Q[L>ε] − e^ε Pr_P[L>ε] ≤ Pr_Q[L>ε].

An interval concerns the pair, the data and the adversary that were tried. Its lower end refutes a claim, and each
estimate states which one (`refutes`): only `epsilon_from_advantage` with `method="any"` refutes (ε, δ)-differential
privacy. The interval from beliefs is one for a quantile, and even of a sound mechanism the quantile is above ε(δ). Its
upper end never proves a claim, because another pair or a better adversary may achieve more.

Sources: Bernau et al. (2021), section 5.3; Clopper & Pearson (1934); Kairouz, Oh & Viswanath (2017) for the advantage.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import bdtr, betaincinv, ndtri

from .._numeric import Numeric
from .._validation import choice, positive_integer, real_array, real_number
from .noise import gaussian_epsilon

__all__ = [
    "Estimate",
    "clopper_pearson",
    "epsilon_from_advantage",
    "epsilon_from_beliefs",
    "epsilon_from_sensitivities",
    "quantile_interval",
]


@dataclass(frozen=True, eq=False)
class Estimate(Numeric):
    """A value with a confidence interval; it behaves like the number `value`.

    Attributes
    ----------
    value, low, high : float
    confidence : float
        In (0, 1).
    refutes : str
        The claim, made with some number (ε, or an advantage), that is refuted if this number is less than `low`. A
        true claim is refuted with probability at most (1 − confidence)/2.

    Examples
    --------
    >>> import dptutor as dp
    >>> found = dp.auditing.epsilon_from_advantage(80, 100, 1e-5)
    >>> round(float(found), 3), round(found.low, 3), round(found.high, 3)
    (8.1, 4.869, 11.793)
    >>> found.refutes
    'the training is dominated by a Gaussian mechanism that is (ε, 1e-05)-differentially private'
    """

    value: float
    low: float
    high: float
    confidence: float = 0.95
    refutes: str = ""


def clopper_pearson(successes, trials, confidence=0.95) -> tuple[float, float]:
    """The confidence interval of Clopper and Pearson for a probability of success.

    The interval covers the true probability with at least the given confidence, whatever it is.

    Parameters
    ----------
    successes : int
        From 0 to `trials`.
    trials : int
        At least 1.
    confidence : float
        In (0, 1).

    Returns
    -------
    low, high : float
        In [0, 1].

    Raises
    ------
    TypeError, ValueError
        If a number is not an integer or out of range.

    References
    ----------
    Clopper & Pearson (1934).
    In the book: chapter 13, :prf:ref:`thm-clopper-pearson`.

    Examples
    --------
    >>> from dptutor.auditing import clopper_pearson
    >>> low, high = clopper_pearson(0, 100)
    >>> low, round(high, 4)
    (0.0, 0.0362)
    """
    successes, trials = _share(successes=successes, trials=trials)
    tail = (1 - _confidence(confidence)) / 2
    low = betaincinv(successes, trials - successes + 1, tail) if successes else 0.0
    high = betaincinv(successes + 1, trials - successes, 1 - tail) if successes < trials else 1.0
    return float(low), float(high)


def _share(**counts: int) -> tuple[int, int]:
    """The number of some among all, by the names that a caller gives to both."""
    (some, number), (every, total) = counts.items()
    total = positive_integer(every, total)
    number = 0 if number == 0 else positive_integer(some, number)
    if number > total:
        raise ValueError(f"{some} must be at most {total}, the number of {every}, got {number}")
    return number, total


def quantile_interval(sample, probability, confidence=0.95) -> tuple[float, float]:
    """Two order statistics of an independent sample between which its quantile lies, with at least this confidence.

    Infinite on a side where the sample is too small to say anything.

    Parameters
    ----------
    sample : array_like
        Of shape (n,).
    probability : float
        That of the quantile, in (0, 1).
    confidence : float
        In (0, 1).

    Returns
    -------
    low, high : float

    Raises
    ------
    ValueError
        If the sample is no row of numbers, or a probability not in (0, 1).

    References
    ----------
    In the book: chapter 13, :prf:ref:`prop-maximum`.

    Examples
    --------
    The median of a hundred numbers, and a quantile that a hundred cannot reach:

    >>> import dptutor as dp
    >>> dp.auditing.quantile_interval(range(100), 0.5), dp.auditing.quantile_interval(range(100), 0.999)[1]
    ((39.0, 60.0), inf)
    """
    ordered = np.sort(_row("sample", sample))
    probability = real_number("probability", probability, 0.0, 1.0, open_low=True, open_high=True)
    tail = (1 - _confidence(confidence)) / 2
    # at_most[i] is the probability that no more than i of the values are at or under the quantile (or are under it).
    at_most = bdtr(np.arange(len(ordered)), len(ordered), probability)
    low = np.searchsorted(at_most, tail, side="right")
    high = np.searchsorted(at_most, 1 - tail, side="left")
    return (
        float(ordered[low - 1]) if low else -math.inf,
        float(ordered[high]) if high < len(ordered) else math.inf,
    )


def epsilon_from_sensitivities(sensitivities, sigmas, delta, *, method="exact", confidence=0.95) -> Estimate:
    """ε′ from the local sensitivities of each step and the noise that the steps added.

    Parameters
    ----------
    sensitivities, sigmas : array_like
        ‖d_i‖ and σ_i, of shape (R, k). A step that reveals something and adds no noise makes ε′ infinite.
    delta : float
        δ in (0, 1).
    method : str
        How μ is converted to ε: "exact" or, as in the source, "renyi".
    confidence : float

    Returns
    -------
    Estimate
        The largest ε′ of the repetitions, and an interval for the ε′ that one training run in 1/δ exceeds. It refutes
        what is claimed of that share of the runs, not (ε, δ)-differential privacy, for which all runs count.

    Raises
    ------
    ValueError
        If the two have not one shape (R, k), or a parameter is out of range.

    References
    ----------
    Bernau et al. (2021), section 5.3; the composition here is exact and each step has its own noise.
    In the book: chapter 13, :prf:ref:`prop-three-ways`.

    Examples
    --------
    Thirty training runs of a hundred steps with μ = 1 each, all told:

    >>> import numpy as np
    >>> import dptutor as dp
    >>> found = dp.auditing.epsilon_from_sensitivities(np.ones((30, 100)), np.full((30, 100), 10.0), 1e-5)
    >>> round(found.value, 4), round(dp.Gaussian(sigma=1).epsilon(1e-5), 4)
    (4.3772, 4.3772)
    """
    sensitivities = real_array("sensitivities", sensitivities, 0.0, open_high=True)
    sigmas = real_array("sigmas", sigmas, 0.0, open_high=True)
    if sensitivities.ndim != 2 or sensitivities.shape != sigmas.shape or not sensitivities.size:
        raise ValueError(
            f"sensitivities and sigmas must have one shape (R, k), got {sensitivities.shape} and {sigmas.shape}"
        )
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(sensitivities > 0, sensitivities / sigmas, 0.0)
    mu = np.sqrt((ratio**2).sum(1))
    low, high = quantile_interval(mu, 1 - _delta(delta), confidence)
    value, low, high = (gaussian_epsilon(each, delta, method=method) for each in (mu.max(), max(low, 0.0), high))
    refutes = (
        f"of all training runs, at most {100 * delta:g}% have an ε′ above ε, each computed from its own sensitivities "
        "and noise"
    )
    return Estimate(value, low, high, confidence, refutes)


def epsilon_from_beliefs(losses, delta, *, confidence=0.95) -> Estimate:
    """ε′ from the posterior beliefs in the truth, given as their log-odds.

    Parameters
    ----------
    losses : array_like
        log(β/(1−β)) of the belief β in the data set that was used, from prior ½: `experiment.loss_towards_truth`.
    delta : float
        δ in (0, 1).
    confidence : float

    Returns
    -------
    Estimate
        The largest, and an interval for the ε′ that the log-odds exceed with probability δ. That is more than ε(δ), so
        `low` refutes a claim about the losses, not (ε, δ)-differential privacy. Where the pair is symmetric, `high` is
        an upper confidence limit of its ε(δ).

    Raises
    ------
    ValueError
        If the losses are no row of numbers, or a parameter is out of range.

    References
    ----------
    Bernau et al. (2021), section 5.3, where the logarithm is missing.
    In the book: chapter 13, :prf:ref:`prop-three-ways`.

    Examples
    --------
    >>> import dptutor as dp
    >>> losses = dp.Gaussian(sigma=1).privacy_loss.sample(1000, seed=0)
    >>> found = dp.auditing.epsilon_from_beliefs(losses, delta=0.05)
    >>> found.low < dp.Gaussian(sigma=1).privacy_loss.mean() + 1.645 < found.high
    True
    """
    losses = _row("losses", losses)
    low, high = quantile_interval(losses, 1 - _delta(delta), confidence)
    refutes = f"the privacy loss exceeds ε with a probability of at most {delta:g}"
    return Estimate(float(losses.max()), low, high, confidence, refutes)


def epsilon_from_advantage(wins, repetitions, delta, *, method="exact", confidence=0.95) -> Estimate:
    """ε′ from how often the adversary is right, if D and D′ are used with probability ½ each.

    Parameters
    ----------
    wins, repetitions : int
    delta : float
        δ in (0, 1).
    method : str
        "exact" or "classical": the Gaussian mechanism with this advantage, and its ε by that method. "any": the
        smallest ε of any mechanism with this advantage. The advantage then gives no upper limit, and `high` is
        infinite.
    confidence : float

    Returns
    -------
    Estimate
        With "any" it refutes (ε, δ)-differential privacy; otherwise only that a Gaussian mechanism with this ε(δ)
        dominates the training: another (ε, δ)-private one may have a larger advantage.

    Raises
    ------
    TypeError, ValueError
        If a number is not an integer or out of range, or the method another word.

    References
    ----------
    Bernau et al. (2021), section 5.3 and equation 15, where the factor 2 is missing.
    In the book: chapter 13, :prf:ref:`prop-three-ways`.

    Examples
    --------
    >>> import dptutor as dp
    >>> found = dp.auditing.epsilon_from_advantage(700, 1000, 1e-5, method="any")
    >>> round(found.value, 3), round(found.low, 3), found.high
    (0.847, 0.711, inf)
    """
    choice("method", method, ("exact", "classical", "any"))
    wins, repetitions = _share(wins=wins, repetitions=repetitions)
    low, high = clopper_pearson(wins, repetitions, confidence)
    rates = (wins / repetitions, low, high)
    if method == "any":
        value, low = (_epsilon_of_any(2 * rate - 1, _delta(delta)) for rate in rates[:2])
        refutes = f"the training is (ε, {delta:g})-differentially private"
        return Estimate(value, low, math.inf, confidence, refutes)
    mus = (2 * max(float(ndtri(rate)), 0.0) for rate in rates)
    value, low, high = (gaussian_epsilon(mu, delta, method=method) for mu in mus)
    how = "" if method == "exact" else f", by the {method} formula"
    refutes = f"the training is dominated by a Gaussian mechanism that is (ε, {delta:g})-differentially private{how}"
    return Estimate(value, low, high, confidence, refutes)


def _epsilon_of_any(advantage, delta) -> float:
    if advantage >= 1:
        return math.inf
    return math.log(max((1 + advantage - 2 * delta) / (1 - advantage), 1.0))


def _row(name, value) -> np.ndarray:
    array = real_array(name, value)
    if array.ndim != 1 or not array.size:
        raise ValueError(f"{name} must be a non-empty row of numbers, got the shape {array.shape}")
    return array


def _confidence(value) -> float:
    return real_number("confidence", value, 0.0, 1.0, open_low=True, open_high=True)


def _delta(value) -> float:
    return real_number("delta", value, 0.0, 1.0, open_low=True, open_high=True)
