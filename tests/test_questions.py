"""Questions that a page judges by itself: it says what `dp.exercises.check` says, to whatever is typed."""

import base64
import json
import math
import random
import re
from html import unescape
from itertools import pairwise
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from conftest import approx, each, pages_of

import dptutor as dp
from dptutor.exercises.judging.questions import Question, Sheet, Within, listed, words

pytestmark = pytest.mark.sources

ROOT = Path(__file__).resolve().parent.parent
QUESTIONS = [exercise for exercise in dp.exercises.catalogue() if isinstance(exercise, Question)]
NUMERIC = [question for question in QUESTIONS if not question.options]
CHAPTERS = sorted({exercise.chapter for exercise in dp.exercises.catalogue() if not exercise.judge})


# Every question.


@each(CHAPTERS)
def test_every_chapter_asks_two_questions_at_least(chapter):
    asked = dp.exercises.questions(chapter).questions
    assert len(asked) >= 2
    assert {question.chapter for question in asked} == {chapter}


@each(QUESTIONS)
def test_no_answer_is_taken_for_another(question):
    values = sorted([float(question.answer), *(float(mistake.answer) for mistake in question.mistakes)])
    assert min(b - a for a, b in pairwise(values)) > 2 * question.tolerance


@each(QUESTIONS)
def test_a_page_can_check_all_that_python_checks(question):
    assert question.grade == "warm-up"
    assert not question.cases
    assert question.judge is None
    if question.options:
        wrong = {*range(1, len(question.options) + 1)} - {question.answer}
        assert {mistake.answer for mistake in question.mistakes} == wrong
        assert "Give the number of one of the statements" in question.check(0).message
    else:
        assert all(isinstance(law, Within) for law in question.laws)
        assert f"{question.answer:.6g}" not in {f"{mistake.answer:.6g}" for mistake in question.mistakes}


@each(QUESTIONS)
def test_a_look_at_the_source_does_not_spoil_it(question):
    html = Sheet([question]).html
    assert question.praise not in html
    assert question.explanation not in html
    packed = re.search(r'class="dpq-data">([^<]+)<', html)[1]
    assert json.loads(base64.b64decode(packed)) == question.data


def test_words_are_escaped():
    made = Question(
        id="0.a",
        title="<b>bold</b>",
        question="Is `a < b` & </script>?",
        options=("<i>yes</i>", '"no"'),
        solution="answer = 1\n",
        explanation="<script>alert(1)</script>",
        hints=("<", ">", "&"),
        praise="</script><b>",
        goals=(1,),
        mistakes=(dp.exercises.Mistake(2, "<b>"),),
    )
    piece = Sheet([made]).html.split("<script")[0].replace("\N{NO-BREAK SPACE}", " ")
    assert "&lt;b&gt;bold&lt;/b&gt;" in piece
    assert "<code>a &lt; b</code> &amp; &lt;/script&gt;" in piece
    assert not re.search("<b>|<i>", piece)
    assert made.data["why"] == "&lt;script&gt;alert(1)&lt;/script&gt;"


def test_formulas_are_set_in_questions_hints_and_replies():
    made = Question(
        id="0.b",
        title="A formula",
        question=r"What is $\delta(0)$ if $a < b$?",
        solution="answer = 1\n",
        explanation=r"As $f(\alpha) = 1 - \alpha$.",
        hints=(r"$\alpha$", "none", "none"),
        praise=r"Yes, $\delta = 1$.",
        goals=(1,),
        mistakes=(dp.exercises.Mistake(2, r"That is $\varepsilon$."),),
    )
    assert Sheet([made]).html.count("<math") == 3
    assert made.data["why"].count("<math") == made.data["praise"].count("<math") == 1
    assert "<math" in made.data["mistakes"][0][1]
    assert "<math" in dp.exercises.Result(False, r"That is $\varepsilon$.")._repr_html_()


def test_a_notebook_lists_what_there_is_to_choose():
    choice = next(question for question in QUESTIONS if question.options)
    assert listed(choice).splitlines()[2:] == [f"{n}. {option}" for n, option in enumerate(choice.options, 1)]
    assert choice.options[0] in repr(Sheet([choice]))
    assert listed(dp.exercises.get("1.1")) == ""


def test_a_number_that_is_rounded_too_much_is_not_called_too_large():
    for id, rough, right in (("9.b", 0.7, 0.69), ("15.a", "31%", "30.9%")):
        assert "rounded too much" in dp.exercises.check(id, rough).message
        assert dp.exercises.check(id, right).passed
    told = [q for chapter in range(1, 20) for q in dp.exercises.questions(chapter).questions if not q.options]
    for question in told:
        right = float(question.answer)
        for wrong, reply, _ in question.data["mistakes"]:
            assert "rounded too much" not in reply or wrong in {float(f"{right:.{digits}e}") for digits in range(3)}


@each([q for q in NUMERIC if any(law.most > 1 for law in q.laws)])
def test_what_may_be_larger_than_1_is_not_taken_for_a_share(question):
    right = float(question.answer)
    replies = [question.check(wrong).message for wrong in (100 * right, right / 100, 1 - right)]
    assert not re.search("percent|complement", " ".join(replies))


def test_a_chapter_without_questions_is_said_to_have_none():
    with pytest.raises(ValueError, match=r"chapter must be one of 1, 2, .*, got 99"):
        dp.exercises.questions(99)


# In a browser: one page with all of them.


@pytest.fixture(scope="module")
def sheet(tmp_path_factory):
    file = tmp_path_factory.mktemp("questions") / "all.html"
    file.write_text(Sheet(QUESTIONS).page, encoding="utf-8")
    return file.as_uri()


@pytest.fixture
def opened(new_page, same_page, sheet):
    """The page, from a disk."""

    def open_sheet(before="", **options):
        page = new_page(**options) if before or options else same_page
        if before:
            page.add_init_script(before)
        page.goto(sheet)
        if options.get("java_script_enabled", True):
            page.wait_for_selector(".dptutor-questions[data-ready]")
        return page

    return open_sheet


def form(page, question):
    return page.locator(f"[data-question='{question.id}']")


ANSWER = """([id, texts]) => {
    const form = document.querySelector(`[data-question="${id}"]`);
    const field = form.querySelector("input[type=text]");
    return texts.map((text) => {
        if (field) field.value = text;
        else form.querySelector(`input[value="${text}"]`).checked = true;
        form.requestSubmit();
        const reply = form.querySelector(".dpq-reply");
        return [reply.dataset.verdict, form.querySelector(".dpq-message").textContent, reply.textContent];
    });
}"""


def shown(text):
    """What a page shows of a text, letters only."""
    return unescape(re.sub("<[^>]*>", "", words(text)))


def answered(page, question, texts):
    """Verdict, message and whole reply to each of some answers, given one after the other."""
    return page.evaluate(ANSWER, [question.id, [text if isinstance(text, str) else repr(text) for text in texts]])


def test_the_right_answer_and_every_mistake_get_the_reply_that_python_gives(opened):
    page = opened()
    for question in QUESTIONS:
        given = [question.answer, *(mistake.answer for mistake in question.mistakes)]
        given = given if question.options else [float(value) for value in given]
        for value, (verdict, message, whole) in zip(given, answered(page, question, given), strict=True):
            result = question.check(value)
            assert (verdict, message) == ("right" if result.passed else "wrong", shown(result.message)), question.id
            assert "✔" in whole if result.passed else "✘" in whole
        assert message == shown(question.mistakes[-1].reply)
        assert page.evaluate("document.querySelectorAll('.dpq-done').length") == QUESTIONS.index(question) + 1


def test_the_page_judges_every_number_as_python_does(opened):
    page, draw = opened(), random.Random(1)
    for question in NUMERIC:
        wanted = [float(question.answer), *(float(mistake.answer) for mistake in question.mistakes)]
        near = [value + side * question.tolerance for value in wanted for side in (-1.001, -1, -0.999, 0.999, 1, 1.001)]
        ends = [
            math.nextafter(value + question.tolerance, side) for value in wanted[:2] for side in (-math.inf, math.inf)
        ]
        far = [draw.choice((-1, 1)) * 10 ** draw.uniform(-9, 9) for _ in range(20)] + [0.0, -0.0, 1.0, 1e300, 5e-324]
        close = [draw.uniform(-1, 4) for _ in range(20)]
        numbers = [*near, *ends, *far, *close]
        for number, (verdict, message, _) in zip(numbers, answered(page, question, numbers), strict=True):
            result = question.check(number)
            assert (verdict == "right", message) == (result.passed, shown(result.message)), (question.id, number)


def test_a_number_that_is_not_plain_is_repeated_as_it_was_read(opened):
    page, question = opened(), NUMERIC[0]
    for text, said in (("25 %", "I read 25 % as 0.25."), ("1/4", "as 0.25."), ("0.25", None)):
        [(_, message, whole)] = answered(page, question, [text])
        assert message == shown(question.check(0.25).message)
        assert said in whole if said else "I read" not in whole


def test_nonsense_gets_a_kind_word_and_no_error(opened):
    page, nonsense = opened(), ["", "a half", "1,125", "0/0", "inf", "\ud800", "(" * 80]
    for question in (NUMERIC[0], NUMERIC[-1]):
        for text, (verdict, message, whole) in zip(nonsense, answered(page, question, nonsense), strict=True):
            assert verdict == "", text
            assert len(message) > 30
            assert "✘" not in whole
    assert page.text_content(".dpq-count") == f"0 of {len(QUESTIONS)} answered"
    choice = next(question for question in QUESTIONS if question.options)
    form(page, choice).get_by_role("button", name="Check").click()
    assert "Choose one" in form(page, choice).locator(".dpq-reply").text_content()


UNFOLD = """async (id) => {
    const form = document.querySelector(`[data-question="${id}"]`);
    const show = form.querySelector(".dpq-show"), worked = form.querySelector(".dpq-worked");
    const seen = (all) => [...all].filter((e) => e.checkVisibility()).map((e) => e.textContent);
    const steps = [];
    for (const summary of form.querySelectorAll("summary")) {
        const offered = seen(form.querySelectorAll("summary")).length;
        steps.push([offered, seen(form.querySelectorAll("details p")), seen([show]).length]);
        summary.click();
        await new Promise((done) => summary.parentElement.addEventListener("toggle", () => setTimeout(done)));
    }
    show.click();
    return [steps, seen(form.querySelectorAll("details p")), seen(worked.children)];
}"""


def test_hints_open_in_turn_and_then_the_worked_answer(opened):
    page = opened()
    for question in QUESTIONS:
        steps, hints, worked = page.evaluate(UNFOLD, question.id)
        wanted = [shown(hint) for hint in question.hints]
        assert steps == [[place + 1, wanted[:place], 0] for place in range(3)]
        assert hints == wanted
        assert worked == [shown(question.explanation), question.solution.strip()]


def tab_to(page, selector, most=400):
    """Presses the tabulator until something is focused."""
    for _ in range(most):
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"the keyboard does not reach {selector}")


def answer_by_keyboard(page, question, value):
    within = f"[data-question='{question.id}']"
    tab_to(page, f"{within} input")
    if question.options:
        page.keyboard.press("Space")
        for _ in range(int(value) - 1):
            page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
    else:
        page.keyboard.type(repr(float(value)))
        page.keyboard.press("Enter")


def test_the_keyboard_is_enough(opened):
    page = opened()
    for question in (NUMERIC[0], next(q for q in QUESTIONS if q.options)):
        answer_by_keyboard(page, question, question.answer)
        reply = form(page, question).get_by_role("status")
        assert shown(question.praise) in reply.text_content()
        for _ in question.hints:
            tab_to(page, f"[data-question='{question.id}'] details:not([open]) > summary")
            page.keyboard.press("Enter")
        tab_to(page, f"[data-question='{question.id}'] .dpq-show")
        page.keyboard.press("Enter")
        assert form(page, question).locator(".dpq-worked").is_visible()


def test_a_screen_reader_finds_the_question_the_field_and_the_reply(opened):
    page = opened()
    for question in QUESTIONS:
        box = form(page, question)
        control = box.get_by_role("group", name="Your choice") if question.options else box.get_by_label("Your answer")
        described = page.locator(f"#{control.get_attribute('aria-describedby')}")
        assert described.text_content() == shown(question.question)
        assert box.get_by_role("status").get_attribute("aria-live") == "polite"


# What is remembered.


def test_right_answers_are_remembered_here_until_they_are_erased(opened):
    page = opened()
    first, second = NUMERIC[:2]
    answered(page, first, [repr(first.answer), "77", "what?"])
    answered(page, second, ["77"])
    page.reload()
    assert page.text_content(".dpq-count") == f"1 of {len(QUESTIONS)} answered"
    assert form(page, first).get_by_label("Your answer").input_value() == repr(first.answer)
    assert first.praise in form(page, first).get_by_role("status").text_content()
    page.get_by_role("button", name="Erase my answers").click()
    assert page.text_content(".dpq-count") == f"0 of {len(QUESTIONS)} answered"
    assert page.evaluate("localStorage.length") == 0
    page.reload()
    assert form(page, first).get_by_label("Your answer").input_value() == ""
    assert not page.get_by_role("button", name="Erase my answers").is_visible()


CLOSED = "Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('denied') }})"
FULL = "Storage.prototype.setItem = () => { throw new DOMException('full') }"
SPOILED = ["null", "7", "{", '["x"]', '{"1.a": 5, "1.b": "abc", "1.c": "99", "2.a": "0.123"}']


@pytest.mark.parametrize("before", [CLOSED, FULL], ids=["closed", "full"])
def test_a_browser_that_keeps_nothing_is_no_error(opened, before):
    page = opened(before)
    answered(page, NUMERIC[0], [float(NUMERIC[0].answer)])
    assert page.text_content(".dpq-count") == f"1 of {len(QUESTIONS)} answered"
    page.get_by_role("button", name="Erase my answers").click()
    assert page.text_content(".dpq-count") == f"0 of {len(QUESTIONS)} answered"


def test_what_somebody_else_wrote_there_is_not_taken_for_an_answer(opened):
    page = opened()
    for text in SPOILED:
        page.evaluate("text => localStorage.setItem('dptutor-questions', text)", text)
        page.reload()
        assert page.text_content(".dpq-count") == f"0 of {len(QUESTIONS)} answered"
        assert page.locator(".dpq-message").count() == 0


# Other readers.


def test_without_a_script_question_options_and_hints_can_be_read(opened):
    page = opened(java_script_enabled=False)
    assert page.get_by_text("Without JavaScript nothing is judged").is_visible()
    assert page.locator("button:visible, input[type=text]:visible, .dpq-count:visible").count() == 0
    for question in QUESTIONS[:4]:
        box = form(page, question)
        assert box.locator("h4").text_content() == f"{question.id} {question.title}"
        assert box.locator("label span:visible").all_text_contents() == [shown(option) for option in question.options]
        for place, hint in enumerate(question.hints):
            box.locator("summary").nth(place).click()
            told = box.locator(".dpq-hint p").nth(place)
            assert told.is_visible() and told.text_content() == shown(hint)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_fault(new_page, tmp_path, scheme):
    (tmp_path / "few.html").write_text(Sheet(QUESTIONS[:5]).page, encoding="utf-8")
    page = new_page(color_scheme=scheme)
    page.goto((tmp_path / "few.html").as_uri())
    for place, question in enumerate(QUESTIONS[:4]):
        right = question.answer if place % 2 else question.mistakes[0].answer
        answered(page, question, [right if question.options else float(right)])
        for hint in range(3):
            form(page, question).locator("summary").nth(hint).click()
        form(page, question).get_by_role("button", name="Show the worked answer").click()
    answered(page, QUESTIONS[3], ["what?"])
    found = Axe().run(page).response["violations"]
    assert [(fault["impact"], fault["help"], [n["html"][:80] for n in fault["nodes"]]) for fault in found] == []


def test_nothing_is_wider_than_a_phone(opened):
    page = opened(viewport={"width": 360, "height": 740}, has_touch=True)
    for question in QUESTIONS:
        wrong = question.mistakes[0].answer
        answered(page, question, [wrong if question.options else float(wrong)])
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_two_sheets_on_a_page_do_not_meddle(new_page, tmp_path):
    pieces = "".join(dp.exercises.questions(chapter).html for chapter in (1, 2))
    head = '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>t</title>'
    (tmp_path / "two.html").write_text(f"{head}</head><body>{pieces}</body></html>", encoding="utf-8")
    page = new_page()
    page.goto((tmp_path / "two.html").as_uri())
    page.wait_for_selector(".dptutor-questions[data-ready] >> nth=1")
    ids = page.eval_on_selector_all("[id]", "all => all.map(e => e.id)")
    assert len({*ids}) == len(ids)
    first = dp.exercises.questions(1).questions[0]
    answered(page, first, [float(first.answer)])
    counts = [len(dp.exercises.questions(chapter).questions) for chapter in (1, 2)]
    assert page.locator(".dpq-count").all_text_contents() == [
        f"1 of {counts[0]} answered",
        f"0 of {counts[1]} answered",
    ]
    drawn = page.locator(".dpq-ring circle + circle").first.evaluate("e => e.style.strokeDasharray")
    assert float(drawn.split()[0].strip(",")) == approx(1 / counts[0])


# The built book.


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_built_chapter_asks_its_questions(site, chapter):
    (built,) = (file for file in pages_of(site) if file.match(f"book/{chapter:02}_*"))
    text = built.read_text(encoding="utf-8")
    asked = [question.id for question in dp.exercises.questions(chapter).questions]
    assert re.findall(r'<form class="dpq-question" data-question="([^"]+)"', text) == asked


def test_a_built_page_is_answered_to_a_full_ring_by_keyboard(page, site_url):
    page.goto(f"{site_url}book/01_two_worlds.html")
    page.wait_for_selector(".dptutor-questions[data-ready]")
    asked = dp.exercises.questions(1).questions
    page.locator(".dptutor-questions input").first.focus()
    for number, question in enumerate(asked, 1):
        answer_by_keyboard(page, question, question.mistakes[0].answer)
        reply = form(page, question).get_by_role("status")
        assert shown(question.mistakes[0].reply) in reply.text_content()
        if question.options:
            for _ in range(int(question.answer - question.mistakes[0].answer) % len(question.options)):
                page.keyboard.press("ArrowDown")
            page.keyboard.press("Enter")
        else:
            page.keyboard.press("Control+A")
            answer_by_keyboard(page, question, question.answer)
        assert shown(question.praise) in reply.text_content()
        assert page.text_content(".dpq-count") == f"{number} of {len(asked)} answered"
    assert page.locator(".dpq-ring circle + circle").evaluate("e => e.style.strokeDasharray") in ("1 1", "1, 1")
    page.reload()
    assert page.text_content(".dpq-count") == f"{len(asked)} of {len(asked)} answered"
