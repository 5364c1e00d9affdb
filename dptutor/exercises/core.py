"""What an exercise is, and how an answer to it is judged.

An answer is a number, a few numbers, or a function. It is compared with the truth; where it differs, with the
mistakes that people make: whoever made one of them is told which, everyone else the first law that the answer breaks,
or the first place where it is off, and in which direction.
"""

from __future__ import annotations

import ast
import contextlib
import inspect
import math
import signal
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape

import numpy as np

# A call of a learner's function that takes longer than this is given up, in seconds.
_PATIENCE = 5.0
# What a learner's function may end with, `exit()` included; only an interrupt goes through.
_ENDS = (Exception, SystemExit)
_NOTHING_YET = "There is nothing to check yet: fill in the stub, run the cell, and check again."


@dataclass(frozen=True)
class Result:
    """Whether an answer passed, and what there is to say to it; true exactly if it did.

    Attributes
    ----------
    passed : bool
    message : str

    Examples
    --------
    >>> import dptutor as dp
    >>> dp.exercises.get("1.3").check(None)
    ✘ There is nothing to check yet: fill in the stub, run the cell, and check again.
    """

    passed: bool
    message: str

    def __bool__(self) -> bool:
        return self.passed

    def __repr__(self) -> str:
        return f"{'✔' if self.passed else '✘'} {self.message}"

    def _repr_html_(self) -> str:
        color, sign = ("#00805d", "✔") if self.passed else ("#b04a00", "✘")
        return f'<p style="border-left:4px solid {color};padding-left:.6em">{sign} {escape(self.message)}</p>'


@dataclass(frozen=True)
class Mistake:
    """A wrong answer that people give, in the form of a right one, and the reply that teaches.

    Attributes
    ----------
    answer : object
    reply : str

    Examples
    --------
    >>> import dptutor as dp
    >>> mistake = dp.exercises.get("1.3").mistakes[0]
    >>> dp.exercises.get("1.3").check(mistake.answer).message == mistake.reply
    True
    """

    answer: object
    reply: str


@dataclass(frozen=True)
class Exercise:
    """An exercise, as a page: what is asked, help in three steps, a worked answer, and how answers are judged.

    Parameters
    ----------
    id, grade, title, question : str
        Number, grade ("warm-up", "think" or "build"), title, and what is asked.
    name : str
        What the stub and the solution define.
    stub, solution : str
        Programs; what the solution gives `name` is the right answer.
    explanation : str
        Words to the solution.
    hints : tuple of str
        Three.
    praise : str
        The reply to a right answer.
    cases : tuple
        The arguments with which a function is tried.
    mistakes : tuple of Mistake
    laws : tuple of callable
        Functions of a result and its case to the sentence that tells what is broken, or None.
    judge : callable, optional
        Where comparing is not enough: a function of an answer to a reply, or None.
    tolerance : float
        Up to which numbers are the same.
    shape : str
        What an answer is, in words.

    Examples
    --------
    >>> import dptutor as dp
    >>> exercise = dp.exercises.get("1.3")
    >>> exercise.name, exercise.grade, exercise.chapter, len(exercise.hints)
    ('tradeoff', 'think', 1, 3)
    >>> exercise.check(exercise.answer).passed
    True
    """

    id: str
    grade: str
    title: str
    question: str
    name: str
    stub: str
    solution: str
    explanation: str
    hints: tuple[str, str, str]
    praise: str
    cases: tuple = ()
    mistakes: tuple[Mistake, ...] = ()
    laws: tuple[Callable, ...] = ()
    judge: Callable | None = None
    tolerance: float = 1e-6
    shape: str = field(default="a number")

    @property
    def chapter(self) -> int:
        """The number of the chapter."""
        return int(self.id.split(".")[0])

    @cached_property
    def answer(self):
        """The right answer, which the worked solution defines."""
        return run(self.solution)[self.name]

    def check(self, answer) -> Result:
        """Judges an answer. Whatever the answer is or does, this returns a result."""
        try:
            reply = self._judged(answer)
        except _Rejected as rejected:
            reply = str(rejected)
        return Result(reply is None, reply or self.praise)

    def _judged(self, answer) -> str | None:
        if answer is None or answer is ...:
            return _NOTHING_YET
        if self.judge:
            try:
                with guarded():
                    return self.judge(answer)
            except _ENDS as error:
                raise _Rejected(f"It stops with {_reason(error)}") from None
        if not self.cases:
            given = numbers(answer, self.shape)
            return self._compared([()], lambda: given)
        if not callable(answer):
            return f"{self.name} should be a function, but it is {_short(answer)}. Define it with def, and pass it on."
        return self._compared(self.cases, answer)

    def _compared(self, cases: Sequence[tuple], answer: Callable) -> str | None:
        # Every case is tried with every candidate, so that a mistake is named only if it explains all results.
        given = [self._called(answer, case) for case in cases]
        if all(result is None for result in given):
            return _NOTHING_YET
        for case, result in zip(cases, given, strict=True):
            if result is None:
                return f"At {self._words(case)} your function returns nothing. Does every path end in a return?"
        if self._alike(given, self._values(self.answer, cases)):
            return None
        for mistake in self.mistakes:
            if self._alike(given, self._values(mistake.answer, cases)):
                return mistake.reply
        for law in self.laws:
            for case, result in zip(cases, given, strict=True):
                with contextlib.suppress(ArithmeticError, ValueError, TypeError, IndexError):
                    if broken := law(result, *case):
                        return f"{broken} That is so at {self._words(case)}, for one." if case else broken
        return self._direction(cases, given)

    def _values(self, candidate, cases) -> list:
        return [numbers(candidate(*case) if cases[0] else candidate, self.shape) for case in cases]

    def _called(self, answer: Callable, case: tuple):
        try:
            with guarded():
                result = answer(*case)
        except _ENDS as error:
            raise _Rejected(f"At {self._words(case)} it stops with {_reason(error)}") from None
        return None if result is None or result is ... else numbers(result, self.shape)

    def _alike(self, given: list, wanted: list) -> bool:
        return all(
            len(a) == len(b) and np.allclose(a, b, rtol=0, atol=self.tolerance)
            for a, b in zip(given, wanted, strict=True)
        )

    def _direction(self, cases, given) -> str:
        for case, result, wanted in zip(cases, given, self._values(self.answer, cases), strict=True):
            if len(result) != len(wanted):
                return f"{self.name} should be {self.shape}, you give {len(result)}."
            for place, (own, right) in enumerate(zip(result, wanted, strict=True)):
                if abs(own - right) > self.tolerance:
                    which = f"number {place + 1} of " if len(wanted) > 1 else ""
                    where = f"At {self._words(case)} {which}your answer" if case else f"{which}your answer".capitalize()
                    return f"{where} is {own:.6g}, which is too {'large' if own > right else 'small'}."
        raise AssertionError("an answer that differs differs somewhere")

    def _words(self, case: tuple) -> str:
        names = inspect.signature(self.answer).parameters
        return ", ".join(f"{name} = {_short(value)}" for name, value in zip(names, case, strict=True))


class _Rejected(BaseException):
    """What is wrong with an answer, before it can be compared. A learner's `except Exception` does not catch it."""


def numbers(value, shape: str = "a number") -> np.ndarray:
    """An answer as a flat array of finite numbers."""
    try:
        array = np.asarray(value, dtype=complex if np.iscomplexobj(value) else float).ravel()
    except Exception:  # objects may do anything when asked for a number
        raise _Rejected(f"The result should be {shape}, but it is {_short(value)}.") from None
    if np.iscomplexobj(array):
        raise _Rejected(f"The result should be {shape}, but it is complex: {_short(value)}.")
    if array.size == 0:
        raise _Rejected(f"The result should be {shape}, but it is empty.")
    if not np.all(np.isfinite(array)):
        bad = array[~np.isfinite(array)][0]
        name = "not a number (0/0, or the like)" if math.isnan(bad) else "infinite"
        raise _Rejected(f"The result should be {shape}, but it is {name}.")
    return array


def run(program: str) -> dict:
    """The names that a program defines."""
    space: dict = {}
    exec(compile(ast.parse(program), "<exercise>", "exec"), space)
    return space


@contextlib.contextmanager
def guarded():
    """Ends what takes too long, where the system can; warnings of a learner's arithmetic are not shown."""
    timed = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    if timed:
        previous = signal.signal(signal.SIGALRM, _too_late)
        signal.setitimer(signal.ITIMER_REAL, _PATIENCE)
    try:
        with np.errstate(all="ignore"):
            yield
    finally:
        if timed:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, previous)


def _too_late(number, frame):
    raise _Rejected(f"It takes more than {_PATIENCE:g} seconds. Does a loop never end?")


def _short(value) -> str:
    if isinstance(value, np.ndarray):
        value = value.tolist()
    try:
        text = repr(value)
    except Exception:
        text = f"an object of type {type(value).__name__}"
    return text if len(text) <= 60 else text[:57] + "…"


def _reason(error: BaseException) -> str:
    return f"{type(error).__name__}: {str(error).splitlines()[0]}" if str(error) else type(error).__name__
