"""Builds a JupyterLab of the notebooks that runs in a browser, without a server: _build/lite.

    python scripts/lite.py                             Python comes to the reader from cdn.jsdelivr.net
    python scripts/lite.py --pyodide FILE_OR_ADDRESS   it comes from the site: a whole distribution, pyodide-*.tar.bz2

The site holds JupyterLite, the notebooks, and as wheels dptutor and all it needs that Pyodide does not carry. The build
downloads from the package index only. Python itself, as WebAssembly, and numpy, scipy and matplotlib with it, are
Pyodide's: without --pyodide, the reader's browser fetches them from cdn.jsdelivr.net when a notebook is opened, so
that host learns of the visit. No other host is asked: a package that is in neither place is refused.

Not tested: that the notebooks run there, and how fast. The tests see the site's parts, not Pyodide.

    python -m http.server --directory _build/lite 8000      shows it; a file:// address does not
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

from content import BUILD, ROOT, environment

SITE = BUILD / "lite"
HOME = BUILD / "lite-env"
WORK = BUILD / "lite-work"
REQUIREMENTS = ROOT / "scripts" / "lite-requirements.txt"
# As wheels into the site: pure Python, and not among the packages of Pyodide.
WHEELS = ["ipywidgets", "anywidget", "jupyterlab-widgets", "comm", "psygnal"]
KERNEL = "@jupyterlite/pyodide-kernel-extension:kernel"
PYPI = "pypi/all.json"


def main(arguments) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pyodide", metavar="FILE|URL", help="a distribution of Pyodide to include in the site")
    pyodide = located(parser.parse_args(arguments).pyodide)
    if pyodide and "://" not in pyodide and not Path(pyodide).is_file():
        print(f"There is no file {pyodide}: --pyodide takes a pyodide-*.tar.bz2, or its address.")
        return 2
    python = environment(HOME, sys.executable, "-r", REQUIREMENTS)
    for folder in (SITE, WORK):
        shutil.rmtree(folder, ignore_errors=True)
    wheels = gather(python, WORK / "wheels")
    contents = WORK / "notebooks"
    contents.mkdir()
    for notebook in (ROOT / "notebooks").glob("*.ipynb"):  # and nothing that a run left beside them
        shutil.copy(notebook, contents)
    write_settings(WORK)
    command = [python, "-m", "jupyter", "lite", "build", "--lite-dir", WORK, "--output-dir", SITE]
    command += ["--contents", contents, "--piplite-wheels", wheels, "--no-sourcemaps", "--apps", "lab"]
    command += ["--pyodide", pyodide] if pyodide else []
    run = subprocess.run(command, cwd=WORK, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    problems = missing(SITE)
    if run.returncode or problems:
        print(run.stdout[-4000:], *problems, sep="\n")
        return 1
    print(f"The notebooks are in {SITE.relative_to(ROOT)}/")
    return 0


def located(pyodide: str | None) -> str | None:
    """A file as a whole path: the build runs elsewhere."""
    return pyodide if pyodide is None or "://" in pyodide else str(Path(pyodide).absolute())


def gather(python: Path, folder: Path) -> Path:
    """The wheels of the site: dptutor as it is here, and the pinned ones."""
    folder.mkdir(parents=True)
    # By way of the source distribution, which leaves nothing behind here.
    build = [python, "-m", "build", "--no-isolation", "--outdir", folder, ROOT]
    subprocess.run(build, check=True, stdout=subprocess.DEVNULL)
    pure = ["--no-deps", "--only-binary=:all:", "--implementation=py", "--abi=none", "--platform=any"]
    pip = [python, "-m", "pip", "download", "-q", "--disable-pip-version-check", *pure, "-d", folder, *pins()]
    subprocess.run(pip, check=True)
    return folder


def pins() -> list[str]:
    """The versions of WHEELS that are built with."""
    lines = REQUIREMENTS.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.partition("==")[0] in WHEELS]


def write_settings(folder: Path):
    """Packages come from the site or with Pyodide; what is in neither is refused, not asked for elsewhere."""
    data = {"appName": "dptutor", "litePluginSettings": {KERNEL: {"disablePyPIFallback": True}}}
    settings = {"jupyter-lite-schema-version": 0, "jupyter-config-data": data}
    (folder / "jupyter-lite.json").write_text(json.dumps(settings), encoding="utf-8")


def missing(site: Path) -> list[str]:
    """What a built site lacks, in words."""
    index = site / PYPI
    have = {canonical(name) for name in json.loads(index.read_text(encoding="utf-8"))} if index.exists() else set()
    lists = site / "api" / "contents" / "all.json"
    entries = json.loads(lists.read_text(encoding="utf-8"))["content"] if lists.exists() else []
    listed = {entry["name"] for entry in entries}
    notebooks = sorted(path.name for path in (ROOT / "notebooks").glob("*.ipynb"))
    return [
        *(f"no wheel of {name} in {PYPI}" for name in ["dptutor", *WHEELS] if name not in have),
        *(f"no notebook {name} in the list of contents" for name in notebooks if name not in listed),
    ]


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
