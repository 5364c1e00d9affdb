"""How long a reader waits for each page of the site, on a phone.

    python -m benchmarks.pages [PAGE ...]      # all, or some: book/09_composition

The phone: 390 × 844, its processor slowed four times, 9 Mbit/s, answers after 170 ms; Chromium, nothing kept from
before, files packed by gzip as any host does. Times are of this machine; do nothing else on it meanwhile.

    html      the page itself, kB as written
    visit     all that a first visit asks for before anything is scrolled, kB as sent
    drawn     the first text is on the screen, s
    slider    a moved slider changes its picture, s; it is moved in every frame from the first on
    task      the longest time for which the page does not answer while it loads, ms: four times what the task takes of
              an unslowed processor, which does not depend on what else the machine does
    shift     layout shift, while it loads and while it is scrolled through
"""

from __future__ import annotations

import functools
import gzip
import http.server
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "_build" / "html"
SLOWED = 4
LIMITS = {"html": 1000, "visit": 400, "drawn": 2.0, "slider": 2.0, "task": 200, "shift": 0.05}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
DESK = {"viewport": {"width": 1280, "height": 800}}

WATCH = """() => {
  const seen = globalThis.seen = { shift: 0, drawn: null, slider: null };
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) seen.shift += value;
  }).observe({ type: "layout-shift", buffered: true });
  new PerformanceObserver((list) => {
    for (const { name, startTime } of list.getEntries())
      if (name === "first-contentful-paint") seen.drawn = startTime / 1000;
  }).observe({ type: "paint", buffered: true });
  let slider = null, step = 1;
  const press = () => {
    if (seen.slider !== null || performance.now() > 30000) return;
    if (!slider && (slider = document.querySelector("[data-explorer] input[type=range]"))) {
      const explorer = slider.closest("[data-explorer]");
      new MutationObserver(() => { seen.slider ??= performance.now() / 1000; })
        .observe(explorer, { subtree: true, attributeFilter: ["d"] });
    }
    if (slider) {
      slider.value = +slider.value + (step = -step);
      slider.dispatchEvent(new Event("input", { bubbles: true }));
    }
    requestAnimationFrame(press);
  };
  requestAnimationFrame(press);
}"""

MOVED = """() => new Promise((done) => {
  const look = () => seen.slider !== null || performance.now() > 30000 ? done() : requestAnimationFrame(look);
  look();
})"""

SCROLL = """async () => {
  const step = innerHeight / 2;
  for (let y = 0; y < document.documentElement.scrollHeight; y += step) {
    scrollTo(0, y);
    await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn, 30)));
  }
}"""


class Packed(http.server.SimpleHTTPRequestHandler):
    """Sends what is text packed, as hosts do."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def do_GET(self):
        path = Path(self.translate_path(self.path))
        if not path.is_file():
            return self.send_error(404)
        content = path.read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(path)))
        if path.suffix in {".html", ".css", ".js", ".svg", ".json"}:
            content = gzip.compress(content, 6)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        return self.wfile.write(content)


@contextmanager
def packed(folder):
    """Serves a folder on a free port, by its address."""
    handler = functools.partial(Packed, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def measured(browser, address, name, *, screen=PHONE, slowed=True, scrolled=True, task=True, fonts=None):
    """What a reader of one page waits for; `fonts` answers requests for fonts."""
    context = browser.new_context(**screen)
    page = context.new_page()
    client = context.new_cdp_session(page)
    client.send("Network.enable")
    sent = []
    client.on("Network.loadingFinished", lambda event: sent.append(event["encodedDataLength"]))
    if slowed:
        client.send("Emulation.setCPUThrottlingRate", {"rate": SLOWED})
        speed = {"downloadThroughput": 9e6 / 8, "uploadThroughput": 9e6 / 8, "latency": 170, "offline": False}
        client.send("Network.emulateNetworkConditions", speed)
    if fonts:
        page.route("**/*.woff2", fonts)
    page.add_init_script(f"({WATCH})()")
    page.goto(f"{address}{name}.html", wait_until="load")
    page.wait_for_timeout(1500)
    page.wait_for_load_state("networkidle")
    visit = sum(sent) / 1000
    if page.locator("[data-explorer] input[type=range]").count():
        page.locator("[data-explorer]").first.scroll_into_view_if_needed()  # only then it is prepared
        page.evaluate(MOVED)
    if scrolled:
        page.evaluate(SCROLL)
    seen = page.evaluate("seen")
    context.close()
    html = (SITE / f"{name}.html").stat().st_size / 1000
    longest = longest_task(browser, f"{address}{name}.html", screen) * SLOWED if task else None
    return {"html": html, "visit": visit, "task": longest} | {what: seen[what] for what in ("drawn", "slider", "shift")}


def longest_task(browser, address, screen):
    """Milliseconds of the processor that the longest task of a page takes while the page loads."""
    context = browser.new_context(**screen)
    page = context.new_page()
    client = context.new_cdp_session(page)
    events, complete = [], []
    client.on("Tracing.dataCollected", lambda event: events.extend(event["value"]))
    client.on("Tracing.tracingComplete", lambda event: complete.append(event))
    client.send("Tracing.start", {"traceConfig": {"includedCategories": ["toplevel", "blink.user_timing"]}})
    page.goto(address, wait_until="load")
    page.wait_for_timeout(3000)
    client.send("Tracing.end")
    while not complete:
        page.wait_for_timeout(20)
    context.close()
    names = {
        (event["pid"], event["tid"]): event["args"]["name"] for event in events if event.get("name") == "thread_name"
    }
    return max(
        event["tdur"] / 1000
        for event in events
        if event["name"].endswith("RunTask")
        and "tdur" in event
        and names.get((event["pid"], event["tid"])) == "CrRendererMain"
    )


def row(name, found):
    """A line of the table; what is beyond its limit has a star."""
    cells = []
    for what, limit in LIMITS.items():
        value = found[what]
        digits = {"drawn": 2, "slider": 2, "shift": 3}.get(what, 0)
        shown = "–" if value is None else f"{value:.{digits}f}{'*' if value > limit else ' '}"
        cells.append(f"{shown:>8}")
    return f"{name:34}{''.join(cells)}"


def main(names):
    """Measures pages and prints a table; fails if one is beyond a limit."""
    from playwright.sync_api import sync_playwright

    sys.path.insert(0, str(ROOT / "scripts"))
    from browser import installed

    pages = names or [file.relative_to(SITE).with_suffix("").as_posix() for file in sorted(SITE.glob("*/*.html"))]
    print(f"{'':34}{''.join(f'{what:>8}' for what in LIMITS)}")
    beyond = 0
    with sync_playwright() as playwright, packed(SITE) as address:
        browser = playwright.chromium.launch(executable_path=installed(), args=["--no-sandbox", "--disable-gpu"])
        for name in pages:
            found = measured(browser, address, name)
            line = row(name, found)
            beyond += "*" in line
            print(line, flush=True)
        browser.close()
    return 1 if beyond else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
