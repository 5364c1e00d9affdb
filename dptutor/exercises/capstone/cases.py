"""A case for every student: a data holder, a legal tolerance, two offers with one (ε, δ), two transcripts.

A case is made from its seed, so that two people with the same number work on the same one. Of a `population` of N
people, n `records` are with the data holder. The tolerance says, for an adversary who takes everybody for equally
likely to be in the data, how sure it may become of a person who is in, and how often it may be surer,

    Pr_Q[B > tolerance] ≤ exceedance    from the prior belief b = n/N.

Both offers are DP-SGD settings at the (ε, δ) of one privacy statement, exactly (see `_offer`). Mostly one keeps the
tolerance and the other breaks it; sometimes both keep it, or neither does, always by a factor of 1.2. Each vendor has
sent the transcript of a pilot; at most one of the two comes from broken training (`auditing.FLAWS`), and the audit
sees it. What a report should say is in `report`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from html import escape
from pathlib import Path
from textwrap import fill
from typing import Any

import numpy as np
from scipy.special import logit

from ...auditing import FLAWS, SOUND, Neighbors, Network, Training, Transcript, audit_transcript, record
from ...auditing import epsilon_from_advantage as from_wins
from ...auditing.broken import Flaw
from ...mechanisms import DPSGD
from ...risk.calibration import calibrate
from ...risk.identifiability import PosteriorBelief
from ..judging.numerals import shown
from ..learners.learner import learner

__all__ = ["STATEMENTS", "Case", "case", "largest_seed"]

largest_seed = 999_999
# What the numbers of a case are drawn from, beside its seed: no number of a chapter, which may change where a case must
# not. The second is chosen so that in the case of the chapter one offer keeps the tolerance.
_CASES, _OFFERS = 14, 273
NOT_CHOSEN = "no case was chosen: dp.exercises.case(number) chooses yours"
_WIDTH = 84

# Privacy statements, and (sampling rate, steps) of training runs with few examples in a step and with many.
_EPSILONS, _DELTA = (3, 4, 6), 1e-5
_FEW = (0.004, 1000), (0.005, 2000), (0.01, 500), (0.01, 1000)
_MANY = (0.02, 4000), (0.05, 1000), (0.05, 2000), (0.1, 1000)
_HOLDERS = (
    ("A regional hospital", "people in its region who have had a certain disease"),
    ("A health insurer", "people in its country with one diagnosis"),
    ("A cancer registry", "people who fell ill in ten years"),
    ("A bank", "households in one city"),
    ("A school authority", "pupils in one grade"),
)
# Chances that a lawyer would write down.
_CHANCES = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1)

_PLAIN = (
    "holder", "people", "records", "population", "tolerance", "exceedance", "steps", "epsilon", "delta", "offers",
    "statements",
)  # fmt: skip
_ARRAYS = "released", "with_example", "without", "sigma", "sensitivity", "member"

STATEMENTS = {
    "proven": "The pilot is sound: its ε is at most what its claim allows.",
    "bounded": "With 95% confidence, the pilot’s ε is at least the lower end of the interval; its claim is neither "
    "refuted nor proven.",
    "probable": "With probability 95%, the pilot’s ε is at most the lower end of the interval.",
    "carried": "The vendor’s privacy statement is right: what holds for the pilot holds for the training on the "
    "records.",
}


@dataclass(frozen=True, eq=False)
class Case:
    """What is on the desk of a data holder. `print(case)` tells it in words.

    `offers` maps "A" and "B" to the arguments of `dp.DPSGD`, `transcripts` to what an audit needs, `statements` the
    letters "a" to "d" to sentences of which one may be signed; an examination has none. `steps` are those of an
    in-house training, with full batches.

    Examples
    --------
    >>> import dptutor as dp
    >>> mine = dp.exercises.case(7)
    >>> mine.seed, sorted(mine.offers), mine.population > mine.records
    (7, ['A', 'B'], True)
    >>> mine == dp.exercises.case(7)
    True
    >>> mine.title
    'Case 7'
    """

    seed: int
    holder: str
    people: str
    records: int
    population: int
    tolerance: float
    exceedance: float
    steps: int
    epsilon: float
    delta: float
    offers: dict[str, dict[str, Any]]
    transcripts: dict[str, Transcript] = field(repr=False)
    statements: dict[str, str] = field(repr=False)
    chosen: bool = field(default=True, repr=False)

    @property
    def title(self) -> str:
        """Its number, and whether somebody chose it; one from a file has no number."""
        if self.seed < 0:
            return "Your case"
        return f"Case {self.seed}" + ("" if self.chosen else f" ({NOT_CHOSEN})")

    def save(self, path: str | Path) -> None:
        """Writes what is on the desk to a file, without the number of the case.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> import dptutor as dp
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     dp.exercises.case(7).save(Path(folder) / "case.npz")
        ...     print(dp.exercises.Case.load(Path(folder) / "case.npz").title)
        Your case
        """
        plain = {name: getattr(self, name) for name in _PLAIN}
        arrays = {
            f"{vendor}_{name}": getattr(transcript, name)
            for vendor, transcript in self.transcripts.items()
            for name in _ARRAYS
        }
        np.savez_compressed(path, allow_pickle=False, case=np.array(json.dumps(plain)), **arrays)

    @classmethod
    def load(cls, path: str | Path) -> Case:
        """The case of a file that `save` has written.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> import dptutor as dp
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     dp.exercises.case(7).save(Path(folder) / "case.npz")
        ...     same = dp.exercises.Case.load(Path(folder) / "case.npz")
        >>> same.records == dp.exercises.case(7).records
        True
        """
        with np.load(path, allow_pickle=False) as stored:
            plain = json.loads(str(stored["case"]))
            transcripts = {
                vendor: Transcript(**{name: stored[f"{vendor}_{name}"] for name in _ARRAYS})
                for vendor in plain["offers"]
            }
        return cls(seed=-1, transcripts=transcripts, **plain)

    def __str__(self) -> str:
        return "\n".join([self.title, *map(_filled, self._sentences())])

    def _repr_html_(self) -> str:
        items = "".join(f"<li>{escape(sentence)}</li>" for sentence in self._sentences())
        return f"<p><strong>{self.title}</strong></p><ul>{items}</ul>"

    def _sentences(self) -> Iterator[str]:
        yield (
            f"{self.holder} holds the records of {self.records:,} of the {self.population:,} {self.people}; whose "
            "records these are is not public."
        )
        yield (
            f"The promise: if a person is in the data, then with probability at most {shown(100 * self.exceedance)}% "
            f"someone who at first considers all {self.population:,} equally likely to be in the data, and then sees "
            f"every step of the training, becomes more than {shown(100 * self.tolerance)}% sure that this person is "
            "in it."
        )
        yield f"In-house training would take {self.steps} steps with full batches."
        yield (
            "Two vendors offer to train on the records. Both privacy statements say "
            f"ε = {shown(self.epsilon)}, δ = {shown(self.delta)}."
        )
        for name, offer in self.offers.items():
            yield (
                f"Vendor {name}: noise multiplier {shown(offer['noise_multiplier'])}, sampling rate "
                f"{shown(offer['sampling_rate'])}, {offer['steps']} steps."
            )
        for name, transcript in self.transcripts.items():
            repetitions, steps, _ = transcript.released.shape
            yield (
                f"Vendor {name} has sent the transcript of a pilot: {repetitions} training runs of {steps} steps "
                "with full batches, on made-up records."
            )
        if self.statements:
            yield "You may sign one of these four statements about a pilot that passes the audit:"
        for letter, sentence in self.statements.items():
            yield f"({letter}) {sentence}"


def _filled(sentence: str) -> str:
    """A sentence in lines, none of which ends at an equals sign."""
    whole = sentence.replace(" = ", "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}")
    return fill(whole, _WIDTH, subsequent_indent="    ").replace("\N{NO-BREAK SPACE}", " ")


def case(seed: int | None = None) -> Case:
    """The case of a seed, by which reports are judged from now on; without one, the case chosen last.

    Where none was chosen it is case 1, whose words say so.

    Parameters
    ----------
    seed : int, optional
        From 0 to 999,999.

    Returns
    -------
    Case

    Raises
    ------
    ValueError
        If the seed is not such a number.

    Examples
    --------
    >>> import dptutor as dp
    >>> dp.exercises.case(7).seed, dp.exercises.case().seed
    (7, 7)
    """
    mine = learner()
    if seed is not None:
        mine.case = made(seed).seed
    return _unchosen() if mine.case is None else made(mine.case)


@lru_cache
def _unchosen() -> Case:
    return replace(made(1), chosen=False)


def made(seed: Any) -> Case:
    """The case of a seed, without choosing it."""
    whole = isinstance(seed, (int, np.integer)) and not isinstance(seed, bool)
    if not whole or not 0 <= seed <= largest_seed:
        raise ValueError(f"seed must be a whole number from 0 to {largest_seed:,}, got {seed!r}")
    return _made(int(seed))


@lru_cache(maxsize=64)
def _made(seed: int) -> Case:
    generator = np.random.default_rng([_CASES, seed])
    tolerance = _with_two_offers(generator, np.random.default_rng([_OFFERS, seed]))
    flawed = generator.choice(["A", "B", "neither"], p=[0.4, 0.4, 0.2])
    transcripts = {}
    for vendor in "AB":
        flaw = FLAWS[generator.integers(len(FLAWS))] if vendor == flawed else SOUND
        transcripts[vendor] = _pilot(generator, flaw)
    kinds = generator.permutation(list(STATEMENTS))
    statements = {letter: STATEMENTS[kind] for letter, kind in zip("abcd", kinds, strict=True)}
    return Case(seed, **tolerance, transcripts=transcripts, statements=statements)


def _allowed(generator: np.random.Generator, tails: list[float], between: float) -> float:
    """How often the tolerance may be exceeded: in between the offers, or so that both keep it, or neither."""
    wide = [chance for chance in _CHANCES if chance >= 1.2 * tails[1]]
    tight = [chance for chance in _CHANCES if chance <= tails[0] / 1.2]
    wanted = generator.choice(["one", "both", "neither"], p=[0.6, 0.2, 0.2])
    if wanted == "both" and wide:
        return wide[0]
    if wanted == "neither" and tight:
        return tight[-1]
    return between


def _with_two_offers(generator: np.random.Generator, others: np.random.Generator) -> dict[str, Any]:
    """A holder, a tolerance and two offers, each of which clearly keeps it or clearly does not."""
    while True:
        epsilon = int(generator.choice(_EPSILONS))
        few, many = (_offer(epsilon, *settings[generator.integers(4)]) for settings in (_FEW, _MANY))
        population = int(generator.integers(20, 60)) * 1000
        records = int(round(population * generator.uniform(0.15, 0.4), -2))
        tolerance = float(generator.choice([0.7, 0.75, 0.8, 0.85, 0.9]))
        # Beyond the ε of the privacy statement the order of the two would be reversed.
        if logit(tolerance) - logit(records / population) > epsilon - 0.5:
            continue
        tails = [
            PosteriorBelief(replace(m, direction="remove"), records / population).sf(tolerance) for m in (few, many)
        ]
        between = [chance for chance in _CHANCES if 1.2 * tails[0] <= chance <= tails[1] / 1.2]
        if between:
            break
    holder, people = _HOLDERS[generator.integers(len(_HOLDERS))]
    pair = (few, many) if generator.random() < 0.5 else (many, few)
    names = "noise_multiplier", "sampling_rate", "steps"
    offers = [{name: getattr(m, name) for name in names} for m in pair]
    return {
        "holder": holder,
        "people": people,
        "records": records,
        "population": population,
        "tolerance": tolerance,
        "exceedance": _allowed(others, sorted(tails), float(generator.choice(between))),
        "steps": int(generator.choice([20, 25, 30, 40, 50])),
        "epsilon": float(epsilon),
        "delta": _DELTA,
        "offers": dict(zip("AB", offers, strict=True)),
    }


@lru_cache
def _offer(epsilon: int, rate: float, steps: int) -> DPSGD:
    """DP-SGD with the noise that a privacy statement asks for, rounded up in the fifth decimal."""
    exact = calibrate(lambda noise: DPSGD(noise, rate, steps), epsilon=epsilon, delta=_DELTA)
    assert isinstance(exact, DPSGD)
    return DPSGD(math.ceil(1e5 * exact.noise_multiplier) / 1e5, rate, steps)


def _pilot(generator: np.random.Generator, flaw: Flaw) -> Transcript:
    """A transcript whose audit is right about it, and with wins enough to show that ε is not nothing."""
    steps, mu = int(generator.choice([10, 15, 20])), generator.uniform(1.2, 1.8)
    # Full batches, so that the whole is one Gaussian mechanism; the outlier is longer than any clip.
    network, noise = Network((4, 2)), round(math.sqrt(steps) / mu, 2)
    training = Training(network, noise, clip=1.0, learning_rate=0.05, steps=steps, flaw=flaw)
    repetitions = int(generator.choice([120, 150, 200]))
    while True:
        features = generator.normal(size=(40, 4))
        features[-1] *= 3 / np.linalg.norm(features[-1])
        labels = (features[:, 0] + generator.normal(size=40) > 0).astype(int)
        seed = int(generator.integers(2**31))
        transcript = record(training, Neighbors(features, labels, -1), repetitions, seed=seed)
        caught = any(verdict.caught for verdict in audit_transcript(transcript).values())
        shown = from_wins(transcript.guesses.wins, repetitions, _DELTA, method="any").low
        if caught == (flaw != SOUND) and (caught or shown > 0.1):
            return transcript
