"""What an adversary can come to believe, gain and rebuild: the closed forms and what they stand on."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx
from strategies import alphas, mechanisms

import dptutor as dp

priors_inside = st.floats(0.01, 0.99)


# Laws.


@given(st.floats(0, 30), priors_inside)
def test_belief_and_epsilon_are_inverse(epsilon, prior):
    belief = dp.posterior_belief_bound(epsilon, prior)
    assert prior - 1e-15 <= belief <= 1
    belief = max(belief, prior)
    assert dp.epsilon_for_posterior_belief(belief, prior) == approx(
        epsilon, abs=1e-12 + 1e-15 * math.exp(epsilon) * 100
    )


@given(st.floats(0, 0.999), st.floats(1e-12, 1))
def test_advantage_and_epsilon_are_inverse(advantage, delta):
    epsilon = dp.epsilon_for_expected_advantage(advantage, delta)
    assert dp.expected_advantage_bound(epsilon, delta) == approx(advantage, abs=1e-12)


@pytest.mark.parametrize("epsilon", [0.2, 2.0])
def test_beliefs_under_pure_privacy_never_exceed_the_bound(epsilon):
    belief = 1 / (1 + np.exp(-dp.Laplace(scale=1 / epsilon).privacy_loss.sample(1000, seed=0)))
    assert belief.max() == approx(dp.posterior_belief_bound(epsilon), rel=1e-12)


@given(mechanisms(), alphas)
def test_a_reconstruction_is_at_least_as_likely_as_blind(mechanism, success):
    assert success - 1e-12 <= dp.reconstruction_bound(mechanism, success) <= 1


def test_reconstruction_between_the_extremes():
    blind = np.linspace(0, 1, 11)
    assert dp.reconstruction_bound(dp.PerfectPrivacy(), blind) == approx(blind)
    assert dp.reconstruction_bound(dp.BlatantlyNonPrivate(), blind) == approx(np.ones(11))


# References.


@pytest.mark.parametrize("delta", [0.01, 0.001])
def test_parameters_of_the_table(delta):  # Bernau et al. (2021), table 2f
    beliefs = [0.53 if delta == 0.001 else 0.52, 0.75, 0.9, 0.99]
    epsilons = dp.epsilon_for_posterior_belief(np.array(beliefs))
    assert epsilons == approx([0.1201 if delta == 0.001 else 0.0800, 1.0986, 2.1972, 4.5951], abs=5e-5)
    advantages = {0.01: [0.0103, 0.1403, 0.2763, 0.5403], 0.001: [0.0127, 0.1156, 0.2289, 0.4571]}
    assert dp.expected_advantage_bound(epsilons, delta) == approx(advantages[delta], abs=6e-5)


def test_advantage_bound_is_the_advantage_of_the_classical_gaussian_mechanism():
    epsilon, delta = 0.5, 1e-5
    sigma = math.sqrt(2 * math.log(1.25 / delta)) / epsilon
    assert dp.expected_advantage_bound(epsilon, delta) == approx(dp.Gaussian(sigma=sigma).advantage, rel=1e-12)


def test_the_belief_bound_can_be_exceeded_more_often_than_delta():  # contrary to Bernau et al. (2021), theorem 1(ii)
    tight = dp.calibrate(lambda s: dp.Gaussian(sigma=s), epsilon=2.2, delta=0.01)
    assert tight.privacy_loss.sf(2.2) == approx(0.0354, abs=5e-5)


# Bad input.


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: dp.posterior_belief_bound(-1), "epsilon must be at least 0, got -1.0"),
        (lambda: dp.posterior_belief_bound(1, prior=1), r"prior must be in \(0, 1\), got 1.0"),
        (lambda: dp.epsilon_for_posterior_belief(0.4), r"belief must be in \[0.5, 1\], got 0.4"),
        (lambda: dp.expected_advantage_bound(1, 0), r"delta must be in \(0, 1\], got 0.0"),
        (lambda: dp.epsilon_for_expected_advantage(1.5, 0.1), r"advantage must be in \[0, 1\], got 1.5"),
        (lambda: dp.reconstruction_bound(dp.Gaussian(), 2), r"prior_success must be in \[0, 1\], got 2.0"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_reconstruction_needs_a_mechanism():
    with pytest.raises(TypeError, match="mechanism must be a mechanism"):
        dp.reconstruction_bound("Gaussian", 0.5)
