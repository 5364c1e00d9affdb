"""An audit by repetition: a training run is repeated many times, and what happens may refute the ε that it claims.

The idea: a claim is refuted when something happens that it makes rarer than once in a hundred audits. Which statistic
shows a flaw depends on the flaw, and too few repetitions show none.
"""

from functools import cache
from math import expm1, log, log1p, sqrt

import numpy as np
from scipy.special import expit, ndtr, ndtri
from scipy.stats import binom

from ...auditing import (
    FIRST_STEP_ONLY,
    HALF_THE_NOISE,
    NO_CLIPPING,
    SAME_NOISE,
    SOUND,
    gaussian_epsilon,
    gaussian_mu,
    most_wins,
)
from ...mechanisms import Gaussian
from ..machinery import BLUE, DASHED, GREEN, GREY, INK, PURPLE, VERMILLION, Choice, Explorer, Number, Slider

STEPS, DELTA, PATHS, LEVEL = 30, 0.01, 6, 0.01
REPETITIONS = (*range(16, 33, 4), 40, 48, 56, 64, 72, 80, 90, 100, 112, *range(128, 225, 16), *range(256, 513, 32),
               *range(576, 1025, 64), *range(1152, 2049, 128))  # fmt: skip
MOST = REPETITIONS[-1]
Z = sqrt(STEPS) / gaussian_mu(log(9), DELTA)
NOISE = np.random.default_rng(13).standard_normal((MOST, STEPS))
NAMES = tuple(flaw.name for flaw in (SOUND, NO_CLIPPING, HALF_THE_NOISE, FIRST_STEP_ONLY, SAME_NOISE))

audit = Explorer(
    "audit",
    title="Does the training keep the ε that it claims?",
    caption="First panel: if the claim is true, the probability of as many right guesses (green) and of as extreme a "
    "belief (dashed) as observed. Second panel: beliefs in D during runs on D (dashed) and D′, with a 98% band.",
    find="Drag R to the smallest number of repetitions after which the right guesses always refute the claim.",
    parameters={
        "flaw": Choice(NAMES, NAMES[2], "Training"),
        "repetitions": Slider(16, MOST, 100, "repetitions", "R", stops=REPETITIONS),
        "steps": Slider(1, STEPS, STEPS, "steps", "k", step=1),
    },
    steps={
        "Half the noise": (
            "The adversary trusts the stated σ and is too cautious. The beliefs look private, but the wins reveal the "
            "flaw.",
            {"flaw": NAMES[2], "steps": STEPS, "repetitions": 512},
        ),
        "Too few": (
            "Half the noise again, but sixteen repetitions are too few to show it.",
            {"flaw": NAMES[2], "steps": STEPS, "repetitions": 16},
        ),
        "Noise once": (
            "The beliefs settle at a harmless value, but they are nearly always on the right side.",
            {"flaw": NAMES[3], "steps": STEPS, "repetitions": 512},
        ),
        "One seed": (
            "The beliefs run wild, yet the adversary guesses hardly better than a coin: it does not know that the "
            "noise repeats.",
            {"flaw": NAMES[4], "steps": STEPS, "repetitions": 512},
        ),
    },
)


@cache
def losses(flaw):
    """The privacy loss towards the truth, of shape (repetitions, steps)."""
    steps = np.arange(1, STEPS + 1)
    noise = np.cumsum(NOISE, 1)
    if flaw == HALF_THE_NOISE.name:
        noise = noise / 2
    if flaw == FIRST_STEP_ONLY.name:
        noise = NOISE[:, :1] + 0 * noise
    if flaw == SAME_NOISE.name:
        noise = NOISE[:, :1] * steps
    size = ratio(flaw) / Z
    return size**2 / 2 * steps + size * noise


def ratio(flaw):
    return 2.0 if flaw == NO_CLIPPING.name else 1.0


@cache
def claim(steps):
    """ε of so many steps at the claimed noise."""
    return gaussian_epsilon(sqrt(steps) / Z, DELTA)


def mu_of(steps):
    return sqrt(steps) / Z


def seen(flaw, steps, repetitions):
    """The right guesses and the largest log-odds of so many repetitions."""
    loss = losses(flaw)[:repetitions, steps - 1]
    return int((loss > 0).sum()), float(loss.max())


def chance_of_so_many(wins, steps, repetitions):
    """The probability of at least so many right guesses, if the claim is true."""
    return binom.sf(wins - 1, repetitions, ndtr(mu_of(steps) / 2))


def chance_of_so_large(largest, steps, repetitions):
    """The probability that the largest of so many log-odds is at least so large, if the claim is true."""
    mu = mu_of(steps)
    return -expm1(repetitions * log1p(-ndtr(mu / 2 - largest / mu)))


@cache
def chances(flaw, steps):
    """Both probabilities at each number of repetitions."""
    found = [(seen(flaw, steps, count), count) for count in REPETITIONS]
    return (
        np.array([chance_of_so_many(wins, steps, count) for (wins, _), count in found]),
        np.array([chance_of_so_large(largest, steps, count) for (_, largest), count in found]),
    )


LOW, HIGH = 1e-7, 60.0


@audit.panel("Could it be chance?", xlabel="repetitions R", ylabel="probability if the claim is true",
             xlim=(14, 2400), ylim=(LOW, HIGH), xlog=True, ylog=True, titled=False, width=390.0,
             margins=(84.0, 12.0, 44.0, 12.0))  # fmt: skip
def evidence(axes):
    axes.set_xticks([16, 64, 256, 1024], [16, 64, 256, 1024])
    axes.set_yticks([1, 1e-2, 1e-4, 1e-6], ["certain", "1 in 100", "1 in 10⁴", "1 in 10⁶"])
    axes.set_xticks([], minor=True)
    axes.set_yticks([], minor=True)
    axes.grid(False)
    axes.axhspan(LOW, LEVEL, color=VERMILLION, alpha=0.14, linewidth=0)
    axes.axhline(LEVEL, color=VERMILLION, linewidth=1.4, label="_level")
    axes.text(2300, 0.022, "↑ the claim may be true", color=INK, ha="right")
    axes.text(2300, 0.0032, "↓ the claim is refuted", color=VERMILLION, ha="right")


def drawn(chance):
    return np.maximum(chance, LOW / 1e3)


@evidence.curve(GREEN, "right guesses", moves="")
def by_wins(flaw, steps):
    return REPETITIONS, drawn(chances(flaw, steps)[0])


@evidence.curve(BLUE, "extreme beliefs", line=DASHED, moves="")
def by_log_odds(flaw, steps):
    return REPETITIONS, drawn(chances(flaw, steps)[1])


@evidence.curve(PURPLE, width=1.6, ghost=False, moves="repetitions")
def chosen(repetitions):
    # Where the words to its right would be struck, it ends below them.
    return [repetitions] * 2, [LOW, 3 if repetitions < 160 else LEVEL / 40]


@evidence.points(GREEN, moves="")
def wins_here(flaw, repetitions, steps):
    return repetitions, max(numbers(flaw, repetitions, steps)[3], 1.4 * LOW)


@evidence.points(BLUE, moves="")
def log_odds_here(flaw, repetitions, steps):
    return repetitions, max(numbers(flaw, repetitions, steps)[5], 1.4 * LOW)


@evidence.text(GREEN, offset=(9, 6))
def rarer_than_the_panel_shows(flaw, repetitions, steps):
    # The dot stays in the picture, at its lower edge; so do the words, to its left where there is no room on its right.
    of_wins = numbers(flaw, repetitions, steps)[3]
    return repetitions / (1 if repetitions < 450 else 5), LOW if of_wins < LOW else np.nan, "below 1 in 10⁷"


@evidence.text(BLUE, offset=(9, 6))
def rarer_beliefs(flaw, repetitions, steps):
    of_wins, of_beliefs = (numbers(flaw, repetitions, steps)[k] for k in (3, 5))
    alone = of_beliefs < LOW <= of_wins  # of two dots in one place, one has the words
    return repetitions / (1 if repetitions < 450 else 5), LOW if alone else np.nan, "below 1 in 10⁷"


def paths(flaw, first, sign):
    """The beliefs of some repetitions, from one half, with a gap after each."""
    start, gap = np.zeros((PATHS, 1)), np.full((PATHS, 1), np.nan)
    log_odds = np.hstack([start, sign * losses(flaw)[first : first + PATHS], gap])
    return np.tile(np.append(np.arange(STEPS + 1.0), STEPS), PATHS), expit(log_odds).ravel()


@audit.panel("Beliefs in training", xlabel="step (gray: 98% of sound runs on D)", ylabel="belief in D",
             xlim=(0, STEPS), ylim=(0, 1), titled=False, width=330.0)  # fmt: skip
def beliefs(axes):
    steps = np.linspace(0, STEPS, 121)
    middle, spread = steps / Z**2 / 2, ndtri(0.99) * np.sqrt(steps) / Z
    axes.fill_between(steps, expit(middle - spread), expit(middle + spread), color=GREY, alpha=0.18, linewidth=0)
    axes.grid(False)


@beliefs.curve(BLUE, "trained on D′", width=1.1, ghost=False)
def without(flaw):
    return paths(flaw, PATHS, -1)


@beliefs.curve(VERMILLION, "trained on D", line=DASHED, width=1.1, ghost=False)
def with_example(flaw):
    return paths(flaw, 0, 1)


@beliefs.curve(PURPLE, width=1.6, ghost=False, share=0.94)
def now(steps):
    return [steps, steps], [0, 1]


@audit.readouts(
    epsilon=Number("claimed ε", INK, 2),
    wins=Number("right guesses", GREEN, 0),
    allowed=Number("right guesses allowed by the claim", GREY, 0, help="at most; at the 1% level"),
    chance_of_wins=Number("probability of so many, if the claim is true", GREEN, 2, power=True),
    by_beliefs=Number("log-odds of the most extreme belief", BLUE, 2),
    chance_of_beliefs=Number("probability of so extreme a belief, if the claim is true", BLUE, 2, power=True),
)
def numbers(flaw, repetitions, steps):
    wins, largest = seen(flaw, steps, repetitions)
    allowed = most_wins(repetitions, Gaussian(sigma=Z, sensitivity=sqrt(steps)))
    of_wins = chance_of_so_many(wins, steps, repetitions)
    return claim(steps), wins, allowed, of_wins, largest, chance_of_so_large(largest, steps, repetitions)


@audit.solved
def just_enough(flaw, repetitions, steps):
    """Whether the guesses refute the claim here and beyond, and not at the stop before."""
    refuted = chances(flaw, steps)[0] < LEVEL
    here = int(np.searchsorted(REPETITIONS, repetitions))
    return (
        bool(refuted[here:].all() and here and not refuted[here - 1]) and numbers(flaw, repetitions, steps)[3] < LEVEL
    )


@audit.words
def words(flaw, repetitions, steps):
    _, wins, allowed, _, _, of_log_odds = numbers(flaw, repetitions, steps)
    claimed = f"the claim, ε = {{epsilon}} at δ = {DELTA} after {'one step' if steps == 1 else '{steps} steps'}"
    if wins > allowed:
        return (
            f"Refuted: {{wins}} of {{repetitions}} guesses are right. If {claimed}, were true, more than "
            "{allowed} would be right in at most one of a hundred audits."
        )
    if ratio(flaw) > 1:
        return (
            f"Refuted: the steps move by more than {claimed}, allows. The {{wins}} right guesses of "
            "{repetitions} would be possible."
        )
    if of_log_odds < LEVEL:
        return (
            f"Refuted: some beliefs reach log-odds of {{by_beliefs}}. If {claimed}, were true, that would happen in "
            "at most one of a hundred audits."
        )
    return (
        f"Not refuted: {{wins}} right guesses of {{repetitions}}, and beliefs with log-odds of up to {{by_beliefs}}, "
        f"can well happen if {claimed}, is true."
    )


@audit.code
def program(flaw, repetitions, steps):
    import numpy as np
    from scipy.stats import binom, norm

    import dptutor as dp

    a, delta = dp.auditing, 0.01
    z = 30**0.5 / a.gaussian_mu(np.log(9), delta)
    noise = np.random.default_rng(13).standard_normal((2048, 30))[:repetitions, :steps]
    size = 2.0 if flaw == a.NO_CLIPPING.name else 1.0  # of a gradient, in units of the sensitivity
    if flaw == a.HALF_THE_NOISE.name:
        noise = noise / 2
    if flaw == a.FIRST_STEP_ONLY.name:
        noise = noise * (np.arange(steps) == 0)
    if flaw == a.SAME_NOISE.name:
        noise = noise[:, :1] * np.ones(steps)
    loss = steps * (size / z) ** 2 / 2 + size / z * noise.sum(1)  # towards the truth
    claim = dp.Gaussian(sigma=z, sensitivity=steps**0.5)
    epsilon = claim.epsilon(delta)
    wins, by_beliefs = int((loss > 0).sum()), loss.max()
    allowed = a.most_wins(repetitions, claim)
    chance_of_wins = binom.sf(wins - 1, repetitions, (1 + claim.advantage) / 2)
    chance_of_beliefs = 1 - (1 - norm.sf(by_beliefs / claim.mu - claim.mu / 2)) ** repetitions
    print(f"{wins} right guesses, up to {allowed} allowed by the claim")
