"""Batches as they are drawn: against integrals and simulation, the brackets, and bad input."""

import math
from itertools import combinations

import laws
import mpmath
import numpy as np
import pytest
from conftest import approx
from mpmath import mp, mpf
from scipy.special import logsumexp, ndtr
from scipy.stats import norm

import dptutor as dp
from dptutor.evaluation.lognormal_inversion import lognormal_tails
from dptutor.evaluation.lognormal_sums import _level, _window, lognormal_sum, ratio_of_levels
from dptutor.explore.gallery.batches import balls_in_bins, composed, profile_of
from dptutor.mechanisms.batches import _LargestAnswer


def test_the_price_of_fixed_batches():  # one epoch of 1000 steps, σ = 0.6
    fixed, poisson = dp.FixedBatches(0.6), dp.DPSGD(0.6, 1 / 1000, 1000)
    assert round(fixed.epsilon(1e-5), 2) == 8.00 and round(poisson.epsilon(1e-5), 2) == 1.43
    assert float(dp.delta_divergence(poisson, fixed)) == approx(0.275, abs=5e-4)
    assert fixed == dp.Gaussian(0.6) and fixed**4 == dp.Gaussian(0.3)


# Balls and bins.


def put_of_two(mu, k):
    """E[(k − X − Y)₊] of two log-normal variables, by an integral over one of them."""

    def price(rest):
        if rest <= 0:
            return mpmath.mpf(0)
        z = (mpmath.log(rest) + mu**2 / 2) / mu
        return rest * mpmath.ncdf(z) - mpmath.ncdf(z - mu)

    def integrand(z):
        return mpmath.npdf(z) * price(k - mpmath.exp(mu * z - mu**2 / 2))

    end = (mpmath.log(k) + mu**2 / 2) / mu
    return mpmath.quad(integrand, [-12, -6, -3, min(0, end / 2), end - 0.1, end])


@pytest.mark.deep
@pytest.mark.parametrize("sigma", [0.7, 2.0])
def test_two_bins_against_an_integral(sigma):
    m = dp.BallsAndBins(sigma, 2, "remove")
    with mpmath.workdps(25):
        for epsilon in (-1.0, -0.2, 0.0, 0.3, 1.5):
            put = put_of_two(1 / mpmath.mpf(sigma), 2 * mpmath.exp(epsilon))
            exact = float(1 - mpmath.exp(epsilon) + put / 2)
            value, error = m.privacy_profile(epsilon, with_error=True)
            assert exact - 1e-13 <= value <= exact + error
            assert error < 5e-9
            back, error = m.reverse.privacy_profile(-epsilon, with_error=True)
            exact = 1 - math.exp(-epsilon) + math.exp(-epsilon) * exact
            assert exact - 1e-13 <= back <= exact + error and error < 5e-9


def call_of_two(mu, k):
    """E[(X + Y − k)₊] of two log-normal variables, by an integral over one of them."""

    def price(rest):
        if rest <= 0:
            return 1 - rest
        z = (mpmath.log(rest) + mu**2 / 2) / mu
        return mpmath.ncdf(mu - z) - rest * mpmath.ncdf(-z)

    end = (mpmath.log(k) + mu**2 / 2) / mu
    near = [end + sign * mpmath.mpf(10) ** -number for number in range(6) for sign in (1, -1)]
    places = sorted({-14, 14 + mu, *(x for x in (end - 4, *near, end, 0, mu, mu + 4) if -14 < x < 14 + mu)})
    return mpmath.quad(lambda z: mpmath.npdf(z) * price(k - mpmath.exp(mu * z - mu**2 / 2)), places)


@pytest.mark.parametrize("sigma", [0.45, 1.2, 4.309])
def test_two_bins_with_rare_large_losses_are_as_far_from_an_integral_as_their_bound_says(sigma):
    m, mu = dp.BallsAndBins(sigma, 2, "remove"), 1 / mpmath.mpf(sigma)
    top = math.log1p(math.expm1(12 / sigma) / 2)
    epsilon = np.array([-1.0, 0.01, *(top * np.array([0.3, 0.5, 0.6, 0.8, 1.0]))])
    value, bound = m.privacy_profile(epsilon, with_error=True)
    back, its_bound = m.reverse.privacy_profile(-epsilon, with_error=True)
    with mpmath.workdps(25):
        for number, at in enumerate(map(mpmath.mpf, epsilon.tolist())):
            right = call_of_two(mu, 2 * mpmath.exp(at)) / 2
            assert abs(mpmath.mpf(value[number]) - right) <= bound[number]
            right = 1 - mpmath.exp(-at) * (1 - right)
            assert abs(mpmath.mpf(back[number]) - right) <= its_bound[number]
    # The profile falls below what its grid resolves, and no δ is without an ε.
    assert value[-1] < 1e-20 and m.epsilon(1e-16) < 2 * m.epsilon(1e-8) < math.inf


@pytest.mark.parametrize(("sigma", "steps"), [(1.0, 20), (0.6, 300), (5.0, 50)])
def test_many_bins_against_an_inverted_laplace_transform(sigma, steps):
    m = dp.BallsAndBins(sigma, steps, "remove")
    losses = np.linspace(-0.1, 1.5, 33)
    p, q = lognormal_tails(1 / sigma, steps, losses)
    assert q - np.exp(losses) * p == approx(m.privacy_profile(losses), rel=1e-5, abs=2e-8)


def test_balls_and_bins_are_drawn_as_they_are_where_the_picture_ends():
    m = dp.BallsAndBins(0.6, 1000) ** 3
    epsilons = [m.epsilon(delta) for delta in (1e-2, 1e-5, 1e-7, 2e-8)]
    drawn = profile_of(composed(*balls_in_bins(0.6, "1000"), 3), epsilons)
    assert drawn == approx(m.privacy_profile(epsilons), rel=0.03)


@pytest.mark.parametrize("direction", ["both", "add", "remove"])
def test_of_many_bins_infinite_losses_are_known(direction):
    bins = dp.BallsAndBins(noise_multiplier=1, steps=100, direction=direction)
    for epsilon, delta in ((math.inf, 0.0), (-math.inf, 1.0)):
        value, bound = bins.privacy_profile(epsilon, with_error=True)
        assert abs(value - delta) <= bound + 1e-15
        assert bound < 1e-9


@pytest.mark.parametrize("sigma", [0.5, 1.0, 3.0])
def test_an_inverted_laplace_transform_against_a_single_variable(sigma):
    losses = np.linspace(-1, 4, 26)
    p, q = lognormal_tails(1 / sigma, 1, losses)
    assert p == approx(ndtr(-losses * sigma - 1 / (2 * sigma)), abs=1e-7)
    assert q == approx(ndtr(-losses * sigma + 1 / (2 * sigma)), abs=1e-7)


@pytest.mark.deep
@pytest.mark.parametrize(("sigma", "steps"), [(1.0, 20), (0.6, 300), (5.0, 50)])
def test_many_bins_against_simulation(sigma, steps):
    m = dp.BallsAndBins(sigma, steps, "remove")
    generator = np.random.default_rng(11)
    mu = 1 / sigma
    sums = np.exp(mu * generator.standard_normal((40_000, steps)) - mu**2 / 2).mean(axis=1)
    for epsilon in (-0.3, 0.0, 0.2):
        draws = np.maximum(sums - math.exp(epsilon), 0.0)
        assert m.privacy_profile(epsilon) == approx(draws.mean(), abs=5 * draws.std() / 200 + 1e-12)


def test_second_moments_of_bins():  # E[(S/T)²] = 1 + (e^{μ²} − 1)/T
    for sigma, steps in ((1.0, 20), (3.0, 7), (1000.0, 100)):
        exact = math.log1p(math.expm1(1 / sigma**2) / steps)
        m = dp.BallsAndBins(sigma, steps, "remove")
        assert m.renyi_divergence(2.0) == approx(exact, rel=1e-12)
        assert m.renyi_divergence(1.5) <= m.renyi_divergence(2.0) * (1 + 1e-9)


@pytest.mark.parametrize(
    ("sigma", "order"), [(0.25, 8.0), (0.25, 20.0), (0.25, 60.0), (0.9, 1.01), (0.9, 60.0), (5.0, 20.0)]
)
def test_divergences_of_two_added_bins_against_a_sum_over_the_plane(sigma, order):
    mu, power = 1 / sigma, order - 1
    z = -power * mu / 2 + np.arange(-10, 10, 0.02)
    log_x = mu * z - mu**2 / 2
    log_mean = np.logaddexp(log_x[:, None], log_x) - math.log(2)
    log_weight = -(z[:, None] ** 2 + z**2) / 2 + math.log(0.02**2 / (2 * math.pi))
    exact = logsumexp(log_weight - power * log_mean) / power
    found = dp.BallsAndBins(sigma, 2, "add").renyi_divergence(order)
    assert found == approx(exact, rel=1e-11, abs=1e-13 / power)


def test_a_finer_law_is_within_the_bracket_of_a_coarser_one(monkeypatch):
    coarse = lognormal_sum(1.0, 20)
    monkeypatch.setattr("dptutor.evaluation.lognormal_sums._GOAL", 1e-6)
    rough = lognormal_sum.__wrapped__(1.0, 20)
    k = 20.0 * np.exp(np.linspace(-0.5, 1.5, 41))

    def put(law):
        return law.below * k + np.array([np.sum(np.maximum(x - law.node, 0.0) * law.mass) for x in k])

    place = np.searchsorted(rough.node, k)
    gap = np.maximum(rough.gap[place], rough.gap[place - 1])
    assert np.all(put(coarse) <= put(rough) + 1e-11)
    assert np.all(put(rough) - gap <= put(coarse) + 1e-11)


def test_balls_and_bins_lies_between_its_neighbors():
    m = dp.BallsAndBins(1.0, 20)
    epsilon = np.linspace(0, 4, 41)
    assert np.all(m.privacy_profile(epsilon) <= dp.FixedBatches(1.0).privacy_profile(epsilon))
    assert dp.BallsAndBins(1.0, 1) == dp.Gaussian(1.0)
    both = m.privacy_profile(epsilon)
    assert both == approx(np.maximum(*(each.privacy_profile(epsilon) for each in m.directions)), abs=0)
    assert np.all(dp.BallsAndBins(1.0, 5).privacy_profile(epsilon) >= both - 1e-9)


def test_epochs_of_bins_are_a_power_with_a_bound():
    epoch = dp.BallsAndBins(2.0, 4)
    twice = epoch**2
    assert eval(repr(twice), vars(dp)) == twice
    value, error = twice.privacy_profile(0.5, with_error=True)
    assert 0 < error < 1e-5
    assert epoch.privacy_profile(0.5) < value < dp.Gaussian(2.0).__pow__(2).privacy_profile(0.5)
    # Of the exact composition by simulation.
    generator = np.random.default_rng(3)
    sums = np.exp(generator.standard_normal((200_000, 2, 4)) / 2 - 1 / 8).mean(axis=2).prod(axis=1)
    draws = np.maximum(sums - math.exp(0.5), 0.0)
    assert value == approx(draws.mean(), abs=5 * draws.std() / 447)


# Shuffled batches.


@pytest.mark.deep
@pytest.mark.parametrize(("sigma", "steps"), [(0.6, 1000), (1.0, 5), (3.0, 40)])
def test_the_lower_curve_of_shuffled_batches_is_attained(sigma, steps):
    low, high = (dp.ShuffledBatches(sigma, steps, bound) for bound in ("lower", "upper"))
    epsilon = np.linspace(0, 6, 25)
    assert np.all(low.privacy_profile(epsilon) <= high.privacy_profile(epsilon) + 1e-12)
    assert high == dp.FixedBatches(sigma)
    # The test of the largest answer at any threshold is no better.
    for cut in np.linspace(0.0, 6.0, 25):
        with_it, without = (1 - ndtr(cut) ** (steps - 1) * ndtr(cut - shift / sigma) for shift in (2, 1))
        assert np.all(with_it - np.exp(epsilon) * without <= low.privacy_profile(epsilon) + 1e-12)


def test_shuffling_is_hardly_better_than_fixed_batches_where_noise_is_small():
    low, high = (dp.ShuffledBatches(0.6, 1000, bound).epsilon(1e-5) for bound in ("lower", "upper"))
    assert 7.9 < low < high < 8.01
    with pytest.raises(ValueError, match="a lower bound cannot be composed"):
        dp.ShuffledBatches(0.6, 1000, "lower") ** 2


# Without replacement.


def test_one_batch_without_replacement_against_integrals():  # both orders of the neighbors
    sigma, rate = 1.5, 0.2
    m = dp.SampledWithoutReplacement(sigma, rate)
    x = np.linspace(-20, 24, 400_001)
    p, q = norm.pdf(x, 0, sigma), (1 - rate) * norm.pdf(x, 0, sigma) + rate * norm.pdf(x, 2, sigma)
    for epsilon in (-1.0, 0.0, 0.5, 2.0):
        both = [np.trapezoid(np.maximum(a - math.exp(epsilon) * b, 0.0), x) for a, b in ((q, p), (p, q))]
        assert m.privacy_profile(epsilon) == approx(max(both), abs=1e-8)


def test_batches_without_replacement_are_composed_as_the_worse_of_both():
    m = dp.SampledWithoutReplacement(2.0, 0.1)
    epsilon = np.linspace(0, 4, 21)
    whole, one_way = m**10, dp.DPSGD(1.0, 0.1, 10)
    assert np.all(whole.privacy_profile(epsilon) >= one_way.privacy_profile(epsilon) - 1e-6)
    assert whole.epsilon(1e-3) > one_way.epsilon(1e-3)
    assert not m.both_directions and dp.SampledWithoutReplacement(2.0, 1.0) == dp.Gaussian(2.0, 2.0)


# The laws that tests of random mechanisms check on the others.


@pytest.mark.deep
@pytest.mark.parametrize(
    "m",
    [dp.BallsAndBins(1.0, 5, "remove"), dp.BallsAndBins(1.0, 5), dp.ShuffledBatches(1.0, 5, "lower")],
    ids=repr,
)
def test_laws_of_batches(m):
    assert not list(laws.of_one(m))
    epsilon = np.linspace(-3, 3, 61)
    delta = m.privacy_profile(epsilon)
    mirrored = -np.expm1(epsilon) + np.exp(epsilon) * m.privacy_profile(-epsilon)
    assert m.reverse.privacy_profile(epsilon) == approx(mirrored, abs=1e-10)
    tails = m.privacy_loss.sf(epsilon, under="Q") - np.exp(epsilon) * m.privacy_loss.sf(epsilon, under="P")
    assert delta == approx(tails, abs=1e-10)
    assert eval(repr(m), vars(dp)) == m


def divergence_of_largest_answer(mu, steps, more, less, order):
    """A Rényi divergence by the trapezoidal rule around the peak, with 60 digits."""
    with mp.workdps(60):
        s, shifts = mpf(order), (more * mpf(mu), less * mpf(mu))

        def exponent(m):
            ones = [(steps - 1) * mpmath.ncdf(m - a) + mpmath.ncdf(m) * mpmath.exp(a * m - a**2 / 2) for a in shifts]
            common = (steps - 2) * mpmath.log(mpmath.ncdf(m)) - m**2 / 2 - mpmath.log(2 * mpmath.pi) / 2
            return common + s * mpmath.log(ones[0]) - (s - 1) * mpmath.log(ones[1])

        peak, width = mpf(0), 2 * max(shifts) * (s + 1) + 20
        while width > 1e-3:
            peak, width = max((peak + width * k / 60 for k in range(-60, 61)), key=exponent), width / 10
        step = mpf(0.1)
        total = mpmath.fsum(mpmath.exp(exponent(peak + step * k) - exponent(peak)) for k in range(-140, 141)) * step
        return (exponent(peak) + mpmath.log(total)) / (s - 1)


@pytest.mark.parametrize(
    ("mu", "steps", "order"),
    [(3.78, 3, 0.5), (0.5, 4, 1 + 1e-9), (3.78, 3, 3145728), (3.78, 3, 1e12), (1e-3, 10, 2), (1e-3, 10, 1e6)],
)
def test_renyi_divergences_of_the_largest_answer_have_all_digits_at_any_order(mu, steps, order):
    largest = _LargestAnswer(mu, steps)
    for pair, more, less in ((largest, 2, 1), (largest.reverse, 1, 2)):
        right = float(divergence_of_largest_answer(mu, steps, more, less, order))
        assert pair.renyi_divergence(order) == approx(right, rel=1e-12)


def test_shuffled_batches_do_not_refute_a_gaussian_mechanism_with_less_noise():
    less, batch = dp.Gaussian(0.124), dp.ShuffledBatches(0.265, 3, "lower")
    order = 3145728.0  # was ∞, and with it "refuted"
    assert batch.renyi_divergence(order) < less.renyi_divergence(order)


# Bad input.


def test_renyi_divergences_of_large_orders_are_those_of_removal_with_replacement_of_one_example():
    # H(s) of removal is p^s e^(s(s−1)μ²/2) for large s, where δ and H leave the range of floats.
    m = dp.SampledWithoutReplacement(noise_multiplier=1.0, sampling_rate=0.5)
    orders = np.array([16.0, 17.0, 18.0, 24.0, 48.0, 200.0])
    expected = 2 * orders + orders / (orders - 1) * np.log(0.5)
    np.testing.assert_allclose(m.renyi_divergence(orders), expected, rtol=1e-7)
    assert dp.dominance(dp.Gaussian(0.5), m).verdict != "refuted"


def test_renyi_divergences_have_no_gap_where_their_method_changes():
    step = dp.SubsampledGaussian(0.15, 0.5, "remove")
    orders = step.hellinger_reach + np.array([-1e-9, 0.0, 1e-9])
    np.testing.assert_allclose(step.renyi_divergence(orders), step.renyi_divergence(orders)[0], rtol=1e-8)


# The proofs of the page on the library, by enumeration.


@pytest.mark.parametrize("seed", [None, 1, 2, 3])
def test_no_batch_of_a_fixed_size_reveals_more_than_its_pair(seed):
    """All batches of 2 of 5 examples, x exchanged for x′; without a seed those that attain the pair."""
    generator = np.random.default_rng(seed)
    others = -np.ones(4) if seed is None else generator.uniform(-1, 1, 4)
    x, x_new = (-1.0, 1.0) if seed is None else generator.uniform(-1, 1, 2)
    m, (y, step) = dp.SampledWithoutReplacement(0.7, 2 / 5), np.linspace(-9, 9, 36_001, retstep=True)

    def density(example):
        sums = [sum(batch) for batch in combinations([example, *others], 2)]
        return np.mean(norm.pdf(y[:, None], sums, 0.7), axis=1)

    one, two = density(x), density(x_new)
    for epsilon in (-1.0, 0.0, 0.2, 0.6, 2.0):
        sticks = [step * np.maximum(q - math.exp(epsilon) * p, 0).sum() for p, q in ((one, two), (two, one))]
        bound = m.privacy_profile(epsilon)
        assert max(sticks) <= bound + 1e-6
        assert seed is not None or max(sticks) == approx(bound, abs=1e-6)


@pytest.mark.deep
@pytest.mark.parametrize("gradient", [lambda y: y * 0 + 1, np.sin, np.sign, lambda y: np.clip(y, -1, 1)])
def test_two_steps_whose_gradients_depend_on_the_past_reveal_no_more_than_two_bins(gradient):
    sigma, (y, step) = 0.8, np.linspace(-6, 7, 1301, retstep=True)
    first, second = y[:, None], y[None, :]
    p = norm.pdf(first, 0, sigma) * norm.pdf(second, 0, sigma)
    q = norm.pdf(first, 1, sigma) * norm.pdf(second, 0, sigma)
    q = (q + norm.pdf(first, 0, sigma) * norm.pdf(second, gradient(first), sigma)) / 2
    m = dp.BallsAndBins(sigma, 2)
    for epsilon in (-0.5, 0.0, 0.4, 1.0, 2.0):
        for one, two in ((p, q), (q, p)):
            assert step**2 * np.maximum(two - math.exp(epsilon) * one, 0).sum() <= m.privacy_profile(epsilon) + 1e-4


def test_bins_whose_smallest_sums_have_no_mass():
    m = dp.BallsAndBins(6.442950443563135, 100, "remove")
    assert 0 < m.privacy_profile(0.1) < m.advantage < dp.FixedBatches(6.4).advantage


@pytest.mark.parametrize(("sigma", "steps"), [(1000.0, 100_000), (1000.0, 20_000), (5.0, 100_000)])
def test_much_noise_and_many_bins_have_an_answer_that_is_within_its_bound(sigma, steps):
    m = dp.BallsAndBins(sigma, steps, "remove")
    # Half of E|S/T − 1|, which is at most its standard deviation; near its limit of normal variables.
    spread = math.sqrt(math.expm1(1 / sigma**2) / steps)
    value, error = m.privacy_profile(0.0, with_error=True)
    assert value - error <= spread / 2 and abs(value - spread / math.sqrt(2 * math.pi)) <= error + 1e-3 * spread
    assert value < 2e-3


def test_sums_whose_squares_are_beyond_all_numbers_are_on_a_grid():
    level = _level(20.0, 1000, math.exp(400.0), math.exp(401.0), 2048)
    assert np.all(np.isfinite(level.value)) and np.all(level.low <= level.value + level.noise)


def test_the_smallest_sums_of_two_variables_that_are_far_apart_are_on_a_grid():
    lowest, _ = _window(20.0, 2)
    level = _level(20.0, 2, lowest, math.e * lowest, 2048)
    assert level.k[-1] > 0 and np.all(level.low <= level.value + level.noise)


def test_grids_that_would_take_long_have_fewer_levels_or_are_refused():
    assert ratio_of_levels(1.0, 1000) == math.e < ratio_of_levels(1 / 0.078, 107)
    with pytest.raises(ValueError, match=r"^noise_multiplier is too small for so many steps, got 0\.05 and 100000: "):
        dp.BallsAndBins(0.05, 100_000)
    with pytest.raises(ValueError, match=r"^noise_multiplier is too small for so many steps"):
        dp.ShuffledBatches(0.05, 100_000, "lower")
    assert dp.ShuffledBatches(0.05, 100_000).epsilon(1e-5) == dp.Gaussian(0.05).epsilon(1e-5)


@pytest.mark.parametrize("order", [2.0, 8.0, 30.0])
def test_divergences_of_the_lower_curve_of_shuffled_batches_are_those_of_its_parts(order):
    mu, steps = 1.0, 5
    m = np.arange(-80, 80, 0.002)

    def log_density(shift):  # of the largest answer
        one = math.log(steps - 1) + norm.logpdf(m) + (steps - 2) * norm.logcdf(m) + norm.logcdf(m - shift)
        return np.logaddexp(one, (steps - 1) * norm.logcdf(m) + norm.logpdf(m - shift))

    p, q = log_density(mu), log_density(2 * mu)
    moments = [logsumexp(order * a + (1 - order) * b) + math.log(0.002) for a, b in ((p, q), (q, p))]
    bins = dp.BallsAndBins(1 / mu, steps)
    moments += [(order - 1) * each.renyi_divergence(order) for each in bins.directions]
    found = (order - 1) * dp.ShuffledBatches(1 / mu, steps, "lower").renyi_divergence(order)
    assert max(moments) * (1 - 1e-9) <= found <= np.logaddexp.reduce(moments)
