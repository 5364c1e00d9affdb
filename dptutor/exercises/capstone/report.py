"""What a report on a case should say, with the mistakes that are known and what to reply to them.

A report is a dict of lines, in seven `PARTS`. Every line is computed from the case by the library, so that the rubric
follows the case. Of a sentence only the form is judged: whether it argues well, a reader has to say.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

from scipy.optimize import brentq
from scipy.special import expit, logit, ndtr, ndtri

from ...auditing import FLAWS, audit_transcript
from ...auditing import epsilon_from_advantage as from_wins
from ...comparing.blackwell import delta_divergence
from ...mechanisms import DPSGD, Gaussian
from ...mechanisms.base import Mechanism
from ...risk.calibration import calibrate
from ...risk.identifiability import PosteriorBelief, belief_exceedance_bound
from ..judging import numerals
from .cases import NOT_CHOSEN, STATEMENTS, Case, case, made
from .grading import Graded, Line, Rubric, Ungraded, numeric, word, worded

__all__ = ["PARTS", "model_report", "part", "rubric", "sheet"]

_NOTHING_YET = "There is nothing to check yet: fill in the lines, run the cell, and check again."


PARTS = {
    "promise": ("prior", "epsilon", "pi"),
    "noise": ("sigma", "naive", "advantage"),
    "risks": ("exceedance_a", "exceedance_b", "keeps"),
    "regret": ("winner", "regret", "worst_prior", "crossing", "at_prior"),
    "transcripts": ("flagged", "check"),
    "wins": ("epsilon_low", "epsilon_claimed", "meaning"),
    "decision": ("sign", "largest_prior", "sentence"),
}


def rubric(report: object, parts: Iterable[str] = tuple(PARTS)) -> Rubric:
    """Points for a report, or for some of its parts. Whatever the report is, this returns a rubric.

    Parameters
    ----------
    report : dict
        Lines by name. The case is that of `report["seed"]`; without it, the one chosen last.
    parts : sequence of str
        Of "promise", "noise", "risks", "regret", "transcripts", "wins" and "decision"; all by default.

    Returns
    -------
    Rubric

    Examples
    --------
    The prior belief is the share of people whose records are held:

    >>> import dptutor as dp
    >>> mine = dp.exercises.case(7)
    >>> found = dp.exercises.rubric({"seed": 7, "prior": mine.records / mine.population}, parts=["promise"])
    >>> [(line.name, line.points) for line in found.lines]
    [('prior', 1), ('epsilon', 0), ('pi', 0)]
    """
    found, given, note = _read(report)
    parts, graded = tuple(parts), []
    for name in parts:
        for key, line in sheet(found, name).items():
            reply = line.judge(given.get(key))
            graded.append(Graded(name, key, 0 if reply else line.points, line.points, reply or ""))
    own = case()
    if own.chosen and own.seed != found.seed and _points(own, given, parts) > sum(line.points for line in graded):
        note = (
            f"{note} More of this is right on case {own.seed}, which you chose. Is the seed that of your case?".strip()
        )
    return Rubric(found.seed, tuple(graded), note)


def _points(c: Case, given: Mapping[str, Any], parts: Iterable[str]) -> int:
    lines = [(key, line) for name in parts for key, line in sheet(c, name).items()]
    return sum(line.points for key, line in lines if not line.judge(given.get(key)))


def part(*names: str) -> Callable[[object], str | None]:
    """The judge of an exercise that asks for these parts: what is missing, or None."""

    def judge(answer: object) -> str | None:
        _, given, note = _read(answer)
        if not given:
            return note or _NOTHING_YET
        found = rubric(answer, names)
        told = [f"{line.name}: {line.reply}" for line in found.lines if line.reply]
        score = f"{found.points} of {found.possible} points on case {found.seed}."
        return " ".join(filter(None, [score, found.note, *told])) if told else None

    return judge


def _read(report: object) -> tuple[Case, dict[str, Any], str]:
    """The case of a report, the lines that are filled in, and a message about the rest."""
    if not isinstance(report, Mapping):
        return case(), {}, 'A report is a dict of its lines, {"epsilon": 2.0, …}.'
    try:
        given = {name: report[name] for name in report if report[name] is not None and report[name] is not ...}
        found = made(given.pop("seed")) if "seed" in given else case()
        unknown = ", ".join(
            sorted(str(name) for name in {*given} - {name for names in PARTS.values() for name in names})
        )
    except Exception as error:  # a mapping may do anything when asked
        return case(), {}, f"The report cannot be read: {error}"
    notes = ["" if found.chosen else f"This is case {found.seed}, as {NOT_CHOSEN}."]
    notes.append(f"Not a line of the report: {unknown[:80]}." if unknown else "")
    return found, given, " ".join(filter(None, notes))


def model_report(seed: int) -> dict[str, Any]:
    """A report with all points, by the same computations as the rubric; its sentence is a form, no example."""
    lines = {key: line.right for name in PARTS for key, line in sheet(made(seed), name).items()}
    return {"seed": seed} | {key: min(right) if isinstance(right, frozenset) else right for key, right in lines.items()}


def _promise(c: Case) -> dict[str, Line]:
    b, rho = _prior(c), c.tolerance
    epsilon = _threshold(c)
    return {
        "prior": numeric(
            1, b, "What share of those who may be in the data are in it?",
            (1 - b, "This is π, the probability of not being in. The belief in membership is n/N."),
            (b / (1 - b), "These are the odds of being in. The probability is n/N."),
            (1 / c.population, "Not one of N people is in, but n of N."),
            (1 / c.records, "Not one of N people is in, but n of N."),
            (0.5, "The tolerance starts from the share of people who are in, not from even odds."),
        ),
        "epsilon": numeric(
            1, epsilon, "By how much may the log-odds rise from the prior to the tolerance?",
            (logit(rho), "You start from even odds. Subtract the log-odds of the prior."),
            (math.exp(epsilon), "This is e^ε, the factor of the odds. ε is its logarithm."),
            (logit(rho) - logit(b / (1 - b)), "You took the odds of being in for the probability. The log-odds start from n/N."),
            (math.log(rho / b), "You compare probabilities. Bayes’ rule multiplies odds: use log(p/(1 − p))."),
            (logit(rho) + logit(b), "Subtract the log-odds of the prior; you added them."),
            (-epsilon, "The sign is reversed: the belief rises from the prior to the tolerance."),
        ),
        "pi": numeric(
            1, 1 - b, "π is the prior of the world without the person.",
            (1 - b / (1 - b), "You took the odds of being in for the probability. π is 1 − n/N."),
            (b, "This is the belief in membership. π weighs the other world, the one without the person."),
            (expit(epsilon), "This π belongs to ε, to the adversary whose decision is reversed at that loss. Give the "
                             "π of your adversary."),
            (0.5, "These are even odds. Your adversary knows that n of N are in."),
        ),
    }  # fmt: skip


def _noise(c: Case) -> dict[str, Line]:
    b, rho, t, k = _prior(c), c.tolerance, c.exceedance, c.steps
    epsilon, z = _threshold(c), ndtri(c.exceedance)

    def mu(epsilon: float, z: float) -> float:  # μ/2 − ε/μ = z
        return z + math.sqrt(z * z + 2 * epsilon)

    right = mu(epsilon, z)
    in_p = -z - math.sqrt(z * z - 2 * epsilon) if z * z > 2 * epsilon else math.nan  # −μ/2 − ε/μ = z
    profile = calibrate(lambda s: Gaussian(sigma=s), posterior_belief=rho, membership_prior=b, delta=t)
    assert isinstance(profile, Gaussian)
    belief = PosteriorBelief(profile, b)
    even = calibrate(lambda s: Gaussian(sigma=s), posterior_belief=rho, delta=t)
    classical = math.sqrt(2 * math.log(1.25 / t)) / epsilon
    return {
        "sigma": numeric(
            2, math.sqrt(k) / right, "Solve Pr_Q[B > tolerance] = exceedance for the noise multiplier of each step.",
            (math.sqrt(k) * profile.sigma, "This makes δ(ε) the exceedance. The tolerance is about the tail: exceedance=, not delta=."),
            (math.sqrt(k) * classical, "This is the classical formula with the exceedance as its δ. For the exact noise, solve for the tail itself."),
            (classical, "This is the classical formula, for one step. For the exact noise, solve for the tail of all steps."),
            (1 / right, "This is the noise of one step alone. k of them are one Gaussian mechanism with √k μ."),
            (k / right, "You add up the steps' μ. For Gaussian noise the squares add up: √k, not k."),
            (math.sqrt(k) / mu(logit(rho), z), "You start from even odds: pass the prior on."),
            (math.sqrt(k) / in_p, "This is about world P, where the person is not in."),
        ),
        "naive": numeric(
            1, belief.sf(rho), "First find the noise whose δ(ε) is the exceedance, then how often the tolerance is "
                "exceeded with it, if the person is in.",
            (t, "This is what was asked for as δ. How often is the tolerance exceeded with that noise?"),
            (belief.sf(rho) / t, "This is the factor by which it is exceeded too often. The probability is asked for."),
            (belief.sf(rho, "P"), "This is for a person who is not in, world P."),
            (PosteriorBelief(Gaussian(sigma=classical), b).sf(rho), "This belongs to the classical noise. Use the "
                                                                    "noise whose δ(ε) is the exceedance."),
            (PosteriorBelief(even).sf(rho), "You start from even odds throughout: pass the prior on, to both steps."),
            (PosteriorBelief(profile).sf(rho), "You start from even odds when you compute the tail: pass the prior "
                                               "on."),
        ),
        "advantage": numeric(
            1, 2 * ndtr(right / 2) - 1, "It is δ(0) of the whole training run with your sigma.",
            (ndtr(right / 2), "This is the probability that the adversary is right. The advantage is twice that, "
                              "minus one."),
            (math.tanh(epsilon / 2), "This is the most that pure ε-differential privacy allows. Your mechanism is "
                                     "Gaussian."),
            ((math.expm1(epsilon) + 2 * t) / (math.exp(epsilon) + 1), "This is the most that (ε, δ) allows. Your mechanism is Gaussian."),
            (2 * ndtr(right / 2 / math.sqrt(k)) - 1, "This is the advantage of one step. Take all of them."),
            (2 * ndtr(right) - 1, "The best threshold is in the middle: Φ(μ/2)."),
            (2 * ndtr(mu(logit(rho), z) / 2) - 1, "This is the advantage of the noise from even odds. Pass the prior on."),
            (profile.advantage, "This is the advantage with the naive noise. Take your sigma."),
        ),
    }  # fmt: skip


def _card(c: Case) -> dict[str, Line]:
    b, rho, epsilon = _prior(c), c.tolerance, _threshold(c)
    by_card = belief_exceedance_bound(c.epsilon, c.delta, rho, b)
    tails = _tails(c)
    lines = {}
    for name, other in ("AB", "BA"):
        m, added = (_offer(c, name, direction) for direction in ("remove", "add"))
        lines[f"exceedance_{name.lower()}"] = numeric(
            1, tails[name], "How often does the belief end above the tolerance, from your prior, if the person is in? "
                "Use the settings of the offer.",
            (tails[other], "This is the other offer’s."),
            (c.delta, "δ bounds no such probability. Compute it from the mechanism."),
            (c.exceedance, "This is what is allowed. How often does the offer exceed it?"),
            (by_card, "This is the most that the privacy statement allows. You know more than that: the settings."),
            (float(m.privacy_profile(epsilon)), "This is δ(ε) at the loss of the tolerance. The tail, Pr_Q[L > ε], is "
                                                "asked for."),
            (PosteriorBelief(m, b).sf(rho, "P"), "This is for a person who is not in, world P."),
            (PosteriorBelief(m).sf(rho), "You start from even odds: pass the prior on."),
            (b * tails[name] + (1 - b) * PosteriorBelief(m, b).sf(rho, "P"), "This is an average over both worlds. The promise is about a person who is in."),
            (PosteriorBelief(added, b).sf(rho), "Here the two worlds are exchanged: Q has to be the one with the person, direction=\"remove\"."),
            decimals=4,
        )  # fmt: skip
    lines["keeps"] = worded(
        keeps(c).lower(),
        'Answer "A", "B", "both" or "neither": whose exceedance is at most the one allowed?',
        _not_kept(c),
    )
    return lines


def _not_kept(c: Case) -> list[tuple[str, str]]:
    """The wrong answers to which offer keeps the tolerance."""
    kept = _keeping(c)
    replies = {
        "both": "The privacy statement is the same, but the probabilities are not: at least one is above what is allowed.",
        "neither": "At least one of the two probabilities is below what is allowed.",
    }
    if kept:
        breaks = "This is the offer that breaks the promise. Compare both probabilities with the one allowed."
        other = "This one keeps it, but it is not the only one: compare the other's probability, too."
    else:
        breaks = "This one exceeds the tolerance more often than allowed. Less often than the other is not enough."
        other = ""
    for name in "AB":
        replies[name.lower()] = other if name in kept else breaks
    replies.pop(keeps(c).lower())
    return list(replies.items())


def _regret(c: Case) -> dict[str, Line]:
    b, winner = _prior(c), better(c)
    loser = "B" if winner == "A" else "A"
    more, less = _offer(c, winner), _offer(c, loser)
    forth, back = delta_divergence(more, less), delta_divergence(less, more)
    one_way = delta_divergence(*(_offer(c, name, "remove") for name in (winner, loser)))
    at_prior = more.bayes_error(1 - b) - less.bayes_error(1 - b)
    crossing = _crossing(more, less, c.epsilon)
    return {
        "winner": worded(
            winner.lower(),
            'Answer "A" or "B": against which offer does your adversary, at π, err more often?',
            [
                (loser.lower(), "Against this one the adversary errs less often: it is the less private. Compare R(π)."),
                ("neither", "They share a privacy statement, but not their Bayes errors. Compare R(π)."),
            ],
        ),
        "regret": numeric(
            2, forth.value, "It is Δ(better‖worse), what choosing the worse offer can cost in Bayes error.",
            (back.value, "This is the other direction: what choosing the better offer can cost. One direction says "
                         "nothing about the other."),
            (at_prior, "This is the difference at your prior. The regret is the largest, over all priors."),
            (less.advantage - more.advantage, "This is the difference in advantage, twice that in Bayes error."),
            (-forth.value, "A regret is not negative: subtract the error against the worse from that against the better."),
            (one_way.value, "You compare one direction only, removing a person. The offers protect in both: leave direction at its default."),
            (forth.value + back.value, "You add up both directions. Each is the regret of a different choice."),
        ),
        "worst_prior": numeric(
            1, forth.prior, "The Δ-divergence names it, next to its value.",
            (b, "This is your prior belief. The largest difference is at another prior."),
            (1 - b, "This is your π. The largest difference is at another prior."),
            (back.prior, "This is where the regret of the other choice is largest."),
            (crossing, "Here both errors are the same, so the difference is smallest."),
            (one_way.prior, "You compare one direction only, removing a person. The offers protect in both: leave direction at its default."),
        ),
        "crossing": numeric(
            1, crossing, "At which π above ½ are both Bayes errors the same?",
            (1 - crossing, "This is its mirror image, below ½. Give the one above."),
            (c.epsilon, "This is the quoted ε, near the log-odds of the crossing. The prior is asked for."),
            (1 - b, "This is your π. There one of the two is better."),
            (forth.prior, "Here the difference is largest. At the crossing there is none."),
        ),
        "at_prior": numeric(
            1, at_prior, "It is R(π) of the better offer minus R(π) of the worse, at your π.",
            (-at_prior, "The sign is reversed: the larger Bayes error is the better one."),
            (forth.value, "This is the largest difference over all priors. Give the one at yours."),
            (at_prior / min(b, 1 - b), "This is relative to a blind guess. Give the difference itself."),
        ),
    }  # fmt: skip


def _transcripts(c: Case) -> dict[str, Line]:
    found = caught(c)
    flagged = next((name for name in "AB" if found[name]), "neither")
    checks = frozenset(found[flagged]) if flagged in "AB" else frozenset({"neither"})
    wrong = [(name, "The audit finds nothing wrong in this one.") for name in "ab" if name != flagged.lower()]
    if flagged != "neither":
        wrong.append(("neither", "Look again, at all checks of both: one of them refutes a claim."))
    wrong.append(("both", "One of the two has passed all checks, at least."))
    names = [name for name in audit_transcript(c.transcripts["A"]) if name not in checks]
    passed = (
        "The check for this finds nothing wrong on the transcript in question."
        if flagged != "neither"
        else "No check has refuted a claim."
    )
    return {
        "flagged": worded(flagged.lower(), 'Answer "A", "B", "both" or "neither".', wrong),
        "check": worded(
            checks,
            "Name a check as auditing.audit_transcript does, or the flaw that it finds, or answer \"neither\".",
            [*((name, passed) for name in names), *([("neither", "One of the checks has refuted a claim.")] if flagged != "neither" else [])],
            _check_name,
        ),
    }  # fmt: skip


def _check_name(answer: object) -> str:
    """A check by its name, or by that of a flaw that it finds."""
    said = word(answer)
    by_flaw = dict(zip([flaw.name for flaw in FLAWS], ["sensitivity", "noise", "noise", "fresh steps"], strict=True))
    others = {
        "clipping": "sensitivity",
        "half the noise": "noise",
        "seed": "fresh steps",
        "freshness": "fresh steps",
        "same noise": "fresh steps",
    }
    return (by_flaw | others).get(said, said)


def _wins(c: Case) -> dict[str, Line]:
    transcript = c.transcripts[passing(c)]
    guesses, claim, delta = transcript.guesses, transcript.claim, c.delta
    wins, count = guesses.wins, guesses.repetitions
    whatever = from_wins(wins, count, delta, method="any")
    normal = from_wins(wins, count, delta)
    steps = transcript.released.shape[1]
    step = Gaussian(sigma=claim.sigma / claim.sensitivity, sensitivity=1 / math.sqrt(steps))
    gain = guesses.advantage()
    letters = {sentence: letter for letter, sentence in c.statements.items()}
    return {
        "epsilon_low": numeric(
            2, whatever.low, "Which ε does the lower limit for the share of right guesses show, whatever the "
                "mechanism, at the quoted δ?",
            (whatever.value, "This is the point estimate, which chance alone may reach. Give the lower end of the interval."),
            (normal.high, "This is the upper end, and for a Gaussian mechanism. Only the lower end can be shown."),
            (normal.value, "This is the point estimate for a Gaussian mechanism. Give the lower end, whatever the mechanism."),
            (normal.low, "This assumes that the mechanism is Gaussian, which an audit must not take for granted: "
                         'method="any".'),
            (from_wins(wins, count, delta, method="any", confidence=0.9).low, "This is the lower end of a one-sided "
                                                                              "95% interval. Use the two-sided one."),
            (math.exp(whatever.low), "This is e^ε. Take its logarithm."),
            (gain.low, "This is the lower end for the advantage. Turn it into an ε."),
            (gain.value, "This is the advantage, and a point estimate. Give the lower end for ε."),
            (wins / count, "This is the share of right guesses. Turn its lower limit into an ε."),
        ),
        "epsilon_claimed": numeric(
            1, claim.epsilon(delta), "Which ε does the claim of the pilot have at the quoted δ?",
            (c.epsilon, "This is the privacy statement of the offer. The pilot has settings of its own."),
            (step.epsilon(delta), "This is the ε of one step. The claim is about all."),
            (steps * step.epsilon(delta), "You add up the ε of the steps. Together they are one Gaussian mechanism: transcript.claim."),
            (math.sqrt(2 * math.log(1.25 / delta)) * claim.sensitivity / claim.sigma, "This is the classical formula. The exact ε is transcript.claim.epsilon(δ)."),
        ),
        "meaning": worded(
            letters[STATEMENTS["bounded"]],
            "Answer with a letter from a to d.",
            [
                (letters[STATEMENTS["proven"]], "An audit never proves a claim: another pair, or a better adversary, "
                                                "may show more."),
                (letters[STATEMENTS["probable"]], "It is the reverse: ε is at least the lower end. And the confidence "
                                                  "belongs to the method; it is not a probability of ε."),
                (letters[STATEMENTS["carried"]], "The pilot has other settings and other data. It says something "
                                                 "about the program, not about the training on the records."),
            ],
        ),
    }  # fmt: skip


def _decision(c: Case) -> dict[str, Line]:
    rho, t, sign = c.tolerance, c.exceedance, signed(c)
    m = _offer(c, better(c), "remove")
    start = logit(rho)
    top = start - logit(PosteriorBelief(m).quantile(1 - t))
    return {
        "sign": worded(sign.lower(), 'Answer "A", "B" or "neither".', _not_signed(c)),
        "largest_prior": numeric(
            2, expit(top), "From which prior belief is the tolerance exceeded with exactly the probability allowed?",
            (expit(-top), "This is the prior of the other world, π. The belief in membership is asked for."),
            (expit(start - logit(PosteriorBelief(m).quantile(1 - t, "P"))), "This is about world P, where the person is not in."),
            (expit(start - m.epsilon(t)), "This makes δ(ε) the exceedance. The tolerance is about the tail."),
            (expit(start - c.epsilon), "You use the quoted ε as the largest loss. Compute from the offer how often a "
                                       "loss is exceeded."),
            (PosteriorBelief(m, _prior(c)).quantile(1 - t), "This is a posterior, the belief that is exceeded as often as allowed from your prior. From which prior would it be the tolerance?"),
            (_prior(c), "This is the prior that you have. How high may it be before the promise breaks?"),
            (top, "These are the log-odds. Turn them into a probability."),
        ),
        "sentence": Line(1, _model_sentence(c, sign), (), _FORM, _sentence(c, sign)),
    }  # fmt: skip


def _not_signed(c: Case) -> list[tuple[str, str]]:
    """The wrong answers to what is signed."""
    replies = {"both": "One decision is asked for: sign one of them, or neither."}
    for name in "AB":
        if name not in _keeping(c):
            replies[name.lower()] = "This offer breaks the promise, whatever its transcript shows."
        elif caught(c)[name]:
            replies[name.lower()] = (
                "On paper it keeps the promise. But its program does not do what it claims: it has failed the audit."
            )
        elif name != signed(c):
            replies[name.lower()] = "It may be signed, but the other one exceeds the tolerance less often."
    if signed(c) != "neither":
        replies["neither"] = "An offer keeps the promise, and the audit finds nothing wrong with its program."
    return list(replies.items())


_FORM = (
    "Name what you sign, give a number from your report, and say under which condition it holds, in at least twelve "
    "words."
)


def _model_sentence(c: Case, sign: str) -> str:
    name = better(c) if sign == "neither" else sign
    return (
        f"I sign {sign}: offer {name} exceeds the tolerance with probability {numerals.shown(_tails(c)[name], 2)}, "
        "as long as its program adds the noise that it claims."
    )


def _sentence(c: Case, sign: str) -> Callable[..., Any]:
    """A reader that takes any sentence of the right form for the model's."""

    def read(answer: object) -> str:
        if not isinstance(answer, str):
            raise Ungraded("This should be a sentence, in quotes.")
        words = re.findall(r"[^\W\d_]+", answer)
        if len(words) < 12:
            raise Ungraded("This is short. " + _FORM)
        decided = _decided(answer)
        if decided is None and not {sign} & {*words, *(word.lower() for word in words)}:
            raise Ungraded("I do not find in it what you sign. Write “I sign …”, or “I refuse …”. " + _FORM)
        if decided not in (None, sign):
            read_as = {"both": "you sign both", "neither": "you sign neither"}.get(decided, f"you sign {decided}")
            raise Ungraded(f"I read it as saying that {read_as}, which the case does not support. " + _FORM)
        if re.search(r"\bproves\b(?! (?:nothing|neither|no|little)\b)", answer):
            raise Ungraded("An audit proves nothing: it refutes, or it does not. " + _FORM)
        given = [_said(*found) for found in _NUMBERS.findall(answer)]
        known = [
            line.right for name in ("promise", "noise", "risks", "regret", "wins") for line in sheet(c, name).values()
        ]
        known += [_prior(c), sheet(c, "decision")["largest_prior"].right, c.tolerance, c.exceedance]
        if not any(abs(x - y) <= 0.05 * abs(y) for x in given for y in known if isinstance(y, float)):
            raise Ungraded("I find no number in it that is from your report. " + _FORM)
        if (other := _other_number(c, answer)) is not None:
            raise Ungraded(f"The number beside {other} is the probability of the other offer. " + _FORM)
        if not _CONDITIONS.search(answer):
            raise Ungraded("I find no condition in it under which it holds. " + _FORM)
        return _model_sentence(c, sign)

    return read


_NUMBERS = re.compile(
    r"(10⁻[⁰¹²³⁴⁵⁶⁷⁸⁹]+|(?:\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d+(?:[.,]\d+)?)(?:e[-−]?\d+|\s?[·×]\s?10(?:\^?[-−]\d+|[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))?)"
    r"(?:\s*(%|percent\b|per cent\b))?"
)


def _said(number: str, percent: str) -> float:
    return numerals.read(number + ("%" if percent else ""), counts=True)


_CONDITIONS = re.compile(
    r"\b(if|unless|only|while|until|provided|providing|given|assuming|assumes?|once|when|whenever|where|except|"
    r"(as|so) long as|up to|at most|(no|not) more than|(above|below|beyond)|for (every|all|any|each|priors?)|"
    r"under the condition|on (the )?condition|subject to|in case|requires?|depends?)\b",
    re.IGNORECASE,
)
_SIGNS = r"(?:sign|accept|approve|choose|take|recommend|select|buy|pick)(?:s|ed|ing)?"
_REFUSES = r"(?:refuse|reject|decline)(?:s|d|ed|ing)?"
_DECISION = re.compile(
    rf"(?P<no>\b(?:not|never|cannot|neither)\s+(?:\w+\s+)?|n['’]t\s+(?:\w+\s+)?)?"
    rf"\b(?:(?P<signs>{_SIGNS})|(?P<refuses>{_REFUSES}))\b(?P<rest>[^.;:,]*)",
    re.IGNORECASE,
)
_CLAUSE_ENDS = re.compile(
    r"\b(?:because|since|as|if|unless|while|though|although|when|whose|which|that|but|and not|not)\b"
)


def _decided(sentence: str) -> str | None:
    """What a sentence says that is signed: A, B, both or neither; None if it does not say so in as many words."""
    signed: set[str] = set()
    refused: set[str] = set()
    for found in _DECISION.finditer(sentence):
        rest = _CLAUSE_ENDS.split(found["rest"])[0]
        if re.search(r"\b(neither|none|nothing|no (offer|vendor)|nobody)\b", rest, re.IGNORECASE):
            return "neither" if found["signs"] and not found["no"] else None
        named = set(re.findall(r"\b[AB]\b", rest))
        if re.search(r"\b(both|either|any|them)\b", rest, re.IGNORECASE):
            named = {"A", "B"}
        (signed if bool(found["signs"]) != bool(found["no"]) else refused).update(named)
    if signed:
        return signed.pop() if len(signed) == 1 else "both"
    return "neither" if refused == {"A", "B"} else None


def _other_number(c: Case, sentence: str) -> str | None:
    """The offer beside which a sentence gives the other's probability of exceeding the tolerance."""
    right = _tails(c)
    for name, number, percent in re.findall(rf"\b([AB])\b[^.;AB]*?\bexceed[^;AB]*?{_NUMBERS.pattern}", sentence):
        value = _said(number, percent)
        other = right["B" if name == "A" else "A"]
        if abs(value - other) <= 0.05 * other < abs(value - right[name]):
            return name
    return None


# What several lines stand on.


def _prior(c: Case) -> float:
    return c.records / c.population


def _threshold(c: Case) -> float:
    return float(logit(c.tolerance) - logit(_prior(c)))


def _offer(c: Case, name: str, direction: str = "both") -> DPSGD:
    return _training(**c.offers[name], direction=direction)


@lru_cache(maxsize=64)
def _training(**settings: Any) -> DPSGD:
    return DPSGD(**settings)  # the same object, which remembers what it has worked out


def better(c: Case) -> str:
    """The offer that exceeds the tolerance less often."""
    tails = _tails(c)
    return min(tails, key=tails.__getitem__)


def keeps(c: Case) -> str:
    """The offer that keeps the tolerance: A, B, both or neither."""
    kept = _keeping(c)
    return kept[0] if len(kept) == 1 else "both" if kept else "neither"


def _keeping(c: Case) -> list[str]:
    tails = _tails(c)
    return sorted((name for name in tails if tails[name] <= c.exceedance), key=tails.__getitem__)


def signed(c: Case) -> str:
    """The offer to sign: it keeps the tolerance and is not refused; of two such, the one that exceeds it less often."""
    return next((name for name in _keeping(c) if not caught(c)[name]), "neither")


@lru_cache(maxsize=64)
def _tails(c: Case) -> dict[str, float]:
    """How often each offer leaves a belief above the tolerance, if the person is in."""
    return {name: PosteriorBelief(_offer(c, name, "remove"), _prior(c)).sf(c.tolerance) for name in "AB"}


@lru_cache(maxsize=64)
def caught(c: Case) -> dict[str, tuple[str, ...]]:
    """By vendor, the checks of a transcript that refute its claim."""
    verdicts = {name: audit_transcript(transcript) for name, transcript in c.transcripts.items()}
    return {name: tuple(key for key, verdict in found.items() if verdict.caught) for name, found in verdicts.items()}


def passing(c: Case) -> str:
    """The transcript that passes; that of A if both do."""
    return "B" if caught(c)["A"] else "A"


def _crossing(better: Mechanism, worse: Mechanism, near: float) -> float:
    """The prior above ½ at which both Bayes errors are the same: near that of the privacy statement, to which both are calibrated."""

    def lead(epsilon: float) -> float:
        return math.log(better.privacy_profile(epsilon) / worse.privacy_profile(epsilon))

    return float(expit(brentq(lead, near / 2, 2 * near)))


_LINES = {
    "promise": _promise,
    "noise": _noise,
    "risks": _card,
    "regret": _regret,
    "transcripts": _transcripts,
    "wins": _wins,
    "decision": _decision,
}


def sheet(c: Case, part: str) -> dict[str, Line]:
    """The lines of a part of the report on a case."""
    return _sheet(c.seed, part)


def sheet_of(c: Case, part: str) -> dict[str, Line]:
    """The lines of a part, for a case that has no number."""
    return _LINES[part](c)


@lru_cache(maxsize=512)
def _sheet(seed: int, part: str) -> dict[str, Line]:
    return _LINES[part](made(seed))
