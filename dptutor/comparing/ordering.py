"""Blackwell dominance in three values: proven, refuted, or undecided.

`mechanism` dominates `other` (reveals at least as much, protects at most as well) when δ ≥ δ̃ at every real ε. No table
of numbers can decide this: two profiles may agree to a hundred digits and cross where δ = 1e-64. So the answer states
its argument. These arguments prove dominance:

    The mechanisms are equal, `other` reveals nothing, or `mechanism` reveals everything.
    Both belong to one family with ordered parameters (less noise, higher rate, more steps): `other` arises from the
        outputs of `mechanism` by adding noise, by replacing some of them, or by leaving some out. Or (more members of a
        group) tests at a threshold are best, and those of `mechanism` have more power.
    Each part of the composition `other` is dominated by a different part of the composition `mechanism`.
    A mechanism dominates a join if it dominates both parts, and is dominated by a meet if both parts dominate it.
    `mechanism` is finite: between its losses δ is linear in e^ε and δ̃ is convex, so checking at its losses is enough.
    δ > δ̃ between nodes, by convexity (`dptutor.comparing.profile_order`), and in the tails, by the range of the losses.

These refute it: an ε at which δ < δ̃ by more than the bounds on both errors, or a Rényi order at which the divergence of
`other` is the larger one (dominance orders all Rényi divergences).

Parameters are taken to be exactly their floating-point values, and so are numbers computed from them in one step, such
as μ = sensitivity/sigma. Probabilities of finite experiments, randomized response included, that round to fractions of
small integers are taken to be these fractions.

Sources: Blackwell (1953); Kaissis et al. (2024), theorem 1; Dong, Roth & Su (2022), section 2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np

from ..evaluation.finite_law import TooManyAtoms
from ..evaluation.laws import AtomicLaw
from ..mechanisms.base import Mechanism, as_mechanism
from ..mechanisms.composition import Composition
from ..mechanisms.delegated import SymmetricDelegated
from ..mechanisms.directed import Directed
from ..mechanisms.finite import (
    ApproximateDP,
    BlatantlyNonPrivate,
    FiniteExperiment,
    PerfectPrivacy,
    RandomizedResponse,
)
from ..mechanisms.gaussian import Gaussian
from ..mechanisms.laplace import Laplace
from ..mechanisms.lattice import Join, Meet
from ..mechanisms.replaced import SubsampledGaussianReplaceOne
from ..mechanisms.sampled_groups import SubsampledGaussianGroup
from ..mechanisms.selection import ExponentialMechanism
from ..mechanisms.subsampled import DPSGD, SubsampledGaussian
from ..mechanisms.symmetrized import Symmetrized
from .order_certificates import OrderCertificate, of_profiles, of_witness
from .profile_order import Side, Witness, ordered_between, renyi_witness, searched_down_to, witness

__all__ = ["Dominance", "Witness", "blackwell_dominates", "dominance"]

# Finite experiments with at most this many outcomes are compared in exact arithmetic,
_MOST_OUTCOMES = 64
# and with at most this many losses at every loss.
_MOST_LOSSES = 20_000
# Largest denominator of a fraction that a float may represent.
_LARGEST_DENOMINATOR = 10**6
# An exact violation smaller than this is within the rounding of the probabilities.
_ROUNDING = Fraction(1, 10**14)

_LOSSES_ARE_ENOUGH = "of a finite experiment its losses are enough: δ is no smaller at any of them"


@dataclass(frozen=True)
class Dominance:
    """Whether one mechanism Blackwell-dominates another; made by `dominance`. It is true only if that is proven.

    Attributes
    ----------
    verdict : {"proven", "refuted", "undecided"}
    reason : str
        The argument, in words.
    witness : Witness or None
        If refuted, where it can be seen.
    down_to : float or None
        If undecided, δ down to which profiles were compared without a violation.
    mechanisms : tuple of Mechanism
        The two: what a certificate is made of.
    by_numbers : bool
        Whether a proof rests on numbers rather than on theorems alone.

    Examples
    --------
    >>> import dptutor as dp
    >>> print(dp.dominance(dp.Gaussian(sigma=1), dp.Laplace(scale=1)))
    refuted: at ε = 0.05, δ = 0.368 is less than 0.378
    """

    verdict: str
    reason: str
    witness: Witness | None = None
    down_to: float | None = None
    mechanisms: tuple[Mechanism, ...] = field(default=(), repr=False)
    by_numbers: bool = field(default=False, repr=False)

    @property
    def certificate(self) -> OrderCertificate:
        """A witness, or points of both profiles, from which a short program can check the answer without this library.

        Where dominance is proven by a theorem, or by numbers at more points than a table should have, the certificate
        names the argument only.

        Raises
        ------
        ValueError
            If dominance is undecided.

        Examples
        --------
        >>> import dptutor as dp
        >>> dp.dominance(dp.Gaussian(sigma=1), dp.Gaussian(sigma=2)).certificate.reason
        'no more noise, and every record takes part in every step'
        """
        if self.verdict == "undecided":
            raise ValueError(f"there is a certificate of what is proven or refuted only, and this is {self}")
        mechanism, other = self.mechanisms
        if self.witness is not None:
            return of_witness(mechanism, other, self.reason, self.witness)
        found = of_profiles(mechanism, other, self.reason) if self.by_numbers else None
        return found or OrderCertificate("proven", self.reason)

    def __bool__(self) -> bool:
        return self.verdict == "proven"

    def __str__(self) -> str:
        return f"{self.verdict}: {self.reason}"


def dominance(mechanism: Mechanism, other: Mechanism) -> Dominance:
    """Whether `mechanism` is proven to be at least as informative, hence at most as private, as `other`, or refuted.

    Parameters
    ----------
    mechanism, other : Mechanism

    Returns
    -------
    Dominance
        With the argument that proves it, a witness that refutes it, or the δ down to which no violation was found.

    Raises
    ------
    TypeError
        If either argument is not a mechanism.

    References
    ----------
    Blackwell (1953); Kaissis et al. (2024), theorem 1.
    In the book: chapter 6, :prf:ref:`thm-blackwell`; chapter 7, :prf:ref:`def-dominance`.

    Examples
    --------
    The profiles of two long training runs cross where δ is 2e-64, far below what any Bayes error shows:

    >>> import dptutor as dp
    >>> two, three = dp.DPSGD(2, 9e-4, 1_400_000), dp.DPSGD(3, 9e-4, 3_400_000)
    >>> found = dp.dominance(three, two)
    >>> found.verdict, found.witness.value < found.witness.other_value < 1e-64
    ('refuted', True)
    >>> print(dp.dominance(dp.RandomizedResponse(epsilon=60), dp.Gaussian(sigma=1)))
    refuted: of order 192, the Rényi divergence 60 is less than 96
    >>> print(dp.dominance(dp.DPSGD(2, 0.01, 500), dp.DPSGD(3, 0.01, 400)))
    proven: less noise, a higher sampling rate, more steps, or the same
    """
    as_mechanism("mechanism", mechanism), as_mechanism("other", other)
    return replace(_decided(mechanism, other), mechanisms=(mechanism, other))


def blackwell_dominates(mechanism: Mechanism, other: Mechanism) -> bool:
    """Whether `mechanism` is proven to be at least as informative, hence at most as private, as `other`.

    False says either that it is not, or that neither is known; `dominance` tells the two apart, and why.

    Parameters
    ----------
    mechanism, other : Mechanism

    Returns
    -------
    bool

    Raises
    ------
    TypeError
        If either argument is not a mechanism.

    References
    ----------
    Blackwell (1953); Kaissis et al. (2024), theorem 1.
    In the book: chapter 6, :prf:ref:`thm-blackwell`; chapter 7, :prf:ref:`def-dominance`.

    Examples
    --------
    Randomized response is the worst that (1, 0)-differential privacy allows, Laplace noise a better case of it:

    >>> import dptutor as dp
    >>> dp.blackwell_dominates(dp.RandomizedResponse(epsilon=1), dp.Laplace(scale=1))
    True
    >>> dp.blackwell_dominates(dp.Gaussian(sigma=1), dp.Laplace(scale=1))
    False
    """
    return dominance(mechanism, other).verdict == "proven"


def _decided(m: Mechanism, o: Mechanism) -> Dominance:
    """The answer, by the cheapest argument that gives one."""
    m, o = _meant(m), _meant(o)
    reason = _by_structure(m, o)
    if reason:
        return Dominance("proven", reason)
    exact = _finite_pair(m, o)
    if exact is not None:
        return exact
    # Dominance of each of these parts is equivalent to dominance of the whole.
    parts = [(m, part) for part in _upper_bound_of(o, m)] or [(part, o) for part in _lower_bound_of(m)]
    if parts:
        return _of_all([_decided(*pair) for pair in parts], "over both parts" if parts[0][0] is m else "by both parts")
    reason = _part_by_part(m, o)
    if reason:
        return Dominance("proven", reason)
    enough = [(part, o) for part in _joined(m)] + [(m, part) for part in _lower_bound_of(o)]
    for part, other in enough:
        reason = _by_structure(_meant(part), _meant(other))
        if reason:
            return Dominance("proven", f"one part is enough: {reason}")
    found = witness(m, o)
    if found:
        return Dominance("refuted", str(found), found)
    for pair in enough:
        answer = _decided(*pair)
        if answer:
            return Dominance("proven", f"one part is enough: {answer.reason}", by_numbers=answer.by_numbers)
    reason = _at_all_losses(m, o)
    if reason:
        return Dominance("proven", reason, by_numbers=True)
    found = renyi_witness(m, o)
    if found:
        return Dominance("refuted", str(found), found)
    if ordered_between(m, o):
        reason = "δ is larger between the points compared, by convexity, and in the tails, by the losses there"
        return Dominance("proven", reason, by_numbers=True)
    down_to = searched_down_to(m, o)
    return Dominance("undecided", f"no violation where δ is more than {down_to:.0e}", down_to=down_to)


def _meant(m: Mechanism) -> Mechanism:
    """The mechanism whose curves this one has under another name: fixed batches are Gaussian noise."""
    while isinstance(m, SymmetricDelegated):
        m = m._whole
    return m


def _of_all(answers, which) -> Dominance:
    for verdict in ("refuted", "undecided"):
        for answer in answers:
            if answer.verdict == verdict:
                return answer
    reasons = list(dict.fromkeys(answer.reason for answer in answers))
    reason = reasons[0] if len(answers) == 1 else f"{which}: {'; '.join(reasons)}"
    return Dominance("proven", reason, by_numbers=any(answer.by_numbers for answer in answers))


def _upper_bound_of(o, m) -> tuple[Mechanism, ...]:
    """The mechanisms that `m` has to dominate in order to dominate `o`, if that is easier to decide."""
    if isinstance(o, Join):
        return o.parts
    if isinstance(o, Symmetrized):
        # If `m` is symmetric, one direction of `o` is enough. The directions of a composition share their tables.
        if not m.is_symmetric:
            return o.directions
        return () if isinstance(o.mechanism, Composition) else (o.mechanism,)
    return () if m.is_symmetric else o.both_directions


def _joined(m) -> tuple[Mechanism, ...]:
    """The mechanisms of which it is enough that one dominates."""
    if isinstance(m, Symmetrized) and not isinstance(m.mechanism, Composition):
        return m.directions
    if isinstance(m, Directed):
        return m.both_directions
    return m.parts if isinstance(m, Join) else ()


def _lower_bound_of(m) -> tuple[Mechanism, ...]:
    return m.parts if isinstance(m, Meet) else ()


# By parameters.


def _by_structure(m, o) -> str | None:
    if m == o:
        return "the same mechanism"
    if o._loss_range() == (0.0, 0.0):
        return "nothing can be learned from the other mechanism"
    if m == BlatantlyNonPrivate():
        return "everything can be learned from this mechanism"
    return _by_parameters(m, o)


def _by_parameters(m, o) -> str | None:
    """One family, with parameters that are ordered."""
    steps, other_steps = _gaussian_steps(m), _gaussian_steps(o)
    if steps and other_steps:
        (sigma, rate, count, direction), (sigma_, rate_, count_, direction_) = steps, other_steps
        if rate == 1.0 and count_ / sigma_**2 <= count / sigma**2:
            return "no more noise, and every record takes part in every step"
        same = direction in ("both", direction_)
        if same and sigma <= sigma_ and rate >= rate_ and count >= count_:
            return "less noise, a higher sampling rate, more steps, or the same"
    if isinstance(m, Laplace) and isinstance(o, Laplace) and m.largest_loss >= o.largest_loss:
        return "no more noise"
    # Likelihood ratios increase with the answer, so the best tests are those at a threshold. If more members take part,
    # answers are larger, and such tests more powerful.
    groups = isinstance(m, SubsampledGaussianGroup) and isinstance(o, SubsampledGaussianGroup)
    if groups and m.direction in ("both", o.direction) and m.members >= o.members and _is_louder(m, o):
        return "less noise, a higher sampling rate, more members, or the same"
    # To lower the rate, replace each answer by noise alone with some probability.
    replaced = isinstance(m, SubsampledGaussianReplaceOne) and isinstance(o, SubsampledGaussianReplaceOne)
    if replaced and _is_louder(m, o):
        return "less noise, a higher sampling rate, or the same"
    # A bounded range of ε implies ε-privacy along the whole line between neighbors, as for Laplace noise.
    bounded = isinstance(m, (Laplace, ExponentialMechanism)) and isinstance(o, ExponentialMechanism)
    if bounded and m.largest_loss >= o.largest_loss:
        return "ε no smaller"
    if isinstance(m, (RandomizedResponse, ApproximateDP)) and isinstance(o, (RandomizedResponse, ApproximateDP)):
        (epsilon, delta), (epsilon_, delta_) = (_response_parameters(x) for x in (m, o))
        if epsilon >= epsilon_ and delta >= delta_:
            return "ε and δ no smaller"
    return None


def _is_louder(m, o) -> bool:
    """Whether `m` has at most the noise of `o` and at least its sampling rate."""
    return m.noise_multiplier <= o.noise_multiplier and m.sampling_rate >= o.sampling_rate


def _gaussian_steps(m):
    """Noise multiplier, sampling rate, number of steps and direction, if the mechanism has these."""
    if isinstance(m, Gaussian):
        return m.sigma / m.sensitivity, 1.0, 1, "both"
    if isinstance(m, SubsampledGaussian):
        return m.noise_multiplier, m.sampling_rate, 1, m.direction if m.sampling_rate < 1 else "both"
    if isinstance(m, DPSGD):
        return *_gaussian_steps(m.step)[:2], m.steps, _gaussian_steps(m.step)[3]
    if isinstance(m, Symmetrized):
        steps = _gaussian_steps(m.mechanism)
        return steps and (*steps[:3], "both")
    if isinstance(m, Composition) and len(m.factors) == 1:
        part, count = m.factors[0]
        if isinstance(part, SubsampledGaussian):
            return part.noise_multiplier, part.sampling_rate, count, part.direction
    return None


def _response_parameters(m):
    return (m.largest_loss, 0.0) if isinstance(m, RandomizedResponse) else (m.largest_finite_loss, m.leak)


# Finite experiments.


def _finite_pair(m, o) -> Dominance | None:
    """Two finite experiments whose probabilities are given as numbers, in exact arithmetic."""
    if not (_is_given_by_numbers(m) and _is_given_by_numbers(o)):
        return None
    (p, q), other = _fractions(m), _fractions(o)
    if max(len(p), len(other[0])) > _MOST_OUTCOMES:
        return None
    ratios = {b / a for a, b in zip(p, q, strict=True) if a and b}
    gaps = {ratio: _hockey_stick(other, ratio) - _hockey_stick((p, q), ratio) for ratio in ratios}
    worst = max(gaps, key=lambda ratio: gaps[ratio] / (1 + ratio), default=None)
    if worst is None or gaps[worst] <= 0:
        return Dominance("proven", f"{_LOSSES_ARE_ENOUGH}, exactly", by_numbers=True)
    if gaps[worst] <= _ROUNDING * (1 + worst):
        rounding = float(gaps[worst])
        return Dominance(
            "undecided", f"the order fails by {rounding:.0e}, the rounding of probabilities", down_to=rounding
        )
    values = (float(_hockey_stick(pair, worst)) for pair in ((p, q), other))
    found = Witness(math.log(worst), None, False, *values)
    return Dominance("refuted", str(found), found)


def _is_given_by_numbers(mechanism) -> bool:
    """Whether probabilities are given, or are fractions of small integers (randomized response with ε = log 3)."""
    if isinstance(mechanism, (RandomizedResponse, ApproximateDP)):
        return all(_simple(x.tolist()) is not None for x in mechanism._outcomes())
    return isinstance(mechanism, (FiniteExperiment, PerfectPrivacy, BlatantlyNonPrivate))


def _hockey_stick(pair, ratio):
    return sum(max(b - ratio * a, 0) for a, b in zip(*pair, strict=True))


def _fractions(m):
    """The probabilities as fractions that sum to one."""
    p, q = m._outcomes()
    return _summing_to_one(p.tolist()), _summing_to_one(q.tolist())


def _summing_to_one(probabilities):
    exact = [Fraction(x) for x in probabilities]
    total = sum(exact)
    return _simple(probabilities) or [x / total for x in exact]


def _simple(probabilities) -> list[Fraction] | None:
    """The fractions of small integers closest to the probabilities, if these sum to one."""
    exact = [Fraction(x) for x in probabilities]
    simple = [x.limit_denominator(_LARGEST_DENOMINATOR) for x in exact]
    near = all(abs(a - b) <= Fraction(1, 2**52) * b for a, b in zip(simple, exact, strict=True))
    return simple if near and sum(simple) == 1 else None


def _at_all_losses(m, o) -> str | None:
    """A finite experiment dominates every mechanism whose δ is not larger at the losses of the experiment."""
    losses = _losses(m)
    if losses is None or losses.size > _MOST_LOSSES:
        return None
    for pair, other, at in ((m, o, losses[losses >= 0]), (m.reverse, o.reverse, -losses[losses < 0])):
        if np.any(Side(pair).between(at)[0] < Side(other).between(at)[1]):
            return None
    return _LOSSES_ARE_ENOUGH


def _losses(m):
    """All finite losses of a finite experiment, or None."""
    try:
        law = m._loss_law()
        return law.enumerated().kinks if isinstance(law, AtomicLaw) else None
    except TooManyAtoms:
        return None


# Compositions.


def _part_by_part(m, o) -> str | None:
    """Whether each part of `o` is dominated by a different part of `m`."""
    parts, both = m._parts()
    other_parts, other_both = o._parts()
    if sum(count for _, count in parts) == sum(count for _, count in other_parts) == 1 or (
        other_both and not (both or m.is_symmetric)
    ):
        return None
    # Several parts that stand for many pairs are less informative than the product of their pairs.
    several = sum(count for part, count in parts if part._stands_for_many) > 1
    if several and not all(part._stands_for_many for part, _ in (*parts, *other_parts)):
        return None
    reversed_parts = [(part.reverse, count) for part, count in parts]
    if _covered(parts, other_parts) or (both and _covered(reversed_parts, other_parts)):
        return "each part dominates a part of the other composition"
    return None


def _covered(parts, others) -> bool:
    """Whether each use in `others` is dominated by a different use in `parts`."""
    return _rest(parts, others) == [0] * len(others) or _within_gaussian(parts, others)


def _within_gaussian(parts, others) -> bool:
    """The same, but all Gaussian steps that are left may share the Gaussian part, since their μ² add."""
    budget = sum(count * part.mu**2 for part, count in parts if isinstance(part, Gaussian))
    left = _rest([(part, count) for part, count in parts if not isinstance(part, Gaussian)], others)
    for (part, _), count in zip(others, left, strict=True):
        steps = _gaussian_steps(part)
        if count and not steps:
            return False
        budget -= count / steps[0] ** 2 if count else 0.0
    return budget >= 0.0


def _rest(parts, others):
    """The number of uses of each of `others` that no part dominates, in a maximum matching (a maximum flow)."""
    may = [[bool(_part_dominates(a, b)) for b, _ in others] for a, _ in parts]
    free, left = [count for _, count in parts], [count for _, count in others]
    flow = [[0] * len(others) for _ in parts]
    while True:
        # An augmenting path, from a part with free uses to a use that is left.
        path = _augmenting(may, free, left, flow)
        if path is None:
            return left
        amount = min([free[path[0][0]], left[path[-1][1]], *(flow[i][j] for i, j in path[1::2])])
        for step, (i, j) in enumerate(path):
            flow[i][j] += amount if step % 2 == 0 else -amount
        free[path[0][0]] -= amount
        left[path[-1][1]] -= amount


def _augmenting(may, free, left, flow):
    queue: list[tuple[int, list[tuple[int, int]]]] = [(i, []) for i, count in enumerate(free) if count]
    seen = {i for i, _ in queue}
    for i, path in queue:
        for j, allowed in enumerate(may[i]):
            if not allowed:
                continue
            if left[j]:
                return [*path, (i, j)]
            for k in range(len(may)):
                if flow[k][j] and k not in seen:
                    seen.add(k)
                    queue.append((k, [*path, (i, j), (k, j)]))
    return None


def _part_dominates(a, b) -> bool:
    return bool(_by_structure(a, b) or _at_all_losses(a, b))
