"""Replies to nonsense are true: what a reply says of an answer is evaluated, against the answer and the exact value.

A hundred wrong answers to each exercise (made from the right one, from its arguments and from chance) are checked by
`make look`, twenty to every fifth exercise by `make test`. None
may pass that is not right, and each statement of a reply is read and tested here by other means than those by which it
was made: a range, a law, "too large", "1.7 times what is asked for", "right in 3 of 8 cases". A statement that is not
known here fails the test.
"""

import inspect
import math
import random
import re

import numpy as np
import pytest
from scipy.special import expit

import dptutor as dp
from dptutor.exercises.judging.calling import Rejected, numbers
from dptutor.exercises.judging.slips import SLIPS

ANSWERS = 100
COMPARED = [e for e in dp.exercises.catalogue() if not e.judge]
RIGHT_OFTEN = 1e-5  # up to which a statement of equality is checked, relatively


# Wrong answers.


class Nonsense:
    """A wrong answer to an exercise, the same for the same seed, as an array for each case."""

    def __init__(self, exercise, seed):
        self.exercise, self.seed = exercise, seed
        self.r = random.Random(f"{exercise.id} {seed}")
        self.way = self.r.choice(WAYS)
        self.number = self.r.choice([0, 1, 0.5, -1, 2, 100, 0.01, self.r.uniform(-3, 3), self.r.uniform(0, 1), 1e9])
        self.other = self.r.randint(0, 10**6)
        self.known = {repr(case): x for case, x in zip(exercise.tried or [()], exercise._truths, strict=True)}

    def right(self, *case):
        if repr(case) not in self.known:
            self.known[repr(case)] = numbers((self.exercise.exact or self.exercise.answer)(*case))
        return self.known[repr(case)]

    def chance(self, *case, size=1):
        return np.array([random.Random(f"{self.seed} {case!r} {k}").uniform(0, 1) for k in range(size)])

    def __call__(self, *case):
        return self.way(self, *case)

    def values(self):
        return [np.asarray(self(*case), dtype=float).ravel() for case in self.exercise.tried or [()]]


def constant(n, *case):
    return np.full(n.right(*case).size, n.number)


def by_chance(n, *case):
    return n.chance(*case, size=n.right(*case).size) * (1 + abs(n.number)) - (n.other % 2)


def scaled(n, *case):
    return n.right(*case) * n.number


def moved(n, *case):
    return n.right(*case) + n.number / 10


def changed(n, *case):
    x = n.right(*case)
    with np.errstate(all="ignore"):
        return [1 - x, -x, x * x, 1 / x, np.exp(x), np.log(x), x[::-1], np.sqrt(x), x / (1 - x), np.abs(x), 100 * x,
                np.maximum(x, 0), np.log(x / (1 - x)), np.round(x, 2), np.minimum(x, 0.5)][n.other % 15]  # fmt: skip


def in_part(n, *case):
    x = n.right(*case)
    return x if n.chance(*case)[0] < 0.2 + 0.7 * (n.other % 100) / 100 else x + 0.1


def one_number(n, *case):
    x = n.right(*case).copy()
    x[n.other % x.size] *= 1.3
    return x


def nearly(n, *case):
    x = n.right(*case)
    return x * (1 + 10 ** -(1 + n.other % 6) * (n.chance(*case, size=x.size) - 0.5))


def of_one_argument(n, *case):
    plain = [float(x) for x in case if isinstance(x, (int, float)) and not isinstance(x, bool)]
    if not plain:
        return by_chance(n, *case)
    x = plain[n.other % len(plain)]
    with np.errstate(all="ignore"):
        made = [x, 1 - x, x * x, math.exp(-min(abs(x), 9)), x * plain[0], x + plain[-1]][n.other % 6]
    return np.full(n.right(*case).size, made)


def times_an_argument(n, *case):
    plain = [float(x) for x in case if isinstance(x, (int, float)) and not isinstance(x, bool)]
    x = plain[n.other % len(plain)] if plain else 2.0
    with np.errstate(all="ignore"):
        factor = [np.float64(x), 1 / np.float64(x), np.float64(x) ** 2, np.sqrt(x), np.exp(-x), 1 - x][n.other % 6]
    return n.right(*case) * factor


def of_other_arguments(n, *case):
    place = n.other % max(len(case), 1)
    other = list(case)
    if case and isinstance(case[place], float):
        other[place] = [1 - case[place], case[place] ** 2, 2 * case[place], -case[place]][n.other // 7 % 4]
    elif len(case) > 1:
        other[0], other[1] = other[1], other[0]
    with np.errstate(all="ignore"):
        return n.right(*other)


def between_mistakes(n, *case):
    mistakes = n.exercise.mistakes
    if not mistakes:
        return by_chance(n, *case)
    wrong = mistakes[n.other % len(mistakes)].answer
    made = numbers(wrong(*case) if callable(wrong) and n.exercise.cases else wrong)
    return made + (0.03 if n.chance(*case)[0] < 0.5 else 0) * (n.other % 3)


WAYS = [constant, by_chance, scaled, moved, changed, in_part, one_number, nearly, of_one_argument, times_an_argument,
        of_other_arguments, between_mistakes]  # fmt: skip


# What replies say.

AT_LEAST_0 = r"at least 0(?! and)|never negative|not negative|is positive|cannot be below 0"
FROM_0_TO_1 = (
    r"The empty event gives 0, and no event more than 1|between 0 and 1(?!/)|at least 0 and at most 1|is a probability"
)
# Each law in its words, and when a number breaks it, by the arguments' names; `right` is the right number.
LAWS = [
    (r"lead is at most 1/4", lambda x, **_: abs(x) > 0.25),
    (FROM_0_TO_1, lambda x, **_: x < 0 or x > 1),
    (r"is positive|are positive", lambda x, **_: x <= 0),
    (AT_LEAST_0, lambda x, **_: x < 0),
    (r"cannot be above 1", lambda x, **_: x > 1),
    (r"exceeds 1/2", lambda x, **_: x > 0.5),
    (r"wrong 1/4 of the time", lambda x, **_: x > 0.25),
    (r"min\(π, 1 − π\)", lambda x, prior, **_: x > min(prior, 1 - prior)),
    (r"1 − α", lambda x, alpha=None, level=None, **_: x > 1 - (level if alpha is None else alpha)),
    (r"from 1 to \d", lambda x, **_: x not in (1, 2, 3, 4)),
    (r"At least one step|One step is always allowed", lambda x, **_: x < 1),
    (r"A number of steps is whole", lambda x, **_: x != int(x)),
    (r"At most 10,000 steps", lambda x, **_: x > 10_000),
    (r"With so many steps δ", lambda x, right, **_: x > right),
    (r"One step more would keep", lambda x, right, **_: x < right),
    (r"f\(0\) = 1", lambda x, alpha, **_: alpha == 0 and abs(x - 1) > 1e-9),
    (r"has power α already", lambda x, alpha, **_: x < alpha),
    (r"σ for these numbers is more", lambda x, right, **_: x < right),
    (r"σ for these numbers is less", lambda x, right, **_: x > right),
    (r"has more noise than|never makes ε larger|never exceeds k|σ of the whole cannot exceed|No Rényi divergence "
     r"exceeds|No excess is larger|never makes the adversary err more|the condition fails",
     lambda x, right, **_: x > right),
    (r"smaller than before|less than the bound for m itself|v₂ is at least v₁²|never makes an adversary err less",
     lambda x, right, **_: x < right),
    (r"between the baseline and 1", lambda x, baseline, **_: x < baseline or x > 1),
    (r"as often as a blind one, 1/m", lambda x, m, **_: x < 1 / m or x > 1),
    (r"weighted difference", lambda x, right, **_: right == 0 != x),
    (r"worse than a coin", lambda x, **_: x < 0.5),
    (r"not larger than at ε = 0", lambda x, deltas, **_: x > deltas[0]),
    (r"nothing negative open", lambda x, **_: x < 0),
    (r"Bayes errors is at most one half", lambda x, **_: x > 0.5),
    (r"never worse than a blind one, whose power is the level", lambda x, level, **_: x < level),
    (r"left out than there are", lambda x, n, **_: x > n),
    (r"Noise does not add people", lambda x, **_: x < 0),
    (r"as much as they are worth, or more", lambda x, p, q, **_: p <= q and x > 0),
    (r"less than the probability of stopping at the last look alone", lambda x, right, **_: x < right),
    (r"A round is a whole number", lambda x, **_: x != int(x)),
]  # fmt: skip
OF_SEVERAL = {
    "contain the observed rate": lambda x, wrong, rounds, **_: not x[0] - 1e-9 <= wrong / rounds <= x[1] + 1e-9,
    "add up to 1": lambda x, **_: abs(x[0] + x[1] - 1) > 1e-9,
    "the same in both directions": lambda x, **_: x[0] != x[1],
    "cannot be smaller than the first": lambda x, **_: x[1] < x[0],
    "v₂ is at least v₁²": lambda x, **_: x[1] < x[0] ** 2,
}
EVERYWHERE = [
    ("in percent", lambda x, right: x / 100 - right),
    ("a hundredth of", lambda x, right: 100 * x - right),
    ("1 minus what is asked for", lambda x, right: 1 - x - right),
    ("These are odds", lambda x, right: x / (1 + x) - right),
    ("These are log-odds", lambda x, right: expit(x) - right),
    ("wrong order", lambda x, right: x[::-1] - right),
    ("the sign is wrong", lambda x, right: -x - right),
    ("the logarithm of what", lambda x, right: np.exp(x) - right),
    ("e to the power of what", lambda x, right: np.log(x) - right),
    ("divided by log 10", lambda x, right: x * np.log(10) - right),
    ("divided by log 2,", lambda x, right: x * np.log(2) - right),
    ("the reciprocal of", lambda x, right: x * right - 1),
    ("the square of", lambda x, right: x - right * right),
    ("the square root of", lambda x, right: x * x - right),
    ("give twice what", lambda x, right: x / 2 - right),
    ("give half of what", lambda x, right: 2 * x - right),
    ("yours never are", lambda x, right: x - np.abs(right)),
    ("cut off at 0", lambda x, right: x - np.maximum(right, 0)),
]
FACTORS = {
    "{}": lambda x: x, "1/{}": lambda x: 1 / x, "{}²": lambda x: x**2, "1/{}²": lambda x: x**-2.0,
    "√{}": lambda x: x**0.5, "1/√{}": lambda x: x**-0.5, "e^{}": math.exp, "e^(−{})": lambda x: math.exp(-x),
    "(1 − {})": lambda x: 1 - x, "1/(1 − {})": lambda x: 1 / (1 - x), "{}/(1 − {})": lambda x: x / (1 - x),
    "(1 − {})/{}": lambda x: (1 - x) / x, "1 − {}": lambda x: 1 - x, "−{}": lambda x: -x, "2·{}": lambda x: 2 * x,
    "{}/2": lambda x: x / 2, "log {}": math.log, "|{}|": abs, "{} + 1": lambda x: x + 1, "{} − 1": lambda x: x - 1,
}  # fmt: skip
# The beginning of what is said of a number: where it is, and which of several it is.
ANSWER = r"(?:At (.*?) )?(?:number (\d+) of )?your answer is "
NEARLY = r"off by (.+?) at most, where less than (.+?) (?:of it )?is asked"
GIVEN = r"(?:At (.*) you give ([^a-zA-Z]*?)\. )?(.*)"
IGNORED = r"Your answer does not change with `(.*)`: it is (.*?) for (.*) and for (.*)\. The right"
SOME = r"Numbers? ([\d, and]+) of your answer (?:is|are) right, everywhere; numbers? ([\d, and]+) (?:is|are) not"
CASES = r"You are right in (\d+) of the (\d+) cases that were tried: at (.*), for one, but not at (.*)\. What is"


def said(text):
    """A number as it is shown."""
    plain = text.replace("\u202f", "").replace("−", "-")
    if found := re.fullmatch(r"(-?)(?:([\d.]+)·)?10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", plain):
        power = found[3].translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789"))
        return float(f"{found[1]}{found[2] or 1}e{power}")
    return float(plain)


def near(text, number, digits=6):
    """Whether a number is shown, rounded."""
    try:
        return math.isclose(said(text), number, rel_tol=0.51 * 10 ** (1 - digits))
    except ValueError:  # a word
        return False


class Statement:
    """A reply to an answer, and what is known of the answer."""

    def __init__(self, exercise, answer, given, reply):
        self.exercise, self.answer, self.given, self.reply = exercise, answer, given, reply
        self.cases, self.truths = exercise.tried or ((),), exercise._truths
        self.near = 2 * max(exercise.tolerance, RIGHT_OFTEN)

    def equal(self, one, other, within=0.0):
        return np.allclose(one, other, rtol=2 * max(self.exercise.relative, RIGHT_OFTEN), atol=max(self.near, within))

    def true(self):
        return getattr(self, f"_{self.reply.kind}")(self.reply.message)

    def _places(self, words):
        """Where the arguments of the reply are: words of a case are shortened alike for several."""
        return [k for k, case in enumerate(self.cases) if not words or self.exercise._words(case) == words]

    def _named(self, place):
        if not self.exercise.cases:
            return {}
        names = inspect.signature(self.exercise.answer).parameters
        return dict(zip(names, self.cases[place], strict=True))

    def _right(self, _):
        within = self.exercise.tolerance * (1 + 1e-9)
        return all(np.allclose(x, right, rtol=max(self.exercise.relative, 1e-12), atol=within)
                   for x, right in zip(self.given, self.truths, strict=True))  # fmt: skip

    def _generic(self, message):
        if found := re.fullmatch(ANSWER + r"([^a-z]+), which is too (\w+)\.", message, re.IGNORECASE | re.DOTALL):
            words, number, shown, side = found.groups()
            k = int(number or 1) - 1
            return any(near(shown, self.given[p][k])
                       and (self.given[p][k] > self.truths[p][k]) == (side == "large")
                       and self.given[p][k] != self.truths[p][k] for p in self._places(words))  # fmt: skip
        found = re.fullmatch(ANSWER + r"(.+?)(, and it should not be)?\.", message, re.IGNORECASE | re.DOTALL)
        words, number, shown, _ = found.groups()
        k = int(number or 1) - 1
        return any((shown == str(bool(self.given[p][k])) or near(shown, self.given[p][k]))
                   and self.given[p][k] != self.truths[p][k] for p in self._places(words))  # fmt: skip

    def _nearly(self, message):
        worst = max(np.max(np.abs(x - right)) for x, right in zip(self.given, self.truths, strict=True))
        if found := re.match(r"This is close everywhere, but off by up to (.+?), which", message):
            size = max(np.max(np.abs(right)) for right in self.truths)
            pairs = zip(self.given, self.truths, strict=True)
            close = all(np.all(np.abs(x - right) <= 0.002 * size + 0.02 * np.abs(right)) for x, right in pairs)
            return near(found[1], worst, 2) and close and not self._right("")
        off, asked = re.search(NEARLY, message).groups()
        return near(off, worst, 2) and not self._right("") and said(asked) <= 0.1

    def _mistake(self, message):
        for mistake, wrong in zip(self.exercise.mistakes, self.exercise._errors, strict=True):
            if mistake.reply == message:
                within = max(mistake.within, self.exercise.tolerance) * (1 + 1e-9)
                if all(np.allclose(x, y, rtol=max(self.exercise.relative, 1e-12), atol=within)
                       for x, y in zip(self.given, wrong, strict=True)):  # fmt: skip
                    return True
        return False

    def _slip(self, message):
        pairs = list(zip(self.given, self.truths, strict=True))
        if any(slip.reply == message for slip in SLIPS):
            test = next(test for words, test in EVERYWHERE if words in message)
            with np.errstate(all="ignore"):
                scale = max(1.0, *(float(np.max(np.abs(right))) for right in self.truths))
                return all(self.equal(test(x, right) / scale, 0, 1e-4) for x, right in pairs)
        if found := re.match(r"You give (.+?) times what is asked for, everywhere", message):
            return all(np.allclose(x, said(found[1]) * right, rtol=1e-3, atol=self.near) for x, right in pairs)
        if found := re.match(r"You give (.+?) (more|less) than what is asked for, everywhere", message):
            summand = said(found[1]) * (1 if found[2] == "more" else -1)
            return all(np.allclose(x - right, summand, rtol=1e-3, atol=self.near) for x, right in pairs)
        if found := re.match(r"You give (.*) times what is asked for\.", message):
            name = re.search("`(.*?)`", message)[1]
            factor = FACTORS[found[1].replace(f"`{name}`", "{}")]
            return all(self.equal(x, factor(self._named(p)[name]) * right) for p, (x, right) in enumerate(pairs))
        if found := re.match(r"This is right with (.*) in place of `(.*)`\.", message):
            change = FACTORS[found[1].replace(f"`{found[2]}`", "{}")]
            return self._right_at(lambda named: named | {found[2]: change(named[found[2]])})
        one, other = re.match(r"You have exchanged `(.*)` and `(.*)`\.", message).groups()
        return self._right_at(lambda named: named | {one: named[other], other: named[one]})

    def _right_at(self, change):
        right = self.exercise.exact or self.exercise.answer
        for p, x in enumerate(self.given):
            case = [int(v) if isinstance(o, int) and v == int(v) else v
                    for o, v in zip(self.cases[p], change(self._named(p)).values(), strict=True)]  # fmt: skip
            if not self.equal(x, numbers(right(*case))):
                return False
        return True

    def _law(self, message):
        words, given, law = re.fullmatch(GIVEN, message, re.DOTALL).groups()
        for p in self._places(words):
            x, right = self.given[p], self.truths[p]
            for said, broken in OF_SEVERAL.items():
                if said in law:
                    return broken(x, **self._named(p))
            broken = next((broken for said, broken in LAWS if re.search(said, law)), None)
            assert broken, f"this law is not known here: {law}"
            parts = [] if given is None else given.removesuffix(", …").split(", ")
            if all(near(part, y) for part, y in zip(parts, x, strict=False)) and any(
                broken(float(y), **{"right": float(right[k])} | self._named(p)) for k, y in enumerate(x)
            ):
                return True
        return False

    def _ignores(self, message):
        name, _, one, other = re.match(IGNORED, message, re.DOTALL).groups()
        for p in range(len(self.cases)):
            named = self._named(p)
            values = [v for case in self.cases for v in [case[list(named).index(name)]]]
            found = [next((v for v in values if repr(v) == said or str(v) == said), None) for said in (one, other)]
            if None in [x if not isinstance(x, np.ndarray) else 0 for x in found]:
                return True  # shown shortened
            own, right = ([np.asarray(f(*(named | {name: v}).values()), float).ravel() for v in found]
                          for f in (self.answer, self.exercise.exact or self.exercise.answer))  # fmt: skip
            if np.array_equal(*own) and not np.array_equal(*right):
                return True
        return False

    def _partly(self, message):
        if found := re.match(SOME, message):
            good, bad = ([int(k) - 1 for k in re.findall(r"\d+", said)] for said in found.groups())
            return all(self.equal(x[good], y[good]) for x, y in zip(self.given, self.truths, strict=True)) and all(
                any(not np.allclose(x[k], y[k], rtol=1e-7, atol=self.exercise.tolerance / 2)
                    for x, y in zip(self.given, self.truths, strict=True)) for k in bad)  # fmt: skip
        right, tried, yes, no = re.match(
            r"You are right in (\d+) of the (\d+) cases that were tried: at (.*), for one, but not at (.*)\. What is",
            message,
            re.DOTALL,
        ).groups()
        hits = [self.equal(x, y) for x, y in zip(self.given, self.truths, strict=True)]
        sure = [
            np.allclose(x, y, rtol=1e-6, atol=self.exercise.tolerance)
            for x, y in zip(self.given, self.truths, strict=True)
        ]
        return (
            len(hits) == int(tried)
            and sum(sure) <= int(right) <= sum(hits)
            and any(hits[p] for p in self._places(yes))
            and any(not sure[p] for p in self._places(no))
        )

    def _form(self, message):
        flat = np.concatenate([np.ravel(x) for x in self.given])
        if "infinite" in message:
            return bool(np.any(np.isinf(flat)))
        if "not a number" in message:
            return bool(np.any(np.isnan(flat)))
        if found := re.search(r"you give (\d+) values?\.", message):
            return any(x.size == int(found[1]) != y.size for x, y in zip(self.given, self.truths, strict=True))
        return False


def found_false(exercise, seeds):
    for seed in seeds:
        answer = Nonsense(exercise, seed)
        try:
            given = answer.values()
        except (Rejected, Exception):  # a right program that does not take other arguments
            continue
        result = exercise.check(answer if exercise.cases else given[0])
        if not Statement(exercise, answer, given, result).true():
            yield seed, answer.way.__name__, result.kind, result.message


@pytest.mark.deep
@pytest.mark.parametrize("exercise", COMPARED, ids=lambda e: e.id)
def test_what_is_said_to_nonsense_is_true(exercise, request):
    few = not request.config.getoption("--all") or not exercise._quick
    assert not list(found_false(exercise, range(20 if few else ANSWERS)))
