"""The front page with its game, and the gallery of explorers, in a browser."""

import itertools
import re

import pytest
from conftest import approx, at_rest, judge, pages_of, watched_page
from playwright.sync_api import expect
from selectolax.lexbor import LexborHTMLParser

import dptutor as dp

FRONT, GALLERY = "book/intro.html", "book/explorers.html"
WIDE, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 664}
BEST = round(100 * dp.Gaussian(sigma=1).bayes_error(0.5))


@pytest.fixture(scope="module", params=[WIDE, PHONE], ids=["wide", "phone"])
def screen(request, chromium):
    touch = {"has_touch": True, "is_mobile": True} if request.param is PHONE else {}
    page = watched_page(chromium, viewport=request.param, **touch)
    page.screen = request.param
    yield page
    page.context.close()


@pytest.fixture
def front(screen, site_url):
    screen.goto("about:blank")
    screen.goto(site_url + FRONT)
    screen.wait_for_selector(".front-answer")
    yield screen
    screen.evaluate("{ localStorage.clear(); sessionStorage.clear(); }")
    judge(screen)


def guess(page, *worlds):
    """How often one was right."""
    right = 0
    for world in worlds:
        right += page.evaluate("document.querySelector('.dptutor-front').run.truth") == world
        page.locator(".front-guess").nth(world).click()
    return right


def test_the_first_screen_has_the_game_two_routes_and_a_way_on(front):
    """Its title has two lines at most, no line crosses a name, and the whole row of a route leads there."""
    for part in (".front-dot", ".front-guess >> nth=0", ".front-guess >> nth=1", ".routes li >> nth=0"):
        box = front.locator(part).bounding_box()
        assert box["y"] + 20 < front.screen["height"], part
    assert front.evaluate("document.documentElement.scrollWidth") <= front.screen["width"]
    title = front.locator("h1")
    lines = title.bounding_box()["height"] / float(title.evaluate("e => parseFloat(getComputedStyle(e).lineHeight)"))
    assert round(lines) == (1 if front.screen is PHONE else 2)
    second = front.locator(".routes li").nth(1).bounding_box()
    assert second["y"] + second["height"] <= front.screen["height"]
    crossed = front.evaluate("""() => {
      const { run } = document.querySelector(".dptutor-front"), found = [];
      for (run.answer of [-2.3, -1.8, -1.5, -0.9, 2, 2.5, 3.3]) {
        run.draw();
        const line = document.querySelector(".front-drop");
        for (const name of document.querySelectorAll(".front-name")) {
          const { x, y, width, height } = name.getBBox();
          for (let at = 0; at <= line.getTotalLength(); at += 1) {
            const there = line.getPointAtLength(at);
            if (Math.abs(there.x - x - width / 2) < width / 2 + 4 && Math.abs(there.y - y - height / 2) < height / 2)
              found.push(`${run.answer}: ${name.textContent}`);
          }
        }
      }
      return found;
    }""")
    assert not crossed
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


def test_three_guesses_lead_to_the_score_and_to_two_runs(front):
    right = guess(front, 0, 1, 1)
    times = "1 time" if right == 1 else f"{right} times"
    expect(front.locator("h1")).to_have_text(f"You were right {times} out of 3.")
    expect(front.locator(".lead")).to_contain_text(
        f"nobody can be right more often than about {100 - BEST} times in 100"
    )
    expect(front.locator(".dptutor-front")).to_be_hidden()
    expect(front.locator(".front-duel input")).to_be_focused()
    for part in ("h1", ".front-duel svg >> nth=0"):
        expect(front.locator(part)).to_be_in_viewport(ratio=1)
    front.get_by_role("button", name="play again").click()
    expect(front.locator("h1")).to_contain_text("Were they in the data?")
    expect(front.locator(".front-said")).to_contain_text("Round 1 of 3")
    expect(front.locator(".front-duel")).to_be_hidden()


def runs_of(page):
    """The numbers of the table: what is believed beforehand, right guesses about either run, and without looking."""
    return page.locator(".front-duel tr:not(:has(input))").evaluate_all(
        "rows => rows.map(row => [...row.cells].slice(1).map(cell => +cell.textContent))"
    )


def test_the_two_runs_are_the_librarys(new_page, site_url):
    page = new_page(java_script_enabled=False)
    page.goto(site_url + FRONT)
    expect(page.locator(".front-duel table")).to_be_visible()
    assert page.locator(".dptutor-front").bounding_box()["height"] < 80
    before, *counts = runs_of(page)
    for rate, steps, found in zip((0.01, 0.9), (500, 1500), counts, strict=False):
        run = dp.calibrate(lambda s, p=rate, n=steps: dp.DPSGD(s, p, n), epsilon=8, delta=1e-5)
        assert found == [round(100 * (1 - run.bayes_error(1 - percent / 100))) for percent in before]
        expect(page.locator(".front-fields")).to_contain_text(
            f"= {run.noise_multiplier:.5g}, p = {rate:g}, {steps} steps"
        )
    assert counts[2] == [max(percent, 100 - percent) for percent in before]


def test_the_fields_show_the_numbers_of_the_belief_that_keys_and_pointers_choose(front):
    front.click(".front-link")
    before, first, second, blind = runs_of(front)
    slider = front.locator(".front-duel input")
    box = slider.bounding_box()
    cell = front.locator(".front-duel td:text-is('86')").first

    def chosen(at):
        expect(slider).to_have_value(str(at))
        for field, right in enumerate((first[at], second[at])):
            svg = front.locator(".front-duel svg").nth(field)
            expect(svg.locator(".front-anyway")).to_have_count(blind[at])
            expect(svg.locator(".front-found")).to_have_count(right - blind[at])
            expect(svg.locator(".front-hidden")).to_have_count(100 - right)
        expect(front.locator(".front-words b")).to_have_text([str(first[at]), str(second[at])])
        expect(front.locator("thead .front-here")).to_have_text(str(before[at]))
        # The grip stands above its numbers.
        share = slider.evaluate("e => e.value / e.max")
        here = front.locator("thead .front-here").bounding_box()
        assert box["x"] + 10 + share * (box["width"] - 20) == approx(here["x"] + here["width"] / 2, abs=1)

    chosen(before.index(50))
    for key, at in (("ArrowRight", before.index(60)), ("Home", 0), ("End", len(before) - 1)):
        slider.press(key)
        chosen(at)
    front.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    chosen(before.index(50))
    cell.click()
    chosen(second.index(86))


def test_everything_about_the_two_runs_has_room_on_every_screen_and_on_paper(new_page, site_url):
    page = new_page(viewport=WIDE, reduced_motion="reduce")
    page.goto(site_url + FRONT)
    page.click(".front-link")
    for media, width in itertools.product(["screen", "print"], [620, 700, 820, 1000, 1280]):
        page.emulate_media(media=media)
        page.set_viewport_size({"width": width, "height": 900})
        cut = page.evaluate(
            """() => [...document.querySelectorAll(".front-fields p, .routes p")].filter((e) => {
              const { right } = e.parentElement.getBoundingClientRect();
              return [...e.querySelectorAll("*")].some((part) => part.getBoundingClientRect().right > right + 1);
            }).map((e) => e.textContent)"""
        )
        # Asked at once: of a page that is being laid out, two answers may be of two layouts.
        levels = page.eval_on_selector_all(
            ".front-duel svg", "all => all.map((svg) => Math.round(svg.getBoundingClientRect().y))"
        )
        assert cut == [] and len(set(levels)) == 1, (media, width)


def test_a_link_carries_the_score(front, new_page, site_url):
    front.context.grant_permissions(["clipboard-read", "clipboard-write"])
    right = guess(front, 1, 1, 0)
    front.get_by_role("link", name="Share your score").click()
    expect(front.get_by_role("link", name="The link is copied")).to_be_visible()
    link = front.evaluate("navigator.clipboard.readText()")
    assert link == front.url == f"{site_url}{FRONT}#score={right}"
    page = new_page()
    page.goto(link)
    times = "1 time" if right == 1 else f"{right} times"
    expect(page.locator(".front-said")).to_contain_text(f"who sent you here was right {times} out of 3")
    page.goto("about:blank")
    page.goto(f"{site_url}{FRONT}#score=7")
    expect(page.locator(".front-said")).to_contain_text("Round 1 of 3")
    expect(page.locator(".front-said")).not_to_contain_text("sent you")


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
        return [front.locator(part).bounding_box()["y"] for part in (".front-play", ".routes", "h2:visible >> nth=0")]

    before = places()
    for _ in range(2):
        guess(front, 1)
        assert places() == before
    guess(front, 1)
    if front.screen is WIDE:
        assert front.locator(".routes").bounding_box()["y"] == before[1]


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


def test_a_part_of_the_gallery_is_chosen(screen, site_url, site):
    page = screen
    page.goto(site_url + GALLERY)
    assert page.locator(".gallery-cards > li:visible").count() == len(cards(site))
    for radio in page.locator(".gallery-parts input").all()[1:]:
        radio.check(force=True)
        part = radio.get_attribute("value")
        shown = page.locator(".gallery-cards > li:visible")
        assert {one.get_attribute("data-part") for one in shown.all()} == {part}
    assert page.evaluate("document.documentElement.scrollWidth") <= screen.screen["width"]
    smallest = page.locator(".gallery-cards svg:visible").first.bounding_box()
    assert smallest["width"] > 120
    judge(page)
