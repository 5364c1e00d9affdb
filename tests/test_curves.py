"""Profiles as polynomials that are integrated over each other: right within their bounds, and these small."""

import itertools
import math

import numpy as np
import pytest
from conftest import approx
from scipy.integrate import quad

import dptutor as dp
from dptutor.evaluation import curves
from dptutor.mechanisms import composition
from tests import laws

SIGMA, RATE = 1.3, 0.2


def replaced(z):
    """The loss of `SubsampledGaussianReplaceOne(SIGMA, RATE)` at an answer, and the answer's density under Q."""
    base, shares = math.exp(-z * z / 2), [RATE * math.exp(sign * z / SIGMA - 1 / (2 * SIGMA**2)) for sign in (1, -1)]
    up, down = 1 - RATE + shares[0], 1 - RATE + shares[1]
    return math.log(up / down), base * up / math.sqrt(2 * math.pi)


@pytest.mark.parametrize(
    "other",
    [
        dp.Laplace(0.8),
        dp.ExponentialMechanism(1.5),
        dp.SubsampledLaplace(1, 0.1, "remove"),
        dp.SampledWithoutReplacement(1.5, 0.02),
        dp.SubsampledGaussianGroup(0.7, 1e-4, 3, "add"),
        dp.GaussianMixture(1, [0, 1, 2], [0.7, 0.2, 0.1], "remove"),
        dp.SubsampledGaussianReplaceOne(0.3, 0.4),
        dp.Laplace(2.5) ** 5,
        dp.SubsampledGaussian(1, 0.05, "remove") ** 90,
        dp.SampledWithoutReplacement(0.0137, 0.083),  # losses beyond 10,000
        dp.SubsampledGaussian(0.01, 0.1, "add"),
        dp.TruncatedPoisson(0.6, 0.01, 500, 10_000, 160, "remove"),  # infinite losses
        dp.GaussianMixture(0.367, [0, 0.0033, 1.25], [0.8664, 0.0002, 0.1334], "add"),  # no digits next to its end
    ],
    ids=repr,
)
def test_two_profiles_together_are_what_quadrature_over_answers_gives(other):
    m = dp.SubsampledGaussianReplaceOne(SIGMA, RATE) @ other
    faces = composition._by_curves(m)
    epsilon = np.array([0.0, 1e-3, 0.3, 1.1, 4.0])
    # The answers at which the other's loss has an atom or a jump: losses grow with answers.
    answers = np.linspace(-9, 12, 2101)
    losses = [replaced(z)[0] for z in answers]
    for x, value, error in zip(epsilon, faces.delta(epsilon), faces.delta_error(epsilon), strict=True):
        kinks = np.interp(x - np.append(other._breakpoints(), 0.0), losses, answers)
        ends = np.unique(np.concatenate([np.linspace(-9, 12, 43), kinks - 1e-5, kinks + 1e-5]))

        def integrand(z, x=x):
            loss, density = replaced(z)
            return float(other._delta(np.array([x - loss]))[0]) * density

        right = math.fsum(quad(integrand, a, b, epsabs=1e-14)[0] for a, b in itertools.pairwise(ends))
        assert value == approx(right, abs=error + 1e-11)
    assert faces.error_bound < 1e-11


@pytest.mark.parametrize("count", [2, 3, 17])
def test_gaussians_together_are_a_gaussian(count):
    both = curves.curves_of(dp.Gaussian(3.0)).power(count)
    right = dp.Gaussian(3.0 / math.sqrt(count))
    epsilon = np.linspace(0.0, 12.0, 600)
    for own in (both.forward, both.backward):
        assert own.values(epsilon)[0] == approx(right.privacy_profile(epsilon), abs=own.error)
        assert own.error < 1e-11


@pytest.mark.parametrize(("noise", "steps"), [(1e-3, 10), (0.04, 64), (0.04, 300)])
def test_with_little_noise_an_example_is_seen_when_it_takes_part(noise, steps):
    value, error = dp.DPSGD(noise, 0.1, steps).privacy_profile([0.0, 1.0, 100.0], with_error=True)
    assert value == approx(-math.expm1(steps * math.log1p(-0.1)), abs=error.max())
    assert error.max() < 1e-7


def test_a_power_with_losses_that_no_grid_reaches():
    rare = dp.SampledWithoutReplacement(0.02, 1e-4) ** 70
    seen = -math.expm1(70 * math.log1p(-1e-4))
    value, error = rare.privacy_profile([1.0, 1000.0], with_error=True)
    assert value == approx(seen, abs=error.max())
    assert error.max() < 1e-10


def test_the_direction_of_each_part_counts():
    removed, added = dp.SubsampledGaussian(1, 0.3, "remove"), dp.SubsampledLaplace(0.7, 0.2, "add")
    faces = composition._by_curves(removed @ added)
    back = composition._by_curves(removed.reverse @ added.reverse)
    epsilon = np.array([-2.0, -0.3, 0.0, 0.4, 3.0])
    assert faces.reverse.delta(epsilon) == approx(back.delta(epsilon), abs=1e-12)
    assert np.abs(faces.delta(epsilon) - back.delta(epsilon)).max() > 1e-3


@pytest.mark.parametrize("count", [4, 8, 12])
def test_the_bound_holds_with_few_points(count, monkeypatch):
    one, other = curves.curves_of(dp.Laplace(1.0)), curves.curves_of(dp.SubsampledGaussian(0.5, 0.1, "remove"))
    epsilon = np.array([0.0, 0.5, 1.7, 3.0])
    right = curves._integrals(one.line, other.line, epsilon)[0]
    for name, value in zip(("_NODES", "_WEIGHTS", "_COUNT"), (*curves.gauss(count), count), strict=True):
        monkeypatch.setattr(curves, name, value)
    value, missed = curves._integrals(one.line, other.line, epsilon)
    assert (np.abs(value - right) <= missed + 1e-14).all()


def test_the_bound_counts_all_that_the_polynomials_of_parts_are_off():
    """A bend of one part that leaves its ends where they are moves what is made of both by nearly the whole bound."""
    one, other = curves.curves_of(dp.RandomizedResponse(1.0)), curves.curves_of(dp.Gaussian(1.0))
    bend = 0.5e-7 * (np.where(np.arange(16) == 2, 1.0, 0.0) - np.where(np.arange(16) == 0, 1.0, 0.0))
    ways = (curves.Curve(own.borders, own.coefficients + bend, 1e-7) for own in (other.forward, other.backward))
    bent, epsilon = curves.Curves(*ways, other.kinks), np.linspace(0.0, 6.0, 241)
    for both in (curves.Curves.times, lambda x, y: curves._one_of((x, 1), (y, 1))[0]):
        right = both(one, other).forward.values(epsilon)[0]
        for first, second in ((one, bent), (bent, one)):
            made = both(first, second).forward
            off = np.abs(made.values(epsilon)[0] - right).max()
            assert 0.9 * made.error < off <= made.error


@pytest.mark.parametrize("sigma", [0.3, 1.0, 20.0])
def test_one_of_two_is_what_quadrature_gives(sigma):
    both, mu = curves.curves_of(dp.Gaussian(sigma)).one_of(2), 1 / sigma
    for epsilon in (0.0, 0.2 * mu, 1.5 * mu):
        for own, kappa in ((both.forward, math.exp(epsilon)), (both.backward, math.exp(-epsilon))):

            def integrand(z, kappa=kappa, sign=1 if kappa >= 1 else -1):
                # (R − κ)₊ for R = (X + Y)/2 given X, by Black's formula for Y, or the put.
                left = 2 * kappa - math.exp(mu * z - mu * mu / 2)
                density = math.exp(-z * z / 2) / math.sqrt(2 * math.pi) / 2
                if left <= 0:
                    return density * (1 - left) if sign > 0 else 0.0
                place = -math.log(left) / mu
                up, down = (0.5 * math.erfc(-sign * (place + half) / math.sqrt(2)) for half in (mu / 2, -mu / 2))
                return density * sign * (up - left * down)

            bend = (math.log(2 * kappa) + mu * mu / 2) / mu
            ends = np.unique(np.clip(np.append(np.linspace(-9, mu + 9, 60), [bend - 1e-6, bend]), -9, mu + 9))
            right = math.fsum(quad(integrand, a, b, epsabs=1e-15)[0] for a, b in itertools.pairwise(ends))
            right *= 1.0 if kappa >= 1 else 1 / kappa
            assert own.values(np.array([epsilon]))[0][0] == approx(right, abs=own.error + 1e-13)
            assert own.error < 1e-12


@pytest.mark.deep
@pytest.mark.parametrize(("sigma", "steps"), [(0.2, 3), (1.0, 7), (3.0, 13)])
def test_one_of_several_agrees_with_two_laws_on_a_grid(sigma, steps):
    for m in dp.BallsAndBins(sigma, steps).both_directions:
        pair = m._parts()[0][0][0]
        epsilon = np.linspace(0.0, 4.0 / sigma, 60)
        value, own = pair._curves.forward.values(epsilon)[0], pair._curves.forward.error
        assert (np.abs(value - pair._delta(epsilon)) <= pair._delta_error(epsilon) + own).all()
        assert own < 1e-11


def test_one_of_several_may_be_grouped():
    one = curves.curves_of(dp.Gaussian(0.5))
    epsilon = np.linspace(0.0, 6.0, 40)
    for both, grouped in ((one.one_of(6), one.one_of(2).one_of(3)), (one.one_of(2), one.one_of(2).reverse.reverse)):
        for own, other in ((both.forward, grouped.forward), (both.backward, grouped.backward)):
            assert own.values(epsilon)[0] == approx(other.values(epsilon)[0], abs=own.error + other.error)


def test_few_of_many_bins_lose_no_digits():
    many = curves.curves_of(dp.Gaussian(1.0)).one_of(60)
    # The likelihood ratio is nearly normal: δ(0) is E|R − 1|/2 = √((e − 1)/T)/√2π, nearly.
    value = [own.values(np.zeros(1))[0][0] for own in (many.forward, many.backward)]
    assert value == approx([math.sqrt((math.e - 1) / 60 / (2 * math.pi))] * 2, rel=0.1)
    assert value[0] == approx(value[1], abs=many.error)
    assert many.error < 1e-10


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (dp.ShuffledRandomizedResponse(1, 54), dp.SubsampledGaussian(1, 0.1, "remove")),
        (dp.ShuffledRandomizedResponse(1, 1000), dp.Gaussian(1.3)),
        (dp.ApproximateDP(1, 1e-3), dp.SubsampledGaussianGroup(0.9, 0.1, 5, "add")),
        (dp.FiniteExperiment([0.3, 0.7, 0.0], [0.1, 0.8, 0.1]), dp.SampledWithoutReplacement(1, 0.3)),
    ],
    ids=repr,
)
def test_atoms_beside_curves_are_a_mixture(one, other):
    m, epsilon = one @ other, np.array([-1.3, 0.0, 0.01, 0.3, 1.0, 2.0])
    faces, law = composition._by_curves(m), one._parts()[0][0][0]._loss_law().enumerated()
    for side, sign, masses in ((faces, 1, law.q), (faces.reverse, -1, law.p)):
        finite = np.isfinite(law.loss)
        infinite = masses[law.loss == sign * np.inf].sum()
        pair = other if sign > 0 else other.reverse
        right = [infinite + masses[finite] @ pair._delta(x - sign * law.loss[finite]) for x in epsilon]
        assert (np.abs(side.delta(epsilon) - right) <= side.delta_error(epsilon) + 1e-14).all()
    assert faces.error_bound < 1e-11


def test_finite_experiments_with_many_losses_and_few():
    few = dp.FiniteExperiment([0.025, 0.975, 0.0], [0.001, 0.67, 0.329])
    many = dp.ShuffledRandomizedResponse(1.35, 200)
    m = many @ few @ dp.DiscreteGaussian(0.7) @ dp.Staircase(5.9, 0.86)
    assert m.error_bound < 1e-11
    value, error = m.privacy_profile(1.0, with_error=True)
    law, rest = many._loss_law(), few @ dp.DiscreteGaussian(0.7) @ dp.Staircase(5.9, 0.86)
    assert value == approx(law.q @ rest.privacy_profile(1.0 - law.loss), abs=error + 1e-13)


@pytest.mark.parametrize(
    "m",
    [
        dp.Laplace(1.0) @ dp.SubsampledGaussianReplaceOne(0.18, 0.04) @ dp.DiscreteLaplace(1.2),
        dp.SampledWithoutReplacement(0.3, 0.16) @ dp.Staircase(1.0, 0.01) @ dp.ExponentialMechanism(4e-5),
        dp.SampledWithoutReplacement(1.16, 0.015) ** 33 @ dp.Staircase(7.7e-5, 0.5),
        dp.ExponentialMechanism(0.1) @ dp.SubsampledGaussianGroup(0.06, 0.012, 5, "remove"),
        dp.SubsampledGaussian(0.15, 4e-8, "remove") @ dp.Laplace(0.7) @ dp.SubsampledGaussianReplaceOne(0.07, 0.57),
        dp.SubsampledGaussian(1, 0.01, "remove") @ dp.SubsampledGaussian(0.6, 1e-4, "add"),
        dp.BallsAndBins(0.47, 6) @ dp.SubsampledDiscreteGaussian(0.8, 0.015, 8) @ dp.ExponentialMechanism(0.06),
        dp.BallsAndBins(0.87, 1000) @ dp.Staircase(1.0),
        dp.ShuffledRandomizedResponse(4, 3131) @ dp.SubsampledLaplace(0.36, 1e-8, "remove") @ dp.Gaussian(0.42),
        dp.Laplace(0.4) @ dp.DiscreteLaplace(3.5) @ dp.SubsampledDiscreteGaussian(20.5, 0.01, 3, "remove"),
        dp.Laplace(0.23) ** 30 @ dp.SampledWithoutReplacement(1.8, 0.02),
        dp.SubsampledGaussian(0.8, 0.01, "remove") ** 1000 @ dp.SampledWithoutReplacement(1, 0.1),
        dp.SubsampledGaussianGroup(1.9, 0.5, 9)
        @ dp.SubsampledDiscreteLaplace(0.3, 0.02, 3)
        @ dp.ShuffledRandomizedResponse(1, 1000),
        dp.Gaussian(0.01) @ dp.ShuffledRandomizedResponse(1, 1000),
    ],
    ids=repr,
)
def test_products_of_any_kinds_are_sharp(m):
    assert max(laws.bounds(m)) < 1e-10


def test_a_law_with_atoms_beyond_number_is_left_to_the_grid():
    m = dp.SubsampledDiscreteLaplace(2.5, 0.27, 109, "remove") ** 4 @ dp.Laplace(1.3)
    assert m.error_bound < 1e-3


def test_steps_of_opposite_directions_beside_laplace():
    steps = dp.SubsampledGaussian(2.1, 0.013, "add") @ dp.SubsampledGaussian(0.94, 4e-4, "remove")
    x, weight = np.polynomial.legendre.leggauss(200)
    epsilon, half, middle = 0.4, np.array([[0.65], [0.05], [0.05], [0.25]]), np.array([[-0.35], [0.35], [0.45], [0.75]])
    loss = middle + half * x
    between = np.sum(half * weight * np.exp((loss - 1) / 2) * steps.privacy_profile(epsilon - loss)) / 4
    ends = steps.privacy_profile(epsilon - np.array([1.0, -1.0])) @ [0.5, math.exp(-1) / 2]
    value, error = (steps @ dp.Laplace(1)).privacy_profile(epsilon, with_error=True)
    assert value == approx(ends + between, abs=1e-9) and error < 1e-9
