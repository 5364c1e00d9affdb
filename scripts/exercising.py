"""A Sphinx extension: pages show the exercises of the catalogue.

A chapter says where, by comments: `% exercises: introduction`, and `% exercises: warm-up` (think, build), which become
the questions that the page judges and, of each other exercise, what it asks in brief and its first hint.

The page of a notebook of exercises has of these others the task, the stub, all hints and a worked answer, folded,
instead of the reply to an empty stub that the stored notebook has. The notebook is there to download.
"""

import json
import re

import nbformat
from nbformat.v4 import new_markdown_cell, new_notebook

import dptutor as dp
from asking import HEADS
from content import ROOT
from dptutor.exercises.judging.questions import Question, words

GRADES = {
    "warm-up": "## Warm-up\n\nTo find your feet.",
    "think": "## Think\n\nA sheet of paper helps.",
    "build": "## Build\n\nA few lines of code that you may want to keep.",
}
INTRODUCTION = """\
# {title}

{judged}{{download}}`download the notebook <{file}>`, or open `notebooks/{file}` in your copy of the book (`make lab`):
there `dp.exercises.check` judges your program and names the mistake that it looks like. On this page the hints and a
worked answer are folded below each task.
"""
JUDGED_HERE = "The questions under *Warm-up* are judged on this page. For the others, ", "To have your answers judged, "
IN_THE_TEXT = """\
## In the chapter

These stand where their ideas do, and are judged there: curves to sketch, proofs to put in order, claims to refute, and
arguments to write down and compare with a model answer.

"""
PLACED = re.compile(r"^% exercises: (introduction|warm-up|think|build)\n", re.MULTILINE)
IN_A_CHAPTER = """\
The exercises with a letter are judged on this page. For each of the others, the \
[exercise page](../notebooks/{file}) has the first lines of a program for you to complete, three hints \
and a worked answer. To have your program checked and its mistakes explained, write it in the notebook, \
`notebooks/{file}`; in a copy of the book, `make lab` opens it. Each argument at the end comes with a \
model answer.
"""
QUESTIONS = """\
```{{code-cell}} ipython3
:tags: [remove-input]

dp.exercises.questions(chapter={chapter})
```
"""
STATEMENT = """\
```{{exercise}} {id} {title}
:label: ex-{label}
:nonumber:

{asked}
```
"""
KINDS = ("sketch", "refute", "false-step")
# The title of an argument, the name, the other options, and the text of what a chapter asks.
ASKED = re.compile(
    r"^:::\{(?:ask|argue)\}([^\n]*)\n:name: (\S+)\n((?::[\w-]+:[^\n]*\n)*)(.*?)^:::$", re.MULTILINE | re.DOTALL
)
# The first sentence of a question, and what only the page of the chapter can resolve.
FIRST, ROLE = re.compile(r"(?:(?!\n\n).){1,320}?[.?]”?\"?(?=\s|$)", re.DOTALL), re.compile(r"\{[\w:]+\}`")


def setup(app):
    app.connect("source-read", readable)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def readable(app, page, source):
    if found := re.match(r"book/(\d\d)_", page):
        source[0] = with_exercises(source[0], int(found[1]))
    if found := re.fullmatch(r"notebooks/(\d\d)_exercises", page):
        stored = nbformat.reads(source[0], 4)
        made = page_of(
            int(found[1]), stored.cells[0].source.split("\n")[0].removeprefix("# "), f"{found[1]}_exercises.ipynb"
        )
        made.metadata = stored.metadata
        source[0] = json.dumps(made)


def with_exercises(text, chapter):
    """The source of a chapter, with its exercises where comments ask for them."""

    def placed(comment):
        if comment[1] == "introduction":
            return IN_A_CHAPTER.format(file=f"{chapter:02}_exercises.ipynb")
        own = [exercise for exercise in dp.exercises.catalogue(chapter) if exercise.grade == comment[1]]
        tasks = [exercise for exercise in own if not isinstance(exercise, Question)]
        parts = [QUESTIONS.format(chapter=chapter)] * (len(tasks) < len(own))
        for each in tasks:
            label, asked = each.id.replace(".", "-"), each.brief or each.question
            parts.append(STATEMENT.format(id=each.id, title=each.title, label=label, asked=asked))
            parts.append(folded(f"A hint for {each.id}", each.hints[0]).strip("\n") + "\n")
        return "\n".join(parts)

    return PLACED.sub(placed, text)


def page_of(chapter, title, file):
    """The notebook whose page it is."""
    exercises = dp.exercises.catalogue(chapter)
    some, none = JUDGED_HERE
    judged = some if any(isinstance(exercise, Question) for exercise in exercises) else none
    parts = [INTRODUCTION.format(title=title, file=file, judged=judged)]
    for grade, heading in GRADES.items():
        parts.append(heading)
        if grade == "warm-up" and any(isinstance(exercise, Question) for exercise in exercises):
            sheet = dp.exercises.questions(chapter).html
            parts.append(raw(sheet.replace("<h4>", "<h3>").replace("</h4>", "</h3>")))  # there is no title between
        own = [exercise for exercise in exercises if exercise.grade == grade and not isinstance(exercise, Question)]
        parts += map(task, own)
    if listed := in_the_text(chapter):
        parts.append(listed)
    return new_notebook(cells=[new_markdown_cell(part) for part in parts])


def in_the_text(chapter):
    """What the chapter itself asks for besides choices and numbers, as links: sketches, proofs to order, arguments."""
    (path,) = ROOT.glob(f"book/{chapter:02}_*.md")
    lines = []
    for title, name, options, question in ASKED.findall(path.read_text(encoding="utf-8")):
        kind = next((kind for kind in KINDS if f":{kind}:" in options), None)
        ordered = re.search(r"^2\. ", question, re.MULTILINE)
        head = title.strip() or HEADS.get(kind or ("order" if ordered else ""), "")
        if head:
            unnumbered = re.sub(r"\{eval\}`[^`]*`", "…", question.strip())  # the page of the chapter has the numbers
            first = FIRST.match(unnumbered)
            said = " ".join(first[0].split()) if first and not title.strip() and not ROLE.search(first[0]) else ""
            said += ' …"' * (said.count('"') % 2)  # of a claim that goes on
            said = f": {said}" if said else ""
            lines.append(f'- <a href="../book/{path.stem}.html#{name}">{head}</a>{said}')
    return IN_THE_TEXT + "\n".join(lines) if lines else ""


def task(exercise):
    hints = "".join(
        folded(f"Hint {number}", raw(f"<p>{words(hint)}</p>")) for number, hint in enumerate(exercise.hints, 1)
    )
    worked = "".join(f"<p>{part}</p>" for part in words(exercise.explanation).split("\n\n"))
    answer = folded("A worked answer", f"{raw(worked)}\n{code(exercise.solution)}")
    return f"### {exercise.id} {exercise.title}\n\n{exercise.question}\n\n{code(exercise.stub)}\n{hints}{answer}"


def folded(title, text):
    return f"\n::::{{dropdown}} {title}\n{text}\n::::\n"


def raw(html):
    return f"```{{raw}} html\n{html}\n```"


def code(program):
    return f"```python\n{program.strip()}\n```"
