"""The built book, as a reader meets it: in files and in a browser."""

import ast
import getpass
import re
import socket
import struct
import subprocess
import sys
import tempfile
import threading
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import unquote, urljoin, urlsplit

import pytest
from conftest import pages_of
from playwright.sync_api import expect

import book

ROOT = Path(__file__).resolve().parent.parent
CHAPTER = "book/02_tradeoff_functions.html"


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
    files = [site / "search.html", *pages_of(site)]
    return {file.relative_to(site).as_posix(): Links(file.read_text()) for file in files}


def test_a_site_that_was_removed_is_built_again(tmp_path, monkeypatch):
    for name, path in {"BUILD": tmp_path, "SITE": tmp_path / "html", "DONE": tmp_path / "done"}.items():
        monkeypatch.setattr(book, name, path)
    runs = []

    def sphinx(command, **_):
        book.SITE.mkdir(exist_ok=True)
        runs.append(command)
        return SimpleNamespace(returncode=0)

    monkeypatch.setattr(book, "subprocess", SimpleNamespace(run=sphinx, DEVNULL=None))
    assert book.build() == book.build() == 0
    once = len(runs)
    assert once > 0
    book.SITE.rmdir()
    assert book.build() == 0
    assert len(runs) == 2 * once


def test_one_build_waits_for_another_and_not_for_one_that_was_killed(tmp_path, monkeypatch):
    monkeypatch.setattr(book, "BUILD", tmp_path)
    entered = (
        "import sys, time, pathlib; sys.path.insert(0, sys.argv[1]); import book; book.BUILD = pathlib.Path('.')\n"
    )
    entered += "with book.locked(): print('in', flush=True); time.sleep(60)"
    scripts = str(Path(book.__file__).parent)

    def entering():
        with book.locked():
            pass

    command = [sys.executable, "-c", entered, scripts]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as other:
        waiting = threading.Thread(target=entering, daemon=True)
        try:
            assert other.stdout.readline() == "in\n"
            waiting.start()
            waiting.join(0.5)
            assert waiting.is_alive()
        finally:
            other.kill()
    waiting.join(10)
    assert not waiting.is_alive()


def test_programs_need_no_module_that_only_one_system_has():
    foreign = {"fcntl", "grp", "msvcrt", "pwd", "resource", "termios", "winreg"}
    for program in Path(book.__file__).parent.glob("*.py"):
        nodes = ast.walk(ast.parse(program.read_text(encoding="utf-8")))
        names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
        assert not names & foreign, f"{program.name} imports {names & foreign}"


@pytest.mark.host
def test_until_the_first_build_has_ended_there_is_a_curve_to_drag(site, chromium):
    assert not book.takes_minutes()
    with book.running(site, 0) as server:
        server.waiting = book.first_explorer()
        page = chromium.new_page()  # the browser complains of pages that are not there yet
        address = f"http://127.0.0.1:{server.server_port}/"
        assert page.goto(f"{address}book/intro.html").status == 503
        line = page.locator("[data-explorer] input[type=range]").first
        words = page.locator(".dpe-words").first
        before = words.text_content()
        line.press("ArrowRight")
        expect(words).not_to_have_text(before)
        server.waiting = None
        page.wait_for_url(address)
        page.locator("h1", has_text="Were they in the data?").wait_for()
        page.close()


def test_a_reader_who_leaves_before_a_file_has_arrived_is_no_news(tmp_path, capsys):
    (tmp_path / "large").write_bytes(bytes(2**25))
    with book.running(tmp_path, 0) as server:
        with socket.create_connection(("127.0.0.1", server.server_port)) as reader:
            reader.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # leaves without goodbye
            reader.sendall(b"GET /large HTTP/1.1\r\n\r\n")
            reader.recv(1)
        for thread in threading.enumerate():
            if "process_request" in thread.name:
                thread.join(10)
    assert capsys.readouterr().err == ""


def test_what_is_said_of_a_chapter_changes_with_its_opening_and_not_with_its_text(tmp_path, monkeypatch):
    monkeypatch.setattr(book, "ROOT", tmp_path)
    (tmp_path / "book").mkdir()

    def said(text):
        (tmp_path / "book" / "01_one.md").write_text(text, encoding="utf-8")
        return book.opened()

    text = "# 1 One\n\nA situation.\n\n**You need** [two](02_two.md).\nAbout 35 minutes.\n\nA sentence."
    assert said(text) == said(text + " Another.") == said(text.replace("A situation", "Another"))
    assert len({said(text), said(text.replace("1 One", "1 Two")), said(text.replace("35", "40"))}) == 3


def test_every_page_of_the_contents_is_built(pages):
    listed = re.findall(r"(?:root|file): *(\S+)", (ROOT / "_toc.yml").read_text())
    assert len(listed) > 2
    assert {f"{name.removesuffix('.ipynb')}.html" for name in listed} <= set(pages)


def test_statements_of_pages_that_are_no_chapters_have_the_letter_of_their_page(site):
    """No two of these pages have the same, and letters follow the order of the contents."""
    letters = {}
    for name in re.findall(r"file: *book/([a-z]\w+)$", (ROOT / "_toc.yml").read_text(), re.MULTILINE):
        text = (site / "book" / f"{name}.html").read_text(encoding="utf-8")
        if numbers := re.findall(r'caption-number">\w+ (\w+)\.(\d+)', text):
            assert [int(number) for _, number in numbers] == [*range(1, len(numbers) + 1)], name
            letters[name] = {letter for letter, _ in numbers}
    assert [*letters.values()] == [{chr(ord("A") + k)} for k in range(len(letters))]
    assert len(letters) > 2


def test_an_exercise_has_its_number_before_its_name(site):
    text = "".join(file.read_text(encoding="utf-8") for file in (site / "book").glob("[0-9]*.html"))
    titles = re.findall(r'admonition-title">(Exercise .*?)</p>', text)
    assert titles and not [title for title in titles if not re.match(r"Exercise \d+\.\d+ \(\S", title)]


def test_the_menu_names_the_parts_of_the_book(site_url, page):
    page.goto(site_url + CHAPTER)
    page.get_by_role("button", name="Contents of the book").click()
    parts = page.locator("#chapters p.caption").all_inner_texts()
    assert parts == re.findall(r"caption: (.+)", (ROOT / "_toc.yml").read_text())
    assert page.locator("#chapters").get_by_role("link", name="Lecture 2").is_visible()


def test_a_page_as_it_was_parsed_carries_its_own_explorers_only(site):
    # Sphinx reads all of them again whenever one changes.
    kept = sorted((site.parent / ".doctrees" / "book").glob("api*.doctree"))
    assert kept
    for parsed in kept:
        shown = set(re.findall(r'data-explorer="(\w+)"', (site / "book" / f"{parsed.stem}.html").read_text()))
        assert set(re.findall(r'data-explorer="(\w+)"', parsed.read_bytes().decode(errors="replace"))) == shown, parsed


def test_a_lecture_has_neighbors_and_asks_nobody_to_run_a_cell(pages, site):
    text = (site / "notebooks" / "07_lecture.html").read_text()
    assert "Run the cells down to this one" not in text
    links = pages["notebooks/07_lecture.html"].targets
    for target in ("06_lecture.html", "08_lecture.html", "07_exercises.html", "../book/07_delta_divergence.html"):
        assert target in links
    assert {"../embed/delta_divergence.html", "../embed/duel.html", "../embed/spectrum.html"} <= set(links)
    assert not [name for name in pages if name.startswith("notebooks/") and "Run this" in (site / name).read_text()]


def test_a_number_in_a_question_that_is_asked_again_stands_in_its_line(pages, site):
    """What myst-nb has not chosen a form for is a block of its own."""
    assert not [name for name in pages if '<div class="docutils container">' in (site / name).read_text()]


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


# Papers, and the threads, programs and manuals in which somebody said what is quoted.
CITED = (
    r"https://(doi\.org|arxiv\.org|github\.com/[\w-]+/[\w-]+/(issues|pull|tree)|www\.tensorflow\.org/responsible_ai"
    r"|creativecommons\.org/licenses)/|https://github\.com/[\w-]+/[\w-]+$"
)


def test_no_page_names_a_foreign_script_style_or_image(pages):
    foreign = [
        f"{page}: {target}"
        for page, links in pages.items()
        for target in links.targets
        if urlsplit(target).netloc and not re.match(CITED, target)
    ]
    assert not foreign


def test_the_site_tells_nothing_of_the_machine_that_built_it(site):
    user, machine = getpass.getuser(), socket.gethostname()
    pip = subprocess.run([sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True).stdout
    registries = re.findall(r"(?:https?|file)://[^\s'\"]+", pip)
    temporary = f"{tempfile.gettempdir()}/tmp"
    folders = [f"{ROOT}/", f"{Path.home()}/", f"{sys.prefix}/", f"{sys.base_prefix}/lib", temporary, "/ipykernel_"]
    private = [*registries, *folders, f"{user}@", f"@{machine}", f"://{machine}"]
    files = [path for path in site.rglob("*") if path.is_file()]
    assert len(files) > 100
    told = [
        f"{path.relative_to(site)}: {name}"
        for path in files
        for content in [path.read_bytes()]
        for name in private
        if name.encode() in content
    ]
    assert not told


def test_every_image_says_what_it_shows(pages):
    silent = [f"{page}: {image}" for page, links in pages.items() for image in links.images if not image.get("alt")]
    assert not silent


def test_no_word_of_the_reference_is_taken_for_the_letter_of_a_list(pages, site):
    lists = [
        name for name in pages if re.search(r'<ol class="(?:lower|upper)(?:alpha|roman)', (site / name).read_text())
    ]
    assert not lists


def test_a_page_runs_its_own_scripts_only(site, site_url, new_page):
    for path in [site / "search.html", *pages_of(site)]:
        text = path.read_text()
        head = text.partition("</head>")[0]
        assert "default-src 'none'; script-src 'self' 'sha256-" in head, path
        assert head.index("charset") < 1000
        # One of its own, before anything is drawn; all others are files, and classic, as a folder needs them.
        scripts = [script for script in re.findall(r"<script\b([^>]*)>", text) if "type=" not in script]
        assert [script for script in scripts if "src=" not in script and "data-fonts" not in script] == [], path
        assert all("defer" in script for script in scripts if "src=" in script), path
        assert 'type="module"' not in text, path
        assert not re.search(
            r"<[^>]*\son[a-z]+=", re.sub(r"<(script|pre|math)\b.*?</\1>", "", text, flags=re.DOTALL)
        ), path
    page = new_page(strict=False)
    page.goto(site_url + "book/notation.html")
    page.evaluate("""() => {
      const add = (tag, more) => document.body.append(Object.assign(document.createElement(tag), more));
      add("script", { textContent: "window.intruded = true" });
      add("img", { src: "nothing.png" });
      document.body.lastChild.setAttribute("onerror", "window.intruded = true");
      return new Promise((failed) => document.body.lastChild.addEventListener("error", failed)).then(() => null);
    }""")
    assert page.evaluate("window.intruded") is None
    assert any("Content Security Policy" in text for text in page.seen.console)


def test_text_waits_for_one_style_sheet_and_no_other_file(site):
    for path in [site / "search.html", *pages_of(site)]:
        head = path.read_text().partition("</head>")[0]
        assert len(re.findall(r'rel="stylesheet"', head)) == 1, path
        assert re.findall(r"<script(?![^>]*defer)[^>]*src", head) == [], path


def test_style_is_for_something_that_is_there(site):
    """A rule names only classes that a page, a script or the library's own pieces have."""
    sheet = re.sub(
        r"/\*.*?\*/|url\([^)]*\)|\"[^\"]*\"", "", (site / "_static" / "site.css").read_text(), flags=re.DOTALL
    )
    named = set(re.findall(r"\.([a-z][\w-]*)", re.sub(r"\{[^{}]*\}", "{}", sheet)))
    text = "".join(path.read_text() for path in [*site.rglob("*.html"), *site.glob("_static/*.js")])
    there = {name for attribute in re.findall(r'class="([^"]*)"', text) for name in attribute.split()}
    there |= set(re.findall(r"[\w-]+", "".join(path.read_text() for path in site.glob("_static/*.js"))))
    hosts = {"jp-OutputArea-output", "vscode-light", "vscode-dark"}  # where explorers live as well
    assert not {name for name in named if name not in there} - hosts


def test_every_picture_has_its_place_before_it_comes(site, pages):
    unsized = [f"{page}: {image['src']}" for page, links in pages.items() for image in links.images
               if not {"width", "height"} <= set(image)]  # fmt: skip
    assert not unsized


def test_fractions_in_neighboring_lines_keep_apart(site_url, new_page):
    """On a phone: from the bottom of each fraction in the text to the top of those in the line below it."""
    phone = new_page(viewport={"width": 390, "height": 844})
    phone.goto(f"{site_url}book/14_batches.html")
    gaps = phone.evaluate(
        """() => [...document.querySelectorAll("article p")].flatMap(text => {
          const boxes = [...text.querySelectorAll("mfrac")].map(one => one.getBoundingClientRect());
          const below = (box, other) => other.top - box.top > box.height / 2 && other.top - box.top < 1.5 * box.height;
          return boxes.flatMap(box => boxes.filter(other => below(box, other)).map(other => other.top - box.bottom));
        })"""
    )
    assert len(gaps) > 3
    assert min(gaps) > 3


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
    page.wait_for_selector("#search-results li .context")
    assert "¶" not in page.inner_text("#search-results")
    quoted = page.locator("#search-results .context").all_inner_texts()
    assert any("advantage" in text.lower() for text in quoted)
    assert not [text for text in quoted if "Pin curves" in text or "\\" in text]


def test_a_search_opens_over_the_page_and_asks_for_its_index_only_then(site_url, page):
    page.goto(site_url + CHAPTER)
    page.wait_for_load_state("networkidle")
    assert not [address for address in page.seen.requests if "search" in address]
    page.keyboard.press("Control+k")
    field = page.get_by_role("dialog").get_by_role("searchbox")
    field.fill("hyper prior")
    page.wait_for_selector("#search-results li")
    page.keyboard.press("Escape")
    field.wait_for(state="hidden")
    page.locator(".search-button").click()
    field.fill("blackwell")
    page.keyboard.press("Enter")
    page.wait_for_url("**/book/**")


KINDS_OF_PAGES = ["book/intro", "book/07_delta_divergence", "book/09_composition", "book/glossary", "book/api_numbers",
                  "book/references", "notebooks/07_lecture", "notebooks/07_exercises", "search"]  # fmt: skip


@pytest.mark.cases(3)
@pytest.mark.parametrize("name", KINDS_OF_PAGES)
def test_a_page_opens_from_a_folder(site, page, name):
    page.goto((site / f"{name}.html").as_uri())
    page.wait_for_load_state("networkidle")
    page.evaluate("document.fonts.ready.then(() => true)")  # a section drawn later asks for more
    faces = page.evaluate("[...document.fonts].map((face) => [face.family, face.status])")
    assert ["STIX Two Text", "loaded"] in faces
    assert not [face for face in faces if face[1] == "error"]
    for explorer in page.locator("[data-explorer][data-frozen]").all():
        explorer.scroll_into_view_if_needed()
        slider = explorer.locator("input[type=range]:enabled").first
        explorer.and_(page.locator("[data-ready]")).wait_for()
        nothing_asked(explorer)
        shown = picture(explorer)
        press_an_arrow(slider)
        expect(explorer.locator(".dpe-panels")).to_have_attribute("aria-busy", "false")
        assert picture(explorer) != shown
    page.keyboard.press("/")
    page.get_by_role("searchbox").fill("advantage")
    page.wait_for_selector("#search-results li")


@pytest.mark.host
def test_formulas_are_copied_as_tex(site_url, new_page):
    page = new_page()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(site_url + CHAPTER)
    page.evaluate("""() => {
      const text = [...document.querySelectorAll("article p")].find((p) => p.querySelector("math"));
      getSelection().selectAllChildren(text);
    }""")
    page.keyboard.press("Control+c")
    assert page.evaluate("navigator.clipboard.readText()").count("$") >= 2


# Explorers: whatever is moved, numbers and picture follow, without a kernel. What the numbers must be is tested in
# test_explore_browser.py.


def test_every_chapter_shows_an_explorer(site):
    chapters = [site / "book" / f"{path.stem}.html" for path in (ROOT / "book").glob("[0-9][0-9]_*.md")]
    assert not [chapter.name for chapter in chapters if "data-explorer=" not in chapter.read_text()]


def nothing_asked(explorer):
    """Skips a prediction that covers the controls."""
    if explorer.locator("[data-ask]").is_visible():
        explorer.locator("[data-ask-skip]").click()


def press_an_arrow(slider):
    at_the_end = float(slider.input_value()) == float(slider.get_attribute("max"))
    slider.press("ArrowLeft" if at_the_end else "ArrowRight")


def picture(explorer):
    """What an explorer shows: its numbers, and the shapes of its drawing."""
    numbers = explorer.locator("[data-readout]").all_inner_texts()
    shapes = explorer.locator("svg path").evaluate_all("paths => paths.map(path => path.getAttribute('d')).join()")
    return numbers, shapes
