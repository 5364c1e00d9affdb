"""The Poisson-subsampled Laplace mechanism: an example takes part with probability p.

As for `subsampled`, one step is a Laplace mechanism in other coordinates. With e^{ε'} = (e^ε − 1 + p)/p, and
e^{ε''} = p e^ε / (1 − (1−p) e^ε) for `add`,

    δ(ε) = p δ_L(ε'),     δ_add(ε) = (1 − (1−p) e^ε) δ_L(ε''),

where the logarithms are defined; elsewhere δ = 1 − e^ε for `remove` and 0 for `add`. Its losses are bounded, by
log(1 − p + p e^(±ε₀)), and both ends are atoms. With δ_L(ε) = 1 − e^((ε − ε₀)/2) = 1 − R and the largest loss ε*, both
are products without a difference,

    δ(ε) = e^(ε* − ε₀) (1 − e^(ε − ε*))/(1 + R),     δ_add(ε) = (1 − e^(ε − ε*))/(1 + R).

Sources: Balle, Barthe & Gaboardi (2018), theorem 2; Zhu, Dong & Wang (2022).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .._floats import LARGEST_LOSS, LAST_PLACE
from .._validation import choice, real_number
from ..evaluation.from_profile import integral
from ..evaluation.laws import SampledLaplaceLaw
from ..evaluation.renyi_areas import log_excess, renyi_of_excess
from ..evaluation.subsampled_gaussian import log_of_mixture
from .base import Mechanism
from .directed import DIRECTIONS, Directed
from .laplace import Laplace

# Cuts of an integral around places where it may bend, as shares of the largest loss.
_AROUND = np.concatenate([-np.geomspace(1e-12, 2.0, 50), [0.0], np.geomspace(1e-12, 2.0, 50)])


@dataclass(frozen=True, eq=False)
class SubsampledLaplace(Directed):
    """One Laplace mechanism on a Poisson sample: every example takes part with the same probability.

    Exact in each direction; powers are had between two laws on a grid, and say how far apart these are.

    Parameters
    ----------
    scale : float
        Scale b of the noise over the sensitivity; at least 1/700.
    sampling_rate : float
        p in (0, 1], the probability with which an example takes part.
    direction : {"both", "add", "remove"}
        As for `SubsampledGaussian`.

    Raises
    ------
    ValueError
        If a parameter is outside its range.

    References
    ----------
    Balle, Barthe & Gaboardi (2018), theorem 2; Zhu, Dong & Wang (2022).

    Examples
    --------
    >>> import dptutor as dp
    >>> m = dp.SubsampledLaplace(scale=1, sampling_rate=0.1)
    >>> round(m.epsilon(0), 6), round(m.advantage / dp.Laplace(scale=1).advantage, 6)
    (0.158565, 0.1)
    """

    scale: float
    sampling_rate: float
    direction: str = "both"

    def __post_init__(self):
        noise = Laplace(self.scale)
        real_number("scale", noise.scale, 1.0 / LARGEST_LOSS)
        object.__setattr__(self, "scale", noise.scale)
        rate = real_number("sampling_rate", self.sampling_rate, 0.0, 1.0, open_low=True)
        object.__setattr__(self, "sampling_rate", rate)
        choice("direction", self.direction, DIRECTIONS)

    @cached_property
    def _removal(self) -> Mechanism:
        noise = Laplace(self.scale)
        return noise if self.sampling_rate == 1.0 else _Removal(noise, self.sampling_rate)


@dataclass(frozen=True, eq=False)
class _Removal(Mechanism):
    """P without the example against Q with it, or the reverse."""

    noise: Laplace
    rate: float
    is_reversed: bool = False

    def __repr__(self):
        direction = "add" if self.is_reversed else "remove"
        return f"SubsampledLaplace(scale={self.noise.scale!r}, sampling_rate={self.rate!r}, direction={direction!r})"

    @cached_property
    def reverse(self) -> _Removal:
        return _Removal(self.noise, self.rate, not self.is_reversed)

    @property
    def error_bound(self):
        return max(super().error_bound, LAST_PLACE * self.noise.largest_loss)

    def _loss_range(self):
        # log(1 − p + p e^l), at both ends.
        low, high = (self._loss(sign * self.noise.largest_loss) for sign in (-1, 1))
        return (-high, -low) if self.is_reversed else (low, high)

    def _loss_law(self):
        return SampledLaplaceLaw(self.noise.largest_loss, self.rate, "add" if self.is_reversed else "remove")

    def _loss(self, of_noise: float) -> float:
        if of_noise < 600.0:
            change = self.rate * math.expm1(of_noise)
            # Where 1 + change would cancel.
            return math.log1p(change) if change > -0.5 else math.log((1 - self.rate) + self.rate * math.exp(of_noise))
        share = of_noise + math.log(self.rate)
        return share if share > 600.0 else math.log1p(math.exp(share) - self.rate)

    def _breakpoints(self):
        return np.array(self._loss_range())

    def _renyi(self, order):
        return np.reshape([self._of_order(s) for s in np.ravel(order)], np.shape(order))

    def _of_order(self, order: float) -> float:
        """D_s as a sum over both atoms and an integral between them, of terms of one sign."""
        top, t = self.noise.largest_loss, 1.0 - order if self.is_reversed else order
        ends = np.array([-top, top])
        # The loss is 0 at the loss 0 of the noise, and bends at −log p.
        cuts = np.unique(np.clip(np.add.outer([-top, 0.0, -math.log(self.rate), top], top * _AROUND), -top, top))

        def area(log_terms):
            atoms = log_terms(ends, -(ends + top) / 2 - math.log(2.0))
            largest = max(np.max(atoms), np.max(log_terms(cuts, -(cuts + top) / 2)))
            if largest == -math.inf:
                return largest
            between = integral(lambda x: np.exp(log_terms(x, -(x + top) / 2) - largest), cuts) / 4
            return largest + math.log(between + float(np.exp(atoms - largest).sum()))

        def excess(x, log_p):
            loss = log_of_mixture(self.rate, x)
            return log_excess(loss, log_p, log_p + loss, t, order == 1.0)

        return renyi_of_excess(
            area(excess), order, t, lambda: area(lambda x, log_p: t * log_of_mixture(self.rate, x) + log_p)
        )

    def _inner(self, epsilon):
        """The loss of the noise at which the loss of removal is ε."""
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            ratio = np.expm1(np.minimum(epsilon, LARGEST_LOSS)) / self.rate
            large = np.minimum(epsilon, 1e300) - math.log(self.rate)
            return np.where(epsilon > 600, large, np.log1p(np.maximum(np.minimum(ratio, 1e308), -1.0)))

    def _errors(self, epsilon):
        epsilon = np.asarray(epsilon, dtype=float)
        if self.is_reversed:
            # L = −L of removal: Pr[L < −ε] with the example, and Pr[L ≥ −ε] without it.
            inner = self._inner(-epsilon)
            low, high = self._loss_range()
            inner = self._snapped(inner, -epsilon, -high, -low)
            # The noise is symmetric: Pr_P[l > −x] = Pr_Q[l < x], and Pr_Q[l ≤ −x] = Pr_P[l ≥ x].
            below, above = self.noise._errors(-inner)
            return (1 - self.rate) * (1 - above) + self.rate * below, above
        inner = self._snapped(self._inner(epsilon), epsilon, *self._loss_range())
        alpha, beta = self.noise._errors(inner)
        return alpha, (1 - self.rate) * (1 - alpha) + self.rate * beta

    def _snapped(self, inner, epsilon, low, high):
        """The loss of the noise, moved to the same side of the atoms as ε."""
        top = self.noise.largest_loss
        inner = np.clip(inner, np.nextafter(-top, 0.0), np.nextafter(top, 0.0))
        inner = np.where(epsilon > low, inner, np.where(epsilon == low, -top, -np.inf))
        return np.where(epsilon < high, inner, np.where(epsilon == high, top, np.inf))

    def _delta(self, epsilon):
        epsilon = np.asarray(epsilon, dtype=float)
        low, high = self._loss_range()
        certain = -np.expm1(np.minimum(epsilon, 0.0))
        top = self.noise.largest_loss
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            if self.is_reversed:
                room = np.maximum(-np.expm1(np.minimum(epsilon, LARGEST_LOSS) + math.log1p(-self.rate)), 0.0)
                inner, scale = epsilon + math.log(self.rate) - np.log(room), 1.0
            else:
                inner, scale = self._inner(epsilon), math.exp(high - top)
            root = np.exp(np.minimum((inner - top) / 2, 0.0))
            inside = scale * -np.expm1(np.minimum(epsilon - high, 0.0)) / (1.0 + root)
        return np.where(epsilon <= low, certain, np.where(epsilon >= high, 0.0, inside))
