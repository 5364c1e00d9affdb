"""A search for answers that break laws, over all registered mechanisms with extreme parameters.

    make search MINUTES=30        or        python -m tests.laws [--minutes 30] [--seed 1]

Every answer is an interval, and each law holds between intervals; no reference is needed. A violation, a crash, a
warning or a call of more than ten seconds of CPU is written as a call. Without a seed each run draws a new one.
"""

from __future__ import annotations

import argparse
import inspect
import signal
import sys
import time
import warnings
from collections import Counter

import numpy as np

import dptutor as dp
from dptutor.mechanisms import registry

SECONDS = 10.0
EPSILON = np.array([0.0, 1e-9, 1e-4, 0.03, 0.5, 1.0, 3.0, 10.0, 100.0])
ALPHA = np.array([1e-12, 1e-3, 0.1, 0.5, 0.9])
ORDERS = np.array([1.0, 2.0])
ROUNDING = 1e-12


def draw(generator, name):
    """A parameter by its name: ordinary, or extreme."""

    def log(low, high):
        return float(10 ** generator.uniform(low, high))

    if name in ("direction",):
        return str(generator.choice(["add", "remove", "both"]))
    if name in ("steps", "users", "members", "categories", "answers"):
        return int(log(0.31, generator.choice([1, 1, 4])))
    if name in ("delta", "gamma", "sampling_rate"):
        return log(generator.choice([-9, -2]), 0)
    if name in ("epsilon",):
        return log(-6, 2)
    return log(generator.choice([-2, -0.7]), generator.choice([0.7, 2]))


def one(generator):
    """A registered mechanism with drawn parameters."""
    while True:
        kind = getattr(dp, str(generator.choice(registry.__all__)))
        if kind is dp.FiniteExperiment:
            p, q = generator.dirichlet(np.full(3, 0.3), 2)
            made = kind, {"p": p.tolist(), "q": q.tolist()}
        else:
            signature = inspect.signature(kind).parameters.values()
            wanted = [x.name for x in signature if x.default is x.empty or x.name in ("direction", "members")]
            made = kind, {name: draw(generator, name) for name in wanted}
        try:
            return made[0](**made[1])
        except (ValueError, TypeError):
            continue


def drawn(generator):
    """One mechanism, or a power, a product, a join, a meet, a reverse or a group of such."""
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


def broken(m, generator):
    """The laws that a mechanism breaks, each as a sentence."""
    value, error = m.privacy_profile(EPSILON, with_error=True)
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
    risk, its_error = m.bayes_error(1 / (1 + np.exp(-EPSILON[:6])), with_error=True)
    if not (np.abs(risk - (1 - value[:6]) / (1 + np.exp(EPSILON[:6]))) <= its_error + error[:6] + ROUNDING).all():
        yield "R and δ differ"
    beta, of_beta = m.tradeoff(ALPHA, with_error=True)
    line = 1 - value[:, None] - np.exp(EPSILON)[:, None] * ALPHA
    if not (beta >= line - of_beta - error[:, None] - ROUNDING).all():
        yield "f is below a line of δ"
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
    if not divergence[1] >= divergence[0] * (1 - 1e-9):
        yield "Rényi divergences fall"


def of_products(m, other):
    """The laws of a product that are broken."""
    together = m @ other
    value, error = together.privacy_profile(EPSILON, with_error=True)
    alone, own_error = m.privacy_profile(EPSILON, with_error=True)
    distance, its_error = other.privacy_profile(0.0, with_error=True)
    off = error + own_error + ROUNDING
    if not (value >= alone - off).all():
        yield "a product reveals less than a part"
    if not (value <= alone + distance + its_error + off).all():
        yield "a product reveals more than the total variation of a part adds"


def search(seed, seconds, out=print):
    """Searches for so many seconds of CPU; yields each violation as a call, with what it breaks."""
    generator, counts, start = np.random.default_rng(seed), Counter(), time.process_time()
    found = []
    while time.process_time() - start < seconds:
        state = generator.bit_generator.state["state"]["state"]
        text, began = f"# {state}", time.process_time()
        signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
        problems = []
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                m = drawn(generator)
                text = repr(m)
                counts[type(m).__name__] += 1
                problems = list(broken(m, generator))
                if generator.random() < 0.3:
                    other = one(generator)
                    text = f"{m!r}, {other!r}"
                    problems += of_products(m, other)
        except (ValueError, dp.NumericalError):
            counts["refused"] += 1
        except TimeoutError:
            problems = [f"takes more than {SECONDS:g} s"]
        except (Exception, Warning) as problem:
            problems = [f"{type(problem).__name__}: {problem}"]
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        if time.process_time() - began > 1.5 * SECONDS and not problems:
            problems = [f"takes {time.process_time() - began:.0f} s"]
        for problem in problems:
            found.append((text, problem))
            out(f"{text}  # {problem}")
    return found, counts


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
    found, counts = search(seed, 60 * given.minutes, lambda line: print(line, flush=True))
    print(f"{len(found)} violations; drawn: {dict(counts.most_common())}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
