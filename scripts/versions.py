"""Runs the tests of the library against the oldest and the newest packages that the metadata allow.

    python scripts/versions.py                          every Python of the classifiers that is found here
    python scripts/versions.py 3.12                     these alone
    python scripts/versions.py -- tests/test_plots.py   what follows the dashes goes to pytest in place of FILES

The oldest Python runs with the oldest packages, all others with the newest. Environments are made in _build/versions
from the package index. What needs a browser, the book, the notebooks or another accountant, which has wishes of its own
about versions, is left to `make test`.
"""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from content import BUILD, ROOT, environment

FOLDER = BUILD / "versions"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
TOOLS = ["pytest", "pytest-xdist", "hypothesis", "mpmath", "python-flint"]
# Need the notebooks, the book's sources, what builds them, Linux, or a type checker; those that need a browser or the
# book say so themselves.
OTHERWISE = "anywhere classroom formulas habits package prose setup teaching types"
BROWSER = re.compile(r"def \w+\([^)]*\b(chromium|new_page|site|site_url|jupyterlab|window)\b")
FILES = sorted(
    f"tests/{path.name}"
    for path in (ROOT / "tests").glob("test_*.py")
    if path.stem.removeprefix("test_") not in OTHERWISE.split() and not BROWSER.search(path.read_text(encoding="utf-8"))
)


def main(arguments) -> int:
    """Runs what is asked for, prints a line for each Python, and fails if one did."""
    given, _, rest = " ".join(arguments).partition("--")
    unknown = [version for version in given.split() if version not in versions()]
    if unknown:
        print(f"Python {unknown[0]} is not in the classifiers, which list {', '.join(versions())}.")
        return 2
    rows = [tried(version, rest.split() or FILES) for version in given.split() or versions()]
    print("\n".join(f"{version:<8}{packages:<72}{result}" for version, packages, result, _ in rows))
    return max(code for *_, code in rows)


def versions() -> list[str]:
    """The Pythons that the metadata name, oldest first."""
    found = [re.search(r":: Python :: (3\.\d+)$", line) for line in PROJECT["classifiers"]]
    return sorted((match[1] for match in found if match), key=lambda version: int(version.split(".")[1]))


def needs(oldest: bool) -> list[str]:
    """What the package needs, in the oldest versions allowed or unbounded, so that pip takes the newest."""
    lines = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["audit"]]
    return [lowest(line) if oldest else line for line in lines]


def lowest(requirement: str) -> str:
    """The oldest series that a requirement allows: of `scipy>=1.15` it is `scipy==1.15.*`."""
    name, major, minor = re.fullmatch(r"([\w-]+)>=(\d+)(?:\.(\d+))?", requirement).groups()
    return f"{name}=={major}.{minor or 0}.*"


def interpreter(version: str) -> str | None:
    """The path of a Python that runs and is of this version."""
    kept = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
    for path in [shutil.which(f"python{version}"), *map(str, reversed(kept))]:
        ask = [path or "", "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
        if path and subprocess.run(ask, capture_output=True, text=True).stdout.strip() == version:
            return path
    return None


def tried(version: str, tests: list[str]) -> tuple:
    """Version, packages, what pytest says in the end, and whether that is a failure."""
    base = interpreter(version)
    if base is None:
        return version, "", "not found here", 0
    pins = (ROOT / "tests" / "requirements.txt").read_text(encoding="utf-8").splitlines()
    tools = [line for line in pins if line.partition("==")[0] in TOOLS]
    python = environment(FOLDER / version, base, *needs(oldest=version == versions()[0]), *tools)
    names = [re.match(r"[\w-]+", line)[0] for line in PROJECT["dependencies"]]
    code = "import sys, importlib.metadata as m; print(', '.join(f'{n} {m.version(n)}' for n in sys.argv[1:]))"
    packages = subprocess.run([python, "-c", code, *names], capture_output=True, text=True, check=True).stdout.strip()
    print(f"Python {version}: {packages}", flush=True)
    options = ["-x", "-q", "-n", "2", "--dist", "loadfile", "-p", "no:cacheprovider", "-m", "not peer"]
    command = [python, "-m", "pytest", *options, *tests]
    own = {"PYTHONPATH": str(ROOT), "DPTUTOR_TABLES": str(FOLDER / version / "tables"), "MPLBACKEND": "agg"}
    run = subprocess.run(command, cwd=ROOT, env=os.environ | own, stdout=subprocess.PIPE, text=True)
    lines = run.stdout.strip().splitlines() or [""]
    if run.returncode:
        print("\n".join(lines[-60:]))
    return version, packages, lines[-1].strip("= "), int(run.returncode != 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
