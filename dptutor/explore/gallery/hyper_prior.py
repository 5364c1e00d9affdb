"""An opinion about the adversary's prior as a weight on the Bayes errors: figure 4 of Kaissis et al. (2024), moving.

The idea: which of two mechanisms is safer depends on which priors one considers plausible.
"""

from functools import lru_cache, partial

import numpy as np
from scipy.special import betainc, betaln, xlog1py, xlogy

from ...comparing.blackwell import delta_divergence, u_quadratic_prior
from ...mechanisms import Gaussian, Laplace, SubsampledGaussian
from ..machinery import (
    BLUE,
    DOTTED,
    GREEN,
    GREY,
    INK,
    PURPLE,
    VERMILLION,
    Choice,
    Explorer,
    Number,
    Slider,
    in_points,
    lead_axes,
)

PAIRS = {
    "two subsampled Gaussians": (SubsampledGaussian(0.5, 0.2), SubsampledGaussian(0.2, 0.1)),
    "Laplace, Gaussian": (Laplace(scale=1.0), Gaussian(sigma=1.0)),
}
PRIORS, FINE = np.linspace(0.005, 0.995, 67), np.linspace(0, 1, 1001)
weighed = partial(Number, digits=2, percent=True, unit="weighted points")

hyper_prior = Explorer(
    "hyper_prior",
    title="Which is safer, if some adversaries are more plausible?",
    caption="First panel: your density Ψ over the adversary’s prior. Second panel: how much more often the adversary "
    "errs against M than against M̃, unweighted (dotted) and times Ψ. The longer green ruler is on the side "
    "of the safer mechanism.",
    find="Find an opinion that reverses the ranking of the two mechanisms.",
    parameters={
        "pair": Choice(tuple(PAIRS), "two subsampled Gaussians", "M and M̃:"),
        "family": Choice(("Beta(a, b)", "U-quadratic"), "Beta(a, b)", "Hyper-prior"),
        "a": Slider(0.5, 6.0, 2.0, "weight on high priors", "a", step=0.1),
        "b": Choice(("0.5", "1", "1.5", "3", "6"), "1", "Weight on low priors b"),
    },
    steps={
        "Flat": (
            "Beta(1, 1) weighs all priors alike: the unweighted Δ-divergences.",
            {"family": "Beta(a, b)", "a": 1, "b": "1"},
        ),
        "Jeffreys": (
            "Beta(½, ½), the “uninformative” one: a little more weight on adversaries who are nearly sure.",
            {"family": "Beta(a, b)", "a": 0.5, "b": "0.5"},
        ),
        "Strong opinions": (
            "U-quadratic: adversaries with even odds count for nothing, and the ranking is reversed.",
            {"pair": "two subsampled Gaussians", "family": "U-quadratic"},
        ),
        "Mostly sure of P": (
            "Few people are members, and the adversary knows it: the prior of world P is high.",
            {"family": "Beta(a, b)", "a": 6, "b": "1.5"},
        ),
    },
)


def density(family, a, b, prior):
    return u_quadratic_prior(prior) if family == "U-quadratic" else beta_density(prior, a, float(b))


def beta_density(x, a, b):
    return np.exp(xlogy(a - 1, x) + xlog1py(b - 1, -x) - betaln(a, b))  # many times faster than scipy.stats


def lead(pair, priors):
    m, other = PAIRS[pair]
    return m.bayes_error(priors) - other.bayes_error(priors)


@lru_cache(maxsize=4096)
def regrets(pair, family, a, b):
    m, other = PAIRS[pair]
    if family == "U-quadratic" and (a, b) != (1, "1"):
        return regrets(pair, family, 1, "1")
    return tuple(
        delta_divergence(*two, prior_density=lambda prior: density(family, a, b, prior))
        for two in ((m, other), (other, m))
    )


plain = lru_cache(lambda pair: regrets(pair, "Beta(a, b)", 1, "1"))


@hyper_prior.panel("Your hyper-prior", xlabel="adversary’s prior π", ylabel="how plausible: density Ψ(π)",
                   ylim=(0, 4), titled=False, width=310.0)  # fmt: skip
def opinion(axes):
    axes.axhline(1, color=GREY, linewidth=1, label="flat")


@opinion.region(PURPLE, "your opinion Ψ", moves="a", opacity=0.3)
def hyper(family, a, b):
    return PRIORS, 0, np.minimum(density(family, a, b, PRIORS), 4.4)


@hyper_prior.panel("Which is safer", xlabel="adversary’s prior π",
                   ylabel="lead of M in points, times Ψ", ylim=(-8, 6),
                   titled=False, width=410.0, margins=(56.0, 12.0, 44.0, 12.0))  # fmt: skip
def difference(axes):
    lead_axes(axes, "M protects better", "M̃ protects better", (5.3, -7.6), (-6, -4, -2, 0, 2, 4))


def weighted(pair, family, a, b):
    return 100 * density(family, a, b, PRIORS) * lead(pair, PRIORS)


@difference.curve(INK, "times Ψ", width=1.6, ghost=False, moves="")
def weighted_lead(pair, family, a, b):
    return PRIORS, weighted(pair, family, a, b)


difference.filled(BLUE, weighted_lead, above=True, opacity=0.12)
difference.filled(VERMILLION, weighted_lead, above=False, opacity=0.12)


@difference.curve(GREY, "unweighted", line=DOTTED, width=1.4, ghost=False)
def unweighted(pair):
    return PRIORS, 100 * lead(pair, PRIORS)


@difference.ruler(GREEN)
def forth_ruler(pair, family, a, b):
    forth, _ = regrets(pair, family, a, b)
    return forth.prior, 0, 100 * forth.value


@difference.ruler(GREEN)
def back_ruler(pair, family, a, b):
    _, back = regrets(pair, family, a, b)
    return back.prior, -100 * back.value, 0


@difference.text(GREEN, align="center", offset=(0, 8))
def forth_words(pair, family, a, b):
    forth, _ = regrets(pair, family, a, b)
    return np.clip(forth.prior, 0.32, 0.68), 100 * forth.value, "regret of M̃: {forth}"


@difference.text(GREEN, align="center", offset=(0, -15))
def back_words(pair, family, a, b):
    _, back = regrets(pair, family, a, b)
    return np.clip(back.prior, 0.32, 0.68), -100 * back.value, "regret of M: {back}"


@difference.text(INK, align="right", offset=(0, 0))
def verdict(pair, family, a, b):
    forth, back = (float(d) for d in regrets(pair, family, a, b))
    safer = "M is safer" if forth > back else "M̃ is safer"
    return 0.99, 5.3, "neither is safer" if abs(forth - back) < 1e-4 else f"longer ruler: {safer}"


@hyper_prior.readouts(
    forth=weighed("Δ(M‖M̃) with Ψ", GREEN, help="The largest weighted regret of choosing M̃"),
    back=weighed("Δ(M̃‖M) with Ψ", GREEN, help="The largest weighted regret of choosing M"),
    mean=in_points("R − R̃, mean over Ψ", PURPLE),
)
def numbers(pair, family, a, b):
    cumulated = 0.5 + 4 * (FINE - 0.5) ** 3 if family == "U-quadratic" else betainc(a, float(b), FINE)
    ahead = lead(pair, FINE)
    return *(float(d) for d in regrets(pair, family, a, b)), np.diff(cumulated) @ (ahead[1:] + ahead[:-1]) / 2


@hyper_prior.readouts(
    plain_forth=in_points("Δ(M‖M̃), unweighted", GREY),
    plain_back=in_points("Δ(M̃‖M), unweighted", GREY),
)
def unweighted_regrets(pair):
    return tuple(float(d) for d in plain(pair))


@hyper_prior.solved
def turned(pair, family, a, b):
    """Whether the opinion reverses the ranking."""
    forth, back, _ = numbers(pair, family, a, b)
    plain_forth, plain_back = unweighted_regrets(pair)
    return abs(forth - back) >= 1e-4 and (forth > back) != (plain_forth > plain_back)


@hyper_prior.words
def words(pair, family, a, b):
    forth, back, _ = numbers(pair, family, a, b)
    of_m = "at most {back}" if back >= 1e-4 else "less than 0.01 weighted points"
    of_other = "at most {forth}" if forth >= 1e-4 else "less than 0.01 weighted points"
    start = f"With this opinion, the regret of choosing M is {of_m}, that of choosing M̃ {of_other}: "
    if abs(forth - back) < 1e-4:
        return f"{start}to within 0.01 weighted points neither is safer."
    opinion = (
        "Your opinion reverses the ranking."
        if turned(pair, family, a, b)
        else "The ranking is the same as under the flat density."
    )
    return f"{start}{'M' if forth > back else 'M̃'} is safer. {opinion}"


@hyper_prior.code
def program(pair, family, a, b):
    import numpy as np
    from scipy.stats import beta

    import dptutor as dp

    pairs = {
        "two subsampled Gaussians": (dp.SubsampledGaussian(0.5, 0.2), dp.SubsampledGaussian(0.2, 0.1)),
        "Laplace, Gaussian": (dp.Laplace(scale=1.0), dp.Gaussian(sigma=1.0)),
    }
    m, other = pairs[pair]
    density = dp.u_quadratic_prior if family == "U-quadratic" else lambda p: beta.pdf(p, a, b)
    forth = dp.delta_divergence(m, other, prior_density=density).value
    back = dp.delta_divergence(other, m, prior_density=density).value
    plain_forth, plain_back = (dp.delta_divergence(*two).value for two in ((m, other), (other, m)))
    prior = np.linspace(0, 1, 1001)
    below = 0.5 + 4 * (prior - 0.5) ** 3 if family == "U-quadratic" else beta.cdf(prior, a, b)
    ahead = m.bayes_error(prior) - other.bayes_error(prior)
    mean = np.diff(below) @ (ahead[1:] + ahead[:-1]) / 2
    print(f"weighted regrets {100 * forth:.2f} and {100 * back:.2f}, mean difference {100 * mean:.2f}, all in points")
