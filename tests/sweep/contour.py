"""Profiles of compositions by a contour integral in ball arithmetic, with a contour that bends where a line would not
do.

With K(z) = log H(1+z), the sum over the parts of a composition,

    S_k(ε) = (1/2πi) ∫ e^{K(z) − zε} k(z) dz,    k = 1/(z(z+1)),  1/z,  1/(z+1),

are δ, Pr_Q[L > ε] and e^ε Pr_P[L > ε] to the right of all poles; less 1 in the first two between the poles −1 and 0;
less 1 − e^ε, 1 and e^ε to the left of both. The contour is the hyperbola z(t) = c + a (cosh(t + iφ) − cos φ) through
the saddle point c of e^{K(z) − zε}/(z(z+1)), at φ = 65° from the real axis far out: e^{−zε} decays on it for every loss
below ε, and e^{z²/2σ²}, the law of a large loss, beyond 45°. The trapezoid sum in t converges geometrically.

The transform of a subsampled Gaussian, H(s) = E[(1 − p + p e^{u/σ − 1/2σ²})^s], u normal, is a trapezoid sum along u(x)
= x + i (v + mσ log(1 + e^{(x−x₀)/σ})), which turns small losses by v/σ and follows large ones into their decay.

What is left out shows itself: each sum is also taken over every second node, the transform also along another path, and
`check` gives the largest of these differences, as a share of what was asked. Nothing here comes from the library.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import flint
import numpy as np
from flint import acb, arb

I = acb(0, 1)  # noqa: E741


def set_digits(digits):
    flint.ctx.prec = int(digits * 3.33) + 20


@dataclass(frozen=True)
class Subsampled:
    """`count` steps of a subsampled Gaussian, P = N(0, σ²) against (1−p) P + p N(1, σ²)."""

    sigma: float
    rate: float
    count: int
    terms = 0  # that all sums had so far

    @property
    def lowest(self):
        return self.count * math.log1p(-self.rate)

    def loss(self, u):
        """Of noise u·σ, in doubles, real or complex, on the branch that is real on the real axis."""
        a = u / self.sigma - 1 / (2 * self.sigma**2) + math.log(self.rate / (1 - self.rate))
        large = a.real > 0
        e = np.exp(np.where(large, -a, a))
        return np.where(large, a, 0) + np.log(1 + e) + math.log1p(-self.rate)

    def cumulants(self, c):
        """K(c) and two derivatives, at real c, in doubles."""
        s, sigma = 1 + c, self.sigma
        if s > 3000 * sigma:  # the largest losses are all that counts
            return self.count * np.array(
                [
                    s * (s - 1) / (2 * sigma**2) + s * math.log(self.rate),
                    (s - 0.5) / sigma**2 + math.log(self.rate),
                    sigma**-2,
                ]
            )
        fall = min(max(0, -s / sigma), 10 + sigma * math.log1p(abs(s) * self.rate))
        low, high = -13 - fall, 13 + max(0, s / sigma)
        x = np.linspace(low, high, min(int((high - low) / min(0.15, sigma / 4)), 20_000) + 1)
        loss = self.loss(x)
        log_weight = -x * x / 2 + math.log((x[1] - x[0]) / math.sqrt(2 * math.pi))
        exponent = s * loss + log_weight
        top = exponent.max()
        w = np.exp(exponent - top)
        total = w.sum()
        if abs(top) < 3 and np.abs(s * loss).max() < 700:
            log_h = math.log1p((np.exp(log_weight) * np.expm1(s * loss)).sum())
        else:
            log_h = top + math.log(total)
        mean = (w * loss).sum() / total
        return self.count * np.array([log_h, mean, (w * (loss - mean) ** 2).sum() / total])

    def path(self, s, c, paths):
        """Offset v and slope m of the first of the paths on which no term outgrows H(1 + c) by much."""
        middle = self.sigma * math.log((1 - self.rate) / self.rate) + 1 / (2 * self.sigma)
        x0 = max(middle, 0.0)
        x = np.append(np.linspace(-25, 60 + 2 * x0, 1500), np.maximum(0, s.real) / self.sigma)
        base, grown = self.cumulants(c)[0] / self.count, []
        for turn, m in paths:
            v = min(turn * self.sigma, 4.0)
            u = x + 1j * (v + m * self.sigma * np.logaddexp(0, (x - x0) / self.sigma))
            most = ((s[:, None] * self.loss(u)).real - (u * u).real / 2).max()
            grown.append(most - base + v * v / 2)
            if grown[-1] < 12:
                return v, m, x0, grown[-1]
        turn, m = paths[int(np.argmin(grown))]
        return min(turn * self.sigma, 4.0), m, x0, min(grown)

    def spacing(self, s, c, v, m, x0, nats):
        """Of the nodes: e^{−2πd/step} times what the terms grow to at x ± id is to be e^{−nats}, for some d."""
        base = self.cumulants(c)[0] / self.count
        sigma, x = self.sigma, np.append(np.linspace(-14, 30 + 2 * x0, 400), max(0, s[0].real) / self.sigma)
        some, steps = s[[0, len(s) // 2, -1]], []
        for side in (1, -1):
            best = 0.0
            for share in (0.9, 0.7, 0.5, 0.35, 0.2, 0.1, 0.05, 0.02):
                d = share * min(math.pi * sigma - v, math.sqrt(2 * nats))
                t = (x + side * 1j * d - x0) / sigma
                right = t.real > 0
                soft = np.where(right, t, 0) + np.log(1 + np.exp(np.where(right, -t, t)))
                u = x + side * 1j * d + 1j * (v + m * sigma * soft)
                most = ((some[:, None] * self.loss(u)).real - (u * u).real / 2).max()
                best = max(best, 2 * math.pi * d / (nats + 3 + max(0, most - base)))
            steps.append(best)
        return min(steps)

    def nodes(self, zs, nats, c, shrink):
        """Losses and logarithms of weights along a path of u, and which of them count for each z."""
        s = 1 + np.array([complex(z.real.mid(), z.imag.mid()) for z in zs])
        sigma, half = self.sigma, shrink * math.pi / 2
        every = ((half, 0.0), (half, 0.72 * shrink))
        v, m, x0, grown = self.path(s, c, every if shrink != 1 else ((0.0, 0.0), *every))
        if not grown < 1e5:
            raise NotResolved("the transform grows")
        step = self.spacing(s, c, v, m, x0, nats)
        reach = math.sqrt(2 * (nats + 12)) / (0.65 if m else 1) + v
        tilt_ = max(0, (s.real - m * s.imag).max() / sigma / (1 - m * m)) if m or s[0].real < 30 * sigma else 30
        span = max(tilt_, x0 if m else 0)
        k = np.arange(-int((reach + 6) / step), int((2 * span + 2 * reach + 6) / step) + 1)
        if k.size > 30_000:
            raise NotResolved(f"{k.size} nodes of noise")
        x = k * step
        soft = np.logaddexp(0, (x - x0) / sigma)
        u = x + 1j * (v + m * sigma * soft)
        size = (s[:, None] * self.loss(u)).real - (u * u).real / 2
        used = size > size.max(axis=1, keepdims=True) - nats
        if used.sum() > 120_000:
            raise NotResolved("too long")
        keep = used.any(axis=0)
        losses, weights = [], []
        sig, rate, h = arb(sigma), arb(self.rate), arb(step)
        constant, shift = (h / (2 * arb.pi()).sqrt()), 1 / (2 * sig * sig)
        low, odds = (1 - rate).log(), (rate / (1 - rate)).log()
        for j in k[keep]:
            xx = h * int(j)
            if m:
                e = ((xx - arb(x0)) / sig).exp()
                uu = acb(xx, arb(v) + arb(m) * sig * (1 + e).log())
                speed = acb(1, arb(m) * e / (1 + e))
            else:
                uu, speed = acb(xx, arb(v)), acb(1)
            a = uu / sig - shift + odds
            if float(a.real) > 0:
                loss = a + (1 + (-a).exp()).log() + low
            else:
                loss = (1 + a.exp()).log() + low
            losses.append(loss)
            weights.append((speed * constant).log() - uu * uu / 2)
        return losses, weights, used[:, keep]

    def log_transform(self, zs, nats, c, shrink=1.0):
        losses, weights, used = self.nodes(zs, nats + 0.8 * math.log(self.count), c, shrink)
        Subsampled.terms += int(used.sum())
        found = []
        for z, row in zip(zs, used, strict=True):
            s = z + 1
            total = acb(0)
            for k in np.flatnonzero(row):
                total += (s * losses[k] + weights[k]).exp()
            found.append(self.count * total.log())
        return found


@dataclass(frozen=True)
class Gaussian:
    """`count` Gaussians of mean difference μ together."""

    mu: float
    count: int = 1
    lowest = -math.inf

    def cumulants(self, c):
        m = self.count * self.mu**2
        return np.array([c * (1 + c) * m / 2, (1 + 2 * c) * m / 2, m])

    def log_transform(self, zs, nats, c, shrink=1.0):
        m = self.count * arb(self.mu) ** 2 / 2
        return [z * (z + 1) * m for z in zs]


@dataclass(frozen=True)
class Laplace:
    """`count` Laplace mechanisms of largest loss 1/b."""

    scale: float
    count: int = 1

    @property
    def lowest(self):
        return -self.count / self.scale

    def cumulants(self, c):
        # In logarithms: the two exponentials of a large top, by differences.
        def log_h(u):
            e = 1 / self.scale
            a = abs(u)
            if a * e < 1e-4:
                return -e / 2 + math.log(1 + e / 2 + (a * e) ** 2 * (1 / 2 + e / 12))
            return -e / 2 + a * e + math.log((1 + math.exp(-2 * a * e)) / 2 + -math.expm1(-2 * a * e) / (4 * a))

        u = c + 0.5
        d = 1e-4 * max(1.0, self.scale)
        low, mid, high = log_h(u - d), log_h(u), log_h(u + d)
        return self.count * np.array([mid, (high - low) / (2 * d), max((high - 2 * mid + low) / d**2, 1e-12)])

    def log_transform(self, zs, nats, c, shrink=1.0):
        top, found = 1 / arb(self.scale), []
        for z in zs:
            u = z + arb(1) / 2
            e = (u * top).exp()
            found.append(self.count * (((-top / 2).exp() * ((e + 1 / e) / 2 + (e - 1 / e) / (4 * u))).log()))
        return found


@dataclass(frozen=True)
class Randomized:
    """`count` randomized responses of largest loss ε₀."""

    epsilon: float
    count: int = 1

    @property
    def lowest(self):
        return -self.count * self.epsilon

    def cumulants(self, c):
        e, u = self.epsilon, c + 0.5
        t = math.tanh(u * e)
        log_cosh = abs(u * e) + math.log1p(math.exp(-2 * abs(u * e)))
        log_h = log_cosh - e / 2 - math.log1p(math.exp(-e))
        return self.count * np.array([log_h, e * t, e * e * (1 - t * t)])

    def log_transform(self, zs, nats, c, shrink=1.0):
        e = arb(self.epsilon)
        norm = (e / 2).exp() + (-e / 2).exp()
        found = []
        for z in zs:
            w = ((z + arb(1) / 2) * e).exp()
            found.append(self.count * ((w + 1 / w) / norm).log())
        return found


def cumulants(parts, c):
    return sum(part.cumulants(c) for part in parts)


def place(region, y):
    """The real point numbered by y in one of the three regions between the poles."""
    if region == 0:
        return math.exp(y)
    if region == 1:
        return -1 / (1 + math.exp(-y))
    return -1 - math.exp(y)


def tilt(parts, region, c):
    """Where c is the saddle point, the logarithm of the integral there, and its second derivative."""
    k, k1, k2 = cumulants(parts, c)
    x = k1 - 1 / c - 1 / (1 + c)
    curve = k2 + c**-2 + (1 + c) ** -2
    return x, k - c * x - math.log(abs(c * (c + 1))) - 0.5 * math.log(2 * math.pi * curve), curve


def bisect(rises, low, high, rounds=60):
    for _ in range(rounds):
        middle = (low + high) / 2
        if rises(middle):
            high = middle
        else:
            low = middle
    return (low + high) / 2


def saddle(parts, region, epsilon):
    """c of the region at ε. K′(c) − 1/c − 1/(1+c) rises with c in each of them."""
    sign = 1 if region == 0 else -1
    low, high = (-30, 30) if region == 1 else (-25, 16)
    y = bisect(lambda y: sign * (tilt(parts, region, place(region, y))[0] - epsilon) > 0, low, high)
    return place(region, y)


def loss_of(parts, region, log_delta):
    """Roughly the ε at which the integral is e^log_delta (times e^ε on the left), by the saddle point alone."""

    def value(y):
        x, log_value, _ = tilt(parts, region, place(region, y))
        return log_value - (x if region == 2 else 0)

    y = bisect(lambda y: value(y) < log_delta, -25, 16)
    return tilt(parts, region, place(region, y))[0]


class NotResolved(Exception):
    """The contour asked for did not do."""


class Contour:
    """Samples of e^{K(z)} on a hyperbola through the saddle point of ε; serves ε nearby as well."""

    def __init__(self, parts, epsilon, region, nats=85.0, angle=65.0, lean=1.0, most=1000, shrink=1.0):
        set_digits(nats / 2.3 + 28)
        self.parts, self.region, self.nats = parts, region, nats
        c = saddle(parts, region, epsilon)
        _, _, curve = tilt(parts, region, c)
        if region == 0 and curve * c * c > 2500 and lean == 1:
            lean = 0.7 if angle < 70 else 0.5  # at the brink of the largest losses
        if lean != 1:
            c = lean * c + (lean - 1 if region == 2 else 0)
            curve = tilt(parts, region, c)[2]
        a = 2 / math.sqrt(curve)
        angle_ = math.radians(angle)
        self.c, self.a, self.shrink, self.angle = c, a, shrink, angle_
        self.step = 2 * math.pi * (0.33 if angle < 70 else 0.24) / (1.7 * nats)
        self.z, self.speed, self.k, begun = [], [], [], Subsampled.terms
        lowest = sum(p.lowest for p in parts)
        rate = max(epsilon - lowest, 1e-300)
        end = math.acosh(max(nats * 1.2 / (rate * a * math.cos(angle_)), 30))
        block, sizes = 24, []
        while True:
            start = len(self.z)
            if start >= most:
                raise NotResolved(f"{most} nodes")
            ts = [arb(self.step) * k for k in range(start, start + block)]
            zs, speeds = zip(*map(self.at, ts), strict=True)
            self.z += zs
            self.speed += speeds
            self.k += self.transform(zs, shrink)
            if Subsampled.terms > begun + 500_000:
                raise NotResolved("too long")
            # Where the transform outgrows all that was asked for, another contour will do better.
            if self.size(len(self.k) - 1, epsilon) > self.size(0, epsilon) + 3 * nats:
                raise NotResolved("growth")
            sizes += [self.size(j, epsilon) for j in range(start, len(self.z))]
            if max(sizes[-8:]) < max(sizes) - nats:
                break
            if start * self.step > 3 * end + 12:
                raise NotResolved("no end")
        self.epsilon = epsilon

    def at(self, t):
        w = acb(t, arb(self.angle))
        z = arb(self.c) + arb(self.a) * (w.cosh() - arb(self.angle).cos())
        return z, arb(self.a) * w.sinh()

    def transform(self, zs, shrink):
        k = [acb(0)] * len(zs)
        for part in self.parts:
            k = [x + y for x, y in zip(k, part.log_transform(zs, self.nats + 5, self.c, shrink), strict=True)]
        return k

    def size(self, j, epsilon):
        """Log-magnitude of a term of δ."""
        z = self.z[j]
        e = float((self.k[j] - z * arb(epsilon)).real)
        return e + math.log(float(abs(self.speed[j] / (z * (z + 1)))))

    def sums(self, epsilon):
        """δ, Pr_Q[L > ε] and e^ε Pr_P[L > ε] (less their constants), and of each the value over every second node."""
        x = arb(epsilon)
        fine, coarse = [arb(0)] * 3, [arb(0)] * 3
        for j, (z, speed, k) in enumerate(zip(self.z, self.speed, self.k, strict=True)):
            e = (k - z * x).exp() * speed
            first, second = e / z, e / (z + 1)
            for i, term in enumerate((first - second, first, second)):
                t = term.imag / 2 if j == 0 else term.imag
                fine[i] += t
                if j % 2 == 0:
                    coarse[i] += t
        h = arb(self.step) / arb.pi()
        return [f * h for f in fine], [2 * c * h for c in coarse]

    def check(self, epsilon, value):
        """Share of the value by which the transform's own error may change it, from another path at a few nodes."""
        sizes = np.array([self.size(j, epsilon) for j in range(len(self.z))])
        log_value = float(abs(value).log()) + (epsilon if self.region == 2 else 0)
        large = np.flatnonzero(sizes > max(log_value - 30, sizes.max() - self.nats))
        some = sorted({0, *large[::9], *large[-1:]})
        other = self.transform([self.z[j] for j in some], self.shrink * 0.87)
        worst = 0.0
        for j, k in zip(some, other, strict=True):
            change = k - self.k[j]
            change = float(abs(change if abs(change) < 1 else change.exp() - 1))
            log_share = sizes[j] - log_value + math.log(self.step * len(self.z))
            if log_share > -90:
                worst = max(worst, min(change, 2.0) * math.exp(min(log_share, 300)))
        return worst


def faces(contour, epsilon, reverse=False):
    """δ, α, β at ε of the pair, or of the reversed pair, and the share of δ in doubt."""
    x = -epsilon if reverse else epsilon
    fine, coarse = contour.sums(x)
    region, e = contour.region, arb(x).exp()
    d, q, p = fine
    # In every region: Pr_Q[L > x], or minus Pr_Q[L ≤ x]; e^x Pr_P[L > x], or minus e^x Pr_P[L ≤ x].
    q_below = 1 - q if region == 0 else -q
    p_above = p / e if region < 2 else 1 + p / e
    if not reverse:
        delta, scale, above, below = d if region == 0 else d + 1 if region == 1 else d + 1 - e, 1, p_above, q_below
    else:  # δ of the reversed pair at ε = −x is e^{−x} (δ(x) − 1 + e^x)
        delta, scale = (d if region == 2 else d + e if region == 1 else d - 1 + e) / e, 1 / e
        above, below = q_below, p_above
    # A small part of the integrand may ask for smaller steps than all the rest: no squaring of errors is counted on.
    peak, last = max(contour.size(j, x) for j in range(len(contour.z))), contour.size(-1, x)
    doubt = 1.0  # as where the contour was cut off for an ε farther out
    if not delta.contains(0) and last <= peak - 0.8 * contour.nats:
        doubt = float((abs(d - coarse[0]) + 5 * arb(last).exp() + d.rad()) * scale / abs(delta))
    return delta, above, below, doubt


# What is tried in turn: nats of accuracy, angle, and how far towards the pole the contour is set from the saddle point.
ATTEMPTS = (
    (30, 65, 1),
    (45, 65, 1),
    (70, 65, 1),
    (110, 76, 0.6),
    (110, 65, 1),
    (200, 65, 1),
    (200, 78, 0.4),
    (350, 70, 1),
    (350, 80, 0.3),
)
GOAL = 3e-12


def region_of(parts, epsilon, reverse):
    if reverse:
        return 2
    return 0 if epsilon > 0.3 * cumulants(parts, -0.5)[1] + 0.7 * cumulants(parts, 0.0)[1] - 1e-300 else 1


def solve(parts, epsilon, reverse=False, region=None, attempts=ATTEMPTS, goal=GOAL):
    """(ε, δ, α, β, share of δ in doubt) of the composition at ε, or of the reversed pair."""
    region = region_of(parts, epsilon, reverse) if region is None else region
    x, best, reason, slow = -epsilon if reverse else epsilon, None, "cancellation", 0
    for nats, angle, lean in attempts:
        try:
            contour = Contour(parts, x, region, nats, angle, lean)
            delta, alpha, beta, doubt = faces(contour, epsilon, reverse)
            if doubt < goal:
                doubt = max(doubt, contour.check(x, delta))
        except (NotResolved, ValueError, OverflowError, ZeroDivisionError) as error:
            reason = str(error)
            slow += reason in ("too long", "1000 nodes")
            if slow == 2:
                break
            continue
        if doubt < 1e-3 and delta > 0 and (best is None or doubt < best[4]):
            best = (epsilon, delta, alpha, beta, doubt)
        if doubt < goal:
            break
    if best is None:
        raise NotResolved(reason)
    return best


def log_tail(t):
    return math.log(math.erfc(t / math.sqrt(2)) / 2) if t < 30 else -t * t / 2 - math.log(2.5 * t)


def one_large(part, log_delta):
    """About the ε at which a single large loss in all the steps has probability δ; no ε of that δ is much smaller."""

    def log_value(epsilon):
        u = part.sigma * math.log(math.expm1(epsilon) / part.rate + 1) + 0.5 / part.sigma
        return math.log(part.count * part.rate) + log_tail(u - 1 / part.sigma)

    return math.exp(bisect(lambda y: log_value(math.exp(y)) < log_delta, -30, math.log(600)))


def near(parts, reverse, log_delta, rounds=5):
    """As `solve`, at an ε where δ is about e^log_delta."""
    x = loss_of(parts, 2 if reverse else 0, log_delta)
    epsilon, low, high = (-x, 0.0, math.inf) if reverse else (x, 0.0, x)
    if not 0 < epsilon < (-sum(p.lowest for p in parts) * 0.999 if reverse else math.inf):
        raise NotResolved("no such ε")
    if not reverse:
        low = max([0.0, *(one_large(p, log_delta) for p in parts if isinstance(p, Subsampled))])
        # Where a tilt that keeps the largest losses out has not ended at ε, the saddle point is of use.
        c = saddle(parts, 0, x)
        if tilt(parts, 0, c)[2] * c * c > 2500 and low < x:
            epsilon = low
    for _ in range(rounds):
        found = solve(parts, rounded(epsilon), reverse)
        miss = float(found[1].log()) - log_delta
        slope = float(arb(epsilon).exp() * found[2] / found[1])
        if abs(miss) < 1.5 or not slope > 0:
            break
        if not reverse:
            low, high = (max(low, epsilon), high) if miss > 0 else (low, min(high, epsilon))
        newton = epsilon + miss / slope
        epsilon = newton if low < newton < high else (low + high) / 2 if high < math.inf else 2 * epsilon
    return found


def at_brink(parts, log_delta):
    """Whether the saddle point is where the largest losses take over, far from those that make up most of δ."""
    c = saddle(parts, 0, loss_of(parts, 0, log_delta))
    return tilt(parts, 0, c)[2] * c * c > 2500


def shared(parts, log_deltas):
    """As `near` for several δ, and ε = 0 first, from one contour for all ε ≥ 0 or one more for the farthest."""
    found, left, start = [], list(log_deltas), 0.0
    for nats, angle, lean in ((55, 65, 0.6), (115, 65, 0.4)):
        try:
            contour = Contour(parts, start, 0, nats, angle, lean)
        except NotResolved:
            continue

        def ask(epsilon, contour=contour):
            values = faces(contour, epsilon)
            doubt = max(values[3], contour.check(epsilon, values[0])) if values[3] < GOAL else 1.0
            return (epsilon, *values[:3], doubt)

        if not found:
            found.append(ask(0.0))
            if found[0][4] > GOAL:
                found.clear()
                continue
            left = [x for x in left if x < float(found[0][1].log()) - 0.3]
        for log_delta in tuple(left):
            low, high = start, max(2 * start, 1e-6)
            goal = arb(log_delta).exp()
            while faces(contour, high)[0] > goal:
                low, high = high, 3 * high
            for _ in range(6):
                middle = (low + high) / 2
                if faces(contour, middle)[0] > goal:
                    low = middle
                else:
                    high = middle
            there = ask(rounded(high, 6))
            if there[4] > GOAL:
                start = found[-1][0]
                break
            found.append(there)
            left.remove(log_delta)
            start = high
        if not left:
            break
    if not found:
        raise NotResolved("shared")
    return found


def rounded(x, digits=8):
    return float(f"{x:.{digits}g}")
