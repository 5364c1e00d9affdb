"""What a notebook shows of an explorer before it is run: names beside curves, on nothing else, and no answers."""

import base64
import io
import json
import re
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.image import imread

import dptutor as dp
from dptutor.explore.machinery.page import still_figure, still_picture
from dptutor.explore.machinery.picture import path_points

NOTEBOOKS = sorted((Path(__file__).resolve().parent.parent / "notebooks").glob("*_lecture.ipynb"))
STILLS = {
    f"{notebook.stem}-{source}": (source, output["data"]["text/html"])
    for notebook in NOTEBOOKS
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    for output in cell.get("outputs", [])
    if (source := "".join(cell["source"])).startswith("dp.explore.") and "text/html" in output.get("data", {})
}
every_explorer = pytest.mark.parametrize("name", dp.explore.__all__)


def made(source):
    """The exploration that a cell makes."""
    return eval(source, {"dp": dp})


def letters(figure):
    """All words in a figure, each with its box in pixels."""
    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw(renderer)
    words = [text for ax in figure.axes for text in (*ax.texts, ax.xaxis.label, ax.yaxis.label)]
    axes = [axis for ax in figure.axes for axis in (ax.xaxis, ax.yaxis) if axis.get_visible() and ax.axison]
    words += [tick.label1 for axis in axes for tick in axis._update_ticks() if tick.label1.get_visible()]
    words += [ax._left_title for ax in figure.axes if ax._left_title.get_text()]
    return [(text, text.get_window_extent(renderer)) for text in words if text.get_text().strip()]


def strokes(ax):
    """The points along everything drawn in a panel, as dense as pixels, in pixels; no name's own line."""
    for line in ax.get_lines():
        if str(line.get_gid()).startswith("name-") or line.get_linestyle() == "None":
            continue
        points = line.get_transform().transform(line.get_xydata())
        for (x0, y0), (x1, y1) in pairwise(points):
            if np.isfinite([x0, y0, x1, y1]).all():
                share = np.linspace(0, 1, 1 + int(min(2000, np.hypot(x1 - x0, y1 - y0))))
                yield from zip(x0 + share * (x1 - x0), y0 + share * (y1 - y0), strict=True)


@every_explorer
def test_names_and_words_of_a_still_picture_lie_on_nothing(name):
    figure = still_figure(getattr(dp.explore, name)())
    found = letters(figure)
    for (one, a), (other, b) in combinations(found, 2):
        across, down = min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0)
        assert across < 2 or down < 3, f"{one.get_text()!r} lies on {other.get_text()!r}"
    width, height = figure.get_size_inches() * figure.dpi
    for text, box in found:
        assert box.x0 > -1 and box.y0 > -1 and box.x1 < width + 1 and box.y1 < height + 1, f"{text.get_text()!r} is cut"
    for ax in figure.axes:
        points = np.array(list(strokes(ax))).reshape(-1, 2)  # there may be none
        for text, box in found:
            if text in ax.texts and text.get_gid():
                inside = (points > [box.x0 + 1, box.y0 + 3]) & (points < [box.x1 - 1, box.y1 - 3])
                assert not inside.all(axis=1).any(), f"a line crosses {text.get_text()!r}"
        for line in ax.get_lines():
            if str(line.get_gid()).startswith("name-"):
                (x0, y0), (x1, y1) = line.get_transform().transform(line.get_xydata())
                led = np.linspace((x0, y0), (x1, y1), 50)
                for text, box in found:
                    inside = (led > [box.x0 + 1, box.y0 + 3]) & (led < [box.x1 - 1, box.y1 - 3])
                    assert not inside.all(axis=1).any(), f"the line of a name crosses {text.get_text()!r}"


@every_explorer
def test_everything_in_a_still_picture_that_has_a_name_is_named(name):
    exploration = getattr(dp.explore, name)()
    figure = still_figure(exploration)
    letters(figure)
    for panel, ax in zip(exploration.explorer.panels, figure.axes, strict=True):
        frame = panel.box
        seen = {
            part.label
            for part in exploration.explorer.parts
            if part.panel is panel
            and part.name not in (exploration.explorer.prediction.veiled if exploration.explorer.prediction else ())
            and any(
                frame[0] < x < frame[0] + frame[2] and frame[1] < y < frame[1] + frame[3]
                for x, y in path_points(part, exploration.setting)
            )
        }
        named = {text.get_text() for text in ax.texts if str(text.get_gid()).startswith("name-")}
        assert seen - {""} <= named


@pytest.mark.parametrize("name", [name for name in dp.explore.__all__ if getattr(dp.explore, name).prediction])
def test_a_still_picture_asks_before_it_answers(name):
    exploration = getattr(dp.explore, name)()
    prediction = exploration.explorer.prediction
    drawn = {artist.get_gid() for ax in still_figure(exploration).axes for artist in ax.get_children()}
    covered = {f"part-{part.place}" for part in exploration.explorer.parts if part.name in prediction.veiled}
    assert covered and not drawn & covered
    words = re.sub("<[^>]*>", " ", still_picture(exploration)).replace("\N{NO-BREAK SPACE}", " ")
    assert prediction.question in words
    assert exploration.words not in words


@pytest.mark.parametrize("still", STILLS)
def test_a_notebook_has_the_still_picture_of_its_explorer_at_its_setting(still):
    source, html = STILLS[still]
    stored, now = "".join(html), still_picture(made(source))
    assert re.sub('base64,[^"]*', "", stored) == re.sub('base64,[^"]*', "", now)
    one, other = (imread(io.BytesIO(base64.b64decode(re.search('base64,([^"]*)', page)[1]))) for page in (stored, now))
    assert one.shape == other.shape
    assert np.mean(np.abs(one - other).max(axis=2) > 0.1) < 0.002, "its picture is an older one"
