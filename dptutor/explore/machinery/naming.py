"""The names of curves in a still picture, each beside its curve; where a script runs, `names.js` moves them along.

Coordinates are in points from the top left corner of the picture; a box is left, top, right, bottom. Every place that
is tried for a name has a cost, and the cheapest is taken.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from ...palette import letter_shade
from .panel import PANEL_HEIGHT, Panel

BENEATH = "beneath"  # the id of a number of an axis that is hidden, as an upright line stands on it
CLEAR = 3.0  # smallest distance between a name and what it does not belong to
LED = 12.0  # a name further than this from its curve has a line to it
_GAPS = (4.0, 14.0, 26.0, 40.0, 60.0, 90.0)  # distances from the curve that are tried
_NUMERAL = re.compile(r"−?[\d.]+")
_SHIFTS = (0, 7, -7, 14, -14, 28, -28, 42, -42, 56, -56, 70, -70, 84, -84)  # by which words may be moved away


@dataclass
class Drawn:
    """Something drawn in a panel: its points, and its label, if any."""

    points: np.ndarray
    kind: str  # the kind of the part
    label: str
    color: str
    name: str  # the id of the label in the figure


class Names:
    """The names and words in one panel of a figure, placed so that they cover nothing."""

    def __init__(self, axes, panel: Panel, drawn: list[Drawn]):
        FigureCanvasAgg(axes.figure)  # measures words
        left, top, width, height = panel.box
        self.axes, self.drawn, self.frame = axes, drawn, np.array([left, top, left + width, top + height])
        self.points = [self._seen(thing) for thing in drawn]
        texts = [text for text in axes.texts if not text.get_gid() and text.get_text().strip()]
        for text in texts:
            if _NUMERAL.fullmatch(text.get_text()) and any(_struck(box_of(text), thing) for thing in drawn):
                text.set(gid=BENEATH, visible=False)
        self.taken = [box_of(text) for text in texts if text.get_visible()]
        self.leads = np.empty((0, 2))  # points along the lines that lead to curves

    def move(self, text: Text):
        """Moves words beside a point away from what is drawn."""
        (x, y), box = text.get_position(), box_of(text)
        shifts = np.array(sorted(product(_SHIFTS, _SHIFTS), key=lambda by: np.hypot(by[0], 2 * by[1])))
        boxes = box + np.tile(shifts, 2)
        # Only the place that their part chose may lie outside the frame.
        out = self._outside(boxes) * (np.arange(len(boxes)) > 0)
        best = np.argmin(np.hypot(shifts[:, 0], 2 * shifts[:, 1]) / 10 + out + self._met(boxes, self._crowd(), 1.0))
        text.set_position((x + shifts[best, 0], y - shifts[best, 1]))
        self.taken.append(boxes[best])

    def write(self):
        """Writes each label beside what it names, if that is visible; a line leads from a distant one."""
        for thing, own in zip(self.drawn, self.points, strict=True):
            if not thing.label or not own.size:
                continue
            style = {"transform": self.axes.figure.dpi_scale_trans, "clip_on": False}
            text = self.axes.text(0, 0, thing.label, color=letter_shade(thing.color), gid=thing.name, va="bottom",
                                  zorder=10, **style)  # fmt: skip
            box = self._beside(thing, own, box_of(text))
            text.set_position(_inches(box[[0, 3]]))
            self.taken.append(box)
            ((away, line),) = zip(*_leads(own, box[None]), strict=True)
            if thing.kind != "region" and away > LED:
                self.leads = np.concatenate([self.leads, line])
                ends = np.array([_inches(line[0]), _inches(line[-1])])
                self.axes.plot(*ends.T, color=thing.color, linewidth=0.8, gid=f"{thing.name}-line", zorder=9, **style)

    def _beside(self, thing: Drawn, own, box):
        size, region = box[2:] - box[:2], thing.kind == "region"
        anchors = own[np.linspace(0, len(own) - 1, 25).astype(int)]
        sides = np.array([(across, down) for across, down in product((1, -1, 0), (-1, 1, 0)) if across or down])
        places = np.array([
            (*(anchor + sides * gap - size * (1 - sides) / 2).T, np.full(len(sides), gap))
            for anchor, gap in product(anchors, _GAPS)
        ]).transpose(0, 2, 1).reshape(-1, 3)  # fmt: skip
        if region:
            places = np.vstack([places, [*(own.min(axis=0) + own.max(axis=0) - size) / 2, 0.0]])
        corners = np.clip(places[:, :2], self.frame[:2] + 2, np.maximum(self.frame[:2], self.frame[2:] - size) - 2)
        boxes = np.hstack([corners, corners + size])
        others = self._crowd(without=thing)
        cost = (
            places[:, 2]
            + np.abs(corners - places[:, :2]).sum(axis=1)
            + self._met(boxes, others if region else self._crowd(), CLEAR)
        )
        if not region:
            away, lines = _leads(own, boxes)
            crossed = sum(_within(lines, other).any(axis=1) for other in self.taken)
            cost += 80 * (distances(others, boxes, np.inf) < away + 1) + 90 * (away > LED) * crossed
        return boxes[np.argmin(cost)]

    def _outside(self, boxes) -> np.ndarray:
        """The cost of leaving the frame."""
        frame = self.frame
        out = np.maximum(0, np.hstack([frame[:2] + 2 - boxes[:, :2], boxes[:, 2:] - frame[2:] + 2])).sum(axis=1)
        return (out > 0) * 200 + 4 * out

    def _met(self, boxes, crowd, clear) -> np.ndarray:
        """The cost of lying on other words, or so close that they read as one, and of lying on lines."""
        common = np.array([_overlap(boxes + np.array([-7, -1, 7, 1]), other) for other in self.taken]).reshape(
            -1, len(boxes)
        )
        met = np.count_nonzero(_apart(crowd, boxes) < clear, axis=1)
        return 90 * np.count_nonzero(common, axis=0) + common.sum(axis=0) / 2 + (met > 0) * 90 + 10 * met

    def _crowd(self, without: Drawn | None = None):
        """The points of lines and marks, without those of regions."""
        return np.concatenate([
            self.leads,
            *(own for thing, own in zip(self.drawn, self.points, strict=True)
              if thing.kind != "region" and thing is not without),
        ])  # fmt: skip

    def _seen(self, thing: Drawn):
        """The points inside the frame; those of a line are so dense that no letter fits between two."""
        points = thing.points
        if thing.kind in ("curve", "ruler") and len(points) > 1:
            lengths = np.nan_to_num(np.hypot(*np.diff(points, axis=0).T))
            counts = np.clip(np.ceil(lengths / 3), 1, 400).astype(int)
            points = np.concatenate([
                p + (q - p) * np.linspace(0, 1, count, endpoint=False)[:, None]
                for p, q, count in zip(points, points[1:], counts, strict=False)
            ] + [points[-1:]])  # fmt: skip
        points = points[np.isfinite(points).all(axis=1)]
        return points[(points >= self.frame[:2] - 1).all(axis=1) & (points <= self.frame[2:] + 1).all(axis=1)]


def box_of(text: Text) -> np.ndarray:
    """The box of words in a figure."""
    figure: Any = text.get_figure()
    box = text.get_window_extent(figure.canvas.get_renderer()).get_points() * 72 / figure.dpi
    return np.array([box[0, 0], PANEL_HEIGHT - box[1, 1], box[1, 0], PANEL_HEIGHT - box[0, 1]])


def distances(points, boxes, nowhere: float = np.nan) -> np.ndarray:
    """The distance from each box to the nearest of the points; `nowhere` if there are none."""
    return _apart(points, boxes).min(axis=1) if len(points) else np.full(len(boxes), nowhere)


def _apart(points, boxes) -> np.ndarray:
    """The distance from each box to each point, one row for each box."""
    x, y = np.asarray(points).T
    left, top, right, bottom = boxes.T[..., None]
    across, down = np.maximum(left - x, x - right), np.maximum(top - y, y - bottom)
    for gap in (across, down):
        np.maximum(gap, 0, out=gap)
        gap *= gap
    across += down
    return np.sqrt(across, out=across)


def _leads(own, boxes) -> tuple[np.ndarray, np.ndarray]:
    """For each box the distance to a curve's points, and points along the line from the nearest one to the box."""
    away = _apart(own, boxes)
    ends = own[np.argmin(away, axis=1)]
    to = np.clip(ends, boxes[:, :2], boxes[:, 2:])
    return away.min(axis=1), ends[:, None] + np.linspace(0, 1, 17)[:, None] * (to - ends)[:, None]


def _within(points, box) -> np.ndarray:
    return ((points >= box[:2]) & (points <= box[2:])).all(axis=-1)


def _struck(box, thing: Drawn) -> bool:
    """Whether an upright line goes through a box."""
    if thing.kind != "curve" or len(thing.points) != 2 or not abs(np.diff(thing.points[:, 0])[0]) < 1:
        return False
    x, (low, high) = thing.points[0, 0], np.sort(thing.points[:, 1])
    return bool(box[0] - 1 < x < box[2] + 1 and low < box[3] and high > box[1])


def _overlap(boxes, other) -> np.ndarray:
    shared = np.minimum(boxes[:, 2:], other[2:]) - np.maximum(boxes[:, :2], other[:2])
    return np.prod(np.maximum(0, shared), axis=1)


def _inches(point):
    return np.array([point[0], PANEL_HEIGHT - point[1]]) / 72
