"""One step with two finite losses, to fifty digits: composed a billion times, it loses digits by the square root.

Outcomes 0 and 1 have probabilities p₀, p₁ under P and q₀, q₁ under Q; the rest of P is at loss −∞, the rest of Q at
+∞. In n steps the number of ones is binomial under both hypotheses, given that no loss was infinite, and the loss
is a line in it:

    L = n log(q₀/p₀) + K g,    g = log(q₁p₀ / q₀p₁) > 0.

The results are rounded to sums of two floats.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from functools import wraps
from typing import Any, ParamSpec, TypeVar

# Probabilities may be far less than 10^−999999, where the usual range of exponents ends.
_FIFTY_DIGITS = Context(prec=50, Emin=MIN_EMIN, Emax=MAX_EMAX)

_R = TypeVar("_R")
_P = ParamSpec("_P")


def with_fifty_digits(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """The function, in which sums of decimal numbers have fifty digits."""

    @wraps(function)
    def exactly(*arguments: _P.args, **named: _P.kwargs) -> _R:
        with localcontext(_FIFTY_DIGITS):
            return function(*arguments, **named)

    return exactly


@dataclass(frozen=True)
class TwoLosses:
    """Probabilities of two outcomes under P and Q, the one with the larger loss last, and of infinite losses."""

    p: tuple[Decimal, Decimal]
    q: tuple[Decimal, Decimal]
    p_infinite: Decimal = Decimal(0)
    q_infinite: Decimal = Decimal(0)

    @classmethod
    @with_fifty_digits
    def from_masses(
        cls, p: Any, q: Any, p_infinite: float | Decimal = 0.0, q_infinite: float | Decimal = 0.0
    ) -> TwoLosses:
        """The step with these two probabilities under P and Q, which sum to one up to rounding."""
        p, q = tuple(map(Decimal, p)), tuple(map(Decimal, q))
        p_infinite, q_infinite = Decimal(p_infinite), Decimal(q_infinite)
        p_sum, q_sum = sum(p) + p_infinite, sum(q) + q_infinite
        return cls((p[0] / p_sum, p[1] / p_sum), (q[0] / q_sum, q[1] / q_sum), p_infinite / p_sum, q_infinite / q_sum)

    @classmethod
    @with_fifty_digits
    def from_larger_masses(cls, loss: Any, mass: Any, p_infinite: float, q_infinite: float) -> TwoLosses:
        """The step with two losses, given the probability of each under P if it is negative, else under Q."""
        weight = [Decimal(-abs(value)).exp() * Decimal(m) for value, m in zip(loss, mass, strict=True)]
        p = [Decimal(m) if value < 0 else w for value, m, w in zip(loss, mass, weight, strict=True)]
        q = [w if value < 0 else Decimal(m) for value, m, w in zip(loss, mass, weight, strict=True)]
        return cls.from_masses(p, q, p_infinite, q_infinite)

    @classmethod
    @with_fifty_digits
    def response(cls, epsilon: float, leak: float = 0.0) -> TwoLosses:
        """Leaky randomized response: losses ±ε, and infinite ones with probability `leak`."""
        lie = (1 - Decimal(leak)) / (1 + Decimal(epsilon).exp())
        truth = 1 - Decimal(leak) - lie
        return cls((truth, lie), (lie, truth), Decimal(leak), Decimal(leak))

    @property
    def reverse(self) -> TwoLosses:
        """The step with the hypotheses exchanged."""
        return TwoLosses(self.q[::-1], self.p[::-1], self.q_infinite, self.p_infinite)

    @property
    @with_fifty_digits
    def losses(self) -> tuple[Decimal, Decimal]:
        """log(q/p) of both outcomes."""
        return (self.q[0] / self.p[0]).ln(), (self.q[1] / self.p[1]).ln()

    @property
    @with_fifty_digits
    def gap(self) -> Decimal:
        """g, the difference of the two losses, accurate even if it is tiny."""
        return (self.q[1] * self.p[0] / (self.q[0] * self.p[1])).ln()


@with_fifty_digits
def shares(masses: tuple[Decimal, Decimal]) -> tuple[tuple[float, float], tuple[float, float]]:
    """The probabilities of outcomes 1 and 0, given one of them, as sums of two floats each."""
    total = masses[0] + masses[1]
    return two_floats(masses[1] / total), two_floats(masses[0] / total)


@with_fifty_digits
def two_floats(value: Decimal) -> tuple[float, float]:
    """`value` as the sum of two floats: the nearest one, and the one nearest to the remainder."""
    high = float(value)
    return high, float(value - Decimal(high))


@with_fifty_digits
def times(value: Decimal, count: int) -> tuple[float, float]:
    """`count` times the value."""
    return two_floats(count * value)


@with_fifty_digits
def log_rest(mass: Decimal, count: int) -> float:
    """`count` times log(1 − mass)."""
    return float(count * (1 - mass).ln())


@with_fifty_digits
def log_ratio_of_rests(mass: Decimal, other: Decimal, count: int) -> tuple[float, float]:
    """`count` times log((1 − mass)/(1 − other))."""
    return two_floats(count * ((1 - mass) / (1 - other)).ln())
