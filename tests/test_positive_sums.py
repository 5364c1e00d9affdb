"""Sums of positive terms against closed forms, quadrature and each other, where contours have nothing to say."""

import json
import math

import mpmath
import numpy as np
import pytest
from references import log_power
from scipy.special import ndtr
from sweep.nested import STORED

import dptutor as dp
from dptutor.evaluation.positive_sums import PositiveLaw
from dptutor.evaluation.subsampled_gaussian import log_hellinger

NESTED = json.loads(STORED.read_text())
STEPS = [(1.0, 0.1), (0.3, 6e-5), (2.534, 0.00749), (0.2, 1e-7), (20.0, 0.9), (0.65, 0.99)]


def relative(value, reference):
    return np.max(np.abs(np.asarray(value) / np.asarray(reference) - 1))


@pytest.mark.parametrize(("sigma", "rate"), STEPS)
def test_a_step_has_its_closed_form(sigma, rate):
    law = PositiveLaw.of_step(sigma, rate)
    mu = 1 / sigma
    epsilon = np.log1p(rate * np.expm1(mu * np.linspace(mu / 2, 8.0, 9) - mu**2 / 2))
    u = (np.log(np.expm1(epsilon) + rate) - math.log(rate)) / mu + mu / 2
    right = rate * ndtr(mu - u) - (np.expm1(epsilon) + rate) * ndtr(-u)
    seen = right > 1e-11  # below, the closed form itself has too few digits
    value, error = law.removed(epsilon, False)
    assert np.all(np.abs(value - right)[seen] <= (error * value + 1e-15)[seen])
    assert np.all(error < 1e-10)


@pytest.mark.parametrize(("sigma", "rate"), STEPS)
@pytest.mark.parametrize("count", [1, 3, 16, 100])
def test_both_measures_have_mass_one(sigma, rate, count):
    law = PositiveLaw.of_step(sigma, rate).power(count)
    for epsilon in (0.0, 0.1, 1.0):
        at = np.array([epsilon])
        for face in (law.removed, law.added):
            (delta, error), (rest, its_error) = face(at, False), face(at, True)
            bound = delta * np.where(delta > 0, error, 0.0) + rest * its_error
            assert abs(delta + rest - 1)[0] <= bound[0] + 1e-15
            assert its_error[0] < 1e-10


@pytest.mark.parametrize("reference", NESTED["values"], ids=lambda r: f"{r[2]} steps, {r[3]}, {r[0]}, {r[5]:.0e}")
def test_two_and_three_steps_keep_eight_digits_of_the_smallest_delta(reference):
    *training, epsilon, right = reference
    value, error = dp.DPSGD(*training).privacy_profile(epsilon, with_error=True)
    assert abs(value / right - 1) < 1e-8
    assert abs(value - right) <= error + NESTED["error"] * right
    law = PositiveLaw.of_step(*training[:2]).power(training[2])
    value, error = (law.added if training[3] == "add" else law.removed)(np.array([epsilon]), False)
    assert abs(value[0] / right - 1) <= error[0] + NESTED["error"]


@pytest.mark.parametrize(("sigma", "rate", "count"), [(1.1, 3e-7, 9001), (0.5, 1e-5, 3001), (2.5, 1e-4, 57)])
def test_unequal_summands_are_as_sharp_as_equal_ones(sigma, rate, count):
    step = PositiveLaw.of_step(sigma, rate)
    one, other = step.power(count), step.power(count - 1).plus(step)
    last = one.range[1] + one.log_weight
    epsilon = np.geomspace(0.003, 0.5, 12) * last
    (value, error), (its, its_error) = (law.removed(epsilon, False) for law in (one, other))
    assert np.all(np.abs(value - its) <= error * value + its_error * its)
    assert np.all(error[value > 1e-30] < 1e-7)
    assert np.any(value > 1e-30)


@pytest.mark.parametrize(("sigma", "rate", "steps"), [(2.0, 0.05, 40), (0.8, 0.004, 200), (1.0, 0.3, 100)])
@pytest.mark.parametrize("direction", ["add", "remove"])
def test_sums_and_contours_agree(sigma, rate, steps, direction):
    training = dp.DPSGD(sigma, rate, steps, direction)
    law = PositiveLaw.of_step(sigma, rate).power(steps)
    losses = np.array([training.epsilon(goal) for goal in (1e-2, 1e-5, 1e-12)])
    value, error = training.privacy_profile(losses, with_error=True)
    other, its_error = (law.added if direction == "add" else law.removed)(losses, False)
    assert np.all(np.abs(value - other) <= error + its_error * other)
    assert relative(value, other) < 1e-9


@pytest.mark.deep
@pytest.mark.parametrize(
    ("sigma", "rate", "steps"),
    [(1000.0, 1e-9, 2), (1000.0, 1e-6, 40), (1e6, 1e-3, 50), (1e3, 1e-6, 2000), (1e8, 0.3, 7), (1e15, 0.3, 2)],
)
def test_losses_that_hardly_differ_from_zero(sigma, rate, steps):
    """All losses together are far below rounding beside 1, and normal but for a relative p/σ or so."""
    training = dp.DPSGD(sigma, rate, steps, "remove")
    spread = rate / sigma * math.sqrt(steps)
    for share in (0.0, 1.0, 3.0):
        value, error = training.privacy_profile(share * spread, with_error=True)
        right = spread * (math.exp(-(share**2) / 2) / math.sqrt(2 * math.pi) - share * ndtr(-share))
        approximate = 3 * (1 + share**2) / sigma + 10 * spread
        assert abs(value - right) <= error + right * approximate
        assert error < 1e-6 * right
        joined = (training @ dp.Laplace(1e6 / spread)).privacy_profile(share * spread, with_error=True)
        assert abs(joined[0] - right) <= joined[1] + right * (approximate + 1e-4)


def participations(sigma, rate, steps, epsilon):
    """δ of steps with hardly any noise, remove, by the number of participations."""
    with mpmath.workdps(30):
        mu, rate, total = 1 / mpmath.mpf(sigma), mpmath.mpf(rate), mpmath.mpf(0)
        for k in range(steps + 1):
            weight = mpmath.binomial(steps, k) * rate**k * (1 - rate) ** (steps - k)
            start = k * mpmath.log(rate) + (steps - k) * mpmath.log1p(-rate)
            if k == 0:
                total += weight * max(0, -mpmath.expm1(epsilon - start))
            elif weight > 1e-60:
                spread = mpmath.sqrt(k) * mu
                above = (start + spread**2 / 2 - epsilon) / spread
                total += weight * (mpmath.ncdf(above) - mpmath.exp(epsilon - start) * mpmath.ncdf(above - spread))
        return total


@pytest.mark.parametrize(
    ("sigma", "rate", "steps"),
    [(0.05, 0.5, 3), (0.05, 0.01, 30), (0.05, 0.1, 100), (0.05, 0.1, 300), (0.06, 0.1, 300), (0.07, 0.1, 300)],
)
def test_steps_with_hardly_any_noise(sigma, rate, steps):
    training = dp.DPSGD(sigma, rate, steps, "remove")
    for goal in (0.2, 1e-5, 1e-12, 1e-25):
        epsilon = training.epsilon(goal)
        value, error = training.privacy_profile(epsilon, with_error=True)
        right = participations(sigma, rate, steps, mpmath.mpf(float(epsilon)))
        assert abs(value - right) <= error
        # The mass on the wrong side of u = μ/2 is left open.
        assert error < 1e-6 * right + 3.001 * steps * ndtr(-0.5 / sigma)


def test_tiny_rates_and_hardly_any_noise():
    for training in (dp.DPSGD(0.05, 1e-12, 2, "remove"), dp.DPSGD(0.06, 1e-12, 2, "remove")):
        value, error = training.privacy_profile(0.0, with_error=True)
        assert abs(value - 2e-12) <= error + 1e-23
        assert error < 1e-18


@pytest.mark.deep
def test_the_transform_is_right_or_unknown_far_out():
    """Where the largest losses outweigh all others, and where too many nodes would be needed."""
    for sigma, rate in ((1000.0, 1e-6), (1.0, 1e-9), (0.3, 1e-7), (5.0, 0.999)):
        orders = np.geomspace(1.0, 1e9, 19)
        for order in orders:
            found, error = log_hellinger(sigma, rate, np.array([1.0 + order + 0j]))
            if not math.isfinite(error[0]):
                continue
            assert abs(found[0].real - log_power(sigma, rate, 1.0 + order)) <= 1.5 * error[0]


@pytest.mark.parametrize(
    ("sigma", "rate", "direction", "epsilon", "delta"),
    [
        (31.535, 0.0017115, "remove", 0.00107906, 9.94703906105e-31),
        (25.954, 0.012894, "both", 0.0103879, 4.23093275002e-31),
    ],
)
def test_integrals_over_losses_of_three_steps_miss_nothing(sigma, rate, direction, epsilon, delta):
    value, error = dp.DPSGD(sigma, rate, 3, direction).privacy_profile(epsilon, with_error=True)
    assert abs(value - delta) <= 1e-12 * delta
    assert error <= 1e-10 * delta
