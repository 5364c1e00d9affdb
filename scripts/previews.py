"""A Sphinx extension: in a chapter the first use of each term of the glossary leads there, and what links lead to shows
itself beside them.

The page brings along what it may have to show: the definitions of its terms, and the statements of other chapters that
it cites. The script of the site (book/_static/site.js) shows them; those of the page itself it finds in the page. If a
page changes, those that show something of it are written anew. What a letter of a formula means comes from the page on
notation, in a script of its own that is loaded when somebody asks.
"""

import json
import re
from pathlib import Path

from docutils import nodes
from selectolax.lexbor import LexborHTMLParser
from sphinx import addnodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx_proof.nodes import NODE_TYPES

import asking
from noting import Notes

GLOSSARY = "book/glossary"
NOTATION = "book/notation.html"
# Latin letters with one meaning; the others are also names of functions, counts and densities.
LETTERS = ["f", "L", "R", "H", "Adv"]
# Words that are terms only sometimes: how they then stand in a sentence.
SENSE = {
    "test": r"\b(?:a|the|best|each|every|any|this|such a) (tests?)\b(?! set| data| case)",
    "power": r"\b(power)\b(?= of (?:a|the|this|its|each|every) (?:\w+ )?tests?\b)",
    "meet": r"\b(?:the|a|their) (meet)\b(?! the| in| at)",
    "join": r"\b(?:the|a|their) (join)\b",
    "prior": r"(?<!hyper-)\b(priors?)\b(?! to\b)",
    "composition": r"\b(compositions?)\b(?! moments)",
    "gain": r"(?<!mean )\b(?:the|a|this|its|their|no) (gains?)\b(?! in accuracy)",
    "tolerance": r"\b(?:the|a|this|its) (tolerances?)\b",
    "audit": r"\b(?:an|the|each|every) (audits?)\b",
}
SILENT = (nodes.reference, nodes.literal, nodes.title, nodes.raw, nodes.math, addnodes.pending_xref, nodes.caption)


def pattern(term):
    """Where a term is used: in the singular or plural, whatever the case of its first letter."""
    if term.lower() in SENSE:
        return re.compile(SENSE[term.lower()], re.IGNORECASE)
    stem = re.escape(term[:-1] if term.endswith("y") else term)
    return re.compile(rf"(?<![\w-])({stem}{'(?:y|ies)' if term.endswith('y') else 's?'})(?![\w-])", re.IGNORECASE)


def in_raw_link(text):
    """Whether it is within a link that is written as HTML, as phrases that move an explorer are."""
    before = text.parent[: text.parent.index(text)]
    tags = [part.astext() for part in before if isinstance(part, nodes.raw)]
    return bool(tags) and any(tag.startswith("<a") for tag in tags[-1:])


class previews(nodes.General, nodes.Element):
    """What a page brings along."""


class preview(nodes.General, nodes.Element):
    """What the link to `target` leads to."""


class Previews(SphinxPostTransform):
    """Before links are resolved: those in what is brought along lead from this page."""

    default_priority = 6

    def run(self, **kwargs):
        if not re.match(r"book/\d", self.env.docname):
            return
        terms = self.terms()
        linked = self.link({name: anchor for name, (anchor, _) in terms.items()})
        cards = previews()
        cards += [self.card(f"{GLOSSARY}.html#{terms[name][0]}", terms[name][1].children) for name in linked]
        cards += self.statements()
        if len(cards):
            self.document += cards

    def terms(self):
        """Anchor and definition of each term, longer names first."""
        found = {}
        for item in asking.tree(self.app, GLOSSARY).findall(nodes.definition_list_item):
            term, definition = item[0], item[-1]
            found[re.sub(r"\s+", " ", term.astext()).strip()] = term["ids"][0], definition
        return dict(sorted(found.items(), key=lambda one: -len(one[0])))

    def link(self, anchors):
        texts = [node for node in self.document.findall(nodes.Text) if self.is_prose(node)]
        linked = []
        for name, anchor in anchors.items():
            wanted = pattern(name)
            for place, text in enumerate(texts):
                if found := wanted.search(text):
                    start, end = found.span(1)
                    uri = self.app.builder.get_relative_uri(self.env.docname, GLOSSARY) + f"#{anchor}"
                    link = nodes.reference("", found[1], refuri=uri, internal=True, classes=["term"])
                    pieces = [nodes.Text(text[:start]), link, nodes.Text(text[end:])]
                    text.parent.replace(text, pieces)
                    texts[place : place + 1] = [pieces[0], pieces[2]]
                    linked.append(name)
                    break
        return linked

    @staticmethod
    def is_prose(text):
        inside, part = False, text
        while (part := part.parent) is not None:
            if isinstance(part, (*SILENT, asking.ask)) or "cell" in part.get("classes", []):
                return False
            inside |= isinstance(part, nodes.paragraph)
        return inside and not in_raw_link(text)

    def statements(self):
        """Those of other pages that this one cites."""
        for label in sorted(cited_in(self.document)):
            known = getattr(self.env, "proof_list", {}).get(label)
            if known is None or known["docname"] == self.env.docname:
                continue
            for node in asking.tree(self.app, known["docname"]).findall(NODE_TYPES[known["realtype"]]):
                if label in node["ids"]:
                    number = self.number(known, label)
                    said = f"{known['realtype'].title()} {number}".strip()
                    title = node[0].astext() if isinstance(node[0], nodes.title) else ""
                    head = nodes.paragraph("", "", nodes.strong("", f"{said} {title}".strip()))
                    body = [part for part in node[1:] if not isinstance(part, nodes.title)]
                    inside = [child for part in body for child in (part if isinstance(part, nodes.section) else [part])]
                    yield self.card(f"{known['docname']}.html#{label}", [head, *inside])
                    break

    def number(self, known, label):
        numbers = self.env.toc_fignumbers.get(known["docname"], {}).get(known["countertype"], {})
        return ".".join(map(str, numbers.get(label, ())))

    def card(self, target, content):
        card = preview("", *(part.deepcopy() for part in content), target=target.rpartition("/")[2])
        for node in card.findall(nodes.Element):
            node["ids"], node["names"] = [], []
        for link in card.findall(addnodes.pending_xref):
            link["refdoc"] = self.env.docname
        return card


def cited_in(page):
    """The statements that a page cites."""
    return {link["reftarget"] for link in page.findall(addnodes.pending_xref) if link["refdomain"] == "prf"}


def outdated(env, notes):
    """Chapters with a card out of a page that was read now."""
    home = {label: known["docname"] for label, known in getattr(env, "proof_list", {}).items()}
    return [
        name
        for name in env.found_docs
        if re.match(r"book/\d", name)
        and not notes.read.isdisjoint({GLOSSARY, *(home.get(label) for label in notes.of(env).get(name, ()))})
    ]


def symbols(site: Path):
    """Writes _static/symbols.js: by letter, whether it has an index there, and what it means."""
    if not (site / NOTATION).is_file():
        return
    page = LexborHTMLParser((site / NOTATION).read_text(encoding="utf-8"))
    known = {}
    for row in page.css("#symbols table tr:has(td)"):
        sign, name, meaning, _ = row.css("td")
        letter = sign.css_first("mi")
        if letter is None or not (letter.text() in LETTERS or re.fullmatch("[α-ωΔΨ]", letter.text())):
            continue
        for link in row.css("a"):
            link.unwrap()
        said = "".join(f"<p>{part}</p>" for part in (f"<b>{inner(sign)}</b> {inner(name)}", inner(meaning)) if part)
        known.setdefault(letter.text(), []).append([outer(letter).parent.tag == "msub", said])
    data = json.dumps(known, ensure_ascii=False, separators=(",", ":"))
    (site / "_static" / "symbols.js").write_text(f"globalThis.dptutorSymbols = {data};\n", encoding="utf-8")


def outer(letter):
    """With the space that an upright letter comes in."""
    return letter.parent if letter.parent.tag == "mrow" and letter.prev and letter.prev.tag == "mspace" else letter


def inner(cell):
    paragraph = cell.css_first("p")
    return re.sub(r"^<p>|</p>$", "", paragraph.html.strip()) if paragraph else ""


def visit_previews(writer, node):
    writer.body.append('<div class="previews" hidden>')


def visit_preview(writer, node):
    writer.body.append(f'<div data-target="{node["target"]}">')


def depart(writer, node):
    writer.body.append("</div>\n")


def setup(app):
    app.add_node(previews, html=(visit_previews, depart))
    app.add_node(preview, html=(visit_preview, depart))
    app.add_post_transform(Previews)
    Notes("dptutor_citations", cited_in, outdated).connect(app)
    return {"version": "1", "env_version": 1, "parallel_read_safe": True, "parallel_write_safe": True}
