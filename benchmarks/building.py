"""How long an author waits until a changed sentence is in the built page.

    python -m benchmarks.building [PAGE ...]      # some pages, or a few chapters: 09_composition

Adds a word to the first section of a page, builds, sees whether the word is there, and takes it out again. The book
has to be built before. Times are of this machine; do nothing else on it meanwhile.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "_build" / "html"
LIMIT = 15.0  # seconds
WORD = "indubitably"


def waited(name: str) -> float:
    """Seconds from a change of a page of the book to its build."""
    source = ROOT / "book" / f"{name}.md"
    text = source.read_text(encoding="utf-8")
    opening = re.search(r"^## .+\n\n(?=[A-Z])", text, re.MULTILINE).end()
    try:
        source.write_text(f"{text[:opening]}{WORD.capitalize()}. {text[opening:]}", encoding="utf-8")
        start = time.perf_counter()
        build()
        seconds = time.perf_counter() - start
        if WORD.capitalize() not in (SITE / "book" / f"{name}.html").read_text(encoding="utf-8"):
            raise SystemExit(f"{name} was built without what was written")
    finally:
        source.write_text(text, encoding="utf-8")
    return seconds


def build():
    """What `make site` does."""
    done = subprocess.run([sys.executable, "scripts/book.py", "build"], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"the book does not build:\n{done.stderr}")


def main(names: list[str]) -> int:
    """Measures pages and prints a table; fails if one is beyond the limit."""
    build()
    beyond = 0
    for name in names or ["01_two_worlds", "07_delta_divergence", "09_composition", "11_dpsgd_in_practice"]:
        seconds = waited(name)
        beyond += seconds > LIMIT
        print(f"{name:34}{seconds:6.1f}{'*' if seconds > LIMIT else ' '}", flush=True)
    build()
    return 1 if beyond else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
