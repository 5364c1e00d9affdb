"""Decks of slides: what a lecturer sees and presses, from the disk and without a network."""

import contextlib
import re
import subprocess
import sys
from io import BytesIO
from pathlib import Path

import nbformat
import pytest
from conftest import at_rest
from PIL import Image, ImageStat
from playwright.sync_api import TimeoutError, expect
from pypdf import PdfReader
from test_explore_browser import OVERLAPS

import dptutor as dp
import slides
from dptutor.explore.machinery import page as pages
from notebooks import code_digest

pytestmark = pytest.mark.sources

ROOT = Path(__file__).resolve().parent.parent
LECTURES = [path.stem.split("_")[0] for path in sorted((ROOT / "notebooks").glob("*_lecture.ipynb"))]
MADE = ["03", "12"]  # whose explorers are frozen quickly
made = pytest.mark.parametrize("number", MADE)
every_lecture = pytest.mark.parametrize("number", LECTURES)


def make_decks(*numbers):
    return subprocess.run(
        [sys.executable, "scripts/slides.py", *numbers], cwd=ROOT, capture_output=True, text=True, timeout=600
    )


@pytest.fixture(scope="module")
def decks():
    run = make_decks(*MADE)
    assert run.returncode == 0, run.stderr
    return ROOT / "_build" / "slides"


@pytest.fixture
def page(same_page):
    return same_page


def opened(page, deck, address=""):
    page.goto(deck.as_uri() + address)
    page.wait_for_selector("html[data-ready]")
    return page


def slide(page):
    return page.evaluate("Reveal.getIndices().h + 1")


# The file.


@made
def test_a_deck_is_one_file_that_leads_nowhere_else_and_has_its_formulas(decks, page, number):
    opened(page, decks / f"{number}.html")
    own = page.url.split("#")[0]
    assert [address for address in page.seen.requests if not address.startswith("data:")] == [own]
    text = (decks / f"{number}.html").read_text(encoding="utf-8")
    styles = "".join(re.findall(r"<style>(.*?)</style>", text, re.DOTALL))
    assert not re.search(r"@import|url\((?!data:)", styles)
    markup = re.sub(r"<(script|style).*?</\1>", "", text, flags=re.DOTALL)
    assert not re.search(r"""(src|href)=["']?(https?:)?//""", markup)
    links = page.eval_on_selector_all("a[href]", "all => all.map(a => a.href)")
    assert {link.split("#")[0] for link in links} == {own}
    assert page.locator("math").count() > 5
    assert page.evaluate("document.fonts.check('1em \"STIX Two Math\"', '𝜀')")
    prose = page.eval_on_selector_all(".deck-prose", "all => all.map(e => e.innerText).join()")
    assert "$" not in prose and "\\" not in prose


def test_a_deck_of_the_same_content_is_kept(decks):
    before = {number: (decks / f"{number}.html").stat().st_mtime_ns for number in MADE}
    assert make_decks(*MADE).returncode == 0
    assert {number: (decks / f"{number}.html").stat().st_mtime_ns for number in MADE} == before


def test_a_lecture_that_is_not_there_is_told(decks):
    run = make_decks("03", "99")
    assert run.returncode == 1
    assert run.stdout.startswith("There is no lecture 99. The lectures are 01, 02")
    assert run.stderr == ""


def test_the_list_leads_to_the_decks(decks, page):
    page.goto((decks / "index.html").as_uri())
    lines = page.locator("li").all_inner_texts()
    assert len(lines) == len(set(lines)) and any("03.html" in line for line in lines)
    page.click("a[href='03.html']")
    page.wait_for_selector("html[data-ready]")
    page.keyboard.press("ArrowRight")
    page.click(".deck-foot a")
    page.wait_for_function("Reveal.getIndices().h === 0")


# Showing.


def test_the_right_arrow_walks_to_the_end(decks, page):
    opened(page, decks / "03.html")
    count, fragments = page.evaluate("[Reveal.getTotalSlides(), document.querySelectorAll('.fragment').length]")
    steps = sum(len(getattr(dp.explore, name).steps) for name in page.eval_on_selector_all(
        "[data-explorer]", "all => all.map(e => e.dataset.explorer)"))  # fmt: skip
    for _ in range(count - 1 + fragments):
        page.keyboard.press("ArrowRight")
    for _ in range(steps):  # an explorer that is awake by then shows its steps first
        if slide(page) < count:
            page.keyboard.press("ArrowRight")
    assert slide(page) == count
    assert page.evaluate("document.querySelectorAll('.fragment.visible').length") == fragments
    page.wait_for_function(f"location.hash.split('/')[1] === '{count}'")
    page.keyboard.press("ArrowRight")
    assert slide(page) == count


def test_an_address_leads_to_its_slide_and_a_fragment_hides_until_its_turn(decks, page):
    opened(page, decks / "03.html", "#/4")
    assert page.inner_text(".slide-number").replace(" ", "") == f"4/{page.locator('.slides > section').count()}"
    answer = page.locator("section.present .fragment").first
    answer.wait_for(state="hidden")
    page.keyboard.press("ArrowRight")
    answer.wait_for(state="visible")
    assert slide(page) == 4


# Explorers.


def readouts(page):
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return page.eval_on_selector_all("section.present [data-readout]", "all => all.map(e => e.textContent)")


def test_a_slider_has_its_keys_and_leaves_a_presenter_theirs(decks, page):
    opened(page, decks / "03.html", "#/2")
    page.wait_for_selector("section.present [data-explorer][data-ready]")
    slider, before = page.locator("section.present input[type=range]").first, readouts(page)
    slider.focus()
    page.keyboard.press("ArrowRight")
    assert readouts(page) != before
    assert slide(page) == 2
    page.keyboard.press("PageDown")
    assert slide(page) == 3
    page.keyboard.press("PageUp")
    assert slide(page) == 2
    slider.focus()
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement === document.body && !Reveal.isOverview()")
    page.locator("section.present [data-step=next]").focus()
    before = readouts(page)
    page.keyboard.press("Space")
    assert readouts(page) != before
    assert slide(page) == 2


def test_keys_go_through_the_steps_of_an_explorer_and_then_on(decks, page):
    opened(page, decks / "03.html", "#/2")
    page.wait_for_selector("section.present [data-explorer][data-ready]")
    count = page.locator("section.present [data-steps] .dpe-count")
    steps = count.evaluate("e => e.closest('[data-explorer]').explorer.manifest.steps.length")
    for k in range(1, steps + 1):
        page.keyboard.press("PageDown")
        assert (slide(page), count.text_content()) == (2, f"{k} of {steps}")
    page.keyboard.press("PageUp")
    assert (slide(page), count.text_content()) == (2, f"{steps - 1} of {steps}")
    page.keyboard.press("PageDown")
    page.keyboard.press("PageDown")
    assert slide(page) == 3


def test_a_link_to_a_setting_leads_to_the_slide_of_its_explorer(decks, page):
    opened(page, decks / "03.html", "#privacy_loss?epsilon=2")
    page.wait_for_selector("section.present [data-explorer][data-ready]")
    assert slide(page) == 2
    assert page.evaluate("document.querySelector('.slides').scrollTop + document.documentElement.scrollTop") == 0
    assert page.input_value("section.present [data-typed=epsilon]") == "2"


# Every screen and sheet.


# Of the present slide, as shares of its width.
LETTERS_OF_PICTURE = """() => {
  const slide = document.querySelector("section.present"), texts = [...slide.querySelectorAll("svg.dpe-panel text")];
  const size = (e) => parseFloat(getComputedStyle(e).fontSize) * Math.hypot(e.getScreenCTM().a, e.getScreenCTM().b);
  return Math.max(...texts.map(size)) / slide.getBoundingClientRect().width;
}"""

BOX = "e => { const { left, top, right, bottom } = e.getBoundingClientRect(); return [left, top, right, bottom]; }"


@pytest.mark.parametrize("size", [(1920, 1080), (1024, 768)])
def test_a_deck_fills_the_screen_and_no_arrow_covers_a_number(decks, page, size):
    page.set_viewport_size({"width": size[0], "height": size[1]})
    opened(page, decks / "12.html", "#/3")
    left, top, right, bottom = page.eval_on_selector(".slides", BOX)
    assert right - left > 0.89 * size[0] and bottom - top > 0.89 * size[1]
    number = page.eval_on_selector(".slide-number", BOX)
    for other in (".navigate-left", ".navigate-right", ".deck-clock"):
        left, _, right, _ = page.eval_on_selector(other, BOX)
        assert right <= number[0] or left >= number[2], other


def test_a_picture_comes_before_its_steps_and_none_of_them_puts_a_control_under_an_arrow(decks, page):
    page.set_viewport_size({"width": 1024, "height": 768})
    opened(page, decks / "03.html", "#/6")
    page.keyboard.press("PageDown")  # the picture is the answer: it comes before its steps
    page.wait_for_selector("section.present [data-explorer][data-ready]")
    assert page.eval_on_selector("section.present [data-explorer]", "e => e.explorer.step") == 0
    for _ in page.eval_on_selector("section.present [data-explorer]", "e => e.explorer.manifest.steps"):
        page.keyboard.press("PageDown")
        controls = page.locator("section.present .dpe-controls")
        expect(page.locator("section.present .dpe-panels")).to_have_attribute("aria-busy", "false")
        at_rest(controls)
        *_, bottom = page.eval_on_selector("section.present .dpe-controls", BOX)
        assert bottom <= page.eval_on_selector(".navigate-right", BOX)[1]


def test_letters_of_explorers_shrink_with_their_slides_in_the_overview(decks, page):
    """And are as before when it is closed."""
    opened(page, decks / "12.html", "#/6")
    page.wait_for_selector("section.present [data-explorer][data-ready]")
    page.wait_for_function(f"({LETTERS_OF_PICTURE})() > 0.012")  # shares of the width of the slide
    before = page.evaluate(f"({LETTERS_OF_PICTURE})()")
    page.keyboard.press("o")
    page.wait_for_function(f"Math.abs(({LETTERS_OF_PICTURE})() / {before} - 1) < 0.05")
    page.keyboard.press("o")
    page.wait_for_function(f"Math.abs(({LETTERS_OF_PICTURE})() / {before} - 1) < 0.01")


def test_explorers_that_wake_in_the_overview_fit_their_slides(decks, page):
    opened(page, decks / "03.html", "#/4")
    page.keyboard.press("o")
    for explorer in page.locator("[data-explorer]").all():
        expect(explorer).to_have_attribute("data-ready", "1")
    page.wait_for_function("""Array.from(document.querySelectorAll('.slides > section')).every((slide) =>
        slide.querySelector(".deck-slide").getBoundingClientRect().bottom <= slide.getBoundingClientRect().bottom)""")


def test_the_overview_shows_all_slides_and_leads_to_them(decks, page):
    opened(page, decks / "12.html", "#/3")
    page.keyboard.press("o")
    boxes = page.evaluate(f"Array.from(document.querySelectorAll('.slides > section'), {BOX})")
    size = page.viewport_size
    for left, top, right, bottom in boxes:
        assert 0 <= left < right <= size["width"] + 1 and 0 <= top < bottom <= size["height"] + 1
        assert right - left > 200
    assert len({(round(left), round(top)) for left, top, *_ in boxes}) == len(boxes)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    columns = len({round(left) for left, *_ in boxes})
    assert slide(page) == 3 + columns + 1
    page.keyboard.press("o")
    page.mouse.click(boxes[1][0] + 50, boxes[1][1] + 50)
    assert slide(page) == 2
    left, _, right, _ = page.eval_on_selector("section.present", BOX)
    assert right - left > 1000


@pytest.mark.host
@made
def test_sheets_hold_two_whole_slides_each(decks, page, number):
    opened(page, decks / f"{number}.html", "?paper=a4")
    page.emulate_media(media="print")
    count = page.locator(".slides > section").count()
    sheets = PdfReader(BytesIO(page.pdf(prefer_css_page_size=True)))
    assert len(sheets.pages) == (count + 1) // 2
    assert [round(float(x)) for x in sheets.pages[0].mediabox[2:]] == [595, 842]
    assert page.locator("section :is(.fragment, .deck-code)").first.is_visible()
    cut = page.evaluate(
        "Array.from(document.querySelectorAll('.slides > section'), s => [s, ...s.querySelectorAll('pre, img, svg, p')]"
        ".filter(e => e !== s && e.getClientRects().length && !e.closest('aside, figcaption')"
        " && (e.getBoundingClientRect().bottom > s.getBoundingClientRect().bottom"
        " || (e.matches('pre') && e.scrollWidth > e.clientWidth + 2))).map(e => e.textContent.slice(0, 80))).flat()"
    )
    assert cut == []


@pytest.mark.host
def test_a_picture_is_no_white_box_in_the_dark(decks, page):
    opened(page, decks / "12.html")
    page.keyboard.press("d")
    place = page.evaluate("Array.from(document.querySelectorAll('.slides > section'))"
        ".findIndex(s => s.querySelector('.deck-outputs img'))")  # fmt: skip
    page.evaluate(f"Reveal.slide({place}, 0, 99)")
    page.wait_for_function("document.querySelector('section.present .deck-outputs img').complete")
    shot = Image.open(BytesIO(page.locator("section.present .deck-outputs img").screenshot())).convert("L")
    assert ImageStat.Stat(shot).mean[0] < 60
    assert max(shot.getextrema()) > 150  # axes and letters are light
    assert abs(shot.getpixel((2, 2)) - 24) <= 4  # as the slide around it


# Decks of one's own.


def own_notebook(folder, *cells, **metadata):
    """A notebook of cells, and of texts and code that begins with `dp.`; explorers alone are made anew anyway."""
    kinds = {True: nbformat.v4.new_code_cell, False: nbformat.v4.new_markdown_cell}
    made = [kinds[cell.startswith("dp.")](cell) if isinstance(cell, str) else cell for cell in cells]
    notebook = nbformat.v4.new_notebook(cells=made, metadata=metadata)
    if all(cell.cell_type != "code" or cell.source.startswith("dp.explore") for cell in made):
        notebook.metadata["ran"] = code_digest(notebook)
    nbformat.write(notebook, folder / "mine.ipynb")
    return folder / "mine.ipynb"


def deck_of(path, folder):
    """The deck of a notebook, whose outputs are those of its explorers alone or are there already."""
    deck = folder / path.with_suffix(".html").name
    deck.write_text(slides.deck_page(slides.Lecture(path), ""), encoding="utf-8")
    return deck


def own_deck(folder, *cells, **metadata):
    return deck_of(own_notebook(folder, *cells, **metadata), folder)


def test_a_notebook_of_ones_own_becomes_a_deck(tmp_path, monkeypatch, new_page):
    monkeypatch.setattr(slides, "DECKS", tmp_path)
    (tmp_path / "logo.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 4"/>')
    notes = {"slideshow": {"slide_type": "notes"}}
    path = own_notebook(
        tmp_path,
        "# Privacy at our place\n\n$\\varepsilon = 1$",
        nbformat.v4.new_markdown_cell("Say hello.", metadata=notes),
        nbformat.v4.new_code_cell("%matplotlib inline\nprint(1)"),
        "## Second",
        deck={"title": "Our course", "logo": "logo.svg"},
    )
    page = opened(new_page(), deck_of(path, tmp_path))
    assert page.evaluate("Reveal.getTotalSlides()") == 2
    assert page.inner_text(".deck-foot a") == "Our course"
    assert page.locator(".deck-foot img").count() == 1
    assert page.inner_text(".deck-clock") == ""
    assert "Say hello." in page.text_content("aside.notes")
    assert "Say hello." not in page.inner_text(".slides")
    assert slides.Lecture(path, "Another").foot(nbformat.read(path, 4))[0] == "Another"


def test_a_heading_begins_a_slide_where_its_cell_says_nothing():
    def cell(text, kind):
        return nbformat.v4.new_markdown_cell(text, metadata={"slideshow": {"slide_type": kind}} if kind else {})

    said = [("# One", "slide"), ("## Two", None), ("a", "fragment"), ("## Same", "-"), ("### In", None), ("## 3", None)]
    made = slides.slides_of(nbformat.v4.new_notebook(cells=[cell(*each) for each in said]), Path("mine.ipynb"))
    assert [slide.title for slide in made] == ["One", "Two", "3"]
    assert [len(slide.shown) for slide in made] == [1, 4, 1] and "fragment" in made[1].shown[1]


def test_a_sentence_that_was_printed_is_broken_and_a_table_beside_it_is_not():
    row, sentence = f"regret{'0.005 at prior 0.5':>60}", "Neither of the two mechanisms dominates. " * 4
    shown = slides.printed(f"{row}\n{sentence}")
    assert f"{row}\n" in shown and f'<span class="deck-sentence">{sentence}</span>' in shown


def test_a_game_on_a_slide_keeps_the_arrows_and_a_picture_stands_beside_its_words(tmp_path, new_page):
    drawing = "import matplotlib.pyplot as plt\nplt.figure(figsize=(4, 4))\nplt.plot([0, 1])\nplt.show()"
    play, look = map(nbformat.v4.new_code_cell, ("import dptutor as dp\n\ndp.explore.be_the_adversary()", drawing))
    deck = own_deck(tmp_path, "## Play", play, "## Look\n\nat this.", look)
    page = opened(new_page(viewport={"width": 1600, "height": 900}), deck)
    page.wait_for_selector("section.present [data-explorer][data-ready]")
    page.click("[data-game=start]")
    # A round is answered once it is on the screen; a key pressed before that is no answer.
    asked = """rounds => {
        const x = document.querySelector("[data-explorer]").explorer;
        const shown = x.drawn?.every((value, k) => value === x.values[k]);
        return shown && x.game.playing && x.game.history.length === rounds;
    }"""
    for rounds, key in enumerate(("ArrowRight", "ArrowLeft", "ArrowRight")):
        page.wait_for_function(asked, arg=rounds)
        page.keyboard.press(key)
    page.wait_for_function(asked, arg=3)
    assert slide(page) == 1
    page.evaluate("Reveal.slide(1)")
    words, image = (page.locator(f"section.present {what}").bounding_box() for what in ("p >> nth=0", "img"))
    assert words["x"] + words["width"] <= image["x"] and image["height"] > 600


def test_a_guess_too_many_leads_nowhere_and_the_score_is_a_point_of_the_class(tmp_path, new_page):
    points = nbformat.v4.new_markdown_cell("## Points", metadata={"room": {"curve": "Gaussian(1)", "name": "us"}})
    deck = own_deck(tmp_path, "## Play", "dp.explore.be_the_adversary()", points, "## Last")
    page = opened(new_page(reduced_motion="reduce"), deck)
    page.wait_for_selector("section.present [data-explorer][data-ready]")
    page.click("[data-game=start] >> nth=1")
    explorer = page.locator("[data-explorer]")
    rounds = 2 * explorer.evaluate("e => e.explorer.game.lengths[1]")
    for played in range(rounds):
        page.wait_for_function("""played => {
            const x = document.querySelector("[data-explorer]").explorer;
            return x.game.playing && x.game.history.length === played && x.drawn?.every((v, k) => v === x.values[k]);
        }""", arg=played)  # fmt: skip
        page.keyboard.press("ArrowRight")
    wrong = explorer.evaluate("e => e.explorer.game.history.filter(r => !r.truth).length")
    page.keyboard.press("ArrowRight")
    assert slide(page) == 1
    page.keyboard.press("ArrowRight")
    assert slide(page) == 2
    expect(page.locator("section.present .deck-sum")).to_contain_text(
        f"1 player, on average ({2 * wrong / rounds:.2f}, 0.00)"
    )
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("PageDown")  # the same game is no other player's
    expect(page.locator("section.present .deck-sum")).to_contain_text("1 player,")


def test_a_short_slide_has_larger_letters_and_a_title_of_the_usual_size(tmp_path, new_page):
    wide = "## Wide\n\n" + "| word |" * 14 + "\n" + "|---|" * 14
    deck = own_deck(tmp_path, "## Short\n\nOne line.", "## Long" + "\n\nA line." * 9, wide)
    for width, height in SIZES:
        page = opened(new_page(viewport={"width": width, "height": height}), deck)
        seen = []
        for place in range(3):
            page.evaluate(f"Reveal.slide({place})")
            size = "e => parseFloat(getComputedStyle(e).fontSize) * e.currentCSSZoom"
            seen.append([page.eval_on_selector(f"section.present {one}", size) for one in ("h2", "p, table")])
        (title, short), (same, long), _ = seen
        assert abs(title - same) < 0.1 and short > 1.25 * long
        assert page.evaluate("(t => t.offsetWidth <= t.parentElement.clientWidth)(document.querySelector('table'))")


def test_quotation_marks_are_curly_but_not_in_code():
    said = slides.prose('*"Hi"*, says **"no"**: "$x$-private". `f"a"` is Bayes\' rule.\n\n| "in" | b |\n|---|---|')
    assert re.findall("[“”’]", said) == [*"“”“”“”’“”"]
    assert "<code>f&quot;a&quot;</code>" in said.replace('f"a"', "f&quot;a&quot;")
    assert not re.search("[“”’]", slides.prose("![a](https://example.org/c.png \"a 'b'\")"))


def test_a_cell_that_no_slide_can_show_is_named(tmp_path):
    path = own_notebook(tmp_path, "# One", "$\\nothing$")
    with pytest.raises(slides.CannotShowError, match=r"mine\.ipynb, cell 2, cannot be shown"):
        slides.deck_page(slides.Lecture(path), "")


def test_a_lecture_without_a_chapter_stops_no_other(tmp_path):
    lecture = slides.Lecture(ROOT / "notebooks" / "my_lecture.ipynb")
    assert lecture.chapter is None


# Explorers that wait for their turn, and what lies over them.


def own_fragments(folder):
    """A deck of one's own: two explorers and a word between them come one after another; its foot has a logo."""
    later = {"slideshow": {"slide_type": "fragment"}}
    (folder / "logo.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 4"/>')
    names = "privacy_loss", "tradeoff_gallery"
    first, second = (nbformat.v4.new_code_cell(f"dp.explore.{name}()", metadata=later) for name in names)
    word = nbformat.v4.new_markdown_cell("A word.", metadata=later)
    return own_deck(folder, "## First", first, word, second, "## Last", deck={"logo": "logo.svg"})


# What of the deck lies over something to press, once the explorers of the slide are drawn as they are set.
COVERED = """() => {
  const slide = Reveal.getCurrentSlide(), found = [];
  const drawn = [...slide.querySelectorAll("[data-explorer]")].every(({ explorer }) =>
    explorer?.manifest.game || explorer?.drawn?.every((value, k) => value === explorer.values[k]));
  if (!drawn) return ["an explorer is not drawn yet"];
  const boxes = (root, selector) => [...root.querySelectorAll(selector)]
    .filter((e) => e.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
    .map((e) => [e, e.getBoundingClientRect()]).filter(([, box]) => box.width && box.height);
  const over = boxes(document, ".controls button, .slide-number, .progress, .deck-foot > *");
  for (const [e, a] of boxes(slide, "a, button, input, select, summary, label, [tabindex], .dpe-target"))
    for (const [other, b] of over)
      if (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)
        found.push(`${other.className} on ${e.outerHTML.slice(0, 60)}`);
  return found;
}"""


def expect_nothing_over_what_can_be_pressed(page, where):
    with contextlib.suppress(TimeoutError):
        page.wait_for_function(f"!({COVERED})().length")
    assert page.evaluate(COVERED) == [], where


SIZES = [(1920, 1080), (1024, 768)]


# Of the slide, in their order: of which fragment an explorer is, if of one, and its steps; in a game no key steps.
EXPLORERS = """() => {
  const slide = Reveal.getCurrentSlide(), pieces = [...slide.querySelectorAll(".fragment")];
  return [...slide.querySelectorAll("[data-explorer]")].map((element) => {
    const { manifest } = element.explorer;
    return [pieces.indexOf(element.closest(".fragment")), manifest.game ? 0 : manifest.steps.length];
  });
}"""


def walk_through_the_slide(page, where, back=False):
    """By key: explorers step that are there, then each piece appears, an explorer at its start, and steps."""
    place = slide(page)
    pieces = page.locator("section.present .fragment").all()
    explorers = page.locator("section.present [data-explorer]").all()
    for one in explorers:
        expect(one).to_have_attribute("data-ready", "1")
    steps = page.evaluate(EXPLORERS)
    stages = [(0, [0] * len(steps))]
    for shown in range(len(pieces) + 1):
        if shown:
            stages.append((shown, stages[-1][1]))
        for k, (piece, most) in enumerate(steps):
            for step in range(1, most + 1) if piece == shown - 1 else ():
                stages.append((shown, [*stages[-1][1][:k], step, *stages[-1][1][k + 1 :]]))

    def expect_stage(shown, at):
        for k, piece in enumerate(pieces):
            expect(piece).to_be_visible(visible=k < shown)
        for one, (piece, most), step in zip(explorers, steps, at, strict=True):
            if most and piece < shown:
                told = f"{step} of {most}" if step else f"Tour of {most}"
                expect(one.locator("[data-steps] .dpe-count")).to_have_text(told)
        assert slide(page) == place, where

    for stage in stages:
        expect_stage(*stage)
        expect_nothing_over_what_can_be_pressed(page, f"{where}, {stage}")
        page.keyboard.press("PageDown")
    if not back:
        return
    assert slide(page) == place + 1
    for stage in reversed(stages):
        page.keyboard.press("PageUp")
        expect_stage(*stage)


@pytest.mark.cases(1)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("deck", ["07", "own"])
def test_an_explorer_that_waits_is_shown_at_its_start_and_then_stepped(deck, size, new_page, tmp_path):
    lecture = ROOT / "notebooks" / f"{deck}_lecture.ipynb"
    file = own_fragments(tmp_path) if deck == "own" else deck_of(lecture, tmp_path)
    page = opened(new_page(viewport={"width": size[0], "height": size[1]}), file)
    place = page.evaluate("Array.from(document.querySelectorAll('.slides > section'))"
        ".findIndex(s => s.querySelector('.fragment [data-explorer]'))")  # fmt: skip
    page.evaluate(f"Reveal.slide({place})")
    walk_through_the_slide(page, deck, back=True)


@pytest.mark.look
@every_lecture
def test_nothing_of_a_deck_lies_over_what_can_be_pressed_while_keys_go_through_it(number, new_page, tmp_path):
    file = deck_of(ROOT / "notebooks" / f"{number}_lecture.ipynb", tmp_path)
    for width, height in SIZES:
        page = opened(new_page(viewport={"width": width, "height": height}), file)
        places = page.evaluate("Array.from(document.querySelectorAll('.slides > section'),"
            "(s, k) => s.querySelector('[data-explorer]') ? k : -1).filter(k => k >= 0)")  # fmt: skip
        for place in places:
            page.evaluate(f"Reveal.slide({place})")
            walk_through_the_slide(page, f"slide {place + 1}, {width} × {height}")


# The lecturer's side.


def speaker(page):
    """The speaker's window, once it shows the deck, with its frame of the current slide."""
    with page.context.expect_page() as event:
        page.keyboard.press("s")
    window = event.value
    window.wait_for_selector(".speaker-controls-notes:not(.hidden) .value p")
    frame = window.wait_for_selector("#current-slide iframe").content_frame()
    frame.wait_for_selector("html[data-ready]")
    return window, frame


def test_the_speakers_window_opens_on_the_slide_shown_and_the_room_stays(decks, new_page):
    page = opened(new_page(), decks / "12.html", "#/8")
    page.evaluate("window.turned = []; Reveal.on('slidechanged', ({ indexh }) => turned.push(indexh))")
    window, frame = speaker(page)
    frame.wait_for_function("Reveal.getIndices().h === 7")
    window.wait_for_selector(".pacing")
    assert re.search(r"Minute \d+ to \d+", window.inner_text(".speaker-controls-notes .value"))
    frame.evaluate("Reveal.slide(6, 0, 99)")
    page.wait_for_function("Reveal.getIndices().h === 6")
    page.keyboard.press("ArrowRight")
    frame.wait_for_function("Reveal.getIndices().h === 7")
    assert page.evaluate("window.turned") == [6, 7]  # and nothing before that


def test_explorers_of_the_room_and_of_the_speaker_move_together(decks, new_page):
    page = opened(new_page(), decks / "03.html", "#/2")
    page.wait_for_selector("section.present [data-explorer][data-ready]")
    _, frame = speaker(page)
    frame.wait_for_selector("section.present [data-explorer][data-ready]")
    there = "document.querySelector('section.present [data-explorer]').explorer"
    value = f"{there}.shownParameter({there}.manifest.parameters.findIndex(p => p.name === 'epsilon'))"
    page.fill("section.present [data-typed=epsilon]", "2")
    page.keyboard.press("Enter")
    frame.wait_for_function(f"{value} === '2'")
    frame.locator("section.present [data-step=next]").click()
    page.wait_for_function(f"{there}.step === 1 && !{there}.story.hidden")
    assert page.evaluate(f"{there}.values") == frame.evaluate(f"{there}.values")
    frame.locator("section.present input[type=range]").first.press("ArrowRight")
    page.wait_for_function(f"JSON.stringify({there}.values) === '{frame.evaluate(f'JSON.stringify({there}.values)')}'")


def test_a_stranger_moves_nothing(decks, page):
    opened(page, decks / "03.html", "#/2")
    page.wait_for_selector("section.present [data-explorer][data-ready]")
    before = readouts(page)
    page.evaluate(
        "new Promise(done => { const f = document.createElement('iframe'); document.body.append(f);"
        " f.contentWindow.parent.postMessage({namespace: 'deck', place: 0, state: {step: 1, values: []}}, '*');"
        " setTimeout(done, 50) })"
    )
    assert readouts(page) == before


def test_a_slider_that_the_mouse_has_moved_leaves_the_keys_to_the_deck(decks, page):
    opened(page, decks / "03.html", "#/10")
    page.wait_for_selector("section.present [data-explorer][data-ready]")
    box = page.locator("section.present input[type=range]").first.bounding_box()
    page.mouse.click(box["x"] + 0.7 * box["width"], box["y"] + box["height"] / 2)
    page.wait_for_function("document.activeElement === document.body")
    page.keyboard.press("PageUp")
    assert slide(page) == 9


def test_the_clock_turns_to_ninety_minutes_and_off(decks, page):
    opened(page, decks / "03.html")
    page.keyboard.press("End")
    clock = page.locator(".deck-clock")
    assert clock.inner_text() == "until minute 50 of 50"
    timings = "Array.from(document.querySelectorAll('.slides > section'), s => +s.dataset.timing)"
    assert sum(page.evaluate(timings)) == 50 * 60
    page.keyboard.press("t")
    assert clock.inner_text() == "until minute 90 of 90"
    assert sum(page.evaluate(timings)) == 90 * 60
    page.keyboard.press("t")
    assert clock.inner_text() == ""


def test_a_deck_darkens(decks, page):
    opened(page, decks / "03.html", "#/2")
    color = "getComputedStyle(document.querySelector(s)).backgroundColor"
    for selector in (".reveal-viewport", "section.present .dptutor-explorer"):
        light = page.evaluate(f"s => {color}", selector)
        page.keyboard.press("d")
        dark = page.evaluate(f"s => {color}", selector)
        assert sum(map(int, re.findall(r"\d+", light)[:3])) > 700
        assert sum(map(int, re.findall(r"\d+", dark)[:3])) < 100
        page.keyboard.press("d")


@every_lecture
def test_the_slides_of_a_lecture_take_fifty_minutes(number):
    notebook = nbformat.read(ROOT / "notebooks" / f"{number}_lecture.ipynb", 4)
    shows = [cell.metadata["slideshow"] for cell in notebook.cells]
    minutes = [show.get("minutes", 0) for show in shows if show["slide_type"] in {"slide", "subslide"}]
    assert all(minutes)
    assert sum(minutes) == slides.TALK


def cells_of_slides(number):
    """The cells of every slide of a lecture."""
    found = []
    for cell in nbformat.read(ROOT / "notebooks" / f"{number}_lecture.ipynb", 4).cells:
        kind = cell.metadata["slideshow"]["slide_type"]
        if kind in {"slide", "subslide"}:
            found.append([])
        if kind != "skip":
            found[-1].append(cell)
    return found


@every_lecture
def test_every_slide_has_notes(number):
    """What to say, what to ask, what most rooms answer, and where it goes on."""
    shows = [[cell.metadata["slideshow"] for cell in cells] for cells in cells_of_slides(number)]
    words = [len(" ".join(show.get("notes", "") for show in its).split()) for its in shows]
    assert {place: count for place, count in enumerate(words, 1) if count < 25} == {}
    # In the notebook they would stand as paragraphs among what the room sees.
    assert not [show for its in shows for show in its if show["slide_type"] == "notes"]


@every_lecture
def test_predictions_come_before_answers(number):
    """On a slide that asks *something?*, what is computed waits for the next key; an explorer asks by itself."""
    for place, cells in enumerate(cells_of_slides(number), 1):
        asked = False
        for cell in cells:
            asked |= cell.cell_type == "markdown" and bool(re.search(r"\*[^*]+\?\*", cell.source))
            computed = cell.cell_type == "code" and cell.outputs and not slides.explorer_of(cell.source)
            if asked and computed:
                assert cell.metadata["slideshow"]["slide_type"] == "fragment", f"slide {place}"
                assert cell.metadata["jupyter"]["outputs_hidden"], f"slide {place}, in a notebook"
                assert "hide-output" in cell.metadata["tags"], f"slide {place}, on a page of the book"


def test_every_explorer_of_a_chapter_has_its_slide():
    shown = r"dp\.explore\.(\w+)\("
    sources = [cell.source for number in LECTURES for cells in cells_of_slides(number) for cell in cells]
    chapters = [page.read_text(encoding="utf-8") for page in (ROOT / "book").glob("[0-9][0-9]_*.md")]
    decks, pages = ({name for text in texts for name in re.findall(shown, text)} for texts in (sources, chapters))
    assert decks == pages and len(pages) > 20


NUMBER = r"(?<![\w.=])(?<!= )-?\d(?:[\d.,]*\d)?(?:e[+-]?\d+)?"
NAMED = re.compile(r"([^\W\d_]:? *)\[[^\[\]]*\]")  # an array that a word stands before


@every_lecture
def test_columns_of_numbers_have_a_head(number):
    """Two numbers side by side, with nothing between that says which is which."""
    for place, cells in enumerate(cells_of_slides(number), 1):
        for text in (output.get("text", "") for cell in cells for output in cell.get("outputs", [])):
            rows = [line for line in text.splitlines() if not re.search(r"\[\[|\]\]", line)]  # a matrix is one thing
            bare = [line for line in rows if re.search(rf"{NUMBER}[ \[]+{NUMBER}(?![\w.])", NAMED.sub(r"\1", line))]
            assert rows[:1] != bare[:1] or not bare, f"slide {place}: {text}"


# The em of letters of 10 points in the pictures of a slide, in pixels of the screen; a picture has 150 dots to an inch.
LETTERS = """() => Math.min(...Array.from(Reveal.getCurrentSlide().querySelectorAll(".deck-picture img"), (image) => {
  const box = image.getBoundingClientRect();
  return (10 * 150 / 72) * Math.min(box.width / image.naturalWidth, box.height / image.naturalHeight);
}), 1e9)"""

# Numbers parted from their signs by the end of a line, and letters of the class's picture that lie on each other.
PARTED = """() => {
  const slide = Reveal.getCurrentSlide().querySelector(".deck-slide"), found = [];
  const walker = document.createTreeWalker(slide, NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode()); ) {
    if (node.parentElement.closest("pre, figure, aside")) continue;
    for (const { 0: part, index } of node.data.matchAll(/=\\s\\d|(?<![\\p{L}\\d])\\p{L}[-\u2011]\\p{L}/gu)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + part.length);
      const tops = Array.from(range.getClientRects(), (box) => box.top);
      if (Math.max(...tops) - Math.min(...tops) > 5) found.push(part);
    }
  }
  const letters = Array.from(slide.querySelectorAll("svg[data-curve] text"),
    (e) => [e.textContent, e.getBoundingClientRect()]);
  letters.forEach(([one, a], k) => letters.slice(k + 1).forEach(([other, b]) => {
    if (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom) found.push(`${one} on ${other}`);
  }));
  return found;
}"""


@pytest.mark.look
@pytest.mark.cases(1)
@every_lecture
def test_every_slide_fits_its_box_in_letters_that_can_be_read(number, new_page, tmp_path, monkeypatch):
    def still(frozen):
        """The explorer without its tables, which take their time, but as it looks when it is awake."""
        inside = pages.body(frozen._exploration, f"dpe-{number}")
        inside = re.sub(r'(class="dpe-controls"[^>]*) hidden', r"\1", inside)
        style = f"<style>{pages.resource('explorer.css')}</style>"
        return f'<figure class="dptutor-explorer" data-frozen>{style}{inside}</figure>'

    monkeypatch.setattr(pages.Frozen, "html", property(still))
    path = ROOT / "notebooks" / f"{number}_lecture.ipynb"
    notebook = nbformat.read(path, 4)
    page = opened(new_page(), deck_of(path, tmp_path))
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    widgets = [output for output in outputs if "application/vnd.jupyter.widget-view+json" in output.get("data", {})]
    assert page.locator("[data-frozen]").count() == len(widgets)
    for width, height in [(1280, 720), (1920, 1080), (1024, 768)]:
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_function(f"Math.abs(Reveal.getConfig().height - {1280 * height / width}) < 2")
        for place in range(page.evaluate("Reveal.getTotalSlides()")):
            page.evaluate(f"Reveal.slide({place}, 0, 99)")
            zoom, code, inside, box, wide = page.evaluate(
                "() => { const s = Reveal.getCurrentSlide(), d = s.querySelector('.deck-slide');"
                " const over = e => e.scrollWidth > e.clientWidth + 2;"
                " const code = Array.from(d.querySelectorAll('pre'), e => +d.style.zoom * e.style.zoom);"
                " const end = e => e.getBoundingClientRect().bottom;"
                " return [+d.style.zoom, Math.min(1, ...code), end(d), end(s),"
                " [...d.querySelectorAll('pre, p, li, div.math')].filter(over)"
                ".map(e => e.textContent)]; }"
            )
            assert inside <= box - 0.01 * height, f"slide {place + 1} covers the foot"
            assert wide == [], f"slide {place + 1}"
            assert page.evaluate(PARTED) == [], f"slide {place + 1}"
            assert zoom >= 0.7 and code >= 0.65, f"slide {place + 1}"
            # An em of 10 points has 18 of 1080 pixels at least; beside code it had 13.
            assert page.evaluate(LETTERS) * 1080 >= 18 * height, f"slide {place + 1}"


# The smallest letters of what explains or moves, in pixels of the screen, and what lies on each other.
SMALLEST = """() => {
  const slides = document.querySelector(".reveal .slides"), slide = Reveal.getCurrentSlide();
  const scale = slides.getBoundingClientRect().width / slides.offsetWidth;
  const shown = (e) => e.textContent.trim() && e.checkVisibility({ visibilityProperty: true });
  const all = (selector) => [...slide.querySelectorAll(selector)].filter(shown);
  const size = (e) => parseFloat(getComputedStyle(e).fontSize);
  return Math.min(
    ...all("svg.dpe-panel text").map((e) => size(e) * Math.hypot(e.getScreenCTM().a, e.getScreenCTM().b)),
    ...all(".dpe-words, .dpe-label, .dpe-choice label, .dpe-count").map((e) => size(e) * e.currentCSSZoom * scale),
  );
}"""

BUTTONS = """(() => {
  const slides = document.querySelector(".reveal .slides");
  const scale = slides.getBoundingClientRect().width / slides.offsetWidth;
  return [...Reveal.getCurrentSlide().querySelectorAll("button, .dpe-asked summary")]
    .filter((e) => /[▶\\p{L}]/u.test(e.textContent) && e.checkVisibility({ visibilityProperty: true }))
    .map((e) => [e.textContent.trim(), parseFloat(getComputedStyle(e).fontSize) * e.currentCSSZoom * scale]);
})()"""


def test_letters_of_buttons_can_be_read_from_the_last_row(new_page, tmp_path):
    deck = own_deck(tmp_path, "## Predict", "dp.explore.duel()", "## Predict", "dp.explore.composition()")
    page = opened(new_page(viewport={"width": 1920, "height": 1080}), deck)
    seen = set()
    for place in range(2):
        page.evaluate(f"Reveal.slide({place})")
        page.wait_for_selector("section.present [data-explorer][data-ready]")
        page.wait_for_function(f"({BUTTONS}).every(([, size]) => size >= 22)")
        seen |= {text for text, _ in page.evaluate(BUTTONS)}
    assert {"Commit", "Skip", "▶"} <= seen


@pytest.mark.host
def test_letters_of_explorers_can_be_read_from_the_last_row(new_page, decks):
    page = new_page(viewport={"width": 1920, "height": 1080})
    seen = 0
    for number in MADE:
        opened(page, decks / f"{number}.html")
        for place in range(page.evaluate("Reveal.getTotalSlides()")):
            page.evaluate(f"Reveal.slide({place}, 0, 99)")
            if not page.locator("section.present [data-explorer]").count():
                continue
            page.wait_for_selector("section.present [data-explorer][data-ready]")
            skip = page.locator("section.present [data-ask-skip]")
            if skip.is_visible():
                skip.click()
            page.wait_for_function(f"({SMALLEST})() >= 22")
            here = OVERLAPS.replace("svg.dpe-panel", "section.present svg.dpe-panel")
            assert page.evaluate(here) == [], f"slide {place + 1} of {number}"
            seen += 1
    assert seen >= 3
