"""Tables as users have them (array, rows, columns, data frame, file), turned into raw columns by name."""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from regretless.errors import InvalidInput
from regretless.spaces.scalars import did_you_mean, listed, show

if TYPE_CHECKING:  # files are read by few who import us, and the reader costs a twentieth of the import
    from regretless.spaces.files import Factors

__all__ = ["as_names", "check_known", "is_frame", "raw_columns", "read_file"]

_ALLOWED = (
    "Give a 2-D array, a list of dicts (rows), a mapping of names to columns, "
    "a pandas or polars DataFrame, or the path of a CSV file or Excel workbook"
)


def raw_columns(source: Any) -> tuple[dict[str, Any], bool]:
    """Columns by name, each a list or 1-D array, and whether the names were made up (x0, x1, ...).

    >>> raw_columns([{"a": 1, "b": "x"}, {"a": 2, "b": "y"}])
    ({'a': [1, 2], 'b': ['x', 'y']}, False)
    """
    if isinstance(source, Mapping):
        return _checked({name: _as_column(column, name) for name, column in source.items()}), False
    if is_frame(source):
        return _of_frame(source), False
    if isinstance(source, np.ndarray):
        return _of_array(source), True
    if isinstance(source, Sequence) and len(source) > 0:
        if all(isinstance(row, Mapping) for row in source):
            return _of_rows(source), False
        return _of_array(_as_array(source)), True
    if isinstance(source, Sequence):
        raise InvalidInput("a table needs at least one row, got none.")
    raise InvalidInput(f"cannot be read as a table: {show(source)}. {_ALLOWED}.")


def is_frame(source: Any) -> bool:
    """Whether this looks like a pandas or polars DataFrame; neither package is imported to know."""
    return all(hasattr(source, name) for name in ("columns", "to_dict", "__getitem__", "shape"))


def read_file(
    path: str | Path, id: str | None, ignore: tuple[str, ...], categorical: tuple[str, ...], **more: Any
) -> "Factors":
    """The rows of a file, read as `regretless.spaces.files.Reading` says; what is left out of it is a warning."""
    from regretless.spaces.files import Reading, read_factors

    found = read_factors(path, Reading(id, ignore, categorical, **more))
    for note in found.notes:
        warnings.warn(f"{path}: {note}", stacklevel=3)
    return found


def as_names(names: Any, what: str) -> tuple[str, ...]:
    """One name of a column, or several."""
    if isinstance(names, str):
        return (names,)
    if isinstance(names, Iterable) and not isinstance(names, dict):
        listed_names = tuple(names)
        if all(isinstance(name, str) for name in listed_names):
            return listed_names
    raise InvalidInput(f"{what} must name columns by text, got {show(names)}.")


def check_known(wanted: tuple[str, ...], known: Iterable[str], what: str) -> None:
    """Refuse a name that no column has."""
    columns = list(known)
    for name in wanted:
        if name not in columns:
            raise InvalidInput(f"{what}: no column {name!r}; there are {listed(columns)}.{did_you_mean(name, columns)}")


def _of_frame(frame: Any) -> dict[str, Any]:
    names = list(frame.columns)
    for j, name in enumerate(names):
        if name in names[:j]:
            raise InvalidInput(f"two columns of the data frame are called {show(name)}. Rename one.")
    return _checked({name: frame[name].to_numpy() for name in names})


def _of_rows(rows: Sequence[Mapping[Any, Any]]) -> dict[str, Any]:
    names = list(rows[0])
    for i, row in enumerate(rows):
        odd = [name for name in names if name not in row] + [name for name in row if name not in rows[0]]
        if odd:
            raise InvalidInput(f"row {i} and row 0 do not have the same names: {listed(odd)} is in one of them only.")
    return _checked({name: [row[name] for row in rows] for name in names})


def _of_array(array: np.ndarray[Any, Any]) -> dict[str, Any]:
    if np.ma.isMaskedArray(array) and np.ma.getmaskarray(array).any():
        raise InvalidInput("the array has masked entries. Fill them or drop their rows.")
    if array.ndim not in (1, 2):
        raise InvalidInput(f"a table must be two-dimensional (rows, columns), got an array of shape {array.shape}.")
    if array.dtype.kind not in "biuf":
        raise InvalidInput(f"an array without column names must hold numbers, got dtype {array.dtype}. {_ALLOWED}.")
    grid = array[:, None] if array.ndim == 1 else array
    return _checked({f"x{j}": grid[:, j] for j in range(grid.shape[1])})


def _as_array(rows: Sequence[Any]) -> np.ndarray[Any, Any]:
    try:
        return np.array(rows)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"the rows do not form a table: {error}. {_ALLOWED}.") from error


def _as_column(column: Any, name: Any) -> Any:
    if hasattr(column, "to_numpy"):  # a Series of either package
        column = column.to_numpy()
    if isinstance(column, np.ndarray) and column.ndim == 1:
        return column
    if isinstance(column, Sequence) and not isinstance(column, str | bytes):
        return list(column)
    raise InvalidInput(f"column {show(name)} must be a list or a 1-D array, got {show(column)}.")


def _checked(columns: dict[Any, Any]) -> dict[str, Any]:
    """At least one column and one row, all of one length, under names that are text."""
    if not columns:
        raise InvalidInput(f"a table needs at least one column, got none. {_ALLOWED}.")
    for name in columns:
        if not isinstance(name, str) or not name:
            raise InvalidInput(f"names of columns must be non-empty text, got {show(name)}. Rename it.")
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise InvalidInput(f"all columns must have the same number of rows, got {show(lengths)}.")
    if 0 in lengths.values():
        raise InvalidInput("a table needs at least one row, got none.")
    return columns
