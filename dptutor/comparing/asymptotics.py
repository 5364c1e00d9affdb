"""Emergent dominance: under composition many small losses add up to a nearly normal one, and Gaussians are ordered.

Moments of the loss L under P, where −E_P[L] is the Kullback-Leibler divergence of P from Q:

    v₁ = −E_P[L],   v₂ = E_P[L²],   v₃ = E_P|L + v₁|³,   v₄ = E_P|L|³,   η = v₁/√(v₂ − v₁²).

The n-fold composition is close to the Gaussian mechanism with μ = 2√n η. By the Berry-Esseen theorem the distance,
as a shift of trade-off functions, is at most 0.56 η³ v₃/(√n v₁³); so if μ ≥ μ̃, that is n/ñ ≥ η̃²/η²,

    Δ(Mⁿ ‖ M̃^ñ) ≤ 0.56 ( η³ v₃/(√n v₁³) + η̃³ ṽ₃/(√ñ ṽ₁³) ).

This is for symmetric trade-off functions. In general the loss has its own moments under Q (of −L, those of the reverse
pair), and with s for its standard deviation and m = √n (v₁ + v₁ᵠ) the curve of the composition is within γ_P on one
axis and γ_Q on the other of β = Φ((s_P z − m)/s_Q) at α = Φ(−z). So, for all steps,

    Δ(Mⁿ ‖ M̃^ñ) ≤ max(γ_P + γ̃_P, γ_Q + γ̃_Q) + κ₀,

with κ₀ the shift that puts the first of these limit curves below the second: the *shortfall*, which is 0 if f and f̃
are symmetric and μ ≥ μ̃. A mechanism in both directions is composed in each and symmetrized as a whole; a bound for
one direction is a bound for both.

Sources: Kaissis et al. (2024), equations 8-15, lemma 6 and theorem 3; Dong, Roth & Su (2022), theorems 3.4 and 3.5.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import erf, ndtr

from .._numeric import Numeric
from .._validation import callable_, positive_integer, shown
from ..evaluation.laws import NormalLaw
from ..evaluation.polynomials import gauss
from ..mechanisms.base import Mechanism, as_mechanism
from ..mechanisms.gaussian import Gaussian
from .blackwell import delta_divergence

__all__ = [
    "AsymptoticDominance",
    "CompositionMoments",
    "DominanceBound",
    "asymptotic_dominance",
    "composition_moments",
    "dominance_bound",
]

# The constant of the Berry-Esseen theorem for summands with different distributions (Shevtsova 2010).
_BERRY_ESSEEN = 0.56
_NODES, _WEIGHTS = gauss(24)
# Losses of every size, from which the range of integration is found: beyond it, all shares are below _NOTHING.
_PLACES, _NOTHING = 2.0 ** np.arange(-100.0, 40.0), 1e-20
# Panels are halved at most so often, and while at most so many do not agree to this accuracy.
_HALVINGS, _MOST, _AGREED = 50, 500, 1e-13
# The largest argument of exp, and more than the rounding error of 1 minus a probability.
_LARGEST_EXPONENT, _ROUNDED = 700.0, 2.0**-50
# Of the mean of the losses, a spread that its rounding error leaves ten digits.
_TOLD_APART = 1e-11


@dataclass(frozen=True)
class CompositionMoments:
    """Moments of the privacy loss L under P; made by `composition_moments`.

    Attributes
    ----------
    v1, v2, v3, v4 : float
        `−E_P[L]`, `E_P[L²]`, `E_P[|L + v₁|³]` and `E_P[|L|³]`.
    eta : float
        η = v₁/√(v₂ − v₁²), which decides which of two Gaussian limits dominates.

    References
    ----------
    Kaissis et al. (2024), equations 8-12.

    Examples
    --------
    Randomized response with ε = 0.1, a hundred times, is close to the Gaussian mechanism with μ = 1:

    >>> import dptutor as dp
    >>> moments = dp.composition_moments(dp.RandomizedResponse(epsilon=0.1))
    >>> round(moments.eta, 6), round(moments.gaussian(100).mu, 6)
    (0.050021, 1.000417)
    """

    v1: float
    v2: float
    v3: float
    v4: float
    eta: float

    def gaussian(self, count: int) -> Gaussian:
        """The Gaussian mechanism, μ = 2√n η, that the composition of `count` copies is close to.

        Raises
        ------
        TypeError, ValueError
            If `count` is not an integer of at least 1.

        References
        ----------
        In the book: chapter 10, :prf:ref:`thm-clt`.

        Examples
        --------
        >>> import dptutor as dp
        >>> moments = dp.composition_moments(dp.Laplace(scale=10))
        >>> limit, exact = moments.gaussian(100), dp.Laplace(scale=10) ** 100
        >>> round(limit.advantage, 4), round(exact.advantage, 4)
        (0.3774, 0.3775)
        """
        return Gaussian(sigma=1 / (2 * math.sqrt(positive_integer("count", count)) * self.eta))

    def distance(self, count: int) -> float:
        """Berry-Esseen bound on the distance of the composition of `count` copies from that Gaussian mechanism.

        Raises
        ------
        TypeError, ValueError
            If `count` is not an integer of at least 1.

        References
        ----------
        Dong, Roth & Su (2022), theorem 3.4.
        In the book: chapter 10, :prf:ref:`thm-clt`.

        Examples
        --------
        It falls like 1/√n:

        >>> import dptutor as dp
        >>> moments = dp.composition_moments(dp.Laplace(scale=10))
        >>> [round(moments.distance(n), 4) for n in (100, 10_000)]
        [0.0569, 0.0057]
        """
        spread = self.v1 / self.eta
        return _BERRY_ESSEEN * self.v3 / (math.sqrt(positive_integer("count", count)) * spread**3)


@dataclass(frozen=True, eq=False)
class DominanceBound(Numeric):
    """The bound on Δ(Mⁿ ‖ M̃^ñ), made by `dominance_bound`. It behaves like its value; `str()` describes it.

    Attributes
    ----------
    value : float
        A bound on the sum of the distances of both compositions from their limits. For symmetric steps it is the right
        side of the theorem, and bounds the divergence if `condition_holds`.
    steps_ratio : float
        n/ñ.
    eta_ratio : float
        η̃²/η², of the moments under P.
    shortfall : float
        By how much, at most, the first limit fails to dominate the second.

    References
    ----------
    Kaissis et al. (2024), theorem 3.

    Examples
    --------
    >>> import dptutor as dp
    >>> bound = dp.dominance_bound(dp.Gaussian(sigma=2), 100, dp.Gaussian(sigma=3), 100)
    >>> bound.steps_ratio, round(bound.eta_ratio, 6), round(float(bound), 4)
    (1.0, 0.444444, 0.1787)
    """

    value: float
    steps_ratio: float
    eta_ratio: float
    shortfall: float = 0.0

    @property
    def bound(self) -> float:
        """The bound that holds for all steps, symmetric or not, and without the condition; value plus shortfall.

        References
        ----------
        In the book: *Asymmetric steps*, :prf:ref:`prop-asymmetric-steps`.

        Examples
        --------
        >>> import dptutor as dp
        >>> step, other = dp.SubsampledGaussian(2, 9e-4), dp.SubsampledGaussian(3, 9e-4)
        >>> found = dp.dominance_bound(step, 1_400_000, other, 3_400_000)
        >>> found.condition_holds, round(found.value, 5), round(found.bound, 5)
        (False, 0.00168, 0.00208)
        """
        return self.value + self.shortfall

    @property
    def condition_holds(self) -> bool:
        """Whether n/ñ ≥ η̃²/η², so that, of symmetric steps, the first mechanism's Gaussian dominates the other's.

        Examples
        --------
        >>> import dptutor as dp
        >>> strong, weak = dp.Gaussian(sigma=2), dp.Gaussian(sigma=3)
        >>> dp.dominance_bound(strong, 1, weak, 1).condition_holds
        True
        >>> print(dp.dominance_bound(weak, 1, strong, 1))
        The divergence is at most 1.82: the condition fails, 1 < 2.25, which adds 0.0325 to the 1.79 of the theorem.
        """
        return self.steps_ratio >= self.eta_ratio

    def __str__(self) -> str:
        relation = "holds" if self.condition_holds else "fails"
        sign = "≥" if self.condition_holds else "<"
        condition = f"the condition {relation}, {self.steps_ratio:.5g} {sign} {self.eta_ratio:.5g}"
        said = f"The divergence is at most {self.bound:.3g}: {condition}"
        if self.condition_holds and not self.shortfall:
            return f"{said}."
        if self.condition_holds:
            return f"{said}; steps that are not symmetric add {self.shortfall:.1g}."
        return f"{said}, which adds {self.shortfall:.3g} to the {self.value:.3g} of the theorem."


@dataclass(frozen=True)
class AsymptoticDominance:
    """Compositions of n mechanisms that become more private as n grows: the conditions of lemma 6 and its conclusion.

    Attributes
    ----------
    counts : tuple of int
        The n; entry k of the others belongs to `counts[k]`.
    moments, other_moments : tuple of CompositionMoments
        Those of one of the n mechanisms, on each side.
    divergences : tuple of float
        Δ(Mₙⁿ ‖ M̃ₙⁿ).

    References
    ----------
    Kaissis et al. (2024), lemma 6.

    In the book: chapter 10, :prf:ref:`thm-emergent`.

    Examples
    --------
    >>> import dptutor as dp
    >>> sequence = dp.asymptotic_dominance(
    ...     lambda n: dp.Laplace(scale=n**0.5), lambda n: dp.Gaussian(sigma=1.2 * n**0.5), [1, 4]
    ... )
    >>> sequence.counts, [round(d, 4) for d in sequence.divergences]
    ((1, 4), [0.0196, 0.0007])
    """

    counts: tuple[int, ...]
    moments: tuple[CompositionMoments, ...]
    other_moments: tuple[CompositionMoments, ...]
    divergences: tuple[float, ...]

    @property
    def mu(self) -> np.ndarray:
        """2 n v₁/√(n v₂), with limit 2K/s, on both sides, as an array of shape (2, len(counts)).

        Examples
        --------
        >>> import dptutor as dp
        >>> sequence = dp.asymptotic_dominance(
        ...     lambda n: dp.Laplace(scale=n**0.5), lambda n: dp.Gaussian(sigma=1.2 * n**0.5), [1, 4, 16]
        ... )
        >>> sequence.mu.round(3)
        array([[0.826, 0.914, 0.958],
               [0.769, 0.816, 0.829]])
        """
        sides = self.moments, self.other_moments
        return np.array(
            [
                [2 * math.sqrt(n) * m.v1 / math.sqrt(m.v2) for n, m in zip(self.counts, side, strict=True)]
                for side in sides
            ]
        )


def composition_moments(mechanism: Mechanism) -> CompositionMoments:
    """Moments of the privacy loss that govern long compositions.

    Parameters
    ----------
    mechanism : Mechanism
        In one direction: a mechanism that is meant in both is composed in each, and each has moments of its own.

    Returns
    -------
    CompositionMoments

    Raises
    ------
    ValueError
        If the mechanism is meant in both directions, or its loss is infinite with positive probability, always 0, or
        so nearly always the same that its spread is lost beside its mean.

    References
    ----------
    Kaissis et al. (2024), equations 8-12.
    In the book: chapter 10, :prf:ref:`def-composition-moments`.

    Examples
    --------
    >>> import dptutor as dp
    >>> moments = dp.composition_moments(dp.Gaussian(sigma=2))
    >>> round(moments.v1, 12), round(moments.v2, 12), round(moments.eta, 12)
    (0.125, 0.265625, 0.25)
    """
    pair = as_mechanism("mechanism", mechanism)
    if pair.both_directions:
        first, second = pair.both_directions
        raise ValueError(
            f"mechanism must be one pair, got {mechanism!r}, meant in both directions: ask for {first!r} or {second!r}"
        )
    leak = float(pair.reverse._delta(np.asarray(math.inf)))
    if leak > 0:
        raise ValueError(f"mechanism must have finite losses, got {mechanism!r}, whose loss has mass {leak:g} at −∞")
    if pair.advantage == 0:
        raise ValueError(f"mechanism must have losses other than 0, got {mechanism!r}")
    law = pair._loss_law()
    return _gaussian_moments(law.mu) if isinstance(law, NormalLaw) else _moments(pair)


def dominance_bound(mechanism: Mechanism, count: int, other: Mechanism, other_count: int) -> DominanceBound:
    """Bound on the Δ-divergence of two long compositions, from the moments of their parts.

    Parameters
    ----------
    mechanism, other : Mechanism
        One part of each composition.
    count, other_count : int
        How often each is used.

    Returns
    -------
    DominanceBound

    Raises
    ------
    TypeError, ValueError
        If an argument is no mechanism, a count not an integer of at least 1, or a loss infinite or always 0.

    References
    ----------
    Kaissis et al. (2024), theorem 3.
    In the book: chapter 10, :prf:ref:`thm-finite-steps`; *Asymmetric steps*, :prf:ref:`prop-asymmetric-steps`.

    Examples
    --------
    >>> import dptutor as dp
    >>> step, other = dp.SubsampledGaussian(3, 9e-4), dp.SubsampledGaussian(2, 9e-4)
    >>> print(dp.dominance_bound(step, 3_400_000, other, 1_400_000))
    The divergence is at most 0.00168: the condition holds, 2.4286 ≥ 2.4164; steps that are not symmetric add 3e-12.
    """
    count, other_count = positive_integer("count", count), positive_integer("other_count", other_count)
    ones, others = _directions("mechanism", mechanism), _directions("other", other)
    # Two mechanisms in both directions are compared direction by direction, a single pair with both directions.
    pairs = [(ones[0], second) for second in (others[:1] if len(ones) == 2 else others)]
    return max((_bound(one, count, two, other_count) for one, two in pairs), key=lambda found: found.bound)


def _directions(name: str, mechanism: object) -> tuple[Mechanism, ...]:
    found = as_mechanism(name, mechanism)
    return found.both_directions or (found,)


def _bound(one: Mechanism, count: int, two: Mechanism, other_count: int) -> DominanceBound:
    """The bound for two pairs."""
    moments, others = _both_laws(one), _both_laws(two)
    off = [m.distance(count) + o.distance(other_count) for m, o in zip(moments, others, strict=True)]
    ratios = count / other_count, (others[0].eta / moments[0].eta) ** 2
    return DominanceBound(max(off), *ratios, _shortfall(_limit(moments, count), _limit(others, other_count)))


def _both_laws(pair: Mechanism) -> tuple[CompositionMoments, CompositionMoments]:
    """Moments of L under P and of −L under Q."""
    moments = composition_moments(pair)
    return moments, (moments if pair.is_symmetric else composition_moments(pair.reverse))


def _limit(moments: tuple[CompositionMoments, CompositionMoments], count: int) -> tuple[float, float, float]:
    """Slope a and intercept b of the limit curve β = Φ(a z − b) at α = Φ(−z), and the μ of a Gaussian beside it."""
    under_p, under_q = moments
    spreads = under_p.v1 / under_p.eta, under_q.v1 / under_q.eta
    mean = math.sqrt(count) * (under_p.v1 + under_q.v1)
    return spreads[0] / spreads[1], mean / spreads[1], 2 * mean / sum(spreads)


def _shortfall(limit: tuple[float, float, float], other: tuple[float, float, float]) -> float:
    """The smaller of two upper bounds on the shift that puts the first curve below the second."""
    (*curve, mu), (*curve_, mu_) = limit, other
    direct = _largest_gap(curve, curve_)
    # The second bound goes through the Gaussian mechanisms with the same fixed points.
    gaussian = float(ndtr(-mu / 2) - ndtr(-mu_ / 2)) if mu < mu_ else 0.0
    return min(direct, gaussian + _largest_gap(curve, (1.0, mu)) + _largest_gap((1.0, mu_), curve_))


def _largest_gap(curve: Sequence[float], other: Sequence[float]) -> float:
    """max over z of Φ(a z − b) − Φ(a' z − b'), at a root of a quadratic equation or, as 0, at an end."""
    (a, b), (a_, b_) = curve, other
    equation = [a_**2 - a**2, 2 * (a * b - a_ * b_), b_**2 - b**2 + 2 * math.log(a / a_)]
    places = np.real(np.roots(equation)) if any(equation) else np.zeros(1)
    return max(0.0, *(float(ndtr(a * z - b) - ndtr(a_ * z - b_)) for z in places), 0.0)


def asymptotic_dominance(
    family: Callable[[int], Mechanism], other_family: Callable[[int], Mechanism], counts: Sequence[int]
) -> AsymptoticDominance:
    """The sequence of lemma 6: compositions of n ever more private mechanisms, for each n in `counts`.

    Parameters
    ----------
    family, other_family : callable
        From n to the mechanism that is used n times.
    counts : sequence of int

    Returns
    -------
    AsymptoticDominance

    Raises
    ------
    TypeError, ValueError
        If a count is not an integer of at least 1, or a loss infinite or always 0.

    References
    ----------
    Kaissis et al. (2024), lemma 6.
    In the book: chapter 10, :prf:ref:`thm-emergent`.

    Examples
    --------
    >>> import dptutor as dp
    >>> sequence = dp.asymptotic_dominance(
    ...     lambda n: dp.Laplace(scale=n**0.5), lambda n: dp.Gaussian(sigma=1.2 * n**0.5), [1, 4, 16]
    ... )
    >>> [round(d, 4) for d in sequence.divergences]
    [0.0196, 0.0007, 0.0]
    """
    callable_("family", family)
    callable_("other_family", other_family)
    if not isinstance(counts, Iterable):
        raise TypeError(f"counts must be a sequence of positive integers, got {shown(counts)}")
    counts = tuple(positive_integer("counts", n) for n in counts)
    pairs = [(family(n), other_family(n)) for n in counts]
    divergences = tuple(float(delta_divergence(m**n, o**n)) for n, (m, o) in zip(counts, pairs, strict=True))
    moments = [(composition_moments(m), composition_moments(o)) for m, o in pairs]
    return AsymptoticDominance(counts, tuple(m for m, _ in moments), tuple(o for _, o in moments), divergences)


def _gaussian_moments(mu: float) -> CompositionMoments:
    # L ~ N(−μ²/2, μ²) under P; with a = μ/2, E|L|³ = μ³ E|Z − a|³.
    a = mu / 2
    density = math.sqrt(2 / math.pi)
    third = density * (2 + a**2) * math.exp(-(a**2) / 2) + (a**3 + 3 * a) * erf(a / math.sqrt(2))
    return CompositionMoments(mu**2 / 2, mu**2 + mu**4 / 4, 2 * density * mu**3, float(mu**3 * third), a)


def _moments(pair: Mechanism) -> CompositionMoments:
    back = pair.reverse

    def mean_and_third(x: np.ndarray) -> np.ndarray:
        # Sums of positive terms, since the divergence is tiny if the loss is small.
        return np.array([back._delta(x) + np.exp(-x) * pair._delta(x), 3 * x**2 * _tails(pair, back, 0.0, x)])

    kinks = np.concatenate([pair._breakpoints(), [end for end in pair._loss_range() if math.isfinite(end)]])
    v1, v4 = _integrals(mean_and_third, np.abs(kinks))

    def central(y: np.ndarray) -> np.ndarray:
        tails = _tails(pair, back, v1, y)
        return np.array([2 * y * tails, 3 * y**2 * tails])

    variance, v3 = _integrals(central, np.abs(kinks + v1))
    if variance <= (_TOLD_APART * v1) ** 2:
        raise ValueError(f"mechanism must have losses that differ, got {pair!r}, where nearly all are {-v1:g}")
    return CompositionMoments(v1, variance + v1**2, v3, v4, v1 / math.sqrt(variance))


def _tails(pair: Mechanism, back: Mechanism, mean: float, distance: np.ndarray) -> np.ndarray:
    """Pr_P[|L + mean| > distance], where `mean` is not negative."""
    loss = distance + mean
    below = 1.0 - pair._errors(-loss)[0]
    # The difference cancels; Pr_P[L < −x] = δ(x) + e^x Pr_Q[L < −x], with δ of the reverse, does not.
    sums = back._delta(loss) + np.exp(np.minimum(loss, _LARGEST_EXPONENT)) * back._errors(loss)[0]
    return pair._errors(distance - mean)[0] + np.clip(sums, below - _ROUNDED, below + _ROUNDED)


def _integrals(function: Callable[[np.ndarray], np.ndarray], kinks: np.ndarray) -> tuple[float, ...]:
    """Integrals over (0, ∞) of the rows of a function without negative values, by Gauss-Legendre rules.

    Panels, cut at kinks, are halved until both halves agree with the whole.
    """
    shares = _PLACES * function(_PLACES)
    counts = (shares > _NOTHING * shares.max(axis=1, keepdims=True)).any(axis=0)
    highest = 2 * _PLACES[counts][-1]
    cuts = np.unique(np.concatenate([[0.0], _PLACES, kinks]))
    cuts = np.append(cuts[cuts < highest], highest)

    def over(low: np.ndarray, high: np.ndarray) -> np.ndarray:
        half = (high - low)[:, None] / 2
        values = function((low[:, None] + half * (1 + _NODES)).ravel())
        return (values.reshape(-1, *half.shape[:1], _NODES.size) * (half * _WEIGHTS)).sum(axis=2)

    low, high = cuts[:-1], cuts[1:]
    whole, found = over(low, high), np.zeros(shares.shape[0])
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        left, right = over(low, middle), over(middle, high)
        halves = left + right
        off = np.abs(halves - whole) > _AGREED * (found + halves.sum(axis=1))[:, None]
        again = off.any(axis=0) & (off.any(axis=0).sum() <= _MOST)
        found += halves[:, ~again].sum(axis=1)
        if not again.any():
            return tuple(found.tolist())
        low, high = np.append(low[again], middle[again]), np.append(middle[again], high[again])
        whole = np.concatenate([left[:, again], right[:, again]], axis=1)
    return tuple((found + whole.sum(axis=1)).tolist())
