"""Serves the decks to this machine, and to the phones of a class a page that votes and plays: make room.

    python scripts/room.py [--port 8765] [--address 192.168.1.5] [--phones 4]

Phones get one page and the question of the slide that is shown, and send an answer: the number of a choice, or the
errors of a game. Decks, their notes and the results are for this machine alone. Nothing is written but the answers, to
_build/room/results.jsonl, which holds neither names nor addresses.

Somebody in the network can answer for others, as often as there may be phones at an address (`--phones`). Nobody can
answer another question than the one that is shown, send a choice or a result that there is not, send more than twenty
answers in ten seconds from one address, fill the memory or the disk (2,000 phones, 300 bytes a request, five seconds,
20,000 answers), read a file, or have another site's page send something (answers are JSON, which such a page may not
send).
"""

import argparse
import http.server
import json
import re
import socket
import sys
import threading
import time
from collections import deque
from contextlib import contextmanager
from http import HTTPStatus

from content import BUILD, ROOT

DECKS = BUILD / "slides"
RESULTS = BUILD / "room" / "results.jsonl"
PORT, PHONES = 8765, 4
ROUNDS = (15, 5)  # of either kind, in a game
MOST_PHONES, MOST_ADDRESSES = 2000, 4000
BURST, SECONDS = 20, 10
SMALL, LARGE = 300, 4000  # bytes of a request of a phone, and of the lecturer's
LINES = 20_000  # of results, of which a phone's last ones count
NUMBERING = 2  # of lectures; results without it are from when lecture 20 was lecture 14
POLICY = "default-src 'self' 'unsafe-inline' data: blob:; frame-ancestors 'self'"


class RefusedError(Exception):
    """What was sent is no answer."""


class Room:
    """What is asked, and what was answered: one answer to a question from each phone, the last one."""

    def __init__(self, results=RESULTS, phones=PHONES):
        self.results, self.phones = results, phones
        self.asked = None
        self.answers = {}  # by question and phone
        self.written = 0
        self._devices = {}  # the phones at an address
        self._recent = {}  # when the last answers from an address came
        self._lock = threading.Lock()
        self._read()

    def ask(self, question):
        """Opens a question, and with it closes the last; nothing, or `{"key": ..., "text": ..., "choices": ...}`."""
        if question is None:
            self.asked = None
            return
        match question:
            case {"key": str(key), "text": str(text), "choices": [*choices]} if all(
                isinstance(c, str) for c in choices
            ):
                self.asked = {"key": key, "text": text, "choices": choices}
            case _:
                raise RefusedError("a question has a key, a text and choices")

    def answer(self, address, sent, now):
        """Takes an answer: the number of a choice, or `[accused, missed, rounds]` where no choice is offered."""
        with self._lock:
            self._allow(address, now)
            match sent:
                case {"phone": str(phone), "key": str(key), "value": value} if re.fullmatch("[0-9a-f]{16}", phone):
                    asked = self.asked
                    if not asked or key != asked["key"]:
                        raise RefusedError("this question is closed")
                    check(value, asked["choices"])
                case _:
                    raise RefusedError("no answer")
            self._count(address, phone)
            if self.answers.get((key, phone)) == value:
                return
            if self.written >= LINES:
                raise RefusedError("there are too many answers")
            self.answers[key, phone] = value
            self.written += 1
            self.results.parent.mkdir(parents=True, exist_ok=True)
            with self.results.open("a", encoding="utf-8") as file:
                said = {"numbering": NUMBERING, "key": key, "phone": phone, "value": value}
                file.write(json.dumps(said) + "\n")

    def clear(self):
        """Forgets all answers: the next class comes in."""
        with self._lock:
            self.answers.clear()
            self._devices.clear()
            self.written = 0
            self.results.unlink(missing_ok=True)

    def tally(self):
        """All answers by their question, without the phones."""
        found = {}
        for (key, _), value in list(self.answers.items()):
            found.setdefault(key, []).append(value)
        return found

    def _read(self):
        """What was answered before this program was stopped."""
        if not self.results.is_file():
            return
        for line in self.results.read_text(encoding="utf-8").splitlines():
            try:
                said = json.loads(line)
                key = said["key"] if "numbering" in said else re.sub("^14_lecture ", "20_lecture ", said["key"])
                self.answers[key, said["phone"]] = said["value"]
            except (ValueError, KeyError, TypeError):
                continue
            self.written += 1

    def _allow(self, address, now):
        if address not in self._recent and len(self._recent) >= MOST_ADDRESSES:
            self._recent.clear()
        recent = self._recent.setdefault(address, deque(maxlen=BURST))
        if len(recent) == BURST and now - recent[0] < SECONDS:
            raise RefusedError("too many answers: wait a few seconds")
        recent.append(now)

    def _count(self, address, phone):
        known = self._devices.setdefault(address, set())
        if phone in known:
            return
        if len(known) >= self.phones or sum(map(len, self._devices.values())) >= MOST_PHONES:
            raise RefusedError("too many phones at this address")
        known.add(phone)


def check(value, choices):
    """Refuses what is no answer to a question with these choices."""
    numbers = value if isinstance(value, list) else [value]
    if not all(type(number) is int for number in numbers):
        raise RefusedError("an answer is a number")
    if choices:
        if isinstance(value, list) or not 0 <= value < len(choices):
            raise RefusedError("there is no such choice")
        return
    match value:
        case [accused, missed, rounds] if rounds in ROUNDS and 0 <= accused <= rounds and 0 <= missed <= rounds:
            return
    raise RefusedError("there is no such result")


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers phones and, at this machine, the deck."""

    timeout = 5
    protocol_version = "HTTP/1.0"  # no phone keeps a connection
    server_version, sys_version = "room", ""

    @property
    def here(self):
        """Whether it is this machine that asks, by its own name: a page of another site does not know it."""
        host = self.headers.get("Host", "").rsplit(":", 1)[0]
        return self.client_address[0] == "127.0.0.1" and host in {"127.0.0.1", "localhost"}

    def do_GET(self):
        room, path = self.server.room, self.path.split("?")[0]
        if path == "/ask":
            self.reply(room.asked)
        elif path == "/results" and self.here:
            self.reply({"address": self.server.address, "answers": room.tally()})
        elif path == "/":
            self.page("play.html")
        elif path.startswith("/slides/") and self.here:
            self.page(path.removeprefix("/slides/") or "index.html")
        else:
            self.refuse(HTTPStatus.NOT_FOUND, "there is no such page")

    def do_POST(self):
        room = self.server.room
        try:
            if self.path == "/answer":
                room.answer(self.client_address[0], self.sent(SMALL), time.monotonic())
            elif self.path == "/ask" and self.here:
                room.ask(self.sent(LARGE))
            elif self.path == "/clear" and self.here:
                self.sent(SMALL)
                room.clear()
            else:
                self.refuse(HTTPStatus.NOT_FOUND, "there is no such page")
                return
        except RefusedError as error:
            self.refuse(HTTPStatus.BAD_REQUEST, str(error))
            return
        self.reply({})

    def sent(self, most):
        """The body, as JSON; a page of another site cannot send this type without asking."""
        length = self.headers.get("Content-Length", "")
        if self.headers.get("Content-Type") != "application/json" or not re.fullmatch("[0-9]{1,5}", length):
            raise RefusedError("no answer")
        if int(length) > most:
            raise RefusedError("the answer is too long")
        try:
            return json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError, TimeoutError):
            raise RefusedError("no answer") from None

    def page(self, name):
        """A page of the decks, which learns that it is served."""
        if name not in {path.name for path in DECKS.glob("*.html")}:
            self.refuse(HTTPStatus.NOT_FOUND, "there is no such page")
            return
        text = (DECKS / name).read_text(encoding="utf-8")
        self.send(text.replace("<head>", '<head><meta name="room">', 1), "text/html; charset=utf-8")

    def reply(self, value):
        self.send(json.dumps(value), "application/json")

    def refuse(self, status, reason):
        self.send(json.dumps({"refused": reason}), "application/json", status)

    def send(self, text, kind, status=HTTPStatus.OK):
        body = text.encode()
        self.send_response(status)
        for name, value in {
            "Content-Type": kind,
            "Content-Length": len(body),
            "Cache-Control": "no-store",
            "Content-Security-Policy": POLICY,
            "X-Content-Type-Options": "nosniff",
        }.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Nobody's address is written down."""


class Server(http.server.ThreadingHTTPServer):
    """Answers up to sixty-four at a time."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, port, room, address, host=""):
        super().__init__((host, port), Handler)
        self.room, self.address = room, f"http://{address}:{self.server_port}/"
        self._free = threading.BoundedSemaphore(64)

    def process_request(self, request, client_address):
        if not self._free.acquire(timeout=5):
            self.shutdown_request(request)
            return
        super().process_request(request, client_address)

    def process_request_thread(self, request, client_address):
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request, client_address):
        """A phone that went away is no news."""


def own_address():
    """This machine's address in the local network; nothing is sent to find it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("10.255.255.255", 1))
            return probe.getsockname()[0]
        except OSError:
            return "127.0.0.1"


@contextmanager
def serving(room, port=0, address="127.0.0.1", host="127.0.0.1"):
    """Serves a room in the background, by its server."""
    with Server(port, room, address, host) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()


def main(arguments):
    parser = argparse.ArgumentParser(
        prog="room.py", description="Serves decks here and a page to the phones of a class."
    )
    parser.add_argument("--port", type=int, default=PORT)
    parser.add_argument("--address", help="of this machine in the local network")
    parser.add_argument("--phones", type=int, default=PHONES, help="at one address")
    asked = parser.parse_args(arguments)
    if not (DECKS / "play.html").is_file():
        print("There are no decks yet: run make slides.")
        return 1
    try:
        with Server(asked.port, Room(phones=asked.phones), asked.address or own_address()) as server:
            print(
                f"The decks are at http://127.0.0.1:{server.server_port}/slides/, for this machine alone.\n"
                f"Phones in the same network open {server.address}; slides that ask show it as a code.\n"
                f"Answers are kept in {RESULTS.relative_to(ROOT)}. Ctrl-C stops it.",
                flush=True,
            )
            server.serve_forever()
    except (OSError, OverflowError) as error:
        print(f"cannot serve on port {asked.port} ({error}): choose another, as in 'make room PORT=8766'")
        return 1
    except KeyboardInterrupt:
        return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
