"""Explorers in Firefox and in WebKit, driven by the protocols of the W3C: all are looked at, the two that have the most
handles are dragged.

Firefox speaks WebDriver BiDi itself; WebKit needs Debian's webkit2gtk-driver, and Xvfb for a screen. What is not
installed is skipped, with the packages to install.
"""

import json
import os
import re
import shutil
import subprocess
import tempfile
import urllib.request
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from conftest import free_port, wait_until_it_answers
from test_explore import at
from test_explore_browser import GRIPS, HELD, OFF, OVERLAPS, SMALLEST

import dptutor as dp

pytestmark = pytest.mark.host

websocket = pytest.importorskip("websocket")  # JupyterLab's server needs it

MINIBROWSER = next(iter(sorted(Path("/usr/lib").glob("*/webkit2gtk-4*/MiniBrowser"))), None)
FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
NEEDED = {
    "firefox": (FIREFOX, "no Firefox found: 'apt-get install firefox-esr'"),
    "webkit": (
        shutil.which("WebKitWebDriver") and shutil.which("Xvfb") and MINIBROWSER,
        "no WebKit with a driver found: 'apt-get install webkit2gtk-driver xvfb'",
    ),
}


def handles(name):
    """How many handles an explorer has: one for each slider, or pair of sliders, that moves something in a panel."""
    parts = getattr(dp.explore, name).parts
    return len({(part.panel.number, part.handles) for part in parts if part.handles and part.kind != "text"})


MOST = sorted(dp.explore.__all__, key=handles, reverse=True)[:2]
MOUSE = {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}}
KEYS = {"type": "key", "id": "keys"}
HOME = "\ue011"


class Window:
    """What the two protocols have in common: functions called in a page, and actions of a hand."""

    def evaluate(self, function, value=None):
        """What a function of one argument gives, once it is there."""
        return json.loads(
            self.awaited(f"(async () => JSON.stringify((await ({function})({json.dumps(value)})) ?? null))()")
        )

    def wait_for(self, function, value=None):
        """Until a function says yes."""
        later = "new Promise((done) => setTimeout(done, 50))"
        self.evaluate(f"async (value) => {{ while (!(await ({function})(value))) await {later}; }}", value)

    def act(self, *steps):
        """Moves [x, y], and "down" and "up", of a mouse."""
        known = {"down": {"type": "pointerDown", "button": 0}, "up": {"type": "pointerUp", "button": 0}}
        moves = [
            known[step] if isinstance(step, str)
            else {"type": "pointerMove", "x": round(step[0]), "y": round(step[1]), "duration": 0}
            for step in steps
        ]  # fmt: skip
        self.perform([MOUSE | {"actions": moves}])

    def press(self, key):
        self.perform([KEYS | {"actions": [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]}])


class Firefox(Window):
    def __init__(self, address):
        self.socket = websocket.create_connection(f"{address}/session", suppress_origin=True, timeout=60)
        self.sent = 0
        self.send("session.new", capabilities={})
        self.tab = self.send("browsingContext.getTree")["contexts"][0]["context"]
        self.send("browsingContext.setViewport", context=self.tab, viewport={"width": 1280, "height": 800})

    def send(self, method, **parameters):
        self.sent += 1
        self.socket.send(json.dumps({"id": self.sent, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get("id") == self.sent:
                assert answer["type"] == "success", answer
                return answer["result"]

    def goto(self, address):
        self.send("browsingContext.navigate", context=self.tab, url=address, wait="complete")

    def awaited(self, promise):
        found = self.send("script.evaluate", expression=promise, target={"context": self.tab}, awaitPromise=True)
        assert found["type"] == "success", found
        return found["result"]["value"]

    def perform(self, actions):
        self.send("input.performActions", context=self.tab, actions=actions)

    def close(self):
        self.socket.close()


class WebKit(Window):
    def __init__(self, address):
        self.open = urllib.request.build_opener(urllib.request.ProxyHandler({})).open
        self.address = f"{address}/session"
        options = {"webkitgtk:browserOptions": {"binary": str(MINIBROWSER), "args": ["--automation"]}}
        found = self.send("POST", "", capabilities={"alwaysMatch": options})
        self.address += f"/{found['sessionId']}"
        self.send("POST", "/window/rect", width=1280, height=880)  # with the bar of addresses

    def send(self, method, command, **parameters):
        body = json.dumps(parameters).encode() if method == "POST" else None
        with self.open(urllib.request.Request(self.address + command, body, method=method), timeout=60) as answer:
            return json.load(answer)["value"]

    def goto(self, address):
        self.send("POST", "/url", url=address)

    def awaited(self, promise):
        script = f"const done = arguments[0]; {promise}.then(done, (error) => done(String(error)));"
        return self.send("POST", "/execute/async", script=script, args=[])

    def perform(self, actions):
        self.send("POST", "/actions", actions=actions)

    def close(self):
        self.send("DELETE", "")


@contextmanager
def started(*command, **options):
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, **options)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextmanager
def firefox():
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [FIREFOX, "--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0"]
        own = os.environ | {"HOME": profile}
        with started(*command, stderr=subprocess.PIPE, text=True, env=own) as process:
            said = (re.search(r"BiDi listening on (ws://\S+)", line) for line in process.stderr)
            window = Firefox(next(filter(None, said))[1])
            yield window
            window.close()
            process.stderr.close()


@contextmanager
def webkit():
    with ExitStack() as stack:
        home = stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        read, write = os.pipe()  # Xvfb takes a free screen and writes its number there
        screen = ["Xvfb", "-displayfd", str(write), "-screen", "0", "1400x1000x24", "-nolisten", "tcp"]
        stack.enter_context(started(*screen, stderr=subprocess.DEVNULL, pass_fds=[write]))
        os.close(write)
        own = {"DISPLAY": f":{os.read(read, 20).decode().strip()}", "GDK_BACKEND": "x11", "HOME": home}
        # A container has no name spaces for WebKit's sandbox; what is opened is ours.
        own |= {"WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1", "LIBGL_ALWAYS_SOFTWARE": "1"}
        port = free_port()
        driver = ["WebKitWebDriver", f"--port={port}", "--host=127.0.0.1"]
        log, address = Path(home) / "log", f"http://127.0.0.1:{port}"
        with open(log, "w") as told:
            process = stack.enter_context(started(*driver, stderr=told, env=os.environ | own))
        wait_until_it_answers(f"{address}/status", process, log)
        window = WebKit(address)
        yield window
        window.close()


@pytest.fixture(scope="module", params=NEEDED)
def window(request):
    there, reason = NEEDED[request.param]
    if not there:
        pytest.skip(reason)
    with {"firefox": firefox, "webkit": webkit}[request.param]() as opened:
        yield opened


FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
SHOWN = """() => {
  const { manifest, values } = document.querySelector("[data-explorer]").explorer;
  const all = (selector, entry) => Object.fromEntries([...document.querySelectorAll(selector)].map(entry));
  return {
    readouts: all("[data-readout]", (e) => [e.dataset.readout, e.textContent]),
    words: document.querySelector(".dpe-words").textContent.replaceAll("\\u02dc", "\\u0303"),
    setting: Object.fromEntries(manifest.parameters.map((p, place) => [p.name, values[place]])),
    sliders: all("input[type=range]", (e) => [e.dataset.parameter, +e.value]),
  };
}"""


def agrees(window, e):
    """Sentence, numbers, sliders and the library say the same of the setting in the page, which this returns."""
    window.evaluate(FRAMES)
    shown = window.evaluate(SHOWN)
    at(e, **shown["setting"])
    assert shown["readouts"] == e.shown
    assert shown["words"] == e.words
    for name, place in shown["sliders"].items():
        assert e.parameters[name].values[place] == shown["setting"][name]
    return shown["setting"]


def opens(window, page):
    """Opens a frozen explorer and predicts nothing."""
    window.goto(page.as_uri())
    window.wait_for("() => document.querySelector('[data-explorer]').explorer?.drawn")
    window.evaluate("() => document.querySelector('[data-ask-skip]')?.click()")
    window.evaluate(FRAMES)


@pytest.mark.look
@pytest.mark.parametrize("name", dp.explore.__all__)
def test_words_can_be_read_and_lie_on_nothing_elsewhere_too(window, name, tmp_path):
    opens(window, getattr(dp.explore, name)().freeze(tmp_path / f"{name}.html"))
    assert window.evaluate(OVERLAPS) == []
    smallest, said = window.evaluate(SMALLEST)
    assert smallest >= 12, said
    assert window.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("name", MOST)
def test_an_explorer_is_dragged_typed_and_stepped_through_elsewhere_too(window, name, tmp_path):
    e = getattr(dp.explore, name)()
    opens(window, e.freeze(tmp_path / f"{name}.html"))
    start = agrees(window, e)
    grips = len(window.evaluate(GRIPS, 0.5))
    assert grips >= handles(name) - 1
    for share in (0.15, 0.5, 0.8):
        for number in range(grips):
            grip = window.evaluate(GRIPS, share)[number]
            if grip["to"] is None:
                continue
            window.act(grip["from"], "down")
            assert window.evaluate(HELD) == grip["names"]
            (x, y), to = grip["from"], [round(c) for c in grip["to"]]
            window.act([(x + to[0]) / 2, (y + to[1]) / 2], to)
            window.evaluate(FRAMES)
            assert window.evaluate(OFF, [grip["part"], to]) < 6
            window.act("up")
            agrees(window, e)
    assert window.evaluate(SHOWN)["setting"] != start
    # A step, whose sentence goes when the reader moves on.
    told = "() => !document.querySelector('.dpe-story').hidden"
    window.evaluate("() => document.querySelector('[data-step=next]').click()")
    assert window.evaluate(told)
    agrees(window, e)
    window.evaluate("() => document.querySelector('input[type=range]').focus()")
    window.press(HOME)
    setting = agrees(window, e)
    first = next(iter(window.evaluate(SHOWN)["sliders"]))
    assert setting[first] == e.parameters[first].values[0]
    assert not window.evaluate(told)
    # Back leads to the setting before.
    window.evaluate("() => document.querySelector('[data-tool=reset]').click()")
    assert agrees(window, e) == start
    window.evaluate("() => history.back()")
    window.wait_for("([name, value]) => document.querySelector('[data-explorer]').explorer.values.includes(value)",
                    [first, setting[first]])  # fmt: skip
    assert agrees(window, e) == setting
