"""Terms lead to the glossary, statements are numbered by chapter, and links show what they lead to."""

import json
import re
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from conftest import at_rest, laid_out
from playwright.sync_api import expect
from selectolax.lexbor import LexborHTMLParser

import previews

ROOT = Path(__file__).resolve().parent.parent
CHAPTERS = sorted((ROOT / "book").glob("[0-9]*.md"))
every_chapter = pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)


def page_of(site, chapter):
    return LexborHTMLParser((site / "book" / f"{chapter.stem}.html").read_text(encoding="utf-8"))


@every_chapter
def test_terms_are_linked_once_and_bring_their_definitions(site, chapter):
    page = page_of(site, chapter)
    links = [link.attributes["href"].rpartition("/")[2] for link in page.css("a.term")]
    assert len(links) >= 8
    assert len(set(links)) == len(links)
    brought = {card.attributes["data-target"]: card.text().strip() for card in page.css(".previews > [data-target]")}
    assert all(brought[link] for link in links)
    assert not page.css(".previews [id]")
    assert not page.css("h1 a.term, h2 a.term, h3 a.term, .ask a.term, a a.term, code a.term")


# What is no running text, or is a link already.
ASIDE = (
    ".admonition-title, .ask, .cell, .dptutor-explorer, .previews, .caption, h1, h2, h3, h4, pre, code, math, svg, "
    "script, style, a:not(.term)"
)


def running(page):
    """The pieces of text in the paragraphs of an article, each with the term that it leads to."""
    article = page.css_first("article")
    for part in article.css(ASIDE):
        part.decompose()
    for paragraph in article.css("p"):
        for piece in paragraph.traverse(include_text=True):
            if piece.tag == "-text":
                above = piece.parent
                while above is not None and above.tag != "p" and "term" not in (above.attributes.get("class") or ""):
                    above = above.parent
                leads = above is not None and above.tag == "a"
                yield piece.text(), above.attributes["href"].partition("#")[2] if leads else None


@every_chapter
def test_the_first_use_of_every_term_is_linked(site, chapter):
    listed = LexborHTMLParser((site / "book" / "glossary.html").read_text(encoding="utf-8")).css("dt[id]")
    pieces = list(running(page_of(site, chapter)))
    for term in listed:
        wanted, anchor = previews.pattern(re.sub(r"[¶\s]+", " ", term.text()).strip()), term.attributes["id"]
        for text, leads in pieces:
            if leads == anchor:
                break
            assert leads or not wanted.search(text), f"{term.text()}: {text[:80]}"


@every_chapter
def test_what_is_cited_from_other_chapters_is_brought(site, chapter):
    page = page_of(site, chapter)
    brought = {card.attributes["data-target"] for card in page.css(".previews > [data-target]")}
    cited = {
        link.attributes["href"].rpartition("/")[2]
        for link in page.css("article a[href*='.html#']")
        if re.search(r"#(thm|def|prop|lem|cor)-", link.attributes["href"]) and not link.css_first("*")
    }
    shown = {target for target in cited if re.match(r"\d\d_", target)}
    assert shown <= brought


@every_chapter
def test_statements_are_numbered_by_chapter(site, chapter):
    number = int(chapter.stem[:2])
    found = [
        re.search(r"(\d+)\.(\d+)", title.text())
        for title in page_of(site, chapter).css("div.proof > .admonition-title .caption-number")
    ]
    assert [(int(one[1]), int(one[2])) for one in found] == [(number, count + 1) for count in range(len(found))]


def test_a_link_to_a_statement_says_its_number(site):
    page = page_of(site, ROOT / "book" / "08_hyper_priors.md")
    texts = [link.text() for link in page.css("a[href*='07_delta_divergence.html#']")]
    assert any(re.fullmatch(r"(Theorem|Definition|Proposition|Lemma|Corollary) 7\.\d+", text) for text in texts)


@pytest.fixture
def chapter_2(site_url, new_page):
    def opened(**options):
        page = new_page(**options)
        page.clock.install()  # a card waits until a pointer has rested
        page.goto(f"{site_url}book/02_tradeoff_functions.html")
        laid_out(page)
        return page

    return opened


def first_term(page):
    return in_view(page.locator("a.term").first), page.locator(".card")


def in_view(locator):
    locator.scroll_into_view_if_needed()
    at_rest(locator)
    return locator


def test_a_resting_pointer_sees_a_definition(chapter_2):
    page = chapter_2()
    term, card = first_term(page)
    term.hover()
    card.wait_for(state="visible")
    target = term.get_attribute("href").rpartition("/")[2]
    said = page.locator(f".previews [data-target='{target}']").text_content()
    assert " ".join(card.text_content().split()) == " ".join(said.split())
    box = card.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 1280 and box["y"] >= 0 and box["y"] + box["height"] <= 800
    assert Axe().run(page, {"include": [[".card"]]}).violations_count == 0
    page.keyboard.press("Escape")
    assert card.is_hidden()


def test_keys_reach_a_card(chapter_2):
    page = chapter_2()
    link = in_view(page.locator("article a.reference.internal[href^='#thm-']").first)
    page.keyboard.press("Tab")  # the keyboard is in use
    link.evaluate("link => link.focus({ focusVisible: true })")
    card = page.locator(".card")
    card.wait_for(state="visible")
    assert link.get_attribute("aria-describedby") == card.get_attribute("id")
    statement = page.locator(link.get_attribute("href")).locator(".admonition-title").text_content()
    assert statement.split("(")[0].split()[0] in card.text_content()


def test_the_first_touch_shows_and_the_second_follows(chapter_2):
    page = chapter_2(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    term, card = first_term(page)
    term.tap()
    card.wait_for(state="visible")
    box = card.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 390
    with page.expect_navigation():
        term.tap()
    assert "glossary.html#" in page.url


def test_a_letter_of_a_formula_says_what_it_means(chapter_2):
    page = chapter_2()
    card = page.locator(".card")

    def rest_on(tex):
        page.mouse.move(1, 1)
        page.clock.run_for(1000)
        place = in_view(page.locator(f"article section p > math[data-tex='{tex}']:visible").first)
        place.locator("mi").first.hover()
        page.clock.run_for(1000)

    rest_on(r"\\alpha")
    expect(card.locator("math").first).to_have_text("α")
    assert Axe().run(page, {"include": [[".card"]]}).violations_count == 0
    rest_on(r"\\Delta_1")
    expect(card).to_be_hidden()  # a sensitivity, not the Δ-divergence
    rest_on("k")
    expect(card).to_be_hidden()  # a count


def test_what_letters_mean_is_what_the_notation_says(site):
    known = json.loads((site / "_static" / "symbols.js").read_text(encoding="utf-8").partition(" = ")[2].rstrip(";\n"))
    assert {"α", "β", "δ", "ε", "π", "Δ", "μ", "σ", "f", "L", "R"} <= set(known)
    assert not {"k", "N", "p", "C", "b", "x"} & set(known)
    notation = " ".join(LexborHTMLParser((site / "book" / "notation.html").read_text(encoding="utf-8")).text().split())
    for meanings in known.values():
        for _, said in meanings:
            name = LexborHTMLParser(said).css_first("p").text().split(maxsplit=1)[-1]
            assert " ".join(name.split()) in notation
    assert "href" not in json.dumps(known)


def test_a_touched_letter_is_explained(chapter_2):
    page = chapter_2(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    in_view(page.locator("article p > math[data-tex='\\\\alpha'] mi").first).tap()
    card = page.locator(".card")
    card.wait_for(state="visible")
    assert card.text_content().lstrip().startswith("α")
    page.locator("h1").tap()
    assert card.is_hidden()


def test_a_source_shows_itself(chapter_2):
    page = chapter_2()
    link = page.locator("article a[href*='references.html#']").first
    source = link.get_attribute("title")
    in_view(link).hover()
    expect(page.locator(".card")).to_have_text(source)
    assert link.get_attribute("title") is None  # the browser would show it a second time


def test_the_end_of_a_scroll_takes_no_card_from_a_resting_pointer(chapter_2):
    page = chapter_2()
    term, card = first_term(page)
    term.hover()
    page.evaluate("scrollBy(0, 2)")
    card.wait_for(state="visible")
    page.mouse.wheel(0, 200)
    card.wait_for(state="hidden")
    page.clock.run_for(1000)
    expect(card).to_be_hidden()


def test_an_equation_shows_itself(site_url, new_page):
    page = new_page()
    page.goto(f"{site_url}book/07_delta_divergence.html")
    laid_out(page)
    link = page.locator("article a.reference[href^='#equation-']").first
    link.evaluate("link => { link.closest('details').open = true; }")
    in_view(link).hover()
    card = page.locator(".card")
    card.wait_for(state="visible")
    assert card.locator("math").count() == 1
    assert card.bounding_box()["width"] > 100
