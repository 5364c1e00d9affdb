"""What an exercise is, and how an answer to it is judged.

An answer is a number, a few numbers, or a function. It is compared with the truth, at chosen arguments and at random
ones; where it differs, with the mistakes that people make, first those of the exercise and then the slips that are
made everywhere: whoever made one of them is told which, everyone else the first law that the answer breaks, or how
nearly it is right, or the first place where it is off, and in which direction.

How a function is called is a parameter of `check`: in this process (`calling`) or in one of its own (`worker`).
"""

from __future__ import annotations

import contextlib
import inspect
import io
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from html import escape
from itertools import islice
from time import thread_time
from typing import NamedTuple

import numpy as np

from ...formulas import typeset
from ...palette import GREEN, VERMILLION
from . import arguments
from .calling import (
    INFINITE,
    TOO_LATE,
    UNDEFINED,
    Rejected,
    Replayed,
    Stopped,
    breach,
    here,
    in_time,
    numbers,
    own_class,
    replayed,
    short,
)
from .drawing import Curve, Drawing
from .numerals import shown
from .slips import explained

# A call of a learner's function that takes longer than this is given up, in seconds.
_PATIENCE = 5.0
# How many random cases a check adds to the chosen ones.
_RANDOM_CASES = 6
# The digits that a number of one's own is asked for, and what is let through.
_DIGITS, _CLOSE = 4, 1e-3
_NOTHING_YET = "There is nothing to check yet: fill in the stub, run the cell, and check again."
_NO_RETURN = "Your function returned None. Does it print its result where it should return it?"
# What the right program may take for two cases, in seconds, if it is to be tried with many other arguments.
_QUICK = 0.2
# The share of a number by which it may be off that a slip makes, and what rounding may leave where that is 0.
_CLEAR, _ROUNDED = 0.01, 1e-9
# So near an answer is said to be right but for its last digits.
_NEARLY = 1e-3
# So near everywhere it may be a matter of accuracy: as a share of the largest number, or ten times this of each.
_CLOSE_BY = 2e-3


@dataclass(frozen=True)
class Result:
    """Whether an answer passed, and the reply to it; true if and only if it passed.

    Attributes
    ----------
    passed : bool
    message : str
    kind : str
        Of the reply: "right", "nothing" (nothing to check yet), "form" (no numbers to compare), "mistake" (one of the
        exercise's), "slip" (one that is made everywhere), "law" (a law is broken), "ignores" (an argument is not used),
        "nearly", "partly" (right in some of the cases or numbers), "judged", or "generic": it says only where the
        answer lies.
    about : str
        The mistake or law that the reply is about: the same for the same one, whatever the numbers.
    drawing : Drawing or None
        A wrong function as a picture.
    note : str
        How the answer was called, where that is worth a word.

    Examples
    --------
    >>> import dptutor as dp
    >>> dp.exercises.get("1.3").check(None)
    ✘ There is nothing to check yet: fill in the stub, run the cell, and check again.
    >>> blind = dp.exercises.get("1.3").check(lambda alpha, mu: 1 - alpha)
    >>> blind.kind, blind.named
    ('mistake', True)
    """

    passed: bool
    message: str
    kind: str = ""
    about: str = ""
    drawing: Drawing | None = field(default=None, repr=False, compare=False)
    note: str = ""

    @property
    def named(self) -> bool:
        """Whether the reply names what is wrong."""
        return self.kind in ("mistake", "slip", "law", "ignores")

    def __bool__(self) -> bool:
        return self.passed

    def insist(self):
        """Shows the reply, and fails if the answer has not passed, as the notebooks of a class do for nbgrader.

        Raises
        ------
        AssertionError

        Examples
        --------
        >>> import dptutor as dp
        >>> dp.exercises.get("1.a").check("1/4").insist()  # doctest: +ELLIPSIS
        ✔ Right...
        """
        try:
            from IPython.display import display
        except ImportError:
            print(self)
        else:
            display(self)
        if not self.passed:
            raise _NotPassed(self.message)

    def __repr__(self) -> str:
        return f"{'✔' if self.passed else '✘'} {self.message}" + (f"\n({self.note})" if self.note else "")

    def _repr_html_(self) -> str:
        color, sign = (GREEN, "✔") if self.passed else (VERMILLION, "✘")
        said = f'<p style="border-left:4px solid {color};padding-left:.6em">{sign} {typeset(escape(self.message))}</p>'
        note = f"<p><small>{escape(self.note)}</small></p>" if self.note else ""
        return said + note + (self.drawing.html if self.drawing else "")


class _NotPassed(AssertionError):
    """What nbgrader takes for a failed check; a notebook has shown the reply already."""

    def _render_traceback_(self) -> list[str]:
        return ["This check has not passed yet."]


class Reply(NamedTuple):
    """What is said to an answer that is not right, and the kind of it; see `Result`."""

    kind: str
    words: str
    about: str = ""


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
    curve : Curve, optional
        Along which argument a wrong function is drawn.
    inputs : str
        What the random arguments follow from, among those with which a function is tried.

    Examples
    --------
    >>> import dptutor as dp
    >>> exercise = dp.exercises.get("1.3")
    >>> exercise.name, exercise.grade, exercise.chapter, len(exercise.hints)
    ('tradeoff', 'think', 1, 3)
    >>> exercise.check(exercise.answer).passed
    True
    >>> [round(float(right[0]), 4) for right in exercise.truths([(0.05, 1.0)])]
    [0.7405]
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
    curve: Curve | None = None
    inputs: str = "check"

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
        return self.cases + tuple(islice(self._drawn(self.inputs), _RANDOM_CASES if self.draw else 0))

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
            curve=None,
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
            with contextlib.suppress(Rejected, ArithmeticError, ValueError), np.errstate(all="ignore"):
                wrong = numbers(mistake.answer(*case), self.shape)  # type: ignore[operator]
                if not any(_alike(wrong, other, 0.0, 10 * _CLOSE) for other in apart):
                    apart.append(wrong)
                    found.append(Mistake(tuple(wrong), mistake.reply))
        return found

    def check(self, answer, call: Callable = here) -> Result:
        """Judges an answer. Whatever the answer is or does, this returns a result.

        Parameters
        ----------
        answer : object
        call : callable, optional
            Calls a function case by case, `calling.here` in this process or `worker.results` in another.

        Examples
        --------
        >>> import dptutor as dp
        >>> dp.exercises.get("1.3").check(0.5).passed
        False
        """
        try:
            with np.errstate(all="ignore"):
                reply = self._judged(answer, call)
        except Rejected as rejected:
            reply = Reply("form", str(rejected))
        if reply is None:
            return Result(True, self.praise, "right")
        return Result(False, reply.words, reply.kind, reply.about)

    def _judged(self, answer, call: Callable) -> Reply | None:
        if answer is None or answer is ...:
            return Reply("nothing", _NOTHING_YET)
        if (self.judge or not self.cases) and (name := own_class(answer)):
            return Reply(
                "form", f"The result should be {self.shape}, but it is, or has in it, an object of type {name}."
            )
        try:
            if self.judge:
                words = in_time(self.judge, answer, patience=self.patience or _PATIENCE)
                return words and Reply("nothing" if words.startswith("There is nothing") else "judged", words)
            if not self.cases:
                given = in_time(numbers, answer, self.shape, patience=_PATIENCE)
                return self._compared([()], [given], answer)
            if not callable(answer):
                words = in_time(short, answer, patience=_PATIENCE)
                told = f"{self.name} should be a function, but it is {words}. Define it with def, and pass it on."
                return Reply("form", told)
        except Stopped as stopped:
            raise Rejected(f"It stops with {stopped}") from None
        reply = self._compared(self.tried, self._called(answer, self.tried, call), answer)
        if reply and reply.kind == "generic" and (words := self._ignored(answer, call)):
            return Reply("ignores", *words)
        if reply is None and (used := self.forbidden(answer)):
            return Reply("form", f"The numbers are right, but your program uses `{used[0]}`. Do it without.")
        return reply

    def forbidden(self, answer) -> list[str]:
        """The names among `without` that the program of an answer uses.

        Examples
        --------
        >>> import dptutor as dp
        >>> dp.exercises.get("7.6").forbidden(lambda m, other: m.tradeoff(0.5))
        ['tradeoff']
        """
        return [name for name in self.without if name in _names_in(answer)] if self.without else []

    def truths(self, cases: Sequence[tuple] | None = None) -> list:
        """The right answers at all cases that are tried, or at others, each as an array of numbers."""
        return self._truths if cases is None else [numbers((self.exact or self.answer)(*c), self.shape) for c in cases]

    @cached_property
    def _truths(self) -> list:
        return self._values(self.exact or self.answer)

    @cached_property
    def _quick(self) -> bool:
        """Whether the right answer can be asked again and again, with other arguments."""
        start = thread_time()
        self.truths(self.tried[:2])
        return thread_time() - start < _QUICK

    @cached_property
    def _yes_or_no(self) -> bool:
        value = self.answer(*self.cases[0]) if self.cases else self.answer
        return np.asarray(value).dtype == bool

    @cached_property
    def _errors(self) -> list[list]:
        return [self._values(mistake.answer) for mistake in self.mistakes]

    def _compared(self, cases: Sequence[tuple], given: list, answer) -> Reply | None:
        # Every case is tried with every candidate, so that a mistake is named only if it explains all results.
        if all(result is None for result in given):
            return Reply("nothing", _NOTHING_YET) if self._untouched(answer) else Reply("form", _NO_RETURN)
        for case, result in zip(cases, given, strict=True):
            if result is None:
                nothing = f"At {self._words(case)} your function returns nothing. Does every path end in a return?"
                return Reply("form", nothing)
        if self._agree(given, self._truths):
            return None
        for mistake, wrong in zip(self.mistakes, self._errors, strict=True):
            if self._agree(given, wrong, mistake.within):
                return Reply("mistake", mistake.reply, mistake.reply)
        if words := self._slip(given):
            return Reply("slip", words, words)
        if words := self._nearly(given):
            return Reply("nearly", words)
        if words := self._slip_of_arguments(cases, given):
            return Reply("slip", words, words)
        if words := self._of_another_size(given):
            return Reply("form", words)
        for number, law in enumerate(self.laws, 1):
            for case, result in zip(cases, given, strict=True):
                if broken := breach(law, result, case):
                    words = f"At {self._words(case)} you give {_listed(result)}. {broken}" if case else broken
                    return Reply("law", words, f"law {number}")
        if self.cases and not self._yes_or_no:
            if words := arguments.constant(given, self._truths, self._same):
                return Reply("slip", words, words)
            words = arguments.in_part(given, self._truths, self._close, lambda place: self._words(cases[place]))
            if words:
                return Reply("partly", words)
            if words := self._close_by(given):
                return Reply("nearly", words)
        return Reply("generic", self._direction(cases, given))

    def _slip(self, given: list) -> str | None:
        if self._yes_or_no or any(own.size != right.size for own, right in zip(given, self._truths, strict=True)):
            return None
        return explained(given, self._truths, self._same)

    def _same(self, own, made) -> bool:
        """Whether an answer is what a slip makes: where that is small, what is let through would make it anything."""
        near = np.clip(_CLEAR * np.abs(made), _ROUNDED, max(self._slack, _ROUNDED))
        return _alike(own, made, near, max(self.relative, 1e-6))

    def _close(self, own, right) -> bool:
        return _alike(own, right, self.tolerance, self.relative)

    def _slip_of_arguments(self, cases: Sequence[tuple], given: list) -> str | None:
        if not self.cases or self._yes_or_no:
            return None
        names = list(inspect.signature(self.answer).parameters)
        found = self._quick and arguments.misplaced(self.exact or self.answer, names, cases, given, self._same)
        return found or arguments.scaled(names, cases, given, self._truths, self._same)

    def _ignored(self, answer: Callable, call: Callable) -> tuple[str, str] | None:
        """What is said to an answer that does not change with one of its arguments, where the right one does."""
        if self._yes_or_no or isinstance(answer, Replayed) or not self._quick:
            return None
        names = list(inspect.signature(self.answer).parameters)
        with contextlib.redirect_stdout(io.StringIO()):  # what it prints was shown when it was tried
            for place, name in enumerate(names):
                found = arguments.ignored(
                    place,
                    self.tried,
                    lambda cases: [own for kind, own in call(answer, cases, self.shape, _PATIENCE) if kind == "result"],
                    self.truths,
                    self._same,
                )
                if found:
                    (one, other), own = found
                    said = (
                        f"Your answer does not change with `{name}`: it is {_listed(own)} for {short(one)} and for "
                        f"{short(other)}. The right one changes."
                    )
                    return said, f"It does not change with `{name}`, and the right answer does."
        return None

    def _of_another_size(self, given: list) -> str | None:
        wrong = [len(own) for own, right in zip(given, self._truths, strict=True) if len(own) != len(right)]
        return f"{self.name} should be {self.shape}; you give {wrong[0]} of them." if wrong else None

    def _nearly(self, given: list) -> str | None:
        """Whether all is right but for the last digits."""
        near = partial(_alike, tolerance=0, relative=_NEARLY)
        if self._yes_or_no or not (all(map(near, given, self._truths)) or all(map(self._same, given, self._truths))):
            return None
        off = max(float(np.max(np.abs(own - right))) for own, right in zip(given, self._truths, strict=True))
        asked = shown(self.tolerance) if self.tolerance else f"{shown(self.relative)} of it"
        return f"This is nearly right: it is off by {shown(off, 2)} at most, where less than {asked} is asked for."

    def _close_by(self, given: list) -> str | None:
        """Whether all is near what is right, but not as near as rounding would leave it."""
        size = max(float(np.max(np.abs(right))) for right in self._truths)
        if not all(
            _alike(own, right, _CLOSE_BY * size, 10 * _CLOSE_BY) for own, right in zip(given, self._truths, strict=True)
        ):
            return None
        off = max(float(np.max(np.abs(own - right))) for own, right in zip(given, self._truths, strict=True))
        return (
            f"This is close everywhere, but off by up to {shown(off, 2)}, which is more than is let through. Is there "
            "a grid that is too coarse, or a number that is rounded on the way?"
        )

    def _untouched(self, answer) -> bool:
        """Whether a function that returns nothing is that of the stub."""
        if isinstance(answer, Replayed):
            return answer.untouched
        programs = [getattr(f, "__code__", None) for f in (answer, run(self.stub)[self.name])]
        own, stub = [program and (program.co_code, program.co_names) for program in programs]
        return own is not None and own == stub

    def _values(self, candidate) -> list:
        if not self.cases:
            return [numbers(candidate, self.shape)]
        return [numbers(candidate(*case), self.shape) for case in self.tried]

    def _called(self, answer: Callable, cases: Sequence[tuple], call: Callable) -> list:
        """What a function returns at each case, None where that is nothing."""
        given = []
        if isinstance(answer, Replayed):
            call = replayed
        elif self._untouched(answer):
            call = here
        for case, (kind, result) in zip(cases, call(answer, cases, self.shape, _PATIENCE), strict=False):
            if kind == "late":
                raise Rejected(TOO_LATE.format(shown(_PATIENCE)))
            if kind == "died":
                raise Rejected(f"At {self._words(case)} your function ends Python itself.")
            advice = f" {said}" if self.stumbles and (said := self.stumbles(*case)) else ""
            if kind == "stopped":
                stop = "." if advice else ""
                raise Rejected(f"At {self._words(case)} it stops with {result}{stop}{advice}")
            if kind == "rejected":
                told = advice and result.endswith((f" {UNDEFINED}.", f" {INFINITE}."))
                raise Rejected(f"At {self._words(case)}: {result}{advice}" if told else result)
            given.append(result)
        if len(given) != len(cases):
            raise Rejected("There is not a value for every case.")
        return given

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
                        said = f"is {bool(own)}, and it should not be" if own in (0, 1) else f"is {shown(own)}"
                        return f"{where} {said}."
                    return f"{where} is {shown(own)}, which is too {'large' if own > right else 'small'}."
        raise AssertionError("an answer that differs differs somewhere")

    def _words(self, case: tuple) -> str:
        names = inspect.signature(self.answer).parameters
        return ", ".join(f"{name} = {short(value)}" for name, value in zip(names, case, strict=True))


def _names_in(function, seen: frozenset = frozenset()) -> set[str]:
    """The names that a function's program uses, its inner functions' and those of the functions that it calls."""
    if isinstance(function, Replayed):
        return set(function.names)
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
    exec(compile(program, "<exercise>", "exec", dont_inherit=True), space)
    return space


def _at(law: Callable, case: tuple) -> Callable:
    return lambda result: law(result, *case)


def _alike(own, right, tolerance, relative: float) -> bool:
    return np.size(own) == np.size(right) and bool(np.allclose(own, right, rtol=relative, atol=tolerance))


def _listed(result: np.ndarray) -> str:
    return ", ".join(map(shown, result[:4])) + (", …" if result.size > 4 else "")
