"""The Bayes error of an adversary with a prior: a line that touches f, read off as a point of R, and back.

The idea: what an output is worth to an adversary depends on what the adversary believes beforehand.
"""

from functools import cache

import numpy as np

from ...mechanisms import SubsampledGaussian
from ..machinery import BLUE, DOTTED, GREEN, PURPLE, VERMILLION, Choice, Explorer, Slider
from .tradeoff_gallery import KINDS as SYMMETRIC
from .tradeoff_gallery import SYMBOLS

# One direction of a mechanism that uses each example with probability 1/2, so that its f is not symmetric.
SAMPLED, STEP = "sampled Gaussian", 0.02
KINDS = SYMMETRIC | {SAMPLED: lambda noise: SubsampledGaussian(noise, 0.5, direction="remove")}

bayes_error = Explorer(
    "bayes_error",
    title="What the output is worth to an adversary",
    caption="First panel: the purple line touches the trade-off function at the best test for prior π, and meets "
    "the diagonal at R(π). Second panel: R at all priors; the green ruler is the drop that the output brings.",
    find="Drag the prior to where the adversary errs most. Find a mechanism for which this prior is not one half.",
    parameters={
        "kind": Choice(tuple(KINDS), "Gaussian", "Mechanism"),
        "noise": Slider(0.3, 4.0, 1.0, "noise", by="kind", symbols=SYMBOLS | {SAMPLED: "σ"}),
        "prior": Slider(0.02, 0.98, 0.3, "prior of “not in”", "π", step=STEP, percent=True),
    },
    steps={
        "An even prior": (
            "Slope −1: here the error is largest. The advantage is twice the drop from one half to this error.",
            {"noise": 1, "prior": 0.5, "kind": "Gaussian"},
        ),
        "No output changes the guess": (
            "With Laplace noise, reading the output does not help an adversary who is this sure.",
            {"noise": 1, "prior": 0.2, "kind": "Laplace"},
        ),
        "Always something": (
            "With Gaussian noise, some outputs reverse any guess, however sure the adversary was.",
            {"noise": 0.6, "prior": 0.1, "kind": "Gaussian"},
        ),
        "Not at one half": (
            "This mechanism uses each record with probability one half, so many outputs say little about you: the "
            "error peaks near a prior of 40%.",
            {"noise": 0.5, "prior": 0.4, "kind": SAMPLED},
        ),
    },
)


@bayes_error.mechanism(BLUE, "the mechanism")
def mechanism(kind, noise):
    return KINDS[kind](noise)


tradeoff = bayes_error.face_panel("tradeoff", title="Trade-off function", titled=False)
bayes = bayes_error.face_panel("bayes_error", title="Bayes error", titled=False)


@tradeoff.curve(PURPLE, "equally good at π", width=1.8, ghost=False)
def touching(kind, noise, prior):
    level, slope = error(kind, noise, prior), prior / (1 - prior)
    ends = np.array([max(0, (level / (1 - prior) - 1.02) / slope), min(1, level / prior)])
    return ends, level / (1 - prior) - slope * ends


@tradeoff.curve(GREEN, "α = β", line=DOTTED, width=1.4, ghost=False)
def diagonal():
    return [0, 0.6], [0, 0.6]


@tradeoff.points(PURPLE, "R(π)")
def on_the_diagonal(kind, noise, prior):
    return np.repeat(error(kind, noise, prior), 2)


@tradeoff.points(BLUE, "best test at π", size=6)
def best_test(kind, noise, prior):
    loss, threshold = mechanism(kind, noise).privacy_loss, np.log(prior / (1 - prior))
    return loss.sf(threshold, under="P"), loss.cdf(threshold, under="Q")


bayes.reader("prior", "adversary", top=lambda prior: min(prior, 1 - prior))


@bayes.ruler(GREEN, cap=6)
def gained(kind, noise, prior):
    top, bottom = guessing(prior), error(kind, noise, prior)
    return prior if top - bottom >= 5e-4 else np.nan, bottom, top


# Beneath the curves, on the side of the ruler where there is room.
@bayes.text(GREEN, offset=(0, -14))
def gain_in_words(kind, noise, prior):
    x, bottom, _ = gained(kind, noise, prior)
    return x + (0.03 if prior <= 0.5 else -0.43), bottom, "{gain}"


@bayes_error.readout("R(π): wrong, of 100 guesses", PURPLE, 1, percent=True, unit="")
def error(kind, noise, prior):
    return mechanism(kind, noise).bayes_error(prior)


@bayes_error.readout("wrong, of 100 blind guesses", PURPLE, 1, percent=True, unit="")
def guessing(prior):
    return min(prior, 1 - prior)


@bayes_error.readout("gain from the output", GREEN, 1, percent=True, unit="of 100 guesses")
def gain(kind, noise, prior):
    return guessing(prior) - error(kind, noise, prior)


@bayes_error.readout("largest error R*", GREEN, 4)
def minimax(kind, noise):
    return mechanism(kind, noise).minimax_bayes_error


@bayes_error.readout("advantage 1 − 2R(½)", VERMILLION, 4)
def advantage(kind, noise):
    return mechanism(kind, noise).advantage


@bayes_error.solved
def most_elsewhere(kind, noise, prior):
    beside = (max(prior - STEP, 0.01), min(prior + STEP, 0.99))
    return abs(prior - 0.5) > STEP / 2 and error(kind, noise, prior) >= max(error(kind, noise, p) for p in beside)


@cache
def reaches(kind, noise):
    """The largest losses for and against: how much belief an answer can outweigh, in log-odds."""
    m = mechanism(kind, noise)
    return m.epsilon(0.0), m.reverse.epsilon(0.0)


def decided(kind, noise, prior):
    """Whether the adversary is surer beforehand than any answer can make up for."""
    odds, (against, towards) = np.log(prior / (1 - prior)), reaches(kind, noise)
    return odds >= against if odds >= 0 else -odds >= towards


@bayes_error.words
def words(kind, noise, prior):
    if decided(kind, noise, prior):
        return (
            "At a prior of {prior} for “not in” no output changes this adversary’s guess: {error} of 100 guesses are "
            "wrong."
        )
    if gain(kind, noise, prior) < 1e-3:
        return (
            "At a prior of {prior} for “not in” {error} of 100 guesses are wrong; the output saves less than one "
            "wrong guess in a thousand."
        )
    return "At a prior of {prior} for “not in” the output lowers the wrong guesses from {guessing} to {error} of 100."


@bayes_error.code
def program(kind, noise, prior):
    import dptutor as dp

    makers = {
        "Gaussian": dp.Gaussian,
        "Laplace": dp.Laplace,
        "randomized response": lambda noise: dp.RandomizedResponse(epsilon=1 / noise),
        "worst (ε, δ)": lambda noise: dp.ApproximateDP(epsilon=1 / noise, delta=0.1),
        "sampled Gaussian": lambda noise: dp.SubsampledGaussian(noise, 0.5, direction="remove"),
    }
    mechanism = makers[kind](noise)
    error, minimax = mechanism.bayes_error(prior), mechanism.minimax_bayes_error
    guessing = min(prior, 1 - prior)
    gain, advantage, power = guessing - error, mechanism.advantage, 1 - mechanism.tradeoff(0.05)
    print(f"R({prior}) = {error:.4f}")
