"""Which of two privacy profiles is larger, where, and whether everywhere, from values with error bounds.

Profiles are compared at ε ≥ 0, and those of the reverse pairs as well, which stand for negative ε with all digits.

*A witness* is an ε at which δ + its bound is less than δ̃ − its bound, or a Rényi order at which the divergences are so.

*Between nodes*: δ and δ̃ are convex in γ = e^ε. So between two nodes δ̃ lies below its chord, and δ above the extended
chords of the neighboring intervals. If that does not settle an interval, it is halved.

*In the tail*, beyond E: if E is the largest finite loss, δ̃ is the mass of its infinite losses; δ is never less than the
mass of its own; and for one subsampled Gaussian step with 1 − f(α) − α = p [Φ(z) − Φ(z − μ)] at
z = Φ⁻¹(1 − α), the ratio of two such increases with z if μ ≥ μ̃ (e^{zt} has a monotone ratio in z and t), so that one
z is enough.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from ..evaluation.laws import NormalLaw, SampledLaw
from ..mechanisms.base import Mechanism
from ..mechanisms.discrete import DiscreteGaussian
from ..mechanisms.lattice import Join, Meet

# δ below this is not compared.
_FLOOR = 1e-300
# Ends of ranges that differ by less than this may be equal,
_SAME = 1e-12
# and so may Rényi divergences.
_SAME_RENYI = 1e-6
# Losses at which a witness is looked for first, group by group,
_NEAR = (np.geomspace(1e-3, 0.1, 8), np.linspace(0.125, 1, 8), np.linspace(1.125, 6, 40))
# and how much larger log δ̃ must be there.
_CLEAR = 0.01
_ORDERS = 1.5 * 2.0 ** np.arange(0, 24)
_MOST_NODES, _ROUNDS = 2**15, 40


@dataclass(frozen=True)
class Witness:
    """A point at which the order of two mechanisms is violated.

    Attributes
    ----------
    epsilon : float or None
        An ε at which δ of the first mechanism, `value`, is less than that of the other, `other_value`.
    order : float or None
        Or an order s > 1 at which the Rényi divergence of the first is less.
    reverse : bool
        Whether the values are of the reverse pairs, (Q, P).
    value, other_value : float

    Examples
    --------
    >>> import dptutor as dp
    >>> a, b = dp.Gaussian(sigma=1), dp.Laplace(scale=1)
    >>> seen = dp.dominance(a, b).witness
    >>> seen.value == a.privacy_profile(seen.epsilon) < b.privacy_profile(seen.epsilon) == seen.other_value
    True
    """

    epsilon: float | None
    order: float | None
    reverse: bool
    value: float
    other_value: float

    def __float__(self) -> float:
        place = self.order if self.epsilon is None else self.epsilon
        return math.nan if place is None else place

    def __str__(self) -> str:
        of = " of the reverse pairs" if self.reverse else ""
        if self.epsilon is None:
            values = f"the Rényi divergence{of} {self.value:.4g} is less than {self.other_value:.4g}"
            return f"of order {self.order:.4g}, {values}"
        return f"at ε = {self.epsilon:.4g}, δ{of} = {self.value:.3g} is less than {self.other_value:.3g}"


class Side:
    """Lower and upper bounds on δ of one pair at ε ≥ 0."""

    def __init__(self, mechanism: Mechanism):
        self.mechanism = mechanism
        self.highest = mechanism._loss_range()[1]
        far = np.asarray(math.inf)
        self.leak = float(mechanism._delta(far))
        self.leak_error = float(mechanism._delta_error(far))

    def between(self, epsilon) -> tuple[np.ndarray, np.ndarray]:
        """Lower and upper bounds; beyond the largest finite loss δ is the mass of infinite losses."""
        value, error = self.mechanism._delta(epsilon), self.mechanism._delta_error(epsilon)
        beyond = epsilon >= self.highest
        error = np.where(beyond, self.leak_error, error)
        value = np.where(beyond, self.leak, value)
        # A value that underflows need not be zero.
        upper = np.where(beyond, value + error, np.maximum(value + error, _FLOOR))
        return np.maximum(value - error, max(self.leak - self.leak_error, 0.0)), upper


def directions(m, o):
    """The pairs of sides to compare: as given, and, unless both mechanisms are symmetric, reversed."""
    forward = (Side(m), Side(o))
    return [forward] if m.is_symmetric and o.is_symmetric else [forward, (Side(m.reverse), Side(o.reverse))]


# Refuting.


def witness(m, o) -> Witness | None:
    """An ε at which δ is certainly less than δ̃; near 0 first, where δ is quick to compute."""
    sides = directions(m, o)
    for near in (*_NEAR, None):
        for reverse, (side, other) in enumerate(sides):
            least, epsilon = (0.0, places(side, other)) if near is None else (_CLEAR, near)
            at = _clearest(side, other, epsilon, least)
            if at is not None:
                return _shown(m, o, _rounded(side, other, at), bool(reverse))
    return None


def _clearest(side, other, epsilon, least) -> float | None:
    """The first of these ε at which δ̃ is at least twice δ, or else the one with the largest ratio, if that is clear."""
    upper, lower = side.between(epsilon)[1], other.between(epsilon)[0]
    seen = np.flatnonzero((upper < lower) & (lower > _FLOOR))
    if not seen.size:
        return None
    with np.errstate(divide="ignore"):
        clear = np.minimum(np.log(lower[seen]) - np.log(upper[seen]), math.log(2.0))
    return float(epsilon[seen[int(np.argmax(clear))]]) if clear.max() > least else None


def _rounded(side, other, epsilon) -> float:
    """A witness close to this one with few digits, if there is one."""
    (_, upper), (lower, _) = side.between(np.array([epsilon])), other.between(np.array([epsilon]))
    clear = min(lower[0] / max(upper[0], _FLOOR), 2.0)
    for digits in (1, 2, 3, 4):
        near = float(f"{epsilon:.{digits}g}")
        upper, lower = side.between(np.array([near]))[1], other.between(np.array([near]))[0]
        if near >= 0 and upper[0] < lower[0] and lower[0] / max(upper[0], _FLOOR) > 0.9 * clear:
            return near
    return epsilon


def _shown(m, o, epsilon, reverse) -> Witness:
    """The witness; one of the reverse pairs is restated at −ε of the pairs themselves if it is visible there."""
    if reverse:
        values, errors = zip(*(x.privacy_profile(-epsilon, with_error=True) for x in (m, o)), strict=True)
        if values[0] + errors[0] < values[1] - errors[1]:
            return Witness(-epsilon, None, False, *values)
        m, o = m.reverse, o.reverse
    return Witness(epsilon, None, reverse, *(x.privacy_profile(epsilon) for x in (m, o)))


def places(side: Side, other: Side) -> np.ndarray:
    """Losses at which two profiles are compared: where δ changes, at and next to kinks, and at the ends of ranges."""
    kinks = np.abs(np.concatenate([side.mechanism._breakpoints(), other.mechanism._breakpoints()]))
    ends = np.array([x for x in (side.highest, other.highest) if 0 <= x < math.inf])
    kinks = np.concatenate([kinks if kinks.size < 5000 else kinks[:: kinks.size // 5000], ends])
    end = 25.0
    while end < 1e9 and _still_changing(side, other, np.array([end])):
        end *= 2.0
    both = [np.linspace(0, 20, 161), np.geomspace(1e-6, 1, 60), np.geomspace(20, end, 1 + int(8 * math.log2(end / 20)))]
    at = np.unique(np.concatenate([*both, kinks, kinks * (1 - 1e-9), kinks * (1 + 1e-9), _middles(kinks)]))
    return at[at <= max(end, 1.1 * ends.max(initial=0.0))]


def _still_changing(side, other, epsilon) -> bool:
    """Whether the order may still change beyond these ε, because finite losses have mass there."""
    if float(other.between(epsilon)[0][0]) > max(_FLOOR, other.leak):
        return True
    return side.leak < other.leak < float(side.between(epsilon)[1][0])


def _middles(kinks):
    kinks = np.unique(np.append(kinks, 0.0))
    return (kinks[1:] + kinks[:-1]) / 2


def renyi_witness(m, o) -> Witness | None:
    """A Rényi order at which the divergence of `m` is certainly less than that of `o`; for tails that underflow."""
    for reverse, (side, other) in enumerate(directions(m, o)):
        if other.highest <= side.highest < math.inf or other.highest <= 0 or other.leak or side.leak:
            continue
        orders = _ORDERS if other.highest == math.inf else _ORDERS * max(1.0, 1.0 / other.highest)
        upper, lower = _renyi_at_most(side, orders), other.mechanism._renyi_at_least(orders)
        with np.errstate(invalid="ignore"):
            seen = np.flatnonzero(upper * (1 + _SAME_RENYI) < lower * (1 - _SAME_RENYI))
        if seen.size:
            # The first order with a ratio of at least 1.5, or else the one with the largest ratio.
            clear = np.minimum(lower[seen] / np.maximum(upper[seen], 1e-300), 1.5)
            k = int(seen[int(np.argmax(clear))])
            return Witness(None, float(orders[k]), bool(reverse), float(upper[k]), float(lower[k]))
    return None


def _renyi_at_most(side, orders):
    """Upper bounds on Rényi divergences of one pair; for a join H − 1 is at most the sum over the parts."""
    parts = _joined(side.mechanism)
    if parts is None:
        return np.full(orders.shape, math.inf)
    highest = max(part._loss_range()[1] for part in parts)
    each = np.max([part._pair_renyi(orders) for part in parts], axis=0)
    return np.minimum(each + math.log(len(parts)) / (orders - 1), highest)


def _joined(m):
    """The one-directional mechanisms whose join this is, if their Rényi divergences have closed forms."""
    if isinstance(m, Meet):
        return None
    parts = m.parts if isinstance(m, Join) else m.both_directions
    if parts:
        found = [_joined(part) for part in parts]
        return None if None in found else [part for few in found for part in few]
    return [m]


# Proving.


def ordered_between(m, o) -> bool:
    """Whether δ ≥ δ̃ everywhere, by convexity between nodes and by an argument for the tails."""
    return all(_ordered(side, other) for side, other in directions(m, o))


def _ordered(side, other) -> bool:
    end = tail_settled_from(side, other)
    if end is None:
        return False
    return end <= 0 or _above_between(side, other, end)


def _above_between(side, other, end) -> bool:
    nodes = places(side, other)
    nodes = np.concatenate([nodes[nodes < end], [end]])
    for _ in range(_ROUNDS):
        # One node before 0 and one beyond the end, for the extended chords.
        outer = np.concatenate([[-max(nodes[1] / 2, 1e-9)], nodes, [end + max((end - nodes[-2]) / 2, 1e-12 * end)]])
        low, high = side.between(outer)
        above = other.between(nodes)[1]
        if np.any(low[1:-1] < above):
            return False
        failed = _open(outer, low, high, above)
        if not failed.any():
            return True
        middles = (nodes[1:][failed] + nodes[:-1][failed]) / 2
        if nodes.size + middles.size > _MOST_NODES or np.any(middles <= nodes[:-1][failed]):
            return False
        nodes = np.sort(np.concatenate([nodes, middles]))
    return False


def _open(outer, low, high, above):
    """Intervals between inner nodes on which the extended chords of δ do not stay above the chord of δ̃."""
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        width = np.diff(outer)
        # Widths in e^ε, relative to the neighboring intervals on the left and on the right.
        after = np.expm1(width[1:-1]) / -np.expm1(-width[:-2])
        before = -np.expm1(-width[1:-1]) / np.expm1(width[2:])
        left, right = low[1:-2], low[2:-1]
        first_end = left + (left - high[:-3]) * after  # the chord from the left, at the right end
        second_start = right + np.maximum(right - high[3:], 0.0) * before  # that from the right, at the left end
        # Heights of both chords above that of δ̃ at both ends; linear between.
        a0, a1 = left - above[:-1], first_end - above[1:]
        b0, b1 = second_start - above[:-1], right - above[1:]
        fall, rise = a0 - b0, b1 - a1
        share = np.where((fall > 0) & (rise > 0), fall / np.where(fall + rise > 0, fall + rise, 1.0), 0.0)
        lowest = np.where(
            (fall > 0) & (rise > 0), a0 + share * (a1 - a0), np.where(fall <= 0, np.minimum(b0, b1), np.minimum(a0, a1))
        )
    return ~(lowest >= 0.0)


def tail_settled_from(side, other):
    """An E beyond which δ ≥ δ̃ is known, or None."""
    if other.highest < math.inf:
        settled = side.leak - side.leak_error >= other.leak + other.leak_error or (
            side.leak == other.leak == 0.0 or (side.leak == other.leak and not side.leak_error + other.leak_error)
        )
        return other.highest if settled else None
    if side.leak - side.leak_error > other.leak + other.leak_error:
        epsilon = float(other.mechanism._epsilon(np.asarray((side.leak + other.leak) / 2)))
        while epsilon < 1e9 and float(other.between(np.asarray(epsilon))[1]) > side.leak - side.leak_error:
            epsilon = 1.1 * epsilon + 1e-3
        return epsilon
    if other.leak or side.leak:
        return None
    return min((x for x in _gaussian_tails(side.mechanism, other.mechanism)), default=None)


def _gaussian_tails(m, o):
    """An E beyond which a subsampled Gaussian step that is a part of `m` has the larger tail."""
    if isinstance(o, Meet):
        for part in o.parts:
            yield from _gaussian_tails(m, part)
        return
    step_ = _step(o)
    for part in m.parts if isinstance(m, Join) else (m,):
        if isinstance(part, Join):
            yield from _gaussian_tails(part, o)
            continue
        if isinstance(part, DiscreteGaussian) and step_:
            yield from _discrete_tail(part, step_[1])
            continue
        step = _step(part)
        if not (step and step_) or step[1] < step_[1]:
            continue
        (rate, mu), (rate_, mu_) = step, step_
        epsilon = np.concatenate([[0.0], np.geomspace(1e-3, 600.0, 400)])
        inner = np.log1p(np.expm1(np.minimum(epsilon, 600.0)) / rate_)
        z = inner / mu_ + mu_ / 2
        # With the larger μ it is then larger at every greater z, too.
        larger = rate * (ndtr(mu - z) - ndtr(-z)) >= (1 + 1e-9) * rate_ * (ndtr(mu_ - z) - ndtr(-z))
        fine = larger & (ndtr(mu_ - z) > _FLOOR)
        if fine.any():
            yield float(epsilon[int(np.argmax(fine))])


def _discrete_tail(m, mu):
    """An E beyond which discrete Gaussian noise has a larger tail than a Gaussian step with a smaller μ.

    Losses lie h = μ̃/σ apart. One of them is in [ε + h, ε + 2h], so δ̃(ε) is at least its mass times 1 − e^(−h), and
    that mass at least e^(−((ε + 2h)/μ̃ − μ̃/2)²/2)/(1 + √(2π)σ); while δ(ε) ≤ e^(−(ε/μ − μ/2)²/2), for any sampling rate.
    """
    own, gap = m.mu, m.mu / m.sigma
    if not mu < own:
        return
    # (ε/μ − μ/2)² − ((ε + 2h)/μ̃ − μ̃/2)² = 2 log((1 + √(2π)σ)/(1 − e^(−h))), a quadratic equation.
    spread = 1.0 + math.sqrt(2 * math.pi) * m.sigma
    start = 2 * gap / own - own / 2
    square, linear = 1 / mu**2 - 1 / own**2, -0.5 - start / own
    constant = mu**2 / 4 - start**2 - 2 * math.log(spread / -math.expm1(-gap))
    root = linear**2 - square * constant
    settled = (-linear + math.sqrt(root)) / square if root > 0 else 0.0
    yield float(max(settled, mu**2 / 2, own**2 / 2))


def _step(m):
    """(p, μ) of one Gaussian step whose loss is unbounded above, else None."""
    for one in m.both_directions or (m,):
        match one._loss_law():
            case NormalLaw(mu):
                return 1.0, mu
            case SampledLaw(sigma, rate, "remove"):
                return rate, 1 / sigma
    return None


def searched_down_to(m, o) -> float:
    """The smallest δ at which a violation would have been noticed."""
    down_to = _FLOOR
    for side, other in directions(m, o):
        epsilon = places(side, other)
        lower, upper = other.between(epsilon)
        spread = (upper - lower) + np.diff(side.between(epsilon), axis=0)[0]
        vague = spread > 0.02 * lower
        down_to = max(down_to, float(lower[-1]), float(upper[vague].max(initial=0.0)) if vague.any() else 0.0)
    return down_to
