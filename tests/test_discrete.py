"""Noise of whole numbers, against sums in many digits and what others compute; then compositions, then bad input."""

import math
from itertools import pairwise

import mpmath
import numpy as np
import pytest
from conftest import approx
from dp_accounting.pld import privacy_loss_distribution as pld

import dptutor as dp
from dptutor.mechanisms.base import Mechanism


def laplace_mass(scale):
    a = mpmath.exp(-1 / mpmath.mpf(scale))
    return lambda x: (1 - a) / (1 + a) * a ** abs(x)


def gaussian_mass(sigma):
    reach = math.ceil(60 * sigma) + 5
    weight = lambda x: mpmath.exp(-(mpmath.mpf(x) ** 2) / (2 * mpmath.mpf(sigma) ** 2))  # noqa: E731
    total = mpmath.fsum(weight(x) for x in range(-reach, reach + 1))
    return lambda x: weight(x) / total


def by_enumeration(mass, shift, reach, epsilon):
    """δ = Σ max(q − e^ε p, 0) over all whole numbers up to a distance."""
    grow = mpmath.exp(mpmath.mpf(epsilon))
    terms = (mass(x - shift) - grow * mass(x) for x in range(-reach, shift + reach + 1))
    return float(mpmath.fsum(term for term in terms if term > 0))


@pytest.mark.parametrize(("scale", "shift"), [(0.1, 1), (1.0, 1), (2.0, 3), (30.0, 7), (1e4, 2)])
def test_discrete_laplace_against_the_sum_over_its_masses(scale, shift):
    m = dp.DiscreteLaplace(scale, shift)
    with mpmath.workdps(40):
        mass, reach = laplace_mass(scale), min(math.ceil(60 * scale), 4000)
        for share in (-0.9, 0.0, 0.3, 0.99):
            epsilon = share * m.largest_loss
            # Beyond the shift both fall alike: what is left out there is a tail times 1 − e^(ε ∓ ε₀).
            tail = mass(reach + 1) / (1 - mpmath.exp(-1 / mpmath.mpf(scale)))
            left = tail * (1 - mpmath.exp(mpmath.mpf(epsilon) - mpmath.mpf(shift) / mpmath.mpf(scale)))
            right = tail * max(0, 1 - mpmath.exp(mpmath.mpf(epsilon) + mpmath.mpf(shift) / mpmath.mpf(scale)))
            exact = by_enumeration(mass, shift, reach, epsilon) + float(left + right)
            assert m.privacy_profile(epsilon) == approx(exact, rel=1e-11)
    assert m.privacy_profile(m.largest_loss) == 0 and m.epsilon(0) == m.largest_loss


@pytest.mark.parametrize(("sigma", "shift"), [(0.05, 1), (0.4, 1), (1.0, 2), (5.0, 1), (12.0, 30)])
def test_discrete_gaussian_against_the_sum_over_its_masses(sigma, shift):
    m = dp.DiscreteGaussian(sigma, shift)
    with mpmath.workdps(60):
        mass, reach = gaussian_mass(sigma), math.ceil(45 * sigma) + 3
        for deviations in (-5.0, -1.0, 0.0, 0.7, 5.0, 20.0, 30.0):
            epsilon = m.mu**2 / 2 + deviations * m.mu
            exact = by_enumeration(mass, shift, reach, epsilon)
            assert m.privacy_profile(epsilon) == approx(exact, rel=1e-9, abs=1e-300)
            value, error = m.privacy_profile(epsilon, with_error=True)
            assert abs(value - exact) <= error + 1e-300
        for order in (0.3, 0.5, 1.7, 2.0, 40.5, 500.0):
            s = mpmath.mpf(order)
            center = round(order * shift)
            near = range(center - 2 * reach - shift, center + 2 * reach + shift)
            exact = mpmath.log(mpmath.fsum(mass(x - shift) ** s * mass(x) ** (1 - s) for x in near)) / (s - 1)
            assert m.renyi_divergence(order) == approx(float(exact), rel=1e-9)
        s = mpmath.mpc(0.4, 1.3)
        exact = mpmath.fsum(
            mass(x) * mpmath.exp(s * shift * (2 * x - shift) / (2 * mpmath.mpf(sigma) ** 2))
            for x in range(-reach, reach + shift)
        )
        value, error = m.hellinger_transform(0.4 + 1.3j, with_error=True)
        assert abs(value - complex(exact)) <= error + 1e-15 <= 1e-10
        mean = mpmath.fsum(mass(x - shift) * shift * (2 * x - shift) for x in range(-reach, reach + shift)) / 2
        assert m.privacy_loss.mean() == approx(float(mean / mpmath.mpf(sigma) ** 2), rel=1e-12)


def test_the_discrete_gaussian_is_the_one_of_dp_accounting():
    theirs = pld.from_discrete_gaussian_mechanism(3.0, sensitivity=2, value_discretization_interval=1e-5)
    for epsilon in (0.0, 0.5, 1.5, 3.0):
        own, upper = dp.DiscreteGaussian(3.0, 2).privacy_profile(epsilon), theirs.get_delta_for_epsilon(epsilon)
        assert own == approx(upper, rel=1e-3) and own <= upper * (1 + 1e-9)


def test_discrete_laplace_with_sensitivity_one_is_randomized_response():
    m, other = dp.DiscreteLaplace(0.7), dp.RandomizedResponse(1 / 0.7)
    epsilon = np.linspace(-2, 2, 41)
    assert m.privacy_profile(epsilon) == approx(other.privacy_profile(epsilon), abs=1e-15)


@pytest.mark.parametrize(
    ("fine", "other"),
    [(dp.DiscreteGaussian(400, 800), dp.Gaussian(0.5)), (dp.DiscreteLaplace(4e4, 60_000), dp.Laplace(2 / 3))],
)
def test_with_small_steps_both_are_the_continuous_ones(fine, other):
    alpha = np.linspace(0, 1, 101)
    assert fine.tradeoff(alpha) == approx(other.tradeoff(alpha), abs=1e-3)


# Compositions.


@pytest.mark.parametrize(("sigma", "shift", "count"), [(0.8, 1, 5), (1.5, 2, 7), (2.0, 1, 6), (3.0, 2, 4)])
def test_sums_of_discrete_gaussians_against_their_convolution(sigma, shift, count):
    m = dp.DiscreteGaussian(sigma, shift) ** count
    with mpmath.workdps(50):
        mass = gaussian_mass(sigma)
        reach = math.ceil(22 * sigma)
        one = [mass(x) for x in range(-reach, reach + 1)]
        total = [mpmath.mpf(1)]
        for _ in range(count):
            total = [
                mpmath.fsum(total[i] * one[k - i] for i in range(max(0, k - len(one) + 1), min(k + 1, len(total))))
                for k in range(len(total) + len(one) - 1)
            ]
        far = count * reach
        law = dict(zip(range(-far, far + 1), total, strict=True))
        for epsilon in (0.0, 1.0, 4.0):
            exact = by_enumeration(lambda x: law.get(x, mpmath.mpf(0)), count * shift, far, epsilon)
            value, error = m.privacy_profile(epsilon, with_error=True)
            assert abs(value - exact) <= error <= 1e-10
            assert value == approx(exact, rel=1e-9)


def test_few_and_many_whole_losses_answer_together_with_others():
    for m in (dp.DiscreteGaussian(10) @ dp.Gaussian(3), dp.DiscreteGaussian(100) @ dp.Gaussian(50)):
        (one, _), (other, _) = m.factors
        mu = math.hypot(one.mu, other.mu)
        value, error = m.privacy_profile(0.3 * mu, with_error=True)
        assert error < 1e-7
        assert value == approx(dp.Gaussian(1 / mu).privacy_profile(0.3 * mu), abs=1e-4)


def test_infinite_epsilon_where_losses_are_unbounded():
    for m in (dp.DiscreteGaussian(0.5), dp.DiscreteGaussian(3) ** 4, dp.DiscreteGaussian(1) ** 3):
        assert m.epsilon(0) == math.inf and m.privacy_profile(math.inf) == 0
        assert m.renyi_divergence(math.inf) == math.inf


# k-ary randomized response.


@pytest.mark.parametrize(("epsilon", "categories"), [(1.0, 2), (0.3, 3), (2.0, 10), (5.0, 1000)])
def test_k_ary_randomized_response_against_the_enumeration_of_its_answers(epsilon, categories):
    total = math.exp(epsilon) + categories - 1
    p = [math.exp(epsilon) / total, *[1 / total] * (categories - 1)]
    other = dp.FiniteExperiment(p, [p[1], p[0], *p[2:]])
    m = dp.KaryRandomizedResponse(epsilon, categories)
    losses = np.linspace(-epsilon, epsilon, 33)
    assert m.privacy_profile(losses) == approx(other.privacy_profile(losses), abs=1e-14)
    assert m.tradeoff(np.linspace(0, 1, 33)) == approx(other.tradeoff(np.linspace(0, 1, 33)), abs=1e-14)
    assert (m**7).epsilon(1e-3) == approx((other**7).epsilon(1e-3), rel=1e-11)
    assert (m == dp.RandomizedResponse(epsilon)) == (categories == 2)


# Groups.

ALPHA = np.linspace(0, 1, 41)


def chained(m, size):
    """1 − (1 − f)∘…∘(1 − f)."""
    power = ALPHA
    for _ in range(size):
        power = 1 - m.tradeoff(np.clip(power, 0, 1))
    return 1 - power


@pytest.mark.parametrize("size", [1, 2, 3, 8])
@pytest.mark.parametrize(
    "m",
    [
        dp.Gaussian(2), dp.Laplace(3), dp.DiscreteLaplace(3), dp.DiscreteGaussian(0.7, 2), dp.RandomizedResponse(0.4),
        dp.ApproximateDP(0.3, 0.02), dp.FiniteExperiment([0.2, 0.5, 0.3, 0], [0, 0.25, 0.6, 0.15]),
        dp.FiniteExperiment([0.2, 0.5, 0.3, 0], [0, 0.25, 0.6, 0.15]).symmetrized.mechanism.reverse,
        dp.KaryRandomizedResponse(1, 4), dp.PerfectPrivacy(), dp.BlatantlyNonPrivate(),
    ],
    ids=repr,
)  # fmt: skip
def test_a_group_is_the_chained_tradeoff_function(m, size):  # Dong, Roth & Su (2022), section 2
    assert dp.group(m, size).tradeoff(ALPHA) == approx(chained(m, size), abs=1e-13)


@pytest.mark.parametrize(("epsilon", "delta", "size"), [(0.5, 1e-6, 2), (0.1, 1e-9, 20), (1.0, 1e-12, 5)])
def test_groups_of_approximate_privacy(epsilon, delta, size):  # Dwork & Roth (2014), theorem 2.2; Vadhan (2017)
    m = dp.group(dp.ApproximateDP(epsilon, delta), size)
    exact = delta * math.expm1(size * epsilon) / math.expm1(epsilon)
    assert m.privacy_profile(size * epsilon) == approx(exact, rel=1e-9, abs=m.error_bound)  # a loss of m, rounded
    assert m.privacy_profile(size * epsilon + 1e-9) == approx(exact, rel=1e-9)


@pytest.mark.parametrize(
    ("m", "size", "largest"),
    [
        (dp.RandomizedResponse(600), 2, 1200), (dp.RandomizedResponse(600), 4, 2400),
        (dp.RandomizedResponse(1), 900, 900), (dp.KaryRandomizedResponse(500, 10), 3, 1500),
        (dp.ShuffledRandomizedResponse(300.0, 5), 4, 1200),
    ],
    ids=repr,
)  # fmt: skip
def test_losses_of_groups_may_be_thousands(m, size, largest):
    whole = dp.group(m, size)
    assert whole.epsilon(0) == approx(largest, rel=1e-14)
    assert whole.privacy_profile([0.0, largest - 40.0, largest + 1.0]) == approx([1, 1, 0], abs=1e-8)
    assert eval(repr(whole), vars(dp)) == whole
    assert dp.group(dp.group(m, 2), size) == dp.group(m, 2 * size)


@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 0.0), (0.5, 0.05), (0.0, 0.2)])
def test_a_chain_of_data_sets_attains_the_curve_of_a_group(epsilon, delta):
    """Data sets with i members of a group have the distribution function g∘…∘g, i times, with g = 1 − f."""
    m, size = dp.ApproximateDP(epsilon, delta), 3
    corners = np.array([0, (1 - delta) / (1 + math.exp(epsilon)), 1 - delta, 1])

    def power(x):
        return 1 - m.tradeoff(np.clip(x, 0, 1))

    ends = [corners]  # where one of the distribution functions has a kink
    for _ in range(size):
        ends.append(np.interp(ends[-1], power(corners), corners))
    x = np.unique(np.concatenate(ends))
    reached = [x]
    for _ in range(size):
        reached.append(power(reached[-1]))
    masses = [np.diff(values, prepend=0) for values in reached]
    for one, two in pairwise(masses):
        assert np.all(dp.FiniteExperiment(one, two).tradeoff(ALPHA) >= m.tradeoff(ALPHA) - 1e-12)
    assert dp.FiniteExperiment(masses[0], masses[-1]).tradeoff(ALPHA) == approx(chained(m, size), abs=1e-12)


@pytest.mark.parametrize("kind", [dp.Gaussian, dp.Laplace, dp.DiscreteGaussian, dp.DiscreteLaplace])
def test_the_largest_shift_of_a_number_is_the_worst(kind):
    shifted = [kind(1.3, shift).tradeoff(ALPHA) for shift in (1, 2, 3)]
    assert np.all(np.diff(shifted, axis=0) <= 1e-13)


def test_a_group_in_a_composition_reveals_no_more_than_the_chain_of_the_whole():
    m = dp.RandomizedResponse(0.5) ** 3
    assert np.all(dp.group(m, 2).tradeoff(ALPHA) >= chained(m, 2) - 1e-13)
    both = dp.FiniteExperiment([0.6, 0.4], [0.3, 0.7]).symmetrized
    assert dp.group(both, 2).is_symmetric and bool(dp.group(both, 2).both_directions)
    assert dp.group(dp.Gaussian(2) @ dp.Laplace(1), 3) == dp.Gaussian(2, 3) @ dp.Laplace(1, 3)


# Correlated noise.


@pytest.mark.parametrize(("steps", "levels"), [(1, 1), (2, 2), (3, 2), (7, 3), (8, 4), (1000, 10)])
def test_a_tree_has_the_sensitivity_of_its_nodes(steps, levels):
    nodes = []
    size = 1
    while size <= steps:
        for first in range(0, steps - size + 1, size):
            nodes.append([1.0 if first <= leaf < first + size else 0.0 for leaf in range(steps)])
        size *= 2
    tree = dp.tree_aggregation(2.0, steps)
    assert tree.sensitivity == approx(math.sqrt(levels))
    assert tree.mu == approx(dp.matrix_mechanism(2.0, nodes).mu, rel=1e-15)
    assert dp.tree_aggregation(2.0, steps, epochs=3).mu == approx((tree**3).mu)


def test_the_sensitivity_of_a_matrix_bounds_what_any_vectors_do():
    generator = np.random.default_rng(5)
    for signed in (False, True):
        matrix = generator.normal(size=(5, 6))
        matrix = matrix if signed else np.abs(matrix)
        bound = dp.matrix_mechanism(1.0, matrix, epochs=2).sensitivity
        vectors = generator.normal(size=(20_000, 2, 3))
        vectors /= np.linalg.norm(vectors, axis=-1, keepdims=True)
        reached = max(
            np.linalg.norm(np.einsum("ij,njd->nid", matrix[:, [t, t + 3]], vectors), axis=(1, 2)).max()
            for t in range(3)
        )
        together = max(np.linalg.norm(matrix[:, [t, t + 3]].sum(axis=1)) for t in range(3))
        assert reached <= bound * (1 + 1e-12)
        assert signed or bound == approx(together)


# Bad input.


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: dp.DiscreteLaplace(1, 1.5), ValueError, "^sensitivity must be a positive integer, got 1.5"),
        (lambda: dp.DiscreteLaplace(1e-3), ValueError, r"^sensitivity/scale must be in \(0, 700\], got 1000"),
        (lambda: dp.DiscreteGaussian(1e6), ValueError, "^sensitivity and noise must have at most 2e.06 outcomes"),
        (lambda: dp.DiscreteGaussian(1e-7), ValueError, "^sensitivity/sigma must be below 1e6"),
        (lambda: dp.KaryRandomizedResponse(1, 1), ValueError, "^categories must be at least 2, got 1"),
        (
            lambda: dp.group(dp.SubsampledLaplace(1, 0.1), 2),
            ValueError,
            "^mechanism must consist of .* got SubsampledLaplace",
        ),
        (lambda: dp.group(dp.RandomizedResponse(1), 10**4), ValueError, "^size must be so that outcomes"),
        (lambda: dp.group(dp.RandomizedResponse(500), 41), ValueError, "^size must be so that the largest loss"),
        (lambda: dp.matrix_mechanism(1, [[0, 0]]), ValueError, "^strategy must be a matrix with an entry that is not"),
        (lambda: dp.matrix_mechanism(1, [1, 2]), ValueError, "^strategy must be a matrix"),
        (lambda: dp.matrix_mechanism(1, [[1, 2, 3]], 2), ValueError, "^epochs must divide the 3 columns"),
    ],
)
def test_what_cannot_be_is_refused_by_name(make, error, words):
    with pytest.raises(error, match=words):
        make()


def test_hooks_that_are_answered_faster_say_the_same():
    m = dp.DiscreteGaussian(1.3, 2)
    assert m._loss_moments("P") == approx(Mechanism._loss_moments(m, "P"), rel=1e-9)
