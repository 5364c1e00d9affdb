"""What a mechanism may declare about the law of its privacy loss: one of the kinds that evaluators have formulas for.

A law with atoms only is the object that computes with these atoms, an `AtomicLaw`. Of the others the parameters are
enough.
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
