"""Certificates of dominance, with which anyone can check an answer of `dominance` by a program of a few lines.

The certificate of a refutation is its witness: one ε, or one Rényi order, with both values.

The certificate of a proof by numbers is a table of points for each of the two pairs, (P, Q) and (Q, P). Profiles are
convex in γ = e^ε. So between two points δ̃ lies below its chord, and δ above the continued chords on both sides. The
order holds at every ε ≥ 0 if the lower lines are above the upper one and if, beyond the last ε, δ̃ is at most the mass
of infinite losses in δ. To allow for rounding, a violation counts only if it exceeds one part in 1e9 of δ at the point
before.

The certificate of a proof by a theorem names the theorem. The program that checks certificates is printed in the
reference, book/api.md, and imports nothing from this library.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from .._types import Array
from ..mechanisms.base import Mechanism
from .profile_order import Witness, directions, tail_settled_from

_Points: TypeAlias = tuple[tuple[float, float, float], ...]

SLACK = 1e-9
_MOST_POINTS, _START, _MOST_KINKS = 2000, 5, 200
_BY_TAILS = "one subsampled Gaussian step has the larger tail, by monotone likelihood ratios"


@dataclass(frozen=True)
class OrderCertificate:
    """A proof that one mechanism dominates another, or does not; made by `dominance(...).certificate`.

    Attributes
    ----------
    verdict : {"proven", "refuted"}
    reason : str
        The theorem, where that is all; else what the numbers show.
    witness : tuple of (float, float, float), optional
        If refuted, an ε or a Rényi order, and both values there, that of the first mechanism the smaller.
    of : str
        What the witness is: "profile", "reverse profile", "Rényi divergence" or "reverse Rényi divergence".
    pairs : tuple
        If proven by numbers, for (P, Q) and for (Q, P) the ε from which on the tail is settled, a theorem that settles
        it or an empty text, and the points: losses ε in rising order, δ of the first mechanism and of the other.

    Examples
    --------
    >>> import dptutor as dp
    >>> found = dp.dominance(dp.Gaussian(sigma=1), dp.Laplace(scale=1)).certificate
    >>> found.of, [round(number, 3) for number in found.witness]
    ('profile', [0.05, 0.368, 0.378])
    >>> found = dp.dominance(dp.Gaussian(sigma=0.5), dp.Laplace(scale=1)).certificate
    >>> [(start, len(points) < 30) for start, _, points in found.pairs]
    [(1.0, True), (1.0, True)]
    >>> dp.OrderCertificate.from_json(found.json()) == found
    True
    """

    verdict: str
    reason: str
    witness: tuple[float, float, float] | None = None
    of: str = ""
    pairs: tuple[tuple[float, str, _Points], ...] = ()

    def json(self) -> str:
        """The certificate as JSON, numbers in full.

        Examples
        --------
        >>> import dptutor as dp
        >>> print(dp.OrderCertificate("refuted", "a witness", (0.5, 0.25, 0.75), "profile").json())
        {"verdict": "refuted", "reason": "a witness", "of": "profile", "witness": [0.5, 0.25, 0.75], "pairs": []}
        """
        pairs = [{"from": start, "theorem": theorem, "points": points} for start, theorem, points in self.pairs]
        return json.dumps(
            {"verdict": self.verdict, "reason": self.reason, "of": self.of, "witness": self.witness, "pairs": pairs},
            ensure_ascii=False,
        )

    @classmethod
    def from_json(cls, text: str | bytes) -> OrderCertificate:
        """The certificate that was written as `text`.

        Raises
        ------
        ValueError, KeyError
            If the text is no such certificate.

        Examples
        --------
        >>> import dptutor as dp
        >>> dp.OrderCertificate.from_json(dp.dominance(dp.Gaussian(), dp.Gaussian()).certificate.json())
        OrderCertificate(verdict='proven', reason='the same mechanism', witness=None, of='', pairs=())
        """
        found = json.loads(text)
        place, first, second = found["witness"] or (0.0, 0.0, 0.0)
        witness = (float(place), float(first), float(second)) if found["witness"] else None
        pairs = tuple(
            (float(pair["from"]), pair["theorem"], tuple((float(e), float(d), float(o)) for e, d, o in pair["points"]))
            for pair in found["pairs"]
        )
        return cls(found["verdict"], found["reason"], witness, found["of"], pairs)


def of_witness(m: Mechanism, o: Mechanism, reason: str, witness: Witness) -> OrderCertificate:
    """The certificate of a refutation."""
    back = "reverse " if witness.reverse else ""
    if witness.epsilon is None:
        order = float(witness)
        return OrderCertificate(
            "refuted", reason, (order, witness.value, witness.other_value), f"{back}Rényi divergence"
        )
    # The witness may be one of a part of a join or meet; the values of the whole differ at least as much.
    first, second = (x.reverse if witness.reverse else x for x in (m, o))
    values = witness.epsilon, first.privacy_profile(witness.epsilon), second.privacy_profile(witness.epsilon)
    return OrderCertificate("refuted", reason, values, f"{back}profile")


def of_profiles(m: Mechanism, o: Mechanism, reason: str) -> OrderCertificate | None:
    """The certificate of a proof by numbers; None if it would take too many points."""
    tables = []
    for side, other in directions(m, o):
        end = tail_settled_from(side, other)
        points = None if end is None else _points(side.mechanism, other.mechanism, max(end, 0.0))
        if points is None:
            return None
        by_values = other.mechanism.privacy_profile(max(end, 0.0)) <= side.leak * (1 + SLACK)
        tables.append((max(end, 0.0), "" if by_values else _BY_TAILS, points))
    if all(theorem and not start for start, theorem, _ in tables):
        return None
    # Symmetric mechanisms have the same table for both pairs.
    return OrderCertificate("proven", reason, pairs=tuple(tables if len(tables) == 2 else 2 * tables))


def _points(m: Mechanism, o: Mechanism, end: float) -> _Points | None:
    """Points that show the order between 0 and `end`."""
    kinks = np.concatenate([m._breakpoints(), o._breakpoints()])
    kinks = np.unique(kinks[(kinks > 0) & (kinks < end)])
    start = min(end, 1.0) / (_START - 1)
    inner = np.linspace(0.0, end, _START) if end > 0 else np.zeros(1)
    nodes = np.concatenate(
        [[-max(start, 1e-9)], inner, kinks if kinks.size < _MOST_KINKS else [], [end + max(start, 1e-9)]]
    )
    nodes = np.unique(nodes)
    while nodes.size <= _MOST_POINTS:
        first, second = (np.asarray(x.privacy_profile(nodes)) for x in (m, o))
        failed = np.flatnonzero(_fails(nodes, first, second) & (nodes[1:-2] < end)) + 1
        if not failed.size:
            return tuple(zip(nodes.tolist(), first.tolist(), second.tolist(), strict=True))
        middles = (nodes[failed] + nodes[failed + 1]) / 2
        if np.any((middles <= nodes[failed]) | (middles >= nodes[failed + 1])):
            return None
        nodes = np.union1d(nodes, middles)
    return None


def _fails(nodes: Array, first: Array, second: Array) -> NDArray[np.bool_]:
    """Where the order is not shown, for each interval except the first and the last."""
    gaps = np.diff(nodes)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        # In units of γ at the left end of an interval.
        width = np.expm1(gaps[1:-1])
        left = (first[1:-2] - first[:-3]) / -np.expm1(-gaps[:-2])
        right = (first[3:] - first[2:-1]) / (np.exp(gaps[1:-1]) * np.expm1(gaps[2:]))
        start, end = first[1:-2], first[2:-1]
        meet = (end - start - right * width) / (left - right)
        meet = np.where((left < right) & np.isfinite(meet), np.clip(meet, 0.0, width), 0.0)
        worst = np.full(width.shape, -np.inf)
        for at in (np.zeros(width.shape), width, meet):
            lower = np.maximum(start + left * at, end + right * (at - width))
            upper = second[1:-2] + (second[2:-1] - second[1:-2]) * at / width
            worst = np.maximum(worst, upper - lower)
    return ~(worst <= SLACK / 2 * start)
