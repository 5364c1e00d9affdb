"""What a report of k points (ε, δ) says about a mechanism: the upper envelope of their lines, against the curve."""

from functools import lru_cache

import numpy as np

from ..machinery import BLUE, DASHED, GREEN, ORANGE, Choice, Explorer, Number, Slider
from ..machinery.shapes import type_one_errors
from .tradeoff_gallery import KINDS

MOST, SMALL, ALPHAS, LOSSES = 40, 0.01, type_one_errors(61), np.linspace(0, 5, 101)

envelope = Explorer(
    "envelope",
    title="How many points must a report show?",
    caption="A report lists δ at k values of ε, evenly spaced from 4/k to 4. First panel: the trade-off function, "
    "and the envelope that the report guarantees; green is the largest gap. Second panel: the same for the privacy "
    "profile.",
    find="Pull the orange curve up: what is the smallest number of points that brings the gap below 0.01?",
    parameters={
        "kind": Choice(tuple(KINDS), "Gaussian", "Mechanism"),
        "k": Slider(1, MOST, 2, "number of points", "k", step=1),
    },
    steps={
        "One point": (
            "Only δ at ε = 4: as far as this report says, an adversary may learn nearly everything.",
            {"kind": "Gaussian", "k": 1},
        ),
        "One point that says it all": (
            "One of the four points is ε = 1, the corner of this randomized response. The others add nothing.",
            {"kind": "randomized response", "k": 4},
        ),
        "More, and worse": (
            "Ten points leave a larger gap than eight, because the eight include ε = 1/b, the largest loss of Laplace "
            "noise.",
            {"kind": "Laplace", "k": 10},
        ),
        "Nearly all": (
            "With twenty points, the envelope can hardly be distinguished from the curve.",
            {"kind": "Gaussian", "k": 20},
        ),
    },
)


@envelope.mechanism(BLUE, "the mechanism")
def mechanism(kind):
    return KINDS[kind](1)


@lru_cache(maxsize=4096)
def report(kind, k):
    """The points of the report, and the corners of the envelope of their lines."""
    epsilons = 4 * np.arange(1, k + 1) / k
    levels, slopes = 1 - mechanism(kind).privacy_profile(epsilons), np.exp(epsilons)
    # The line of the smallest ε is the highest on the diagonal; neighbors meet in between.
    alpha = np.array([0, *np.diff(levels) / np.diff(slopes), levels[0] / (1 + slopes[0])])
    beta = np.max(levels[:, None] - slopes[:, None] * alpha, axis=0)
    order = np.argsort(alpha)
    corners = np.concatenate([[alpha[order], beta[order]], [beta[order][::-1], alpha[order][::-1]]], axis=1)
    return epsilons, 1 - levels, corners


def guaranteed(kind, k, alpha):
    return np.interp(alpha, *report(kind, k)[2], right=0)


tradeoff = envelope.face_panel("tradeoff", title="Trade-off function")
profile = envelope.face_panel("privacy_profile", title="Privacy profile", xlim=(0, 5), grid=LOSSES)


@tradeoff.region(ORANGE)
def left_open(kind, k):
    f = mechanism(kind).tradeoff(ALPHAS)
    return ALPHAS, np.minimum(guaranteed(kind, k, ALPHAS), f - 1e-9), f


@tradeoff.curve(ORANGE, "what the report guarantees", line=DASHED)
def known(kind, k):
    corners = report(kind, k)[2]
    # The corner in the middle, where the grip is, as often as is needed for the same number at every k.
    middle = np.repeat(corners[:, k : k + 1], 2 * (MOST - k), axis=1)
    return np.concatenate([corners[:, : k + 1], middle, corners[:, k + 1 :]], axis=1)


@tradeoff.ruler(GREEN, words="gap {gap}")
def widest(kind, k):
    corners = report(kind, k)[2]
    f = mechanism(kind).tradeoff(corners[0])
    place = np.argmax(f - corners[1])
    return corners[0, place], corners[1, place], f[place]


@profile.curve(ORANGE, "what the report guarantees", line=DASHED, moves="")
def known_profile(kind, k):
    # δ is 1 minus the least e^ε α + β of the envelope, which is attained at a corner.
    alpha, beta = report(kind, k)[2]
    return LOSSES, 1 - np.min(np.exp(LOSSES)[:, None] * alpha + beta, axis=1)


@profile.points(GREEN, "points in the report", moves="")
def listed(kind, k):
    epsilons, deltas, _ = report(kind, k)
    absent = [np.nan] * (MOST - len(epsilons))
    return [*epsilons, *absent], [*deltas, *absent]


@envelope.readouts(
    gap=Number("largest gap to f", GREEN, 4),
    known_advantage=Number("advantage, at most", ORANGE, 4, help="all that the report says about it"),
    known_error=Number("equal errors, at least", ORANGE, 4),
)
def numbers(kind, k):
    _, low, high = widest(kind, k)
    error = report(kind, k)[2][0, k]
    return high - low, 1 - 2 * error, error


@envelope.readouts(advantage=Number("advantage, exact", BLUE, 4), error=Number("equal errors, exact", BLUE, 4))
def truth(kind):
    return mechanism(kind).advantage, mechanism(kind).minimax_bayes_error


@envelope.solved
def just_enough(kind, k):
    return numbers(kind, k)[0] < SMALL and all(numbers(kind, fewer)[0] >= SMALL for fewer in range(1, k))


@envelope.words
def words(kind, k):
    gap = numbers(kind, k)[0]
    points = "one point" if k == 1 else "{k} points"
    if gap < 1e-9:
        return f"A report of {points} says everything: the envelope is the curve, and the advantage is {{advantage}}."
    if gap < SMALL:
        return (
            f"A report of {points} leaves a largest gap of {{gap}}, less than 0.01. It shows that the advantage "
            "is at most {known_advantage}; in fact it is {advantage}."
        )
    if numbers(kind, k)[1] < mechanism(kind).advantage + 5e-5:
        return f"A report of {points} settles the advantage, {{advantage}}, but leaves a gap of {{gap}} elsewhere."
    return (
        f"A report of {points} leaves a largest gap of {{gap}}. By what it says, the advantage could be as large as "
        "{known_advantage}; in fact it is {advantage}."
    )


@envelope.code
def program(kind, k):
    import numpy as np

    import dptutor as dp

    mechanisms = {
        "Gaussian": dp.Gaussian(sigma=1),
        "Laplace": dp.Laplace(scale=1),
        "randomized response": dp.RandomizedResponse(epsilon=1),
        "worst (ε, δ)": dp.ApproximateDP(epsilon=1, delta=0.1),
    }
    mechanism, epsilons = mechanisms[kind], 4 * np.arange(1, k + 1) / k
    levels, slopes = 1 - mechanism.privacy_profile(epsilons), np.exp(epsilons)
    known_error = levels[0] / (1 + slopes[0])
    alpha = np.array([0, *np.diff(levels) / np.diff(slopes), known_error])
    beta = np.max(levels[:, None] - slopes[:, None] * alpha, axis=0)
    corners = np.concatenate([[alpha, beta], [beta, alpha]], axis=1)
    gap = np.max(mechanism.tradeoff(corners[0]) - corners[1])
    error, advantage, known_advantage = mechanism.minimax_bayes_error, mechanism.advantage, 1 - 2 * known_error
    print(f"{k} points: gap {gap:.4f}, advantage at most {known_advantage:.4f}, exactly {advantage:.4f}")
