"""Figures of mechanisms: their faces, a tangent, and what separates two of them.

    ax = dp.plots.tradeoff(gaussian, laplace)         # axes of its own, or ax=…
    dp.plots.shift(gaussian, laplace, ax=ax)

Every function draws into one Axes and returns it. A kind of mechanism keeps its color and line style through the book.
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

from .blackwell import delta_divergence
from .mechanisms import ApproximateDP, Gaussian, Laplace, PerfectPrivacy, RandomizedResponse
from .mechanisms.base import as_mechanism
from .palette import BLUE, DASHDOT, DASHED, GREEN, GREY, ORANGE, PALE, PURPLE, SOLID, VERMILLION

__all__ = ["bayes_error", "privacy_profile", "rulers", "shift", "style", "tangent", "tradeoff"]

_OF_KIND = {
    Gaussian: (BLUE, SOLID),
    Laplace: (VERMILLION, DASHED),
    RandomizedResponse: (GREEN, DASHDOT),
    ApproximateDP: (PURPLE, (0, (3, 1.5))),
    PerfectPrivacy: (GREY, SOLID),
}
_OTHERS = (ORANGE, (0, (1, 1.4)))

_ALPHA = np.sin(np.linspace(0, np.pi / 2, 401)) ** 2  # closer where f is steep
_PRIORS = np.linspace(0, 1, 401)


def style(mechanism) -> dict:
    """Color and line style of a mechanism, for `Axes.plot`."""
    color, line = _OF_KIND.get(type(as_mechanism("mechanism", mechanism)), _OTHERS)
    return {"color": color, "linestyle": line}


def tradeoff(*mechanisms, labels=None, ax=None):
    """Trade-off functions, beside blind guessing."""
    ax = _axes(ax, "type I error α", "type II error β", (0, 1), (0, 1))
    ax.plot([0, 1], [1, 0], color=GREY, linewidth=1, label="blind guessing")
    return _draw(ax, mechanisms, labels, lambda m: (_ALPHA, m.tradeoff(_ALPHA)))


def bayes_error(*mechanisms, labels=None, ax=None):
    """Bayes errors over the prior, beside blind guessing."""
    ax = _axes(ax, "adversary's prior π", "Bayes error R(π)", (0, 1), (0, 0.55))
    ax.plot([0, 0.5, 1], [0, 0.5, 0], color=GREY, linewidth=1, label="blind guessing")
    return _draw(ax, mechanisms, labels, lambda m: (_PRIORS, m.bayes_error(_PRIORS)))


def privacy_profile(*mechanisms, labels=None, ax=None, epsilons=(0.0, 4.0), log=False):
    """Privacy profiles for `epsilons` = (first, last), on a logarithmic scale with `log`."""
    ax = _axes(ax, "ε", "δ(ε)", epsilons, None)
    if log:
        ax.set(yscale="log", ylim=(1e-10, 1))
    grid = np.linspace(*epsilons, 401)
    return _draw(ax, mechanisms, labels, lambda m: (grid, m.privacy_profile(grid)))


def tangent(mechanism, epsilon: float, *, ax=None, label=None):
    """The line of slope −e^ε that touches the trade-off function: what (ε, δ(ε)) alone promises."""
    ax = ax or tradeoff(mechanism)
    level = 1 - mechanism.privacy_profile(epsilon)
    end = min(1.0, level * np.exp(-epsilon))
    ax.plot([0, end], [level, level - np.exp(epsilon) * end], color=ORANGE, linewidth=1.5, label=label)
    return _keyed(ax, label)


def shift(mechanism, other, *, ax=None):
    """The trade-off function of `mechanism` moved left and down by Δ(mechanism‖other), below that of `other`."""
    ax = ax or tradeoff(mechanism, other)
    kappa = float(delta_divergence(mechanism, other))
    color = style(mechanism)["color"]
    ax.plot(
        _ALPHA - kappa, mechanism.tradeoff(_ALPHA) - kappa, color=color, linestyle=":", label=f"shifted by {kappa:.4f}"
    )
    return _keyed(ax, True)


def rulers(mechanism, other, *, ax=None):
    """Both Δ-divergences as rulers between the Bayes errors, each at the prior at which it is attained."""
    ax = ax or bayes_error(mechanism, other)
    for first, second in ((mechanism, other), (other, mechanism)):
        found = delta_divergence(first, second)
        if found.value > found.error_bound:
            ends = sorted((first.bayes_error(found.prior), second.bayes_error(found.prior)))
            ax.plot([found.prior] * 2, ends, color=GREEN, linewidth=3, marker="_", markersize=10)
            beside = {"xytext": (-6, 4), "textcoords": "offset points", "ha": "right", "color": GREEN}
            ax.annotate(f"{found.value:.4f}", (found.prior, ends[1]), **beside)
    return ax


def _axes(ax, xlabel, ylabel, xlim, ylim):
    if ax is None:
        _, ax = plt.subplots(figsize=(4.6, 4.0), layout="constrained")
    ax.set(xlabel=xlabel, ylabel=ylabel, xlim=xlim)
    if ylim:
        ax.set_ylim(ylim)
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(color=PALE, linewidth=0.6)
    ax.set_axisbelow(True)
    return ax


def _draw(ax, mechanisms, labels, curve):
    labels = [repr(m) for m in mechanisms] if labels is None else labels
    if len(labels) != len(mechanisms):
        raise ValueError(f"labels must be as many as the {len(mechanisms)} mechanisms, got {len(labels)}")
    seen: dict = {}
    for mechanism, label in zip(mechanisms, labels, strict=True):
        look = style(mechanism)
        # A second mechanism of the same kind is drawn thinner.
        seen[look["color"]] = seen.get(look["color"], 0) + 1
        ax.plot(*curve(mechanism), linewidth=2.2 / seen[look["color"]], label=label, **look)
    return _keyed(ax, True)


def _keyed(ax, label):
    if label:
        ax.legend(frameon=False, fontsize="small")
    return ax
