"""Profiles as polynomials that are integrated over each other: right within their bounds, and these small."""

import itertools
import math

import numpy as np
import pytest
from pytest import approx
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
    both = composition._curves(dp.Gaussian(3.0)).power(count)
    right = dp.Gaussian(3.0 / math.sqrt(count))
    epsilon = np.linspace(0.0, 12.0, 600)
    for own in (both.forward, both.backward):
        assert own.values(epsilon)[0] == approx(right.privacy_profile(epsilon), abs=own.error)
        assert own.error < 1e-11


def test_the_direction_of_each_part_counts():
    removed, added = dp.SubsampledGaussian(1, 0.3, "remove"), dp.SubsampledLaplace(0.7, 0.2, "add")
    faces = composition._by_curves(removed @ added)
    back = composition._by_curves(removed.reverse @ added.reverse)
    epsilon = np.array([-2.0, -0.3, 0.0, 0.4, 3.0])
    assert faces.reverse.delta(epsilon) == approx(back.delta(epsilon), abs=1e-12)
    assert np.abs(faces.delta(epsilon) - back.delta(epsilon)).max() > 1e-3


@pytest.mark.parametrize("count", [4, 8, 12])
def test_the_bound_holds_with_few_points(count, monkeypatch):
    one, other = composition._curves(dp.Laplace(1.0)), composition._curves(dp.SubsampledGaussian(0.5, 0.1, "remove"))
    epsilon = np.array([0.0, 0.5, 1.7, 3.0])
    right = curves._integrals(one.line, other.line, epsilon)[0]
    for name, value in zip(("_NODES", "_WEIGHTS", "_COUNT"), (*curves.gauss(count), count), strict=True):
        monkeypatch.setattr(curves, name, value)
    value, missed = curves._integrals(one.line, other.line, epsilon)
    assert (np.abs(value - right) <= missed + 1e-14).all()


def test_the_bound_counts_what_the_polynomials_of_parts_are_off():
    one, other = composition._curves(dp.Laplace(1.0)), composition._curves(dp.Gaussian(1.0))
    epsilon, bend = np.linspace(0.0, 4.0, 50), 1e-7 * (np.arange(16) == 9)

    def bent(own):
        return curves.Curves(*(curves.Curve(c.borders, c.coefficients + bend, 1e-7) for c in own), np.zeros(1))

    for first, second in ((one, other), (other, one)):
        right = curves._values(first, second, epsilon)[0]
        wrong = bent((first.forward, first.backward))
        for x, y in ((wrong, second), (second, wrong)):
            off = np.abs(curves._values(x, y, epsilon)[0] - right)
            assert 1e-9 < off.max() <= curves._inherited(x, y) < 1e-5


@pytest.mark.parametrize(
    "m",
    [
        dp.Laplace(1.0) @ dp.SubsampledGaussianReplaceOne(0.18, 0.04) @ dp.DiscreteLaplace(1.2),
        dp.SampledWithoutReplacement(0.3, 0.16) @ dp.Staircase(1.0, 0.01) @ dp.ExponentialMechanism(4e-5),
        dp.SampledWithoutReplacement(1.16, 0.015) ** 33 @ dp.Staircase(7.7e-5, 0.5),
        dp.ExponentialMechanism(0.1) @ dp.SubsampledGaussianGroup(0.06, 0.012, 5, "remove"),
        dp.SubsampledGaussian(0.15, 4e-8, "remove") @ dp.Laplace(0.7) @ dp.SubsampledGaussianReplaceOne(0.07, 0.57),
        dp.SubsampledGaussian(1, 0.01, "remove") @ dp.SubsampledGaussian(0.6, 1e-4, "add"),
    ],
    ids=repr,
)
def test_products_of_any_kinds_are_sharp(m):
    assert max(laws.bounds(m)) < 1e-10
