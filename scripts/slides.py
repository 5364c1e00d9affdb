"""Makes a deck of slides of every lecture: _build/slides/NN.html, one file that needs nothing but a browser.

    python scripts/slides.py                                        # all that changed
    python scripts/slides.py 03 12                                  # these
    python scripts/slides.py mine.ipynb --title Privacy --logo us.svg   # a notebook of one's own
    python scripts/slides.py --room https://…/play.html             # where phones find play.html without room.py
    python scripts/slides.py 03 --paper a4                          # and _build/slides/03.pdf, two slides to a sheet

A deck shows the outputs of a notebook's code, and its explorers frozen, so that they move without a kernel. A notebook
that was not run since its code was changed, or that cannot say so, is run first. What a cell becomes stands in its
metadata, as `"slideshow": {"slide_type": ..., "minutes": ..., "notes": ...}`:

    slide              begins a slide; `minutes` is the time for it, of the fifty that a lecture has
    subslide           the same; without a heading of its own it goes on under the last one
    fragment           appears at the next key
    -                  goes on
    notes              for the speaker's window, key S; so is what stands in `notes` of any other cell
    skip               is not shown

A cell's metadata can also ask the room: `"room": {"vote": NAME, "text": ..., "choices": [...]}` takes the votes on a
question, `{"again": NAME, "right": 1}` shows them once more, beside what is true, and `{"curve": "Gaussian(1)", "name":
NAME}` has the points of a class that played against a mechanism (`room.py` lets phones send them).

A heading of the first two levels begins a slide where its cell does not say what it is. The title at the foot, and a
logo beside it, may stand in the notebook's metadata, as `"deck": {"title": ..., "logo": FILE}`.
"""

import argparse
import ast
import base64
import hashlib
import json
import mimetypes
import os
import re
import struct
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from html import escape
from importlib.util import find_spec
from pathlib import Path

import nbformat
import numpy as np
from docutils.utils.smartquotes import educate_tokens
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer
from pypdf import PdfWriter

import dptutor as dp
from browser import NONE, installed
from content import BUILD, ROOT, TABLES, digest
from dptutor.explore.machinery import packing
from dptutor.formulas import mathml
from notebooks import code_digest, executed, is_setup
from printing import print_page

os.environ.setdefault("DPTUTOR_TABLES", str(TABLES))
DECKS = BUILD / "slides"
PHONE = "play.html"  # the page that phones open
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

# A formula in a line, and the mark after it.
POINTED = re.compile(r"(<math(?: (?!display)[^>]*)?>(?:(?!</math>).)*</math>)([.,:;?!)]+)", re.DOTALL)

# Quotation marks stay as they are in code, in formulas and in tags.
KEPT = "<code", "<pre", "<math"
MARKUP = re.compile(r"(<(?:code|pre|math)\b.*?</(?:code|pre|math)>|<[^>]*>)", re.DOTALL)

# What a line does not break: f-DP, and σ = 2.
WHOLE = re.compile(r"(?<!\w)\w-(?=\w)| = (?=\d)")
NO_BREAK = str.maketrans({" ": "\N{NO-BREAK SPACE}", "-": "\N{NON-BREAKING HYPHEN}"})

PROSE, PICTURE, UPRIGHT = "deck-prose", "deck-cell deck-picture", " deck-upright"  # classes of what a cell becomes

TALK = 50  # minutes of a lecture
# In ninety minutes every slide has 50% more time, and the exercises have the rest.
LONG, LONGER = 90, 1.5


def main(arguments):
    """Makes the decks named, or all, and the page that lists them all."""
    asked = options(arguments)
    lectures = {name: Lecture(path) for name, path in book_lectures().items()}
    own = {Path(name).stem: Lecture(Path(name), asked.title, asked.logo) for name in asked.names if is_file(name)}
    if asked.room and not re.fullmatch(r"https?://[!-~]+", asked.room):
        print(f"ROOM={asked.room} is no address: give that of play.html, as in ROOM=https://example.org/play.html")
        return 1
    lectures, own = ({name: replace(one, room=asked.room) for name, one in some.items()} for some in (lectures, own))
    if unknown := [name for name in asked.names if not is_file(name) and name not in lectures]:
        print(f"There is no lecture {', '.join(unknown)}. The lectures are {', '.join(lectures)}.")
        return 1
    if wrong := [str(file) for lecture in own.values() for file in lecture.files if not file.is_file()]:
        print(f"There is no file {', '.join(wrong)}.")
        return 1
    chromium = installed()
    if asked.paper and not chromium:
        print(NONE)
        return 1
    DECKS.mkdir(parents=True, exist_ok=True)
    wanted = own | {name: lectures[name] for name in asked.names or lectures if name in lectures and name not in own}
    library, stale = digest(*FOUNDATION), {}
    for name, lecture in wanted.items():
        key = lecture.digest() + library
        if not is_made(DECKS / f"{name}.html", key):
            stale[name] = key
    problems = []
    if stale:
        packing.fill(dp.explore.__all__)  # on all cores
        print(f"Making {len(stale)} of {len(wanted)} decks ...", flush=True)
        with ProcessPoolExecutor(min(len(stale), os.cpu_count() or 1)) as pool:
            made = [pool.submit(deck_page, wanted[name], key) for name, key in stale.items()]
            for name, page in zip(stale, made, strict=True):
                try:
                    write(DECKS / f"{name}.html", page.result())
                except CannotShowError as problem:
                    problems.append(str(problem))
    if not is_made(DECKS / PHONE, library):
        write(DECKS / PHONE, phone_page(library))
    write(DECKS / "index.html", list_page())
    print("\n".join([*problems, f"The decks are in {DECKS.relative_to(ROOT)}/"]))
    if asked.paper and not problems:
        for name in wanted:
            sheets = on_paper(chromium, DECKS / f"{name}.html", asked.paper)
            print(f"{sheets} sheets are in {(DECKS / name).relative_to(ROOT)}.pdf")
    return len(problems)


def options(arguments):
    parser = argparse.ArgumentParser(prog="slides.py", description="Makes decks of slides.")
    parser.add_argument("names", nargs="*", help="numbers of lectures, or notebooks of one's own")
    parser.add_argument("--title", help="at the foot of an own deck")
    parser.add_argument("--logo", type=Path, help="a picture for the foot of an own deck")
    parser.add_argument("--room", default="", help="the address of play.html, for phones")
    parser.add_argument("--paper", choices=["a4", "letter"], help="print handouts on this paper")
    return parser.parse_args(arguments)


def is_made(page, key):
    """Whether a page was made from what the key stands for."""
    return page.is_file() and f'content="{key}"' in page.read_text(encoding="utf-8")[:1000]


def is_file(name):
    return name.endswith(".ipynb")


def book_lectures():
    """The notebooks of the lectures, by the name of their deck: a chapter's is its number."""
    found = sorted((ROOT / "notebooks").glob("*_lecture.ipynb"))
    return {path.stem.removesuffix("_lecture"): path for path in found}


def on_paper(chromium, deck, size):
    """Prints a deck beside it; tells how many sheets that makes."""
    with tempfile.TemporaryDirectory() as folder:
        sheets = print_page(chromium, f"{deck.as_uri()}?paper={size}", Path(folder) / "browser")
        writer = PdfWriter(clone_from=sheets)
        writer.write(deck.with_suffix(".pdf"))
        return len(sheets.pages)


class CannotShowError(Exception):
    """A cell that no slide can show."""


@dataclass(frozen=True)
class Lecture:
    """A notebook that becomes a deck; title and logo, if given, come before those of its metadata."""

    path: Path
    title: str | None = None
    logo: Path | None = None
    room: str = ""

    @property
    def files(self):
        return [file for file in (self.path, self.logo) if file]

    @property
    def chapter(self):
        """The page of the book that it goes with, if it is one of the book's."""
        if self.path.resolve().parent != ROOT / "notebooks":
            return None
        return next((ROOT / "book").glob(f"{self.path.stem.removesuffix('_lecture')}_*.md"), None)

    def digest(self):
        found = hashlib.sha256(f"{self.title} {self.room} {self.chapter and title_of(self.chapter)}".encode())
        for file in self.files:
            found.update(file.read_bytes())
        return found.hexdigest()

    def foot(self, notebook):
        """Title and logo of its deck."""
        said = notebook.metadata.get("deck", {})
        headings = [cell.source for cell in notebook.cells if cell.cell_type == "markdown" and cell.source[:1] == "#"]
        heading = headings[0].splitlines()[0].strip("# ") if headings else self.path.stem
        title = self.title or said.get("title") or (title_of(self.chapter) if self.chapter else heading)
        logo = self.logo or (self.path.parent / said["logo"] if "logo" in said else None)
        if logo and not logo.is_file():
            raise CannotShowError(f"{self.path.name}: there is no file {logo}.")
        return title, logo


def write(path, text):
    """In one step: a deck that is half written would look like a whole one."""
    half = path.with_suffix(".half")
    half.write_text(text, encoding="utf-8")
    half.replace(path)


def title_of(page):
    """The title of a page of the book, which carries its number."""
    return next(line[2:] for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("# "))


# A deck.


def deck_page(lecture, key):
    """The deck of a lecture, as a page."""
    notebook = up_to_date(nbformat.read(lecture.path, 4), lecture.path)
    title, logo = lecture.foot(notebook)
    slides = slides_of(notebook, lecture.path, lecture.room)
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
        f'{"".join(f"<style>{style}</style>" for style in styles)}<style id="deck-sheet"></style></head>'
        f'<body><div class="reveal"><div class="slides">{"".join(timed(slides))}</div></div>'
        # Nothing here leads out of the file: it may lie alone on a stick.
        f'<footer class="deck-foot">{picture(logo)}<a href="#/1">{escape(title)}</a>'
        '<span class="deck-clock"></span></footer>'
        f"{''.join(inline_script(script) for script in scripts)}"
        f"{module('deck.js', 'qr.js', 'room.js')}{module('speaker.js')}</body></html>\n"
    )


def up_to_date(notebook, path):
    """The notebook with the outputs of its code; it is run if they may be others'."""
    code = [cell for cell in notebook.cells if cell.cell_type == "code" and not is_setup(cell)]
    if not any(cell.source.strip() for cell in code) or notebook.metadata.get("ran") == code_digest(notebook):
        return notebook
    try:
        executed(notebook, path.resolve().parent)
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
        reason = str(error).strip().splitlines()[-1]
        raise CannotShowError(
            f"{path.name} cannot be run, so its outputs may be those of other code: {reason}"
        ) from error
    return notebook


def module(*names):
    """Scripts that share their names."""
    return f'<script type="module">{"".join((OWN / name).read_text(encoding="utf-8") for name in names)}</script>'


def picture(file):
    """A picture in the page, if there is one."""
    if not file:
        return ""
    kind = mimetypes.guess_type(file.name)[0] or "image/png"
    return f'<img src="data:{kind};base64,{base64.b64encode(file.read_bytes()).decode()}" alt="">'


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
        self.kinds = []

    @property
    def layout(self):
        """The classes of its box: a picture without words has all of it, others may stand beside their words."""
        pictures = [kind for kind in self.kinds if kind.startswith(PICTURE)]
        if len(pictures) != 1 or not set(self.kinds) <= {PROSE, *pictures}:
            return "deck-slide"
        before = "".join(self.shown[: self.kinds.index(pictures[0])])
        if not re.sub(r"<h\d.*?</h\d>|<[^>]*>", "", before).strip():
            return "deck-slide deck-alone"
        return "deck-slide deck-two" if pictures[0].endswith(UPRIGHT) else "deck-slide"


def slides_of(notebook, path, room=""):
    """The slides of a notebook; `room` is where phones find their page, if nobody serves it."""
    slides, asked = [], {}
    for number, cell in enumerate(notebook.cells, 1):
        show = cell.metadata.get("slideshow", {})
        heading = cell.cell_type == "markdown" and re.match("##? ", cell.source)
        kind = show.get("slide_type") or ("slide" if heading else "-")
        if kind == "skip" or "remove-cell" in cell.metadata.get("tags", []) or cell.cell_type == "raw":
            continue
        if kind in {"slide", "subslide"} or not slides:
            slides.append(Slide(show.get("minutes", 0)))
            if kind == "subslide" and not cell.source.startswith("#") and len(slides) > 1:
                slides[-1].title = slides[-2].title
                slides[-1].kinds.append(PROSE)
                slides[-1].shown.append(f'<div class="deck-prose deck-again">{prose(f"## {slides[-2].title}")}</div>')
        slide = slides[-1]
        try:
            if kind == "notes":
                slide.said.append(prose(cell.source))
                continue
            if "notes" in show:
                slide.said.append(prose(show["notes"]))
            if not slide.title and cell.cell_type == "markdown" and cell.source.strip():
                slide.title = cell.source.strip().splitlines()[0].strip("# ")
            classes, inside = shown(cell, slide.title, path)
            slide.kinds.append(classes)
            if "room" in cell.metadata:
                inside += asking(cell.metadata["room"], asked, path.stem, room)
        except Exception as error:
            raise CannotShowError(f"{path.name}, cell {number}, cannot be shown: {error}") from error
        slide.shown.append(f'<div class="{classes}{" fragment" * (kind == "fragment")}">{inside}</div>')
    return slides


def timed(slides):
    """The slides as elements, each with the minutes in which it is on, in a short lecture and in a long one."""
    begin = begin_long = 0
    talk = sum(slide.minutes for slide in slides)
    for number, slide in enumerate(slides, 1):
        end = begin + slide.minutes
        end_long = LONG if number == len(slides) else round(LONGER * end)
        when = f"<b>Minute {begin} to {end} of {talk}</b>" if talk else ""
        when += f" ({begin_long} to {end_long} of {LONG})" if talk == TALK else ""
        yield (
            f'<section data-end="{end}" data-end-long="{end_long}">'
            f'<div class="{slide.layout}">{"".join(slide.shown)}</div>'
            f'<aside class="notes">{"".join([f"<p>{when}</p>" if when else "", *slide.said])}</aside></section>'
        )
        begin, begin_long = end, end_long


def shown(cell, title, path):
    """Class and content of a cell's element."""
    if cell.cell_type == "markdown":
        return PROSE, prose(cell.source, attachments=cell.get("attachments", {}), path=str(path.parent))
    if explorer := explorer_of(cell.source):
        return "deck-explorer", explorer.frozen().html
    code = highlight(cell.source, PythonLexer(), HtmlFormatter(nowrap=True))
    code = f'<pre class="deck-code" tabindex="0"><code>{code}</code></pre>'
    outputs = [output_of(output, title) for output in joined(cell.outputs) if output.get("data") != {}]
    result = f'<div class="deck-outputs">{"".join(outputs)}</div>'
    if "remove-input" in cell.metadata.get("tags", []):
        return "deck-cell", result
    if not any(output.startswith("<img") for output in outputs):
        return "deck-cell", code + result
    # A picture has the room, the code that draws it is at hand.
    classes = PICTURE + UPRIGHT * is_upright(cell.outputs)
    return classes, f'{result}<details class="deck-fold"><summary>The code</summary>{code}</details>'


def is_upright(outputs):
    """Whether the pictures of a cell leave room beside them."""
    sizes = [
        struct.unpack(">II", base64.b64decode(o.data["image/png"])[16:24])
        for o in outputs
        if "image/png" in o.get("data", {})
    ]
    return bool(sizes) and all(width < 1.4 * height for width, height in sizes)


# What the room is asked.


def asking(room, asked, lecture, address):
    """The element in which a room votes, sees its votes again, or has its points beside a curve."""
    match room:
        case {"vote": name, "text": text, "choices": [_, _, *_] as choices, **rest} if not rest:
            asked[name] = choices
            kind, inside = f'data-text="{escape(text)}"', f"{ballot(choices, True)}{JOIN}"
        case {"again": name, **rest} if name in asked and not set(rest) - {"right"}:
            right = f' data-right="{rest["right"]}"' if "right" in rest else ""
            kind, inside = f"data-again{right}", ballot(asked[name], False)
            if "right" in rest and rest["right"] not in range(len(asked[name])):
                raise ValueError(f"the right choice is one of 0 to {len(asked[name]) - 1}")
        case {"curve": mechanism, "name": name, **rest} if not rest:
            kind, inside = 'data-curve data-text="Play thirty rounds"', class_curve(dp.read(mechanism))
        case _:
            raise ValueError(f"{room} asks nothing that a slide can show")
    place = f' data-address="{escape(address)}"' if address else ""
    return f'<div class="deck-room" data-key="{escape(f"{lecture} {name}")}" {kind}{place}>{inside}</div>'


JOIN = (
    '<p class="deck-code-join" hidden><svg role="img" aria-label="The address for phones, as a code"><path/></svg>'
    "<span></span></p>"
)


def ballot(choices, asks):
    """A bar for each choice, with a field for its votes while the question is open."""
    field = '<input type="number" min="0" max="9999" aria-label="Votes for {}">'
    rows = "".join(
        f'<div class="deck-row" data-choice="{k}"><span class="deck-choice">{prose(choice).strip()[3:-4]}</span>'
        f"{field.format(escape(choice)) if asks else ''}<b><i></i></b><output></output></div>"
        for k, choice in enumerate(choices)
    )
    clear = '<button type="button" data-clear>Clear</button>' if asks else ""
    return f'<div class="deck-ballot">{rows}<p><span class="deck-sum"></span>{clear}</p></div>'


CURVE_BOX = (86, 14, 400)  # left, top and size of the axes


def class_curve(mechanism):
    """The curve that no test can beat in the long run, and room for the points of a class."""
    left, top, size = CURVE_BOX
    bottom, right = top + size, left + size
    betas = [float(beta) for beta in mechanism.tradeoff(np.linspace(0, 1, 201))]
    path = "L".join(f"{left + size * k / 200:.1f} {top + size * (1 - beta):.1f}" for k, beta in enumerate(betas))
    ticks = "".join(
        f'<text x="{left + size * share:g}" y="{bottom + 28}" text-anchor="middle">{share:g}</text>'
        f'<text x="{left - 10}" y="{bottom - size * share + 7:g}" text-anchor="end">{share:g}</text>'
        for share in (0, 0.5, 1)
    )
    return (
        f'<svg viewBox="0 0 {right + 24} {bottom + 70}" role="img" aria-label="Points of the class beside the curve" '
        f'data-box="{left} {top} {size}" data-curve="{json.dumps([round(beta, 6) for beta in betas])}">'
        f'<path class="deck-axes" d="M{left} {top}V{bottom}H{right}"/>'
        f'<path class="deck-blind" d="M{left} {top}L{right} {bottom}"/>'
        f'{ticks}<text x="{left + size / 2:g}" y="{bottom + 58}" text-anchor="middle">wrongly accused, α</text>'
        f'<text transform="translate(22 {top + size / 2:g}) rotate(-90)" text-anchor="middle">missed, β</text>'
        f'<path class="deck-best" d="M{path}"/><g class="deck-points"></g></svg>'
        '<div class="deck-beside"><p><label>Wrongly accused and missed, of fifteen each: <input data-point '
        'aria-describedby="deck-how" placeholder="4 3"></label> <small id="deck-how">as two numbers, or the link of a '
        'phone, then Enter</small></p><p class="deck-sum" role="status"></p>'
        '<p><button type="button" data-undo>Undo</button> <button type="button" data-clear>Clear</button></p>'
        f"{JOIN}</div>"
    )


def phone_page(key):
    """The page that phones open: the game of lecture 1, and what is asked."""
    game = dp.explore.be_the_adversary().frozen().html
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>Play along</title>'
        f'<meta name="made-from" content="{key}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">'
        f"<style>{(OWN / 'phone.css').read_text(encoding='utf-8')}</style></head><body><main>"
        f'<section id="vote" hidden></section><section id="game">{game}</section>'
        f'<p id="told" role="status"></p></main>{module("phone.js")}</body></html>\n'
    )


class Renderer(IPythonRenderer):
    """Markdown as notebooks have it, with formulas that need no script."""

    def text(self, text):
        return super().text(WHOLE.sub(lambda found: found[0].translate(NO_BREAK), text))

    def inline_math(self, body):
        return mathml(body)

    def block_math(self, body):
        return f'<div class="math">{mathml(body, display=True)}</div>'

    def latex_environment(self, name, body):
        return self.block_math(f"\\begin{{{name}}}{body}\\end{{{name}}}")


def quoted(html):
    """The same with curly quotation marks and apostrophes, as in the book."""
    tokens = [
        ("literal", piece)
        if piece.startswith(KEPT)
        else ("tag", piece)
        if piece.startswith("<")
        else ("plain", piece.replace("&quot;", '"'))
        for piece in MARKUP.split(html)
    ]
    return "".join(educate_tokens(tokens, attr="q"))


def prose(source, **places):
    """Markdown as HTML; `places` are where its pictures are."""
    renderer = Renderer(escape=False, exclude_anchor_links=True, embed_images=True, **places)
    html = quoted(MarkdownWithMath(renderer=renderer).render(source))
    return POINTED.sub(r'<span class="deck-joined">\1\2</span>', html)  # no line begins with a comma


def explorer_of(source):
    """The explorer that a cell ends with, as `dp.explore.name(sigma=2)`; else nothing."""
    try:
        body = ast.parse(source).body
    except SyntaxError:  # a magic of IPython
        return None
    match body:
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
    if output.output_type == "error":
        return printed(f"{output.ename}: {output.evalue}")
    data = output.data
    for kind in ("image/png", "image/jpeg"):
        if kind in data:
            picture = base64.b64encode(base64.b64decode(data[kind])).decode()
            return f'<img src="data:{kind};base64,{picture}" alt="Plot: {escape(title)}">'
    for kind in ("image/svg+xml", "text/html"):
        if kind in data:
            return data[kind]
    return printed(data.get("text/plain", ""))


def printed(text):
    """What was printed; sentences are broken, tables are not."""
    lines = [
        f'<span class="deck-sentence">{escape(line)}</span>' if len(line) > 90 else f"{escape(line)}\n"
        for line in text.splitlines()
    ]
    return f'<pre tabindex="0">{"".join(lines)}</pre>'


# The list.


def list_page():
    """The page that lists the decks."""
    rows = "".join(
        f'<li><a href="{deck.name}">{re.search("<title>(.*?)</title>", deck.read_text(encoding="utf-8"))[1]}</a> '
        f"<small>{deck.name}</small></li>"  # several decks may have the title of one chapter
        for deck in sorted(DECKS.glob("*.html"))
        if deck.name not in {"index.html", PHONE}
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
