"""Ready panels over the faces of mechanisms: trade-off functions, Bayes errors, privacy profiles.

They draw every mechanism of an explorer in its color and line style, and offer what is often drawn over them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...palette import DOTTED, GREY, PURPLE
from .panel import Panel
from .shapes import type_one_errors

# How the two errors of a test are told in a picture.
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
    """How a face is drawn: its symbol, what blind guessing gives, and the panel around it."""

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
    """A panel with one face of every mechanism of its explorer, called by symbols or by its label alone.

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
        """The face over the grid; on a logarithmic axis up to the largest loss, and not a height below the panel.

        Where there is no mechanism there is no curve.
        """
        if mechanism is None:
            return self.grid, np.full(self.grid.shape, np.nan)
        if not self.ylog:
            return _with_corners(self.grid, getattr(mechanism, self.face)(self.grid))
        x = _up_to(mechanism.renyi_divergence(np.inf) * (1 - 1e-12), self.grid)
        values = getattr(mechanism, self.face)(x)
        return x, np.where(values < self.ylim[0] ** 2 / self.ylim[1], np.nan, values)

    def shifted(self, mechanism, shift, label=""):
        """The curve of a mechanism once more, dotted, displaced by the function `shift` of the parameters."""
        curve = self.curves[mechanism]
        again = named(lambda **at: curve(*at.values()), curve, f"shifted_{mechanism.__name__}")
        self.curve(self.explorer.mechanisms[mechanism].color, label, line=DOTTED, shift=shift, ghost=False)(again)

    def reader(self, parameter: str, label="", *, top=1.0):
        """A purple line at a parameter's place on the x axis, up to `top`, and its points on the curves."""

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
        """A part's function of the parameters of a mechanism, and `more`, from one of the mechanism."""
        own = tuple(inspect.signature(mechanism).parameters)

        def function(**at):
            return values(mechanism(*(at[key] for key in own)), **at)

        return named(function, (*own, *more), name.format(face=self.face, mechanism=mechanism.__name__))


def _with_corners(grid, heights):
    """A curve on a grid, of which a point is moved to each corner between two straight pieces."""
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
    """A grid that ends where the curve falls to 0: what lay beyond crowds before the end, where the fall is steep."""
    near = end - (grid[-1] - grid[0]) / (2 * grid.size)
    beyond = np.flatnonzero(grid > near)
    if grid[-1] <= end or not beyond[0]:
        return np.minimum(grid, end)
    x, last = np.array(grid), grid[beyond[0] - 1]
    x[beyond] = end - (end - last) * np.append(np.geomspace(0.5, 1e-6, beyond.size)[:-1], 0.0)
    return x


def named(function, arguments, name: str):
    """A function of its own with a name and the arguments given, by name or as those of another function."""

    names = tuple(dict.fromkeys(arguments if isinstance(arguments, tuple) else inspect.signature(arguments).parameters))

    def renamed(*values):
        return function(**dict(zip(names, values, strict=True)))

    kind = inspect.Parameter.POSITIONAL_ONLY
    renamed.__name__ = name
    renamed.__signature__ = inspect.Signature([inspect.Parameter(n, kind) for n in names])  # type: ignore[attr-defined]
    return renamed
