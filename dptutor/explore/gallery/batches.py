"""One training run, with batches drawn in four ways: the ε said of Poisson samples, and what a shuffle reveals.

The idea: how batches are drawn changes the mechanism. Poisson's curve crosses the others, so that neither is
the safer one everywhere.
"""

from functools import lru_cache

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft
from scipy.interpolate import CubicSpline
from scipy.special import expit, log_ndtr, logit

from ...evaluation.lognormal_inversion import lognormal_tails
from ...mechanisms import DPSGD, FixedBatches
from ..machinery import BLUE, DASHED, DOTTED, GREEN, GREY, ORANGE, VERMILLION, Choice, Explorer, Number, Slider

DELTA, LOW = 1e-5, 1e-8
EPSILONS = np.geomspace(0.01, 100, 53)
WITH_ZERO = np.append(0.0, EPSILONS)
CUTS = np.arange(-1, 12, 0.02)
CELLS, NOTHING = 2**14, 1e-20

batches = Explorer(
    "batches",
    title="What was said, and what was run",
    caption="Privacy profiles of E epochs of T batches. A shuffle lies in the tinted band, between what the better "
    "of two attacks shows and fixed batches. Second panel: right guesses, of 100 at even odds.",
    find="Find a training run of three epochs in which even fixed batches have a smaller ε than was said.",
    parameters={
        "sigma": Slider(0.4, 2.8, 0.6, "noise multiplier", "σ",
                        stops=tuple(k / 100 for k in (*range(40, 80, 2), *range(80, 160, 5), *range(160, 281, 10)))),
        "batches": Choice(("10", "100", "1000"), "1000", "Batches in an epoch, T"),
        "epochs": Choice(("1", "3", "10"), "1", "Epochs, E"),
    },
    steps={
        "Said and run": (
            "One epoch of a thousand batches. At δ = 10⁻⁵, shuffling is hardly better than fixed batches.",
            {"sigma": 0.6, "batches": "1000", "epochs": "1"},
        ),
        "Ten epochs": (
            "A new shuffle in each epoch: the ε that was said grows slowly, that of the attack does not.",
            {"sigma": 0.6, "batches": "1000", "epochs": "10"},
        ),
        "Ten batches": (
            "Poisson batches may use a record twice. Where that matters, fixed batches are the safer ones.",
            {"sigma": 0.6, "batches": "10", "epochs": "1"},
        ),
        "More noise": (
            "The band is wide. Where in it a shuffle lies is an open question.",
            {"sigma": 1.6, "batches": "1000", "epochs": "1"},
        ),
    },
)  # fmt: skip


@lru_cache(maxsize=4096)
def poisson(sigma, batches, epochs):
    return DPSGD(sigma, 1 / int(batches), int(batches) * int(epochs))


@lru_cache(maxsize=4096)
def fixed(sigma, epochs):
    return FixedBatches(sigma) ** int(epochs)


@lru_cache(maxsize=512)
def largest_answer(sigma, batches):
    """How likely the largest answer of an epoch is in each cell, without the record and with it."""
    below = [(int(batches) - 1) * log_ndtr(CUTS) + log_ndtr(CUTS - mean / sigma) for mean in (1, 2)]
    return tuple(-np.diff(-np.expm1(each), prepend=1, append=0) for each in below)


@lru_cache(maxsize=512)
def balls_in_bins(sigma, batches):
    """How likely the loss of an epoch is in each cell; what P has there follows from what Q has."""
    count, mu = int(batches), 1 / sigma
    spread = np.sqrt(np.expm1(mu**2) / count)
    low, high = -min(8 * spread, mu**2 / 2 + 8 * mu / np.sqrt(count)), np.log1p(np.exp(mu**2 / 2 + 6 * mu) / count)
    losses = np.linspace(low, high + 6 * spread, 160)
    _, tail = lognormal_tails(mu, count, losses)
    edges, width = np.linspace(losses[0], losses[-1], 1201, retstep=True)
    tail = expit(CubicSpline(losses, logit(np.clip(tail, 1e-13, 1 - 1e-13)))(edges))
    q = -np.diff(np.minimum.accumulate(tail), prepend=1, append=0)
    return q * np.exp(width / 2 - np.append(edges, edges[-1] + width)), q


def composed(p, q, epochs):
    """Losses from 0 on, and what P and Q have from each on; every loss is shared by the ends of its cell."""
    kept = (p > NOTHING) & (q > NOTHING)
    loss, q = np.log(q[kept] / p[kept]), q[kept]
    ends, step = np.linspace(loss.min(), loss.max(), CELLS + 1, retstep=True)
    cell = np.minimum((loss - ends[0]) / step, CELLS - 1).astype(int)
    stays = q * np.exp(ends[cell] - loss) * (1 - np.expm1(loss - ends[cell]) / np.expm1(step))
    law = np.bincount(cell, stays, CELLS + 1) + np.bincount(cell + 1, q - stays, CELLS + 1)
    count = CELLS * epochs + 1
    size = next_fast_len(count, real=True)
    law = np.maximum(irfft(rfft(law, size) ** epochs, size)[:count], 0)
    loss = epochs * ends[0] + step * np.arange(count)
    law, loss = law[loss >= 0], loss[loss >= 0]
    return loss, np.cumsum((law * np.exp(-loss))[::-1])[::-1], np.cumsum(law[::-1])[::-1]


def profile_of(tails, epsilon):
    loss, p, q = tails
    place = np.searchsorted(loss, epsilon)
    return np.maximum(np.append(q, 0)[place] - np.exp(epsilon) * np.append(p, 0)[place], 0)


@lru_cache(maxsize=4096)
def answer(family, sigma, batches, epochs):
    """δ at 0 and at each ε, and the ε at δ = 10⁻⁵; the tails, of which both come, are too long to be kept."""
    loss, p, q = tails = composed(*family(sigma, batches), int(epochs))
    place = np.searchsorted(-(q - np.exp(loss) * p), -DELTA)
    # Between two losses δ falls in a straight line over e^ε.
    return profile_of(tails, WITH_ZERO), np.log((q[place] - DELTA) / p[place])


@lru_cache(maxsize=4096)
def of_balls(sigma, batches, epochs):
    """δ(0) and δ at each ε."""
    return answer(balls_in_bins, sigma, batches, epochs)[0]


@lru_cache(maxsize=4096)
def at_least(sigma, batches, epochs):
    """What the better of two attacks on shuffled batches shows, at 0 and at each ε."""
    attack, _ = answer(largest_answer, sigma, batches, epochs)
    return np.maximum(attack, of_balls(sigma, batches, epochs))


def shown(delta):
    return np.maximum(delta, LOW / 1e4)


@batches.panel("Privacy profiles", xlabel="ε", ylabel="δ(ε)", xlim=(0.01, 100), ylim=(LOW, 1), xlog=True, ylog=True,
               titled=False, width=440.0, margins=(64.0, 12.0, 44.0, 12.0))  # fmt: skip
def profiles(axes):
    axes.set_xticks([0.01, 0.1, 1, 10], ["0.01", "0.1", "1", "10"])
    axes.set_ylim(LOW, 1)  # before a line at one height, of which no limits follow
    axes.axhline(DELTA, color=GREY, linewidth=1, label="_delta")
    axes.text(0.012, DELTA / 1.4, "δ = 10⁻⁵", color=GREY, va="top")
    axes.grid(False)


@profiles.region(ORANGE, opacity=0.18, moves="")
def band(sigma, batches, epochs):
    high = fixed(sigma, epochs).privacy_profile(EPSILONS)
    return EPSILONS, shown(np.minimum(at_least(sigma, batches, epochs)[1:], high)), shown(high)


@profiles.curve(ORANGE, "shuffled, at least", width=1.6, moves="")
def shuffled(sigma, batches, epochs):
    return EPSILONS, shown(at_least(sigma, batches, epochs)[1:])


@profiles.curve(BLUE, "Poisson", moves="")
def sampled(sigma, batches, epochs):
    mechanism = poisson(sigma, batches, epochs)
    seen = np.minimum(EPSILONS, mechanism.epsilon(LOW))  # what is below the panel takes long
    return seen, mechanism.privacy_profile(seen)


@profiles.curve(GREEN, "balls and bins", line=DOTTED, moves="")
def balls(sigma, batches, epochs):
    return EPSILONS, shown(of_balls(sigma, batches, epochs)[1:])


@profiles.curve(VERMILLION, "fixed", line=DASHED, moves="")
def kept(sigma, epochs):
    return EPSILONS, shown(fixed(sigma, epochs).privacy_profile(EPSILONS))


@profiles.points(BLUE, moves="sigma")
def said_here(sigma, batches, epochs):
    return numbers(sigma, batches, epochs)[0], DELTA


@profiles.points(VERMILLION, moves="sigma")
def most_here(sigma, batches, epochs):
    return numbers(sigma, batches, epochs)[2], DELTA


ROWS = {"fixed": 4, "shuffled": 3, "Poisson": 2, "balls, bins": 1}


@batches.panel("Right guesses of 100", xlabel="right of 100, at even odds", ylabel="", xlim=(48, 102),
               ylim=(0.4, 4.6), titled=False, width=280.0, margins=(72.0, 12.0, 44.0, 12.0))  # fmt: skip
def guesses(axes):
    axes.set_yticks([*ROWS.values()], [*ROWS])
    axes.axvline(50, color=GREY, linewidth=1, label="_blind")
    axes.set_xticks([50, 75, 100])
    axes.grid(False, axis="x")


def right(delta):
    return 50 * (1 + delta)


@guesses.curve(ORANGE, width=5.0, ghost=False, moves="")
def of_shuffled(sigma, batches, epochs):
    return [right(at_least(sigma, batches, epochs)[0]), right(fixed(sigma, epochs).advantage)], [ROWS["shuffled"]] * 2


@guesses.points(VERMILLION, moves="")
def of_fixed(sigma, epochs):
    return right(fixed(sigma, epochs).advantage), ROWS["fixed"]


@guesses.points(BLUE, moves="")
def of_poisson(sigma, batches, epochs):
    return right(poisson(sigma, batches, epochs).advantage), ROWS["Poisson"]


@guesses.points(GREEN, moves="")
def of_bins(sigma, batches, epochs):
    return right(of_balls(sigma, batches, epochs)[0]), ROWS["balls, bins"]


@batches.readouts(
    said=Number("ε, Poisson", BLUE, 2, help="at δ = 10⁻⁵"),
    least=Number("ε, shuffled, at least", ORANGE, 2, help="what the better of two attacks shows, rounded down"),
    most=Number("ε, fixed", VERMILLION, 2, help="no shuffle has a larger one; rounded up"),
    said_right=Number("right guesses of 100, Poisson", BLUE, 1),
    most_right=Number("right guesses of 100, fixed", VERMILLION, 1),
    times=Number("ε, fixed / Poisson", GREY, 1),
)
def numbers(sigma, batches, epochs):
    drawn, known = poisson(sigma, batches, epochs), fixed(sigma, epochs)
    said, most = drawn.epsilon(DELTA), known.epsilon(DELTA)
    least = max(answer(attack, sigma, batches, epochs)[1] for attack in (largest_answer, balls_in_bins))
    # Bounds stay bounds when they are printed; ε of an attack is known to within 10⁻³.
    least, most = np.floor(100 * (least - 1e-3)) / 100, np.ceil(100 * most) / 100
    return said, least, most, *(right(m.advantage) for m in (drawn, known)), most / said


@batches.code
def program(sigma, batches, epochs):
    import numpy as np
    from scipy.special import ndtr

    import dptutor as dp

    delta = 1e-5
    poisson = dp.DPSGD(sigma, 1 / batches, batches * epochs)
    fixed = dp.FixedBatches(sigma) ** epochs

    # An attack on shuffled batches: the largest answer of an epoch, at cuts in units of the noise. If all other
    # gradients are opposite to the record's, one answer has a mean of 2 with it and of 1 without it, the others of 0.
    cuts = np.arange(-1, 12, 0.02)
    below = [ndtr(cuts) ** (batches - 1) * ndtr(cuts - mean / sigma) for mean in (1, 2)]
    attack = dp.FiniteExperiment(*(np.diff(each, prepend=0, append=1) for each in below))

    said, in_one_epoch, most = (m.epsilon(delta) for m in (poisson, attack, fixed))
    most = np.ceil(100 * most) / 100  # a bound, and still one when it is printed
    said_right, most_right = (50 * (1 + m.advantage) for m in (poisson, fixed))
    times = most / said
    print(f"said {said:.2f}, fixed {most:.2f}; the attack, in one epoch, {in_one_epoch:.2f}")


@batches.solved
def poisson_is_worse(sigma, batches, epochs):
    said, _, most, *_ = numbers(sigma, batches, epochs)
    return epochs == "3" and most < said


@batches.words
def words(sigma, batches, epochs):
    said, least, most, *_ = numbers(sigma, batches, epochs)
    start = "Said, for Poisson batches: ε = {said} at δ = 10⁻⁵. "
    if most < said:
        whom = "Poisson batches expose a record that is drawn repeatedly."
        return f"{start}With a shuffle it is smaller: at most {{most}}. {whom}"
    if least > said:
        whom = "This exposes a record whose gradient is opposite to all others."
        return f"{start}With a shuffle it is larger: between {{least}} and {{most}}. {whom}"
    between = "With a shuffle it is between {least} and {most}; whether it is larger is not proven here."
    return start + between


batches.ask(
    "For one epoch of a thousand batches with σ = 0.6, a program prints ε = 1.43 at δ = 10⁻⁵. It assumes Poisson "
    "samples; the loader shuffles. At least how large is the ε of what was run?",
    truth=lambda: numbers(0.6, "1000", "1")[1],
    hides=(band, shuffled, kept, balls, most_here, of_shuffled, of_fixed, of_bins),
    says="You said {said}. It is at least {truth}.",
)
