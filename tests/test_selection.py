"""Selection and staircase noise: against enumeration of candidates, integrals of densities, then bad input."""

import itertools
import math

import mpmath
import numpy as np
import pytest
from conftest import approx

import dptutor as dp
from dptutor.evaluation.curves import curves_of
from dptutor.mechanisms.base import Mechanism

EPSILONS = np.array([-3.0, -0.7, -0.1, 0.0, 0.05, 0.4, 0.9, 2.0, 5.0])


def exponential(scores, epsilon):
    weight = np.exp(epsilon * (scores - scores.max()) / 2)
    return weight / weight.sum()


def permute_and_flip(scores, epsilon):
    """The definition: candidates in random order, each taken with its probability."""
    accept, mass = np.exp(epsilon * (scores - scores.max()) / 2), np.zeros(scores.size)
    for order in itertools.permutations(range(scores.size)):
        left = 1.0
        for candidate in order:
            mass[candidate] += left * accept[candidate]
            left *= 1.0 - accept[candidate]
    return mass / math.factorial(scores.size)


KINDS = [(dp.ExponentialMechanism, exponential), (dp.PermuteAndFlip, permute_and_flip)]


@pytest.mark.parametrize(("kind", "law"), KINDS)
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_no_candidates_reveal_more_than_the_pair(kind, law, epsilon):
    m, generator = kind(epsilon), np.random.default_rng(5)
    at = np.concatenate([EPSILONS, epsilon * np.linspace(-0.99, 0.99, 9)])
    for size in (2, 2, 3, 4, 5) * 30:
        scores = generator.choice([1.0, 4.0, 20.0]) / epsilon * generator.standard_normal(size)
        # Each score moves by at most 1, mostly by all of it.
        moved = scores + np.clip(generator.normal(0, 2, size), -1, 1)
        p, q = law(scores, epsilon), law(moved, epsilon)
        grow = np.exp(at)[:, None]
        profile = np.sum(np.maximum(q - grow * p, 0.0), axis=1)
        assert np.all(profile <= m.privacy_profile(at) + 1e-12)


@pytest.mark.parametrize(("kind", "law"), KINDS)
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_every_point_is_attained_by_two_candidates(kind, law, epsilon):
    m = kind(epsilon)
    for distance in np.linspace(-8.0, 8.0, 33):
        # One score is `distance` ahead in units of 2/ε, and both move by 1 towards the other.
        p, q = (law(np.array([2 * x / epsilon, 0.0]), epsilon) for x in (distance, distance + epsilon))
        assert m.tradeoff(p[0]) == approx(1 - q[0], abs=1e-12)


def test_the_pair_of_a_bounded_range_is_the_worst_of_all_places_of_the_range():  # Dong, Durfee & Rogers (2020)
    epsilon = 1.3
    m, at = dp.ExponentialMechanism(epsilon), np.linspace(-1.2, 1.2, 25)
    best = np.zeros(at.size)
    for top in np.linspace(0.0, epsilon, 20001)[1:-1]:
        p = (math.exp(-top) - math.exp(-epsilon)) / -math.expm1(-epsilon)
        q = p * math.exp(top)
        best = np.maximum(best, np.maximum(q - np.exp(at) * p, 0) + np.maximum(1 - q - np.exp(at) * (1 - p), 0))
    assert m.privacy_profile(at) == approx(best, abs=1e-8)


@pytest.mark.parametrize("epsilon", [1e-6, 0.3, 1.0, 5.0, 40.0, 700.0])
def test_faces_of_the_exponential_mechanism_agree(epsilon):
    m = dp.ExponentialMechanism(epsilon)
    order = np.array([0.3, 1.0, 1.0 + 1e-9, 2.0, 7.5])
    if epsilon <= 40:
        assert m._pair_renyi(order) == approx(Mechanism._renyi(m, order), rel=1e-6)
        assert m._loss_moments("Q") == approx(Mechanism._loss_moments(m, "Q"), rel=1e-5)
    if epsilon <= 5:
        s = np.array([0.2, 1.7, 0.5 + 2j, -0.4 - 9j])
        value, error = m.hellinger_transform(s, with_error=True)
        assert value == approx(Mechanism._hellinger(m, s)[0], abs=1e-9)
        assert np.all(error < 1e-12)
        assert m.hellinger_transform(2.0) == approx(math.exp(m._pair_renyi(np.array([2.0]))[0]), rel=1e-12)
    alpha = np.array([0.0, 1e-9, 0.2, 0.5, 0.9, 1.0])
    assert m.tradeoff(alpha) == approx(Mechanism._tradeoff(m, alpha), abs=1e-9)
    delta = m.advantage * np.array([1e-9, 0.3, 0.9])
    assert m.privacy_profile(m.epsilon(delta)) == approx(delta, rel=1e-6)
    assert m.epsilon(0) == m.renyi_divergence(math.inf) == epsilon
    losses = m.privacy_loss.sample(20000, under="Q", seed=1)
    assert losses.mean() == approx(m._loss_moments("Q")[0], abs=5 * math.sqrt(m._loss_moments("Q")[1] / 20000))


def two_losses(epsilon, top):
    """Two candidates whose losses are `top` and `top` − ε, under P and under Q."""
    p = (math.exp(-top) - math.exp(-epsilon)) / -math.expm1(-epsilon)
    return dp.FiniteExperiment([p, 1 - p], [p * math.exp(top), 1 - p * math.exp(top)])


@pytest.mark.parametrize(("epsilon", "count"), [(0.5, 10), (0.001, 7), (3.0, 5), (20.0, 2)])
def test_a_power_is_above_what_candidates_reveal_and_below_pure_privacy(epsilon, count):
    several = dp.ExponentialMechanism(epsilon) ** count
    assert several.epsilon(1e-3) < (dp.RandomizedResponse(epsilon) ** count).epsilon(1e-3)
    assert several.epsilon(0) == count * epsilon
    at = several.epsilon(0) * np.linspace(-0.9, 0.9, 19)
    for top in epsilon * np.array([0.2, 0.5, 0.6]):
        revealed = (two_losses(epsilon, top) ** count).privacy_profile(at)
        assert np.all(revealed <= several.privacy_profile(at) + 1e-12)


def test_candidates_that_depend_on_earlier_answers_reveal_no_more_than_a_power():
    epsilon, at = 1.0, np.linspace(0.0, 2.9, 12)
    tops = epsilon * np.linspace(0.04, 0.96, 24)
    p = (np.exp(-tops) - math.exp(-epsilon)) / -math.expm1(-epsilon)
    q = p * np.exp(tops)

    def worst(ahead, left):
        # The largest δ of so many more uses, each with the range that is worst after the answers so far.
        if not left:
            return np.maximum(-np.expm1(np.minimum(ahead, 0.0)), 0.0)
        high, low = (worst(np.subtract.outer(ahead, tops - off), left - 1) for off in (0.0, epsilon))
        return np.max(q * high + (1 - q) * low, axis=-1)

    three = dp.ExponentialMechanism(epsilon) ** 3
    assert np.all(worst(at, 3) <= three.privacy_profile(at) + 1e-12)
    # Between the others a mechanism of its own, after whose answer a range may be chosen too.
    coin = dp.FiniteExperiment([0.6, 0.4], [0.4, 0.6])
    beside = (dp.ExponentialMechanism(epsilon) ** 2 @ coin).privacy_profile(at)
    loss = math.log(1.5)
    assert np.all(0.6 * worst(at - loss, 2) + 0.4 * worst(at + loss, 2) <= beside + 1e-12)


@pytest.mark.parametrize(("epsilon", "count", "delta"), [(0.1, 100, 1e-6), (1.0, 20, 1e-6), (0.01, 10**5, 1e-5)])
def test_a_power_is_below_what_concentrated_privacy_gives(epsilon, count, delta):
    rho = count * epsilon**2 / 8
    found = (dp.ExponentialMechanism(epsilon) ** count).epsilon(delta)
    assert found < dp.accounting.zcdp_to_epsilon(rho, delta)
    # And above the largest non-adaptive one.
    assert found > (two_losses(epsilon, epsilon / 2) ** count).epsilon(delta)


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 5.0])
def test_renyi_divergences_are_the_largest_of_all_ranges(epsilon):  # 1/8 and more: Cesar & Rogers (2021)
    m = dp.ExponentialMechanism(epsilon)
    assert dp.accounting.zcdp(m) <= epsilon**2 / 8
    orders = np.array([0.3, 1.0, 2.0, 7.5])
    each = [two_losses(epsilon, top).renyi_divergence(orders) for top in epsilon * np.linspace(0.002, 0.998, 499)]
    assert m.renyi_divergence(orders) == approx(np.max(each, axis=0), rel=1e-4)
    assert np.all(m.renyi_divergence(orders) >= np.max(each, axis=0) * (1 - 1e-12))
    assert (m**3).renyi_divergence(orders) == approx(3 * m.renyi_divergence(orders), rel=1e-14)


@pytest.mark.cases(1)
@pytest.mark.parametrize(("epsilon", "count"), [(1.0, 4), (0.58, 27), (3.0, 2)])
def test_a_power_is_the_hull_of_both_bounds_also_between_its_places(epsilon, count):
    m = dp.ExponentialMechanism(epsilon) ** count
    places = np.random.default_rng(3).uniform(0, epsilon * count, 30_000)
    places = np.append(np.sort(places), epsilon * count)
    pairs = curves_of(dp.ExponentialMechanism(epsilon)).power(count).forward
    more = np.geomspace(1e-3, 1e3, 50_000)
    exponent = more * m.renyi_divergence(1 + more) - more * np.log1p(1 / more) - np.log1p(more)
    slopes = np.maximum.accumulate(np.diff(exponent) / np.diff(more))
    best = np.searchsorted(slopes, places[:-1])
    allowed = np.exp(np.minimum(exponent[best] - more[best] * places[:-1], 0.0))
    allowed = np.append(np.minimum(allowed, pairs.values(places[:-1])[0]), 0.0)
    hull = []
    for x, y in zip(np.exp(places).tolist(), allowed.tolist(), strict=True):
        while len(hull) > 1:
            (x1, y1), (x2, y2) = hull[-2:]
            if (y2 - y1) * (x - x2) < (y - y2) * (x2 - x1):
                break
            hull.pop()
        hull.append((x, y))
    u, right = np.array(hull).T
    # Near 0 that of the reverse pair is below.
    u, right = u[u > 1.01], right[u > 1.01]
    value, error = m.privacy_profile(np.log(u), with_error=True)
    assert np.all(value - error <= right + 2 * pairs.error)
    assert np.abs(value - right).max() < 1e-7 and error.max() < 1e-7


def test_several_uses_do_not_dominate_what_one_dominates_in_each():
    # The loss of a pair with a little less, rounded, has more divergence than any range.
    one = dp.ExponentialMechanism(1.0)
    alpha, beta = dp.ExponentialMechanism(0.99)._errors(np.linspace(-0.99, 0.99, 9))
    rounded = dp.FiniteExperiment(-np.diff(alpha), np.diff(beta))
    assert dp.dominance(one, rounded).verdict == "proven"
    assert dp.dominance(one**20, rounded**20).verdict == "refuted"


def test_sparse_vectors_reveal_no_more_than_the_bound():
    # Two questions and one answer above: the law of where it stops, by integration over the threshold's noise.
    b1, b2 = 2.0, 4.0
    m = dp.SparseVector(b1, b2)
    rho = np.linspace(-80, 80, 400001)
    weight = np.exp(-np.abs(rho) / b1) / (2 * b1) * (rho[1] - rho[0])
    above = lambda x: np.where(x > 0, 0.5 * np.exp(-np.abs(x) / b2), 1 - 0.5 * np.exp(-np.abs(x) / b2))  # noqa: E731

    def stops(answers):
        first, second = (above(rho - answer) for answer in answers)
        return np.array([weight @ first, weight @ ((1 - first) * second), weight @ ((1 - first) * (1 - second))])

    at = np.linspace(-0.9, 0.9, 13)
    for answers, others in itertools.product(
        itertools.product([-3, 0, 2], repeat=2), itertools.product([-1, 1], repeat=2)
    ):
        p, q = stops(np.array(answers, float)), stops(np.array(answers, float) + others)
        profile = np.sum(np.maximum(q - np.exp(at)[:, None] * p, 0.0), axis=1)
        assert np.all(profile <= m.privacy_profile(at) + 1e-6)
    assert dp.SparseVector(2.0, 4.0, answers=3).largest_loss == 2.0
    assert dp.SparseVector(2.0, 4.0, answers=3, queries="monotone").largest_loss == 1.25


def staircase_density(x, epsilon, gamma):
    height = -math.expm1(-epsilon) / (2 * (gamma + math.exp(-epsilon) * (1 - gamma)))
    step = np.floor(np.abs(x))
    return height * np.exp(-epsilon * (step + (np.abs(x) - step >= gamma)))


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 3.0])
@pytest.mark.parametrize("gamma", [0.0, 0.2, 0.5, 0.8, 1.0, None])
def test_staircase_noise_against_the_integral_of_its_density(epsilon, gamma):
    m = dp.Staircase(epsilon, gamma)
    reach = math.ceil(30 / epsilon)
    x = (np.arange(-2000 * reach, 2000 * reach) + 0.5) / 2000
    at = epsilon * np.array([-0.6, 0.0, 0.3, 0.9])
    for shift in (0.1, 0.35, 0.75, 1.0):
        p, q = staircase_density(x, epsilon, m.gamma), staircase_density(x - shift, epsilon, m.gamma)
        profile = np.array([np.sum(np.maximum(q - math.exp(e) * p, 0)) / 2000 for e in at])
        assert np.all(profile <= m.privacy_profile(at) + 2e-3)
    assert m.privacy_profile(at) == approx(profile, abs=2e-3)
    assert m.epsilon(0) == epsilon


def test_equal_mechanisms_are_equal():
    assert dp.Staircase(1, 0.5) == dp.RandomizedResponse(1)
    assert dp.Staircase(1, 0) == dp.Staircase(1, 1) != dp.Staircase(1, 0.3)
    assert dp.PermuteAndFlip(2) == dp.Laplace(0.5) == dp.SparseVector(1, 2)
    assert dp.group(dp.ExponentialMechanism(0.5), 4) == dp.ExponentialMechanism(2)
    assert dp.group(dp.PermuteAndFlip(0.5), 4).epsilon(0) == 2


def test_the_largest_loss_of_sparse_vectors_is_rounded():
    m = dp.SparseVector(8.972898686974123, 0.1175057805205903, 4, queries="monotone")
    with mpmath.workdps(40):
        top = 1 / mpmath.mpf(m.threshold_scale) + 4 / mpmath.mpf(m.answer_scale)
        for epsilon in (30.0, 34.152323224939174, 34.152325224938174, 34.15232519078785):
            value, bound = m.privacy_profile(epsilon, with_error=True)
            assert abs(value + mpmath.expm1((epsilon - top) / 2)) <= bound


def test_trade_offs_where_the_largest_loss_is_large_keep_their_bounds():
    many = dp.SparseVector(0.3148112405197155, 0.1188995241061581, 7, sensitivity=3.3)
    with mpmath.workdps(40):
        moved = mpmath.mpf(many.sensitivity)
        its_top = moved / mpmath.mpf(many.threshold_scale) + 14 * moved / mpmath.mpf(many.answer_scale)
        cases = [(many, its_top), (dp.Laplace(1.0, 600.0), mpmath.mpf(600)), (dp.Laplace(1.0, 744.0), mpmath.mpf(744))]
        for m, top in cases:
            for alpha in (5e-324, 2e-323, *(float(k * mpmath.exp(-top)) for k in (0.3, 0.5, 2)), 0.3, 0.7):
                share = alpha * mpmath.exp(top)
                right = (
                    1 - share
                    if share <= 0.5
                    else mpmath.exp(-top) * (1 / (4 * mpmath.mpf(alpha)) if alpha < 0.5 else 1 - alpha)
                )
                value, bound = m.tradeoff(alpha, with_error=True)
                assert abs(value - right) <= bound <= m.error_bound * (1 + 1e-12)
