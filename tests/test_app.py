"""Explorers elsewhere: all as apps by Voilà, with a kernel behind them, and one in Notebook 7."""

import contextlib
import re
from pathlib import Path

import drag
import pytest
from conftest import running, watched_page
from test_explore_live import shows

import dptutor as dp

pytestmark = pytest.mark.host

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def voila(tmp_path_factory):
    command = [str(ROOT / "scripts" / "app.py"), "--no-browser"]
    with running(command, "--port", "", tmp_path_factory.mktemp("home"), {}) as address:
        yield address


@pytest.fixture(scope="module")
def page(chromium):
    """One for all apps: they share Voilà's own scripts."""
    page = watched_page(chromium)
    yield page
    page.context.close()


def test_the_front_page_leads_to_every_explorer(page, voila):
    page.goto(voila)
    links = page.locator("a").evaluate_all("links => links.map((a) => a.getAttribute('href'))")
    assert sorted(links) == [f"/voila/render/{name}.ipynb" for name in dp.explore.__all__]
    assert page.get_by_role("link", name="Which one wins the duel, and where?").count() == 1
    under = page.locator("h2", has_text="7 The Δ-divergence").locator("+ ul")
    assert under.locator("a").first.get_attribute("href") == "/voila/render/delta_divergence.ipynb"
    assert not page.seen.foreign


def test_an_address_holds_the_settings_of_an_app(page, voila):
    e = dp.explore.delta_divergence(sigma=2, prior=0.3)
    page.goto(f"{voila}voila/render/delta_divergence.ipynb?sigma=2&prior=0.3&nothing=1&scale=-7", timeout=60_000)
    page.wait_for_selector("[data-explorer]", timeout=60_000)
    shows(page, e)


def test_an_option_that_looks_like_a_number_is_taken_from_an_address(page, voila):
    e = dp.explore.batches(batches="10", epochs="3", sigma=0.6)
    page.goto(f"{voila}voila/render/batches.ipynb?batches=10&epochs=3&sigma=0.6", timeout=60_000)
    page.wait_for_selector("[data-explorer]", timeout=60_000)
    shows(page, e)


def test_an_app_is_dark_for_those_who_prefer_it(chromium, voila):
    page = watched_page(chromium, color_scheme="dark")
    page.goto(f"{voila}voila/render/duel.ipynb", timeout=60_000)
    page.wait_for_selector("[data-explorer]", timeout=60_000)
    for selector in ("body", ".dptutor-explorer"):
        color = page.eval_on_selector(selector, "e => getComputedStyle(e).backgroundColor")
        red, green, blue, *_ = map(float, re.findall(r"[\d.]+", color))
        assert red + green + blue < 150, selector
    assert page.eval_on_selector(".dptutor-explorer", "e => getComputedStyle(e).colorScheme") == "dark"
    page.context.close()


def test_notebook_7_shows_and_moves_an_explorer(new_page, jupyterlab):
    cell = "import dptutor as dp\ndp.explore.delta_divergence()"
    (jupyterlab.folder / "seven.ipynb").write_text(drag.notebook(cell))
    page, e = new_page(strict=False), dp.explore.delta_divergence()
    page.goto(f"{jupyterlab.address}notebooks/seven.ipynb")
    page.locator(".jp-CodeCell .cm-content").click(timeout=60_000)
    for _ in range(60):  # what is run before there is a kernel is lost
        page.keyboard.press("Control+Enter")
        with contextlib.suppress(Exception):
            page.wait_for_selector("[data-explorer]", timeout=5_000)
            break
    shows(page, e)
    slider = page.locator("input[type=range][data-parameter=sigma]")
    slider.focus()
    page.keyboard.press("ArrowRight")
    e.set(sigma=page.evaluate("document.querySelector('[data-explorer]').explorer.values[0]"))
    shows(page, e)
    assert not page.seen.foreign
