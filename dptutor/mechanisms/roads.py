"""The roads to the faces of a composition; `composition` chooses between them.

A road of a pair has `errors` (α and β at a loss), `delta`, the `kinks` of R, its own `reverse`, a bound on the error of
f, R and δ and one on that of R alone. Those whose losses thin out have a `window`, beyond which nothing is left, and
`bayes_error`; an enumerated law has its `tradeoff` instead.
"""

from __future__ import annotations

import copy
import math
from functools import cached_property

import numpy as np
from scipy.special import expit

from ..transform.discretized import Factor, window
from ..transform.finite import FiniteLaw, TooManyAtoms
from ..transform.hellinger import Inversion, SlowDecay
from ..transform.subsampled_gaussian import complex_log1p
from .base import LARGEST_LOSS

# Error of log H of one part, relative.
_RELATIVE = 4e-15
# Atoms that a mixture may have.
_MOST_ATOMS = 3000


class FiniteRoad:
    """Faces of an enumerated law, exact or, with the bound of a bracket, its dominating one."""

    def __init__(self, law: FiniteLaw, error_bound: float = 1e-13, smooth: bool = False):
        self._law = law
        self.errors, self.delta, self.tradeoff = law.errors, law.delta, law.tradeoff
        # The cells of a grid are no kinks of what has no atoms.
        self._smooth = smooth
        self.kinks = np.empty(0) if smooth else law.kinks
        self.error_bound = self.bayes_error_bound = error_bound
        self.window = None

    @property
    def reverse(self) -> FiniteRoad:
        """The road of the reverse pair."""
        return FiniteRoad(self._law.reverse, self.error_bound, self._smooth)


class MixtureRoad:
    """Faces of a finite experiment together with another mechanism: a mixture over the atoms l of the first.

    R at log-odds ε is Σ (π p + (1−π) q) R'(ε − l), and δ(ε) = Pr_Q[l = ∞] + Σ q δ'(ε − l).
    """

    def __init__(self, law: FiniteLaw, rest):
        finite = np.isfinite(law.loss)
        self._law, self._rest = law, rest
        self._loss, self._p, self._q = law.loss[finite], law.p[finite], law.q[finite]
        self._infinite = float(law.q[law.loss == np.inf].sum())
        if self._loss.size > _MOST_ATOMS:
            raise TooManyAtoms
        self.error_bound = rest.error_bound + 1e-13
        self.bayes_error_bound = rest._bayes_error_bound + 1e-15

    @cached_property
    def kinks(self) -> np.ndarray:
        """The losses at which R has kinks."""
        return np.unique(np.add.outer(self._loss, self._rest._kinks()))

    @cached_property
    def window(self) -> tuple[float, float] | None:
        """Losses beyond which min(π, 1 − π) − R is below rounding; none where the loss has atoms."""
        if self._rest._kinks().size:
            return None
        low, high = getattr(self._rest, "_window", None) or window(
            self._rest._errors, infinite(self._rest.reverse), infinite(self._rest)
        )
        loss = self._loss[self._matters]
        return low + float(loss.min()), high + float(loss.max())

    @cached_property
    def _matters(self) -> np.ndarray:
        """Atoms that an absolute error can tell from none."""
        matters = np.maximum(self._p, self._q) > 1e-18 / self._loss.size
        return matters if matters.any() else np.ones(self._loss.shape, dtype=bool)

    def _at(self, epsilon, atoms):
        return np.clip(np.subtract.outer(np.asarray(epsilon, dtype=float), self._loss[atoms]), -LARGEST_LOSS, None)

    def errors(self, epsilon):
        """α and β at ε."""
        atoms = self._matters
        alpha, beta = self._rest._errors(self._at(epsilon, atoms))
        return np.minimum(alpha @ self._p[atoms], 1.0), np.minimum(beta @ self._q[atoms], 1.0)

    def bayes_error(self, log_odds):
        """R at log-odds."""
        atoms, prior = self._matters, expit(log_odds)[..., None]
        mass = prior * self._p[atoms] + expit(-log_odds)[..., None] * self._q[atoms]
        return np.sum(mass * self._rest._bayes_error(self._at(log_odds, atoms)), axis=-1)

    def delta(self, epsilon):
        """δ at ε."""
        delta = self._infinite + self._rest._delta(self._at(epsilon, slice(None))) @ self._q
        return np.minimum(delta, 1.0)

    @cached_property
    def reverse(self) -> MixtureRoad:
        """The road of the reverse pair."""
        return MixtureRoad(self._law.reverse, self._rest.reverse)


class TransformRoad:
    """Faces by inversion of the Hellinger transform: of a pair for losses ε ≥ 0, of its reverse for ε < 0."""

    kinks = np.empty(0)

    def __init__(self, factors):
        self._factors = factors
        self._infinite = tuple(
            -math.expm1(sum(n * math.log1p(-infinite(pair)) for pair, n in pairs))
            for pairs in (factors, [(part.reverse, n) for part, n in factors])
        )
        self._reach = min(_reach(part) for part, _ in factors)
        self._forward = Inversion(self._log_transform, self._log_envelope, self._reach)

    @cached_property
    def _backward(self) -> Inversion:
        return self._forward.reverse

    def _log_transform(self, s):
        value, error = np.zeros(s.shape, dtype=complex), np.zeros(s.shape)
        for part, count in self._factors:
            log_h, its_error = _log_hellinger(part, s)
            value += count * log_h
            error += count * its_error
        return value, error

    def _log_envelope(self, s):
        return sum(count * _log_envelope(part, s) for part, count in self._factors)

    @property
    def window(self) -> tuple[float, float]:
        """Losses beyond which min(π, 1 − π) − R is below rounding."""
        return self._forward.middle_window

    @property
    def bayes_error_bound(self) -> float:
        """Bound on the error of R at every prior."""
        return 2 * self._forward.bayes_error_bound + 1e-15

    @property
    def error_bound(self) -> float:
        """Bound on the error of R, f and δ: of α and β by the middle line, and of tangents a little off their place."""
        return 1e-12 + 4 * self._forward.bayes_error_bound * math.exp(self._forward.near / 2)

    def bayes_error(self, log_odds):
        """R at log-odds."""
        flat = np.clip(np.ravel(log_odds), -700.0, 700.0)
        return self._forward.bayes_error(flat).reshape(np.shape(log_odds))

    def errors(self, epsilon):
        """α and β at ε."""
        flat = np.ravel(epsilon)
        alpha, beta = np.empty(flat.shape), np.empty(flat.shape)
        # Beyond the window nothing is left of the finite losses.
        low, high = self.window
        beyond = (flat >= high) | (flat <= low)
        near = ~beyond & (np.abs(flat) <= self._forward.near)
        if near.any():
            alpha[near], beta[near] = self._forward.errors_near(flat[near])
        alpha[beyond] = np.where(flat[beyond] > 0, 0.0, 1.0 - self._infinite[1])
        beta[beyond] = np.where(flat[beyond] > 0, 1.0 - self._infinite[0], 0.0)
        right, left = ~near & ~beyond & (flat > 0), ~near & ~beyond & (flat < 0)
        if right.any():
            alpha[right], beta[right] = self._forward.tails(flat[right], self._infinite[0])
        if left.any():
            # Of the reverse pair at −ε: its type I error is β, its type II error α.
            beta[left], alpha[left] = self._backward.tails(-flat[left], self._infinite[1])
        return alpha.reshape(np.shape(epsilon)), beta.reshape(np.shape(epsilon))

    def delta(self, epsilon):
        """δ at ε."""
        flat = np.ravel(epsilon)
        delta = np.empty(flat.shape)
        right = flat >= 0
        if right.any():
            delta[right] = _profile(self._forward, flat[right], self._infinite[0])
        if not right.all():
            # δ(ε) = 1 − e^ε + e^ε δ_QP(−ε)
            left = flat[~right]
            delta[~right] = -np.expm1(left) + np.exp(left) * _profile(self._backward, -left, self._infinite[1])
        return delta.reshape(np.shape(epsilon))

    def delta_error(self, epsilon):
        """Bound on the error of δ at ε ≥ 0, which falls with δ."""
        flat = np.clip(np.ravel(epsilon), 0.0, 1e300)
        return self._forward.profile_error(flat).reshape(np.shape(epsilon))

    def epsilon_near(self, log_delta):
        """About where δ(ε) has this logarithm."""
        return self._forward.epsilon_near(log_delta)

    @cached_property
    def reverse(self) -> TransformRoad:
        """The road of the reverse pair; it shares what was worked out."""
        road = copy.copy(self)
        road._factors = [(part.reverse, count) for part, count in self._factors]
        road._infinite = self._infinite[::-1]
        road.__dict__.pop("reverse", None)
        road._forward, road.__dict__["_backward"] = self._backward, self._forward
        return road


def _profile(inversion, epsilon, infinite):
    delta = np.full(epsilon.shape, infinite)
    finite = np.isfinite(epsilon)
    if finite.any():
        delta[finite] = inversion.profile(epsilon[finite], infinite)
    return np.minimum(delta, 1.0)


def _reach(part) -> float:
    """|s| up to which H(s) of a part does not overflow on the real line."""
    if hasattr(part, "_log_hellinger"):
        return getattr(part, "hellinger_reach", math.inf)
    return 600.0 / float(np.max(np.abs(part._kinks()), initial=1e-6))


def _log_hellinger(part, s):
    """log H(s) of a part, and a bound on its error."""
    if hasattr(part, "_log_hellinger"):
        return part._log_hellinger(s)
    if not hasattr(part, "_hellinger_excess"):
        raise SlowDecay
    excess = np.asarray(part._hellinger_excess(np.append(s, 0.5)), dtype=complex)
    log_h = complex_log1p(excess)
    # The terms that make up H − 1 are of the size of |2s − 1|² times those at s = ½, also where they cancel.
    return log_h[:-1], _RELATIVE * (np.abs(log_h[:-1]) + abs(log_h[-1]) * (1.0 + np.abs(2.0 * s - 1.0) ** 2))


def _log_envelope(part, s):
    """log of a bound on |H(s)| of a part that falls with |Im s|; for a smooth loss |H(s)| itself."""
    if hasattr(part, "_log_envelope"):
        return part._log_envelope(s)
    return _log_hellinger(part, s)[0].real


def infinite(part) -> float:
    """Pr_Q[L = +∞]."""
    return float(part._delta(np.asarray(math.inf)))


def grid_factor(part, count) -> Factor:
    """A part as the grid needs it."""
    masses = infinite(part.reverse), infinite(part)
    atoms = tuple(float(kink) for kink in part._kinks())
    return Factor(part._errors, *masses, count, *window(part._errors, *masses), atoms)
