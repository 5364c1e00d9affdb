"""The Hellinger transform as a face of every mechanism: its laws, closed forms, other ways to it, and its bounds."""

import math

import mpmath
import numpy as np
import pytest
from conftest import approx, examples
from hypothesis import example, given, settings
from hypothesis import strategies as st
from strategies import closed_forms, mechanisms

import dptutor as dp
from dptutor.evaluation.from_profile import hellinger_from_profile
from dptutor.evaluation.hellinger import Inversion

strip = st.builds(complex, st.floats(0.0, 1.0), st.floats(-30.0, 30.0))
plane = st.builds(complex, st.floats(-4.0, 5.0), st.floats(-30.0, 30.0))


def within(first, second):
    """Whether two answers with bounds agree; an infinite bound knows nothing."""
    (a, e), (b, f) = first, second
    with np.errstate(invalid="ignore"):
        return np.isinf(e) | np.isinf(f) | (np.abs(a - b) <= e + f + 1e-300)


def masses(m):
    """Pr_P[L = −∞] and Pr_Q[L = +∞]."""
    return m.reverse.privacy_profile(math.inf), m.privacy_profile(math.inf)


# Laws.


@given(mechanisms())
@settings(max_examples=examples(60))
def test_at_0_and_1_it_is_the_mass_of_finite_losses(m):
    value, error = m.hellinger_transform([0.0, 1.0], with_error=True)
    assert np.all(np.abs(value - (1 - np.array(masses(m)))) <= error + 1e-15)
    assert np.all(error < 1e-10)


@given(mechanisms(), strip)
@settings(max_examples=examples(100))
def test_within_the_strip_it_is_at_most_1_and_at_most_what_it_is_on_the_real_line(m, s):
    value, error = m.hellinger_transform(s, with_error=True)
    real, real_error = m.hellinger_transform(s.real, with_error=True)
    assert abs(value) <= real + error + real_error
    assert -real_error <= real <= 1 + real_error


@given(mechanisms(), plane)
@settings(max_examples=examples(100) // 2)
def test_conjugates_go_to_conjugates_and_the_reverse_pair_is_its_mirror_image(m, s):
    s = 1 - (1 - s)  # then 1 − s is not rounded
    found = m.hellinger_transform(s, with_error=True)
    conjugate, error = m.hellinger_transform(s.conjugate(), with_error=True)
    assert within(found, (np.conj(conjugate), error))
    assert within(found, m.reverse.hellinger_transform(1 - s, with_error=True))


@given(mechanisms(), st.floats(0.0, 1.0), st.floats(0.0, 1.0), st.floats(0.0, 1.0))
@settings(max_examples=examples(60))
def test_its_logarithm_is_convex(m, a, b, share):
    (first, _), (second, _) = (m.hellinger_transform(s, with_error=True) for s in (a, b))
    middle, error = m.hellinger_transform(share * a + (1 - share) * b, with_error=True)
    assert middle <= first**share * second ** (1 - share) + error + 1e-9


@given(closed_forms(), closed_forms(), st.integers(1, 40), plane)
@settings(max_examples=examples(100))
@example(dp.Laplace(1), dp.SubsampledGaussian(0.5, 0.2, "add"), 7, 0.5 + 3j)
def test_composed_mechanisms_multiply(a, b, count, s):
    if a.both_directions or b.both_directions:
        return
    # Of several, each may be chosen after the others have answered.
    if [type(m) for m in [a] * count + [b]].count(dp.ExponentialMechanism) > 1:
        return
    whole, error = (a**count @ b).hellinger_transform(s, with_error=True)
    (first, its), (second, others) = (m.hellinger_transform(s, with_error=True) for m in (a, b))
    if not np.all(np.isfinite([error, its, others])):
        return
    with np.errstate(over="ignore"):
        product = first**count * second
        most = (abs(first) + its) ** count * (abs(second) + others)
    if math.isfinite(most):
        assert abs(whole - product) <= error + (most - abs(product)) + 1e-12 * most + 1e-300


@given(mechanisms(), st.floats(0.05, 0.95))
@settings(max_examples=examples(60))
def test_it_is_the_rényi_divergence_of_the_pair(m, s):
    value, error = m.hellinger_transform(s, with_error=True)
    if value > 1e-6 and not m.both_directions:
        assert math.log(value) / (s - 1) == approx(m.renyi_divergence(s), rel=1e-6, abs=1e-8 + 10 * error / value)


@given(mechanisms(), plane)
@settings(max_examples=examples(200))
@example(dp.join(dp.Gaussian(1), dp.Laplace(1)), 3 + 2j)
@example(dp.join(dp.Gaussian(1e-3), dp.Laplace(1)), 0.5 + 0j)
@example(dp.RandomizedResponse(8) ** 1000, 0.5 + 5j)
@example(dp.Gaussian(0.0625), -2 + 1j)
@example(dp.Gaussian(0.1), 3.5 + 0j)
@example(dp.DiscreteGaussian(0.25, 2), -1.5 + 0j)
@example(dp.DiscreteGaussian(0.38426, 5), -0.883157 + 0.060074j)
def test_closed_forms_and_the_profile_say_the_same(m, s):
    there = m.hellinger_transform(s, with_error=True)
    value, error = hellinger_from_profile(m, np.array([s]))
    assert within(there, (value[0], error[0]))


@given(mechanisms(), strip)
@settings(max_examples=examples(100))
def test_its_bound_is_small_between_0_and_1(m, s):
    assert m.hellinger_transform(s, with_error=True)[1] <= 3e-9 * (1 + abs(s) ** 2)


# References.


def exact(m, s):
    """∫ q^s p^(1−s) by quadrature in thirty digits."""
    p, q = m
    ends = [-mpmath.inf, -8, -2, 0, 1, 3, 9, mpmath.inf]
    with mpmath.workdps(30):
        return complex(mpmath.quad(lambda x: mpmath.mpf(1) * q(x) ** s * p(x) ** (1 - s), ends))


def normal(x, mean=0):
    return mpmath.npdf(x, mean)


def laplace(x, mean=0):
    return mpmath.exp(-abs(x - mean)) / 2


PLACES = [0.5, 0.25, 2.5, -1.5, 0.5 + 2j, 0.75 - 6j, 1.5 + 1j]


DENSITIES = {
    dp.Gaussian(1): (normal, lambda x: normal(x, 1)),
    dp.Laplace(1): (laplace, lambda x: laplace(x, 1)),
    dp.SubsampledGaussian(1, 0.25, "remove"): (normal, lambda x: 0.75 * normal(x) + 0.25 * normal(x, 1)),
    dp.SubsampledGaussian(1, 0.25, "add"): (lambda x: 0.75 * normal(x) + 0.25 * normal(x, 1), normal),
}


@pytest.mark.parametrize("mu", [0.3, 1.0, 4.0])
def test_a_contour_counts_all_that_its_transform_is_off(mu):
    """A transform that is off by as much as it says it may be, against the phase of the integrand, moves δ by all of
    the bound."""
    off_by = 1e-6
    for epsilon in (0.0, mu / 5, mu * mu / 2 + mu, mu * mu / 2 + 8 * mu):

        def right(s):
            return s * (s - 1) * mu**2 / 2

        def wrong(s, epsilon=epsilon):
            phase = np.exp(1j * np.imag(right(s) - (s - 1) * epsilon)) / (s * (s - 1))
            return right(s) + off_by * np.abs(phase) / phase, np.full(s.shape, off_by)

        exact, found = (
            Inversion(transform, lambda c, t: -((mu * t) ** 2) / 2).quickly(np.array([epsilon]))
            for transform in (lambda s: (right(s), np.zeros(s.shape)), wrong)
        )
        assert abs(found[0] - exact[0]) == approx(found[1], rel=1e-5)


@pytest.mark.parametrize("s", PLACES)
@pytest.mark.parametrize("m", DENSITIES, ids=repr)
def test_against_the_integral(m, s):
    value, error = m.hellinger_transform(s, with_error=True)
    assert abs(value - exact(DENSITIES[m], s)) <= error + 1e-15
    assert error < 1e-12


def discrete_gaussian(sigma, shift):
    """Masses of the discrete Gaussian law and of the shifted one."""
    sigma, reach = mpmath.mpf(sigma), int(60 * sigma) + 3
    mass = lambda x: mpmath.exp(-((x / sigma) ** 2) / 2)  # noqa: E731
    whole = mpmath.fsum(mass(x) for x in range(-reach, reach + 1))
    return [(mass(x) / whole, mass(x - shift) / whole) for x in range(-reach, shift + reach + 1)]


def discrete_laplace(scale, shift):
    """Masses where the loss is smallest, between, and largest."""
    a = mpmath.exp(-1 / mpmath.mpf(scale))
    end = 1 / (1 + a)
    between = [(end * (1 - a) * a**x, end * (1 - a) * a ** (shift - x)) for x in range(1, shift)]
    return [(end, end * a**shift), *between, (end * a**shift, end)]


@pytest.mark.parametrize("s", [-3.0, -1.5, -0.25, 0.5, 1.25, 2.5 + 1j, 4.0, 6.5])
@pytest.mark.parametrize(
    ("m", "law"),
    [(dp.DiscreteGaussian(sigma, shift), (discrete_gaussian, sigma, shift)) for sigma, shift in ((0.25, 2), (0.3, 1))]
    + [(dp.DiscreteLaplace(scale, shift), (discrete_laplace, scale, shift)) for scale, shift in ((0.05, 3), (0.02, 1))],
    ids=lambda x: repr(x) if isinstance(x, dp.Mechanism) else "",
)
def test_atoms_that_are_far_apart_against_sums_over_them(m, law, s):
    kind, *parameters = law
    with mpmath.workdps(40):
        right = mpmath.fsum(q**s * p ** (1 - s) for p, q in kind(*parameters))
        for value, error in (hellinger_from_profile(m, np.array([s + 0j])), m._hellinger(np.array([s + 0j]))):
            assert np.isinf(error[0]) or abs(mpmath.mpc(complex(value[0])) - right) <= error[0]
            assert np.isinf(error[0]) or error[0] <= 1e-8 * abs(right) + 1e-9


@pytest.mark.parametrize("s", PLACES)
def test_the_join_of_two_normal_laws_against_the_integral_over_its_profile(s):
    # Of one family the larger one: G(2) dominates G(1).
    a, b = dp.Gaussian(1), dp.Gaussian(2)
    assert within(dp.join(a, b).hellinger_transform(s, with_error=True), a.hellinger_transform(s, with_error=True))
    assert within(dp.meet(a, b).hellinger_transform(s, with_error=True), b.hellinger_transform(s, with_error=True))


def test_both_directions_have_the_transform_of_their_join():
    step = dp.SubsampledGaussian(1, 0.3)
    remove, add = step.directions
    value, error = step.hellinger_transform(0.5, with_error=True)
    assert value < remove.hellinger_transform(0.5) - 1e-4
    assert remove.hellinger_transform(0.5) == approx(add.hellinger_transform(0.5), abs=1e-15)
    assert within((value, error), dp.join(remove, add).hellinger_transform(0.5, with_error=True))


def test_a_long_training_is_its_step_to_a_power():
    training = dp.DPSGD(1, 0.001, 10**6, "remove")
    s = np.array([0.5, 0.5 + 0.1j, 2.0])
    value, error = training.hellinger_transform(s, with_error=True)
    assert value == approx(training.step.hellinger_transform(s) ** 10**6, rel=1e-8)
    assert np.all(error < 1e-13 * np.maximum(1, np.abs(value)))


# Kinds of arguments.


def test_shapes_and_kinds_are_kept():
    m = dp.join(dp.Gaussian(1), dp.Laplace(1))
    for each in (m, dp.Gaussian(1), dp.DPSGD(1, 0.01, 10)):
        assert type(each.hellinger_transform(0.5)) is float
        assert type(each.hellinger_transform(0.5 + 0j)) is complex
        value, error = each.hellinger_transform(np.full((2, 0, 3), 0.5), with_error=True)
        assert value.shape == error.shape == (2, 0, 3)
        value = each.hellinger_transform([[0.5], [0.25]])
        assert value.shape == (2, 1)
        assert value.dtype == float


def test_what_exceeds_the_largest_float_is_infinite():
    assert dp.Gaussian(1).hellinger_transform([1e200, 60.0]).tolist() == [math.inf, math.inf]
    assert (dp.Laplace(1) ** 100).hellinger_transform(50.0) == math.inf
    value, error = dp.SubsampledGaussian(0.3, 0.01, "remove").hellinger_transform([1e5, 0.5], with_error=True)
    assert (value[0], error[0]) == (math.inf, math.inf)
    assert error[1] < 1e-12
