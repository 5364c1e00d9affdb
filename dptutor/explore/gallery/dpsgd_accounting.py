"""One training run, four accountants, at every δ: what each of them says, and how far it is from the exact ε."""

from functools import lru_cache

import numpy as np

from ...accounting import advanced_composition, clt_mu, rdp_to_epsilon
from ...mechanisms import DPSGD, Gaussian, SubsampledGaussian
from ..machinery import BLUE, DASHED, DOTTED, GREEN, GREY, ORANGE, VERMILLION, Choice, Explorer, Number, Slider, decades

DELTAS, AT = 10.0 ** np.arange(-10, 0), 5  # the last is the place of δ = 1e-5
DIGITS = (
    1,
    1.1,
    1.2,
    1.3,
    1.4,
    1.5,
    1.6,
    1.8,
    2,
    2.2,
    2.4,
    2.6,
    2.8,
    3,
    3.3,
    3.6,
    4,
    4.5,
    5,
    5.5,
    6,
    6.5,
    7,
    7.5,
    8,
    8.5,
    9,
)
COUNTS = decades(2, 4, *DIGITS)[DIGITS.index(3) :]
ORDERS = 1 + np.geomspace(0.01, 150, 120)  # as in `composition`, so that both say the same

dpsgd_accounting = Explorer(
    "dpsgd_accounting",
    title="Four accountants, at every δ",
    caption="First panel: ε at every δ, exactly (solid) and by three accountants; the green point marks δ = 10⁻⁵. "
    "Second panel: each of them divided by the exact ε. Advanced composition lies above that panel.",
    find="The ε of the limit theorem is too small. Move σ, p and N until it is right, then until it is too large.",
    parameters={
        "sigma": Choice(("0.6", "1", "2"), "1", "Noise multiplier σ"),
        "rate": Choice(("0.01", "0.03", "0.1"), "0.01", "Sampling rate p"),
        "steps": Slider(300, 10_000, 1000, "steps", "N", stops=COUNTS),
    },
    steps={
        "Many small losses": (
            "Their sum is nearly normal. Only the accountant that knows nothing but (ε, δ) of a step is far off.",
            {"sigma": "2", "rate": "0.01", "steps": 10_000},
        ),
        "Few, and little noise": (
            "The limit theorem misses outputs that are unlikely but reveal much, so its ε is too small.",
            {"sigma": "0.6", "rate": "0.01", "steps": 300},
        ),
        "Large samples": (
            "Losses are logarithms, and the large ones are smaller than the limit theorem assumes.",
            {"sigma": "0.6", "rate": "0.1", "steps": 10_000},
        ),
    },
)


@lru_cache(maxsize=1024)
def divergences(sigma, rate):
    """Rényi divergences of one step, the larger of both directions."""
    return SubsampledGaussian(float(sigma), float(rate)).renyi_divergence(ORDERS)


@lru_cache(maxsize=4096)
def epsilons(sigma, rate, steps):
    """ε at every δ, exactly, by Rényi, by the limit theorem and by advanced composition; NaN where it is 0."""
    z, p = float(sigma), float(rate)
    halves = DELTAS / (2 * steps)
    promised = zip(SubsampledGaussian(z, p).epsilon(halves), halves, strict=True)
    rows = [
        DPSGD(z, p, steps).epsilon(DELTAS),
        rdp_to_epsilon(ORDERS, steps * divergences(sigma, rate), DELTAS),
        Gaussian(sigma=1 / clt_mu(z, p, steps)).epsilon(DELTAS),
        [advanced_composition(epsilon, half, steps, steps * half)[0] for epsilon, half in promised],
    ]
    return np.where(np.array(rows) > 0, rows, np.nan)


LOG = {"xlabel": "δ", "xlim": (1e-10, 1e-1), "xlog": True}


whole = dpsgd_accounting.plain_panel("whole", "ε at every δ", ylabel="ε", ylim=(1e-2, 1e6), ylog=True, **LOG)


gap = dpsgd_accounting.plain_panel("gap", "Ratio to the exact ε", ylabel="claimed / exact", ylim=(0.2, 2.2), **LOG)


def compare(number, name, color, label, **line):
    """The curves of one accountant in both panels."""

    def said(sigma, rate, steps):
        return DELTAS, epsilons(sigma, rate, steps)[number]

    def ratio(sigma, rate, steps):
        exact, other = epsilons(sigma, rate, steps)[[0, number]]
        return DELTAS, np.minimum(other / exact, 4)  # above the panel

    said.__name__, ratio.__name__ = f"{name}_epsilon", f"{name}_ratio"
    whole.curve(color, label, **line)(said)
    gap.curve(color, label, **line)(ratio)


compare(3, "advanced", GREY, "advanced composition", width=1.5)
compare(0, "exact", BLUE, "exact")
compare(2, "limit", VERMILLION, "limit theorem", line=DASHED)
compare(1, "renyi", ORANGE, "Rényi", line=DOTTED)


@whole.points(GREEN)
def here(sigma, rate, steps):
    return DELTAS[AT], epsilons(sigma, rate, steps)[0, AT]


@dpsgd_accounting.readouts(
    exact=Number("ε at δ = 10⁻⁵, exact", BLUE, 3),
    renyi=Number("by Rényi divergences", ORANGE, 3),
    limit=Number("by the limit theorem", VERMILLION, 3, help="not a bound"),
    advanced=Number("by advanced composition", GREY, 0),
)
def numbers(sigma, rate, steps):
    return epsilons(sigma, rate, steps)[:, AT]


@dpsgd_accounting.solved
def too_much(sigma, rate, steps):
    exact, _, limit, _ = numbers(sigma, rate, steps)
    return limit > 1.02 * exact


@dpsgd_accounting.words
def words(sigma, rate, steps):
    exact, _, limit, _ = numbers(sigma, rate, steps)
    how = "too small" if limit < 0.98 * exact else "too large" if limit > 1.02 * exact else "right to within 2%"
    return (
        "At δ = 10⁻⁵ the exact ε is {exact}. Rényi divergences say {renyi}; the limit theorem says {limit}, which is "
        f"{how}."
    )


@dpsgd_accounting.code
def program(sigma, rate, steps):
    import numpy as np

    import dptutor as dp

    delta = 1e-5
    exact = dp.DPSGD(sigma, rate, steps).epsilon(delta)
    limit = dp.Gaussian(sigma=1 / dp.accounting.clt_mu(sigma, rate, steps)).epsilon(delta)

    step, orders = dp.SubsampledGaussian(sigma, rate), 1 + np.geomspace(0.01, 150, 120)
    renyi = dp.accounting.rdp_to_epsilon(orders, steps * step.renyi_divergence(orders), delta)

    half = delta / (2 * steps)
    advanced, _ = dp.accounting.advanced_composition(step.epsilon(half), half, steps, delta / 2)
    print(f"{exact:.3f} exactly, {renyi:.3f}, {limit:.3f}, {advanced:.0f}")
