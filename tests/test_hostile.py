"""Hostile arguments, everywhere: a documented answer or a documented error, without a warning, a NaN or a hang."""

import inspect
import io
import math
import re
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from conftest import each, examples
from hypothesis import example, given, settings
from hypothesis import strategies as st
from strategies import documented

import dptutor as dp
from dptutor import accounting, auditing
from dptutor._validation import array_shape, random_generator
from dptutor.mechanisms.loss import PrivacyLoss

NUMBERS = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 3, 1e-5, 5e-324, 2.3e-308, 1e-300, 1e-16, 1 - 1e-16, 1 + 1e-16, 40.0, 700.0,
           745.2, 1e4, 1e9, 1e16, 1e155, 1e300, 1.8e308, 10**400, math.nan, math.inf, -math.inf]  # fmt: skip
STRANGE = [None, True, "0.5", "", b"1", 1j, [], [[]], {}, (), object(), int, np.nan, np.float16(0.3), np.float32(0.7),
           np.int8(1), np.array([]), np.array(0.5), np.array([[0.2, 0.8]]), np.array(["a"]), np.array([None, 1.0]),
           np.zeros((2, 0, 3)), np.array([0.1, math.nan]), np.array([True]), [0.5, 0.5], [0.3, [0.7]], ...,
           Fraction(1, 3), Decimal("0.3"), Decimal("1e400"), np.ma.array([0.5], mask=[True]), {0.5: 1}, {0.5},
           [10**400], np.longdouble("1e4000")]  # fmt: skip

numbers = st.one_of(st.sampled_from(NUMBERS), st.floats(), st.floats(0, 1))
hostile = st.one_of(numbers, numbers, st.sampled_from(STRANGE), st.lists(st.floats(0, 1), max_size=4))
MECHANISMS = [
    dp.Gaussian(1.0), dp.Gaussian(1e-8), dp.Gaussian(1e9), dp.Laplace(0.01), dp.Laplace(1e6),
    dp.RandomizedResponse(0.0), dp.RandomizedResponse(40.0), dp.ApproximateDP(1.0, 1e-300), dp.ApproximateDP(0.0, 1.0),
    dp.PerfectPrivacy(), dp.BlatantlyNonPrivate(), dp.FiniteExperiment([1.0, 0.0], [1e-300, 1.0]),
    dp.SubsampledGaussian(0.3, 1e-9), dp.DPSGD(1.0, 0.01, 1000), dp.DPSGD(50.0, 1e-4, 10**9),
    dp.join(dp.Gaussian(1.0), dp.Laplace(1.0)), dp.meet(dp.Gaussian(1.0), dp.ApproximateDP(1.0, 0.1)),
]  # fmt: skip
mechanisms = st.sampled_from(MECHANISMS)

FAMILIES = [dp.Gaussian, dp.Laplace, lambda b: dp.Laplace(b)]
CURVES = [np.exp, lambda x: 0.5 * (1 - x), dp.Gaussian(1.0).privacy_profile, dp.Laplace(1.0).tradeoff, int]
WORDS = ["P", "Q", "both", "add", "improved", "standard", "", None, 1.0, []]
sizes = st.one_of(st.integers(-2, 20), st.lists(st.integers(-1, 4), max_size=3).map(tuple), st.sampled_from(
    [10**12, 10**400, (10**6, 10**6), 1.5, "3", None, True, (None,), [2, 2]]))  # fmt: skip
seeds = st.sampled_from([None, 0, 7, -1, 10**400, [1, 2], [1, -2], 1.5, "seed", True, np.random.default_rng(3), {}])

PAIR = auditing.Neighbors(np.eye(3), [0, 1, 1], 2)
NETWORK = auditing.Network((3, 2))
TRAINING = auditing.Training(NETWORK, 4.0, steps=3)
WORKERS = ThreadPoolExecutor(1)
SEEN = auditing.experiment(TRAINING, PAIR, 6)
few = st.one_of(st.integers(-2, 6), st.sampled_from([10**400, 2.0, "3", None, True]))
rows = st.one_of(
    st.sampled_from([np.ones((4, 3)), np.zeros((4, 3)), np.full((2, 3), math.nan), np.ones((2, 5)), np.ones(3)]),
    hostile,
)
truths = st.one_of(st.lists(st.booleans(), max_size=6), hostile)

# What a parameter is given, by its name; all others are numbers.
ARGUMENTS = {
    "mechanism": st.one_of(mechanisms, mechanisms, hostile), "other": st.one_of(mechanisms, mechanisms, hostile),
    "family": st.sampled_from([*FAMILIES, None, 3]), "other_family": st.sampled_from([*FAMILIES, None, 3]),
    "prior_density": st.sampled_from([dp.jeffreys_prior, dp.u_quadratic_prior, "flat", 1.0]),
    "second_derivative": st.sampled_from([lambda x: 1 / x, lambda x: 2.0 + 0 * x, None, 1.0]),
    "profile": st.one_of(st.sampled_from(CURVES), hostile), "tradeoff": st.one_of(st.sampled_from(CURVES), hostile),
    "bayes_error": st.one_of(st.sampled_from(CURVES), hostile),
    "size": sizes, "seed": seeds,
    "sensitivities": st.one_of(st.just([0.0, 1.0, 2.5]), hostile),
    "probabilities": st.one_of(st.just([0.5, 0.25, 0.25]), hostile),
}  # fmt: skip
# … in audits.
ARGUMENTS |= {
    "claim": st.one_of(mechanisms, mechanisms, hostile),
    "training": st.one_of(st.just(TRAINING), hostile),
    "network": st.one_of(st.just(NETWORK), hostile),
    "neighbors": st.one_of(st.just(PAIR), hostile),
    "experiment": st.one_of(st.just(SEEN), hostile),
    "repetitions": few,
    "steps": st.one_of(few, hostile),
    "index": few,
    "widths": st.one_of(st.lists(st.integers(-1, 4), max_size=4), hostile),
    "filters": st.one_of(st.lists(st.integers(-1, 4), max_size=3), hostile),
    "classes": st.one_of(st.integers(-1, 4), hostile),
    "guesses": st.one_of(st.just(auditing.identify(SEEN)), hostile),
    "member": truths,
    "guess": truths,
    "coin": st.booleans(),
    "flaw": st.sampled_from([auditing.SOUND, auditing.SAME_NOISE, None, "sound"]),
    "transcript": st.one_of(st.just(auditing.record(TRAINING, PAIR, 4)), hostile),
    "features": rows,
    "labels": st.one_of(st.lists(st.integers(-1, 2), max_size=5), hostile),
    "replacement": st.sampled_from([None, (np.ones(3), 1), (np.ones(2), 5), 3, (1,)]),
    "pool": rows,
    "kind": st.sampled_from([*auditing.DISSIMILARITIES, "far", None, 3]),
    "first": rows,
    "second": rows,
    "image_shape": st.sampled_from([None, (1, 3), (2, 2), 3, "x"]),
    "least": st.booleans(),
    "checkpoint": st.sampled_from([None, 0, 2, -1]),
    "executor": st.sampled_from([None, WORKERS, 3]),
    "progress": st.sampled_from([None, lambda *_: None, 3]),
    "stream": st.sampled_from([None, io.StringIO()]),
    "width": few,
    "wins": few,
    "text": st.one_of(st.sampled_from(["Gaussian(1)", "DPSGD(?, 1, 2)", "Gaussian(", "allowed_by(rho=1)"]), hostile),
    "right": few,
    "canaries": few,
    "false_positives": few,
    "false_negatives": few,
    "positives": few,
    "negatives": few,
    "scores": rows,
    "successes": few,
    "trials": few,
    "losses": rows,
    "sensitivities": rows,
    "sigmas": rows,
    "sample": rows,
    "released": rows,
    "with_example": rows,
    "without": rows,
    "name": st.text(max_size=3),
    "noise": numbers,
    "categories": few,
    "epochs": few,
    "users": few,
    "members": few,
    "answers": few,
    "examples": few,
    "largest_batch": few,
    "strategy": rows,
    "clips": st.booleans(),
    **dict.fromkeys(("unit", "released", "batches", "tuning"), st.one_of(st.none(), st.text(max_size=8), hostile)),
    "first_step_only": st.booleans(),
    "same_noise": st.booleans(),
}


def public(*modules):
    """Every function and class that users may call, by its full name."""
    found = {}
    for module in modules:
        for name in module.__all__:
            each = getattr(module, name)
            if callable(each) and not inspect.ismodule(each):
                found[f"{module.__name__}.{name}"] = each
    return found


PUBLIC = public(dp, dp.accounting, dp.auditing, dp.conversions, dp.divergences)
# These are answers, which the library makes.
MADE = {
    dp.Certificate, dp.Comparison, dp.DeltaDivergence, dp.Dominance, dp.Garbling, dp.Mechanism, dp.OrderCertificate,
    dp.Report, dp.Statement, dp.Witness, auditing.Estimate, auditing.Experiment, auditing.GradientRows,
    auditing.PerExample, auditing.Verdict,
    dp.AsymptoticDominance, dp.CompositionMoments, dp.DominanceBound,
}  # fmt: skip
CALLED = {name: each for name, each in PUBLIC.items() if each not in MADE | {dp.NumericalError, dp.Unreachable}}
MAKERS = [each for each in CALLED.values() if inspect.isclass(each) and issubclass(each, dp.Mechanism)]
FACES = ["tradeoff", "privacy_profile", "bayes_error", "epsilon", "renyi_divergence", "hellinger_transform"]


@st.composite
def arguments(draw, function):
    """Arguments by name: all that are required, and some of the others."""
    given = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.default is parameter.empty or draw(st.booleans()):
            words = isinstance(parameter.default, str)
            given[name] = draw(st.sampled_from(WORDS) if words else ARGUMENTS.get(name, hostile))
    return given


@contextmanager
def limited(what, seconds=20):
    """Fails where a call does not end; what is slow on a slow machine still passes."""

    def tell(*_):
        raise AssertionError(f"{what} did not end within {seconds} s")

    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "SIGALRM"):
        yield
        return
    before = signal.signal(signal.SIGALRM, tell)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def answered(function, *arguments, **options):
    """What it answers, which has no NaN, or None where it refuses in words."""
    what = f"{getattr(function, '__qualname__', function)}({', '.join(map(repr, arguments))}, {options})"
    refused = "no"
    with limited(what):
        try:
            found = function(*arguments, **options)
        except (ValueError, TypeError) as refusal:
            refused = str(refusal)
            found = None
    assert refused, what
    assert "\n" not in refused, what
    if isinstance(found, (int, float, complex, np.ndarray)):
        assert not np.isnan(found).any(), f"{what} is {found}"
    return found


@given(st.sampled_from(MAKERS), st.data())
@settings(max_examples=examples(600))
def test_a_mechanism_is_made_or_refused_and_then_answers(maker, data):
    m = answered(maker, **data.draw(arguments(maker)))
    if m is None:
        return
    assert eval(repr(m), vars(dp)) == m
    for face, values in {"tradeoff": [0.0, 1e-300, 0.3, 1.0], "bayes_error": [0.0, 0.5, 1 - 1e-16, 1.0]}.items():
        found = answered(getattr(m, face), values)
        assert ((found >= 0) & (found <= 1)).all()
    profile = answered(m.privacy_profile, [-800.0, -1.0, 0.0, 1e-9, 1.0, 800.0, math.inf])
    assert ((profile >= 0) & (profile <= 1)).all()
    assert answered(m.epsilon, [1e-5, 0.5, 1.0]) is not None
    assert 0 <= m.advantage <= 1


@given(mechanisms, st.sampled_from(FACES), hostile)
@settings(max_examples=examples(800))
@example(dp.Gaussian(1.0), "renyi_divergence", 1e300)
@example(dp.DPSGD(1.0, 0.01, 1000), "renyi_divergence", 1e16)
@example(dp.DPSGD(1.0, 0.01, 1000), "epsilon", 5e-324)
def test_a_face_answers_or_refuses(m, face, value):
    answered(getattr(m, face), value)


@given(mechanisms, hostile)
@settings(max_examples=examples(150))
def test_a_composition_is_made_or_refused_and_then_answers(m, count):
    with suppress(OverflowError):
        composed = answered(lambda: m**count)
        if composed is not None:
            answered(composed.bayes_error, [0.0, 1e-9, 0.5, 1.0])


@pytest.mark.cases(15)
@pytest.mark.parametrize("name", CALLED)
def test_what_is_public_answers_or_refuses(name):
    function = CALLED[name]

    @given(arguments(function))
    @settings(max_examples=examples(40) if {"mechanism", "family"} & {*inspect.signature(function).parameters} else 120)
    def asked(given):
        answered(function, **given)

    asked()


@pytest.mark.parametrize(
    "method", [name for name in dir(dp.PosteriorBelief) if name[0] != "_" and name != "membership_prior"]
)
def test_a_posterior_belief_answers_or_refuses(method):
    @given(mechanisms, st.floats(0.01, 0.99), st.data())
    @settings(max_examples=examples(60))
    def asked(m, prior, data):
        function = getattr(dp.PosteriorBelief(m, prior), method)
        answered(function, **data.draw(arguments(function)))

    asked()


@pytest.mark.parametrize("method", [name for name in dir(PrivacyLoss) if name[0] != "_" and name != "mechanism"])
def test_a_privacy_loss_answers_or_refuses(method):
    @given(mechanisms, st.data())
    @settings(max_examples=examples(60))
    def asked(m, data):
        function = getattr(m.privacy_loss, method)
        answered(function, **data.draw(arguments(function)))

    asked()


@given(hostile, hostile)
@settings(max_examples=examples(120))
def test_a_calibration_answers_or_refuses(first, second):
    answered(dp.calibrate, dp.Gaussian, epsilon=first, delta=second)
    answered(dp.calibrate, dp.Laplace, advantage=first)
    answered(dp.calibrate, lambda b: dp.Laplace(b), posterior_belief=first, membership_prior=second)


@pytest.mark.parametrize(
    ("noise", "rate"), [(1.0, 1e-200), (1e-149, 0.5), (1e-149, 1.0), (1e-149, 1e-200), (1e300, 1e-200)]
)
def test_steps_with_hardly_any_noise_or_participation_answer(noise, rate):
    m = dp.SubsampledGaussian(noise, rate)
    for face in (m.tradeoff, m.bayes_error, m.epsilon):
        answered(face, [0.0, 0.3, 1.0])
    answered(m.privacy_profile, [-800.0, 0.0, 1e-9, 800.0])
    answered(m.hellinger_transform, [0.5, 2.0])


@pytest.mark.parametrize("rate", [5e-324, 1e-300])
def test_less_participation_than_can_be_squared_is_refused(rate):
    with pytest.raises(ValueError, match=f"^sampling_rate must be at least 1e-200, got {rate}$"):
        dp.SubsampledGaussian(1.0, rate)


def test_less_noise_than_can_be_squared_is_refused():
    with pytest.raises(ValueError, match=r"^noise_multiplier must be greater than 1e-150, got 5e-324$"):
        dp.SubsampledGaussian(5e-324, 0.5)


# Whoever gives something wrong is told which argument it was.

WRONG = [math.nan, "wrong", object(), -1.5, 1j, [None]]
# What is wrong wherever an argument has one of these names.
OUTSIDE = {
    0: "answer_scale answers canaries categories classes clip confidence count counts epochs examples exceedance floor "
       "fpr largest_batch learning_rate level members membership_prior noise_multiplier orders other_count power "
       "posterior_belief probability repetitions sampling_rate scale sensitivity sigma size slack steps "
       "threshold_scale tpr trials users win_rate",
    1.0: "confidence exceedance floor fpr level membership_prior orders posterior_belief power probability slack "
         "success tpr",
    1.5: "advantage alpha baseline belief delta gamma leak prior prior_success sampling_rate win_rate",
    math.inf: "answer_scale clip largest_finite_loss largest_loss learning_rate noise_multiplier s scale sensitivity "
              "sigma threshold_scale",
}  # fmt: skip
# What is right: anything, any text, or such a number.
ANYTHING = {"with_error", "clips", "first_step_only", "same_noise", "coin", "least", "name", "noise", "image_shape",
            "stream", "width"}  # fmt: skip
TEXTS = {"unit", "released", "batches", "tuning", "checkpoint"}
NEGATIVE = {"privacy_profile", "profile_from_bayes_error", "profile_from_tradeoff"}
# Arguments that are accepted, by their names: of all functions, and of some.
RIGHT = {
    "advantage": 0.3, "alpha": 0.1, "baseline": 0.1, "belief": 0.9, "beta": 0.3, "bracket": (0.1, 10.0), "clip": 1.0,
    "confidence": 0.9, "count": 3, "counts": [3, 5], "delta": 0.01, "epsilon": 1.0, "exceedance": 0.01, "fpr": 0.1,
    "largest_finite_loss": 1.0, "largest_loss": 1.0, "leak": 0.1, "learning_rate": 0.1, "level": 0.05, "mu": 1.0,
    "noise_multiplier": 1.0, "order": 2.0, "orders": [2.0, 3.0], "other_count": 3, "p": [0.5, 0.5], "q": [0.4, 0.6],
    "power": 0.9, "prior": 0.3, "prior_success": 0.1, "probability": 0.3, "rdp": [0.1, 0.2], "rho": 0.1,
    "sampling_rate": 0.1, "scale": 1.0, "sensitivity": 1, "sigma": 1.0, "slack": 1e-6, "steps": 3, "success": 0.3,
    "win_rate": 0.9, "s": 0.5, "mechanism": dp.Gaussian(1.0), "other": dp.Laplace(1.0), "claim": dp.Gaussian(1.0),
    "family": dp.Gaussian, "other_family": dp.Laplace, "training": TRAINING, "network": NETWORK, "neighbors": PAIR,
    "experiment": SEEN, "repetitions": 3, "widths": (3, 2), "index": 1, "guesses": 4, "member": [True, False, True],
    "guess": [True, True, False], "transcript": auditing.record(TRAINING, PAIR, 4), "features": np.eye(3),
    "labels": [0, 1, 1], "first": np.ones((2, 3)), "second": np.ones((2, 3)), "kind": "euclidean", "right": 3,
    "text": "Gaussian(1)", "canaries": 9, "wins": 3, "false_positives": 1, "false_negatives": 1, "positives": 4,
    "negatives": 4, "successes": 2, "trials": 4, "losses": [0.1, 0.2], "sensitivities": np.ones((2, 3)),
    "sigmas": np.ones((2, 3)), "sample": [0.1, 0.2], "name": "x", "categories": 3, "users": 5, "members": 2,
    "answers": 2, "examples": 100, "largest_batch": 20, "strategy": [[1.0]], "size": 2, "gamma": 0.3,
    "threshold_scale": 1.0, "answer_scale": 1.0, "profile": np.exp, "tradeoff": CURVES[1],
    "bayes_error": lambda prior: np.minimum(prior, 1 - prior), "second_derivative": lambda x: 1 / x,
    "released": np.ones((2, 3, 4)), "with_example": np.ones((2, 3, 4)), "without": np.ones((2, 3, 4)),
}  # fmt: skip
SEEN_GUESSES = {"guesses": auditing.identify(SEEN)}
OF_ONE = {
    dp.allowed_by: {"mu": 1.0},
    dp.calibrate: {"posterior_belief": 0.9, "delta": 0.01},
    dp.garbling: {"mechanism": dp.RandomizedResponse(2), "other": dp.RandomizedResponse(1)},
    dp.conversions.dominating_pair: {"alpha": [0.0, 0.5, 1.0], "beta": [1.0, 0.3, 0.0]},
    auditing.epsilon_from_scores: {"member": [True, True, False, False], "scores": [1.0, 2.0, 3.0, 4.0]},
    **dict.fromkeys((auditing.judge, auditing.judge_anytime, auditing.evidence_by_betting), SEEN_GUESSES),
    auditing.Transcript: {"sigma": np.ones((2, 3)), "sensitivity": np.ones((2, 3)), "member": [True, False]},
}  # fmt: skip
# What a parameter is called beside its name.
ALIASES = {"largest_loss": "epsilon", "largest_finite_loss": "epsilon", "leak": "delta", "text": "specification"}
FACED = {f"{type(m).__name__}.{face}": getattr(m, face) for m in MECHANISMS[::6] for face in FACES}


def test_who_gives_something_wrong_is_told_which_argument_it_was(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # "wrong" may be the name of a file
    faults = []
    for called, function in {**CALLED, **FACED}.items():
        parameters = inspect.signature(function).parameters
        if function is auditing.Classifier:  # is abstract
            continue
        required = [name for name, one in parameters.items() if one.default is one.empty]
        shown = documented(function) if function in MAKERS else {}
        own = {name: shown[name] for name in required if name in shown} | OF_ONE.get(function, {})
        missing = [name for name in required if name not in own | RIGHT]
        assert not missing, f"add what {', '.join(missing)} of {called} may be to RIGHT in tests/test_hostile.py"
        given = {name: RIGHT.get(name) for name in required} | own
        function(**given)
        for name in parameters:
            outside = [value for value, names in OUTSIDE.items() if name in names.split()]
            for wrong in [*WRONG, *outside]:
                try:
                    function(**given | {name: wrong})
                except (ValueError, TypeError) as told:
                    if not re.search(rf"\b({name}|{ALIASES.get(name, name)})\b", str(told)):
                        faults.append(f"{called}, {name} = {wrong!r}: {told}")
                else:
                    if not is_right(called, name, wrong):
                        faults.append(f"{called} takes {name} = {wrong!r}")
    assert not faults


def is_right(called, name, value):
    if name == "s":
        return value in (-1.5, 1j)
    if name == "epsilon":
        return value == -1.5 and called.rpartition(".")[2] in NEGATIVE
    return name in ANYTHING or (name in TEXTS and isinstance(value, str))


# Arguments of unusual kinds.


def test_fractions_and_decimals_are_real_numbers():
    assert dp.Gaussian(Fraction(1, 2)) == dp.Gaussian(Decimal("0.5")) == dp.Gaussian(0.5)
    third, g = Fraction(1, 3), dp.Gaussian(1.0)
    assert g.tradeoff([third, Decimal("0.5")]).tolist() == g.tradeoff([1 / 3, 0.5]).tolist()
    assert isinstance(g.tradeoff(third), float)
    assert g.tradeoff(np.array([[third], [1]], dtype=object)).shape == (2, 1)
    assert dp.FiniteExperiment([third, 2 * third], [1 - third, third]) == dp.FiniteExperiment(
        [1 / 3, 2 / 3], [2 / 3, 1 / 3]
    )


MASKED = np.ma.array([0.25, 0.75], mask=[False, True])


@each([
        (lambda: dp.Gaussian(1).tradeoff(MASKED), ValueError, r"^alpha must be in \[0, 1\], got a masked array"),
        (lambda: dp.FiniteExperiment(MASKED, [0.5, 0.5]), ValueError, "^p must be in .* got a masked array"),
        (lambda: dp.FiniteExperiment({0.25: 1, 0.75: 1}, [0.5, 0.5]), TypeError, r"^p must be .*: give its values$"),
        (lambda: dp.FiniteExperiment({0.25, 0.75}, [0.5, 0.5]), TypeError, "^p must be a sequence of probabilities"),
        (lambda: dp.Gaussian(10**400), ValueError, "^sigma must be greater than 0 .* an integer of about 401 digits$"),
        (lambda: dp.Gaussian(Fraction(10**400, 3)), ValueError, "^sigma must be greater than 0 and finite, got "),
        (lambda: dp.Gaussian(Decimal("1e400")), ValueError, r"^sigma must be .*, got Decimal\('1E\+400'\)$"),
        (lambda: dp.Gaussian(Decimal("sNaN")), ValueError, "^sigma must be .*, got Decimal.'sNaN'.$"),
        (lambda: dp.Gaussian(Decimal("nan")), ValueError, "^sigma must be .*, got nan$"),
        (lambda: dp.Gaussian(1).privacy_profile(-(10**400)), ValueError, r"^epsilon must be a number up to 1\.8e308"),
        (lambda: dp.Gaussian(1).tradeoff([0.3, [0.7]]), ValueError, r"^alpha must be a number or a rectangular array"),
        (lambda: dp.Gaussian(1).tradeoff([Fraction(1, 2), True]), TypeError, "^alpha must be a real number or an"),
        (lambda: dp.Gaussian(1).tradeoff("0" * 5000), TypeError, "^alpha must be a real number .{60,140}$"),
        (lambda: dp.Gaussian(1) ** 10**5000, ValueError, r"must be a positive integer up to 1e\+15, got an integer"),
        (lambda: dp.Gaussian(1) ** -3, ValueError, "must be a positive integer, got -3$"),
        (lambda: array_shape("size", -1), ValueError, "^size must be a whole number, or a tuple .* got -1$"),
        (lambda: array_shape("size", (3, -1)), ValueError, r"^size must be .* got \(3, -1\)$"),
        (lambda: array_shape("size", 10**12), ValueError, "^size must be .* at most 1e.08 entries, got 1000000000000$"),
        (lambda: array_shape("size", 2.0), TypeError, "^size must be .* got 2.0$"),
        (lambda: random_generator("seed", -1), ValueError, "^seed must be None, a non-negative integer .* got -1$"),
        (lambda: random_generator("seed", "x"), TypeError, "^seed must be None, a non-negative integer .* got 'x'$"),
        (lambda: auditing.experiment(TRAINING, PAIR, 1, seed=-1), ValueError, "^seed must be at least 0, got -1$"),
        (lambda: dp.Gaussian(1).hellinger_transform(complex(0, math.inf)), ValueError, "^s must be "),
        (lambda: dp.Gaussian(1).hellinger_transform([0.5, [1]]), ValueError, "^s must be "),
        (lambda: dp.Gaussian(1).hellinger_transform(np.ma.array([0.5j], mask=[True])), ValueError, "^s must be "),
        (lambda: dp.report(dp.Gaussian(1), delta=0), ValueError, r"^delta must be in \(0, 1\), got 0.0$"),
        (lambda: dp.report(dp.Gaussian(1), delta=1), ValueError, r"^delta must be in \(0, 1\), got 1.0$"),
        (lambda: accounting.rdp_to_delta([2.0], [1.0, 2.0], 1), ValueError, "equally long"),
        (lambda: accounting.rdp_to_epsilon([2.0], [1.0], 0), ValueError, r"^delta must be in \(0, 1\], got 0.0$"),
        (lambda: accounting.zcdp_to_delta(0, 1), ValueError, "^rho must be greater than 0"),
        (lambda: dp.composition_moments(dp.ApproximateDP(1, 1e-3)), ValueError, "must have finite losses"),
        (lambda: dp.composition_moments(dp.PerfectPrivacy()), ValueError, "losses other than 0"),
        (lambda: dp.BallsAndBins(0.01, 10), ValueError, r"^noise_multiplier must be in \[0.05, 1000\], got 0.01$"),
        (lambda: dp.BallsAndBins(1, 10**6), ValueError, "^steps must be at most 100000, got 1000000$"),
        (lambda: dp.ExponentialMechanism(0), ValueError, r"^epsilon must be in \(0, 700\], got 0"),
        (lambda: dp.SparseVector(1, 1, 800), ValueError, "must be in"),
        (lambda: dp.delta_divergence(dp.Gaussian(), dp.Laplace(), prior_density=lambda x: x * 0 - 1), ValueError,
            "^prior_density must be at least 0, got -1"),
    ])  # fmt: skip
def test_an_unusual_argument_is_refused_by_name_value_and_range(call, error, words):
    with pytest.raises(error, match=words) as refusal:
        call()
    assert len(str(refusal.value)) < 200


@pytest.mark.parametrize(
    "sample",
    [dp.Gaussian(1.0).privacy_loss.sample, dp.PosteriorBelief(dp.Gaussian(1.0)).sample],
    ids=["loss", "belief"],
)
def test_a_sample_of_an_impossible_size_or_seed_is_refused(sample):
    for size in (-1, 10**12, (2, -1)):
        with pytest.raises(ValueError, match=r"^size must be a whole number"):
            sample(size)
    with pytest.raises(ValueError, match=r"^seed must be None, a non-negative integer"):
        sample(3, seed=-1)
    assert sample(0).shape == (0,)
    assert sample((2, 3), seed=1).shape == (2, 3)


def test_a_masked_array_of_which_nothing_is_masked_is_an_array():
    m = dp.Gaussian(1.0)
    assert m.tradeoff(np.ma.array([0.25, 0.75])).tolist() == m.tradeoff([0.25, 0.75]).tolist()
