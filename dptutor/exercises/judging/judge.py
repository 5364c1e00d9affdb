"""From an answer to its reply: a function is called, and results are compared.

How a function is called is a parameter of `reply_to`: in this process (`calling`) or in one of its own (`worker`).
"""

from __future__ import annotations

import contextlib
import inspect
import io
from collections.abc import Sequence
from functools import partial
from types import CodeType
from typing import TYPE_CHECKING, Any

import numpy as np

from . import arguments
from .calling import (
    INFINITE,
    TOO_LATE,
    UNDEFINED,
    Call,
    Case,
    Rejected,
    Replayed,
    Stopped,
    here,
    in_time,
    numbers,
    own_class,
    replayed,
    short,
)
from .matching import as_a_slip_makes, listed
from .numerals import shown
from .results import Reply

if TYPE_CHECKING:
    from .core import Exercise

# Calls of a learner's function are given up after this many seconds.
_PATIENCE = 5.0
_NOTHING_YET = "There is nothing to check yet: fill in the stub, run the cell, and check again."
_NO_RETURN = "Your function returned None. Does it print its result where it should return it?"


def reply_to(exercise: Exercise, answer: Any, call: Call) -> Reply | None:
    """The reply to an answer; None if it is right.

    Raises
    ------
    Rejected
        If it cannot be compared.
    """
    if answer is None or answer is ...:
        return Reply("nothing", _NOTHING_YET)
    if (exercise.judge or not exercise.cases) and (name := own_class(answer)):
        return Reply(
            "form", f"The result should be {exercise.shape}, but it is, or has in it, an object of type {name}."
        )
    try:
        if exercise.judge:
            words = in_time(exercise.judge, answer, patience=exercise.patience or _PATIENCE)
            return words and Reply("nothing" if words.startswith("There is nothing") else "judged", words)
        if not exercise.cases:
            given = in_time(numbers, answer, exercise.shape, patience=_PATIENCE)
            return exercise._compared([()], [given])
        if not callable(answer):
            words = in_time(short, answer, patience=_PATIENCE)
            told = f"{exercise.name} should be a function, but it is {words}. Define it with def, and pass it on."
            return Reply("form", told)
    except Stopped as stopped:
        raise Rejected(f"It stops with {stopped}") from None
    return _of_function(exercise, answer, call)


def _of_function(exercise: Exercise, answer: Any, call: Call) -> Reply | None:
    results = _called(exercise, answer, call)
    given = [result for result in results if result is not None]
    if not given:
        return Reply("nothing", _NOTHING_YET) if _untouched(exercise, answer) else Reply("form", _NO_RETURN)
    for case, result in zip(exercise.tried, results, strict=True):
        if result is None:
            nothing = f"At {exercise._words(case)} your function returns nothing. Does every path end in a return?"
            return Reply("form", nothing)
    reply = exercise._compared(exercise.tried, given)
    if reply and reply.kind == "generic":
        return _ignoring(exercise, answer, call) or reply
    if reply is None and (used := exercise.forbidden(answer)):
        return Reply("form", f"The numbers are right, but your program uses `{used[0]}`. Do it without.")
    return reply


def _called(exercise: Exercise, answer: Any, call: Call) -> list[np.ndarray | None]:
    """The results of a function at all cases, or None if it returns nothing."""
    given, cases = [], exercise.tried
    if isinstance(answer, Replayed):
        call = replayed
    elif _untouched(exercise, answer):
        call = here
    for case, (kind, result) in zip(cases, call(answer, cases, exercise.shape, _PATIENCE), strict=False):
        if kind == "late":
            raise Rejected(TOO_LATE.format(shown(_PATIENCE)))
        if kind == "died":
            raise Rejected(f"At {exercise._words(case)} your function ends Python itself.")
        advice = f" {said}" if exercise.stumbles and (said := exercise.stumbles(*case)) else ""
        if kind == "stopped":
            stop = "." if advice else ""
            raise Rejected(f"At {exercise._words(case)} it stops with {result}{stop}{advice}")
        if kind == "rejected":
            told = advice and result.endswith((f" {UNDEFINED}.", f" {INFINITE}."))
            raise Rejected(f"At {exercise._words(case)}: {result}{advice}" if told else result)
        given.append(result)
    if len(given) != len(cases):
        raise Rejected("There is not a value for every case.")
    return given


def _untouched(exercise: Exercise, answer: Any) -> bool:
    """Whether a function that returns nothing is still the stub."""
    if isinstance(answer, Replayed):
        return answer.untouched
    own, stub = (getattr(f, "__code__", None) for f in (answer, run(exercise.stub)[exercise.name]))
    if own is None or stub is None:
        return False
    return (own.co_code, own.co_names) == (stub.co_code, stub.co_names)


def _ignoring(exercise: Exercise, answer: Any, call: Call) -> Reply | None:
    """The reply to a function that ignores one of its arguments, although the right answer depends on it."""
    if exercise._yes_or_no or isinstance(answer, Replayed) or not exercise._quick:
        return None

    def results(cases: Sequence[Case]) -> list[np.ndarray]:
        return [own for kind, own in call(answer, cases, exercise.shape, _PATIENCE) if kind == "result"]

    same = partial(as_a_slip_makes, exercise)
    with contextlib.redirect_stdout(io.StringIO()):  # what it prints was shown when it was tried
        for place, name in enumerate(exercise._names):
            if found := arguments.ignored(place, exercise.tried, results, exercise.truths, same):
                (one, other), own = found
                said = (
                    f"Your answer does not change with `{name}`: it is {listed(own)} for {short(one)} and for "
                    f"{short(other)}. The right one changes."
                )
                return Reply("ignores", said, f"It does not change with `{name}`, and the right answer does.")
    return None


def names_in(function: Any, seen: frozenset[CodeType] = frozenset()) -> set[str]:
    """The names that a function uses, also in its inner functions and in the functions that it calls."""
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
    return names.union(*(names_in(f, seen | {code}) for f in called if inspect.isfunction(f)))


def run(program: str) -> dict[str, Any]:
    """The names that a program defines."""
    space: dict[str, Any] = {}
    exec(compile(program, "<exercise>", "exec", dont_inherit=True), space)
    return space
