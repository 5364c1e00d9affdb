"""The book for those who cannot see it, cannot use a mouse, or do not want things to move; and the book on paper."""

from pathlib import Path

import pytest
from axe_playwright_python.base import AXE_FILE_PATH
from pypdf import PdfReader
from selectolax.lexbor import LexborHTMLParser
from test_pages import NOTEBOOKS, PAGES

import pdf

CHAPTER = "book/02_tradeoff_functions.html"  # proofs, code, formulas, an explorer, questions, a table

# With everything unfolded; what does not depend on colors is looked at in one theme. Contrast is looked at in both,
# once for words that have all in common that makes it: color, size, and each background and opacity down to the page.
AXE = """async (first) => {
  for (const details of document.querySelectorAll("details")) details.open = true;
  for (let y = 0; y < document.documentElement.scrollHeight; y += innerHeight) {
    scrollTo(0, y);
    await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn, 20)));
    // However busy the machine is: the page's own observers are told what is on the screen before this one.
    await new Promise((told) => new IntersectionObserver(told).observe(document.body));
  }
  scrollTo(0, 0);
  for (const animation of document.getAnimations()) animation.cancel();
  const titles = [...document.querySelectorAll("h1")].filter(e => e.checkVisibility());
  // Formulas have the color of their text, the contents repeat on every page, explorers have a test of their own.
  for (const formula of document.querySelectorAll("math")) formula.replaceWith(formula.textContent);
  for (const known of document.querySelectorAll(first ? ".dpe-panel" : ".dpe-panel, .menu"))
    known.remove();
  const found = titles.length === 1 ? [] : [`${titles.length} titles`];
  const look = async (where, what, when) => {
    const { violations } = await axe.run(where, { resultTypes: ["violations"], preload: false, ...what });
    for (const { impact, help, nodes } of violations)
      for (const { html } of nodes) found.push(`${when}: ${impact}: ${help}: ${html.slice(0, 200)}`);
  };
  const kinds = () => {
    const behind = new Map([[null, ""]]), kinds = new Map();
    const ground = (e) => {
      if (!behind.has(e)) {
        const { backgroundColor, backgroundImage, opacity, filter, mixBlendMode } = getComputedStyle(e);
        const own = [backgroundColor, backgroundImage, opacity, filter, mixBlendMode].join();
        const nothing = own === "rgba(0, 0, 0, 0),none,1,none,normal";
        behind.set(e, ground(e.parentElement) + (nothing ? "" : `/${own}`));
      }
      return behind.get(e);
    };
    for (const e of document.body.querySelectorAll("*")) {
      const words = [...e.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
      if (!(words || e.matches("input, select, textarea")) || !e.checkVisibility()) continue;
      const { color, fontSize, fontWeight, textShadow } = getComputedStyle(e);
      const kind = [e.matches("input, select, textarea"), color, fontSize, fontWeight, textShadow, ground(e)].join();
      if (!kinds.has(kind)) kinds.set(kind, e);
    }
    return [...kinds.values()];
  };
  const themes = ["dark", "light"].map((theme) => {
    document.documentElement.dataset.theme = theme;
    return [theme, kinds()];
  });
  const kept = new Set();
  for (const e of themes.flatMap(([, kinds]) => kinds)) for (let up = e; up; up = up.parentElement) kept.add(up);
  // What is left depends on no color: words of code are words like others.
  for (const code of document.querySelectorAll("pre")) if (!kept.has(code)) code.textContent = code.textContent;
  await look(document, { rules: { "color-contrast": { enabled: false } } }, "light");
  // Whatever holds none of them is emptied: axe would find the place of each of its elements, twice.
  const empty = (e) => [...e.children].forEach((child) => (kept.has(child) ? empty(child) : child.replaceChildren()));
  empty(document.body);
  for (const [theme, kinds] of themes) {
    document.documentElement.dataset.theme = theme;
    await look({ include: kinds }, { runOnly: ["color-contrast"] }, theme);
  }
  return found;
}"""


@pytest.mark.look
@pytest.mark.cases(2)
@pytest.mark.parametrize("name", ["search", *PAGES, *NOTEBOOKS])
def test_axe_finds_no_fault_in_any_page(name, site_url, new_page):
    page = new_page(reduced_motion="reduce", strict=False)
    page.goto(f"{site_url}{name}.html")
    page.evaluate(AXE_FILE_PATH.read_text())
    assert not page.evaluate(AXE, name == "search")


@pytest.mark.look
@pytest.mark.parametrize("name", ["book/intro.html", "book/references.html"])
def test_axe_finds_no_fault_on_a_telephone(name, site_url, new_page):
    page = new_page(reduced_motion="reduce", viewport={"width": 390, "height": 844})
    page.goto(site_url + name)
    page.evaluate(AXE_FILE_PATH.read_text())
    assert not page.evaluate(AXE, True)


# By keyboard.

# Where the reader is, and whether that can be seen.
FOCUS = """() => {
  const e = document.activeElement, style = getComputedStyle(e), box = e.getBoundingClientRect();
  let opaque = true;
  for (let up = e; up; up = up.parentElement) opaque &&= +getComputedStyle(up).opacity === 1;
  const inside = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
  // Round the grip of a slider, of which a page cannot ask; test_explore_browser.py looks at it.
  const elsewhere = /^rgba.*, 0[)]$/.test(style.outlineColor);
  return {
    tag: e.tagName, classes: [...e.classList], text: e.outerHTML.slice(0, 120), body: e === document.body,
    seen: opaque && inside && box.width > 0 && style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2 &&
      elsewhere === e.matches("input[type=range]"),
  };
}"""


@pytest.fixture
def chapter(site_url, new_page):
    page = new_page(reduced_motion="reduce")
    page.goto(site_url + CHAPTER)
    page.wait_for_selector("[data-explorer][data-ready]", state="attached")
    return page


def walked(page, most=1000):
    """Every place that Tab leads to, in order."""
    places = []
    for _ in range(most):
        page.keyboard.press("Tab")
        place = page.evaluate(FOCUS)
        if place["body"]:
            return places
        places.append(place)
    raise AssertionError("Tab does not come to an end")


def test_tab_leads_everywhere_and_where_it_is_can_be_seen(chapter):
    places = walked(chapter)
    assert not [place["text"] for place in places if not place["seen"]]
    reached = {name for place in places for name in place["classes"]} | {place["tag"] for place in places}
    assert {
        "search-button",
        "theme-switch-button",
        "primary-toggle",
        "bar-here",
        "copybtn",
        "sd-summary-title",
    } <= reached
    assert {"A", "SUMMARY", "INPUT", "BUTTON"} <= reached
    folds = chapter.locator("article summary").evaluate_all("all => all.filter(e => e.checkVisibility()).length")
    assert sum(place["tag"] == "SUMMARY" for place in places) == folds
    buttons = chapter.locator("article button:visible, .highlight .copybtn:visible").count()
    assert sum(place["tag"] == "BUTTON" for place in places) >= buttons


def test_the_first_tab_offers_to_skip_to_the_text(chapter):
    chapter.keyboard.press("Tab")
    assert chapter.evaluate(FOCUS)["seen"]
    assert chapter.evaluate("document.activeElement.textContent") == "Skip to main content"
    chapter.keyboard.press("Enter")
    chapter.keyboard.press("Tab")
    assert chapter.evaluate("document.querySelector('main').contains(document.activeElement)")


def test_keys_unfold_a_proof_and_switch_the_theme_and_copy_code(chapter):
    proof = chapter.locator("article details.sd-dropdown").first
    proof.locator("summary").focus()
    chapter.keyboard.press("Enter")
    assert proof.evaluate("e => e.open")
    themes = set()
    chapter.locator("button.theme-switch-button:visible").focus()
    for _ in range(3):
        chapter.keyboard.press("Enter")
        themes.add(chapter.locator("html").get_attribute("data-theme"))
    assert themes == {"light", "dark"}
    copy = chapter.locator(".copybtn").first
    chapter.context.grant_permissions(["clipboard-read", "clipboard-write"])
    copy.focus()
    chapter.keyboard.press("Enter")
    chapter.wait_for_selector(".copybtn.success")
    assert "import" in chapter.evaluate("navigator.clipboard.readText()")


def test_keys_open_and_close_the_contents_on_a_telephone(site_url, new_page):
    page = new_page(reduced_motion="reduce", viewport={"width": 390, "height": 844})
    page.goto(site_url + CHAPTER)
    page.locator("button.primary-toggle").focus()
    page.keyboard.press("Enter")
    link = page.get_by_role("dialog").get_by_role("link", name="Notation")
    link.wait_for()
    page.keyboard.press("Escape")
    link.wait_for(state="hidden")


def test_nothing_moves_for_who_does_not_want_it(chapter):
    assert not chapter.evaluate("""() => [...document.querySelectorAll("*")].flatMap(e =>
      [null, "::before", "::after"].map(part => getComputedStyle(e, part)).filter(style =>
        parseFloat(style.transitionDuration) || style.animationName !== "none" || style.scrollBehavior !== "auto"
      ).map(() => e.outerHTML.slice(0, 100)))""")


# On paper.


def test_what_is_printed_is_light_and_unfolded_and_comes_back(site_url, new_page):
    page = new_page(color_scheme="dark")
    page.goto(site_url + CHAPTER)
    page.wait_for_selector(".copybtn", state="attached")
    look = """() => ({
      theme: document.documentElement.dataset.theme,
      open: document.querySelectorAll("article details[open]").length,
      shown: [...document.querySelectorAll(".bar, .menu, .foot, .prev-next, .copybtn, .dpe-controls, .headerlink")]
        .filter(e => e.checkVisibility()).length,
    })"""
    before = page.evaluate(look)
    page.emulate_media(media="print", color_scheme="dark")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    folds = page.locator("article details").count()
    assert page.evaluate(look) == {"theme": "light", "open": folds, "shown": 0}
    assert folds > before["open"]
    assert page.evaluate("[...document.querySelectorAll('article pre')].every(e => e.scrollWidth <= e.clientWidth + 1)")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen", color_scheme="dark")
    assert page.evaluate(look) == before


@pytest.mark.host
def test_two_pages_are_one_pdf_with_an_outline_numbers_and_links(site, chromium, tmp_path, capsys, monkeypatch):
    own = chromium.browser_type.executable_path  # Playwright's, which no PATH names
    if Path(own).exists():
        monkeypatch.setenv("CHROMIUM", own)
    file = tmp_path / "two.pdf"
    assert pdf.main([str(file), "book/02_tradeoff_functions", "book/notation"]) == 0
    assert str(file.name) in capsys.readouterr().out
    book = PdfReader(file)
    assert [entry["/Title"] for entry in book.outline] == ["2 Trade-off functions and f-DP", "Notation"]
    notation = book.get_destination_page_number(book.outline[1])
    texts = [sheet.extract_text() for sheet in book.pages]
    assert texts[0].startswith("Chapter 2\nTrade-")
    assert "Notation" in texts[notation]
    assert texts[3].rstrip().endswith("4")
    assert not any(mark in text for text in texts for mark in ("\\(", "\\[", "\\frac"))  # formulas are set
    assert "squeezed between" in " ".join("".join(texts).split())  # a proof, which the page folds
    links = [link for sheet in book.pages for link in pdf.links(sheet)]
    assert not [link for link in links if "file:" in str(link.get("/A", ""))]
    fonts = [font.get_object() for sheet in book.pages for font in sheet["/Resources"]["/Font"].values()]
    names = {str(font.get("/BaseFont", "")).partition("+")[2] for font in fonts}
    assert {"STIXTwoText-Regular", "STIXTwoText-SemiBold", "SourceSans3ExtraLight-Regular"} <= names
    assert not [name for name in names if "Serif" in name]  # in place of a font that came too late
    pages = {link["/Dest"][0].idnum for link in links if "/Dest" in link}
    assert book.pages[notation].indirect_reference.idnum in pages
    assert {tuple(round(float(x)) for x in sheet.mediabox[2:]) for sheet in book.pages} == {(595, 842)}
    assert all("/Filter" in sheet["/Contents"].get_object() for sheet in book.pages)  # else it is four times as large
    assert not list(pdf.SITE.rglob("*.print-*"))


@pytest.mark.parametrize(
    ("asked", "some", "none"),
    [
        ("--chapter 7", {"book/07_delta_divergence", "notebooks/07_lecture", "notebooks/07_exercises"}, {"book/intro"}),
        ("--student", {"book/intro", "book/notation", "notebooks/03_exercises"}, {"notebooks/03_lecture", "book/api"}),
        ("--student --chapter 2", {"book/02_tradeoff_functions"}, {"book/intro", "notebooks/02_lecture"}),
    ],
)
def test_a_chapter_or_a_students_handout_may_be_printed(asked, some, none):
    printed = {page for page, _ in pdf.contents() if pdf.wanted(page, pdf.options(asked.split()))}
    assert some <= printed
    assert not none & printed


def test_a_students_sheets_have_no_answers(site):
    sheets = {}
    for student in (["--student"], []):
        copy = pdf.sheet_of("notebooks/02_exercises", pdf.options([*student, "--paper", "letter"]))
        sheets[bool(student)] = copy.read_text(encoding="utf-8")
        copy.unlink()
    assert "@page { size: 8.5in 11in }" in sheets[True]
    assert "A worked answer" in sheets[False] and "A worked answer" not in sheets[True] and "Hint 1" not in sheets[True]
    assert not LexborHTMLParser(sheets[False]).css(".dptutor-questions details")  # the chapter has these


@pytest.mark.host
def test_long_code_leaves_no_sheet_empty(site):
    """What must not break and does not fit goes to the next sheet, whatever little stands on this one."""
    copy = pdf.sheet_of("book/instructors", pdf.options([]))
    codes = LexborHTMLParser(copy.read_text(encoding="utf-8")).css("pre")
    copy.unlink()
    long = [code for code in codes if code.text().count("\n") > pdf.LONG]
    assert long and all(code.attributes.get("style") == "break-inside: auto" for code in long)
    assert all(len(code.css(".part")) > 1 for code in long)


def test_long_code_breaks_between_its_parts(new_page, tmp_path):
    """On the sheets each part is whole, though the code has more lines than a sheet; a string is not cut in two."""
    functions = [f"def f{k}():\n" + "\n".join(f"    x{n} = {k}" for n in range(14)) for k in range(6)]
    text = "\n\n".join(['<span class="s">"""One\n\ntwo\n\nthree."""</span>', *functions, "f1()\nf2()"])
    code = pdf.in_parts(text)
    assert LexborHTMLParser(code).text().split() == LexborHTMLParser(text).text().split()
    assert code.count("part") == len(functions) + 1
    style = (pdf.ROOT / "book" / "_static" / "site.css").read_text(encoding="utf-8")
    file, printed = tmp_path / "code.html", tmp_path / "code.pdf"
    page = f'<!doctype html><style>{style}</style><pre style="break-inside: auto">{code}</pre>'
    file.write_text(page, encoding="utf-8")
    page = new_page()
    page.goto(file.as_uri())
    page.pdf(path=printed, format="A4", prefer_css_page_size=True)
    sheets = [sheet.extract_text() for sheet in PdfReader(printed).pages]
    assert len(sheets) == 2
    for k in range(6):
        whole = [sheet for sheet in sheets if f"def f{k}()" in sheet]
        assert len(whole) == 1 and whole[0].count(f" = {k}") == 14


def test_folded_code_is_there_in_the_first_frame_of_a_sheet(site_url, page):
    page.goto(site_url + CHAPTER)
    page.emulate_media(media="print")
    moving = (
        "Array.from(document.querySelectorAll('*')).filter(e => getComputedStyle(e).animationName !== 'none').length"
    )
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate(moving) == 0
    assert page.evaluate("document.getAnimations().length") == 0


def test_without_a_browser_one_line_says_so(monkeypatch, capsys):
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CHROMIUM", raising=False)
    assert pdf.main([]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("no Chromium found: install one")
