"""What a learner can move: a slider over numbers, or a choice between options.

A parameter is immutable: setting it returns another one. The settings of a slider are the rows of the tables in a
frozen page, so they are few and round; from Python any number of the range can be set.
"""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Real

# Mantissas, times 100, of settings on a scale of factors: round numbers, each at most a tenth above the last.
_DECADE = (*range(100, 200, 10), *range(200, 400, 20), 400, 420, 450, 480, *range(500, 1000, 50))


def decades(low: int, high: int, *digits: float) -> tuple[float, ...]:
    """Stops over powers of ten: `decades(-2, 0, 1, 3)` are 0.01, 0.03, 0.1, 0.3 and 1."""
    stops = (float(f"{digit:g}e{power}") for power in range(low, high) for digit in digits)
    return tuple(int(stop) if low >= 0 else stop for stop in (*stops, float(f"1e{high}")))


_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_LOWERED = {raised: usual for usual, raised in _RAISED.items()}


def power_of_ten(exponent: int) -> str:
    """A power of ten as people write it: 10⁻⁵."""
    return f"10{str(exponent).translate(_RAISED)}"


def following(unit: str) -> str:
    """A unit as it follows a number: 27%, 5 people."""
    return unit if unit in ("", "%") else f" {unit}"


@dataclass(frozen=True)
class Slider:
    """A number between `min` and `max`.

    `step` is the distance between settings; without one, settings are round numbers at most a tenth apart, which suits
    what people compare by factors; `stops` lists all of them. `also` adds settings that a step of the explorer needs.
    `symbol` is shown before the number, `unit` after it. With `percent` the words beside the picture say 27% for 0.27,
    with `power` they say 2·10⁻⁵ for 0.00002; with `play` a button moves the slider from end to end. If all settings are
    whole numbers, no others can be set.

    The symbol may depend on the choice named `by`: `symbols` has one for each of its options. A symbol 1/ε₀ means that
    people know the inverse: for a setting of 0.5 they read ε₀ = 2, and may type that.
    """

    min: float
    max: float
    value: float
    label: str
    symbol: str = ""
    unit: str = ""
    step: float | None = None
    stops: tuple[float, ...] = ()
    percent: bool = False
    power: bool = False
    also: tuple[float, ...] = ()
    play: bool = False
    by: str = ""
    symbols: Mapping[str, str] = field(default_factory=dict)
    inverse: bool = False

    def __post_init__(self):
        if not self.min < self.max:
            raise ValueError(f"min must be smaller than max={self.max!r}, got {self.min!r}")
        if self.stops and (self.stops[0], self.stops[-1]) != (self.min, self.max):
            raise ValueError(f"stops must go from min={self.min!r} to max={self.max!r}, got {self.stops!r}")
        if self.step and abs(math.remainder(self.max - self.min, self.step)) > 1e-9:
            raise ValueError(f"max must be whole steps of {self.step!r} above min={self.min!r}, got {self.max!r}")
        if self.step is None and not self.stops and self.min <= 0:
            raise ValueError(f"min must be positive where no step is given, got {self.min!r}")

    @cached_property
    def values(self) -> tuple[float, ...]:
        """The settings of the slider, in order."""
        if self.stops:
            return self.stops
        if self.step is not None:
            digits = max(0, 3 - math.floor(math.log10(self.step)))
            count = math.floor((self.max - self.min) / self.step + 1e-9)
            kind = int if all(isinstance(x, int) for x in (self.min, self.max, self.step)) else float
            return tuple(kind(round(self.min + k * self.step, digits)) for k in range(count + 1))
        decades = range(math.floor(math.log10(self.min)) - 1, math.ceil(math.log10(self.max)) + 1)
        values = {float(f"{mantissa}e{decade - 2}") for decade in decades for mantissa in _DECADE}
        return tuple(v for v in sorted(values | {*self.also}) if self.min * (1 - 1e-9) <= v <= self.max * (1 + 1e-9))

    @cached_property
    def whole(self) -> bool:
        """Whether all settings are whole numbers."""
        return all(isinstance(setting, int) for setting in self.values)

    def at(self, name: str, value) -> Slider:
        """This slider set to `value`."""
        if isinstance(value, bool) or not isinstance(value, Real):
            raise TypeError(f"{name} must be a number, got {value!r}")
        number = float(value)
        if not self.min <= number <= self.max:
            raise ValueError(f"{name} must be in [{self.min:g}, {self.max:g}], got {value!r}")
        if self.whole and not number.is_integer():
            raise ValueError(f"{name} must be a whole number, got {value!r}")
        return replace(self, value=int(number) if self.whole else number)

    def nearest(self, value: float) -> float:
        """The setting nearest to `value`."""
        return min(self.values, key=lambda setting: abs(setting - value))

    def code(self, value) -> str:
        """The value as a program writes it: 1e-5, not 1e-05."""
        return re.sub("e([+-])0", r"e\1", repr(value))

    def beside(self, option: str) -> Slider:
        """This slider with the symbol for an option of the choice on which that depends."""
        symbol = self.symbols.get(option, "")
        inverse = symbol.startswith("1/")
        return replace(self, symbol=symbol.removeprefix("1/"), inverse=inverse, label="" if inverse else self.label)

    def show(self, value) -> str:
        """The value as words show it."""
        if self.inverse:
            return f"{1 / value:.3g}"
        if self.percent:
            return f"{100 * value:.6g}%"
        if self.power:
            digits, exponent = f"{value:.5e}".split("e")
            raised = power_of_ten(int(exponent))
            return raised if float(digits) == 1 else f"{float(digits):g}·{raised}"
        if isinstance(value, int):
            parted = f"{value:,}" if abs(value) >= 10_000 else f"{value}"  # as for `Number`
            return f"{parted}{following(self.unit)}".replace("-", "−")
        return f"{value:.6g}{following(self.unit)}".replace("-", "−")

    @property
    def title(self) -> str:
        return f"{self.label} {self.symbol}".strip()


@dataclass(frozen=True)
class Choice:
    """One of a few named options; `options` are the words that a learner reads and that `set` takes."""

    options: tuple[str, ...]
    value: str
    label: str

    def __post_init__(self):
        if self.value not in self.options:
            raise ValueError(f"value must be one of {self.options!r}, got {self.value!r}")

    @property
    def values(self) -> tuple[str, ...]:
        return tuple(self.options)

    def at(self, name: str, value) -> Choice:
        """This choice set to `value`."""
        if value not in self.options:
            raise ValueError(f"{name} must be one of {', '.join(map(repr, self.options))}, got {value!r}")
        return replace(self, value=value)

    def nearest(self, value: str) -> str:
        return value

    def code(self, value) -> str:
        """The option as a program writes it: as a number if it is one, or a power of ten, and else as a string."""
        number = re.sub("^10(?=[⁻⁰-⁹¹²³])", "1e", value).translate(_LOWERED)
        try:
            float(number)
        except ValueError:
            return json.dumps(value, ensure_ascii=False)
        return number

    def show(self, value) -> str:
        return value

    @property
    def title(self) -> str:
        return self.label

    @property
    def symbol(self) -> str:
        """The letter at the end of the label, or an empty string."""
        last = self.label.rpartition(" ")[2]
        return last if len(last) == 1 else ""


@dataclass(frozen=True)
class Several(Choice):
    """Some of a few named members; an option is their names, separated by commas, in the order of `members`."""

    members: tuple[str, ...] = ()
    rule: str = ""

    def at(self, name: str, value) -> Choice:
        """This choice set to `value`, which may have the names in any order."""
        asked = value.split(", ") if isinstance(value, str) else [value]
        known = all(member in self.members for member in asked)
        return super().at(name, ", ".join(sorted(asked, key=self.members.index)) if known else value)


def several(members: tuple[str, ...], value: tuple[str, ...], label: str, *, least: int = 2, most: int) -> Several:
    """A choice of `least` to `most` of the members."""
    sets = (chosen for size in range(least, most + 1) for chosen in itertools.combinations(members, size))
    rule = f"Choose from {least} to {most}."
    return Several(tuple(map(", ".join, sets)), ", ".join(value), label, members=tuple(members), rule=rule)


@dataclass(frozen=True)
class Hidden(Choice):
    """A parameter without a control, which a game sets."""

    label: str = ""

    def show(self, value) -> str:
        return value.replace("-", "−")


@dataclass(frozen=True)
class Tally(Hidden):
    """A count out of a total: "3 of 7" in words, 3, 7 in a program."""

    def code(self, value) -> str:
        return value.replace(" of ", ", ")


Parameter = Slider | Choice


def beside(parameter: Parameter, setting: Mapping[str, object]) -> Parameter:
    """The parameter with the symbol that it has at this setting of all parameters."""
    return parameter.beside(str(setting[parameter.by])) if isinstance(parameter, Slider) and parameter.by else parameter
