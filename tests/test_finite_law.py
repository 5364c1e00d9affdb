"""Laws of finite losses composed: against all outcomes enumerated, and against binomial sums of many digits."""

import itertools
import math
from dataclasses import replace
from fractions import Fraction
from functools import reduce

import mpmath
import numpy as np
import pytest
from conftest import approx, examples
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom
from strategies import distributions

import dptutor as dp
from dptutor.evaluation.binomial_law import BinomialLaw
from dptutor.evaluation.faces import FiniteFaces
from dptutor.evaluation.finite_law import FiniteLaw, TooManyAtoms
from dptutor.evaluation.finite_two import TwoLosses
from dptutor.evaluation.lattice_binomial import Binomial, deviance_term, stirling_error

EPSILONS = np.array([-40.0, -3.0, -0.5, 0.0, 0.3, 1.0, 2.5, 7.0, 40.0])


@st.composite
def experiments(draw):
    size = draw(st.integers(1, 4))
    return draw(distributions(size)), draw(distributions(size))


def product(experiment, other):
    return tuple(np.multiply.outer(a, b).ravel() for a, b in zip(experiment, other, strict=True))


def profile(p, q, epsilon):
    return np.array([np.maximum(q - np.exp(e) * p, 0.0).sum() for e in np.ravel(epsilon)])


def response(epsilon, leak=0.0):
    return FiniteLaw.of_step(TwoLosses.response(epsilon, leak))


def exact_response(epsilon, leak=0.0):
    """(p₀, p₁), (q₀, q₁) in as many digits as are set."""
    lie = (1 - mpmath.mpf(leak)) / (1 + mpmath.exp(mpmath.mpf(epsilon)))
    truth = 1 - mpmath.mpf(leak) - lie
    return (truth, lie), (lie, truth)


def first_above(p, q, count, epsilon):
    """The number of ones from which on the loss exceeds ε; not asked where ε is a loss."""
    low, high = (mpmath.log(q[i] / p[i]) for i in (0, 1))
    return min(max(int(mpmath.floor((mpmath.mpf(epsilon) - count * low) / (high - low))) + 1, 0), count + 1)


def exact_tail(r, count, first, worth=lambda k: 1):
    """Σ_{k ≥ first} binomial(k) worth(k), term by term from the largest of them."""
    if first > count:
        return mpmath.mpf(0)
    start = max(first, int(count * r[1] / (r[0] + r[1])))
    largest = mpmath.loggamma(count + 1) - mpmath.loggamma(start + 1) - mpmath.loggamma(count - start + 1)
    largest = mpmath.exp(largest + start * mpmath.log(r[1]) + (count - start) * mpmath.log(r[0]))
    total, term, odds = largest * worth(start), largest, r[1] / r[0]
    for k in range(start + 1, count + 1):
        term *= odds * (count - k + 1) / k
        total += term * worth(k)
        if term < largest * 1e-6 and term * worth(k) < total * mpmath.mpf(10) ** -20:
            break
    term = largest
    for k in range(start - 1, first - 1, -1):
        term *= mpmath.mpf(k + 1) / ((count - k) * odds)
        total += term * worth(k)
        if term < largest * mpmath.mpf(10) ** -30:
            break
    return total


def exact_delta(p, q, count, epsilon):
    low, high = (mpmath.log(q[i] / p[i]) for i in (0, 1))
    smallest, gap = count * low - mpmath.mpf(epsilon), high - low
    worth = exact_tail(q, count, first_above(p, q, count, epsilon), lambda k: -mpmath.expm1(-smallest - k * gap))
    return 1 - (q[0] + q[1]) ** count + worth


# Laws.


@given(experiments(), experiments())
def test_the_law_of_a_composition_is_that_of_all_pairs_of_outcomes(experiment, other):
    law = FiniteLaw.from_probabilities(*experiment).composed(FiniteLaw.from_probabilities(*other))
    p, q = product(experiment, other)
    assert law.delta(EPSILONS) == approx(profile(p, q, EPSILONS), abs=1e-13)
    assert law.p.sum() == approx(1, abs=1e-12)
    assert law.q.sum() == approx(1, abs=1e-12)


@settings(max_examples=examples(50))
@given(experiments(), st.integers(1, 6))
def test_powers_are_repeated_compositions(experiment, count):
    one = FiniteLaw.from_probabilities(*experiment)
    power, repeated = one.power(count), one
    for _ in range(count - 1):
        repeated = repeated.composed(one)
    assert power.delta(EPSILONS) == approx(repeated.delta(EPSILONS), abs=1e-13)
    assert np.all(np.diff(power.loss) > 0)


@given(experiments(), experiments())
def test_the_reverse_of_a_composition_composes_the_reverses(experiment, other):
    one, two = FiniteLaw.from_probabilities(*experiment), FiniteLaw.from_probabilities(*other)
    back = one.reverse.composed(two.reverse)
    assert one.composed(two).reverse.delta(EPSILONS) == approx(back.delta(EPSILONS), abs=1e-13)


@given(experiments())
def test_sums_reached_in_another_order_are_one_loss(experiment):
    law = FiniteLaw.from_probabilities(*experiment)
    kinds = np.isfinite(law.loss).sum()
    most = math.comb(int(kinds) + 4, 5) if kinds else 0
    assert np.isfinite(law.power(5).loss).sum() <= most


def outcomes(m):
    """Probabilities of the outcomes of a finite part, by their definitions, far into the tails."""
    if isinstance(m, dp.RandomizedResponse):
        lie = 1.0 / (1.0 + math.exp(m.largest_loss))
        return [1.0 - lie, lie], [lie, 1.0 - lie]
    reach = math.ceil(38 * m.sigma)
    x = np.arange(-reach, reach + 2.0)
    with np.errstate(under="ignore"):
        p, q = (np.exp(-(((x - center) / m.sigma) ** 2) / 2) for center in (0.0, 1.0))
    return p / math.fsum(p), q / math.fsum(q)


@pytest.mark.parametrize(
    "parts",
    [
        (dp.DiscreteGaussian(1), dp.DiscreteGaussian(2), dp.DiscreteGaussian(3)),
        (dp.DiscreteGaussian(3), dp.DiscreteGaussian(2), dp.DiscreteGaussian(1)),
        (dp.DiscreteGaussian(1), dp.DiscreteGaussian(4), dp.DiscreteGaussian(2)),
        (dp.DiscreteGaussian(1), dp.DiscreteGaussian(2), dp.RandomizedResponse(0.5)),
    ],
    ids=repr,
)
def test_sums_of_losses_whose_probabilities_both_underflow_weigh_nothing(parts):
    with np.errstate(under="ignore"):
        p, q = reduce(product, map(outcomes, parts))
        m = reduce(lambda a, b: a @ b, parts)
        for each, (one, other) in {m: (p, q), m.reverse: (q, p)}.items():
            assert each.privacy_profile(EPSILONS) == approx(profile(one, other, EPSILONS), rel=1e-10, abs=1e-300)
        delta = float(profile(p, q, m.epsilon(1e-5))[0])
    assert delta == approx(1e-5, rel=1e-10)
    assert m.advantage == approx(math.fsum(np.maximum(q - p, 0.0)), rel=1e-11)


@pytest.mark.parametrize("sigmas", itertools.combinations(range(1, 9), 3), ids=str)
def test_no_product_of_discrete_gaussians_is_without_answers(sigmas):
    m = reduce(lambda a, b: a @ b, map(dp.DiscreteGaussian, sigmas))
    near = dp.Gaussian(1 / math.sqrt(sum(sigma**-2 for sigma in sigmas)))
    assert m.advantage == approx(near.advantage, rel=0.05)
    assert m.epsilon(1e-5) == approx(near.epsilon(1e-5), rel=0.05)


def test_infinite_losses_absorb():
    law = FiniteLaw.from_probabilities([0.1, 0.9, 0.0], [0.0, 0.7, 0.3]).power(3)
    assert law.loss[0] == -np.inf and law.p[0] == approx(1 - 0.9**3, rel=1e-14)
    assert law.loss[-1] == np.inf and law.q[-1] == approx(1 - 0.7**3, rel=1e-14)


# References.


def test_three_outcomes_against_all_sequences():
    p, q = np.array([0.2, 0.5, 0.3]), np.array([0.4, 0.25, 0.35])
    sequences = np.array(list(itertools.product(range(3), repeat=6)))
    exact = profile(p[sequences].prod(axis=1), q[sequences].prod(axis=1), EPSILONS)
    assert FiniteLaw.from_probabilities(p, q).power(6).delta(EPSILONS) == approx(exact, abs=1e-14)


# Losses of any size, any number of steps.

STEPS = [
    (1.0, 1), (1.0, 2), (400.0, 2), (1e-6, 50), (5.0, 200), (1.0, 3000), (0.01, 3000), (400.0, 3000), (1.0, 4001),
    (1.0, 10**5), (1e-6, 10**5), (20.0, 10**5), (0.01, 10**7), (1e-6, 10**7), (20.0, 10**9), (400.0, 10**9),
]  # fmt: skip


PLACES = [-9.03, -0.83, 0.021, 2.51, 21.03, 36.01]


@pytest.mark.parametrize(
    ("epsilon", "count", "place"),
    # Sums over all of a long lattice take seconds; its tails do not.
    [(*law, z) for law in STEPS for z in PLACES if law[1] * law[0] != 10 and (law != (0.01, 10**7) or z > 9)],
)
def test_every_face_of_randomized_response_has_its_digits(epsilon, count, place):
    law = response(epsilon).power(count)
    mean = count * epsilon * math.tanh(epsilon / 2)
    at = mean + place * 2 * epsilon * math.sqrt(count) / (2 * math.cosh(epsilon / 2))
    at = min(max(at, -(count - 0.37) * epsilon), (count - 0.37) * epsilon)
    with mpmath.workdps(50):
        p, q = exact_response(epsilon)
        first = first_above(p, q, count, at)
        delta, alpha = exact_delta(p, q, count, at), exact_tail(p, count, first)
        beta = exact_tail(q[::-1], count, count - first + 1)
        lower, upper = (float(value) for value in law.profile(at))
        assert mpmath.mpf(lower) <= delta <= mpmath.mpf(upper)
    assert upper - lower <= 4e-12 * upper + 1e-319
    assert float(law.delta(at)) == approx(float(delta), rel=1e-12, abs=1e-307)
    found = law.errors(at)
    assert (float(found[0]), float(found[1])) == approx((float(alpha), float(beta)), rel=1e-12, abs=1e-307)


@pytest.mark.parametrize("m", [dp.RandomizedResponse(8), dp.KaryRandomizedResponse(2, 5), dp.DiscreteLaplace(1) ** 9,
                               dp.FiniteExperiment([0.5, 0.3, 0.2], [0.1, 0.3, 0.6])])  # fmt: skip
def test_divergences_of_orders_next_to_1_and_to_0_are_those_of_kullback_and_leibler(m):
    towards = float(m.renyi_divergence(1))
    assert m.renyi_divergence([1 - 1e-12, 1 + 1e-12]) == approx(towards, rel=1e-9)
    assert m.renyi_divergence(1e-12) / 1e-12 == approx(float(m.reverse.renyi_divergence(1)), rel=1e-9)


def test_a_billion_steps_of_tiny_losses():
    # Over 16,000 steps of a deviation each, Σ φ is its integral: the Gaussian with the same variance, but for 1e-9.
    law = response(1e-6).power(10**9)
    mu = 1e-6 * math.sqrt(10**9)
    normal = 2 * float(mpmath.ncdf(mu / 2)) - 1
    assert float(law.delta(0.0)) == approx(normal, rel=1e-8)
    with mpmath.workdps(40):
        p, q = exact_response(1e-6)
        at = 36.5 * mu  # δ is 1e-296 there
        assert float(law.delta(at)) == approx(float(exact_delta(p, q, 10**9, at)), rel=1e-12)


@pytest.mark.parametrize("count", [1, 7, 300, 5000])
def test_infinite_losses_beside_two_finite_ones_in_fractions(count):
    p, q = [0.5, 0.375, 0.125, 0.0], [0.4375, 0.5, 0.0, 0.0625]
    count = min(count, 5000)
    law = FiniteLaw.from_probabilities(p, q).power(count)
    steps = [[Fraction(x) for x in side] for side in (p, q)]
    exact = 1 - (1 - steps[1][3]) ** count
    assert law.q_infinite == approx(float(exact), rel=1e-14)
    assert float(law.delta(np.inf)) == law.q_infinite
    assert law.profile(np.array([1e6]))[0][0] == law.q_infinite == law.profile(np.array([1e6]))[1][0]
    if count <= 300:
        for k in range(count + 1):
            power = Fraction(2) ** 3  # e^ε
            ones = math.comb(count, k)
            q_k = ones * steps[1][0] ** (count - k) * steps[1][1] ** k
            exact += max(q_k - power * ones * steps[0][0] ** (count - k) * steps[0][1] ** k, 0)
        assert float(law.delta(3 * math.log(2))) == approx(float(exact), rel=1e-12)


LAWS = {
    "one step": response(1.0),
    "leak": response(0.5, 0.01).power(40),
    "thousands": response(1.0).power(3000),
    "lattice": response(0.02).power(30_000),
    "lattice that leaks": response(0.01, 1e-7).power(10**6),
    "skewed lattice": FiniteLaw.from_probabilities([0.9, 0.1], [0.8, 0.2]).power(10**5),
    "rare": FiniteLaw.from_probabilities([1 - 1e-6, 1e-6], [1 - 2e-6, 2e-6]).power(10**7),
    "three": FiniteLaw.from_probabilities([0.5, 0.3, 0.2], [0.2, 0.3, 0.5]).power(500),
    "four": FiniteLaw.from_probabilities([0.5, 0.3, 0.15, 0.05], [0.2, 0.3, 0.27, 0.23]).power(40),
    "nothing finite": FiniteLaw.from_probabilities([1.0, 0.0], [0.0, 1.0]).power(3),
    "nothing at all": FiniteLaw.from_probabilities([1.0], [1.0]).power(10**6),
}


@pytest.fixture(params=LAWS)
def law(request):
    return LAWS[request.param]


def losses_of(law):
    mean, variance = law.loss_moments("Q")
    middle, spread = (mean, math.sqrt(variance)) if math.isfinite(mean) else (0.0, 20.0)
    return np.unique(np.concatenate([np.linspace(middle - 12 * spread, middle + 12 * spread, 301), [-2.0, 0.0, 2.0]]))


def test_arrays_and_scalars_have_the_same_bits(law):
    epsilon, alpha = losses_of(law), np.linspace(0, 1, 41) ** 3
    for face, values in (
        (law.delta, epsilon),
        (law.bayes_error, epsilon),
        (lambda x: law.errors(x)[0], epsilon),
        (law.tradeoff, alpha),
        (law.epsilon, alpha),
    ):
        together = face(values)
        assert [float(face(np.asarray(value))) for value in values[::7]] == together[::7].tolist()
        assert face(values[:2].reshape(2, 1)).shape == (2, 1)


def test_the_profile_falls_and_is_convex_in_e_to_epsilon(law):
    epsilon = losses_of(law)
    lower, upper = law.profile(epsilon)
    delta = law.delta(epsilon)
    assert np.all((lower <= delta) & (delta <= upper))
    assert np.all(lower[1:] <= upper[:-1])
    near = epsilon[np.abs(epsilon) < 30]
    scale = np.exp(near)
    lower, upper = law.profile(near)
    chord = upper[:-2] + (upper[2:] - upper[:-2]) * (scale[1:-1] - scale[:-2]) / (scale[2:] - scale[:-2])
    assert np.all(lower[1:-1] <= chord * (1 + 1e-13))


def test_the_faces_say_the_same(law):
    epsilon = losses_of(law)
    near = epsilon[np.abs(epsilon) < 20]
    alpha, beta = law.errors(near)
    assert 1 - beta - np.exp(near) * alpha == approx(law.delta(near), abs=1e-13 * math.exp(20))
    assert law.bayes_error(near) == approx((1 - law.delta(near)) / (1 + np.exp(near)), abs=4e-13)
    some = alpha > 0
    assert law.tradeoff(alpha[some]) == approx(beta[some], rel=1e-9, abs=1e-12)
    assert law.reverse.errors(-near - 1e-9)[1] == approx(law.errors(near + 1e-9)[0], rel=1e-9, abs=1e-300)
    wanted = np.array([1e-200, 1e-9, 0.03, 0.9])
    reached = law.epsilon(wanted)
    inside = (reached > 0) & np.isfinite(reached)
    assert law.delta(reached[inside]) == approx(wanted[inside], rel=1e-9, abs=1e-16)


def test_ends_are_known_and_not_computed(law):
    assert float(law.delta(np.inf)) == law.q_infinite
    assert float(law.delta(-np.inf)) == approx(1.0, abs=1e-14)
    assert float(law.delta(max(law.largest_finite_loss, -1e9))) == law.q_infinite
    largest = np.inf if law.q_infinite else max(law.largest_finite_loss, 0.0)
    assert float(law.epsilon(0.0)) == largest
    assert float(law.tradeoff(0.0)) == approx(1 - law.q_infinite, rel=1e-14)
    assert float(law.tradeoff(1.0)) == 0.0


def test_nothing_is_raised_by_floating_point(law):
    extremes = np.array([-np.inf, -1e300, -5e4, -700.0, -1e-300, 0.0, 1e-300, 1.0, 700.0, 5e4, 1e300, np.inf])
    chances = np.array([0.0, 5e-324, 1e-300, 1e-9, 0.5, 1 - 1e-16, 1.0])
    with np.errstate(all="raise"):
        for face in (law.delta, law.errors, law.bayes_error, law.profile, law.scaled_tail):
            assert not np.isnan(face(extremes)).any()
        assert not np.isnan(law.tradeoff(chances)).any() and not np.isnan(law.epsilon(chances)).any()
        assert np.all(law.renyi(np.array([0.5, 1.0, 2.0])) >= 0)


@settings(max_examples=15, deadline=None)
@given(st.floats(0.01, 0.99), st.floats(0.01, 0.99), st.integers(4001, 10**12), st.floats(-6, 6))
def test_a_lattice_is_sandwiched_by_its_two_tails(p, q, count, place):
    if abs(p - q) < 1e-3:
        q = 1 - p if abs(1 - 2 * p) > 1e-3 else p / 2
    law = FiniteLaw.from_probabilities([1 - p, p], [1 - q, q]).power(count)
    assert isinstance(law, BinomialLaw)
    mean, variance = law.loss_moments("Q")
    epsilon = mean + place * math.sqrt(variance)
    beta = law.errors(epsilon)[1]
    scaled = float(law.scaled_tail(epsilon))
    assert float(law.delta(epsilon)) == approx(1 - beta - scaled, abs=1e-12)
    assert 0 <= scaled <= 1 - beta + 1e-12


@pytest.mark.parametrize(("count", "success"), [(4001, 0.3), (10**6, 1e-4), (10**6, 0.9997), (10**12, 1e-11)])
def test_binomial_tails_at_the_ends_and_where_panels_meet_them(count, success):
    with mpmath.workdps(40):
        r = mpmath.mpf(success)
        law = Binomial(count, (success, 0.0), (float(1 - r), float(1 - r - mpmath.mpf(float(1 - r)))))
        mean = int(count * success)
        for k in {1, 2, 399, 400, 401, 402, mean, mean + 1, count - 401, count - 400, count - 1, count}:
            tail = float(exact_tail((1 - r, r), count, k)) if k >= mean else None
            if tail is not None:
                assert float(law.tail(np.array([float(k)]))[0]) == approx(tail, rel=1e-12, abs=1e-300)


def test_the_terms_of_a_deviance_against_many_digits():
    with mpmath.workdps(40):
        for x, mean in ((1.0, 3.0), (1e9, 1e9 + 3e4), (5.0, 5.0 + 1e-9), (12.0, 8.0), (0.0, 2.0), (7e5, 6e5)):
            exact = (x * mpmath.log(mpmath.mpf(x) / mean) if x else 0) - mpmath.mpf(x) + mpmath.mpf(mean)
            found = float(deviance_term(np.array(x), np.array(mean), np.array(x - mean)))
            assert found == approx(float(exact), rel=4e-15)
        for k in (1, 2, 15, 16, 40, 10**9):
            exact = mpmath.loggamma(k + 1) - (k + 0.5) * mpmath.log(k) + k - mpmath.log(2 * mpmath.pi) / 2
            assert float(stirling_error(np.array(float(k)))) == approx(float(exact), rel=1e-13, abs=1e-14)


def test_three_losses_hundreds_of_times_in_fractions():
    p, q = [0.5, 0.25, 0.25], [0.25, 0.25, 0.5]  # losses −log 2, 0, log 2: multiples of a step
    law = FiniteLaw.from_probabilities(p, q).power(400)
    assert law.kinks.size == 801
    row = [1]
    for _ in range(400):
        ones = [0, *row, 0]
        row = [a + b + 2 * c for a, b, c in zip([*row, 0, 0], ones, [0, 0, *row], strict=True)]
    for at in (0, 150, 399):
        exact = sum(mass * (1 - Fraction(2) ** (at - (k - 400))) for k, mass in enumerate(row) if k - 400 > at)
        assert float(law.delta(at * math.log(2))) == approx(float(exact / 4**400), rel=1e-11)


def test_three_losses_that_share_no_step_in_fractions():
    p, q, count = [0.5, 0.375, 0.125], [0.25, 0.25, 0.5], 60
    law = FiniteLaw.from_probabilities(p, q).power(count)
    exact = Fraction(0)
    for i in range(count + 1):
        for j in range(count + 1 - i):
            ways = math.comb(count, i) * math.comb(count - i, j)
            of_p, of_q = (Fraction(s[0]) ** i * Fraction(s[1]) ** j * Fraction(s[2]) ** (count - i - j) for s in (p, q))
            exact += max(ways * (of_q - 1024 * of_p), 0)
    assert float(law.delta(10 * math.log(2))) == approx(float(exact), rel=1e-12)


def test_a_power_keeps_masses_that_are_less_than_any_number():
    # A count takes part with probability 0.3, and is then 1 but for e^−594: each 1 has a loss of some 593.
    m = dp.SubsampledDiscreteGaussian(sigma=0.029, sampling_rate=0.3, direction="remove") ** 26
    assert m.privacy_profile(3000.0) == approx(binom.sf(5, 26, 0.3), rel=1e-10)


@pytest.mark.parametrize("sigma", [0.1, 0.026])
def test_masses_keep_their_digits_however_large_their_losses(sigma):
    m = dp.SubsampledDiscreteGaussian(sigma, 1e-8, 9, "remove") ** 3  # losses of thousands where one takes part
    value, error = m.privacy_profile(3000.0, with_error=True)
    assert abs(value + math.expm1(3 * math.log1p(-1e-8))) <= error
    assert value == approx(3e-8 - 3e-16, rel=1e-13)


def test_a_power_composes_with_what_else_there_is():
    lattice = response(0.01).power(5000)
    assert isinstance(lattice, BinomialLaw)
    other = FiniteLaw.from_probabilities([0.5, 0.3, 0.2], [0.2, 0.3, 0.5])
    both = lattice.composed(other)
    epsilon = np.array([-0.3, 0.0, 0.7, 2.0])
    mixture = sum(q * lattice.delta(epsilon - loss) for q, loss in zip(other.q, other.loss, strict=True))
    assert both.delta(epsilon) == approx(mixture, rel=1e-11)
    assert FiniteLaw.composed(lattice, other).delta(epsilon) == approx(mixture, rel=1e-11)
    assert lattice.enumerated().delta(epsilon) == approx(lattice.delta(epsilon), rel=1e-12)
    assert lattice.power(3).delta(epsilon) == approx(response(0.01).power(15_000).delta(epsilon), rel=1e-15)
    with pytest.raises(TooManyAtoms):
        response(0.01).power(10**6).composed(other)


def test_kinks_are_listed_where_they_can_be_seen():
    assert response(1.0).power(3000).kinks.size == 3001
    seen = response(0.01).power(10**6)
    assert 0 < seen.kinks.size < 50_000
    # Near a kink R bends, and between two it is a line in the prior.
    low, high = seen.kinks[seen.kinks.size // 2 :][:2]
    prior = 1 / (1 + np.exp(-np.array([low, (low + high) / 2, high])))
    error = seen.bayes_error(np.log(prior / (1 - prior)))
    share = (prior[1] - prior[0]) / (prior[2] - prior[0])
    assert error[1] == approx(error[0] + share * (error[2] - error[0]), rel=1e-11)
    assert response(1e-6).power(10**9).kinks.size == 0


def test_of_a_million_losses_each_has_the_delta_it_has_alone():
    law = response(0.01).power(10**9)
    epsilon = np.linspace(40_000.0, 60_000.0, 10**6)
    delta = law.delta(epsilon)
    few = np.arange(0, 10**6, 99_999)
    assert delta[few] == approx([law.delta(epsilon[[k]])[0] for k in few], rel=1e-12)


def test_too_many_atoms_are_refused_at_once():
    law = FiniteLaw.from_probabilities([0.5, 0.3, 0.2], [0.23, 0.3, 0.47])
    with pytest.raises(TooManyAtoms):
        law.power(10**9)


def test_too_many_atoms_are_refused():
    rng = np.random.default_rng(0)
    p, q = rng.dirichlet(np.ones(500), size=2)
    with pytest.raises(TooManyAtoms):
        FiniteLaw.from_probabilities(p, q).power(64)


@pytest.mark.parametrize(
    ("m", "epsilon", "right"),
    [
        # δ at the largest loss, or another one, as it rounds, by sums over atoms in fifty digits.
        (dp.DiscreteGaussian(0.27234552988856575, 4), 485.3577822123269, 1.7058930646375428e-150),
        (dp.DiscreteGaussian(0.05784377352900339, 1) ** 2, 298.87305705037335, 1.4405029882468055e-14),
        (dp.DiscreteGaussian(0.49197825891048574, 3) ** 2, 285.07377600429356, 3.35811085229853e-194),
        (
            dp.RandomizedResponse(1.0032181991900266e-06) @ dp.ApproximateDP(444.6245504235192, 2.0070830235638793e-07),
            444.6245514267374,
            2.0070830813437929e-7,
        ),
        (dp.ApproximateDP(6.960547696111303, 7.278370248390104e-21) ** 5, 34.80273848055651, 8.8401424512630221e-16),
    ],
    ids=lambda x: repr(x) if isinstance(x, dp.Mechanism) else "",
)
def test_where_a_loss_rounds_to_the_epsilon_asked_for_the_bound_knows_that_it_may_lie_above(m, epsilon, right):
    value, error = m.privacy_profile(epsilon, with_error=True)
    assert abs(value - right) <= error
    found, off = m.epsilon([right, 1e-3], with_error=True)
    assert abs(found[0] - epsilon) <= off[0] < 1e-9
    assert off[1] < 1e-8


def test_losses_so_far_apart_that_few_matter_to_each_other_are_summed_together():
    spread = np.arange(-3000.0, 3000.0) * 90.0
    q = np.random.default_rng(1).dirichlet(np.ones(spread.size))
    shrink = np.exp(-np.abs(spread))
    p, q = np.where(spread < 0, q, q * shrink), np.where(spread < 0, q * shrink, q)
    law = FiniteLaw.of_finite(spread, p / 2, q, 0.0, 0.0, 0.0)
    at = spread[2500:3500:100] - 30.0
    above = spread[:, None] > at
    with np.errstate(over="ignore"):
        expected = np.sum(np.where(above, q[:, None] * -np.expm1(np.minimum(at - spread[:, None], 0.0)), 0.0), axis=0)
    assert law.delta(at) == approx(expected, rel=1e-13)


@pytest.mark.parametrize("seed", range(5))
def test_losses_that_are_off_change_f_and_r_by_little_where_these_are_small(seed):
    rng = np.random.default_rng(seed)
    loss, off = np.sort(rng.uniform(-30, 30, 12)), 0.01
    p = rng.dirichlet(np.full(12, 0.3))
    first, second = p * np.exp(loss), p * np.exp(loss + rng.uniform(0, off, 12))
    law, moved = (FiniteLaw.from_probabilities(p, q / q.sum()) for q in (first, second))
    # Normalizing moves all losses once more, by less than `off`.
    faces = FiniteFaces(replace(law, location_error=off))
    log_odds, alpha = np.linspace(-30, 30, 301), np.append(np.geomspace(1e-12, 1, 200), 0.0)
    assert np.all(np.abs(moved.bayes_error(log_odds) - law.bayes_error(log_odds)) <= faces.bayes_error_error(log_odds))
    assert np.all(np.abs(moved.tradeoff(alpha) - law.tradeoff(alpha)) <= faces.tradeoff_error(alpha))
    assert np.max(np.abs(moved.bayes_error(log_odds) - law.bayes_error(log_odds))) <= faces.bayes_error_bound


def test_large_losses_have_small_bounds():
    m = dp.DiscreteLaplace(2, 732) @ dp.DiscreteGaussian(1, 1968)
    assert m.bayes_error(0.5, with_error=True)[1] < 1e-12
    assert m.tradeoff(1e-12, with_error=True)[1] < 2e-12
