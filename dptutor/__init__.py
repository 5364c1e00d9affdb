"""Differential privacy as hypothesis testing: mechanisms, their faces, and how to compare them.

A mechanism is represented by a pair of distributions (P, Q) that dominates it; see `dptutor.mechanisms`. Figures,
explorers and exercises are loaded at first use, so that numerical work needs only numpy and scipy.
"""

from importlib import import_module as _import_module
from types import ModuleType as _ModuleType

from . import accounting, conversions, divergences, exchange
from ._answers import NumericalError
from .comparing.asymptotics import (
    AsymptoticDominance,
    CompositionMoments,
    DominanceBound,
    asymptotic_dominance,
    composition_moments,
    dominance_bound,
)
from .comparing.blackwell import (
    Comparison,
    DeltaDivergence,
    compare,
    delta_divergence,
    jeffreys_prior,
    symmetric_delta_divergence,
    u_quadratic_prior,
)
from .comparing.certificates import Certificate
from .comparing.garblings import Garbling, garbling
from .comparing.order_certificates import OrderCertificate
from .comparing.ordering import Dominance, Witness, blackwell_dominates, dominance
from .mechanisms import Mechanism, group, join, matrix_mechanism, meet, tree_aggregation
from .mechanisms import registry as _registry
from .mechanisms.registry import *  # noqa: F403
from .risk.attacks import attack_advantage, attack_bound
from .risk.calibration import Unreachable, calibrate
from .risk.facts import allowed_by
from .risk.identifiability import (
    PosteriorBelief,
    belief_exceedance_bound,
    epsilon_for_expected_advantage,
    epsilon_for_posterior_belief,
    expected_advantage_bound,
    posterior_belief_bound,
    rdp_expected_advantage,
    rdp_posterior_belief_bound,
    reconstruction_bound,
)
from .risk.reporting import Report, report
from .risk.statements import Statement, statement
from .specification import read

__version__ = "0.1.0"

_ON_DEMAND = ("auditing", "datasets", "exercises", "explore", "plots")


def __getattr__(name: str) -> _ModuleType:
    if name in _ON_DEMAND:
        return _import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_ON_DEMAND})


__all__ = [
    "AsymptoticDominance",
    "Certificate",
    "Comparison",
    "CompositionMoments",
    "DeltaDivergence",
    "Dominance",
    "DominanceBound",
    "Garbling",
    "Mechanism",
    "NumericalError",
    "OrderCertificate",
    "PosteriorBelief",
    "Report",
    "Statement",
    "Unreachable",
    "Witness",
    "accounting",
    "allowed_by",
    "asymptotic_dominance",
    "attack_advantage",
    "attack_bound",
    "belief_exceedance_bound",
    "blackwell_dominates",
    "calibrate",
    "compare",
    "composition_moments",
    "conversions",
    "delta_divergence",
    "divergences",
    "dominance",
    "dominance_bound",
    "epsilon_for_expected_advantage",
    "epsilon_for_posterior_belief",
    "exchange",
    "expected_advantage_bound",
    "garbling",
    "group",
    "jeffreys_prior",
    "join",
    "matrix_mechanism",
    "meet",
    "posterior_belief_bound",
    "rdp_expected_advantage",
    "rdp_posterior_belief_bound",
    "read",
    "reconstruction_bound",
    "report",
    "statement",
    "symmetric_delta_divergence",
    "tree_aggregation",
    "u_quadratic_prior",
]
__all__ += _registry.__all__
