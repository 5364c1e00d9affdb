"""In ball arithmetic of 170 bits: the Bayes error of a composition, by the integral on Re s = 1/2, written a second
time, and the Hellinger transform of a step of DP-SGD at real numbers.

A part is a mechanism in one direction and how often it is used. Nothing here comes from the library but parameters.
"""

from __future__ import annotations

import math
from functools import lru_cache

import flint
import numpy as np
from flint import acb, arb

import dptutor as dp

flint.ctx.prec = 170
HALF = arb(1) / 2


class TooLong(Exception):
    """The integral would take minutes."""


def bayes_error(parts, log_odds, step, most_terms=320):
    """R at each of the log-odds, of finite losses that lie within ±π/step; `step` is halved for safety."""
    step, transform, envelope = arb(step) / 2, [], []
    while len(transform) < most_terms:
        t = [step * k for k in range(len(transform), len(transform) + 64)]
        values, sizes = [acb(1)] * len(t), [1.0] * len(t)
        for part, count in parts:
            factors = powers(part, count, t)
            values = [a * b for a, b in zip(values, factors, strict=True)]
            if not part._breakpoints().size:  # the phases of atoms come round again
                sizes = [a * float(abs(b)) for a, b in zip(sizes, factors, strict=True)]
        transform += values
        envelope += sizes
        if abs(transform[0]) < 1e-250:
            return [0.0 for _ in log_odds]
        # A sixth of the range, all small, is taken as the end.
        if max(envelope[-max(32, len(envelope) // 6) :]) < 1e-27 * float(abs(transform[0])):
            return [float(at_odds(transform, step, arb(float(x)))) for x in log_odds]
    raise TooLong


def at_odds(transform, step, epsilon):
    total = arb(0)
    for k, value in enumerate(transform):
        t = step * k
        term = (value * (acb(0, -1) * epsilon * t).exp()).real / (HALF**2 + t * t)
        total += term if k == 0 else 2 * term
    # Images of min(π, 1 − π), to which R tends outside the losses.
    q = (-arb.pi() / step).exp()
    images = 2 * (epsilon / 2).cosh() * q / (1 - q)
    return (total * step / (2 * arb.pi()) - images) / (2 * (epsilon / 2).cosh())


def powers(part, count, t):
    """H(1/2 + it)^count at evenly spaced t."""
    if isinstance(part, dp.SubsampledGaussian):
        sigma, rate = part.noise_multiplier, part.sampling_rate
        # In half the strip where the mixture has no zero the trapezoid sum errs by less than e^−80.
        spacing = min(0.13, math.pi**2 * sigma / (80 + 1.7 * float(t[-1])))
        # A term at one t is the term at the t before, turned: products are much faster than exponentials.
        side = 1 if part.direction == "remove" else -1
        first, turn = acb(HALF, side * t[0]), acb(0, side * (t[1] - t[0]))
        rows = nodes(sigma, rate, spacing)
        terms = [(first * loss - half).exp() for loss, half in rows]
        turns = [(turn * loss).exp() for loss, _ in rows]
        found = []
        for _ in t:
            # |H| is near 1 on steps of interest, and its power has no branch to choose: exp(n log H).
            found.append((count * sum(terms, acb(0)).log()).exp())
            terms = [a * b for a, b in zip(terms, turns, strict=True)]
        return found
    s = [acb(HALF, x) for x in t]
    if isinstance(part, dp.Gaussian):
        return [(count * z * (z - 1) * arb(part.mu) ** 2 / 2).exp() for z in s]
    if isinstance(part, dp.Laplace):
        top = arb(part.sensitivity) / arb(part.scale)
        return [power(laplace(z, top), count) for z in s]
    if isinstance(part, dp.RandomizedResponse):
        odds = arb(part.largest_loss).exp()
        likely, unlikely = (odds / (1 + odds)).log(), (1 / (1 + odds)).log()
        each = [(z * likely + (1 - z) * unlikely).exp() + (z * unlikely + (1 - z) * likely).exp() for z in s]
        return [power(value, count) for value in each]
    raise TypeError(part)


def laplace(s, top):
    """Atoms at ±top, and the density e^{(x − top)/2}/4 under Q between them."""
    u = s - HALF
    atoms = ((s - 1) * top).exp() / 2 + (-s * top).exp() / 2
    between = (-top / 2).exp() / 4 * ((u * top).exp() - (-u * top).exp()) / u if u != 0 else (-top / 2).exp() * top / 2
    return atoms + between


@lru_cache(maxsize=4)
def nodes(sigma, rate, spacing):
    """The loss at the nodes of a trapezoid sum, and minus the logarithm of the weight."""
    sigma, rate, spacing_ = arb(sigma), arb(rate), arb(spacing)
    log_weight = (spacing_ / (2 * arb.pi()).sqrt()).log()
    rows = []
    for k in range(-math.ceil(15 / spacing), math.ceil((15 + 1 / float(sigma)) / spacing) + 1):
        u = spacing_ * k
        loss = (1 - rate + rate * (u / sigma - 1 / (2 * sigma * sigma)).exp()).log()
        rows.append((loss, u * u / 2 - log_weight))
    return rows


def power(z, n):
    """z^n by squaring: a logarithm in balls would straddle its cut."""
    result = acb(1)
    while n:
        if n & 1:
            result *= z
        z, n = z * z, n >> 1
    return result


def log_power(sigma, rate, s):
    """log E_P[(dQ/dP)^s] of a step of DP-SGD, whose record Q has, by a trapezoid sum.

    The mixture has no zero within πσ of the real line, so that the sum errs by less than e^−90 of the power. Summed are
    the nodes whose terms, by doubles, are within e^−100 of the largest.
    """
    mu, spacing = 1 / sigma, min(0.1, sigma / 30)
    peak = s * mu
    for _ in range(500):
        peak = s * mu / (1 + math.exp(math.log1p(-rate) - math.log(rate) + min(mu**2 / 2 - mu * peak, 700.0)))

    def sizes(places):
        u = spacing * places
        power = s * np.logaddexp(math.log1p(-rate), math.log(rate) + mu * u - mu**2 / 2)
        return np.where(power > 1, power, np.log(np.abs(np.expm1(np.minimum(power, 1))) + 1e-300)) - u**2 / 2

    # First at a distance of 1, then near the large ones.
    stride = math.floor(1 / spacing)
    first, last = (min(0.0, peak) - 16) / spacing, (max(0.0, peak) + 16) / spacing
    rough = np.arange(math.floor(first), last + stride, stride, dtype=int)
    rough = rough[sizes(rough) > sizes(rough).max() - 150]
    places = np.unique(np.add.outer(rough, np.arange(-stride, stride + 1)))
    places = places[sizes(places) > sizes(places).max() - 100]
    mu, rate, s, spacing, total = 1 / arb(sigma), arb(rate), arb(s), arb(spacing), arb(0)
    for place in places:
        u = spacing * int(place)
        log_power = s * (rate * (mu * u - mu * mu / 2).expm1()).log1p()
        total += (-u * u / 2).exp() * log_power.expm1()
    return float((total * spacing / (2 * arb.pi()).sqrt()).log1p())
