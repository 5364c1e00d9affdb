"""The same tasks by this library and by its peers, time and error side by side.

    python -m benchmarks

Prints the table and stores it in book/benchmark.json, with date and versions; the book's page is made from that.
Errors are absolute, against 40-digit arithmetic in which two contours of integration agreed. Times are medians of
warm runs, each from fresh objects; whatever takes longer than two seconds is run twice only.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import time
import warnings
from dataclasses import asdict, dataclass
from datetime import date
from importlib.metadata import version
from pathlib import Path

import numpy as np

from .peers import DpAccounting, Dptutor, FineDpAccounting, PrvAccountant, Riskcal

STORED = Path(__file__).resolve().parent.parent / "book" / "benchmark.json"

SHORT, LONG, LONGER = (0.6, 0.01, 500), (2, 9e-4, 1_400_000), (3, 9e-4, 3_400_000)
# δ at ε, and ε at δ = 1e-5.
PROFILE = {
    SHORT: {0: 0.2766541885866445, 1: 0.0690511844095472, 2: 0.0130405844012507, 4: 3.375273941021988e-4},
    LONG: {0: 0.2233620791157084},
    LONGER: {0: 0.2239166034304722},
}
EPSILON = {SHORT: 5.800242234555166, LONG: 2.298768821612752, LONGER: 2.303783668466932}
DIVERGENCE = 2.772621573819173e-4
SIGMA = 0.5415090504491942

PRIORS = 1 / (1 + np.exp(-np.linspace(-8, 8, 401)))


@dataclass(frozen=True)
class Row:
    """One task done by one program."""

    task: str
    kind: str
    program: str
    seconds: float
    error: float
    value: float


def curve(setting):
    """The Bayes error at 401 priors; the error is the largest at those that have a reference."""
    at = 1 / (1 + np.exp(-np.array(list(PROFILE[setting]), dtype=float)))
    exact = (1 - at) * (1 - np.array(list(PROFILE[setting].values())))

    def judged(values):
        found = np.interp(at, PRIORS, values)
        return float(np.max(np.abs(found - exact))), float(found[0])

    return lambda program: program.curve(setting, PRIORS), judged


def number(method, exact, *arguments):
    """One number."""
    return lambda program: getattr(program, method)(*arguments), lambda value: (abs(value - exact), float(value))


TASKS = {
    "R at 401 priors, 500 steps": ("curve", *curve(SHORT)),
    "R at 401 priors, 1,400,000 steps": ("curve", *curve(LONG)),
    "R at 401 priors, 3,400,000 steps": ("curve", *curve(LONGER)),
    "ε at δ = 1e-5, 500 steps": ("epsilon", *number("epsilon", EPSILON[SHORT], SHORT, 1e-5)),
    "ε at δ = 1e-5, 1,400,000 steps": ("epsilon", *number("epsilon", EPSILON[LONG], LONG, 1e-5)),
    "Δ of the two long ones": ("divergence", *number("divergence", DIVERGENCE, LONG, LONGER)),
    "σ for (8, 1e-5), p = 0.01, 500 steps": (
        "calibration",
        *number("calibration", SIGMA, 0.01, 500, 8.0, 1e-5),
    ),
}
PROGRAMS = [Dptutor(), DpAccounting(), FineDpAccounting(), PrvAccountant(), Riskcal()]


def timed(call):
    """The result of a call, and the median time of its warm runs."""
    seconds = []
    while len(seconds) < 2 or (sum(seconds) < 2 and len(seconds) < 12):
        start = time.perf_counter()
        result = call()
        seconds.append(time.perf_counter() - start)
    return result, statistics.median(seconds[1:])


def measured():
    """All rows, one by one."""
    for task, (method, call, judged) in TASKS.items():
        for program in PROGRAMS:
            if getattr(program, method, None) is None:
                continue
            result, seconds = timed(lambda call=call, program=program: call(program))
            yield Row(task, method, program.name, seconds, *judged(result))


def main():
    """Measure, print, store."""
    rows = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for row in measured():
            rows.append(row)
            seconds, error = f"{1000 * row.seconds:10.1f} ms", f"{row.error:8.1e}"
            print(f"{row.task:40}{row.program:28}{seconds}   error {error}   {row.value:.10g}", flush=True)
    STORED.write_text(json.dumps({"run": _run(), "rows": [asdict(row) for row in rows]}, indent=1) + "\n")


def _run():
    """When and with what it was measured."""
    packages = "dptutor", "numpy", "scipy", "dp-accounting", "prv-accountant", "riskcal"
    return {
        "date": date.today().isoformat(),
        "python": platform.python_version(),
        "processors": os.cpu_count(),
        "versions": {name: version(name) for name in packages},
    }


if __name__ == "__main__":
    main()
