"""What an adversary can come to believe, gain and rebuild: the closed forms and what they stand on."""

import math

import numpy as np
import pytest
from conftest import approx, examples
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import alphas, closed_forms, mechanisms

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


@settings(max_examples=examples(40))
@given(mechanisms(), priors_inside, st.floats(0.001, 0.999))
def test_the_mean_excess_over_a_belief_is_delta(mechanism, prior, level):
    # E[max(B − ρ, 0)] over both worlds is ∫ of the tail above ρ, and (1 − ρ) b δ(ε).
    belief, grid = dp.PosteriorBelief(mechanism, prior), np.linspace(level, 1, 1001)
    tail = prior * belief.sf(grid, "Q") + (1 - prior) * belief.sf(grid, "P")
    epsilon = math.log(level / (1 - level)) - math.log(prior / (1 - prior))
    wanted = (1 - level) * prior * mechanism.privacy_profile(epsilon)
    # Riemann sums of a decreasing function: at most a step off.
    assert float(np.mean(tail) * (1 - level)) == approx(wanted, abs=2e-3)


@settings(max_examples=20)
@given(closed_forms(), priors_inside)
def test_beliefs_are_the_prior_on_average(mechanism, prior):
    belief = dp.PosteriorBelief(mechanism, prior)
    in_q, in_p = belief.mean("Q"), belief.mean("P")
    assert prior * in_q + (1 - prior) * in_p == approx(prior, abs=1e-9)
    assert -1e-9 <= in_p <= prior + 1e-9 and prior - 1e-9 <= in_q <= 1 + 1e-9


@settings(max_examples=examples(50))
@given(mechanisms(), priors_inside, st.floats(0.01, 0.99), st.sampled_from(["P", "Q"]))
def test_quantiles_invert_the_distribution_of_the_belief(mechanism, prior, level, world):
    belief = dp.PosteriorBelief(mechanism, prior)
    found = belief.quantile(level, world)
    assert belief.cdf(min(found + 1e-7, 1.0), world) >= level - 1e-9
    assert found < 1e-7 or belief.cdf(found - 1e-7, world) <= level + 1e-9


@settings(max_examples=examples(50))
@given(mechanisms(), priors_inside, st.floats(0.0, 6.0), st.floats(0.0, 0.9999))
def test_no_belief_exceeds_more_often_than_its_bound(mechanism, prior, epsilon, level):
    both = mechanism.symmetrized
    bound = dp.belief_exceedance_bound(epsilon, min(both.privacy_profile(epsilon) + 1e-9, 1.0), level, prior)
    for pair in (mechanism, both):
        assert dp.PosteriorBelief(pair, prior).sf(level) <= bound + 1e-9


@given(st.floats(0.01, 6), st.floats(1e-6, 0.5), st.floats(-1.0, 8.0))
def test_the_bound_on_exceedance_is_attained(epsilon, delta, gap):
    loss = epsilon + max(gap, -epsilon / 2)
    level = 1 / (1 + math.exp(-loss))
    bound = dp.belief_exceedance_bound(epsilon, delta, level)
    q = bound * (1 - 1e-6)
    p = math.exp(-loss) * q * (1 - 1e-7)
    worst = dp.FiniteExperiment(p=[p, 1 - p], q=[q, 1 - q])
    assert worst.symmetrized.privacy_profile(epsilon) <= delta + 1e-6
    assert dp.PosteriorBelief(worst).sf(level) == approx(q)


@given(st.floats(0.2, 5), st.integers(1, 50), st.floats(1e-9, 0.5), priors_inside)
def test_the_bound_from_renyi_divergences_holds_with_its_probability(sigma, steps, delta, prior):
    m, orders = dp.Gaussian(sigma=sigma) ** steps, 1 + np.geomspace(1e-3, 1e4, 300)
    rdp = steps * dp.Gaussian(sigma=sigma).renyi_divergence(orders)
    bound = dp.rdp_posterior_belief_bound(orders, rdp, delta, prior)
    assert bound >= dp.PosteriorBelief(m, prior).quantile(1 - delta) - 1e-9
    assert dp.rdp_expected_advantage(orders, rdp) == approx(np.full(orders.shape, m.advantage), abs=1e-12)


def test_randomized_response_has_more_advantage_than_its_divergences_say():
    m = dp.RandomizedResponse(epsilon=1)
    assert m.advantage > dp.rdp_expected_advantage(2, m.renyi_divergence(2))


@pytest.mark.parametrize("prior", [0.5, 0.1, 0.9])
def test_beliefs_of_a_sample_follow_their_distribution(prior):
    belief = dp.PosteriorBelief(dp.Gaussian(sigma=0.7), prior)
    for world in ("P", "Q"):
        drawn = belief.sample(100_000, world, seed=12)
        assert drawn.mean() == approx(belief.mean(world), abs=5e-3)
        assert (drawn > 0.8).mean() == approx(belief.sf(0.8, world), abs=5e-3)


def test_beliefs_at_the_extremes():
    certain, blank = dp.PosteriorBelief(dp.BlatantlyNonPrivate(), 0.3), dp.PosteriorBelief(dp.PerfectPrivacy(), 0.3)
    assert certain.mean("Q") == approx(1, abs=1e-9) and certain.mean("P") == approx(0, abs=1e-9)
    assert certain.sf(np.array([0.0, 0.5, 1.0])).tolist() == [1, 1, 0]
    assert blank.mean() == approx(0.3, abs=1e-12) and blank.quantile(0.5) == approx(0.3)
    leaking = dp.FiniteExperiment([0.2, 0.8, 0], [0.5, 0.3, 0.2])
    for prior in (5e-324, 1e-300, 1e-12):
        assert dp.PosteriorBelief(leaking, prior).mean() == approx(0.2 + prior * (0.25 / 0.2 + 0.09 / 0.8), rel=1e-11)


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


@pytest.mark.parametrize(
    ("epsilon", "delta", "broken"), [(6, 1e-6, True), (3, 1e-6, False), (4.5951, 0.01, False), (4.5951, 0.001, False)]
)
def test_classical_noise_keeps_the_tail_up_to_a_point(
    epsilon, delta, broken
):  # Bernau et al. (2021), figure 2, table 2f
    classical = dp.Gaussian(sigma=math.sqrt(2 * math.log(1.25 / delta)) / epsilon)
    tail = dp.PosteriorBelief(classical).sf(dp.posterior_belief_bound(epsilon))
    assert (tail > delta) == broken
    assert classical.privacy_profile(epsilon) < delta


def test_randomized_response_exceeds_a_belief_in_nine_cases_of_ten():
    m = dp.RandomizedResponse(epsilon=math.log(9 + 1e-5))
    assert m.privacy_profile(math.log(9)) < 1e-6
    assert dp.PosteriorBelief(m).sf(0.9) == approx(0.9, abs=1e-6)
    assert dp.belief_exceedance_bound(math.log(9), 1e-6, 0.9) == approx(0.9, abs=1e-6)


# Bad input.


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: dp.epsilon_for_posterior_belief(0.4), r"belief must be in \[0.5, 1\], got 0.4"),
        (lambda: dp.expected_advantage_bound(1, 0), r"delta must be in \(0, 1\], got 0.0"),
        (lambda: dp.PosteriorBelief(dp.Gaussian()).sf(1.2), r"belief must be in \[0, 1\], got 1.2"),
        (lambda: dp.PosteriorBelief(dp.Gaussian()).cdf(0.5, "R"), "under must be one of 'P', 'Q', got 'R'"),
        (lambda: dp.PosteriorBelief(dp.Gaussian()).quantile(1), r"level must be in \(0, 1\), got 1.0"),
        (lambda: dp.belief_exceedance_bound(1, 0.1, 1), r"belief must be in \[0, 1\), got 1.0"),
        (lambda: dp.rdp_posterior_belief_bound([2], [1], 0), r"delta must be in \(0, 1\], got 0.0"),
        (lambda: dp.rdp_expected_advantage(0, 1), "order must be greater than 0"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_bounds_of_tiny_parameters_keep_their_digits():
    # At ε' = ε the bound is 1/(1 + e^−ε) + δ/(2 sinh ε), at ε' = 0 and δ = 0 it is 1.
    assert dp.belief_exceedance_bound(1e-12, 0.0, 0.5) == 1.0
    assert dp.belief_exceedance_bound(1e-300, 1e-300, 0.5) == 1.0
    assert dp.belief_exceedance_bound(1e-9, 4e-10, dp.posterior_belief_bound(1e-9)) == approx(0.7, rel=1e-6)
    assert dp.rdp_expected_advantage(1e-320, 1.0) == 1.0
