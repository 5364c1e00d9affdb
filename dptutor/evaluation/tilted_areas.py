"""Areas ∫ e^{−(u − a)/2} δ(u) du, or of 1 − δ, over a table of polynomials of log δ or log(1 − δ), with bounds.

The profile of a Laplace mechanism beside another one consists of such areas. On each piece the integrand is e^q with
a polynomial q = Σ c_k T_k, so that n Gauss points err by at most 64/15 M ρ^{−2n}/(1 − ρ^{−2}) for every ρ > 1, where
M = exp(c_0 + Σ |c_k| (ρ^k + ρ^{−k})/2) bounds |e^q| on the ellipse of Bernstein with sum of axes ρ (Trefethen 2008,
theorem 4.5). The ellipse of a part of a piece lies within that of the piece. All terms are positive.

Source: Trefethen (2008), Is Gauss quadrature better than Clenshaw-Curtis?
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from .._floats import LARGEST_LOSS, LAST_PLACE
from .polynomials import gauss, sums

_NODES, _WEIGHTS = gauss(20)
_COUNT = 20
_RHO = np.array([1.3, 1.6, 2.0, 2.5, 3.0, 4.0, 6.0, 9.0, 14.0, 25.0])
# Largest length of a panel.
_LONGEST = 4.0


class TiltedAreas:
    """The areas under one table, of whole pieces and between any two losses.

    Parameters
    ----------
    pieces : list of ndarray
        The pieces of a table, one after the other: where they start and end, Chebyshev coefficients of the logarithm of
        δ, or of `mass` − δ, which of the two, a bound on its relative error, and what it is at most.
    mass : float
    """

    def __init__(self, pieces: Sequence[np.ndarray], mass: float) -> None:
        starts, ends, coefficients, complement, error, most = pieces
        counts = np.maximum(np.ceil((ends - starts) / _LONGEST), 1).astype(int)
        self._piece = np.repeat(np.arange(len(starts)), counts)
        share = np.concatenate([np.arange(count) / count for count in counts.tolist()])
        length = (ends - starts)[self._piece]
        self._low = starts[self._piece] + share * length
        self._high = np.append(self._low[1:], ends[-1])
        self._starts, self._ends, self._coefficients = starts, ends, coefficients
        self._complement, self._mass = np.asarray(complement, dtype=bool), mass
        self._error, self._most = error, most
        self._own = self._over(self._low, self._high, np.arange(len(self._low)))

    def _over(self, low: np.ndarray, high: np.ndarray, panel: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """∫ e^{−(u − low)/2} of the values of a panel, from `low` to `high`, and a bound on its error."""
        piece = self._piece[panel]
        start, length = self._starts[piece], (self._ends - self._starts)[piece]
        half = (high - low) / 2
        node = half[:, None] * (1.0 + _NODES)
        x = np.clip(2.0 * (low[:, None] - start[:, None] + node) / length[:, None] - 1.0, -1.0, 1.0)
        own = self._coefficients[piece]
        log_value = sums(own, x)
        value = np.minimum(np.exp(np.minimum(log_value, 1.0)), 1e300)
        area = half * ((np.exp(-node / 2) * value) @ _WEIGHTS)
        return area, self._bound(own, half, area, piece)

    def _bound(self, own: np.ndarray, half: np.ndarray, area: np.ndarray, piece: np.ndarray) -> np.ndarray:
        order = np.arange(1.0, own.shape[1])
        axes = (_RHO[:, None] ** order + _RHO[:, None] ** -order) / 2
        # On the ellipse e^{−node/2} is at most e^{half ((ρ + 1/ρ)/2 − 1)/2}.
        log_most = own[:, :1] + np.abs(own[:, 1:]) @ axes.T + half[:, None] * (axes[:, 0] - 1.0) / 2
        log_missed = log_most - 2 * _COUNT * np.log(_RHO) - np.log1p(-(_RHO**-2.0)) + math.log(64 / 15)
        missed = half * np.exp(np.minimum(log_missed.min(axis=1), LARGEST_LOSS))
        # If no digit is certain, the error is the upper bound itself.
        everything = np.minimum(self._most[piece], self._mass) * 2 * -np.expm1(-half)
        known = self._error[piece] < 1.0
        noise = np.where(known, self._error[piece], 0.0) * area
        rounding = 4 * LAST_PLACE * (8.0 + np.abs(own).sum(axis=1)) * area
        return np.where(known, np.minimum(missed + noise + rounding, everything + area), everything + area)

    def area(self, low: np.ndarray, high: np.ndarray, complement: bool) -> tuple[np.ndarray, np.ndarray]:
        """∫ e^{−(u − low)/2} of δ, or of `mass` − δ, from `low` to `high` within the table, and its error."""
        last = len(self._low) - 1
        first = np.clip(np.searchsorted(self._low, low, side="right") - 1, 0, last)
        final = np.clip(np.searchsorted(self._low, high, side="left") - 1, first, last)
        one = first == final
        total, error = self._piecewise(low, np.where(one, high, self._high[first]), first, complement)
        more = np.flatnonzero(~one)
        if more.size:
            start = self._low[final[more]]
            end, its_error = self._piecewise(start, high[more], final[more], complement)
            shrink = np.exp(-(start - low[more]) / 2)
            number = np.arange(len(self._low))
            between = (number > first[more, None]) & (number < final[more, None])
            with np.errstate(under="ignore", over="ignore"):
                weight = np.where(between, np.exp(-np.maximum(self._low - low[more, None], 0.0) / 2), 0.0)
            own, own_error = self._as_asked(self._own, self._low, self._high, number, complement)
            total[more] += shrink * end + weight @ own
            error[more] += shrink * its_error + weight @ own_error
        return total, error + 16 * LAST_PLACE * total

    def _piecewise(
        self, low: np.ndarray, high: np.ndarray, panel: np.ndarray, complement: bool
    ) -> tuple[np.ndarray, np.ndarray]:
        return self._as_asked(self._over(low, high, panel), low, high, panel, complement)

    def _as_asked(
        self,
        over: tuple[np.ndarray, np.ndarray],
        low: np.ndarray,
        high: np.ndarray,
        panel: np.ndarray,
        complement: bool,
    ) -> tuple[np.ndarray, np.ndarray]:
        """The area under the table's values, or under their complement to `mass`, and a bound on its error."""
        area, error = over
        other = self._complement[self._piece[panel]] != complement
        whole = self._mass * 2 * -np.expm1(-(high - low) / 2)
        rounding = np.where(other, 16 * LAST_PLACE * whole, 0.0)
        return np.where(other, np.maximum(whole - area, 0.0), area), error + rounding
