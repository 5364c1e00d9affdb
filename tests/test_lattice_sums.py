"""Losses on one lattice composed: against all sums in exact arithmetic, and one way of summing against the other."""

import math
import warnings

import mpmath
import numpy as np
import pytest
from conftest import approx
from scipy.fft import next_fast_len

import dptutor as dp
from dptutor.evaluation import lattice_sums
from dptutor.evaluation.finite_law import FiniteLaw, TooManyAtoms
from dptutor.evaluation.lattice_sums import common_step, summed
from dptutor.mechanisms.composition import Composition

# Masses are whole numbers of 2^−BITS; so many bytes hold sums of products of two.
BITS, WIDTH = 1100, 288
DAY = dp.RandomizedResponse(0.11) ** 12 @ dp.RandomizedResponse(0.22) ** 6


def polynomial_product(one, other):
    """Of polynomials with positive coefficients, each packed into one number."""
    packed = [
        int.from_bytes(b"".join(value.to_bytes(WIDTH, "little") for value in each), "little") for each in (one, other)
    ]
    size = len(one) + len(other) - 1
    product = (packed[0] * packed[1]).to_bytes(WIDTH * (size + 1), "little")
    return [int.from_bytes(product[WIDTH * place : WIDTH * (place + 1)], "little") >> BITS for place in range(size)]


def polynomial_power(one, count):
    power = [1 << BITS]
    for bit in bin(count)[2:]:
        power = polynomial_product(power, power)
        if bit == "1":
            power = polynomial_product(power, one)
    return power


def scaled(values):
    with mpmath.workdps(400):
        return [int(mpmath.mpf(value) * 2**BITS) for value in values]


def exact_masses(parts):
    """The masses of sums of independent multiples of a step: `parts` are pairs of masses of 0, 1, 2, … and a count."""
    whole = [1 << BITS]
    for masses, count in parts:
        whole = polynomial_product(whole, polynomial_power(scaled(masses), count))
    return whole


def exact_profile(masses, lowest, step, epsilon):
    """Σ (1 − e^{ε − l})₊ over losses `lowest` + M `step`."""
    with mpmath.workdps(60):
        total = mpmath.mpf(0)
        for place in range(len(masses) - 1, -1, -1):
            loss = lowest + place * mpmath.mpf(step)
            if loss <= epsilon:
                break
            total += mpmath.mpf(masses[place]) * -mpmath.expm1(epsilon - loss)
        return float(mpmath.ldexp(total, -BITS))


def response(epsilon, stride=1):
    """Masses of randomized response under Q at 0, 1, …, `stride`."""
    with mpmath.workdps(400):
        truth = 1 / (1 + mpmath.exp(-mpmath.mpf(epsilon)))
        return [1 - truth, *[0] * (stride - 1), truth]


def category(epsilon, categories):
    with mpmath.workdps(400):
        shrink = mpmath.exp(-mpmath.mpf(epsilon))
        truth = 1 / (1 + (categories - 1) * shrink)
        return [shrink * truth, (categories - 2) * shrink * truth, truth]


# A mechanism, its parts under Q in steps of the lattice, the smallest loss, and the step.
COMMON = {
    "two responses": (
        dp.RandomizedResponse(0.11) ** 400 @ dp.RandomizedResponse(0.22) ** 200,
        [(response(0.11), 400), (response(0.22, 2), 200)],
        -200 * 2 * 0.22,
        0.22,
    ),
    "one that almost always tells": (
        dp.RandomizedResponse(9.0) ** 40 @ dp.RandomizedResponse(4.5) ** 60,
        [(response(9.0, 2), 40), (response(4.5), 60)],
        -630.0,
        9.0,
    ),
    "categories": (
        dp.KaryRandomizedResponse(0.75, 5) ** 90 @ dp.RandomizedResponse(1.5) ** 33,
        [(category(0.75, 5), 90), (response(1.5, 4), 33)],
        -90 * 0.75 - 33 * 1.5,
        0.75,
    ),
}


@pytest.fixture(params=["convolved", "by tilts"])
def way(request, monkeypatch):
    monkeypatch.setattr(lattice_sums, "_MOST_PRODUCTS", 10**12 if request.param == "convolved" else 0)
    return request.param


def law_of(mechanism) -> FiniteLaw:
    law = summed([(part._law, count) for part, count in mechanism.factors])
    assert law is not None
    return law


@pytest.mark.parametrize("name", COMMON)
def test_sums_on_a_lattice_are_those_of_all_pairs_to_the_last_mass(name, way):
    mechanism, parts, lowest, step = COMMON[name]
    law, masses = law_of(mechanism), exact_masses(parts)
    for epsilon in law.largest_finite_loss * np.array([0.0, 0.013, 0.09, 0.2, 0.35, 0.51, 0.63]):
        exact = exact_profile(masses, lowest, step, epsilon)
        value = float(law.delta(np.array(epsilon)))
        low, high = law.profile(np.array(epsilon))
        assert value == approx(exact, rel=2e-11)
        assert low <= exact <= high
        assert high - low <= 1e-10 * exact


def test_a_law_summed_by_tilts_keeps_both_distributions_and_infinite_losses(monkeypatch):
    monkeypatch.setattr(lattice_sums, "_MOST_PRODUCTS", 0)
    leaky = [(dp.ApproximateDP(0.4, 1e-3)._law, 70), (dp.FiniteExperiment((0.8, 0.2), (0.5, 0.5))._law, 1)]
    assert common_step([law for law, _ in leaky]) is None  # log(5/2) and log(8/5) are no multiples of 0.8
    law = summed([(dp.ApproximateDP(0.4, 1e-3)._law, 70), (dp.RandomizedResponse(0.2)._law, 55)])
    assert law.q_infinite == approx(1 - 0.999**70, rel=1e-12)
    assert law.p.sum() == approx(1.0, rel=1e-12) and law.q.sum() == approx(1.0, rel=1e-12)
    assert law.largest_finite_loss == approx(70 * 0.4 + 55 * 0.2, rel=1e-15)


def test_both_directions_of_what_is_not_symmetric(way):
    one = dp.FiniteExperiment((0.5, 0.25, 0.25), (0.25, 0.25, 0.5))
    other = dp.FiniteExperiment((1 / 3, 2 / 3), (2 / 3, 1 / 3))
    tilted = dp.FiniteExperiment((0.1, 0.3, 0.6), (0.4, 0.3, 0.3))
    assert one.is_symmetric and other.is_symmetric and not tilted.is_symmetric
    parts = [(one._law, 40), (tilted._law, 30)]
    law, back = summed(parts), summed([(law.reverse, count) for law, count in parts])
    epsilon = np.linspace(-30.0, 30.0, 61)
    alpha, beta = law.errors(epsilon + 1e-6)
    its_alpha, its_beta = back.errors(-epsilon - 1e-6)
    assert alpha == approx(its_beta, rel=1e-10) and beta == approx(its_alpha, rel=1e-10)
    by_pairs = one._law.power(40).composed(tilted._law.power(30))
    assert law.delta(epsilon) == approx(by_pairs.delta(epsilon), rel=1e-10)


def test_few_sums_on_a_fine_lattice_are_taken_pair_by_pair(monkeypatch):
    # The quotient of both losses is 1749/1345: of a hundred thousand places a hundredth has a mass.
    mechanism = dp.RandomizedResponse(0.45474) ** 27 @ dp.RandomizedResponse(0.3497) ** 38
    epsilon = np.array([0.0, 11.45, 17.03, 23.804901])
    value, error = mechanism.privacy_profile(epsilon, with_error=True)
    with mpmath.workdps(40):
        truths = [
            [(mpmath.binomial(n, k) * q**k * (1 - q) ** (n - k), (2 * k - n) * mpmath.mpf(e)) for k in range(n + 1)]
            for e, n in ((0.45474, 27), (0.3497, 38))
            for q in [1 / (1 + mpmath.exp(-mpmath.mpf(e)))]
        ]
        sums = [(a * b, x + y) for a, x in truths[0] for b, y in truths[1]]
        exact = [
            float(sum(mass * -mpmath.expm1(e - loss) for mass, loss in sums if loss > e)) for e in epsilon.tolist()
        ]
    assert np.all(np.abs(value - exact) <= error + 1e-16 * value) and np.all(error <= 1e-12 * value)
    # Fourier sums have too few digits for masses with gaps between them, and say so.
    monkeypatch.setattr(lattice_sums, "_MOST_PRODUCTS", 0)
    with pytest.raises(TooManyAtoms):
        law_of(mechanism)


@pytest.mark.parametrize("days", [30, 100, 365, 1000])
def test_a_year_of_answers_has_all_its_faces_and_no_warning(days):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mechanism = DAY**days
        assert isinstance(mechanism, Composition) and mechanism._law is not None
        epsilon = np.linspace(0.0, 2.0 * days, 201)
        delta, error = mechanism.privacy_profile(epsilon, with_error=True)
        beta = mechanism.tradeoff(np.linspace(0.0, 1.0, 41))
        assert 0.9 < mechanism.advantage == delta[0] <= 1.0
        assert mechanism.error_bound < 1e-10
    seen = delta > 1e-250
    assert np.all(np.diff(delta) <= 0) and np.all(error[seen] <= 1e-9 * delta[seen])
    assert np.all(np.diff(beta) <= 0) and np.all(np.diff(beta, 2) >= -1e-15)


def test_sums_of_losses_of_which_both_masses_underflow_are_nothing():
    # No lattice has both: their sums are merged pair by pair.
    parts = dp.RandomizedResponse(3.0) ** 300, dp.RandomizedResponse(math.e) ** 300
    law = parts[0]._law.enumerated().composed(parts[1]._law.enumerated())
    assert np.isfinite(law.delta(EVERYWHERE)).all() and law.delta(np.array(0.0)) == approx(1.0)
    assert (parts[0] @ parts[1]).advantage == approx(1.0)


EVERYWHERE = np.linspace(-1800.0, 1800.0, 37)


def test_a_million_answers_of_two_kinds():
    mechanism = dp.RandomizedResponse(0.002) ** 10**6 @ dp.RandomizedResponse(0.004) ** 500_000
    # A Gaussian mechanism is close by: the variance of the loss is that of both, and the mean half of it.
    mu = math.sqrt(1e6 * 0.002**2 + 5e5 * 0.004**2)
    normal = dp.Gaussian(sigma=1 / mu)
    assert mechanism.advantage == approx(normal.advantage, abs=1e-5)
    assert mechanism.epsilon(1e-6) == approx(normal.epsilon(1e-6), abs=0.01)
    assert mechanism.error_bound < 1e-8


def test_a_million_steps_are_what_one_long_fourier_transform_gives():
    step, count = dp.group(dp.RandomizedResponse(1), 2), 1_000_003
    whole = step**count
    law = step._loss_law()
    width = float(law.kinks[1] - law.kinks[0])
    # All sums by one long Fourier transform, with an absolute error of some 1e-12.
    size = next_fast_len(2 * count + 1, real=True)
    mass = np.fft.irfft(np.fft.rfft(law.q, size) ** count, size)
    mean, deviation = count * step.privacy_loss.mean(), math.sqrt(count * step.privacy_loss.variance())
    loss = count * float(law.kinks[0]) + width * np.arange(size)
    epsilon = mean + deviation * np.array([-3.0, -1.0, 0.0, 1.0, 3.0])
    expected = [np.sum(mass[loss > e] * -np.expm1(e - loss[loss > e])) for e in epsilon]
    value, error = whole.privacy_profile(epsilon, with_error=True)
    assert np.all(np.abs(value - expected) <= error + 1e-9)
