"""Where the project says it runs: the metadata, the script that tries it, the files that a hub reads; the lite site."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import nbformat
import pytest
from conftest import each

import lite
import notebooks
import versions

pytestmark = pytest.mark.sources

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LITE = ROOT / "_build" / "lite"


# Versions.


def test_the_oldest_python_of_the_classifiers_is_the_one_required():
    assert PROJECT["requires-python"] == f">={versions.versions()[0]}"
    assert len(versions.versions()) > 1


def test_the_oldest_packages_are_those_that_the_metadata_name():
    assert versions.lowest("scipy>=1.15") == "scipy==1.15.*"
    assert versions.lowest("numpy>=2") == "numpy==2.0.*"
    assert len(versions.needs(oldest=True)) == len(versions.needs(oldest=False)) == len(PROJECT["dependencies"]) + 1


def test_this_python_is_found_and_one_of_tomorrow_is_not():
    assert versions.interpreter("3.99") is None
    version = ".".join(map(str, sys.version_info[:2]))
    found = versions.interpreter(version)
    assert found is None or Path(found).exists()


def test_the_files_tried_exist_and_need_no_book_and_no_browser():
    assert {"tests/test_mechanisms.py", "tests/test_explore.py", "tests/test_exercises.py"} <= set(versions.FILES)
    assert not {"tests/test_front.py", "tests/test_slides.py", "tests/test_prose.py"} & set(versions.FILES)
    assert len(versions.FILES) > 20


# A hub.


def test_a_hub_has_a_python_that_the_package_supports():
    kind, version = (ROOT / ".binder" / "runtime.txt").read_text().strip().split("-")
    assert kind == "python"
    assert version in versions.versions()


def test_a_hub_installs_what_make_installs_and_starts_as_make_lab():
    binder = ROOT / ".binder"
    lines = (binder / "requirements.txt").read_text().split("\n")
    assert lines[0] == "-r ../requirements.txt"
    assert (binder / lines[0].split()[1]).resolve() == ROOT / "requirements.txt"
    start = binder / "start"
    assert start.stat().st_mode & 0o100
    code = 'printf "%s" "$JUPYTER_CONFIG_PATH"'
    run = subprocess.run([start, "sh", "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert Path(run.stdout) == ROOT / "scripts" / "jupyter"
    assert (Path(run.stdout) / "labconfig" / "page_config.json").is_file()


# Notebooks.


@each(sorted((ROOT / "notebooks").glob("*.ipynb")))
def test_a_notebook_begins_with_the_cell_that_makes_it_run_anywhere(path):
    first, *others = [cell for cell in nbformat.read(path, 4).cells if cell.cell_type == "code"]
    assert first.source == notebooks.SETUP
    assert first.metadata.tags == ["remove-cell"]
    assert first.metadata.slideshow.slide_type == "skip"
    assert not first.outputs
    assert not [cell for cell in others if "google.colab" in cell.source]


# The site that runs notebooks in the browser.


def test_lite_pins_what_goes_into_its_site():
    assert [re.fullmatch(r"([\w-]+)==[\d.]+", pin)[1] for pin in lite.pins()] == lite.WHEELS
    ours = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    assert all(pin in ours for pin in lite.pins() if pin.startswith(("ipywidgets", "anywidget")))


def test_lite_refuses_a_pyodide_that_is_not_there(tmp_path, capsys):
    assert lite.main(["--pyodide", str(tmp_path / "none.tar.bz2")]) == 2
    assert "There is no file" in capsys.readouterr().out


def test_lite_names_what_a_site_lacks(tmp_path):
    lacking = lite.missing(tmp_path)
    assert "no wheel of dptutor in pypi/all.json" in lacking
    assert "no notebook 01_lecture.ipynb in the list of contents" in lacking
    lite.write_settings(tmp_path)
    data = json.loads((tmp_path / "jupyter-lite.json").read_text())["jupyter-config-data"]
    assert data["litePluginSettings"][lite.KERNEL] == {"disablePyPIFallback": True}


@pytest.mark.skipif(not (LITE / "jupyter-lite.json").is_file(), reason="there is no lite site here: make lite")
def test_the_lite_site_has_its_parts_and_asks_for_pyodide_only():
    assert not lite.missing(LITE)
    settings = json.loads((LITE / "jupyter-lite.json").read_text())["jupyter-config-data"]["litePluginSettings"]
    assert settings[lite.KERNEL]["disablePyPIFallback"] is True
    assert any(url.startswith("./pypi/all.json") for url in settings[lite.KERNEL]["pipliteUrls"])
