"""Addresses at which pages once were: a small page leads from each to where its page is now, at the same place of it.

An address that another page has taken since is that page's. Its foot says where the earlier one is, and who comes for a
place that only that one has is led on. So is who comes for a place of a chapter that has become part of another page.
"""

import re
from html import escape
from pathlib import Path
from urllib.parse import urljoin

from docutils import nodes

MOVED = {
    "book/14_capstone": "book/20_capstone",
    "notebooks/14_lecture": "notebooks/20_lecture",
    "notebooks/14_exercises": "notebooks/20_exercises",
}
PARTED = {
    "book/01_two_worlds": ["book/one_table"],
    "book/02_tradeoff_functions": ["book/one_table"],
    "book/05_bayesian_adversary": ["book/one_table"],
    "book/06_blackwell_order": ["book/one_table"],
    "book/07_delta_divergence": ["book/one_table"],
    "book/09_composition": ["book/exact_accountant", "book/asymmetric_steps"],
    "book/10_emergent_dominance": ["book/asymmetric_steps", "book/published_divergence"],
    "book/11_dpsgd_in_practice": ["book/published_divergence"],
    "book/12_identifiability": ["book/beliefs_from_a_pair"],
    "book/13_auditing": ["book/weak_audits", "book/reproduction"],
    "book/14_batches": ["book/more_attacks_reports"],
    "book/15_attacks": ["book/more_attacks_reports"],
    "book/16_reports": ["book/more_attacks_reports"],
    "book/20_capstone": ["book/four_letters"],
}
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} has moved</title>
<link rel="canonical" href="{canonical}">
<script defer src="../_static/moved.js?v={version}"></script>
<noscript><meta http-equiv="refresh" content="0; url=../{page}.html"></noscript>
<style>:root{{color-scheme:light dark;font:1.1rem/1.5 system-ui,sans-serif;padding:2rem}}</style>
</head>
<body><main><h1>{title} has moved</h1>
<p>It is now at <a data-moved="" href="../{page}.html">{page}.html</a>.</p></main></body>
</html>
"""


def write(site: Path, env, address: str, policy: str, version: str):
    """Writes the pages that lead on."""
    for old, page in MOVED.items():
        if page in env.found_docs and old not in env.found_docs:
            text = PAGE.format(
                title=escape(env.titles[page].astext()),
                canonical=escape(urljoin(address, f"{page}.html") if address else f"../{page}.html"),
                page=page,
                policy=policy,
                version=version,
            )
            (site / f"{old}.html").write_text(text, encoding="utf-8")


def away(env, name: str, tree) -> list[dict]:
    """Pages with what once stood at an address, and their places that the page that is there now does not have."""
    pages = [(MOVED[name], True)] if name in MOVED else [(page, False) for page in PARTED.get(name, [])]
    return [
        {"page": page, "whole": whole, "places": " ".join(sorted(ids(env.get_doctree(page)) - ids(tree)))}
        for page, whole in pages
    ]


def ids(tree) -> set[str]:
    """The places on a page, without those that are only counted."""
    found = {id for node in tree.findall(nodes.Element) for id in node.get("ids", [])}
    return {id for id in found if not re.fullmatch(r"id\d+", id)}


def leads(file: Path) -> bool:
    """Whether a page only leads to another."""
    return f"{file.parent.name}/{file.stem}" in MOVED and 'data-moved=""' in file.read_text(encoding="utf-8")
