"""Types that a user's type checker sees: right programs pass mypy --strict, and mistakes are named in their lines."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.host

ROOT = Path(__file__).resolve().parent.parent

RIGHT = """
from fractions import Fraction
from typing import assert_type

import numpy as np
from numpy.typing import NDArray

import dptutor as dp

Array = NDArray[np.float64]

m = dp.DPSGD(noise_multiplier=0.6, sampling_rate=0.01, steps=500)
assert_type(m.tradeoff(0.1), float)
assert_type(m.tradeoff(Fraction(1, 10)), float)
assert_type(m.privacy_profile(np.float64(1)), float)
assert_type(m.bayes_error([0.1, 0.5]), Array)
assert_type(m.bayes_error([[0.1], [0.5]]), Array)
assert_type(m.epsilon(np.geomspace(1e-9, 1e-3)), Array)
assert_type(m.epsilon(1e-5, with_error=True), tuple[float, float])
assert_type(m.tradeoff((0, 1), with_error=True), tuple[Array, Array])
assert_type(m.renyi_divergence(2), float)
assert_type(m.privacy_loss.sf(0.5), float)
assert_type(m**2 @ dp.Laplace(1), dp.Mechanism)
assert_type(dp.delta_divergence(m, dp.Gaussian(1)), dp.DeltaDivergence)
assert_type(float(dp.delta_divergence(m, dp.Gaussian(1), prior_density=dp.jeffreys_prior)), float)
assert_type(dp.calibrate(lambda s: dp.Gaussian(sigma=s), epsilon=1, delta=1e-5), dp.Gaussian)
assert_type(dp.calibrate(dp.Laplace, epsilon=1).scale, float)
assert_type(dp.posterior_belief_bound([0.1, 1]), Array)
assert_type(dp.expected_advantage_bound(1, [0.1, 0.2]), Array)
assert_type(dp.reconstruction_bound(m, 0.1), float)
assert_type(dp.conversions.tradeoff_from_profile(m.privacy_profile, 0.1), float)
assert_type(dp.accounting.rdp_to_epsilon([2, 4], [0.1, 0.2], 1e-5), float)
assert_type(dp.divergences.hockey_stick(m, 2.0), float)
assert_type(dp.blackwell_dominates(m, m), bool)
"""

# Each line is wrong, for the reason behind it.
WRONG = """
m.tradeoff("0.1")  # text
m.epsilon(None)  # nothing
m.bayes_error(1j)  # complex
m ** 0.5  # half a step
m @ 2  # a number as a mechanism
m.privacy_profle(1.0)  # misspelled
dp.DPSGD(0.6, 0.01)  # without steps
dp.Gaussian(noise=1.0)  # another name
dp.delta_divergence(m, 0.5)  # a number
dp.compare(m)  # with what?
dp.calibrate(dp.Gaussian, epsilon=1, delta=1e-5).scale  # a Gaussian has none
dp.dominance(m, m, down_to=1e-9)  # no argument of it
dp.reconstruction_bound(0.1, m)  # exchanged
dp.conversions.tradeoff_from_profile(0.5, m.tradeoff)  # exchanged
len(m.tradeoff(0.5))  # a float has no length
"""


@pytest.fixture(scope="module")
def complaints(tmp_path_factory):
    """The lines of a program that mypy --strict complains about, each with its first complaint."""
    folder = tmp_path_factory.mktemp("types")

    def check(program):
        (folder / "user.py").write_text(program, encoding="utf-8")
        command = [sys.executable, "-m", "mypy", "--strict", "--no-pretty", "--cache-dir", folder / "cache", "user.py"]
        done = subprocess.run(command, cwd=folder, env={"MYPYPATH": str(ROOT)}, capture_output=True, text=True)
        assert done.stderr == ""
        found = {}
        for line in done.stdout.splitlines():
            if line.startswith("user.py:") and ": error:" in line:
                found.setdefault(int(line.split(":")[1]), line)
        return found

    return check


def test_a_right_program_passes_with_the_types_it_expects(complaints):
    assert complaints(RIGHT) == {}


def test_each_mistake_is_named_in_its_line(complaints):
    wrong = complaints(RIGHT + WRONG)
    first = RIGHT.count("\n") + 2
    assert sorted(wrong) == list(range(first, first + WRONG.strip().count("\n") + 1))
