"""Prints the book to one PDF, _build/dptutor.pdf.

python scripts/pdf.py                          every page of the contents, in their order
python scripts/pdf.py --chapter 7              a chapter with its lecture and its exercises, _build/dptutor-07.pdf
python scripts/pdf.py --student                for students: chapters and exercises, without hints and answers
python scripts/pdf.py --paper letter           on that paper; else A4
python scripts/pdf.py FILE.pdf PAGE ...        these pages of the contents only, as named in _toc.yml

An installed Chromium prints each page of the site, proofs open (book/_static/site.css says how).
They are joined: each has its entry in the outline, sheets are numbered at the foot, and links from one page to another
stay in the file.
"""

import argparse
import os
import re
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urldefrag

import yaml
from pypdf import PdfWriter
from pypdf.generic import ArrayObject, Fit, NameObject
from selectolax.lexbor import LexborHTMLParser

from book import SITE
from book import main as book
from browser import NONE, installed
from content import BUILD, ROOT
from printing import SIZES, print_page

# What tells the answer; a page of exercises also has pieces of code that only a kernel can use.
ANSWERS = re.compile(r"hint|answer|solution|slip", re.IGNORECASE)
LONG = 30  # lines of code that need not stay on one sheet
FEW = 4  # lines of code that do not stand alone on a sheet
CHAPTER = re.compile(r"(?:book|notebooks)/(\d\d)_")
NUMBERS = """<!doctype html><meta charset="utf-8"><style>
@page {{ size: {size}; margin: 0 }} body {{ margin: 0; font: 9pt sans-serif }}
p {{ height: 100vh; margin: 0; padding-bottom: 9mm; box-sizing: border-box; break-after: page;
display: flex; align-items: end; justify-content: center }} p:last-child {{ break-after: auto }}</style>{numbers}"""


def main(arguments):
    asked = options(arguments)
    chromium = installed()
    if chromium is None:
        print(NONE, file=sys.stderr)
        return 1
    pages = [page for page in contents() if wanted(page[0], asked)]
    if not pages:
        print("No page of the contents is called so.", file=sys.stderr)
        return 1
    if code := book(["build"]):
        return code
    target = Path(asked.file) if asked.file else BUILD / name_of(asked)
    print(f"Printing {len(pages)} pages of the site ...", flush=True)
    # From the folder: what a page asks for early is sometimes missing when a server sends it in a page's own time.
    address = f"{SITE.as_uri()}/"
    with tempfile.TemporaryDirectory() as folder:

        def printed(page):
            copy = sheet_of(page[0], asked)
            try:
                return print_page(chromium, copy.as_uri(), Path(folder) / page[0].replace("/", "_"))
            finally:
                copy.unlink()

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            writer = joined(pages, list(pool.map(printed, pages)), address)
        number(writer, chromium, Path(folder), SIZES[asked.paper])
        for sheet in writer.pages:
            sheet.compress_content_streams()
        # Every page has brought its own copy of the fonts.
        writer.compress_identical_objects(remove_duplicates=True, remove_unreferenced=True)
        writer.write(target)
    print(f"{len(writer.pages)} pages are in {os.path.relpath(target, ROOT)}")
    return 0


def options(arguments):
    parser = argparse.ArgumentParser(prog="pdf.py", description="Prints the book.")
    parser.add_argument("file", nargs="?", help="the PDF")
    parser.add_argument("pages", nargs="*", help="pages of the contents")
    parser.add_argument("--chapter", type=int, help="only this chapter")
    parser.add_argument("--student", action="store_true", help="without lectures, hints and answers")
    parser.add_argument("--paper", choices=SIZES, default="a4")
    return parser.parse_args(arguments)


def wanted(page, asked):
    """Whether a page of the contents is to be printed."""
    chapter = CHAPTER.match(page)
    if asked.chapter and (not chapter or int(chapter[1]) != asked.chapter):
        return False
    if asked.student and ((not chapter and page not in {"book/intro", "book/notation"}) or page.endswith("_lecture")):
        return False
    return page in asked.pages or not asked.pages


def name_of(asked):
    chapter = f"-{asked.chapter:02}" if asked.chapter else ""
    return f"dptutor{chapter}{'-student' if asked.student else ''}.pdf"


def sheet_of(page, asked):
    """A copy of a page, beside it, for the paper and the readers that it is printed for."""
    file = SITE / f"{page}.html"
    tree = LexborHTMLParser(file.read_text(encoding="utf-8"))
    if asked.student:
        for details in tree.css("article details"):
            if (title := details.css_first("summary")) and ANSWERS.search(title.text()):
                details.decompose()
    if page.endswith("_exercises"):  # the chapter has asked these questions, with their hints and answers
        for details in tree.css(".dptutor-questions details"):
            details.decompose()
    for pre in tree.css("pre"):
        if pre.text().count("\n") > LONG:  # it would leave the sheet before it empty
            pre.attrs["style"] = "break-inside: auto"
            pre.inner_html = in_parts(pre.inner_html)
    text = tree.html.replace("</head>", f"<style>@page {{ size: {SIZES[asked.paper]} }}</style></head>", 1)
    copy = file.with_name(f"{file.stem}.print-{os.getpid()}.html")
    copy.write_text(text, encoding="utf-8")
    return copy


def in_parts(code):
    """Long code as parts that stay whole: a sheet ends where the code has an empty line, and no string goes on."""
    parts, lines = [], []
    for line in code.rstrip("\n").split("\n"):
        lines.append(line)
        text = "\n".join(lines)
        if not line.strip() and len(lines) > FEW and text.count("<span") == text.count("</span"):
            parts.append(lines)
            lines = []
    if parts and len(lines) <= FEW:
        parts[-1] += lines
    else:
        parts.append(lines)
    # An empty line at the end of a box has no height, unless another one follows.
    return "".join('<span class="part">' + "\n".join([*part, ""]) + "</span>" for part in parts)


def contents():
    """(page, depth) of the book, in order."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    yield toc["root"], 0
    for chapter in (chapter for part in toc["parts"] for chapter in part["chapters"]):
        yield chapter["file"], 0
        for section in chapter.get("sections", []):
            yield section["file"], 1


# Joining.


def joined(pages, readers, address):
    writer, firsts, parents = PdfWriter(), {}, [None]
    for (page, depth), reader in zip(pages, readers, strict=True):
        first = firsts[page] = len(writer.pages)
        anchors = reader.named_destinations  # two chapters have a "summary" each, so none is joined by name
        for sheet in reader.pages:
            writer.add_page(sheet)
        for sheet in writer.pages[first:]:
            for link in links(sheet):
                if "/Dest" in link and (found := anchors.get(str(link["/Dest"]))):
                    at = first + reader.get_destination_page_number(found)
                    lead(link, writer, at, Fit.xyz(0, found.top, None))
        parents[depth + 1 :] = [writer.add_outline_item(title=title(page), page_number=first, parent=parents[depth])]
    for sheet in writer.pages:
        for link in links(sheet):
            uri = urldefrag(str(link.get("/A", {}).get("/URI", "")))[0]
            if uri.startswith(address):
                lead(link, writer, firsts.get(uri.removeprefix(address).removesuffix(".html")), Fit.fit())
    writer.add_metadata({"/Title": title("book/intro")})
    return writer


def title(page):
    """What the page is called."""
    text = (SITE / f"{page}.html").read_text(encoding="utf-8")
    return LexborHTMLParser(text).css_first("title").text().strip().rpartition(" — ")[0]


def links(sheet):
    return [link for link in (entry.get_object() for entry in sheet.get("/Annots", [])) if link["/Subtype"] == "/Link"]


def lead(link, writer, page, fit):
    """Makes a link lead to a page of the joined file; nowhere, if it has none."""
    link.pop("/A", None)
    link.pop("/Dest", None)
    if page is not None:
        where = writer.pages[page].indirect_reference
        link[NameObject("/Dest")] = ArrayObject([where, NameObject(fit.fit_type), *fit.fit_args])


def number(writer, chromium, folder, size):
    """Sets the number of each page at its foot, but not on the first."""
    sheet = folder / "numbers.html"
    feet = "".join(f"<p>{n if n > 1 else ''}</p>" for n in range(1, len(writer.pages) + 1))
    sheet.write_text(NUMBERS.format(size=size, numbers=feet))
    numbers = print_page(chromium, sheet.as_uri(), folder / "numbers")
    for page, foot in zip(writer.pages, numbers.pages, strict=True):
        page.merge_page(foot)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit("\nStopped.")
