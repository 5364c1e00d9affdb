"""An audit that is watched while it runs: the wealth of a gambler, and an interval that is looked at after every round.

The idea: an auditor who bets against a claim may look after every round and stop at will; one who reads an interval may
not.
"""

from functools import cache

import numpy as np
from scipy.special import betaincinv

from ...auditing import Guesses, evidence_by_betting
from ...mechanisms import Gaussian
from ..machinery import BLUE, DASHED, GREY, VERMILLION, Choice, Explorer, Number, Slider

CLAIM = Gaussian(sigma=1.0)
ALLOWED = (1 + CLAIM.advantage) / 2
LEVEL, ROUNDS, FIRST, AUDITS = 0.05, 300, 10, 24
NOISES = {"as claimed": 1.0, "four fifths": 0.8, "half": 0.5}
STOPS = np.arange(5, ROUNDS + 1, 5)
LOWEST, HIGHEST = 2e-3, 2e5

evidence = Explorer(
    "evidence",
    title="May an auditor stop when the evidence is convincing?",
    caption="First panel: the wealth of a gambler who bets against the claim σ = 1; at 20 it is refuted. Second "
    "panel: a lower limit for right guesses, 95% if computed once; ring: first above the claim’s 69.1%.",
    find="Find an audit of a run with half of the noise in which three hundred rounds do not refute the claim.",
    parameters={
        "noise": Choice(tuple(NOISES), "as claimed", "Noise that is added"),
        "audit": Slider(1, AUDITS, 2, "audit", step=1),
        "rounds": Slider(5, ROUNDS, 110, "rounds", step=5, play=True),
    },
    steps={
        "A true claim": (
            "All of the noise is added. The limit rises above what the claim allows, and the gambler hardly wins.",
            {"noise": "as claimed", "audit": 2, "rounds": 110},
        ),
        "Half of the noise": (
            "The wealth passes 20 after 69 rounds, and the auditor may stop there.",
            {"noise": "half", "audit": 2, "rounds": 70},
        ),
        "Going on": (
            "Four fifths of the noise. After 150 rounds the claim stands; an auditor who bets may simply go on.",
            {"noise": "four fifths", "audit": 9, "rounds": 150},
        ),
    },
)


@cache
def guesses(noise, audit):
    """Three hundred rounds: the same coins and the same noise, times σ."""
    generator = np.random.default_rng((18, audit))
    member = generator.random(ROUNDS) < 0.5
    output = member + NOISES[noise] * generator.standard_normal(ROUNDS)
    return Guesses(member, output > 0.5)


@cache
def wealth(noise, audit):
    return evidence_by_betting(guesses(noise, audit), CLAIM)


@cache
def counts(noise, audit):
    """The number of right guesses after each round."""
    made = guesses(noise, audit)
    return np.cumsum(made.member == made.guess)


def lower_limit(right, rounds):
    """The one-sided limit of Clopper and Pearson."""
    return np.where(right == 0, 0.0, betaincinv(np.maximum(right, 1), rounds - right + 1, LEVEL))


@cache
def limits(noise, audit):
    return lower_limit(counts(noise, audit), np.arange(1, ROUNDS + 1))


def first(enough, rounds):
    """The first of so many rounds at which it is enough, or NaN."""
    found = np.flatnonzero(enough[: int(rounds)])
    return float(found[0] + 1) if found.size else np.nan


def ever_refuted(rounds=ROUNDS):
    """The probability that the limit refutes a true claim after some round, by the law of the right guesses so far."""
    law, refuted = np.ones(1), 0.0
    for count in range(1, rounds + 1):
        law = np.append(law * (1 - ALLOWED), 0.0) + np.append(0.0, law * ALLOWED)
        if count >= FIRST:
            stop = lower_limit(np.arange(count + 1), count) > ALLOWED
            refuted += law[stop].sum()
            law[stop] = 0.0
    return refuted


def so_far(values, rounds, stops=STOPS):
    """Values at the stops, of which those of later rounds are not seen."""
    return np.where(rounds < stops, np.nan, values[stops - 1])


@evidence.panel("The bet", xlabel="rounds", ylabel="wealth of the gambler", xlim=(0, ROUNDS), ylim=(LOWEST, HIGHEST),
                ylog=True, titled=False, width=370.0)  # fmt: skip
def bet(axes):
    axes.axhline(1 / LEVEL, color=GREY, linewidth=1.5, label="refuted at level 5%")


@evidence.panel("The interval", xlabel="rounds", ylabel="lower limit for the probability", xlim=(0, ROUNDS),
                ylim=(0.4, 1), titled=False, width=350.0)  # fmt: skip
def interval(axes):
    axes.axhline(ALLOWED, color=GREY, linewidth=1.5, label="what the claim allows")


@bet.curve(BLUE, "wealth", moves="audit", ghost=False)
def growing(noise, audit, rounds):
    return STOPS, so_far(np.clip(wealth(noise, audit), LOWEST, HIGHEST), rounds)


@bet.points(BLUE, moves="rounds")
def now(noise, audit, rounds):
    return rounds, np.clip(wealth(noise, audit)[rounds - 1], LOWEST, HIGHEST)


@interval.curve(VERMILLION, line=DASHED, moves="audit", ghost=False)
def limit(noise, audit, rounds):
    ring = peeked(noise, audit, ROUNDS)
    stops = np.sort(np.append(STOPS, int(ring) if ring <= ROUNDS else ROUNDS))  # the ring lies on the curve
    return stops, so_far(np.maximum(limits(noise, audit), 0.4), rounds, stops)


@interval.points(VERMILLION, moves="rounds")
def limit_now(noise, audit, rounds):
    return rounds, np.maximum(limits(noise, audit)[rounds - 1], 0.4)


@interval.points(VERMILLION, marker="o", size=13, hollow=True, moves="")
def looked(noise, audit, rounds):
    at = peeked(noise, audit, rounds)
    return at, np.nan if np.isnan(at) else limits(noise, audit)[int(at) - 1]


def peeked(noise, audit, rounds):
    """The first round, from the tenth on, after which the limit exceeds what the claim allows."""
    late = np.arange(1, ROUNDS + 1) >= FIRST
    return first((limits(noise, audit) > ALLOWED) & late, rounds)


@evidence.readouts(
    right=Number("right guesses", GREY, 0),
    money=Number("wealth", BLUE, 2, power=True),
    most=Number("largest wealth so far", BLUE, 2, power=True),
    low=Number("lower limit now", VERMILLION, 1, percent=True),
    refuted=Number("wealth of 20 reached after round", BLUE, 0),
    interrupted=Number("limit above the claim after round", VERMILLION, 0),
)
def numbers(noise, audit, rounds):
    so = wealth(noise, audit)[: int(rounds)]
    return (
        counts(noise, audit)[rounds - 1], so[-1], so.max(), limits(noise, audit)[rounds - 1],
        first(so >= 1 / LEVEL, rounds), peeked(noise, audit, rounds),
    )  # fmt: skip


@evidence.solved
def missed(noise, audit, rounds):
    return NOISES[noise] == 0.5 and rounds == ROUNDS and not numbers(noise, audit, rounds)[4] <= rounds


@evidence.words
def betting(noise, audit, rounds):
    if numbers(noise, audit, rounds)[4] <= rounds:
        return "The wealth reached 20 after round {refuted}: the claim is refuted at level 5%, though it was watched."
    return "After {rounds} rounds the wealth is {money}, and never was above {most}: the claim stands so far."


@evidence.words
def looking(noise, audit, rounds):
    if rounds < FIRST:
        return "From the tenth round on, the auditor will look at the limit."
    if not numbers(noise, audit, rounds)[5] <= rounds:
        return "From the tenth round on, the limit never rose above what the claim allows."
    if NOISES[noise] == 1:
        return "The limit rose above the claim after round {interrupted}, although the claim is true."
    return "The limit rose above the claim after round {interrupted}, but this limit, if it is watched, proves nothing."


evidence.ask(
    "A run keeps its claim. An auditor computes a lower limit with 95% confidence after every round from the tenth to "
    "the 300th, and stops as soon as it is above what the claim allows. In how many of 100 such audits will that "
    "happen?",
    truth=lambda: 100 * ever_refuted(),
    unit="%",
    hides=(looked,),
    says="You said {said} of 100. It is {truth}, about one in four.",
)


@evidence.code
def program(noise, audit, rounds):
    import numpy as np
    from scipy.special import betaincinv

    import dptutor as dp

    claim = dp.Gaussian(sigma=1)
    sigma = {"as claimed": 1.0, "four fifths": 0.8, "half": 0.5}[noise]
    generator = np.random.default_rng((18, audit))
    member = generator.random(300) < 0.5
    guess = member + sigma * generator.standard_normal(300) > 0.5
    member, guess = member[:rounds], guess[:rounds]

    counts, played = np.cumsum(member == guess), np.arange(1, rounds + 1)
    wealth = dp.auditing.evidence_by_betting(dp.auditing.Guesses(member, guess), claim)
    limits = np.where(counts == 0, 0.0, betaincinv(np.maximum(counts, 1), played - counts + 1, 0.05))
    above = (limits > (1 + claim.advantage) / 2) & (played >= 10)

    right, money, most, low = counts[-1], wealth[-1], wealth.max(), limits[-1]
    refuted = played[wealth >= 20][0] if most >= 20 else np.nan
    interrupted = played[above][0] if above.any() else np.nan
    print(f"{right} of {rounds} right, a wealth of {money:.3g}, a lower limit of {low:.3f}")
