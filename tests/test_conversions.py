"""Round trips between the faces of arbitrary curves."""

import math

import numpy as np
import pytest
from conftest import approx
from hypothesis import given
from hypothesis import strategies as st
from strategies import alphas, finite_experiments, priors

import dptutor as dp
from dptutor import conversions

SMOOTH = st.one_of(
    st.builds(dp.Gaussian, sigma=st.floats(0.2, 10)),
    st.builds(dp.Laplace, scale=st.floats(0.2, 10)),
)


@given(SMOOTH, alphas)
def test_tradeoff_from_profile_is_the_tradeoff_function(m, alpha):
    assert conversions.tradeoff_from_profile(m.privacy_profile, alpha) == approx(m.tradeoff(alpha), abs=1e-11)


@given(SMOOTH, st.floats(-6, 6))
def test_profile_from_tradeoff_is_the_profile(m, epsilon):
    found = conversions.profile_from_tradeoff(m.tradeoff, epsilon)
    assert found == approx(m.privacy_profile(epsilon), abs=1e-11 * math.exp(max(epsilon, 0)))


@given(SMOOTH, priors)
def test_bayes_error_from_either_side(m, prior):
    assert conversions.bayes_error_from_tradeoff(m.tradeoff, prior) == approx(m.bayes_error(prior), abs=1e-11)
    assert conversions.bayes_error_from_profile(m.privacy_profile, prior) == approx(m.bayes_error(prior), abs=1e-11)


@given(SMOOTH, alphas, st.floats(-6, 6))
def test_the_bayes_error_loses_nothing(m, alpha, epsilon):
    back = conversions.profile_from_bayes_error(m.bayes_error, epsilon)
    assert back == approx(m.privacy_profile(epsilon), abs=1e-11 * math.exp(max(epsilon, 0)))
    # No prior below 1 has log-odds above 36.75.
    unseen = m.privacy_profile(36)
    assert conversions.tradeoff_from_bayes_error(m.bayes_error, alpha) == approx(m.tradeoff(alpha), abs=1e-9 + unseen)


@given(finite_experiments(), st.floats(-6, 6), priors)
def test_corners_of_a_piecewise_linear_curve_are_converted_exactly(m, epsilon, prior):
    losses = np.concatenate([[-math.inf], m._breakpoints(), [math.inf]])
    alpha, beta = m._errors(losses)
    # All corners: those at the losses, and the two ends.
    corners = np.append(alpha, [0.0, 1.0]), np.append(beta, [m.tradeoff(0.0), 0.0])
    expected = m.privacy_profile(epsilon)
    assert conversions.profile_from_tradeoff(corners, epsilon) == approx(expected, abs=1e-12 * math.exp(abs(epsilon)))
    assert conversions.bayes_error_from_tradeoff(corners, prior) == approx(m.bayes_error(prior), abs=1e-14)


@given(st.lists(st.floats(0.01, 1), min_size=1, max_size=6), st.randoms(), alphas)
def test_dominating_pair_has_the_curve_it_was_made_from(weights, random, alpha):  # Kaissis et al. (2024), lemma B.1
    p = np.array(weights) / sum(weights)
    q = np.sort([random.uniform(0.1, 1) for _ in weights])[::-1] * p
    q /= max(q.sum() * (1 + 1e-12), 1)
    corners_alpha = np.append(0.0, np.cumsum(p))
    corners_alpha[-1] = 1.0
    corners_beta = np.append(np.cumsum(q[::-1])[::-1], 0.0)
    pair = dp.FiniteExperiment(*conversions.dominating_pair(corners_alpha, corners_beta))
    assert pair.tradeoff(alpha) == approx(np.interp(alpha, corners_alpha, corners_beta), abs=1e-12)


@pytest.mark.parametrize(
    ("alpha", "beta", "message"),
    [
        ([0, 0.5, 1], [1, 0.8, 0], "convex, it is not at α = 0.5"),
        ([0, 0.5, 1], [0.2, 0.5, 0], "decrease, it does not after α = 0"),
        ([0, 0.5, 0.5, 1], [1, 0.5, 0.4, 0], "alpha must increase, it does not after α = 0.5"),
        ([0, 1], [1, 0.5], "from α = 0 to α = 1"),
        ([0, 0.5], [1, 0], "from α = 0 to α = 1"),
        ([0, 1], [1, 0.5, 0], "equally long"),
        ([0, 2], [1, 0], r"alpha must be in \[0, 1\], got 2"),
    ],
)
def test_curves_that_are_no_tradeoff_functions_are_refused(alpha, beta, message):
    with pytest.raises(ValueError, match=message):
        conversions.dominating_pair(alpha, beta)


def test_no_corners_are_refused():
    with pytest.raises(ValueError, match="alpha and beta must be equally long rows that are not empty"):
        conversions.profile_from_tradeoff(([], []), 1.0)


def test_shapes_are_kept():
    grid = np.full((2, 3), 0.3)
    m = dp.Gaussian()
    assert conversions.tradeoff_from_profile(m.privacy_profile, grid).shape == (2, 3)
    assert conversions.profile_from_tradeoff(m.tradeoff, grid).shape == (2, 3)
    assert type(conversions.bayes_error_from_tradeoff(m.tradeoff, 0.5)) is float
