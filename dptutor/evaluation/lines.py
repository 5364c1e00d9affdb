"""Lower and upper bounds on the privacy profile of any composition, in one direction.

    Laplace mechanisms of one scale         sums of positive terms                    laplace_powers.py
    of several scales, or with few atoms    sums of positive terms                    laplace_products.py
    the same with many parts                atoms separately, lines for the rest      laplace_atoms.py
    one of these and a narrow Gaussian      δ(ε) = E[δ'(ε − g)], g ~ N(μ²/2, μ²)      quadrature between kinks
    of one scale, with finite atoms         δ(ε) = Pr[l = ∞] + Σ q_l δ'(ε − l)
    anything else                           lines, with bounds on what is left out    sampled_lines.py

A *line* is a line Re z = c in the complex plane; samples of the losses' Hellinger transform on it are inverted.

At ε < 0,  δ(ε) = 1 − e^ε + e^ε δ_reverse(−ε).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import ndtr

from .._floats import LARGEST_LOSS, UNIT_ROUNDOFF
from .finite_law import FiniteLaw, TooManyAtoms
from .laplace_atoms import LaplaceAtoms, inside_apart
from .laplace_powers import LaplacePower
from .laplace_products import LaplaceProduct
from .laws import AtomicLaw, LaplaceLaw, NormalLaw, SampledLaw
from .polynomials import gauss
from .sampled_lines import Inverter, Transform
from .subsampled_gaussian import gaussian_loss, log_fall, log_of_mixture, reach
from .transforms import complex_expm1, complex_log1p

# Largest number of atoms of all finite parts together for which sums of positive terms are used.
_MOST_ATOMS = 600
# The transform of a finite part that is used once, with at most this many atoms, is sampled by products of phases.
_FEW_ATOMS = 8
# Largest number of knots of a profile that is a sum of positive terms.
_MOST_KNOTS = 6000
# Finite losses further apart than this would make weights overflow.
_WIDEST = 1400.0
# Largest estimated time, in seconds, for building an exact law.
_MOST_TIME = 0.3
# A Gaussian part with which a line would need more terms than this is integrated over instead.
_MOST_TERMS = 2**15
# Ends of panels, in standard deviations of a Gaussian part.
_PANELS = np.array([-9.0, -7.0, -5.5, -4.0, -2.75, -1.5, -0.5, 0.5, 1.5, 2.75, 4.0, 5.5, 7.0, 8.5, 10.0, 12.0, 14.0])
# Ends of panels in a tail, in units of the distance over which the normal density falls by a factor of about e².
_STEEP = np.array([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 10.0, 13.0])
# Breaks around a kink that noise smooths, in standard deviations of the noise.
_SMOOTHED = np.array([-40.0, -13.0, -6.0, 0.0, 6.0, 13.0, 40.0])
# Ratio of the distances of two successive breaks further away from the kink.
_FACTOR = 4.0
# If there are more kinks than this, none gets breaks of its own.
_FEW_KINKS = 20
# Relative error allowed for the quadrature: more than ten times what halving the panels changes.
_QUADRATURE = 1e-11
_NODES, _WEIGHTS = gauss(14)


class Lines:
    """Lower and upper bounds on δ of several mechanisms together, in one direction.

    Parameters
    ----------
    factors : sequence of (part, count)
        Parts that are Laplace, Gaussian, subsampled Gaussian in one direction, or finite, and how often each is used.

    Attributes
    ----------
    infinite : float
        Pr_Q[L = +∞].
    largest : float
        The largest finite loss; at and beyond it δ is `infinite`.
    off : float
        Bound on the rounding error of a finite loss.
    breakpoints : ndarray
        Finite losses at which the law of the loss has an atom, or its density a jump, visible in double precision.
    """

    def __init__(self, factors: Iterable[tuple[Any, int]]) -> None:
        self.factors = tuple(factors)
        self._laplace: dict[float, int] = {}
        self._finite: list[tuple[FiniteLaw, int]] = []
        self._others: list[tuple[Any, int]] = []
        variance = 0.0
        for part, count in self.factors:
            match part._loss_law():
                case AtomicLaw() as law:
                    self._finite.append((law.enumerated(), count))
                case NormalLaw(mu):
                    variance += count * mu**2
                case LaplaceLaw(top):
                    self._laplace[top] = self._laplace.get(top, 0) + count
                case SampledLaw():
                    self._others.append((part, count))
                case None:
                    raise TypeError(f"factors must have losses with laws that are known, got {part!r}")
        self._mu = math.sqrt(variance)
        leaks = [(float(law.q[law.loss == np.inf].sum()), count) for law, count in self._finite]
        self._log_mass = math.fsum(count * math.log1p(-leak) if leak < 1 else -math.inf for leak, count in leaks)
        self.infinite = -math.expm1(self._log_mass)
        self.largest = math.inf if self._mu else sum(count * part._loss_range()[1] for part, count in self._others)
        if self.largest < math.inf:
            ends = [count * top for top, count in self._laplace.items()]
            ends += [count * float(law.kinks.max(initial=-math.inf)) for law, count in self._finite]
            self.largest += math.fsum(ends)

    @cached_property
    def off(self) -> float:
        """Bound on the error of finite losses: the losses of parts are rounded, and so are their sums."""
        ends = [(count * top, count * UNIT_ROUNDOFF * top) for top, count in self._laplace.items()]
        for law, count in self._finite:
            ends.append((count * float(np.abs(law.kinks).max(initial=0.0)), count * law.location_error))
        return math.fsum(off + 4 * UNIT_ROUNDOFF * end for end, off in ends)

    @cached_property
    def reverse(self) -> Lines:
        """The evaluator of the reverse pair."""
        other = Lines([(part.reverse, count) for part, count in self.factors])
        if all(part.reverse == part for part, _ in self.factors):
            return self
        other.__dict__["reverse"] = self
        return other

    def profile(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Lower and upper bounds on δ(ε), with the mass at +∞, for a one-dimensional array of ε ≥ 0."""
        epsilon = np.asarray(epsilon, dtype=float)
        lower, upper = np.zeros(epsilon.shape), np.zeros(epsilon.shape)
        inside = epsilon < self.largest
        if inside.any() and self.infinite < 1.0:
            lower[inside], upper[inside] = self.covered(epsilon[inside])
        slack = 4 * UNIT_ROUNDOFF * self.infinite
        return np.maximum(self.infinite + lower - slack, 0.0), np.minimum(self.infinite + upper + slack, 1.0)

    @cached_property
    def most_terms(self) -> int:
        """The largest number of terms of a line; 1 if no line is used."""
        return (self._exact or self._inverter).most_terms

    @property
    def near(self) -> Any:
        """First guesses of ε from log δ (without infinite losses) and from log α; None if a search is cheap anyway."""
        several = self._exact is not None or len(self._laplace) > 1 or _WIDEST < self.largest < math.inf
        by_lines = self.most_terms > 1 and several
        if not by_lines or self._mu or self._others:
            return None, None
        serving = self._exact or self._inverter
        return serving.epsilon_near, serving.loss_near

    @cached_property
    def breakpoints(self) -> np.ndarray:
        if self._exact is not None and self._noise is None:
            return self._exact.breakpoints
        if len(self._laplace) == 1 and not (self._mu or self._others or self._finite):
            return self._power.breakpoints
        return np.empty(0)

    @cached_property
    def bends(self) -> np.ndarray:
        """Breaks around kinks that noise smooths; none if it makes them run into each other."""
        if self._exact is None or self._noise is None:
            return np.empty(0)
        kinks = np.unique(np.concatenate([self._exact.breakpoints, -self.reverse._exact.breakpoints]))
        kinks = kinks[np.append(True, np.diff(kinks) > 1e-12 * np.abs(kinks).max())]
        near = np.sort(self._noise.loss(_SMOOTHED))
        gap = float(np.diff(kinks).min(initial=math.inf))
        if len(kinks) > _FEW_KINKS or not 0.0 < np.ptp(near) < gap < math.inf:
            return np.empty(0)
        further = np.ptp(near) * _FACTOR ** np.arange(math.ceil(math.log(gap / np.ptp(near), _FACTOR)))
        return np.add.outer(kinks, np.concatenate([-further, near, further])).ravel()

    def covered(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Lower and upper bounds on E_Q[(1 − e^{ε−L})₊; L finite]."""
        if self._exact is None:
            if len(self._laplace) == 1 and len(self.factors) == 1:
                return self._by_power(epsilon)
            return self._inverter.profile(epsilon)
        if self._noise is None:
            return self._exact.profile(epsilon)
        return self._through(self._noise, epsilon)

    def log_most(self, epsilon: np.ndarray) -> np.ndarray:
        """The logarithm of Chernoff's bound on the same; infinite if the bounds themselves are quick to compute."""
        if self._exact is not None:
            return np.full(epsilon.shape, math.inf)
        with np.errstate(divide="ignore"):
            return np.log(self._inverter.chernoff(epsilon)[1])

    def _by_power(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Many mechanisms of one scale: exact near the end of the range, where few densities overlap; else by lines."""
        lower, upper = np.zeros(epsilon.shape), np.zeros(epsilon.shape)
        near = epsilon >= self._power.low
        lower[near], upper[near] = self._power.profile(epsilon[near])
        if not near.all():
            lower[~near], upper[~near] = self._inverter.profile(epsilon[~near])
        return lower, upper

    @cached_property
    def _noise(self) -> _GaussianNoise | _SubsampledNoise | None:
        """A part with noise over which the profile of all others can be integrated, if there is one."""
        if self._mu and not self._others:
            return _GaussianNoise(self._mu)
        if self._others and not self._mu:
            return _SubsampledNoise(self._others[0][0]._loss_law())
        return None

    @cached_property
    def _power(self) -> LaplacePower:
        return LaplacePower(*next(iter(self._laplace.items())))

    @cached_property
    def _exact(self) -> Any:
        """The law of the Laplace and finite parts as sums of positive terms; None if not needed, or too many terms."""
        if self._mu and (self._others or not self._narrow):
            return None
        if sum(count for _, count in self._others) > 1:
            return None
        law = self._finite_law
        if law is None:
            return None
        loss, q = law.kinks, law.q[np.isfinite(law.loss)]
        n = sum(self._laplace.values())
        if len(self._laplace) == 1:
            if self._power.low > 0:
                return None
            if len(loss) == 1 and loss[0] == 0.0 and q[0] == 1.0:
                return self._power
        if not len(loss):
            return None
        knots = len(loss) * math.prod(count + 1 for count in self._laplace.values())
        if n <= 128 and knots <= _MOST_KNOTS and n**2 * (4e-5 + 2e-7 * knots) < _MOST_TIME:
            tops = [top for top, count in self._laplace.items() for _ in range(count)]
            return LaplaceProduct(tops, loss, q) if np.ptp(loss) < _WIDEST else _Mixture(LaplaceProduct(tops), loss, q)
        if not self._mu and not self._others and (apart := inside_apart(self._laplace, loss)) is not None:
            log_masses = self._log_mass, self.reverse._log_mass
            finite = self._finite_transform
            return LaplaceAtoms(self._laplace, loss, np.exp(law.log_q), *apart, finite, log_masses, law.relative_error)
        return _Mixture(self._power, loss, q) if len(self._laplace) == 1 else None

    @property
    def _finite_transform(self) -> Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]:
        """z ↦ the logarithm of the transform of the finite parts, and a bound on its error."""
        atoms = [factor for factor in self.factors if isinstance(factor[0]._loss_law(), AtomicLaw)]
        return _together(atoms, (self._log_mass, self.reverse._log_mass)).log if atoms else _nothing

    @cached_property
    def _finite_law(self) -> FiniteLaw | None:
        """The composition of the finite parts, if it has few atoms."""
        law = FiniteLaw(np.zeros(1), np.ones(1), np.ones(1))
        try:
            for its, count in self._finite:
                if count > 2 * _MOST_ATOMS and len(its.kinks) > 1:
                    return None
                law = law.composed(its.power(count))
                if len(law.kinks) > _MOST_ATOMS:
                    return None
        except TooManyAtoms:
            return None
        return law

    @property
    def _narrow(self) -> bool:
        """Whether the Gaussian part is so narrow that lines would need too many terms."""
        spread = math.sqrt(sum(n * min(top, 2.0) ** 2 for top, n in self._laplace.items()))
        ends = sum(n * top for top, n in self._laplace.items())
        for law, count in self._finite:
            spread += math.sqrt(count) * float(np.ptp(law.kinks))
            ends += count * float(np.ptp(law.kinks))
        width = min(2 * ends, 30 * spread) + 20 * self._mu
        return width / (2 * math.pi) * 8.0 / self._mu > _MOST_TERMS

    def _through(self, noise: _GaussianNoise | _SubsampledNoise, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """E[δ'(ε − g)] for the loss g of the noisy part, by panels between the kinks of δ'."""
        exact, back = self._exact, self.reverse._exact
        kinks = np.unique(np.concatenate([exact.breakpoints, -back.breakpoints]))
        end = float(exact.breakpoints.max())
        lower, upper = np.zeros(epsilon.shape), np.full(epsilon.shape, 1e-300)
        for i, x in enumerate(epsilon):
            # From here on ε − g is below the largest loss of the other parts, and δ' is not 0.
            first = noise.place(x - end)
            if first > noise.furthest:
                continue
            places = noise.panels(max(float(first), -9.5))
            inner = noise.place(x - kinks)
            places = np.unique(np.concatenate([places, inner[(inner > places[0]) & (inner < places[-1])]]))
            half = np.diff(places)[:, None] / 2
            v = (places[:-1, None] + half * (1 + _NODES)).ravel()
            weight = (half * _WEIGHTS).ravel() * noise.density(v)
            low, high = _both_sides(exact, back, self.infinite, self.reverse.infinite, x, noise.loss(v))
            lower[i] = (weight @ low) * (1 - _QUADRATURE)
            upper[i] = (weight @ high) * (1 + _QUADRATURE) + noise.above(places[-1]) + 1e-300
        return lower, np.minimum(upper, 1.0 - self.infinite)

    @cached_property
    def _inverter(self) -> Inverter:
        return Inverter(_together(self.factors, (self._log_mass, self.reverse._log_mass)))


class _GaussianNoise:
    """The loss μ²/2 + μv of a Gaussian part, v standard normal under Q."""

    furthest = 38.0

    def __init__(self, mu: float) -> None:
        self._mu = mu

    def loss(self, v: np.ndarray) -> np.ndarray:
        return self._mu**2 / 2 + self._mu * v

    def place(self, loss: np.ndarray) -> np.ndarray:
        return (loss - self._mu**2 / 2) / self._mu

    def density(self, v: np.ndarray) -> np.ndarray:
        return np.exp(-(v**2) / 2) / math.sqrt(2 * math.pi)

    def above(self, v: float) -> float:
        return float(ndtr(-v))

    def panels(self, first: float) -> np.ndarray:
        shift = max(first, 0.0)
        places = np.append(first, _PANELS + shift)
        if shift > 1.0:
            places = np.append(places, shift + _STEEP * (2.0 / shift))
        return np.unique(places[places >= first])


class _SubsampledNoise:
    """The loss of one subsampled Gaussian part as an increasing function of its noise v."""

    def __init__(self, law: SampledLaw) -> None:
        self._mu, self._rate = 1.0 / law.noise_multiplier, law.sampling_rate
        self._sign = -1.0 if law.direction == "add" else 1.0
        self.furthest = 38.0 + (0.0 if law.direction == "add" else self._mu)

    def loss(self, v: np.ndarray) -> np.ndarray:
        exponent = np.minimum(self._mu * self._sign * v - self._mu**2 / 2, LARGEST_LOSS)
        return self._sign * log_of_mixture(self._rate, exponent)

    def place(self, loss: np.ndarray) -> np.ndarray:
        return self._sign * (gaussian_loss(self._rate, self._sign * loss) / self._mu + self._mu / 2)

    def density(self, v: np.ndarray) -> np.ndarray:
        normal = np.exp(-(v**2) / 2)
        if self._sign > 0:
            normal = (1 - self._rate) * normal + self._rate * np.exp(-((v - self._mu) ** 2) / 2)
        return normal / math.sqrt(2 * math.pi)

    def above(self, v: float) -> float:
        if self._sign < 0:
            return float(ndtr(-v))
        return float((1 - self._rate) * ndtr(-v) + self._rate * ndtr(self._mu - v))

    def panels(self, first: float) -> np.ndarray:
        # The loss has singularities at Im v = πσ, so panels must not be much wider than σ.
        width = min(1.0, 1.5 / self._mu)
        last = max(first, 0.0) + 14.0 if self._sign < 0 else self.furthest + 1.0
        places = np.linspace(first, max(last, first + 14.0), math.ceil((max(last, first + 14.0) - first) / width) + 1)
        steep = first + _STEEP * (2.0 / first) if first > 1.0 else places[:0]
        return np.unique(np.append(places, steep))


class _Mixture:
    """Laplace mechanisms together with finite parts: δ is a mixture over the atoms of these."""

    most_terms = 1

    def __init__(self, laplace: LaplacePower | LaplaceProduct, loss: np.ndarray, q: np.ndarray) -> None:
        self._laplace, self._loss, self._q = laplace, loss, q
        knots = np.concatenate([-laplace.breakpoints, laplace.breakpoints])
        self.breakpoints = np.unique(np.add.outer(knots, loss))

    def profile(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        shape = len(epsilon), len(self._loss)
        first, loss = np.repeat(epsilon, shape[1]), np.tile(self._loss, shape[0])
        low, high = _both_sides(self._laplace, self._laplace, 0.0, 0.0, first, loss)
        slack = 4 * len(self._loss) * UNIT_ROUNDOFF
        lower, upper = (low.reshape(shape) * self._q).sum(axis=1), (high.reshape(shape) * self._q).sum(axis=1)
        return lower * (1 - slack), upper * (1 + slack)


def _both_sides(
    exact: Any, back: Any, infinite: float, infinite_back: float, epsilon: Any, loss: np.ndarray
) -> list[np.ndarray]:
    """Bounds on E[(1 − e^{x−L})₊; L finite] at x = ε − loss of either sign; x is rounded outwards."""
    x, rounding = epsilon - loss, 4 * UNIT_ROUNDOFF * (np.abs(epsilon) + np.abs(loss))
    ends = []
    for side, at in ((0, x + rounding), (1, x - rounding)):
        value = np.empty(at.shape)
        right = at >= 0
        value[right] = exact.profile(at[right])[side]
        left = at[~right]
        # δ(ε) = 1 − e^ε + e^ε δ_reverse(−ε), minus the mass at +∞.
        other = -np.expm1(left) - infinite + np.exp(left) * (infinite_back + back.profile(-left)[side])
        value[~right] = np.maximum(other, 0.0)
        ends.append(value * (1 + (8 * side - 4) * UNIT_ROUNDOFF))
    return ends


def _nothing(z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The transform of no parts."""
    return np.zeros(z.shape, dtype=complex), np.zeros(z.shape)


def _together(parts: Sequence[tuple[Any, int]], log_masses: tuple[float, float]) -> Transform:
    pieces = [(_transform_of(part), count) for part, count in parts]
    laws = [part._loss_law() for part, _ in parts]
    tops, finite, others = [], [], []
    for piece, law in zip(pieces, laws, strict=True):
        if piece[1] == 1 and isinstance(law, LaplaceLaw):
            tops.append(law.largest_loss)
        elif piece[1] == 1 and isinstance(law, AtomicLaw) and 0 < len(law.kinks) <= _FEW_ATOMS:
            finite.append(law)
        else:
            others.append(piece)

    def log(z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        value, error = np.zeros(z.shape, dtype=complex), np.zeros(z.shape)
        for piece, count in pieces:
            its_value, its_error = piece.log(z)
            value += count * its_value
            error += count * its_error
        return value, error

    def on_line(c: float, step: float, count: int) -> tuple[np.ndarray, np.ndarray]:
        ratio, error = _laplace_product(np.array(tops), c, step, count)
        if finite:
            its_ratio, its_error = _finite_product(finite, c, step, count)
            ratio, error = ratio * its_ratio, error + its_error
        for piece, power in others:
            value, its_error = piece.log(c + 1j * step * np.arange(count))
            ratio = ratio * np.exp(power * (value - value[0].real))
            error = error + power * (its_error + 2 * UNIT_ROUNDOFF * np.abs(value))
        return ratio, np.abs(ratio) * error

    def log_envelope(c: float, t: np.ndarray) -> np.ndarray:
        total = np.zeros(t.shape)
        for piece, count in pieces:
            total += count * piece.log_envelope(c, t)
        return total

    terms = min(piece.terms for piece, _ in pieces)
    if terms > 2**13:
        terms = max(10_000, min(2**16, 2**23 // (8 * len(pieces)) // 64 * 64))
    reach = min(piece.reach for piece, _ in pieces)
    repeated = tuple(
        (count, _relative_size(piece), deviation)
        for (piece, count), law in zip(pieces, laws, strict=True)
        if count >= 30 and (deviation := _deviation(law)) is not None
    )
    return Transform(log, log_envelope, reach, terms, on_line, repeated, log_masses)


def _relative_size(piece: Transform) -> Callable[[float, np.ndarray], np.ndarray]:
    def size(c: float, t: np.ndarray) -> np.ndarray:
        value, _ = piece.log(np.append(c + 0j, c + 1j * t))
        return np.exp(value[1:].real - value[0].real) * (1 + 1e-12)

    return size


def _deviation(law: Any) -> Callable[[float], float] | None:
    """A bound on the standard deviation of the loss tilted by c, as a function of c, if one is known."""
    if isinstance(law, AtomicLaw):
        loss, log_q = law.kinks, law.enumerated().log_q

        def deviation(c: float) -> float:
            weight = np.exp(log_q + c * loss - np.max(log_q + c * loss))
            mean = weight @ loss / weight.sum()
            return math.sqrt(weight @ (loss - mean) ** 2 / weight.sum()) * (1 + 1e-12) + 1e-300

        return deviation
    if isinstance(law, LaplaceLaw) and law.largest_loss <= 3.0:
        return lambda c: law.largest_loss
    return None


def _laplace_product(tops: np.ndarray, c: float, step: float, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Π F(c + ikh)/F(c) for Laplace parts that are used once, and a bound on its relative error.

    F(z) = e^{zε₀} [1 − r + r e^{−(1+2z)ε₀}],  r = z/(1 + 2z): r is common to all parts, and the phases e^{−2ikhε₀} of
    each are products of a few.
    """
    ratio, error = np.ones(count, dtype=complex), np.zeros(count)
    if not len(tops):
        return ratio, error
    mirrored = c < -0.5
    z = (-1.0 - c if mirrored else c) + 1j * step * np.arange(count)
    share = z / (1 + 2 * z)
    rest, size = 1 - share, np.abs(share)
    size_rest = np.abs(rest)
    small = math.isqrt(count) + 1
    large = -(-count // small)
    for top in tops:
        fine = np.exp(-2j * step * top * np.arange(small))
        coarse = np.exp(-2j * step * top * small * np.arange(large) - (1 + 2 * z[0].real) * top)
        factor = rest + share * np.multiply.outer(coarse, fine).ravel()[:count]
        fall = math.exp(-(1 + 2 * z[0].real) * top)
        still = (size_rest + size * fall) * (16 * UNIT_ROUNDOFF)
        moving = (size * fall * 6 * UNIT_ROUNDOFF * step * top) * np.arange(count)
        error += (still + moving) / np.maximum(np.abs(factor), 1e-30)
        ratio *= factor / factor[0].real
    ratio *= np.exp(1j * step * float(np.sum(tops)) * np.arange(count))
    error += 4 * UNIT_ROUNDOFF * len(tops) + 4 * UNIT_ROUNDOFF * step * float(np.sum(tops)) * np.arange(count)
    return (ratio.conj() if mirrored else ratio), error


def _finite_product(laws: Sequence[Any], c: float, step: float, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The same for finite parts that are used once, with phases relative to the atom of the largest weight."""
    ratio, error, number = np.ones(count, dtype=complex), np.zeros(count), np.arange(count)
    small = math.isqrt(count) + 1
    large = -(-count // small)
    leads = []
    for law in laws:
        log_weight = law.log_q + c * law.kinks
        lead = int(np.argmax(log_weight))
        gaps, weight = law.kinks - law.kinks[lead], np.exp(log_weight - log_weight[lead])
        total = np.zeros(count, dtype=complex)
        for gap, own in zip(gaps, weight, strict=True):
            fine = np.exp(1j * step * gap * np.arange(small))
            coarse = own * np.exp(1j * step * gap * small * np.arange(large))
            total += np.multiply.outer(coarse, fine).ravel()[:count]
        # Weights are rounded, in numerator and denominator, and so are phases.
        exponent = np.abs(law.log_q) + np.abs(c * law.kinks)
        still = 2 * UNIT_ROUNDOFF * float(weight @ (16.0 + 2 * exponent + 2 * exponent[lead]))
        moving = 6 * UNIT_ROUNDOFF * step * float(weight @ np.abs(gaps)) * number
        error += (still + moving) / np.maximum(np.abs(total), 1e-30)
        ratio *= total / total[0].real
        leads.append(float(law.kinks[lead]))
    turned = math.fsum(leads)
    ratio *= np.exp(1j * step * turned * number)
    return ratio, error + 4 * UNIT_ROUNDOFF * (len(laws) + step * abs(turned) * number)


def _transform_of(part: Any) -> Transform:
    def log(z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return part._log_hellinger(1.0 + z)

    match part._loss_law():
        case AtomicLaw() as law:
            return _of_finite(law.enumerated())
        case NormalLaw(mu):
            return _of_gaussian(mu)
        case SampledLaw() as law:
            return _of_subsampled(law, log)
    return Transform(log, lambda c, t: part._log_envelope(1.0 + c + 1j * t))


def _of_gaussian(mu: float) -> Transform:
    def log(z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        value = z * (z + 1) * mu**2 / 2
        return value, 8 * UNIT_ROUNDOFF * np.abs(value)

    return Transform(log, lambda c, t: (c * (c + 1) - t**2) * mu**2 / 2)


def _of_finite(law: FiniteLaw) -> Transform:
    finite = np.isfinite(law.loss)
    loss, q = law.loss[finite], law.q[finite]
    mass, spread = float(q.sum()), float(np.abs(loss).max(initial=0.0))
    log_q = law.log_q  # finite even if q underflows

    def log(z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        # Factor out q* e^{zl*}, where l* is the loss of the largest weight: the same on a line, else one for each z.
        rate = z.real[:1] if np.ptp(z.real) == 0.0 else z.real
        place = np.argmax(log_q + np.multiply.outer(rate, loss), axis=1)[:, None]
        lead, top = loss[place], log_q[place]
        gaps, weight = loss - lead, log_q - top
        total = np.exp(z[:, None] * gaps + weight).sum(axis=1)
        value = z * lead[:, 0] + top[:, 0] + np.log(total)
        near = np.abs(z) * spread < 0.5
        if near.any():
            excess = complex_expm1(np.multiply.outer(z[near], loss)) @ q
            value[near] = math.log(mass) + complex_log1p(excess / mass)
        size = np.exp(rate[:, None] * gaps + weight).sum(axis=1) / np.maximum(np.abs(total), 1e-300)
        error = UNIT_ROUNDOFF * ((8 + 4 * np.abs(z) * spread + 4 * np.abs(top[:, 0])) * size + 2 * np.abs(value))
        error[near] = UNIT_ROUNDOFF * (8 * np.abs(z[near]) * spread + 4 * np.abs(value[near]))
        return value, error

    return Transform(log, lambda c, t: np.full(t.shape, log(np.array([c + 0j]))[0][0].real))


def _of_subsampled(law: SampledLaw, log: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]) -> Transform:
    def log_envelope(c: float, t: np.ndarray) -> np.ndarray:
        power = -c if law.direction == "add" else 1.0 + c
        return log(np.array([c + 0j]))[0][0].real + log_fall(law.noise_multiplier, law.sampling_rate, power, t)

    return Transform(log, log_envelope, reach(law.noise_multiplier), 2**13)
