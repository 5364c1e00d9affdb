"""A Sphinx extension: formulas are set when a page is written, and what belongs together is not parted by a line's end.

`html_math_renderer: mathml` in _config.yml chooses it. A formula that cannot be set is a warning, which ends a build.
"""

import re

from docutils import nodes
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

from dptutor.formulas import UnknownFormula, mathml, raised, symbols, unbroken

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
    """What a text writes as e^ε or D_s is raised or lowered in a page; symbols of docstrings are italic."""
    for node in filter(in_prose, list(page.findall(nodes.Text))):
        parts = set_off(node, name.startswith("book/api"))
        if any(isinstance(part, nodes.Element) for part in parts):
            node.parent.replace(node, parts)


def set_off(node, docstring):
    """A text in parts."""
    parts = []
    for place, piece in enumerate(raised(node)):
        if place % 2:
            parts.append(nodes.math("", piece))
        elif docstring and not isinstance(node.parent, nodes.emphasis):
            parts += [nodes.emphasis("", part) if k % 2 else nodes.Text(part) for k, part in enumerate(symbols(piece))]
        else:
            parts.append(nodes.Text(piece))
    return [part for part in parts if part.astext()]


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
