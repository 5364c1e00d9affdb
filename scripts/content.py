"""What a build depends on, by content, and where builds keep what they need again."""

import hashlib
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "_build"
TABLES = BUILD / "tables"  # of explorers, by DPTUTOR_TABLES; see dptutor/explore/machinery/store.py


def digest(*names):
    """A digest of the content of files and folders, named from the root."""
    found = hashlib.sha256(sys.version.encode())
    for name in names:
        path = ROOT / name
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file() and not {"__pycache__", ".ipynb_checkpoints"} & set(file.parts):
                content = hashlib.sha256(file.read_bytes()).hexdigest()
                found.update(f"{file.relative_to(ROOT)} {content}\n".encode())
    return found.hexdigest()
