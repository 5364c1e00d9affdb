"""The built book, as a reader meets it: in files and in a browser."""

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest

ROOT = Path(__file__).resolve().parent.parent


class Links(HTMLParser):
    """The anchors of a page and the addresses that it points to."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.targets, self.images = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.anchors |= {attributes.get("id"), attributes.get("name")}
        if tag in {"a", "link"} and "href" in attributes:
            self.targets.append(attributes["href"])
        if tag in {"img", "script"} and "src" in attributes:
            self.targets.append(attributes["src"])
        if tag == "img":
            self.images.append(attributes)


@pytest.fixture(scope="module")
def pages(site):
    """Every page of the book: address below the site → what it links to."""
    files = [site / "search.html", *site.glob("book/*.html"), *site.glob("notebooks/*.html")]
    return {file.relative_to(site).as_posix(): Links(file.read_text()) for file in files}


def test_every_page_of_the_contents_is_built(pages):
    listed = re.findall(r"(?:root|file): *(\S+)", (ROOT / "_toc.yml").read_text())
    assert len(listed) > 2
    assert {f"{name.removesuffix('.ipynb')}.html" for name in listed} <= set(pages)


def test_every_internal_link_and_anchor_resolves(pages, site):
    broken = []
    for page, links in pages.items():
        for target in links.targets:
            parts = urlsplit(urljoin(f"site:///{page}", target))
            if parts.scheme != "site":
                continue
            path = unquote(parts.path).lstrip("/") or "index.html"
            missing_anchor = path in pages and parts.fragment and unquote(parts.fragment) not in pages[path].anchors
            if not (site / path).is_file() or missing_anchor:
                broken.append(f"{page}: {target}")
    assert not broken


def test_no_page_names_a_foreign_script_style_or_image(pages):
    foreign = [
        f"{page}: {target}"
        for page, links in pages.items()
        for target in links.targets
        if urlsplit(target).netloc and not target.startswith(("https://doi.org/", "https://arxiv.org/"))
    ]
    assert not foreign


def test_every_image_says_what_it_shows(pages):
    silent = [f"{page}: {image}" for page, links in pages.items() for image in links.images if not image.get("alt")]
    assert not silent


def test_every_page_opens_without_a_foreign_request_or_a_complaint(pages, site_url, page):
    for name in pages:
        page.goto(site_url + name)
        page.evaluate("window.MathJax?.startup?.promise")
        page.wait_for_load_state("networkidle")
        assert page.title(), name
        assert page.locator("article h1, #search-results").count() == 1, name


def test_the_mathematics_is_typeset(site_url, page):
    page.goto(site_url + "book/notation.html")
    page.evaluate("MathJax.startup.promise")
    assert page.locator("mjx-container").count() > 10
    assert page.locator("mjx-merror").count() == 0


def test_every_page_fits_a_telephone(pages, site_url, new_page):
    page = new_page(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    wide = []
    for name in pages:
        page.goto(site_url + name)
        page.evaluate("window.MathJax?.startup?.promise")
        width = page.evaluate("document.documentElement.scrollWidth")
        if width > 390:
            wide.append(f"{name}: {width} pixels")
    assert not wide


def test_the_page_turns_dark_when_the_reader_prefers_it(site_url, new_page):
    page = new_page(color_scheme="dark")
    page.goto(site_url + "book/intro.html")
    assert page.locator("html").get_attribute("data-theme") == "dark"
    red, green, blue = background(page)
    assert max(red, green, blue) < 60


def test_the_switch_makes_the_page_light_and_dark(site_url, page):
    page.goto(site_url + "book/intro.html")
    seen = set()
    for _ in range(3):
        page.locator("button.theme-switch-button:visible").first.click()
        seen.add(page.locator("html").get_attribute("data-theme"))
    assert seen == {"light", "dark"}


def background(page):
    color = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return [int(part) for part in color.removeprefix("rgb(").removesuffix(")").split(",")[:3]]


def test_search_finds_a_word(site_url, page):
    page.goto(site_url + "search.html?q=advantage")
    page.wait_for_selector("#search-results li a")
