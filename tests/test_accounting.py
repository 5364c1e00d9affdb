"""Loose accountants are loose on the right side; their closed forms and references."""

import math

import mpmath as mp
import numpy as np
import pytest
from conftest import approx, examples
from hypothesis import given, settings
from hypothesis import strategies as st

import dptutor as dp
from dptutor import accounting

ORDERS = 1 + np.geomspace(0.01, 1000, 80)
EPSILONS = np.array([0.0, 0.3, 1.0, 3.0])

mechanisms = st.one_of(
    st.builds(dp.Gaussian, sigma=st.floats(0.3, 20)),
    st.builds(dp.Laplace, scale=st.floats(0.3, 20)),
    st.builds(dp.RandomizedResponse, epsilon=st.floats(0.01, 4)),
)


# Laws.


@given(mechanisms, st.sampled_from(["improved", "standard"]))
def test_renyi_accounting_is_an_upper_bound(m, conversion):
    loose = accounting.rdp_to_delta(ORDERS, m.renyi_divergence(ORDERS), EPSILONS, conversion=conversion)
    assert np.all(loose >= m.privacy_profile(EPSILONS) * (1 - 1e-9))


@given(mechanisms, st.floats(1e-12, 0.5))
def test_the_improved_conversion_is_never_worse_and_epsilon_inverts_delta(m, delta):
    rdp = m.renyi_divergence(ORDERS)
    improved = accounting.rdp_to_epsilon(ORDERS, rdp, delta)
    assert improved <= accounting.rdp_to_epsilon(ORDERS, rdp, delta, conversion="standard")
    assert improved >= m.epsilon(delta) - 1e-9
    if improved > 0:
        assert accounting.rdp_to_delta(ORDERS, rdp, improved) == approx(delta, rel=1e-9)


@settings(max_examples=examples(30))
@given(st.floats(0.01, 1), st.floats(0, 1e-3), st.integers(1, 50), st.floats(1e-9, 0.1))
def test_composition_theorems_bound_the_optimal_one(epsilon, delta, steps, slack):
    optimal = accounting.optimal_composition(epsilon, delta, steps)
    for loose, at in (
        accounting.basic_composition(epsilon, delta, steps),
        accounting.advanced_composition(epsilon, delta, steps, slack),
    ):
        assert optimal.privacy_profile(loose) <= at * (1 + 1e-9) + 1e-13


@settings(max_examples=examples(30))
@given(mechanisms, st.floats(0, 2), st.integers(1, 8))
def test_the_optimal_composition_bounds_every_mechanism_with_the_same_epsilon_and_delta(m, epsilon, steps):
    bound = accounting.optimal_composition(epsilon, m.privacy_profile(epsilon), steps)
    exact = m**steps
    assert np.all(bound.privacy_profile(EPSILONS) >= exact.privacy_profile(EPSILONS) - exact.error_bound - 1e-12)


@given(mechanisms, st.floats(0.1, 5))
def test_concentrated_accounting_is_an_upper_bound(m, epsilon):
    rho = accounting.zcdp(m)
    assert accounting.zcdp_to_delta(rho, epsilon) >= m.privacy_profile(epsilon) * (1 - 1e-9)
    assert rho * 2.0 >= m.renyi_divergence(2.0) * (1 - 1e-9)


# References.


def test_gaussian_is_concentrated_with_half_its_mu_squared():  # Bun & Steinke (2016), proposition 1.6
    assert accounting.zcdp(dp.Gaussian(sigma=2)) == approx(1 / 8, rel=1e-9)


def test_a_rare_small_loss_is_concentrated_by_its_large_orders():
    # D_α/α of a loss of 0.001 that has probability 1e-10 is largest near α = 1.7e4, far above its divergence 2e-14.
    rare = dp.FiniteExperiment([1 - 1e-10, 1e-10], [1 - 1e-10 * math.exp(1e-3), 1e-10 * math.exp(1e-3)])
    orders = 1 + np.geomspace(1e3, 1e6, 20_001)
    assert accounting.zcdp(rare) == approx(np.max(rare.renyi_divergence(orders) / orders), rel=1e-6)


@given(st.floats(0.05, 6))
def test_pure_privacy_is_concentrated_with_half_its_epsilon_squared(epsilon):  # Bun & Steinke (2016), proposition 1.4
    assert accounting.zcdp(dp.RandomizedResponse(epsilon)) <= epsilon**2 / 2 * (1 + 1e-9)


SMALL_OR_NEARLY_ONE = st.one_of(st.floats(-300, -1).map(lambda x: 10.0**x), st.floats(-9, -1).map(lambda x: 1 - 10**x))
RHO = st.floats(-12, 6).map(lambda x: 10.0**x)


@given(RHO, SMALL_OR_NEARLY_ONE)
def test_standard_conversion_of_concentrated_privacy(rho, delta):  # Bun & Steinke (2016), proposition 1.3
    closed = rho + 2 * math.sqrt(rho * -math.log(delta))
    assert accounting.zcdp_to_epsilon(rho, delta, conversion="standard") == approx(closed, rel=1e-14)
    assert accounting.zcdp_to_delta(rho, closed, conversion="standard") == approx(delta, rel=1e-6)


@given(RHO, st.floats(-9, 300).map(lambda x: 10.0**x))
def test_improved_conversion_of_concentrated_privacy_is_its_minimum(rho, x):  # at the order α = 1 + x
    with mp.workdps(60):
        rho_, x_ = mp.mpf(rho), mp.mpf(x)

        def gap(epsilon, log_delta, x):
            """Canonne, Kamath & Steinke (2020), proposition 12: what (ε, δ) lacks at order 1 + x, 0 at the best one."""
            return log_delta - (x * (rho_ * (1 + x) - epsilon) + x * mp.log(x / (1 + x)) - mp.log1p(x))

        epsilon, log_delta = rho_ * (1 + 2 * x_) - mp.log1p(1 / x_), -rho_ * x_**2 - mp.log1p(x_)
        assert abs(gap(epsilon, log_delta, x_)) < mp.mpf("1e-30") * (1 + rho_ * x_**2)
        assert all(gap(epsilon, log_delta, x_ * turn) < 0 for turn in (0.5, 0.99, 1.01, 2))
        if not -700 < log_delta < -1e-9 or epsilon <= 0:
            return
        # Numbers are rounded to floats; the slope of log δ over ε is −x.
        delta, at = float(mp.e**log_delta), float(epsilon)
        exact = epsilon - (mp.log(delta) - log_delta) / x_
        # A rounding of δ is one of x, too, which counts where ε is a small difference of large terms.
        assert abs(accounting.zcdp_to_epsilon(rho, delta) - exact) < 1e-13 * (epsilon + rho_ + 1)
        exact = float(mp.e ** (log_delta - x_ * (mp.mpf(at) - epsilon)))
        assert accounting.zcdp_to_delta(rho, at) == approx(exact, rel=1e-9)


def test_improved_conversion_of_concentrated_privacy_in_numbers():
    # Minimised in mpmath.
    assert accounting.zcdp_to_epsilon(2.56, 1e-10) == approx(17.15830871210474, rel=1e-14)


@pytest.mark.parametrize("conversion", ["improved", "standard"])
@pytest.mark.parametrize("rho", [5e-324, 1e-300, 1e-12, 1.0, 1e6, 1e300, 1.7e308])
def test_concentrated_privacy_is_converted_at_the_ends_of_the_range(rho, conversion):
    delta = np.array([5e-324, 1e-300, 0.5, 1 - 1e-16, 1.0])
    epsilon = np.array([0.0, 5e-324, 1.0, 1e5, 1e300, 1.7e308])
    answers = accounting.zcdp_to_epsilon(rho, delta, conversion=conversion)
    assert np.all(np.diff(answers) <= 0) and np.all((answers >= 0) & np.isfinite(answers))
    back = accounting.zcdp_to_delta(rho, epsilon, conversion=conversion)
    assert np.all(np.diff(back) <= 0) and np.all((back >= 0) & (back <= 1))
    for values, function in ((delta, accounting.zcdp_to_epsilon), (epsilon, accounting.zcdp_to_delta)):
        one_by_one = [function(rho, x, conversion=conversion) for x in values]
        assert np.array_equal(one_by_one, function(rho, values, conversion=conversion))
        assert function(rho, values.reshape(-1, 1, 1), conversion=conversion).shape == (values.size, 1, 1)
        assert function(rho, [], conversion=conversion).shape == (0,)


@given(st.sampled_from([1 + 2**-52, 1 + 1e-12, 1.001, 2.0, 1e3, 1e9, 1e300]), st.floats(0, 5), st.floats(1e-300, 1))
def test_the_improved_conversion_keeps_its_digits_at_every_order(order, rdp, delta):
    with mp.workdps(400):
        x = mp.mpf(order) - 1
        exact = mp.mpf(rdp) + mp.log(x / (1 + x)) - (mp.log(mp.mpf(delta)) + mp.log1p(x)) / x
    assert accounting.rdp_to_epsilon([order], [rdp], delta) == approx(max(float(exact), 0.0), rel=1e-13, abs=1e-13)


@pytest.mark.peer
@given(st.floats(-12, 1).map(lambda x: 10.0**x), st.floats(-12, -2).map(lambda x: 10.0**x))
def test_concentrated_privacy_against_another_accountant_near_the_best_order(rho, delta):
    from dp_accounting.rdp.rdp_privacy_accountant import compute_epsilon

    exact = accounting.zcdp_to_epsilon(rho, delta)
    best = math.sqrt(-math.log(delta) / rho)  # of the standard conversion
    orders = 1 + best * np.geomspace(0.01, 1, 2000)
    other = compute_epsilon(orders, rho * orders, delta)[0]
    if other > 0:  # it is 0 where Pinsker's inequality gives more than the conversion
        assert exact == approx(other, rel=1e-3)
        assert exact <= other * (1 + 1e-9)


@pytest.mark.peer
def test_renyi_accounting_of_dp_sgd_against_another_accountant():
    from dp_accounting import dp_event
    from dp_accounting.rdp import RdpAccountant

    orders = list(range(2, 64))
    other = RdpAccountant(orders=orders)
    other.compose(dp_event.PoissonSampledDpEvent(0.01, dp_event.GaussianDpEvent(1.0)), 1000)
    m = dp.DPSGD(1.0, 0.01, 1000, direction="remove")
    rdp = m.renyi_divergence(orders)
    assert accounting.rdp_to_epsilon(orders, rdp, 1e-5) == approx(other.get_epsilon(1e-5), rel=1e-6)
    assert m.epsilon(1e-5) < accounting.rdp_to_epsilon(orders, rdp, 1e-5)


def test_leaky_randomized_response_composes_to_the_optimal_theorem():  # Kairouz, Oh & Viswanath (2015), theorem 3.3
    epsilon, delta, steps = 0.3, 1e-3, 12
    optimal = accounting.optimal_composition(epsilon, delta, steps)
    for i in range(steps // 2):
        terms = [
            math.comb(steps, n) * (math.exp((steps - n) * epsilon) - math.exp((steps - 2 * i + n) * epsilon))
            for n in range(i)
        ]
        inner = sum(terms) / (1 + math.exp(epsilon)) ** steps
        stated = 1 - (1 - delta) ** steps * (1 - inner)
        assert optimal.privacy_profile((steps - 2 * i) * epsilon) == approx(stated, rel=1e-12)


def test_advanced_composition_is_the_formula():
    expected = math.sqrt(2 * 100 * math.log(1e6)) * 0.1 + 10 * math.expm1(0.1), 100 * 1e-8 + 1e-6
    assert accounting.advanced_composition(0.1, 1e-8, 100, 1e-6) == approx(expected, rel=1e-14)
    assert accounting.basic_composition(0.1, 1e-8, 100) == approx((10, 1e-6))
    # Beyond the range of floats it is infinite, and a slack whose inverse is beyond it is taken as it is.
    assert accounting.advanced_composition(1e4, 0, 5, 0.1)[0] == math.inf
    assert accounting.advanced_composition(0.0, 0, 10**15, 5e-324) == (0.0, 5e-324)
    assert accounting.advanced_composition(0.1, 0, 1, 5e-324)[0] == approx(
        0.1 * math.sqrt(2 * 744.44) + 0.0105171, rel=1e-5
    )


@pytest.mark.parametrize(("sigma", "rate", "steps"), [(2, 9e-4, 1_400_000), (3, 9e-4, 3_400_000), (5, 0.01, 10_000)])
def test_the_central_limit_is_close_to_long_trainings(sigma, rate, steps):  # Bu et al. (2020), theorem 5
    limit = dp.Gaussian(sigma=1 / accounting.clt_mu(sigma, rate, steps))
    assert float(dp.symmetric_delta_divergence(dp.DPSGD(sigma, rate, steps), limit)) < 1e-3
