"""Dominance in three values: what is proven holds, what is refuted can be seen, and little stays undecided."""

import math

import mpmath as mp
import numpy as np
import pytest
from conftest import approx, examples
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from scipy.special import expit
from strategies import closed_forms, mechanisms

import dptutor as dp
from dptutor.comparing import profile_order

TWO, THREE = dp.DPSGD(2, 9e-4, 1_400_000), dp.DPSGD(3, 9e-4, 3_400_000)


def seen(witness, m, other):
    """Whether a witness shows what it says."""
    if witness.reverse:
        m, other = m.reverse, other.reverse
    if witness.epsilon is None:
        assert witness.order > 1
        return witness.value < witness.other_value
    return m.privacy_profile(witness.epsilon) < other.privacy_profile(witness.epsilon)


# Laws.


@given(mechanisms(), mechanisms())
def test_what_is_proven_holds_and_what_is_refuted_can_be_seen(a, b):
    found = dp.dominance(a, b)
    assert bool(found) == (found.verdict == "proven") == dp.blackwell_dominates(a, b)
    log_odds = np.concatenate([np.linspace(-30, 30, 241), a._breakpoints(), b._breakpoints()])
    if found.verdict == "proven":
        errors, others = (m._bayes_error(log_odds) for m in (a, b))
        assert np.all(errors <= others + 1e-13)
        for m, other in ((a, b), (a.reverse, b.reverse)):
            delta, larger = (x.privacy_profile(np.abs(log_odds)) for x in (other, m))
            assert np.all(delta <= larger * (1 + 1e-8) + 1e-300)
    if found.verdict == "refuted":
        assert seen(found.witness, a, b)
        assert found.down_to is None
    if found.verdict == "undecided":
        assert found.witness is None
        assert found.down_to > 0


@pytest.mark.deep
@given(closed_forms(), closed_forms())
def test_join_and_meet_are_ordered_as_they_should_be(a, b):
    for part in (a, b):
        assert dp.dominance(dp.join(a, b), part).verdict == "proven"
        assert dp.dominance(part, dp.meet(a, b)).verdict == "proven"


@settings(max_examples=examples(50))
@given(closed_forms(), closed_forms())
def test_no_number_contradicts_the_order_of_join_and_meet(a, b):
    for part in (a, b):
        assert profile_order.witness(dp.join(a, b), part) is None
        assert profile_order.witness(part, dp.meet(a, b)) is None
        assert profile_order.renyi_witness(part, dp.meet(a, b)) is None


@pytest.mark.parametrize(
    ("sigma", "sensitivity", "mu"), [(7.7, 3, 1 / 18), (1.75, 3, 0.5), (0.25, 2, 4.0), (20, 1, 0.04)]
)
def test_discrete_noise_of_a_larger_mu_has_the_larger_tail(sigma, sensitivity, mu):
    noise = dp.DiscreteGaussian(sigma, sensitivity)
    [start] = profile_order._discrete_tail(noise, mu)

    def discrete(epsilon):  # δ by its definition
        own = mp.mpf(sensitivity) / sigma
        mass = mp.nsum(lambda x: mp.exp(-((x / sigma) ** 2) / 2), [-mp.inf, mp.inf])
        first = int(mp.floor((epsilon / own + own / 2) * sigma)) + 1
        terms = (
            mp.exp(-(((x - sensitivity) / sigma) ** 2) / 2) * -mp.expm1(epsilon - own * (x / mp.mpf(sigma) - own / 2))
            for x in range(first, first + math.ceil(12 * sigma) + 40)
        )
        return mp.fsum(terms) / mass

    with mp.workdps(60):
        for epsilon in (mp.mpf(start), start + mp.mpf("0.37"), 1.5 * mp.mpf(start), 4 * mp.mpf(start)):
            gaussian = mp.ncdf(mu / 2 - epsilon / mu) - mp.exp(epsilon) * mp.ncdf(-mu / 2 - epsilon / mu)
            assert discrete(epsilon) >= gaussian


def test_noise_is_ordered_under_other_names():
    assert dp.dominance(dp.DiscreteGaussian(7.7, 3), dp.Gaussian(18)).verdict == "proven"
    assert dp.dominance(dp.FixedBatches(1), dp.DPSGD(1.5, 0.1, 1)).verdict == "proven"
    assert dp.dominance(dp.PermuteAndFlip(2), dp.ExponentialMechanism(1.5)).verdict == "proven"
    assert dp.dominance(dp.ExponentialMechanism(2), dp.PermuteAndFlip(2)).verdict == "refuted"
    a, b = (dp.SubsampledGaussianGroup(sigma, 0.3, 3) for sigma in (1, 1.2))
    assert dp.dominance(a, b).verdict == "proven" and dp.dominance(b, a).verdict == "refuted"
    assert all(dp.dominance(b, one).verdict == "proven" for one in b.directions)


@pytest.mark.parametrize("direction", ["add", "remove", "both"])
@pytest.mark.parametrize("louder", [(1.0, 0.3, 5), (1.4, 0.7, 5), (1.4, 0.3, 9), (0.4, 0.31, 6)])
def test_groups_are_ordered_by_noise_rate_and_members(louder, direction):
    m, o = (dp.SubsampledGaussianGroup(*given, direction) for given in (louder, (1.4, 0.3, 5)))
    assert dp.dominance(m, o).verdict == "proven" and dp.dominance(o, m).verdict == "refuted"
    epsilon = np.linspace(-30, 30, 601)
    assert np.all(o.privacy_profile(epsilon) <= m.privacy_profile(epsilon) * (1 + 1e-12))


@pytest.mark.parametrize("louder", [(1.0, 0.3), (1.4, 0.7), (0.4, 0.31)])
def test_replaced_examples_are_ordered_by_noise_and_rate(louder):
    m, o = (dp.SubsampledGaussianReplaceOne(*given) for given in (louder, (1.4, 0.3)))
    assert dp.dominance(m, o).verdict == "proven" and dp.dominance(o, m).verdict == "refuted"
    epsilon = np.linspace(-30, 30, 601)
    assert np.all(o.privacy_profile(epsilon) <= m.privacy_profile(epsilon) * (1 + 1e-12))


@given(mechanisms(), mechanisms())
def test_dominance_both_ways_means_equal_faces(a, b):
    if dp.dominance(a, b) and dp.dominance(b, a):
        grid = np.linspace(-12, 12, 97)
        assert a.privacy_profile(grid) == approx(b.privacy_profile(grid), abs=1e-12)


@pytest.mark.deep
def test_fewer_than_one_pair_in_ten_is_undecided():
    verdicts = []

    @seed(18)
    @settings(
        max_examples=examples(300),
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(mechanisms(), mechanisms())
    def decide(a, b):
        verdicts.append(dp.dominance(a, b).verdict)

    decide()
    assert verdicts.count("undecided") < 0.02 * len(verdicts)  # 0.4% of 3000
    assert min(verdicts.count("proven"), verdicts.count("refuted")) > 0.2 * len(verdicts)


parts = st.one_of(
    st.builds(dp.Laplace, scale=st.floats(0.5, 5)),
    st.builds(dp.RandomizedResponse, epsilon=st.floats(0.05, 2)),
    st.builds(dp.Gaussian, sigma=st.floats(0.5, 5)),
)


@settings(max_examples=20)
@given(parts, parts, parts, st.integers(1, 4))
def test_compositions_that_are_dominated_part_by_part_are_dominated(a, b, c, count):
    large = (a @ b) ** count @ c
    assert dp.dominance(large, (a @ b) ** count).verdict == "proven"
    assert dp.dominance(large, b**count).verdict == "proven"
    assert dp.dominance(a**count @ c, large).verdict != "proven"


# What can be proven.


@pytest.mark.parametrize(
    ("m", "other"),
    [
        (dp.Gaussian(1), dp.Gaussian(2, 2)),
        (dp.Gaussian(1), dp.PerfectPrivacy()),
        (dp.BlatantlyNonPrivate(), dp.DPSGD(0.6, 0.01, 500)),
        (dp.DPSGD(0.6, 0.01, 500), dp.DPSGD(0.7, 0.009, 400)),
        (dp.DPSGD(0.6, 0.01, 500), dp.DPSGD(0.6, 0.01, 500, "add")),
        (dp.Gaussian(sigma=0.6 / 500**0.5 * (1 - 1e-12)), dp.DPSGD(0.6, 0.01, 500)),
        (dp.ApproximateDP(5.8002423, 1e-5), dp.DPSGD(0.6, 0.01, 500)),
        (dp.RandomizedResponse(1), dp.Laplace(1)),
        (dp.RandomizedResponse(10), dp.Laplace(1) ** 10),
        (dp.Gaussian(0.5), dp.Laplace(1)),
        (dp.Gaussian(0.5) @ dp.Laplace(1), dp.Gaussian(1) @ dp.Laplace(2)),
        (dp.RandomizedResponse(1) @ dp.Gaussian(1), dp.Laplace(1) @ dp.SubsampledGaussian(1, 0.1)),
        (
            dp.Gaussian(0.5) @ dp.Laplace(1),
            dp.SubsampledGaussian(1, 0.3) @ dp.SubsampledGaussian(0.8, 0.1) @ dp.Laplace(2),
        ),
        (dp.SubsampledGaussian(0.5, 0.3), dp.SubsampledGaussian(0.8, 0.31)),
        (dp.FiniteExperiment([0.2, 0.3, 0.5], [0.5, 0.3, 0.2]), dp.FiniteExperiment([0.5, 0.5], [0.8, 0.2])),
        (dp.FiniteExperiment([0.9, 0.1], [0.1, 0.9]), dp.FiniteExperiment([0.74, 0.26], [0.26, 0.74])),
        (dp.FiniteExperiment([0.6, 0.3, 0.1], [0.1, 0.3, 0.6]), dp.RandomizedResponse(math.log(3))),  # equal at ε = 0
        (dp.ApproximateDP(math.log(3), 0.1), dp.FiniteExperiment([0.7, 0.3], [0.3, 0.7])),
        (dp.RandomizedResponse(math.log(6)), dp.FiniteExperiment([0.6, 0.3, 0.1], [0.1, 0.3, 0.6])),
    ],
    ids=str,
)
def test_what_can_be_proven_is_proven(m, other):
    assert dp.dominance(m, other).verdict == "proven"
    assert dp.dominance(other, m).verdict == "proven" if m.privacy_profile(0.3) == other.privacy_profile(0.3) else True


# What was called dominance and is none.


@pytest.mark.parametrize(
    ("m", "other"),
    [
        (dp.RandomizedResponse(60.0), dp.Gaussian(sigma=1)),
        (dp.RandomizedResponse(100.0), dp.Gaussian(sigma=2)),
        (dp.ApproximateDP(40.0, 0.0), dp.Gaussian(sigma=1)),
        (dp.Laplace(scale=0.02), dp.Gaussian(sigma=1)),
        *((dp.RandomizedResponse(n**-0.5) ** n, dp.Gaussian(sigma=1.1)) for n in (4, 1600, 2500, 4096)),
        (THREE, TWO),
        (dp.DPSGD(3, 9e-4, 3_395_000), TWO),
        (TWO, THREE),
        (dp.Gaussian(sigma=1), dp.SubsampledGaussian(0.999, 0.001)),  # they cross where no float has digits
    ],
    ids=str,
)
def test_what_is_no_dominance_is_refuted_by_a_witness(m, other):
    found = dp.dominance(m, other)
    assert found.verdict == "refuted"
    assert not dp.blackwell_dominates(m, other)
    assert seen(found.witness, m, other)
    assert float(found.witness) in (found.witness.epsilon, found.witness.order)


def test_a_witness_in_rényi_divergences_can_be_checked_by_hand():
    found = dp.dominance(dp.RandomizedResponse(60.0), dp.Gaussian(sigma=1)).witness
    # Of a mechanism with losses up to 60 no Rényi divergence is more than 60; that of the Gaussian is s/2.
    assert found.value <= 60 < found.order / 2 == found.other_value


def test_two_long_trainings_cross_once():  # the profiles by saddle points: -4.4% at ε = 9, +163% at 15
    found = dp.compare(TWO, THREE)
    assert len(found.crossings) == 2
    assert math.log(found.crossings[1] / (1 - found.crossings[1])) == approx(9.6786, abs=1e-4)
    assert TWO.privacy_profile(15) / THREE.privacy_profile(15) == approx(2.629, abs=1e-3)
    assert found.reverse_divergence.value < 1e-13
    assert "Neither dominates" in found.verdict
    assert "tail is the heavier one: at ε = " in found.verdict


def test_an_undecided_pair_says_how_far_it_was_looked():
    found = dp.dominance(dp.DPSGD(0.6, 0.01, 500), dp.DPSGD(0.8, 0.01, 600))
    assert found.verdict == "undecided"
    assert 0 < found.down_to < 1e-15
    assert str(found).startswith("undecided: no violation where δ is more than ")
    assert "Neither is known to dominate" in dp.compare(dp.DPSGD(0.6, 0.01, 500), dp.DPSGD(0.8, 0.01, 600)).verdict


def test_a_difference_below_rounding_is_not_decided():
    p, q = [0.3, 0.3, 0.4], [0.1, 0.5, 0.4]
    a = dp.FiniteExperiment(p, q)
    b = dp.FiniteExperiment([0.3, 0.3 - 1e-15, 0.4 + 1e-15], [0.1, 0.5, 0.4])
    assert "refuted" not in {dp.dominance(a, b).verdict, dp.dominance(b, a).verdict}
    c = dp.FiniteExperiment([0.3, 0.3 - 1e-12, 0.4 + 1e-12], [0.1, 0.5, 0.4])
    assert "refuted" in {dp.dominance(a, c).verdict, dp.dominance(c, a).verdict}


def test_bayes_errors_are_ordered_where_profiles_are():
    # Dominance by its other meaning, on a pair whose profiles differ by little.
    a, b = dp.Gaussian(1), dp.Gaussian(1 + 1e-9)
    priors = expit(np.linspace(-20, 20, 401))
    assert dp.dominance(a, b).verdict == "proven"
    assert np.all(a.bayes_error(priors) <= b.bayes_error(priors) + 1e-16)
