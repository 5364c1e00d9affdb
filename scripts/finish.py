"""What happens to every page of the site after Sphinx has written it, once.

What the theme leaves nameless gets a name that a screen reader can say. Style sheets become one, as a browser shows
nothing before it has the last. Scripts wait until a page can be read, and a content security policy forbids the page
everything that is not its own: other hosts, scripts that were not there when it was built, plugins, frames, forms to
elsewhere.
"""

import base64
import hashlib
import html
import posixpath
import re
from pathlib import Path

META = '<meta http-equiv="Content-Security-Policy" content="'
CHARSET = '<meta charset="utf-8" />'
POLICY = [
    "default-src 'none'",
    "script-src 'self' {scripts}",
    "style-src 'self' 'unsafe-inline'",  # attributes of formulas, of figures, of the theme
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
]

SCRIPT = re.compile(r"<script\b([^>]*)>(.*?)</script>", re.DOTALL | re.IGNORECASE)
DATA = re.compile(r"\bsrc=|type=.(application|text)/")
HANDLER = re.compile(r"\son[a-z]+=\"([^\"]*)\"", re.IGNORECASE)
PRINT = "window.print()"  # on all pages but that of the search, which reads the others

FOLDED_CHAPTER = re.compile(r'(<a class="[^"]*" href="[^"]*">([^<]*)</a><details[^>]*><summary)>')
ICON = re.compile(r'<(i|span) (?=class="(?:theme-switch )?(?:fa-solid|fas) )')
LONG_SIGNATURE = re.compile(r'<dl>\n((?:<dd><em class="sig-param">.*</dd>\n)+)</dl>')
EMPTY_HEADER = re.compile(r"<th\b([^>]*)>\s*(?:<p>\s*</p>)?\s*</th>")
NAMES = {
    '<dialog id="pst-search-dialog"': "Search",
    '<dialog id="pst-primary-sidebar-modal"': "Contents of the book",
    '<dialog id="pst-secondary-sidebar-modal"': "Contents of the page",
    '<div id="pst-primary-sidebar" role="region"': "The book",
}

# Scripts in the page itself refer to what this one defines.
AT_ONCE = "documentation_options.js"
# It makes drawings of icons, which the style sheet has as letters of a font, and is a megabyte and a half.
IDLE = "fontawesome.js"
PRELOAD = re.compile(r'<link\b[^>]*\brel="preload"[^>]*>\s*')

STYLE = re.compile(r'<link\b(?=[^>]*\brel="stylesheet")[^>]*\bhref="((?:\.\./)*)([^"?]*)[^"]*"[^>]*>\s*')
STYLES = "_static/styles.css"
IMPORT = re.compile(r'@import "([^"]*)";')
# Of two thousand icons in the theme's style sheet those that it draws; every telephone would have to read them all.
ICONS = {
    "angle-left",
    "angle-right",
    "arrow-up",
    "bars",
    "chevron-down",
    "circle-half-stroke",
    "download",
    "expand",
    "file",
    "file-pdf",
    "list",
    "magnifying-glass",
    "moon",
    "sun",
}
LETTER = re.compile(r"(?:\.fa-[\w-]+:before,?)+\{content:[^}]*\}")
FILE = re.compile(r"""\burl\((['"]?)(?!data:|#)([^)'"]+)\1\)""")


def finish(site: Path):
    """Finishes all pages that are not."""
    for path in sorted(site.rglob("*.html")):
        text = path.read_text(encoding="utf-8")
        if "_static" not in path.relative_to(site).parts and META not in text and CHARSET in text:
            page = with_policy(with_patience(with_one_style(with_names(text), site)))
            path.write_text(page, encoding="utf-8")


def with_one_style(text: str, site: Path) -> str:
    """The page that asks for one style sheet: all that it asked for, in their order."""
    links = list(STYLE.finditer(text))
    sheet = '@charset "UTF-8";\n' + LETTER.sub(drawn, "".join(style(site, link[2]) for link in links))
    file = site / STYLES
    if not file.exists():
        file.write_text(sheet, encoding="utf-8")
    if file.read_text(encoding="utf-8") != sheet:
        raise ValueError("two pages ask for different style sheets")
    if unknown := set(re.findall(r'class="[^"]*\bfa-(?!solid|lg)([\w-]+)', text)) - ICONS:
        raise ValueError(f"ICONS in scripts/finish.py lacks {unknown}")
    version, start = hashlib.sha256(sheet.encode()).hexdigest()[:8], links[0].start()
    link = f'<link rel="stylesheet" href="{links[0][1]}{STYLES}?v={version}" />\n'
    return text[:start] + link + STYLE.sub("", text[start:])


def drawn(letters: re.Match) -> str:
    """The rule for the letter of an icon, if that icon is in use."""
    return letters[0] if any(name in ICONS for name in re.findall(r"fa-([\w-]+)", letters[0])) else ""


def style(site: Path, name: str) -> str:
    """A style sheet whose imports are in it, and whose files are named as seen from where all become one."""

    def named(address):
        return posixpath.normpath(posixpath.join(posixpath.dirname(name), address))

    sheet = (site / name).read_text(encoding="utf-8").replace('@charset "UTF-8";', "")
    sheet = FILE.sub(lambda found: f'url("{posixpath.relpath(named(found[2]), posixpath.dirname(STYLES))}")', sheet)
    return IMPORT.sub(lambda found: style(site, named(found[1])), sheet) + "\n"


def with_names(text: str) -> str:
    """The page whose landmarks, dialogs and folds have names; a cell of a table that heads nothing is no header."""
    text = text.replace('<div id="pst-primary-sidebar"', '<div id="pst-primary-sidebar" role="region"')
    for start, name in NAMES.items():
        text = text.replace(start, f'{start} aria-label="{name}"')
    text = FOLDED_CHAPTER.sub(r'\1 aria-label="Parts of \2">', text)
    text = text.replace('<summary aria-label="Toggle hidden content">', "<summary>")  # it says "Show the code"
    text = ICON.sub(r'<\1 aria-hidden="true" ', text)
    text = text.replace('role="doc-biblioentry"', 'role="listitem"')  # of a list; the old role is given up
    text = LONG_SIGNATURE.sub(lambda found: f"<div>\n{lines(found[1])}</div>", text)
    return EMPTY_HEADER.sub(r"<td\1></td>", text)


def lines(parameters: str) -> str:
    """The parameters of a long signature, a line each: no list of definitions, which would have to have terms."""
    return parameters.replace("<dd>", '<div class="sig-line">').replace("</dd>", "</div>")


def with_patience(text: str) -> str:
    """The page that asks for its scripts at its end, where they run in their order."""
    head, found, rest = text.partition("</head>")
    late = []

    def patient(match):
        attributes, content = match.groups()
        if "src=" not in attributes or AT_ONCE in attributes:
            return match[0]
        if IDLE not in attributes:
            deferred = re.search(r"\b(defer|async|module)\b", attributes)
            late.append(match[0] if deferred else f"<script defer{attributes}>{content}</script>")
        return ""

    head = PRELOAD.sub("", SCRIPT.sub(patient, head))
    body, end, after = rest.rpartition("</body>")
    return head + found + body + "\n".join([*late, end]) + after


def with_policy(text: str) -> str:
    """The page with a policy under which only the scripts in it run."""
    run = [code for attributes, code in SCRIPT.findall(text) if not DATA.search(attributes)]
    handlers = [PRINT, *(html.unescape(code) for code in HANDLER.findall(text))]
    allowed = ["'unsafe-hashes'", *sorted({f"'sha256-{digest(code)}'" for code in run + handlers})]
    policy = "; ".join(POLICY).format(scripts=" ".join(allowed))
    # A browser looks for the character set in the first kilobyte.
    return text.replace(CHARSET, f'{CHARSET}\n    {META}{policy}">', 1)


def digest(code: str) -> str:
    return base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
