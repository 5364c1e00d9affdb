"""The front page with its game, and the gallery of explorers, in a browser."""

import re
from statistics import NormalDist

import pytest
from conftest import at_rest, pages_of
from playwright.sync_api import expect
from selectolax.lexbor import LexborHTMLParser

import dptutor as dp

FRONT, GALLERY = "book/intro.html", "book/explorers.html"
WIDE, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 664}
BEST = round(100 * dp.Gaussian(sigma=1).bayes_error(0.5))


@pytest.fixture(params=[WIDE, PHONE], ids=["wide", "phone"])
def front(request, new_page, site_url):
    touch = {"has_touch": True, "is_mobile": True} if request.param is PHONE else {}
    page = new_page(viewport=request.param, reduced_motion="reduce", **touch)
    page.goto(site_url + FRONT)
    page.wait_for_selector(".front-answer")
    page.screen = request.param
    return page


def said(page):
    return page.inner_text(".front-said")


def test_the_first_screen_has_the_game_and_a_way_on(front):
    for part in (".front-dot", ".front-guess >> nth=0", ".front-guess >> nth=1", ".routes li >> nth=0"):
        box = front.locator(part).bounding_box()
        assert box["y"] + 20 < front.screen["height"], part
    assert front.evaluate("document.documentElement.scrollWidth") <= front.screen["width"]


def test_the_title_has_two_lines_at_most_and_a_phone_shows_two_routes(front):
    title = front.locator("h1")
    lines = title.bounding_box()["height"] / float(title.evaluate("e => parseFloat(getComputedStyle(e).lineHeight)"))
    assert round(lines) == (1 if front.screen is PHONE else 2)
    second = front.locator(".routes li").nth(1).bounding_box()
    assert second["y"] + second["height"] <= front.screen["height"]


def test_three_guesses_lead_to_the_line_that_nobody_beats(front):
    truth = []
    for world in (0, 1, 1):
        truth.append(front.evaluate("document.querySelector('.dptutor-front').run.truth") == world)
        front.locator(".front-guess").nth(world).click()
    count = {0: "never right", 1: "right once", 2: "right twice", 3: "right all three times"}[sum(truth)]
    went = "Right." if truth[-1] else "Wrong: they were not in the data."
    assert said(front).startswith(f"{went} You were {count}.")
    assert f"wrong {BEST} times in 100, and no line does better" in said(front)
    assert front.locator("[role=slider]").get_attribute("aria-valuetext") == "0.5"


def test_the_whole_row_of_a_route_leads_there(front):
    for row in front.locator(".routes > li").all():
        box = row.bounding_box()
        assert box["height"] >= 44
        place = [box["x"] + box["width"] - 8, box["y"] + box["height"] / 2]
        front.evaluate("(y) => scrollTo(0, y - 200)", place[1])
        there = row.bounding_box()
        hit = front.evaluate(
            "([x, y]) => document.elementFromPoint(x, y)?.closest('a')?.getAttribute('href')",
            [place[0], there["y"] + there["height"] / 2],
        )
        assert hit == row.locator("a").first.get_attribute("href")
        front.evaluate("scrollTo(0, 0)")


def test_the_line_is_dragged_and_moved_by_keys(front):
    front.click(".front-skip")
    pill = front.locator(".front-pill").bounding_box()
    x, y = pill["x"] + pill["width"] / 2, pill["y"] + pill["height"] / 2
    front.mouse.move(x, y)
    front.mouse.down()
    front.mouse.move(x + 50, y, steps=10)
    front.mouse.up()
    front.keyboard.press("ArrowRight")
    at = float(front.locator("[role=slider]").get_attribute("aria-valuenow"))
    assert at > 0.6
    accused, missed = 1 - NormalDist().cdf(at), NormalDist(1).cdf(at)
    told = said(front)
    # As many digits as it takes to see that another line is better, in all numbers.
    digits = len(re.search(r"The best line is wrong [\d]+\.?(\d*) times", told)[1])
    assert f"you accuse {100 * accused:.{digits}f};" in told
    assert f"you miss {100 * missed:.{digits}f}." in told
    assert f"wrong {50 * (accused + missed):.{digits}f} times in 100" in told
    front.locator(".front-guess").first.click()
    assert said(front).startswith("Round 1 of 3")


def test_a_worse_line_is_never_said_to_be_as_good(front):
    front.click(".front-skip")
    front.keyboard.press("ArrowRight")
    assert "wrong 30.94 times in 100. The best line is wrong 30.85 times." in said(front)
    front.keyboard.press("End")
    assert "you accuse fewer than 1;" in said(front)


def test_an_answer_is_pulled_aside_for_a_guess(front):
    dot = front.locator(".front-dot").bounding_box()
    x, y = dot["x"] + dot["width"] / 2, dot["y"] + dot["height"] / 2
    for far, rounds in ((-20, 0), (-80, 1)):
        front.mouse.move(x, y)
        front.mouse.down()
        front.mouse.move(x + far, y, steps=5)
        front.mouse.up()
        assert front.evaluate("document.querySelector('.dptutor-front').run.rounds.length") == rounds
    assert front.evaluate("document.querySelector('.dptutor-front').run.rounds[0].said") == 0


def test_nothing_moves_while_it_is_played(front):
    def places():
        return [front.locator(part).bounding_box()["y"] for part in (".front-play", ".routes", "h2 >> nth=0")]

    before = places()
    for _ in range(3):
        front.locator(".front-guess").nth(1).click()
        assert places() == before


def test_the_numbers_of_the_front_page_are_the_books(site):
    tree = LexborHTMLParser((site / FRONT).read_text(encoding="utf-8"))
    text = " ".join(tree.css_first(".routes").text(deep=True).split())
    chapters = [file for file in pages_of(site) if file.match("book/[0-9]*")]
    assert f"{len(chapters)} chapters, from" in text
    assert f"{len(dp.explore.__all__)} explorers. Take" in text


def cards(site):
    return LexborHTMLParser((site / GALLERY).read_text(encoding="utf-8")).css(".gallery-cards > li")


def test_every_explorer_has_a_card_with_its_question_picture_and_chapter(site):
    names = []
    for card in cards(site):
        page, name = card.css_first("a").attributes["href"].split("#explorer-")
        names.append(name)
        there = LexborHTMLParser((site / "book" / page).read_text(encoding="utf-8"))
        explorer = there.css_first(f"[data-explorer={name}]")
        assert explorer.attributes["id"] == f"explorer-{name}"
        assert card.css_first("strong").text() == explorer.css_first(".dpe-find strong").text()
        assert len(card.css("svg path, svg use")) >= 3
        assert not card.css("svg text")
        for link in card.css("details a"):
            assert (site / "book" / link.attributes["href"]).resolve().is_file()
    assert sorted(names) == sorted(dp.explore.__all__)


def test_cards_have_tags_of_what_is_shown_and_done(site):
    tags = {
        card.css_first("a").attributes["href"].split("#explorer-")[1]: {
            tag.text() for tag in card.css(".gallery-tags li")
        }
        for card in cards(site)
    }
    for name, found in tags.items():
        explorer = getattr(dp.explore, name)().explorer
        panels = {panel.name for panel in explorer.panels}
        assert found
        assert ("predict first" in found) == bool(explorer.prediction)
        assert ("a game" in found) == bool(explorer.rounds)
        assert ("draw samples" in found) == bool(explorer.drawn)
        assert ("plays by itself" in found) == any(getattr(p, "play", False) for p in explorer.parameters.values())
        assert ("trade-off function" in found) == ("tradeoff" in panels)
        assert ("Bayes error" in found) == ("bayes_error" in panels)


def test_a_card_leads_to_its_explorer(new_page, site_url):
    page = new_page(viewport=WIDE)
    page.goto(site_url + GALLERY)
    page.locator(".gallery-cards a[href*=duel]").first.click()
    explorer = page.locator("[data-explorer=duel]")
    explorer.wait_for()
    expect(explorer).to_be_in_viewport()
    at_rest(explorer)
    assert 0 < explorer.bounding_box()["y"] < 300


def test_the_gallery_is_light_and_its_names_are_its_own(site):
    text = (site / GALLERY).read_text(encoding="utf-8")
    assert len(text) < 600_000
    ids = re.findall(r'\bid="([^"]+)"', text)
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("screen", [WIDE, PHONE], ids=["wide", "phone"])
def test_a_part_of_the_gallery_is_chosen(new_page, site_url, site, screen):
    page = new_page(viewport=screen)
    page.goto(site_url + GALLERY)
    assert page.locator(".gallery-cards > li:visible").count() == len(cards(site))
    for radio in page.locator(".gallery-parts input").all()[1:]:
        radio.check(force=True)
        part = radio.get_attribute("value")
        shown = page.locator(".gallery-cards > li:visible")
        assert {one.get_attribute("data-part") for one in shown.all()} == {part}
    assert page.evaluate("document.documentElement.scrollWidth") <= screen["width"]
    smallest = page.locator(".gallery-cards svg:visible").first.bounding_box()
    assert smallest["width"] > 120
