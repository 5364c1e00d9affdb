"""Samples of people: Laplace noise, groups, truncated batches, shuffled answers; against enumeration and integrals."""

import itertools
import math

import numpy as np
import pytest
from conftest import approx
from dp_accounting.pld import privacy_loss_mechanism as losses
from mpmath import mp
from scipy import special, stats

import dptutor as dp


def profile(p, q, at):
    return np.array([np.sum(np.maximum(q - math.exp(e) * p, 0.0)) for e in np.ravel(at)])


@pytest.mark.parametrize(("scale", "rate"), [(1.0, 0.1), (0.3, 0.01), (5.0, 0.7), (0.01, 0.5)])
@pytest.mark.parametrize("direction", ["remove", "add"])
def test_subsampled_laplace_against_the_integral(scale, rate, direction):
    m = dp.SubsampledLaplace(scale, rate, direction)
    low, high = m._loss_range()
    with mp.workdps(30):
        b, share = mp.mpf(scale), mp.mpf(rate)
        noise = lambda x: mp.exp(-abs(x) / b) / (2 * b)  # noqa: E731
        for part in (0.02, 0.3, 0.5, 0.9):
            epsilon = low + part * (high - low)

            def above(x, epsilon=epsilon):
                without, mixed = noise(x), (1 - share) * noise(x) + share * noise(x - 1)
                first, second = (without, mixed) if direction == "remove" else (mixed, without)
                return second - mp.exp(epsilon) * first

            # The loss is monotone: δ is an integral up to the answer at which it is ε.
            inner = mp.log((mp.exp(epsilon if direction == "remove" else -epsilon) - 1 + share) / share)
            cut = (inner * b + 1) / 2
            if direction == "remove":
                points = [cut, *[e for e in (0, 1) if e > cut], mp.inf]
            else:
                points = [-mp.inf, *[e for e in (0, 1) if e < cut], cut]
            assert m.privacy_profile(epsilon) == approx(float(mp.quad(above, points)), rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("scale", [0.0015, 0.2, 20.0, 1e9])
@pytest.mark.parametrize("rate", [1e-300, 1e-6, 0.5, 0.999])
@pytest.mark.parametrize("direction", ["remove", "add"])
def test_subsampled_laplace_keeps_the_digits_next_to_its_largest_loss(scale, rate, direction):
    m = dp.SubsampledLaplace(scale, rate, direction)
    with mp.workdps(60):
        share, top = mp.mpf(rate), 1 / mp.mpf(scale)
        exact = [mp.log1p(share * mp.expm1(sign * top)) for sign in (1, -1)]
        largest = exact[0] if direction == "remove" else -exact[1]
        assert m.epsilon(0) == approx(float(largest), rel=1e-14)
        for part in (0.0, 0.7, 0.999, 1 - 1e-6):
            epsilon = float(part * largest)
            change = mp.expm1(epsilon)
            if direction == "remove":
                ratio, size = (change + share) / share, share
            else:
                size = share * (1 + change) - change
                ratio = share * (1 + change) / size
            expected = size * (1 - mp.sqrt(ratio * mp.exp(-top)))
            found, error = m.privacy_profile(epsilon, with_error=True)
            assert abs(found - expected) <= error
            assert found == approx(float(expected), rel=1e-8)


def test_subsampled_laplace_against_dp_accounting():
    peer = losses.LaplacePrivacyLoss(2.0, sampling_prob=0.2, adjacency_type=losses.AdjacencyType.REMOVE)
    m = dp.SubsampledLaplace(2.0, 0.2, "remove")
    for epsilon in (0.0, 0.02, 0.1, 0.12):
        assert m.privacy_profile(epsilon) == approx(peer.get_delta_for_epsilon(epsilon), abs=1e-12)


@pytest.mark.parametrize(("sigma", "rate", "members"), [(1.0, 0.1, 3), (0.5, 0.3, 2), (5.0, 0.01, 20), (100.0, 0.5, 4)])
@pytest.mark.parametrize("direction", ["remove", "add"])
def test_a_group_of_a_step_against_the_integral(sigma, rate, members, direction):
    weights = stats.binom.pmf(np.arange(members + 1), members, rate)
    x = np.linspace(-9 * sigma, members + 9 * sigma, 400001)
    without = stats.norm.pdf(x, 0, sigma) * (x[1] - x[0])
    mixed = sum(w * stats.norm.pdf(x, j, sigma) for j, w in enumerate(weights)) * (x[1] - x[0])
    p, q = (without, mixed) if direction == "remove" else (mixed, without)
    m = dp.SubsampledGaussianGroup(sigma, rate, members, direction)
    at = np.array([-0.05, 0.0, 0.01, 0.3, 2.0])
    assert m.privacy_profile(at) == approx(profile(p, q, at), abs=1e-8)


@pytest.mark.parametrize("order", [33, 25_000, 1e6])
def test_divergences_of_a_group_of_large_order(order):
    sigma, members, z = 13, np.arange(3), np.linspace(-200, 200, 400_001)
    exponents = np.multiply.outer(z, members / sigma) - members**2 / (2 * sigma**2)
    loss = special.logsumexp(exponents, b=stats.binom.pmf(members, 2, 0.5), axis=1)
    area = special.logsumexp((1 - order) * loss - z**2 / 2) + math.log(z[1] - z[0]) - math.log(2 * math.pi) / 2
    m = dp.SubsampledGaussianGroup(sigma, 0.5, 2, "add")
    assert m.renyi_divergence(order) == approx(area / (order - 1), rel=1e-10)


def test_where_nobody_is_left_out_no_loss_is_the_smallest():
    alpha, epsilon = [0, 0.3, 1 - 2**-53, 1], [-np.inf, -800, 0.1]
    mixture = dp.GaussianMixture(1, [1, 0.5], [0.5, 0.5], "add")
    assert mixture.privacy_profile(epsilon)[:2] == approx([1, 1]) and mixture.tradeoff(0) == approx(1)
    step, same = dp.SubsampledGaussian(10, 1, "remove"), dp.Gaussian(10)
    for one, other in ((step, same), (dp.join(dp.Gaussian(0.5), step), dp.join(dp.Gaussian(0.5), same))):
        assert one.tradeoff(alpha) == approx(other.tradeoff(alpha))
        assert one.privacy_profile(epsilon) == approx(other.privacy_profile(epsilon))


def test_a_group_answers_beyond_all_its_losses():
    m = dp.SubsampledGaussianGroup(1, 1 / 3, 2)
    assert (m.privacy_profile(-800), m.privacy_profile(800), m.tradeoff(1 - 2**-53)) == (1, 0, 0)


@pytest.mark.parametrize("direction", ["remove", "add"])
def test_a_group_keeps_the_digits_of_small_deltas(direction):
    sigma, rate, members = 1.5, 0.05, 3
    m = dp.SubsampledGaussianGroup(sigma, rate, members, direction)
    with mp.workdps(60):
        weights = [mp.binomial(members, j) * mp.mpf(rate) ** j * (1 - mp.mpf(rate)) ** (members - j) for j in range(4)]
        for z in (-4, 0, 3, 9, 20):
            z = mp.mpf(z if direction == "remove" else -z)
            loss = mp.log(
                sum(w * mp.exp(j * z / sigma - mp.mpf(j) ** 2 / (2 * sigma**2)) for j, w in enumerate(weights))
            )
            epsilon = float(loss if direction == "remove" else -loss)
            # z again, from the rounded ε.
            goal = mp.mpf(epsilon) * (1 if direction == "remove" else -1)
            z = mp.findroot(
                lambda x, goal=goal: mp.log(
                    sum(w * mp.exp(j * x / sigma - mp.mpf(j) ** 2 / (2 * sigma**2)) for j, w in enumerate(weights))
                ) - goal, z,
            )  # fmt: skip
            if direction == "remove":
                mixed = sum(w * mp.ncdf(-(z - j / mp.mpf(sigma))) for j, w in enumerate(weights))
                exact = mixed - mp.exp(epsilon) * mp.ncdf(-z)
            else:
                mixed = sum(w * mp.ncdf(z - j / mp.mpf(sigma)) for j, w in enumerate(weights))
                exact = mp.ncdf(z) - mp.exp(epsilon) * mixed
            value, error = m.privacy_profile(epsilon, with_error=True)
            assert abs(value - float(exact)) <= error
            assert value == approx(float(exact), rel=1e-8) or value < 1e-15


REMOVE, ADD = losses.AdjacencyType.REMOVE, losses.AdjacencyType.ADD


@pytest.mark.parametrize(("sigma", "rate"), [(1.0, 0.1), (0.5, 0.3), (5.0, 0.01), (0.05, 0.2), (2.0, 1.0)])
def test_a_replaced_example_against_dp_accounting(sigma, rate):
    m = dp.SubsampledGaussianReplaceOne(sigma, rate)
    peer = losses.GaussianPrivacyLoss(sigma, sampling_prob=rate, adjacency_type=losses.AdjacencyType.REPLACE)
    at = np.array([0.0, 0.01, 0.5, 2.0, 7.0])
    assert m.privacy_profile(at) == approx(peer.get_delta_for_epsilon(at), rel=1e-8, abs=1e-15)
    assert m.privacy_profile(-at) == approx(1 - np.exp(-at) + np.exp(-at) * m.privacy_profile(at), abs=1e-14)


def on_a_plane(sigma, centers, rate):
    """(1 − p) N(0, σ²) + p N(c, σ²) for each center, as masses of the cells of a grid."""
    x = np.linspace(-7 * sigma - 1, 7 * sigma + 1, 161)
    normal = lambda c: np.outer(*(stats.norm.pdf(x, each, sigma) * (x[1] - x[0]) for each in c))  # noqa: E731
    return [(1 - rate) * normal((0, 0)) + rate * normal(c) for c in centers]


@pytest.mark.parametrize(("sigma", "rate"), [(0.7, 0.3), (2.0, 0.05)])
def test_no_two_examples_are_worse_than_opposite_ones(sigma, rate):
    m = dp.SubsampledGaussianReplaceOne(sigma, rate)
    at = np.array([-2.0, -0.3, -0.01, 0.0, 0.05, 0.4, 1.5])
    for angle, size in itertools.product((0.0, 2.5), (0.6, 1.0)):
        other = size * np.array([math.cos(angle), math.sin(angle)])
        p, q = on_a_plane(sigma, (other, (1, 0)), rate)
        for first, second in ((p, q), (q, p)):
            # The cells that the threshold cuts weigh a little.
            assert np.all(profile(first, second, at) <= m.privacy_profile(at) + 5e-4)
    p, q = on_a_plane(sigma, ((-1, 0), (1, 0)), rate)
    assert profile(p, q, at) == approx(m.privacy_profile(at), abs=5e-4)


MIXTURES = ([0, 0.5, 3, 1], [0.5, 0.2, 0.1, 0.2]), ([0.5, 3, 1], [0.6, 0.2, 0.2]), ([2], [1]), ([0, 40], [0.9, 0.1])
# A small amount beside a large one: of additions, losses above 0 in the middle of the answers.
MIXTURES += (([0, 0.05, 57], [0.03, 0.13, 0.84]),)


@pytest.mark.parametrize("mixture", MIXTURES)
@pytest.mark.parametrize(("direction", "adjacency"), [("remove", REMOVE), ("add", ADD)])
def test_a_mixture_of_given_weights_against_dp_accounting(mixture, direction, adjacency):
    peer = losses.MixtureGaussianPrivacyLoss(1.3, *mixture, adjacency_type=adjacency)
    at = np.array([-2.0, -0.3, 0.0, 0.05, 0.2, 1.0, 3.0])
    expected = peer.get_delta_for_epsilon(at)
    assert dp.GaussianMixture(1.3, *mixture, direction).privacy_profile(at) == approx(expected, abs=1e-7)


def test_mixtures_are_what_has_a_name_of_its_own():
    at = np.array([-1.0, 0.0, 0.7, 3.0])
    for direction in ("add", "remove", "both"):
        step = dp.GaussianMixture(1.3, [1, 0, 1], [0.1, 0.7, 0.2], direction)
        assert step.privacy_profile(at) == approx(dp.SubsampledGaussian(1.3, 0.3, direction).privacy_profile(at))
        weights = stats.binom.pmf(np.arange(4), 3, 0.2)
        group = dp.GaussianMixture(0.8, np.arange(4), weights / weights.sum(), direction)
        named = dp.SubsampledGaussianGroup(0.8, 0.2, 3, direction)
        assert group.privacy_profile(at) == approx(named.privacy_profile(at), rel=1e-12)


@pytest.mark.parametrize(("scale", "rate", "sensitivity"), [(2.0, 0.1, 1), (0.5, 0.3, 2), (7.0, 0.9, 5)])
@pytest.mark.parametrize(("direction", "adjacency"), [("remove", REMOVE), ("add", ADD)])
def test_sampled_noise_of_whole_numbers_against_dp_accounting(scale, rate, sensitivity, direction, adjacency):
    at = np.array([-0.5, -0.05, 0.0, 0.05, 0.2, 1.0, 3.0])
    given = {"sampling_prob": rate, "adjacency_type": adjacency}
    peer = losses.DiscreteGaussianPrivacyLoss(scale, sensitivity, **given)
    m = dp.SubsampledDiscreteGaussian(scale, rate, sensitivity, direction)
    assert m.privacy_profile(at) == approx([peer.get_delta_for_epsilon(float(each)) for each in at], abs=1e-13)
    peer = losses.DiscreteLaplacePrivacyLoss(1 / scale, sensitivity, **given)
    m = dp.SubsampledDiscreteLaplace(scale, rate, sensitivity, direction)
    assert m.privacy_profile(at) == approx([peer.get_delta_for_epsilon(float(each)) for each in at], abs=1e-13)


@pytest.mark.parametrize("order", [0.5, 1.0, 2.0, 30.0])
def test_divergences_of_a_replaced_example_against_the_integral(order):
    sigma, rate = 1.3, 0.2
    z, width = np.linspace(-20, 20 + 2 * order, 20_001, retstep=True)
    log_p, log_q = (
        np.logaddexp(
            math.log1p(-rate) + stats.norm.logpdf(z, 0, sigma), math.log(rate) + stats.norm.logpdf(z, c, sigma)
        )
        for c in (-1, 1)
    )
    if order == 1.0:
        expected = np.sum(np.exp(log_q) * (log_q - log_p)) * width
    else:
        expected = math.log(np.sum(np.exp(order * log_q + (1 - order) * log_p)) * width) / (order - 1)
    assert dp.SubsampledGaussianReplaceOne(sigma, rate).renyi_divergence(order) == approx(expected, rel=1e-9)


@pytest.mark.parametrize("order", [2.0, 30.0])
def test_divergences_with_hardly_any_noise_are_those_of_the_example_alone(order):
    rate, sigma = 0.1, 0.01
    found = dp.SubsampledGaussianReplaceOne(sigma, rate).renyi_divergence(order)
    # Q^s P^(1−s) where only the one example, and nothing else, leads to the answer.
    expected = order / (2 * sigma**2) + (order * math.log(rate) + (1 - order) * math.log1p(-rate)) / (order - 1)
    assert found == approx(expected, rel=1e-12)


@pytest.mark.parametrize("order", [0.1, 0.5, 0.8])
def test_divergences_of_distributions_that_hardly_overlap(order):
    # Of the two amounts the smaller one is all that matters.
    found = dp.GaussianMixture(0.01, [1, 2], [0.5, 0.5], "remove").renyi_divergence(order)
    assert found == approx(order / 2 * 1e4 - order * math.log(0.5) / (1 - order), rel=1e-12)


@pytest.mark.parametrize("order", [0.5, 1.0, 3.0, 400.0])
@pytest.mark.parametrize("direction", ["remove", "add"])
def test_divergences_of_sampled_discrete_noise_against_the_sum(order, direction):
    sigma, rate = 1.5, 0.1
    x = np.arange(-80.0, 500.0)
    log_p = -((x / sigma) ** 2) / 2
    log_p -= special.logsumexp(log_p)
    log_q = np.logaddexp(math.log1p(-rate) + log_p, math.log(rate) + log_p + (2 * x - 1) / (2 * sigma**2))
    if direction == "add":
        log_p, log_q = log_q, log_p
    expected = np.sum(np.exp(log_q) * (log_q - log_p))
    if order != 1.0:
        expected = special.logsumexp(order * log_q + (1 - order) * log_p) / (order - 1)
    found = dp.SubsampledDiscreteGaussian(sigma, rate, 1, direction).renyi_divergence(order)
    assert found == approx(expected, rel=1e-9)


@pytest.mark.parametrize("rate", [1e-9, 1e-5, 0.1, 0.6])
@pytest.mark.parametrize("members", [2, 5, 40])
def test_divergences_of_groups_whose_answers_hardly_overlap(members, rate):
    # Only answers without all members have mass on both sides; their ratio is (1 − p)^k.
    order = [1.0, 1.0001, 2.0, 40.0, 1e3, 1e4, 1e6]
    for m in (
        dp.SubsampledGaussianGroup(0.01, rate, members, "add"),
        dp.SubsampledDiscreteGaussian(0.53, rate, 3001, "add", members=members),
    ):
        assert m.renyi_divergence(order) == approx(-members * math.log1p(-rate), rel=1e-11)


def sampled_noise(kind, scale, rate, sensitivity, members, moves=None):
    """Logarithms of the masses without a group and with it, of which j members move the answer by moves[j]."""
    x = np.arange(-120.0, 121.0 + sensitivity * members)
    power = (lambda z: z**2 / 2) if kind is dp.SubsampledDiscreteGaussian else np.abs
    total = special.logsumexp(-power(np.arange(-120.0, 121.0) / scale))
    moves = sensitivity * np.arange(members + 1.0) if moves is None else moves
    log_weights = stats.binom.logpmf(np.arange(members + 1), members, rate)[:, None]
    log_p = -power(x / scale) - total
    return log_p, special.logsumexp(log_weights - power((x - np.array(moves)[:, None]) / scale) - total, axis=0)


@pytest.mark.parametrize("kind", [dp.SubsampledDiscreteGaussian, dp.SubsampledDiscreteLaplace])
@pytest.mark.parametrize("direction", ["remove", "add"])
@pytest.mark.parametrize("members", [2, 5])
def test_groups_of_sampled_whole_numbers_against_the_sum(kind, direction, members):
    scale, rate, sensitivity = 1.7, 0.2, 2
    log_p, log_q = sampled_noise(kind, scale, rate, sensitivity, members)
    if direction == "add":
        log_p, log_q = log_q, log_p
    at = np.array([-1.0, 0.0, 0.3, 1.0, 3.0, 5.0])
    expected = [np.sum(np.maximum(np.exp(log_q) - np.exp(each + log_p), 0.0)) for each in at]
    m = dp.group(kind(scale, rate, sensitivity, direction), members)
    assert m == kind(scale, rate, sensitivity, direction, members)
    assert m.privacy_profile(at) == approx(expected, rel=1e-10, abs=1e-18)
    expected = [special.logsumexp(s * log_q + (1 - s) * log_p) / (s - 1) for s in (0.5, 3.0)]
    assert m.renyi_divergence([0.5, 3.0]) == approx(expected, rel=1e-9)
    # Members who move the answer by less, or the other way, reveal no more.
    for moves in ([0, 2, -4, 6, -8, 10], [0, -2, 3, -1, 0, 2]):
        log_p, log_q = sampled_noise(kind, scale, rate, sensitivity, members, moves[: members + 1])
        if direction == "add":
            log_p, log_q = log_q, log_p
        less = [np.sum(np.maximum(np.exp(log_q) - np.exp(each + log_p), 0.0)) for each in at]
        assert np.all(less <= m.privacy_profile(at) + 1e-15)


def test_groups_of_sampled_whole_numbers_have_no_infinite_loss():
    m = dp.group(dp.SubsampledDiscreteGaussian(1.3421518423474188, 0.0010891671028784757), 4)
    value, error = m.privacy_profile([400.0, math.inf], with_error=True)
    assert np.all(value <= error)
    assert np.all(error < 1e-300)
    assert dp.group(m, 3).members == 12
    assert dp.SubsampledDiscreteLaplace(2, 1, 3, members=4) == dp.DiscreteLaplace(2, 12)


def test_divergences_of_large_orders_find_where_their_terms_are_largest():
    # With much noise that is neither at no shift nor at the largest one: the exponent is nearly that of a binomial.
    one, two = (dp.SubsampledGaussianGroup(1000, 0.1, k, "remove").renyi_divergence(1e6) for k in (1, 2))
    assert one < two / 4 < 1.2 * one


def test_groups_of_trainings_are_powers_of_groups_of_steps():
    assert dp.group(dp.SubsampledGaussian(1, 0.1, "add"), 3) == dp.SubsampledGaussianGroup(1, 0.1, 3, "add")
    assert dp.SubsampledGaussianGroup(1, 0.1, 1) == dp.SubsampledGaussian(1, 0.1)
    assert dp.SubsampledGaussianGroup(2, 1.0, 3) == dp.Gaussian(2, 3)
    two = dp.group(dp.DPSGD(1, 0.1, 5), 2)
    assert two == (dp.SubsampledGaussianGroup(1, 0.1, 2) ** 5)
    # What follows from the curve alone is no better than what is attained.
    single = dp.DPSGD(1, 0.1, 5)
    inner = 1 - single.tradeoff(0.05)
    assert two.tradeoff(0.05) >= single.tradeoff(inner) - two.error_bound


def test_truncated_batches_reveal_no_more_than_the_bound():
    # One step of two examples at rate p and a batch of at most one: the answer is a mixture of normals.
    sigma, rate, x = 0.7, 0.3, np.linspace(-9, 9, 36001)
    m = dp.TruncatedPoisson(sigma, rate, steps=1, examples=2, largest_batch=1)
    assert m.cut == approx(rate**2, rel=1e-12)
    normal = lambda mean: stats.norm.pdf(x, mean, sigma) * (x[1] - x[0])  # noqa: E731
    at = np.linspace(-1.5, 2.5, 17)
    for other in (-1.0, 0.0, 1.0):
        without = (1 - rate) * normal(0) + rate * normal(other)
        both = rate**2 * (normal(1) + normal(other)) / 2
        one = rate * (1 - rate) * (normal(1) + normal(other))
        mixed = (1 - rate) ** 2 * normal(0) + one + both
        for p, q, direction in ((without, mixed, "remove"), (mixed, without, "add")):
            bound = dp.TruncatedPoisson(sigma, rate, 1, 2, 1, direction)
            assert np.all(profile(p, q, at) <= bound.privacy_profile(at) + 1e-9)


@pytest.mark.deep
def test_what_is_cut_is_added_to_the_profile():  # Chua et al. (2024), "Scalable DP-SGD"
    m, run = dp.TruncatedPoisson(0.6, 0.01, 500, 10**4, 160), dp.DPSGD(0.6, 0.01, 500)
    assert m.cut == approx(-math.expm1(500 * math.log1p(-stats.binom.sf(160, 10**4, 0.01))), rel=1e-9)
    at = np.array([0.0, 1.0, 3.0])
    assert m.privacy_profile(at) == approx(run.privacy_profile(at) + m.cut * (1 + np.exp(at)), rel=1e-10)
    alpha = np.array([0.0, 1e-6, 0.01, 0.5, 0.999999, 1.0])
    moved = np.maximum(run.tradeoff(np.minimum(alpha + m.cut, 1)) - m.cut, 0)
    assert m.tradeoff(alpha) == approx(moved, abs=1e-10)
    # Where nothing is left of e^ε it has a bound as well.
    value, bound = m.privacy_profile([-np.inf, -800.0], with_error=True)
    assert np.all(value == 1.0) and np.all(bound < 1e-10)
    assert dp.TruncatedPoisson(0.6, 0.01, 500, 100, 100) == run
    assert dp.TruncatedPoisson(0.6, 1.0, 5, 100, 10).advantage == 1
    # The largest line below the curve at every slope.
    grid = np.linspace(0, 1, 20001)
    for epsilon in (-8.0, -2.0, 0.0, 2.0, 8.0):
        conjugate = 1 - np.min(math.exp(epsilon) * grid + m.tradeoff(grid))
        assert m.privacy_profile(epsilon) == approx(conjugate, abs=1e-4)


def answers(users, lie, yes):
    """The law of the number of yes of others, of whom so many say yes."""
    law = np.ones(1)
    for number in range(users - 1):
        share = 1 - lie if number < yes else lie
        law = np.convolve(law, [1 - share, share])
    return law


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 3.0])
@pytest.mark.parametrize("users", [1, 2, 5, 12])
def test_shuffled_answers_of_every_data_set_are_between_the_bounds(epsilon, users):
    upper = dp.ShuffledRandomizedResponse(epsilon, users)
    lower = dp.ShuffledRandomizedResponse(epsilon, users, "lower")
    lie, at = 1 / (1 + math.exp(epsilon)), epsilon * np.linspace(-0.99, 0.99, 15)
    for yes in range(users):
        law = answers(users, lie, yes)
        p, q = np.convolve(law, [1 - lie, lie]), np.convolve(law, [lie, 1 - lie])
        assert np.all(profile(p, q, at) <= upper.privacy_profile(at) + 1e-12)
        if yes in (0, users - 1):
            assert np.all(profile(p, q, at) <= lower.privacy_profile(at) + 1e-12)
    law, owns = answers(users, lie, 0), ([1 - lie, lie], [lie, 1 - lie])
    p, q = (np.convolve(law, own) for own in owns)
    both = np.maximum(profile(p, q, at), profile(q, p, at))
    assert lower.privacy_profile(at) == approx(both, abs=1e-12)


@pytest.mark.parametrize(
    ("epsilon", "users"), [(1e-12, 4), (1e-3, 3), (0.5, 12), (1.0, 12), (3.0, 9), (8.0, 5), (50.0, 3), (700.0, 2)]
)
def test_the_exact_curve_is_the_worst_of_all_data_sets(epsilon, users):
    m = dp.ShuffledRandomizedResponse(epsilon, users, "exact")
    at = epsilon * np.array([-0.9, -0.01, 0.0, 0.01, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9, 0.99])
    worst = [mp.mpf(0)] * at.size
    with mp.workdps(40):
        no, yes = ((1 / (1 + mp.exp(-side)), 1 / (1 + mp.exp(side))) for side in (epsilon, -epsilon))
        for count in range(users):
            law = [mp.mpf(1)]
            for truth in [yes] * count + [no] * (users - 1 - count):
                law = plus_answer(law, truth)
            p, q = plus_answer(law, no), plus_answer(law, yes)
            for place, each in enumerate(at):
                for first, second in ((p, q), (q, p)):
                    ahead = (b - mp.exp(each) * a for a, b in zip(first, second, strict=True))
                    worst[place] = max(worst[place], mp.fsum(x for x in ahead if x > 0))
        value, error = m.privacy_profile(at, with_error=True)
        assert all(abs(mp.mpf(float(v)) - w) <= e for v, w, e in zip(value, worst, error, strict=True))
    assert m.error_bound < 1e-12
    assert (m**2).epsilon(0) == approx(2 * epsilon)


def plus_answer(law, rates):
    """The law of a number of yes, with one more person who says no and yes at these rates."""
    return [rates[0] * no + rates[1] * yes for no, yes in zip([*law, 0], [0, *law], strict=True)]


def test_the_exact_curve_is_between_both_bounds_and_not_the_lower_one():
    lower, exact, upper = (dp.ShuffledRandomizedResponse(2, 1000, bound) for bound in ("lower", "exact", "upper"))
    at = np.linspace(0, 0.6, 31)
    assert np.all(lower.privacy_profile(at) <= exact.privacy_profile(at) + 1e-12)
    assert np.all(exact.privacy_profile(at) <= upper.privacy_profile(at) + 1e-12)
    assert lower.epsilon(1e-6) + 1e-5 < exact.epsilon(1e-6) < upper.epsilon(1e-6) - 0.07


@pytest.mark.parametrize(("epsilon", "users"), [(1.0, 2), (0.5, 7), (2.0, 40), (5.0, 300)])
def test_the_upper_curve_is_the_sum_over_coins(epsilon, users):
    m, lie = dp.ShuffledRandomizedResponse(epsilon, users), 1 / (1 + math.exp(epsilon))
    at = epsilon * np.array([-0.5, 0.0, 0.1, 0.5, 0.9])
    total = np.zeros(at.size)
    for coins in range(users):
        heads = stats.binom.pmf(np.arange(coins + 1), coins, 0.5)
        p, q = np.convolve(heads, [1 - lie, lie]), np.convolve(heads, [lie, 1 - lie])
        total += stats.binom.pmf(coins, users - 1, 2 * lie) * profile(p, q, at)
    value, error = m.privacy_profile(at, with_error=True)
    assert np.all(np.abs(value - total) <= error + 1e-12)


def test_a_grid_gives_what_enumeration_gives(monkeypatch):
    exact = dp.ShuffledRandomizedResponse(2, 1000)
    at = np.array([-0.3, 0.0, 1e-4, 0.1, 0.3, 0.6])
    by_enumeration = exact.privacy_profile(at)
    monkeypatch.setattr("dptutor.mechanisms.shuffled._ENUMERATED", 1000)
    value, error = dp.ShuffledRandomizedResponse(2, 1000).privacy_profile(at, with_error=True)
    assert np.all(np.abs(value - by_enumeration) <= error)
    assert np.all(value >= by_enumeration - 1e-12) and np.all(error < 1e-8)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: dp.SubsampledLaplace(1e-9, 0.5), ValueError, "scale must be"),
        (lambda: dp.SubsampledGaussianGroup(1, 0.5, 101), ValueError, "members must be at most 100"),
        (lambda: dp.SubsampledGaussianGroup(1e-3, 0.5, 2), ValueError, "noise_multiplier must be in"),
        (lambda: dp.SubsampledGaussianReplaceOne(1e-4, 0.1), ValueError, "noise_multiplier must be in"),
        (lambda: dp.SubsampledDiscreteGaussian(1001, 0.1), ValueError, "sigma must be in"),
        (
            lambda: dp.SubsampledDiscreteGaussian(1, 0.1, members=101),
            ValueError,
            "members must be at most 100, got 101",
        ),
        (
            lambda: dp.SubsampledDiscreteGaussian(1, 0.1, 9999, members=99),
            ValueError,
            "members times answers must be at",
        ),
        (lambda: dp.GaussianMixture(1, [0, 1], [1]), ValueError, "equally long, got 2 and 1"),
        (lambda: dp.GaussianMixture(1, [0, 0], [0.5, 0.5]), ValueError, "sensitivities must be 0 or from"),
        (lambda: dp.GaussianMixture(1, [0, -1], [0.5, 0.5]), ValueError, "sensitivities must be"),
        (lambda: dp.GaussianMixture(1, range(200), [1 / 200] * 200), ValueError, "at most 101 numbers"),
        (lambda: dp.TruncatedPoisson(1, 0.1, 10, 100, 0), ValueError, "largest_batch must be"),
        (lambda: dp.TruncatedPoisson(1, 0.1, 10, 1.5, 1), ValueError, "examples must be"),
        (lambda: dp.ShuffledRandomizedResponse(1, 10**7), ValueError, "users must be at most 1000000"),
        (
            lambda: dp.ShuffledRandomizedResponse(1, 1001, "exact"),
            ValueError,
            "users must be at most 1000 for the bound",
        ),
        (lambda: dp.ShuffledRandomizedResponse(0, 10), ValueError, "epsilon must be"),
    ],
)
def test_what_is_out_of_range_is_refused_by_name(call, error, words):
    with pytest.raises(error, match=words):
        call()


@pytest.mark.parametrize("direction", ["remove", "add"])
def test_a_group_is_answered_alone_as_in_an_array(direction):
    m = dp.SubsampledGaussianGroup(4.304670347998924, 0.6121386933225607, 4, direction)
    epsilon = np.array([-2.7181984110000434, -2.3204132776829645, 0.1, 1.3, 12.952171877183524])
    assert m.privacy_profile(epsilon).tolist() == [m.privacy_profile(float(x)) for x in epsilon]


@pytest.mark.parametrize("rate", [0.5, 1e-9])
@pytest.mark.parametrize("order", [1.001, 1.2, 1.5, 1.9])
def test_renyi_divergences_of_hardly_any_noise_between_orders_1_and_2(rate, order):
    # Taking part or not are told apart by every answer: H is the sum of both.
    sigma = 0.01
    log_part = order * math.log(rate) + order * (order - 1) / (2 * sigma**2)
    log_h = np.logaddexp(order * math.log1p(-rate), log_part)
    if log_h < 1e-3:
        log_h = math.log1p(math.expm1(order * math.log1p(-rate)) + math.exp(log_part))
    steps = dp.DPSGD(sigma, rate, 7)
    assert steps.renyi_divergence(order) == approx(7 * log_h / (order - 1), rel=1e-9)
    orders = np.array([1.0, 1.0 + 1e-12, 1.001, 1.2, 1.5, 1.9, 2.0])
    assert np.all(np.diff(steps.renyi_divergence(orders)) >= 0)
