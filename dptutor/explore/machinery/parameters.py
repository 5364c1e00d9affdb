"""What a learner can move: a slider over numbers, or a choice between options.

A parameter is a value: setting it gives another parameter. The steps of a slider are the settings for which a
frozen page holds a table, so they are few and round; from Python any number of the range will do.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Real

# Round numbers less than a tenth apart, for scales on which a person thinks in factors.
_DECADE = (*range(100, 160, 10), *range(160, 300, 20), 300, 330, 360, 400, *range(450, 1000, 50))


@dataclass(frozen=True)
class Slider:
    """A number between `min` and `max`.

    `step` is the distance of two settings; without one the settings are round numbers less than a tenth apart, which
    suits what people compare by factors. `also` adds settings, for the sake of a step of the explorer. `symbol` stands
    before the number, `unit` after it; with `percent` the words beside the picture say 27 % for 0.27; with `play` a
    button lets the slider run from end to end.
    """

    min: float
    max: float
    value: float
    label: str
    symbol: str = ""
    unit: str = ""
    step: float | None = None
    percent: bool = False
    also: tuple[float, ...] = ()
    play: bool = False

    def __post_init__(self):
        if not self.min < self.max:
            raise ValueError(f"min must be smaller than max={self.max!r}, got {self.min!r}")
        if self.step is None and self.min <= 0:
            raise ValueError(f"min must be positive where no step is given, got {self.min!r}")

    @cached_property
    def values(self) -> tuple[float, ...]:
        """The settings of the slider, in order."""
        if self.step is not None:
            digits = max(0, 3 - math.floor(math.log10(self.step)))
            count = math.floor((self.max - self.min) / self.step + 1e-9)
            kind = int if all(isinstance(x, int) for x in (self.min, self.max, self.step)) else float
            return tuple(kind(round(self.min + k * self.step, digits)) for k in range(count + 1))
        decades = range(math.floor(math.log10(self.min)) - 1, math.ceil(math.log10(self.max)) + 1)
        values = {float(f"{mantissa}e{decade - 2}") for decade in decades for mantissa in _DECADE}
        return tuple(v for v in sorted(values | {*self.also}) if self.min * (1 - 1e-9) <= v <= self.max * (1 + 1e-9))

    def at(self, name: str, value) -> Slider:
        """This slider set to `value`."""
        if isinstance(value, bool) or not isinstance(value, Real):
            raise TypeError(f"{name} must be a number, got {value!r}")
        number = float(value)
        if not self.min <= number <= self.max:
            raise ValueError(f"{name} must be in [{self.min:g}, {self.max:g}], got {value!r}")
        whole = isinstance(self.values[0], int) and number.is_integer()
        return replace(self, value=int(number) if whole else number)

    def nearest(self, value: float) -> float:
        """The setting nearest to `value`."""
        return min(self.values, key=lambda setting: abs(setting - value))

    def code(self, value) -> str:
        """The value as a program has it."""
        return repr(value)

    def show(self, value) -> str:
        """The value as words say it."""
        if self.percent:
            return f"{100 * value:.6g} %"
        return f"{value:.6g}{self.unit and ' ' + self.unit}"

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
        return repr(value)

    def show(self, value) -> str:
        return value

    @property
    def title(self) -> str:
        return self.label


@dataclass(frozen=True)
class Hidden(Choice):
    """A parameter without a control, which a game moves."""

    label: str = ""

    def show(self, value) -> str:
        return value.replace("-", "−")


@dataclass(frozen=True)
class Tally(Hidden):
    """So many of so many: "3 of 7" in words, 3, 7 in a program."""

    def code(self, value) -> str:
        return value.replace(" of ", ", ")


Parameter = Slider | Choice
