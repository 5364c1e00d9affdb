"""Prints the book to one PDF, _build/dptutor.pdf.

python scripts/pdf.py                          every page of the contents, in their order
python scripts/pdf.py FILE.pdf PAGE ...        these pages of the contents only, as named in _toc.yml

An installed Chromium prints each page of the site, proofs open (book/_static/site.css says how).
They are joined: each has its entry in the outline, sheets are numbered at the foot, and links from one page to another
stay in the file.
"""

import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urldefrag

import yaml
from pypdf import PdfReader, PdfWriter
from pypdf.generic import ArrayObject, Fit, NameObject
from selectolax.lexbor import LexborHTMLParser

from book import SITE
from book import main as book
from browser import installed
from content import BUILD, ROOT

NONE = "no Chromium found: install one (on Debian or Ubuntu 'apt-get install chromium'), or name its file in CHROMIUM"
ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
PATIENCE = "--virtual-time-budget=5000"  # milliseconds of the page's own time, in which its fonts are there
NUMBERS = """<!doctype html><meta charset="utf-8"><style>
@page {{ margin: 0 }} body {{ margin: 0; font: 9pt sans-serif }}
p {{ height: 100vh; margin: 0; padding-bottom: 9mm; box-sizing: border-box; break-after: page;
display: flex; align-items: end; justify-content: center }} p:last-child {{ break-after: auto }}</style>{}"""


def main(arguments):
    chromium = installed()
    if chromium is None:
        print(NONE, file=sys.stderr)
        return 1
    if code := book(["build"]):
        return code
    target = Path(arguments[0]) if arguments else BUILD / "dptutor.pdf"
    pages = [page for page in contents() if page[0] in arguments[1:] or not arguments[1:]]
    print(f"Printing {len(pages)} pages of the site ...", flush=True)
    # From the folder: what a page asks for early is sometimes missing when a server sends it in a page's own time.
    address = f"{SITE.as_uri()}/"
    with tempfile.TemporaryDirectory() as folder:

        def printed(page):
            return print_page(chromium, f"{address}{page[0]}.html", Path(folder) / page[0].replace("/", "_"))

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            writer = joined(pages, list(pool.map(printed, pages)), address)
        number(writer, chromium, Path(folder))
        writer.write(target)
    print(f"{len(writer.pages)} pages are in {os.path.relpath(target, ROOT)}")
    return 0


def contents():
    """(page, depth) of the book, in order."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    yield toc["root"], 0
    for chapter in (chapter for part in toc["parts"] for chapter in part["chapters"]):
        yield chapter["file"], 0
        for section in chapter.get("sections", []):
            yield section["file"], 1


def print_page(chromium, address, folder):
    """The PDF of one page; the browser lives in `folder`."""
    folder.mkdir()
    file = folder / "page.pdf"
    own = [f"--user-data-dir={folder}", f"--print-to-pdf={file}", "--no-pdf-header-footer", PATIENCE]
    done = subprocess.run([chromium, *ARGUMENTS, *own, address], capture_output=True, text=True, timeout=300)
    if not file.is_file():
        raise SystemExit(f"{chromium} did not print {address}:\n{done.stderr}")
    return PdfReader(file)


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


def number(writer, chromium, folder):
    """Sets the number of each page at its foot, but not on the first."""
    sheet = folder / "numbers.html"
    sheet.write_text(NUMBERS.format("".join(f"<p>{n if n > 1 else ''}</p>" for n in range(1, len(writer.pages) + 1))))
    numbers = print_page(chromium, sheet.as_uri(), folder / "numbers")
    for page, foot in zip(writer.pages, numbers.pages, strict=True):
        page.merge_page(foot)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit("\nStopped.")
