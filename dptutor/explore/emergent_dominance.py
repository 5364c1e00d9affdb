"""Randomized response against Gaussian noise, step after step: which crossings a composition settles, and how fast."""

import math
from functools import lru_cache

import numpy as np

from .. import asymptotics, blackwell
from ..mechanisms import Gaussian, RandomizedResponse
from .machinery import BLUE, DASHED, DOTTED, GREY, INK, VERMILLION, Choice, Explorer, Number, Slider

PRIORS, THIN, FLOOR = np.linspace(0, 1, 81), 1e-5, 1e-13
COUNTS = tuple(2**k for k in range(9))
EQUAL, SMALLER = "the same noise", "noise that grows with √N"

emergent_dominance = Explorer(
    "emergent_dominance",
    title="What many steps do to a crossing",
    caption="Randomized response, with ε = 1 at N = 1, against Gaussian noise, both used N times. First panel: the "
    "difference of the two Bayes errors. Above 0 the adversary errs less often against Gaussian noise (vermillion), "
    "below 0 less against randomized response (blue). Second panel: the two Δ-divergences over N and, dotted, "
    "the finite-step bound in the direction in which it holds.",
    find="Choose the same noise in every step. For some N ≥ 4, find a σ at which the dotted bound belongs to the "
    "larger Δ.",
    code="""import math

import dptutor as dp

N, steps = {count}, {steps}
growth = 1 if steps == "the same noise" else math.sqrt(N)
response, gaussian = dp.RandomizedResponse(epsilon=1 / growth), dp.Gaussian(sigma={sigma} * growth)
forth = float(dp.delta_divergence(response**N, gaussian**N))
back = float(dp.delta_divergence(gaussian**N, response**N))
bounds = [dp.dominance_bound(response, N, gaussian, N), dp.dominance_bound(gaussian, N, response, N)]
bound = next(float(b) for b in bounds if b.condition_holds)
mu_response = dp.composition_moments(response).gaussian(N).mu
mu_gaussian = (gaussian**N).mu
print(forth, back, bound)
""",
    parameters={
        "steps": Choice((SMALLER, EQUAL), SMALLER, "Every step has"),
        "count": Slider(1, 256, 1, "steps", "N", stops=COUNTS),
        "sigma": Slider(0.9, 1.2, 1.1, "Gaussian noise", "σ", step=0.01),
    },
    steps={
        "One step": (
            "The difference changes sign: some adversaries err less often against one mechanism, some against the "
            "other.",
            {"steps": SMALLER, "count": 1, "sigma": 1.1},
        ),
        "Sixteen smaller steps": (
            "One of the divergences has all but vanished; the other is a tenth above its limit.",
            {"steps": SMALLER, "count": 16, "sigma": 1.1},
        ),
        "Sixteen equal steps": (
            "Randomized response has the larger η. Which mechanism is dominated?",
            {"steps": EQUAL, "count": 16, "sigma": 1},
        ),
        "Too many steps": (
            "Both divergences vanish, because both mechanisms have given nearly everything away.",
            {"steps": EQUAL, "count": 128, "sigma": 1.1},
        ),
    },
)


def parts(steps, count, sigma):
    """What is used in each of the N steps."""
    growth = 1.0 if steps == EQUAL else math.sqrt(count)
    return RandomizedResponse(epsilon=1 / growth), Gaussian(sigma=sigma * growth)


@lru_cache(maxsize=64)
def responses(steps, count):
    return parts(steps, count, 1.0)[0] ** count


def gaussians(steps, count, sigma):
    return parts(steps, count, sigma)[1] ** count


@lru_cache(maxsize=4096)
def divergences(steps, count, sigma):
    pair = responses(steps, count), gaussians(steps, count, sigma)
    return tuple(blackwell.delta_divergence(*order).value for order in (pair, pair[::-1]))


@lru_cache(maxsize=64)
def response_moments(steps, count):
    return asymptotics.composition_moments(parts(steps, count, 1.0)[0])


@lru_cache(maxsize=4096)
def limits(steps, count, sigma):
    """The finite-step bound, and the two μ that say in which direction it holds."""
    others = asymptotics.composition_moments(parts(steps, count, sigma)[1])
    moments = response_moments(steps, count)
    return moments.distance(count) + others.distance(count), moments.gaussian(count).mu, others.gaussian(count).mu


@emergent_dominance.panel(
    "Difference of the Bayes errors", xlabel="prior π", ylabel="R(RR) − R(Gauss)", ylim=(-0.075, 0.075)
)
def regret(axes):
    axes.axhline(0, color=GREY, linewidth=1)


@lru_cache(maxsize=4096)
def differences(steps, count, sigma):
    return responses(steps, count).bayes_error(PRIORS) - gaussians(steps, count, sigma).bayes_error(PRIORS)


@regret.region(VERMILLION, "err less often against Gaussian noise", opacity=0.45)
def above(steps, count, sigma):
    return PRIORS, 0 * PRIORS, np.maximum(differences(steps, count, sigma), THIN)


@regret.region(BLUE, "err less often against randomized response", opacity=0.45)
def below(steps, count, sigma):
    return PRIORS, 0 * PRIORS, np.minimum(differences(steps, count, sigma), -THIN)


@regret.curve(INK, width=1.5)
def difference(steps, count, sigma):
    return PRIORS, differences(steps, count, sigma)


over = emergent_dominance.plain_panel(
    "over", "Δ over the number of steps", xlabel="N", ylabel="Δ", xlim=(0.8, 300), ylim=(1e-8, 3), xlog=True, ylog=True,
    legend="lower left",
)  # fmt: skip


def over_counts(function, steps, sigma):
    return COUNTS, [function(steps, count, sigma) for count in COUNTS]


@over.curve(VERMILLION, "Δ(RR‖Gauss)", line=DASHED)
def forths(steps, sigma):
    return over_counts(lambda *at: max(divergences(*at)[0], FLOOR), steps, sigma)


@over.curve(BLUE, "Δ(Gauss‖RR)")
def backs(steps, sigma):
    return over_counts(lambda *at: max(divergences(*at)[1], FLOOR), steps, sigma)


def bound_if(first, *at):
    value, mu, other = limits(*at)
    return value if (mu >= other) == first else math.nan


@over.curve(VERMILLION, "bound", line=DOTTED, ghost=False)
def forth_bound(steps, sigma):
    return over_counts(lambda *at: bound_if(True, *at), steps, sigma)


@over.curve(BLUE, line=DOTTED, ghost=False)
def back_bound(steps, sigma):
    return over_counts(lambda *at: bound_if(False, *at), steps, sigma)


@over.points(INK, "at this N")
def here(steps, count, sigma):
    shown = divergences(steps, count, sigma)
    return [count] * 2, [d if d > 1e-8 else math.nan for d in shown]


@emergent_dominance.readouts(
    forth=Number("Δ(RR‖Gauss)", VERMILLION, 2, power=True, help="the largest regret of choosing Gaussian noise"),
    back=Number("Δ(Gauss‖RR)", BLUE, 2, power=True, help="the largest regret of choosing randomized response"),
    bound=Number("finite-step bound", INK, 3, help="on Δ(first‖second), where the first has the larger μ"),
    mu_response=Number("2√N η, randomized response", BLUE, 3),
    mu_gaussian=Number("2√N η, Gaussian", VERMILLION, 3),
)
def numbers(steps, count, sigma):
    return *divergences(steps, count, sigma), *limits(steps, count, sigma)


@emergent_dominance.solved
def last_is_bounded(steps, count, sigma):
    forth, back = divergences(steps, count, sigma)
    _, mu, other = limits(steps, count, sigma)
    bounded, free = (forth, back) if mu >= other else (back, forth)
    return steps == EQUAL and count >= 4 and bounded > max(free, 10 * FLOOR)


@emergent_dominance.words
def words(steps, count, sigma):
    forth, back = divergences(steps, count, sigma)
    _, mu, other = limits(steps, count, sigma)
    larger = "Randomized response" if mu >= other else "Gaussian noise"
    if max(m.minimax_bayes_error for m in (responses(steps, count), gaussians(steps, count, sigma))) < 1e-3:
        return (
            "N = {count}: against either, an adversary is wrong less than 0.1 % of the time. Both have given nearly "
            "everything away."
        )
    if min(forth, back) < 10 * FLOOR:
        first = "randomized response" if forth < back else "Gaussian noise"
        return f"N = {{count}}: to twelve digits, {first} reveals at least as much. {larger} has the larger η."
    bounded = "first" if mu >= other else "second"
    return (
        "N = {count}: choosing Gaussian noise is regretted by up to {forth}, choosing randomized response by up to "
        f"{{back}}. The finite-step bound on the {bounded} of these is {{bound}}."
    )
