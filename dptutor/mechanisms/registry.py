"""The mechanisms there are, named once, in the order of the reference.

The public names, what texts may name, the laws and the hostile arguments of the tests, and the pages that list them all
follow from this list.
"""

from .finite import ApproximateDP, BlatantlyNonPrivate, FiniteExperiment, PerfectPrivacy, RandomizedResponse
from .gaussian import Gaussian
from .laplace import Laplace
from .subsampled import DPSGD, SubsampledGaussian

__all__ = [  # noqa: RUF022
    "Gaussian",
    "Laplace",
    "RandomizedResponse",
    "ApproximateDP",
    "SubsampledGaussian",
    "DPSGD",
    "FiniteExperiment",
    "PerfectPrivacy",
    "BlatantlyNonPrivate",
]
