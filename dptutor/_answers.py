"""Checks of answers, made once at the boundary of a mechanism: what no pair of distributions has does not leave it.

Whatever asks for a face asks a method of the mechanism. Every one of these methods, of every mechanism, is wrapped here
as its class is made, so that none can be forgotten. An answer outside its range by no more than its own bound is moved
to the end of the range, which brings it nearer to the right one; any other is a fault, and raises.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property, wraps
from typing import Any

import numpy as np

from ._validation import shortened


class NumericalError(ArithmeticError):
    """Raised in place of an answer that cannot be right: NaN, a probability outside [0, 1], a negative bound.

    It is a fault of the library, not of the call; the message names the mechanism.

    Examples
    --------
    >>> import dptutor as dp
    >>> class Broken(dp.Gaussian):
    ...     def _delta(self, epsilon):
    ...         return super()._delta(epsilon) - 0.5
    >>> try:
    ...     Broken(sigma=1).privacy_profile(1.0)
    ... except dp.NumericalError as problem:
    ...     print(problem)
    δ of Broken(sigma=1.0, sensitivity=1.0) comes out as -0.373 at 1.0, outside [0, 1]: dptutor cannot compute it
    """


@dataclass(frozen=True)
class _Face:
    """What a method answers, the range of each part of the answer, and the method for the bound of it."""

    name: str
    ranges: tuple[tuple[float, float], ...]
    bound: str | None = None


_PROBABILITY, _AT_LEAST_0, _NUMBER = (0.0, 1.0), (0.0, math.inf), (-math.inf, math.inf)
_FACES = {
    "_errors": _Face("a type I or II error", (_PROBABILITY, _PROBABILITY), "error_bound"),
    "_delta": _Face("δ", (_PROBABILITY,), "_delta_error"),
    "_tradeoff": _Face("f", (_PROBABILITY,), "_tradeoff_error"),
    "_bayes_error": _Face("R", ((0.0, 0.5),), "_bayes_error_error"),
    "_epsilon": _Face("ε", (_AT_LEAST_0,)),
    # These have no bound that could tell rounding from a fault: numbers, but any.
    "_renyi": _Face("the Rényi divergence", (_NUMBER,)),
    "_hellinger": _Face("H, or a bound on its error,", (_NUMBER, _AT_LEAST_0)),
    "_loss_moments": _Face("the mean or variance of the loss", (_NUMBER, _NUMBER)),
    "_loss_range": _Face("the range of the loss", (_NUMBER, _NUMBER)),
    "_delta_quickly": _Face("δ, or a bound on its error,", (_PROBABILITY, _AT_LEAST_0), "_delta_error"),
    "_delta_at_most": _Face("an upper bound on δ", (_AT_LEAST_0,)),
    "_delta_error": _Face("a bound on the error of δ", (_AT_LEAST_0,)),
    "_tradeoff_error": _Face("a bound on the error of f", (_AT_LEAST_0,)),
    "_bayes_error_error": _Face("a bound on the error of R", (_AT_LEAST_0,)),
    "_epsilon_error": _Face("a bound on the error of ε", (_AT_LEAST_0,)),
    "error_bound": _Face("a bound on all errors", (_AT_LEAST_0,)),
    "_bayes_error_bound": _Face("a bound on the error of R", (_AT_LEAST_0,)),
}
# Whether a bound is being asked for: it may ask for the answer again.
_asking: ContextVar[bool] = ContextVar("asking", default=False)


class Bounded:
    """A class whose faces, and those of its subclasses, answer within their ranges or not at all."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for name in _FACES.keys() & vars(cls).keys():
            own: Any = vars(cls)[name]
            if isinstance(own, cached_property):
                own.func = _within_range(own.func, _FACES[name])
            elif isinstance(own, property):
                setattr(cls, name, own.getter(_within_range(own.fget, _FACES[name])))
            else:
                setattr(cls, name, _within_range(own, _FACES[name]))


def _within_range(method: Any, face: _Face) -> Callable[..., Any]:
    ends = face.ranges

    @wraps(method)
    def asked(mechanism: Any, *places: Any) -> Any:
        if not places or isinstance(places[0], str) or any(map(np.ndim, places)):
            return method(mechanism, *places)
        # As an array of one, as some functions of numpy round numbers otherwise than they round arrays.
        found = method(mechanism, *(np.reshape(place, 1) for place in places))
        if found is None:
            return None
        return tuple(np.ravel(part)[0] for part in found) if len(ends) > 1 else np.ravel(found)[0]

    @wraps(method)
    def answer(mechanism: Any, *places: Any) -> Any:
        found = asked(mechanism, *places)
        if found is None:  # there is no quick answer
            return None
        if len(ends) == 1:
            return found if _fits(found, *ends[0]) else _moved(mechanism, face, places, found, ends[0])
        if all(map(_fits, found, *zip(*ends, strict=True))):
            return found
        return tuple(_moved(mechanism, face, places, *each) for each in zip(found, ends, strict=True))

    return answer


def _inside(part: Any, low: float, high: float) -> Any:
    """Where an answer is in its range, which NaN is not, nor a complex number with a NaN."""
    above = np.greater_equal(part, low)
    return above & np.less_equal(part, high) if high < math.inf else above


def _fits(part: Any, low: float, high: float) -> bool:
    """Whether all of an answer is in its range; quick, as it is asked of every answer."""
    if isinstance(part, float):
        return low <= part <= high
    inside = _inside(part, low, high)
    return bool(np.count_nonzero(inside) == inside.size)


def _moved(mechanism: Any, face: _Face, places: tuple[Any, ...], part: Any, ends: tuple[float, float]) -> Any:
    """The answer at the end of its range where it is outside by no more than its bound."""
    found: Any = np.asarray(part)
    bound: Any = math.inf if _asking.get() else 0.0
    if face.bound is not None and not _asking.get():
        before = _asking.set(True)
        try:
            bound = getattr(mechanism, face.bound)
            bound = bound(*places) if callable(bound) else bound
        finally:
            _asking.reset(before)
    within: Any = np.clip(found, *ends)
    right = np.abs(found - within) <= bound
    right |= _inside(found, *ends)  # ∞ less ∞ is no number
    if not right.all():
        wrong = np.broadcast_to(~right, found.shape)
        at = "".join(f" at {np.asarray(place)[wrong][0]}" for place in places[:1] if np.shape(place) == found.shape)
        value = found[wrong].flat[0]
        raise NumericalError(
            f"{face.name} of {shortened(repr(mechanism), 120)} comes out as {value:.3g}{at}, outside "
            f"[{ends[0]:g}, {ends[1]:g}]: dptutor cannot compute it"
        )
    return within
