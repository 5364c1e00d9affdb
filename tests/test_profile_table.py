"""Tables of profiles: bounds hold where polynomials do not, and where little is known."""

import math
from itertools import pairwise

import numpy as np
import pytest
from conftest import approx
from scipy.integrate import quad

import dptutor as dp
from dptutor.evaluation.polynomials import chebyshev, lebesgue, sums
from dptutor.evaluation.profile_table import Profile, ProfileTable


class Kinked(Profile):
    """Two finite losses, of which the first makes a kink that is not named."""

    def __init__(self, kink, mass, noise=0.0):
        self._kink, self._mass, self._noise = kink, mass, noise

    edges = np.array([0.0, 2.0])

    def delta(self, epsilon):
        first, second = (-np.expm1(np.minimum(epsilon - end, 0.0)) for end in (self._kink, 2.0))
        return (1.0 - self._mass) * first + self._mass * second

    def sample(self, interval, epsilon):
        off = 1.0 + self._noise * np.sin(1e7 * epsilon)
        return self.delta(epsilon) * off, np.full(epsilon.shape, 1e-15 + self._noise / (1.0 - self._noise)), False


class Useless(Profile):
    """Values of which nothing is known."""

    edges = np.array([0.0, 1.0])

    def __init__(self, value, error, complement):
        self._answer = value, error, complement

    def sample(self, interval, epsilon):
        value, error, complement = self._answer
        return np.full(epsilon.shape, value), np.full(epsilon.shape, error), complement


def bound_holds(kink, mass, noise):
    profile = Kinked(kink, mass, noise)
    epsilon = np.concatenate([np.linspace(0, 2, 5001), kink + np.linspace(-1, 1, 3001) / 2000])
    epsilon = epsilon[(epsilon >= 0) & (epsilon < 2)]
    answer = ProfileTable(profile).at(epsilon)
    return np.all(np.abs(answer.delta - profile.delta(epsilon)) <= answer.error)


@pytest.mark.parametrize("kink", [0.1, 0.5, 1.0001, 1.3, 1.99])
@pytest.mark.parametrize("mass", [1e-3, 1e-6, 1e-9, 1e-12, 1e-20, 1e-50])
@pytest.mark.parametrize("noise", [0.0, 1e-9, 0.1, 0.4])
def test_bounds_hold_beside_kinks_that_no_polynomial_follows(kink, mass, noise):
    assert bound_holds(kink, mass, noise)


def test_bounds_hold_beside_kinks_next_to_where_pieces_meet():
    """There a polynomial misses all of its bound: half of what is said to be missed would be false."""
    for beside, mass in ((7.2e-7, 1e-49), (9.4e-7, 1e-40), (2.5e-7, 1e-27)):
        assert bound_holds(1 + beside, mass, 0.0)


@pytest.mark.parametrize("complement", [False, True])
@pytest.mark.parametrize(("value", "error"), [(1e-30, np.inf), (-1e-20, 1e19), (1e-10, 1e5), (0.5, 1.0), (0.2, np.nan)])
def test_nothing_is_claimed_where_nothing_is_known(value, error, complement):
    answer = ProfileTable(Useless(value, error, complement)).at(np.linspace(0, 0.99, 20))
    least = min(value * (1 + error), 1.0) if value > 0 and np.isfinite(error) else 0.09
    largest = answer.rest if complement else answer.delta
    assert np.all(largest + answer.error >= least)
    assert np.all(np.isfinite(answer.error))


def test_a_bound_is_a_number_where_values_fall_below_all_numbers():
    m = dp.DPSGD(0.10401439577649611, 0.2784367674408504, 3168, "add")
    value, error = m.privacy_profile([0.0, 1.0, 100.0, 500.0], with_error=True)
    assert np.all(value == 1.0)
    assert np.all(error <= 1e-15)


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(24))
def test_f_of_a_short_training_is_the_same_alone_and_in_an_array(seed):
    """The loss of one direction may end before that of the other matters: then its table is asked for nothing."""
    random = np.random.default_rng(seed)
    sigma, rate, steps = np.exp(random.uniform(-1, 2)), 10 ** random.uniform(-4, -0.1), int(random.integers(1, 12))
    if seed == 0:
        sigma, rate, steps = 1, 0.01, 3
    alphas = np.sort([0.05, random.uniform(), 10 ** random.uniform(-9, 0), 1 - 10 ** random.uniform(-9, 0)])
    values, errors = dp.DPSGD(sigma, rate, steps).tradeoff(alphas, with_error=True)
    for alpha, value, error in zip(alphas, values, errors, strict=True):
        alone, its_error = dp.DPSGD(sigma, rate, steps).tradeoff(alpha, with_error=True)
        assert abs(alone - value) <= error + its_error + 1e-15


@pytest.mark.parametrize("run", [dp.DPSGD(2.1008, 1.2562e-5, 19), dp.DPSGD(7.1706, 2.7981e-5, 16)])
def test_a_profile_falls_also_where_nothing_but_its_size_is_known(run):
    value = run.privacy_profile(np.linspace(0.0, 0.06, 301))
    assert np.all(np.diff(value) <= 0) and value[-1] < 1e-30


def test_answers_do_not_rise_from_one_piece_to_the_next():
    class Jumping(Profile):
        edges = np.array([0.0, 1.0])

        def cuts(self, interval):
            return np.array([0.5])

        def sample(self, interval, epsilon):
            # Right to 1e-3 only, and less so beyond the cut.
            return np.exp(-epsilon) * np.where(epsilon > 0.5, 1.0005, 1.0), np.full(epsilon.shape, 1e-3), False

    table, at = ProfileTable(Jumping()), np.linspace(0.0, 0.999, 400)
    answer = table.at(at)
    assert np.all(np.diff(answer.delta) <= 0) and np.all(np.abs(answer.delta - np.exp(-at)) <= answer.error)


def test_an_epsilon_beside_a_laplace_mechanism_asks_for_few_intervals():
    m = dp.DPSGD(1, 0.001, 10).directions[0] @ dp.Laplace(1)
    value, error = m.epsilon(1e-5, with_error=True)
    assert len(m._faces._forward._pieces) <= 2
    assert m.privacy_profile(value - error) >= 1e-5 >= m.privacy_profile(value + error)


@pytest.mark.parametrize("count", [1, 2, 5, 16])
def test_errors_of_values_grow_by_lebesgues_constant_at_most(count):
    matrix = chebyshev(count)[1]
    # Row j: the polynomial that is 1 at point j and 0 at the others.
    grown = np.abs(sums(matrix, np.tile(np.linspace(-1, 1, 20_001), (count, 1)))).sum(axis=0)
    assert grown.max() == approx(lebesgue(count), rel=1e-6)


def test_a_tail_of_the_loss_is_a_slope_also_on_a_short_piece():
    # Under P the loss of each is −1 or 1, with masses 1/2 and 1/(2e), or has the density e^(−(l + 1)/2)/4 between: the
    # sum of c such parts has that of c uniform variables, times (1/2)^c e^(−(l + c)/2).
    uniform = [
        lambda x: 0.5 * (abs(x) <= 1),
        lambda x: max(2 - abs(x), 0.0) / 4,
        lambda x: (3 - x * x if abs(x) <= 1 else max(3 - abs(x), 0.0) ** 2 / 2) / 8,
    ]

    def exact(epsilon):
        total = 0.0
        for low in range(4):
            for high in range(4 - low):
                rest, first = 3 - low - high, epsilon - high + low
                ways = math.factorial(3) / (math.factorial(low) * math.factorial(high) * math.factorial(rest))
                mass = ways * 0.5**low * (math.exp(-1) / 2) ** high
                if rest == 0:
                    total += mass * (first < 0)
                    continue
                places = [max(first, -rest), *(x for x in range(-3, rest + 1) if max(first, -rest) < x)]
                areas = [
                    quad(lambda x, c=rest: uniform[c - 1](x) * 0.5**c * math.exp(-(x + c) / 2), a, b)[0]
                    for a, b in pairwise(places)
                ]
                total += mass * math.fsum(areas)
        return total

    places = np.array([-1e-6, 0.0, 1e-12, 1e-9, 1e-6, 0.5])
    found = (dp.Laplace(1) ** 3).privacy_loss.sf(places, "P")
    assert found == approx([exact(x) for x in places], abs=1e-9)
