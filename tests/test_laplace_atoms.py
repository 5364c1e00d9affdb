"""Atoms of Laplace mechanisms taken apart, and the rest along lines; the sweep has references of their profiles."""

import math

import mpmath as mp
import numpy as np
import pytest
from conftest import approx

import dptutor as dp
from dptutor.evaluation.laplace_atoms import LaplaceAtoms, _Case, _kernel
from dptutor.evaluation.lines import _nothing


def alone(counts, inside):
    return LaplaceAtoms(counts, np.zeros(1), np.ones(1), inside, 2**14, _nothing, (0.0, 0.0), 0.0)


def test_shares_of_many_losses_inside_keep_their_digits():
    apart = alone({0.11: 40, 0.5: 20}, 4)
    for w in (1e-12, 0.5, 3.0, 1e4):
        with mp.workdps(40):
            odds = [mp.tanh(mp.mpf(w) * mp.mpf(top)) / (2 * mp.mpf(w)) for top in (0.11, 0.5)]
            masses = [
                [math.comb(n, j) * o**j / (1 + o) ** n for j in range(n + 1)]
                for o, n in zip(odds, (40, 20), strict=True)
            ]
            right = sum(a * b for i, a in enumerate(masses[0]) for j, b in enumerate(masses[1]) if i + j > 4)
        assert abs(apart._tail(np.array([w]))[0] - float(right)) <= 32 * 60 * 2.0**-53 * float(right)


def test_what_is_left_is_below_its_envelope():
    apart = alone({0.11: 24, 0.37: 12}, 2)
    for c in (-0.3, 0.4, 6.0):
        peak = apart._log(np.array([c + 0j]))[0][0].real
        ratio, _ = apart._on_line(c, 0.7, 3000)
        t = 0.7 * np.arange(3000)
        assert np.all(np.log(np.abs(ratio[1:])) <= apart._log_envelope(c, t[1:]) - peak + 1e-6)
        assert np.all(np.diff(apart._log_envelope(c, t)) <= 1e-12)


def test_samples_of_what_is_left_keep_their_bounds():
    counts = {0.11: 24, 0.37: 12}
    apart = alone(counts, 2)
    c, step = 0.4, 0.7
    ratio, error = apart._on_line(c, step, 5000)
    for k in (0, 1, 40, 700, 4999):
        with mp.workdps(60):
            values = []
            for z in (mp.mpc(c, mp.mpf(step) * k), mp.mpc(c, 0)):
                w, parts = z + mp.mpf(1) / 2, []
                for top, n in counts.items():
                    end = mp.exp(-mp.mpf(top) / 2) * mp.cosh(w * mp.mpf(top))
                    inside = mp.exp(-mp.mpf(top) / 2) * mp.sinh(w * mp.mpf(top)) / (2 * w)
                    parts.append([math.comb(n, j) * inside**j * end ** (n - j) for j in range(n + 1)])
                values.append(sum(a * b for i, a in enumerate(parts[0]) for j, b in enumerate(parts[1]) if i + j > 2))
            assert abs(values[0] / values[1] - complex(ratio[k])) <= error[k]


@pytest.mark.parametrize("times", [5, 8, 12])
def test_many_questions_a_day_take_seconds_and_keep_nine_digits(times):
    m = ((dp.Laplace(1 / 0.11) ** 2 @ dp.Laplace(1 / 0.22)) ** 6) ** times
    value, bound = m.privacy_profile(np.linspace(0.0, 8.0, 9), with_error=True)
    assert np.all(bound <= 1e-9 * value) and np.all(np.diff(value) < 0)
    assert m.privacy_profile(3.0) == value[3]


def test_a_spline_is_what_losses_inside_make_of_the_profile():
    case = _Case(np.array([0.5]), [1], (1,), np.zeros(1), np.ones(1), 0.0)
    # The density e^{(x − ½)/2}/4 of one loss inside.
    for epsilon in (-0.4, 0.0, 0.3, 0.49):
        with mp.workdps(30):
            right = mp.quad(lambda x, e=epsilon: (1 - mp.exp(e - x)) * mp.exp((x - 0.5) / 2) / 4, [epsilon, 0.5])
        value, off = case.profile(np.array([epsilon]))
        assert abs(value[0] - float(right)) <= off[0] + 1e-15 * float(right)
    assert _kernel(np.array([2.0], dtype=np.longdouble), 0)[0] == approx(2 * math.sinh(1.0), rel=1e-15)


def test_many_atoms_widen_the_bound_and_the_array_agrees_with_its_entries():
    m = (dp.Laplace(1e4) @ dp.Laplace(7e3)) ** 120
    epsilon = np.array([0.0, 0.002, 0.004, 0.015])
    value, bound = m.privacy_profile(epsilon, with_error=True)
    again = (dp.Laplace(1e4) @ dp.Laplace(7e3)) ** 120
    assert value.tolist() == [again.privacy_profile(float(x)) for x in epsilon]
    # Tiny losses are nearly normal.
    variance = 120 * (1e-8 + (1 / 7e3) ** 2)
    normal = dp.Gaussian(sigma=1 / math.sqrt(variance)).privacy_profile(epsilon)
    assert value[:3] == approx(normal[:3], rel=0.03)
    assert np.all(bound[:3] < 1e-4 * value[:3])
    top = 120 * (1e-4 + 1 / 7e3)
    assert m.privacy_profile(top) == 0.0 and m.epsilon(0.0) == approx(top, rel=1e-14)


def test_an_answer_is_looked_for_where_it_lies():
    m = dp.Laplace(3.95) ** 49 @ dp.Laplace(20.853) ** 12
    value, bound = m.tradeoff(0.1, with_error=True)
    assert m.epsilon(m.privacy_profile(2.0)) == approx(2.0, abs=1e-9)
    table = m._faces._forward
    assert len(table._evaluator.edges) > 300
    assert len(table._pieces) < 30
    assert bound < 1e-9
    losses = np.linspace(0.5, 5.0, 10)
    assert np.all(1 - m.privacy_profile(losses) - np.exp(losses) * 0.1 <= value + 2 * bound)


def test_thousands_of_places_keep_ten_digits():  # of 3,050
    m = dp.Laplace(29.191) ** 49 @ dp.Laplace(15.27) ** 60
    _, bound = m.bayes_error(np.array([0.3, 0.5, 0.7]), with_error=True)
    assert np.all(bound <= 1e-10)
