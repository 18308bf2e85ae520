"""Studies of tables in files: the suggestions of the table in memory, whoever works on the rows."""

import os
import pickle
import signal
from concurrent.futures import BrokenExecutor

import numpy as np
import pytest

from regretless import GPUCB, Study, Surrogate, Table
from regretless.engines import Processes
from regretless.errors import InvalidInput, StudyConflict, WorkersLost

N = 20_000
MODEL = Surrogate.known("matern52", 0.4, signal_var=1.0, noise_var=1e-2)


def array(n: int = N, seed: int = 0):
    """Rows whose codes float32 holds exactly, so that both kinds of table have the same ones."""
    X = np.random.default_rng(seed).integers(0, 2**20 + 1, (n, 3)) / 2**20
    X[0], X[1] = 0.0, 1.0
    return X


@pytest.fixture
def path(tmp_path):
    np.save(tmp_path / "rows.npy", array())
    return tmp_path / "rows.npy"


def f(trial) -> float:
    x = np.array(list(trial.params.values()))
    return float(np.sin(5.0 * x).sum())


def run(study: Study, steps: int, batch: int = 1):
    """Rows, and what is on record, of so many rounds."""
    seen = []
    for _ in range(steps):
        for trial in study.ask(batch):
            seen.append((trial.row, dict(trial.details)))
            study.tell(trial, f(trial))
    return seen


def test_suggestions_are_those_of_the_table_in_memory(path):
    """The initial design of a file draws its rows in another way, so both begin with the same data."""
    kinds = {}
    for space in (Table(array()), Table.from_npy(path)):
        for rule in ("irgp-ucb", "gp-ucb", "ei"):
            study = Study(space, rule=rule, surrogate=MODEL, seed=3)
            for row in range(0, 200, 20):
                study.add(row=row, value=float(np.sin(5.0 * array()[row]).sum()))
            rows = run(study, 5) + run(study, 1, batch=3)
            kinds.setdefault(rule, []).append((rows, study.recommend()))
    for (memory, advised), (file, advised_too) in kinds.values():
        assert [row for row, _ in file] == [row for row, _ in memory]
        for (_, one), (_, two) in zip(file, memory, strict=True):
            assert one == pytest.approx(two, rel=1e-6, abs=1e-9)
        assert advised_too.row == advised.row


def test_a_fitted_model_with_categories_and_names(tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    rng = np.random.default_rng(1)
    columns = {"id": [f"r{i}" for i in range(5_000)], "T": rng.integers(0, 64, 5_000)}
    columns["kind"] = rng.choice(["a", "b", "c"], 5_000)
    pq.write_table(pa.table({**columns, "x": rng.random(5_000)}), tmp_path / "t.parquet")
    study = Study(Table.from_parquet(tmp_path / "t.parquet", id="id"), seed=1)
    for _ in range(9):
        trial = study.ask()
        assert isinstance(trial.row, str)
        study.tell(trial, -abs(trial.params["T"] - 40) - 5.0 * (trial.params["kind"] != "b") + trial.params["x"])
    assert study.recommend().row is not None
    study.exclude_row(study.recommend().row, reason="sold out")
    assert study.recommend().row not in study.excluded_rows


def test_a_study_goes_on_from_the_file_and_refuses_another(path, tmp_path):
    whole = run(Study(Table.from_npy(path), surrogate=MODEL, seed=1), 7)
    with Study.open(tmp_path / "s.db", "a", space=Table.from_npy(path), surrogate=MODEL, seed=1) as study:
        first = run(study, 5)
    with Study.open(tmp_path / "s.db", "a") as study:
        assert first + run(study, 2) == whole
    moved = path.rename(tmp_path / "elsewhere.npy")
    with pytest.raises(StudyConflict, match="is not there"):
        Study.open(tmp_path / "s.db", "a")
    with Study.open(tmp_path / "s.db", "a", space=Table.from_npy(moved)) as study:
        assert study.ask().row not in (None, whole[0][0])
    np.save(path, array(seed=5))
    with pytest.raises(StudyConflict, match="made with another file"):
        Study.open(tmp_path / "s.db", "a", space=Table.from_npy(path))
    assert (tmp_path / "s.db").stat().st_size < 200_000


def test_repeats_never_and_exhausted(tmp_path):
    np.save(tmp_path / "few.npy", array(12))
    study = Study(Table.from_npy(tmp_path / "few.npy", repeats="never"), seed=1)
    rows = [row for row, _ in run(study, 12)]
    assert sorted(rows) == list(range(12))
    with pytest.raises(Exception, match="All 12 candidates have been tried"):
        study.ask()


@pytest.mark.parametrize("rule", ["ts", "mes", "jes", "pims", "est"])
def test_rules_that_need_more_than_single_rows_say_so(path, rule):
    with pytest.raises(InvalidInput, match="on a table in a file that is not possible"):
        Study(Table.from_npy(path), rule=rule)


def test_a_parameter_per_row_is_refused(path):
    assert GPUCB().blockwise
    assert not GPUCB("anytime").blockwise  # a bound on mean + c sd with another c in each row is none
    with pytest.raises(InvalidInput, match="parameter per row"):
        Study(Table.from_npy(path), rule=GPUCB("anytime"))


def test_several_outcomes_are_refused(path):
    with pytest.raises(InvalidInput, match="one objective"):
        Study(Table.from_npy(path), objectives={"a": "maximize", "b": "minimize"})


def test_a_table_in_memory_goes_by_blocks_beyond_its_budget():
    """The same suggestions, and all results count: none is left out for want of memory."""
    X = array(4_000)
    ample, tight = (Study(Table(X, memory=memory), surrogate=MODEL, seed=2) for memory in (1 << 30, 40 * 16 * 4_000))
    for study in (ample, tight):
        for row in range(50):
            study.add(row=row, value=float(np.sin(5.0 * X[row]).sum()))
    rows = [[row for row, _ in run(study, 6)] for study in (ample, tight)]
    assert rows[0] == rows[1]
    assert ample._carried.state.believed().belief.table is not None
    assert tight._carried.state.believed().belief.blocks is not None
    assert "used" not in tight.trials[-1].details
    others = Study(Table(X, memory=40 * 16 * 4_000), rule="ts", surrogate=MODEL, seed=2)
    for row in range(50):
        others.add(row=row, value=float(np.sin(5.0 * X[row]).sum()))
    assert others.ask().details["used"] < 50  # draws need the matrix: a subset, as before


def test_a_pickled_table_has_no_rows(path):
    table = Table.from_npy(path)
    assert len(pickle.dumps(table)) < 5_000
    assert pickle.loads(pickle.dumps(table)) == table


def test_processes_give_the_same_rows_and_are_replaced(path):
    alone = run(Study(Table.from_npy(path), n_initial=2, surrogate=MODEL, seed=1), 5)
    engine = Processes(2)
    try:
        study = Study(Table.from_npy(path).on(engine), n_initial=2, surrogate=MODEL, seed=1)
        seen = run(study, 4)
        os.kill(next(iter(engine._pools[1]._processes)), signal.SIGKILL)
        assert seen + run(study, 1) == alone
        with pytest.raises(TypeError):  # a mistake in the call is no loss
            engine.call(len)
    finally:
        engine.close()


def test_workers_that_are_lost_again_and_again():
    class Doomed(Processes):
        def submit(self, *_):
            raise BrokenExecutor

    with pytest.raises(WorkersLost, match="lost 3 times"):
        Doomed(2).call(len)


@pytest.mark.slow
def test_a_cluster_gives_the_same_rows_and_loses_workers(path):
    distributed = pytest.importorskip("distributed")
    alone = run(Study(Table.from_npy(path), surrogate=MODEL, seed=1), 8)
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        study = Study(Table.from_npy(path).on(client), surrogate=MODEL, seed=1)
        seen = run(study, 5)
        first = next(iter(client.run(os.getpid).values()))
        os.kill(first, signal.SIGKILL)
        assert seen + run(study, 3) == alone


def test_a_prediction_does_not_search_the_file_and_is_the_same(tmp_path, monkeypatch):
    """Of rows, and of points that are none, to the last bit as if they had been looked for."""
    np.save(tmp_path / "a.npy", np.random.default_rng(3).random((500, 3), dtype=np.float32))
    table = Table.from_npy(tmp_path / "a.npy")
    study = Study(table, seed=1)
    for _ in range(8):
        trial = study.ask()
        study.tell(trial, -abs(trial.params["x0"] - 0.4))
    points = [table.params(i) for i in (0, 7, 499)] + [{"x0": 0.123456789, "x1": 0.5, "x2": 0.9}]
    for params in points[:3]:
        assert table.codes_at(params).tolist() == table.place(params).x.tolist()
    monkeypatch.setattr(type(table), "_find", lambda *_: pytest.fail("the file was searched"))
    mean, sd = study.predict(points)
    assert np.isfinite(mean).all()
    assert (sd > 0.0).all()
