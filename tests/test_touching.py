"""The trade-off function from a profile, and what a search over random trees of mechanisms found to be false."""

import mpmath
import numpy as np
import pytest
from conftest import approx
from mpmath import mp, mpf
from sweep import contour

import dptutor as dp
from dptutor.evaluation.touching import highest_lines, known_at
from dptutor.mechanisms import composition
from dptutor.mechanisms.composition import Composition


def response_with_laplace(scale, epsilon, leak):
    """1 − δ of a Laplace mechanism together with `ApproximateDP`, in closed form."""
    top, loss, leak = 1 / mpf(scale), mpf(epsilon), mpf(leak)
    truth = 1 / (1 + mpmath.exp(-loss))

    def laplace(x):
        return mpf(0) if x >= top else -mpmath.expm1((x - top) / 2) if x >= -top else -mpmath.expm1(x)

    return lambda x: (1 - leak) * (1 - truth * laplace(x - loss) - (1 - truth) * laplace(x + loss))


def highest(rest, alpha, low, high):
    """max over ε of rest(ε) − e^ε α, by golden section."""
    share = (mp.sqrt(5) - 1) / 2
    for _ in range(160):
        left, right = high - share * (high - low), low + share * (high - low)
        if rest(left) - mpmath.exp(left) * alpha < rest(right) - mpmath.exp(right) * alpha:
            low = left
        else:
            high = right
    return rest(low) - mpmath.exp(low) * alpha


CASES = [(1.4309, 0.04849, 8.5873e-6), (7.6465, 2.1197, 0.0), (0.5, 1.0, 1e-3), (40.0, 0.02, 1e-9)]


@pytest.mark.parametrize("case", CASES)
def test_f_keeps_its_bound_where_slopes_have_few_digits(case):
    scale, epsilon, leak = case
    mechanism, rest = dp.Laplace(scale) @ dp.ApproximateDP(epsilon, leak), response_with_laplace(*case)
    end = mpf(1) / mpf(scale) + mpf(epsilon)
    # Around the tests at ε = 0 and at the kinks, on both sides.
    alpha = np.concatenate(
        [mechanism.privacy_loss.sf(np.array([0.0, *mechanism._breakpoints()]) + x) for x in (-1e-6, 1e-9, 1e-6)]
    )
    alpha = np.clip(np.append(alpha, [1e-9, 0.3524386369019601, 0.1071968552522445]), 0.0, 1.0)
    value, bound = mechanism.tradeoff(alpha, with_error=True)
    with mp.workdps(40):
        right = np.array([max(float(highest(rest, mpf(float(x)), -end, end)), 0.0) for x in alpha])
    assert np.all(np.abs(value - right) <= bound + 2e-16)
    assert np.all(bound <= 1e-10)


def lines_of_a_curve(losses):
    """1 − δ of f(α) = 1 − α + α log α: concave in e^ε, with a slope of at most 1."""
    return -np.expm1(-np.exp(losses))


def curve(alpha):
    return 1.0 - alpha + alpha * np.log(alpha)


@pytest.mark.parametrize(("below", "above"), [(1e-6, 1e-6), (1e-6, 1e-9), (0.0, 1e-6)])
def test_the_bound_on_f_holds_whatever_the_values_are_within_theirs(below, above):
    rng = np.random.default_rng(7)
    alpha = np.array([0.3, 0.4, 0.5, 0.7])
    losses = np.sort(rng.uniform(-2.0, 3.0, (25, 4)), axis=0)
    rest = lines_of_a_curve(losses) + rng.uniform(-above, below, losses.shape)
    value, bound, _ = highest_lines(losses, rest, *np.broadcast_arrays(below, above, rest)[:2], alpha, (1.0, 1.0))
    assert np.all(np.abs(value - curve(alpha)) <= bound)
    assert np.all(bound < 0.2)


def test_f_is_as_sharp_as_the_profile_is_near_its_lines():
    def lines(losses):
        error = np.where(np.abs(losses) > 1.5, 1e-2, 1e-11)
        return lines_of_a_curve(losses), error, error

    alpha = np.array([0.3, 0.5, 0.7])
    value, bound = known_at(lines, np.linspace([-2.0] * 3, [2.0] * 3, 9), alpha, (1.0, 1.0))
    assert np.all(np.abs(value - curve(alpha)) <= bound)
    assert np.all(bound < 2e-11)


def test_a_hundred_laplace_mechanisms_have_a_useful_f():
    whole = dp.Laplace(1.0)
    for k in range(1, 100):
        whole = whole @ dp.Laplace(1 + 0.37 * k)
    assert whole.tradeoff(0.1, with_error=True)[1] < 1e-4  # was 0.54


TRAINING = contour.Subsampled(13.378, 0.00014615, 2122)


@pytest.mark.deep
@pytest.mark.parametrize("rate", [0.999, 0.999999986732])
@pytest.mark.parametrize("epsilon", [0.001, 0.15393367])
def test_lower_and_upper_values_hold_at_rates_near_one(rate, epsilon):
    mechanism = dp.SubsampledGaussian(4.2907, rate, "add") @ dp.DPSGD(13.378, 0.00014615, 2122, "add")
    faces = composition._by_lines(mechanism)
    contour.set_digits(40)
    right = float(contour.solve([contour.Subsampled(4.2907, rate, 1), TRAINING], epsilon, True)[1])
    assert faces.delta([epsilon])[0] == approx(right, rel=0, abs=faces.delta_error([epsilon])[0])


@pytest.mark.deep
@pytest.mark.parametrize("epsilon", [46.52098799805943, 48.12515999799252])
def test_losses_next_to_the_smallest_keep_their_digits_at_rates_near_one(epsilon):
    mu = float(np.hypot(1 / 0.26575, 1 / 40.733))
    mechanism = dp.Gaussian(1 / mu) @ dp.SubsampledGaussian(0.19301, 0.99999901461, "add")
    mechanism = mechanism @ dp.SubsampledGaussian(0.4171, 0.00051652, "add")
    contour.set_digits(40)
    parts = [contour.Gaussian(mu), contour.Subsampled(0.19301, 0.99999901461, 1)]
    right = float(contour.solve([*parts, contour.Subsampled(0.4171, 0.00051652, 1)], epsilon, True)[1])
    value, bound = mechanism.privacy_profile(epsilon, with_error=True)
    assert value == approx(right, rel=0, abs=bound)
    assert bound <= 1e-10 * value


@pytest.mark.parametrize("loss", [-1.0, -5.0, -13.0, -13.8302])
def test_the_errors_of_one_step_next_to_its_smallest_loss(loss):
    rate, sigma = 0.99999901461, 0.5
    with mp.workdps(40):
        p = mpf(rate)
        cut = sigma * mpmath.log((mpmath.exp(mpf(loss)) - 1 + p) / p) + 1 / mpf(2 * sigma)
        right = float(mpmath.ncdf(-cut))
    assert dp.SubsampledGaussian(sigma, rate, "remove").privacy_loss.sf(loss, under="P") == approx(right, rel=1e-9)


@pytest.mark.deep
@pytest.mark.parametrize("mechanism", [
    dp.Laplace(0.01) ** 3,
    (dp.RandomizedResponse(400) ** 3) @ dp.Gaussian(1),
    (dp.Gaussian(0.2452) @ dp.RandomizedResponse(0.015314)) ** 2457,
    (dp.SubsampledGaussian(0.30296, 0.986932, "remove") @ dp.ApproximateDP(0.052074, 3.2501e-9)) ** 381,
], ids=str)  # fmt: skip
def test_without_false_alarms_only_infinite_losses_are_found(mechanism):
    value, bound = mechanism.tradeoff(0.0, with_error=True)
    assert value == 1.0 - mechanism.privacy_profile(np.inf)
    assert bound <= 1e-14


def test_an_experiment_beside_much_laplace_noise_is_known():
    mechanism = dp.FiniteExperiment([0.6995, 0.3005], [0.1392, 0.8608]) @ dp.Laplace(338240)
    assert mechanism.error_bound < 1e-11
    value, bound = mechanism.tradeoff([1e-3, 0.1, 0.5], with_error=True)
    assert np.all(bound <= 1e-10)
    assert value == approx(dp.FiniteExperiment([0.6995, 0.3005], [0.1392, 0.8608]).tradeoff([1e-3, 0.1, 0.5]), abs=1e-5)


def test_joins_within_joins_ask_each_part_once():
    # Powers of two times as often, and thirty of them are not asked in a lifetime.
    whole = dp.Gaussian(1)
    for k in range(30):
        whole = dp.join(whole, dp.Laplace(1 + k))
    parts = [dp.Gaussian(1), *(dp.Laplace(1 + k) for k in range(30))]
    epsilon = np.array([0.0, 0.1, 1.5])
    assert whole.privacy_profile(epsilon) == approx(np.max([m.privacy_profile(epsilon) for m in parts], axis=0))
    assert whole.epsilon(1e-5) == approx(max(m.epsilon(1e-5) for m in parts))


@pytest.mark.deep
def test_a_part_all_of_whose_losses_are_huge_is_composed():
    huge = dp.join(dp.RandomizedResponse(1.5), dp.Laplace(0.24124) ** 1583)
    assert (dp.Laplace(3.3339) @ huge).privacy_profile([0.0, 3.0]) == approx([1.0, 1.0])


def test_atoms_that_underflow_have_a_logarithm():
    mechanism = dp.DiscreteGaussian(0.30717) @ dp.Laplace(1.0) @ dp.Laplace(2.0)
    assert isinstance(mechanism, Composition)
    whole = mechanism.privacy_profile([0.0, 1.0])
    assert np.all(whole >= (dp.DiscreteGaussian(0.30717)).privacy_profile([0.0, 1.0]))


@pytest.mark.parametrize("make", [lambda: dp.DPSGD(1, 5e-324, 10), lambda: dp.Laplace(1e-300)])
def test_parameters_whose_squares_are_no_numbers_are_refused(make):
    with pytest.raises(ValueError, match="must be"):
        make()
