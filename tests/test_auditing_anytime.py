"""Audits under peeking and from one run: false alarms at or below the level by simulation, power, and references."""

import math

import numpy as np
import pytest
from conftest import approx
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq, linprog
from scipy.stats import beta, binom, norm

import dptutor as dp
from dptutor import auditing

ROUNDS, RUNS = 200, 2000


def best_guesses(m, generator, rounds=ROUNDS, threshold=0.0):
    """A sound mechanism, attacked by the test that says "member" where the loss exceeds a threshold."""
    member = generator.random(rounds) < 0.5
    inside = m.privacy_loss.sf(threshold, under="Q")
    outside = m.privacy_loss.sf(threshold, under="P")
    guess = generator.random(rounds) < np.where(member, inside, outside)
    return auditing.Guesses(member, guess)


# Sequential audits.


@pytest.mark.deep
@pytest.mark.parametrize("threshold", [0.0, 1.5, -1.5])
@pytest.mark.parametrize("m", [dp.Gaussian(1), dp.ApproximateDP(1, 0.05), dp.SubsampledGaussian(0.5, 0.3, "remove")])
def test_a_true_claim_is_refuted_no_more_often_than_the_level_however_often_one_looks(m, threshold):
    generator = np.random.default_rng(17)
    alarms = sum(
        auditing.judge_anytime(best_guesses(m, generator, threshold=threshold), m, level=0.05).caught
        for _ in range(400)
    )
    # 20 are allowed on average; more than 34 have a probability of less than 0.1%.
    assert alarms <= binom.ppf(0.999, 400, 0.05)


@pytest.mark.deep
def test_peeking_breaks_an_interval_for_a_fixed_number_and_not_the_wealth():
    generator, claim = np.random.default_rng(3), dp.Gaussian(1)
    rate, peeks, bets = (1 + claim.advantage) / 2, 0, 0
    for _ in range(RUNS // 4):
        guesses = best_guesses(claim, generator, rounds=300)
        wins = np.cumsum(guesses.member == guesses.guess)
        at = np.arange(10, 301)
        low = beta.ppf(0.05, wins[at - 1], at - wins[at - 1] + 1)
        peeks += bool((low > rate).any())
        bets += bool((auditing.evidence_by_betting(guesses, claim) >= 20).any())
    assert peeks / (RUNS // 4) > 0.15  # one limit at 5%, looked at after every round
    assert bets / (RUNS // 4) <= 0.05


@pytest.mark.deep
def test_the_mean_wealth_of_a_true_claim_is_at_most_one():
    generator, claim = np.random.default_rng(5), dp.Gaussian(1)
    wealth = [auditing.evidence_by_betting(best_guesses(claim, generator, 20), claim)[-1] for _ in range(RUNS)]
    assert np.mean(wealth) <= 1 + 4 * np.std(wealth) / math.sqrt(RUNS)


def test_training_without_clipping_is_caught_and_stopped_early():
    generator, claim = np.random.default_rng(11), dp.Gaussian(1)
    verdicts = [
        auditing.judge_anytime(best_guesses(dp.Gaussian(0.2), generator), claim, level=0.01) for _ in range(200)
    ]
    assert np.mean([verdict.caught for verdict in verdicts]) >= 0.99
    after = [int(verdict.evidence.split()[2]) for verdict in verdicts]
    assert np.median(after) < 60


def test_rare_but_certain_guesses_are_seen_at_large_losses():
    # The truth leaks with probability 0.2, more than the claim allows; a coin decides otherwise.
    generator, claim = np.random.default_rng(2), dp.ApproximateDP(0.0, 0.05)
    member = generator.random(600) < 0.5
    guesses = auditing.Guesses(member, member & (generator.random(600) < 0.2))
    assert auditing.judge_anytime(guesses, claim).caught


def test_wealth_depends_only_on_what_was_seen():
    guesses = best_guesses(dp.Gaussian(1), np.random.default_rng(1))
    first = auditing.Guesses(guesses.member[:50], guesses.guess[:50])
    claim = dp.Gaussian(1)
    whole = auditing.evidence_by_betting(guesses, claim)
    assert whole[:50] == approx(auditing.evidence_by_betting(first, claim), rel=1e-12)
    assert (whole > 0).all()


@pytest.mark.parametrize("sigma", [1e-8, 1e-3, 0.02])
def test_a_claim_of_hardly_any_noise_is_bet_against_without_overflow(sigma):
    claim = dp.Gaussian(sigma)
    member = np.random.default_rng(4).random(50) < 0.5
    right, wrong = (auditing.evidence_by_betting(auditing.Guesses(member, guess), claim) for guess in (member, ~member))
    assert np.isfinite(right).all()
    assert (right > 0).all()
    # Such a claim allows to be always right. What is wrong is lost, but never more than was staked.
    assert wrong[-1] < right[-1] <= 1


# One run.


def p_value_by_sums(right, guesses, canaries, epsilon, delta):  # Steinke, Nasr & Jagielski (2023)
    rate = 1 / (1 + math.exp(-epsilon))
    mass = [math.comb(guesses, k) * rate**k * (1 - rate) ** (guesses - k) for k in range(guesses + 1)]
    worst = max((sum(mass[right - i : right]) / i for i in range(1, right + 1)), default=0.0)
    return min(1.0, sum(mass[right:]) + 2 * canaries * delta * worst)


@given(st.integers(1, 60), st.data(), st.floats(0, 4), st.sampled_from([0.0, 1e-6, 1e-3]))
def test_the_p_value_of_one_run_is_the_sum(guesses, data, epsilon, delta):
    right = data.draw(st.integers(0, guesses))
    found = auditing.one_run_p_value(right, guesses, 100, epsilon, delta)
    expected = p_value_by_sums(right, guesses, 100, epsilon, delta) if right else 1.0
    assert found == approx(expected, rel=1e-9, abs=1e-12)


def test_the_p_value_of_the_paper():
    assert auditing.one_run_p_value(75, 100, 100, math.log(3)) == approx(0.553, abs=5e-4)


@pytest.mark.deep
def test_the_bound_of_one_run_covers_a_sound_training():
    # Every canary is answered by randomized response: the worst that pure privacy allows.
    generator, epsilon = np.random.default_rng(8), 1.0
    right = generator.binomial(500, 1 / (1 + math.exp(-epsilon)), size=RUNS)
    above = np.mean([auditing.epsilon_from_one_run(int(v), 500, 500).low > epsilon for v in right])
    assert above <= binom.ppf(0.999, RUNS, 0.025) / RUNS
    assert np.median([auditing.epsilon_from_one_run(int(v), 500, 500).low for v in right[:50]]) > 0.7


def test_the_limit_is_where_the_p_value_is_the_tail():
    found = auditing.epsilon_from_one_run(180, 200, 1000, 1e-5)
    assert auditing.one_run_p_value(180, 200, 1000, found.low, 1e-5) == approx(0.025, rel=1e-6)
    assert auditing.one_run_p_value(180, 200, 1000, found.low, 1e-5) <= 0.025
    assert auditing.epsilon_from_one_run(50, 100, 100).low == 0.0
    assert auditing.epsilon_from_one_run(100, 100, 100).value == math.inf


# One run, for a claim that is a whole curve.

CLAIMS = [dp.Gaussian(2), dp.Gaussian(0.7), dp.RandomizedResponse(1), dp.ApproximateDP(0.5, 0.01), dp.PerfectPrivacy()]


@pytest.mark.parametrize("claim", CLAIMS)
@pytest.mark.parametrize(("right", "guesses", "canaries"), [(7, 10, 10), (9, 12, 30), (15, 15, 15), (1, 4, 4)])
def test_the_p_value_of_a_curve_is_the_optimum_of_a_linear_program(claim, right, guesses, canaries):
    # Over all laws of the number of right guesses that obey the profile; Mahloujifar, Melis & Chaudhuri (2025).
    t = np.concatenate([np.linspace(-6, 6, 241), [-1.0, 1.0, -0.5, 0.5]])
    delta = claim.symmetrized.privacy_profile(t)
    number = np.arange(guesses + 1)
    rows, limits = [np.ones(guesses + 1)], [1.0]
    for i in range(guesses):
        rows.extend(number * (number > i) - math.exp(each) * (guesses - number) * (number >= i) for each in t)
        limits.extend(canaries * delta)
    best = -linprog(-(number >= right).astype(float), A_ub=np.array(rows), b_ub=limits, method="highs").fun
    found = auditing.judge_one_run(right, guesses, canaries, claim).p_value
    assert found == approx(best, rel=2e-3)


@pytest.mark.parametrize(("right", "guesses", "canaries", "mu"), [(80, 100, 1000, 0.5), (300, 400, 400, 0.8)])
def test_the_p_value_of_a_gaussian_claim_is_that_of_its_trade_off_function(right, guesses, canaries, mu):
    # The same inequality with f instead of its supporting lines: a ≤ 1 − f(b), for averages over canaries.
    def total(level):
        a, b = level * right / canaries, level * (guesses - right) / canaries
        for i in range(right - 1, -1, -1):
            more = max(norm.cdf(norm.ppf(min(a, 1.0)) - mu) - b, 0.0)
            a, b = a + more * i / (guesses - i), b + more
        return (a + b) * canaries / guesses

    expected = brentq(lambda log: total(math.exp(log)) - 1, -60, 0)
    found = auditing.judge_one_run(right, guesses, canaries, dp.Gaussian(sigma=1 / mu)).p_value
    assert math.exp(expected) <= found <= math.exp(expected) * 1.01


def test_a_hundred_thousand_canaries_are_judged_soon():
    # Randomized response keeps nothing back: independent guesses reach what is allowed, but for the shape of the tail.
    claim, exact = dp.RandomizedResponse(math.log(7 / 3)), binom.sf(70_637 - 1, 100_000, 0.7)
    assert exact <= auditing.judge_one_run(70_637, 100_000, 100_000, claim).p_value <= 1.15 * exact
    # All right: no more than randomized response with this share of right guesses is refuted.
    found = auditing.epsilon_from_one_run(100_000, 100_000, 100_000, 1e-5, method="gaussian")
    assert dp.Gaussian(sigma=1 / auditing.gaussian_mu(found.low, 1e-5)).advantage <= 2 * 0.025**1e-5 - 1


@pytest.mark.parametrize("count", [10**6, 3 * 10**9, 10**15])
def test_ever_so_many_right_guesses(count):
    # All are right with probability (1 + e^−ε)^−m.
    largest = -math.log(math.expm1(-math.log(0.025) / count))
    assert auditing.epsilon_from_one_run(count, count, count).low == approx(largest, abs=2e-9)
    assert auditing.one_run_p_value(count, count, count, largest) == approx(0.025, rel=1e-12)


def best_of_one_run(mu, canaries, guesses, generator, runs):
    """How many are right of the guesses about the clearest canaries, each of which is seen in its own noise."""
    member = generator.random((runs, canaries)) < 0.5
    seen = generator.normal(size=(runs, canaries)) + mu * (member - 0.5)
    clearest = np.argsort(-np.abs(seen), axis=1)[:, :guesses]
    return np.take_along_axis((seen > 0) == member, clearest, axis=1).sum(axis=1)


@pytest.mark.deep
@pytest.mark.parametrize(("canaries", "guesses"), [(200, 200), (200, 40), (40, 10)])
def test_a_true_curve_is_refuted_no_more_often_than_the_level(canaries, guesses):
    generator, level = np.random.default_rng(4), 0.05
    right = best_of_one_run(1.0, canaries, guesses, generator, RUNS)
    refuted = {
        v: auditing.judge_one_run(v, guesses, canaries, dp.Gaussian(1), level=level).caught for v in set(right.tolist())
    }
    assert np.mean([refuted[v] for v in right.tolist()]) <= binom.ppf(0.999, RUNS, level) / RUNS


def test_answers_that_depend_on_each_other_keep_the_level():
    # The worst of an (ε, δ) claim: with probability δ everything is told at once, and else nothing is.
    claim, canaries = dp.ApproximateDP(0.0, 0.03), 30
    generator = np.random.default_rng(12)
    told = generator.random(RUNS) < 0.03
    right = np.where(told, canaries, generator.binomial(canaries, 0.5, RUNS))
    refuted = [v for v in range(canaries + 1) if auditing.judge_one_run(v, canaries, canaries, claim).caught]
    assert np.isin(right, refuted).mean() <= binom.ppf(0.999, RUNS, 0.01) / RUNS


def test_a_curve_says_more_than_one_pair_of_epsilon_and_delta():
    generator, delta = np.random.default_rng(21), 1e-5
    truth = dp.Gaussian(sigma=0.5).epsilon(delta)
    for canaries, guesses in ((1000, 300), (5000, 1000)):
        right = int(best_of_one_run(2.0, canaries, guesses, generator, 1)[0])
        any_, gaussian = (
            auditing.epsilon_from_one_run(right, guesses, canaries, delta, method=method).low
            for method in ("any", "gaussian")
        )
        assert any_ < gaussian < truth


def test_the_limit_for_gaussian_noise_is_where_the_claim_is_refuted():
    found = auditing.epsilon_from_one_run(180, 200, 1000, 1e-5, method="gaussian")
    for change, caught in ((-1e-3, True), (1e-3, False)):
        mu = auditing.gaussian_mu(found.low, 1e-5) + change
        assert auditing.judge_one_run(180, 200, 1000, dp.Gaussian(sigma=1 / mu), level=0.025).caught == caught
    assert auditing.epsilon_from_one_run(50, 100, 100, 1e-5, method="gaussian").low == 0.0
    assert auditing.epsilon_from_one_run(0, 100, 100, 1e-5, method="gaussian").low == 0.0
    assert auditing.epsilon_from_one_run(100, 100, 100, 1e-5, method="gaussian").value == math.inf


# Rates at a threshold.


def test_rates_cover_a_sound_training():
    generator, m, delta = np.random.default_rng(6), dp.Gaussian(1), 0.01
    inside, outside = (m.privacy_loss.sf(1.0, under=world) for world in ("Q", "P"))
    wrong = 0
    for _ in range(RUNS):
        found = auditing.epsilon_from_rates(
            int(generator.binomial(500, outside)), 500, int(generator.binomial(500, 1 - inside)), 500, delta
        )
        wrong += found.low > m.epsilon(delta)
    assert wrong <= binom.ppf(0.999, RUNS, 0.025)


def test_scores_cover_a_sound_training_and_tell_more_than_the_advantage():
    generator, m, delta = np.random.default_rng(9), dp.Gaussian(0.5), 1e-5
    wrong, better = 0, 0
    for _ in range(100):
        member = generator.random(1000) < 0.5
        losses = np.where(member, *(m.privacy_loss.sample(1000, world, generator) for world in ("Q", "P")))
        found = auditing.epsilon_from_scores(member, losses, delta)
        wins = int(((losses > 0) == member).sum())
        wrong += found.low > m.epsilon(delta)
        better += found.low > auditing.epsilon_from_advantage(wins, 1000, delta, method="any").low
    assert wrong <= binom.ppf(0.999, 100, 0.025)
    assert better > 50


def test_the_order_of_kinds_tells_nothing_about_scores():
    generator = np.random.default_rng(4)
    scores = generator.normal(size=(2, 500)) + np.array([[0.0], [2.0]])
    alternating = auditing.epsilon_from_scores(np.tile([False, True], 500), scores.T.ravel(), 1e-3)
    sorted_ = auditing.epsilon_from_scores(np.repeat([False, True], 500), scores.ravel(), 1e-3)
    assert alternating == sorted_
    assert alternating.low > 0.5


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: auditing.one_run_p_value(5, 4, 10, 1.0),
            "^right, guesses and canaries must increase, got 5, 4",
        ),
        (lambda: auditing.epsilon_from_one_run(5, 10, 10, 1.0), r"^delta must be in \[0, 1\), got 1.0$"),
        (lambda: auditing.judge_one_run(5, 4, 10, dp.Gaussian(1)), "^right, guesses and canaries must increase"),
        (lambda: auditing.epsilon_from_one_run(5, 10, 10, method="gaussian"), r"^delta must be in \(0, 1\), got 0.0$"),
        (lambda: auditing.epsilon_from_rates(5, 4, 0, 10), "^false_positives must be at most 4"),
        (lambda: auditing.epsilon_from_scores([True, False], [1.0, 2.0, 3.0]), "^member must be a row of"),
        (
            lambda: auditing.epsilon_from_scores([True] * 4 + [False], range(5)),
            "^member must have at least two training runs with the example and two without",
        ),
    ],
)
def test_what_are_no_counts_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()
