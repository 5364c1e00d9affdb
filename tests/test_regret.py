"""The largest weighted difference of Bayes errors against brute force, for densities from broad to narrow."""

import math

import numpy as np
import pytest
from conftest import approx
from scipy import stats
from scipy.special import expit, logit

import dptutor as dp
from dptutor.comparing.regret import largest_difference, largest_weighted_difference

PAIRS = [
    (dp.Laplace(1), dp.Gaussian(1)),
    (dp.Gaussian(1), dp.Laplace(1)),
    (dp.FiniteExperiment([0.5, 0.3, 0.2], [0.1, 0.3, 0.6]), dp.Gaussian(1.2)),
    (dp.SubsampledGaussian(0.5, 0.3), dp.Laplace(2)),
]


def window(low, width):
    return lambda p: np.where((p >= low) & (p <= low + width), 1 / width, 0.0), [low, low + width]


def mixture(*parts):
    return (
        lambda p: sum(f(p) for f, _ in parts) / len(parts),
        [place for _, places in parts for place in places],
    )


def law(distribution):
    return distribution.pdf, distribution.ppf(np.linspace(0.001, 0.999, 401))


def densities(count):
    """Densities with places at which to look for their peaks."""
    generator = np.random.default_rng(18)
    uniform, power = generator.uniform, lambda low, high: 10 ** generator.uniform(np.log10(low), np.log10(high))
    kinds = [
        lambda: law(stats.beta(power(0.3, 1e5), power(0.3, 1e5))),
        lambda: law(stats.beta(power(0.05, 1), power(0.05, 1))),  # unbounded at both ends
        lambda: window(uniform(0.02, 0.9), power(1e-4, 0.1)),
        lambda: law(stats.norm(uniform(0.05, 0.95), power(2e-4, 0.2))),
        lambda: law(stats.triang(uniform(0, 1), loc=uniform(0.1, 0.8), scale=power(1e-3, 0.2))),
        lambda: (lambda k: (lambda p: 2 * np.cos(k * p) ** 2, np.arange(0, 400) * np.pi / k % 1))(power(1, 500)),
        lambda: mixture(window(uniform(0.1, 0.8), power(1e-4, 0.1)), law(stats.beta(power(0.5, 1e4), power(0.5, 1e4)))),
        lambda: law(stats.beta(1, power(1, 1e7))),
    ]
    yield law(stats.beta(1e5, 3e5))
    yield law(stats.beta(2500, 7500))
    yield window(0.31, 1e-4)
    yield (dp.jeffreys_prior, [])
    yield (lambda p: p**-0.99 / 100, [])
    for k in range(count - 5):
        yield kinds[k % len(kinds)]()


def brute_force(mechanism, other, density, places):
    """The largest weighted regret on a grid, and on ever finer ones around the best place."""

    def regret(at):
        priors = expit(at)
        return density(priors) * (mechanism._bayes_error(at) - other._bayes_error(at))

    places = np.asarray(places, dtype=float)
    inside = logit(places[(places > 1e-12) & (places < 1 - 1e-12)])
    kinks = np.concatenate([mechanism._breakpoints(), other._breakpoints()])
    at = np.unique(np.concatenate([np.linspace(-30, 30, 8001), inside, inside + 1e-13, inside - 1e-13, kinks]))
    for _ in range(6):
        heights = regret(at)
        best = int(np.argmax(heights))
        top, low, high = heights[best], at[max(best - 1, 0)], at[min(best + 1, at.size - 1)]
        at = np.union1d(np.linspace(low, high, 401), at[best])
    return max(float(top), 0.0)


@pytest.mark.deep
def test_every_bound_holds_for_two_hundred_densities():
    finite = 0
    for k, (density, places) in enumerate(densities(200)):
        mechanism, other = PAIRS[k % len(PAIRS)]
        found = dp.delta_divergence(mechanism, other, prior_density=density)
        assert (
            brute_force(mechanism, other, density, places) <= found.value + found.error_bound + 1e-13 * found.value
        ), k
        if found.value:
            regret = mechanism.bayes_error(found.prior) - other.bayes_error(found.prior)
            assert density(np.array([found.prior]))[0] * regret == approx(found.value, rel=1e-6), k
        finite += found.error_bound <= 1e-9 * max(1.0, found.value)
    assert finite >= 195


@pytest.mark.parametrize(
    ("density", "value"),
    [
        (lambda p: np.where((p >= 0.31) & (p <= 0.32), 100.0, 0.0), 2.21715),
        (lambda p: np.where((p >= 0.31) & (p <= 0.36), 20.0, 0.0), 0.443430),
        (stats.beta(2500, 7500).pdf, 2.53227),
        (stats.beta(9000, 21000).pdf, 3.76330),
        (stats.beta(2700, 7300).pdf, 3.04219),
        (stats.norm(0.31, 0.001).pdf, 8.84580),
        (lambda p: np.exp(-(((p - 0.251) / 0.01) ** 2)), 0.0278938),
        (lambda p: np.exp(-(((p - 0.3) / 0.003) ** 2)), 0.02495),
    ],
)
def test_narrow_densities_that_were_missed(density, value):  # by closed forms on dense grids
    found = dp.delta_divergence(dp.Laplace(scale=1), dp.Gaussian(sigma=1), prior_density=density)
    assert found.value == approx(value, rel=2e-5)
    assert found.error_bound < 1e-9


def test_a_density_without_mass_that_was_found_has_an_infinite_bound():
    found = dp.delta_divergence(
        dp.Laplace(scale=1), dp.Gaussian(sigma=1), prior_density=lambda p: np.where(abs(p - 0.3123456) < 1e-9, 5e8, 0.0)
    )
    assert found.error_bound == np.inf
    nothing = dp.delta_divergence(dp.Laplace(), dp.Gaussian(), prior_density=lambda p: 0.0 * p)
    assert nothing.value == 0


def test_a_constant_density_is_one():
    a, b = dp.Laplace(scale=1), dp.Gaussian(sigma=1)
    found = dp.delta_divergence(a, b, prior_density=lambda p: 1.0)
    assert found.value == approx(dp.delta_divergence(a, b).value, abs=found.error_bound)
    assert dp.symmetric_delta_divergence(a, b, prior_density=lambda p: 1).value == approx(0.0341385466, abs=1e-9)


@pytest.mark.parametrize("density", [lambda p: np.ones(3), lambda p: "much", lambda p: np.ones((2, p.size))])
def test_a_density_of_another_shape_is_refused_by_name(density):
    with pytest.raises(ValueError, match="prior_density must return numbers in the shape of its argument"):
        dp.delta_divergence(dp.Laplace(), dp.Gaussian(), prior_density=density)


# Beyond the seeds of the search.


def far_apart():
    """Two experiments whose Bayes errors differ at priors near c = e^−40 only: min(π, (1−π)c) and min(π/2, (1−π)c)."""
    c = math.exp(-40)
    return dp.FiniteExperiment([1.0, 0.0], [c, 1 - c]), dp.FiniteExperiment([0.5, 0.5, 0.0], [c, 0.0, 1 - c]), c


def test_what_lies_beyond_the_seeds_is_within_the_gap():
    m, other, c = far_apart()
    truth = m.bayes_error(c) - other.bayes_error(c)
    assert truth == approx(c / 2, rel=1e-6)
    _, value, gap = largest_difference(m, other)
    assert value + gap >= truth


def test_what_a_density_adds_beyond_the_seeds_is_within_the_gap():
    m, other, c = far_apart()
    _, value, gap = largest_weighted_difference(m, other, lambda prior: 0.02 / (prior + c))
    assert value + gap >= 0.02 * (m.bayes_error(c) - other.bayes_error(c)) / (2 * c) > 1e-3
