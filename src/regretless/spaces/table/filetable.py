"""A table whose rows stay in their file: up to hundreds of millions, no Python object per row."""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats
from regretless.engines import Engine, Here, as_engine
from regretless.errors import InvalidInput, StudyConflict
from regretless.spaces.columns import Column, Levels
from regretless.spaces.constraints import Constraint
from regretless.spaces.domain import Place, Point
from regretless.spaces.params import Repeats, as_argument, check_repeats, complete, repeats_shown
from regretless.spaces.scalars import Scalar, as_level, listed, show
from regretless.spaces.sources import as_names, check_known
from regretless.spaces.table.encoding import Encoded, Reading, encoded, scales_from_data, scales_to_data
from regretless.spaces.table.frame import Frame
from regretless.spaces.table.rowfiles import RowFile, open_rows
from regretless.spaces.table.rowids import other_spelling
from regretless.spaces.table.table import Table

__all__ = ["FileTable", "columns_in_file", "read_table"]

#: Rows compared at once.
_ROWS = 1 << 20


class FileTable(Table):
    """Candidates in a file, which is read in blocks. Made by `Table.from_parquet`, `from_npy` and `from_arrow`.

    Rows are candidates one by one: equal ones are not merged. Their codes are float32, written once beside the file;
    what a study keeps of the rows is the path of the file and its SHA-256.
    """

    path: Path
    id: str | None
    reading: Reading
    sha256: str
    _n_rows: int
    _engine: Engine

    @classmethod
    def of(
        cls,
        path: Path,
        reading: Reading,
        *,
        id: str | None,
        repeats: Repeats | None,
        scales: Frame,
        n_rows: int,
        sha256: str,
        engine: Engine | None = None,
    ) -> Self:
        """The table of which all this is known; the file is opened when it is needed."""
        table = cls.__new__(cls)
        fields = {
            "names": reading.names,
            "repeats": check_repeats(repeats),
            "unnamed": path.suffix.lower() == ".npy",
            "n_levels": scales.n_levels,
            "constraints": (),
            "memory": 0,
            "path": path,
            "id": id,
            "reading": reading,
            "sha256": sha256,
            "_frame": scales,
            "_product": None,
            "_n_rows": n_rows,
            "_engine": Here() if engine is None else engine,
        }
        for name, value in fields.items():
            object.__setattr__(table, name, value)
        return table

    # The file ----------------------------------------------------------------------------------------------------

    @cached_property
    def _encoded(self) -> Encoded:
        if not self.path.exists():
            raise StudyConflict(
                f"the table's file {self.path} is not there. Put it back, or open the study with the table from where "
                "it is now: space=Table.from_parquet(...)."
            )
        found = encoded(self.path, self.reading, self.sha256)
        if found is None:
            raise StudyConflict(
                f"{self.path} is not the file that the study was made with, whose SHA-256 is {self.sha256[:12]}.... "
                "Put that file back; for other rows make a new study, and add to it what was measured."
            )
        return found

    @cached_property
    def _source(self) -> RowFile:
        assert self._encoded is not None  # it is checked that the file is the one it was
        return open_rows(self.path)

    @property
    def X(self) -> npt.NDArray[Any]:
        """The (N, dim) codes, float32, mapped from their file."""
        return self._encoded.codes

    @property
    def engine(self) -> Engine:
        """The engine that works on the rows."""
        return self._engine

    def on(self, engine: Any) -> Self:
        """The same table, worked on by this many processes, or by the workers of a Dask client.

        Suggestions are the same, to the last bit, whoever works on them. The workers of a cluster open the file by its
        path: it must be on a disk that all of them see.
        """
        return self.of(
            self.path,
            self.reading,
            id=self.id,
            repeats=self.repeats,
            scales=self._frame,
            n_rows=self.n_candidates,
            sha256=self.sha256,
            engine=as_engine(engine),
        )

    def _source_row(self, i: int) -> int:
        order = self._encoded.order
        return i if order is None else int(order[i])

    def _candidate(self, row: int) -> int:
        """The candidate that a row of the file is."""
        order = self._encoded.order
        if order is None:
            return row
        return next(int(begin + hit[0]) for begin, hit in _matches(order, lambda part: part == row))

    # As a domain -------------------------------------------------------------------------------------------------

    @property
    def dim(self) -> int:
        """The number of encoded columns."""
        return len(self.n_levels)

    @property
    def n_candidates(self) -> int:
        """The number of rows."""
        return self._n_rows

    @property
    def size(self) -> int:
        """The number of rows."""
        return self.n_candidates

    @property
    def candidates(self) -> None:  # type: ignore[override]
        """None: they are read block by block, see `block_codes`."""
        return

    @property
    def block_codes(self) -> npt.NDArray[Any]:
        """The codes of the rows, to be read block by block."""
        return self.X

    @property
    def ids(self) -> tuple[Scalar, ...]:
        """Refused: there are too many to be listed."""
        raise _too_many(self, "names of its rows")

    def listed(self) -> list[dict[str, Scalar]]:
        """Refused: there are too many to be listed."""
        raise _too_many(self, "rows")

    def rows(self, i: int) -> tuple[int, ...]:
        """The row of the file that is candidate i."""
        return (self._source_row(self._as_index(i)),)

    def params(self, i: Any) -> dict[str, Scalar]:
        """The values of candidate i as they stand in the file."""
        return self._source.rows([self._source_row(self._as_index(i))], self.names)[0]

    def representatives(self, most: int, rng: np.random.Generator) -> list[dict[str, Scalar]]:
        """The values of rows drawn at random, from a few places of the file: it is not read as a whole."""
        begins = np.sort(rng.integers(self.n_candidates, size=8))
        near = begins[:, None] + rng.integers(1 << 14, size=(8, -(-most // 8)))
        rows = np.unique(near % self.n_candidates)[:most]
        return self._source.rows(rows.tolist(), self.names)

    def at_index(self, index: int) -> Point:
        """The candidate of that number."""
        return Point(np.asarray(self.X[index], dtype=np.float64), index)

    def row_of(self, point: Point) -> Scalar | None:
        """The name of a candidate's row."""
        return None if point.index is None else self.name_of(point.index)

    def name_of(self, index: int) -> Any:
        """The name of its row: from the column of names, or its number in the file."""
        row = self._source_row(index)
        return row if self.id is None else self._source.rows([row], (self.id,))[0][self.id]

    def index_of_id(self, row_id: Any) -> int:
        """The candidate of a row's name; text and whole numbers stand for each other. Names are looked for in turn."""
        row_id = as_level(row_id, "id")
        for key in (row_id, *other_spelling(row_id)):
            if self.id is None and isinstance(key, int) and not isinstance(key, bool) and 0 <= key < self.n_candidates:
                return self._candidate(key)
            row = None if self.id is None else self._source.find(self.id, key)
            if row is not None:
                return self._candidate(row)
        known = "rows are called by their numbers, from 0" if self.id is None else f"names are in column {self.id!r}"
        raise InvalidInput(f"no row has the id {show(row_id)}; {known}, and there are {self.n_candidates}.")

    def candidate_of(self, name: Any) -> int:
        """The number of a candidate, by the name of its row."""
        return self.index_of_id(name)

    def place_of_row(self, row: Any) -> Place:
        """The place of a measurement, by the name of a row."""
        index = self.index_of_id(row)
        return Place(self.params(index), self.at_index(index).x, index, True)

    def place(self, params: Any) -> Place:
        """The place of a measurement, which need not be a row."""
        values, x = self._frame.place(self._complete(params))
        index = self._find(values)
        return Place(values, x if index is None else self.at_index(index).x, index, index is not None)

    def codes_at(self, params: Any) -> Floats:
        """The (dim,) codes of values that need not be a row, as its rows have them; the file is not searched."""
        return self._frame.place(self._complete(params))[1].astype(np.float32).astype(np.float64)

    def index_of(self, params: Any) -> int:
        """The candidate with exactly these parameters; constant columns may be left out."""
        given = self._complete(params)
        index = self._find(self._frame.place(given)[0])
        if index is None:
            raise InvalidInput(f"no row of {self.path.name} is {show(given)}. Give exactly a row of the table.")
        return index

    def encode(self, params: Any) -> Floats:
        """The (dim,) codes of a row."""
        return self.at_index(self.index_of(params)).x

    def argument(self, params: Any) -> dict[str, Scalar] | Floats:
        """The argument of the user's function: a dict, or a float64 array if the columns had no names."""
        return as_argument(self._frame.place(self._complete(params))[0], unnamed=self.unnamed)

    def feasible(self, params: Any) -> bool:
        """True: infeasible rows are not in the file."""
        self._complete(params)
        return True

    def nearest(self, params: Mapping[str, Any]) -> int:
        """The candidate nearest to these parameters, by the widths of its columns."""
        x = self._frame.place(self._complete(params))[1]
        categorical = np.array(self.n_levels) > 0
        best, at = np.inf, 0
        for begin in range(0, self.n_candidates, _ROWS):
            part = self.X[begin : begin + _ROWS]
            gap = np.where(categorical, part != x, part - x)
            distance = np.einsum("ij,ij->i", gap, gap)
            i = int(np.argmin(distance))
            if distance[i] < best:
                best, at = float(distance[i]), begin + i
        return at

    def filtered(self, constraints: tuple[Constraint, ...]) -> Self:  # noqa: ARG002
        """Refused: a table in a file is what is in the file."""
        raise InvalidInput(
            "constraints of a table in a file are not supported: write the rows that satisfy them into a file of "
            f"their own, for example with DuckDB: COPY (FROM '{self.path.name}' WHERE ...) TO 'fewer.parquet'."
        )

    def numbered(self) -> Self:
        """Itself: its rows are not called by lines."""
        return self

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FileTable):
            return NotImplemented
        mine = (self.sha256, self.reading, self.id, self.repeats)
        return mine == (other.sha256, other.reading, other.id, other.repeats)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return (
            f"Table({self.n_candidates} rows of {self.path.name}, names={listed(self.names)}"
            f"{repeats_shown(self.repeats)})"
        )

    def described(self) -> list[dict[str, str]]:
        """How each column was read, in words."""
        return [{"column": name, "read as": _in_words(column)} for name, column in self._frame.by_name.items()]

    def __copy__(self) -> Self:
        twin = type(self).__new__(type(self))
        twin.__dict__.update(self.__dict__)
        return twin

    def __reduce__(self) -> tuple[Any, ...]:  # without the rows, and without whoever works on them
        return type(self).from_data, (self.to_data(), self.repeats)

    def to_data(self) -> dict[str, Any]:
        """As plain JSON: everything but the rows."""
        return {
            "path": str(self.path),
            "sha256": self.sha256,
            "rows": self.n_candidates,
            "id": self.id,
            "reading": self.reading.to_data(),
            "columns": scales_to_data(self._frame),
        }

    @classmethod
    def from_data(cls, data: Mapping[str, Any], repeats: Any) -> Self:
        """Decode a stored table; the file is opened, and checked, when it is needed."""
        reading = data["reading"]
        return cls.of(
            Path(data["path"]),
            Reading(tuple(reading["names"]), tuple(reading["categorical"]), reading["order"]),
            id=data["id"],
            repeats=repeats,
            scales=scales_from_data(data["columns"]),
            n_rows=data["rows"],
            sha256=data["sha256"],
        )

    def _complete(self, params: Any) -> dict[str, Any]:
        return complete(params, self.names, self._frame.constants, unnamed=self.unnamed)

    def _find(self, given: dict[str, Any]) -> int | None:
        """The first row that has these values: equal codes first, then the values themselves."""
        x = self._frame.place(given)[1].astype(np.float32)

        def same(part: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
            hit: npt.NDArray[np.bool_] = part[:, 0] == x[0]
            rows = np.flatnonzero(hit)
            hit[rows] = (part[rows] == x).all(axis=1)
            return hit

        for begin, hits in _matches(self.X, same):
            for i in (begin + hits).tolist():
                if self.params(i) == given:
                    return int(i)
        return None


def columns_in_file(path: Any) -> tuple[str, ...]:
    """The columns of a file of rows."""
    return open_rows(Path(path)).names


def read_table(
    path: Any,
    *,
    columns: Any,
    id: Any,
    ignore: Any,
    categorical: Any,
    repeats: Any,
    order: Any,
) -> FileTable:
    """The table of a file, whose codes are written beside it unless they are there."""
    if not isinstance(path, str | Path):
        raise InvalidInput(f"path must be text or a Path, got {show(path)}.")
    file = Path(path).resolve()
    if not file.is_file():
        raise InvalidInput(f"there is no file {path}.")
    if order not in ("file", "kd"):
        raise InvalidInput(f"order must be 'file' or 'kd', got {show(order)}.")
    source = open_rows(file)
    ids, ignored = (() if id is None else as_names(id, "id")), as_names(ignore, "ignore")
    forced = as_names(categorical, "categorical")
    wanted = source.names if columns is None else as_names(columns, "columns")
    for what, some in (("id", ids), ("ignore", ignored), ("categorical", forced), ("columns", wanted)):
        check_known(some, source.names, what)
    names = tuple(name for name in wanted if name not in ignored and name not in ids)
    if not names:
        raise InvalidInput(f"no column is left to search among {listed(source.names)}. Ignore fewer of them.")
    reading = Reading(names, tuple(name for name in names if name in forced), order)
    found = encoded(file, reading)
    assert found is not None
    return FileTable.of(
        file,
        reading,
        id=ids[0] if ids else None,
        repeats=repeats,
        scales=found.scales,
        n_rows=len(found.codes),
        sha256=found.sha256,
    )


def _matches(array: npt.NDArray[Any], same: Any) -> Any:
    """Where parts of a long array are what is looked for: (beginning of the part, numbers within it)."""
    for begin in range(0, len(array), _ROWS):
        hits = np.flatnonzero(same(array[begin : begin + _ROWS]))
        if len(hits):
            yield begin, hits


def _too_many(table: FileTable, what: str) -> InvalidInput:
    return InvalidInput(
        f"the {table.n_candidates} {what} of a table in a file are not listed: ask for single ones with params(i), or "
        f"read {table.path.name} itself."
    )


def _in_words(column: Column) -> str:
    if column.constant:
        return f"always {show(column.item(0))}, left out"
    if isinstance(column, Levels):
        return f"{len(column.levels)} categories: {listed(column.levels)}"
    low, high = column.values.tolist()
    return f"{'whole ' if column.values.dtype.kind == 'i' else ''}numbers from {low:g} to {high:g}"
