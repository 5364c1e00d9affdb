"""The experiment of differential identifiability, repeated: a coin, training on D or D′, and the adversary's losses.

A long experiment can be interrupted. Its state is kept in a file that is always replaced as a whole. The same call
resumes it, with the same result as if it had not been interrupted.

Source: Bernau et al. (2021), experiment 2.
"""

from __future__ import annotations

import os
import sys
import time
import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.special import expit, logit

from .._validation import callable_, choice, positive_integer, real_number, shown
from .neighbors import Neighbors
from .training import State, Trainer, Training, ratio

__all__ = ["Experiment", "experiment", "text_bar"]

# Seconds between two checkpoints.
_PAUSE = 10.0
# How often the blocks come back from an executor.
_ROUNDS = 20


@dataclass(frozen=True, eq=False)
class Experiment:
    """What the adversaries see of R repetitions of a training run of k steps; made by `experiment`.

    Attributes
    ----------
    training : Training
    neighbors : Neighbors
    member : ndarray of bool
        Whether each repetition was trained on D, of shape (R,).
    losses : ndarray
        What each step adds to the privacy loss L, of shape (R, k).
    sensitivities : ndarray
        The local sensitivities ‖d‖, of shape (R, k).
    sigmas : ndarray
        The σ that the training claims, of shape (R, k).
    contrast : ndarray
        What `find_repeated_noise` looks at, of shape (R,).
    parameters : ndarray
        The trained networks, of shape (R, p).
    trained_on : str
        How `member` was chosen.

    References
    ----------
    Bernau et al. (2021), experiment 2.
    In the book: chapter 13, :prf:ref:`thm-step-loss`, :prf:ref:`def-three-sensitivities`.

    Examples
    --------
    Under local scaling the loss of k steps is that of the Gaussian mechanism with μ = √k/z:

    >>> import numpy as np
    >>> from dptutor.auditing import Neighbors, Network, Training, experiment
    >>> pair = Neighbors(np.eye(3), [0, 1, 1], index=2)
    >>> training = Training(Network((3, 2)), noise_multiplier=4, steps=4, scaling="local")
    >>> seen = experiment(training, pair, repetitions=5)
    >>> seen.losses.shape, seen.parameters.shape, seen.mu.round(6).tolist()
    ((5, 4), (5, 8), [0.5, 0.5, 0.5, 0.5, 0.5])
    """

    training: Training
    neighbors: Neighbors
    member: np.ndarray
    losses: np.ndarray
    sensitivities: np.ndarray
    sigmas: np.ndarray
    contrast: np.ndarray
    parameters: np.ndarray
    trained_on: str = "coin"

    @property
    def loss(self) -> np.ndarray:
        """Privacy loss L of each repetition after its last step, of shape (R,).

        Examples
        --------
        >>> import numpy as np
        >>> from dptutor.auditing import Neighbors, Network, Training, experiment
        >>> seen = experiment(Training(Network((3, 2)), 4.0, steps=4), Neighbors(np.eye(3), [0, 1, 1], 2), 5)
        >>> bool(np.allclose(seen.loss, seen.losses.sum(1)))
        True
        """
        return self.losses.sum(1)

    @property
    def loss_towards_truth(self) -> np.ndarray:
        """The log-odds, from prior ½, of the right answer, L where D was used and −L where D′ was.

        Examples
        --------
        >>> import numpy as np
        >>> from dptutor.auditing import Neighbors, Network, Training, experiment
        >>> seen = experiment(Training(Network((3, 2)), 4.0, steps=4), Neighbors(np.eye(3), [0, 1, 1], 2), 5)
        >>> bool(np.allclose(abs(seen.loss_towards_truth), abs(seen.loss)))
        True
        """
        return np.where(self.member, 1.0, -1.0) * self.loss

    @property
    def mu(self) -> np.ndarray:
        """√Σ_i (‖d_i‖/σ_i)² of each repetition, of shape (R,).

        Examples
        --------
        Under global scaling it is at most the μ that the training claims:

        >>> import numpy as np
        >>> from dptutor.auditing import Neighbors, Network, Training, experiment
        >>> training = Training(Network((3, 2)), noise_multiplier=4, steps=4)
        >>> seen = experiment(training, Neighbors(np.eye(3), [0, 1, 1], 2), repetitions=5)
        >>> bool((seen.mu <= training.claim.mu).all())
        True
        """
        return np.sqrt(ratio(self.sensitivities, self.sigmas) ** 2 @ np.ones(self.training.steps))

    def beliefs(self, membership_prior=0.5) -> np.ndarray:
        """The adversary's belief in D after each step.

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
        >>> import numpy as np
        >>> from dptutor.auditing import Neighbors, Network, Training, experiment
        >>> seen = experiment(Training(Network((3, 2)), 4.0, steps=4), Neighbors(np.eye(3), [0, 1, 1], 2), 5)
        >>> seen.beliefs().shape
        (5, 4)
        """
        belief = real_number("membership_prior", membership_prior, 0.0, 1.0, open_low=True, open_high=True)
        return expit(np.cumsum(self.losses, 1) + logit(belief))


def experiment(
    training, neighbors, repetitions, *, seed=0, trained_on="coin", checkpoint=None, progress=None, executor=None
) -> Experiment:
    """Train `repetitions` networks, each on D or D′, while the adversary of differential identifiability watches.

    Parameters
    ----------
    training : Training
    neighbors : Neighbors
    repetitions : int
    seed : int
        Of everything random: coins, initial weights and noise.
    trained_on : str
        "coin": D or D′ with probability ½ each; or always "with" the example (D), or always "without" (D′).
    checkpoint : path, optional
        File in which the state is stored every ten seconds, and when the experiment is interrupted. The same call
        resumes from it, with the same result as if it had not been interrupted.
    progress : callable, optional
        Called with the number of steps done and of all steps, for example `text_bar()`.
    executor : concurrent.futures.Executor, optional
        What shares the work, in blocks of repetitions: `ProcessPoolExecutor()`, or `client.get_executor()` of Dask for
        a cluster. The result is the same as without one.

    Returns
    -------
    Experiment

    Raises
    ------
    TypeError, ValueError
        If an argument is of another type, a label or feature does not fit the network, or the checkpoint is not one of
        this experiment.

    References
    ----------
    Bernau et al. (2021), experiment 2.
    In the book: chapter 13, :prf:ref:`def-identification-game`.

    Examples
    --------
    >>> import numpy as np
    >>> from dptutor.auditing import Neighbors, Network, Training, experiment
    >>> training = Training(Network((3, 2)), noise_multiplier=4, steps=4)
    >>> seen = experiment(training, Neighbors(np.eye(3), [0, 1, 1], 2), repetitions=5, seed=1)
    >>> seen.member.shape, seen.trained_on
    ((5,), 'coin')
    """
    trainer = Trainer(training, neighbors, seed)
    positive_integer("repetitions", repetitions)
    choice("trained_on", trained_on, ("coin", "with", "without"))
    if isinstance(executor, type) or not (executor is None or callable(getattr(executor, "map", None))):
        raise TypeError(f"executor must be a concurrent.futures.Executor, got {shown(executor)}")
    if progress is not None:
        callable_("progress", progress)
    if not (checkpoint is None or isinstance(checkpoint, (str, os.PathLike))):
        raise TypeError(f"checkpoint must be a path, got {shown(checkpoint)}")
    name = trainer.fingerprint(repetitions, trained_on)
    state = None if checkpoint is None else _load(Path(checkpoint), name)
    if state is None:
        state = trainer.start(repetitions, trained_on)
        if checkpoint is not None:  # now rather than after the work, if the file cannot be written
            _save(Path(checkpoint), name, state)
    report = progress or (lambda done, total: None)
    saved = time.monotonic()
    # What goes to other processes stays there for a while.
    stride = 1 if executor is None else -(-training.steps // _ROUNDS)
    try:
        report(state.done, training.steps)
        while state.done < training.steps:
            state = trainer.advance(state, min(stride, training.steps - state.done), executor)
            report(state.done, training.steps)
            if checkpoint is not None and time.monotonic() - saved > _PAUSE:
                _save(Path(checkpoint), name, state)
                saved = time.monotonic()
    finally:
        if checkpoint is not None:
            _save(Path(checkpoint), name, state)
    losses, sensitivities, sigmas = state.records.transpose(1, 2, 0)
    seen = state.member, losses, sensitivities, sigmas, state.contrast, state.parameters
    return Experiment(training, neighbors, *seen, trained_on)


def text_bar(stream=None, width=40):
    """A progress bar of plain characters, to be given to `experiment` as `progress`.

    Parameters
    ----------
    stream : file, optional
        Where it is written; by default stderr.
    width : int

    Returns
    -------
    callable
        Of the number of steps done and of all steps.

    Examples
    --------
    >>> import io
    >>> import dptutor as dp
    >>> screen = io.StringIO()
    >>> dp.auditing.text_bar(screen, width=10)(3, 10)
    >>> screen.getvalue().strip()
    '[###.......] step 3 of 10'
    """

    def report(done, total):
        out = sys.stderr if stream is None else stream
        filled = width * done // total
        out.write(f"\r[{'#' * filled}{'.' * (width - filled)}] step {done} of {total}")
        if done == total:
            out.write("\n")
        out.flush()

    return report


def _save(path, name, state):
    """Write the state so that the file is at every moment either complete and old or complete and new."""
    partial = path.with_name(path.name + ".partial")
    with partial.open("wb") as file:
        np.savez(file, experiment=name, **vars(state))
    os.replace(partial, path)


def _load(path, name) -> State | None:
    if not path.exists():
        return None
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            if str(stored["experiment"]) == name:
                return State(**{key: stored[key] for key in State.__dataclass_fields__})
    except (KeyError, EOFError, zipfile.BadZipFile, ValueError) as error:
        raise ValueError(f"checkpoint {path} cannot be read: {error}; delete it to start over") from None
    raise ValueError(f"checkpoint {path} belongs to an experiment with other settings, data, seed or repetitions")
