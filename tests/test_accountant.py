"""The accountant for the browser, book/accountant, in Chromium against the library."""

import json
import math
import random
import signal

import numpy as np
import pytest
from conftest import approx

import dptutor as dp
from content import ROOT
from dptutor.specification import family, read
from pages import classic

FOLDER = ROOT / "book" / "accountant"
MODULES = [name for name in json.loads((FOLDER / "package.json").read_text())["files"] if name.endswith(".js")]
NAMES = "calibrate, compare, Mechanism, read, Refused, SpecificationError, Unreachable"

PRIORS = [1e-4, 0.01, 0.1, 0.3, 0.5, 0.7, 0.95]
ALPHAS = [1e-6, 1e-3, 0.05, 0.3, 0.7]
EPSILONS = [-1.0, 0.0, 0.1, 1.0, 3.0, 10.0]
DELTAS = [1e-3, 1e-6, 1e-10]
FACES = {"bayesError": PRIORS, "tradeOff": ALPHAS, "delta": EPSILONS, "epsilon": DELTAS}
ASKED = """
([text, faces]) => {
  const mechanism = kernel.read(text);
  const answer = (face, at) => {
    try {
      const { value, errorBound } = mechanism[face](at);
      return [value, errorBound];
    } catch (problem) {
      if (!(problem instanceof kernel.Refused)) throw problem;
      return null;
    }
  };
  const answers = ([face, places]) => [face, places.map((at) => answer(face, at))];
  return Object.fromEntries(Object.entries(faces).map(answers));
}
"""
COMPARED = """
([a, b]) => {
  try {
    return kernel.compare(a, b);
  } catch (problem) {
    if (!(problem instanceof kernel.Refused)) throw problem;
    return null;
  }
}
"""

SETTINGS = [
    "Gaussian(1)",
    "Gaussian(0.01)",
    "Gaussian(2, 3) ** 4",
    "Laplace(1)",
    "Laplace(0.05)",
    "RandomizedResponse(1)",
    "DiscreteLaplace(1)",
    "DiscreteLaplace(scale=3, sensitivity=1) ** 10",
    "FixedBatches(0.8)",
    "RandomizedResponse(0)",
    "ApproximateDP(1, 1e-5)",
    "PerfectPrivacy()",
    "BlatantlyNonPrivate()",
    "SubsampledGaussian(1, 0.1)",
    "DPSGD(0.6, 0.01, 500)",
    "DPSGD(0.6, 0.01, 1)",
    "DPSGD(0.3, 1e-5, 1)",
    "DPSGD(0.3, 1e-5, 10)",
    "DPSGD(0.3, 1e-5, 100000000)",
    "DPSGD(50, 0.01, 3)",
    "DPSGD(50, 1e-5, 100000000)",
    "DPSGD(1, 1, 100)",
    "DPSGD(1, 0.5, 2)",
    "DPSGD(10, 0.9, 3)",
    'DPSGD(1, 0.1, 10, direction="add")',
    'DPSGD(1, 0.1, 10, direction="remove")',
    "DPSGD(1.1, 0.0043, 14062)",
    "Laplace(1) ** 2",
    "Laplace(0.05) ** 3",
    "Laplace(1) ** 10",
    "Laplace(20) ** 1000",
    "Laplace(1) ** 1000",
    "RandomizedResponse(1) ** 3",
    "RandomizedResponse(0.05) ** 1000",
    "RandomizedResponse(400) ** 2",
    "RandomizedResponse(1) ** 5 @ RandomizedResponse(0.3) ** 20",
    "ApproximateDP(0.01, 1e-7) ** 5000",
    "Gaussian(1) @ Laplace(1)",
    "Gaussian(3) @ RandomizedResponse(1) ** 10",
    "Laplace(1) @ RandomizedResponse(2)",
    "DPSGD(1, 0.01, 1000) @ Gaussian(4)",
    "DPSGD(1, 0.01, 1000) @ DPSGD(2, 0.1, 50) @ Gaussian(4)",
    "DPSGD(0.8, 0.01, 5) @ RandomizedResponse(1) ** 3",
    "DPSGD(1, 0.01, 2000) @ Laplace(2) @ ApproximateDP(0.5, 2e-7)",
]
PAIRS = [
    ("DPSGD(0.6, 0.01, 500)", "Gaussian(1)"),
    ("DPSGD(0.6, 0.01, 500)", "DPSGD(1, 0.02, 1000)"),
    ("DPSGD(0.6, 0.01, 500)", "DPSGD(0.6, 0.01, 500)"),
    ("Laplace(1)", "Gaussian(1)"),
    ("Laplace(1) ** 10", "RandomizedResponse(1) ** 8"),
    ("ApproximateDP(1, 1e-5)", "DPSGD(1, 0.01, 1000)"),
    ("PerfectPrivacy()", "BlatantlyNonPrivate()"),
    ("DPSGD(1, 0.01, 1000) @ Laplace(2)", "Gaussian(1) @ RandomizedResponse(0.5)"),
    ('DPSGD(1, 0.1, 10, direction="add")', 'DPSGD(1, 0.1, 10, direction="remove")'),
]


def script():
    """The modules as one classic script, as a page has them, with their names in `kernel`."""
    texts = [(FOLDER / name).read_text(encoding="utf-8") for name in MODULES]
    return classic([*texts, f"globalThis.kernel = {{ {NAMES} }};\n"])


@pytest.fixture(scope="module")
def kernel(chromium):
    page = chromium.new_page()
    page.add_script_tag(content=script())
    yield page
    page.close()


def has_atoms(text):
    return any(kind in text for kind in ("Laplace", "Response", "Approximate"))


def of_the_library(text):
    """Values and bounds of all faces; the trade-off function as δ supports it."""
    mechanism = read(text)
    found = {
        "bayesError": mechanism.bayes_error(PRIORS, with_error=True),
        "tradeOff": mechanism.tradeoff(ALPHAS, with_error=True),
        "delta": mechanism.privacy_profile(EPSILONS, with_error=True),
        "epsilon": mechanism.epsilon(DELTAS, with_error=True),
    }
    return {face: [(float(v), float(e)) for v, e in zip(*values, strict=True)] for face, values in found.items()}


def agree(answers, library, text):
    """That answers are true and sharp; the largest error, as a share of the bounds."""
    worst = 0.0
    for face, places in FACES.items():
        for at, answer, (value, bound) in zip(places, answers[face], library[face], strict=True):
            if answer is None:
                continue
            where = f"{text}: {face} at {at}: {answer}, {value} ± {bound} in the library"
            if math.isinf(value):
                assert answer[0] == value, where
                continue
            # As far as doubles go.
            allowed = answer[1] + bound + 4e-15 * (1.0 if face in ("bayesError", "tradeOff") else abs(value))
            assert abs(answer[0] - value) <= allowed, where
            assert answer[1] <= sharp(face, text, value), where
            worst = max(worst, abs(answer[0] - value) / allowed if allowed else 0.0)
    return worst


def sharp(face, text, value):
    if face == "epsilon":
        return 1e-6 * max(1.0, value)
    absolute = 1e-6 if has_atoms(text) else 1e-9
    return min(absolute, max(1.000001e-6 * value, 1e-15)) if face == "delta" else absolute


def answered(kernel, text, sure=tuple(FACES)):
    answers = kernel.evaluate(ASKED, [text, FACES])
    agree(answers, of_the_library(text), text)
    assert all(answer is not None for face in sure for answer in answers[face])


@pytest.mark.parametrize("text", SETTINGS)
def test_answers_are_those_of_the_library_within_the_bounds(kernel, text):
    answered(kernel, text)


@pytest.mark.parametrize("steps", [1, 2, 3, 10])
@pytest.mark.parametrize("noise", [0.3, 1, 5, 50])
@pytest.mark.parametrize("rate", [1e-5, 1e-3, 0.1, 0.9, 1])
def test_short_trainings_are_answered(kernel, noise, rate, steps):
    answered(kernel, f"DPSGD({noise}, {rate}, {steps})", sure=("bayesError", "tradeOff"))


def random_short_trainings(count, seed):
    chance = random.Random(seed)

    def spread(low, high):
        return float(f"{low * (high / low) ** chance.random():.4g}")

    return [f"DPSGD({spread(0.3, 50)}, {spread(1e-5, 1)}, {chance.randint(1, 10)})" for _ in range(count)]


@pytest.mark.parametrize("text", ["DPSGD(0.5, 1e-5, 2)", "DPSGD(2.12, 0.006318, 5)", *random_short_trainings(12, 22)])
def test_every_short_training_is_answered(kernel, text):
    answered(kernel, text)


@pytest.mark.parametrize("text", ["DPSGD(0.07, 1e-4, 5)", "DPSGD(0.08, 0.01, 100)", "DPSGD(0.1, 0.01, 5)",
                                  "DPSGD(0.12, 0.3, 5)"])  # fmt: skip
def test_hardly_any_noise_is_answered(kernel, text):
    answered(kernel, text, sure=("bayesError", "tradeOff"))


@pytest.mark.parametrize("count", [2, 3, 7, 31, 150, 1000])
@pytest.mark.parametrize("part", ["Laplace(0.5)", "Laplace(3)", "Laplace(40)", "RandomizedResponse(0.1)"])
def test_powers_are_answered(kernel, part, count):
    answered(kernel, f"{part} ** {count}")


@pytest.mark.parametrize("pair", PAIRS)
def test_differences_are_those_of_the_library_within_the_bounds(kernel, pair):
    found = kernel.evaluate(COMPARED, pair)
    a, b = (read(text) for text in pair)
    assert found["errorBound"] <= (1e-6 if has_atoms("".join(pair)) else 1e-9)
    for name, prior, library in (
        ("divergence", "divergencePrior", dp.delta_divergence(a, b)),
        ("reverseDivergence", "reversePrior", dp.delta_divergence(b, a)),
    ):
        allowed = found["errorBound"] + library.error_bound + a.error_bound + b.error_bound
        assert abs(found[name] - library.value) <= allowed
        if found[name] > 1e-6:
            attained = a.bayes_error(found[prior]) - b.bayes_error(found[prior])
            assert abs(abs(attained) - found[name]) <= 2 * allowed


SAME = [
    ("DPSGD(2, 1, 4)", "Gaussian(1)"),
    ("Gaussian(sigma=1, sensitivity=2)", "Gaussian(0.5)"),
    ("Gaussian(0.3)**9", "Gaussian(0.1)"),
    ("Gaussian(1) @ Laplace(2)", "Laplace(scale=4, sensitivity=2) @ Gaussian(1)"),
    ("DPSGD(1, 0.01, 100) @ Gaussian(3)", "Gaussian(3) @ DPSGD(1, 0.01, 60) @ DPSGD(1, 0.01, 40)"),
    ("BlatantlyNonPrivate()", "ApproximateDP(1, 1)"),
]


@pytest.mark.parametrize("pair", SAME)
def test_one_law_written_in_two_ways_is_one(kernel, pair):
    found = kernel.evaluate(COMPARED, pair)
    assert found["divergence"] == found["reverseDivergence"] == 0
    assert found["errorBound"] < 1e-15


@pytest.mark.parametrize("more", [1e-5, 1e-7, 1e-12])
@pytest.mark.parametrize("text", ["Gaussian({})", "DPSGD({}, 0.01, 1000)", "Gaussian({}) @ Laplace(3)"])
def test_of_two_that_are_nearly_the_same_it_is_told_how_nearly(kernel, text, more):
    pair = [text.format(1), text.format(1 + more)]
    found, (a, b) = kernel.evaluate(COMPARED, pair), map(read, pair)
    assert found["errorBound"] <= (1e-6 if has_atoms(text) else 1e-7)
    for name, library in (("divergence", dp.delta_divergence(a, b)), ("reverseDivergence", dp.delta_divergence(b, a))):
        assert abs(found[name] - library.value) <= found["errorBound"] + library.error_bound


def test_nothing_is_zero_that_is_only_too_small_for_a_number(kernel):
    small, none = (
        kernel.evaluate(ASKED, [f"{kind}(1)", {"delta": [700]}])["delta"] for kind in ("Gaussian", "Laplace")
    )
    assert small[0][0] == 0 < small[0][1]
    assert none == [[0, 0]]


def test_curves_are_the_single_answers(kernel):
    curve, alone = kernel.evaluate("""() => {
      const mechanism = kernel.read("DPSGD(0.6, 0.01, 500)"), priors = [0.1, 0.2, 0.5, 0.9];
      const { values, errorBounds } = mechanism.bayesErrors(priors);
      const single = priors.map((prior) => mechanism.bayesError(prior));
      return [[...values, ...errorBounds], [...single.map((a) => a.value), ...single.map((a) => a.errorBound)]];
    }""")
    assert curve == alone


@pytest.mark.parametrize("text", ["DPSGD(1, 0.1, 10)", "Gaussian(2) ** 3 @ Laplace(1/4)", "DPSGD(1, 0.1, 3, 'add')",
                                  "RandomizedResponse(1) ** 3", "DPSGD(1e-2, 0.5, 2).reverse"])  # fmt: skip
def test_what_a_mechanism_prints_is_the_same_mechanism(kernel, text):
    assert read(kernel.evaluate("(text) => String(kernel.read(text))", text)) == read(text)


REFUSED = """([asked, text]) => {
  try {
    return String(Function("kernel", "text", `return ${asked}`)(kernel, text));
  } catch ({ name, message, python, start, end }) {
    return { name, message, python, part: text.slice(start, end) };
  }
}"""


def refusal(kernel, asked, text=""):
    """The problem that an expression of JavaScript raises, or the text of what it gives."""
    return kernel.evaluate(REFUSED, [asked, text])


WRONG = [
    ("Gaussian(-1)", "sigma must be greater than 0 and finite, got -1.0", "-1"),
    ("DPSGD(1, 0.1, 10.0)", "steps must be a positive integer, got 10.0", "10.0"),
    ("DPSGD(1, 1.5, 10)", "sampling_rate must be in (0, 1], got 1.5", "1.5"),
    ('DPSGD(1, 0.5, 10, "up")', "direction must be one of 'both', 'add', 'remove', got 'up'", '"up"'),
    ("RandomizedResponse(701)", "epsilon must be in [0, 700], got 701.0", "701"),
    ("ApproximateDP(1, 2)", "delta must be in [0, 1], got 2.0", "2"),
    ("Gaussian(1) ** 0", "the exponent must be a positive integer, got 0", "0"),
    ("Gaussian(1) ** 2.5", "the exponent must be a positive integer, got 2.5", "2.5"),
    ("Gauss(1)", "Gauss is unknown", "Gauss"),
    ("Gaussian(1) @ 3", "'3' is not a mechanism", "3"),
    ("Gaussian(1, 2, 3)", "Gaussian takes at most 2", "3"),
    ("Gaussian(mu=1)", "Gaussian has no parameter mu", "mu"),
    ("Gaussian(1, sigma=2)", "sigma is given twice", "sigma"),
    ("DPSGD(1)", "DPSGD needs sampling_rate and steps", "DPSGD(1)"),
    ("Gaussian(", "the end is not expected there", ""),
    ("Gaussian(1/0)", "not a real number", "1/0"),
    ("2 ** Gaussian(1)", "only numbers can be added", "2 ** Gaussian(1)"),
    ("Laplace(1) $ b", "'$' is not allowed", "$"),
    ("3", "'3' is not a mechanism", "3"),
    ("", "the end is not expected there", ""),
]


@pytest.mark.parametrize(("text", "message", "part"), WRONG)
def test_wrong_texts_are_told_with_the_part_that_is_wrong(kernel, text, message, part):
    found = refusal(kernel, "kernel.read(text)", text)
    assert (found["name"], found["part"]) == ("SpecificationError", part) and message in found["message"]
    with pytest.raises((ValueError, TypeError)):
        read(text)


@pytest.mark.parametrize("text", ["Gaussian(sigma = 2)", " Laplace( 1 / 3 ) ", "DPSGD(sqrt(2), 1e-2, 10**3)",
                                  "(Laplace(2))", "Gaussian(3) @ Laplace(1) ** 2",
                                  "Gaussian(2)\u00a0@ Laplace(exp(\N{MINUS SIGN}1))"])  # fmt: skip
def test_texts_are_read_as_the_library_reads_them(kernel, text):
    found = kernel.evaluate("(text) => kernel.read(text).advantage()", text)
    assert found["value"] == approx(read(text).advantage, rel=1e-9)


def test_what_is_refused_comes_with_python(kernel):
    for text in (
        "FiniteExperiment([0.5, 0.5], [0.4, 0.6])",
        "join(Gaussian(1), Laplace(1))",
        "Gaussian(1) @ DiscreteLaplace(2, 3)",
    ):
        found = refusal(kernel, "kernel.read(text)", text)
        told = f"import dptutor as dp; dp.read({json.dumps(text)})"
        assert (found["name"], found["python"]) == ("Refused", told)


def test_an_epsilon_that_is_not_found_is_not_called_infinite(kernel):
    """Gaussian noise has a finite ε at every δ above 0, however large."""
    assert refusal(kernel, "kernel.read(text).epsilon(1e-5)", "DPSGD(0.02, 0.01, 1000)")["name"] == "Refused"


def test_no_name_of_the_library_is_unknown(kernel):
    with pytest.raises(ValueError, match="Foo is unknown") as told:
        read("Foo(1)")
    names = str(told.value).split("known are ")[1].split(", ")
    assert len(names) > 15
    for name in names:
        said = refusal(kernel, "kernel.read(text)", f"{name}(1, 2)")
        assert "unknown" not in str(said), said


@pytest.mark.parametrize("call", ["bayesError(1.5)", "tradeOff(-0.1)", "epsilon(2)", "delta(NaN)", 'bayesError("0.5")'])
def test_arguments_out_of_range_are_told(kernel, call):
    assert refusal(kernel, f"kernel.read('Gaussian(1)').{call}")["name"] == "RangeError"


@pytest.mark.parametrize(
    ("template", "wanted", "target"),
    [
        ("DPSGD(?, 0.01, 500)", {"epsilon": 8, "delta": 1e-5}, {"epsilon": 8, "delta": 1e-5}),
        ("Gaussian(?)", {"advantage": 0.2}, {"advantage": 0.2}),
        ("Laplace(?)", {"epsilon": 0.5, "delta": 0}, {"epsilon": 0.5}),
        ("RandomizedResponse(?)", {"posteriorBelief": 0.9}, {"posterior_belief": 0.9}),
        ("Gaussian(?)", {"posteriorBelief": 0.9, "membershipPrior": 0.3, "delta": 1e-5},
         {"posterior_belief": 0.9, "membership_prior": 0.3, "delta": 1e-5}),
        ("DPSGD(?, 0.01, 500)", {"posteriorBelief": 0.9, "exceedance": 0.05},
         {"posterior_belief": 0.9, "exceedance": 0.05}),
    ],
)  # fmt: skip
def test_calibration_is_that_of_the_library(kernel, template, wanted, target):
    found = kernel.evaluate("([template, wanted]) => kernel.calibrate(template, wanted)", [template, wanted])
    mechanism = dp.calibrate(family(template), **target)
    name = next(iter(mechanism._parameters()))
    assert abs(found["parameter"] - getattr(mechanism, name)) <= found["errorBound"] + 1e-11 * found["parameter"]


def test_a_rate_of_true_positives_is_met(kernel):
    found = kernel.evaluate('kernel.calibrate("DPSGD(?, 0.01, 500)", { fpr: 0.05, tpr: 0.2 })')
    assert read(found["text"]).tradeoff(0.05) == approx(0.8, abs=1e-6)


@pytest.mark.parametrize("text", ["DPSGD(1, 0.01, ?)", "Gaussian(9) ** ?", "Laplace(4) ** ? @ Gaussian(2)"])
def test_the_largest_whole_number_that_meets_a_target(kernel, text):
    found = kernel.evaluate("(text) => kernel.calibrate(text, { epsilon: 6.5, delta: 1e-7 })", text)
    most = found["parameter"]
    assert found["text"] == text.replace("?", str(most))
    assert found["errorBound"] == 0
    leaks = [read(text.replace("?", str(count))).privacy_profile(6.5) for count in (most, most + 1)]
    assert leaks[0] <= 1e-7 < leaks[1]


def test_what_cannot_be_reached_is_told(kernel):
    asked = 'kernel.calibrate("SubsampledGaussian(1, ?)", { advantage: 0.9 })'
    assert refusal(kernel, asked)["name"] == "Unreachable"


@pytest.mark.parametrize(
    "wrong", [("d", math.nan), ("d", -0.375), ("d", 1.25), ("r", math.nan), ("a", math.nan), ("e", -1e-9)], ids=str
)
def test_what_no_mechanism_has_is_refused(kernel, wrong):
    refused = kernel.evaluate(
        """(wrong) => {
          const faces = { delta: 1, bayesError: 0.3, tradeOff: 0.3, epsilon: 1e-5 };
          return Object.entries(faces).map(([face, at]) => {
            const mechanism = kernel.read("Gaussian(1)"),
              own = mechanism.law.half.bind(mechanism.law);
            Object.defineProperty(mechanism, "law", {
              value: Object.assign(Object.create(mechanism.law), { half: (...at) => ({ ...own(...at), ...wrong }) }),
            });
            try {
              return mechanism[face](at).value;
            } catch (problem) {
              return problem instanceof kernel.Refused;
            }
          });
        }""",
        dict([wrong]),
    )
    assert refused == [True] * 4


def test_the_modules_are_modules(serve, page):
    page.goto(serve(FOLDER) + "package.json")
    value = page.evaluate('import("./accountant.js").then(({ read }) => read("Gaussian(1)").advantage().value)')
    assert value == approx(dp.Gaussian(1).advantage, rel=1e-9)


# A sweep: `make sweep`.

COUNT, LEAST = 300, 285
JUDGED = 60  # of them are compared with the library, which takes far longer
SECONDS = 20  # for the library


def random_pairs(seed=2024):
    chance = random.Random(seed)

    def spread(low, high):
        return float(f"{low * (high / low) ** chance.random():.4g}")

    def times(most):
        count = round(spread(1, most))
        return f" ** {count}" if count > 1 else ""

    kinds = [
        lambda: f"DPSGD({spread(0.3, 50)}, {spread(1e-5, 1) if chance.random() < 0.9 else 1}, {round(spread(1, 1e8))})",
        lambda: f"Gaussian({spread(0.3, 50)})",
        lambda: f"Laplace({spread(0.3, 50)})" + times(1000),
        lambda: f"RandomizedResponse({spread(0.01, 5)})" + times(1000),
        lambda: f"ApproximateDP({spread(0.01, 5)}, {spread(1e-8, 1e-3)})" + times(100),
    ]
    weights = [3, 1, 1, 1, 1]

    def one():
        return " @ ".join(kind() for kind in chance.choices(kinds, weights, k=chance.choice([1, 1, 1, 2, 2, 3])))

    return [(one(), one()) for _ in range(COUNT)]


class Slow(Exception):
    pass


def in_time(function, *arguments):
    """What the library says, or nothing where it takes too long or fails."""

    def give_up(*_):
        raise Slow

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(SECONDS)
    try:
        return function(*arguments)
    except (Slow, ValueError):
        return None
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def surely_answered(text):
    """A single mechanism, Laplace or randomized response alone up to a thousand times, DP-SGD of ten steps at most."""
    if " @ " in text:
        return False
    steps = int(text.rstrip(")").split(", ")[-1]) if text.startswith("DPSGD") else 1
    return " ** " not in text or text.startswith(("Laplace", "RandomizedResponse")) or steps <= 10


@pytest.mark.sweep
def test_random_pairs(kernel, capsys):
    answered = compared = 0
    worst, times, slowest = 0.0, [], 0.0
    clocked = "(asked) => { const start = performance.now(); return [(ACT)(asked), performance.now() - start]; }"
    for place, pair in enumerate(random_pairs()):
        complete, judged = True, place < JUDGED
        for text in pair:
            answers, took = kernel.evaluate(clocked.replace("ACT", ASKED), [text, FACES])
            slowest = max(slowest, took)
            all_faces = all(answer is not None for face in answers.values() for answer in face)
            assert all_faces or not surely_answered(text), text
            complete &= all_faces
            library = in_time(lambda text=text: supported(of_the_library(text), text)) if judged else None
            if library is not None:
                worst = max(worst, agree(answers, library, text))
        found, took = kernel.evaluate(clocked.replace("ACT", COMPARED), pair)
        times.append(took)
        complete &= found is not None
        answered += complete
        if judged and complete and in_time(differences_agree, found, pair):
            compared += 1
    with capsys.disabled():
        print(f"\n{answered} of {COUNT} answered, {compared} compared, largest error {worst:.3f} bounds")
        print(f"a comparison takes {np.median(times):.0f} ms, at most {max(times):.0f} ms, all faces {slowest:.0f} ms")
    assert answered >= LEAST


def supported(library, text):
    """The answers of the library without those that its others exclude: values of f below a line that δ says supports
    f, and an ε of a composition below that of a part of it."""
    mechanism = read(text)
    epsilons = np.linspace(-20, 20, 161)
    delta, error = mechanism.privacy_profile(epsilons, with_error=True)
    lines = [float(np.max(1 - delta - error - np.exp(epsilons) * alpha)) for alpha in ALPHAS]
    parts = text.split(" @ ")
    fewer = [" @ ".join(parts[:k] + parts[k + 1 :]) for k in range(len(parts))] if len(parts) > 1 else [text]
    smallest = np.max([read(part).epsilon(DELTAS) for part in fewer], axis=0)

    def kept(face, least):
        pairs = zip(library[face], least, strict=True)
        return [(value, bound if value + bound >= low * (1 - 1e-9) else math.inf) for (value, bound), low in pairs]

    return {**library, "tradeOff": kept("tradeOff", lines), "epsilon": kept("epsilon", smallest)}


def differences_agree(found, pair):
    a, b = (read(text) for text in pair)
    for name, library in (("divergence", dp.delta_divergence(a, b)), ("reverseDivergence", dp.delta_divergence(b, a))):
        allowed = found["errorBound"] + library.error_bound + a.error_bound + b.error_bound
        assert abs(found[name] - library.value) <= allowed, (pair, name, found, library)
    return True
