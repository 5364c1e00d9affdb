"""What was handed in: notebooks anywhere below `submitted`, also in the archives that learning platforms make.

A notebook is known by its place, submitted/ada/01_own/01_own.ipynb; else by folders and file names as Moodle
("Ada Lovelace_123_assignsubmission_file") and Canvas ("lovelaceada_LATE_45_67_01_own-2.ipynb") make them; else by what
it holds: the mark of its student's code, and the assignment that it was made for. What is not known is named.

Archives are read, never unpacked: a name in one becomes no path. Links are not followed. Inside an archive a student
may have named anything, so the outermost folder that is a student's decides, and a notebook that carries its student's
mark comes before one that does not.

A notebook that carries another student's mark or code was copied from them, at least in part.
"""

import json
import os
import re
import unicodedata
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from itertools import permutations
from pathlib import Path

from dptutor.exercises import HandIn
from dptutor.exercises.learners.progress import FILE as PROGRESS
from dptutor.exercises.renumbering import NUMBERING

from . import assignments, secrets
from .roster import Student

LARGEST = 24 << 20  # bytes of a notebook
ALL = 2 << 30  # bytes of an archive, unpacked, with the archives in it
MANY = 20_000  # files of an archive, with those of the archives in it
LINK = "it is a link, and links are not followed"


@dataclass(frozen=True)
class Found:
    """A notebook that was handed in, and by whom, for what; or why that is not known."""

    where: str
    data: bytes = b""
    student: str = ""
    assignment: str = ""
    why: str = ""
    time: float = 0.0
    exact: bool = False  # it lies where it should
    own: bool = False  # it carries the mark of its student
    others: tuple[str, ...] = ()  # of whom else it carries the mark or the code


def collected(
    folder: Path, students: list[Student], masters: list[str], secret: str, numbering: int = NUMBERING
) -> tuple[list[Found], list[Found]]:
    """One notebook for each student and assignment, and the files that are not marked, each with the reason.

    `numbering` is that of the course. What was handed in may have another, and then another name for an assignment.
    """
    known: dict[tuple, Found] = {}
    left = []
    matcher = _Matcher(students, masters, secret, numbering)
    for found in _files(folder):
        found = found if found.why else matcher.matched(found)
        if found.why:
            left.append(found)
            continue
        key = found.student, found.assignment
        before = known.get(key)
        if before is None:
            known[key] = found
            continue
        kept, other = sorted((before, found), key=lambda one: (one.exact, one.own, one.time), reverse=True)
        known[key] = kept
        if kept.data != other.data:
            left.append(_because(other, f"{key[0]} also handed in {kept.where}, which is marked instead"))
    return sorted(known.values(), key=lambda one: (one.student, one.assignment)), left


def _because(found: Found, why: str) -> Found:
    return Found(found.where, why=why)


# The files.


def _files(folder: Path) -> Iterator[Found]:
    for at, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != ".ipynb_checkpoints")
        for name in filter(lambda name: Path(at, name).is_symlink(), folders):
            yield Found(Path(at, name).relative_to(folder).as_posix(), why=LINK)
        for name in sorted(names):
            path = Path(at, name)
            where = path.relative_to(folder).as_posix()
            if path.suffix.lower() not in (".ipynb", ".zip"):
                if not _left_by_a_program(path):
                    yield Found(where, why="it is no notebook")
            elif path.is_symlink() or not path.is_file():
                yield Found(where, why=LINK)
            elif path.suffix.lower() == ".zip":
                yield from _inside(path, where, path.stat().st_mtime)
            elif path.stat().st_size > LARGEST:
                yield Found(where, why=f"it is larger than {LARGEST >> 20} MB")
            else:
                yield Found(where, path.read_bytes(), time=path.stat().st_mtime)


def _left_by_a_program(path: Path) -> bool:
    return path.name.startswith(".") or path.name == PROGRESS.name


def _inside(file, where: str, time: float, depth: int = 0, left: dict | None = None) -> Iterator[Found]:
    """The notebooks of an archive, and of archives in it; `left` is what all of them together may still hold."""
    left = {"bytes": ALL, "files": MANY} if left is None else left
    try:
        with zipfile.ZipFile(file) as archive:
            members = archive.infolist()
            left["files"] -= len(members)
            left["bytes"] -= sum(member.file_size for member in members)
            if min(left.values()) < 0:
                yield Found(where, why="it is an archive too large to read")
                return
            for member in members:
                name = member.filename
                inside = f"{where}/{name}"
                if member.is_dir() or "__MACOSX/" in name or ".ipynb_checkpoints/" in name:
                    continue
                if not name.lower().endswith((".ipynb", ".zip")):
                    if not _left_by_a_program(Path(name)):
                        yield Found(inside, why="it is no notebook")
                    continue
                with archive.open(member) as opened:
                    data = opened.read(LARGEST + 1)
                stamp = time + sum(
                    x * y for x, y in zip(member.date_time, (1e-4, 1e-6, 1e-8, 1e-10, 1e-12, 0), strict=True)
                )
                if len(data) > LARGEST:
                    yield Found(inside, why=f"it is larger than {LARGEST >> 20} MB")
                elif name.lower().endswith(".ipynb"):
                    yield Found(inside, data, time=stamp)
                elif depth < 2:
                    yield from _inside(BytesIO(data), inside, stamp, depth + 1, left)
                else:
                    yield Found(inside, why="it is an archive in an archive in an archive")
    except Exception as error:  # a file may hold anything
        yield Found(where, why=f"it cannot be read as an archive: {type(error).__name__}")


# Whose it is.


class _Matcher:
    def __init__(self, students: list[Student], masters: list[str], secret: str, numbering: int = NUMBERING):
        self.masters = {assignments.named(name, numbering): name for name in masters}
        self.numbering = numbering
        self.listed = bool(students)
        self.ids = {student.id.lower(): student.id for student in students}
        self.ids |= {student.folder.lower(): student.id for student in students}
        self.ids |= {student.email.lower(): student.id for student in students if student.email}
        self.names: dict[str, list[str]] = {}
        for student in students:
            for name in _written(student.name):
                self.names.setdefault(name, []).append(student.id)
        codes = {secrets.code(secret, s.id): s.id for s in students} if secret else {}
        self.marks = {HandIn(id, code).mark: id for code, id in codes.items()}
        self.owners = self.marks | codes

    def matched(self, found: Found) -> Found:
        *folders, name = found.where.split("/")
        stem = re.sub(r"\.ipynb$", "", name, flags=re.I)
        about, marks, numbering = _about(found.data, self.numbering)
        known = self._known(numbering)
        assignment = self._assignment([stem, *reversed(folders)], about, known)
        if not assignment:
            return _because(found, "neither its name nor its content is that of an assignment")
        student, why = self._student(folders, stem, assignment, marks)
        if not student:
            return _because(found, why)
        exact = folders == [student, assignment] and stem == assignment
        own = student in {self.marks.get(mark) for mark in marks}
        others = tuple(sorted(self._owners(found.data) - {student}))
        return Found(found.where, found.data, student, known[assignment], "", found.time, exact, own, others)

    def _owners(self, data: bytes) -> set[str]:
        """The students whose mark or code is in a notebook."""
        words = {word.decode() for word in re.findall(rb"(?<![0-9a-f])[0-9a-f]{12}(?:[0-9a-f]{4})?(?![0-9a-f])", data)}
        return {self.owners[word] for word in words & self.owners.keys()}

    def _known(self, numbering: int) -> dict[str, str]:
        """The assignments, by the names that they have in a numbering."""
        named = {name: assignments.named(name, numbering) for name in (*self.masters, *assignments.ONCE)}
        return {name: self.masters[now] for name, now in named.items() if now in self.masters}

    def _assignment(self, names: list[str], about: str, known: dict[str, str]) -> str:
        for name in names:
            if name in known:
                return name
            found = [one for one in known if re.search(rf"(?<![^\W_]){one}(?![^\W_])", name, re.I)]
            if len(found) == 1:
                return found[0]
        return about if about in known else ""

    def _student(self, folders, stem, assignment, marks) -> tuple[str, str]:
        if not self.listed:  # whoever handed in is taken by the name of the folder
            folder = folders[0] if folders else ""
            good = re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", folder)
            return (folder, "") if good else ("", "the folder it lies in is not the id of a student")
        rest = re.sub(rf"[ _-]*{assignment}.*$", "", stem, flags=re.I)
        tried = [*folders, stem, rest]
        parts = [part for name in tried for part in (name, *re.split(r"_|--| - ", name))]
        several = ""
        for part in parts:  # from the outside in
            id = self.ids.get(part.strip().lower())
            ids = [id] if id else sorted(set(self.names.get(_letters(part), [])))
            if len(ids) == 1:
                return ids[0], ""
            if ids:
                several = f"{len(ids)} students have this name"
                break
        owners = {self.marks[mark] for mark in marks if mark in self.marks}
        if len(owners) == 1:
            return owners.pop(), ""
        return "", several or "no student of the roster has this id or name"


def _written(name: str) -> set[str]:
    """A name in the orders in which platforms write it, letters only."""
    words = [word for word in map(_letters, re.split(r"[\s,]+", name)) if word]
    if len(words) > 4:
        return {"".join(words), "".join([words[-1], *words[:-1]])}
    return {"".join(order) for order in permutations(words)}


def _letters(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in plain if letter.isalnum())


def _about(data: bytes, numbering: int) -> tuple[str, set[str], int]:
    """For which assignment a notebook was made, the marks of its records, and its numbering, as far as it can be read.

    Where it says nothing of its numbering, that is the one given.
    """
    try:
        notebook = json.loads(data)
        own = notebook["metadata"].get("dptutor")
        about = own.get("assignment", "") if isinstance(own, dict) else ""
    except Exception:  # a file may hold anything
        return "", set(), numbering
    marks = set(re.findall(rb'"of": ?"([0-9a-f]{16})"', data))
    about = about if isinstance(about, str) else ""
    return about, {mark.decode() for mark in marks}, assignments.numbering_of(notebook, numbering)
