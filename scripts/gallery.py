"""All explorers on one page, `book/explorers.html`: a picture of each, its question, its page, and ways to show it.

The pictures are the explorers' own: what is drawn in their large panel, without letters, grid and marks of axes. They
are taken from the finished pages, as is the rest of a card, so that nothing is said twice.
"""

import re
from html import escape
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser

PAGE = "book/explorers"
# What is no curve: letters, names beside curves, grips.
LETTERS = "title, text, .dpe-still, .dpe-veiled, .dpe-name, .dpe-grip"
# What an explorer shows, by the names of its panels, and what a reader does with it, by what its page has.
SHOWN = {
    "tradeoff": "trade-off function",
    "privacy_profile": "privacy profile",
    "profile": "privacy profile",
    "bayes_error": "Bayes error",
    "renyi": "Rényi divergence",
    **dict.fromkeys(("leads", "regret", "regrets", "difference"), "regret"),
    **dict.fromkeys(("beliefs", "here"), "posterior belief"),
    **dict.fromkeys(("growth", "totals", "whole"), "composition"),
}
DONE = {
    "[data-ask]": "predict first",
    "[data-game=start]": "a game",
    "[data-samples=play]": "draw samples",
    "[data-play]": "plays by itself",
}
SECOND = {"hyper_prior"}  # those of which the small panel says more
CHOICE = '<label><input type="radio" name="part" value="{part}">{part}</label>\n'
CARD = """<li data-part="{part}"><a href="{page}.html#explorer-{name}">{picture}<strong>{question}</strong></a>
<span>{title}</span>
<ul class="gallery-tags" aria-label="Tags">{tags}</ul>
<details><summary>In your lecture</summary>
<p><a href="../embed/{name}.html">Alone on a page</a>, for a projector or a link. In another page:</p>
<pre>&lt;iframe src="…/embed/{name}.html" width="100%" height="740"&gt;&lt;/iframe&gt;</pre>
<p>In a notebook:</p>
<pre>from dptutor.explore import {name}
{name}()</pre>
{lecture}</details></li>
"""
LECTURE = """<p>In <a href="../notebooks/{file}_lecture.html">lecture {number}</a>; <code>make slides</code> makes it a
deck.</p>
"""


def fill(site: Path, pages, parts):
    """Writes the cards of all explorers of the book's `pages`, in the order of these, into the gallery.

    `parts` has the part of the book of each page. A card leads to the page where its explorer comes first, which
    is a chapter if any chapter has it.
    """
    file = site / f"{PAGE}.html"
    if not file.is_file():
        return
    cards = {}
    for page in sorted((page for page in pages if page in parts), key=lambda page: not chapter(page)):
        text = (site / f"{page}.html").read_text(encoding="utf-8")
        if "data-explorer=" in text:
            tree = LexborHTMLParser(text)
            for explorer in tree.css("[data-explorer]"):
                cards.setdefault(explorer.attributes["data-explorer"], (tree, explorer, page))
    made = [card(*found, parts[found[2]]) for found in cards.values()]
    text = file.read_text(encoding="utf-8")
    new = filled(filled(text, "parts", choices(made)), "cards", "".join(made))
    if new != text:
        file.write_text(new, encoding="utf-8")


def chapter(page):
    """The number of a chapter, as its files have it; of another page nothing."""
    found = re.match(r"book/(\d\d)_", page)
    return found[1] if found else ""


def filled(text, name, inside):
    """A page with something between its two marks of this name."""
    start, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    before, _, rest = text.partition(start)
    return f"{before}{start}{inside}{end}{rest.partition(end)[2]}"


def choices(cards):
    """A button for each part of the book that has explorers, and what it hides."""
    found = dict.fromkeys(re.search('data-part="([^"]*)"', one)[1] for one in cards)
    buttons = "".join(CHOICE.format(part=part) for part in found)
    hidden = ",".join(
        f'.gallery:has([value="{part}"]:checked) .gallery-cards>li:not([data-part="{part}"])' for part in found
    )
    return f"{buttons}<style>{hidden}{{display:none}}</style>" if found else ""


def card(tree, explorer, page, part):
    heading = LexborHTMLParser(tree.css_first("h1").html).css_first("h1")
    for other in heading.css(".headerlink, .chapter"):
        other.decompose()
    title, number = escape(" ".join(heading.text().split())), chapter(page)
    return CARD.format(
        part=escape(part),
        page=page.removeprefix("book/"),
        lecture=LECTURE.format(file=number, number=int(number)) if number else "",
        name=explorer.attributes["data-explorer"],
        picture=picture(explorer.css("svg.dpe-panel")[explorer.attributes["data-explorer"] in SECOND]),
        question=explorer.css_first(".dpe-find strong").inner_html,
        title=f"{int(number)} {title}" if number else title,
        tags="".join(f"<li>{tag}</li>" for tag in tags(explorer)),
    )


def tags(explorer):
    """What an explorer shows and what can be done with it, each once."""
    panels = [panel.attributes["data-panel"] for panel in explorer.css("svg.dpe-panel")]
    shown = [SHOWN[panel] for panel in panels if panel in SHOWN]
    return list(dict.fromkeys([*shown, *(tag for mark, tag in DONE.items() if explorer.css(mark))]))


def picture(panel):
    """A panel without what would be too small to read."""
    small = LexborHTMLParser(panel.html, is_fragment=True)
    svg = small.css_first("svg")
    for part in svg.css(LETTERS):
        part.decompose()
    for path in svg.css("path"):
        if "--dpe-pale" in (path.attributes.get("style") or ""):  # the grid
            path.decompose()
    marks = {
        path.attributes["id"]
        for path in svg.css("defs > path[id]")
        if re.fullmatch(r"M 0 0 L \S+ \S+", path.attributes["d"])
    }
    for use in svg.css("use"):
        if use.attributes["href"].lstrip("#") in marks:
            use.decompose()
    if frame := svg.css_first("clipPath rect, clippath rect"):
        x, y, width, height = (float(frame.attributes[name]) for name in ("x", "y", "width", "height"))
        svg.attrs["viewBox"] = f"{x - 4} {y - 4} {width + 8} {height + 8}"
    for group in reversed(svg.css("g")):
        if not group.css("path, use, circle, rect, polygon"):
            group.decompose()
    for name in ("class", "data-panel", "style", "role"):
        if name in svg.attrs:
            del svg.attrs[name]
    svg.attrs["aria-hidden"] = "true"
    # Two pictures of a page must not share names.
    return re.sub(r'(id="|#)dpe-', r"\1gallery-", rounded(svg.html))


def rounded(html):
    """A tenth of a pixel is enough for a picture of this size."""
    return re.sub(r"-?\d+\.\d\d+", lambda number: f"{float(number[0]):.1f}".removesuffix(".0"), html)
