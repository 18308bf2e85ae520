"""Fifty workers killed by SIGKILL in the middle of a run, on processes of our own, loky and Dask."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.cli.bench import heed_signals
from tests.study.evaluated import bowl, slow_bowl
from tests.study.kills import BOX, Killer, check

from regretless import Study
from regretless.study import executors

KILLS = 50


def run(n, until, pids, **more):
    """Go on until ``n`` workers were killed and at least so many evaluations were done."""
    study = Study(BOX, seed=0, n_initial=10_000)  # suggestions cost nothing: what is tried are the workers
    with Killer(n, pids) as killer:

        def callback(_study, trial):
            killer.goes_on()
            return killer.killed >= n and trial.number >= until

        study.optimize(slow_bowl, 100_000, callback=callback, retries=20, progress=False, **more)
    assert killer.killed == n
    check(study, len(study.trials))
    assert {trial.status for trial in study.trials} == {"told"}
    return len(study.trials)


@pytest.mark.parametrize("kills", [3, pytest.param(KILLS, marks=pytest.mark.slow)])
def test_processes_of_our_own(kills, monkeypatch):
    made = []

    class Noted(executors.Slots):
        def __post_init__(self):
            super().__post_init__()
            made.append(self)

    monkeypatch.setattr(executors, "Slots", Noted)
    print(run(kills, 20, lambda: made[0].pids() if made else [], workers=4), "evaluations")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_loky():
    from joblib.externals.loky import get_reusable_executor

    made = []

    def make():
        made.append(get_reusable_executor(max_workers=4, timeout=60))
        return made[-1]

    def pids():
        return list(made[-1]._processes)

    print(run(KILLS, 20, pids, executor=make), "evaluations")


@pytest.mark.parametrize("kills", [1, pytest.param(KILLS, marks=pytest.mark.slow)])
@pytest.mark.filterwarnings("ignore")  # nannies live in this process: what they warn of would end them
def test_dask(kills, loopback):
    import dask
    from distributed import Client, LocalCluster

    local = {"host": "127.0.0.1", "protocol": "tcp://", "dashboard_address": "127.0.0.1:0"}
    n_workers = 4 if kills > 1 else 2
    patient = {"distributed.scheduler.allowed-failures": 1000, "distributed.deploy.lost-worker-timeout": "1 hour"}
    with (
        dask.config.set(patient),
        LocalCluster(n_workers=n_workers, threads_per_worker=1, processes=True, **local) as cluster,
        Client(cluster) as client,
    ):

        def pids():  # of workers that answer, while all do: a nanny gives up on one that is killed while it starts
            found = client.run(os.getpid, on_error="ignore")
            return list(found.values()) if len(found) == n_workers else []

        print(run(kills, 20, pids, executor=client), "evaluations")


INTERRUPTED = """
import sys, time
from regretless import maximize
from tests.study.evaluated import bowl

def f(x):
    time.sleep(0.02)
    return bowl(x)

def begun(_study, trial):
    if trial.number == 0:
        print("begun", flush=True)

box = [(0.0, 1.0), (-2.0, 2.0)]
result = maximize(f, box, 100_000, store=sys.argv[1], seed=0, workers=3, n_initial=10_000, callback=begun)
print(result.message, flush=True)
"""


@pytest.mark.slow
def test_ctrl_c_at_any_moment_leaves_no_trial_pending_without_a_lease(tmp_path):
    """A hundred times, once or twice; a run that is given the time to end leaves none pending at all."""
    root = str(Path(__file__).parents[2])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([root, os.environ.get("PYTHONPATH", "")])}
    counts = {}
    for i in range(100):
        path = tmp_path / f"{i}.db"
        driver = subprocess.Popen(
            [sys.executable, "-c", INTERRUPTED, path],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
            preexec_fn=heed_signals,
        )
        begun = driver.stdout.readline()
        assert begun == "begun\n", driver.communicate(timeout=600)
        time.sleep((i * 0.618 % 1.0) * 1.5)
        for _ in range(1 + i % 2):
            driver.send_signal(signal.SIGINT)
            time.sleep((i * 0.414 % 1.0) * 0.05)
        out, err = driver.communicate(timeout=600)
        if driver.returncode == 0:  # else the second came when the run had ended
            assert out.startswith("interrupted after"), (out, err)
        with Study.open(path, "study") as study:
            pending = [trial.number for trial in study.trials if trial.status == "pending"]
            assert all(study._recorder.ledger.leases[number] is not None for number in pending)
            if driver.returncode == 0:
                assert not pending
            how = f"exit {driver.returncode}, {'pending' if pending else 'none pending'}"
            counts[how] = counts.get(how, 0) + 1
    print(counts)


KILLED = """
import sys
from regretless import Study
from tests.study.evaluated import bowl, slow_bowl

with Study.open(sys.argv[1], "study", space=[(0.0, 1.0), (-2.0, 2.0)], seed=0, n_initial=10_000, lease=1.5) as study:
    callback = lambda _, trial: print(trial.number, flush=True)
    study.optimize(slow_bowl, 100_000, workers=3, progress=False, callback=callback)
"""


def test_a_driver_that_is_killed_leaves_its_trials_to_the_next(tmp_path):
    root = str(Path(__file__).parents[2])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([root, os.environ.get("PYTHONPATH", "")])}
    path = tmp_path / "s.db"
    driver = subprocess.Popen([sys.executable, "-c", KILLED, path], stdout=subprocess.PIPE, text=True, env=environment)
    for _ in range(4):
        assert driver.stdout.readline()
    driver.kill()
    driver.communicate()
    with Study.open(path, "study", lease=1.5) as study:
        left = [trial for trial in study.trials if trial.status == "pending"]
        assert 1 <= len(left) <= 3  # never more than there are workers
        assert all(study._recorder.ledger.leases[trial.number] is not None for trial in left)
        while any(trial.status == "pending" for trial in study.trials):  # until the leases have ended
            study.optimize(bowl, 1, progress=False)
            time.sleep(0.1)
        check(study, len(study.trials))
        assert [study.trials[trial.number].params for trial in left] == [trial.params for trial in left]
