"""Figures of mechanisms: their curves, a tangent, and the Δ-divergence between two of them.

    ax = dp.plots.tradeoff(gaussian, laplace)         # axes of its own, or ax=…
    dp.plots.shift(gaussian, laplace, ax=ax)

Every function draws into one Axes and returns it. Each kind of mechanism has the same color and line style throughout
the book. Symbols look as in formulas, set in the STIX fonts that come with matplotlib.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .comparing.blackwell import delta_divergence
from .formulas import symbols
from .mechanisms import ApproximateDP, Gaussian, Laplace, PerfectPrivacy, RandomizedResponse
from .mechanisms.base import Mechanism, as_mechanism
from .palette import BLUE, DASHDOT, DASHED, GREEN, GREY, ORANGE, PALE, PURPLE, SOLID, VERMILLION
from .risk.reporting import Report

__all__ = ["answer", "bayes_error", "guesses", "privacy_profile", "rulers", "shift", "style", "tangent", "tradeoff"]

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


def style(mechanism: Mechanism) -> dict[str, Any]:
    """Color and line style of a mechanism, the same throughout the book.

    Parameters
    ----------
    mechanism : Mechanism

    Returns
    -------
    dict
        For `Axes.plot`.

    Raises
    ------
    TypeError
        If the argument is not a mechanism.

    Examples
    --------
    >>> import dptutor as dp
    >>> dp.plots.style(dp.Gaussian(sigma=1))
    {'color': '#0072b2', 'linestyle': '-'}
    """
    color, line = _OF_KIND.get(type(as_mechanism("mechanism", mechanism)), _OTHERS)
    return {"color": color, "linestyle": line}


def tradeoff(*mechanisms: Mechanism, labels: Sequence[str] | None = None, ax: Axes | None = None) -> Axes:
    """Trade-off functions, beside blind guessing.

    Parameters
    ----------
    *mechanisms : Mechanism
    labels : sequence of str, optional
        As many as mechanisms; by default what they print.
    ax : matplotlib Axes, optional
        Axes of its own, if none are given.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    TypeError, ValueError
        If an argument is not a mechanism, or the labels are not as many.

    Examples
    --------
    >>> import dptutor as dp
    >>> ax = dp.plots.tradeoff(dp.Gaussian(sigma=1), dp.Laplace(scale=1), labels=["Gaussian", "Laplace"])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['blind guessing', 'Gaussian', 'Laplace']
    """
    ax = _axes(ax, "type I error α", "type II error β", (0, 1), (0, 1))
    ax.plot([0, 1], [1, 0], color=GREY, linewidth=1, label="blind guessing")
    return _draw(ax, mechanisms, labels, lambda m: (_ALPHA, m.tradeoff(_ALPHA)))


def bayes_error(*mechanisms: Mechanism, labels: Sequence[str] | None = None, ax: Axes | None = None) -> Axes:
    """Bayes errors over the prior, beside blind guessing; parameters and errors are those of `tradeoff`.

    Examples
    --------
    >>> import dptutor as dp
    >>> dp.plots.bayes_error(dp.Gaussian(sigma=1)).get_ylabel()
    'Bayes error $R$($π$)'
    """
    ax = _axes(ax, "adversary’s prior π", "Bayes error R(π)", (0, 1), (0, 0.55))
    ax.plot([0, 0.5, 1], [0, 0.5, 0], color=GREY, linewidth=1, label="blind guessing")
    return _draw(ax, mechanisms, labels, lambda m: (_PRIORS, m.bayes_error(_PRIORS)))


def privacy_profile(
    *mechanisms: Mechanism,
    labels: Sequence[str] | None = None,
    ax: Axes | None = None,
    epsilons: tuple[float, float] = (0.0, 4.0),
    log: bool = False,
) -> Axes:
    """Privacy profiles; parameters and errors are those of `tradeoff`, and these.

    Parameters
    ----------
    epsilons : tuple of float
        The first and the last ε.
    log : bool
        Whether δ is on a logarithmic scale.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import dptutor as dp
    >>> ax = dp.plots.privacy_profile(dp.Gaussian(sigma=1), epsilons=(0, 6), log=True)
    >>> ax.get_xlim() == (0, 6), ax.get_yscale()
    (True, 'log')
    """
    ax = _axes(ax, "ε", "δ(ε)", epsilons, None)
    if log:
        ax.set(yscale="log", ylim=(1e-10, 1))
    grid = np.linspace(epsilons[0], epsilons[1], 401)
    return _draw(ax, mechanisms, labels, lambda m: (grid, m.privacy_profile(grid)))


def tangent(mechanism: Mechanism, epsilon: float, *, ax: Axes | None = None, label: str | None = None) -> Axes:
    """The line of slope −e^ε that touches the trade-off function: what (ε, δ(ε)) alone promises.

    Parameters
    ----------
    mechanism : Mechanism
    epsilon : float
    ax : matplotlib Axes, optional
        Those of `tradeoff(mechanism)`, if none are given.
    label : str, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import dptutor as dp
    >>> m = dp.Gaussian(sigma=1)
    >>> ax = dp.plots.tangent(m, 1.0, label="(1, 0.127)")
    >>> round(float(ax.lines[-1].get_ydata()[0]), 3), round(1 - m.privacy_profile(1.0), 3)
    (0.873, 0.873)
    """
    ax = ax or tradeoff(mechanism)
    level = 1 - mechanism.privacy_profile(epsilon)
    end = min(1.0, level * np.exp(-epsilon))
    ax.plot([0, end], [level, level - np.exp(epsilon) * end], color=ORANGE, linewidth=1.5, label=label)
    return _keyed(ax, label)


def shift(mechanism: Mechanism, other: Mechanism, *, ax: Axes | None = None) -> Axes:
    """The trade-off function of `mechanism` moved left and down by Δ(mechanism‖other), below that of `other`.

    Parameters
    ----------
    mechanism, other : Mechanism
    ax : matplotlib Axes, optional
        Those of `tradeoff(mechanism, other)`, if none are given.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import dptutor as dp
    >>> dp.plots.shift(dp.Laplace(scale=1), dp.Gaussian(sigma=1)).lines[-1].get_label()
    'shifted by 0.0341'
    """
    ax = ax or tradeoff(mechanism, other)
    kappa = float(delta_divergence(mechanism, other))
    color = style(mechanism)["color"]
    ax.plot(
        _ALPHA - kappa, mechanism.tradeoff(_ALPHA) - kappa, color=color, linestyle=":", label=f"shifted by {kappa:.4f}"
    )
    return _keyed(ax, True)


def rulers(mechanism: Mechanism, other: Mechanism, *, ax: Axes | None = None) -> Axes:
    """Both Δ-divergences as rulers between the Bayes errors, each at the prior at which it is attained.

    Parameters
    ----------
    mechanism, other : Mechanism
    ax : matplotlib Axes, optional
        Those of `bayes_error(mechanism, other)`, if none are given.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import dptutor as dp
    >>> [text.get_text() for text in dp.plots.rulers(dp.Laplace(scale=1), dp.Gaussian(sigma=1)).texts]
    ['0.0341', '0.0053']
    """
    ax = ax or bayes_error(mechanism, other)
    for first, second in ((mechanism, other), (other, mechanism)):
        found = delta_divergence(first, second)
        if found.value > found.error_bound:
            ends = sorted((first.bayes_error(found.prior), second.bayes_error(found.prior)))
            ax.plot([found.prior] * 2, ends, color=GREEN, linewidth=3, marker="_", markersize=10)
            beside: dict[str, Any] = {"xytext": (-6, 4), "textcoords": "offset points", "ha": "right", "color": GREEN}
            ax.annotate(f"{found.value:.4f}", (found.prior, ends[1]), **beside)
    return ax


def guesses(report: Report, *, ax: Axes | None = None) -> Axes:
    """A hundred guesses at even odds: those that a coin has right, those that the output adds at most, the others.

    Parameters
    ----------
    report : Report
        Of the mechanism, made by `report`.
    ax : matplotlib Axes, optional
        Axes of its own, if none are given.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import dptutor as dp
    >>> dp.plots.guesses(dp.report(dp.Gaussian(sigma=2))).get_title()
    'at most 60 of 100 guesses right, a coin 50'
    """
    if ax is None:
        _, ax = plt.subplots(figsize=(4.2, 1.6), layout="constrained")
    cases = np.arange(100)
    colors = np.select([cases < 50, cases < report.right_of_100], [GREY, VERMILLION], "none")
    ax.scatter(cases // 5, -(cases % 5), s=60, c=colors, edgecolors=GREY)
    ax.set_title(f"at most {report.right_of_100} of 100 guesses right, a coin 50", fontsize=9)
    ax.set_axis_off()
    return ax


def answer(
    x: Any,
    given: Any,
    right: Any = None,
    *,
    place: float | None = None,
    label: str = "farthest off",
    ax: Axes | None = None,
) -> Axes:
    """A curve that someone gives, over the right one, with one place marked.

    Parameters
    ----------
    x, given : array
    right : array, optional
        The right curve; without it, only the given one is drawn.
    place : int, optional
        The index of the place to mark: by a ruler between the curves, or a point on the given one.
    label : str
        The name of the mark.
    ax : matplotlib Axes, optional
        Axes of its own, if none are given.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import dptutor as dp
    >>> ax = dp.plots.answer([0, 1], [1, 0.5], [1, 0], place=1)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['yours', 'right', 'farthest off']
    """
    x, given = np.asarray(x, dtype=float), np.asarray(given, dtype=float)
    ax = _axes(ax, "", "", (x[0], x[-1]), None)
    ax.plot(x, given, color=VERMILLION, linestyle=DASHED, linewidth=2, label="yours", zorder=3)
    if right is not None:
        ax.plot(x, right, color=BLUE, linewidth=2.2, label="right")
    if place is not None:
        ends = [given[place], *(() if right is None else (right[place],))]
        mark: dict[str, Any] = {"color": GREEN, "marker": "o", "markevery": [0], "clip_on": False, "zorder": 4}
        ax.plot([x[place]] * len(ends), ends, linewidth=3, label=label, **mark)
    return _keyed(ax, True)


def detached() -> Axes:
    """Axes of a figure that pyplot does not know, which no notebook shows by itself.

    Returns
    -------
    matplotlib Axes
    """
    return Figure(figsize=(4.6, 3.4), layout="constrained").add_subplot()


def _axes(
    ax: Axes | None, xlabel: str, ylabel: str, xlim: tuple[float, float], ylim: tuple[float, float] | None
) -> Axes:
    if ax is None:
        _, ax = plt.subplots(figsize=(4.6, 4.0), layout="constrained")
    ax.set(xlabel=xlabel, ylabel=ylabel, xlim=xlim)
    if ylim:
        ax.set_ylim(ylim)
    _letter(ax.xaxis.label, ax.yaxis.label)
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(color=PALE, linewidth=0.6)
    ax.set_axisbelow(True)
    return ax


def _draw(
    ax: Axes,
    mechanisms: Sequence[Mechanism],
    labels: Sequence[str] | None,
    curve: Callable[[Mechanism], tuple[np.ndarray, np.ndarray]],
) -> Axes:
    labels = [repr(m) for m in mechanisms] if labels is None else labels
    if len(labels) != len(mechanisms):
        raise ValueError(f"labels must be one for each of the {len(mechanisms)} mechanisms, got {len(labels)}")
    seen: dict[str, int] = {}
    for mechanism, label in zip(mechanisms, labels, strict=True):
        look = style(mechanism)
        # A second mechanism of the same kind is drawn thinner.
        seen[look["color"]] = seen.get(look["color"], 0) + 1
        ax.plot(*curve(mechanism), linewidth=2.2 / seen[look["color"]], label=label, **look)
    return _keyed(ax, True)


def _keyed(ax: Axes, label: object) -> Axes:
    if label:
        _letter(*ax.legend(frameon=False).get_texts())
    return ax


def _letter(*texts: Any) -> None:
    """Symbols in the words of a picture as formulas; where there is a formula already, all of them are told."""
    for text in texts:
        words = text.get_text()
        if "$" not in words:
            parts = symbols(words)
            parts[1::2] = [rf"$\tilde{{{part[0]}}}$" if "\u0303" in part else f"${part}$" for part in parts[1::2]]
            text.set_text("".join(parts))
        text.set_math_fontfamily("stix")
