"""Profiles that are finite sums, in ball arithmetic: finite experiments, Laplace, and mixtures over finite losses.

What is handed on is the triple S(x) = (E_Q[(1 − e^{x−L})₊], Pr_Q[L > x], e^x Pr_P[L > x]) of the finite losses. A part
with atoms (l, q) beside it makes it Σ q S(x − l).

**Laplace.** With u = s − ½ and ε₀ = 1/b, H = e^{−ε₀/2} [(u+½) e^{uε₀} + (u−½) e^{−uε₀}] / 2u. A product of N of them is
a sum over how often, J times in all, the second term is taken; each summand is an integral over (u+½)^A (u−½)^B u^{−N}
e^{uy}, y its exponent less x: the sum of its residues where y > 0, and nothing where y < 0. The terms cancel to a large
part, so the digits are as many as the ball that comes out needs.

**Randomized response**, n times: binomial probabilities by their ratios, from the threshold on to where they end.
"""

from __future__ import annotations

import itertools
import math

from flint import arb, arb_poly

from .contour import set_digits


def as_faces(triple, epsilon, infinite=0):
    """δ, α, β from the triple at ε."""
    d, q, p = triple
    return d + infinite, p / arb(epsilon).exp(), 1 - infinite - q


# Laplace


class LaplaceProduct:
    """Laplace mechanisms (b, n), all together."""

    def __init__(self, parts, digits):
        set_digits(digits)
        self.size = sum(n for _, n in parts)
        tops = [1 / arb(b) for b, _ in parts]
        norm = arb(2) ** (-self.size)
        for top, (_, n) in zip(tops, parts, strict=True):
            norm *= (-n * top / 2).exp()
        self.terms = []
        for js in itertools.product(*(range(n + 1) for _, n in parts)):
            many, shift = norm, arb(0)
            for j, top, (_, n) in zip(js, tops, parts, strict=True):
                many *= math.comb(n, j)
                shift += (n - 2 * j) * top
            self.terms.append((sum(js), shift, many))
        self.known = {}

    def residue_at_zero(self, a, b):
        """The polynomial in y that is the residue of (u+½)^a (u−½)^b u^{−N} e^{uy} at 0."""
        if (a, b) not in self.known:
            n, half = self.size, arb(1) / 2
            series = arb_poly([1])
            for power, root in ((a, half), (b, -half)):
                if power >= 0:
                    series *= arb_poly([root, 1]) ** power
                else:
                    series *= arb_poly([(-1) ** k / root ** (k + 1) for k in range(n)])
            coefficients = list(series)[:n]
            coefficients += [arb(0)] * (n - len(coefficients))
            self.known[a, b] = arb_poly([coefficients[n - 1 - m] / math.factorial(m) for m in range(n)])
        return self.known[a, b]

    def __call__(self, x):
        x, n = arb(x), self.size
        total = [arb(0)] * 3
        for j, shift, many in self.terms:
            y = shift - x
            if not y > 0:
                continue
            for i, (less, fewer) in enumerate(((1, 1), (0, 1), (1, 0))):
                a, b = n - j - less, j - fewer
                value = self.residue_at_zero(a, b)(y)
                if b == -1:
                    value += arb(2) ** n * (y / 2).exp()
                if a == -1:
                    value += (-1) ** b * arb(-2) ** n * (-y / 2).exp()
                total[i] += many * value
        scale = (x / 2).exp()
        return [t * scale for t in total]


def precise(make, x, digits=60, wanted=1e-16):
    """The triple by make(digits) at x, at as many digits as it takes."""
    while True:
        triple = make(digits)(x)
        if all(float(t.rad()) <= wanted * float(abs(t.mid())) or not abs(t) > arb(10) ** -200 for t in triple) and (
            float(triple[0].rad()) <= wanted * float(abs(triple[0].mid())) or digits > 3000
        ):
            return triple
        digits *= 2


# Closed forms


def gaussian(mu):
    """The triple of a Gaussian of mean difference μ."""

    def normal(t):
        return (-arb(t) / arb(2).sqrt()).erfc() / 2

    def triple(x):
        m, x = arb(mu), arb(x)
        q, p = normal(m / 2 - x / m), x.exp() * normal(-m / 2 - x / m)
        return [q - p, q, p]

    return triple


def one_step(sigma, rate):
    """The triple of one subsampled Gaussian, remove."""

    def normal(t):
        return (-arb(t) / arb(2).sqrt()).erfc() / 2

    def triple(x):
        s, p, x = arb(sigma), arb(rate), arb(x)
        inside = (x.exp() - 1 + p) / p
        if not inside > 0:
            return [1 - x.exp(), arb(1), x.exp()]
        u = s * (inside.log() + 1 / (2 * s * s))
        under_p, shifted = normal(-u), normal(1 / s - u)
        q = (1 - p) * under_p + p * shifted
        # q − e^x under_p, without the part that cancels.
        return [p * (shifted - inside * under_p), q, x.exp() * under_p]

    return triple


def nothing(x):
    """The triple of a mechanism without losses."""
    x = arb(x)
    return [1 - x.exp(), arb(1), x.exp()] if x < 0 else [arb(0)] * 3


def mixture(atoms, base=nothing):
    """The triple of a part with finite losses (l, q) beside another."""

    def triple(x):
        total = [arb(0)] * 3
        for loss, q in atoms:
            for i, t in enumerate(base(arb(x) - loss)):
                total[i] += q * t
        return total

    return triple


# Finite experiments


def response_atoms(epsilon, count=1):
    """Losses and Q-probabilities of randomized responses, few enough to list."""
    e = arb(epsilon)
    q = 1 / (1 + (-e).exp())
    return [((count - 2 * k) * e, math.comb(count, k) * q ** (count - k) * (1 - q) ** k) for k in range(count + 1)]


def experiment(p, q):
    """Finite losses with Q-probabilities, and the Q-probability of an infinite one."""
    finite = [((arb(b) / arb(a)).log(), arb(b)) for a, b in zip(p, q, strict=True) if a > 0 and b > 0]
    return finite, sum((arb(b) for a, b in zip(p, q, strict=True) if a == 0), arb(0))


def product(first, second):
    return [(a + b, p * q) for a, p in first for b, q in second]


def power(atoms, n):
    """All multinomial terms of the n-th power."""
    losses, masses = zip(*atoms, strict=True)
    found = []

    def extend(k, left, loss, mass):
        if k == len(losses) - 1:
            found.append((loss + left * losses[k], mass * masses[k] ** left))
            return
        term = mass
        for j in range(left + 1):
            extend(k + 1, left - j, loss + j * losses[k], term * math.comb(left, j))
            term *= masses[k]

    extend(0, n, arb(0), arb(1))
    return found


def responses(epsilon, n, share=1.0):
    """The triple of n randomized responses, of any number, whose finite losses have the Q-probability shareⁿ."""
    e = arb(epsilon)
    log_q, odds = -(1 + (-e).exp()).log(), (-e).exp()

    def log_choose(k):
        return arb(n + 1).lgamma() - arb(k + 1).lgamma() - arb(n - k + 1).lgamma()

    def triple(x):
        x = arb(x)
        # The loss is (n − 2k) e with k wrong answers: above x for k up to last.
        last = math.floor(float((n - x / e) / 2) + 2)
        last = min(n, last)
        while last >= 0 and not (n - 2 * last) * e > x:
            last -= 1
        if last < 0:
            return [arb(0)] * 3
        typical = int(float(n * odds / (1 + odds)))
        total = [arb(0)] * 3
        for start, up in ((min(last, typical), False), (min(last, typical) + 1, True)):
            if start > last or start < 0:
                continue
            q = (log_choose(start) + n * log_q - start * e + n * arb(share).log()).exp()
            below = (x - (n - 2 * start) * e).exp()  # e^{x − l}
            turn, k, first = (2 * e).exp() if up else (-2 * e).exp(), start, q
            while True:
                p = q * below
                total[0] += q - p
                total[1] += q
                total[2] += p
                if q < first * arb(10) ** -40 or k == (last if up else 0):
                    break
                if up:
                    q, k = q * odds * (n - k) / (k + 1), k + 1
                else:
                    q, k = q * k / (odds * (n - k + 1)), k - 1
                below *= turn
        return total

    return triple
