"""A Sphinx extension: the page of a notebook of exercises shows what can be done on a page.

Questions that a page can judge are judged there; of the others it has the task, the stub, all hints and a worked
answer, folded, instead of the reply to an empty stub that the stored notebook has. The notebook is there to download.
"""

import json
import re

import nbformat
from nbformat.v4 import new_markdown_cell, new_notebook

import dptutor as dp
from dptutor.exercises.questions import Question, words

GRADES = {
    "warm-up": "## Warm-up\n\nTo find your feet.",
    "think": "## Think\n\nA sheet of paper helps.",
    "build": "## Build\n\nA few lines of code that you may want to keep.",
}
INTRODUCTION = """\
# {title}

The questions under *Warm-up* are judged on this page. For the others, {{download}}`download the notebook <{file}>`,
or open `notebooks/{file}` in your copy of the book (`make lab`): there `dp.exercises.check` judges your program and
names the mistake that it looks like. On this page the hints and a worked answer are folded below each task.
"""


def setup(app):
    app.connect("source-read", readable)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def readable(app, page, source):
    if found := re.fullmatch(r"notebooks/(\d\d)_exercises", page):
        stored = nbformat.reads(source[0], 4)
        made = page_of(
            int(found[1]), stored.cells[0].source.split("\n")[0].removeprefix("# "), f"{found[1]}_exercises.ipynb"
        )
        made.metadata = stored.metadata
        source[0] = json.dumps(made)


def page_of(chapter, title, file):
    """The notebook whose page it is."""
    parts = [INTRODUCTION.format(title=title, file=file)]
    exercises = dp.exercises.catalogue(chapter)
    for grade, heading in GRADES.items():
        parts.append(heading)
        if grade == "warm-up" and any(isinstance(exercise, Question) for exercise in exercises):
            sheet = dp.exercises.questions(chapter).html
            parts.append(raw(sheet.replace("<h4>", "<h3>").replace("</h4>", "</h3>")))  # there is no title between
        own = [exercise for exercise in exercises if exercise.grade == grade and not isinstance(exercise, Question)]
        parts += map(task, own)
    return new_notebook(cells=[new_markdown_cell(part) for part in parts])


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
