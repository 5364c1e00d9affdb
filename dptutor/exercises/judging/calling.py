"""A learner's answer called or read: what comes of it, as numbers or in words.

Here, in this process, a call gets a thread of its own, which is waited for until it has computed for so many seconds,
or has lasted several times as long, since a busy machine lets it compute little, and one that only waits computes
nothing. So a loop that never ends is noticed in the main thread of a kernel and in any other, on Windows as on Unix,
which a signal would do on Unix and in the main thread only. Such a call is left alone and stopped at its next step in
Python. Two things stay out of reach of anything inside a process: a call that waits in foreign code is left waiting,
though nobody waits for it, and one step of Python that takes forever, say 10**10**10, holds up everything. These end in
a process of their own (`worker`).
"""

from __future__ import annotations

import contextlib
import contextvars
import ctypes
import inspect
import math
import re
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence, ValuesView
from copy import copy
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, TypeAlias

import numpy as np

from .numerals import Unreadable, read, shown

# So many characters of an argument are shown: enough to try it again.
_LONG = 240
# 1e-05 and 1e+16, which are shown as 1e-5 and 1e16.
_SMALL = re.compile(r"(?<=\d)e(?:(-)|\+)0*(\d+)\b")
# The arguments of a call; what comes of it, as `outcome` says; a function of a learner's, or of an exercise's.
Case: TypeAlias = tuple[Any, ...]
Outcome: TypeAlias = tuple[str, Any]
Function: TypeAlias = Callable[..., Any]
# How a function is called: function, cases, shape, patience ↦ the outcome of each case.
Call: TypeAlias = Callable[[Any, Sequence[Case], str, float], Iterable[Outcome]]
# What a result is called that is no finite number.
UNDEFINED, INFINITE = "not a number (0/0, or the like)", "infinite"
# How many times longer than it may compute a call may last.
LASTING = 6.0
TOO_LATE = "It takes more than {} seconds. Does a loop never end?"


class Rejected(BaseException):
    """What is wrong with an answer, before it can be compared. A learner's `except Exception` does not catch it."""


class Stopped(Exception):
    """With what a call ended that did not return, in words."""


class Late(Rejected):
    """That a call takes too long."""


class _TooLate(SystemExit):
    """Stops a thread, which then ends without a word."""


def numbers(value: Any, shape: str = "a number", *, typed: bool = True) -> np.ndarray:
    """An answer as a flat array of finite numbers; `typed`: by a person, so text is read as on the pages."""
    try:
        value = list(islice(value, 1000)) if isinstance(value, (Iterator, ValuesView)) else value
        if typed:
            value = _read(value)
        elif np.asarray(value).dtype.kind in "SU":
            raise TypeError
        array = np.asarray(value, dtype=complex if np.iscomplexobj(value) else float).ravel()
    except Exception as problem:  # objects may do anything when asked for a number
        why = f" {problem}" if isinstance(problem, Unreadable) and problem.reason != "unreadable" else ""
        raise Rejected(f"The result should be {shape}, but it is {short(value)}.{why}") from None
    if np.iscomplexobj(array):
        if np.any(array.imag != 0):
            raise Rejected(f"The result should be {shape}, but it is complex: {short(value)}.")
        array = array.real
    if array.size == 0:
        raise Rejected(f"The result should be {shape}, but it is empty.")
    if not np.all(np.isfinite(array)):
        bad = array[~np.isfinite(array)][0]
        name = UNDEFINED if math.isnan(bad) else INFINITE
        raise Rejected(f"The result should be {shape}, but it is {name}.")
    return array


def _read(value: Any) -> Any:
    """A text, or a list with texts, as numbers, by the rules of the pages."""
    if isinstance(value, str):
        return read(value)
    if isinstance(value, (list, tuple)) and any(isinstance(one, str) for one in value):
        return [_read(one) for one in value]
    return value


def here(answer: Function, cases: Sequence[Case], shape: str, patience: float) -> Iterator[Outcome]:
    """The outcome of each case, called in this process; see `worker.results` for another."""
    return (outcome(answer, case, shape, patience) for case in cases)


def outcome(answer: Function, case: Case, shape: str, patience: float) -> Case:
    """What comes of calling an answer: ("result", numbers), or ("nothing", None), or why not, in words.

    Reasons are "rejected" (no numbers), "stopped" (an error) and "late".
    """

    def call() -> np.ndarray | None:
        # Copies, as a learner may sort a list in place.
        result = answer(*(copy(x) if isinstance(x, (list, np.ndarray)) else x for x in case))
        return None if result is None or result is ... else numbers(result, shape, typed=False)

    try:
        result = in_time(call, patience=patience)
    except Late:
        return "late", ""
    except Rejected as rejected:
        return "rejected", str(rejected)
    except Stopped as stopped:
        return "stopped", str(stopped)
    return ("nothing", None) if result is None else ("result", result)


@dataclass(frozen=True)
class Replayed:
    """A function that was called elsewhere: the outcome of each case, the names it uses, whether it is the stub's."""

    outcomes: tuple[Outcome, ...]
    names: frozenset[str] = frozenset()
    untouched: bool = False

    def __call__(self, *case: object) -> None:
        raise TypeError("only what this function returned elsewhere is known")


def replayed(answer: Replayed, cases: Sequence[Case], shape: str, patience: float) -> tuple[Outcome, ...]:
    """The outcomes of a function that was called elsewhere, for `check`; nothing is called."""
    return (("nothing", None),) * len(cases) if answer.untouched else answer.outcomes[: len(cases)]


def breach(law: Function, result: np.ndarray, case: Case) -> str | None:
    """What a law says to a result, None where it holds or cannot be asked."""
    with contextlib.suppress(ArithmeticError, ValueError, TypeError, IndexError):
        return law(result, *case)
    return None


def in_time(call: Function, *arguments: object, patience: float) -> Any:
    """What a call returns, if it computes for at most `patience` seconds; see the top of this file."""
    ended: list[Any] = []
    over = threading.Event()
    clock = _Clock()

    def work() -> None:
        try:
            clock.start()
            with np.errstate(all="ignore"):
                ended.append((call(*arguments), None))
        except _TooLate:
            pass
        except Rejected as rejected:
            ended.append((None, rejected))
        except BaseException as error:  # `exit()` included
            ended.append((None, Stopped(_reason(error))))
        finally:
            over.set()

    # It sees the same learner (see `learner`).
    worker = threading.Thread(target=contextvars.copy_context().run, args=(work,), daemon=True)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            worker.start()
            deadline = time.monotonic() + LASTING * patience
            while (left := min(patience - clock.spent(), deadline - time.monotonic())) > 0:
                if over.wait(left):
                    break
    finally:  # in time, too late, or interrupted
        _stop(worker, over)
    if not ended:
        raise Late(TOO_LATE.format(shown(patience)))
    result, error = ended[0]
    if error is not None:
        raise error
    return result


class _Clock:
    """The time for which a thread has computed; where no system tells it, that of the whole process."""

    def __init__(self) -> None:
        self._read: Callable[[], float] | None = None
        self._begin = 0.0

    def start(self) -> None:
        """Called by the thread itself."""
        read = time.process_time
        if hasattr(time, "pthread_getcpuclockid"):
            read = partial(time.clock_gettime, time.pthread_getcpuclockid(threading.get_ident()))
        self._begin, self._read = read(), read

    def spent(self) -> float:
        with contextlib.suppress(OSError):  # the thread has ended
            return self._read() - self._begin if self._read else 0.0
        return 0.0


def _stop(worker: threading.Thread, over: threading.Event) -> None:
    for _ in range(50):  # a bare `except` swallows some
        if over.is_set():
            break
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(worker.ident or 0), ctypes.py_object(_TooLate))
        over.wait(0.02)


def own_class(value: Any, depth: int = 0) -> str | None:
    """The name of the notebook's own class of which a value or an element of it is an object, if there is one.

    Whoever asks such an object for a number, or for its text, runs a learner's code in the kernel, which may end it.
    """
    if type(value).__module__ == "__main__":
        return type(value).__name__
    if type(value) not in (list, tuple, dict) or depth > 4:
        return None
    items = value.values() if isinstance(value, dict) else value
    return next(filter(None, (own_class(item, depth + 1) for item in islice(items, 2000))), None)


def short(value: Any) -> str:
    """A value in so many characters, or what it is."""
    if name := own_class(value):
        return f"an object of type {name}"
    if isinstance(value, np.ndarray):
        value = value.tolist()
    try:
        owner = getattr(value, "__self__", None)  # of a mechanism's method: Gaussian(sigma=1.0).tradeoff
        text = repr(value) if owner is None or inspect.isbuiltin(value) else f"{owner!r}.{value.__name__}"
    except Exception:
        text = f"an object of type {type(value).__name__}"
    if not isinstance(value, str):
        text = _SMALL.sub(r"e\1\2", text)
    return _printable(text if len(text) <= _LONG else text[: _LONG - 1] + "…")


def apart_in_words(one: float, other: float, digits: int = 6) -> tuple[str, str]:
    """Two different numbers with as many digits as tell them apart, six at least."""
    for count in range(digits, 17):
        words = shown(one, count), shown(other, count)
        if words[0] != words[1]:
            break
    return words


def _reason(error: BaseException) -> str:
    name = type(error).__name__
    try:
        first = next(iter(str(error).splitlines()), "")
    except Exception:
        first = ""
    return _printable(f"{name}: {first[:200]}" if first else name)


def _printable(text: str) -> str:
    """Without halves of characters, which no page can show."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
