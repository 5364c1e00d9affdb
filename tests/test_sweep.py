"""A fixed part of the sweep (`make sweep`): some settings of every kind against references in ball arithmetic."""

from contextlib import contextmanager
from math import log10

import numpy as np
import pytest
from sweep import rare
from sweep.sweep import outcome, settings

from dptutor.evaluation.binomial_law import BinomialLaw
from dptutor.evaluation.faces import MixtureFaces, TabulatedFaces
from dptutor.evaluation.finite_law import FiniteLaw
from dptutor.evaluation.hellinger import Inversion
from dptutor.evaluation.laplace_atoms import LaplaceAtoms
from dptutor.evaluation.laplace_powers import LaplacePower
from dptutor.evaluation.laplace_products import LaplaceProduct
from dptutor.evaluation.positive_sums import PositiveLaw
from dptutor.evaluation.profiles import BesideLaplace, LinesProfile
from dptutor.evaluation.sampled_lines import Inverter
from dptutor.mechanisms import DPSGD
from dptutor.risk.calibration import calibrate
from dptutor.specification import read

STORED = settings()
KINDS = sorted({kind for kind, *_ in STORED})


def part(kind, count):
    """Settings of a kind, evenly spaced."""
    rows = [row for row in STORED if row[0] == kind]
    return [rows[i * len(rows) // count] for i in range(count)]


# Five of each kind, of which the gate takes one; and what was wrong once, but for trainings.
CHOSEN = [row for kind in KINDS for row in part(kind, 5)]
ONCE_WRONG = [row for row in STORED if row[0] == "hard" and not row[1].startswith("DPSGD")]


def test_there_are_a_thousand_references_with_little_error():
    assert len(STORED) >= 1000
    assert all(error <= 1e-9 for *_, error in STORED)
    for least, prefix in ((450, "dpsgd"), (200, "laplace"), (150, ("response", "approximate", "finite")), (200, "mix")):
        assert sum(kind.startswith(prefix) for kind, *_ in STORED) >= least


# Whatever computes profiles, and what it is asked by. Grids serve mechanisms that have no transform, of which there are
# no references here (tests/test_discretized.py).
ASKED_BY = {
    MixtureFaces: "delta", TabulatedFaces: "delta", FiniteLaw: "delta", BinomialLaw: "delta",
    Inversion: "sample", PositiveLaw: "removed", BesideLaplace: "sample", LinesProfile: "sample", Inverter: "profile",
    LaplacePower: "profile", LaplaceProduct: "profile", LaplaceAtoms: "profile",
}  # fmt: skip
ASKED: dict[str, set] = {}


@contextmanager
def noted(text):
    """Notes which evaluators are asked."""
    asked = ASKED.setdefault(text, set())

    def noting(kind, method):
        def instead(self, *arguments):
            asked.add(kind)
            return method(self, *arguments)

        return instead

    with pytest.MonkeyPatch.context() as patch:
        for kind, name in ASKED_BY.items():
            patch.setattr(kind, name, noting(kind, getattr(kind, name)))
        yield


@pytest.mark.cases(len(KINDS))
@pytest.mark.parametrize("setting", CHOSEN, ids=[text for _, text, *_ in CHOSEN])
def test_answers_keep_their_bounds_and_these_are_sharp(setting):
    with noted(setting[1]):
        found = outcome(setting)
    assert not found.wrong
    assert not found.dull


@pytest.mark.parametrize("setting", ONCE_WRONG, ids=[text for _, text, *_ in ONCE_WRONG])
def test_what_was_wrong_once_keeps_its_bounds(setting):
    found = outcome(setting)
    assert not found.wrong and not found.dull


def test_every_evaluator_is_asked():
    for _, text, points, _ in CHOSEN:
        if text not in ASKED:  # where this test runs alone
            with noted(text):
                read(text).privacy_profile(points[len(points) // 2][0])
    asked = set.union(*ASKED.values())
    assert {kind.__name__ for kind in ASKED_BY} - {kind.__name__ for kind in asked} == set()


@pytest.mark.parametrize(("rate", "steps", "epsilon", "target"), rare.TARGETS)
def test_the_rarest_participation_is_one_large_loss_or_two(rate, steps, epsilon, target):
    found = calibrate(lambda sigma: DPSGD(sigma, rate, steps), epsilon=epsilon, delta=target)
    spent, error = found.privacy_profile(epsilon, with_error=True)
    assert abs(spent - target) <= error + 1e-9 * target
    exact = rare.delta(found.noise_multiplier, rate, steps, epsilon)
    assert abs(exact - spent) <= error + rare.ERROR * target


def depths(points):
    """Of −log10 δ 10, 20 and 30 those near which there is a point."""
    return {depth for _, delta, *_ in points for depth in (10, 20, 30) if delta > 0 and abs(log10(delta) + depth) < 1}


SHORT = [row for row in STORED if row[0] == "dpsgd_few" and len(depths(row[2])) == 3]


@pytest.mark.parametrize("setting", SHORT[:: len(SHORT) // 20][:20], ids=lambda row: row[1])
def test_short_trainings_keep_six_digits_at_any_depth(setting):
    _, text, points, own = setting
    epsilon, delta = np.array([point[:2] for point in points if point[1] >= 1e-31]).T
    value, error = read(text).privacy_profile(epsilon, with_error=True)
    assert np.all(np.abs(value / delta - 1) <= 1e-6)
    assert np.all(error <= 1e-6 * delta)
    assert np.all(np.abs(value - delta) <= error + own * delta)
