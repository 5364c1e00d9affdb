"""DP-SGD at one (ε, δ): a base training against another whose sampling rate and steps grow, and its noise with them."""

from functools import lru_cache

import numpy as np

from .. import blackwell
from ..calibration import calibrate
from ..mechanisms import DPSGD, Gaussian
from .machinery import BLUE, GREEN, GREY, PURPLE, VERMILLION, Choice, Explorer, Number, Slider

EPSILON, DELTA = 8.0, 1e-5
DOUBLINGS = Slider(0.0, 6.5, 3.0, "doublings of the sampling rate", "k", step=0.5)

dpsgd_map = Explorer(
    "dpsgd_map",
    title="Same (8, 0.00001), other settings",
    caption="The base training takes each example with probability 0.01 in each of 500 steps; the other with p = "
    "0.01 · 2^k in each of N steps. Both have exactly the noise that (8, 0.00001) asks for. First panel: how Δ grows "
    "with p at these steps (green); the grey line is the Gaussian mechanism of the same (ε, δ). Second panel: both "
    "trade-off functions, and the line at κ, the chance of a blind guess: what lies above a curve there is the "
    "largest chance of reconstruction.",
    find="At k = 0, triple the steps. Now back to 500 steps: how many doublings of p cost as much?",
    code="""import dptutor as dp

def training(rate, steps):
    return dp.calibrate(lambda s: dp.DPSGD(s, rate, steps), epsilon=8, delta=1e-5)

rate = 0.01 * 2**{doublings}
base, other = training(0.01, 500), training(rate, int({steps}))
sigma, regret = other.noise_multiplier, float(dp.delta_divergence(base, other))
base_error, other_error = base.bayes_error(0.5), other.bayes_error(0.5)
base_success, other_success = (dp.reconstruction_bound(m, {guess}) for m in (base, other))
print(f"sigma {sigma:.4f}, regret {regret:.4f}, reconstruction {base_success:.4f} to {other_success:.4f}")
""",
    parameters={
        "doublings": DOUBLINGS,
        "steps": Choice(("500", "1500"), "500", "Steps N"),
        "guess": Slider(0.1, 0.5, 0.1, "blind guess succeeds with", "κ", step=0.1, percent=True),
    },
    steps={
        "The base itself": ("The same p and N: there is nothing to regret.", {"doublings": 0, "steps": "500"}),
        "A machine four times as large": (
            "p = 0.04 instead of 0.01, and most of the damage is done.",
            {"doublings": 2, "steps": "500"},
        ),
        "The far corner": (
            "Nearly all examples in each of 1500 steps, as at the end of figure 6 of Kaissis et al. (2024).",
            {"doublings": 6.5, "steps": "1500"},
        ),
    },
)


@lru_cache(maxsize=4096)
def training(doublings, steps):
    return calibrate(lambda s: DPSGD(s, 0.01 * 2**doublings, int(steps)), epsilon=EPSILON, delta=DELTA)


@lru_cache(maxsize=4096)
def regret_of(doublings, steps):
    return float(blackwell.delta_divergence(base(), training(doublings, steps)))


@lru_cache(maxsize=4096)
def missed(doublings, steps, guess):
    return float(training(doublings, steps).tradeoff(guess))


@dpsgd_map.mechanism(BLUE, "base")
def base():
    return training(0.0, "500")


@dpsgd_map.mechanism(VERMILLION, "other")
def other(doublings, steps):
    return training(doublings, steps)


@dpsgd_map.panel("Regret of leaving the base", xlabel="sampling rate p", ylabel="Δ(base‖other)",
                 xlim=(0.01, 1), ylim=(0, 0.16), xlog=True, legend="lower right")  # fmt: skip
def regrets(axes):
    limit = calibrate(lambda sigma: Gaussian(sigma=sigma), epsilon=EPSILON, delta=DELTA)
    axes.axhline(float(blackwell.delta_divergence(base(), limit)), color=GREY, linewidth=1, label="Gaussian mechanism")


@regrets.curve(GREEN, "Δ at these steps")
def along(steps):
    return 0.01 * 2 ** np.array(DOUBLINGS.values), np.array([regret_of(k, steps) for k in DOUBLINGS.values])


@regrets.points(VERMILLION, "other")
def here(doublings, steps):
    return 0.01 * 2**doublings, regret_of(doublings, steps)


tradeoff = dpsgd_map.face_panel("tradeoff")


@tradeoff.curve(PURPLE, "κ", width=1.2, ghost=False)
def guessing(guess):
    return [guess, guess], [0, 1]


@tradeoff.points(BLUE, size=5)
def base_point(guess):
    return guess, missed(0.0, "500", guess)


@tradeoff.points(VERMILLION, size=5)
def other_point(doublings, steps, guess):
    return guess, missed(doublings, steps, guess)


@dpsgd_map.readouts(
    rate=Number("its sampling rate p", VERMILLION, 3),
    sigma=Number("its noise multiplier σ", VERMILLION, 4),
    regret=Number("Δ(base‖other)", GREEN, 4, help="The worst regret of choosing the other"),
    other_error=Number("Bayes error at π = ½, other", VERMILLION, 2, percent=True),
)
def numbers(doublings, steps):
    m = training(doublings, steps)
    return m.sampling_rate, m.noise_multiplier, regret_of(doublings, steps), m.bayes_error(0.5)


@dpsgd_map.readout("Bayes error at π = ½, base", BLUE, 2, percent=True)
def base_error():
    return base().bayes_error(0.5)


@dpsgd_map.readout("reconstruction at most, other", PURPLE, 1, percent=True)
def other_success(doublings, steps, guess):
    return 1 - missed(doublings, steps, guess)


@dpsgd_map.readout("reconstruction at most, base", PURPLE, 1, percent=True)
def base_success(guess):
    return 1 - missed(0.0, "500", guess)


@dpsgd_map.words
def words(doublings, steps, guess):
    if regret_of(doublings, steps) < 1e-9:
        return "This is the base: a guess of {guess} becomes a reconstruction of at most {base_success}."
    return (
        "With p = {rate} and {steps} steps the same ε asks for σ = {sigma}, and the worst regret is {regret}. "
        "A guess of {guess} now becomes a reconstruction of up to {other_success}, not {base_success}."
    )
