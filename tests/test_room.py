"""What the room says: votes and games, typed in or sent by phones, and what a hostile phone cannot do."""

import http.client
import json
from io import BytesIO

import nbformat
import numpy as np
import pytest
import zxingcpp
from conftest import approx, until
from PIL import Image
from test_slides import ROOT, make_decks, opened, own_deck, own_notebook, slide, speaker

import dptutor as dp
import room
import slides

VOTE = {"key": "01 vote", "text": "In?", "choices": ["in", "not in"]}
GAME = {"key": "01 game", "text": "Play", "choices": []}


def phone(number):
    return f"{number:016x}"


@pytest.fixture
def asking(tmp_path):
    """A room that asks for votes."""
    opened = room.Room(tmp_path / "results.jsonl")
    opened.ask(VOTE)
    return opened


def send(asking, value, number=1, key=VOTE["key"], address="10.0.0.2", now=0.0):
    asking.answer(address, {"phone": phone(number), "key": key, "value": value}, now)


# The rules.


def test_the_last_answer_of_a_phone_counts_and_outlives_the_program(asking):
    send(asking, 0)
    send(asking, 1)
    send(asking, 1, number=2)
    assert asking.tally() == {"01 vote": [1, 1]}
    assert room.Room(asking.results).tally() == {"01 vote": [1, 1]}
    asking.clear()
    assert asking.tally() == room.Room(asking.results).tally() == {}


def test_only_what_is_asked_is_answered(asking):
    with pytest.raises(room.RefusedError, match="closed"):
        send(asking, [1, 2, 15], key=GAME["key"])
    asking.ask(GAME)
    with pytest.raises(room.RefusedError, match="closed"):
        send(asking, 0)
    send(asking, [4, 3, 15], key=GAME["key"])
    send(asking, [4, 3, 5], number=2, key=GAME["key"])
    assert asking.tally() == {"01 game": [[4, 3, 15], [4, 3, 5]]}
    asking.ask(None)
    with pytest.raises(room.RefusedError, match="closed"):
        send(asking, [4, 3, 15], key=GAME["key"])


@pytest.mark.parametrize("value", [-1, 2, 0.0, True, "0", None, [0], [], {}, 10**400, [[0]], "=1+1"])
def test_a_vote_is_the_number_of_a_choice(asking, value):
    with pytest.raises(room.RefusedError):
        send(asking, value)
    assert not asking.results.exists()


@pytest.mark.parametrize("value", [0, [1, 2], [1, 2, 3, 4], [16, 0, 15], [0, -1, 15], [1, 1, 14], [1.0, 1, 15],
                                   [True, 1, 15], [0, 0, 0], [10**400] * 3, "1 2 15", None])  # fmt: skip
def test_a_result_is_that_of_a_game(asking, value):
    asking.ask(GAME)
    with pytest.raises(room.RefusedError):
        send(asking, value, key=GAME["key"])


@pytest.mark.parametrize("sent", [None, 3, [], {}, {"phone": phone(1)},
                                  {"phone": "../../x", "key": "01 vote", "value": 0},
                                  {"phone": phone(1) + "\n", "key": "01 vote", "value": 0},
                                  {"phone": phone(1), "key": ["01 vote"], "value": 0}])  # fmt: skip
def test_anything_else_is_no_answer(asking, sent):
    with pytest.raises(room.RefusedError):
        asking.answer("10.0.0.2", sent, 0.0)
    assert asking.tally() == {}


def test_nobody_fills_the_room_alone(asking):
    """Twenty answers in ten seconds, and four phones, from one address; others are not kept waiting."""
    for k in range(room.BURST):
        send(asking, k % 2, now=k / 100)
    with pytest.raises(room.RefusedError, match="wait"):
        send(asking, 0, now=room.SECONDS - 1)
    send(asking, 0, number=9, address="10.0.0.3", now=room.SECONDS - 1)
    send(asking, 0, now=3 * room.SECONDS)
    for number in range(2, room.PHONES + 1):
        send(asking, 0, number=number, now=3 * room.SECONDS)
    with pytest.raises(room.RefusedError, match="phones"):
        send(asking, 0, number=99, now=3 * room.SECONDS)
    assert len(asking.tally()["01 vote"]) == room.PHONES + 1


def test_what_is_written_and_remembered_has_an_end(asking, monkeypatch):
    monkeypatch.setattr(room, "LINES", 3)
    monkeypatch.setattr(room, "MOST_ADDRESSES", 5)
    for k in range(3):
        send(asking, 0, number=k, address=f"10.0.0.{k}")
    with pytest.raises(room.RefusedError, match="too many answers"):
        send(asking, 0, number=7, address="10.0.0.7")
    for k in range(50):
        with pytest.raises(room.RefusedError):
            send(asking, 9, address=f"10.0.1.{k}")
    assert len(asking._recent) <= 5
    assert len(asking.results.read_text().splitlines()) == 3


def test_a_spoiled_file_of_results_stops_nothing(tmp_path):
    file = tmp_path / "results.jsonl"
    file.write_text('nonsense\n{"key": "a"}\n[]\n{"key": "01 vote", "phone": "1", "value": 1}\n')
    assert room.Room(file).tally() == {"01 vote": [1]}


# The server.


@pytest.fixture(scope="module")
def decks():
    run = make_decks("01")
    assert run.returncode == 0, run.stdout + run.stderr
    return ROOT / "_build" / "slides"


@pytest.fixture
def server(asking, decks):
    with room.serving(asking) as running:
        yield running


def request(server, method, path, body=None, host=None, **headers):
    link = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=10)
    headers = {
        "Host": host or f"127.0.0.1:{server.server_port}",
        **{k.replace("_", "-"): v for k, v in headers.items()},
    }
    if body is not None:
        headers = {"Content-Type": "application/json", **headers}
    link.request(method, path, body, headers)
    answer = link.getresponse()
    return answer.status, answer.read().decode()


def test_phones_get_one_page_and_the_question(server):
    assert request(server, "GET", "/")[0] == 200
    assert json.loads(request(server, "GET", "/ask")[1]) == VOTE
    sent = json.dumps({"phone": phone(1), "key": "01 vote", "value": 1})
    assert request(server, "POST", "/answer", sent) == (200, "{}")
    assert json.loads(request(server, "GET", "/results")[1]) == {"address": server.address, "answers": {"01 vote": [1]}}


@pytest.mark.parametrize(("path", "method"), [("/results", "GET"), ("/slides/01.html", "GET"), ("/slides/", "GET"),
                                              ("/ask", "POST"), ("/clear", "POST")])  # fmt: skip
def test_the_lecturers_side_is_for_this_machine_by_its_own_name(server, path, method, monkeypatch):
    body = "null" if method == "POST" else None
    assert request(server, method, path, body)[0] == 200
    # A page elsewhere whose name leads here; and a phone.
    assert request(server, method, path, body, host=f"evil.example:{server.server_port}")[0] == 404
    monkeypatch.setattr(room.Handler, "client_address", ("10.0.0.2", 1), raising=False)
    monkeypatch.setattr(room.Handler, "here", property(lambda self: room.Handler.client_address[0] == "127.0.0.1"))
    assert request(server, method, path, body)[0] == 404


@pytest.mark.parametrize("path", ["/slides/../../pyproject.toml", "/slides/%2e%2e/%2e%2e/Makefile",
                                  "/slides//etc/passwd", "/slides/01.html/..",
                                  "//etc/passwd", "/slides/01.pdf", "/../room.py"])  # fmt: skip
def test_no_other_file_is_read(server, path):
    assert request(server, "GET", path)[0] == 404


@pytest.mark.parametrize(("body", "headers"), [
    ("x" * 301, {}), ("{", {}), ("[" * 290, {}), ("\xff", {}), ("", {}), ("NaN", {}),
    ("null", {"Content_Length": "-1"}), ("null", {"Content_Length": "99999999"}), ("null", {"Content_Length": "4, 4"}),
    # As a form on another site could send it.
    (json.dumps({"phone": phone(1), "key": "01 vote", "value": 1}), {"Content_Type": "text/plain"}),
])  # fmt: skip
def test_what_is_too_long_or_nonsense_is_refused(server, body, headers):
    status, said = request(server, "POST", "/answer", body.encode("latin1"), **headers)
    assert status == 400
    assert "refused" in json.loads(said)
    assert server.room.tally() == {}


def test_a_method_that_is_not_there_is_refused(server):
    for method in ("PUT", "DELETE", "OPTIONS", "TRACE"):
        assert request(server, method, "/answer", "{}")[0] == 501


def test_nothing_is_written_but_the_results(server, tmp_path):
    request(server, "POST", "/answer", json.dumps({"phone": phone(1), "key": "01 vote", "value": 1}))
    assert [path.name for path in tmp_path.iterdir()] == ["results.jsonl"]
    assert "127.0.0.1" not in (tmp_path / "results.jsonl").read_text()


# The deck and the phone.


def test_votes_are_typed_in_kept_and_shown_beside_the_truth(decks, page):
    opened(page, decks / "01.html")
    page.keyboard.press("End")
    assert page.locator("section.present .deck-room").is_hidden()  # nobody voted: there is nothing to show
    page.keyboard.press("Home")
    page.fill("section.present [data-choice='0'] input", "11")
    page.keyboard.press("Enter")
    page.keyboard.type("19")
    page.keyboard.press("Enter")
    assert page.inner_text("section.present .deck-sum") == "30 votes"
    page.reload()
    page.wait_for_selector("html[data-ready]")
    page.keyboard.press("Home")  # the address may still have been that of the last slide
    assert page.input_value("section.present [data-choice='1'] input") == "19"
    page.keyboard.press("End")
    assert page.inner_text("section.present .deck-sum") == "11 of 30 had it right."
    right = page.locator("section.present .deck-right")
    assert right.count() == 1 and right.inner_text().split()[0] == "in"
    wide = page.eval_on_selector_all("section.present .deck-row i", "all => all.map(e => e.clientWidth)")
    assert wide[0] / wide[1] == approx(11 / 19, rel=0.01)
    page.keyboard.press("Home")
    page.click("section.present [data-clear]")
    assert page.inner_text("section.present .deck-sum") == ""


CURVE = "document.querySelector('[data-curve] svg').closest('section')"


def to_curve(page):
    page.evaluate(f"Reveal.slide(Array.from(document.querySelectorAll('.slides > section')).indexOf({CURVE}))")


def test_all_bars_of_a_vote_begin_at_one_place(tmp_path, new_page):
    vote = {"vote": "which", "text": "Which?", "choices": ["one", "the pair and the advantage, both of them"]}
    asks = nbformat.v4.new_markdown_cell("## Vote", metadata={"room": vote})
    page = opened(new_page(viewport={"width": 1024, "height": 768}), own_deck(tmp_path, asks))
    bars = page.eval_on_selector_all(
        ".deck-row b", "all => all.map(e => [e.getBoundingClientRect().left, e.getBoundingClientRect().width])"
    )
    assert len(bars) == 2 and bars[0] == bars[1] and bars[0][1] > 200


def test_points_of_a_class_are_drawn_where_they_belong(decks, page):
    opened(page, decks / "01.html")
    to_curve(page)
    here = slide(page)
    for text in ("4 3", "10-2-5", "https://example.org/play.html#result=0-15-15", "nobody", "16 3", "5/20, 6/20"):
        page.fill("section.present [data-point]", text)
        page.keyboard.press("Enter")
        page.fill("section.present [data-point]", "")
    assert slide(page) == here
    # "10-2-5" and "16 3" cannot be: of five or fifteen rounds no more are wrong.
    drawn = page.eval_on_selector_all(
        "section.present .deck-point", "all => all.map(e => [+e.getAttribute('cx'), +e.getAttribute('cy')])"
    )
    left, top, size = slides.CURVE_BOX
    found = {(round((x - left) / size, 6), round(1 - (y - top) / size, 6)) for x, y in drawn}
    assert found == {(round(4 / 15, 6), 0.2), (0.0, 1.0), (0.25, 0.3)}
    f = dp.Gaussian(sigma=1).tradeoff
    path = page.get_attribute("section.present .deck-best", "d")
    points = np.array([pair.split() for pair in path[1:].split("L")], dtype=float)
    assert np.abs(1 - (points[:, 1] - top) / size - f((points[:, 0] - left) / size)).max() < 1e-3
    below = sum(f(alpha) > beta + 1e-9 for alpha, beta in found)
    said = page.inner_text("section.present .deck-sum")
    assert said.startswith("3 players, on average (0.17, 0.50)") and f"{below} below" in said
    page.click("section.present [data-undo]")
    assert page.inner_text("section.present .deck-sum").startswith("2 players,")


def test_the_speakers_window_takes_votes_for_the_room(decks, new_page):
    page = opened(new_page(), decks / "01.html")
    _, frame = speaker(page)
    frame.fill("section.present [data-choice='0'] input", "7")
    page.wait_for_function("document.querySelector('section.present .deck-sum').textContent === '7 votes'")
    page.fill("section.present [data-choice='1'] input", "2")
    frame.wait_for_function("document.querySelector('section.present .deck-sum').textContent === '9 votes'")


def test_a_phone_votes_and_plays_what_is_on_the_screen(asking, decks, new_page):
    with room.serving(asking) as server:
        deck = new_page()
        deck.goto(f"http://127.0.0.1:{server.server_port}/slides/01.html")
        deck.wait_for_selector("html[data-ready]")
        deck.fill("section.present [data-choice='0'] input", "1")
        phone = new_page(viewport={"width": 390, "height": 664})
        phone.goto(f"http://127.0.0.1:{server.server_port}/")
        phone.click("#vote button:has-text('not in')")
        until(phone, "document.querySelector('#told').textContent === 'Counted.'")
        until(deck, "document.querySelector('section.present .deck-sum').textContent === '2 votes'")
        to_curve(deck)
        phone.wait_for_selector("[data-length='5']")
        phone.click("[data-length='5']")
        for number in range(1, 11):
            until(phone, f"document.querySelector('[data-round]').textContent.startsWith('Round {number} of')")
            until(
                phone,
                "(() => { const e = document.querySelector('[data-explorer]').explorer;"
                " return e.drawn?.every((value, k) => value === e.values[k]); })()",
            )
            phone.click("[data-guess='1']")
        until(phone, "document.querySelector('#told').textContent === 'Wrongly accused 5, missed 0. Counted.'")
        until(deck, "document.querySelectorAll('section.present .deck-point').length === 1")
        assert asking.tally() == {"01_lecture 0.8": [1], "01_lecture rounds": [[5, 0, 5]]}
        deck.keyboard.press("ArrowRight")
        phone.wait_for_selector("text=Wait for a question")
        for page in (deck, phone):
            page.goto("about:blank")  # both go on asking, and would find nobody there


def test_a_phone_without_a_server_says_what_to_read_out(decks, new_page):
    page = new_page(viewport={"width": 390, "height": 664})
    page.goto((decks / slides.PHONE).as_uri() + "#vote=4")
    page.click("#vote button:has-text('3')")
    assert page.inner_text("#told") == "Read out: 3."
    page.goto("about:blank")
    page.goto((decks / slides.PHONE).as_uri() + "#result=4-3-15")
    assert page.inner_text("#told") == "Of 15 rounds of either kind: wrongly accused 4, missed 3."
    assert page.locator("#game [data-length='15']").is_visible()
    assert not [address for address in page.seen.requests if not address.startswith(("file:", "data:", "about:"))]


def read(element):
    """What a camera reads in a code on the screen."""
    return [code.text for code in zxingcpp.read_barcodes(Image.open(BytesIO(element.screenshot())))]


def test_a_deck_for_phones_elsewhere_shows_the_address_as_a_code(tmp_path, new_page):
    path = own_notebook(tmp_path, nbformat.v4.new_markdown_cell("# A vote", metadata={
        "room": {"vote": "v", "text": "Which?", "choices": ["this", "that", "neither"]}}))  # fmt: skip
    deck = tmp_path / "mine.html"
    lecture = slides.Lecture(path, room="https://example.org/play.html")
    deck.write_text(slides.deck_page(lecture, ""), encoding="utf-8")
    page = opened(new_page(), deck)
    assert read(page.locator(".deck-code-join svg")) == ["https://example.org/play.html#vote=3"]
    page.keyboard.press("d")
    assert read(page.locator(".deck-code-join svg")) == ["https://example.org/play.html#vote=3"]


def test_every_text_that_fits_is_read_back_from_its_code(page):
    page.set_content(f"<script>{(ROOT / 'scripts/deck/qr.js').read_text(encoding='utf-8')}</script>")
    whole = "http://192.168.1.77:8765/#vote=4&ünï∂" * 4
    for length in range(1, 107):
        text = whole.encode()[:length].decode(errors="ignore")
        modules = np.array(page.evaluate("text => qr(text)", text), dtype=np.uint8)
        picture = np.kron(np.pad(1 - modules, 4, constant_values=1) * 255, np.ones((3, 3))).astype(np.uint8)
        assert [code.text for code in zxingcpp.read_barcodes(picture)] == [text]
    assert page.evaluate("qr('x'.repeat(107))") is None


@pytest.mark.parametrize("metadata", [
    {"vote": "v", "text": "?", "choices": ["one"]}, {"again": "nobody"}, {"curve": "import os", "name": "c"}, {}, [],
    {"vote": "v", "text": "?", "choices": ["a", "b"], "right": 0},
])  # fmt: skip
def test_a_question_that_no_slide_can_ask_is_named(tmp_path, metadata):
    path = own_notebook(tmp_path, nbformat.v4.new_markdown_cell("# One", metadata={"room": metadata}))
    with pytest.raises(slides.CannotShowError, match=r"mine\.ipynb, cell 1, cannot be shown"):
        slides.deck_page(slides.Lecture(path), "")


def test_what_is_asked_at_the_start_of_a_lecture_is_shown_again_at_its_end():
    for path in sorted((ROOT / "notebooks").glob("*_lecture.ipynb")):
        asked = [cell.metadata["room"] for cell in nbformat.read(path, 4).cells if "room" in cell.metadata]
        votes, again = ([r[kind] for r in asked if kind in r] for kind in ("vote", "again"))
        assert votes == again, path.name
