"""What a training run that ran elsewhere has to record for an audit, and the audit itself.

A transcript holds, for each of R repetitions and k steps, what was published and what the adversary knows:

    released       (R, k, p)    the noisy sum of the clipped gradients, flattened to one vector
    with_example   (R, k, p)    the same sum without noise, for D, at the weights of that step
    without        (R, k, p)    … and for D′
    sigma          (R, k)       standard deviation of the noise that the training claims to have added
    sensitivity    (R, k)       the sensitivity that this noise is claimed to be scaled to
    member         (R,)         whether the training was on D

as arrays of these names in an .npz file, with `format` saying "dptutor transcript 1". Any framework can write one:
after every step flatten three vectors, and at the end

    np.savez(path, format="dptutor transcript 1", released=..., with_example=..., ...)

Averages may be recorded instead of sums, if all five have the same factor. Single precision is enough.

Three checks need no claim about a pair. The two sums of a step may not differ by more than its sensitivity. The
residuals u = (released − sum of the data used)/σ have Σ‖u‖² ~ χ²(R p) at every step; it is small if noise is missing.
Their sums should be drawn afresh: the sum s of a step over the repetitions, and that of a repetition over the steps.
For each, the ratio of Σ‖s̄‖² to Σ‖s − s̄‖² has an F distribution, whatever is reused in the terms of s; it is large if
a draw is repeated.
"""

from __future__ import annotations

import math
import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.special import chdtr, expit, fdtrc, logit

from .._validation import positive_integer, real_array, real_number, shown
from ..mechanisms import Gaussian
from .adversaries import Guesses
from .training import Trainer
from .verdicts import Verdict, judge

__all__ = ["Transcript", "audit_transcript", "record"]

_FORMAT = "dptutor transcript 1"
_NAMES = ("released", "with_example", "without", "sigma", "sensitivity", "member")
# What rounding to single precision may add to a sensitivity.
_ROUNDING = 1e-5


@dataclass(frozen=True, eq=False)
class Transcript:
    """The record of R repetitions of a training run of k steps with p parameters.

    Parameters
    ----------
    released : array_like
        The noisy sum of the clipped gradients, flattened to one vector, of shape (R, k, p).
    with_example, without : array_like
        The same sum without noise, for D and for D′, of shape (R, k, p).
    sigma : array_like
        Standard deviation of the noise that the training claims to have added, positive, of shape (R, k).
    sensitivity : array_like
        The sensitivity that this noise is claimed to be scaled to, positive, of shape (R, k).
    member : array_like of bool
        Whether the training was on D, of shape (R,).

    Raises
    ------
    TypeError, ValueError
        If an array has another shape, type or range.

    References
    ----------
    Bernau et al. (2021), experiment 2.

    Examples
    --------
    A training run made without this library: it finds a mean in ten noisy steps, of terms clipped to [−1, 1], with or
    without the last of 20 numbers.

    >>> import numpy as np
    >>> from dptutor.auditing import Transcript, audit_transcript
    >>> generator, data, theta, seen = np.random.default_rng(0), np.linspace(-1, 2, 20), 0.0, []
    >>> for step in range(10):
    ...     terms = np.clip(data - theta, -1, 1)
    ...     noisy = terms.sum() + generator.normal(0, 5)
    ...     seen.append([noisy, terms.sum(), terms[:-1].sum()])
    ...     theta += noisy / len(data)
    >>> released, with_example, without = np.array(seen).T.reshape(3, 1, 10, 1)
    >>> sigma, sensitivity, member = np.full((1, 10), 5.0), np.ones((1, 10)), np.array([True])
    >>> transcript = Transcript(released, with_example, without, sigma, sensitivity, member)
    >>> [name for name, verdict in audit_transcript(transcript).items() if not verdict.caught]
    ['sensitivity', 'noise', 'fresh steps']
    >>> round(transcript.claim.epsilon(1e-5), 3)
    2.594
    """

    released: np.ndarray
    with_example: np.ndarray
    without: np.ndarray
    sigma: np.ndarray
    sensitivity: np.ndarray
    member: np.ndarray

    def __post_init__(self):
        for name in _NAMES[:3]:
            object.__setattr__(self, name, real_array(name, getattr(self, name), open_low=True, open_high=True))
        for name in _NAMES[3:5]:
            array = real_array(name, getattr(self, name), 0.0, open_low=True, open_high=True)
            object.__setattr__(self, name, array)
        object.__setattr__(self, "member", np.asarray(self.member))
        if self.released.ndim != 3 or not self.released.size:
            raise ValueError(f"released must have the shape (R, k, p), got {self.released.shape}")
        shape = self.released.shape
        wanted = dict(zip(_NAMES, [shape, shape, shape, shape[:2], shape[:2], shape[:1]], strict=True))
        for name, expected in wanted.items():
            if getattr(self, name).shape != expected:
                raise ValueError(f"{name} must have the shape {expected}, got {getattr(self, name).shape}")
        if self.member.dtype != bool:
            raise TypeError(f"member must be True or False for each repetition, got {self.member.dtype}")

    @property
    def losses(self) -> np.ndarray:
        """What each step adds to the privacy loss, of shape (R, k).

        Examples
        --------
        >>> import numpy as np
        >>> from dptutor.auditing import Transcript
        >>> seen = Transcript([[[2.0]]], [[[1.0]]], [[[0.0]]], sigma=[[1.0]], sensitivity=[[1.0]], member=[True])
        >>> seen.losses, seen.sensitivities, seen.residuals.ravel()
        (array([[1.5]]), array([[1.]]), array([1.]))
        """
        middle = self.released - (self.with_example + self.without) / 2
        return np.einsum("rkp,rkp->rk", middle, self.with_example - self.without) / self.sigma**2

    @property
    def sensitivities(self) -> np.ndarray:
        """The local sensitivities ‖d‖, of shape (R, k).

        Examples
        --------
        >>> from dptutor.auditing import Transcript
        >>> Transcript([[[2.0]]], [[[1.0]]], [[[0.5]]], sigma=[[1.0]], sensitivity=[[1.0]], member=[True]).sensitivities
        array([[0.5]])
        """
        return np.linalg.norm(self.with_example - self.without, axis=-1)

    def beliefs(self, membership_prior=0.5) -> np.ndarray:
        """The belief in D after each step.

        Parameters
        ----------
        membership_prior : float
            The belief b in D before the first, in (0, 1).

        Returns
        -------
        ndarray
            Of shape (R, k).

        Raises
        ------
        ValueError
            If `membership_prior` is not in (0, 1).

        Examples
        --------
        >>> from dptutor.auditing import Transcript
        >>> seen = Transcript([[[2.0]]], [[[1.0]]], [[[0.0]]], sigma=[[1.0]], sensitivity=[[1.0]], member=[True])
        >>> seen.beliefs().round(4)
        array([[0.8176]])
        """
        belief = real_number("membership_prior", membership_prior, 0.0, 1.0, open_low=True, open_high=True)
        return expit(np.cumsum(self.losses, 1) + logit(belief))

    @property
    def guesses(self) -> Guesses:
        """What the adversary of differential identifiability says, from prior ½.

        Examples
        --------
        >>> from dptutor.auditing import Transcript
        >>> seen = Transcript([[[2.0]]], [[[1.0]]], [[[0.0]]], sigma=[[1.0]], sensitivity=[[1.0]], member=[True])
        >>> seen.guesses.guess
        array([ True])
        """
        return Guesses(self.member, self.losses.sum(1) > 0)

    @property
    def claim(self) -> Gaussian:
        """The Gaussian mechanism with the largest μ = √Σ(sensitivity/σ)² of the repetitions.

        Examples
        --------
        >>> import numpy as np
        >>> from dptutor.auditing import Transcript
        >>> sums, row = np.zeros((1, 4, 2)), np.ones((1, 4))
        >>> Transcript(sums, sums, sums, sigma=2 * row, sensitivity=row, member=[True]).claim.mu
        1.0
        """
        return Gaussian(sigma=1 / math.sqrt(((self.sensitivity / self.sigma) ** 2).sum(1).max()))

    @property
    def residuals(self) -> np.ndarray:
        """The noise in units of σ, of shape (R, k, p).

        Examples
        --------
        >>> from dptutor.auditing import Transcript
        >>> seen = Transcript([[[2.0]]], [[[1.0]]], [[[0.0]]], sigma=[[4.0]], sensitivity=[[1.0]], member=[True])
        >>> seen.residuals
        array([[[0.25]]])
        """
        used = np.where(self.member[:, None, None], self.with_example, self.without)
        return (self.released - used) / self.sigma[..., None]

    def save(self, path):
        """Write the transcript as an .npz file.

        Parameters
        ----------
        path : path

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> from dptutor.auditing import Transcript
        >>> seen = Transcript([[[2.0]]], [[[1.0]]], [[[0.0]]], sigma=[[4.0]], sensitivity=[[1.0]], member=[True])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     seen.save(Path(folder) / "run.npz")
        ...     print(Transcript.load(Path(folder) / "run.npz").claim)
        Gaussian(sigma=4.0, sensitivity=1.0)
        """
        with Path(path).open("wb") as file:
            np.savez_compressed(file, format=_FORMAT, **vars(self))

    @classmethod
    def load(cls, path) -> Transcript:
        """Read a transcript; `save` has an example.

        Parameters
        ----------
        path : path

        Returns
        -------
        Transcript

        Raises
        ------
        ValueError
            Naming the file and what is wrong with it.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> from dptutor.auditing import Transcript
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder) / "run.npz"
        ...     Transcript([[[2.0]]], [[[1.0]]], [[[0.0]]], [[4.0]], [[1.0]], [True]).save(path)
        ...     Transcript.load(path).released.shape
        (1, 1, 1)
        """
        try:
            with Path(path).open("rb") as file, np.load(file, allow_pickle=False) as stored:
                arrays = {name: stored[name] for name in stored.files}
        except (ValueError, EOFError, zipfile.BadZipFile) as error:
            raise ValueError(f"{path} is not a readable .npz file: {error}") from None
        if str(arrays.get("format")) != _FORMAT:
            raise ValueError(f"{path}: format must say {_FORMAT!r}, got {str(arrays.get('format'))!r}")
        missing = [name for name in _NAMES if name not in arrays]
        if missing:
            raise ValueError(f"{path} lacks {', '.join(missing)}")
        try:
            return cls(**{name: arrays[name] for name in _NAMES})
        except (ValueError, TypeError) as error:
            raise type(error)(f"{path}: {error}") from None


def audit_transcript(transcript, *, level=0.01) -> dict[str, Verdict]:
    """The verdicts on a transcript. A sound training run is called flawed with probability at most `level`.

    Parameters
    ----------
    transcript : Transcript
    level : float
        In (0, 1).

    Returns
    -------
    dict of str to Verdict
        "sensitivity", "noise", "fresh steps" (of at least two), "fresh repetitions" (of at least two), and "guesses"
        (where both data sets were trained on). The level is divided evenly; the first check cannot err.

    Raises
    ------
    TypeError, ValueError
        If the first argument is no transcript, or the level not in (0, 1).

    References
    ----------
    In the book: *What a weak audit misses*, :prf:ref:`prop-transcript`.

    Examples
    --------
    Noise that is drawn once and used again is found:

    >>> import numpy as np
    >>> from dptutor.auditing import SAME_NOISE, Neighbors, Network, Training, audit_transcript, record
    >>> training = Training(Network((3, 2)), noise_multiplier=4, steps=4, flaw=SAME_NOISE)
    >>> seen = record(training, Neighbors(np.eye(3), [0, 1, 1], 2), repetitions=5)
    >>> [name for name, verdict in audit_transcript(seen).items() if verdict.caught]
    ['fresh steps']
    """
    if not isinstance(transcript, Transcript):
        raise TypeError(f"transcript must be a Transcript, got {shown(transcript)}")
    level = real_number("level", level, 0.0, 1.0, open_low=True, open_high=True)
    repetitions, steps, _ = transcript.released.shape
    residuals = transcript.residuals
    excess = transcript.sensitivities / transcript.sensitivity
    square = (residuals**2).sum((0, 2))
    freedom = residuals[:, 0].size
    found = {
        "sensitivity": (
            f"largest step: {excess.max():.3g} times its sensitivity",
            0.0 if excess.max() > 1 + _ROUNDING else 1.0,
        ),
        "noise": (
            f"smallest noise of any step: {math.sqrt(square.min() / freedom):.3g} times the claimed scale",
            min(1.0, steps * float(chdtr(freedom, square.min()))),
        ),
    }
    if steps > 1:
        found["fresh steps"] = _freshness("steps", residuals)
    if repetitions > 1:
        found["fresh repetitions"] = _freshness("repetitions", residuals.swapaxes(0, 1))
        if transcript.member.any() and not transcript.member.all():
            verdict = judge(transcript.guesses, transcript.claim, level=level)
            found["guesses"] = (verdict.evidence, verdict.p_value)
    share = level / (len(found) - 1)
    return {name: Verdict(evidence, p_value, share) for name, (evidence, p_value) in found.items()}


def record(training, neighbors, repetitions, *, seed=0, trained_on="coin") -> Transcript:
    """The transcript of repetitions of a training run: the same ones as of `experiment` with this seed, in full.

    It holds 3 R k p numbers, so this is for few repetitions of small networks.

    Parameters
    ----------
    training : Training
    neighbors : Neighbors
    repetitions : int
        R, at least 1.
    seed : int
    trained_on : str
        As for `experiment`.

    Returns
    -------
    Transcript

    Raises
    ------
    TypeError, ValueError
        If a parameter is of another type or out of range.

    Examples
    --------
    >>> import numpy as np
    >>> from dptutor.auditing import Neighbors, Network, Training, record
    >>> record(Training(Network((3, 2)), 4.0, steps=4), Neighbors(np.eye(3), [0, 1, 1], 2), 5).released.shape
    (5, 4, 8)
    """
    trainer = Trainer(training, neighbors, seed)
    state = trainer.start(positive_integer("repetitions", repetitions), trained_on)
    seen = []
    while state.done < training.steps:
        seen.append(trainer.look(state))
        state = trainer.advance(state)
    released, present, absent, sigma, scale = (np.stack(parts, 1) for parts in zip(*seen, strict=True))
    return Transcript(released, present, absent, sigma, scale, state.member)


def _freshness(name, residuals) -> tuple[str, float]:
    """Whether draws along the second axis have nothing in common: one-way analysis of variance of their sums.

    Only sums along the first axis are drawn afresh whatever is reused, or missing, along that axis.
    """
    sums = residuals.sum(0)
    count, size = sums.shape
    mean = sums.mean(0)
    between = count * float((mean**2).sum())
    within = float(((sums - mean) ** 2).sum())
    freedom = size, (count - 1) * size
    ratio = between * freedom[1] / (within * freedom[0]) if within else math.inf
    # The intraclass correlation, which is about 0 if they have nothing in common.
    mean_squares = between / freedom[0], within / freedom[1]
    spread = mean_squares[0] + (count - 1) * mean_squares[1]
    shared = max(mean_squares[0] - mean_squares[1], 0.0) / spread if spread else 1.0
    percent = np.format_float_positional(100 * shared, precision=2, fractional=False, trim="-")
    return f"{percent}% of the noise is the same in all {name}", float(fdtrc(*freedom, ratio)) if within else 0.0
