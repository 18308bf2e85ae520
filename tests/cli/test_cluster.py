"""``optimize --workers`` and ``--dask``: the same study, evaluated elsewhere."""

import pytest

from regretless import Study

TEXT = 'command = ["sh", "score.sh", "{x}"]\nbudget = 6\nseed = 1\n[space]\nx = { low = 0.0, high = 1.0 }\n'


@pytest.fixture
def tune(lab):
    (lab / "score.sh").write_text('echo "$1"\n')
    (lab / "tune.toml").write_text(TEXT)
    return lab


def trials(lab):
    with Study.open(lab / "tune.study.db", "tune") as study:
        return study.trials


def test_workers_of_the_command_line_come_before_those_of_the_file(run, tune):
    """Three at a time: each ends only when three run."""
    (tune / "score.sh").write_text(
        'mkdir "run-$1"; while [ $(ls -d run-* | wc -l) -lt 3 ]; do sleep 0.02; done; echo "$1"\n'
    )
    run("optimize", "tune.toml", "--workers", 3)
    assert [trial.value for trial in trials(tune)] == [trial.params["x"] for trial in trials(tune)]
    run("optimize", "tune.toml", "--workers", 0, code=2)


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")
def test_a_dask_cluster(run, tune, loopback):
    from distributed import LocalCluster

    local = {"host": "127.0.0.1", "protocol": "tcp://", "dashboard_address": "127.0.0.1:0"}
    with LocalCluster(n_workers=1, threads_per_worker=2, processes=False, **local) as cluster:
        run("optimize", "tune.toml", "--dask", cluster.scheduler_address)
        assert [trial.value for trial in trials(tune)] == [trial.params["x"] for trial in trials(tune)]
        (tune / "tune.toml").write_text(TEXT.replace('command = ["sh", "score.sh", "{x}"]', 'python = "model:loss"'))
        (tune / "tune.study.db").unlink()
        said = run("optimize", "tune.toml", "--dask", cluster.scheduler_address, code=2).stderr
        assert "model:loss cannot be called" in said  # asked for there, before there is a study
        assert not (tune / "tune.study.db").exists()
        (tune / "model.py").write_text("def loss(p):\n    return p['x'] / 2\n")
        run("optimize", "tune.toml", "--dask", cluster.scheduler_address)
        assert [trial.value for trial in trials(tune)] == [trial.params["x"] / 2 for trial in trials(tune)]


def test_a_scheduler_that_does_not_answer(run, tune, monkeypatch):
    from regretless.integrations import dask

    monkeypatch.setattr(dask, "_PATIENCE", 0.2)
    said = run("optimize", "tune.toml", "--dask", "tcp://127.0.0.1:1", code=1).stderr
    assert "no Dask scheduler answers at tcp://127.0.0.1:1" in said
    assert not (tune / "tune.study.db").exists()
