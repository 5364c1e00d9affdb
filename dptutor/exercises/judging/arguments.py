"""Slips with the arguments of a function: one is put in wrongly, or remains as a factor; and what is right in part.

Like those of `slips`, they are found in every exercise. The right function is called with another argument in place of
one (1 − prior for prior, σ² for σ, two exchanged); or a wrong answer is the right one times some function of an
argument. What is said explains an answer at all cases that were tried, so it is true.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from time import thread_time
from typing import Any, TypeAlias

import numpy as np

from .calling import Case, Function, Rejected, numbers
from .numerals import shown

__all__ = ["constant", "ignored", "in_part", "misplaced", "scaled"]

# So many cases at least tell a rule from a coincidence.
_ENOUGH = 3
# A learner does not wait longer for a name of a mistake, in seconds.
_PATIENCE = 1.0

# Whether two answers are alike.
Alike: TypeAlias = Callable[[Any, Any], Any]

_INSTEAD: tuple[tuple[str, Function], ...] = (
    ("1 − {}", lambda x: 1 - x if 0 <= x <= 1 else np.nan),
    ("−{}", lambda x: -x),
    ("1/{}", lambda x: 1 / x),
    ("{}²", lambda x: x * x),
    ("√{}", np.sqrt),
    ("2·{}", lambda x: 2 * x),
    ("{}/2", lambda x: x / 2),
    ("e^{}", np.exp),
    ("log {}", np.log),
    ("|{}|", abs),
    ("{} + 1", lambda x: x + 1),
    ("{} − 1", lambda x: x - 1),
)
_FACTORS: tuple[tuple[str, Function], ...] = (
    ("{}", lambda x: x),
    ("1/{}", lambda x: 1 / x),
    ("{}²", lambda x: x * x),
    ("1/{}²", lambda x: 1 / (x * x)),
    ("√{}", np.sqrt),
    ("1/√{}", lambda x: 1 / np.sqrt(x)),
    ("e^{}", np.exp),
    ("e^(−{})", lambda x: np.exp(-x)),
    ("(1 − {})", lambda x: 1 - x),
    ("1/(1 − {})", lambda x: 1 / (1 - x)),
    ("{}/(1 − {})", lambda x: x / (1 - x)),
    ("(1 − {})/{}", lambda x: (1 - x) / x),
)


def misplaced(
    right: Function, names: Sequence[str], cases: Sequence[Case], given: Sequence[np.ndarray], alike: Alike
) -> str | None:
    """The reply to an answer that is right for other arguments, among these two that are exchanged."""
    if len(cases) < _ENOUGH or np.ptp(np.concatenate(given)) == 0:  # what never changes has many explanations
        return None
    end = thread_time() + _PATIENCE
    for words, change in _changes(names, cases):
        if thread_time() > end:
            return None
        if _explains(right, change, cases, given, alike):
            return words
    return None


def scaled(
    names: Sequence[str],
    cases: Sequence[Case],
    given: Sequence[np.ndarray],
    truths: Sequence[np.ndarray],
    alike: Alike,
) -> str | None:
    """The reply to the right answer times a function of an argument."""
    if len(cases) < _ENOUGH or any(own.size != right.size for own, right in zip(given, truths, strict=True)):
        return None
    for place, name in enumerate(names):
        if not _scalar(cases, place):
            continue
        for words, factor in _FACTORS:
            with np.errstate(all="ignore"):
                factors = [factor(np.float64(case[place])) for case in cases]
            if np.all(np.isfinite(factors)) and not np.allclose(factors, 1) and _all(given, truths, factors, alike):
                return f"You give {words.replace('{}', f'`{name}`')} times what is asked for."
    return None


def constant(given: Sequence[np.ndarray], truths: Sequence[np.ndarray], alike: Alike) -> str | None:
    """The reply to the right answer times a constant, or plus one."""
    if len(given) < _ENOUGH or any(own.size != right.size for own, right in zip(given, truths, strict=True)):
        return None
    own, right = np.concatenate(given), np.concatenate(truths)
    with np.errstate(all="ignore"):
        factor = own[np.argmax(np.abs(right))] / right[np.argmax(np.abs(right))]
    varies = np.ptp(right) > 1e-6
    if varies and np.isfinite(factor) and abs(factor) > 1e-9 and _all(given, truths, [factor] * len(given), alike):
        return f"You give {shown(factor, 4)} times what is asked for, everywhere. Where does the factor come from?"
    summand = own[0] - right[0]
    moved = [x + summand for x in truths]
    if np.ptp(own) > 1e-6 and all(alike(a, b) for a, b in zip(given, moved, strict=True)):
        return (
            f"You give {shown(abs(summand), 4)} {'more' if summand > 0 else 'less'} than what is asked for, everywhere."
        )
    return None


def _numbered(places: list[int], what: str = "") -> str:
    """The beginning of a sentence about some of the numbers of an answer: Numbers 1, 2 and 5 are."""
    *others, last = (str(place + 1) for place in places)
    return f"Numbers {', '.join(others)} and {last}{what} are" if others else f"Number {last}{what} is"


def in_part(given: Sequence[np.ndarray], truths: Sequence[np.ndarray], alike: Alike, words: Function) -> str | None:
    """The reply to an answer that is right in some cases, or in some of its numbers; `words` describes a case.

    Right by accident is no part: at least every third case is right, and not only where the right answer is trivial.
    """
    sizes = {x.size for x in (*given, *truths)}
    if len(sizes) == 1 and (size := sizes.pop()) > 1 and len(given) >= _ENOUGH:
        good = [i for i in range(size) if all(alike(a[[i]], b[[i]]) for a, b in zip(given, truths, strict=True))]
        if good and len(good) < size:
            bad = [i for i in range(size) if i not in good]
            last = f"{_numbered(bad).lower()} not. Check {'that one' if len(bad) == 1 else 'those'} alone."
            return f"{_numbered(good, ' of your answer')} right, everywhere; {last}"
    hits = [alike(a, b) for a, b in zip(given, truths, strict=True)]
    trivial = [np.all(np.minimum(np.abs(b), np.abs(1 - b)) < 1e-4) for b in truths]
    worth = sum(hit and not plain for hit, plain in zip(hits, trivial, strict=True))
    if worth < max(_ENOUGH, len(hits) / 3):
        return None
    yes, no = hits.index(True), hits.index(False)
    return (
        f"You are right in {sum(hits)} of the {len(hits)} cases that were tried: at {words(yes)}, for one, but not at "
        f"{words(no)}. What is different there?"
    )


def ignored(
    place: int, cases: Sequence[Case], answer: Function, truths: Function, alike: Alike
) -> tuple[tuple[Any, Any], np.ndarray] | None:
    """Two values of the argument at a place between which only the right answer differs, and the learner's there.

    `answer` and `truths` take cases, and return the results of a learner and the right ones. The values are tried at
    several cases. None if the answer changes at one of them, or cannot be asked.
    """
    pairs: list[Case] = []
    for case in cases:
        other = next((x[place] for x in cases if not _equal(x[place], case[place])), None)
        if other is not None and len(pairs) < 2 * _ENOUGH:
            pairs += [case, (*case[:place], other, *case[place + 1 :])]
    with contextlib.suppress(Rejected, Exception), np.errstate(all="ignore"):
        right = truths(pairs)
        changes = [k for k in range(0, len(pairs), 2) if not alike(right[k], right[k + 1])]
        if len(changes) < min(2, len(cases) - 1) or not changes:
            return None
        own = answer([pairs[k + i] for k in changes for i in (0, 1)])
        if len(own) == 2 * len(changes) and all(np.array_equal(own[k], own[k + 1]) for k in range(0, len(own), 2)):
            first = changes[0]
            return (pairs[first][place], pairs[first + 1][place]), own[0]
    return None


def _equal(one: Any, other: Any) -> bool:
    with contextlib.suppress(Exception):
        return bool(np.array_equal(one, other))
    return True  # nothing can be said of the two


def _scalar(cases: Sequence[Case], place: int) -> bool:
    return all(isinstance(case[place], (int, float)) and not isinstance(case[place], bool) for case in cases)


def _changes(names: Sequence[str], cases: Sequence[Case]) -> Iterator[tuple[str, Function]]:
    for first, second in combinations(range(len(names)), 2):
        if all(type(case[first]) is type(case[second]) for case in cases):
            yield f"You have exchanged `{names[first]}` and `{names[second]}`.", _exchanged(first, second)
    for place, name in enumerate(names):
        if _scalar(cases, place):
            for words, change in _INSTEAD:
                told = words.replace("{}", f"`{name}`")
                yield f"This is right with {told} in place of `{name}`.", _replaced(place, change, _most(cases, place))


def _exchanged(first: int, second: int) -> Function:
    def change(case: Case) -> list[Any]:
        other = list(case)
        other[first], other[second] = case[second], case[first]
        return other

    return change


def _replaced(place: int, change: Function, most: float) -> Function:
    def changed(case: Case) -> list[Any]:
        x = float(change(np.float64(case[place])))
        if not abs(x) <= most:  # for which the right program may take forever
            raise ValueError(x)
        return [*case[:place], int(x) if isinstance(case[place], int) and x == int(x) else x, *case[place + 1 :]]

    return changed


def _most(cases: Sequence[Case], place: int) -> float:
    return 10 * max(1.0, *(abs(case[place]) for case in cases))


def _explains(
    right: Function, change: Function, cases: Sequence[Case], given: Sequence[np.ndarray], alike: Alike
) -> bool:
    with contextlib.suppress(Rejected, Exception), np.errstate(all="ignore"):
        pairs = list(zip(cases, given, strict=True))
        if all(alike(own, numbers(right(*change(case)))) for case, own in pairs):
            return not all(alike(own, numbers(right(*case))) for case, own in pairs)  # then the change is none
    return False


def _all(given: Sequence[np.ndarray], truths: Sequence[np.ndarray], factors: Sequence[Any], alike: Alike) -> bool:
    return all(alike(own, factor * x) for own, factor, x in zip(given, factors, truths, strict=True))
