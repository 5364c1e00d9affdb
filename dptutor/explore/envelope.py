"""What a report of k points (ε, δ) says about a mechanism: the upper envelope of their lines, against the curve."""

from functools import lru_cache

import numpy as np

from .machinery import BLUE, DASHED, GREEN, ORANGE, Choice, Explorer, Number, Slider
from .machinery.shapes import type_one_errors
from .tradeoff_gallery import KINDS, MAKERS

MOST, ALPHAS, LOSSES = 20, type_one_errors(61), np.linspace(0, 5, 101)

envelope = Explorer(
    "envelope",
    title="How many points must a report show?",
    caption="A report lists δ at k values of ε, evenly spaced from 4/k to 4. First panel: the trade-off function f of "
    "the mechanism (blue) and the upper envelope of the lines given by these points and their mirror images "
    "(orange, dashed). The shaded area between them is what the report leaves open; the green ruler is the "
    "largest gap. Second panel: the privacy profile, the points of the report, and the δ that they guarantee "
    "at every other ε. The noise is 1/ε₀ for randomized response and for the worst (ε₀, 0.1)-DP mechanism.",
    find="How many points bring the gap below 0.01? With Laplace noise, b = 1, the gap grows again from k = 4 to 6: "
    "which point should a good report contain?",
    code="import numpy as np\n\n"
    + MAKERS
    + """mechanism, k = makers[{kind}]({noise}), {k}
epsilons = 4 * np.arange(1, k + 1) / k
levels, slopes = 1 - mechanism.privacy_profile(epsilons), np.exp(epsilons)
known_error = levels[0] / (1 + slopes[0])
alpha = np.array([0, *np.diff(levels) / np.diff(slopes), known_error])
beta = np.max(levels[:, None] - slopes[:, None] * alpha, axis=0)
corners = np.concatenate([[alpha, beta], [beta, alpha]], axis=1)
gap = np.max(mechanism.tradeoff(corners[0]) - corners[1])
error, advantage, known_advantage = mechanism.minimax_bayes_error, mechanism.advantage, 1 - 2 * known_error
print(f"{k} points: gap {gap:.4f}, advantage at most {known_advantage:.4f}, exactly {advantage:.4f}")
""",
    parameters={
        "kind": Choice(tuple(KINDS), "Gaussian", "Mechanism"),
        "noise": Slider(0.4, 2.8, 1.0, "noise", "σ, b or 1/ε₀", step=0.2),
        "k": Slider(1, MOST, 2, "number of points", "k", step=1),
    },
    steps={
        "One point": (
            "Only δ at ε = 4: as far as this report says, an adversary may learn nearly everything.",
            {"kind": "Gaussian", "noise": 1, "k": 1},
        ),
        "One point that says it all": (
            "One of the four points is ε = 1, the corner of this randomized response. The others add nothing.",
            {"kind": "randomized response", "noise": 1, "k": 4},
        ),
        "More, and worse": (
            "Five points leave a larger gap than four, because the four include ε = 1/b, the largest loss of Laplace "
            "noise.",
            {"kind": "Laplace", "noise": 1, "k": 5},
        ),
        "Nearly all": (
            "With twenty points, the envelope can hardly be distinguished from the curve.",
            {"kind": "Gaussian", "noise": 1, "k": 20},
        ),
    },
)


@envelope.mechanism(BLUE, "the mechanism")
def mechanism(kind, noise):
    return KINDS[kind](noise)


@lru_cache(maxsize=4096)
def report(kind, noise, k):
    """The points of the report, and the corners of the envelope of their lines."""
    epsilons = 4 * np.arange(1, k + 1) / k
    levels, slopes = 1 - mechanism(kind, noise).privacy_profile(epsilons), np.exp(epsilons)
    # The line of the smallest ε is the highest on the diagonal; neighbors meet in between.
    alpha = np.array([0, *np.diff(levels) / np.diff(slopes), levels[0] / (1 + slopes[0])])
    beta = np.max(levels[:, None] - slopes[:, None] * alpha, axis=0)
    order = np.argsort(alpha)
    corners = np.concatenate([[alpha[order], beta[order]], [beta[order][::-1], alpha[order][::-1]]], axis=1)
    return epsilons, 1 - levels, corners


def guaranteed(kind, noise, k, alpha):
    return np.interp(alpha, *report(kind, noise, k)[2], right=0)


tradeoff = envelope.face_panel("tradeoff", title="Trade-off function")
profile = envelope.face_panel("privacy_profile", title="Privacy profile", xlim=(0, 5), grid=LOSSES)


@tradeoff.region(ORANGE)
def left_open(kind, noise, k):
    f = mechanism(kind, noise).tradeoff(ALPHAS)
    return ALPHAS, np.minimum(guaranteed(kind, noise, k, ALPHAS), f - 1e-9), f


@tradeoff.curve(ORANGE, "what the report guarantees", line=DASHED, moves="")
def known(kind, noise, k):
    corners = report(kind, noise, k)[2]
    return np.append(corners, np.repeat(corners[:, -1:], 2 * (MOST + 1) - corners.shape[1], axis=1), axis=1)


@tradeoff.ruler(GREEN, "largest gap")
def widest(kind, noise, k):
    corners = report(kind, noise, k)[2]
    f = mechanism(kind, noise).tradeoff(corners[0])
    place = np.argmax(f - corners[1])
    return corners[0, place], corners[1, place], f[place]


@profile.curve(ORANGE, "what the report guarantees", line=DASHED, moves="")
def known_profile(kind, noise, k):
    # δ is 1 minus the least e^ε α + β of the envelope, which is attained at a corner.
    alpha, beta = report(kind, noise, k)[2]
    return LOSSES, 1 - np.min(np.exp(LOSSES)[:, None] * alpha + beta, axis=1)


@profile.points(GREEN, "points in the report", moves="")
def listed(kind, noise, k):
    epsilons, deltas, _ = report(kind, noise, k)
    absent = [np.nan] * (MOST - len(epsilons))
    return [*epsilons, *absent], [*deltas, *absent]


@envelope.readouts(
    gap=Number("largest gap to f", GREEN, 4),
    known_advantage=Number("advantage, at most", ORANGE, 4, help="all that the report says about it"),
    known_error=Number("equal errors, at least", ORANGE, 4),
)
def numbers(kind, noise, k):
    _, low, high = widest(kind, noise, k)
    error = report(kind, noise, k)[2][0, k]
    return high - low, 1 - 2 * error, error


@envelope.readouts(advantage=Number("advantage, exact", BLUE, 4), error=Number("equal errors, exact", BLUE, 4))
def truth(kind, noise):
    return mechanism(kind, noise).advantage, mechanism(kind, noise).minimax_bayes_error


@envelope.words
def words(kind, noise, k):
    gap = numbers(kind, noise, k)[0]
    points = "one point" if k == 1 else "{k} points"
    if gap < 1e-9:
        return f"A report of {points} says everything: the envelope is the curve, and the advantage is {{advantage}}."
    if gap < 0.01:
        return (
            f"A report of {points} leaves a gap of less than 0.01: the advantage is at most {{known_advantage}}. It is "
            "{advantage}."
        )
    return f"From {points} alone, the advantage could be as large as {{known_advantage}}. It is {{advantage}}."
