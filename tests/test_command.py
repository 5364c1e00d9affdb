"""The command line: answers as text and as JSON, errors in one line, exit codes."""

import json
import subprocess
import sys

import pytest

import dptutor as dp
from dptutor.command import main


@pytest.fixture
def run(capsys):
    """run(*arguments) -> exit code, what it printed, what it complained of."""

    def call(*arguments):
        code = main(list(arguments))
        return code, *capsys.readouterr()

    return call


def test_a_mechanism_is_shown(run):
    code, out, err = run(
        "show", "DPSGD(0.6, 0.01, 500)", "--delta", "1e-5", "--epsilon", "1", "--prior", "0.3", "--json"
    )
    m, found = dp.DPSGD(0.6, 0.01, 500), json.loads(out)
    assert (code, err) == (0, "")
    assert found == {
        "mechanism": repr(m),
        "advantage": m.advantage,
        "minimax_bayes_error": m.minimax_bayes_error,
        "epsilon": {"delta=1e-05": m.epsilon(1e-5)},
        "delta": {"epsilon=1": m.privacy_profile(1.0)},
        "bayes_error": {"prior=0.3": m.bayes_error(0.3)},
        "error_bound": m.error_bound,
    }
    _, out, _ = run("show", "DPSGD(0.6, 0.01, 500)", "--delta", "1e-5")
    assert f"epsilon, delta=1e-05               {m.epsilon(1e-5):.10g}" in out.splitlines()


def test_mechanisms_are_compared(run):
    code, out, _ = run("compare", "DPSGD(0.6, 0.01, 500)", "Gaussian(sigma=1)", "--json")
    found, comparison = json.loads(out), dp.compare(dp.DPSGD(0.6, 0.01, 500), dp.Gaussian(1.0))
    assert code == 0
    assert found["regret_of_second"]["delta_divergence"] == comparison.divergence.value
    assert found["regret_of_first"]["delta_divergence"] == comparison.reverse_divergence.value
    assert found["crossings"] == list(comparison.crossings)
    assert found["verdict"] == comparison.verdict
    _, out, _ = run("compare", "Gaussian(1)", "Laplace(1)", "--hyper-prior", "jeffreys", "--json")
    weighted = dp.delta_divergence(dp.Gaussian(1), dp.Laplace(1), prior_density=dp.jeffreys_prior)
    assert json.loads(out)["regret_of_second"]["delta_divergence"] == weighted.value


def test_a_mechanism_is_calibrated(run):
    code, out, _ = run("calibrate", "DPSGD(?, 0.01, 500)", "--epsilon", "8", "--delta", "1e-5", "--json")
    m = dp.calibrate(lambda s: dp.DPSGD(s, 0.01, 500), epsilon=8, delta=1e-5)
    assert code == 0
    assert json.loads(out) == {
        "mechanism": repr(m),
        "advantage": m.advantage,
        "epsilon": {"delta=1e-05": m.epsilon(1e-5)},
    }
    _, out, _ = run("calibrate", "Laplace(?)", "--posterior-belief", "0.9", "--prior", "0.1")
    assert repr(dp.calibrate(lambda b: dp.Laplace(b), posterior_belief=0.9, prior=0.1)) in out


def test_an_explorer_is_written(run, tmp_path):
    path = tmp_path / "page.html"
    code, out, _ = run("explore", "threshold_test", "mu=2", "--out", str(path), "--no-browser", "--json")
    assert (code, json.loads(out)) == (0, {"explorer": "threshold_test", "page": str(path)})
    assert path.read_text(encoding="utf-8") == dp.explore.threshold_test(mu=2.0).frozen().page
    assert [*json.loads(run("explore", "list", "--json")[1])] == dp.explore.__all__


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ([], 2, "required"),
        (["shown"], 2, "invalid choice"),
        (["show", "Gausian(1)"], 2, "Gausian is not known"),
        (["show", "Gaussian(0)"], 2, "sigma must be"),
        (["show", "DPSGD(1)"], 2, "sampling_rate"),
        (["show", "Gaussian(1)", "--delta", "two"], 2, "'two' is not a number"),
        (["show", "Gaussian(1)", "--delta", "2"], 2, "delta must be in"),
        (["compare", "Gaussian(1)"], 2, "second"),
        (["calibrate", "Gaussian(1)", "--epsilon", "1"], 2, "needs a ?"),
        (["calibrate", "Gaussian(?)"], 2, "exactly one"),
        (["calibrate", "DPSGD(?, 2, 5)", "--epsilon", "1", "--delta", "1e-5"], 2, "sampling_rate must be"),
        (["calibrate", "ApproximateDP(?, 0.5)", "--epsilon", "1", "--delta", "0.1"], 1, "out of reach"),
        (["explore", "nothing"], 2, "there is no explorer nothing"),
        (["explore", "threshold_test", "width=2"], 2, "'width=2' is not a setting"),
        (["explore", "threshold_test", "mu=99"], 2, "mu must be in"),
        (["explore", "threshold_test", "--out", "/nowhere/at/all.html", "--no-browser"], 1, "cannot be written"),
    ],
)
def test_a_wrong_call_is_told_in_one_line(run, arguments, code, words):
    found, out, err = run(*arguments)
    assert (found, out) == (code, "")
    assert words in err
    assert err.count("\n") == 1


def test_the_module_is_the_command():
    command = [sys.executable, "-m", "dptutor", "show", "Gaussian(1)", "--json"]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(found.stdout)["advantage"] == dp.Gaussian(1.0).advantage
