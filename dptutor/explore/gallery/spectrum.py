"""Where a mechanism lies between perfect privacy and blatant non-privacy: its distances to both ends.

The idea: every mechanism lies somewhere between the two, and its advantage says how far along.
"""

from functools import lru_cache

import numpy as np

from ...comparing.blackwell import delta_divergence
from ...mechanisms import BlatantlyNonPrivate, FiniteExperiment, PerfectPrivacy
from ..machinery import BLUE, GREEN, GREY, INK, VERMILLION, Choice, Explorer, Number, Slider
from .tradeoff_gallery import KINDS, SYMBOLS

ALL = KINDS | {"alarm": lambda noise: FiniteExperiment((1, 0), (noise / (1 + noise), 1 / (1 + noise)))}
NOISE = Slider(0.2, 10.0, 1.0, "noise", by="kind", symbols=SYMBOLS)

spectrum = Explorer(
    "spectrum",
    title="How far is it from perfect privacy to none?",
    caption="First panel: the Bayes error of a mechanism M between those of perfect privacy, PP, and of blatant "
    "non-privacy, BNP (zero). Second panel: the same two distances as coordinates; on the gray band they add up to "
    "one half.",
    find="Bring each mechanism as close as you can to halfway between the two ends. Which one leaves the gray "
    "band, and why?",
    parameters={"kind": Choice(tuple(ALL), "Gaussian", "Mechanism"), "noise": NOISE},
    steps={
        "Halfway": ("A Gaussian mechanism in the middle: σ is about 0.75.", {"kind": "Gaussian", "noise": 0.75}),
        "An ε of 5": (
            "Randomized response with ε = 5 comes close to publishing the data.",
            {"kind": "randomized response", "noise": 0.2},
        ),
        "Off the band": (
            "An alarm that sounds only for members: f is not symmetric, and the rulers are at two different priors.",
            {"kind": "alarm", "noise": 0.7},
        ),
    },
)


@spectrum.mechanism(BLUE, "M")
def mechanism(kind, noise):
    return ALL[kind](noise)


@lru_cache(maxsize=4096)
def distances(kind, noise):
    """To M from perfect privacy, from M to blatant non-privacy, and a prior at which the latter is attained."""
    m = mechanism(kind, noise)
    farthest = delta_divergence(m, BlatantlyNonPrivate())
    return delta_divergence(PerfectPrivacy(), m).value, farthest.value, 0.5 if m.is_symmetric else farthest.prior


# No ring on the curve: beside the rulers it would seem to move the prior.
bayes = spectrum.face_panel("bayes_error", titled=False, moves="")


@bayes.ruler(VERMILLION)
def from_perfect(kind, noise):
    return 0.5, mechanism(kind, noise).bayes_error(0.5), 0.5


@bayes.ruler(GREEN)
def to_blatant(kind, noise):
    _, rest, prior = distances(kind, noise)
    return prior, 0, rest


@bayes.text(VERMILLION, offset=(0, 0), align="center")
def from_perfect_words(kind, noise):
    return 0.5, 0.59, "{start} from perfect privacy"


@bayes.text(GREEN)
def to_blatant_words(kind, noise):
    _, rest, prior = distances(kind, noise)
    return prior, max(rest / 5, 0.02), "{rest} to none"


@spectrum.panel("The path", xlabel="distance from perfect privacy, Δ(PP‖M)",
                ylabel="distance to no privacy at all, Δ(M‖BNP)", xlim=(0, 0.75), ylim=(-0.05, 0.6),
                titled=False)  # fmt: skip
def way(axes):
    # Wider than the path, which lies on it for most mechanisms.
    axes.plot([0, 0.5], [0.5, 0], color=GREY, alpha=0.25, linewidth=9, label="distances add up to ½")
    axes.plot([0], [0.5], "o", color=INK, markersize=6, label="_start")
    axes.plot([0.5], [0], "o", color=INK, markersize=6, label="_end")
    axes.text(0.02, 0.52, "perfect privacy", color=INK)
    axes.text(0.57, -0.035, "blatant non-privacy", color=INK, ha="right")
    axes.grid(False)


@way.curve(BLUE, "more and less noise", ghost=False)
def path(kind):
    return np.array([distances(kind, noise)[:2] for noise in NOISE.values]).T


@way.points(BLUE)
def here(kind, noise):
    return distances(kind, noise)[:2]


@way.text(BLUE, offset=(12, 4))
def share_here(kind, noise):
    return *distances(kind, noise)[:2], "{share} of the way"


@spectrum.readouts(
    start=Number("Δ(PP‖M), half the advantage", VERMILLION, 4),
    rest=Number("Δ(M‖BNP), the largest error", GREEN, 4),
    total=Number("sum", GREY, 4),
    share=Number("share of the way from PP to BNP", BLUE, 1, percent=True),
    prior=Number("largest error at prior", GREEN, 1, percent=True),
)
def numbers(kind, noise):
    start, rest, prior = distances(kind, noise)
    return start, rest, start + rest, start / (start + rest), prior


@spectrum.solved
def halfway(kind, noise):
    return abs(numbers(kind, noise)[3] - 0.5) < 0.02


@spectrum.words
def words(kind, noise):
    if numbers(kind, noise)[2] > 0.5 + 1e-9:
        return "f is not symmetric, so the distances add up to {total} instead of 0.5. M is {share} of the way along."
    return "M is {share} of the way from perfect privacy to blatant non-privacy. This share is its advantage."


@spectrum.code
def program(kind, noise):
    import dptutor as dp

    makers = {
        "Gaussian": dp.Gaussian,
        "Laplace": dp.Laplace,
        "randomized response": lambda noise: dp.RandomizedResponse(epsilon=1 / noise),
        "worst (ε, δ)": lambda noise: dp.ApproximateDP(epsilon=1 / noise, delta=0.1),
        "alarm": lambda noise: dp.FiniteExperiment([1, 0], [noise / (1 + noise), 1 / (1 + noise)]),
    }
    mechanism = makers[kind](noise)
    start = dp.delta_divergence(dp.PerfectPrivacy(), mechanism).value
    farthest = dp.delta_divergence(mechanism, dp.BlatantlyNonPrivate())
    rest, prior = farthest.value, 0.5 if mechanism.is_symmetric else farthest.prior
    total, share = start + rest, start / (start + rest)
    print(f"{start:.4f} from PP, {rest:.4f} from BNP, {total:.4f} together")
