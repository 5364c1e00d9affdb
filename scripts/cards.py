"""The cards of the pages, for other sites to show beside a link: 1200 × 630, light, of at most 256 colors.

The card of a page has its title and its first picture, an explorer or a figure, drawn from the SVG in the page.
"""

import base64
import io
import re
import textwrap
from pathlib import Path

import numpy as np
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.image import imread
from matplotlib.patches import PathPatch
from matplotlib.path import Path as MplPath
from matplotlib.patheffects import withStroke
from matplotlib.transforms import Affine2D, TransformedPath
from selectolax.lexbor import LexborHTMLParser

from dptutor.explore.machinery.picture import png
from dptutor.palette import BLUE, GREY, INK, PURPLE, VERMILLION
from sharing import CARD, CARDS, PICTURES, plain

FAMILY = ["STIXGeneral", "DejaVu Sans"]  # which has what the first lacks


def write(site: Path, pages, book: str):
    """The cards of all pages that have a picture, and the one of the others."""
    draw(site / CARD, book)
    for page in pages:
        draw_page(site, page, book, site / CARDS / f"{page}.png")


def draw(file: Path, title: str):
    """The card of pages without a picture: two worlds and a line between them."""
    figure = card("Were they in the data?", title)
    axes = figure.add_axes((0.05, 0.06, 0.9, 0.56))
    x = np.linspace(-3.4, 4.4, 400)
    for center, color in ((0, BLUE), (1, VERMILLION)):
        y = np.exp(-((x - center) ** 2) / 2)
        axes.plot(x, y, color=color, linewidth=3)
        wrong = x >= 0.5 if center == 0 else x <= 0.5
        axes.fill_between(x, y, color=color, alpha=0.1, linewidth=0)
        axes.fill_between(x, y, where=wrong, color=color, alpha=0.4, linewidth=0)
    axes.plot([0.5, 0.5], [0, 1.2], color=PURPLE, linewidth=4)
    axes.axhline(0, color=INK, linewidth=1.5)
    axes.set_xlim(-3.4, 4.4)
    axes.set_ylim(-0.02, 1.22)
    axes.set_axis_off()
    save(figure, file)


def draw_page(site: Path, page: str, book: str, card_file: Path):
    """The card of a page that has a picture."""
    file = site / f"{page}.html"
    tree = LexborHTMLParser(file.read_text(encoding="utf-8"))
    found = tree.css_first(PICTURES)
    if not found:
        return
    if found.tag == "img":
        text = (file.parent / found.attributes["src"]).read_text(encoding="utf-8")
        panels = LexborHTMLParser(text[text.index("<svg") :]).css("svg")
    else:
        panels = found.css("svg.dpe-panel")
    heading = LexborHTMLParser(tree.css_first("h1").html)
    for other in heading.css(".headerlink, .chapter"):
        other.decompose()
    figure = card(" ".join(plain(heading.text()).split()), book)
    paint(figure, [Drawing(panel) for panel in panels])
    save(figure, card_file)


def card(title: str, book: str) -> Figure:
    """A card that names the book, and below it what it is about, in at most two lines."""
    figure = Figure(figsize=(1200 / 108, 630 / 108), dpi=108, facecolor="#fffefb")
    figure.text(0.05, 0.9, book, family=FAMILY, fontsize=19, color=GREY)
    lines = textwrap.wrap(title, 46)[:2]
    size = 40 if len(lines) == 1 else 30
    title = "\n".join(lines)
    figure.text(0.05, 0.87, title, family=FAMILY, fontsize=size, fontweight="bold", color=INK, va="top")
    return figure


def paint(figure: Figure, drawings):
    """Pictures side by side, as large as there is room."""
    wide, high = sum(one.box[2] for one in drawings), max(one.box[3] for one in drawings)
    scale = min(1080 / wide, 420 / high)  # pixels of a unit
    across, up = wide * scale / 1200, high * scale / 630
    axes = figure.add_axes((0.5 - across / 2, 0.03, across, up))
    axes.set_axis_off()
    start = 0.0
    for one in drawings:
        one.paint(axes, start, scale * 72 / 108)
        start += one.box[2]
    axes.set(xlim=(0, wide), ylim=(high, 0))


def save(figure: Figure, file: Path):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(png(figure))


class Drawing:
    """An SVG as matplotlib writes it, of paths, marks and letters, to be drawn by matplotlib."""

    def __init__(self, svg):
        self.svg = svg
        self.box = [float(side) for side in svg.attributes["viewBox"].split()]
        self.named = {one.attributes["id"]: one for one in svg.css("[id]")}

    def paint(self, axes, start: float, points: float):
        """Draws it into axes whose units are its own; `points` of a unit are the width of a line of 1."""
        self.axes, self.points = axes, points
        place = Affine2D().translate(start - self.box[0], -self.box[1])
        for part in self.svg.iter():
            self.part(part, place, {"fill": "#000000"}, None)

    def part(self, node, place, style, clip):
        named = node.attributes
        classes = (named.get("class") or "").split()
        if node.tag == "defs" or named.get("display") == "none" or "dpe-veiled" in classes:
            return
        style = style | styled(named)
        place = transformed(named.get("transform") or "") + place
        if found := re.match(r"url\(#(.*)\)", named.get("clip-path") or ""):
            x, y, width, height = (float(self.named[found[1]].css_first("rect").attributes[side])
                                   for side in ("x", "y", "width", "height"))  # fmt: skip
            clip = TransformedPath(MplPath.unit_rectangle(), Affine2D().scale(width, height).translate(x, y) + place
                                   + self.axes.transData)  # fmt: skip
        if node.tag == "path":
            self.stroke(outline(named.get("d") or ""), place, style, clip)
        elif node.tag == "use":
            mark = self.named[(named.get("href") or named["xlink:href"]).lstrip("#")]
            moved = Affine2D().translate(float(named.get("x") or 0), float(named.get("y") or 0))
            inner = transformed(mark.attributes.get("transform") or "")
            self.stroke(
                outline(mark.attributes.get("d") or ""), inner + moved + place, styled(mark.attributes) | style, clip
            )
        elif node.tag == "image":
            self.show(named, place)
        elif node.tag == "text":
            self.write(node, place, style)
        else:
            for below in node.iter():
                self.part(below, place, style, clip)

    def stroke(self, path, place, style, clip):
        if not len(path.vertices):
            return
        width = float(style.get("stroke-width", "1").removesuffix("px"))
        dashes = [float(length) / width for length in re.findall(r"[\d.]+", style.get("stroke-dasharray", ""))]
        line = shade(style.get("stroke", "none"), style, "stroke-opacity")
        patch = PathPatch(
            place.transform_path(path),
            facecolor=shade(style["fill"], style, "fill-opacity"),
            edgecolor=line,
            linewidth=0 if line == "none" else width * self.points,
            linestyle=(0, dashes) if dashes else "-",
            clip_on=clip is not None,
        )
        self.axes.add_patch(patch)
        if clip:
            patch.set_clip_path(clip)

    def show(self, named, place):
        x, y, width, height = (float(named[side]) for side in ("x", "y", "width", "height"))
        data = imread(io.BytesIO(base64.b64decode(named["xlink:href"].partition(",")[2])))
        extent = (x, x + width, y + height, y)
        self.axes.imshow(data, extent=extent, aspect="auto", transform=place + self.axes.transData)

    def write(self, node, place, style):
        at = [float((node.attributes.get(side) or "0").split()[0]) for side in ("x", "y")]
        x, y = place.transform(at)
        turned = "rotate(-90" in (node.attributes.get("transform") or "")
        size = float(re.match(r"[\d.]+", style.get("font-size", "11.5"))[0])
        anchor = {"middle": "center", "end": "right"}.get(style.get("text-anchor", "start"), "left")
        letters = {
            "color": shade(style["fill"], style, "fill-opacity"),
            "fontsize": size * self.points,
            "fontweight": style.get("font-weight", "normal"),
            "path_effects": [withStroke(linewidth=2.5 * self.points, foreground="#fffefb")],
        }
        place = {"ha": anchor, "va": "baseline", "rotation": 90 * turned, "rotation_mode": "anchor"}
        said = " ".join(node.text().replace("\u200b", "").split()).replace("$", r"\$")
        self.axes.text(x, y, said, **place, **letters)


def styled(attributes) -> dict[str, str]:
    """What the style of an element says."""
    pairs = (pair.split(":", 1) for pair in (attributes.get("style") or "").split(";") if ":" in pair)
    return {name.strip(): value.strip() for name, value in pairs}


def shade(said: str, style: dict[str, str], opacity: str):
    """A color of SVG as matplotlib's; of a variable of a page it is the light one."""
    if said == "none":
        return said
    found = re.search("#[0-9a-f]{3,6}", said)
    return to_rgba(found[0] if found else said, float(style.get("opacity", 1)) * float(style.get(opacity, 1)))


def transformed(said: str) -> Affine2D:
    """The transformation that an attribute names; what is named last is done first."""
    whole = Affine2D()
    for name, numbers in re.findall(r"(\w+)\(([^)]*)\)", said):
        first, *rest = (float(number) for number in re.split(r"[ ,]+", numbers.strip()))
        match name:
            case "translate":
                one = Affine2D().translate(first, rest[0] if rest else 0)
            case "scale":
                one = Affine2D().scale(first, rest[0] if rest else first)
            case "rotate":
                one = Affine2D().rotate_deg_around(*rest, first) if rest else Affine2D().rotate_deg(first)
        whole = one + whole
    return whole


def outline(data: str) -> MplPath:
    """The path of SVG data with M, L, Q, C and Z."""
    vertices, codes = [], []
    for letter, numbers in re.findall("([MLQCZz])([^MLQCZz]*)", data):
        points = np.array([float(number) for number in re.findall(r"-?[\d.]+(?:e-?\d+)?", numbers)]).reshape(-1, 2)
        kind = {"M": MplPath.MOVETO, "L": MplPath.LINETO, "Q": MplPath.CURVE3, "C": MplPath.CURVE4}.get(letter)
        vertices += [*points] if kind else [[0, 0]]
        codes += [kind] * len(points) if kind else [MplPath.CLOSEPOLY]
    return MplPath(np.reshape(vertices, (-1, 2)), codes)
