"""A panel of an explorer's picture: a background drawn once, and the moving parts in it.

Every part is a pure function whose arguments name the parameters that it depends on.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from ...palette import INK, SOLID
from .game import Stage
from .parameters import Slider
from .samples import Samples, quantile_table
from .tables import PathEncoder, ShiftEncoder, Table, TextEncoder

# The usual width and the common height of panels, in points.
PANEL_WIDTH, PANEL_HEIGHT = 360.0, 320.0
# Margins left, right, below and above the axes, for their numbers, labels and title.
_MARGINS = 50.0, 14.0, 44.0, 30.0


@dataclass
class Part:
    """A moving part of a panel: its path consists of `pieces`, joined in order and displaced by `shift`."""

    name: str
    kind: str
    panel: Panel
    pieces: tuple[Table, ...]
    shift: Table | None
    color: str
    label: str
    style: dict
    place: int  # in the order of declaration; later parts are drawn on top
    moves: tuple[str, ...] | None = None

    @property
    def handles(self) -> tuple[str, ...]:
        """The sliders that move when the part is dragged: those declared; by default, for a line or points, the last
        slider that they depend on."""
        if self.moves is not None:
            return self.moves
        parameters = self.panel.explorer.parameters
        dims = {name for table in self.pieces for name in table.dims if isinstance(parameters[name], Slider)}
        # Moving a slider ends a game, so nothing moves by accident there.
        movable = self.kind in ("curve", "points") and not self.panel.explorer.rounds
        return tuple(name for name in parameters if name in dims)[-1:] if movable else ()

    def outlined(self, points: np.ndarray, zero: float, upward: bool) -> np.ndarray:
        """The points; if the part fills the area between a curve and zero, the outline of that."""
        if "above" not in self.style:
            return points
        seen = points[np.isfinite(points).all(axis=1)]  # empty if the curve has nothing to show
        if not len(seen):
            return points
        bound = np.maximum if self.style["above"] == upward else np.minimum
        x, y = seen.T
        return np.column_stack([[x[0], *x, x[-1]], [zero, *bound(y, zero), zero]])

    @property
    def zero(self) -> float:
        """The height of zero in the picture."""
        return float(self.panel.pixels(self.panel.xlim[0], 0)[0, 1])

    @property
    def tables(self) -> tuple[Table, ...]:
        return (*self.pieces, self.shift) if self.shift else self.pieces


class Panel:
    """A pair of axes: a background drawn once, and moving parts, declared by the decorators below.

    An axis may be logarithmic. With `ystretch`, heights are drawn as asinh(y / ystretch), which shows small ones beside
    large ones of either sign. With `hundred`, 0.2 is written 20, of a hundred people. Panels are side by side, each
    `width` points wide.
    """

    def __init__(
        self, explorer, background, *, name, title, xlabel, ylabel, xlim, ylim, xlog=False, ylog=False,
        ystretch=0.0, width=PANEL_WIDTH, margins=None, titled=True, hundred=False,
    ):  # fmt: skip
        self.explorer, self.background, self.name = explorer, background, name
        self.title, self.xlabel, self.ylabel = title, xlabel, ylabel
        self.xlim, self.ylim, self.xlog, self.ylog, self.ystretch = xlim, ylim, xlog, ylog, ystretch
        self.width, self.titled, self.hundred = float(width), titled, hundred
        left, right, below, above = _MARGINS
        # Powers of ten are wider than other numbers.
        self.margins = margins or (left + 8.0 * ylog, right, below, above if titled else 12.0)
        self.number, self.start = len(explorer.panels), sum(panel.width for panel in explorer.panels)

    # Positions in the picture, in points from its top left corner, where matplotlib draws them.

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Left, top, width and height of the axes."""
        left, right, below, above = self.margins
        return self.start + left, above, self.width - left - right, PANEL_HEIGHT - above - below

    @property
    def reach(self) -> tuple[np.ndarray, np.ndarray]:
        """Origin and size of the area that tables can represent: the axes and twice their size on every side."""
        left, top, width, height = self.box
        return np.array([left - 2 * width, top - 2 * height]), 5 * np.array([width, height])

    @property
    def pixels_per_unit(self) -> np.ndarray:
        if self.xlog or self.ylog or self.ystretch:
            raise TypeError(f"a part of {self.name} cannot be shifted: its axes are not linear")
        _, _, width, height = self.box
        return np.array([width / (self.xlim[1] - self.xlim[0]), -height / (self.ylim[1] - self.ylim[0])])

    def pixels(self, x, y) -> np.ndarray:
        left, top, width, height = self.box
        across, up = _fraction(x, self.xlim, self.xlog), _fraction(y, self.ylim, self.ylog, self.ystretch)
        return np.column_stack([left + width * across, top + height * (1 - up)])

    # Decorators. They return the function unchanged, so that a part can call that of another. `moves` names the one or
    # two sliders that move when the part is dragged, or "" for none.

    def curve(self, color, label="", *, line=SOLID, width=2.0, shift=None, ghost=True, moves=None,
              share=None):  # fmt: skip
        """A line through the points `x, y`. `shift` is a function that returns a displacement `dx, dy` of the line.

        A line of two points has its grip at the fraction `share` of its length.
        """

        def declare(function):
            self._add("curve", function.__name__, [function], _points, color, label, shift,
                      moves, linestyle=line, linewidth=width, ghost=ghost, share=share)  # fmt: skip
            return function

        return declare

    def region(self, color, label="", *, opacity=0.25, moves=None):
        """The area between two curves: `x, low, high`."""

        def declare(function):
            self._add("region", function.__name__, [function], _between, color, label, None, moves, opacity=opacity)
            return function

        return declare

    def filled(self, color, curve, *, above, opacity=0.25):
        """The area between zero and `curve`, the function of a part, where that is above zero, or else where below.

        It needs no table besides that of the curve.
        """
        area = functools.wraps(curve)(lambda *setting: curve(*setting))
        area.__name__ = f"{curve.__name__}_{'above' if above else 'below'}"
        self._add("region", area.__name__, [curve], _points, color, "", None, "", opacity=opacity, above=above)
        return area

    def points(self, color, label="", *, marker="o", size=8.0, hollow=False, opacity=1.0, moves=None):
        """Points `x, y`; those that are NaN are not shown."""
        face = "none" if hollow else color

        def declare(function):
            self._add("points", function.__name__, [function], _points, color, label, None, moves,
                      linestyle="none", marker=marker, markersize=size, markerfacecolor=face, alpha=opacity,
                      markeredgewidth=1.0 if hollow else 0.0)  # fmt: skip
            return function

        return declare

    def ruler(self, color, label="", *, words="", offset=(0, 8), width=2.5, cap=9.0):
        """A ruler from `x, low` to `x, high`, with `words` above its upper end, or below the lower if offset < 0."""

        def declare(function):
            self._add("ruler", function.__name__, [function], _upright, color, label, None, None, linestyle=SOLID,
                      linewidth=width, marker="_", markersize=cap)  # fmt: skip
            if words:

                @functools.wraps(function)
                def beside(*setting):
                    x, low, high = function(*setting)
                    return x, low if offset[1] < 0 else high, words

                self._write(f"{function.__name__}_words", beside, color, offset, "center")
            return function

        return declare

    def text(self, color=INK, *, offset=(6, 4), align="left"):
        """Words beside a point: `x, y, words`, where `{name}` stands for what a readout or parameter shows."""

        def declare(function):
            self._write(function.__name__, function, color, offset, align)
            return function

        return declare

    def rounds(self, *, right, wrong, size=10.0):
        """Shows past rounds of a game as dots at their answers: right ones pile up from one height, wrong ones down
        from another."""
        self.explorer.stage = Stage(self, right, wrong, size)

    def samples(self, cut, *, says, fills, bases, bin, hides=(), tells=None, shares=None, total=1000):
        """Draws from two laws that the reader can start; those above the slider `cut` are marked.

        The function returns the quantiles of P and of Q at `LEVELS`. Draws from P pile up from the first of the heights
        `bases`, those from Q down from the second, in bins of width `bin`; `fills` are the functions of the two regions
        that they fill in the limit. `says` replaces the words: {n} draws from each law, {over} from P above the cut,
        {under} from Q not above it, and as percentages {over_share} and {under_share}; readouts show their limits.
        Meanwhile the parts of the functions `hides` are hidden, and the texts of those in `tells` are replaced. In the
        panel `shares`, whose axes go from 0 to 1, the two shares are bars and a point.
        """

        def declare(quantiles):
            explorer = self.explorer
            if not isinstance(explorer.parameters.get(cut), Slider):
                raise ValueError(f"samples are cut by a slider, not by {cut}")
            filled, hidden = (tuple(function.__name__ for function in functions) for functions in (fills, hides))
            told = {function.__name__: template for function, template in (tells or {}).items()}
            explorer.drawn = Samples(self, quantile_table(quantiles, self), cut, filled, bases, bin, hidden, told, says,
                                     shares, total)  # fmt: skip
            return quantiles

        return declare

    def _write(self, name, function, color, offset, align):
        place = Table(_first(function, 2), self.explorer.parameters, PathEncoder(self, _points))
        words = Table(_first(function, None), self.explorer.parameters, TextEncoder())
        style = {"offset": offset, "align": align}
        self._keep(Part(name, "text", self, (place, words), None, color, "", style, len(self.explorer.parts)))

    def _add(self, kind, name, functions, shape, color, label, shift, moves, **style):
        pieces = tuple(self.explorer.table(function, self, shape) for function in functions)
        moved = Table(shift, self.explorer.parameters, ShiftEncoder(self)) if shift else None
        handles = None if moves is None else (moves,) if isinstance(moves, str) else tuple(moves)
        handles = None if handles is None else tuple(filter(None, handles))
        unknown = [name for name in handles or () if not isinstance(self.explorer.parameters.get(name), Slider)]
        if unknown:
            raise ValueError(f"{name} can move sliders only, not {', '.join(unknown)}")
        self._keep(Part(name, kind, self, pieces, moved, color, label, style, len(self.explorer.parts), handles))

    def _keep(self, part: Part):
        if any(other.name == part.name for other in self.explorer.parts):
            raise ValueError(f"{self.explorer.name} has two parts of the name {part.name}")
        self.explorer.parts.append(part)


def _fraction(values, limits, log, stretch=0.0) -> np.ndarray:
    values, (low, high) = np.asarray(values, dtype=float), limits
    if stretch:
        values, low, high = (np.arcsinh(np.asarray(v) / stretch) for v in (values, low, high))
    if log:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.log(values / low) / np.log(high / low)
    return (values - low) / (high - low)


def _points(value):
    x, y = value[:2]
    x, y = np.broadcast_arrays(np.atleast_1d(np.asarray(x, float)), np.atleast_1d(np.asarray(y, float)))
    return x, y


def _between(value):
    x, low, high = np.broadcast_arrays(*(np.atleast_1d(np.asarray(v, float)) for v in value))
    if np.ptp(low) == 0:
        # A horizontal lower edge needs only its two ends.
        return np.concatenate([x[:1], x, x[-1:]]), np.concatenate([low[:1], high, low[-1:]])
    return np.concatenate([x, x[::-1]]), np.concatenate([low, high[::-1]])


def _upright(value):
    x, low, high = (float(v) for v in value)
    return np.array([x, x]), np.array([low, high])


def _first(function, count):
    """The first two values of the function, its coordinates (count 2); otherwise the third, its words."""

    @functools.wraps(function)
    def part(*setting):
        value = function(*setting)
        return value[:count] if count else value[2]

    return part
