"""Tails of the binomial distribution with twelve digits, at any number of trials and however small they are.

With the deviance I(k) = n·kl(k/n ‖ r) (Loader's), which is exact to rounding, a tail is

    Pr[K ≥ k] = e^{−I(k)} J(k),    J(k) = e^{κ}/2π ∫ exp(n log(1 + c(e^{iθ} − 1)) − ikθ) / (1 − u e^{−iθ}) dθ :

Cauchy's integral on a circle tilted to mean nc > max(k, nr), with 1 − u = (nc − nr)/(nc(1−r)) and
κ = n·kl(k/n ‖ c). J is smooth on the scale of one deviation √(k(n−k)/n): it is tabulated once, as a few dozen
polynomials in y = 2√n·asin√(k/n), in which a deviation is 1 everywhere. A *call* Σ_{j>k} q_j (1 − e^{−(j−k)g}) has the
same form with the kernel v(1 − e^{−g})/((1 − v)(1 − v e^{−g})), v = u e^{−iθ}: no difference of tails is ever taken.
Near the ends of the lattice, where a deviation is a few points, J is worked out point by point.

Sources: Loader (2000), fast and accurate computation of binomial probabilities; Trefethen & Weideman (2014).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import gammaln

from .polynomials import chebyshev, gauss

# Points at each end of the lattice that are computed individually.
_ENDS = 400
# Nodes of a panel, which is one standard deviation long.
_NODES = 18
# Step and number of nodes of Cauchy's integral, in standard deviations.
_STEP, _TERMS = 0.35, 31
# The circle is tilted to a mean this many standard deviations to the right of k.
_RIGHT = 2.0
# The tail itself is tabulated from this many standard deviations below the mean on, its complement further below.
_MIDDLE = 0.75
# Deviance beyond which a tail underflows.
_NOTHING = 760.0
# Largest distance from the mean, in standard deviations, that tables cover.
_FARTHEST = 56.0
_CHUNK = 1 << 15
_XI, _WEIGHT = gauss(12)
_XI, _WEIGHT = (_XI + 1) / 2, _WEIGHT / 2
_PLACES, _TO_COEFFICIENTS = chebyshev(_NODES)


def two_product(a: Any, b: Any) -> tuple[Any, Any]:
    """a·b as a rounded product and its rounding error (Dekker)."""
    product = a * b
    a_high, b_high = a * 134217729.0, b * 134217729.0
    a_high, b_high = a_high - (a_high - a), b_high - (b_high - b)
    a_low, b_low = a - a_high, b - b_high
    return product, a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low)


def deviance_term(x: Any, mean: Any, excess: Any) -> np.ndarray:
    """x log(x/mean) − x + mean; `excess` = x − mean is given, as it has more digits than the difference."""
    x, mean, excess = np.broadcast_arrays(x, mean, excess)
    v = excess / (x + mean)
    square = v * v
    series = np.zeros(v.shape)
    for order in range(12, 0, -1):
        series = square * (series + 1.0 / (2 * order + 1))
    term = np.asarray(excess * v + 2 * x * v * series)
    far = np.abs(v) > 0.2
    if far.any():
        with np.errstate(all="ignore"):
            direct = x[far] * np.log(x[far] / mean[far]) - excess[far]
        term[far] = np.where(x[far] > 0, direct, mean[far])
    return term


def stirling_error(k: np.ndarray) -> np.ndarray:
    """log k! − log(√(2πk) (k/e)^k) for integers k ≥ 1."""
    k = np.maximum(k, 1.0)
    small = np.minimum(k, 16.0)
    exact = gammaln(small + 1) - (small + 0.5) * np.log(small) + small - 0.5 * math.log(2 * math.pi)
    r = 1 / (k * k)
    series = (1 / 12 - r * (1 / 360 - r * (1 / 1260 - r * (1 / 1680 - r * (1 / 1188 - r * 691 / 360360))))) / k
    return np.where(k < 16, exact, series)


def peak(k: np.ndarray, count: float) -> np.ndarray:
    """Pr[K = k] e^{I(k)}, which does not depend on the probability of success."""
    inside = np.clip(k, 1.0, count - 1.0)
    rest = count - inside
    errors = stirling_error(np.asarray(float(count))) - stirling_error(inside) - stirling_error(rest)
    value = np.sqrt(count / (2 * math.pi * inside * rest)) * np.exp(errors)
    return np.where((k > 0) & (k < count), value, 1.0)


@dataclass(frozen=True, eq=False)
class Binomial:
    """K ~ Bin(count, success); the probabilities of success and failure are each a sum of two floats."""

    count: int
    success: tuple[float, float]
    failure: tuple[float, float]

    @cached_property
    def mirror(self) -> Binomial:
        """The law of the number of failures."""
        other = Binomial(self.count, self.failure, self.success)
        other.__dict__["mirror"] = self
        return other

    @cached_property
    def mean(self) -> float:
        return self.count * self.success[0]

    @cached_property
    def deviation(self) -> float:
        return math.sqrt(self.mean * self.failure[0])

    def excess(self, k: np.ndarray | float) -> np.ndarray:
        """k − n r."""
        product, rest = two_product(float(self.count), self.success[0])
        return (k - product) - (rest + self.count * self.success[1])

    def deviance(self, k: np.ndarray) -> np.ndarray:
        """I(k), with Pr[K = k] = peak(k) e^{−I(k)}."""
        k = np.clip(k, 0.0, float(self.count))
        excess = self.excess(k)
        rest = self.count * self.failure[0]
        return deviance_term(k, self.mean, excess) + deviance_term(self.count - k, rest, -excess)

    def is_upper(self, k: np.ndarray) -> np.ndarray:
        """Whether the tail above k is computed itself, and not as a complement."""
        return k >= self.mean - _MIDDLE * self.deviation

    def tail(self, k: np.ndarray) -> np.ndarray:
        """Pr[K ≥ k] for integers k."""
        upper = self.is_upper(k)
        value = np.empty(k.shape)
        value[upper] = self._upper_tail(k[upper])
        value[~upper] = 1.0 - self.mirror._upper_tail(self.count + 1.0 - k[~upper])
        return value

    def head(self, k: np.ndarray) -> np.ndarray:
        """Pr[K < k] for integers k."""
        return self.mirror.tail(self.count + 1.0 - k)

    def _upper_tail(self, k: np.ndarray) -> np.ndarray:
        return np.minimum(np.where(k <= 0, 1.0, falling(self.deviance(k), k, self._tails)), 1.0)

    @cached_property
    def _tails(self) -> Ratios:
        return Ratios(self, self)

    def tails_around(self, other: Binomial) -> Ratios:
        """J of the tails, tabulated where the other law has its mass."""
        return Ratios(self, other)


@dataclass(frozen=True, eq=False)
class Ratios:
    """J(k) of the tails of `law`, or, given the law under P and `gap`, of the calls Σ_{j>k} q_j (1 − e^{−(j−k)g}).

    Tabulated where `around` has its mass, and at most one standard deviation below the mean of `law`.
    """

    law: Binomial
    around: Binomial
    null: Binomial | None = None
    gap: float | None = None

    def __call__(self, k: np.ndarray) -> np.ndarray:
        """J at integers k within the table; 0 above the last."""
        count = self.law.count
        value = np.zeros(k.shape)
        low, high = k <= _ENDS, (k >= count - _ENDS) & (k <= count)
        value[low] = self._lowest[np.maximum(k[low], 0).astype(int)]
        value[high] = self._highest[(count - k[high]).astype(int)]
        inside = ~low & ~high & (k < count)
        if inside.any():
            value[inside] = self._between(k[inside])
        return value

    def _between(self, k: np.ndarray) -> np.ndarray:
        start, width, table = self._panels
        place = (self._deviations(k, self.law.excess(k)) - start) / width
        panel = np.clip(np.floor(place), 0, table.shape[1] - 1)
        x, panel = 2 * (place - panel) - 1, panel.astype(int)
        value = np.empty(k.shape)
        for first in range(0, k.size, _CHUNK):
            part = slice(first, first + _CHUNK)
            value[part] = np.polynomial.chebyshev.chebval(x[part], table[:, panel[part]], tensor=False)
        return value

    def _deviations(self, k: np.ndarray, excess: np.ndarray) -> np.ndarray:
        """y(k) − y(mean), to relative accuracy: sin(a − b) = (sin²a − sin²b)/sin(a + b)."""
        count, (success, failure) = self.law.count, (self.law.success[0], self.law.failure[0])
        sine = excess / (np.sqrt(k * failure) + np.sqrt((count - k) * success)) / math.sqrt(count)
        return 2 * math.sqrt(count) * np.arcsin(np.clip(sine, -1.0, 1.0))

    @cached_property
    def _panels(self) -> tuple[float, float, np.ndarray]:
        """The start of the first panel, the width of a panel, in standard deviations, and the coefficients."""
        law, count = self.law, self.law.count
        ends = np.array([_ENDS, count - _ENDS], dtype=float)
        first, last = self._deviations(ends, ends - law.mean)
        middle = self._deviations(np.asarray(self.around.mean), law.excess(self.around.mean))
        end = min(last, middle + _FARTHEST)
        start = min(max(first, -1.0, middle - _FARTHEST), end - 1e-3)
        number = max(math.ceil(end - start), 1)
        width = (end - start) / number
        turn = (start + width * (np.arange(number)[:, None] + (1 + _PLACES) / 2)) / (2 * math.sqrt(count))
        angle = math.atan2(math.sqrt(law.success[0]), math.sqrt(law.failure[0]))
        excess = count * np.sin(turn) * np.sin(2 * angle + turn)
        excess = np.clip(excess, _ENDS / 2 - law.mean, count - _ENDS / 2 - law.mean)
        return start, width, np.einsum("nc,pn->cp", _TO_COEFFICIENTS, self._contour(excess))

    def _contour(self, excess: np.ndarray) -> np.ndarray:
        """J at real k = mean + excess, at least a few standard deviations from both ends."""
        count, (success, failure) = self.law.count, (self.law.success[0], self.law.failure[0])
        above = np.maximum(excess, 0.0)
        center = self.law.mean + above
        right = _RIGHT * np.sqrt(center * (count - center) / count)
        k, center, above, off = self.law.mean + excess, center + right, above + right, above - excess + right
        rest = count - center
        spread = center * rest / count
        step = _STEP / np.sqrt(spread)
        shift = deviance_term(k, center, -off) + deviance_term(count - k, rest, off)
        inverse = (count - center) * success / (center * failure)
        below = above / (center * failure)
        step, spread, b, off, inverse, below = (
            a[..., None] for a in (step, spread, (center - rest) / count, off, inverse, below)
        )
        theta = step * np.arange(_TERMS)
        t = np.tan(theta / 2)
        sine = np.sin(theta / 2) ** 2
        x2 = np.multiply.outer(t**2, _XI**2)
        # n (phase of 1 + c(e^{iθ} − 1) − cθ) as an integral, since the two phases would cancel.
        bend = np.sum(_WEIGHT * _XI**2 / ((1 + b[..., None] ** 2 * x2) * (1 + x2)), axis=-1)
        phase = 4 * spread * b * t**3 * bend + off * theta
        size = np.exp(0.5 * count * np.log1p(-4 * spread / count * sine))
        wave = size * (np.cos(phase) + 1j * np.sin(phase))
        v = inverse * (np.cos(theta) - 1j * np.sin(theta))
        pole = below + 2 * inverse * sine + 1j * inverse * np.sin(theta)
        if self.gap is None:
            kernel = 1 / pole
        else:
            kernel = v * -math.expm1(-self.gap) / (pole * (-math.expm1(-self.gap) + math.exp(-self.gap) * pole))
        terms = (wave * kernel).real
        return np.exp(shift) * step[..., 0] / (2 * math.pi) * (2 * terms.sum(axis=-1) - terms[..., 0])

    @cached_property
    def _lowest(self) -> np.ndarray:
        """J(0), …, J(_ENDS), by recursion from the last; infinite where it is not needed."""
        if self.law.mean - self.law.deviation > _ENDS:
            return np.full(_ENDS + 1, np.inf)
        at = np.array([float(_ENDS)])
        unit = peak(at, self.law.count)[0]
        start = [ratios._contour(ratios.law.excess(at))[0] / unit for ratios in self._family]
        return self._downwards(_ENDS, start)

    @cached_property
    def _highest(self) -> np.ndarray:
        """J(n), J(n − 1), …, J(n − _ENDS)."""
        return self._downwards(self.law.count, [1.0, 0.0][: len(self._family)])[::-1]

    @property
    def _family(self) -> tuple[Ratios, ...]:
        return (self,) if self.null is None else (self.null._tails, self)

    def _downwards(self, last: int, values: Sequence[float]) -> np.ndarray:
        """J(last − _ENDS), …, J(last), from the tail (and the call) at `last`, in units of Pr[K = last]."""
        count, tail, call = self.law.count, values[0], values[-1]
        laws = (self.law,) if self.null is None else (self.null, self.law)
        odds = [law.success[0] / law.failure[0] for law in laws]
        lowest = max(last - _ENDS, math.floor(self.law.mean - 1.5 * self.law.deviation) - 2)
        ratios = np.full(_ENDS + 1, np.inf)
        ratios[-1] = values[-1]
        gone = 0.0 if self.gap is None else -math.expm1(-self.gap)
        for k in range(last - 1, lowest - 1, -1):
            next_to = (count - k) / (k + 1)
            if self.null is not None:
                call = next_to * odds[1] * (call + gone * tail)
            tail = 1.0 + next_to * odds[0] * tail
            ratios[k - last - 1] = tail if self.null is None else call
        return ratios * peak(last - _ENDS + np.arange(_ENDS + 1.0), count)


def falling(deviance: np.ndarray, k: np.ndarray, ratios: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """e^{−I(k)} J(k); 0 if that underflows."""
    value = np.zeros(k.shape)
    seen = deviance < _NOTHING
    value[seen] = np.exp(-deviance[seen]) * ratios(k[seen])
    return value
