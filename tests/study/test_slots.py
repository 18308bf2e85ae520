"""Processes of our own: what they do with a function, and how they end. Nothing here depends on how long that takes."""

import importlib
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import wait
from pathlib import Path

import numpy as np
import pytest

from regretless.errors import InvalidInput
from regretless.study import slots as module
from regretless.study.flight import WorkerDied
from regretless.study.slots import Slots, packed


@pytest.fixture
def slots():
    with Slots(2) as made:
        yield made


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def gone(pid):
    for _ in range(2400):
        if not alive(pid):
            return True
        time.sleep(0.05)
    return False


def appears(path):
    for _ in range(2400):
        if path.exists() and path.read_text():
            return path.read_text()
        time.sleep(0.05)
    raise AssertionError(f"{path} did not appear")


def test_a_function_and_what_it_closes_over(slots):
    shift = np.arange(200_000.0)
    futures = [slots.submit(lambda x, scale: float((x * scale + shift).sum()), x, scale=2.0) for x in range(5)]
    assert [future.result() for future in futures] == [float((x * 2.0 + shift).sum()) for x in range(5)]


def test_modules_are_found_where_this_process_finds_them(slots, tmp_path, monkeypatch):
    """Also in a folder that became known after it began, as that of a notebook."""
    (tmp_path / "beside_the_notebook.py").write_text("def twice(x):\n    return 2 * x\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert slots.submit(importlib.import_module("beside_the_notebook").twice, 4).result() == 8


def test_no_more_processes_than_slots_and_each_is_used_again(slots):
    numbers = {future.result() for future in [slots.submit(os.getpid) for _ in range(20)]}
    assert len(numbers) <= 2
    assert os.getpid() not in numbers


def test_exceptions_say_where_they_were_raised(slots):
    def f():
        raise KeyError("no such name")

    error = slots.submit(f).exception()
    assert isinstance(error, KeyError)
    assert "in f" in error.__notes__[0]

    def leave():
        raise SystemExit(3)  # not sys.exit: W&B, whose recipe runs in the same process, puts another in its place

    with pytest.raises(SystemExit):
        slots.submit(leave).result()
    assert slots.submit(abs, -1).result() == 1


def test_what_cannot_be_sent_back_is_an_error_that_says_so(slots):
    class Odd(Exception):
        def __init__(self, one, two):
            super().__init__(one + two)

    def f():
        raise Odd("one", "two")

    assert "what f raised cannot be sent back" in str(slots.submit(f).exception())
    assert "what f returned cannot be sent back" in str(slots.submit(threading.Lock).exception())
    assert slots.submit(abs, -1).result() == 1


@pytest.mark.parametrize(
    ("end", "says"),
    [
        (lambda: os._exit(3), "the process ended with exit code 3"),
        (lambda: os.kill(os.getpid(), signal.SIGKILL), "the process was killed by signal 9"),
    ],
    ids=["exits", "is killed"],
)
def test_a_process_that_dies_takes_nothing_with_it(slots, end, says):
    beside = slots.submit(lambda: time.sleep(0.3) or "beside")
    assert str(slots.submit(end).exception()) == says
    assert isinstance(slots.submit(end).exception(), WorkerDied)
    assert beside.result() == "beside"
    assert slots.submit(abs, -1).result() == 1  # another took its place


def test_a_child_that_keeps_the_pipe_open_hides_no_death(slots, tmp_path):
    def f(path):
        if os.fork() == 0:  # it has the pipe of its parent
            path.write_text(str(os.getpid()))
            time.sleep(300)
        while not path.exists():
            time.sleep(0.01)
        os._exit(3)

    assert isinstance(slots.submit(f, tmp_path / "pid").exception(), WorkerDied)
    assert gone(int(appears(tmp_path / "pid")))


def test_kill_ends_a_function_and_what_it_started(slots, tmp_path):
    def f(path):
        child = subprocess.Popen(["sleep", "300"], start_new_session=True)
        path.write_text(f"{os.getpid()} {child.pid}")
        child.wait()

    futures = [slots.submit(f, tmp_path / name) for name in "ab"]
    numbers = [int(number) for name in "ab" for number in appears(tmp_path / name).split()]
    assert sorted(slots.pids()) == sorted(numbers[::2])
    slots.kill(futures)
    assert all(isinstance(future.exception(), WorkerDied) for future in futures)
    assert all(gone(number) for number in numbers)
    assert slots.submit(abs, -1).result() == 1


def test_kill_at_once(slots):
    """Before the process has even started."""
    for _ in range(5):
        future = slots.submit(time.sleep, 300)
        slots.kill([future])
        assert future.done()


def test_one_thread_of_blas(slots):
    def f():
        import numpy as np
        from threadpoolctl import threadpool_info

        np.ones((2, 2)) @ np.ones((2, 2))
        return [library["num_threads"] for library in threadpool_info()]

    found = slots.submit(f).result()
    assert found
    assert set(found) == {1}


def test_what_a_function_prints_is_no_answer(slots, capfd):
    assert slots.submit(lambda: print("hello") or 7).result() == 7
    slots.shutdown()
    captured = capfd.readouterr()
    assert (captured.out, captured.err) == ("", "hello\n")


def test_functions_that_cannot_be_sent_are_refused_with_what_to_do(slots, monkeypatch):
    lock = threading.Lock()
    with pytest.raises(InvalidInput, match="cannot be sent to another process: TypeError"):
        slots.check(lambda: lock)
    monkeypatch.setattr(module, "_cloudpickle", lambda: None)
    with pytest.raises(InvalidInput, match=r"Install cloudpickle.*regretless\[workers\]"):
        packed(lambda: 1)
    assert packed(abs)
    monkeypatch.setattr(sys.modules["__main__"], "here", _renamed(), raising=False)
    with pytest.raises(InvalidInput, match="defined in the program that runs"):
        packed(sys.modules["__main__"].here)


def _renamed():
    def here():
        return 1

    here.__module__, here.__qualname__ = "__main__", "here"
    return here


def test_functions_that_cannot_be_used_in_a_process_are_refused(slots, tmp_path, monkeypatch):
    """Its module is found here, and not there."""
    (tmp_path / "passing.py").write_text("def f(x):\n    return x\n")
    monkeypatch.syspath_prepend(tmp_path)
    import passing

    (tmp_path / "passing.py").unlink()
    for cached in tmp_path.glob("__pycache__/*"):
        cached.unlink()
    with pytest.raises(InvalidInput, match=r"cannot be used in a worker process.*passing"):
        slots.check(passing.f)


DRIVER = """
import os, subprocess, sys, time
from regretless.study.slots import Slots

def f(path):
    child = subprocess.Popen(["sleep", "300"])
    with open(path, "w") as file:
        file.write(f"{os.getpid()} {child.pid}")
    child.wait()

Slots(1).submit(f, sys.argv[1]).result()
"""


def test_processes_end_with_a_driver_that_is_killed(tmp_path):
    driver = subprocess.Popen([sys.executable, "-c", DRIVER, tmp_path / "pids"])
    numbers = [int(number) for number in appears(tmp_path / "pids").split()]
    driver.kill()
    driver.wait()
    assert all(gone(number) for number in numbers)


def test_shutdown_waits_or_does_not(tmp_path):
    with Slots(1) as waited:
        future = waited.submit(lambda: time.sleep(0.2) or "done")
    assert future.result() == "done"
    hurried = Slots(1)
    future = hurried.submit(time.sleep, 300)
    hurried.shutdown(wait=False, cancel_futures=True)
    wait([future])
    assert future.cancelled() or isinstance(future.exception(), WorkerDied)
