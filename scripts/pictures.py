"""Contact sheets of all explorers in all places, for people to look at before a release.

    python scripts/pictures.py [NAME ...]    or `make pictures`, into _build/pictures; index.html shows all

Of each explorer: on its page of the built book (wide, tablet, phone, dark), each of its steps, without scripts (on a
screen, on a phone, on paper), on a slide, and in a notebook that ran (light and dark). What tests can look for they
assert elsewhere; this is for the eye.
"""

import json
import re
import shutil
import sys
import tempfile
from html import escape
from pathlib import Path

from playwright.sync_api import sync_playwright

import dptutor as dp
import slides
from book import SITE, served
from book import main as book
from browser import installed
from content import BUILD, ROOT

sys.path.insert(0, str(ROOT))
from benchmarks import drag

FOLDER = BUILD / "pictures"
BOOK = {
    "wide": {"viewport": {"width": 1280, "height": 800}},
    "tablet": {"viewport": {"width": 820, "height": 1180}},
    "phone": {"viewport": {"width": 390, "height": 664}, "has_touch": True},
    "dark": {"viewport": {"width": 1280, "height": 800}, "color_scheme": "dark"},
}
STILL = {
    "still": {"viewport": {"width": 1280, "height": 800}},
    "still-phone": {"viewport": {"width": 390, "height": 664}},
    "paper": {"viewport": {"width": 700, "height": 900}},
}
SLIDE = {"viewport": {"width": 1920, "height": 1080}}
NOTEBOOK = {"viewport": {"width": 1366, "height": 768}}
HERE = "[data-explorer={name}][data-ready]"


def main(names) -> int:
    """Takes all pictures, of these explorers or of all, and writes the page that shows them."""
    if code := book(["build"]):
        return code
    names = names or list(dp.explore.__all__)
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    with served(SITE) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=installed(), args=drag.BROWSER)
        for place, options in BOOK.items():
            in_book(browser, address, names, place, options)
        without_scripts(browser, names)
        on_slides(browser, names)
        in_notebook(browser, names)
        browser.close()
    (FOLDER / "index.html").write_text(sheet(names), encoding="utf-8")
    print(f"The pictures are in {FOLDER.relative_to(BUILD.parent)}/; open index.html")
    return 0


def page_of(name: str) -> str:
    """The page of the book that shows an explorer first."""
    pages = sorted(SITE.glob("book/*.html"))
    return next(
        f"book/{page.name}"
        for page in pages
        if re.search(rf'data-explorer="{name}"[^>]*data-frozen', page.read_text(encoding="utf-8"))
    )


def in_book(browser, address, names, place, options):
    """On the pages of the book; wide, each step too."""
    context = browser.new_context(reduced_motion="reduce", **options)
    page = context.new_page()
    for name in names:
        page.goto(f"{address}{page_of(name)}#{name}?")
        page.wait_for_selector(HERE.format(name=name), timeout=60_000)
        explorer = page.locator(HERE.format(name=name)).first
        come_to_rest(page, explorer)
        page.screenshot(path=FOLDER / f"{name}-{place}.png")
        if place == "wide":
            steps(page, explorer, name)
    context.close()


def come_to_rest(page, explorer):
    """Scrolls to an explorer until it stays: what is above it gets its own height only when it comes near."""
    place, before = "e => Math.round(e.getBoundingClientRect().top)", None
    for _ in range(40):
        explorer.evaluate("e => { e.scrollIntoView(); scrollBy(0, -70); }")
        page.wait_for_timeout(250)
        seen = explorer.evaluate("e => e.checkVisibility({ contentVisibilityAuto: true })")
        now = explorer.evaluate(place)
        if seen and now == before and 0 <= now < page.viewport_size["height"] / 2:
            return
        before = now
    raise TimeoutError("an explorer does not stay where it is scrolled to")


def steps(page, explorer, name):
    """What each step shows, one picture each."""
    count = explorer.evaluate("e => e.explorer.manifest.steps?.length ?? 0")
    for step in range(1, count + 1):
        explorer.evaluate("(e, step) => e.explorer.stepTo(step, false)", step)
        page.wait_for_timeout(300)
        explorer.screenshot(path=FOLDER / f"{name}-step{step}.png")


def without_scripts(browser, names):
    """As a page of its own, where no script runs, and on paper."""
    with tempfile.TemporaryDirectory() as folder:
        pages = {name: getattr(dp.explore, name)().freeze(Path(folder) / f"{name}.html") for name in names}
        for place, options in STILL.items():
            page = browser.new_context(java_script_enabled=False, **options).new_page()
            page.emulate_media(media="print" if place == "paper" else "screen")
            for name, frozen in pages.items():
                page.goto(frozen.as_uri())
                page.screenshot(path=FOLDER / f"{name}-{place}.png", full_page=True)
            page.context.close()


def on_slides(browser, names):
    """On the slides that show it, in decks opened from the disk."""
    slides.main([])
    page = browser.new_context(reduced_motion="reduce", **SLIDE).new_page()
    shown = "s => [...s.querySelectorAll('[data-explorer]')].map(e => e.dataset.explorer)"
    for deck in sorted((BUILD / "slides").glob("[0-9]*.html")):
        page.goto(deck.as_uri())
        page.wait_for_function("globalThis.Reveal?.isReady()")
        for place, there in enumerate(
            page.evaluate(f"[...document.querySelectorAll('.slides > section')].map({shown})")
        ):
            for name in set(there) & set(names):
                page.evaluate(f"Reveal.slide({place}, 0, 99)")
                page.wait_for_selector(f"section.present {HERE.format(name=name)}", timeout=60_000)
                page.wait_for_timeout(500)
                page.screenshot(path=FOLDER / f"{name}-slide.png")


def in_notebook(browser, names):
    """In JupyterLab, after all cells ran, in both themes."""
    with tempfile.TemporaryDirectory() as folder, drag.jupyterlab(Path(folder)) as address:
        cells = [f"import dptutor as dp\ndp.explore.{name}()" for name in names]
        for theme in ("Light", "Dark"):
            page = browser.new_context(reduced_motion="reduce", **NOTEBOOK).new_page()
            settings = f"{address}lab/api/settings/@jupyterlab/apputils-extension:themes"
            page.request.put(settings, data={"raw": json.dumps({"theme": f"JupyterLab {theme}"})})
            (Path(folder) / f"{theme}.ipynb").write_text(drag.notebook(*cells), encoding="utf-8")
            drag.open_and_run(page, f"{address}lab/tree/{theme}.ipynb?reset", ".jp-CodeCell [data-explorer]")
            for place, name in enumerate(names):
                cell = page.locator(f".jp-Notebook [data-windowed-list-index='{place}']")
                for _ in range(300):  # cells far from the screen are not there yet
                    if cell.locator("[data-explorer]").count():
                        break
                    page.locator(".jp-WindowedPanel-outer").first.evaluate("e => e.scrollBy(0, 200)")
                    page.wait_for_timeout(100)
                cell.locator("[data-explorer]").evaluate("e => e.scrollIntoView()")
                page.wait_for_timeout(700)
                page.screenshot(path=FOLDER / f"{name}-notebook-{theme.lower()}.png")


def sheet(names) -> str:
    """The page that shows all pictures, a row for each explorer."""
    rows = []
    for name in names:
        pictures = sorted(FOLDER.glob(f"{name}-*.png"), key=lambda picture: picture.stat().st_mtime)
        shown = "".join(
            f'<figure><a href="{picture.name}"><img loading="lazy" src="{picture.name}" alt=""></a>'
            f"<figcaption>{escape(picture.stem.removeprefix(name).strip('-'))}</figcaption></figure>"
            for picture in pictures
        )
        rows.append(f"<h2>{escape(name)}</h2><section>{shown}</section>")
    style = "body{font-family:sans-serif}section{display:flex;flex-wrap:wrap;gap:12px}figure{margin:0}img{height:300px}"
    return f'<!DOCTYPE html>\n<meta charset="utf-8"><title>Explorers</title><style>{style}</style>{"".join(rows)}\n'


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
