"""How the cost of an audit grows with the number of examples and of steps.

    python -m benchmarks.audits

Prints the slopes of the time on double logarithmic axes and stores them, with the times, in book/audit_costs.json,
which chapter 13 and the reproduction report show. Times are the least of five runs, by the clock of the process. The
digits are repeated where there are not enough of them.
"""

from __future__ import annotations

import json
import math
import platform
import time
from datetime import date
from pathlib import Path

import numpy as np

import dptutor as dp
from dptutor import auditing

STORED = Path(__file__).resolve().parent.parent / "book" / "audit_costs.json"
EXAMPLES, STEPS, REPETITIONS = (400, 800, 1600, 3200), (10, 20, 40, 80), 5


def seconds(task) -> float:
    times = []
    for _ in range(5):
        start = time.process_time()
        task()
        times.append(time.process_time() - start)
    return min(times)


def slope(sizes, times) -> float:
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


def measured() -> dict[str, dict]:
    digits = dp.datasets.digits()
    order = np.tile(np.random.default_rng(0).permutation(len(digits)), 2)
    features, labels = digits.features[order], digits.labels[order]

    def search(n):
        return lambda: auditing.find_neighbors(features[:n], labels[:n], "ssim", image_shape=(8, 8))

    def belief(n, k):
        training = auditing.Training(auditing.Network((64, 32, 10)), math.sqrt(k), steps=k)
        pair = auditing.Neighbors(features[:n], labels[:n], 0)
        return lambda: auditing.experiment(training, pair, REPETITIONS).beliefs()

    def advantage(n):
        guesses = auditing.Guesses(np.arange(1000) % 2 == 0, np.arange(1000) % 3 == 0)
        return lambda: [guesses.advantage() for _ in range(2000)]

    tasks = {
        "dataset sensitivity over n": (EXAMPLES, search),
        "belief over n": (EXAMPLES, lambda n: belief(n, 30)),
        "belief over k": (STEPS, lambda k: belief(400, k)),
        "advantage over n": (EXAMPLES, advantage),
    }
    found = {}
    for name, (sizes, task) in tasks.items():
        times = [seconds(task(size)) for size in sizes]
        found[name] = {"sizes": sizes, "seconds": times, "slope": slope(sizes, times)}
    return found


def main():
    found = measured()
    for name, row in found.items():
        print(f"{name:<28}slope {row['slope']:.2f}", *(f"{t:.3f} s" for t in row["seconds"]))
    about = {"date": date.today().isoformat(), "machine": platform.machine(), "python": platform.python_version()}
    STORED.write_text(json.dumps({**about, "rows": found}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
