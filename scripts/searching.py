"""The index of the site's search, made of the finished pages: sections, theorems, terms, symbols, functions, explorers.

It is one script, `_static/search-index.js`, which a page loads when its reader searches. A record is
[kind, title, number of its page, anchor, text].
"""

import json
import re
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser

SPACE = re.compile(r"\s+")
# What a section does not say: the parts below it that have records of their own, labels, programs' output, names.
MUTE = "script, style, svg, figure.dptutor-explorer, .highlight, .dptutor-questions, .eqno, button"
MUTE += ", .ask-answers, .previews"
OWN = "section section, div.proof, dl.glossary, dl.py"


def index(site: Path, pages):
    names, records = [], []
    for page in sorted(pages):
        file = site / f"{page}.html"
        if not file.is_file():
            continue
        tree = LexborHTMLParser(file.read_text(encoding="utf-8"))
        article = tree.css_first("article")
        heading = article and article.css_first("h1")
        if not heading:
            continue
        for link in article.css(".headerlink"):
            link.decompose()
        for label in heading.css(".chapter"):
            label.replace_with(label.text().removeprefix("Chapter "))
        names.append([f"{page}.html", words(heading)])
        records += [[kind, title, len(names) - 1, *rest] for kind, title, *rest in records_of(article, page)]
    data = json.dumps([names, records], ensure_ascii=False, separators=(",", ":"))
    script = f"globalThis.dptutorIndex = {json.dumps(data, ensure_ascii=False)};\n"  # as text, which is read faster
    (site / "_static" / "search-index.js").write_text(script, encoding="utf-8")


def records_of(article, page):
    """Records of a page, the innermost first; each is taken out of the text before the next."""
    found = []
    for explorer in article.css("[data-explorer][id]"):
        if name := explorer.css_first(".dpe-find strong"):
            say = explorer.css_first("figcaption p")
            found.append(["explorer", words(name), explorer.attributes["id"], words(say) if say else ""])
    for formula in article.css("math"):  # letters of formulas as they are typed, without signs that say how to draw
        formula.replace_with(plain(typed(formula)))
    for part in article.css(MUTE):
        part.decompose()
    if page.endswith("/notation"):
        for row in article.css("#symbols table tr:has(td)"):
            sign, name, *rest = (words(cell) for cell in row.css("td"))
            name, more = re.match(r"([^;(]+|.*)(.*)", name).groups()  # what comes first
            found.append(["symbol", f"{sign}: {name.strip()}", nearest_id(row), " ".join([more, *rest])])
    for term in article.css("dl.glossary > dt"):
        said = term.next
        while said and said.tag != "dd":
            said = said.next
        found.append(["term", words(term), term.attributes.get("id") or "", words(said) if said else ""])
    for function in article.css("dl.py > dt.sig"):
        name = function.attributes.get("id") or ""
        body = next((part for part in iterate(function) if part.tag == "dd"), None)
        first = body and body.css_first("p")
        found.append(["function", name.replace("dptutor.", "dp.", 1), name, words(first) if first else ""])
    for theorem in article.css("div.proof"):
        title = theorem.css_first(".admonition-title")
        name, anchor = words(title) if title else "", theorem.attributes.get("id") or ""
        if title:
            title.decompose()
        found.append(["theorem", name, anchor, words(theorem)])
    for part in article.css("dl.glossary, dl.py, div.proof"):
        part.decompose()
    for section in reversed(article.css("section")):  # those inside come after those around them
        inside = section.css_first("div.opening") or section  # where the title of a chapter is
        heading = next((part for part in inside.iter() if part.tag in {"h1", "h2", "h3", "h4"}), None)
        if heading is None:
            continue
        title, anchor = words(heading), section.attributes.get("id") or ""
        whole = "chapter" if re.match(r"book/\d", page) else "page"
        kind = "notebook" if page.startswith("notebooks") else whole if heading.tag == "h1" else "section"
        heading.decompose()
        found.append([kind, title, "" if heading.tag == "h1" else anchor, words(section)])
        section.decompose()
    return reversed(found)


def iterate(node):
    while node := node.next:
        yield node


def nearest_id(node):
    while node := node.parent:
        if node.tag == "section":
            return node.attributes.get("id") or ""
    return ""


def words(node):
    return plain(SPACE.sub(" ", node.text(deep=True)).strip())


def typed(formula):
    """A formula in one line, as it is typed: e^ε, (1 − π)/π, √(2n). Indices stand beside their letters."""
    parts = [typed(part) for part in formula.iter(include_text=True)]
    match formula.tag:
        case "-text":
            return formula.text()
        case "msup" | "msubsup" if re.search(r"\w", parts[-1]):
            return f"{''.join(parts[:-1])}^{grouped(parts[-1])}"
        case "mfrac":
            return "/".join(map(grouped, parts))
        case "msqrt":
            return f"√{grouped(''.join(parts))}"
        case "mtr" | "mspace":
            return "".join(parts) + " "
    return "".join(parts)


def grouped(text):
    text = plain(text).strip()
    return text if re.fullmatch(r"[−-]?\w+|\(.*\)", text) else f"({text})"


def plain(text):
    """Letters of formulas as letters of a text: no selectors, no signs for what is not written."""
    return re.sub("[\N{VARIATION SELECTOR-1}\u2061-\u2064]", "", text)
