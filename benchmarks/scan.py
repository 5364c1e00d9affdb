"""How long answers take over a fixed random set of training runs: median, 99th percentile and worst.

    python -m benchmarks.scan [COUNT]

σ between 0.2 and 100, p between 1e-6 and 1, steps between 1 and 1e9, evenly spread on a logarithmic scale, always the
same ones. For each: ε at δ = 1e-5, and R at 400 priors, from fresh objects; and ε by dp-accounting on its grid of 1e-4,
which is given a tenth of the time. What takes too long or raises an error is counted and named, and not timed. Last,
over the settings of `make sweep`: δ, R, f, ε at all stored points, each with its bound, and the advantage.
"""

from __future__ import annotations

import signal
import sys
import time
from contextlib import contextmanager

import numpy as np

import dptutor as dp

COUNT, SEED, PATIENCE = 200, 20261122, 60
PRIORS = 1 / (1 + np.exp(-np.linspace(-12, 12, 400)))


class TooLong(Exception):
    """More than was allowed."""


@contextmanager
def limited(seconds: float):
    """Raises `TooLong` where the body takes longer, once it is back in Python."""

    def stop(*_):
        raise TooLong(f"more than {seconds:g} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def settings(count: int = COUNT) -> list[tuple[float, float, int]]:
    """σ, p and steps; the first ones of a longer list are those of a shorter one."""
    even = np.random.default_rng(SEED).random((count, 3))
    ends = np.log([[0.2, 100], [1e-6, 1], [1, 1e9]])
    return [(float(s), float(p), max(1, round(n))) for s, p, n in np.exp(ends[:, 0] + even * (ends[:, 1] - ends[:, 0]))]


def tasks() -> dict:
    """By name: a function of a setting, and the seconds that it is given."""
    from .peers import DpAccounting

    peer = DpAccounting()
    return {
        "ε": (lambda setting: dp.DPSGD(*setting).epsilon(1e-5), PATIENCE),
        "R at 400 priors": (lambda setting: dp.DPSGD(*setting).bayes_error(PRIORS), PATIENCE),
        f"ε, {peer.name}": (lambda setting: peer.epsilon(setting, 1e-5), PATIENCE / 10),
    }


def measured(task, patience: float, count: int) -> tuple[list, list]:
    """(seconds, setting) of what is answered, (trouble, setting) of what is not."""
    answered, failed = [], []
    for setting in settings(count):
        start = time.perf_counter()
        try:
            with limited(patience):
                task(setting)
        except (TooLong, ArithmeticError, MemoryError, ValueError, IndexError) as trouble:
            failed.append((f"{type(trouble).__name__}: {trouble}", setting))
        else:
            answered.append((time.perf_counter() - start, setting))
    return answered, failed


def swept() -> dict:
    """Prints and returns the quantiles over the settings of `make sweep`, all faces with their bounds together."""
    from tests.sweep.sweep import answers
    from tests.sweep.sweep import settings as stored

    times = []
    for _, text, points, _ in stored():
        start = time.perf_counter()
        answers(text, points)
        times.append((time.perf_counter() - start, text))
    seconds = np.array([each for each, _ in times])
    worst, text = max(times)
    found = {
        "median": float(np.median(seconds)),
        "99th percentile": float(np.quantile(seconds, 0.99)),
        "worst": worst,
        "worst setting": text,
        "above a second": int((seconds > 1).sum()),
        "answered": len(times),
    }
    line = ", ".join(f"{key} {1000 * found[key]:.1f} ms" for key in ("median", "99th percentile", "worst"))
    print(f"{'settings of the sweep':32}{line} at {text}; {found['above a second']} above a second", flush=True)
    return found


def report(count: int = COUNT) -> dict[str, dict]:
    """Prints and returns the quantiles."""
    found, times = {}, {}
    for name, (task, patience) in tasks().items():
        answered, failed = measured(task, patience, count)
        times[name] = {setting: seconds for seconds, setting in answered}
        seconds, worst = max(answered, default=(float("nan"), None))
        quantiles = np.quantile([*times[name].values()] or [np.nan], [0.5, 0.99])
        found[name] = {
            "median": float(quantiles[0]),
            "99th percentile": float(quantiles[1]),
            "worst": seconds,
            "worst setting": worst,
            "answered": len(answered),
            "failed": [[trouble, *setting] for trouble, setting in failed],
        }
        line = ", ".join(f"{key} {1000 * found[name][key]:.1f} ms" for key in ("median", "99th percentile", "worst"))
        print(f"{name:32}{line} at {worst}; {len(answered)} of {count} answered", flush=True)
        for trouble, setting in failed[:5]:
            print(f"{'':32}not {setting}: {trouble}", flush=True)
    ours, *_, peer = times
    ratios = [times[peer][setting] / times[ours][setting] for setting in times[peer] if setting in times[ours]]
    if ratios:
        found[peer]["times ours, median"] = float(np.median(ratios))
        print(
            f"{peer} takes {np.median(ratios):.1f} times as long as ours, the median of {len(ratios)} that both answer"
        )
    found["settings of the sweep"] = swept()
    return found


if __name__ == "__main__":
    report(int(sys.argv[1]) if len(sys.argv) > 1 else COUNT)
