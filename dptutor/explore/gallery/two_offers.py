"""The two offers of the capstone: how many people each exposes, at every prior of the adversary.

The idea: which of two offers is the safer one depends on what the adversary believes beforehand, and no single number
says so, neither an (ε, δ) nor a Bayes error at even odds.
"""

from functools import lru_cache

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit

from ...mechanisms import DPSGD
from ..machinery import BLUE, DASHED, GREEN, GREY, PURPLE, VERMILLION, Explorer, Number, Slider, in_points

SURE = 0.85  # the belief beyond which a person counts as exposed
OFFER_A = {"noise_multiplier": 0.51926, "sampling_rate": 0.004, "steps": 1000}
OFFER_B = {"sampling_rate": 0.02, "steps": 4000}
QUOTED, EVEN = 1.19355, 2.19  # noise of B with A's (ε, δ), and to its digits with A's Bayes error at ½
NOISES = tuple(sorted({*(round(1.1 + 0.05 * k, 2) for k in range(39)), QUOTED, EVEN}))
PRIORS = np.array([5e-4, *np.linspace(0.01, 0.84, 84), 0.8499])  # from before all crossings to after them
HALFWAY = 0.46  # of the picture, about: the words that name the promise take a little less
SLIGHT = 5e-5  # what is less would show as zero
HEIGHTS = {"ylim": (0, 100), "ystretch": 1.4, "titled": False}  # in percent, the same in both panels

two_offers = Explorer(
    "two_offers",
    title="Which of two offers is safer?",
    caption="Share of people of whom the adversary becomes more than 85% sure, over its prior, with A’s offer (blue) "
    "and B’s (vermillion, dashed). Purple: the prior; green: the promise. Second panel: the same at this prior.",
    find="Drag the prior to where the verdict turns.",
    parameters={
        "prior": Slider(0.05, 0.84, 0.35, "prior belief", "b", step=0.01, percent=True),
        "noise_b": Slider(1.1, 3.0, 1.8, "B’s noise", "σ", stops=NOISES, play=True),
        "allowed": Slider(0.001, 0.2, 0.02, "promised: at most", percent=True),
    },
    steps={
        "The same (ε, δ)": (
            "As quoted, both are (6, 10⁻⁵)-DP. For the hospital’s adversary A’s keeps the promise, B’s does not.",
            {"noise_b": QUOTED, "prior": 0.35, "allowed": 0.02},
        ),
        "The smaller ε": (
            "B adds noise until its ε is 4.2 and A’s is still 6. To this adversary B still exposes more people.",
            {"noise_b": 1.5, "prior": 0.35, "allowed": 0.02},
        ),
        "The same Bayes error at ½": (
            "With this noise an adversary with even odds errs equally often against both. Yet A exposes far more "
            "people to the hospital’s.",
            {"noise_b": EVEN, "prior": 0.35, "allowed": 0.02},
        ),
        "An insider": (
            "The same two offers, and an adversary who was 80% sure beforehand: now B exposes more people.",
            {"noise_b": EVEN, "prior": 0.8, "allowed": 0.02},
        ),
    },
)


@lru_cache
def offer_a(direction="remove"):
    return DPSGD(**OFFER_A, direction=direction)


@lru_cache(maxsize=4096)
def offer_b(noise_b, direction="remove"):
    return DPSGD(noise_b, **OFFER_B, direction=direction)


def exposes(offer, prior):
    """How often, in world Q, the belief goes from the prior to more than `SURE`."""
    return offer.privacy_loss.sf(logit(SURE) - logit(prior), under="Q")


@lru_cache
def curve_a():
    return 100 * exposes(offer_a(), PRIORS)


@lru_cache(maxsize=4096)
def curve_b(noise_b):
    return 100 * exposes(offer_b(noise_b), PRIORS)


@lru_cache(maxsize=4096)
def turn(noise_b):
    """The prior at which both expose as many people: below it B's offer is the safer one, above it A's."""

    def lead(log_odds):
        a, b = (exposes(offer, expit(log_odds)) for offer in (offer_a(), offer_b(noise_b)))
        return np.log(max(b, 1e-300)) - np.log(a)

    return expit(brentq(lead, logit(1e-5), logit(PRIORS[-1]), xtol=1e-12))


@two_offers.panel("How many are exposed", xlabel="what the adversary believes beforehand", ylabel="people exposed",
                  xlim=(0, SURE), width=460.0, margins=(78.0, 8.0, 50.0, 12.0), **HEIGHTS)  # fmt: skip
def people(axes):
    ticks = (0, 1, 2, 5, 10, 20, 50, 100)
    axes.set_yticks(ticks, ["0", *(f"{tick}%" for tick in ticks[1:-1]), "all"])
    axes.set_yticks([], minor=True)
    axes.yaxis.labelpad, axes.xaxis.labelpad = 14, 9  # on a phone letters are larger
    axes.set_xticks([0, 0.2, 0.4, 0.6, 0.8], ["0", "20%", "40%", "60%", "80%"])


@people.region(VERMILLION, opacity=0.1)
def zone_of_b(noise_b):
    return [0, turn(noise_b)], 0, [100, 100]


@people.region(BLUE, opacity=0.1)
def zone_of_a(noise_b):
    return [turn(noise_b), SURE], 0, [100, 100]


@people.region(VERMILLION, opacity=0.3)
def b_ahead(noise_b):
    return PRIORS, curve_b(noise_b), np.maximum(curve_a(), curve_b(noise_b))


@people.region(BLUE, opacity=0.3)
def a_ahead(noise_b):
    # From the right, where the curves are apart: an outline must not end where it starts.
    return PRIORS[::-1], curve_a()[::-1], np.maximum(curve_a(), curve_b(noise_b))[::-1]


@people.text(VERMILLION, offset=(8, -4))
def b_is_safer(noise_b):
    return 0 if turn(noise_b) > 0.18 else np.nan, 80, "B’s is safer"


@people.text(BLUE, offset=(-8, -4), align="right")
def a_is_safer(noise_b):
    return SURE if turn(noise_b) < 0.65 else np.nan, 80, "A’s is safer"


@people.curve(BLUE, "A’s", moves="")
def exposed_by_a():
    return PRIORS, curve_a()


@people.curve(VERMILLION, "B’s", line=DASHED)
def exposed_by_b(noise_b):
    return PRIORS, curve_b(noise_b)


@people.curve(GREEN, width=1.4, ghost=False, share=0.04)
def promise(allowed):
    return [0, SURE], [100 * allowed, 100 * allowed]


# On the side of the prior where there is room, also on a phone.
@people.text(GREEN, offset=(0, 5))
def promised(prior, allowed):
    return 0.07 if prior > HALFWAY else np.nan, 100 * allowed, "promised: ≤ {allowed}"


@people.text(GREEN, offset=(-2, 5), align="right")
def promised_on_the_right(prior, allowed):
    return SURE if prior <= HALFWAY else np.nan, 100 * allowed, "promised: ≤ {allowed}"


@people.curve(PURPLE, width=1.4, ghost=False, share=0.86)
def adversary(prior):
    return [prior, prior], [0, 100]


@people.points(BLUE, size=7, moves="")
def a_here(prior):
    return prior, 100 * exposed_a(prior)


@people.points(VERMILLION, size=7, moves="")
def b_here(prior, noise_b):
    return prior, 100 * exposed_b(prior, noise_b)


@two_offers.panel("Your adversary", xlabel="", ylabel="", xlim=(0, 2), width=260.0,
                  margins=(20.0, 16.0, 50.0, 12.0), **HEIGHTS)  # fmt: skip
def here(axes):
    axes.set_yticks([])
    axes.set_yticks([], minor=True)
    axes.set_xticks([])
    axes.set_xlabel("at this prior", labelpad=27)
    axes.spines["left"].set_visible(False)
    for place, offer, color in ((0.5, "A’s", BLUE), (1.5, "B’s", VERMILLION)):
        axes.text(place, 85, offer, color=color, ha="center")


@here.region(BLUE, opacity=0.6)
def bar_of_a(prior):
    return [0.15, 0.85], 0, [100 * exposed_a(prior)] * 2


@here.region(VERMILLION, opacity=0.6)
def bar_of_b(prior, noise_b):
    return [1.15, 1.85], 0, [100 * exposed_b(prior, noise_b)] * 2


@here.curve(GREEN, width=1.4, ghost=False, moves="")
def promise_here(allowed):
    return [0, 2], [100 * allowed, 100 * allowed]


@here.text(BLUE, offset=(0, -15), align="center")
def height_of_a(prior):
    return 0.5, 0, "{exposed_a}" if exposed_a(prior) >= SLIGHT else "< 0.01%"


@here.text(VERMILLION, offset=(0, -15), align="center")
def height_of_b(prior, noise_b):
    return 1.5, 0, "{exposed_b}" if exposed_b(prior, noise_b) >= SLIGHT else "< 0.01%"


def said(offer, share):
    """How words say a share, and never as a zero that is none."""
    return f"{{exposed_{offer}}}" if share >= SLIGHT else "less than 0.01%"


@two_offers.readout("exposed by A’s offer", BLUE, 2, percent=True)
def exposed_a(prior):
    return exposes(offer_a(), prior)


@two_offers.readouts(
    exposed_b=Number("exposed by B’s offer", VERMILLION, 2, percent=True),
    gap=in_points("difference", GREY),
)
def numbers(prior, noise_b):
    b = exposes(offer_b(noise_b), prior)
    return b, abs(b - exposed_a(prior))


def exposed_b(prior, noise_b):
    return numbers(prior, noise_b)[0]


@two_offers.readouts(
    crossing=Number("equally safe at prior", PURPLE, 1, percent=True),
    epsilon_b=Number("B’s ε at δ = 10⁻⁵", VERMILLION, 2),
    error_b=Number("Bayes error at ½, B’s", VERMILLION, 1, percent=True),
)
def summary(noise_b):
    both = offer_b(noise_b, "both")
    return turn(noise_b), both.epsilon(1e-5), both.bayes_error(0.5)


@two_offers.readouts(
    epsilon_a=Number("A’s ε at δ = 10⁻⁵", BLUE, 2), error_a=Number("Bayes error at ½, A’s", BLUE, 1, percent=True)
)
def summary_of_a():
    both = offer_a("both")
    return both.epsilon(1e-5), both.bayes_error(0.5)


@two_offers.solved
def at_the_turn(prior, noise_b):
    return abs(prior - turn(noise_b)) <= 0.005


two_offers.ask(
    "Two vendors quoted the same ε. Suppose that B’s noise is half again as large as quoted, so that B’s ε becomes "
    "the smaller one. At even odds, however, an adversary errs more often against A. Whose offer "
    "lets an adversary become sure of fewer people?",
    options=("A’s", "B’s", "that depends on the adversary"),
    truth=lambda: "that depends on the adversary",
    hides=(
        zone_of_a,
        zone_of_b,
        a_ahead,
        b_ahead,
        a_is_safer,
        b_is_safer,
        exposed_by_b,
        b_here,
        bar_of_b,
        height_of_b,
    ),
    says=(
        "Right: it depends on what the adversary believes beforehand. The curves cross, and no single number shows it.",
        "It depends on what the adversary believes beforehand: the curves cross. You said: {said}.",
    ),
)


@two_offers.words
def outcome(prior, noise_b):
    with_a, with_b = said("a", exposed_a(prior)), said("b", exposed_b(prior, noise_b))
    return (
        "If everybody’s record is a worst case, an adversary with a prior belief of {prior} becomes more than 85% "
        f"sure, on average, of {with_a} of the people in the data with A’s offer, and of {with_b} with B’s."
    )


@two_offers.words
def verdict(prior, noise_b, allowed):
    a, b = exposed_a(prior), exposed_b(prior, noise_b)
    keep = {
        (True, True): "both offers stay",
        (True, False): "only A’s offer stays",
        (False, True): "only B’s offer stays",
    }
    kept = keep.get((a <= allowed, b <= allowed), "neither offer stays")
    start = f"Against this adversary {kept} within {{allowed}}"
    if abs(a - b) < SLIGHT:
        return f"{start}, and they are less than 0.01 percentage points apart."
    return f"{start}; {'A' if a > b else 'B'}’s would expose {{gap}} more."


@two_offers.words
def turning():
    return "Below a prior belief of {crossing} B’s offer is the safer one, above it A’s."


@two_offers.code
def program(prior, noise_b, allowed):
    import dptutor as dp

    a = {"noise_multiplier": 0.51926, "sampling_rate": 0.004, "steps": 1000}
    b = {"noise_multiplier": noise_b, "sampling_rate": 0.02, "steps": 4000}
    epsilon_a, epsilon_b = (dp.DPSGD(**offer).epsilon(1e-5) for offer in (a, b))
    error_a, error_b = (dp.DPSGD(**offer).bayes_error(0.5) for offer in (a, b))

    exposed_a, exposed_b = (
        dp.PosteriorBelief(dp.DPSGD(**offer, direction="remove"), membership_prior=prior).sf(0.85) for offer in (a, b)
    )
    gap = abs(exposed_a - exposed_b)
    safer = "A" if exposed_a < exposed_b else "B"
    kept = " and ".join(name for name, e in (("A", exposed_a), ("B", exposed_b)) if e <= allowed)
    print(f"A exposes {exposed_a:.4f}, B {exposed_b:.4f}: safer {safer}, promise kept by {kept or 'neither'}")
