"""How long the page "Your own run" takes from a key press to the new picture.

    python -m benchmarks.run

Settings are typed into the fields of every example, key by key, as a reader would. The clock starts with the key press
and stops in the frame in which the picture of what was typed is on the screen; then the next key is pressed. Once as
fast as the machine is, once with its processor slowed four times. Chromium does not slow workers: what the worker
computed counts four times there. Do nothing else on the machine meanwhile.
"""

from __future__ import annotations

import statistics
import sys

from benchmarks.pages import DESK, ROOT, SITE, SLOWED, packed

# What is typed, in the order of the examples: column, field, text.
TYPED = {
    0: [("A", "sigma", "0.73"), ("A", "rate", "2.5%"), ("A", "steps", "1250")],
    1: [("A", "sigma", "2.4"), ("B", "rate", "0.12%"), ("B", "steps", "250000")],
    2: [("A", "rate", "1/600"), ("B", "sigma", "1.25")],
    3: [("A", "sigma", "1.7"), ("A", "steps", "64")],
}
LIMITS = {1: 50, SLOWED: 200}

DRAWN = "(root => Number(root.dataset.job) === root.run.job)(document.querySelector('.dptutor-run'))"
WATCH = """() => {
  const root = document.querySelector(".dptutor-run");
  globalThis.times = [];
  let pressed = null;
  root.addEventListener("keydown", () => { pressed = performance.now(); }, true);
  new MutationObserver(() => {
    if (pressed === null || Number(root.dataset.job) !== root.run.job) return;
    const since = pressed;
    pressed = null;
    requestAnimationFrame(() => {
      const channel = new MessageChannel();
      const apart = root.run.helper ? root.run.result.took : 0;
      channel.port1.onmessage = () => times.push([performance.now() - since, apart]);
      channel.port2.postMessage(null);
    });
  }).observe(root, { attributes: true, attributeFilter: ["data-job"] });
}"""


def opened(browser, address):
    """The page with its first picture, in a context of its own."""
    page = browser.new_context(**DESK).new_page()
    page.goto(f"{address}book/your_run.html")
    page.wait_for_selector(".dptutor-run[data-job] .run-left .run-curve")
    page.evaluate(f"({WATCH})()")
    return page


def pressed(page, key):
    """Presses a key that changes the picture; the milliseconds that it took, and those of them in the worker."""
    count = page.evaluate("times.length")
    page.keyboard.press(key)
    for _ in range(4000):
        times = page.evaluate("times")
        if len(times) > count:
            return times[-1]
        page.wait_for_timeout(5)
    raise TimeoutError(f"no new picture after {key}")


def measured(browser, address, slowed):
    """Of every key pressed: the field that it was pressed in and the milliseconds."""
    page = opened(browser, address)
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": slowed})
    found = []
    for example, fields in TYPED.items():
        page.locator(".run-examples a").nth(example).click()
        page.wait_for_timeout(200)
        while not page.evaluate(DRAWN):
            page.wait_for_timeout(10)
        page.wait_for_timeout(400)
        for side, field, text in fields:
            page.focus(f".run-{side} [data-field={field}]")
            page.wait_for_timeout(100)  # what is there is selected
            for key in text:
                took, apart = pressed(page, key)
                found.append((f"{example}{side}.{field}", key, took + (slowed - 1) * apart))
    page.context.close()
    return found


def main():
    """Measures and prints; fails if a median is beyond its limit."""
    from playwright.sync_api import sync_playwright

    sys.path.insert(0, str(ROOT / "scripts"))
    from browser import installed

    beyond = False
    with sync_playwright() as playwright, packed(SITE) as address:
        browser = playwright.chromium.launch(executable_path=installed(), args=["--no-sandbox", "--disable-gpu"])
        for slowed, limit in LIMITS.items():
            found = measured(browser, address, slowed)
            times = [took for *_, took in found]
            median = statistics.median(times)
            beyond |= median > limit
            worst = statistics.quantiles(times, n=10)[-1], max(times)
            print(f"{len(times)} keys, slowed {slowed} times: median {median:.0f} ms (limit {limit}), ", end="")
            print("nine in ten {:.0f} ms, at most {:.0f} ms".format(*worst), flush=True)
            if "-v" in sys.argv:
                print(" ".join(f"{field}:{key}:{took:.0f}" for field, key, took in found), flush=True)
        browser.close()
    return int(beyond)


if __name__ == "__main__":
    sys.exit(main())
