"""Curves that a reader sketches: which axes they have, which laws they obey, and a still picture of each.

Heights and places are shares of the axes, from 0 to 1. `book/asking.js` draws and judges by the same numbers.
"""

import re
from dataclasses import dataclass, replace
from html import escape

import numpy as np

import dptutor as dp

# The picture, and the box of its axes, in its own units.
SIZE, BOX = (330, 310), (52, 12, 260, 252)
POINTS = 121  # with places at halves, thirds, quarters and fifths
AXIS = re.compile(r"(?P<name>.+), (?P<least>-?[\d.]+) to (?P<most>-?[\d.]+)")


@dataclass(frozen=True)
class Axis:
    """The name of what is on an axis, and its ends."""

    name: str
    least: float = 0.0
    most: float = 1.0

    @property
    def values(self):
        return np.linspace(self.least, self.most, POINTS)

    def share(self, value):
        return (value - self.least) / (self.most - self.least)


def axis(text):
    """An axis as `ε, 0 to 2` writes it."""
    if not (found := AXIS.fullmatch(text.strip())):
        raise ValueError(f"an axis is written as 'ε, 0 to 2', not as {text!r}")
    return Axis(found["name"], float(found["least"]), float(found["most"]))


@dataclass(frozen=True)
class Sketch:
    """What is asked for.

    Attributes
    ----------
    across, up : Axis
    laws : dict
        A law (its name is known to asking.js), and the reason for it.
    guide : str
        An expression in x: the line that `below` and `above` are about.
    ends : tuple
        Values (x, y) that every such curve has at its ends.
    mirror : str
        How `symmetric` reflects: "diagonal", or "middle".
    """

    across: Axis
    up: Axis
    laws: dict
    guide: str = ""
    ends: tuple = ()
    mirror: str = "middle"

    def heights(self, expression):
        """A curve as shares of the upright axis; what is above or below the picture lies on its border."""
        x = self.across.values
        y = eval(expression, {"dp": dp, "np": np, "x": x})
        shares = np.clip(self.up.share(np.asarray(y, float)), 0, 1)
        return [round(float(share), 4) for share in np.broadcast_to(shares, x.shape)]

    @property
    def data(self):
        """What the page has to know to judge."""
        return {
            "box": BOX,
            "across": [self.across.name, self.across.least, self.across.most],
            "up": [self.up.name, self.up.least, self.up.most],
            "laws": list(self.laws.items()),
            "guide": self.heights(self.guide) if self.guide else None,
            "ends": [[self.across.share(x), self.up.share(y)] for x, y in self.ends],
            "mirror": self.mirror,
        }

    def picture(self, heights):
        """The curve over its axes, as SVG."""
        left, top, width, height = BOX
        bottom = top + height
        parts = [f'<rect class="ask-box" x="{left}" y="{top}" width="{width}" height="{height}"/>']
        for share in (0, 0.25, 0.5, 0.75, 1):
            x, y = left + share * width, bottom - share * height
            across, up = (
                f"{a.least + share * (a.most - a.least):.4g}".replace("-", "−") for a in (self.across, self.up)
            )
            if 0 < share < 1:
                parts.append(f'<path class="ask-grid" d="M{x:.0f} {top}V{bottom}M{left} {y:.0f}H{left + width}"/>')
            parts.append(f'<text x="{x:.0f}" y="{bottom + 17}" text-anchor="middle">{across}</text>')
            parts.append(f'<text x="{left - 6}" y="{y + 4:.0f}" text-anchor="end">{up}</text>')
        parts.append(
            f'<text x="{left + width / 2:.0f}" y="{bottom + 37}" text-anchor="middle">{escape(self.across.name)}</text>'
        )
        middle = top + height / 2
        turned = f'transform="translate(13 {middle:.0f}) rotate(-90)" text-anchor="middle"'
        parts.append(f"<text {turned}>{escape(self.up.name)}</text>")
        if self.guide:
            parts.append(f'<path class="ask-guide" d="{path(self.heights(self.guide))}"/>')
        parts.append(f'<path class="ask-truth" d="{path(heights)}"/>')
        name = escape(f"{self.up.name} over {self.across.name}", quote=True)
        return (
            f'<svg class="ask-sketch ask-text" viewBox="0 0 {SIZE[0]} {SIZE[1]}" role="img" aria-label="{name}">'
            f"{''.join(parts)}</svg>"
        )


def path(heights):
    """Heights as a path of the picture."""
    left, top, width, height = BOX
    places = np.linspace(left, left + width, len(heights))
    return "M" + "L".join(f"{x:.1f} {top + height * (1 - y):.1f}" for x, y in zip(places, heights, strict=True))


KINDS = {
    "trade-off function": Sketch(
        Axis("α"),
        Axis("f(α)"),
        {
            "ends": "At α = 1 a test may accuse everyone, and then it misses nobody: f(1) = 0.",
            "decreasing": "With a larger budget α every test of a smaller one is still allowed, so f never rises.",
            "below": "The blind guess has the errors (α, 1 − α), and the best test is at least as good. So f lies "
            "nowhere above the dotted line.",
            "convex": "Between two tests an adversary may toss a coin, which reaches every point on the straight line "
            "between theirs. So f lies nowhere above such a line: it is convex.",
        },
        guide="1 - x",
        ends=((1, 0),),
        mirror="diagonal",
    ),
    "Bayes error": Sketch(
        Axis("π"),
        Axis("R(π)", 0, 0.5),
        {
            "ends": "An adversary who is certain of the world never errs: R(0) = R(1) = 0.",
            "below": "An adversary who ignores the output errs with probability min(π, 1 − π), the dotted line, and "
            "the best decision is at least as good. So R lies nowhere above it.",
            "concave": "Each test has a straight line, and R is the smallest of them at each prior. So R lies nowhere "
            "below the straight line between two of its points: it is concave.",
        },
        guide="np.minimum(x, 1 - x)",
        ends=((0, 0), (1, 0)),
    ),
    "profile": Sketch(
        Axis("ε", 0, 2),
        Axis("δ(ε)"),
        {
            "decreasing": "For every event E, Q[E] − exp(ε) P[E] falls as ε grows. So δ(ε), the largest of these, "
            "never rises."
        },
    ),
    "success": Sketch(
        Axis("α"),
        Axis("1 − f(α)"),
        {
            "ends": "At 1 a blind guess already succeeds, so the bound cannot be lower.",
            "increasing": "What is allowed at one place is also allowed farther right, so the curve never falls.",
            "above": "An attack that ignores the output succeeds as often as a blind guess, the dotted line. The best "
            "one is at least as good.",
            "concave": "f is convex, so 1 − f is concave: it lies nowhere below the straight line between two of its "
            "points.",
        },
        guide="x",
        ends=((1, 1),),
    ),
    "difference": Sketch(
        Axis("π"),
        Axis("R(π) − R̃(π)", -0.25, 0.25),
        {"ends": "At 0 and at 1 no adversary errs, whatever the mechanism. So the difference is 0 there."},
        ends=((0, 0), (1, 0)),
    ),
    "tail": Sketch(
        Axis("ρ"),
        Axis("probability of a belief above ρ"),
        {"decreasing": "A belief above a larger ρ is also above a smaller one, so the curve never rises."},
    ),
}
SYMMETRIC = {
    "diagonal": "Here the two worlds play the same part, so the curve is its own mirror image in the diagonal from "
    "(0, 0) to (1, 1).",
    "middle": "Here the two worlds play the same part, so the curve is the same from both ends.",
}


def sketch(kind, across=None, up=None, *, symmetric=False):
    """A kind of sketch, with other axes or with one law more."""
    if kind not in KINDS:
        raise ValueError(f"a sketch is one of {', '.join(KINDS)}, not {kind!r}")
    one = KINDS[kind]
    one = replace(one, across=axis(across) if across else one.across, up=axis(up) if up else one.up)
    return replace(one, laws=one.laws | {"symmetric": SYMMETRIC[one.mirror]}) if symmetric else one
