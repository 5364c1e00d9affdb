"""Calls that were once answered wrongly, or not at all, against formulas and laws that are written down here.

Others of them are where their subject is: losses that underflow in `test_finite_law`, Laplace compositions in
`test_lines`, pickles in `test_values`, deep texts in `test_specification`, JSON in `test_command`.
"""

import json
import math
import time

import numpy as np
import pytest
from conftest import approx
from scipy.integrate import quad
from scipy.special import log_ndtr, ndtr
from scipy.stats import binom, norm

import dptutor as dp
from dptutor import command

# The largest loss of pure mechanisms.


@pytest.mark.parametrize(
    ("family", "epsilon", "scale"),
    [
        (lambda b: dp.Laplace(b) ** 2, 1.0, 2.0),
        (lambda b: dp.Laplace(b) ** 3, 1.0, 3.0),
        (lambda b: dp.Laplace(b) ** 10, 1.0, 10.0),
        (lambda b: dp.Laplace(b, 21) ** 10, 3.0, 70.0),
    ],
)
def test_noise_for_a_pure_target_is_the_sum_of_all_sensitivities_over_it(family, epsilon, scale):
    found = dp.calibrate(family, epsilon=epsilon)
    assert found.factors[0][0].scale == approx(scale, rel=1e-12)
    assert found.epsilon(0) <= epsilon


def test_largest_losses_add_up():
    assert (dp.Laplace(1) ** 3).epsilon(0) == 3.0
    assert (dp.Laplace(1) @ dp.Laplace(2)).epsilon(0) == 1.5
    # Of both noises, that next to the border has a quarter of all mass at the loss 2000.
    assert (dp.Laplace(1e-3) ** 2).epsilon(1e-5) == approx(2000 + math.log1p(-4e-5), rel=1e-12)


# Training with rare participation.


@pytest.mark.parametrize(
    ("rate", "steps", "epsilon", "delta"),
    [(1e-5, 2000, 8.0, 1e-6), (1e-6, 2000, 1.0, 1e-8), (1e-5, 2000, 1.0, 1e-6), (1e-4, 100, 8.0, 1e-7)],
)
def test_noise_is_found_at_small_sampling_rates(rate, steps, epsilon, delta):
    start = time.process_time()
    found = dp.calibrate(lambda s: dp.DPSGD(s, rate, steps), epsilon=epsilon, delta=delta)
    assert time.process_time() - start < 8.0  # and not 44 s
    value, error = found.privacy_profile(epsilon, with_error=True)
    assert delta * (1 - 1e-6) <= value <= delta + error
    # Who takes part in one step at least, of hardly any noise, is found; that happens so often at most.
    assert value <= -math.expm1(steps * math.log1p(-rate))
    # Whoever says yes where one answer at least is above a threshold shows no more than all answers do.
    sigma, threshold = found.noise_multiplier, np.linspace(0.0, 3.0, 3001)
    silent, present = log_ndtr(threshold / sigma), log_ndtr((threshold - 1) / sigma)
    null = -np.expm1(steps * silent)
    alternative = -np.expm1(steps * (silent + np.log1p(rate * np.expm1(present - silent))))
    assert value >= np.max(alternative - math.exp(epsilon) * null) > 0.1 * delta


def test_a_bracket_does_not_keep_calibration_from_ending():
    families = [{}, {"bracket": (0.1, 2)}]
    found = [
        dp.calibrate(lambda s: dp.DPSGD(s, 1e-6, 2000), epsilon=1, delta=1e-8, **each).noise_multiplier
        for each in families
    ]
    assert found[0] == approx(found[1], rel=1e-8)


# Very many steps, and hardly any noise.


def loss_of_step(sigma, rate, direction):
    """Mean and variance of the loss of a step under Q, by quadrature over its noise."""
    sign = 1 if direction == "remove" else -1

    def loss(x):
        return sign * np.logaddexp(math.log1p(-rate), math.log(rate) + (2 * x - 1) / (2 * sigma**2))

    def mean_of(function):
        densities = [(1.0, 0.0)] if sign < 0 else [(1 - rate, 0.0), (rate, 1.0)]
        return sum(
            share
            * quad(
                lambda x, at=at: norm.pdf(x, at, sigma) * function(loss(x)),
                at - 12 * sigma,
                at + 12 * sigma,
                limit=400,
                points=[0.5, at],
            )[0]
            for share, at in densities
        )

    mean = mean_of(lambda value: value)
    return mean, mean_of(lambda value: (value - mean) ** 2)


@pytest.mark.cases(1)
@pytest.mark.parametrize(
    ("sigma", "rate", "steps"),
    [(0.26651960071698905, 0.08388915942868488, 929886342), (1.0, 0.1, 10**15), (0.5, 0.9, 10**15)],
)
def test_of_very_many_steps_the_loss_is_normal(sigma, rate, steps):
    ends = []
    for direction in ("remove", "add"):
        mean, variance = loss_of_step(sigma, rate, direction)
        ends.append(steps * mean + norm.isf(1e-5) * math.sqrt(steps * variance))
    m = dp.DPSGD(sigma, rate, steps)
    assert m.epsilon(1e-5) == approx(max(ends), rel=1e-6)
    assert m.advantage == 1.0


def test_with_hardly_any_noise_losses_are_those_of_each_number_of_participations():
    sigma, rate, steps = 0.1, 0.01, 1000
    j = np.arange(1, 80)
    variance = j / sigma**2
    mean = j * math.log(rate) + variance / 2 + (steps - j) * math.log1p(-rate)
    epsilon, error = dp.DPSGD(sigma, rate, steps).epsilon([1e-2, 1e-5], with_error=True)
    for found, delta in zip(epsilon, (1e-2, 1e-5), strict=True):
        z = (mean - found) / np.sqrt(variance)
        profile = binom.pmf(j, steps, rate) @ (
            ndtr(z) - np.exp(found - mean + variance / 2 + log_ndtr(z - np.sqrt(variance)))
        )
        assert profile == approx(delta, rel=1e-4)
    assert np.all(error < 1e-6)


# Inputs at the ends.


def test_a_text_of_astronomically_many_steps_is_answered(capsys):
    code = command.main(["show", "Laplace(1)**(10**14)", "--delta", "1e-5", "--json"])
    shown = capsys.readouterr()
    if code == 0:
        mean, second = (quad(lambda x, k=k: (2 * x - 1) ** k * math.exp(x - 1), 0, 1)[0] / 2 for k in (1, 2))
        mean, second = mean + 0.5 - 0.5 * math.exp(-1), second + 0.5 + 0.5 * math.exp(-1)
        expected = 1e14 * mean + norm.isf(1e-5) * math.sqrt(1e14 * (second - mean**2))
        assert json.loads(shown.out)["epsilon"]["delta=1e-05"] == approx(expected, rel=1e-9)
    else:
        assert code == 2 and "Traceback" not in shown.err and "Laplace(1)**(10**14)" in shown.err


def test_a_target_that_hides_nothing_is_met():
    m = dp.calibrate(dp.Gaussian, epsilon=1e6, delta=1e-300)
    mu = 1 / m.sigma
    # log Φ(−t) is −t²/2 − log t − log √2π, nearly.
    t = 1e6 / mu - mu / 2
    log_delta = -(t**2) / 2 - math.log(t * math.sqrt(2 * math.pi)) + math.log(mu / (t + mu))
    assert log_delta == approx(math.log(1e-300), rel=1e-4)


def test_letters_that_look_like_others_are_refused():
    with pytest.raises(ValueError, match="fullwidth latin small letter a"):
        dp.read("Gａussian(1)")
