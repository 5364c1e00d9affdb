"""A Sphinx extension: parsed pages that do not carry all other pages with them.

Sphinx keeps every page as it was parsed, and reads all of them again whenever one changes. What `{eval-rst}` makes
belongs to a document of its own, and that leads to Sphinx's whole environment, all explorers included: ten megabytes.
"""


def setup(app):
    app.connect("doctree-read", own_nodes, priority=999)
    return {"version": "1", "parallel_read_safe": True}


def own_nodes(app, page):
    """All that stands on a page belongs to it."""
    for node in page.findall():
        node.document = page
