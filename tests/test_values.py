"""Mechanisms and results are values: they travel small and whole, compare as what they are, and behave like numbers."""

import copy
import dataclasses
import inspect
import math
import pickle
from concurrent.futures import ProcessPoolExecutor

import dask
import numpy as np
import pytest
from conftest import approx, each
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import made

import dptutor as dp

KEYWORD_ONLY = inspect.Parameter.KEYWORD_ONLY
TRAINING = dp.DPSGD(0.6, 0.01, 500)


def used(m):
    """The mechanism, after it worked out what it keeps."""
    m.epsilon(1e-5), m.bayes_error(0.5), m.tradeoff([0.1, 0.9]), m.privacy_profile([-1.0, 2.0])
    m.reverse.epsilon(1e-3), m.privacy_loss.mean(), m.symmetrized.advantage
    return m


MECHANISMS = [
    TRAINING,
    dp.DPSGD(2, 9e-4, 1_400_000, "add"),
    dp.Laplace(1) ** 50,
    dp.Gaussian(1) @ dp.Laplace(1),
    dp.Laplace(1) @ dp.SubsampledGaussian(1, 0.1),
    dp.RandomizedResponse(1),
    dp.ApproximateDP(1, 0.1),
    dp.ApproximateDP(1, 0.1) ** 30,
    dp.FiniteExperiment([0.5, 0.5], [0.2, 0.8]).symmetrized,
    dp.FiniteExperiment([0.5, 0.5], [0.2, 0.8]) ** 20,
    dp.RandomizedResponse(1) @ dp.Gaussian(1),
    dp.join(dp.Gaussian(1), dp.Laplace(1)),
    dp.meet(dp.Gaussian(1), dp.Laplace(1)),
    dp.PerfectPrivacy(),
    dp.BlatantlyNonPrivate(),
]


def results():
    a, b = used(dp.DPSGD(0.6, 0.01, 500)), used(dp.Gaussian(sigma=1))
    return [
        dp.compare(a, b),
        dp.delta_divergence(a, b),
        dp.dominance(a, b),
        dp.dominance_bound(dp.Gaussian(2), 3, dp.Gaussian(3), 4),
        used(dp.calibrate(lambda sigma: dp.DPSGD(sigma, 0.01, 500), epsilon=8, delta=1e-5)),
        dp.PosteriorBelief(a),
        a.privacy_loss,
        dp.garbling(dp.RandomizedResponse(2), dp.RandomizedResponse(1)),
        dp.auditing.epsilon_from_advantage(70, 100, 1e-5),
    ]


# Travelling.


@pytest.mark.parametrize("m", MECHANISMS, ids=repr)
def test_a_used_mechanism_travels_small_and_comes_back_equal(m):
    parameters = len(pickle.dumps(dataclasses.astuple(m)))
    sent = pickle.dumps(used(m))
    assert len(sent) <= parameters + 2000
    for back in (pickle.loads(sent), copy.copy(m), copy.deepcopy(m), dataclasses.replace(m)):
        assert set(vars(back)) <= {field.name for field in dataclasses.fields(m)} | {"_key", "_whole"}
        assert back == m
        assert hash(back) == hash(m)
        assert repr(back) == repr(m)
    assert pickle.loads(sent).advantage == m.advantage


def test_results_travel_small_and_come_back_equal():
    for result in results():
        sent = pickle.dumps(result)
        assert len(sent) <= 2500
        for back in (pickle.loads(sent), copy.deepcopy(result), dataclasses.replace(result)):
            assert back == result
            assert hash(back) == hash(result)


def test_used_mechanisms_go_to_other_processes():
    a, b = used(TRAINING), used(dp.Laplace(1) ** 50)
    with ProcessPoolExecutor(1) as pool:
        found = pool.submit(dp.delta_divergence, a, b).result()
        assert found == dp.delta_divergence(a, b)
        assert list(pool.map(dp.compare, [a], [b])) == [dp.compare(a, b)]
        assert pool.submit(used, a).result() == a


@pytest.mark.host
def test_used_mechanisms_and_results_go_through_dask():
    a, b = used(TRAINING), used(dp.Laplace(1) ** 50)
    tasks = [dask.delayed(each)(a, b) for each in (dp.delta_divergence, dp.compare, dp.dominance)]
    certified, worked, told = (dask.delayed(each) for each in (certificate_of, used, str))
    tasks += [certified(tasks[0]), worked(a), worked(b), told(tasks[2])]
    found = dask.compute(*tasks, scheduler="processes", num_workers=1)
    answer, compared, order, certificate, one, other, words = found
    assert answer == dp.delta_divergence(a, b)
    assert compared == dp.compare(a, b)
    assert order == dp.dominance(a, b)
    assert certificate == answer.certificate
    assert (one, other) == (a, b)
    assert words == str(order)
    # Data that tasks share are known by their content, so equal mechanisms are computed with once.
    assert (
        dask.base.tokenize(a)
        == dask.base.tokenize(pickle.loads(pickle.dumps(a)))
        == dask.base.tokenize(dp.DPSGD(0.6, 0.01, 500))
    )
    assert dask.base.tokenize(a) != dask.base.tokenize(b)


def certificate_of(divergence):
    return divergence.certificate


# What no law needs, drawn here so that few arguments keep their defaults.
UNUSUAL = {
    "sensitivity": st.integers(2, 4),
    "answers": st.integers(2, 5),
    "users": st.integers(60, 70),
    "steps": st.integers(1, 1000),
    "queries": st.just("monotone"),
    "bound": st.just("lower"),
}


@each(dp.mechanisms.registry.__all__)
def test_matching_gives_what_the_constructor_takes(name):
    kind = getattr(dp, name)
    taken = [parameter for parameter in inspect.signature(kind).parameters.values() if parameter.kind != KEYWORD_ONLY]

    @given(made(kind, **{parameter.name: UNUSUAL[parameter.name] for parameter in taken if parameter.name in UNUSUAL}))
    @settings(max_examples=20)
    def holds(m):
        values = [getattr(m, name) for name in kind.__match_args__]
        assert len(values) == len(taken)
        named = dict(zip((parameter.name for parameter in taken), values, strict=True))
        for back in (kind(*values), kind(**named), eval(repr(m), vars(dp))):
            assert type(back) is kind
            assert (back, hash(back), repr(back)) == (m, hash(m), repr(m))
            assert pickle.loads(pickle.dumps(back)) == dp.read(repr(back)) == copy.deepcopy(back) == m

    holds()


def test_a_mechanism_is_taken_apart_by_matching():
    match dp.KaryRandomizedResponse(epsilon=1.5, categories=5):
        case dp.KaryRandomizedResponse(epsilon, categories):
            assert (epsilon, categories) == (1.5, 5)


def test_parameters_can_be_replaced():
    assert dataclasses.replace(dp.RandomizedResponse(1), largest_loss=2) == dp.RandomizedResponse(2)
    assert dataclasses.replace(dp.RandomizedResponse(1), epsilon=2) == dp.RandomizedResponse(2)
    assert dataclasses.replace(dp.ApproximateDP(1, 0.1), leak=0.2) == dp.ApproximateDP(1, 0.2)
    assert dataclasses.replace(dp.ApproximateDP(1, 0.1), delta=0.2) == dp.ApproximateDP(1, 0.2)
    assert dp.RandomizedResponse(**dataclasses.asdict(dp.RandomizedResponse(3))) == dp.RandomizedResponse(3)
    assert dataclasses.replace(TRAINING, steps=600) == dp.DPSGD(0.6, 0.01, 600)


@pytest.mark.parametrize(
    ("part", "count"),
    [(dp.FiniteExperiment([0.5, 0.5], [0.2, 0.8]), 20), (dp.SubsampledLaplace(1, 0.1, "add"), 3)],
    ids=repr,
)
def test_no_digit_depends_on_what_was_asked_before(part, count):
    places = np.linspace(-2, 2, 9)
    fresh, other = (part**count).reverse.privacy_profile(places), (part**count).privacy_profile(places)
    m = used(part**count)
    assert np.array_equal(m.reverse.privacy_profile(places), fresh)
    m = used((part**count).reverse)
    assert np.array_equal(m.reverse.privacy_profile(places), other)


# Equality.


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (TRAINING, TRAINING.step**500),
        (dp.DPSGD(0.6, 0.01, 500, "add"), dp.SubsampledGaussian(0.6, 0.01, "add") ** 500),
        (dp.DPSGD(0.6, 0.01, 1), dp.SubsampledGaussian(0.6, 0.01)),
        (dp.Gaussian(1) @ dp.Laplace(1), dp.Laplace(1) @ dp.Gaussian(1)),
        (dp.Gaussian(1), dp.Gaussian(2, 2)),
        (dp.Gaussian(1), dp.SubsampledGaussian(1, 1.0, "add")),
        (dp.Laplace(1), dp.Laplace(2, 2)),
        (dp.RandomizedResponse(1), dp.ApproximateDP(1, 0)),
        (dp.ApproximateDP(0, 0), dp.PerfectPrivacy()),
        (dp.join(dp.Gaussian(1), dp.Laplace(1)), dp.join(dp.Laplace(1), dp.Gaussian(1))),
        (dp.DPSGD(1, 0.1, 9) @ dp.Laplace(1), dp.Laplace(1) @ dp.DPSGD(1, 0.1, 9)),
    ],
    ids=repr,
)
def test_equal_mechanisms_are_equal(one, other):
    assert one == other
    assert hash(one) == hash(other)
    assert dp.delta_divergence(one, other) == 0
    assert one.advantage == approx(other.advantage, rel=1e-12)


def test_others_are_not():
    different = [*MECHANISMS, TRAINING.reverse.step, dp.DPSGD(0.6, 0.01, 500, "remove"), dp.Gaussian(1)]
    assert len(set(different)) == len(different)
    assert dp.Gaussian(1) != 1
    # A join of both directions composes otherwise than what is meant in both.
    step = dp.FiniteExperiment([0.5, 0.5], [0.2, 0.8])
    assert step.symmetrized != dp.join(step, step.reverse)


def test_garblings_compare_and_hash():
    one, other = (dp.garbling(dp.RandomizedResponse(2), dp.RandomizedResponse(1)) for _ in range(2))
    assert one == other
    assert len({one, other}) == 1
    assert one != dp.garbling(dp.RandomizedResponse(1), dp.RandomizedResponse(2))


# Numbers.


def test_a_divergence_is_a_number():
    d = dp.delta_divergence(dp.Laplace(scale=1), dp.Gaussian(sigma=1))
    assert d == d.value == float(d)
    assert 0.03 < d < 0.04 <= 1
    assert d >= d.value >= d
    assert not d > 1
    assert round(d, 3) == 0.034
    assert f"{d:.3f} {d:.1%}" == "0.034 3.4%"
    assert f"{d}" == str(d)
    assert (d + 1, 1 - d, 2 * d, d / 2, -d, abs(-d)) == (
        d.value + 1,
        1 - d.value,
        2 * d.value,
        d.value / 2,
        -d.value,
        d,
    )
    assert max(d, dp.delta_divergence(dp.Gaussian(1), dp.Laplace(1))) is d
    assert sum([d, d]) == 2 * d.value
    assert math.isclose(np.sqrt(float(d)), d.value**0.5)
    assert not dp.delta_divergence(dp.Gaussian(1), dp.PerfectPrivacy())
    with pytest.raises(TypeError):
        d < "a"  # noqa: B015


@pytest.mark.parametrize("m", MECHANISMS[:13], ids=repr)
def test_scalars_are_python_floats(m):
    loss = m.privacy_loss
    faces = [m.tradeoff(0.1), m.privacy_profile(0.5), m.bayes_error(0.3), m.epsilon(0.1), m.renyi_divergence(2)]
    for number in (*faces, m.advantage, m.minimax_bayes_error, loss.sf(0.1), loss.mean(), loss.variance("P")):
        assert type(number) is float
    if hasattr(m, "hellinger_transform"):
        assert type(m.hellinger_transform(0.5)) is float
        assert type(m.hellinger_transform(0.5 + 1j)) is complex


def test_losses_of_a_long_training_are_sampled():
    loss = TRAINING.privacy_loss
    draws = {under: loss.sample(100_000, under=under, seed=3) for under in ("P", "Q")}
    for under, sample in draws.items():
        for at in (-1.0, 0.0, 1.0, 2.0):
            expected = loss.cdf(at, under)
            assert np.mean(sample <= at) == approx(expected, abs=5 * math.sqrt(expected * (1 - expected) / 1e5) + 1e-5)


def test_sampled_atoms_are_where_they_are():
    draws = (dp.Laplace(1) ** 2).privacy_loss.sample(50_000, seed=0)
    assert np.mean(draws == draws.max()) == approx(0.25, abs=0.02)
    assert draws.max() == approx(2.0, abs=1e-8)


# Targets out of reach.


def test_a_target_out_of_reach_is_told_from_a_wrong_argument():
    def family(rate):
        return dp.SubsampledGaussian(1, min(rate, 1.0))

    with pytest.raises(dp.Unreachable, match=r"advantage = 0\.9 is out of reach"):
        dp.calibrate(family, advantage=0.9, bracket=(0.01, 1.0))
    assert issubclass(dp.Unreachable, ValueError)
    with pytest.raises(ValueError, match="advantage") as caught:
        dp.calibrate(family, advantage=1.5)
    assert not isinstance(caught.value, dp.Unreachable)


@pytest.mark.parametrize(
    "m",
    [
        dp.FiniteExperiment([0.5, 0.5], [0.2, 0.8]),
        dp.BallsAndBins(2, 7, "add")._whole,
        dp.meet(dp.Gaussian(), dp.SubsampledGaussian(1, 0.1, "add")),
        dp.join(dp.Gaussian(), dp.SubsampledGaussian(1, 0.1, "add")),
    ],
)
def test_what_the_reverse_has_computed_is_kept(m):
    assert m.reverse is m.reverse and m.reverse.reverse is m
    assert m.symmetrized.directions[1] is m.symmetrized.directions[1] is not m


def test_both_directions_have_one_law_between_them():
    whole = dp.BallsAndBins(2, 7)
    assert whole._whole.reverse is whole._whole and whole._whole.directions[1] is whole._whole.directions[1]
    assert whole.directions[0]._whole is whole._removal
