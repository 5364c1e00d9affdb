"""Garblings: random processing of outputs that turns one finite experiment into another.

A garbling of (p, q) is a matrix K with nonnegative entries and rows that sum to one; it turns the experiment into
(pK, qK). `mechanism` Blackwell-dominates `other` if and only if some K turns it into `other`. Le Cam's deficiency is
the smallest possible value, over all K, of the larger of the two total variation distances. It is the value of a
linear program. For two hypotheses it equals the Δ-divergence (Torgersen 1991), which is computed in a
different way.

Sources: Blackwell (1953); Le Cam (1964).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import bmat, coo_array, csr_array, eye_array

from .._types import Array
from ..evaluation.finite_law import FiniteLaw
from ..mechanisms.base import Mechanism, as_mechanism
from ..mechanisms.finite import FiniteExperiment, FiniteMechanism
from .blackwell import delta_divergence
from .ordering import dominance

# Feasibility tolerance of the linear program.
_TOLERANCES = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


@dataclass(frozen=True, eq=False)
class Garbling:
    """The best approximation of one experiment by a garbling of another; made by `garbling`.

    Attributes
    ----------
    matrix : ndarray
        `matrix[i, j]` is the probability of answering j where the first experiment answers i.
    deficiency : float
        The larger of the two total variation distances, in [0, 1], between the garbled and the wanted experiment.
    prior : float or None
        If no garbling is exact, the prior of an adversary who errs more often against the first experiment than against
        the second, a witness; otherwise None.

    Examples
    --------
    >>> import dptutor as dp
    >>> found = dp.garbling(dp.RandomizedResponse(epsilon=1), dp.RandomizedResponse(epsilon=2))
    >>> round(found.deficiency, 6), round(found.prior, 6), found.matrix.round(6).tolist()
    (0.149738, 0.377541, [[1.0, 0.0], [0.0, 1.0]])
    """

    matrix: np.ndarray = field(repr=False)
    deficiency: float
    prior: float | None

    def __eq__(self, other: object) -> bool:
        return self._key == other._key if isinstance(other, Garbling) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[object, ...]:
        return self.matrix.shape, self.matrix.tobytes(), self.deficiency, self.prior

    @property
    def exists(self) -> bool:
        """Whether the second experiment is a garbling of the first; decided by their profiles, exactly or to rounding.

        Examples
        --------
        >>> import dptutor as dp
        >>> strong, weak = dp.RandomizedResponse(epsilon=2), dp.RandomizedResponse(epsilon=1)
        >>> dp.garbling(strong, weak).exists, dp.garbling(weak, strong).exists
        (True, False)
        """
        return self.prior is None


def garbling(mechanism: Mechanism, other: Mechanism) -> Garbling:
    """How to process the outputs of `mechanism` so that they resemble those of `other` as closely as possible.

    Parameters
    ----------
    mechanism, other : finite mechanisms
        Such as `FiniteExperiment`, whose outcomes are taken in the order given, or `RandomizedResponse`, whose answers
        are taken in the order of their losses.

    Returns
    -------
    Garbling
        The matrix has a row for each outcome of `mechanism` and a column for each of `other`.

    Raises
    ------
    TypeError
        If either argument is not a finite mechanism.

    References
    ----------
    Blackwell (1953); Kaissis et al. (2024), theorem 1.
    In the book: chapter 2, :prf:ref:`thm-post-processing`; chapter 6, :prf:ref:`def-garbling`,
    :prf:ref:`thm-blackwell`, :prf:ref:`def-deficiency`.

    Examples
    --------
    >>> import dptutor as dp
    >>> found = dp.garbling(dp.RandomizedResponse(epsilon=2), dp.RandomizedResponse(epsilon=1))
    >>> found.exists, found.matrix.round(4).tolist()
    (True, [[0.8034, 0.1966], [0.1966, 0.8034]])
    """
    (p, q), (p_other, q_other) = _outcomes("mechanism", mechanism), _outcomes("other", other)
    rows, columns = p.size, p_other.size
    # Variables: K row by row, |pK − p̃| and |qK − q̃| for every outcome, and the larger distance.
    sums = csr_array(np.kron(np.eye(rows), np.ones(columns)))
    made_p, made_q = (csr_array(np.kron(weights, np.eye(columns))) for weights in (p, q))
    one, none = eye_array(columns), None
    half = coo_array(np.full((1, columns), 0.5))
    last = coo_array([[-1.0]])
    bounds = bmat(
        [
            [made_p, -one, none, none],
            [-made_p, -one, none, none],
            [made_q, none, -one, none],
            [-made_q, none, -one, none],
            [none, half, none, last],
            [none, none, half, last],
        ]
    )
    limits = np.concatenate([p_other, -p_other, q_other, -q_other, [0.0, 0.0]])
    cost = np.zeros(rows * columns + 2 * columns + 1)
    cost[-1] = 1.0
    whole = bmat([[sums, coo_array((rows, 2 * columns + 1))]])
    found = linprog(cost, A_ub=bounds, b_ub=limits, A_eq=whole, b_eq=np.ones(rows), method="highs", options=_TOLERANCES)
    matrix = np.clip(found.x[: rows * columns].reshape(rows, columns), 0.0, None)
    matrix /= matrix.sum(axis=1, keepdims=True)
    deficiency = max(np.abs(p @ matrix - p_other).sum(), np.abs(q @ matrix - q_other).sum()) / 2
    # The tolerance of a linear program is too large to decide whether a garbling is exact.
    regret = delta_divergence(mechanism, other)
    exists = dominance(mechanism, other).verdict != "refuted" and regret.value <= regret.error_bound
    return Garbling(matrix, float(deficiency), None if exists else regret.prior)


def _outcomes(name: str, mechanism: Mechanism) -> tuple[Array, Array]:
    """The probabilities of a finite mechanism's outcomes under P and under Q."""
    law = as_mechanism(name, mechanism)._loss_law()
    if not isinstance(mechanism, FiniteMechanism) or not isinstance(law, FiniteLaw):
        raise TypeError(f"{name} must be a finite mechanism, got {mechanism!r}")
    if isinstance(mechanism, FiniteExperiment):
        return np.array(mechanism.p), np.array(mechanism.q)
    return law.p, law.q
