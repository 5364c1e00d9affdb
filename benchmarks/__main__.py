"""The same tasks by this library and by its peers, time and error side by side.

    python -m benchmarks

Prints the table and stores it in book/benchmark.json, with date and versions; the book's page is made from that.
Afterwards prints and stores what `benchmarks.scan` measures over a fixed random set of training runs.

Errors are absolute. References of 500 steps and more are of 40-digit arithmetic in which two contours of integration
agreed; that of 2 steps is an integral of 30 digits over the closed form of one. Those of 10 and 50 steps and of a
hundred mechanisms are inverse transforms in double precision, δ to 1e-12 and ε to 1e-8. Noise multipliers for small
sampling rates are of ball arithmetic (`tests/sweep/contour.py`), and those for rates below 1e-5 sums over one large
loss, or two (`tests/sweep/rare.py`), to 2e-9.

Times are medians of warm runs, each from fresh objects. What takes longer than two seconds is run twice only; what
raises an error, or needs more than five minutes for two runs, is left out, and the report says so.
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

from . import scan
from .peers import MIXTURE, DpAccounting, Dptutor, FineDpAccounting, PrvAccountant, Riskcal
from .scan import TooLong, limited

STORED = Path(__file__).resolve().parent.parent / "book" / "benchmark.json"

SHORT, LONG, LONGER = (0.6, 0.01, 500), (2, 9e-4, 1_400_000), (3, 9e-4, 3_400_000)
# δ at ε, and ε at δ = 1e-5.
PROFILE = {
    SHORT: {0: 0.2766541885866445, 1: 0.0690511844095472, 2: 0.0130405844012507, 4: 3.375273941021988e-4},
    LONG: {0: 0.2233620791157084},
    LONGER: {0: 0.2239166034304722},
}
FEW = {steps: (0.6, 0.01, steps) for steps in (2, 10, 50)}
PROFILE |= {
    FEW[2]: {0: 0.0100566079774334833, 1: 8.98868975170302117e-5, 2: 7.59743024476392223e-6, 4: 4.18297855520812578e-8},
    FEW[10]: {0: 0.03044555104387, 1: 4.708504664306e-4, 2: 4.00902958492e-5, 4: 2.347952130e-7},
    FEW[50]: {0: 0.08089486434892, 1: 2.9014153232466e-3, 2: 2.57916343225e-4, 4: 1.933482299e-6},
}
EPSILON = {SHORT: 5.800242234555166, LONG: 2.298768821612752, LONGER: 2.303783668466932}
EPSILON |= {FEW[2]: 1.88644764899641892, FEW[10]: 2.57021298, FEW[50]: 3.353671042}
MIXTURE_EPSILON = 1.439083361
# By sums of binomial and trinomial probabilities with 40 digits, and of a lattice convolution with 19.
WHOLE_NUMBERS = {
    ("discrete Gaussian noise", 100): 4.37718741324119,
    ("discrete Laplace noise", 500): 11.4089053669896084,
    ("randomized response among ten", 200): 6.08749503477301989,
}
DIVERGENCE = 2.772621573819173e-4
SIGMA = 0.5415090504491942

# By sampling rate, steps, ε and δ.
RARE = {
    (1e-4, 100, 8.0, 1e-7): 0.3254588584068114,
    (1e-5, 2000, 8.0, 1e-6): 0.2810655514840657,
    (1e-6, 2000, 1.0, 1e-8): 0.383049433,
    (1e-7, 20_000, 1.0, 1e-9): 0.363664258,
}
MILLION = np.linspace(0, 10, 1_000_001)

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


def million():
    """δ at a million ε; the error is the largest at those that have a reference, the value δ at 4."""
    at = {round(100_000 * epsilon): delta for epsilon, delta in PROFILE[SHORT].items()}

    def judged(values):
        return float(max(abs(values[k] - delta) for k, delta in at.items())), float(values[400_000])

    return lambda program: program.profile(SHORT, MILLION), judged


# By name: the kind, by which the book's page sums up, the method of a program, the call, and who judges.
TASKS = {
    "R at 401 priors, 500 steps": ("curve", "curve", *curve(SHORT)),
    "R at 401 priors, 1,400,000 steps": ("curve", "curve", *curve(LONG)),
    "R at 401 priors, 3,400,000 steps": ("curve", "curve", *curve(LONGER)),
    "ε at δ = 1e-5, 500 steps": ("epsilon", "epsilon", *number("epsilon", EPSILON[SHORT], SHORT, 1e-5)),
    "ε at δ = 1e-5, 1,400,000 steps": ("epsilon", "epsilon", *number("epsilon", EPSILON[LONG], LONG, 1e-5)),
    "Δ of the two long ones": ("divergence", "divergence", *number("divergence", DIVERGENCE, LONG, LONGER)),
    "σ for (8, 1e-5), p = 0.01, 500 steps": (
        "calibration",
        "calibration",
        *number("calibration", SIGMA, 0.01, 500, 8.0, 1e-5),
    ),
}
for _steps, _few in FEW.items():
    TASKS[f"R at 401 priors, {_steps} steps"] = ("short curve", "curve", *curve(_few))
    TASKS[f"ε at δ = 1e-5, {_steps} steps"] = (
        "short epsilon",
        "epsilon",
        *number("epsilon", EPSILON[_few], _few, 1e-5),
    )
TASKS["ε at δ = 1e-5, 100 different mechanisms"] = (
    "mixture",
    "mixture",
    *number("mixture", MIXTURE_EPSILON, MIXTURE, 1e-5),
)
for (_name, _times), _exact in WHOLE_NUMBERS.items():
    TASKS[f"ε at δ = 1e-5, {_name}, {_times} times"] = (
        "whole numbers",
        "whole_numbers",
        *number("whole_numbers", _exact, _name, 1e-5),
    )
TASKS["δ at a million ε, 500 steps"] = ("million", "profile", *million())
for (_rate, _steps, _epsilon, _delta), _sigma in RARE.items():
    TASKS[f"σ for ({_epsilon:g}, {_delta:g}), p = {_rate:g}, {_steps:,} steps"] = (
        "rare calibration",
        "calibration",
        *number("calibration", _sigma, _rate, _steps, _epsilon, _delta),
    )
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
    """All rows, one by one, and the name and the trouble of what has no answer."""
    for task, (kind, method, call, judged) in TASKS.items():
        for program in PROGRAMS:
            if getattr(program, method, None) is None:
                continue
            try:
                with limited(300):
                    result, seconds = timed(lambda call=call, program=program: call(program))
            except (TooLong, ArithmeticError, MemoryError, ValueError, IndexError) as trouble:
                yield task, program.name, f"{type(trouble).__name__}: {trouble}"
            else:
                yield Row(task, kind, program.name, seconds, *judged(result))


def main():
    """Measure, print, store."""
    rows = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for row in measured():
            if not isinstance(row, Row):
                print("{:40}{:28}no answer: {}".format(*row), flush=True)
                continue
            rows.append(row)
            seconds, error = f"{1000 * row.seconds:10.1f} ms", f"{row.error:8.1e}"
            print(f"{row.task:40}{row.program:28}{seconds}   error {error}   {row.value:.10g}", flush=True)
        scanned = scan.report()
    stored = {"run": _run(), "rows": [asdict(row) for row in rows], "scan": scanned}
    STORED.write_text(json.dumps(stored, indent=1) + "\n")


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
