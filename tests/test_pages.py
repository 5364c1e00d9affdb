"""Pages of the built site: how long a reader waits and how much comes, and how formulas look.

Limits are those of the benchmark of pages, which also has those of times.
"""

import json
import re
import time
from html import unescape
from io import BytesIO

import numpy as np
import pytest
from conftest import approx, at_rest, laid_out, pages_of, some, until
from fontTools.ttLib import TTFont
from PIL import Image
from playwright.sync_api import expect
from pypdf import PdfReader
from selectolax.lexbor import LexborHTMLParser
from test_formulas import COMMANDS

import dptutor as dp
import moved
from benchmarks.pages import DESK, LIMITS, measured, packed
from content import ROOT

FONTS = ROOT / "book" / "_static" / "fonts"
PAGES = [f"book/{page.stem}" for page in sorted((ROOT / "book").glob("*.md"))]
FRAMES = [f"embed/{name}" for name in sorted(dp.explore.__all__)]
NOTEBOOKS = [f"notebooks/{notebook.stem}" for notebook in sorted((ROOT / "notebooks").glob("*.ipynb"))]


@pytest.fixture(scope="module")
def address(site):
    with packed(site) as address:
        yield address


def test_the_site_has_these_pages(site):
    built = [file.relative_to(site).with_suffix("").as_posix() for file in sorted(site.glob("*/*.html"))]
    assert [name for name in built if not moved.leads(site / f"{name}.html")] == PAGES + FRAMES + NOTEBOOKS
    assert {*built} >= {*moved.MOVED}


@pytest.mark.look
@pytest.mark.cases(1)
@pytest.mark.parametrize("name", PAGES + FRAMES + NOTEBOOKS)
def test_every_page_is_light(address, chromium, name):
    found = measured(chromium, address, name, slowed=False, scrolled=False, task=False)
    assert found["html"] <= LIMITS["html"] and found["visit"] <= LIMITS["visit"]


@pytest.mark.look
@pytest.mark.cases(1)
@pytest.mark.parametrize("name", [name for name in PAGES if re.match(r"book/\d", name)])
def test_a_chapter_opens_with_its_picture_a_slider_and_the_sentence(address, new_page, name):
    page = new_page(viewport={"width": 1280, "height": 800})
    page.goto(f"{address}{name}.html")
    first = page.locator("[data-explorer]").first
    expect(first.locator(".dpe-name").first).to_be_attached()  # its script has taken over
    skip = first.locator("[data-ask-skip]")
    if skip.is_visible():
        skip.click()
    bottoms = [
        box["y"] + box["height"]
        for box in (first.locator(part).first.bounding_box() for part in (".dpe-panels", ".dpe-words", ".dpe-slider"))
    ]
    assert bottoms == sorted(bottoms) and bottoms[-1] <= 772
    assert first.locator("svg.dpe-panel").first.bounding_box()["height"] >= 250


def test_tables_that_come_later_are_small(site):
    assert not [
        file.name for file in site.glob("_static/tables/*.js") if file.stat().st_size > 200_000
    ]  # 150 kB packed


@pytest.mark.look
@pytest.mark.cases(1)
@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("screen", [None, DESK], ids=["phone", "desk"])
def test_nothing_moves_while_a_page_loads_or_is_scrolled(address, chromium, screen, name):
    found = measured(chromium, address, name, slowed=False, task=False, **({"screen": screen} if screen else {}))
    assert found["shift"] < LIMITS["shift"]


@pytest.mark.look
def test_nothing_moves_when_letters_come_late(address, chromium):
    """Lines that were broken in other letters would break anew, and all below would move."""

    def late(route):
        time.sleep(0.1)  # one after another, as over a slow line
        route.continue_()

    for name in some(["01_two_worlds", "05_bayesian_adversary", "notation", "references", "reproduction"], 2):
        found = measured(chromium, address, f"book/{name}", slowed=False, task=False, screen=DESK, fonts=late)
        assert found["shift"] < LIMITS["shift"], name


@pytest.mark.look
def test_a_page_is_shown_even_if_its_letters_never_come(address, new_page):
    page = new_page()
    page.route("**/*.woff2", lambda route: None)
    page.goto(f"{address}book/notation.html", wait_until="commit")
    page.locator("article p").first.wait_for(timeout=5000)


STEPS_ARE_OVER = """!document.getAnimations().some((one) => one.animationName === "wait")"""


@pytest.mark.look
def test_a_page_that_opens_at_its_top_is_drawn_in_steps_and_one_opened_at_a_place_is_not(address, new_page):
    """Else all that is near the screen is laid out at once, with the first letters."""
    page = new_page(reduced_motion="no-preference")  # the steps are animations of nothing but time
    page.add_init_script("""globalThis.waiting = 0;
    document.addEventListener("animationstart", (event) => { waiting += event.animationName === "wait"; }, true);
    """)
    page.goto(f"{address}book/09_composition.html")
    until(page, "waiting > 3")
    until(page, STEPS_ARE_OVER)
    assert page.locator("article [data-explorer] svg").first.is_visible()
    page.goto("about:blank")
    page.goto(f"{address}book/09_composition.html#subsampling")
    at_rest(page.locator("#subsampling"))
    assert page.evaluate("waiting") == 0
    assert abs(page.evaluate("document.getElementById('subsampling').getBoundingClientRect().top")) < 120


# Formulas.


def test_the_list_names_every_command_that_a_built_page_has(site):
    listed = set(re.findall(r"\\(?:[A-Za-z]+|.)", COMMANDS)) | {r"\ ", "\\\\", r"\begin", r"\end", r"\}", r"\%"}
    used = {}
    for page in pages_of(site):
        for tex in re.findall(r'data-tex="([^"]*)"', page.read_text()):
            used |= dict.fromkeys(re.findall(r"\\(?:[A-Za-z]+|.)", unescape(tex)), page.name)
    assert len(used) > 80
    assert not {command: page for command, page in used.items() if command not in listed}


def test_no_page_shows_tex(site):
    raw = re.compile(r"\\\(|\\\[|\\(?:frac|sigma|varepsilon|delta|mathcal)\b")
    for page in pages_of(site):
        text = re.sub(r"<(script|style|pre|code)\b.*?</\1>|<[^>]*>", " ", page.read_text(), flags=re.DOTALL)
        assert not raw.search(text), (page.name, raw.search(text))


def test_no_page_shows_what_should_be_raised_or_lowered(site):
    drawn = re.compile(r"<(script|style|pre|code|math|svg|dt|figure)\b.*?</\1>|<[^>]*>", re.DOTALL)
    raw = re.compile(r".{0,30}(?:(?<!\w)[\w)\]]\^[\w({−-]|\b[EDQPGΣ]_\w{1,2}\b).{0,20}")
    for page in pages_of(site):
        assert not (found := raw.search(drawn.sub(" ", page.read_text()))), (page.name, found)


def test_the_fonts_have_every_sign_of_every_formula(site):
    has, more = (set(TTFont(FONTS / f"stix-two-math{rest}.woff2").getBestCmap()) for rest in ("", "-more"))
    missing = {}
    for page in pages_of(site):
        for formula in re.findall(r"<math\b.*?</math>", page.read_text(), re.DOTALL):
            signs = set(unescape(re.sub(r"<mtext.*?</mtext>|<[^>]*>", "", formula))) - {"\n", "\N{NO-BREAK SPACE}"}
            found = has if page.stem.endswith("_lecture") else has | more  # a deck has the first alone
            missing |= {sign: page.name for sign in signs if ord(sign) not in found}
    assert not missing


def test_the_sheet_says_which_file_has_which_sign():
    """A browser asks for a file by the ranges in the sheet, so that these name what is in it and nothing twice."""
    for rule in re.findall(r"@font-face \{(.*?)\}", (FONTS.parent / "site.css").read_text()):
        file = re.search(r"url\(fonts/(.*?)\)", rule)[1]
        if "latin" in file or '"STIX Two Math"' in rule:
            ranges = [part.strip()[2:].split("-") for part in rule.split("unicode-range:")[1].rstrip(" ;").split(",")]
            named = {sign for ends in ranges for sign in range(int(ends[0], 16), int(ends[-1], 16) + 1)}
            # A font of formulas has what it mirrors as well, and an alphabet lacks letters that are elsewhere.
            assert len(named ^ set(TTFont(FONTS / file).getBestCmap())) < (30 if "math" in file else 1), file


@pytest.mark.look
def test_what_follows_a_root_follows_at_once(site_url, page):
    page.goto(f"{site_url}book/09_composition.html")
    page.add_style_tag(content="section { content-visibility: visible !important }")
    page.evaluate("document.fonts.ready")
    gaps = page.evaluate("""() => [...document.querySelectorAll("msqrt")].map((root) =>
      root.getBoundingClientRect().right - root.lastElementChild.getBoundingClientRect().right)""")
    assert len(gaps) > 5
    assert max(gaps) < 1.5


# Each root of a page alone in a line, at four heights that a pixel is rounded from.
ROOTS_ALONE = """([roots, classes]) => {
  const frame = document.createElement("div");
  frame.className = classes;
  frame.style = "position: absolute; inset: 0; height: max-content; background: white; color: black; z-index: 9999; "
    + "columns: 4; padding: 1em";
  const line = (root, i) =>
    `<div style="break-inside: avoid; margin-bottom: ${1 + i / 100}em"><math>${root}</math></div>`;
  frame.innerHTML = roots.flatMap((root) => [0, 1, 2, 3].map((i) => line(root, i))).join("");
  document.body.replaceChildren(frame);
  window.scrollTo(0, 0);
  return document.fonts.ready.then(() => [...frame.querySelectorAll("math > msqrt")].map((root) => {
    const under = [...root.children].map((child) => child.getBoundingClientRect()), own = root.getBoundingClientRect();
    const size = parseFloat(getComputedStyle(root).fontSize), hook = size / 10; // of the root's sign, into its bar
    return [[under[0].left + hook, own.top - 3, under.at(-1).right, own.bottom], size];
  }));
}"""


def bars_that_touch(page, roots, classes=""):
    """Roots whose bar is drawn together with what is under it."""
    boxes, scale = page.evaluate(ROOTS_ALONE, [roots, classes]), page.evaluate("devicePixelRatio")
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")  # painted
    drawn = Image.open(BytesIO(page.screenshot(full_page=True))).convert("L")
    found = set()
    for number, (box, size) in enumerate(boxes):
        ink = (np.asarray(drawn.crop([round(scale * end) for end in box])) < 200).any(axis=1)
        first = int(np.argmax(ink))
        assert ink[first], roots[number // 4]
        if np.argmin(np.append(ink[first:], False)) > (0.07 * size + 1) * scale:  # a bar has whole pixels
            found.add(roots[number // 4])
    return found


def test_bars_of_roots_touch_nothing(site, site_url, new_page):
    written = [root for file in pages_of(site) for root in re.findall(r"<msqrt>.*?</msqrt>", file.read_text("utf-8"))]
    roots = sorted({root for root in written if root.count("<msqrt>") == 1})
    assert len(roots) > 40
    page = new_page(device_scale_factor=2)
    page.goto(f"{site_url}book/notation.html")
    assert bars_that_touch(page, roots) == set()


def test_pages_use_colors_that_the_site_has():
    """A variable that nobody defines draws black boxes."""
    book = FONTS.parent.parent
    style = (book / "_static" / "site.css").read_text(encoding="utf-8")
    for page in sorted(book.glob("*.md")):
        text = page.read_text(encoding="utf-8")
        used = set(re.findall(r"var\((--[\w-]+)", text))
        assert used <= set(re.findall(r"(--[\w-]+)\s*:", style + text)), page.name


# Paper.


@pytest.mark.look
@pytest.mark.parametrize("name", ["01_two_worlds", "09_composition", "13_auditing", "api_numbers", "mechanisms"])
def test_on_paper_stands_the_text_alone_and_nothing_is_cut(site_url, page, name):
    page.set_viewport_size({"width": 643, "height": 971})  # A4 within its margins
    page.goto(f"{site_url}book/{name}.html")
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    for bar in page.locator(".bar, .prev-next, .dpe-controls, .headerlink, .copybtn").all()[:200]:
        assert not bar.is_visible()
    cut = page.evaluate("""() => [...document.querySelectorAll("article :is(p, pre, img, svg, table, math, .aside)")]
      .filter((e) => e.checkVisibility() && e.getBoundingClientRect().right > innerWidth + 1)
      .map((e) => [e.tagName, e.textContent.trim().slice(0, 60), Math.round(e.getBoundingClientRect().right)])""")
    assert not cut


@pytest.mark.parametrize("size", ["A4", "Letter"])
def test_the_cheat_sheet_is_one_sheet(site_url, page, size):
    page.goto(f"{site_url}book/cheat_sheet.html")
    sheets = PdfReader(BytesIO(page.pdf(format=size))).pages
    assert len(sheets) == 1
    text = sheets[0].extract_text()
    for heading in ("One mechanism", "Mechanisms", "Two mechanisms", "Many outputs"):
        assert heading in text


def test_an_explorer_alone_on_its_page_opens_at_its_own_setting(site):
    for file in (site / "embed").glob("*.html"):
        page = LexborHTMLParser(file.read_text(encoding="utf-8"))
        parameters = json.loads(page.css_first(".dpe-manifest").text())["parameters"]
        assert [one["value"] for one in parameters] == [one["start"] for one in parameters], file.stem


@pytest.mark.look
def test_every_explorer_can_be_shown_on_another_site(site, site_url, new_page, tmp_path):
    assert {file.stem for file in (site / "embed").glob("*.html")} == set(dp.explore.__all__)
    page = new_page()
    page.goto(f"{site_url}book/07_delta_divergence.html#delta_divergence?sigma=2&scale=1&prior=0.3")
    page.wait_for_selector("[data-explorer=delta_divergence][data-ready]")
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(); }")  # then it is shown
    page.evaluate("document.querySelector('[data-explorer=delta_divergence] [data-tool=embed]').click()")
    status = page.locator("[data-explorer=delta_divergence] .dpe-status")
    expect(status).to_contain_text("<iframe")
    code = status.text_content()
    other = new_page()
    (tmp_path / "other.html").write_text(f"<!DOCTYPE html><title>Other</title>{code}")
    other.goto((tmp_path / "other.html").as_uri())
    frame = other.frame_locator("iframe")
    frame.locator("[data-explorer][data-ready]").wait_for()
    assert frame.locator("[data-typed=sigma]").input_value() == "2"
    assert frame.locator("[data-typed=prior]").input_value() == "30%"
    assert frame.locator("[data-explorer]").count() == 1
    assert "7" in frame.locator("body > p a").text_content()
    for name in some(dp.explore.__all__, 8):
        other.goto(f"{site_url}embed/{name}.html")
        other.wait_for_selector("[data-ready]")


@pytest.mark.parametrize(
    ("name", "kind"), [("accountants", "table.dptutor-numbers"), ("reproduction", ".told > table")]
)
def test_all_columns_fit_a_phone(new_page, site_url, name, kind):
    page = new_page(viewport={"width": 390, "height": 664})
    page.goto(f"{site_url}book/{name}.html", wait_until="domcontentloaded")
    page.locator(kind).first.wait_for()
    wide = page.locator(kind).evaluate_all("all => all.map((table) => table.scrollWidth - table.clientWidth)")
    assert max(wide) <= 0


@pytest.mark.look
@pytest.mark.parametrize(
    "screen", [{"width": 1280, "height": 800}, {"width": 390, "height": 664}], ids=["wide", "phone"]
)
def test_a_chapters_first_screen_shows_its_explorer(new_page, site, site_url, screen):
    """Wide, the whole picture and something to take hold of; on a phone its title and the upper half of the picture."""
    page, missed = new_page(viewport=screen), {}
    for chapter in (file for file in pages_of(site) if file.match("book/[0-9]*")):
        page.goto(site_url + f"book/{chapter.name}")
        explorer = page.locator("[data-explorer]").first
        panels = explorer.locator(".dpe-panels").bounding_box()
        share = 1 if screen["width"] > 1000 else 0.5
        end = panels["y"] + share * panels["height"]
        if end > screen["height"] or explorer.locator("strong").first.bounding_box()["y"] > end:
            missed[chapter.stem] = end
    assert not missed


@pytest.mark.look
def test_pictures_in_the_margin_cover_nothing_and_fit_a_phone(new_page, site, site_url):
    page, wrong = new_page(viewport={"width": 1280, "height": 800}), {}
    covered = """() => {
      const boxes = [...document.querySelectorAll(".tag_margin")].map((e) => e.getBoundingClientRect());
      return [...document.querySelectorAll("article :is(p, pre, li, table, math, summary, .aside, [data-explorer])")]
        .filter((e) => !e.closest(".tag_margin") && e.checkVisibility())
        .filter((e) => { const r = e.getBoundingClientRect(); return boxes.some((b) => r.width && r.height &&
          r.left < b.right - 1 && r.right > b.left + 1 && r.top < b.bottom - 1 && r.bottom > b.top + 1); })
        .map((e) => e.textContent.trim().slice(0, 60)); }"""
    wide = """() => [...document.querySelectorAll(".tag_margin img")]
      .filter((e) => e.getBoundingClientRect().right > innerWidth).map((e) => e.alt)"""
    for file in some([file for file in pages_of(site) if "tag_margin" in file.read_text(encoding="utf-8")], 10):
        page.set_viewport_size({"width": 1280, "height": 800})
        page.goto(site_url + file.relative_to(site).as_posix())
        laid_out(page)
        found = page.evaluate(covered)
        page.set_viewport_size({"width": 390, "height": 664})
        wrong |= {file.stem: found} if (found := found + page.evaluate(wide)) else {}
    assert not wrong


@pytest.mark.look
@pytest.mark.cases(1)
@pytest.mark.parametrize("name", [name for name in PAGES if re.match(r"book/\d", name)])
def test_three_screens_of_a_chapter_have_a_picture(site_url, new_page, name):
    page = new_page(viewport={"width": 1280, "height": 800})
    page.goto(f"{site_url}{name}.html")
    laid_out(page)
    gaps = page.evaluate("""() => {
      const box = (found) => found.getBoundingClientRect();
      const end = box(document.querySelector("#exercises") ?? document.querySelector(".foot")).top;
      const boxes = [...document.querySelectorAll("article :is(img, svg, [data-explorer])")]
        .filter((e) => e.checkVisibility()).map(box).filter(({ height }) => height > 60);
      return [box(document.querySelector("article")).top, ...boxes.map(({ bottom }) => bottom)]
        .filter((y) => y < end)
        .map((y) => Math.min(end, ...boxes.map(({ top, bottom }) => bottom > y ? Math.max(top, y) : end)) - y); }""")
    assert max(gaps) < 3 * 800


@pytest.mark.look
@pytest.mark.parametrize(
    "screen", [{"width": 1280, "height": 800}, {"width": 390, "height": 664}], ids=["wide", "phone"]
)
def test_back_leads_to_what_was_on_the_screen(site_url, new_page, screen):
    page = new_page(viewport=screen)
    middle = """() => document.elementsFromPoint(innerWidth / 3, innerHeight / 2)
        .find((e) => e.matches("article :is(p, pre, li, figure, math, section)")).textContent.slice(0, 200)"""
    page.goto(f"{site_url}book/05_bayesian_adversary.html")
    laid_out(page)
    page.evaluate("scrollTo(0, 7000)")
    at_rest(page.locator("article"))
    seen = page.evaluate(middle)
    page.reload()
    laid_out(page)
    assert page.evaluate(middle) == seen
    page.goto(f"{site_url}book/06_blackwell_order.html")
    page.go_back()
    laid_out(page)
    assert page.evaluate(middle) == seen


@pytest.mark.parametrize("screen", ["wide", "phone"])
def test_a_phrase_that_moves_a_far_picture_leaves_a_way_back(screen, site_url, new_page):
    phone = {"viewport": {"width": 390, "height": 664}, "has_touch": True, "is_mobile": True}
    page = new_page(reduced_motion="reduce", **(phone if screen == "phone" else {}))
    page.goto(site_url + "book/09_composition.html")
    laid_out(page)
    phrase = page.locator("a[data-move][href^='#dpsgd_accounting']").first
    explorer = page.locator("[data-explorer=dpsgd_accounting]")
    back = page.get_by_role("button", name="Back to the text")
    phrase.evaluate("e => e.scrollIntoView({ block: 'center' })")
    before = phrase.bounding_box()["y"]
    if screen == "phone":
        phrase.tap()
    else:
        phrase.press("Enter")
        expect(back).to_be_focused()
    expect(back).to_be_in_viewport(ratio=1)
    expect(phrase).not_to_be_in_viewport()
    panels = explorer.locator(".dpe-panel").first
    expect(panels).to_be_in_viewport()
    assert back.bounding_box()["height"] >= 44
    assert back.bounding_box()["y"] + 44 <= panels.bounding_box()["y"]
    if screen == "phone":
        back.tap()
    else:
        back.press("Enter")
    expect(phrase).to_be_focused()
    expect(back).to_have_count(0)
    at_rest(phrase)
    assert phrase.bounding_box()["y"] == approx(before, abs=2)
    # A reader who scrolls back has no need of it, nor one who sees the picture.
    phrase.evaluate("e => e.click()")
    expect(back).to_be_in_viewport()
    phrase.scroll_into_view_if_needed()
    expect(back).to_have_count(0)
