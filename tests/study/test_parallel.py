"""`maximize` with workers: real processes, threads and pools, and what is refused before any of them is started."""

import multiprocessing
import os
import signal
import threading
import time
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest
from tests.study.evaluated import bowl as f
from tests.study.evaluated import distance, picky, suicidal

from regretless import InvalidInput, RegretlessError, Study, maximize, minimize
from regretless.study.flight import WorkerDied
from regretless.study.run import _message
from regretless.study.workers import End

from .helpers import SPACES, all_bits

BOX = [(0.0, 1.0), (-2.0, 2.0)]


@pytest.mark.parametrize("space", SPACES)
def test_one_worker_is_no_worker_bit_by_bit(space):
    alone, worker, thread = (Study(SPACES[space](), seed=3) for _ in range(3))
    alone.optimize(distance, 9)
    worker.optimize(distance, 9, workers=1)
    with ThreadPoolExecutor(1) as pool:
        thread.optimize(distance, 9, executor=pool)
    assert all_bits(alone) == all_bits(worker) == all_bits(thread)
    assert [trial.value for trial in alone.trials] == [trial.value for trial in worker.trials]


def test_several_workers_and_a_lambda():
    shift = np.array([0.3, 1.0])
    result = minimize(lambda x: float(((x - shift) ** 2).sum()), BOX, 25, seed=1, workers=3)
    assert result.message == "25 trials done"
    assert [trial.status for trial in result.history] == ["told"] * 25
    assert result.fun < 0.05


def test_a_free_worker_asks_at_once():
    """One evaluation that does not end keeps nobody else from going on."""
    release, ended = threading.Event(), []

    def slow(x):
        if not ended:
            ended.append(0)
            release.wait(60)
        else:
            ended.append(1)
            if len(ended) == 10:
                release.set()
        return f(x)

    with ThreadPoolExecutor(2) as pool:
        result = maximize(slow, BOX, 12, seed=1, executor=pool)
    told = [event.number for event in result.study.events() if event.kind == "told"]
    assert told.index(0) >= 8  # the last of nine others may have been told together with it
    assert result.nfev == 12


def test_a_function_that_never_returns_is_killed_at_its_limit():
    def hangs(x):
        if x[0] > 0.5:
            time.sleep(600)
        return f(x)

    result = maximize(hangs, BOX, 8, seed=0, workers=4, time_limit=0.5)
    slow = [trial for trial in result.history if trial.params["x0"] > 0.5]
    assert slow
    assert {trial.status for trial in slow} == {"failed"}
    assert result.nfev == 8


def test_threads_that_never_return_end_the_run():
    release = threading.Event()
    with ThreadPoolExecutor(2) as pool:
        with pytest.raises(RegretlessError, match=r"all 2 workers go on with evaluations .* time limit of 0.2 seconds"):
            maximize(lambda _: release.wait(60), BOX, 8, seed=0, executor=pool, time_limit=0.2)
        release.set()


def test_a_worker_that_dies_costs_nothing(tmp_path):
    def dies_once(x):
        mark = tmp_path / f"{x[0]:.17g}"
        if not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return f(x)

    result = maximize(dies_once, BOX, 6, seed=0, workers=2)
    assert [trial.status for trial in result.history] == ["told"] * 6
    with ThreadPoolExecutor(1) as pool:  # of one point that kills every time
        study = Study(BOX, seed=0)
        study.optimize(lambda _: (_ for _ in ()).throw(WorkerDied("gone")), 1, executor=pool, retries=0)
    assert [trial.status for trial in study.trials] == ["failed"]


def pool():
    return ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn"))


def test_a_pool_that_breaks_is_made_anew_by_a_function_that_makes_it(tmp_path, monkeypatch):
    monkeypatch.setenv("REGRETLESS_TEST_MARK", str(tmp_path / "one"))
    result = maximize(suicidal, BOX, 6, seed=0, executor=pool)
    assert [trial.status for trial in result.history] == ["told"] * 6
    monkeypatch.setenv("REGRETLESS_TEST_MARK", str(tmp_path / "two"))
    with pool() as foreign, pytest.raises(Exception, match="terminated abruptly") as caught:
        maximize(suicidal, BOX, 6, seed=0, executor=foreign)
    assert {trial.status for trial in caught.value.study.trials} <= {"told", "released"}


def test_an_exception_is_raised_with_its_trial_and_what_runs_is_told():
    with pytest.raises(ValueError, match="too hot") as caught:
        maximize(picky, BOX, 30, seed=0, workers=2)
    study = caught.value.study
    assert {trial.status for trial in study.trials} <= {"told", "released"}
    lost = next(trial for trial in study.trials if trial.status == "released")
    assert f"Trial {lost.number} (x0={lost.params['x0']!r}, x1=" in caught.value.__notes__[-1]
    assert "In the worker process" in caught.value.__notes__[0]
    failed = maximize(picky, BOX, 8, seed=0, workers=2, on_error="fail").history
    assert all((trial.status == "failed") == (trial.params["x0"] > 0.5) for trial in failed)


def test_a_run_with_workers_in_a_store_has_leases(tmp_path):
    result = maximize(f, BOX, 4, seed=0, workers=2, store=tmp_path / "s.db")
    assert all(event.data["lease"]["seconds"] == 60.0 for event in result.study.events() if event.kind == "asked")
    alone = maximize(f, BOX, 4, seed=0, store=tmp_path / "alone.db")  # nobody could renew it while f runs
    assert all(event.data["lease"] is None for event in alone.study.events() if event.kind == "asked")


def test_the_message_has_the_certificate_that_ended_the_run_and_the_one_of_now():
    then, now = SimpleNamespace(sentence="It costs 0.3."), SimpleNamespace(sentence="It costs 0.1.")
    assert _message(End("stopped", left=then), 9, 40) == "stopped after 9 of 40 trials. It costs 0.3."
    said = _message(End("stopped", left=then, after=now, more=2), 9, 40)
    assert said == "stopped after 7 of 40 trials. It costs 0.3. With the 2 that were running: It costs 0.1."


# What is refused ------------------------------------------------------------------------------------------------------


class NoCount(ThreadPoolExecutor):
    _max_workers = None

    def __init__(self):
        super().__init__(1)
        del self.__dict__["_max_workers"]


class ClientExecutor:
    """As Dask's is called."""

    def __init__(self, **kwargs):
        self._kwargs = kwargs

    def submit(self, fn, *args):
        future = Future()
        future.set_result(fn(*args))
        return future


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"workers": 0}, "workers must be"),
        ({"workers": 2.5}, "workers must be"),
        ({"retries": -1, "workers": 1}, "retries must be"),
        ({"time_limit": 0, "workers": 1}, "time_limit must be"),
        ({"time_limit": 1.0}, "time_limit needs workers= or executor="),
        ({"executor": 8}, "executor must have a method submit"),
        ({"executor": lambda: 8}, "must make something with a method submit"),
        ({"executor": NoCount()}, "say how many trials to run at a time"),
        ({"executor": ClientExecutor(), "workers": 2}, "pure=False"),
        ({"executor": ProcessPoolExecutor(1)}, "leave executor= out"),
    ],
)
def test_what_is_refused_burns_no_trial(tmp_path, more, says):
    with pytest.raises(InvalidInput, match=says):
        maximize(lambda x: f(x), BOX, 4, store=tmp_path / "s.db", **more)
    if (tmp_path / "s.db").exists():
        with Study.open(tmp_path / "s.db", "study") as study:
            assert len(study) == 0


def test_a_function_that_cannot_be_sent_burns_no_trial():
    lock, study = threading.Lock(), Study(BOX)
    with pytest.raises(InvalidInput, match="cannot be sent"):
        study.optimize(lambda _: lock.locked(), 3, workers=2)
    assert len(study) == 0


def test_an_executor_of_the_user_is_not_shut_down():
    pool = ThreadPoolExecutor(2)
    maximize(f, BOX, 4, seed=0, executor=pool)
    assert pool.submit(abs, -1).result() == 1
    pool.shutdown()
    made = []

    def make():
        made.append(ThreadPoolExecutor(2))
        return made[-1]

    maximize(f, BOX, 4, seed=0, executor=make)
    with pytest.raises(RuntimeError, match="after shutdown"):
        made[0].submit(abs, -1)


def test_a_pure_false_executor_of_dask_is_taken():
    assert maximize(f, BOX, 4, seed=0, executor=ClientExecutor(pure=False), workers=2).nfev == 4
