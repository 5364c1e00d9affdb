"""Shows every explorer as an app of its own, by Voilà: python scripts/app.py [options of voila]"""

import os
import sys
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_notebook

import dptutor as dp
from notebooks import KERNEL

ROOT = Path(__file__).resolve().parent.parent
APPS = ROOT / "_build" / "app"
OPTIONS = ["--template=apps", "--classic-tree"]


def write(folder: Path):
    """A notebook for each explorer, of one cell; Voilà shows what comes of it and no code."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.ipynb"):
        old.unlink()
    for name in dp.explore.__all__:
        cell = new_code_cell(f"import dptutor as dp\n\ndp.explore.{name}()")
        nbformat.write(new_notebook(cells=[cell], metadata={"kernelspec": KERNEL}), folder / f"{name}.ipynb")


if __name__ == "__main__":
    write(APPS)
    os.environ["JUPYTER_PREFER_ENV_PATH"] = "1"
    os.environ["JUPYTER_PATH"] = str(ROOT / "scripts")  # where the template is
    os.execv(sys.executable, [sys.executable, "-m", "voila", str(APPS), *OPTIONS, *sys.argv[1:]])
