"""What several test files share: the built book, a browser, JupyterLab.

    site          path of the built book, _build/html; built at first use by the command that `make site` calls
    site_url      address at which it is served, ending in "/", e.g. site_url + "book/notation.html"
    serve         serve(folder) -> address, for any other folder (a frozen explorer, say)
    chromium      a Playwright browser; one for all tests
    page          a fresh page in it, 1280 × 800. When the test ends, the fixture fails it if the page asked a foreign
                  host for anything (such requests never leave the machine), wrote an error or a warning to the
                  console, or had an uncaught exception. Everything seen so far is in page.seen:
                  .requests (addresses), .foreign, .failed (answered with 4xx or 5xx), .console, .errors
    new_page      new_page(viewport={"width": 390, "height": 844}, color_scheme="dark", has_touch=True, ...) -> the
                  same with other settings, as often as wanted; new_page(strict=False) judges nothing at the end
    same_page     like `page`, but the same tab for all tests of a file, which takes half as long; where the tab is left
                  as it was found: no clock, no script that runs first, no second window that stays
    until(page, expression)   to import: waits until an expression of JavaScript holds in a page
    laid_out(page)            to import: waits until a page of the site is as tall as it will be
    BUSY              to import: a script with which a page is told late what is on the screen
    each(cases)               to import: one test for many cases that take no time
    some(cases, most)         to import: a fixed part of them, where they take some
    approx            to import: pytest's without its absolute tolerance of 1e-12, beside which small numbers are 0
    at_rest(locator)          to import: waits until an element stays where it is, as when a page has scrolled
    pages_of(site)    to import: the files of the pages that are read
    jupyterlab    a running JupyterLab on a copy of notebooks/ with an empty home: .folder (the copy),
                  .url("01_lecture.ipynb"); one per test file. Open its pages by new_page(strict=False): JupyterLab
                  itself is talkative.

Tests that use a browser are marked `browser` by themselves. What a machine does not have is skipped; in continuous
integration (CI=true) the run fails at its end if anything but SKIPS was.

`make test` is the gate. It leaves out what is marked

    look     how pages, explorers and slides look, on every screen             make look
    host     needs JupyterLab, Voilà, nbgrader, another browser, pip or paper  make hosts
    deep     simulates, or takes more than five seconds for one case           make exhaustive
    words    editorial habits                                                  make words
    sweep    compares many random mechanisms                                   make sweep

and runs a fixed part of the cases of each other test: CASES, or as many as its mark `cases(n)` says, or all if it is
marked `whole`; a look takes part if it is also marked `cases(n)`. Of hypothesis' examples it draws
EXAMPLES. With `--all`, or when a test is asked for by its name, as FILE::TEST, nothing is left out.

What a file marked `sources` holds is marked `first` unless it needs the built book or a browser: `make test` runs it
before the book is built.
"""

import asyncio
import inspect
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import urllib.request
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable
from contextlib import ExitStack, contextmanager, suppress
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

CASES, EXAMPLES = 4, 12  # of a test, in `make test`
LEFT_OUT = {"look", "host", "deep", "words", "sweep"}
everything = False  # or a part of the cases
asked_cases = 0

# The same inputs in every run; `--hypothesis-profile=search` looks for new ones.
hypothesis.settings.register_profile("dptutor", deadline=None, derandomize=True, max_examples=EXAMPLES)
hypothesis.settings.register_profile("all", deadline=None, derandomize=True)
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


@pytest.fixture(autouse=True)
def no_figure_of_another_test():
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")


@pytest.fixture(autouse=True)
def own_learner(tmp_path_factory):
    """A learner who has answered nothing yet: what is said to an answer depends on those before it."""
    if "dptutor.exercises" not in sys.modules:
        yield
        return
    from dptutor.exercises import Learner
    from dptutor.exercises.learners.progress import FILE

    with Learner(tmp_path_factory.mktemp("learner") / FILE):
        yield


# Which tests are run, and how many cases of each.


def pytest_addoption(parser):
    parser.addoption("--all", action="store_true", help="all cases and examples of each test, not a fixed part")
    parser.addoption("--cases", type=int, default=0, help="so many cases of each test, whatever it is marked")


def pytest_configure(config):
    global everything, asked_cases
    asked_cases = config.getoption("cases")
    everything = config.getoption("all") or any("::" in name for name in config.args)
    if everything:
        hypothesis.settings.load_profile("all")


def examples(count):
    """How many examples hypothesis draws: `count` with --all."""
    return count if everything else min(count, EXAMPLES)


def part(cases, most, seed):
    """`most` of the cases, spread evenly and always the same, but others for another test."""
    if len(cases) <= most:
        return cases
    draw = random.Random(zlib.crc32(seed.encode()))
    ends = [len(cases) * place // most for place in range(most + 1)]
    return [cases[draw.randrange(*ends[place : place + 2])] for place in range(most)]


def some(cases, most):
    """`most` of the cases, all with --all: for a test that goes through them itself."""
    return cases if everything else part(cases, most, str(most))


def approx(expected, rel=None, abs=None, **options):
    """Equal to within `rel` of it, 1e-6 if no tolerance is given, or to within `abs`, which is 0 if it is not given."""
    return pytest.approx(expected, rel=1e-6 if rel is abs is None else rel, abs=abs or 0, **options)


def each(cases):
    """Makes one test of a test of many quick cases: it names all that fail. Further arguments are fixtures."""

    def one(test):
        def run(**fixtures):
            faults = {}
            for case in cases:
                try:
                    test(*(case if type(case) is tuple else (case,)), **fixtures)
                except Exception as fault:
                    faults[repr(case)] = f"{type(fault).__name__}: {fault}"
            assert not faults

        given = list(inspect.signature(test).parameters.values())
        first = next(iter(cases))
        run.__signature__ = inspect.Signature(given[len(first) if type(first) is tuple else 1 :])
        run.__name__, run.__doc__, run.__module__ = test.__name__, test.__doc__, test.__module__
        return run

    return one


def most_cases(item):
    if asked_cases:
        return asked_cases
    if item.get_closest_marker("whole"):
        return sys.maxsize
    mark = item.get_closest_marker("cases")
    return mark.args[0] if mark else CASES


@pytest.hookimpl(tryfirst=True)
def pytest_generate_tests(metafunc):
    """Cases that are not run are not collected either."""
    if everything:
        return
    parametrize, test = metafunc.parametrize, metafunc.definition

    def parametrize_part(argnames, argvalues, *args, ids=None, _param_mark=None, **options):
        values = list(argvalues)
        places = part(range(len(values)), most_cases(test), f"{test.nodeid} {argnames}")
        if isinstance(ids, Iterable):
            named = list(ids)
            ids = [named[place] for place in places]
        parametrize(argnames, [values[place] for place in places], *args, ids=ids, **options)

    metafunc.parametrize = parametrize_part


def pytest_ignore_collect(collection_path, config):
    """Where only tests of one mark are asked for, a file that does not have it is not imported."""
    asked = re.match(r"\w*", config.getoption("markexpr"))[0]
    mark = "sources" if asked == "first" else asked
    if mark in {"sources", *LEFT_OUT} and collection_path.match("test_*.py"):
        return f"mark.{mark}" not in collection_path.read_text(encoding="utf-8") or None
    return None


def pytest_collection_modifyitems(config, items):
    for item in items:
        needs = set(getattr(item, "fixturenames", ()))
        if "chromium" in needs:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.flaky(reruns=1))
        if item.get_closest_marker("sources") and not needs & {"chromium", "site", "jupyterlab", "decks"}:
            item.add_marker(pytest.mark.first)
    # What takes long comes first, so that no worker is left alone with it at the end.
    browsing = {item.path for item in items if item.get_closest_marker("browser")}
    items.sort(key=lambda item: (item.path not in browsing, -item.path.stat().st_size, item.path))
    if everything:
        return
    asked_for = LEFT_OUT & set(re.findall(r"\w+", config.getoption("markexpr")))
    kept = items if asked_for else [item for item in items if in_the_gate(item)]
    cases = defaultdict(list)
    for item in kept:
        cases[item.nodeid.partition("[")[0]].append(item)
    chosen = {item for test, found in cases.items() for item in part(found, most_cases(found[0]), test)}
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = [item for item in items if item in chosen]


def in_the_gate(item):
    marks = {mark.name for mark in item.iter_markers()}
    left_out = marks & LEFT_OUT
    return not left_out or (left_out == {"look"} and "cases" in marks)


# What a run says: each failure at once; at its end what was skipped and what was tried twice, a line for each kind.

RERUNS = 3  # at most, of tests in a browser, in a run
SKIPS = [  # what may be skipped in continuous integration
    "there is no lite site here",
    "no sources beside the book",
    "no Firefox",
    "no WebKit",
]


class Told:
    """Names a failure when it happens."""

    def __init__(self, reporter):
        self.reporter = reporter

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.reporter.ensure_newline()
            self.reporter.write_line(f"{report.nodeid} failed", red=True)


def pytest_sessionstart(session):
    if reporter := session.config.pluginmanager.get_plugin("terminalreporter"):
        session.config.pluginmanager.register(Told(reporter))


def pytest_terminal_summary(terminalreporter, config):
    for line in [*counted_skips(terminalreporter), *too_many(terminalreporter)]:
        terminalreporter.write_line(line)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session, exitstatus):
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if exitstatus == 0 and reporter and too_many(reporter):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def reasons(reporter):
    """Why tests were skipped, and how many."""
    return Counter(report.longrepr[2].removeprefix("Skipped: ") for report in reporter.stats.get("skipped", []))


def counted_skips(reporter):
    return [f"{count} skipped: {reason}" for reason, count in sorted(reasons(reporter).items())]


def too_many(reporter):
    """Why a run fails in which every test has passed."""
    again = [report.nodeid for report in reporter.stats.get("rerun", [])]
    found = [reason for reason in reasons(reporter) if "CI" in os.environ and not reason.startswith(tuple(SKIPS))]
    return [f"may not be skipped here: {reason}" for reason in found] + (
        [f"{len(again)} tests failed at first, more than {RERUNS}: {', '.join(again)}"] if len(again) > RERUNS else []
    )


# The browser.


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


PATIENCE = 90_000  # milliseconds: of a machine with other work, and of nothing that is asked of a page


def installed_browser(playwright):
    own = playwright.chromium.executable_path
    return own if Path(own).exists() else installed()


@pytest.fixture(scope="session")
def chromium():
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        path = installed_browser(playwright)
        if path is None:
            pytest.skip("no Chromium found: install one ('apt-get install chromium' or 'playwright install chromium')")
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item):
    """While Playwright runs, its thread has a running event loop, in which a test of a kernel cannot start its own."""
    running = asyncio._get_running_loop()
    if "chromium" not in item.fixturenames:
        asyncio._set_running_loop(None)
    try:
        return (yield)
    finally:
        asyncio._set_running_loop(running or asyncio._get_running_loop())


pytest_runtest_call = pytest_runtest_setup


def is_local(address):
    parts = urlsplit(address)
    return parts.scheme in {"data", "blob", "about", "file"} or parts.hostname in {"127.0.0.1", "localhost"}


def watched_page(browser, **options):
    """A page in a context of its own, with a record of what it asked for and what it complained of."""
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, "reduced_motion": "reduce", **options})
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.seen = seen = SimpleNamespace(requests=[], foreign=[], failed=[], console=[], errors=[])

    def note_request(request):
        seen.requests.append(request.url)
        if not is_local(request.url):
            seen.foreign.append(request.url)

    def note_response(response):
        if response.status >= 400:
            seen.failed.append(f"{response.status} {response.url}")

    def note_console(message):
        if message.type in {"error", "warning"}:
            seen.console.append(f"{page.url}: {message.type}: {message.text}")

    page.on("request", note_request)
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


UNTIL = """async () => {
  const end = Date.now() + %d;
  while (!(%s)) {
    if (Date.now() > end) throw new Error("not in time");
    await new Promise((later) => setTimeout(later, 20));
  }
}"""


def until(page, expression):
    """Waits until an expression holds. The policy of a served page forbids Playwright's own `wait_for_function`."""
    page.evaluate(UNTIL % (PATIENCE, expression))


# A page that is busy is told of what came on the screen in several frames at once.
BUSY = """{
  const later = (frames, act) => (frames ? requestAnimationFrame(() => later(frames - 1, act)) : act());
  globalThis.IntersectionObserver = class extends IntersectionObserver {
    constructor(told, options) {
      let held = [];
      super((entries, self) => {
        held.push(...entries);
        if (held.length === entries.length) later(10, () => told(held.splice(0), self));
      }, options);
    }
  };
}"""


def laid_out(page):
    """Waits until a page of the site has put in its place what is far from the screen as well."""
    until(page, "[...document.querySelectorAll('.later')].every((e) => e.style.contentVisibility === 'visible')")
    at_rest(page.locator("article"))


def at_rest(locator):
    """Waits until an element is where it was a frame before."""
    locator.element_handle().wait_for_element_state("stable")


@pytest.fixture
def page(new_page):
    return new_page()


@pytest.fixture(scope="module")
def tab(chromium):
    tab = watched_page(chromium)
    yield tab
    tab.context.close()


@pytest.fixture
def same_page(tab):
    for noted in vars(tab.seen).values():
        noted.clear()
    yield tab
    # The next test finds no pointer on what it opens, and nothing that this one has said, kept or asked to see.
    tab.mouse.up()
    tab.mouse.move(0, 0)
    if tab.url.startswith(("file:", "http:")):
        tab.evaluate("{ localStorage.clear(); sessionStorage.clear(); }")
    tab.goto("about:blank")
    tab.emulate_media(media="null", color_scheme="null", reduced_motion="reduce")
    tab.set_viewport_size({"width": 1280, "height": 800})
    judge(tab)


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


def wait_until_it_answers(address, server, log):
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    for _ in range(600):
        with suppress(OSError):
            opener.open(address, timeout=5).close()
            return
        with suppress(subprocess.TimeoutExpired):
            server.wait(0.1)
            break
    raise AssertionError(f"the server does not answer:\n{log.read_text()}")
