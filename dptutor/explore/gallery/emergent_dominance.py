"""Randomized response against Gaussian noise, step after step: when one is better for everyone, up to 0.1 points.

The idea: the two curves of one step cross, so that neither mechanism is better; after a few steps one protects better
against every adversary, but for a lead of the other that soon is too small to matter.
"""

import math
from functools import lru_cache

import numpy as np
from scipy.special import expit

from ...comparing import asymptotics, blackwell
from ...mechanisms import Gaussian, RandomizedResponse
from ..machinery import (
    BLUE,
    DASHED,
    GREY,
    INK,
    PURPLE,
    VERMILLION,
    Choice,
    Explorer,
    Number,
    Slider,
    by_up_to,
    in_points,
    lead_axes,
)

PRIORS, FLOOR = np.linspace(0, 1, 81), 1e-13
NOTHING = 1e-3  # a lead that does not matter: a tenth of a percentage point
MOST = 0.5  # no lead is larger
COUNTS = (*range(1, 21), *range(22, 33, 2), 36, 40, 44, 48, 56, 64, 72, 80, 96, 112, 128, 160, 192, 224, 256)
EQUAL, SMALLER = "the same noise", "noise that grows with √N"

emergent_dominance = Explorer(
    "emergent_dominance",
    title="When is one mechanism better for everyone in practice?",
    caption="First panel: how much more often the adversary errs against N randomized responses than against N "
    "outputs with Gaussian noise. Second panel: the largest lead of either, a Δ-divergence; in the tint, at "
    "most one exceeds 0.1 points.",
    find="Drag the line to the right. Then find a σ at which Gaussian noise’s lead vanishes instead.",
    parameters={
        "count": Slider(1, 256, 1, "steps", "N", stops=COUNTS, play=True),
        "steps": Choice((SMALLER, EQUAL), SMALLER, "Every step has"),
        "sigma": Slider(0.8, 1.2, 1.1, "Gaussian noise", "σ", step=0.01),
    },
    steps={
        "One step": (
            "The curve lies on both sides of the line: which mechanism protects better depends on the adversary.",
            {"steps": SMALLER, "count": 1, "sigma": 1.1},
        ),
        "Sixteen smaller steps": (
            "One of the leads has all but vanished; the other is a tenth above its limit.",
            {"steps": SMALLER, "count": 16, "sigma": 1.1},
        ),
        "Sixteen equal steps": (
            "Randomized response has the larger η. Which mechanism is dominated?",
            {"steps": EQUAL, "count": 16, "sigma": 1},
        ),
        "Too many steps": (
            "Both leads vanish, because both mechanisms have given nearly everything away.",
            {"steps": EQUAL, "count": 128, "sigma": 1.1},
        ),
    },
)


def parts(steps, count, sigma):
    """What is used in each of the N steps."""
    growth = 1.0 if steps == EQUAL else math.sqrt(count)
    return RandomizedResponse(epsilon=1 / growth), Gaussian(sigma=sigma * growth)


@lru_cache(maxsize=128)
def responses(steps, count):
    return parts(steps, count, 1.0)[0] ** count


def gaussians(steps, count, sigma):
    return parts(steps, count, sigma)[1] ** count


@lru_cache(maxsize=4096)
def divergences(steps, count, sigma):
    """The largest leads of randomized response and of Gaussian noise."""
    pair = responses(steps, count), gaussians(steps, count, sigma)
    return tuple(blackwell.delta_divergence(*order).value for order in (pair, pair[::-1]))


@lru_cache(maxsize=128)
def response_moments(steps, count):
    return asymptotics.composition_moments(parts(steps, count, 1.0)[0])


@lru_cache(maxsize=4096)
def limits(steps, count, sigma):
    """The finite-step bound, and the two μ that say in which direction it holds."""
    others = asymptotics.composition_moments(parts(steps, count, sigma)[1])
    moments = response_moments(steps, count)
    return moments.distance(count) + others.distance(count), moments.gaussian(count).mu, others.gaussian(count).mu


@emergent_dominance.panel("Lead after N steps", xlabel="adversary’s prior π",
                          ylabel="lead of randomized response in points", ylim=(-10.3, 9),
                          titled=False, width=380.0, margins=(56.0, 12.0, 44.0, 12.0))  # fmt: skip
def leads(axes):
    lead_axes(
        axes,
        "randomized response protects better",
        "Gaussian noise protects better",
        (8.1, -7.9),
        (-6, -4, -2, 0, 2, 4, 6),
    )


@lru_cache(maxsize=128)
def priors(steps, count):
    """Where the curve is drawn: at its kinks, which are its peaks, in place of the nearest of even priors."""
    kinks = expit(np.arange(-count, count + 1, 2) * parts(steps, count, 1.0)[0].epsilon(0))
    even = PRIORS.copy()
    even[np.rint(kinks * (len(PRIORS) - 1)).astype(int)] = kinks
    return even


@lru_cache(maxsize=4096)
def differences(steps, count, sigma):
    """By how many points randomized response protects better, at each prior."""
    at = priors(steps, count)
    errors = responses(steps, count).bayes_error(at), gaussians(steps, count, sigma).bayes_error(at)
    return at, 100 * (errors[0] - errors[1])


@leads.curve(INK, width=1.8, moves="sigma")
def difference(steps, count, sigma):
    return differences(steps, count, sigma)


leads.filled(BLUE, difference, above=True, opacity=0.3)
leads.filled(VERMILLION, difference, above=False, opacity=0.3)


@leads.text(BLUE)
def lead_of_response(steps, count, sigma):
    return 0.06, 6.7, by_up_to(divergences(steps, count, sigma)[0], "forth", NOTHING)


@leads.text(VERMILLION)
def lead_of_gaussian(steps, count, sigma):
    return 0.06, -9.3, by_up_to(divergences(steps, count, sigma)[1], "back", NOTHING)


LOW, HIGH = 2e-3, 30.0


@emergent_dominance.panel("Largest leads over N", xlabel="steps N",
                          ylabel="largest lead, percentage points", xlim=(0.5, 320), ylim=(LOW, HIGH), xlog=True,
                          ylog=True, titled=False, width=340.0)  # fmt: skip
def over(axes):
    axes.set_xticks([1, 4, 16, 64, 256], [1, 4, 16, 64, 256])
    axes.set_yticks([0.01, 0.1, 1, 10], [0.01, 0.1, 1, 10])
    axes.set_xticks([], minor=True)
    axes.set_yticks([], minor=True)
    axes.axhline(100 * NOTHING, color=GREY, linewidth=1, linestyle=DASHED, label="_nothing")
    axes.text(310, 0.115, "0.1 points: does not matter", color=GREY, ha="right")
    axes.grid(False)


@lru_cache(maxsize=256)
def decided(steps, sigma):
    """From which number of steps on one lead is nothing, and which of the two then still is something, if any is."""
    both = np.array([divergences(steps, count, sigma) for count in COUNTS])
    small = both.min(axis=1) < NOTHING
    if not small[-1]:
        return None
    since = len(COUNTS) - int(np.argmin(small[::-1])) if not small.all() else 0
    left = both[since] >= NOTHING
    return COUNTS[since], "response" if left[0] else "gaussian" if left[1] else "neither"


def from_there(who):
    """The region from there on, if it belongs to `who`."""

    def region(steps, sigma):
        count, winner = decided(steps, sigma) or (math.nan, who)
        count = count if winner == who else math.nan
        return [count, over.xlim[1]] if count == count else [math.nan] * 2, [LOW] * 2, [HIGH] * 2

    return region


@over.region(BLUE, opacity=0.12)
def response_wins(steps, sigma):
    return from_there("response")(steps, sigma)


@over.region(VERMILLION, opacity=0.12)
def gaussian_wins(steps, sigma):
    return from_there("gaussian")(steps, sigma)


@over.region(GREY, opacity=0.12)
def neither_wins(steps, sigma):
    return from_there("neither")(steps, sigma)


def over_counts(number, steps, sigma):
    return COUNTS, [100 * max(divergences(steps, count, sigma)[number], FLOOR) for count in COUNTS]


@over.curve(BLUE, "randomized response", moves="")
def forths(steps, sigma):
    return over_counts(0, steps, sigma)


@over.curve(VERMILLION, "Gaussian noise", line=DASHED, moves="")
def backs(steps, sigma):
    return over_counts(1, steps, sigma)


@over.curve(PURPLE, width=1.6, ghost=False, moves="count")
def now(count):
    return [count, count], [LOW, HIGH / 2]


@over.points(INK, moves="")
def here(steps, count, sigma):
    shown = [100 * lead for lead in divergences(steps, count, sigma)]
    return [count] * 2, [lead if lead > LOW else math.nan for lead in shown]


@over.text(INK, align="right", offset=(-4, 4))
def verdict(steps, sigma):
    count, winner = decided(steps, sigma) or (math.nan, "neither")
    left = "no" if winner == "neither" else "only one"
    return over.xlim[1], 15.5, f"from N = {count} on {left} lead matters" if count == count else " "


@emergent_dominance.readouts(
    forth=in_points("largest lead of randomized response", BLUE, help="Δ(RR‖Gauss), the regret of choosing Gaussian"),
    back=in_points("largest lead of Gaussian noise", VERMILLION, help="Δ(Gauss‖RR), the regret of choosing RR"),
    bound=in_points(
        "finite-step bound",
        INK,
        help="on the lead of the one with the larger μ, which is never above 50 points",
        infinite="says nothing (above 50 points)",
    ),
    mu_response=Number("2√N η, randomized response", BLUE, 3),
    mu_gaussian=Number("2√N η, Gaussian", VERMILLION, 3),
)
def numbers(steps, count, sigma):
    bound, *mus = limits(steps, count, sigma)
    return *divergences(steps, count, sigma), bound if bound < MOST else math.inf, *mus


@emergent_dominance.solved
def response_is_better(steps, count, sigma):
    forth, back = divergences(steps, count, sigma)
    return back < NOTHING <= forth


@emergent_dominance.words
def words(steps, count, sigma):
    forth, back = divergences(steps, count, sigma)
    start = f"After {'one step' if count == 1 else '{count} steps'} "
    if max(m.minimax_bayes_error for m in (responses(steps, count), gaussians(steps, count, sigma))) < 1e-3:
        return (
            f"{start}an adversary is wrong less than 0.1% of the time against either: both have given nearly "
            "everything away."
        )
    if max(forth, back) < NOTHING:
        return f"{start}neither leads by 0.1 percentage points, against any adversary."
    if min(forth, back) >= NOTHING:
        return (
            f"{start}neither is better for everyone: randomized response protects better against some adversaries, by "
            "up to {forth}, Gaussian noise against others, by up to {back}."
        )
    (better, largest), other = (
        (("Gaussian noise", "back"), "randomized response")
        if back > forth
        else (("randomized response", "forth"), "Gaussian noise")
    )
    return (
        f"{start}{better} is better for everyone, up to 0.1 percentage points: it protects better by up to "
        f"{{{largest}}}, and {other} against no adversary by as much as 0.1."
    )


@emergent_dominance.code
def program(count, steps, sigma):
    import math

    import dptutor as dp

    growth = 1 if steps == "the same noise" else math.sqrt(count)
    response, gaussian = dp.RandomizedResponse(epsilon=1 / growth), dp.Gaussian(sigma=sigma * growth)
    forth = float(dp.delta_divergence(response**count, gaussian**count))
    back = float(dp.delta_divergence(gaussian**count, response**count))
    bounds = [
        dp.dominance_bound(response, count, gaussian, count),
        dp.dominance_bound(gaussian, count, response, count),
    ]
    bound = next(float(b) for b in bounds if b.condition_holds)
    mu_response = dp.composition_moments(response).gaussian(count).mu
    mu_gaussian = (gaussian**count).mu
    print(forth, back, bound)
