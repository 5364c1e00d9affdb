"""Colors with a meaning that they keep through the book: told apart without color vision, after Okabe and Ito's set.

On a page each of them is a CSS variable whose value in dark mode is a lighter shade; `PAGE_COLORS` names them.
Color never carries a meaning alone: the second of two mechanisms is also drawn with another line style.
"""

BLUE = "#0072b2"  # the first mechanism, or the world P
VERMILLION = "#d55e00"  # the second mechanism, or the world Q
GREEN = "#00805d"  # what is being measured: a divergence, a regret
PURPLE = "#a8327e"  # the adversary's own choice: a threshold, a prior
ORANGE = "#b87a00"  # a bound or an approximation
INK = "#222222"  # axes and words
GREY = "#6b6b6b"  # what does not move: blind guessing, a reference
PALE = "#dcdcdc"  # grid lines

SOLID, DASHED, DOTTED, DASHDOT = "-", (0, (5, 2)), (0, (1, 1.6)), (0, (6, 2, 1, 2))

PAGE_COLORS = {
    BLUE: "blue",
    VERMILLION: "vermillion",
    GREEN: "green",
    PURPLE: "purple",
    ORANGE: "orange",
    INK: "ink",
    GREY: "grey",
    PALE: "pale",
}

# Two are too pale for letters.
_OF_LETTERS = {VERMILLION: "#a84600", ORANGE: "#855400"}


def page_color(color: str) -> str:
    """A color as the variable of a page; one that has none as it is."""
    return f"var(--dpe-{PAGE_COLORS[color]}, {color})" if color in PAGE_COLORS else color


def letter_color(color: str) -> str:
    """The shade of a color for letters, as the variable of a page."""
    if color in _OF_LETTERS:
        return f"var(--dpe-{PAGE_COLORS[color]}-text, {_OF_LETTERS[color]})"
    return page_color(color)


def letter_shade(color: str) -> str:
    """The shade of a color for letters on white."""
    return _OF_LETTERS.get(color, color)
