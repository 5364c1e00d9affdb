"""Certificates of Δ-divergences: points with which anyone can check an upper bound by a program of a few lines.

Profiles are convex in γ = e^ε, with δ = 1 at γ = 0. So between two points δ̃ lies below its chord, and δ above the
extended chords of the neighboring intervals; before the first point δ is above 1 − γ, beyond the last above 0. All
these are lines, and the quotient of two lines is largest at an end of an interval or where two lines meet. The largest
quotient (δ̃ − δ)/(1 + γ) among these is an upper bound on the divergence.
The program that checks a certificate is printed in the reference, book/api.md, and imports nothing from this library.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .._floats import UNIT_ROUNDOFF
from .._types import Array
from ..mechanisms.base import Mechanism

# Target gap between bound and value; ten times this if it would take too many points.
_SLACK = 1e-9
_MOST_POINTS = 4000
_START = 33


@dataclass(frozen=True)
class Certificate:
    """Points that show that a Δ-divergence is at most `bound`; made by `delta_divergence(...).certificate`.

    Attributes
    ----------
    bound : float
    points : tuple of (float, float, float)
        Losses ε in rising order, with δ of the first mechanism and of the other.

    Examples
    --------
    >>> import dptutor as dp
    >>> found = dp.delta_divergence(dp.Laplace(scale=1), dp.Gaussian(sigma=1)).certificate
    >>> found.bound - 0.0341385466 < 2e-9, len(found.points) < 400
    (True, True)
    >>> dp.Certificate.from_json(found.json()) == found
    True
    """

    bound: float
    points: tuple[tuple[float, float, float], ...]

    def json(self) -> str:
        """The certificate as JSON, numbers in full.

        Examples
        --------
        >>> import dptutor as dp
        >>> print(dp.Certificate(0.25, ((0.0, 0.5, 0.75),)).json())
        {"bound": 0.25, "points": [[0.0, 0.5, 0.75]]}
        """
        return json.dumps({"bound": self.bound, "points": self.points})

    @classmethod
    def from_json(cls, text: str | bytes) -> Certificate:
        """The certificate that was written as `text`.

        Examples
        --------
        >>> import dptutor as dp
        >>> dp.Certificate.from_json('{"bound": 0.25, "points": [[0.0, 0.5, 0.75]]}')
        Certificate(bound=0.25, points=((0.0, 0.5, 0.75),))
        """
        found = json.loads(text)
        return cls(float(found["bound"]), tuple((float(e), float(d), float(o)) for e, d, o in found["points"]))


def certified(mechanism: Mechanism, other: Mechanism, value: float, epsilon: float) -> Certificate:
    """Points that show that Δ is at most slightly above `value`, which is attained at `epsilon`."""
    slack = _SLACK
    while True:
        found = _points(mechanism, other, value + slack, epsilon)
        if found is not None:
            return found
        slack *= 10


def _points(mechanism: Mechanism, other: Mechanism, bound: float, epsilon: float) -> Certificate | None:
    reach = -math.log(bound / 2)
    kinks = np.concatenate([mechanism._breakpoints(), other._breakpoints(), [epsilon]])
    kinks = kinks[np.abs(kinks) < reach]
    nodes = np.unique(np.concatenate([np.linspace(-reach, reach, _START), kinks if kinks.size < 200 else []]))
    # Different losses near 0 may have the same e^ε.
    nodes = nodes[np.append(True, _apart(nodes[:-1], nodes[1:]))]
    while nodes.size <= _MOST_POINTS:
        first, second = (m.privacy_profile(nodes) for m in (mechanism, other))
        at_zero = (0.0, np.exp(nodes)), (1.0, first), (1.0, second)
        failed = _heights(*(np.append(start, rest) for start, rest in at_zero)) > bound
        if not failed.any():
            return Certificate(float(bound), tuple(zip(nodes.tolist(), first.tolist(), second.tolist(), strict=True)))
        if failed[0]:
            nodes = np.append(nodes[0] - 1.0, nodes)
            failed = np.append(False, failed)
        open_ = np.flatnonzero(failed[1:])
        middles = (nodes[open_] + nodes[open_ + 1]) / 2
        if not (_apart(nodes[open_], middles) & _apart(middles, nodes[open_ + 1])).all():
            return None
        nodes = np.union1d(nodes, middles)
    return None


def _apart(lower: Array, upper: Array) -> NDArray[np.bool_]:
    """Whether e^ε is larger at the upper loss, also by another program's exponential function."""
    gamma = np.exp(upper)
    return gamma - np.exp(lower) > 8 * UNIT_ROUNDOFF * gamma


def _heights(gamma: Array, delta: Array, larger: Array) -> Array:
    """The largest quotient on each interval."""
    width = np.diff(gamma)
    slopes = np.diff(delta) / width
    left, right = np.append(-1.0, slopes[:-1]), np.append(slopes[1:], 0.0)
    chord = np.diff(larger) / width
    with np.errstate(divide="ignore", invalid="ignore"):
        meet = (delta[1:] - delta[:-1] - right * width) / (left - right)
    meet = np.where((left < right) & np.isfinite(meet), np.clip(meet, 0.0, width), 0.0)
    heights = []
    for step in (np.zeros(width.shape), width, meet):
        lower = np.maximum(delta[:-1] + left * step, delta[1:] + right * (step - width))
        heights.append((larger[:-1] + chord * step - lower) / (1 + gamma[:-1] + step))
    return np.asarray(np.max(heights, axis=0))
