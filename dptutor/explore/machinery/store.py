"""Packed tables kept in a folder, for repeated builds of pages; only if the environment names one.

`DPTUTOR_TABLES` is the folder. A file in it belongs to one state of this package, without other explorers and comments,
and of the packages that it computes with: when any of these changes, the table is made anew. A file has a line of JSON
and then the deflated numbers. Numbers that take long to compute (`remembered`) are kept beside them, one in each line.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterable
from functools import cache, lru_cache, wraps
from pathlib import Path

import matplotlib
import numpy
import scipy

FOLDER = "DPTUTOR_TABLES"
GALLERY = "dptutor.explore.gallery"
_PACKAGE = Path(__file__).resolve().parents[2]
# Files that no explorer uses, so that tables remain valid when an exercise changes.
_UNUSED = ("exercises/", "plots.py", "command.py", "__main__.py", "explore/__init__.py")


@cache
def state(explorer: str) -> str:
    """A digest of everything that an explorer's tables depend on."""
    found = hashlib.sha256(f"{sys.version} {numpy.__version__} {scipy.__version__} {matplotlib.__version__}".encode())
    needed = _with_imported(_PACKAGE / "explore" / "gallery" / f"{explorer}.py")
    for path in sorted(_PACKAGE.rglob("*.py")):
        name = path.relative_to(_PACKAGE).as_posix()
        other = path.parent.name == "gallery" and path not in needed
        if not other and not name.startswith(_UNUSED):
            found.update(f"{name} {_without_comments(path.read_bytes())}".encode())
    found.update((_PACKAGE / "releases.json").read_bytes())
    return found.hexdigest()[:32]


@cache
def _without_comments(source: bytes) -> str:
    return hashlib.sha256(ast.dump(ast.parse(source)).encode()).hexdigest()


def _with_imported(path: Path) -> set[Path]:
    """An explorer's file and those of the explorers that it imports."""
    if not path.is_file():  # an explorer that is not in the gallery
        return set()
    imported = re.findall(r"^from \.(\w+) import", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {path}.union(*(_with_imported(path.with_name(f"{name}.py")) for name in imported))


def kept(name: str, make: Callable[[], tuple[list[dict], bytes]]) -> tuple[list[dict], bytes]:
    """The result of `make`, from the folder if it is there; else it is made and kept."""
    folder = os.environ.get(FOLDER)
    if not folder:
        return make()
    path = _path(folder, name)
    if path.is_file():
        path.touch()
        head, payload = path.read_bytes().split(b"\n", 1)
        return json.loads(head), payload
    described, payload = make()
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:  # no file is ever left half written
        file.write(json.dumps(described).encode() + b"\n" + payload)
    os.replace(file.name, path)
    return described, payload


def remembered(function: Callable[..., float]) -> Callable[..., float]:
    """The function, called only once for each setting, even by several processes if these share a folder."""
    explorer = function.__module__.rpartition(".")[2]

    @lru_cache(maxsize=4096)
    @wraps(function)
    def asked(*setting):
        folder = os.environ.get(FOLDER)
        if not folder:
            return function(*setting)
        path = _path(folder, explorer, function.__name__)
        lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
        known = {tuple(setting): value for setting, value in map(json.loads, lines)}
        if setting not in known:
            known[setting] = function(*setting)
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("a", encoding="utf-8") as file:
                file.write(json.dumps([setting, known[setting]]) + "\n")
        return known[setting]

    return asked


def missing(names: Iterable[str]) -> list[str]:
    """The explorers whose tables the folder lacks."""
    return [name for name in names if not _path(os.environ[FOLDER], name).is_file()]


def _path(folder: str | Path, explorer: str, function: str = "") -> Path:
    """The file of an explorer's tables, or of the numbers of one of its functions."""
    return Path(folder) / f"{explorer}{'.' if function else ''}{function}-{state(explorer)}"
