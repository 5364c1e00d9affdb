"""Sums over participations, for steps with hardly any noise: right for one step, as contours say for more, quick."""

import mpmath
import numpy as np
import pytest

import dptutor as dp
from dptutor.evaluation import profiles
from dptutor.evaluation.separate_sums import SeparateSums


def one_step(sigma, rate, epsilon):
    """δ of a removal, and of an addition, by closed forms."""
    s, p, e = mpmath.mpf(sigma), mpmath.mpf(rate), mpmath.mpf(epsilon)

    def tails(ratio):
        """Pr_P[dQ/dP > ratio] and Pr_Q."""
        if ratio <= 1 - p:
            return mpmath.mpf(1), mpmath.mpf(1)
        u = s * mpmath.log((ratio - 1 + p) / p) + 1 / (2 * s)
        return mpmath.ncdf(-u), (1 - p) * mpmath.ncdf(-u) + p * mpmath.ncdf(1 / s - u)

    under_p, under_q = tails(mpmath.exp(e))
    below_p, below_q = (1 - x for x in tails(mpmath.exp(-e)))
    return under_q - mpmath.exp(e) * under_p, below_p - mpmath.exp(e) * below_q


@pytest.mark.parametrize("rate", [1e-6, 0.01, 0.4, 0.99])
@pytest.mark.parametrize("sigma", [0.01, 0.04, 0.06, 0.065, 0.1, 0.3])
def test_one_step_is_within_its_bounds(sigma, rate):
    sums = SeparateSums(sigma, rate, 1)
    below = sums.highest * np.array([1e-9, 1e-3, 0.1, 0.5, 0.9, 1 - 1e-6, 1 - 1e-12])
    for which, face, places in ((0, sums.removed, np.linspace(0, 1 / sigma**2, 41)), (1, sums.added, below)):
        for complement in (False, True):
            found = [face(np.array([e]), complement) for e in places]
            values, errors = (np.array([float(each[i][0]) for each in found]) for i in (0, 1))
            for epsilon, value, error in zip(places, values, errors, strict=True):
                with mpmath.workdps(120):
                    right = one_step(sigma, rate, epsilon)[which]
                    right = 1 - right if complement else right
                    assert abs(mpmath.mpf(value) - right) <= error * mpmath.mpf(value)
            if sigma <= 0.06 and which == 0:
                assert np.all(errors[values > 1e-30] <= 1e-6)


@pytest.mark.deep
@pytest.mark.parametrize("direction", ["remove", "add"])
@pytest.mark.parametrize(("sigma", "rate", "steps"), [(0.05, 0.01, 5), (0.06, 0.01, 30), (0.065, 0.1, 30)])
def test_contours_agree(sigma, rate, steps, direction, monkeypatch):
    one, other = (dp.DPSGD(sigma, rate, steps, direction) for _ in range(2))
    losses = np.linspace(0, 4000, 41) if direction == "remove" else np.linspace(0, -steps * np.log1p(-rate), 41)
    value, bound = one.privacy_profile(losses, with_error=True)
    assert profiles._are_separate(one._whole.factors)
    monkeypatch.setattr(profiles, "_are_separate", lambda factors: False)
    again, its_bound = other.privacy_profile(losses, with_error=True)
    assert np.all(np.abs(value - again) <= bound + its_bound)
    assert np.all((bound <= 1e-6 * value)[value > 1e-30])
    assert np.all(bound <= 1e-11)


def test_hardly_any_noise_is_answered_sharply():
    assert dp.DPSGD(0.055, 0.1, 300).epsilon(1e-5, with_error=True)[1] < 1e-7
