"""Exercises of chapter 20: the seven parts of a report on your own case, and the report."""

from ..capstone.report import PARTS, part
from ..judging.core import Exercise

# The numbers of a case take some seconds, the first time.
_PATIENCE = 60.0

_DIRECT = 'dp.DPSGD(**case.offers["A"], direction="remove")'

EXERCISES = [
    Exercise(
        id="20.1",
        grade="warm-up",
        title="The promise",
        question="Choose your case by its number, and read it. Then say what its promise requires: `prior`, the belief in membership before anything is "
        "published; `epsilon`, the privacy loss at which the belief passes the tolerance; `pi`, the prior of the world without the person. In all parts, give numbers to at least three significant digits. Without a number, `case()` is the case that was chosen last.",
        brief=r"State what the promise requires: the prior belief, the privacy loss, and $\pi$.",
        goals=(1,),
        name="promise",
        stub="""import dptutor as dp

case = dp.exercises.case(1)  # your number
print(case)

promise = {
    "prior": ...,
    "epsilon": ...,
    "pi": ...,
}
""",
        solution="""import dptutor as dp

case = dp.exercises.case()
prior = case.records / case.population
promise = {
    "prior": prior,
    "epsilon": dp.epsilon_for_posterior_belief(case.tolerance, prior),
    "pi": 1 - prior,
}
""",
        explanation="n of N people are in the data, and the adversary considers all N equally likely. From this prior "
        "to the tolerance the log-odds rise by ε.",
        hints=(
            "You know only that n of N people are in the data. With what probability do you believe it of each of "
            "them?",
            "The belief in membership is n/N. The belief passes the tolerance where the loss is logit ρ − logit b.",
            "dp.epsilon_for_posterior_belief(case.tolerance, prior) gives ε. And π is the prior of the other world: 1 "
            "− b.",
        ),
        praise="Right. To turn a tolerance into noise, you need the prior from which it starts and the probability "
        "with which it may be exceeded.",
        judge=part("promise"),
        patience=_PATIENCE,
    ),
    Exercise(
        id="20.2",
        grade="warm-up",
        title="The noise it takes",
        question="In-house training would take `case.steps` steps with full batches. Give `sigma`, the noise "
        "multiplier of each step with which the tolerance is exceeded exactly as often as allowed; `naive`, "
        "how often it is exceeded if someone makes that probability the δ of (ε, δ) and calibrates exactly; "
        "and `advantage`, that of the whole training run with your sigma.",
        brief="Calibrate a training run of your own to the promise, and find out what the naive reading would have given.",
        goals=(1,),
        name="noise",
        stub="""noise = {
    "sigma": ...,
    "naive": ...,
    "advantage": ...,
}
""",
        solution="""import dptutor as dp

case = dp.exercises.case()
prior = case.records / case.population
target = {"posterior_belief": case.tolerance, "membership_prior": prior}


def family(sigma):
    return dp.Gaussian(sigma=sigma, sensitivity=case.steps**0.5)


exact = dp.calibrate(family, **target, exceedance=case.exceedance)
wrong = dp.calibrate(family, **target, delta=case.exceedance)
noise = {
    "sigma": exact.sigma,
    "naive": dp.PosteriorBelief(wrong, prior).sf(case.tolerance),
    "advantage": exact.advantage,
}
""",
        explanation="k Gaussian steps are one with √k times the sensitivity. Calibrate its tail to the probability "
        "allowed; the naive way sets the profile to that value instead.",
        hints=(
            "k steps with full batches are one Gaussian mechanism. What is its sensitivity?",
            "√k. dp.calibrate takes a function from sigma to that mechanism, and a target: posterior_belief, membership_prior, exceedance.",
            "For the naive value, use delta= in place of exceedance=, and then dp.PosteriorBelief(m, "
            "prior).sf(case.tolerance).",
        ),
        praise="Right. The two readings of one sentence differ by a factor in the noise, and by a larger one in the "
        "probability.",
        judge=part("noise"),
        patience=_PATIENCE,
    ),
    Exercise(
        id="20.3",
        grade="think",
        title="Two offers, one privacy statement",
        question="How often does each offer exceed your tolerance, if the person is in the data: `exceedance_a`, "
        "`exceedance_b`, to three significant digits, or to four decimals as the chapter prints them? Which one "
        '`keeps` it: "A", "B", "both" or "neither"? All four answers occur, depending on the case, and every probability differs from the one that is allowed by a factor of at least 1.2.',
        brief="How often is the tolerance exceeded under each offer, and which offer keeps the promise: one, both or neither?",
        goals=(2,),
        name="risks",
        stub="""risks = {
    "exceedance_a": ...,
    "exceedance_b": ...,
    "keeps": ...,
}
""",
        solution="""import dptutor as dp

case = dp.exercises.case()
prior = case.records / case.population
tails = {}
for name, offer in case.offers.items():
    training = dp.DPSGD(**offer, direction="remove")
    tails[name] = dp.PosteriorBelief(training, prior).sf(case.tolerance)
kept = [name for name, tail in tails.items() if tail <= case.exceedance]
risks = {
    "exceedance_a": tails["A"],
    "exceedance_b": tails["B"],
    "keeps": "both" if len(kept) == 2 else kept[0] if kept else "neither",
}
""",
        explanation="The two profiles agree at one point, far out. The tolerance lies where they differ.",
        hints=(
            "The arguments of dp.DPSGD are the values of the dict case.offers. In which direction is Q the world with the person?",
            f"{_DIRECT} has the person in Q.",
            "dp.PosteriorBelief(training, prior).sf(case.tolerance), and compare with case.exceedance.",
        ),
        praise="Right. The same privacy statement, but not the same risk: compare with the probability allowed before "
        "you sign.",
        judge=part("risks"),
        patience=_PATIENCE,
    ),
    Exercise(
        id="20.4",
        grade="think",
        title="What the worse one costs",
        question="Against which offer does your adversary err more often (`winner`)? Give the `regret` of choosing "
        "the other, in Bayes error; `worst_prior`, where it is that large; `crossing`, the prior above ½ at "
        "which both are the same; and `at_prior`, the difference at your π. Leave `direction` at its "
        "default: here a mechanism has both directions.",
        brief="Compare the offers at your adversary's prior, at the worst one, and where they agree.",
        goals=(2,),
        name="regret",
        stub="""regret = {
    "winner": ...,
    "regret": ...,
    "worst_prior": ...,
    "crossing": ...,
    "at_prior": ...,
}
""",
        solution="""import dptutor as dp

case = dp.exercises.case()
pi = 1 - case.records / case.population
offers = {name: dp.DPSGD(**offer) for name, offer in case.offers.items()}
winner, loser = sorted(offers, key=lambda name: -offers[name].bayes_error(pi))
compared = dp.compare(offers[winner], offers[loser])
regret = {
    "winner": winner,
    "regret": compared.divergence.value,
    "worst_prior": compared.divergence.prior,
    "crossing": max(compared.crossings),
    "at_prior": offers[winner].bayes_error(pi) - offers[loser].bayes_error(pi),
}
""",
        explanation="The Δ-divergence is the largest difference of the two Bayes errors, and it has a direction. The "
        "errors cross near the prior whose log-odds are the quoted ε.",
        hints=(
            "The more private offer has the larger Bayes error, m.bayes_error(pi).",
            "dp.compare(better, worse) has everything: divergence, reverse_divergence, crossings.",
            "divergence.value and divergence.prior, the larger of crossings, and the difference of both m.bayes_error(pi).",
        ),
        praise="Right. Where the privacy statement compares them, they are equal; at your adversary’s prior, they are "
        "not.",
        judge=part("regret"),
        patience=_PATIENCE,
    ),
    Exercise(
        id="20.5",
        grade="think",
        title="Two transcripts",
        question='Audit both pilots, `case.transcripts`, at the level 0.01. Which claim is refuted (`flagged`: "A", "B" or "neither"), and by which `check`? '
        "A check may go by its name in the audit, or by that of the flaw.",
        brief="Audit both pilots. Is a claim refuted, and by which check?",
        goals=(3,),
        name="transcripts",
        stub="""transcripts = {
    "flagged": ...,
    "check": ...,
}
""",
        solution="""import dptutor as dp

case = dp.exercises.case()
caught = [
    (name, check)
    for name, transcript in case.transcripts.items()
    for check, verdict in dp.auditing.audit_transcript(transcript).items()
    if verdict.caught
]
flagged, check = caught[0] if caught else ("neither", "neither")
transcripts = {"flagged": flagged, "check": check}
""",
        explanation="The audit shares its level among the checks. A true claim is refuted with a probability of one percent at most.",
        hints=(
            "What does dp.auditing.audit_transcript say of each transcript in the dict case.transcripts?",
            "A dict of verdicts, each with evidence, p_value and caught.",
            'Look for caught in both. If there is none, the answer to both lines is "neither".',
        ),
        praise="Right. A claim that passes an audit is not proven.",
        judge=part("transcripts"),
        patience=_PATIENCE,
    ),
    Exercise(
        id="20.6",
        grade="build",
        title="What the wins show",
        question="Take the pilot that passes; A’s, if both do. From its right guesses, at least how large is its ε at "
        "the quoted δ, whatever its mechanism: `epsilon_low`, the lower end of the two-sided 95% interval? "
        "Which ε does its claim allow: `epsilon_claimed`? Which statement of the case may you sign: "
        '`meaning`, a letter from "a" to "d"?',
        brief=r"From the pilot that passes, give the $\varepsilon$ that is shown, the one that is claimed, and the sentence that may be signed.",
        goals=(3,),
        name="wins",
        stub="""wins = {
    "epsilon_low": ...,
    "epsilon_claimed": ...,
    "meaning": ...,
}
""",
        solution="""import dptutor as dp

case = dp.exercises.case()
passing = [
    transcript
    for transcript in case.transcripts.values()
    if not any(v.caught for v in dp.auditing.audit_transcript(transcript).values())
]
guesses, claim = passing[0].guesses, passing[0].claim
shown = dp.auditing.epsilon_from_advantage(guesses.wins, guesses.repetitions, case.delta, method="any")
letter = next(key for key, sentence in case.statements.items() if "neither refuted nor proven" in sentence)
wins = {
    "epsilon_low": shown.low,
    "epsilon_claimed": claim.epsilon(case.delta),
    "meaning": letter,
}
""",
        explanation="The Clopper–Pearson lower limit, turned into an advantage, and that into the smallest ε that "
        "allows it. An audit bounds ε from below.",
        hints=(
            "transcript.guesses has wins and repetitions, transcript.claim is a mechanism.",
            'dp.auditing.epsilon_from_advantage(wins, repetitions, case.delta, method="any").low',
            "claim.epsilon(case.delta) gives the other. And check in which direction each of the four statements "
            "bounds ε.",
        ),
        praise="Right. The audit knows nothing about what lies between the two numbers.",
        judge=part("wins"),
        patience=_PATIENCE,
    ),
    Exercise(
        id="20.7",
        grade="build",
        title="The decision",
        question='What do you `sign`: "A", "B" or "neither"? Sign no offer that breaks the tolerance or whose program is '
        "rejected; of two that remain, sign the one that exceeds the tolerance less often. Say how far the offer that "
        "exceeds it less often can be trusted on paper: `largest_prior`, the prior belief in membership at which it exceeds the tolerance "
        "exactly as often as allowed. And defend the decision in a `sentence` with a number of your report and the "
        "condition under which it holds.",
        brief="Decide, state the largest prior belief for which the promise holds, and defend the decision in one sentence.",
        goals=(4,),
        name="decision",
        stub="""decision = {
    "sign": ...,
    "largest_prior": ...,
    "sentence": ...,
}
""",
        solution="""from math import exp, floor, log

import dptutor as dp

case = dp.exercises.case()
prior = case.records / case.population


def odds(p):
    return log(p / (1 - p))


offers = {name: dp.DPSGD(**offer, direction="remove") for name, offer in case.offers.items()}
tails = {name: dp.PosteriorBelief(m, prior).sf(case.tolerance) for name, m in offers.items()}
order = sorted(tails, key=tails.get)
rejected = {
    name: any(v.caught for v in dp.auditing.audit_transcript(transcript).values())
    for name, transcript in case.transcripts.items()
}
sign = next((name for name in order if tails[name] <= case.exceedance and not rejected[name]), "neither")


def largest_prior(name):
    from_even_odds = dp.PosteriorBelief(offers[name]).quantile(1 - case.exceedance)
    return 1 / (1 + exp(odds(from_even_odds) - odds(case.tolerance)))


named = order[0] if sign == "neither" else sign

decision = {
    "sign": sign,
    "largest_prior": largest_prior(order[0]),
    "sentence": f"I sign {sign}: offer {named} exceeds the tolerance with probability {tails[named]:.2g}, "
    "if its program adds the noise that it claims, and keeps the promise against adversaries who see every step and "
    f"are at first at most {floor(100 * largest_prior(named))}% sure.",
}
""",
        explanation="The loss that is exceeded as often as allowed is a quantile; from even odds it is the log-odds "
        "of the belief. It takes the largest prior to the tolerance.",
        hints=(
            "Two conditions: the settings keep the promise, and the program has not failed the audit.",
            "The belief from even odds that is exceeded as often as allowed is dp.PosteriorBelief(m).quantile(1 - case.exceedance). Its log-odds are a loss.",
            "logit(largest prior) = logit(tolerance) − that loss.",
        ),
        praise="Right, as far as a program can tell. Now show your sentence to someone who would have preferred the "
        "other decision.",
        judge=part("decision"),
        patience=_PATIENCE,
    ),
]

_TOGETHER = 'report = {"seed": case.seed, **promise, **noise, **risks, **regret, **transcripts, **wins, **decision}\n'

EXERCISES.append(
    Exercise(
        id="20.8",
        grade="build",
        title="The report",
        question='Put the parts together, with the number of the case: `{"seed": case.seed, **promise, **noise, …}`. `dp.exercises.rubric(report)` gives the '
        "points, line by line.",
        brief="Combine the parts, and have the whole report judged line by line.",
        goals=(4,),
        name="report",
        stub="""import dptutor as dp

report = {}  # {"seed": case.seed, **promise, **noise, **risks, **regret, **transcripts, **wins, **decision}
print(dp.exercises.rubric(report))
""",
        solution="\n\n".join([*(exercise.solution for exercise in EXERCISES), _TOGETHER]),
        explanation="The parts, one after the other, and the number of the case, so that any reader can recompute "
        "every line.",
        hints=(
            "Each part is a dict. How do you put dicts together?",
            "{**promise, **noise} has the lines of both.",
            'Remove the # and the {} before it: {"seed": case.seed, **promise, **noise, **risks, **regret, '
            "**transcripts, **wins, **decision}.",
        ),
        praise="All points. What no program can judge is whether your sentence convinces: ask a reader.",
        judge=part(*PARTS),
        patience=_PATIENCE,
    )
)
