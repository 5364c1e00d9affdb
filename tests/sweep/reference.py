"""Reference values of δ, α and β for a thousand mechanisms: `python -m tests.sweep.reference`.

Every value is computed in ball arithmetic, of 50 to 200 digits, by `contour.py` (whatever has a subsampled Gaussian, or
Laplace with Gaussian) or `sums.py` (everything else), and claimed to a relative error of 1e-11, of which 5e-12 are its
storing to twelve digits. Nothing comes from the library. A setting is drawn from a seed that is its kind and number;
one whose contours would take too long is drawn again, so `data/` holds the same after every run. `tests.sweep.check`
computes a part once more by other means and prints the largest difference.

All of it takes about half an hour of two cores. What is not here, since no contour that was tried resolves it in
reasonable time: few or rare steps beside Laplace, whose terms ask for contours to both sides; few steps at rates below
1e-5; ε so close to an end of the losses that e^{−zε} hardly decays; and of σ below 0.2 the middle of the losses.
"""

from __future__ import annotations

import json
import math
import random
import sys
from functools import partial
from multiprocessing import Pool
from pathlib import Path

from flint import arb

from . import contour, hard, sums
from .contour import Gaussian, Laplace, NotResolved, Randomized, Subsampled, near, rounded, solve

DATA = Path(__file__).parent / "data"
ERROR = 1e-11
TARGETS = (0.5, 1e-2, 1e-5, 1e-10, 1e-20, 1e-30)


def log_uniform(rng, low, high, digits=5):
    return rounded(math.exp(rng.uniform(math.log(low), math.log(high))), digits)


def many(rng, low, high):
    return max(low, min(high, round(math.exp(rng.uniform(math.log(low), math.log(high))))))


def stored(epsilon, delta, alpha, beta):
    """A point as it is stored; α is left out where a double does not hold it."""

    def number(x):
        return float(f"{float(x.mid()):.12g}") if abs(x) > arb(10) ** -300 else 0.0

    return [epsilon, number(delta), number(alpha) or None, number(beta)]


# By contour


def at(parts, direction, epsilon):
    """δ, α, β at ε; of both directions, those of the larger δ."""
    found = solve(parts, epsilon, direction == "add" and epsilon != 0)
    if found[4] > contour.GOAL:
        raise NotResolved("doubtful")
    if epsilon == 0:  # both directions have the same advantage
        return (0.0, found[1], found[3], found[2]) if direction == "add" else found[:4]
    return larger(parts, found) if direction == "both" else found[:4]


def larger(parts, found):
    """Addition in the place of removal where its δ is larger, as beside symmetric parts it may be; None if unknown."""
    epsilon, delta = found[:2]
    if epsilon == 0 or epsilon > -0.999 * sum(part.lowest for part in parts):
        return found[:4]  # equal, or no loss of addition is so large
    c = contour.saddle(parts, 2, -epsilon)
    if contour.cumulants(parts, c)[0] + (c + 1) * epsilon < float(delta.log()) - 1e-3:
        return found[:4]  # by Chernoff's bound
    try:
        other = solve(parts, epsilon, True, attempts=(*contour.ATTEMPTS, *hard.ATTEMPTS[3:]))
    except NotResolved:
        return None
    if other[1] * (1 + 2 * other[4]) < delta:
        return found[:4]
    return other[:4] if other[4] <= contour.GOAL else None


def by_contour(parts, direction, rare=False):
    points, failed, top = [], 0, 1.0
    expected = sum(part.rate * part.count for part in parts if isinstance(part, Subsampled))
    if direction != "add" and (0 < expected < 3 or any(contour.at_brink(parts, math.log(t)) for t in (1e-10, 1e-20))):
        if not rare:
            raise NotResolved("another kind")
        found = [f for f in contour.shared(parts, [math.log(t) for t in TARGETS]) if f[4] <= contour.GOAL]
        points = [larger(parts, f) if direction == "both" else f[:4] for f in found]
        return [stored(*p) for p in points if p]
    try:
        points.append(at(parts, direction, 0.0))
        top = float(points[0][1])
    except NotResolved:
        failed += 1
    mean, variance = contour.cumulants(parts, 0.0)[1:]
    if direction != "add" and mean - 3 * math.sqrt(variance) > 0:
        points.append(at(parts, direction, rounded(mean - 3 * math.sqrt(variance))))
    for target in TARGETS:
        if target > 0.7 * top or failed > 1:
            continue
        try:
            found = near(parts, direction == "add", math.log(target))
            if found[4] > contour.GOAL or found[0] <= 0:
                raise NotResolved("doubtful")
            points.append(larger(parts, found) if direction == "both" else found[:4])
        except NotResolved as error:
            failed += str(error) != "no such ε"
    return [stored(*p) for p in sorted((p for p in points if p), key=lambda p: p[0])]


def step_text(part, direction):
    return f'DPSGD({part.sigma}, {part.rate}, {part.count}, "{direction}")'


def direction_of(rng):
    return rng.choice(["remove", "remove", "add", "both"])


def one_step(rng):
    sigma, rate = log_uniform(rng, 0.2, 100), log_uniform(rng, 1e-6, 0.99)
    part, base, points = Subsampled(sigma, rate, 1), sums.one_step(sigma, rate), []
    contour.set_digits(80)
    top = float(base(0.0)[0])
    for target in (0.0, *TARGETS, 1e-60):
        if target == 0.0:
            epsilon = 0.0
        elif target < 0.7 * top:
            epsilon = rounded(contour.one_large(part, math.log(target)))
        else:
            continue
        points.append(stored(epsilon, *sums.as_faces(base(epsilon), epsilon)))
    return step_text(part, rng.choice(["remove", "both"])), points


def few_steps(rng):
    direction = direction_of(rng)
    part = Subsampled(log_uniform(rng, 0.2, 100), log_uniform(rng, 1e-5, 1), many(rng, 2, 100))
    return step_text(part, direction), by_contour([part], direction, rare=True)


def rare(rng):
    direction = rng.choice(["remove", "remove", "both", "add"])
    sigma, count = log_uniform(rng, 0.2, 2), many(rng, 50, 10**6)
    part = Subsampled(sigma, rounded(min(0.02, log_uniform(rng, 0.003, 1) / count), 4), count)
    return step_text(part, direction), by_contour([part], direction, rare=True)


def long(rng):
    direction = direction_of(rng)
    part = Subsampled(log_uniform(rng, 0.2, 100), log_uniform(rng, 1e-6, 1), many(rng, 101, 10**9))
    return step_text(part, direction), by_contour([part], direction)


def training(rng, low=200, high=10**7):
    """A training of which something is to be learned, the composition of a mix."""
    sigma, rate = log_uniform(rng, 0.4, 20), log_uniform(rng, 1e-4, 0.5)
    most = 40 / (rate**2 * min(math.expm1(min(sigma**-2, 6)), 100))
    return Subsampled(sigma, rate, many(rng, low, int(max(2 * low, min(high, most)))))


def with_gaussian(rng):
    direction, part, sigma = direction_of(rng), training(rng, 5), log_uniform(rng, 0.5, 50)
    return f"{step_text(part, direction)} @ Gaussian({sigma})", by_contour([part, Gaussian(1 / sigma)], direction)


def with_laplace(rng):
    direction, part = direction_of(rng), training(rng)
    scale, count = log_uniform(rng, 0.5, 20), many(rng, 1, 40)
    text = f"{step_text(part, direction)} @ Laplace({scale})**{count}"
    if rng.random() < 0.3:
        text = f'Laplace({scale})**{count} @ SubsampledGaussian({part.sigma}, {part.rate}, "{direction}")**{part.count}'
    return text, by_contour([part, Laplace(scale, count)], direction)


def with_response(rng):
    direction, part = direction_of(rng), training(rng)
    epsilon, count = log_uniform(rng, 0.05, 3), many(rng, 1, 60)
    text = f"{step_text(part, direction)} @ RandomizedResponse({epsilon})**{count}"
    return text, by_contour([part, Randomized(epsilon, count)], direction)


def few_with_response(rng):
    """Steps few or rare, beside a few randomized responses: a mixture over the losses of those."""
    part = rng.choice([few_steps_part, rare_part])(rng)
    epsilon, count = log_uniform(rng, 0.05, 3), rng.randint(1, 3)
    points = []

    def base(x):
        if x < part.lowest:
            return sums.nothing(x)
        _, delta, alpha, beta, doubt = solve([part], float(x), region=0, attempts=hard.ATTEMPTS[3:])
        if doubt > contour.GOAL:
            raise NotResolved("doubtful")
        return [delta, 1 - beta, alpha * x.exp()]

    for start, *_ in contour.shared([part], [math.log(t) for t in (1e-5, 1e-10, 1e-20)])[1:]:
        start = rounded(start + rng.choice([-0.7, 0.3, 0.6]) * epsilon * count)
        if start > 0:
            triple = sums.mixture(sums.response_atoms(epsilon, count), base)(start)
            points.append(stored(start, *sums.as_faces(triple, start)))
    return f"{step_text(part, 'remove')} @ RandomizedResponse({epsilon})**{count}", sorted(points)


def few_steps_part(rng):
    return Subsampled(log_uniform(rng, 0.3, 5), log_uniform(rng, 1e-3, 0.5), many(rng, 2, 50))


def rare_part(rng):
    count = many(rng, 100, 10**5)
    return Subsampled(log_uniform(rng, 0.3, 1.5), rounded(log_uniform(rng, 0.03, 1) / count, 4), count)


def two_trainings(rng):
    direction, parts = direction_of(rng), [training(rng, 20), training(rng, 20)]
    return " @ ".join(step_text(p, direction) for p in parts), by_contour(parts, direction)


# By sums


def chosen(rng, parts, triple, digits=8):
    """ε from the saddle points of the parts, and the triple there; with the ends."""
    end = -sum(part.lowest for part in parts)
    wanted = [0.0]
    for target in (0.9, *TARGETS):
        x = contour.loss_of(parts, 0, math.log(target))
        if 0 < x < 0.99999 * end:
            wanted.append(rounded(x, digits))
    if end < math.inf:
        wanted += [rounded(end * rng.uniform(0.9, 0.999), digits), rounded(1.05 * end, digits)]
    return [(x, triple(x)) for x in sorted(set(wanted))]


def laplace_power(rng):
    scale, count = log_uniform(rng, 0.1, 10), many(rng, 1, rng.choice([10, 60, 300]))
    if rng.random() < 0.1:
        scale = float(rng.randint(1, 3))
    triple = partial(sums.precise, memo(lambda digits: sums.LaplaceProduct([(scale, count)], digits)))
    points = chosen(rng, [Laplace(scale, count)], triple)
    return f"Laplace({scale})**{count}", [stored(x, *sums.as_faces(t, x)) for x, t in points]


def memo(make):
    known = {}

    def made(digits):
        contour.set_digits(digits)
        if digits not in known:
            known[digits] = make(digits)
        return known[digits]

    return made


def laplace_parts(rng, most):
    parts, terms = [], 1
    for _ in range(rng.randint(2, 7)):
        count = many(rng, 1, 12)
        if terms * (count + 1) > most:
            break
        terms *= count + 1
        parts.append((log_uniform(rng, 0.3, 6), count))
    return parts or [(1.0, 2)]


def laplace_product(rng):
    parts = laplace_parts(rng, 1500)
    triple = partial(sums.precise, memo(lambda digits: sums.LaplaceProduct(parts, digits)))
    points = chosen(rng, [Laplace(b, n) for b, n in parts], triple)
    text = " @ ".join(f"Laplace({b})**{n}" for b, n in parts)
    return text, [stored(x, *sums.as_faces(t, x)) for x, t in points]


def laplace_response(rng):
    parts, epsilon, count = laplace_parts(rng, 150), log_uniform(rng, 0.1, 3), rng.randint(1, 5)

    def make(digits):
        return sums.mixture(sums.response_atoms(epsilon, count), sums.LaplaceProduct(parts, digits))

    points = chosen(
        rng, [*(Laplace(b, n) for b, n in parts), Randomized(epsilon, count)], partial(sums.precise, memo(make))
    )
    text = " @ ".join([*(f"Laplace({b})**{n}" for b, n in parts), f"RandomizedResponse({epsilon})**{count}"])
    return text, [stored(x, *sums.as_faces(t, x)) for x, t in points]


def laplace_atoms(rng):
    """Many mechanisms of a few scales, so small that many outcomes have few losses or none inside the range; often one
    scale is twice another, so that atoms meet. Some are beside randomized response."""
    scale, count = log_uniform(rng, 1, 40), many(rng, 20, 120)
    parts = [(scale, count)]
    if rng.random() < 0.6:
        parts.append((scale / 2, max(2, count // 2)))
    for _ in range(rng.randint(2 - len(parts), 1)):
        parts.append((log_uniform(rng, 1, 40), many(rng, 2, 60)))
    number, terms = sum(n for _, n in parts), math.prod(n + 1 for _, n in parts)
    if not 60 <= number <= 240 or number * terms > 2_000_000 or sum(n / b for b, n in parts) > 100:
        raise NotResolved("too few, or too many terms")
    text, responses = " @ ".join(f"Laplace({b})**{n}" for b, n in parts), []
    if rng.random() < 0.4 and number * terms < 500_000:
        epsilon, times = log_uniform(rng, 0.05, 1), rng.randint(1, 4)
        text, responses = f"{text} @ RandomizedResponse({epsilon})**{times}", [Randomized(epsilon, times)]

    def make(digits):
        base = sums.LaplaceProduct(parts, digits)
        return sums.mixture(sums.response_atoms(epsilon, times), base) if responses else base

    triple = partial(sums.precise, memo(make), digits=240)
    points = chosen(rng, [*(Laplace(b, n) for b, n in parts), *responses], triple)
    # Beside an atom with no loss inside, and within a hundred-millionth of it.
    for share in (0.3, 0.6):
        atom = rounded(sum((n - 2 * round(n * (1 - share) / 2)) / b for b, n in parts))
        points.append((atom, triple(atom)))
    return text, [stored(x, *sums.as_faces(t, x)) for x, t in sorted(points, key=lambda point: point[0])]


def laplace_gaussian(rng):
    scale, count, sigma = log_uniform(rng, 0.3, 6), many(rng, 1, 40), log_uniform(rng, 0.3, 6)
    return f"Laplace({scale})**{count} @ Gaussian({sigma})", by_contour(
        [Laplace(scale, count), Gaussian(1 / sigma)], "add"
    )


def response_power(rng):
    count = many(rng, 2, 10 ** rng.choice([2, 5, 9]))
    epsilon = rounded(min(6.0, log_uniform(rng, 0.05, 20) / math.sqrt(count)), 5)
    if rng.random() < 0.2:
        count, epsilon = many(rng, 500, 10**5), log_uniform(rng, 0.3, 2)
    contour.set_digits(60)
    points = chosen(rng, [Randomized(epsilon, count)], sums.responses(epsilon, count), 10)
    return f"RandomizedResponse({epsilon})**{count}", [stored(x, *sums.as_faces(t, x)) for x, t in points]


def approximate_power(rng):
    count = many(rng, 1, 10 ** rng.choice([2, 5, 9]))
    epsilon = rounded(min(4.0, log_uniform(rng, 0.05, 20) / math.sqrt(count)), 5)
    delta = log_uniform(rng, 1e-12, 0.3)
    delta = rounded(min(delta, 3 / count), 5)
    contour.set_digits(60)
    share = 1 - arb(delta)
    infinite = 1 - share**count
    points = chosen(rng, [Randomized(epsilon, count)], sums.responses(epsilon, count, share), 10)
    text = f"ApproximateDP({epsilon}, {delta})**{count}"
    return text, [stored(x, *sums.as_faces(t, x, infinite)) for x, t in points]


def dyadic(rng, size, zeros):
    """Two distributions on as many outcomes, in 1024ths, so that doubles hold them and they sum to one."""

    def draw():
        cuts = sorted(rng.sample(range(1, 1024), size - 1))
        return [(b - a) / 1024 for a, b in zip([0, *cuts], [*cuts, 1024], strict=True)]

    p, q = draw(), draw()
    if zeros:  # an outcome that is impossible under P, of little weight
        p = [0.0, p[0] + p[1], *p[2:]]
        q = [1 / 1024, q[0] + q[1] - 1 / 1024, *q[2:]]
    return p, q


def finite_power(rng):
    size = rng.randint(2, 4)
    p, q = dyadic(rng, size, zeros=rng.random() < 0.3)
    count = many(rng, 1, {2: 2000, 3: 60, 4: 25}[size])
    contour.set_digits(60)
    finite, infinite = sums.experiment(p, q)
    mass = sum((m for _, m in finite), arb(0))
    atoms, epsilons = sums.power(finite, count), [0.0]
    mean = sum(float(a * m) for a, m in finite) / float(mass) * count
    spread = math.sqrt(sum(float(a * a * m) for a, m in finite) * count) + 1e-3
    top = count * max(float(a) for a, _ in finite)
    epsilons += [x for x in (rounded(mean + k * spread) for k in (-2, 0, 1, 3, 5, 8)) if 0 < x < top]
    epsilons += [rounded(0.97 * top), rounded(1.03 * top)]
    text = f"FiniteExperiment(p={p}, q={q})**{count}"
    triple, infinite = sums.mixture(atoms), 1 - (1 - infinite) ** count
    return text, [stored(x, *sums.as_faces(triple(x), x, infinite)) for x in sorted(set(epsilons)) if x >= 0]


def finite_mix(rng):
    contour.set_digits(60)
    e1, n1, e2, n2 = log_uniform(rng, 0.05, 2), many(rng, 1, 40), log_uniform(rng, 0.05, 2), many(rng, 1, 40)
    first, infinite = sums.response_atoms(e1, n1), arb(0)
    text = f"RandomizedResponse({e1})**{n1} @ "
    if rng.random() < 0.5:
        second = sums.response_atoms(e2, n2)
        text += f"RandomizedResponse({e2})**{n2}"
    else:
        delta = log_uniform(rng, 1e-9, 0.1)
        share = (1 - arb(delta)) ** n2
        second, infinite = [(a, m * share) for a, m in sums.response_atoms(e2, n2)], 1 - share
        text += f"ApproximateDP({e2}, {delta})**{n2}"
    points = chosen(rng, [Randomized(e1, n1), Randomized(e2, n2)], sums.mixture(sums.product(first, second)))
    return text, [stored(x, *sums.as_faces(t, x, infinite)) for x, t in points]


def response_gaussian(rng):
    contour.set_digits(60)
    epsilon, count, sigma = log_uniform(rng, 0.05, 4), many(rng, 1, 200), log_uniform(rng, 0.3, 10)
    triple = sums.mixture(sums.response_atoms(epsilon, count), sums.gaussian(1 / arb(sigma)))
    points = chosen(rng, [Randomized(epsilon, count), Gaussian(1 / sigma)], triple)
    text = f"RandomizedResponse({epsilon})**{count} @ Gaussian({sigma})"
    return text, [stored(x, *sums.as_faces(t, x)) for x, t in points]


KINDS = {
    "dpsgd_one": (one_step, 40),
    "dpsgd_few": (few_steps, 150),
    "dpsgd_rare": (rare, 90),
    "dpsgd_long": (long, 180),
    "laplace_power": (laplace_power, 100),
    "laplace_product": (laplace_product, 60),
    "laplace_response": (laplace_response, 30),
    "laplace_atoms": (laplace_atoms, 25),
    "laplace_gaussian": (laplace_gaussian, 25),
    "response": (response_power, 60),
    "approximate": (approximate_power, 40),
    "finite": (finite_power, 30),
    "finite_mix": (finite_mix, 30),
    "mix_gaussian": (with_gaussian, 50),
    "mix_laplace": (with_laplace, 50),
    "mix_response": (with_response, 30),
    "mix_few_response": (few_with_response, 20),
    "mix_trainings": (two_trainings, 40),
    "mix_response_gaussian": (response_gaussian, 15),
}


def setting(kind_and_number):
    """The text of a setting and its points; drawn again where that fails."""
    kind, number = kind_and_number
    for attempt in range(40):
        try:
            text, points = KINDS[kind][0](random.Random(f"{kind} {number} {attempt}"))
        except (NotResolved, OverflowError, ZeroDivisionError):
            continue
        if len(points) >= (2 if kind == "mix_few_response" else 4):
            return [text, points]
    raise RuntimeError(f"{kind} {number}: nothing found")


def hard_call(number):
    text, points = hard.points(hard.CALLS[number])
    return [text, [stored(x, *sums.as_faces(t, x)) for x, t in points]]


def write(kind):
    with Pool(2) as pool:
        if kind == "hard":
            settings = pool.map(hard_call, range(len(hard.CALLS)), chunksize=1)
        else:
            settings = pool.map(setting, [(kind, i) for i in range(KINDS[kind][1])], chunksize=1)
    rows = ",\n".join(json.dumps(s, separators=(",", ":")) for s in settings)
    (DATA / f"{kind}.json").write_text(f'{{"error": {ERROR}, "settings": [\n{rows}\n]}}\n')
    print(f"{kind}: {len(settings)}", flush=True)


if __name__ == "__main__":
    for name in sys.argv[1:] or [*KINDS, "hard"]:
        write(name)
