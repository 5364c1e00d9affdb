"""Every notebook runs from top to bottom and gives the outputs that it is stored with (nbval, strict)."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from conftest import each
from playwright.sync_api import expect

from notebooks import outputs_digest, source

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
WIDGET = "application/vnd.jupyter.widget-view+json"
RUN = "Run the cells down to this one"
names = pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.name)


def code_cells(notebook):
    return [cell for cell in json.loads(notebook.read_text())["cells"] if cell["cell_type"] == "code"]


@pytest.mark.cases(2)
@pytest.mark.parametrize("chapter", sorted({notebook.name[:2] for notebook in NOTEBOOKS}))
def test_a_run_gives_the_stored_outputs(chapter, tmp_path):
    notebooks = [notebook for notebook in NOTEBOOKS if notebook.name.startswith(chapter)]
    options = [
        "--nbval",
        "--nbval-current-env",
        f"--nbval-sanitize-with={Path(__file__).with_name('nbval.cfg')}",
        "--nbval-cell-timeout=120",
        "-q",
        "--color=no",
        "--tb=short",
    ]
    options.append(f"--nbval-sanitize-with={ROOT / 'tests' / 'nbval.cfg'}")
    alone = ["-p", "nbval.plugin", "-p", "no:cacheprovider", "-c", os.devnull, f"--rootdir={ROOT / 'notebooks'}"]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    environment |= {"IPYTHONDIR": str(tmp_path), "JUPYTER_PREFER_ENV_PATH": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-m", "pytest", *alone, *options, *map(str, notebooks)]
    run = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout[-8000:] + run.stderr[-2000:]


@each(NOTEBOOKS)
def test_every_cell_was_stored_after_a_run_in_order_without_errors(notebook):
    cells = [cell for cell in code_cells(notebook) if "".join(cell["source"]).strip()]
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    outputs = [output for cell in cells for output in cell["outputs"]]
    assert not [output for output in outputs if output["output_type"] == "error"]
    assert not [output for output in outputs if output.get("name") == "stderr"]


@pytest.mark.sources
@each(NOTEBOOKS)
def test_every_output_is_as_it_was_stored(notebook):
    stored = nbformat.read(notebook, 4)
    assert stored.metadata["outputs"] == outputs_digest(stored), f"run scripts/notebooks.py {notebook.stem}"


@pytest.mark.sources
@each(NOTEBOOKS)
def test_every_cell_is_as_it_would_be_written_today(notebook):
    stored = [(cell.cell_type, cell.source) for cell in nbformat.read(notebook, 4).cells]
    assert stored == [(cell.cell_type, cell.source) for cell in source(notebook).cells]


@pytest.mark.host
def test_a_notebook_in_jupyterlab_tells_where_the_rest_of_its_chapter_is(new_page, jupyterlab):
    for notebook in ("14_lecture.ipynb", "15_exercises.ipynb"):
        page = new_page(strict=False)
        page.goto(jupyterlab.url(notebook))
        note = page.get_by_role("paragraph").filter(has_text="Only the book has the text of this chapter")
        expect(note).to_be_in_viewport()


@each(NOTEBOOKS)
def test_every_cell_has_an_id_of_its_own(notebook):
    ids = [cell["id"] for cell in json.loads(notebook.read_text())["cells"]]
    assert len(ids) == len(set(ids))


@each(NOTEBOOKS)
def test_no_cell_escapes_the_comparison(notebook):
    escapes = ("NBVAL_SKIP", "NBVAL_IGNORE_OUTPUT", "PYTEST_VALIDATE_IGNORE_OUTPUT")
    marked = [cell["metadata"].get("tags", []) for cell in code_cells(notebook)]
    sources = ["".join(cell["source"]) for cell in code_cells(notebook)]
    assert not [tags for tags in marked if any(tag.startswith(("nbval-skip", "nbval-ignore")) for tag in tags)]
    assert not [source for source in sources if any(escape in source for escape in escapes)]


@each(NOTEBOOKS)
def test_what_is_stored_can_be_shown_without_trust(notebook):
    """JupyterLab takes SVG, styles and scripts out of what it does not trust, and leaves their letters."""
    outputs = [output for cell in code_cells(notebook) for output in cell["outputs"]]
    shown = ["".join(output["data"]["text/html"]) for output in outputs if "text/html" in output.get("data", {})]
    assert not [html[:80] for html in shown if re.search("<(svg|style|script)", html)]
    assert notebook.stat().st_size < 1_000_000


@each([n for n in NOTEBOOKS if n.stem.endswith("lecture")])
def test_a_lecture_notebook_is_also_slides(notebook):
    cells = json.loads(notebook.read_text())["cells"]
    assert all(cell["metadata"].get("slideshow", {}).get("slide_type") for cell in cells)


def test_the_capstone_is_announced_by_the_lecture_before_it_alone():
    lectures = [notebook for notebook in NOTEBOOKS if "lecture" in notebook.name]
    announcing = [one.name for one in lectures if re.search("Next time:[* ]+the capstone", one.read_text("utf-8"))]
    assert announcing == [lectures[-2].name]


@pytest.mark.host
def test_a_cloned_notebook_shows_its_pictures_before_it_is_trusted_or_run(new_page, jupyterlab):
    page = new_page(strict=False)
    page.goto(jupyterlab.url("01_lecture.ipynb"))
    output = page.locator(".jp-OutputArea-output:has(figure)").first
    picture = output.locator("img")
    picture.wait_for()
    assert picture.evaluate("img => img.naturalWidth") > 1000
    assert RUN in output.text_content()
    assert output.locator("svg, style").count() == 0


@names
def test_each_explorer_of_a_cloned_notebook_has_a_still_picture(notebook):
    """JupyterLab takes the HTML beside a widget as long as a notebook is not trusted."""
    outputs = [output for cell in json.loads(notebook.read_text())["cells"] for output in cell.get("outputs", [])]
    shown = [output["data"] for output in outputs if WIDGET in output.get("data", {})]
    assert all("data:image/png" in (html := "".join(data["text/html"])) and RUN in html for data in shown)
    assert shown or not notebook.stem.endswith("lecture")


@pytest.mark.host
def test_what_answers_a_question_stays_folded_in_jupyterlab_until_it_is_opened(new_page, jupyterlab):
    """All such cells of all lectures, without their code: JupyterLab says of what it folds what the first output is."""
    lectures = [json.loads(notebook.read_text()) for notebook in NOTEBOOKS if notebook.stem.endswith("lecture")]
    cells = [cell for lecture in lectures for cell in lecture["cells"] if "jupyter" in cell["metadata"]]
    folded = lectures[0] | {"cells": [cell | {"source": ""} for cell in cells]}
    (jupyterlab.folder / "folded.ipynb").write_text(json.dumps(folded))
    page = new_page(strict=False, viewport={"width": 1280, "height": 200 * len(cells)})
    page.goto(jupyterlab.url("folded.ipynb"))
    page.wait_for_function(f"document.querySelectorAll('.jp-OutputPlaceholder').length === {len(cells)}")
    assert page.locator(".jp-OutputPlaceholder").all_inner_texts() == [""] * len(cells)
    assert page.locator(".jp-OutputArea-output").count() == 0
    answer = page.locator(".jp-CodeCell").last
    answer.locator(".jp-OutputPlaceholder").click()
    assert answer.locator(".jp-OutputArea-output").last.inner_text() == "".join(cells[-1]["outputs"][-1]["text"])
