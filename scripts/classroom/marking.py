"""The marks of one notebook: its recorded values are judged again; only where there are none its code is run, isolated.

Nothing here trusts what was handed in. It is read as JSON; what it says of whom it is and what passed is ignored.
"""

import ast
import json
import re
from dataclasses import asdict, dataclass

from dptutor.exercises import HandIn
from dptutor.exercises.learners.handing_in import MIME, Record, prepared, result_of
from dptutor.exercises.renumbering import present

from . import assignments, isolating, secrets

UNRUN, COPIED = "unrun", "copied"  # kinds of marks that say nothing of what a student knows


@dataclass(frozen=True)
class Mark:
    """What an answer is worth: its points, None if it could not be judged; of how many; the reply, see `Result`."""

    exercise: str
    points: int | None
    of: int
    words: str
    kind: str = ""
    about: str = ""

    def data(self) -> dict:
        return asdict(self)


@dataclass(frozen=True)
class Assignment:
    """What a notebook is marked by: the exercises of its master, and the student's code, if there is one."""

    name: str
    student: str
    code: str
    exercises: tuple[tuple[str, int, bool], ...]
    answers: tuple[tuple[str, str], ...]  # the names that the stubs define, by exercise
    numbering: int  # of the exercises in the master; here they have their present numbers
    copied: bool  # whether the notebook carries what is another's; then no code is run in the student's name

    @classmethod
    def of(cls, name: str, master, student: str, secret: str, copied: bool = False):
        exercises = tuple(assignments.exercises_of(master))
        numbering = assignments.numbering_of(master)
        names = {
            present(id, numbering): answer
            for cell in master.cells
            for id, answer in re.findall(r'check\("([^"]+)", (\w+)', cell.source)
        }
        answers = tuple((id, names[id]) for id, _, _ in exercises)
        return cls(
            name, student, secrets.code(secret, student) if secret else "", exercises, answers, numbering, copied
        )


_COPIED = (
    "This notebook carries values or the code of someone else. In it only what its checks recorded in your own name "
    "counts."
)


def marked(data: bytes, wanted: Assignment) -> list[Mark]:
    """The marks of a notebook, one for each exercise. Whatever it holds, this returns."""
    try:
        notebook = json.loads(data)
        cells = [cell for cell in notebook["cells"] if isinstance(cell, dict)]
    except Exception as error:  # a file may hold anything
        why = f"The file cannot be read as a notebook: {type(error).__name__}."
        return [Mark(id, 0, of, why, "form") for id, of, _ in wanted.exercises]
    own = HandIn(wanted.student, wanted.code).mark
    found = {**_records(cells, own)}
    run: dict[str, str] = {}
    lacking = [id for id, _, by_own in wanted.exercises if (id, by_own) not in found]
    if lacking and not wanted.copied and _touched(cells, wanted):
        if why := isolating.missing():
            run = dict.fromkeys(lacking, f"Not judged: the notebook records no values of its own, and {why}.")
        else:
            numbering = assignments.numbering_of(notebook, wanted.numbering)
            values, reasons = _rerun(cells, wanted, lacking, numbering)
            found |= {key: record for key, record in _kept(values, own).items() if key not in found}
            run = dict.fromkeys(lacking, f"No value: {reasons}" if reasons else "The check did not run.")
    marks = []
    for id, of, by_own in wanted.exercises:
        if record := found.get((id, by_own)):
            marks.append(_judged(id, of, by_own, record, wanted.code))
        elif wanted.copied:
            marks.append(Mark(id, 0, of, _COPIED, COPIED))
        elif id in run and run[id].startswith("Not judged"):
            marks.append(Mark(id, None, of, run[id], UNRUN))
        else:
            marks.append(Mark(id, 0, of, run.get(id, "There is no answer."), "" if id in run else "nothing"))
    return marks


def _judged(id: str, of: int, own: bool, record: Record, code: str) -> Mark:
    case = secrets.case_number(code) if code else None
    try:
        result = result_of(prepared(id, code, own), record, case)
    except Exception as error:  # values may be anything
        return Mark(id, 0, of, f"The values cannot be judged: {type(error).__name__}.", "form")
    return Mark(id, of if result.passed else 0, of, repr(result), result.kind, result.about)


# The values.


def _records(cells: list[dict], own: str) -> dict[tuple, Record]:
    """By exercise the last values that a notebook holds and that are those of its student."""
    found = []
    for cell in cells:
        outputs = cell.get("outputs")
        for output in outputs if isinstance(outputs, list) else []:
            data = output.get("data") if isinstance(output, dict) else None
            if isinstance(data, dict) and MIME in data:
                found.append(data[MIME])
    return _kept(found, own)


def _kept(found: list, own: str) -> dict[tuple, Record]:
    records = [record for data in found if (record := Record.read(data)) and record.of == own]
    return {(record.exercise, record.own): record for record in records}


# The code.


def source(cell: dict) -> str:
    """The text of a cell."""
    text = cell.get("source", "")
    return "".join(map(str, text)) if isinstance(text, list) else str(text)


# How cells of a handout begin that are no stubs, and one that is whole: stubs begin with imports, too.
_IMPORT = "import dptutor as dp"
_OURS = (
    'import sys\n\nif "google.colab"',
    "# Your numbers",
    "hand_in = ",
    "reply = hand_in.",
    "# dp.exercises.hint",
)


def _touched(cells: list[dict], wanted: Assignment) -> bool:
    """Whether there is any code but that of the handout."""
    stubs = {assignments.stub(prepared(id, wanted.code, own), wanted.code) for id, _, own in wanted.exercises}
    stubs.add(_IMPORT)
    programs = [source(cell).strip() for cell in cells if cell.get("cell_type") == "code"]
    return any(program and not program.startswith(_OURS) and program not in stubs for program in programs)


def _rerun(cells: list[dict], wanted: Assignment, lacking: list[str], numbering: int) -> tuple[list, str]:
    """The values of an isolated run, and why it stopped where it did."""
    programs = _with_checks(cells, wanted, lacking, numbering)
    ran = isolating.run(programs, wanted.student, wanted.code, numbering)
    return ran.values, "; ".join(dict.fromkeys(ran.stopped.values()))


def _with_checks(cells: list[dict], wanted: Assignment, lacking: list[str], numbering: int) -> list[str]:
    """The code of a notebook; where the check of an exercise is gone, it stands again at the end of its section."""
    own = {id: by_own for id, _, by_own in wanted.exercises}
    checks = {id: assignments.checked(id, name, own[id]) for id, name in wanted.answers}
    there = {
        present(id, numbering)
        for cell in cells
        for id in re.findall(r'hand_in\.check\(\s*["\']([^"\']+)["\']', source(cell))
        if cell.get("cell_type") == "code"
    }
    gone = [id for id in lacking if id not in there]
    programs: list[str] = []
    section = None

    def end(section):
        if section in gone:
            programs.append(checks[section])
            gone.remove(section)

    for cell in cells:
        text = source(cell)
        if cell.get("cell_type") == "markdown" and (head := re.match(r"\s*#+\s+(\d+\.\w+)\b", text)):
            end(section)
            section = present(head[1], numbering)
        elif cell.get("cell_type") == "code":
            metadata = cell.get("metadata")
            if not (isinstance(metadata, dict) and metadata.get("dptutor") == "student"):
                programs.append(text)
    end(section)
    names = [name for _, name in wanted.answers]
    defined = "\n".join(programs)
    for id, name in wanted.answers:
        # Without a heading it is clear which answer is meant only where no other has the name.
        if id in gone and names.count(name) == 1 and re.search(rf"\b{name}\b", defined):
            place = max(k for k, text in enumerate(programs) if name in _defines(text) or k == len(programs) - 1)
            programs.insert(1 + place, checks[id])
    return programs


def _defines(program: str) -> set[str]:
    """The names that a program defines, as far as it can be read."""
    try:
        tree = ast.parse(program)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    functions = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    return functions | {
        node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
