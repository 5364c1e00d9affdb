"""δ of two and three steps by nested quadrature over the noise: `python -m tests.sweep.nested`.

With ℓ(u) = log(1 − p + p e^{u/σ − 1/2σ²}) and u standard normal,

    δₙ(ε) = E[e^{ℓ(u)} δₙ₋₁(ε − ℓ(u))]    remove,        δₙ(ε) = E[δₙ₋₁(ε + ℓ(u))]    add,

and δ₁ a closed form, whose terms cancel: all is done with 170 bits. Gauss–Legendre panels end where the other steps
have no loss so small (remove) or so large (add), beyond which δₙ₋₁ is 1 − e^x or 0. Every value is computed twice, with
other panels; ε are near where δ is 1e-10, 1e-20 and 1e-30. Nothing here comes from the library.
"""

from __future__ import annotations

import json
from functools import lru_cache
from itertools import pairwise
from multiprocessing import Pool
from pathlib import Path

import flint
from flint import arb

STORED = Path(__file__).parent / "nested.json"
ERROR = 1e-11
REACH = 14.8
# σ, p, steps, direction and ε.
CASES = [
    (0.6, 0.01, 2, "remove", 5.920325),
    (0.6, 0.01, 2, "remove", 12.52612),
    (0.6, 0.01, 2, "remove", 18.26212),
    (0.6, 0.01, 3, "remove", 6.0536),
    (0.6, 0.01, 3, "remove", 12.8735),
    (0.6, 0.01, 3, "remove", 19.38531),
    (2.534, 0.00749, 2, "remove", 0.05602948),
    (2.534, 0.00749, 2, "remove", 0.198925),
    (2.534, 0.00749, 2, "remove", 0.4481067),
    (2.534, 0.00749, 3, "remove", 0.05974019),
    (2.534, 0.00749, 3, "remove", 0.2030627),
    (2.534, 0.00749, 3, "remove", 0.453866),
    (0.3, 0.001, 2, "remove", 15.94537),
    (0.3, 0.001, 2, "remove", 32.76782),
    (0.3, 0.001, 2, "remove", 44.84312),
    (1.5, 0.1, 2, "remove", 1.968384),
    (1.5, 0.1, 2, "remove", 4.143327),
    (1.5, 0.1, 2, "remove", 6.148483),
    (0.6, 0.01, 2, "add", 0.02005759),
    (0.6, 0.01, 2, "add", 0.02009968),
    (0.6, 0.01, 2, "add", 0.02010061),
    (0.6, 0.01, 3, "add", 0.03000617),
    (0.6, 0.01, 3, "add", 0.03014453),
    (0.6, 0.01, 3, "add", 0.03015033),
    (1.5, 0.1, 2, "add", 0.1948854),
    (1.5, 0.1, 2, "add", 0.2070093),
    (1.5, 0.1, 2, "add", 0.2094575),
]


class Steps:
    """The profile of some steps, by panels of about this width."""

    def __init__(self, sigma: float, rate: float, direction: str, width: float):
        flint.ctx.prec = 170
        self.mu, self.rate, self.width = 1 / arb(sigma), arb(rate), width
        self.remove, self.lowest = direction == "remove", float((1 - self.rate).log())

    def loss(self, u):
        """Of one step with noise u."""
        return (1 - self.rate + self.rate * (self.mu * u - self.mu**2 / 2).exp()).log()

    def noise(self, loss):
        """The noise at which the loss of one step is this; none if no loss is so small."""
        ratio = (loss.exp() - 1 + self.rate) / self.rate
        return ratio.log() / self.mu + self.mu / 2 if ratio > 0 else None

    def one(self, x):
        """δ of one step."""
        u = self.noise(x if self.remove else -x)
        if u is None:
            return 1 - x.exp() if self.remove else arb(0)
        if self.remove:
            return (1 - self.rate) * below(-u) + self.rate * below(self.mu - u) - x.exp() * below(-u)
        return below(u) - x.exp() * ((1 - self.rate) * below(u) + self.rate * below(u - self.mu))

    def __call__(self, count, x, least):
        """δ of so many steps, but for terms below the last argument."""
        if count == 1:
            return self.one(x)
        rest = (count - 1) * self.lowest
        bend = self.noise(x - rest if self.remove else -x - rest)
        low, high = -REACH, REACH + float(self.mu)
        bend = low if bend is None else min(max(float(bend), low), high)
        total = arb(0)
        # Beyond the bend all other steps together count, or none of them.
        for start, end in ((low, bend), (bend, high)) if self.remove else ((low, bend),):
            for u, weight in points(start, end, bend, self.width):
                loss = self.loss(u)
                weight *= (-u * u / 2 + (loss if self.remove else 0)).exp()
                if float(weight) < least:
                    continue
                if not self.remove:
                    total += weight * self(count - 1, x + loss, least / float(weight))
                elif start == bend:
                    total += weight * (1 - (x - loss).exp())
                else:
                    total += weight * self(count - 1, x - loss, least / float(weight))
        return total / (2 * arb.pi()).sqrt()


def below(t):
    """The normal distribution function."""
    return (-t / arb(2).sqrt()).erfc() / 2


@lru_cache(maxsize=1)
def gauss():
    return [arb.legendre_p_root(14, k, weight=True) for k in range(14)]


def points(start, end, bend, width):
    """Points and weights on panels, narrower ones towards the bend."""
    length, edges = end - start, [0.0]
    while edges[-1] < length:
        edges.append(min(edges[-1] + min(width, max(width * 1e-5, 2 * edges[-1])), length))
    for near, far in pairwise(edges):
        low, high = (start + near, start + far) if start == bend else (end - far, end - near)
        half, middle = (arb(high) - arb(low)) / 2, (arb(high) + arb(low)) / 2
        for x, weight in gauss():
            yield middle + half * x, half * weight


def value(case):
    sigma, rate, steps, direction, epsilon = case
    # What may be left out is known from one step less.
    least = 1e-16 * float(Steps(sigma, rate, direction, 2.0)(steps - 1, arb(epsilon), 1e-48))
    found = [Steps(sigma, rate, direction, width)(steps, arb(epsilon), max(least, 1e-48)) for width in (1.5, 1.1)]
    change = float(abs(found[0] - found[1]) / found[1])
    print(case, found[1].str(15), f"{change:.1e}", flush=True)
    assert change < ERROR / 2
    return float(f"{float(found[1].mid()):.12g}")


def main():
    with Pool(1) as pool:
        values = pool.map(value, CASES, chunksize=1)
    rows = ",\n".join(json.dumps([*case, delta]) for case, delta in zip(CASES, values, strict=True))
    STORED.write_text(f'{{"error": {ERROR}, "values": [\n{rows}\n]}}\n')


if __name__ == "__main__":
    main()
