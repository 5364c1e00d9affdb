"""Roots against closed forms, and what has none."""

import numpy as np
import pytest

from dptutor.evaluation.roots import bracketed_root, decreasing_root


@pytest.mark.parametrize("size", [(), (0,), (7,), (3, 2)])
@pytest.mark.parametrize(
    ("function", "inverse"),
    [
        (lambda x, y: x**3 - y, np.cbrt),
        (lambda x, y: np.exp(-x * x / 2) - y, lambda y: np.sqrt(-2 * np.log(y))),
        (lambda x, y: (x - y) ** 9, lambda y: y),  # flat at its root
        (lambda x, y: np.where(x < y, 1.0, -1e-30), lambda y: y),  # a jump
        (lambda x, y: y / 1e200 - x, lambda y: y / 1e200),
    ],
)
def test_a_root_within_its_bracket_is_found_to_the_last_digits(function, inverse, size):
    y = np.random.default_rng(3).uniform(1e-3, 0.9, size)
    asked = []
    root = bracketed_root(lambda x, y: asked.append(x) or function(x, y), np.zeros(size), np.full(size, 30.0), y)
    assert len(asked) < 1000
    assert root.shape == size
    np.testing.assert_allclose(root, inverse(y), rtol=5e-16)


def test_without_a_change_of_sign_there_is_no_root():
    low, high = np.array([1.0, -1.0, 0.0, -np.inf, np.nan, 2.0]), np.array([2.0, 3.0, 2.0, 1.0, 1.0, np.inf])
    np.testing.assert_array_equal(bracketed_root(lambda x: x, low, high), [np.nan, 0.0, 0.0, np.nan, np.nan, np.nan])


def test_an_element_has_the_bits_it_has_alone():
    y = np.random.default_rng(4).uniform(-6, 6, 50)
    roots = decreasing_root(lambda x: -np.sinh(x), y)
    np.testing.assert_allclose(roots, -np.arcsinh(y), rtol=1e-15)
    assert [float(decreasing_root(lambda x: -np.sinh(x), each)) for each in y] == roots.tolist()


def test_a_decreasing_function_may_be_below_its_target_everywhere_or_nowhere():
    def tail(x):
        return np.exp(-np.maximum(x, 0.0))

    target = np.array([2.0, 1.0, 0.5, -1.0])
    np.testing.assert_allclose(decreasing_root(tail, target), [-np.inf, -np.inf, np.log(2), np.inf], rtol=1e-15)
    np.testing.assert_allclose(decreasing_root(tail, [2.0, 1e-3], low=1.0), [1.0, -np.log(1e-3)], rtol=1e-15)
    far = np.array([1e5])
    assert decreasing_root(lambda x: -x, -far, guess=far * 1.01) == far
