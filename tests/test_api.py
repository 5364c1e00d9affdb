"""The reference: every public name is explained, has an example that is right, and is linked with the book."""

import doctest
import inspect
import pkgutil
import re
from functools import reduce
from importlib import import_module
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

import dptutor as dp
from dptutor.explore.machinery.exploration import Exploration
from dptutor.mechanisms.loss import PrivacyLoss
from dptutor.specification import family
from reading import with_mechanisms

pytestmark = pytest.mark.sources

BOOK = Path(__file__).resolve().parent.parent / "book"
# Where a page names all mechanisms the build puts them.
REFERENCE = "".join(with_mechanisms(path.read_text(encoding="utf-8")) for path in sorted(BOOK.glob("api*.md")))
PARTS = (
    "accounting",
    "auditing",
    "conversions",
    "datasets",
    "divergences",
    "exchange",
    "exercises",
    "plots",
)
MODULES = sorted({name for _, name, _ in pkgutil.walk_packages(dp.__path__, "dptutor.")} - {"dptutor.__main__"})


def public() -> dict[str, object]:
    """Every public function and class, and those that they give back, by the name under which it is found."""
    named = {f"dptutor.{name}": getattr(dp, name) for name in dp.__all__}
    for part in PARTS:
        module = getattr(dp, part)
        named |= {f"dptutor.{part}.{name}": getattr(module, name) for name in module.__all__}
    for given in (Exploration, PrivacyLoss, family):
        named[f"{given.__module__}.{given.__qualname__}"] = given
    return {name: value for name, value in named.items() if callable(value)}


def found(name: str) -> object:
    """What is used under a dotted name."""
    try:
        return reduce(getattr, name.split(".")[1:], dp)
    except AttributeError:  # a module that has the name of a function
        return pkgutil.resolve_name(name)


NAMES = sorted(public())
CLASSES = [name for name in NAMES if inspect.isclass(public()[name])]


def own_members(kind: type) -> dict[str, object]:
    """The public methods and properties that a class has in itself, and those of a mechanism that are operators."""
    return {
        name: member
        for name, member in vars(kind).items()
        if (name[0] != "_" or name in {"__pow__", "__matmul__"})
        and (inspect.isfunction(member) or isinstance(member, (property, classmethod)) or hasattr(member, "func"))
    }


def test_the_examples_are_right(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # exercises keep a file beside the notebook
    failed = []
    for name in MODULES:
        failed += [name] * doctest.testmod(import_module(name)).failed
        plt.close("all")
    assert not failed
    assert [path.name for path in tmp_path.iterdir()] in ([], ["progress-dptutor.json"])


def test_every_public_name_is_explained_by_an_example():
    assert not [name for name in NAMES if ">>> " not in (inspect.getdoc(public()[name]) or "")]


def test_every_method_and_property_stands_in_an_example_of_its_own_or_of_its_class():
    missing = []
    for name in CLASSES:
        kind = public()[name]
        told = own_members(dp.Mechanism) if issubclass(kind, dp.Mechanism) and kind is not dp.Mechanism else {}
        shown = " ".join(re.findall(r"^ *(?:>>>|\.\.\.) (.*)", inspect.getdoc(kind), re.M))
        for member, value in own_members(kind).items():
            if not (member in told or f".{member}" in shown or ">>> " in (inspect.getdoc(value) or "")):
                missing.append(f"{name}.{member}")
    assert not missing


def test_every_constant_stands_in_an_example():
    constants = [name for name in dp.auditing.__all__ if not callable(getattr(dp.auditing, name))]
    shown = "".join(inspect.getdoc(value) for name, value in public().items() if ".auditing." in name)
    assert constants
    assert not [name for name in constants if f"dp.auditing.{name}" not in shown]


def test_every_public_name_is_in_the_reference():
    entries = [found(name) for name in re.findall(r"^\.\. auto\w+:: (\S+)", REFERENCE, re.M)]
    assert not [name for name in NAMES if public()[name] not in entries]


def test_no_first_line_of_a_property_has_a_colon():
    # What stands before it would be taken for the type.
    for name in CLASSES:
        for member, value in own_members(public()[name]).items():
            if not inspect.isfunction(value):
                first = (inspect.getdoc(value) or "").split("\n")[0]
                assert ":" not in re.sub(r"`[^`]*`", "", first), f"{name}.{member}"


# Links between functions and statements, both ways. That each of them leads somewhere is checked by the build.


def documented():
    """The names in the reference: entries, and the members that their classes show."""
    for name, members in re.findall(r"^\.\. auto\w+:: (dptutor\S+)(?:\n +:members:(.*))?$", REFERENCE, re.M):
        yield name
        kind = found(name)
        if inspect.isclass(kind):
            shown = re.findall(r"\w+", members) or ([] if issubclass(kind, dp.Mechanism) else own_members(kind))
            yield from (f"{name}.{member}" for member in shown)


def explained_at() -> dict[str, set[str]]:
    """The numbered statements that docstrings lead to, by chapter or page and label, with the names that do."""
    leading: dict[str, set[str]] = {}
    for name in documented():
        place = (inspect.getdoc(found(name)) or "").partition("In the book:")[2].partition(".\n")[0]
        for chapter, page, listed in re.findall(r"(?:chapter\s+(\d+)|\*([^*]+)\*),([^;]*)", place):
            for label in re.findall(r":prf:ref:`([\w-]+)`", listed):
                leading.setdefault(f"{chapter or ' '.join(page.split())} {label}", set()).add(name)
    return leading


def computed_by() -> dict[str, set[str]]:
    """The documented objects that numbered statements lead to, by chapter or page and label."""
    leading: dict[str, set[str]] = {}
    for page in sorted(BOOK.glob("*.md")):
        text = page.read_text(encoding="utf-8")
        where = int(page.stem[:2]) if page.stem[0].isdigit() else re.search(r"^# (.+)$", text, re.M)[1]
        blocks = r"^(:{3,}|`{3,})\{prf:\w+\}[^\n]*\n:label: (\S+)\n(.*?)^\1$"
        for _, label, body in re.findall(blocks, text, re.S | re.M):
            assert not re.findall(r"(?<!\})`(?:m|dp|auditing)\.[^`]*`", body), (
                f"{label} names a function without a link"
            )
            if names := re.findall(r"\{py:\w+\}`[^`]*<([\w.]+)>`", body):
                leading[f"{where} {label}"] = set(names)
    return leading


def test_functions_and_the_statements_that_they_compute_lead_to_each_other():
    there, back = explained_at(), computed_by()
    assert len(there) > 50
    for label in there.keys() | back.keys():
        functions, named = there.get(label, set()), back.get(label, set())
        # A statement may name a member of what leads to it.
        of = {name.rpartition(".")[0] for name in named}
        assert not [name for name in functions if name not in named | of], label
        assert not [name for name in named if not functions & {name, name.rpartition(".")[0]}], label


def test_every_name_of_the_library_is_linked_from_a_chapter_or_an_appendix():
    pages = [page for page in BOOK.glob("*.md") if not page.stem.startswith("api")]
    text = "".join(with_mechanisms(page.read_text(encoding="utf-8")) for page in pages)
    linked = set(re.findall(r"\{py:\w+\}`[^`]*<dptutor\.(\w+)", text))
    assert not sorted(set(dp.__all__) - linked)
