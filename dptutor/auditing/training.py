"""DP-SGD with full batches on one of two data sets, many repetitions together, and what its adversary computes.

A step publishes the noisy sum of the clipped gradients and moves along it,

    g̃ = Σ_i g_i min(1, C/‖g_i‖) + N(0, σ² I),    θ ← θ − η g̃/n,    σ = z Δ,

where n is the size of D on either side and Δ is the global sensitivity, or the local one ‖d‖ with d = g(D) − g(D′) at
the weights reached. The adversary knows both sums, g(D) and g(D′), and a coin has decided on which of the two g̃ is
built. P is D′, Q is D, so its loss after k steps is

    L = Σ_i ⟨m_i, e_i⟩,    m_i = (g̃_i − (g_i(D) + g_i(D′))/2) / σ_i,    e_i = d_i / σ_i.

Given the steps before, step i adds N(±μ_i²/2, μ_i²) with μ_i = ‖d_i‖/σ_i. Under local scaling μ_i = 1/z whatever came
before (unless d_i = 0), so L is exactly the loss of the Gaussian mechanism with μ = √k/z. Under global scaling
μ_i ≤ 1/z depends on the path: that Gaussian bounds every test, by composition, and √Σμ_i² describes one training run.

Local scaling makes σ a function of the data. It protects only this pair of data sets and promises nothing else.

Every draw depends only on (seed, repetition, step), so a repetition does not depend on what else is trained with it.

Source: Bernau et al. (2021), experiment 2 and algorithm 1, whose ĝ are averages and whose sensitivities are of sums.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass

import numpy as np

from .._validation import choice, integer, positive_integer, positive_number, shown
from ..mechanisms import Gaussian
from .broken import SOUND, Flaw
from .classifier import Classifier
from .gradients import clipping_factors
from .neighbors import Neighbors

__all__ = ["State", "Trainer", "Training"]

# Numbers that a block of repetitions may hold in each of its arrays: a few times what the caches hold.
_BLOCK = 1_000_000


@dataclass(frozen=True)
class Training:
    """Settings of a private training run by full-batch gradient descent.

    Parameters
    ----------
    network : Network or ConvolutionalNetwork
    noise_multiplier : float
        z = σ/Δ of each step, positive.
    clip : float
        C, positive.
    learning_rate : float
        η, positive.
    steps : int
        Number of steps k, at least 1.
    scaling : str
        Whether the noise is scaled to the "global" or to the "local" sensitivity.
    flaw : Flaw
        What the training does wrong; by default nothing.

    Raises
    ------
    TypeError, ValueError
        If a parameter is of another type or out of range.

    References
    ----------
    Bernau et al. (2021), experiment 2 and algorithm 1.

    Examples
    --------
    >>> from dptutor.auditing import Network, Training, gaussian_mu
    >>> mu = gaussian_mu(2.2, 0.01, method="renyi")
    >>> training = Training(Network((64, 10)), noise_multiplier=30**0.5 / mu)
    >>> round(training.claim.advantage, 3)
    0.256
    """

    network: Classifier
    noise_multiplier: float
    clip: float = 3.0
    learning_rate: float = 0.005
    steps: int = 30
    scaling: str = "global"
    flaw: Flaw = SOUND

    def __post_init__(self):
        for name, kind in (("network", Classifier), ("flaw", Flaw)):
            if not isinstance(getattr(self, name), kind):
                raise TypeError(f"{name} must be a {kind.__name__}, got {shown(getattr(self, name))}")
        for name in ("noise_multiplier", "clip", "learning_rate"):
            object.__setattr__(self, name, positive_number(name, getattr(self, name)))
        object.__setattr__(self, "steps", positive_integer("steps", self.steps))
        choice("scaling", self.scaling, ("global", "local"))

    @property
    def claim(self) -> Gaussian:
        """What the training claims to be, k steps of the Gaussian mechanism and so the one with μ = √k/z.

        References
        ----------
        In the book: chapter 13, :prf:ref:`thm-step-loss`.

        Examples
        --------
        >>> from dptutor.auditing import Network, Training
        >>> Training(Network((64, 10)), noise_multiplier=10, steps=25).claim.mu
        0.5
        """
        return Gaussian(sigma=self.noise_multiplier, sensitivity=math.sqrt(self.steps))


@dataclass(frozen=True, eq=False)
class State:
    """Where an experiment stands after `done` steps; arrays have one row for each repetition, records (done, 3, R)."""

    member: np.ndarray
    parameters: np.ndarray
    records: np.ndarray
    contrast: np.ndarray
    middle: np.ndarray
    direction: np.ndarray

    @property
    def done(self) -> int:
        return len(self.records)

    def rows(self, chosen: slice) -> State:
        """The state of some of the repetitions."""
        rest = (each[chosen] for each in (self.contrast, self.middle, self.direction))
        return State(self.member[chosen], self.parameters[chosen], self.records[:, :, chosen], *rest)


def joined(blocks: list[State]) -> State:
    """The state of all repetitions of some blocks, in their order."""
    return State(*(np.concatenate([getattr(block, name) for block in blocks], axis=2 if name == "records" else 0)
                   for name in State.__dataclass_fields__))  # fmt: skip


class Trainer:
    """The steps of an experiment, each a function from a state to the next."""

    def __init__(self, training, neighbors, seed):
        for name, value, kind in (("training", training, Training), ("neighbors", neighbors, Neighbors)):
            if not isinstance(value, kind):
                raise TypeError(f"{name} must be a {kind.__name__}, got {shown(value)}")
        self.training, self.neighbors = training, neighbors
        self.seed = integer("seed", seed, "a non-negative integer")
        if self.seed < 0:
            raise ValueError(f"seed must be at least 0, got {seed}")
        self.features, self.labels = training.network.examples(*neighbors.union)
        self.shared = np.ones(len(self.labels))
        self.shared[neighbors.index] = 0.0
        if neighbors.bounded:
            self.shared[-1] = 0.0
        self.most = neighbors.global_sensitivity(training.clip)

    def generator(self, repetition, stream) -> np.random.Generator:
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(repetition, stream)))

    def fingerprint(self, repetitions, trained_on) -> str:
        digest = hashlib.sha256(repr((self.training, self.seed, repetitions, trained_on)).encode())
        for array in (self.features, self.labels.astype(np.int64), self.shared):
            digest.update(array.tobytes())
        return digest.hexdigest()

    def start(self, repetitions, trained_on) -> State:
        choice("trained_on", trained_on, ("coin", "with", "without"))
        generators = [self.generator(repetition, 0) for repetition in range(repetitions)]
        coins = np.array([generator.random() < 0.5 for generator in generators])
        member = {"coin": coins, "with": np.ones_like(coins), "without": np.zeros_like(coins)}[trained_on]
        parameters = np.stack([self.training.network.initial(generator) for generator in generators])
        nothing = np.zeros_like(parameters)
        return State(member, parameters, np.empty((0, 3, repetitions)), np.zeros(repetitions), nothing, nothing)

    def advance(self, state, steps=1, executor=None) -> State:
        """All repetitions some steps further, block by block; an executor may share the blocks."""
        widest = len(self.labels) * self.training.network.widest
        size = max(1, _BLOCK // max(widest, self.training.network.size))
        starts = range(0, len(state.member), size)
        blocks = [state.rows(slice(start, start + size)) for start in starts]
        run = map if executor is None else executor.map
        return joined([*run(self._some_steps, blocks, starts, [steps] * len(blocks))])

    def _some_steps(self, state, first, steps) -> State:
        """One block, which begins with the repetition `first`, some steps further."""
        for _ in range(steps):
            state = self._step(state, first)
        return state

    def _step(self, state, first) -> State:
        released, present, absent, sigma, _ = self.look(state, first)
        difference = present - absent
        middle = ratio(released - (present + absent) / 2, sigma[:, None])
        direction = ratio(difference, sigma[:, None])
        contrast = state.contrast
        if state.done:
            change = middle - state.middle, direction - state.direction
            contrast = contrast + np.einsum("ij,ij->i", *change)
        moved = state.parameters - self.training.learning_rate / len(self.neighbors.labels) * released
        record = [np.einsum("ij,ij->i", middle, direction), np.linalg.norm(difference, axis=1), sigma]
        records = np.concatenate([state.records, np.stack(record)[None]])
        return State(state.member, moved, records, contrast, middle, direction)

    def look(self, state, first=0):
        """What a step publishes, the sums of D and of D′, the claimed σ, and the sensitivity it is scaled to."""
        training, member = self.training, state.member
        present, absent = self._sums(state.parameters)
        # A training run that does not clip still scales its noise as if it did.
        scale = np.full(len(member), self.most)
        if training.scaling == "local":
            scale = np.minimum(np.linalg.norm(present - absent, axis=1), self.most)
        sigma = training.noise_multiplier * scale
        released = np.where(member[:, None], present, absent) + self._noise(state, first) * sigma[:, None]
        return released, present, absent, sigma, scale

    def _sums(self, parameters):
        """The sums of the clipped gradients over D and over D′."""
        gradients = self.training.network.backpropagate(parameters, self.features, self.labels)
        norms = gradients.norms
        factors = clipping_factors(norms, self.training.clip) if self.training.flaw.clips else np.ones_like(norms)
        index = self.neighbors.index
        present = factors[:, index, None] * gradients.one(index)
        absent = factors[:, -1, None] * gradients.one(-1) if self.neighbors.bounded else np.zeros_like(present)
        shared = gradients.total(factors * self.shared)
        return shared + present, shared + absent

    def _noise(self, state, first):
        flaw = self.training.flaw
        size = self.training.network.size
        repetitions = range(first, first + len(state.member))
        if flaw.first_step_only and state.done:
            return np.zeros((len(repetitions), size))
        stream = 1 if flaw.same_noise else 1 + state.done
        noise = np.stack([self.generator(repetition, stream).standard_normal(size) for repetition in repetitions])
        return flaw.noise * noise


def ratio(numerator, denominator):
    """The quotient, 0 where both are: equal gradients need no noise and reveal nothing."""
    return np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator > 0)
