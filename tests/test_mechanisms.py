"""Laws that every mechanism obeys, then references for each, then bad input."""

import math
import pickle

import laws
import mpmath
import numpy as np
import pytest
from conftest import approx
from hypothesis import assume, example, given
from hypothesis import strategies as st
from references import log_power
from scipy.stats import norm
from strategies import alphas, closed_forms, epsilons, mechanisms, priors

import dptutor as dp
from dptutor.evaluation.from_profile import loss_moments_from_profile, renyi_from_profile
from dptutor.mechanisms.base import Mechanism
from dptutor.mechanisms.lattice import worse_of

ROUNDING = 1e-12


@given(mechanisms())
def test_the_laws_of_every_mechanism(m):
    assert not list(laws.of_one(m))


# Laws of the trade-off function.


TINY = [
    dp.Gaussian(100), dp.SubsampledGaussian(1, 1e-4, "add"), dp.DPSGD(50, 1e-4, 10), dp.DPSGD(50, 1e-4, 10, "remove"),
    dp.DPSGD(10, 1e-3, 1000, "add"), dp.Laplace(1000) ** 5, dp.Laplace(100) @ dp.Laplace(2000),
    dp.RandomizedResponse(1e-3) ** 300, dp.RandomizedResponse(1e-3) @ dp.Gaussian(100),
    dp.Laplace(1000) @ dp.SubsampledGaussian(5, 0.01), dp.PerfectPrivacy(), dp.ApproximateDP(1e-4, 1e-5),
]  # fmt: skip


@pytest.mark.parametrize("m", TINY, ids=repr)
def test_the_profile_keeps_its_digits_at_small_negative_epsilon(m):
    # δ(ε) = 1 − e^ε + e^ε δ_reverse(−ε): next to 0 a difference of nearly equal numbers, if it is taken.
    epsilon = -np.array([1e-20, 1e-12, 1e-9, 1e-6, 1e-4, 1e-3, 0.01, 0.1, 0.5])
    truth = -np.expm1(epsilon) + np.exp(epsilon) * m.reverse.privacy_profile(-epsilon)
    assert m.privacy_profile(epsilon) == approx(truth, rel=2e-13)


@given(mechanisms(), epsilons)
def test_no_face_is_negative_zero(m, epsilon):
    ends = [-math.inf, -800.0, epsilon, 0.0, 700.0, math.inf]
    faces = m.privacy_profile(ends), m.tradeoff([0, 0.5, 1]), m.bayes_error([0, 0.5, 1]), m.epsilon([0, 0.5, 1])
    assert not any(np.any(np.signbit(face)) for face in faces)


@given(mechanisms(), epsilons)
def test_the_bound_of_both_directions_is_that_of_the_worse_one(m, epsilon):
    value, bound = m.symmetrized.privacy_profile(epsilon, with_error=True)
    for pair in (m, m.reverse):
        own, error = pair.privacy_profile(epsilon, with_error=True)
        assert value != own or bound >= error


def test_the_bound_of_both_directions_is_not_that_of_the_first():
    pair = dp.RandomizedResponse(1) @ dp.SubsampledGaussian(0.5, 0.3, "remove") ** 3
    for m in (pair, pair.reverse):
        for epsilon in (-2.0, -0.5, 0.5, 2.0):
            value, bound = m.symmetrized.privacy_profile(epsilon, with_error=True)
            both = [each.privacy_profile(epsilon, with_error=True) for each in (m, m.reverse)]
            assert (value, bound) in both or bound >= max(error for _, error in both)
            assert bound >= max(both)[1]
            prior_error = m.symmetrized.bayes_error(0.3, with_error=True)[1]
            assert prior_error >= max(each.bayes_error(0.3, with_error=True)[1] for each in (m, m.reverse))


@given(mechanisms(), alphas)
def test_reversing_inverts_the_tradeoff_function(m, a):
    # f⁻¹(f(α)) ≤ α, and there is nothing smaller that reaches f(α).
    back = m.reverse.tradeoff(m.tradeoff(a))
    assert back <= a + ROUNDING
    assert m.tradeoff(back) == approx(m.tradeoff(a), abs=1e-9)


# Laws of the privacy profile.


@given(mechanisms(), st.floats(0, 12))
@example(dp.Gaussian(10.498909215806568), 2.0)
@example(dp.meet(dp.Gaussian(1), dp.SubsampledDiscreteGaussian(4, 0.125, direction="add")), 1.0)
@example(dp.SubsampledLaplace(0.05437211371713621, 1.4145790304000069e-9, "remove") ** 22788, 10.0)
def test_profile_of_the_reverse_pair(m, epsilon):
    value, error = m.privacy_profile(-epsilon, with_error=True)
    back, its = m.reverse.privacy_profile(epsilon, with_error=True)
    shrink = math.exp(-epsilon)
    assert value == approx(-math.expm1(-epsilon) + shrink * back, abs=error + shrink * its + 4e-16)


@given(mechanisms(), epsilons)
def test_profile_is_the_difference_of_the_tails_of_the_privacy_loss(m, epsilon):
    loss = m.privacy_loss
    tails = loss.sf(epsilon, under="Q") - math.exp(epsilon) * loss.sf(epsilon, under="P")
    assert m.privacy_profile(epsilon) == approx(tails, abs=ROUNDING * math.exp(max(epsilon, 0)))


@given(mechanisms(), st.floats(0.0, 10.0))
def test_epsilon_inverts_the_profile(m, epsilon):
    delta = m.privacy_profile(epsilon)
    assume(delta > 1e-300)  # δ = 0 asks for the largest loss
    found = m.epsilon(delta)
    # Near δ = 1 the digits of δ end before those of ε.
    assert found <= epsilon + 1e-9 or delta - m.privacy_profile(found) <= 4e-16
    # Between the two curves of a meet δ is a difference, whose digits are absolute.
    floor = 1e-16 if "meet(" in repr(m) else 1e-300
    assert m.privacy_profile(found) <= delta * (1 + 1e-9) + floor


# Laws of the Bayes error.


@given(mechanisms(), priors)
def test_minimax_bayes_error_is_the_maximum(m, prior):
    assert m.bayes_error(prior) <= m.minimax_bayes_error + ROUNDING


@given(mechanisms())
def test_minimax_bayes_error_of_a_symmetric_mechanism_is_the_fixed_point(m):
    symmetric = m.symmetrized
    fixed = symmetric.minimax_bayes_error
    assert symmetric.tradeoff(fixed) == approx(fixed, abs=1e-11)
    assert symmetric.advantage == approx(1 - 2 * fixed, abs=1e-11)


@given(mechanisms(), alphas)
def test_advantage_is_the_largest_distance_from_the_diagonal(m, a):
    assert 1 - a - m.tradeoff(a) <= m.advantage + ROUNDING


# The faces say the same: every supporting line touches the curve.


@given(mechanisms(), epsilons)
def test_errors_of_the_likelihood_ratio_test_lie_on_the_tradeoff_function(m, epsilon):
    alpha, beta = (float(x) for x in m._errors(np.asarray(epsilon)))
    assert m.tradeoff(alpha) == approx(beta, abs=1e-9)


# Symmetrizing, meeting, joining.


@given(mechanisms(), epsilons)
def test_symmetrized_profile_is_the_larger_of_both_directions(m, epsilon):
    both = m.privacy_profile(epsilon), m.reverse.privacy_profile(epsilon)
    assert m.symmetrized.privacy_profile(epsilon) == approx(max(both), abs=ROUNDING * math.exp(abs(epsilon)))


@given(closed_forms(), closed_forms(), priors, alphas)
def test_join_is_the_least_upper_bound(a, b, prior, alpha):
    least = dp.join(a, b)
    assert least.bayes_error(prior) == approx(min(a.bayes_error(prior), b.bayes_error(prior)), abs=ROUNDING)
    assert least.tradeoff(alpha) <= min(a.tradeoff(alpha), b.tradeoff(alpha)) + ROUNDING


@given(closed_forms(), closed_forms(), priors, alphas)
def test_meet_is_the_greatest_lower_bound(a, b, prior, alpha):
    greatest = dp.meet(a, b)
    assert greatest.tradeoff(alpha) == approx(max(a.tradeoff(alpha), b.tradeoff(alpha)), abs=ROUNDING)
    assert greatest.bayes_error(prior) >= max(a.bayes_error(prior), b.bayes_error(prior)) - ROUNDING


@given(closed_forms(), closed_forms(), epsilons)
def test_profile_of_the_meet_is_the_conjugate_of_its_tradeoff_function(a, b, epsilon):
    greatest = dp.meet(a, b)
    conjugate = dp.conversions.profile_from_tradeoff(greatest.tradeoff, epsilon)
    assert greatest.privacy_profile(epsilon) == approx(conjugate, abs=1e-9 * math.exp(max(epsilon, 0)))


@given(closed_forms(), st.floats(0, 5))
def test_the_definitions_of_approximate_privacy_agree(m, epsilon):  # Wang, lecture 7
    delta = max(m.privacy_profile(epsilon), m.reverse.privacy_profile(epsilon))
    alpha = np.linspace(0, 1, 51)
    promised = dp.ApproximateDP(epsilon=epsilon, delta=delta).tradeoff(alpha)
    assert np.all(m.tradeoff(alpha) >= promised - 1e-10)
    # With less than that δ the promise is broken.
    if delta > 1e-6:
        broken = dp.ApproximateDP(epsilon=epsilon, delta=delta * 0.999)
        assert dp.delta_divergence(broken, m.symmetrized).value > 0


# The privacy loss and Rényi divergences.


@given(closed_forms(), st.floats(0.1, 20))
def test_renyi_divergence_agrees_with_the_integral_over_the_profile(m, order):
    # Meant in both directions it has two divergences, the larger of which is reported.
    m = m.directions[0] if getattr(m, "direction", "") == "both" else m
    value = float(m._pair_renyi(np.array([order]))[0])
    # Where the integral is beyond e^600, its weight is at losses whose δ is below the smallest number.
    if 1e-6 < value < 50 and (order - 1) * value < 600:
        assert float(renyi_from_profile(m, np.asarray(order))) == approx(value, rel=1e-6)


@given(closed_forms(), st.floats(0.1, 20), st.floats(0.1, 20))
def test_renyi_divergence_increases_with_its_order(m, a, b):
    low, high = sorted((a, b))
    assert m.renyi_divergence(low) <= m.renyi_divergence(high) * (1 + 1e-9) + ROUNDING
    assert m.renyi_divergence(high) <= m.renyi_divergence(math.inf) + ROUNDING


def test_tails_of_the_privacy_loss_keep_their_digits():
    loss, x = dp.Gaussian(sigma=0.5).privacy_loss, np.array([-30.0, -3.0, 0.0, 2.0, 9.0, 30.0, 70.0])
    assert loss.sf(x, "Q") == approx(norm.sf(x / 2 - 1), rel=1e-9)
    assert loss.cdf(-x, "P") == approx(norm.sf(x / 2 - 1), rel=1e-9)
    assert loss.sf(x, "P") == approx(norm.sf(x / 2 + 1), rel=1e-9)
    run = dp.DPSGD(1, 0.01, 500, "remove").privacy_loss
    tail, under_p = run.sf(9.0), run.sf(9.0, "P")
    assert tail == approx(under_p * math.exp(9.0) + run.mechanism.privacy_profile(9.0), rel=1e-9)
    assert 0 < tail < 1e-16


@pytest.mark.parametrize(
    "m", [dp.Gaussian(sigma=0.8), dp.Laplace(scale=2), dp.RandomizedResponse(epsilon=1.5)], ids=repr
)
@pytest.mark.parametrize("under", ["P", "Q"])
def test_moments_of_the_privacy_loss(m, under):
    assert m._loss_moments(under) == approx(loss_moments_from_profile(m, under), rel=1e-9)
    sample = m.privacy_loss.sample(200_000, under=under, seed=7)
    deviation = math.sqrt(m.privacy_loss.variance(under) / sample.size)
    assert abs(sample.mean() - m.privacy_loss.mean(under)) < 5 * deviation
    for x in (-0.7, 0.0, 0.3):
        assert np.mean(sample <= x) == approx(m.privacy_loss.cdf(x, under=under), abs=5 * 0.5 / math.sqrt(sample.size))


@pytest.mark.parametrize(
    ("sigma", "rate"),
    [(0.0292, 1 - 1e-12), (0.1, 1 - 1e-13), (0.12, 1e-30), (1e5, 0.3)],
)
def test_moments_of_the_loss_of_a_subsampled_gaussian_against_the_integral(sigma, rate):
    with mpmath.workdps(60):
        # Trapezoid sums of what is analytic in the strip |Im u| < πσ err by e^−2π·4π.
        s, p, step = mpmath.mpf(sigma), mpmath.mpf(rate), mpmath.mpf(min(sigma, 1.0)) / 4
        nodes = [k * step for k in range(int(-14 / step), int((min(2 / s, 60) + 14) / step))]
        losses = [mpmath.log(1 - p + p * mpmath.exp(u / s - 1 / (2 * s * s))) for u in nodes]
        normal, shifted = ([step * mpmath.npdf(u - mean) for u in nodes] for mean in (0, 1 / s))

        def moments(masses):
            mean = mpmath.fdot(masses, losses)
            return mean, mpmath.fsum(mass * (loss - mean) ** 2 for mass, loss in zip(masses, losses, strict=True))

        of_p, of_q = moments(normal), moments([(1 - p) * a + p * b for a, b in zip(normal, shifted, strict=True)])
    remove, add = (step.privacy_loss for step in dp.SubsampledGaussian(sigma, rate).directions)
    for found, sign, both in ((remove, 1, (of_p, of_q)), (add, -1, (of_q, of_p))):
        for under, (mean, variance) in zip("PQ", both, strict=True):
            assert found.mean(under) == approx(sign * float(mean), rel=1e-12)
            assert found.variance(under) == approx(float(variance), rel=1e-11)


def test_moments_of_both_directions_are_found_where_losses_are_large():
    loss = dp.SubsampledGaussian(0.0292, 0.5).privacy_loss
    # δ is ½ up to the mean of the Gaussian's loss, but for what lies next to the ends.
    remove = dp.SubsampledGaussian(0.0292, 0.5, "remove").privacy_loss
    assert remove.mean() <= loss.mean() <= remove.mean() + math.log(2)
    assert 0 < loss.variance() < math.inf


def test_the_bound_of_a_meet_knows_where_its_curves_cross_beyond_all_numbers():
    # f and f̃ cross where α is about e^−1017; at 900 the smaller of both profiles is 1.
    m = dp.meet(dp.Gaussian(0.02), dp.Laplace(0.001))
    for epsilon in (634.0, 900.0):
        value, error = m.privacy_profile(epsilon, with_error=True)
        assert value - error <= 1 - 1e-6 <= value + error


def test_sampling_is_reproducible():
    loss = dp.join(dp.Gaussian(), dp.Laplace()).privacy_loss
    assert np.array_equal(loss.sample(50, seed=3), loss.sample(50, seed=3))


# References.


def exact_gaussian_profile(mu, epsilon):
    mu, epsilon = mpmath.mpf(mu), mpmath.mpf(epsilon)
    return mpmath.ncdf(mu / 2 - epsilon / mu) - mpmath.exp(epsilon) * mpmath.ncdf(-mu / 2 - epsilon / mu)


@pytest.mark.parametrize("mu", [1e-5, 1e-3, 0.05, 0.1, 0.11, 1, 5, 30])
@pytest.mark.parametrize("deviations", [0, 0.1, 1, 3, 10, 20, 36])
def test_gaussian_profile_keeps_nine_digits_down_to_the_smallest_numbers(mu, deviations):
    mechanism = dp.Gaussian(sigma=1 / mu)
    epsilon = mechanism.mu**2 / 2 + deviations * mechanism.mu
    with mpmath.workdps(700):
        exact = exact_gaussian_profile(mechanism.mu, epsilon)
    assert mechanism.privacy_profile(epsilon) == approx(float(exact), rel=1e-9)


@pytest.mark.cases(2)
@pytest.mark.parametrize("scale", [1e-2, 0.3, 1, 7, 1e3, 1e6])
def test_laplace_against_integrals_of_its_density(scale):
    m = dp.Laplace(scale=scale)
    top = 1 / scale
    with mpmath.workdps(40):
        # Under Q the loss has mass 1/2 at the top, e^−top/2 at the bottom, and a density between.
        t = mpmath.mpf(top)

        def expect(g):
            inside = mpmath.quad(lambda x: g(x) * mpmath.exp((x - t) / 2) / 4, [-t, 0, t])
            return g(t) / 2 + mpmath.exp(-t) * g(-t) / 2 + inside

        mean = expect(lambda x: x)
        variance = expect(lambda x: (x - mean) ** 2)
        assert m.privacy_loss.mean() == approx(float(mean), rel=1e-12)
        assert m.privacy_loss.variance() == approx(float(variance), rel=1e-9)
        for order in (0.3, 0.5, 2, 10):
            exact = mpmath.log(expect(lambda x, s=order: mpmath.exp((s - 1) * x))) / (order - 1)
            assert m.renyi_divergence(order) == approx(float(exact), rel=1e-9)


@pytest.mark.parametrize(("sigma", "rate"), [(1.0, 0.01), (0.5, 0.2), (4.0, 0.9)])
def test_renyi_divergences_of_a_subsampled_gaussian_by_the_binomial_sum(
    sigma, rate
):  # Mironov et al. (2019), section 3.3
    remove = dp.SubsampledGaussian(sigma, rate, "remove")
    for order in (2, 5, 40, 60):  # e^{(s−1)D} of the last is not a float
        with mpmath.workdps(40):
            mu, p = 1 / mpmath.mpf(sigma), mpmath.mpf(rate)
            terms = (
                mpmath.binomial(order, k) * (1 - p) ** (order - k) * p**k * mpmath.exp(k * (k - 1) * mu**2 / 2)
                for k in range(order + 1)
            )
            exact = mpmath.log(sum(terms)) / (order - 1)
        assert remove.renyi_divergence(float(order)) == approx(float(exact), rel=1e-9)
    assert dp.SubsampledGaussian(sigma, 1.0).renyi_divergence(3.0) == approx(1.5 / sigma**2, rel=1e-12)


def test_tradeoff_function_of_an_approximate_dp_mechanism():  # Wasserman & Zhou (2010); BLOG, equation 3
    epsilon, delta = 1.2, 0.03
    alpha = np.linspace(0, 1, 501)
    lines = 1 - delta - math.exp(epsilon) * alpha, math.exp(-epsilon) * (1 - delta - alpha)
    expected = np.maximum.reduce([np.zeros_like(alpha), *lines])
    assert dp.ApproximateDP(epsilon, delta).tradeoff(alpha) == approx(expected, abs=1e-14)


def test_infinite_losses_of_a_finite_experiment():
    m = dp.FiniteExperiment(p=[0.2, 0.5, 0.3, 0.0], q=[0.0, 0.25, 0.6, 0.15])
    assert m.privacy_profile(math.inf) == approx(0.15)
    assert m.tradeoff(0.0) == approx(0.85)
    assert m.tradeoff(0.8) == approx(0.0)
    assert m.epsilon(0.1) == math.inf
    assert m.renyi_divergence(2.0) == math.inf
    assert m.renyi_divergence(0.5) == approx(-2 * math.log(math.sqrt(0.125) + math.sqrt(0.18)))
    assert m.privacy_loss.sf(100.0, under="Q") == approx(0.15)
    assert m.privacy_loss.cdf(-100.0, under="P") == approx(0.2)


def test_extreme_mechanisms():
    priors = np.linspace(0, 1, 11)
    assert dp.PerfectPrivacy().bayes_error(priors) == approx(np.minimum(priors, 1 - priors), abs=1e-15)
    assert np.all(dp.BlatantlyNonPrivate().bayes_error(priors) == 0)
    assert dp.PerfectPrivacy().tradeoff(0.3) == approx(0.7)
    assert dp.BlatantlyNonPrivate().advantage == 1
    assert (dp.Gaussian(1e200) ** 4).mu == 2e-200


def test_no_answer_is_minus_zero():
    m = dp.Gaussian()
    answers = (
        m.bayes_error(-0.0),
        dp.conversions.bayes_error_from_tradeoff(m.tradeoff, -0.0),
        m.privacy_profile(-np.inf),
    )
    assert not np.signbit(answers).any()


@pytest.mark.parametrize("m", [dp.Gaussian(sigma=1e-3), dp.Gaussian(sigma=1e6), dp.Laplace(scale=1e-3)], ids=repr)
def test_extreme_parameters_give_no_warning_and_no_nan(m):
    with np.errstate(all="raise", under="ignore"):
        assert np.all(np.isfinite(m.tradeoff(np.linspace(0, 1, 101))))
        assert np.all(np.isfinite(m.bayes_error(np.linspace(0, 1, 101))))
        assert np.all(np.isfinite(m.privacy_profile(np.linspace(-800, 800, 101))))
        assert m.epsilon(1e-9) >= 0


# Values.


@given(mechanisms())
def test_mechanisms_are_values_that_print_as_the_call_that_makes_them(m):
    again = eval(repr(m), {name: getattr(dp, name) for name in dp.__all__})
    assert again == m and hash(again) == hash(m)
    assert pickle.loads(pickle.dumps(m)) == m


def test_mechanisms_cannot_be_changed():
    with pytest.raises(AttributeError):
        dp.Gaussian().sigma = 2.0
    with pytest.raises(AttributeError):
        dp.RandomizedResponse().largest_loss = 2.0


def test_scalars_in_scalars_out_and_arrays_keep_their_shape():
    m = dp.Gaussian()
    assert type(m.tradeoff(0.5)) is float and type(m.bayes_error(np.float32(0.5))) is float
    for shape in [(0,), (3,), (2, 3), (1, 1, 1)]:
        for face in (m.tradeoff, m.bayes_error, m.privacy_profile, m.epsilon):
            assert face(np.full(shape, 0.5)).shape == shape


# Bad input: the argument, the value and the range are named.


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: dp.FiniteExperiment(p=[0.5, 0.4], q=[0.5, 0.5]), "p must sum to 1, got the sum 0.9"),
        (lambda: dp.FiniteExperiment(p=[1.5, -0.5], q=[0.5, 0.5]), r"p must be in \[0, 1\], got 1.5"),
        (lambda: dp.FiniteExperiment(p=[1.0], q=[0.5, 0.5]), "equally long, got 1 and 2"),
        (lambda: dp.Gaussian().tradeoff([0.1, math.nan]), r"alpha must be in \[0, 1\], got nan"),
        (lambda: dp.Gaussian().renyi_divergence(0), "order must be greater than 0, got 0"),
        (lambda: dp.Gaussian().privacy_loss.cdf(0, under="R"), "under must be one of 'P', 'Q', got 'R'"),
    ],
)
def test_values_out_of_range_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_the_base_class_names_what_a_mechanism_must_say():
    assert Mechanism.__abstractmethods__ == {"_errors", "_delta", "reverse"}


@pytest.mark.parametrize(("sigma", "rate"), [(1.0, 0.01), (0.3, 1e-4), (5.0, 0.2)])
def test_renyi_divergences_of_large_order_of_a_subsampled_gaussian(sigma, rate):
    m = dp.SubsampledGaussian(sigma, rate)
    for order in (70, 591, 5000, 20_000):
        remove, add = (log_power(sigma, rate, power) / (order - 1) for power in (order, 1 - order))
        assert m.directions[0].renyi_divergence(order) == approx(remove, rel=1e-11)
        assert m.directions[1].renyi_divergence(order) == approx(add, rel=1e-11)
        assert m.renyi_divergence(order) == max(d.renyi_divergence(order) for d in m.directions)
    assert m.directions[1].renyi_divergence(1e300) == approx(-math.log1p(-rate), rel=1e-12)
    assert m.renyi_divergence(1e300) == approx(1e300 / (2 * sigma**2), rel=1e-12)


@given(st.floats(0.2, 60), st.floats(1e-6, 1), st.floats(-30, 30), alphas)
def test_of_the_two_directions_removal_is_the_worse_at_every_positive_loss(sigma, rate, epsilon, alpha):
    step = dp.SubsampledGaussian(sigma, rate)
    delta, *errors = worse_of(step.directions, np.asarray(epsilon))
    assert step.privacy_profile(epsilon) == approx(delta, rel=1e-12)
    if abs(epsilon) > 1e-9:  # where both are as bad, either will do
        assert np.array(step._errors(np.asarray(epsilon))) == approx(np.array(errors), abs=1e-15)
    # What has a closed form is what the search for a loss finds.
    for m in (step, *step.directions):
        assert m.tradeoff(alpha) == approx(Mechanism._tradeoff(m, np.asarray(alpha)), abs=1e-14)


@pytest.mark.parametrize("sigma", [1e-9, 1e-3, 0.05, 9.9, 10.1, 100.0, 1e5, 1e8])
def test_the_gaussian_profile_keeps_its_relative_accuracy(sigma):
    m, mu = dp.Gaussian(sigma), mpmath.mpf(1) / mpmath.mpf(sigma)
    with mpmath.workdps(60):
        for a in (-35.0, -8.0, -1.0, -0.01, 0.0, 0.3, 4.0, 25.0):
            epsilon = float(mu * a + mu**2 / 2)
            x = mpmath.mpf(epsilon) / mu
            exact = mpmath.ncdf(mu / 2 - x) - mpmath.e ** mpmath.mpf(epsilon) * mpmath.ncdf(-x - mu / 2)
            # ε itself is rounded: a loss of 1e18 has no digit after the point.
            moved = abs(epsilon) * 2.3e-16 * float(mpmath.npdf(mu / 2 - x) / mu) if sigma < 1e-6 else 0.0
            assert m.privacy_profile(epsilon) == approx(float(exact), rel=1e-9, abs=moved)
