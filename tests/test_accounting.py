"""The loose roads are loose on the right side; their closed forms and references."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx

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


@settings(max_examples=30)
@given(st.floats(0.01, 1), st.floats(0, 1e-3), st.integers(1, 50), st.floats(1e-9, 0.1))
def test_composition_theorems_bound_the_optimal_one(epsilon, delta, steps, slack):
    optimal = accounting.optimal_composition(epsilon, delta, steps)
    for loose, at in (
        accounting.basic_composition(epsilon, delta, steps),
        accounting.advanced_composition(epsilon, delta, steps, slack),
    ):
        assert optimal.privacy_profile(loose) <= at * (1 + 1e-9) + 1e-13


@settings(max_examples=30)
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


@given(st.floats(0.05, 6))
def test_pure_privacy_is_concentrated_with_half_its_epsilon_squared(epsilon):  # Bun & Steinke (2016), proposition 1.4
    assert accounting.zcdp(dp.RandomizedResponse(epsilon)) <= epsilon**2 / 2 * (1 + 1e-9)


@given(st.floats(1e-3, 3), st.floats(1e-12, 0.1))
def test_standard_conversion_of_concentrated_privacy(rho, delta):  # Bun & Steinke (2016), proposition 1.3
    closed = rho + 2 * math.sqrt(rho * math.log(1 / delta))
    assert accounting.zcdp_to_epsilon(rho, delta, conversion="standard") == approx(closed, rel=1e-3)
    assert accounting.zcdp_to_epsilon(rho, delta, conversion="standard") >= closed * (1 - 1e-12)


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


@pytest.mark.parametrize(("sigma", "rate", "steps"), [(2, 9e-4, 1_400_000), (3, 9e-4, 3_400_000), (5, 0.01, 10_000)])
def test_the_central_limit_is_close_to_long_trainings(sigma, rate, steps):  # Bu et al. (2020), theorem 5
    limit = dp.Gaussian(sigma=1 / accounting.clt_mu(sigma, rate, steps))
    assert float(dp.symmetric_delta_divergence(dp.DPSGD(sigma, rate, steps), limit)) < 1e-3


# Bad input.


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: accounting.basic_composition(-1, 0, 1), "epsilon must be at least 0"),
        (lambda: accounting.advanced_composition(1, 0, 1, 0), r"slack must be in \(0, 1\), got 0.0"),
        (lambda: accounting.rdp_to_delta([1.0], [1.0], 1), "orders must be greater than 1"),
        (lambda: accounting.rdp_to_delta([2.0], [1.0, 2.0], 1), "equally long"),
        (lambda: accounting.rdp_to_epsilon([2.0], [1.0], 0), r"delta must be in \(0, 1\], got 0.0"),
        (lambda: accounting.rdp_to_delta([2.0], [1.0], 1, conversion="best"), "conversion must be one of"),
        (lambda: accounting.zcdp_to_delta(0, 1), "rho must be greater than 0"),
        (lambda: accounting.clt_mu(1, 2, 1), r"sampling_rate must be in \(0, 1\], got 2.0"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
