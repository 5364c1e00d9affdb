"""The picture, drawn by matplotlib: a figure, or SVG whose moving parts have names, by which a script moves them.

Each panel is an SVG of its own, so that a page can place them beside or below one another. Letters remain text.
"""

from __future__ import annotations

import copy
import io
import re
import struct
import xml.etree.ElementTree as ET
import zlib
from collections.abc import Callable, Collection, Mapping
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from ...formulas import symbols
from ...palette import GREY, INK, PAGE_COLORS, PALE, letter_color, letter_shade, page_color
from .declaration import Declaration
from .naming import BENEATH, Drawn, Names
from .panel import PANEL_HEIGHT, Part
from .parameters import power_of_ten

_STYLE: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 11.5,
    "axes.titlesize": 12.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 10,
    "axes.labelsize": 11.5,
    "axes.labelcolor": INK,
    "axes.edgecolor": GREY,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": PALE,
    "grid.linewidth": 0.6,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "text.color": INK,
    "lines.solid_capstyle": "round",
    "lines.dash_capstyle": "butt",
    "path.simplify": False,
    "figure.facecolor": "white",
}
# On a phone the letters of a panel wider than _WIDE are larger, so that powers of ten on its y axis come closer to the
# axis's name: that is therefore placed _NAME_AT points from the left edge.
_WIDE, _NAME_AT = 380.0, 17.0
_SVG = "{http://www.w3.org/2000/svg}"
_LINK = "{http://www.w3.org/1999/xlink}href"
_OF_SHADES = {letter_shade(color): color for color in PAGE_COLORS}


def draw(explorer: Declaration, setting: Mapping, fill: Callable[[str], str], veiled: Collection[str] = ()) -> Figure:
    """The explorer's picture at a setting, without the parts `veiled`, and with a name beside each curve.

    `fill` puts numbers into the words in the picture.
    """
    with mpl.rc_context(_STYLE):
        width = sum(panel.width for panel in explorer.panels)
        figure = Figure(figsize=(width / 72, PANEL_HEIGHT / 72), dpi=100)
        axes = {}
        for panel in explorer.panels:
            left, top, across, down = panel.box
            bottom = PANEL_HEIGHT - top - down
            box = (left / width, bottom / PANEL_HEIGHT, across / width, down / PANEL_HEIGHT)
            axes[panel.name] = ax = figure.add_axes(box, gid=f"panel-{panel.name}")
            ax.set(title=panel.title if panel.titled else "", xlabel=panel.xlabel, ylabel=panel.ylabel)
            ax.set(xscale="log" if panel.xlog else "linear", yscale="log" if panel.ylog else "linear")
            if panel.ystretch:
                ax.set_yscale("asinh", linear_width=panel.ystretch)
            for axis, log in ((ax.xaxis, panel.xlog), (ax.yaxis, panel.ylog)):
                if panel.hundred:
                    axis.set_major_formatter(lambda value, _: f"{100 * value:.0f}")
                if log:  # matplotlib would place letters one by one, with the distances of another font
                    axis.set_major_formatter(lambda value, _: power_of_ten(round(np.log10(value))))
            if panel.ylog and panel.width > _WIDE:
                ax.yaxis.set_label_coords((_NAME_AT - panel.margins[0]) / across, 0.5)
            panel.background(ax)
            ax.set(xlim=panel.xlim, ylim=panel.ylim)
        for part in explorer.parts:
            if part.name not in veiled:
                _draw_part(axes[part.panel.name], part, setting, fill)
        for panel in explorer.panels:
            _write_names(axes[panel.name], panel, setting, veiled)
    return figure


def _write_names(axes, panel, setting: Mapping, veiled: Collection[str]):
    parts = [part for part in panel.explorer.parts if part.panel is panel and part.name not in veiled]
    drawn = [
        Drawn(path_points(part, setting), part.kind, part.label, part.color, f"name-{part.place}")
        for part in parts
        if part.kind != "text"
    ]
    drawn += [Drawn(points, "curve", label, color, "name-of-a-line") for label, color, points in _standing(panel)]
    names = Names(axes, panel, drawn)
    written = {text.get_gid(): text for text in axes.texts}
    for part in parts:
        text = written.get(f"part-{part.place}")
        if text is not None and text.get_text().strip():
            names.move(text)
    names.write()


def _draw_part(ax, part: Part, setting: Mapping, fill: Callable[[str], str]):
    # Parts are drawn above the lines of the background, in the order of declaration, with text on top.
    common = {"gid": f"part-{part.place}", "zorder": (1.6 if part.kind == "region" else 3) + part.place / 100}
    if part.kind == "text":
        place, words = part.pieces
        x, y = place.at(setting)
        there = np.isfinite([x, y]).all()
        # Missing words leave an empty text, which the script can fill.
        at, said = ((x, y), fill(words.at(setting))) if there else ((ax.get_xlim()[0], ax.get_ylim()[0]), "")
        ax.annotate(said or " ", at, part.style["offset"], textcoords="offset points",
                    ha=part.style["align"], va="baseline", color=part.color, annotation_clip=False,
                    **common | {"zorder": 9})  # fmt: skip
        return
    x, y = np.concatenate([piece.encoder.shape(piece.at(setting)) for piece in part.pieces], axis=1)
    if part.shift:
        dx, dy = part.shift.at(setting)
        x, y = x + dx, y + dy
    x, y = part.outlined(np.column_stack([x, y]), 0, upward=True).T
    style = {key: value for key, value in part.style.items() if key not in ("ghost", "share", "above")}
    if "markersize" in style:
        # matplotlib writes equal marks only once: each is made slightly larger, so that every part has its own.
        earlier = part.panel.explorer.parts[: part.place]
        style["markersize"] += sum((p.color, p.style) == (part.color, part.style) for p in earlier) / 1e4
    if part.kind == "region":
        ax.fill(x, y, color=part.color, alpha=style["opacity"], linewidth=0, label=part.label or "_", **common)
    else:
        ax.plot(x, y, color=part.color, label=part.label or "_", clip_on=part.kind == "curve", **style, **common)


def png(figure: Figure) -> bytes:
    """A figure as a PNG of at most 256 colors, which is a quarter as large as one of all colors."""
    drawn = io.BytesIO()
    figure.savefig(drawn, format="rgba", dpi=108)
    width, height = (round(108 * size) for size in figure.get_size_inches())
    rgb = np.frombuffer(drawn.getvalue(), np.uint8).reshape(height, width, 4)[..., :3]
    # Each of red, green and blue has 32 levels; the rarest colors are replaced by the nearest of the others.
    coarse = (rgb.astype(int) * 31 + 127) // 255
    keys, place, count = np.unique(coarse @ [1024, 32, 1], return_inverse=True, return_counts=True)
    levels = np.stack([keys >> 10, keys >> 5 & 31, keys & 31], axis=1)
    kept = levels[np.sort(np.argsort(-count, kind="stable")[:256])]
    nearest = np.argmin(((levels[:, None] - kept) ** 2).sum(axis=2), axis=1)
    rows = np.pad(nearest[place].reshape(height, width), ((0, 0), (1, 0))).astype(np.uint8)

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    return b"".join([
        b"\x89PNG\r\n\x1a\n",
        chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
        chunk(b"PLTE", (kept * 255 // 31).astype(np.uint8).tobytes()),
        chunk(b"IDAT", zlib.compress(rows.tobytes(), 9)),
        chunk(b"IEND", b""),
    ])  # fmt: skip


def svg_panels(exploration, prefix: str) -> list[str]:
    """The picture as one SVG element for each panel, with ids that begin with `prefix`."""
    return [_panel_svg(exploration._drawn(), panel, prefix) for panel in exploration.explorer.panels]


def svg(explorer: Declaration, setting: Mapping, fill: Callable[[str], str]) -> ET.Element:
    """The picture as one SVG of all panels, with names for moving parts and paths from the tables.

    Parts that would give away the answer to a prediction are veiled.
    """
    figure = draw(explorer, setting, fill)
    figure.patch.set_visible(False)
    for ax in figure.axes:
        ax.patch.set_visible(False)
        for text in ax.texts:
            text.set_visible(True)  # a script shows a number of an axis when nothing stands on it
    file = io.BytesIO()
    with mpl.rc_context(_STYLE | {"svg.fonttype": "none", "svg.hashsalt": "dptutor"}):
        figure.savefig(file, format="svg", metadata={"Date": None})
    root = ET.fromstring(file.getvalue())
    parts = {f"part-{part.place}": part for part in explorer.parts}
    moved = {text.get_gid(): text.get_position() for ax in figure.axes for text in ax.texts}
    veiled = explorer.prediction.veiled if explorer.prediction else ()
    for group in list(root.iter(f"{_SVG}g")):
        role, _, place = group.get("id", "").partition("-")
        part = parts.get(f"part-{place.removesuffix('-line')}")
        if role == "part" and part:
            _make_movable(group, part, setting, moved.get(f"part-{place}"))
        if role == "name":
            group.set("class", "dpe-still")
        if role == BENEATH:
            group.set("data-beneath", "")
        if role in ("part", "name") and part and part.name in veiled:
            group.set("class", f"{group.get('class', '')} dpe-veiled".strip())
    _tidy(root)
    return root


def _make_movable(group: ET.Element, part: Part, setting: Mapping, offset: tuple[float, float] | None):
    """Brings a part into the only form that the script knows: its path, its marks, its words.

    `offset` is the distance of words from their point.
    """
    path, text = group.find(f"{_SVG}path"), group.find(f"{_SVG}text")
    uses = list(group.iter(f"{_SVG}use"))
    marks = group.find(f"{_SVG}defs")
    points = path_points(part, setting)
    kept = ET.Element(f"{_SVG}g")
    if path is not None:
        group.set("clip-path", path.attrib.pop("clip-path", ""))
        path.set("d", path_data(points, closed=part.kind == "region"))
        kept.append(path)
    if marks is not None:
        kept.append(marks)
        for x, y in points:
            use = ET.SubElement(kept, f"{_SVG}use", uses[0].attrib if uses else _any_use(marks, part))
            use.set("x", _short(x))
            use.set("y", _short(y))
            if np.isnan(x):
                use.set("display", "none")
    if text is not None:
        x, y = points[0]
        dx, dy = offset or part.style["offset"]
        text.attrib.pop("transform", None)
        text.set("x", _short(x + dx))
        text.set("y", _short(y - dy))
        if np.isnan(x):
            text.set("display", "none")
        kept.append(text)
    group[:] = [kept]
    if not group.get("clip-path"):
        group.attrib.pop("clip-path", None)
    group.set("data-part", str(part.place))


def _any_use(marks: ET.Element, part: Part) -> dict:
    mark = marks[0].get("id")
    return {_LINK: f"#{mark}", "style": f"fill: {part.style.get('markerfacecolor', part.color)}; stroke: {part.color}"}


def path_points(part: Part, setting: Mapping) -> np.ndarray:
    """The points of a part in the picture, rounded as in its tables."""
    pieces = part.pieces[:1] if part.kind == "text" else part.pieces
    points = np.concatenate([_unquantized(piece, setting) for piece in pieces])
    points = points + _unquantized(part.shift, setting) if part.shift else points
    return part.outlined(points, part.zero, upward=False)


def _unquantized(table, setting: Mapping) -> np.ndarray:
    row = table.row(setting).reshape(-1, 2).astype(float)
    row[row == 65535] = np.nan
    scale = table.encoder.manifest
    return np.array(scale["origin"]) + row * np.array(scale["scale"])


def path_data(points: np.ndarray, *, closed: bool = False) -> str:
    """An SVG path through the points, interrupted where a point is missing."""
    data, pen_down = [], False
    for x, y in points:
        if np.isnan(x):
            pen_down = False
            continue
        data.append(f"{'L' if pen_down else 'M'}{_short(x)} {_short(y)}")
        pen_down = True
    return "".join(data) + ("Z" if closed and data else "")


def _short(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if np.isfinite(value) else "0"


def _tidy(root: ET.Element):
    """Replaces colors by variables of the page, and fonts by the page's own."""
    for element in root.iter():
        style = element.get("style")
        if style:
            style = re.sub(r"font-family: [^;]*(; )?", "", style)
            style = re.sub(r"font: (?:(\w+) )?([\d.]+px) [^;]*", r"font-weight: \1; font-size: \2", style)
            style = style.replace("font-weight: ;", "")
            style = re.sub("#[0-9a-f]{6}", _letters if element.tag == f"{_SVG}text" else _lines, style)
            element.set("style", style.strip(" ;"))
        if element.get("transform", "").startswith("rotate(-0 "):
            del element.attrib["transform"]
        if element.tag == f"{_SVG}path":
            element.set("d", " ".join(element.get("d", "").split()))
        for key in {"x", "y"} & set(element.keys()):
            places = element.attrib[key].split()  # in a formula one for each letter
            element.set(key, " ".join(_short(float(place)) for place in places))
        element.text = element.text.strip() if element.text and element.text.strip() else None
        element.tail = None
    for text in list(root.iter(f"{_SVG}text")):
        _letter(text)


def _letters(found: re.Match) -> str:
    return letter_color(_OF_SHADES.get(found[0], found[0]))


def _lines(found: re.Match) -> str:
    return page_color(found[0])


def label_svg(label: str) -> str:
    """A label as the inside of an SVG text, with symbols in the font of formulas."""
    text = ET.Element(f"{_SVG}text")
    text.text = label
    _letter(text)
    return re.sub(r"^<[^>]*>|</[^>]*>$", "", _plain(text)) if label else ""


def standing(panel) -> list[dict]:
    """The lines of a panel's background: label, if any, color, points in the picture."""
    return [
        {"label": label_svg(label), "color": letter_color(color), "points": np.round(points, 2).tolist()}
        for label, color, points in _standing(panel)
    ]


def _standing(panel) -> list[tuple[str, str, np.ndarray]]:
    axes = Figure().add_subplot()
    panel.background(axes)
    lines = [line for line in axes.get_lines() if line.get_linestyle() != "None"]
    labels = ["" if label.startswith("_") else label for label in (str(line.get_label()) for line in lines)]
    return [
        (label, str(line.get_color()), _finite(panel.pixels(*_data(axes, line, panel))))
        for line, label in zip(lines, labels, strict=True)
    ]


def _data(axes, line, panel):
    """The points of a line; one across the whole panel has fractions of it as a coordinate, replaced by the limits."""
    x, y = (np.asarray(values, dtype=float) for values in line.get_data())
    if line.get_transform() == axes.get_yaxis_transform(which="grid"):
        x = np.array(panel.xlim)
    if line.get_transform() == axes.get_xaxis_transform(which="grid"):
        y = np.array(panel.ylim)
    return x, y


def _finite(points):
    return points[np.isfinite(points).all(axis=1)]


def _letter(text: ET.Element):
    """Sets the symbols of a label in the font of formulas."""
    first, *others = symbols(text.text or "")
    if not others or len(text):
        return
    text.text = first
    for symbol, after in zip(others[::2], others[1::2], strict=True):
        span = ET.SubElement(text, f"{_SVG}tspan", {"class": "dpe-letter"})
        span.text, span.tail = symbol[0] if "\u0303" in symbol else symbol, after
        if span.text != symbol:  # fonts lack letters with a tilde: place a small tilde above
            above = ET.SubElement(text, f"{_SVG}tspan", {"dx": "-.42em", "dy": "-.2em"})
            above.text, span.tail = "\N{SMALL TILDE}", None
            ET.SubElement(text, f"{_SVG}tspan", {"dy": ".2em"}).text = after or "\N{ZERO WIDTH SPACE}"


def _panel_svg(root: ET.Element, panel, prefix: str) -> str:
    group = copy.deepcopy(next(g for g in root.iter(f"{_SVG}g") if g.get("id") == f"panel-{panel.name}"))
    box = f"{panel.start:g} 0 {panel.width:g} {PANEL_HEIGHT:g}"
    kind = "dpe-panel" if panel.number else "dpe-panel dpe-main"
    svg = ET.Element(f"{_SVG}svg", {"viewBox": box, "role": "img", "class": kind, "data-panel": panel.name,
                                    "style": f"--dpe-units: {panel.width:g}"})  # fmt: skip
    ET.SubElement(svg, f"{_SVG}title").text = panel.title
    used = set(re.findall(r"#([\w-]+)", ET.tostring(group, encoding="unicode")))
    # Define marks and clips of another panel again: each panel must be complete.
    elsewhere = used - {element.get("id") for element in group.iter()}
    defs = ET.SubElement(svg, f"{_SVG}defs")
    for element in root.iter():
        if element.get("id") in elsewhere and element.tag in (f"{_SVG}path", f"{_SVG}clipPath"):
            defs.append(copy.deepcopy(element))
    svg.append(group)
    for element in svg.iter():
        name, link, clip = element.get("id"), element.attrib.pop(_LINK, None), element.get("clip-path")
        if name in used:
            element.set("id", f"{prefix}-{panel.name}-{name}")
        elif name:
            del element.attrib["id"]
        if link:
            element.set("href", f"#{prefix}-{panel.name}-{link[1:]}")
        if clip:
            element.set("clip-path", f"url(#{prefix}-{panel.name}-{clip[5:]}")
    return _plain(svg)


def _plain(element: ET.Element) -> str:
    """An element as text, without prefixes of namespaces."""
    text = ET.tostring(element, encoding="unicode")
    return re.sub(r"(</?)ns\d+:", r"\1", re.sub(r' xmlns:ns\d+="[^"]*"', "", text))
