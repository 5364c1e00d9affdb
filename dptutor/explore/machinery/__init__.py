"""What explorers are made with; see `dptutor.explore` for how to make one."""

from ...palette import BLUE, DASHDOT, DASHED, DOTTED, GREEN, GREY, INK, ORANGE, PALE, PURPLE, SOLID, VERMILLION
from .exploration import Exploration, Explorer
from .game import ending, place, tally
from .leads import by_up_to, in_points, lead_axes
from .parameters import Choice, Hidden, Several, Slider, decades, several
from .samples import LEVELS
from .store import remembered
from .tables import Number

__all__ = [
    "BLUE",
    "DASHDOT",
    "DASHED",
    "DOTTED",
    "GREEN",
    "GREY",
    "INK",
    "LEVELS",
    "ORANGE",
    "PALE",
    "PURPLE",
    "SOLID",
    "VERMILLION",
    "Choice",
    "Exploration",
    "Explorer",
    "Hidden",
    "Number",
    "Several",
    "Slider",
    "by_up_to",
    "decades",
    "ending",
    "in_points",
    "lead_axes",
    "place",
    "remembered",
    "several",
    "tally",
]
