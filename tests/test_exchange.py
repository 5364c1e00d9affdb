"""Ways in and out: numbers that do not change on the way, bands that contain the truth, and files that are refused."""

import json
import math

import numpy as np
import pytest
from conftest import approx, examples
from dp_accounting.pld import common, privacy_loss_distribution
from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import closed_forms

import dptutor as dp
from dptutor import exchange

LOSSES = np.array([0.0, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0])

# dp-accounting.

PEERS = {
    "Gaussian": lambda: privacy_loss_distribution.from_gaussian_mechanism(1.0, value_discretization_interval=1e-2),
    "subsampled": lambda: privacy_loss_distribution.from_gaussian_mechanism(
        0.7, sampling_prob=0.1, value_discretization_interval=1e-2
    ).self_compose(5),
    "Laplace": lambda: privacy_loss_distribution.from_laplace_mechanism(
        1.0, value_discretization_interval=1e-2
    ).self_compose(3),
    "randomized response": lambda: privacy_loss_distribution.from_randomized_response(0.3, 2),
    "(1, 1e-5)": lambda: privacy_loss_distribution.from_privacy_parameters(
        common.DifferentialPrivacyParameters(1.0, 1e-5)
    ),
}


@pytest.mark.parametrize("name", PEERS)
def test_a_distribution_of_dp_accounting_keeps_its_profile_in_and_out(name):
    pld = PEERS[name]()
    theirs = np.array([pld.get_delta_for_epsilon(epsilon) for epsilon in LOSSES], dtype=float)
    m = exchange.from_pld(pld)
    assert m.privacy_profile(LOSSES) == approx(theirs, abs=3e-12)
    back = PrivacyLossDistribution.create_from_rounded_probability(
        **exchange.to_pld(m, pld._pmf_remove._discretization)
    )
    assert [back.get_delta_for_epsilon(epsilon) for epsilon in LOSSES] == approx(theirs, abs=3e-12)


@pytest.mark.parametrize(("sigma", "rate", "steps"), [(0.2, 1.0, 1), (0.2, 0.1, 5), (0.5, 0.01, 5), (1.0, 0.01, 100)])
def test_rounding_is_no_reason_to_refuse_a_distribution(sigma, rate, steps):
    """It makes the masses under Q sum to 1 + 1e-8, and those under P, where it is multiplied by e^30, to 1e4."""
    pld = privacy_loss_distribution.from_gaussian_mechanism(
        sigma, sampling_prob=rate, value_discretization_interval=1e-3
    ).self_compose(steps)
    theirs = np.array([pld.get_delta_for_epsilon(epsilon) for epsilon in LOSSES], dtype=float)
    assert exchange.from_pld(pld).privacy_profile(LOSSES) == approx(theirs, abs=3e-12)


@pytest.mark.parametrize(
    "m",
    [
        dp.Gaussian(1),
        dp.DPSGD(0.6, 0.01, 500),
        dp.Laplace(0.5) ** 3,
        dp.ApproximateDP(1, 1e-5),
        # Outcomes that only P has.
        dp.FiniteExperiment([0.2, 0.8, 0.0], [0.5, 0.3, 0.2]).symmetrized,
    ],
    ids=repr,
)
def test_a_mechanism_is_no_less_private_in_dp_accounting_and_equal_on_the_grid(m):
    interval = 1e-2
    pld = PrivacyLossDistribution.create_from_rounded_probability(**exchange.to_pld(m, interval))
    for epsilon in LOSSES:
        assert float(pld.get_delta_for_epsilon(epsilon)) == approx(m.privacy_profile(epsilon), abs=1e-12)
    for epsilon in (0.005, 0.333, 1.015, 3.7777):
        true, theirs = m.privacy_profile(epsilon), float(pld.get_delta_for_epsilon(epsilon))
        assert true - 1e-12 <= theirs <= m.privacy_profile(epsilon - interval) + 1e-12
    assert m.epsilon(1e-4) <= pld.get_epsilon_for_delta(1e-4) + 1e-9
    assert pld.get_epsilon_for_delta(1e-4) <= m.epsilon(1e-4) + interval


@pytest.mark.parametrize(
    "m", [dp.Gaussian(1), dp.DPSGD(0.6, 0.01, 500), dp.SubsampledGaussian(1, 0.1, "add"), dp.ApproximateDP(1, 1e-5)],
    ids=repr,
)  # fmt: skip
def test_a_distribution_in_a_file_is_the_one_of_dp_accounting(m, tmp_path):
    given = exchange.to_pld(m, 1e-2)
    (tmp_path / "pld.json").write_text(json.dumps(given))
    back = exchange.read_file(tmp_path / "pld.json")
    assert back == exchange.from_pld(given)
    pld = PrivacyLossDistribution.create_from_rounded_probability(**given)
    assert back.privacy_profile(LOSSES) == approx([float(pld.get_delta_for_epsilon(e)) for e in LOSSES], abs=1e-12)
    # Once on its grid, a distribution goes out as it came in.
    again = exchange.to_pld(back, 1e-2)
    assert exchange.from_pld(again).privacy_profile(LOSSES) == approx(back.privacy_profile(LOSSES), abs=1e-12)


def test_a_distribution_of_infinite_losses_only():
    made = exchange.to_pld(dp.BlatantlyNonPrivate(), 0.1)
    assert PrivacyLossDistribution.create_from_rounded_probability(**made).get_delta_for_epsilon(1.0) == 1.0
    assert exchange.from_pld(made).advantage == 1.0


def test_small_rates_are_no_less_concave_for_being_rounded():
    rates = [4.9e-9, 3.96e-8, 2.27e-4]
    band = exchange.from_roc(rates, dp.attack_bound(dp.Laplace(1), rates))
    assert band.strongest.tradeoff(1e-4) == approx(1 - 1e-4 * np.e, abs=1e-12)


def test_distributions_that_are_none_are_refused():
    with pytest.raises(TypeError, match=r"^distribution must be a PrivacyLossDistribution of dp-accounting, got 3"):
        exchange.from_pld(3)
    for interval in (0.5, 0.05, 0.005):
        optimistic = privacy_loss_distribution.from_gaussian_mechanism(
            1.0, pessimistic_estimate=False, value_discretization_interval=interval, use_connect_dots=False
        )
        with pytest.raises(ValueError, match=r"is that of no pair"):
            exchange.from_pld(optimistic)
    with pytest.raises(ValueError, match=r"^interval 1e-12 is too small: .* 1e6 multiples$"):
        exchange.to_pld(dp.Gaussian(1), 1e-12)
    with pytest.raises(ValueError, match=r"^interval must be greater than 0 and finite, got 0.0$"):
        exchange.to_pld(dp.Gaussian(1), 0)
    with pytest.raises(TypeError, match=r"^mechanism must be a mechanism"):
        exchange.to_pld("Gaussian")
    good = exchange.to_pld(dp.ApproximateDP(1, 1e-5), 0.5)
    for change, words in (
        ({"infinity_mass": None}, "^infinity_mass must be a real number .*, got None$"),
        ({"value_discretization_interval": 0}, "^value_discretization_interval must be greater than 0"),
        ({"symmetric": False}, "^a distribution must have the entry 'rounded_probability_mass_function_add'"),
        ({"rounded_probability_mass_function": {}}, "^rounded_probability_mass_function must have masses by"),
        ({"rounded_probability_mass_function": {"0.5": 1}}, "must have whole multiples of the interval, got '0.5'$"),
        ({"rounded_probability_mass_function": {"2": 0.1, 2: 0.9}}, "must not have a multiple of the interval twice$"),
        ({"rounded_probability_mass_function": {2: -0.5}}, r"^rounded_probability_mass_function at 2 must be in"),
        ({"rounded_probability_mass_function": {2: 0.5}}, "^the masses of the distribution must sum to 1"),
        ({"rounded_probability_mass_function": {2: 1.0}, "infinity_mass": 0.1}, "must sum to 1, got the sum 1.1$"),
        ({"rounded_probability_mass_function": {-1: 0.5, 1: 0.49999}}, "is that of no pair"),
    ):
        with pytest.raises((TypeError, ValueError), match=words):
            exchange.from_pld(good | change)


# Opacus.


@given(st.lists(st.tuples(st.floats(0.3, 50), st.floats(1e-4, 0.99), st.integers(1, 10**6)), min_size=1, max_size=4))
@settings(max_examples=examples(50))
def test_a_history_goes_in_and_out_unchanged(history):
    together: dict = {}
    for sigma, rate, steps in history:
        together[sigma, rate] = together.get((sigma, rate), 0) + steps
    m = exchange.from_opacus(history)
    found = {(sigma, rate): steps for sigma, rate, steps in exchange.to_opacus(m)}
    assert found == together
    assert exchange.from_opacus(exchange.to_opacus(m)) == m
    assert exchange.from_opacus({"history": [list(entry) for entry in history], "mechanism": "prv"}) == m


def test_a_history_is_the_composition_of_its_steps():
    m = exchange.from_opacus([(0.6, 0.01, 300), (0.8, 0.02, 100)])
    assert m == dp.DPSGD(0.6, 0.01, 300) @ dp.DPSGD(0.8, 0.02, 100)
    assert exchange.from_opacus([(2.0, 1.0, 4)]) == dp.Gaussian(1.0)
    assert exchange.from_opacus([(0.6, 0.01, 300.0)]) == dp.DPSGD(0.6, 0.01, 300)
    assert exchange.to_opacus(dp.Gaussian(2.0)) == [(2.0, 1.0, 1)]


@pytest.mark.parametrize(
    ("history", "words"),
    [
        ([], "^history is empty"),
        ([(1.0, 0.1)], r"^history, entry 1: must be \(noise multiplier, sampling rate, steps\), got \(1.0, 0.1\)$"),
        ([(1.0, 0.1, 5), (0.0, 0.1, 5)], "^history, entry 2: noise_multiplier must be"),
        ([(1.0, 1.5, 5)], "^history, entry 1: sampling_rate must be"),
        ([(1.0, 0.5, 0)], "^history, entry 1: steps must be a positive integer, got 0$"),
        ({"mechanism": "rdp"}, "must have the entry 'history'"),
    ],
)
def test_what_is_no_history_is_refused(history, words):
    with pytest.raises(ValueError, match=words):
        exchange.from_opacus(history)


def test_only_gaussian_steps_have_a_history():
    with pytest.raises(ValueError, match=r"^mechanism must consist of Gaussian steps, but has the part Laplace"):
        exchange.to_opacus(dp.Laplace(1) @ dp.Gaussian(1))
    with pytest.raises(TypeError, match=r"^history must be a list"):
        exchange.from_opacus("history")


# TensorFlow Privacy and OpenDP.

STATEMENT = """DP-SGD performed over 60000 examples with 256 examples per iteration, noise
multiplier 1.12 for 60.0 epochs without microbatching, and no bound on number of
examples per user.
"""


def test_the_statement_and_the_flags_of_tensorflow_privacy_are_the_same_training():
    m = dp.DPSGD(1.12, 256 / 60000, math.ceil(60 * 60000 / 256))
    assert exchange.from_tensorflow(STATEMENT) == m
    flags = "compute_dp_sgd_privacy --N=60000 --batch_size=256 --noise_multiplier=1.12 --epochs=60 --delta=1e-5"
    assert exchange.from_tensorflow(flags) == m
    # Its documentation prints 2.92 by Rényi divergences; the exact number is smaller.
    assert 2.3 < m.epsilon(1e-5) < 2.92


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "^this is no statement of TensorFlow Privacy, and --N, --batch_size, --noise_multiplier, --epochs is"),
        ("--N=100 --batch_size=10 --epochs=1", "--noise_multiplier is missing"),
        ("--N=100 --batch_size=200 --noise_multiplier=1 --epochs=1", "^batch must be at most 100"),
        ("--N=1e --batch_size=200 --noise_multiplier=1 --epochs=1", "^examples must be a number, got '1e'$"),
        (STATEMENT.replace("1.12", "-1.12"), "^noise_multiplier must be greater than"),
    ],
)
def test_what_tensorflow_privacy_does_not_say_is_refused(text, words):
    with pytest.raises(ValueError, match=words):
        exchange.from_tensorflow(text)


@pytest.mark.deep
def test_measures_of_opendp():
    assert exchange.from_opendp("MaxDivergence", 1.0) == dp.RandomizedResponse(1.0)
    assert exchange.from_opendp("MaxDivergence()", 1.0) == dp.RandomizedResponse(1.0)
    assert exchange.from_opendp("Approximate(MaxDivergence)", (1.0, 1e-6)) == dp.ApproximateDP(1.0, 1e-6)
    assert exchange.from_opendp("ZeroConcentratedDivergence", 0.5) == dp.allowed_by(rho=0.5)
    points = [(0.5, 0.1), (2.0, 1e-3)]
    smoothed = exchange.from_opendp("SmoothedMaxDivergence", points)
    assert smoothed == dp.allowed_by(epsilon=[0.5, 2.0], delta=[0.1, 1e-3])
    renyi = exchange.from_opendp("RenyiDivergence", lambda order: 0.5 * order)
    assert renyi.advantage == approx(dp.allowed_by(rho=0.5).advantage, abs=1e-3)
    few = exchange.from_opendp("RenyiDivergence", [(2, 0.5), (8, 2.0)])
    assert few == dp.allowed_by(orders=[2, 8], rdp=[0.5, 2.0])
    for measure, distance, words in (
        ("SmoothedMaxDivergence", 1.0, r"^distance must be a list of pairs \(ε, δ\), got 1.0$"),
        ("RenyiDivergence", [(2, 0.5), 3], r"^distance, entry 2: must be a pair \(order, divergence\), got 3$"),
        ("RenyiDivergence", [(0.5, 0.5)], r"^orders must be greater than 1"),
        ("MaxDivergence", -1, "^distance must be"),
    ):
        with pytest.raises(ValueError, match=words):
            exchange.from_opendp(measure, distance)
    with pytest.raises(ValueError, match=r"^measure must be one of MaxDivergence"):
        exchange.from_opendp("KullbackLeibler", 1)
    with pytest.raises(ValueError, match=r"^distance must be a pair"):
        exchange.from_opendp("Approximate(MaxDivergence)", 1.0)


# Points of curves.


@given(closed_forms(), st.lists(st.floats(0.001, 0.999), min_size=1, max_size=6, unique=True))
@settings(max_examples=examples(60))
def test_a_curve_is_within_the_band_of_its_points(m, alphas):
    alphas = sorted(alphas)
    if min(np.diff([*alphas, 1.0]), default=1) < 1e-3:
        return
    band = exchange.from_roc(alphas, 1 - m.tradeoff(alphas))
    grid = np.linspace(0.0005, 1, 500)
    assert (band.weakest.tradeoff(grid) <= m.tradeoff(grid) + 1e-7).all()
    assert (band.strongest.tradeoff(grid) >= m.tradeoff(grid) - 1e-7).all()
    assert band.strongest.tradeoff(alphas) == approx(m.tradeoff(alphas), abs=1e-7)


@given(closed_forms(), st.lists(st.floats(-3, 5), min_size=1, max_size=6, unique=True))
@settings(max_examples=examples(60))
def test_a_profile_is_within_the_band_of_its_points(m, losses):
    losses = sorted(losses)
    if min(np.diff(losses), default=1) < 1e-3:
        return
    band = exchange.from_profile(losses, m.privacy_profile(losses))
    grid = np.linspace(-6, 8, 500)
    assert (band.weakest.privacy_profile(grid) >= m.privacy_profile(grid) - 1e-7).all()
    assert (band.strongest.privacy_profile(grid) <= m.privacy_profile(grid) + 1e-7).all()
    assert band.weakest.privacy_profile(losses) == approx(m.privacy_profile(losses), abs=1e-7)


def test_many_points_leave_little_open():
    m, alphas = dp.Gaussian(1), np.linspace(0.0, 1.0, 801)[1:-1]
    band = exchange.from_roc(alphas, 1 - m.tradeoff(alphas))
    assert float(dp.symmetric_delta_divergence(band.weakest, band.strongest)) < 2e-3
    losses = np.linspace(-6, 6, 401)
    band = exchange.from_profile(losses, m.privacy_profile(losses))
    assert float(dp.symmetric_delta_divergence(band.weakest, band.strongest)) < 2e-4


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: exchange.from_roc([0.1, 0.2], [0.3]), "^fpr and tpr must be equally long"),
        (lambda: exchange.from_roc([0.1, 0.1], [0.3, 0.4]), "^fpr must not be given twice, got 0.1$"),
        (lambda: exchange.from_roc([0.3], [0.2]), "^tpr must be at least fpr, got 0.2 at 0.3$"),
        (lambda: exchange.from_roc([0.1, 0.2, 0.3], [0.2, 0.3, 0.6]), "^tpr must be increasing and concave in fpr"),
        (lambda: exchange.from_roc([1.2], [0.2]), r"^fpr must be in \[0, 1\], got 1.2$"),
        (lambda: exchange.from_profile([0, 1], [0.1, 0.2]), "^delta must decrease as epsilon grows$"),
        (lambda: exchange.from_profile([-1.0], [0.1]), "^delta must be at least 1 . e.ε, got 0.1 at -1.0$"),
        (lambda: exchange.from_profile([0, 1, 2], [0.5, 0.49, 0.1]), "^delta must be convex"),
    ],
)
def test_points_of_no_curve_are_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()


# Files.


def test_files_are_read(tmp_path):
    def read(name, text):
        (tmp_path / name).write_text(text)
        return exchange.read_file(tmp_path / name)

    run = dp.DPSGD(0.6, 0.01, 500)
    assert read("run.json", json.dumps({"history": [[0.6, 0.01, 500]], "mechanism": "rdp"})) == run
    assert read("run.csv", "noise_multiplier,sample_rate,steps\n0.6,0.01,300\n\n0.6,0.01,200\n") == run
    assert read("a.csv", "epsilon, delta\n1, 0.1\n2, 0.01\n") == dp.allowed_by(epsilon=[1, 2], delta=[0.1, 0.01])
    assert read("b.csv", "order,rdp\n2,0.5\n") == dp.allowed_by(orders=2, rdp=0.5)
    assert read("c.CSV", "\ufefffpr,tpr\n0.1,0.4\n") == exchange.from_roc([0.1], [0.4]).weakest
    assert read("s.txt", STATEMENT) == exchange.from_tensorflow(STATEMENT)
    assert read("m.txt", "Gaussian(2) @ Laplace(1)\n") == dp.Gaussian(2) @ dp.Laplace(1)
    assert read("run.csv", "steps, noise_multiplier, sample_rate\n500, 0.6, 0.01") == run
    opendp = {"measure": "ZeroConcentratedDivergence", "distance": 0.5}
    assert read("o.json", json.dumps(opendp)) == dp.allowed_by(rho=0.5)


def test_a_band_is_read(tmp_path):
    (tmp_path / "roc.csv").write_text("fpr,tpr\n0.1,0.4\n0.3,0.6\n")
    assert exchange.read_band(tmp_path / "roc.csv") == exchange.from_roc([0.1, 0.3], [0.4, 0.6])
    (tmp_path / "profile.csv").write_text("epsilon,delta\n0,0.3\n1,0.1\n")
    assert exchange.read_band(tmp_path / "profile.csv") == exchange.from_profile([0, 1], [0.3, 0.1])
    (tmp_path / "rdp.csv").write_text("order,rdp\n2,0.5\n")
    with pytest.raises(ValueError, match=r"^rdp.csv: line 1: must be fpr,tpr, or epsilon,delta, got 'order,rdp'$"):
        exchange.read_band(tmp_path / "rdp.csv")


@pytest.mark.parametrize("m", [dp.Gaussian(1), dp.Laplace(0.5), dp.RandomizedResponse(2)], ids=repr)
def test_points_in_a_file_come_out_again(m, tmp_path):
    """What a table says is what one end of its band answers at its places, digit for digit but the last ones: of a ROC
    curve the strongest, and of a profile the weakest. The other end is on the other side of the points."""
    alphas, losses = np.array([1e-6, 0.01, 0.1, 0.3, 0.9]), np.array([-1.0, 0.0, 0.5, 1.0, 1.9])
    powers, deltas = 1 - m.tradeoff(alphas), m.privacy_profile(losses)
    for name, header, points in (
        ("roc.csv", "fpr,tpr", zip(alphas, powers, strict=True)),
        ("profile.csv", "epsilon,delta", zip(losses, deltas, strict=True)),
    ):
        rows = [f"{float(x)!r},{float(y)!r}" for x, y in points]
        (tmp_path / name).write_text("\n".join([header, *rows]))
    weakest, strongest = exchange.read_band(tmp_path / "roc.csv")
    assert 1 - strongest.tradeoff(alphas) == approx(powers, rel=1e-12, abs=1e-14)
    assert np.all(1 - weakest.tradeoff(alphas) >= powers - 1e-14)
    weakest, strongest = exchange.read_band(tmp_path / "profile.csv")
    assert weakest.privacy_profile(losses) == approx(deltas, rel=1e-12, abs=1e-14)
    assert np.all(strongest.privacy_profile(losses) <= deltas + 1e-14)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.csv", "", "^a.csv: is empty; its first line must be fpr,tpr, or"),
        ("a.csv", "x,y\n1,2\n", "^a.csv: line 1: must be fpr,tpr, .* got 'x,y'$"),
        ("a.csv", "fpr,tpr\n", "^a.csv: there is no line after the first$"),
        ("a.csv", "fpr,tpr\n0.1,0.2\n0.2\n", "^a.csv: line 3: must have 2 numbers, got '0.2'$"),
        ("a.csv", "fpr,tpr\n0.1,much\n", "^a.csv: line 2: tpr must be a number, got 'much'$"),
        ("a.csv", "fpr,tpr\n0.1,nan\n", "^a.csv: line 2: tpr must be a number, got 'nan'$"),
        ("a.csv", "epsilon,delta\n1,2\n", r"^a.csv: delta must be in \[0, 1\], got 2.0$"),
        ("a.csv", "noise_multiplier,sample_rate,steps\n1,0.1,2.5\n", "^a.csv: history, entry 1: steps must be"),
        ("a.json", '{"history": [\n[1, 2', "^a.json: line 2: "),
        ("a.json", "3", "^a.json: history must be a list"),
        ("a.json", '{"measure": "MaxDivergence"}', "^a.json: a guarantee of OpenDP must have the entry 'distance'"),
        ("a.json", '{"measure": "Other", "distance": 1}', "^a.json: measure must be one of MaxDivergence"),
        ("a.json", '{"epsilon": 1}', "^a.json: must have the entry 'history', 'measure' or 'rounded_"),
        ("a.json", '{"rounded_probability_mass_function": {}}', "^a.json: a distribution must have the entry 'value_"),
        ("a.csv", "delta,epsilon\n0.5,much\n", "^a.csv: line 2: epsilon must be a number, got 'much'$"),
        ("a.csv", "fpr,fpr\n0.1,0.2\n", "^a.csv: line 1: must be fpr,tpr, .* got 'fpr,fpr'$"),
        ("a.txt", "--epochs=3", "^a.txt: this is no statement of TensorFlow Privacy"),
        ("a.txt", "Gausian(1)", "^a.txt: Gausian is unknown; did you mean Gaussian"),
        ("a.json", "[" * 100_000, "^a.json: nested too deeply$"),
    ],
)
def test_bad_files_are_refused_with_line_and_reason(tmp_path, name, text, words):
    (tmp_path / name).write_text(text)
    with pytest.raises(ValueError, match=words):
        exchange.read_file(tmp_path / name)


def test_bytes_are_no_text(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match=r"^a.csv is not a text in UTF-8$"):
        exchange.read_file(tmp_path / "a.csv")
