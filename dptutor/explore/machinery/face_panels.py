"""Ready-made panels for the faces of mechanisms: trade-off functions, Bayes errors, privacy profiles.

They draw every mechanism of an explorer in its color and line style, and have methods for what is often drawn on top.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...palette import DOTTED, GREY, PURPLE
from .panel import Panel
from .shapes import type_one_errors

# How a picture describes the two errors of a test.
ERRORS = {"xlabel": "accused, of 100 not in the data", "ylabel": "missed, of 100 in the data", "hundred": True}
_TILDE = "\u0303"


@dataclass(frozen=True)
class Seen:
    """How a mechanism is drawn."""

    label: str
    color: str
    line: object


@dataclass(frozen=True)
class _Face:
    """How a face is drawn: its symbol, the curve of blind guessing, and the style of its panel."""

    symbol: str
    guessing: tuple
    style: dict


_FACES = {
    "tradeoff": _Face(
        "f",
        ([0, 1], [1, 0]),
        {"title": "Trade-off functions", "xlim": (-0.02, 1.0), "ylim": (-0.02, 1.02), **ERRORS},
    ),
    "bayes_error": _Face(
        "R",
        ([0, 0.5, 1], [0, 0.5, 0]),
        {"title": "Bayes errors", "xlabel": "adversary’s prior π", "ylabel": "Bayes error R(π)",
         "xlim": (0.0, 1.0), "ylim": (0.0, 0.64)},
    ),
    "privacy_profile": _Face(
        "δ",
        ([], []),
        {"title": "Privacy profiles", "xlabel": "ε", "ylabel": "δ(ε)", "xlim": (0.0, 4.0), "ylim": (0.0, 1.0)},
    ),
}  # fmt: skip


class FacePanel(Panel):
    """A panel with one face of every mechanism of its explorer, whose labels may begin with a symbol such as f.

    `moves` is as for a curve.
    """

    def __init__(self, explorer, face: str, *, grid=None, moves=None, symbols=True, **changes):
        if face not in _FACES:
            raise ValueError(f"face must be one of {', '.join(_FACES)}, got {face!r}")
        self.face, self._kind, self.moves, self.symbols = face, _FACES[face], moves, symbols
        self.curves: dict[Callable, Callable] = {}
        super().__init__(explorer, self._background, name=face, **self._kind.style | changes)
        self.grid = self._grid() if grid is None else np.asarray(grid, dtype=float)

    def _background(self, axes):
        if len(self._kind.guessing[0]):
            axes.plot(*self._kind.guessing, color=GREY, linewidth=1, label="blind guessing")

    def _grid(self):
        if self.face == "tradeoff":
            return type_one_errors()
        low, high = self.xlim
        return np.linspace(low, high, 121)

    def draw_faces(self):
        """The curves of all mechanisms."""
        for mechanism, seen in self.explorer.mechanisms.items():
            symbol = self._kind.symbol + _TILDE * len(self.curves)
            values = self._of(mechanism, "{face}_of_{mechanism}", lambda m, **_: self._seen(m))
            label = f"{symbol}: {seen.label}" if self.symbols else seen.label
            self.curves[mechanism] = self.curve(seen.color, label, line=seen.line, moves=self.moves)(values)

    def _seen(self, mechanism):
        """The face over the grid, or no curve if there is no mechanism.

        On a logarithmic axis it ends at the largest loss, without heights more than a panel's height below the panel.
        """
        if mechanism is None:
            return self.grid, np.full(self.grid.shape, np.nan)
        if not self.ylog:
            return _with_corners(self.grid, getattr(mechanism, self.face)(self.grid))
        x = _up_to(mechanism.renyi_divergence(np.inf) * (1 - 1e-12), self.grid)
        values = getattr(mechanism, self.face)(x)
        return x, np.where(values < self.ylim[0] ** 2 / self.ylim[1], np.nan, values)

    def shifted(self, mechanism, shift, label=""):
        """A dotted copy of a mechanism's curve, displaced by `shift`, a function of parameters."""
        curve = self.curves[mechanism]
        again = named(lambda **at: curve(*at.values()), curve, f"shifted_{mechanism.__name__}")
        self.curve(self.explorer.mechanisms[mechanism].color, label, line=DOTTED, shift=shift, ghost=False)(again)

    def reader(self, parameter: str, label="", *, top=1.0):
        """A purple line at a parameter's value on the x axis, up to `top`, and points where it meets the curves."""

        def line(**at):
            x = at[parameter]
            return [x, x], [0, top(x) if callable(top) else top]

        self.curve(PURPLE, label, width=1.2, ghost=False, share=0.2)(
            named(line, (parameter,), f"{self.name}_{parameter}")
        )
        for mechanism, seen in self.explorer.mechanisms.items():
            read = self._of(
                mechanism,
                f"{{face}}_of_{{mechanism}}_at_{parameter}",
                lambda m, **at: (at[parameter], getattr(m, self.face)(at[parameter])),
                parameter,
            )
            self.points(seen.color, size=5)(read)

    def _of(self, mechanism, name, values, *more):
        """The function of a part: `values` of the mechanism, as a function of its parameters and of `more`."""
        own = tuple(inspect.signature(mechanism).parameters)

        def function(**at):
            return values(mechanism(*(at[key] for key in own)), **at)

        return named(function, (*own, *more), name.format(face=self.face, mechanism=mechanism.__name__))


def _with_corners(grid, heights):
    """A curve on a grid, one point of which is moved to each corner between two straight pieces."""
    x, y = np.array(grid, dtype=float), np.array(heights, dtype=float)
    slopes = np.diff(y) / np.diff(x)
    same = np.isclose(slopes[1:], slopes[:-1], rtol=1e-9, atol=1e-11)
    for k in 2 + np.flatnonzero(same[:-3] & ~same[1:-2] & ~same[2:-1] & same[3:]):
        before, after = slopes[k - 1], slopes[k + 1]
        step = (y[k + 1] - y[k] - after * (x[k + 1] - x[k])) / (before - after)
        near = k + (2 * step > x[k + 1] - x[k])
        x[near], y[near] = x[k] + step, y[k] + before * step
    return x, y


def _up_to(end, grid):
    """A grid that ends where the curve falls to 0; points beyond are moved close to that end, where the curve is
    steep."""
    near = end - (grid[-1] - grid[0]) / (2 * grid.size)
    beyond = np.flatnonzero(grid > near)
    if grid[-1] <= end or not beyond[0]:
        return np.minimum(grid, end)
    x, last = np.array(grid), grid[beyond[0] - 1]
    x[beyond] = end - (end - last) * np.append(np.geomspace(0.5, 1e-6, beyond.size)[:-1], 0.0)
    return x


def named(function, arguments, name: str):
    """The function under another name and signature: `arguments` are names, or a function that has these arguments."""

    names = tuple(dict.fromkeys(arguments if isinstance(arguments, tuple) else inspect.signature(arguments).parameters))

    def renamed(*values):
        return function(**dict(zip(names, values, strict=True)))

    kind = inspect.Parameter.POSITIONAL_ONLY
    renamed.__name__ = name
    renamed.__signature__ = inspect.Signature([inspect.Parameter(n, kind) for n in names])  # type: ignore[attr-defined]
    return renamed
