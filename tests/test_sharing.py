"""What other sites are told about the pages: on this site, and on one that has an address."""

import re
import struct
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from conftest import pages_of
from matplotlib.image import imread
from selectolax.lexbor import LexborHTMLParser

import cards
import dptutor as dp
import sharing

ROOT = Path(__file__).resolve().parent.parent
ADDRESS = "https://example.org/privacy/"
CHAPTERS = sorted(file.stem for file in (ROOT / "book").glob("[0-9][0-9]_*.md"))
NAMES = ["intro", "explorers", "your_run", "api", "source_index", "glossary"]
CONF = f"""
import sys
sys.path[:0] = [{str(ROOT)!r}, {str(ROOT / "scripts")!r}]
extensions = ["sphinx_proof", "sphinx_design", "myst_nb", "asking", "pages"]
html_theme, root_doc, project, html_title = "dptutor", "book/intro", "Tests", "Two & worlds"
html_baseurl, report_errors, html_search = {ADDRESS!r}, "https://example.org/issues/new", False
html_static_path, html_use_index, html_domain_indices = [{str(ROOT / "book" / "_static")!r}], False, False
"""

CURVE = """<svg xmlns="http://www.w3.org/2000/svg" width="100pt" height="50pt" viewBox="0 0 100 50">
<path d="M 0 0 C 20 40 40 50 100 50" style="fill: none; stroke: #0072b2; stroke-width: 4"/></svg>"""


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """A small site with our theme, an address and a place for reports."""
    source, site = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("site")
    (source / "conf.py").write_text(CONF)
    (source / "book").mkdir()
    for name in NAMES:
        tree = "\n```{toctree}\n" + "\n".join(NAMES[1:]) + "\n```\n" if name == "intro" else ""
        text = f"What the page {name} says is said in one sentence here. And more."
        (source / "book" / f"{name}.md").write_text(f"# The {name}\n\n{text}\n\n## A part\n\nText.\n{tree}")
    (source / "book" / "curve.svg").write_text(CURVE)
    with (source / "book" / "your_run.md").open("a") as page:
        page.write("\n![A curve](curve.svg)\n")
    command = [sys.executable, "-m", "sphinx", "-q", "-b", "html", source, site]
    subprocess.run(command, check=True, cwd=ROOT)
    return site


def head(site, page):
    tree = LexborHTMLParser((site / page).read_text(encoding="utf-8"))
    found = {}
    for meta in tree.css("head meta"):
        found[meta.attributes.get("name") or meta.attributes.get("property")] = meta.attributes.get("content")
    links = {link.attributes["rel"]: link.attributes["href"] for link in tree.css("head link[rel]")}
    return tree, found, links


def test_every_page_says_what_it_is_about_and_how_old_it_is(site):
    described = {}
    for file in pages_of(site):
        tree, meta, links = head(site, file.relative_to(site))
        described.setdefault(meta.get("description"), []).append(file.stem)
        assert 40 <= len(meta["description"]) <= sharing.MOST, file.stem
        assert not re.search(r"[\\¶$]|  ", meta["description"]), file.stem
        assert meta["citation_author"] == "the dptutor authors"
        assert f"Version {dp.__version__}" in tree.css_first(".foot").text()
        assert "canonical" not in links
        assert not tree.css(".foot .report")
    assert not [names for names in described.values() if len(names) > 2]


def test_a_published_page_has_one_address_and_a_card(published):
    tree, meta, links = head(published, "book/api.html")
    assert links["canonical"] == meta["og:url"] == ADDRESS + "book/api.html"
    assert meta["description"] == "What the page api says is said in one sentence here. And more."
    assert meta["og:image"] == ADDRESS + sharing.CARD
    assert links["alternate"] == ADDRESS + sharing.FEED
    assert tree.css_first(".foot .report").attributes["href"] == "https://example.org/issues/new"


def test_a_page_with_a_picture_has_a_card_of_its_own(published):
    _, meta, _ = head(published, "book/your_run.html")
    address = meta["og:image"].removeprefix(ADDRESS)
    assert address != sharing.CARD
    blue = picture_of(published / address)[..., 2] - picture_of(published / address)[..., 0]
    assert 0.005 < (blue > 0.5).mean() < 0.1


def picture_of(card):
    """The pixels of a card, which has the size that sites show and is small."""
    data = card.read_bytes()
    assert struct.unpack(">II", data[16:24]) == (1200, 630)
    assert len(data) < 150_000
    return imread(card)


def test_the_card_of_other_pages_is_one(published):
    _, meta, _ = head(published, "book/api.html")
    picture_of(published / meta["og:image"].removeprefix(ADDRESS))
    found = [file.relative_to(published).as_posix() for file in published.rglob("card*/**/*.png")]
    assert found == ["_static/cards/book/your_run.png"]


@pytest.mark.look
@pytest.mark.cases(1)
@pytest.mark.parametrize("page", CHAPTERS)
@pytest.mark.filterwarnings("error")  # of a letter that no font has
def test_the_card_of_a_chapter_shows_its_first_picture(page, site, tmp_path):
    text = (site / "book" / f"{page}.html").read_text(encoding="utf-8")
    assert sharing.pictured(text)
    cards.draw_page(site, f"book/{page}", "A book", tmp_path / "card.png")
    ink = picture_of(tmp_path / "card.png")[200:, :, :3].min(axis=2) < 0.9
    assert 0.005 < ink.mean() < 0.7
    assert np.ptp(np.flatnonzero(ink.any(axis=0))) > 300


def test_the_map_and_the_feed_are_whole(published):
    space = {"s": "http://www.sitemaps.org/schemas/sitemap/0.9", "a": "http://www.w3.org/2005/Atom"}
    places = [place.text for place in ElementTree.parse(published / sharing.MAP).iterfind(".//s:loc", space)]
    assert places == sorted(f"{ADDRESS}book/{name}.html" for name in NAMES)
    feed = ElementTree.parse(published / sharing.FEED).getroot()
    assert feed.find("a:title", space).text == "Two & worlds"
    assert all(entry.find("a:content", space).text for entry in feed.iterfind("a:entry", space))
    assert ADDRESS + sharing.MAP in (published / "robots.txt").read_text()


def test_the_page_of_lost_readers_holds_at_every_depth(published):
    tree = LexborHTMLParser((published / "404.html").read_text(encoding="utf-8"))
    addresses = [part.attributes.get(name) for name in ("href", "src") for part in tree.css(f"[{name}]")]
    assert addresses
    assert all(address.startswith(("/privacy/", "https://", "#")) for address in addresses)


def test_a_lost_reader_is_told_what_comes_close(site_url, new_page):
    page = new_page(strict=False)
    assert page.goto(site_url + "somewhere/else/07_delta-divergnce.html").status == 404
    page.wait_for_selector("#search-results li")
    assert "does not exist" in page.inner_text("h1")
    assert "Δ-divergence" in page.locator("#search-results li a").first.inner_text()
    page.locator("#search-results li a").first.click()
    page.wait_for_url("**/book/**")


def test_a_report_says_where_the_reader_was(published, new_page):
    page = new_page(strict=False)
    page.goto((published / "book" / "api.html").as_uri() + "#a-part")
    page.evaluate("document.querySelector('.report').addEventListener('click', (event) => event.preventDefault())")
    page.click(".report")
    address = page.evaluate("new URL(document.querySelector('.report').href).searchParams.get('body')")
    assert "api.html#a-part" in address
    assert "Section: A part" in address
    assert dp.__version__ in address


def test_days_are_written_out():
    assert sharing.in_words("2026-11-24") == "November 24, 2026"
    assert sharing.in_words("") == ""
