"""Lower and upper values of δ for compositions whose transforms do not decay, against exact sums and integrals.

The sweep (tests/test_sweep.py) has references of Laplace mechanisms alone and beside responses, noise and trainings.
"""

import math

import mpmath as mp
import numpy as np
import pytest
from conftest import approx
from scipy.special import gammaln
from test_touching import response_with_laplace

import dptutor as dp
from dptutor.evaluation.lines import Lines, _finite_product
from dptutor.mechanisms import composition

# References.


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


def test_delta_near_the_end_of_a_long_power_is_a_binomial_below_a_poisson():
    count, top = 300, 2.0
    epsilon = count * top - np.array([1e-9, 0.1, 1.0, 3.9])
    lower, upper = interval([(dp.Laplace(0.5), count)], epsilon)
    for low, high, x in zip(lower, upper, epsilon, strict=True):
        mp.mp.dps = 200
        rest = mp.mpf(count * top) - mp.mpf(float(x))
        assert_holds(low, high, binomial_below_poisson(count, rest / 2), 1e-9)


# Different parts.


def test_few_large_atoms_leave_no_gap_at_zero():
    lower, upper = interval([(dp.Laplace(15.5), 1), (dp.ApproximateDP(1.36, 1e-5), 1)], 0.0)
    with mp.workdps(40):
        truth = 1 - response_with_laplace(15.5, 1.36, 1e-5)(mp.mpf(0))
    assert_holds(lower * (1 - 1e-12), upper * (1 + 1e-12), truth, 1e-11)


def test_mass_at_infinity_is_added():
    leak, epsilon = 1e-4, 1.5
    alone = interval([(dp.Laplace(1), 3)], epsilon)
    lower, upper = interval([(dp.Laplace(1), 3), (dp.ApproximateDP(0, leak), 2)], epsilon)
    kept = (1 - leak) ** 2
    assert lower == approx(kept * alone[0] + 1 - kept, rel=1e-12)
    assert upper == approx(kept * alone[1] + 1 - kept, rel=1e-12)


@pytest.mark.parametrize(("top", "sigma"), [(1.0, 1.0), (0.5, 20.0), (1.0, 1e4), (2.0, 1e7)])
def test_laplace_with_a_gaussian_is_an_integral(top, sigma):
    factors = [(dp.Laplace(1, top), 1), (dp.Gaussian(sigma), 1)]
    for epsilon in (0.0, 0.7 * top, top, top + 2 / sigma):
        truth = laplace_and_gaussian(top, dp.Gaussian(sigma).mu, epsilon)
        assert_holds(*interval(factors, epsilon), truth, 1e-7)


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
    assert lines.largest == approx(largest, rel=1e-15)
    just_below = np.nextafter(lines.largest, 0)
    assert lines.profile(np.array([lines.largest]))[1][0] == 0.0
    assert lines.profile(np.array([just_below]))[1][0] > 0.0


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
    table = composition._by_lines(m)._forward
    filled = set(table._pieces)
    end = table.beyond(1e-14)
    assert set(table._pieces) == filled and end < table.end / 10
    # Chernoff's bound, without its factor: δ(ε) ≤ e^{(s − 1)(D_s − ε)}.
    more = np.geomspace(0.01, 0.5, 50)
    assert np.min(more * (m.renyi_divergence(1 + more) - end)) < math.log(1e-14) + 3
