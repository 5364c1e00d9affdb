"""Mechanisms: closed forms, finite experiments, and mechanisms made from mechanisms."""

from .base import Mechanism
from .finite import ApproximateDP, BlatantlyNonPrivate, FiniteExperiment, PerfectPrivacy, RandomizedResponse
from .gaussian import Gaussian
from .laplace import Laplace
from .lattice import Join, Meet, join, meet
from .symmetrized import Symmetrized

__all__ = [
    "ApproximateDP",
    "BlatantlyNonPrivate",
    "FiniteExperiment",
    "Gaussian",
    "Join",
    "Laplace",
    "Mechanism",
    "Meet",
    "PerfectPrivacy",
    "RandomizedResponse",
    "Symmetrized",
    "join",
    "meet",
]
