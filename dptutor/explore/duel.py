"""A duel of two mechanisms, prior by prior: predict who wins where, then see how far the prediction stands."""

from functools import cache

import numpy as np
from scipy.special import ndtri

from ..blackwell import delta_divergence
from ..mechanisms import ApproximateDP, Gaussian, Laplace
from .machinery import BLUE, GREEN, GREY, PURPLE, VERMILLION, Choice, Explorer, Number, Slider
from .machinery.shapes import type_one_errors

EVEN = 1 / (2 * ndtri((1 + Laplace(scale=1).advantage) / 2))
PAIRS = {
    "Gaussian σ = 1 : Laplace b = 1": (Gaussian(sigma=1), Laplace(scale=1)),
    "Gaussian σ = 1 : worst (1, 0.02)": (Gaussian(sigma=1), ApproximateDP(1, 0.02)),
    "Laplace b = 1 : worst (1, 0.02)": (Laplace(scale=1), ApproximateDP(1, 0.02)),
    "Gaussian : Laplace, same advantage": (Gaussian(sigma=EVEN), Laplace(scale=1)),
}
PAIR_NAMES = tuple(PAIRS)
BETS = "the first only", "the second only", "both"
ALPHAS = np.sort([*type_one_errors(), 0.98 / (1 + np.e), 0.98])  # with the corners of worst
DRAW = 5e-5  # no lead: less than is shown
PRIORS = np.sort([*np.linspace(0, 1, 101), 1 / (1 + np.e), np.e / (1 + np.e)])  # Laplace and worst (1, δ) bend there

duel = Explorer(
    "duel",
    title="A duel: at which prior does which mechanism win?",
    caption="A mechanism wins at a prior if the best adversary errs more often against it. First panel: the "
    "trade-off functions of the first mechanism (blue, solid) and the second (vermillion, dashed), and the line of "
    "the tests that are as good for this adversary as the best one against the first: where the second curve dips "
    "below it, the first wins. Second panel: the lead of the first, 100 (R − R̃), at the priors you have passed; "
    "beyond one half it is its own mirror image.",
    find="Predict before you move: who wins, and where? Then drag the prior to the right. A prediction can fall.",
    code="""import dptutor as dp
import numpy as np
from scipy.special import ndtri

gaussian, laplace, worst = dp.Gaussian(sigma=1), dp.Laplace(scale=1), dp.ApproximateDP(1, 0.02)
even = dp.Gaussian(sigma=1 / (2 * ndtri((1 + laplace.advantage) / 2)))
pairs = {
    "Gaussian σ = 1 : Laplace b = 1": (gaussian, laplace),
    "Gaussian σ = 1 : worst (1, 0.02)": (gaussian, worst),
    "Laplace b = 1 : worst (1, 0.02)": (laplace, worst),
    "Gaussian : Laplace, same advantage": (even, laplace),
}
(first, second), prior = pairs[{pair}], {prior}
first_error, second_error = first.bayes_error(prior), second.bayes_error(prior)
lead = first_error - second_error
peaks = [dp.delta_divergence(a, b).prior for a, b in [(first, second), (second, first)]]
passed = [p for peak in peaks for p in (peak, 1 - peak) if p <= prior]
priors = np.concatenate([np.linspace(0, prior, 201), passed])
leads = first.bayes_error(priors) - second.bayes_error(priors)
best_first, best_second = max(leads), max(-leads)
print(f"at prior {prior}: lead of the first {100 * lead:.2f} points")
""",
    parameters={
        "pair": Choice(PAIR_NAMES, PAIR_NAMES[0], "Duel"),
        "bet": Choice(BETS, BETS[1], "You predict wins of"),
        "prior": Slider(0.01, 0.99, 0.1, "prior of world P", "π", step=0.01, percent=True),
    },
    presets={
        "Above the line": (
            "A prior of 27 %: the dashed curve stays above the purple line, and the second wins.",
            {"pair": PAIR_NAMES[0], "prior": 0.27},
        ),
        "Below the line": (
            "An even prior: now the dashed curve dips below the line, and the first wins.",
            {"pair": PAIR_NAMES[0], "prior": 0.5},
        ),
        "There and back": (
            "A duel whose lead changes hands more than once. Predict where, then drag.",
            {"pair": PAIR_NAMES[1], "bet": BETS[0], "prior": 0.05},
        ),
        "The same advantage": (
            "A draw at an even prior is all that equal advantages say. Look at what you have passed.",
            {"pair": PAIR_NAMES[3], "bet": BETS[2], "prior": 0.5},
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


@cache
def peaks(pair):
    """The priors of both largest leads, and their mirror images: all trade-off functions here are symmetric."""
    ways = (PAIRS[pair], PAIRS[pair][::-1])
    return np.array([p for way in ways for peak in [delta_divergence(*way).prior] for p in (peak, 1 - peak)])


tradeoff = duel.face_panel("tradeoff", grid=ALPHAS)


@tradeoff.curve(PURPLE, "same error as against the first", width=1.4, ghost=False)
def line(pair, prior):
    error = first(pair).bayes_error(prior)
    return [0, error / prior], [error / (1 - prior), 0]


@duel.panel("What you have passed", xlabel="adversary's prior π", ylabel="lead of the first, in points", ylim=(-5.5, 7))
def passed(axes):
    axes.axhline(0, color=GREY, linewidth=1)
    axes.text(0.02, 6.1, "the first wins", color=GREY)
    axes.text(0.02, -5.1, "the second wins", color=GREY)


@passed.curve(GREEN, "lead so far")
def lead_so_far(pair, prior):
    priors = np.minimum(PRIORS, prior)
    return priors, 100 * lead_at(pair, priors)


@passed.points(PURPLE, "your adversary")
def here(pair, prior):
    return prior, 100 * lead_at(pair, prior)


@duel.readouts(
    first_error=Number("error against the first", BLUE, 2, percent=True),
    second_error=Number("error against the second", VERMILLION, 2, percent=True),
    lead=Number("lead of the first", PURPLE, 2, percent=True, unit="points"),
    best_first=Number("its largest lead so far", GREEN, 2, percent=True, unit="points"),
    best_second=Number("the second's so far", GREEN, 2, percent=True, unit="points"),
)
def numbers(pair, prior):
    seen = peaks(pair)
    leads = lead_at(pair, np.concatenate([np.linspace(0, prior, 201), seen[seen <= prior]]))
    errors = first(pair).bayes_error(prior), second(pair).bayes_error(prior)
    return *errors, errors[0] - errors[1], max(leads), max(-leads)


@duel.words
def words(pair, bet, prior):
    *_, lead, best_first, best_second = numbers(pair, prior)
    now = "a draw" if abs(lead) < DRAW else f"a win of the {'first' if lead > 0 else 'second'}"
    winners = {"first": best_first >= DRAW, "second": best_second >= DRAW}
    names = [f"the {name}" for name, won in winners.items() if won]
    so_far = " and ".join(names) or "no one"
    if len(names) == 2:
        verdict = "has come true" if bet == "both" else "has fallen"
    elif names and bet not in (names[0] + " only", "both"):
        verdict = "has fallen"
    elif prior < 0.5:
        verdict = "still stands"
    else:
        verdict = "has fallen" if bet == "both" else "has come true"
    return f"At {{prior}}: {now}. Winners so far: {so_far}. Your prediction “{bet}” {verdict}."
