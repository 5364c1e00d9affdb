"""A duel of two mechanisms, prior by prior: draw which protects better, and at which priors, then see.

The idea: which of two mechanisms protects better depends on what the adversary believes beforehand.
"""

import numpy as np
from scipy.special import ndtri

from ...mechanisms import ApproximateDP, Gaussian, Laplace
from ..machinery import BLUE, INK, PURPLE, VERMILLION, Choice, Explorer, Number, Slider, in_points, lead_axes
from ..machinery.shapes import type_one_errors

EVEN = 1 / (2 * ndtri((1 + Laplace(scale=1).advantage) / 2))
PAIRS = {
    "Gaussian : Laplace": (Gaussian(sigma=1), Laplace(scale=1)),
    "Gaussian : worst": (Gaussian(sigma=1), ApproximateDP(1, 0.02)),
    "Laplace : worst": (Laplace(scale=1), ApproximateDP(1, 0.02)),
    "of equal advantage": (Gaussian(sigma=EVEN), Laplace(scale=1)),
}
PAIR_NAMES = tuple(PAIRS)
ALPHAS = np.sort([*type_one_errors(), 0.98 / (1 + np.e), 0.98])  # with the corners of worst
NEAR = 0.0075  # three quarters of the way to the next stop
DRAW = 5e-4  # no lead: less than is shown
# Laplace and worst (1, δ) bend at these two.
PRIORS = np.sort([*np.linspace(0, 1, 101), 1 / (1 + np.e), np.e / (1 + np.e)])

duel = Explorer(
    "duel",
    title="Which one wins the duel, and where?",
    caption="A mechanism wins at a prior if its Bayes error is the larger one. First panel: tests on the purple "
    "line are as good as the best one against the first mechanism; it wins if the second curve dips below.",
    find="Drag the prior to where the winner changes: there the dashed curve only touches the purple line.",
    parameters={
        "prior": Slider(0.01, 0.99, 0.5, "prior of “not in”", "π", step=0.01, percent=True),
        "pair": Choice(PAIR_NAMES, PAIR_NAMES[1], "Duel"),
    },
    steps={
        "Even odds": (
            "An adversary with even odds: the dashed curve dips below the purple line, and the first wins.",
            {"pair": PAIR_NAMES[1], "prior": 0.5},
        ),
        "At the corner": (
            "At a prior of 27% the best test against the second is the one at its corner, and the second wins.",
            {"pair": PAIR_NAMES[1], "prior": 0.27},
        ),
        "There and back": (
            "Now the first wins again, by a little: with probability 0.02 the second gives everything away.",
            {"pair": PAIR_NAMES[1], "prior": 0.06},
        ),
        "The same advantage": (
            "Equal advantages mean no more than a draw at even odds. At every other prior the second wins.",
            {"pair": PAIR_NAMES[3], "prior": 0.5},
        ),
    },
)


@duel.mechanism(BLUE, "the first")
def first(pair):
    return PAIRS[pair][0]


@duel.mechanism(VERMILLION, "the second")
def second(pair):
    return PAIRS[pair][1]


def lead_at(pair, priors):
    return first(pair).bayes_error(priors) - second(pair).bayes_error(priors)


tradeoff = duel.face_panel("tradeoff", grid=ALPHAS, titled=False, width=310.0)


@tradeoff.curve(PURPLE, "equally good tests", width=1.4, ghost=False, moves="prior")
def line(prior, pair):
    error = first(pair).bayes_error(prior)
    return [0, error / prior], [error / (1 - prior), 0]


@duel.panel("The lead of the first", xlabel="adversary’s prior π", ylabel="difference in error, percentage points",
            ylim=(-7.2, 7.2), titled=False, width=410.0, margins=(56.0, 12.0, 44.0, 12.0))  # fmt: skip
def leads(axes):
    lead_axes(axes, "the first protects better", "the second protects better", (6.5, -6.9))


def lead_of_first(pair):
    return 100 * lead_at(pair, PRIORS)


@leads.curve(INK, "lead of the first")
def lead_curve(pair):
    return PRIORS, lead_of_first(pair)


wins_of_first = leads.filled(BLUE, lead_curve, above=True, opacity=0.18)
wins_of_second = leads.filled(VERMILLION, lead_curve, above=False, opacity=0.18)


@leads.curve(PURPLE, width=1.4, ghost=False)
def adversary(prior):
    return [prior, prior], [-7.2, 5.5]


@leads.points(PURPLE, moves="prior")
def here(prior, pair):
    return prior, 100 * lead_at(pair, prior)


duel.ask(
    "The first mechanism is blue, the second vermillion and dashed. For every prior, draw how much better the first "
    "protects: by how many percentage points its Bayes error is larger. Below the line the second protects better.",
    curve=lead_curve,
    hides=(line, wins_of_first, wins_of_second, adversary, here),
    per=("pair",),
    says="You named the winner for {agree} of 100 priors. You were off by at most {gap} percentage points, at a "
    "prior of {at}.",
)


@duel.readouts(
    first_error=Number("error against the first", BLUE, 2, percent=True),
    second_error=Number("error against the second", VERMILLION, 2, percent=True),
    lead=in_points("lead of the first", PURPLE),
    margin=in_points("margin of the winner", PURPLE, digits=1),
)
def numbers(prior, pair):
    errors = first(pair).bayes_error(prior), second(pair).bayes_error(prior)
    return *errors, errors[0] - errors[1], abs(errors[0] - errors[1])


@duel.solved
def winner_changes(prior, pair):
    before, after = (lead_at(pair, prior + side * NEAR) for side in (-1, 1))
    return before * after < 0 and min(abs(before), abs(after)) > 0


@duel.words
def words(prior, pair):
    one, other = pair.split(" : ") if " : " in pair else ("Gaussian", "Laplace")
    start = (
        f"At a prior of {{prior}} the adversary’s error is {{first_error}} against the first ({one}) and "
        f"{{second_error}} against the second ({other})"
    )
    lead = lead_at(pair, prior)
    if abs(lead) < DRAW:
        return f"{start}: a difference of less than 0.05 percentage points."
    return f"{start}: the {'first' if lead > 0 else 'second'} protects better, by {{margin}}."


@duel.code
def program(pair, prior):
    from scipy.special import ndtri

    import dptutor as dp

    gaussian, laplace, worst = dp.Gaussian(sigma=1), dp.Laplace(scale=1), dp.ApproximateDP(1, 0.02)
    even = dp.Gaussian(sigma=1 / (2 * ndtri((1 + laplace.advantage) / 2)))
    pairs = {
        "Gaussian : Laplace": (gaussian, laplace),
        "Gaussian : worst": (gaussian, worst),
        "Laplace : worst": (laplace, worst),
        "of equal advantage": (even, laplace),
    }
    first, second = pairs[pair]
    first_error, second_error = first.bayes_error(prior), second.bayes_error(prior)
    lead = first_error - second_error
    margin = abs(lead)
    print(f"at prior {prior}: lead of the first {100 * lead:.2f} percentage points")
