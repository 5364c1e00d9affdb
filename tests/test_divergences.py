"""Divergences against closed forms, and the integral over the profile against both."""

import itertools
import math

import mpmath
import numpy as np
import pytest
from conftest import approx
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import log_ndtr, ndtr
from strategies import closed_forms

import dptutor as dp
from dptutor import divergences
from dptutor.comparing.profile_order import renyi_witness
from dptutor.evaluation.renyi_areas import log_excess


@pytest.mark.parametrize("sigma", [0.5, 1, 4])
def test_divergences_of_the_gaussian_mechanism(sigma):
    m, mu = dp.Gaussian(sigma=sigma), 1 / sigma
    assert divergences.kullback_leibler(m) == approx(mu**2 / 2, rel=1e-12)
    assert divergences.chi_squared(m) == approx(math.expm1(mu**2), rel=1e-12)
    assert divergences.hellinger_squared(m) == approx(-math.expm1(-(mu**2) / 8), rel=1e-12)
    assert divergences.total_variation(m) == approx(math.erf(mu / 2 / math.sqrt(2)), rel=1e-12)


@pytest.mark.parametrize("m", [dp.Gaussian(sigma=0.7), dp.Laplace(scale=0.4), dp.RandomizedResponse(2)], ids=repr)
def test_every_f_divergence_is_a_mixture_of_hockey_sticks(m):
    assert divergences.f_divergence(m, lambda x: 1 / x) == approx(divergences.kullback_leibler(m), rel=1e-9)
    assert divergences.f_divergence(m, lambda x: 2.0) == approx(divergences.chi_squared(m), rel=1e-9)
    assert divergences.f_divergence(m, lambda x: x**-1.5 / 4) == approx(divergences.hellinger_squared(m), rel=1e-9)


def test_a_weight_may_be_larger_than_the_largest_float_where_the_divergence_is_not():
    assert math.log(divergences.f_divergence(dp.Gaussian(0.05), lambda x: 2.0 + 0 * x)) == approx(400, rel=1e-12)
    with pytest.raises(dp.NumericalError, match=r"the weight is beyond the range of floating point$"):
        divergences.f_divergence(dp.Gaussian(0.001), lambda x: 1 / x)  # 5e5


@pytest.mark.parametrize(
    "m",
    [
        dp.Gaussian(0.05),
        dp.Gaussian(0.02),
        dp.Laplace(1 / 800),
        dp.RandomizedResponse(650),
        dp.ApproximateDP(1, 0.1),
        dp.BlatantlyNonPrivate(),
        *(dp.SubsampledGaussian(0.03, 0.2, direction) for direction in ("add", "remove", "both")),
        (dp.SubsampledGaussian(1, 0.2, "add") @ dp.Laplace(2)).symmetrized,
        dp.SubsampledGaussian(1, 0.2, "add") @ dp.Laplace(0.002),
    ],
    ids=repr,
)
def test_a_weight_that_overflows_far_out_does_not_make_a_divergence_infinite(m):
    # Where the loss is −700, g″ = γ^−1.5/4 is e^1050/4, and what it is multiplied by e^−1400.
    found = dp.divergences.f_divergence(m, lambda ratio: ratio**-1.5 / 4)
    assert found == approx(dp.divergences.hellinger_squared(m), rel=1e-8)


@given(closed_forms(), st.floats(0, 100))
def test_hockey_stick_divergence_is_the_profile_at_its_logarithm(m, order):
    epsilon = math.log(order) if order else -math.inf
    assert divergences.hockey_stick(m, order) == approx(m.privacy_profile(epsilon), rel=1e-13, abs=1e-300)


def test_a_leak_makes_divergences_infinite():
    leaky = dp.ApproximateDP(epsilon=1, delta=1e-6)
    assert divergences.kullback_leibler(leaky) == math.inf
    assert divergences.chi_squared(leaky) == math.inf
    assert divergences.f_divergence(leaky, lambda x: 1 / x) == math.inf
    # A weight that vanishes slowly leaves a large value, not an infinite one: no answer where floats do not reach.
    with pytest.raises(dp.NumericalError, match="the weight is beyond the range of floating point"):
        divergences.f_divergence(leaky, lambda x: x**-1.001)
    assert divergences.hellinger_squared(leaky) < 1


def test_finite_experiments_are_sums():
    p, q = np.array([0.2, 0.5, 0.3]), np.array([0.4, 0.25, 0.35])
    m = dp.FiniteExperiment(p, q)
    assert divergences.kullback_leibler(m) == approx(np.sum(q * np.log(q / p)))
    assert divergences.chi_squared(m) == approx(np.sum((q - p) ** 2 / p))
    assert divergences.renyi(m, 3.0) == approx(math.log(np.sum(q**3 / p**2)) / 2)


# One pair for each mechanism, also where both directions are meant.

BOTH = [
    dp.SubsampledGaussian(0.4, 0.3),
    dp.DPSGD(0.6, 0.05, 50),
    dp.FiniteExperiment([0.9, 0.1], [0.4, 0.6]).symmetrized,
]


@pytest.mark.parametrize("m", BOTH, ids=repr)
def test_all_divergences_of_both_directions_are_those_of_their_join(m):
    d = dp.divergences
    assert d.kullback_leibler(m) == approx(m.privacy_loss.mean("Q"), rel=1e-9)
    assert d.kullback_leibler(m) == approx(-m.privacy_loss.mean("P"), rel=1e-9)
    assert d.kullback_leibler(m) == approx(d.f_divergence(m, lambda ratio: 1 / ratio), rel=1e-7)
    assert d.chi_squared(m) == approx(d.f_divergence(m, lambda ratio: 2 + 0 * ratio), rel=1e-7)
    assert d.hellinger_squared(m) == approx(d.f_divergence(m, lambda ratio: ratio**-1.5 / 4), rel=1e-7)


@pytest.mark.parametrize("m", BOTH, ids=repr)
def test_symmetrizing_is_joining_both_directions_for_every_divergence(m):
    joined = dp.join(*m.both_directions)
    for divergence in (dp.divergences.kullback_leibler, dp.divergences.chi_squared, dp.divergences.hellinger_squared):
        assert divergence(m) == approx(divergence(joined), rel=1e-7)
    # The Rényi divergence alone is the larger of both directions', and less than that of the join.
    each = max(pair.renyi_divergence(1.5) for pair in m.both_directions)
    assert m.renyi_divergence(1.5) == each < joined.renyi_divergence(1.5)


def test_one_direction_is_one_pair_already():
    for m in (dp.Gaussian(1), dp.SubsampledGaussian(0.4, 0.3, "add"), dp.FiniteExperiment([0.9, 0.1], [0.4, 0.6])):
        assert m.both_directions == ()
        assert dp.divergences.kullback_leibler(m) == approx(m.renyi_divergence(1.0), rel=1e-9)


@pytest.mark.parametrize("direction", ["remove", "add"])
@pytest.mark.parametrize(("sigma", "rate"), [(49.267, 2.783e-5), (1.0, 1e-6), (0.3, 1e-3)])
def test_divergences_next_to_order_one(sigma, rate, direction):
    step = dp.SubsampledGaussian(sigma, rate, direction)
    orders = 1 + np.array([-2e-3, -9e-4, -1e-5, -1e-7, 0.0, 1e-9, 5e-6, 1e-3, 2e-3])
    found = step.renyi_divergence(orders)
    assert np.all(np.diff(found) >= -1e-9 * found[1:])
    assert found[4] == approx(step.privacy_loss.mean(), rel=1e-12)
    # D_s is nearly half of s times the second moment of the ratio, where steps reveal little.
    if rate * math.expm1(1 / sigma**2) < 1e-4:
        assert found == approx(orders * rate**2 * math.expm1(1 / sigma**2) / 2, rel=1e-3)


def test_large_orders_with_much_noise_where_a_transform_takes_too_many_nodes():
    # As a dominance of dp.SubsampledLaplace(1.5, 0.09) asks for; there only the answers of those who take part matter.
    sigma, rate, order = 85.14777284966132, 3.0997171746293726e-06, 3145728.0
    found = dp.SubsampledGaussian(sigma, rate, "remove").renyi_divergence(order)
    assert found == approx(order / (2 * sigma**2) + math.log(rate) * order / (order - 1), rel=1e-9)
    # And there the variance of the likelihood ratio.
    sigma, rate, order = 1e4, 1e-8, 3.3e9
    found = dp.SubsampledGaussian(sigma, rate, "remove").renyi_divergence(order)
    assert found == approx(order / 2 * rate**2 * math.expm1(sigma**-2), rel=1e-3)


def test_next_to_order_one_where_no_transform_of_a_larger_order_can_be_had():
    step = dp.SubsampledGaussian(0.05, 0.5, "remove")
    assert step.hellinger_reach == 1.0
    # From one order to the next it changes by about 50 times as much, in proportion.
    assert step.renyi_divergence([1 - 1e-12, 1 - 1e-9, 1 + 1e-9]) == approx(step.renyi_divergence(1.0), rel=1e-7)


@pytest.mark.parametrize(("rate", "order"), [(3e-9, 96.0), (1e-7, 1000.0), (2e-5, 70.0), (0.02, 3000.0)])
def test_large_orders_of_rare_participation(rate, order):
    with mpmath.workdps(40):

        def excess(z):
            ratio = 1 + mpmath.mpf(rate) * mpmath.expm1(z / 5 - mpmath.mpf("0.02"))
            return (ratio ** (1 - order) - 1 + (order - 1) * (ratio - 1)) * mpmath.npdf(z)

        expected = mpmath.log1p(mpmath.quad(excess, range(-40, 41, 4))) / (order - 1)
    step = dp.SubsampledGaussian(5.0, rate, "add")
    assert step.renyi_divergence(order) == approx(float(expected), rel=1e-12)


@pytest.mark.parametrize(
    ("noise", "rate", "order", "direction"),
    [
        (0.0947, 4e-34, 1 + 4e-9, "remove"),  # likely large losses are next to unlikely
        (0.1, 1e-15, 2.0, "remove"),
        (0.05, 1e-100, 1.9, "remove"),
        (0.05, 1e-100, 1e3, "add"),
        (0.05, 1e-200, 0.5, "remove"),
        (0.2, 1e-14, 1.5, "add"),
    ],
)
def test_participation_that_is_rarer_than_noise_is_narrow(noise, rate, order, direction):
    with mpmath.workdps(300):
        mu, t = 1 / mpmath.mpf(noise), mpmath.mpf(order) if direction == "remove" else 1 - mpmath.mpf(order)

        def excess(z):
            more = rate * mpmath.expm1(mu * z - mu**2 / 2)
            return ((1 + more) ** t - 1 - t * more) * mpmath.exp(-(z**2) / 2)

        step = mpmath.mpf(noise) / 6  # for an integrand that is analytic within πσ of the real line
        places = range(int(-20 / step), int((max(t, 1) * mu + 20) / step))
        total = step * mpmath.fsum(excess(k * step) for k in places) / mpmath.sqrt(2 * mpmath.pi)
        expected = float(mpmath.log1p(total) / (mpmath.mpf(order) - 1))
    assert dp.SubsampledGaussian(noise, rate, direction).renyi_divergence(order) == approx(expected, rel=1e-11)


@pytest.mark.parametrize(("noise", "rate"), [(1e-3, 1e-9), (0.005, 0.3), (1e-140, 0.5)])
def test_components_that_do_not_overlap(noise, rate):
    remove, add = (dp.SubsampledGaussian(noise, rate, direction) for direction in ("remove", "add"))
    for order in (1.5, 1000.0):
        assert add.renyi_divergence(order) == approx(-math.log1p(-rate), rel=1e-12)
        assert remove.renyi_divergence(order) == approx(
            order / 2 / noise / noise + order * math.log(rate) / (order - 1), rel=1e-12
        )
    assert remove.renyi_divergence(0.4) == approx(-math.log1p(-rate) * 0.4 / 0.6, rel=1e-12)


@pytest.mark.parametrize(("scale", "rate", "order"), [(2.0, 1e-10, 71.0), (3e4, 3e-12, 660.0), (0.5, 6e-9, 4.0)])
def test_rare_participation_with_laplace_noise(scale, rate, order):
    with mpmath.workdps(50):
        b, p = mpmath.mpf(scale), mpmath.mpf(rate)

        def excess(answer):
            ratio = 1 - p + p * mpmath.exp((abs(answer) - abs(answer - 1)) / b)
            return mpmath.exp(-abs(answer) / b) / 2 * (ratio**order - 1 - order * (ratio - 1))

        total = excess(mpmath.mpf(0)) + excess(mpmath.mpf(1)) + mpmath.quad(excess, [0, 0.5, 1]) / b
        expected = float(mpmath.log1p(total) / (order - 1))
    step = dp.SubsampledLaplace(scale, rate, direction="remove")
    assert step.renyi_divergence(order) == approx(expected, rel=1e-11)


def test_divergences_below_all_numbers_are_0():
    for rate in (1e-170, 1e-300):
        step = dp.SubsampledLaplace(1.0, rate, direction="add")
        assert np.all(step.renyi_divergence([1e-9, 0.3, 1.0, 1 + 1e-7, 2.0, 50.0]) == 0)


def test_the_excess_of_a_power_has_its_digits():
    generator = np.random.default_rng(0)
    for _ in range(300):
        log_size, far, sign = generator.uniform(-14, 12), generator.uniform(-12, 3), generator.choice([-1.0, 1.0])
        loss, below = sign * 10**far, 10 ** min(log_size, -0.01)
        for t in (1 + 10**log_size, -(10**log_size), below, 1 - below):
            if abs(t * loss) > 1e6 or t in (0.0, 1.0):
                continue
            with mpmath.workdps(80):
                a, b = mpmath.mpf(float(t)), mpmath.mpf(float(loss))
                expected = float(mpmath.log(abs(mpmath.expm1(a * b) - a * mpmath.expm1(b))))
            found = log_excess(np.array([loss]), np.zeros(1), np.array([loss]), float(t), False)
            assert found == approx(expected, rel=1e-14, abs=1e-12), (loss, t)


@pytest.mark.parametrize(
    "m",
    [
        dp.Laplace(1),
        dp.Laplace(100),
        dp.DiscreteGaussian(1),
        dp.SubsampledGaussian(1, 0.1, "add"),
        dp.SubsampledGaussian(5, 0.01),
        dp.SubsampledDiscreteGaussian(1, 0.1, direction="add"),
        dp.SubsampledGaussianGroup(1, 0.1, 2, "add"),
        dp.GaussianMixture(1, (0.0, 1.0), (0.5, 0.5), "add"),
        dp.PermuteAndFlip(1),
    ],
    ids=repr,
)
def test_next_to_order_zero_a_divergence_is_the_order_times_that_of_the_reverse(m):
    orders = np.array([1e-300, 1e-16, 1e-12, 1e-9])
    wanted = approx(orders * m.reverse.renyi_divergence(1.0), rel=1e-8)
    assert m.renyi_divergence(orders) == wanted
    assert [m.renyi_divergence(order) for order in orders] == wanted


def test_of_a_leak_a_divergence_next_to_order_zero_is_that_of_what_remains():
    assert dp.ApproximateDP(1, 0.1).renyi_divergence([1e-300, 1e-12]) == approx(-math.log(0.9), rel=1e-9)
    assert dp.ApproximateDP(1, 0.1).renyi_divergence(1e-12) == approx(-math.log(0.9), rel=1e-9)


def test_tiny_divergences_of_what_has_no_closed_form():
    step = dp.SubsampledLaplace(1.0, 1e-7, "remove")
    # E_P[(r − 1)²] of Laplace noise.
    square = (2 * math.e + math.exp(-2.0)) / 3 - 1
    assert step.renyi_divergence([0.5, 1.0, 2.0]) == approx(np.array([0.25, 0.5, 1.0]) * 1e-14 * square, rel=1e-6)


def log_area(log_delta, tilt, end):
    """log ∫ e^{tilt·ε} δ(ε) dε up to an end, by the trapezoidal rule, from log δ at 30 digits."""
    epsilon = np.linspace(0.0, end, 1501)
    with mpmath.workdps(30):
        heights = [tilt * mpmath.mpf(float(x)) + log_delta(mpmath.mpf(float(x))) for x in epsilon]
        most = max(heights)
        return float(most + mpmath.log(mpmath.fsum(mpmath.exp(h - most) for h in heights) * epsilon[1]))


def log_delta_of_a_sample(mu, rate):
    """log δ of a subsampled Gaussian step, removal, as a function of ε ≥ 0."""

    def log_delta(epsilon):
        z = (epsilon + mpmath.log1p(-(1 - rate) * mpmath.exp(-epsilon)) - mpmath.log(rate)) / mu + mpmath.mpf(mu) / 2
        return mpmath.log(rate * mpmath.ncdf(mu - z) - (mpmath.exp(epsilon) - 1 + rate) * mpmath.ncdf(-z))

    return log_delta


# Of the second both parts of the join matter, of the others one.
@pytest.mark.parametrize("log10_rate", [-20.0, -35.5, -60.0])
def test_a_divergence_of_a_join_whose_profile_underflows_is_between_two_sums(log10_rate):
    mu, other_mu, rate, order = 40.0, 42.0, 10**log10_rate, 2.0
    parts = dp.Gaussian(1 / mu), dp.SubsampledGaussian(1 / other_mu, rate, "remove")
    first, second = log_delta_of_a_sample(mu, mpmath.mpf(1)), log_delta_of_a_sample(other_mu, mpmath.mpf(rate))
    area = log_area(lambda epsilon: max(first(epsilon), second(epsilon)), order - 1, 4 * mu**2)
    exact = np.logaddexp(0.0, math.log(order * (order - 1)) + area) / (order - 1)
    found = dp.join(*parts).renyi_divergence(order)
    assert max(part.renyi_divergence(order) for part in parts) <= found
    assert exact * (1 - 1e-9) <= found <= exact + math.log(2) / (order - 1)
    assert log10_rate == -35.5 or found == approx(exact, rel=1e-9)


def test_a_divergence_of_a_meet_whose_profile_underflows_is_at_most_that_of_each_part():
    narrow, step = dp.Gaussian(0.01), dp.SubsampledGaussian(0.005, 0.1)
    both = dp.meet(narrow, step)
    assert both.renyi_divergence(2) == approx(narrow.renyi_divergence(2), rel=1e-9)
    # A meet of what is ordered is the one that reveals less.
    assert dp.meet(narrow, dp.Gaussian(0.02)).renyi_divergence([2, 30]) == approx([2500, 37500], rel=1e-9)
    assert dp.meet(narrow, dp.PerfectPrivacy()).renyi_divergence(2) == 0.0
    assert dp.meet(dp.Gaussian(), dp.ApproximateDP(1, 0.01)).renyi_divergence(1e20) == approx(5e19, rel=1e-9)


@pytest.mark.parametrize("order", [2.0, 8.0, 60.0])
def test_divergences_of_a_join_and_a_meet_of_which_no_profile_is_known_are_bounded_by_those_of_parts(order):
    parts = dp.BallsAndBins(0.9, 3, "add"), dp.Gaussian(3)
    each = [part.renyi_divergence(order) for part in parts]
    assert max(each) * (1 - 1e-12) <= dp.join(*parts).renyi_divergence(order) <= max(each) * (1 + 1e-6)
    assert dp.meet(*parts).renyi_divergence(order) <= min(each) * (1 + 1e-12)


def test_no_order_is_refuted_by_an_upper_bound_on_a_divergence():
    rest = dp.Gaussian(1000)
    part = dp.join(dp.Gaussian(0.01), dp.SubsampledGaussian(0.01, 0.999999)) @ rest
    more = dp.Gaussian(0.0099999) @ rest
    # The bound is above what is larger.
    assert more.renyi_divergence(1.5) < part.renyi_divergence(1.5)
    assert renyi_witness(more, part) is None


def test_the_divergence_of_a_join_is_an_integral_over_the_larger_profile():
    mu, order = 1 / 1.2, 3.0

    def of_gaussian(x):
        return ndtr(mu / 2 - x / mu) - math.exp(x) * ndtr(-mu / 2 - x / mu)

    def of_laplace(x):
        return max(-math.expm1((x - 1) / 2), 0.0)

    def weighted(x):
        return (math.exp((order - 1) * x) + math.exp(-order * x)) * max(of_gaussian(x), of_laplace(x))

    crossing = brentq(lambda x: of_gaussian(x) - of_laplace(x), 0.5, 0.9)
    pieces = itertools.pairwise([0.0, crossing, 1.0, 4.0, 14.0])
    area = math.fsum(quad(weighted, *piece, epsabs=0, epsrel=1e-12)[0] for piece in pieces)
    found = dp.join(dp.Laplace(1), dp.Gaussian(1.2)).renyi_divergence(order)
    assert found == approx(math.log1p(order * (order - 1) * area) / (order - 1), rel=1e-11)


@pytest.mark.parametrize("order", [0.1, 0.5, 0.9])
def test_a_divergence_below_order_1_keeps_its_digits_where_there_is_hardly_an_overlap(order):
    def of_gaussian(x):
        return ndtr(x / 20 - 10) + math.exp(x + log_ndtr(-x / 20 - 10))

    def of_laplace(x):
        return min(math.exp((x - 200) / 2), 1.0)

    def weighted(x):
        return (math.exp((order - 1) * x) + math.exp(-order * x)) * min(of_gaussian(x), of_laplace(x))

    m = dp.join(dp.Gaussian(0.05), dp.Laplace(0.005))
    crossing = brentq(lambda x: math.log(of_gaussian(x) / of_laplace(x)), 100, 199.9)
    cuts = np.unique([*np.arange(0.0, 400.0, 4.0), crossing, 700.0])
    area = math.fsum(quad(weighted, *piece, epsabs=0, epsrel=1e-12)[0] for piece in itertools.pairwise(cuts))
    right = math.log(order * (1 - order) * area) / (order - 1)
    assert m.renyi_divergence(order) == approx(right, rel=1e-9)
    assert dp.join(dp.Gaussian(1), dp.BlatantlyNonPrivate()).renyi_divergence(order) == math.inf
    # Losses far beyond those that are looked for would matter here.
    with pytest.raises(dp.NumericalError):
        dp.join(dp.Gaussian(1 / 60), dp.Laplace(1)).renyi_divergence(order)
