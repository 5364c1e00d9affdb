"""δ of a training in which hardly anybody takes part: `python -m tests.sweep.rare` prints the noise for two targets.

For rates below 1e-5, where no contour is resolved in reasonable time. The losses of the steps are small or large; at
most two are large, and the small ones add up to a normal variable of the same mean and variance, since each is
tiny. What three large ones and the third moment of the small ones add is below `ERROR` of δ where p·N is at most
0.002. All of it in doubles, by Gaussian quadrature; nothing comes from the library.
"""

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm

CUT, ERROR = 0.03, 1e-6
# Sampling rate, steps, ε and δ.
TARGETS = [(1e-6, 2000, 1.0, 1e-8), (1e-7, 20_000, 1.0, 1e-9)]
_X, _W = np.polynomial.legendre.leggauss(40)


def delta(sigma, rate, steps, epsilon, cut=CUT):
    """δ at ε > 0 of so many subsampled Gaussian steps, for removal."""

    def loss(x):
        return np.log1p(rate * np.expm1((x - 0.5) / sigma**2))

    def density(x):
        return (1 - rate) * norm.pdf(x, 0, sigma) + rate * norm.pdf(x, 1, sigma)

    def expected(loss, count):
        """E[(1 − exp(ε − L))₊], of a large loss and so many small ones."""
        above, spread = loss + count * mean - epsilon, np.sqrt(count * variance)
        return norm.cdf(above / spread) - np.exp(spread**2 / 2 - above) * norm.cdf(above / spread - spread)

    edge = 0.5 + sigma**2 * np.log1p(np.expm1(cut) / rate)
    large = (1 - rate) * norm.sf(edge, 0, sigma) + rate * norm.sf(edge, 1, sigma)
    x, weight = _nodes(edge - 20 * sigma, edge, 400)
    mean = weight @ (loss(x) * density(x)) / (1 - large)
    variance = weight @ (loss(x) ** 2 * density(x)) / (1 - large) - mean**2

    x, weight = _nodes(edge, edge + 16 * sigma, 3000)
    one = (weight * density(x)) @ expected(loss(x), steps - 1)
    x, weight = _nodes(edge, edge + 16 * sigma, 40)
    share = weight * density(x)
    two = share @ expected(loss(x)[:, None] + loss(x), steps - 2) @ share
    rest = np.exp((steps - 2) * np.log1p(-large))
    return rest * steps * ((1 - large) * one + (steps - 1) / 2 * two)


def _nodes(start, end, panels):
    edges = np.linspace(start, end, panels + 1)
    middle, half = (edges[1:] + edges[:-1]) / 2, (edges[1:] - edges[:-1]) / 2
    return (middle[:, None] + half[:, None] * _X).ravel(), (half[:, None] * _W).ravel()


def noise(rate, steps, epsilon, target, cut=CUT):
    """The σ at which δ(ε) is the target."""
    return brentq(lambda sigma: np.log(delta(sigma, rate, steps, epsilon, cut) / target), 0.3, 0.5, xtol=1e-14)


if __name__ == "__main__":
    for target in TARGETS:
        print(target, *(f"{noise(*target, cut=cut):.10f}" for cut in (CUT / 2, CUT, 2 * CUT)))
