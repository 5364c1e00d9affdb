"""Asks whether the tests notice faults: puts one small fault after the other into the code, and lists the unseen ones.

    python scripts/mutants.py                           300 faults, drawn with a seed from the modules in TESTS
    python scripts/mutants.py --count 50 --seed 3 dptutor/risk/calibration.py
    python scripts/mutants.py --only calibration:210:4  one of them again (module:line:number in the line)

A fault is a comparison, an operator, a number, a truth value or a keyword argument that is changed, in a function.
Tests are loaded once. For each fault a copy of the process gives the function its changed code and runs the tests that
reach its line, the fastest first, until one fails. Tests that take longer than LONGEST are left out, so what is listed
may still be found by `make test`. Packages that do this leave decorated functions alone (mutmut), as many of ours are,
or start Python anew for each fault (cosmic-ray). Needs fork, as on Linux and macOS.
"""

import argparse
import ast
import copy
import functools
import gc
import json
import os
import random
import signal
import sys
import tempfile
import time
import types
from collections import defaultdict
from pathlib import Path

import pytest

from content import ROOT

TESTS = {
    "dptutor/comparing/blackwell.py": "blackwell values",
    "dptutor/mechanisms/composition.py": "composition values error_bounds lines",
    "dptutor/risk/calibration.py": "calibration values",
    "dptutor/auditing/verdicts.py": "auditing auditing_anytime",
}
LONGEST = 4.0  # seconds of a test, while it is watched
IN_ALL = 20  # seconds of tests for one fault
OTHER = {
    ast.Lt: [ast.LtE, ast.GtE], ast.LtE: [ast.Lt, ast.Gt], ast.Gt: [ast.GtE, ast.LtE], ast.GtE: [ast.Gt, ast.Lt],
    ast.Eq: [ast.NotEq], ast.NotEq: [ast.Eq], ast.Is: [ast.IsNot], ast.IsNot: [ast.Is], ast.In: [ast.NotIn],
    ast.NotIn: [ast.In], ast.Add: [ast.Sub], ast.Sub: [ast.Add], ast.Mult: [ast.Div], ast.Div: [ast.Mult],
    ast.FloorDiv: [ast.Mult], ast.Pow: [ast.Mult], ast.And: [ast.Or], ast.Or: [ast.And], ast.BitOr: [ast.BitAnd],
    ast.BitAnd: [ast.BitOr],
}  # fmt: skip


def main(arguments) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("modules", nargs="*", default=list(TESTS))
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=27)
    parser.add_argument("--only", help="module:line:number")
    asked = parser.parse_args(arguments)
    faults = [fault for module in asked.modules for fault in faults_of(module)]
    if asked.only:
        chosen = [fault for fault in faults if str(fault).startswith(asked.only + " ")]
    else:
        random.Random(asked.seed).shuffle(faults)
        chosen = faults[: asked.count]
    names = sorted({name for fault in chosen for name in TESTS[fault.path].split()})
    trial = Trial(chosen)
    files = [f"tests/test_{name}.py" for name in names]
    pytest.main(["-q", "--no-header", "-p", "no:cacheprovider", "--all", *files], plugins=[trial])
    return 1 if trial.unseen else 0


# Faults.


class Fault:
    """One changed place: what stands there, what will, and the changed code of the module."""

    def __init__(self, path, number, line, before, after, tree):
        self.path, self.number, self.line, self.before, self.after = path, number, line, before, after
        self._tree = tree

    def __str__(self):
        return f"{Path(self.path).stem}:{self.line}:{self.number}  {self.before}  →  {self.after}"

    @functools.cached_property
    def codes(self):
        """Code objects of the changed module, by name and line."""
        whole = compile(ast.fix_missing_locations(self._tree()), ROOT / self.path, "exec", dont_inherit=True)
        return {(code.co_qualname, code.co_firstlineno): code for code in inner(whole)}


def inner(code):
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield constant
            yield from inner(constant)


def faults_of(path):
    """All faults of a module, in the order of its text."""
    text = (ROOT / path).read_text(encoding="utf-8")
    found, counts = [], defaultdict(int)
    for place, (node, changes) in enumerate(places(ast.parse(text))):
        for change in range(len(changes)):
            changed = copy.deepcopy(node)
            changes[change](changed)
            counts[node.lineno] += 1
            make = functools.partial(changed_tree, text, place, change)
            before, after = ast.unparse(node), ast.unparse(changed)
            found.append(Fault(path, counts[node.lineno], node.lineno, before, after, make))
    return found


def changed_tree(text, place, change):
    tree = ast.parse(text)
    node, changes = list(places(tree))[place]
    changes[change](node)
    return tree


def places(tree):
    """Nodes inside functions, each with ways to change it; what is said in errors and annotations is left alone."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef):
            for statement in node.body:
                yield from inside(statement)
        elif isinstance(node, ast.ClassDef):
            yield from places(node)


def inside(node):
    if isinstance(node, (ast.Raise, ast.JoinedStr)):
        return
    changes = ways(node)
    if changes:
        yield node, changes
    for name, value in ast.iter_fields(node):
        if name not in ("annotation", "returns", "decorator_list"):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from inside(child)


def ways(node):
    """Functions that change a node in place."""
    if isinstance(node, ast.Compare):
        return [functools.partial(compared, kind=kind) for kind in OTHER.get(type(node.ops[0]), [])]
    if isinstance(node, (ast.BinOp, ast.BoolOp, ast.AugAssign)):
        return [functools.partial(operated, kind=kind) for kind in OTHER.get(type(node.op), [])]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.Not)):
        return [dropped_sign]
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        return [lambda found: setattr(found, "value", not found.value)]
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return [lambda found: setattr(found, "value", found.value + 1)]
    if isinstance(node, ast.Return) and node.value is not None:
        return [lambda found: setattr(found, "value", ast.Constant(None))]
    if isinstance(node, (ast.If, ast.IfExp)) and isinstance(node.test, (ast.Name, ast.Attribute, ast.Call)):
        return [lambda found: setattr(found, "test", ast.UnaryOp(ast.Not(), found.test))]
    if isinstance(node, ast.Call) and node.keywords:
        return [functools.partial(lambda found, k: found.keywords.pop(k), k=k) for k in range(len(node.keywords))]
    return []


def compared(node, kind):
    node.ops[0] = kind()


def operated(node, kind):
    node.op = kind()


def dropped_sign(node):
    # The node stays in its place: −x becomes +x, not x becomes bool(x).
    if isinstance(node.op, ast.USub):
        node.op = ast.UAdd()
    else:
        node.operand = ast.UnaryOp(ast.Not(), node.operand)


# Trying them.


class Trial:
    """A plugin of pytest that tries all faults on the tests that were collected."""

    def __init__(self, faults):
        self.faults, self.unseen = faults, []

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session):
        import hypothesis  # loaded by pytest before

        phases = [hypothesis.Phase.explicit, hypothesis.Phase.generate]  # a failure need not be a small one
        hypothesis.settings.register_profile("faults", parent=hypothesis.settings.default, phases=phases, database=None)
        hypothesis.settings.load_profile("faults")
        reached = in_a_copy(lambda: lines_reached(session.items, {fault.path for fault in self.faults}), 3600)
        start, seen = time.monotonic(), 0
        for tried, fault in enumerate(self.faults, 1):
            tests = sorted((took, k) for k, took, lines in reached if fault.line in lines.get(fault.path, ()))
            found = in_a_copy(lambda fault=fault, tests=tests: seen_by(fault, session.items, tests), 4 * IN_ALL)
            if found == "nobody":
                self.unseen.append(fault)
                print(f"{fault}   ({len(tests)} tests)", flush=True)
            seen += found != "nobody"
            if tried % 20 == 0 or tried == len(self.faults):
                print(f"{seen} of {tried} are seen, after {(time.monotonic() - start) / 60:.0f} minutes", flush=True)
        return True


def in_a_copy(work, limit):
    """What `work` returns in a copy of this process; None if that takes too long or ends otherwise."""
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "answer"
        process = os.fork()
        if process == 0:
            try:
                silent = os.open(os.devnull, os.O_WRONLY)
                os.dup2(silent, 1), os.dup2(silent, 2)
                signal.alarm(limit)  # ends the process
                answer.write_text(json.dumps(work()))
            finally:
                os._exit(0)
        os.waitpid(process, 0)
        return json.loads(answer.read_text()) if answer.exists() and answer.read_text() else None


def lines_reached(items, paths):
    """Of each test that passes in time: its number, its seconds, and the lines of these files that it runs."""
    files = {str(ROOT / path): path for path in paths}
    signal.signal(signal.SIGPROF, too_long)
    found = []
    for k, item in enumerate(items):
        lines = {path: set() for path in paths}

        def local(frame, event, _, lines=lines):
            if event == "line":
                lines[files[frame.f_code.co_filename]].add(frame.f_lineno)
            return local

        def entered(frame, event, _, local=local):
            return local if frame.f_code.co_filename in files else None

        start = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, LONGEST)
        sys.settrace(entered)
        passed = passes(item)
        sys.settrace(None)
        signal.setitimer(signal.ITIMER_PROF, 0)
        took = time.process_time() - start
        if passed and took < LONGEST:
            found.append((k, took, {path: sorted(each) for path, each in lines.items()}))
    return found


def too_long(*_):
    raise TimeoutError


def seen_by(fault, items, tests):
    """The test that fails with a fault."""
    names = {(code.co_qualname, code.co_firstlineno) for code in fault.codes.values()}
    for function in [each for each in gc.get_objects() if isinstance(each, types.FunctionType)]:
        code = function.__code__
        if code.co_filename == str(ROOT / fault.path) and (code.co_qualname, code.co_firstlineno) in names:
            function.__code__ = fault.codes[code.co_qualname, code.co_firstlineno]
    left = IN_ALL
    for took, k in tests:
        left -= took
        if left < 0:
            break
        if not passes(items[k]):
            return items[k].nodeid
    return "nobody"


def passes(item) -> bool:
    from _pytest.runner import runtestprotocol

    return all(report.outcome != "failed" for report in runtestprotocol(item, log=False, nextitem=None))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
