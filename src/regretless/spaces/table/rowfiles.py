"""Files of rows that are never held in memory: read in batches of columns, and single rows on demand."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from regretless.errors import InvalidInput, MissingExtra
from regretless.spaces.scalars import Scalar, show

__all__ = ["Batch", "NpyFile", "ParquetFile", "RowFile", "open_rows", "write_parquet"]

#: Rows read at once.
_ROWS = 1 << 18

#: A part of a column: numbers, or the numbers of categories and what these are.
Batch = npt.NDArray[Any] | tuple[npt.NDArray[Any], list[Any]]


class RowFile(Protocol):
    """Rows in a file."""

    @property
    def n_rows(self) -> int:
        """How many there are."""
        ...

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        ...

    @property
    def unnamed(self) -> bool:
        """Whether the columns have numbers only."""
        ...

    def batches(self, names: Sequence[str], categorical: Sequence[str]) -> Iterator[dict[str, Batch]]:
        """Some columns, a part of the rows at a time, in order."""
        ...

    def rows(self, numbers: Sequence[int], names: Sequence[str]) -> list[dict[str, Scalar]]:
        """The values of some rows as plain Python."""
        ...

    def find(self, name: str, value: Scalar) -> int | None:
        """The first row that has this value in a column."""
        ...


def open_rows(path: Path) -> RowFile:
    """The file, by the ending of its name."""
    return NpyFile(path) if path.suffix.lower() == ".npy" else ParquetFile(path)


class NpyFile:
    """A NumPy array of numbers, (rows, columns), mapped into memory. Its columns are called x0, x1, ..."""

    unnamed = True

    def __init__(self, path: Path) -> None:
        try:
            array = np.load(path, mmap_mode="r", allow_pickle=False)
        except (OSError, ValueError) as error:
            raise InvalidInput(f"{path} cannot be read as an .npy file: {error}.") from error
        if array.ndim != 2 or array.dtype.kind not in "iuf" or not array.size:
            raise InvalidInput(
                f"{path} must hold a two-dimensional array of numbers with a row and a column at least, got "
                f"{array.dtype} of shape {array.shape}."
            )
        self._array = array
        self.names = tuple(f"x{j}" for j in range(array.shape[1]))

    @property
    def n_rows(self) -> int:
        """How many there are."""
        return len(self._array)

    def batches(self, names: Sequence[str], categorical: Sequence[str]) -> Iterator[dict[str, Batch]]:
        """Some columns, a part of the rows at a time, in order."""
        for begin in range(0, self.n_rows, _ROWS):
            part = self._array[begin : begin + _ROWS]
            columns = {name: np.array(part[:, self.names.index(name)]) for name in names}
            yield {name: _levels(x) if name in categorical else x for name, x in columns.items()}

    def rows(self, numbers: Sequence[int], names: Sequence[str]) -> list[dict[str, Scalar]]:
        """The values of some rows as plain Python."""
        places = [self.names.index(name) for name in names]
        found = (self._array[number].tolist() for number in numbers)
        return [{name: row[j] for name, j in zip(names, places, strict=True)} for row in found]

    def find(self, name: str, value: Scalar) -> int | None:
        """The first row that has this value in a column."""
        if not isinstance(value, int | float):
            return None
        for begin in range(0, self.n_rows, _ROWS):
            hit = np.flatnonzero(self._array[begin : begin + _ROWS, self.names.index(name)] == value)
            if len(hit):
                return begin + int(hit[0])
        return None


class ParquetFile:
    """A Parquet file. A row is found by its row group, which is read on demand; the last one read is kept."""

    unnamed = False

    def __init__(self, path: Path) -> None:
        self._arrow, parquet = _pyarrow()
        try:
            self._file = parquet.ParquetFile(path, memory_map=True)
        except (OSError, self._arrow.ArrowInvalid) as error:
            raise InvalidInput(f"{path} cannot be read as a Parquet file: {error}.") from error
        self.names = tuple(self._file.schema_arrow.names)
        self._kept: tuple[Any, Any] = (None, None)

    @property
    def n_rows(self) -> int:
        """How many there are."""
        return int(self._file.metadata.num_rows)

    @cached_property
    def _begins(self) -> npt.NDArray[np.intp]:
        """The first row of each row group, and the number of all rows."""
        meta = self._file.metadata
        return np.cumsum([0, *(meta.row_group(i).num_rows for i in range(meta.num_row_groups))])

    def batches(self, names: Sequence[str], categorical: Sequence[str]) -> Iterator[dict[str, Batch]]:
        """Some columns, a part of the rows at a time, in order."""
        row = 0
        for batch in self._file.iter_batches(batch_size=_ROWS, columns=list(names)):
            yield {name: self._column(batch.column(name), name, row, name in categorical) for name in names}
            row += batch.num_rows

    def rows(self, numbers: Sequence[int], names: Sequence[str]) -> list[dict[str, Scalar]]:
        """The values of some rows as plain Python."""
        found = []
        for number in numbers:
            group = int(np.searchsorted(self._begins, number, side="right")) - 1
            key = (group, tuple(names))
            if self._kept[0] != key:
                self._kept = (key, self._file.read_row_group(group, columns=list(names)))
            at = number - int(self._begins[group])
            found.append({name: self._kept[1].column(name)[at].as_py() for name in names})
        return found

    def find(self, name: str, value: Scalar) -> int | None:
        """The first row that has this value in a column."""
        import pyarrow.compute as pc

        row = 0
        for batch in self._file.iter_batches(batch_size=_ROWS, columns=[name]):
            column = batch.column(0)
            try:
                at = pc.index(column, self._arrow.scalar(value, type=column.type)).as_py()
            except (self._arrow.ArrowInvalid, self._arrow.ArrowTypeError, self._arrow.ArrowNotImplementedError):
                return None  # the value is of another kind than the column
            if at >= 0:
                return row + int(at)
            row += batch.num_rows
        return None

    def _column(self, column: Any, name: str, row: int, categorical: bool) -> Batch:
        types = self._arrow.types
        if column.null_count:
            at = row + int(np.flatnonzero(np.asarray(column.is_null()))[0])
            raise InvalidInput(f"row {at}, column {name!r} is empty. Fill it, drop the row, or ignore the column.")
        if types.is_dictionary(column.type):
            column = column.dictionary_decode() if not categorical else column
        numeric = types.is_integer(column.type) or types.is_floating(column.type)
        if types.is_decimal(column.type):
            column, numeric = column.cast(self._arrow.float64()), True
        if numeric and not categorical:
            return np.asarray(column)
        text = types.is_string(column.type) or types.is_large_string(column.type) or types.is_string_view(column.type)
        if not (numeric or text or types.is_boolean(column.type) or types.is_dictionary(column.type)):
            raise InvalidInput(
                f"column {name!r} is of type {column.type}; columns must hold numbers, text or bools. Ignore it."
            )
        if types.is_string_view(column.type):
            column = column.cast(self._arrow.string())
        coded = column if types.is_dictionary(column.type) else column.dictionary_encode()
        return np.asarray(coded.indices), coded.dictionary.to_pylist()


def write_parquet(source: Any, path: Path) -> None:
    """Write rows, batch by batch, into a new Parquet file: anything that Arrow can read as a stream.

    That is an Arrow table or reader, a DuckDB relation, a polars or pandas DataFrame.
    """
    arrow, parquet = _pyarrow()
    if isinstance(source, arrow.Table):
        reader = source.to_reader(max_chunksize=_ROWS)
    elif isinstance(source, arrow.RecordBatchReader):
        reader = source
    elif hasattr(source, "__arrow_c_stream__"):
        reader = arrow.RecordBatchReader.from_stream(source)
    else:
        raise InvalidInput(
            f"cannot be read as Arrow data: {show(source)}. Give an Arrow table or reader, a DuckDB relation, or a "
            "DataFrame."
        )
    whole = path.with_name(f"{path.name}.part")
    try:
        with parquet.ParquetWriter(whole, reader.schema) as writer:
            for batch in reader:
                if batch.num_rows:
                    writer.write_batch(batch, row_group_size=_ROWS)
        whole.replace(path)
    finally:
        whole.unlink(missing_ok=True)


def _levels(x: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], list[Any]]:
    """Categories of a column of numbers, in order of first appearance."""
    values, first, inverse = np.unique(x, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return rank[inverse], values[order].tolist()


def _pyarrow() -> Any:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise MissingExtra(
            "Parquet files and Arrow data need pyarrow; install it with: pip install 'regretless[tables]'. "
            "A .npy file needs nothing."
        ) from error
    return pyarrow, parquet
