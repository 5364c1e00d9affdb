"""What a reader is asked in the text: in every chapter, often enough, judged as it says, remembered and asked again."""

import json
import re
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest
from axe_playwright_python.sync_playwright import Axe
from conftest import some
from docutils import nodes
from selectolax.lexbor import LexborHTMLParser

import asking
import dptutor as dp
import exercising
import moved
from noting import Notes

pytestmark = pytest.mark.sources

ROOT = Path(__file__).resolve().parent.parent
CHAPTERS = sorted((ROOT / "book").glob("[0-9]*.md"))
# What parts of chapters have become asks too.
PARTS = dict.fromkeys(ROOT / f"{page}.md" for pages in moved.PARTED.values() for page in pages)
ASKING = [*CHAPTERS, *PARTS]
every_chapter = pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)


def article(site, chapter):
    return LexborHTMLParser((site / "book" / f"{chapter.stem}.html").read_text(encoding="utf-8")).css_first("article")


def asks(site):
    return {
        ask.attributes["data-ask"]: (chapter, ask)
        for chapter in ASKING
        for ask in article(site, chapter).css(".ask[id]")
    }


def test_a_page_is_written_again_when_a_question_it_repeats_has_changed():
    pages = ["book/03_tail", "book/04_point", "book/05_prior", "book/five"]
    app = SimpleNamespace(env=SimpleNamespace(docname=None))
    notes = Notes("questions", asking.noted, asking.outdated)

    def read(page, question, repeats=None):
        app.env.docname = page
        document = nodes.Element("", nodes.paragraph("", "A sentence."), asking.ask("", nodes.Text(question)))
        if repeats is not None:
            document += asking.collected("", names=repeats)
        notes.take(app, document)

    read(pages[0], "How much?")
    read(pages[1], "Which?")
    read(pages[2], "When?", ["ask-03-tail"])
    read(pages[3], "", [])
    notes.begin(app, app.env, pages[:1])
    read(pages[0], "How much?")
    assert notes.outdated(app, app.env) == []
    read(pages[0], "How many?")
    assert notes.outdated(app, app.env) == pages[2:]
    notes.begin(app, app.env, pages[1:2])
    read(pages[1], "Who?")
    assert notes.outdated(app, app.env) == pages[3:]
    notes.begin(app, app.env, [])
    notes.forget(app, app.env, pages[3])
    assert set(notes.of(app.env)) == set(pages[:3])


def test_an_answer_as_coarse_as_the_last_decimal_asked_for_is_the_coarsest_that_is_right():
    questions = re.compile(r"^(:{3,})\{(?:ask|anew)\}(.*?)^\1$", re.DOTALL | re.MULTILINE)
    asked = [
        one[2] for page in sorted((ROOT / "book").rglob("*.md")) for one in questions.finditer(page.read_text("utf-8"))
    ]
    told = [
        (float(within[1]), ("one", "two", "three", "four").index(decimals[1]) + 1)
        for text in asked
        if (within := re.search(r"^:within: (.+)$", text, re.MULTILINE))
        and (decimals := re.search(r"\b(one|two|three|four) decimals?\b", text))
    ]
    assert len(told) > 30
    assert not [one for one in told if one[0] > 1.0001 * 10.0 ** -one[1]]


@every_chapter
def test_no_answer_shows_an_interval_among_numbers(site, chapter):
    for answer in article(site, chapter).css('.ask[data-kind="number"] .ask-answer'):
        least, most = (float(answer.attributes[f"data-{end}"]) for end in ("least", "most"))
        shown = float(answer.css_first(".ask-text").text().strip().replace("−", "-").replace("'", ""))
        assert least == most or least < shown < most


@pytest.mark.parametrize(
    ("least", "most", "shown"),
    [
        (0.5, 0.999329, "0.7"),
        (0.95, 1, "0.97"),
        (0, 0.0497, "0.02"),
        (2.46, 1e6, "4"),
        (8, 1e6, "10"),
        (-7.99, 7.99, "0"),
        (1.2, 1.21, "1.205"),
    ],
)
def test_of_an_interval_a_short_number_inside_is_shown(least, most, shown):
    assert asking.between(least, most) == shown


@pytest.mark.parametrize("text", ["0.5 to 0.9", "0.5 to 0.9 (right)"])
def test_a_number_between_two_is_typed_and_no_choice(text):
    item = [nodes.paragraph("", "", nodes.Text(text))]
    with pytest.raises(ValueError, match="typed"):
        asking.made(item, "choice")
    item = [nodes.paragraph("", "", nodes.Text(text))]
    assert asking.made(item, "number")["most"] == 0.9


@pytest.mark.parametrize(("right", "predict", "praised"), [(1, 0, []), (1, 1, ["Yes"]), (0, 0, ["Yes"])])
def test_no_reply_praises_who_answered_something_else(right, predict, praised):
    for said, expected in (("Yes: it is.", praised), ("It is so. Yes.", [])):
        answer = asking.answer("", nodes.inline(), asking.reply("", nodes.paragraph("", said)), right=bool(right))
        assert asking.praising([answer, asking.answer("", nodes.inline(), right=False)], predict) == expected


@every_chapter
def test_questions_of_several_kinds(site, chapter):
    found = article(site, chapter).css(".ask[id]")
    kinds = {ask.attributes["data-kind"] for ask in found}
    heads = {ask.css_first(".ask-head").text() for ask in found}
    assert len(found) >= 5
    assert {"choice", "order"} <= kinds
    assert "Refute this" in heads
    for ask in found:
        assert re.fullmatch(rf"ask-{chapter.stem[:2]}-[a-z-]+", ask.attributes["data-ask"])
        texts = [
            answer.attributes.get("data-curve") or answer.css_first(".ask-text").text().strip()
            for answer in ask.css(".ask-answer")
        ]
        assert len(set(texts)) == len(texts) >= (1 if ask.attributes["data-kind"] == "number" else 2)
        assert all(texts)


def test_names_are_unique(site):
    assert len(asks(site)) == sum(len(article(site, chapter).css(".ask[id]")) for chapter in ASKING)


def test_no_number_is_two_answers(site):
    for name, (_, ask) in asks(site).items():
        if ask.attributes["data-kind"] == "number":
            within = float(ask.attributes["data-within"])
            ends = sorted(
                (float(one.attributes["data-least"]), float(one.attributes["data-most"])) for one in ask.css("li")
            )
            for (least, low), (high, most) in pairwise(ends):
                assert low + within * (least == low and high == most) < high, name


# In the browser, every question of a chapter: each answer gets the reply that stands beside it.
TRY = """() => [...document.querySelectorAll(".ask[id]")].map((ask) => {
    const answers = [...ask.querySelectorAll(".ask-answer")], wrong = [], field = ask.querySelector("input");
    const told = () => ask.querySelector(".ask-told");
    const words = (node) => (node?.textContent ?? "").replace(/\\s+/g, " ").trim();
    const predict = "predict" in ask.dataset, name = ask.dataset.ask;
    const check = (right, answer) => {
        const { verdict } = told().dataset;
        if (verdict !== (right ? "right" : "wrong")) wrong.push(`${name}: ${words(answer)} is ${verdict}`);
        const reply = words(answer?.querySelector(".ask-reply"));
        if (!words(told()).includes(reply) || !words(told()))
            wrong.push(`${name}: no reply to ${words(answer)}`);
    };
    if (ask.dataset.kind === "order") {
        const button = (place) => [...ask.querySelectorAll(".ask-choices button")]
            .find((one) => words(one).endsWith(words(answers[place].querySelector(".ask-text"))));
        button(answers.length - 1).click();
        check(false);
        answers.forEach((_, place) => button(place).click());
        check(true);
        const placed = ask.querySelectorAll(".ask-placed > li").length;
        if (placed !== answers.length) wrong.push(`${name}: steps are missing`);
    } else if (ask.dataset.kind === "sketch") {
        const { across, up } = JSON.parse(ask.dataset.sketch);
        for (const answer of answers) {
            const curve = JSON.parse(answer.dataset.curve);
            const at = ([, least, most], share) => least + share * (most - least);
            field.value = curve.map((y, k) => `${at(across, k / (curve.length - 1))} ${at(up, y)}`).join("; ");
            field.form.requestSubmit();
            ask.querySelector(".ask-paper button").click();
            check("right" in answer.dataset, answer);
        }
    } else {
        const tried = predict ? answers.filter((one) => "right" in one.dataset) : answers;
        for (const answer of tried) {
            const right = "right" in answer.dataset;
            if (field) {
                field.value = (Number(answer.dataset.least) + Number(answer.dataset.most)) / 2;
                field.form.requestSubmit();
            } else ask.querySelectorAll(".ask-choices button")[answers.indexOf(answer)].click();
            check(right, answer);
        }
        if (predict && [...ask.querySelectorAll("button")].some((one) => !one.disabled)) wrong.push(`${name}: twice`);
    }
    if (!("done" in ask.dataset)) wrong.push(`${name}: not done`);
    return wrong;
}).flat()"""


# What is typed at random, and steps pressed at random: what is said to each is compared with what the page holds.
WILD = """() => [...document.querySelectorAll(".ask[id]:not([data-predict])")].flatMap((ask) => {
    const words = (node) => (node?.textContent ?? "").replace(/\\s+/g, " ").trim();
    const wrong = [], told = () => words(ask.querySelector(".ask-told"));
    const answers = [...ask.querySelectorAll(".ask-answer")], input = ask.querySelector(".ask-entry input");
    let state = 1;
    const chance = () => (state = (state * 48271) % 2147483647) / 2147483647;
    if (ask.dataset.kind === "number")
        for (let k = 0; k < 60; k++) {
            const [scale, near] = [10 ** (6 * chance() - 3), answers[k % answers.length].dataset];
            const half = ask.dataset.within / 2, edge = k % 3 ? near.least - half : Number(near.most) + half;
            const beside = k % 5 ? Number(near.least) * (1 + 0.2 * (chance() - 0.5)) : edge;
            const value = k % 2 ? (2 * chance() - 1) * scale : beside;
            input.value = String(value);
            input.form.requestSubmit();
            const right = answers.findIndex((one) => "right" in one.dataset), heard = told();
            const away = answers.map(({ dataset: { least, most } }, place) => {
                const off = Math.max(least - value, value - most, 0), tenth = Math.abs(least) / 10;
                const near = place === right ? ask.dataset.within : Math.min(ask.dataset.within, tenth);
                return off <= (least === most ? near * (1 + 1e-9) : 0) ? off : Infinity;
            });
            const least = Math.min(...away), known = least < Infinity;
            if (/% is meant/.test(heard)) {  // a share, which may have been written without its sign
                const shares = answers.every(({ dataset }) => dataset.least >= 0 && dataset.most <= 1);
                if (!shares || value <= 1 || value > 100) wrong.push(`${ask.id}: ${value}: ${heard}`);
                continue;
            }
            const reply = words(answers[away.indexOf(least)].querySelector(".ask-reply"));
            const large = value > Number(answers[right].dataset.most);
            const said = known ? heard.includes(reply) : /too large|a smaller/.test(heard) === large;
            const any = known || /too (large|small)|Try a (larger|smaller) number/.test(heard);
            if (!said || !any) wrong.push(`${ask.id}: ${value}: ${heard}`);
            const passed = ask.querySelector(".ask-told").dataset.verdict === "right";
            if (passed !== (known && away[right] === least)) wrong.push(`${ask.id}: ${value} is ${passed}`);
        }
    if (ask.dataset.kind === "order")
        for (let k = 0, left; k < 200 && (left = [...ask.querySelectorAll(".ask-choices button")]).length; k++) {
            const placed = () => ask.querySelectorAll(".ask-placed > li").length;
            const button = left[Math.floor(chance() * left.length)], before = placed();
            const name = words(button), next = words(answers[before].querySelector(".ask-text"));
            button.click();
            const after = placed();
            if ((after > before) !== name.endsWith(next)) wrong.push(`${ask.id}: ${name} is placed at ${before}`);
            const expected = after > before ? "" : before ? "something has to come before this" : "not the first step";
            if (!told().includes(expected)) wrong.push(`${ask.id}: ${told()}`);
        }
    return wrong;
})"""
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
WIDE = {"viewport": {"width": 1280, "height": 800}}


@pytest.mark.look
@pytest.mark.cases(1)
@pytest.mark.parametrize("screen", [PHONE, WIDE], ids=["phone", "wide"])
@pytest.mark.parametrize("chapter", ASKING, ids=lambda path: path.stem)
def test_every_answer_gets_its_reply_and_is_remembered(site_url, new_page, chapter, screen):
    page = new_page(**screen)
    page.goto(f"{site_url}book/{chapter.stem}.html")
    page.wait_for_load_state("networkidle")
    if screen is WIDE:
        assert page.evaluate(WILD) == []
        page.evaluate("localStorage.clear()")
        page.reload()
        page.wait_for_load_state("networkidle")
    assert page.evaluate(TRY) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= screen["viewport"]["width"]
    page.reload()
    page.wait_for_load_state("networkidle")
    assert page.locator(".ask[id]:not([data-done])").count() == 0


# Each prediction, made wrong in one of the ways that its page knows, or by a number that it does not.
FORETELL = """(way) => [...document.querySelectorAll(".ask[id][data-predict]")].flatMap((ask) => {
    const words = (node) => (node?.textContent ?? "").replace(/\\s+/g, " ").trim();
    const answers = [...ask.querySelectorAll(".ask-answer")], field = ask.querySelector("input");
    const wrong = answers.filter((one) => !("right" in one.dataset)), answer = wrong[way];
    const right = answers.find((one) => "right" in one.dataset);
    if (!answer && !(field && way === wrong.length)) return [];
    if (field) {
        field.value = answer ? answer.dataset.least : 1000;
        field.form.requestSubmit();
    } else ask.querySelectorAll(".ask-choices button")[answers.indexOf(answer)].click();
    const told = ask.querySelector(".ask-told"), heard = words(told.lastChild), due = [answer, right].filter(Boolean);
    const whole = due.every((one) => heard.includes(words(one.querySelector(".ask-reply"))))
        && heard.includes(words(right.querySelector(".ask-text")));
    const praise = (one) => /^(Yes|Right|Correct|Exactly|Indeed)\\b/.test(words(one));
    const sound = told.dataset.verdict === "wrong" && whole && ![...told.lastChild.children].some(praise);
    return [[ask.id, sound ? "" : heard]];
})"""


@pytest.mark.look
def test_a_wrong_prediction_hears_what_is_right_and_no_praise(site, site_url, new_page):
    heard, chapters = {}, some(ASKING, 3)
    for chapter in chapters:
        for way in range(4):
            page = opened(new_page, f"{site_url}book/{chapter.stem}.html")
            found = dict(page.evaluate(FORETELL, way))
            page.close()
            if not found:
                break
            assert not any(found.values()), found
            heard |= found
    foretold = {name for name, (at, ask) in asks(site).items() if at in chapters and "data-predict" in ask.attributes}
    assert set(heard) == foretold


def opened(new_page, address, kept=None, **options):
    page = new_page(**options)
    if kept is not None:
        page.add_init_script(f"localStorage.setItem('dptutor-asks', {json.dumps(json.dumps(kept))})")
    page.goto(address)
    page.wait_for_load_state("networkidle")
    return page


def test_what_was_answered_wrong_is_listed_at_the_end(site, site_url, new_page):
    page = opened(new_page, f"{site_url}book/01_two_worlds.html")
    listed = page.locator(".ask-surprises")
    assert listed.is_hidden()
    choice = page.locator(".ask[data-kind=choice]").first
    place = choice.evaluate(
        "ask => [...ask.querySelectorAll('.ask-answer')].findIndex(one => !('right' in one.dataset))"
    )
    button = choice.locator(".ask-choices button").nth(place)
    said = button.text_content().split()[0]
    button.focus()
    page.keyboard.press("Enter")
    assert said in listed.text_content()
    assert listed.locator("a").get_attribute("href") == f"#{choice.get_attribute('data-ask')}"
    assert Axe().run(page, {"include": [[".ask"], [".ask-surprises"]]}).violations_count == 0


def test_a_percentage_without_its_sign_is_asked_about_and_not_judged(site_url, new_page):
    page = opened(new_page, f"{site_url}book/15_attacks.html")
    ask = page.locator("#ask-15-two")
    for said, expected in (("75", "If 75% is meant, write it as 75% or 0.75."), ("75%", "Yes")):
        ask.locator("input").fill(said)
        ask.locator("input").press("Enter")
        assert expected in ask.locator(".ask-told").inner_text()
        assert (ask.get_attribute("data-done") is None) == (said == "75")


def test_a_prediction_uncovers_the_answer(site, site_url, new_page):
    covered = [
        (chapter, ask)
        for chapter, ask in asks(site).values()
        if ask.attributes.get("data-predict", "no") != "no" and "Show the answer" in chapter.read_text(encoding="utf-8")
    ]
    assert covered
    chapter, ask = covered[0]
    page = opened(new_page, f"{site_url}book/{chapter.stem}.html")
    folded = page.locator("details.hide:not([open])", has=page.locator("summary", has_text="answer"))
    before = folded.count()
    asked = page.locator(f"#{ask.attributes['data-ask']}")
    if ask.attributes["data-kind"] == "number":
        asked.locator("input").fill("1/3")
        asked.locator("button").click()
        assert "You said 0.333333. It is" in asked.inner_text()
    else:
        asked.locator(".ask-choices button").first.click()
    assert folded.count() == before - 1


def test_without_a_script_the_replies_are_folded_below(site_url, new_page):
    page = new_page(java_script_enabled=False)
    page.goto(f"{site_url}book/01_two_worlds.html")
    ask = page.locator(".ask").first
    assert ask.locator(".ask-reply").first.is_hidden()
    ask.locator("summary").click()
    assert ask.locator(".ask-reply").first.is_visible()


def test_a_question_comes_back_after_a_day_and_no_more_than_five_do(site, site_url, new_page):
    names = [name for name in asks(site) if re.match("ask-0[12]-", name)]
    today = "Math.floor((Date.now() - new Date().getTimezoneOffset() * 6e4) / 864e5)"
    page = opened(new_page, f"{site_url}book/five.html")
    assert "no question of a chapter has been answered" in page.locator(".ask-none").inner_text()
    day = page.evaluate(today)
    record = {"first": True, "said": "x", "box": 1, "done": True}
    early = {name: record | {"day": day - 2} for name in names}
    page = opened(new_page, f"{site_url}book/five.html", early)
    assert page.locator(".ask:visible").count() == 0
    assert "comes back in a day" in page.locator(".ask-none").inner_text()
    page = opened(new_page, f"{site_url}book/five.html", {name: record | {"day": day - 3} for name in names})
    shown = page.locator(".ask:visible")
    assert shown.count() == 5
    chapters = {shown.nth(k).get_attribute("data-chapter") for k in range(5)}
    assert chapters == {"1", "2"}
    assert page.locator(".ask[data-done]").count() == 0
    assert Axe().run(page).violations_count == 0
    with page.expect_download() as saved:
        page.locator(".ask-keep a").click()
    kept = json.loads(saved.value.path().read_text(encoding="utf-8"))
    assert set(json.loads(kept["dptutor-asks"])) == set(names)


def test_a_calculation_is_asked_anew_with_other_numbers(site, site_url, new_page):
    five = LexborHTMLParser((site / "book" / "five.html").read_text(encoding="utf-8"))
    anew, known = five.css(".ask[data-anew]"), asks(site)
    assert len(anew) >= 20
    for ask in anew:
        _, first = known[ask.attributes["data-ask"]]
        assert "[[" not in ask.text() and ask.attributes["data-kind"] == first.attributes["data-kind"] == "number"
        right = [one.css_first("li[data-right]").attributes["data-least"] for one in (ask, first)]
        texts = [one.css_first(".ask-question").text() for one in (ask, first)]
        assert texts[0] != texts[1] and right[0] != right[1], ask.attributes["data-ask"]
        within = float(ask.attributes["data-within"])
        ends = sorted(
            (float(one.attributes["data-least"]), float(one.attributes["data-most"])) for one in ask.css("li")
        )
        assert all(low[1] + within < high[0] for low, high in pairwise(ends)), ask.attributes["data-ask"]
    name = "ask-01-rate"
    numbers = []
    for turns in (1, 2, 3):
        record = {"first": True, "said": "x", "box": 1, "done": True, "day": 0, "turns": turns}
        page = opened(new_page, f"{site_url}book/five.html", {name: record})
        shown = page.locator(f".ask:visible[data-ask={name}]")
        assert shown.count() == 1
        numbers.append(shown.locator(".ask-question").inner_text())
        right = shown.locator("li[data-right]").get_attribute("data-least")
        shown.locator("input").fill(right)
        shown.locator("form button").click()
        assert shown.locator(".ask-told").get_attribute("data-verdict") == "right"
        kept = json.loads(page.evaluate("localStorage.getItem('dptutor-asks')"))
        assert kept[name]["turns"] == turns + 1
    assert len(set(numbers)) == 3


def test_what_is_remembered_can_be_erased(site_url, new_page):
    page = new_page()
    page.goto(f"{site_url}book/01_two_worlds.html")
    page.wait_for_load_state("networkidle")
    page.evaluate("localStorage.setItem('dptutor-asks', '{}')")
    page.goto(f"{site_url}book/five.html")
    page.wait_for_load_state("networkidle")
    erase = page.locator(".ask-keep button")
    erase.click()
    assert page.evaluate("localStorage.length") >= 1
    with page.expect_navigation():
        erase.click()
    assert page.evaluate("Object.keys(localStorage).filter((name) => name.startsWith('dptutor'))") == []


# What was answered while the capstone was chapter 14.

EARLIER = {"first": False, "guess": "both", "said": "both", "place": 0, "box": 0, "day": 0, "done": True}
MENU = "#chapters a[aria-current=page] .done"


def test_answers_to_the_capstone_of_before_are_those_of_chapter_20(site_url, new_page):
    def kept():
        return json.loads(page.evaluate("localStorage.getItem('dptutor-asks')"))

    def keep(answers):
        page.evaluate("text => localStorage.setItem('dptutor-asks', text)", json.dumps(answers))
        page.reload()
        page.wait_for_load_state("networkidle")

    page = new_page()
    page.goto(f"{site_url}book/20_capstone.html")
    page.wait_for_load_state("networkidle")
    before = {"ask-14-offers": EARLIER, "argue-14-letter": {"ticked": [0, 2]}, "ask-01-rate": EARLIER}
    keep(before)
    assert kept() == before  # reading changes nothing; what is written next is written whole
    assert page.locator("#ask-20-offers .ask-told").get_attribute("data-verdict") == "wrong"
    assert page.locator(".ask-surprises a").get_attribute("href") == "#ask-20-offers"
    assert page.locator("#argue-20-letter input:checked").count() == 2
    page.click(".primary-toggle")
    assert page.locator(MENU).inner_text() == "1 answered"
    page.keyboard.press("Escape")
    page.locator("#ask-20-complete .ask-choices button").first.click()
    now = {"ask-20-offers", "argue-20-letter", "ask-20-complete", "ask-01-rate", "numbering"}
    assert set(kept()) == now and kept()["ask-20-offers"] == EARLIER and kept()["numbering"] == 2
    keep(kept() | {"ask-14-offers": EARLIER})  # of the new chapter
    page.locator("#argue-20-statement summary").first.click()
    page.locator("#argue-20-statement input[type=checkbox]").first.check()
    assert set(kept()) == now | {"ask-14-offers", "argue-20-statement"}
    page.click(".primary-toggle")
    assert page.locator(MENU).inner_text() == "2 answered"


def test_questions_of_the_capstone_of_before_come_back_as_those_of_chapter_20(site_url, new_page):
    page = opened(new_page, f"{site_url}book/five.html", {"ask-14-false-step": EARLIER})
    assert page.locator(".ask:visible").first.get_attribute("data-ask") == "ask-20-false-step"
    assert {one.get_attribute("data-chapter") for one in page.locator(".ask:visible").all()} == {"20"}
    page = opened(new_page, f"{site_url}book/five.html", {"ask-14-false-step": EARLIER, "numbering": 2})
    assert page.locator(".ask:visible[data-chapter='20']").count() == 0


# Pages of exercises.


@every_chapter
def test_a_page_of_exercises_shows_what_a_page_can_do(site, chapter):
    number = int(chapter.stem[:2])
    page = LexborHTMLParser((site / "notebooks" / f"{number:02}_exercises.html").read_text(encoding="utf-8"))
    text = page.css_first("article").text()
    assert "✘" not in text and "nothing to check" not in text
    asked = {form.attributes["data-question"] for form in page.css(".dpq-question")}
    titles = [title.text() for title in page.css("h3")]
    folded = [summary.text().strip() for summary in page.css("details > summary")]
    others = [exercise for exercise in dp.exercises.catalogue(number) if exercise.id not in asked]
    assert asked | {exercise.id for exercise in others} == {exercise.id for exercise in dp.exercises.catalogue(number)}
    for exercise in others:
        assert any(title.startswith(exercise.id) for title in titles)
    assert folded.count("A worked answer") == len(others)
    links = [
        link.attributes["href"] for link in page.css("article a") if f"/{chapter.stem}.html#" in link.attributes["href"]
    ]
    text = article(site, chapter)
    for kind in ("sketch", "order"):
        assert {f"../book/{chapter.stem}.html#{ask.id}" for ask in text.css(f".ask[id][data-kind={kind}]")} <= set(
            links
        )
    assert {f"../book/{chapter.stem}.html#{one.id}" for one in text.css(".argue[id]")} <= set(links)
    assert all(text.css_first(f"[id='{link.split('#')[1]}']") for link in links)
    (link,) = page.css("a.download")
    assert (site / "notebooks" / link.attributes["href"]).resolve().is_file()


# Arguments that a page judges: steps to put in order, claims to refute, false steps to find.


def test_every_chapter_has_arguments_that_the_page_judges():
    for path in sorted((ROOT / "book").glob("[01][0-9]_*.md")):
        asked = re.findall(r"^:::\{ask\}\n(.*?)^:::$", path.read_text(encoding="utf-8"), re.M | re.S)
        ordered = [text for text in asked if re.search(r"^2\. ", text, re.M)]
        refuted = [text for text in asked if re.search(r"^:(refute|false-step):$", text, re.M)]
        assert ordered and len(ordered) + len(refuted) >= 3, path.name


def test_every_chapter_has_a_false_step_to_find():
    for path in sorted((ROOT / "book").glob("[01][0-9]_*.md")):
        text = path.read_text(encoding="utf-8")
        assert ":false-step:" in text or "{argue} Find the false step" in text, path.name


COUNT = """() => [...document.querySelectorAll(".argue")].map((place) => {
    const name = place.dataset.argue, sum = place.querySelector(".argue-sum");
    const boxes = [...place.querySelectorAll("input")];
    const wrong = [], all = boxes.reduce((total, box) => total + Number(box.value), 0);
    if (place.querySelector("details").open) wrong.push(`${name}: the model answer is open`);
    place.querySelector("details").open = true;
    boxes.forEach((box) => box.click());
    if (sum.textContent !== `${all} of ${all} points`) wrong.push(`${name}: ${sum.textContent}`);
    boxes[0].click();
    if (sum.textContent !== `${all - boxes[0].value} of ${all} points`) wrong.push(`${name}: ${sum.textContent}`);
    boxes[0].click();
    return wrong;
}).flat()"""


@pytest.mark.look
@pytest.mark.cases(1)
@pytest.mark.parametrize("screen", [PHONE, WIDE], ids=["phone", "wide"])
@every_chapter
def test_arguments_are_compared_and_counted(site_url, new_page, chapter, screen):
    page = new_page(**screen)
    page.goto(f"{site_url}book/{chapter.stem}.html")
    page.wait_for_load_state("networkidle")
    assert page.evaluate(COUNT) == []
    assert page.locator(".argue").count() >= 2
    assert page.evaluate("document.documentElement.scrollWidth") <= screen["viewport"]["width"]
    page.reload()
    page.wait_for_load_state("networkidle")
    assert page.locator(".argue input:not(:checked)").count() == 0


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_an_exercise_page_calls_no_two_places_of_its_chapter_the_same(chapter):
    lines = exercising.in_the_text(int(chapter.stem[:2])).splitlines()
    listed = [re.sub(r"<.*?>", "", line) for line in lines if line.startswith("- ")]
    assert len(listed) == len(set(listed)) > 0
    assert all(line.count('"') % 2 == 0 for line in listed)
