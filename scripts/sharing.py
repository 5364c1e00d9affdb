"""What other sites are told about the pages: descriptions, cards to share, a map, a feed; a page for lost readers.

What needs the site's address is written only if `html: baseurl` in _config.yml names it. `report_errors` there is an
address ("mailto:…", or that of a form, such as "https://…/issues/new") to which a link on every page leads.
"""

import functools
import os
import re
import subprocess
from datetime import UTC, date, datetime
from html import escape
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from selectolax.lexbor import LexborHTMLParser

ROOT = Path(__file__).resolve().parent.parent
CARD, MAP, FEED, LOST = "_static/card.png", "sitemap.xml", "feed.xml", "404"
CARDS = "_static/cards"
PICTURES = "article [data-explorer], article img[src$='.svg']"
MOST = 200  # letters of a description


@functools.cache
def dated() -> str:
    """The day of the last change, as 2026-11-24; empty if nobody knows."""
    if epoch := os.environ.get("SOURCE_DATE_EPOCH"):
        return datetime.fromtimestamp(int(epoch), UTC).date().isoformat()
    command = ["git", "log", "-1", "--format=%cs"]
    try:
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def in_words(day: str) -> str:
    """November 24, 2026, of 2026-11-24."""
    if not day:
        return ""
    read = date.fromisoformat(day)
    return f"{read:%B} {read.day}, {read.year}"


def description(body: str) -> str:
    """The first sentences of a page, at most 200 letters of them."""
    article = LexborHTMLParser(body)
    for other in article.css("script, style, noscript, svg, [data-explorer], .headerlink, .ask, .admonition-title"):
        other.decompose()
    texts = (" ".join(plain(paragraph.text(deep=True)).split()) for paragraph in article.css("p"))
    text = next((text for text in texts if len(text) > 40), "")
    if len(text) <= MOST:
        return text
    sentences = re.match(rf"(.{{40,{MOST - 1}}}[.?!])\s", text)
    return sentences[1] if sentences else text[: MOST - 2].rsplit(" ", 1)[0] + " …"


def plain(text):
    return re.sub("[\N{VARIATION SELECTOR-1}\u2061-\u2064]", "", text)


def context(page: str, title: str, body: str, site: str, report: str) -> dict:
    """What the head and the foot of a page say."""
    day, about = dated(), description(body)
    if page.startswith("notebooks/"):  # which begin alike
        about = f"{title}. {about}"[:MOST]
    address = urljoin(site, "" if page == "index" else f"{page}.html") if site else ""
    return {
        "description": about,
        "address": address,
        "card": urljoin(site, f"{CARDS}/{page}.png" if pictured(body) else CARD) if site else "",
        "feed": urljoin(site, FEED) if site else "",
        "day": day,
        "day_in_words": in_words(day),
        "report": report,
    }


def pictured(body: str) -> bool:
    """Whether a page has a picture for its card."""
    return bool(LexborHTMLParser(f"<article>{body}</article>").css_first(PICTURES))


def write(site: Path, pages, address: str, title: str):
    """The files that name the site's address, and the page of lost readers."""
    lost = site / f"{LOST}.html"
    if lost.is_file():
        lost.write_text(
            from_anywhere(lost.read_text(encoding="utf-8"), urlsplit(address).path or "/"), encoding="utf-8"
        )
    if not address:
        return
    places = sorted(urljoin(address, f"{page}.html") for page in pages)
    changed = f"<lastmod>{dated()}</lastmod>" if dated() else ""
    lines = "\n".join(f"<url><loc>{escape(place)}</loc>{changed}</url>" for place in places)
    (site / MAP).write_text(
        f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{lines}\n</urlset>\n',
        encoding="utf-8",
    )
    (site / "robots.txt").write_text(f"User-agent: *\nAllow: /\nSitemap: {urljoin(address, MAP)}\n", encoding="utf-8")
    (site / FEED).write_text(
        feed((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), address, title), encoding="utf-8"
    )


def from_anywhere(html: str, top: str) -> str:
    """A page whose addresses hold wherever it is shown, since it stands for pages that do not exist."""

    def absolute(found):
        name, address = found.groups()
        return f'{name}="{address if re.match(r"[a-z]+:|/|#", address) else urljoin(top, address)}"'

    return re.sub(r'\b(href|src|data-search|action)="([^"]*)"', absolute, html)


def feed(changelog: str, address: str, title: str) -> str:
    """The versions of the changelog, as an Atom feed."""
    entries = []
    for name, day, text in re.findall(r"^## \[?([^\]\n]+?)\]?(?: - (\S+))?\n(.*?)(?=^## |\Z)", changelog, re.M | re.S):
        lines = re.sub(r"[`*]|^### ", "", text.strip(), flags=re.M)
        entries.append(
            f"<entry><id>{escape(address)}#{escape(name)}</id><title>{escape(name)}</title>"
            f"<updated>{day or dated() or '1970-01-01'}T00:00:00Z</updated>"
            f'<link href="{escape(address)}"/><content type="text">{escape(lines)}</content></entry>'
        )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">\n'
        f"<id>{escape(address)}</id><title>{escape(title)}</title>"
        f"<updated>{dated() or '1970-01-01'}T00:00:00Z</updated>"
        f'<author><name>the dptutor authors</name></author><link rel="self" href="{escape(urljoin(address, FEED))}"/>\n'
        + "\n".join(entries)
        + "\n</feed>\n"
    )
