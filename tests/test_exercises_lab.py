"""A chapter's exercises in JupyterLab, from opening the notebook to the closed ring."""

import drag
import pytest
from selectolax.lexbor import LexborHTMLParser

import dptutor as dp

pytestmark = pytest.mark.host


def write_and_run(page, cell, text):
    """Replaces the text of a cell, as by hand, and runs it."""
    cell.scroll_into_view_if_needed()
    cell.locator(".cm-content").click()
    cell.locator(".cm-focused").wait_for()  # what is typed before goes elsewhere
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(text)
    page.keyboard.press("Control+Enter")


def shown(exercise):
    """What is read when an exercise is solved: a formula as its letters, raised or not.

    Other tests of this process may have left a mistake that this answer is told to have mended.
    """
    reply = dp.exercises.check(exercise.id, exercise.answer)._repr_html_()
    assert reply.startswith("<p ")
    return LexborHTMLParser(reply).text().strip().removeprefix("✔ ").removeprefix("You have found your mistake. ")


def test_a_chapter_from_opening_to_the_closed_ring(new_page, jupyterlab):
    page = new_page(strict=False, viewport={"width": 1280, "height": 1400})
    drag.open_and_run(page, jupyterlab.url("01_exercises.ipynb"), ".jp-OutputArea-output")
    said = page.locator(".jp-OutputArea-output")
    for exercise in dp.exercises.catalogue(1):
        check = f'dp.exercises.check("{exercise.id}", {exercise.name})'
        cell = page.locator(".jp-CodeCell", has_text=f'check("{exercise.id}"')
        cell.locator(".jp-OutputArea-output", has_text="nothing to check yet").wait_for()
        if exercise.id == "1.1":  # a mistake first, and then a hint
            wrong = f"{exercise.solution}\n\ndp.exercises.check('1.1', lambda a, b: errors(a, b)[::-1])"
            write_and_run(page, cell, wrong + f"\n# {check}")
            cell.locator(".jp-OutputArea-output", has_text="You have swapped the two errors").wait_for()
            help = page.locator(".jp-CodeCell", has_text='hint("1.1")')
            write_and_run(page, help, 'dp.exercises.hint("1.1")')
            help.locator(".jp-OutputArea-output", has_text="Hint 1 of 3").wait_for()
        write_and_run(page, cell, f"{exercise.solution}\n\n{check}")
        solved = cell.locator(".jp-OutputArea-output", has_text=shown(exercise))
        solved.wait_for()
        assert ("You have found your mistake" in solved.text_content()) == (exercise.id == "1.1")
    assert said.filter(has_text="nothing to check yet").count() == 0
    write_and_run(page, page.locator(".jp-CodeCell").last, "dp.exercises.progress()")
    ring = page.locator("svg.dp-ring[data-chapter='1'][data-full='true']")
    ring.wait_for()
    count = len(dp.exercises.catalogue(1))
    assert ring.get_attribute("aria-label") == f"chapter 1: {count} of {count} solved"
    assert (
        page.locator("svg.dp-ring[data-full='false']").count() == len({e.chapter for e in dp.exercises.catalogue()}) - 1
    )
