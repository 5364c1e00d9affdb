"""Answers in a process of their own: sent as they are, ended when they do not end, and no trace of them afterwards."""

import os
import select
import subprocess
import sys
import threading
from contextlib import suppress

import numpy as np
import pytest

import dptutor as dp
from dptutor.exercises.judging import worker
from dptutor.exercises.judging.calling import here
from dptutor.exercises.judging.judge import run

pytestmark = pytest.mark.skipif(not worker.available(), reason="this platform has no processes")

# What a learner may write in a notebook: helpers, imports, defaults, closures, recursion, a cache.
PROGRAMS = {
    "lambda": "half = lambda x: x / 2",
    "helper": "import math\n\ndef part(x):\n    return math.fabs(x) / 2\n\ndef half(x):\n    return part(x)",
    "from": "from scipy.stats import norm\nimport numpy as np\n\ndef half(x):\n    return x * norm.cdf(0) * np.ones(1)",
    "default": "SHARE = 0.5\n\ndef half(x, by=SHARE, *, extra=0):\n    return x * by + extra",
    "closure": "def times(factor):\n    def inner(x):\n        return factor * x\n    return inner\n\n"
    "half = times(0.5)",
    "recursion": "def half(x):\n    return 0 if x == 0 else 0.5 + half(x - 1)",
    "each other": "def even(n):\n    return n == 0 or odd(n - 1)\n\ndef odd(n):\n    return n > 0 and even(n - 1)\n\n"
    "def half(x):\n    return x / 2 if even(4) else 0",
    "cache": "from functools import lru_cache\n\n@lru_cache\ndef half(x):\n    return x / 2",
    "partial": "from functools import partial\n\nhalf = partial(lambda by, x: x / by, 2)",
    "vectorized": "import numpy as np\n\n@np.vectorize\ndef half(x):\n    return x / 2",
    "global": "calls = 0\n\ndef count():\n    global calls\n    calls += 1\n\n"
    "def half(x):\n    count()\n    return x / 2 if calls else 0",
    "class": "class Half:\n    by = 2\n    def __init__(self, x):\n        self.x = x\n    @property\n"
    "    def value(self):\n        return self.x / self.by\n"
    "    @staticmethod\n    def of(x):\n        return Half(x)\n\n"
    "class Same(Half):\n    __slots__ = ('more',)\n    def __init__(self, x):\n        super().__init__(x)\n\n"
    "def half(x):\n    return Same(Half.of(x).x).value",
    "callable": "class Half:\n    def __call__(self, x):\n        return x / 2\n\nhalf = Half()",
    "dataclass": "from dataclasses import dataclass, field\n\n@dataclass(frozen=True)\nclass Half:\n    x: float\n"
    "    rest: list = field(default_factory=list)\n\ndef half(x):\n    return Half(x).x / 2",
    "named tuple": "from typing import NamedTuple\n\nclass Half(NamedTuple):\n    x: 'float'\n    by: float = 2\n\n"
    "def half(x):\n    return Half(x).x / Half(x).by",
    "kind": "from types import FunctionType\n\ndef half(x):\n    return x / 2 * isinstance(half, FunctionType)",
    "library": "import dptutor as dp\n\ndef half(x):\n    return x * dp.PerfectPrivacy().bayes_error(0.5)",
}
CASES = [(1.0,), (4.0,)]


def results(answer, cases=CASES, patience=5.0):
    return worker.results(answer, cases, "a number", patience)


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_what_a_notebook_defines_is_called_elsewhere_as_it_is_here(program):
    half = run(program)["half"]
    assert [(kind, list(x)) for kind, x in results(half)] == [("result", [0.5]), ("result", [2.0])]
    assert [list(x) for _, x in here(half, CASES, "a number", 5.0)] == [[0.5], [2.0]]


def test_it_is_another_process_and_leaves_nothing_behind():
    first = run("import math, os\n\ndef pid(x):\n    math.left_behind = 1\n    return os.getpid()")["pid"]
    second = run("import math\n\ndef found(x):\n    return hasattr(math, 'left_behind')")["found"]
    assert all(x != os.getpid() for _, (x,) in results(first))
    assert [x[0] for _, x in results(second)] == [0, 0]


ENDLESS = {
    "python": "def endless(x):\n    while True:\n        pass",
    "one step": "def endless(x):\n    return sum(iter(int, 1))",
    "foreign code": "import numpy as np\n\ndef endless(x):\n    r = np.random.default_rng(1)\n"
    "    return np.linalg.eigvals(r.normal(size=(4000, 4000)))[0]",
    "big number": "def endless(x):\n    return len(str(7 ** (10 ** 9)))",
}


@pytest.mark.deep
@pytest.mark.parametrize("program", ENDLESS.values(), ids=ENDLESS)
def test_a_call_that_does_not_end_is_ended_whatever_it_waits_for(program, monkeypatch):
    monkeypatch.setattr(worker, "_GRACE", 0.3)
    before = threading.active_count()
    ended = results(run(program)["endless"], patience=0.2)
    assert [kind for kind, _ in ended] == ["late"]
    assert results(run(PROGRAMS["lambda"])["half"])[0][0] == "result"  # and the next is served
    assert threading.active_count() <= before + 1  # the one that listens to the process


@pytest.mark.deep
@pytest.mark.parametrize("call", [here, worker.results], ids=["here", "elsewhere"])
def test_a_right_answer_that_waits_for_a_busy_machine_is_not_late(call):
    patient = run("import time\n\ndef half(x):\n    time.sleep(0.8)\n    return x / 2")["half"]
    assert [(kind, list(x)) for kind, x in call(patient, CASES, "a number", 0.5)] == [
        ("result", [0.5]),
        ("result", [2.0]),
    ]


@pytest.fixture(params=[True, False], ids=["forks", "one request for each process"])
def forks(request, monkeypatch):
    if not request.param:  # as on Windows and macOS
        monkeypatch.setattr(worker, "_FORKS", False)
        program = worker._PROGRAM.replace("serve()", "w._FORKS = False; w.serve()")
        program = program.replace(
            "from dptutor.exercises.judging.worker import serve", "from dptutor.exercises.judging import worker as w"
        )
        monkeypatch.setattr(worker, "_PROGRAM", program)
    monkeypatch.setattr(worker, "_idle", [])
    yield
    worker._close()


@pytest.mark.deep
@pytest.mark.skipif(not worker._TIMERS, reason="this platform has no timers")
@pytest.mark.usefixtures("forks")
def test_a_timer_of_what_it_computes_ends_a_process_before_anybody_loses_patience(monkeypatch):
    monkeypatch.setattr(worker, "LASTING", 1e6)
    assert results(run(ENDLESS["one step"])["endless"], patience=0.2) == [("late", "")]
    assert results(run(PROGRAMS["lambda"])["half"])[0][0] == "result"


@pytest.mark.parametrize(
    ("program", "kind", "words"),
    [
        ("def bad(x):\n    return 1 / 0", "stopped", "ZeroDivisionError: division by zero"),
        ("def bad(x):\n    return 'half'", "rejected", "should be a number"),
        ("def bad(x):\n    raise SystemExit", "stopped", "SystemExit"),
        ("import os\n\ndef bad(x):\n    os._exit(0)", "died", ""),
        ("import os\n\ndef bad(x):\n    os.abort()", "died", ""),
        ("def bad(x):\n    pass", "nothing", "None"),
    ],
)
def test_what_goes_wrong_elsewhere_is_told_here(program, kind, words):
    ended = results(run(program)["bad"])
    assert ended[0][0] == kind and words in str(ended[0][1])


def test_a_process_that_does_not_start_is_late(monkeypatch):
    monkeypatch.setattr(worker, "_PROGRAM", "import time; time.sleep(600)")
    monkeypatch.setattr(worker, "_START", 0.0)
    monkeypatch.setattr(worker, "_idle", [])  # one that has started may answer at once
    assert results(abs) == [("late", "")]
    worker._idle.pop().end()


def test_what_a_function_prints_is_seen(capsys):
    results(run("def half(x):\n    print('x is', x)\n    return x / 2")["half"])
    assert capsys.readouterr().out == "x is 1.0\nx is 4.0\n"


def test_what_cannot_be_sent_is_not_called():
    lock = threading.Lock()

    def tradeoff(alpha, mu):
        with lock:
            return 1 - alpha

    with pytest.raises(worker.Unsendable, match="lock"):
        results(tradeoff)
    result = dp.exercises.check("1.3", tradeoff)
    assert (result.passed, result.kind) == (False, "form")
    assert "lock" in result.message and "cannot be sent" in result.message


# Ways to end a process, and ways to write a function that does.
LEAVING = ["os._exit(0)", "os.abort()", "os.kill(os.getpid(), 9)", "os.kill(0, 9)"]
WRITTEN = {
    "function": "def answer(*case):\n    {}",
    "callable object": "class Answer:\n    def __call__(self, *case):\n        {}\n\nanswer = Answer()",
    "static method": "class Answer:\n    @staticmethod\n    def of(*case):\n        {}\n\nanswer = Answer.of",
    "class": "class Answer:\n    def __init__(self, *case):\n        {}\n\nanswer = Answer",
    "partial": "from functools import partial\n\ndef call(first, *case):\n    {}\n\nanswer = partial(call, 1)",
    "vectorized": "import numpy as np\n\ndef call(*case):\n    {}\n\nanswer = np.vectorize(call)",
    "lock": "import threading\n\nlock = threading.Lock()\n\ndef answer(*case):\n    with lock:\n        {}",
    "helper with a class": "class Own(float):\n    pass\n\ndef answer(*case):\n    {}\n    return Own(1)",
    "result that leaves": "class Own:\n    def __float__(self):\n        {}\n\ndef answer(*case):\n    return Own()",
    "generator": "def answer(*case):\n    yield {}",
}


WAYS = [(written, LEAVING[0]) for written in WRITTEN] + [("function", leaving) for leaving in LEAVING[1:]]


@pytest.mark.deep
@pytest.mark.cases(3)
@pytest.mark.parametrize(("written", "leaving"), WAYS)
def test_no_answer_ends_the_process_that_checks_it(written, leaving, tmp_path):
    program = (
        "import sys, dptutor as dp\n"
        "from dptutor.exercises.judging.judge import run\n"
        "print(dp.exercises.check('1.1', run('import os\\n' + sys.argv[1])['answer']))\n"
    )
    command = [sys.executable, "-c", program, WRITTEN[written].format(leaving)]
    found = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, start_new_session=True)
    assert (found.returncode, found.stderr) == (0, "")
    assert found.stdout.startswith("✘")


OWN = """
class Own:
    asked = []

    def answer(self, *rest):
        self.asked.append(1)
        return 0.5

    __float__ = __array__ = __iter__ = __repr__ = __str__ = __eq__ = __abs__ = __round__ = __len__ = answer
    __hash__ = None
"""


@pytest.mark.parametrize("id", ["1.a", "1.3", "7.3", "20.1"])
def test_no_object_of_a_notebooks_own_class_is_asked_in_its_process(id):
    """It could end it, and its number would be another at each time."""
    space: dict = {"__name__": "__main__"}
    exec(OWN, space)
    own = space["Own"]()
    for answer in (own, [own, 0.5], {"sigma": own}):
        result = dp.exercises.check(id, answer)
        assert not result.passed and result.kind == "form" and "Own" in result.message
        dp.exercises.HandIn("ada", "4f1c").check(id, answer)
        dp.exercises.HandIn("ada", "4f1c").record("exam", answer)
    assert own.asked == []


def test_without_processes_answers_are_called_here(monkeypatch):
    monkeypatch.setattr(worker, "available", lambda: False)
    monkeypatch.setattr(worker, "results", None)
    result = dp.exercises.check("1.3", lambda alpha, mu: 1 - alpha)
    assert "blind guessing" in result.message and not result.note


def test_a_python_that_cannot_be_started_is_no_reason_to_fail(monkeypatch):
    monkeypatch.setattr(worker, "_idle", [])
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    result = dp.exercises.check("1.3", lambda alpha, mu: 1 - alpha)
    assert "blind guessing" in result.message
    assert "in the notebook's own process, since no other can be started" in result.note
    assert result.note in repr(result) and "/no/such/python" in result._repr_html_()


def test_a_stub_starts_no_process(monkeypatch):
    monkeypatch.setattr(worker, "results", None)
    exercise = dp.exercises.get("1.3")
    assert "nothing to check yet" in dp.exercises.check("1.3", run(exercise.stub)["tradeoff"]).message


@pytest.mark.deep
def test_the_process_ends_with_the_one_that_started_it():
    program = (
        "import os, dptutor as dp\n"
        "from dptutor.exercises.judging import worker\n"
        "worker.results(abs, [(1.0,)], 'a number', 5.0)\n"
        "print(worker._idle[0]._process.pid, flush=True)\n"
        "os._exit(0)"  # without a farewell
    )
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    with suppress(ProcessLookupError):
        assert select.select([os.pidfd_open(int(said))], [], [], 60)[0], "it lives on"


@pytest.mark.deep
def test_elsewhere_and_here_every_answer_gets_the_same_reply():
    for exercise in [exercise for exercise in dp.exercises.catalogue() if exercise.curve][::4]:
        mistake = exercise.mistakes[0]
        assert exercise.check(mistake.answer, worker.results) == exercise.check(mistake.answer)


@pytest.mark.deep
@pytest.mark.usefixtures("forks")
def test_processes_that_live_on_and_those_for_one_request_serve_alike():
    half = run(PROGRAMS["helper"])["half"]
    for _ in range(2):
        assert np.ravel([x for _, x in results(half)]).tolist() == [0.5, 2.0]


@pytest.mark.skipif(os.name != "posix", reason="other platforms have no groups of processes")
def test_a_process_that_is_gone_is_not_sent_a_signal(monkeypatch):
    one, sent = worker._Worker(), []
    monkeypatch.setattr(os, "killpg", lambda *arguments: sent.append(arguments))
    one._process.kill()
    one._process.wait()
    assert not one.alive
    one.end()
    assert sent == []
