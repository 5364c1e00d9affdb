"""Calls on which an accountant, ours or another, was once seen to fail, with the values that are right.

Tiny δ of few steps or rare participation, powers of Laplace, losses in the millions, binomials of a thousand and more,
and the last ε of bounded losses. Three could not be resolved: DPSGD(2.936056501825086, 4.6574773309197525e-05, 1640795)
beyond 0.5, DPSGD(0.1, 0.01, 1000) below 1600, where a contour in ball arithmetic missed a part of 1e-7 (sums of
positive terms and a contour on the other side of the pole agree), and Laplace(0.38077858051633917)**58 with five
subsampled Gaussians.
"""

from __future__ import annotations

import math
from functools import partial

from flint import arb

from . import contour, sums
from .contour import Gaussian, Laplace, Subsampled, solve

ATTEMPTS = (*contour.ATTEMPTS[:3], (55, 65, 0.6), (115, 65, 0.4), (190, 65, 0.3))


def trained(sigma, rate, count, *more):
    """The triple of DP-SGD, remove, and what is beside it."""
    parts = [Subsampled(sigma, rate, count), *more]

    def triple(x):
        _, delta, alpha, beta, doubt = solve(parts, x, attempts=ATTEMPTS)
        if doubt > contour.GOAL:
            raise contour.NotResolved("doubtful")
        return [delta, 1 - beta, alpha * arb(x).exp()]

    return triple


def others(*parts):
    def triple(x):
        _, delta, alpha, beta, doubt = solve(parts, x, attempts=ATTEMPTS)
        if doubt > contour.GOAL:
            raise contour.NotResolved("doubtful")
        return [delta, 1 - beta, alpha * arb(x).exp()]

    return triple


def laplace(*parts):
    return partial(sums.precise, lambda digits: sums.LaplaceProduct(parts, digits))


def atoms(p, q, n):
    def triple(x):
        contour.set_digits(60)
        return sums.mixture(sums.power(sums.experiment(p, q)[0], n))(x)

    return triple


def responses(epsilon, n):
    def triple(x):
        contour.set_digits(60)
        return sums.responses(epsilon, n)(x)

    return triple


def beside_gaussian(epsilon, n, mu):
    def triple(x):
        contour.set_digits(60)
        return sums.mixture(sums.response_atoms(epsilon, n), sums.gaussian(mu))(x)

    return triple


def added(part, epsilon, n):
    """The triple of DP-SGD, add, beside randomized responses, with whom its δ is the larger one at some positive ε."""

    def base(x):
        _, delta, alpha, beta, doubt = solve([part], float(x), True, attempts=ATTEMPTS)
        if doubt > contour.GOAL:
            raise contour.NotResolved("doubtful")
        return [delta, 1 - beta, alpha * x.exp()]

    def triple(x):
        contour.set_digits(60)
        return sums.mixture(sums.response_atoms(epsilon, n), base)(x)

    return triple


def dpsgd(sigma, rate, count, epsilons):
    return f'DPSGD({sigma}, {rate}, {count}, "remove")', trained(sigma, rate, count), epsilons


LAPLACE = {
    (0.4351258658994215, 53): [99.79031, 115.0, 121.0],
    (0.31924926376350016, 59): [175.858555],
    (0.4135814952344823, 53): [107.22784],
    (0.4893443964458881, 60): [80.9, 97.482469, 97.483, 102.556, 117.5],
    (3.722524987873323, 310): [34.3657, 36.0208, 37.5732, 39.935],
    (0.9382555959585153, 92): [71.766],
    (1.101638486150215, 105): [68.33],
    (1, 2): [0.0, 1.0, 1.999, 1.9999999],
    (1, 3): [0.0, 1.0, 1.3, 2.9, 2.999999],
    (1, 10): [0.0, 2.0, 6.0, 8.0, 9.99],
    (0.001, 2): [1000.0, 1977.0, 1999.9],
    (1, 500): [100.0, 200.0, 260.0],
    (2.0, 2): [0.0, 0.5, 0.999999],
}

CALLS = [
    *((f"Laplace({b})**{n}", laplace((b, n)), at) for (b, n), at in LAPLACE.items()),
    ("Laplace(1) @ Laplace(2)", laplace((1, 1), (2, 1)), [0.0, 0.7, 1.49999]),
    ("Laplace(1)**3 @ Laplace(2)**2", laplace((1, 3), (2, 2)), [0.0, 2.5, 3.5, 3.9999]),
    ("Laplace(1)**100000000", others(Laplace(1, 10**8)), [36780000.0, 36800000.0, 36850000.0]),
    ("Laplace(1e-05) @ Gaussian(1)", others(Laplace(1e-5, 1), Gaussian(1.0)), [99999.0, 100000.5, 100005.0]),
    ("RandomizedResponse(1)**3000", responses(1, 3000), [1386.0, 1589.75, 1700.5, 2500.5]),
    ("RandomizedResponse(1)**2000", responses(1, 2000), [1016.5, 1090.5, 1170.5]),
    ("RandomizedResponse(1)**1500", responses(1, 1500), [693.5, 836.5]),
    ("RandomizedResponse(1)**10000", responses(1, 10**4), [4620.5, 4996.1, 5500.5]),
    ("RandomizedResponse(400)**2", responses(400, 2), [10.0, 700.0, 799.9]),
    ("RandomizedResponse(0.01)**10000000", responses(0.01, 10**7), [500.0, 634.9, 700.3]),
    ("RandomizedResponse(0.001)**1000000000", responses(0.001, 10**9), [500.0, 634.9, 700.3]),
    ("FiniteExperiment(p=[0.7, 0.3], q=[0.3, 0.7])**5000", atoms([0.7, 0.3], [0.3, 0.7], 5000), [1694.0, 1900.0]),
    ("RandomizedResponse(1)**3000 @ Gaussian(1)", beside_gaussian(1, 3000, 1), [1387.0, 1590.34, 1700.0]),
    ("RandomizedResponse(5)**200 @ Gaussian(1)", beside_gaussian(5, 200, 1), [950.0, 990.0, 1000.0, 1005.0]),
    (
        'DPSGD(5.8483, 0.0065276, 1793, "both") @ RandomizedResponse(0.077454)**11',
        added(Subsampled(5.8483, 0.0065276, 1793), 0.077454, 11),
        [0.2, 0.37992377],
    ),
    dpsgd(0.6, 0.01, 2, [0.0, 0.1, 1.0, 3.0, 6.0, 12.0]),
    dpsgd(2.5339764773545554, 0.007491566949860765, 2, [0.0, 0.01, 0.1, 0.3, 0.45]),
    dpsgd(0.6, 0.02, 50, [0.0, 1.0, 4.0, 8.0, 12.0, 16.0, 20.0]),
    dpsgd(0.5, 1e-6, 10**5, [0.0, 0.1, 0.29576, 0.3, 0.30916, 1.0, 3.0, 6.0]),
    dpsgd(0.2141, 2.477e-5, 15791, [5.0, 10.0, 20.0, 40.0, 60.0]),
    dpsgd(0.2076, 1.326e-5, 1107, [5.0, 20.0, 32.863, 33.22]),
    dpsgd(0.3, 1e-6, 2000, [0.1, 1.0, 8.0]),
    dpsgd(0.1, 0.01, 1000, [1600.0]),
    dpsgd(2.936056501825086, 4.6574773309197525e-05, 1640795, [0.0, 0.1]),
    dpsgd(53.7, 0.924, 3, [0.0, 0.1, 0.3]),
    dpsgd(2.2134100005416837, 0.4972605899242696, 846167066, [21900000.0, 21919309.0, 21950000.0]),
    dpsgd(0.26651960071698905, 0.08388915942868488, 929886342, []),
    dpsgd(0.505169, 0.920931, 203301711, []),
]


def points(call):
    """Text of the call, and ε with its triple; about the mean of the losses where no ε is named."""
    text, triple, epsilons = call
    if not epsilons:
        sigma, rate, count = (float(x) for x in text[6:-11].split(","))
        mean, variance = contour.cumulants([Subsampled(sigma, rate, int(count))], 0.0)[1:]
        epsilons = [contour.rounded(mean + k * math.sqrt(variance)) for k in (-3, 0, 3, 8)]
    return text, [(epsilon, triple(epsilon)) for epsilon in epsilons]
