"""What a page's code gave is kept, so that a page whose words alone changed is there again without a run."""

import json
from unittest.mock import Mock

import nbformat
import pytest
from myst_nb.core.config import NbParserConfig
from myst_nb.core.execute.inline import NotebookClientInline
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

import running

COUNT = 'print("run")\nanswer = 6 * 7\nanswer'


@pytest.fixture
def page(tmp_path, monkeypatch):
    """page(cell, ...) -> a client of a page of these cells; code is marked by `>`. page.runs counts its runs."""
    monkeypatch.setattr(running, "RUNS", tmp_path / "runs")
    start = NotebookClientInline.start_client

    def counted(client):
        make.runs += 1
        start(client)

    monkeypatch.setattr(NotebookClientInline, "start_client", counted)

    def make(*cells):
        cells = [new_code_cell(cell[1:]) if cell[0] == ">" else new_markdown_cell(cell) for cell in cells]
        source = tmp_path / "page.md"
        source.write_text("", encoding="utf-8")
        kernel = {"kernelspec": {"name": "python3", "display_name": "Python"}}
        notebook = new_notebook(cells=cells, metadata=kernel)
        config = NbParserConfig(execution_mode="inline")
        return running.client(notebook, str(source), config, Mock())

    make.runs = 0
    return make


def shown(client, cell, *names):
    """What the page shows of a cell, and of values after it."""
    with client:
        count, outputs = client.code_cell_outputs(cell)
        values = [client.eval_variable(name)[0].data["text/plain"] for name in names]
        client.finalise_client()
    return count, [output.get("text") or output.data["text/plain"] for output in outputs], values


def test_other_words_around_the_same_code_need_no_run(page):
    first = shown(page("one", f">{COUNT}"), 1, "answer")
    assert first == (1, ["run\n", "42"], ["42"])
    assert shown(page("another", f">{COUNT}"), 1, "answer") == first
    assert page.runs == 1


def test_other_code_is_run(page):
    shown(page(f">{COUNT}"), 0)
    assert shown(page(">6 * 8"), 0) == (1, ["48"], [])
    assert page.runs == 2


def test_a_value_that_no_run_was_asked_for_has_the_page_run_again_and_is_kept(page):
    cells = ["one", f">{COUNT}", "two", ">answer += 1"]
    shown(page(*cells), 1)
    for _ in range(2):
        assert shown(page(*cells), 1, "answer")[2] == ["42"]
    assert shown(page(*cells), 3, "answer")[2] == ["43"]
    assert page.runs == 3


def test_a_cell_that_was_not_shown_is_run_when_it_is(page):
    cells = [">x = 1\nx", ">x + 1"]
    assert shown(page(*cells), 0)[1] == ["1"]
    assert shown(page(*cells), 1)[1] == ["2"]
    assert page.runs == 2


def test_a_page_depends_on_the_files_it_names(page, tmp_path):
    (tmp_path / "numbers.json").write_text("[1]", encoding="utf-8")
    code = 'from pathlib import Path\nPath("numbers.json").read_text()'
    keys = set()
    for text in ("[1]", "[2]"):
        (tmp_path / "numbers.json").write_text(text, encoding="utf-8")
        keys.add(running.key([new_code_cell(code)], tmp_path))
    assert len(keys) == 2
    assert not running.key([new_code_cell("list(Path().glob('*'))")], tmp_path)


def test_a_run_that_failed_is_not_kept(page, tmp_path):
    for _ in range(2):
        with page(">1 / 0") as client:
            client.code_cell_outputs(0)
    assert page.runs == 2
    assert not (tmp_path / "runs").exists()


def test_what_is_kept_can_be_read(page, tmp_path):
    shown(page(f">{COUNT}"), 0, "answer")
    (kept,) = (tmp_path / "runs").glob("*")
    kept = json.loads(kept.read_text(encoding="utf-8"))
    assert nbformat.from_dict(kept["cells"][0]).outputs[0].text == "run\n"
    assert list(kept["values"]) == ["0 answer"]
