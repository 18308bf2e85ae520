"""Tables whose rows stay in their file."""

import json
import os

import numpy as np
import pytest

from regretless import Table
from regretless.errors import InvalidInput, StudyConflict
from regretless.spaces import FileTable, as_space, difference, space_from_data, space_to_data

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

N = 1_000


def columns(n: int = N, seed: int = 0):
    rng = np.random.default_rng(seed)
    return {
        "name": [f"c{i:05d}" for i in range(n)],
        "T": rng.integers(20, 90, n),
        "dose": rng.random(n),
        "acid": [["HCl", "HNO3", "H2SO4"][k] for k in rng.integers(3, size=n)],
        "stirred": rng.random(n) < 0.5,
        "lab": ["A"] * n,
    }


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "rows.parquet"
    pq.write_table(pa.table(columns()), file, row_group_size=300)
    return file


def test_codes_values_and_names_are_those_of_the_table_in_memory(path):
    here, there = Table(columns(), id="name"), Table.from_parquet(path, id="name")
    assert isinstance(there, FileTable)
    assert (there.names, there.n_levels, there.dim) == (here.names, here.n_levels, here.dim)
    assert there.n_candidates == N
    assert np.array_equal(there.X, here._frame.codes().astype(np.float32)) or here.n_candidates < N
    for i in (0, 299, 300, 999):
        row = {name: column[i] for name, column in columns().items()}
        assert there.params(i) == {name: row[name] for name in there.names}
        assert there.name_of(i) == row["name"]
        assert there.index_of_id(row["name"]) == i
        assert there.place(there.params(i)).index == i
        assert there.place_of_row(row["name"]).x.tolist() == there.at_index(i).x.tolist()
    assert there.constants == {"lab"}
    assert isinstance(there.X, np.memmap)
    assert there.X.dtype == np.float32
    assert there.at_index(3).x.dtype == np.float64


def test_codes_are_written_once(path):
    Table.from_parquet(path, id="name")
    (codes,) = path.parent.glob("*.codes.npy")
    written = codes.stat().st_mtime_ns
    Table.from_parquet(path, id="name")
    os.utime(path)  # touched, and the same
    again = Table.from_parquet(path, id="name")
    assert codes.stat().st_mtime_ns == written
    pq.write_table(pa.table(columns(seed=1)), path)
    assert Table.from_parquet(path, id="name").sha256 != again.sha256
    assert codes.stat().st_mtime_ns > written


def test_codes_go_into_the_cache_where_the_folder_cannot_be_written(path, tmp_path, monkeypatch):
    cache = tmp_path / "cache"
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    monkeypatch.setattr(os, "access", lambda where, _: str(cache) in str(where))
    table = Table.from_parquet(path)
    assert not list(path.parent.glob("*.codes.npy"))
    assert len(list(cache.rglob("*.codes.npy"))) == 1
    assert table.n_candidates == N
    assert Table.from_parquet(path) == table


def test_a_place_that_is_no_row_is_data(path):
    table = Table.from_parquet(path, columns=["T", "dose", "acid"])
    place = table.place({"T": 50, "dose": 0.123456, "acid": "HCl"})
    assert (place.index, place.inside) == (None, False)
    assert place.x[2] == table.place({"T": 20, "dose": 0.5, "acid": "HCl"}).x[2]
    with pytest.raises(InvalidInput, match="no row of"):
        table.index_of({"T": 50, "dose": 0.123456, "acid": "HCl"})
    assert table.nearest(table.params(17)) == 17
    with pytest.raises(InvalidInput, match="which no row"):
        table.place({"T": 50, "dose": 0.1, "acid": "HI"})


def test_kd_order_moves_codes_and_not_rows(path):
    plain, sorted_ = Table.from_parquet(path, id="name"), Table.from_parquet(path, id="name", order="kd")
    seen = [sorted_.name_of(i) for i in range(N)]
    assert sorted(seen) == columns()["name"]
    assert seen != columns()["name"]
    for i in (0, 500, 999):
        assert sorted_.params(i) == plain.params(plain.index_of_id(seen[i]))
        assert sorted_.index_of_id(seen[i]) == i
        assert np.array_equal(sorted_.X[i], plain.X[plain.index_of_id(seen[i])])
    numbered = Table.from_parquet(path, ignore="name", order="kd")
    assert numbered.candidate_of(numbered.name_of(7)) == 7
    assert sorted(numbered.rows(i)[0] for i in range(N)) == list(range(N))


def test_rows_are_called_by_number_without_a_column_of_names(path):
    table = Table.from_parquet(path, ignore="name")
    assert table.name_of(12) == 12
    assert table.index_of_id("12") == table.index_of_id(12) == 12
    with pytest.raises(InvalidInput, match=r"no row has the id 1000; rows are called by their numbers"):
        table.index_of_id(N)


def test_an_array_in_a_file(tmp_path):
    X = np.random.default_rng(0).random((500, 3)) * [1.0, 10.0, 0.0] + 2.0
    np.save(tmp_path / "x.npy", X)
    table = Table.from_npy(tmp_path / "x.npy")
    assert table.unnamed
    assert table.names == ("x0", "x1", "x2")
    assert table.dim == 2
    assert table.params(7) == dict(zip(table.names, X[7].tolist(), strict=True))
    assert table.argument(table.params(7)).tolist() == X[7].tolist()
    assert table.X.min() == 0.0
    assert table.X.max() == 1.0
    forced = Table.from_npy(tmp_path / "x.npy", columns=["x0", "x2"], categorical="x0")
    assert forced.n_levels == (500,)
    np.save(tmp_path / "flat.npy", X[0])
    with pytest.raises(InvalidInput, match="two-dimensional"):
        Table.from_npy(tmp_path / "flat.npy")


def test_arrow_and_duckdb(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    table = pa.table(columns())
    one = Table.from_arrow(table, tmp_path / "arrow.parquet", id="name")
    connection = duckdb.connect()
    connection.register("source", table)
    relation = connection.sql("select * from source where T > 50")
    two = Table.from_arrow(relation, tmp_path / "duck.parquet", id="name")
    assert one.n_candidates == N
    assert two.n_candidates == sum(columns()["T"] > 50)
    assert two.params(0)["T"] > 50
    with pytest.raises(InvalidInput, match="is there already"):
        Table.from_arrow(table, tmp_path / "arrow.parquet")
    with pytest.raises(InvalidInput, match="cannot be read as Arrow data"):
        Table.from_arrow(3, tmp_path / "three.parquet")


def test_a_record_has_the_checksum_and_no_rows(path):
    table = Table.from_parquet(path, id="name", repeats="never")
    data = json.loads(json.dumps(space_to_data(table)))
    assert len(json.dumps(data)) < 2_000
    again = space_from_data(data)
    assert again == table
    assert difference(again, table) == ""
    assert again.params(5) == table.params(5)
    assert again.repeats == "never"


def test_another_file_under_the_name_is_refused(path):
    table = Table.from_parquet(path, id="name")
    data = space_to_data(table)
    pq.write_table(pa.table(columns(seed=1)), path)
    with pytest.raises(StudyConflict, match="is not the file that the study was made with"):
        _ = space_from_data(data).X
    other = Table.from_parquet(path, id="name")
    assert "made with another file" in difference(other, table)
    path.unlink()
    with pytest.raises(StudyConflict, match="is not there"):
        _ = space_from_data(data).X


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"id": "nam"}, "no column 'nam'"),
        ({"columns": "name", "id": "name"}, "no column is left"),
        ({"columns": "lab"}, "all rows are equal"),
        ({"order": "sorted"}, "order must be"),
    ],
)
def test_mistakes(path, more, message):
    with pytest.raises(InvalidInput, match=message):
        Table.from_parquet(path, **more)


def test_bad_cells_are_named(tmp_path):
    file = tmp_path / "bad.parquet"
    pq.write_table(pa.table({"a": [1.0, None, 2.0]}), file)
    with pytest.raises(InvalidInput, match="row 1, column 'a' is empty"):
        Table.from_parquet(file)
    pq.write_table(pa.table({"a": [1.0, 2.0, float("nan")]}), file)
    with pytest.raises(InvalidInput, match="row 2, column 'a' is nan"):
        Table.from_parquet(file)
    file.write_text("no parquet")
    with pytest.raises(InvalidInput, match="cannot be read as a Parquet file"):
        Table.from_parquet(file)
    with pytest.raises(InvalidInput, match="there is no file"):
        Table.from_parquet(tmp_path / "none.parquet")


def test_nothing_lists_all_rows(path):
    table = Table.from_parquet(path)
    for refused in (lambda: table.ids, table.listed, lambda: as_space(table, constraints="T <= 50")):
        with pytest.raises(InvalidInput, match="in a file"):
            refused()
    assert len(table.representatives(40, np.random.default_rng(0))) in range(30, 41)
    assert len(repr(table)) < 200


def test_the_budget_of_a_long_table_in_memory_is_on_record():
    """So that a study goes on alike on another machine; records of before have the budget of then."""
    long = Table(np.arange(70_000.0)[:, None], memory=123)
    data = space_to_data(long)
    assert data["memory"] == space_from_data(data).memory == 123
    assert space_from_data({name: value for name, value in data.items() if name != "memory"}).memory == 4 << 30
    assert "memory" not in space_to_data(Table([{"t": 1}, {"t": 2}]))
    assert Table([{"t": 1}, {"t": 2}]).memory > 1 << 26
