"""Divergences as mixtures of hockey sticks: integrals over the privacy profile of a pair and of its reverse.

A convex g is a mixture of hinges with weight g″, so E_P[g(dQ/dP)] = ∫₀^∞ w(ε) δ(ε) dε + ∫₀^∞ w̃(ε) δ_QP(ε) dε with
w(ε) = g″(e^ε) e^ε and w̃(ε) = g″(e^−ε) e^−2ε; see `dptutor.divergences`. These functions serve mechanisms without
closed forms.

Source: Liese & Vajda (2006).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from .._answers import NumericalError
from .._floats import LARGEST_LOSS, LAST_PLACE
from .._validation import shortened
from .polynomials import gauss
from .remembering import remembering

_NODES, _WEIGHTS = gauss(16)
# So many pieces lie between kinks and are short: fewer nodes are enough for each.
_FEW, _MANY_PIECES = gauss(6), 512
# Relative accuracy of integrals.
_ACCURACY = 1e-12
# Absolute accuracy of transforms, where δ itself is mostly rounding.
_FLOOR = 1e-15
# Largest number of pieces of an integral.
_MOST_PIECES = 4096
# The smallest positive loss at which an integral is cut: steps with a tiny sampling rate have tiny losses.
_SMALLEST = 1e-30
# Number of cuts from there to the largest loss, in equal ratios.
_CUTS = 112
# A Rényi divergence is computed from δ if upper bounds on δ enlarge the area by this share at most.
_KNOWN = 1e-8
# Share of an integral that may lie beyond the largest loss.
_LEFT_OUT = 1e-13
# A δ below this has lost digits, or is a bound on its error only, and counts as 0.
_FAINT = 1e-290
# Where δ is too faint: by how much larger orders are tried, and ε up to which δ may be known.
_LARGER_ORDERS, _ENDS = np.append(0.0, 2.0 ** np.arange(-2, 6)), np.geomspace(1e-6, LARGEST_LOSS, 300)
# The search for the end of an integrand stops at this loss.
_FARTHEST = 1e15
# An integrand counts as vanished once its logarithm is this much below its maximum.
_VANISHED = math.log(1e-9)
# Largest increase of the logarithm of an integrand between two cuts.
_STEEPEST = 100.0
# Relative accuracy with which the end of δ is located.
_CLOSE = 1e-4
# Number of arrays of ε at which δ is remembered: orders have their cuts and first nodes in common.
_REMEMBERED = 64
# Transforms: the angle through which e^{iε Im s} turns on an initial piece,
_TURN = 4.0
# and the largest angle at which halving a piece still tells its error.
_FURTHEST_TURN = 12.0
# The error of a piece is taken to be this many times the change when it is halved.
_OF_CHANGE = 10.0
# Where cuts are added: an evaluation at many losses takes hardly longer than at few.
_EIGHTHS = np.arange(1, 8) / 8
# Number of s that are evaluated together.
_AT_ONCE = 16
# Parts of an integrand smaller than this, relative to its maximum, are left out and bounded.
_NOTHING = 1e-18


def renyi_from_profile(mechanism, order: np.ndarray) -> np.ndarray:
    """Rényi divergences of finite orders, for mechanisms without a closed form."""
    both = remembering(lambda epsilon: (mechanism._delta(epsilon), mechanism._delta_at_most(epsilon)), last=_REMEMBERED)
    profiles = (lambda epsilon: both(epsilon)[0]), (lambda epsilon: both(epsilon)[1])
    values = [_renyi_of_order(mechanism, profiles, float(s)) for s in np.ravel(order)]
    return np.reshape(np.asarray(values, dtype=float), np.shape(order))


def loss_moments_from_profile(mechanism, under: str) -> tuple[float, float]:
    """Mean and variance of the privacy loss under P or Q, for mechanisms without a closed form."""
    pair = mechanism if under == "Q" else mechanism.reverse
    mean = _mean_loss(pair)
    # g(γ) = γ log² γ has mixture weights (2ε + 2) and (2 − 2ε) e^−ε.
    square = mixture_of_hockey_sticks(
        pair, lambda epsilon: 2 + 2 * epsilon, lambda epsilon: (2 - 2 * epsilon) * np.exp(-epsilon)
    )
    variance = max(square - mean**2, 0.0) if math.isfinite(square) else math.inf
    return (mean if under == "Q" else -mean), variance


def _mean_loss(mechanism) -> float:
    """That under Q: g(γ) = γ log γ has mixture weights 1 and e^−ε."""
    return mixture_of_hockey_sticks(mechanism, lambda epsilon: 1.0, lambda epsilon: np.exp(-epsilon))


def _renyi_of_order(mechanism, profiles, s: float) -> float:
    """The Rényi divergence of order s, where the profiles answer δ and an upper bound on it."""
    if s == 1.0:
        return _mean_loss(mechanism)
    if s > 1.0 and (known := _log_area_of_larger(mechanism, s)) is not None:
        return _from_log_area(known, s)
    # H(s) − 1 = s(s−1) [∫ e^{(s−1)ε} δ(ε) dε + ∫ e^{−sε} δ_QP(ε) dε].
    back = _weighted_area(mechanism.reverse, lambda epsilon: 1.0, -s)
    if s < 1.0:
        excess = s * (s - 1) * (_weighted_area(mechanism, lambda epsilon: 1.0, s - 1) + back)
        if excess > -0.5:
            return math.log1p(excess) / (s - 1)
        return _of_small_overlap(mechanism, s)
    with np.errstate(divide="ignore"):
        log_back = np.log(back)
    if mechanism._delta(np.asarray(math.inf)) > 0:
        return math.inf
    with np.errstate(invalid="ignore"):
        area, most = (np.logaddexp(_log_growing_area(each, mechanism, s - 1), log_back) for each in profiles)
    if not most <= area + _KNOWN < math.inf:
        area = np.fmin(most, _log_area_at_most(mechanism, s, log_back))
    if not area < math.inf:
        raise _unknown(mechanism, s)
    return _from_log_area(area, s)


def _unknown(mechanism, s: float) -> NumericalError:
    return NumericalError(
        f"the Rényi divergence of order {s:g} of {shortened(repr(mechanism), 120)} depends on a δ that is less "
        "than its error or than any number, or on losses larger than are looked for: dptutor cannot compute it"
    )


def _of_small_overlap(mechanism, s: float) -> float:
    """The Rényi divergence of an order below 1 if H(s) − 1 is next to −1: H(s) is the same integral over 1 − δ."""
    if mechanism._delta(np.asarray(math.inf)) == 1.0:
        return math.inf
    overlap = left_out = 0.0
    for pair, tilt in ((mechanism, s - 1), (mechanism.reverse, -s)):
        overlap += _weighted_area(pair, lambda epsilon: 1.0, tilt, _overlap(pair))
        if pair._largest_finite_loss() > LARGEST_LOSS:
            left_out += math.exp(tilt * LARGEST_LOSS) / -tilt  # as 1 − δ is at most 1
    if not left_out < _LEFT_OUT * overlap:
        raise _unknown(mechanism, s)
    return math.log(s * (1 - s) * overlap) / (s - 1)


def _from_log_area(area: float, s: float) -> float:
    """The Rényi divergence of order s from log (H(s) − 1)/(s(s − 1))."""
    return float(np.logaddexp(0.0, math.log(s) + math.log(s - 1) + area)) / (s - 1)


def _parts_of(mechanism):
    """The mechanisms of which a mechanism is a meet or a join, and whether it is a join; a mechanism that is meant in
    both directions is one of these."""
    return mechanism._made_of() or (mechanism.both_directions, True)


def _log_area_of_larger(mechanism, s: float) -> float | None:
    """log (H(s) − 1)/(s(s − 1)) of a join where one part counts alone, else None: it is between the largest and the sum
    of those of all parts."""
    parts, any_of = _parts_of(mechanism)
    if not parts or not any_of:
        return None
    areas = []
    for part in parts:
        own = _log_area_of_larger(part, s) if part.both_directions else float(_log_areas(part, np.array([s]))[0])
        if own is None or math.isnan(own):
            return None
        areas.append(own)
    return max(areas) if max(areas) == np.logaddexp.reduce(areas) < math.inf else None


def _log_growing_area(profile, mechanism, tilt: float, end: float = math.inf) -> float:
    """log ∫₀^end e^{tilt·ε} δ(ε) dε for a positive tilt; it may overflow itself. NaN if δ is 0 where it counts."""
    largest = min(mechanism._largest_finite_loss(), end)

    def logs(epsilon):
        with np.errstate(divide="ignore"):
            delta = profile(epsilon)
            return tilt * epsilon + np.log(np.where((epsilon < largest) & (delta > _FAINT), delta, 0.0))

    cuts = np.append(0.0, np.geomspace(_SMALLEST, LARGEST_LOSS, _CUTS))
    heights = logs(cuts)
    while heights[-1] > heights.max() + _VANISHED and cuts[-1] < min(largest, _FARTHEST):
        cuts = np.append(cuts, cuts[-1] * np.linspace(1.05, 2.0, 20))
        heights = np.append(heights, logs(cuts[-20:]))
    if heights.max() == -math.inf:
        return -math.inf
    kinks = mechanism._breakpoints()
    cuts = np.unique(np.concatenate([cuts, kinks[(kinks > 0) & (kinks < cuts[-1])]]))
    heights = logs(cuts)
    # δ falls, so that between two cuts the height is at most `rise` above that at the first one. Cuts are added where
    # that is too much, and around the place where δ ends.
    while True:
        width, least = np.diff(cuts), heights.max() + _VANISHED
        rise = tilt * width
        steep = (rise > _STEEPEST) & (heights[:-1] + rise > least) & (width > 32 * LAST_PLACE * cuts[1:])
        ends = (heights[:-1] > least) & np.isneginf(heights[1:]) & (width > _CLOSE * cuts[1:])
        if not (steep | ends).any():
            break
        place = np.flatnonzero(steep | ends)
        inner = (cuts[place, None] + width[place, None] * _EIGHTHS).ravel()
        place = np.repeat(place + 1, _EIGHTHS.size)
        cuts, heights = np.insert(cuts, place, inner), np.insert(heights, place, logs(inner))
    top = float(heights.max())
    end = int(np.flatnonzero(np.isfinite(heights))[-1])
    if heights[end] > top + _VANISHED and cuts[min(end + 1, len(cuts) - 1)] < largest:
        return math.nan
    area = _area(lambda epsilon: np.exp(logs(epsilon) - top), cuts, np.exp(heights - top))
    return top + math.log(area) if area > 0 else math.nan  # too narrow to be seen


@np.errstate(invalid="ignore", divide="ignore")
def _log_area_at_most(mechanism, s: float, log_back: float) -> float:
    """An upper bound on log (H(s) − 1)/(s(s − 1)), from the Rényi divergences of what the mechanism is made of, or NaN.

    δ of a meet is at most that of each part, and δ of a join at most the sum of those of its parts. Beyond an ε up to
    which δ is known, the area is at most e^{−(r − s)ε} times that for an order r > s.
    """
    parts, any_of = _parts_of(mechanism)
    if not parts:
        return math.nan
    order = s + _LARGER_ORDERS
    each = np.array([_log_areas(part, order) for part in parts])
    if not any_of:
        return float(each[:, 0].min())
    areas = np.logaddexp.reduce(each)
    known = mechanism._delta_at_most(_ENDS) < 2 * mechanism._delta(_ENDS)
    end = float(_ENDS[known].max(initial=0.0))
    within = np.logaddexp(_log_growing_area(mechanism._delta_at_most, mechanism, s - 1, end), log_back)
    return float(np.fmin(areas[0], np.logaddexp(within, np.min(areas - (order - s) * end))))


@np.errstate(divide="ignore")  # nothing is revealed
def _log_areas(part, order: np.ndarray) -> np.ndarray:
    """log (H(s) − 1)/(s(s − 1)) of a mechanism, and of one that is meant in both directions that of their sum."""
    exponent = np.array([(order - 1.0) * pair._renyi(order) for pair in part.both_directions or (part,)])
    return np.logaddexp.reduce(exponent + np.log(-np.expm1(-exponent))) - np.log(order * (order - 1.0))


@np.errstate(all="ignore")  # what overflows has an infinite bound
def hellinger_from_profile(mechanism, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """H(s) for a one-dimensional array of complex s, for mechanisms without a closed form, and a bound on its error.

    With a = Pr_Q[L = ∞] and b = Pr_P[L = −∞], over finite losses

        H(s) = 1 − b + s(b − a) + s(s−1) [∫ e^{(s−1)ε} (δ(ε) − a) dε + ∫ e^{−sε} (δ_QP(ε) − b) dε].

    The error of a piece of an integral is taken to be ten times the change when it is halved, provided that e^{iε Im s}
    hardly turns on it. Both are infinite if the integrand does not end.
    """
    value, error = np.empty(s.shape, dtype=complex), np.empty(s.shape)
    leaks = [float(pair._delta(np.asarray(math.inf))) for pair in (mechanism, mechanism.reverse)]
    order = np.argsort(np.abs(s.imag))
    for few in (order[k : k + _AT_ONCE] for k in range(0, s.size, _AT_ONCE)):
        at = s[few]
        first, first_error = _tilted_area(mechanism, leaks[0], at - 1)
        second, second_error = _tilted_area(mechanism.reverse, leaks[1], -at)
        scale = np.abs(at * (at - 1))
        inside = np.where(scale > 0, first_error + second_error, 0.0)
        area = np.where(scale > 0, first + second, 0.0)
        value[few] = 1 - leaks[1] + at * (leaks[1] - leaks[0]) + at * (at - 1) * area
        rounding = 4e-16 * (1 + np.abs(at) + scale * np.abs(area))
        error[few] = np.where(scale > 0, scale * inside, 0.0) + rounding
    unknown = ~np.isfinite(error)
    value[unknown], error[unknown] = np.inf, np.inf
    return value, error


def _tilted_area(mechanism, leak: float, tilt: np.ndarray):
    """∫₀^∞ e^{tilt·ε} (δ(ε) − leak) dε for complex tilts, and bounds on the errors."""
    rate, turn = tilt.real, float(np.abs(tilt.imag).max(initial=0.0))
    largest = mechanism._largest_finite_loss()
    end = min(max(largest, 0.0), LARGEST_LOSS)
    kinks = mechanism._breakpoints()
    kinks = kinks[(kinks > 0) & (kinks < end)] if kinks.size < _MOST_PIECES else np.empty(0)
    cuts = np.unique(np.concatenate([[0.0], kinks, np.geomspace(1e-3, LARGEST_LOSS, 24), [end]]))
    cuts = cuts[cuts <= end]

    def heights(epsilon):
        return np.maximum(mechanism._delta(epsilon) - leak, 0.0)

    # In logarithms, because e^{tilt·ε} may overflow even if its product with δ does not. On a piece the integrand is at
    # most the product of the maxima of both factors, and just before an atom it may be almost that large.
    log_heights = np.log(heights(cuts))
    seen = np.multiply.outer(rate, cuts) + log_heights
    most = np.maximum(seen.max(axis=1, keepdims=True), -1e300)
    log_most = np.maximum(*(np.multiply.outer(rate, ends) for ends in (cuts[:-1], cuts[1:]))) + log_heights[:-1]
    matters = np.flatnonzero((log_most > most + math.log(_NOTHING)).any(axis=0))
    kept = int(matters.max(initial=-1)) + 1
    left_out = np.exp(log_most[:, kept:]) @ np.diff(cuts[kept:])
    # Beyond the last cut: δ is at most its value there, and if e^{tilt·ε} falls, its integral is known.
    left = float(heights(cuts[-1:])[0]) if cuts[-1] < largest else 0.0
    log_last = rate * cuts[-1] + np.log(left)
    falls = np.where(rate < 0, np.exp(log_last) / -rate, math.inf)
    small = log_last <= most[:, 0] + math.log(1e3 * _NOTHING)
    beyond = np.where(left == 0.0, 0.0, np.where(small & (rate >= 0), np.exp(log_last) * LARGEST_LOSS, falls))
    cuts, beyond = cuts[: kept + 1], left_out + beyond
    if not kept:
        return np.zeros(tilt.shape, dtype=complex), beyond

    def integrand(epsilon):
        exponent = np.multiply.outer(epsilon, tilt)
        found = [np.log(each)[..., None] for each in (heights(epsilon), mechanism._delta_error(epsilon))]
        return np.exp(exponent + found[0]), np.exp(exponent.real + found[1])

    value, error = _pieces(integrand, _turning(cuts, turn), np.abs(tilt.imag))
    return value, error + beyond


def _turning(cuts, turn):
    """Adds cuts, if there are not too many, so that an angle with the slope `turn` changes little on each piece."""
    width = max(_TURN / turn if turn else math.inf, (cuts[-1] - cuts[0]) / _MOST_PIECES)
    counts = np.ceil(np.diff(cuts) / width).astype(int) if math.isfinite(width) else np.ones(len(cuts) - 1, dtype=int)
    pieces = [np.linspace(a, b, n + 1)[:-1] for a, b, n in zip(cuts[:-1], cuts[1:], counts, strict=True)]
    return np.append(np.concatenate(pieces), cuts[-1])


def _pieces(function, cuts, turn):
    """Integrals, for several s at once, of a function that returns values and bounds on their errors."""
    low, high = cuts[:-1], cuts[1:]
    whole, _, _ = _gauss_with_bounds(function, low, high)
    total, error = 0.0, 0.0
    while low.size:
        middle = (low + high) / 2
        low, high = np.stack([low, middle]), np.stack([middle, high])
        halves, bounds, sizes = _gauss_with_bounds(function, low, high)
        both = halves.sum(axis=0)
        change = np.abs(both - whole)
        goal = np.maximum(_FLOOR / len(cuts), 1e-15 * (np.abs(total) + np.abs(both).sum(axis=0)))
        moved = (change > goal).any(axis=1) & (high[0] - low[0] > 1e-15 * high[1])
        if halves.shape[1] > 2 * _MOST_PIECES or not moved.any():
            moved[:] = False
        done = ~moved
        # If the angle turns too much, halving says nothing: the error is bounded by the modulus.
        blind = np.multiply.outer(high[0][done] - low[0][done], turn) > _FURTHEST_TURN
        own = np.where(blind, 2 * sizes.sum(axis=0)[done], _OF_CHANGE * change[done] + 4e-16 * sizes.sum(axis=0)[done])
        total = total + both[done].sum(axis=0)
        error = error + own.sum(axis=0) + bounds.sum(axis=0)[done].sum(axis=0)
        low, high = low[:, moved].ravel(), high[:, moved].ravel()
        whole = halves[:, moved].reshape(-1, halves.shape[-1])
    return total, error


def _gauss_with_bounds(function, low, high):
    """Gauss's rule on pieces: integrals of the values, of their errors and of their moduli."""
    half = (high - low) / 2
    value, error = function((low + half)[..., None] + half[..., None] * _NODES)
    weight = half[..., None, None] * _WEIGHTS[:, None]
    return tuple(np.sum(weight * each, axis=-2) for each in (value, error, np.abs(value)))


def mixture_of_hockey_sticks(mechanism, weight, weight_reverse) -> float:
    """∫₀^∞ weight·δ for the pair, plus ∫₀^∞ weight_reverse·δ for its reverse."""
    return _weighted_area(mechanism, weight) + _weighted_area(mechanism.reverse, weight_reverse)


def _overlap(pair) -> Callable[[np.ndarray], np.ndarray]:
    """1 − δ as the sum β + e^ε α, with all its digits."""

    def of(epsilon):
        alpha, beta = pair._errors(epsilon)
        return beta + np.exp(np.minimum(epsilon, LARGEST_LOSS)) * alpha

    return of


def _weighted_area(
    mechanism, weight, tilt: float = 0.0, curve: Callable[[np.ndarray], np.ndarray] | None = None
) -> float:
    """∫₀^∞ weight(ε) e^{tilt·ε} δ(ε) dε, tilt ≤ 0, split at the kinks and cut where the integrand has vanished.

    If another `curve` is given, it stands for δ.
    """
    curve = curve or mechanism._delta

    def integrand(epsilon):
        delta = curve(epsilon)
        heights, some = np.zeros(delta.shape), delta > 0
        with np.errstate(over="ignore", invalid="ignore"):
            found = weight(epsilon[some]) * np.exp(tilt * epsilon[some]) * delta[some]
            heights[some] = found
        if np.isnan(found).any():
            raise NumericalError(
                f"a divergence of {shortened(repr(mechanism), 120)} depends on losses such as "
                f"{epsilon[some][np.isnan(found)][0]:.3g}, for which the weight is beyond the range of floating point"
            )
        return heights

    kinks = mechanism._breakpoints()
    cuts = np.concatenate([[0.0], kinks, np.geomspace(_SMALLEST, LARGEST_LOSS, _CUTS)])
    cuts = np.unique(cuts[(cuts >= 0) & (cuts <= LARGEST_LOSS)])
    heights = integrand(cuts)
    if not (heights[-1] > 1e-300 and heights[-1] * LARGEST_LOSS > 1e-12 * max(np.nanmax(heights), 1e-300)):
        return _area(integrand, cuts, heights)
    if tilt < 0:
        # Beyond the last cut δ is constant, the mass of infinite losses, and the rest is an exponential integral.
        return _area(integrand, cuts, heights) + float(heights[-1]) / -tilt
    never = mechanism._delta(np.asarray(math.inf)) > 0
    # Further cuts, each at twice the last, until the integrand has vanished, unless neither it nor δ falls any more.
    cuts = np.unique(np.concatenate([cuts, kinks[(kinks > LARGEST_LOSS) & np.isfinite(kinks)]]))
    heights = integrand(cuts)
    while math.log(max(heights[-1], 1e-300)) + math.log(cuts[-1]) > math.log(1e-15 * np.nanmax(heights)):
        cuts = np.append(cuts, 2 * cuts[-1])
        heights = np.append(heights, integrand(cuts[-1:]))
        if (never and heights[-1] >= heights[-2]) or not np.isfinite(cuts[-1]):
            return math.inf
    with np.errstate(over="ignore"):
        return _area(integrand, cuts, heights)


def _area(function, cuts, heights) -> float:
    """The integral of a weighted δ: the pieces on which it is constant at first are one, those of 0 are left out."""
    last = int(np.flatnonzero(np.append(True, heights[1:] != 0))[-1]) + 1
    constant = np.abs(heights - heights[0]) <= _ACCURACY * heights[0]
    first = int(np.argmin(np.append(constant, False))) - 1 if heights[0] > 0 else 0
    return integral(function, np.append(cuts[:1], cuts[max(first, 1) : last + 1]))


def integral(function, cuts) -> float:
    """The integral from the first to the last cut: pieces are halved, all at once, until nothing changes."""
    low, high = cuts[:-1], cuts[1:]
    whole, total = _gauss(function, low, high), 0.0
    while low.size:
        middle = (low + high) / 2
        low, high = np.array([low, middle]), np.array([middle, high])
        halves = _gauss(function, low, high)
        both = halves.sum(axis=0)
        with np.errstate(invalid="ignore"):  # the difference of infinite pieces is NaN: they are not halved
            moved = np.abs(both - whole) > _ACCURACY * (total + np.abs(both).sum())
        if halves.size > _MOST_PIECES:  # the remaining changes are rounding
            moved[:] = False
        total += float(both[~moved].sum())
        low, high, whole = (pieces[:, moved].ravel() for pieces in (low, high, halves))
    return total


def _gauss(function, low, high):
    nodes, weights = (_NODES, _WEIGHTS) if low.size < _MANY_PIECES else _FEW
    half = (high - low) / 2
    return half * (function((low + half)[..., None] + half[..., None] * nodes) @ weights)
