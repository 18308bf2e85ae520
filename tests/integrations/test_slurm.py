"""Jobs of submitit as futures: on processes of this machine, and on jobs that end as a test says."""

import threading
import time
from concurrent.futures import BrokenExecutor, CancelledError

import pytest
from tests.study.evaluated import bowl, picky

from regretless import maximize
from regretless.integrations.slurm import JobDied, SubmititExecutor

BOX = [(0.0, 1.0), (-2.0, 2.0)]


class Job:
    def __init__(self, fn, args):
        self.ended, self.cancelled, self._fn, self._args = threading.Event(), threading.Event(), fn, args
        self.died = False

    def done(self):
        return self.ended.is_set()

    def cancel(self):
        self.cancelled.set()

    def result(self):
        if self.died:
            from submitit.core.utils import UncompletedJobError

            raise UncompletedJobError("Job 7 has not produced any output (state: OUT_OF_MEMORY)")
        return self._fn(*self._args)


class Jobs:
    def __init__(self):
        self.submitted = []

    def submit(self, fn, *args):
        self.submitted.append(Job(fn, args))
        return self.submitted[-1]


@pytest.fixture
def jobs():
    made = Jobs()
    with SubmititExecutor(made, every=0.005) as executor:
        yield made, executor


def test_what_jobs_come_to(jobs):
    made, executor = jobs
    futures = [executor.submit(f, [x, 1.0]) for f, x in ((bowl, 0.3), (picky, 0.9), (bowl, 0.1), (bowl, 0.2))]
    made.submitted[2].died = True
    assert futures[3].cancel()  # Slurm is told
    assert made.submitted[3].cancelled.wait(600)
    for job in made.submitted[:3]:
        job.ended.set()
    assert futures[0].result(600) == 0.0
    assert isinstance(futures[1].exception(10), ValueError)
    assert isinstance(futures[2].exception(10), JobDied)
    assert isinstance(futures[2].exception(), BrokenExecutor)  # its trial is repeated
    with pytest.raises(CancelledError):
        futures[3].result(600)


def test_shutdown_takes_no_more_and_cancels_if_asked():
    made = Jobs()
    executor = SubmititExecutor(made, every=0.005)
    future = executor.submit(bowl, [0.3, 1.0])
    executor.shutdown(wait=True, cancel_futures=True)
    assert future.cancelled()
    assert made.submitted[0].cancelled.is_set()
    with pytest.raises(RuntimeError, match="after shutdown"):
        executor.submit(bowl, [0.3, 1.0])


def test_one_thread_for_all_jobs(jobs):
    made, executor = jobs
    before = threading.active_count()
    futures = [executor.submit(bowl, [0.3, 1.0]) for _ in range(20)]
    assert threading.active_count() <= before + 1
    for job in made.submitted:
        job.ended.set()
    assert [future.result(600) for future in futures] == [0.0] * 20


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_submitit_on_this_machine(tmp_path):
    import submitit

    local = submitit.AutoExecutor(folder=tmp_path, cluster="local")
    local.update_parameters(timeout_min=2)
    began = time.monotonic()
    with SubmititExecutor(local, every=0.2) as executor:
        result = maximize(bowl, BOX, 4, seed=0, executor=executor, workers=2)
    print(f"{time.monotonic() - began:.1f} s")
    assert [trial.status for trial in result.history] == ["told"] * 4
    assert result.fun == bowl(result.x)
