"""Old addresses lead to where their pages are now, at the same place, and are found nowhere else."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from conftest import pages_of
from selectolax.lexbor import LexborHTMLParser

import moved

SETTING = "two_offers?prior=0.75&noise_b=1.8&allowed=0.02"


@pytest.fixture(scope="module")
def leading(site):
    """The old addresses that no other page has taken."""
    return [old for old in moved.MOVED if moved.leads(site / f"{old}.html")]


@pytest.mark.parametrize("old", moved.MOVED)
def test_an_old_address_leads_to_its_page(site, site_url, new_page, leading, old):
    to = moved.MOVED[old]
    page = new_page()
    page.goto(f"{site_url}{old}.html")
    if old in leading:
        page.wait_for_url(f"{site_url}{to}.html")
    else:
        assert page.url == f"{site_url}{old}.html"
        (link,) = page.locator(".foot a[data-moved]").all()
        assert link.evaluate("link => link.href") == f"{site_url}{to}.html"
        place = link.get_attribute("data-moved").split()[0]
        page.goto(f"{site_url}{old}.html#{place}")
        page.reload()
        page.wait_for_url(f"{site_url}{to}.html#{place}")


@pytest.mark.parametrize(
    ("place", "now"),
    [("ask-14-same", "ask-20-same"), ("ex-14-1", "ex-20-1"), ("summary", "summary"), (SETTING, SETTING)],
)
def test_the_place_on_the_page_is_kept(site, site_url, new_page, place, now):
    page = new_page()
    page.goto(f"{site_url}book/14_capstone.html?from=class#{place}")
    page.wait_for_url(f"{site_url}book/20_capstone.html?from=class#{now}")
    assert page.locator(f"[id='{now.split('?')[0]}']").count() == 1 or place == SETTING
    page.go_back()  # not to the old address, from which one would come here again
    assert page.url == "about:blank"


def test_an_old_address_leads_on_without_a_server_and_without_scripts(site, site_url, new_page):
    page = new_page()
    page.goto((site / "book" / "14_capstone.html").as_uri() + "#ask-14-same")
    page.wait_for_url("file://**/book/20_capstone.html#ask-20-same")
    plain = new_page(java_script_enabled=False)
    plain.goto(f"{site_url}book/14_capstone.html")
    plain.wait_for_url(f"{site_url}book/20_capstone.html")


def test_a_page_that_leads_on_is_light_readable_and_whole(site, site_url, new_page, leading):
    assert leading
    for old in leading:
        text = (site / f"{old}.html").read_text(encoding="utf-8")
        tree = LexborHTMLParser(text)
        assert len(text) < 2000 and "default-src 'none'; script-src 'self'" in text
        there = [tree.css_first(part).attributes["href"] for part in ("link[rel=canonical]", "main a")]
        assert {(site / old).parent.joinpath(link).resolve() for link in there} == {site / f"{moved.MOVED[old]}.html"}
        page = new_page(strict=False)
        page.route("**/moved.js*", lambda route: route.abort())
        page.goto(f"{site_url}{old}.html")
        assert Axe().run(page).violations_count == 0
        assert len(page.seen.requests) == 2 and not page.seen.foreign


def test_an_old_address_is_neither_linked_nor_found(site, leading):
    index = (site / "_static" / "search-index.js").read_text(encoding="utf-8")
    for old in leading:
        name = re.escape(f"{old.split('/')[1]}.html")
        assert not re.search(name, index)
        assert not [file.name for file in pages_of(site) if re.search(f'href="[^"]*{name}', file.read_text("utf-8"))]


# To each page that was a part of a chapter, and each kind of place.
PARTS = [
    ("01_two_worlds.html#a-table-of-real-people", "one_table"),
    ("05_bayesian_adversary.html#ask-05-leaning", "one_table"),
    ("09_composition.html#thm-saddle", "exact_accountant"),
    ("10_emergent_dominance.html#prop-asymmetric-steps", "asymmetric_steps"),
    ("11_dpsgd_in_practice.html#ask-11-grid", "published_divergence"),
    ("12_identifiability.html#thm-exceedance", "beliefs_from_a_pair"),
    ("13_auditing.html#def-membership-inference", "weak_audits"),
    ("13_auditing.html#what-it-costs", "reproduction"),
    ("15_attacks.html#prop-attack-group", "more_attacks_reports"),
    ("20_capstone.html#ask-20-loader", "four_letters"),
    ("13_auditing.html#summary", "13_auditing"),  # has stayed
    ("01_two_worlds.html#ask-01-blind", "01_two_worlds"),  # is gone: what it asked about is still said
]


@pytest.mark.parametrize(("old", "now"), PARTS)
def test_a_place_that_has_left_its_chapter_leads_to_its_page(site_url, new_page, old, now):
    place = old.partition("#")[2]
    page = new_page()
    page.goto(f"{site_url}book/{old}")
    page.wait_for_url(f"{site_url}book/{now}.html#{place}")
    assert page.locator(f"[id='{place}']").count() == 1


def test_a_chapter_from_which_something_has_moved_says_so(site):
    for chapter, pages in moved.PARTED.items():
        file = site / f"{chapter}.html"
        links = LexborHTMLParser(file.read_text(encoding="utf-8")).css(".foot a[data-moved]")
        assert [file.parent.joinpath(link.attributes["href"]).resolve() for link in links] == [
            site / f"{to}.html" for to in pages
        ]


def test_a_page_that_has_taken_an_address_says_where_the_one_before_is(monkeypatch):
    """What `data-moved` names: the places that the page of today does not have."""
    from docutils import nodes

    def page(*ids):
        return nodes.section("", *(nodes.section(ids=[one]) for one in ids), ids=["top"])

    class Environment:
        def get_doctree(self, name):
            assert name == "notebooks/20_lecture"
            return nodes.container("", page("three-readings", "the-case"))

    today = nodes.container("", page("the-case", "shuffled"))
    (there,) = moved.away(Environment(), "notebooks/14_lecture", today)
    assert there == {"page": "notebooks/20_lecture", "whole": True, "places": "three-readings"}
    assert moved.away(Environment(), "search", None) == []  # which has no tree
