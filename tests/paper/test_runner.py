"""The same numbers from one process, several, threads or a Dask cluster; what is done is not done again."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from regretless.errors import InvalidInput
from regretless.paper import reproduce, runner
from regretless.paper.experiments import units_of
from regretless.paper.methods import as_methods
from regretless.paper.runner import answer, crew, do
from regretless.paper.settings import read_settings
from regretless.paper.store import Store
from regretless.study.flight import Workers


def results(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*/*/*/*.csv")}


def units(name):
    settings = read_settings(name, quick=True)
    return units_of(settings, as_methods(settings.methods))[0], settings


def do_all(name, workers, out):
    todo, settings = units(name)
    store = Store.open(out, settings)
    guesses = []
    do([(unit, store.write, 1.0) for unit in todo], workers, guesses.append)
    assert len(guesses) == len(todo)
    return results(out / "results")


@pytest.fixture(scope="module")
def alone(quick_run):
    """What one process found."""
    return results(quick_run[0] / "results")


def of(alone, name):
    return {key: content for key, content in alone.items() if key.startswith(f"{name}-")}


def test_two_processes_give_the_same_bytes(alone, tmp_path):
    with crew(2, None) as workers:
        for name, count in (("synthetic", 40), ("bounds", 8)):
            found = do_all(name, workers, tmp_path / name)
            assert len(found) == count
            assert found == of(alone, name)


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")
def test_a_dask_cluster_gives_the_same_bytes(alone, tmp_path, loopback):
    from distributed import LocalCluster

    local = {"host": "127.0.0.1", "protocol": "tcp://"}  # else it asks for a way to the internet, and warns of none
    with LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0", **local
    ) as cluster:
        reproduce(["linear-regret"], out=tmp_path, quick=True, dask=cluster.scheduler_address)
    assert results(tmp_path / "results") == of(alone, "linear-regret")


def test_any_executor_will_do(alone, tmp_path):
    with ThreadPoolExecutor(2) as pool:
        assert do_all("linear-regret", Workers(pool, 3), tmp_path) == of(alone, "linear-regret")


class Killed(BaseException):
    pass


def test_killed_and_started_again_it_continues(tmp_path, alone, monkeypatch):
    done = []

    def counting(text, limit):
        if len(done) == limit:
            raise Killed
        done.append(text)
        return answer(text)

    monkeypatch.setattr(runner, "answer", lambda text: counting(text, 3))
    with pytest.raises(Killed):
        reproduce(["linear-regret"], out=tmp_path, quick=True)
    assert len(results(tmp_path / "results")) == 3
    assert not (tmp_path / "report.html").exists()
    monkeypatch.setattr(runner, "answer", lambda text: counting(text, 1000))
    first = reproduce(["linear-regret"], out=tmp_path, quick=True)
    assert len(done) == len(set(done)) == 4  # none twice
    assert results(tmp_path / "results") == of(alone, "linear-regret")
    monkeypatch.setattr(runner, "answer", lambda text: counting(text, 4))
    again = reproduce(["linear-regret"], out=tmp_path, quick=True)
    assert len(done) == 4
    assert again.core_seconds == first.core_seconds


def test_an_error_in_a_unit_is_the_callers(tmp_path, monkeypatch):
    def broken(text):
        raise InvalidInput("no such thing")

    monkeypatch.setattr(runner, "answer", broken)
    with pytest.raises(InvalidInput, match="no such thing"):
        reproduce(["confidence"], out=tmp_path, quick=True)


def test_the_bar_moves(capsys):
    with runner.progress(3.0, show=True) as report:
        for _ in range(3):
            report(1.0)
    assert "100%" in capsys.readouterr().err
    with runner.progress(3.0, show=False) as report:
        report(1.0)
    assert capsys.readouterr().err == ""


def test_jobs_and_names_are_checked(tmp_path):
    with pytest.raises(InvalidInput, match="jobs"):
        reproduce(["confidence"], out=tmp_path, quick=True, jobs=0)
    with pytest.raises(InvalidInput, match="There are: confidence, synthetic"):
        reproduce(["alchemy"], out=tmp_path, quick=True)
