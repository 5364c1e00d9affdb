"""What the library asks of a mechanism, and of what computes the faces of a composition, is declared in one place."""

import ast
import inspect
import re
from functools import cached_property
from pathlib import Path

import pytest
from conftest import approx, each

import dptutor as dp
from dptutor.evaluation.evaluator import Evaluator
from dptutor.evaluation.faces import FiniteFaces, MixtureFaces, TabulatedFaces
from dptutor.evaluation.merging import ExceededFaces, WorseFaces
from dptutor.mechanisms import Mechanism, Symmetrized
from dptutor.mechanisms.delegated import Delegated

pytestmark = pytest.mark.sources

LIBRARY = Path(__file__).resolve().parent.parent / "dptutor"
NUMBERS = [*(LIBRARY / "mechanisms").glob("*.py"), *(LIBRARY / "evaluation").glob("*.py")]
COMPARING = [path for path in (LIBRARY / "comparing").glob("*.py") if path.stem != "ordering"]  # it knows classes
EVALUATORS = ExceededFaces, FiniteFaces, MixtureFaces, TabulatedFaces, WorseFaces


def calls(path, *names):
    """The calls of functions of these names in a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
    return [node for node in found if node.func.id in names]


@each([*NUMBERS, *COMPARING])
def test_nothing_is_probed_for(path):
    assert not calls(path, "hasattr")
    assert not [node for node in calls(path, "getattr") if isinstance(node.args[1], ast.Constant)]


@each(NUMBERS)
def test_no_mechanism_is_asked_for_its_class(path):
    asked = {name for node in calls(path, "isinstance") for name in re.findall(r"\w+", ast.unparse(node.args[1]))}
    assert not asked & {kind.__name__ for kind in kinds(Mechanism)}


def kinds(of):
    """All subclasses."""
    return {inner for kind in of.__subclasses__() for inner in (kind, *kinds(kind))}


@each(NUMBERS)
def test_floating_point_is_described_in_one_module(path):
    assert not re.findall(
        r"2\.0 ?\*\* ?-5[0-4]|finfo\(float\)|\b(?:700|745)\.0|\b5e-324", path.read_text(encoding="utf-8")
    )


def private(path):
    """Private attributes of other objects that a file uses, and all that it gives its own."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    attributes = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr[0] == "_"]
    own = {n.attr for n in attributes if isinstance(n.value, ast.Name) and n.value.id in ("self", "cls", "other")}
    own |= {n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}
    return {n.attr for n in attributes if n.attr[:2] != "__"}, own


@each([*NUMBERS, *COMPARING])
def test_only_what_is_declared_is_asked_for(path):
    asked, own = private(path)
    # The tables of a profile are looked into by what makes profiles of them.
    of_tables = {"_forward", "_evaluator"} if path.stem == "profiles" else set()
    assert asked - own - of_tables <= {*dir(Mechanism)}


def test_every_hook_says_what_it_is():
    hooks = [value for name, value in vars(Mechanism).items() if name[0] == "_" and name[1] != "_"]
    hooks = [getattr(value, "fget", value) for value in hooks if callable(value) or isinstance(value, property)]
    for hook in hooks:
        explained = inspect.getdoc(hook) or inspect.getcomments(hook)
        of_a_face = hook.__name__.removeprefix("_") in {*dir(Mechanism), *dir(dp.mechanisms.loss.PrivacyLoss)}
        assert explained or of_a_face or hook.__name__ == "_sample_loss", hook


@pytest.mark.parametrize("kind", EVALUATORS)
def test_all_evaluators_have_the_declared_methods_and_no_others(kind):
    declared = {name for name in vars(Evaluator) if name[0] != "_"}
    law = FiniteFaces(dp.RandomizedResponse(1)._law)
    has = {name for name in (dir(law) if kind is FiniteFaces else [*dir(kind), "breakpoints"]) if name[0] != "_"}
    # An enumerated law can be looked at.
    assert has - {"law"} == declared


class Handed(Exception):
    """What a mechanism was asked."""


class Asked:
    """Stands for a mechanism, and tells what it is asked."""

    def __getattr__(self, name):
        def tell(*arguments):
            raise Handed(name, *arguments)

        return tell if callable(inspect.getattr_static(Mechanism, name)) else tell()


class Named(Delegated):
    _whole = Asked()

    @property
    def reverse(self):
        return self


# What it was made from, and what a group does to it.
OWN = {"_parameters", "_of_group"}


@each([name for name in vars(Mechanism) if name == "error_bound" or re.fullmatch("_[a-z]+(_[a-z]+)*", name)])
def test_a_mechanism_under_another_name_hands_on_all_that_its_pair_tells(name):
    hook = inspect.getattr_static(Mechanism, name)
    if name in OWN or not (callable(hook) or isinstance(hook, property | cached_property)):
        return
    arguments = "abc"[: len(inspect.signature(hook).parameters) - 1] if callable(hook) else ""
    with pytest.raises(Handed) as handed:
        getattr(Named(), name)(*arguments)
    assert handed.value.args == (name, *arguments)


def test_both_directions_are_told_by_the_mechanism():
    step = dp.SubsampledGaussian(1, 0.1)
    pair = dp.FiniteExperiment([0.5, 0.5], [0.2, 0.8])
    for m, both in [(step, True), (step.directions[0], False), (dp.DPSGD(1, 0.1, 3), True), (pair.symmetrized, True),
                    (pair, False), (dp.Gaussian(1), False), (step @ dp.Laplace(1), True)]:  # fmt: skip
        parts, meant_both = m._parts()
        assert meant_both == both == bool(m.both_directions)
        assert all(not part.both_directions for part, _ in parts)
    assert isinstance(pair.symmetrized, Symmetrized)


class Halved(Mechanism):
    """A mechanism of somebody else, with only what has to be said: randomized response with ε = 1."""

    _inner = dp.RandomizedResponse(1)

    @classmethod
    def _parameters(cls):
        return []

    def _errors(self, epsilon):
        return self._inner._errors(epsilon)

    def _delta(self, epsilon):
        return self._inner._delta(epsilon)

    @property
    def reverse(self):
        return self


def test_two_errors_and_a_profile_are_enough():
    m, inner = Halved(), dp.RandomizedResponse(1)
    assert m.tradeoff(0.1) == approx(inner.tradeoff(0.1), abs=1e-12)
    assert m.hellinger_transform(0.5 + 1j) == approx(inner.hellinger_transform(0.5 + 1j), abs=1e-9)
    assert m.epsilon(0.1) == approx(inner.epsilon(0.1), abs=1e-9)
    whole = m @ dp.Gaussian(1)
    value, error = whole.privacy_profile(0.5, with_error=True)
    assert abs(value - (inner @ dp.Gaussian(1)).privacy_profile(0.5)) <= error < 1e-4
    assert whole.hellinger_transform(0.5) == approx((inner @ dp.Gaussian(1)).hellinger_transform(0.5), abs=1e-9)
