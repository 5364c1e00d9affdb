"""What other accountants publish: the numbers in their own tests and tutorials, as tests of ours.

Each section names repository and file. Where a published number is not the exact one, the test says which is right and
by how much they may differ. Not expressible here, hence left out: exponential mechanism, permute-and-flip, discrete
Laplace and Gaussian, subsampled Laplace, mixtures of Gaussians, truncated batches, tree aggregation, sampling with and
without replacement.
"""

import math

import mpmath as mp
import numpy as np
import pytest
from conftest import approx
from scipy.optimize import brentq

import dptutor as dp
from dptutor import accounting


def larger(m, order):
    """The Rényi divergence of the worse direction."""
    return np.maximum(m.renyi_divergence(order), m.reverse.renyi_divergence(order))


# Opacus: pytorch/opacus, opacus/tests/prv_accountant.py, with the rows that are commented out there. The values come
# from microsoft/prv_accountant; they are the upper ends of intervals with half-width `eps_error` = 0.01, plus the error
# that it counts for δ. So the exact ε lies at least about 0.01 below, and at most 0.02.

# By sampling rate and number of steps: ε at δ = 1e-6 for σ = 0.8, 1.5, 2 and 3.
PRV_UPPER_ENDS = {
    (0.001, 100): [0.2704033641, 0.03936941932, 0.02910453695, 0.02152009344],
    (0.05, 100): [6.741051939, 1.953853136, 1.283637380, 0.7679337897],
    (0.2, 100): [24.33366418, 8.498977859, 5.672055609, 3.381220510],
    (0.001, 1000): [0.4777712662, 0.09982066023, 0.07121878254, 0.04761593087],
    (0.05, 1000): [19.52584281, 6.209969247, 4.172799867, 2.527574326],
    (0.001, 20000): [1.296009258, 0.4370051087, 0.3058379398, 0.1940310307],
    (0.05, 20000): [140.6552098, 38.30661791, 24.42171857, 13.96111470],
    (0.001, 50000): [2.034514808, 0.7042183846, 0.4913549102, 0.3096941612],
    (0.05, 50000): [291.3843255, 73.19017672, 45.23699586, 24.94200564],
    (0.001, 100000): [2.924622119, 1.015288075, 0.7067199011, 0.4436717209],
}


@pytest.mark.parametrize(
    ("sigma", "rate", "steps", "upper"),
    [
        (sigma, *setting, upper)
        for setting, row in PRV_UPPER_ENDS.items()
        for sigma, upper in zip((0.8, 1.5, 2.0, 3.0), row, strict=True)
    ],
)
def test_opacus_table_is_the_upper_end_of_an_interval_around_ours(sigma, rate, steps, upper):
    exact = dp.DPSGD(sigma, rate, steps).epsilon(1e-6)
    assert upper - 0.02 <= exact <= upper - 0.0099


# Opacus: opacus/tests/accountants_test.py. σ = 1.5, p = 0.04, δ = 1e-5.

OPACUS_ORDERS = [1 + k / 10 for k in range(1, 100)] + list(range(12, 64))


def opacus_rdp(sigma, steps):
    m = dp.DPSGD(sigma, 0.04, steps, direction="remove")
    return accounting.rdp_to_epsilon(OPACUS_ORDERS, m.renyi_divergence(OPACUS_ORDERS), 1e-5)


def test_opacus_accountants():
    assert opacus_rdp(1.5, 2250) == approx(7.32911117143, abs=1e-9)
    # Of 2249 steps, since 90 // 0.04 is that in floating point. The test there asks for more than 6.59, less than 6.6.
    limit = dp.Gaussian(sigma=1 / accounting.clt_mu(1.5, 0.04, 2249))
    assert 6.59 < limit.epsilon(1e-5) < 6.6
    # An upper end, as above.
    assert 6.777395712150674 - 0.02 <= dp.DPSGD(1.5, 0.04, 2249).epsilon(1e-5) <= 6.777395712150674 - 0.0099


@pytest.mark.parametrize(("steps", "by_rdp", "by_prv"), [(2250, 1.416, 1.34765625), (2000, 1.3562, 1.2915)])
def test_opacus_noise_multipliers_meet_the_target_to_their_tolerance(steps, by_rdp, by_prv):
    # It searches until ε is at most 8, and within 0.01 of it; the published σ of 2000 steps are rounded to 4 digits.
    assert 7.99 <= opacus_rdp(by_rdp, steps) <= 8.0
    # By intervals it takes the upper end for ε.
    assert 7.97 <= dp.DPSGD(by_prv, 0.04, steps).epsilon(1e-5) <= 7.99 + 1e-3
    exact = dp.calibrate(lambda s: dp.DPSGD(s, 0.04, steps), epsilon=8, delta=1e-5).noise_multiplier
    assert exact < by_prv < by_rdp
    assert exact == approx(by_prv, abs=3e-3)


def test_opacus_noise_multiplier_by_the_central_limit():
    limit = dp.Gaussian(sigma=1 / accounting.clt_mu(1.3232421875, 0.04, 2250))
    assert 7.99 <= limit.epsilon(1e-5) <= 8.0


# dp-accounting: google/differential-privacy, python/dp_accounting/dp_accounting/pld/pld_privacy_accountant_test.py.
# Its tolerance is 1e-3 where nothing else is said.


def test_dp_accounting_pure_and_approximate_privacy():
    pure = dp.ApproximateDP(1, 0) @ dp.ApproximateDP(2, 0)
    assert (pure.privacy_profile(3.0), pure.epsilon(0.0)) == approx((0.0, 3.0), abs=1e-12)
    assert 1 - pure.tradeoff(0.1) == approx(0.8286, abs=1e-3)
    both = dp.ApproximateDP(1, 0.1) @ dp.ApproximateDP(2, 0.2)
    assert (both.privacy_profile(3.0), both.epsilon(0.28)) == approx((0.28, 3.0), abs=1e-9)
    assert 1 - both.tradeoff(0.1) == approx(0.91938, abs=1e-3)


def test_dp_accounting_gaussian():
    m = dp.Gaussian(math.sqrt(3)) @ dp.Gaussian(math.sqrt(3)) ** 2
    assert m.privacy_profile(1.0) == approx(0.126936, abs=1e-6)
    assert m.epsilon(0.126936) == approx(1.0, abs=1e-5)
    assert 1 - m.tradeoff(0.1) == approx(0.38914, abs=1e-5)


def test_dp_accounting_subsampled_gaussian():
    m = dp.SubsampledGaussian(0.5, 0.2) @ dp.SubsampledGaussian(0.5, 0.2) ** 2
    assert m.privacy_profile(1.0) == approx(0.15594, abs=1e-5)
    assert m.epsilon(0.15594) == approx(1.0, abs=1e-4)


def test_dp_accounting_laplace():
    # The largest loss is 3/1 + 2/2, attained; dp-accounting asks for 4 ± 1e-6 at 1e-14.
    m = dp.Laplace(1) ** 3 @ dp.Laplace(2) ** 2
    assert m.epsilon(0.0) == approx(4.0, abs=1e-9)
    assert m.privacy_profile(4.0) == approx(0.0, abs=1e-14)
    assert m.epsilon(1e-14) == approx(4.0, abs=1e-2)


# dp-accounting: pld/accountant_test.py.


@pytest.mark.parametrize(
    ("sensitivity", "epsilon", "delta", "queries", "published"),
    [(21, 3, 0, 10, 70), (1, 1, 1e-4, 20, 13.6), (0.5, 1, 1e-4, 20, 6.8), (1, 1, 1e-4, 500, 71.0)],
)
def test_dp_accounting_smallest_laplace_noise(sensitivity, epsilon, delta, queries, published):
    m = dp.calibrate(lambda b: dp.Laplace(b, sensitivity) ** queries, epsilon=epsilon, delta=delta)
    scale = queries * sensitivity / m.renyi_divergence(math.inf)  # of which the largest loss is the denominator
    assert scale == approx(published, abs=0.1)
    if delta == 0:  # basic composition
        assert scale == approx(published, rel=1e-8)


def test_dp_accounting_smallest_gaussian_noise():
    published = {(1, 1): 1 / 3, (6, 25): 10}
    for (sensitivity, queries), sigma in published.items():
        m = dp.calibrate(lambda s, d=sensitivity, n=queries: dp.Gaussian(s, d) ** n, epsilon=1, delta=0.78760074)
        assert m.mu == approx(sensitivity * math.sqrt(queries) / sigma, rel=1e-7)


@pytest.mark.parametrize(("rate", "queries", "published"), [(0.01, 1, 0.67379294682), (0.001, 25, 3.20956502598 / 6)])
def test_dp_accounting_smallest_subsampled_gaussian_noise(rate, queries, published):
    # Its losses are rounded up on a grid of 1e-4, so that it asks for a little more noise than is needed.
    m = dp.calibrate(lambda s: dp.DPSGD(s, rate, queries), epsilon=1, delta=1e-5)
    assert published * (1 - 1e-5) <= m.noise_multiplier <= published * (1 + 1e-9)


@pytest.mark.parametrize(
    ("delta", "total_delta", "queries", "published"),
    [(0, 0, 30, 30), (0.001, 0.06, 30, 22), (0.001, 0.1, 30, 20), (0.2, 0.1, 1, math.inf), (0.01, 0.26, 30, math.inf)],
)
def test_dp_accounting_optimal_composition(delta, total_delta, queries, published):
    # Theorem 3.3 of Kairouz, Oh & Viswanath gives δ at ε = (k − 2i)ε₀ only, and the peer the next such ε; between them
    # the profile of the same composition is smaller, and its ε is below by less than 2ε₀.
    exact = accounting.optimal_composition(1, delta, queries).epsilon(total_delta)
    assert published - 2 < exact <= published + 1e-9 or exact == published
    known = {22: 21.7096, 20: 19.8174}
    assert exact == approx(known.get(published, published), abs=1e-4)


def test_dp_accounting_smallest_epsilon_of_optimal_composition():
    # The largest ε₀ that is allowed: at least 0.25, for which 5 = (50 − 2·15)ε₀ is a point of the theorem.
    assert accounting.optimal_composition(0.25, 0, 50).epsilon(0.01) <= 5
    assert accounting.optimal_composition(0.2501 * 1.05, 0, 50).epsilon(0.01) > 5
    assert accounting.optimal_composition(1, 0.001, 30).privacy_profile(22.0) <= 0.06


# dp-accounting: gaussian_mechanism_test.py, all σ and δ of its grid with 0 < δ < 1.


@pytest.mark.parametrize("sigma", [1e-5, 1e-3, 0.1, 1.0, 10.0, 1e3, 1e5])
def test_dp_accounting_sigma_and_epsilon_of_the_gaussian_mechanism_invert_each_other(sigma):
    for delta in (1e-10, 1e-5, 0.1, 0.5, 0.9):
        epsilon = dp.Gaussian(sigma).epsilon(delta)
        if epsilon > 0:
            assert dp.calibrate(dp.Gaussian, epsilon=epsilon, delta=delta).sigma == approx(sigma, rel=1e-7)
            assert dp.Gaussian(sigma).privacy_profile(epsilon) == approx(delta, rel=1e-6)


@pytest.mark.peer
def test_dp_accounting_epsilon_of_the_gaussian_mechanism():
    from dp_accounting.gaussian_mechanism import get_epsilon_gaussian

    for sigma in (0.5, 1, 3):
        for delta in (1e-1, 1e-2, 1e-3, 1e-10):
            assert dp.Gaussian(sigma).epsilon(delta) == approx(get_epsilon_gaussian(sigma, delta, tol=1e-15), abs=1e-12)


# dp-accounting: pld/privacy_loss_distribution_test.py.


def test_dp_accounting_hockey_stick_divergences():
    m = dp.FiniteExperiment(p=[0.5, 0.5], q=[0.6, 0.4]).symmetrized
    assert m.privacy_profile(np.log([1.0, 1.1, 0.9])) == approx([0.1, 0.06, 0.15], abs=1e-15)
    m = dp.FiniteExperiment(p=[0.2, 0.2, 0.6, 0.0], q=[0.5, 0.4, 0.0, 0.1]).symmetrized
    assert m.privacy_profile(np.log([1.0, 1.1, 0.9])) == approx([0.6, 0.6, 0.64], abs=1e-15)


def test_dp_accounting_true_positive_rates_of_the_gaussian_mechanism():
    published = {
        1e-3: 0.01830, 1e-4: 0.003274, 1e-5: 0.0005475, 1e-6: 8.7218e-5, 1e-7: 1.3385e-5, 1e-8: 1.99405e-6,
        1e-9: 2.8993e-7, 1e-10: 4.1303e-8,
    }  # fmt: skip
    for fpr, tpr in published.items():  # 1 − f(α) is α of the reverse: 1 − f⁻¹(1 − ·) keeps its digits
        assert 1 - dp.Gaussian(1).tradeoff(fpr) == approx(tpr, rel=1e-3, abs=1e-16)


def randomized_response(noise, buckets, against="another record"):
    """The true one of `buckets` values is kept with probability 1 − noise, else drawn at random."""
    q = np.full(buckets, noise / buckets)
    q[0] += 1 - noise
    p = np.roll(q, 1) if against == "another record" else np.full(buckets, 1 / buckets)
    return dp.FiniteExperiment(p=p, q=q)


@pytest.mark.parametrize(
    ("buckets", "fpr", "tpr"),
    [(2, 0.125, 0.375), (2, 0.25, 0.75), (4, 0.0625, 0.3125), (4, 0.125, 0.625), (4, 0.375, 0.875), (4, 0.75, 0.95),
     *[(2, 10.0**-k, 3 * 10.0**-k) for k in range(4, 11)]],
)  # fmt: skip
def test_dp_accounting_true_positive_rates_of_randomized_response(buckets, fpr, tpr):
    assert 1 - randomized_response(0.5, buckets).tradeoff(fpr) == approx(tpr, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize(
    ("noise", "buckets", "against"),
    [(4 / (3 + math.e), 4, "another record"), ((4 - math.e) / 3, 4, "none"), (math.exp(-1), 2, "none")],
)
def test_dp_accounting_randomized_response_has_epsilon_1(noise, buckets, against):
    m = randomized_response(noise, buckets, against).symmetrized
    assert m.epsilon(0.0) == approx(1.0, abs=1e-12)
    assert m.privacy_profile(1.0) == approx(0.0, abs=1e-15)


@pytest.mark.peer
@pytest.mark.parametrize(("noise", "buckets"), [(0.5, 2), (0.2, 4), (0.9, 10)])
def test_dp_accounting_randomized_response_composed(noise, buckets):
    from dp_accounting.pld.privacy_loss_distribution import from_randomized_response

    m = randomized_response(noise, buckets) ** 7
    epsilon = np.array([0.0, 0.5, 1.0, 2.0, 4.0])
    upper, lower = (
        from_randomized_response(noise, buckets, pessimistic_estimate=rounded_up).self_compose(7)
        for rounded_up in (True, False)
    )
    assert np.all(m.privacy_profile(epsilon) <= upper.get_delta_for_epsilon(epsilon) + 1e-12)
    assert np.all(m.privacy_profile(epsilon) >= lower.get_delta_for_epsilon(epsilon) - 1e-12)


# dp-accounting: rdp/rdp_privacy_accountant_test.py.


RANDOMIZED_RESPONSE_RDP = {
    ("none", 0.3, 10): [1.5030552584146897, 1.7801182478869704, 1.9091969256833639, 1.9814516798923105,
                        1.9846954517418232, 1.9878743481543455],
    ("none", 0.05, 20): [2.8985312222056674, 2.9615414620514047, 2.982908949957726, 2.994685471627712,
                         2.9952141594692665, 2.995732273553991],
    ("none", 0.01, 3): [3.851345343526459, 4.334924907685137, 4.503803908976894, 4.596895387863428,
                        4.601074578835478, 4.605170185988092],
    ("another record", 0.3, 10): [2.6946320226546314, 2.983865364028855, 3.11316970070507, 3.1854244842182466,
                                  3.1886682560677593, 3.1918471524802814],
    ("another record", 0.05, 20): [5.850317703374384, 5.910360162307462, 5.930633082131939, 5.94180620835157,
                                   5.942307807732949, 5.942799375126701],
    ("another record", 0.01, 3): [5.684126770932727, 5.692634596034571, 5.695421239467805, 5.696956976543137,
                                  5.697025920968522, 5.697093486505405],
    ("none", 0.1, 10): [None] * 5 + [2.302585092994046], ("another record", 0.1, 10): [None] * 5 + [4.51085950651685],
}  # fmt: skip


@pytest.mark.parametrize("setting", RANDOMIZED_RESPONSE_RDP)
def test_dp_accounting_renyi_divergences_of_randomized_response(setting):
    against, noise, buckets = setting
    m = randomized_response(noise, buckets, against)
    for order, published in zip([1.5, 2.5, 5, 50, 100, math.inf], RANDOMIZED_RESPONSE_RDP[setting], strict=True):
        if published is not None:
            assert larger(m, order) == approx(published, rel=1e-12)


def test_dp_accounting_conversion_of_pure_privacy():
    orders, rdp = range(2, 33), [1.1] * 31
    assert accounting.rdp_to_epsilon(orders, rdp, 1e-5) == approx(1.32783806176, abs=1e-11)
    assert accounting.rdp_to_delta(orders, rdp, 1.32783806176) == approx(1e-5, rel=1e-8)


def test_dp_accounting_conversion_of_the_gaussian_mechanism():
    # Its σ is chosen for (1, 1e-6) by the best order, of which its list holds one in a thousandth's distance.
    rho = 1 / (2 * 4.530877117**2)
    assert accounting.zcdp_to_epsilon(rho, 1e-6) == approx(1.0, abs=1e-9)
    assert accounting.zcdp_to_delta(rho, 1.0) == approx(1e-6, rel=1e-8)
    orders = 0.001 * np.arange(1001, 100_000)
    assert accounting.rdp_to_epsilon(orders, rho * orders, 1e-6) == approx(1.0, abs=1e-9)


def log_moment(rate, sigma, order):
    """log E_P[(dQ/dP)^α] of the subsampled Gaussian mechanism, Q the one with the record, by mpmath."""
    with mp.workdps(30):
        q, s, a = mp.mpf(rate), mp.mpf(sigma), mp.mpf(order)
        if order == int(order):  # Mironov, Talwar & Zhang (2019), section 3.3: a finite sum
            terms = (
                mp.binomial(order, k) * (1 - q) ** (order - k) * q**k * mp.exp((k * k - k) / (2 * s * s))
                for k in range(int(order) + 1)
            )
            return mp.log(mp.fsum(terms))
        # The integrand is a bell about 0 and one about α, or one between, about where the mixture turns. The trapezoid
        # sum is exact to all digits: the integrand is analytic in a strip of half-width πσ², with Gaussian tails.
        turn = mp.mpf(1) / 2 + s * s * mp.log((1 - q) / q)
        step = min(s / 6, s * s * 3 / 20)
        reach = int(16 * s / step)
        nodes = {int(centre / step) + k for centre in (mp.mpf(0), turn, a) for k in range(-reach, reach + 1)}
        terms = (mp.npdf(k * step, 0, s) * ((1 - q) + q * mp.exp((2 * k * step - 1) / (2 * s * s))) ** a for k in nodes)
        return mp.log(step * mp.fsum(terms))


@pytest.mark.parametrize(
    ("rate", "sigma", "order"),
    [(1e-7, 0.1, 1.01), (1e-6, 0.1, 256), (1e-5, 0.1, 256.1), (1e-6, 1, 27), (1e-4, 1.0, 1.5), (1e-3, 1.0, 2),
     (0.01, 10, 20), (0.1, 100, 20.5), (0.99, 0.1, 256), (0.999, 100, 256.1)],
)  # fmt: skip
def test_dp_accounting_settings_of_the_subsampled_gaussian_against_mpmath(rate, sigma, order):
    # There it compares its own series with its own quadrature, to 1e-4 or 1e-8 absolute.
    exact = log_moment(rate, sigma, order) / (mp.mpf(order) - 1)
    ours = dp.SubsampledGaussian(sigma, rate, "remove").renyi_divergence(order)
    assert ours == approx(float(exact), rel=1e-9)


def test_dp_accounting_list_of_renyi_divergences_of_the_subsampled_gaussian():
    published = {1.5: 6.70579741e-04, 2.5: 1.08548710e-03, 5: 2.18075656e-03, 50: 2.38460375e-02, 100: 1.67416308e02}
    m = dp.DPSGD(2.5, 0.01, 50, direction="remove")
    for order, value in published.items():
        exact = float(50 * log_moment(0.01, 2.5, order) / (mp.mpf(order) - 1))
        assert m.renyi_divergence(order) == approx(exact, rel=1e-9)
        # At order 1.5 the published value is 3.2% too large, on the safe side; mpmath gives 6.5007090e-4.
        assert value == approx(exact, rel=0.032 if order == 1.5 else 2e-3 if order == 2.5 else 1e-8)
    assert m.renyi_divergence(1.5) == approx(6.5007090e-4, rel=1e-7)
    assert m.renyi_divergence(math.inf) == math.inf


@pytest.mark.parametrize(("epsilon", "count"), [(0.01, 1), (1.0, 1), (100.0, 1), (1.0, 100)])
def test_dp_accounting_laplace_by_large_renyi_orders(epsilon, count):
    m = dp.Laplace(1 / epsilon)
    assert accounting.rdp_to_epsilon([1e10], [count * m.renyi_divergence(1e10)], 1e-10) == approx(
        epsilon * count, abs=1e-7
    )
    assert m.renyi_divergence(1.0) <= min(epsilon, epsilon**2 / 2)
    assert (m**count).epsilon(0.0) == approx(epsilon * count, rel=1e-9)


# riskcal, on top of dp-accounting: bogdan-kulynych/riskcal, tests/test_conversions.py, test_dpsgd.py, test_blackbox.py.
# Its tests compare its functions with each other; here they are asked for the same, in the settings of those tests.


@pytest.mark.peer
def test_riskcal_conversions_of_the_gaussian_mechanism():
    from riskcal import analysis

    m, alpha = dp.Gaussian(sigma=0.5), np.array([0.1, 0.2, 0.3])
    assert m.tradeoff(alpha) == approx(analysis.get_beta_from_gdp(2.0, alpha), abs=1e-14)
    assert m.advantage == approx(analysis.get_advantage_from_gdp(2.0), abs=1e-14)
    assert m.bayes_error(alpha) == approx(analysis.get_bayes_risk_from_gdp(2.0, alpha), abs=1e-9)


@pytest.mark.peer
@pytest.mark.parametrize(("epsilon", "delta"), [(0.0, 0.1), (1.0, 1e-5), (4.0, 0.0), (0.5, 0.3)])
def test_riskcal_conversions_of_approximate_privacy(epsilon, delta):
    from riskcal import analysis

    m, alpha = dp.ApproximateDP(epsilon, delta), np.array([0.001, 0.1, 0.2, 0.3])
    assert m.tradeoff(alpha) == approx(analysis.get_beta_from_adp(epsilon, delta, alpha), abs=1e-14)
    assert m.advantage == approx(analysis.get_advantage_from_adp(epsilon, delta), abs=1e-14)
    if epsilon:
        beta = m.tradeoff(0.1)
        assert analysis.get_epsilon_from_err_rates(delta, 0.1, beta) == approx(epsilon, abs=1e-9)


@pytest.mark.peer
def test_riskcal_curves_of_a_subsampled_gaussian():
    from dp_accounting.pld.privacy_loss_distribution import from_gaussian_mechanism
    from riskcal import analysis

    pld = from_gaussian_mechanism(standard_deviation=0.4, sampling_prob=0.1).self_compose(5)
    m, alpha = dp.DPSGD(0.4, 0.1, 5), np.array([0.01, 0.1, 0.2, 0.3, 0.5])
    # The grid rounds losses up, by 1e-4, so that β from its δ is a lower bound.
    epsilon = np.linspace(-6, 14, 1001)
    below = np.max(1 - pld.get_delta_for_epsilon(epsilon) - np.exp(epsilon) * alpha[:, None], axis=1)
    assert np.all(m.tradeoff(alpha) >= below - 1e-8)
    assert m.tradeoff(alpha) == approx(below, abs=1e-4)
    # riskcal's own β is above that by up to 1.6e-6, and above the exact one.
    assert analysis.get_beta_from_pld(pld, alpha) == approx(m.tradeoff(alpha), abs=3e-6)
    assert m.advantage == approx(analysis.get_advantage_from_pld(pld), abs=1e-5)
    # The symmetrised curve meets the diagonal at (1 − advantage)/2.
    middle = (1 - m.advantage) / 2
    assert m.tradeoff(middle) == approx(middle, abs=1e-9)


@pytest.mark.deep
@pytest.mark.peer
@pytest.mark.parametrize(
    ("advantage", "rate", "steps"), [(a, *s) for a in (0.01, 0.05, 0.1) for s in ((1, 1), (1e-3, 10_000))]
)
def test_riskcal_calibration_for_advantage(advantage, rate, steps):
    from dp_accounting.pld.privacy_loss_distribution import from_gaussian_mechanism
    from riskcal import analysis

    m = dp.calibrate(lambda s: dp.DPSGD(s, rate, steps), advantage=advantage)
    pld = from_gaussian_mechanism(m.noise_multiplier, sampling_prob=rate, value_discretization_interval=1e-4)
    # Its grid adds up to 0.01 at 10,000 steps; its own search stops within 0.01 of the target.
    found = analysis.get_advantage_from_pld(pld.self_compose(steps))
    assert advantage - 1e-7 <= found <= advantage + 0.01


@pytest.mark.deep
@pytest.mark.peer
@pytest.mark.parametrize("beta", [0.33, 0.5, 0.7])
def test_riskcal_calibration_for_error_rates(beta):
    from dp_accounting.pld.privacy_loss_distribution import from_gaussian_mechanism
    from riskcal import analysis

    sigma = brentq(lambda s: dp.DPSGD(s, 1e-3, 10_000).tradeoff(0.1) - beta, 0.3, 3.0, xtol=1e-4)
    pld = from_gaussian_mechanism(sigma, sampling_prob=1e-3, value_discretization_interval=1e-4).self_compose(10_000)
    assert analysis.get_beta_from_pld(pld, 0.1) == approx(beta, abs=2e-3)


@pytest.mark.peer
@pytest.mark.parametrize(("rho", "alpha"), [(0.1, 0.05), (0.5, 0.1), (2.0, 0.01)])
def test_riskcal_error_rates_of_concentrated_privacy_are_between_ours(rho, alpha):
    from riskcal import analysis

    # The Gaussian mechanism is concentrated with ρ, so no valid bound on β is above its β.
    beta = analysis.get_beta_from_zcdp(rho, alpha)
    assert beta <= dp.Gaussian(sigma=1 / math.sqrt(2 * rho)).tradeoff(alpha) + 1e-9
    # Of the bounds that follow from (ε, δ), the best one may be weaker, and never is stronger, than by every order.
    delta = np.geomspace(1e-12, 1, 400)[:-1]
    from_profile = np.max(1 - delta - np.exp(accounting.zcdp_to_epsilon(rho, delta)) * alpha)
    assert from_profile <= beta + 1e-6


# autodp: yuxiangw/autodp, tutorials/tutorial_new_api.ipynb and tutorial_calibrator.ipynb, as stored there, and
# tutorial_fdp_of_basic_mechanisms.ipynb, whose curves were read at these points.


def test_autodp_conversions_of_the_gaussian_mechanism():
    m = dp.Gaussian(1)
    assert accounting.zcdp_to_epsilon(0.5, 1e-5, conversion="standard") == approx(5.298525912188081, abs=1e-6)
    assert accounting.zcdp_to_epsilon(0.5, 1e-5) == approx(4.728386984943314, abs=1e-6)
    assert m.epsilon(1e-5) == approx(4.377178095681228, abs=1e-9)
    # Pure privacy with ε₀ = √2: exactly log(e^ε₀ − δ(1 + e^ε₀)); autodp's is larger by δ.
    exact = math.log(math.exp(math.sqrt(2)) - 1e-5 * (1 + math.exp(math.sqrt(2))))
    assert dp.ApproximateDP(math.sqrt(2), 0).epsilon(1e-5) == approx(exact, abs=1e-12)
    assert exact == approx(1.4142111312027956 - 1e-5, abs=1e-9)


def test_autodp_compositions():
    gaussian = dp.Gaussian(5) ** 3 @ dp.Gaussian(8) ** 5
    whole = gaussian @ dp.RandomizedResponse(0.1)
    rho = 3 / (2 * 25) + 5 / (2 * 64)
    assert gaussian.epsilon([1e-6, 1e-4]) == approx([1.984273919801572, 1.4867384204500813], abs=1e-6)
    # By Rényi divergences, its generic method; it knows that and a further improvement.
    assert accounting.zcdp_to_epsilon(rho, [1e-6, 1e-4]) == approx([2.1309868424169824, 1.6484258167240666], abs=1e-5)
    # Upper bounds, as they must be.
    assert np.all(whole.epsilon([1e-6, 1e-4]) < [2.18001192542518, 1.689983703842748])
    assert np.all(whole.epsilon([1e-6, 1e-4]) > gaussian.epsilon([1e-6, 1e-4]))
    large = dp.Gaussian(5) ** 30 @ dp.Gaussian(8) ** 50 @ dp.RandomizedResponse(0.1) ** 10
    assert np.all(large.epsilon([1e-6, 1e-4]) < [7.942374861004205, 6.457460671942038])


@pytest.mark.deep
def test_autodp_calibrations():
    published = dp.calibrate(dp.Gaussian, epsilon=0.1, delta=1e-6).sigma
    assert published == approx(36.304691899114694, rel=1e-6)
    assert dp.calibrate(dp.Gaussian, epsilon=1.5, delta=1e-6).sigma == approx(2.904058395116711, rel=1e-6)
    # ε₀ with δ(ε) = δ for ε₀ of randomized response: it searches to about 1e-6.
    made = dp.calibrate(dp.RandomizedResponse, epsilon=1.5, delta=1e-6)
    assert made.epsilon(0.0) == approx(1.500001569629506, abs=1e-6)
    # 1/b = ε − 2 log(1 − δ).
    scale = dp.calibrate(lambda b: dp.Laplace(b), epsilon=0.1, delta=1e-6).scale
    assert scale == approx(1 / (0.1 - 2 * math.log1p(-1e-6)), rel=1e-9)
    assert scale == approx(9.99979887663798, rel=1e-6)
    # By Rényi divergences: more noise than is needed.
    composed = dp.calibrate(lambda s: dp.Gaussian(s) ** 20, epsilon=0.1, delta=1e-6)
    assert 176.48801940301632 > math.sqrt(20) / composed.mu == approx(36.304691899114694 * math.sqrt(20), rel=1e-6)
    sampled = dp.calibrate(lambda s: dp.DPSGD(s, 0.01, 20), epsilon=0.1, delta=1e-6)
    assert sampled.noise_multiplier < 3.205947497273216


def test_autodp_noisy_gradient_descent():
    m = dp.Gaussian(5) @ dp.Gaussian(3) @ dp.Gaussian(4)
    assert m.epsilon(1e-6) == approx(2.0677358464697515, abs=1e-6)


ONLINE = [
    0.08216484696031025, 0.11676903640602136, 0.14319884487742168, 0.16516102028030705, 0.18411555290130882,
    0.20082446740179327, 0.21575356337708634, 0.22920955229405693, 0.24140799650345754, 0.2525265414600684,
]  # fmt: skip


def test_autodp_noisy_sgd_with_noise_chosen_on_the_way():
    # σ grows by the ε that it has reported, a bound by Rényi divergences; the sampling rate stays 0.01, since the class
    # in the tutorial overwrites the one that it is given.
    sigma, whole, before = 5.0, None, 0.0
    for published in ONLINE:
        part = dp.DPSGD(sigma, 0.01, 100)
        whole = part if whole is None else whole @ part
        exact = whole.epsilon(1e-6)
        assert before < exact < published
        assert exact > 0.7 * published
        sigma, before = sigma * math.exp(0.1 * published), exact


def test_autodp_curves_of_basic_mechanisms():
    # Laplace: its f goes through the conversion from Rényi divergences, and is too small.
    laplace = dp.Laplace(1)
    assert laplace.tradeoff(0.3) == approx(math.exp(-1) / (4 * 0.3), abs=1e-12)
    assert laplace.tradeoff(0.3) > 0.2775
    assert laplace.epsilon(0.1) == approx(1 + 2 * math.log1p(-0.1), abs=1e-12)
    assert laplace.epsilon(0.1) < 0.79858
