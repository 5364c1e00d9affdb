"""One step of DP-SGD for a group: how many of its k members take part is a binomial number.

In units of the clip, with w_j = Pr[Bin(k, p) = j], a step is dominated by

    remove:  P = N(0, σ²),  Q = Σ_j w_j N(j, σ²)        add:  the same pair, exchanged,

where all gradients of the group are the same vector of norm 1; this is attained.

Source: Ganesh (2024).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import gammaln

from .._validation import choice, positive_integer
from .base import Mechanism
from .directed import DIRECTIONS, Directed
from .gaussian import Gaussian
from .mixtures import MixturePair
from .subsampled import SubsampledGaussian

# Largest size of a group.
_MOST_MEMBERS = 100
# Noise for which the squares of answers neither overflow nor underflow.
_NOISE = (0.01, 1e6)


@dataclass(frozen=True, eq=False)
class SubsampledGaussianGroup(Directed):
    """One Poisson-subsampled Gaussian step, for groups of examples that are all in the data or all not.

    Exact in each direction. Powers are had between two laws on a grid, and say how far apart these are.

    Parameters
    ----------
    noise_multiplier : float
        σ, as for `SubsampledGaussian`; in [0.01, 1e6].
    sampling_rate : float
        p in (0, 1], the probability with which each member takes part.
    members : int
        k, the size of the group, at most 100.
    direction : {"both", "add", "remove"}
        As for `SubsampledGaussian`.

    Raises
    ------
    ValueError, TypeError
        If a parameter is outside its range, or `members` not an integer.

    References
    ----------
    Ganesh (2024).

    Examples
    --------
    >>> import dptutor as dp
    >>> m = dp.SubsampledGaussianGroup(1, 0.1, members=3)
    >>> round(m.epsilon(1e-5), 4), round(dp.SubsampledGaussian(1, 0.1).epsilon(1e-5), 4)
    (5.6162, 1.6845)

    """

    noise_multiplier: float
    sampling_rate: float
    members: int
    direction: str = "both"

    def __post_init__(self) -> None:
        step = SubsampledGaussian(self.noise_multiplier, self.sampling_rate)
        low, high = _NOISE
        if not low <= step.noise_multiplier <= high:
            raise ValueError(f"noise_multiplier must be in [{low:g}, {high:g}], got {step.noise_multiplier!r}")
        object.__setattr__(self, "noise_multiplier", step.noise_multiplier)
        object.__setattr__(self, "sampling_rate", step.sampling_rate)
        object.__setattr__(self, "members", positive_integer("members", self.members))
        if self.members > _MOST_MEMBERS:
            raise ValueError(f"members must be at most {_MOST_MEMBERS}, got {self.members}")
        choice("direction", self.direction, DIRECTIONS)

    @cached_property
    def _removal(self) -> Mechanism:
        if self.sampling_rate == 1.0:
            return Gaussian(self.noise_multiplier, self.members)
        if self.members == 1:
            return SubsampledGaussian(self.noise_multiplier, self.sampling_rate, "remove")
        k, p, j = self.members, self.sampling_rate, np.arange(self.members + 1.0)
        log_weights = gammaln(k + 1) - gammaln(j + 1) - gammaln(k - j + 1) + j * math.log(p) + (k - j) * math.log1p(-p)
        return MixturePair(self._towards("remove"), j / self.noise_multiplier, log_weights)
