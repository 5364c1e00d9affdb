"""Audits of private trainings: what an adversary can tell about one example, and what that says about the claimed ε.

`Training` describes DP-SGD on a small network, `experiment` repeats it with the adversary of differential
identifiability beside.
"""

from .broken import FIRST_STEP_ONLY, FLAWS, HALF_THE_NOISE, NO_CLIPPING, SAME_NOISE, SOUND, Flaw
from .models import Network, PerExample
from .neighbors import DISSIMILARITIES, Neighbors, dissimilarity, find_neighbors
from .training import Experiment, Training, experiment, gaussian_mu, text_bar

__all__ = [
    "DISSIMILARITIES",
    "FIRST_STEP_ONLY",
    "FLAWS",
    "HALF_THE_NOISE",
    "NO_CLIPPING",
    "SAME_NOISE",
    "SOUND",
    "Experiment",
    "Flaw",
    "Neighbors",
    "Network",
    "PerExample",
    "Training",
    "dissimilarity",
    "experiment",
    "find_neighbors",
    "gaussian_mu",
    "text_bar",
]
