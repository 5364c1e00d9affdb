"""Compositions with fewer losses or parts: the truth, by enumeration or by quadrature, lies between what they bound."""

import math

import numpy as np
import pytest
from scipy.special import log_ndtr, ndtr

import dptutor as dp
from dptutor.evaluation.finite_law import FiniteLaw
from dptutor.evaluation.merging import ExceededFaces, Excess, merged, merged_sum
from dptutor.mechanisms.composition import Composition, _with_fewer_losses, _with_fewer_parts
from dptutor.mechanisms.finite import WithFewerLosses

EPSILON = np.array([-30.0, -2.0, -0.4, 0.0, 1e-3, 0.2, 1.0, 4.0, 20.0, 45.0])


def atoms(generator, size, widest):
    """Losses and masses of a random experiment, some of them tiny or close to each other."""
    loss = np.sort(generator.uniform(-widest, widest, size))
    loss[1::3] = loss[::3][: loss[1::3].size] + generator.choice([1e-12, 1e-5, 0.05])
    larger = generator.dirichlet(np.full(size, 0.2))
    p = larger * np.exp(-np.maximum(loss, 0.0))
    q = larger * np.exp(np.minimum(loss, 0.0))
    order = np.argsort(loss)
    # What is left of either mass is infinite.
    whole = max(p.sum(), q.sum())
    return loss[order], p[order] / whole, q[order] / whole


def law_of(loss, p, q):
    return FiniteLaw.of_finite(loss, p, q, max(1.0 - p.sum(), 0.0), max(1.0 - q.sum(), 0.0), 1e-15 * abs(loss).max())


def enumerated(laws, epsilon):
    """δ of the composition: a sum over all outcomes, of positive terms."""
    finite = [np.isfinite(law.loss) for law in laws]
    loss, q = np.zeros(1), np.ones(1)
    for law, own in zip(laws, finite, strict=True):
        loss, q = np.add.outer(loss, law.loss[own]).ravel(), np.multiply.outer(q, law.q[own]).ravel()
    infinite = 1 - math.prod(law.q[own].sum() for law, own in zip(laws, finite, strict=True))
    return infinite + np.array([np.sum(q * -np.expm1(np.minimum(e - loss, 0.0))) for e in epsilon])


@pytest.mark.parametrize("allowed", [1e-16, 1e-9, 1e-4, 1e-2])
@pytest.mark.parametrize(("size", "widest"), [(5, 1.0), (9, 30.0), (9, 900.0)])
def test_what_is_not_told_apart_bounds_the_truth(allowed, size, widest):
    generator = np.random.default_rng(11)
    for _ in range(4):
        laws = [law_of(*atoms(generator, size, widest)) for _ in range(2)]
        few = [merged(law, allowed, False) for law in laws]
        whole = enumerated([laws[0], laws[0], laws[1]], EPSILON)
        fewer = enumerated([few[0][0], few[0][0], few[1][0]], EPSILON)
        excess = Excess.total([(few[0][1], 2), (few[1][1], 1)]).at(EPSILON)
        assert np.all(fewer <= whole + 1e-13)
        assert np.all(whole <= fewer + excess + 1e-13)
        law, excess = merged_sum([(laws[0], 2), (laws[1], 1)], allowed, False)
        assert np.all(law.delta(EPSILON) <= whole + 1e-13)
        assert np.all(whole <= law.delta(EPSILON) + excess.at(EPSILON) + 1e-13)
        if allowed == 1e-2:
            assert few[0][0].kinks.size < laws[0].kinks.size


def test_what_is_lost_in_a_power_of_any_size_takes_no_more_memory():
    law = dp.DiscreteGaussian(sigma=0.757219517078472, sensitivity=9860)._loss_law().enumerated()
    _, excess = merged_sum([(law, 10**8)], 1e-8, True)
    assert excess.log_p.size < 20_000


def test_a_symmetric_law_stays_symmetric():
    law = dp.DiscreteGaussian(sigma=2.0, sensitivity=40)._law
    few, excess = merged(law, 1e-9, True)
    assert few.kinks.size < law.kinks.size
    np.testing.assert_array_equal(few.kinks, -few.kinks[::-1])
    np.testing.assert_array_equal(few.p, few.q[::-1])
    np.testing.assert_allclose(excess.at(EPSILON), excess.reverse.at(EPSILON), rtol=1e-6)


def beside_gaussian(law, mu, epsilon):
    """δ of a finite experiment beside Gaussian noise: a sum over its atoms."""
    finite = np.isfinite(law.loss)
    e = np.subtract.outer(epsilon, law.loss[finite])
    own = ndtr(mu / 2 - e / mu) - np.exp(np.minimum(e + log_ndtr(-mu / 2 - e / mu), 0.0))
    return 1 - law.q[finite].sum() + own @ law.q[finite]


@pytest.mark.parametrize("way", [_with_fewer_losses, _with_fewer_parts])
@pytest.mark.parametrize("seed", range(4))
def test_faces_with_less_have_the_truth_within_their_bounds(way, seed, monkeypatch):
    monkeypatch.setattr("dptutor.mechanisms.composition._SHARP", 1.0)
    generator = np.random.default_rng(seed)
    loss, p, q = atoms(generator, 12, 3.0 if seed % 2 else 600.0)
    part, mu = WithFewerLosses(dp.PerfectPrivacy(), law_of(loss, p, q)), 0.7
    whole = Composition(((part, 1), (dp.Gaussian(1 / mu), 1)))
    if way is _with_fewer_losses:
        few, excess = merged(part.law, 1e-5, False)
        fewer = Composition(((WithFewerLosses(part, few), 1), (dp.Gaussian(1 / mu), 1)))
        faces = ExceededFaces(fewer._faces, excess, (whole._infinite, whole.reverse._infinite), whole._loss_range())
    else:
        faces = way(whole)
    for side, law in ((faces, part.law), (faces.reverse, part.law.reverse)):
        truth = beside_gaussian(law, mu, EPSILON)
        assert np.all(np.abs(side.delta(EPSILON) - truth) <= side.delta_error(EPSILON) + 1e-14)
        risk = (1 - truth) / (1 + np.exp(EPSILON))
        assert np.all(np.abs(side.bayes_error(EPSILON) - risk) <= side.bayes_error_error(EPSILON) + 1e-14)
        # f by many lines.
        fine = np.linspace(-12, 12, 1201)
        lines = 1 - beside_gaussian(law, mu, fine)
        alpha = np.array([1e-3, 0.05, 0.3, 0.6, 0.9])
        f = np.max(lines[:, None] - np.exp(fine)[:, None] * alpha, axis=0)
        assert np.all(np.abs(side.tradeoff(alpha) - np.maximum(f, 0)) <= side.tradeoff_error(alpha) + 2e-4)
        assert np.all(side.tradeoff(alpha) + side.tradeoff_error(alpha) >= f - 1e-13)


@pytest.mark.parametrize(
    ("call", "risk"),
    [
        # Answers far from both peaks hardly occur, and losses are in the hundreds or thousands.
        ("SubsampledDiscreteLaplace(1.237, .048, 639, 'remove') ** 35 @ SubsampledGaussian(.017, .53, 'remove')", None),
        ("SubsampledDiscreteGaussian(.444, .0136, 498, 'remove', 16) ** 48 @ KaryRandomizedResponse(2.8e-6, 4)", None),
        ("SubsampledDiscreteLaplace(3.97, 7.5e-7, 484, 'remove', 2) ** 41 @ Gaussian(2.427)", None),
        ("ShuffledRandomizedResponse(2.7e-5) ** 4 @ DiscreteGaussian(.375, 119)", 0.0),
        ("Gaussian(.0017) @ SubsampledGaussianGroup(.36, .236, 3, 'remove')", 0.0),
        ("Laplace(1, 99.2) @ SampledWithoutReplacement(.013, .066) @ SubsampledGaussian(12.6, 6.6e-7) ** 6", 0.0),
    ],
)
def test_products_whose_losses_are_far_apart_have_sharp_bounds(call, risk):
    m = eval(call, vars(dp).copy())
    prior = np.array([0.5, 0.6, 0.9])
    value, error = m.bayes_error(prior, with_error=True)
    assert error.max() < 1e-9 and m.tradeoff([1e-3, 0.3, 0.9], with_error=True)[1].max() < 1e-9
    if risk is not None:
        assert np.all(np.abs(value - risk) <= error + 1e-20)


@pytest.mark.parametrize(
    ("call", "count"),
    [
        ("SubsampledDiscreteGaussian(.3676556861520878, .1040040392926111, direction='remove')", 4),
        ("SubsampledDiscreteLaplace(2.76, .09, 6, 'add')", 6),
        ("DiscreteGaussian(.7, 3)", 4),
    ],
)
def test_powers_with_fewer_losses_are_those_with_all(call, count):
    m = eval(call, vars(dp).copy())
    law, excess = merged_sum([(m._loss_law().enumerated(), count)], 1e-8, m.is_symmetric)
    whole = m**count
    assert law.kinks.size < whole._loss_law().kinks.size
    for side, its, pair in ((law, excess, whole), (law.reverse, excess.reverse, whole.reverse)):
        value, most = side.delta(EPSILON), its.at(EPSILON)
        off = pair._delta(EPSILON) - value
        rounding = side.error_bound + pair._delta_error(EPSILON)
        assert np.all(-rounding <= off) and np.all(off <= most + rounding)
        assert most.max() < 1e-9


@pytest.mark.parametrize(
    "call",
    [
        "SubsampledDiscreteGaussian(.3676556861520878, .1040040392926111) ** 28",
        "SubsampledDiscreteLaplace(1.47, .0033, 46, 'add') ** 48 @ SampledWithoutReplacement(.027, 6.2e-8)",
        "SubsampledDiscreteGaussian(.555, .585, 7, 'add') ** 22 @ BallsAndBins(.0836, 3, 'add')",
    ],
)
def test_products_with_more_sums_than_can_be_formed_are_sharp(call):
    m = eval(call, vars(dp).copy())
    assert m.bayes_error([0.5, 0.6, 0.9], with_error=True)[1].max() < 1e-9
    assert m.tradeoff([1e-3, 0.1, 0.3, 0.9], with_error=True)[1].max() < 1e-9


def test_steps_that_almost_certainly_reveal_whether_they_sample():
    # Whoever takes part in none of 35 steps is seen only by the other mechanism; else by an answer far away.
    m = dp.SubsampledDiscreteLaplace(1.237, 0.048, 639, "remove") ** 35 @ dp.SubsampledGaussian(0.017, 0.53, "remove")
    hidden = (1 - 0.048) ** 35 * (1 - 0.53)
    value, error = m.bayes_error(0.5, with_error=True)
    # The noise of 1/0.017 standard deviations, and that of 639/1.237, hide nothing else.
    assert abs(value - hidden / 2) <= error + 1e-12
    assert math.isclose(m.tradeoff(0.0), 1.0)


@pytest.mark.parametrize(
    "call",
    [
        "{} @ Gaussian(1)",
        "{} @ RandomizedResponse(.1)",
        "{} ** 2",
        "{} ** 40",
        "{} ** 5 @ Laplace(3)",
        "{} @ SubsampledGaussian(1, .1)",
        "{} @ SubsampledLaplace(1, .1)",
        "{} ** 3 @ KaryRandomizedResponse(1, 3)",
        "{} @ ExponentialMechanism(1) ** 2",
        "{} @ SampledWithoutReplacement(1, .1)",
    ],
)
def test_what_a_grid_is_off_counts_in_products(call, monkeypatch):
    shuffled = call.format("ShuffledRandomizedResponse(1.5, 150)")
    at, names = np.array([-1.0, 0.0, 0.1, 0.5, 1.0, 2.0]), vars(dp).copy()
    truth, its = eval(shuffled, names).privacy_profile(at, with_error=True)
    # As it is for a hundred thousand people, but coarser.
    monkeypatch.setattr("dptutor.mechanisms.shuffled._ENUMERATED", 0)
    monkeypatch.setattr("dptutor.mechanisms.shuffled._CELLS", 64)
    value, error = eval(shuffled, names).privacy_profile(at, with_error=True)
    assert np.any(np.abs(value - truth) > 1e-6)
    assert np.all(np.abs(value - truth) <= error + its)
