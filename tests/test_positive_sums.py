"""Sums of positive terms against closed forms, quadrature and each other, where contours have nothing to say."""

import math

import mpmath
import numpy as np
import pytest
from scipy.special import ndtr

import dptutor as dp
from dptutor.transform.positive_sums import PositiveLaw

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


def two_steps(sigma, rate, epsilon):
    """δ of two steps, remove, by quadrature over the noise of the first, in 30 digits."""
    with mpmath.workdps(30):
        mu, rate = 1 / mpmath.mpf(sigma), mpmath.mpf(rate)

        def one(x):
            ratio = mpmath.expm1(x) + rate
            if ratio <= 0:
                return 1 - mpmath.exp(x)
            u = mpmath.log(ratio / rate) / mu + mu / 2
            return rate * mpmath.ncdf(mu - u) - ratio * mpmath.ncdf(-u)

        def term(u):
            loss = mpmath.log1p(rate * mpmath.expm1(mu * u - mu**2 / 2))
            return mpmath.npdf(u) * mpmath.exp(loss) * one(epsilon - loss)

        # The place where the other step has no loss so small.
        bend = mpmath.log((mpmath.exp(epsilon) / (1 - rate) - 1 + rate) / rate) / mu + mu / 2
        return mpmath.quad(term, [*mpmath.linspace(-14, bend, 61), *mpmath.linspace(bend, bend + 14, 31)[1:]])


@pytest.mark.parametrize(("sigma", "rate"), [(0.6, 0.01), (2.534, 0.00749), (0.3, 1e-3), (1.5, 0.1)])
def test_two_steps_keep_six_digits_of_the_smallest_delta(sigma, rate):
    training = dp.DPSGD(sigma, rate, 2, "remove")
    for goal in (1e-10, 1e-20, 1e-30):
        epsilon = training.epsilon(goal)
        value, error = training.privacy_profile(epsilon, with_error=True)
        right = two_steps(sigma, rate, mpmath.mpf(epsilon))
        assert abs(value / right - 1) < 1e-8
        assert abs(value - right) <= error


@pytest.mark.parametrize(("sigma", "rate", "count"), [(0.6, 0.01, 5), (0.3, 6e-5, 12), (3.0, 1e-4, 7)])
def test_a_sum_does_not_depend_on_the_order(sigma, rate, count):
    step = PositiveLaw.of_step(sigma, rate)
    doubled, one_by_one = step.power(count), step
    for _ in range(count - 1):
        one_by_one = one_by_one.plus(step)
    low, high = doubled.range
    losses = np.linspace(max(low + doubled.log_weight, 0.0), high + doubled.log_weight, 12)[:-3]
    values, others = doubled.removed(losses, False), one_by_one.removed(losses, False)
    assert np.all(np.abs(values[0] - others[0]) <= values[0] * (values[1] + others[1]))


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


def test_rare_large_losses_of_many_steps():
    """A hundred thousand steps that are hardly ever taken part in: dp-accounting brackets ε(1e-9) in [.2935, .2958]."""
    training = dp.DPSGD(0.5, 1e-6, 100_000)
    epsilon, error = training.epsilon(1e-9, with_error=True)
    assert 0.290 < epsilon < 0.2965
    assert error < 1e-7
