"""What several test files share: the built book, a browser, JupyterLab.

    site          path of the built book, _build/html; built at first use by the command that `make site` calls
    site_url      address at which it is served, ending in "/", e.g. site_url + "book/notation.html"
    serve         serve(folder) -> address, for any other folder (a frozen explorer, say)
    chromium      a Playwright browser; one per test file
    page          a fresh page in it, 1280 × 800. When the test ends, the fixture fails it if the page asked a foreign
                  host for anything (such requests never leave the machine), wrote an error or a warning to the
                  console, or had an uncaught exception. Everything seen so far is in page.seen:
                  .requests (addresses), .foreign, .failed (answered with 4xx or 5xx), .console, .errors
    new_page      new_page(viewport={"width": 390, "height": 844}, color_scheme="dark", has_touch=True, ...) -> the
                  same with other settings, as often as wanted; new_page(strict=False) judges nothing at the end
    settle(page)  to import: waits until a page is drawn and asks for nothing more
    pages_of(site)    to import: the files of the pages that are read
    jupyterlab    a running JupyterLab on a copy of notebooks/ with an empty home: .folder (the copy),
                  .url("01_lecture.ipynb"); one per test file. Open its pages by new_page(strict=False): JupyterLab
                  itself is talkative.

Tests that use a browser are marked `browser` by themselves. Without an installed Chromium they are skipped; in
continuous integration (CI=true) they fail.

A test that looks at every explorer, in one place or in several, or at every page, is marked `look`. Of its cases a
fixed part is run, about a fifth; all of them with `--look` (`make look` runs these tests alone), or when a test is
asked for by its name, as FILE::TEST.
"""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
import zlib
from collections import defaultdict
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlsplit

import hypothesis
import pytest
from hypothesis.internal.conjecture import providers

import moved
from book import SITE, served
from browser import installed
from content import ROOT, TABLES

# What a shell starts in the background ignores Ctrl-C, and so would every process that the tests start.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

os.environ.setdefault("DPTUTOR_TABLES", str(TABLES))  # explorers are frozen once, not in each test
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # tests run side by side; before anything loads numpy

# The same inputs in every run; `--hypothesis-profile=search` looks for new ones.
hypothesis.settings.register_profile("dptutor", deadline=None, derandomize=True)
hypothesis.settings.register_profile("search", deadline=None)
hypothesis.settings.load_profile("dptutor")
# Hypothesis would also draw constants that it finds in the modules loaded so far: then a test's inputs would depend on
# which tests run beside it, and a failure would not come again when it runs alone. There is no setting for this.
providers._get_local_constants = lambda: providers._local_constants


# The book.


@pytest.fixture(scope="session")
def site():
    built = subprocess.run([sys.executable, "scripts/book.py", "build"], cwd=ROOT, capture_output=True, text=True)
    assert built.returncode == 0, f"the book does not build:\n{built.stderr}"
    return SITE


def pages_of(site):
    """The pages that are read, of chapters, lectures and the like: not those that only lead on from an old address."""
    found = sorted([*site.glob("book/*.html"), *site.glob("notebooks/*.html")])
    return [file for file in found if not moved.leads(file)]


@pytest.fixture(scope="session")
def site_url(site):
    with served(site) as address:
        yield address


@pytest.fixture
def serve():
    with ExitStack() as stack:
        yield lambda folder: stack.enter_context(served(folder))


# The browser.


# Files that take long come first, so that no worker is left alone with one of them. The first builds the book; those
# before the explorers in a browser need neither it nor frozen explorers, which are there when the others come.
LONG = [
    "accessibility", "auditing", "mechanisms", "exercises", "answers", "error_bounds", "blackwell", "composition",
    "lines", "cases", "explore_browser", "app", "explore", "notebooks", "slides", "book", "explore_live",
    "sentences", "your_run", "room", "teaching", "classroom", "questions", "sketches", "accountant", "stills",
    "touching", "pages", "asking", "peers", "facts", "batches", "replies",
]  # fmt: skip


PART = 5  # one look in so many


def pytest_addoption(parser):
    parser.addoption("--look", action="store_true", help="look at every explorer in every place, not at a fixed part")


def pytest_collection_modifyitems(config, items):
    if not config.getoption("look") and not any("::" in name for name in config.args):
        left_out = set(left_to_look(items))
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]
    if "sweep" not in config.getoption("markexpr"):
        items[:] = [item for item in items if not item.get_closest_marker("sweep")]
    places = {f"test_{name}": place for place, name in enumerate(LONG)}
    items.sort(key=lambda item: places.get(item.path.stem, len(LONG)))
    for item in items:
        if "chromium" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.browser)


def left_to_look(items):
    """Looks beyond the fixed part: of each test another part, so that every explorer is looked at by some.

    What only repeats a test at more settings, `look(more=True)`, is left out.
    """
    cases, more = defaultdict(list), []
    for item in items:
        if mark := item.get_closest_marker("look"):
            (more if mark.kwargs.get("more") else cases[item.nodeid.partition("[")[0]]).append(item)
    return more + [item for test, found in cases.items() for place, item in enumerate(found)
                   if (place + zlib.crc32(test.encode())) % PART]  # fmt: skip


# Foreign hosts are not found. Were their requests intercepted, all others would take a detour, and none be kept.
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
]


def installed_browser(playwright):
    own = playwright.chromium.executable_path
    return own if Path(own).exists() else installed()


# One for each test file, not for the session: while Playwright runs, its thread has a running event loop, in which
# tests of kernels cannot start theirs.
@pytest.fixture(scope="module")
def chromium():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = installed_browser(playwright)
        if path is None:
            reason = "no Chromium found: install one ('apt-get install chromium' or 'playwright install chromium')"
            if "CI" in os.environ:
                pytest.fail(reason)
            pytest.skip(reason)
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


def is_local(address):
    parts = urlsplit(address)
    return parts.scheme in {"data", "blob", "about", "file"} or parts.hostname in {"127.0.0.1", "localhost"}


def watched_page(browser, **options):
    """A page in a context of its own, with a record of what it asked for and what it complained of."""
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, "reduced_motion": "reduce", **options})
    page = context.new_page()
    page.seen = seen = SimpleNamespace(requests=[], foreign=[], failed=[], console=[], errors=[])
    page.waiting = waiting = SimpleNamespace(requests=set(), since=0.0)

    def note_request(request):
        seen.requests.append(request.url)
        if request.is_navigation_request():
            waiting.requests.clear()  # what the page before still asked for is of no use to anyone
        waiting.requests.add(request)
        waiting.since = time.monotonic()
        if not is_local(request.url):
            seen.foreign.append(request.url)

    def note_end(request):
        waiting.requests.discard(request)

    def note_response(response):
        if response.status >= 400:
            seen.failed.append(f"{response.status} {response.url}")

    def note_console(message):
        if message.type in {"error", "warning"}:
            seen.console.append(f"{page.url}: {message.type}: {message.text}")

    page.on("request", note_request)
    page.on("requestfinished", note_end)
    page.on("requestfailed", note_end)
    page.on("response", note_response)
    page.on("console", note_console)
    page.on("pageerror", lambda error: seen.errors.append(f"{page.url}: {error}"))
    return page


@pytest.fixture
def new_page(chromium):
    pages = []

    def open_page(*, strict=True, **options):
        pages.append((watched_page(chromium, **options), strict))
        return pages[-1][0]

    yield open_page
    for page, strict in pages:
        page.context.close()
        if strict:
            judge(page)


def judge(page):
    seen = page.seen
    assert not seen.foreign, "asked foreign hosts"
    assert not seen.failed, "asked for what is not there"
    assert not seen.errors, "uncaught exceptions in the page"
    assert not seen.console, "errors or warnings in the console"


def settle(page, quiet=0.5, patience=30):
    """Waits until a page is drawn as it is now and has asked for nothing more for `quiet` seconds."""
    page.evaluate("new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
    end = time.monotonic() + patience
    while page.waiting.requests or time.monotonic() - page.waiting.since < quiet:
        assert time.monotonic() < end, f"never answered: {[request.url for request in page.waiting.requests]}"
        page.wait_for_timeout(50)


@pytest.fixture
def page(new_page):
    return new_page()


# JupyterLab.


@pytest.fixture(scope="module")
def jupyterlab(tmp_path_factory):
    home = tmp_path_factory.mktemp("home")
    folder = shutil.copytree(ROOT / "notebooks", tmp_path_factory.mktemp("lab") / "notebooks")
    options = ["--no-browser", "--allow-root", "--ServerApp.port_retries=0", "--IdentityProvider.token=",
               "--ServerApp.disable_check_xsrf=True", f"--ServerApp.root_dir={folder}"]  # fmt: skip
    own = {"JUPYTER_PREFER_ENV_PATH": "1", "JUPYTER_CONFIG_PATH": str(ROOT / "scripts" / "jupyter")}
    with running(["-m", "jupyterlab", *options], "--ServerApp.port", "api", home, own) as address:
        yield SimpleNamespace(folder=folder, address=address, url=lambda name: f"{address}lab/tree/{name}?reset")


@contextmanager
def running(command, port_option, answers, home, own):
    """A server in Python, with an empty home and a free port, by its address; `answers` is what it is asked first."""
    port = free_port()
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("JUPYTER", "IPYTHON"))}
    environment |= {"HOME": str(home), "MPLCONFIGDIR": str(home / "matplotlib")} | own
    with open(home / "log", "w+") as log:
        command = [sys.executable, *command, f"{port_option}={port}"]
        server = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        address = f"http://127.0.0.1:{port}/"
        try:
            wait_until_it_answers(address + answers, server, home / "log")
            yield address
        finally:
            server.terminate()
            try:
                server.wait(20)
            except subprocess.TimeoutExpired:  # beside other work it may take long to end its kernels
                server.kill()
                server.wait()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until_it_answers(address, server, log, seconds=60):
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    for _ in range(10 * seconds):
        assert server.poll() is None, log.read_text()
        try:
            opener.open(address, timeout=5).close()
            return
        except OSError:
            time.sleep(0.1)
    raise AssertionError(f"the server does not answer:\n{log.read_text()}")
