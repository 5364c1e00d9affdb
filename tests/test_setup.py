"""What `make` says and does when something is missing, taken or interrupted; the README's examples."""

import ast
import doctest
import os
import pty
import select
import shutil
import signal
import socket
import subprocess
import sys
import tomllib
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from conftest import free_port
from packaging.requirements import Requirement

import book
import dptutor as dp
import pinning

ROOT = Path(__file__).resolve().parent.parent


def make(*arguments, cwd=ROOT, **environment):
    """One run of make, as from a shell that is not itself inside a make."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("MAKE", "MFLAGS", "PYTHON"))}
    return subprocess.run(
        ["make", *arguments], cwd=cwd, env=clean | environment, capture_output=True, text=True, timeout=120
    )


def one_line(run):
    """The single line that make says when it gives up."""
    assert run.returncode != 0
    assert run.stdout == ""
    (line,) = run.stderr.splitlines()
    return line


@pytest.fixture
def empty_clone(tmp_path):
    """The tree without an environment, in a folder whose name has a space."""
    clone = tmp_path / "a clone"
    clone.mkdir()
    for name in [
        "Makefile",
        "pyproject.toml",
        "requirements.txt",
        "constraints.txt",
        "scripts",
        "tests/requirements.txt",
    ]:
        source, target = ROOT / name, clone / name
        target.parent.mkdir(exist_ok=True)
        shutil.copytree(source, target) if source.is_dir() else shutil.copy(source, target)
    return clone


@pytest.fixture(scope="module")
def environment():
    """Brought up to date first, so that nothing speaks of it later."""
    assert make("environment").returncode == 0


@pytest.mark.usefixtures("environment")
def test_a_taken_port_is_told_in_one_line():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        line = one_line(make("book", f"PORT={port}"))
    assert f"cannot serve on port {port}" in line
    assert "make book PORT=8001" in line


@pytest.mark.usefixtures("environment")
@pytest.mark.parametrize("port", ["web", "70000", "-1", "0"])
def test_what_is_no_port_is_told_in_one_line(port):
    assert f"PORT={port} is not a port" in one_line(make("book", f"PORT={port}"))


@pytest.mark.parametrize("long", [True, False])
def test_whoever_comes_early_finds_a_page_that_waits(monkeypatch, tmp_path, capsys, long):
    port, found = free_port(), []

    def asked(address="book/intro.html"):
        with pytest.raises(urllib.error.HTTPError) as answer:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/{address}")
        found.append((answer.value.code, answer.value.read()))

    def picture():
        asked()
        assert capsys.readouterr().out == ""
        return b"picture"

    def build():
        asked()
        return 1

    monkeypatch.setattr(book, "SITE", tmp_path)
    monkeypatch.setattr(book, "takes_minutes", lambda: long)
    monkeypatch.setattr(book, "first_explorer", picture)
    monkeypatch.setattr(book, "build", build)
    assert book.serve(str(port)) == 1
    assert found == ([(503, book.SOON), (503, b"picture")] if long else [(503, book.SOON)])
    assert (f"a picture to drag is at http://127.0.0.1:{port}/" in capsys.readouterr().out) == long


def test_a_sheet_for_one_lecture_is_made_by_its_number():
    assert "--chapters 7 8 " in make("-n", "pack", "CHAPTERS=7 8").stdout


def test_a_missing_python_is_told_in_one_line(empty_clone):
    line = one_line(make("site", "PYTHON=python-of-tomorrow", cwd=empty_clone))
    assert "no Python 3.11 or newer found as python-of-tomorrow" in line


def test_a_python_too_old_is_told_in_one_line(empty_clone):
    old = empty_clone / "old-python"
    old.write_text("#!/bin/sh\nexit 1\n")  # as 3.10 answers when asked whether it is recent
    old.chmod(0o755)
    assert "no Python 3.11 or newer found" in one_line(make("site", "PYTHON=./old-python", cwd=empty_clone))


def test_a_missing_venv_module_is_told_in_one_line(empty_clone):
    bare = empty_clone / "bare-python"
    bare.write_text('#!/bin/sh\ncase "$2" in *venv*) exit 1;; esac\nexit 0\n')
    bare.chmod(0o755)
    line = one_line(make("site", "PYTHON=./bare-python", cwd=empty_clone))
    assert "lacks the venv module" in line
    assert "python3-venv" in line


@pytest.mark.host
def test_a_failed_installation_ends_in_one_line_and_is_taken_up_again(empty_clone):
    (empty_clone / "requirements.txt").write_text("a-package-that-is-not-there==1.0\n")
    nowhere = {"PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull, "PIP_FIND_LINKS": ""}
    for attempt in ["first", "second"]:
        run = make("site", f"PYTHON={sys.executable}", cwd=empty_clone, **nowhere)
        assert run.returncode != 0, attempt
        line = run.stderr.splitlines()[-1]
        assert "the installation failed: is there a network?" in line
        assert not (empty_clone / ".venv/ready").exists()
    assert "Traceback" not in run.stderr
    (empty_clone / "requirements.txt").write_text("pip\n")
    assert make("environment", cwd=empty_clone, **nowhere).returncode == 0  # what is there needs no uv, no network
    assert (empty_clone / ".venv/ready").exists()


def served_in_a_terminal(port):
    """`make book` as the foreground job of a new terminal: process id, terminal, what it said until it serves."""
    process, terminal = pty.fork()
    if process == 0:
        for name in [name for name in os.environ if name.startswith(("MAKE", "MFLAGS"))]:
            del os.environ[name]
        os.chdir(ROOT)
        os.execvp("make", ["make", "book", f"PORT={port}"])
    said = b""
    while b"Ctrl-C" not in said:
        said += os.read(terminal, 4096)
    return process, terminal, said


@pytest.mark.host
@pytest.mark.usefixtures("environment", "site")
def test_the_book_is_served_until_ctrl_c():
    port = free_port()
    process, terminal, said = served_in_a_terminal(port)
    assert f"http://127.0.0.1:{port}/" in said.decode()
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    assert opener.open(f"http://127.0.0.1:{port}/book/intro.html").status == 200

    os.write(terminal, b"\x03")
    rest = b""
    while chunk := read(terminal):
        rest += chunk
    _, status = os.waitpid(process, 0)
    assert rest.decode().split() == ["^C", "Stopped."]
    # Make passes on that it was interrupted, as every program does that a shell should not go on after.
    assert os.WIFSIGNALED(status)
    assert os.WTERMSIG(status) == signal.SIGINT


def read(terminal):
    if not select.select([terminal], [], [], 20)[0]:
        raise TimeoutError("nothing is said in the terminal for 20 seconds")
    try:
        return os.read(terminal, 4096)
    except OSError:  # how Linux says that nobody has the terminal open any more
        return b""


@pytest.mark.host
@pytest.mark.usefixtures("site")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_server_itself_ends_well(number):
    port = free_port()
    server = subprocess.Popen(
        [sys.executable, "scripts/book.py", "serve", str(port)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    while b"Ctrl-C" not in server.stdout.readline():
        assert server.poll() is None
    server.send_signal(number)
    _, errors = server.communicate(timeout=5)
    assert server.returncode == 0
    assert errors == b""


@pytest.mark.parametrize("name", pinning.FILES)
def test_every_file_pins_what_the_project_asks_for(name):
    wanted = pinning.wanted(name)
    pins = {pinning.named(pin): pin for pin in pinning.pins_of(name)}
    assert set(pins) == set(wanted)
    for package, requirement in wanted.items():
        (exact,) = Requirement(pins[package]).specifier
        assert exact.operator == "=="
        assert requirement.specifier.contains(exact.version), package


@pytest.mark.host
def test_what_is_pinned_is_what_a_new_resolution_gives(tmp_path):
    """Written once more from the pins alone, no file changes."""
    resolved = pinning.resolved()
    if resolved is None:
        pytest.skip("the package index cannot be reached")
    for name, text in pinning.written(resolved).items():
        assert text == (ROOT / name).read_text(encoding="utf-8")


def test_what_the_library_imports_is_declared():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project, of_the_book = settings["project"], settings["dependency-groups"]["book"]
    needed = {pinning.named(line) for line in project["dependencies"]}
    # What a function alone imports may be missing: IPython is there in every notebook.
    sometimes = needed | {pinning.named(line) for line in [*project["optional-dependencies"]["audit"], *of_the_book]}
    names = {"sklearn": "scikit-learn", "math_core": "math-core", "IPython": "jupyterlab"}
    sometimes.add("jupyterlab")
    for path in (ROOT / "dptutor").rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            found = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level:
                found = [node.module]
            for top in {name.partition(".")[0] for name in found} - sys.stdlib_module_names - {"dptutor"}:
                assert names.get(top, top) in (needed if node in tree.body else sometimes), f"{path} imports {top}"


def test_the_examples_of_the_readme_are_right():
    failed, tried = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert tried > 5
    assert failed == 0


def test_what_is_cited_is_this_version():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {project['version']}\n" in cited and f'name: "{project["authors"][0]["name"]}"' in cited
    assert f"version = {{{project['version']}}}" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert dp.__version__ == project["version"]
