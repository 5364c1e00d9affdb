"""Composition on a grid: the truth lies between the two experiments, and they are close."""

import math

import mpmath
import numpy as np
import pytest
from conftest import approx, examples
from hypothesis import given, settings
from hypothesis import strategies as st

import dptutor as dp
from dptutor.evaluation import discretized
from dptutor.evaluation.discretized import _aligned, _optimistic, _pessimistic, bracketed
from dptutor.evaluation.faces import FiniteFaces
from dptutor.mechanisms.composition import grid_factor

one_directional = st.one_of(
    st.builds(dp.Laplace, scale=st.floats(0.1, 10)),
    st.builds(dp.Gaussian, sigma=st.floats(0.2, 10)),
    st.builds(dp.RandomizedResponse, epsilon=st.floats(0.05, 5)),
    st.builds(dp.ApproximateDP, epsilon=st.floats(0.05, 5), delta=st.floats(0, 0.5)),
    st.builds(
        dp.SubsampledGaussian,
        noise_multiplier=st.floats(0.35, 10),
        sampling_rate=st.floats(1e-3, 0.95),
        direction=st.sampled_from(["add", "remove"]),
    ),
)


def lower_profile(factor, step, epsilon):
    left, _, q = _optimistic(factor, step)
    loss = step * (left + np.arange(q.size))
    p = q * np.exp(-loss)
    return factor.q_infinite + np.array([np.sum((q - np.exp(e) * p)[loss > e]) for e in epsilon])


# Laws.


@pytest.mark.parametrize("direction", ["add", "remove"])
def test_the_gap_is_that_of_the_worse_of_both_pairs(direction):
    step = dp.SubsampledGaussian(0.6, 0.01, direction)
    law, gap = bracketed([grid_factor(step, 2)])[:2]
    epsilon = np.linspace(0, 8, 1601)
    for found, pair in ((law, step), (law.reverse, step.reverse)):
        excess = found.delta(epsilon) - (pair**2).privacy_profile(epsilon)
        assert -1e-12 <= excess.min() <= excess.max() <= gap


@settings(max_examples=examples(60))
@given(one_directional, st.integers(6, 12), st.integers(0, 2**32 - 1))
def test_one_mechanism_lies_between_its_two_grids(m, octaves, seed):
    factor = grid_factor(m, 1)
    step = _aligned([factor], max((factor.high - factor.low) / 2**octaves, 1e-6))
    inside = np.random.default_rng(seed).uniform(max(factor.low, -20), min(factor.high, 20), 200)
    epsilon = np.concatenate([inside, step * np.round(inside[:50] / step), [factor.high - step / 3, factor.high]])
    truth = m._delta(epsilon)
    assert np.all(lower_profile(factor, step, epsilon) <= truth + 1e-12)
    law, _ = _pessimistic([factor], step, (factor.low, factor.high))
    assert np.all(truth <= law.delta(epsilon) + 1e-12)


@settings(max_examples=8)
@given(one_directional, st.integers(1, 3), one_directional)
def test_the_bracket_of_the_reverse_pair_holds_as_well(m, count, other):
    factors = [grid_factor(m, count), grid_factor(other, 1)]
    law, gap = bracketed(factors)[:2]
    back, other_gap = bracketed([factor.reverse for factor in factors])[:2]
    epsilon = np.linspace(0, 5, 11)
    assert np.max(np.abs(law.reverse.delta(epsilon) - back.delta(epsilon))) <= gap + other_gap


@pytest.mark.parametrize(
    ("m", "count"),
    [
        (dp.Gaussian(sigma=0.3), 3),
        (dp.SubsampledGaussian(0.6, 0.01, "add"), 7),
        (dp.FiniteExperiment([0.5, 0.3, 0.2, 0], [0.1, 0.25, 0.6, 0.05]), 3),
    ],
)
@pytest.mark.parametrize("largest", [2.0, 650.0])
def test_each_answer_of_a_grid_has_a_bound_of_its_own(m, count, largest, monkeypatch):
    # Coarse grids, and losses that are cut off: so that bounds are far above rounding.
    monkeypatch.setattr(discretized, "_SHORTEST", 64)
    monkeypatch.setattr(discretized, "LARGEST", largest)
    whole = m**count
    infinite = tuple(float(pair._delta(np.asarray(math.inf))) for pair in (whole, whole.reverse))
    bracket = bracketed([grid_factor(m, count)], 1.0)
    faces = FiniteFaces(bracket.law, bracket, infinite=infinite)
    epsilon, alpha = np.linspace(-12, 12, 401), np.append(np.geomspace(1e-12, 1, 200), 0.0)
    for own, pair in ((faces, whole), (faces.reverse, whole.reverse)):
        off = np.abs(own.bayes_error(epsilon) - pair._bayes_error(epsilon))
        assert np.all(off <= own.bayes_error_error(epsilon))
        assert off.max() <= own.bayes_error_bound <= bracket.gap
        assert np.all(np.abs(own.delta(epsilon) - pair._delta(epsilon)) <= own.delta_error(epsilon))
        assert np.all(np.abs(own.tradeoff(alpha) - pair._tradeoff(alpha)) <= own.tradeoff_error(alpha))


def test_losses_beyond_the_grid_tell_the_two_apart():
    # The Gaussian mechanism alone has an R of e^−14000.
    m = dp.Gaussian(sigma=0.003) @ dp.SubsampledGaussianGroup(4, 0.02, 3, "remove")
    assert m.bayes_error(0.5, with_error=True)[1] < 1e-11
    assert m.tradeoff(1e-12, with_error=True)[1] < 1e-11
    assert dp.delta_divergence(m, dp.Gaussian()).error_bound < 1e-11


# References.


@pytest.mark.parametrize(("sigma", "count"), [(10.0, 100), (1.0, 2), (30.0, 7)])
def test_gaussians_compose_to_a_gaussian(sigma, count):
    law, gap = bracketed([grid_factor(dp.Gaussian(sigma=sigma), count)])[:2]
    epsilon = np.linspace(0, 5, 41)
    excess = law.delta(epsilon) - dp.Gaussian(sigma=sigma / math.sqrt(count)).privacy_profile(epsilon)
    assert gap < 1e-6
    assert np.all((excess > -1e-12) & (excess <= gap))


@pytest.mark.parametrize("count", [1, 10, 200])
def test_randomized_response_stays_exact(count):
    m = dp.RandomizedResponse(0.7)
    law, gap = bracketed([grid_factor(m, count)])[:2]
    epsilon = np.linspace(0, 10, 41)
    assert law.delta(epsilon) == approx((m**count).privacy_profile(epsilon), abs=1e-11)
    assert gap < 1e-11


def composed_with_laplace(m, scale, epsilon):
    """δ of m @ Laplace: the mean over the Laplace mechanism's loss, under Q, of the profile of m."""
    top = 1 / mpmath.mpf(scale)

    def profile(x):
        return float(m._delta(np.asarray(float(x))))

    middle = mpmath.quad(
        lambda loss: profile(epsilon - loss) * mpmath.exp((loss - top) / 2) / 4, mpmath.linspace(-top, top, 17)
    )
    return float(profile(epsilon - top) / 2 + profile(epsilon + top) * mpmath.exp(-top) / 2 + middle)


@pytest.mark.parametrize("epsilon", [0.0, 0.25, 1.0, 1.75])
def test_laplace_twice_against_the_integral(epsilon):
    m = dp.Laplace(scale=1) ** 2
    assert m.error_bound <= 1e-6
    assert m.privacy_profile(epsilon) == approx(composed_with_laplace(dp.Laplace(scale=1), 1, epsilon), abs=1e-7)
    assert m.privacy_profile(epsilon) == approx(
        composed_with_laplace(dp.Laplace(scale=1), 1, epsilon), abs=m.error_bound + 1e-9
    )


@pytest.mark.parametrize("other", [dp.RandomizedResponse(1), dp.ApproximateDP(0.5, 1e-3)], ids=repr)
def test_mixtures_with_atoms_and_leaks_against_the_integral(other):
    m = dp.Laplace(scale=2) @ other
    for epsilon in (0.0, 0.4, 1.2):
        assert m.privacy_profile(epsilon) == approx(composed_with_laplace(other, 2, epsilon), abs=1e-5)
    # The profile of the other has kinks: quadrature is exact where Q's masses are summed instead.
    p, q = other._outcomes()
    laplace = dp.Laplace(scale=2)
    for epsilon in (0.0, 0.4, 1.2):
        exact = sum(
            mass * (laplace.privacy_profile(epsilon - math.log(mass / other_mass)) if other_mass else 1.0)
            for other_mass, mass in zip(p, q, strict=True)
            if mass
        )
        assert m.privacy_profile(epsilon) == approx(exact, abs=m.error_bound)


@pytest.mark.parametrize(("sigma", "rate"), [(1.0, 0.1), (0.5, 0.3), (2.0, 0.01)])
def test_two_subsampled_steps_against_quadrature(sigma, rate):
    step = dp.SubsampledGaussian(sigma, rate, direction="remove")
    u = np.linspace(-10, 10 + 1 / sigma, 200_001)
    density = (1 - rate) * np.exp(-(u**2) / 2) + rate * np.exp(-((u - 1 / sigma) ** 2) / 2)
    weight = density / math.sqrt(2 * math.pi) * (u[1] - u[0])
    loss = np.log1p(rate * np.expm1(u / sigma - 0.5 / sigma**2))
    law, gap = bracketed([grid_factor(step, 2)])[:2]
    assert gap < 1e-6
    for epsilon in (0.0, 0.5, 2.0):
        excess = float(law.delta(np.array(epsilon))) - weight @ step._delta(epsilon - loss)
        assert -1e-11 < excess <= gap


@pytest.mark.peer
def test_laplace_against_another_accountant():
    from dp_accounting.pld import privacy_loss_distribution as distribution

    epsilon = np.linspace(0, 3, 13)
    ours = (dp.Laplace(scale=1) ** 3).privacy_profile(epsilon)
    bounds = [
        distribution.from_laplace_mechanism(
            1.0, value_discretization_interval=1e-3, pessimistic_estimate=pessimistic, use_connect_dots=pessimistic
        )
        .self_compose(3)
        .get_delta_for_epsilon(epsilon)
        for pessimistic in (False, True)
    ]
    assert np.all((bounds[0] - 1e-6 <= ours) & (ours <= bounds[1] + 1e-6))


def test_atoms_that_fit_no_common_grid_are_bracketed_all_the_same():
    parts = dp.Laplace(scale=1), dp.RandomizedResponse(math.sqrt(2)), dp.Laplace(scale=math.pi)
    law, gap = bracketed([grid_factor(m, 1) for m in parts])[:2]
    pair, _ = bracketed([grid_factor(m, 1) for m in parts[::2]])[:2]
    # The randomized response exactly: a mixture of the other two's profile, moved.
    p = 1 / (1 + math.exp(math.sqrt(2)))
    for epsilon in (0.0, 0.7, 2.0):
        moved = pair.delta(np.array([epsilon - math.sqrt(2), epsilon + math.sqrt(2)]))
        exact = (1 - p) * moved[0] + p * moved[1]
        assert float(law.delta(np.array(epsilon))) == approx(exact, abs=gap + 1e-6)
    assert gap < 1e-3


@pytest.mark.parametrize("scale", [0.01, 0.002, 0.001, 1e-5])
def test_huge_losses_of_laplace_mechanisms_are_certain(scale):
    m = dp.Laplace(scale=scale) ** 2
    assert m.privacy_profile([0.0, 5.0]) == approx(np.ones(2), abs=1e-9)
    # Losses of 1e5 are themselves rounded to 1e-11.
    assert m.error_bound < (1e-10 if scale > 1e-4 else 1e-9)
    # Both answers at the far side of the shift: half of the half that is left tells all.
    assert m.epsilon(1e-5) == approx(2 / scale, rel=1e-5)


@pytest.mark.parametrize("count", [10**4, 10**5])
def test_the_gap_covers_what_many_parts_lose_by_rounding(count):
    part = dp.RandomizedResponse(1 / math.sqrt(count))
    law, gap = bracketed([grid_factor(part, count)])[:2]
    epsilon = np.linspace(0, 8, 801)
    exact, error = (part**count).privacy_profile(epsilon, with_error=True)
    assert np.all(np.abs(law.delta(epsilon) - exact) <= gap + error)
    assert gap < 1e-8
