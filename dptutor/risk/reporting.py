"""What to publish about a mechanism, and how much each report leaves open.

Four reports: a pair (ε, δ); the advantage; both together; and μ, down to a floor of δ: the smallest μ for which

    δ_G(ε) ≥ δ(ε)   wherever δ(ε) ≥ floor,   in both directions,

with δ_G the profile of a Gaussian mechanism. Without a floor there is often no such μ, or a much larger one: N steps of
a subsampled Gaussian mechanism need √N/σ, as with full batches, for their far tail.

A reader who knows only a report must expect the weakest mechanism that it allows. The Δ-divergence from the mechanism
to that one is what the report leaves open: the most by which it exaggerates the success of an adversary. For μ this is
the *regret*.

Source: Gomez et al. (2026), who search μ on a grid of tests, with type I and II errors of at least 1e-10.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import brentq, minimize_scalar

from .._types import Array
from .._validation import real_number
from ..comparing.blackwell import delta_divergence
from ..evaluation.laws import NormalLaw
from ..mechanisms import Mechanism
from ..mechanisms.base import as_mechanism
from ..mechanisms.gaussian import gaussian_profile
from .facts import allowed_by, approximate, gaussian

__all__ = ["Report", "report"]

# Losses at which μ is looked for at first, and how often the worst of them is made good.
_PLACES, _ROUNDS = 257, 200
# By how much more than it must be μ is, relatively; the digits of a printed report.
_MARGIN, _DIGITS = 1e-9, 4
# 1 − δ below this is not told from 0.
_SURE = 1e-13
# Kinks of a profile that are looked at.
_MOST_KINKS = 4096


@dataclass(frozen=True)
class Report:
    """What to publish about a mechanism; made by `report`.

    Every number holds for both directions, and printed ones are rounded to the safe side.

    Attributes
    ----------
    mechanism : Mechanism
    floor : float
        The δ down to which μ holds.
    epsilon, delta : float
        The smallest ε at this δ.
    advantage : float
        The largest advantage of a membership attack, the total variation.
    mu : float
        The smallest μ whose Gaussian mechanism is no more private, for all δ from `floor` on; may be infinite.
    regret : float
        What μ leaves open: the Δ-divergence of replacing the mechanism by this Gaussian.
    left_open : dict of str to float
        The Δ-divergence from the mechanism to the weakest one that the report allows, by report: "epsilon" for (ε, δ),
        "advantage", "epsilon and advantage", "mu".
    error_bound : float
        Bound on the absolute errors of the Δ-divergences.

    Examples
    --------
    >>> import dptutor as dp
    >>> found = dp.report(dp.Gaussian(sigma=2))
    >>> round(found.mu, 6), round(found.regret, 6), found.floor
    (0.5, 0.0, 1e-10)
    >>> {name: round(value, 4) for name, value in found.left_open.items()}
    {'epsilon': 0.2814, 'advantage': 0.0572, 'epsilon and advantage': 0.0478, 'mu': 0.0}
    >>> print(found)
    Gaussian(sigma=2.0, sensitivity=1.0), for neighbors in both directions:
    It is (1.994, 1e-05)-differentially private; this alone leaves 0.2814 open.
    No membership attack has an advantage above 0.1975; this alone leaves 0.05716 open, with (ε, δ) 0.04778.
    It is 0.5-Gaussian-differentially private down to δ = 1e-10, which leaves 0 open.
    >>> found.as_dict()["mu"] == found.mu
    True
    >>> found.right_of_100
    60
    """

    mechanism: Mechanism
    floor: float
    epsilon: float
    delta: float
    advantage: float
    mu: float
    regret: float
    left_open: dict[str, float] = field(hash=False)
    error_bound: float

    @property
    def right_of_100(self) -> int:
        """How many of a hundred guesses at even odds are right at most, on average, rounded up."""
        return math.ceil(50 * (1 + self.advantage) - 1e-9)

    def as_dict(self) -> dict[str, object]:
        """All of it as numbers and texts, for JSON.

        Examples
        --------
        >>> import dptutor as dp
        >>> [*dp.report(dp.Gaussian(sigma=2)).as_dict()][:4]
        ['mechanism', 'epsilon', 'delta', 'advantage']
        """
        numbers = ("epsilon", "delta", "advantage", "mu", "floor", "regret", "left_open", "error_bound")
        return {"mechanism": repr(self.mechanism)} | {name: getattr(self, name) for name in numbers}

    def __str__(self) -> str:
        pair, advantage, both, mu = (raised(self.left_open[name]) for name in self.left_open)
        return "\n".join([
            f"{self.mechanism!r}, for neighbors in both directions:",
            f"It is ({raised(self.epsilon)}, {self.delta:g})-differentially private; this alone leaves {pair} open.",
            f"No membership attack has an advantage above {raised(self.advantage)}; this alone leaves {advantage} "
            f"open, with (ε, δ) {both}.",
            f"It is {raised(self.mu)}-Gaussian-differentially private down to δ = {self.floor:g}, which leaves "
            f"{mu} open." if self.mu < math.inf else
            f"No Gaussian mechanism is as little private down to δ = {self.floor:g}.",
        ])  # fmt: skip

    def _repr_html_(self) -> str:
        from html import escape

        head = "<tr><th scope='col'>report</th><th scope='col'>value</th><th scope='col'>leaves open</th></tr>"
        body = "".join(
            f"<tr><th scope='row'>{name}</th><td>{value}</td><td>{raised(left)}</td></tr>"
            for name, value, left in self._rows()
        )
        caption = f"{escape(repr(self.mechanism))}, in both directions"
        return f"<table><caption>{caption}</caption><thead>{head}</thead><tbody>{body}</tbody></table>"

    def _rows(self) -> Iterator[tuple[str, str, float]]:
        pair, advantage = f"({raised(self.epsilon)}, {self.delta:g})", raised(self.advantage)
        yield "(ε, δ)", pair, self.left_open["epsilon"]
        yield "advantage", advantage, self.left_open["advantage"]
        yield "(ε, δ) and advantage", f"{pair}, {advantage}", self.left_open["epsilon and advantage"]
        yield f"μ, down to δ = {self.floor:g}", raised(self.mu), self.regret


def report(mechanism: Mechanism, *, floor: float = 1e-10, delta: float = 1e-5) -> Report:
    """What to publish about a mechanism, and how much each report leaves open.

    Parameters
    ----------
    mechanism : Mechanism
        A pair in one direction is reported for both, as privacy is defined for both.
    floor : float
        The δ in (0, 1) down to which μ has to hold.
    delta : float
        The δ in (0, 1) of the pair (ε, δ).

    Returns
    -------
    Report
        With attributes `epsilon`, `delta`, `advantage`, `mu`, `regret` and `left_open`.

    Raises
    ------
    TypeError, ValueError
        If the first argument is not a mechanism, or a number not in (0, 1).

    References
    ----------
    Gomez et al. (2026).

    In the book: chapter 16, :prf:ref:`def-mu-floor`.

    Examples
    --------
    >>> import dptutor as dp
    >>> m = dp.DPSGD(noise_multiplier=0.5415, sampling_rate=0.01, steps=500)
    >>> for floor in (1e-5, 1e-10, 1e-15):
    ...     found = dp.report(m, floor=floor)
    ...     print(f"{found.mu:.3f} {found.regret:.3f}")
    1.666 0.128
    2.105 0.185
    2.429 0.219
    """
    m = as_mechanism("mechanism", mechanism).symmetrized
    floor = real_number("floor", floor, 0.0, 1.0, open_low=True, open_high=True)
    delta = real_number("delta", delta, 0.0, 1.0, open_low=True, open_high=True)
    epsilon, advantage, mu = m.epsilon(delta), m.advantage, smallest_mu(m, floor)
    both = {"epsilon": [epsilon, 0.0], "delta": [delta, advantage]} if epsilon < math.inf else {"advantage": advantage}
    weakest = {
        "epsilon": approximate(epsilon, delta),
        "advantage": approximate(0.0, advantage),
        "epsilon and advantage": allowed_by(**both),
        "mu": gaussian(mu),
    }
    found = {name: delta_divergence(m, allowed) for name, allowed in weakest.items()}
    left_open = {name: max(float(d), 0.0) for name, d in found.items()}
    error = max(float(d.error_bound) for d in found.values())
    return Report(m, floor, epsilon, delta, advantage, mu, left_open["mu"], left_open, error)


def smallest_mu(m: Mechanism, floor: float) -> float:
    """The smallest μ whose Gaussian profile is at or above that of a symmetric mechanism wherever that is at least the
    floor."""
    if float(m._delta(np.asarray(0.0))) < floor:
        return 0.0
    if isinstance(law := m._loss_law(), NormalLaw):
        return law.mu
    last = float(m.epsilon(floor))
    if last == math.inf:
        return math.inf
    kinks = m._breakpoints()
    kinks = kinks[(kinks > 0) & (kinks < last)][:: 1 + len(kinks) // _MOST_KINKS]
    places = np.unique(np.concatenate([np.linspace(0.0, last, _PLACES), kinks]))
    delta = _upper(m, places)
    at = 0
    mu = _mu_at(0.0, delta[0], 0.0)
    for _ in range(_ROUNDS):
        # By Newton's rule, where the largest μ is needed next; only larger ones are.
        short = delta > gaussian_profile(mu, places) * (1.0 + 1e-13)
        if not short.any():
            break
        slope = np.exp(-((places / mu - mu / 2) ** 2) / 2) / math.sqrt(2 * math.pi)
        step = np.where(short, (delta - gaussian_profile(mu, places)) / np.maximum(slope, 1e-300), 0.0)
        at = int(np.argmax(step))
        mu = max(_mu_at(float(places[at]), float(delta[at]), mu), mu * (1.0 + 1e-13))
    # Between the neighbors of the place that needs it most.
    low, high = places[max(at - 1, 0)], places[min(at + 1, len(places) - 1)]
    if low < high:
        peak = minimize_scalar(
            lambda x: -_mu_at(x, float(_upper(m, np.asarray(x))), 0.0), bounds=(low, high), method="bounded",
            options={"xatol": 1e-7 * last},
        )  # fmt: skip
        mu = max(mu, -float(peak.fun))
    return mu * (1.0 + _MARGIN)


def _upper(m: Mechanism, epsilon: Array) -> Array:
    # A profile this near to 1 needs no larger μ than its other points do.
    upper: Array = m._delta(epsilon) + m._delta_error(epsilon)
    return np.minimum(upper, 1.0 - _SURE)


def _mu_at(epsilon: float, delta: float, low: float) -> float:
    """The μ whose Gaussian profile is δ at ε, above `low`."""

    def short(log_mu: float) -> float:
        return math.log(max(float(gaussian_profile(math.exp(log_mu), np.asarray(epsilon))), 1e-320)) - math.log(delta)

    start = math.log(low) if low > 0 else -40.0
    if delta <= 0.0 or short(start) >= 0.0:
        return math.exp(start)
    end = start + 1.0
    while short(end) < 0.0:
        start, end = end, end + 2.0
    return math.exp(brentq(short, start, end, xtol=1e-14))


def raised(value: float) -> str:
    """A number rounded up to a few digits."""
    if value <= 0.0 or not math.isfinite(value):
        return f"{value:g}"
    unit = 10.0 ** (math.floor(math.log10(value)) - _DIGITS + 1)
    return f"{math.ceil(value / unit * (1.0 - 1e-12)) * unit:.{_DIGITS}g}"
