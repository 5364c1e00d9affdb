"""A subsampled Laplace step beside Gaussian noise: its law is replaced by few losses, with a bound on the error.

For a removal the loss is φ(l) = log(1 − p + p e^l), l the loss of the noise, which is ±ε₀ or has under P the density
¼ e^{−(l + ε₀)/2} between. With whatever it is composed,

    δ(ε) = E_Q[δ'(ε − φ(l))],     δ' the profile of the rest,

is a sum over both ends and an integral, of which Gauss's rule makes a sum. Where the rest has a part with the loss
N(μ²/2, μ²) under Q, δ' is entire: E_Q[(1 − e^{z − L})₊] = ∫₀^∞ e^{−s} Pr_Q[L > z + s] ds, and as the density of a
normal variable grows by e^{y²/2μ²} at a distance of y from the real line,

    |δ'(x + iy)| ≤ e^{y²/2μ²} δ'(x).

So on a panel of half-length h n points miss at most 64/15 h M ρ^{−2n}/(1 − ρ^{−2}), where M bounds the integrand on the
ellipse of Bernstein with sum of axes ρ (Trefethen 2008, theorem 4.5), and M is a number times δ'(ε − x), x the largest
Re φ on the ellipse: what is missed is itself a sum of values of δ', as small as δ far out. The ellipse stays within
|Im l| ≤ π/2, where Re(1 − p + p e^l) > 0.

Source: Trefethen (2008), Is Gauss quadrature better than Clenshaw-Curtis?
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .._floats import UNIT_ROUNDOFF
from .finite_law import FiniteLaw, TooManyAtoms
from .laws import SampledLaplaceLaw
from .polynomials import gauss
from .subsampled_gaussian import log_of_mixture

_COUNT = 20
_RHO = np.geomspace(1.2, 60.0, 40)[:, None]
# log of the error that a panel may have, relative to its mass.
_GOAL = -38.0
# log of the share of an end's mass that is negligible.
_NOTHING = -42.0
# Both hold up to this many standard deviations of the Gaussian noise.
_FAR = 12.0
_MOST_PANELS = 200
# Allowances for rounding of the bounds themselves.
_MARGIN, _SLACK = 1e-9, 1e-12


@dataclass(frozen=True)
class Missed:
    """The error of a sum over losses: at most Σ q δ'(ε − of_q) for δ, and Σ p δ'⁻(ε + of_p) for the reverse pair."""

    of_q: np.ndarray
    q: np.ndarray
    of_p: np.ndarray
    p: np.ndarray

    @property
    def reverse(self) -> Missed:
        """The same for the reverse pair."""
        return Missed(-self.of_p, self.p, -self.of_q, self.q)


def nodes(step: SampledLaplaceLaw, mu: float) -> tuple[FiniteLaw, Missed]:
    """The losses that replace those of a step beside a Gaussian part with this μ, and a bound on the error.

    Raises
    ------
    TooManyAtoms
        If the Gaussian part has so little noise that too many losses would be needed.
    """
    top, rate = step.largest_loss, step.sampling_rate
    panels, low, high = [], np.array([-top]), np.array([top])
    while low.size:
        panel = _Panels(low, high, top, rate, mu)
        panels.append(panel.rows[:, panel.done])
        middle = ((low + high) / 2)[~panel.done]
        low, high = np.append(low[~panel.done], middle), np.append(middle, high[~panel.done])
        if low.size + sum(rows.shape[1] for rows in panels) > _MOST_PANELS:
            raise TooManyAtoms
    low, high, counts, of_q, q_missed, of_p, p_missed = np.concatenate(panels, axis=1)
    node, weight = gauss(_COUNT)
    half = (high - low)[:, None] / 2
    counted = np.repeat(counts > 0, _COUNT)
    noise = (low[:, None] + half * (1.0 + node)).ravel()[counted]
    inner = (half * weight).ravel()[counted] * np.exp(-(noise + top) / 2) / 4
    order = np.argsort(noise)
    noise = np.concatenate([[-top], noise[order], [top]])
    p = np.concatenate([[0.5], inner[order], [math.exp(-top) / 2]])
    q = (1.0 - rate) * p + rate * np.exp(noise) * p
    off, rounding = 8 * UNIT_ROUNDOFF * (1.0 + top), (64.0 + 4.0 * top) * UNIT_ROUNDOFF
    law = FiniteLaw.of_finite(_loss(noise, rate), p, q, 0.0, 0.0, off, rounding)
    missed = Missed(of_q, q_missed, of_p, p_missed)
    return (law.reverse, missed.reverse) if step.direction == "add" else (law, missed)


class _Panels:
    """Panels of losses of the noise from `low` to `high`, and bounds on the error of Gauss's rule on each.

    Attributes
    ----------
    done : ndarray of bool
        Whether that is little enough.
    rows : ndarray
        Of each panel its ends, whether it counts at all, and of both hypotheses a loss and a weight as in `Missed`.
    """

    def __init__(self, low: np.ndarray, high: np.ndarray, top: float, rate: float, mu: float) -> None:
        half, middle = (high - low) / 2, (low + high) / 2
        imaginary = half * (_RHO - 1 / _RHO) / 2
        allowed = imaginary <= math.pi / 2
        upright, real = np.where(allowed, imaginary, 0.0), np.where(allowed, half * (_RHO + 1 / _RHO) / 2, half)
        left, right = middle - real, middle + real
        furthest = rate * np.exp(right)
        turned = np.arctan2(furthest * np.sin(upright), (1.0 - rate) + furthest * np.cos(upright))
        log_rule = np.log(half * 64 / 15) - 2 * _COUNT * np.log(_RHO) - np.log1p(-(_RHO**-2.0))
        log_rule = np.where(allowed, log_rule + turned**2 / (2 * mu**2) + _MARGIN, np.inf)

        def log_densities(low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            # Largest values between `low` and `high`; the density under Q is ¼ e^{−(l + ε₀)/2} (1 − p + p e^l).
            log_p = -(low + top) / 2 - math.log(4)
            return log_p, np.logaddexp(math.log1p(-rate) + log_p, math.log(rate) + (high - top) / 2 - math.log(4))

        of_q = _loss(right, rate) + _SLACK
        of_p = np.log((1.0 - rate) + rate * np.exp(left) * np.cos(upright)) - _SLACK
        beyond = of_q - _loss(high, rate), _loss(low, rate) - of_p
        log_masses = [np.log(2 * half) + density for density in log_densities(middle, middle)]
        log_p, log_q = (log_rule + density for density in log_densities(left, right))
        shares = log_p - log_masses[0] + _FAR * beyond[1] / mu, log_q - log_masses[1] + _FAR * beyond[0] / mu
        worse = np.maximum(*shares)
        best = np.argmin(worse, axis=0)[None]
        of_q, of_p, log_q, log_p, worse = (
            np.take_along_axis(each, best, axis=0)[0] for each in (of_q, of_p, log_q, log_p, worse)
        )
        # A panel is negligible if its whole mass is, compared with an end that lies further out.
        most = [np.log(2 * half) + density + _MARGIN for density in log_densities(low, high)]
        log_ends = math.log(0.5), math.log(0.5) + float(np.logaddexp(math.log1p(-rate) - top, math.log(rate)))
        nothing = (most[0] < log_ends[0] + _NOTHING) & (most[1] < log_ends[1] + _NOTHING)
        of_q, of_p = np.where(nothing, _loss(high, rate), of_q), np.where(nothing, _loss(low, rate), of_p)
        log_p, log_q = np.where(nothing, most[0], log_p), np.where(nothing, most[1], log_q)
        self.done = nothing | (worse < _GOAL)
        with np.errstate(over="ignore"):
            self.rows = np.array([low, high, ~nothing, of_q, np.exp(log_q), of_p, np.exp(log_p)])


def _loss(noise: np.ndarray | float, rate: float) -> np.ndarray:
    """log(1 − p + p e^l)."""
    return log_of_mixture(rate, np.asarray(noise, dtype=float))
