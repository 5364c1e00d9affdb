"""Each page of the site, opened once on each screen: it asks no foreign host, complains of nothing, and fits."""

import pytest
from conftest import pages_of

SCREENS = {
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True},
    "wide": {"viewport": {"width": 1280, "height": 800}},
}

# What is wrong with a page as it lies on the screen. Slides are wider than a phone. In chapters code goes on in the
# next line, and output fits beside the margin, or scrolls where the screen is narrow.
FAULTS = r"""async (name) => {
  await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
  const found = [];
  const width = document.documentElement.scrollWidth;
  if (width > innerWidth) found.push(`${width} of ${innerWidth} pixels wide`);
  if (!document.title) found.push("no title");
  const titles = document.querySelectorAll("article h1").length;
  if (titles !== 1) found.push(`${titles} headings`);
  if (!name.startsWith("book/")) return found;
  for (const image of document.querySelectorAll(".cell_output img"))
    if (image.getBoundingClientRect().right > innerWidth) found.push(`beyond the edge: ${image.alt.slice(0, 60)}`);
  if (innerWidth < 600 && /16_reports|17_study|18_stopping|other_promises/.test(name))
    for (const e of document.querySelectorAll("article .cell_output pre, article table"))
      if (Math.max(e.scrollWidth, e.offsetWidth) > e.parentElement.clientWidth + 1)
        found.push(`too wide: ${e.textContent.trim().slice(0, 60)}`);
  for (const call of document.querySelectorAll("article td a > code"))
    if (call.getBoundingClientRect().right > innerWidth) found.push(`beyond the edge: ${call.textContent}`);
  if (!/^book\/\d/.test(name)) return found;
  for (const pre of document.querySelectorAll("article pre")) {
    if (!pre.checkVisibility() || pre.scrollWidth <= pre.clientWidth + 1) continue;
    const scrolls = pre.closest(".cell_output") && getComputedStyle(pre).overflowX === "auto" && innerWidth < 600;
    if (!scrolls) found.push(`cut: ${pre.textContent.slice(0, 60)}`);
  }
  return found;
}"""


@pytest.mark.parametrize("screen", ["phone", pytest.param("wide", marks=pytest.mark.look)])
def test_every_page_opens_and_fits(screen, site, site_url, new_page):
    page = new_page(**SCREENS[screen])
    faults = {}
    for file in pages_of(site):
        name = file.relative_to(site).as_posix()
        page.goto(site_url + name)
        if found := page.evaluate(FAULTS, name):
            faults[name] = found
    assert not faults
