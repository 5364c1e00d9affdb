"""What an output is worth to any attack: the baseline of a blind guess, and the most to which the output can raise it.

The idea: the trade-off function, turned upside down, bounds every attack; only the baseline differs. Of a hundred
people who are attacked, a blind guess finds out some, and the output can add so many.
"""

import numpy as np
from scipy.special import ndtr, ndtri

from ...mechanisms import Gaussian
from ..machinery import BLUE, GREEN, GREY, PURPLE, Explorer, Number, Slider

LOW = 1e-4
BASELINES = np.geomspace(LOW, 1, 81)
# Nearly even on the logarithmic axis.
STOPS = (
    *(float(f"{digits}e{power}") for power in range(-4, 0) for digits in (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)),
    0.9,
)
SHARES = (LOW, 1e-3, 1e-2, 0.1, 1)
FOUR = np.array([0.0002, 0.002, 0.01, 0.5])
SAID = [f"{100 * share:.6g}%" for share in SHARES]

any_attack = Explorer(
    "any_attack",
    title="How much can the output help an attack?",
    caption="How often an attack succeeds, and how often a blind guess does, κ. No attack is above the "
    "blue curve; small rings: the four attacks. Second panel: of a hundred people, those found out blindly (gray), "
    "and with the output.",
    find="Find the baseline at which the output adds the most percentage points.",
    parameters={
        "baseline": Slider(LOW, 0.9, 0.01, "baseline", "κ", stops=STOPS, percent=True),
        "sigma": Slider(0.25, 4.0, 0.5, "noise", "σ", step=0.05, play=True),
    },
    steps={
        "One of 500 people": (
            "Who is this? A blind guess is right one time in 500. With this output, a guess may be right nearly one "
            "time in five.",
            {"baseline": 0.002, "sigma": 0.5},
        ),
        "One false accusation in 100": (
            "Who was in the data? The false-positive rate takes the place of the baseline, and the bound is on the "
            "true-positive rate: here more than a third.",
            {"baseline": 0.01, "sigma": 0.5},
        ),
        "One field, two values": (
            "What does someone have? If both values are equally likely, half of all blind guesses are right, and an "
            "attack cannot even double its success.",
            {"baseline": 0.5, "sigma": 0.5},
        ),
        "One of 5000 records": (
            "What did a record look like? It is one of 5000, each equally likely. The bound is about 300 times as high "
            "as a blind guess.",
            {"baseline": 0.0002, "sigma": 0.5},
        ),
    },
)


def bound(baseline, sigma):
    """1 − f(κ) of the Gaussian mechanism."""
    return ndtr(ndtri(baseline) + 1 / sigma)


@any_attack.panel("Every attack", xlabel="baseline κ: a blind guess succeeds", ylabel="an attack succeeds",
                  xlim=(LOW, 1), ylim=(LOW, 1.6), xlog=True, ylog=True, titled=False, width=430.0,
                  margins=(72.0, 26.0, 44.0, 12.0))  # fmt: skip
def attacks(axes):
    axes.set_xticks(SHARES, SAID)
    axes.set_yticks(SHARES, SAID)
    axes.set_xticks([], minor=True)
    axes.set_yticks([], minor=True)
    axes.plot([LOW, 1], [LOW, 1], color=GREY, linewidth=1.4, label="blind guess")


@attacks.curve(BLUE, "bound 1 − f(κ)", width=2.4)
def best_attack(sigma):
    return BASELINES, bound(BASELINES, sigma)


@attacks.curve(PURPLE, width=1.6, ghost=False, share=0.3)
def chosen(baseline):
    return [baseline, baseline], [LOW, baseline]


@attacks.ruler(GREEN)
def added(baseline, sigma):
    return baseline, baseline, bound(baseline, sigma)


@attacks.points(BLUE, size=6, hollow=True, moves="")
def four_attacks(sigma):
    return FOUR, bound(FOUR, sigma)


@attacks.points(BLUE, size=6, moves="")
def here(baseline, sigma):
    return baseline, bound(baseline, sigma)


@any_attack.mechanism(BLUE, "this release")
def mechanism(sigma):
    return Gaussian(sigma=sigma)


PLACES = np.arange(100) % 10, 9.0 - np.arange(100) // 10  # of a hundred people, row by row


@any_attack.panel("A hundred people", xlabel="", ylabel="", xlim=(-0.6, 9.6), ylim=(-2.4, 9.6), titled=False,
                  width=290.0, margins=(14.0, 14.0, 4.0, 12.0))  # fmt: skip
def people(axes):
    axes.set_axis_off()
    axes.plot(*PLACES, "o", color=GREY, markersize=9, markerfacecolor="none", markeredgewidth=0.8, label="_people")


def first(share):
    """So many of the hundred, to the nearest one."""
    across, up = PLACES
    return across, np.where(np.arange(100) < np.rint(100 * share), up, np.nan)


@people.points(GREEN, size=10, moves="")
def found_out(baseline, sigma):
    return first(bound(baseline, sigma))


@people.points(GREY, size=10, moves="")
def found_blindly(baseline):
    return first(baseline)


@people.text(GREY, offset=(0, 0))
def blindly(baseline):
    return -0.4, -1.0, "{baseline} by a blind guess"


@people.text(GREEN, offset=(0, 0))
def with_the_output(baseline, sigma):
    return -0.4, -2.1, "with the output, at most {success}"


@any_attack.readouts(
    success=Number("success with the output, at most", BLUE, 2, percent=True),
    gain=Number("gain over the blind guess, at most", GREEN, 2, percent=True, unit="percentage points"),
    times=Number("… as a multiple of the baseline", GREEN, 2),
    most=Number("largest gain at any baseline", GREEN, 1, percent=True, unit="percentage points", help="the advantage"),
)
def numbers(baseline, sigma):
    success = bound(baseline, sigma)
    return success, success - baseline, success / baseline, mechanism(sigma).advantage


@any_attack.solved
def helps_most(baseline, sigma):
    _, gain, _, most = numbers(baseline, sigma)
    return gain > 0.998 * most


@any_attack.words
def words(baseline, sigma):
    success, gain, *_ = numbers(baseline, sigma)
    if success > 0.9999:
        return "Where a blind guess succeeds with probability {baseline}, the bound on every attack is above 99.99%."
    if gain < 1e-4:
        return (
            "Where a blind guess succeeds with probability {baseline}, the output adds less than 0.01 percentage "
            "points, whatever the attack."
        )
    return (
        "Where a blind guess succeeds with probability {baseline}, the bound on every attack is {success}: the output "
        "adds up to {gain}."
    )


any_attack.ask(
    "An attack that ignores the output is right one time in a hundred. The noise has σ = ½. At most how often can "
    "an attack that uses the output be right?",
    truth=lambda: 100 * bound(0.01, 0.5), unit="%",
    hides=(best_attack, added, four_attacks, here, found_out, with_the_output),
    says="You said {said}%. The bound is {truth}%.",
)  # fmt: skip


@any_attack.code
def program(baseline, sigma):
    import dptutor as dp

    mechanism = dp.Gaussian(sigma=sigma)
    success = dp.attack_bound(mechanism, baseline)
    gain = dp.attack_advantage(mechanism, baseline)
    times, most = success / baseline, mechanism.advantage
    print(f"blind {baseline:.4f}, with the output at most {success:.4f}")
