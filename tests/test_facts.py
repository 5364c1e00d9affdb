"""What reported facts allow: it contains every mechanism that satisfies them, and nothing weaker is needed."""

import math

import numpy as np
import pytest
from conftest import approx, examples
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import symmetric_mechanisms

import dptutor as dp

ALPHAS = np.concatenate([[0.0], np.geomspace(1e-12, 0.5, 60), np.linspace(0.5, 1.0, 20)])

# Laws.


@pytest.mark.deep
@given(symmetric_mechanisms(), st.lists(st.floats(0, 6), min_size=1, max_size=4), st.booleans())
@settings(max_examples=examples(40))
def test_a_mechanism_is_within_what_its_own_points_and_advantage_allow(m, losses, told):
    facts = {"epsilon": losses, "delta": m.privacy_profile(losses).tolist()}
    weakest = dp.allowed_by(**facts, advantage=m.advantage if told else None)
    assert (weakest.tradeoff(ALPHAS) <= m.tradeoff(ALPHAS) + 1e-9).all()
    assert weakest.is_symmetric
    assert weakest.reverse == weakest
    # Each fact holds, and is attained unless the others imply more.
    assert (weakest.privacy_profile(losses) <= m.privacy_profile(losses) + 1e-12).all()


@given(st.lists(st.tuples(st.floats(0, 8), st.floats(0, 0.9)), min_size=1, max_size=6))
def test_points_of_the_profile_allow_the_largest_of_their_lines(pairs):
    epsilon, delta = zip(*pairs, strict=True)
    weakest = dp.allowed_by(epsilon=epsilon, delta=delta)
    one_by_one = [dp.ApproximateDP(e, d).tradeoff(ALPHAS) for e, d in pairs]
    assert weakest.tradeoff(ALPHAS) == approx(np.max(one_by_one, axis=0), abs=1e-12)


@given(st.lists(st.tuples(st.floats(0, 3), st.floats(0, 0.5)), min_size=2, max_size=3))
@settings(max_examples=15)
def test_facts_together_allow_the_meet_of_what_each_allows(pairs):
    epsilon, delta = zip(*pairs, strict=True)
    met = dp.ApproximateDP(*pairs[0])
    for pair in pairs[1:]:
        met = dp.meet(met, dp.ApproximateDP(*pair))
    assert float(dp.symmetric_delta_divergence(dp.allowed_by(epsilon=epsilon, delta=delta), met)) <= 1e-9


def test_one_fact_allows_the_mechanism_that_attains_it():
    assert dp.allowed_by(epsilon=1, delta=1e-5) == dp.ApproximateDP(1, 1e-5)
    assert dp.allowed_by(epsilon=1) == dp.RandomizedResponse(1)
    assert dp.allowed_by(advantage=0.3) == dp.ApproximateDP(0, 0.3)
    assert dp.allowed_by(mu=0.5) == dp.Gaussian(2)
    assert dp.allowed_by(orders=math.inf, rdp=1.5) == dp.RandomizedResponse(1.5)
    assert dp.allowed_by(rho=0) == dp.allowed_by(mu=0) == dp.allowed_by(orders=2, rdp=0) == dp.PerfectPrivacy()
    assert dp.allowed_by(mu=math.inf) == dp.allowed_by(advantage=1) == dp.BlatantlyNonPrivate()


@pytest.mark.deep
def test_what_is_printed_is_read():
    for m in (
        dp.allowed_by(epsilon=[1, 2], delta=[0.1, 0.01], advantage=0.4, orders=[2, 4], rdp=[0.5, 1.5], rho=0.3),
        dp.allowed_by(rho=0.3, mu=1),
    ):
        assert dp.read(repr(m)) == m
        assert repr(dp.read(repr(m))) == repr(m)


# References: one test with errors (α, 1 − t) is a pair of coins, whose divergences are sums of two terms.


def coins(alpha, power, order):
    """The larger of the two Rényi divergences of coins with these probabilities."""
    p, q = np.array([alpha, 1 - alpha]), np.array([power, 1 - power])
    logs = [np.logaddexp(*(order * np.log(a) + (1 - order) * np.log(b))) for a, b in ((q, p), (p, q))]
    return max(logs) / (order - 1)


@pytest.mark.parametrize("orders", [[1.5], [2.0], [8.0], [1.1, 3.0, 32.0]])
@pytest.mark.parametrize("scale", [0.01, 0.5, 2.0])
def test_renyi_divergences_allow_exactly_the_coins_that_satisfy_them(orders, scale):
    rdp = [scale * order for order in orders]
    weakest = dp.allowed_by(orders=orders, rdp=rdp)
    for alpha in (1e-9, 1e-3, 0.05, 0.2, 0.4):
        power = 1 - weakest.tradeoff(alpha)
        excess = max(coins(alpha, power, order) / most for order, most in zip(orders, rdp, strict=True))
        assert excess >= 1 - 1e-9  # nothing that is allowed is left out
        less = max(
            coins(alpha, power - 1e-5 * min(1, power), order) / most for order, most in zip(orders, rdp, strict=True)
        )
        assert less <= 1 + 1e-9 or alpha > 1 - power  # and little that is not allowed is let in


@pytest.mark.parametrize("rho", [1e-4, 0.02, 0.5, 5.0])
def test_zcdp_allows_exactly_the_coins_that_satisfy_it(rho):
    weakest, orders = dp.allowed_by(rho=rho), 1 + np.geomspace(1e-3, 1e4, 400)

    def excess(alpha, power):
        return max(coins(alpha, power, order) / (rho * order) for order in orders)

    for alpha in (1e-6, 1e-3, 0.05, 0.2):
        power = 1 - weakest.tradeoff(alpha)
        assert excess(alpha, power) >= 1 - 1e-3
        assert excess(alpha, power - 1e-5 * min(1, power)) <= 1 + 1e-4 or alpha > 1 - power


@pytest.mark.deep
@pytest.mark.parametrize("mu", [0.1, 1.0, 3.0])
def test_the_gaussian_mechanism_is_within_what_its_divergences_allow(mu):
    m, orders = dp.Gaussian(1 / mu), [1.25, 2, 4, 8, 16, 64]
    for weakest in (
        dp.allowed_by(rho=mu**2 / 2),
        dp.allowed_by(orders=orders, rdp=m.renyi_divergence(orders).tolist()),
    ):
        assert dp.blackwell_dominates(weakest, m) or float(dp.delta_divergence(weakest, m)) <= 1e-12
        assert (weakest.privacy_profile(np.linspace(0, 10, 50)) >= m.privacy_profile(np.linspace(0, 10, 50))).all()


@pytest.mark.deep
@pytest.mark.parametrize("rho", [0.05, 0.5, 2.56])
def test_no_conversion_of_zcdp_to_epsilon_is_tighter(rho):
    for delta in (1e-2, 1e-5, 1e-10):
        assert dp.allowed_by(rho=rho).epsilon(delta) <= dp.accounting.zcdp_to_epsilon(rho, delta) * (1 + 1e-3)


def test_the_peer_finds_the_same_curve_of_one_divergence():
    analysis = pytest.importorskip("riskcal.analysis")
    for alpha in (0.01, 0.1, 0.3):
        ours = dp.allowed_by(orders=2, rdp=0.7).tradeoff(alpha)
        assert ours >= float(analysis.get_beta_from_rdp(0.7, alpha, 2.0)) - 1e-5


def test_what_a_report_leaves_open_shrinks_with_every_fact():
    m = dp.DPSGD(0.5415, 0.01, 500)
    facts = {"epsilon": 8, "delta": 1e-5}, {"epsilon": 8, "delta": 1e-5, "advantage": m.advantage}
    left = [float(dp.delta_divergence(m, dp.allowed_by(**each))) for each in facts]
    assert left == approx([0.3305, 0.0564], abs=5e-5)


def test_unbounded_facts_allow_everything():
    assert dp.allowed_by(rho=1e4) == dp.allowed_by(epsilon=1e5, delta=0) == dp.BlatantlyNonPrivate()
    assert dp.allowed_by(epsilon=[1e5, 1], delta=[0, 0.1]).epsilon(0.1) == approx(1, rel=1e-9)
    assert dp.allowed_by(rho=math.inf) == dp.allowed_by(orders=2, rdp=math.inf) == dp.BlatantlyNonPrivate()
    pair = dp.allowed_by(epsilon=1, delta=0.1)
    assert dp.allowed_by(epsilon=1, delta=0.1, rho=math.inf, orders=2, rdp=math.inf) == pair


# Bad input.


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({}, "^give at least one fact"),
        ({"delta": 0.1}, "^delta needs epsilon: give both$"),
        ({"orders": 2}, "^orders needs rdp: give both$"),
        ({"orders": 1, "rdp": 1}, "^orders must be greater than 1, got 1.0$"),
        ({"orders": 2, "rdp": -1}, "^rdp must be at least 0, got -1.0$"),
        ({"epsilon": -1, "delta": 0}, "^epsilon must be at least 0, got -1.0$"),
        ({"epsilon": 1, "delta": 2}, r"^delta must be in \[0, 1\], got 2.0$"),
        (
            {"epsilon": [1, 2], "delta": 0.1},
            r"^epsilon and delta must be equally long, got the shapes \(2,\) and \(1,\)$",
        ),
        ({"epsilon": [], "delta": []}, "^epsilon and delta must be equally long"),
    ],
)
def test_what_is_no_fact_is_refused(facts, words):
    with pytest.raises(ValueError, match=words):
        dp.allowed_by(**facts)
