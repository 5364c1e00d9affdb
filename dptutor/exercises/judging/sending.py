"""Functions of a notebook as bytes, for another process of the same Python.

`pickle` sends a function as the name of a module to import it from, which fails for what a learner wrote in a
notebook. Here such a function is sent as its code, with the names of the notebook that it uses, its defaults and the
variables that it closes over, and so are the functions that it calls. A class is sent as its members. What is installed
is still sent by name.
"""

from __future__ import annotations

import builtins
import io
import marshal
import pickle
import sys
import types
from collections.abc import Callable
from functools import _lru_cache_wrapper, lru_cache
from importlib import import_module
from pathlib import Path
from types import CellType, CodeType, FunctionType, MappingProxyType, ModuleType
from typing import Any

__all__ = ["dumps"]


def dumps(value: object) -> bytes:
    """Any value as bytes that `pickle.loads` reads in another process.

    Raises
    ------
    Exception
        Of any kind, as objects may do anything when they are pickled.

    Examples
    --------
    >>> import pickle
    >>> from dptutor.exercises.judging.sending import dumps
    >>> factor = 3
    >>> pickle.loads(dumps(lambda x: factor * x))(2)
    6
    """
    file = io.BytesIO()
    _Pickler(file, protocol=5).dump(value)
    return file.getvalue()


class _Pickler(pickle.Pickler):
    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, ModuleType):
            return import_module, (value.__name__,)
        if isinstance(value, FunctionType) and not (_installed(value) and _importable(value)):
            made = marshal.dumps(value.__code__), value.__name__, len(value.__closure__ or ()), id(value.__globals__)
            return _function, made, _state(value), None, None, _complete
        if isinstance(value, CodeType):  # of an annotation in quotation marks
            return marshal.loads, (marshal.dumps(value),)
        if isinstance(value, _lru_cache_wrapper) and not _importable(value):
            return _cached, (value.__wrapped__,)
        if isinstance(value, type) and not _importable(value):
            if name := _BUILT_IN.get(value):
                return getattr, (types, name)
            slots = vars(value).get("__slots__")
            space = {} if slots is None else {"__slots__": slots}
            named = type(value), value.__name__, value.__bases__, space
            return _class, named, _members(value), None, None, _complete_class
        if isinstance(value, MappingProxyType):
            return MappingProxyType, (dict(value),)
        if isinstance(value, property):
            return property, (value.fget, value.fset, value.fdel, value.__doc__)
        if isinstance(value, staticmethod | classmethod):
            return type(value), (value.__func__,)
        if any(kind.__module__ == "IPython.core.autocall" for kind in type(value).__mro__):  # `exit` of a notebook
            return getattr, (sys, "exit")
        return NotImplemented


_BUILT_IN = {value: name for name, value in vars(types).items() if isinstance(value, type)}
_PLACES = tuple({sys.prefix, sys.base_prefix, str(Path(__file__).parents[2])})


def _installed(value: Any) -> bool:
    file = getattr(sys.modules.get(value.__module__ or ""), "__file__", None)
    return file is None or file.startswith(_PLACES)


def _importable(value: Any) -> bool:
    found: object = sys.modules.get(value.__module__ or "")
    if found is None or value.__module__ == "__main__":
        return False
    for name in value.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is value


def _names(code: CodeType) -> set[str]:
    """The global names that a program uses, with its inner functions."""
    inner = (_names(constant) for constant in code.co_consts if isinstance(constant, CodeType))
    return set(code.co_names).union(*inner)


def _state(function: FunctionType) -> tuple[Any, ...]:
    used = {name: function.__globals__[name] for name in _names(function.__code__) if name in function.__globals__}
    cells: list[tuple[Any, ...]] = []
    for cell in function.__closure__ or ():
        try:
            cells.append((cell.cell_contents,))
        except ValueError:  # a closure variable that is not assigned yet
            cells.append(())
    return used, cells, function.__defaults__, function.__kwdefaults__


# Members that every class gets when it is made.
_NO_MEMBERS = {"__dict__", "__weakref__", "__module__", "__slots__", "_abc_impl"}


def _members(value: type) -> dict[str, Any]:
    members = {name: member for name, member in vars(value).items() if name not in _NO_MEMBERS}
    return {name: each for name, each in members.items() if not isinstance(each, types.MemberDescriptorType)}


# Reading. A function or class is made before what it refers to, since it may refer to itself.

_spaces: dict[int, dict[str, Any]] = {}  # functions of one notebook share their global names


def _function(code: bytes, name: str, cells: int, notebook: int) -> FunctionType:
    space = _spaces.setdefault(notebook, {"__builtins__": builtins, "__name__": "__main__"})
    return FunctionType(marshal.loads(code), space, name, None, tuple(CellType() for _ in range(cells)))


def _complete(function: FunctionType, state: tuple[Any, ...]) -> None:
    used, cells, function.__defaults__, function.__kwdefaults__ = state
    function.__globals__.update(used)
    for cell, contents in zip(function.__closure__ or (), cells, strict=True):
        if contents:
            (cell.cell_contents,) = contents


def _class(kind: type, name: str, bases: tuple[Any, ...], slots: dict[str, Any]) -> type:
    return types.new_class(name, bases, {"metaclass": kind}, lambda space: space.update(slots, __module__="__main__"))


def _complete_class(made: type, members: dict[str, Any]) -> None:
    for name, member in members.items():
        setattr(made, name, member)


def _cached(function: Callable[..., Any]) -> Any:
    return lru_cache(maxsize=None)(function)
