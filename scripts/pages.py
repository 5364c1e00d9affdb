"""A Sphinx extension: what a page of the site is made of, around and inside its text.

It registers the theme in book/_theme, and writes the few elements that Sphinx and its extensions write in a way that
keeps a reader waiting or leaves a screen reader without a name. What several pages need (scripts, styles, tables of
explorers) is taken out of their text into files. Everything a page runs or loads is the site's own; the policy in its
head says so. From a folder, where a browser opens no module and fetches no file, all of it works as well: scripts are
classic, and tables come as scripts.
"""

import base64
import hashlib
import json
import math
import re
from html import escape
from pathlib import Path

from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode
from selectolax.lexbor import LexborHTMLParser
from sphinx import addnodes
from sphinx.writers.html5 import HTML5Translator
from sphinx_proof.nodes import NODE_TYPES

import asking
import cards
import dptutor as dp
import embedding
import gallery
import moved
import previews
import searching
import sharing
import telling
from dptutor import __version__
from dptutor.explore.machinery.page import SCRIPTS, STYLES

ROOT = Path(__file__).resolve().parent.parent
STATIC = ROOT / "book" / "_static"

# Before anything is drawn: light or dark as the reader chose, or as the reader's system is; whether the page opens at
# its top, so that what stands below may be drawn a moment later; and letters are asked for before the style sheet names
# them, but not from a folder, where that is refused. Nothing is shown until they are there, or for a good second: in
# other letters lines break elsewhere, and the page would move under the reader.
FIRST_SCRIPT = """\
(({ documentElement: page, head, currentScript: { dataset } }) => {
  let theme;
  try { theme = localStorage.getItem("theme"); } catch { /* nothing is kept here */ }
  page.dataset.theme = theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  page.toggleAttribute("data-from-top", !location.hash);
  if (location.protocol === "file:") return;
  page.toggleAttribute("data-waits", true);
  const come = dataset.fonts.split(" ").map((href) => new Promise((done) => {
    const link = document.createElement("link");
    Object.assign(link, { rel: "preload", as: "font", type: "font/woff2", crossOrigin: "", href });
    link.onload = link.onerror = done;
    head.append(link);
  }));
  Promise.race([Promise.all(come), new Promise((over) => setTimeout(over, 1200))])
    .then(() => page.removeAttribute("data-waits"));
})(document)"""
POLICY = "; ".join(
    [
        "default-src 'none'",
        f"script-src 'self' 'sha256-{base64.b64encode(hashlib.sha256(FIRST_SCRIPT.encode()).digest()).decode()}'",
        "style-src 'self' 'unsafe-inline'",  # attributes of formulas and figures
        "img-src 'self' data: blob:",
        "font-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
    ]
)
# Those that the first screen of nearly every page needs; others come when a letter of theirs does.
FONTS = [
    "stix-two-text-latin-400-normal.woff2",
    "stix-two-text-latin-400-italic.woff2",
    "stix-two-text-latin-600-normal.woff2",
    "source-sans-3-latin-400-normal.woff2",
    "stix-two-math.woff2",
]

# What is in a page because it might stand alone, and on this site is a file: marked by `data-shared`.
NUMERALS, SHELF, PEN = (f"dptutor/explore/machinery/{name}.js" for name in ("numerals", "shelf", "pen"))
ANSWERS = [SHELF, "book/answers.js"]
PARTS = {
    "explorer": (
        [f"dptutor/explore/machinery/{name}" for name in STYLES],
        [f"dptutor/explore/machinery/{name}" for name in SCRIPTS],
    ),
    "questions": (
        ["dptutor/exercises/judging/questions.css"],
        [NUMERALS, SHELF, "dptutor/exercises/judging/questions.js"],
    ),
    "ask": (["book/asking.css"], [NUMERALS, *ANSWERS, PEN, "book/sketching.js", "book/asking.js"]),
    "story": (["book/telling.css"], ["book/telling.js"]),
    "run": (
        ["book/your_run.css"],
        [
            NUMERALS,
            *(f"book/accountant/{name}.js" for name in ("numbers", "transform", "laws", "accountant")),
            "book/your_run.js",
        ],
    ),
    "map": ([], ["book/_static/map.js"]),
    "front": (["book/front.css"], ["book/accountant/numbers.js", "book/front.js"]),
}
ASIDE = "In the library:"
EXPLORERS = {name: escape(getattr(dp.explore, name).title) for name in dp.explore.__all__}
RUN_THIS = "<p>Run the cells down to this one, and the picture can be moved.</p>"
STATEMENTS = tuple(NODE_TYPES.values())
# What joins modules, of which one script has no need.
IMPORT = re.compile(r"^export default .*$|^import \{[^}]*\} from \"[^\"]*\";$", re.MULTILINE)
EXPORT = re.compile(r"^export \{([^}]*)\};$", re.MULTILINE)
# What is written for who reads the source; it would be a fifth of what is sent.
REMARK = {".js": re.compile(r"^ *//.*\n", re.MULTILINE), ".css": re.compile(r"/\*.*?\*/\n?", re.DOTALL)}


def setup(app):
    app.add_html_theme("dptutor", str(ROOT / "book" / "_theme"))
    app.set_translator("html", Translator, override=True)
    app.add_node(HideCodeCellNode, override=True, html=(visit_hidden_code, depart_hidden_code))
    app.connect("builder-inited", shared_files)
    app.add_config_value("report_errors", "", "html")
    app.connect("html-collect-pages", lambda app: [
        ("search", {"title": "Search", "toc": ""}, "search.html"),
        (sharing.LOST, {"title": "No such page", "toc": ""}, "404.html"),
    ])  # fmt: skip
    app.connect("doctree-resolved", opening)
    app.connect("doctree-resolved", asides)
    app.connect("doctree-resolved", later)
    app.connect("html-page-context", context_of)
    app.connect("build-finished", finished)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


# Files that pages share.


def shared_files(app):
    """Scripts and styles that are the library's, among the static files: the styles at the end of the site's own."""
    app.builder.search = False  # searching.py makes the index, of what a reader sees
    folder = Path(app.doctreedir) / "shared"
    folder.mkdir(parents=True, exist_ok=True)
    sheet = [(STATIC / "site.css").read_text(encoding="utf-8")]
    for name, (styles, scripts) in PARTS.items():
        sheet += map(source, styles)
        write(folder / f"{name}.js", classic(map(source, scripts)))
    write(folder / "site.css", REMARK[".css"].sub("", "\n".join(sheet)))
    write(folder / "site.js", classic(map(source, [*ANSWERS, "book/_static/site.js"])))
    for name in ("search.js", "moved.js"):
        write(folder / name, REMARK[".js"].sub("", (STATIC / name).read_text(encoding="utf-8")))
    app.config.html_static_path.append(str(folder))  # the later one wins
    places = [folder, STATIC]
    app.title_of = {}
    app.version_of = {
        file.name: digest(file.read_bytes()) for place in reversed(places) for file in place.glob("*.*s*")
    }


def source(name):
    return (ROOT / name).read_text(encoding="utf-8")


def classic(modules):
    """Modules as one script, of the kind that a page opened from a disk may load. Those that say what they export keep
    all else to themselves."""
    joined = "".join(enclosed(IMPORT.sub("", module)) for module in modules)
    return "(() => {\n" + REMARK[".js"].sub("", joined) + "})();\n"


def enclosed(module):
    exported = EXPORT.search(module)
    if not exported:
        return module
    return f"const {{{exported[1]}}} = (() => {{\n{EXPORT.sub('', module)}return {{{exported[1]}}};\n}})();\n"


def digest(content):
    return hashlib.sha256(content).hexdigest()[:8]


def write(path, text):
    """Only if it is new: what did not change keeps its time, by which Sphinx judges."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


# A page.


def context_of(app, page, template, context, doctree):
    body = context.get("body", "")
    if page.startswith("notebooks/"):
        body = context["body"] = without_kernel(body)
    needed = [f"{name}.js" for name in PARTS if f"dptutor-{name}" in body]
    if page in {"search", sharing.LOST}:
        needed.append("search.js")
    context |= sharing.context(
        page,
        LexborHTMLParser(context.get("title") or page).text(),
        body,
        app.config.html_baseurl,
        app.config.report_errors,
    )
    if away := moved.away(app.env, page, doctree):
        needed.append("moved.js")
        context["moved"] = [there | link_to(app, page, there["page"]) for there in away]
    context |= neighbors(app, page) | {
        "parts": parts(app, page),
        "explorers": explorers_of(body),
        "policy": POLICY,
        "first_script": FIRST_SCRIPT,
        "fonts": FONTS,
        "scripts": ["site.js", *needed],
        "version_of": app.version_of,
        "sections": context.get("display_toc"),
        "version": __version__,
    }


def neighbors(app, page):
    """Before and after a chapter are chapters, and of a lecture lectures; what goes with it is beside it."""
    notebook = re.match(r"notebooks/(\d\d)_(lecture|exercises)$", page)
    if not notebook and not page.startswith("book/"):
        return {}
    order = app.env.collect_relations()
    found = {"beside": []}

    def alike(other):
        return other.endswith(f"_{notebook[2]}") if notebook else not other.startswith("notebooks/")

    for side, step in (("prev", 1), ("next", 2)):
        other = order.get(page, [None] * 3)[step]
        while other and not alike(other):
            other = order[other][step]
        found[side] = link_to(app, page, other)
    number = notebook[1] if notebook else page[5:7]
    chapter = next((doc for doc in app.env.found_docs if notebook and doc.startswith(f"book/{number}_")), page)
    for kind, other in {"chapter": chapter, **{k: f"notebooks/{number}_{k}" for k in ("lecture", "exercises")}}.items():
        if other != page and other in app.env.found_docs:
            found["beside"].append({**link_to(app, page, other), "kind": kind.capitalize()})
    return found


def without_kernel(body):
    """Where no cell can be run, a still explorer leads to the one that moves."""
    for name, title in EXPLORERS.items():
        still = re.compile(f"(<strong>{re.escape(title)}</strong>.*?){RUN_THIS}", re.DOTALL)
        body = still.sub(rf'\1<p class="move"><a href="../embed/{name}.html">Move this picture</a></p>', body)
    return body


def parts(app, page):
    """The contents of the book as links from a page: captions, their pages, and what goes with each page."""

    def entry(other):
        below = [entry(each) for each in app.env.toctree_includes.get(other, [])]
        open_ = other == page or any(each["open"] for each in below)
        return {**link_to(app, page, other), "here": other == page, "open": open_, "below": below}

    for caption, pages in contents(app):
        yield caption, [entry(other) for other in pages]


def contents(app):
    """The captions of the contents, each with the pages below it."""
    for tree in app.env.tocs[app.config.root_doc].findall(addnodes.toctree):
        yield tree.get("caption"), [other for _, other in tree["entries"] if other in app.env.titles]


def link_to(app, page, other):
    if not other:
        return None
    if other not in app.title_of:
        app.title_of[other] = app.builder.render_partial(app.env.titles[other])["title"]
    return {"link": app.builder.get_relative_uri(page, other) or "#", "title": app.title_of[other]}


def explorers_of(body):
    """The explorers of a page: their names and questions."""
    tree = LexborHTMLParser(body)
    asked = (
        (explorer.attributes.get("id"), explorer.css_first(".dpe-find strong"))
        for explorer in tree.css("[data-explorer]")
    )
    return [(name, question.inner_html) for name, question in asked if name and question]


def opening(app, page, name):
    """The title of a chapter or of the book, and beside it what comes before anything else: a situation."""
    if not re.match(r"book/(\d|intro$)", name):
        return
    chapter = page.next_node(nodes.section)
    end = next((place for place, part in enumerate(chapter) if place and not isinstance(part, nodes.paragraph)), 1)
    title, lead = chapter[0], chapter[1:end]
    # How tall it will be on a wide page: the first picture takes the height that is left.
    lines = sum(26 * math.ceil(len(part.astext()) / 84) + 8 for part in lead)
    chapter["opening"] = max(lines, 22 + 40 * math.ceil(len(title.astext()) / 22))
    if isinstance(title[0], nodes.Text) and (number := re.match(r"(\d+) ", title[0])):
        title[0:1] = [
            nodes.inline("", f"Chapter {number[1]}", classes=["chapter"]),
            nodes.Text(title[0][number.end() - 1 :]),
        ]
    start, between, stop = (
        nodes.raw("", html, format="html")
        for html in (f'<div class="opening{" front" * name.endswith("intro")}">', '<div class="lead">', "</div></div>")
    )
    chapter[0:end] = [start, title, between, *lead, stop]


def asides(app, page, name):
    """Where the library has what a statement says is told beside the text."""
    for paragraph in list(page.findall(nodes.paragraph)):
        start = next((k for k, part in enumerate(paragraph) if isinstance(part, nodes.Text) and ASIDE in part), None)
        if start and isinstance(paragraph.parent.parent, STATEMENTS):  # at the end of a statement
            before, _, after = paragraph[start].partition(ASIDE)
            rest = nodes.paragraph("", nodes.Text(ASIDE + after), *paragraph[start + 1 :])
            paragraph[start:] = [nodes.Text(before.rstrip())]
            paragraph.parent.insert(paragraph.parent.index(paragraph) + 1, rest)
    for paragraph in [one for one in page.findall(nodes.paragraph) if one.astext().startswith(ASIDE)]:
        around = paragraph.parent
        after = around[around.index(paragraph) + 1 :][:1]
        if after and after[0].astext().startswith("See also "):
            around.remove(after[0])
            paragraph += [nodes.raw("", "<br>", format="html"), *after[0].children]
    for paragraph in page.findall(nodes.paragraph):
        if paragraph.astext().startswith((ASIDE, "See also ")):
            paragraph["classes"].append("aside")


def later(app, page, name):
    """Explorers below the first section are drawn when they come near the screen."""
    for cell in page.findall(nodes.container):
        below = "cell" in cell["classes"] and isinstance(cell.parent.parent, nodes.section)
        if below and any("data-explorer" in raw.astext() for raw in cell.findall(nodes.raw)):
            cell["classes"].append("later")


class Translator(HTML5Translator):
    """Writes pages as Sphinx does, but for what stands here."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.explorers = []

    def visit_raw(self, node):
        text = node.astext()
        if "html" not in node.get("format", "").split() or "data-shared" not in text:
            return super().visit_raw(node)
        self.body.append(self.starttag(node, "div") + self.shared(text) + "</div>\n")
        raise nodes.SkipNode

    def shared(self, text):
        """A piece of a page without what other pages have as well; tables but the first explorer's are a file."""
        piece = LexborHTMLParser(text, is_fragment=True)
        for part in piece.css("style[data-shared], script[data-shared=script]"):
            part.decompose()
        up = "../" * self.builder.current_docname.count("/")
        for explorer in piece.css("[data-explorer]"):
            name = explorer.attributes["data-explorer"]
            explorer.attrs["data-embed"] = f"{up}{embedding.FOLDER}/{name}.html"
            if name not in self.explorers:  # the one that links lead to
                explorer.attrs["id"] = f"explorer-{name}"
            self.explorers.append(name)
        for tables in piece.css("script[data-shared=tables]"):
            explorer, packed = tables.parent, tables.text()
            if explorer.attributes["data-explorer"] == self.explorers[0] and len(self.explorers) > 1:
                tables.decompose()  # it is in the page already
            elif len(self.explorers) > 1:
                name = f"{explorer.attributes['data-explorer']}-{digest(packed.encode())}"
                script = f"(globalThis.dptutorTables ??= new Map()).set({json.dumps(name)}, {json.dumps(packed)});\n"
                write(Path(self.builder.outdir) / "_static" / "tables" / f"{name}.js", script)
                explorer.attrs["data-tables"] = f"{up}_static/tables/{name}.js"
                tables.decompose()
        return piece.html

    def later(self, node):
        """What a browser draws when it comes near the screen; until then it is as tall as it will be."""
        tag, rest = self.body[-1].split(">", 1)
        tag = tag.replace('class="', 'class="later ', 1) if 'class="' in tag else f'{tag} class="later"'
        self.body[-1] = f'{tag} style="{height(node)}">{rest}'

    def visit_section(self, node):
        super().visit_section(node)
        if "opening" in node:
            self.body[-1] = self.body[-1].replace(">", f' style="--opening: {node["opening"]}px">', 1)
        if self.section_level in (2, 3) and isinstance(node.parent, nodes.section):
            self.later(node)

    def visit_desc(self, node):
        super().visit_desc(node)
        if not isinstance(node.parent, addnodes.desc_content):
            self.later(node)

    def visit_literal_block(self, node):
        if "output" in node["classes"] and "\n" not in node.astext().strip():
            node["classes"].append("one-line")
        super().visit_literal_block(node)

    def visit_image(self, node):
        """With its size, so that the text below does not move when it comes, and not before it is needed."""
        file = Path(self.builder.srcdir) / node["uri"]  # which will be its address
        super().visit_image(node)
        if self.body[-1].startswith("<img") and (size := picture_size(file)):
            more = (
                f'<img width="{size[0]}" height="{size[1]}" loading="lazy" decoding="async" style="--wide: {size[0]}px"'
            )
            self.body[-1] = self.body[-1].replace("<img", more, 1)

    def visit_table(self, node):
        self.body.append(f'<div class="table{" told" if tells(node) else ""}">')
        super().visit_table(node)

    def depart_table(self, node):
        super().depart_table(node)
        self.body.append("</div>\n")

    def visit_entry(self, node):
        """An empty cell of a header heads nothing."""
        super().visit_entry(node)
        if self.body[-1].startswith("<th") and not node.astext().strip():
            self.body[-1] = self.body[-1].replace("<th", "<td", 1)
            self.context[-1] = "</td>\n"

    def visit_citation(self, node):
        super().visit_citation(node)
        self.body[-1] = self.body[-1].replace('role="doc-biblioentry"', 'role="listitem"')  # the old role is given up

    def visit_desc_parameterlist(self, node):
        super().visit_desc_parameterlist(node)
        self.signature = len(self.body)

    def depart_desc_parameterlist(self, node):
        """The parameters of a long signature, a line each: no list of definitions, which would have to have terms."""
        super().depart_desc_parameterlist(node)
        lines = "".join(self.body[self.signature - 1 :])
        if "<dl>" in lines:
            for old, new in {"dl>": "div>", "<dd>": '<div class="sig-line">', "</dd>": "</div>"}.items():
                lines = lines.replace(old, new)
            self.body[self.signature - 1 :] = [lines]


def visit_hidden_code(writer, node):
    """Its summary says what it does; no other name is needed."""
    show, hide = (writer.encode(node[f"prompt_{what}"]) for what in ("show", "hide"))
    writer.body.append(
        f'<details class="hide {" ".join(node["classes"])}"><summary><span class="collapsed">{show}</span>'
        f'<span class="expanded">{hide}</span></summary>\n'
    )


def depart_hidden_code(writer, node):
    writer.body.append("</details>\n")


def height(node):
    """How tall a section will be, as style: letters of its text, and what has a height of its own in pixels."""
    letters = fixed = 0
    for part in node.findall():
        if isinstance(part, nodes.Text) and not isinstance(part.parent, nodes.raw):
            if isinstance(part.parent, nodes.literal_block):
                fixed += 22 * part.count("\n") + 60
            elif not folded(part, node):
                letters += len(part)
        elif isinstance(part, nodes.paragraph | nodes.math_block) and not folded(part, node):
            fixed += 18 if isinstance(part, nodes.paragraph) else 70
        elif isinstance(part, nodes.image):
            fixed += 0 if beside(part) else 420
        elif isinstance(part, nodes.raw) and "data-explorer" in part.astext():
            fixed += 750
        elif isinstance(part, asking.ask) and part["kind"] == "sketch":
            fixed += 470
        elif isinstance(part, telling.scene):
            fixed += 600
    return f"--letters: {letters}; --fixed: {fixed}px"


def beside(picture):
    """Whether it stands in the margin, beside the text."""
    while (picture := picture.parent) is not None:
        if "tag_margin" in picture.get("classes", ()):
            return True
    return False


def folded(part, section):
    """Whether it is in something folded away."""
    while (part := part.parent) is not None and part is not section:
        if part.get("design_component") == "dropdown" or isinstance(part, asking.reply):
            return True
    return False


def tells(table):
    """Whether a phone stacks the columns of a table: those of text, or calls behind two others."""
    rows = list(table.findall(nodes.row))
    columns, letters = len(rows[0]), sum(len(row.astext()) for row in rows)
    calls = any(each.next_node(nodes.literal) for row in rows for each in row[-1].findall(nodes.reference))
    return (columns >= 4 and letters > 80 * len(rows)) or (columns >= 3 and calls)


def picture_size(file):
    """Width and height of a picture in pixels: of a PNG, or of an SVG as matplotlib writes it; nothing of another."""
    if not file.is_file():
        return None
    with file.open("rb") as opened:
        start = opened.read(1000)
    if start[1:4] == b"PNG":
        return int.from_bytes(start[16:20]), int.from_bytes(start[20:24])
    found = re.search(rb'<svg[^>]* width="([\d.]+)pt" height="([\d.]+)pt"', start)
    return tuple(round(float(side) * 100 / 72) for side in found.groups()) if found else None  # 100 to an inch


def finished(app, error):
    """What a reader can search, and explorers alone, are what the pages have in the end."""
    if error is None and app.builder.format == "html":
        parts = {page: caption for caption, pages in contents(app) for page in pages}
        gallery.fill(Path(app.outdir), sorted(app.env.found_docs), parts)
        searching.index(Path(app.outdir), app.env.found_docs)
        previews.symbols(Path(app.outdir))
        embedding.embed(Path(app.outdir), sorted(app.env.found_docs), app.config.html_title)
        moved.write(Path(app.outdir), app.env, app.config.html_baseurl, POLICY, app.version_of["moved.js"])
        if app.config.html_baseurl:
            cards.write(Path(app.outdir), app.env.found_docs, app.config.html_title)
        sharing.write(Path(app.outdir), app.env.found_docs, app.config.html_baseurl, app.config.html_title)
