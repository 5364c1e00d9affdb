"""By how much one mechanism leads another: axes, upward for one and downward for the other, numbers, and words."""

from __future__ import annotations

from functools import partial
from typing import Any

from ...palette import BLUE, GREY, VERMILLION
from .tables import Number

in_points = partial(Number, digits=2, percent=True, unit="percentage points")


def by_up_to(lead: float, name: str, least: float = 1e-4) -> str:
    """How large a lead is, as a phrase with the name of the readout; one too small to be shown is not called zero."""
    return f"by up to {{{name}}}" if lead >= least else f"by less than {100 * least:g} percentage points"


def lead_axes(axes: Any, above: str, below: str, heights: tuple[float, float], ticks: tuple[float, ...] = ()) -> None:
    """A line at zero, and at these heights who leads above it (blue) and below (vermillion)."""
    axes.axhline(0, color=GREY, linewidth=1, label="_zero")
    if ticks:
        axes.set_yticks(ticks, [str(tick).replace("-", "−") for tick in ticks])
        axes.set_yticks([], minor=True)
    for height, text, color in zip(heights, (f"↑ {above}", f"↓ {below}"), (BLUE, VERMILLION), strict=True):
        axes.text(0.015, height, text, color=color)
