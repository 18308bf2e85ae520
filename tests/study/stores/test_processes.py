"""Real processes on one store: many at once, some killed, a server that goes away."""

import random
import statistics
import time

import pytest
from tests.study.stores.workers import CONTEXT, SETTINGS, lines, loop, numbers, run, value_of

from regretless import Study, Table, replay


def check(study: Study, logs) -> None:
    """No gap, no number twice, nothing lost, nothing doubled, nothing half-written."""
    trials = study.trials
    assert [trial.number for trial in trials] == list(range(len(trials)))
    told = [number for log in logs for number in numbers(log, "told")]
    assert len(set(told)) == len(told)
    assert all(trials[number].status == "told" for number in told)  # what tell returned for is stored
    for trial in trials:
        assert trial.status in ("told", "pending")
        if trial.status == "told":
            assert trial.value == value_of(trial)
    asked = [number for log in logs for number in numbers(log, "asked")]
    assert len(set(asked)) == len(asked)
    assert [event.seq for event in study.events()] == list(range(1, len(study.events()) + 1))
    kinds = [event.kind for event in study.events()]
    assert kinds.count("told") == sum(trial.status == "told" for trial in trials)


def share(place, tmp_path, n_workers, n_trials, settings) -> Study:
    Study.open(place, "s", **settings).close()
    logs = [tmp_path / f"log{i}" for i in range(n_workers)]
    processes = [run(loop, place, str(log), n_trials, settings) for log in logs]
    for process in processes:
        process.join(600)
        assert process.exitcode == 0
    assert [lines(log)[-1] for log in logs] == ["done"] * n_workers, [lines(log)[-1] for log in logs]
    study = Study.open(place, "s")
    check(study, logs)
    return study


def test_workers_at_once(place, tmp_path):
    study = share(place, tmp_path, 4, 10, SETTINGS)
    assert len(study) == 40
    assert len({tuple(trial.params.items()) for trial in study.trials}) == 40


def test_workers_at_once_on_a_table_with_the_model(place, tmp_path):
    """Same seed for all, every row asked for once, until none is left."""
    table = Table([{"a": i % 5, "b": i // 5} for i in range(25)], repeats="never")
    study = share(place, tmp_path, 3, 25, {"space": table, "seed": 7, "n_initial": 4})
    assert sorted(trial.row for trial in study.trials) == list(range(25))
    assert all(entry.matches for entry in replay(study))


@pytest.mark.slow
def test_eight_workers_a_hundred_trials_each(place, tmp_path):
    study = share(place, tmp_path, 8, 100, SETTINGS)
    assert len(study) == 800
    assert len({tuple(trial.params.items()) for trial in study.trials}) == 800
    assert all(entry.matches for entry in replay(study))


@pytest.mark.slow
def test_eight_workers_with_the_model(place, tmp_path):
    table = Table([{"a": i % 20, "b": i // 20} for i in range(160)], repeats="never")
    study = share(place, tmp_path, 8, 100, {"space": table, "seed": 7})
    assert sorted(trial.row for trial in study.trials) == list(range(160))
    assert all(entry.matches for entry in replay(study))


def open_at_once(place, tmp_path, count) -> None:
    logs, barrier = [tmp_path / f"log{i}" for i in range(count)], CONTEXT.Barrier(count)
    processes = [run(loop, place, str(log), 1, SETTINGS, barrier) for log in logs]
    for process in processes:
        process.join(600)
    assert [lines(log)[-1] for log in logs] == ["done"] * count, [lines(log)[-1] for log in logs]
    check(Study.open(place, "s"), logs)


def test_sixteen_open_a_new_database_at_once(place, tmp_path):
    open_at_once(place, tmp_path, 16)


@pytest.mark.slow
@pytest.mark.parametrize("_again", range(5))
def test_sixteen_open_a_new_database_at_once_again_and_again(place, tmp_path, _again):
    open_at_once(place, tmp_path, 16)


def paused(action) -> float:
    """How long was waited for locks, in seconds of pauses and not of the clock: the machine may be busy."""
    pauses, sleep = [], time.sleep
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(time, "sleep", lambda seconds: (pauses.append(seconds), sleep(seconds)))
        action()
    return sum(pauses)


def kill(place, tmp_path, kills) -> None:
    """SIGKILL at a random instant, then open, look, ask and tell, as the next worker would."""
    rng, waits, logs = random.Random(1), [], []
    Study.open(place, "s", **SETTINGS).close()
    own = tmp_path / "own"
    for i in range(kills):
        logs.append(tmp_path / f"log{i}")
        process = run(loop, place, str(logs[-1]), 10_000, {})
        while not lines(logs[-1]) and process.is_alive() and i % 4:  # now and then it is killed while it opens
            time.sleep(0.001)
        time.sleep(rng.uniform(0.0, 0.15))
        process.kill()
        process.join()
        assert not [line for line in lines(logs[-1]) if line.startswith(("error", "crash"))]
        waits.append(paused(lambda: loop(place, str(own), 1, {})))
        assert lines(own)[-1] == "done"
    study = Study.open(place, "s")
    check(study, [*logs, own])
    assert statistics.median(waits) <= 2.0
    assert sum(len(numbers(log, "asked")) for log in logs) >= kills // 2  # they did get to work


def test_kill_at_random_instants(place, tmp_path):
    kill(place, tmp_path, 5)


@pytest.mark.slow
def test_two_hundred_kills(place, tmp_path):
    kill(place, tmp_path, 200)


def restarted(server, tmp_path, restarts, trials, pause) -> None:
    place = server.new_database()
    Study.open(place, "s", **SETTINGS).close()
    logs = [tmp_path / f"log{i}" for i in range(3)]
    processes = [run(loop, place, str(log), trials, {}) for log in logs]
    while not all(lines(log) for log in logs):
        assert all(process.is_alive() or lines(log) for process, log in zip(processes, logs, strict=True))
        time.sleep(0.01)
    for i in range(restarts):
        time.sleep(pause)
        if i % 2:
            server.drop_connections()
        else:
            server.stop("immediate" if i % 4 else "fast")
            server.start()
    for process in processes:
        process.join(600)
    assert [lines(log)[-1] for log in logs] == ["done"] * 3, [lines(log)[-1] for log in logs]
    study = Study.open(place, "s")
    check(study, logs)
    assert len(study) == 3 * trials


def test_a_server_that_restarts_and_connections_that_drop(server, tmp_path):
    restarted(server, tmp_path, 2, 30, 0.1)


@pytest.mark.slow
def test_a_server_that_restarts_again_and_again(server, tmp_path):
    restarted(server, tmp_path, 16, 300, 0.5)


def test_a_connection_dropped_between_ask_and_tell_costs_nothing(server):
    study = Study.open(server.new_database(), "s", **SETTINGS)
    for drop in (server.drop_connections, lambda: (server.stop(), server.start())):
        trial = study.ask()
        drop()
        assert study.tell(trial, 1.0).status == "told"
        drop()
    assert [event.kind for event in study.events()] == ["asked", "told"] * 2
