"""Pins the versions that are installed and tried: writes three files from the groups in pyproject.toml.

    python scripts/pinning.py             what is pinned stays, unless it no longer fits
    python scripts/pinning.py --newest    everything as new as pyproject.toml allows

requirements.txt has what the library and the book ask for, tests/requirements.txt what only tests and benchmarks ask
for, constraints.txt everything that these need in turn, on any system and any Python from 3.11 on.
"""

import os
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from content import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

# Each file: how it begins, and what is asked for in it, a paragraph each; the rest of what is needed is in the last.
FILES = {
    "requirements.txt": (
        "# What the library needs, what builds the book, what runs the notebooks.\n-c constraints.txt\n-e .\n",
        ["", "book", "notebooks"],
    ),
    "tests/requirements.txt": (
        "# What only the tests and the benchmarks need, on top of ../requirements.txt.\n-c ../constraints.txt\n",
        ["tests", "peers"],
    ),
}
REST = "constraints.txt"
REST_HEAD = "# What the packages need that are asked for, and what installs them; see scripts/pinning.py.\n"


def main(arguments: list[str]) -> int:
    """Writes the files; fails if no versions fit together, or the index cannot be reached."""
    if arguments not in ([], ["--newest"]):
        print(__doc__)
        return 2
    if (pins := resolved(newest=bool(arguments))) is None:
        return 1
    for name, text in written(pins).items():
        (ROOT / name).write_text(text, encoding="utf-8")
    return 0


def group(name: str) -> dict[str, Requirement]:
    """What a group of pyproject.toml asks for, by package; without a name, what the library does."""
    lines = PROJECT["dependency-groups"][name] if name else PROJECT["project"]["dependencies"]
    return {named(line): Requirement(line) for line in lines}


def wanted(name: str) -> dict[str, Requirement]:
    """What is asked for in a file."""
    return {package: each for part in FILES[name][1] for package, each in group(part).items()}


def pins_of(name: str) -> list[str]:
    """The pins of a file, without its head and its remarks."""
    lines = (line.split("#")[0].strip() for line in (ROOT / name).read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line and not line.startswith("-")]


def resolved(*, newest: bool = False) -> dict[str, str] | None:
    """A pin for everything needed; None if there is no solution or no index, as uv says on stderr."""
    with tempfile.TemporaryDirectory() as folder:
        lock = Path(folder) / "lock.txt"
        if not newest:  # which uv keeps where it can
            lock.write_text("\n".join(pin for name in (*FILES, REST) for pin in pins_of(name)), encoding="utf-8")
        groups = [part for name in PROJECT["dependency-groups"] for part in ("--group", name)]
        options = ["--universal", "--python-version", "3.11", "--no-header", "--no-annotate", "--quiet"]
        command = [Path(sys.executable).parent / "uv", "pip", "compile", "pyproject.toml", *groups, *options]
        environment = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
        if subprocess.run([*command, "-o", lock], cwd=ROOT, env=environment, stdout=subprocess.DEVNULL).returncode:
            return None
        return {named(line): line for line in lock.read_text(encoding="utf-8").splitlines()}


def written(pins: dict[str, str]) -> dict[str, str]:
    """The text of every file."""
    left, texts = dict(pins), {}
    for name, (head, parts) in FILES.items():
        paragraphs = ["\n".join(left.pop(package) for package in group(part)) for part in parts]
        texts[name] = "\n".join([head, "\n\n".join(paragraphs), ""])
    texts[REST] = REST_HEAD + "".join(f"{pin}\n" for _, pin in sorted(left.items()))
    return texts


def named(requirement: str) -> str:
    """The package that a line is about, as all spell it."""
    return canonicalize_name(re.match(r"[\w.-]+", requirement)[0])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
