"""The marks of a class: who handed in what, a row for each notebook as soon as it is marked, tables and feedback.

What is marked is kept in `marked.jsonl`, a line for each notebook. A run that was stopped goes on where it was, and a
later one marks only what is new, unless the library or the masters have changed.
"""

import contextlib
import hashlib
import json
import os
from concurrent.futures import ProcessPoolExecutor, as_completed
from html import escape
from multiprocessing import get_context
from pathlib import Path

import nbformat

import dptutor as dp
import misconceptions
from dptutor.exercises.judging.questions import words

from . import assignments, collecting, exam, isolating, roster, secrets, tables
from .errors import Refused
from .marking import COPIED, UNRUN, Assignment, Mark, marked
from .webpage import page, whole

STATE = "marked.jsonl"
_FEW = 4  # so few notebooks are marked in this process


def marks(folder: Path, say=print) -> int:
    """Marks what was handed in, and says how many notebooks that were."""
    masters = {path.stem: nbformat.read(path, 4) for path in sorted((folder / "source").glob("*/*.ipynb"))}
    if not masters:
        raise Refused(f"{folder} is not a course: it has no source/NAME/NAME.ipynb")
    students = roster.read(folder / "roster.csv") if (folder / "roster.csv").exists() else []
    secret = secrets.read(folder / secrets.FILE) if students and (folder / secrets.FILE).exists() else ""
    names = [*masters, *([exam.NAME] if exam.is_set(folder) else [])]
    numbering = min(map(assignments.numbering_of, masters.values()))
    found, left = collecting.collected(folder / "submitted", students, names, secret, numbering)
    copies = [one for one in found if one.others]
    sheets = [one for one in found if one.assignment == exam.NAME]
    found = [one for one in found if one.assignment != exam.NAME]
    jobs = {
        one: Assignment.of(one.assignment, masters[one.assignment], one.student, secret, bool(one.others))
        for one in found
    }
    results = _marked(folder / STATE, jobs, say)
    unrun = [(one, mark) for one, done in results.items() for mark in done if mark.kind == UNRUN]
    of = {name: sum(points for _, points, _ in assignments.exercises_of(master)) for name, master in masters.items()}
    if exam.is_set(folder):
        results |= exam.report(folder, students, secret, sheets, say)
        of[exam.NAME] = exam.possible()
    _report(folder, students, of, results, left)
    head = ("file", "student", "assignment", "of")
    tables.write(
        folder / "copied.csv", head, [(one.where, one.student, one.assignment, " ".join(one.others)) for one in copies]
    )
    for one in copies:
        say(f"copied: {one.where}: it carries values or the code of {', '.join(one.others)}")
    for one in left:
        say(f"not marked: {one.where}: {one.why}")
    if unrun:
        count = len({one.where for one, _ in unrun})
        say(
            f"{len(unrun)} answers in {count} notebook{'s' * (count > 1)} are not judged: they record no values, and "
            f"{isolating.missing()}"
        )
    return len(found) + len(sheets)


# The work.


def _marked(state: Path, jobs: dict, say) -> dict:
    """The marks of each notebook; those that were marked before are looked up."""
    version = _version()
    keys = {one: _key(one, wanted, version) for one, wanted in jobs.items()}
    kept = _kept(state)
    results = {one: kept[key] for one, key in keys.items() if key in kept}
    waiting = [one for one in jobs if one not in results]
    with open(state, "a", encoding="utf-8") as file:
        try:
            for done in _work([(one, jobs[one]) for one in waiting]):
                one, made = done
                results[one] = made
                line = {"key": keys[one], "where": one.where, "marks": [mark.data() for mark in made]}
                if not any(mark.kind == UNRUN for mark in made):  # another day there may be isolation
                    file.write(json.dumps(line) + "\n")
                    file.flush()
                points = sum(mark.points or 0 for mark in made)
                say(f"{len(results)} of {len(jobs)}  {one.student}  {one.assignment}  {points} points", flush=True)
        except KeyboardInterrupt:
            say(f"stopped after {len(results)} of {len(jobs)} notebooks; the next run goes on from here")
    return {one: results[one] for one in jobs if one in results}


def _work(waiting: list):
    if len(waiting) <= _FEW:
        for one, wanted in waiting:
            yield one, marked(one.data, wanted)
        return
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as pool:
        futures = {pool.submit(marked, one.data, wanted): one for one, wanted in waiting}
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _version() -> str:
    """Changes when exercises, checks or the way of marking do."""
    digest = hashlib.sha256()
    places = [Path(dp.exercises.__file__).parent, Path(__file__).parent]
    for path in sorted(path for place in places for path in place.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _key(one, wanted: Assignment, version: str) -> str:
    digest = hashlib.sha256(one.data)
    digest.update(f"{wanted}\n{version}".encode("utf-8", "replace"))
    return digest.hexdigest()


def _kept(state: Path) -> dict[str, list[Mark]]:
    kept = {}
    with contextlib.suppress(OSError):
        for line in state.read_text(encoding="utf-8").splitlines():
            with contextlib.suppress(ValueError, TypeError, KeyError):  # the last line of a run that was stopped
                data = json.loads(line)
                kept[data["key"]] = [Mark(**mark) for mark in data["marks"]]
    return kept


# The tables.


def _report(folder: Path, students, of: dict[str, int], results: dict, left):
    names = {student.id: student for student in students}
    by_student: dict[str, dict] = {id: {} for id in names}
    for one, done in results.items():
        by_student.setdefault(one.student, {})[one.assignment] = done
    of = {name: points for name, points in of.items() if any(name in done for done in by_student.values())}
    rows, replies = [], []
    for id, done in sorted(by_student.items()):
        student = names.get(id)
        points = {name: sum(mark.points or 0 for mark in made) for name, made in done.items()}
        unjudged = sum(mark.kind == UNRUN for made in done.values() for mark in made)
        about = (id, student.name if student else "", student.email if student else "")
        rows.append((*about, *(points.get(name, "") for name in of), sum(points.values()), sum(of.values()), unjudged))
        for name, made in sorted(done.items()):
            for mark in made:
                score = "" if mark.points is None else mark.points
                replies.append((id, name, mark.exercise, score, mark.of, mark.words, mark.kind, mark.about))
    head = (
        "student",
        "name",
        "email",
        *(f"{name} (of {points})" for name, points in of.items()),
        "total",
        "of",
        "not judged",
    )
    tables.write(folder / "marks.csv", head, rows)
    head = ("student", "assignment", "exercise", "points", "of", "reply", "kind")
    tables.write(folder / "replies.csv", head, [row[:7] for row in replies])
    tables.write(folder / "not_marked.csv", ("file", "why"), [(one.where, one.why) for one in left])
    asked = misconceptions.counted(
        [
            misconceptions.Reply(id, exercise, bool(points), said, kind, about)
            for id, name, exercise, points, _, said, kind, about in replies
            if kind not in (UNRUN, COPIED) and name != exam.NAME
        ]
    )
    tables.write(folder / "misconceptions.csv", misconceptions.HEAD, misconceptions.rows(asked))
    whole(folder / "class.html", misconceptions.page(asked))
    for id, done in by_student.items():
        if done:
            place = names[id].folder if id in names else id
            whole(folder / "feedback" / f"{place}.html", feedback(names[id].name if id in names else id, done))


def feedback(name: str, done: dict[str, list[Mark]]) -> str:
    """A page for one student: the points and the replies, by notebook."""
    parts = []
    for assignment, made in sorted(done.items()):
        rows = "".join(
            f"<tr><td>{escape(mark.exercise)}</td><td>{'–' if mark.points is None else mark.points} of {mark.of}</td>"
            f"<td>{words(mark.words)}</td></tr>"
            for mark in made
        )
        total = f"{sum(mark.points or 0 for mark in made)} of {sum(mark.of for mark in made)} points"
        parts.append(f"<h2>{escape(assignment)}: {total}</h2><table>{rows}</table>")
    return page(name, "".join(parts))
