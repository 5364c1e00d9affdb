"""Moments of the loss, the bound that they give for finitely many steps, and the lemma as a sequence."""

import math

import numpy as np
import pytest
from conftest import approx, examples
from hypothesis import given, settings
from hypothesis import strategies as st

import dptutor as dp
from dptutor.comparing.asymptotics import _gaussian_moments, _moments

MECHANISMS = [
    dp.Laplace(scale=0.7),
    dp.RandomizedResponse(1.0),
    dp.RandomizedResponse(0.1) ** 100,
    dp.FiniteExperiment([0.2, 0.5, 0.3], [0.4, 0.25, 0.35]),
    dp.SubsampledGaussian(0.8, 0.3, direction="remove"),
    dp.SubsampledGaussian(0.8, 0.3, direction="add"),
    dp.DPSGD(1.0, 0.01, 1000, direction="remove"),
]


# Laws.


@pytest.mark.parametrize("m", MECHANISMS, ids=repr)
def test_first_moments_are_those_of_the_privacy_loss(m):
    moments = dp.composition_moments(m)
    assert moments.v1 == approx(-m.privacy_loss.mean("P"), rel=1e-7)
    assert moments.v2 - moments.v1**2 == approx(m.privacy_loss.variance("P"), rel=1e-7)
    assert moments.eta == approx(moments.v1 / math.sqrt(moments.v2 - moments.v1**2), rel=1e-9)


@pytest.mark.parametrize("m", MECHANISMS, ids=repr)
def test_moments_are_ordered_as_moments_are(m):
    moments = dp.composition_moments(m)
    assert moments.v1**2 <= moments.v2 * (1 + 1e-12)
    assert moments.v2**1.5 <= moments.v4 * (1 + 1e-12)
    assert (moments.v2 - moments.v1**2) ** 1.5 <= moments.v3 * (1 + 1e-12)


@pytest.mark.parametrize("m", MECHANISMS[:-1], ids=repr)
def test_mean_and_variance_add_up(m):
    one, many = dp.composition_moments(m), dp.composition_moments(m**7)
    assert many.v1 == approx(7 * one.v1, rel=1e-6)
    assert many.v2 - many.v1**2 == approx(7 * (one.v2 - one.v1**2), rel=1e-6)


symmetric_parts = st.one_of(
    st.builds(dp.RandomizedResponse, epsilon=st.floats(0.05, 3)),
    st.builds(dp.Laplace, scale=st.floats(0.5, 10)),
    st.builds(dp.Gaussian, sigma=st.floats(0.5, 10)),
)


@settings(max_examples=examples(25))
@given(symmetric_parts, st.integers(4, 64), symmetric_parts, st.integers(4, 64))
def test_the_bound_is_a_bound(m, count, other, other_count):
    bound = dp.dominance_bound(m, count, other, other_count)
    if bound.condition_holds:
        exact = dp.delta_divergence(m**count, other**other_count)
        assert exact.value <= bound.value + exact.error_bound
    # One of the two directions always has its condition.
    assert bound.condition_holds or dp.dominance_bound(other, other_count, m, count).condition_holds


@pytest.mark.parametrize("count", [1, 9, 100])
def test_compositions_are_as_close_to_their_gaussian_as_the_moments_say(count):
    m = dp.RandomizedResponse(0.3)
    moments = dp.composition_moments(m)
    distance = float(dp.symmetric_delta_divergence(m**count, moments.gaussian(count)))
    assert distance <= moments.distance(count)


# References.


@pytest.mark.parametrize("sigma", [0.5, 1.0, 7.0])
def test_moments_of_the_gaussian_mechanism(sigma):  # Kaissis et al. (2024), equations 8-12
    moments, mu = dp.composition_moments(dp.Gaussian(sigma=sigma)), 1 / sigma
    assert (moments.v1, moments.v2, moments.eta) == approx((mu**2 / 2, mu**2 + mu**4 / 4, mu / 2), rel=1e-14)
    assert moments.gaussian(9).mu == approx(3 * mu, rel=1e-14)
    general = _moments(dp.Gaussian(sigma=sigma))
    for name in ("v1", "v2", "v3", "v4", "eta"):
        assert getattr(general, name) == approx(getattr(_gaussian_moments(mu), name), rel=1e-11)


def test_moments_of_a_finite_experiment_are_sums():
    p, q = np.array([0.2, 0.5, 0.3]), np.array([0.4, 0.25, 0.35])
    loss, moments = np.log(q / p), dp.composition_moments(dp.FiniteExperiment(p, q))
    v1 = -(p @ loss)
    expected = v1, p @ loss**2, p @ np.abs(loss + v1) ** 3, p @ np.abs(loss) ** 3
    assert (moments.v1, moments.v2, moments.v3, moments.v4) == approx(expected, rel=1e-10)


@pytest.mark.parametrize(("sigma", "rate"), [(2.0, 9e-4), (0.3, 0.5), (50.0, 1e-5)])
def test_moments_of_a_subsampled_gaussian_against_a_trapezoid_sum(sigma, rate):
    u = np.linspace(-12, 12, 200_001)
    weight = np.exp(-(u**2) / 2) / math.sqrt(2 * math.pi) * (u[1] - u[0])
    loss = np.log1p(rate * np.expm1(u / sigma - 0.5 / sigma**2))
    moments = dp.composition_moments(dp.SubsampledGaussian(sigma, rate, "remove"))
    assert moments.v2 == approx(weight @ loss**2, rel=1e-9)
    assert moments.v4 == approx(weight @ np.abs(loss) ** 3, rel=1e-9)


@pytest.mark.parametrize(
    ("m", "expected"),  # by quadrature over densities, and sums over outcomes, with 40 digits
    [
        (
            dp.SubsampledGaussian(0.05, 1e-9, "remove"),
            (1.0000000005e-9, 1.0000000019052e-18, 4.400616270536e-27, 5.4006162693203e-27),
        ),
        (
            dp.SubsampledGaussian(0.3, 1e-9, "add"),
            (3.0825561454475e-14, 6.4873236773475e-14, 1.2779157540226e-14, 1.2779157540232e-14),
        ),
        (
            dp.FiniteExperiment([1e-15, 1 - 1e-15], [1e-12, 1 - 1e-12]),
            (9.9209224472152e-13, 4.7717082995304e-14, 3.2961793195169e-13, 3.2961793195154e-13),
        ),
    ],
    ids=["remove", "add", "outcomes"],
)
def test_moments_of_losses_that_are_rarely_large(m, expected):
    found = dp.composition_moments(m)
    assert (found.v1, found.v2, found.v3, found.v4) == approx(expected, rel=1e-12)


@pytest.mark.parametrize("m", [dp.RandomizedResponse(700), dp.SubsampledGaussian(0.001, 0.5, "remove")], ids=repr)
def test_losses_that_are_nearly_all_the_same_have_no_moments(m):
    with pytest.raises(ValueError, match="mechanism must have losses that differ"):
        dp.composition_moments(m)


def test_a_leak_is_refused_however_small():
    with pytest.raises(ValueError, match="mechanism must have finite losses"):
        dp.composition_moments(dp.ApproximateDP(1, 1e-17))


def test_two_long_trainings():  # Kaissis et al. (2024), section 5, on tightness
    low, high = dp.SubsampledGaussian(2, 9e-4), dp.SubsampledGaussian(3, 9e-4)
    stated = dp.dominance_bound(low, 1_400_000, high, 3_400_000)
    assert stated.value == approx(1.68e-3, abs=5e-7)
    assert (stated.steps_ratio, stated.eta_ratio) == approx((0.41176, 0.41383), abs=5e-6)
    assert not stated.condition_holds
    assert "condition fails, 0.41176 < 0.41383" in str(stated)
    swapped = dp.dominance_bound(high, 3_400_000, low, 1_400_000)
    assert swapped.condition_holds
    a, b = dp.DPSGD(2, 9e-4, 1_400_000), dp.DPSGD(3, 9e-4, 3_400_000)
    assert float(dp.delta_divergence(a, b)) == approx(2.772621573819173e-4, abs=1e-10)
    assert float(dp.delta_divergence(b, a)) < 1e-7
    assert float(dp.delta_divergence(b, a)) < swapped.value
    # Asymmetric steps: what is proven has the shortfall added.
    assert float(dp.delta_divergence(a, b)) < stated.shortfall < 5e-4
    assert stated.bound == stated.value + stated.shortfall
    assert 0 < swapped.shortfall < 1e-8
    assert "steps that are not symmetric add" in str(swapped)


def test_dominance_emerges():  # Kaissis et al. (2024), lemma 6
    sequence = dp.asymptotic_dominance(
        lambda n: dp.Laplace(scale=n**0.5 / 1.5), lambda n: dp.RandomizedResponse(epsilon=1.2 / n**0.5), [1, 4, 16, 64]
    )
    assert sequence.divergences[0] > 1e-3
    assert max(sequence.divergences[1:]) < 1e-6
    # 2K/s tends to 1.5 and 1.2.
    assert sequence.mu.shape == (2, 4)
    assert sequence.mu[:, -1] == approx([1.5, 1.2], abs=0.05)
    assert [n * m.v4 for n, m in zip(sequence.counts, sequence.moments, strict=True)][-1] < 0.5


@settings(max_examples=examples(30))
@given(
    st.floats(0.4, 3),
    st.floats(0.01, 0.9),
    st.integers(2, 300),
    st.floats(0.4, 3),
    st.floats(0.01, 0.9),
    st.integers(2, 300),
    st.sampled_from(["both", "remove", "add"]),
)
def test_the_bound_for_asymmetric_steps_is_one(sigma, rate, count, other_sigma, other_rate, other_count, direction):
    steps = [dp.SubsampledGaussian(*x, direction) for x in ((sigma, rate), (other_sigma, other_rate))]
    bound = dp.dominance_bound(steps[0], count, steps[1], other_count)
    if bound.bound < 0.5:  # else it says nothing
        exact = dp.delta_divergence(steps[0] ** count, steps[1] ** other_count)
        assert exact.value <= bound.bound + exact.error_bound


@given(st.lists(st.floats(0.05, 1), min_size=6, max_size=6), st.integers(2, 40), st.integers(2, 40))
@settings(max_examples=examples(30))
def test_the_bound_holds_for_lopsided_coins(weights, count, other_count):
    coins = [
        dp.FiniteExperiment([w[0] / sum(w), w[1] / sum(w), w[2] / sum(w)], [0.3, 0.3, 0.4])
        for w in (weights[:3], weights[3:])
    ]
    if min(coin.advantage for coin in coins) < 1e-3:
        return
    bound = dp.dominance_bound(coins[0], count, coins[1], other_count)
    exact = dp.delta_divergence(coins[0] ** count, coins[1] ** other_count)
    assert exact.value <= bound.bound + exact.error_bound


def test_moments_are_those_of_one_direction():
    with pytest.raises(ValueError, match=r"meant in both directions: ask for .*'remove'.* or .*'add'"):
        dp.composition_moments(dp.SubsampledGaussian(2, 0.1))
