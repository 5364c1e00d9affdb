"""Hostile arguments, everywhere: a documented answer or a documented error, without a warning, a NaN or a hang."""

import math
import signal
import threading
from contextlib import contextmanager, suppress

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import dptutor as dp

NUMBERS = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 3, 1e-5, 5e-324, 2.3e-308, 1e-300, 1e-16, 1 - 1e-16, 1 + 1e-16, 40.0, 700.0,
           745.2, 1e4, 1e9, 1e16, 1e155, 1e300, 1.8e308, 10**400, math.nan, math.inf, -math.inf]  # fmt: skip
STRANGE = [None, True, "0.5", "", b"1", 1j, [], [[]], {}, (), object(), int, np.nan, np.float16(0.3), np.float32(0.7),
           np.int8(1), np.array([]), np.array(0.5), np.array([[0.2, 0.8]]), np.array(["a"]), np.array([None, 1.0]),
           np.zeros((2, 0, 3)), np.array([0.1, math.nan]), np.array([True]), [0.5, 0.5], [0.3, [0.7]], ...]  # fmt: skip

numbers = st.one_of(st.sampled_from(NUMBERS), st.floats(), st.floats(0, 1))
hostile = st.one_of(numbers, numbers, st.sampled_from(STRANGE), st.lists(st.floats(0, 1), max_size=4))
MECHANISMS = [
    dp.Gaussian(1.0), dp.Gaussian(1e-8), dp.Gaussian(1e9), dp.Laplace(0.01), dp.Laplace(1e6),
    dp.RandomizedResponse(0.0), dp.RandomizedResponse(40.0), dp.ApproximateDP(1.0, 1e-300), dp.ApproximateDP(0.0, 1.0),
    dp.PerfectPrivacy(), dp.BlatantlyNonPrivate(), dp.FiniteExperiment([1.0, 0.0], [1e-300, 1.0]),
    dp.SubsampledGaussian(0.3, 1e-9), dp.DPSGD(1.0, 0.01, 1000), dp.DPSGD(50.0, 1e-4, 10**9),
    dp.join(dp.Gaussian(1.0), dp.Laplace(1.0)), dp.meet(dp.Gaussian(1.0), dp.ApproximateDP(1.0, 0.1)),
]  # fmt: skip
mechanisms = st.sampled_from(MECHANISMS)

MAKERS = {
    dp.Gaussian: 2, dp.Laplace: 2, dp.RandomizedResponse: 1, dp.ApproximateDP: 2, dp.FiniteExperiment: 2,
    dp.SubsampledGaussian: 3, dp.DPSGD: 3,
}  # fmt: skip
FACES = ["tradeoff", "privacy_profile", "bayes_error", "epsilon", "renyi_divergence"]
OF_NUMBERS = {
    dp.posterior_belief_bound: 2, dp.epsilon_for_posterior_belief: 2, dp.expected_advantage_bound: 2,
    dp.epsilon_for_expected_advantage: 2, dp.belief_exceedance_bound: 3, dp.rdp_posterior_belief_bound: 3,
    dp.rdp_expected_advantage: 3, dp.jeffreys_prior: 1, dp.u_quadratic_prior: 1, dp.accounting.basic_composition: 3,
    dp.accounting.advanced_composition: 4, dp.accounting.optimal_composition: 3, dp.accounting.clt_mu: 3,
    dp.accounting.rdp_to_epsilon: 3, dp.accounting.rdp_to_delta: 3, dp.accounting.zcdp: 2,
    dp.accounting.zcdp_to_epsilon: 2, dp.accounting.zcdp_to_delta: 2,
}  # fmt: skip
OF_MECHANISMS = [
    dp.delta_divergence, dp.symmetric_delta_divergence, dp.blackwell_dominates, dp.compare, dp.join, dp.meet,
    dp.garbling,
]  # fmt: skip


@contextmanager
def limited(what, seconds=20):
    """Fails where a call does not end; what is slow on a slow machine still passes."""

    def tell(*_):
        raise AssertionError(f"{what} did not end within {seconds} s")

    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "SIGALRM"):
        yield
        return
    before = signal.signal(signal.SIGALRM, tell)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def answered(function, *arguments, **options):
    """What it answers, which has no NaN, or None where it refuses in words."""
    what = f"{getattr(function, '__qualname__', function)}({', '.join(map(repr, arguments))}, {options})"
    refused = "no"
    with limited(what):
        try:
            found = function(*arguments, **options)
        except (ValueError, TypeError) as refusal:
            refused = str(refusal)
            found = None
    assert refused, what
    assert "\n" not in refused, what
    if isinstance(found, (int, float, np.ndarray)):
        assert not np.isnan(found).any(), f"{what} is {found}"
    return found


@given(st.sampled_from([*MAKERS]), st.data())
@settings(max_examples=600)
def test_a_mechanism_is_made_or_refused_and_then_answers(maker, data):
    m = answered(maker, *data.draw(st.lists(hostile, min_size=1, max_size=MAKERS[maker])))
    if m is None:
        return
    assert eval(repr(m), vars(dp)) == m
    for face, values in {"tradeoff": [0.0, 1e-300, 0.3, 1.0], "bayes_error": [0.0, 0.5, 1 - 1e-16, 1.0]}.items():
        found = answered(getattr(m, face), values)
        assert ((found >= 0) & (found <= 1)).all()
    profile = answered(m.privacy_profile, [-800.0, -1.0, 0.0, 1e-9, 1.0, 800.0, math.inf])
    assert ((profile >= 0) & (profile <= 1)).all()
    assert answered(m.epsilon, [1e-5, 0.5, 1.0]) is not None
    assert 0 <= m.advantage <= 1


@given(mechanisms, st.sampled_from(FACES), hostile)
@settings(max_examples=800)
@example(dp.Gaussian(1.0), "renyi_divergence", 1e300)
@example(dp.DPSGD(1.0, 0.01, 1000), "renyi_divergence", 1e16)
@example(dp.DPSGD(1.0, 0.01, 1000), "epsilon", 5e-324)
def test_a_face_answers_or_refuses(m, face, value):
    answered(getattr(m, face), value)


@given(mechanisms, hostile)
@settings(max_examples=150)
def test_a_composition_is_made_or_refused_and_then_answers(m, count):
    with suppress(OverflowError):
        composed = answered(lambda: m**count)
        if composed is not None:
            answered(composed.bayes_error, [0.0, 1e-9, 0.5, 1.0])


@given(st.sampled_from([*OF_NUMBERS]), st.data())
@settings(max_examples=1500)
def test_a_function_of_numbers_answers_or_refuses(function, data):
    answered(function, *data.draw(st.lists(hostile, min_size=1, max_size=OF_NUMBERS[function])))


@given(st.sampled_from(OF_MECHANISMS), st.one_of(mechanisms, hostile), st.one_of(mechanisms, hostile))
@settings(max_examples=200)
def test_a_function_of_mechanisms_answers_or_refuses(function, first, second):
    answered(function, first, second)


@given(mechanisms, hostile)
@settings(max_examples=150)
def test_what_is_said_of_one_mechanism_is_answered_or_refused(m, value):
    answered(dp.reconstruction_bound, m, value)
    answered(dp.dominance_bound, m, value, dp.Gaussian(1.0), value)
    belief = answered(dp.PosteriorBelief, m, value)
    if belief is not None:
        answered(belief.exceedance if hasattr(belief, "exceedance") else repr, value)


@given(hostile, hostile)
@settings(max_examples=120)
def test_a_calibration_answers_or_refuses(first, second):
    answered(dp.calibrate, dp.Gaussian, epsilon=first, delta=second)
    answered(dp.calibrate, dp.Laplace, advantage=first)
    answered(dp.calibrate, lambda b: dp.Laplace(b), posterior_belief=first, prior=second)


@given(hostile, hostile)
@example(int, 0.0)
@example(int, [0.0])
@settings(max_examples=200)
def test_divergences_and_conversions_answer_or_refuse(value, other):
    for divergence in (dp.divergences.hockey_stick, dp.divergences.renyi):
        answered(divergence, dp.Gaussian(1.0), value)
    for road in [name for name in dp.conversions.__all__ if "_from_" in name]:
        answered(getattr(dp.conversions, road), value, other)


@pytest.mark.parametrize("function", [dp.delta_divergence, dp.compare, dp.join])
def test_what_is_no_mechanism_is_named(function):
    with pytest.raises(TypeError, match="must be a mechanism"):
        function(dp.Gaussian(1.0), 3)
