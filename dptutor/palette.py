"""Colors with a meaning that they keep through the book: Okabe and Ito's set, told apart without color vision.

On a page each of them is a CSS variable whose value in dark mode is a lighter shade; `PAGE_COLORS` names them.
Color never carries a meaning alone: the second of two mechanisms is also drawn with another line style.
"""

BLUE = "#0072b2"  # the first mechanism, or the world P
VERMILLION = "#d55e00"  # the second mechanism, or the world Q
GREEN = "#009e73"  # what is being measured: a divergence, a regret
PURPLE = "#cc79a7"  # the adversary's own choice: a threshold, a prior
ORANGE = "#e69f00"  # a bound or an approximation
INK = "#222222"  # axes and words
GREY = "#767676"  # what does not move: blind guessing, a reference
PALE = "#d9d9d9"  # grid lines

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
