"""Runs a notebook that others wrote where it can do no harm, and brings back the values that it recorded.

The isolation is that of bubblewrap: own namespaces of processes, network, users and files. The program sees the
system's libraries and this one, both read-only, and an empty home in memory; nobody else's home, no course, no
network, no variable of the environment, no capability. It is watched from here: a cell, a notebook, the memory and the
number of all its processes have limits. With the first process of its namespace, all others end.

A cell that goes beyond a limit ends the run, which then begins again without that cell, some times.
"""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import dptutor
from dptutor.exercises.renumbering import NUMBERING

START = 60.0  # seconds until Python and the library have started, on a busy machine
CELL = 60.0  # seconds for a cell
NOTEBOOK = 300.0  # seconds for all runs of a notebook
AGAIN = 3  # how often a run begins again without a cell
MEMORY = 2 << 30  # bytes of all processes together
PROCESSES = 64
SAID = 8 << 20  # bytes that may come out
LIMITS = {"AS": 4 << 30, "CPU": 300, "FSIZE": 64 << 20, "CORE": 0, "NOFILE": 256}
_HOME = "/tmp/student"
_PROGRAM = Path(__file__).with_name("sandboxed.py")


@dataclass(frozen=True)
class Ran:
    """What came out of a run: values as JSON, and the places of the cells that went beyond a limit, with the reason."""

    values: list
    stopped: dict[int, str]


@lru_cache
def missing() -> str | None:
    """What this system lacks for isolation, in words; None if it has all."""
    if sys.platform != "linux":
        return "programs are isolated by bubblewrap, which only Linux has"
    if shutil.which("bwrap") is None:
        return "programs are isolated by bubblewrap, which is not installed (on Debian 'apt-get install bubblewrap')"
    try:
        tried = subprocess.run([*_command(), "-c", "pass"], capture_output=True, text=True, timeout=START)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bubblewrap does not start here ({error})"
    if tried.returncode:
        return f"bubblewrap cannot isolate here ({' '.join(tried.stderr.split())[:200]})"
    return None


def _command() -> list[str]:
    """Python inside the isolation, up to its arguments."""
    library = str(Path(dptutor.__file__).resolve().parent)
    seen = []
    for path in ("/usr", sys.base_prefix, sys.prefix):
        if not any(Path(path).is_relative_to(other) for other in seen):
            seen.append(path)
    arguments = ["bwrap", "--unshare-all", "--unshare-user", "--uid", "65534", "--gid", "65534", "--cap-drop", "ALL"]
    arguments += ["--die-with-parent", "--new-session", "--clearenv", "--tmpfs", "/", "--proc", "/proc"]
    # Before the interpreter, which may lie below /tmp: what is mounted later hides what is there.
    arguments += ["--dev", "/dev", "--size", str(256 << 20), "--tmpfs", "/tmp", "--dir", _HOME]
    for path in ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"):
        if os.path.islink(path):
            arguments += ["--symlink", os.readlink(path), path]
        elif os.path.isdir(path):
            arguments += ["--ro-bind", path, path]
    for path in seen:
        arguments += ["--ro-bind", path, path]
    for path in ("/etc/ld.so.cache", "/etc/alternatives"):
        arguments += ["--ro-bind-try", path, path]
    arguments += ["--ro-bind", library, "/library/dptutor", "--ro-bind", str(_PROGRAM), "/library/sandboxed.py"]
    arguments += ["--remount-ro", "/", "--chdir", _HOME]
    variables = {
        "PATH": f"{sys.prefix}/bin:/usr/bin:/bin",
        "HOME": _HOME,
        "LANG": "C.UTF-8",
        "MPLBACKEND": "Agg",
        "PYTHONPATH": "/library",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    variables |= dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    for name, value in variables.items():
        arguments += ["--setenv", name, value]
    return [*arguments, "--", sys.executable, "-B"]


def run(cells: list[str], student: str, code: str, numbering: int = NUMBERING) -> Ran:
    """Runs cells in isolation, as the notebook of a student; `numbering` is that of its exercises."""
    assert missing() is None
    values: list = []
    stopped: dict[int, str] = {}
    end = time.monotonic() + NOTEBOOK
    for _ in range(1 + AGAIN):
        left = [(place, cell) for place, cell in enumerate(cells) if place not in stopped]
        request = {"cells": left, "student": student, "code": code, "numbering": numbering, "limits": LIMITS}
        said, place, why = _once(json.dumps(request), end)
        values = said if len(said) >= len(values) else values
        if why is None or place is None:
            break
        stopped[place] = why
    return Ran(values, stopped)


def _once(request: str, end: float) -> tuple[list, int | None, str | None]:
    """The values of one run; if it was ended, or ended itself, the cell at which, and why."""
    process = subprocess.Popen(
        [*_command(), "/library/sandboxed.py"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    listener = _Listener(process)
    try:
        with contextlib.suppress(OSError):
            process.stdin.write(request.encode())
            process.stdin.close()
        while not listener.over.wait(0.1):
            if why := _beyond(process.pid, listener, end):
                return listener.values, listener.cell, why
    finally:
        _end(process)
        listener.join()
    why = None if listener.done else "Python ended"
    return listener.values, listener.cell, why


def _beyond(pid: int, listener, end: float) -> str | None:
    """Which limit a run is beyond."""
    now = time.monotonic()
    if now > end:
        return f"the notebook takes more than {NOTEBOOK:g} seconds"
    if now - listener.since > (START if listener.cell is None else CELL):
        return f"the cell takes more than {CELL:g} seconds"
    processes, memory = _use(pid)
    if processes > PROCESSES:
        return f"the cell starts more than {PROCESSES} processes"
    if memory > MEMORY:
        return f"the cell takes more than {MEMORY >> 30} GB of memory"
    return None


def _use(pid: int) -> tuple[int, int]:
    """How many processes come from one, and how much memory they hold together."""
    parents, memory = {}, {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            with contextlib.suppress(OSError, ValueError, IndexError):
                fields = Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()
                parents[int(entry)], memory[int(entry)] = int(fields[1]), int(fields[21])
    children: dict[int, list[int]] = {}
    for child, parent in parents.items():
        children.setdefault(parent, []).append(child)
    found, waiting = [], [pid]
    while waiting:
        found.append(one := waiting.pop())
        waiting += children.get(one, [])
    return len(found), os.sysconf("SC_PAGE_SIZE") * sum(memory.get(one, 0) for one in found)


def _end(process):
    """Ends the isolation, and with it every process in it."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    process.stdin.close() if not process.stdin.closed else None


class _Listener(threading.Thread):
    """Reads what a run says, up to a limit."""

    def __init__(self, process):
        super().__init__(daemon=True)
        self._stream = process.stdout
        self.values: list = []
        self.cell: int | None = None
        self.since = time.monotonic()
        self.done = False
        self.over = threading.Event()
        self.start()

    def run(self):
        left = SAID
        with contextlib.suppress(OSError, ValueError):
            while left > 0 and (line := self._stream.readline(left)):
                left -= len(line)
                with contextlib.suppress(ValueError, RecursionError):
                    self._take(json.loads(line))
        self._stream.close()
        self.over.set()

    def _take(self, message):
        if not isinstance(message, dict):
            return
        if "value" in message:
            self.values.append(message["value"])
        elif type(message.get("cell")) is int:
            self.cell, self.since = message["cell"], time.monotonic()
        elif message.get("done") is True:
            self.done = True
