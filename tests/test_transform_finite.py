"""Laws of finite losses composed: against all outcomes enumerated, and against binomial sums of many digits."""

import itertools
import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx
from strategies import distributions

from dptutor.transform.finite import FiniteLaw, TooManyAtoms

EPSILONS = np.array([-40.0, -3.0, -0.5, 0.0, 0.3, 1.0, 2.5, 7.0, 40.0])


@st.composite
def experiments(draw):
    size = draw(st.integers(1, 4))
    return draw(distributions(size)), draw(distributions(size))


def product(experiment, other):
    return tuple(np.multiply.outer(a, b).ravel() for a, b in zip(experiment, other, strict=True))


def profile(p, q, epsilon):
    return np.array([np.maximum(q - np.exp(e) * p, 0.0).sum() for e in np.ravel(epsilon)])


# Laws.


@given(experiments(), experiments())
def test_the_law_of_a_composition_is_that_of_all_pairs_of_outcomes(experiment, other):
    law = FiniteLaw.from_probabilities(*experiment).composed(FiniteLaw.from_probabilities(*other))
    p, q = product(experiment, other)
    assert law.delta(EPSILONS) == approx(profile(p, q, EPSILONS), abs=1e-13)
    assert law.p.sum() == approx(1, abs=1e-12)
    assert law.q.sum() == approx(1, abs=1e-12)


@settings(max_examples=50)
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


def test_infinite_losses_absorb():
    law = FiniteLaw.from_probabilities([0.1, 0.9, 0.0], [0.0, 0.7, 0.3]).power(3)
    assert law.loss[0] == -np.inf and law.p[0] == approx(1 - 0.9**3, rel=1e-14)
    assert law.loss[-1] == np.inf and law.q[-1] == approx(1 - 0.7**3, rel=1e-14)


# References.


@pytest.mark.parametrize(("epsilon", "count"), [(0.1, 1000), (1.0, 7), (0.01, 4096)])
def test_randomized_response_is_binomial_with_relative_accuracy(epsilon, count):
    p = 1 / (1 + math.exp(epsilon))
    law = FiniteLaw.from_probabilities([1 - p, p], [p, 1 - p]).power(count)
    assert law.loss.size == count + 1
    with mpmath.workdps(40):
        for at in (0.0, 0.3 * count * epsilon, 0.9 * count * epsilon):
            true = 1 / (1 + mpmath.exp(mpmath.mpf(epsilon)))
            exact = mpmath.mpf(0)
            for k in range(count + 1):
                loss = (2 * k - count) * mpmath.mpf(epsilon)
                if loss > at:
                    mass = mpmath.binomial(count, k) * (1 - true) ** k * true ** (count - k)
                    exact += mass * (1 - mpmath.exp(at - loss))
            assert float(law.delta(np.array(at))) == approx(float(exact), rel=1e-10)


def test_three_outcomes_against_all_sequences():
    p, q = np.array([0.2, 0.5, 0.3]), np.array([0.4, 0.25, 0.35])
    sequences = np.array(list(itertools.product(range(3), repeat=6)))
    exact = profile(p[sequences].prod(axis=1), q[sequences].prod(axis=1), EPSILONS)
    assert FiniteLaw.from_probabilities(p, q).power(6).delta(EPSILONS) == approx(exact, abs=1e-14)


def test_too_many_atoms_are_refused():
    rng = np.random.default_rng(0)
    p, q = rng.dirichlet(np.ones(500), size=2)
    with pytest.raises(TooManyAtoms):
        FiniteLaw.from_probabilities(p, q).power(64)
