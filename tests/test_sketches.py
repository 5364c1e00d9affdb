"""Curves that a reader sketches: drawn by mouse, finger or typed points, judged by laws and by distance."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from conftest import approx, at_rest
from selectolax.lexbor import LexborHTMLParser
from sphinx.application import Sphinx

import dptutor as dp
import pages
import sketching

ROOT = Path(__file__).resolve().parent.parent
ASKED = re.compile(r"^:::\{ask\}\n.*?^:::$", re.M | re.S)
CHAPTERS = {
    path.stem[:2]: [one for one in ASKED.findall(path.read_text(encoding="utf-8")) if "\n:sketch: " in one]
    for path in sorted((ROOT / "book").glob("[0-9]*.md"))
}
STYLES, SCRIPTS = pages.PARTS["ask"]


@pytest.fixture(scope="module")
def sheet(tmp_path_factory):
    """A page with the sketches of all chapters, and its address."""
    folder = tmp_path_factory.mktemp("sketches")
    text = "\n\n".join(one for found in CHAPTERS.values() for one in found)
    (folder / "index.md").write_text(f"# Sketches\n\n{text}\n", encoding="utf-8")
    (folder / "conf.py").write_text(
        "extensions = ['myst_parser', 'asking']\nmyst_enable_extensions = ['colon_fence', 'dollarmath']\n"
        "html_theme = 'basic'\nlanguage = 'en'\n"
    )
    Sphinx(folder, folder, folder / "out", folder / "trees", "html", status=None, warning=None).build()
    html = (folder / "out" / "index.html").read_text(encoding="utf-8")
    style = "".join((ROOT / name).read_text(encoding="utf-8") for name in ("book/_static/site.css", *STYLES))
    style = style.replace("url(fonts/", f"url({(ROOT / 'book/_static/fonts').as_uri()}/")
    body = LexborHTMLParser(html).css_first("[role=main]").inner_html
    scripts = pages.classic([(ROOT / name).read_text(encoding="utf-8") for name in SCRIPTS])
    (folder / "page.html").write_text(
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Sketches</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{style}</style></head>'
        f"<body><main><article>{body}</article></main><script>{scripts}</script></body></html>",
        encoding="utf-8",
    )
    return folder / "page.html"


@pytest.fixture(scope="module")
def asks(sheet):
    """Each sketch: what the page knows of it."""
    return {
        ask.attributes["data-ask"]: (
            json.loads(ask.attributes["data-sketch"]),
            [(json.loads(li.attributes["data-curve"]), "data-right" in li.attributes) for li in ask.css("li")],
            float(ask.attributes["data-within"]),
        )
        for ask in LexborHTMLParser(sheet.read_text(encoding="utf-8")).css(".ask")
    }


def test_many_chapters_ask_for_a_sketch():
    assert len([found for found in CHAPTERS.values() if found]) >= 8


def test_a_sketch_has_axes_a_law_and_mistakes_of_its_own(asks):
    for name, (data, curves, _) in asks.items():
        assert data["laws"] and sum(right for _, right in curves) == 1 and len(curves) >= 4, name
        for heights, right in curves:  # what is right fits into the picture
            assert not right or sum(y in (0, 1) for y in heights) < 0.6 * len(heights), name


def test_an_unknown_kind_or_axis_is_refused():
    with pytest.raises(ValueError, match="a sketch is one of trade-off function, "):
        sketching.sketch("curve")
    with pytest.raises(ValueError, match="an axis is written as"):
        sketching.sketch("profile", "epsilon")


# Judging, in the browser.


@pytest.fixture(scope="module")
def scripts(chromium):
    page = chromium.new_page()
    parts = "".join((ROOT / name).read_text(encoding="utf-8") for name in SCRIPTS if "asking" not in name)
    page.add_script_tag(
        content=f"{parts} Object.assign(globalThis, {{ lineOf, curveOf, apart, hullOf, judgeSketch }});"
    )
    yield page
    page.close()


JUDGE = "([heights, data, curves, right, within]) => judgeSketch(lineOf(heights), data, curves, right, within)"


def judged(scripts, ask, heights):
    data, curves, within = ask
    right = [right for _, right in curves].index(True)
    return scripts.evaluate(JUDGE, [list(heights), data, [heights for heights, _ in curves], right, within])


def at_places(heights, places=60):
    return np.interp((np.arange(places) + 0.5) / places, np.linspace(0, 1, len(heights)), np.clip(heights, 0, 1))


def test_every_curve_is_told_from_all_others_by_twice_what_a_hand_may_be_off(asks, scripts):
    for name, (_, curves, within) in asks.items():
        lines = [[[k / 120, y] for k, y in enumerate(np.clip(heights, 0, 1).tolist())] for heights, _ in curves]
        for k, line in enumerate(lines):
            for other in lines[:k]:
                assert scripts.evaluate("([a, b]) => apart(a, b)", [line, other]) > 2 * within, name


def test_a_known_curve_is_known_also_if_the_hand_shakes(asks, scripts):
    r = np.random.default_rng(5)
    for name, ask in asks.items():
        for place, (heights, right) in enumerate(ask[1]):
            exact = at_places(heights)
            for drawn in (exact, np.clip(exact + r.uniform(-0.02, 0.02, exact.size), 0, 1)):
                found = judged(scripts, ask, drawn)
                assert found["place"] == place, name
                assert not right or found["law"] is None


X = (np.arange(60) + 0.5) / 60
BREACHES = {
    ("ask-01-sketch-alarm", "decreasing"): np.where(X < 0.3, 0.1, 0.4) * (1 - X),
    ("ask-01-sketch-alarm", "convex"): 1 - np.maximum(X, X**3) - 0.3 * (X > 0.6) * (1 - X) - 0.2 * (1 - X),
    ("ask-01-sketch-alarm", "below"): 1 - 0.9 * X**3 * (X < 0.95) - (X >= 0.95),
    ("ask-01-sketch-alarm", "ends"): 0.3 + 0 * X,
    ("ask-05-sketch-arc", "ends"): 0.3 + 0 * X,
    ("ask-05-sketch-arc", "below"): np.minimum(1, 6 * np.minimum(X, 1 - X)),
    ("ask-05-sketch-arc", "concave"): np.minimum(0.5, 2 * np.minimum(X, 1 - X)) - 0.3 * (np.abs(X - 0.5) < 0.1),
    ("ask-06-sketch-join", "symmetric"): np.maximum(0, 0.9 - 3 * X),
    ("ask-11-sketch-reconstruct", "increasing"): np.where(X < 0.5, 0.9, np.maximum(0.75, X)),
    ("ask-11-sketch-reconstruct", "above"): X**2,
    ("ask-11-sketch-reconstruct", "concave"): np.where(X < 0.3, X, np.minimum(1, 0.9 + X / 10)),
    ("ask-07-sketch-regret", "symmetric"): 0.5 + 0.3 * np.sin(2 * np.pi * X),
    ("ask-12-sketch-tail", "decreasing"): 0.5 + 0.4 * np.sin(6 * X),
}


@pytest.mark.parametrize(("name", "law"), BREACHES)
def test_a_broken_law_is_named_with_the_place_where_it_is_broken(asks, scripts, name, law):
    found = judged(scripts, asks[name], BREACHES[name, law])
    assert found["law"] == law and found["place"] is None
    assert 0 <= found["at"] < 62


def test_a_curve_that_begins_below_one_falls_to_there_along_the_axis(asks, scripts):
    for name, ask in asks.items():
        if any(law == "symmetric" for law, _ in ask[0]["laws"]) and ask[0]["mirror"] == "diagonal":
            for top in (0.6, 0.8):
                assert judged(scripts, ask, np.clip(top - X, 0, 1))["law"] is None, name


def test_a_steep_line_may_be_a_pixel_aside(asks, scripts):
    for name in ("ask-15-sketch-pure", "ask-11-sketch-reconstruct"):
        shaken = X + 0.006 * (-1) ** np.arange(60)
        assert judged(scripts, asks[name], np.clip(0.08 + 6 * shaken, 0, 1))["law"] in (None, "ends"), name


def test_what_breaks_no_law_is_told_where_it_is_farthest_off(asks, scripts):
    found = judged(scripts, asks["ask-05-sketch-arc"], np.minimum(X, 1 - X) * 1.2)
    assert found["law"] is None and found["place"] is None and found["at"] == approx(20, abs=8)


def test_the_mechanism_against_which_nobody_errs_more_often_is_said_to_dominate():
    said = next(one for one in CHAPTERS["07"] if "ask-07-sketch-regret" in one)
    lying, leaking = dp.RandomizedResponse(epsilon=np.log(3)), dp.FiniteExperiment(p=(0.5, 0.5, 0), q=(0, 0.5, 0.5))
    assert dp.blackwell_dominates(leaking, lying)
    assert re.search(r"\\tilde\{\\mathcal\{M\}\}\$[^.$]* dominates \$\\mathcal\{M\}\$", said)


def drawn(r):
    """A curve at random: steps, waves, or a broken line that may be steep."""
    x = (np.arange(60) + 0.5) / 60
    corners = r.uniform(size=r.integers(2, 6))
    wave = 0.5 + r.uniform(0, 0.5) * np.sin(r.uniform(0, 20) * x + r.uniform(0, 6))
    line = np.interp(x, np.linspace(0, 1, corners.size), corners)
    return np.clip([wave, line, np.sort(line), np.sort(line)[::-1], 1 - x + 0.1 * wave, line**4][r.integers(6)], 0, 1)


def away(x, y, *line):
    """How far each of some points is from a broken line."""
    steps = np.linspace(0, np.size(line[0]) - 1, 20_001)
    across, up = (np.interp(steps, np.arange(np.size(each)), each) for each in line)
    return np.array([np.hypot(across - a, up - b).min() for a, b in zip(x, y, strict=True)])


def breach(law, line, data):
    """By how much a law is broken at each point, worked out point by point."""
    x, y = np.array(line).T
    guide = np.interp(x, np.linspace(0, 1, len(data["guide"])), data["guide"]) if data.get("guide") else None
    if law in ("decreasing", "increasing"):
        before = np.subtract.outer(y, y) * (1 if law == "decreasing" else -1)
        return np.array([before[k, : k + 1].max() for k in range(y.size)])
    if law in ("convex", "concave"):
        z, over = (y if law == "convex" else -y), np.zeros(y.size)
        for k in range(1, y.size - 1):  # above the chords from the left to the right
            left, right = (x[:k, None], z[:k, None]), (x[k + 1 :], z[k + 1 :])
            chords = left[1] + (x[k] - left[0]) / (right[0] - left[0]) * (right[1] - left[1])
            over[k] = max(z[k] - chords.min(), 0)
        return away(x, y, x, y - over if law == "convex" else y + over)
    if law in ("below", "above"):
        return (y - guide) * (1 if law == "below" else -1)
    if law == "ends":
        return np.array(
            [max((abs(y[k] - h) for at, h in data["ends"] if at == x[k]), default=0) for k in range(y.size)]
        )
    if data["mirror"] == "middle":
        return np.abs(y - y[::-1])
    return away(y, x, np.r_[0, x], np.r_[1, y])


def test_what_is_said_of_any_curve_is_so(asks, scripts):
    r = np.random.default_rng(7)
    for name, ask in asks.items():
        for _ in range(25):
            heights = drawn(r)
            found, data = judged(scripts, ask, heights), ask[0]
            line = scripts.evaluate("heights => lineOf(heights)", heights.tolist())
            if found["place"] is not None and ask[1][found["place"]][1]:
                truth = np.array(ask[1][found["place"]][0])
                x, y = np.array(line[1:-1]).T
                near = np.hypot(x[:, None] - np.linspace(0, 1, truth.size), y[:, None] - truth).min(axis=1)
                assert near.max() < ask[2] + 0.05, name
            elif found["law"]:
                assert breach(found["law"], line, data)[found["at"]] > 0.03, (name, found)
            else:
                for law, _ in data["laws"]:
                    assert breach(law, line, data).max() < 0.11, (name, law)


@pytest.mark.parametrize("seed", range(20))
def test_a_convex_hull_is_the_highest_convex_line_below(scripts, seed):
    y = np.random.default_rng(seed).uniform(size=30)
    hull = np.array(scripts.evaluate("points => hullOf(points)", [[k / 29, v] for k, v in enumerate(y.tolist())]))
    below = np.interp(np.linspace(0, 1, 30), *hull.T)
    assert np.all(below <= y + 1e-12) and np.all(np.diff(below, 2) >= -1e-12)
    assert np.all(np.isin(hull[:, 1], y))


# On a page.

PLACE = """([name, x, y]) => {
    const svg = document.querySelector(`#${name} .ask-paper svg`);
    const { box } = JSON.parse(svg.closest(".ask").dataset.sketch);
    const at = new DOMPoint(box[0] + x * box[2], box[1] + (1 - y) * box[3]).matrixTransform(svg.getScreenCTM());
    return [at.x, at.y];
}"""


def opened(new_page, sheet, **options):
    page = new_page(**options)
    page.goto(sheet.as_uri())
    page.wait_for_selector(".ask[data-ready]")
    return page


def draw(page, name, points):
    page.locator(f"#{name} .ask-paper svg").scroll_into_view_if_needed()
    page.mouse.move(*page.evaluate(PLACE, [name, *points[0]]))
    page.mouse.down()
    for point in points[1:]:
        page.mouse.move(*page.evaluate(PLACE, [name, *point]), steps=5)
    page.mouse.up()


def check(page, name):
    ask = page.locator(f"#{name}")
    ask.get_by_role("button", name="Check my curve").click()
    told = ask.locator(".ask-told")
    return told.get_attribute("data-verdict"), told.inner_text()


def test_a_curve_is_drawn_by_mouse_and_shown_over_the_right_one(new_page, sheet):
    page, name = opened(new_page, sheet), "ask-06-sketch-join"
    ask = page.locator(f"#{name}")
    assert ask.locator(".ask-paper .ask-truth").is_hidden() and "to go" in ask.locator(".ask-count").inner_text()
    ask.get_by_role("button", name="Check my curve").dispatch_event("click")  # there is nothing to check
    assert ask.locator(".ask-told").inner_text() == ""
    draw(page, name, [(0.003, 0.5), (1 / 3, 1 / 3), (0.5, 0), (0.998, 0)])
    verdict, words = check(page, name)
    assert (
        verdict == "wrong"
        and "It is not convex" in words
        and re.search(r"At α = 0\.3[2-4] your curve breaks a law", words)
    )
    assert ask.locator(".ask-paper .ask-truth").is_visible() and ask.locator(".ask-mark").is_visible()
    ask.get_by_role("button", name="Start over").click()
    assert ask.locator(".ask-paper .ask-truth").is_hidden() and ask.locator(".ask-mark").is_hidden()
    draw(page, name, [(0.003, 0.5), (0.5, 0), (0.998, 0)])
    verdict, words = check(page, name)
    assert verdict == "right" and "two tests" in words and ask.get_attribute("data-done") is not None
    assert ask.locator(".ask-mark").is_hidden()
    assert Axe().run(page, {"include": [[".ask"]]}).violations_count == 0
    page.reload()
    assert page.locator(f"#{name} .ask-told").get_attribute("data-verdict") == "right"
    assert page.locator(f"#{name} .ask-paper .ask-truth").is_visible()


def test_a_finger_draws_from_the_edge_and_scrolls_elsewhere(new_page, sheet):
    page, name = opened(new_page, sheet, viewport={"width": 390, "height": 844}, has_touch=True), "ask-01-sketch-alarm"
    page.locator(f"#{name}").scroll_into_view_if_needed()
    touch = page.context.new_cdp_session(page)

    def strokes(points):
        for kind, at in (
            ("touchStart", points[0]),
            *(("touchMove", point) for point in points[1:]),
            ("touchEnd", None),
        ):
            places = [dict(zip("xy", page.evaluate(PLACE, [name, *at]), strict=True))] if at else []
            touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})

    strokes([(0.5, 0.8), (0.6, 0.7), (0.7, 0.6)])
    at_rest(page.locator(f"#{name}"))
    assert page.locator(f"#{name} .ask-drawn").get_attribute("d") == ""
    strokes([(0, 0.5), (0.01, 0.5), *((k / 40, 0.5 * (1 - k / 40)) for k in range(1, 41))])
    assert page.locator(f"#{name} .ask-count").inner_text() == ""
    assert check(page, name)[0] == "right"
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_an_empty_sketch_says_nothing_of_where_the_curve_starts(new_page, sheet):
    page = opened(new_page, sheet)
    for name in [name for found in CHAPTERS.values() for name in re.findall(r":name: (.+)", "\n".join(found))]:
        ask = page.locator(f"#{name}")
        assert ask.locator(".ask-ring").is_hidden()
        (edge,) = ask.locator(".ask-start").all()
        heights = [page.evaluate(PLACE, [name, 0, share])[1] for share in (1, 0)]
        assert edge.evaluate("path => [path.getBoundingClientRect().top, path.getBoundingClientRect().bottom]") == (
            approx(heights, abs=4)
        )
    target = ask.locator("rect.ask-target")
    for share in (0.02, 0.5, 0.98):
        draw(page, name, [(0, share), (0.5, share)])
        assert ask.locator(".ask-ring").is_visible() and target.is_hidden()
        ask.get_by_role("button", name="Start over").click()
        assert ask.locator(".ask-ring").is_hidden() and target.is_visible()


@pytest.mark.parametrize("share", [0, 0.3, 1])
def test_a_finger_starts_at_any_height_of_the_left_edge(new_page, sheet, share):
    page, name = opened(new_page, sheet, viewport={"width": 390, "height": 844}, has_touch=True), "ask-05-sketch-arc"
    page.locator(f"#{name} .ask-paper svg").scroll_into_view_if_needed()
    touch = page.context.new_cdp_session(page)
    for kind, at in (("touchStart", 0.01), ("touchMove", 0.5), ("touchMove", 1), ("touchEnd", None)):
        places = [] if at is None else [dict(zip("xy", page.evaluate(PLACE, [name, at, share]), strict=True))]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})
    assert page.locator(f"#{name} .ask-count").inner_text() == ""


def test_points_are_typed_without_a_mouse(new_page, sheet):
    page, name = opened(new_page, sheet), "ask-05-sketch-arc"
    ask = page.locator(f"#{name}")
    ask.locator("summary", has_text="Type points").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    for typed, problem in {
        "half": "Two numbers for each point",
        "0 0; 0.5": "Two numbers for each point",
        "0 0; 0.5 0.2; 0.4 0.3; 1 0": "The points go from left to right",
        "0.2 0.2; 1 0": "The curve goes from π = 0 to 1",
        "0 0; 0.5 2; 1 0": "Heights go from 0 to",
    }.items():
        page.keyboard.press("Control+a")
        page.keyboard.type(typed)
        page.keyboard.press("Enter")
        assert problem in ask.locator(".ask-problem").inner_text()
    page.keyboard.press("Control+a")
    page.keyboard.type("(0, 0); 1/3 1/3; 100 % 0")
    page.keyboard.press("Enter")
    assert "Two numbers" in ask.locator(".ask-problem").inner_text()  # "100 % 0" is not two numbers
    page.keyboard.press("Control+a")
    page.keyboard.type("(0, 0); 1/3 1/3; 1 0")
    page.keyboard.press("Enter")
    assert ask.locator(".ask-problem").inner_text() == ""
    ask.get_by_role("button", name="Check my curve").focus()
    page.keyboard.press("Enter")
    assert ask.locator(".ask-told").get_attribute("data-verdict") == "right"


def test_what_is_said_of_a_curve_is_true(new_page, sheet):
    page, name = opened(new_page, sheet), "ask-05-sketch-arc"
    ask = page.locator(f"#{name}")
    ask.locator("summary", has_text="Type points").click()
    ask.locator("input").fill("0 0; 0.5 0.3; 1 0")
    ask.get_by_role("button", name="Draw", exact=True).click()
    _, words = check(page, name)
    said = re.search(r"At π = ([\d.]+) your curve is at ([\d.]+), and the right one at ([\d.]+)\.", words)
    at, mine, right = map(float, said.groups())
    assert "breaks no law" in words
    assert mine == approx(0.6 * min(at, 1 - at), abs=0.01)
    assert right == approx(min(at, (1 - at) / 2), abs=0.01)
    # Over empty axes nothing is said of a curve.
    ask.get_by_role("button", name="Start over").click()
    assert ask.locator(".ask-told").inner_text() == "" and not ask.locator(".ask-told").get_attribute("data-verdict")


def test_without_a_script_the_answers_are_pictures(new_page, sheet):
    page = new_page(java_script_enabled=False)
    page.goto(sheet.as_uri())
    ask = page.locator("#ask-06-sketch-join")
    ask.locator("summary").click()
    assert ask.locator(".ask-answers svg").count() == 5 and ask.locator(".ask-truth").first.is_visible()


def test_on_paper_a_box_of_curves_leaves_no_sheet_empty(new_page, sheet):
    page = new_page(viewport={"width": 643, "height": 971})  # what A4 has between its margins
    page.goto(sheet.as_uri())
    page.emulate_media(media="print")
    heights = page.evaluate(
        "[...document.querySelectorAll('.ask:has(.ask-answers .ask-sketch)')].map(e => { "
        "e.querySelector('.ask-answers').open = true; return e.getBoundingClientRect().height; })"
    )
    assert len(heights) >= 8 and max(heights) < 0.8 * 971
