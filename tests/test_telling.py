"""A picture stays in view while paragraphs pass, and shows what each of them speaks of."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect
from selectolax.lexbor import LexborHTMLParser

from telling import setting

BOOK = Path(__file__).resolve().parent.parent / "book"
STORIES = [page.stem for page in sorted(BOOK.glob("*.md")) if "\n:::{story}\n" in page.read_text(encoding="utf-8")]
SCREENS = {
    "wide": {"viewport": {"width": 1280, "height": 800}},
    "phone": {"viewport": {"width": 390, "height": 664}, "has_touch": True, "is_mobile": True},
}
# Where a section is drawn late, the whole page moves, and not a part of the story.
MOVED = """() => { globalThis.moved = 0;
  const told = ({ node }) => (node?.nodeType === 3 ? node.parentElement : node)?.closest?.(".dptutor-story");
  new PerformanceObserver((list) => {
    for (const one of list.getEntries()) if (one.sources.some(told)) globalThis.moved += one.value;
  }).observe({ type: "layout-shift", buffered: true }); }"""
# What letters move is reported with the second frame after them.
LETTERS = """async () => {
  await Promise.all([...document.fonts].map((font) => font.load()));
  for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
  globalThis.moved = 0;
}"""
every_story = pytest.mark.parametrize("name", STORIES)


def test_a_setting_is_the_call_of_an_explorer_at_stops_of_its_sliders():
    assert setting("threshold_test(threshold=1.5, sigma=1)") == ("threshold_test", {"threshold": 1.5, "sigma": 1})
    assert setting('tradeoff_gallery(kind="Laplace")') == ("tradeoff_gallery", {"kind": "Laplace"})
    for wrong in ("threshold_test(threshold=1.52)", "threshold_test(1.5)", "threshold=1.5"):
        with pytest.raises((ValueError, SyntaxError)):
            setting(wrong)


@pytest.fixture
def opened(site_url, new_page):
    def open_(name, screen="wide", **options):
        page = new_page(**SCREENS[screen] | {"reduced_motion": "no-preference"} | options)
        page.add_init_script(f"({MOVED})()")
        page.goto(f"{site_url}book/{name}.html")
        page.locator(".dptutor-story").scroll_into_view_if_needed()
        page.locator(".dptutor-story [data-explorer][data-ready]").wait_for()
        # What letters move that come late is asked elsewhere.
        page.evaluate(LETTERS)
        return page

    return open_


def passes(page, scene):
    """Lets a paragraph come to where it is read."""
    scene.evaluate("scene => scene.scrollIntoView({ block: 'center' })")


def values(page):
    return page.locator(".dptutor-story [data-explorer]").evaluate("root => root.explorer.values.join(' ')")


def shows(page, scene):
    """Waits until the picture is that of a paragraph and stands still."""
    its = " ".join(f"{value:g}" if isinstance(value, float) else str(value) for value in wanted(scene).values())
    expect(page.locator(".dptutor-story [data-explorer]")).to_have_attribute("data-drawn", its)


def wanted(scene):
    return json.loads(scene.get_attribute("data-setting"))


@pytest.mark.look
@every_story
@pytest.mark.parametrize("screen", SCREENS)
def test_each_paragraph_is_read_beside_its_picture(opened, name, screen):
    page = opened(name, screen)
    scenes = page.locator(".scene")
    for scene in [*scenes.all(), scenes.first]:  # and back
        passes(page, scene)
        shows(page, scene)
        expect(scene.locator(":scope > p")).to_be_in_viewport(ratio=1)
        picture = page.locator(".story-picture .dpe-main")
        expect(picture).to_be_in_viewport(ratio=1)
        expect(page.locator(".dptutor-story .dpe-slider:visible")).to_have_count(1)
        expect(page.locator(".dptutor-story .dpe-slider:visible")).to_be_in_viewport(ratio=1)
        text, drawn = scene.locator(":scope > p").bounding_box(), picture.bounding_box()
        apart = text["x"] + text["width"] <= drawn["x"] or text["y"] >= drawn["y"] + drawn["height"]
        assert apart, (text, drawn)
    assert page.evaluate("globalThis.moved") < 0.001


@pytest.mark.look
@every_story
def test_a_hand_on_the_picture_keeps_it_until_the_next_paragraph(opened, name):
    page = opened(name)
    scenes = page.locator(".scene")
    passes(page, scenes.nth(1))
    shows(page, scenes.nth(1))
    page.locator(".dptutor-story .dpe-slider:visible input[type=range]").press("ArrowRight")
    chosen = values(page)
    page.mouse.move(640, 400)
    page.mouse.wheel(0, 60)
    expect(page.locator(".dptutor-story [data-explorer]")).to_have_attribute("data-drawn", chosen)
    passes(page, scenes.nth(2))
    shows(page, scenes.nth(2))


@pytest.mark.look
@every_story
def test_who_wants_no_motion_has_a_picture_for_each_paragraph(opened, name):
    page = opened(name, reduced_motion="reduce")
    scenes = page.locator(".scene")
    pictures = page.locator(".scene-still > svg")
    expect(pictures).to_have_count(scenes.count())
    assert len(set(pictures.evaluate_all("all => all.map(svg => svg.innerHTML)"))) == scenes.count()
    before = values(page)
    passes(page, scenes.last)
    expect(pictures.last).to_be_in_viewport(ratio=1)
    assert values(page) == before
    assert page.evaluate("globalThis.moved") < 0.001


@pytest.mark.look
@every_story
@pytest.mark.parametrize("script", [True, False], ids=["paper", "no script"])
def test_a_row_of_pictures_stands_for_one_that_moves(site_url, new_page, name, script):
    page = new_page(viewport={"width": 643, "height": 971}, java_script_enabled=script)
    if script:
        page.emulate_media(media="print")
    page.goto(f"{site_url}book/{name}.html")
    expect(page.locator(".story-picture")).to_be_hidden()
    for picture in page.locator(".scene-still > svg").all():
        expect(picture).to_be_visible()


def test_on_paper_and_without_a_script_each_paragraph_has_its_picture(site):
    for name in STORIES:
        tree = LexborHTMLParser((site / "book" / f"{name}.html").read_text(encoding="utf-8"))
        [story] = tree.css(".dptutor-story")
        assert story.css_first("[data-explorer] svg") and len(story.css(".scene > p")) >= len(story.css(".scene")) >= 3
        stills = {re.sub(r"\bs\d+-", "", one.html) for one in story.css(".scene > .scene-still > svg")}
        assert len(stills) == len(story.css(".scene"))
        assert not story.css(".scene-still [display=none]")
        names = [one.attributes["id"] for one in tree.css("[id]")]
        assert not [one for one in re.findall(r'"(explorer-\w+)"', str(names)) if names.count(one) > 1]
