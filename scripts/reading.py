"""A Sphinx extension: pages are read side by side, and what is kept of one carries no other pages with it.

Most of a build is waiting for the kernels of pages, one after another; with the cores there are, several run at once.

Sphinx keeps every page as it was parsed, and reads all of them again whenever one changes. What `{eval-rst}` makes
belongs to a document of its own, and that leads to Sphinx's whole environment, all explorers included: ten megabytes.

Statements are numbered by chapter, all kinds in one row; pages with statements that are no chapters have letters.
Exercises have their numbers in their titles.

Pages that name all mechanisms say so in a comment, `% entries of all mechanisms`, `% links to all mechanisms` or
`% plates of all mechanisms`.
"""

import copy
import inspect
import os
import re
import sys
from collections import Counter

from docutils import nodes
from sphinx.util.parallel import make_chunks
from sphinx_exercise.nodes import exercise_node
from sphinx_proof.domain import ProofDomain

import dptutor as dp
import guide


def setup(app):
    app.add_domain(Theorems, override=True)
    app.connect("builder-inited", side_by_side)
    app.connect("env-before-read-docs", mixed)
    app.connect("source-read", expanded)
    app.connect("doctree-read", own_nodes, priority=999)
    app.connect("env-get-updated", counted, priority=100)
    app.connect("env-get-updated", by_chapter, priority=900)
    app.connect("doctree-resolved", exercises)
    return {"version": "1", "parallel_read_safe": True}


CHAPTER = re.compile(r"book/0*(\d+)_")


class Theorems(ProofDomain):
    """Theorems as they are, which are kept in the environment and merged there."""

    def merge_domaindata(self, docnames, otherdata):
        pass


def counted(app, env):
    """The numbers as Sphinx counts, for it to see what has changed."""
    env.toc_fignumbers = getattr(env, "counted", env.toc_fignumbers)
    return []


def by_chapter(app, env):
    """The second statement of chapter 7 is 7.2, be it a definition or a theorem; that of another page has a letter."""
    env.counted, env.toc_fignumbers = env.toc_fignumbers, copy.deepcopy(env.toc_fignumbers)
    statements = getattr(env, "proof_list", {})
    pages = {statement["docname"] for statement in statements.values()}
    others = [page for page in in_order(env, env.config.root_doc) if page in pages and not CHAPTER.match(page)]
    names = {page: chr(ord("A") + k) for k, page in enumerate(others)}
    names |= {page: chapter[1] for page in pages if (chapter := CHAPTER.match(page))}
    counts = Counter()
    for label, statement in statements.items():
        page = statement["docname"]
        numbers = env.toc_fignumbers.get(page, {}).get(statement["countertype"], {})
        if label in numbers:
            counts[page] += 1
            numbers[label] = (names[page], counts[page])
    return []


def exercises(app, page, name):
    """Exercise (7.1 Its name) is called Exercise 7.1 (Its name), as other statements are."""
    for exercise in page.findall(exercise_node):
        kind, opening, title, *more = exercise[0]
        number, _, title = title.partition(" ")
        exercise[0][:] = [kind, nodes.Text(f" {number}{opening}"), nodes.Text(title), *more]


def in_order(env, page):
    """The pages that the contents name, as they do."""
    yield page
    for below in env.toctree_includes.get(page, []):
        yield from in_order(env, below)


def side_by_side(app):
    """As many processes as there are cores, but not where Sphinx will have none."""
    if sys.platform != "darwin":
        app.parallel = os.cpu_count() or 1
    # The extension that reads the contents brings this one along, wanted or not. It numbers sections, which ours have
    # in their titles, and only once all pages have been read; but it does not say that pages may be read side by side,
    # and one extension that does not has all of them read one after another. Sphinx has no setting for that.
    app.extensions["sphinx_multitoc_numbering"].parallel_read_safe = True


def mixed(app, env, pages):
    """A process reads neighbors in this list. Chapters, which take long, are alphabetical neighbors too."""
    shares = len(make_chunks(pages, app.parallel))
    pages[:] = [page for first in range(shares) for page in pages[first::shares]]


def expanded(app, page, source):
    """A page that names all mechanisms names those that are registered."""
    if PLATES in source[0]:
        app.env.note_dependency(str(guide.FILE))
    source[0] = with_mechanisms(source[0])


def with_mechanisms(text):
    """The source of a page, with entries, links and plates of all mechanisms where comments ask for these."""
    names = dp.mechanisms.registry.__all__
    if PLATES in text:
        text = text.replace(PLATES, guide.plates())
    return text.replace("% links to all mechanisms\n", f"{guide.linked(names)}.\n").replace(
        "% entries of all mechanisms\n", ENTRIES.format(names="\n   ".join(names), entries="\n".join(map(entry, names)))
    )


PLATES = "% plates of all mechanisms\n"
ENTRIES = """\
```{{eval-rst}}
.. currentmodule:: dptutor

.. autosummary::
   :nosignatures:

   {names}
   join
   meet
   group
   matrix_mechanism
   tree_aggregation

```

```{{eval-rst}}
{entries}
.. autofunction:: dptutor.join

.. autofunction:: dptutor.meet

.. autofunction:: dptutor.group

.. autofunction:: dptutor.matrix_mechanism

.. autofunction:: dptutor.tree_aggregation

```
"""


def entry(name):
    """The entry of a mechanism, with those of its members that others do not have."""
    kind = getattr(dp, name)
    members = [each for each, value in vars(kind).items() if isinstance(value, property) or inspect.isfunction(value)]
    members = [each for each in members if each[0] != "_" and each not in dir(dp.Mechanism)]
    return f".. autoclass:: dptutor.{name}\n" + (f"   :members: {', '.join(members)}\n" if members else "")


def own_nodes(app, page):
    """All that stands on a page belongs to it."""
    for node in page.findall():
        node.document = page
