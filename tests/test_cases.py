"""Cases and their rubric: every case can be solved, every mistake costs its own line, and nonsense is answered."""

import math

import numpy as np
import pytest
from conftest import approx, examples
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logit, ndtr
from test_exercises import NONSENSE

import dptutor as dp
from dptutor.exercises.capstone import cases
from dptutor.exercises.capstone.report import PARTS, better, caught, keeps, model_report, sheet, signed
from dptutor.exercises.judging.judge import run

SEEDS = range(20)
every_seed = pytest.mark.parametrize("seed", SEEDS)


def lines(seed):
    case = cases.made(seed)
    return [(part, name, line) for part in PARTS for name, line in sheet(case, part).items()]


# Cases.


def test_a_case_is_the_one_that_it_was_when_the_capstone_was_chapter_14():
    """Values stored then: reports and hand-ins are about them."""
    case = cases.made(7)
    assert (case.holder, case.records, case.population, case.steps) == ("A health insurer", 10400, 30000, 50)
    assert (case.tolerance, case.exceedance, case.epsilon) == (0.7, 0.02, 3)
    assert case.offers == {
        "A": {"noise_multiplier": 0.71219, "sampling_rate": 0.005, "steps": 2000},
        "B": {"noise_multiplier": 4.49649, "sampling_rate": 0.1, "steps": 1000},
    }
    outputs = [transcript.released.sum() for transcript in case.transcripts.values()]
    assert outputs == approx([-158.3091125958985, 69.4468651922209], rel=1e-9)
    assert [transcript.member.sum() for transcript in case.transcripts.values()] == [71, 75]
    assert list(case.statements.values()) == [
        cases.STATEMENTS[kind] for kind in ("carried", "bounded", "proven", "probable")
    ]


@every_seed
def test_each_offer_clearly_keeps_the_tolerance_or_clearly_does_not(seed):
    case = cases.made(seed)
    prior = case.records / case.population
    tails = {}
    for name, offer in case.offers.items():
        tails[name] = dp.PosteriorBelief(dp.DPSGD(**offer, direction="remove"), prior).sf(case.tolerance)
    kept = [name for name, tail in tails.items() if tail <= case.exceedance]
    assert all(1.2 * tail <= case.exceedance or tail >= 1.2 * case.exceedance for tail in tails.values())
    assert keeps(case) == (kept[0] if len(kept) == 1 else "both" if kept else "neither")
    assert better(case) == min(tails, key=tails.get)


@pytest.mark.deep
def test_every_answer_to_which_offer_keeps_the_tolerance_is_right_for_some_case():
    kinds = [keeps(cases.made(seed)) for seed in SEEDS]
    assert {*kinds} == {"A", "B", "both", "neither"}
    assert kinds.count("both") >= 2 and kinds.count("neither") >= 2


@every_seed
def test_what_is_signed_keeps_the_tolerance_and_is_not_refused(seed):
    case = cases.made(seed)
    kept = {"both": {"A", "B"}, "neither": set()}.get(keeps(case), {keeps(case)})
    may = {name for name in kept if not caught(case)[name]}
    assert signed(case) in (may or {"neither"})
    assert len(may) < 2 or signed(case) == better(case)


def test_a_case_that_nobody_chose_says_so():
    assert str(dp.exercises.case()).startswith("Case 1 (no case was chosen: dp.exercises.case(number)")
    assert "no case was chosen" in dp.exercises.case()._repr_html_()
    note = "This is case 1, as no case was chosen"
    assert note in repr(dp.exercises.rubric({"prior": 0.5}))
    assert note in dp.exercises.check("20.1", {"prior": 0.5}).message
    assert note not in repr(dp.exercises.rubric({"seed": 1, "prior": 0.5}))
    dp.exercises.case(1)
    assert str(dp.exercises.case()).startswith("Case 1\n")
    assert note not in dp.exercises.check("20.1", {"prior": 0.5}).message


@every_seed
def test_at_most_one_transcript_is_refused_and_the_other_shows_something(seed):
    case = cases.made(seed)
    audits = {name: dp.auditing.audit_transcript(t) for name, t in case.transcripts.items()}
    refused = [name for name, verdicts in audits.items() if any(v.caught for v in verdicts.values())]
    assert len(refused) <= 1
    for name in {*"AB"} - {*refused}:
        guesses = case.transcripts[name].guesses
        shown = dp.auditing.epsilon_from_advantage(guesses.wins, guesses.repetitions, case.delta, method="any")
        assert shown.low > 0.1


@pytest.mark.deep
@pytest.mark.parametrize("epsilon", cases._EPSILONS)
def test_every_setting_is_what_its_card_says(epsilon):
    for rate, steps in cases._FEW + cases._MANY:
        offer = cases._offer(epsilon, rate, steps)
        noise = offer.noise_multiplier
        assert (offer.sampling_rate, offer.steps) == (rate, steps)
        wanted = dp.calibrate(
            lambda s, p=rate, k=steps: dp.DPSGD(s, p, k),
            epsilon=epsilon,
            delta=cases._DELTA,
            bracket=(noise / 1.1, noise * 1.1),
        )
        assert 0 <= noise - wanted.noise_multiplier <= 1.0001e-5


@pytest.mark.deep
def test_all_kinds_of_cases_come_up():
    refused = {model_report(seed)["flagged"] for seed in SEEDS}
    signed = {model_report(seed)["sign"] for seed in SEEDS}
    assert refused == signed == {"a", "b", "neither"}


@pytest.mark.deep
def test_a_case_is_the_same_every_time_and_another_for_another_seed():
    first, second = cases._made.__wrapped__(5), cases.made(5)
    assert str(first) == str(second) != str(cases.made(6)).replace("Case 6", "Case 5")
    assert np.array_equal(first.transcripts["A"].released, second.transcripts["A"].released)


def test_a_case_tells_its_numbers_in_words():
    case = cases.made(3)
    for number in (f"{case.records:,}", f"{100 * case.tolerance:g}%", f"{case.offers['B']['noise_multiplier']:g}"):
        assert number in str(case) and number in case._repr_html_()
    words = " ".join(str(case).split())
    assert all(f"({letter}) {sentence}" in words for letter, sentence in case.statements.items())


@pytest.mark.parametrize("seed", [-1, 1_000_000, 0.5, "7", None.__class__, True, math.nan])
def test_a_seed_that_is_none_is_refused(seed):
    with pytest.raises(ValueError, match="seed must be a whole number from 0 to 999,999, got"):
        dp.exercises.case(seed)


# Reports.


@every_seed
def test_the_model_report_has_all_points(seed):
    rubric = dp.exercises.rubric(model_report(seed))
    assert rubric and rubric.seed == seed and rubric.points == 26
    assert {part: tuple(sheet(cases.made(seed), part)) for part in PARTS} == PARTS


@pytest.mark.parametrize("seed", SEEDS[:4])
def test_the_worked_answers_are_the_model_report(seed):
    dp.exercises.case(seed)
    exercise = dp.exercises.get("20.8")
    report = run(exercise.solution)["report"]
    assert dp.exercises.rubric(report).points == 26
    assert exercise.check(report).message == exercise.praise
    for name, right in model_report(seed).items():
        if isinstance(right, float):
            assert report[name] == approx(right, rel=1e-6)


@every_seed
def test_every_mistake_costs_its_own_line_and_gets_its_reply(seed):
    right = model_report(seed)
    for part, name, line in lines(seed):
        assert len(line.mistakes) >= 2 or name == "sentence"
        for mistake in line.mistakes:
            lost = [g for g in dp.exercises.rubric(right | {name: mistake.answer}).lines if g.points < g.possible]
            assert [(g.part, g.name, g.points, g.reply) for g in lost] == [(part, name, 0, mistake.reply)]


def test_a_right_number_may_come_in_other_forms():
    right = model_report(3)
    for form in (np.float32, lambda x: np.array([x]), lambda x: f"{x:.4g}", lambda x: f"{100 * x:.5g} %"):
        rubric = dp.exercises.rubric(right | {name: form(x) for name, x in right.items() if isinstance(x, float)})
        assert rubric.points == 26, rubric
    shown = dp.auditing.Estimate(right["epsilon_low"], 0.0, 1.0)
    assert dp.exercises.rubric(right | {"epsilon_low": shown})


def test_a_right_word_may_come_in_other_forms():
    right = model_report(3)
    keeper, flagged = right["keeps"], right["flagged"]
    other = {"keeps": f" Vendor {keeper.upper()} ", "winner": f"offer {keeper}", "meaning": f"({right['meaning']})"}
    assert dp.exercises.rubric(right | other)
    assert (flagged, right["check"]) == ("b", "guesses")
    assert dp.exercises.rubric(right | {"check": "No clipping"})
    assert dp.exercises.rubric(model_report(14) | {"flagged": "none", "check": "nothing"})


@pytest.mark.parametrize(
    ("name", "answer", "reply"),
    [
        ("prior", lambda x: 100 * x, "in percent"),
        ("sigma", lambda x: 1.05 * x, "too large"),
        ("regret", lambda x: 0.9 * x, "too small"),
        ("regret", lambda x: math.inf, "finite"),
        ("keeps", lambda x: 3, "a word"),
        ("meaning", lambda x: "e", "a letter from a to d"),
        ("sentence", lambda x: "I sign A.", "This is short"),
        ("sentence", lambda x: x.replace("A", "C"), "I do not find in it what you sign"),
        ("sentence", lambda x: x.replace("as long as", "and").replace("if", "and"), "I find no condition"),
        ("sentence", lambda x: x.replace("0.015", "7"), "I find no number in it"),
        ("sentence", lambda x: x + " The audit proves it.", "proves nothing"),
        ("sentence", lambda x: 3, "in quotes"),
    ],
)
def test_what_is_wrong_is_said(name, answer, reply):
    right = model_report(3)
    rubric = dp.exercises.rubric(right | {name: answer(right[name])})
    lost = [line for line in rubric.lines if line.points < line.possible]
    assert [line.name for line in lost] == [name]
    assert reply in lost[0].reply


@pytest.mark.parametrize("number", ["0.0029", "0,0029", "2.9·10⁻³", "2.9 × 10^-3", "2.9e-3", "2.9e−3", "0.29%"])
def test_a_number_in_a_sentence_may_be_written_as_anywhere(number):
    sentence = f"I refuse both, since B exceeds the tolerance with probability {number}, if it does as it says."
    (line,) = (one for one in dp.exercises.rubric({"seed": 814, "sentence": sentence}).lines if one.name == "sentence")
    assert line.points == 1, line.reply


def test_a_part_is_judged_alone_and_by_the_case_that_was_chosen():
    dp.exercises.case(4)
    right = model_report(4)
    promise = {name: right[name] for name in PARTS["promise"]}
    assert dp.exercises.check("20.1", promise)
    message = dp.exercises.check("20.1", promise | {"prior": 0.5}).message
    assert message.startswith("2 of 3 points on case 4. prior: The tolerance starts")
    assert not dp.exercises.check("20.1", promise | {"seed": 5})
    assert "Not a line of the report: pie." in dp.exercises.check("20.1", {"pie": 3}).message


def test_a_rubric_is_a_table():
    rubric = dp.exercises.rubric(model_report(2) | {"sigma": "<b>"})
    assert "noise        sigma             0 of 2  This should be a number." in repr(rubric)
    assert repr(rubric).endswith("total                          24 of 26")
    page = rubric._repr_html_()
    assert page.count("<tr>") == 1 + len(PARTS) + len(rubric.lines) and "24 of 26" in page


# Nonsense.


@pytest.mark.parametrize("nonsense", NONSENSE, ids=lambda x: type(x).__name__)
def test_nonsense_costs_points_and_nothing_else(nonsense):
    assert dp.exercises.rubric(nonsense).points == 0
    assert dp.exercises.rubric({"seed": nonsense, nonsense.__class__: nonsense}).possible == 26
    everywhere = dp.exercises.rubric({name: nonsense for names in PARTS.values() for name in names})
    assert everywhere.points <= 1  # some case has a worst prior of one half
    assert "Traceback" not in repr(everywhere)


@settings(max_examples=examples(50))
@given(
    st.dictionaries(
        st.sampled_from(["seed", *(name for names in PARTS.values() for name in names)]),
        st.floats() | st.text() | st.integers(0, 3) | st.none() | st.lists(st.floats(), max_size=2),
    )
)
def test_any_dict_is_answered(report):
    assert repr(dp.exercises.rubric(report)) and dp.exercises.get("20.8").check(report).message


def test_an_adversary_who_sees_less_exceeds_the_tolerance_of_the_chapter_more_often():
    """By sums over a grid, not by the library: what the capstone says of its condition "what the adversary sees"."""
    c = cases.made(33)
    prior, step, size = c.records / c.population, 2e-4, 1 << 18
    loss = (np.arange(size) - size // 2) * step
    settings = c.offers["A"]
    rate, noise = settings["sampling_rate"], settings["noise_multiplier"]
    edges = np.append(loss - step / 2, loss[-1] + step / 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        at = np.where(np.exp(edges) > 1 - rate, 0.5 + noise**2 * np.log((np.exp(edges) - 1 + rate) / rate), -np.inf)
    without, with_it = (ndtr((at - mean) / noise) for mean in (0, 1))

    def tail(law):
        once = np.fft.rfft(np.roll(np.diff(law), size // 2))
        run = np.roll(np.fft.irfft(once ** settings["steps"], size), -(size // 2))
        return np.cumsum(run[::-1])[::-1]

    in_q, in_p = tail((1 - rate) * without + rate * with_it), tail(without)
    start, allowed = logit(prior), logit(c.tolerance)
    full = in_q[np.searchsorted(loss, allowed - start)]
    belief = dp.PosteriorBelief(dp.DPSGD(**settings, direction="remove"), prior)
    assert full == approx(belief.sf(c.tolerance), rel=0.02) and full < c.exceedance
    # All outputs above 78%, taken together, lead to more than 85%, and more often than the promise allows.
    above = np.searchsorted(loss, logit(0.78) - start)
    assert np.log(in_q[above] / in_p[above]) + start > allowed
    assert in_q[above] == approx(0.031, abs=5e-4) and in_q[above] > c.exceedance
    assert belief.sf(0.78) == approx(in_q[above], rel=0.02)
    # From a start of 29% on, no longer.
    top = np.argmax(in_q <= c.exceedance)
    assert allowed - np.log(in_q[top] / in_p[top]) == approx(logit(0.29), abs=0.02)
