"""Each explorer alone on a page, `embed/NAME.html`, for other sites to show in an <iframe>.

The page is that of the book on which the explorer comes first, without all else: its files are loaded already, or soon.
"""

from html import escape
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser

FOLDER = "embed"
ALONE = """<!DOCTYPE html>
<html lang="en">{head}<body class="embedded"><main>{explorer}</main>
<p><a href="../{page}#explorer-{name}" target="_blank">{book}: {title}</a></p></body></html>
"""


def embed(site: Path, pages, book: str):
    """Writes the page of each explorer that one of the pages has, in their order."""
    (site / FOLDER).mkdir(exist_ok=True)
    done = set()
    for page in pages:
        file = site / f"{page}.html"
        if not file.is_file():
            continue
        tree = LexborHTMLParser(file.read_text(encoding="utf-8"))
        for explorer in tree.css("[data-embed]"):
            name = explorer.attributes["data-explorer"]
            if name not in done:
                done.add(name)
                text = alone(tree, explorer, f"{page}.html", book)
                target = site / FOLDER / f"{name}.html"
                if not target.is_file() or target.read_text(encoding="utf-8") != text:
                    target.write_text(text, encoding="utf-8")
    for file in (site / FOLDER).glob("*.html"):
        if file.stem not in done:
            file.unlink()


def alone(tree, explorer, page, book):
    title = explorer.css_first(".dpe-find strong").text()
    head = LexborHTMLParser(tree.head.html).head
    scripts = ", ".join(f"script[src*='{name}']" for name in ("questions", "ask.js", "story.js", "site.js"))
    for other in head.css(f"title, link[rel=prev], link[rel=next], {scripts}"):
        other.decompose()
    heading = tree.css_first("h1")
    for link in heading.css(".headerlink"):
        link.decompose()
    return ALONE.format(
        head=head.html.replace("</head>", f"<title>{escape(title)}</title></head>"),
        explorer=explorer.html,
        page=page,
        name=explorer.attributes["data-explorer"],
        book=escape(book),
        title=escape(" ".join(heading.text().split())),
    )
