"""Lower and upper values of δ for compositions whose transforms do not decay, against exact sums and integrals."""

import itertools
import math

import mpmath as mp
import numpy as np
import pytest
from scipy.special import gammaln

import dptutor as dp
from dptutor.evaluation.laplace_powers import LaplacePower
from dptutor.evaluation.laplace_products import LaplaceProduct
from dptutor.evaluation.lines import Lines, _finite_product

# References.


def laplace_sum(tops, epsilon, digits=None):
    """δ of Laplace mechanisms with these largest losses, by partial fractions, in many digits.

    With y = Σ ε₀ − ε and D's Laplace transform Π ½[(1 + 1/2w) + (1 − 1/2w) e^{−2ε₀w}], every set S of parts adds
    e^{−y/2} 2^−n times the inverse transform of (w+½)^{n−|S|−1} (w−½)^{|S|−1} w^−n at y − 2 Σ_S ε₀.
    """
    n = len(tops)
    mp.mp.dps = digits or 50 + int(0.7 * n + 0.3 * sum(tops))
    tops = [mp.mpf(float(top)) for top in tops]
    y = mp.fsum(tops) - mp.mpf(float(epsilon))
    equal = len(set(tops)) == 1
    total = mp.mpf(0)
    for size in range(n):
        coefficients = product_of_powers(n, size) if size else None
        if equal:
            sets = [(2 * size * tops[0], math.comb(n, size))]
        else:
            sets = [(2 * mp.fsum(chosen), 1) for chosen in itertools.combinations(tops, size)]
        for shift, times in sets:
            rest = y - shift
            if rest <= 0:
                continue
            if size == 0:
                total += binomial_below_poisson(n, rest / 2)
                continue
            term, power = mp.mpf(0), rest
            for j, coefficient in enumerate(coefficients):
                term += coefficient * power
                power *= rest / (j + 2)
            total += times * mp.mpf(2) ** -n * term * mp.exp(-y / 2)
    return total


def product_of_powers(n, size):
    """Coefficients of (1 + x/2)^{n−size−1} (1 − x/2)^{size−1}."""
    first = [mp.mpf(math.comb(n - size - 1, j)) / 2**j for j in range(n - size)]
    second = [mp.mpf(math.comb(size - 1, j)) * (-1) ** j / 2**j for j in range(size)]
    product = [mp.mpf(0)] * (n - 1)
    for (i, a), (j, b) in itertools.product(enumerate(first), enumerate(second)):
        product[i + j] += a * b
    return product


def binomial_below_poisson(n, mean):
    """Pr[Binomial(n − 1, ½) < Poisson(mean)]."""
    weight, beyond = mp.exp(-mean), 1 - mp.exp(-mean)
    atom, below, total = mp.mpf(2) ** -(n - 1), mp.mpf(0), mp.mpf(0)
    for k in range(1, n):
        weight *= mean / k
        below += atom
        atom *= mp.mpf(n - k) / k
        total += weight * below
        beyond -= weight
    return total + beyond


def of_either_sign(tops, x):
    if x >= 0:
        return laplace_sum(tops, x)
    return 1 - mp.exp(x) + mp.exp(x) * laplace_sum(tops, -x)


def laplace_and_gaussian(top, mu, epsilon):
    """Two atoms and a density between them, each with the Gaussian mechanism's profile."""
    mp.mp.dps = 40
    top, mu, epsilon = mp.mpf(top), mp.mpf(mu), mp.mpf(epsilon)

    def profile(x):
        return mp.ncdf(mu / 2 - x / mu) - mp.exp(x) * mp.ncdf(-mu / 2 - x / mu)

    places = [epsilon + mu * k for k in (-40, -20, -12, -9, -6, -4, -2, -1, 0, 1, 2, 4, 6, 9, 12, 20, 40)]
    places = sorted({-top, top, *(x for x in places if -top < x < top)})
    between = mp.quad(lambda x: mp.exp((x - top) / 2) / 4 * profile(epsilon - x), places)
    return profile(epsilon - top) / 2 + mp.exp(-top) / 2 * profile(epsilon + top) + between


def interval(factors, epsilon):
    lower, upper = Lines(factors).profile(np.atleast_1d(np.asarray(epsilon, dtype=float)))
    return (float(lower[0]), float(upper[0])) if np.ndim(epsilon) == 0 else (lower, upper)


def assert_holds(lower, upper, truth, sharp=1e-9):
    assert lower <= truth <= upper
    if upper > 1e-30:
        assert upper - lower <= sharp * upper


# Laws.


COMPOSITIONS = {
    "one": [(dp.Laplace(1), 1)],
    "a power": [(dp.Laplace(0.7), 40)],
    "a long power": [(dp.Laplace(3), 900)],
    "different scales": [(dp.Laplace(1), 2), (dp.Laplace(0.37), 1), (dp.Laplace(5), 1)],
    "twenty different ones": [(dp.Laplace(0.5 + 0.13 * k), 1) for k in range(20)],
    "with randomized response": [(dp.Laplace(2), 30), (dp.RandomizedResponse(0.5), 3)],
    "with a leak": [(dp.Laplace(1), 3), (dp.ApproximateDP(0.3, 1e-3), 4)],
    "with a finite experiment": [(dp.Laplace(1), 3), (dp.FiniteExperiment([0.5, 0.3, 0.2], [0.1, 0.3, 0.6]), 2)],
    "with a Gaussian": [(dp.Laplace(1), 3), (dp.Gaussian(2), 1)],
    "with a narrow Gaussian": [(dp.Laplace(1), 3), (dp.Gaussian(1e5), 1)],
    "with one subsampled step": [(dp.Laplace(1), 2), (dp.SubsampledGaussian(1, 0.1, "remove"), 1)],
    "with many": [(dp.Laplace(1), 2), (dp.SubsampledGaussian(1, 0.01, "add"), 500)],
    "finite, many atoms": [(dp.FiniteExperiment([0.4, 0.3, 0.2, 0.1], [0.25, 0.27, 0.28, 0.2]), 200)],
}


@pytest.fixture(params=COMPOSITIONS, scope="module")
def lines(request):
    return Lines(COMPOSITIONS[request.param])


def losses(lines):
    return np.linspace(0.0, min(lines.largest, 12.0) * 1.05, 23)


def test_the_profile_falls_within_its_interval_and_is_a_probability(lines):
    lower, upper = lines.profile(losses(lines))
    assert np.all(lower <= upper)
    assert np.all((lower >= 0) & (upper <= 1))
    assert np.all(np.maximum.accumulate(lower[::-1])[::-1] <= upper)


def test_an_epsilon_alone_and_in_an_array_has_the_same_bits(lines):
    epsilon = losses(lines)
    lower, upper = lines.profile(epsilon)
    for i in (0, 7, 15):
        alone = lines.profile(epsilon[i : i + 1])
        assert (alone[0][0], alone[1][0]) == (lower[i], upper[i])


def test_at_and_beyond_the_largest_loss_only_infinite_mass_is_left(lines):
    if lines.largest < np.inf:
        lower, upper = lines.profile(np.array([lines.largest, lines.largest + 1, 1e9, np.inf]))
        np.testing.assert_allclose(lower, lines.infinite, rtol=1e-15)
        np.testing.assert_allclose(upper, lines.infinite, rtol=1e-15)


def test_delta_at_zero_is_the_same_for_the_reverse_pair(lines):
    (low,), (high,) = lines.profile(np.zeros(1))
    (other_low,), (other_high,) = lines.reverse.profile(np.zeros(1))
    assert max(low, other_low) <= min(high, other_high)


# Laplace powers.


@pytest.mark.parametrize("seed", range(18))
def test_laplace_powers_are_exact(seed):
    rng = np.random.default_rng(seed)
    count = int(np.exp(rng.uniform(math.log(2), math.log(70))))
    mechanism = dp.Laplace(10 ** rng.uniform(-1.5, 3))
    top = mechanism.largest_loss
    end = count * top
    epsilon = [0.0, rng.uniform(0, end), end * (1 - 10 ** rng.uniform(-9, -1)), (count - 2 * (count // 3)) * top]
    lower, upper = interval([(mechanism, count)], epsilon)
    for low, high, x in zip(lower, upper, epsilon, strict=True):
        assert_holds(low, high, laplace_sum([top] * count, x), 1e-11)


@pytest.mark.parametrize(
    ("scale", "count", "epsilon", "truth"),
    [
        # By partial fractions in 166 digits; within the brackets of dp-accounting.
        (0.4351258658994215, 53, 99.79031, 1.4486e-3),
        (0.31924926376350016, 59, 175.858555, 1.6289e-8),
        (0.4135814952344823, 53, 107.22784, 8.5047e-4),
    ],
)
def test_cases_in_which_one_line_is_not_enough(scale, count, epsilon, truth):
    lower, upper = interval([(dp.Laplace(scale), count)], epsilon)
    assert_holds(lower, upper, laplace_sum([dp.Laplace(scale).largest_loss] * count, epsilon), 1e-11)
    assert lower == pytest.approx(truth, rel=1e-4)


def test_laplace_310_fold_lies_below_the_upper_ends_of_a_peer():
    # dp-accounting's pessimistic ε at δ = 1e-8, 1e-9, 1e-10.
    _, upper = interval([(dp.Laplace(3.722524987873323), 310)], [34.3629, 36.0208, 37.5732])
    assert np.all(upper <= [1e-8, 1e-9, 1e-10])


def test_delta_near_the_end_of_a_long_power_is_a_binomial_below_a_poisson():
    count, top = 300, 2.0
    epsilon = count * top - np.array([1e-9, 0.1, 1.0, 3.9])
    lower, upper = interval([(dp.Laplace(0.5), count)], epsilon)
    for low, high, x in zip(lower, upper, epsilon, strict=True):
        mp.mp.dps = 200
        rest = mp.mpf(count * top) - mp.mpf(float(x))
        assert_holds(low, high, binomial_below_poisson(count, rest / 2), 1e-9)


@pytest.mark.parametrize(("scale", "count"), [(1, 200), (0.5, 300), (10, 1000), (300, 2000)])
def test_lines_agree_with_the_sums_of_positive_terms(scale, count):
    lines = Lines([(dp.Laplace(scale), count)])
    exact = LaplacePower(1 / scale, count)
    epsilon = np.linspace(max(exact.low, 0.0), 0.999 * exact.high, 15)
    epsilon = epsilon[exact.profile(epsilon)[0] > 1e-200]
    lower, upper = exact.profile(epsilon)
    low, high = lines._inverter.profile(epsilon)
    assert np.all(np.maximum(low, lower) <= np.minimum(high, upper))


def test_a_power_is_the_product_of_its_equal_parts():
    product, power = LaplaceProduct([0.8] * 9), LaplacePower(0.8, 9)
    epsilon = np.linspace(0, 7.1, 50)
    np.testing.assert_allclose(product.profile(epsilon)[0], power.profile(epsilon)[0], rtol=1e-12)


@pytest.mark.parametrize(
    ("scale", "count"), [(1.0, 10**8), (100.0, 10**6), (1e-3, 10**6), (1e3, 10**9), (1.0, 10**9), (1e3, 10**4)]
)
def test_a_million_steps_are_near_their_normal_limit(scale, count):
    mechanism = dp.Laplace(scale)
    mean, variance = (count * moment for moment in mechanism._loss_moments("Q"))
    epsilon = np.maximum(mean + math.sqrt(variance) * np.array([0.0, 2.0, 5.0]), 0.0)
    lower, upper = interval([(mechanism, count)], epsilon)
    assert np.all(upper - lower <= 1e-6 * upper)
    third = 1 / math.sqrt(variance)
    for low, x, limit in zip(
        lower, epsilon, dp.Gaussian(third).privacy_profile(epsilon - mean + variance / 2), strict=True
    ):
        assert low == pytest.approx(limit, rel=0.2), x


# Different parts.


@pytest.mark.parametrize("seed", range(15))
def test_different_laplace_parts_are_exact(seed):
    rng = np.random.default_rng(seed)
    parts = [dp.Laplace(1, top) for top in 10 ** rng.uniform(-1.5, 1.2) * rng.uniform(0.1, 2, int(rng.integers(2, 7)))]
    tops = [part.largest_loss for part in parts]
    epsilon = [0.0, rng.uniform(0, sum(tops)), sum(tops) * (1 - 1e-5), max(sum(tops) - 2 * min(tops), 0.0)]
    lower, upper = interval([(part, 1) for part in parts], epsilon)
    for low, high, x in zip(lower, upper, epsilon, strict=True):
        assert_holds(low, high, laplace_sum(tops, x), 1e-11)


def test_laplace_with_randomized_response_is_a_mixture():
    epsilon, count, top = 2.3, 6, 0.4
    p, q = dp.RandomizedResponse(0.9)._outcomes()
    truth = sum(
        mass * of_either_sign([top] * count, epsilon - loss) for mass, loss in zip(q, np.log(q / p), strict=True)
    )
    assert_holds(*interval([(dp.Laplace(2.5), count), (dp.RandomizedResponse(0.9), 1)], epsilon), truth, 1e-11)


def test_mass_at_infinity_is_added():
    leak, epsilon = 1e-4, 1.5
    alone = interval([(dp.Laplace(1), 3)], epsilon)
    lower, upper = interval([(dp.Laplace(1), 3), (dp.ApproximateDP(0, leak), 2)], epsilon)
    kept = (1 - leak) ** 2
    assert lower == pytest.approx(kept * alone[0] + 1 - kept, rel=1e-12)
    assert upper == pytest.approx(kept * alone[1] + 1 - kept, rel=1e-12)


@pytest.mark.parametrize(("top", "sigma"), [(1.0, 1.0), (0.5, 20.0), (1.0, 1e4), (2.0, 1e7)])
def test_laplace_with_a_gaussian_is_an_integral(top, sigma):
    factors = [(dp.Laplace(1, top), 1), (dp.Gaussian(sigma), 1)]
    for epsilon in (0.0, 0.7 * top, top, top + 2 / sigma):
        truth = laplace_and_gaussian(top, dp.Gaussian(sigma).mu, epsilon)
        assert_holds(*interval(factors, epsilon), truth, 1e-7)


@pytest.mark.parametrize("direction", ["remove", "add"])
def test_lines_agree_with_the_quadrature_of_one_subsampled_step(direction):
    lines = Lines([(dp.Laplace(1.9), 2), (dp.SubsampledGaussian(1.4, 0.3, direction), 1)])
    epsilon = np.array([0.0, 0.2, 0.9, 1.05])
    (lower, upper), (low, high) = lines.profile(epsilon), lines._inverter.profile(epsilon)
    assert np.all(np.maximum(low, lower) <= np.minimum(high, upper))
    assert np.all(upper - lower <= 1e-10)


def test_laplace_with_a_subsampled_gaussian_lies_in_the_brackets_of_a_peer():
    # dp-accounting on a grid of 2e-4: [9.92e-11, 1.011e-10] at 147.33.
    parts = [
        (dp.Laplace(0.38077858051633917), 58),
        (dp.SubsampledGaussian(4.123765294616298, 0.0046318440770438795, "remove"), 5),
    ]
    lower, upper = interval(parts, 147.33)
    assert 9.9e-11 < lower <= upper < 1.02e-10
    assert upper - lower <= 1e-6 * upper


def test_a_finite_experiment_of_four_losses_is_a_sum():
    experiment = dp.FiniteExperiment([0.4, 0.3, 0.2, 0.1], [0.25, 0.27, 0.28, 0.2])
    law = experiment._law.power(25)
    lines = Lines([(experiment, 25)])
    for epsilon in (0.0, 1.0, 4.0):
        lower, upper = (float(end[0]) for end in lines.profile(np.array([epsilon])))
        assert lower <= float(law.delta(np.asarray(epsilon))) * (1 + 1e-12)
        assert upper >= float(law.delta(np.asarray(epsilon))) * (1 - 1e-12)
        assert upper - lower <= 2e-5 * upper


def test_a_finite_experiment_too_often_to_be_enumerated_is_a_multinomial_sum():
    count = 2000
    experiment = dp.FiniteExperiment([0.5, 0.3, 0.2], [0.46, 0.33, 0.21])
    loss, q = experiment._law.kinks, experiment._law.q
    i, j = (x.ravel() for x in np.indices((count + 1, count + 1)))
    i, j = i[i + j <= count], j[i + j <= count]
    uses = np.stack([i, j, count - i - j])
    mass = np.exp(gammaln(count + 1) - gammaln(uses + 1).sum(axis=0) + np.log(q) @ uses)
    total = loss @ uses
    epsilon = np.array([0.0, 5.0, 12.0, 30.0])
    lower, upper = interval([(experiment, count)], epsilon)
    for low, high, x in zip(lower, upper, epsilon, strict=True):
        truth = float(np.sum(mass[total > x] * -np.expm1(x - total[total > x])))
        assert low <= truth * (1 + 1e-11)
        assert high >= truth * (1 - 1e-11)
        assert high - low <= 2e-6 * high


def test_few_large_atoms_leave_no_gap_at_zero():
    lower, upper = interval([(dp.Laplace(15.5), 1), (dp.ApproximateDP(1.36, 1e-5), 1)], 0.0)
    truth = (1 - 1e-5) * laplace_mixture(dp.RandomizedResponse(1.36), 1 / 15.5) + 1e-5
    assert_holds(lower * (1 - 1e-12), upper * (1 + 1e-12), truth, 1e-11)


def laplace_mixture(response, top):
    p, q = response._outcomes()
    return sum(mass * of_either_sign([top], -loss) for mass, loss in zip(q, np.log(q / p), strict=True))


# Off the usual path.


@pytest.mark.parametrize(
    ("factors", "largest"),
    [
        ([(dp.Laplace(1), 3)], 3.0),
        ([(dp.Laplace(1), 1), (dp.Laplace(2), 1)], 1.5),
        ([(dp.Laplace(1), 3), (dp.Laplace(2), 2)], 4.0),
        ([(dp.Laplace(1e-3), 2)], 2000.0),
        ([(dp.Laplace(3), 2), (dp.RandomizedResponse(0.25), 4)], 2 / 3 + 1),
    ],
)
def test_the_largest_loss_comes_from_the_range(factors, largest):
    lines = Lines(factors)
    assert lines.largest == pytest.approx(largest, rel=1e-15)
    just_below = np.nextafter(lines.largest, 0)
    assert lines.profile(np.array([lines.largest]))[1][0] == 0.0
    assert lines.profile(np.array([just_below]))[1][0] > 0.0


def test_a_tiny_scale_keeps_its_largest_loss():
    lines = Lines([(dp.Laplace(1e-3), 2)])
    lower, upper = lines.profile(np.array([1999.0, 1999.9999]))
    for low, high, x in zip(lower, upper, (1999.0, 1999.9999), strict=True):
        assert_holds(low, high, laplace_sum([dp.Laplace(1e-3).largest_loss] * 2, x, 1000))


def test_a_tiny_scale_with_a_gaussian_is_answered():
    lower, upper = interval([(dp.Laplace(1e-5), 1), (dp.Gaussian(1), 1)], [0.0, 99_990.0, 100_001.0, 100_007.0])
    assert lower[0] > 1 - 1e-12
    assert np.all(np.diff(upper) < 0)
    assert np.all(upper - lower <= 1e-8 * upper)


def test_the_transform_of_laplace_keeps_its_digits_in_logarithms():
    mp.mp.dps = 50
    rng = np.random.default_rng(3)
    for scale in (1e-3, 0.1, 1.0, 30.0, 1e3):
        part = dp.Laplace(scale)
        top = mp.mpf(part.largest_loss)
        for _ in range(10):
            s = 1 + complex(rng.choice([-1, 1]) * 10 ** rng.uniform(-7, 2), 10 ** rng.uniform(-6, 2))
            (value,), (bound,) = part._log_hellinger(np.array([s]))
            u = mp.mpc(s) - mp.mpf(1) / 2
            truth = mp.log(mp.exp(-top / 2) * (mp.cosh(u * top) + mp.sinh(u * top) / (2 * u)))
            miss = mp.mpc(value) - truth
            assert abs(miss - 2j * mp.pi * mp.nint(miss.imag / (2 * mp.pi))) <= bound


@pytest.mark.deep
@pytest.mark.parametrize("sigma", [1e3, 1e4, 1e5, 1e6, 1e8])
@pytest.mark.parametrize("scales", [(1.0,), (1.0, 0.7), (1.1, 1.1, 1.1)], ids=str)
def test_a_little_normal_noise_adds_no_more_than_it_may_alone(scales, sigma):
    alone = dp.Laplace(scales[0])
    for scale in scales[1:]:
        alone = alone @ dp.Laplace(scale)
    more = dp.Gaussian(sigma).advantage
    kinks = [x for x in alone._breakpoints() if x >= 0]
    beside = np.add.outer(kinks, np.linspace(-8, 8, 33) / sigma).ravel()
    epsilon = np.concatenate([np.linspace(0, 2 * max(kinks), 40), beside[beside >= 0]])
    value, error = (alone @ dp.Gaussian(sigma)).privacy_profile(epsilon, with_error=True)
    less, its_error = alone.privacy_profile(epsilon, with_error=True)
    assert np.all(value + error + its_error >= less)
    assert np.all(value - error - its_error <= less + more)
    assert np.all(error <= 1e-10)


@pytest.mark.deep
@pytest.mark.parametrize(("sigma", "rate"), [(100, 0.5), (100, 0.001), (1e4, 0.5), (1e6, 0.001)])
@pytest.mark.parametrize("direction", ["add", "remove"])
def test_a_little_subsampled_noise_adds_no_more_than_it_may_alone(sigma, rate, direction):
    alone, noise = dp.Laplace(1), dp.SubsampledGaussian(sigma, rate, direction)
    epsilon = np.concatenate([np.linspace(0, 2, 30), 1 + np.linspace(-8, 8, 33) * rate / sigma])
    value, error = (alone @ noise).privacy_profile(epsilon, with_error=True)
    less = alone.privacy_profile(epsilon)
    assert np.all(value + error + 1e-15 >= less)
    assert np.all(value - error - 1e-15 <= less + noise.advantage)
    assert np.all(error <= 1e-10)


@pytest.mark.parametrize("seed", range(12))
def test_f_of_mixes_lies_on_the_lines_of_their_profiles(seed):
    """Losses that cancel, but for rounding, left a piece of a table next to 0 on which slopes were noise; and where δ
    of finite losses ends before that of infinite ones, nobody looked for the end."""
    random = np.random.default_rng(seed)
    loss, scale = 10 ** random.uniform(-0.7, 0.9), 10 ** random.uniform(-0.2, 1.2)
    m = [
        dp.RandomizedResponse(0.798) ** 6 @ dp.Laplace(1.252) ** 46,
        dp.Laplace(10.75) ** 838 @ dp.RandomizedResponse(4.63) ** 2,
        dp.Laplace(1.7039594589402551) ** 2 @ dp.ApproximateDP(0.44636528431526207, 1e-4),
        dp.RandomizedResponse(loss) ** int(random.integers(1, 12)) @ dp.Laplace(scale) ** int(random.integers(1, 100)),
        dp.Laplace(scale) ** int(random.integers(1, 9)) @ dp.ApproximateDP(loss, 1e-3) ** int(random.integers(1, 4)),
    ][seed if seed < 3 else 3 + seed % 2]
    alphas = np.array([1e-9, 1e-4, 0.01, 0.05, 0.3, 0.7, 0.97])
    values, errors = m.tradeoff(alphas, with_error=True)
    epsilons = np.unique(np.concatenate([np.linspace(-40, 40, 1601), np.sinh(np.linspace(-9, 9, 801)) / 50]))
    deltas, theirs = m.privacy_profile(epsilons, with_error=True)
    lines = 1 - deltas - theirs - np.exp(epsilons) * alphas[:, None]
    assert np.all(values + errors >= lines.max(axis=1) - 1e-13)
    assert np.all(errors < 1e-9)


def test_a_step_that_hardly_varies_so_far_out_is_no_reason_to_count_its_samples():
    m = dp.Laplace(0.3089) ** 744 @ dp.ApproximateDP(3.772, 0.0004924) ** 52
    value, error = m.tradeoff(0.05, with_error=True)
    assert 0 <= value <= error < 1e-11


@pytest.mark.parametrize("direction", ["remove", "add"])
def test_the_mass_of_finite_losses_is_no_sum_over_a_million_steps(direction):
    # 1 − δ(0) by a contour in ball arithmetic; the logarithm of the mass, 0, summed over all steps was off by 5e-15.
    m = dp.Laplace(15.2) ** 741 @ dp.DPSGD(14.53, 0.1075, 1566000, direction)
    value, error = m.bayes_error(0.5, with_error=True)
    assert abs(value - 1.1968023168425341e-6) <= error <= 1e-14
    value, error = (m @ dp.ApproximateDP(0, 0.5) ** 3).bayes_error(0.5, with_error=True)
    assert abs(value - 1.1968023168425341e-6 / 8) <= error <= 1e-10


def test_a_line_with_gaps_is_summed_as_it_stands():
    power = dp.FiniteExperiment([0.1, 0.2, 0.3, 0.15, 0.25], [0.13, 0.21, 0.22, 0.2, 0.24]) ** 417
    inverter = Lines(power.factors)._inverter
    mean, variance = power._loss_moments("Q")
    epsilon = mean + math.sqrt(variance) * np.array([-1.5, 0.0, 2.5])
    inverter.profile(epsilon)
    gapped = [line for line in inverter._lines.values() if line is not None and line.index is not None]
    assert gapped
    for line in gapped:
        for kernel, (total, spread) in zip((line._kernel, 1.0), line._sums([line._kernel, None], epsilon), strict=True):
            phases = np.exp(-1j * line.step * np.multiply.outer(epsilon, line.index))
            assert np.all(np.abs((phases @ (line.terms * kernel)).real - total) <= 2 * spread)


def profile_of_two_responses(first, second, count, epsilon):
    """δ of both so many times, as a sum over the losses of the first of that of the second."""
    other = (dp.RandomizedResponse(second) ** count)._faces.law
    number = np.arange(count + 1.0)
    q = np.exp(log_binomial(count, number) - count * np.log1p(np.exp(-first)) - (count - number) * first)
    kept = q > 1e-40
    loss = first * (2 * number - count)
    return np.array([np.sum(q[kept] * other.delta(x - loss[kept])) for x in epsilon])


def log_binomial(count, number):
    return gammaln(count + 1.0) - gammaln(number + 1.0) - gammaln(count - number + 1.0)


@pytest.mark.parametrize("second", [1.7, math.sqrt(3)])
def test_two_responses_so_often_that_their_sums_cannot_be_listed_keep_their_bounds(second):
    whole = (dp.RandomizedResponse(1.0) @ dp.RandomizedResponse(second)) ** 58_551
    mean, variance = whole._loss_moments("Q")
    epsilon = mean + math.sqrt(variance) * np.array([-3.0, 0.0, 3.0, 6.0])
    right = profile_of_two_responses(1.0, second, 58_551, epsilon)
    value, bound = whole.privacy_profile(epsilon, with_error=True)
    assert np.all(np.abs(value - right) <= bound + 1e-9 * right)
    assert np.all(bound <= 1e-2 * right)
    if second != 1.7:  # of losses on one lattice each place is listed
        # The intervals of a table have few pieces, however many atoms there are.
        assert max(len(rows) for rows in whole._faces._forward._pieces.values()) <= 1100


def test_few_laplace_mechanisms_with_large_atoms_are_had_exactly():
    m = dp.Laplace(4.9763) ** 55 @ dp.Laplace(0.23571) ** 7
    epsilon, error = m.epsilon(1e-5, with_error=True)
    assert abs(epsilon - 34.869221244) < 1e-8 and error < 1e-10


@pytest.mark.parametrize("c", [-3.0, -0.4, 0.7, 25.0])
def test_products_of_finite_transforms_keep_their_bounds(c):
    rng = np.random.default_rng(7)
    tables = [rng.dirichlet(np.ones(4), 2) for _ in range(6)]
    laws = [dp.RandomizedResponse(40.0)._law, *(dp.FiniteExperiment(p, q)._law for p, q in tables)]
    step, count = 0.013, 3000
    ratio, error = _finite_product(laws, c, step, count)
    with mp.workdps(40):
        for k in (0, 1, 17, 1234, 2999):
            right = mp.mpf(1)
            for law in laws:
                pairs = [
                    (mp.exp(mp.mpf(float(log_q))), mp.mpf(float(loss)))
                    for log_q, loss in zip(law.log_q, law.kinks, strict=True)
                ]
                z = mp.mpc(c, mp.mpf(step) * k)
                right *= sum(q * mp.exp(z * loss) for q, loss in pairs) / sum(q * mp.exp(c * loss) for q, loss in pairs)
            assert abs(right - complex(ratio[k])) <= abs(right) * error[k]
            assert error[k] < 1e-9


@pytest.mark.deep
def test_a_line_that_needs_more_noise_than_any_number_has_room_for_leaves_the_other_bounds():
    rate, count = 0.1038420841976843, 65
    m = dp.SubsampledDiscreteGaussian(0.10820411918219702, rate, 8488, "remove") ** count
    # Taking part in a step is seen there.
    value, error = m.privacy_profile(1.0, with_error=True)
    assert abs(value + math.expm1(count * math.log1p(-rate))) <= error + 1e-15 < 1e-5


def test_where_a_profile_ends_is_known_without_tables():
    m = dp.SubsampledDiscreteGaussian(0.61, 0.16, 5, "remove") ** 50
    table = m._faces._forward
    end = table.beyond(1e-14)
    assert not table._pieces and end < table.end / 10
    # Chernoff's bound, without its factor: δ(ε) ≤ e^{(s − 1)(D_s − ε)}.
    more = np.geomspace(0.01, 0.5, 50)
    assert np.min(more * (m.renyi_divergence(1 + more) - end)) < math.log(1e-14) + 3
