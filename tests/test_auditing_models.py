"""Gradients example by example, and the neighbors that differ in one of them."""

import math

import numpy as np
import pytest
from conftest import approx
from hypothesis import given, settings
from hypothesis import strategies as st

from dptutor.auditing import (
    DISSIMILARITIES,
    ConvolutionalNetwork,
    Neighbors,
    Network,
    Training,
    dissimilarity,
    experiment,
    find_neighbors,
)

WIDTHS = [(6, 3), (6, 5, 3), (6, 5, 4, 3)]


def some_examples(n=9, inputs=6, classes=3, seed=0):
    generator = np.random.default_rng(seed)
    return generator.random((n, inputs)), generator.integers(classes, size=n)


def some_parameters(network, count=4):
    drawn = [network.initial(np.random.default_rng(seed)) for seed in range(count)]
    return np.stack(drawn) + np.random.default_rng(99).normal(0, 0.1, (count, network.size))


# Laws.


NETWORKS = [*map(Network, WIDTHS), ConvolutionalNetwork((5, 8), (2,), 3), ConvolutionalNetwork((11, 12), (3, 2), 3)]


@pytest.mark.parametrize("network", NETWORKS, ids=repr)
def test_each_gradient_is_the_slope_of_its_loss(network):
    features, labels = some_examples(inputs=network.inputs)
    parameters = some_parameters(network)
    gradients = network.backpropagate(parameters, features, labels).gradients
    assert gradients.shape == (4, 9, network.size)
    for index in range(network.size):
        step = np.zeros(network.size)
        step[index] = 1e-5
        above = network.losses(parameters + step, features, labels)
        below = network.losses(parameters - step, features, labels)
        assert (above - below) / 2e-5 == approx(gradients[..., index], abs=1e-8)


@pytest.mark.parametrize("network", NETWORKS, ids=repr)
def test_norms_and_weighted_sums_agree_with_the_gradients_one_by_one(network):
    features, labels = some_examples(inputs=network.inputs)
    by_example = network.backpropagate(some_parameters(network), features, labels)
    weights = np.random.default_rng(1).random((4, 9))
    assert by_example.norms == approx(np.linalg.norm(by_example.gradients, axis=-1), rel=1e-12)
    assert by_example.total(weights) == approx(np.einsum("rn,rnp->rp", weights, by_example.gradients), abs=1e-13)
    assert np.array_equal(by_example.one(-1), by_example.gradients[:, -1])


def test_softmax_regression_starts_from_the_loss_of_a_guess():
    network = Network((6, 3))
    features, labels = some_examples()
    assert network.losses(np.zeros(network.size), features, labels) == approx(math.log(3))
    # By the formula: (p − onehot) outer x.
    gradient = network.backpropagate(np.zeros(network.size), features, labels).one(0)
    residual = np.full(3, 1 / 3) - np.eye(3)[labels[0]]
    assert gradient == approx(np.append(np.outer(features[0], residual).ravel(), residual))


def test_losses_stay_finite_where_the_softmax_overflows():
    network = Network((1, 2))
    parameters = np.array([-1e4, 1e4, 0.0, 0.0])
    assert network.losses(parameters, np.ones((1, 1)), np.array([0])) == approx(2e4)


def test_accuracy_counts_the_largest_logit():
    network = Network((1, 2))
    parameters = np.array([[-1.0, 1.0, 0.0, 0.0], [1.0, -1.0, 0.0, 0.0]])
    features, labels = np.array([[1.0], [2.0], [-1.0], [3.0]]), np.array([1, 1, 0, 0])
    assert network.accuracy(parameters, features, labels) == approx([0.75, 0.25])


@settings(max_examples=20)
@given(st.integers(0, 10**6), st.sampled_from(["euclidean", "hamming", "manhattan", "cosine"]))
def test_dissimilarities_are_symmetric_and_zero_from_a_row_to_itself(seed, kind):
    rows = np.random.default_rng(seed).integers(1, 4, (5, 6)) / 4
    table = dissimilarity(rows, rows, kind)
    assert table == approx(table.T, abs=1e-12)
    assert np.diag(table) == approx(np.zeros(5), abs=1e-12)
    assert (table > -1e-12).all()


@pytest.mark.parametrize("kind", DISSIMILARITIES)
def test_the_dataset_sensitivity_is_the_largest_by_equation_18_and_20(kind):  # Bernau et al. (2021)
    generator = np.random.default_rng(3)
    features, labels = generator.random((6, 64)), generator.integers(10, size=6)
    pool = generator.random((5, 64)), generator.integers(10, size=5)
    table = dissimilarity(features, features, kind, image_shape=(8, 8))
    sums = [sum(table[i, j] for j in range(6) if j != i) for i in range(6)]
    found = find_neighbors(features, labels, kind, count=6, image_shape=(8, 8))
    assert found[0][0] == approx(max(sums)) and sums[found[0][1].index] == approx(max(sums))
    assert [value for value, _ in found] == approx(sorted(sums, reverse=True))
    least = find_neighbors(features, labels, kind, count=6, least=True, image_shape=(8, 8))
    assert [value for value, _ in least] == approx(sorted(sums))
    table = dissimilarity(features, pool[0], kind, image_shape=(8, 8))
    value, pair = find_neighbors(features, labels, kind, pool=pool, image_shape=(8, 8))[0]
    assert value == approx(table.max())
    other, label = pair.replacement
    row = int(np.flatnonzero((pool[0] == other).all(1))[0])
    assert table[pair.index, row] == table.max() and label == pool[1][row]


# References.


def test_the_dissimilarities_of_two_rows_by_hand():
    a, b = [[0.0, 1.0, 1.0, 0.0]], [[1.0, 1.0, 0.0, 0.0]]
    expected = {"euclidean": math.sqrt(2), "hamming": 0.5, "manhattan": 2.0, "cosine": 0.5}
    assert {kind: dissimilarity(a, b, kind).item() for kind in expected} == approx(expected)


def test_structural_similarity_by_its_definition():  # Wang et al. (2004), equation 13, 7 × 7 windows
    first, second = np.random.default_rng(0).random((2, 8, 9))
    values = []
    for i in range(2):
        for j in range(3):
            a, b = first[i : i + 7, j : j + 7].ravel(), second[i : i + 7, j : j + 7].ravel()
            covariance = np.cov(a, b)
            top = (2 * a.mean() * b.mean() + 1e-4) * (2 * covariance[0, 1] + 9e-4)
            values.append(top / ((a.mean() ** 2 + b.mean() ** 2 + 1e-4) * (np.trace(covariance) + 9e-4)))
    found = dissimilarity(first.reshape(1, -1), second.reshape(1, -1), "ssim", image_shape=(8, 9))
    assert found.item() == approx(-np.mean(values))
    assert dissimilarity(first.reshape(1, -1), first.reshape(1, -1), "ssim", image_shape=(8, 9)).item() == approx(-1)


def test_neighbors_are_what_they_say():
    features, labels = some_examples()
    removed = Neighbors(features, labels, -1)
    assert removed.index == 8 and not removed.bounded and removed.global_sensitivity(3) == 3
    assert np.array_equal(removed.without[0], features[:-1]) and np.array_equal(removed.without[1], labels[:-1])
    replaced = Neighbors(features, labels, 2, (np.ones(6), 1))
    assert replaced.bounded and replaced.global_sensitivity(3) == 6
    assert np.array_equal(replaced.without[0], np.vstack([features[:2], features[3:], np.ones(6)]))
    assert replaced.without[1][-1] == 1 and len(replaced.union[1]) == 10


# Bad inputs.


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Network((3,)), "widths must name at least inputs and classes"),
        (lambda: Network((3, 0)), "widths must be a positive integer, got 0"),
        (lambda: Network((3, 2)).examples(np.ones((4, 2)), np.zeros(4, int)), r"shape \(n, 3\), got \(4, 2\)"),
        (lambda: Network((3, 2)).examples(np.ones((4, 3)), np.zeros(3, int)), r"shape \(4,\), got \(3,\)"),
        (lambda: Network((3, 2)).examples(np.ones((1, 3)), np.array([2])), "labels must be in 0, …, 1, got 2"),
        (lambda: Network((3, 2)).examples(np.full((1, 3), np.nan), np.array([0])), "features must be"),
        (lambda: Neighbors(*some_examples(), index=9), "one of the 9 examples, got 9"),
        (lambda: Neighbors(*some_examples(), 0, (np.ones(5), 1)), "must have 6 features"),
        (lambda: dissimilarity(np.ones((2, 3)), np.ones((2, 4)), "cosine"), "tables of equal width"),
        (lambda: dissimilarity(np.zeros((2, 3)), np.ones((2, 3)), "cosine"), "not all zero"),
        (lambda: dissimilarity(np.ones((2, 64)), np.ones((2, 64)), "ssim"), "image_shape must be given"),
        (lambda: dissimilarity(np.ones((2, 64)), np.ones((2, 64)), "ssim", image_shape=(8, 9)), "64 pixels"),
        (lambda: dissimilarity(np.ones((2, 36)), np.ones((2, 36)), "ssim", image_shape=(6, 6)), "at least 7 × 7"),
        (lambda: find_neighbors(*some_examples(), "hamming", count=10), "count must be at most 9"),
    ],
)
def test_what_does_not_fit_is_refused_in_words(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_labels_must_be_integers():
    with pytest.raises(TypeError, match="labels must be integers"):
        Network((3, 2)).examples(np.ones((1, 3)), np.array([0.5]))


# Convolutions.


def test_a_convolution_is_the_sum_over_each_patch():
    """Against loops over filters and places, for one image at two networks."""
    network = ConvolutionalNetwork((7, 6), (2,), 3)
    features, _ = some_examples(n=2, inputs=42)
    parameters = some_parameters(network, count=2)
    found = network.logits(parameters, features)
    for r, theta in enumerate(parameters):
        filters, biases, weights, last = np.split(theta, [18, 20, 20 + 2 * 2 * 2 * 3])
        filters = filters.reshape(3, 3, 2)
        for n, image in enumerate(features.reshape(2, 7, 6)):
            moved = np.array([[[(image[i : i + 3, j : j + 3] * filters[..., k]).sum() + biases[k] for k in range(2)]
                               for j in range(4)] for i in range(5)])  # fmt: skip
            pooled = np.array([[moved[2 * i : 2 * i + 2, 2 * j : 2 * j + 2].max((0, 1)) for j in range(2)]
                               for i in range(2)])  # fmt: skip
            expected = np.maximum(pooled, 0).ravel() @ weights.reshape(8, 3) + last
            assert found[r, n] == approx(expected, abs=1e-12)


def test_equal_values_of_a_block_count_once():
    """In a blank image all values of a block are equal; a filter's bias must not count four times."""
    network = ConvolutionalNetwork((4, 4), (1,), 2)
    parameters = np.concatenate([np.ones(9), [0.5], [1.0, -1.0], [0.0, 0.0]])
    blank, label = np.zeros((1, 16)), np.array([1])
    gradient = network.backpropagate(parameters, blank, label).one(0)
    step = np.zeros(network.size)
    step[9] = 1e-6
    slope = (network.losses(parameters + step, blank, label) - network.losses(parameters - step, blank, label)) / 2e-6
    assert gradient[9] == approx(slope[0], rel=1e-6)


def test_many_networks_are_evaluated_a_few_at_a_time(monkeypatch):
    network = ConvolutionalNetwork((5, 8), (2,), 3)
    features, _ = some_examples(inputs=40)
    parameters = some_parameters(network)[:, None] + np.zeros((2, 1))
    together = network.logits(parameters, features)
    monkeypatch.setattr("dptutor.auditing.convolutions._MOST", 1)
    assert together.shape == (4, 2, 9, 3) and network.logits(parameters, features) == approx(together, abs=1e-15)


def test_an_experiment_on_images_has_the_loss_of_its_noise():
    features, labels = some_examples(n=6, inputs=16)
    training = Training(ConvolutionalNetwork((4, 4), (2,), 3), 4.0, steps=4, scaling="local")
    seen = experiment(training, Neighbors(features, labels, 2), 5)
    assert seen.mu == approx(0.5)


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"image_shape": "28"}, TypeError, "image_shape must be a sequence"),
        ({"image_shape": (28,)}, ValueError, "a height and a width"),
        ({"image_shape": (28, 0)}, ValueError, "image_shape"),
        ({"filters": ()}, ValueError, "at least one convolution"),
        ({"filters": (16, 16, 16, 16)}, ValueError, "nothing is left"),
        ({"filters": (16, 1.5)}, ValueError, "filters"),
        ({"classes": 0}, ValueError, "classes"),
    ],
)
def test_wrong_sizes_of_a_convolutional_network_are_named(settings, error, words):
    with pytest.raises(error, match=words):
        ConvolutionalNetwork(**settings)


def test_features_must_be_as_many_as_pixels():
    with pytest.raises(ValueError, match=r"\(n, 784\)"):
        ConvolutionalNetwork().examples(np.zeros((2, 783)), [0, 1])
