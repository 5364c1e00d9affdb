"""From a Hellinger transform back to the privacy profile: composition without a grid.

H(s) = ∫ Q^s P^(1−s) of a composition is the product of its factors' transforms. With F(z) = H(1+z) = E_Q[e^{zL}] over
finite losses, K = log F, and Re z = c on the contour of integration,

    δ(ε)      = (1/2πi) ∫ e^{K(z)−zε} / (z(z+1)) dz      c > 0, finite losses only
    δ(ε) − 1  = the same integral                       −1 < c < 0, infinite losses included

The contour passes close to the saddle point of K(z) − zε, where the integrand is as small as the result. So no digits
cancel, neither of a tiny δ nor of a tiny 1 − δ. Contours are fixed for each mechanism, each serves an interval of ε,
and none depends on which ε are asked for.

*Quadrature.* A contour is cut into octaves, and these into panels on which F is nearly a polynomial of degree 31; each
is integrated by Gauss-Legendre points. Losses of very different sizes are no obstacle: 10⁻⁶ at most steps and 20 at a
few take 25 octaves.

*End of the contour.* For long training runs F decays, and a decreasing envelope bounds all that lies beyond the end:
with |F| ≤ E there and m the smaller of |c| and |1 + c|, it is at most E/π ∫ dt/(t² + m²). For short ones F does not
decay, since the losses of steps that the example takes no part in pile up at one end of the loss range, the `edge`. The
integrand is then multiplied by a window, ½ erfc(12 t/T − 6). This convolves the profile with a kernel of width 12/T
whose tails fall like a normal density and whose moments vanish. As the profile is smooth except at the edge,
T = A/|ε − edge| suffices if T also resolves the normal losses of the steps that the example takes part in; A is doubled
until the result no longer changes.

Where large losses are so rare that no contour is accurate, another method takes over: `positive_sums.py`.

The error of an answer has three parts: the error of log F; rounding, in proportion to the integral of the modulus; and
what lies beyond the end, or what the window changes.

Sources: Widder (1941), for the inversion of two-sided Laplace transforms; Zhu, Dong & Wang (2022), for the transform of
the loss; Lugannani & Rice (1980), for contours through the saddle point.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from scipy.special import erfc

from .._answers import NumericalError
from .._floats import LARGEST_LOSS, LAST_PLACE, SMALLEST, SMALLEST_LOG
from .polynomials import gauss
from .profile_table import Profile

# Integrands below e^−40 of their peak are left out.
_DEPTH = 40.0
# At every ε some contour has an integrand at most e^_SPACING times as large as that on the best of all lines. Twice as
# much costs up to a digit; half as much gains nothing.
_SPACING = 2.0
# δ below e^−720 counts as 0.
_DEEPEST = 720.0
# e^x does not underflow for x above this.
_LEAST_EXPONENT = SMALLEST_LOG + 1.0
# Gauss-Legendre points on a panel.
_POINTS = 32
# Largest change of the phase t (ε − ω) on a panel. The rule would integrate the phase factor alone to 1e-15 up to twice
# that, which leaves room for F.
_TURN = 28.0
# An integrand is resolved if its _LAST highest Legendre coefficients are below _SMOOTH.
_SMOOTH, _LAST = 1e-13, 5
# Ends of windows to try, in units of 1/|ε − edge|, and the relative change at which a result counts as settled, which
# is then the size of its error.
_WINDOWS = (200.0, 400.0, 800.0, 1600.0, 3200.0)
_STILL = 1e-12
# |ε − edge| counts as at most this many standard deviations of the losses away from the edge: so even the shortest
# window ends only where their part of F has fallen to e^−40.
_BLURRED = 22.0
# Windows are compared at these fractions of an interval of ε.
_COMPARED_AT = np.array([0.0, 0.08, 0.21, 0.37, 0.5, 0.61, 0.78, 0.93, 1.0])
# First guesses of ε are interpolated on a scale that is linear up to this.
_LINEAR = 1e-3
# A transform that has not decayed after so many octaves raises SlowDecay.
_MOST_OCTAVES = 64
# A contour ends where an envelope is below e^−32 of the peak.
_ENOUGH = 32.0
# Largest number of panels of a contour, and of one that is the last resort.
_MOST_PANELS, _MOST_AT_LAST = 130, 1500
# Relative error of δ, and absolute error of 1 − δ, above which the other method is tried.
_UNSHARP, _UNSHARP_REST = 1e-7, 1e-11
# Smallest complement for which a relative error is computed.
_SMALLEST_REST = 1e-300
# Standard deviations to which the losses of most steps extend: δ is about 10⁻⁹ there.
_MOST_LOSSES = 5.4
# Approximate −log δ at the ends of the intervals of ε.
_LEVELS = np.array([14.0, 25.0, 37.0, 50.0, 72.0, 95.0, 200.0, 400.0])


class SlowDecay(Exception):
    """The transform does not decay fast enough along the contour for an integral in reasonable time."""


class Panel:
    """A piece of a contour: F(c + it) e^{−itω}/F(c) at Gauss-Legendre points of t in [start, end], with its error."""

    def __init__(self, start: float, end: float, value: np.ndarray, error: np.ndarray) -> None:
        self.start, self.end, self.value, self.error = start, end, value, error

    def refined(self, pieces: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Points, weights, values and errors on that many equal pieces, by interpolation."""
        x, weight = gauss(_POINTS)
        half = (self.end - self.start) / (2 * pieces)
        t = (self.start + half * (2 * np.arange(pieces)[:, None] + 1 + x)).ravel()
        if pieces == 1:
            return t, half * weight, self.value, self.error
        error = float(self.error.max()) + LAST_PLACE * float(np.abs(self.value).max())
        # Multiply real and imaginary parts separately: converting the real matrix to complex takes longer.
        real = np.stack([self.value.real, self.value.imag], axis=1)
        value = (_interpolation(pieces) @ real) @ np.array([1.0, 1.0j])
        return t, np.tile(half * weight, pieces), value, np.full(t.shape, error)


class Contour:
    """The transform on the line Re z = c, computed octave by octave when needed.

    `peak` is K(c); `frequency` is ω of the panels; the octaves begin with [0, `first`] and have at most `most` panels.
    """

    def __init__(
        self,
        log_transform: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]],
        c: float,
        peak: float,
        frequency: float,
        first: float,
        most: int,
    ) -> None:
        self.c, self.peak, self.frequency = c, peak, frequency
        self._log_transform, self.first, self._most = log_transform, first, most
        self._octaves: list[list[Panel]] = []
        self._count = 0

    def octave(self, number: int) -> list[Panel]:
        """Panels of [0, t₁] for number 0, of [2^{k−1} t₁, 2^k t₁] for number k."""
        while len(self._octaves) <= number:
            k = len(self._octaves)
            start, end = (0.0 if k == 0 else self.first * 2.0 ** (k - 1)), self.first * 2.0**k
            self._octaves.append(self._resolved(start, end))
        return self._octaves[number]

    def _resolved(self, start: float, end: float) -> list[Panel]:
        """Panels of [start, end], halved until F is nearly a polynomial on each."""
        x, weight = gauss(_POINTS)
        t = start + (end - start) / 2 * (1.0 + x)
        log_f, error = self._log_transform(1.0 + self.c + 1j * t)
        log_f = log_f - self.peak
        value = np.exp(log_f - 1j * self.frequency * t)
        rounding = LAST_PLACE * (8.0 + np.abs(log_f) + abs(self.frequency) * t)
        self._count += 1
        if self._count > self._most:
            raise SlowDecay
        error = np.abs(value) * (error + rounding)
        if float(np.abs((value * weight) @ _highest_legendre()).max()) < max(_SMOOTH, float(error.max())):
            return [Panel(start, end, value, error)]
        middle = (start + end) / 2
        if not start < middle < end:  # a jump, caused by rounding where the transform vanishes
            raise SlowDecay
        return self._resolved(start, middle) + self._resolved(middle, end)


@lru_cache(maxsize=1)
def _highest_legendre() -> np.ndarray:
    """The matrix from values at the points of a panel to the highest Legendre coefficients."""
    x, _ = gauss(_POINTS)
    return np.polynomial.legendre.legvander(x, _POINTS - 1)[:, -_LAST:] * (np.arange(_POINTS)[-_LAST:] + 0.5)


@lru_cache(maxsize=32)
def _interpolation(pieces: int) -> np.ndarray:
    """The matrix from values at the points of a panel to values at the points of its equal pieces."""
    x, weight = gauss(_POINTS)
    fine = ((2 * np.arange(pieces)[:, None] + 1 + x) / pieces - 1.0).ravel()
    coefficients = np.polynomial.legendre.legvander(x, _POINTS - 1).T * weight * (np.arange(_POINTS) + 0.5)[:, None]
    return np.polynomial.legendre.legvander(fine, _POINTS - 1) @ coefficients


def saddles(grid: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """From real c and K(c): c; the ε whose saddle point it is; K(c) − cε; K''(c)."""
    slope = np.diff(value) / np.diff(grid)
    bend = np.maximum(np.diff(slope) / np.diff((grid[1:] + grid[:-1]) / 2), 1e-300)
    c, epsilon = grid[1:-1], (slope[1:] + slope[:-1]) / 2
    finite = np.isfinite(epsilon)
    return c[finite], epsilon[finite], (value[1:-1] - c * epsilon)[finite], bend[finite]


def epsilon_near(found: Sequence[np.ndarray], log_delta: np.ndarray) -> np.ndarray:
    """A first guess of the ε ≥ 0 at which δ has this logarithm, by the saddle-point approximation."""
    right = found[0] > 0
    c, epsilon, k, bend = (each[right] for each in found)
    log_term = k - np.log(c * (c + 1)) - np.log(2 * math.pi * bend) / 2
    return _interpolated(log_delta, log_term, epsilon)


def loss_near(found: Sequence[np.ndarray], log_alpha: np.ndarray) -> np.ndarray:
    """A first guess of the ε ≥ 0 at which Pr_P[L > ε] has this logarithm, by the saddle-point approximation."""
    c, epsilon, k, bend = found
    log_term = k - epsilon - np.log(2.0 + (c + 1) * np.sqrt(2 * math.pi * bend))
    return _interpolated(log_alpha, log_term, epsilon)


def _interpolated(height: np.ndarray, heights: np.ndarray, epsilon: np.ndarray) -> np.ndarray:
    """ε between saddle points, on logarithmic scales, as it may jump from hundredths to hundreds."""
    order = np.argsort(heights)
    below = -np.log(np.maximum(-heights[order], 1e-9))
    places = np.interp(-np.log(np.maximum(-height, 1e-9)), below, np.arcsinh(epsilon[order] / _LINEAR))
    return np.maximum(_LINEAR * np.sinh(places), 0.0)


class Inversion(Profile):
    """The finite losses of a pair at ε ≥ 0, from the logarithm of its Hellinger transform.

    Parameters
    ----------
    log_transform : callable
        A one-dimensional array of complex s, all real or with the same real part ↦ (log H(s), bound on its error).
    log_fall : callable
        (c, t ≥ 0) ↦ log of a bound, decreasing in t, on |F(c + it)|/F(c).
    edge : float
        The end of the loss range at which losses pile up; −∞ where the transform decays.
    spread : float
        The smallest standard deviation of losses that do not pile up there.
    law : callable, optional
        (ε, whether to return 1 − δ) ↦ (δ or 1 − δ, bound on the relative error), by another method, for intervals on
        which contours are inaccurate. Its attributes are `edges`, losses between which it is smooth, and `end`, the
        loss up to which it knows δ.
    name : str
        What to call the mechanism in error messages.
    """

    def __init__(
        self,
        log_transform: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]],
        log_fall: Callable[[float, float], float],
        edge: float = -math.inf,
        spread: float = math.inf,
        law: Any = None,
        name: str = "this composition",
    ) -> None:
        self._name = name
        self._log_transform, self._log_fall, self._law = log_transform, log_fall, law
        self._edge, self._spread = edge, spread
        self._contours: dict[tuple[int, int], Contour] = {}
        self._kept: dict[tuple[Any, ...], tuple[Any, ...]] = {}
        self._chosen: dict[int, bool] = {}

    # Intervals of ε, and the profile there.

    @property
    def highest(self) -> float:
        """The largest loss."""
        return self._edge if self._edge > 0 else math.inf

    def log_most(self, epsilon: np.ndarray) -> np.ndarray:
        """log of an upper bound on δ of finite losses."""
        return self.chernoff(epsilon)

    def left(self, epsilon: np.ndarray) -> np.ndarray:
        """An upper bound on δ beyond the last interval: e^−720, or the distance to the largest loss."""
        bound = np.full(epsilon.shape, math.exp(-_DEEPEST))
        if self._edge <= 0:
            return bound
        near = epsilon < self._below(np.array([_DEEPEST]))[0]
        bound[near] = (self._edge - epsilon[near]) * 1.01
        return np.where(epsilon < self._edge, bound, 0.0)

    @cached_property
    def edges(self) -> np.ndarray:
        """Ends of the intervals of ε ≥ 0, each served by one contour; beyond the last, δ is below e^−720."""
        cuts, last = self._ladder[2], self._last
        distance = abs(self._edge)
        if 0 < distance < math.inf:
            # Intervals also end where the distance from the edge doubles,
            if self._edge < 0:
                octaves = self._edge + distance * 2.0 ** np.arange(1, 2 + math.ceil(math.log2(1 + last / distance)))
            else:
                octaves = self._edge - distance * 2.0 ** -np.arange(1, 40)
            cuts = np.append(cuts, octaves)
        # and at fixed values of δ, so that a request for δ = 1e-5 does not compute the interval around 1e-30.
        cuts = np.append(cuts, self._below(_LEVELS))
        # Beyond the losses of most steps come those of a few, which contours may resolve less well.
        if self._law is not None:
            c, loss, _, variance = self._saddles
            cuts = np.append(cuts, np.interp(0.0, c, loss) + _MOST_LOSSES * math.sqrt(np.interp(0.0, c, variance)))
        cuts = np.unique(cuts[(cuts > 0) & (cuts < last)])
        return np.concatenate([[0.0], cuts, [last]])

    @cached_property
    def _last(self) -> float:
        """A loss beyond which δ is below e^−720, or the largest loss."""
        end = float(self._below(np.array([_DEEPEST]))[0])
        return min(end, self._edge * (1 - 2.0**-40)) if self._edge > 0 else end

    def _below(self, level: np.ndarray) -> np.ndarray:
        """Losses beyond which δ is below e^−level."""
        grid, value = self._chernoff
        right = grid > 0
        return np.min((value[right] + level[:, None]) / grid[right], axis=1)

    def beyond(self, delta: float) -> float:
        """A loss beyond which δ, without infinite losses, is less than `delta`."""
        return min(max(float(self._below(np.array([-math.log(delta)]))[0]), 0.0), self._last)

    def cuts(self, interval: int) -> np.ndarray:
        """Losses within an interval at which pieces of the other method end."""
        ends, number = self._served(interval)
        low, _, high = ends
        if not self._by_law(interval, number, ends):
            return np.empty(0)
        places = np.append(self._law.edges, self._law.end)
        return places[(places > low) & (places < high)]

    def sample(self, interval: int, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray, bool]:
        """On one interval: δ without infinite losses, or its complement; a bound on its relative error; and whether it
        is the complement."""
        ends, number = self._served(interval)
        complement = bool(self._ladder[0][number] < 0)
        beyond = np.zeros(epsilon.shape, dtype=bool)
        if self._by_law(interval, number, ends):
            complement = bool(self._law(ends[1:2], False)[0][0] > 0.5)
            beyond = epsilon > self._law.end
            value, error = self._law(np.minimum(epsilon, self._law.end), complement)
            if float(np.max(value * error)) > _UNSHARP_REST:
                # Where δ is large, the contour may still be more accurate.
                other, its_error = self._by_contour(number, ends, epsilon)
                if bool(self._ladder[0][number] < 0) != complement:
                    other, its_error = 1.0 - other, its_error * other / np.maximum(1.0 - other, _SMALLEST_REST)
                better = its_error < error
                value, error = np.where(better, other, value), np.where(better, its_error, error)
        else:
            value, error = self._by_contour(number, ends, epsilon)
        if complement:
            return value, error, True
        # If no digit is certain, use the smaller of the remaining upper bound and Chernoff's.
        most = np.where(np.isfinite(error), np.abs(value) * (1.0 + error), np.inf)
        bound = np.minimum(np.exp(np.clip(self.chernoff(epsilon), _LEAST_EXPONENT, LARGEST_LOSS)), most)
        # If the value contradicts Chernoff's bound, neither is used.
        strange = (error < 1.0) & (value * (1.0 - error) > 1.001 * bound)
        bound = np.where(strange, most, bound)
        useless = beyond | strange | ~(error < 1.0) | (value > bound)
        return np.where(useless, bound / 2, value), np.where(useless, 1.0, error), False

    def quickly(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """δ without infinite losses at ε ≥ 0, by contours even if they are inaccurate, and a bound on its error."""
        delta, error = np.zeros(epsilon.shape), np.zeros(epsilon.shape)
        intervals = np.searchsorted(self.edges, epsilon, side="right") - 1
        for interval in np.unique(intervals[epsilon < self.edges[-1]]):
            own = np.flatnonzero(intervals == interval)
            ends, number = self._served(interval)
            value, share = self._by_contour(number, ends, epsilon[own])
            most = np.exp(np.clip(self.chernoff(epsilon[own]), _LEAST_EXPONENT, LARGEST_LOSS))
            with np.errstate(invalid="ignore"):
                off = np.nan_to_num(np.abs(value) * share, nan=np.inf)
            value = 1.0 - value if self._ladder[0][number] < 0 else np.maximum(value, 0.0)
            known = off < most
            delta[own], error[own] = np.where(known, value, most / 2), np.where(known, off, most / 2)
        return delta, error

    def _served(self, interval: int) -> tuple[np.ndarray, int]:
        """Ends and middle of an interval, and the index of its contour."""
        low, high = self.edges[interval : interval + 2]
        ends = np.array([low, (low + high) / 2, high])
        return ends, int(np.searchsorted(self._ladder[2], ends[1]))

    def _by_law(self, interval: int, number: int, ends: np.ndarray) -> bool:
        """Whether the other method serves an interval, because large losses are too rare for contours."""
        if self._law is None:
            return False
        if interval not in self._chosen:
            value, error = self._by_contour(number, ends, ends)
            left = bool(self._ladder[0][number] < 0)
            if left:
                # δ may be tiny here, too, and must then be accurate itself.
                with np.errstate(invalid="ignore"):
                    off = error * value
                    sharp = (error <= _UNSHARP) & (off <= _UNSHARP_REST)
                    poor = ~(sharp & (off <= _UNSHARP * np.maximum(1.0 - value, 0.0)))
            else:
                poor = ~(error <= _UNSHARP)
            self._chosen[interval] = bool(poor.any())
        return self._chosen[interval]

    def _by_contour(self, number: int, ends: np.ndarray, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """δ or its complement by one of the contours, and a bound on the relative error."""
        left = self._ladder[0][number] < 0
        # If the best contour takes too many panels, try those with less tilt, where rare large losses have less weight.
        for other in range(number, max(number - 4, -1), -1):
            if (self._ladder[0][other] < 0) != left:
                break
            with contextlib.suppress(SlowDecay):
                value, error = self._integrals(other, ends, epsilon)
                return (-value if left else value), error
        if self._law is None:
            with contextlib.suppress(SlowDecay):
                value, error = self._integrals(number, ends, epsilon, _MOST_AT_LAST)
                return (-value if left else value), error
        # No digit is certain.
        return np.full(epsilon.shape, 0.5), np.ones(epsilon.shape)

    def chernoff(self, epsilon: np.ndarray) -> np.ndarray:
        """log of a bound on δ(ε), for c > 0: e^{K(c) − cε} c^c/(1+c)^{1+c}."""
        grid, value = self._chernoff
        c = grid[grid > 0]
        height = value[grid > 0] - np.log1p(c) - c * np.log1p(1.0 / c)
        return np.min(height - np.multiply.outer(epsilon, c), axis=-1)

    def epsilon_near(self, log_delta: np.ndarray) -> np.ndarray:
        """A first guess of the ε ≥ 0 at which δ, without infinite losses, has this logarithm."""
        return epsilon_near(self._saddles, log_delta)

    def loss_near(self, log_alpha: np.ndarray) -> np.ndarray:
        """A first guess of the ε ≥ 0 at which Pr_P[L > ε] has this logarithm."""
        return loss_near(self._saddles, log_alpha)

    @cached_property
    def _saddles(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """c; the ε whose saddle point it is; K(c) − cε; K''(c)."""
        return saddles(*self._chernoff)

    # Real arguments: Chernoff's bounds, and where the contours go.

    def _cumulant(self, c: Any) -> np.ndarray:
        """K on the real line; +∞ if it overflows or is unknown."""
        c = np.asarray(c, dtype=float)
        value = np.empty(c.shape)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            for few in np.array_split(np.argsort(c), max(1, len(c) // 12)):
                value[few] = self._log_transform(1.0 + c[few] + 0j)[0].real
            # Arguments of different sizes need more nodes together than each on its own.
            for one in np.flatnonzero(~np.isfinite(value)):
                value[one] = self._log_transform(np.array([1.0 + c[one] + 0j]))[0][0].real
        return np.where(np.isfinite(value), value, np.inf)

    @cached_property
    def _scale(self) -> float:
        """The order of magnitude of the standard deviation of the loss, tilted half-way between P and Q."""
        step, bend, centre = 1.0, math.inf, -0.5
        for _ in range(60):
            low, middle, high = self._cumulant([centre - step, centre, centre + step])
            bend = low + high - 2 * middle
            if math.isfinite(bend) and 1e-4 < bend < 1.0:
                break
            if bend < 1e-4 and step >= 1.0:
                break
            step *= 0.3 if not math.isfinite(bend) or bend > 1.0 else 2.0
        return math.sqrt(max(bend, 1e-300)) / step

    @cached_property
    def _chernoff(self) -> tuple[np.ndarray, np.ndarray]:
        """Real c and K(c), from −1 until δ underflows, evenly spaced on logarithmic scales of |c| and 1 + c."""
        if not math.isfinite(self._scale):
            raise NumericalError(f"losses of {self._name} are too far apart: dptutor cannot compute it")
        smallest = 2e-3 * min(1.0, 1.0 / self._scale)
        inner = np.geomspace(smallest, 0.5, max(8, math.ceil(math.log(0.5 / smallest) / math.log(1.3))))
        grid = _whole_in_s(np.concatenate([-1.0 + inner, -inner[inner < 0.499]]))
        value = self._cumulant(grid)
        c, right, heights = smallest, list[float](), list[float]()
        while len(right) < 600:
            more = _whole_in_s(c * 1.2 ** np.arange(16))
            found = self._cumulant(more)
            right.extend(more)
            heights.extend(found)
            if not np.isfinite(found).all():
                break
            slope = (found[-1] - found[-2]) / (more[-1] - more[-2])
            # Beyond this, δ underflows or ε cannot be resolved in double precision.
            if found[-1] - more[-1] * slope < -_DEEPEST - 10 or more[-1] * abs(slope) > 1e9:
                break
            c = more[-1] * 1.2
        grid, value = np.append(grid, right), np.append(value, heights)
        kept = np.isfinite(value)
        return grid[kept], value[kept]

    @cached_property
    def _ladder(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The contours: c, increasing; K(c); and the losses at which one hands over to the next."""
        grid, value = self._chernoff
        # The logarithm of the integrand's size at ε is this minus cε; it is convex on either side of the pole at 0.
        height = value - np.log(np.abs(grid) * (1.0 + grid))
        chosen = [_chords(grid, height, side) for side in (np.flatnonzero(grid < 0), np.flatnonzero(grid > 0))]
        lines, cuts = _lower_envelope(grid, height, np.concatenate(chosen))
        return grid[lines], value[lines], np.array(cuts)

    def contour(self, number: int, most: int = _MOST_PANELS) -> Contour:
        """The contour with this index, of at most `most` panels."""
        if (number, most) not in self._contours:
            c, peak = (float(x[number]) for x in self._ladder[:2])
            low, high = self._range(c, peak)
            # Phases count from the middle of the losses that matter, or from the edge if that is close.
            grid, value = self._chernoff
            mean = min(max(float(np.interp(c, grid, np.gradient(value, grid))), low), high)
            low = max(low, mean - 4 * (high - mean))
            near = abs(self._edge) < math.inf and low - (high - low) / 4 < self._edge < high + (high - low) / 4
            frequency = self._edge if near else mean
            first = min(2.0 * min(abs(c), abs(1.0 + c)), 40.0 / max(high - low, 1e-3 * abs(high), 1e-290))
            self._contours[number, most] = Contour(self._log_transform, c, peak, frequency, first, most)
        return self._contours[number, most]

    def _range(self, c: float, peak: float) -> tuple[float, float]:
        """The range of losses that matter on a contour, by Chernoff's bound."""
        grid, value = self._chernoff
        apart = np.abs(grid - c) > 1e-9 * abs(c)
        above, below = apart & (grid > c), apart & (grid < c)
        high = float(np.min((value[above] - peak + 34.0) / (grid[above] - c), initial=math.inf))
        low = float(np.max((value[below] - peak + 34.0) / (grid[below] - c), initial=-math.inf))
        if not math.isfinite(low):
            low = high - 40.0 / c if math.isfinite(high) else 0.0
        if not math.isfinite(high):
            high = low + 40.0 * min(self._scale, 40.0 / abs(c))
        return low, max(high, low + 1e-12 * abs(low) + 1e-300)

    # Integrals.

    def _integrals(
        self, number: int, ends: np.ndarray, epsilon: np.ndarray, most: int = _MOST_PANELS
    ) -> tuple[np.ndarray, np.ndarray]:
        """The integral along a contour at losses between the ends, and a bound on its relative error."""
        contour = self.contour(number, most)
        points, units, rest, beyond = self._points(contour, ends)
        value, noise = self._sums(contour, points, epsilon, units / self._nearest(contour, ends))
        with np.errstate(divide="ignore"):
            rest = rest + beyond / np.abs(value)
        turn = contour.c * epsilon
        exponent = contour.peak - turn
        factor = np.exp(np.clip(exponent, _LEAST_EXPONENT, LARGEST_LOSS))
        # The exponent is rounded, and so is a subnormal result; one that underflows is between 0 and the least float.
        found = np.where(value < 0, -1.0, 1.0) * np.maximum(np.abs(value * factor), SMALLEST)
        rounding = LAST_PLACE * (2.0 + np.abs(turn) + np.abs(exponent)) + SMALLEST / factor + SMALLEST / np.abs(found)
        return found, noise + rest + np.where(exponent >= _LEAST_EXPONENT, rounding, 1.0)

    def _points(self, contour: Contour, ends: np.ndarray) -> Any:
        """Points of quadrature up to the end of a contour, that end, and bounds on what is left out.

        Points come with weights, F and its error. The end is in units of 1/|ε − edge|, or ∞ if the integrand decays
        without a window. One bound is relative to the integral, the other to e^{peak − cε}.
        """
        key = contour, *ends
        if key in self._kept:
            return self._kept[key]
        nearest = self._nearest(contour, ends)
        # The effect of the window is not known in advance: compare windows at several losses.
        places = ends[0] + (ends[-1] - ends[0]) * _COMPARED_AT
        for units in _WINDOWS:
            points, beyond = self._upto(contour, ends, units / nearest if math.isfinite(self._edge) else math.inf)
            if beyond < math.inf:
                units, rest = math.inf, 0.0
                break
            value, noise = self._sums(contour, points, places, units / nearest)
            shorter, _ = self._sums(contour, points, places, units / 1.5 / nearest)
            with np.errstate(divide="ignore", invalid="ignore"):
                moved = np.abs(value - shorter) / np.abs(value) - noise
            rest, beyond = max(float(np.max(moved)), _STILL), 0.0
            if rest == _STILL:
                break
        self._kept[key] = points, units, rest, beyond
        return self._kept[key]

    def _nearest(self, contour: Contour, ends: np.ndarray) -> float:
        """The distance of an interval from the edge; less if only a longer window resolves the losses that matter."""
        return min(float(np.abs(ends - self._edge).min()), 40.0 / contour.first, _BLURRED * self._spread)

    def _upto(self, contour: Contour, ends: np.ndarray, end: float) -> Any:
        """The points up to t = end, or until the integrand has decayed, and a bound on the rest."""
        furthest = float(np.abs(ends - contour.frequency).max())
        points, octave, reached, beyond = [], 0, 0.0, math.inf
        while reached < end and beyond == math.inf:
            for panel in contour.octave(octave):
                turns = furthest * (panel.end - panel.start) / _TURN
                points.append(panel.refined(1 if turns <= 1 else 2 ** math.ceil(math.log2(turns))))
                reached = panel.end
                # It has decayed if it is negligible, or below the rounding error of sums.
                noise = 4.0 * float(panel.error.max())
                if float(np.max(np.abs(panel.value))) < max(math.exp(-_DEPTH), noise):
                    most = math.exp(min(self._log_fall(contour.c, reached), 0.0))
                    if most < max(math.exp(-_ENOUGH), noise):
                        nearest = min(abs(contour.c), abs(1.0 + contour.c))
                        beyond = most * math.atan2(nearest, reached) / nearest / math.pi
                        break
            octave += 1
            if octave > _MOST_OCTAVES:
                raise SlowDecay
        return tuple(np.concatenate(part) for part in zip(*points, strict=True)), beyond

    def _sums(self, contour: Contour, points: Any, epsilon: np.ndarray, end: float) -> tuple[np.ndarray, np.ndarray]:
        """The integrals at each ε, with a window that ends at `end`, divided by e^{peak − cε}, and a bound on their
        relative rounding error."""
        t, weight, transform, its_error = points
        z = contour.c + 1j * t
        kernel = weight / (math.pi * z * (1.0 + z))
        integrand, error = transform * kernel, its_error * np.abs(kernel)
        size = np.abs(integrand)
        seen = integrand * (0.5 * erfc(12.0 * t / end - 6.0)) if math.isfinite(end) else integrand
        value, noise = np.empty(epsilon.shape), np.empty(epsilon.shape)
        for few in np.array_split(np.arange(len(epsilon)), max(1, len(epsilon) * len(t) // 200_000)):
            turning = epsilon[few] - contour.frequency
            value[few] = _real_part(seen, np.multiply.outer(turning, t)).sum(axis=1)
            noise[few] = error.sum() + LAST_PLACE * (8.0 * size.sum() + np.abs(turning) * (size @ t))
        with np.errstate(divide="ignore", invalid="ignore"):
            return value, np.where(value != 0, noise / np.abs(value), np.inf)


def _real_part(amplitude: np.ndarray, phase: np.ndarray) -> np.ndarray:
    """Re(amplitude · e^{−i phase}), by the tangent of half the phase, which is faster than sine and cosine."""
    tangent = np.tan(phase / 2)
    square = tangent * tangent
    # cos = (1 − t²)/(1 + t²), sin = 2t/(1 + t²)
    found = (1.0 - square) * amplitude.real
    found += (2.0 * amplitude.imag) * tangent
    found /= 1.0 + square
    return found


def _whole_in_s(c: np.ndarray) -> np.ndarray:
    """Values nearby for which s = 1 + c is exact; distinct, and not 0."""
    c = np.unique((1.0 + c) - 1.0)
    return c[c != 0.0]


def _chords(grid: np.ndarray, height: np.ndarray, side: np.ndarray) -> np.ndarray:
    """Indices on one side of the pole between which chords are at most `_SPACING` above a convex function."""
    if not side.size:
        return side
    chosen = [int(side[0])]
    while chosen[-1] < side[-1]:
        start, best = chosen[-1], chosen[-1] + 1
        for end in range(start + 2, int(side[-1]) + 1):
            inside = np.arange(start + 1, end)
            slope = (height[end] - height[start]) / (grid[end] - grid[start])
            if np.max(height[start] + slope * (grid[inside] - grid[start]) - height[inside]) > _SPACING:
                break
            best = end
        chosen.append(best)
    return np.array(chosen)


def _lower_envelope(grid: np.ndarray, height: np.ndarray, places: np.ndarray) -> tuple[list[int], list[float]]:
    """Indices of the functions height − grid·ε that are the smallest at some ε, and the ε at which they cross."""
    kept, cuts = list[int](), list[float]()
    for place in places:
        while kept:
            cut = float((height[place] - height[kept[-1]]) / (grid[place] - grid[kept[-1]]))
            if not cuts or cut > cuts[-1]:
                cuts.append(cut)
                break
            kept.pop()
            cuts.pop()
        kept.append(int(place))
    return kept, cuts
