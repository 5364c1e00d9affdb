"""How long a moved slider takes to change the picture in JupyterLab: explorers beside `interact` and `plt.show()`; and
how many pictures a second a dragged curve draws on a page.

    python benchmarks/drag.py

Opens a notebook of three cells in one JupyterLab and one headless Chromium: `interact` with pyplot, a plain figure
of the same two curves; each explorer. In each the first slider is moved step by step by key; then
a step leads to a setting that the page has not yet, which takes one answer of the kernel. The clock runs in the
page, from the key press to the changed picture: a changed image there, a changed path here. Once more with 200 ms
added to every message to the kernel and to every message from it.

On a page each ring is dragged for a second and a half, a move every 8 ms, after a first move of some distance, from
which the time to the changed picture is taken. A frame is late if it comes half a frame after its time: of a sixtieth
of a second, or of a thirtieth where the processor is slowed four times.
"""

from __future__ import annotations

import itertools
import json
import math
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

INTERACT = """%matplotlib inline
import matplotlib.pyplot as plt, numpy as np, dptutor as dp
from ipywidgets import interact, FloatSlider
alpha = np.sin(np.linspace(0, np.pi / 2, 101)) ** 2
prior = np.linspace(0, 1, 121)

def show(sigma):
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.4))
    for m in (dp.Gaussian(sigma=sigma), dp.Laplace(scale=1)):
        left.plot(alpha, m.tradeoff(alpha))
        right.plot(prior, m.bayes_error(prior))
    left.set_title(f"{float(dp.delta_divergence(dp.Laplace(scale=1), dp.Gaussian(sigma=sigma))):.4f}")
    plt.show()

interact(show, sigma=FloatSlider(1.0, min=0.3, max=4.0, step=0.1));"""

# The slider of a cell is pressed and the time is taken until its picture differs and the browser has drawn it.
WATCH = """(cell) => {
  const picture = () => [...cell.querySelectorAll('[data-part] path, [data-readout], .jp-OutputArea-output img')]
    .map((e) => e.getAttribute('d') ?? e.src ?? e.textContent).join('|');
  let pressed = null, before = null;
  const watched = cell.marks;
  cell.marks = []; cell.blank = 0;
  if (watched) return;
  cell.addEventListener('keydown', () => { pressed = performance.now(); before = picture(); }, true);
  new MutationObserver(() => {
    const now = picture();
    if (now === '' && before) cell.blank += 1;
    if (pressed === null || now === before || now === '') return;
    cell.marks.push({ took: performance.now() - pressed });
    pressed = null;
  }).observe(cell, { subtree: true, childList: true, attributes: true });
}"""

# The rings of an explorer, each with a place where its part is drawn at another setting.
RINGS = """() => {
  const { explorer } = document.querySelector("[data-explorer]"), { handles, manifest } = explorer;
  const screen = (part, p) => {
    const q = new DOMPoint(...p).matrixTransform(handles.panels[part.panel].getScreenCTM());
    return [q.x, q.y];
  };
  return handles.parts.filter((part) => part.grip?.at).map((part) => {
    const [left, top, width, height] = manifest.panels[part.panel].box, [x, y] = part.grip.at;
    const to = [x + (x < left + width / 2 ? 0.3 : -0.3) * width, y + (y < top + height / 2 ? 0.2 : -0.2) * height];
    return { from: screen(part, [x, y]), to: screen(part, to) };
  });
}"""
SETTING = """() => document.querySelector("[data-explorer]").explorer.values.join()"""
# The times between frames from now on, and the time from the first move to the first changed part.
FRAMES = """() => {
  const seen = (globalThis.seen = { frames: [], moved: 0, answered: 0, on: true });
  const tick = (now) => { seen.frames.push(now); if (seen.on) requestAnimationFrame(tick); };
  requestAnimationFrame(tick);
  addEventListener("pointermove", () => { seen.moved ||= performance.now(); }, { capture: true, once: true });
  new MutationObserver(() => { if (seen.moved) seen.answered ||= performance.now(); })
    .observe(document.querySelector("[data-explorer]"), { subtree: true, attributes: true, attributeFilter: ["d"] });
}"""

# Goes to before a step at whose setting the explorer is not already.
ELSEWHERE = """(root) => {
  const { manifest, values } = root.explorer;
  const there = ({ setting: s }) => manifest.parameters.every((p, k) => !(p.name in s) || s[p.name] === values[k]);
  root.explorer.step = manifest.steps.findLastIndex((step) => !there(step));
}"""

# JupyterLab's socket to the kernel, each message late by some milliseconds on its way out and in.
SLOW = """window.WebSocket = class extends WebSocket {
  send(data) { setTimeout(() => super.send(data), LATE); }
  set onmessage(f) { super.onmessage = (event) => setTimeout(() => f(event), LATE); }
};"""

BROWSER = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
           "--disable-component-update", "--disable-sync"]  # fmt: skip


def notebook(*cells: str) -> str:
    """The text of a notebook with these code cells."""
    made = [
        {"cell_type": "code", "id": f"cell-{k}", "metadata": {}, "execution_count": None, "outputs": [], "source": cell}
        for k, cell in enumerate(cells)
    ]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return json.dumps({"cells": made, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5})


def open_and_run(page, url: str, ready: str):
    """Opens a notebook, runs all its cells and waits for an element of the last."""
    page.goto(url)
    page.wait_for_selector(".jp-Notebook .jp-CodeCell", timeout=60_000)
    page.get_by_text("| Idle").wait_for(timeout=60_000)
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    page.wait_for_selector(ready, timeout=60_000)


def press_through(page, cell: int, slider: str, keys: list[str], patience: float = 20.0) -> tuple[list[float], int]:
    """Presses keys on the slider of a cell, one after the other; the milliseconds of each, and how often it blanked."""
    handle = page.locator(".jp-CodeCell").nth(cell)
    handle.scroll_into_view_if_needed()
    element = handle.element_handle()
    element.evaluate(WATCH)
    handle.locator(slider).first.focus()
    for count, key in enumerate(keys, 1):
        page.keyboard.press(key)
        until = time.monotonic() + patience
        while element.evaluate("(cell) => cell.marks.length") < count:
            if time.monotonic() > until:
                raise TimeoutError(f"no new picture within {patience:g} s of key press {count}")
            page.wait_for_timeout(5)
        page.wait_for_timeout(60)
    return element.evaluate("(cell) => cell.marks.map((m) => m.took)"), element.evaluate("(cell) => cell.blank")


def there_and_back(place: int, last: int, moves: int) -> list[str]:
    """Arrow keys that move a slider step by step, turning round at its ends."""
    keys, way = [], 1
    for _ in range(moves):
        if not 0 <= place + way <= last:
            way = -way
        place += way
        keys.append("ArrowRight" if way > 0 else "ArrowLeft")
    return keys


def measure(browser, url: str, explorers: list[str], latency: int = 0, moves: int = 12) -> dict[str, Times]:
    """The times by name, `interact` first; `url` is of a notebook made by `cells`."""
    page = browser.new_page(viewport={"width": 1280, "height": 1000})
    if latency:
        page.add_init_script(SLOW.replace("LATE", str(latency)))
    open_and_run(page, url, "[data-explorer]")
    page.wait_for_function(
        f"document.querySelectorAll('[data-explorer]').length >= {len(explorers)}"
        " && document.querySelector('.jp-OutputArea-output img')",
        timeout=60_000,
    )
    page.wait_for_timeout(1500 + 6 * latency)
    times = {"interact": Times(*press_through(page, 0, "[role=slider]", ["ArrowRight"] * moves))}
    for place, name in enumerate(explorers, 1):
        cell = page.locator(".jp-CodeCell").nth(place)
        slider = cell.locator("input[type=range]").first
        keys = there_and_back(int(slider.input_value()), int(slider.get_attribute("max")), moves)
        taken, blank = press_through(page, place, "input[type=range]", keys)
        cell.locator("[data-explorer]").evaluate(ELSEWHERE)
        (jump,), _ = press_through(page, place, "[data-step=next]", ["Enter"])
        times[name] = Times(taken, blank, jump)
    page.close()
    return times


def dragged(browser, pages: dict[str, Path], slowed: int = 1) -> dict[str, Drag]:
    """For each explorer what its rings do together when they are dragged."""
    found = {}
    for name, file in pages.items():
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto(file.as_uri())
        page.wait_for_selector("[data-explorer][data-ready]")
        if page.is_visible("[data-ask]"):
            page.click("[data-ask-skip]")
        page.wait_for_timeout(500)
        page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": slowed})
        gaps, firsts = [], []
        for ring in page.evaluate(RINGS):
            (x, y), (end_x, end_y) = ring["from"], ring["to"]
            page.mouse.move(x, y)
            page.mouse.down()
            page.evaluate(FRAMES)
            before = page.evaluate(SETTING)
            page.mouse.move(x + 0.3 * (end_x - x), y + 0.3 * (end_y - y))
            page.wait_for_timeout(300)
            stayed = page.evaluate(SETTING) == before  # a move along a curve may ask for nothing new
            start = time.monotonic()
            while (share := (time.monotonic() - start) / 1.5) < 1:
                way = 1 - abs(1 - 2 * share)  # there and back
                page.mouse.move(x + way * (end_x - x), y + way * (end_y - y))
                time.sleep(0.008)
            page.mouse.up()
            seen = page.evaluate("() => { seen.on = false; return seen; }")
            gaps += [b - a for a, b in itertools.pairwise(seen["frames"])]
            if not stayed:
                firsts.append(seen["answered"] - seen["moved"])
        if gaps:  # a game has none
            found[name] = Drag(gaps, firsts)
        page.close()
    return found


@dataclass
class Drag:
    """Milliseconds between frames, and from the first move of each ring to its first answer."""

    gaps: list[float]
    firsts: list[float]

    def line(self, name: str, limit: float) -> str:
        rate = 1000 * len(self.gaps) / sum(self.gaps)
        late = sum(gap > 1.5 * 1000 / limit for gap in self.gaps) / len(self.gaps)
        return (
            f"{name:<20}{len(self.firsts):>6}{rate:>16.1f}{max(self.gaps):>13.1f} ms{100 * late:>11.1f}%"
            f"{max(self.firsts, default=math.nan):>13.1f} ms"
        )


@dataclass
class Times:
    """Milliseconds of the moves along a slider, how often the picture was empty, and of a jump elsewhere."""

    taken: list[float]
    blank: int
    jump: float = math.nan

    @property
    def first(self) -> float:
        return self.taken[0]

    @property
    def later(self) -> float:
        return statistics.median(self.taken[1:])


def cells(explorers: list[str]) -> list[str]:
    """The notebook's cells."""
    return [INTERACT, *(f"import dptutor as dp\ndp.explore.{name}()" for name in explorers)]


def table(times: dict) -> str:
    """The times as rows of text."""
    slow = times["interact"]
    lines = [
        f"{'':<20}{'first move':>12}{'later, median':>15}{'longest':>12}{'faster':>17}{'flickers':>10}{'jump':>12}"
    ]
    for name, t in times.items():
        ratio = f"{slow.first / t.first:.1f}x, {slow.later / t.later:.1f}x"
        jump = "" if math.isnan(t.jump) else f"{t.jump:.1f} ms"
        longest = max(t.taken[1:])
        lines.append(
            f"{name:<20}{t.first:>9.1f} ms{t.later:>12.1f} ms{longest:>9.1f} ms{ratio:>17}{t.blank:>10}{jump:>12}"
        )
    return "\n".join(lines)


@contextmanager
def jupyterlab(folder: Path):
    """The address of a JupyterLab of its own on a folder."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = ["--no-browser", "--allow-root", f"--ServerApp.port={port}", f"--ServerApp.root_dir={folder}",
               "--IdentityProvider.token=", "--ServerApp.disable_check_xsrf=True"]  # fmt: skip
    # An empty home; what the environment says of Jupyter is not what is measured.
    home = tempfile.mkdtemp()
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("JUPYTER", "IPYTHON"))} | {"HOME": home}
    command = [sys.executable, "-m", "jupyterlab", *options]
    server = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}/"
    try:
        for _ in range(600):
            try:
                urllib.request.build_opener(urllib.request.ProxyHandler({})).open(address + "api").close()
                break
            except OSError:
                time.sleep(0.1)
        yield address
    finally:
        server.terminate()
        server.wait()


def main():
    from playwright.sync_api import sync_playwright

    import dptutor as dp

    sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "scripts"))
    from browser import installed

    explorers = list(dp.explore.__all__)
    with tempfile.TemporaryDirectory() as folder, jupyterlab(Path(folder)) as address, sync_playwright() as playwright:
        own = playwright.chromium.executable_path
        browser = playwright.chromium.launch(executable_path=own if Path(own).exists() else installed(), args=BROWSER)
        for latency in (0, 200):
            name = f"drag{latency}.ipynb"
            (Path(folder) / name).write_text(notebook(*cells(explorers)))
            times = measure(browser, f"{address}lab/tree/{name}?reset", explorers, latency)
            print(f"\nadded to each kernel message: {latency} ms\n{table(times)}", flush=True)
        pages = {name: Path(folder) / f"{name}.html" for name in explorers}
        for name, file in pages.items():
            getattr(dp.explore, name)().freeze(file)
        for slowed, limit in ((1, 60), (4, 30)):
            print(f"\na page, its processor slowed {slowed} times; at least {limit} frames a second are wanted")
            print(f"{'':<20}{'rings':>6}{'frames/second':>16}{'longest':>16}{'late':>13}{'first answer':>16}")
            for name, drag in dragged(browser, pages, slowed).items():
                print(drag.line(name, limit), flush=True)
        browser.close()


if __name__ == "__main__":
    main()
