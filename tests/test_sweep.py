"""A fixed part of the sweep (`make sweep`): some settings of every kind against references in ball arithmetic."""

import pytest
from sweep.sweep import outcome, settings

STORED = settings()
KINDS = sorted({kind for kind, *_ in STORED})


def part(kind, count):
    """Settings of a kind, evenly spaced."""
    rows = [row for row in STORED if row[0] == kind]
    return [rows[i * len(rows) // count] for i in range(count)]


CHOSEN = [row for kind in KINDS for row in part(kind, 5)]


def test_there_are_a_thousand_references_with_little_error():
    assert len(STORED) >= 1000
    assert all(error <= 1e-9 for *_, error in STORED)
    for least, prefix in ((450, "dpsgd"), (200, "laplace"), (150, ("response", "approximate", "finite")), (200, "mix")):
        assert sum(kind.startswith(prefix) for kind, *_ in STORED) >= least


@pytest.mark.parametrize("setting", CHOSEN, ids=[text for _, text, *_ in CHOSEN])
def test_answers_keep_their_bounds_and_these_are_sharp(setting):
    found = outcome(setting)
    assert not found.wrong
    assert not found.dull
