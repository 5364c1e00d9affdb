"""The capstone as an examination: a case for each student from the secret of the course, and points line by line.

A case is made as those of the capstone are, from a number that nobody can guess, and given to its student as a file.
The questions are not those of the chapter: neither the case nor an answer comes out of `dp.exercises`. The report is
recorded and not judged in the notebook. A sentence is for a reader: all of them are laid out on one page, by number.
"""

import contextlib
import io
import json
import math
import re
import tokenize
from dataclasses import replace
from difflib import SequenceMatcher
from functools import lru_cache
from html import escape
from itertools import combinations
from pathlib import Path

import nbformat
import numpy as np
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from scipy.special import ndtri

import dptutor as dp
from dptutor.exercises import HandIn
from dptutor.exercises.capstone import cases
from dptutor.exercises.capstone import report as chapter
from dptutor.exercises.capstone.grading import Line, numeric, worded
from dptutor.exercises.learners.handing_in import MIME, Record
from notebooks import KERNEL

from . import assignments, secrets, tables
from .marking import UNRUN, Mark
from .webpage import page

NAME = "exam"
CASE = "exam_case.npz"
READER = 3  # points for the sentence, given by a reader
_HANDED_OUT = r"\s*(import sys|import dptutor|hand_in|case =|print\((case|hand_in)|%|#|if .google|from google|output\.)"
QUESTIONS = {
    "odds": "the factor by which the odds of membership may grow, from the prior belief n/N, until the belief is at "
    "the tolerance;",
    "steps": "the largest number of full-batch steps of the in-house training, each with the noise multiplier "
    "{sigma:g}, that keep the tolerance;",
    "belief_a": "the belief that offer A exceeds with exactly the probability that the tolerance allows, if the person "
    "is in the data;",
    "belief_b": "the same for offer B;",
    "miss_a": "the type II error of the best test against offer A at a type I error of {alpha:g}, `direction` at its "
    "default;",
    "miss_b": "the same for offer B;",
    "cost_b": "the largest Bayes error, over all priors, by which an adversary against B does better than against A;",
    "flagged": 'the pilot whose claim the audit refutes at the level 0.01: "A", "B" or "neither";',
    "check": 'the check that refutes it, or "neither";',
    "epsilon_low": "from the right guesses of the pilot that passes (A’s, if both do) the lower end for its ε at the "
    "quoted δ, whatever its mechanism, with 99% confidence, two-sided;",
    "sign": 'what you sign: "A", "B" or "neither". Sign no offer that breaks the tolerance or whose program is '
    "refused; of two that remain, the one that exceeds the tolerance less often;",
    "sentence": f"your decision, with a number of your report and the condition under which it holds ({READER} points, "
    "given by a reader).",
}


def is_set(folder: Path) -> bool:
    """Whether the course has an examination."""
    return (folder / NAME / "questions.txt").exists()


# The case.


@lru_cache(maxsize=256)
def case(secret: str, student: str) -> cases.Case:
    """The case of a student; its number is beyond those of the chapter."""
    return cases._made(cases.largest_seed + 1 + secrets.number(secret, "examination", student))


def asked(c: cases.Case) -> dict:
    """The two numbers that are asked about beside the case: a noise multiplier and a type I error."""
    generator = np.random.default_rng([15, c.seed])
    steps = int(generator.integers(8, 60))
    # Halfway between two numbers of steps, so that rounding decides nothing.
    return {
        "sigma": round(math.sqrt(steps + 0.5) / _largest_mu(c), 3),
        "alpha": float(generator.choice([0.01, 0.02, 0.05, 0.1])),
    }


def _prior(c) -> float:
    return c.records / c.population


def _largest_mu(c) -> float:
    """The μ with which the tolerance is exceeded exactly as often as allowed: μ/2 − ε/μ = z."""
    epsilon, z = dp.epsilon_for_posterior_belief(c.tolerance, _prior(c)), ndtri(c.exceedance)
    return z + math.sqrt(z * z + 2 * epsilon)


def lines(c: cases.Case) -> dict[str, Line]:
    """What a report should say."""
    epsilon, b, given = dp.epsilon_for_posterior_belief(c.tolerance, _prior(c)), _prior(c), asked(c)
    steps = math.floor((given["sigma"] * _largest_mu(c)) ** 2)
    made = {
        "odds": numeric(
            1, math.exp(epsilon), "Divide the odds of the tolerance by the odds of the prior belief.",
            (epsilon, "This is the logarithm of the factor."),
            (c.tolerance / b, "This is the factor of the probabilities. The odds are asked for."),
        ),
        "steps": numeric(
            2, steps, "k steps have the sensitivity √k. For which k is the tolerance exceeded as often as allowed?",
            (steps + 1, "With these the tolerance is exceeded too often."),
        ),
    }  # fmt: skip
    for name in "AB":
        offer = dp.DPSGD(**c.offers[name], direction="remove")
        right = float(dp.PosteriorBelief(offer, b).quantile(1 - c.exceedance))
        made[f"belief_{name.lower()}"] = numeric(
            1, right, "It is a quantile of the belief, if the person is in, from your prior.",
            (float(dp.PosteriorBelief(offer).quantile(1 - c.exceedance)), "You start from even odds."),
            (float(dp.PosteriorBelief(offer, b).quantile(1 - c.exceedance, "P")), "This is for world P."),
        )  # fmt: skip
        missed = float(dp.DPSGD(**c.offers[name]).tradeoff(given["alpha"]))
        made[f"miss_{name.lower()}"] = numeric(
            1, missed, "It is the trade-off function at the type I error given.", (1 - missed, "This is the power.")
        )
    offers = {name: dp.DPSGD(**offer) for name, offer in c.offers.items()}
    forth, back = (dp.delta_divergence(offers[x], offers[y]).value for x, y in ("AB", "BA"))
    made["cost_b"] = numeric(
        2, forth, "It is Δ(A‖B), what choosing B in place of A can cost.", (back, "This is the other direction.")
    )
    made |= chapter.sheet_of(c, "transcripts")
    pilot = c.transcripts[chapter.passing(c)].guesses
    low = {
        confidence: dp.auditing.epsilon_from_advantage(
            pilot.wins, pilot.repetitions, c.delta, method="any", confidence=confidence
        ).low
        for confidence in (0.99, 0.95)
    }
    made["epsilon_low"] = numeric(
        2, low[0.99], "Take the lower end of the two-sided interval, turned into an ε.",
        (low[0.95], "This is with 95% confidence."),
    )  # fmt: skip
    made["sign"] = worded(chapter.signed(c).lower(), "Which offers keep the tolerance, and which program is refused?")
    return {name: made[name] for name in QUESTIONS if name in made}


# The handout.


def pack(folder: Path, students: list, secret: str, wheel: str):
    """Writes for each student a case and a notebook."""
    for student in students:
        own, code = case(secret, student.id), secrets.code(secret, student.id)
        place = folder / "students" / student.folder
        place.mkdir(parents=True, exist_ok=True)
        replace(own, statements={}).save(place / CASE)  # no line asks for one
        nbformat.write(notebook(own, student, code, wheel), place / f"{NAME}.ipynb")
    (folder / NAME).mkdir()
    text = "".join(f"{name}: {text}\n" for name, text in QUESTIONS.items())
    (folder / NAME / "questions.txt").write_text(text, encoding="utf-8")


def notebook(c: cases.Case, student, code: str, wheel: str):
    given = asked(c)
    items = "\n".join(f"- `{name}`: {text.format(**given)}" for name, text in QUESTIONS.items())
    stub = "report = {\n" + "".join(f'    "{name}": ...,\n' for name in QUESTIONS) + "}\n"
    cells = [
        new_markdown_cell(
            f"# Examination: {student.name}\n\nThe case is yours alone. Fill in the report, with numbers to "
            "four significant digits at least, and run all cells. The last one records the report in this "
            "notebook, and does not judge it. Hand in the notebook with its outputs."
        ),
        new_code_cell(assignments.setup(wheel)),
        new_code_cell("import dptutor as dp"),
        new_code_cell(assignments.hand_in(student.id, code), metadata={"dptutor": "student"}),
        new_code_cell(f'case = dp.exercises.Case.load("{CASE}")\nprint(case)'),
        new_markdown_cell(f"Give\n\n{items}"),
        new_code_cell(f'{stub}print(hand_in.record("{NAME}", report))'),
    ]
    for number, cell in enumerate(cells):
        cell["id"] = f"{NAME}-{number}"
    made = {"kernelspec": KERNEL, "language_info": {"name": "python"}, "dptutor": assignments.about(NAME)}
    return new_notebook(cells=cells, metadata=made)


# The points.


def report(folder: Path, students: list, secret: str, sheets: list, say) -> dict:
    """Writes points line by line, the sentences for a reader, and which reports look alike; the marks of each sheet."""
    place = folder / NAME
    place.mkdir(exist_ok=True)
    names = {student.id: student.name for student in students}
    rows, sentences, read, marks = [], [], {}, {}
    of_reader = _given_by_reader(place / "sentences.csv")
    for number, one in enumerate(sheets, 1):
        given, code, why = _read(one, secret)
        read[one.student] = given, code
        if why:
            say(f"examination of {one.student}: {why}")
        for name, line in lines(case(secret, one.student)).items():
            reply = why or line.judge(given.get(name))
            points = 0 if reply else line.points
            marks.setdefault(one, []).append(Mark(name, points, line.points, reply or "Right.", "", reply or ""))
            right = sorted(line.right)[0] if isinstance(line.right, frozenset) else line.right
            rows.append(
                (
                    one.student,
                    names.get(one.student, ""),
                    name,
                    points,
                    line.points,
                    _shown(given.get(name)),
                    _shown(right),
                    reply or "",
                )
            )
        sentences.append((one.student, number, str(given.get("sentence") or "")[:4000]))
        by_reader = of_reader.get(one.student)
        words = "Not judged yet: a reader gives these points." if by_reader is None else "By a reader."
        marks[one].append(Mark("sentence", by_reader, READER, words, UNRUN if by_reader is None else ""))
        points = sum(mark.points or 0 for mark in marks[one])
        say(f"{number} of {len(sheets)}  {one.student}  {NAME}  {points} points", flush=True)
    head = ("student", "name", "line", "points", "of", "given", "right", "reply")
    tables.write(place / "points.csv", head, rows)
    # For the points that a reader gives, which stay when the marks are made again.
    if not (place / "sentences.csv").exists():
        tables.write(
            place / "sentences.csv",
            ("number", "student", f"points (of {READER})"),
            [(n, s, "") for s, n, _ in sentences],
        )
    (place / "sentences.html").write_text(_laid_out(sentences), encoding="utf-8")
    tables.write(place / "alike.csv", ("one", "other", "what is alike"), alike(read, secret))
    return marks


def _given_by_reader(path: Path) -> dict[str, float]:
    """The points that a reader has given to sentences, by student."""
    given = {}
    for row in tables.read(path) if path.exists() else []:
        with contextlib.suppress(ValueError):  # not given yet
            points = min(max(float(row.get(f"points (of {READER})") or ""), 0.0), float(READER))
            given[row.get("student")] = int(points) if points.is_integer() else points
    return given


def possible() -> int:
    """The points of an examination."""
    return READER + sum(line.points for line in lines(cases.made(1)).values())


def _read(one, secret: str) -> tuple[dict, str, str]:
    """The report of a notebook, its code without numbers, and what is wrong with it."""
    try:
        cells = [cell for cell in json.loads(one.data)["cells"] if isinstance(cell, dict)]
        outputs = [output for cell in cells for output in cell.get("outputs") or [] if isinstance(output, dict)]
        found = [Record.read(output["data"][MIME]) for output in outputs if MIME in (output.get("data") or {})]
        code = "\n".join(_program(cell) for cell in cells if cell.get("cell_type") == "code")
    except Exception as error:  # a file may hold anything
        return {}, "", f"The file cannot be read as a notebook: {type(error).__name__}."
    records = [record for record in found if record and record.exercise == NAME]
    if not records:
        return {}, code, "The notebook records no report. Ask for it with its outputs."
    last = records[-1]
    given = {str(k): v for k, v in last.answer.items()} if isinstance(last.answer, dict) else {}
    if last.of != HandIn(one.student, secrets.code(secret, one.student)).mark:
        return given, code, "The report was recorded in the notebook of someone else."
    return given, code, ""


def _program(cell: dict) -> str:
    text = cell.get("source", "")
    return "".join(map(str, text)) if isinstance(text, list) else str(text)


def _shown(value) -> str:
    if isinstance(value, str) and len(value) == 1:
        return value.upper()  # an offer
    return f"{value:.6g}" if isinstance(value, float) else "" if value is None else str(value)[:200]


def _laid_out(sentences: list) -> str:
    body = "".join(
        f"<section><h2>Number {number}</h2><p>{escape(text) or '<i>no sentence</i>'}</p>"
        f"<p>Points (of {READER}): ____</p></section>"
        for _, number, text in sentences
    )
    return page("Sentences of the examination, to be read", body)


# What looks alike.


def alike(read: dict, secret: str) -> list[tuple[str, str, str]]:
    """Pairs of reports that look alike, with the reason."""
    found = []
    right = {student: {k: v.right for k, v in lines(case(secret, student)).items()} for student in read}
    for one, other in combinations(sorted(read), 2):
        (a, code_a), (b, code_b) = read[one], read[other]
        for x, y, given in ((one, other, a), (other, one, b)):
            borrowed = [name for name in right[x] if _is(given.get(name), right[y][name], right[x][name])]
            if len(borrowed) >= 2:
                found.append((x, y, f"{x} gives what is right for {y}: {', '.join(borrowed)}"))
        if _like(_words(a.get("sentence")), _words(b.get("sentence")), 0.75, least=8):
            found.append((one, other, "the sentences, but for numbers"))
        if _like(_tokens(code_a), _tokens(code_b), 0.9, least=60):
            found.append((one, other, "the programs, but for numbers and names"))
    return found


def _is(given, others, own) -> bool:
    if isinstance(given, bool) or not isinstance(given, int | float) or not isinstance(others, float):
        return False
    return math.isclose(given, others, rel_tol=1e-3) and not math.isclose(others, own, rel_tol=1e-2)


def _words(sentence) -> list[str]:
    return re.sub(r"\d[\d.,e%]*", "#", str(sentence or "").lower()).split()[:400]


def _tokens(code: str) -> list[str]:
    """A program without names, numbers, comments and what the handout says itself."""
    code = re.sub(r"(?s)report = \{.*?\}", "", code)
    lines_ = [line for line in code.splitlines() if not re.match(_HANDED_OUT, line)]
    found = []
    try:
        for token in tokenize.generate_tokens(io.StringIO("\n".join(lines_)).readline):
            if token.type == tokenize.NAME:
                found.append("n" if token.string.islower() and len(token.string) < 3 else token.string)
            elif token.type == tokenize.OP:
                found.append(token.string)
    except (tokenize.TokenError, SyntaxError):
        pass
    return found[:4000]


def _like(one: list, other: list, share: float, least: int) -> bool:
    if min(len(one), len(other)) < least:
        return False
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    return matcher.quick_ratio() >= share and matcher.ratio() >= share
