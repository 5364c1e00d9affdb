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
from .subsampled import DPSGD, SubsampledGaussian

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
    "FiniteExperiment",
    "PerfectPrivacy",
    "BlatantlyNonPrivate",
]
