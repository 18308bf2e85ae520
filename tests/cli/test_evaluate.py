"""Time limits hold and nothing is left running, whatever a program does; no test depends on how long that takes."""

import io
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from regretless.cli import _evaluate
from regretless.cli._evaluate import Function, Outcome, Run
from regretless.errors import InvalidInput
from regretless.study import processes
from regretless.study.processes import KEPT, MARK, Programs, Tail

#: Writes the process ids of all that it starts to the file ``pids``, then does what it is told to.
PROGRAM = """
import os, signal, subprocess, sys, time

def note():
    with open("pids", "a") as file:
        file.write(f"{os.getpid()}\\n")

def start(deaf=False, session=False, daemon=False, clean=False):
    if os.fork():
        return
    if session:
        os.setsid()
    if daemon and os.fork():
        os._exit(0)
    if deaf:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    note()
    if clean:
        os.execve("/bin/sleep", ["sleep", "300"], {})
    time.sleep(300)
    os._exit(0)

def when(count):
    while not os.path.exists("pids") or len(open("pids").read().split()) < count:
        time.sleep(0.01)
    print(7.5, flush=True)

note()
"""

HANGS = {
    "it sleeps": "time.sleep(300)",
    "it ignores SIGTERM": "signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(300)",
    "a child ignores SIGTERM": "start(deaf=True); when(2); time.sleep(300)",
    "a child has a session of its own": "start(session=True); when(2); time.sleep(300)",
    "a deaf daemon": "start(deaf=True, session=True, daemon=True); when(2); time.sleep(300)",
    "a child in another session without our mark": "start(session=True, clean=True); when(2); time.sleep(300)",
    "it closes its output": "os.close(1); os.close(2); time.sleep(300)",
    "it never stops talking": "\nwhile True:\n    print('x' * 1000)",
}
ENDS = {
    "a child keeps the pipe open": "start(); when(2)",
    "a deaf child keeps the pipe open": "start(deaf=True); when(2)",
    "a daemon keeps the pipe open": "start(session=True, daemon=True); when(2)",
    "a child of the group without our mark": "start(clean=True); when(2)",
}


@pytest.fixture(autouse=True)
def little_patience(monkeypatch):
    monkeypatch.setattr(processes, "GRACE", 0.3)


def python(text, *, timeout, folder):
    (folder / "program.py").write_text(PROGRAM + text + "\n")
    return Run((sys.executable, "-I", "-S", "program.py"), [], folder, timeout)


def gone(folder):
    """Whether nothing that was started lives; a zombie that nobody waits for is dead."""
    if not (folder / "pids").exists():  # the machine is so busy that nothing was started in time
        return True
    pids = [int(pid) for pid in (folder / "pids").read_text().split()]
    for _ in range(2400):  # a busy machine buries its dead late
        if not any(map(lives, pids)):
            return True
        time.sleep(0.05)
    return False


def lives(pid):
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


@pytest.mark.parametrize("text", HANGS.values(), ids=HANGS)
def test_a_time_limit_leaves_nothing_behind(tmp_path, text):
    run = python(text + "\nopen('over', 'w')", timeout=0.7, folder=tmp_path)
    assert run({}) == Outcome(None, "failed", "no result after 0.7 seconds")
    assert not (tmp_path / "over").exists()  # it was not waited for
    assert gone(tmp_path)


@pytest.mark.parametrize("text", ENDS.values(), ids=ENDS)
def test_a_program_that_ends_has_ended(tmp_path, text):
    """Its value counts at once, although others keep its pipe open, and they are ended."""
    assert python(text, timeout=None, folder=tmp_path)({}) == Outcome(7.5)
    assert gone(tmp_path)


def test_a_server_may_stay(tmp_path):
    """Started in a session of its own and without the mark, as the docs say, it outlives the program."""
    text = "start(session=True, daemon=True, clean=True); when(2)"
    assert python(text, timeout=None, folder=tmp_path)({}) == Outcome(7.5)
    _, server = map(int, (tmp_path / "pids").read_text().split())
    assert lives(server)
    os.kill(server, signal.SIGKILL)


def stopped(run, folder):
    """The outcome of a run that is stopped once two process ids are noted."""
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(run, {})
        while not (folder / "pids").exists() or len((folder / "pids").read_text().split()) < 2:
            time.sleep(0.01)
        run.stop()
        return future.result()


def test_stop_ends_everything_and_nothing_starts_after_it(tmp_path):
    run = python(HANGS["a deaf daemon"], timeout=None, folder=tmp_path)
    assert stopped(run, tmp_path).value is None
    assert gone(tmp_path)
    assert run({}).kind == "unusable"


def test_a_program_that_listens_has_time_to_tidy_up(tmp_path, monkeypatch):
    monkeypatch.setattr(processes, "GRACE", 20.0)  # more than a busy machine needs
    tidy = "lambda *_: (open('tidy', 'w').close(), os._exit(0))"
    run = python(f"signal.signal(signal.SIGTERM, {tidy}); note(); time.sleep(300)", timeout=None, folder=tmp_path)
    stopped(run, tmp_path)
    assert (tmp_path / "tidy").exists()


def test_programs_carry_a_mark_each_its_own():
    programs = Programs()
    marks = set()
    for _ in range(2):
        program = programs.start(["sh", "-c", f"echo ${MARK}"], stdout=subprocess.PIPE)
        marks.add(Tail(program.child.stdout).text().strip())
        programs.end(program)
    assert len(marks) == 2
    assert all(len(mark) == 16 for mark in marks)


# Output ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [0, 10, KEPT - 1, KEPT, KEPT + 1, 5 * KEPT + 17])
def test_the_tail_of_a_stream(size):
    text = bytes(97 + i % 26 for i in range(size))
    tail = Tail(io.BytesIO(text))
    assert tail.text() == text[-KEPT:].decode()
    assert tail.cut == (size > KEPT)


def test_much_output_does_not_matter(tmp_path):
    text = "for _ in range(3000):\n    print('x' * 999)\n    print('y' * 999, file=sys.stderr)\nprint('2.5')"
    assert python(text, timeout=None, folder=tmp_path)({}) == Outcome(2.5)


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("print('a\\n' * 50000 + '2.5')", Outcome(2.5)),
        ("print('\\n' * 70000 + '2.5' + '\\n' * 100)", Outcome(2.5)),
        ("print('x' + ' ' * 70000 + '2.5')", Outcome(None, "error", "the last line is longer than 65536 bytes")),
        ("print('working\\r2.5')", Outcome(2.5)),
        ("sys.stdout.buffer.write(b'\\xff\\xfe\\n2.5')", Outcome(2.5)),
        ("print('-NaN')", Outcome(None, "failed", "the value is nan")),
        ("print('Infinity')", Outcome(None, "failed", "the value is inf")),
        ("sys.exit(3)", Outcome(None, "error", "exit code 3")),
        ("sys.exit('bad rate')", Outcome(None, "error", "exit code 1: bad rate")),
        ("os.kill(os.getpid(), 9)", Outcome(None, "error", "ended by signal 9")),
        ("sys.exit(127)", Outcome(None, "unusable", "exit code 127")),
    ],
)
def test_what_a_program_says(tmp_path, text, outcome):
    assert python(text, timeout=None, folder=tmp_path)({}) == outcome


def test_a_program_that_cannot_be_started(tmp_path):
    assert Run(("./missing",), [], tmp_path, None)({}).kind == "unusable"
    outcome = Run(("echo", "{x}"), ["x"], tmp_path, None)({"x": "a\0b"})
    assert outcome.kind == "unusable"
    assert "null" in outcome.why


# Python functions -----------------------------------------------------------------------------------------------------

MODEL = """
import atexit, os, signal, subprocess, sys, time
import numpy as np

def double(p):
    print("this is no answer")
    return 2 * p["x"]

def slow(p):
    with open("pids", "a") as file:
        file.write(f"{os.getpid()}\\n")
    if p["x"] > 0.5:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        child = subprocess.Popen(["sleep", "300"], start_new_session=True)
        with open("pids", "a") as file:
            file.write(f"{child.pid}\\n")
        while True:
            time.sleep(1)
    return p["x"]

def bug(p):
    return p["no such key"]

def out(p):
    sys.exit("enough")

def dies(p):
    if os.fork() == 0:
        time.sleep(300)  # keeps the pipe open
    os._exit(3)

def returns(p):
    return {
        "text": "1.5", "bool": True, "bytes": b"3", "none": None, "array": np.array([1.0]), "long": 10**5000,
        "td": np.timedelta64(3, "s"), "zero-d": np.array(1.5), "f4": np.float32(0.5), "int": 10**300,
        "nan": float("nan"),
    }[p["x"]]

number = 3
atexit.register(lambda: open("left", "w").close())
"""


@pytest.fixture
def function(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.py").write_text(MODEL)
    made = []

    def make(name, timeout=None):
        made.append(Function(f"model:{name}", tmp_path, timeout))
        return made[-1]

    yield make
    for each in made:
        each.stop()


def test_a_function_and_what_it_prints(function, capfd, monkeypatch):
    monkeypatch.setattr(_evaluate, "GRACE", 20.0)  # more than a busy machine needs
    double = function("double")
    double.check()
    assert [double({"x": 0.1 + i}) for i in range(3)] == [Outcome(2 * (0.1 + i)) for i in range(3)]
    double.stop()
    assert Path("left").exists()  # it was not killed while it had nothing to do
    printed = capfd.readouterr()
    assert printed.out == ""
    assert printed.err.count("this is no answer") == 3
    assert double({"x": 0.5}).kind == "unusable"


def test_a_time_limit_for_a_function_replaces_its_process(function, tmp_path):
    slow = function("slow", timeout=2.0)
    assert slow({"x": 0.25}) == Outcome(0.25)
    assert slow({"x": 0.75}) == Outcome(None, "failed", "no result after 2 seconds")
    assert gone(tmp_path)
    assert slow({"x": 0.5}) == Outcome(0.5)
    first, hung, _, new = (tmp_path / "pids").read_text().split()
    assert first == hung
    assert new != first


def test_what_a_function_raises(function):
    outcome = function("bug")({"x": 1})
    assert outcome == Outcome(None, "error", "KeyError: 'no such key' (model.py, line 22)")
    assert function("out")({"x": 1}).why.startswith("SystemExit: enough")


def test_a_function_whose_process_dies(function):
    dies = function("dies")
    for _ in range(2):
        assert dies({"x": 1}) == Outcome(None, "died", "the process of the function died (exit code 3)")


def test_what_a_function_returns_is_read_as_tell_reads_it(function):
    returns = function("returns")
    for name, value in {"zero-d": 1.5, "f4": 0.5, "int": 1e300}.items():
        assert returns({"x": name}) == Outcome(value)
    assert returns({"x": "nan"}).kind == "failed"
    assert returns({"x": "array"}) == Outcome([1.0])  # replicates
    for name in ("text", "bool", "bytes", "none", "td", "long"):
        outcome = returns({"x": name})
        assert outcome.kind == "error", name
        assert "what the function returned must be" in outcome.why


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ("model:doubel", "doubel is not there. Did you mean 'double'"),
        ("model:number", "number is no function"),
        ("modle:double", "ModuleNotFoundError"),
        ("broken:f", r"SyntaxError"),
        ("raising:f", r"ZeroDivisionError: division by zero \(raising.py, line 2\)"),
        ("leaving:f", "SystemExit"),
        ("dying:f", "died"),
    ],
)
def test_functions_that_cannot_be_called(function, tmp_path, target, says):
    (tmp_path / "broken.py").write_text("def f(:\n")
    (tmp_path / "raising.py").write_text("\n1 / 0\n")
    (tmp_path / "leaving.py").write_text("import sys\nsys.exit()\n")
    (tmp_path / "dying.py").write_text("import os\nos._exit(1)\n")
    function("double")
    with pytest.raises(InvalidInput, match=f"(?s)cannot be called.*{says}"):
        Function(target, tmp_path, None).check()
