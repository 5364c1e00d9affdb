"""Numbers as people type them, 0.25, .25, 0,25, 1/4, 25%, 3 000, 1e-5, 10⁻⁵, 2.5·10^-3, −0.3, exp(-1), and read them.

    sum      = product (± product)*              power    = atom %* (^ exponent)? %*
    product  = signed (· or / signed)*           exponent = ± exponent | atom (^ exponent)?
    signed   = ± signed | power                  atom     = number | constant | function atom | ( sum )

Before a function no · is needed: 2 ln 2. Numbers, constants, functions and refusals are described once, in
`explore/machinery/numerals.js`, which reads numbers in pages; tests/numerals.yaml is the table of cases for both.
"""

from __future__ import annotations

import json
import re
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

__all__ = ["Unreadable", "read", "shown"]

_POWER = ("^", "**")
_CONSTANTS = {"E": np.e, "PI": np.pi}  # by their names in JavaScript
_WHOLE = re.compile(r"[0-9]+")
# Whole numbers are shown as such up to this many digits.
_LONGEST_WHOLE = 15
# Separates thousands.
_THIN = "\u202f"
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class Unreadable(ValueError):
    """Why a text is not read as a number, in words; `reason` is the name of the refusal in the grammar."""

    def __init__(self, reason: str) -> None:
        super().__init__(_grammar()["refusals"][reason])
        self.reason = reason


def read(text: str, *, counts: bool = False) -> float:
    """The finite number that a text shows.

    Parameters
    ----------
    text : str
    counts : bool
        Whether a count is asked for, in which a comma always parts thousands.

    Raises
    ------
    Unreadable

    Examples
    --------
    >>> from dptutor.exercises.judging.numerals import read
    >>> read("25%"), read("2.5·10⁻³"), read("60,000"), read("(1 + 1)/4")
    (0.25, 0.0025, 60000.0, 0.5)
    >>> read("much")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    dptutor.exercises.judging.numerals.Unreadable: I cannot read this as a number...
    """
    typed = _normal(text)
    if not typed:
        raise Unreadable("empty")
    with np.errstate(all="ignore"):
        value = float(_Work(_powers_of_ten(_tokens(typed, counts))).value)
    if np.isnan(value):
        raise Unreadable("undefined")
    if np.isinf(value):
        raise Unreadable("infinite")
    return value


def shown(number: float, digits: int = 6) -> str:
    """A number as a reader would write it, rounded to `digits` digits, or to a whole number if that has more.

    Parameters
    ----------
    number : float
        A finite number.
    digits : int

    Examples
    --------
    >>> from dptutor.exercises.judging.numerals import shown
    >>> shown(0.1 + 0.2), shown(-2 / 3), shown(3.16712e-5), shown(1e-5), shown(9321.0)
    ('0.3', '−0.666667', '3.16712·10⁻⁵', '10⁻⁵', '9321')
    >>> shown(3e6).split()
    ['3', '000', '000']
    """
    exact = Decimal(float(number))
    if not exact:
        return "0"
    whole = digits <= exact.adjusted() < _LONGEST_WHOLE
    places = exact.adjusted() + 1 if whole else digits
    rounded = Context(prec=places, rounding=ROUND_HALF_UP).create_decimal(abs(exact))
    power = rounded.adjusted()
    sign = "−" if number < 0 else ""
    if -4 <= power < _LONGEST_WHOLE:
        digits_before, _, after = f"{rounded:f}".partition(".")
        parted = f"{int(digits_before):,}".replace(",", _THIN) if len(digits_before) > 4 else digits_before
        return f"{sign}{parted}.{after}".rstrip("0").rstrip(".") if after else f"{sign}{parted}"
    factor = f"{rounded.scaleb(-power):f}".rstrip("0").rstrip(".")
    raised = str(power).translate(_RAISED)
    return f"{sign}10{raised}" if factor == "1" else f"{sign}{factor}·10{raised}"


@cache
def _grammar() -> dict[str, Any]:
    script = files("dptutor").joinpath("explore/machinery/numerals.js").read_text(encoding="utf-8")
    return json.JSONDecoder().raw_decode(script, script.index("{", script.index("const GRAMMAR = ")))[0]


@cache
def _same() -> dict[str, str]:
    spaces = dict.fromkeys(_grammar()["spaces"], " ")
    unseen = dict.fromkeys(_grammar()["unseen"], "")
    return spaces | unseen | {one: plain for plain, others in _grammar()["same"].items() for one in others}


@cache
def _forms() -> list[tuple[Any, ...]]:
    return [(re.compile(f"(?:{form})" + _grammar()["exponent"]), *more) for form, *more in _grammar()["forms"]]


@cache
def _sign() -> re.Pattern[str]:
    return re.compile(_grammar()["sign"])


def _normal(text: str) -> str:
    """The text in the characters of the grammar: uniform spaces, superscripts as powers, no leading "≈" or "α ="."""
    raised, same = _grammar()["raised"], _same()
    seen = "".join(one for one in text if same.get(one) != "")
    powers = re.sub(f"[{''.join(raised)}]+", lambda found: f"^({''.join(raised[one] for one in found[0])})", seen)
    typed = "".join(same.get(one, one) for one in powers)
    if len(typed) > _grammar()["longest"]:
        raise Unreadable("unreadable")
    return re.sub(f"^{_grammar()['ahead']}", "", typed.strip(" "))


class _Digits(str):
    """A number, ready to be read by a program."""


def _tokens(typed: str, counts: bool) -> list[str]:
    found: list[str] = []
    place = 0
    while place < len(typed):
        if typed[place] == " ":
            place += 1
            continue
        for form, parting, point, *refusal in _forms():
            if match := form.match(typed, place):
                if refusal and not counts:
                    raise Unreadable(refusal[0])
                digits = "".join(one for one in match[0] if one not in parting)
                found.append(_Digits(digits.replace(point, ".") if point else digits))
                break
        else:
            match = _sign().match(typed, place)
            if not match:
                raise Unreadable("unreadable")
            found.append(match[0])
        place = match.end()
    return found


def _powers_of_ten(found: list[str]) -> list[str]:
    """2.5·10^-3 as the float 2.5e-3; multiplying would round once more."""
    made: list[str] = []
    place = 0
    while place < len(found):
        token, power = found[place], None
        if isinstance(token, _Digits) and token == "10" and not (made and made[-1] in _POWER):
            power = _exponent_at(found, place + 1)
        if power is None:
            made.append(token)
            place += 1
            continue
        exponent, place = power
        whole = len(made) > 1 and made[-1] == "*" and isinstance(made[-2], _Digits) and "e" not in made[-2]
        factor = "1"
        if whole and (len(made) == 2 or made[-3] in ("+", "-", "(")):
            factor = made[-2]
            del made[-2:]
        made.append(_Digits(f"{factor}e{exponent}"))
    return made


def _exponent_at(found: list[str], place: int) -> tuple[str, int] | None:
    """The exponent after a ten, if it is a whole number and not raised again: ^3, **-3, ^(-3)."""
    rest = [*found[place : place + 5], *[""] * 5]
    if rest.pop(0) not in _POWER:
        return None
    read = 1
    if inside := rest[0] == "(":
        rest.pop(0)
        read += 1
    sign = rest.pop(0) if rest[0] in ("-", "+") else ""
    digits = rest.pop(0)
    read += len(sign) + 1
    if not (isinstance(digits, _Digits) and _WHOLE.fullmatch(digits)):
        return None
    if inside:
        if rest.pop(0) != ")":
            return None
        read += 1
    after = found[place + read] if place + read < len(found) else ""
    return None if after in _POWER else (sign + digits, place + read)


class _Work:
    """Evaluates tokens by the grammar at the top of this file, with numpy's numbers, so that 1/0 is infinite."""

    def __init__(self, tokens: list[str]) -> None:
        self._queue = tokens[::-1]
        self.value = self._sum()
        if self._queue:
            raise Unreadable("unreadable")

    def _take(self, *signs: str) -> str | None:
        queue = self._queue
        return queue.pop() if queue and queue[-1] in signs and not isinstance(queue[-1], _Digits) else None

    def _function_next(self) -> bool:
        return bool(self._queue) and self._queue[-1] in _grammar()["functions"]

    def _sum(self) -> Any:
        value = self._product()
        while sign := self._take("+", "-"):
            value = value + self._product() if sign == "+" else value - self._product()
        return value

    def _product(self) -> Any:
        value = self._signed()
        while (sign := self._take("*", "/")) or self._function_next():
            value = value / self._signed() if sign == "/" else value * self._signed()
        return value

    def _signed(self) -> Any:
        sign = self._take("+", "-")
        if sign:
            return -self._signed() if sign == "-" else self._signed()
        return self._power()

    def _power(self) -> Any:
        value = self._shares(self._atom())
        if self._take(*_POWER):
            value = _raised(value, self._exponent())
        return self._shares(value)

    def _exponent(self) -> Any:
        sign = self._take("+", "-")
        if sign:
            return -self._exponent() if sign == "-" else self._exponent()
        value = self._atom()
        return _raised(value, self._exponent()) if self._take(*_POWER) else value

    def _shares(self, value: Any) -> Any:
        shares = _grammar()["shares"]
        while sign := self._take(*shares):
            value = value / shares[sign]
        return value

    def _atom(self) -> Any:
        if not self._queue:
            raise Unreadable("unreadable")
        token = self._queue.pop()
        if isinstance(token, _Digits):
            return np.float64(token)
        if token == "(":
            value = self._sum()
            if not self._take(")"):
                raise Unreadable("unreadable")
            return value
        if token in _grammar()["constants"]:
            return np.float64(_CONSTANTS[_grammar()["constants"][token]])
        if token in _grammar()["quotients"]:
            above, below = _grammar()["quotients"][token]
            return np.float64(above) / np.float64(below)
        if token in _grammar()["functions"]:
            return getattr(np, _grammar()["functions"][token])(self._atom())
        raise Unreadable("unreadable")


def _raised(base: Any, exponent: Any) -> Any:
    """A power; NaN for 1 raised to infinity or to NaN, as in a browser."""
    if np.isnan(exponent) or (abs(base) == 1 and np.isinf(exponent)):
        return np.float64(np.nan)
    return base**exponent
