"""A Sphinx extension: formulas are set when a page is written, and what belongs together is not parted by a line's end.

`html_math_renderer: mathml` in _config.yml chooses it. A formula that cannot be set is a warning, which ends a build.
"""

import re

from docutils import nodes
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

from dptutor.formulas import UnknownFormula, mathml, raised, unbroken

OPENING = re.compile(r"[(\[“‘]+$")
MARK = re.compile(r"-(?:\w{1,4}\b)?[.,;:!?)\]”’]*|[.,;:!?)\]”’]+")  # a hyphen makes a word of it, as in N-fold
HALF = re.compile(r"(?:[-+=<>≤≥≈·]|\\(?:le|ge|leq|geq|approx|cdot))\s*$")
PROSE = (nodes.paragraph, nodes.emphasis, nodes.term, nodes.rubric)
INLINE = {"text_plain", "sd-summary-text"}  # what {eval} says, titles of what is folded
log = logging.getLogger(__name__)


def setup(app):
    app.add_html_math_renderer("mathml", inline_renderers=(inline, None), block_renderers=(block, None))
    app.connect("doctree-resolved", exponents, priority=890)
    app.connect("doctree-resolved", together, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def formula(node, display):
    try:
        return mathml(node.astext(), display=display)
    except UnknownFormula as error:
        log.warning("%s", error, location=node)
        return ""


def inline(writer, node):
    writer.body.append(formula(node, display=False))
    raise nodes.SkipNode


def block(writer, node):
    writer.body.append(writer.starttag(node, "div", CLASS="math", tabindex="0"))
    writer.body.append(formula(node, display=True))
    if node["number"]:
        writer.body.append(f'<span class="eqno">({get_node_equation_number(writer, node)})')
        writer.add_permalink_ref(node, "Link to this equation")
        writer.body.append("</span>")
    writer.body.append("</div>\n")
    raise nodes.SkipNode


def exponents(app, page, name):
    """What a plain text writes as e^ε or D_s, as docstrings do, stands raised or lowered in a page."""
    for node in list(page.findall(nodes.Text)):
        if in_prose(node) and len(pieces := raised(node)) > 1:
            parts = [nodes.math("", piece) if place % 2 else nodes.Text(piece) for place, piece in enumerate(pieces)]
            node.parent.replace(node, [part for part in parts if part.astext()])


def in_prose(node):
    return isinstance(node.parent, PROSE) or INLINE & set(node.parent.get("classes", []))


def together(app, page, name):
    """A formula, the bracket before it and the comma after it stay on one line, and so does what an = joins."""
    for node in filter(in_prose, list(page.findall(nodes.Text))):
        if (kept := unbroken(node)) != node:
            node.parent.replace(node, nodes.Text(kept))
    for node in list(page.findall(nodes.math)):
        parent, place = node.parent, node.parent.index(node)
        before, after = parent[:place][-1:], parent[place + 1 : place + 2]
        opening = OPENING.search(before[0]) if before and isinstance(before[0], nodes.Text) else None
        if after and isinstance(after[0], nodes.Text) and after[0].startswith(" ") and HALF.search(node.astext()):
            after = [nodes.Text("\N{NO-BREAK SPACE}" + after[0][1:])]
            parent[place + 1] = after[0]
        mark = MARK.match(after[0]) if after and isinstance(after[0], nodes.Text) else None
        if opening or mark:
            joined = nodes.inline(classes=["together"])
            parent[place] = joined
            joined += [nodes.Text(opening[0])] if opening else []
            joined += node
            if mark:
                joined += nodes.Text(mark[0])
                parent[place + 1] = nodes.Text(after[0][mark.end() :])
            if opening:
                parent[place - 1] = nodes.Text(before[0][: opening.start()])
