"""A lecture put together from the slides of several: `make lecture`."""

import re

import nbformat
import pytest
from nbconvert.preprocessors import ExecutePreprocessor
from nbformat.v4 import new_code_cell
from test_slides import LECTURES, ROOT, deck_of, every_lecture, opened, own_notebook

import lecturing
import slides
from notebooks import code_digest

pytestmark = pytest.mark.sources


def stored(*chapters):
    return {number: nbformat.read(ROOT / "notebooks" / f"{number}_lecture.ipynb", 4) for number in chapters}


def made(minutes, *chapters, presets=None):
    return lecturing.put_together(stored(*chapters), minutes, presets)


def slides_in(notebook):
    """The cells of each slide."""
    found = []
    for cell in notebook.cells:
        kind = cell.metadata["slideshow"]["slide_type"]
        if kind in {"slide", "subslide"}:
            found.append([])
        if kind != "skip":
            found[-1].append(cell)
    return found


def minutes_of(notebook):
    return sum(cells[0].metadata["slideshow"]["minutes"] for cells in slides_in(notebook))


# What the slides of the book say of themselves.


@every_lecture
def test_every_slide_says_how_much_it_is_wanted(number):
    shows = [cells[0].metadata["slideshow"] for cells in slides_in(stored(number)[number])]
    assert all(show["priority"] in {1, 2, 3} for show in shows)
    assert shows[0]["priority"] == shows[-1]["priority"] == 1
    pieces = lecturing.pieces_of(number, stored(number)[number])
    assert all(piece.under.priority <= piece.priority for piece in pieces if piece.under)
    assert sum(piece.minutes for piece in pieces if piece.priority == 1) <= 25


@every_lecture
def test_what_a_slide_defines_is_a_term_that_others_can_use(number):
    for piece in lecturing.pieces_of(number, stored(number)[number]):
        assert piece.defines <= set(lecturing.USES), piece.cells[0].source[:60]


def test_every_term_is_in_the_glossary_in_words_that_can_be_shown():
    words = lecturing.glossary()
    for term in lecturing.USES:
        assert re.fullmatch(r"[^`\[]*\[?[^`]*\.", words[term]) and "](" not in words[term]
        assert not re.search(r"\{(term|prf|py|cite)|\b[Ss]ee ", words[term])


def test_every_output_is_said_to_be_that_of_the_code():
    for number, notebook in stored(*LECTURES).items():
        assert notebook.metadata["ran"] == code_digest(notebook), (
            f"run scripts/notebooks.py {number}_lecture: its code was changed since it was run"
        )


# Choosing.

SOME = [("04", "11"), ("07",), ("01", "05", "12"), ("11", "04"), ("02", "03", "06", "07"), ("09",), ("20",)]


@pytest.mark.parametrize("chapters", SOME)
def test_a_lecture_fits_its_minutes(chapters):
    lengths = []
    for minutes in (30, 45, 75, 120, 1000):
        try:
            lengths.append(minutes_of(made(minutes, *chapters)))
        except lecturing.CannotLectureError:
            continue
        assert lengths[-1] <= minutes
    assert lengths == sorted(lengths) and len(lengths) >= 2


@pytest.mark.parametrize("chapters", SOME)
def test_no_term_is_used_before_it_is_defined(chapters):
    pieces = [p for n, notebook in stored(*chapters).items() for p in lecturing.pieces_of(n, notebook)]
    chosen = lecturing.choose(pieces, 150)
    told = set(lecturing.missing(chosen))
    for piece in chosen:
        told |= piece.defines
        assert piece.uses <= told
    assert [(p.chapter, p.place) for p in chosen] == [(p.chapter, p.place) for p in pieces if p in chosen]


def test_every_slide_of_definitions_has_its_time():
    for count in range(1, 15):
        terms = [f"term {k}" for k in range(count)]
        cells = lecturing.definition_slides(terms, dict.fromkeys(terms, "…"))
        held = [cell.source.count("**term") for cell in cells]
        assert sum(held) == count and max(held) - min(held) <= 1
        minutes = [cell.metadata["slideshow"]["minutes"] for cell in cells]
        assert min(minutes) >= 1 and sum(minutes) == lecturing.definition_minutes(count)


@every_lecture
def test_with_all_the_time_nothing_is_left_out(number):
    notebook = made(1000, number)
    told = [cells for cells in slides_in(notebook) if "## Terms for today" not in cells[0].source]
    assert len(told) == len(slides_in(stored(number)[number]))
    assert minutes_of(notebook) - 50 == sum(
        cells[0].metadata["slideshow"]["minutes"]
        for cells in slides_in(notebook)
        if cells[0].source.startswith("## Terms")
    )


@every_lecture
def test_a_short_lecture_keeps_question_core_and_answer(number):
    with pytest.raises(lecturing.CannotLectureError, match="minutes at least") as refused:
        made(1, number)
    minutes = int(re.search(r"(\d+) minutes", str(refused.value))[1])
    notebook = made(minutes, number)
    assert minutes <= 30
    whole, short = slides_in(stored(number)[number]), slides_in(notebook)
    assert short[0][0].source == whole[0][0].source
    assert short[-1][0].source.splitlines()[0] == whole[-1][0].source.splitlines()[0]
    assert "Next time" not in short[-1][0].source
    asked = [cell.metadata["room"] for cells in short for cell in cells if "room" in cell.metadata]
    assert {room["again"] for room in asked if "again" in room} <= {room["vote"] for room in asked if "vote" in room}


def test_what_goes_on_under_a_heading_comes_with_it():
    for minutes in (25, 32, 41, 50):
        notebook = made(minutes, "07")
        titles = [cells[0].source.splitlines()[0] for cells in slides_in(notebook)]
        if "### The proof: shift a convex set" in titles:
            assert titles[titles.index("### The proof: shift a convex set") - 1] == "## Three ways to say it"


# Presets, and what is asked wrongly.


def test_explorers_open_with_their_presets():
    notebook = made(40, "07", presets={"delta_divergence": {"sigma": 0.7}})
    assert "dp.explore.delta_divergence(sigma=0.7)" in [cell.source for cell in notebook.cells]
    with pytest.raises(lecturing.CannotLectureError, match="no slide of this lecture has the explorer audit"):
        made(40, "07", presets={"audit": {}})


@pytest.mark.parametrize(("text", "complaint"), [
    ("nothing?sigma=1", "there is no explorer nothing"),
    ("delta_divergence?sigma=one", "cannot open"),
    ("delta_divergence?nothing=1", "cannot open"),
])  # fmt: skip
def test_a_preset_that_cannot_be_is_refused(text, complaint):
    with pytest.raises(lecturing.CannotLectureError, match=complaint):
        lecturing.preset(text)


def test_a_preset_is_what_a_link_ends_with():
    link = "https://example.org/book/07_delta_divergence.html#delta_divergence?sigma=0.7&scale=1"
    assert lecturing.preset(link) == ("delta_divergence", {"sigma": 0.7, "scale": 1})


@pytest.mark.parametrize(("arguments", "said"), [
    (["35", "99"], "There is no lecture 99. The lectures are 01, "),
    (["5", "4"], "These chapters take "),
    (["-3", "4"], "These chapters take "),
    (["35", "4", "--name", "../x"], "NAME=../x cannot be the name"),
    (["35", "4", "--name", "04"], "NAME=04 cannot be the name"),
    (["35", "4", "--logo", "nowhere.svg"], "There is no file nowhere.svg"),
    (["35", "4", "--preset", "x?"], "There is no explorer x"),
])  # fmt: skip
def test_what_makes_no_lecture_is_said_in_one_line(arguments, said, capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(lecturing, "LECTURES", tmp_path / "lectures")
    if arguments[0].startswith("-"):
        arguments = ["--", *arguments]
    assert lecturing.main(arguments) == 1
    out = capsys.readouterr().out
    assert out.startswith(said) and out.count("\n") == 1
    assert not list(tmp_path.iterdir())


# Outputs are those of the code.


def printed(notebook):
    """What each cell printed; a kernel may send it in several pieces."""
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    return ["".join(output.get("text", "") for output in cell.outputs) for cell in code]


@pytest.mark.host
def test_the_notebook_of_a_lecture_runs_and_gives_the_outputs_that_it_shows(tmp_path):
    notebook = made(40, "03", "06")
    assert notebook.metadata["ran"] == code_digest(notebook)
    shown = printed(notebook)
    ExecutePreprocessor(timeout=120, kernel_name="python3").preprocess(notebook, {"metadata": {"path": str(tmp_path)}})
    assert printed(notebook) == shown and any(shown)


def test_a_deck_shows_what_its_code_gives_also_after_a_change(tmp_path, new_page, capfd):
    stale = new_code_cell("print(6 * 7)", outputs=[nbformat.v4.new_output("stream", text="41")])
    path = own_notebook(tmp_path, "# One", stale)
    deck = deck_of(path, tmp_path)
    assert not capfd.readouterr().err  # a kernel's greeting is no news for a lecturer
    page = opened(new_page(), deck)
    assert page.inner_text(".deck-outputs").strip() == "42"
    assert nbformat.read(path, 4).cells[1].outputs[0].text == "41"  # the notebook is left as it is


def test_a_notebook_that_cannot_be_run_is_named(tmp_path):
    path = own_notebook(tmp_path, "# One", new_code_cell("1 / 0"))
    with pytest.raises(slides.CannotShowError, match=r"mine\.ipynb cannot be run.*ZeroDivisionError"):
        slides.deck_page(slides.Lecture(path), "")
