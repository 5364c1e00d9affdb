"""Reports: what they claim is true on dense grids, references of the field, and words and tables."""

import json
import math

import numpy as np
import pytest
from conftest import approx, examples
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import norm
from strategies import mechanisms

import dptutor as dp

# Laws.


@given(mechanisms(), st.sampled_from([1e-3, 1e-6, 1e-12]))
@settings(max_examples=examples(40))
def test_the_gaussian_of_a_report_is_no_more_private_down_to_the_floor(m, floor):
    found, both = dp.report(m, floor=floor), m.symmetrized
    assert 0 <= found.regret <= 0.5
    assert found.regret == found.left_open["mu"]
    if found.mu == math.inf:
        assert both.privacy_profile(math.inf) >= floor * (1 - 1e-9)
        return
    last = both.epsilon(floor)
    losses = np.linspace(0, last, 1999)
    profile = dp.Gaussian(1 / found.mu).privacy_profile(losses) if found.mu else np.zeros(losses.shape)
    true = both.privacy_profile(losses)
    assert (profile[true >= floor] >= true[true >= floor] * (1 - 1e-6) - 1e-14).all()


@given(mechanisms())
@settings(max_examples=examples(30))
def test_two_facts_leave_no_more_open_than_one(m):
    left = dp.report(m).left_open
    assert left["epsilon and advantage"] <= min(left["epsilon"], left["advantage"]) + 1e-9


@given(mechanisms(), st.sampled_from([1e-5, 1e-2]))
@settings(max_examples=examples(30))
def test_the_other_numbers_are_those_of_both_directions(m, delta):
    found, both = dp.report(m, delta=delta), m.symmetrized
    assert (found.mechanism, found.epsilon, found.advantage) == (both, both.epsilon(delta), both.advantage)


@given(st.floats(0.05, 20))
def test_a_gaussian_is_reported_exactly(sigma):
    found = dp.report(dp.Gaussian(sigma))
    assert found.mu == approx(1 / sigma, rel=1e-12)
    assert found.regret <= 1e-12


# References.


def mu_of(epsilon, delta):
    """Balle & Wang's equation, solved by bisection."""

    def excess(mu):
        return norm.cdf(-epsilon / mu + mu / 2) - math.exp(epsilon) * norm.cdf(-epsilon / mu - mu / 2) - delta

    return brentq(excess, 1e-3, 20, xtol=1e-13)


@pytest.mark.parametrize(
    ("floor", "mu", "regret"), [(1e-5, 1.666, 0.128), (1e-10, 2.105, 0.185), (1e-15, 2.429, 0.219)]
)
def test_the_base_of_figure_6_has_no_single_mu(floor, mu, regret):  # Kaissis et al. (2024), figure 6
    found = dp.report(dp.DPSGD(0.5415, 0.01, 500), floor=floor)
    assert found.mu == approx(mu, abs=6e-4)
    assert found.regret == approx(regret, abs=6e-4)


def test_the_example_of_the_literature_holds_to_a_millionth_only():  # Gomez et al. (2026): μ 1.5686, regret 0.0010
    m = dp.DPSGD(9.4, 0.328, 2000)
    found = dp.report(m, floor=1e-7)
    assert (round(found.mu, 4), round(found.regret, 4)) == (1.5686, 0.001)
    assert dp.report(m, floor=1e-10).mu == approx(1.5701, abs=5e-5)
    # The published number is too small for the profile at 1e-10.
    epsilon = m.epsilon(1e-10)
    assert mu_of(epsilon, 1e-10) > 1.5700
    assert dp.Gaussian(1 / 1.5686).privacy_profile(epsilon) < 1e-10


@pytest.mark.parametrize("m", [dp.Laplace(1), dp.DPSGD(1.0, 0.05, 200), dp.SubsampledGaussian(0.7, 0.2)])
def test_mu_is_the_largest_that_any_loss_needs(m):
    found = dp.report(m, floor=1e-9)
    losses = np.linspace(0, m.symmetrized.epsilon(1e-9), 400)
    needed = [mu_of(e, d) for e, d in zip(losses, m.symmetrized.privacy_profile(losses), strict=True) if d > 1e-12]
    assert found.mu >= max(needed) * (1 - 1e-6)
    assert found.mu == approx(max(needed), rel=1e-3)


def test_the_regret_is_the_delta_divergence():
    m = dp.Laplace(1)
    found = dp.report(m)
    assert found.regret == float(dp.delta_divergence(m, dp.Gaussian(1 / found.mu)))


def test_ends():
    assert (dp.report(dp.PerfectPrivacy()).mu, dp.report(dp.PerfectPrivacy()).regret) == (0.0, 0.0)
    assert dp.report(dp.BlatantlyNonPrivate()).mu == math.inf
    leaking = dp.report(dp.ApproximateDP(1, 1e-5))
    assert (leaking.mu, leaking.left_open["epsilon"]) == (math.inf, approx(0, abs=1e-12))
    assert dp.report(dp.ApproximateDP(1, 1e-5), floor=1e-4).mu < math.inf
    assert dp.report(dp.Laplace(1e9)).mu == approx(0, abs=1e-8)
    assert dp.report(dp.Laplace(1e9), floor=0.5).mu == dp.report(dp.Gaussian(1e9), floor=0.5).mu == 0  # no δ counts


# Words.


def test_a_report_in_words_and_as_a_table():
    found = dp.report(dp.DPSGD(0.6, 0.01, 500))
    assert f"({found.epsilon:.4g}"[:4] in str(found)
    assert "-Gaussian-differentially private down to δ = 1e-10" in str(found)
    assert "No Gaussian mechanism" in str(dp.report(dp.ApproximateDP(1, 1e-5)))
    table = found._repr_html_()
    assert table.count("<tr>") == 5
    assert "<th scope='row'>advantage</th>" in table
    assert json.loads(json.dumps(found.as_dict()))["mu"] == found.mu
    assert hash(found) == hash(dp.report(dp.DPSGD(0.6, 0.01, 500)))


def test_printed_numbers_are_on_the_safe_side():
    found = dp.report(dp.Laplace(1.7))
    printed = str(found).split("It is (")[1].split(",")[0]
    assert found.epsilon <= float(printed) <= found.epsilon * 1.001
