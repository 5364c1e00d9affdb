"""Garblings: laws, Blackwell's theorem and Le Cam's deficiency over random experiments, references, bad input."""

import numpy as np
import pytest
from conftest import approx, examples
from hypothesis import given, settings
from hypothesis import strategies as st

import dptutor as dp

weights = st.lists(st.integers(1, 60), min_size=2, max_size=5)


@st.composite
def experiments(draw, size=None):
    count = draw(st.integers(2, 5)) if size is None else size
    p, q = (np.array(draw(st.lists(st.integers(1, 60), min_size=count, max_size=count)), dtype=float) for _ in "pq")
    return dp.FiniteExperiment(p=p / p.sum(), q=q / q.sum())


@st.composite
def processings(draw, rows, columns):
    return np.array(
        [draw(st.lists(st.integers(1, 30), min_size=columns, max_size=columns)) for _ in range(rows)], dtype=float
    )


# Laws.


@settings(max_examples=examples(40))
@given(experiments(), st.data())
def test_what_is_processed_is_found_to_be_processed(m, data):
    k = data.draw(processings(len(m.p), data.draw(st.integers(2, 4))))
    k /= k.sum(axis=1, keepdims=True)
    p, q = np.array(m.p) @ k, np.array(m.q) @ k
    other = dp.FiniteExperiment(p=p / p.sum(), q=q / q.sum())
    found = dp.garbling(m, other)
    assert found.exists
    assert found.matrix.sum(axis=1) == approx(1)
    assert np.all(found.matrix >= 0)
    assert np.array(m.p) @ found.matrix == approx(np.array(other.p), abs=1e-8)
    assert np.array(m.q) @ found.matrix == approx(np.array(other.q), abs=1e-8)
    assert dp.delta_divergence(m, other).value <= 1e-9


@settings(max_examples=examples(60))
@given(experiments(), experiments())
def test_the_deficiency_is_the_delta_divergence(m, other):  # Torgersen (1991): with two hypotheses tests are enough
    found, regret = dp.garbling(m, other), dp.delta_divergence(m, other)
    assert found.deficiency == approx(regret.value, abs=1e-9)
    assert found.exists == (regret.value <= regret.error_bound)  # and not as a linear program's tolerance has it
    if not found.exists:
        assert m.bayes_error(found.prior) > other.bayes_error(found.prior)


# References.


def test_randomized_response_is_garbled_by_randomized_response():
    found = dp.garbling(dp.RandomizedResponse(epsilon=2), dp.RandomizedResponse(epsilon=1))
    lies = [1 / (1 + np.exp(e)) for e in (2, 1)]
    flip = (lies[1] - lies[0]) / (1 - 2 * lies[0])
    assert found.matrix == approx(np.array([[1 - flip, flip], [flip, 1 - flip]]), abs=1e-9)
    assert not dp.garbling(dp.RandomizedResponse(epsilon=1), dp.RandomizedResponse(epsilon=2)).exists


def test_infinite_losses_are_garbled_too():
    leaky = dp.ApproximateDP(epsilon=1, delta=0.1)
    assert dp.garbling(leaky, dp.RandomizedResponse(epsilon=1)).exists
    assert not dp.garbling(dp.RandomizedResponse(epsilon=5), leaky).exists
    assert dp.garbling(dp.BlatantlyNonPrivate(), leaky).exists


# Bad input.


def test_what_is_not_finite_is_refused():
    with pytest.raises(TypeError, match="other must be a finite mechanism, got Gaussian"):
        dp.garbling(dp.RandomizedResponse(), dp.Gaussian())
