"""How long a reader of the site waits, and how much comes, by the benchmark of pages and its limits.

Tests share the machine, so times have wider limits here.
"""

import pytest

from benchmarks.pages import DESK, LIMITS, measured, packed


@pytest.fixture(scope="module")
def address(site):
    with packed(site) as address:
        yield address


def names(site):
    return [file.relative_to(site).with_suffix("").as_posix() for file in sorted(site.glob("*/*.html"))]


def test_every_page_is_light(site, address, chromium):
    heavy = {}
    for name in names(site):
        found = measured(chromium, address, name, slowed=False, scrolled=False, task=False)
        if found["html"] > LIMITS["html"] or found["visit"] > LIMITS["visit"]:
            heavy[name] = found
    assert not heavy


def test_tables_that_come_later_are_small(site):
    assert not [
        file.name for file in site.glob("_static/tables/*.js") if file.stat().st_size > 200_000
    ]  # 150 kB packed


@pytest.mark.parametrize("screen", [None, DESK])
def test_nothing_moves_while_a_chapter_loads_or_is_scrolled(site, address, chromium, screen):
    for name in [name for name in names(site) if name.startswith("book/")]:
        found = measured(chromium, address, name, slowed=False, task=False, **({"screen": screen} if screen else {}))
        assert found["shift"] < LIMITS["shift"], name


def test_a_slow_phone_answers(address, chromium):
    for name in ["book/01_two_worlds", "book/07_delta_divergence", "book/09_composition", "book/13_auditing"]:
        found = measured(chromium, address, name)
        assert found["task"] < 2 * LIMITS["task"], (name, found)
        assert found["slider"] < 3 * LIMITS["slider"], (name, found)
