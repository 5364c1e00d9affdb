"""The students of a class, as spreadsheets and learning platforms save them.

A roster is a table in UTF-8, UTF-16 or cp1252, with commas, semicolons or tabs between its columns, which may have any
order. A column is known by its name; of several that could be the id, the first of `_IDS` that is there is taken.
"""

import csv
import io
import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from .errors import Refused

_IDS = (
    "id", "student id", "student", "sis user id", "id number", "sis login id", "username", "user name", "login",
    "matrikelnummer", "nutzername", "anmeldename", "benutzername", "matricule", "identifiant", "email", "email address",
    "e-mail", "e-mail address", "e-mail-adresse", "adresse de courriel", "mail",
)  # fmt: skip
_NAMES = ("name", "full name", "student name", "display name", "nom complet", "vollständiger name")
_FIRST = ("first name", "firstname", "given name", "vorname", "prénom")
_LAST = ("last name", "lastname", "surname", "family name", "nachname", "nom", "nom de famille")
_MAILS = tuple(name for name in _IDS if "mail" in name or "courriel" in name)
# Windows gives these names to devices, whatever follows a dot.
_DEVICES = {"con", "prn", "aux", "nul", "conin$", "conout$"} | {f"{d}{n}" for d in ("com", "lpt") for n in range(10)}


@dataclass(frozen=True)
class Student:
    """A student; `folder` is the name of the student's folders."""

    id: str
    name: str
    email: str = ""

    @property
    def folder(self) -> str:
        return self.id.replace("@", "-at-").replace("+", "-plus-")


def read(path: Path) -> list[Student]:
    """The students of a file. A file with a bad row is refused, and every bad row named."""
    rows = _rows(path)
    head_line, head = next(((line, row) for line, row in rows if any(row)), (0, None))
    if head is None:
        raise Refused(f"{path} lists no students")
    names = [re.sub(r"\s+", " ", name).strip().lower() for name in head]
    columns = _columns(names)
    if columns is None:
        raise Refused(
            f"{path}, line {head_line}: the first line must name the columns, one for the id and one for the name (or "
            f"for first and last names); it has {', '.join(filter(None, head)) or 'no names'}"
        )
    students, wrong, seen = [], [], {}
    for line, row in rows:
        if line <= head_line or not any(row) or _is_no_student(row, names, columns):
            continue
        if isinstance(row, str):
            wrong.append(f"line {line}: {row}")
            continue
        if len(row) != len(head):
            wrong.append(f"line {line}: {len(row)} fields where the first line has {len(head)}")
            continue
        student = _student(row, columns)
        if why := _unfit(student, seen):
            wrong.append(f"line {line}: {why}")
            continue
        seen[student.folder.lower()] = line
        students.append(student)
    if wrong:
        raise Refused(f"{path} has invalid rows, so nothing was created:\n" + "\n".join(wrong))
    if not students:
        raise Refused(f"{path} lists no students")
    return students


def _rows(path: Path) -> list[tuple]:
    """The lines of a table with their numbers, each a list of fields, or what is wrong with it."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise Refused(f"cannot read the roster {path}: {error.strerror}") from None
    text = _decoded(data, path)
    first = next((line for line in text.splitlines() if line.strip()), "")
    separator = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    rows: list[tuple] = []
    while True:
        try:
            row = [field.strip() for field in next(reader)]
            rows.append((reader.line_num, row))
        except StopIteration:
            return rows
        except csv.Error as error:
            rows.append((reader.line_num, str(error)))


def _decoded(data: bytes, path: Path) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        encodings = ["utf-16"]
    else:
        encodings = ["utf-8-sig", "cp1252"]
    for encoding in encodings:
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise Refused(f"cannot read the roster {path}: save it as CSV in UTF-8")


def _columns(names: list[str]) -> dict | None:
    """Where id, name and email stand."""

    def place(known):
        return next((names.index(name) for name in known if name in names), None)

    found = {"id": place(_IDS), "name": place(_NAMES), "first": place(_FIRST), "last": place(_LAST)}
    # A platform's "Student" is the name where another column is the id.
    if found["name"] is None and "student" in names and any(name in names for name in _IDS if name != "student"):
        found["name"] = names.index("student")
        found["id"] = place([name for name in _IDS if name != "student"])
    found["email"] = place(_MAILS)
    return found if found["id"] is not None and (found["name"], found["first"], found["last"]) != (None,) * 3 else None


def _is_no_student(row, names, columns) -> bool:
    """Whether a row is one of those that a platform adds, as Canvas does."""
    if isinstance(row, str) or len(row) != len(names):
        return False
    name = row[columns["name"]] if columns["name"] is not None else ""
    return name.lower() in ("points possible", "student, test", "test student")


def _student(row: list[str], columns: dict) -> Student:
    def field(name):
        return row[columns[name]] if columns[name] is not None else ""

    name = field("name") or " ".join(filter(None, [field("first"), field("last")]))
    email = "" if columns["email"] == columns["id"] else field("email")
    return Student(field("id"), unicodedata.normalize("NFC", name), email)


def _unfit(student: Student, seen: dict) -> str | None:
    """Why a student cannot be given a folder."""
    id, folder = student.id, student.folder
    # It becomes the name of a folder, on any system.
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}", id) or id.endswith(".") or id.count("@") > 1:
        return (
            f"an id has letters, digits, '.', '-' and '_', or is an email address, and begins with a letter or digit; "
            f"got {id!r}"
        )
    if folder.split(".")[0].lower() in _DEVICES:
        return f"{id!r} is the name of a device on Windows, which cannot have a folder of that name"
    if folder.lower() in seen:
        return f"the id {id!r} is that of line {seen[folder.lower()]}"
    if not student.name or not student.name.isprintable():
        return f"{id!r} has no name that can be printed"
    if student.email and not re.fullmatch(r"[^@\s]+@[^@\s]+", student.email):
        return f"{student.email!r} is not an email address"
    return None
