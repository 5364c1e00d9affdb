"""A module imports only from those above it in the list, and importing the library costs no more than its numbers."""

import ast
import re
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

pytestmark = pytest.mark.sources

LIBRARY = Path(__file__).resolve().parent.parent / "dptutor"

# The order is that of the picture in the architecture. The package's own __init__ sees all of it.
ARCHITECTURE = (LIBRARY.parent / "ARCHITECTURE.md").read_text(encoding="utf-8")
PICTURE = re.findall(r"^    .{14}([\w/]+)", ARCHITECTURE.partition("## How a number is made")[0], re.MULTILINE)
ORDER = [name for name in (name.removesuffix("/") for name in PICTURE) if "/" not in name] + ["__main__"]

# Only these may be imported from outside, and only by the parts named ("*": by all).
FOREIGN = {
    "numpy": "*",
    "scipy": "*",
    "matplotlib": {"plots", "explore"},
    "ipywidgets": {"explore", "exercises"},
    "anywidget": {"explore"},
    "sklearn": {"datasets"},
    "traitlets": {"explore"},
    "math_core": {"formulas"},
    "IPython": {"explore", "exercises"},
}

FILES = sorted(LIBRARY.rglob("*.py"))

# Imports in functions that may point back: the operators of mechanisms make compositions, which are mechanisms; groups
# of a subsampled mechanism are one; a law that is composed may become one on a lattice.
ALLOWED = {
    ("dptutor.mechanisms.base", "dptutor.mechanisms.composition"),
    ("dptutor.mechanisms.base", "dptutor.mechanisms.symmetrized"),
    ("dptutor.mechanisms.subsampled", "dptutor.mechanisms.sampled_groups"),
    ("dptutor.evaluation.finite_law", "dptutor.evaluation.binomial_law"),
    ("dptutor.evaluation.finite_law", "dptutor.evaluation.lattice_sums"),
}


def part(path):
    """The part of the library that a file belongs to; empty for the package itself."""
    first = path.relative_to(LIBRARY).parts[0]
    return "" if first == "__init__.py" else first.removesuffix(".py")


def name_of(path):
    return ".".join(("dptutor", *path.relative_to(LIBRARY).with_suffix("").parts)).removesuffix(".__init__")


def is_shown(node):
    """Whether this is the program that an explorer shows: what a reader would write, who has the whole package."""
    called = node.decorator_list if isinstance(node, ast.FunctionDef) else []
    return any(isinstance(each, ast.Attribute) and each.attr == "code" for each in called)


def run(tree):
    """The nodes that run at some time: all but those of type checkers."""
    for node in ast.iter_child_nodes(tree):
        if not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"):
            yield node
            yield from run(node)


def imports(path, nodes=ast.walk):
    """Absolute names of all modules that a file imports anywhere in it, but for the program that it shows."""
    package = ("dptutor", *path.relative_to(LIBRARY).parent.parts)
    tree = ast.parse(path.read_text())
    tree.body = [node for node in tree.body if not is_shown(node)]
    for node in nodes(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = [*package[: len(package) - node.level + 1], *filter(None, [node.module])]
            yield from (".".join([*base, alias.name]) for alias in node.names)


def test_the_architecture_names_every_part_once_and_only_what_is_there():
    assert sorted(ORDER) == sorted({part(path) for path in FILES} - {""})
    for name in re.findall(r"`((?:dptutor|scripts|tests|book|notebooks)/[\w./]+|[\w_]+\.(?:txt|yml))`", ARCHITECTURE):
        path = LIBRARY.parent / name.replace("NN_name", "01_two_worlds").replace("NN", "01")
        assert path.exists(), name


def test_no_import_points_up_or_outside_what_is_allowed():
    wrong = []
    for path in FILES:
        here = part(path)
        for name in imports(path) if here else ():
            top, *rest = name.split(".")
            if top == "dptutor":
                # From the part it lives in, not from the package itself.
                allowed = rest and rest[0] in ORDER and ORDER.index(rest[0]) <= ORDER.index(here)
            else:
                allowed = top in sys.stdlib_module_names or FOREIGN.get(top) == "*" or here in FOREIGN.get(top, ())
            if not allowed:
                wrong.append(f"{path} imports {name}")
    assert not wrong


def test_no_file_needs_itself():
    """Also not inside a folder, nor by an import in a function, but for those of ALLOWED."""
    files = {name_of(path): path for path in FILES}

    def needed(name, path):
        found = {each if each in files else each.rpartition(".")[0] for each in imports(path, run)}
        return {each for each in found if each != name and (name, each) not in ALLOWED} & files.keys()

    TopologicalSorter({name: needed(name, path) for name, path in files.items()}).prepare()


def test_no_object_has_the_name_of_a_module_beside_it():
    shadowed = []
    for package in (path for path in FILES if path.name == "__init__.py"):
        beside = {path.stem for path in FILES if path.parent == package.parent}
        beside |= {path.parent.name for path in FILES if path.parent.parent == package.parent}
        for node in ast.parse(package.read_text()).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                named = {node.name}
            else:
                named = {alias.asname or alias.name for alias in node.names} if from_a_module(node) else set()
            shadowed += [f"{name_of(package)}.{name}" for name in named & beside]
    assert not shadowed


def from_a_module(node):
    """Whether this is `from .module import …`, which gives no module a name."""
    return isinstance(node, ast.ImportFrom) and bool(node.module)


def test_no_two_files_have_one_name():
    """But explorers, which are named for what they show, and the law of a mechanism."""
    names = [path.stem for path in FILES if path.name != "__init__.py" and path.parent.name != "gallery"]
    assert {name for name in names if names.count(name) > 1} <= {"finite", "lattice"}


def test_importing_the_library_loads_no_figures_and_no_widgets():
    code = "import sys, dptutor; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"matplotlib", "ipywidgets", "anywidget", "IPython", "traitlets", "sklearn"} & set(loaded)


def test_numbers_need_numpy_and_scipy_alone():
    code = f"""
import sys
sys.modules |= dict.fromkeys({sorted(FOREIGN.keys() - {"numpy", "scipy"})})  # as if they were not installed
import numpy as np
import dptutor as dp
m = dp.DPSGD(0.6, 0.01, 500)
dp.compare(m, dp.Gaussian(1)), dp.report(m), dp.attack_bound(m, 0.1), dp.read(repr(m)), dp.PosteriorBelief(m).mean()
dp.calibrate(dp.Laplace, epsilon=1), dp.garbling(dp.RandomizedResponse(2), dp.RandomizedResponse(1))
pair = dp.auditing.Neighbors(np.eye(3), [0, 1, 1], 2)
training = dp.auditing.Training(dp.auditing.Network((3, 2)), noise_multiplier=2, steps=4)
dp.auditing.audit(dp.auditing.experiment(training, pair, 30))
try:
    dp.plots
except ImportError as problem:
    print(problem.name)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("matplotlib")


def test_figures_explorers_and_exercises_load_on_demand():
    for name in {"plots", "explore", "exercises"} & {part(path) for path in FILES}:
        code = f"import sys, dptutor; dptutor.{name}; assert 'dptutor.{name}' in sys.modules"
        subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("guide", ["ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_files_and_commands_that_a_guide_names_exist(guide):
    root = LIBRARY.parent
    text = (root / guide).read_text(encoding="utf-8")
    quoted = " ".join(re.findall(r"`([^`\n]+)`", text))
    paths = [
        path
        for path in re.findall(r"(?:\.?[\w-]+/)+[\w.-]*", quoted)
        if not re.search(r"NAME|NN|^\.venv|^_build", path)
    ]
    folders = root, LIBRARY, LIBRARY / "explore"
    assert len(paths) > 20
    assert not [path for path in paths if not any((folder / path).exists() for folder in folders)]
    targets = re.findall(r"^([\w-]+)(?:[ \w-]*):", (root / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert not set(re.findall(r"`make ([\w-]+)", text)) - set(targets)
