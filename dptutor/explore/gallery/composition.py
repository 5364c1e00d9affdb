"""What many steps reveal together: the exact ε at a δ, and what other accountants say.

The idea: accountants of the same training disagree, and one that gives too small an ε promises privacy that is not
there.
"""

import math
from functools import lru_cache

import numpy as np

from ...accounting import advanced_composition, basic_composition, clt_mu, rdp_to_epsilon
from ...mechanisms import DPSGD, Gaussian, SubsampledGaussian
from ..machinery import (
    BLUE,
    DASHED,
    DOTTED,
    GREY,
    INK,
    ORANGE,
    PURPLE,
    VERMILLION,
    Choice,
    Explorer,
    Number,
    Slider,
    decades,
)

BASES = {"Gaussian, σ = 30": (30.0, 1.0), "DP-SGD, σ = 1": (1.0, 0.01), "DP-SGD, σ = 0.6": (0.6, 0.01)}
DELTAS = {"10⁻³": 1e-3, "10⁻⁵": 1e-5, "10⁻⁸": 1e-8}
STOPS = decades(2, 6, 1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)
ORDERS = 1 + np.geomspace(0.01, 150, 120)

composition = Explorer(
    "composition",
    title="Which accountant can be trusted?",
    caption="First panel: each accountant’s ε divided by the exact one; in the tinted part it promises too much. "
    "Basic and advanced composition lie far above. Second panel: what each says after k steps. Each DP-SGD "
    "step samples 1%.",
    find="Here the limit theorem promises too much privacy. Find settings where it promises too little.",
    parameters={
        "base": Choice(tuple(BASES), "DP-SGD, σ = 1", "One step"),
        "delta": Choice(tuple(DELTAS), "10⁻⁵", "δ"),
        "steps": Slider(100, 1_000_000, 10_000, "steps", "k", stops=STOPS, play=True),
    },
    steps={
        "A long training run": (
            "10,000 steps: an accountant that knows the mechanism comes close; one that knows only (ε, δ) does not.",
            {"base": "DP-SGD, σ = 1", "steps": 10_000, "delta": "10⁻⁵"},
        ),
        "A limit is no bound": (
            "100 steps with little noise: the limit theorem promises an ε that the training does not keep.",
            {"base": "DP-SGD, σ = 0.6", "steps": 100, "delta": "10⁻⁸"},
        ),
        "Sums of normal losses": (
            "Gaussian steps: the limit theorem is exact from the first step on.",
            {"base": "Gaussian, σ = 30", "steps": 1000, "delta": "10⁻⁵"},
        ),
    },
)


@lru_cache(maxsize=8192)
def after(base, steps):
    return DPSGD(*BASES[base], steps)


@lru_cache(maxsize=8192)
def gaussian_after(base, steps):
    sigma, rate = BASES[base]
    return Gaussian(sigma=1 / (clt_mu(sigma, rate, steps) if rate < 1 else math.sqrt(steps) / sigma))


@lru_cache
def renyi_step(base):
    """Rényi divergences of one step, the larger of both directions."""
    return SubsampledGaussian(*BASES[base]).renyi_divergence(ORDERS)


@lru_cache(maxsize=8192)
def all_epsilons(base, steps):
    """For each δ, ε exactly, by Rényi, by the limit theorem, by advanced and by basic composition."""
    deltas = np.array([*DELTAS.values()])
    half, whole = deltas / (2 * steps), deltas / steps
    promised = SubsampledGaussian(*BASES[base]).epsilon([half, whole])
    columns = [
        after(base, steps).epsilon(deltas),
        rdp_to_epsilon(ORDERS, steps * renyi_step(base), deltas),
        gaussian_after(base, steps).epsilon(deltas),
        [advanced_composition(e, d, steps, d * steps)[0] for e, d in zip(promised[0], half, strict=True)],
        [basic_composition(e, d, steps)[0] for e, d in zip(promised[1], whole, strict=True)],
    ]
    return dict(zip(DELTAS, np.transpose(columns).tolist(), strict=True))


def epsilons(base, delta, steps):
    return all_epsilons(base, steps)[delta]


@composition.panel("Compared with exact", xlabel="steps k", ylabel="accountant’s ε / exact ε",
                   xlim=(100, 1e6), ylim=(0.5, 2), xlog=True, titled=False, width=410.0)  # fmt: skip
def growth(axes):
    axes.axhspan(0.5, 1, color=VERMILLION, alpha=0.1, linewidth=0)
    axes.axhline(1, color=BLUE, linewidth=2, label="exact")
    axes.set_yticks([0.5, 0.75, 1, 1.25, 1.5, 1.75], ["½", "¾", "1", "1¼", "1½", "1¾"])
    axes.text(115, 1.91, "↑ too large an ε: safe, but wasteful", color=INK)
    axes.text(9e5, 0.53, "↓ too small an ε: promises too much privacy", color=VERMILLION, ha="right")
    axes.grid(False)


def along(base, delta, number):
    found = [epsilons(base, delta, k) for k in STOPS]
    return STOPS, np.clip([each[number] / each[0] for each in found], 0.1, 3)


@growth.curve(VERMILLION, "limit theorem", line=DASHED, moves="")
def limit_growth(base, delta):
    return along(base, delta, 2)


@growth.curve(ORANGE, "Rényi", line=DOTTED, moves="")
def renyi_growth(base, delta):
    return along(base, delta, 1)


@growth.curve(PURPLE, width=1.6, ghost=False, moves="steps")
def chosen(steps):
    return [steps, steps], [0.6, 1.72]


@growth.points(INK, moves="")
def here(base, delta, steps):
    exact, renyi, limit, *_ = epsilons(base, delta, steps)
    ratios = np.array([renyi, limit]) / exact
    return [steps, steps], np.where((ratios >= 0.5) & (ratios <= 2), ratios, np.nan)


ROWS = {"limit theorem": 4, "exact": 3, "Rényi": 2, "(ε, δ) alone": 1}  # alone: the better of both theorems


@composition.panel("What each says", xlabel="ε after k steps", ylabel="", xlim=(0.1, 1e10), ylim=(0.4, 4.6), xlog=True,
                   titled=False, width=310.0, margins=(92.0, 12.0, 44.0, 12.0))  # fmt: skip
def said(axes):
    axes.set_yticks([*ROWS.values()], [*ROWS])
    axes.set_xticks([1, 100, 1e4, 1e6], ["1", "100", "10⁴", "10⁶"])
    axes.set_xticks([], minor=True)
    axes.grid(False, axis="x")


@said.region(VERMILLION, opacity=0.1, moves="")
def too_small(base, delta, steps):
    exact, *_ = epsilons(base, delta, steps)
    return [said.xlim[0], exact], [said.ylim[0]] * 2, [said.ylim[1]] * 2


@said.curve(BLUE, ghost=False, moves="")
def exactly(base, delta, steps):
    exact, *_ = epsilons(base, delta, steps)
    return [exact, exact], said.ylim


def said_by(name, base, delta, steps):
    exact, renyi, limit, advanced, basic = epsilons(base, delta, steps)
    return {"limit theorem": limit, "exact": exact, "Rényi": renyi}.get(name, min(advanced, basic))


@said.points(INK, moves="")
def dots(base, delta, steps):
    return [said_by(name, base, delta, steps) for name in ROWS], list(ROWS.values())


def value_of(name, shown):
    """What an accountant says, beside its dot."""

    def value(base, delta, steps):
        *_, advanced, basic = epsilons(base, delta, steps)
        at = said_by(name, base, delta, steps)
        return at, ROWS[name], f"{{{shown or ('basic' if basic < advanced else 'advanced')}}}"

    return value


for name, color, shown in (("limit theorem", VERMILLION, "limit"), ("exact", BLUE, "exact"), ("Rényi", ORANGE, "renyi"),
                           ("(ε, δ) alone", INK, "")):  # fmt: skip
    value = value_of(name, shown)
    value.__name__ = f"said_by_{shown or 'pairs'}"
    said.text(color, offset=(9, 6))(value)


@composition.readouts(
    exact=Number("ε, exact", BLUE, 3),
    renyi=Number("ε by Rényi", ORANGE, 3),
    limit=Number("ε by the limit theorem", VERMILLION, 3, help="not a bound"),
    advanced=Number("ε by advanced composition", GREY, 3, power=True),
    basic=Number("ε by basic composition", GREY, 3, power=True),
)
def numbers(base, delta, steps):
    return epsilons(base, delta, steps)


@composition.solved
def too_little_privacy(base, delta, steps):
    exact, _, limit, *_ = numbers(base, delta, steps)
    return limit > 1.01 * exact


@composition.words
def words(base, delta, steps):
    exact, _, limit, *_ = numbers(base, delta, steps)
    start, renyi = "After {steps} steps ε is {exact} at δ = {delta}", "; Rényi divergences say {renyi}."
    if BASES[base][1] == 1:
        return f"{start}, as the limit theorem says, which is exact for Gaussian steps{renyi}"
    if limit < 0.99 * exact:
        return f"{start}. The limit theorem says {{limit}}, which is too small{renyi}"
    if limit > 1.01 * exact:
        return f"{start}. The limit theorem says {{limit}}, which is too large{renyi}"
    return f"{start}, and the limit theorem is right to within 1%{renyi}"


@composition.code
def program(base, steps, delta):
    import math

    import numpy as np

    import dptutor as dp

    bases = {"Gaussian, σ = 30": (30.0, 1.0), "DP-SGD, σ = 1": (1.0, 0.01), "DP-SGD, σ = 0.6": (0.6, 0.01)}
    sigma, rate = bases[base]
    exact = dp.DPSGD(sigma, rate, steps).epsilon(delta)

    orders = 1 + np.geomspace(0.01, 150, 120)
    one_step = dp.SubsampledGaussian(sigma, rate).renyi_divergence(orders)  # the larger of both directions
    renyi = dp.accounting.rdp_to_epsilon(orders, steps * one_step, delta)

    mu = dp.accounting.clt_mu(sigma, rate, steps) if rate < 1 else math.sqrt(steps) / sigma
    limit = dp.Gaussian(sigma=1 / mu).epsilon(delta)

    step = dp.SubsampledGaussian(sigma, rate)
    whole, half = delta / steps, delta / (2 * steps)
    basic, _ = dp.accounting.basic_composition(step.epsilon(whole), whole, steps)
    advanced, _ = dp.accounting.advanced_composition(step.epsilon(half), half, steps, delta / 2)
    print(f"{exact:.4f} exactly, {renyi:.4f}, {limit:.4f}, {advanced:.4f}, {basic:.4f}")
