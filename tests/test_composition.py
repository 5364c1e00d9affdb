"""Composition and DP-SGD: laws, closed forms, 40-digit references, brackets, bad input."""

import math
from functools import partial, reduce
from itertools import pairwise

import flint
import mpmath
import numpy as np
import pytest
from conftest import approx, examples
from flint import acb, arb
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from scipy.special import expit, ndtr
from scipy.stats import binom, norm

import dptutor as dp
from dptutor.evaluation.discretized import bracketed
from dptutor.evaluation.hellinger import Inversion
from dptutor.evaluation.lines import Lines
from dptutor.evaluation.profile_table import ProfileTable
from dptutor.evaluation.subsampled_gaussian import log_hellinger
from dptutor.mechanisms.composition import grid_factor
from dptutor.mechanisms.gaussian import gaussian_profile

# 40-digit arithmetic, two contours agreeing.
REFERENCES = {
    (0.6, 0.01, 500): (
        {0: 0.2766541885866445, 1: 0.0690511844095472, 2: 0.0130405844012507, 4: 3.375273941021988e-4},
        5.800242234555166,
    ),
    (2, 9e-4, 1_400_000): ({0: 0.2233620791157084, 8: 8.046936521468260e-45}, 2.298768821612752),
    (3, 9e-4, 3_400_000): ({0: 0.2239166034304722}, 2.303783668466932),
}
noise, rates, many = (
    st.floats(0.3, 50),
    st.floats(-5, 0).map(lambda x: 10**x),
    st.floats(1, 9).map(lambda x: int(10**x)),
)


@pytest.mark.parametrize(("setting", "reference"), REFERENCES.items(), ids=str)
def test_dpsgd_has_the_reference_values(setting, reference):
    m, (profile, epsilon) = dp.DPSGD(*setting), reference
    for at, delta in profile.items():
        assert m.privacy_profile(at) == approx(delta, rel=1e-11)
    assert m.epsilon(1e-5) == approx(epsilon, abs=1e-10)
    assert m.error_bound <= 1e-10
    assert (dp.SubsampledGaussian(*setting[:2]) ** setting[2]).advantage == m.advantage


def test_the_divergence_of_two_million_step_runs():  # Kaissis et al. (2024), section 5
    first, second = dp.DPSGD(2, 9e-4, 1_400_000), dp.DPSGD(3, 9e-4, 3_400_000)
    found = dp.delta_divergence(first, second)
    assert found.value == approx(2.772621573819173e-4, abs=1e-13)
    assert found.error_bound <= 1e-10
    assert dp.delta_divergence(second, first).value == approx(0, abs=1e-13)


def test_the_divergence_of_two_runs_calibrated_alike():  # Kaissis et al. (2024), figure 6
    base, noisy = dp.DPSGD(0.5415090504491942, 0.01, 500), dp.DPSGD(20.92732920328500, 0.9, 1500)
    assert [base.epsilon(1e-5), noisy.epsilon(1e-5)] == approx([8, 8], abs=1e-10)
    assert dp.delta_divergence(base, noisy).value == approx(0.1283767005288879, abs=1e-12)


# One step.


@pytest.mark.parametrize("direction", ["add", "remove"])
@pytest.mark.parametrize(("sigma", "rate"), [(0.5, 0.3), (1.0, 0.01), (4.0, 0.9)])
def test_one_step_against_the_integral(sigma, rate, direction):
    m = dp.SubsampledGaussian(sigma, rate, direction)

    def densities(x):
        p = mpmath.npdf(x, 0, sigma)
        q = (1 - rate) * p + rate * mpmath.npdf(x, 1, sigma)
        return (p, q) if direction == "remove" else (q, p)

    def excess(epsilon, x):
        p, q = densities(x)
        return max(q - mpmath.exp(epsilon) * p, 0)

    for epsilon in (-1.0, 0.0, 0.2, 2.0):
        with mpmath.workdps(30):
            # The integrand has one kink, where the loss is ε.
            inner = (math.exp(epsilon if direction == "remove" else -epsilon) - 1 + rate) / rate
            kink = sigma**2 * math.log(inner) + 0.5 if inner > 0 else 0.0
            ends = sorted({-40 * sigma, *(kink + sigma * x for x in (-8, -3, -1, 0, 1, 3, 8)), 40 * sigma})
            exact = float(mpmath.quad(partial(excess, epsilon), ends))
        assert m.privacy_profile(epsilon) == approx(exact, rel=1e-9, abs=1e-20)
        alpha, beta = m._errors(np.asarray(epsilon))
        assert 1 - beta - math.exp(epsilon) * alpha == approx(exact, abs=1e-13 * math.exp(max(epsilon, 0)))


def test_a_full_batch_is_the_gaussian_mechanism():
    full, gaussian = dp.DPSGD(4, 1.0, 9), dp.Gaussian(sigma=4 / 3)
    grid = np.linspace(0, 1, 21)
    assert full.tradeoff(grid) == approx(gaussian.tradeoff(grid), abs=1e-13)
    assert dp.SubsampledGaussian(2, 1.0).privacy_profile(1.0) == approx(
        dp.Gaussian(sigma=2).privacy_profile(1.0), rel=1e-12
    )


def test_both_directions_are_the_worse_of_both():
    both, *each = (dp.DPSGD(0.8, 0.05, 60, direction) for direction in ("both", "add", "remove"))
    losses = np.linspace(-3, 5, 33)
    assert both.privacy_profile(losses) == approx(np.maximum(*(m.privacy_profile(losses) for m in each)), rel=1e-12)
    assert each[0].reverse == each[1]
    assert both.reverse == both


# The transform.


@pytest.mark.parametrize(
    ("sigma", "rate", "s"),
    [
        (0.6, 0.01, 0.5 + 3j),
        (0.6, 0.01, 3 + 5j),
        (3.0, 9e-4, 0.5),
        (3.0, 9e-4, 20 + 1j),
        (50.0, 1e-5, 0.5 + 3000j),
        (0.3, 0.5, 0.5 + 2j),
        (20.9, 0.9, 0.5 + 20j),
        (20.9, 0.9, 10),
    ],
)
def test_one_steps_transform_against_high_precision(sigma, rate, s):
    with mpmath.workdps(25):
        mu, p = 1 / mpmath.mpf(sigma), mpmath.mpf(rate)

        def term(u):
            return mpmath.npdf(u) * (mpmath.exp(s * mpmath.log1p(p * mpmath.expm1(mu * u - mu**2 / 2))) - 1)

        right = 14 + float(mu) * max(0, complex(s).real)
        exact = complex(mpmath.log(1 + mpmath.quad(term, [-14, -8, -4, -2, 0, 2, 4, 8, right, right + 16])))
    assert abs(log_hellinger(sigma, rate, np.array([complex(s)]))[0][0] - exact) <= 2e-14 * abs(exact)


@st.composite
def places(draw):
    """σ, p and s, near the real line and far from it."""
    size = draw(st.floats(-1.0, 3.3))
    real = draw(st.sampled_from([0.5, 0.25, 1.5, 3.0, -1.0, -2.5, 8.0]))
    return 10 ** draw(st.floats(-0.6, 1.3)), 10 ** draw(st.floats(-7.0, -0.05)), complex(real, 10**size)


@given(places())
@settings(max_examples=examples(40))
@example((4.433, 0.01, 0.5 + 1500j))
@example((3.79, 0.0617, 0.25 + 2170j))
@example((2.104, 0.693, 3 + 411.8j))
@example((5.697, 0.253, 8 + 374.9j))
@example((0.509, 1.71e-7, 2 + 18.34j))
@example((0.255, 1.3e-5, 2 + 19.9j))
def test_one_steps_transform_keeps_its_bound_far_from_the_real_line_too(place):
    # Against the integral in ball arithmetic: no digit is lost to cancellation, and what it leaves open is known.
    sigma, rate, s = place
    (value,), (bound,) = log_hellinger(sigma, rate, np.array([s]))
    flint.ctx.prec = 260
    mu, p, power = 1 / arb(sigma), arb(rate), acb(s)

    def term(u, analytic):
        loss = (1 + p * ((mu * u - mu * mu / 2).exp() - 1)).log(analytic=analytic)
        return (power * loss - u * u / 2).exp()

    ends = np.linspace(-18.0 + float(mu) * min(s.real, 0.0), 18.0 + float(mu) * max(s.real, 0.0), 17)
    pieces = [acb.integral(term, a, b, rel_tol=arb(2) ** -120, abs_tol=arb(2) ** -160) for a, b in pairwise(ends)]
    exact = sum(pieces, acb(0)) / (2 * arb.pi()).sqrt()
    if bound < 1.0:
        off = abs((exact * (-acb(value)).exp()).log())
        assume(float(off.rad()) <= max(1e-3 * bound, 1e-28))  # else the integral gave up
        assert float(off.lower()) <= bound
    else:
        assert float(abs(exact).lower()) <= 3 * math.exp(value.real)


@settings(max_examples=examples(25))
@given(noise, rates, many, st.sampled_from(["add", "remove", "both"]))
def test_every_number_of_steps_gives_curves_that_obey_the_laws(sigma, rate, steps, direction):
    m = dp.DPSGD(sigma, rate, max(steps, 300), direction)
    priors = np.linspace(0, 1, 41)
    errors = m.bayes_error(priors)
    assert np.all(errors >= 0)
    assert np.all(errors <= np.minimum(priors, 1 - priors))
    assert np.all(np.diff(errors, 2) <= 1e-11 + 4 * m.error_bound)
    profile = m.privacy_profile(np.linspace(0, 6, 25))
    assert np.all(np.diff(profile) <= 1e-12)
    alpha = np.linspace(0, 1, 21)
    f = m.tradeoff(alpha)
    assert np.all(np.diff(f) <= 1e-11)
    assert np.all(f <= 1 - alpha)
    # The Bayes error and the profile come from different lines of integration.
    odds = np.array([0.0, 0.5, 1.5])
    assert m._bayes_error(odds) == approx((1 - m.privacy_profile(odds)) / (1 + np.exp(odds)), abs=1e-10)


@pytest.mark.deep
@settings(max_examples=15)
@given(st.floats(1, 20), st.floats(-3, -0.5).map(lambda x: 10**x), st.integers(50, 400))
def test_more_steps_and_less_noise_tell_more(sigma, rate, steps):
    losses = np.linspace(0, 4, 9)
    base = dp.DPSGD(sigma, rate, steps).privacy_profile(losses)
    slack = 1e-10
    assert np.all(dp.DPSGD(sigma, rate, 2 * steps).privacy_profile(losses) >= base - slack)
    assert np.all(dp.DPSGD(sigma * 1.2, rate, steps).privacy_profile(losses) <= base + slack)


@pytest.mark.parametrize("steps", [40, 400])
def test_the_transform_agrees_with_the_bracket(steps):
    m = dp.SubsampledGaussian(1.5, 0.2, "remove") ** steps
    law, gap = bracketed([grid_factor(dp.SubsampledGaussian(1.5, 0.2, "remove"), steps)])[:2]
    losses = np.linspace(0, 4, 9)
    above = law.delta(losses) - m.privacy_profile(losses)
    assert np.all(above >= -1e-12)
    assert np.all(above <= gap)


def test_parts_of_many_kinds_compose():
    mixed = dp.DPSGD(1, 0.01, 1000) @ dp.RandomizedResponse(0.5) @ dp.Gaussian(sigma=3)
    other = dp.Gaussian(sigma=3) @ dp.DPSGD(1, 0.01, 1000) @ dp.RandomizedResponse(0.5)
    assert mixed.advantage == approx(other.advantage, abs=1e-12)
    assert mixed.advantage > dp.DPSGD(1, 0.01, 1000).advantage
    leaky = dp.Gaussian(sigma=0.9) @ dp.ApproximateDP(epsilon=0.3, delta=0.01)
    assert leaky.privacy_profile(50.0) == approx(0.01, rel=1e-9)
    assert leaky.tradeoff(0.0) == approx(0.99, abs=1e-4)


@pytest.mark.parametrize("step", [(4.29, 0.002, 380), (12.0, 0.004, 619), (1.2, 2e-5, 1)])
def test_with_randomized_response_it_is_a_mixture_over_the_answers(step):
    # The transform of the answers comes back to 1 again and again: a spike, where the other's has not decayed yet.
    training, count, epsilon = dp.DPSGD(*step, "remove"), 121, 0.0576
    both = training @ dp.RandomizedResponse(epsilon) ** count
    told = np.arange(count + 1)
    weight = binom.pmf(told, count, 1 / (1 + math.exp(-epsilon)))
    losses = np.linspace(-2, 2, 9)
    exact = training.privacy_profile(losses[:, None] - (2 * told - count) * epsilon) @ weight
    assert both.privacy_profile(losses) == approx(exact, abs=2e-12)
    assert both.error_bound <= 1e-10
    alpha = np.linspace(0.05, 0.95, 7)
    # Next to the answers' own losses f turns sharply where the other loss is tiny.
    beside = np.add.outer((2 * told - count) * epsilon, np.linspace(-1e-4, 1e-4, 81)).ravel()
    slopes = np.concatenate([np.linspace(-3, 3, 20001), beside])
    tangents = 1 - both.privacy_profile(slopes) - np.exp(slopes) * alpha[:, None]
    assert both.tradeoff(alpha) == approx(tangents.max(axis=1), abs=1e-7)


def test_what_has_no_transform_composes_on_a_grid():
    meet, join = (make(dp.Gaussian(), dp.Laplace()) for make in (dp.meet, dp.join))
    for part in (dp.Gaussian(), dp.Laplace()):
        gap = (join**2).error_bound + (part**2).error_bound
        assert dp.delta_divergence(join**2, part**2).value <= gap
        assert dp.delta_divergence(part @ part, meet @ part).value <= gap
    assert (join**2).error_bound <= 1e-6


# Finite experiments.


@pytest.mark.parametrize(("epsilon", "count"), [(0.5, 7), (1.0, 40), (0.01, 1000)])
def test_composed_randomized_response_is_binomial(epsilon, count):
    m = dp.RandomizedResponse(epsilon) ** count
    with mpmath.workdps(40):
        truth = mpmath.exp(epsilon) / (1 + mpmath.exp(epsilon))
        for at in (0.0, 0.6, 2.0):
            exact = mpmath.fsum(
                max(0, 1 - mpmath.exp(at - (2 * k - count) * mpmath.mpf(epsilon)))
                * mpmath.binomial(count, k) * truth**k * (1 - truth) ** (count - k)
                for k in range(count + 1)
            )  # fmt: skip
            assert m.privacy_profile(at) == approx(float(exact), rel=1e-10, abs=1e-300)


def test_composed_leaks_add_up():
    m = dp.ApproximateDP(epsilon=0.2, delta=0.01) ** 5
    assert m.privacy_profile(math.inf) == approx(1 - 0.99**5, rel=1e-12)


# The grid.


def test_laplace_composed_twice_against_the_integral():
    m, b = dp.Laplace(scale=1.0) ** 2, 1.0
    losses = np.array([0.0, 0.4, 1.0, 1.7])
    u = np.linspace(-30, 31, 6101)
    for epsilon in losses:
        # One answer fixed, the other one's profile is in closed form; a fine trapezoid over kinks at 0 and 1.
        loss = (np.abs(u) - np.abs(u - 1)) / b
        p = np.exp(-np.abs(u)) / 2
        inner = dp.Laplace(scale=1.0).privacy_profile(epsilon - loss)
        exact = np.trapezoid(p * np.exp(loss) * inner, u)
        assert m.privacy_profile(float(epsilon)) == approx(exact, abs=2e-5)
    assert 0 < m.error_bound <= 1e-6


@settings(max_examples=10)
@given(st.floats(3, 20), st.integers(2, 30))
def test_the_bracket_holds_the_truth(sigma, count):
    law, gap = bracketed([grid_factor(dp.Gaussian(sigma=sigma), count)])[:2]
    exact = dp.Gaussian(sigma=sigma / math.sqrt(count)).privacy_profile(np.linspace(0, 3, 7))
    above = law.delta(np.linspace(0, 3, 7)) - exact
    assert np.all(above >= -1e-12)
    assert np.all(above <= gap)


# Values and bad input.


def test_compositions_are_values():
    gaussian, laplace = dp.Gaussian(sigma=2), dp.Laplace(scale=1)
    assert gaussian**4 == dp.Gaussian(sigma=1)
    assert laplace**1 == laplace
    assert laplace**2 @ laplace == laplace**3
    assert hash(laplace**3) == hash(laplace @ laplace @ laplace)
    assert repr(laplace**3) == "Laplace(scale=1.0, sensitivity=1.0) ** 3"
    assert dp.PerfectPrivacy() @ laplace == laplace
    assert dp.BlatantlyNonPrivate() @ laplace == dp.BlatantlyNonPrivate()


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: dp.Gaussian() ** 0, ValueError, "the exponent must be a positive integer, got 0"),
        (lambda: dp.Gaussian() ** 1.5, ValueError, "the exponent must be a positive integer, got 1.5"),
        (lambda: dp.Gaussian() ** "2", TypeError, "the exponent must be a positive integer, got '2'"),
        (lambda: dp.Gaussian() @ 3, TypeError, "other must be a mechanism, got 3"),
    ],
)
def test_bad_input_is_named(make, error, message):
    with pytest.raises(error, match=message):
        make()


@pytest.mark.parametrize("mu", [0.01, 1.0, 20.0, 120.0, 200.0])
def test_inversion_finds_the_gaussian_profile_however_large_its_losses(mu):
    def log_transform(s):
        value = s * (s - 1) * mu**2 / 2
        return value, 1e-15 * np.abs(value)

    epsilon = np.maximum(mu**2 / 2 + mu * np.array([-8.0, -3.0, 0.0, 2.0, 6.0, 11.0, 25.0]), 0.0)
    exact = gaussian_profile(mu, epsilon)
    for way in (lambda s: s, lambda s: 1.0 - s):
        falling = Inversion(lambda s, way=way: log_transform(way(s)), lambda c, t: -((mu * t) ** 2) / 2)
        answer = ProfileTable(falling).at(epsilon)
        assert answer.delta == approx(exact, rel=1e-8)
        assert (np.abs(answer.delta - exact) <= answer.error + 1e-10 * exact).all()


@pytest.mark.parametrize(
    ("sigma", "rate", "steps"),
    [(0.6, 0.1, 100_000), (0.4, 0.5, 10_000), (0.7, 0.9, 10_000), (0.6, 0.3, 31_623), (1.0, 0.3, 100_000),
     (30.0, 0.5, 1_000_000), (0.6, 0.01, 500)],
)  # fmt: skip
def test_epsilon_is_below_what_renyi_divergences_imply_and_above_what_chernoff_leaves(sigma, rate, steps):
    m, deltas = dp.DPSGD(sigma, rate, steps), np.array([1e-3, 1e-10, 1e-20])
    exact = m.epsilon(deltas)
    orders = 1 + np.geomspace(3e-4, 60, 80)
    rdp = steps * dp.SubsampledGaussian(sigma, rate).renyi_divergence(orders)
    loose = dp.accounting.rdp_to_epsilon(orders, rdp, deltas)
    assert (exact < loose).all()
    # The bound is never so loose as to gain six orders of magnitude in δ.
    assert (exact > dp.accounting.rdp_to_epsilon(orders, rdp, np.minimum(deltas * 1e6, 1.0))).all()
    assert m.privacy_profile(exact) == approx(deltas, rel=1e-6)


@pytest.mark.parametrize(
    ("laplace", "training"),
    [(dp.Laplace(1.2736) ** 36, dp.DPSGD(2.3563, 0.37164, 362, "remove")),
     (dp.Laplace(5.9) ** 31, dp.DPSGD(13.22, 0.29665, 3973, "add")),
     (dp.Laplace(2) ** 2, dp.DPSGD(0.8, 0.05, 300, "remove"))],
    ids=["36", "31", "2"],
)  # fmt: skip
class TestLaplaceBesideTraining:
    def test_integrals_and_lines_agree(self, laplace, training):
        whole = laplace @ training
        epsilon = np.linspace(0.0, float(whole.epsilon(1e-9)), 60)
        value, error = whole.privacy_profile(epsilon, with_error=True)
        lower, upper = Lines(whole._parts()[0]).profile(epsilon)
        assert (value - error <= upper).all()
        assert (lower <= value + error).all()
        assert (error <= 1e-9 * value).all()

    def test_profiles_that_near_zero_take_few_pieces(self, laplace, training):
        table = (laplace @ training)._faces._forward
        # The table is cut where δ falls below what a number can be; bounds hold there, too.
        last = table._evaluator.edges[-2]
        answer = table.at(np.linspace(last * 0.9, table.end, 40))
        assert (np.diff(answer.delta) <= 2 * answer.error[1:] + 1e-15 * answer.delta[1:]).all()
        assert len(table._merged[0]) < 60


def of_groups(sigma, rate, steps, epsilon):
    """δ of steps with so little noise that losses with and without the example lie far apart: sums of Gaussian ones."""
    taken = np.arange(1, steps + 1)
    mu = np.sqrt(taken) / sigma
    rest = epsilon - (steps - taken) * math.log1p(-rate) - taken * math.log(rate)
    gaussian = norm.cdf(mu / 2 - rest / mu) - np.exp(rest + norm.logcdf(-mu / 2 - rest / mu))
    return float(binom.pmf(taken, steps, rate) @ gaussian)


@pytest.mark.parametrize(("sigma", "rate", "steps"), [(0.06, 0.3, 100), (0.065, 0.3, 100), (0.07, 0.8, 100)])
def test_a_transform_that_vanishes_may_come_back(sigma, rate, steps):
    m = dp.DPSGD(sigma, rate, steps, direction="remove")
    for share in (0.8, 1.0, 1.2, 1.5):
        epsilon = share * steps * rate / (2 * sigma**2)
        value, bound = m.privacy_profile(epsilon, with_error=True)
        assert abs(value - of_groups(sigma, rate, steps, epsilon)) <= bound + 2e-12
        assert bound <= 1e-10


def test_a_laplace_power_whose_losses_exceed_700_beside_a_training():
    scale, count, (sigma, rate, steps) = 0.4533, 677, (1.1, 0.4359, 5_236_000)
    m = dp.DPSGD(sigma, rate, steps, direction="remove") @ dp.Laplace(scale) ** count
    epsilon = 463_464.0

    def exponent(z):  # log E_Q[e^{zL}]
        power = count * np.log(((1 + z) * np.exp(z / scale) + z * np.exp(-(1 + z) / scale)) / (1 + 2 * z))
        return power + steps * log_hellinger(sigma, rate, 1 + z)[0] - z * epsilon

    c, t = 0.0032, np.linspace(0, 0.0115, 4001)
    z = c + 1j * t
    exact = np.trapezoid((np.exp(exponent(z)) / (z * (1 + z))).real, t) / math.pi
    value, bound = m.privacy_profile(epsilon, with_error=True)
    assert abs(value - exact) <= bound + 1e-9 * exact
    assert bound <= 1e-6 * exact


def test_losses_that_nearly_repeat_keep_their_bounds():
    """The transform comes back where the multiples of both losses nearly meet, long after it vanished."""
    first, second, mu = 0.1973, 0.01977, math.sqrt(2) / 15.8
    m = dp.DPSGD(15.8, 1, 2) @ dp.RandomizedResponse(first) ** 951 @ dp.RandomizedResponse(second) ** 14
    k, j = np.arange(952), np.arange(15)
    loss = (first * (2 * k - 951)[:, None] + second * (2 * j - 14)).ravel()
    q = np.outer(binom.pmf(k, 951, expit(first)), binom.pmf(j, 14, expit(second))).ravel()
    for epsilon in (-9.0, -1.0, 0.0, 2.0, 20.0):
        d = epsilon - loss
        right = np.sum(q * (ndtr(mu / 2 - d / mu) - np.exp(d) * ndtr(-mu / 2 - d / mu)))
        value, bound = m.privacy_profile(epsilon, with_error=True)
        assert abs(value - right) <= bound + 1e-12


def test_more_different_parts_than_can_be_multiplied_are_refused():
    whole = reduce(lambda a, b: a @ b, [dp.RandomizedResponse(0.01 * math.sqrt(x)) for x in range(1, 302)])
    with pytest.raises(ValueError, match="at most 300 different mechanisms"):
        whole.epsilon(1e-5)


def test_many_different_steps_beside_mechanisms_with_atoms_are_refused():
    steps = [dp.SubsampledGaussian(1 + 0.01 * k, 0.01, "remove") for k in range(50)]
    responses = [dp.RandomizedResponse(0.01 * math.sqrt(x)) for x in range(1, 51)]
    laplace = [dp.Laplace(2 + 0.1 * x) for x in range(150)]
    for others in (responses, laplace):
        whole = reduce(lambda a, b: a @ b, others + steps)
        with pytest.raises(ValueError, match="at most 16 different subsampled Gaussians"):
            whole.epsilon(1e-5)


@pytest.mark.parametrize(
    ("text", "alpha"),
    [
        ('DPSGD(4.8342, 2.9709e-05, 170445, "add")', 0.499590932),
        ('DPSGD(2.9649, 2.1977e-06, 14512082, "add")', 0.499439248),
        ('DPSGD(2.9239, 0.037963, 6299143, "remove")', 3.35780106e-244),
    ],
)
def test_f_of_long_trainings_is_sharp(text, alpha):
    _, bound = dp.read(text).tradeoff(alpha, with_error=True)
    assert bound <= 1e-10


@pytest.mark.parametrize(
    ("m", "largest"),
    [
        (dp.DiscreteGaussian(1) @ dp.DiscreteGaussian(2) @ dp.ApproximateDP(1, 1e-5), math.inf),
        (dp.Gaussian(1) @ dp.ApproximateDP(1, 1e-5), math.inf),
        (dp.Laplace(1) @ dp.ApproximateDP(1, 1e-5), 2.0),
        (dp.SubsampledLaplace(1, 0.1, "remove") @ dp.ApproximateDP(1, 1e-5), 1 + math.log1p(0.1 * math.expm1(1))),
        (dp.FiniteExperiment([0.9, 0.1, 1e-300, 0.0], [0.1, 0.9 - 1e-5, 1e-300, 1e-5]), math.log((0.9 - 1e-5) / 0.1)),
    ],
    ids=repr,
)
def test_what_infinite_losses_leave_is_reached_at_the_largest_finite_loss(m, largest):
    # δ(ε) > 1e-5 at every smaller ε, however little larger losses weigh.
    value, error = m.epsilon(1e-5, with_error=True)
    assert value == approx(largest, rel=1e-14)
    assert error <= 1e-12
    assert m.epsilon(0.9e-5) == math.inf


@pytest.mark.parametrize(
    ("direction", "epsilon"), [("remove", [-1e-9, 0.0, 1e-9, 0.03, 3.0]), ("add", [-4.0, 0.0, 1e-9])]
)
def test_steps_with_noise_of_very_different_sizes(direction, epsilon):
    large, rate = 12560.0, 1.4e-4
    small = dp.SubsampledGaussian(0.1243, 5e-9, direction)
    value, error = (small @ dp.SubsampledGaussian(large, rate, direction)).privacy_profile(epsilon, with_error=True)
    # Over the answers of the step with much noise, in units of σ; its loss is that of the other part's ε.
    z, mu = np.linspace(-12, 12, 4801), 1 / large
    loss = np.log1p(rate * np.expm1(mu * z - mu**2 / 2))
    weight = np.exp(-(z**2) / 2) * 0.005 / math.sqrt(2 * math.pi)
    if direction == "remove":
        weight = weight * np.exp(loss)
    else:
        loss = -loss
    exact = [weight @ small.privacy_profile(x - loss) for x in epsilon]
    assert np.all(np.abs(value - exact) <= error + 1e-15) and np.all(error < 1e-12)
