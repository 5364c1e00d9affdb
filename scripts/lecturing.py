"""Puts a lecture together from the slides of several: make lecture MINUTES=35 CHAPTERS="4 11".

    python scripts/lecturing.py 35 4 11 [--name guests] [--title Privacy] [--logo us.svg] [--preset "duel?sigma=2"]

The metadata of a slide says how much it is wanted (`priority`: 1 always, 2 if there is time, 3 last) and which terms it
`defines`. Slides are taken by priority, those that go on under a heading together with it, as long as they fit into the
minutes. Terms that they use and none of them defines are on a slide of their own, in the words of the glossary.

What comes out is a notebook, _build/lectures/NAME.ipynb, to change at will, and its deck. Code of slides that are left
out is kept, unseen, so that the notebook runs. A preset is the setting with which an explorer opens, as in its links.
"""

import argparse
import ast
import re
import sys
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from urllib.parse import parse_qsl

import nbformat
from nbformat.v4 import new_markdown_cell, new_notebook

import dptutor as dp
import slides
from content import BUILD, ROOT
from notebooks import KERNEL, code_digest, is_setup

LECTURES = BUILD / "lectures"
AT_ONCE, MINUTES_A_TERM = 3, 0.5  # definitions on a slide, and the time for each
# How a slide shows that it uses a term of the glossary.
USES = {
    "Type I error": r"[Tt]ype I error|\\alpha|[Ff]alse accusation",
    "Type II error": r"[Tt]ype II error|\\beta",
    "Privacy loss": r"[Pp]rivacy loss|\$L\$|\[L ",
    "Trade-off function": r"[Tt]rade-off|tradeoff|\$f\$|\bf\(\\alpha",
    "Approximate differential privacy": r"\(\\varepsilon,\s*\\delta\)|\(ε, δ\)|10\^\{-\d+\}\)|ApproximateDP",
    "Privacy profile": r"[Pp]rofile|\\delta\(",
    "Bayes error": r"[Bb]ayes error|bayes_error|R\(\\pi\)|\$R\$",
    "Advantage": r"[Aa]dvantage|\\mathrm\{Adv\}",
    "Blackwell dominance": r"\b[Dd]ominat(?!ing pair)|\\succeq",
    "Deficiency": r"[Dd]eficiency",
    "Δ-divergence": r"\\Delta|Δ|delta_divergence|[Rr]egret",
    "Hyper-prior": r"[Hh]yper-prior|\\Psi",
    "Dominating pair": r"[Dd]ominating pair",
    "Composition": r"[Cc]ompos",
    "Rényi divergence": r"Rényi|renyi",
    "Composition moments": r"\\eta\b|η",
    "DP-SGD": r"DP-?SGD|dpsgd",
    "Noise multiplier": r"[Nn]oise multiplier",
    "Sampling rate": r"[Ss]ampling rate",
    "Posterior belief": r"[Pp]osterior[_ ]belief|PosteriorBelief",
}


class CannotLectureError(Exception):
    """What was asked for makes no lecture."""


@dataclass
class Piece:
    """Slides that are shown together: one, and what goes on under its heading."""

    chapter: str
    place: int
    cells: list = field(default_factory=list)
    under: "Piece | None" = None  # the slide whose heading this one has as well

    @property
    def shows(self):
        return [cell.metadata["slideshow"] for cell in self.cells]

    @property
    def priority(self):
        return self.shows[0]["priority"]

    @property
    def minutes(self):
        return sum(show.get("minutes", 0) for show in self.shows)

    @property
    def defines(self):
        return {term for show in self.shows for term in show.get("defines", [])}

    @property
    def uses(self):
        return used_in("\n".join(cell.source for cell in self.cells))


def used_in(text):
    return {term for term, sign in USES.items() if re.search(sign, text)}


def pieces_of(chapter, notebook):
    """A lecture cut into pieces; code that is on no slide belongs to none."""
    pieces, heading = [], None
    for cell in notebook.cells:
        kind = cell.metadata["slideshow"]["slide_type"]
        if kind in {"slide", "subslide"}:
            if kind == "slide" or cell.source.startswith("#"):
                pieces.append(Piece(chapter, len(pieces), under=heading if kind == "subslide" else None))
            if kind == "slide":
                heading = pieces[-1]
        if pieces and kind != "skip":
            pieces[-1].cells.append(cell)
    return pieces


def missing(chosen):
    """The terms that are used before any slide defines them, also by definitions, in the order of the book."""
    known, found = set(), set()
    for piece in chosen:
        found |= piece.uses - piece.defines - known
        known |= piece.defines
    words = glossary()
    while more := set().union(*(used_in(words[term]) for term in found)) - found:
        found |= more
    return [term for term in USES if term in found]


def minutes_of(chosen):
    """How long the pieces take, with the definitions that they lack."""
    return sum(piece.minutes for piece in chosen) + definition_minutes(len(missing(chosen)))


def definition_minutes(count):
    return -int(-count * MINUTES_A_TERM // 1)


def choose(pieces, minutes):
    """The pieces for so many minutes, in their order."""
    chosen = [piece for piece in pieces if piece.priority == 1]
    if (least := minutes_of(chosen)) > minutes:
        raise CannotLectureError(f"these chapters take {least} minutes at least: give more time, or fewer chapters")
    # Chapters take turns, so that none is left bare.
    rest = sorted((p for p in pieces if p.priority > 1), key=lambda p: (p.priority, p.place, p.chapter))
    for piece in rest:
        with_it = [p for p in pieces if p in chosen or p is piece or p is piece.under]
        if minutes_of(with_it) <= minutes:
            chosen = with_it
    return chosen


@cache
def glossary():
    """The definitions of the glossary, as Markdown without links."""
    text = (ROOT / "book" / "glossary.md").read_text(encoding="utf-8")
    entries = re.findall(r"^(\S.*)\n  (\S.*)$", text, flags=re.MULTILINE)
    return {term: plain(definition) for term, definition in entries}


def plain(text):
    text = re.sub(r"(?:^|(?<=[.;] ))[^.]*\b[Ss]ee \{prf:ref\}`[^`]*`(?: and \{prf:ref\}`[^`]*`)?\.", "", text)
    text = re.sub(r"(?:In the library|Compare|See) (?:\{|\[)[^.]*(?:\.(?:py|md)[^.]*)?\.(?= |$)", "", text)
    text = re.sub(r"\{[a-z:]+\}`([^`<]*?)(?: ?<[^`]*>)?`", r"\1", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return " ".join(text.split())


def definition_slides(terms, words):
    """Slides that say what the others take for granted."""
    cells, said, total = [], 0, definition_minutes(len(terms))
    slides = -(-len(terms) // AT_ONCE)
    for place in range(slides):  # as many on one as on the other, so that the last has not one alone
        end = len(terms) * (place + 1) // slides
        some = terms[len(terms) * place // slides : end]
        minutes = total * end // len(terms) - said
        said += minutes
        lines = "\n\n".join(f"**{term}.** {words[term]}" for term in some)
        notes = (
            f"These terms come from slides that are left out today: {', '.join(some)}. Say each in your own words and "
            "give one example. Ask who has met it under another name. The lecture uses them from here on."
        )
        show = {"slide_type": "slide", "minutes": minutes, "notes": notes}
        cells.append(new_markdown_cell(f"## Terms for today\n\n{lines}", metadata={"slideshow": show}))
    return cells


def put_together(notebooks, minutes, presets=None):
    """A notebook of the slides of several lectures, by their chapters."""
    cut = {chapter: pieces_of(chapter, notebook) for chapter, notebook in notebooks.items()}
    chosen = choose([piece for pieces in cut.values() for piece in pieces], minutes)
    wanted = {id(cell) for piece in chosen for cell in piece.cells}
    terms, cells, open_presets = missing(chosen), [], dict(presets or {})
    votes = {cell.metadata.get("room", {}).get("vote") for piece in chosen for cell in piece.cells}
    for chapter, notebook in notebooks.items():
        for original in notebook.cells:
            if id(original) not in wanted and (original.cell_type != "code" or (cells and is_setup(original))):
                continue
            cell = deepcopy(original)
            cell.id = f"{chapter}-{original.id}"
            show = cell.metadata["slideshow"]
            if id(original) not in wanted:
                cell.metadata["slideshow"] = {"slide_type": "skip"}
            elif "notes" in show:
                show["notes"] = re.sub(r"^Fifty minutes[^.]*\. ", "", show["notes"])
            if cell.metadata.get("room", {}).get("again") not in votes:
                del cell.metadata["room"]  # the question is left out
            cell.source = re.sub(r" \*\*Next time:\*\* [^\n]*", "", cell.source)
            if id(original) in wanted and cell.cell_type == "code":
                cell.source = with_preset(cell.source, open_presets)
            cells.append(cell)
            if len(cells) == 1 and terms:
                # After the title; what goes on under it follows.
                cells.extend(definition_slides(terms, glossary()))
    if open_presets:
        raise CannotLectureError(f"no slide of this lecture has the explorer {', '.join(open_presets)}")
    made = new_notebook(cells=cells, metadata={"kernelspec": KERNEL})
    if all(notebook.metadata.get("ran") == code_digest(notebook) for notebook in notebooks.values()):
        made.metadata["ran"] = code_digest(made)
    return made


def with_preset(source, presets):
    """The code of a cell whose explorer opens with its preset; presets that are used are taken out."""
    found = re.search(r"\bdp\.explore\.(\w+)\(([^()]*)\)\s*$", source)
    if not found or found[1] not in presets:
        return source
    call = ast.parse(found[0], mode="eval").body
    settings = {s.arg: ast.literal_eval(s.value) for s in call.keywords} | presets.pop(found[1])
    arguments = ", ".join(f"{name}={value!r}" for name, value in settings.items())
    return f"{source[: found.start()]}dp.explore.{found[1]}({arguments})"


def preset(text):
    """An explorer and its setting, as in `duel?sigma=2&scale=1` or at the end of a link."""
    name, _, settings = text.rsplit("#", 1)[-1].partition("?")
    if name not in dp.explore.__all__:
        raise CannotLectureError(f"there is no explorer {name}; there are {', '.join(dp.explore.__all__)}")
    found = {}
    for key, value in parse_qsl(settings):
        try:
            found[key] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            found[key] = value
    try:
        getattr(dp.explore, name)(**found)
    except (TypeError, ValueError) as error:
        raise CannotLectureError(f"{name} cannot open with {settings}: {error}") from None
    return name, found


def main(arguments):
    parser = argparse.ArgumentParser(prog="lecturing.py", description="Puts a lecture together.")
    parser.add_argument("minutes", type=int)
    parser.add_argument("chapters", nargs="+", help="numbers of chapters, in the order of the lecture")
    parser.add_argument("--name", default="lecture", help="of the notebook and the deck")
    parser.add_argument("--title", default="", help="at the foot of the deck")
    parser.add_argument("--logo", type=Path)
    parser.add_argument("--preset", action="append", default=[], metavar="EXPLORER?NAME=VALUE")
    asked = parser.parse_args(arguments)
    known = slides.book_lectures()
    chapters = list(dict.fromkeys(chapter.zfill(2) for chapter in asked.chapters))
    try:
        if unknown := [chapter for chapter in chapters if chapter not in known]:
            raise CannotLectureError(f"there is no lecture {', '.join(unknown)}. The lectures are {', '.join(known)}")
        if not re.fullmatch(r"\w[\w-]*", asked.name) or asked.name in known:
            raise CannotLectureError(f"NAME={asked.name} cannot be the name of an own deck")
        if asked.logo and not asked.logo.is_file():
            raise CannotLectureError(f"there is no file {asked.logo}")
        notebooks = {chapter: nbformat.read(known[chapter], 4) for chapter in chapters}
        made = put_together(notebooks, asked.minutes, dict(map(preset, asked.preset)))
    except CannotLectureError as problem:
        print(f"{str(problem)[0].upper()}{str(problem)[1:]}.")
        return 1
    titles = " and ".join(slides.title_of(slides.Lecture(known[chapter]).chapter) for chapter in chapters)
    made.metadata["deck"] = {"title": asked.title or titles}
    if asked.logo:
        made.metadata["deck"]["logo"] = str(asked.logo.resolve())
    LECTURES.mkdir(parents=True, exist_ok=True)
    path = LECTURES / f"{asked.name}.ipynb"
    nbformat.write(made, path)
    minutes = sum(cell.metadata["slideshow"].get("minutes", 0) for cell in made.cells)
    print(f"{minutes} of {asked.minutes} minutes; the notebook is {path.relative_to(ROOT)}", flush=True)
    return slides.main([str(path)])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
