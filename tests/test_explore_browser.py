"""Frozen explorers in a browser: what a reader drags, sees and hears."""

import random
import re
import unicodedata
from collections import Counter
from html import unescape
from io import BytesIO
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from conftest import BUSY, approx
from PIL import Image
from playwright.sync_api import expect
from scipy.stats import norm
from test_explore import at, on_steps
from test_sentences import FOUND

import dptutor as dp
from dptutor.explore.machinery import LEVELS, Choice, Hidden, Several
from dptutor.explore.machinery.picture import path_points
from dptutor.formulas import typeset

NAMES = dp.explore.__all__


def every_explorer(test):
    """`make test` looks at one, another one for each test, and `make look` at all."""
    return pytest.mark.look(pytest.mark.cases(1)(pytest.mark.parametrize("name", NAMES)(test)))


# Its script has taken over the picture that stood in the page. The tables are unpacked a frame earlier.
DRAWN_ONCE = "[data-explorer][data-drawn]"


class Folder:
    """A folder of frozen explorers, each made when it is asked for, and of one page with two of a kind and one more."""

    def __init__(self, folder):
        self.folder = folder

    def __truediv__(self, file):
        path, name = self.folder / file, file.removesuffix(".html")
        if path.exists():
            return path
        if name != "three":
            return getattr(dp.explore, name)().freeze(path)
        kinds = "bayes_error", "bayes_error", "threshold_test"
        pieces = [getattr(dp.explore, kind)().frozen().html for kind in kinds]
        apart = '<div style="height: 600px"></div>'  # so that the last is far below the screen
        head = (
            '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>t</title><link rel="icon" href="data:,">'
        )
        path.write_text(f"{head}</head><body>{apart.join(pieces)}</body></html>", encoding="utf-8")
        return path


@pytest.fixture(scope="module")
def frozen(tmp_path_factory):
    return Folder(tmp_path_factory.mktemp("frozen"))


@pytest.fixture
def opened(new_page, same_page, frozen):
    """opened(name, **settings of the browser) -> a page from the disk, its explorer awake."""

    def open_explorer(name, **options):
        page = new_page(**options) if options else same_page
        page.goto((frozen / f"{name}.html").as_uri())
        page.wait_for_selector(DRAWN_ONCE)
        if page.is_visible("[data-ask]"):
            page.click("[data-ask-skip]")
        return page

    return open_explorer


@pytest.fixture
def alone(new_page, frozen):
    """alone(name) -> a page with a history and a memory of its own, its explorer awake."""

    def open_explorer(name):
        page = new_page()
        page.goto((frozen / f"{name}.html").as_uri())
        page.wait_for_selector("[data-explorer][data-ready]")
        return page

    return open_explorer


def readouts(page):
    cells = page.eval_on_selector_all("[data-readout]", "all => all.map(e => [e.dataset.readout, e.textContent])")
    return dict(cells)


def paths(page):
    return page.eval_on_selector_all("[data-part]:not(.dpe-ghost) path", "all => all.map(e => e.getAttribute('d'))")


def tool(page, name):
    """Presses a tool in the menu."""
    page.click("[data-tool=menu]")
    page.click(f"[data-tool={name}]")


# Two frames later, as a size that changes has its effect in the second, and when no explorer says that it is busy.
SETTLED = """() => new Promise((done) => {
  const look = () => (document.querySelector(".dpe-panels[aria-busy=true]") ? requestAnimationFrame(look) : done());
  requestAnimationFrame(() => requestAnimationFrame(look));
})"""


def settled(page):
    page.evaluate(SETTLED)


def put(page, setting):
    page.evaluate("s => document.querySelector('[data-explorer]').explorer.setAll(s)", setting)
    settled(page)


def shows(page, e):
    """Whether the page shows what the library has at its setting."""
    settled(page)
    assert readouts(page) == e.shown
    assert page.text_content(".dpe-words").replace("\N{SMALL TILDE}", "\N{COMBINING TILDE}") == e.words
    assert page.text_content(".dpe-code code") == e.code()


def setting_of(page):
    return page.evaluate(
        "() => { const x = document.querySelector('[data-explorer]').explorer;"
        " return Object.fromEntries(x.manifest.parameters.map((p, i) => [p.name, x.values[i]])); }"
    )


def test_a_picture_that_is_not_yet_that_of_its_setting_is_busy(new_page, frozen):
    page = new_page(reduced_motion="no-preference")
    page.goto((frozen / "threshold_test.html").as_uri())
    root, panels = page.locator("[data-explorer][data-drawn]"), page.locator(".dpe-panels")
    expect(panels).to_have_attribute("aria-busy", "false")
    before = root.get_attribute("data-drawn")
    root.evaluate("root => root.explorer.setAll({ threshold: 2 })")
    assert (panels.get_attribute("aria-busy"), root.get_attribute("data-drawn")) == ("true", before)
    expect(panels).to_have_attribute("aria-busy", "false")
    assert root.get_attribute("data-drawn") == root.evaluate("root => root.explorer.values.join(' ')") != before
    assert root.evaluate("root => root.explorer.motion.moving.size") == 0


@every_explorer
def test_settings_show_the_librarys_numbers_and_curves(opened, name):
    page, e = opened(name), getattr(dp.explore, name)()
    for setting in [{}, *e.steps.values(), *on_steps(e.parameters, 4, seed=3)]:
        page.evaluate("s => document.querySelector('[data-explorer]').explorer.setAll(s)", setting)
        e.set(**setting)
        shows(page, e)
        lie_on_the_figure(page, e)


SHOWN = """() => Object.fromEntries([...document.querySelectorAll("[data-part]:not(.dpe-ghost)")].map((part) => {
  const path = part.querySelector(":scope > g > path");
  const points = [...part.querySelectorAll("use:not([display])")].map((u) => [u.x.baseVal.value, u.y.baseVal.value]);
  return [part.dataset.part, path ? path.getAttribute("d") || "" : points];
}))"""


def lie_on_the_figure(page, e):
    """Every path in the page lies within a pixel of the matplotlib figure's."""
    figure, shown = e.figure, page.evaluate(SHOWN)
    height = figure.get_figheight() * 72
    for ax in figure.axes:
        for artist in (*ax.lines, *ax.patches):
            if not str(artist.get_gid()).startswith("part-"):
                continue
            drawn = artist.get_xydata() if hasattr(artist, "get_xydata") else artist.get_xy()
            pixels = ax.transData.transform(drawn) * 72 / figure.dpi
            expected = np.column_stack([pixels[:, 0], height - pixels[:, 1]])
            expected = expected[np.isfinite(expected).all(axis=1)]
            found = shown[artist.get_gid()[5:]]
            found = re.findall(r"-?[\d.]+", found) if isinstance(found, str) else found
            found = np.array(found, float).reshape(-1, 2)
            if len(expected) == len(found) + 1:  # a polygon comes back to where it began, if it does not end there
                assert (expected[0] == expected[-1]).all()
                expected = expected[:-1]
            assert found.shape == expected.shape
            assert np.abs(found - expected).max(initial=0.0) <= 1.0


@every_explorer
def test_each_control_is_moved_by_keys_and_each_slider_by_mouse(opened, name):
    page, e = opened(name), getattr(dp.explore, name)()
    for parameter, declared in e.parameters.items():
        if isinstance(declared, Hidden):
            continue
        tool(page, "reset")  # another choice may leave a slider nothing to move
        settled(page)
        if isinstance(declared, Several):
            unchosen = next(m for m in declared.members if m not in declared.value.split(", "))
            page.focus(f"label:has-text('{unchosen}') [data-parameter={parameter}]")
            page.keyboard.press("Space")
            assert set(setting_of(page)[parameter].split(", ")) == {*declared.value.split(", "), unchosen}
        elif isinstance(declared, Choice):
            page.focus(f"[data-parameter={parameter}]:checked")
            page.keyboard.press("ArrowDown")
            after = declared.options.index(declared.value) + 1
            assert setting_of(page)[parameter] == declared.options[after % len(declared.options)]
        else:
            before = paths(page)
            page.focus(f"input[type=range][data-parameter={parameter}]")
            at = declared.values.index(declared.value)
            step = 1 if at + 1 < len(declared.values) else -1
            page.keyboard.press("ArrowRight" if step > 0 else "ArrowLeft")
            assert setting_of(page)[parameter] == declared.values[at + step]
            settled(page)
            assert paths(page) != before
            page.keyboard.press("End")
            assert setting_of(page)[parameter] == declared.values[-1]
            page.keyboard.press("Home")
            assert setting_of(page)[parameter] == declared.values[0]
            page.keyboard.press("PageUp")
            e.set(**setting_of(page))
            shows(page, e)
            tool(page, "reset")
            settled(page)
            slider = page.locator(f"input[type=range][data-parameter={parameter}]")
            slider.scroll_into_view_if_needed()
            box = slider.bounding_box()
            middle, share = box["y"] + box["height"] / 2, (at + 0.5) / len(declared.values)
            page.mouse.move(box["x"] + share * box["width"], middle)
            page.mouse.down()
            for step in range(1, 9):
                page.mouse.move(box["x"] + (share + step * (0.03 if share < 0.7 else -0.03)) * box["width"], middle)
            page.mouse.up()
            settled(page)
            assert setting_of(page)[parameter] != declared.value and paths(page) != before
        e.set(**setting_of(page))
        shows(page, e)


def test_a_typed_number_goes_to_the_nearest_stop_and_the_reader_is_told(opened):
    page, e = opened("delta_divergence"), dp.explore.delta_divergence()
    page.fill("[data-typed=sigma]", "2.23")
    page.keyboard.press("Enter")
    assert page.input_value("[data-typed=sigma]") == "2.2"
    e.set(sigma=2.2)
    shows(page, e)
    assert page.text_content(".dpe-status") == "2.23 lies between two stops: shown is the nearest, 2.2."
    for typed, said in (("99", "This goes from 0.3 to 4."), ("much", "That is not a number."), ("2.2", "")):
        page.fill("[data-typed=sigma]", typed)
        page.keyboard.press("Enter")
        settled(page)
        assert page.text_content(".dpe-status") == said
        assert page.is_visible(".dpe-status") == bool(said)
    page.fill("[data-typed=prior]", "27 %")
    page.keyboard.press("Enter")
    e.set(prior=0.27)
    assert page.input_value("[data-typed=prior]") == "27%"
    shows(page, e)
    page.fill("[data-typed=sigma]", "2.2")
    page.keyboard.press("Enter")
    settled(page)
    page.keyboard.press("ArrowUp")
    e.set(sigma=2.4)
    shows(page, e)
    page.fill("[data-typed=sigma]", "")
    page.keyboard.press("Tab")
    assert page.input_value("[data-typed=sigma]") == "2.4"


@every_explorer
def test_steps_tell_their_story_and_lead_back_to_the_start(opened, name):
    page, e = opened(name), getattr(dp.explore, name)()
    stories = [f"{label}: {story}" for label, (story, _) in e.explorer.steps.items()]
    assert page.text_content("[data-steps] .dpe-count") == f"Tour of {len(stories)}"
    for place, setting in enumerate(e.steps.values()):
        page.click("[data-step=next]")
        assert page.is_visible(".dpe-story")
        assert page.is_hidden(".dpe-invitation")  # it has the place of the task
        assert page.text_content(".dpe-story") == stories[place]
        assert page.text_content("[data-steps] .dpe-count") == f"{place + 1} of {len(stories)}"
        e.set(**setting)
        shows(page, e)
    assert page.get_attribute("[data-step=next]", "aria-disabled") == "true"
    page.click("[data-step=back]")
    assert page.text_content(".dpe-story") == stories[-2]
    tool(page, "reset")
    assert page.is_hidden(".dpe-story")
    assert page.is_visible(".dpe-invitation")
    e.reset()
    shows(page, e)


def test_pinned_settings_stay_while_others_move(opened):
    page, e = opened("delta_divergence"), dp.explore.delta_divergence()
    lines, first = "all => all.map(e => e.textContent)", paths(page)
    regret = page.text_content("[data-readout=forth]")
    tool(page, "pin")
    page.evaluate("document.querySelector('[data-explorer]').explorer.stepTo(4)")
    settled(page)
    tool(page, "pin")
    ghosts = page.eval_on_selector_all(".dpe-ghost path", "all => all.map(e => e.getAttribute('d'))")
    assert set(ghosts) & set(first)
    assert not set(ghosts) <= set(first)
    assert page.eval_on_selector_all(".dpe-pins li button:first-child", lines) == [
        "A: σ = 1, b = 1, π = 20%",
        "B: σ = 0.5, b = 2, π = 50%",
    ]
    was = page.eval_on_selector_all("div:has(> [data-readout=forth]) .dpe-was", lines)
    assert was == [f"A: {regret}", f"B: {page.text_content('[data-readout=forth]')}"]
    assert page.eval_on_selector_all(".dpe-name text:last-child", lines).count("A") == 2  # in either panel
    page.click(".dpe-pins >> text=A: σ")  # back to it
    settled(page)
    shows(page, e)
    page.click("[aria-label='Unpin A']")
    assert page.eval_on_selector_all(".dpe-pins li", "all => all.length") == 1
    page.click("[aria-label='Unpin B']")
    assert page.query_selector(".dpe-ghost, .dpe-was") is None
    assert not {"A", "B"} & set(page.eval_on_selector_all(".dpe-name text:last-child", lines))
    assert page.is_hidden(".dpe-pins")


def test_a_pin_names_what_was_chosen(opened):
    page = opened("batches")
    tool(page, "pin")
    expect(page.locator(".dpe-pins")).to_contain_text("T = 1000, E = 1")


def test_there_are_four_pins(opened):
    page = opened("bayes_error")
    page.evaluate("for (const _ of Array(6)) document.querySelector('[data-tool=pin]').click()")
    assert page.locator(".dpe-pins li").count() == 4
    assert page.get_attribute("[data-tool=pin]", "aria-disabled") == "true"


@pytest.mark.parametrize("ending", ["svg", "png"])
def test_the_picture_is_saved(opened, ending, tmp_path):
    page = opened("delta_divergence")
    with page.expect_download() as download:
        tool(page, ending)
    download.value.save_as(tmp_path / "picture")
    saved = (tmp_path / "picture").read_bytes()
    assert download.value.suggested_filename == f"delta_divergence.{ending}"
    assert saved.startswith(b"\x89PNG" if ending == "png" else b"<svg")
    assert b"var(--" not in saved


def test_the_code_is_shown_when_asked_for(opened):
    page = opened("delta_divergence")
    assert page.is_hidden(".dpe-code")
    tool(page, "code")
    assert page.is_visible(".dpe-code")
    assert page.get_attribute("[data-tool=code]", "aria-expanded") == "true"


@every_explorer
@pytest.mark.parametrize("width", [1280, 390])
def test_without_a_script_picture_numbers_and_caption_are_there(new_page, frozen, name, width):
    page, e = new_page(java_script_enabled=False, viewport={"width": width, "height": 800}), getattr(dp.explore, name)()
    page.goto((frozen / f"{name}.html").as_uri())
    assert page.locator("svg.dpe-panel").count() == len(e.explorer.panels)
    assert page.locator("svg.dpe-panel [data-part]").count() == len(e.explorer.parts)
    assert page.is_hidden(".dpe-controls") and page.is_hidden(".dpe-menu") and page.is_hidden(".dpe-asked")
    veiled = e.explorer.prediction.veiled if e.explorer.prediction else ()
    names = page.locator(".dpe-still:has(text)")
    seen = {squeezed(text) for text in names.all_text_contents()}
    inside = {part.label for part in e.explorer.parts if part.label and np.isfinite(path_points(part, e.setting)).all()}
    assert {squeezed(label) for label in inside} <= seen
    if e.explorer.prediction:
        for part in e.explorer.parts:
            shown = page.locator(f"[data-part='{part.place}'] > g").evaluate(VISIBLE)
            assert shown == (part.name not in veiled)
        assert page.is_visible(".dpe-question") and page.is_hidden(".dpe-words") and page.is_hidden(".dpe-readouts")
        assert page.evaluate(OVERLAPS) == []
        page.emulate_media(media="print")  # where nothing unfolds
        assert all(map(page.is_visible, (".dpe-words", ".dpe-readouts"))) and page.is_hidden(".dpe-invitation")
        page.emulate_media(media="screen")
        page.click(".dpe-told summary")
        assert squeezed(said(e.words)) in squeezed(page.locator(".dpe-told").inner_text())
    assert all(page.eval_on_selector_all("svg [data-part] > g", f"all => all.map({VISIBLE})"))
    assert page.is_visible(".dpe-readouts") and "—" not in page.locator(".dpe-readouts").inner_text()
    assert page.evaluate(OVERLAPS) == []
    assert squeezed(page.locator("figcaption p").text_content()) == squeezed(said(e.explorer.caption))
    assert squeezed(page.locator(".dpe-words").inner_text()) == squeezed(said(e.words))


def said(text):
    """What a page shows of a text: letters with a tilde are formulas."""
    return unescape(re.sub(r"<[^>]*>", "", typeset(text)))


def squeezed(text):
    """Without spaces, and letters of formulas as plain ones."""
    return "".join(unicodedata.normalize("NFKC", text).split())


def test_several_on_a_page_move_apart_and_share_no_id(new_page, frozen):
    page = new_page()
    page.goto((frozen / "three.html").as_uri())
    page.wait_for_function("document.querySelectorAll('[data-explorer]').length === 3")
    ids = page.eval_on_selector_all("[id]", "all => all.map(e => e.id)")
    assert len(ids) == len(set(ids))
    ready = "document.querySelectorAll('[data-ready]').length"
    assert page.evaluate(ready) < 3  # what is far below the screen is not unpacked yet
    explorers = page.locator("[data-explorer]")
    for place in (1, 2):  # a jump past the second would leave it asleep
        explorers.nth(place).scroll_into_view_if_needed()
    page.wait_for_function(f"{ready} === 3")
    untouched = explorers.nth(0).locator(".dpe-words").text_content()
    explorers.nth(1).locator("input[type=range]").first.focus()
    page.keyboard.press("Home")
    explorers.nth(1).locator("input[type=radio]").last.check()
    settled(page)
    assert explorers.nth(1).locator(".dpe-words").text_content() != untouched
    assert explorers.nth(0).locator(".dpe-words").text_content() == untouched
    assert explorers.nth(0).locator("input[type=radio]").first.is_checked()


def test_an_explorer_that_comes_on_the_screen_of_a_busy_page_wakes(new_page, frozen):
    page = new_page()
    page.add_init_script(BUSY)
    soon = "requestAnimationFrame(() => requestAnimationFrame(() => scrollTo(0, document.body.scrollHeight)))"
    page.add_init_script(f"addEventListener('load', () => {soon})")
    page.goto((frozen / "three.html").as_uri())
    expect(page.locator("[data-explorer]").last).to_have_attribute("data-ready", "1")


def test_noise_is_called_what_the_mechanism_calls_it(alone):
    page, e = alone("tradeoff_gallery"), dp.explore.tradeoff_gallery()
    label, typed = page.locator(".dpe-slider .dpe-label").first, page.locator("[data-typed=noise]")
    slider = page.locator("input[type=range][data-parameter=noise]")
    page.get_by_label("Laplace").check()
    assert label.text_content() == "noise b" and slider.get_attribute("aria-label") == "noise b"
    page.get_by_label("randomized response").check()
    assert label.text_content() == "ε₀" and typed.input_value() == "1"
    typed.fill("2")
    typed.press("Enter")
    assert setting_of(page)["noise"] == 0.5 and typed.input_value() == "2"
    assert slider.get_attribute("aria-valuetext") == "2"
    typed.fill("100")
    typed.press("Enter")
    assert page.text_content(".dpe-status") == "This goes from 3.33 to 0.25."
    e.set(**setting_of(page))
    assert e.parameters["noise"].show(e.setting["noise"]) == typed.input_value()
    page.get_by_label("Gaussian").check()
    assert label.text_content() == "noise σ" and typed.input_value() == f"{e.setting['noise']:g}"
    page.get_by_label("randomized response").check()
    page.wait_for_function("location.hash.includes('randomized')")
    page.reload()
    page.wait_for_selector("[data-explorer][data-ready]")
    assert page.locator(".dpe-slider .dpe-label").first.text_content() == "ε₀"


@every_explorer
def test_a_screen_reader_hears_labels_values_and_where_a_drag_ends(opened, name):
    page, e = opened(name), getattr(dp.explore, name)()
    unnamed = "all => all.filter(e => !(e.ariaLabel || e.closest('label') || e.textContent.trim())).length"
    assert page.eval_on_selector_all("[data-explorer] :is(input, button)", unnamed) == 0
    assert page.locator("svg[role=img] > title").count() == len(e.explorer.panels)
    slider = page.locator("input[type=range]").first
    inwards = "ArrowLeft" if slider.input_value() == slider.get_attribute("max") else "ArrowRight"
    slider.focus()
    assert page.text_content("[aria-live=polite]") == ""
    page.keyboard.press(inwards)
    page.keyboard.press(inwards)
    e.set(**setting_of(page))
    name = slider.get_attribute("data-parameter")
    assert slider.get_attribute("aria-valuetext") == e.parameters[name].show(e.setting[name])
    page.wait_for_function("document.querySelector('[aria-live=polite]').textContent !== ''")
    assert page.text_content("[aria-live=polite]") == e.words


def test_a_move_before_the_first_drawing_is_heard(new_page, frozen):
    page, e = new_page(), dp.explore.threshold_test()
    late = "{ const soon = requestAnimationFrame; requestAnimationFrame = (draw) => setTimeout(soon, 4000, draw); }"
    page.add_init_script(late)
    page.goto((frozen / "threshold_test.html").as_uri())
    page.wait_for_selector("[data-explorer][data-ready]")
    page.locator("input[type=range]").first.focus()
    page.keyboard.press("ArrowRight")
    assert not page.evaluate("document.querySelector('[data-explorer]').explorer.drawn")
    e.set(**setting_of(page))
    page.wait_for_function("document.querySelector('[aria-live=polite]').textContent !== ''")
    assert page.text_content("[aria-live=polite]") == e.words


GAME = "document.querySelector('[data-explorer]').explorer.game"


def play(page, guesses, start="Enter"):
    """Plays a game by keys alone, and yields the wrong guesses and rounds of both worlds as the page tells them."""
    page.focus("[data-game=start][data-length='15']")
    page.keyboard.press(start)
    counts = {"P": [0, 0], "Q": [0, 0]}
    for guess in guesses:
        settled(page)
        assert page.text_content(".dpe-words").endswith("Is the record in the data?")
        page.keyboard.press({"P": "ArrowLeft", "Q": "ArrowRight"}[guess])
        settled(page)
        words = page.text_content(".dpe-words")
        truth = "P" if "it was not in the data" in words else "Q"
        assert words.startswith("Right" if guess == truth else "Wrong")
        counts[truth][0] += guess != truth
        counts[truth][1] += 1
        yield counts


def begun(page):
    """Begins a game with a pointer."""
    page.click("[data-game=start][data-length='15']")
    settled(page)


DOTS = """() => [...document.querySelectorAll(".dpe-dots circle")].map((dot) =>
  ["cx", "cy", "r"].map((name) => +dot.getAttribute(name)))"""


def test_thirty_rounds_are_played_by_keys_and_counted(opened):
    page, e, generator = opened("be_the_adversary"), dp.explore.be_the_adversary(), random.Random(5)
    guesses = generator.choices("PQ", k=30)
    answers = []
    for done, counts in enumerate(play(page, guesses), 1):
        (accused, outside), (missed, inside) = counts["P"], counts["Q"]
        setting = setting_of(page)
        assert (setting["accused"], setting["missed"]) == (f"{accused} of {outside}", f"{missed} of {inside}")
        assert (setting["answer"] == "none") == (done == 30)
        if done % 6 == 0:
            e.set(**setting)
            shows(page, e)
            lie_on_the_figure(page, e)
        if done < 30:
            said = page.text_content(".dpe-words")
            assert f"So far {accused} of {outside} wrongly accused, {missed} of {inside} missed." in said
            assert page.text_content("[data-round]") == f"Round {done + 1} of 30"
        # The region comes with a sentence about it, and not before it says anything.
        region = page.locator(".dpe-name:has-text('compatible with your rounds')").is_visible()
        assert region == (done >= 10 and min(outside, inside) > 0)
        assert region == page.text_content(".dpe-invitation").startswith("Purple")
        answers = page.evaluate(f"{GAME}.history.map((round) => [round.answer, round.said])")
    assert outside == inside == 15
    assert e.readouts["alpha"] == accused / 15
    assert f"You accused {accused} of 15 wrongly and missed {missed} of 15." in page.text_content(".dpe-words")
    # No threshold says the same more often than the one that is named.
    answers, said = np.array(answers).T
    assert [int(guess == "Q") for guess in guesses] == said.tolist()
    fits = [int(np.sum((answers > stop) == said)) for stop in np.arange(-100, 121) / 20]
    assert setting["fits"] == f"{max(fits)} of 30"
    assert np.sum((answers > float(setting["threshold"])) == said) == max(fits)
    # Each answer stays as a dot, above if right and below if wrong; none lies on another.
    dots, history = page.evaluate(DOTS), page.evaluate(f"{GAME}.history")
    stage, (left, _, width, _) = page.evaluate(f"[{GAME}.stage, {GAME}.explorer.manifest.panels[0].box]")
    for (x, y, _), played in zip(dots, history, strict=True):
        assert x == approx(left + width * (played["answer"] + 5.2) / 11.4, abs=0.02)
        assert y < stage["right"] if played["said"] == played["truth"] else y > stage["wrong"]
    assert sum(y > stage["wrong"] for _, y, _ in dots) == accused + missed
    assert all(np.hypot(x - a, y - b) > 1.9 * r for i, (x, y, r) in enumerate(dots) for a, b, _ in dots[:i])
    assert page.is_hidden("[data-guess='0']")
    page.keyboard.press("ArrowLeft")  # the game is over
    assert setting_of(page) == e.setting
    page.wait_for_function("document.querySelector('[aria-live=polite]').textContent.includes('You accused')")
    assert page.text_content("[data-game=start]") == "Play again"
    page.focus("[data-game=start]")
    page.keyboard.press("Enter")
    settled(page)
    assert setting_of(page)["accused"] == "0 of 0"
    assert page.text_content("[data-round]") == "Round 1 of 30"


def test_a_round_that_is_taken_back_is_drawn_anew(opened):
    page = opened("be_the_adversary")
    begun(page)
    assert page.get_attribute("[data-game=undo]", "aria-disabled") == "true"
    for _ in range(3):
        page.click("[data-guess='1']")
        settled(page)
    before = page.evaluate(f"{GAME}.history.slice(0, 2)")
    page.click("[data-game=undo]")
    settled(page)
    assert page.evaluate(f"{GAME}.history") == before
    setting = setting_of(page)
    assert sum(int(setting[name].split()[2]) for name in ("accused", "missed")) == 2
    assert page.text_content("[data-round]") == "Round 3 of 30 · 1 taken back"
    shows(page, at(dp.explore.be_the_adversary(), **setting))
    assert page.text_content(".dpe-words").startswith("That round is void, and another output is drawn. So far ")
    page.click("[data-game=undo]", force=True)  # only the last one
    assert setting_of(page) == setting
    page.keyboard.press("ArrowLeft")
    settled(page)
    assert page.evaluate(f"{GAME}.history.length") == 3
    assert page.locator(".dpe-dots circle").count() == 3


def test_no_game_is_thrown_away_without_a_question(opened):
    page, start = opened("be_the_adversary"), dp.explore.be_the_adversary().setting
    begun(page)
    assert page.is_disabled("[data-parameter=sigma]") and page.is_disabled("[data-typed=sigma]")
    assert page.is_hidden("[data-steps]")
    for _ in range(4):
        page.click("[data-guess='0']")
        settled(page)
    setting = setting_of(page)
    ends = (
        lambda: tool(page, "reset"),
        lambda: page.click("[data-game=leave]"),
        lambda: page.evaluate("location.hash = 'be_the_adversary?sigma=2'"),
    )
    for end in ends:
        end()
        page.wait_for_selector(".dpe-sure")
        assert page.text_content(".dpe-sure span") == "Throw away 4 rounds?"
        assert page.is_hidden("[data-guess='0']")
        assert page.evaluate("document.activeElement.dataset.game") == "keep"
        page.keyboard.press("ArrowLeft")  # is no answer to that
        page.keyboard.press("Enter")
        settled(page)
        assert page.is_hidden(".dpe-sure") and setting_of(page) == setting
    page.evaluate("history.replaceState(null, '', location.pathname)")
    tool(page, "reset")
    page.click("[data-game=throw]")
    settled(page)
    assert setting_of(page) == start
    assert page.is_enabled("[data-parameter=sigma]")
    assert page.locator(".dpe-dots circle").count() == 0
    begun(page)
    tool(page, "reset")  # there is nothing to lose yet
    settled(page)
    assert setting_of(page) == start


def test_a_page_that_is_loaded_again_goes_on_with_its_game(alone):
    page = alone("be_the_adversary")
    begun(page)
    for _ in range(5):
        page.click("[data-guess='1']")
        settled(page)
    setting, history = setting_of(page), page.evaluate(f"{GAME}.history")
    page.reload()
    page.wait_for_selector("[data-explorer][data-ready]")
    page.wait_for_selector(".dpe-playing")
    settled(page)
    assert setting_of(page) == setting and page.evaluate(f"{GAME}.history") == history
    shows(page, at(dp.explore.be_the_adversary(), **setting))
    assert page.locator(".dpe-dots circle").count() == 5
    page.click("[data-game=leave]")
    page.click("[data-game=throw]")
    page.reload()
    page.wait_for_selector("[data-explorer][data-ready]")
    settled(page)
    assert setting_of(page) == dp.explore.be_the_adversary().setting


def test_a_tap_on_a_side_of_the_picture_is_an_answer(opened):
    page = opened("be_the_adversary", viewport={"width": 390, "height": 664}, has_touch=True, is_mobile=True)
    page.tap("[data-game=start]")
    settled(page)
    box = page.locator("svg.dpe-main").bounding_box()
    for said, share in enumerate((0.3, 0.6)):
        page.touchscreen.tap(box["x"] + share * box["width"], box["y"] + 0.9 * box["height"])
        settled(page)
        assert page.evaluate(f"{GAME}.history.map((round) => round.said)") == [0, 1][: said + 1]
    page.locator("svg.dpe-panel").nth(1).tap()  # the small picture becomes the large one, and is no side
    settled(page)
    assert page.evaluate(f"{GAME}.history.length") == 2


@pytest.mark.cases(1)
@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 664)])
def test_a_game_is_played_on_one_screen(opened, width, height):
    phone = {"has_touch": True, "is_mobile": True} if width < 600 else {}
    page = opened("be_the_adversary", viewport={"width": width, "height": height}, **phone)
    page.evaluate(f"{{ let x = 7; {GAME}.random = () => (x = (x * 16807) % 2147483647) / 2147483647; }}")
    begun(page)
    page.evaluate(f"{GAME}.group.focus()")
    page.evaluate("addEventListener('keydown', () => { globalThis.heard = true; })")  # as the deck of a lecture does
    tops = set()
    for played in range(1, 31):
        answer = page.evaluate(f"+{GAME}.value('answer')")
        page.keyboard.press("ArrowRight" if answer > 0.6 else "ArrowLeft")
        settled(page)
        if played in (1, 12, 29, 30):
            assert page.evaluate(OVERLAPS) == []
        if played < 30:
            boxes = [page.locator(kind).bounding_box() for kind in (".dpe-main", ".dpe-rounds", "[data-guess='1']")]
            assert boxes[-1]["y"] + boxes[-1]["height"] - boxes[0]["y"] <= height - 48
            tops.add(tuple(boxes[-1].values()))
    assert len(tops) == 1  # the buttons stay under the finger
    assert not page.evaluate("globalThis.heard")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    found = Axe().run(page).response["violations"]
    assert [(fault["impact"], fault["help"]) for fault in found] == []


def test_a_game_goes_on_from_a_link_and_two_answers_are_not_taken_at_once(opened):
    page = opened("be_the_adversary")
    page.evaluate("location.hash = 'be_the_adversary?accused=2+of+14&missed=1+of+14&answer=0.3'")
    page.wait_for_function("document.querySelector('[data-round]').textContent === 'Round 29 of 30'")
    page.focus("[data-guess='0']")
    page.evaluate("""() => {
      const key = () => document.querySelector("[data-guess='0']").dispatchEvent(
        new KeyboardEvent("keydown", {key: "ArrowLeft", bubbles: true}));
      key(); key();
    }""")
    settled(page)
    setting = setting_of(page)
    assert sum(int(setting[name].split()[2]) for name in ("accused", "missed")) == 29


@pytest.mark.deep
def test_the_worlds_are_drawn_as_they_should_be(opened):
    page = opened("be_the_adversary")
    # Four hundred games without pictures of one who says "in" above a half.
    games = page.evaluate("""() => {
      const x = document.querySelector('[data-explorer]').explorer, { game } = x, rounds = [];
      x.drawSoon = () => {};
      for (let k = 0; k < 400; k++) {
        game.forget();
        game.deal(game.fresh);
        while (game.value('answer') !== 'none') {
          x.drawn = [...x.values];
          const answer = +game.value('answer');
          game.guess(+(answer > 0.5));
          rounds.push([answer, game.history.at(-1).truth]);
        }
      }
      return rounds;
    }""")
    answers, inside = np.array(games).T
    assert len(games) == 12_000 and inside.reshape(400, 30).sum(axis=1) == approx(15)
    # Five standard deviations.
    for world, mean in ((inside == 0, 0), (inside == 1, 1)):
        assert answers[world].mean() == approx(mean, abs=5 / np.sqrt(6000))
        assert answers[world].var() == approx(1, abs=5 * np.sqrt(2 / 6000))
    # The first of a game tells nothing of the second, but that it is one less of fifteen.
    first, second = inside.reshape(400, 30)[:, :2].T
    assert first.mean() == approx(0.5, abs=5 * 0.5 / 20)
    assert (first == second).mean() == approx(14 / 29, abs=5 * 0.5 / 20)


def luminance(color):
    channels = np.array(re.findall(r"[\d.]+", color)[:3], float) / 255
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_letters_and_curves_stand_out_in_light_and_dark(opened, scheme):
    page = opened("delta_divergence", color_scheme=scheme)
    back = luminance(page.eval_on_selector("[data-explorer]", "e => getComputedStyle(e).backgroundColor"))
    assert (back > 0.9) == (scheme == "light")

    def contrast(color):
        high, low = sorted([luminance(color), back], reverse=True)
        return (high + 0.05) / (low + 0.05)

    texts = page.eval_on_selector_all("svg text:not(.dpe-value)", "all => all.map(e => getComputedStyle(e).fill)")
    assert min(map(contrast, texts)) >= 4.5
    # The value of a line stands in the color of the page on the line's own.
    pills = page.eval_on_selector_all(".dpe-pill", "all => all.map(e => getComputedStyle(e).fill)")
    assert pills
    assert min(map(contrast, pills)) >= 4.5
    assert contrast(page.eval_on_selector("figcaption", "e => getComputedStyle(e).color")) >= 4.5
    lines = page.eval_on_selector_all("[data-part] > g > path", "all => all.map(e => getComputedStyle(e).stroke)")
    lines = [line for line in lines if line != "none"]
    assert len(lines) >= 4
    assert min(map(contrast, lines)) >= 3


# Whatever a hand may do to a control: move and click it, type a number or none, press keys.
RANDOM_EVENTS = """async ([events, seed]) => {
  const random = (n) => {
    seed = (seed + 0x6D2B79F5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor(((t ^ (t >>> 14)) >>> 0) / 4294967296 * n);
  };
  const one = (all) => all[random(all.length)];
  const root = document.querySelector("[data-explorer]"), inputs = [...root.querySelectorAll("input")];
  const buttons = [...root.querySelectorAll("button")].filter((e) => !/svg|png|large|link/.test(e.dataset.tool));
  const typed = ["", "-3", "0", "1e-320", "1e300", "0.5", "2.34567"];
  const keys = ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Escape", "Enter", "Home", "x"];
  for (let k = 1; k <= events; k++) {
    const input = one(inputs);
    const kind = random(8);
    if (kind === 0) one(buttons).click();
    else if (kind === 1) {
      const pressed = new KeyboardEvent("keydown", { key: one(keys), bubbles: true });
      one([...inputs, ...buttons]).dispatchEvent(pressed);
    } else if (/radio|checkbox/.test(input.type)) input.click();
    else if (input.type === "range") {
      input.value = random(+input.max + 1);
      input.dispatchEvent(new Event("input", { bubbles: true }));
    } else {
      input.value = one(typed);
      input.dispatchEvent(new Event("change", { bubbles: true }));
    }
    if (k % 10 === 0) root.explorer.draw();
    if (k % 90 === 0) await new Promise(requestAnimationFrame);
  }
  root.explorer.pins.clear();
}"""


# All elements, each by what it lies in. A prediction that was made tells its story and stays, and a game shows a mark
# for each of its rounds, of which there may be more or fewer.
ELEMENTS = """() => [...document.querySelectorAll(":not(.dpe-story *, .dpe-game *)")].map((element) => {
  const ways = [];
  for (let e = element; e !== document.body && e; e = e.parentElement) ways.unshift(e.dataset.part ?? e.tagName);
  return ways.join(" ");
})"""


@pytest.mark.deep
@every_explorer
def test_an_hour_of_random_events_is_survived(opened, name):
    page, e = opened(name), getattr(dp.explore, name)()
    before = Counter(page.evaluate(ELEMENTS))
    page.evaluate(RANDOM_EVENTS, [3600, 5])  # one a second
    e.set(**setting_of(page))
    shows(page, e)
    page.evaluate("{ const x = document.querySelector('[data-explorer]').explorer; x.game?.forget(); x.stepTo(0); }")
    settled(page)
    after = Counter(page.evaluate(ELEMENTS))
    assert (after - before, before - after) == (Counter(), Counter())


# Hold back every frame: the picture is as it stood in the page.
UNDRAWN = "{ const soon = requestAnimationFrame; requestAnimationFrame = (draw) => setTimeout(soon, 3e6, draw); }"
LETTERS = """() => [...document.querySelectorAll("[data-part] text, .dpe-invitation, .dpe-words")]
  .filter((text) => text.checkVisibility())
  .map((text) => text.innerHTML.replace(/ (data-tex|xmlns)="[^"]*"/g, ""))"""


@every_explorer
def test_the_first_drawing_changes_no_letter(new_page, frozen, name):
    page = new_page()
    page.add_init_script(UNDRAWN)
    page.goto((frozen / f"{name}.html").as_uri())
    page.wait_for_selector("[data-explorer][data-ready]")
    before = page.evaluate(LETTERS)
    assert page.evaluate("document.querySelector('[data-explorer]').explorer.draw()")
    assert page.evaluate(LETTERS) == before


@every_explorer
def test_a_link_leads_to_its_setting(alone, new_page, name):
    e, generator = getattr(dp.explore, name)(), random.Random(8)
    page = alone(name)
    e.set(**{n: generator.choice(p.values) for n, p in e.parameters.items()})
    page.evaluate("s => document.querySelector('[data-explorer]').explorer.setAll(s)", e.setting)
    tool(page, "link")
    page.locator(".dpe-status", has_text="address bar").wait_for()
    link = page.url
    other = new_page()
    other.goto(link)
    other.wait_for_selector("[data-explorer][data-ready]")
    assert setting_of(other) == e.setting
    shows(other, e)
    # A link in the page itself, to another setting; what it misnames is left as it is.
    first = next(iter(e.parameters))
    wanted = next(value for value in e.parameters[first].values if value != e.setting[first])
    other.evaluate("hash => { location.hash = hash }", f"#{name}?{first}={wanted}&nonsense=3")
    other.wait_for_function("v => document.querySelector('[data-explorer]').explorer.values[0] === v", arg=wanted)
    e.set(**{first: wanted})
    shows(other, e)


def test_large_fills_the_screen_and_escape_ends_it(opened):
    page = opened("delta_divergence")
    size = "parseFloat(getComputedStyle(document.querySelector('.dpe-panel text')).fontSize)"
    before = page.evaluate(size)
    tool(page, "large")
    box = page.locator("[data-explorer]").bounding_box()
    assert (box["width"], box["height"]) == approx((page.viewport_size["width"], page.viewport_size["height"]), abs=20)
    assert page.get_attribute("[data-tool=large]", "aria-pressed") == "true"
    assert page.evaluate(size) > before
    page.focus("[data-parameter=sigma]")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Escape")
    page.wait_for_function("!document.querySelector('[data-explorer]').classList.contains('dpe-large')")
    assert page.get_attribute("[data-tool=large]", "aria-pressed") == "false"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@every_explorer
def test_axe_finds_no_fault(opened, name, scheme):
    page = opened(name)
    page.emulate_media(color_scheme=scheme)
    settled(page)
    found = Axe().run(page).response["violations"]
    assert [(fault["impact"], fault["help"]) for fault in found] == []


# Draws that fall.

SAMPLES = "document.querySelector('[data-explorer]').explorer.samples"


def counted(page):
    """What the sentence says of a simulation: draws, errors among those of P and of Q, and their percentages."""
    said = re.fullmatch(
        r"Simulated: of (\d+) draws from P, (\d+) lie to the right, ([\d.]+)% \(long run: ([\d.]+)%\); of (\d+) from "
        r"Q, (\d+) to the left, ([\d.]+)% \(long run: ([\d.]+)%\)\.",
        page.text_content(".dpe-words"),
    )
    assert said and said[1] == said[5]
    n, over, under = int(said[1]), int(said[2]), int(said[6])
    assert (said[3], said[7]) == (f"{100 * over / n:.1f}", f"{100 * under / n:.1f}")
    return n, over, under, float(said[4]) / 100, float(said[8]) / 100


def test_a_number_of_the_axis_hides_beneath_the_line_of_a_value_that_was_pulled_aside(opened):
    page = opened("threshold_test")
    number = page.locator("svg.dpe-panel text:text-is('2')").first
    box, pill = number.bounding_box(), page.locator("[data-handle=threshold]").first.bounding_box()
    x, y = pill["x"] + pill["width"] / 2, pill["y"] + pill["height"] / 2
    expect(number).to_be_visible()
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, y - 60, steps=6)
    page.mouse.up()
    settled(page)
    assert setting_of(page)["threshold"] == approx(2, abs=0.05)
    expect(number).to_be_hidden()


def test_draws_are_counted_at_every_threshold_and_noise_as_python_counts_them(opened):
    page, e = opened("threshold_test"), dp.explore.threshold_test()
    draws = np.random.default_rng(8).random((1000, 2)).tolist()
    page.evaluate(f"draws => {{ const all = draws.flat(); let k = 0; {SAMPLES}.random = () => all[k++]; }}", draws)
    page.click("[data-samples=play]")  # of motion nothing is wanted: all are there at once
    settled(page)
    people = page.locator("[data-part].dpe-veiled")  # they make room
    assert people.count() == 4 and people.first.is_hidden()
    u, v = np.array(draws).T
    for setting in ({}, {"threshold": -0.4}, {"threshold": 1.3}, {"sigma": 0.5}, {"threshold": 3.0, "sigma": 2.0}):
        put(page, setting)
        e.set(**setting)
        t, sigma = e.setting["threshold"], e.setting["sigma"]
        without, within = (np.interp(share, LEVELS, sigma * norm.ppf(LEVELS)) for share in (u, v))
        n, over, under, alpha, _ = counted(page)
        assert (n, over, under) == (1000, np.sum(without > t), np.sum(1 + within <= t))
        assert f"{100 * e.readouts['alpha']:.1f}" == f"{100 * alpha:.1f}"
        assert abs(over / n - e.readouts["alpha"]) < 5 * 0.5 / np.sqrt(n)
        assert abs(under / n - e.readouts["beta"]) < 5 * 0.5 / np.sqrt(n)
        assert page.evaluate(OVERLAPS) == []
    page.click("[data-samples=clear]")
    settled(page)
    shows(page, e)
    assert people.count() == 0
    assert page.locator(".dpe-rain path:not([d=''])").count() == 0


def test_draws_spread_evenly_come_to_the_exact_errors_and_fill_the_hills(opened):
    page, e = opened("threshold_test"), dp.explore.threshold_test()
    page.evaluate(f"{{ let k = 0; {SAMPLES}.random = () => (Math.floor(k++ / 2) + 0.5) / 1000; }}")
    page.click("[data-samples=play]")
    for sigma in (0.5, 1.0, 2.0):
        for threshold in (-0.4, 0.8, 1.7):
            page.evaluate(
                "s => document.querySelector('[data-explorer]').explorer.setAll(s)",
                {"threshold": threshold, "sigma": sigma},
            )
            settled(page)
            e.set(threshold=threshold, sigma=sigma)
            _, over, under, _, _ = counted(page)
            assert over / 1000 == approx(e.readouts["alpha"], abs=1.5e-3)
            assert under / 1000 == approx(e.readouts["beta"], abs=1.5e-3)
    e.set(threshold=0.8, sigma=1.0)
    put(page, {"threshold": 0.8, "sigma": 1})
    columns = page.evaluate(f"{SAMPLES}.piles.map((pile) => pile.map((path) => path.getAttribute('d')))")
    for pile, area in zip(columns, page.evaluate(f"{SAMPLES}.areas"), strict=True):
        corners = [np.array(re.findall(r"-?[\d.]+", one), float) for path in pile for one in path.split("Z")[:-1]]
        assert sum(abs((b - a) * (top - base)) for a, base, top, b, _ in corners) == approx(area, rel=0.01)


@pytest.mark.look
def test_draws_fall_until_a_touch_and_go_on(alone):
    page = alone("threshold_test")
    page.emulate_media(reduced_motion="no-preference")
    page.focus("[data-parameter=threshold]")
    page.evaluate("document.querySelector('[data-samples=play]').click()")  # the focus stays: the key comes in time
    page.wait_for_function(f"{SAMPLES}.landed > 20 && {SAMPLES}.drops.every((path) => path.getAttribute('d').length)")
    page.keyboard.press("ArrowRight")
    settled(page)
    n, *_ = counted(page)
    assert 20 < n < 1000
    settled(page)
    assert counted(page)[0] == n
    assert page.evaluate(f"{SAMPLES}.drops.every((path) => !path.getAttribute('d'))")
    page.wait_for_function("document.querySelector('[aria-live=polite]').textContent.startsWith('Simulated')")
    assert page.text_content("[data-samples=play]") == "▶ Go on"
    page.evaluate(f"{SAMPLES}.draw(990); {SAMPLES}.landed = 990")
    page.click("[data-samples=play]")
    page.wait_for_function(f"{SAMPLES}.landed === 1000")
    assert counted(page)[0] == 1000
    assert page.text_content("[data-samples=play]") == "↻ Again"
    page.click("[data-step=next]")  # a step shows its own
    page.wait_for_function(f"!{SAMPLES}.on")


@pytest.mark.cases(1)
@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 664)])
def test_draws_fit_on_the_screen(opened, width, height):
    phone = {"has_touch": True, "is_mobile": True} if width < 600 else {}
    page = opened("threshold_test", viewport={"width": width, "height": height}, **phone)
    if phone:
        page.click(".dpe-more")
    places = "['.dpe-main', '.dpe-slider', '.dpe-samples', '.dpe-steps']"
    places = f"{places}.map((kind) => {{ const box = document.querySelector(kind).getBoundingClientRect();"
    places = f"{places} return [box.left, box.top + scrollY, box.right, box.bottom + scrollY]; }})"
    before = page.evaluate(places)
    page.click("[data-samples=play]")
    settled(page)
    assert page.evaluate(places) == before
    assert before[2][3] - before[0][1] <= height - 48
    assert page.evaluate(OVERLAPS) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    found = Axe().run(page).response["violations"]
    assert [(fault["impact"], fault["help"]) for fault in found] == []


# The picture is the control.

# Of each grip: its part, where it is, and where the part would be at another setting of its slider.
GRIPS = """(share) => {
  const { explorer } = document.querySelector("[data-explorer]"), { handles, manifest } = explorer;
  return handles.parts.filter((part) => part.grip?.at).map((part) => {
    const [place] = part.moves, { values } = manifest.parameters[place], setting = [...explorer.values];
    setting[place] = values[Math.round(share * (values.length - 1))];
    const svg = handles.panels[part.panel], [left, top, width, height] = manifest.panels[part.panel].box;
    const points = explorer.pointsOf(part, setting), inside = points.filter((p) =>
      p && p[0] > left && p[0] < left + width && p[1] > top && p[1] < top + height);
    const screen = ([x, y]) => { const p = new DOMPoint(x, y).matrixTransform(svg.getScreenCTM()); return [p.x, p.y]; };
    const to = part.kind === "points" ? points[0] : inside[Math.floor(inside.length / 2)];
    const names = part.grip.element.dataset.handle;
    return { part: explorer.parts.indexOf(part), names, from: screen(part.grip.at), to: to ? screen(to) : null };
  });
}"""
# Handles that are drawn elsewhere than on what they move.
BEHIND = """() => {
  const { handles } = document.querySelector("[data-explorer]").explorer;
  return handles.parts.filter((part) => part.grip?.at).filter(({ grip, panel }) => {
    const matrix = handles.panels[panel].getScreenCTM();
    const { x, y } = new DOMPoint(grip.at[0] + grip.shift, grip.at[1]).matrixTransform(matrix);
    const box = grip.element.querySelector(".dpe-ring, .dpe-pill").getBoundingClientRect();
    return Math.hypot(box.x + box.width / 2 - x, box.y + box.height / 2 - y) > 2;
  }).map((part) => part.grip.element.dataset.handle);
}"""
HELD = """() => {
  const { held } = document.querySelector("[data-explorer]").explorer.handles;
  return held && held.part.grip.element.dataset.handle;
}"""
# How far, in pixels of the screen, a part is drawn from a place.
OFF = """([number, [x, y]]) => {
  const { explorer } = document.querySelector("[data-explorer]"), part = explorer.parts[number];
  const matrix = explorer.handles.panels[part.panel].getScreenCTM();
  const points = part.points.filter(Boolean).map(([a, b]) => new DOMPoint(a, b).matrixTransform(matrix));
  return Math.min(...points.map((a, i) => {
    const b = (part.kind !== "points" && points[i + 1]) || a, size = (b.x - a.x) ** 2 + (b.y - a.y) ** 2;
    const share = size ? Math.max(0, Math.min(1, ((x - a.x) * (b.x - a.x) + (y - a.y) * (b.y - a.y)) / size)) : 0;
    return Math.hypot(a.x + share * (b.x - a.x) - x, a.y + share * (b.y - a.y) - y);
  }));
}"""
# Pairs of texts of one panel that lie on each other.
OVERLAPS = """() => [...document.querySelectorAll("svg.dpe-panel")].flatMap((svg) => {
  const shown = (text) => text.textContent.trim() && text.checkVisibility({ visibilityProperty: true });
  const texts = [...svg.querySelectorAll("text:not(.dpe-rim)")].filter(shown), found = [];
  const boxes = texts.map((text) => text.getBoundingClientRect());
  boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b, j) => {
    const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    if (across > 2 && down > 5) found.push(`${texts[i].textContent} / ${texts[i + 1 + j].textContent}`);
  }));
  return found;
})"""
VISIBLE = "e => getComputedStyle(e).visibility === 'visible'"
# Where the name stands that begins with a Q.
NAMED_Q = """() => [...document.querySelectorAll(".dpe-name")]
  .find((name) => name.textContent.startsWith("Q")).getBoundingClientRect().x"""


def test_a_held_curve_glides_between_two_stops(opened):
    page = opened("threshold_test")
    [grip] = [g for g in page.evaluate(GRIPS, 0.5) if g["names"] == "sigma"][:1]
    x, y = grip["from"]
    page.mouse.move(x, y)
    page.mouse.down()
    drawn = set()
    for k in range(12):
        page.mouse.move(x + 0.8 * k, y)
        settled(page)
        assert page.evaluate(OFF, [grip["part"], [x + 0.8 * k, y]]) < 1.5
        drawn.add(page.get_attribute(f"[data-part='{grip['part']}'] > g > path", "d"))
    page.mouse.up()
    assert len(drawn) > 8


# Of each name on a line: on which side of it the name stands, and whether another line is nearer to it than its own,
# where these two are apart and nothing leads from the name to its own.
NAMED = """() => {
  const far = ([l, t, r, b], [x, y]) => Math.hypot(Math.max(l - x, 0, x - r), Math.max(t - y, 0, y - b));
  const dense = (points, [left, top, width, height]) => points.flatMap((p, i) => {
    const next = points[i + 1], count = p && next ? Math.ceil(Math.hypot(next[0] - p[0], next[1] - p[1]) / 3) : 1;
    const at = (k) => (next ? [0, 1].map((c) => p[c] + ((next[c] - p[c]) * k) / count) : p);
    return p ? [...Array(Math.min(count, 300)).keys()].map(at) : [];
  }).filter(([x, y]) => x >= left && x <= left + width && y >= top && y <= top + height);
  const { names } = document.querySelector("[data-explorer]").explorer, found = [];
  for (const panel of names.panels) {
    const curves = panel.parts.filter((part) => part.kind === "curve" && !part.veiled).map((part) => part.points);
    const lines = [...curves, ...panel.lines].map((points) => ({ points, all: dense(points, panel.box) }));
    for (const entry of panel.entries) {
      const own = lines.find(({ points }) => points === (entry.part ? entry.part.points : entry.line));
      if (entry.text.hasAttribute("display") || !own?.all.length) continue;
      const { e: left, f: base } = entry.text.transform.baseVal.consolidate().matrix;
      const box = [left, base + 3 - 1.18 * panel.size, left + entry.width, base + 3];
      const near = (line) => line.all.reduce((best, p) => (far(box, p) < far(box, best) ? p : best), [1e9, 1e9]);
      const at = near(own), apart = (p) => own.all.every((q) => Math.hypot(p[0] - q[0], p[1] - q[1]) > 8);
      const others = lines.filter((line) => line !== own && line.all.length).map(near);
      const led = entry.leader.getAttribute("d"); // a line from the name to its own
      const nearer = !led && others.some((p) => far(box, p) < far(box, at) - 2.5 && apart(p));
      const name = `${panel.svg.dataset.panel}: ${entry.text.lastChild.textContent}`;
      found.push({ name, above: (box[1] + box[3]) / 2 < at[1], nearer });
    }
  }
  return found;
}"""


@every_explorer
def test_in_a_drag_a_part_stays_under_the_pointer_no_texts_overlap_and_names_stay_with_their_lines(opened, name):
    page, e = opened(name), getattr(dp.explore, name)()
    movable = {slider for part in e.explorer.parts if part.kind != "text" for slider in part.handles}
    handles = page.eval_on_selector_all("[data-handle]", "all => all.flatMap(e => e.dataset.handle.split(' '))")
    assert set(handles) == movable
    for number in range(len(page.evaluate(GRIPS, 0.1))):
        sides, strayed, moves = {}, [], 0
        for share in (0.1, 0.5, 0.9):
            grip = page.evaluate(GRIPS, share)[number]
            if grip["to"] is None:
                continue
            page.mouse.move(*grip["from"])
            page.mouse.down()
            assert page.evaluate(HELD) == grip["names"]
            for k in range(1, 11):
                page.mouse.move(*[a + (b - a) * k / 10 for a, b in zip(grip["from"], grip["to"], strict=True)])
                settled(page)
                moves += 1
                assert page.evaluate(OVERLAPS) == [], (grip["names"], setting_of(page))
                assert page.evaluate(BEHIND) == []
                for seen in page.evaluate(NAMED):
                    sides.setdefault(seen["name"], []).append(seen["above"])
                    strayed += [(seen["name"], setting_of(page))] if seen["nearer"] else []
            assert page.evaluate(OFF, [grip["part"], grip["to"]]) < 6
            page.mouse.up()
            settled(page)
            e.set(**setting_of(page))
            shows(page, e)
        changes = {name: sum(a != b for a, b in pairwise(all_)) for name, all_ in sides.items()}
        assert {name: count for name, count in changes.items() if count > 0.3 * moves} == {}
        assert len(strayed) <= moves / 10, strayed


def test_who_rests_in_a_drag_sees_the_setting_that_the_numbers_belong_to(opened):
    for name in ("bayes_error", "spectrum"):
        page, e = opened(name), getattr(dp.explore, name)()
        x, y = page.evaluate(GRIPS, 0.5)[0]["from"]
        page.mouse.move(x, y)
        page.mouse.down()
        blended = 0
        for k in range(1, 9):
            page.mouse.move(x - 7.3 * k, y + 1.7 * k)
            settled(page)
            blended += page.evaluate("document.querySelector('[data-explorer]').explorer.blend !== null")
            page.wait_for_function("document.querySelector('[data-explorer]').explorer.blend === null")
            e.set(**setting_of(page))
            shows(page, e)
        lie_on_the_figure(page, e)
        assert blended and page.evaluate(HELD)
        page.mouse.up()


def test_a_value_gives_way_to_what_is_dragged_over_it(opened):
    page = opened("bayes_error")
    words = page.locator("[data-part] text", has_text="of 100 guesses")
    assert not words.get_attribute("transform")
    put(page, {"noise": 0.45, "prior": 0.08})
    assert words.get_attribute("transform")  # the pill stands where the value would
    page.evaluate("document.querySelector('[data-explorer]').explorer.stepTo(0)")
    settled(page)
    assert not words.get_attribute("transform")


# The smallest letters that are shown, in pixels of the screen, and what they say.
SMALLEST = """() => {
  const shown = (e) => e.checkVisibility({ visibilityProperty: true }) && e.getBoundingClientRect().width > 2;
  const own = (e) => [...e.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  const all = [...document.querySelectorAll("[data-explorer] :not(script, style, title, .dpe-spoken, math, math *)")];
  const size = (e) => {
    const { a, b } = e.ownerSVGElement?.getScreenCTM() ?? { a: 1, b: 0 };
    return parseFloat(getComputedStyle(e).fontSize) * Math.hypot(a, b);
  };
  const raised = (e) => e.matches("sub, sup, tspan");
  const sizes = all.filter((e) => own(e) && shown(e) && !raised(e)).map((e) => [size(e), e.textContent]);
  return sizes.reduce((least, one) => (one[0] < least[0] ? one : least));
}"""


def test_a_name_follows_its_curve(opened):
    page = opened("privacy_loss")
    places = []
    for noise in ("2.5", "0.5"):
        page.fill("[data-typed=noise]", noise)
        page.press("[data-typed=noise]", "Enter")
        settled(page)
        places.append(page.evaluate(NAMED_Q))
    near, far = places
    assert far > near + 30  # less noise moves Q to the right


def test_no_name_stands_at_the_grip_of_another_curve(opened):
    """The adversary's name stood over the study's circle, and only its end touched its own curve."""
    page = opened("study")
    put(page, {"sigma": 5, "people": 60})
    far = page.evaluate("""() => {
      const { names, parts } = document.querySelector("[data-explorer]").explorer;
      return names.panels[0].entries.map(({ text, part, width }) => {
        const { e, f } = text.transform.baseVal.consolidate().matrix, other = parts.find((one) =>
          one.panel === part.panel && one.kind === "curve" && one.grip?.at && one !== part).grip.at;
        const x = Math.max(e - other[0], other[0] - e - width, 0);
        return Math.hypot(x, Math.max(Math.abs(f - 4 - other[1]) - 6, 0));
      });
    }""")
    assert len(far) == 2 and min(far) > 20


@pytest.mark.parametrize("sigma", [0.5, 20])
def test_a_line_at_the_end_of_an_axis_keeps_its_grip(opened, sigma):
    """Dragged to the left end, the line of the noise could not be dragged back."""
    page = opened("study")
    put(page, {"sigma": sigma})
    value = page.locator("[data-panel=power] .dpe-grip", has_text=str(sigma))
    assert value.count() == 1 and value.is_visible()


def test_what_is_held_hides_no_half_of_a_number_of_an_axis(alone, opened):
    assert alone("duel").evaluate(COVERING_AND_CUT) == []  # before anything is drawn
    page = opened("delta_divergence", **PHONE)
    put(page, {"prior": 0.01})
    pill, number = page.locator("[data-handle=prior] .dpe-pill"), page.locator("text:text-is('2.5')").first
    assert pill.bounding_box()["x"] >= number.bounding_box()["x"] + number.bounding_box()["width"]


def test_words_of_a_panel_step_aside_for_what_is_held(opened):
    page = opened("batches")
    put(page, {"sigma": 2.8})
    words = page.locator("text").filter(has_text=re.compile("^δ = 10⁻⁵$")).last.bounding_box()
    ring = page.locator("[data-explorer] .dpe-main [data-handle] .dpe-ring").first.bounding_box()
    assert words["x"] >= ring["x"] + ring["width"] or words["x"] + words["width"] <= ring["x"]


def test_hovering_over_a_curve_tells_where_one_is(opened):
    page = opened("delta_divergence")
    [grip] = [g for g in page.evaluate(GRIPS, 0.5) if g["names"] == "sigma"][:1]
    page.mouse.move(grip["from"][0], grip["from"][1])
    there = r"f: Gaussian: accused ≈ \d+ of 100 not in the data, missed ≈ \d+ of 100 in the data"
    assert re.fullmatch(there, page.text_content(".dpe-tip"))
    page.mouse.move(5, 5)
    assert page.is_hidden(".dpe-tip")


def test_symbols_of_a_sentence_are_in_the_letters_of_formulas(opened):
    page = opened("hyper_prior")
    page.wait_for_function("document.querySelector('[data-explorer]').explorer.sentence")
    before = page.inner_html(".dpe-words")
    assert page.evaluate("document.querySelector('[data-explorer]').explorer.sentence") == re.sub(
        ' data-tex="[^"]*"', "", dp.explore.machinery.page.colored(dp.explore.hyper_prior())
    )
    assert "<i>M</i> is at most" in before and page.locator(".dpe-words math mover mi").first.text_content() == "M"
    faces = page.locator("label", has_text="Beta").locator("i")
    assert faces.all_text_contents() == ["a", "b"]


EVERY_FRAME = """async (words) => {
  const root = document.querySelector("[data-explorer]"), frames = [];
  const look = () => frames.push({
    paths: [...root.querySelectorAll("path")].map((path) => path.getAttribute("d")).join(),
    said: root.querySelector(".dpe-words").textContent === words,
    moving: root.explorer.motion.moving.size > 0,
  });
  look();
  root.explorer.stepTo(3);
  do {
    await new Promise(requestAnimationFrame);
    look();
  } while (frames.length < 1000 && !(frames.some((one) => one.moving) && !frames.at(-1).moving));
  return frames;
}"""


def test_a_step_glides_and_its_numbers_do_not(opened):
    page, e = opened("threshold_test", reduced_motion="no-preference"), dp.explore.threshold_test()
    e.set(**e.steps["Less noise"])
    frames = page.evaluate(EVERY_FRAME, e.words)
    before, after = frames[0]["paths"], frames[-1]["paths"]
    assert before != after
    assert [one for one in frames if one["said"] and one["moving"] and one["paths"] not in (before, after)]
    shows(page, e)


def test_what_a_step_says_goes_when_the_reader_moves_on(opened):
    page = opened("threshold_test")
    page.click("[data-step=next]")
    settled(page)  # the grip has gone there
    assert page.is_visible(".dpe-story")
    [grip] = [g for g in page.evaluate(GRIPS, 0.5) if g["names"] == "threshold"][:1]
    page.mouse.move(*grip["from"])
    page.mouse.down()
    page.mouse.move(grip["from"][0] + 40, grip["from"][1])
    page.mouse.up()
    assert page.is_hidden(".dpe-story")


@pytest.mark.parametrize("name", ["posterior_belief", "calibration_point", "bayes_error", "tradeoff_gallery"])
def test_a_finger_that_drags_a_grip_up_does_not_scroll_the_page(opened, name):
    page = opened(name, viewport={"width": 390, "height": 664}, has_touch=True, is_mobile=True)
    page.evaluate("document.body.style.paddingBottom = '900px'")
    page.evaluate("addEventListener('pointercancel', () => { document.body.dataset.lost = ''; }, true)")
    box = page.locator(".dpe-grip:visible").first.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    finger = page.context.new_cdp_session(page)
    finger.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    for k in range(1, 20):
        finger.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [{"x": x, "y": y - 5 * k}]})
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    settled(page)
    assert page.evaluate("scrollY") == 0 and page.get_attribute("body", "data-lost") is None


def test_a_finger_drags_a_grip_and_scrolls_elsewhere(opened):
    page = opened("threshold_test", viewport={"width": 390, "height": 664}, has_touch=True, is_mobile=True)
    finger = page.context.new_cdp_session(page)

    def swipe(start, end):
        x, y = start
        finger.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
        for k in range(1, 9):
            x, y = (a + (b - a) * k / 8 for a, b in zip(start, end, strict=True))
            finger.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [{"x": x, "y": y}]})
        finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        settled(page)

    [grip] = [g for g in page.evaluate(GRIPS, 0.5) if g["names"] == "threshold"][:1]
    (x, y), before = grip["from"], setting_of(page)
    swipe((x, y), (x + 60, y))
    after = setting_of(page)
    assert after["threshold"] > before["threshold"] + 0.5
    assert page.evaluate("scrollY") == 0
    page.evaluate("document.body.style.paddingBottom = '900px'")
    swipe((60, 400), (60, 250))
    page.wait_for_function("scrollY > 50")
    assert setting_of(page) == after


def test_a_finger_that_scrolls_moves_no_slider(opened):
    page = opened("threshold_test", viewport={"width": 390, "height": 664}, has_touch=True, is_mobile=True)
    page.evaluate("document.body.style.paddingBottom = '900px'")
    finger = page.context.new_cdp_session(page)
    box = page.locator("input[data-parameter=threshold]").bounding_box()

    def goes(start, dx, dy):
        x, y = box["x"] + start * box["width"], box["y"] - page.evaluate("scrollY") + box["height"] / 2
        for k in range(21):
            point = {"x": x + dx * k / 20, "y": y + dy * k / 20}
            kind = "touchMove" if k else "touchStart"
            finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [point]})
        finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        settled(page)

    before = setting_of(page)
    goes(0.2, 5, -160)
    page.wait_for_function("scrollY > 50")
    assert setting_of(page) == before
    goes(0.2, 0, 0)  # a tap
    assert setting_of(page)["threshold"] < before["threshold"] - 1
    goes(0.2, 120, 10)
    assert setting_of(page)["threshold"] > before["threshold"]


# Words within the axes that hide because a value stands where they do; numbers of an axis may.
HIDDEN_WORDS = r"""() => document.querySelector("[data-explorer]").explorer.names.panels.flatMap((panel) =>
  panel.still.filter((text, i) => text.matches(".dpe-covered") && panel.written[i][0] > panel.box[0])
    .map((text) => text.textContent).filter((said) => /\p{L}{3}/u.test(said)))"""


# What grips lie on: numbers of axes, values and names, but for numbers that hide beneath a value; marks beneath a
# value; and what is cut: letters and grips that leave the explorer.
COVERING_AND_CUT = """() => {
  const root = document.querySelector("[data-explorer]"), frame = root.getBoundingClientRect(), found = [];
  const shown = (e) => e.checkVisibility({ visibilityProperty: true }) && e.getBoundingClientRect().width > 0;
  const said = (element) => element.dataset.handle ?? element.textContent;
  for (const svg of root.querySelectorAll("svg.dpe-panel")) {
    const letters = [...svg.querySelectorAll("text:not(.dpe-rim, .dpe-value)")];
    const texts = letters.filter((element) => element.textContent.trim() && shown(element));
    const grips = [...svg.querySelectorAll(".dpe-grip")].filter(shown);
    const drawn = (element) => element.querySelector(":scope > .dpe-ring, :scope > .dpe-pill") ?? element;
    const box = (element) => drawn(element).getBoundingClientRect();
    for (const grip of grips) for (const text of texts) {
      const a = box(grip), b = text.getBoundingClientRect();
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (across > 3 && down > 6) found.push(`${said(grip)} on ${said(text)}`);
    }
    for (const element of [...texts, ...grips]) {
      const { left, right } = box(element);
      if (left < frame.left - 1 || right > frame.right + 1) found.push(`${said(element)} is cut`);
    }
  }
  const { parts } = root.explorer, mark = (part) => part.kind === "points" && !part.grip && !part.veiled;
  const short = ({ points: [a, b], grip }) => b && Math.hypot(a[0] - b[0], a[1] - b[1]) < 2 * grip.half[1] + 8;
  const values = parts.filter((part) => part.grip?.at && part.grip.text && !part.veiled && !short(part));
  for (const { panel, grip } of values)
    for (const { points: [at, ...more] } of parts.filter((part) => mark(part) && part.panel === panel))
      if (at && !more.length && [0, 1].every((k) => Math.abs(at[k] - grip.at[k]) < grip.half[k] + 3))
        found.push(`${grip.text.textContent} on a point`);
  return found;
}"""


# What there is to see at one setting after another, with one frame for each.
EACH = """(settings) => {
  const { explorer } = document.querySelector("[data-explorer]");
  return settings.map((setting) => {
    explorer.setAll(setting, 0);
    explorer.draw();
    return (%s)();
  });
}"""


# What a reader is told of marks and curves that is neither in words nor a setting.
MUTE = r"""() => {
  const { parts, handles, manifest } = document.querySelector("[data-explorer]").explorer;
  return parts.filter((part) => ["curve", "points"].includes(part.kind) && !part.veiled).flatMap((part) => {
    const { box: [left, top, width, height], x, y } = manifest.panels[part.panel];
    const inside = (p) => p && p[0] >= left && p[0] <= left + width && p[1] >= top && p[1] <= top + height;
    const at = part.points.find(inside);
    return at && (x.label || y.label) ? [handles.readout(part, at)] : [];
  }).filter((said) => !/\p{L}{3}|[:=≈]/u.test(said));
}"""


# Names and words that a line goes through, in panels that are large, and names on the lower edge; of a letter its
# middle counts.
CROSSED = """() => {
  const { names } = document.querySelector("[data-explorer]").explorer, found = [];
  for (const { svg, box: [left, top, wide, high], parts, lines, entries } of names.panels) {
    if (svg.clientWidth < 150) continue;
    const inverse = svg.getScreenCTM().inverse();
    const shown = (e) => e.checkVisibility({ visibilityProperty: true }) && e.textContent.trim();
    const drawn = parts.filter((p) => !p.veiled && (p.kind === "curve" || p.kind === "ruler"));
    const strokes = [...drawn.map((p) => p.points), ...lines];
    const words = parts.filter((p) => p.kind === "text" && !p.veiled);
    const texts = [...entries, ...words].map((each) => each.text);
    for (const text of texts) {
      const letters = text.matches("g") ? text.lastChild : text;
      if (!shown(letters) || text.getAttribute("display") === "none") continue;
      const r = letters.getBoundingClientRect();
      const corners = [new DOMPoint(r.left, r.top), new DOMPoint(r.right, r.bottom)];
      const [a, b] = corners.map((p) => p.matrixTransform(inverse));
      const lines = 1 + letters.querySelectorAll("tspan[x]").length;
      const third = (b.y - a.y) / lines / 4, edge = [a.x + 1, a.y + third, b.x - 1, b.y - third];
      const met = strokes.find((points) => points.some((p, i) => {
        const q = points[i + 1];
        if (!p || !q) return false;
        const n = Math.ceil(Math.hypot(q[0] - p[0], q[1] - p[1]));
        for (let k = 0; k <= n; k++) {
          const x = p[0] + (q[0] - p[0]) * k / (n || 1), y = p[1] + (q[1] - p[1]) * k / (n || 1);
          if (x < left - 1 || x > left + wide + 1 || y < top - 1 || y > top + high + 1) continue;
          if (x > edge[0] && x < edge[2] && y > edge[1] && y < edge[3]) return true;
        }
        return false;
      }));
      if (met || (text.matches("g") && a.y < top + high && b.y > top + high + 1)) found.push(letters.textContent);
    }
  }
  return found;
}"""


def telling(e):
    """Settings as it opens, at its steps, with each option, at both ends of each slider, and anywhere; and those that
    only a game comes to."""
    settings, played = [{}, *e.steps.values()], []
    for parameter, declared in e.parameters.items():
        values = declared.options if isinstance(declared, Choice) else (declared.values[0], declared.values[-1])
        (played if isinstance(declared, Hidden) else settings).extend({parameter: value} for value in values)
    if e.explorer.rounds is None:  # a game goes where it can be played to
        settings += on_steps(e.parameters, 12, seed=11)
    return [[e.setting | setting for setting in group] for group in (settings, played)]


def faults_at(page, settings, look):
    """The settings at which a look finds faults, and these."""
    found = zip(settings, page.evaluate(EACH % look, settings), strict=True)
    return [(setting, faults) for setting, faults in found if faults]


@every_explorer
@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_in_a_picture_covers_another_or_is_cut(opened, name, width):
    page = opened(name, viewport={"width": width, "height": 800}) if width < 1280 else opened(name)
    looks = [OVERLAPS, HIDDEN_WORDS, COVERING_AND_CUT]
    looks += [CROSSED, MUTE] if width == 1280 else []
    settings, played = telling(getattr(dp.explore, name)())
    found = []
    for setting in settings:
        put(page, setting)
        found += [(setting, fault) for look in looks for fault in page.evaluate(look)]
    assert found == []
    assert width < 1280 or faults_at(page, played, CROSSED) == []


@every_explorer
def test_names_lie_on_nothing_in_a_notebook(opened, name):
    page, (settings, played) = opened(name), telling(getattr(dp.explore, name)())
    for width in (890, 790, 690):  # of what a cell shows
        page.evaluate(f"document.querySelector('[data-explorer]').style.width = '{width}px'")
        settled(page)
        assert faults_at(page, settings + played, CROSSED) == [], width
        assert faults_at(page, settings, OVERLAPS) == [], width


# Names whose line to their own curve crosses another one.
ACROSS = """() => {
  const { names } = document.querySelector("[data-explorer]").explorer, found = [];
  const turn = (a, b, c) => (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
  for (const { parts, lines, entries } of names.panels) {
    const curves = parts.filter((p) => !p.veiled && (p.kind === "curve" || p.kind === "ruler")).map((p) => p.points);
    for (const { text, leader, part, line } of entries) {
      const drawn = leader.getAttribute("d");
      if (text.hasAttribute("display") || !drawn) continue;
      const { e, f } = text.transform.baseVal.consolidate().matrix;
      const ends = drawn.slice(1).split("L").map((end) => end.split(" ").map(Number));
      const [a, b] = ends.map(([x, y]) => [x + e, y + f]);
      const met = [...curves, ...lines].some((points) => points !== (part?.points ?? line) && points.some((p, i) => {
        const q = points[i + 1];
        return p && q && turn(a, b, p) * turn(a, b, q) < 0 && turn(p, q, a) * turn(p, q, b) < 0;
      }));
      if (met) found.push(text.lastChild.textContent);
    }
  }
  return found;
}"""


@pytest.mark.parametrize("name", ["batches", "blackwell_order", "study"])
def test_where_there_is_room_no_line_from_a_name_crosses_another_curve(opened, name):
    page, (settings, _) = opened(name), telling(getattr(dp.explore, name)())
    assert faults_at(page, settings, ACROSS) == []


@pytest.mark.parametrize("name", ["any_attack", "batches"])
def test_on_paper_a_curve_that_is_asked_for_has_its_name(new_page, frozen, name):
    page = new_page()
    page.goto((frozen / f"{name}.html").as_uri())
    page.wait_for_selector(DRAWN_ONCE)
    veiled = "() => document.querySelector('[data-explorer]').explorer.parts.filter((part) => part.veiled).length"
    hidden = page.evaluate(veiled)
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert hidden and not page.evaluate(veiled)
    assert page.evaluate(CROSSED) == []
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.evaluate(veiled) == hidden


def test_on_paper_names_are_placed_for_its_larger_letters(opened):
    page = opened("envelope")
    sizes = "document.querySelector('[data-explorer]').explorer.names.panels.map((panel) => panel.size)"
    screen = page.evaluate(sizes)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert min(page.evaluate(sizes)) > max(screen)
    assert page.evaluate(CROSSED) == []
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.evaluate(sizes) == screen


# For each name of a line: on which side of it, as the line goes, its middle is.
SIDES = """() => Object.fromEntries(document.querySelector("[data-explorer]").explorer.names.panels.flatMap((panel) =>
  panel.entries.flatMap((entry) => {
    const points = (entry.part?.kind === "curve" ? entry.part.points : (entry.line ?? [])).filter(Boolean);
    if (points.length < 2 || entry.text.hasAttribute("display")) return [];
    const { e, f } = entry.text.transform.baseVal.consolidate().matrix;
    const [x, y] = [e + entry.width / 2, f + 3 - 0.59 * panel.size];
    const [, side] = points.slice(1).reduce((best, [bx, by], k) => {
      const [ax, ay] = points[k], [dx, dy] = [bx - ax, by - ay], size = dx * dx + dy * dy;
      const share = size ? Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / size)) : 0;
      const far = Math.hypot(ax + share * dx - x, ay + share * dy - y);
      return far < best[0] ? [far, Math.sign(dx * (y - ay) - dy * (x - ax))] : best;
    }, [Infinity, 0]);
    return [[`${panel.svg.dataset.panel}: ${entry.text.lastChild.textContent}`, side]];
  })))"""


@every_explorer
def test_names_change_sides_only_where_they_have_to(opened, name):
    page, e = opened(name), getattr(dp.explore, name)()
    back_and_forth = {}
    for parameter, declared in e.parameters.items():
        if isinstance(declared, Hidden | Choice):
            continue
        sides = {}
        for row in page.evaluate(EACH % SIDES, [{parameter: value} for value in declared.values]):
            for label, side in row.items():
                sides.setdefault(label, []).append(side)
        for label, seen in sides.items():
            changes = sum(a != b for a, b in pairwise(seen))
            if changes > 5:
                back_and_forth[parameter, label] = changes
        page.evaluate("document.querySelector('[data-explorer]').explorer.stepTo(0, false)")
        settled(page)
    assert back_and_forth == {}


# A page that styles whatever it finds, also by a class of what is around.
HOSTILE = """
body { font: italic bold 31px/3 monospace; color: red; letter-spacing: 3px; word-spacing: 9px; text-align: right;
  text-indent: 2em; text-transform: uppercase; white-space: pre; }
.host :is(p, div, span, ul, li, dl, dt, dd, label, legend, fieldset, button, input, strong, b, i, a, summary, details,
  code, pre, figure, figcaption) { margin: 17px; padding: 11px; border: 5px solid red; background: yellow; color: red;
  font: bold 31px/2 cursive; float: right; max-width: 60px; text-transform: uppercase; box-shadow: 0 0 9px red;
  list-style: square; box-sizing: content-box; }
.host :is(li, dt, button)::before { content: "!"; }
.host svg { max-width: 40%; margin: 9px; border: 3px solid red; }
"""
# How everything inside is drawn: its box, and what is computed for it.
DRAWN = """() => {
  const names = ["color", "font", "letterSpacing", "textTransform", "textAlign", "backgroundColor", "boxShadow",
    "borderTopWidth", "cursor", "display", "float", "listStyleType", "opacity"];
  return [...document.querySelectorAll("[data-explorer] *:not(style, script)")].map((element) => {
    const box = element.getBoundingClientRect(), style = getComputedStyle(element);
    const lengths = [box.x, box.y, box.width, box.height].map((length) => length.toFixed(1));
    const before = getComputedStyle(element, "::before").content;
    return [element.tagName, element.getAttribute("class"), before, lengths, names.map((name) => style[name])].join();
  });
}"""
HEAD = '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>t</title><link rel="icon" href="data:,">'


@pytest.mark.parametrize("name", ["duel", "be_the_adversary", "threshold_test"])
def test_the_styles_of_a_page_end_at_its_explorers(new_page, name, tmp_path):
    piece, seen = getattr(dp.explore, name)().frozen().html, []
    for style in ("", HOSTILE):
        file = tmp_path / "page.html"
        file.write_text(
            f'{HEAD}<style>{style}</style></head><body class="host">{piece}</body></html>', encoding="utf-8"
        )
        page = new_page()
        page.goto(file.as_uri())
        page.wait_for_selector("[data-explorer][data-ready]")
        settled(page)
        seen.append(page.evaluate(DRAWN))
    assert [pair for pair in zip(*seen, strict=True) if pair[0] != pair[1]] == []


def test_the_styles_of_an_explorer_end_at_it(new_page, tmp_path):
    outside = "<p class=dpe-words>a <b>b</b> <i>c</i></p><ul><li>d</li></ul><button>e</button><svg><text>f</text></svg>"
    seen = []
    for piece in ("", dp.explore.threshold_test().frozen().html):
        file = tmp_path / "page.html"
        file.write_text(
            f"{HEAD}</head><body><main data-explorer>{outside}</main>{piece}</body></html>", encoding="utf-8"
        )
        page = new_page()
        page.goto(file.as_uri())
        if piece:
            page.wait_for_selector("figure[data-explorer][data-ready]")
        seen.append(page.evaluate(DRAWN.replace("[data-explorer] *", "main *")))
    assert seen[0] == seen[1]


def test_a_part_can_move_sliders_only():
    panel = dp.explore.threshold_test.panels[0]
    with pytest.raises(ValueError, match="can move sliders only"):
        panel.curve("#000", moves="nothing")(lambda: ([0, 1], [0, 1]))


# Predict, then see.


def draw(page, heights):
    """Draws a line through heights (shares of the panel from its bottom) at equal distances, from the ring on."""
    box = page.evaluate(
        "() => { const { asking } = document.querySelector('[data-explorer]').explorer;"
        " const { svg, area: [left, top, width, height] } = asking, matrix = svg.getScreenCTM();"
        " const at = (x, y) => { const p = new DOMPoint(x, y).matrixTransform(matrix); return [p.x, p.y]; };"
        " return [...at(left, top), ...at(left + width, top + height)]; }"
    )
    left, top, right, bottom = box
    ring = page.locator(".dpe-pen").bounding_box()
    page.mouse.move(ring["x"] + ring["width"] / 2, ring["y"] + ring["height"] / 2)
    page.mouse.down()
    for k, height in enumerate(heights):
        x = left + (right - left) * k / (len(heights) - 1)
        page.mouse.move(min(x, right - 1), bottom - (bottom - top) * height)
    page.mouse.up()


def test_a_curve_is_drawn_before_it_is_shown_and_is_told_how_far_it_was_off(alone):
    page, e = alone("duel"), dp.explore.duel()
    lead = page.locator("[data-part]:has(> .dpe-veiled), [data-part].dpe-veiled")
    assert page.is_visible("[data-ask]")
    assert lead.count() >= 3
    assert page.is_hidden("[data-words]") and page.is_hidden(".dpe-controls")
    page.dispatch_event("[data-ask-commit]", "click")  # nothing is drawn yet
    assert page.is_visible("[data-ask]")
    draw(page, [0.5, 0.7, 0.7, 0.7, 0.5])
    assert page.text_content("[data-ask-count]") == ""
    page.click("[data-ask-commit]")
    assert page.is_hidden("[data-ask]") and page.is_visible("[data-words]")
    shows(page, e)
    # What is told is true of the line drawn, in the units of its axis; the lead has its corners at 27% and 73%.
    low, high = page.evaluate(
        "() => { const { asking } = document.querySelector('[data-explorer]').explorer; return asking.panel.y.limits; }"
    )
    heights = low + (high - low) * np.array([0.5, 0.7, 0.7, 0.5])
    said = re.fullmatch(
        r"You named the winner for (\d+) of 100 priors. You were off by at most ([\d.]+) percentage points, at a "
        r"prior of (\d+)%\.",
        page.text_content(".dpe-story"),
    )
    priors = (np.arange(60) + 0.5) / 60
    drawn = np.interp(priors, [0, 0.25, 0.75, 1], heights)
    first, second = dp.Gaussian(sigma=1), dp.ApproximateDP(1, 0.02)
    truth = 100 * (first.bayes_error(priors) - second.bayes_error(priors))
    gaps = np.abs(drawn - truth)
    assert float(said[2]) == approx(gaps.max(), abs=0.15)
    near = gaps > gaps.max() - 0.15
    assert np.abs(100 * priors[near] - int(said[3])).min() < 3
    assert int(said[1]) == approx(100 * np.mean(truth > 0), abs=4)
    # It is kept, and cannot be drawn again; another duel is asked about anew.
    story = page.text_content(".dpe-story")
    page.reload()
    page.wait_for_selector("[data-explorer][data-ready]")
    settled(page)
    assert page.is_hidden("[data-ask]") and page.text_content(".dpe-story") == story
    before, box = page.get_attribute(".dpe-mine", "d"), page.locator("svg.dpe-panel").last.bounding_box()
    assert page.is_hidden(".dpe-pen")
    page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 0.3 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 0.7 * box["height"])
    page.mouse.up()
    assert page.get_attribute(".dpe-mine", "d") == before
    page.locator("input[type=radio]").first.check()
    settled(page)
    assert page.is_visible("[data-ask]")
    page.click("[data-ask-skip]")
    settled(page)
    assert page.is_hidden("[data-ask]")
    e.set(**setting_of(page))
    shows(page, e)


def test_a_number_that_is_predicted_is_repeated_as_it_was_typed(alone):
    page = alone("any_attack")
    guess = page.locator("[data-ask-number]")
    for refused in ("abc", "150", "-3"):
        guess.fill(refused)
        guess.press("Tab")
        assert guess.evaluate("field => field.validationMessage") and page.is_visible("[data-ask]")
    guess.fill("37.25")
    guess.press("Tab")
    settled(page)
    assert page.is_hidden("[data-ask]") and page.text_content(".dpe-story") == "You said 37.25%. The bound is 37.2%."


def test_a_curve_can_be_typed(alone):
    page = alone("duel")
    page.set_viewport_size(PHONE["viewport"])
    buttons = page.locator("[data-ask] button").all()
    assert len({button.bounding_box()["y"] for button in buttons}) == 1
    page.click("[data-ask] summary")
    for field in page.query_selector_all("[data-ask-value]"):
        field.fill("1")
        field.press("Tab")
    assert page.text_content("[data-ask-count]") == ""
    page.click("[data-ask-commit]")
    assert "You named the winner" in page.text_content(".dpe-story")


def test_back_steps_back_through_settings_and_a_reload_keeps_them(alone):
    page, e = alone("threshold_test"), dp.explore.threshold_test()
    settings = [e.setting]
    for _ in range(2):
        page.click("[data-step=next]")
        settled(page)
        settings.append(setting_of(page))
    page.reload()
    page.wait_for_selector("[data-explorer][data-ready]")
    assert setting_of(page) == settings[2]
    # To another place of the page, and back: the setting stays.
    page.evaluate("location.hash = '#elsewhere'")
    settled(page)
    assert setting_of(page) == settings[2]
    page.go_back()
    settled(page)
    assert setting_of(page) == settings[2]
    count = len(e.steps)
    for expected, said in ((settings[1], f"1 of {count}"), (settings[0], f"Tour of {count}")):
        page.go_back()
        page.wait_for_function(
            "s => { const x = document.querySelector('[data-explorer]').explorer;"
            " return x.manifest.parameters.every((p, i) => x.values[i] === s[p.name]); }",
            arg=expected,
        )
        e.set(**expected)
        shows(page, e)
        assert page.text_content("[data-steps] .dpe-count") == said


def test_back_leads_to_where_a_slider_was_left_just_before_a_step(alone):
    page = alone("threshold_test")
    page.evaluate("document.querySelector('[data-explorer]').explorer.set(0, 2.1)")
    page.evaluate("document.querySelector('[data-step=next]').click()")  # sooner than the address is written
    assert setting_of(page)["threshold"] != 2.1
    page.go_back()
    page.wait_for_function("document.querySelector('[data-explorer]').explorer.values[0] === 2.1")


@pytest.mark.look
def test_play_runs_a_slider_to_its_end_and_a_touch_stops_it(alone):
    page = alone("threshold_test")
    page.click("[data-play=sigma]")
    page.wait_for_function("document.querySelector('[data-explorer]').explorer.values[1] > 1.2")
    page.mouse.click(5, 5)  # outside: it goes on
    page.wait_for_function("document.querySelector('[data-explorer]').explorer.values[1] > 1.4")
    page.click("figcaption")
    assert page.evaluate("document.querySelector('[data-explorer]').explorer.playing") is None
    page.click("[data-play=sigma]")
    page.wait_for_function("document.querySelector('[data-explorer]').explorer.playing === null")
    assert setting_of(page)["sigma"] == 2
    shows(page, at(dp.explore.threshold_test(), **setting_of(page)))


@every_explorer
def test_a_task_that_is_done_says_so(opened, name):
    page, e = opened(name), getattr(dp.explore, name)()
    says = "getComputedStyle(document.querySelector('.dpe-find'), '::after').content"
    assert "Solved" not in page.evaluate(says)
    # As it is after the last round of a game, which a slider would end; else as sliders move.
    move = (
        "x.values[place] = value, x.tables.moved(x.values, place), x.draw()"
        if e.explorer.rounds
        else "x.set(place, value)"
    )
    for slider, value in FOUND[name][0].items():
        place = list(e.parameters).index(slider)
        script = f"([x, place, value]) => {{ x = document.querySelector('[data-explorer]').explorer; {move} }}"
        page.evaluate(script, [None, place, value])
    settled(page)
    assert "Solved" in page.evaluate(says)


def test_a_phrase_moves_its_explorer_and_back_moves_it_back(alone):
    page, e = alone("threshold_test"), dp.explore.threshold_test()
    link = '<p><a data-move href="#threshold_test?threshold=1.7&sigma=2">few</a></p>'
    page.evaluate("html => document.body.insertAdjacentHTML('beforeend', html)", link)
    page.click("a[data-move]")
    page.wait_for_function("document.querySelector('[data-explorer]').explorer.values[0] === 1.7")
    e.set(threshold=1.7, sigma=2)
    settled(page)
    shows(page, e)
    page.go_back()
    page.wait_for_function("document.querySelector('[data-explorer]').explorer.values[0] === 0.8")
    e.reset()
    settled(page)
    shows(page, e)


def test_the_ring_of_a_focused_slider_encloses_its_grip(alone):
    page = alone("threshold_test")
    slider = page.locator("input[type=range]").first
    box = slider.bounding_box()
    around = {"x": box["x"] - 10, "y": box["y"] - 10, "width": box["width"] + 20, "height": box["height"] + 20}
    before = page.screenshot(clip=around)
    page.keyboard.press("Tab")
    slider.focus()
    after = page.screenshot(clip=around)
    bright = [np.asarray(Image.open(BytesIO(picture)).convert("L"), int) for picture in (before, after)]
    columns = np.flatnonzero((np.abs(np.subtract(*bright)) > 50).any(axis=0))
    grip = 20 + slider.evaluate("e => (e.value - e.min) / (e.max - e.min)") * (box["width"] - 20)
    assert 24 < np.ptp(columns) < 40
    assert columns.mean() == approx(grip, abs=2)


def test_short_values_leave_the_room_to_their_sliders(opened):
    page = opened("delta_divergence")
    assert max(typed.bounding_box()["width"] for typed in page.locator(".dpe-typed").all()) < 75


def test_the_name_of_a_slider_stays_on_one_line(opened):
    page = opened("blackwell_order", viewport={"width": 1280, "height": 800})
    page.evaluate("document.querySelector('[data-explorer]').style.width = '1120px'")  # as in a chapter
    assert max(label.bounding_box()["height"] for label in page.locator(".dpe-label").all()) < 30


@every_explorer
def test_everything_is_seen_on_every_screen(opened, name):
    """Question, picture and controls at once, each value whole, each named curve with its name, no small letter."""
    page, e = opened(name, viewport={"width": 1280, "height": 800}), getattr(dp.explore, name)
    settled(page)
    boxes = [page.locator(kind).bounding_box() for kind in (".dpe-head", ".dpe-panels", ".dpe-controls")]
    high = boxes[2]["y"] + boxes[2]["height"] - boxes[0]["y"]
    assert high <= 800 - 48  # below the bar of the book
    assert boxes[1]["height"] >= 0.5 * high
    assert not any(still.is_visible() for still in page.query_selector_all(".dpe-still"))
    assert page.locator(".dpe-name").count() >= sum(bool(part.label) for part in e.parts)
    for width, height in ((820, 1180), (390, 664), (1366, 560), (966, 540), (1280, 800)):
        page.set_viewport_size({"width": width, "height": height})
        settled(page)
        smallest, said = page.evaluate(SMALLEST)
        assert smallest >= 12, (width, said)
        assert page.evaluate(OVERLAPS) == [], width  # names have found their places again
    for end in ("Home", "End"):
        for slider in page.locator("input[type=range]").all():
            slider.press(end)
        settled(page)
        for typed in page.locator(".dpe-typed").all():
            width, needed = typed.evaluate("e => [e.clientWidth, e.scrollWidth]")
            assert needed <= width, typed.input_value()


PHONE = {"viewport": {"width": 390, "height": 664}, "has_touch": True, "is_mobile": True}
UNDER_THE_BAR = 664 - 48

# Letters as wide as in the book, whatever a machine has.
STATIC = Path(__file__).resolve().parent.parent / "book" / "_static"
FONTS = "".join(re.findall(r"^@font-face.*$", (STATIC / "site.css").read_text(encoding="utf-8"), re.M))
FONTS = FONTS.replace("url(fonts/", f"url({(STATIC / 'fonts').as_uri()}/")

# What the small panel lies on: the large one, its letters and grips, lines of question and task; whether it leaves
# the explorer.
COVERED = """() => {
  const root = document.querySelector("[data-explorer]"), large = root.querySelector("svg.dpe-main");
  const frame = root.getBoundingClientRect();
  const box = root.querySelector("svg.dpe-panel:not(.dpe-main)").getBoundingClientRect(), found = [];
  if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1) found.push("outside");
  const shown = (element) => element.checkVisibility({ visibilityProperty: true });
  const boxes = [large, ...large.querySelectorAll("text, .dpe-grip"), ...root.querySelectorAll(".dpe-menu > button")]
    .filter((element) => !element.closest(".dpe-still") && shown(element))
    .map((element) => [element.textContent.slice(-30) || element.dataset.handle, element.getBoundingClientRect()]);
  for (const said of root.querySelectorAll(".dpe-find > *")) {
    const lines = document.createRange();
    lines.selectNodeContents(said);
    if (shown(said)) for (const line of lines.getClientRects()) boxes.push([said.textContent, line]);
  }
  for (const [what, other] of boxes) {
    const width = Math.min(box.right, other.right) - Math.max(box.left, other.left);
    const height = Math.min(box.bottom, other.bottom) - Math.max(box.top, other.top);
    if (width > 1 && height > 1) found.push(what);
  }
  return found;
}"""


# Of an inline element a browser may tell the boxes of its parts.
IN_ONE_LINE = """[...document.querySelectorAll(".dpe-formula")].every(
  (e) => e.getBoundingClientRect().height < 1.5 * parseFloat(getComputedStyle(e).lineHeight))"""


@every_explorer
def test_everything_is_seen_on_a_phone(opened, frozen, name):
    """Question, picture and a slider at once, each step right above its buttons, nothing beneath the small panel, which
    a tap makes the large one."""
    page, e = opened(name, **PHONE), getattr(dp.explore, name)
    covered = COVERED if len(e.panels) > 1 else "[]"
    page.add_style_tag(content=FONTS)
    page.evaluate("Promise.all([...document.fonts].map((font) => font.load()))")
    settled(page)
    head, slider = page.locator(".dpe-head").bounding_box(), page.locator(".dpe-slider").first.bounding_box()
    assert slider["y"] + slider["height"] - head["y"] <= UNDER_THE_BAR
    sizes = page.evaluate(
        "() => [...document.querySelectorAll('.dpe-main text')].filter((t) => t.textContent.trim()).map((t) =>"
        " parseFloat(getComputedStyle(t).fontSize) * t.ownerSVGElement.getScreenCTM().a)"
    )
    assert min(sizes) > 11.5
    assert page.evaluate(covered) == []
    assert page.evaluate(IN_ONE_LINE)
    page.evaluate("document.body.style.paddingBottom = '900px'")
    buttons = page.locator("[data-steps]")
    buttons.evaluate(
        "e => scrollBy(0, e.getBoundingClientRect().bottom - innerHeight)"
    )  # the head may be off the screen
    for story, _ in e.steps.values():
        page.locator("[data-step=next]").tap()
        settled(page)
        said = page.locator(".dpe-below")
        assert squeezed(story) in squeezed(said.inner_text())
        boxes = [part.bounding_box() for part in (page.locator("svg.dpe-main"), said, buttons)]
        assert boxes[0]["y"] >= 0 and boxes[2]["y"] + boxes[2]["height"] <= 664
        assert boxes[0]["y"] + boxes[0]["height"] <= boxes[1]["y"]
        assert 0 <= boxes[2]["y"] - boxes[1]["y"] - boxes[1]["height"] <= 8
        assert not page.locator(".dpe-words").is_visible()
        assert page.evaluate(covered) == [], story
    if len(e.panels) > 1:
        large, small = map(page.query_selector, ("svg.dpe-main", "svg.dpe-panel:not(.dpe-main)"))
        assert small.bounding_box()["width"] < 110
        small.tap()
        settled(page)
        assert small.bounding_box()["width"] > 2 * large.bounding_box()["width"]
        assert page.evaluate(covered) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.goto("about:blank")
    page.goto((frozen / f"{name}.html").as_uri())  # as it opens, with its question where it has one
    page.wait_for_selector(DRAWN_ONCE)
    assert page.evaluate(covered) == []


def test_on_a_phone_further_controls_unfold_and_are_told(opened):
    page = opened("threshold_test", **PHONE)
    noise, line = page.locator("input[data-parameter=sigma]"), page.locator(".dpe-more")
    assert line.inner_text() == "σ = 1, Samples" and not noise.is_visible()
    line.tap()
    noise.press("End")
    assert line.inner_text() == "σ = 2, Samples" and line.get_attribute("aria-expanded") == "true"
    line.tap()
    assert not noise.is_visible()


def test_what_a_drag_needs_is_ready_before_it(new_page, frozen):
    prepared = "document.querySelector('[data-explorer]').explorer?.prepared"
    page = new_page()
    page.goto((frozen / "threshold_test.html").as_uri())
    page.wait_for_function(prepared)  # with nothing else to do
    page = new_page()
    page.add_init_script("window.requestIdleCallback = () => {}")
    page.goto((frozen / "threshold_test.html").as_uri())
    page.wait_for_selector(DRAWN_ONCE)
    assert not page.evaluate(prepared)
    page.hover(".dpe-words")
    assert page.evaluate(prepared)


@pytest.mark.parametrize("name", ["two_offers", "threshold_test", "delta_divergence"])
def test_alone_on_a_projector_letters_are_large_and_all_fits(opened, name):
    page = opened(name, viewport={"width": 1920, "height": 1080})
    sizes = page.evaluate("""() => {
        const shown = (e) => e.checkVisibility({ visibilityProperty: true }) && e.getBoundingClientRect().width > 2;
        const text = [...document.querySelectorAll("h1, .dpe-find, .dpe-words, .dpe-controls label, figcaption")];
        const drawn = [...document.querySelectorAll("svg.dpe-panel text")].filter((e) => e.textContent.trim());
        const size = (e) => parseFloat(getComputedStyle(e).fontSize);
        const scale = ({ a, b }) => Math.hypot(a, b);
        return [...text.filter(shown).map(size), ...drawn.filter(shown).map((e) => size(e) * scale(e.getScreenCTM()))];
    }""")
    assert len(sizes) > 10 and min(sizes) >= 22
    assert page.locator("h1").count() == 1 and not page.locator(".dpe-find > strong").is_visible()
    controls = page.locator(".dpe-controls").bounding_box()
    assert controls["y"] + controls["height"] <= 1080
    assert page.evaluate("document.documentElement.scrollWidth") <= 1920


def test_some_of_several_are_chosen_and_too_few_or_too_many_refused(opened):
    page, e = opened("side_by_side"), dp.explore.side_by_side()
    declared = e.parameters["mechanisms"]
    first, second, third = declared.value.split(", ")

    def box(name):
        return page.locator("[data-parameter=mechanisms]").nth(declared.members.index(name))

    def holds(*names):
        settled(page)
        chosen = [name for name in declared.members if name in names]
        assert setting_of(page)["mechanisms"] == ", ".join(chosen)
        assert [name for name in declared.members if box(name).is_checked()] == chosen
        heads = page.locator(".dpe-matrix thead th:visible").all_text_contents()
        assert heads == page.locator(".dpe-matrix tbody th:visible").all_text_contents() == chosen
        cells = page.locator(".dpe-matrix td:visible").all_text_contents()
        e.set(mechanisms=", ".join(chosen))
        shown = [[e.shown.get(f"{row}_{column}", "") for column in chosen] for row in chosen]
        assert cells == ["", *(cell for row in shown for cell in row)]

    holds(first, second, third)
    box(third).click()
    holds(first, second)
    box(second).click()
    holds(first, second)
    expect(page.locator(".dpe-status")).to_have_text("Choose from 2 to 4.")
    others = [name for name in declared.members if name not in (first, second)]
    for number, name in enumerate(others[:2]):
        box(name).click()
        holds(first, second, *others[: number + 1])
        expect(page.locator(".dpe-status")).to_be_hidden()
    box(others[2]).click()
    holds(first, second, *others[:2])
    expect(page.locator(".dpe-status")).to_have_text("Choose from 2 to 4.")


def test_some_of_several_are_named_in_any_order():
    e = dp.explore.side_by_side(mechanisms="sampled, Gaussian")
    assert e.setting["mechanisms"] == "Gaussian, sampled"
    for wrong in ("Gaussian", "Gaussian, Laplace, discrete, flip, sampled", "Gaussian, Poisson", 3):
        with pytest.raises(ValueError, match="mechanisms must be one of"):
            e.set(mechanisms=wrong)
