"""Different Laplace mechanisms, often and with finite experiments: atoms apart, and the rest along lines.

With w = z + ½, F of a Laplace mechanism with the largest loss e is e^{−e/2} [cosh(we) + sinh(we)/(2w)]: its loss is at
an end, ±e, or inside. The transform of n mechanisms does not decay because of those outcomes in which few losses are
inside, at most J. These are taken apart:

    D(ε) = Σ_{j ≤ J} E_Q[(1 − e^{ε−L})₊; j losses inside] + D_R(ε),     |R(c + it)| ≤ Π κ_i Σ_{j > J} C(n, j) |2w|^−j,

with κ_i = e^{−e_i/2} cosh((c + ½) e_i). The first sum has positive terms only: a law of atoms, times what j losses
inside make of (1 − e^{y})₊, which is a spline times e^{y/2}, between knots y of which there are few. R, which is F less
the same terms, is the transform of a positive measure, so that all bounds of sampled_lines.py hold; and it decays like
|t|^{−J−1}.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import bdtrc

from .._floats import LARGEST_LOSS, LONG_LAST_PLACE, UNIT_ROUNDOFF
from .polynomials import chebyshev
from .sampled_lines import Inverter, Transform

# Largest J: the number of cases grows quickly with it.
_MOST_INSIDE = 5
# Largest number of atoms, of all cases together, before equal ones are merged and after.
_MOST_PAIRS, _MOST_ATOMS = 4_000_000, 200_000
# Numbers of samples on a line that are tried.
_TERMS = 2**14, 2**16
# Largest error from cutting a line off.
_GOAL = 1e-14
# The period of a line, in standard deviations of the loss.
_WIDTH = 40.0
# Largest sum of all losses: at larger ones masses under P lose their digits.
_LARGEST = 300.0
# The case with no loss inside matters if its probability is at least e to minus this.
_NEGLIGIBLE = 200.0
# Atoms above ε by more than this fraction of the range, but at least the second and at most the third number, are not
# added one by one: cumulative sums of their masses give their share of δ.
_FAR, _NEAREST, _FURTHEST = 1 / 64, 3e-4, 0.5
# Kinks are ignored if their weight, relative to δ, is below this,
_LIGHT = 1e-12
# or if δ is.
_TINY = 1e-40
# The number of kinks that are kept is at most between these, depending on the time for each.
_MOST_KINKS = 600, 5000
# Number of points at which δ is evaluated to weigh the kinks.
_PLACES = 400
# Largest estimated time for all intervals between kinks, in seconds (where the estimate was 14, it took 8.6).
_SECONDS = 14.0
# Seconds for one case, one atom and one sample of a line, at all points of an interval.
_OF_CASE, _OF_ATOM, _OF_TERM = 1e-4, 2e-6, 3e-8
# Degree of the polynomials that replace the pieces of a spline.
_DEGREE = 13
# Atoms closer than this, relative to the largest loss, are merged.
_EQUAL = 8 * UNIT_ROUNDOFF
_POINTS, _TO_COEFFICIENTS = chebyshev(_DEGREE + 1)
_BETWEEN = np.linspace(-1.0, 1.0, 41)
_AT_BETWEEN = np.cos(np.outer(np.arange(_DEGREE + 1), np.arccos(_BETWEEN)))


def inside_apart(counts: dict[float, int], loss: np.ndarray) -> tuple[int, int] | None:
    """J and the number of samples on a line for which the computation is fastest; None if every choice takes too long.

    `counts` maps the largest loss of each Laplace mechanism to its multiplicity; `loss` has the losses of the finite
    parts.
    """
    tops, number = np.array(list(counts)), np.array(list(counts.values()))
    n = int(number.sum())
    reach = float(tops @ number) + float(np.abs(loss).max(initial=0.0))
    if not 0 < reach < _LARGEST or float(number @ np.log1p(tops / 2)) > _NEGLIGIBLE:
        return None
    size = _places(counts, loss, _EQUAL * reach)
    width = min(2 * reach, _WIDTH * math.sqrt(float(tops**2 @ number)) + _WIDTH * float(np.ptp(loss)))
    found = []
    for most in range(1, min(_MOST_INSIDE, n - 1) + 1):
        cases = math.comb(most + len(tops), most)
        if size * cases > _MOST_ATOMS:
            break
        top = most * float(tops.max())
        for terms in _TERMS:
            end = terms / 2 * 2 * math.pi / width
            share = 1 / (2 * end)
            if float(bdtrc(most, n, share / (1 + share))) * (1 + share) ** n / end < _GOAL:
                found.append(
                    (cases * _effort(top, _far(top, 2 * reach), 2 * reach, size) + _OF_TERM * terms, most, terms)
                )
    return min(found)[1:] if found else None


def _far(top: float, width: float) -> float:
    """How far above ε atoms are added one by one."""
    return max(top, float(np.clip(_FAR * width, _NEAREST, _FURTHEST)))


def _effort(top: float, far: float, width: float, size: float) -> float:
    """Estimated seconds for one case at all points of an interval."""
    return _OF_CASE + _OF_ATOM * min((top + far) / max(width, 1e-300), 1.0) * size


def _places(counts: dict[float, int], loss: np.ndarray, equal: float) -> float:
    """The number of distinct atoms if no loss is inside; ∞ if there are too many."""
    position = np.sort(np.asarray(loss, dtype=float))
    for top, count in counts.items():
        if position.size * (count + 1) > _MOST_PAIRS:
            return math.inf
        position = np.sort(np.add.outer(position, top * (count - 2.0 * np.arange(count + 1))).ravel())
        position = position[np.append(True, np.diff(position) > equal)]
    return position.size


class LaplaceAtoms:
    """δ of Laplace mechanisms and a finite law of loss.

    Parameters
    ----------
    counts : dict
        Largest losses of Laplace mechanisms, with the multiplicity of each.
    loss, q : ndarray
        Finite losses of the composition of all finite parts, and their probabilities under Q.
    inside : int
        J, the largest number of losses inside their ranges in the cases that are taken apart.
    terms : int
        The largest number of samples on a line.
    finite_log : callable
        The logarithm of the transform of the finite parts, and a bound on its error.
    log_masses : tuple of float
        log F at 0 and −1.
    relative : float
        The relative error of `q`.
    """

    def __init__(
        self,
        counts: Any,
        loss: np.ndarray,
        q: np.ndarray,
        inside: int,
        terms: int,
        finite_log: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]],
        log_masses: tuple[float, float],
        relative: float,
    ) -> None:
        self._tops, self._counts = np.array(list(counts)), [int(count) for count in counts.values()]
        self._inside, self.most_terms, self._finite_log = inside, terms, finite_log
        self._n, reach = sum(self._counts), float(self._tops @ np.array(self._counts))
        reach += float(np.abs(loss).max(initial=0.0))
        # Relative error of the masses of atoms, and of sums of them.
        self._relative = relative + (64.0 + 8.0 * self._n + 4.0 * reach) * UNIT_ROUNDOFF
        self._cases = [
            _Case(self._tops, self._counts, case, loss, q, _EQUAL * reach) for case in _cases(self._counts, inside)
        ]
        of_q, of_p = (math.log(self._tail(np.array([z + 0.5]))[0]) for z in (0.0, -1.0))
        transform = Transform(
            self._log,
            self._log_envelope,
            terms=terms,
            on_line=self._on_line,
            log_masses=(log_masses[0] + of_q, log_masses[1] + of_p),
            of_masses=32 * self._n * UNIT_ROUNDOFF,
        )
        self._inverter = Inverter(transform)

    @cached_property
    def breakpoints(self) -> np.ndarray:
        """Losses of the atoms that are heavy enough, relative to δ, for a kink to matter."""
        return self._heavy[0]

    @cached_property
    def _heavy(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Losses of the heaviest atoms; a grid; and on each of its intervals the weight of the heaviest other atom.

        The weight of an atom is its mass times the distance to its neighbor, relative to δ. If its kink is ignored, a
        straight line between its neighbors is wrong by at most an eighth of that.
        """
        loss, q = self._cases[0].loss, self._cases[0].q
        at, known = self._known
        place = np.searchsorted(at, np.abs(loss), side="right") - 1
        # δ falls, so that it is smallest at the end of the interval.
        least = known[np.minimum(place + 1, _PLACES - 1)]
        gap = np.diff(loss, prepend=-math.inf, append=math.inf)
        with np.errstate(divide="ignore", invalid="ignore"):
            weight = np.nan_to_num(q * np.minimum(np.maximum(gap[1:], gap[:-1]), 1.0) / least, nan=1.0, posinf=1.0)
        ranked = np.where(least > _TINY, weight, 0.0)
        effort = sum(case.effort for case in self._cases) + _OF_TERM * self.most_terms
        most = int(np.clip(_SECONDS / effort, *_MOST_KINKS))
        bound = max(_LIGHT, float(np.sort(ranked)[-most - 1]) if loss.size > most else 0.0)
        kept = ranked > bound
        light = np.zeros(_PLACES + 1)
        np.maximum.at(light, place[~kept], weight[~kept])
        # Atoms matter in the neighboring intervals, too.
        light = np.minimum(np.maximum(light, np.maximum(np.append(light[1:], 0.0), np.append(0.0, light[:-1]))), 1.0)
        return loss[kept], at, light

    @cached_property
    def _known(self) -> tuple[np.ndarray, np.ndarray]:
        """A grid from 0 to the largest loss, and lower bounds on δ there.

        δ is 0 at the largest loss: the last bound is at the second largest instead.
        """
        largest, second = self._cases[0].loss[-1], self._cases[0].loss[-2]
        at = np.linspace(0.0, largest, _PLACES)
        return at, self._apart(np.append(at[:-1], second))[0]

    def epsilon_near(self, log_delta: np.ndarray) -> np.ndarray:
        """A first guess of the ε at which δ, without infinite losses, has this logarithm."""
        at, value = self._known
        return np.interp(-log_delta, -np.log(np.maximum(value[:-1], 1e-300)), at[:-1])

    def loss_near(self, log_alpha: np.ndarray) -> np.ndarray:
        """A first guess of the ε ≥ 0 at which Pr_P[L > ε] has this logarithm."""
        at, value = self._known
        fall = -np.diff(value[:-1]) / np.diff(np.exp(np.minimum(at[:-1], LARGEST_LOSS)))
        return np.interp(-log_alpha, -np.log(np.maximum(fall, 1e-300)), (at[1:-1] + at[:-2]) / 2)

    def profile(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Lower and upper bounds on E_Q[(1 − e^{ε−L})₊; L finite], for a one-dimensional array.

        The distance between them covers the kinks that are ignored.
        """
        lower, upper = self._apart(epsilon)
        _, at, light = self._heavy
        light = light[np.searchsorted(at, epsilon, side="right") - 1] / 4
        return lower * (1 - light), upper * (1 + light)

    def _apart(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        value, off = np.zeros(epsilon.shape), np.zeros(epsilon.shape)
        for case in self._cases:
            its_value, its_error = case.profile(epsilon)
            value += its_value
            off += its_error
        off += value * (self._relative + 2 * len(self._cases) * UNIT_ROUNDOFF)
        lower, upper = self._inverter.profile(epsilon)
        return np.maximum(value - off, 0.0) + lower, value + off + upper

    def _log_ends(self, size: np.ndarray | float) -> np.ndarray:
        """log κ for each scale, from |w|e."""
        return size + np.log1p(np.exp(-2 * size)) - math.log(2.0) - self._tops / 2

    def _odds(self, w: np.ndarray) -> np.ndarray:
        """tanh(we)/(2w) for real w: the odds of a loss inside, a column for each scale."""
        size = np.abs(w)[:, None]
        small = size * self._tops < 1e-9
        return np.where(small, self._tops / 2, np.tanh(size * self._tops) / (2 * np.where(small, 1.0, size)))

    def _tail(self, w: np.ndarray) -> np.ndarray:
        """The probability of more than J losses inside under the tilted law, at real w: a sum of positive terms."""
        few, tail = np.zeros((self._inside + 1, len(w))), np.zeros(len(w))
        few[0] = 1.0
        for odds, count in zip(self._odds(w).T, self._counts, strict=True):
            number = np.arange(1, count + 1)
            rise = (count - number + 1) / number
            with np.errstate(under="ignore"):
                first = np.exp(-count * np.log1p(odds))
                mass = np.vstack([first, first * np.cumprod(np.multiply.outer(rise, odds), axis=0)])
                above = np.cumsum(mass[::-1], axis=0)[::-1]
                for j in range(self._inside + 1):
                    if self._inside - j + 1 <= count:
                        tail = tail + few[j] * above[self._inside - j + 1]
                few = np.array(
                    [sum(few[i] * mass[j - i] for i in range(j + 1) if j - i <= count) for j in range(self._inside + 1)]
                )
        return tail

    def _log(self, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """log R at real z, and a bound on its error."""
        w = z.real + 0.5
        value, error = self._finite_log(z.real.astype(complex))
        size = np.abs(w)[:, None] * self._tops
        each = self._log_ends(size) + np.log1p(self._odds(w))
        with np.errstate(divide="ignore"):
            log_tail = np.log(self._tail(w))
        total = each @ np.array(self._counts, dtype=float)
        return (value + total + log_tail), error + 8 * UNIT_ROUNDOFF * (self._n + np.abs(total) + np.abs(log_tail))

    def _log_envelope(self, c: float, t: np.ndarray) -> np.ndarray:
        """The logarithm of the bound on |R| of the module's docstring, which decreases in |t|."""
        w = abs(c + 0.5)
        size = w * self._tops
        each = self._log_ends(size)
        share = 1 / (2 * np.hypot(w, t))
        with np.errstate(divide="ignore"):
            tail = np.log(bdtrc(self._inside, self._n, share / (1 + share))) + 1e-9
        finite = self._finite_log(np.array([c + 0j]))[0][0].real
        return finite + float(each @ np.array(self._counts, dtype=float)) + self._n * np.log1p(share) + tail

    def _on_line(self, c: float, step: float, count: int) -> tuple[np.ndarray, np.ndarray]:
        """R(c + ikh)/R(c), and a bound on its error. Divided by Π κ_i, R is a product minus its first terms."""
        t = step * np.arange(count)
        w = c + 0.5 + 1j * t
        half = 1 / (2 * w)
        whole, terms = np.ones(count, dtype=complex), [np.ones(count, dtype=complex)]
        terms += [np.zeros(count, dtype=complex) for _ in range(self._inside)]
        size, off = np.ones(count), np.zeros(count)
        for top, number in zip(self._tops, self._counts, strict=True):
            h = math.tanh((c + 0.5) * top)
            cos, sin = np.cos(t * top), np.sin(t * top)
            ends, within = cos + 1j * h * sin, (h * cos + 1j * sin) * half
            both = np.maximum(np.abs(ends) + np.abs(within), 0.05)
            size *= both**number
            off += number * ((8.0 + 4.0 * t * top) * (1 + np.abs(half)) / both + 16.0) * UNIT_ROUNDOFF
            whole *= _power(ends + within, number)
            own = [_power(ends, number - min(self._inside, number))]
            for _ in range(min(self._inside, number)):
                own.append(own[-1] * ends)
            own.reverse()  # powers number, number − 1, …
            factor = np.ones(count, dtype=complex)
            for j in range(1, len(own)):
                factor = factor * within
                own[j] = math.comb(number, j) * own[j] * factor
            terms = [sum(terms[i] * own[j - i] for i in range(j + 1) if j - i < len(own)) for j in range(len(terms))]
        rest = whole - sum(terms)
        scale = math.exp(float(np.log1p(self._odds(np.array([c + 0.5])))[0] @ np.array(self._counts, dtype=float)))
        scale *= float(self._tail(np.array([c + 0.5]))[0])
        value, its_error = self._finite_log(c + 1j * t)
        ratio = np.exp(value - value[0].real) / scale
        off = size * (2 * off + (8.0 + 4.0 * self._inside) * UNIT_ROUNDOFF)
        own_error = its_error + 2 * UNIT_ROUNDOFF * np.abs(value) + (32.0 + 4 * self._n) * UNIT_ROUNDOFF
        return rest * ratio, np.abs(ratio) * (off + np.abs(rest) * own_error)


def _power(base: np.ndarray, exponent: int) -> np.ndarray:
    result = np.ones(base.shape, dtype=base.dtype)
    while exponent:
        if exponent & 1:
            result = result * base
        base = base * base
        exponent >>= 1
    return result


def _cases(counts: Sequence[int], most: int) -> list[tuple[int, ...]]:
    """All numbers of losses inside, one for each scale, whose sum is at most `most`; all zeros first."""
    ranges = (range(min(most, count) + 1) for count in counts)
    return sorted((case for case in itertools.product(*ranges) if sum(case) <= most), key=sum)


class _Case:
    """The case in which given numbers of losses of each scale are inside, and all others at an end."""

    def __init__(
        self, tops: np.ndarray, counts: Any, case: tuple[int, ...], loss: np.ndarray, q: np.ndarray, equal: float
    ) -> None:
        self._j = sum(case)
        self._top = float(np.dot(tops, case))
        self._mass = math.prod((-math.expm1(-top) / 2) ** j for top, j in zip(tops.tolist(), case, strict=True))
        position, mass_q, mass_p = np.asarray(loss, float), np.asarray(q, float), q * np.exp(-np.asarray(loss))
        for top, count, j in zip(tops.tolist(), counts, case, strict=True):
            number, left = np.arange(count - j + 1), count - j
            share = np.array([math.comb(left, m) / 2**left for m in range(left + 1)]) * math.comb(count, j)
            position = np.add.outer(position, top * (left - 2.0 * number)).ravel()
            mass_q = np.multiply.outer(mass_q, share * np.exp(-top * number)).ravel()
            mass_p = np.multiply.outer(mass_p, share * np.exp(-top * (left - number))).ravel()
            order = np.argsort(position, kind="stable")
            position, mass_q, mass_p = position[order], mass_q[order], mass_p[order]
            starts = np.flatnonzero(np.append(True, np.diff(position) > equal))
            position = position[starts]
            mass_q, mass_p = np.add.reduceat(mass_q, starts), np.add.reduceat(mass_p, starts)
        self.loss, self.q = position, mass_q
        self._elsewhere = 3 * equal
        self._of_masses = UNIT_ROUNDOFF * (16.0 + 4 * len(counts)) + equal / 2 + len(position) * LONG_LAST_PLACE
        # Masses from each atom up to the last, under Q and P.
        self._above_q, self._above_p = (
            np.append(np.cumsum(side[::-1].astype(np.longdouble))[::-1].astype(float), 0.0) for side in (mass_q, mass_p)
        )
        self._far = _far(self._top, np.ptp(position))
        self._off = 0.0
        if self._j:
            self._pieces(tops, case)

    def _pieces(self, tops: np.ndarray, case: tuple[int, ...]) -> Any:
        """Replaces the spline by polynomials between its knots."""
        knots, sign = np.zeros(1, dtype=np.longdouble), np.ones(1, dtype=np.longdouble)
        for top, j in zip(tops, case, strict=True):
            number = np.arange(j + 1)
            knots = np.add.outer(knots, np.longdouble(top) * (j - 2.0 * number)).ravel()
            sign = np.multiply.outer(sign, [(-1.0) ** m * math.comb(j, m) for m in number]).ravel()
        scale = math.prod((np.exp(np.longdouble(-top) / 2) / 4) ** j for top, j in zip(tops, case, strict=True))
        ends = np.unique(knots.astype(float))
        ends = ends[np.append(True, np.diff(ends) > 1e-13 * self._top)]
        ends[0], ends[-1] = -self._top, self._top
        # On longer pieces e^{y/2} would need polynomials of a higher degree.
        parts = [np.linspace(a, b, math.ceil((b - a) / 3.0), endpoint=False) for a, b in itertools.pairwise(ends)]
        self._ends = np.append(np.concatenate(parts), ends[-1])
        middle, half = (self._ends[1:] + self._ends[:-1]) / 2, np.diff(self._ends) / 2

        def exact(places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            y = (middle[:, None] + half[:, None] * places).astype(np.longdouble)
            total, size = np.zeros(y.shape, dtype=np.longdouble), np.zeros(y.shape)
            for knot, its_sign in zip(knots, sign, strict=True):
                term = _kernel(np.maximum(knot - y, 0), self._j)
                total += its_sign * term
                size += np.abs(its_sign * term).astype(float)
            factor = scale * np.exp(y / 2)
            return (factor * total).astype(float), (size * factor.astype(float)) * 64 * LONG_LAST_PLACE

        value, error = exact(_POINTS)
        coefficients = (value @ _TO_COEFFICIENTS).T
        # Short pieces need few coefficients.
        largest = np.abs(coefficients).max(axis=1)
        few = np.flatnonzero(largest > UNIT_ROUNDOFF / 4 * largest.max())[-1] + 1
        self._coefficients, left_out = coefficients[:few], float(largest[few:].sum())
        # Error of the polynomials between their points, and of rounding.
        between, its_error = exact(_BETWEEN)
        missed = np.abs(between - coefficients.T @ _AT_BETWEEN).max()
        size = np.abs(self._coefficients).sum(axis=0).max()
        self._off = left_out + 4 * float(missed + error.max() + its_error.max()) + 32 * UNIT_ROUNDOFF * float(size)

    @property
    def effort(self) -> float:
        """Estimated seconds for all points of an interval."""
        return _effort(self._top, self._far, float(np.ptp(self.loss)), self.loss.size)

    def profile(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The sum over atoms, and a bound on its error."""
        first = np.searchsorted(self.loss, epsilon - self._top, side="right")
        last = np.maximum(np.searchsorted(self.loss, epsilon + self._far, side="right"), first)
        near = last - first
        row = np.repeat(np.arange(len(epsilon)), near)
        index = np.arange(len(row)) - np.repeat(np.cumsum(near) - near, near) + np.repeat(first, near)
        y, q = epsilon[row] - self.loss[index], self.q[index]
        value = -self._mass * np.expm1(np.minimum(y, 0.0))
        inside = np.flatnonzero((y > -self._top) & (y < self._top))
        off: np.ndarray = np.zeros(epsilon.shape)
        if inside.size:
            value[inside] = self._spline(y[inside])
            off = self._off * np.bincount(row[inside], weights=q[inside], minlength=len(epsilon))
        total = np.bincount(row, weights=q * value, minlength=len(epsilon))
        above_q, above_p = self._above_q[last], np.exp(epsilon) * self._above_p[last]
        far = self._mass * np.maximum(above_q - above_p, 0.0)
        # Rounding of the difference of the two cumulative sums; and the error in the positions of merged atoms.
        off += 2 * self._mass * above_q * (self._of_masses + UNIT_ROUNDOFF * np.abs(epsilon))
        off += self._elsewhere * self._mass * (above_q + np.bincount(row, weights=q, minlength=len(epsilon)))
        return total + far, off + near * UNIT_ROUNDOFF * total

    def _spline(self, y: np.ndarray) -> np.ndarray:
        place = np.clip(np.searchsorted(self._ends, y, side="right") - 1, 0, len(self._ends) - 2)
        x = (2 * y - self._ends[place] - self._ends[place + 1]) / (self._ends[place + 1] - self._ends[place])
        b1 = b2 = np.zeros(y.shape)
        for column in self._coefficients[:0:-1]:
            b1, b2 = column[place] + 2 * x * b1 - b2, b1
        return np.maximum(self._coefficients[0][place] + x * b1 - b2, 0.0)


def _kernel(x: np.ndarray, j: int) -> np.ndarray:
    """Σ x^{2i+1+j}/((2i+1+j)! 4^i): 2 sinh(x/2), integrated j times from 0."""
    term = x ** (j + 1) / math.factorial(j + 1)
    total, i = term.copy(), 0
    while np.any(term > LONG_LAST_PLACE * total / 4):
        i += 1
        term = term * (x * x / (4.0 * (2 * i + j) * (2 * i + 1 + j)))
        total += term
    return total
