"""The kinds of laws of the privacy loss for which evaluators have formulas; a mechanism may declare one of them.

A law that has only atoms is an `AtomicLaw`, which computes with them. The others are given by their parameters.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from .finite_law import AtomicLaw

__all__ = ["AtomicLaw", "LaplaceLaw", "LossLaw", "NormalLaw", "SampledLaplaceLaw", "SampledLaw"]


@dataclass(frozen=True)
class NormalLaw:
    """The loss is N(μ²/2, μ²) under Q and N(−μ²/2, μ²) under P. In compositions μ² adds."""

    mu: float


@dataclass(frozen=True)
class LaplaceLaw:
    """The loss of a Laplace mechanism, from −ε₀ to ε₀, its largest loss."""

    largest_loss: float


@dataclass(frozen=True)
class SampledLaw:
    """The loss of one subsampled Gaussian step in one direction, with a sampling rate below 1."""

    noise_multiplier: float
    sampling_rate: float
    direction: str


@dataclass(frozen=True)
class SampledLaplaceLaw:
    """The loss of one subsampled Laplace step in one direction, with a sampling rate below 1.

    The largest loss is that of its noise.
    """

    largest_loss: float
    sampling_rate: float
    direction: str


LossLaw: TypeAlias = AtomicLaw | NormalLaw | LaplaceLaw | SampledLaw | SampledLaplaceLaw
