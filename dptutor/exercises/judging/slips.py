"""Slips that people make everywhere: one catalogue for the checks of notebooks, for pages and for rubrics.

A slip turns the right numbers into wrong ones. It is named only where it explains an answer at every place that was
tried, and where it can be told from the right answer; so what its reply says is true.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._types import Array
from .arguments import Alike

__all__ = ["SLIPS", "Slip", "explained", "told_apart"]


@dataclass(frozen=True)
class Slip:
    """A slip: what it makes of right numbers (None if nobody would make it there), its reply, and its chapter.

    With `share`, it is made only with numbers that cannot be larger than 1.
    """

    wrong: Callable[[np.ndarray], np.ndarray | None]
    reply: str
    chapter: int | None = None
    share: bool = False


def _where(condition: Callable[[Array], Any], wrong: Callable[[Array], Array]) -> Callable[[Array], Array | None]:
    """A slip that is made only if all right numbers satisfy a condition."""
    return lambda right: wrong(right) if np.all(condition(right)) else None


def _share(x: Array) -> Any:
    return (x >= 0) & (x <= 1)


def _inner(x: Array) -> Any:
    return (x > 0) & (x < 1)


def _positive(x: Array) -> Any:
    return x > 0


SLIPS = (
    Slip(
        _where(_share, lambda x: 100 * x),
        "This is in percent. Give the share itself, a number from 0 to 1.",
        share=True,
    ),
    Slip(
        _where(_share, lambda x: x / 100),
        "This is a hundredth of what is right: was a percentage divided twice?",
        share=True,
    ),
    Slip(
        _where(_share, lambda x: 1 - x),
        "You give 1 minus what is asked for, the complement. Which event counts?",
        share=True,
    ),
    Slip(
        _where(_inner, lambda x: x / (1 - x)), "These are odds. As a probability, odds x are x/(1 + x).", 5, share=True
    ),
    Slip(
        _where(_inner, lambda x: np.log(x / (1 - x))),
        "These are log-odds. The probability itself is asked for.",
        5,
        share=True,
    ),
    Slip(lambda x: x[::-1] if x.size == 2 else None, "The numbers are right, but in the wrong order."),
    Slip(lambda x: -x, "The size is right, but the sign is wrong."),
    Slip(_where(_positive, np.log), "You give the logarithm of what is asked for."),
    Slip(_where(lambda x: x < 50, np.exp), "You give e to the power of what is asked for. The logarithm is missing."),
    Slip(
        lambda x: x / np.log(10),
        "You give what is asked for divided by log 10, as in base 10. Here all logarithms are natural.",
    ),
    Slip(
        lambda x: x / np.log(2),
        "You give what is asked for divided by log 2, as in bits. Here all logarithms are natural.",
    ),
    Slip(_where(_positive, lambda x: 1 / x), "You give the reciprocal of what is asked for."),
    Slip(_where(_positive, lambda x: x * x), "You give the square of what is asked for."),
    Slip(_where(_positive, np.sqrt), "You give the square root of what is asked for."),
    Slip(lambda x: 2 * x, "You give twice what is asked for. Where does the factor come from?"),
    Slip(lambda x: x / 2, "You give half of what is asked for. Where does the factor come from?"),
    Slip(np.abs, "The sizes are right, but some of the numbers must be negative, and yours never are."),
    Slip(lambda x: np.maximum(x, 0), "You cut off at 0, but some of the numbers must be negative."),
)


def explained(given: Sequence[np.ndarray], truths: Sequence[np.ndarray], alike: Alike) -> str | None:
    """The reply to the one slip that makes all of `given` out of `truths`; `alike` compares two answers."""
    for slip in SLIPS:
        with np.errstate(all="ignore"):
            wrong = [slip.wrong(right) for right in truths]
        if not any(made is None or not np.all(np.isfinite(made)) for made in wrong):
            told = not all(alike(made, right) for made, right in zip(wrong, truths, strict=True))
            if told and all(alike(own, made) for own, made in zip(given, wrong, strict=True)):
                return slip.reply
    return None


def told_apart(
    right: float, taken: Sequence[float], close: Callable[[float, float], Any], share: bool = True
) -> list[tuple[float, str]]:
    """What slips make of one number, with their replies, unless that is `close` to one of the `taken` numbers or to 0.

    `share` says whether the number cannot be larger than 1.
    """
    taken, found = [0.0, right, *taken], []
    for slip in SLIPS:
        if slip.share and not share:
            continue
        with np.errstate(all="ignore"):
            made = slip.wrong(np.array([right]))
        if made is None or not np.isfinite(made[0]):
            continue
        wrong = float(made[0])
        if not any(close(wrong, other) for other in taken):
            taken.append(wrong)
            found.append((wrong, slip.reply))
    return found
