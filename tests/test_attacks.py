"""The bound on all attacks: its laws, closed forms, and the best attack found by enumeration."""

import itertools

import numpy as np
import pytest
from conftest import approx, examples
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf
from strategies import mechanisms

import dptutor as dp

# Laws.


@pytest.mark.deep
@given(mechanisms(), st.floats(0, 1))
def test_success_is_what_the_tradeoff_function_leaves(m, baseline):
    assert dp.attack_bound(m, baseline) == approx(1 - m.tradeoff(baseline), abs=1e-10)
    assert dp.attack_advantage(m, baseline) == approx(dp.attack_bound(m, baseline) - baseline, abs=1e-12)
    assert baseline <= dp.attack_bound(m, baseline) <= 1


@given(mechanisms(), st.lists(st.floats(0, 1), min_size=2, max_size=2))
def test_a_better_guess_succeeds_more_often(m, baselines):
    low, high = dp.attack_bound(m, sorted(baselines))
    assert low <= high + 1e-12


@given(mechanisms(), st.floats(0, 1))
def test_reconstruction_is_one_of_these_attacks(m, baseline):
    assert dp.reconstruction_bound(m, baseline) == dp.attack_bound(m, baseline)


@pytest.mark.deep
@given(mechanisms())
@settings(max_examples=examples(30))
def test_the_largest_gain_is_the_advantage_of_the_mechanism(m):
    gains = dp.attack_advantage(m, np.linspace(0, 1, 201))
    assert gains.max() <= m.advantage + 1e-9
    loss = m.privacy_loss
    at = loss.sf(0.0, under="P")  # the test that rejects where L > 0
    assert dp.attack_advantage(m, at) == approx(m.advantage, abs=1e-9)


@pytest.mark.deep
@given(mechanisms(), st.floats(0, 1))
def test_both_directions_bound_the_attack_in_either(m, baseline):
    both = dp.attack_bound(m.symmetrized, baseline)
    for one in (m, m.reverse):
        assert dp.attack_bound(one, baseline) <= both + 1e-10


def test_arrays_are_their_entries():
    m, baselines = dp.DPSGD(0.6, 0.01, 500), np.array([[0.0, 1e-9], [0.3, 1.0]])
    for bound in (dp.attack_bound, dp.attack_advantage):
        whole = bound(m, baselines)
        assert whole.shape == (2, 2)
        assert whole == approx(np.vectorize(lambda b, f=bound: f(m, float(b)))(baselines), rel=1e-12)
        assert isinstance(bound(m, 0.3), float)


# References.


@pytest.mark.parametrize("mu", [1e-3, 0.5, 1.0, 5.0])
@pytest.mark.parametrize("baseline", [1e-200, 1e-30, 1e-9, 0.05, 0.5, 0.999])
def test_gaussian_noise_is_the_closed_form(mu, baseline):
    with mp.workdps(50):
        # Φ(Φ⁻¹(κ) + μ), by a root in high precision.
        quantile = mp.findroot(lambda x: mp.log(mp.ncdf(x)) - mp.log(mpf(baseline)), -mp.sqrt(-2 * mp.log(baseline)))
        success = mp.ncdf(quantile + mpf(mu))
    assert dp.attack_bound(dp.Gaussian(1 / mu), baseline) == approx(float(success), rel=1e-9)
    assert dp.attack_advantage(dp.Gaussian(1 / mu), baseline) == approx(float(success - baseline), rel=1e-9)


def test_pure_privacy_multiplies_small_baselines():
    m = dp.RandomizedResponse(1.0)
    assert dp.attack_bound(m, [0, 1e-300, 1e-9, 0.1]) == approx(np.exp(1) * np.array([0, 1e-300, 1e-9, 0.1]), rel=1e-12)
    # A bounded loss, however large, reveals nothing for certain.
    assert dp.attack_bound(dp.Laplace(0.01) ** 3, 0.0) == 0.0


def test_no_attack_on_small_worlds_beats_the_bound_and_the_best_on_membership_attains_it():
    generator = np.random.default_rng(5)
    for _ in range(40):
        candidates, outputs = generator.integers(2, 5), generator.integers(2, 4)
        prior = generator.dirichlet(np.ones(candidates))
        null, *worlds = generator.dirichlet(np.ones(outputs), candidates + 1)
        # For every candidate one pair; f is the lowest of the curves, and that of the join is below it.
        m = dp.FiniteExperiment(null, worlds[0])
        for world in worlds[1:]:
            m = dp.join(m, dp.FiniteExperiment(null, world))
        best = max(
            sum(prior[guess] * worlds[guess][output] for output, guess in enumerate(guesses))
            for guesses in itertools.product(range(candidates), repeat=outputs)
        )
        assert best <= dp.attack_bound(m, prior.max()) + 1e-12
    p, q = np.array([0.5, 0.3, 0.2]), np.array([0.1, 0.3, 0.6])
    m = dp.FiniteExperiment(p, q)
    for rejected in ([2], [1, 2]):  # rejecting the largest likelihood ratios
        assert dp.attack_bound(m, p[rejected].sum()) == approx(q[rejected].sum(), abs=1e-12)
