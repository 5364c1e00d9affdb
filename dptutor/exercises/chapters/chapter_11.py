"""Exercises of chapter 11: steps that are left, promises of a Δ, grids, and fair exchanges."""

import math
from functools import lru_cache

import numpy as np

from ...comparing.blackwell import delta_divergence
from ...mechanisms import DPSGD, Gaussian, Laplace
from ...risk.calibration import calibrate
from ..judging.core import Exercise, Mistake
from ..judging.drawing import Curve
from ..judging.questions import Question, Within

_BASE = DPSGD(0.6, 0.01, 125)
_TRAININGS = ((1.0, 0.0), (3.0, 0.004), (2.0, 0.002), (2.5, 0.005), (0.5, 0.006))
_TIES = ((70.0, 0.01), (70.0, 0.02), (60.0, 0.0), (71.0, 0.02), (60.0, 0.0))
_PAIRS = (
    (np.array([0.5, 0.3, 0.2]), np.array([0.2, 0.3, 0.5])),
    (np.array([0.7, 0.2, 0.1]), np.array([0.1, 0.2, 0.7])),
    (np.array([0.4, 0.35, 0.25]), np.array([0.3, 0.3, 0.4])),
)


@lru_cache
def _largest(sigma, rate, epsilon, delta, off=0):
    low, high = 1, 10_001
    while high - low > 1:
        middle = (low + high) // 2
        inside = DPSGD(sigma, rate, middle).privacy_profile(epsilon) <= delta
        low, high = (middle, high) if inside else (low, middle)
    return low + off


def _first_not_allowed(sigma, rate, epsilon, delta):
    none = DPSGD(sigma, rate, 1).privacy_profile(epsilon) > delta
    return 1 if none else min(_largest(sigma, rate, epsilon, delta) + 1, 10_000)


@lru_cache
def _by_one_step(sigma, rate, epsilon, delta):
    one = float(DPSGD(sigma, rate, 1).epsilon(delta))
    return max(1, min(10_000, epsilon // one)) if one > 0 else 10_000


@lru_cache
def _by_normal(sigma, rate, epsilon, delta):
    """The steps at which the Gaussian mechanism of the central limit theorem meets the target."""
    mu = 1 / calibrate(lambda s: Gaussian(sigma=s), epsilon=epsilon, delta=delta).sigma
    return math.floor(mu**2 / (rate**2 * math.expm1(1 / sigma**2)))


@lru_cache
def _by_parts(sigma, rate, epsilon, delta):
    """The steps, if ε and δ of the steps added up."""
    step = DPSGD(sigma, rate, 1)
    low, high = 1, 10_001
    while high - low > 1:
        middle = (low + high) // 2
        inside = step.epsilon(delta / middle) * middle <= epsilon
        low, high = (middle, high) if inside else (low, middle)
    return low


def _steps_left(result, sigma, rate, epsilon, delta):
    """What a wrong number of steps means for δ(ε), which grows with it."""
    given, right = result[0], _largest(sigma, rate, epsilon, delta)
    if given != int(given):
        return "A number of steps is whole."
    if given < 1:
        return "One step is always allowed."
    if given > 10_000:
        return "At most 10,000 steps are asked for."
    if given > right:
        return "With so many steps δ(ε) is above the target already."
    return "One step more would keep the target as well." if given < right else None


def _success(mechanism, guess):
    return 1 - float(mechanism.tradeoff(min(max(guess, 0.0), 1.0)))


def _efficient(accuracies, regrets, *, strict=False, weak=False):
    def beaten(i):
        for j in range(len(accuracies)):
            gain, saved = accuracies[j] - accuracies[i], regrets[i] - regrets[j]
            if strict and gain > 0 and saved > 0:
                return True
            if weak and j != i and gain >= 0 and saved >= 0:
                return True
            if not strict and not weak and gain >= 0 and saved >= 0 and gain + saved > 0:
                return True
        return False

    return [float(not beaten(i)) for i in range(len(accuracies))]


def _split(p, q, width, prior, *, up=False, down=False, linear=False, near=False, cut=False):
    """The Bayes error of a pair whose losses are moved to a grid."""
    made: dict[int, list[float]] = {}
    for a, b in zip(p, q, strict=True):
        loss = math.log(b / a)
        k = int(loss / width) if cut else math.floor(loss / width + 1e-12)
        low, high = math.exp(k * width), math.exp((k + 1) * width)
        part = (b / a - low) / (high - low)
        if linear:
            part = loss / width - k
        if up:
            part = 1.0 if part > 1e-9 else 0.0
        if down:
            part = 0.0 if part < 1 - 1e-9 else 1.0
        if near:
            part = float(round(loss / width) > k)
        for at, mass in ((k, (1 - part) * a), (k + 1, part * a)):
            made.setdefault(at, [0.0, 0.0])
            made[at][0] += mass
            made[at][1] += mass * math.exp(at * width)
    return sum(min(prior * a, (1 - prior) * b) for a, b in made.values())


def _plain(p, q, prior):
    return float(np.sum(np.minimum(prior * np.array(p), (1 - prior) * np.array(q))))


@lru_cache
def _fair(rate, steps):
    return calibrate(lambda s: DPSGD(s, rate, steps), advantage=_BASE.advantage)


@lru_cache
def _same_epsilon(rate, steps):
    return calibrate(lambda s: DPSGD(s, rate, steps), epsilon=_BASE.epsilon(1e-5), delta=1e-5)


def _same_limit(rate, steps):
    """With the μ that the central limit theorem gives the base."""
    scaled = (_BASE.sampling_rate / rate) ** 2 * _BASE.steps / steps
    return DPSGD(math.log1p(scaled * math.expm1(_BASE.noise_multiplier**-2)) ** -0.5, rate, steps)


@lru_cache
def _report(other):
    there, back = delta_divergence(_BASE, other), delta_divergence(other, _BASE)
    return other.noise_multiplier, float(there), float(back)


EXERCISES = [
    Question(
        id="11.a",
        title="From epochs to steps",
        question="A training run draws each of 50,000 examples into a batch with probability p = 0.01, and stops after 30 "
        "epochs. In one epoch each example is drawn once on average. How many steps are composed?",
        goals=(1,),
        solution="sampling_rate, epochs = 0.01, 30\nanswer = round(epochs / sampling_rate)\n",
        explanation="An example is in one batch out of a hundred, so an epoch has 1/p = 100 steps. The number of "
        "examples plays no part: privacy depends on σ, p and N.",
        hints=(
            "How many steps does it take for an example to be drawn once on average?",
            "Each step draws it with probability p, so it takes 1/p steps.",
            "30 epochs of 1/0.01 steps each.",
        ),
        praise="Right: N = epochs/p, whatever the size of the data.",
        mistakes=(
            Mistake(30, "These are the epochs. Every step publishes an output, and an epoch has 1/p of them."),
            Mistake(100, "This is one epoch. There are 30."),
            Mistake(1_500_000, "This counts examples, 30 times 50,000. A step draws a whole batch at once."),
            Mistake(
                300, "This is right for p = 0.1, where an epoch has 10 steps. Here p is 0.01: how many has it now?"
            ),
            Mistake(
                30_000,
                "This is right for p = 0.001, where an epoch has 1,000 steps. Here p is 0.01: how many has it now?",
            ),
            Mistake(15_000, "30 times the batch of 500. A larger batch makes an epoch shorter: 50,000/500 steps."),
            Mistake(0.3, "You multiplied by p. A small p means many steps: divide."),
            Mistake(500, "This is the size of a batch. How many batches make an epoch, and how many are in 30?"),
            Mistake(5_000_000, "You divided the number of examples by p. A step draws a whole batch: epochs/p."),
        ),
        laws=(Within(1, math.inf, "At least one step is made."),),
        tolerance=0.4,
    ),
    Question(
        id="11.b",
        title="Calibrated to the same point",
        question="A training run with (8, 10⁻⁵) is replaced by one with larger batches, more steps and the larger σ that "
        "the same (8, 10⁻⁵) requires, as in the sweeps of this chapter. What changes for the people in the "
        "data?",
        goals=(1,),
        options=(
            "Nothing: the (ε, δ) is the same.",
            "They are protected better, since σ is larger.",
            "They are protected less, at every ε.",
            "They are protected less, at every ε between 0 and 8.",
        ),
        solution="""import numpy as np

import dptutor as dp

small, large = ((0.05, 100), (0.5, 400))
base, other = (
    dp.calibrate(lambda z: dp.DPSGD(z, rate, steps), epsilon=8, delta=1e-5) for rate, steps in (small, large)
)
below, there = np.linspace(0, 7.5, 16), 8.0
less_below = bool(np.all(other.privacy_profile(below) > base.privacy_profile(below)))
less_there = other.privacy_profile(there) > base.privacy_profile(there) + 1e-8
answer = (3 if less_there else 4) if less_below else 1
""",
        explanation="Both have the same δ at ε = 8, which leaves the rest of the profile open. Between 0 and 8 the larger training run has the larger δ, the "
        "advantage δ(0) included. The larger σ pays for more sampling and adds no protection.",
        hints=(
            "One (ε, δ) is one point of the profile. What does it say about the rest?",
            "Little. σ was raised to make up for larger batches and more steps: look at the Δ from the base.",
            "The profiles meet at ε = 8. Between 0 and 8 the profile of the larger training run lies higher.",
        ),
        praise="Right: one point stays, and the rest moves.",
        mistakes=(
            Mistake(1, "One point is the same. The rest of the profile is not fixed by it, and here it moves up."),
            Mistake(2, "σ alone would do that. Here it pays for more sampling and more steps, at the same (8, 10⁻⁵)."),
            Mistake(3, "Not at every ε: at 8 both have the same δ, because they were calibrated to it."),
        ),
    ),
    Exercise(
        id="11.1",
        grade="warm-up",
        title="How many steps are left?",
        question="Write `steps(sigma, rate, epsilon, delta)`: the largest number N of steps, at most 10,000, for which "
        "`dp.DPSGD(sigma, rate, N)` has a δ(ε) of at most `delta`. One step is always allowed.",
        brief=r"Given σ, a sampling rate and a target $(\varepsilon, \delta)$, find the largest number of steps.",
        goals=(1,),
        name="steps",
        stub="import dptutor as dp\n\n\ndef steps(sigma, rate, epsilon, delta):\n    ...\n",
        solution="""import dptutor as dp


def steps(sigma, rate, epsilon, delta):
    allowed, too_many = 1, 10_001
    while too_many - allowed > 1:
        middle = (allowed + too_many) // 2
        if dp.DPSGD(sigma, rate, middle).privacy_profile(epsilon) <= delta:
            allowed = middle
        else:
            too_many = middle
    return allowed
""",
        explanation="δ(ε) grows with every step, so halve the interval between a number that is allowed and one that is too large.",
        hints=(
            "Does δ(ε) grow or shrink with the number of steps?",
            "It grows. Keep one number that is allowed and one that is too large, and try the one in the middle.",
            "m.privacy_profile(epsilon) <= delta decides which of the two the middle replaces.",
        ),
        praise="Right. Fourteen evaluations are enough for ten thousand candidates.",
        # The last two ask for the ends of the search.
        cases=((1.0, 0.02, 2.0, 1e-5), (2.0, 0.1, 8.0, 1e-5), (5.0, 0.001, 8.0, 1e-3), (1.0, 0.02, 0.1, 1e-9)),
        mistakes=(
            Mistake(
                lambda s, p, e, d: _largest(s, p, e, d, 1),
                "One too many: this is the first number of steps that is not allowed.",
            ),
            Mistake(
                lambda s, p, e, d: _largest(s, p, e, d, -1),
                "One too few: the step that just keeps the target is allowed.",
            ),
            Mistake(
                _by_normal,
                "This is what the central limit theorem gives. It is near, but DP-SGD has heavier tails. Use the profile itself.",
            ),
            Mistake(
                _by_parts,
                "You add up the ε of the steps, and share δ among them. That is valid, but it wastes most of the "
                "budget.",
            ),
            Mistake(
                lambda s, p, e, d: _largest(s, 1.0, e, d),
                "You left out the sampling: an example takes part in a step with probability `rate` only.",
            ),
            Mistake(
                lambda s, p, e, d: min(_largest(s, p, e, d), 1000),
                "Your search ends at 1,000 steps. Up to 10,000 are allowed.",
            ),
            Mistake(
                _first_not_allowed,
                "This is the first number of steps that is not allowed, where there is one up to 10,000. The largest that is allowed is one less.",
            ),
            Mistake(
                lambda s, p, e, d: max(1, min(10_000, _by_normal(s, p, e, d))),
                "This is what the central limit theorem gives, between 1 and 10,000. DP-SGD has heavier tails than a Gaussian mechanism: use the profile itself.",
            ),
            Mistake(
                _by_one_step,
                "You divide ε by the ε of one step. This is basic composition, and it forgets that the δ add up, too: use the profile of all steps.",
            ),
        ),
        laws=(_steps_left,),
    ),
    Exercise(
        id="11.2",
        grade="warm-up",
        title="The promise of a Δ",
        question="A training run `m` is replaced by another one, about which you know only Δ(m‖other) = `regret`. Write "
        "`success(m, guess, regret)`: the best possible bound on the probability of reconstruction against "
        "the other training run, if a blind guess succeeds with probability `guess`. It is never more than 1.",
        brief="A training run is replaced by one of which only Δ is known. What is the largest success probability of reconstruction?",
        goals=(3,),
        name="success",
        curve=Curve("guess"),
        stub="def success(m, guess, regret):\n    ...\n",
        solution="""def success(m, guess, regret):
    shifted = m.tradeoff(min(1, guess + regret)) - regret
    return min(1, 1 - shifted)
""",
        explanation="f̃(κ) ≥ f(κ + Δ) − Δ, and success is at most 1 − f̃(κ). Beyond 1, f is 0.",
        hints=(
            "Reconstruction succeeds with probability at most 1 − f̃(κ). What does Δ say about f̃?",
            "It says f(κ + Δ) − Δ ≤ f̃(κ): f, shifted to the left and down, lies below f̃.",
            "The bound is min(1, 1 − f(min(1, κ + Δ)) + Δ).",
        ),
        praise="Right: Δ helps an attack twice, through a better guess and through Δ more in success.",
        cases=tuple(
            (m, guess, regret)
            for m in (Gaussian(sigma=1), Laplace(scale=1), _BASE)
            for guess, regret in ((0.1, 0.12), (0.01, 0.03), (0.5, 0.0), (0.9, 0.2), (0.4, 0.3), (0.0, 0.1), (1.0, 0.0))
        ),
        mistakes=(
            Mistake(
                lambda m, k, r: min(1.0, _success(m, k) + r),
                "You move the curve down, but not to the left: the guess gets better as well.",
            ),
            Mistake(
                lambda m, k, r: _success(m, k + r),
                "You move the curve to the left, but not down.",
            ),
            Mistake(
                lambda m, k, r: _success(m, k + r) + r,
                "Nearly: where this is more than 1, the bound says nothing. Give 1 there.",
            ),
            Mistake(
                lambda m, k, r: _success(m, k),
                "This is the bound for `m` itself. The other training run may let an attack succeed more often.",
            ),
            Mistake(
                lambda m, k, r: min(1.0, k + r),
                "This is the blind guess plus Δ: what `m` itself reveals is missing.",
            ),
            Mistake(
                lambda m, k, r: 1 - min(1.0, _success(m, k + r) + r),
                "This is 1 − success, the bound on f̃. Success is at most 1 − f̃(κ).",
            ),
            Mistake(
                lambda m, k, r: min(1.0, _success(m, k) + 2 * r),
                "You move the curve down twice. Once it moves down, once to the left: the guess gets better.",
            ),
            Mistake(
                lambda m, k, r: _success(m, k - r) - r,
                "This is the reverse direction: the least that reconstruction might achieve if Δ(other‖m) were known.",
            ),
            Mistake(
                lambda m, k, r: min(1.0, _success(m, k) * (1 + r)),
                "Δ is a difference of probabilities, not a percentage of one.",
            ),
            Mistake(
                lambda m, k, r: 1 - _success(m, k + r) + r,
                "This mixes up success and failure: success is at most 1 − f̃.",
            ),
            Mistake(
                lambda m, k, r: min(1.0, k + float(m.advantage) + 2 * r),
                "You add the advantage, the largest lead over blind guessing, to every guess. That is valid, but f at this guess says more: the best bound is asked for.",
            ),
        ),
        laws=(
            lambda result, m, k, r: (
                "A probability lies between 0 and 1." if not -1e-9 <= result[0] <= 1 + 1e-9 else None
            ),
            lambda result, m, k, r: (
                "This is less than the bound for m itself." if result[0] < _success(m, k) - 1e-9 else None
            ),
        ),
        stumbles=lambda m, k, r: (
            "Here guess + regret is more than 1. Trade-off functions end at 1: how often can an attack succeed then?"
            if k + r > 1
            else None
        ),
    ),
    Exercise(
        id="11.3",
        grade="think",
        title="Which are Pareto efficient?",
        question="Write `efficient(accuracies, regrets)`: for each training run, True if no other is at least as good in "
        "both respects (larger accuracy, smaller Δ from the base) and better in one of them, else False.",
        brief="Of several training runs you know the accuracy and the Δ from a base. Which of them are efficient?",
        goals=(2,),
        name="efficient",
        stub="def efficient(accuracies, regrets):\n    ...\n",
        solution="""def efficient(accuracies, regrets):
    trainings = list(zip(accuracies, regrets))

    def beats(a, b):
        return a[0] >= b[0] and a[1] <= b[1] and a != b

    return [not any(beats(a, b) for a in trainings) for b in trainings]
""",
        explanation="a beats b if it is nowhere worse and somewhere better. Two equal ones do not beat each other.",
        hints=(
            "When does one training run beat another? Write that as a function of two pairs first.",
            "It beats the other if it has at least its accuracy and at most its Δ, and is not the same pair.",
            "A training run is efficient if none beats it: not any(…).",
        ),
        praise="Right. Choosing among the rest is a matter of judgment, not of numbers.",
        cases=tuple(
            (np.array(accuracies), np.array(regrets))
            for accuracies, regrets in (
                zip(*_TRAININGS, strict=True),
                zip(*_TIES, strict=True),
                ((72.6, 74.0, 73.0), (0.0, 0.0045, 0.0059)),
                ((50.0,), (0.1,)),
            )
        ),
        mistakes=(
            Mistake(
                lambda a, r: _efficient(a, r, strict=True),
                "To be beaten it is enough to be worse in one respect and equal in the other.",
            ),
            Mistake(
                lambda a, r: _efficient(a, r, weak=True),
                "Two equal training runs do not beat each other: a better one has to be better in something.",
            ),
            Mistake(
                lambda a, r: _efficient(a, [-x for x in r]),
                "A smaller Δ is the better one.",
            ),
            Mistake(
                lambda a, r: [float(x == max(a)) for x in a],
                "This is the most accurate one. Less accurate ones with a smaller Δ are efficient, too.",
            ),
            Mistake(
                lambda a, r: [1.0 - x for x in _efficient(a, r)],
                "You reversed it: True is for those that no other beats.",
            ),
            Mistake(
                lambda a, r: [float(x == min(r)) for x in r],
                "These are the ones with the smallest Δ. More accurate ones may be efficient, too; and of equals in Δ the more accurate one is.",
            ),
            Mistake(
                lambda a, r: _efficient([-x for x in a], r),
                "A larger accuracy is the better one.",
            ),
            Mistake(
                lambda a, r: [1.0] * len(a),
                "You call every training run efficient. One that is worse in one respect and better in none is not.",
            ),
            Mistake(
                lambda a, r: [float(x == max(a) or y == min(r)) for x, y in zip(a, r, strict=True)],
                "Not only the best in one of the two are efficient, and not all of them: compare in pairs.",
            ),
            Mistake(
                lambda a, r: [0.0] * len(a),
                "You call none of them efficient. Is each one beaten by itself? Compare it with the others only.",
            ),
        ),
        shape="True or False for each training run",
    ),
    Exercise(
        id="11.4",
        grade="think",
        title="What the grid adds",
        question="A composition of `steps` small steps is close to the Gaussian mechanism with parameter `mu`. Write "
        "`seen(mu, steps, width)`: the parameter of the Gaussian mechanism that is close to what an "
        "accountant computes when it connects the dots on a grid of that width. Assume that losses are "
        "spread evenly over the cells.",
        brief=r"A composition of $N$ small steps is close to a Gaussian mechanism with parameter $\mu$. What is the μ of this composition in an accountant with a grid of width $h$? (After [the case of the published 8·10⁻⁴](published_divergence.md).)",
        goals=(4,),
        name="seen",
        stub="def seen(mu, steps, width):\n    ...\n",
        solution="""def seen(mu, steps, width):
    return (mu**2 + steps * width**2 / 6) ** 0.5
""",
        explanation="The variance of the loss of a Gaussian mechanism is μ². Every step adds h²/6 to it.",
        hints=(
            "What is the variance of the loss of a Gaussian mechanism with parameter μ?",
            "It is μ², and variances of independent steps add up. The grid adds h²/6 to each.",
            "The square root of μ² + N h²/6.",
        ),
        praise="Right. For μ = 0.57, N = 1,400,000 and h = 1e-4 this moves μ by more than the two training runs differ, enough to turn the comparison around.",
        cases=((0.5674, 1_400_000, 1e-4), (0.5689, 3_400_000, 1e-4), (1.0, 1000, 1e-3), (0.1, 10**6, 1e-3)),
        draw=lambda r: (r.uniform(0.3, 1), r.randint(10_000, 1_000_000), r.uniform(1e-4, 1e-3)),
        mistakes=(
            Mistake(
                lambda mu, n, h: math.sqrt(mu**2 + n * h**2),
                "A whole h² is more than a step ever adds: a loss lies within its cell, and goes to the two ends of it.",
            ),
            Mistake(
                lambda mu, n, h: math.sqrt(mu**2 + n * h**2 / 4),
                "h²/4 is the most that a step can add, for a loss in the middle of its cell. On average it is less.",
            ),
            Mistake(
                lambda mu, n, h: math.sqrt(mu**2 + n * h**2 / 12),
                "h²/12 is the variance of a number spread evenly over a cell. Here each loss goes to the two ends.",
            ),
            Mistake(
                lambda mu, n, h: mu**2 + n * h**2 / 6,
                "This is the variance, μ² and what is added. The parameter is its square root.",
            ),
            Mistake(
                lambda mu, n, h: mu + n * h**2 / 6,
                "Variances add up, parameters do not: begin with μ².",
            ),
            Mistake(
                lambda mu, n, h: math.sqrt(mu**2 + h**2 / 6),
                "This is μ itself, or μ with what one step adds, which is next to nothing. Every step adds h²/6 to the variance.",
            ),
            Mistake(
                lambda mu, n, h: math.sqrt(mu**2 + n * h / 6),
                "A variance goes with the square of the width: h²/6.",
            ),
            Mistake(
                lambda mu, n, h: math.sqrt(mu**2 + n**2 * h**2 / 6),
                "The steps are independent, so their variances add up: N times h²/6, not N² times.",
            ),
            Mistake(
                lambda mu, n, h: math.sqrt(n * h**2 / 6),
                "This is only what the grid adds. Add it to μ², the variance of the loss.",
            ),
            Mistake(
                lambda mu, n, h: mu + math.sqrt(n * h**2 / 6),
                "Variances add up, standard deviations do not.",
            ),
            Mistake(
                lambda mu, n, h: math.sqrt(mu**2 + n * h**2 / 3),
                "Twice too much: the mean of x(h − x) over a cell is h²/6.",
            ),
        ),
        laws=(
            lambda result, mu, n, h: (
                "A grid makes the pair more informative, but your parameter is smaller than before."
                if result[0] < mu - 1e-12
                else None
            ),
        ),
    ),
    Exercise(
        id="11.5",
        grade="build",
        title="Connect the dots",
        question="`p` and `q` are the probabilities, all positive, of a finite mechanism’s outcomes in the two "
        "worlds. Write `dotted(p, q, width, prior)`: the Bayes error at that prior, after the loss log(q/p) "
        "of each outcome has been split between the two neighboring multiples of `width` in such a way that "
        "its mass is kept in both worlds.",
        brief="Put a finite mechanism on a grid, so that the total masses under $P$ and under $Q$ are preserved. What is its Bayes error now? (After {prf:ref}`prop-dots`.)",
        goals=(4,),
        name="dotted",
        curve=Curve("prior"),
        stub="from math import exp, floor, log\n\n\ndef dotted(p, q, width, prior):\n    ...\n",
        solution="""from math import exp, floor, log


def dotted(p, q, width, prior):
    masses = {}
    for mass, other in zip(p, q):
        below = floor(log(other / mass) / width + 1e-12)
        low, high = exp(below * width), exp((below + 1) * width)
        part = (other / mass - low) / (high - low)
        masses[below] = masses.get(below, 0) + (1 - part) * mass
        masses[below + 1] = masses.get(below + 1, 0) + part * mass
    return sum(min(prior, (1 - prior) * exp(k * width)) * mass for k, mass in masses.items())
""",
        explanation="At the loss kh, a mass m under P comes with a mass m·e^(kh) under Q. The part w that moves up "
        "keeps both sums: w = (e^x − e^a)/(e^b − e^a).",
        hints=(
            "Which masses under Q belong to a mass m under P at the two losses a and b?",
            "They are m e^a and m e^b. The shares 1 − w and w have to satisfy (1 − w) e^a + w e^b = q/p.",
            "The Bayes error is the sum over the grid of the smaller of π·m and (1 − π)·m·e^loss.",
        ),
        praise="Right. It is never larger than without the grid: the adversary is granted a little too much.",
        cases=tuple(
            (p, q, width, prior)
            for p, q in _PAIRS
            for width, prior in ((0.5, 0.6), (0.7, 0.3), (2.0, 0.5), (2.0, 0.7), (0.01, 0.4))
        ),
        mistakes=(
            Mistake(
                lambda p, q, h, x: _split(p, q, h, x, linear=True),
                "You split in proportion to the distance. Then the masses under Q no longer add up to one.",
            ),
            Mistake(
                lambda p, q, h, x: _split(p, q, h, x, up=True),
                "You round all losses up. That is safe, but under Q there is then too much.",
            ),
            Mistake(
                lambda p, q, h, x: _split(p, q, h, x, down=True),
                "You round all losses down. Then the pair reveals less than it should, and under Q a part is lost.",
            ),
            Mistake(
                lambda p, q, h, x: _split(p, q, h, x, cut=True),
                "int() rounds towards 0, so that a negative loss is not in the cell that you take: use floor.",
            ),
            Mistake(
                lambda p, q, h, x: _split(p, q, h, x, near=True),
                "You round to the nearest multiple. That may err on either side; split the mass instead.",
            ),
            Mistake(
                lambda p, q, h, x: _plain(p, q, x),
                "This is the Bayes error without the grid.",
            ),
            Mistake(
                lambda p, q, h, x: _split(p, q, h, 1 - x),
                "The two worlds are exchanged: the prior belongs to world P, so it weighs the masses of p.",
            ),
        ),
        laws=(
            lambda result, p, q, h, x: (
                "A grid that keeps both masses never makes the adversary err more often, but yours does."
                if result[0] > _plain(p, q, x) + 1e-9
                else None
            ),
        ),
    ),
    Exercise(
        id="11.6",
        grade="build",
        title="A fair exchange",
        question="The base is `dp.DPSGD(0.6, 0.01, 125)`. Write `exchange(rate, steps)`: the noise multiplier at which DP-SGD with "
        "that sampling rate and number of steps has the advantage of the base, then Δ(base‖other), then Δ(other‖base).",
        brief="Find the noise multiplier at which a run with another $p$ and $N$ has the same advantage as the base, and say how far apart the two are, both ways.",
        goals=(1,),
        name="exchange",
        stub="import dptutor as dp\n\n\ndef exchange(rate, steps):\n    ...\n",
        solution="""import dptutor as dp


def exchange(rate, steps):
    base = dp.DPSGD(0.6, 0.01, 125)
    other = dp.calibrate(lambda s: dp.DPSGD(s, rate, steps), advantage=base.advantage)
    there = dp.delta_divergence(base, other).value
    back = dp.delta_divergence(other, base).value
    return other.noise_multiplier, there, back
""",
        explanation="Calibrate to the advantage instead of (ε, δ), then compare in both directions.",
        hints=(
            "dp.calibrate also takes targets other than epsilon and delta. Which one is meant here?",
            "advantage=base.advantage. Then .noise_multiplier of what it returns.",
            "dp.delta_divergence(base, other).value, and the same with the two exchanged.",
        ),
        praise="Right. With a larger rate and more steps, the regret of leaving the base is 0 to all digits, and the other training "
        "run has the smaller ε. Try p = 0.01 and N = 50: there it is the other way around.",
        cases=((0.05, 200), (0.3, 500)),
        mistakes=(
            Mistake(
                lambda p, n: _report(_same_epsilon(p, n)),
                "This is calibrated to the ε of the base at δ = 1e-5. The advantage then differs.",
            ),
            Mistake(
                lambda p, n: (_report(_fair(p, n))[0], *_report(_fair(p, n))[:0:-1]),
                "The noise is right, but the two Δ are exchanged: Δ(base‖other), the regret of leaving the base, comes first.",
            ),
            Mistake(
                lambda p, n: _report(DPSGD(0.6, p, n)),
                "You kept the noise. It has to be recomputed, so that the advantage is that of the base.",
            ),
            Mistake(
                lambda p, n: (_report(_fair(p, n))[0], 0.0, 0.0),
                "The noise is right. That the advantages are the same does not make the curves the same: Δ is over all priors.",
            ),
            Mistake(
                lambda p, n: (_report(_fair(p, n))[0], *(max(_report(_fair(p, n))[1:]),) * 2),
                "You give the larger of the two Δ twice. Each direction has its own.",
            ),
            Mistake(
                lambda p, n: (_fair(p, n).advantage, *_report(_fair(p, n))[1:]),
                "The first number is the advantage that both have. The noise multiplier is asked for.",
            ),
            Mistake(
                lambda p, n: (*_report(_fair(p, n))[1:], _report(_fair(p, n))[0]),
                "The noise multiplier comes first, then the two Δ.",
            ),
            Mistake(
                lambda p, n: _report(_same_limit(p, n)),
                "You matched the μ of the two Gaussian limits. They are near, but it is the advantages of the training runs that are to be equal.",
            ),
            Mistake(
                lambda p, n: _report(DPSGD(0.6 * p / 0.01 * math.sqrt(n / 125), p, n)),
                "You keep p√N/σ the same. That is right in the limit of much noise, and σ = 0.6 is far from it: calibrate to the advantage.",
            ),
        ),
        tolerance=2e-6,
        shape="three numbers (noise multiplier, Δ, Δ the other way)",
    ),
]
