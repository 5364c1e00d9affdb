"""Where a mechanism lies between perfect privacy and blatant non-privacy: its distances to both ends."""

from functools import lru_cache

import numpy as np

from ..blackwell import delta_divergence
from ..mechanisms import BlatantlyNonPrivate, FiniteExperiment, Gaussian, PerfectPrivacy, RandomizedResponse
from .machinery import BLUE, GREEN, GREY, INK, VERMILLION, Choice, Explorer, Number, Slider
from .tradeoff_gallery import KINDS, MAKERS

ALL = KINDS | {"alarm": lambda noise: FiniteExperiment((1, 0), (noise / (1 + noise), 1 / (1 + noise)))}
NOISE = Slider(0.2, 10.0, 1.0, "noise", "σ, b or 1/ε₀")

spectrum = Explorer(
    "spectrum",
    title="From perfect privacy to blatant non-privacy",
    caption="First panel: the Bayes error R of a mechanism M (blue) between those of perfect privacy (PP, gray) and "
    "of blatant non-privacy (BNP, zero). The rulers are Δ(PP‖M), vermillion, and Δ(M‖BNP), green. Second "
    "panel: the same two distances as coordinates; the blue curve is the path of M as its noise changes. On "
    "the gray line the distances add up to one half; marked on it are two randomized responses, by their ε, "
    "and two Gaussian mechanisms, by their σ. The alarm sounds only for members, with probability 1/(1 + "
    "noise).",
    find="Bring each mechanism as close as possible to equal distances from both ends. Which one leaves the gray "
    "line, and why?",
    code=MAKERS
    + """makers["alarm"] = lambda noise: dp.FiniteExperiment([1, 0], [noise / (1 + noise), 1 / (1 + noise)])
mechanism = makers[{kind}]({noise})
start = dp.delta_divergence(dp.PerfectPrivacy(), mechanism).value
farthest = dp.delta_divergence(mechanism, dp.BlatantlyNonPrivate())
rest, prior = farthest.value, 0.5 if mechanism.is_symmetric else farthest.prior
total, share = start + rest, start / (start + rest)
print(f"{start:.4f} from PP, {rest:.4f} from BNP, {total:.4f} together")
""",
    parameters={"kind": Choice(tuple(ALL), "Gaussian", "Mechanism"), "noise": NOISE},
    steps={
        "Halfway": ("A Gaussian mechanism in the middle: σ is about 0.75.", {"kind": "Gaussian", "noise": 0.75}),
        "An ε of 5": (
            "Randomized response with ε = 5 comes close to publishing the data.",
            {"kind": "randomized response", "noise": 0.2},
        ),
        "Off the line": (
            "An alarm that sounds only for members: f is not symmetric, and the rulers are at two different priors.",
            {"kind": "alarm", "noise": 0.7},
        ),
    },
)


@spectrum.mechanism(BLUE, "the mechanism M")
def mechanism(kind, noise):
    return ALL[kind](noise)


@lru_cache(maxsize=4096)
def distances(kind, noise):
    """To M from perfect privacy, from M to blatant non-privacy, and a prior at which the latter is attained."""
    m = mechanism(kind, noise)
    farthest = delta_divergence(m, BlatantlyNonPrivate())
    return delta_divergence(PerfectPrivacy(), m).value, farthest.value, 0.5 if m.is_symmetric else farthest.prior


bayes = spectrum.face_panel("bayes_error", title="Bayes error")


@bayes.ruler(VERMILLION, "Δ(PP‖M)")
def from_perfect(kind, noise):
    return 0.5, mechanism(kind, noise).bayes_error(0.5), 0.5


@bayes.ruler(GREEN, "Δ(M‖BNP)")
def to_blatant(kind, noise):
    _, rest, prior = distances(kind, noise)
    return prior, 0, rest


@bayes.text(VERMILLION)
def from_perfect_words(kind, noise):
    return 0.5, (mechanism(kind, noise).bayes_error(0.5) + 0.5) / 2, "{start}"


@bayes.text(GREEN)
def to_blatant_words(kind, noise):
    _, rest, prior = distances(kind, noise)
    return prior, rest / 2, "{rest}"


@spectrum.panel("The path", xlabel="Δ(PP‖M)", ylabel="Δ(M‖BNP)", xlim=(0, 0.56), ylim=(-0.04, 0.58))
def way(axes):
    axes.plot([0, 0.5], [0.5, 0], color=GREY, linewidth=1, label="sum ½")
    axes.text(0.01, 0.52, "PP", color=INK)
    axes.text(0.5, -0.03, "BNP", color=INK)
    marks = [(f"ε = {x:g}", RandomizedResponse(x)) for x in (1, 4)]
    marks += [(f"σ = {x:g}", Gaussian(x)) for x in (2, 0.5)]
    for words, m in marks:
        place = m.advantage / 2, m.minimax_bayes_error
        axes.plot(*place, "o", color=GREY, markersize=3)
        axes.annotate(words, place, (-4, -8), textcoords="offset points", color=GREY, ha="right")


@way.curve(BLUE, "M, noise from 0.2 to 10", ghost=False)
def path(kind):
    return np.array([distances(kind, noise)[:2] for noise in NOISE.values]).T


@way.points(BLUE, "M")
def here(kind, noise):
    return distances(kind, noise)[:2]


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


@spectrum.words
def words(kind, noise):
    if numbers(kind, noise)[2] > 0.5 + 1e-9:
        return "f is not symmetric, so the distances add up to {total} instead of 0.5. M is {share} of the way along."
    return "M is {share} of the way from perfect privacy to blatant non-privacy. This share is its advantage."
