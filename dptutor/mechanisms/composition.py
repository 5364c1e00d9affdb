"""Composition: the outputs of several mechanisms on the same data, seen together.

Losses add, so the pairs multiply: (P, Q) and (P', Q') give (P × P', Q × Q'). Hellinger transforms multiply. If a
part is taken in both directions, the composition is formed in each direction and symmetrized as a whole: an example is
in the data of all parts or of none.

`_chosen_faces`, and nothing else, chooses how the profile is computed. Each method, in a file of `dptutor.evaluation`,
bounds its error as follows:

    all parts finite experiments         their atoms, binomial tails, or tilted sums on a lattice: rounding of
        finite_law.py, lattice*.py         positive terms, |a^n − b^n| ≤ n |a − b| max(|a|, |b|)^(n−1), Chernoff's bound
      where these are too many           mixtures over the atoms of one part; or fewer atoms after each addition of two
        merging.py                         losses: total variations of what is no longer told apart add up
    subsampled and plain Gaussians       integrals along Re s = const: a decreasing envelope of |H| for what lies beyond
        hellinger.py                       their end, and rounding; errors of panels and windows are estimated
      where contours are inaccurate      sums of positive terms
        positive_sums.py
    these and finite experiments         mixtures over the atoms, which inherit the bounds of what is mixed
        faces.py
    these and few Laplace mechanisms     integrals over the Laplace loss: coefficients bound the integrand on
        tilted_areas.py                    Bernstein's ellipse, and the bounds of a table carry over by positive weights
    Laplace mechanisms, and the rest     lower and upper bounds: Chernoff's bound for images, post-processing by some
        lines.py                           Gaussian noise for the truncation
    subsampled Laplace, and Gaussians    mixtures over the points of Gauss's rule: the normal density bounds the
        laplace_nodes.py                   integrand on Bernstein's ellipse
    parts of any other kind, and steps   polynomial profiles integrated over each other: their errors and variations
      of very small or different noise     bound the errors of the integrals; any number of balls and bins;
        curves.py                          mixtures of these over the atoms of finite experiments
      where these are too many           a grid between two experiments, one more and one less informative (Blackwell's
        discretized.py                     order, which products keep); for the former, losses off the grid are infinite
    products that none of these          one part alone, or all but those that hardly matter: total variations of the
        answers sharply                    rest add up, and the rest reveals something or nothing
    several exponential mechanisms       a finite experiment that bounds every choice: the lower convex hull of such
        mechanisms/adaptive.py             curves and of Chernoff's bound from Rényi divergences

The first and the last answer from an enumerated law. All others fill tables (profile_table.py) of polynomials, whose
values at Chebyshev points have the bounds above. The error of a polynomial between these points is *not* proven: it is
estimated at further points and multiplied by a safety factor. Nor are two errors of the values of contours: panels are
halved until the highest coefficients of the integrand vanish, and where the transform does not decay, windows are
widened until values no longer change.

Sources: Zhu, Dong & Wang (2022), theorem 10 (dominating pairs compose); Dong, Roth & Su (2022), section 3.
"""

from __future__ import annotations

import contextlib
import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .._floats import LAST_PLACE
from .._validation import positive_integer
from ..evaluation.curves import CurveTable, TooRough, curves_of
from ..evaluation.discretized import POWERS_GOAL, Factor, bracketed, window
from ..evaluation.evaluator import Evaluator
from ..evaluation.faces import FiniteFaces, MixtureFaces, TabulatedFaces
from ..evaluation.finite_law import TooManyAtoms
from ..evaluation.hellinger import SlowDecay
from ..evaluation.laplace_nodes import nodes
from ..evaluation.lattice_sums import composed
from ..evaluation.laws import AtomicLaw, LaplaceLaw, NormalLaw, SampledLaplaceLaw, SampledLaw
from ..evaluation.merging import ExceededFaces, Excess, merged_sum
from ..evaluation.profile_table import ProfileTable
from ..evaluation.profiles import LinesProfile, beside_laplace, contours
from .adaptive import Adaptive
from .base import Mechanism, as_mechanism
from .evaluated import Evaluated
from .finite import BlatantlyNonPrivate, PerfectPrivacy, WithFewerLosses
from .gaussian import Gaussian

# Target gap between the bounds for a product on a grid; errors of both directions add up where it is mixed further.
_PRODUCTS_GOAL = 1e-10
# A finite experiment with more atoms than this takes longer by lines than on a grid.
_FEW_ATOMS = 64
# Largest number of different mechanisms, other than Laplace, whose transforms are multiplied at each point of a line.
_MOST_DIFFERENT = 300
# Largest number of different subsampled Gaussians with Laplace mechanisms, or finite experiments with many atoms.
_MOST_STEPS_BESIDE = 16
# Largest number of mechanisms whose profiles are integrated over each other.
_MOST_CURVES = 1000
# Largest number of Laplace mechanisms whose losses are integrated over, one after the other.
_FEW_LAPLACE = 4
# With less noise, losses of a step with and without the example are more than 200 apart, and sampling hides nothing.
_LEAST_NOISE = 0.05
# Largest number of losses to mix over: atoms of finite experiments, or nodes for all subsampled Laplace steps together.
_MOST_NODES = 4000
# Noise multipliers of subsampled Gaussians whose quotient is larger are not integrated over along one line.
_FAR_APART = 1000.0
# How much δ may be too small in all because losses are merged; usually it is a thousandth of that.
_MERGED = 1e-8
# A bound on R that needs no further attempts, and one that is worth losing δ at large ε.
_SHARP, _TOLERABLE = 5e-10, 1e-6
# Largest number of sums of losses that are formed, one part after the other, to enumerate a composition.
_MOST_SUMS = 8_000_000


def compose(parts) -> Mechanism:
    """The composition of `parts`, pairs of a mechanism and how many times it is used."""
    counts: dict[Mechanism, int] = {}
    both = False
    for mechanism, count in parts:
        own, meant_both = mechanism._parts()
        both = both or meant_both
        for part, times in own:
            counts[part] = counts.get(part, 0) + times * count
    if BlatantlyNonPrivate() in counts:
        return BlatantlyNonPrivate()
    counts.pop(PerfectPrivacy(), None)
    normal, rest = of_kind(NormalLaw, counts.items())
    if sum(count for _, count in normal) > 1:
        # The μ² of Gaussian mechanisms add up; in units of a power of two, as they may underflow.
        _, power = math.frexp(max(part._loss_law().mu for part, _ in normal))
        square = sum(count * math.ldexp(part._loss_law().mu, -power) ** 2 for part, count in normal)
        counts = dict([(Gaussian(sigma=math.ldexp(1 / math.sqrt(square), -power)), 1), *rest])
    if not counts:
        return PerfectPrivacy()
    chosen = tuple((part, count) for part, count in counts.items() if part._stands_for_many)
    if sum(count for _, count in chosen) > 1:
        counts = {part: count for part, count in counts.items() if not part._stands_for_many}
        counts[Adaptive(chosen, beside=bool(counts))] = 1
    first, times = next(iter(counts.items()))
    whole = first if len(counts) == 1 and times == 1 else Composition(tuple(counts.items()))
    return whole.symmetrized if both else whole


@dataclass(frozen=True, eq=False)
class Composition(Evaluated):
    """A composition of mechanisms, in one direction; made by `**` and `@`."""

    factors: tuple[tuple[Mechanism, int], ...]
    # Whether these are some of the parts of a larger composition; and whether outcomes are already merged.
    beside: bool = False
    fewer: bool = False

    def __repr__(self):
        return " @ ".join(f"{part!r} ** {count}" if count > 1 else repr(part) for part, count in self.factors)

    @cached_property
    def _key(self):
        return "Composition", frozenset((part._key, count) for part, count in self.factors)

    @property
    def is_symmetric(self) -> bool:
        return all(part.is_symmetric for part, _ in self.factors)

    @cached_property
    def reverse(self) -> Composition:
        if self.is_symmetric:
            return self
        other = Composition(tuple((part.reverse, count) for part, count in self.factors), self.beside, self.fewer)
        other.__dict__["reverse"] = self
        return other

    def _loss_range(self):
        ranges = [(part._loss_range(), count) for part, count in self.factors]
        return sum(n * low for (low, _), n in ranges), sum(n * high for (_, high), n in ranges)

    def _largest_finite_loss(self):
        return sum(count * part._largest_finite_loss() for part, count in self.factors)

    def _delta(self, epsilon):
        return self._up_to_the_end(super()._delta, epsilon, self._infinite)

    def _delta_error(self, epsilon):
        rounding = 1e-15 * self._infinite
        # Masses that underflow may be missing at any loss up to the largest.
        inside = rounding + AtomicLaw.missing
        of_faces = super()._delta_error
        found = self._up_to_the_end(lambda within: of_faces(within) + inside, epsilon, rounding)
        return found + self._open_end(epsilon)

    def _delta_quickly(self, epsilon):
        epsilon = np.asarray(epsilon, dtype=float)
        if epsilon.size and epsilon.max() < self._loss_range()[1]:
            return super()._delta_quickly(epsilon)
        return Mechanism._delta_quickly(self, epsilon)

    def _delta_at_most(self, epsilon):
        rounding, of_faces = 1e-15 * self._infinite, super()._delta_at_most
        most = self._up_to_the_end(
            lambda within: of_faces(within) + (rounding + AtomicLaw.missing), epsilon, self._infinite + rounding
        )
        return most + self._open_end(epsilon)

    def _open_end(self, epsilon):
        """Error of δ at the largest loss, which is itself rounded: at most the distance to the true one times the mass
        of larger losses, for which there is Chernoff's bound."""
        epsilon, high = np.asarray(epsilon, dtype=float), self._loss_range()[1]
        if not math.isfinite(high):
            return np.zeros(epsilon.shape)
        off = 4 * LAST_PLACE * sum(n * (1.0 + abs(part._loss_range()[1])) for part, n in self.factors)
        distance = np.where(epsilon >= high, np.maximum(high + off - epsilon, 0.0), 0.0)
        if distance.any():
            c = np.geomspace(1.0, 1e6, 13)
            with np.errstate(over="ignore", invalid="ignore"):
                mass = np.exp(np.minimum(c * (self._pair_renyi(1.0 + c) - high), 0.0))
            distance *= float(np.nanmin(mass, initial=1.0))
        return distance

    def _up_to_the_end(self, face, epsilon, beyond):
        """A face at ε below the largest loss, and `beyond` from there on, for which nothing is computed."""
        epsilon = np.asarray(epsilon, dtype=float)
        found, within = np.full(epsilon.shape, beyond), epsilon < self._loss_range()[1]
        if within.any():
            found[within] = face(epsilon[within])
        return found

    def _epsilon(self, delta):
        found = super()._epsilon(delta)
        # The mass of infinite losses is reached only at the largest finite loss.
        highest = max(self._largest_finite_loss(), 0.0)
        found = np.where(delta == self._infinite, highest, np.minimum(found, highest))
        return np.where(delta < self._infinite, math.inf, found)

    def _epsilon_error(self, delta, epsilon):
        error = super()._epsilon_error(delta, epsilon)
        # Every δ above the infinite mass is reached at a finite ε, even if a law on a grid does not reach it.
        error = np.where(np.isinf(epsilon) & (np.asarray(delta) > self._infinite), np.inf, error)
        at_end = np.where(np.isfinite(epsilon), 1e-15 * epsilon, 0.0)
        if self._infinite and sum(n for part, n in self.factors if part._delta(np.asarray(math.inf)) > 0) > 1:
            # The infinite mass of several parts is rounded.
            near = np.abs(delta - self._infinite) <= 1e-15 * self._infinite
            return np.where(near, np.inf, error)
        return np.where(delta == self._infinite, at_end, error)

    def _renyi(self, order):
        return sum(count * part._renyi(order) for part, count in self.factors)

    def _renyi_at_least(self, order):
        return sum(count * part._renyi_at_least(order) for part, count in self.factors)

    def _pair_renyi(self, order):
        return sum(count * part._pair_renyi(order) for part, count in self.factors)

    def _loss_moments(self, under):
        moments = np.array([part._loss_moments(under) for part, _ in self.factors])
        return tuple((np.array([count for _, count in self.factors]) @ moments).tolist())

    def _parts(self):
        return tuple((part, count * n) for whole, count in self.factors for part, n in whole._parts()[0]), False

    def _loss_law(self):
        return self._law

    @cached_property
    def _law(self) -> AtomicLaw | None:
        if any(not isinstance(part._loss_law(), AtomicLaw) for part, _ in self.factors):
            return None
        with contextlib.suppress(TooManyAtoms):
            return _enumerated(self.factors)
        return None

    def _hellinger(self, s):
        return self._exponentiated(s)

    def _log_hellinger(self, s):
        values = [(part._log_hellinger(s), count) for part, count in self.factors]
        return sum(n * log_h for (log_h, _), n in values), sum(n * error for (_, error), n in values)

    def _log_envelope(self, s):
        return sum(count * part._log_envelope(s) for part, count in self.factors)

    @cached_property
    def _infinite(self) -> float:
        """Pr_Q[L = +∞]."""
        leaks = [(float(part._delta(np.asarray(math.inf))), count) for part, count in self.factors]
        leaks = [(leak, n) for leak, n in leaks if leak]
        if len(leaks) == 1 and leaks[0][1] == 1:
            return leaks[0][0]
        return 0.0 - math.expm1(sum(n * math.log1p(-leak) if leak < 1 else -math.inf for leak, n in leaks))

    @property
    def _faces(self) -> Evaluator:
        if "_own_faces" not in self.__dict__:
            # Always computed in the same one of both directions, so that no digit depends on which was asked for first.
            ours = self.reverse is self or repr(self) <= repr(self.reverse)
            self.__dict__["_own_faces"] = self._chosen_faces() if ours else self.reverse._faces.reverse
        return self.__dict__["_own_faces"]

    def _chosen_faces(self) -> Evaluator:
        if self._infinite == 1.0:  # every loss is infinite, in both directions
            return FiniteFaces(BlatantlyNonPrivate()._law)
        finite, others = of_kind(AtomicLaw, self.factors)
        if not others:
            with contextlib.suppress(TooManyAtoms):
                return self._narrowest([], _by_atoms, _over_fewest)
        seen = [part for part, _ in others if not _is_hidden(part)]
        if seen and sum(count for _, count in others) > 1:
            with contextlib.suppress(TooRough):
                return _by_curves(self)
            if finite:
                with contextlib.suppress(TooManyAtoms):
                    return _mixed(self, finite, others)
            raise ValueError(
                f"noise_multiplier must be at least {_LEAST_NOISE} in compositions of so many mechanisms, got "
                f"{seen[0]._loss_law().noise_multiplier!r}: with less noise an example is seen in each step that it "
                "takes part in, and losses are in the hundreds"
            )
        gaussian = all(isinstance(part._loss_law(), NormalLaw | SampledLaw) for part, _ in others)
        if gaussian and not finite:
            laws = [part._loss_law() for part, _ in of_kind(SampledLaw, others)[0]]
            noise = [law.noise_multiplier for law in laws] or [1.0]
            # If steps are taken in both directions, losses pile up inside their range, and with noise of very different
            # sizes in a small part of it, which neither contours nor sums resolve.
            if len({law.direction for law in laws}) > 1 or max(noise) > _FAR_APART * min(noise):
                with contextlib.suppress(TooRough):
                    return _by_curves(self)
            with contextlib.suppress(SlowDecay):
                return contours(self.factors)
        known = all(_is_known(part) for part, _ in self.factors)
        if finite and others and (gaussian or not known):
            with contextlib.suppress(TooManyAtoms):
                return self._narrowest([], lambda whole: _mixed(whole, finite, others))
        with contextlib.suppress(TooManyAtoms):
            if (faces := _over_nodes(self.factors)) is not None:
                return faces
        different = sum(not isinstance(part._loss_law(), LaplaceLaw) for part, _ in self.factors)
        if different > _MOST_DIFFERENT:
            raise ValueError(
                f"at most {_MOST_DIFFERENT} different mechanisms other than Laplace can be composed, got {different}: "
                "more would take longer than ten seconds"
            )
        steps = sum(isinstance(part._loss_law(), SampledLaw) for part, _ in self.factors)
        if known and steps > _MOST_STEPS_BESIDE:
            raise ValueError(
                f"at most {_MOST_STEPS_BESIDE} different subsampled Gaussians can be composed with Laplace mechanisms "
                f"or finite experiments with many losses, got {steps}: more would take longer than ten seconds; round "
                "their parameters, so that fewer are different"
            )
        laplace, rest = of_kind(LaplaceLaw, others)
        if laplace and steps and all(_is_known(part) for part, _ in rest):
            if finite:
                with contextlib.suppress(TooManyAtoms):
                    return _mixed(self, finite, others)
            elif sum(count for _, count in laplace) <= _FEW_LAPLACE:
                beside = Composition(rest)._faces
                if isinstance(beside, TabulatedFaces) and beside.tables:
                    tops = [part._loss_law().largest_loss for part, count in laplace for _ in range(count)]
                    return beside_laplace(beside, tops)

        def by_lines(whole: Composition) -> Evaluator:
            return _widened(whole, _by_lines(whole), finite)

        if known and not steps:
            best = by_lines(self)
            if finite and _off(best) > _SHARP:
                return self._narrowest([best], lambda whole: _mixed(whole, finite, others))
            return best
        # With few subsampled steps, or atoms, lines may be less accurate than what follows. Powers of one mechanism are
        # calibrated often, and a grid is faster.
        alone = not self.beside and len(self.factors) == 1 and not self.factors[0][0]._curves
        found, goal = ([by_lines(self)], _PRODUCTS_GOAL) if known else ([], POWERS_GOAL)
        for way in (_by_grid, _by_curves) if alone else (_by_curves, _by_grid):
            if not _is_sharp(found, goal):
                with contextlib.suppress(TooRough):
                    found.append(way(self))
            goal = POWERS_GOAL
        # A mixture of many atoms is slow where what is mixed has kinks.
        if finite and not any(part._breakpoints().size for part, _ in others):
            return self._narrowest(found, lambda whole: _mixed(whole, finite, others, many=True))
        return self._narrowest(found)

    def _narrowest(self, found, *ways) -> Evaluator:
        """The narrowest of these faces, of those that these ways lead to, and of those with fewer parts or losses.

        Raises
        ------
        TooManyAtoms
            If there are none.
        """
        best = min(found, key=_off, default=None)
        for way in ways if self.fewer else (*ways, _with_fewer_parts):
            if best and _off(best) <= _SHARP:
                break
            with contextlib.suppress(TooManyAtoms):
                best = min(filter(None, (best, way(self))), key=_off)
        merged = None if self.fewer or (best and _off(best) <= _SHARP) else self._merged
        # Far losses are lowered, which loses δ at large ε.
        if merged and (merged.error_bound <= 2 * _SHARP or (best and _off(best) > max(_TOLERABLE, _off(merged)))):
            return merged
        if not best:
            raise TooManyAtoms
        return best

    @cached_property
    def _merged(self) -> Evaluator | None:
        """The faces with fewer losses; None if these would be too many."""
        with contextlib.suppress(TooManyAtoms):
            return _with_fewer_losses(self)
        return None


def _off(faces) -> float:
    """The error of R, in both directions; of tables, which would have to be filled, only at even odds."""
    if isinstance(faces, FiniteFaces):
        return faces.bayes_error_bound
    return max(float(side.delta_error(np.zeros(()))) / 2 for side in (faces, faces.reverse))


def _with_fewer_losses(whole: Composition) -> Evaluator:
    """The faces if outcomes of finite experiments that hardly differ, or hardly occur, are not told apart.

    Raises
    ------
    TooManyAtoms
        If that is less than half of them, or too many others remain.
    """
    finite, others = of_kind(AtomicLaw, whole.factors)
    if not finite:
        raise TooManyAtoms
    together = Composition(finite)
    laws = [(part._loss_law().enumerated(), count) for part, count in finite]
    law, excess = merged_sum(laws, _MERGED, together.is_symmetric)
    if math.log(2 * max(law.kinks.size, 1)) > sum(count * math.log(max(one.kinks.size, 1)) for one, count in laws):
        raise TooManyAtoms
    simplified = Composition(((WithFewerLosses(together, law), 1), *others), whole.beside, fewer=True)
    return _exceeded(whole, simplified._faces, [(excess, 1)], _own_error(finite))


def _with_fewer_parts(whole: Composition) -> Evaluator:
    """The faces without the part that matters least, or those of one part alone, if that is sharp.

    R is at most that without some parts, and at least that minus half the sum of their total variations.

    Raises
    ------
    TooManyAtoms
        If it is not.
    """
    at_0 = np.zeros(())
    alone = [float(part._delta(at_0)) for part, _ in whole.factors]
    distances = [
        min(count * (its + float(part._delta_error(at_0))), 1.0)
        for its, (part, count) in zip(alone, whole.factors, strict=True)
    ]
    everything = range(len(distances))
    least = min(everything, key=distances.__getitem__)
    ways = [(distances[least], {least})]
    ways += [(min(sum(distances) - distances[k], 1.0 - alone[k]), set(everything) - {k}) for k in everything]
    gone = next((parts for off, parts in ways if off <= _SHARP), None)
    if gone is None or len(whole.factors) == 1:
        raise TooManyAtoms
    kept = Composition(tuple(factor for k, factor in enumerate(whole.factors) if k not in gone), whole.beside)
    return _exceeded(whole, kept._faces, [(Excess.of_part(distances[k]), 1) for k in gone])


def _exceeded(whole: Composition, few: Evaluator, each=(), own: float = 0.0) -> ExceededFaces:
    infinite = whole._infinite, whole.reverse._infinite
    return ExceededFaces(few, Excess.total(each), infinite, whole._loss_range(), own)


def _own_error(finite) -> float:
    """By how much δ of parts with these laws may be off in all, besides rounding: some laws bound what they stand for.

    That a part's δ is off by so much at every ε moves that of a composition, an average over the losses of the others,
    by no more.
    """
    each = (
        count * (max(part.error_bound, part.reverse.error_bound) - part._loss_law().error_bound)
        for part, count in finite
    )
    own = math.fsum(max(its, 0.0) for its in each)
    return own if own > LAST_PLACE else 0.0


def _widened(whole: Composition, faces: Evaluator, finite) -> Evaluator:
    """These faces, which are computed from the laws of finite parts, with the errors of those laws."""
    own = _own_error(finite)
    return _exceeded(whole, faces, own=own) if own else faces


def _by_atoms(whole: Composition) -> Evaluator:
    """The faces of finite experiments whose sums of losses are enumerated, or TooManyAtoms."""
    if whole._law is None:
        raise TooManyAtoms
    return _widened(whole, FiniteFaces(whole._law), whole.factors)


def _mixed(whole: Composition, finite, others, many: bool = False) -> Evaluator:
    """The faces of a mixture over all sums of losses of the finite experiments, or TooManyAtoms."""
    return _widened(whole, MixtureFaces(_enumerated(finite), _together(others), many=many), finite)


def _is_sharp(found, goal) -> bool:
    """Whether one of these faces is so accurate that no others need be tried."""
    return any(faces.error_bound <= goal for faces in found)


def _is_hidden(part: Mechanism) -> bool:
    """Whether there is enough noise for contours and sums, unless it is no subsampled Gaussian."""
    law = part._loss_law()
    return not isinstance(law, SampledLaw) or law.noise_multiplier >= _LEAST_NOISE


def _over_nodes(factors) -> MixtureFaces | None:
    """The faces of subsampled Laplace steps beside Gaussian noise: a mixture over few losses of one step.

    Raises
    ------
    TooManyAtoms
        If the losses of all steps together are too many.
    """
    normal, _ = of_kind(NormalLaw, factors)
    steps, rest = of_kind(SampledLaplaceLaw, factors)
    if not (normal and steps):
        return None
    (part, count), *more = steps
    if count > 1:
        more.append((part, count - 1))
    mu = normal[0][0]._loss_law().mu
    if sum(n * math.log(nodes(its._loss_law(), mu)[0].loss.size) for its, n in steps) > math.log(_MOST_NODES):
        raise TooManyAtoms
    law, missed = nodes(part._loss_law(), mu)
    return MixtureFaces(law, _together((*more, *rest)), missed)


def _over_fewest(whole) -> Evaluator:
    """The faces of finite experiments with too many sums of losses: a mixture over the atoms of those with the fewest.

    Raises
    ------
    TooManyAtoms
        If these atoms, or the sums of the other experiments, are too many, or there is only one experiment.
    """
    finite = whole.factors
    if len(finite) == 1:
        raise TooManyAtoms
    by_size = sorted(finite, key=lambda factor: factor[0]._loss_law().kinks.size)
    log_sums = np.cumsum([count * math.log(max(part._loss_law().kinks.size, 1)) for part, count in by_size])
    few = max(int(np.count_nonzero(log_sums[:-1] <= math.log(_MOST_NODES))), 1)
    rest = _together(tuple(by_size[few:]))
    if rest._loss_law() is None:
        raise TooManyAtoms
    return _widened(whole, MixtureFaces(_enumerated(by_size[:few]), rest), by_size[:few])


def of_kind(kind, factors):
    """The factors whose loss has a law of this kind, and the others."""
    its: list[tuple] = []
    others: list[tuple] = []
    for factor in factors:
        (its if isinstance(factor[0]._loss_law(), kind) else others).append(factor)
    return tuple(its), tuple(others)


def _is_known(part: Mechanism) -> bool:
    """Whether the loss has a law of one of the declared kinds, with few atoms if it has any."""
    law = part._loss_law()
    if isinstance(law, AtomicLaw):
        return law.kinks.size <= _FEW_ATOMS
    return law is not None and not isinstance(law, SampledLaplaceLaw)


def _together(parts):
    """The mechanism that some parts of a composition form together."""
    alone = len(parts) == 1 and parts[0][1] == 1 and not parts[0][0]._curves
    return parts[0][0] if alone else Composition(parts, beside=True)


def _by_lines(whole: Composition) -> TabulatedFaces:
    """The faces from lower and upper bounds on δ in both directions."""
    low, high = whole._loss_range()
    forward = LinesProfile(whole.factors, high)
    backward = forward if whole.is_symmetric else LinesProfile([(part.reverse, n) for part, n in whole.factors], -low)
    kinks = np.unique(np.concatenate([-backward.kinks, forward.kinks]))
    infinite = forward.infinite, backward.infinite
    there = ProfileTable(forward, 1.0 - forward.infinite)
    back = there if forward is backward else ProfileTable(backward, 1.0 - backward.infinite)
    near, loss_near = zip(forward.near, backward.near, strict=True)
    return TabulatedFaces(there, back, infinite, near, loss_near, breakpoints=kinks)


def _by_curves(whole: Composition) -> TabulatedFaces:
    """The faces from the profiles of all parts, integrated over each other.

    Raises
    ------
    TooRough
        If parts or polynomials would be too many.
    """
    finite, others = of_kind(AtomicLaw, whole.factors)
    if not others:
        raise TooRough("nothing but atoms")
    # Laws are kept apart: to mix over one after the other takes the sum of their numbers of atoms, not the product.
    try:
        laws = [(_enumerated([(part, count)]).enumerated(), part, count) for part, count in finite]
    except TooManyAtoms:
        raise TooRough("too many sums of losses") from None
    # Parts that contours or lines compose are taken together, which saves integrals.
    many, rest = of_kind(NormalLaw | SampledLaw, tuple(factor for factor in others if _is_hidden(factor[0])))
    rest += tuple(factor for factor in others if not _is_hidden(factor[0]))
    repeated, rest = of_kind(LaplaceLaw, rest)
    for group in (many, repeated):
        together = sum(count for _, count in group) > 1 and len(group) < len(whole.factors)
        rest += ((Composition(group, beside=True), 1),) if together else group
    if sum(count for _, count in rest) > _MOST_CURVES:
        raise TooRough("too many parts")
    curves, *more = ((part._curves or curves_of(part)).power(count) for part, count in rest)
    for its in more:
        curves = curves.times(its)
    for law, part, count in sorted(laws, key=lambda each: each[0].loss.size):
        curves = curves.beside(law, count * max(part.error_bound, part.reverse.error_bound))
    there, back = (CurveTable(*side) for side in zip((curves.forward, curves.backward), curves.masses, strict=True))
    if curves.backward is curves.forward:
        back = there
    infinite = whole._infinite, whole.reverse._infinite
    return TabulatedFaces(there, back, infinite, breakpoints=np.empty(0) if curves.smooth else curves.kinks)


def _by_grid(whole: Composition) -> FiniteFaces:
    """The faces from a grid, which needs only α and β of the parts."""
    parts = [(part._on_grid, count) for part, count in whole.factors]
    grid = [grid_factor(part, count) for part, count in parts]
    # The parts' own errors add up.
    own = sum(count * max(part.error_bound, part.reverse.error_bound) for part, count in parts)
    goal = _PRODUCTS_GOAL if whole.beside or len(grid) > 1 else POWERS_GOAL
    found = bracketed(grid, max(goal, own / 4))
    infinite = whole._infinite, float(whole.reverse._delta(np.asarray(math.inf)))
    smooth = not any(factor.atoms for factor in grid)
    return FiniteFaces(found.law, found.widened(own), smooth, infinite)


def grid_factor(part, count) -> Factor:
    """A part in the form that a grid needs."""
    masses = float(part.reverse._delta(np.asarray(math.inf))), float(part._delta(np.asarray(math.inf)))
    kinks = part._breakpoints()
    # A grid cannot be fitted to many atoms; its bounds hold anyway.
    atoms = tuple(kinks.tolist()) if kinks.size <= _FEW_ATOMS else ()
    return Factor(part._errors, *masses, count, *window(part._errors, *masses), atoms)


def _enumerated(parts) -> AtomicLaw:
    """The law of the composition of finite parts, or TooManyAtoms if that takes too many sums."""
    return composed([(part._loss_law(), count) for part, count in parts], _MOST_SUMS)


def power(mechanism: Mechanism, count) -> Mechanism:
    """`mechanism ** count`."""
    return compose([(mechanism, positive_integer("the exponent", count))])


def product(mechanism: Mechanism, other) -> Mechanism:
    """`mechanism @ other`."""
    return compose([(mechanism, 1), (as_mechanism("other", other), 1)])
