"""Mechanisms: closed forms, finite experiments, and mechanisms made from mechanisms."""

from . import registry
from .base import Mechanism
from .composition import Composition
from .correlated import matrix_mechanism, tree_aggregation
from .groups import group
from .lattice import Join, Meet, join, meet
from .registry import *  # noqa: F403
from .symmetrized import Symmetrized

__all__ = [
    "Composition",
    "Join",
    "Mechanism",
    "Meet",
    "Symmetrized",
    "group",
    "join",
    "matrix_mechanism",
    "meet",
    "tree_aggregation",
]
__all__ += registry.__all__
