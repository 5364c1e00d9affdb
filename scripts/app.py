"""Shows every explorer as an app of its own, by Voilà: python scripts/app.py [options of voila]

The front page names them by their questions, chapter after chapter. The address of an app may hold settings, as the
links of the book do: /voila/render/duel.ipynb?sigma=2. What cannot be set is left as it is.
"""

import os
import re
import shutil
import sys
from html import escape
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_notebook

import dptutor as dp
from notebooks import KERNEL

ROOT = Path(__file__).resolve().parent.parent
APPS = ROOT / "_build" / "app"
LOOKS = ROOT / "_build" / "voila"  # Voilà's templates, with the front page
OPTIONS = ["--template=apps", "--classic-tree"]
CELL = """import os
from contextlib import suppress
from urllib.parse import parse_qsl

import dptutor as dp

explorer = dp.explore.{name}()
for parameter, text in parse_qsl(os.environ.get("QUERY_STRING", "")):
    for kind in (str, float):  # of an option, which may look like a number, or of a slider
        with suppress(TypeError, ValueError):  # no setting of this explorer
            explorer.set(**{{parameter: kind(text)}})
explorer"""


def write(folder: Path):
    """A notebook for each explorer, of one cell; Voilà shows what comes of it and no code."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.ipynb"):
        old.unlink()
    for name in dp.explore.__all__:
        cell = new_code_cell(CELL.format(name=name))
        nbformat.write(new_notebook(cells=[cell], metadata={"kernelspec": KERNEL}), folder / f"{name}.ipynb")


def chapters():
    """The title of each chapter, and the explorers that come first there."""
    found, done = {}, set()
    for page in sorted((ROOT / "book").glob("[0-9][0-9]_*.md")):
        text = page.read_text(encoding="utf-8")
        names = [name for name in dict.fromkeys(re.findall(r"dp\.explore\.(\w+)", text)) if name in dp.explore.__all__]
        if new := [name for name in names if name not in done]:
            found[re.search(r"^# (.+)$", text, flags=re.M)[1]] = new
            done.update(new)
    if others := [name for name in dp.explore.__all__ if name not in done]:
        found["Others"] = others
    return found


def front(folder: Path):
    """The templates, the front page with a heading for each chapter and a question for each explorer."""
    shutil.copytree(ROOT / "scripts" / "voila", folder, dirs_exist_ok=True)
    page = folder / "templates" / "apps" / "tree.html"
    parts = []
    for title, names in chapters().items():
        items = "".join(
            f'<li><a href="{{{{ base_url }}}}voila/render/{name}.ipynb">{escape(getattr(dp.explore, name).title)}</a>'
            f" <small>{name}</small></li>"
            for name in names
        )
        parts.append(f"<h2>{escape(title)}</h2>\n<ul>{items}</ul>")
    page.write_text(page.read_text(encoding="utf-8").replace("EXPLORERS", "\n".join(parts)), encoding="utf-8")


if __name__ == "__main__":
    write(APPS)
    front(LOOKS)
    os.environ["JUPYTER_PREFER_ENV_PATH"] = "1"
    os.environ["JUPYTER_PATH"] = str(LOOKS.parent)  # where the templates are
    os.execv(sys.executable, [sys.executable, "-m", "voila", str(APPS), *OPTIONS, *sys.argv[1:]])
