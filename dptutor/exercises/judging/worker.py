"""A learner's function in a process of its own, which a time limit really ends.

A thread cannot be ended while it is inside one step of Python (`sum(iter(int, 1))`) or in foreign code; a process can.
So a function is sent to another process (see `sending`), called there case by case, and its results come back. If a
case computes for too long, its process ends: by the system's timer of the time that it computes, where there is one, or
killed from here after a longer while. How long a case lasts does not count, as a busy machine lets it compute little.

On Linux the process that was started forks a child for each request and lives on: starting Python and numpy takes a
second, forking some milliseconds. Elsewhere a process serves one request, and the next is started in advance. Either
way, nothing that an answer leaves behind meets the next one. A process ends itself when the one that started it does.
"""

from __future__ import annotations

import atexit
import contextlib
import io
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from io import FileIO
from typing import Any

from .calling import LASTING, Case, Outcome
from .sending import dumps

__all__ = ["Unsendable", "Unstartable", "available", "results"]

_FORKS = sys.platform == "linux"
# The signals with which timers end a process; Windows has none.
_TIMERS = [getattr(signal, name) for name in ("SIGPROF", "SIGALRM") if hasattr(signal, name)]
# Seconds that Python and numpy may take to start, on a busy machine.
_START = 60.0
# Seconds that a thread has to stop by itself before its process is killed.
_GRACE = 2.0
# Each of these messages is the last one about a request.
_LAST = "done", "late", "died", "unreadable"
# Number of printed characters that are shown.
_PRINTED = 10_000

# The exit status of a child that has answered, and of nothing else.
_FINISHED = 73

_PROGRAM = "import sys; sys.path[:] = {path!r}; from dptutor.exercises.judging.worker import serve; serve()"


class Unsendable(Exception):
    """Why an answer cannot be called in another process, in words."""


class Unstartable(Exception):
    """Why there is no other process, in words."""


def available() -> bool:
    """Whether this platform has processes; Python in a browser has none.

    Examples
    --------
    >>> import sys
    >>> from dptutor.exercises.judging import worker
    >>> worker.available() == (sys.platform not in ("emscripten", "wasi"))
    True
    """
    return sys.platform not in ("emscripten", "wasi") and bool(sys.executable)


def results(answer: Any, cases: Sequence[Case], shape: str, patience: float) -> list[Outcome]:
    """The outcome of each case (see `calling.outcome`), up to one that is late, called in another process.

    Parameters
    ----------
    answer : callable
    cases : sequence of tuple
        The arguments of each call.
    shape : str
        What an answer is, in words.
    patience : float
        For how many seconds a call may compute.

    Raises
    ------
    Unsendable
        If the answer or its arguments cannot be sent.
    Unstartable
        If no process can be started.
    """
    try:
        request = dumps((answer, tuple(cases), shape, patience))
    except Exception as error:  # objects may do anything when they are pickled
        raise Unsendable(_why(error)) from None
    worker = _taken()
    ended, said, wait = [], ("", ""), _START
    try:
        worker.send(request)
        while said[0] not in _LAST:
            said, wait = worker.receive(wait), LASTING * patience + _GRACE
            if said[0] == "unreadable":
                raise Unsendable(said[1])
            if said[0] == "died" and worker.timed_out:
                said = "late", ""
            if said[0] == "printed":
                print(said[1], end="")
            elif said[0] not in ("read", "done"):
                ended.append(said)
    finally:
        _returned(worker, reusable=_FORKS and said[0] in ("done", "unreadable"))
    return ended


# This side.

_idle: list[_Worker] = []
_lock = threading.Lock()


class _Worker:
    def __init__(self) -> None:
        threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
        posix = os.name == "posix"
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _PROGRAM.format(path=sys.path)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=os.environ | threads,
                start_new_session=posix,
                creationflags=0 if posix else 0x200,
            )
        except OSError as error:
            raise Unstartable(_why(error)) from None
        assert self._process.stdin and self._process.stdout
        self._requests, self._replies = self._process.stdin, self._process.stdout
        self._said: queue.SimpleQueue[Case] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        with contextlib.suppress(Exception):  # it was killed in the middle of a message
            while True:
                self._said.put(pickle.load(self._replies))
        self._said.put(("died", ""))

    def send(self, request: bytes) -> None:
        try:
            self._requests.write(len(request).to_bytes(8, "big") + request)
            self._requests.flush()
        except OSError as error:
            raise Unstartable(_why(error)) from None

    def receive(self, patience: float) -> Case:
        try:
            return self._said.get(timeout=patience)
        except queue.Empty:
            return "late", ""

    @property
    def timed_out(self) -> bool:
        """Whether a timer ended it."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return -self._process.wait(_GRACE) in _TIMERS
        return False

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def end(self) -> None:
        if self.alive:  # otherwise its process number may already belong to another process
            with contextlib.suppress(OSError):
                os.killpg(self._process.pid, signal.SIGKILL) if os.name == "posix" else self._process.kill()
        self._process.wait()
        self._reader.join()
        for pipe in (self._requests, self._replies):
            with contextlib.suppress(OSError):
                pipe.close()


def _taken() -> _Worker:
    with _lock:
        while _idle:
            worker = _idle.pop()
            if worker.alive:
                return worker
            worker.end()
    return _Worker()


def _returned(worker: _Worker, reusable: bool) -> None:
    with contextlib.suppress(Unstartable):
        if not reusable:
            worker.end()
            worker = _Worker()  # in advance
        with _lock:
            _idle.append(worker)


@atexit.register
def _close() -> None:
    while _idle:
        _idle.pop().end()


def _why(error: BaseException) -> str:
    with contextlib.suppress(Exception):
        return str(error).splitlines()[0][:200]
    return type(error).__name__


# The other side.


def serve() -> None:
    """What the other process does: answers one request after the other."""
    out = os.fdopen(os.dup(1), "wb", buffering=0)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (1, 2):  # foreign code may print, which must not mix with messages
        os.dup2(nowhere, stream)
    source = os.fdopen(os.dup(0), "rb")
    import scipy.stats  # noqa: F401 - which most answers use, once for all children

    os.dup2(nowhere, 0)
    while len(head := source.read(8)) == 8:
        request = source.read(int.from_bytes(head, "big"))
        if not _FORKS:
            _answer(request, out)
            os._exit(0)  # whatever still runs
        if child := os.fork():
            ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            if ended != _FINISHED:
                _send(out, "late" if -ended in _TIMERS else "died", "")
        else:
            _answer(request, out)
            os._exit(_FINISHED)


def _answer(request: bytes, out: FileIO) -> None:
    from .calling import outcome

    try:
        answer, cases, shape, patience = pickle.loads(request)
    except Exception as error:
        _send(out, "unreadable", _why(error))
        return
    _send(out, "read", "")
    for case in cases:
        if hasattr(signal, "setitimer"):  # limits CPU time, and real time in case the parent is gone
            signal.setitimer(signal.ITIMER_PROF, patience + _GRACE)
            signal.setitimer(signal.ITIMER_REAL, LASTING * patience + 2 * _GRACE)
        sys.stdout = io.StringIO()
        ended = outcome(answer, case, shape, patience)
        if printed := sys.stdout.getvalue():
            _send(out, "printed", printed[:_PRINTED])
        _send(out, *ended)
        if ended[0] == "late":  # a thread that still runs would delay the next case
            return
    _send(out, "done", "")


def _send(out: FileIO, kind: str, words: object) -> None:
    message = pickle.dumps((kind, words))
    while message:
        message = message[out.write(message) :]
