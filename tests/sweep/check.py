"""A part of the references computed once more by other means: `python -m tests.sweep.check`.

- single steps, whose profile is a closed form, by contour;
- two steps, by quadrature over the noise;
- every eighth of the other DP-SGDs and mixes, on another contour: other angle, saddle, nodes, path of noise and digits;
- powers of Laplace up to five, as mixtures of Irwin–Hall densities between atoms, by Gauss–Legendre quadrature;
- randomized response, Pr_Q[L > ε] as an incomplete beta function.

Prints the largest relative difference of each, and of δ unless it says otherwise.
"""

from __future__ import annotations

import json
import math
import re
import sys

import mpmath
from flint import arb

from . import contour
from .contour import Gaussian, Laplace, NotResolved, Randomized, Subsampled, solve
from .reference import DATA

CONTOURS = ("dpsgd_few", "dpsgd_long", "dpsgd_rare", "mix_gaussian", "mix_laplace", "mix_response", "mix_trainings")
OTHER = ((50, 67, 0.5), (95, 66, 0.35), (150, 68, 0.3))


def stored(kind):
    return json.loads((DATA / f"{kind}.json").read_text())["settings"]


def parts_of(text):
    """Parts for a contour, and the direction, from the text of a setting."""
    parts, direction = [], "add"  # of symmetric parts either is right
    for name, arguments, power in re.findall(r"(\w+)\(([^)]*)\)(?:\*\*(\d+))?", text):
        values, count = arguments.replace('"', "").split(", "), int(power or 1)
        if name in ("DPSGD", "SubsampledGaussian"):
            direction = values.pop()
            steps = int(values[2]) if name == "DPSGD" else count
            parts.append(Subsampled(float(values[0]), float(values[1]), steps))
        elif name == "Gaussian":
            parts.append(Gaussian(1 / float(values[0]), count))
        elif name == "Laplace":
            parts.append(Laplace(float(values[0]), count))
        else:
            parts.append(Randomized(float(values[0]), count))
    return parts, direction


def difference(value, reference):
    return float(abs(value - arb(reference)) / arb(reference)) if reference else 0.0


def again(kind, every):
    """By another contour. Of both directions it is the larger δ, which is found here by asking for each."""
    worst, count = 0.0, 0
    for text, points in stored(kind)[::every]:
        parts, direction = parts_of(text)
        for epsilon, delta, _, _ in points:
            try:
                found = solve(parts, epsilon, direction == "add" and epsilon > 0, attempts=OTHER)
            except NotResolved:
                continue
            if found[4] <= contour.GOAL:
                count += 1
                off = difference(found[1], delta)
                worst = max(worst, off)
                if off > 1e-11:
                    print(f"    {text} at {epsilon}: {found[1].str(15)} here, {delta} stored")
    return worst, count


def few(sigma, rate, steps, x):
    """δ of some steps, remove: E_Q over the noise of the first of δ of the others; of one step the closed form."""
    s, p, x = mpmath.mpf(sigma), mpmath.mpf(rate), mpmath.mpf(x)
    ratio = mpmath.exp(x) - 1 + p
    if steps == 1:
        if ratio <= 0:
            return 1 - mpmath.exp(x)
        u = s * mpmath.log(ratio / p) + 1 / (2 * s)
        return p * mpmath.ncdf(1 / s - u) - ratio * mpmath.ncdf(-u)

    def term(u):
        loss = mpmath.log(1 - p + p * mpmath.exp(u / s - 1 / (2 * s * s)))
        return mpmath.exp(loss - u * u / 2) * few(sigma, rate, steps - 1, x - loss)

    # Beyond the bend the others have no losses so small, and their δ is 1 − e^{x − loss}.
    start, end, rest = mpmath.mpf(-18), 18 + 1 / s, (steps - 1) * mpmath.log(1 - p)
    bend = s * mpmath.log((mpmath.exp(x - rest) - 1 + p) / p) + 1 / (2 * s) if x - rest > mpmath.log(1 - p) else start
    bend = min(max(bend, start), end)
    marks = [start + k * (bend - start) / 4 for k in range(5)] if bend > start else [start]
    return mpmath.quad(term, marks + ([end] if bend < end else [])) / mpmath.sqrt(2 * mpmath.pi)


def nested():
    worst, count = 0.0, 0
    cases = [(2.5, 0.0075, 2), (0.6, 0.01, 2), (0.3, 1e-3, 2), (1.0, 0.2, 2), (10.0, 0.05, 2), (1.5, 0.1, 2)]
    for sigma, rate, steps in cases:
        for epsilon, delta, *_, doubt in contour.shared([Subsampled(sigma, rate, steps)], (-12.0, -25.0, -60.0)):
            if doubt <= contour.GOAL:
                mpmath.mp.dps = 40
                worst = max(worst, float(abs(few(sigma, rate, steps, epsilon) / float(delta) - 1)))
                count += 1
    return worst, count


def irwin_hall(scale, n, epsilon):
    """δ of Laplace(b)**n: under the tilt ½, atoms of ½ at ±ε₀ and a density ¼ between, all times e^{−ε₀/2}."""
    mpmath.mp.dps = 40
    top, epsilon, total = 1 / mpmath.mpf(scale), mpmath.mpf(epsilon), mpmath.mpf(0)
    for up in range(n + 1):
        for down in range(n + 1 - up):
            flat = n - up - down
            ways = mpmath.factorial(n) / mpmath.factorial(up) / mpmath.factorial(down) / mpmath.factorial(flat)
            middle = (up - down) * top
            if flat == 0:
                value = mpmath.exp(middle / 2) * max(0, 1 - mpmath.exp(epsilon - middle))
            else:
                kinks = [middle - flat * top + 2 * k * top for k in range(flat + 1)]
                ends = [epsilon, *(k for k in kinks if k > epsilon)]
                if epsilon < kinks[0]:
                    ends = kinks

                def density(x, flat=flat, kinks=kinks):
                    terms = (
                        (-1) ** k * mpmath.binomial(flat, k) * (x - kink) ** (flat - 1)
                        for k, kink in enumerate(kinks)
                        if x > kink
                    )
                    return mpmath.fsum(terms) / mpmath.factorial(flat - 1) / 4**flat

                value = (
                    mpmath.quad(
                        lambda x, density=density: mpmath.exp(x / 2) * (1 - mpmath.exp(epsilon - x)) * density(x), ends
                    )
                    if len(ends) > 1
                    else 0
                )
            total += ways * mpmath.mpf(0.5) ** (up + down) * value
    return total * mpmath.exp(-n * top / 2)


def laplace():
    worst, count = 0.0, 0
    for text, points in stored("laplace_power"):
        scale, n = re.fullmatch(r"Laplace\(([^)]*)\)\*\*(\d+)", text).groups()
        if int(n) <= 5:
            for epsilon, delta, _, _ in points:
                if delta > 1e-25:
                    worst = max(worst, float(abs(irwin_hall(float(scale), int(n), epsilon) / delta - 1)))
                    count += 1
    return worst, count


def response():
    worst, count = 0.0, 0
    contour.set_digits(60)
    for text, points in stored("response"):
        budget, n = (float(x) for x in re.fullmatch(r"RandomizedResponse\(([^)]*)\)\*\*(\d+)", text).groups())
        if n > 20_000:
            continue
        for epsilon, _, _, beta in points:
            last = math.ceil((n - epsilon / budget) / 2) - 1  # wrong answers that leave the loss above ε
            if last < 0 or last >= n or beta < 1e-12:
                continue
            wrong = arb(budget).exp()
            wrong = wrong / (1 + wrong)
            above = wrong.beta_lower(n - last, last + 1, regularized=True)
            worst = max(worst, float(abs((1 - above).mid() - beta)))
            count += 1
    return worst, count


def report(name, worst_and_count):
    worst, count = worst_and_count
    print(f"{name:60} {count:5} values, largest difference {worst:.1e}", flush=True)


def main(kinds):
    report("Laplace powers by Irwin–Hall densities", laplace())
    report("randomized response by incomplete beta (β, absolute)", response())
    report("two steps by quadrature", nested())
    report("single steps by contour", again("dpsgd_one", 2))
    for kind in kinds or CONTOURS:
        report(f"{kind} by another contour", again(kind, 8))


if __name__ == "__main__":
    main(sys.argv[1:])
