"""A search for answers that break laws, over all registered mechanisms with extreme parameters.

    make search MINUTES=30        or        OPENBLAS_NUM_THREADS=1 python -m tests.laws [--minutes 30] [--seed 1]

Every answer is an interval, and each law holds between intervals; no reference is needed. A violation, a crash, a
warning or a law that takes more than ten seconds of CPU is written as a call. Without a seed each run draws a new one.

The summary counts what was drawn, what was refused and what raised a NumericalError, by kind, and for products of
different kinds how many have bounds below 1e-9 on R, f and Δ.
"""

from __future__ import annotations

import argparse
import inspect
import json
import linecache
import re
import signal
import sys
import time
import traceback
import warnings
from collections import Counter
from functools import partial
from pathlib import Path

import numpy as np

import dptutor as dp
from dptutor.evaluation.curves import TooRough
from dptutor.mechanisms import composition, registry, selection, shuffled
from dptutor.mechanisms.composition import Composition
from dptutor.mechanisms.directed import DIRECTIONS

SECONDS = 10.0
EPSILON = np.array([0.0, 1e-9, 1e-4, 0.03, 0.5, 1.0, 3.0, 10.0, 100.0])
PRIOR = 1 / (1 + np.exp(-EPSILON[:6]))
ALPHA = np.array([1e-12, 1e-3, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0])
ORDERS, BELOW_1 = np.array([1.0, 2.0, 7.5, 40.0]), np.array([0.1, 0.5, 0.9])
ROUNDING = 1e-12
LAST = 1e-15  # a few units of the last place of 1
WHOLE = ("steps", "users", "members", "categories", "answers", "examples", "largest_batch")
# What a mechanism refuses is drawn again.
WORDS = {"direction": DIRECTIONS, "bound": shuffled.BOUNDS, "queries": selection.QUERIES}
# Numbers of outcomes and of amounts, which go together.
MANY = {"p": 3, "q": 3, "probabilities": 4, "sensitivities": 4}
# What bounds of products shall be below.
SHARP = 1e-9


def _programs():
    """The programs that check certificates, which the reference prints."""
    page = Path(__file__).resolve().parent.parent / "book/api.md"
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.S)
    return [block for block in blocks if "def verified" in block]


PROGRAM, ORDER_PROGRAM = _programs()
SPACE: dict = {}
exec(PROGRAM, SPACE)
exec(ORDER_PROGRAM, SPACE)
verified, verified_order = SPACE["verified"], SPACE["verified_order"]


def draw(generator, parameter):
    """A parameter by its name: ordinary, or extreme; one that need not be given sometimes as it is then."""
    name, default = parameter.name, parameter.default

    def log(low, high):
        return float(10 ** generator.uniform(low, high))

    if default is not parameter.empty and generator.random() < 0.3:
        return default
    if name == "sensitivities":
        return [float(generator.choice([0.0, log(-3, 1)])) for _ in range(MANY[name])]
    if name in MANY:
        return generator.dirichlet(np.full(MANY[name], 0.3)).tolist()
    if isinstance(default, str):
        return str(generator.choice(WORDS[name]))
    if name in WHOLE or (isinstance(default, int) and default is not parameter.empty):
        return int(log(0.31, generator.choice([1, 1, 4])))
    if name in ("delta", "gamma", "sampling_rate"):
        return log(generator.choice([-9, -2]), 0)
    if name == "epsilon":
        return log(-6, 2)
    return log(generator.choice([-2, -0.7]), generator.choice([0.7, 2]))


def one(generator):
    """A registered mechanism with drawn parameters."""
    while True:
        kind = getattr(dp, str(generator.choice(registry.__all__)))
        signature = inspect.signature(kind).parameters.values()
        given = {x.name: draw(generator, x) for x in signature if x.kind is not x.KEYWORD_ONLY}
        try:
            return kind(**given)
        except ValueError:
            continue


def drawn(generator):
    """One mechanism, or a power, a product, a join, a meet or a reverse of such."""
    first = one(generator)
    way = generator.integers(8)
    if way == 0:
        return first ** int(10 ** generator.uniform(0.31, 9))
    if way in (1, 2):
        for _ in range(int(generator.integers(1, 4))):
            first = first @ one(generator)
        return first
    if way == 3:
        return first ** int(generator.integers(2, 50)) @ one(generator)
    if way == 4:
        return (dp.join if generator.random() < 0.5 else dp.meet)(first, one(generator))
    if way == 5:
        return first.reverse
    return first


def cases(generator):
    """A drawn mechanism with what it is tested for: names of calls, and functions that yield the laws broken."""
    m = drawn(generator)
    yield repr(m), m, partial(of_one, m)
    which = generator.integers(12)
    if which < 3:
        other = one(generator)
        yield f"{m!r}, {other!r}", m, partial(of_products, m, other)
    elif which == 3:
        other = one(generator)
        yield f"dp.delta_divergence({m!r}, {other!r}).certificate", m, partial(of_certificates, m, other)
    elif which == 4:
        other = one(generator)
        yield f"dp.dominance({m!r}, {other!r}).certificate", m, partial(of_orders, m, other)
    elif which == 5:
        a, b = (int(n) for n in generator.integers(1, 40, 2))
        yield f"({m!r}) ** {a}, ** {b}", m, partial(of_powers, m, a, b)
    elif which == 6:
        size = int(generator.integers(2, 5))
        yield f"dp.group({m!r}, {size})", m, partial(of_groups, m, size)
    elif which < 9:
        yield f"on a grid: {m!r}", m, partial(of_evaluators, m)


def of_one(m):
    """The laws that a mechanism breaks, each as a sentence."""
    value, error = m.privacy_profile(EPSILON, with_error=True)
    if not ((value >= 0) & (value <= 1)).all():
        yield "δ is no probability"
    if not (np.diff(value) <= error[1:] + error[:-1] + ROUNDING * value[:-1]).all():
        yield "δ rises"
    u, middle = np.exp(EPSILON[:-2]), np.exp(EPSILON)
    share = (middle[1:-1] - u) / (middle[2:] - u)
    chord = value[:-2] * (1 - share) + value[2:] * share
    off = error[:-2] + error[1:-1] + error[2:]
    if not (value[1:-1] <= chord + off + ROUNDING).all():
        yield "δ is not convex in e^ε"
    if any(m.privacy_profile(x) != y for x, y in zip(EPSILON[2:5].tolist(), value[2:5].tolist(), strict=True)):
        yield "a scalar differs from an array"
    risk, its_error = m.bayes_error(PRIOR, with_error=True)
    if not (np.abs(risk - (1 - value[:6]) / (1 + np.exp(EPSILON[:6]))) <= its_error + error[:6] + ROUNDING).all():
        yield "R and δ differ"
    back, its = m.reverse.privacy_profile(EPSILON, with_error=True)
    mirrored, of_it = m.privacy_profile(-EPSILON, with_error=True)
    shrink = np.exp(-EPSILON)
    if not (np.abs(mirrored + np.expm1(-EPSILON) - shrink * back) <= of_it + shrink * its + LAST).all():
        yield "δ and that of the reverse differ"
    back, its = m.reverse.bayes_error(PRIOR, with_error=True)
    mirrored, of_it = m.bayes_error(1 - PRIOR, with_error=True)
    if not (np.abs(mirrored - back) <= of_it + its + LAST).all():
        yield "R and that of the reverse differ"
    beta, of_beta = m.tradeoff(ALPHA, with_error=True)
    line = 1 - value[:, None] - np.exp(EPSILON)[:, None] * ALPHA
    if not (beta >= line - of_beta - error[:, None] - ROUNDING).all():
        yield "f is below a line of δ"
    if (
        not ((beta >= 0) & (beta <= 1 - ALPHA)).all()
        or not ((risk >= 0) & (risk <= np.minimum(PRIOR, 1 - PRIOR))).all()
    ):
        yield "a blind guess is better"
    share = np.diff(ALPHA)[:-1] / (ALPHA[2:] - ALPHA[:-2])
    off = of_beta[:-2] + of_beta[1:-1] + of_beta[2:]
    if not (beta[1:-1] <= beta[:-2] * (1 - share) + beta[2:] * share + off + ROUNDING).all():
        yield "f is not convex"
    level = float(value[4])
    if 1e-250 < level < 1:
        found, of_found = m.epsilon(level, with_error=True)
        if found - of_found > EPSILON[4] * (1 + 1e-9) + 1e-9:
            slope = m.privacy_profile(max(found - of_found - 1e-9, 0.0))
            if slope < level - 2 * error[4] - ROUNDING * level:
                yield "ε is larger than where δ is reached"
    divergence = m.renyi_divergence(ORDERS)
    if not divergence[0] >= 2 * max(value[0] - error[0], 0.0) ** 2 * (1 - 1e-9):
        yield "the divergence is less than Pinsker's inequality allows"
    if not (divergence[1:] >= divergence[:-1] * (1 - 1e-9)).all():
        yield "Rényi divergences fall"
    below_1, back = m.renyi_divergence(BELOW_1), m.reverse.renyi_divergence(1 - BELOW_1)
    if not np.allclose((1 - BELOW_1) * below_1, BELOW_1 * back, rtol=1e-9, atol=1e-300):
        yield "Rényi divergences below order 1 and those of the reverse differ"
    if not (np.append(below_1[1:], divergence[0]) >= below_1 * (1 - 1e-9)).all():
        yield "Rényi divergences fall below order 1"
    for s, of_order in zip(ORDERS[1:], divergence[1:], strict=True):
        loss = np.append(EPSILON, of_order) if of_order < np.inf else EPSILON
        value, error = m.privacy_profile(loss, with_error=True)
        # The largest (x − e^ε)₊ x^−s is at x = e^ε s/(s − 1).
        most = (s - 1) * (of_order - loss + np.log1p(-1 / s)) - np.log(s)
        if not (value - error <= np.exp(np.minimum(most, 0)) * (1 + 1e-9)).all():
            yield "δ is larger than a Rényi divergence allows"


def of_products(m, other):
    """The laws of a product that are broken."""
    if other.both_directions:
        m = m.symmetrized  # as the product is
    together = m @ other
    value, error = together.privacy_profile(EPSILON, with_error=True)
    alone, own_error = m.privacy_profile(EPSILON, with_error=True)
    distance, its_error = other.privacy_profile(0.0, with_error=True)
    off = error + own_error + ROUNDING
    if not (value >= alone - off).all():
        yield "a product reveals less than a part"
    if not (value <= alone + distance + its_error + off).all():
        yield "a product reveals more than the total variation of a part adds"
    exchanged, error_then = (other @ m).privacy_profile(EPSILON, with_error=True)
    if not (np.abs(exchanged - value) <= error + error_then + ROUNDING).all():
        yield "the order of parts matters"
    found = dp.delta_divergence(m, together)
    if not float(found) <= (distance + its_error) / 2 + found.error_bound + ROUNDING:
        yield "Δ to a product is more than half the total variation of the other part"
    if not float(dp.delta_divergence(together, m)) <= found.error_bound + ROUNDING:
        yield "Δ from a product to its part is not 0"
    if dp.dominance(together, m).verdict == "refuted":
        yield "a product does not dominate its part"


def of_certificates(m, other):
    """Whether the program in the reference confirms a certificate."""
    certificate = dp.delta_divergence(m, other).certificate
    if not verified(certificate.json(), m.privacy_profile, other.privacy_profile):
        yield "the certificate of Δ is not verified"


def checked(m, other, text):
    """What the program in the reference says of the certificate of an order."""
    profiles = (m.privacy_profile, other.privacy_profile), (m.reverse.privacy_profile, other.reverse.privacy_profile)
    divergences = [x.renyi_divergence for x in (m, other, m.reverse, other.reverse)]
    return verified_order(text, *profiles, divergences)


def of_orders(m, other):
    """Whether the program in the reference confirms a certificate, and Δ agrees."""
    found = dp.dominance(m, other)
    if found.certificate is not None and checked(m, other, found.certificate.json()) is False:
        yield f"the certificate is not verified: {json.dumps(found.verdict)}"
    regret = dp.delta_divergence(m, other)
    if found.verdict == "proven" and float(regret) > regret.error_bound + ROUNDING:
        yield f"proven, with a regret of {float(regret):.3g}"
    if found.verdict == "refuted" and dp.dominance(other, m).verdict == "refuted":
        return
    if found.verdict == "refuted" and found.witness.epsilon is not None:
        side, its = (x.reverse if found.witness.reverse else x for x in (m, other))
        first, second = (x.privacy_profile(found.witness.epsilon, with_error=True) for x in (side, its))
        if first[0] - first[1] > second[0] + second[1]:
            yield "a witness that is none"


def of_powers(m, a, b):
    """The laws of powers that are broken."""
    whole = m ** (a + b)
    value, error = whole.privacy_profile(EPSILON, with_error=True)
    together, its_error = ((m**a) @ (m**b)).privacy_profile(EPSILON, with_error=True)
    if not (np.abs(together - value) <= error + its_error + ROUNDING).all():
        yield "M^a @ M^b is not M^(a+b)"
    alone, own_error = (m**a).privacy_profile(EPSILON, with_error=True)
    if not (value >= alone - error - own_error - ROUNDING).all():
        yield "a higher power reveals less"
    if m.both_directions or whole.both_directions:
        m, whole = m.both_directions[0], whole.both_directions[0]
    several, single = whole.renyi_divergence(ORDERS), m.renyi_divergence(ORDERS)
    if not np.allclose(several, (a + b) * single, rtol=1e-9, atol=1e-300):
        yield "Rényi divergences do not add up"


def of_groups(m, size):
    """The laws of groups that are broken."""
    whole = dp.group(m, size)
    epsilon = EPSILON[size * EPSILON < 600]
    value, error = whole.privacy_profile(epsilon, with_error=True)
    alone, own_error = m.privacy_profile(epsilon, with_error=True)
    if not (value >= alone - error - own_error - ROUNDING).all():
        yield "a group reveals less than one example"
    at, error = whole.privacy_profile(size * epsilon, with_error=True)
    # Each further example multiplies by e^ε and adds δ.
    factor = np.exp(np.outer(epsilon, np.arange(size))).sum(axis=1)
    if not (at <= factor * (alone + own_error) * (1 + ROUNDING) + error).all():
        yield "a group reveals more than its examples together"


def of_evaluators(m):
    """Whether what is answered and what a grid, lines or curves would answer have a value in common."""
    pair = m.both_directions[0] if m.both_directions else m
    whole = pair if isinstance(pair, Composition) else Composition(((pair, 1),))
    if whole._infinite == 1.0:
        return
    value, error = pair.privacy_profile(EPSILON, with_error=True)
    others = [composition._by_grid]
    if all(composition._is_known(part) for part, _ in whole.factors):
        others.append(composition._by_lines)
    others.append(composition._by_curves)
    for other in others:
        try:
            faces = other(whole)
        except TooRough:
            continue
        except TimeoutError:
            return  # they need not be quick
        if not (np.abs(faces.delta(EPSILON) - value) <= faces.delta_error(EPSILON) + error + ROUNDING).all():
            yield f"another evaluator answers differently: {other.__name__}"


def kinds(m):
    """The kinds of mechanisms that a mechanism consists of."""
    return sorted({type(part).__name__ for part, _ in m._parts()[0]})


def bounds(m):
    """Largest bounds on R, f and Δ."""
    risk, beta = m.bayes_error(PRIOR, with_error=True)[1], m.tradeoff(ALPHA, with_error=True)[1]
    return float(np.max(risk)), float(np.max(beta)), float(dp.delta_divergence(m, dp.Gaussian()).error_bound)


def is_refused(problem):
    """Whether an error was raised on purpose."""
    last = traceback.extract_tb(problem.__traceback__)[-1]
    return "/dptutor/" in last.filename and "raise " in linecache.getline(last.filename, last.lineno)


def judged(law):
    """What a law finds broken, and the error that kept it from an answer, if that is the library's own."""
    began = time.process_time()
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    problems, raised = [], None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            problems = list(law())
    except TimeoutError:
        problems = [f"takes more than {SECONDS:g} s"]
    except (ValueError, dp.NumericalError) as problem:
        raised = problem
        if not is_refused(problem):
            problems = [f"{type(problem).__name__}: {problem}"]
    except (Exception, Warning) as problem:
        problems = [f"{type(problem).__name__}: {problem}"]
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    if time.process_time() - began > 1.5 * SECONDS and not problems:
        problems = [f"takes {time.process_time() - began:.0f} s"]
    return problems, raised


class Tally:
    """What was drawn, by kind, and how sharp products are."""

    def __init__(self, out):
        self.out = out
        self.drawn, self.laws, self.refused, self.unknown = Counter(), Counter(), Counter(), Counter()
        self.sharp, self.blunt = Counter(), Counter()

    def product(self, m):
        """Counts the bounds of a product, and writes it if they are large; breaks nothing."""
        found = dict(zip("RfΔ", bounds(m), strict=True))
        self.sharp.update({"products": 1} | {face: bound < SHARP for face, bound in found.items()})
        if max(found.values()) >= SHARP:
            self.blunt[" @ ".join(kinds(m))] += 1
            self.out(f"{m!r}  # bounds {', '.join(f'{face} {bound:.1e}' for face, bound in found.items())}")
        yield from ()

    def __str__(self):
        return "\n".join([
            f"drawn: {dict(self.drawn.most_common())}; laws: {dict(self.laws.most_common())}",
            f"refused: {dict(self.refused.most_common())}; NumericalError: {dict(self.unknown.most_common())}",
            f"bounds below {SHARP:g}: {dict(self.sharp)}; above: {dict(self.blunt.most_common(40))}",
        ])  # fmt: skip


def search(seed, seconds, out=print):
    """Searches for so many seconds of CPU; yields each violation as a call, with what it breaks."""
    generator, tally, start = np.random.default_rng(seed), Tally(out), time.process_time()
    found = []

    def tried(text, m, name, law):
        problems, raised = judged(law)
        tally.laws[name] += 1
        if raised:
            counts = tally.unknown if isinstance(raised, dp.NumericalError) else tally.refused
            counts.update(kinds(m))
            if counts is tally.unknown:
                out(f"{text}  # NumericalError: {raised}")
        for problem in problems:
            found.append((text, problem))
            out(f"{text}  # {problem}")
        return not problems and not raised

    while time.process_time() - start < seconds:
        try:
            for text, m, law in cases(generator):
                tally.drawn.update(kinds(m))
                fine = tried(text, m, law.func.__name__, law)
                if not fine:
                    break
                if law.func is of_one and len(kinds(m)) > 1:
                    tried(f"bounds of {text}", m, "bounds", partial(tally.product, m))
        except ValueError as problem:
            if not is_refused(problem):
                raise
            tally.refused["while composing"] += 1
    return found, tally


def _too_long(*_):
    raise TimeoutError


def main():
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--seed", type=int, default=None)
    given = parser.parse_args()
    seed = given.seed if given.seed is not None else int(np.random.SeedSequence().generate_state(1)[0])
    print(f"seed {seed}", flush=True)
    signal.signal(signal.SIGVTALRM, _too_long)
    found, tally = search(seed, 60 * given.minutes, lambda line: print(line, flush=True))
    print(f"{len(found)} violations\n{tally}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
