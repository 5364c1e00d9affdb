"""Makes a deck of slides of every lecture: _build/slides/NN.html, one file that needs nothing but a browser.

    python scripts/slides.py                 # all that changed
    python scripts/slides.py 03 12           # these

A deck shows a lecture notebook as it is stored, and its explorers frozen, so that they move without a kernel. What a
cell becomes stands in its metadata, as `"slideshow": {"slide_type": ..., "minutes": ...}`:

    slide              begins a slide; `minutes` is the time for it, of the fifty that a lecture has
    subslide           the same; without a heading of its own it goes on under the last one
    fragment           appears at the next key
    -                  goes on
    notes              for the speaker's window, key S
    skip               is not shown
"""

import ast
import base64
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from html import escape
from importlib.util import find_spec
from pathlib import Path

import nbformat
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

import dptutor as dp
from content import BUILD, ROOT, TABLES, digest
from dptutor.explore.machinery import store
from dptutor.formulas import mathml

os.environ.setdefault("DPTUTOR_TABLES", str(TABLES))
DECKS = BUILD / "slides"
OWN = ROOT / "scripts" / "deck"
REVEAL = Path(find_spec("sphinx_revealjs").origin).parent / "_static" / "revealjs"
FONTS = ROOT / "book" / "_static" / "fonts"
FOUNDATION = [
    "dptutor",
    "scripts/deck",
    "scripts/slides.py",
    "book/_static/fonts",
    "requirements.txt",
    "constraints.txt",
]
# Formulas and the letters in them; words are in the letters of the machine that shows them.
FACES = {"STIX Two Math": "stix-two-math", "Symbols": "stix-two-text-greek-400-italic"}

TALK = 50  # minutes of a lecture
# In ninety minutes every slide has half as much time again, and the exercises have the rest.
LONG, LONGER = 90, 1.5


def main(numbers):
    """Makes the decks named, or all, and the page that lists them all."""
    lectures = {path.stem.split("_")[0]: path for path in sorted((ROOT / "notebooks").glob("*_lecture.ipynb"))}
    if unknown := [number for number in numbers if number not in lectures]:
        print(f"There is no lecture {', '.join(unknown)}. The lectures are {', '.join(lectures)}.")
        return 1
    DECKS.mkdir(parents=True, exist_ok=True)
    library, stale = digest(*FOUNDATION), {}
    for number in numbers or lectures:
        key = digest(lectures[number], chapter(number)) + library
        deck = DECKS / f"{number}.html"
        if not deck.is_file() or f'content="{key}"' not in deck.read_text(encoding="utf-8")[:1000]:
            stale[number] = key
    if stale:
        store.fill()  # on all cores
        print(f"Making {len(stale)} of {len(numbers or lectures)} decks ...", flush=True)
        with ProcessPoolExecutor(min(len(stale), os.cpu_count() or 1)) as pool:
            pages = pool.map(deck_page, stale, [lectures[number] for number in stale], stale.values())
            for number, page in zip(stale, pages, strict=True):
                write(DECKS / f"{number}.html", page)
    write(DECKS / "index.html", list_page(lectures))
    print(f"The decks are in {DECKS.relative_to(ROOT)}/")
    return 0


def write(path, text):
    """In one step: a deck that is half written would look like a whole one."""
    half = path.with_suffix(".half")
    half.write_text(text, encoding="utf-8")
    half.replace(path)


def chapter(number):
    """The page of the book that a lecture goes with."""
    return next((ROOT / "book").glob(f"{number}_*.md"))


def title_of(page):
    """The title of a page of the book, which carries its number."""
    return next(line[2:] for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("# "))


# A deck.


def deck_page(number, notebook, key):
    """The deck of a lecture, as a page."""
    slides = slides_of(nbformat.read(notebook, 4))
    back, title = chapter(number), title_of(chapter(number))
    scripts = [
        (REVEAL / "dist" / "reveal.js").read_text(encoding="utf-8"),
        (REVEAL / "plugin" / "notes" / "notes.js").read_text(encoding="utf-8"),
    ]
    styles = [
        (REVEAL / "dist" / "reset.css").read_text(encoding="utf-8"),
        (REVEAL / "dist" / "reveal.css").read_text(encoding="utf-8"),
        *(face(name, file) for name, file in FACES.items()),
        (OWN / "deck.css").read_text(encoding="utf-8"),
        HtmlFormatter(style="a11y-high-contrast-light").get_style_defs(".deck-code"),
        HtmlFormatter(style="a11y-high-contrast-dark").get_style_defs("[data-theme=dark] .deck-code"),
    ]
    return (
        '<!DOCTYPE html>\n<html lang="en" data-theme="light"><head><meta charset="utf-8">'
        f"<title>{escape(title)}</title>"
        f'<meta name="made-from" content="{key}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">'
        f"{''.join(f'<style>{style}</style>' for style in styles)}</head>"
        f'<body><div class="reveal"><div class="slides">{"".join(timed(slides))}</div></div>'
        f'<footer class="deck-foot"><a href="../html/book/{back.stem}.html">{escape(title)}</a>'
        '<span class="deck-clock"></span></footer>'
        f"{''.join(inline_script(script) for script in scripts)}"
        f'<script type="module">{(OWN / "deck.js").read_text(encoding="utf-8")}</script></body></html>\n'
    )


def face(name, file):
    """A font in the page; of the second it has Greek letters only."""
    packed = base64.b64encode((FONTS / f"{file}.woff2").read_bytes()).decode()
    some = "" if name.endswith("Math") else "unicode-range:U+3B1-3C9,U+3D1,U+3D5,U+3F5;"
    return f'@font-face{{font-family:"{name}";{some}src:url(data:font/woff2;base64,{packed}) format("woff2")}}'


def inline_script(text):
    """A script in the page; nothing in it ends the element."""
    return "<script>" + text.replace("</script", "<\\/script") + "</script>"


class Slide:
    """What is seen, what is said, and how long it takes."""

    def __init__(self, minutes):
        self.minutes = minutes
        self.shown = []
        self.said = []
        self.title = ""


def slides_of(notebook):
    """The slides of a notebook."""
    slides = []
    for cell in notebook.cells:
        show = cell.metadata.get("slideshow", {})
        kind = show.get("slide_type", "-")
        if kind == "skip":
            continue
        if kind in {"slide", "subslide"} or not slides:
            slides.append(Slide(show.get("minutes", 0)))
            if kind == "subslide" and not cell.source.startswith("#"):
                slides[-1].title = slides[-2].title
                slides[-1].shown.append(f'<div class="deck-prose deck-again">{prose(f"## {slides[-2].title}")}</div>')
        slide = slides[-1]
        if kind == "notes":
            slide.said.append(prose(cell.source))
            continue
        if not slide.title and cell.cell_type == "markdown":
            slide.title = cell.source.splitlines()[0].strip("# ")
        classes, inside = shown(cell, slide.title)
        slide.shown.append(f'<div class="{classes}{" fragment" * (kind == "fragment")}">{inside}</div>')
    return slides


def timed(slides):
    """The slides as elements, each with the minutes in which it is on, in a short lecture and in a long one."""
    begin = begin_long = 0
    for number, slide in enumerate(slides, 1):
        end = begin + slide.minutes
        end_long = LONG if number == len(slides) else round(LONGER * end)
        when = f"<p><b>Minute {begin} to {end} of {TALK}</b> ({begin_long} to {end_long} of {LONG})</p>"
        yield (
            f'<section data-end="{end}" data-end-long="{end_long}"><div class="deck-slide">{"".join(slide.shown)}</div>'
            f'<aside class="notes">{"".join([when, *slide.said])}</aside></section>'
        )
        begin, begin_long = end, end_long


def shown(cell, title):
    """Class and content of a cell's element."""
    if cell.cell_type == "markdown":
        return "deck-prose", prose(cell.source)
    if explorer := explorer_of(cell.source):
        return "deck-explorer", explorer.frozen().html
    code = highlight(cell.source, PythonLexer(), HtmlFormatter(nowrap=True))
    code = f'<pre class="deck-code" tabindex="0"><code>{code}</code></pre>'
    outputs = [output_of(output, title) for output in joined(cell.outputs)]
    result = f'<div class="deck-outputs">{"".join(outputs)}</div>'
    if not any(output.startswith("<img") for output in outputs):
        return "deck-cell", code + result
    # A picture has the room, the code that draws it is at hand.
    return "deck-cell", f'{result}<details class="deck-fold"><summary>The code</summary>{code}</details>'


class Renderer(IPythonRenderer):
    """Markdown as notebooks have it, with formulas that need no script."""

    def inline_math(self, body):
        return mathml(body)

    def block_math(self, body):
        return f'<div class="math">{mathml(body, display=True)}</div>'

    def latex_environment(self, name, body):
        return self.block_math(f"\\begin{{{name}}}{body}\\end{{{name}}}")


def prose(source):
    """Markdown as HTML."""
    return MarkdownWithMath(renderer=Renderer(escape=False, exclude_anchor_links=True)).render(source)


def explorer_of(source):
    """The explorer that a cell ends with, as `dp.explore.name(sigma=2)`; else nothing."""
    match ast.parse(source).body:
        case [*_, ast.Expr(ast.Call(ast.Attribute(ast.Attribute(ast.Name("dp"), "explore"), name), [], settings))]:
            return getattr(dp.explore, name)(**{s.arg: ast.literal_eval(s.value) for s in settings})


def joined(outputs):
    """The outputs, what was printed in several pieces in one."""
    whole = []
    for output in outputs:
        if whole and output.output_type == whole[-1].output_type == "stream":
            whole[-1] = nbformat.from_dict({**output, "text": whole[-1].text + output.text})
        else:
            whole.append(output)
    return whole


def output_of(output, title):
    """An output as it is stored."""
    if output.output_type == "stream":
        return printed(output.text)
    data = output.data
    if "image/png" in data:
        picture = base64.b64encode(base64.b64decode(data["image/png"])).decode()
        return f'<img src="data:image/png;base64,{picture}" alt="Plot: {escape(title)}">'
    if "text/html" in data:
        return data["text/html"]
    return printed(data["text/plain"])


def printed(text):
    """What was printed; sentences are broken, tables are not."""
    sentences = any(len(line) > 90 for line in text.splitlines())
    return f'<pre tabindex="0"{" class=deck-sentences" * sentences}>{escape(text)}</pre>'


# The list.


def list_page(lectures):
    """The page that lists the decks."""
    rows = "".join(
        f'<li><a href="{number}.html">{escape(title_of(chapter(number)))}</a></li>'
        for number in lectures
        if (DECKS / f"{number}.html").is_file()
    )
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>Lectures</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">'
        "<style>html{color-scheme:light dark}body{font:1.2rem/1.6 system-ui,sans-serif;margin:2rem auto;"
        "max-width:44rem;padding:0 1rem}ol{list-style:none;padding:0}</style></head><body><main><h1>Lectures</h1>"
        f"<ol>{rows}</ol><p>In a deck, the arrow keys go through the slides, S opens the speaker's window, F fills the "
        "screen, D darkens, T turns the clock from fifty to ninety minutes and off, O shows all slides, and ? lists "
        "the keys. The address of slide 7 ends in <code>#/7</code>.</p>"
        '<p><a href="../html/index.html">Back to the book</a></p></main></body></html>\n'
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
