"""Bounds that an inequality proves, and laws that need no reference: calls that once broke them.

References are formulas written down here, to many digits, sums over all outcomes, or simulations.
"""

import itertools
import math
import warnings
from functools import reduce

import laws
import mpmath
import numpy as np
import pytest
from conftest import approx
from scipy.integrate import quad

import dptutor as dp
from dptutor.evaluation import tilted_areas
from dptutor.evaluation.finite_law import TooManyAtoms
from dptutor.evaluation.lines import Lines
from dptutor.evaluation.polynomials import gauss
from dptutor.mechanisms import composition, registry


def weights_of(rate, members):
    rate = mpmath.mpf(rate)
    return [mpmath.binomial(members, j) * rate**j * (1 - rate) ** (members - j) for j in range(members + 1)]


def ratio_of(noise, weights, z):
    """The likelihood ratio of a step with a group to one without it, at the answer z in units of the noise."""
    noise = mpmath.mpf(noise)
    return sum(w * mpmath.exp(j * z / noise - mpmath.mpf(j) ** 2 / (2 * noise**2)) for j, w in enumerate(weights))


def profile_of_group(noise, rate, members, epsilon):
    """δ of addition: Φ(z) − e^ε Σ w Φ(z − j/σ), z where the ratio is e^−ε."""
    weights = weights_of(rate, members)
    low, high = mpmath.mpf(-1000), mpmath.mpf(1000)
    for _ in range(160):
        middle = (low + high) / 2
        low, high = (middle, high) if ratio_of(noise, weights, middle) < mpmath.exp(-epsilon) else (low, middle)
    below = sum(w * mpmath.ncdf(low - j / mpmath.mpf(noise)) for j, w in enumerate(weights))
    return mpmath.ncdf(low) - mpmath.exp(epsilon) * below


@pytest.mark.parametrize(
    ("noise", "rate", "members", "epsilon"),
    [(1, 0.9, 50, 32.38), (1, 0.9, 50, 110.0), (0.3, 0.99, 30, 60.0), (0.05, 1 - 1e-7, 12, 150.0), (40, 0.5, 9, 0.1)],
)
def test_profiles_of_large_groups(noise, rate, members, epsilon):
    m = dp.SubsampledGaussianGroup(noise, rate, members, "add")
    value, error = m.privacy_profile(epsilon, with_error=True)
    with mpmath.workdps(60):
        right = profile_of_group(noise, rate, members, epsilon)
        assert abs(value - right) <= error
    assert error <= 1e-9


def test_epsilon_of_a_large_group():
    m = dp.SubsampledGaussianGroup(1, 0.9, 50, "add")
    value, error = m.epsilon(1e-5, with_error=True)
    assert error < 1e-8
    with mpmath.workdps(60):
        assert float(profile_of_group(1, 0.9, 50, value)) == approx(1e-5, rel=1e-6)


# Divergences of rare participation.


@pytest.mark.parametrize("order", [8.9, 9, 10])
def test_a_divergence_whose_largest_part_is_far_out_is_answered(order):
    """Beyond the losses that count, δ falls to 0 before the next place that is looked at."""
    of_step = dp.SubsampledGaussian(0.5, 0.5).renyi_divergence(order)
    assert dp.SampledWithoutReplacement(1, 0.5).renyi_divergence(order) == approx(of_step, rel=1e-12)


@pytest.mark.parametrize("rate", [1e-2, 1e-6, 1e-8, 1e-14])
def test_divergences_of_rare_participation(rate):
    # χ² of the removal is p² (e^{1/σ²} − 1), of which D_2 is the logarithm; replacing one doubles the shift.
    of_two = math.log1p(rate**2 * math.expm1(1 / 49))
    assert dp.SubsampledGaussian(7, rate, "remove").renyi_divergence(2) == approx(of_two, rel=1e-12)
    assert dp.SubsampledGaussianGroup(7, rate, 1, "remove").renyi_divergence(2) == approx(of_two, rel=1e-12)
    both = dp.SampledWithoutReplacement(14, rate)
    assert both.renyi_divergence(2) >= of_two * (1 - 1e-12)
    assert both.renyi_divergence(1) >= 2 * both.advantage**2  # Pinsker
    assert (both**10**9).renyi_divergence(2) == approx(10**9 * both.renyi_divergence(2), rel=1e-12)


def test_what_is_shown_twice_is_not_refuted_by_a_rarer_step():
    often, rarer = dp.SampledWithoutReplacement(14, 2e-6) ** 2, dp.SampledWithoutReplacement(14, 1.9e-6)
    assert dp.dominance(often, rarer).verdict != "refuted"


@pytest.mark.parametrize("order", [0.5, 1.0, 1.001, 3.0])
@pytest.mark.parametrize("direction", ["remove", "add"])
@pytest.mark.parametrize("rate", [0.3, 1e-9])
def test_divergences_of_groups(order, direction, rate):
    with mpmath.workdps(60):
        weights, t = weights_of(rate, 3), mpmath.mpf(order if direction == "remove" else 1 - order)

        def excess(z):
            r = ratio_of(1.5, weights, z)
            if order == 1:
                return r * mpmath.log(r) - (r - 1) if direction == "remove" else r - 1 - mpmath.log(r)
            return r**t - 1 - t * (r - 1)

        # Of an analytic function that vanishes at both ends, sums over equal steps converge faster than any power.
        area = sum(excess(z) * mpmath.npdf(z) for z in mpmath.arange(-15, 22, 0.125)) / 8
        right = area if order == 1 else mpmath.log(1 + area) / (mpmath.mpf(order) - 1)
    assert dp.SubsampledGaussianGroup(1.5, rate, 3, direction).renyi_divergence(order) == approx(
        float(right), rel=1e-13
    )


def test_a_divergence_that_no_profile_shows_is_not_small():
    # H(30) is at least the term in which all three take part, e^{435 · 9/σ²} p^90.
    m = dp.SubsampledGaussianGroup(1.3, 1e-9, 3, "remove")
    assert m.renyi_divergence(30) >= (435 * 9 / 1.69 + 90 * math.log(1e-9)) / 29


@pytest.mark.parametrize("epsilon", [1e-12, 1e-6, 0.3])
@pytest.mark.parametrize("order", [0.2, 1.0, 2.0, 9.0])
def test_divergences_of_small_finite_losses(epsilon, order):
    with mpmath.workdps(60):
        q = 1 / (1 + mpmath.exp(-mpmath.mpf(epsilon)))
        if order == 1:
            right = (2 * q - 1) * mpmath.mpf(epsilon)
        else:
            s = mpmath.mpf(order)
            right = mpmath.log(q**s * (1 - q) ** (1 - s) + (1 - q) ** s * q ** (1 - s)) / (s - 1)
    assert dp.RandomizedResponse(epsilon).renyi_divergence(order) == approx(float(right), rel=1e-12)


# Powers and products that were not answered.


@pytest.mark.parametrize("users", [2, 3, 5, 11])
def test_powers_of_shuffled_answers(users):
    one = dp.ShuffledRandomizedResponse(1, users)
    law = one._whole._law
    p, q = (np.multiply.outer(side, side).ravel() for side in (law.p, law.q))
    for epsilon in (0.0, 0.3, 1.5):
        right = np.maximum(q - math.exp(epsilon) * p, 0.0).sum()
        value, error = (one**2).privacy_profile(epsilon, with_error=True)
        assert value == approx(right, abs=error + 1e-14)
        assert error < 1e-10


@pytest.mark.parametrize("sigmas", [(1, 2, 8), (1, 2, 3), (3, 4, 5)])
def test_three_discrete_gaussians(sigmas):
    unit, p, q = math.lcm(*(sigma**2 for sigma in sigmas)), np.ones(1), np.ones(1)
    for sigma in sigmas:
        # Of losses (x − ½)/σ², on the grid that all three have in common.
        x, step = np.arange(-14 * sigma, 14 * sigma + 2), unit // sigma**2
        places = range(0, len(x) * step, step)
        for side, shift in ((p, 0), (q, 1)):
            mass = np.exp(-0.5 * ((x - shift) / sigma) ** 2)
            wider = np.zeros(len(side) + places[-1])
            for place, share in zip(places, mass / mass.sum(), strict=True):
                wider[place : place + len(side)] += share * side
            p, q = (wider, q) if shift == 0 else (p, wider)
    m = dp.DiscreteGaussian(sigmas[0]) @ dp.DiscreteGaussian(sigmas[1]) @ dp.DiscreteGaussian(sigmas[2])
    for epsilon in (0.0, 0.5, 1.0, 3.0):
        value, error = m.privacy_profile(epsilon, with_error=True)
        assert value == approx(np.maximum(q - math.exp(epsilon) * p, 0.0).sum(), abs=error + 1e-14)
        assert error < 1e-10


def test_a_report_of_three_discrete_gaussians():
    found = dp.report(dp.DiscreteGaussian(3) @ dp.DiscreteGaussian(4) @ dp.DiscreteGaussian(5))
    assert found.mu == approx(0.46218, abs=1e-5)
    assert found.regret < 1e-6


# Subsampled Gaussians beside Laplace mechanisms.


@pytest.mark.parametrize(
    ("noise", "rate", "scale", "epsilon"),
    [
        (1.0, 1e-6, 2.0, 1e-4),
        (1.0, 1e-6, 2.0, 0.4999999),
        (0.5, 0.01, 1.0, 0.7),
        (0.7, 0.3, 0.2, 5.5),
        (3.0, 0.9, 1.0, 0.1),
    ],
)
def test_a_step_beside_a_laplace_mechanism_is_an_integral_over_its_answers(noise, rate, scale, epsilon):
    top = 1 / scale

    def of_laplace(x):
        if x >= top:
            return 0.0
        return -math.expm1((x - top) / 2) if x > -top else -math.expm1(x)

    def integrand(z):
        ratio = 1 - rate + rate * math.exp(z / noise - 0.5 / noise**2)
        return math.exp(-z * z / 2) / math.sqrt(2 * math.pi) * ratio * of_laplace(epsilon - math.log(ratio))

    # Where the loss of the step meets an end of that of Laplace.
    kinks = [(math.exp(epsilon + sign * top) - 1 + rate) / rate for sign in (-1, 1)]
    cuts = sorted(noise * math.log(k) + 0.5 / noise for k in kinks if k > 0)
    ends = [-40.0, *(cut for cut in cuts if abs(cut) < 40), 40.0]
    pieces = np.unique(np.concatenate([np.linspace(a, b, 40) for a, b in itertools.pairwise(ends)]))
    right = math.fsum(quad(integrand, a, b, epsabs=1e-16, epsrel=1e-13)[0] for a, b in itertools.pairwise(pieces))
    m = dp.SubsampledGaussian(noise, rate, "remove") @ dp.Laplace(scale)
    value, error = m.privacy_profile(epsilon, with_error=True)
    assert value == approx(right, abs=error + 1e-14)
    assert error < 1e-11


@pytest.mark.parametrize(
    "more", [dp.SubsampledGaussian(1, 1e-6), dp.DPSGD(0.3, 1e-5, 5), dp.DPSGD(1, 0.01, 2)], ids=repr
)
@pytest.mark.parametrize("one", [dp.Laplace(2), dp.Laplace(2) @ dp.Laplace(5)], ids=repr)
def test_what_is_added_reveals_no_less_and_at_most_its_total_variation(one, more):
    together, epsilon = one @ more, np.array([0.0, 1e-4, 0.2, 0.499999, 0.5, 0.5000001, 0.69, 0.7, 3.0])
    value, error = together.privacy_profile(epsilon, with_error=True)
    alone, its_error = one.privacy_profile(epsilon, with_error=True)
    off = error + its_error
    assert (value >= alone - off).all()
    assert (value <= alone + more.advantage + off).all()
    assert (np.diff(value) <= off[1:] + off[:-1]).all()
    assert together.error_bound < 1e-9
    assert dp.delta_divergence(one, together) <= more.advantage / 2 + 1e-9


@pytest.mark.parametrize("count", [2, 4, 8, 20])
def test_the_bound_of_an_area_holds_with_few_points(count, monkeypatch):
    for name, value in zip(("_NODES", "_WEIGHTS", "_COUNT"), (*gauss(count), count), strict=True):
        monkeypatch.setattr(tilted_areas, name, value)
    own = np.array([[-1.0, -0.8, 0.2, 0.01], [-3.0, -1.2, -0.1, 0.0]])
    pieces = [np.array(x) for x in ([0.0, 2.0], [2.0, 9.0], own, [False, False], [0.0, 0.0], [1.0, 1.0])]
    areas = tilted_areas.TiltedAreas(pieces, 1.0)

    def height(u):
        start, end, row = (0.0, 2.0, 0) if u < 2 else (2.0, 9.0, 1)
        return math.exp(np.polynomial.chebyshev.chebval(2 * (u - start) / (end - start) - 1, own[row]))

    for low, high in ((0.3, 1.1), (0.5, 7.0), (2.0, 9.0)):
        cuts = np.unique(np.clip([low, 2.0, high], low, high))
        for complement in (False, True):
            integrand = lambda u, low=low, less=complement: math.exp((low - u) / 2) * abs(less - height(u))  # noqa: E731
            right = sum(quad(integrand, a, b, epsabs=1e-14)[0] for a, b in itertools.pairwise(cuts))
            value, error = areas.area(np.array([low]), np.array([high]), complement)
            assert value[0] == approx(right, abs=float(error[0]) + 1e-13)


def test_a_grid_goes_as_far_as_losses_do():
    one, count = dp.ExponentialMechanism(20), 40
    losses = one.privacy_loss.sample((4000, count), seed=1).sum(axis=1)
    pairs = composition._by_grid(composition.Composition(((one, count),)))
    for epsilon in (660.0, 740.0, 790.0):
        value, error = pairs.delta(epsilon), pairs.delta_error(epsilon)
        simulated = np.maximum(-np.expm1(np.minimum(epsilon - losses, 0.0)), 0.0)
        assert abs(value - simulated.mean()) <= error + 5 * simulated.std() / math.sqrt(losses.size) + 1e-3
        assert error < 1e-6


# What cannot be answered is refused before any work.


@pytest.mark.parametrize(
    ("mechanism", "error", "message"),
    [
        (lambda: dp.SampledWithoutReplacement(14, 1e-6) ** 10**9, ValueError, "at most 1000000 mechanisms"),
        (
            lambda: dp.DPSGD(0.00134, 0.00015, 3448) @ dp.Gaussian(0.0134),
            ValueError,
            "^noise_multiplier must be at least 0.05 in compositions of so many",
        ),
    ],
)
def test_what_is_out_of_reach_is_refused(mechanism, error, message):
    with pytest.raises(error, match=message):
        mechanism().epsilon(1e-5)


def test_what_reveals_everything_does_so_beside_others():
    open_ = dp.TruncatedPoisson(1, 0.01, 128, 1000, 16)
    assert open_.privacy_profile(math.inf) == 1.0
    assert (open_ @ dp.Gaussian(1)).epsilon(1e-5) == math.inf
    assert (open_ @ dp.Gaussian(1)).advantage == 1.0


@pytest.mark.parametrize(("sigma", "steps", "off"), [(100, 64311, 1e-8), (2, 100_000, 1e-3)])
def test_many_bins_are_nearly_a_gaussian_mechanism(sigma, steps, off):
    # The mean of many likelihood ratios, each of variance e^(1/σ²) − 1, is nearly normal.
    limit = dp.Gaussian(math.sqrt(steps / math.expm1(1 / sigma**2)))
    m = dp.BallsAndBins(sigma, steps)
    value, error = m.epsilon(1e-5, with_error=True)
    assert value == approx(limit.epsilon(1e-5), rel=off)
    assert error < 1e-5 * value
    assert m.advantage == approx(limit.advantage, rel=off)
    for pair in m.directions:
        # s/2 times the variance of the likelihood ratio, nearly.
        assert pair.renyi_divergence([0.5, 1.0, 2.0]) == approx(limit.renyi_divergence([0.5, 1.0, 2.0]), rel=1e-5)
    assert np.max(m.tradeoff([1e-9, 0.1, 0.5], with_error=True)[1]) < 1e-10


def test_few_wide_bins_have_narrow_bounds():
    m = dp.BallsAndBins(0.078, 107)
    assert np.max(m.tradeoff([1e-9, 0.1, 0.5], with_error=True)[1]) < 1e-9
    assert np.max(m.bayes_error([0.3, 0.5], with_error=True)[1]) < 1e-9
    assert m.error_bound < 1e-9


def test_a_search_finds_no_answer_that_breaks_a_law():
    found, tally = laws.search(seed=1, seconds=3.0, out=lambda line: None)
    assert found == []
    assert tally.laws["of_one"]


def test_a_search_draws_all_kinds():
    generator = np.random.default_rng(2)
    assert {type(laws.one(generator)).__name__ for _ in range(500)} == set(registry.__all__)


def test_what_a_search_has_found():
    step = dp.SubsampledGaussian(0.011276922536948569, 3.3e-5, direction="remove")  # noise narrower than rounding
    assert list(laws.of_evaluators(step)) == []
    rare = dp.SubsampledLaplace(13.968094732791297, 4.77825404003671e-05)  # divergences with narrow peaks
    assert list(laws.of_orders(rare, dp.Gaussian(0.4141169029178826, 0.39248018055240796))) == []
    many = dp.SubsampledGaussianGroup(2.9239633864897896, 2.2664653817756425e-07, 3)  # losses below all numbers
    assert list(laws.of_orders(dp.ExponentialMechanism(1.2415495184847531), many)) == []
    rare = dp.SubsampledDiscreteGaussian(0.025951595440245886, 8.38589083786104e-09, 9, "add") ** 142
    value, error = rare.privacy_profile(0.0, with_error=True)  # where losses are large no mass is a float
    assert abs(value + math.expm1(142 * math.log1p(-8.38589083786104e-09))) <= error < 1e-8
    counts = (
        dp.SubsampledDiscreteGaussian(1.4178583414046704, 0.13164969939263257, 4, "remove") ** 24
        @ dp.DiscreteLaplace(1.937102493180422)
    ).symmetrized  # losses that differ by less than rounding
    assert not dp.dominance(counts, dp.SubsampledDiscreteGaussian(4.204, 0.391, 6, "remove"))
    quiet = dp.DiscreteGaussian(0.010003678472533138, 4)  # a sum of masses below all numbers
    assert quiet.renyi_divergence(0.5) == approx(quiet.mu**2 / 4)
    most = (1 / 8 / quiet.sigma**2 - math.log(2)) / 0.375
    assert quiet.renyi_divergence(0.625) == approx(0.3125 * quiet.mu**2 + most)
    few = dp.DiscreteGaussian(0.11044335993777188, 7)  # a slope of rounding
    assert few.privacy_profile(2582.446499448166, with_error=True)[1] >= 0
    wide = dp.KaryRandomizedResponse(55.263825217865254, 5) ** 145  # losses too far apart for one scale
    assert list(laws.of_evaluators(wide)) == []
    nothing = dp.meet(dp.PerfectPrivacy(), dp.SubsampledGaussian(0.356, 0.0143))  # a profile without a piece
    assert list(laws.of_products(nothing, dp.Gaussian(22.67, 0.793))) == []
    faint = dp.meet(dp.FixedBatches(2.2262871656783676), dp.BallsAndBins(68.62280822690145, 7))  # δ below rounding
    assert list(laws.of_one(faint)) == []
    many = dp.Laplace(1, 3.95270158441627e-06) ** 90108908  # places that are rounded beyond the last cell
    assert dp.dominance(many, dp.BallsAndBins(95.54813785415362, 30, "remove")).verdict != "proven"
    long = dp.DiscreteGaussian(99.71224185179558) @ dp.DPSGD(1.7450930123604924, 0.09749860884816978, 440, "remove")
    assert long.symmetrized.privacy_profile(math.inf, with_error=True)[1] < 1e-10  # ∞ less a part of it
    large = dp.DiscreteGaussian(0.020378100110253337, 212) @ dp.DiscreteLaplace(1, 3)  # masses below 10^−999999
    assert large.privacy_profile(1e7) == approx(1.0, abs=1e-12)
    long = dp.SampledWithoutReplacement(1.313029272578987, 0.5865076668751067) ** 387885  # losses beyond all floats
    long = long @ dp.SubsampledGaussianReplaceOne(0.0202936823498025, 0.0018743754999991388)
    assert long.privacy_profile(1.0) == approx(1.0, abs=1e-9)


@pytest.mark.parametrize("more", [dp.Laplace(1), dp.Laplace(1) @ dp.Laplace(2)])
def test_laplace_mechanisms_beside_losses_that_are_far_apart(more):
    rare = dp.SubsampledDiscreteGaussian(0.16, 1e-5, 5, "remove")  # losses of −1e-5, and of hundreds
    value, error = (rare @ more).privacy_profile([0.0, 0.7, 400.0], with_error=True)
    law = rare._loss_law()
    for x, found, bound in zip((0.0, 0.7, 400.0), value, error, strict=True):
        assert abs(law.q @ more.privacy_profile(x - law.kinks) - found) <= bound + 1e-13
    assert max(laws.bounds(rare @ more)) < 1e-9


def test_a_meet_of_curves_that_meet_again_without_false_alarms():
    p, q, rate = [0.98, 0.019, 0.001], [0.001, 0.989, 0.01], 7e-5
    m = dp.meet(dp.FiniteExperiment(p, q), dp.SubsampledGaussian(0.0118, rate))
    # From α = 2e-6 on the step is the safer of the two, and its curve 1 − rate − α.
    assert m.privacy_profile(0.0) == approx(rate, rel=1e-6)


@pytest.mark.parametrize("sigmas", [(1.1, 2.3, 3.7), (1.3, 1.9, 4.3)])
def test_discrete_gaussians_whose_losses_have_no_common_step(sigmas):
    m = dp.DiscreteGaussian(sigmas[0])
    for sigma in sigmas[1:]:
        m = m @ dp.DiscreteGaussian(sigma)
    assert m.error_bound < 1e-10
    # δ = Σ Pr[x, y, z] max(1 − e^(ε − l), 0) over all sums of losses.
    parts = [part._law for part, _ in m.factors]
    loss, q = reduce(np.add.outer, [law.loss for law in parts]), reduce(np.multiply.outer, [law.q for law in parts])
    for epsilon in (0.0, 0.7, 3.0):
        value, error = m.privacy_profile(epsilon, with_error=True)
        right = np.sum(q * np.maximum(-np.expm1(epsilon - loss), 0.0))
        assert abs(value - right) <= error + 1e-13


def test_atoms_beside_a_mechanism_without_a_transform_leave_open_what_that_does():
    m = dp.DiscreteGaussian(1) @ dp.SubsampledLaplace(1, 0.1, "remove")
    assert m.error_bound < 1e-12
    law = dp.DiscreteGaussian(1)._law
    alone = dp.SubsampledLaplace(1, 0.1, "remove")
    right = law.q @ alone.privacy_profile(0.5 - law.loss)
    assert m.privacy_profile(0.5) == approx(right, abs=1e-13)


@pytest.mark.parametrize(
    "m", [dp.SubsampledLaplace(1, 0.1) @ dp.Gaussian(1), dp.ExponentialMechanism(1) @ dp.Staircase(0.7)]
)
def test_products_without_a_transform_are_sharp(m):
    assert m.error_bound < 1e-9


@pytest.mark.deep
def test_chernoffs_bound_that_says_nothing():
    # No transform of a step with so little noise is a number right of 1; one part in 1e6 of 72 steps reveals no more.
    step = dp.SubsampledGaussian(0.0128, 5.8e-9, "remove")
    lines = Lines([(dp.Laplace(1), 38), (step, 72)])
    lower, upper = lines.covered(np.array([1e5]))
    assert 0.0 <= lower[0] <= upper[0] <= 1.0


@pytest.mark.parametrize("m", [dp.FixedBatches(0.5104765983064085), dp.SubsampledGaussian(1, 0.1, "remove")], ids=repr)
def test_a_number_alone_has_the_bits_it_has_among_others(m):
    epsilon = np.append(np.random.default_rng(0).uniform(-3, 10, 3000), 1.230906164296638)
    assert [m.privacy_profile(x) for x in epsilon.tolist()] == m.privacy_profile(epsilon).tolist()


def test_a_power_with_too_many_sums_is_no_mixture():
    # As that in dp.group(dp.Staircase(1.5e-6, 0.00127) ** 3997894, 4).
    with pytest.raises(TooManyAtoms):
        composition._over_fewest(composition.Composition(((dp.RandomizedResponse(1.0), 3),)))


def test_where_errors_nearly_vanish_both_together_bound_f():
    m = dp.Laplace(0.01) ** 5  # no loss is larger than 500
    beta, error = m.tradeoff(np.array([1e-300, 1e-12, 0.5, 1.0]), with_error=True)
    assert beta[0] == approx(1.0, abs=error[0])
    assert (beta[1:] - error[1:] <= 0).all()
    assert (error < 1e-11).all()


def test_a_join_in_which_one_mechanism_counts_alone_has_its_divergence():
    alone = dp.SampledWithoutReplacement(0.0145, 0.00329)
    both = dp.join(alone, dp.SubsampledGaussian(0.574, 0.0457))
    assert both.renyi_divergence([2, 40]) == approx(alone.renyi_divergence([2, 40]), rel=1e-14)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nothing = dp.join(dp.PerfectPrivacy(), dp.SubsampledGaussian(1, 0.1, "remove"))
        assert nothing.renyi_divergence(2) == dp.SubsampledGaussian(1, 0.1, "remove").renyi_divergence(2)
        assert dp.join(*(dp.SubsampledGaussian(s, 1e-200, "add") for s in (1, 2))).renyi_divergence(2) == 0
    less = dp.join(dp.Gaussian(1), dp.SubsampledGaussian(0.7, 0.2, "add"))  # both count
    orders = np.array([1.5, 3.0])
    each = np.array([m.renyi_divergence(orders) for m in less.parts])
    most = np.log(np.expm1((orders - 1) * each).sum(axis=0) + 1) / (orders - 1)
    assert (less.renyi_divergence(orders) >= each.max(axis=0)).all()
    assert (less.renyi_divergence(orders) < most).all()
