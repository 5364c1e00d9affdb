"""One direction of a composition: lower and upper values of its privacy profile, whatever its parts.

    Laplace mechanisms of one scale         sums of positive terms                    laplace_powers.py
    anything else                           lines, with all they leave out bounded    sampled_lines.py
    few atoms besides                       a mixture over the atoms l of finite parts: δ(ε) = Pr[l = ∞] + Σ q_l δ'(ε − l)

What several of them say is intersected. Below 0,  δ(ε) = 1 − e^ε + e^ε δ_reverse(−ε).
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from .finite import FiniteLaw, TooManyAtoms
from .laplace_powers import LaplacePower
from .sampled_lines import Inverter, Transform

_ROUNDING = 2.0**-53


class Lines:
    """Lower and upper values of δ for several mechanisms together, in one direction.

    Parameters
    ----------
    factors : sequence of (part, count)
        Parts that are Laplace, Gaussian, subsampled Gaussian in one direction, or finite, and how often each is used.
    """

    def __init__(self, factors):
        self.factors = tuple(factors)
        self.infinite = -math.expm1(sum(n * math.log1p(-_infinite(part)) if _infinite(part) < 1 else -math.inf for part, n in self.factors))

    def profile(self, epsilon):
        """Lower and upper values of δ(ε), mass at +∞ included, for a one-dimensional array of ε ≥ 0."""
        epsilon = np.asarray(epsilon, dtype=float)
        lower, upper = self._finite_profile(epsilon)
        return self.infinite + lower, np.minimum(self.infinite + upper, 1.0)

    def _finite_profile(self, epsilon):
        return self._inverter.profile(epsilon)

    @cached_property
    def _inverter(self):
        return Inverter(_together([(_transform_of(part), n) for part, n in self.factors]))


def _infinite(part) -> float:
    return float(part._delta(np.asarray(math.inf)))


def _together(pieces) -> Transform:
    def log(z):
        value, error = np.zeros(z.shape, dtype=complex), np.zeros(z.shape)
        for piece, count in pieces:
            its_value, its_error = piece.log(z)
            value += count * its_value
            error += count * its_error
        return value, error

    def log_envelope(c, t):
        return sum(count * piece.log_envelope(c, t) for piece, count in pieces)

    return Transform(log, log_envelope, min(piece.reach for piece, _ in pieces), min(piece.terms for piece, _ in pieces))


def _transform_of(part) -> Transform:
    if hasattr(part, "_law"):
        return _of_finite(part._law)
    if hasattr(part, "noise_multiplier"):
        return _of_subsampled(part)

    def log_envelope(c, t):
        s = 1.0 + c + 1j * t
        return part._log_envelope(s) if hasattr(part, "_log_envelope") else part._log_hellinger(s)[0].real

    return Transform(lambda z: part._log_hellinger(1.0 + z), log_envelope)


def _of_finite(law: FiniteLaw) -> Transform:
    finite = np.isfinite(law.loss)
    loss, q = law.loss[finite], law.q[finite]
    mass, spread = float(q.sum()), float(np.abs(loss).max(initial=0.0))

    def log(z):
        # e^{zl*} is taken out, l* the loss that weighs most.
        rate = float(np.median(z.real))
        lead = loss[np.argmax(np.log(q) + rate * loss)]
        total = np.exp(np.multiply.outer(z, loss - lead)) @ q
        value = z * lead + np.log(total)
        near = np.abs(z) * spread < 0.5
        if near.any():
            excess = _complex_expm1(np.multiply.outer(z[near], loss)) @ q
            value[near] = math.log(mass) + _log1p(excess / mass)
        size = (np.exp(np.multiply.outer(z.real, loss - lead)) @ q) / np.abs(total)
        error = _ROUNDING * ((8 + 2 * np.abs(z) * spread) * size + 2 * np.abs(value))
        error[near] = _ROUNDING * (8 * np.abs(z[near]) * spread + 4 * np.abs(value[near]))
        return value, error

    return Transform(log, lambda c, t: np.full(t.shape, log(np.array([c + 0j]))[0][0].real))


def _complex_expm1(z):
    x, y = z.real, z.imag
    size = np.exp(x)
    return np.expm1(x) - 2 * size * np.sin(y / 2) ** 2 + 1j * size * np.sin(y)


def _log1p(x):
    from .subsampled_gaussian import complex_log1p

    return complex_log1p(x)


def _of_subsampled(part) -> Transform:
    mu, rate = 1.0 / part.noise_multiplier, part.sampling_rate
    add = part.direction == "add"

    def log_envelope(c, t):
        """The contour moved to u ± iv: |(1 + pw)^{1+c+it}| = |1 + pw|^{1+c} e^{−tθ}, θ = |arg(1 + pw)|."""
        power = -c if add else 1.0 + c
        centre = mu * max(power, 0.0)
        u = np.linspace(-13.0 + mu * min(power, 0.0), 13.0 + centre, 900)[:, None]
        v = np.append(np.geomspace(1e-6, min(0.95 * math.pi / mu, 8.0), 24), 0.0)
        tilt = np.minimum(mu * u - mu**2 / 2, 600.0)
        shifted = 1 - rate + rate * np.exp(tilt + 1j * mu * v)
        exponent = (v**2 - u**2) / 2 + power * np.log(np.abs(shifted))
        angle = np.abs(np.angle(shifted))
        peak = float(exponent[:, -1].max())
        weight = np.exp(exponent - peak)
        still = weight[:, -1].sum()
        log_f = part._log_hellinger(np.array([1.0 + c + 0j]))[0][0].real
        best = np.zeros(t.shape)
        for j in range(len(v) - 1):
            fall = np.exp(-np.multiply.outer(t, angle[:, j])) @ weight[:, j]
            # Relative to the same sum on the line itself: a billion steps need the difference.
            change = (np.exp(-np.multiply.outer(t, angle[:, j])) * weight[:, j] - weight[:, -1]).sum(axis=1) / still
            best = np.minimum(best, np.where(change > -0.5, np.log1p(np.maximum(change, -0.5)), np.log(np.maximum(fall / still, 1e-300))))
        return log_f + best

    def log(z):
        return part._log_hellinger(1.0 + z)

    return Transform(log, log_envelope, part.hellinger_reach, 2**12)
