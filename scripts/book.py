"""Builds the book to _build/html and serves it.

python scripts/book.py build          build what changed
python scripts/book.py serve PORT     build what changed, then serve on this machine until Ctrl-C
python scripts/book.py port PORT      say in one line why PORT cannot be served on, if so

What may be kept from the last build is decided here, by content: Sphinx does not know that a page depends on the
library it calls, does not repeat the warnings of pages it keeps, and takes a page half written by a killed build
for a finished one. So pages are kept only from a build that ended well, on the same foundation.

Two builds of one commit from clean, wherever, whenever and whatever the hash seed, give the same bytes.
"""

import functools
import hashlib
import http.server
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing, contextmanager

from content import BUILD, ROOT, TABLES, digest, forget
from sharing import dated

SITE = BUILD / "html"
DONE = BUILD / "done"  # what the last build was made from, while it is whole
FIRST = BUILD / "first.html"  # what there is to do until a first build has ended

FOUNDATION = [
    "dptutor",
    "pyproject.toml",
    "requirements.txt",
    "constraints.txt",
    "_config.yml",
    "scripts/book.py",
    "scripts/content.py",
    "scripts/exercising.py",
    "scripts/guide.py",
    "scripts/reading.py",
    "scripts/running.py",
    "scripts/sketching.py",
]
# What pages are written with: when it changes, all are written again, from what was read and run before.
LOOK = [
    "book/_static",
    "book/_theme",
    "book/accountant",
    *(f"book/{page}.{kind}" for page in ("asking", "front", "telling", "your_run") for kind in ("css", "js")),
    "book/answers.js",
    "book/sketching.js",
    *(
        f"scripts/{name}.py"
        for name in (
            "asking",
            "cards",
            "embedding",
            "gallery",
            "moved",
            "noting",
            "pages",
            "previews",
            "searching",
            "sharing",
            "telling",
            "typesetting",
        )
    ),
]
PAGES = ["_toc.yml", "book", "notebooks"]

# What a cell prints comes in one piece, at its end; pieces would be set as lines of their own.
KERNEL = """\
from ipykernel.iostream import OutStream

c.Application.log_level = "ERROR"
OutStream.flush_interval = 3600
# Figures are sharp on every screen and on paper, the page shows through, and symbols are the letters of the formulas.
c.InlineBackend.figure_formats = {"svg"}
c.InlineBackend.print_figure_kwargs = {
    "bbox_inches": "tight",
    "metadata": dict.fromkeys(["Date", "Creator", "Format", "Type"]),
}
c.InlineBackend.rc = {
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "mathtext.fontset": "stix",
    "svg.hashsalt": "dptutor",
}
"""


def main(arguments):
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return run(arguments)
    except KeyboardInterrupt:
        print("\nStopped.")
        return 0 if arguments[0] == "serve" else 130


def run(arguments):
    match arguments:
        case ["build"]:
            code = build()
            print("The book has errors, see above." if code else f"The book is in {SITE.relative_to(ROOT)}/")
            return code
        case ["serve", port]:
            return serve(port)
        case ["port", port]:
            print(why_not(port), end="")
            return 0
    print(__doc__)
    return 2


# Building.


def build():
    with locked():
        foundation = digest(*FOUNDATION)
        look = f"{digest(*LOOK)} {dated()}"
        openings = opened()
        state = f"{foundation} {look} {digest(*PAGES)} {openings}"
        done = last_built()
        if done == state:
            return 0
        print("Building the book ...", flush=True)
        DONE.unlink(missing_ok=True)
        if not done.endswith(openings):
            (ROOT / "book" / "instructors.md").touch()  # it reads the other pages
        if not done.startswith(foundation):
            for made in [SITE, BUILD / ".doctrees", BUILD / "jupyter_execute"]:
                shutil.rmtree(made, ignore_errors=True)
            # Explorers first, on all cores: a page that shows one need not compute it.
            freeze = "import dptutor.explore as e; from dptutor.explore.machinery.packing import fill; fill(e.__all__)"
            subprocess.run([sys.executable, "-c", freeze], cwd=ROOT, env=environment())
        elif not done.startswith(f"{foundation} {look}"):
            shutil.rmtree(SITE, ignore_errors=True)
        call = "import gc; gc.set_threshold(100_000, 50, 100); from jupyter_book.cli.main import main; main()"
        options = [".", "-q", "-W", "-n", "--keep-going"]
        command = [sys.executable, "-c", call, "build", *options]
        # On stdout it praises itself; what went wrong comes on stderr.
        code = subprocess.run(command, cwd=ROOT, env=environment(), stdout=subprocess.DEVNULL).returncode
        if code == 0:
            DONE.write_text(state)
            forget()
        return code


def last_built():
    """What the site was made from, as far as it is whole."""
    return DONE.read_text() if DONE.is_file() and SITE.is_dir() else ""


def opened():
    """A digest of what a page says of the others: their titles, and what they ask of a reader."""
    chapters = [page.read_text(encoding="utf-8") for page in sorted((ROOT / "book").glob("[0-9][0-9]_*.md"))]
    said = [re.findall(r"^# \d+ [^\n]+|^\*\*You need\*\*.*?(?=\n\n)", text, re.M | re.S) for text in chapters]
    return hashlib.sha256(repr(said).encode()).hexdigest()


@contextmanager
def locked():
    """One build at a time; another one waits."""
    BUILD.mkdir(exist_ok=True)
    # A database is locked in the same way on every system, and no longer than the process lives.
    with closing(sqlite3.connect(BUILD / "lock", timeout=86400, isolation_level=None)) as lock:
        lock.execute("BEGIN EXCLUSIVE")
        yield


def environment():
    """Chapters run with the kernel of this environment, untouched by the user's own settings."""
    profile = BUILD / ".ipython" / "profile_default"
    profile.mkdir(parents=True, exist_ok=True)
    (profile / "ipython_kernel_config.py").write_text(KERNEL)
    return os.environ | {
        "JUPYTER_PREFER_ENV_PATH": "1",
        "IPYTHONDIR": str(BUILD / ".ipython"),
        "MPLCONFIGDIR": str(BUILD / ".matplotlib"),
        "DPTUTOR_TABLES": str(TABLES),
        "PYTHONWARNINGS": "",
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
        # Small products on many threads cost more than they gain, and add up in an order of their own.
        "OPENBLAS_NUM_THREADS": "1",
    }


# Serving.


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128  # a page asks for all its files at once
    waiting = None  # a page that stands for all others

    def handle_error(self, request, client_address):
        """A reader who leaves before a file has arrived is no news."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


# Stands for all pages until there is one to show.
SOON = b"""\
<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8"><meta http-equiv="refresh" content="1"><title>The book is being built</title>
<p style="margin: 1em; font: 15px/1.5 system-ui, sans-serif">The book is being built. It will open here by itself.</p>
</html>
"""

# Above the first explorer, while the book is being built. It gives way to the book.
MEANWHILE = """\
<p style="margin: 0 0 1em; font: 15px/1.5 system-ui, sans-serif">The book is being built, which takes
a few minutes this time. It will open here by itself. Until then, this is a picture from its first chapter: take hold
of the line.</p>
<script>
setInterval(() => fetch("/", { method: "HEAD" }).then((book) => book.ok && location.replace("/"), () => {}), 1000);
</script>
"""


class Handler(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):
        self.wait() if self.server.waiting else super().do_GET()

    def do_HEAD(self):
        self.wait() if self.server.waiting else super().do_HEAD()

    def wait(self):
        self.send_response(503)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(self.server.waiting)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(self.server.waiting)

    def log_message(self, *args):
        pass

    def send_error(self, code, message=None, explain=None):
        lost = SITE / "404.html"
        if code != 404 or not lost.is_file():
            super().send_error(code, message, explain)
            return
        body = lost.read_bytes()
        self.send_response(404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def end_headers(self):
        self.send_header("Cache-Control", "no-cache")  # a rebuilt page is seen at the next reload
        super().end_headers()


def serve(port):
    if reason := why_not(port):
        print(reason, file=sys.stderr)
        return 1
    with running(SITE, int(port), SOON) as server:
        address = f"http://127.0.0.1:{server.server_port}/"
        if takes_minutes():
            server.waiting = first_explorer()
            print(f"This build takes a few minutes; until then, a picture to drag is at {address}", flush=True)
        if code := build():
            return code
        server.waiting = None
        print(f"The book is at {address} (Ctrl-C stops it)", flush=True)
        while True:
            time.sleep(3600)


def takes_minutes():
    """Whether the next build keeps nothing of the last one."""
    return not last_built().startswith(digest(*FOUNDATION))


def first_explorer():
    """The page with which waiting begins."""
    BUILD.mkdir(exist_ok=True)
    options = ["explore", "threshold_test", "--no-browser", "--out", FIRST]
    call = [sys.executable, "-m", "dptutor", *options]
    subprocess.run(call, cwd=ROOT, env=environment(), stdout=subprocess.DEVNULL, check=True)
    return FIRST.read_text(encoding="utf-8").replace("<main>", f"<main>{MEANWHILE}", 1).encode()


@contextmanager
def served(folder):
    """Serves a folder on a free port, by its address."""
    with running(folder, 0) as server:
        yield f"http://127.0.0.1:{server.server_port}/"


@contextmanager
def running(folder, port, waiting=None):
    """A server of a folder, which answers while other things are done; `waiting` stands for all pages at first."""
    with Server(("127.0.0.1", port), functools.partial(Handler, directory=folder)) as server:
        server.waiting = waiting
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()


def why_not(port):
    """Why `port` cannot be served on; empty if it can."""
    try:
        if int(port) == 0:  # the system would choose one
            raise ValueError
        with Server(("127.0.0.1", int(port)), Handler):
            return ""
    except (ValueError, OverflowError):
        return f"PORT={port} is not a port: choose a number from 1024 to 65535, as in 'make book PORT=8001'"
    except OSError as error:
        return f"cannot serve on port {port} ({error.strerror}): choose another, as in 'make book PORT=8001'"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
