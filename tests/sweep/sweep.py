"""Every stored reference against the library: `python -m tests.sweep`, or `make sweep`.

Of each setting are asked, at every stored ε: δ(ε); R at π = 1/(1 + e^{−ε}), which is (1−π)(1−δ); f(α), which is β;
ε(δ); and the advantage. An answer comes with a bound of its error, and must lie within the bound and the reference's
own error of the reference. Beside that no answer may raise, warn or be NaN; δ must not rise with ε, nor f be concave;
an answer must be the same alone and in an array, to the last bit. So much is truth, and without exception.

Sharpness is counted: the bound of δ at most 1e-6 of it (down to δ = 1e-30), those of R and f at most 1e-10; all answers
of 99 settings in a hundred must keep to that. Times, of the processor, are told, not judged.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
import warnings
from collections import defaultdict
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from dptutor.specification import read

DATA = Path(__file__).parent / "data"
SECONDS = 120  # after which a setting counts as hanging
ULP = 2.3e-16


@dataclass
class Outcome:
    """What is wrong with the answers of a setting, what is not sharp, and how long they took."""

    kind: str
    text: str
    wrong: list = field(default_factory=list)
    dull: list = field(default_factory=list)
    vague: int = 0  # answers ε(δ) with a bound above 1e-8
    seconds: float = 0.0


def settings(kinds=None):
    """All that is stored: kind, text, points and the relative error of these."""
    found = []
    for path in sorted(DATA.glob("*.json")):
        if kinds is None or path.stem in kinds:
            stored = json.loads(path.read_text())
            found += [(path.stem, text, points, stored["error"]) for text, points in stored["settings"]]
    return found


class Hanging(Exception):
    """No answer in time."""


def on_alarm(*_):
    raise Hanging(f"no answer in {SECONDS} s")


def outcome(setting):
    """The answers of one setting, checked."""
    kind, text, points, error = setting
    result = Outcome(kind, text)
    signal.signal(signal.SIGALRM, on_alarm)
    signal.alarm(SECONDS)
    start = time.process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            asked = answers(text, points)
        result.seconds = time.process_time() - start
        judge(result, asked, points, error)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            shape_and_repetition(result, asked, points)
    except Exception as problem:
        result.seconds = result.seconds or time.process_time() - start
        result.wrong.append(f"{type(problem).__name__}: {str(problem)[:200]}")
    finally:
        signal.alarm(0)
    return result


def columns(points):
    """ε, δ, α, β; α is NaN where it is not stored."""
    return np.array([[np.nan if x is None else x for x in point] for point in points], float).T


def answers(text, points):
    """The mechanism, and value and bound of each face at the points."""
    mechanism = read(text)
    epsilon, delta, alpha, _ = columns(points)
    prior = 1 / (1 + np.exp(-epsilon))
    return {
        "mechanism": mechanism,
        "delta": mechanism.privacy_profile(epsilon, with_error=True),
        "bayes": mechanism.bayes_error(prior, with_error=True),
        "tradeoff": mechanism.tradeoff(alpha[~np.isnan(alpha)], with_error=True),
        "epsilon": mechanism.epsilon(delta[delta > 0], with_error=True),
        "advantage": mechanism.advantage,
    }


def judge(result, asked, points, error):
    """Truth and sharpness of the answers."""
    epsilon, delta, alpha, beta = columns(points)
    there = ~np.isnan(alpha)

    def true(face, at, reference, allowed):
        value, bound = (np.asarray(x, float) for x in asked[face])
        off = np.abs(value - reference)
        for i in np.flatnonzero(~(off <= bound + allowed)):
            right = f"right {reference[i]:.12g}, off by {off[i]:.2g}, bound {bound[i]:.2g}"
            result.wrong.append(f"{face} at {at[i]:.9g}: {value[i]:.12g}, {right}")
        return bound

    def sharp(face, at, reference, bound, goal):
        for i in np.flatnonzero(~(bound <= goal)):
            result.dull.append(f"{face} at {at[i]:.9g} is {reference[i]:.4g}, bound {bound[i]:.2g}")

    bound = true("delta", epsilon, delta, error * delta)
    sharp("delta", epsilon, delta, bound, np.where(delta >= 1e-30, np.maximum(1e-6 * delta, 1e-36), np.inf))
    zero = np.flatnonzero(epsilon == 0)
    for i in zero:
        if not abs(asked["advantage"] - delta[i]) <= bound[i] + error * delta[i]:
            result.wrong.append(f"advantage: {asked['advantage']:.12g}, right {delta[i]:.12g}, bound {bound[i]:.2g}")

    # R changes with π by at most as much as π, which is rounded.
    bayes = (1 - delta) / (1 + np.exp(np.minimum(epsilon, 700)))
    bound = true("bayes", epsilon, bayes, error + ULP)
    sharp("bayes", epsilon, bayes, bound, 1e-10)

    # f is convex and at most 1, so α known to a share of itself gives β to that share of 1.
    bound = true("tradeoff", alpha[there], beta[there], 2 * error)
    sharp("tradeoff", alpha[there], beta[there], bound, 1e-10)

    # dδ/dε = −e^ε α. Where that is too little for the digits of δ, nothing is asked.
    some = delta > 0
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        slack = 2 * error * delta / np.exp(epsilon + np.log(alpha))
    slack = np.where(slack <= 1e-3 * np.maximum(1, epsilon), slack + 1e-15 * epsilon, np.inf)
    if np.any(np.isnan(asked["epsilon"][0])):
        result.wrong.append("epsilon: NaN")
    bound = true("epsilon", delta[some], epsilon[some], slack[some])
    result.vague = int(np.sum((bound > 1e-8 * np.maximum(1, epsilon[some])) & np.isfinite(slack[some])))


def shape_and_repetition(result, asked, points):
    """δ falls, f is convex, and no answer depends on its neighbors in an array."""
    mechanism, (epsilon, delta, alpha, _) = asked["mechanism"], columns(points)
    grid = np.linspace(epsilon[0], epsilon[-1], 200)
    profile = mechanism.privacy_profile(grid)
    for i in np.flatnonzero(~(np.diff(profile) <= 4 * ULP * profile[:-1]))[:3]:
        result.wrong.append(f"delta rises from {profile[i]:.17g} to {profile[i + 1]:.17g} at {grid[i + 1]:.9g}")
    curve = mechanism.tradeoff(np.linspace(0, 1, 201))
    for i in np.flatnonzero(~(np.diff(curve, 2) >= -8 * ULP))[:3]:
        result.wrong.append(f"tradeoff is not convex at {(i + 1) / 200}: {np.diff(curve, 2)[i]:.3g}")
    faces = {
        "delta": (mechanism.privacy_profile, epsilon),
        "bayes": (mechanism.bayes_error, 1 / (1 + np.exp(-epsilon))),
        "tradeoff": (mechanism.tradeoff, alpha[~np.isnan(alpha)]),
        "epsilon": (mechanism.epsilon, delta[delta > 0]),
    }
    for name, (face, at) in faces.items():
        for i, x in enumerate(at):
            alone, bound = face(float(x), with_error=True)
            there, bound_there = (float(values[i]) for values in asked[name])
            if alone != there or bound != bound_there:
                alone = f"{alone:.17g} ± {bound:.17g} alone"
                result.wrong.append(f"{name} at {x:.9g}: {there:.17g} ± {bound_there:.17g} in an array, {alone}")


def report(outcomes, whole=True):
    """The table, the exceptions and the last line; whether all is well. Of a part, no share can be asked for."""
    kinds = defaultdict(list)
    for each in outcomes:
        kinds[each.kind].append(each)
        kinds["all"].append(each)
    print(f"{'kind':24}{'settings':>9}{'wrong':>7}{'dull':>6}{'vague ε':>9}{'median ms':>11}{'99%':>9}{'most':>9}")
    for kind, rows in sorted(kinds.items(), key=lambda item: item[0] == "all"):
        ms = 1e3 * np.array([r.seconds for r in rows])
        wrong, dull, vague = (sum(map(bool, x)) for x in zip(*((r.wrong, r.dull, r.vague) for r in rows), strict=True))
        print(
            f"{kind:24}{len(rows):9}{wrong:7}{dull:6}{vague:9}"
            f"{np.median(ms):11.1f}{np.quantile(ms, 0.99):9.0f}{ms.max():9.0f}"
        )
    for each in outcomes:
        for name, lines in (("wrong", each.wrong), ("dull", each.dull)):
            if lines:
                print(f"{name}: {each.text}")
                for line in lines[:4]:
                    print(f"    {line}")
                if len(lines) > 4:
                    print(f"    … {len(lines)} in all")
    wrong, dull = sum(bool(o.wrong) for o in outcomes), sum(bool(o.dull) and not o.wrong for o in outcomes)
    sharp_enough = sum(bool(o.dull) for o in outcomes) <= 0.01 * len(outcomes) or not whole
    failed = wrong + (0 if sharp_enough else dull)
    print(f"{len(outcomes) - failed} passed, {failed} failed")
    return failed == 0 and sharp_enough


def swept(kinds, executor: Executor | None = None, part=1):
    """The outcomes of every `part`-th setting, on two cores or by an executor, in the order of the settings."""
    with nullcontext(executor) if executor else ProcessPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
        return list(pool.map(outcome, list(settings(kinds or None))[::part]))


def main(arguments):
    """All settings, those of some kinds, or with --part=N every N-th."""
    parts = [int(text.removeprefix("--part=")) for text in arguments if text.startswith("--part=")]
    kinds = [text for text in arguments if not text.startswith("--part=")]
    part = parts[0] if parts else 1
    return 0 if report(swept(kinds, part=part), whole=part == 1) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
