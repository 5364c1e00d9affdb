"""The command `dptutor`: numbers of mechanisms, comparisons and calibrations from a shell, as text or as JSON.

    dptutor show "DPSGD(0.6, 0.01, 500)" --delta 1e-5
    dptutor compare "DPSGD(0.6, 0.01, 500)" "Gaussian(sigma=1)"
    dptutor calibrate "DPSGD(?, 0.01, 500)" --epsilon 8 --delta 1e-5
    dptutor report "DPSGD(0.6, 0.01, 500)"
    dptutor audit one-run 90 100 1000 --claim "DPSGD(0.6, 0.01, 500)"
    dptutor show history.json --delta 1e-5
    dptutor explore delta_divergence sigma=0.7

The exit code is 0 if there is an answer, 1 if there is none (an unreachable target, or a number that cannot be
computed), 2 if the call was wrong, and 130 if it was interrupted; one line on stderr then says what is wrong.

JSON has no infinite numbers: an infinite answer is written as the text "Infinity" or "-Infinity", which `float` in
Python and `Number` in JavaScript convert to the number.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import sys
import warnings
import webbrowser
from collections.abc import Callable, Iterator
from difflib import get_close_matches
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from ._answers import NumericalError
from ._validation import shortened, shown
from .comparing import blackwell
from .comparing.blackwell import jeffreys_prior, u_quadratic_prior
from .exchange import read_band, read_columns, read_file
from .mechanisms.base import Mechanism
from .risk import calibration
from .risk.attacks import attack_advantage, attack_bound
from .risk.reporting import report
from .specification import family, read

__all__ = ["main"]

_TARGETS = "epsilon", "advantage", "posterior_belief", "exceedance", "fpr", "tpr", "baseline", "success"
_PRIORS = {"none": None, "jeffreys": jeffreys_prior, "u-quadratic": u_quadratic_prior}


class _Misuse(Exception):
    """A wrong call, described in words."""


class _Parser(argparse.ArgumentParser):
    """Reports errors in one line, and treats -1e-5 and -inf as numbers, not as options."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._negative_number_matcher = re.compile(r"-(\.?\d|inf)")

    def error(self, message: str) -> NoReturn:
        raise _Misuse(message)


def main(arguments: list[str] | None = None) -> int:
    """Runs the command with these arguments, or with those of the process.

    Parameters
    ----------
    arguments : list of str, optional

    Returns
    -------
    int
        The exit code: 0 if there is an answer, 1 if there is none, 2 if the call was wrong, 130 if it was interrupted.

    Examples
    --------
    >>> from dptutor.command import main
    >>> main(["show", "Laplace(2)", "--delta", "0"])
    mechanism                          Laplace(scale=2.0, sensitivity=1.0)
    advantage                          0.2211992169
    minimax_bayes_error                0.3894003915
    epsilon, delta=0                   0.5
    error_bound                        1.01110223e-14
    0
    """
    if arguments is None and hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")  # for terminals that do not know Greek letters
    try:
        with warnings.catch_warnings(record=True) as noted:
            warnings.simplefilter("always")
            warnings.simplefilter("ignore", DeprecationWarning)
            options = _parser().parse_args(arguments)
            found = options.answer(options)
        print(_as_json(found) if options.json else _as_text(found), flush=True)
    except _Misuse as problem:
        return _complain(problem, 2)
    except BrokenPipeError:  # the reader has seen enough
        if arguments is None:  # Python writes out what is left when it ends
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return _complain("interrupted", 130)
    except Exception as problem:
        return _complain(_without_answer(problem), 1)
    for words in dict.fromkeys(str(each.message) for each in noted):
        _complain(f"warning: {words}", 0)
    return 0


class _NoAnswer(Exception):
    """A question without an answer, in words."""


def _without_answer(problem: Exception) -> str:
    """Why there is no answer, in words."""
    match problem:
        case _NoAnswer() | NumericalError():
            return str(problem)
        case MemoryError():
            return "this needs more memory than there is"
        case ArithmeticError():
            return f"this leads to numbers beyond the range of floating point ({problem})"
        case RecursionError():
            return "this is nested too deeply"
    return f"there is no answer, by a fault of dptutor: {type(problem).__name__}: {problem}"


def _complain(problem: object, code: int) -> int:
    words = (shortened(word, 80) for word in str(problem).split())
    print(f"dptutor: {shortened(' '.join(words), 1000)}", file=sys.stderr)
    return code


def _as_json(found: Any) -> str:
    # An escape is read by whoever reads JSON, in any encoding.
    is_unicode = (getattr(sys.stdout, "encoding", None) or "").lower().startswith("utf")
    return json.dumps(_finite(found), ensure_ascii=not is_unicode, indent=2, allow_nan=False)


def _finite(value: Any) -> Any:
    """What JSON can say: infinite numbers as text."""
    match value:
        case dict():
            return {name: _finite(each) for name, each in value.items()}
        case list() | tuple():
            return [_finite(each) for each in value]
        case float() if math.isinf(value):
            return "Infinity" if value > 0 else "-Infinity"
        case float():
            return float(value)
    return value


def _as_text(found: dict[str, Any]) -> str:
    return "\n".join(f"{name:<34} {_plain(value)}" for name, value in _flat(found))


def _flat(found: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Names and values, those of a mapping within one after another."""
    for name, value in found.items():
        if isinstance(value, dict):
            yield from ((f"{name}, {key}", each) for key, each in value.items())
        else:
            yield name, value


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_plain, value)) or "none"
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="dptutor", description="Differential privacy as hypothesis testing, in numbers.")
    parser.add_argument("--version", action="version", version=f"dptutor {import_module('dptutor').__version__}")
    parser.set_defaults(answer=_help(parser))
    commands = parser.add_subparsers(metavar="COMMAND", parser_class=_Parser)

    def command(
        name: str, answer: Callable[[Any], Any], summary: str, within: Any = commands
    ) -> argparse.ArgumentParser:
        added = within.add_parser(name, help=summary, description=summary)
        added.add_argument("--json", action="store_true", help='as JSON; an infinite number is the text "Infinity"')
        added.set_defaults(answer=answer)
        return added

    mechanism: dict[str, Any] = {
        "help": "a mechanism as it prints, like 'DPSGD(0.6, 0.01, 500)' or 'Gaussian(sigma=2) ** 10', or a file: a "
        "text with one, or with a statement of TensorFlow Privacy; a table (CSV); or JSON: the history of an "
        "accountant of Opacus, a measure and a distance of OpenDP, or a distribution of dp-accounting"
    }
    show = command("show", _show, "What an adversary learns; error_bound is that of advantages, Bayes errors and δ.")
    show.add_argument("mechanism", **mechanism)
    show.add_argument("--delta", type=_numeric, action="append", default=[], help="ε at this δ; may be repeated")
    show.add_argument("--epsilon", type=_numeric, action="append", default=[], help="δ at this ε; may be repeated")
    show.add_argument("--prior", type=_numeric, action="append", default=[], help="Bayes error at this prior")
    show.add_argument(
        "--baseline", type=_numeric, action="append", default=[],
        help="the largest success of attacks whose blind guess succeeds with this probability, and what it gains on it",
    )  # fmt: skip

    show.add_argument(
        "--strongest", action="store_true",
        help="of all mechanisms that have the points of a file (fpr,tpr or epsilon,delta), the one that reveals "
        "least instead of the one that reveals most",
    )  # fmt: skip

    compare = command("compare", _compare, "Which of two mechanisms is the safer choice, and by how much.")
    compare.add_argument("first", **mechanism)
    compare.add_argument("second", **mechanism)
    compare.add_argument("--hyper-prior", choices=_PRIORS, default="none", help="weight of the adversary's prior")

    calibrate = command("calibrate", _calibrate, "The mechanism of a family that meets a target exactly.")
    calibrate.add_argument("family", help="a mechanism with ? for the number to be found: 'DPSGD(?, 0.01, 500)'")
    for name, words in {
        "epsilon": "target: ε at --delta",
        "advantage": "target: the membership advantage",
        "posterior-belief": "target: the belief that --membership-prior may grow to",
        "exceedance": "how often the belief may be exceeded, instead of --delta",
        "fpr": "target: with --tpr, the rate of false positives of membership attacks",
        "tpr": "the rate of true positives that is not exceeded at --fpr",
        "baseline": "target: with --success, how often a blind guess of an attack succeeds",
        "success": "the success that no attack with this --baseline exceeds",
    }.items():
        calibrate.add_argument(f"--{name}", type=_numeric, help=words)
    calibrate.add_argument("--delta", type=_numeric, default=0.0, help="default 0")
    calibrate.add_argument("--membership-prior", type=_numeric, default=0.5, help="belief beforehand, default 0.5")

    reports = command("report", _report, "What to publish about a mechanism, and how much that leaves open.")
    reports.add_argument("mechanism", **mechanism)
    reports.add_argument("--floor", type=_numeric, default=1e-10, help="the δ down to which μ holds, default 1e-10")
    reports.add_argument("--delta", type=_numeric, default=1e-5, help="the δ of the pair (ε, δ), default 1e-5")

    summary = "What guesses about who was in the data show of a training run."
    audits = commands.add_parser("audit", help=summary, description=summary)
    audits.set_defaults(answer=_help(audits))
    kinds = audits.add_subparsers(metavar="EVIDENCE", parser_class=_Parser)
    claim: dict[str, Any] = {"help": mechanism["help"] + ": what the training claims to be dominated by"}
    level: dict[str, Any] = {
        "type": _numeric,
        "default": 0.01,
        "help": "how often a true claim may be refuted, default 0.01",
    }
    one_run = command("one-run", _audit_one_run, "Right guesses about many canaries of one training run.", kinds)
    _counts(one_run, right="right guesses", guesses="guesses made", canaries="canaries, each in the data by a coin")
    one_run.add_argument("--claim", **claim)
    one_run.add_argument("--level", **level)
    one_run.add_argument(
        "--method", choices=("any", "gaussian"), default="any",
        help="of ε at --delta: of any mechanism (default), or of Gaussian ones",
    )  # fmt: skip
    rates = command(
        "rates", _audit_rates, "The errors of one attack over repetitions, with and without the example.", kinds
    )
    _counts(
        rates,
        false_positives="training runs without the example that were taken for ones with it, of",
        negatives="so many",
        false_negatives="training runs with the example that were taken for ones without it, of",
        positives="so many",
    )
    scores = command("scores", _audit_scores, "The scores of an attack over repetitions.", kinds)
    scores.add_argument("file", help="a table (CSV) with the columns member (1 if the example was in) and score")
    for estimated in (one_run, rates, scores):
        estimated.add_argument("--delta", type=_numeric, default=0.0, help="the δ of ε, default 0")
        estimated.add_argument("--confidence", type=_numeric, default=0.95, help="of the interval, default 0.95")
    guesses = command("guesses", _audit_guesses, "Guesses, one after another; may be asked again after each.", kinds)
    guesses.add_argument("file", help="a table (CSV) with the columns member and guess, 1 for in, of coins' choices")
    guesses.add_argument("--claim", required=True, **claim)
    guesses.add_argument("--level", **level)

    explore = command("explore", _explore, "An explorer as a page of its own, shown in the browser.")
    explore.add_argument("name", nargs="?", default="list", help="like delta_divergence; without one, all are named")
    explore.add_argument("setting", nargs="*", default=[], help="like sigma=0.7")
    explore.add_argument("--out", type=Path, help="where to write the page (default: NAME.html)")
    explore.add_argument("--no-browser", action="store_true", help="only write the page")
    return parser


def _help(parser: argparse.ArgumentParser) -> Callable[[object], None]:
    """What a command without a subcommand answers."""

    def answer(_: object) -> None:
        parser.print_help()
        parser.exit()

    return answer


def _counts(parser: argparse.ArgumentParser, **words: str) -> None:
    for name, meaning in words.items():
        parser.add_argument(name, type=_whole, metavar=name.upper(), help=meaning)


def _whole(text: str) -> int:
    if text.isascii() and text.isdecimal() and len(text) < 16:
        return int(text)
    raise argparse.ArgumentTypeError(f"{shown(text)} is not a whole number")


def _numeric(text: str) -> float:
    try:
        if text.isascii():
            return float(text)
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"{shown(text)} is not a number")


def _understood(function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """What a function gives; its complaints about arguments are those of a wrong call."""
    try:
        return function(*arguments, **options)
    except (TypeError, ValueError) as problem:
        raise _Misuse(problem) from None


def _read(text: str) -> Mechanism:
    """The mechanism of a text or of a file."""
    return _of_file(read_file, text) if _is_file(text) else _understood(read, text)


def _is_file(text: str) -> bool:
    return text.startswith("@") or Path(text).suffix in (".csv", ".json", ".txt") or os.path.isfile(text)


def _of_file(reading: Callable[..., Any], path: str, *names: str) -> Any:
    """What `reading` makes of a file; a shell needs no @ before its name, but may have one."""
    path = path.removeprefix("@")
    try:
        return _understood(reading, path, *names)
    except OSError as problem:
        raise _Misuse(f"{shown(path)} cannot be read: {problem.strerror}") from None


def _strongest(text: str) -> Mechanism:
    """Of all mechanisms that have the points of a file the one that reveals least."""
    if not _is_file(text):
        raise _Misuse(f"--strongest needs a file of points, as in roc.csv, got {shown(text)}")
    return _of_file(read_band, text).strongest


def _show(options: argparse.Namespace) -> dict[str, Any]:
    m = (_strongest if options.strongest else _read)(options.mechanism)
    found: dict[str, Any] = {"mechanism": repr(m)}
    # A mechanism may be beyond what can be computed, which is told here.
    found |= {name: _understood(getattr, m, name) for name in ("advantage", "minimax_bayes_error")}
    asked: dict[str, tuple[Callable[..., Any], str]] = {
        "epsilon": (m.epsilon, "delta"),
        "delta": (m.privacy_profile, "epsilon"),
        "bayes_error": (m.bayes_error, "prior"),
        "attack_bound": (partial(attack_bound, m), "baseline"),
        "attack_advantage": (partial(attack_advantage, m), "baseline"),
    }
    for name, (face, at) in asked.items():
        if values := getattr(options, at):
            found[name] = {f"{at}={_key(x)}": _understood(face, x) for x in values}
    return found | {"error_bound": m.error_bound}


def _key(x: float) -> str:
    """As short as it identifies the number."""
    return f"{x:g}" if float(f"{x:g}") == x else repr(x)


def _compare(options: argparse.Namespace) -> dict[str, Any]:
    first, second = _read(options.first), _read(options.second)
    density = _PRIORS[options.hyper_prior]
    answer = {"first": repr(first), "second": repr(second), "hyper_prior": options.hyper_prior}
    if density is None:
        found = _understood(blackwell.compare, first, second)
        regrets = [found.divergence, found.reverse_divergence]
        verdict = found.verdict
        if not options.json and first != second:  # the names stand above it
            verdict = verdict.replace(repr(first), "FIRST").replace(repr(second), "SECOND")
        more = {"crossings": [float(prior) for prior in found.crossings], "verdict": verdict}
    else:
        pairs = (first, second), (second, first)
        regrets = [_understood(blackwell.delta_divergence, *pair, prior_density=density) for pair in pairs]
        more = {}
    for name, d in zip(("regret_of_second", "regret_of_first"), regrets, strict=True):
        answer[name] = {"delta_divergence": d.value, "prior": d.prior, "error_bound": d.error_bound}
    return answer | more


def _calibrate(options: argparse.Namespace) -> dict[str, Any]:
    targets = {name: getattr(options, name) for name in _TARGETS}
    given = {name: value for name, value in targets.items() if value is not None}
    members = _understood(family, options.family)
    _understood(members, 1.0)  # a wrong name or number is told before any search
    try:
        m = calibration.calibrate(members, delta=options.delta, membership_prior=options.membership_prior, **given)
    except calibration.Unreachable as problem:
        without_delta = not options.delta and {"epsilon", "posterior_belief"} & given.keys()
        raise _NoAnswer(f"{problem}; give --delta, as in --delta 1e-5" if without_delta else problem) from None
    except (TypeError, ValueError) as problem:
        raise _Misuse(problem) from None
    found = {"mechanism": repr(m), "advantage": m.advantage}
    if options.delta:
        found["epsilon"] = {f"delta={_key(options.delta)}": m.epsilon(options.delta)}
    return found


def _report(options: argparse.Namespace) -> dict[str, Any]:
    return _understood(report, _read(options.mechanism), floor=options.floor, delta=options.delta).as_dict()


def _audit_one_run(options: argparse.Namespace) -> dict[str, Any]:
    auditing = import_module("dptutor.auditing")
    counts = options.right, options.guesses, options.canaries
    if options.claim is not None:
        return _verdict(_understood(auditing.judge_one_run, *counts, _read(options.claim), level=options.level))
    estimate, how = auditing.epsilon_from_one_run, {"method": options.method, "confidence": options.confidence}
    return _estimate(_understood(estimate, *counts, options.delta, **how))


def _audit_rates(options: argparse.Namespace) -> dict[str, Any]:
    counts = options.false_positives, options.negatives, options.false_negatives, options.positives
    estimate = import_module("dptutor.auditing").epsilon_from_rates
    return _estimate(_understood(estimate, *counts, options.delta, confidence=options.confidence))


def _audit_scores(options: argparse.Namespace) -> dict[str, Any]:
    member, scores = _of_file(read_columns, options.file, "member", "score")
    estimate = import_module("dptutor.auditing").epsilon_from_scores
    return _estimate(
        _understood(estimate, _truth("member", member), scores, options.delta, confidence=options.confidence)
    )


def _audit_guesses(options: argparse.Namespace) -> dict[str, Any]:
    auditing = import_module("dptutor.auditing")
    rows = _of_file(read_columns, options.file, "member", "guess")
    member, guess = (_truth(name, row) for name, row in zip(("member", "guess"), rows, strict=True))
    guesses = _understood(auditing.Guesses, member, guess)
    return _verdict(_understood(auditing.judge_anytime, guesses, _read(options.claim), level=options.level))


def _truth(name: str, column: np.ndarray) -> np.ndarray:
    """A column of zeros and ones as truth values."""
    wrong = [value for value in column.tolist() if value not in (0.0, 1.0)]
    if wrong:
        raise _Misuse(f"{name} must be 0 or 1, got {wrong[0]:g}")
    return column == 1.0


def _estimate(found: Any) -> dict[str, Any]:
    names = "value", "low", "high", "confidence"
    return {name: getattr(found, name) for name in names} | {"refuted_below_low": found.refutes}


def _verdict(found: Any) -> dict[str, Any]:
    return {"refuted": found.caught, "evidence": found.evidence, "p_value": found.p_value, "level": found.level}


def _explore(options: argparse.Namespace) -> Any:
    explore = import_module("dptutor.explore")
    if options.name == "list":
        return {name: getattr(explore, name).title for name in explore.__all__}
    if options.name not in explore.__all__:
        near = get_close_matches(options.name[:80], explore.__all__, 1)
        meant = f"did you mean {near[0]}?" if near else f"there are {', '.join(explore.__all__)}"
        raise _Misuse(f"there is no explorer {shortened(options.name)}; {meant}")
    explorer = getattr(explore, options.name)()
    setting = {}
    for text in options.setting:
        name, equals, value = text.partition("=")
        if not equals or name not in explorer.parameters:
            known = ", ".join(f"{name}=…" for name in explorer.parameters)
            raise _Misuse(f"{shown(text)} is not a setting: there are {known}")
        if name in setting:
            raise _Misuse(f"{name} is set twice")
        is_number = hasattr(explorer.parameters[name], "min")
        setting[name] = _understood(_setting, name, value) if is_number else value
    _understood(explorer.set, **setting)
    path = options.out or Path(f"{options.name}.html")
    if path.is_dir():
        raise _NoAnswer(f"{path} cannot be written: it is a folder")
    if not os.access(path.parent, os.W_OK):
        raise _NoAnswer(f"{path} cannot be written: there is no such folder, or it is not yours")
    _complain(f"computing every setting of {options.name} for {path}, which may take a minute", 0)
    try:
        explorer.freeze(path)
    except (OSError, ValueError) as problem:
        raise _NoAnswer(f"{path} cannot be written: {getattr(problem, 'strerror', problem)}") from None
    if not options.no_browser:
        webbrowser.open(path.resolve().as_uri())
    return {"explorer": options.name, "page": str(path)}


def _setting(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{name} must be a number, got {shown(text)}") from None
