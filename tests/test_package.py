"""The package as strangers get it: built, installed beside nothing of the repository, and used."""

import json
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest

import dptutor as dp

pytestmark = pytest.mark.host

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The folder of the source distribution and the wheel; the wheel is built from the former."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def installed(built, tmp_path_factory):
    """A Python with the wheel and what it needs, and no repository."""
    home = tmp_path_factory.mktemp("clean")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", home / "env"], check=True)
    python = home / "env" / "bin" / "python"
    (wheel,) = built.glob("*.whl")
    command = [sys.executable, "-m", "pip", "--python", python, "install", "-q", "--no-deps", "--no-index", wheel]
    subprocess.run(command, check=True)
    # What the package needs comes from here; a .pth file in a folder that another one names is not read.
    (packages,) = (home / "env").rglob("site-packages")
    (packages / "needs.pth").write_text(sysconfig.get_path("purelib"))

    def run(*arguments):
        done = subprocess.run([python, "-P", *arguments], cwd=home, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def test_the_source_distribution_holds_the_package_and_nothing_built(built):
    (archive,) = built.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        names = [name.partition("/")[2] for name in opened.getnames()]
    assert {"LICENSE", "README.md", "pyproject.toml", "dptutor/__init__.py", "dptutor/py.typed"} <= set(names)
    assert not [name for name in names if name.startswith(("_build", ".venv")) or "__pycache__" in name]


def test_the_wheel_holds_every_file_of_the_package(built):
    (archive,) = built.glob("*.whl")
    names = {name for name in zipfile.ZipFile(archive).namelist() if ".dist-info/" not in name}
    files = [path for path in (ROOT / "dptutor").rglob("*.*") if "__pycache__" not in path.parts]
    assert names == {path.relative_to(ROOT).as_posix() for path in files}


def test_it_is_imported_from_where_it_was_installed(installed):
    where = Path(installed("-c", "import dptutor; print(dptutor.__file__)").strip())
    assert "site-packages" in where.parts and ROOT not in where.parents


def test_numbers_explorers_and_exercises_work_from_the_wheel(installed):
    code = """
import json, dptutor as dp
e = dp.explore.threshold_test()
page = e.freeze("page.html").read_text()
e.widget
right = dp.exercises.get("1.1")
space = {}
exec(right.solution, space)
print(json.dumps([dp.DPSGD(0.6, 0.01, 500).advantage, len(page), bool(right.check(space[right.name]))]))
"""
    advantage, size, passed = json.loads(installed("-c", code))
    assert advantage == dp.DPSGD(0.6, 0.01, 500).advantage
    assert size == len(dp.explore.threshold_test().frozen().page)
    assert passed


def test_the_command_is_there(installed):
    assert "delta_divergence" in installed("-m", "dptutor", "explore", "list")
