"""Replies to nonsense where comparing is not enough are true: pairs, priors, densities, and the report on a case.

Like test_replies, each statement of a reply is read and evaluated here, by formulas or by the worked answers and not
by the program that judged; a statement that is not known fails the test.
"""

import math
import random
import re
from functools import lru_cache

import numpy as np
import pytest
from conftest import approx
from scipy.integrate import quad
from scipy.special import expit, logit
from scipy.stats import beta, norm
from test_replies import said as as_number

import dptutor as dp
from dptutor.exercises.capstone.cases import STATEMENTS
from dptutor.exercises.capstone.grading import number, word
from dptutor.exercises.capstone.report import PARTS, sheet
from dptutor.exercises.judging.judge import run

pytestmark = pytest.mark.deep

JUDGED = ["4.6", "7.3", "8.4"]
CASES = [1, 33, 814]  # of the first nothing else is known than of any other; the chapter has the second
FEW, MANY = 60, 400


# Pairs, priors and densities.


def share(r):
    return r.choice([r.random(), r.random(), 0, 1, 0.5, 0.1, 0.2689, 10 ** -r.uniform(0, 20), -0.1, 1.5])


def numbers_near(r, right):
    """A few numbers: right ones that were changed a little, or any, sometimes too many or too few of them."""
    x = np.array([y * r.choice([1, 1, 1 + 1e-8, 1.01, 0]) + r.choice([0, 0, 0, 1e-8, 0.05]) for y in right])
    return x if r.random() < 0.9 else x[: r.randint(1, x.size)] if r.random() < 0.5 else np.append(x, 0.1)


def pairs(r):
    d = r.choice([share(r), 0.1, 0.35, 0.01])
    one = [r.choice([0, 0.5, 1, r.uniform(0, 3)]), d, r.choice([1, r.uniform(0, 1.2), 2]), r.choice([d, d, share(r)])]
    return numbers_near(r, one)


def priors(r):
    return numbers_near(r, [share(r), share(r)]) * (100 if r.random() < 0.05 else 1)


def shapes(r):
    size = r.choice([1, 3, 10, 100, 1e5])
    a = r.uniform(0, 1) * size
    return numbers_near(r, [a, a * r.choice([1, 1.1, 1.3, r.uniform(0.2, 5)])])


NONSENSE = {"4.6": pairs, "7.3": priors, "8.4": shapes}


def delta(pair, epsilon):
    """Of leaky randomized response."""
    e, d = pair
    return d + (1 - d) * max(0.0, math.exp(e) - math.exp(epsilon)) / (1 + math.exp(e))


def two(x, said):
    first, second = x[:2], x[2:]
    if "one pair" in said:
        return x.size == 2
    if found := re.search(r"You give (\d+)\.", said):
        return x.size == int(found[1]) not in (2, 4)
    if "ε is at least 0" in said:
        return min(x) < 0 or max(x[1::2]) > 1
    if "same pair twice" in said:
        return np.array_equal(first, second)
    if found := re.search(
        r"at ε = 1 the first (?:mechanism )?has δ = (\S+), the second (\S+?)\. ", said, re.IGNORECASE
    ):
        exact = [delta(pair, 1) for pair in (first, second)]
        shown = list(map(as_number, found.groups()))
        alike = shown == approx(exact, rel=1e-5, abs=1e-12)
        larger = "Below its own" not in said or (x[1] == x[3] and delta(max(first, second, key=tuple), 1) > x[1])
        return found[1] != found[2] and alike and larger
    shown = as_number(re.search(r"differ by only (\S+)\. ", said)[1])
    apart = abs(delta(first, 0) - delta(second, 0))
    return delta(first, 1) == approx(delta(second, 1)) and shown < 0.3 and apart == approx(shown, rel=6e-3)


def lost(epsilon):
    """What Gaussian and Laplace noise take off the error of an adversary with these log-odds, per prior."""
    x = abs(epsilon)
    gaussian = norm.cdf(0.5 - x) - math.exp(x + norm.logcdf(-0.5 - x))
    return gaussian, max(0.0, 1 - math.exp((x - 1) / 2))


def duel(x, said):
    if found := re.search(r"you give (\d+)\.", said):
        return x.size == int(found[1]) != 2
    if "percentages?" in said:
        return min(x) >= 0 and 1 < max(x) <= 100
    if "between 0 and 1." in said:
        return min(x) < 0 or max(x) > 1
    if "sure already" in said:
        return 0 in x or 1 in x
    if "too small to compare" in said:
        return any(0 < min(y, 1 - y) < 1e-9 for y in x)
    ahead = [np.subtract(*lost(logit(y))) for y in x]  # > 0: Gaussian noise loses more
    if "it is a crossing" in said:
        return any(abs(y) < 1e-8 for y in ahead)
    if "about the two crossings" in said:
        return all(abs(abs(y - 0.5) - 0.08146) < 1.1e-3 for y in x)
    if "wrong order" in said:
        return ahead[0] < 0 < ahead[1]
    sign = 1 if "the Gaussian mechanism loses more" in said else -1
    return "At both of your priors" in said and all(sign * y > 0 for y in ahead)


def peak(a, b):
    """Where a density of Beta is largest, on a grid without the ends."""
    x = np.linspace(1e-4, 1 - 1e-4, 20_001)
    return x[np.argmax(beta.logpdf(x, a, b))]


@lru_cache
def _leads():
    x = np.linspace(0.001, 0.999, 4999)
    return x, dp.Gaussian(sigma=1).bayes_error(x) - dp.Laplace(scale=1).bayes_error(x)


def density(x, said):
    if found := re.search(r"you give (\d+) number", said):
        return x.size == int(found[1]) != 2
    if "are positive" in said:
        return min(x) <= 0
    if "too extreme" in said:
        return min(x) < 0.1 or max(x) > 1e4
    priors, lead = _leads()
    weighted = beta.pdf(priors, *x) * lead
    near_half = lost(logit(peak(*x)))
    inside = near_half[0] < near_half[1]
    if not -weighted.min() > weighted.max() * (1 - 1e-3):
        return False  # Gaussian noise would be the safer one
    if "is flat" in said:
        return tuple(x) == (1, 1)
    if "rises toward 0 and 1" in said:
        return max(x) < 1
    if "peaks away" in said:
        return not inside
    return "The right place" in said and inside


TRUE = {"4.6": two, "7.3": duel, "8.4": density}


@pytest.mark.parametrize("id", JUDGED)
def test_what_is_said_to_nonsense_is_true(id, request):
    exercise = dp.exercises.get(id)
    found = []
    for seed in range(FEW if not request.config.getoption("--all") else MANY):
        given = NONSENSE[id](random.Random(seed))
        result = exercise.check(given)
        if result.passed:
            assert right(id, given), given
        elif not TRUE[id](given, result.message):
            found.append((given, result.message))
    assert not found


def test_two_small_probabilities_are_not_called_the_same():
    said = dp.exercises.get("4.6").check([(1e-8, 1.1e-11), (0, 0)]).message
    assert two(np.array([1e-8, 1.1e-11, 0, 0]), said), said


def right(id, x):
    if id == "4.6":
        first, second = x[:2], x[2:]
        return (
            delta(first, 1) == approx(delta(second, 1), abs=1e-8)
            and abs(delta(first, 0) - delta(second, 0)) >= 0.3 - 1e-8
        )
    if id == "7.3":
        ahead = [np.subtract(*lost(logit(y))) for y in x]
        return ahead[0] > 0 > ahead[1]
    priors, lead = _leads()
    weighted = beta.pdf(priors, *x) * lead
    return weighted.max() >= -weighted.min() * (1 - 1e-3)


def test_far_out_the_duel_is_judged_with_all_digits():
    for prior in (1e-3, 1e-6, 1e-15, 1 - 1e-10):
        assert dp.exercises.check("7.3", (prior, 0.5)).passed
        assert "wrong order" in dp.exercises.check("7.3", (0.5, prior)).message


def test_a_formula_of_what_is_lost_is_the_integral():
    for x in (0.0, 0.5, 2.0):
        by_hand = quad(lambda y, x=x: max(norm.pdf(y - 1) - math.exp(x) * norm.pdf(y), 0), x + 0.5, 20)[0]
        assert lost(x)[0] == approx(by_hand, abs=1e-8)


# The report on a case.


@lru_cache
def solved(seed):
    """The worked answers of chapter 20 on a case, and how often each offer exceeds the tolerance."""
    dp.exercises.case(seed)
    report = run(dp.exercises.get("20.8").solution)["report"]
    c = dp.exercises.case(seed)
    tails = {"a": report["exceedance_a"], "b": report["exceedance_b"]}
    refused = {
        name.lower(): [
            key for key, verdict in dp.auditing.audit_transcript(c.transcripts[name]).items() if verdict.caught
        ]
        for name in "AB"
    }
    return c, report, tails, refused


def line_of(r, name, right):
    """A wrong line, or a right one."""
    if name == "sentence":
        return sentence(r)
    if isinstance(right, str):
        return r.choice(
            ["A", "b", "both", "neither", "none", "C", "a", "c", "d", "noise", "fresh steps", "guesses", 3, None, right]
        )
    x = r.choice([right, right, r.uniform(0, 1), r.uniform(-3, 10), 0, 1, 0.5, 100, 1e9])
    x *= r.choice([1, 1, 1, 1.02, 1.3, 100, 0.01, -1, 2, 0.5])
    x = r.choice([x, x, 1 - x, 1 / x if x else 0, x * x, math.exp(min(x, 50)), expit(x), logit(x) if 0 < x < 1 else x])
    return r.choice([x, x, float(f"{x:.1g}"), float(f"{x:.2g}"), f"{100 * x:.3g} %", f"{x:.4g}", np.array([x]), "many"])


DECISIONS = {
    "I sign A": "a",
    "We sign neither": "neither",
    "We refuse both": "neither",
    "Sign B, not A": "b",
    "The board approves offer B": "b",
    "We cannot accept A or B": "neither",
}


def sentence(r):
    decision = r.choice([*DECISIONS, "No decision can be made on this"])
    number = r.choice(["0.0029", "0.00078", "24.5 %", "0.24 percent", "3", "", "0.9", "1e-5"])
    conditions = ", if its program does what it claims", ", as long as nobody knows more", ", assuming it is right"
    rest = r.choice([*conditions, "", ", period", " in the light of all that was found in the report"])
    return f"{decision}, since it exceeds the tolerance with probability {number} in the report{rest}."


def rounded(given, right):
    """Whether an answer is right to the digits that it has, two at least."""
    digits = max(2, len(f"{abs(given):.11e}".split("e")[0].rstrip("0").replace(".", "")))
    return given != 0 and abs(given - right) <= 0.51 * 10 ** (math.floor(math.log10(abs(given))) - digits + 1)


def known_mistake(seed, part, name, given, said):
    """Whether a reply belongs to a mistake that is this answer, to half a percent or the digits given."""
    mistakes = sheet(dp.exercises.case(seed), part)[name].mistakes
    return any(
        m.reply == said and (abs(given - m.answer) <= 5.1e-3 * abs(m.answer) or rounded(given, m.answer))
        for m in mistakes
    )


def word_is_true(seed, name, given, said):
    c, report, tails, refused = solved(seed)
    kept = {x for x in "ab" if tails[x] <= c.exceedance}
    signed = word(report["sign"])
    if re.match(r"Answer |Name a check", said):
        known = {"sign": {"a", "b", "neither"}, "check": {"noise", "fresh steps", "guesses", "neither"}}
        return given not in known.get(name, {"a", "b"})
    facts = [
        ("at least one is above what is allowed", len(kept) < 2),
        ("At least one of the two probabilities is below", bool(kept)),
        ("This is the offer that breaks the promise", given in "ab" and given not in kept),
        ("This one keeps it, but it is not the only one", given in kept and len(kept) == 2),
        ("This one exceeds the tolerance more often than allowed", given in "ab" and given not in kept),
        ("Against this one the adversary errs less often", given != word(report["winner"])),
        ("They share a privacy statement", True),
        ("The audit finds nothing wrong in this one", given in "ab" and not refused[given]),
        ("one of them refutes a claim", any(refused.values())),
        ("One of the two has passed all checks", not all(refused.values())),
        ("The check for this finds nothing wrong on the transcript", given not in refused["a"] + refused["b"]),
        ("No check has refuted a claim", not any(refused.values())),
        ("One of the checks has refuted a claim", any(refused.values())),
        ("One decision is asked for", given == "both"),
        ("This offer breaks the promise", given in "ab" and given not in kept),
        ("it has failed the audit", given in kept and bool(refused[given])),
        ("It may be signed, but the other one", given in kept and not refused[given] and given != signed),
        ("An offer keeps the promise, and the audit finds nothing", any(not refused[x] for x in kept)),
        ("An audit never proves a claim", c.statements.get(given) == STATEMENTS["proven"]),
        ("It is the reverse", c.statements.get(given) == STATEMENTS["probable"]),
        ("The pilot has other settings", c.statements.get(given) == STATEMENTS["carried"]),
    ]
    return next(true for words, true in facts if words in said)


def sentence_is_true(seed, given, said):
    c, report, tails, _ = solved(seed)
    if "This is short" in said:
        return len(re.findall(r"[^\W\d_]+", given)) < 12
    if "I do not find in it what you sign" in said:
        return not re.search(r"\b(sign|approves?|accept|refuse)\b", given)
    if found := re.search(r"you sign (\w+), which", said):
        return word(found[1]) == DECISIONS[given.split(", since")[0]] != word(report["sign"])
    numbers = [number(x) for x in re.findall(r"probability ([\d.e-]+(?: ?%)?)", given.replace("percent", "%"))]
    if "I find no number" in said:
        known = [x for x in report.values() if isinstance(x, float)] + [c.tolerance, c.exceedance]
        return not any(abs(x - y) <= 0.04 * abs(y) for x in numbers for y in known)
    if found := re.search(r"The number beside ([AB]) is", said):
        other = tails["b" if found[1] == "A" else "a"]
        return any(abs(x - other) <= 0.06 * other for x in numbers)
    return "I find no condition" in said and not re.search(r"\b(if|as long as|assuming)\b", given)


def line_is_true(seed, part, name, given, said):
    if said == "Not filled in yet.":
        return given is None
    if name == "sentence":
        return sentence_is_true(seed, given, said)
    right = solved(seed)[1][name]
    if isinstance(right, str):
        if "should be a word" in said:
            return not isinstance(given, str)
        return word_is_true(seed, name, word(given), said)
    if said.startswith("This should be a"):
        return given == "many" or not np.all(np.isfinite(np.asarray(given, dtype=float)))
    given = number(given)
    if found := re.match(r"This is too (large|small)\.", said):
        share_of_one = 0 < right < 1 <= given  # which is no share that is rounded
        return (given > right) == (found[1] == "large") and (share_of_one or not rounded(given, right))
    if said == "This is in percent. Give the share itself, or write the % sign.":
        return abs(given / 100 - right) <= 6e-3 * abs(right) or rounded(given, 100 * right)
    if said.startswith("Right as far as it goes"):
        return abs(given - right) <= 0.51 * 10 ** math.floor(math.log10(abs(given)))
    return known_mistake(seed, part, name, given, said)


@pytest.mark.parametrize("seed", CASES)
def test_what_is_said_to_a_nonsensical_report_is_true(seed, request):
    _, right, *_ = solved(seed)
    parts = {name: part for part, names in PARTS.items() for name in names}
    found = []
    for k in range(FEW if not request.config.getoption("--all") else MANY):
        r = random.Random(f"{seed} {k}")
        report = {"seed": seed} | {name: line_of(r, name, right[name]) for name in parts}
        rubric = dp.exercises.rubric(report)
        assert rubric.points == sum(line.points for line in rubric.lines)
        for line in rubric.lines:
            assert (line.points == line.possible) == (line.reply == "")
            given = report[line.name]
            if line.reply and not line_is_true(seed, parts[line.name], line.name, given, line.reply):
                found.append((line.name, given, line.reply))
            if not line.reply and isinstance(right[line.name], float):
                assert (
                    abs(number(given) - right[line.name]) <= 5.1e-3 * abs(right[line.name])
                    or rounded(number(given), right[line.name])
                    or number(given) == round(right[line.name], 4)
                ), (line.name, given)
    assert not found


def test_a_seed_that_belongs_to_another_case_is_noticed():
    _, right, *_ = solved(1)
    dp.exercises.case(1)
    assert dp.exercises.check("20.8", right).passed
    message = dp.exercises.check("20.8", right | {"seed": 33}).message
    assert "More of this is right on case 1, which you chose." in message
    assert "More of this" not in dp.exercises.check("20.8", right | {"prior": 0.5}).message
