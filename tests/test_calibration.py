"""Parameters from targets: that targets are met, reference parameters, and families that cannot meet them."""

import math

import numpy as np
import pytest
from conftest import approx, examples
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logit, ndtri

import dptutor as dp
from dptutor.risk.attacks import supporting_loss

FAMILIES = {
    "Gaussian": lambda x: dp.Gaussian(sigma=x),
    "Laplace": lambda x: dp.Laplace(scale=x),
    "RandomizedResponse": lambda x: dp.RandomizedResponse(epsilon=x),
    "sensitivity": lambda x: dp.Gaussian(sigma=3, sensitivity=x),
}


# Laws.


@given(st.sampled_from(sorted(FAMILIES)), st.floats(0.001, 0.99))
def test_the_advantage_is_met(name, advantage):
    assert dp.calibrate(FAMILIES[name], advantage=advantage).advantage == approx(advantage, rel=1e-10)


@given(st.sampled_from(sorted(FAMILIES)), st.floats(0, 6), st.floats(-8, -0.5))
def test_the_profile_is_met(name, epsilon, log_delta):
    delta = 10**log_delta
    m = dp.calibrate(FAMILIES[name], epsilon=epsilon, delta=delta)
    assert m.privacy_profile(epsilon) == approx(delta, rel=1e-7, abs=2 * m.error_bound)


@pytest.mark.parametrize(("epsilon", "delta"), [(50, 1.7e-184), (50, 1e-300), (0.1, 1e-200), (300, 1e-307)])
def test_a_delta_whose_square_underflows_is_met(epsilon, delta):
    m = dp.calibrate(FAMILIES["Gaussian"], epsilon=epsilon, delta=delta)
    assert delta * (1 - 1e-8) < m.privacy_profile(epsilon) <= delta


@given(st.sampled_from(["Laplace", "RandomizedResponse"]), st.floats(0.51, 0.999))
def test_the_largest_belief_is_met(name, belief):
    m = dp.calibrate(FAMILIES[name], posterior_belief=belief)
    assert dp.posterior_belief_bound(m.epsilon(0)) == approx(belief, rel=1e-10)


@settings(max_examples=examples(40))
@given(st.sampled_from(sorted(FAMILIES)), st.floats(-9, -0.3), st.floats(0.001, 0.95))
def test_the_success_of_attacks_is_met_from_the_safe_side(name, log_baseline, share):
    baseline = 10**log_baseline
    # Between a blind guess and certainty, so far as the bounded losses of the search reach.
    success = baseline ** (1 - share)
    m = dp.calibrate(FAMILIES[name], baseline=baseline, success=success)
    assert dp.attack_bound(m, baseline) == approx(success, rel=1e-7, abs=2 * m.error_bound)
    assert dp.attack_bound(m, baseline) <= success * (1 + 1e-15)
    assert dp.calibrate(FAMILIES[name], fpr=baseline, tpr=success) == m


@settings(max_examples=5)
@given(st.floats(0.2, 8), st.floats(-8, -3), st.integers(1, 100_000))
def test_dp_sgd_meets_its_target(epsilon, log_delta, steps):
    m = dp.calibrate(lambda s: dp.DPSGD(s, 0.01, steps), epsilon=epsilon, delta=10**log_delta)
    assert m.privacy_profile(epsilon) == approx(10**log_delta, rel=1e-7)


def test_belief_with_delta_is_epsilon_in_other_words():
    family = FAMILIES["Gaussian"]
    by_belief = dp.calibrate(family, posterior_belief=0.9, membership_prior=0.2, delta=1e-5)
    epsilon = math.log(0.9 / 0.1) - math.log(0.2 / 0.8)
    assert by_belief.sigma == approx(dp.calibrate(family, epsilon=epsilon, delta=1e-5).sigma, rel=1e-12)


@pytest.mark.parametrize(("baseline", "success"), [(0.05, 0.2), (1e-9, 1e-8), (0.5, 0.500001)])
def test_gaussian_noise_for_the_rates_of_a_membership_attack(baseline, success):
    mu = ndtri(success) - ndtri(baseline)
    m = dp.calibrate(dp.Gaussian, fpr=baseline, tpr=success)
    assert 1 / m.sigma == approx(mu, rel=1e-9, abs=m.error_bound)


@pytest.mark.parametrize("gap", [1e-3, 1e-6, 1e-9])
def test_a_target_close_to_certainty_is_met_as_closely_as_a_small_one(gap):
    # Rounding alone takes 1e-14 of δ, which is 1e-5 of the smallest of these gaps.
    m = dp.calibrate(dp.Gaussian, epsilon=1, delta=1 - gap)
    assert gap <= 1 - m.privacy_profile(1.0) <= gap * (1 + 1e-9) + 3e-14
    attacked = dp.calibrate(dp.Gaussian, baseline=0.1, success=1 - gap)
    assert gap * (1 - 1e-15) <= attacked.tradeoff(0.1) <= gap * (1 + 1e-9) + 3e-14


def test_a_guess_on_any_side_leads_to_the_same_line():
    m, at = dp.Gaussian(sigma=5), np.asarray(0.6)
    loss = supporting_loss(m, at)
    assert loss < 0
    for guess in (-40.0, -1.0, float(loss), 0.0, 7.0):
        assert supporting_loss(m, at, guess) == approx(loss, abs=1e-13)


def test_laplace_noise_for_the_rates_of_a_membership_attack():
    # On its first piece 1 − f(α) = e^ε α.
    assert dp.calibrate(lambda b: dp.Laplace(b), fpr=0.05, tpr=0.2).scale == approx(1 / math.log(4), rel=1e-9)


def test_dp_sgd_for_the_rates_of_a_membership_attack():
    m = dp.calibrate(lambda s: dp.DPSGD(s, 0.01, 500), fpr=0.05, tpr=0.2)
    assert 0.2 * (1 - 1e-9) <= 1 - m.tradeoff(0.05) <= 0.2
    # A target in other words: at the loss of this threshold, the profile must be what is left.
    epsilon = float(supporting_loss(m, np.asarray(0.05)))
    same = dp.calibrate(lambda s: dp.DPSGD(s, 0.01, 500), epsilon=epsilon, delta=0.2 - math.exp(epsilon) * 0.05)
    assert same.noise_multiplier == approx(m.noise_multiplier, rel=1e-7)


@pytest.mark.parametrize(
    ("targets", "words"),
    [
        ({"fpr": 0.1}, "^fpr and tpr are one target: tpr is missing$"),
        ({"success": 0.1}, "^baseline and success are one target: baseline is missing$"),
        ({"fpr": 0.1, "tpr": 0.05}, r"^tpr must be in \(0.1, 1\), got 0.05$"),
        ({"baseline": 0.0, "success": 0.05}, r"^baseline must be in \(0, 1\), got 0.0$"),
        ({"baseline": 0.1, "success": 1.0}, r"^success must be in \(0.1, 1\), got 1.0$"),
        ({"baseline": 0.1, "success": 0.2, "fpr": 0.1, "tpr": 0.2}, "^give exactly one of .* baseline with success$"),
        ({"fpr": 0.1, "tpr": 0.2, "advantage": 0.1}, "^give exactly one of"),
        ({"fpr": 0.1, "tpr": 0.2, "delta": 0.1}, "^fpr and tpr are a target without delta or exceedance$"),
    ],
)
def test_attacks_that_are_no_target_are_refused(targets, words):
    with pytest.raises(ValueError, match=words):
        dp.calibrate(dp.Gaussian, **targets)


def test_a_success_that_no_member_allows_is_unreachable():
    with pytest.raises(dp.Unreachable, match=r"^tpr = 0.9 at fpr = 0.05 is out of reach: .* 0.0520951 to 0.259511$"):
        dp.calibrate(lambda p: dp.SubsampledGaussian(1, min(p, 1)), fpr=0.05, tpr=0.9, bracket=(0.01, 1))


def test_other_parameters_of_dp_sgd():
    m = dp.calibrate(lambda p: dp.DPSGD(1.0, p, 500), epsilon=2, delta=1e-6)
    assert isinstance(m, dp.DPSGD)
    assert m.epsilon(1e-6) == approx(2, rel=1e-9)


# References.


@pytest.mark.parametrize(("rate", "steps", "sigma"), [(0.01, 500, 0.5415090504491942), (0.9, 1500, 20.92732920328500)])
def test_calibration_of_the_base_and_of_the_farthest(rate, steps, sigma):  # Kaissis et al. (2024), figure 6
    m = dp.calibrate(lambda s: dp.DPSGD(s, rate, steps), epsilon=8, delta=1e-5)
    assert m.noise_multiplier == approx(sigma, rel=1e-11)


def test_excess_vulnerability_at_one_calibration_point():  # Kaissis et al. (2024), figure 6
    base = dp.calibrate(lambda s: dp.DPSGD(s, 0.01, 500), epsilon=8, delta=1e-5)
    grown = []
    for rate, steps in [(0.05, 500), (0.2, 1000), (0.9, 1500)]:
        other = dp.calibrate(lambda s, p=rate, n=steps: dp.DPSGD(s, p, n), epsilon=8, delta=1e-5)
        grown.append((other.noise_multiplier, float(dp.delta_divergence(base, other))))
    assert grown == sorted(grown)
    assert grown[-1][1] == approx(0.1283767005288879, abs=1e-10)


def test_noise_grows_from_0_88_at_larger_sampling_rates():  # and not from 0.55: Kaissis et al. (2024), figure 6
    m = dp.calibrate(lambda s: dp.DPSGD(s, 0.04, 500), epsilon=8, delta=1e-5)
    assert m.noise_multiplier > 0.8


def test_reconstruction_grows_in_a_line_with_the_divergence():  # Kaissis et al. (2024), figure 7
    base = dp.calibrate(lambda s: dp.DPSGD(s, 0.01, 122), epsilon=4, delta=1e-5)
    assert base.noise_multiplier == approx(0.6, abs=2e-3)
    others = [
        dp.calibrate(lambda s, p=rate, n=steps: dp.DPSGD(s, p, n), epsilon=4, delta=1e-5)
        for rate, steps in [(0.02, 122), (0.05, 200), (0.1, 300), (0.3, 500), (0.6, 1000), (0.9, 1500)]
    ]
    regret = np.array([float(dp.delta_divergence(base, other)) for other in others])
    success = np.array([dp.reconstruction_bound(other, 0.1) for other in others])
    assert np.all(np.diff(regret) > 0)
    assert np.corrcoef(regret, success)[0, 1] > 0.999
    # What the paper reads off its figure: about 15% more at Δ = 0.12, the prior success being a tenth.
    gain = (success[-1] - dp.reconstruction_bound(base, 0.1)) / regret[-1] * 0.12
    assert 0.13 < gain < 0.2


def test_analytic_gaussian_mechanism_needs_less_noise_than_the_classical():  # Wang, lecture 7; Balle & Wang (2018)
    for epsilon in (0.1, 0.5, 0.99):
        classical = math.sqrt(2 * math.log(1.25 / 1e-5)) / epsilon
        assert dp.calibrate(FAMILIES["Gaussian"], epsilon=epsilon, delta=1e-5).sigma < classical


@pytest.mark.parametrize(("belief", "prior", "exceedance"), [(0.9, 0.5, 0.01), (0.6, 0.5, 1e-6), (0.5, 0.1, 0.3)])
def test_exceedance_of_a_belief_is_met_exactly(belief, prior, exceedance):
    m = dp.calibrate(FAMILIES["Gaussian"], posterior_belief=belief, membership_prior=prior, exceedance=exceedance)
    assert dp.PosteriorBelief(m, prior).sf(belief) == approx(exceedance, rel=1e-8)
    # Pr_Q[L > ε] = Φ(μ/2 − ε/μ), solved for μ.
    epsilon = logit(belief) - logit(prior)
    z = ndtri(exceedance)
    assert 1 / m.sigma == approx(z + math.sqrt(z**2 + 2 * epsilon), rel=1e-8)


def test_exceedance_of_a_composition_is_met():
    family = lambda s: dp.DPSGD(s, 0.01, 500, direction="remove")  # noqa: E731
    m = dp.calibrate(family, posterior_belief=0.9, exceedance=0.01)
    assert dp.PosteriorBelief(m).sf(0.9) == approx(0.01, rel=1e-6)


@pytest.mark.parametrize(
    ("family", "epsilon", "delta"),
    [
        (dp.Laplace, 5, 1e-9),
        (dp.Laplace, 0, 0.3),
        (dp.Gaussian, 1, 1e-9),
        (dp.RandomizedResponse, 0.2, 1e-3),
        (lambda x: dp.Laplace(scale=x) ** 3, 1, 1e-6),
        (lambda x: dp.DPSGD(x, 0.01, 500), 2, 1e-5),
        (lambda x: dp.DPSGD(x, 0.05, 3), 1, 1e-5),
        (lambda x: dp.DPSGD(x, 1e-7, 100_000), 1, 1e-9),
        (lambda x: dp.DPSGD(1.0, min(x, 1.0), 100), 1, 1e-5),
        (lambda x: dp.Gaussian(sigma=1 / x) @ dp.RandomizedResponse(0.1), 1, 1e-5),
    ],
)
def test_the_target_is_kept_and_no_noise_wasted(family, epsilon, delta):  # 0.8 s together
    value, bound = dp.calibrate(family, epsilon=epsilon, delta=delta).privacy_profile(float(epsilon), with_error=True)
    assert delta * (1 - 1e-6) <= value <= value + bound <= delta


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_other_targets_are_kept(name):
    for advantage in (1e-3, 0.1, 0.25, 0.7, 0.99):
        assert dp.calibrate(FAMILIES[name], advantage=advantage).advantage <= advantage


@pytest.mark.parametrize("epsilon", [1.0, 3.0])
def test_noise_is_not_sought_more_closely_than_the_profile_is_known(epsilon):
    class Roughly(dp.Gaussian):
        """Of which δ is known to four digits, as that of balls and bins, where each try takes a second."""

        def _delta(self, epsilon):
            tried.add(self.sigma)
            return super()._delta(epsilon) * (1 + 1e-4 * math.sin(1e6 * self.sigma))

        def _delta_error(self, epsilon):
            return 1e-4 * super()._delta(epsilon)

    tried = set()
    found = dp.calibrate(Roughly, epsilon=epsilon, delta=1e-2)
    assert 1e-2 * (1 - 5e-4) <= found.privacy_profile(epsilon) <= 1e-2
    assert len(tried) <= 8


def test_the_largest_loss_is_kept():
    for epsilon in (0.1, 1 / 3, 0.7, 3.0):
        assert dp.calibrate(dp.Laplace, epsilon=epsilon).epsilon(0) <= epsilon
        assert dp.calibrate(lambda b: dp.Laplace(b) ** 7, epsilon=epsilon).epsilon(0) <= epsilon


def test_a_family_of_steps_keeps_its_target():
    m = dp.calibrate(lambda x: dp.DPSGD(1.0, 0.01, round(x)), epsilon=1, delta=1e-5)
    assert m.privacy_profile(1.0) <= 1e-5 < dp.DPSGD(1.0, 0.01, m.steps + 1).privacy_profile(1.0)


@pytest.mark.parametrize(
    ("made", "least", "most", "inside"),
    [
        (lambda x: dp.Gaussian(sigma=1 / x), 0.0, 0.04, (1e-3, 0.03, 0.04)),
        (lambda x: dp.Gaussian(sigma=1 / x), 0.0, 0.3, (0.207, 0.29, 0.3)),
        (lambda x: dp.Gaussian(sigma=x), 3.0, math.inf, (3.0, 5.0, 400.0)),
        (lambda x: dp.Gaussian(sigma=x), 40.0, math.inf, (40.0, 99.0, 1e5)),
    ],
)
def test_a_family_that_is_defined_in_a_part_only_is_searched_to_its_ends(made, least, most, inside):
    def family(x):
        if not least <= x <= most:
            raise ValueError(f"no such x: {x}")
        return made(x)

    for x in inside:
        assert dp.calibrate(family, advantage=made(x).advantage).sigma == approx(made(x).sigma, rel=1e-11)


def test_what_a_family_says_that_is_defined_nowhere_passes():
    def family(x):
        raise ValueError(f"no such x: {x}")

    with pytest.raises(ValueError, match=r"^no such x: 1\.0$"):
        dp.calibrate(family, advantage=0.3)


# What cannot be met.


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "give exactly one of epsilon"),
        ({"epsilon": 1, "advantage": 0.5}, "give exactly one of epsilon"),
        ({"advantage": 1}, r"advantage must be in \(0, 1\), got 1.0"),
        ({"epsilon": -1, "delta": 0.1}, "epsilon must be at least 0"),
        ({"epsilon": 1, "delta": 2}, r"delta must be in \[0, 1\), got 2.0"),
        ({"epsilon": math.inf, "delta": 0.1}, "epsilon must be at least 0 and finite, got inf"),
        ({"epsilon": math.inf}, "epsilon must be"),
        ({"posterior_belief": 0.4}, r"posterior_belief must be in \(0.5, 1\), got 0.4"),
        ({"epsilon": 1, "exceedance": 0.1}, "exceedance requires posterior_belief, and replaces delta"),
        ({"posterior_belief": 0.9, "delta": 0.1, "exceedance": 0.1}, "exceedance requires posterior_belief"),
        ({"posterior_belief": 0.9, "exceedance": 1}, r"exceedance must be in \(0, 1\), got 1.0"),
        ({"epsilon": 1, "delta": 1e-5, "bracket": (2, 1)}, "bracket must be increasing"),
        ({"epsilon": 1}, "epsilon = 1 at delta = 0 is out of reach: the family reaches inf only"),
        ({"epsilon": 1, "delta": 1e-5, "bracket": (0.1, 1)}, "out of reach: the family reaches"),
    ],
)
def test_targets_that_cannot_be_met_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        dp.calibrate(FAMILIES["Gaussian"], **arguments)


def test_a_bounded_loss_exceeds_often_or_never():
    with pytest.raises(ValueError, match=r"out of reach: near 0\.455.* it jumps from 0.5 to 0"):
        dp.calibrate(FAMILIES["Laplace"], posterior_belief=0.9, exceedance=0.01)


def test_a_family_that_turns_round_is_noticed():
    with pytest.raises(ValueError, match="must be monotone"):
        dp.calibrate(lambda x: dp.Laplace(scale=0.1 + abs(x - 1)), advantage=0.3)


def test_a_family_of_something_else_is_refused():
    with pytest.raises(TypeError, match="what the family returns must be a mechanism"):
        dp.calibrate(lambda x: x, advantage=0.5)


class Faint(dp.Gaussian):
    """Defined for every noise, but computed only where μ is at most 60."""

    def _delta(self, epsilon):
        if self.sigma < 1 / 60:
            raise ValueError("too little noise")
        return super()._delta(epsilon)


def test_a_search_turns_back_where_a_family_cannot_be_computed():
    # On both sides of 1 everything is revealed, so that the search goes both ways.
    m = dp.calibrate(lambda s: Faint(sigma=s / 40), epsilon=1, delta=1e-5)
    assert m.sigma == approx(dp.calibrate(FAMILIES["Gaussian"], epsilon=1, delta=1e-5).sigma, rel=1e-10)
