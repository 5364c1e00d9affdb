"""Explorers elsewhere: as apps by Voilà, and in Notebook 7."""

import contextlib
import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import wait_until_it_answers
from test_explore_live import shows

import dptutor as dp

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def voila(tmp_path_factory):
    home = tmp_path_factory.mktemp("home")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("JUPYTER", "IPYTHON"))}
    environment |= {"HOME": str(home), "MPLCONFIGDIR": str(home / "matplotlib")}
    with open(home / "log", "w+") as log:
        command = [sys.executable, str(ROOT / "scripts" / "app.py"), "--no-browser", f"--port={port}"]
        server = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            wait_until_it_answers(f"http://127.0.0.1:{port}/", server, home / "log")
            yield f"http://127.0.0.1:{port}/"
        finally:
            server.terminate()
            server.wait(20)


def test_the_front_page_leads_to_every_explorer(new_page, voila):
    page = new_page(strict=False)
    page.goto(voila)
    links = page.locator("a").evaluate_all("links => links.map((a) => a.getAttribute('href'))")
    assert links == [f"/voila/render/{name}.ipynb" for name in dp.explore.__all__]
    assert not page.seen.foreign


@pytest.mark.parametrize("name", dp.explore.__all__)
def test_an_app_shows_and_moves_its_explorer(new_page, voila, name):
    page, e = new_page(strict=False), getattr(dp.explore, name)()
    page.goto(f"{voila}voila/render/{name}.ipynb")
    page.wait_for_selector("[data-explorer]", timeout=60_000)
    shows(page, e)
    parameter, other = next((n, p.values[-1]) for n, p in e.parameters.items() if p.values[-1] != p.value)
    page.evaluate("s => document.querySelector('[data-explorer]').explorer.setAll(s)", {parameter: other})
    e.set(**{parameter: other})
    shows(page, e)
    assert not page.seen.foreign
    assert "dp.explore" not in page.inner_text("body")


def test_notebook_7_shows_and_moves_an_explorer(new_page, jupyterlab):
    cells = [{"cell_type": "code", "id": "one", "metadata": {}, "execution_count": None, "outputs": [],
              "source": "import dptutor as dp\ndp.explore.delta_divergence()"}]  # fmt: skip
    kernel = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    notebook = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    (jupyterlab.folder / "seven.ipynb").write_text(json.dumps(notebook))
    page, e = new_page(strict=False), dp.explore.delta_divergence()
    page.goto(f"{jupyterlab.address}notebooks/seven.ipynb")
    page.locator(".jp-CodeCell .cm-content").click(timeout=60_000)
    for _ in range(12):  # what is run before there is a kernel is lost
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
