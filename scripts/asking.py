"""A Sphinx extension: what a reader is asked in the text, answered and judged in the page.

    :::{ask}
    :name: ask-03-tail

    A question.

    - one answer

      The reply to it.

    - another (right)

      The reply to it.
    :::

A list with bullets is a choice. With `:within: 0.01` its items are numbers, of which the answer may be off by so much,
and of a mistake by at most a tenth of it; an item `0.2 to 0.7 (right)` takes any number between, and shows one of them;
its ends are exact. A numbered list is to be put in order: the page shuffles it.
With `:sketch:` a curve is to be drawn: its items are expressions in `x`, numpy and dptutor. Which axes the picture has,
and which laws a curve obeys, stands in `sketching.KINDS` under the name that `:sketch:` gives; `:across:` and `:up:`
give other axes, as `ε, 0 to 2`, and `:symmetric:` adds a law.
`:predict:` makes it a prediction: there is one try, and the answer of the next cell, which is covered, shows itself.
Everybody is then told the reply to what is right; so the page says whether it was predicted, and the replies do not.
`:refute:` says that the question quotes a claim that is wrong, `:false-step:` that one step of an argument is wrong,
`:alone:` that it can be understood without the text around it.

`{again}` names questions of other chapters, one a line, which are asked once more; their names begin with `ask-` and
the number of the chapter. `{due}` stands for those that are due on the day of reading, out of all chapters;
`{surprises}` for what the reader answered wrong on this page.

`{anew}` beside `{due}` asks a question of a chapter, whose name it has, with other numbers: once for each row of
`:with:`, a list of dictionaries. In its text and its answers `[[a / b]]` is the value of this expression of the row's
numbers, and `[[a / b:.3f]]` the value so written.

`{argue}` asks for an argument, which no program judges: a task, then a list of what a full answer contains, each with
its points, `… (2)`, then a model answer. The reader compares, and counts the points.

How it is judged and remembered: book/asking.js. Without a script the replies are folded below the question.
"""

import ast
import hashlib
import json
import re
from typing import ClassVar

import numpy as np
from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from sphinx import addnodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective

import moved
import sketching
from noting import Notes

POINTS = re.compile(r"\s*\((\d)\)\s*$")
RIGHT = re.compile(r"\s*\(right\)\s*$")
NUMBER = r"[-+−]?\d+(?:\.\d*)?(?:e[-+]?\d+)?"
NUMBERS = re.compile(rf"\s*{NUMBER}(\s+to\s+{NUMBER})?\s*")
PRAISE = re.compile(r"\s*(Yes|Right|Correct|Exactly|Indeed)\b")
HEADS = {
    "choice": "Which is it?",
    "number": "Work it out",
    "order": "In what order?",
    "sketch": "Sketch the curve",
    "predict": "Predict, then look",
    "refute": "Refute this",
    "false-step": "Find the false step",
}


class ask(nodes.General, nodes.Element):
    """A question: its text, then the answers; attributes `name`, `kind`, `head`, `within`, `predict`, `sketch`."""


class answer(nodes.General, nodes.Element):
    """An answer that can be given; attributes `right`, of numbers `least` and `most`, of curves `curve`."""


class reply(nodes.General, nodes.Element):
    """What is said to the answer before it."""


class argument(nodes.General, nodes.Element):
    """A task whose answer is an argument; attributes `name`, `head`."""


class model(nodes.General, nodes.Element):
    """A model answer, and what a full answer contains."""


class point(nodes.General, nodes.Element):
    """What a full answer contains; attribute `points`."""


class collected(nodes.General, nodes.Element):
    """A place for questions of other chapters: those in `names`, or all that can stand alone."""


class Ask(SphinxDirective):
    has_content = True
    option_spec: ClassVar = {
        "name": directives.unchanged_required,
        "within": float,
        "sketch": directives.unchanged_required,
        "across": directives.unchanged_required,
        "up": directives.unchanged_required,
        "symmetric": directives.flag,
        "predict": directives.flag,
        "refute": directives.flag,
        "false-step": directives.flag,
        "alone": directives.flag,
    }

    def run(self):
        return [self.asked(self.content)]

    def asked(self, content):
        inside = nodes.Element()
        self.state.nested_parse(content, self.content_offset, inside)
        name, flags = self.options["name"], set(self.options) & {"predict", "refute", "false-step"}
        if not inside.children or not isinstance(listed := inside[-1], nodes.bullet_list | nodes.enumerated_list):
            raise self.error(f"{name}: a question ends with a list of answers")
        ordered = isinstance(listed, nodes.enumerated_list)
        sketch = None
        if "sketch" in self.options:
            kind = "sketch"
            axes = (self.options.get(side) for side in ("across", "up"))
            sketch = sketching.sketch(self.options["sketch"], *axes, symmetric="symmetric" in self.options)
        else:
            kind = "order" if ordered else "number" if "within" in self.options else "choice"
        answers = [made(item, kind, sketch) for item in listed]
        right = sum(one["right"] for one in answers)
        if ordered and len(answers) < 2:
            raise self.error(f"{name}: one step has no order")
        if not ordered and (right != 1 or any(len(one) < 2 for one in answers)):
            raise self.error(f"{name}: one answer is right, and each has a reply")
        if praised := praising(answers, "predict" in flags):
            raise self.error(f"{name}: who answers something else is told '{praised[0]}'")
        head = HEADS[next(iter(flags), kind)]
        asked = ask(
            "", ids=[name], name=name, kind=kind, head=head, predict="predict" in flags, alone="alone" in self.options
        )
        asked["within"], asked["sketch"] = self.options.get("within"), sketch and sketch.data
        asked += [nodes.container("", *inside[:-1], classes=["ask-question"]), *answers]
        self.set_source_info(asked)
        return asked


class Anew(Ask):
    """A question of a chapter with other numbers."""

    option_spec: ClassVar = Ask.option_spec | {"with": directives.unchanged_required}

    def run(self):
        rows = ast.literal_eval(self.options["with"])
        return [self.changed(row) for row in rows]

    def changed(self, row):
        one = self.asked(StringList([filled(line, row) for line in self.content], self.get_source_info()[0]))
        one["ids"], one["anew"], one["due"] = [], True, True
        return one


def filled(line, row):
    """With the values of the expressions in it."""
    names = {"np": np, "log": np.log, "exp": np.exp, "sqrt": np.sqrt, "tanh": np.tanh} | row
    return re.sub(r"\[\[(.+?)(?::([.,\w]+))?\]\]", lambda found: format(eval(found[1], names), found[2] or ""), line)


def made(item, kind, sketch=None):
    """An answer out of the item of a list, whose first paragraph it is; what follows replies to it."""
    first, *rest = item
    one = answer("", right=kind == "order" or bool(RIGHT.search(first.astext())))
    if one["right"] and isinstance(last := first[-1], nodes.Text):
        first.replace(last, nodes.Text(RIGHT.sub("", last)))
    text = first.astext().replace("'", "")
    if kind == "choice" and (interval := NUMBERS.fullmatch(text)) and interval[1]:
        raise ValueError(f"a number is typed, :within: a distance, and not chosen: {text}")
    if kind == "number":
        if not NUMBERS.fullmatch(text):
            raise ValueError(f"this is no number and no two of them: {text}")
        ends = [float(end.replace("−", "-")) for end in re.findall(NUMBER, text)]
        one["least"], one["most"] = ends[0], ends[-1]
        if len(ends) == 2:
            first[:] = [nodes.Text(between(*ends))]
    if kind == "sketch":
        one["curve"] = sketch.heights(next(first.findall(nodes.literal)).astext())
        one += nodes.raw("", sketch.picture(one["curve"]), format="html")
    else:
        one += nodes.inline("", "", *first.children, classes=["ask-text"])
    if rest:
        one += reply("", *rest)
    return one


def praising(answers, predict):
    """The openings of replies that praise, although they are also told to somebody who answered something else."""
    told = [one[-1].astext() for one in answers if isinstance(one[-1], reply) and (predict or not one["right"])]
    return [found[0].strip() for text in told if (found := PRAISE.match(text))]


def between(least, most):
    """A number of few digits between two others: an interval among single numbers would look like what is right."""
    middle = min((least + most) / 2, 1.5 * least) if least > 0 else (least + most) / 2
    rounded = (f"{float(f'{middle:.{digits}g}'):.15g}" for digits in range(1, 16))
    return next(text for text in rounded if least < float(text) < most)


class Argue(SphinxDirective):
    has_content = True
    required_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar = {"name": directives.unchanged_required}

    def run(self):
        inside = nodes.Element()
        self.state.nested_parse(self.content, self.content_offset, inside)
        name = self.options["name"]
        place = next((k for k, part in enumerate(inside) if isinstance(part, nodes.bullet_list)), None)
        if not place or place + 1 == len(inside):
            raise self.error(f"{name}: an argument has a task, a list of points and a model answer")
        answers = model("", *inside[place + 1 :])
        for item in inside[place]:
            last = item[-1][-1]
            if not (found := POINTS.search(last.astext())):
                raise self.error(f"{name}: how many points is '{item.astext()}' worth?")
            item[-1].replace(last, nodes.Text(POINTS.sub("", last.astext())))
            text = nodes.inline("", "", *(child for part in item for child in part), classes=["ask-text"])
            answers += point("", text, points=int(found[1]))
        task = nodes.container("", *inside[:place], classes=["ask-question"])
        asked = argument("", task, answers, ids=[name], name=name, head=self.arguments[0])
        self.set_source_info(asked)
        return [asked]


def chapters_of(names):
    """Where questions stand, as `01`; of none, where any may."""
    return sorted({name.split("-")[1] for name in names}) or ["[0-9][0-9]"]


class Again(SphinxDirective):
    has_content = True

    def run(self):
        return self.place(str(line).strip() for line in self.content)

    def place(self, names):
        return [collected("", names=list(names))]


class Due(Again):
    has_content = False

    def run(self):
        links = '<p class="ask-none" hidden></p><p class="ask-keep" hidden></p>'
        return [nodes.raw("", links, format="html"), *self.place([])]


class Surprises(SphinxDirective):
    """A list that the page fills; nothing, as long as nothing was answered wrong."""

    def run(self):
        html = '<div class="dptutor-ask ask-surprises" hidden></div>'
        return [nodes.raw("", html, format="html")]


# A page is written again when a question that it repeats has changed, not with every word around it.


def noted(page):
    """A digest of the questions that a page asks, and where those stand that it repeats, as a pattern."""
    asked = "".join(one.pformat() for one in page.findall(ask))
    repeated = "|".join(chapter for place in page.findall(collected) for chapter in chapters_of(place["names"]))
    return hashlib.sha256(asked.encode()).hexdigest(), repeated


def outdated(env, notes):
    """Pages that repeat questions of a page on which they have changed."""
    before = {page: asked for page, (asked, _) in notes.before.items()}
    changed = [page for page, (asked, _) in notes.of(env).items() if before.get(page) != asked]
    return [
        name
        for name, (_, repeated) in notes.of(env).items()
        if repeated and any(page in changed for page in asking(repeated, notes.of(env)))
    ]


def asking(wanted, pages):
    """Of these pages the chapters that match, and what parts of them have become."""
    chapters = [page for page in sorted(pages) if re.match(rf"book/(?:{wanted})_", page)]
    return list(dict.fromkeys(where for page in chapters for where in [page, *moved.PARTED.get(page, [])]))


def tree(app, page):
    """A page as it was read, loaded once; to copy from, not to change."""
    trees = vars(app).setdefault("trees", {})
    if page not in trees:
        trees[page] = app.env.get_doctree(page)
    return trees[page]


class Collect(SphinxPostTransform):
    """Before links are resolved, which then lead from the page where a question is asked again, and before myst-nb
    chooses how the numbers in it are shown, at 4."""

    default_priority = 3

    def run(self, **kwargs):
        for place in list(self.document.findall(collected)):
            known, wanted = {}, "|".join(chapters_of(place["names"]))
            for page in asking(wanted, self.env.found_docs):
                known |= {one["name"]: (page, one) for one in tree(self.app, page).findall(ask)}
            names = place["names"] or [name for name, (_, one) in known.items() if one["alone"]]
            anew = [] if place["names"] else [one for one in self.document.findall(ask) if one.get("anew")]
            if missing := [name for name in [*names, *(one["name"] for one in anew)] if name not in known]:
                raise ValueError(f"{self.env.docname}: no question {', '.join(missing)}")
            if bound := [name for name in names if not known[name][1]["alone"]]:
                raise ValueError(f"{self.env.docname}: not to be understood alone: {', '.join(bound)}")
            for one in anew:
                self.trace(one, known[one["name"]][0])
            place.replace_self([self.copy(*known[name], due=not place["names"]) for name in names])

    def copy(self, page, one, due):
        one = one.deepcopy()
        for node in one.findall(nodes.Element):
            node["ids"] = []
        for link in one.findall(addnodes.pending_xref):
            link["refdoc"] = self.env.docname
        one["due"] = due
        self.trace(one, page)
        return one

    def trace(self, one, page):
        """Back to where it was asked first."""
        chapter = str(int(one["name"].split("-")[1]))
        one["origin"] = f"{page.rpartition('/')[2]}.html#{one['name']}"
        one["head"], one["chapter"] = f"From chapter {chapter}", chapter


# As HTML. What is asked is text; answers are buttons that the script makes alive.


def visit_ask(writer, node):
    of = {"data-ask": node["name"], "data-kind": node["kind"]}
    of |= {"data-within": str(node["within"])} if node["within"] is not None else {}
    of |= {"data-sketch": json.dumps(node["sketch"])} if node.get("sketch") else {}
    of |= {f"data-{flag}": "" for flag in ("predict", "due", "anew") if node.get(flag)}
    of |= {"data-chapter": node["chapter"]} if node.get("chapter") else {}
    of |= {"hidden": "hidden"} if node.get("due") else {}
    of |= {"role": "group", "aria-label": node["head"]}
    writer.body.append(writer.starttag(node, "div", CLASS="dptutor-ask ask", **of))
    head = writer.encode(node["head"])
    if node.get("origin"):
        head = f'<a href="{node["origin"]}">{head}</a>'
    writer.body.append(f'<p class="ask-head">{head}</p>\n')
    node["first"] = True


def depart_ask(writer, node):
    writer.body.append("</ol></details></div>\n")


def visit_answer(writer, node):
    if node.parent.get("first"):
        node.parent["first"] = False
        summary = "The steps in order" if node.parent["kind"] == "order" else "The answers"
        writer.body.append(f'<details class="ask-answers"><summary>{summary}</summary><ol>')
    of = {"data-right": ""} if node["right"] else {}
    of |= {f"data-{end}": repr(node[end]) for end in ("least", "most") if end in node}
    of |= {"data-curve": json.dumps(node["curve"])} if "curve" in node else {}
    writer.body.append(writer.starttag(node, "li", "", CLASS="ask-answer", **of))


def depart_answer(writer, node):
    writer.body.append("</li>\n")


def visit_reply(writer, node):
    writer.body.append('<div class="ask-reply">')


def depart_reply(writer, node):
    writer.body.append("</div>")


def visit_argument(writer, node):
    of = {"data-argue": node["name"], "role": "group", "aria-label": node["head"]}
    writer.body.append(writer.starttag(node, "div", CLASS="dptutor-ask argue", **of))
    writer.body.append(f'<p class="ask-head">{writer.encode(node["head"])}</p>\n')


def depart_argument(writer, node):
    writer.body.append("</div>\n")


def visit_model(writer, node):
    writer.body.append('<details class="argue-model"><summary>A model answer, to compare with yours</summary>\n')


def depart_model(writer, node):
    most = sum(one["points"] for one in node.findall(point))
    writer.body.append(f'</ul><p class="argue-sum" data-most="{most}" role="status"></p></details>\n')


def visit_point(writer, node):
    around = node.parent
    if not isinstance(around[around.index(node) - 1], point):
        writer.body.append('<p class="argue-points">What does your answer contain?</p><ul class="argue-list">\n')
    worth = f"{node['points']}\N{NO-BREAK SPACE}point{'s' * (node['points'] > 1)}"
    writer.body.append(f'<li><label><input type="checkbox" value="{node["points"]}"> <span>')
    node["worth"] = worth


def depart_point(writer, node):
    writer.body.append(f" <small>{node['worth']}</small></span></label></li>\n")


def setup(app):
    app.add_node(argument, html=(visit_argument, depart_argument))
    app.add_node(model, html=(visit_model, depart_model))
    app.add_node(point, html=(visit_point, depart_point))
    app.add_node(ask, html=(visit_ask, depart_ask))
    app.add_node(answer, html=(visit_answer, depart_answer))
    app.add_node(reply, html=(visit_reply, depart_reply))
    app.add_node(collected)
    kinds = {"ask": Ask, "anew": Anew, "argue": Argue, "again": Again, "due": Due, "surprises": Surprises}
    for name, directive in kinds.items():
        app.add_directive(name, directive)
    app.add_post_transform(Collect)
    Notes("dptutor_questions", noted, outdated).connect(app)
    return {"version": "1", "env_version": 1, "parallel_read_safe": True, "parallel_write_safe": True}
