"""Adversaries that guess whether an example was in the training data.

The adversary of differential identifiability sees every published gradient and knows both candidate data sets; it
guesses D where its posterior odds exceed one, L + logit b > 0. If every step draws fresh noise, no test is better. An
adversary that suspects a repeated draw compares *changes* between steps, in which repeated noise cancels,

    Σ_i ⟨m_i − m_{i−1}, e_i − e_{i−1}⟩ > 0,

With fresh noise this is a valid but weaker test. The membership-inference adversary sees only the trained network: it
calls an example a member if its loss is at most the average loss of the training data.

Sources: Bernau et al. (2021), experiments 1 and 2; Yeom et al. (2018) for membership inference; Jayaraman & Evans
(2019) for its threshold.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import logit

from .._validation import random_generator, real_array, real_number, shaped, shown
from .evidence import Estimate, clopper_pearson
from .experiments import Experiment

__all__ = ["Guesses", "find_repeated_noise", "identify", "infer_membership", "membership_advantage_bound"]

# Losses that are computed at a time.
_BLOCK = 1_000_000


@dataclass(frozen=True, eq=False)
class Guesses:
    """The truth and the adversary's guess in each of R repetitions.

    Parameters
    ----------
    member, guess : array_like of bool
        Of shape (R,).
    coin : bool
        Whether a fair coin chose the truth.

    Raises
    ------
    ValueError
        If the two are not rows of truth values, equally long.

    Examples
    --------
    >>> import dptutor as dp
    >>> guesses = dp.auditing.Guesses(member=[True, False, True, False], guess=[True, False, True, True])
    >>> guesses.wins, guesses.repetitions, guesses.advantage().value
    (3, 4, 0.5)
    """

    member: np.ndarray
    guess: np.ndarray
    coin: bool = True

    def __post_init__(self):
        for name in ("member", "guess"):
            array = np.asarray(getattr(self, name))
            if array.dtype != bool or array.ndim != 1 or not array.size:
                raise ValueError(f"{name} must be a non-empty row of True and False, got {shown(array)}")
            object.__setattr__(self, name, array)
        if self.member.shape != self.guess.shape:
            lengths = f"{len(self.member)} and {len(self.guess)}"
            raise ValueError(f"member and guess must have the same length, got {lengths}")

    @property
    def repetitions(self) -> int:
        """R, the number of repetitions.

        Examples
        --------
        >>> import dptutor as dp
        >>> dp.auditing.Guesses(member=[True, False], guess=[True, True]).repetitions
        2
        """
        return len(self.member)

    @property
    def wins(self) -> int:
        """How many guesses are right.

        Examples
        --------
        >>> import dptutor as dp
        >>> dp.auditing.Guesses(member=[True, False], guess=[True, True]).wins
        1
        """
        return int((self.member == self.guess).sum())

    def advantage(self, confidence=0.95) -> Estimate:
        """2 Pr[right] − 1, with the interval of Clopper and Pearson.

        Parameters
        ----------
        confidence : float
            In (0, 1).

        Returns
        -------
        Estimate
            In [−1, 1].

        Raises
        ------
        ValueError
            If `confidence` is not in (0, 1).

        References
        ----------
        Clopper & Pearson (1934).

        Examples
        --------
        >>> import dptutor as dp
        >>> right = dp.auditing.Guesses(member=[True] * 30, guess=[True] * 30).advantage()
        >>> right.value, round(right.low, 4)
        (1.0, 0.7686)
        """
        low, high = clopper_pearson(self.wins, self.repetitions, confidence)
        return Estimate(
            2 * self.wins / self.repetitions - 1,
            2 * low - 1,
            2 * high - 1,
            confidence,
            "no adversary has a larger advantage",
        )


def identify(experiment, membership_prior=0.5) -> Guesses:
    """The guesses of the adversary of differential identifiability, "D" where L + logit b > 0; no test is better.

    Parameters
    ----------
    experiment : Experiment
    membership_prior : float
        Prior belief b in D, in (0, 1); it is 1 − π, where π weighs type I errors.

    Returns
    -------
    Guesses

    Raises
    ------
    TypeError, ValueError
        If the first argument is no experiment, or `membership_prior` not in (0, 1).

    References
    ----------
    Bernau et al. (2021), experiment 2.
    In the book: chapter 13, :prf:ref:`def-identification-game`.

    Examples
    --------
    >>> import numpy as np
    >>> from dptutor.auditing import Neighbors, Network, Training, experiment, identify
    >>> pair = Neighbors(np.eye(3), [0, 1, 1], 2)
    >>> careless = experiment(Training(Network((3, 2)), noise_multiplier=0.1, scaling="local"), pair, 20)
    >>> identify(careless).wins
    20
    """
    _insist(experiment)
    belief = real_number("membership_prior", membership_prior, 0.0, 1.0, open_low=True, open_high=True)
    return Guesses(experiment.member, experiment.loss + logit(belief) > 0, experiment.trained_on == "coin")


def find_repeated_noise(experiment) -> Guesses:
    """The guesses of the adversary that compares changes between steps, in which repeated noise cancels.

    Parameters
    ----------
    experiment : Experiment

    Returns
    -------
    Guesses

    Raises
    ------
    TypeError
        If the argument is no experiment.

    References
    ----------
    In the book: chapter 13, :prf:ref:`prop-flaws`.

    Examples
    --------
    >>> import numpy as np
    >>> from dptutor.auditing import SAME_NOISE, Neighbors, Network, Training, experiment, find_repeated_noise
    >>> training = Training(Network((3, 2)), noise_multiplier=4, steps=4, flaw=SAME_NOISE, learning_rate=1)
    >>> find_repeated_noise(experiment(training, Neighbors(np.eye(3), [0, 1, 1], 2), 50)).wins
    50
    """
    _insist(experiment)
    return Guesses(experiment.member, experiment.contrast > 0, experiment.trained_on == "coin")


def infer_membership(experiment, features, labels, *, seed=0) -> Guesses:
    """The guesses of the loss-threshold adversary: for each trained network, one example by a coin.

    Parameters
    ----------
    experiment : Experiment
    features, labels : array_like
        Examples from the same distribution that no repetition was trained on; the coin's other side.
    seed : int
        Of the coins and of the choice of examples.

    Returns
    -------
    Guesses
        `member` says whether the example was one that the network was trained on.

    Raises
    ------
    TypeError, ValueError
        If the first argument is no experiment, or the examples do not fit its network.

    References
    ----------
    Yeom et al. (2018); Jayaraman & Evans (2019) for the threshold.
    In the book: *What a weak audit misses*, :prf:ref:`def-membership-inference`.

    Examples
    --------
    >>> import numpy as np
    >>> from dptutor.auditing import Neighbors, Network, Training, experiment, infer_membership
    >>> seen = experiment(Training(Network((3, 2)), 4.0, steps=4), Neighbors(np.eye(3), [0, 1, 1], 2), 30)
    >>> infer_membership(seen, np.ones((5, 3)), [0, 1, 0, 1, 0]).repetitions
    30
    """
    _insist(experiment)
    network, neighbors = experiment.training.network, experiment.neighbors
    features, labels = network.examples(features, labels)
    repetitions = len(experiment.member)
    generator = random_generator("seed", seed)
    coins = generator.random(repetitions) < 0.5
    outside = generator.integers(len(labels), size=repetitions)
    inside = generator.random(repetitions)
    sides = {True: (neighbors.features, neighbors.labels), False: neighbors.without}
    threshold, loss = np.empty(repetitions), np.empty(repetitions)
    size = max(1, _BLOCK // (len(neighbors.labels) * network.widest))
    for side, data in sides.items():
        trained = np.flatnonzero(experiment.member == side)
        for start in range(0, len(trained), size):
            rows = trained[start : start + size]
            losses = network.losses(experiment.parameters[rows], *data)
            threshold[rows] = losses.mean(1)
            loss[rows] = losses[np.arange(len(rows)), (inside[rows] * losses.shape[1]).astype(int)]
    for row in np.flatnonzero(~coins):
        pick = slice(outside[row], outside[row] + 1)
        loss[row] = network.losses(experiment.parameters[row], features[pick], labels[pick])[0]
    return Guesses(coins, loss <= threshold)


def membership_advantage_bound(epsilon):
    """The bound e^ε − 1 on the advantage of membership inference under (ε, 0)-differential privacy, at most 1.

    The trade-off function gives the smaller (e^ε − 1)/(e^ε + 1), which is `dp.ApproximateDP(epsilon, 0).advantage`.

    Parameters
    ----------
    epsilon : float or array_like
        ε ≥ 0.

    Returns
    -------
    float or ndarray
        In [0, 1], in the shape of `epsilon`.

    Raises
    ------
    ValueError
        If an ε is negative.

    References
    ----------
    Yeom et al. (2018).
    In the book: *What a weak audit misses*, :prf:ref:`thm-membership`.

    Examples
    --------
    >>> import dptutor as dp
    >>> round(dp.auditing.membership_advantage_bound(0.5), 4), round(dp.ApproximateDP(0.5, 0).advantage, 4)
    (0.6487, 0.2449)
    """
    return shaped(np.minimum(np.expm1(np.minimum(real_array("epsilon", epsilon, 0.0), 1.0)), 1.0))


def _insist(experiment):
    if not isinstance(experiment, Experiment):
        raise TypeError(f"experiment must be an Experiment, got {shown(experiment)}")
