"""What no mechanism has as an answer leaves none: NaN, probabilities outside [0, 1], negative bounds."""

import math

import numpy as np
import pytest

import dptutor as dp
from dptutor.command import main
from dptutor.evaluation.finite_law import FiniteLaw

# Each face that the library asks of a mechanism, how a reader comes to see it, and what it never is.
FACES = {
    "_delta": (lambda m: m.privacy_profile([0.5, 1.0]), [math.nan, -0.375, 1.25]),
    "_errors": (lambda m: m.privacy_loss.sf(0.5, "P"), [math.nan, -0.375, 1.25]),
    "_tradeoff": (lambda m: m.tradeoff(0.3), [math.nan, -0.375, 1.25]),
    "_bayes_error": (lambda m: m.bayes_error(0.5), [math.nan, -0.375, 0.75]),
    "_epsilon": (lambda m: m.epsilon(1e-5), [math.nan, -1.0]),
    "_renyi": (lambda m: m.renyi_divergence([2.0, 3.0]), [math.nan]),
    "_delta_error": (lambda m: m.privacy_profile(0.5, with_error=True), [math.nan, -1e-9]),
    "_tradeoff_error": (lambda m: m.tradeoff(0.3, with_error=True), [math.nan, -1e-9]),
    "_bayes_error_error": (lambda m: m.bayes_error(0.3, with_error=True), [math.nan, -1e-9]),
    "_epsilon_error": (lambda m: m.epsilon(1e-5, with_error=True), [math.nan, -1e-9]),
    "error_bound": (lambda m: m.error_bound, [math.nan, -1e-9]),
}
CASES = [(name, value) for name, (_, values) in FACES.items() for value in values]


def broken(name, value):
    """Gaussian noise, of which one face is always this."""

    def always(self, *places):
        answer = np.full(np.shape(places[0]), value)
        return (answer, answer) if name == "_errors" else answer

    face = property(lambda self: value) if name == "error_bound" else always
    return type("Broken", (dp.Gaussian,), {name: face})(1.0)


@pytest.mark.parametrize(("name", "value"), CASES)
def test_an_impossible_answer_is_refused_by_the_name_of_the_mechanism(name, value):
    with pytest.raises(dp.NumericalError, match=r"Broken\(sigma=1\.0, sensitivity=1\.0\)") as caught:
        FACES[name][0](broken(name, value))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("wrap", [lambda m: m @ dp.RandomizedResponse(1), lambda m: dp.join(m, dp.Laplace(2))])
def test_what_is_made_of_a_faulty_mechanism_refuses_too(wrap):
    for value in (math.nan, -0.375):
        with pytest.raises(dp.NumericalError):
            wrap(broken("_delta", value)).privacy_profile(0.5)


@pytest.mark.parametrize(
    ("name", "value", "seen"),
    [
        ("_delta", 1.0 + 2e-15, 1.0),
        ("_errors", 1.0 + 2e-15, 1.0),
        ("_errors", -1e-17, 0.0),
        ("_tradeoff", 1.0 + 2e-15, 1.0),
        ("_tradeoff", -1e-17, 0.0),
        ("_bayes_error", 0.5 + 1e-15, 0.5),
        ("_bayes_error", -1e-17, 0.0),
    ],
)
def test_what_rounding_moved_out_of_its_range_is_moved_back(name, value, seen):
    assert np.all(FACES[name][0](broken(name, value)) == seen)


def test_what_is_outside_by_more_than_its_own_bound_is_no_rounding():
    class Vague(dp.Gaussian):
        def _delta(self, epsilon):
            return np.full(np.shape(epsilon), -1e-4)

        def _delta_error(self, epsilon):
            return np.where(np.asarray(epsilon) < 1.0, 2e-4, 0.5e-4)

    assert Vague(1).privacy_profile(0.5) == 0.0
    with pytest.raises(dp.NumericalError, match=r"-0\.0001 at 2\.0"):
        Vague(1).privacy_profile([0.5, 2.0])


@pytest.fixture
def without_numbers(monkeypatch):
    """Every finite experiment computes NaN."""
    for name in ("delta", "scaled_tail", "tradeoff"):
        monkeypatch.setattr(FiniteLaw, name, lambda self, at: np.full(np.shape(at), math.nan))
    monkeypatch.setattr(FiniteLaw, "errors", lambda self, at: (np.full(np.shape(at), math.nan),) * 2)
    # As a search over what is no number may end.
    monkeypatch.setattr(FiniteLaw, "epsilon", lambda self, delta: np.zeros(np.shape(delta)))


@pytest.mark.parametrize(
    "ask",
    [
        lambda m: m.epsilon(1e-5),
        lambda m: m.advantage,
        lambda m: m.minimax_bayes_error,
        lambda m: dp.compare(m, dp.Gaussian(1)),
        lambda m: dp.delta_divergence(dp.Gaussian(1), m),
        lambda m: dp.dominance(m, dp.Gaussian(1)),
        lambda m: dp.report(m),
        lambda m: dp.attack_bound(m, 0.1),
        lambda m: dp.PosteriorBelief(m).mean(),
        lambda m: dp.calibrate(lambda scale: dp.DiscreteLaplace(scale), epsilon=1, delta=1e-6),
        lambda m: dp.calibrate(lambda scale: dp.DiscreteLaplace(scale), advantage=0.3),
    ],
)
def test_whoever_asks_is_refused(without_numbers, ask):
    with pytest.raises(dp.NumericalError, match="DiscreteLaplace"):
        ask(dp.DiscreteLaplace(2))


@pytest.mark.parametrize(
    "call",
    [
        ["show", "DiscreteLaplace(2)", "--delta", "1e-5"],
        ["compare", "DiscreteLaplace(2)", "Gaussian(1)"],
        ["compare", "Gaussian(1)", "DiscreteLaplace(2)", "--hyper-prior", "jeffreys"],
        ["calibrate", "DiscreteLaplace(?)", "--epsilon", "1", "--delta", "1e-6"],
        ["report", "DiscreteLaplace(2)"],
    ],
)
def test_the_command_says_so_in_one_line(without_numbers, capsys, call):
    assert main(call) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("dptutor: ") and "DiscreteLaplace" in err and err.count("\n") == 1
