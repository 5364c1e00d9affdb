"""Subsampled Laplace steps beside Gaussian noise: against integrals in thirty digits, and what few nodes miss."""

import math

import mpmath as mp
import numpy as np
import pytest
from mpmath.calculus.quadrature import GaussLegendre

import dptutor as dp
from dptutor.evaluation import laplace_nodes
from dptutor.evaluation.finite_law import TooManyAtoms
from dptutor.evaluation.laplace_nodes import nodes
from dptutor.evaluation.laws import SampledLaplaceLaw
from dptutor.mechanisms.composition import _by_grid

PANEL = GaussLegendre(mp.mp).calc_nodes(4, 110)
DIRECTIONS = ("remove", "add")


def of_gaussian(mu, epsilon):
    return mp.ncdf(mu / 2 - epsilon / mu) - mp.exp(epsilon) * mp.ncdf(-mu / 2 - epsilon / mu)


def exact(scale, rate, direction, sigma, epsilon):
    """δ in thirty digits: both atoms, and short panels over the answers between."""
    with mp.workdps(30):
        top, rate, mu, epsilon = 1 / mp.mpf(scale), mp.mpf(rate), 1 / mp.mpf(sigma), mp.mpf(epsilon)
        removal = direction == "remove"

        def loss(noise):
            return mp.log(1 - rate + rate * mp.exp(noise))

        def weighed(noise, mass):
            moved = loss(noise) if removal else -loss(noise)
            return mass * (mp.exp(loss(noise)) if removal else 1) * of_gaussian(mu, epsilon - moved)

        total, low = weighed(-top, mp.mpf(1) / 2) + weighed(top, mp.exp(-top) / 2), -top
        while low < top:
            half = mp.mpf(1)
            while loss(min(low + 2 * half, top)) - loss(low) > 3 * mu:
                half /= 2
            half = min(half, (top - low) / 2)
            places = [(low + half * (1 + node), weight) for node, weight in PANEL]
            total += half * sum(weight * weighed(x, mp.exp(-(x + top) / 2) / 4) for x, weight in places)
            low += 2 * half
        return total


def agree(scale, rate, sigma):
    for direction in DIRECTIONS:
        m = dp.SubsampledLaplace(scale, rate, direction) @ dp.Gaussian(sigma)
        assert m.error_bound < 1e-12
        for epsilon in (0.0, 0.3 / sigma, *m.epsilon([1e-6, 1e-40])):
            value, error = m.privacy_profile(epsilon, with_error=True)
            right = exact(scale, rate, direction, sigma, epsilon)
            assert abs(value - right) <= error
            assert error <= 2e-10 * float(right)


@pytest.mark.cases(5)
@pytest.mark.parametrize(
    ("scale", "rate", "sigma"),
    [(1, 0.001, 1), (0.3, 0.5, 2), (5.87, 1.1e-4, 0.78), (20, 1e-7, 50), (0.2, 0.3, 0.9), (1.085, 0.1442, 72.67)],
)
def test_a_step_beside_a_gaussian_is_an_integral_over_its_answers(scale, rate, sigma):
    agree(scale, rate, sigma)


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(30))
def test_steps_of_any_kind_beside_gaussians_of_any_kind(seed):
    rng = np.random.default_rng(seed)
    rate = 10 ** rng.uniform(-7, 0) if seed % 2 else rng.uniform(0, 1)
    scale, sigma = 10 ** rng.uniform(-1, 1.5), 10 ** rng.uniform(-0.7, 2)
    try:
        nodes(SampledLaplaceLaw(1 / scale, rate, "remove"), 1 / sigma)
    except TooManyAtoms:
        pytest.skip("by a grid")
    agree(scale, rate, sigma)


@pytest.mark.parametrize("rate", [1.1e-6, 1.1e-4])
def test_an_epsilon_is_where_the_profile_has_its_delta(rate):
    value, error = (dp.SubsampledLaplace(5.87, rate, "add") @ dp.Gaussian(0.78)).epsilon(1e-5, with_error=True)
    assert error < 1e-9
    low, high = (exact(5.87, rate, "add", 0.78, value + side * error) for side in (1, -1))
    assert low <= 1e-5 <= high


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize(("scale", "rate", "sigma"), [(0.5, 0.4, 1.0), (0.3, 0.9, 0.8)])
def test_what_few_nodes_miss_is_less_than_they_say(monkeypatch, scale, rate, sigma, direction):
    monkeypatch.setattr(laplace_nodes, "_COUNT", 4)
    monkeypatch.setattr(laplace_nodes, "_GOAL", -4.0)
    law, missed = nodes(SampledLaplaceLaw(1 / scale, rate, direction), 1 / sigma)
    seen = 0.0
    for epsilon in (0.0, 0.4, 1.1, 3.0):
        found, bound = (
            sum(mp.mpf(w) * of_gaussian(1 / mp.mpf(sigma), epsilon - mp.mpf(x)) for x, w in zip(*each, strict=True))
            for each in ((law.loss.tolist(), law.q.tolist()), (missed.of_q.tolist(), missed.q.tolist()))
        )
        off = abs(found - exact(scale, rate, direction, sigma, epsilon))
        assert off <= bound + 1e-15
        seen = max(seen, float(off))
    assert seen > 1e-12


def test_an_end_far_out_is_no_reason_for_nodes_between():
    law, missed = nodes(SampledLaplaceLaw(690.0, 0.5, "remove"), 3.0)
    assert law.loss.size < 3000
    assert abs(math.fsum(law.p) - 1) < 1e-13
    assert abs(math.fsum(law.q) - 1) < 1e-13
    assert missed.q.sum() + missed.p.sum() < 1e-15


def test_noise_too_little_for_nodes_is_left_to_a_grid():
    with pytest.raises(TooManyAtoms):
        nodes(SampledLaplaceLaw(10.0, 0.5, "remove"), 1e-3)


@pytest.mark.deep
@pytest.mark.parametrize(
    "m",
    [
        dp.SubsampledLaplace(1, 0.1, "remove") ** 2 @ dp.Gaussian(1),
        dp.SubsampledLaplace(0.7, 0.2, "add") @ dp.Gaussian(2) @ dp.DPSGD(1, 0.1, 3).directions[1],
        dp.SubsampledLaplace(3, 1e-3, "remove") @ dp.Gaussian(2) @ dp.Laplace(1),
    ],
    ids=repr,
)
def test_more_parts_against_a_grid(m):
    grid, epsilon = _by_grid(m), np.array([0.0, 0.5, 2.0])
    value, error = m.privacy_profile(epsilon, with_error=True)
    assert np.all(np.abs(value - grid.delta(epsilon)) <= error + grid.error_bound)
    assert m.error_bound < 1e-9


def test_finite_experiments_beside_a_step_and_a_gaussian():
    step, noise = dp.SubsampledLaplace(1, 0.1, "remove"), dp.Gaussian(1)
    beside = step @ dp.RandomizedResponse(1) @ noise
    assert beside.error_bound < 1e-11
    truth = math.e / (1 + math.e)
    right = truth * exact(1, 0.1, "remove", 1, -0.5) + (1 - truth) * exact(1, 0.1, "remove", 1, 1.5)
    assert abs(beside.privacy_profile(0.5) - right) < 1e-13
