"""No explorer says what is not so.

Every phrase of a sentence has a predicate on exact values (`exact`), which come from closed forms or from the library,
not from the explorer. They are asked at the corners of the sliders and at random settings, and
each number of a sentence must be a correct rounding. Of the stories of the steps the claims with a number or a
comparison are quoted and checked, and the code that is shown is linted.
"""

import ast
import inspect
import itertools
import random
import re
import subprocess
import sys
from collections import defaultdict
from functools import cache
from math import exp, inf, isinf, isnan, log, log1p, nan, sinh, sqrt, tanh
from types import SimpleNamespace

import numpy as np
import pytest
import yaml
from conftest import approx
from scipy.integrate import quad
from scipy.optimize import brentq, minimize_scalar
from scipy.special import betainc, expit, log_ndtr, logit, ndtr, ndtri
from scipy.stats import beta as beta_law
from scipy.stats import binom

import dptutor as dp
from content import ROOT
from dptutor.explore.gallery.audit import losses
from dptutor.explore.machinery import Choice, Slider

NAMES = dp.explore.__all__
every_explorer = pytest.mark.parametrize("name", NAMES)


# What sentences say.

WHOLE = r"(?:\d{1,4}|\d{2,3},\d{3}|\d{1,3}(?:,\d{3}){2,})"  # parted from 10,000 on
SAYS, EXACT = {}, {}


def exact(function):
    """Declares what is so at a setting of an explorer, by a function to what its sentences and predicates name.

    Its documentation, in YAML, has the phrases of the sentences, with names in the place of numbers, each with the
    predicate that must hold where it is said. ^ is where a sentence begins, and <name> what is called so there.
    """
    SAYS[function.__name__] = yaml.safe_load(inspect.getdoc(function))
    EXACT[function.__name__] = function
    return function


class AtLeast(float):
    """What is said to be at least a number, which is rounded down."""


class AtMost(float):
    """What is said to be at most a number, which is rounded up."""


def is_rounding(said, value):
    """Whether a number is another one, rounded to the digits that it has."""
    if isinstance(value, AtLeast | AtMost):
        return 0 <= (value - float(said)) * (1 if isinstance(value, AtLeast) else -1) < 0.0115
    if isinstance(value, str):
        return said in (value, value.replace("-", "−"))
    if isnan(value) or isinf(value):
        return said == ("—" if isnan(value) else "∞" if value > 0 else "−∞")
    said = said.replace("−", "-")
    digits, unit = re.fullmatch(r"(.*?)(%| percentage points| weighted points| points)?", said).groups()
    raised = re.fullmatch(r"(?:(.*)·)?10([⁻⁰-⁹¹²³]+)", digits)
    power = 0
    if raised:
        digits, power = raised[1] or "1", int(raised[2].translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")))
    if not re.fullmatch(rf"-?{WHOLE}(\.\d+)?", digits) or (not re.search("[1-9]", digits) and abs(value) > 1e-12):
        return False  # nothing is said to be 0 that is not
    if unit == "%" and float(digits.replace(",", "")) == 100 and value < 1 - 1e-12:
        return False  # and nothing to be all that is not
    last = 10.0 ** (power - len(digits.partition(".")[2]))
    value = 100 * value if unit else value
    said = float(digits.replace(",", "")) * 10.0**power
    return abs(said - value) <= last / 2 * (1 + 1e-6) + 1e-9 * abs(value)


def wrong_about(e, template, so):
    """What is wrong about a sentence, with names in the place of its numbers: the empty string if nothing is."""
    text, wrong, covered = f"^{template}", [], set()
    for phrase, condition in SAYS[e.explorer.name].items():
        for found in re.finditer(re.sub(r"<(\w+)>", r"(?P<\1>[^.:]+)", re.escape(phrase)), text):
            covered.update(range(*found.span()))
            called = all(words == getattr(so, name, "") for name, words in found.groupdict().items())
            if not called or not is_so(condition, so):
                wrong.append(f"not so: {phrase}")
    rest = "".join(letter for place, letter in enumerate(text) if place not in covered)
    if not covered or re.search(r"[{\d]", rest):
        return f"there is no phrase for {rest}"
    names = re.findall(r"{(\w+)}", template)
    shown = e._filled("|".join(f"{{{name}}}" for name in names)).split("|") if names else []
    for name, number in zip(names, shown, strict=True):
        if not is_rounding(number, getattr(so, name, "")):
            wrong.append(f"{name} is {getattr(so, name, None)}, not {number}")
    return ", ".join(wrong)


def is_so(condition, so):
    return condition is None or eval(condition, globals() | vars(so))


# Settings.

# What takes long to compute is computed at a few random values.
DEAR = {"dpsgd_map": ("rate", "steps"), "composition": ("base", "steps"), "dpsgd_accounting": ("sigma", "rate"),
        "two_offers": ("noise_b",)}  # fmt: skip


def ends(parameter):
    return parameter.options if isinstance(parameter, Choice) else (parameter.min, parameter.max)


def drawn(generator, parameter):
    """A value of a parameter: a stop or, of a slider, as often a place between two."""
    if isinstance(parameter, Choice) or parameter.whole or generator.random() < 0.5:
        return generator.choice(parameter.values)
    return generator.uniform(parameter.min, parameter.max)


def game(sigma, played, accused, missed, threshold, outcome="over", answer="none"):
    """A state of a game that can be reached."""
    ended = f"{accused} and {missed} of {played}" if outcome == "over" else "none"
    return {"sigma": sigma, "accused": f"{accused} of {played}", "missed": f"{missed} of {played}", "ended": ended,
            "answer": answer, "outcome": outcome, "threshold": threshold,
            "fits": f"{2 * played - 3} of {2 * played}"}  # fmt: skip


def games(count, seed):
    generator = random.Random(seed)
    for number in range(count):
        played, sigma = generator.choice([5, 15]), generator.choice([0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0])
        wrong = [generator.randint(0, played) for _ in range(2)]
        answer = f"{generator.randint(-60, 80) / 20:g}"
        if number % 4:
            yield game(sigma, played, *wrong, answer)
        else:
            outcome = generator.choice(["cleared", "accused", "missed", "found", "void", "none"])
            yield game(sigma, played, *wrong, "none", outcome, generator.choice([answer, "none"]))


def settings(name, count, seed=5):
    """The corners of the sliders, the steps, and random settings."""
    e = getattr(dp.explore, name)()
    if name == "be_the_adversary":
        corners = [game(s, 15, a, m, t) for s in (0.5, 2.0) for a in (0, 15) for m in (0, 15) for t in ("-5", "6")]
        return [e.setting, *corners, *e.steps.values(), *games(count, seed)]
    found = [
        dict(zip(e.parameters, corner, strict=True)) for corner in itertools.product(*map(ends, e.parameters.values()))
    ]
    generator = random.Random(f"{name} {seed}")
    few = [{n: drawn(generator, e.parameters[n]) for n in DEAR.get(name, ())} for _ in range(max(4, count // 25))]
    found += [{n: drawn(generator, p) for n, p in e.parameters.items()} | generator.choice(few) for _ in range(count)]
    return [e.setting, *found, *(e.setting | step for step in e.steps.values())]


def said_at(e, setting):
    """The sentences at a setting, each with the names in the place of its numbers, and what is so."""
    e.set(**setting)
    return [template for template in (table.at(setting) for table in e.explorer.sentences) if template]


@cache
def so_at(name, **setting):
    return SimpleNamespace(**setting | EXACT[name](**setting))


def check(name, count, seed=5):
    """What is said at which settings, after it was found to be so."""
    e = getattr(dp.explore, name)()
    e.reset()
    said = []
    for setting in settings(name, count, seed):
        so = so_at(name, **setting)
        for template in said_at(e, setting):
            assert not (wrong := wrong_about(e, template, so)), f"{setting}: {e._filled(template)} ({wrong})"
            said.append((template, setting, so))
    return said


# Closed forms: profiles δ(ε) of symmetric pairs, and what follows from them.


def gaussian_profile(mu):
    return lambda e: ndtr(mu / 2 - e / mu) - np.exp(e + log_ndtr(-mu / 2 - e / mu))


def mirrored(upper):
    """A profile from its half over ε ≥ 0."""
    return lambda e: np.where(e >= 0, upper(np.abs(e)), 1 - np.exp(e) + np.exp(np.minimum(e, 0)) * upper(np.abs(e)))


def laplace_profile(scale):
    return mirrored(lambda e: np.maximum(-np.expm1((e - 1 / scale) / 2), 0))


def worst_profile(epsilon, delta=0.0):
    return mirrored(lambda e: delta + (1 - delta) * np.maximum(expit(epsilon) - np.exp(e) * expit(-epsilon), 0))


def sampled_profile(sigma, rate):
    """Of the pair N(0, σ²), (1 − p) N(0, σ²) + p N(1, σ²), and of the same pair in reverse."""

    def remove(e):
        inside = (np.expm1(e) + rate) / rate
        losses = np.log(np.maximum(inside, 1e-300))
        return np.where(inside > 0, rate * gaussian_profile(1 / sigma)(losses), -np.expm1(e))

    return remove, lambda e: 1 - np.exp(e) + np.exp(e) * remove(-e)


def alarm_profile(noise):
    return lambda e: 1 / (1 + noise) + np.maximum(noise / (1 + noise) - np.exp(e), 0)


def profile_of(kind, noise):
    return {
        "Gaussian": lambda: gaussian_profile(1 / noise),
        "Laplace": lambda: laplace_profile(noise),
        "randomized response": lambda: worst_profile(1 / noise),
        "worst (ε, δ)": lambda: worst_profile(1 / noise, 0.1),
        "sampled Gaussian": lambda: sampled_profile(noise, 0.5)[0],
        "alarm": lambda: alarm_profile(noise),
    }[kind]()


def largest_loss(kind, noise):
    return inf if kind in {"Gaussian", "worst (ε, δ)", "sampled Gaussian", "alarm"} else 1 / noise


def bayes(profile, odds):
    """The Bayes error at the log-odds of a prior."""
    return expit(-odds) * (1 - profile(odds))


GRID = np.unique([*logit(np.linspace(1e-4, 1 - 1e-4, 4001)), *np.linspace(-36, 36, 2401)])  # log-odds


def largest(lead, kinks=()):
    """The largest value of a function of the log-odds, which may bend at some."""
    at = int(np.argmax(lead(GRID)))
    ends = GRID[max(at - 1, 0)], GRID[min(at + 1, len(GRID) - 1)]
    found = minimize_scalar(lambda odds: -float(lead(odds)), bounds=ends, method="bounded", options={"xatol": 1e-10})
    return max(float(lead(odds)) for odds in (GRID[at], found.x, *kinks))


def regrets(one, other, kink):
    """max (R − R̃) and max (R̃ − R)."""
    return tuple(
        largest(lambda odds, way=way: way * (bayes(one, odds) - bayes(other, odds)), (-kink, kink)) for way in (1, -1)
    )


def gaussian_sigma(epsilon, delta):
    """σ of the Gaussian mechanism that is exactly (ε, δ)-DP."""
    return 1 / brentq(lambda mu: float(gaussian_profile(mu)(epsilon)) - delta, 1e-4, 50, xtol=1e-15, rtol=1e-14)


# What is so, explorer by explorer, and what may be said.


@exact
def any_attack(baseline, sigma):
    """
    "succeeds with probability {baseline}":
    "the bound on every attack is above 99.99%": success > 0.9999
    "adds less than 0.01 percentage points": gain < 0.0001
    "the bound on every attack is {success}: the output adds up to {gain}": gain >= 0.0001 and success <= 0.9999
    """
    release = dp.Gaussian(sigma=sigma)
    success = dp.attack_bound(release, baseline)
    return {"success": success, "gain": success - baseline}


@cache
def belief_noise():
    return np.random.default_rng(13).standard_normal((2048, 30))


@exact
def audit(flaw, repetitions, steps):
    """
    "would be right in at most one of a hundred audits":
    "the claim, ε = {epsilon} at δ = 0.01 after one step": steps == 1
    "the claim, ε = {epsilon} at δ = 0.01 after {steps} steps": steps > 1
    "Refuted: {wins} of {repetitions} guesses are right": wins > allowed
    "more than {allowed}": wins > allowed
    "Refuted: the steps move by more than the claim": wins <= allowed and flaw == "no clipping"
    "The {wins} right guesses of {repetitions} would be possible": wins <= allowed
    "Refuted: some beliefs reach log-odds of {by_beliefs}": wins <= allowed and flaw != "no clipping" and rare
    "Not refuted: {wins} right guesses of {repetitions}, and beliefs with log-odds of up to {by_beliefs}, can well happen":
      wins <= allowed and flaw != "no clipping" and not rare
    """
    z = sqrt(30) * gaussian_sigma(log(9), 0.01)  # of each of 30 steps, which are (log 9, 0.01)-DP together
    size = 2 if flaw == "no clipping" else 1
    noise = belief_noise()[:repetitions, :steps]
    noise = {
        "noise for half the sensitivity": lambda: noise.sum(1) / 2,
        "noise added once": lambda: noise[:, 0],
        "seed reused at every step": lambda: noise[:, 0] * steps,
    }.get(flaw, lambda: noise.sum(1))()
    losses = steps * (size / z) ** 2 / 2 + size / z * noise
    mu, wins = sqrt(steps) / z, int((losses > 0).sum())
    allowed = next(k for k in range(repetitions + 1) if binom.sf(k, repetitions, ndtr(mu / 2)) <= 0.01)
    epsilon = brentq(lambda e: float(gaussian_profile(mu)(e)) - 0.01, -1, 20)
    # The largest of R losses is below x with probability Φ((x − μ²/2)/μ)^R.
    rare = 1 - ndtr((losses.max() - mu**2 / 2) / mu) ** repetitions <= 0.01
    return {
        "epsilon": max(epsilon, 0),
        "wins": wins,
        "allowed": allowed,
        "by_beliefs": losses.max(),
        "rare": rare,
        "true_wins": ndtr(mu / 2),
    }


@cache
def largest_answers(sigma, count, epochs):
    """ε at δ = 1e-5 of the largest answer of each epoch, seen in bins: the losses of one epoch on a fine grid."""
    cuts = np.arange(-1, 12, 0.02)
    without, present = (
        np.diff(np.exp((count - 1) * log_ndtr(cuts) + log_ndtr(cuts - mean / sigma)), prepend=0, append=1)
        for mean in (1, 2)
    )
    kept = (without > 1e-18) & (present > 1e-18)
    p, q, cells = without[kept], present[kept], 2**16 if epochs > 1 else 2**12
    loss = np.log(q / p)
    ends, h = np.linspace(loss.min(), loss.max(), cells + 1, retstep=True)
    cell = np.minimum(np.searchsorted(ends, loss, side="right") - 1, cells - 1)
    # Shares of p that keep both masses of a bin.
    up = p * (np.exp(loss) - np.exp(ends[cell])) / (np.exp(ends[cell] + h) - np.exp(ends[cell]))
    law = np.bincount(cell, (p - up) * np.exp(ends[cell]), cells + 1) + np.bincount(
        cell + 1, up * np.exp(ends[cell] + h), cells + 1
    )
    size = 1 << (cells * epochs).bit_length()
    law = np.maximum(np.fft.irfft(np.fft.rfft(law, size) ** epochs, size)[: cells * epochs + 1], 0)
    losses = epochs * ends[0] + h * np.arange(law.size)

    def beyond(e):
        return law @ np.maximum(-np.expm1(np.minimum(e - losses, 0)), 0)

    return brentq(lambda e: log(max(beyond(e), 1e-300) / 1e-5), 0, losses[-1], xtol=1e-10)


@exact
def batches(sigma, batches, epochs):
    """
    "Said, for Poisson batches: ε = {said} at δ = 10⁻⁵":
    "it is smaller: at most {most}": most < said
    "it is larger: between {least} and {most}": said < int(100 * least - 0.1) / 100 <= most and opposite
    "it is between {least} and {most}; whether it is larger is not proven":
      int(100 * least - 0.1) / 100 <= said <= most
    """
    count, times = int(batches), int(epochs)
    mu = sqrt(times) / sigma
    most = brentq(lambda e: log(max(float(gaussian_profile(mu)(e)), 1e-300) / 1e-5), 0, mu**2 / 2 + 9 * mu, xtol=1e-12)
    said = dp.DPSGD(sigma, 1 / count, count * times).epsilon(1e-5)
    least = largest = largest_answers(sigma, count, times)
    if sigma > 1.6 and least < said:  # elsewhere balls and bins show less
        least = max(least, (dp.BallsAndBins(sigma, count) ** times).epsilon(1e-5))
    # The attack that takes the largest answer has all other gradients opposite to the record's.
    return {"said": said, "least": AtLeast(least), "most": AtMost(most), "opposite": least == largest}


@exact
def bayes_error(kind, noise, prior):
    """
    "At a prior of {prior} for “not in”":
    "no output changes this adversary’s guess: {error} of 100 guesses are wrong":
      decided and error == approx(guessing, abs=1e-12)
    "{error} of 100 guesses are wrong; the output saves less than one wrong guess in a thousand":
      not decided and gain < 0.1
    "the output lowers the wrong guesses from {guessing} to {error} of 100": not decided and gain >= 0.1
    """
    profile, guessing = profile_of(kind, noise), min(prior, 1 - prior)
    odds = logit(prior)
    error = float(bayes(profile, odds))
    # A sampled Gaussian's loss towards "remove" never falls below log(1 − p).
    low = {"sampled Gaussian": log(2), "alarm": inf}.get(kind, largest_loss(kind, noise))
    decided = odds >= largest_loss(kind, noise) if odds >= 0 else -odds >= low
    of_100 = {"error": 100 * error, "guessing": 100 * guessing, "gain": 100 * (guessing - error)}
    return of_100 | {"decided": decided}


def clopper_pearson(wrong, rounds):
    """The exact interval, by quantiles of beta laws."""
    low = beta_law.ppf(0.025, wrong, rounds - wrong + 1) if wrong else 0.0
    return low, beta_law.ppf(0.975, wrong + 1, rounds - wrong) if wrong < rounds else 1.0


@exact
def be_the_adversary(sigma, accused, missed, answer, outcome, ended, threshold, fits):
    """
    "That round is void": outcome == "void"
    "Right: it was not in the data": outcome == "cleared"
    "Wrong: it was not in the data, a false accusation": outcome == "accused"
    "Wrong: it was in the data, a miss": outcome == "missed"
    "Right: it was in the data": outcome == "found"
    "In the long run the best test is wrong in {best_error} of 100 rounds": answer == outcome == "none"
    "So far {accused} wrongly accused, {missed} missed": answer != "none" and outcome != "none"
    "The output is {answer}": answer != "none"
    "You accused {accused} wrongly and missed {missed}": ended != "none"
    "All of your region lies above the curve": where == "above"
    "All of your region lies below the curve": where == "below"
    "The curve runs through your region": where == "through"
    "A threshold of {threshold} guesses as you did in {fits} rounds. In the long run it is wrong in {threshold_error} of 100 rounds, the best one in {best_error}":
      threshold_error >= best_error - 1e-9
    """
    f = lambda alpha: ndtr(-ndtri(alpha) - 1 / sigma)  # noqa: E731
    (wrongly, played), (overlooked, _) = (map(int, errors.split(" of ")) for errors in (accused, missed))
    (a, b), (c, d) = clopper_pearson(wrongly, played), clopper_pearson(overlooked, played)
    where = "above" if c > f(a) else "below" if d < f(b) else "through"
    # Outputs are rounded to twentieths: the best test on them, and that of the threshold, by their probabilities.
    answers = np.arange(-100, 121) / 20
    edges = np.array([-inf, *(answers[1:] + answers[:-1]) / 2, inf])
    p, q = np.diff(ndtr(edges / sigma)), np.diff(ndtr((edges - 1) / sigma))
    error = (
        nan if threshold == "none" else (p[answers > float(threshold)].sum() + q[answers <= float(threshold)].sum()) / 2
    )
    return {"where": where, "threshold_error": 100 * error, "best_error": 100 * np.minimum(p, q).sum() / 2}


@exact
def blackwell_order(sigma, epsilon, third):
    """
    "The Gaussian mechanism reveals more to every adversary: it Blackwell-dominates randomized response": dominates
    "To ten digits, the Gaussian mechanism reveals more to no adversary": back < 5e-11 and not dominates
    "Neither reveals more to everyone": not dominates and back >= 5e-11
    "some adversaries err less often against randomized response, by up to {forth}": forth >= 1e-4
    "some adversaries err less often against randomized response, by less than 0.01": forth < 1e-4
    "others against the Gaussian mechanism, by up to {back}": back >= 1e-4
    "others against the Gaussian mechanism, by less than 0.01": back < 1e-4
    """
    forth, back = regrets(gaussian_profile(1 / sigma), worst_profile(epsilon), epsilon)
    # f is convex, so it lies below the other f as soon as it does at the corner of that.
    return {"forth": forth, "back": back, "dominates": ndtr(1 / (2 * sigma)) >= expit(epsilon)}


@exact
def calibration_point(epsilon, delta):
    """
    "the advantage is larger against Laplace noise: {laplace_advantage}, and only {gaussian_advantage} against Gaussian noise":
      laplace_advantage > gaussian_advantage + 1e-4
    """
    sigma = gaussian_sigma(epsilon, delta)
    scale = 1 / (epsilon - 2 * log1p(-delta))  # from 1 − exp((ε − 1/b)/2) = δ
    return {
        "gaussian_advantage": 2 * ndtr(1 / (2 * sigma)) - 1,
        "laplace_advantage": -np.expm1(-1 / (2 * scale)),
        "scale": scale,
    }


BASES = {"Gaussian, σ = 30": (30.0, 1.0), "DP-SGD, σ = 1": (1.0, 0.01), "DP-SGD, σ = 0.6": (0.6, 0.01)}
step_divergence = cache(lambda sigma, rate: dp.SubsampledGaussian(sigma, rate).renyi_divergence(RENYI_ORDERS))
RENYI_ORDERS = 1 + np.geomspace(0.01, 150, 120)


def accountants(sigma, rate, steps, delta):
    """ε exactly, by Rényi divergences, and by the limit theorem."""
    mu = sqrt(steps) / sigma if rate == 1 else rate * sqrt(steps * np.expm1(sigma**-2))
    exact_epsilon = dp.DPSGD(sigma, rate, steps).epsilon(delta)
    # Canonne, Kamath & Steinke (2020): ε = D + log(1 − 1/s) − log(δ s)/(s − 1), at the best of the orders.
    s = RENYI_ORDERS
    renyi = min(steps * step_divergence(sigma, rate) + np.log1p(-1 / s) - np.log(delta * s) / (s - 1))
    limit = brentq(
        lambda e: log(max(float(gaussian_profile(mu)(e)), 1e-300) / delta), 0, mu**2 / 2 + 9 * mu, xtol=1e-12
    )
    return {"exact": exact_epsilon, "renyi": renyi, "limit": limit, "steps": steps, "rate": rate}


@exact
def composition(base, delta, steps):
    """
    "After {steps} steps ε is {exact} at δ = {delta}":
    "Rényi divergences say {renyi}":
    "as the limit theorem says, which is exact for Gaussian steps": rate == 1 and limit == approx(exact, rel=1e-9)
    "The limit theorem says {limit}, which is too small": limit < 0.99 * exact
    "The limit theorem says {limit}, which is too large": limit > 1.01 * exact
    "the limit theorem is right to within 1%": rate < 1 and abs(limit / exact - 1) <= 0.01
    """
    number = {"10⁻³": 1e-3, "10⁻⁵": 1e-5, "10⁻⁸": 1e-8}[delta]
    return accountants(*BASES[base], steps, number) | {"delta": number}


@exact
def delta_divergence(sigma, scale, prior):
    """
    "At a prior of {prior} the adversary’s error is {gaussian_error} (Gaussian) and {laplace_error} (Laplace)":
    "Choosing Gaussian noise can cost up to {gaussian_cost}": gaussian_cost >= 1e-4
    "Choosing Gaussian noise costs less than 0.01": gaussian_cost < 1e-4
    "choosing Laplace noise can cost up to {laplace_cost}": laplace_cost >= 1e-4
    "choosing Laplace noise costs less than 0.01": laplace_cost < 1e-4 and not dominates
    "choosing Laplace noise costs nothing": dominates
    "To within 0.02 percentage points neither is the safer": abs(laplace_cost - gaussian_cost) < 2e-4
    "Gaussian noise is the safer choice": laplace_cost - gaussian_cost >= 2e-4
    "Laplace noise is the safer choice": laplace_cost - gaussian_cost <= -2e-4
    """
    gaussian, laplace = gaussian_profile(1 / sigma), laplace_profile(scale)
    laplace_cost, gaussian_cost = regrets(gaussian, laplace, 1 / scale)
    # f lies below f̃ if δ is nowhere smaller: checked up to 1/b, beyond which δ̃ is 0.
    losses = np.linspace(0, 1 / scale, 4001)
    return {
        "laplace_cost": laplace_cost,
        "gaussian_cost": gaussian_cost,
        "dominates": (gaussian(losses) >= laplace(losses)).all(),
        "gaussian_error": float(bayes(gaussian, logit(prior))),
        "laplace_error": float(bayes(laplace, logit(prior))),
    }


@exact
def dpsgd_accounting(sigma, rate, steps):
    """
    "At δ = 10⁻⁵ the exact ε is {exact}. Rényi divergences say {renyi}; the limit theorem says {limit}":
    "which is too small": limit < 0.98 * exact
    "which is too large": limit > 1.02 * exact
    "which is right to within 2%": abs(limit / exact - 1) <= 0.02
    """
    return accountants(float(sigma), float(rate), steps, 1e-5)


@cache
def training(rate, steps):
    sigma = dp.explore.dpsgd_map(rate=rate, steps=str(steps)).readouts["sigma"]
    assert dp.DPSGD(sigma, rate, steps).epsilon(1e-5) == approx(8, abs=1e-7)
    return sigma, dp.DPSGD(sigma, rate, steps)


@exact
def dpsgd_map(rate, steps, guess):
    """
    "a blind guess succeeds with probability {guess}":
    "With p = {rate} and {steps} steps the same (ε, δ) requires σ = {sigma}":
    "This is the base": (rate, steps) == (0.01, 500)
    "at most {base_success}": (rate, steps) == (0.01, 500)
    "the largest regret is less than 0.001": 0 < regret < 0.001
    "the largest regret is {regret}": regret >= 0.001
    "at most {other_success}, nearly as with the base": abs(other_success - base_success) < 0.002
    "at most {other_success}, not {base_success}": abs(other_success - base_success) >= 0.001
    """
    (_, base), (sigma, other) = training(0.01, 500), training(rate, int(steps))
    regret = 0.0 if other == base else float(dp.delta_divergence(base, other))
    return {
        "steps": int(steps),
        "sigma": sigma,
        "regret": regret,
        "base_success": 1 - float(base.tradeoff(guess)),
        "other_success": 1 - float(other.tradeoff(guess)),
    }


EVEN = 1 / (2 * ndtri(1 - exp(-0.5) / 2))  # σ with the advantage 1 − exp(−1/2) of Laplace noise, b = 1
DUELS = {
    "Gaussian : Laplace": (gaussian_profile(1), laplace_profile(1)),
    "Gaussian : worst": (gaussian_profile(1), worst_profile(1, 0.02)),
    "Laplace : worst": (laplace_profile(1), worst_profile(1, 0.02)),
    "of equal advantage": (gaussian_profile(1 / EVEN), laplace_profile(1)),
}


@exact
def duel(prior, pair):
    """
    "At a prior of {prior}":
    "a difference of less than 0.05 percentage points": margin < 5e-4
    "the first protects better, by {margin}": lead >= 5e-4
    "the second protects better, by {margin}": lead <= -5e-4
    "{first_error} against the first (<first>) and {second_error} against the second (<second>)":
    """
    one, other = (float(bayes(profile, logit(prior))) for profile in DUELS[pair])
    first, second = SIDES[pair]
    return {"first_error": one, "second_error": other, "lead": one - other, "margin": abs(one - other),
            "first": first, "second": second}  # fmt: skip


SIDES = [("Gaussian", "Laplace"), ("Gaussian", "worst"), ("Laplace", "worst"), ("Gaussian", "Laplace")]
SIDES = dict(zip(DUELS, SIDES, strict=True))


@exact
def emergent_dominance(count, steps, sigma):
    """
    "After one step": count == 1
    "After {count} steps": count > 1
    "is wrong less than 0.1% of the time against either": largest_error < NOTHING
    "neither leads by 0.1 percentage points": largest_error >= NOTHING and max(forth, back) < NOTHING
    "neither is better for everyone: randomized response protects better against some adversaries, by up to {forth}, Gaussian noise against others, by up to {back}":
      min(forth, back) >= NOTHING
    "Gaussian noise is better for everyone, up to 0.1 percentage points: it protects better by up to {back}, and randomized response against no adversary by as much as 0.1":
      largest_error >= NOTHING and forth < NOTHING <= back
    "randomized response is better for everyone, up to 0.1 percentage points: it protects better by up to {forth}, and Gaussian noise against no adversary by as much as 0.1":
      largest_error >= NOTHING and back < NOTHING <= forth
    """
    growth = 1 if steps == "the same noise" else sqrt(count)
    p, q = (binom.pmf(np.arange(count + 1), count, expit(way / growth)) for way in (-1, 1))
    mu_response, mu_gaussian = 2 * sqrt(count) * sinh(1 / growth / 2), sqrt(count) / growth / sigma

    kinks = (2 * np.arange(count + 1) - count) / growth

    def lead(odds):
        odds = np.atleast_1d(odds)
        error = np.minimum(expit(odds)[:, None] * p, expit(-odds)[:, None] * q).sum(1)
        return (error - bayes(gaussian_profile(mu_gaussian), odds)).squeeze()

    response, gaussian = dp.RandomizedResponse(epsilon=1 / growth), dp.Gaussian(sigma=sigma * growth)
    pair = (response, gaussian) if mu_response >= mu_gaussian else (gaussian, response)
    return {
        "forth": largest(lead, kinks),
        "back": largest(lambda odds: -lead(odds), kinks),
        "mu_response": mu_response,
        "mu_gaussian": mu_gaussian,
        "bound": bound if (bound := float(dp.dominance_bound(pair[0], count, pair[1], count))) < 0.5 else inf,
        "largest_error": max(np.minimum(p, q).sum() / 2, ndtr(-mu_gaussian / 2)),
    }


NOTHING = 1e-3  # a tenth of a percentage point


@exact
def envelope(kind, k):
    """
    "the advantage is {advantage}":
    "the advantage is at most {known_advantage}; in fact it is {advantage}":
    "A report of one point": k == 1
    "A report of {k} points": k > 1
    "says everything": all_said and gap < 1e-6
    "leaves a largest gap of {gap}, less than 0.01": not all_said and gap < 0.01
    "settles the advantage, {advantage}, but leaves a gap of {gap} elsewhere": settled and gap > 0.01 - 2e-5
    "leaves a largest gap of {gap}. By what it says, the advantage could be as large as {known_advantage}; in fact it is {advantage}":
      not settled and gap > 0.01 - 2e-5
    """
    profile, e = profile_of(kind, 1), exp(1)
    listed = 4 * np.arange(1, k + 1) / k
    levels, slopes = 1 - profile(listed)[:, None], np.exp(listed)[:, None]
    # The gap is largest where two lines meet, or where one ends.
    lines = np.concatenate([[levels, slopes], [levels / slopes, 1 / slopes]], axis=1)[..., 0].T
    meet = [(a - b) / (s - t) for (a, s), (b, t) in itertools.combinations(lines, 2)]
    alpha = np.clip([*meet, *lines[:, 0] / lines[:, 1]], 1e-300, 1)
    delta = 0.1 if kind == "worst (ε, δ)" else 0.0
    f = {
        "Gaussian": lambda: ndtr(-ndtri(alpha) - 1),
        "Laplace": lambda: np.where(
            alpha < 1 / (2 * e), 1 - e * alpha, np.where(alpha < 0.5, 1 / (4 * e * alpha), (1 - alpha) / e)
        ),
    }.get(kind, lambda: np.maximum(np.maximum(1 - delta - e * alpha, (1 - delta - alpha) / e), 0))()
    known = np.maximum(levels - slopes * alpha, (levels - alpha) / slopes).max(0)
    return {
        "gap": np.max(f - np.maximum(known, 0)),
        "advantage": float(profile(0.0)),
        "known_advantage": 1 - 2 * max(levels / (1 + slopes))[0],
        "settled": 1 - 2 * max(levels / (1 + slopes))[0] < float(profile(0.0)) + 5e-5,
        "all_said": kind in ("randomized response", "worst (ε, δ)") and min(abs(listed - 1)) < 1e-9,
    }


@exact
def gaussian_noise(epsilon, delta):
    """
    "breaks its promise": times > 1
    "breaks its promise, though only slightly: it spends a δ of {spent}": 1 < times < 1.005
    "breaks its promise: it spends a δ of {spent}, {times} times what was agreed": times >= 1.005
    "The proof does not cover this ε, but the formula holds: it spends a δ of {spent}": epsilon >= 1 and times <= 1
    "The classical σ keeps its promise": epsilon < 1 and times <= 1
    "it spends a δ of only {spent}": times <= 1
    "wastes {saved} of its noise": saved >= 0.001
    "wastes less than 0.1% of its noise": saved < 0.001
    """
    classical = sqrt(2 * log(1.25 / delta)) / epsilon
    spent = float(gaussian_profile(1 / classical)(epsilon))
    saved = 1 - gaussian_sigma(epsilon, delta) / classical
    return {"spent": spent, "times": spent / delta, "saved": saved}


OPINIONS = {
    "two subsampled Gaussians": [dp.SubsampledGaussian(0.5, 0.2), dp.SubsampledGaussian(0.2, 0.1)],
    "Laplace, Gaussian": [laplace_profile(1), gaussian_profile(1)],
}


def error_of(m, odds):
    return m.bayes_error(expit(odds)) if isinstance(m, dp.Mechanism) else bayes(m, odds)


def lead_of(pair):
    one, other = OPINIONS[pair]
    return lambda odds: error_of(one, odds) - error_of(other, odds)


# At many priors, once.
lead_on_grid = cache(lambda pair: lead_of(pair)(logit(np.linspace(0, 1, 20001)[1:-1])))


@exact
def hyper_prior(pair, family, a, b):
    """
    "the regret of choosing M is at most {back}": back >= 1e-4
    "the regret of choosing M is less than 0.01 weighted points": back < 1e-4
    "that of choosing M̃ at most {forth}": forth >= 1e-4
    "that of choosing M̃ less than 0.01 weighted points": forth < 1e-4
    "to within 0.01 weighted points neither is safer": abs(ahead) < 1e-4
    ": M is safer": ahead >= 1e-4
    ": M̃ is safer": ahead <= -1e-4
    "Your opinion reverses the ranking": ahead * plain < 0
    "The ranking is the same as under the flat density": ahead * plain > 0
    """
    if family == "U-quadratic":
        density = lambda x: 12 * (x - 0.5) ** 2  # noqa: E731
    else:
        density = beta_law(a, float(b)).pdf
    lead = lead_of(pair)
    ahead = np.array([0, *lead_on_grid(pair), 0])
    x = np.linspace(0, 1, len(ahead))
    found = []
    for sign in (1, -1):
        at = np.argmax(sign * (density(x[1:-1]) * ahead[1:-1])) + 1
        best = minimize_scalar(
            lambda prior, sign=sign: -sign * float(density(prior) * lead(logit(prior))),
            bounds=(max(x[at - 1], 1e-9), min(x[at + 1], 1 - 1e-9)),
            method="bounded",
        )
        found.append(max(-best.fun, sign * density(x[at]) * ahead[at], 0))
    forth, back = found
    return {"forth": forth, "back": back, "ahead": forth - back, "plain": max(ahead) + min(ahead)}


READINGS = "δ(ε) = δ", "classical σ", "Pr[B > ρ] = δ"


@exact
def many_answers(steps):
    """
    "One answer has a budget of {largest}, and most people in the data have a loss of {largest}":
      steps == 1 and likely > 0.5
    "{steps} answers have budgets that add up to {largest}": steps > 1
    "for more than 1 in 100 people in the data the losses do so": all > 0.01
    "for 99 of 100 people in the data the losses add up to at most {usual}": usual < largest
    """
    likely, ups = expit(0.4), np.arange(steps + 1)
    losses, probable = 0.4 * (2 * ups - steps), binom.pmf(ups, steps, likely)
    return {
        "largest": 0.4 * steps, "usual": next(loss for loss in losses if probable[losses <= loss].sum() >= 0.99),
        "likely": likely, "all": likely**steps, "mean": losses @ probable,
        "spread": sqrt((losses - losses @ probable) ** 2 @ probable),
    }  # fmt: skip


CROSSING = {
    "Gaussian": lambda x: ndtr(-ndtri(x) - 1),
    "Laplace": lambda x: np.where(x < exp(-1) / 2, 1 - exp(1) * x, exp(-1) * np.where(x < 0.5, 0.25 / x, 1 - x)),
}


@exact
def nearly_ordered(kappa, moved):
    """
    "With {taken} of 100 people taken off both errors": kappa > 0
    "With less than 0.01 of 100 people taken off both errors": 0 < kappa < 1e-4
    "in places, by up to {above}": above > 0
    "in places, by up to less than 0.01": 0 < above < 0.01
    "Unshifted, the Laplace curve lies above the Gaussian curve at some errors, and below it at others":
      moved == "Laplace" and kappa == 0 < min(above, below)
    "the Laplace curve still lies above the Gaussian curve": moved == "Laplace" and above > 0
    "the Laplace curve lies nowhere above the Gaussian curve": moved == "Laplace" and above < 1e-6
    "Unshifted, the Gaussian curve lies above the Laplace curve at some errors, and below it at others":
      moved == "Gaussian" and kappa == 0 < min(above, below)
    "the Gaussian curve still lies above the Laplace curve": moved == "Gaussian" and above > 0
    "the Gaussian curve lies nowhere above the Laplace curve": moved == "Gaussian" and above < 1e-6
    """
    alpha = np.sin(np.linspace(1e-4, np.pi / 2, 40_001)) ** 2
    moving, other = (CROSSING[name] for name in sorted(CROSSING, key=lambda name: name != moved))
    gaps = moving(np.minimum(alpha + kappa, 1)) - kappa - other(alpha)
    return {"taken": 100 * kappa, "above": 100 * max(gaps.max(), 0), "below": -gaps.min()}


@exact
def one_mechanism(epsilon, picture):
    """
    "you accuse everyone above {threshold}":
    "miss about {missed} of 100 who are":
    "If you accuse everyone": picture <= 1.5
    "you accuse hardly any of 100 people who are not in the data": accused <= 0.5
    "you accuse about {accused} of 100 people who are not in the data": accused >= 0.5
    "This threshold is one point of the curve": 1.5 <= picture <= 2.5
    "of 100 people not in the data, hardly any are accused": accused <= 0.5
    "of 100 people not in the data, about {accused} are accused": accused >= 0.5
    "of 100 in it about {missed} are missed":
    "The line that falls by {slope} for each step to the right touches the curve at this threshold, and leaves δ = {delta} above it":
      2.5 <= picture <= 3.5 and beta == approx(1 - delta - slope * alpha)
    "At ε = {epsilon} the privacy profile is δ = {delta}": 3.5 <= picture <= 4.5
    "At a prior of {prior} for “not in” a blind guess is wrong with probability {guess}, the best use of the output with probability {error}":
      picture >= 4.5 and error < guess
    """
    alpha, beta, prior = ndtr(-epsilon - 0.5), ndtr(epsilon - 0.5), exp(epsilon) / (1 + exp(epsilon))
    return {
        "threshold": epsilon + 0.5, "accused": 100 * alpha, "missed": 100 * beta, "alpha": alpha, "beta": beta,
        "slope": exp(epsilon), "delta": float(gaussian_profile(1)(epsilon)), "prior": prior, "guess": 1 - prior,
        "error": prior * alpha + (1 - prior) * beta,
    }  # fmt: skip


@exact
def posterior_belief(reading, tolerance, delta):
    """
    "In world Q the mean belief is {mean}":
    "With σ = {sigma}, an output from world Q leads to a belief above {tolerance} with probability {exceeds}":
    "exactly δ": reading == READINGS[2] and exceeds == approx(delta, rel=1e-9)
    "{ratio} times δ": reading != READINGS[2] and ratio >= 1.005
    "hardly more than δ": reading != READINGS[2] and 1 < ratio < 1.005
    "less than δ": reading != READINGS[2] and ratio < 1
    """
    delta = {"0.1": 0.1, "0.02": 0.02, "0.01": 0.01, "10⁻⁴": 1e-4, "10⁻⁶": 1e-6}[delta]
    epsilon = log(tolerance / (1 - tolerance))
    tail = lambda mu: ndtr(mu / 2 - epsilon / mu)  # noqa: E731
    if reading == READINGS[0]:
        mu = 1 / gaussian_sigma(epsilon, delta)
    elif reading == READINGS[1]:
        mu = epsilon / sqrt(2 * log(1.25 / delta))
    else:
        mu = brentq(lambda mu: tail(mu) - delta, 1e-3, 20, xtol=1e-15, rtol=1e-14)
    mean = quad(lambda z: expit(mu**2 / 2 + mu * z) * exp(-z * z / 2) / sqrt(2 * np.pi), -12, 12, epsabs=1e-12)[0]
    return {"sigma": 1 / mu, "exceeds": tail(mu), "ratio": tail(mu) / delta, "mean": mean, "delta": delta}


@exact
def privacy_loss(kind, noise, epsilon):
    """
    "each of these losses counts 1 − exp(ε − L), on average {weight}":
    "No loss exceeds {largest}, so at ε = {epsilon} no part of Q is above exp(ε) P, and δ is 0":
      epsilon >= largest and delta == 0
    "The loss exceeds ε with probability {tail}, but δ is only {delta}": epsilon < largest and 0 < 3 * delta < tail
    "δ is {delta}: the probability {tail} of a loss above ε, minus {second}, which is exp(ε) times the same probability in world P":
      epsilon < largest and 3 * delta >= tail and delta == approx(tail - second, abs=1e-12)
    """
    delta = float(profile_of(kind, noise)(epsilon))
    if kind == "Gaussian":
        tail, second = ndtr(1 / (2 * noise) - epsilon * noise), exp(epsilon) * ndtr(-1 / (2 * noise) - epsilon * noise)
    elif epsilon >= 1 / noise:
        tail = second = 0.0
    elif epsilon < -1 / noise:
        tail, second = 1.0, exp(epsilon)
    else:  # the outputs above (1 + ε b)/2, between 0 and 1
        place = (1 + epsilon * noise) / 2
        tail, second = 1 - exp((place - 1) / noise) / 2, exp(epsilon - place / noise) / 2
    return {
        "largest": largest_loss(kind, noise),
        "delta": delta,
        "tail": tail,
        "second": second,
        "weight": delta / tail if tail else nan,
    }


@exact
def renyi_order(sigma, epsilon):
    """
    "At every order above 1 the Gaussian divergence is the larger one": larger
    "yet some adversaries err more often against Gaussian noise": larger and not dominates
    "against Gaussian noise, by up to {forth}": forth >= 1e-4
    "against Gaussian noise, by less than 0.01": forth < 1e-4
    "Both orders agree: the Gaussian mechanism reveals more to every adversary": larger and dominates
    "errs less often against it, by up to {back}": larger and back >= 1e-4
    "The Rényi curves cross": not larger and shown
    "Beyond order 20 the Rényi curves cross": not larger and not shown
    "Some adversaries err less often against randomized response, by up to {forth}": forth >= 1e-4
    "others against the Gaussian mechanism, by up to {back}": back >= 1e-4
    "others against the Gaussian mechanism, by less than 0.01": back < 1e-4
    """
    forth, back = regrets(gaussian_profile(1 / sigma), worst_profile(epsilon), epsilon)
    # Densely up to where the one exceeds ε, which the other does not reach.
    orders = np.geomspace(1 + 1e-6, max(2 * epsilon * sigma**2, 20) + 1, 4001)
    p, q = expit(-epsilon), expit(epsilon)
    response = np.log(q**orders * p ** (1 - orders) + p**orders * q ** (1 - orders)) / (orders - 1)
    lead = orders / (2 * sigma**2) - response
    return {
        "forth": forth,
        "back": back,
        "dominates": ndtr(1 / (2 * sigma)) >= q,
        "larger": lead.min() >= -1e-9 and 1 / (2 * sigma**2) >= epsilon * tanh(epsilon / 2),
        "shown": lead[orders <= 20][-1] >= 0,
    }


BESIDE = {
    "Gaussian": (dp.Gaussian, "Gaussian noise"),
    "Laplace": (dp.Laplace, "Laplace noise"),
    "discrete": (dp.DiscreteLaplace, "discrete Laplace noise"),
    "exponential": (dp.ExponentialMechanism, "the exponential mechanism"),
    "flip": (dp.PermuteAndFlip, "permute-and-flip"),
    "sampled": (lambda s: dp.SubsampledGaussian(s, 0.3), "the sampled step"),
}
EQUAL = {
    "advantage ¼": {"advantage": 0.25},
    "(1, 10⁻⁵)": {"epsilon": 1, "delta": 1e-5},
    "pure ε = 1": {"epsilon": 1, "delta": 0},
}
HAVE = {
    "pure ε = 1": ("Laplace", "discrete", "exponential", "flip"),
    "noise of 3": ("Gaussian", "Laplace", "discrete"),
    "loss of 2": ("exponential", "flip"),
}


def deviation(mechanism):
    """That of the noise, from its definition."""
    if isinstance(mechanism, dp.Gaussian):
        return mechanism.sigma
    x, b = np.arange(-400, 401), mechanism.scale
    if isinstance(mechanism, dp.Laplace):
        return sqrt(2) * b
    return sqrt(np.sum(x**2 * np.exp(-abs(x) / b)) / np.sum(np.exp(-abs(x) / b)))


def expected_loss(mechanism, candidates=10):
    """The largest over distances between the best score and all others, from the definitions."""
    distance = np.linspace(0.01, 40, 4000) / mechanism.epsilon(0.0)
    accepted = np.exp(-mechanism.epsilon(0.0) * distance / 2)
    if isinstance(mechanism, dp.ExponentialMechanism):
        right = 1 / (1 + (candidates - 1) * accepted)
    else:  # the best comes first, second, ... of a random order, and all before it are turned down
        right = np.mean([(1 - accepted) ** before for before in range(candidates)], axis=0)
    return (distance * (1 - right)).max()


@cache
def beside_others(name, alike):
    kind, _ = BESIDE[name]
    if name not in HAVE.get(alike, BESIDE):
        return None
    if alike in EQUAL:
        return dp.calibrate(kind, **EQUAL[alike])
    goal, of = {"noise of 3": (3, deviation), "loss of 2": (2, expected_loss)}[alike]
    return kind(brentq(lambda s: of(kind(s)) - goal, 0.5, 9, xtol=1e-13))


@cache
def regret_of(row, column, alike):
    return dp.delta_divergence(beside_others(row, alike), beside_others(column, alike))


def listed(names):
    called = [BESIDE[name][1] for name in names]
    return " and ".join([*([", ".join(called[:-1])] if called[1:] else []), *called[-1:]])


@exact
def side_by_side(prior, mechanisms, alike):
    """
    "^Most regretted": not out
    "^Between these": not out
    "Left out, as no noise bounds the losses: <out>":
      out and alike == "pure ε = 1" and all(
        np.isinf(BESIDE[name][0](50.0).epsilon(0.0)) for name in mechanisms.split(", ") if name not in there)
    "Left out, as more than a number plus noise: <out>": out and alike == "noise of 3"
    "Left out, as no choice among candidates: <out>": out and alike == "loss of 2"
    "Of these, compare <have>": out and not regrets
    "At a prior of {prior} the adversary errs in <errors>.":
    "no choice costs as much as 0.01 points": most < 1e-4
    "Most regretted is <most_who>: in place of <most_beside> it costs up to {most}, at a prior of {most_prior}":
      most >= 1e-4 and most_ties == 1
    "Most regretted are <most_who>: in place of <most_beside> they cost up to {most}, at a prior of {most_prior}":
      most >= 1e-4 and most_ties > 1
    "Least regretted is <least_who>: in place of <least_beside> it costs up to {least}, at a prior of {least_prior}":
      least >= 1e-4 and least_ties == 1
    "Least regretted are <least_who>: in place of <least_beside> they cost up to {least}, at a prior of {least_prior}":
      least >= 1e-4 and least_ties > 1
    "Least regretted is <least_who>: it costs less than 0.01 points": least < 1e-4 and least_ties == 1
    "Least regretted are <least_who>: they cost less than 0.01 points": least < 1e-4 and least_ties > 1
    """
    chosen = mechanisms.split(", ")
    there = {name: made for name in chosen if (made := beside_others(name, alike))}
    regrets = {pair: regret_of(*pair, alike) for pair in itertools.permutations(there, 2)}
    # Of each, where it can be regretted most.
    worst = {name: max((d for (_, own), d in regrets.items() if own == name), key=lambda d: d.value, default=None)
             for name in there}  # fmt: skip
    so = {f"error_of_{name}": made.bayes_error(prior) for name, made in there.items()} | {
        "there": there, "regrets": regrets, "most": nan, "least": nan,
        "errors": ", ".join(f"{{error_of_{name}}} ({name})" for name in there),
        "out": listed(name for name in chosen if name not in there),
        "have": listed(HAVE.get(alike, ()))}  # fmt: skip
    for rank, of in (("most", max), ("least", min)) if regrets else ():
        value = of(d.value for d in worst.values())
        ties = [name for name in worst if abs(worst[name].value - value) < 1e-6]
        d = worst[ties[0]]
        beside = next(row for (row, own), e in regrets.items() if own == ties[0] and e.value > value - 1e-6)
        so |= {rank: value, f"{rank}_who": listed(ties), f"{rank}_prior": min(d.prior, 1 - d.prior),
               f"{rank}_beside": listed([beside]), f"{rank}_ties": len(ties)}  # fmt: skip
    return so


@exact
def spectrum(kind, noise):
    """
    "M is {share} of the way along":
    "f is not symmetric, so the distances add up to {total} instead of 0.5": kind == "alarm" and total > 0.5001
    "M is {share} of the way from perfect privacy to blatant non-privacy. This share is its advantage":
      kind != "alarm" and share == approx(advantage, abs=1e-9)
    """
    start, rest = float(profile_of(kind, noise)(0.0)) / 2, largest(lambda odds: bayes(profile_of(kind, noise), odds))
    return {"total": start + rest, "share": start / (start + rest), "advantage": 2 * start}


@exact
def subsampling(sigma, rate):
    """
    "Sampling takes ε at δ = 10⁻⁵ from {plain_epsilon} to {remove_epsilon} in the direction “remove”":
      remove_epsilon < plain_epsilon
    "and to only {add_epsilon} in the direction “add”": add_epsilon < remove_epsilon / 2
    "and to {add_epsilon} in the direction “add”": add_epsilon >= remove_epsilon / 2
    """
    profiles = gaussian_profile(1 / sigma), *sampled_profile(sigma, rate)
    plain, remove, add = (brentq(lambda e, f=f: float(f(e)) - 1e-5, 0, 40, xtol=1e-12) for f in profiles)
    return {"plain_epsilon": plain, "remove_epsilon": remove, "add_epsilon": add}


@exact
def threshold_test(threshold, sigma):
    """
    "If you accuse everyone above {threshold}":
    "you accuse hardly any of 100 people who are not in the data": accused <= 0.5
    "you accuse about {accused} of 100 people who are not in the data": 0.5 <= accused <= 99.5
    "you accuse nearly all of 100 people who are not in the data": accused >= 99.5
    "miss hardly any of 100": missed <= 0.5
    "miss about {missed} of 100": 0.5 <= missed <= 99.5
    "miss nearly all of 100": missed >= 99.5
    """
    return {"accused": 100 * ndtr(-threshold / sigma), "missed": 100 * ndtr((threshold - 1) / sigma)}


@exact
def total_failure(epsilon, delta):
    """
    "gives one person away": ruined < 1.5 + 1e-9
    "of its outputs, one on average multiplies": ruined < 1.5 + 1e-9
    "gives {ruined} people away": ruined >= 1.5 - 1e-9
    "of its outputs, {ruined} on average multiply": ruined >= 1.5 - 1e-9
    "the odds by {odds} or more, and {over} by more than the promised {promised}":
      over > ruined and odds > promised
    """
    mu = 1 / gaussian_sigma(epsilon, delta)
    return {
        "ruined": 1e6 * delta,
        "over": 1e6 * ndtr(mu / 2 - epsilon / mu),
        "promised": exp(epsilon),
        "odds": exp(mu**2 / 2 + mu * ndtri(1 - delta)),
    }


@exact
def tradeoff_gallery(kind, noise, epsilon):
    """
    "({epsilon}, 0)-DP: the tangent starts in the upper left corner, and δ is 0": epsilon >= largest
    "At ε = {epsilon} the smallest δ is {delta}: the line of slope −exp(ε) that starts at the height 1 − δ":
      epsilon < largest and delta > 0
    """
    return {"delta": float(profile_of(kind, noise)(epsilon)), "largest": largest_loss(kind, noise)}


# When a task is done: a setting that does it, and what must be so there and must not at the start.


def beside(name, setting, slider, by):
    return so_at(name, **setting | {slider: setting[slider] + by})


def stop_before(repetitions):
    return max(stop for stop in dp.explore.audit().parameters["repetitions"].values if stop < repetitions)


FOUND = {
    "any_attack": ({"baseline": 0.12, "sigma": 0.45}, lambda so, s: so.gain > 0.99 * max(
        so_at("any_attack", baseline=k / 1000, sigma=so.sigma).gain for k in range(1, 1000))),
    "audit": ({"repetitions": 48}, lambda so, s: so.wins > so.allowed and (
        last := so_at("audit", **s | {"repetitions": stop_before(s["repetitions"])})).wins <= last.allowed),
    "batches": ({"sigma": 0.44, "batches": "10", "epochs": "3"},
                lambda so, s: s["epochs"] == "3" and so.most < so.said),
    "bayes_error": ({"kind": "sampled Gaussian", "noise": 0.5, "prior": 0.4}, lambda so, s: so.error > max(
        beside("bayes_error", s, "prior", by).error for by in (-0.02, 0.02))),
    "be_the_adversary": ({"threshold": "0.5"}, lambda so, s: so.threshold_error < so.best_error + 1),
    "blackwell_order": ({"sigma": 0.5, "epsilon": 1.1}, lambda so, s: so.dominates),
    "calibration_point": ({"epsilon": 1, "delta": 1e-9},
                          lambda so, s: so.laplace_advantage > 5 * so.gaussian_advantage),
    "composition": ({"base": "DP-SGD, σ = 1", "steps": 500_000}, lambda so, s: so.limit > 1.01 * so.exact),
    "delta_divergence": ({"sigma": 1.12}, lambda so, s: abs(so.laplace_cost - so.gaussian_cost) < 2e-4),
    "dpsgd_accounting": ({"sigma": "0.6", "rate": "0.1"}, lambda so, s: so.limit > 1.02 * so.exact),
    "dpsgd_map": ({"rate": 0.022}, lambda so, s: so.regret == approx(
        so_at("dpsgd_map", **s | {"rate": 0.01, "steps": "1500"}).regret, rel=0.05)),
    "duel": ({"prior": 0.68}, lambda so, s: beside("duel", s, "prior", -0.01).lead > 0 > beside(
        "duel", s, "prior", 0.01).lead),
    "emergent_dominance": ({"count": 16, "steps": "noise that grows with √N", "sigma": 0.98},
                           lambda so, s: so.back < NOTHING <= so.forth),
    "envelope": ({"k": 17}, lambda so, s: so.gap < 0.01 < beside("envelope", s, "k", -1).gap),
    "evidence": ({"noise": "half", "audit": 10, "rounds": 300},
                 lambda so, s: s["noise"] == "half" and s["rounds"] == 300 and so.most < 20),
    "gaussian_noise": ({"epsilon": 9}, lambda so, s: -0.02 < so.saved < 0),
    "hyper_prior": ({"a": 3.3}, lambda so, s: so.ahead * so.plain < 0),
    "many_answers": ({"steps": 24}, lambda so, s: so.usual <= 2 / 3 * so.largest),
    "nearly_ordered": ({"kappa": 0.0342}, lambda so, s: so.above == 0 < so_at(
        "nearly_ordered", **s | {"kappa": 0.034}).above),
    "one_mechanism": ({"epsilon": 0.0}, lambda so, s: so.alpha == approx(so.beta)),
    "posterior_belief": ({"reading": READINGS[0], "tolerance": 0.6, "delta": "10⁻⁶"}, lambda so, s: so.ratio >= 20
                         and so.reading == READINGS[0]),
    "privacy_loss": ({"kind": "Gaussian", "noise": 2.4, "epsilon": 0.4}, lambda so, s: so.tail >= 5 * so.delta > 0.1),
    "reports": ({"mechanism": "large batches", "facts": "one μ"}, lambda so, s: so.left < 0.002),
    "releases": ({"release": "page views", "units": 18}, lambda so, s: so.alone > 0.95 and so.noise < 0.3),
    "renyi_order": ({"sigma": 0.5}, lambda so, s: so.larger and so.dominates),
    "side_by_side": ({"mechanisms": "discrete, sampled"}, lambda so, s: s["alike"] == "(1, 10⁻⁵)" and so.most >= max(
        regret_of(*pair, s["alike"]).value for pair in itertools.permutations(BESIDE, 2)) - 1e-6),
    "spectrum": ({"noise": 0.75}, lambda so, s: abs(so.share - 0.5) < 0.02),
    "study": ({"sigma": 5.0, "people": 300},
              lambda so, s: so.people <= 300 and so.power >= 0.8 and so.found < 0.08),
    "subsampling": ({"sigma": 0.6}, lambda so, s: so.remove_epsilon > 20 * so.add_epsilon),
    "threshold_test": ({"threshold": 0.5, "sigma": 0.5}, lambda so, s: so.accused < 21.18 and so.missed < 42.07),
    "total_failure": ({"epsilon": 0.1, "delta": 4e-5}, lambda so, s: so.over >= 20 * so.ruined),
    "tradeoff_gallery": ({"kind": "Laplace", "noise": 1}, lambda so, s: so.delta == 0 < beside(
        "tradeoff_gallery", s, "epsilon", -0.05).delta),
    "two_offers": ({"prior": 0.37, "noise_b": 1.6}, lambda so, s: abs(so.prior - so.crossing) <= 0.005),
}  # fmt: skip


# The tests.


CASE = dp.exercises.case(33)


@cache
def offered(name, **changed):
    return dp.DPSGD(**CASE.offers[name] | changed, direction="remove").privacy_loss


def offer(name, noise):
    """An offer with both directions: A's as it is, B's with this noise."""
    return dp.DPSGD(**CASE.offers[name] | ({"noise_multiplier": noise} if name == "B" else {}))


@exact
def two_offers(prior, noise_b, allowed):
    """
    "a prior belief of {prior} becomes more than 85% sure":
    "of {exposed_a} of the people in the data with A’s offer": exposed_a >= 5e-5
    "of less than 0.01% of the people in the data with A’s offer": exposed_a < 5e-5
    "of {exposed_b} with B’s": exposed_b >= 5e-5
    "of less than 0.01% with B’s": exposed_b < 5e-5
    "both offers stay within {allowed}": max(exposed_a, exposed_b) <= allowed
    "only A’s offer stays within {allowed}": exposed_a <= allowed < exposed_b
    "only B’s offer stays within {allowed}": exposed_b <= allowed < exposed_a
    "neither offer stays within {allowed}": min(exposed_a, exposed_b) > allowed
    "they are less than 0.01 percentage points apart": gap < 1e-4
    "A’s would expose {gap} more": gap >= 5e-5 and exposed_a > exposed_b
    "B’s would expose {gap} more": gap >= 5e-5 and exposed_b > exposed_a
    "Below a prior belief of {crossing} B’s offer is the safer one, above it A’s": only_there
    """
    a, b = offered("A"), offered("B", noise_multiplier=noise_b)

    def exposed(loss, prior):
        return float(loss.sf(logit(CASE.tolerance) - logit(prior)))

    priors = np.linspace(0.001, CASE.tolerance - 0.001, 200)
    ahead = np.array([exposed(b, p) - exposed(a, p) for p in priors])

    def lead(prior):
        return log(max(exposed(b, prior), 1e-300)) - log(max(exposed(a, prior), 1e-300))

    crossing = brentq(lead, 1e-5, CASE.tolerance - 1e-3)
    far = abs(priors - crossing) > 1e-4
    return {
        "exposed_a": exposed(a, prior),
        "exposed_b": exposed(b, prior),
        "gap": abs(exposed(a, prior) - exposed(b, prior)),
        "crossing": crossing,
        "only_there": ((ahead < 0) == (priors < crossing))[far].all(),
    }


REPORTED = {
    "small batches": dp.DPSGD(0.5415, 0.01, 500),
    "large batches": dp.DPSGD(9.4, 0.328, 2000),
    "Laplace noise": dp.Laplace(1),
}


@cache
def left_by_report(mechanism, facts, delta):
    """ε, μ, ε of a third pair, what is left open, how often an adversary is right as far as is said, and at most."""
    m = REPORTED[mechanism]
    epsilon, advantage = float(m.epsilon(delta)), float(m.privacy_profile(0.0))
    losses = np.linspace(0, epsilon, 2001)
    true = m.privacy_profile(losses)

    def open_by(*pairs):  # chords in e^ε; beyond the last pair δ may stay as it is
        at, known = zip(*sorted(pairs), strict=True)
        if at[0] > 0:  # the line to the mirror image
            at, known = (-at[0], *at), (1 - (1 - known[0]) * exp(-at[0]), *known)

        def left(e):
            return (np.interp(np.exp(e), np.exp(at), known) - m.privacy_profile(e)) / (1 + np.exp(e))

        k = int(np.argmax(left(losses)))
        around = losses[max(k - 1, 0)], losses[min(k + 1, len(losses) - 1)]
        worst = minimize_scalar(lambda e: -left(e), bounds=around, method="bounded", options={"xatol": 1e-9}).x
        worst = max(worst, losses[k], key=left)
        return max(left(worst), known[-1] / (1 + exp(at[-1]))), worst, float(np.interp(1.0, np.exp(at), known))

    both = open_by((0.0, advantage), (epsilon, delta))
    third = both[1]
    mu = max(mu_of_point(e, d) for e, d in zip(losses[::20], true[::20], strict=True) if d >= delta * (1 - 1e-9))
    far, gaussian = np.linspace(0, 16, 4001), gaussian_profile(mu)  # it may exaggerate most beyond ε
    by_mu = max((gaussian(far) - m.privacy_profile(far)) / (1 + np.exp(far))), 0.0, 2 * ndtr(mu / 2) - 1
    found = {
        "a pair": lambda: open_by((epsilon, delta)),
        "pair, advantage": lambda: both,
        "two pairs, advantage": lambda: open_by(
            (0.0, advantage), (third, float(m.privacy_profile(third))), (epsilon, delta)
        ),
        "one μ": lambda: by_mu,
    }[facts]()
    return epsilon, mu, third, found[0], (1 + found[2]) / 2, (1 + advantage) / 2


def mu_of_point(epsilon, delta):
    return brentq(lambda mu: float(gaussian_profile(mu)(epsilon)) - delta, 1e-3, 20, xtol=1e-13)


@exact
def reports(mechanism, facts, delta):
    """
    "The best one is right {right} of the time":
    "From ({epsilon}, {delta}) alone": facts == "a pair"
    "alone, an adversary with even odds may be right {allowed} of the time": right < allowed <= 0.9999
    "may be right more than 99.99% of the time": allowed > 0.9999
    "With μ ≈ {mu}, enough for every δ down to {delta}, an adversary with even odds may be right {allowed} of the time":
      facts == "one μ" and allowed >= right - 1e-9
    "({epsilon}, {delta}) and the advantage": facts == "pair, advantage"
    "expects the best adversary to be right {right} of the time, as it is": abs(allowed - right) < 1e-9
    "({epsilon}, {delta}), the advantage and a pair at ε = {third}": facts == "two pairs, advantage"
    "Left open: less than 0.0001": left < 1e-4
    "Left open: {left}": left >= 4.9e-5
    """
    epsilon, mu, third, left, allowed, right = left_by_report(mechanism, facts, delta)
    return {"epsilon": epsilon, "mu": mu, "third": third, "left": left, "allowed": allowed, "right": right}


@exact
def study(sigma, people):
    """
    "Noise of {sigma} costs the study as much as leaving out {lost} of its {people} people": 0 <= lost <= people
    "with probability {power} instead of {without}": power <= without <= 0.999
    "with probability {power} instead of more than 99.9%": power <= 0.999 < without
    "with probability above 99.9%, with the noise as without it": 0.999 < power <= without
    "The adversary recognizes a yes with probability {found}, where 5% is chance": found >= 0.05
    """

    def found(effect, spread):  # the power at the level 5%
        return 1 - ndtr((ndtri(0.95) * spread - effect) / spread)

    # So many people without noise are as good: the same effect in standard deviations.
    good = brentq(
        lambda n: n * 0.1 / sqrt(n / 4) - people * 0.1 / sqrt(people / 4 + sigma**2), 1e-9, people + 1, xtol=1e-12
    )
    return {
        "power": found(0.1 * people, sqrt(people / 4 + sigma**2)), "without": found(0.1 * people, sqrt(people / 4)),
        "found": found(1, sigma), "lost": people - good,
    }  # fmt: skip


@exact
def releases(release, units):
    """
    "the noise as described lets an adversary win with an advantage of {noise} at most": noise <= min(alone + 1e-12, 0.9995)
    "as far as the pair says, it could be {alone}": alone <= 0.9995
    "as far as the pair says, it could be more than 0.999": alone > 0.9995 >= noise
    "neither the noise as described nor the pair rules out an advantage of more than 0.999": noise > 0.9995
    "For somebody who was out on one day, ": release == "Mobility Reports" and units == 1
    "For somebody who was out on {units} days, ": release == "Mobility Reports" and units > 1
    "For a device that was used on one day, ": release == "page views" and units == 1
    "For a device that was used on {units} days, ": release == "page views" and units > 1
    "For somebody who searched on one day, ": release == "vaccine searches" and units == 1
    "For somebody who searched on {units} days, ": release == "vaccine searches" and units > 1
    "For a phone that reports one event, ": release == "health data types" and units == 1
    "For a phone that reports {units} events, ": release == "health data types" and units > 1
    """

    def gaussian(mu):
        return {"noise": 2 * ndtr(mu / 2) - 1, "low": 100 * ndtr(mu - ndtri(0.95))}

    def lattice(*parts):  # randomized responses whose losses are multiples of a smallest one
        q = np.ones(1)
        for multiple, epsilon, count in parts:
            one = np.zeros(2 * multiple + 1)
            one[0], one[-1] = 1 / (1 + exp(epsilon)), 1 / (1 + exp(-epsilon))
            for _ in range(count):
                q = np.convolve(q, one)
        p, budget, found = q[::-1], 0.05, 0.0
        for false, true in zip(p[::-1], q[::-1], strict=True):  # from the largest loss down
            found += true if false <= budget else true * budget / false
            budget = max(0.0, budget - false)
        return {"noise": float(np.maximum(q - p, 0).sum()), "low": 100 * found}

    def pair(epsilon, delta):  # nothing fails in units of the k, and there randomized response is won
        fails = -np.expm1(units * np.log1p(-delta))
        return fails + (1 - fails) * lattice((1, epsilon, units))["noise"]

    if release == "Mobility Reports":
        so = lattice((1, 0.11, 12 * units), (2, 0.22, 6 * units)) | {"alone": pair(2.64, 0.0)}
    elif release == "page views":
        so = gaussian(sqrt(2 * 0.015 * units)) | {"alone": pair(1.0, 1e-7)}
    elif release == "vaccine searches":
        mu = brentq(lambda mu: float(gaussian_profile(mu)(2.19)) - 1e-5, 0.1, 2, xtol=1e-14)
        so = gaussian(mu * sqrt(units)) | {"alone": pair(2.19, 1e-5)}
    else:
        so = lattice((1, 1.0, 2 * units)) | {"alone": pair(2.0, 0.0)}
    return so | {"right": 50 * (1 + so["noise"])}


@cache
def watched(noise, audit):
    """The wealth and the limit after each of 300 rounds, by products and by the law of the limit."""
    generator = np.random.default_rng((18, audit))
    member = generator.random(300) < 0.5
    said = member + {"as claimed": 1.0, "four fifths": 0.8, "half": 0.5}[noise] * generator.standard_normal(300) > 0.5
    profile = gaussian_profile(1.0)
    points = [0.0, *(brentq(lambda e, d=d: float(profile(e)) - d, 0, 10, xtol=1e-14) for d in (0.1, 0.01))]
    wealths = []
    for inside, guess in ((member, said), (~member, ~said)):
        for e in points:
            pays, most = np.where(guess, np.where(inside, 2.0, -2 * exp(e)), 0.0) - profile(e), 2 * exp(e) + profile(e)
            wealths += [np.cumprod(1 + share * pays / most) for share in np.geomspace(0.02, 0.95, 14)]
    right, rounds = np.cumsum(member == said), np.arange(1, 301)
    low = np.where(right == 0, 0.0, beta_law.ppf(0.05, np.maximum(right, 1), rounds - right + 1))
    return np.mean(wealths, axis=0), low


@exact
def evidence(noise, audit, rounds):
    """
    "The wealth reached 20 after round {refuted}: the claim is refuted at level 5%": most >= 20
    "After {rounds} rounds the wealth is {money}, and never was above {most}: the claim stands so far": most < 20
    "From the tenth round on, the auditor will look at the limit": rounds < 10
    "the limit never rose above what the claim allows": isnan(interrupted) and rounds >= 10
    "The limit rose above the claim after round {interrupted}": interrupted <= rounds
    "although the claim is true": noise == "as claimed"
    "proves nothing": noise != "as claimed"
    """
    wealth, low = watched(noise, audit)
    passed = [n for n in range(1, rounds + 1) if wealth[n - 1] >= 20]
    above = [n for n in range(10, rounds + 1) if low[n - 1] > ndtr(0.5)]
    return {
        "money": wealth[rounds - 1], "most": wealth[:rounds].max(), "true": noise == "as claimed",
        "refuted": passed[0] if passed else nan, "interrupted": above[0] if above else nan,
    }  # fmt: skip


@pytest.mark.deep
@every_explorer
def test_what_is_said_is_so_at_many_settings(name):
    check(name, 500, seed=6)


@pytest.mark.cases(3)
@every_explorer
def test_what_is_said_is_so_and_would_not_be_in_another_ones_place(name):
    """Of two forms each is wrong where the other is said, and no two numbers of a sentence may change places."""
    e, kept, places = getattr(dp.explore, name)(), {}, defaultdict(list)
    for template, setting, so in check(name, 50):
        where = next(number for number, table in enumerate(e.explorer.sentences) if table.at(setting) == template)
        kept.setdefault((where, template), []).append((setting, so))
        places[where].append(template)
    exchanged = 0
    for (where, template), times in kept.items():
        for other in sorted({*places[where]} - {template}):
            for setting, so in times[:5]:
                e.set(**setting)
                assert wrong_about(e, other, so), f"{setting}: {other}"
                exchanged += 1
        for one, two in itertools.combinations(sorted({*re.findall(r"{(\w+)}", template)}), 2):
            other = template.replace(f"{{{one}}}", "{}").replace(f"{{{two}}}", f"{{{one}}}").replace("{}", f"{{{two}}}")
            for setting, so in times[:5]:
                e.set(**setting)
                same = all(is_rounding(e._filled(f"{{{a}}}"), getattr(so, b)) for a, b in ((one, two), (two, one)))
                assert same or wrong_about(e, other, so), f"{setting}: {other}"
                exchanged += not same
    assert exchanged, "a sentence needs a second form or a second number: what else could be wrong about it?"


@every_explorer
def test_a_task_can_be_done_with_the_stops_and_is_not_done_at_the_start(name):
    e = getattr(dp.explore, name)()
    assert name in FOUND, "FOUND says at which setting the task of each explorer is done, and what is so there"
    done, fits = FOUND[name]
    for setting, is_done in ((e.setting, False), (e.setting | done, True)):
        assert all(value in e.parameters[each].values for each, value in setting.items())
        assert bool(e.explorer.goal.at(setting)) == bool(fits(so_at(name, **setting), setting)) == is_done


# What the stories of the steps claim, with a number or a comparison: quoted, and a predicate on what is so there.
CLAIMS = [
    ("any_attack", "One of 500 people", "nearly one time in five", lambda so, s: 0.18 < so.success < 0.2),
    ("any_attack", "One of 500 people", "one time in 500", lambda so, s: s["baseline"] == 1 / 500),
    ("any_attack", "One false accusation in 100", "more than a third", lambda so, s: so.success > 1 / 3),
    ("any_attack", "One field, two values", "cannot even double", lambda so, s: so.success < 2 * so.baseline),
    ("any_attack", "One of 5000 records", "is one of 5000", lambda so, s: s["baseline"] == 1 / 5000),
    ("any_attack", "One of 5000 records", "about 300 times", lambda so, s: 290 < so.success / s["baseline"] < 320),
    ("releases", "One day", "allow 93 right guesses", lambda so, s: round(50 + 50 * so.alone) == 93),
    ("releases", "One day", "themselves allow 63", lambda so, s: round(so.right) == 63),
    ("releases", "A week", "81 right guesses", lambda so, s: so.units == 7 and round(so.right) == 81),
    ("releases", "A year of page views", "95 right guesses", lambda so, s: so.units == 365 and round(so.right) == 95),
    ("releases", "Ten events", "98 right guesses", lambda so, s: so.units == 10 and round(so.right) == 98),
    ("study", "A small study", "Sixty people", lambda so, s: so.people == 60),
    ("study", "A small study", "hides most of the effect", lambda so, s: so.power - 0.05 < 0.5 * (so.without - 0.05)),
    ("study", "Ten times as many", "hardly notices it, and the adversary sees no more",
     lambda so, s: so.without - so.power < 0.01 and so.found == so_at("study", sigma=5.0, people=60).found),
    ("study", "Too little noise", "loses next to nothing", lambda so, s: so.without - so.power < 0.005),
    ("study", "Too little noise", "nearly two of three", lambda so, s: 0.6 < so.found < 2 / 3),
    ("evidence", "A true claim", "The limit rises above what the claim allows",
     lambda so, s: so.true and so.interrupted <= so.rounds),
    ("evidence", "A true claim", "the gambler hardly wins", lambda so, s: so.most < 2),
    ("evidence", "Half of the noise", "passes 20 after 69 rounds", lambda so, s: so.refuted == 69),
    ("evidence", "Going on", "After 150 rounds the claim stands", lambda so, s: so.rounds == 150 and so.most < 20),
    ("evidence", "Going on", "may simply go on", lambda so, s: so_at("evidence", **s | {"rounds": 300}).most >= 20),
    ("audit", "Half the noise", "the wins reveal the flaw", lambda so, s: so.wins > so.allowed and not so.rare),
    ("audit", "Noise once", "nearly always on the right side", lambda so, s: so.wins > 0.95 * so.repetitions),
    ("audit", "Noise once", "The beliefs settle at a harmless value", lambda so, s: so.by_beliefs < log(9)),
    ("audit", "One seed", "hardly better than a coin", lambda so, s: 0.45 < so.wins / so.repetitions < 0.6),
    ("audit", "One seed", "The beliefs run wild", lambda so, s: so.rare and expit(so.by_beliefs) > 0.999),
    ("audit", "Too few", "too few to show it", lambda so, s: so.wins <= so.allowed and not so.rare),
    ("batches", "Said and run", "hardly better than fixed batches", lambda so, s: so.least > 0.99 * so.most),
    ("batches", "Ten epochs", "grows slowly", lambda so, s: so.said < 2 * so_at("batches", **s | {"epochs": "1"}).said),
    ("batches", "Ten epochs", "that of the attack does not",
     lambda so, s: so.least > 3 * so_at("batches", **s | {"epochs": "1"}).least),
    ("batches", "Ten batches", "fixed batches are the safer ones", lambda so, s: so.most < so.said),
    ("batches", "More noise", "The band is wide", lambda so, s: so.least < so.most / 2),
    ("bayes_error", "An even prior", "here the error is largest", lambda so, s: so.error >= max(
        so_at("bayes_error", **s | {"prior": x}).error for x in (0.1, 0.3, 0.48, 0.52, 0.9))),
    ("bayes_error", "An even prior", "The advantage is twice the drop",
     lambda so, s: 1 - 2 * so.error / 100 == approx(dp.Gaussian(sigma=1).advantage)),
    ("bayes_error", "No output changes the guess", "does not help", lambda so, s: so.decided),
    ("bayes_error", "Always something", "some outputs reverse any guess", lambda so, s: not so.decided and so.gain > 0),
    ("bayes_error", "Not at one half", "near a prior of 40%", lambda so, s: 0.35 < brentq(
        lambda x: so_at("bayes_error", **s | {"prior": x + 1e-4}).error
        - so_at("bayes_error", **s | {"prior": x - 1e-4}).error, 0.2, 0.6) < 0.45),
    ("be_the_adversary", "A threshold of ½", "about as many errors as expected",
     lambda so, s: abs(5 - 15 * ndtr(-0.5)) < 1 and so.where == "through"),
    ("be_the_adversary", "Tossed a coin", "thirty rounds are enough", lambda so, s: so.where == "above"),
    ("blackwell_order", "Neither", "The curves cross", lambda so, s: so.forth > 0 and so.back > 0),
    ("blackwell_order", "Gaussian dominates", "Every adversary does at least as well", lambda so, s: so.dominates),
    ("blackwell_order", "Never the reverse", "far out", lambda so, s: not so.dominates),
    ("calibration_point", "As in the textbooks", "ε = 1, δ = 10⁻⁵", lambda so, s: s == {"epsilon": 1, "delta": 1e-5}),
    ("calibration_point", "A generous δ", "visibly less noise",
     lambda so, s: so.scale < 0.9 * so_at("calibration_point", epsilon=1.0, delta=1e-5).scale),
    ("calibration_point", "As in deep learning", "far from small", lambda so, s: so.gaussian_advantage > 0.3),
    ("composition", "A long training run", "an accountant that knows the mechanism comes close",
     lambda so, s: abs(so.renyi / so.exact - 1) < 0.1 and abs(so.limit / so.exact - 1) < 0.1),
    ("composition", "A long training run", "one that knows only (ε, δ) does not",
     lambda so, s: min(known_by_theorems(1.0, 0.01, 10_000, 1e-5)) > 5 * so.exact),
    ("composition", "A limit is no bound", "does not keep",
     lambda so, s: so.steps == 100 and so.limit < 0.9 * so.exact),
    ("composition", "Sums of normal losses", "exact from the first step on",
     lambda so, s: so.limit == approx(so.exact, rel=1e-9)
     and dp.DPSGD(30.0, 1.0, 1).epsilon(1e-5) == approx(dp.Gaussian(30.0).epsilon(1e-5), rel=1e-9)),
    ("delta_divergence", "Figure 3 of the paper", "at the prior where Gaussian noise is regretted most",
     lambda so, s: so.laplace_error - so.gaussian_error == approx(so.gaussian_cost, abs=5e-4)
     and is_rounding(f"{100 * so.prior:g}%", expit(-1.0))),
    ("delta_divergence", "Same advantage", "to the precision of σ", lambda so, s: is_rounding(f"{s['sigma']:g}", EVEN)),
    ("delta_divergence", "Same advantage", "no difference at even odds",
     lambda so, s: abs(so.laplace_error - so.gaussian_error) < 1e-3 < so.gaussian_cost),
    ("delta_divergence", "Same (ε, δ)", "Both are (1, 10⁻⁴)-DP, to the precision of σ",
     lambda so, s: is_rounding(f"{s['sigma']:g}", gaussian_sigma(1, 1e-4)) and float(laplace_profile(1)(1)) == 0),
    ("delta_divergence", "Gaussian dominates", "reveals at least as much", lambda so, s: so.dominates),
    ("dpsgd_accounting", "Many small losses", "Only the accountant that knows nothing but (ε, δ) of a step is far off",
     lambda so, s: max(so.renyi, so.limit) < 1.2 * so.exact
     and min(known_by_theorems(2.0, 0.01, 10_000, 1e-5)) > 5 * so.exact),
    ("dpsgd_accounting", "Few, and little noise", "its ε is too small", lambda so, s: so.limit < 0.98 * so.exact),
    ("dpsgd_accounting", "Large samples", "smaller than the limit theorem assumes",
     lambda so, s: so.limit > 1.02 * so.exact),
    ("dpsgd_map", "Three times the steps", "larger than the base’s",
     lambda so, s: so.sigma > 1.05 * training(0.01, 500)[0] and so.steps == 3 * 500 and s["rate"] == 0.01),
    ("dpsgd_map", "Three times the steps", "err less often", lambda so, s: training(0.01, 1500)[1].bayes_error(0.5)
     < training(0.01, 500)[1].bayes_error(0.5) - 0.01),
    ("dpsgd_map", "Batches four times as large", "most of the regret",
     lambda so, s: so.regret > so_at("dpsgd_map", **s | {"rate": 0.9}).regret / 2 and s["rate"] == 0.04),
    ("dpsgd_map", "The far corner", "Nine out of ten examples", lambda so, s: s["rate"] == 0.9 and so.steps == 1500),
    ("duel", "Even odds", "the first wins", lambda so, s: so.lead > 5e-4 and so.prior == 0.5),
    ("duel", "At the corner", "At a prior of 27%",
     lambda so, s: so.lead < -5e-4 and is_rounding("27%", expit(-1)) and so.prior == 0.27),
    ("duel", "There and back", "the first wins again, by a little", lambda so, s: 0 < so.lead < 0.02),
    ("duel", "The same advantage", "no more than a draw at even odds", lambda so, s: abs(so.lead) < 1e-12),
    ("duel", "The same advantage", "At every other prior the second wins", lambda so, s: all(
        so_at("duel", **s | {"prior": float(x)}).lead < 0 for x in np.linspace(0.01, 0.99, 99) if abs(x - 0.5) > 1e-3)),
    ("emergent_dominance", "One step", "The curve lies on both sides of the line",
     lambda so, s: min(so.forth, so.back) > 0.01),
    ("emergent_dominance", "Sixteen smaller steps", "One of the leads has all but vanished",
     lambda so, s: min(so.forth, so.back) < 1e-4),
    ("emergent_dominance", "Sixteen smaller steps", "the other is a tenth above its limit",
     lambda so, s: is_rounding("1.1", max(so.forth, so.back) / (ndtr(-1 / 2.2) - ndtr(-1 / 2)))),
    ("emergent_dominance", "Sixteen equal steps", "Randomized response has the larger η",
     lambda so, s: so.mu_response > so.mu_gaussian),
    ("emergent_dominance", "Too many steps", "Both leads vanish", lambda so, s: max(so.forth, so.back) < 1e-3),
    ("emergent_dominance", "Too many steps", "nearly everything away", lambda so, s: so.largest_error < 1e-3),
    ("envelope", "One point", "may learn nearly everything", lambda so, s: so.known_advantage > 0.95),
    ("envelope", "One point that says it all", "One of the four points is ε = 1", lambda so, s: so.all_said),
    ("envelope", "More, and worse", "Ten points leave a larger gap than eight",
     lambda so, s: so.gap > so_at("envelope", **s | {"k": 8}).gap and so.k == 10),
    ("envelope", "Nearly all", "hardly be distinguished", lambda so, s: so.gap < 0.01 and so.k == 20),
    ("gaussian_noise", "Where it is proved", "only a small part of the δ", lambda so, s: so.times < 0.1),
    ("gaussian_noise", "By luck", "nearly hits the target", lambda so, s: 0.5 < so.times <= 1 and so.saved < 0.02),
    ("gaussian_noise", "A broken promise", "too little noise", lambda so, s: so.times > 1 and so.saved < 0),
    ("hyper_prior", "Jeffreys", "a little more weight", lambda so, s: betainc(0.5, 0.5, 0.1) > 0.1),
    ("hyper_prior", "Strong opinions", "the ranking is reversed", lambda so, s: so.ahead * so.plain < 0),
    ("hyper_prior", "Mostly sure of P", "is high", lambda so, s: beta_law(s["a"], float(s["b"])).mean() > 0.75),
    ("many_answers", "One answer", "it is 0.4 more often", lambda so, s: so.likely > 0.5 and so.largest == 0.4),
    ("many_answers", "Nine answers", "for fewer than 1 in 100", lambda so, s: so.all < 0.01 and so.steps == 9),
    ("many_answers", "Forty answers", "close to a bell curve", lambda so, s: all(
        abs(binom.cdf(x, 40, so.likely) - ndtr((0.4 * (2 * x - 39) - so.mean) / so.spread)) < 0.01 for x in range(41))),
    ("many_answers", "Forty answers", "far from the budgets", lambda so, s: so.largest > so.mean + 5 * so.spread),
    ("nearly_ordered", "Laplace below Gaussian", "has just come below", lambda so, s: so.above == 0 < so_at(
        "nearly_ordered", **s | {"kappa": s["kappa"] - 1e-4}).above),
    ("nearly_ordered", "Gaussian below Laplace", "had less far to move",
     lambda so, s: s["kappa"] < 0.0342 and so.above == 0 < so_at("nearly_ordered", **s | {"kappa": 0.005}).above),
    ("one_mechanism", "One tangent", "touches the curve at this threshold",
     lambda so, s: so.beta == approx(1 - so.delta - so.slope * so.alpha)),
    ("one_mechanism", "One Bayes error", "Hung from the error of a blind guess",
     lambda so, s: so.error == approx(so.guess - so.guess * so.delta)),
    ("posterior_belief", "Nobody over 90%", "(ε, δ) = (2.2, 0.01)",
     lambda so, s: is_rounding("2.2", log(9)) and so.tolerance == 0.9 and so.delta == 0.01),
    ("posterior_belief", "Nobody over 90%", "if you are in, more than three in a hundred",
     lambda so, s: 0.03 < so.exceeds < 0.04),
    ("posterior_belief", "With the old formula", "larger than (ε, δ) requires",
     lambda so, s: so.sigma > gaussian_sigma(log(9), 0.01)),
    ("posterior_belief", "With the old formula", "the probability stays below δ", lambda so, s: so.ratio < 1),
    ("posterior_belief", "As it was meant", "if you are in, one output in a hundred",
     lambda so, s: so.exceeds == approx(0.01)),
    ("posterior_belief", "A small promise", "more than forty times as often", lambda so, s: 40 < so.ratio < 50),
    ("posterior_belief", "A small promise", "a δ of one in a million", lambda so, s: so.delta == 1e-6),
    ("privacy_loss", "The advantage", "total variation distance",
     lambda so, s: so.epsilon == 0 and so.delta == approx(2 * ndtr(0.5) - 1)),
    ("privacy_loss", "A bounded loss", "δ is 0", lambda so, s: so.delta == 0 and so.epsilon == so.largest),
    ("privacy_loss", "A tail is not δ", "count little", lambda so, s: so.weight < 1 / 3),
    ("renyi_order", "σ = 1/ε", "below sε²/2", lambda so, s: s["sigma"] == 1 / s["epsilon"] and so.larger),
    ("renyi_order", "Both agree", "in Blackwell’s sense, too", lambda so, s: so.larger and so.dominates),
    ("renyi_order", "Rényi undecided", "do not order the two", lambda so, s: not so.larger and so.shown),
    ("reports", "One pair", "(8, 10⁻⁵)", lambda so, s: is_rounding("8", so.epsilon) and so.delta == 1e-5),
    ("reports", "One pair", "right nearly always", lambda so, s: so.allowed > 0.999),
    ("reports", "One number more", "more than four fifths of what was open",
     lambda so, s: so.left < so_at("reports", **s | {"facts": "a pair"}).left / 5),
    ("reports", "One number instead", "more than twice as much open as the pair with the advantage",
     lambda so, s: so.left > 2 * so_at("reports", **s | {"facts": "pair, advantage"}).left),
    ("reports", "Where one number suffices", "one μ says nearly everything", lambda so, s: so.left < 1e-3),
    ("side_by_side", "The same (ε, δ)", "far smaller at the same (1, 10⁻⁵)",
     lambda so, s: sqrt(2) * so.there["Laplace"].scale < so.there["Gaussian"].sigma / 2
     and all(m.privacy_profile(1) == approx(1e-5, rel=1e-6) for m in so.there.values())),
    ("side_by_side", "The same (ε, δ)", "At even odds that shows",
     lambda so, s: so.prior == 0.5 and so.error_of_Laplace < so.error_of_Gaussian - 0.1),
    ("side_by_side", "The same advantage", "At even odds all are alike",
     lambda so, s: so.prior == 0.5 and all(m.bayes_error(0.5) == approx(0.375, abs=1e-9) for m in so.there.values())),
    ("side_by_side", "The same advantage",
     "no adversary does worse against Gaussian noise than against the other three, and many do better",
     lambda so, s: len(so.there) == 4 and all(
         d.value < 1e-12 if pair[0] == "Gaussian" else d.value > 0.005
         for pair, d in so.regrets.items() if "Gaussian" in pair)),
    ("side_by_side", "The same ε", "All are 1-DP, and no better",
     lambda so, s: all(m.epsilon(0.0) == approx(1, rel=1e-12) for m in so.there.values())),
    ("side_by_side", "The same ε", "the exponential mechanism gives away much less",
     lambda so, s: all((d.value > 0.05) if row == "exponential" else d.value < 1e-9
                       for (row, own), d in so.regrets.items() if "exponential" in (row, own))),
    ("side_by_side", "The same noise", "at even odds it is Gaussian noise",
     lambda so, s: so.error_of_Gaussian > so.error_of_Laplace + 0.01
     and all(deviation(m) == approx(3) for m in so.there.values())),
    ("side_by_side", "The same noise", "at most other priors Laplace noise",
     lambda so, s: so.regrets["Laplace", "Gaussian"].value > 0.005 and np.mean(np.subtract(*(
         m.bayes_error(np.linspace(0.01, 0.99, 99)) for m in so.there.values())) < 0) > 0.5),
    ("spectrum", "Halfway", "σ is about 0.75", lambda so, s: abs(so.share - 0.5) < 0.01
     and 1 / (2 * ndtri(0.75)) == approx(0.75, rel=0.02)),
    ("spectrum", "An ε of 5", "close to publishing", lambda so, s: so.share > 0.95),
    ("spectrum", "Off the band", "f is not symmetric", lambda so, s: so.total > 0.51),
    ("subsampling", "A small sample", "a few are large", lambda so, s: so.remove_epsilon > 1 > so.add_epsilon * 5),
    ("subsampling", "Nearly everything", "no loss exceeds −log(1 − p)",
     lambda so, s: so.add_epsilon < -log1p(-s["rate"]) < so.remove_epsilon and s["rate"] > 0.9),
    ("subsampling", "Much noise", "The trade-off functions nearly agree", lambda so, s: np.max(np.abs(
        dp.SubsampledGaussian(3, 0.3).directions[0].tradeoff(np.linspace(0, 1, 101))
        - dp.SubsampledGaussian(3, 0.3).directions[1].tradeoff(np.linspace(0, 1, 101)))) < 0.01),
    ("subsampling", "Much noise", "which do not", lambda so, s: so.remove_epsilon > 1.2 * so.add_epsilon),
    ("threshold_test", "Accuse few", "three in four of those who are in the data go unnoticed",
     lambda so, s: 70 < so.missed < 80 and so.accused < 10),
    ("threshold_test", "Accuse many", "few are missed, and most of the innocent are accused",
     lambda so, s: so.missed < 10 and so.accused > 50),
    ("threshold_test", "Less noise", "make both errors smaller at once", lambda so, s: all(
        getattr(so, e) < getattr(so_at("threshold_test", **s | {"sigma": 1.0}), e) for e in ("accused", "missed"))),
    ("threshold_test", "More noise", "the whole curve comes closer to blind guessing", lambda so, s: all(
        ndtr(-ndtri(x) - 1) < ndtr(-ndtri(x) - 1 / 2) < 1 - x for x in np.linspace(0.01, 0.99, 99))),
    ("total_failure", "Ten in a million", "ten people are given away", lambda so, s: so.ruined == approx(10)),
    ("total_failure", "A δ you can see", "one person in a hundred", lambda so, s: so.ruined == approx(10_000)),
    ("total_failure", "A small ε", "far more often than δ says", lambda so, s: so.over > 20 * so.ruined),
    ("total_failure", "A small ε", "only by a little each time", lambda so, s: so.odds < 1.5 * so.promised),
    ("tradeoff_gallery", "One line suffices", "ε = ε₀",
     lambda so, s: so.delta == approx(0, abs=1e-15) and so.epsilon == 1 / s["noise"]),
    ("tradeoff_gallery", "A tangent everywhere", "No tangent to a Gaussian curve has δ = 0",
     lambda so, s: so.delta > 0),
    ("tradeoff_gallery", "The edge of Laplace noise", "δ is 0", lambda so, s: so.delta == 0),
    ("two_offers", "The same (ε, δ)", "As quoted, both are (6, 10⁻⁵)-DP",
     lambda so, s: all(offer(n, so.noise_b).epsilon(1e-5) == approx(6, abs=5e-3) for n in "AB")),
    ("two_offers", "The same (ε, δ)", "A’s keeps the promise, B’s does not",
     lambda so, s: so.exposed_a <= so.allowed < so.exposed_b),
    ("two_offers", "The smaller ε", "until its ε is 4.2", lambda so, s:
     is_rounding("4.2", offer("B", so.noise_b).epsilon(1e-5))),
    ("two_offers", "The smaller ε", "B still exposes more people", lambda so, s: so.exposed_b > so.exposed_a),
    ("two_offers", "The same Bayes error at ½", "an adversary with even odds errs equally often",
     lambda so, s: offer("A", 0).bayes_error(0.5) == approx(offer("B", so.noise_b).bayes_error(0.5), abs=5e-4)),
    ("two_offers", "The same Bayes error at ½", "A exposes far more people to the hospital’s",
     lambda so, s: so.exposed_a > 50 * so.exposed_b),
    ("two_offers", "An insider", "80% sure beforehand: now B exposes more people",
     lambda so, s: so.prior == 0.8 and so.exposed_b > so.exposed_a),
]  # fmt: skip


def test_six_runs_with_half_the_noise_stay_where_98_of_100_sound_ones_are():
    z, steps = sqrt(30) * gaussian_sigma(log(9), 0.01), np.arange(1, 31)
    # From the mean log-odds, in standard deviations of a sound run.
    away = belief_noise()[:6].cumsum(1) / 2 / np.sqrt(steps)
    assert (abs(away) <= ndtri(0.99)).all()
    shown = losses("noise for half the sensitivity")[:6]
    assert shown == approx(steps / z**2 / 2 + away * np.sqrt(steps) / z)


def test_four_times_the_sampling_rate_costs_more_than_three_times_the_steps():
    regrets = [
        so_at("dpsgd_map", rate=rate, steps=steps, guess=0.1).regret for rate, steps in ((0.04, "500"), (0.01, "1500"))
    ]
    assert regrets[0] > regrets[1] > 0.01


# Stories without a number or a comparison.
NO_CLAIM = {
    ("one_mechanism", "One curve"),
    ("one_mechanism", "One profile"),
    ("be_the_adversary", "Never accuse"),
    ("hyper_prior", "Flat"),
}


def known_by_theorems(sigma, rate, steps, delta):
    """ε by basic and by advanced composition of the (ε, δ) of a step."""
    half = delta / (2 * steps)
    whole, part = dp.SubsampledGaussian(sigma, rate).epsilon([2 * half, half])
    # Kairouz, Oh & Viswanath (2015), the last of three terms, which is Dwork, Rothblum & Vadhan's.
    spread = part * np.expm1(part) / (np.exp(part) + 1)
    return steps * whole, steps * spread + part * sqrt(2 * steps * log(2 / delta))


@pytest.mark.cases(20)
@pytest.mark.parametrize(
    ("explorer", "label", "words", "fits"), CLAIMS, ids=lambda part: "" if callable(part) else part[:24]
)
def test_what_a_step_claims_is_so(explorer, label, words, fits):
    e = getattr(dp.explore, explorer)()
    setting = e.setting | e.steps[label]
    assert words in e.explorer.steps[label][0]
    assert fits(so_at(explorer, **setting), setting)


def test_the_claims_of_all_steps_are_known():
    told = {(name, label) for name in NAMES for label in getattr(dp.explore, name).steps}
    assert told == {(name, label) for name, label, *_ in CLAIMS} | NO_CLAIM


# Other texts, and the code.


@every_explorer
def test_the_ends_of_a_slider_are_settings(name):
    for parameter in getattr(dp.explore, name)().parameters.values():
        if not isinstance(parameter, Choice):
            assert (parameter.values[0], parameter.values[-1]) == (parameter.min, parameter.max)


def test_a_slider_whose_end_is_no_setting_is_refused():
    with pytest.raises(ValueError, match="max must be whole steps"):
        Slider(0.1, 4.0, 1.5, "randomized response", step=0.2)


def test_an_option_is_a_number_or_a_string_in_double_quotes():
    options = ("10⁻⁵", "0.01", "DP-SGD, σ = 1", "Beta(a, b)")
    assert [Choice(options, "0.01", "").code(option) for option in options] == [
        "1e-5",
        "0.01",
        '"DP-SGD, σ = 1"',
        '"Beta(a, b)"',
    ]


@every_explorer
def test_small_numbers_are_written_as_powers_of_ten(name):
    e = getattr(dp.explore, name)
    texts = [e.title, e.caption, e.find, *(story for story, _ in e.steps.values()), *e.steps]
    texts += [text for number in e.shown_numbers.values() for text in (number.label, number.help)]
    texts += [text for p in e.parameters.values() for text in (p.title, *getattr(p, "options", ()))]
    texts += [text for panel in e.panels for text in (panel.title, panel.xlabel, panel.ylabel)]
    texts += SAYS[name]
    assert not [text for text in texts if re.search(r"0\.0000|\de[-−+]?\d", text)]


@every_explorer
def test_no_axis_of_probabilities_goes_beyond_one(name):
    for panel in getattr(dp.explore, name).panels:
        for label, limits in ((panel.xlabel, panel.xlim), (panel.ylabel, panel.ylim)):
            if re.search(r"belief|prior|error [αβ]|^δ\(ε\)|^Pr\[", label):
                assert limits[0] >= -0.05 and limits[1] <= 1.05, label


def residues(code):
    """What a template leaves behind: computations of what is known, and choices among what was chosen."""
    found = []
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Compare):
            known = [node.left, *node.comparators]
        elif isinstance(node, ast.BinOp):
            known = [node.left, node.right]
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in {"float", "int", "round", "str"}
        ):
            known = node.args
        elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Dict):
            known = [node.slice]
        else:
            continue
        literal = [isinstance(each.operand if isinstance(each, ast.UnaryOp) else each, ast.Constant) for each in known]
        if all(literal) and ast.unparse(node) not in ALLOWED:
            found.append(ast.unparse(node))
    return found


ALLOWED = {"30 ** 0.5", "1 / 2", "float('nan')"}  # as people write them


def test_the_code_that_is_shown_is_clean(tmp_path):
    for name in NAMES:
        e = getattr(dp.explore, name)()
        generator = random.Random(name)
        for number, setting in enumerate(
            [{}, *e.steps.values(), *({n: drawn(generator, p) for n, p in e.parameters.items()} for _ in range(4))]
        ):
            e.set(**setting)
            assert not residues(e.code()), name
            (tmp_path / f"{name}_{number}.py").write_text(e.code(), encoding="utf-8")
    for command in (["check", "--output-format", "concise", "--ignore", "D"], ["format", "--check"]):
        ran = subprocess.run(
            [sys.executable, "-m", "ruff", *command, "--quiet", "--config", ROOT / "pyproject.toml", tmp_path],
            capture_output=True,
            text=True,
            cwd=ROOT,
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr
