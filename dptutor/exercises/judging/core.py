"""An exercise: the question, the right answer, common mistakes with replies to them, and variants with other numbers.

An answer is a number, several numbers, or a function, which is called with chosen arguments and with random ones.
"""

from __future__ import annotations

import contextlib
import inspect
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from time import thread_time
from typing import Any

import numpy as np

from .calling import Call, Case, Function, Rejected, here, numbers, short
from .drawing import Curve
from .judge import names_in, reply_to, run
from .matching import Matching, alike
from .results import Reply, Result

# How many random cases a check adds to the chosen ones.
_RANDOM_CASES = 6
# Significant digits that a variant asks for, and the relative error that it accepts.
_DIGITS, _CLOSE = 4, 1e-3
# Seconds that the right answer may take for two cases if it is to be called with many more.
_QUICK = 0.2


@dataclass(frozen=True)
class Mistake:
    """A common wrong answer, in the form of a right one, and the reply to it.

    Attributes
    ----------
    answer : object
    reply : str
    within : float
        The absolute distance up to which an answer counts as this mistake, if learners compute it only roughly.

    Examples
    --------
    >>> import dptutor as dp
    >>> mistake = dp.exercises.get("1.3").mistakes[0]
    >>> dp.exercises.get("1.3").check(mistake.answer).message == mistake.reply
    True
    """

    answer: Any
    reply: str
    within: float = 0.0


def roughly(within: float, *mistakes: Mistake) -> tuple[Mistake, ...]:
    """Mistakes that are recognized up to `within`, because learners compute them roughly, on a grid for example."""
    return tuple(replace(mistake, within=within) for mistake in mistakes)


@dataclass(frozen=True)
class Exercise:
    """An exercise, as a page: the question, three hints, a worked answer, and how answers are judged.

    Parameters
    ----------
    id, grade, title, question : str
        Number, grade ("warm-up", "think" or "build"), title, and what is asked.
    brief : str, optional
        What the chapter's page says instead of `question`, with formulas in TeX.
    goals : tuple of int
        Which goals of the chapter it practices, counted from 1 as the chapter lists them.
    name : str
        The variable or function that the stub and the solution define.
    stub, solution : str
        Programs; what the solution assigns to `name` is the right answer.
    explanation : str
        Why the solution is right.
    hints : tuple of str
        Three.
    praise : str
        The reply to a right answer.
    cases : tuple
        Arguments with which a function is called.
    mistakes : tuple of Mistake
    laws : tuple of callable
        Functions of a result and its case that return a sentence about the law that is violated, or None.
    stumbles : callable, optional
        A function of a case that returns the reply to a program that stops there or returns no number, or None.
    judge : callable, optional
        Where comparing is not enough: a function of an answer that returns a reply, or None.
    patience : float, optional
        How many seconds `judge` may take, if the right answer itself takes long.
    draw : callable, optional
        If the arguments are numbers that can vary: a function that makes a case from a `random.Random`, for random
        arguments and for variants.
    exact : callable, optional
        The right answer computed by other means, exact where the solution is rounded: answers are compared with it.
    without : tuple of str
        Names that an answer may not use: "from the Bayes errors alone".
    tolerance, relative : float
        Absolute and relative difference up to which numbers count as equal.
    shape : str
        What an answer is, in words.
    curve : Curve, optional
        The argument along which a wrong function is drawn.
    inputs : str
        The seed of the random arguments with which a function is called.

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
    goals: tuple[int, ...]
    brief: str = ""
    cases: tuple[Case, ...] = ()
    mistakes: tuple[Mistake, ...] = ()
    laws: tuple[Callable[..., str | None], ...] = ()
    stumbles: Callable[..., str | None] | None = None
    judge: Callable[[Any], str | None] | None = None
    patience: float | None = None
    draw: Callable[[random.Random], Case] | None = None
    exact: Function | None = None
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
        """The points for a right answer.

        Examples
        --------
        >>> import dptutor as dp
        >>> dp.exercises.get("1.3").points
        2
        """
        return {"warm-up": 1, "think": 2, "build": 3}[self.grade]

    @cached_property
    def answer(self) -> Any:
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
    def tried(self) -> tuple[Case, ...]:
        """The arguments with which a function is called, chosen ones and then random ones, the same in each check.

        Examples
        --------
        >>> import dptutor as dp
        >>> exercise = dp.exercises.get("1.3")
        >>> exercise.tried[: len(exercise.cases)] == exercise.cases
        True
        """
        return self.cases + tuple(islice(self._drawn(self.inputs), _RANDOM_CASES if self.draw else 0))

    def variant(self, seed: object) -> Exercise:
        """The same exercise for numbers drawn from a seed: it asks for the value there, and knows the same mistakes.

        The numbers depend only on `seed`, a name or a number.

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
        # At numbers where mistakes have the same result, no reply could name the mistake.
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

    def _drawn(self, seed: object) -> Iterator[Case]:
        assert self.draw
        generator = random.Random(f"{self.id} {seed}")
        while True:
            yield tuple(x if isinstance(x, int) else float(f"{x:.3g}") for x in self.draw(generator))

    def _mistakes_at(self, case: Case) -> list[Mistake] | None:
        """The mistakes whose results at a case differ from the truth and from each other; None if the truth is 0."""
        truth = numbers(self.answer(*case), self.shape)
        if np.any(np.abs(truth) < 1e-12):
            return None
        apart, found = [truth], []
        for mistake in self.mistakes:
            with contextlib.suppress(Rejected, ArithmeticError, ValueError), np.errstate(all="ignore"):
                wrong = numbers(mistake.answer(*case), self.shape)
                if not any(alike(wrong, other, 0.0, 10 * _CLOSE) for other in apart):
                    apart.append(wrong)
                    found.append(Mistake(tuple(wrong), mistake.reply))
        return found

    def check(self, answer: object, call: Call = here) -> Result:
        """Judges an answer. Returns a result whatever the answer is or does.

        Parameters
        ----------
        answer : object
        call : callable, optional
            What calls a function case by case: `calling.here` in this process, or `worker.results` in another.

        Examples
        --------
        >>> import dptutor as dp
        >>> dp.exercises.get("1.3").check(0.5).passed
        False
        """
        try:
            with np.errstate(all="ignore"):
                reply = reply_to(self, answer, call)
        except Rejected as rejected:
            reply = Reply("form", str(rejected))
        if reply is None:
            return Result(True, self.praise, "right")
        return Result(False, reply.words, reply.kind, reply.about)

    def forbidden(self, answer: object) -> list[str]:
        """The names among `without` that the program of an answer uses.

        Examples
        --------
        >>> import dptutor as dp
        >>> dp.exercises.get("7.6").forbidden(lambda m, other: m.tradeoff(0.5))
        ['tradeoff']
        """
        used = names_in(answer) if self.without else set()
        return [name for name in self.without if name in used]

    def truths(self, cases: Sequence[Case] | None = None) -> list[np.ndarray]:
        """The right answers at `cases`, or at all that are tried, each as an array of numbers."""
        return self._truths if cases is None else [numbers((self.exact or self.answer)(*c), self.shape) for c in cases]

    @cached_property
    def _truths(self) -> list[np.ndarray]:
        return self._values(self.exact or self.answer)

    @cached_property
    def _quick(self) -> bool:
        """Whether the right answer is fast enough to be called with many more arguments."""
        start = thread_time()
        self.truths(self.tried[:2])
        return thread_time() - start < _QUICK

    @cached_property
    def _yes_or_no(self) -> bool:
        value = self.answer(*self.cases[0]) if self.cases else self.answer
        return np.asarray(value).dtype == bool

    @cached_property
    def _errors(self) -> list[list[np.ndarray]]:
        return [self._values(mistake.answer) for mistake in self.mistakes]

    def _compared(self, cases: Sequence[Case], given: list[np.ndarray]) -> Reply | None:
        return Matching(self, cases, given).reply()

    def _values(self, candidate: Any) -> list[np.ndarray]:
        if not self.cases:
            return [numbers(candidate, self.shape)]
        return [numbers(candidate(*case), self.shape) for case in self.tried]

    @property
    def _names(self) -> list[str]:
        """The names of the arguments."""
        return list(inspect.signature(self.answer).parameters)

    def _words(self, case: Case) -> str:
        return ", ".join(f"{name} = {short(value)}" for name, value in zip(self._names, case, strict=True))


def _at(law: Callable[..., str | None], case: Case) -> Callable[..., str | None]:
    return lambda result: law(result, *case)
