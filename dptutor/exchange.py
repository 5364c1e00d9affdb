"""Ways in and out: other tools' formats as mechanisms, and mechanisms in other tools' formats.

    from_pld, to_pld                     the privacy loss distribution of dp-accounting
    from_opacus, to_opacus               the history of an accountant of Opacus: (σ, p, steps)
    from_tensorflow                      the statement of TensorFlow Privacy, or the flags of its command
    from_opendp                          a measure of OpenDP with a distance
    from_roc, from_profile               points of a curve: the band of all mechanisms that have them
    read_file, read_band                 any of these from a file

None of these packages has to be installed: their formats are documented, and objects are used by their attributes.

A privacy loss distribution of dp-accounting has the law of L under Q, on multiples of an interval: an atom of mass q at
ε has the mass q e^−ε under P. What is missing under P has no place under Q. Points of a curve that is convex leave open
what lies between the chords through neighboring points and the extensions of these chords; that holds for f(α), and for
δ as a function of e^ε.

Sources: Doroshenko et al. (2022) for distributions by connecting dots; Dong, Roth & Su (2022), section 2.
"""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import reduce
from operator import matmul
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ._floats import LARGEST_LOSS, UNIT_ROUNDOFF
from ._types import Array, Numbers
from ._validation import positive_integer, positive_number, real_array, real_number, shown
from .evaluation.laws import AtomicLaw, NormalLaw, SampledLaw
from .mechanisms import DPSGD, FiniteExperiment, Mechanism, join
from .mechanisms.base import as_mechanism
from .risk.facts import allowed_by
from .specification import read as specified

__all__ = [
    "Band",
    "from_opacus",
    "from_opendp",
    "from_pld",
    "from_profile",
    "from_roc",
    "from_tensorflow",
    "read_band",
    "read_columns",
    "read_file",
    "to_opacus",
    "to_pld",
]

# By so much the masses of a distribution may miss 1, and how far losses may be from multiples of the interval.
_ROUNDING, _ON_GRID = 1e-9, 1e-9
# So much mass at its smallest losses may have to be given up in what is a pair but for rounding. That of dp-accounting
# is 1e-16 divided by the interval at each multiple of it; under P it is multiplied by up to e^(-loss).
_GIVEN_UP = 1e-5
# Atoms of a distribution that is made, at most; δ below which losses count as infinite.
_MOST_ATOMS, _TAIL = 10**6, 1e-15


class Band(NamedTuple):
    """All mechanisms between two: what some points of a curve allow.

    Examples
    --------
    >>> import dptutor as dp
    >>> band = dp.exchange.from_roc([0.1], [0.4])
    >>> round(band.weakest.tradeoff(0.05), 4), round(band.strongest.tradeoff(0.05), 4)
    (0.5333, 0.8)
    """

    weakest: Mechanism
    strongest: Mechanism


def from_pld(distribution: Any) -> Mechanism:
    """The mechanism of a privacy loss distribution of dp-accounting.

    Parameters
    ----------
    distribution : dp_accounting.pld.privacy_loss_distribution.PrivacyLossDistribution, or dict
        Or the arguments of its `create_from_rounded_probability`, as `to_pld` gives them; multiples of the interval may
        be texts, as they are in JSON.

    Returns
    -------
    Mechanism
        With the same profile at ε ≥ 0, in both directions where the distribution is symmetric. One with a pair for each
        adjacency gives the join of the two.

    Raises
    ------
    TypeError, ValueError
        If it is no such distribution, or its masses are those of no pair, as those of optimistic estimates may be.

    References
    ----------
    Doroshenko et al. (2022).

    Examples
    --------
    >>> import dptutor as dp
    >>> from dp_accounting.pld import privacy_loss_distribution
    >>> pld = privacy_loss_distribution.from_laplace_mechanism(1.0)
    >>> m = dp.exchange.from_pld(pld)
    >>> round(m.privacy_profile(0.5), 6), round(float(pld.get_delta_for_epsilon(0.5)), 6)
    (0.221199, 0.221199)
    """
    if isinstance(distribution, dict):
        laws = _laws_of_arguments(distribution)
    else:
        try:
            removed, added = distribution._pmf_remove, distribution._pmf_add
            laws = [_law_of(pmf) for pmf in ((removed,) if distribution._symmetric else (removed, added))]
        except AttributeError as missing:
            raise TypeError(
                f"distribution must be a PrivacyLossDistribution of dp-accounting, got {shown(distribution)} "
                f"({missing})"
            ) from None
    pairs: list[Mechanism] = [_experiment(*law) for law in laws]
    if len(pairs) > 1:
        return reduce(join, pairs)
    # Of a symmetric one the losses that are not negative count, in both directions.
    losses = np.unique(np.append(0.0, laws[0][0][laws[0][0] > 0]))
    return allowed_by(epsilon=losses, delta=np.minimum(pairs[0].privacy_profile(losses), 1.0))


def to_pld(mechanism: Mechanism, interval: float = 1e-4) -> dict[str, Any]:
    """The privacy loss distribution of a mechanism, as dp-accounting makes one.

    `PrivacyLossDistribution.create_from_rounded_probability(**to_pld(m))` is the object.

    Parameters
    ----------
    mechanism : Mechanism
        Of one in both directions, the first is that of removal; of a single pair, it and its reverse.
    interval : float
        Losses are multiples of it.

    Returns
    -------
    dict
        Masses under Q by multiple of the interval, and that of infinite losses; no less than the true profile, by
        connecting its points at multiples of the interval. A finite experiment with such losses is taken as it is.

    Raises
    ------
    TypeError, ValueError
        If the first argument is not a mechanism, or the interval not positive or so small that there are more than a
        million multiples.

    References
    ----------
    Doroshenko et al. (2022), for the connection of the points.

    Examples
    --------
    >>> import dptutor as dp
    >>> from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution
    >>> m = dp.DPSGD(0.6, 0.01, 500)
    >>> pld = PrivacyLossDistribution.create_from_rounded_probability(**dp.exchange.to_pld(m, 1e-2))
    >>> m.epsilon(1e-5) < pld.get_epsilon_for_delta(1e-5) < m.epsilon(1e-5) + 1e-2
    True
    """
    m, interval = as_mechanism("mechanism", mechanism), positive_number("interval", interval)
    pairs = m.both_directions or (m,)
    removed = _connected(pairs[0], interval)
    found: dict[str, Any] = {
        "rounded_probability_mass_function": removed[0],
        "infinity_mass": removed[1],
        "value_discretization_interval": interval,
        "pessimistic_estimate": True,
    }
    if m.is_symmetric and len(pairs) == 1:
        return found | {"symmetric": True}
    added = _connected(pairs[0].reverse, interval)
    more = {"rounded_probability_mass_function_add": added[0], "infinity_mass_add": added[1], "symmetric": False}
    return found | more


def from_opacus(history: Any) -> Mechanism:
    """The mechanism of the history of an accountant of Opacus.

    Parameters
    ----------
    history : list of tuple, or dict
        (noise multiplier, sampling rate, steps), as in `accountant.history`, or the accountant's `state_dict()`. Steps
        may be written as 100.0.

    Returns
    -------
    Mechanism
        Of Poisson-sampled steps, as the accountants of Opacus assume, for neighbors in both directions.

    Raises
    ------
    TypeError, ValueError
        If it is no such list, or a number is out of range; the message names the entry.

    Examples
    --------
    >>> import dptutor as dp
    >>> m = dp.exchange.from_opacus([(0.6, 0.01, 300), (0.8, 0.01, 200)])
    >>> round(m.epsilon(1e-5), 4), dp.exchange.to_opacus(m)
    (5.0946, [(0.6, 0.01, 300), (0.8, 0.01, 200)])
    """
    if isinstance(history, dict):
        if "history" not in history:
            raise ValueError(f"the state of an accountant must have the entry 'history', got {shown(history)}")
        history = history["history"]
    if not isinstance(history, (list, tuple)):
        raise TypeError(f"history must be a list of (noise multiplier, sampling rate, steps), got {shown(history)}")
    parts = []
    for place, entry in enumerate(history, 1):
        if not isinstance(entry, (list, tuple)) or len(entry) != 3:
            raise ValueError(
                f"history, entry {place}: must be (noise multiplier, sampling rate, steps), got {shown(entry)}"
            )
        try:
            parts.append(DPSGD(entry[0], entry[1], positive_integer("steps", _whole(entry[2]))))
        except (TypeError, ValueError) as problem:
            raise type(problem)(f"history, entry {place}: {problem}") from None
    if not parts:
        raise ValueError("history is empty: it must have at least one entry (noise multiplier, sampling rate, steps)")
    return reduce(matmul, parts)


def to_opacus(mechanism: Mechanism) -> list[tuple[float, float, int]]:
    """The history of an accountant of Opacus that has this mechanism; equal steps are together.

    Parameters
    ----------
    mechanism : Mechanism
        Of Poisson-subsampled or plain Gaussian steps only, in both directions.

    Returns
    -------
    list of tuple
        (noise multiplier, sampling rate, steps).

    Raises
    ------
    TypeError, ValueError
        If it is not a mechanism, or has other parts.

    Examples
    --------
    >>> import dptutor as dp
    >>> dp.exchange.to_opacus(dp.DPSGD(0.6, 0.01, 500))
    [(0.6, 0.01, 500)]
    """
    parts, _ = as_mechanism("mechanism", mechanism)._parts()
    history = []
    for part, count in parts:
        match part._loss_law():
            case SampledLaw(sigma, rate):
                history.append((sigma, rate, count))
            case NormalLaw(mu):
                history.append((1.0 / mu, 1.0, count))
            case _:
                raise ValueError(f"mechanism must consist of Gaussian steps, but has the part {part!r}")
    return history


def _whole(count: Any) -> Any:
    return int(count) if isinstance(count, float) and count.is_integer() else count


_STATEMENT = re.compile(
    r"DP-SGD performed over\s+(?P<examples>\d+)\s+examples\s+with\s+(?P<batch>\d+)\s+examples\s+per\s+iteration,"
    r"\s+noise\s+multiplier\s+(?P<noise>[\d.eE+-]+)\s+for\s+(?P<epochs>[\d.eE+-]+)\s+epochs"
)
_FLAGS = {"N": "examples", "batch_size": "batch", "noise_multiplier": "noise", "epochs": "epochs"}


def from_tensorflow(text: str) -> Mechanism:
    """The mechanism that TensorFlow Privacy describes, with Poisson sampling.

    Parameters
    ----------
    text : str
        The statement of `compute_dp_sgd_privacy_statement`, or the flags of the command `compute_dp_sgd_privacy`:
        --N, --batch_size, --noise_multiplier and --epochs.

    Returns
    -------
    Mechanism
        DP-SGD with p = batch/N and ⌈epochs · N/batch⌉ steps, as that package counts them.

    Raises
    ------
    TypeError, ValueError
        If it is no such text, or a number is missing or out of range.

    Examples
    --------
    >>> import dptutor as dp
    >>> dp.exchange.from_tensorflow("--N=60000 --batch_size=256 --noise_multiplier=1.12 --epochs=60")
    DPSGD(noise_multiplier=1.12, sampling_rate=0.004266666666666667, steps=14063, direction='both')
    """
    if not isinstance(text, str):
        raise TypeError(f"text must be a statement or flags of TensorFlow Privacy, got {shown(text)}")
    if found := _STATEMENT.search(text):
        given = found.groupdict()
    else:
        flags = dict(re.findall(r"--(\w+)[=\s]+([\d.eE+-]+)", text))
        given = {name: flags[flag] for flag, name in _FLAGS.items() if flag in flags}
        if missing := [f"--{flag}" for flag, name in _FLAGS.items() if name not in given]:
            raise ValueError(
                f"this is no statement of TensorFlow Privacy, and {', '.join(missing)} is missing in {shown(text)}"
            )
    numbers = {name: _number(name, value) for name, value in given.items()}
    examples, batch, epochs = (positive_number(name, numbers[name]) for name in ("examples", "batch", "epochs"))
    if batch > examples:
        raise ValueError(f"batch must be at most {examples:g}, the number of examples, got {batch:g}")
    return DPSGD(numbers["noise"], batch / examples, math.ceil(epochs * examples / batch))


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{name} must be a number, got {shown(text)}") from None


_MEASURES = (
    "MaxDivergence, Approximate(MaxDivergence), ZeroConcentratedDivergence, RenyiDivergence, SmoothedMaxDivergence"
)


def from_opendp(measure: object, distance: Any) -> Mechanism:
    """The weakest mechanism that a guarantee of OpenDP allows.

    Parameters
    ----------
    measure : str or object
        A privacy measure, or how it prints: `measurement.output_measure`.
    distance : float, pair or callable
        What `measurement.map(d_in)` returns: ε for "MaxDivergence", (ε, δ) for "Approximate(MaxDivergence)", ρ for
        "ZeroConcentratedDivergence", the curve of divergences for "RenyiDivergence", or points of it, as pairs of order
        and divergence. For "SmoothedMaxDivergence" points of the profile, as pairs (ε, δ).

    Returns
    -------
    Mechanism

    Raises
    ------
    ValueError
        If the measure is unknown, or a distance out of range.

    Examples
    --------
    >>> import dptutor as dp
    >>> dp.exchange.from_opendp("Approximate(MaxDivergence)", (1.0, 1e-6))
    ApproximateDP(epsilon=1.0, delta=1e-06)
    """
    name = re.sub(r"<[^>]*>|\s|\(\)$", "", str(measure))
    match name:
        case "MaxDivergence":
            return allowed_by(epsilon=real_number("distance", distance, 0.0))
        case "ZeroConcentratedDivergence":
            return allowed_by(rho=real_number("distance", distance, 0.0))
        case "Approximate(MaxDivergence)" | "FixedSmoothedMaxDivergence":
            epsilon, delta = _pair("distance", distance)
            return allowed_by(epsilon=epsilon, delta=delta)
        case "SmoothedMaxDivergence":
            epsilon, delta = _pairs(distance, "(ε, δ)")
            return allowed_by(epsilon=epsilon, delta=delta)
        case "RenyiDivergence" if callable(distance):
            grid = 1.0 + np.geomspace(0.01, 1e3, 60)
            return allowed_by(orders=grid, rdp=[float(distance(order)) for order in grid])
        case "RenyiDivergence":
            orders, divergences = _pairs(distance, "(order, divergence)")
            return allowed_by(orders=orders, rdp=divergences)
    raise ValueError(f"measure must be one of {_MEASURES}, got {shown(name)}")


def _pair(name: str, pair: Any, words: str = "(ε, δ)") -> Any:
    if not isinstance(pair, (tuple, list)) or len(pair) != 2:
        raise ValueError(f"{name} must be a pair {words}, got {shown(pair)}")
    return pair


def _pairs(distance: Any, words: str) -> list[list[Any]]:
    """Two lists, of the first and of the second numbers of all pairs."""
    if not isinstance(distance, (tuple, list)) or not distance:
        raise ValueError(f"distance must be a list of pairs {words}, got {shown(distance)}")
    pairs = [_pair(f"distance, entry {place}:", pair, words) for place, pair in enumerate(distance, 1)]
    return [list(column) for column in zip(*pairs, strict=True)]


def from_roc(fpr: Numbers, tpr: Numbers) -> Band:
    """The mechanisms whose best tests have these rates of false and true positives.

    Parameters
    ----------
    fpr, tpr : sequence of float
        Equally long, in [0, 1], on a concave curve above the diagonal. (0, 0) and (1, 1) need not be there.

    Returns
    -------
    Band
        `weakest` and `strongest`: every trade-off function through these points lies between theirs.

    Raises
    ------
    ValueError
        If the lengths differ, a rate is out of range or given twice, or no trade-off function has all of these points.

    References
    ----------
    Dong, Roth & Su (2022), section 2.

    Examples
    --------
    >>> import dptutor as dp
    >>> m = dp.Gaussian(sigma=1)
    >>> band = dp.exchange.from_roc([0.01, 0.1, 0.3], [1 - m.tradeoff(a) for a in (0.01, 0.1, 0.3)])
    >>> band.weakest.tradeoff(0.2) < m.tradeoff(0.2) < band.strongest.tradeoff(0.2)
    True
    """
    alpha, power = _points("fpr", fpr, "tpr", tpr, 1.0)
    if (short := power < alpha - _ROUNDING).any():
        raise ValueError(f"tpr must be at least fpr, got {power[short][0].item()!r} at {alpha[short][0].item()!r}")
    if alpha[-1] < 1.0:
        alpha, power = np.append(alpha, 1.0), np.append(power, 1.0)
    beta = np.minimum(1.0 - power, 1.0 - alpha)
    # A test that rejects nothing has α = 0 and power 0; a curve may jump there.
    whole = (alpha, beta) if alpha[0] == 0.0 else (np.append(0.0, alpha), np.append(1.0, beta))
    _insist_on_convexity(*whole)
    with np.errstate(over="ignore"):
        steepest = -math.inf if alpha[0] == 0.0 else float((beta[0] - 1.0) / alpha[0])
        return Band(_experiment_through(*_below(alpha, beta, steepest, 1.0)), _experiment_through(*whole))


def from_profile(epsilon: Numbers, delta: Numbers) -> Band:
    """The mechanisms whose profile has these points exactly, in one direction.

    Parameters
    ----------
    epsilon, delta : sequence of float
        Equally long: δ in [0, 1], decreasing and convex in e^ε, and at least 1 − e^ε.

    Returns
    -------
    Band
        `weakest` and `strongest`: every profile through these points lies between theirs. For what bounds in both
        directions allow, see `allowed_by`.

    Raises
    ------
    ValueError
        If the lengths differ, a number is out of range or given twice, or no profile has all of these points.

    Examples
    --------
    >>> import dptutor as dp
    >>> m = dp.Gaussian(sigma=1)
    >>> band = dp.exchange.from_profile([0.0, 1.0, 2.0], m.privacy_profile([0.0, 1.0, 2.0]))
    >>> band.strongest.privacy_profile(0.5) < m.privacy_profile(0.5) < band.weakest.privacy_profile(0.5)
    True
    """
    losses, deltas = _points("epsilon", epsilon, "delta", delta, 600.0)
    x = np.exp(losses)
    if (below := deltas < -np.expm1(losses) - _ROUNDING).any():
        raise ValueError(
            f"delta must be at least 1 − e^ε, got {deltas[below][0].item()!r} at {losses[below][0].item()!r}"
        )
    if (np.diff(deltas) > 0).any():
        raise ValueError("delta must decrease as epsilon grows")
    slope = np.diff(np.append(1.0, deltas)) / np.diff(np.append(0.0, x))
    if (np.diff(slope) < -_ROUNDING).any() or slope[0] < -1.0 - _ROUNDING:
        raise ValueError("delta must be convex as a function of e^ε: no profile has all of these points")
    weakest = _experiment_of_profile(x, deltas)
    at, low = _below(np.append(0.0, x), np.append(1.0, deltas), -1.0, math.inf)
    return Band(weakest, _experiment_of_profile(at[1:], low[1:]))


def read_file(path: str | PathLike[str]) -> Mechanism:
    """The mechanism of a file; of a band, its weakest.

    Parameters
    ----------
    path : str or path
        JSON: the state or history of an accountant of Opacus; a guarantee of OpenDP, as `measure` and `distance`; or
        what `to_pld` gives. Text: a mechanism as it prints, or a statement or flags of TensorFlow Privacy. CSV with a
        header: in any order the columns `fpr,tpr`, `epsilon,delta`, `order,rdp` or
        `noise_multiplier,sample_rate,steps`.

    Returns
    -------
    Mechanism

    Raises
    ------
    ValueError
        If the file is in none of these formats; the message has the line and the reason.

    Examples
    --------
    >>> import dptutor as dp
    >>> with open("run.csv", "w") as file:
    ...     print("noise_multiplier,sample_rate,steps", "0.6,0.01,500", sep="\\n", file=file)
    >>> dp.exchange.read_file("run.csv")
    DPSGD(noise_multiplier=0.6, sampling_rate=0.01, steps=500, direction='both')
    >>> import os; os.remove("run.csv")
    """

    def read(text: str, suffix: str) -> Mechanism:
        if suffix == ".json":
            return _of_json(_json(text))
        if suffix != ".csv":
            return from_tensorflow(text) if "--" in text or _STATEMENT.search(text) else specified(text.strip())
        names, columns = _table(text, tuple(_TABLES))
        return _TABLES[names](*columns)

    return _of_file(path, read)


def read_band(path: str | PathLike[str]) -> Band:
    """The band of the points of a curve in a file.

    Parameters
    ----------
    path : str or path
        CSV with the columns `fpr,tpr`, as for `from_roc`, or `epsilon,delta`, as for `from_profile`.

    Returns
    -------
    Band
        The points are taken to be on the curve. Those of a file that `read_file` reads may be bounds.

    Raises
    ------
    ValueError
        If the file is no such table; the message has the line and the reason.

    Examples
    --------
    >>> import dptutor as dp
    >>> with open("roc.csv", "w") as file:
    ...     print("fpr,tpr", "0.1,0.4", sep="\\n", file=file)
    >>> band = dp.exchange.read_band("roc.csv")
    >>> round(band.strongest.advantage, 3), round(band.weakest.advantage, 3)
    (0.3, 0.75)
    >>> import os; os.remove("roc.csv")
    """

    def read(text: str, _: str) -> Band:
        names, columns = _table(text, tuple(_BANDS))
        return _BANDS[names](*columns)

    return _of_file(path, read)


def read_columns(path: str | PathLike[str], *names: str) -> list[Array]:
    """The numbers of a table, by column.

    Parameters
    ----------
    path : str or path
        CSV, with these names, in any order, as its first line.
    *names : str

    Returns
    -------
    list of ndarray

    Raises
    ------
    ValueError
        If the file is no such table; the message has the line and the reason.

    Examples
    --------
    >>> import dptutor as dp
    >>> with open("guesses.csv", "w") as file:
    ...     print("member,guess", "1,1", "0,1", sep="\\n", file=file)
    >>> dp.exchange.read_columns("guesses.csv", "member", "guess")
    [array([1., 0.]), array([1., 1.])]
    >>> import os; os.remove("guesses.csv")
    """
    return _of_file(path, lambda text, _: [np.array(column) for column in _table(text, (names,))[1]])


def _of_file(path: str | PathLike[str], read: Callable[[str, str], Any]) -> Any:
    """What `read` makes of the text of a file, and of what its name ends in."""
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{file.name} is not a text in UTF-8") from None
    try:
        return read(text, file.suffix.lower())
    except (TypeError, ValueError) as problem:
        raise ValueError(f"{file.name}: {problem}") from None


def _of_json(found: Any) -> Mechanism:
    if not isinstance(found, dict) or "history" in found:
        return from_opacus(found)
    if "measure" in found:
        if "distance" not in found:
            raise ValueError(f"a guarantee of OpenDP must have the entry 'distance', got {shown(found)}")
        return from_opendp(found["measure"], found["distance"])
    if _MASSES in found:
        return from_pld(found)
    raise ValueError(f"must have the entry 'history', 'measure' or {_MASSES!r}, got {shown(found)}")


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as problem:
        raise ValueError(f"line {problem.lineno}: {problem.msg}") from None
    except RecursionError:
        raise ValueError("nested too deeply") from None


_BANDS: dict[tuple[str, ...], Callable[..., Band]] = {("fpr", "tpr"): from_roc, ("epsilon", "delta"): from_profile}
_TABLES = {
    ("fpr", "tpr"): lambda fpr, tpr: from_roc(fpr, tpr).weakest,
    ("epsilon", "delta"): lambda epsilon, delta: allowed_by(epsilon=epsilon, delta=delta),
    ("order", "rdp"): lambda order, rdp: allowed_by(orders=order, rdp=rdp),
    ("noise_multiplier", "sample_rate", "steps"): lambda *columns: from_opacus([*zip(*columns, strict=True)]),
}


def _table(text: str, headers: Collection[tuple[str, ...]]) -> tuple[tuple[str, ...], list[list[float]]]:
    """The header of a table, which must be one of these in any order, and its columns, in the order of the header."""
    rows = [(line, row) for line, row in enumerate(csv.reader(text.splitlines()), 1) if any(map(str.strip, row))]
    known = ", or ".join(",".join(names) for names in headers)
    if not rows:
        raise ValueError(f"is empty; its first line must be {known}")
    names = tuple(name.strip().lower() for name in rows[0][1])
    header = next((each for each in headers if sorted(each) == sorted(names)), None)
    if header is None:
        raise ValueError(f"line {rows[0][0]}: must be {known}, got {shown(','.join(rows[0][1]))}")
    columns: dict[str, list[float]] = {name: [] for name in names}
    for line, row in rows[1:]:
        if len(row) != len(names):
            raise ValueError(f"line {line}: must have {len(names)} numbers, got {shown(','.join(row))}")
        for name, value in zip(names, row, strict=True):
            try:
                number = float(value)
            except ValueError:
                number = math.nan
            if math.isnan(number):
                raise ValueError(f"line {line}: {name} must be a number, got {shown(value.strip())}")
            columns[name].append(number)
    if len(rows) == 1:
        raise ValueError("there is no line after the first")
    return header, [columns[name] for name in header]


# Distributions on a grid.

_MASSES, _INFINITY, _INTERVAL = "rounded_probability_mass_function", "infinity_mass", "value_discretization_interval"


def _laws_of_arguments(given: dict[str, Any]) -> Any:
    """Losses, masses and infinite masses: of removal, and of addition if it has its own."""
    suffixes = ("",) if given.get("symmetric", True) else ("", "_add")
    needed = [_INTERVAL, *(name + suffix for suffix in suffixes for name in (_MASSES, _INFINITY))]
    if missing := [name for name in needed if name not in given]:
        raise ValueError(f"a distribution must have the entry {missing[0]!r}, got {shown(given)}")
    interval, laws = positive_number(_INTERVAL, given[_INTERVAL]), []
    for suffix in suffixes:
        name, masses = _MASSES + suffix, given[_MASSES + suffix]
        if not isinstance(masses, dict) or not masses:
            raise ValueError(f"{name} must have masses by multiples of the interval, got {shown(masses)}")
        law = {_multiple(name, place): mass for place, mass in masses.items()}
        if len(law) < len(masses):
            raise ValueError(f"{name} must not have a multiple of the interval twice")
        places = sorted(law)
        masses = np.array([real_number(f"{name} at {place}", law[place], -_ROUNDING, 1.0) for place in places])
        infinite = real_number(_INFINITY + suffix, given[_INFINITY + suffix], 0.0, 1.0)
        laws.append((np.array(places, dtype=float) * interval, masses, infinite))
    return laws


def _multiple(name: str, place: str) -> int:
    try:
        if math.isfinite(float(place)) and int(place) == float(place) and abs(int(place)) <= 2**53:
            return int(place)
    except (TypeError, ValueError):
        pass
    raise ValueError(f"{name} must have whole multiples of the interval, got {shown(place)}")


def _law_of(pmf: Any) -> tuple[np.ndarray, np.ndarray, float]:
    """Losses, their masses under Q, and the mass of infinite ones."""
    if hasattr(pmf, "_loss_probs"):
        places = np.array(sorted(pmf._loss_probs), dtype=float)
        masses = np.array([pmf._loss_probs[place] for place in sorted(pmf._loss_probs)], dtype=float)
    else:
        masses = np.asarray(pmf._probs, dtype=float)
        places = pmf._lower_loss + np.arange(len(masses), dtype=float)
    return places * pmf._discretization, masses, float(pmf._infinity_mass)


def _experiment(losses: np.ndarray, masses: np.ndarray, infinite: float) -> FiniteExperiment:
    """The pair with these masses under Q. What rounding has made too large, under Q or P, is given up at the smallest
    losses, on which the profile at ε ≥ 0 does not depend."""
    # Of transforms, masses of 0 may come as negative ones.
    q = np.maximum(real_array("mass of the distribution", masses, -_ROUNDING, 1.0), 0.0)
    infinite = real_number("infinity mass", infinite, 0.0, 1.0)
    # One greater than 1 is of rounding, or of no pair.
    p = np.minimum(q * np.exp(np.minimum(-losses, LARGEST_LOSS)), 2.0)
    total = math.fsum([*q, infinite])
    if not 1.0 - _ROUNDING <= total <= 1.0 + _GIVEN_UP:
        raise ValueError(f"the masses of the distribution must sum to 1, got the sum {total!r}")
    kept = _without_first(q, total - 1.0)
    q, p = q * kept, p * kept
    lower = losses < 0
    # What Q gives up gets the loss 0, and so the same mass under P.
    kept = _without_first(np.where(lower, p - q, 0.0), math.fsum([*p, *-q]) - infinite)
    q, p = q * kept, p * kept
    same = max(1.0 - math.fsum([*q, infinite]), 0.0)
    other = math.fsum([*p, same])
    if same > _GIVEN_UP or other > 1.0 + _ROUNDING:
        raise ValueError(
            "the distribution is that of no pair: its masses under P would sum to more than 1; "
            "optimistic estimates may be so"
        )
    # What is missing under P are outcomes that Q never has.
    return _finite([*p, 0.0, same, max(1.0 - other, 0.0)], [*q, infinite, same, 0.0])


def _without_first(weights: Array, amount: float) -> Array:
    """The part to keep of each weight, if an amount is taken from the first ones."""
    sums = np.cumsum(weights)
    last = int(np.searchsorted(sums, amount)) if amount > 0 else -1
    kept = (np.arange(len(weights)) > last).astype(float)
    if 0 <= last < len(weights):
        kept[last] = (sums[last] - amount) / weights[last]
    return kept


def _connected(pair: Mechanism, interval: float) -> Any:
    """Masses under Q at multiples of the interval, at or above the profile of a pair; and that of infinite losses."""
    if isinstance(pair._loss_law(), AtomicLaw) and (found := _as_it_is(pair, interval)):
        return found
    low, high = pair._loss_range()
    infinite, never = (float(each._delta(np.asarray(math.inf))) for each in (pair, pair.reverse))
    if math.isinf(high):
        high = pair.epsilon(min(infinite + _TAIL, 1.0))
    if math.isinf(low):
        low = -pair.reverse.epsilon(min(never + _TAIL, 1.0))
    first, last = math.floor(low / interval) - 1, math.ceil(high / interval) + 1
    if last - first > _MOST_ATOMS:
        raise ValueError(f"interval {interval:g} is too small: losses from {low:g} to {high:g} are over 1e6 multiples")
    places = np.arange(first, last + 1)
    epsilon = places * interval
    # Probabilities of steps between neighboring points: slopes of δ in e^ε, and of δ⁻ of the reverse pair below 0.
    delta = np.where(epsilon >= 0, pair._delta(np.maximum(epsilon, 0.0)), 0.0)
    rest = np.where(epsilon < 0, pair.reverse._delta(np.maximum(-epsilon, 0.0)), 0.0)
    step = math.expm1(interval)
    above = np.empty(len(places) - 1)  # Pr_Q of losses beyond, times e^−ε under P: α
    right = epsilon[:-1] >= 0
    above[right] = (delta[:-1] - delta[1:])[right] / (np.exp(epsilon[:-1])[right] * step)
    left = ~right
    # δ(ε) = 1 − e^ε + e^ε δ⁻(−ε).
    next_rest = np.where(epsilon[1:] >= 0, delta[1:], rest[1:])
    above[left] = 1.0 - (math.exp(interval) * next_rest[left] - rest[:-1][left]) / step
    # Under P, of finite losses.
    mass = -np.diff(np.concatenate([[1.0 - never], np.clip(above, 0.0, 1.0 - never), [0.0]]))
    q = np.maximum(mass, 0.0) * np.exp(epsilon)
    leak = max(1.0 - float(q.sum()), 0.0)
    # At least one mass, if all losses are infinite.
    return {int(place): float(each) for place, each in zip(places, q, strict=True) if each > 0} or {0: 0.0}, leak


def _as_it_is(pair: Mechanism, interval: float) -> Any:
    """The atoms of a finite law, where all finite losses are multiples of the interval."""
    p, q = pair._outcomes() if hasattr(pair, "_outcomes") else (np.empty(0), np.empty(0))
    both = (p > 0) & (q > 0)
    losses = np.log(q[both]) - np.log(p[both])
    places = np.round(losses / interval)
    if not both.any() or (np.abs(losses - places * interval) > _ON_GRID * interval).any():
        return None
    masses: dict[int, float] = {}
    for place, each in zip(places.astype(int).tolist(), q[both].tolist(), strict=True):
        masses[place] = masses.get(place, 0.0) + each
    return masses, float(q[p == 0].sum())


# Convex curves through points.


def _points(first: str, firsts: object, second: str, seconds: object, most: float) -> tuple[np.ndarray, np.ndarray]:
    """Two rows of numbers, in the order of the first."""
    one, two = real_array(first, firsts, 0.0 if most == 1.0 else -most, most), real_array(second, seconds, 0.0, 1.0)
    if one.ndim != 1 or one.shape != two.shape or not one.size:
        raise ValueError(f"{first} and {second} must be equally long, got the shapes {one.shape} and {two.shape}")
    order = np.argsort(one, kind="stable")
    one, two = one[order], two[order]
    if (same := np.diff(one) == 0).any():
        raise ValueError(f"{first} must not be given twice, got {one[:-1][same][0].item()!r}")
    return one, two


def _insist_on_convexity(alpha: np.ndarray, beta: np.ndarray) -> None:
    step, rise = np.diff(alpha), np.diff(beta)
    # What slopes may fall, times both steps; β is rounded.
    rounded = _ROUNDING * (step[1:] + np.abs(rise[1:])) * step[:-1] + UNIT_ROUNDOFF * (step[1:] + step[:-1])
    falls = rise[:-1] * step[1:] - rise[1:] * step[:-1] > rounded
    if falls.any() or (rise > _ROUNDING * step + UNIT_ROUNDOFF).any():
        raise ValueError("tpr must be increasing and concave in fpr: no trade-off function has all of these points")


def _below(x: np.ndarray, y: np.ndarray, before: Any, to: Any) -> np.ndarray:
    """Corners of the lower convex hull of all convex functions through the points, decreasing to the value 0.

    The slope left of the points is at least `before`. Between two points the functions are above the extensions of the
    chords on both sides; their hull is that of the crossings of these extensions. The last one ends at `to`.
    """
    slope = np.append(np.diff(y) / np.diff(x), 0.0)
    corners = [(x[0], y[0])] if x[0] == 0.0 else [(0.0, y[0] - slope[0] * x[0])]
    for k in range(len(x) - 1):
        left, right = (slope[k - 1] if k else before), slope[k + 1]
        at = x[k]
        if left > -math.inf:
            rise = right - left
            at = (y[k] - left * x[k] - y[k + 1] + right * x[k + 1]) / rise if rise > 0 else x[k + 1]
            at = min(max(at, x[k]), x[k + 1])
        corners.append((at, max(y[k + 1] + right * (at - x[k + 1]), 0.0)))
    corners.append((x[-1], y[-1]))
    if y[-1] > 0.0 and slope[-2] < 0.0:
        corners.append((min(x[-1] - y[-1] / slope[-2], to), 0.0))
    hull: list[tuple[float, float]] = []
    for corner in sorted(set(corners)):
        while len(hull) > 1 and _turn(hull[-2], hull[-1], corner) <= 0.0:
            hull.pop()
        if not hull or corner[0] > hull[-1][0]:
            hull.append(corner)
    return np.array(hull).T


def _turn(a: Sequence[float], b: Sequence[float], c: Sequence[float]) -> float:
    """Positive where the way from a over b to c turns left, as along a convex curve."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _experiment_through(alpha: np.ndarray, beta: np.ndarray) -> FiniteExperiment:
    """The experiment whose trade-off function is linear between these points; before the first it jumps."""
    p, q = np.diff(alpha), -np.diff(beta)
    first, last = 1.0 - beta[0], 1.0 - alpha[-1]
    return _finite([0.0, *p, last], [first, *q, beta[-1]])


def _experiment_of_profile(x: np.ndarray, delta: np.ndarray) -> FiniteExperiment:
    """The experiment whose δ is linear in x = e^ε between these points and (0, 1), and constant beyond."""
    # Slopes that rounding lets rise again are held; masses that then sum to a little more than 1 are rescaled.
    alpha = np.minimum.accumulate(np.clip(-np.diff(np.append(1.0, delta)) / np.diff(np.append(0.0, x)), 0.0, 1.0))
    p = -np.diff(np.append(alpha, 0.0))
    q = p * x
    q /= max(math.fsum(q), 1.0)
    leak, rest = max(1.0 - math.fsum(q), 0.0), max(1.0 - math.fsum(p), 0.0)
    return _finite([rest, *p, 0.0], [0.0, *q, leak])


def _finite(p: Iterable[float], q: Iterable[float]) -> FiniteExperiment:
    """An experiment with these probabilities, but for the rounding of each."""
    p, q = (tuple((np.clip(np.asarray(each, dtype=float), 0.0, 1.0) + 0.0).tolist()) for each in (p, q))
    return FiniteExperiment(p, q)
