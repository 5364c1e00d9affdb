"""Axes on which it is measured by how much one mechanism leads, upward for the one and downward for the other."""

from __future__ import annotations

from ...palette import BLUE, GREY, VERMILLION


def lead_axes(axes, above: str, below: str, heights: tuple[float, float], ticks: tuple[float, ...] = ()) -> None:
    """A line at zero, who leads above it (blue) and below (vermillion), at these heights, and marks without a sign."""
    axes.axhline(0, color=GREY, linewidth=1, label="_zero")
    if ticks:
        axes.set_yticks(ticks, [abs(tick) for tick in ticks])
        axes.set_yticks([], minor=True)
    for height, text, color in zip(heights, (f"↑ {above}", f"↓ {below}"), (BLUE, VERMILLION), strict=True):
        axes.text(0.015, height, text, color=color)
