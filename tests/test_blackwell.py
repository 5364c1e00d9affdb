"""Laws of dominance and of the Δ-divergence, then the figures of Kaissis et al. (2024), then bad input."""

import math

import mpmath
import numpy as np
from conftest import approx
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import mechanisms, priors, symmetric_mechanisms

import dptutor as dp


def delta(a, b):
    return dp.delta_divergence(a, b).value


def distance(a, b):
    return dp.symmetric_delta_divergence(a, b).value


# Laws.


@given(mechanisms(), mechanisms(), priors)
def test_no_prior_has_a_larger_regret(a, b, prior):
    found = dp.delta_divergence(a, b)
    assert a.bayes_error(prior) - b.bayes_error(prior) <= found.value + min(found.error_bound, 1e-12)


@given(mechanisms(), mechanisms())
def test_the_regret_is_attained_at_the_prior_that_is_named(a, b):
    found = dp.delta_divergence(a, b)
    assert a.bayes_error(found.prior) - b.bayes_error(found.prior) == approx(found.value, abs=1e-12)
    assert 0 <= found.value <= 0.5
    assert 0 <= found.error_bound <= 1e-7  # the certificate is weak where two curves coincide


@given(st.floats(0.05, 20), st.floats(0.05, 20))
def test_the_error_bound_is_at_rounding_where_curves_differ(sigma, scale):
    gaussian, laplace = dp.Gaussian(sigma=sigma), dp.Laplace(scale=scale)
    assert dp.delta_divergence(gaussian, laplace).error_bound <= 1e-12
    assert dp.delta_divergence(laplace, gaussian).error_bound <= 1e-12


@given(mechanisms(), mechanisms(), st.floats(0, 1))
def test_the_shift_moves_one_tradeoff_function_below_the_other(a, b, alpha):  # definition 1
    kappa = delta(a, b)
    if alpha + kappa <= 1:
        assert a.tradeoff(alpha + kappa) - kappa <= b.tradeoff(alpha) + 1e-9


@given(mechanisms(), mechanisms(), st.floats(-10, 10))
def test_profiles_are_ordered_up_to_the_divergence(a, b, epsilon):  # theorem 2, clause 2
    slack = delta(a, b) * (1 + math.exp(epsilon))
    assert a.privacy_profile(epsilon) + slack >= b.privacy_profile(epsilon) - 1e-12 * (1 + math.exp(epsilon))


@given(mechanisms(), mechanisms(), mechanisms())
def test_divergence_obeys_the_triangle_inequality(a, b, c):  # lemma B.3
    assert delta(a, c) <= delta(a, b) + delta(b, c) + 1e-12
    assert distance(a, c) <= distance(a, b) + distance(b, c) + 1e-12


@given(mechanisms(), mechanisms())
def test_symmetrized_divergence_is_symmetric_and_vanishes_only_on_equals(a, b):  # lemma 1, corollary 2
    assert distance(a, b) == distance(b, a)
    assert distance(a, a) == 0
    if distance(a, b) < 1e-13:
        grid = np.linspace(0, 1, 41)
        assert a.bayes_error(grid) == approx(b.bayes_error(grid), abs=1e-12)


@given(symmetric_mechanisms())
def test_extremal_mechanisms_measure_advantage_and_fixed_point(m):  # lemmas 3, 4, 5
    from_privacy = delta(dp.PerfectPrivacy(), m)
    to_disclosure = delta(m, dp.BlatantlyNonPrivate())
    assert from_privacy == approx(m.advantage / 2, abs=1e-12)
    assert to_disclosure == approx(m.minimax_bayes_error, abs=1e-12)
    assert from_privacy + to_disclosure == approx(0.5, abs=1e-12)


@given(mechanisms())
def test_extremal_mechanisms_bound_all_others(m):  # lemma 2
    assert dp.blackwell_dominates(m, dp.PerfectPrivacy())
    assert dp.blackwell_dominates(dp.BlatantlyNonPrivate(), m)


@given(st.floats(0.05, 20), st.floats(0.05, 20))
def test_gaussian_mechanisms_are_ordered_by_their_noise(a, b):  # lemma B.2
    assume(a < b * (1 - 1e-6))
    noisy, precise = dp.Gaussian(sigma=b), dp.Gaussian(sigma=a)
    assert dp.blackwell_dominates(precise, noisy)
    assert not dp.blackwell_dominates(noisy, precise)
    assert distance(noisy, precise) > 0


@given(mechanisms(), mechanisms())
def test_bayes_errors_are_equal_where_they_cross(a, b):
    for prior in dp.compare(a, b).crossings:
        assert a.bayes_error(prior) == approx(b.bayes_error(prior), abs=1e-10)


@given(mechanisms(), mechanisms())
def test_weighting_by_a_flat_density_changes_nothing(a, b):
    flat = dp.delta_divergence(a, b, prior_density=np.ones_like)
    assert flat.value == approx(delta(a, b), abs=1e-12)


@given(mechanisms(), mechanisms(), priors)
def test_no_prior_has_a_larger_weighted_regret(a, b, prior):
    assume(0 < prior < 1)
    for density in (dp.jeffreys_prior, dp.u_quadratic_prior):
        found = dp.delta_divergence(a, b, prior_density=density)
        regret = density(prior) * (a.bayes_error(prior) - b.bayes_error(prior))
        assert regret <= (found.value + found.error_bound) * (1 + 1e-12)


# References.


def gaussian_error(log_odds):
    """R of N(0, 1) against N(1, 1), in high precision."""
    prior = 1 / (1 + mpmath.exp(-log_odds))
    half = mpmath.mpf(1) / 2
    return prior * mpmath.ncdf(-half - log_odds) + (1 - prior) * mpmath.ncdf(log_odds - half)


def laplace_error(log_odds):
    """R of Lap(0, 1) against Lap(1, 1) for |ε| ≤ 1, in high precision."""
    prior = 1 / (1 + mpmath.exp(-log_odds))
    return (1 - prior) * mpmath.exp((log_odds - 1) / 2)


def test_gaussian_against_laplace_is_the_figure_of_the_paper():  # Kaissis et al. (2024), figures 2 and 3
    with mpmath.workdps(40):
        forth = gaussian_error(0) - laplace_error(0)
        guess = 1 / (1 + mpmath.e)  # beyond |ε| = 1 the Laplace mechanism's adversary can only guess
        back = guess - gaussian_error(-1)
        crossing = mpmath.findroot(lambda e: gaussian_error(e) - laplace_error(e), -0.33)
        crossing_prior = 1 / (1 + mpmath.exp(-crossing))
    found = dp.compare(dp.Gaussian(sigma=1), dp.Laplace(scale=1))
    assert found.divergence.value == approx(float(forth), abs=1e-13)
    assert found.divergence.prior == 0.5
    assert found.reverse_divergence.value == approx(float(back), abs=1e-13)
    assert found.reverse_divergence.prior == approx(float(guess), abs=1e-13)
    assert found.crossings == approx((float(crossing_prior), 1 - float(crossing_prior)), abs=1e-12)


def test_piecewise_linear_curves_are_compared_at_their_corners():
    a = dp.FiniteExperiment(p=[0.6, 0.4], q=[0.1, 0.9])
    b = dp.FiniteExperiment(p=[0.2, 0.3, 0.5], q=[0.1, 0.1, 0.8])
    corners = [p / (p + q) for m in (a, b) for p, q in zip(m.q, m.p, strict=True)]
    corners += [1 - x for x in corners]
    exact = max(max(a.bayes_error(x) - b.bayes_error(x) for x in corners), 0)
    assert delta(a, b) == approx(exact, abs=1e-15)


def test_dominance_sees_a_tail_too_thin_to_move_a_bayes_error():
    gaussian, leaky = dp.Gaussian(sigma=0.5), dp.ApproximateDP(epsilon=0.5, delta=1e-15)
    assert delta(gaussian, leaky) < 1e-13
    assert not dp.blackwell_dominates(gaussian, leaky)


def test_weighted_divergences_against_a_fine_grid():
    a, b = dp.Gaussian(sigma=1), dp.Laplace(scale=1)
    grid = np.linspace(1e-6, 1 - 1e-6, 400_001)
    grid = np.append(grid, [1 / (1 + math.e), math.e / (1 + math.e)])  # the Laplace mechanism's kinks
    for density in (dp.jeffreys_prior, dp.u_quadratic_prior, lambda x: 6 * x * (1 - x)):
        for first, second in ((a, b), (b, a)):
            regret = density(grid) * (first.bayes_error(grid) - second.bayes_error(grid))
            found = dp.delta_divergence(first, second, prior_density=density)
            assert found.value == approx(max(regret.max(), 0), abs=1e-9)


def test_hyper_priors_are_densities():
    from scipy.integrate import quad

    for density in (dp.jeffreys_prior, dp.u_quadratic_prior):
        assert quad(density, 0, 0.5)[0] + quad(density, 0.5, 1)[0] == approx(1, abs=1e-7)


def test_verdicts_in_words():
    gaussian, laplace = dp.Gaussian(sigma=1), dp.Laplace(scale=1)
    assert "Laplace(scale=1.0, sensitivity=1.0) is the safer choice" in dp.compare(gaussian, laplace).verdict
    assert "Blackwell-dominates" in dp.compare(gaussian, dp.Gaussian(sigma=2)).verdict
    assert "same privacy" in dp.compare(gaussian, dp.Gaussian(sigma=2, sensitivity=2)).verdict
    assert "<table>" in dp.compare(gaussian, laplace)._repr_html_()
