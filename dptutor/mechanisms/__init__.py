"""Mechanisms: closed forms, finite experiments, and mechanisms made from mechanisms."""

from .base import Mechanism
from .composition import Composition
from .finite import ApproximateDP, BlatantlyNonPrivate, FiniteExperiment, PerfectPrivacy, RandomizedResponse
from .gaussian import Gaussian
from .laplace import Laplace
from .lattice import Join, Meet, join, meet
from .subsampled import DPSGD, SubsampledGaussian
from .symmetrized import Symmetrized

__all__ = [
    "DPSGD",
    "ApproximateDP",
    "BlatantlyNonPrivate",
    "Composition",
    "FiniteExperiment",
    "Gaussian",
    "Join",
    "Laplace",
    "Mechanism",
    "Meet",
    "PerfectPrivacy",
    "RandomizedResponse",
    "SubsampledGaussian",
    "Symmetrized",
    "join",
    "meet",
]
