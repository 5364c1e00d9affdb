"""A Sphinx extension: pages are read side by side, and what is kept of one carries no other pages with it.

Most of a build is waiting for the kernels of pages, one after another; with the cores there are, several run at once.

Sphinx keeps every page as it was parsed, and reads all of them again whenever one changes. What `{eval-rst}` makes
belongs to a document of its own, and that leads to Sphinx's whole environment, all explorers included: ten megabytes.
"""

import os
import sys

from sphinx.util.parallel import make_chunks
from sphinx_proof.domain import ProofDomain


def setup(app):
    app.add_domain(Theorems, override=True)
    app.connect("builder-inited", side_by_side)
    app.connect("env-before-read-docs", mixed)
    app.connect("doctree-read", own_nodes, priority=999)
    return {"version": "1", "parallel_read_safe": True}


class Theorems(ProofDomain):
    """Theorems as they are, which are kept in the environment and merged there."""

    def merge_domaindata(self, docnames, otherdata):
        pass


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


def own_nodes(app, page):
    """All that stands on a page belongs to it."""
    for node in page.findall():
        node.document = page
