"""DP-SGD at one (ε, δ): a base training against another whose sampling rate and steps grow, and its noise with them."""

from functools import lru_cache

import numpy as np

from ...comparing import blackwell
from ...mechanisms import DPSGD, Gaussian
from ...risk.calibration import calibrate
from ..machinery import BLUE, GREEN, GREY, PURPLE, VERMILLION, Choice, Explorer, Number, Slider, decades, remembered

EPSILON, DELTA = 8.0, 1e-5
RATES = decades(-2, 0, 1, 1.1, 1.2, 1.35, 1.5, 1.65, 1.8, 2, 2.2, 2.4, 2.7, 3, 3.3, 3.6, 4, 4.5, 5, 5.5, 6, 7, 8, 9)[
    :-1
]
GUESS = Slider(0.1, 0.5, 0.1, "blind guess", "κ", step=0.01, percent=True)

dpsgd_map = Explorer(
    "dpsgd_map",
    title="The same (8, 10⁻⁵), other settings",
    caption="Both training runs have exactly the noise that (8, 10⁻⁵) requires. First panel: Δ over p (gray: of the "
    "Gaussian mechanism). Second panel: both trade-off functions; at κ, 1 minus the height bounds the "
    "probability of reconstruction.",
    find="At p = 0.01, triple the steps of the base. Then go back to 500 steps: which sampling rate costs as much?",
    parameters={
        "rate": Slider(0.01, 0.9, 0.1, "sampling rate", "p", stops=RATES),
        "steps": Choice(("500", "1500"), "500", "Training steps N"),
        "guess": GUESS,
    },
    steps={
        "Three times the steps": (
            "The noise is larger than the base’s, and yet adversaries with even odds err less often.",
            {"rate": 0.01, "steps": "1500"},
        ),
        "Batches four times as large": (
            "p = 0.04 instead of 0.01 already causes most of the regret.",
            {"rate": 0.04, "steps": "500"},
        ),
        "The far corner": (
            "Nine out of ten examples in each of 1500 steps, about where figure 6 of Kaissis et al. (2024) ends.",
            {"rate": 0.9, "steps": "1500"},
        ),
    },
)


@remembered
def noise(rate, steps):
    return calibrate(lambda s: DPSGD(s, rate, int(steps)), epsilon=EPSILON, delta=DELTA).noise_multiplier


@lru_cache(maxsize=4096)
def training(rate, steps):
    return DPSGD(noise(rate, steps), rate, int(steps))


@remembered
def regret_of(rate, steps):
    return float(blackwell.delta_divergence(base(), training(rate, steps)))


@lru_cache(maxsize=4096)
def heights(rate, steps):
    """The curve at all stops of κ, which costs hardly more than at one."""
    return dict(zip(GUESS.values, training(rate, steps).tradeoff(np.array(GUESS.values)), strict=True))


def missed(rate, steps, guess):
    return heights(rate, steps).get(guess) if guess in GUESS.values else training(rate, steps).tradeoff(guess)


@dpsgd_map.mechanism(BLUE, "base")
def base():
    return training(0.01, "500")


@dpsgd_map.mechanism(VERMILLION, "other")
def other(rate, steps):
    return training(rate, steps)


@dpsgd_map.panel("Regret of the other", xlabel="sampling rate p", ylabel="Δ(base‖other)",
                 xlim=(0.0075, 1), ylim=(-0.012, 0.16), xlog=True,
                 margins=(58.0, 14.0, 44.0, 30.0))  # fmt: skip
def regrets(axes):
    limit = calibrate(lambda sigma: Gaussian(sigma=sigma), epsilon=EPSILON, delta=DELTA)
    axes.axhline(float(blackwell.delta_divergence(base(), limit)), color=GREY, linewidth=1, label="Gaussian")


@regrets.curve(GREEN, "Δ at these steps")
def along(steps):
    return RATES, [regret_of(rate, steps) for rate in RATES]


@regrets.points(VERMILLION, "other")
def here(rate, steps):
    return rate, regret_of(rate, steps)


tradeoff = dpsgd_map.face_panel("tradeoff")


@tradeoff.curve(PURPLE, "κ", width=1.2, ghost=False)
def guessing(guess):
    return [guess, guess], [0, 1]


@tradeoff.points(BLUE, size=5)
def base_point(guess):
    return guess, missed(0.01, "500", guess)


@tradeoff.points(VERMILLION, size=5)
def other_point(rate, steps, guess):
    return guess, missed(rate, steps, guess)


@dpsgd_map.readouts(
    sigma=Number("its noise multiplier σ", VERMILLION, 4),
    regret=Number("Δ(base‖other)", GREEN, 4, help="The largest regret of choosing the other"),
    other_error=Number("Bayes error at π = ½, other", VERMILLION, 2, percent=True),
)
def numbers(rate, steps):
    m = training(rate, steps)
    return m.noise_multiplier, regret_of(rate, steps), m.bayes_error(0.5)


@dpsgd_map.readout("Bayes error at π = ½, base", BLUE, 2, percent=True)
def base_error():
    return base().bayes_error(0.5)


@dpsgd_map.readout("reconstruction at most, other", PURPLE, 1, percent=True)
def other_success(rate, steps, guess):
    return 1 - missed(rate, steps, guess)


@dpsgd_map.readout("reconstruction at most, base", PURPLE, 1, percent=True)
def base_success(guess):
    return 1 - missed(0.01, "500", guess)


@dpsgd_map.solved
def as_dear_as_three_times_the_steps(rate, steps):
    dear = regret_of(0.01, "1500")
    return steps == "500" and abs(regret_of(rate, steps) - dear) < 0.05 * dear


@dpsgd_map.words
def words(rate, steps, guess):
    where = "here a blind guess succeeds with probability {guess}, reconstruction does with probability at most "
    if (rate, steps) == (0.01, "500"):
        return f"This is the base: w{where}{{base_success}}."
    start = "With p = {rate} and {steps} steps the same (ε, δ) requires σ = {sigma}; the largest regret is "
    if regret_of(rate, steps) < 1e-3:
        return f"{start}less than 0.001. W{where}{{other_success}}, nearly as with the base."
    return f"{start}{{regret}}. W{where}{{other_success}}, not {{base_success}}."


@dpsgd_map.code
def program(rate, steps, guess):
    import dptutor as dp

    def training(rate, steps):
        return dp.calibrate(lambda s: dp.DPSGD(s, rate, steps), epsilon=8, delta=1e-5)

    base, other = training(0.01, 500), training(rate, steps)
    sigma, regret = other.noise_multiplier, float(dp.delta_divergence(base, other))
    base_error, other_error = base.bayes_error(0.5), other.bayes_error(0.5)
    base_success, other_success = (dp.reconstruction_bound(m, guess) for m in (base, other))
    print(f"sigma {sigma:.4f}, regret {regret:.4f}, reconstruction {base_success:.4f} to {other_success:.4f}")
