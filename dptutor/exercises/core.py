"""What an exercise is, and how an answer to it is judged.

An answer is a number, a few numbers, or a function. It is compared with the truth, at chosen arguments and at random
ones; where it differs, with the mistakes that people make, first those of the exercise and then the slips that are
made everywhere: whoever made one of them is told which, everyone else the first law that the answer breaks, or how
nearly it is right, or the first place where it is off, and in which direction.

What a learner wrote is called in a thread of its own and waited for `_PATIENCE` seconds. So a loop that never ends is
noticed in the main thread of a kernel and in any other, on Windows as on Unix, which a signal would do on Unix and in
the main thread only. Such a call is left alone and stopped at its next step in Python. Two things stay out of reach
of anything inside a process: a call that waits in foreign code is left waiting, though nobody waits for it, and one
step of Python that takes forever, say 10**10**10, holds up everything.
"""

from __future__ import annotations

import ast
import contextlib
import ctypes
import inspect
import math
import random
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from html import escape
from itertools import islice

import numpy as np

from ..formulas import typeset
from .slips import explained

# A call of a learner's function that takes longer than this is given up, in seconds.
_PATIENCE = 5.0
# How many random cases a check adds to the chosen ones.
_RANDOM_CASES = 6
# So many characters of an argument are shown: enough to try it again.
_LONG = 240
# The digits that a number of one's own is asked for, and what is let through.
_DIGITS, _CLOSE = 4, 1e-3
_NOTHING_YET = "There is nothing to check yet: fill in the stub, run the cell, and check again."
_NO_RETURN = "Your function returned None. Does it print its result where it should return it?"
# So near an answer is said to be right but for its last digits.
_NEARLY = 1e-3


@dataclass(frozen=True)
class Result:
    """Whether an answer passed, and the reply to it; true exactly if it passed.

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
        return f'<p style="border-left:4px solid {color};padding-left:.6em">{sign} {typeset(escape(self.message))}</p>'


@dataclass(frozen=True)
class Mistake:
    """A wrong answer that people give, in the form of a right one, and the reply that teaches.

    Attributes
    ----------
    answer : object
    reply : str
    within : float
        Up to which, absolutely, an answer of a learner counts as this one, where many compute it roughly.

    Examples
    --------
    >>> import dptutor as dp
    >>> mistake = dp.exercises.get("1.3").mistakes[0]
    >>> dp.exercises.get("1.3").check(mistake.answer).message == mistake.reply
    True
    """

    answer: object
    reply: str
    within: float = 0.0


def roughly(within: float, *mistakes: Mistake) -> tuple[Mistake, ...]:
    """Mistakes that are recognized up to `within`, since those who make them compute roughly, on a grid say."""
    return tuple(replace(mistake, within=within) for mistake in mistakes)


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
    stumbles : callable, optional
        A function of a case to the reply to a program that stops there or gives no number, or None.
    judge : callable, optional
        Where comparing is not enough: a function of an answer to a reply, or None.
    patience : float, optional
        How many seconds `judge` may take, where the right answer itself takes long.
    draw : callable, optional
        Where the arguments are numbers that can vary, makes a case from a `random.Random`: for random inputs, and for
        numbers of one's own.
    exact : callable, optional
        The right answer by another way than the solution's, exact where that is rounded: answers are compared with it.
    without : tuple of str
        Names that an answer may not use: "from the Bayes errors alone".
    tolerance, relative : float
        Up to which numbers are the same, absolutely and relatively.
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
    stumbles: Callable | None = None
    judge: Callable | None = None
    patience: float | None = None
    draw: Callable[[random.Random], tuple] | None = None
    exact: Callable | None = None
    without: tuple[str, ...] = ()
    tolerance: float = 1e-6
    relative: float = 0.0
    shape: str = field(default="a number")

    @property
    def chapter(self) -> int:
        """The number of the chapter."""
        return int(self.id.split(".")[0])

    @property
    def points(self) -> int:
        """What a right answer is worth.

        Examples
        --------
        >>> import dptutor as dp
        >>> dp.exercises.get("1.3").points
        2
        """
        return {"warm-up": 1, "think": 2, "build": 3}[self.grade]

    @cached_property
    def answer(self):
        """The right answer, which the worked solution defines.

        Examples
        --------
        >>> import dptutor as dp
        >>> exercise = dp.exercises.get("1.3")
        >>> round(float(exercise.answer(0.05, 1.0)), 4)
        0.7405
        """
        return run(self.solution)[self.name]

    @cached_property
    def tried(self) -> tuple:
        """The arguments with which a function is tried, the chosen ones and then random ones, the same in each check.

        Examples
        --------
        >>> import dptutor as dp
        >>> exercise = dp.exercises.get("1.3")
        >>> exercise.tried[: len(exercise.cases)] == exercise.cases
        True
        """
        return self.cases + tuple(islice(self._drawn("check"), _RANDOM_CASES if self.draw else 0))

    def variant(self, seed) -> Exercise:
        """The same exercise with numbers of one's own: asked is the value there, and the mistakes are the same.

        The numbers follow from `seed`, a name or a number, alone.

        Raises
        ------
        ValueError
            If the exercise has no numbers that can vary, that is, no `draw`.

        Examples
        --------
        >>> import dptutor as dp
        >>> own = dp.exercises.get("1.3").variant("Ada")
        >>> own.name, own.check(own.answer).passed
        ('answer_1_3', True)
        """
        if self.draw is None:
            raise ValueError(f"exercise {self.id} has no numbers that can vary")
        # Numbers at which mistakes cannot be told apart would teach nothing.
        for case in islice(self._drawn(seed), 200):
            mistakes = self._mistakes_at(case)
            if mistakes is not None and len(mistakes) >= min(3, len(self.mistakes)):
                break
        else:
            raise AssertionError(f"exercise {self.id} draws no numbers that tell its mistakes apart")
        name = f"answer_{self.id.replace('.', '_')}"
        call = f"\n\n\n{name} = {self.name}({', '.join(map(repr, case))})\n"
        return replace(
            self,
            question=f"{self.question}\n\nYour own numbers: {self._words(case)}. Give the value of `{self.name}` "
            f"there, to {_DIGITS} significant digits, as `{name}`.",
            name=name,
            stub=self.stub.rstrip() + call,
            solution=self.solution.rstrip() + call,
            cases=(),
            mistakes=tuple(mistakes),
            laws=tuple(_at(law, case) for law in self.laws),
            stumbles=None,
            draw=None,
            exact=None,
            without=(),
            tolerance=0.0,
            relative=_CLOSE,
        )

    def _drawn(self, seed) -> Iterator[tuple]:
        assert self.draw
        generator = random.Random(f"{self.id} {seed}")
        while True:
            yield tuple(x if isinstance(x, int) else float(f"{x:.3g}") for x in self.draw(generator))

    def _mistakes_at(self, case: tuple) -> list[Mistake] | None:
        """The mistakes that can be told from the truth and from each other at a case; None where the truth is 0."""
        truth = numbers(self.answer(*case), self.shape)
        if np.any(np.abs(truth) < 1e-12):
            return None
        apart, found = [truth], []
        for mistake in self.mistakes:
            with contextlib.suppress(_Rejected, ArithmeticError, ValueError), np.errstate(all="ignore"):
                wrong = numbers(mistake.answer(*case), self.shape)  # type: ignore[operator]
                if not any(_alike(wrong, other, 0.0, 10 * _CLOSE) for other in apart):
                    apart.append(wrong)
                    found.append(Mistake(tuple(wrong), mistake.reply))
        return found

    def check(self, answer) -> Result:
        """Judges an answer. Whatever the answer is or does, this returns a result.

        Examples
        --------
        >>> import dptutor as dp
        >>> dp.exercises.get("1.3").check(0.5).passed
        False
        """
        try:
            with np.errstate(all="ignore"):
                reply = self._judged(answer)
        except _Rejected as rejected:
            reply = str(rejected)
        return Result(reply is None, reply or self.praise)

    def _judged(self, answer) -> str | None:
        if answer is None or answer is ...:
            return _NOTHING_YET
        try:
            if self.judge:
                return in_time(self.judge, answer, patience=self.patience)
            if not self.cases:
                given = in_time(numbers, answer, self.shape)
                return self._compared([()], lambda: given)
            if not callable(answer):
                words = in_time(_short, answer)
                return f"{self.name} should be a function, but it is {words}. Define it with def, and pass it on."
        except _Stopped as stopped:
            raise _Rejected(f"It stops with {stopped}") from None
        reply = self._compared(self.tried, answer)
        if reply is None and (used := [name for name in self.without if name in _names_in(answer)]):
            return f"The numbers are right, but your program uses `{used[0]}`. Do it without."
        return reply

    @cached_property
    def _truths(self) -> list:
        return self._values(self.exact or self.answer)

    @cached_property
    def _yes_or_no(self) -> bool:
        value = self.answer(*self.cases[0]) if self.cases else self.answer
        return np.asarray(value).dtype == bool

    @cached_property
    def _errors(self) -> list[list]:
        return [self._values(mistake.answer) for mistake in self.mistakes]

    def _compared(self, cases: Sequence[tuple], answer: Callable) -> str | None:
        # Every case is tried with every candidate, so that a mistake is named only if it explains all results.
        given = [self._called(answer, case) for case in cases]
        if all(result is None for result in given):
            return _NOTHING_YET if self._untouched(answer) else _NO_RETURN
        for case, result in zip(cases, given, strict=True):
            if result is None:
                return f"At {self._words(case)} your function returns nothing. Does every path end in a return?"
        if self._agree(given, self._truths):
            return None
        for mistake, wrong in zip(self.mistakes, self._errors, strict=True):
            if self._agree(given, wrong, mistake.within):
                return mistake.reply
        if reply := self._slip(given) or self._of_another_size(given):
            return reply
        for law in self.laws:
            for case, result in zip(cases, given, strict=True):
                with contextlib.suppress(ArithmeticError, ValueError, TypeError, IndexError):
                    if broken := law(result, *case):
                        return f"At {self._words(case)} you give {_listed(result)}. {broken}" if case else broken
        return self._nearly(given) or self._direction(cases, given)

    def _slip(self, given: list) -> str | None:
        if self._yes_or_no or any(own.size != right.size for own, right in zip(given, self._truths, strict=True)):
            return None
        return explained(given, self._truths, partial(_alike, tolerance=self._slack, relative=max(self.relative, 1e-6)))

    def _of_another_size(self, given: list) -> str | None:
        wrong = [len(own) for own, right in zip(given, self._truths, strict=True) if len(own) != len(right)]
        return f"{self.name} should be {self.shape}; you give {wrong[0]} of them." if wrong else None

    def _nearly(self, given: list) -> str | None:
        """Whether all is right but for the last digits."""
        if self._yes_or_no or not all(map(partial(_alike, tolerance=0, relative=_NEARLY), given, self._truths)):
            return None
        off = max(float(np.max(np.abs(own - right))) for own, right in zip(given, self._truths, strict=True))
        asked = f"{self.tolerance:g}" if self.tolerance else f"{self.relative:g} of it"
        return f"This is nearly right: it is off by {off:.2g} at most, where less than {asked} is asked for."

    def _untouched(self, answer) -> bool:
        """Whether a function that returns nothing is that of the stub."""
        bytecode = [getattr(getattr(f, "__code__", None), "co_code", None) for f in (answer, run(self.stub)[self.name])]
        return bytecode[0] is None or bytecode[0] == bytecode[1]

    def _values(self, candidate) -> list:
        if not self.cases:
            return [numbers(candidate, self.shape)]
        return [numbers(candidate(*case), self.shape) for case in self.tried]

    def _called(self, answer: Callable, case: tuple):
        def call():
            # Copies, as a learner may sort a list in place.
            result = answer(*(copy(x) if isinstance(x, (list, np.ndarray)) else x for x in case))
            try:
                return None if result is None or result is ... else numbers(result, self.shape)
            except _Rejected as rejected:
                if not advice:
                    raise
                raise _Rejected(f"At {self._words(case)}: {rejected}{advice}") from None

        advice = f" {said}" if self.stumbles and (said := self.stumbles(*case)) else ""
        try:
            return in_time(call)
        except _Stopped as stopped:
            stop = "." if advice else ""
            raise _Rejected(f"At {self._words(case)} it stops with {stopped}{stop}{advice}") from None

    @property
    def _slack(self) -> float:
        """How far off a mistake may be, made by a program that is no more exact than a learner's."""
        return max(self.tolerance, *(mistake.within for mistake in self.mistakes), 0.0)

    def _agree(self, given: list, wanted: list, within: float = 0.0) -> bool:
        tolerance = max(self.tolerance, within)
        return all(_alike(a, b, tolerance, self.relative) for a, b in zip(given, wanted, strict=True))

    def _direction(self, cases, given) -> str:
        for case, result, wanted in zip(cases, given, self._truths, strict=True):
            for place, (own, right) in enumerate(zip(result, wanted, strict=True)):
                if not _alike(own, right, self.tolerance, self.relative):
                    which = f"number {place + 1} of " if len(wanted) > 1 else ""
                    where = f"At {self._words(case)} {which}your answer" if case else f"{which}your answer".capitalize()
                    if self._yes_or_no:
                        said = f"is {bool(own)}, and it should not be" if own in (0, 1) else f"is {own:.6g}"
                        return f"{where} {said}."
                    return f"{where} is {own:.6g}, which is too {'large' if own > right else 'small'}."
        raise AssertionError("an answer that differs differs somewhere")

    def _words(self, case: tuple) -> str:
        names = inspect.signature(self.answer).parameters
        return ", ".join(f"{name} = {_short(value)}" for name, value in zip(names, case, strict=True))


class _Rejected(BaseException):
    """What is wrong with an answer, before it can be compared. A learner's `except Exception` does not catch it."""


class _Stopped(Exception):
    """With what a call ended that did not return, in words."""


class _TooLate(SystemExit):
    """Stops a thread, which then ends without a word."""


def numbers(value, shape: str = "a number") -> np.ndarray:
    """An answer as a flat array of finite numbers."""
    try:
        value = list(islice(value, 1000)) if isinstance(value, Iterator) else value
        array = np.asarray(value, dtype=complex if np.iscomplexobj(value) else float).ravel()
    except Exception:  # objects may do anything when asked for a number
        raise _Rejected(f"The result should be {shape}, but it is {_short(value)}.") from None
    if np.iscomplexobj(array):
        if np.any(array.imag != 0):
            raise _Rejected(f"The result should be {shape}, but it is complex: {_short(value)}.")
        array = array.real
    if array.size == 0:
        raise _Rejected(f"The result should be {shape}, but it is empty.")
    if not np.all(np.isfinite(array)):
        bad = array[~np.isfinite(array)][0]
        name = "not a number (0/0, or the like)" if math.isnan(bad) else "infinite"
        raise _Rejected(f"The result should be {shape}, but it is {name}.")
    return array


def _names_in(function, seen: frozenset = frozenset()) -> set[str]:
    """The names that a function's program uses, its inner functions' and those of the functions that it calls."""
    code = getattr(function, "__code__", None)
    if code is None or code in seen:
        return set()
    names, codes = {*code.co_names}, [code]
    while codes:
        inner = [c for c in codes.pop().co_consts if isinstance(c, type(code))]
        names.update(*(c.co_names for c in inner))
        codes += inner
    called = [function.__globals__.get(name) for name in names]
    return names.union(*(_names_in(f, seen | {code}) for f in called if inspect.isfunction(f)))


def run(program: str) -> dict:
    """The names that a program defines."""
    space: dict = {}
    exec(compile(ast.parse(program), "<exercise>", "exec"), space)
    return space


def in_time(call: Callable, *arguments, patience: float | None = None):
    """What a call returns, if it does so before a learner loses patience; see the top of this file."""
    ended: list = []
    over = threading.Event()

    def work():
        try:
            with np.errstate(all="ignore"):
                ended.append((call(*arguments), None))
        except _TooLate:
            pass
        except _Rejected as rejected:
            ended.append((None, rejected))
        except BaseException as error:  # `exit()` included
            ended.append((None, _Stopped(_reason(error))))
        finally:
            over.set()

    patience = patience or _PATIENCE
    worker = threading.Thread(target=work, daemon=True)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            worker.start()
            over.wait(patience)
    finally:  # in time, too late, or interrupted
        _stop(worker, over)
    if not ended:
        raise _Rejected(f"It takes more than {patience:g} seconds. Does a loop never end?")
    result, error = ended[0]
    if error is not None:
        raise error
    return result


def _stop(worker: threading.Thread, over: threading.Event):
    for _ in range(50):  # a bare `except` swallows some
        if over.is_set():
            break
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(worker.ident or 0), ctypes.py_object(_TooLate))
        over.wait(0.02)


def _at(law: Callable, case: tuple) -> Callable:
    return lambda result: law(result, *case)


def _alike(own, right, tolerance: float, relative: float) -> bool:
    return np.size(own) == np.size(right) and bool(np.allclose(own, right, rtol=relative, atol=tolerance))


def _listed(result: np.ndarray) -> str:
    return ", ".join(f"{x:.6g}" for x in result[:4]) + (", …" if result.size > 4 else "")


def _short(value) -> str:
    if isinstance(value, np.ndarray):
        value = value.tolist()
    try:
        owner = getattr(value, "__self__", None)  # of a mechanism's method: Gaussian(sigma=1.0).tradeoff
        text = repr(value) if owner is None or inspect.isbuiltin(value) else f"{owner!r}.{value.__name__}"
    except Exception:
        text = f"an object of type {type(value).__name__}"
    return _printable(text if len(text) <= _LONG else text[: _LONG - 1] + "…")


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
