"""The list of all mechanisms, in the order of the reference.

The public names, the names allowed in texts, the tests of laws and of hostile arguments, and the pages that list all
mechanisms are derived from it.
"""

from .batches import BallsAndBins, FixedBatches, SampledWithoutReplacement, ShuffledBatches
from .discrete import DiscreteGaussian, DiscreteLaplace
from .finite import (
    ApproximateDP,
    BlatantlyNonPrivate,
    FiniteExperiment,
    KaryRandomizedResponse,
    PerfectPrivacy,
    RandomizedResponse,
)
from .gaussian import Gaussian
from .laplace import Laplace
from .mixtures import GaussianMixture
from .replaced import SubsampledGaussianReplaceOne
from .sampled_groups import SubsampledGaussianGroup
from .selection import ExponentialMechanism, PermuteAndFlip, SparseVector
from .shuffled import ShuffledRandomizedResponse
from .staircase import Staircase
from .subsampled import DPSGD, SubsampledGaussian
from .subsampled_discrete import SubsampledDiscreteGaussian, SubsampledDiscreteLaplace
from .subsampled_laplace import SubsampledLaplace
from .truncated import TruncatedPoisson

__all__ = [  # noqa: RUF022
    "Gaussian",
    "Laplace",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "RandomizedResponse",
    "KaryRandomizedResponse",
    "ApproximateDP",
    "SubsampledGaussian",
    "DPSGD",
    "FixedBatches",
    "ShuffledBatches",
    "BallsAndBins",
    "SampledWithoutReplacement",
    "TruncatedPoisson",
    "SubsampledLaplace",
    "SubsampledDiscreteGaussian",
    "SubsampledDiscreteLaplace",
    "SubsampledGaussianReplaceOne",
    "SubsampledGaussianGroup",
    "GaussianMixture",
    "Staircase",
    "ExponentialMechanism",
    "PermuteAndFlip",
    "SparseVector",
    "ShuffledRandomizedResponse",
    "FiniteExperiment",
    "PerfectPrivacy",
    "BlatantlyNonPrivate",
]
