"""Answers in a process of their own: sent as they are, ended when they do not end, and no trace of them afterwards."""

import os
import pickle
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import dptutor as dp
from dptutor.exercises import worker
from dptutor.exercises.calling import here
from dptutor.exercises.core import run
from dptutor.exercises.sending import dumps

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
            "from dptutor.exercises.worker import serve", "from dptutor.exercises import worker as w"
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


def test_what_a_function_prints_is_seen(capsys):
    results(run("def half(x):\n    print('x is', x)\n    return x / 2")["half"])
    assert capsys.readouterr().out == "x is 1.0\nx is 4.0\n"


def test_what_cannot_be_sent_is_checked_here_and_the_reply_says_so():
    lock = threading.Lock()

    def tradeoff(alpha, mu):
        with lock:
            return 1 - alpha

    with pytest.raises(worker.Unsendable, match="lock"):
        results(tradeoff)
    result = dp.exercises.check("1.3", tradeoff)
    assert "blind guessing" in result.message
    assert "in the notebook's own process, since it cannot be sent" in result.note
    assert result.note in repr(result) and "lock" in result._repr_html_()


def test_a_class_of_a_notebook_is_not_sent_by_a_name_that_nobody_else_knows():
    program = "class Half:\n    def __call__(self, x):\n        return x / 2\n\nhalf = Half()"
    space = run(program)
    space["Half"].__module__ = "__main__"
    with pytest.raises(pickle.PicklingError, match="the class Half"):
        dumps(space["half"])


def test_without_processes_answers_are_called_here(monkeypatch):
    monkeypatch.setattr(worker, "available", lambda: False)
    monkeypatch.setattr(worker, "results", None)
    result = dp.exercises.check("1.3", lambda alpha, mu: 1 - alpha)
    assert "blind guessing" in result.message and not result.note


def test_a_python_that_cannot_be_started_is_no_reason_to_fail(monkeypatch):
    monkeypatch.setattr(worker, "_idle", [])
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    assert "blind guessing" in dp.exercises.check("1.3", lambda alpha, mu: 1 - alpha).message


def test_a_stub_starts_no_process(monkeypatch):
    monkeypatch.setattr(worker, "results", None)
    exercise = dp.exercises.get("1.3")
    assert "nothing to check yet" in dp.exercises.check("1.3", run(exercise.stub)["tradeoff"]).message


@pytest.mark.deep
def test_the_process_ends_with_the_one_that_started_it():
    program = (
        "import os, dptutor as dp\n"
        "from dptutor.exercises import worker\n"
        "worker.results(abs, [(1.0,)], 'a number', 5.0)\n"
        "print(worker._idle[0]._process.pid, flush=True)\n"
        "os._exit(0)"  # without a farewell
    )
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    for _ in range(500):
        if not alive(int(said)):
            return
        time.sleep(0.02)
    raise AssertionError("it lives on")


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        try:
            os.kill(pid, 0)
        except OSError:
            return False
        return not os.path.isdir("/proc")


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
