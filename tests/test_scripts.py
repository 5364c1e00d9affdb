"""The scripts of explorers, function by function, in the browser that runs them."""

import math
import re

import pytest
from conftest import approx, each

from dptutor.explore.machinery.page import SCRIPTS, resource, script

pytestmark = pytest.mark.sources

NAMES = (
    "numberIn",
    "nearest",
    "short",
    "nearestOn",
    "clipped",
    "between",
    "alike",
    "eased",
    "heightAt",
    "overlap",
    "two",
    "valueAt",
    "shareOf",
    "thresholdOf",
    "levelsOf",
    "quantileAt",
    "areaOf",
    "columnsOf",
)


@pytest.fixture(scope="module")
def scripts(chromium):
    page = chromium.new_page()
    shared = f"Object.assign(globalThis, {{ {', '.join(NAMES)} }});"
    page.add_script_tag(content=re.sub(r"export default {[^}]*};", shared, script()), type="module")
    page.wait_for_function("typeof numberIn === 'function'")
    yield page
    page.close()


@each([("27", True, 0.27), ("27 %", True, 0.27), ("0.5 %", True, 0.005), ("27 %", False, 0.27), ("much", True, None)])
def test_a_share_that_is_shown_in_percent_may_be_typed_without_its_sign(written, percent, number, scripts):
    read = scripts.evaluate("([text, percent]) => { const x = numberIn(text, percent); return isNaN(x) ? null : x; }",
                            [written, percent])  # fmt: skip
    assert read == (None if number is None else approx(number, rel=1e-12))


def test_the_nearest_place_of_a_broken_line(scripts):
    line, at = [[0, 0], [10, 0], None, [20, 0], [20, 10]], "([line, q, apart]) => nearestOn(line, q, apart)"
    assert scripts.evaluate(at, [line, [4, 3], False]) == {"at": [4, 0], "index": 0, "distance": 3}
    assert scripts.evaluate(at, [line, [14, 0], False])["at"] == [10, 0]  # the gap is no part of it
    assert scripts.evaluate(at, [line, [25, 4], False]) == {"at": [20, 4], "index": 3, "distance": 5}
    assert scripts.evaluate(at, [line, [4, 3], True])["at"] == [0, 0]  # points, not what is between them
    assert scripts.evaluate(at, [[None], [1, 1], False]) is None


def test_a_segment_is_clipped_by_a_box(scripts):
    clip = "([a, b]) => clipped([a, b], [0, 0, 10, 10])"
    assert scripts.evaluate(clip, [[-5, 5], [15, 5]]) == [[0, 5], [10, 5]]
    assert scripts.evaluate(clip, [[5, -5], [5, 5]]) == [[5, 0], [5, 5]]
    assert scripts.evaluate(clip, [[-5, 12], [15, 12]]) is None
    assert scripts.evaluate(clip, [[-4, 4], [4, -4]]) == [[0, 0], [0, 0]]  # a corner


def test_what_glides_goes_from_here_to_there(scripts):
    assert scripts.evaluate("between([[0, 0], null], [[10, 20], [1, 1]], 0.25)") == [[2.5, 5], [1, 1]]
    assert scripts.evaluate("[alike([[0, 0]], [[1, 1]]), alike([[0, 0]], [null]), alike(null, [])]") == [
        True,
        False,
        None,
    ]
    assert scripts.evaluate("[0, 0.5, 1].map(eased)") == [0, 0.5, 1]
    assert scripts.evaluate("[...Array(99).keys()].every((k) => eased(k / 100) <= eased((k + 1) / 100))")


def test_the_height_of_a_line_and_a_common_area(scripts):
    assert scripts.evaluate("[-1, 0, 5, 10, 11].map((x) => heightAt([[0, 2], [10, 4]], x))") == [None, 2, 3, 4, None]
    assert scripts.evaluate("[overlap([0, 0, 4, 4], [2, 3, 9, 9]), overlap([0, 0, 1, 1], [1, 0, 2, 2])]") == [2, 0]
    assert scripts.evaluate("[two(0.0123), two(-4.56), two(12)]") == ["0.012", "−4.6", "12"]


@each(
    [
        ({"limits": [-2, 6]}, 2),
        ({"limits": [0.01, 100], "log": True}, 1),
        ({"limits": [-42, 42], "stretch": 1}, 0),
        ({"limits": [0, 10], "stretch": 2}, 2 * math.sinh(math.asinh(5) / 2)),
    ]
)
def test_an_axis_has_a_value_for_every_share_of_its_length_and_the_reverse(axis, middle, scripts):
    assert scripts.evaluate("axis => valueAt(axis, 0.5)", axis) == approx(middle, abs=1e-12)
    there_and_back = "axis => [0, 0.1, 0.5, 0.9, 1].map((share) => shareOf(axis, valueAt(axis, share)))"
    assert scripts.evaluate(there_and_back, axis) == approx([0, 0.1, 0.5, 0.9, 1], abs=1e-12)


def test_no_script_declares_what_another_does():
    declared = [line.split()[1].split("(")[0] for name in SCRIPTS for line in resource(name).splitlines()
                if line.startswith(("class ", "const ", "function ")) and not line.startswith("const {")]  # fmt: skip
    assert len(declared) == len(set(declared))


def test_a_players_threshold_is_in_the_middle_of_the_best(scripts):
    best = "([rounds, stops]) => thresholdOf(rounds.map(([answer, said]) => ({ answer, said })), stops)"
    stops = [0, 1, 2, 3, 4, 5]
    assert scripts.evaluate(best, [[[0.5, 0], [4.5, 1]], stops]) == {"stop": 2, "fits": 2}
    assert scripts.evaluate(best, [[[0.5, 0], [3.5, 1], [1.5, 1], [1.7, 1], [2.5, 0]], stops]) == {"stop": 1, "fits": 4}
    assert scripts.evaluate(best, [[[2, 0], [2, 1], [3, 1]], stops]) == {"stop": 1, "fits": 2}  # an answer on a stop
    assert scripts.evaluate(best, [[[0.5, 1], [4.5, 1]], stops]) is None


def test_dots_of_a_side_stand_on_each_other_where_they_would_touch(scripts):
    levels = "dots => levelsOf(dots.map(([x, side]) => ({ x, side })), 10)"
    assert scripts.evaluate(levels, [[0, True], [5, True], [5, False], [12, True], [9, True]]) == [0, 1, 0, 0, 2]


def test_quantiles_are_joined_by_straight_lines(scripts):
    at = "u => quantileAt([0.1, 0.5, 0.9], [-1, 0, 3], u)"
    assert [scripts.evaluate(at, u) for u in (0, 0.1, 0.3, 0.5, 0.8, 0.95)] == approx([-1, -1, -0.5, 0, 2.25, 3])


def test_a_pile_is_parted_at_the_threshold(scripts):
    assert scripts.evaluate("areaOf([[0, 0], [0, 2], [3, 2], [3, 0]])") == 6
    columns = "([places, cut]) => [...columnsOf(places, 1, cut).values()].map((c) => [c.from, c.to, c.over, c.count])"
    assert scripts.evaluate(columns, [[0.1, 0.2, 0.7, 1.5, -0.5], 0.5]) == [
        [0, 0.5, False, 2],
        [0.5, 1, True, 1],
        [1, 2, True, 1],
        [-1, 0, False, 1],
    ]
