"""Telling two worlds apart by a threshold: both errors of a test, its place on the trade-off function."""

import numpy as np
from scipy.special import ndtr

from ..mechanisms import Gaussian
from .machinery import BLUE, DASHED, DOTTED, GREEN, GREY, PURPLE, VERMILLION, Explorer, Number, Slider
from .machinery.shapes import normal_density, type_one_errors

threshold_test = Explorer(
    "threshold_test",
    title="Is the example in the data?",
    caption="First panel: the answer of a Gaussian mechanism without the example (P, blue, solid) and with it (Q, "
    "vermillion, dashed), in units of the noise. You say “in the data” to the right of the threshold: the blue area "
    "is your type I error α, the vermillion one your type II error β. Second panel: the same test as a point of the "
    "trade-off function f; the green line supports f there and has slope −exp(ε), the purple line joins all pairs "
    "(α, β) of the same error πα + (1−π)β: where it only touches f, no threshold is better.",
    find="Move the threshold until the purple line only touches the curve: no test errs less at your prior.",
    code="""import dptutor as dp
from statistics import NormalDist

mu, threshold, prior = {mu}, {threshold}, {prior}
mechanism, normal = dp.Gaussian(sigma=1 / mu), NormalDist()
alpha = normal.cdf(-threshold)
beta = mechanism.tradeoff(alpha)
power = 1 - beta
epsilon = mu * threshold - mu**2 / 2
delta = mechanism.privacy_profile(epsilon)
error = prior * alpha + (1 - prior) * beta
best_error = mechanism.bayes_error(prior)
print(f"alpha = {alpha:.3f}, beta = {beta:.3f}, epsilon = {epsilon:.2f}, delta = {delta:.3f}")
""",
    parameters={
        "mu": Slider(0.1, 4.0, 1.0, "distance", "μ = 1/σ", step=0.1),
        "threshold": Slider(-3.0, 6.0, 0.8, "threshold", "t", step=0.1),
        "prior": Slider(0.02, 0.98, 0.5, "prior of world P", "π", step=0.02, percent=True),
    },
    presets={
        "Halfway": (
            "The threshold in the middle: both errors alike, the best test for an even prior.",
            {"mu": 1, "threshold": 0.5, "prior": 0.5},
        ),
        "Accuse few": (
            "One in twenty is accused wrongly; three in four of those in the data stay hidden.",
            {"mu": 1, "threshold": 1.6, "prior": 0.5},
        ),
        "Strong privacy": (
            "Noise five times the weight of the example: f is close to blind guessing.",
            {"mu": 0.2, "threshold": 0.1, "prior": 0.5},
        ),
        "Best for prior 80 %": (
            "One who is nearly sure of P accuses on strong evidence only: ε = log(π/(1−π)).",
            {"mu": 2, "threshold": 1 + np.log(4) / 2, "prior": 0.8},
        ),
    },
)

X = np.linspace(-3.5, 7, 106)
ALPHA = type_one_errors()


worlds = threshold_test.plain_panel("worlds", "Two worlds", xlabel="answer, in units of the noise", ylabel="density",
                                    xlim=(-3.5, 7), ylim=(0, 0.66), grid=False)  # fmt: skip


@worlds.region(BLUE, "α: you accuse wrongly", opacity=0.35)
def false_alarm(threshold):
    x = np.linspace(threshold, 7, 41)
    return x, 0, normal_density(x)


@worlds.region(VERMILLION, "β: you miss it", opacity=0.35)
def missed(mu, threshold):
    x = np.linspace(-3.5, threshold, 41)
    return x, 0, normal_density(x - mu)


@worlds.curve(BLUE, "P: not in the data")
def without():
    return X, normal_density(X)


@worlds.curve(VERMILLION, "Q: in the data", line=DASHED)
def with_example(mu):
    return X, normal_density(X - mu)


@worlds.curve(PURPLE, width=1.6, ghost=False)
def cut(threshold):
    return [threshold, threshold], [0, 0.43]


@worlds.text(PURPLE, offset=(0, 3), align="center")
def cut_label(threshold):
    return threshold, 0.43, "t"


@threshold_test.panel("Trade-off function", xlabel="type I error α", ylabel="type II error β", xlim=(0, 1), ylim=(0, 1))
def tradeoff(axes):
    axes.plot([0, 1], [1, 0], color=GREY, linewidth=1, label="blind guessing")


@tradeoff.curve(BLUE, "f", width=2.4)
def best_tests(mu):
    return ALPHA, Gaussian(sigma=1 / mu).tradeoff(ALPHA)


@tradeoff.curve(GREEN, "slope −exp(ε)", line=DASHED, width=1.6, ghost=False)
def supporting_line(mu, threshold):
    return segment(*errors(mu, threshold), np.exp(loss(mu, threshold)))


def errors(mu, threshold):
    return ndtr(-threshold), ndtr(threshold - mu)


@tradeoff.curve(PURPLE, "same error at π", line=DOTTED, width=1.8, shift=errors, ghost=False)
def same_error(prior):
    return segment(0, 0, prior / (1 - prior))


def loss(mu, threshold):
    """The privacy loss log dQ/dP of an answer at the threshold."""
    return mu * threshold - mu**2 / 2


def segment(x, y, slope):
    """A line through (x, y), long enough to cross the panel."""
    across, up = 1.5 / np.hypot(1, slope), -1.5 * slope / np.hypot(1, slope)
    return [x - across, x + across], [y - up, y + up]


@tradeoff.points(PURPLE, "your test")
def your_test(mu, threshold):
    return errors(mu, threshold)


@threshold_test.readouts(
    alpha=Number("type I error α", BLUE, 1, percent=True),
    beta=Number("type II error β", VERMILLION, 1, percent=True),
    power=Number("power 1 − β", VERMILLION, 1, percent=True),
    epsilon=Number("ε = log dQ/dP at t", GREEN, 2),
    delta=Number("δ(ε) there", GREEN, 2, power=True),
)
def test(mu, threshold):
    alpha, beta = errors(mu, threshold)
    epsilon = loss(mu, threshold)
    return alpha, beta, 1 - beta, epsilon, Gaussian(sigma=1 / mu).privacy_profile(epsilon)


@threshold_test.readouts(error=Number("your error at π", PURPLE, 1, percent=True))
def error(mu, threshold, prior):
    alpha, beta = errors(mu, threshold)
    return prior * alpha + (1 - prior) * beta


@threshold_test.readouts(best_error=Number("best error R(π)", PURPLE, 1, percent=True))
def best_error(mu, prior):
    return Gaussian(sigma=1 / mu).bayes_error(prior)


@threshold_test.words
def words(mu, threshold, prior):
    start = "You accuse {alpha} of those who are not in the data and miss {beta} of those who are."
    if error(mu, threshold, prior) - best_error(mu, prior) < 5e-4:
        return f"{start} At a prior of {{prior}} no test errs less than your {{error}}."
    return f"{start} At a prior of {{prior}} you err in {{error}} of the cases, the best test in {{best_error}}."
