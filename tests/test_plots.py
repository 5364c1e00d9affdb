"""Figures show the library's numbers, into the axes they are given."""

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from conftest import approx

import dptutor as dp

matplotlib.use("Agg")
GAUSSIAN, LAPLACE = dp.Gaussian(sigma=1), dp.Laplace(scale=1)


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.mark.parametrize(
    ("draw", "face"),
    [
        (dp.plots.tradeoff, "tradeoff"),
        (dp.plots.bayes_error, "bayes_error"),
        (dp.plots.privacy_profile, "privacy_profile"),
    ],
)
def test_curves_are_the_faces(draw, face):
    ax = draw(GAUSSIAN, LAPLACE, labels=["G", "L"])
    lines = {line.get_label(): line for line in ax.lines}
    for label, mechanism in (("G", GAUSSIAN), ("L", LAPLACE)):
        x, y = lines[label].get_data()
        assert y == approx(getattr(mechanism, face)(x), abs=1e-15)
    assert lines["G"].get_color() == dp.plots.style(GAUSSIAN)["color"]
    assert lines["G"].get_color() != lines["L"].get_color()
    assert ax.get_xlabel()
    assert ax.get_ylabel()


def test_a_second_of_a_kind_looks_different():
    ax = dp.plots.tradeoff(GAUSSIAN, dp.Gaussian(sigma=2))
    first, second = ax.lines[1:]
    assert first.get_linewidth() != second.get_linewidth()


def test_the_tangent_touches_the_curve_from_below():
    ax = dp.plots.tangent(LAPLACE, 0.5)
    x, y = ax.lines[-1].get_data()
    inside = np.linspace(x[0], x[1], 201)
    gap = LAPLACE.tradeoff(inside) - np.interp(inside, x, y)
    assert gap.min() == approx(0, abs=1e-3)
    assert gap.min() > -1e-12


def test_the_shifted_curve_lies_below_the_other():
    ax = dp.plots.shift(GAUSSIAN, LAPLACE)
    x, y = ax.lines[-1].get_data()
    inside = x >= 0
    assert np.all(y[inside] <= LAPLACE.tradeoff(x[inside]) + 1e-9)


def test_rulers_are_as_long_as_the_divergences():
    ax = dp.plots.rulers(GAUSSIAN, LAPLACE)
    lengths = [np.ptp(line.get_ydata()) for line in ax.lines[-2:]]
    assert lengths == approx([0.0052722089, 0.0341385466], abs=1e-9)
    assert [text.get_text() for text in ax.texts] == ["0.0053", "0.0341"]
    # Where one dominates there is one ruler only.
    assert len(dp.plots.rulers(GAUSSIAN, dp.Gaussian(sigma=2)).texts) == 1


def test_drawing_into_given_axes_opens_no_figure():
    figure, ax = plt.subplots()
    assert dp.plots.privacy_profile(GAUSSIAN, ax=ax, log=True) is ax
    assert plt.get_fignums() == [figure.number]
    assert ax.get_yscale() == "log"


def test_bad_input():
    with pytest.raises(TypeError, match="mechanism must be a mechanism, got 3"):
        dp.plots.tradeoff(3)
    with pytest.raises(ValueError, match="labels must be one for each of the 2 mechanisms, got 1"):
        dp.plots.tradeoff(GAUSSIAN, LAPLACE, labels=["one"])


def test_a_symbol_has_the_letter_of_formulas():
    ax = dp.plots.tradeoff(GAUSSIAN, LAPLACE, labels=["f: Gaussian, σ = 1", "f̃: a Laplace mechanism"])
    assert ax.get_xlabel() == "type I error $α$"
    told = ax.get_legend().get_texts()
    assert [text.get_text() for text in told[1:]] == ["$f$: Gaussian, $σ$ = 1", r"$\tilde{f}$: a Laplace mechanism"]
    assert {text.get_math_fontfamily() for text in [*told, ax.xaxis.label, ax.yaxis.label]} == {"stix"}
    ax.figure.canvas.draw()  # all of it can be set
