"""Makes the notebooks of a class, with answers and marks, and questions for learning platforms.

    python scripts/teach.py pack FOLDER [--roster FILE] [--chapters 1 2 ...] [--exam] [--wheel ADDRESS] [--secret FILE]
    python scripts/teach.py marks FOLDER
    python scripts/teach.py questions FOLDER [--chapters 1 2 ...]

`pack` makes a new FOLDER, laid out as a course of nbgrader, which may but need not be used:

    handout/README.md, handout/dptutor-….whl       what students install
    handout/01_exercises.ipynb                     stubs and checks, the same for all
    students/ada.zip, students/ada/                for each student: 01_exercises.ipynb; 01_own.ipynb, with
                                                   the student's numbers; with --exam, the capstone as an examination
    submitted/                                     where hand-ins go
    key.csv                                        what every student was asked, and the right answer
    source/01_exercises/01_exercises.ipynb         the masters, with answers; of them the handouts are made
    secret.txt                                     what numbers, points and cases follow from
    roster.csv, nbgrader_config.py, .gitignore

`marks` reads what was handed in and writes marks.csv (a row for each student), replies.csv (a row for each exercise),
not_marked.csv (files that belong to nobody), copied.csv (notebooks that carry another's values), misconceptions.csv,
class.html and feedback/ada.html. A right answer has 1 point for a warm-up, 2 for an exercise to think about, 3 for one
to build. How this is done, and what a student who means harm can do: `classroom`.

`questions` writes the questions that pages judge for learning platforms: Moodle XML, GIFT, QTI 2.1 and 1.2.
"""

import argparse
import contextlib
import os
import sys
from pathlib import Path

from classroom import grading, packing, questions, roster, secrets
from classroom.errors import Refused


def main(arguments) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    packing_ = commands.add_parser("pack", help="create the folder of a course")
    packing_.add_argument("folder", type=Path)
    packing_.add_argument("--roster", type=Path, metavar="FILE", help="a table with columns for id and name")
    packing_.add_argument("--chapters", type=int, nargs="+", default=[], metavar="N")
    packing_.add_argument("--exam", action="store_true", help="also the capstone, as an examination")
    packing_.add_argument("--wheel", default="", metavar="ADDRESS", help="from where notebooks install the library")
    packing_.add_argument("--secret", type=Path, metavar="FILE", help="that of an earlier course, to make it again")
    marking = commands.add_parser("marks", help="grade the submissions")
    marking.add_argument("folder", type=Path)
    exporting = commands.add_parser("questions", help="write the questions of pages for learning platforms")
    exporting.add_argument("folder", type=Path)
    exporting.add_argument("--chapters", type=int, nargs="+", default=[], metavar="N")
    given = parser.parse_args(arguments)
    folder = given.folder.absolute()
    os.environ["JUPYTER_PREFER_ENV_PATH"] = "1"
    try:
        if given.command == "marks":
            count = grading.marks(folder)
            print(f"marked {count} notebook{'' if count == 1 else 's'}: {given.folder / 'marks.csv'}")
        elif given.command == "questions":
            print(f"wrote {questions.export(folder, given.chapters)} questions to {given.folder}")
        else:
            students = roster.read(given.roster) if given.roster else []
            secret = secrets.read(given.secret) if given.secret else None
            packing.pack(folder, students, given.chapters, secret, given.wheel, given.exam)
            print(f"made {given.folder}: {_next(given.folder, students)}")
    except Refused as refused:
        print(refused, file=sys.stderr)
        return 1
    return 0


def _next(folder: Path, students: list) -> str:
    """What a teacher does with a new course."""
    whose = f", students/ID.zip is for one student each ({len(students)})" if students else ""
    return (
        f"handout/ is for all{whose}; put what comes back into submitted/, then 'make marks COURSE={folder}'. "
        "All else is yours alone."
    )


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        sys.exit(main(sys.argv[1:]))
