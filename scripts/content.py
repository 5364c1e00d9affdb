"""What a build depends on, by content, and what builds keep for the next: tables, runs of pages, environments.

Tables and runs are named by all that they come from. They are kept in the user's cache, for every checkout of the book.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "_build"
NO_SOURCE = {"__pycache__", ".ipynb_checkpoints", "progress-dptutor.json"}  # what runs leave beside the sources
CACHE = Path(
    os.environ.get("DPTUTOR_CACHE") or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "dptutor"
)
TABLES = CACHE / "tables"  # of explorers, by DPTUTOR_TABLES; see dptutor/explore/machinery/store.py
RUNS = CACHE / "runs"  # of pages; see scripts/running.py
KEPT = 30 * 24 * 3600  # seconds since the last use


def digest(*names):
    """A digest of the content of files and folders, named from the root."""
    found = hashlib.sha256(sys.version.encode())
    for name in names:
        path = ROOT / name
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file() and not NO_SOURCE & set(file.parts):
                content = hashlib.sha256(file.read_bytes()).hexdigest()
                found.update(f"{file.relative_to(ROOT)} {content}\n".encode())
    return found.hexdigest()


def forget():
    """Removes from the cache what has not been used for a month."""
    for file in [*TABLES.glob("*"), *RUNS.glob("*")]:
        if time.time() - file.stat().st_mtime > KEPT:
            file.unlink(missing_ok=True)


def environment(home, base, *wanted):
    """The Python of an environment in the folder `home`, made of the Python `base` with what pip is to install.

    It is kept as long as the same is wanted; of a file of requirements (`-r`, then its path) that is its content.
    """
    contents = [file.read_text(encoding="utf-8") for file in wanted if isinstance(file, Path)]
    state, ready = "\n".join([str(base), *map(str, wanted), *contents]), home / "ready"
    if not ready.exists() or ready.read_text(encoding="utf-8") != state:
        shutil.rmtree(home, ignore_errors=True)
        subprocess.run([base, "-m", "venv", home], check=True)
        install = [home / "bin" / "python", "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        subprocess.run([*install, *wanted], check=True)
        ready.write_text(state, encoding="utf-8")
    return home / "bin" / "python"
