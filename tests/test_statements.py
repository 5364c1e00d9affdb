"""Privacy statements: what was not said is named, what is said is true, and bad input is refused."""

import math
import re
from itertools import pairwise

import pytest
from conftest import approx

import dptutor as dp

ALL = {
    "unit": "patient",
    "neighbors": "replace",
    "released": "the weights",
    "batches": "Poisson",
    "tuning": "elsewhere",
}
ABOUT = {
    "unit": "Unit of privacy",
    "neighbors": "Neighboring data sets",
    "released": "What is released",
    "batches": "Batches",
    "tuning": "Choice of settings",
}
TRAINING = dp.DPSGD(0.6, 0.01, 500)


@pytest.mark.parametrize("left_out", ALL)
def test_what_was_not_given_is_said_to_be_missing(left_out):
    said = dp.statement(TRAINING, **ALL | {left_out: None})
    assert said.missing == (ABOUT[left_out],)
    assert f"{ABOUT[left_out]}: NOT STATED" in str(said)
    assert said._repr_html_().count("NOT STATED") == 1
    assert dp.statement(TRAINING, **ALL).missing == ()


def test_without_sampled_steps_nobody_asks_for_batches():
    assert "Batches" not in str(dp.statement(dp.Gaussian(1)))
    assert "Batches" in dp.statement(TRAINING @ dp.Laplace(50)).missing


@pytest.mark.parametrize("m", [TRAINING, dp.Laplace(1), dp.RandomizedResponse(0.5), dp.ApproximateDP(1, 1e-3)])
def test_the_numbers_of_a_statement_are_true(m):
    said = dict(dp.statement(m, **ALL).lines)
    pairs = re.findall(r"\(([\d.e+-]+), ([\d.e+-]+)\)", said["(ε, δ)"])
    assert pairs
    for epsilon, delta in pairs:  # rounded up, so that each holds
        assert m.privacy_profile(float(epsilon)) <= float(delta) * (1 + 1e-9)
    advantage, right = re.match(r"([\d.]+): .* ([\d.]+)%", said["Advantage"]).groups()
    assert m.advantage <= float(advantage) <= m.advantage * 1.001
    assert float(right) >= 50 * (1 + m.advantage) - 1e-9


def test_what_a_statement_leaves_open_is_left_by_its_pairs_and_the_advantage():
    m = dp.Gaussian(1)
    said = dp.statement(m)
    assert {delta for _, delta in said.pairs} >= {1e-5, 1e-10} and len(said.pairs) == 5
    # The profile that they allow is linear in e^ε between two of them, and constant beyond.
    known = [(1.0, m.advantage)] + [(math.exp(epsilon), delta) for epsilon, delta in said.pairs]
    worst = 0.0
    for (y, d), (z, c) in pairwise(known):
        for k in range(1, 2000):
            x = y + (z - y) * k / 2000
            worst = max(worst, (d + (c - d) * k / 2000 - m.privacy_profile(math.log(x))) / (1 + x))
    assert said.left_open == approx(worst, rel=1e-3)


def test_a_statement_can_be_read_as_a_table():
    table = dp.statement(dp.Laplace(1), **ALL | {"unit": "<visit>"})._repr_html_()
    assert "one &lt;visit&gt;" in table
    assert table.count("<tr>") == len(dp.statement(dp.Laplace(1)).lines)
    assert "two data sets of the same size that differ in one &lt;visit&gt;" in table


@pytest.mark.parametrize(
    "m", [TRAINING, dp.Laplace(1), dp.ApproximateDP(0, 0.01), dp.Gaussian(0.01), dp.PerfectPrivacy()]
)
def test_a_paper_a_participant_and_the_table_are_told_the_same(m):
    said = dp.statement(m, **ALL)
    for about, says in said.lines:
        if about != "Advantage":
            assert not said.pairs or says in said.paragraph, about
    assert f"advantage is at most {dict(said.lines)['Advantage'].partition(':')[0]}." in said.paragraph
    assert "Not stated" not in said.paragraph
    assert dp.statement(m).paragraph.endswith(f"Not stated: {', '.join(dp.statement(m).missing)}.")
    right = int(re.search(r"at most (\d+) of 100", said.sentence)[1])
    assert right - 1 < 50 * (1 + m.advantage) <= right + 1e-9
    assert "a given patient is in" in said.sentence and "a given record is in" in dp.statement(m).sentence
    faces = dp.plots.guesses(said.report).collections[0].get_facecolors()
    assert sum(face[3] > 0 for face in faces) == right


def test_a_statement_says_to_whom_it_leaves_the_most_open():
    m = dp.Gaussian(1)
    said = dp.statement(m)
    epsilons, deltas = zip(*said.pairs, strict=True)
    worst = dp.delta_divergence(m, dp.allowed_by(epsilon=epsilons, delta=deltas, advantage=m.advantage))
    assert f"prior odds of {math.exp(abs(worst.epsilon)):.3g} to 1" in dict(said.lines)["Most is open"]
    for m in (dp.PerfectPrivacy(), dp.Gaussian(0.01)):  # nothing is left open
        assert "Most is open" not in str(dp.statement(m))


@pytest.mark.parametrize(("name", "value", "error"), [
    ("unit", 3, "unit must be a text, got 3"),
    ("tuning", b"x", "tuning must be a text, got b'x'"),
    ("released", " ", "released must not be empty"),
])  # fmt: skip
def test_what_is_no_text_is_refused(name, value, error):
    with pytest.raises((TypeError, ValueError), match=f"^{error}$"):
        dp.statement(dp.Gaussian(1), **{name: value})


def test_other_neighbors_are_refused():
    with pytest.raises(ValueError, match="neighbors must be"):
        dp.statement(dp.Gaussian(1), neighbors="any")
