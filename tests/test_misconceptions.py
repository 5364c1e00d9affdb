"""What a class got wrong: counted once for each student, with the chapter to reread, and a page that names nobody."""

import csv
import io

import pytest
from playwright.sync_api import expect

import dptutor as dp
import misconceptions
from dptutor.exercises.judging.slips import SLIPS
from misconceptions import Reply, counted, page, rows

pytestmark = pytest.mark.sources


def reply(student, id, answer):
    result = dp.exercises.get(id).check(answer)
    return Reply(student, id, result.passed, repr(result), result.kind, result.about)


@pytest.fixture
def replies():
    errors, odds = dp.exercises.get("4.3"), dp.exercises.get("5.5")
    right = {"4.3": errors.answer, "5.5": odds.answer}
    swapped = errors.mistakes[0].answer
    return [
        reply("ada", "4.3", right["4.3"]),
        reply("bob", "4.3", swapped),
        reply("bob", "4.3", swapped),  # in another notebook
        reply("cem", "4.3", swapped),
        reply("dia", "4.3", lambda mu, epsilon: 1 / 0),
        reply("eve", "4.3", lambda mu, epsilon: (0.1 / (1 + mu), 0.4 + 0.01 * epsilon)),
        reply("fay", "4.3", None),
        reply("gus", "4.3", lambda mu, epsilon: (0.3 / (1 + mu), 0.45 - 0.01 * epsilon)),
        reply("hal", "4.3", lambda mu, epsilon: (0.123, 0.456)),
        reply("bob", "2.1", lambda epsilon, delta, alpha: 2 - alpha),
        reply("ada", "5.5", lambda prior, loss: -right["5.5"](prior, loss)),
        Reply("zed", "5.5", False, "the check did not run", "", ""),
    ]


def test_mistakes_are_counted_by_student_and_the_most_frequent_comes_first(replies):
    found = {asked.id: asked for asked in counted(replies)}
    assert list(found) == ["2.1", "4.3", "5.5"]  # as in the book
    asked = found["4.3"]
    assert asked.solved == {"ada"} and len(asked.students) == 8
    assert [(one.kind, one.students) for one in asked.wrong] == [
        ("mistake", {"bob", "cem"}),
        ("generic", {"eve", "gus"}),
        ("ignores", {"hal"}),
        ("nothing", {"fay"}),
        ("form", {"dia"}),
    ]
    assert asked.wrong[2].words == "It does not change with `mu`, and the right answer does."
    assert asked.wrong[0].words == dp.exercises.get("4.3").mistakes[0].reply
    assert [one.kind for one in found["2.1"].wrong] == ["law"]
    assert {one.words for one in found["5.5"].wrong} == {
        "The check did not run.",
        "The size is right, but the sign is wrong.",
    }


def test_the_table_says_how_many_of_how_many_and_what_to_reread(replies):
    file = io.StringIO()
    csv.writer(file).writerows([misconceptions.HEAD, *rows(counted(replies))])
    table = list(csv.DictReader(io.StringIO(file.getvalue())))
    first = next(row for row in table if row["exercise"] == "4.3")
    assert (first["students"], first["of"], first["kind"]) == ("2", "8", "mistake")
    assert first["reread"] == misconceptions.chapter(4) and first["reread"].startswith("4 ")


def test_a_slip_with_a_chapter_of_its_own_leads_there():
    slip = next(slip for slip in SLIPS if slip.chapter)
    (asked,) = counted([Reply("ada", "12.3", False, slip.reply, "slip", slip.reply)])
    assert asked.wrong[0].chapter == slip.chapter == 5


def test_the_page_has_a_slide_for_each_exercise_and_names_nobody(replies):
    made = page(counted([*replies, Reply("ivy", "1.2", False, "✘ <script src>", "judged", "")]))
    assert made.count("<section id=") == 4
    assert "<script src>" not in made and "&lt;script src&gt;" in made
    assert "2 of 8" in made and "1 of 8" in made
    assert not any(f">{name}<" in made or f" {name} " in made for name in ("ada", "bob", "cem", "dia"))
    assert page([]).startswith("<!DOCTYPE html>")


def test_nobody_puts_words_before_the_class(replies):
    class Shouting(Exception):
        pass

    def stops(mu, epsilon):
        raise Shouting("SHOUTED")

    said = [stops, lambda mu, epsilon: "SHOUTED", lambda mu, epsilon: ["SHOUTED"] * 2, "SHOUTED", ["SHOUTED"]]
    hostile = [reply("jan", "4.3", answer) for answer in said]
    hostile += [reply("jan", id, "SHOUTED") for id in ("1.a", "7.3")]
    assert any("SHOUTED" in one.words for one in hostile)  # to the student alone
    assert "SHOUTED" not in page(counted([*replies, *hostile]))


def test_keys_turn_the_slides_of_a_class(replies, new_page, tmp_path):
    file = tmp_path / "class.html"
    file.write_text(page(counted(replies)), encoding="utf-8")
    shown = new_page()
    shown.goto(file.as_uri())
    slides = shown.locator("section")
    for key, place in [("ArrowRight", 1), ("Space", 2), ("PageDown", 3), ("ArrowRight", 3), ("ArrowLeft", 2),
                       ("PageUp", 1), ("End", 3), ("Home", 0)]:  # fmt: skip
        shown.keyboard.press(key)
        for k in range(4):
            seen = expect(slides.nth(k))
            (seen.to_be_in_viewport if k == place else seen.not_to_be_in_viewport)(ratio=0.5)


def test_every_chapter_has_a_title():
    for number in {exercise.chapter for exercise in dp.exercises.catalogue()}:
        first, *title = misconceptions.chapter(number).split()
        assert first.rstrip(".") == str(number) and not title[0][0].isdigit()
