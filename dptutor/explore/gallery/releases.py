"""What a release promised for one unit, and what it comes to for somebody whose data are in many of them.

The idea: a promise is about a unit, and a person is many units; the ε of one day says little about a year.
"""

from functools import lru_cache

import numpy as np

from ...datasets import releases as published
from ...mechanisms import ApproximateDP, Gaussian, RandomizedResponse
from ...risk.calibration import calibrate
from ..machinery import BLUE, DASHED, GREY, ORANGE, PURPLE, Choice, Explorer, Number, Slider
from ..machinery.face_panels import ERRORS
from ..machinery.shapes import type_one_errors

MOBILITY, VIEWS, VACCINES, HEALTH = NAMES = "Mobility Reports", "page views", "vaccine searches", "health data types"
UNITS = (*range(1, 15), *range(16, 31, 2), *range(35, 51, 5), *range(60, 91, 10), 105, 120, *range(150, 331, 30), 365)
ALPHAS = type_one_errors(41)


@lru_cache(maxsize=1)
def one_unit():
    """For each release what its (ε, δ) alone allows for one unit, and what its noise does, as it is described."""
    numbers = {name: release.numbers for name, release in published().items()}
    mobility, vaccines = numbers["google-mobility"], numbers["google-vaccines"]
    coarse, county = (mobility[f"epsilon of a {what} count"] for what in ("country or state", "county"))
    health = numbers["apple-health"]["epsilon"]
    return {
        MOBILITY: (
            RandomizedResponse(mobility["epsilon"]),
            # Four visits, a time at home and a workplace, each counted for a country, a state and a county.
            RandomizedResponse(coarse) ** 12 @ RandomizedResponse(county) ** 6,
        ),
        VIEWS: (ApproximateDP(1, 1e-7), Gaussian(sigma=(2 * numbers["wikimedia-current"]["rho"]) ** -0.5)),
        VACCINES: (ApproximateDP(vaccines["epsilon"], vaccines["delta"]), calibrate(Gaussian, **vaccines)),
        HEALTH: (RandomizedResponse(health), RandomizedResponse(health / 2) ** 2),
    }


releases = Explorer(
    "releases",
    title="What does a promise come to for a person?",
    caption="Trade-off functions for somebody whose data are in k units, by the noise as described (blue) and by the "
    "pair alone (orange, dashed); shaded: what the pair leaves open. Second panel: the largest advantage, over the "
    "units.",
    find="Find a release and a number of units for which the pair (ε, δ) alone allows an advantage of more than 0.95, "
    "and the described noise less than 0.3.",
    parameters={
        "release": Choice(NAMES, VIEWS, "Release"),
        "units": Slider(1, 365, 1, "units", "k", stops=UNITS, play=True),
    },
    steps={
        "One day": (
            "Eighteen small ε add up to 2.64, and this number alone would allow 93 right guesses of 100. The eighteen "
            "counts themselves allow 63.",
            {"release": MOBILITY, "units": 1},
        ),
        "A week": (
            "The promise is about one day. Seven days of data allow 81 right guesses of 100.",
            {"release": MOBILITY, "units": 7},
        ),
        "A year of page views": (
            "The parameters of a day do not increase over time. What the days say together does: after a year it is 95 "
            "right guesses of 100.",
            {"release": VIEWS, "units": 365},
        ),
        "Ten events": (
            "Each event has its own promise. Ten of them together allow 98 right guesses of 100.",
            {"release": HEALTH, "units": 10},
        ),
    },
)


@releases.mechanism(BLUE, "the noise as described")
def described(release, units):
    return one_unit()[release][1] ** units


@releases.mechanism(ORANGE, "what (ε, δ) allows")
def stated(release, units):
    return one_unit()[release][0] ** units


tradeoff = releases.plain_panel("tradeoff", "Trade-off functions", width=350.0, titled=False, **ERRORS)


@releases.panel("Over the units", xlabel="number of units k", ylabel="advantage", xlim=(1, 365), ylim=(0, 1.02),
                xlog=True, width=370.0, titled=False)  # fmt: skip
def over_units(axes):
    axes.set_xticks([1, 10, 100], ["1", "10", "100"])


@tradeoff.region(ORANGE)
def open_area(release, units):
    f = described(release, units).tradeoff(ALPHAS)
    return ALPHAS, np.minimum(stated(release, units).tradeoff(ALPHAS), f - 1e-9), f


@tradeoff.curve(GREY, width=1.0, moves="", ghost=False)
def blind():
    return [0, 1], [1, 0]


@tradeoff.curve(ORANGE, "by (ε, δ) alone", line=DASHED, moves="")
def allowed(release, units):
    return ALPHAS, stated(release, units).tradeoff(ALPHAS)


@tradeoff.curve(BLUE, "as described", moves="units")
def drawn(release, units):
    return ALPHAS, described(release, units).tradeoff(ALPHAS)


@over_units.curve(ORANGE, "by (ε, δ) alone", line=DASHED, moves="", ghost=False)
def stated_advantages(release):
    return UNITS, [stated(release, units).advantage for units in UNITS]


@over_units.curve(BLUE, "as described", moves="", ghost=False)
def described_advantages(release):
    return UNITS, [described(release, units).advantage for units in UNITS]


@over_units.curve(PURPLE, width=1.6, ghost=False, share=0.96)
def so_many(units):
    return [units, units], [0, 1.02]


@over_units.points(BLUE, moves="")
def described_here(release, units):
    return units, described(release, units).advantage


@over_units.points(ORANGE, moves="")
def stated_here(release, units):
    return units, stated(release, units).advantage


@releases.readouts(
    noise=Number("advantage, by the noise as described", BLUE, 3),
    alone=Number("advantage, by (ε, δ) alone", ORANGE, 3),
)
def advantages(release, units):
    return described(release, units).advantage, stated(release, units).advantage


@releases.readouts(
    low=Number("of 100 people found, with 5% false alarms", BLUE, 1),
    right=Number("of 100 guesses right, at even odds", BLUE, 1),
)
def frequencies(release, units):
    m = described(release, units)
    return 100 * (1 - m.tradeoff(0.05)), 50 * (1 + m.advantage)


@releases.solved
def far_apart(release, units):
    noise, alone = advantages(release, units)
    return alone > 0.95 and noise < 0.3


@releases.words
def words(release, units):
    whose = {
        MOBILITY: ("somebody who was out on one day", "somebody who was out on {units} days"),
        VIEWS: ("a device that was used on one day", "a device that was used on {units} days"),
        VACCINES: ("somebody who searched on one day", "somebody who searched on {units} days"),
        HEALTH: ("a phone that reports one event", "a phone that reports {units} events"),
    }[release][units > 1]
    noise, alone = advantages(release, units)
    if noise > 0.9995:
        return f"For {whose}, neither the noise as described nor the pair rules out an advantage of more than 0.999."
    most = "more than 0.999" if alone > 0.9995 else "{alone}"
    return (
        f"For {whose}, the noise as described lets an adversary win with an advantage of {{noise}} at most; as far as "
        f"the pair says, it could be {most}."
    )


releases.ask(
    "Page views: with the data of one day the advantage is at most 0.07. A device is used every day for a year. What "
    "is the largest advantage then?",
    truth=lambda: described(VIEWS, 365).advantage,
    hides=(described_advantages, described_here, stated_here, so_many),
    says="You said {said}. It is {truth}: drag k to 365 to see it.",
)


@releases.code
def program(release, units):
    import dptutor as dp

    rho = 0.015  # of a day of page views
    one = {  # for one unit, by the pair and by the noise as described
        "Mobility Reports": (
            dp.RandomizedResponse(2.64),
            dp.RandomizedResponse(0.11) ** 12 @ dp.RandomizedResponse(0.22) ** 6,
        ),
        "page views": (dp.ApproximateDP(1, 1e-7), dp.Gaussian(sigma=(2 * rho) ** -0.5)),
        "vaccine searches": (dp.ApproximateDP(2.19, 1e-5), dp.calibrate(dp.Gaussian, epsilon=2.19, delta=1e-5)),
        "health data types": (dp.RandomizedResponse(2), dp.RandomizedResponse(1) ** 2),
    }  # fmt: skip
    stated, described = (m**units for m in one[release])
    noise, alone = described.advantage, stated.advantage
    low, right = 100 * (1 - described.tradeoff(0.05)), 50 * (1 + noise)
    print(f"advantage at most {noise:.3f}; by the pair {alone:.3f}; {low:.1f} of 100 found, {right:.1f} right")
