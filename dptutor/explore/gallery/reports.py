"""What a reader of a report must expect of a training run: the weakest mechanism that the reported facts allow.

The idea: facts are curves that the truth may not cross, and each one more takes away a part of what is left open.
"""

from functools import lru_cache

import numpy as np

from ...comparing.blackwell import delta_divergence
from ...mechanisms import DPSGD, Gaussian, Laplace
from ...risk.facts import allowed_by
from ...risk.reporting import smallest_mu
from ..machinery import BLUE, DASHED, GREEN, ORANGE, Choice, Explorer, Number, Slider, decades
from ..machinery.face_panels import ERRORS
from ..machinery.shapes import type_one_errors

MECHANISMS = {
    "small batches": DPSGD(0.5415, 0.01, 500),
    "large batches": DPSGD(9.4, 0.328, 2000),
    "Laplace noise": Laplace(1),
}
PAIR, BOTH, THREE, MU = FACTS = "a pair", "pair, advantage", "two pairs, advantage", "one μ"
ALPHAS, LOWEST = type_one_errors(61), 1e-11
STEEP = 1 - 10.0 ** -np.arange(1, 11)  # before the largest loss of Laplace noise
LOSSES = np.union1d(np.linspace(0, 16, 81), STEEP)
SPARSE = np.union1d(np.linspace(0, 16, 41), [*STEEP, 1.0, 1.0 + 1e-9])

reports = Explorer(
    "reports",
    title="What does a report leave open?",
    caption="Blue: the mechanism. Orange: the weakest allowed (of μ: Gaussian noise). Shaded: left open. Green: the "
    "pair, or the δ down to which μ holds. Noise multiplier, rate, steps: small 0.5415, 0.01, 500; large 9.4, 0.328, "
    "2000. Laplace: b = 1.",
    find="Find a report that leaves less than 0.002 open.",
    parameters={
        "mechanism": Choice(tuple(MECHANISMS), "small batches", "Mechanism"),
        "facts": Choice(FACTS, PAIR, "Report"),
        "delta": Slider(1e-10, 1e-2, 1e-5, "at", "δ", stops=decades(-10, -2, 1, 1.5, 2, 3, 5, 7), power=True),
    },
    steps={
        "One pair": (
            "The usual report, (8, 10⁻⁵): as far as it says, an adversary may be right nearly always.",
            {"mechanism": "small batches", "facts": PAIR, "delta": 1e-5},
        ),
        "One number more": (
            "The advantage takes away more than four fifths of what was open.",
            {"mechanism": "small batches", "facts": BOTH, "delta": 1e-5},
        ),
        "One number instead": (
            "A single μ leaves more than twice as much open as the pair with the advantage.",
            {"mechanism": "small batches", "facts": MU, "delta": 1e-5},
        ),
        "Where one number suffices": (
            "With large batches, one μ says nearly everything.",
            {"mechanism": "large batches", "facts": MU, "delta": 1e-5},
        ),
    },
)


@reports.mechanism(BLUE, "the mechanism")
def truth(mechanism):
    return MECHANISMS[mechanism]


@lru_cache(maxsize=4096)
def safe_mu(mechanism, delta):
    return smallest_mu(truth(mechanism), delta)


@lru_cache(maxsize=4096)
def third_pair(mechanism, delta):
    """ε of the pair to add to (ε, δ) and the advantage: where these leave most open."""
    return abs(delta_divergence(truth(mechanism), weakest(mechanism, BOTH, delta)).epsilon)


@reports.mechanism(ORANGE, "what the report allows")
def weakest(mechanism, facts, delta):
    m = truth(mechanism)
    if facts == MU:
        return Gaussian(sigma=1 / safe_mu(mechanism, delta))
    pairs = {"epsilon": m.epsilon(delta), "delta": delta}
    if facts == THREE:
        third = third_pair(mechanism, delta)
        pairs = {"epsilon": [pairs["epsilon"], third], "delta": [delta, m.privacy_profile(third)]}
    return allowed_by(**pairs) if facts == PAIR else allowed_by(**pairs, advantage=m.advantage)


profile = reports.plain_panel(
    "profile", "Privacy profiles", xlabel="ε", ylabel="δ(ε)", xlim=(0, 16), ylim=(LOWEST, 1), ylog=True, width=380.0,
    titled=False,
)  # fmt: skip
tradeoff = reports.plain_panel("tradeoff", "Trade-off functions", width=340.0, titled=False, **ERRORS)


def seen(deltas):
    """Heights of a profile, none far below the panel."""
    return np.where(deltas < LOWEST / 100, np.nan, deltas)


def with_the_corner(losses, mechanism, delta):
    """Losses, and some before the pair, where what it allows falls steeply."""
    before = truth(mechanism).epsilon(delta) - np.array([0.05, 0.01, 1e-3, 1e-4, 1e-5, 1e-6, 0.0])
    return np.sort(np.concatenate([losses, np.maximum(before, 0.0)]))


@profile.region(ORANGE)
def left_open_here(mechanism, facts, delta):
    losses = with_the_corner(SPARSE, mechanism, delta)
    least = np.maximum(truth(mechanism).privacy_profile(losses), LOWEST)
    return losses, least, np.maximum(weakest(mechanism, facts, delta).privacy_profile(losses), least * (1 + 1e-9))


@profile.curve(ORANGE, "allowed", line=DASHED, moves="")
def allowed_profile(mechanism, facts, delta):
    losses = with_the_corner(LOSSES, mechanism, delta)
    return losses, seen(weakest(mechanism, facts, delta).privacy_profile(losses))


@profile.curve(BLUE, "true", moves="")
def true_profile(mechanism):
    return LOSSES, seen(truth(mechanism).privacy_profile(LOSSES))


@profile.points(GREEN, moves="delta")
def at(mechanism, facts, delta):
    m = truth(mechanism)
    third = third_pair(mechanism, delta) if facts == THREE else np.nan
    return [m.epsilon(delta), third], [delta, m.privacy_profile(third) if facts == THREE else np.nan]


@tradeoff.region(ORANGE)
def left_open(mechanism, facts, delta):
    f = truth(mechanism).tradeoff(ALPHAS)
    return ALPHAS, np.minimum(weakest(mechanism, facts, delta).tradeoff(ALPHAS), f - 1e-9), f


@tradeoff.curve(ORANGE, "allowed", line=DASHED, moves="")
def allowed_tradeoff(mechanism, facts, delta):
    return ALPHAS, weakest(mechanism, facts, delta).tradeoff(ALPHAS)


@tradeoff.curve(BLUE, "true", moves="")
def true_tradeoff(mechanism):
    return ALPHAS, truth(mechanism).tradeoff(ALPHAS)


@reports.readouts(
    left=Number("left open", ORANGE, 4, help="the Δ-divergence from the mechanism to the weakest allowed one"),
    allowed=Number("right at even odds, as far as the report says", ORANGE, 2, percent=True),
)
def numbers(mechanism, facts, delta):
    allowed = weakest(mechanism, facts, delta)
    return delta_divergence(truth(mechanism), allowed).value, (1 + allowed.advantage) / 2


@reports.readouts(
    epsilon=Number("ε at this δ", GREEN, 2),
    third=Number("ε of a third pair", GREEN, 2),
    mu=Number("μ down to this δ", ORANGE, 3),
)
def stated(mechanism, delta):
    m = truth(mechanism)
    return m.epsilon(delta), third_pair(mechanism, delta), safe_mu(mechanism, delta)


@reports.readout("the best adversary is right, at even odds", BLUE, 2, percent=True)
def right(mechanism):
    return (1 + truth(mechanism).advantage) / 2


@reports.solved
def tight(mechanism, facts, delta):
    return numbers(mechanism, facts, delta)[0] < 0.002


@reports.words
def words(mechanism, facts, delta):
    if facts == PAIR:
        often = "more than 99.99%" if numbers(mechanism, facts, delta)[1] > 0.9999 else "{allowed}"
        return (
            f"From ({{epsilon}}, {{delta}}) alone, an adversary with even odds may be right {often} of the time. The "
            "best one is right {right} of the time."
        )
    if facts == MU:
        return (
            "With μ ≈ {mu}, enough for every δ down to {delta}, an adversary with even odds may be right {allowed} of "
            "the time. The best one is right {right} of the time."
        )
    if facts == BOTH:
        return (
            "({epsilon}, {delta}) and the advantage: at even odds the reader expects the best adversary to be right "
            "{right} of the time, as it is."
        )
    return "({epsilon}, {delta}), the advantage and a pair at ε = {third}, where the first two leave most open."


@reports.words
def outcome(mechanism, facts, delta):
    if numbers(mechanism, facts, delta)[0] < 5e-5:
        return "Left open: less than 0.0001."
    return "Left open: {left}, the most by which the report exaggerates the success of an adversary, over all priors."


reports.ask(
    "The report (8, 10⁻⁵) alone exaggerates the success of an adversary by up to 0.33. You may add one number: the "
    "advantage of the best adversary. By how much will the longer report still exaggerate?",
    truth=lambda: numbers("small batches", BOTH, 1e-5)[0],
    hides=(left_open, left_open_here),
    says="You said {said}. It will be {truth}: choose the second report to see it.",
)


@reports.code
def program(mechanism, facts, delta):
    import dptutor as dp

    mechanisms = {
        "small batches": dp.DPSGD(0.5415, 0.01, 500),
        "large batches": dp.DPSGD(9.4, 0.328, 2000),
        "Laplace noise": dp.Laplace(1),
    }
    m = mechanisms[mechanism]
    epsilon, mu, advantage = m.epsilon(delta), dp.report(m, floor=delta).mu, m.advantage
    pair = dp.allowed_by(epsilon=epsilon, delta=delta)
    both = dp.allowed_by(epsilon=epsilon, delta=delta, advantage=advantage)
    third = abs(dp.delta_divergence(m, both).epsilon)  # where these two leave most open
    pairs = {"epsilon": [epsilon, third], "delta": [delta, m.privacy_profile(third)]}
    weakest = {
        "a pair": pair,
        "pair, advantage": both,
        "two pairs, advantage": dp.allowed_by(**pairs, advantage=advantage),
        "one μ": dp.Gaussian(sigma=1 / mu),
    }[facts]
    left = dp.delta_divergence(m, weakest).value
    right, allowed = (1 + advantage) / 2, (1 + weakest.advantage) / 2
    print(f"left open {left:.4f}; right at even odds at most {right:.4f}, by the report {allowed:.4f}")
