"""A privacy statement in words: what is protected, under which assumptions, how far, and what that means.

Some of it can be computed from the mechanism: (ε, δ) at several δ, the advantage, μ with its regret, what all of them
together leave open. The rest nobody can compute: the unit of privacy, what neighboring data sets are, what is released,
how batches were drawn, how settings were chosen. What is not given is said to be missing.

Source: Ponomareva et al. (2023), section 5.3.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass

from .._validation import choice, shown
from ..comparing.blackwell import delta_divergence
from ..evaluation.laws import SampledLaw
from ..mechanisms import Mechanism
from .facts import allowed_by
from .reporting import Report, raised, report

__all__ = ["Statement", "statement"]

# How many pairs are chosen beside that at δ and that at the floor, to how many decimals of ε, what needs no more, and
# what is open to nobody.
_MORE, _DECIMALS, _LITTLE, _NOTHING = 3, 2, 1e-3, 1e-9
_NEIGHBORS = {
    "add or remove": "two data sets, one of which has one {unit} more than the other",
    "replace": "two data sets of the same size that differ in one {unit}",
}
_NOT_STATED = "NOT STATED"


@dataclass(frozen=True)
class Statement:
    """A privacy statement in words; made by `statement`.

    Attributes
    ----------
    report : Report
        The numbers.
    pairs : tuple of (float, float)
        The pairs (ε, δ): at δ, at the floor, and where these and the advantage leave most open.
    lines : tuple of (str, str)
        What each line is about, and what it says.
    missing : tuple of str
        What the lines that say nothing are about.
    left_open : float
        The Δ-divergence from the mechanism to the weakest one that all pairs and the advantage allow.
    unit : str
        What is protected; "record" where that is not stated.
    paragraph, sentence : str
        The same for a paper, and for somebody who may be in the data; `plots.guesses` draws the sentence.

    Examples
    --------
    >>> import dptutor as dp
    >>> said = dp.statement(dp.Gaussian(sigma=2), unit="patient", neighbors="add or remove", tuning="on public data")
    >>> said.missing
    ('What is released',)
    >>> print(str(said).splitlines()[0])
    Unit of privacy: one patient
    >>> round(said.left_open, 4)
    0.0034
    >>> said.paragraph.partition(". Neighboring")[0]
    'We use the mechanism Gaussian(sigma=2.0, sensitivity=1.0). Unit of privacy: one patient'
    >>> said.sentence.partition("right about it ")[2]
    'in at most 60 of 100 such cases on average, where a coin is right in 50.'
    """

    report: Report
    pairs: tuple[tuple[float, float], ...]
    lines: tuple[tuple[str, str], ...]
    missing: tuple[str, ...]
    left_open: float
    unit: str

    def __str__(self) -> str:
        return "\n".join(f"{about}: {says}" for about, says in self.lines)

    @property
    def paragraph(self) -> str:
        """The statement for a paper."""
        says = {about: says for about, says in self.lines if about not in self.missing}
        released, most = says.get("What is released"), says.get("Most is open")
        stated = ("Unit of privacy", "Neighboring data sets", "Batches", "Choice of settings")
        pairs = (
            f"is (ε, δ)-differentially private for each of {says['(ε, δ)']}"
            if self.pairs
            else f"has no finite ε at δ = {self.report.delta:g}"
        )
        told = [
            f"We use the mechanism {says['Mechanism']}" + (f" and publish {released}" if released else ""),
            *(f"{about}: {says[about]}" for about in stated if about in says),
            f"The mechanism {pairs}, and its advantage is at most {raised(self.report.advantage)}",
            f"As one number: {says['One number']}",
            f"What is left open: {says['Left open']}" + (f", most {most}" if most else ""),
            *([f"Not stated: {', '.join(self.missing)}"] if self.missing else []),
        ]
        return " ".join(f"{part}." for part in told)

    @property
    def sentence(self) -> str:
        """What the advantage means for somebody who may be in the data."""
        return (
            f"Suppose that somebody thinks it as likely as not that a given {self.unit} is in the data. After studying "
            f"the output, they are right about it in at most {self.report.right_of_100} of 100 such cases on average, "
            "where a coin is right in 50."
        )

    def _repr_html_(self) -> str:
        from html import escape

        rows = "".join(
            f"<tr><th scope='row'>{about}</th><td>{escape(says)}</td></tr>" for about, says in self.lines
        ).replace(_NOT_STATED, f"<b>{_NOT_STATED}</b>")
        return f"<table><caption>Privacy statement</caption><tbody>{rows}</tbody></table>"


def statement(
    mechanism: Mechanism,
    *,
    unit: str | None = None,
    neighbors: str | None = None,
    released: str | None = None,
    batches: str | None = None,
    tuning: str | None = None,
    floor: float = 1e-10,
    delta: float = 1e-5,
) -> Statement:
    """A privacy statement in words: what is protected, under which assumptions, how far, and what that means.

    Parameters
    ----------
    mechanism : Mechanism
        The pair has to be that of the neighbors stated; in one direction it is stated for both.
    unit : str, optional
        What is protected, in the singular: "patient", "record", "sequence of 1024 tokens".
    neighbors : "add or remove" or "replace", optional
    released : str, optional
        What is published: "the final weights".
    batches : str, optional
        How batches were drawn, where the mechanism has sampled steps.
    tuning : str, optional
        How settings were chosen, and whether that is part of the guarantee.
    floor, delta : float
        As for `report`.

    Returns
    -------
    Statement
        Printed, a line for each item; what was not given is said to be not stated, and named in `missing`.

    Raises
    ------
    TypeError, ValueError
        If the first argument is not a mechanism, another not of its kind, or an empty text.

    References
    ----------
    Ponomareva et al. (2023), section 5.3.

    Examples
    --------
    >>> import dptutor as dp
    >>> print(dp.statement(dp.DPSGD(9.4, 0.328, 2000), unit="image"))
    Unit of privacy: one image
    Neighboring data sets: NOT STATED
    What is released: NOT STATED
    Mechanism: DPSGD(noise_multiplier=9.4, sampling_rate=0.328, steps=2000, direction='both')
    Batches: NOT STATED (all numbers assume that each image is in each batch independently of everything else)
    Choice of settings: NOT STATED
    (ε, δ): (0.56, 0.4409), (1.2, 0.3039), (2.1, 0.15), (7.434, 1e-05), (10.83, 1e-10)
    Advantage: 0.5651: at even odds, a guess whether a given image is in the data is right at most 78.26% of the time
    One number: 1.571-Gaussian differential privacy for every δ down to 1e-10, with regret 0.001265
    Left open: the pairs and the advantage together exaggerate the success of an adversary by at most 0.00436
    Most is open: at prior odds of 17.6 to 1, either way
    """
    found = report(mechanism, floor=floor, delta=delta)
    unit, released, batches, tuning = (
        _words(*named) for named in (("unit", unit), ("released", released), ("batches", batches), ("tuning", tuning))
    )
    pairs = _pairs(found)
    worst = delta_divergence(found.mechanism, _allowed(pairs, found.advantage))
    left, odds = max(worst.value, 0.0), math.exp(min(abs(worst.epsilon), 700))
    one = unit or "record"
    relation = _NEIGHBORS[choice("neighbors", neighbors, _NEIGHBORS)] if neighbors is not None else None
    lines = {
        "Unit of privacy": unit and f"one {unit}",
        "Neighboring data sets": relation and relation.format(unit=one),
        "What is released": released,
        "Mechanism": repr(found.mechanism),
        **_assumed(found.mechanism, batches, one),
        "Choice of settings": tuning,
        "(ε, δ)": ", ".join(f"({raised(epsilon)}, {raised(d)})" for epsilon, d in pairs) or "none with a finite ε",
        "Advantage": f"{raised(found.advantage)}: at even odds, a guess whether a given {one} is in the data is "
        f"right at most {raised(50 * (1 + found.advantage))}% of the time",
        "One number": f"{raised(found.mu)}-Gaussian differential privacy for every δ down to {found.floor:g}, with "
        f"regret {raised(found.regret)}" if found.mu < math.inf else
        f"no Gaussian mechanism down to δ = {found.floor:g}",
        "Left open": "the pairs and the advantage together exaggerate the success of an adversary by at most "
        f"{raised(left)}",
        **({"Most is open": f"at prior odds of {odds:.3g} to 1, either way"} if left > _NOTHING else {}),
    }  # fmt: skip
    missing = tuple(about for about, says in lines.items() if says is None or says.startswith(_NOT_STATED))
    told = tuple((about, says or _NOT_STATED) for about, says in lines.items())
    return Statement(found, pairs, told, missing, left, one)


def _pairs(found: Report) -> tuple[tuple[float, float], ...]:
    """The pairs of a statement, by ε."""
    m = found.mechanism
    pairs = {(float(m.epsilon(delta)), delta) for delta in (found.delta, found.floor)}
    pairs = {pair for pair in pairs if pair[0] < math.inf}
    for _ in range(_MORE):
        left = delta_divergence(m, _allowed(pairs, found.advantage))
        epsilon = round(abs(left.epsilon), _DECIMALS)
        if left.value < _LITTLE or not 0 < epsilon < math.inf:
            break
        pairs.add((epsilon, float(m.privacy_profile(epsilon))))
    return tuple(sorted(pairs))


def _allowed(pairs: Collection[tuple[float, float]], advantage: float) -> Mechanism:
    epsilon, delta = zip(*pairs, strict=True) if pairs else (None, None)
    return allowed_by(epsilon=epsilon, delta=delta, advantage=advantage)


def _words(name: str, text: object) -> str | None:
    if text is None:
        return None
    if not isinstance(text, str):
        raise TypeError(f"{name} must be a text, got {shown(text)}")
    if not text.strip():
        raise ValueError(f"{name} must not be empty")
    return " ".join(text.split())


def _assumed(m: Mechanism, batches: str | None, unit: str) -> dict[str, str]:
    """The line on batches, where steps are sampled."""
    if not any(isinstance(part._loss_law(), SampledLaw) for part, _ in m._parts()[0]):
        return {}
    assumed = f"all numbers assume that each {unit} is in each batch independently of everything else"
    return {"Batches": f"{batches or _NOT_STATED} ({assumed})"}
