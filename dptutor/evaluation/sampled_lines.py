"""Lower and upper bounds on the privacy profile, from a Hellinger transform that need not decay.

With F(z) = E_Q[e^{zL}; L finite] = H(1 + z), K = log F, F₀ = F(0) and any line Re z = c on which F is sampled,

    D(ε) = E_Q[(1 − e^{ε−L})₊; L finite] = (1/2πi) ∫ e^{K(z)−zε} / (z(z+1)) dz    c > 0;    D(ε) − F₀,   −1 < c < 0.

A trapezoid sum with step h and N terms errs in three ways, each of which is bounded.

*Images.* The sum adds e^{ckW} D(ε + kW) for all k ≠ 0, W = 2π/h (or D − F₀ in place of D if c < 0). Chernoff's bound
says that D, F₀ − D and D − F₀ + e^x F(−1) are at most e^{K(c')−c'x} for c' > 0, for c' in (−1, 0), and for c' < −1. For
k > 0, and for k < 0, the best of the three is chosen; the images of its known difference from the function that is
integrated are subtracted exactly. What remains is at most about e^{−d} e^{K(c)−cε} if W ≥ high − low and
low ≤ ε ≤ high, where high is the smallest (K(c') − K(c) + d)/(c' − c) over all c' > c, and low the largest over c' < c.

*Truncation.* With a decreasing envelope |F(c+it)| ≤ E(t), the terms left out are at most ∫_T^∞ E t^−2 dt/π. Where that
is too much, as with atoms, a Gaussian mechanism with a tiny μ is added. Its transform decays, and the profile U and the
Q-density ρ of the loss of all together bound D:

    U(ε) − μ² e^{μ²/8} ρ(ε)  ≤  D(ε)  ≤  U(ε).

The upper bound holds because a further mechanism cannot lower δ. For the lower one, U − D is E[k(L − ε)], with k(y) the
time value of an option in Black and Scholes' formula. Its derivative in μ is φ(y/μ) e^{−y/2−μ²/8}; without the factor
e^{−μ²/8} ≤ 1 that increases in μ. So k ≤ μ φ(y/μ) e^{−y/2}, which is μ² e^{μ²/8} times the density of the added loss
at −y.

*Rounding.* Σ |term| (error of K + 8u + 2u t|ε|).

Lines are chosen from the mechanism, never from the ε asked for: the same ε gives the same bits in any array.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from .._floats import LARGEST_LOSS, UNIT_ROUNDOFF
from .hellinger import SlowDecay, epsilon_near, loss_near, saddles

# d: images are at most about e^−_DEPTH of the integral. Half of it leaves errors of 1e-6, twice as much gains nothing.
_DEPTH = 34.0
# Distance between lines, in units of the width of the integrand at its saddle point. Twice as far doubles errors.
_SPACING = 2.0
# Largest number of lines in each of c > 0 and −1 < c < 0.
_MOST_LINES = 300
# −log δ at which δ underflows.
_DEEPEST = 740.0
# Target truncation errors, relative to δ, which errors of results follow: the second is tried if the first would take
# too many terms.
_GOALS = (1e-11, 3e-10)
# If 1 − δ is below e^−_CERTAIN, Chernoff's bound is enough.
_CERTAIN = 45.0
# Envelopes are multiplied by this, as their logarithms are rounded.
_MARGIN = 1.01
# Largest number of samples that are kept of a line that is negligible almost everywhere.
_MOST_ACTIVE = 2**14
# A line is not sampled where F is provably below e^−_SILENT times its maximum.
_SILENT = 45.0


@dataclass(frozen=True)
class Transform:
    """Logarithm of F for a pair, and bounds on its decay along a line.

    Attributes
    ----------
    log : callable
        Array of complex z with similar real parts ↦ K(z) and a bound on its error.
    log_envelope : callable
        c, array of t ≥ 0 ↦ log of a bound, decreasing in t, on |F(c + it)|.
    reach : float
        The largest |z| at which real z may be asked for.
    terms : int
        How many samples of a line are affordable.
    on_line : callable, optional
        c, step, count ↦ what `samples` returns, but faster.
    log_masses : tuple of float, optional
        log F(0) and log F(−1), more accurately than `log` sums them over many parts.
    of_masses : float, optional
        Relative error of F(0) and F(−1), in addition to the rounding of their logarithms.
    repeated : tuple of (count, size, deviation), optional
        Parts used often: how often; c, t ↦ |f(c + it)|/f(c) for one of them with transform f; and c ↦ a bound on the
        standard deviation of its tilted loss, which bounds the slope of that ratio in t.
    """

    log: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
    log_envelope: Callable[[float, np.ndarray], np.ndarray]
    reach: float = math.inf
    terms: int = 2**16
    on_line: Callable[[float, float, int], tuple[np.ndarray, np.ndarray]] | None = None
    repeated: tuple[tuple[int, Callable[[float, np.ndarray], np.ndarray], Callable[[float], float]], ...] = ()
    log_masses: tuple[float, float] = (0.0, 0.0)
    of_masses: float = 0.0

    @property
    def cheap(self) -> bool:
        """Whether z with different real parts may be evaluated together."""
        return self.terms > 2**13

    def samples(self, c: float, step: float, count: int) -> tuple[np.ndarray, np.ndarray]:
        """F(c + ikh)/F(c), k < count, and a bound on its error."""
        if self.on_line is not None:
            return self.on_line(c, step, count)
        value, error = self.log(c + 1j * step * np.arange(count))
        ratio = np.exp(value - value[0].real)
        return ratio, np.abs(ratio) * (error + 2 * UNIT_ROUNDOFF * np.abs(value))

    def on(self, real: np.ndarray) -> np.ndarray:
        """K at real z, which may differ much in size."""
        if self.cheap:
            return self.log(real.astype(complex))[0].real
        return np.array([self._alone(z) for z in real])

    def _alone(self, z: float) -> float:
        try:
            return float(self.log(np.array([z], dtype=complex))[0][0].real)
        except SlowDecay:
            return math.inf


class Inverter:
    """Lower and upper bounds on D(ε) = E_Q[(1 − e^{ε−L})₊; L finite], for any real ε."""

    def __init__(self, transform: Transform) -> None:
        self._transform = transform
        self._c, self._k = self._chernoff_grid()
        self._log_mass, self._log_p_mass = transform.log_masses
        self._off = _rounding_of(self._log_mass) + transform.of_masses
        self._ladder = self._rungs()
        self._lines: dict[int, _Line | None] = {}

    @property
    def most_terms(self) -> int:
        """The largest number of terms of a line."""
        return self._transform.terms

    @property
    def mass(self) -> float:
        """F₀, the probability under Q of a finite loss."""
        return math.exp(self._log_mass)

    def profile(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Lower and upper bounds on D for a one-dimensional array."""
        lower, upper = self.chernoff(epsilon)
        c, k = self._ladder
        if len(c):
            with np.errstate(over="ignore"):
                size = k - np.multiply.outer(epsilon, c) - np.log(np.abs(c * (c + 1)))
            # If Chernoff's bound is sharp enough, no line is needed.
            open_ = (upper > 1e-300) & (upper - lower > 1e-15 * upper)
            best = np.where(open_, np.argmin(size, axis=1), -1)
            for number in np.unique(best[best >= 0]):
                at = np.flatnonzero(best == number)
                line = self._line(int(number))
                if line is None:
                    continue
                low, high = line.interval(epsilon[at])
                lower[at], upper[at] = np.maximum(lower[at], low), np.minimum(upper[at], high)
        return lower, upper

    def epsilon_near(self, log_delta: np.ndarray) -> np.ndarray:
        """A first guess of the ε at which D has this logarithm."""
        return epsilon_near(self._saddles, log_delta)

    def loss_near(self, log_alpha: np.ndarray) -> np.ndarray:
        """A first guess of the ε ≥ 0 at which Pr_P[L > ε] has this logarithm."""
        return loss_near(self._saddles, log_alpha)

    @cached_property
    def _saddles(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        inner = self._c >= -0.5
        return saddles(self._c[inner], self._k[inner])

    def chernoff(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Lower and upper bounds by Chernoff's bound alone."""
        c, k = self._c, self._k
        right, middle = c > 0, (c > -1) & (c < 0)
        kernel = -np.log1p(c[right]) - c[right] * np.log1p(1 / c[right])
        above = np.min(k[right] + kernel - np.multiply.outer(epsilon, c[right]), axis=1, initial=np.inf)
        below = np.min(k[middle] - np.multiply.outer(epsilon, c[middle]), axis=1, initial=np.inf)
        slack = 1e-9 + 8 * UNIT_ROUNDOFF * np.abs(epsilon)
        upper = np.minimum(np.exp(np.minimum(above + slack, 0.0)), self.mass * (1 + self._off))
        lower = np.maximum(self.mass * (1 - self._off) - np.exp(np.minimum(below + slack, 0.0)), 0.0)
        return np.minimum(lower, upper), upper

    def _chernoff_grid(self) -> tuple[np.ndarray, np.ndarray]:
        scale, scale_p = self._scale(0.0), self._scale(-1.0)
        reach = self._transform.reach
        many = 1 if self._transform.cheap else 2
        right = scale * np.geomspace(0.02, 1e6, 220) if many == 1 else scale * np.geomspace(0.02, 1e4, 80)
        left = scale_p * np.geomspace(0.02, 3000.0, 60 // many)
        middle = np.geomspace(min(0.25, scale * 0.02), 0.5, 60 // many)
        middle_p = np.geomspace(min(0.25, scale_p * 0.02), 0.5, 60 // many)[:-1]
        right, left = right[right <= reach - 1], left[left <= reach]
        c = np.concatenate([-1 - left[::-1], [-1.0], -1 + middle_p, -middle[::-1], [0.0], right])
        c = np.unique((1.0 + c) - 1.0)
        k = self._transform.on(c)
        fine = np.isfinite(k) & ((c <= 0) | (k < 1e290))
        return c[fine], k[fine]

    def _scale(self, centre: float) -> float:
        """The c with K(centre + c) + K(centre − c) − 2K(centre) ≈ 1: the inverse of the loss's standard deviation."""
        at = float(self._transform.on(np.array([centre]))[0])
        c = 1.0
        low, high = 0.0, math.inf
        for _ in range(80):
            ends = self._transform.on(np.array([centre + c, centre - c]))
            value = float(ends.sum()) - 2 * at
            if 0.5 < value < 2.0:
                break
            if value >= 2.0:
                high = c
            else:
                low = c
            guess = c / math.sqrt(value) if 1e-8 < value < 1e8 else (c * 1e-3 if value > 1 else c * 1e3)
            c = guess if low < guess < high else (math.sqrt(low * high) if low > 0 and high < math.inf else guess)
            if not 1e-12 < c < 1e12 or c > self._transform.reach / 2:
                break
        return min(max(c, 1e-12), self._transform.reach / 10)

    def _rungs(self) -> tuple[np.ndarray, np.ndarray]:
        """The lines for ε ≥ 0: c and K(c)."""
        chosen = []
        c, k = self._c, self._k
        for strip in (c > 0, (c > -1) & (c < 0)):
            x, value = c[strip], k[strip]
            if len(x) < 5:
                continue
            psi = value - np.log(np.abs(x)) - np.log1p(x)
            slope = np.diff(value) / np.diff(x)
            curvature = np.maximum(np.diff(slope) / np.diff((x[1:] + x[:-1]) / 2), 0.0)
            inner = x[1:-1]
            density = np.sqrt(curvature + 1 / inner**2 + 1 / (1 + inner) ** 2)
            length = np.append(0.0, np.cumsum(np.diff(inner) * (density[1:] + density[:-1]) / 2))
            start = length[np.argmin(psi[1:-1])]
            depth = value[1:-1] - inner * (slope[1:] + slope[:-1]) / 2
            end = length[-1]
            if x[0] > 0 and np.any(depth < -_DEEPEST):
                end = length[np.argmax(depth < -_DEEPEST)]
            first = 0.0
            if x[0] < 0 and np.any(depth > -_CERTAIN):
                first = length[np.argmax(depth > -_CERTAIN)]
            start = max(start, first)
            places = np.arange(max(start - _SPACING / 2, 0.0), end, _SPACING)[:_MOST_LINES]
            chosen.append(np.interp(places, length, inner))
        points = np.unique(np.concatenate(chosen)) if chosen else np.empty(0)
        points = (1.0 + points) - 1.0
        return points, np.interp(points, c, k)

    def _line(self, number: int) -> _Line | None:
        if number not in self._lines:
            c = float(self._ladder[0][number])
            self._lines[number] = self._sampled(c, float(self._transform.log(np.array([c + 0j]))[0][0].real))
        return self._lines[number]

    def _window(self, c: float, peak: float, mu: float) -> tuple[float, float, float, float]:
        """`low` and `high`, between which ε must lie, and the c' at which Chernoff's bounds attain them."""
        grid, value = self._c, self._k + mu**2 * (self._c**2 + self._c) / 2
        left, right = grid < c - 1e-9 * abs(c), grid > c + 1e-9 * abs(c)
        left &= (grid != 0.0) & (grid != -1.0)
        right &= (grid != 0.0) & (grid != -1.0)
        lows = (value[left] - peak + _DEPTH) / (grid[left] - c)
        highs = (value[right] - peak + _DEPTH) / (grid[right] - c)
        low, high = int(np.argmax(lows)), int(np.argmin(highs))
        return float(lows[low]), float(highs[high]), float(grid[left][low]), float(grid[right][high])

    def _sampled(self, c: float, peak: float) -> _Line | None:
        most = self._transform.terms
        while True:
            try:
                return self._with_terms(c, peak, most)
            except SlowDecay:
                # Far up the line the transform of a step needs too many nodes: take fewer terms.
                most //= 4
                if most < 16:
                    return None

    def _with_terms(self, c: float, peak: float, most: int) -> _Line:
        mu = 0.0
        low, high, below, above = self._window(c, peak, mu)
        width = 1.02 * (high - low)
        deviation = max((high - low) / 20.0, 1e-300)
        step = 2 * math.pi / width
        t = step * 8 * np.geomspace(1.0, 100.0 * most / 8, 80)
        fall = self._transform.log_envelope(c, t) - peak
        envelope = _MARGIN * np.exp(np.minimum(fall, 0.0))
        count, mu, truncated = self._cut(t, envelope, step, most, c, deviation)
        for _ in range(20):
            if not mu:
                break
            tilted = peak + mu**2 * (c**2 + c) / 2
            low, high, below, above = self._window(c, tilted, mu)
            if width >= high - low:
                break
            width = 1.05 * (high - low)
            step = 2 * math.pi / width
            count, mu, truncated = self._cut(t, envelope, step, most, c, deviation)
        index, missed = None, 0.0
        if mu and self._transform.repeated:
            index, end = self._active(c, step, count)
        if index is not None:
            # Only the added Gaussian makes this integrand decay.
            x = 6.0
            mu, count = x / end, len(index)
            rest = math.exp(-(x**2) / 2) / x**2 / end / math.pi
            truncated = rest, rest * end**2
            nearest = min(abs(c), abs(1 + c))
            missed = math.exp(-_SILENT) * (step / abs(c * (c + 1)) + math.pi / nearest)
            z: np.ndarray = c + 1j * step * index
            value, error = self._transform.log(z)
            ratio = np.exp(value - value[0].real)
            error = np.abs(ratio) * (error + 2 * UNIT_ROUNDOFF * np.abs(value))
        else:
            z = c + 1j * step * np.arange(count)
            ratio, error = self._transform.samples(c, step, count)
        # e^{μ²(z²+z)/2} relative to its value at t = 0
        smooth = np.exp(mu**2 * ((2 * c + 1) * 1j * z.imag - z.imag**2) / 2) if mu else 1.0
        terms = ratio * smooth * (step / (2 * math.pi))
        error = error * np.abs(smooth) * (step / (2 * math.pi))
        terms[1:] *= 2.0
        error[1:] *= 2.0
        tilted = peak + mu**2 * (c**2 + c) / 2
        return _Line(
            c,
            tilted,
            step,
            low,
            high,
            below,
            above,
            mu,
            terms,
            error,
            (truncated[0] + missed, truncated[1] + missed * 1e6),
            self._log_mass,
            self._log_p_mass,
            self._transform.of_masses,
            index,
        )

    def _active(self, c: float, step: float, least: int) -> tuple[np.ndarray | None, float]:
        """Indices of the samples of a much longer line at which |F| is not provably below e^−45 F(c); and its end.

        From t to t' the ratio |f(c + it)|/f(c) of one part changes by at most its standard deviation times |t − t'|.
        """
        parts = [(count, size, deviation(c)) for count, size, deviation in self._transform.repeated]
        widest = max(spread for _, _, spread in parts)
        if not 1e-12 * step < widest < math.inf:
            return None, 0.0  # there would be too many samples to check
        end = min(1e4 / widest, 1e15 * step)
        while end > 4 * least * step:
            half = min(0.2 / widest, end / 8)
            middle = half * (2 * np.arange(math.ceil(end / (2 * half))) + 1)
            while True:
                bound = np.zeros(middle.shape)
                for count, size, spread in parts:
                    bound += count * np.log(np.minimum(size(c, middle) + half * spread, 1.0))
                middle = middle[bound > -_SILENT]
                if half < 4 * step or len(middle) * 2 * half > 64 * step * _MOST_ACTIVE:
                    break
                half /= 4
                middle = np.add.outer(middle, half * np.array([-3.0, -1.0, 1.0, 3.0])).ravel()
                if len(middle) > 2_000_000:
                    break
            first, last = np.floor((middle - half) / step).astype(int), np.ceil((middle + half) / step).astype(int)
            total = int((last - first + 1).sum())
            if total <= 4 * _MOST_ACTIVE:
                # Intervals that touch share a sample.
                starts = np.repeat(first - np.append(0, np.cumsum(last - first + 1)[:-1]), last - first + 1)
                index = np.unique(starts + np.arange(total))
                index = index[(index >= 0) & (index <= end / step)]
                if len(index) <= _MOST_ACTIVE:
                    return np.unique(np.append(0, index)), end
            end /= 4
        return None, 0.0

    @staticmethod
    def _cut(
        t: np.ndarray, envelope: np.ndarray, step: float, most: int, c: float, deviation: float
    ) -> tuple[int, float, tuple[float, float]]:
        """The number of terms, μ (0 without an added Gaussian), and bounds on the truncation errors of δ and ρ, in
        units of e^{K(c)−cε}."""
        pieces = envelope[:-1] * (1 / t[:-1] - 1 / t[1:])
        tail = (np.append(np.cumsum(pieces[::-1])[::-1], 0.0) + envelope[-1] / t[-1]) / math.pi
        # Approximate sizes of ρ and of δ, in the same units.
        density = 1 / math.sqrt(2 * math.pi * (deviation**2 + 1 / c**2 + 1 / (1 + c) ** 2))
        delta = density / abs(c * (c + 1))
        end = step * (most - 1)
        affordable = t <= end
        for goal in _GOALS:
            inside = np.flatnonzero((tail <= goal * delta) & affordable)
            if inside.size:
                first = inside[0]
                return math.ceil(t[first] / step) + 1, 0.0, (float(tail[first]), 0.0)
        at = max(int(np.count_nonzero(affordable)) - 1, 0)
        left = float(envelope[at]) / end / math.pi
        # μ = x/T multiplies the truncation error by e^{−x²/2}/x², and puts the lower bound μ² ρ lower.
        x = np.linspace(1.5, 8.0, 66)
        rest = left * np.exp(-(x**2) / 2) / x**2
        best = int(np.argmin(rest + (x / end) ** 2 * density / 2))
        if float(tail[at]) <= 2 * rest[best] + (x[best] / end) ** 2 * density:
            return math.ceil(t[at] / step) + 1, 0.0, (float(tail[at]), 0.0)
        # ∫_T^∞ e^{−μ²t²/2} dt ≤ e^{−x²/2} T/x²
        return most, float(x[best]) / end, (float(rest[best]), float(rest[best]) * end**2)


@dataclass(frozen=True, eq=False)
class _Line:
    """A sampled line, with everything that bounds at any ε need."""

    c: float
    peak: float
    step: float
    low: float
    high: float
    below: float  # c' that bounds images at small losses
    above: float
    mu: float
    terms: np.ndarray
    error: np.ndarray
    truncated: tuple[float, float]
    log_mass: float
    log_p_mass: float
    of_masses: float
    index: np.ndarray | None = None  # the samples that are kept, or None for all of them

    @cached_property
    def _at(self) -> np.ndarray:
        return np.arange(len(self.terms)) if self.index is None else self.index

    @cached_property
    def _kernel(self) -> np.ndarray:
        z = self.c + 1j * self.step * self._at
        return 1 / (z * (z + 1))

    def interval(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        lower, upper = np.zeros(epsilon.shape), np.full(epsilon.shape, math.inf)
        at = np.flatnonzero((epsilon >= self.low) & (epsilon <= self.high))
        if not at.size:
            return lower, upper
        x = epsilon[at]
        with np.errstate(over="ignore"):
            size = np.exp(np.minimum(self.peak - self.c * x, LARGEST_LOSS))
        kernels = [self._kernel, None] if self.mu else [self._kernel]
        (value, spread), *more = self._sums(kernels, x)
        image, exactness = self._images(x)
        value = size * value - image
        slack = 4 * UNIT_ROUNDOFF * (abs(self.peak) + np.abs(self.c * x))
        error = size * (spread + self.truncated[0] + 4 * math.exp(-_DEPTH) + slack * np.abs(value) / size)
        error += exactness
        mass = math.exp(self.log_mass)
        if self.c < 0:
            value = mass + value
            error = error + (_rounding_of(self.log_mass) + self.of_masses) * mass
        lower[at], upper[at] = value - error, value + error
        if self.mu**2 / 8 > LARGEST_LOSS:
            lower[at] = 0.0  # with so much added noise no lower bound is left
        elif self.mu:
            density, its_spread = more[0]
            price = size * (density + its_spread + self.truncated[1] + 4 * math.exp(-_DEPTH) / self.mu)
            lower[at] -= np.maximum(price, 0.0) * self.mu**2 * math.exp(self.mu**2 / 8) * (1 + 1e-12)
        return lower, upper

    def _images(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The part of the images that is known exactly, and a bound on its rounding error."""
        width, c = 2 * math.pi / self.step, self.c
        own, total, size = _strip(c), np.zeros(x.shape), np.zeros(x.shape)
        for side, other in ((1, _strip(self.above)), (-1, _strip(self.below))):
            # Let f be D, D − F₀ or D − F₀ + e^x F(−1) on strips 0, 1 and 2. Then f_own − f_other is F₀ if only own is
            # 0, and −F₀ if only other is; plus e^x F(−1) if only own is 2, and −e^x F(−1) if only other is.
            for first, second, log_mass, rate, sign in (
                (own == 0, other == 0, self.log_mass, c, 1.0),
                (own == 2, other == 2, self.log_p_mass, c + 1.0, 1.0),
            ):
                if first == second:
                    continue
                ratio = side * rate * width
                series = math.exp(ratio) / -math.expm1(ratio) if ratio < 0 else math.inf
                exponent = log_mass + (0.0 if rate == c else x)
                with np.errstate(over="ignore"):
                    term = series * np.exp(np.minimum(exponent, LARGEST_LOSS))
                total += term * (sign if first else -sign)
                of_masses = self.of_masses / (2 * UNIT_ROUNDOFF)
                size += term * (8.0 + np.abs(exponent) + 2 * np.abs(log_mass) + np.abs(ratio) + of_masses)
        return total, 2 * UNIT_ROUNDOFF * size

    def _sums(self, kernels: Sequence[np.ndarray | None], x: np.ndarray) -> Any:
        """Re Σ_k terms_k kernel_k e^{−ikhε} for each kernel, in blocks of k, with bounds on the rounding error."""
        count = len(self.terms)
        # On a line with gaps only blocks with samples are summed; a block is about as long as a run of samples.
        runs = 1 + np.count_nonzero(np.diff(self._at) > 1)
        small = math.isqrt(count) + 1 if runs == 1 else count // runs
        number, row = np.unique(self._at // small, return_inverse=True)
        blocks, found = [], []
        for kernel in kernels:
            terms = self.terms if kernel is None else self.terms * kernel
            error = self.error if kernel is None else self.error * np.abs(kernel)
            weight = np.abs(terms)
            still = float(error.sum() + weight.sum() * (24.0 + 2 * math.log2(count + 1)) * UNIT_ROUNDOFF)
            moving = float(weight @ (self.step * self._at)) * 3 * UNIT_ROUNDOFF
            found.append((np.empty(x.shape), still + moving * np.abs(x)))
            padded = np.zeros((len(number), small), dtype=complex)
            padded[row, self._at % small] = terms
            blocks.append(padded.T)
        for i in range(len(x)):
            # One ε at a time: a product of matrices would round differently for each shape of the array.
            fine = np.exp(-1j * self.step * x[i] * np.arange(small))
            coarse = np.exp(-1j * self.step * small * x[i] * number)
            for own, (total, _) in zip(blocks, found, strict=True):
                total[i] = np.dot(fine @ own, coarse).real
        return found


def _rounding_of(log_mass: float) -> float:
    """Relative error of a mass whose logarithm is a sum of logarithms."""
    return 2 * UNIT_ROUNDOFF * (1.0 + 4.0 * abs(log_mass))


def _strip(c: float) -> int:
    return 0 if c > 0 else (1 if c > -1 else 2)
