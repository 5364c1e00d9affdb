"""From a Hellinger transform back to the errors and the privacy profile: composition without a grid.

H(s) = ∫ Q^s P^(1−s) of a composition is the product of its factors' transforms. With K(z) = log H(1+z), and
Re z = c on the line of integration,

    δ(ε)         = (1/2πi) ∫ e^{K(z)−zε} / (z(z+1)) dz            c > 0
    δ(ε) − 1     = the same integral,                             −1 < c < 0
    Pr_Q[L > ε]  has 1/z in place of 1/(z(z+1)),  e^ε Pr_P[L > ε]  has 1/(z+1).

On c = −½, that is s = ½ + it, this is the symmetric formula for R(π) = (1−π)(1−δ(ε)),

    R at log-odds ε  =  1/(2 cosh(ε/2)) · (1/2π) ∫ H(½+it) e^{−iεt} / (¼ + t²) dt:

no pole on the line, |H| ≤ 1, and mass where P or Q vanishes drops out. For a tiny δ the line goes through the saddle
point of K(z) − zε instead, where the integrand is as small as the result, which keeps its digits.

A trapezoid sum with step h returns, exactly, the sum of all images e^{ckW} D(ε + kW) of the wanted function D,
W = 2π/h. What a perfectly private mechanism (H = 1) contributes to the images is a geometric series and is
subtracted; the rest, δ(x) for x > 0 and e^x δ_rev(−x) for x < 0, is below e^{K(c')−c'x} for every real c'
(Chernoff), which says how wide W must be. So the number of terms depends on the shape of the loss distribution,
not on its scale nor on the number of steps.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

_ROUNDING = 2.0**-52
# Everything below e^−38 = 3e-17 of the integrand's peak is left out.
_DEPTH = 38.0
_MOST_TERMS = 6000
# Lines are this many standard deviations of the tilted loss apart.
_SPACING = 4.0
# δ below e^−720 is 0 in floating point.
_DEEPEST = 720.0


class SlowDecay(Exception):
    """The transform does not decay fast enough along the line for an integral in reasonable time."""


@dataclass(frozen=True)
class Line:
    """The integrand on Re z = c, sampled: everything that the integrals for all ε on this line need."""

    c: float
    peak: float  # K(c)
    step: float
    terms: np.ndarray  # e^{K(c + ikh) − K(c)} h/2π, k = 0, 1, ..., those with k > 0 counted twice
    noise: float  # error of the sums, for one ε, relative to e^{K(c) − cε}

    @cached_property
    def z(self) -> np.ndarray:
        return self.c + 1j * self.step * np.arange(len(self.terms))

    def error(self, epsilon):
        """Bound on the error of the integrals at ε."""
        return self.noise * self._size(epsilon)

    def profile(self, epsilon):
        """δ(ε) for c > 0, δ(ε) − 1 for c < 0, of the finite losses."""
        (total,) = self._sums(epsilon, 1.0 / (self.z * (self.z + 1.0)))
        image_q, image_p = self._images(epsilon)
        return self._size(epsilon) * total - (image_q - image_p)

    def tails(self, epsilon):
        """Pr_Q[L > ε] for c > 0, minus Pr_Q[L ≤ ε] for c < 0, and Pr_P[L > ε], of the finite losses."""
        total_q, total_p = self._sums(epsilon, 1.0 / self.z, 1.0 / (self.z + 1.0))
        image_q, image_p = self._images(epsilon)
        size = self._size(epsilon)
        return size * total_q - image_q, np.exp(-epsilon) * (size * total_p - image_p)

    def _size(self, epsilon):
        return np.exp(np.minimum(self.peak - self.c * epsilon, 700.0))

    def _sums(self, epsilon, *kernels):
        """Re Σ_k terms_k kernel_k e^{−ikhε} for one-dimensional ε, by steps of one and of √n in k."""
        count = len(self.terms)
        small = math.isqrt(count) + 1
        large = -(-count // small)
        fine = np.exp(np.multiply.outer(epsilon, -1j * self.step * np.arange(small)))
        coarse = np.exp(np.multiply.outer(epsilon, -1j * self.step * small * np.arange(large)))
        padded = np.zeros((len(kernels), large * small), dtype=complex)
        padded[:, :count] = self.terms * np.array(kernels)
        partial = (fine @ padded.reshape(-1, small).T).reshape(len(epsilon), len(kernels), large)
        return list(np.einsum("ekl,el->ke", partial, coarse).real)

    def _images(self, epsilon):
        """What H = 1 adds to the sums for Pr_Q[L > ε] and e^ε Pr_P[L > ε], its own value at ε left out."""
        width, c = 2 * math.pi / self.step, self.c
        first = np.maximum(np.floor(epsilon / width) + 1, 1.0)
        if c > 0:  # images of 1 and of e^x at x = ε − kW < 0
            q = np.exp(-c * width * first) / -math.expm1(-c * width)
        else:  # images of −1 at x = ε + kW ≥ 0
            back = np.maximum(np.ceil(-epsilon / width), 1.0)
            q = np.exp(c * width * back) / math.expm1(c * width)
        p = np.exp(np.minimum(epsilon - (c + 1) * width * first, 700.0)) / -math.expm1(-(c + 1) * width)
        return q, p


class Inversion:
    """The finite losses of a pair, from the logarithm of its Hellinger transform.

    Parameters
    ----------
    log_transform : callable
        A one-dimensional array of complex s with equal or real entries ↦ (log H(s), bound on its error).
    log_envelope : callable
        The same s ↦ log of a bound on |H(s)|. Where the loss has atoms |H| comes back again and again as |Im s|
        grows; the bound has to fall only.
    reach : float
        |s| beyond which log H need not be asked for on the real line.

    Raises
    ------
    SlowDecay
        If the transform does not decay, so that another road has to be taken.
    """

    def __init__(self, log_transform, log_envelope, reach: float = math.inf):
        self._log_transform, self._log_envelope, self._reach = log_transform, log_envelope, reach
        self._lines: dict[int, Line] = {}
        self.middle = self._line(0)

    @property
    def reverse(self) -> Inversion:
        """That of the reverse pair, H(1 − s): on the middle line the conjugate, and K mirrored at −½."""
        other = object.__new__(Inversion)
        other._log_transform = lambda s: self._log_transform(1.0 - s)
        other._log_envelope = lambda s: self._log_envelope(1.0 - s)
        other._reach = self._reach
        other.middle = replace(self.middle, terms=self.middle.terms.conj())
        other._lines = {0: other.middle}
        grid, value = self._chernoff
        other.__dict__.update(_spread=self._spread, _chernoff=(-1.0 - grid[::-1], value[::-1]))
        return other

    def _cumulant(self, z):
        return self._log_transform(1.0 + np.asarray(z, dtype=complex))[0]

    # The faces, of finite losses and one-dimensional ε.

    def bayes_error(self, epsilon):
        """R at the log-odds ε, absolutely accurate."""
        line = self.middle
        (total,) = line._sums(epsilon, 1.0 / (line.z * (line.z + 1.0)))
        image_q, image_p = line._images(epsilon)
        half = np.abs(epsilon) / 2
        scale = np.exp(-half) / (1.0 + np.exp(-2 * half))
        guessing = scale * np.exp(-half)
        # (1 − δ(ε)) e^{−ε/2}, which is of order one, in place of the huge and the tiny.
        symmetric = (image_q - image_p) * np.exp(-epsilon / 2) - math.exp(line.peak) * total
        low, high = self.middle_window
        inside = (epsilon > low) & (epsilon < high)
        # R ≤ √(π(1−π)) H(½): what is left where hardly any loss is finite or small.
        most = np.minimum(guessing, scale * math.exp(self.middle.peak))
        return np.where(inside, np.clip(scale * symmetric, 0.0, most), most)

    @property
    def bayes_error_bound(self) -> float:
        """Bound on the error of R, at every prior."""
        return 0.5 * self.middle.noise * math.exp(self.middle.peak)

    @cached_property
    def near(self) -> float:
        """|ε| up to which the middle line alone gives α and β to 1e-12, or nearly as well as it gives R."""
        widest = 2 * (math.log(1e-12 / self.middle.noise) - self.middle.peak)
        furthest = max(abs(end) for end in self.middle_window)
        return min(max(widest, 1.0), furthest, 600.0)

    @cached_property
    def middle_window(self) -> tuple[float, float]:
        """Losses beyond which min(π, 1 − π) − R is below rounding."""
        return self._window(-0.5, self.middle.peak)

    def errors_near(self, epsilon):
        """Pr_P[L > ε] and Pr_Q[L ≤ ε] by the middle line, for losses of either sign."""
        q, p = self.middle.tails(epsilon)
        return np.clip(p, 0.0, 1.0), np.clip(-q, 0.0, 1.0)

    def profile(self, epsilon, infinite=0.0):
        """δ(ε) for ε ≥ 0, relatively accurate; `infinite` is Pr_Q[L = ∞]."""
        delta = np.empty(epsilon.shape)
        for line, at in self._assigned(epsilon):
            value = line.profile(epsilon[at])
            # To the left of the pole the integral is δ − 1, whatever the infinite losses.
            delta[at] = np.maximum(value + (1.0 if line.c < 0 else infinite), infinite)
        # Chernoff's bound holds whatever the digits of an integral.
        grid, value = self._chernoff
        c, value = grid[grid > 0], value[grid > 0]
        chernoff = np.exp(np.min(value - np.multiply.outer(epsilon, c), axis=-1, initial=0.0))
        return np.minimum(delta, infinite + chernoff)

    def profile_error(self, epsilon):
        """Bound on the error of δ(ε) for ε ≥ 0, which falls with δ."""
        error = np.empty(epsilon.shape)
        for line, at in self._assigned(epsilon):
            error[at] = line.error(epsilon[at])
        return error

    def tails(self, epsilon, infinite=0.0):
        """Pr_P[L > ε] and Pr_Q[L ≤ ε] for ε ≥ 0; `infinite` is Pr_Q[L = ∞]."""
        alpha, beta = np.empty(epsilon.shape), np.empty(epsilon.shape)
        for line, at in self._assigned(epsilon):
            q, p = line.tails(epsilon[at])
            alpha[at] = p
            beta[at] = -q if line.c < 0 else 1.0 - infinite - q
        return np.clip(alpha, 0.0, 1.0), np.clip(beta, 0.0, 1.0)

    def _assigned(self, epsilon):
        """The lines that serve the losses best, and the places of the losses that each serves."""
        c, peak = self._saddles
        size = peak - np.multiply.outer(epsilon, c) - np.log(np.abs(c))
        best = np.argmin(size, axis=-1)
        for number in np.unique(best):
            yield self._line(int(number)), np.flatnonzero(best == number)

    def epsilon_near(self, log_delta):
        """About where δ(ε) ≥ 0 of finite losses has this logarithm: the saddle point's term of the integral."""
        grid, value = self._chernoff
        slope = np.diff(value) / np.diff(grid)
        curvature = np.maximum(np.diff(slope) / np.diff((grid[1:] + grid[:-1]) / 2), 1e-300)
        c, epsilon, k = grid[1:-1], (slope[1:] + slope[:-1]) / 2, value[1:-1]
        right = (c > 0) & np.isfinite(epsilon)
        c, epsilon, k, curvature = c[right], epsilon[right], k[right], curvature[right]
        log_term = k - c * epsilon - np.log(c * (c + 1)) - np.log(2 * math.pi * curvature) / 2
        order = np.argsort(log_term)
        return np.maximum(np.interp(log_delta, log_term[order], epsilon[order]), 0.0)

    # The lines.

    def _line(self, number: int) -> Line:
        if number not in self._lines:
            c = float(self._saddles[0][number]) if number else -0.5
            try:
                self._lines[number] = self._through(c)
            except SlowDecay:
                if not number:
                    raise
                # Far out a few large losses may decide, and nothing decays: a line closer in has fewer digits.
                self._lines[number] = self._line(number - 1 if number < 16 else number // 2)
        return self._lines[number]

    @cached_property
    def _spread(self) -> float:
        """Scale of the privacy loss: 1/τ, where |H(½ + iτ)| = e^{−½} H(½)."""
        top = self._cumulant([-0.5])[0].real
        tau = 1.0
        for _ in range(60):
            fall = top - self._cumulant([-0.5 + 1j * tau])[0].real
            if 0.3 < fall < 0.8:
                return 1.0 / tau
            tau *= min(max(math.sqrt(0.5 / fall), 0.2), 30.0) if fall > 1e-15 else 30.0
            if tau > 1e12:
                break
        raise SlowDecay

    @cached_property
    def _chernoff(self):
        """Real c and K(c), denser where c is small on the scale of the loss."""
        widest = min(48.0 / self._spread, self._reach)
        steps = np.concatenate([[0.0], widest * np.geomspace(2e-3, 1.0, 40)])
        if widest < 4.0:
            # Of large losses Q's are many deviations away, around c = 0; and P's around −1.
            around = widest * np.geomspace(2e-3, 1.0, 40)
            between = np.arange(widest / 12, 0.5, widest / 12)
            steps = np.unique(np.concatenate([steps, between, 0.5 - around[around < 0.5], [0.5], 0.5 + around]))
            steps = steps[(steps <= self._reach) & np.append(True, np.diff(steps) > 1e-6 * widest)]
        right = self._cumulant(-0.5 + steps).real
        left = self._cumulant(-0.5 - steps[:0:-1]).real
        return -0.5 + np.concatenate([-steps[:0:-1], steps]), np.concatenate([left, right])

    @cached_property
    def _saddles(self):
        """The lines' c ≥ −½, `_SPACING` apart, away from the pole; and K(c)."""
        grid, value = self._chernoff
        grid, value = grid[grid >= -0.5], value[grid >= -0.5]
        slope = np.diff(value) / np.diff(grid)
        middle = (grid[1:] + grid[:-1]) / 2
        curvature = np.maximum(np.diff(slope) / np.diff(middle), 1e-300)
        # ∫ √K'' dc counts standard deviations, also where the shape of the loss changes.
        inner = grid[1:-1]
        length = np.diff(inner) * (np.sqrt(curvature[1:]) + np.sqrt(curvature[:-1])) / 2
        deviations = np.append(0.0, np.cumsum(length))
        chosen, last = [-0.5], -0.5
        while len(chosen) < 400:
            place = float(np.interp(last, inner, deviations)) + _SPACING
            following = float(np.interp(place, deviations, inner, right=math.inf))
            width = following - last
            if abs(following) < 0.3 * width:
                following = 0.3 * width
            # Each line's window needs larger c on the grid.
            if following > grid[-5]:
                break
            last = following
            at = int(np.searchsorted(grid, following)) - 1
            if value[at] - grid[at] * slope[at] >= -_DEEPEST:
                chosen.append(following)
            elif following > 0:  # beyond the last loss whose δ is a number; before 0, of those whose 1 − δ is none
                break
        c = np.array(chosen)
        return c, np.interp(c, grid, value)

    def _window(self, c: float, peak: float):
        """Losses below and above which the tilted distribution e^{cx} D(x) is e^−38 of its bound e^{K(c)}."""
        grid, value = self._chernoff
        below, above = grid < c - 1e-12, grid > c + 1e-12
        low = (value[below] - peak + _DEPTH) / (grid[below] - c)
        high = (value[above] - peak + _DEPTH) / (grid[above] - c)
        return float(np.max(low, initial=-math.inf)), float(np.min(high, initial=math.inf))

    def _through(self, c: float) -> Line:
        peak = float(self._cumulant([c])[0].real)
        low, high = self._window(c, peak)
        if not math.isfinite(high - low):
            raise SlowDecay
        # Losses of either sign are asked for, so the window has to hold them and their images.
        width = 2 * max(abs(low), abs(high), 1e-300)
        step = 2 * math.pi / width
        end, tail = self._cut_off(c, peak, _MOST_TERMS * step)
        count = math.ceil(end / step) + 1
        if count > _MOST_TERMS:
            raise SlowDecay
        z = c + 1j * step * np.arange(count)
        value, error = self._log_transform(1.0 + z)
        terms = np.exp(value - peak) * step / (2 * math.pi)
        terms[1:] *= 2.0
        # The largest of the three kernels bounds what each term's error can do.
        size = np.abs(terms) / np.minimum(np.abs(z), np.abs(1.0 + z))
        rounding = size @ (error + _ROUNDING * (8.0 + 2 * np.abs(value) + z.imag * width))
        return Line(c, peak, step, terms, float(rounding + tail + 4 * math.exp(-_DEPTH)))

    def _cut_off(self, c, peak, furthest):
        """T beyond which the integrand is negligible, and what is left out there; it has to be below `furthest`."""
        growth = 1.2
        start = 4.0 / self._spread
        for _ in range(14):
            if start > furthest:
                break
            t = start * growth ** np.arange(12)
            fall = peak - self._log_envelope(1.0 + c + 1j * t)
            loud = np.flatnonzero(fall < _DEPTH)
            first = loud[-1] + 1 if loud.size else 0
            # Half an octave of samples, all small, is taken as the proof that the integrand stays small.
            if first <= 8:
                tail = np.exp(-fall[first:]) @ (t[first:] * (growth - 1)) / max(t[first], abs(c))
                return float(t[first]), float(tail + np.exp(-fall[-1]))
            start = t[first - 1] if first < 12 else t[-1]
            if start * self._spread > 500.0:
                break
        raise SlowDecay
