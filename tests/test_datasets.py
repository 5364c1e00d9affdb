"""The bundled data, and readers of published files, on small files in the same formats."""

import gzip
import sys
from importlib import resources

import numpy as np
import pytest
from conftest import approx

from dptutor import datasets

# Records of the published form, as in adult.data; the last is incomplete.
ADULT = """\
39, State-gov, 77516, Bachelors, 13, Never-married, Adm-clerical, Not-in-family, White, Male, 2174, 0, 40, United-States, <=50K
52, Self-emp-not-inc, 209642, HS-grad, 9, Married-civ-spouse, Exec-managerial, Husband, White, Male, 0, 0, 45, United-States, >50K
18, ?, 103497, Some-college, 10, Never-married, ?, Own-child, White, Female, 0, 0, 30, United-States, <=50K

"""  # noqa: E501


def idx(array):
    array = np.asarray(array, np.uint8)
    return bytes([0, 0, 8, array.ndim]) + np.array(array.shape, ">u4").tobytes() + array.tobytes()


@pytest.fixture
def write(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def images(count=5):
    return np.random.default_rng(0).integers(256, size=(count, 28, 28))


def purchases(count=3):
    generator = np.random.default_rng(0)
    return generator.integers(2, size=(count, 600)), np.array([0, 99, 41])[:count]


def table(features, labels):
    rows = np.column_stack([labels + 1, features])
    return "".join(",".join(map(str, row)) + "\n" for row in rows.tolist())


# What is read.


def test_digits_and_tumors_are_complete_and_scaled():
    digits, tumors = datasets.digits(), datasets.tumors()
    assert digits.features.shape == (1797, 64) and len(digits) == 1797 and digits.image_shape == (8, 8)
    assert tumors.features.shape == (569, 30) and tumors.classes == 2
    for data in (digits, tumors):
        assert data.features.min() == 0 and data.features.max() == 1
        assert set(data.labels) == set(range(data.classes))
    assert repr(digits) == "<digits: 1797 examples of 64 features in 10 classes>"


def test_the_table_of_voters_is_whole_and_says_where_it_comes_from():
    people = datasets.voters()
    assert people.dtype.names == ("age", "education", "income", "news", "party", "vote")
    ranges = {"age": (19, 91), "education": (1, 7), "income": (1, 24), "news": (0, 7), "party": (0, 6), "vote": (0, 1)}
    assert {name: (people[name].min(), people[name].max()) for name in people.dtype.names} == ranges
    # Totals of the published file.
    totals = {"age": 44409, "education": 4310, "income": 15417, "news": 3519, "party": 2683, "vote": 393}
    assert len(people) == 944 and {name: people[name].sum() for name in people.dtype.names} == totals
    note = resources.files("dptutor").joinpath("voters.csv").read_text(encoding="utf-8").partition("age,")[0]
    assert "public domain" in note and all(f"\n# {name} " in note for name in people.dtype.names)


def test_digits_of_mnist_come_with_the_package_and_their_license():
    data = datasets.mnist()
    assert len(data) == 1500 and data.image_shape == (28, 28) and (np.bincount(data.labels) == 150).all()
    assert data.features.min() == 0 and data.features.max() == 1
    # Digits have blank margins and a few strokes, and their labels are theirs: a nearest mean finds most of them.
    assert (data.features.reshape(-1, 28, 28)[:, [0, -1]] == 0).mean() > 0.99
    means = np.array([data.features[:1000][data.labels[:1000] == digit].mean(0) for digit in range(10)])
    nearest = ((data.features[1000:, None] - means) ** 2).sum(-1).argmin(-1)
    assert (nearest == data.labels[1000:]).mean() > 0.75
    with resources.files("dptutor").joinpath("mnist.npz").open("rb") as file, np.load(file) as stored:
        assert "MIT License" in str(stored["source"]) and "mnist 1.1.0" in str(stored["source"])


def test_one_file_of_mnist_is_not_enough(tmp_path):
    with pytest.raises(TypeError, match="together"):
        datasets.mnist(tmp_path / "images")


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzipped"])
def test_mnist_is_read_from_its_two_files(write, pack):
    pixels = images()
    data = datasets.mnist(
        write("train-images-idx3-ubyte", pack(idx(pixels))),
        write("train-labels-idx1-ubyte", pack(idx([5, 0, 4, 1, 9]))),
    )
    assert data.features == approx(pixels.reshape(5, 784) / 255)
    assert data.labels.tolist() == [5, 0, 4, 1, 9] and data.image_shape == (28, 28)


def test_purchases_are_read_from_a_table_and_from_npz(write, tmp_path):
    features, labels = purchases()
    data = datasets.purchase100(write("dataset_purchase", table(features, labels)))
    assert np.array_equal(data.features, features) and data.labels.tolist() == [0, 99, 41]
    for stored in (labels, np.eye(100)[labels]):
        np.savez(tmp_path / "purchase100.npz", features=features, labels=stored)
        data = datasets.purchase100(tmp_path / "purchase100.npz")
        assert np.array_equal(data.features, features) and data.labels.tolist() == [0, 99, 41]


def test_adult_is_read_with_dummy_variables_and_without_incomplete_records(write):
    data = datasets.adult(write("adult.data", ADULT))
    assert data.features.shape == (2, 105) and data.labels.tolist() == [0, 1]
    first = data.features[0]
    # Six numbers and eight categories.
    assert first[0] == approx((39 - 17) / (90 - 17)) and ((first == 0) | (first == 1)).sum() >= 99
    assert (data.features[:, 1:9].sum(1) == 1).all() and first[1 + 5] == 1  # State-gov
    assert first[9] == approx((77516 - 12285) / (1490400 - 12285))
    assert data.features[1, -41] == 1  # United-States
    assert data.features.min() >= 0 and data.features.max() <= 1


def test_the_test_file_of_adult_has_a_remark_and_full_stops(write):
    content = "|1x3 Cross validator\n" + ADULT.replace("50K\n", "50K.\n")
    data, expected = datasets.adult(write("adult.test", content)), datasets.adult(write("adult.data", ADULT))
    assert np.array_equal(data.features, expected.features) and np.array_equal(data.labels, expected.labels)


# What is refused.


def broken_mnist():
    right, labels = idx(images()), idx([5, 0, 4, 1, 9])
    return [
        (labels, labels, "first is not an IDX file of images: it starts with 00000801, not 00000803"),
        (right, right, "second is not an IDX file of labels: it starts with 00000803, not 00000801"),
        (b"", labels, "first is not an IDX file of images: it starts with , not 00000803"),
        (right[:10], labels, "first ends within its header, after 10 of 16 bytes"),
        (right[:-1], labels, "first ends early: 3935 bytes, where its header says 3936"),
        (right + b"x", labels, "first is too long: 3937 bytes, where its header says 3936"),
        (gzip.compress(right)[:-20], labels, "first is a damaged gzip file"),
        (right, idx([1, 2]), "first has 5 images, but .*second has 2 labels"),
        (right, idx([1, 2, 3, 4, 10]), "second: labels must be in 0, …, 9, got 10"),
    ]


@pytest.mark.parametrize(("first", "second", "message"), broken_mnist(), ids=range(9))
def test_wrong_files_of_mnist_are_named(write, first, second, message):
    with pytest.raises(ValueError, match=message):
        datasets.mnist(write("first", first), write("second", second))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (", <=50K", "", "adult.data, line 1: expected 15 fields, got 14"),
        ("<=50K", "<=50k", "adult.data, line 1: the class must be <=50K or >50K, got '<=50k'"),
        ("52,", "old,", "adult.data, line 2: age must be a number, got 'old'"),
        ("52,", "nan,", "adult.data, line 2: age must be a number, got 'nan'"),
        ("Exec-managerial", "Boss", "adult.data, line 2: occupation 'Boss' is not one of the published values"),
    ],
)
def test_wrong_records_of_adult_are_named(write, old, new, message):
    with pytest.raises(ValueError, match=message):
        datasets.adult(write("adult.data", ADULT.replace(old, new, 1)))


def test_an_adult_file_without_complete_records_is_refused(write):
    for content in ("", ADULT.splitlines()[2] + "\n"):
        with pytest.raises(ValueError, match=r"adult\.data has no complete record"):
            datasets.adult(write("adult.data", content))
    with pytest.raises(ValueError, match=r"adult\.data is not a comma-separated text file"):
        datasets.adult(write("adult.data", b"\xff\xfe\x00"))
    with pytest.raises(ValueError, match=r"adult\.data is not a comma-separated text file: field larger"):
        datasets.adult(write("adult.data", "x" * 200_000))


def test_wrong_tables_of_purchases_are_named(write):
    right = table(*purchases())
    for content, message in [
        ("", "table is empty"),
        (right[:-1300], "line 2: expected a class and 600 items"),
        (right.replace("1,", "101,", 1), r"line 1: the class must be in 1, …, 100, got '101'"),
        (right.replace("100,", "100,2", 1), r"line 2: items must be 0 or 1, got '2\d'"),
    ]:
        with pytest.raises(ValueError, match=message):
            datasets.purchase100(write("table", content))


def test_wrong_arrays_of_purchases_are_named(tmp_path):
    features, labels = purchases()
    path = tmp_path / "purchase.npz"
    for arrays, message in [
        ({"labels": labels}, "has no array 'features', only 'labels'"),
        ({}, "has no array 'features', only none"),
        ({"features": features[:, 1:], "labels": labels}, r"600 columns of 0 and 1, got the shape \(3, 599\)"),
        ({"features": 2 * features, "labels": labels}, "600 columns of 0 and 1"),
        ({"features": features, "labels": labels + 1}, "labels must be 0, …, 99"),
        ({"features": features, "labels": labels[:2]}, "labels must be 0, …, 99"),
        ({"features": features, "labels": np.zeros((3, 100))}, "labels must be 0, …, 99"),
    ]:
        np.savez(path, **arrays)
        with pytest.raises(ValueError, match=f"purchase.npz.*{message}"):
            datasets.purchase100(path)
    path.write_bytes(b"PK\x03\x04 and no more")
    with pytest.raises(ValueError, match=r"purchase\.npz is not a readable \.npz file"):
        datasets.purchase100(path)


def test_a_missing_file_is_a_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        datasets.adult(tmp_path / "nowhere")


def test_without_scikit_learn_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(ImportError, match=r"pip install 'dptutor\[audit\]'"):
        datasets.digits()
