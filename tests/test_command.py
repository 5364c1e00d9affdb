"""The command line: answers as text and as JSON, errors in one line, exit codes."""

import json
import math
import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from conftest import approx, each

import dptutor as dp
from dptutor.command import main
from dptutor.explore.machinery.exploration import Exploration


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
    verdict = run("compare", "DPSGD(0.6, 0.01, 500)", "Gaussian(sigma=1)")[1].splitlines()[-1]
    assert "FIRST is the safer choice" in verdict and "SECOND by up to" in verdict and "DPSGD" not in verdict
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
    _, out, _ = run("calibrate", "Laplace(?)", "--posterior-belief", "0.9", "--membership-prior", "0.1")
    assert repr(dp.calibrate(lambda b: dp.Laplace(b), posterior_belief=0.9, membership_prior=0.1)) in out


def test_attacks_are_bounded_and_a_target(run):
    code, out, _ = run("show", "Gaussian(1)", "--baseline", "0.1", "--json")
    assert (code, json.loads(out)["attack_bound"]) == (0, {"baseline=0.1": dp.attack_bound(dp.Gaussian(1), 0.1)})
    assert json.loads(out)["attack_advantage"] == {"baseline=0.1": dp.attack_advantage(dp.Gaussian(1), 0.1)}
    _, out, _ = run("calibrate", "Gaussian(?)", "--baseline", "0.1", "--success", "0.25")
    assert repr(dp.calibrate(dp.Gaussian, baseline=0.1, success=0.25)) in out
    _, out, _ = run("calibrate", "Gaussian(?)", "--fpr", "0.1", "--tpr", "0.25")
    assert repr(dp.calibrate(dp.Gaussian, fpr=0.1, tpr=0.25)) in out
    code, _, err = run("calibrate", "Gaussian(?)", "--fpr", "0.1")
    assert (code, err) == (2, "dptutor: fpr and tpr are one target: tpr is missing\n")


def test_a_mechanism_is_reported(run):
    code, out, _ = run("report", "DPSGD(0.6, 0.01, 500)", "--floor", "1e-8", "--delta", "1e-6", "--json")
    assert (code, json.loads(out)) == (0, dp.report(dp.DPSGD(0.6, 0.01, 500), floor=1e-8, delta=1e-6).as_dict())
    assert json.loads(run("report", "ApproximateDP(1, 1e-5)", "--json")[1])["mu"] == "Infinity"
    assert "left_open, advantage" in run("report", "allowed_by(rho=0.5)")[1]
    assert run("report", "Gaussian(1)", "--floor", "2")[::2] == (2, "dptutor: floor must be in (0, 1), got 2.0\n")


def test_files_stand_for_mechanisms(run, tmp_path):
    path = tmp_path / "history.json"
    path.write_text("[[0.6, 0.01, 500]]")
    assert json.loads(run("show", f"@{path}", "--json")[1])["mechanism"] == repr(dp.DPSGD(0.6, 0.01, 500))
    path.write_text("[[0.6, 0.01]]")
    code, _, err = run("show", f"@{path}")
    assert code == 2
    assert err.startswith("dptutor: history.json: history, entry 1: must be")
    assert run("show", f"@{tmp_path / 'none.csv'}")[2].endswith("cannot be read: No such file or directory\n")
    path.write_text('{"measure": "Approximate(MaxDivergence)", "distance": [1, 1e-6]}')
    assert json.loads(run("show", f"@{path}", "--json")[1])["mechanism"] == repr(dp.ApproximateDP(1, 1e-6))
    table = tmp_path / "roc.csv"
    table.write_text("fpr,tpr\n0.1,0.4\n")
    bands = [json.loads(run("show", f"@{table}", "--json", *more)[1])["advantage"] for more in ((), ("--strongest",))]
    assert bands == approx([0.75, 0.3], abs=1e-12)
    code, _, err = run("show", "Gaussian(1)", "--strongest")
    assert (code, err.startswith("dptutor: --strongest needs a file of points")) == (2, True)


def test_guesses_are_audited(run, tmp_path):
    auditing = dp.auditing
    found = auditing.epsilon_from_one_run(90, 100, 1000, 1e-5)
    code, out, _ = run("audit", "one-run", "90", "100", "1000", "--delta", "1e-5", "--json")
    assert code == 0
    assert json.loads(out) == {
        "value": found.value,
        "low": found.low,
        "high": "Infinity",
        "confidence": 0.95,
        "refuted_below_low": found.refutes,
    }
    curve = run("audit", "one-run", "90", "100", "1000", "--delta", "1e-5", "--method", "gaussian", "--json")[1]
    assert json.loads(curve)["low"] == auditing.epsilon_from_one_run(90, 100, 1000, 1e-5, method="gaussian").low
    claimed = json.loads(run("audit", "one-run", "90", "100", "1000", "--claim", "Gaussian(2)", "--json")[1])
    verdict = auditing.judge_one_run(90, 100, 1000, dp.Gaussian(2))
    assert (claimed["refuted"], claimed["p_value"]) == (verdict.caught, verdict.p_value)
    rates = json.loads(run("audit", "rates", "2", "500", "350", "500", "--confidence", "0.9", "--json")[1])
    assert rates["low"] == auditing.epsilon_from_rates(2, 500, 350, 500, confidence=0.9).low


def test_repetitions_of_a_file_are_audited(run, tmp_path):
    member, score = [0, 1] * 20 + [1, 0] * 20, [0.5, 2.5] * 20 + [1.5, -0.5] * 20
    path = tmp_path / "seen.csv"
    path.write_text("\n".join(["member,score", *(f"{m},{s}" for m, s in zip(member, score, strict=True))]))
    found = dp.auditing.epsilon_from_scores(np.array(member) == 1, score, 0.01)
    out = run("audit", "scores", str(path), "--delta", "0.01", "--json")[1]
    assert json.loads(out)["low"] == found.low > 0
    path.write_text("\n".join(["score,member", *(f"{s},{m}" for m, s in zip(member, score, strict=True))]))
    assert run("audit", "scores", str(path), "--delta", "0.01", "--json")[1] == out
    path.write_text("\n".join(["member,guess", *(f"{m},{m}" for m in member)]))
    guesses = dp.auditing.Guesses(np.array(member) == 1, np.array(member) == 1)
    verdict = dp.auditing.judge_anytime(guesses, dp.Gaussian(1), level=0.05)
    out = run("audit", "guesses", str(path), "--claim", "Gaussian(1)", "--level", "0.05", "--json")[1]
    assert json.loads(out)["p_value"] == verdict.p_value
    assert json.loads(out)["refuted"]
    path.write_text("member,guess\n0,1\n1")
    words = "seen.csv: line 3: must have 2 numbers, got '1'"
    assert run("audit", "guesses", str(path), "--claim", "Gaussian(1)")[::2] == (2, f"dptutor: {words}\n")
    path.write_text("member,guess\n0,1\n1,2")
    assert run("audit", "guesses", str(path), "--claim", "Gaussian(1)")[2] == "dptutor: guess must be 0 or 1, got 2\n"
    assert run("audit", "scores", str(path))[2].startswith("dptutor: seen.csv: line 1: must be member,score, got")


@pytest.mark.parametrize("arguments", [[], ["audit"]])
def test_a_command_alone_says_what_there_is(capsys, arguments):
    with pytest.raises(SystemExit, match=r"^0$"):
        main(arguments)
    out, err = capsys.readouterr()
    assert out.startswith("usage: dptutor") and "--help" in out and not err


def test_a_file_is_named_with_or_without_an_at_sign(run, tmp_path):
    history, scores, guesses = (tmp_path / name for name in ("history.json", "scores.csv", "guesses"))
    history.write_text('{"history": [[0.6, 0.01, 500.0]], "mechanism": "prv"}')
    rows = [f"{k % 2},{k % 2 + k / 100}" for k in range(40)]
    scores.write_text("\n".join(["member,score", *rows]))
    guesses.write_text("\n".join(["member,guess", "0,0", "1,1"]))
    for arguments in (
        ["show", history],
        ["compare", history, "Gaussian(1)"],
        ["compare", "Gaussian(1)", history],
        ["audit", "scores", scores],
        ["audit", "guesses", guesses, "--claim", history],
    ):
        plain = run(*map(str, arguments))
        marked = run(*(f"@{each}" if isinstance(each, Path) else each for each in arguments))
        assert plain == marked
        assert (plain[0], plain[2]) == (0, "")


def test_an_explorer_says_at_once_what_it_does(run, monkeypatch, tmp_path, capsys):
    said = []
    monkeypatch.setattr(Exploration, "freeze", lambda *_: said.append(capsys.readouterr().err))
    assert run("explore", "threshold_test", "--out", str(tmp_path / "page.html"), "--no-browser")[0] == 0
    assert said[0].startswith("dptutor: computing every setting of threshold_test")


def test_an_explorer_is_written(run, tmp_path):
    path = tmp_path / "page.html"
    code, out, _ = run("explore", "threshold_test", "sigma=2", "--out", str(path), "--no-browser", "--json")
    assert (code, json.loads(out)) == (0, {"explorer": "threshold_test", "page": str(path)})
    assert path.read_text(encoding="utf-8") == dp.explore.threshold_test(sigma=2.0).frozen().page
    assert [*json.loads(run("explore", "list", "--json")[1])] == dp.explore.__all__
    assert run("explore") == run("explore", "list")


@each([
        (["shown"], 2, "invalid choice"),
        (["show", "Gausian(1)"], 2, "did you mean Gaussian(…)?"),
        (["show", "gaussian"], 2, "did you mean Gaussian(…)?"),
        (["show", "none.csv"], 2, "'none.csv' cannot be read: No such file"),
        (["show", "Gaussian(0)"], 2, "sigma must be"),
        (["show", "DPSGD(1)"], 2, "sampling_rate"),
        (["show", "DPSGD(1e-3, 0.1, 10_000)"], 2, "dptutor: noise_multiplier must be at least 0.05"),
        (["compare", "DPSGD(1e-3, 0.1, 10_000)", "Gaussian(1)"], 2, "dptutor: noise_multiplier must be at least 0.05"),
        (["show", "Gaussian(1)", "--delta", "two"], 2, "'two' is not a number"),
        (["show", "Gaussian(1)", "--delta", "2"], 2, "delta must be in"),
        (["compare", "Gaussian(1)"], 2, "second"),
        (["calibrate", "Gaussian(1)", "--epsilon", "1"], 2, "needs one ?"),
        (["calibrate", "DPSGD(?, ?, 500)", "--epsilon", "1", "--delta", "1e-5"], 2, "got 2"),
        (["calibrate", "Gaussian(?)", "--epsilon", "1"], 1,
         "epsilon = 1 at delta = 0 is out of reach: the family reaches inf only; give --delta, as in --delta 1e-5"),
        (["calibrate", "Gaussian(?)"], 2, "exactly one"),
        (["calibrate", "DPSGD(?, 2, 5)", "--epsilon", "1", "--delta", "1e-5"], 2, "sampling_rate must be"),
        (["calibrate", "ApproximateDP(?, 0.5)", "--epsilon", "1", "--delta", "0.1"], 1, "out of reach"),
        (["audit", "one-run", "5", "4", "10"], 2, "right, guesses and canaries must increase"),
        (["audit", "one-run", "5", "-4", "10"], 2, "'-4' is not a whole number"),
        (["audit", "one-run", "5", "10", "10", "--claim", "Gaussian(0)"], 2, "sigma must be"),
        (["audit", "one-run", "5", "10", "10", "--method", "gaussian"], 2, "delta must be in (0, 1)"),
        (["audit", "rates", "5", "4", "0", "10"], 2, "false_positives must be at most 4"),
        (["audit", "scores", "/nowhere/at/all.csv"], 2, "cannot be read"),
        (["explore", "nothing"], 2, "there is no explorer nothing; there are any_attack, "),
        (["explore", "dleta_divergence"], 2, "there is no explorer dleta_divergence; did you mean delta_divergence?"),
        (["explore", "threshold_test", "width=2"], 2, "'width=2' is not a setting"),
        (["explore", "threshold_test", "sigma=99"], 2, "sigma must be in"),
        (["explore", "threshold_test", "--out", "/nowhere/at/all.html", "--no-browser"], 1, "cannot be written"),
        (["explore", "threshold_test", "--out", "/", "--no-browser"], 1, "/ cannot be written: it is a folder"),
    ])  # fmt: skip
def test_a_wrong_call_is_told_in_one_line(arguments, code, words, run):
    found, out, err = run(*arguments)
    assert (found, out) == (code, "")
    assert words in err
    assert err.count("\n") == 1


HOSTILE = [
        ["show"], ["show", ""], ["show", "-"], ["show", "--", "-"], ["show", "x" * 5000], ["show", "\0"],
        ["show", "\udc80"], ["show", "Gaussian(" + "9" * 5000 + ")"], ["show", "G\uff41ussian(1)"],
        ["show", "Gaussian(sigma=1, sigma=2)"], ["show", "Gaussian(1, sigma=2)"], ["show", "Gaussian(1, 2, 3)"],
        ["show", "join(" * 30 + "Gaussian(1)" + ", Laplace(1))" * 30], ["show", "Gaussian(" + "-" * 80 + "1)"],
        ["show", "(" * 5000], ["show", "@".join(["Laplace(1)"] * 5000)], ["show", "Gaussian(9**9**9)"],
        ["show", "Gaussian(1) ** (9**300)"], ["show", "FiniteExperiment([.5, [.5]], [1, 0])"],
        ["show", "Gaussian([1, 2])"], ["show", "Gaussian(Gaussian(1))"], ["show", "join(1, 2)"],
    ["show", "join(Gaussian(1))"], ["audit", "x" * 5000], ["audit", "one-run", "9" * 5000, "1", "1"],
        ["show", "Gaussian(1)", "--delta", "nan"], ["show", "Gaussian(1)", "--delta", "\uff11"],
        ["show", "Gaussian(1)", "--delta", "5" * 5000], ["show", "Gaussian(1)", "--delta", ""],
        ["show", "Gaussian(1)", "--prior", "-1e-5"], ["show", "Gaussian(1)", "--epsilon"],
        ["show", "Gaussian(1)", "--" + "y" * 5000], ["z" * 5000], ["compare", "Gaussian(1)", ")"],
        ["compare", "Gaussian(1)", "Laplace(1)", "--hyper-prior", "w" * 5000], ["calibrate", "?"],
        ["calibrate", "Gaussian(?)", "--epsilon", "-1"], ["calibrate", "Gaussian(?)", "--epsilon", "nan"],
        ["calibrate", "Gau?ssian(1)", "--epsilon", "1"], ["calibrate", "Gaussian(?, ?, ?)", "--epsilon", "1"],
        ["explore", "v" * 5000], ["explore", "threshold_test", "u" * 5000],
    ["explore", "threshold_test", "sigma=" + "u" * 5000],
        ["explore", "threshold_test", "sigma=nan"], ["explore", "threshold_test", "sigma=1", "sigma=2"],
]  # fmt: skip


@each(HOSTILE)
def test_a_hostile_call_is_told_in_one_short_line(arguments, run):
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("dptutor: ")
    assert err.count("\n") == 1 and len(err) < 1100
    assert max(map(len, err.split())) <= 80
    assert "999999999999999999999999999999999999999999" not in err


@pytest.mark.parametrize(
    ("raised", "code", "words"),
    [
        (MemoryError("Unable to allocate 1.94 PiB"), 1, "needs more memory than there is"),
        (OverflowError("math range error"), 1, "beyond the range of floating point (math range error)"),
        (FloatingPointError("underflow"), 1, "beyond the range of floating point (underflow)"),
        (RecursionError("too deep"), 1, "nested too deeply"),
        (dp.NumericalError("δ of Gaussian(1) comes out as nan"), 1, "dptutor: δ of Gaussian(1) comes out as nan"),
        (IndexError("list\nindex"), 1, "by a fault of dptutor: IndexError: list index"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (BrokenPipeError(), 1, ""),
    ],
)
def test_what_goes_wrong_within_is_told_in_one_line(run, monkeypatch, raised, code, words):
    def fail(*_):
        warnings.warn("overflow encountered in exp", RuntimeWarning, stacklevel=1)
        raise raised

    monkeypatch.setattr("dptutor.command.blackwell.compare", fail)
    found, out, err = run("compare", "Gaussian(1)", "Laplace(1)")
    assert (found, out) == (code, "")
    assert words in err
    assert err.count("\n") == bool(words)


def test_a_warning_is_one_line_beside_the_answer(run, monkeypatch):
    def warned(_):
        warnings.warn("few\ndigits", UserWarning, stacklevel=1)
        return dp.Gaussian(1)

    monkeypatch.setattr("dptutor.command.read", warned)
    code, out, err = run("show", "Gaussian(1)", "--json")
    assert code == 0
    assert json.loads(out)["advantage"] == dp.Gaussian(1).advantage
    assert err == "dptutor: warning: few digits\n"


def strictly(text):
    """What a reader of JSON that knows no bare Infinity and NaN makes of it."""

    def refuse(constant):
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(text, parse_constant=refuse)


def test_infinite_answers_are_valid_json(run):
    code, out, _ = run("show", "Gaussian(1)", "--delta", "0", "--delta", "1e-5", "--epsilon", "inf", "--json")
    found = strictly(out)
    assert code == 0
    assert found["epsilon"] == {"delta=0": "Infinity", "delta=1e-05": dp.Gaussian(1).epsilon(1e-5)}
    assert float(found["epsilon"]["delta=0"]) == math.inf
    assert found["delta"] == {"epsilon=inf": 0.0}
    assert "inf" in run("show", "Gaussian(1)", "--delta", "0")[1]


def test_negative_numbers_are_no_options_and_equal_numbers_only_are_one(run):
    found = strictly(
        run("show", "Laplace(1)", "--epsilon", "-1e-5", "--epsilon", "-inf", "--epsilon", "-.5", "--json")[1]
    )
    assert found["delta"].keys() == {"epsilon=-1e-05", "epsilon=-inf", "epsilon=-0.5"}
    found = strictly(run("show", "Laplace(1)", "--epsilon", "0.1234567", "--epsilon", "0.1234568", "--json")[1])
    assert found["delta"].keys() == {"epsilon=0.1234567", "epsilon=0.1234568"}


def test_a_product_of_a_hundred_mechanisms_is_shown(run):
    product = " @ ".join(f"Gaussian({k})" for k in range(1, 101))
    code, out, err = run("show", product, "--json")
    assert (code, err) == (0, "")
    assert strictly(out)["advantage"] == approx(dp.Gaussian(sum(k**-2 for k in range(1, 101)) ** -0.5).advantage)


def test_a_terminal_without_greek_letters_and_a_reader_that_leaves(tmp_path):
    command = [sys.executable, "-m", "dptutor", "compare", "Gaussian(1)", "Laplace(1)"]
    ascii_only = os.environ | {"PYTHONIOENCODING": "ascii"}
    plain = subprocess.run(command, capture_output=True, env=ascii_only, check=True)
    assert plain.stderr == b""
    found = subprocess.run([*command, "--json"], capture_output=True, env=ascii_only, check=True)
    assert strictly(found.stdout)["verdict"] == dp.compare(dp.Gaussian(1), dp.Laplace(1)).verdict
    assert subprocess.run([*command[:3], "--help"], capture_output=True, env=ascii_only, check=True).stderr == b""
    reader, writer = os.pipe()
    os.close(reader)
    left = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    assert (left.returncode, left.stderr) == (1, b"")


def test_the_module_is_the_command():
    command = [sys.executable, "-m", "dptutor", "show", "Gaussian(1)", "--json"]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(found.stdout)["advantage"] == dp.Gaussian(1.0).advantage
