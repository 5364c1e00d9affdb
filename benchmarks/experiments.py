"""The experiments of Bernau et al. (2021) on MNIST, with the authors' network and settings.

    make experiments          or: python -m benchmarks.experiments [--repetitions 250] [--processes 2]

A hundred digits, thirty steps with all of them, C = 3, η = 0.005, δ = 0.01, noise by Rényi divergences (figures 4 to 9,
table 2e). Two processes need about an hour. What is finished is kept in _build/experiments, so that an interrupted run
goes on where it stopped; the results are stored in book/mnist_experiments.json, which the reproduction report shows.

The paper does not say whether η multiplies the average of the gradients or their sum. The average leaves the weights
nearly where they began, so the accuracies of figure 6(d) are measured with both.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
from concurrent.futures import ProcessPoolExecutor
from datetime import date
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the processes share the work, not the threads

import numpy as np

import dptutor as dp
from dptutor import auditing

ROOT = Path(__file__).resolve().parent.parent
STORED = ROOT / "book" / "mnist_experiments.json"
KEPT = ROOT / "_build" / "experiments"
EXAMPLES, STEPS, DELTA, SEED, ALIKE = 100, 30, 0.01, 13, 20
NETWORK = auditing.ConvolutionalNetwork((28, 28), (16, 16), 10)
BELIEFS = (0.52, 0.75, 0.9, 0.99)


def data():
    """D, the digits that may take the place of one of its records, and those that no network was trained on."""
    digits = dp.datasets.mnist()
    parts = (slice(0, EXAMPLES), slice(EXAMPLES, 1100), slice(1100, None))
    return [(digits.features[part], digits.labels[part]) for part in parts]


def training(belief, scaling, on_sum=False) -> auditing.Training:
    mu = auditing.gaussian_mu(dp.epsilon_for_posterior_belief(belief), DELTA, method="renyi")
    rate = 0.005 * (EXAMPLES if on_sum else 1)
    return auditing.Training(NETWORK, math.sqrt(STEPS) / mu, learning_rate=rate, steps=STEPS, scaling=scaling)


def settings():
    """Name, belief, scaling, kind of neighbors, and whether η multiplies the sum, of each experiment."""
    for scaling in ("local", "global"):
        for belief in BELIEFS:
            yield f"{belief} {scaling} bounded", belief, scaling, "bounded", False
        yield f"0.9 {scaling} unbounded", 0.9, scaling, "unbounded", False
    for scaling in ("local", "global"):
        for kind in ("bounded", "unbounded"):
            yield f"0.9 {scaling} {kind}, sum", 0.9, scaling, kind, True


def rounded(numbers, digits=5) -> list:
    return [float(f"{number:.{digits}g}") for number in np.ravel(numbers)]


def seen_of(run, others, unseen) -> dict:
    """What the report needs of an experiment."""
    course = run.sensitivities
    return {
        "repetitions": len(run.member),
        "wins": auditing.identify(run).wins,
        "membership_wins": auditing.infer_membership(run, *others).wins,
        "loss_towards_truth": rounded(run.loss_towards_truth),
        "mu": rounded(run.mu),
        "sensitivities": [rounded(np.quantile(course, q, axis=0), 4) for q in (0, 0.5, 1)],
        "accuracy": rounded(NETWORK.accuracy(run.parameters, *unseen), 4),
    }


def measured(repetitions, executor) -> dict:
    KEPT.mkdir(parents=True, exist_ok=True)
    (features, labels), pool, unseen = data()
    look = {"image_shape": NETWORK.image_shape}
    far = auditing.find_neighbors(features, labels, "ssim", count=3, pool=pool, **look)
    near = auditing.find_neighbors(features, labels, "ssim", count=3, least=True, pool=pool, **look)
    pairs = {"bounded": far[0][1], "unbounded": auditing.find_neighbors(features, labels, "ssim", **look)[0][1]}

    def seen(name, pair, run, count):
        print(name, flush=True)
        place = KEPT / f"{name.replace(' ', '_').replace(',', '')}.npz"
        return auditing.experiment(
            run, pair, count, seed=SEED, checkpoint=place, progress=auditing.text_bar(), executor=executor
        )

    found = {"figure 4": {}}
    for side, chosen in (("far", far), ("near", near)):
        for index, (_, pair) in enumerate(chosen):
            run = seen(f"figure 4 {side} {index}", pair, training(0.9, "local"), ALIKE)
            found["figure 4"].setdefault(side, []).append(rounded(np.quantile(run.sensitivities, (0, 0.5, 1)), 4))
    for name, belief, scaling, kind, on_sum in settings():
        count = min(repetitions, 50) if on_sum else repetitions
        run = seen(name, pairs[kind], training(belief, scaling, on_sum), count)
        found[name] = seen_of(run, pool, unseen)
    return found


def main(argv=None):
    parser = argparse.ArgumentParser(description="The experiments of Bernau et al. on MNIST.")
    parser.add_argument("--repetitions", type=int, default=250)
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    given = parser.parse_args(argv)
    with ProcessPoolExecutor(given.processes) as executor:
        found = measured(given.repetitions, executor)
    versions = {"python": platform.python_version(), "numpy": np.__version__}
    made = {"date": date.today().isoformat(), "seed": SEED, "versions": versions, "rows": found}
    STORED.write_text(json.dumps(made) + "\n")
    print(f"stored in {STORED.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
