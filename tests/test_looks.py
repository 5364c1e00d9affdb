"""Of the tests that look at every explorer `make test` runs a fixed part, in which every explorer has its turn."""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import dptutor as dp

ROOT = Path(__file__).resolve().parent.parent


def collected(*options):
    """Cases of tests that look, by explorer."""
    files = [file for file in (ROOT / "tests").glob("test_*.py") if "mark.look" in file.read_text(encoding="utf-8")]
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-m", "look", *files, *options]
    plain = os.environ | {"PYTEST_ADDOPTS": ""}  # options of the run itself would change what is said
    said = subprocess.run(command, cwd=ROOT, env=plain, capture_output=True, text=True).stdout
    cases = [line.partition("[")[2].rstrip("]").split("-") for line in said.splitlines() if "::" in line]
    return Counter(part for case in cases for part in case if part in dp.explore.__all__)


def test_every_explorer_is_in_the_fixed_part_and_make_look_has_all():
    part, whole = collected(), collected("--look")
    assert set(part) == set(whole) == set(dp.explore.__all__)
    assert len(set(whole.values())) == 1
    assert part.total() * 4 < whole.total()
