"""The experiment of differential identifiability: its privacy loss is the one the library computes."""

import io
import math
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from conftest import approx
from scipy.stats import kstest, norm

import dptutor as dp
from dptutor.auditing import (
    FIRST_STEP_ONLY,
    NO_CLIPPING,
    Neighbors,
    Network,
    Training,
    experiment,
    gaussian_mu,
    text_bar,
)

NETWORK = Network((6, 5, 3))
TRAINING = Training(NETWORK, noise_multiplier=4.0, clip=0.5, learning_rate=0.1, steps=6)


def some_neighbors(bounded=True, n=8):
    generator = np.random.default_rng(0)
    features, labels = generator.random((n, 6)), generator.integers(3, size=n)
    return Neighbors(features, labels, 2, (generator.random(6), (labels[2] + 1) % 3) if bounded else None)


def same(first, second):
    names = ["member", "losses", "sensitivities", "sigmas", "contrast", "parameters"]
    return all(np.array_equal(getattr(first, name), getattr(second, name)) for name in names)


# Laws.


@pytest.mark.parametrize("bounded", [True, False])
@pytest.mark.parametrize("scaling", ["global", "local"])
def test_losses_are_log_ratios_of_the_two_densities(bounded, scaling):
    pair, training = some_neighbors(bounded), replace(TRAINING, scaling=scaling, steps=1)
    run = experiment(training, pair, 5, seed=3)
    for r in range(5):
        generator = np.random.default_rng(np.random.SeedSequence(3, spawn_key=(r, 0)))
        generator.random()
        start = NETWORK.initial(generator)
        sums = []
        for features, labels in [(pair.features, pair.labels), pair.without]:
            gradients = NETWORK.backpropagate(start, features, labels).gradients
            lengths = np.linalg.norm(gradients, axis=1, keepdims=True)
            sums.append((gradients * np.minimum(1, 0.5 / lengths)).sum(0))
        # What was published shows in the weights.
        released = (start - run.parameters[r]) * len(pair.labels) / training.learning_rate
        sigma = run.sigmas[r, 0]
        expected = norm.logpdf(released, sums[0], sigma).sum() - norm.logpdf(released, sums[1], sigma).sum()
        assert run.losses[r, 0] == approx(expected, abs=1e-9)
        assert run.sensitivities[r, 0] == approx(np.linalg.norm(sums[0] - sums[1]))
        scale = run.sensitivities[r, 0] if scaling == "local" else (1.0 if bounded else 0.5)
        assert sigma == approx(4 * scale)


@pytest.mark.parametrize("bounded", [True, False])
def test_under_local_scaling_the_loss_has_the_law_of_the_gaussian_mechanism(bounded):
    run = experiment(replace(TRAINING, scaling="local"), some_neighbors(bounded), 2000, seed=5)
    mu = math.sqrt(6) / 4
    assert run.mu == approx(np.full(2000, mu), rel=1e-12) and run.training.claim.mu == approx(mu)
    assert kstest(run.loss_towards_truth, norm(mu**2 / 2, mu).cdf).pvalue > 1e-3
    assert kstest(run.loss[run.member], norm(mu**2 / 2, mu).cdf).pvalue > 1e-3
    assert abs(run.member.mean() - 0.5) < 4 * 0.5 / math.sqrt(2000)


def test_global_scaling_never_lets_a_pair_be_told_apart_better_than_claimed():
    run = experiment(TRAINING, some_neighbors(), 200, seed=6)
    assert (run.sensitivities <= 1.0 + 1e-12).all()
    assert (run.mu <= run.training.claim.mu * (1 + 1e-12)).all()
    assert run.sigmas == approx(np.full((200, 6), 4.0))


def test_beliefs_are_updated_by_the_rule_of_the_adversary():  # Bernau et al. (2021), algorithm 1, step 10
    run = experiment(TRAINING, some_neighbors(), 3)
    belief = np.full(3, 0.2)
    for step in range(6):
        odds = belief / (1 - belief) * np.exp(run.losses[:, step])
        belief = odds / (1 + odds)
        assert run.beliefs(0.2)[:, step] == approx(belief, rel=1e-12)


def test_beliefs_neither_overflow_nor_vanish_when_the_losses_are_huge():
    run = experiment(replace(TRAINING, noise_multiplier=1e-4), some_neighbors(), 2, trained_on="with")
    assert run.loss.min() > 1e6 and run.beliefs()[:, -1] == approx([1.0, 1.0])


def test_a_repetition_is_the_same_whatever_is_trained_beside_it():
    few, many = (experiment(TRAINING, some_neighbors(), count, seed=2) for count in (3, 40))
    assert np.array_equal(few.losses, many.losses[:3]) and np.array_equal(few.parameters, many.parameters[:3])
    other = experiment(TRAINING, some_neighbors(), 3, seed=4)
    assert not np.array_equal(few.losses, other.losses)


def test_blocks_do_not_show_in_the_result(monkeypatch):
    whole = experiment(TRAINING, some_neighbors(), 11)
    monkeypatch.setattr("dptutor.auditing.training._BLOCK", 300)
    assert same(whole, experiment(TRAINING, some_neighbors(), 11))


@pytest.mark.parametrize("pool", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_an_executor_shares_the_work_and_changes_nothing(pool, tmp_path, monkeypatch):
    setting = replace(TRAINING, steps=23), some_neighbors(), 50
    monkeypatch.setattr("dptutor.auditing.training._BLOCK", 400)
    serial, steps = experiment(*setting, seed=2), []
    with pool(2) as executor:
        options = {"seed": 2, "executor": executor, "checkpoint": tmp_path / "state"}
        shared = experiment(*setting, progress=lambda done, total: steps.append(done), **options)
        assert same(serial, shared) and same(serial, experiment(*setting, **options))
    assert steps == [*range(0, 23, 2), 23]


@pytest.mark.parametrize("interrupted_at", [0, 1, 4])
def test_an_interrupted_experiment_goes_on_as_if_nothing_had_happened(tmp_path, interrupted_at):
    seen = []

    def interrupt(done, total):
        if done == interrupted_at:
            raise KeyboardInterrupt

    call = {"seed": 7, "checkpoint": tmp_path / "run.npz"}
    with pytest.raises(KeyboardInterrupt):
        experiment(TRAINING, some_neighbors(), 10, progress=interrupt, **call)
    resumed = experiment(TRAINING, some_neighbors(), 10, progress=lambda *step: seen.append(step), **call)
    assert seen == [(done, 6) for done in range(interrupted_at, 7)]
    assert same(resumed, experiment(TRAINING, some_neighbors(), 10, seed=7))
    # A finished one is only read.
    again = experiment(TRAINING, some_neighbors(), 10, progress=lambda *step: seen.append(step), **call)
    assert seen[-1] == seen[-2] == (6, 6) and same(resumed, again)
    assert [path.name for path in tmp_path.iterdir()] == ["run.npz"]


def test_an_interruption_within_a_step_loses_this_step_only(tmp_path, monkeypatch):
    calls = []
    original = Network.backpropagate

    def stopped(self, *arguments):
        calls.append(1)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return original(self, *arguments)

    call = {"seed": 7, "checkpoint": tmp_path / "run.npz"}
    monkeypatch.setattr(Network, "backpropagate", stopped)
    with pytest.raises(KeyboardInterrupt):
        experiment(TRAINING, some_neighbors(), 10, **call)
    resumed = experiment(TRAINING, some_neighbors(), 10, **call)
    assert len(calls) == 4 + 3
    assert same(resumed, experiment(TRAINING, some_neighbors(), 10, seed=7))


def test_members_are_drawn_or_given():
    for trained_on, expected in [("with", True), ("without", False)]:
        assert (experiment(TRAINING, some_neighbors(), 20, trained_on=trained_on).member == expected).all()
    assert 0 < experiment(TRAINING, some_neighbors(), 20).member.sum() < 20


def test_gradients_that_agree_need_no_noise_and_tell_nothing():
    pair = some_neighbors()
    twins = Neighbors(pair.features, pair.labels, 2, (pair.features[2], int(pair.labels[2])))
    run = experiment(replace(TRAINING, scaling="local"), twins, 4)
    assert (run.loss == 0).all() and (run.sigmas == 0).all() and (run.mu == 0).all()


def test_flaws_change_what_is_done_and_not_what_is_claimed():
    unclipped = experiment(replace(TRAINING, flaw=NO_CLIPPING), some_neighbors(), 3)
    assert unclipped.sensitivities.max() > 1.0 and (unclipped.sigmas == 4.0).all()
    once = experiment(replace(TRAINING, flaw=FIRST_STEP_ONLY, scaling="local"), some_neighbors(), 3)
    toward = np.where(once.member, 1, -1)[:, None] * once.losses
    assert toward[:, 1:] == approx(np.full((3, 5), 1 / 32))  # μ²/2 without any noise


# References.


def test_the_three_roads_from_epsilon_and_delta_to_mu():
    exact, renyi, classical = (gaussian_mu(2.2, 0.01, method=method) for method in ("exact", "renyi", "classical"))
    assert dp.Gaussian(sigma=1 / exact).privacy_profile(2.2) == approx(0.01, rel=1e-9)
    # The best order of the conversion ε(s) = s μ²/2 + ln(1/δ)/(s − 1), by search.
    orders = 1 + np.geomspace(1e-2, 1e3, 200_001)
    assert np.min(orders * renyi**2 / 2 + math.log(100) / (orders - 1)) == approx(2.2, rel=1e-8)
    assert classical == approx(2.2 / math.sqrt(2 * math.log(125)))
    assert renyi < classical < exact


def test_the_bar_writes_how_far_it_is():
    stream = io.StringIO()
    report = text_bar(stream, width=4)
    report(1, 2)
    report(2, 2)
    assert stream.getvalue() == "\r[##..] step 1 of 2\r[####] step 2 of 2\n"


# Bad inputs.


def test_data_that_do_not_fit_the_network_are_refused():
    with pytest.raises(ValueError, match=r"shape \(n, 7\)"):
        experiment(replace(TRAINING, network=Network((7, 3))), some_neighbors(), 1)
    with pytest.raises(ValueError, match="labels must be in 0, …, 1"):
        experiment(replace(TRAINING, network=Network((6, 2))), some_neighbors(), 1)


def test_a_kind_of_executor_is_none():
    with pytest.raises(TypeError, match=r"^executor must be a concurrent\.futures\.Executor, got "):
        experiment(TRAINING, some_neighbors(), 1, executor=ThreadPoolExecutor)


def test_a_checkpoint_that_cannot_be_written_fails_before_the_work(tmp_path):
    steps = []
    with pytest.raises(FileNotFoundError):
        experiment(
            TRAINING, some_neighbors(), 1, checkpoint=tmp_path / "no" / "run", progress=lambda *s: steps.append(s)
        )
    assert not steps


def test_a_checkpoint_of_something_else_is_refused(tmp_path):
    path = tmp_path / "run.npz"
    experiment(TRAINING, some_neighbors(), 2, checkpoint=path)
    for change in [{"seed": 1}, {"trained_on": "with"}]:
        with pytest.raises(ValueError, match="belongs to an experiment with other settings"):
            experiment(TRAINING, some_neighbors(), 2, checkpoint=path, **change)
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(ValueError, match=r"run\.npz cannot be read"):
        experiment(TRAINING, some_neighbors(), 2, checkpoint=path)
