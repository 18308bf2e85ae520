"""Finite spaces: the rows of a table are the candidates."""

import copy
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats, as_whole
from regretless.errors import InvalidInput
from regretless.spaces.columns import Column, Levels, as_column, distinct_rows
from regretless.spaces.constraints import Constraint, as_constraints, rows_left, violated_by
from regretless.spaces.domain import UNLISTED, Place, Point
from regretless.spaces.params import (
    Repeats,
    as_argument,
    check_repeats,
    complete,
    constraints_shown,
    repeats_shown,
)
from regretless.spaces.product import Mixed
from regretless.spaces.rowids import as_ids, other_spelling
from regretless.spaces.scalars import Scalar, as_int, as_level, did_you_mean, listed, show
from regretless.spaces.sources import raw_columns

if TYPE_CHECKING:  # files are read by few who import us, and the reader costs a twentieth of the import
    from regretless.spaces.files import Factors

__all__ = ["Table", "as_names", "as_table", "check_known", "listed_domain", "read_file"]


@dataclass(frozen=True, init=False, repr=False, eq=False)
class Table:
    """Candidates listed one by one.

    Columns of numbers are scaled to [0, 1] by their smallest and largest value; columns of text or bools are
    categories, encoded as the index of first appearance; a constant column is not encoded. Rows equal in every used
    column are one candidate; candidates stand in order of first appearance. A column holds one kind: whole numbers
    beside floats become floats.

    Parameters
    ----------
    source
        A 2-D array (its columns are called x0, x1, ... and reach the user's function as one array), a list of dicts, a
        mapping of names to columns, a pandas or polars DataFrame, or the path of a CSV file or Excel workbook.
    id
        The column that names the rows; by default they are called by their number in the source, from 0, and those of
        a file by their line, as a spreadsheet numbers it.
    ignore
        Columns to leave out.
    categorical
        Columns of numbers to be read as categories. In a CSV file these, like ``id``, stay the text they are.
    repeats
        Whether a candidate may be suggested again: "all", "allow", "auto" or "never", see `Study`. None: the study
        says.
    constraints
        What every candidate satisfies, as in `Mixed`: other rows are dropped. The ids of the rows left stay those of
        the source.

    Examples
    --------
    >>> table = Table([{"t": 20, "acid": "HCl"}, {"t": 40, "acid": "HNO3"}, {"t": 20, "acid": "HCl"}])
    >>> table.n_candidates, table.ids, table.rows(0)
    (2, (0, 1), (0, 2))
    >>> table.X
    array([[0., 0.],
           [1., 1.]])
    >>> table.index_of({"t": 40, "acid": "HNO3"})
    1
    """

    names: tuple[str, ...]
    repeats: Repeats | None  # None: left to the study
    unnamed: bool
    n_levels: tuple[int, ...]
    X: Floats
    _columns: tuple[Column, ...]
    _first: npt.NDArray[np.intp]  # (n_candidates,) the source row where each candidate first appears
    _candidate: npt.NDArray[np.intp]  # (n_rows,) the candidate of each source row
    _row_ids: tuple[Scalar, ...] | None  # one per source row; None for row numbers
    _product: Mixed | None  # the space this table lists, which then checks parameters
    _by_line: bool = False  # whether row ids are lines of a file
    constraints: tuple[Constraint, ...] = ()

    def __init__(
        self,
        source: Any,
        *,
        id: str | None = None,
        ignore: str | Sequence[str] = (),
        categorical: str | Sequence[str] = (),
        repeats: Repeats | None = None,
        constraints: Any = (),
    ) -> None:
        object.__setattr__(self, "constraints", as_constraints(constraints))
        ignored, forced = as_names(ignore, "ignore"), as_names(categorical, "categorical")
        ids = () if id is None else as_names(id, "id")
        if isinstance(source, str | Path):
            self._list_factors(read_file(source, ids[0] if ids else None, ignored, forced), repeats)
            return
        raw, unnamed = raw_columns(source)
        for what, wanted in (("id", ids), ("ignore", ignored), ("categorical", forced)):
            check_known(wanted, raw, what)
        used = [name for name in raw if name not in ignored and name not in ids]
        if not used:
            raise InvalidInput(f"no column is left to search among {listed(list(raw))}. Ignore fewer of them.")
        columns = {name: as_column(raw[name], name, categorical=name in forced) for name in used}
        self._list(columns, raw[ids[0]] if ids else None, repeats, id=ids[0] if ids else "", unnamed=unnamed)

    def _list(self, columns: dict[str, Column], row_ids: Any, repeats: Any, *, id: str, unnamed: bool = False) -> None:
        """Take over the rows of a source that satisfy the constraints: equal ones become one candidate."""
        kept_rows = rows_left(self.constraints, columns)
        if kept_rows is None:
            first, candidate = distinct_rows(list(columns.values()))
        else:
            n_rows = len(columns[next(iter(columns))].keys())
            columns = {name: column.only(kept_rows) for name, column in columns.items()}
            first, some = distinct_rows(list(columns.values()))
            candidate = np.full(n_rows, UNLISTED)
            candidate[kept_rows] = some
        kept = [column.take(first) for column in columns.values()]
        varying = [column for column in kept if not column.constant]
        self._set(
            names=tuple(columns),
            repeats=check_repeats(repeats),
            unnamed=unnamed,
            n_levels=tuple(column.n_levels for column in varying),
            X=np.stack([column.codes() for column in varying], axis=1) if varying else np.empty((len(first), 0)),
            _columns=tuple(kept),
            _first=first if kept_rows is None else kept_rows[first],
            _candidate=candidate,
            _row_ids=None if row_ids is None else as_ids(row_ids, id, candidate),
            _product=None,
        )

    def _list_factors(self, found: "Factors", repeats: Any) -> None:
        columns = {name: as_column(column, name) for name, column in found.factors.items()}
        self._list(columns, found.ids, repeats, id=found.id or "line")
        object.__setattr__(self, "_by_line", found.id is None)

    def _set(self, **fields: Any) -> None:
        fields["X"].flags.writeable = False
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @classmethod
    def from_csv(
        cls,
        path: str | Path,
        *,
        id: str | None = None,
        ignore: str | Sequence[str] = (),
        categorical: str | Sequence[str] = (),
        decimal: Literal[".", ","] | None = None,
        worksheet: str | None = None,
        repeats: Repeats | None = None,
        constraints: Any = (),
    ) -> Self:
        """The table of a CSV file or an Excel workbook, read as the command line reads it.

        CSV files are UTF-8 with names in the first line and ``,`` ``;`` or tab between cells. What has two readings is
        refused, with the argument that decides. Columns that EDBO+ adds to a scope are left out, with a warning.

        Parameters
        ----------
        path
            The file; one that ends in ``.xlsx`` is a workbook, which needs ``pip install 'regretless[xlsx]'``.
        id, ignore, categorical, repeats, constraints
            As for `Table`. Columns in ``categorical`` stay the text they are, ignored ones may have empty cells.
        decimal
            The decimal mark, where the file leaves a doubt: a comma counts as one only between semicolons.
        worksheet
            The worksheet of a workbook with several.
        """
        if not isinstance(path, str | Path):
            raise InvalidInput(f"path must be text or a Path, got {show(path)}.")
        ids = () if id is None else as_names(id, "id")
        ignored, forced = as_names(ignore, "ignore"), as_names(categorical, "categorical")
        found = read_file(path, ids[0] if ids else None, ignored, forced, decimal=decimal, worksheet=worksheet)
        return cls.of_factors(found, repeats=repeats, constraints=constraints)

    @classmethod
    def of_factors(cls, found: "Factors", *, repeats: Repeats | None = None, constraints: Any = ()) -> Self:
        """The table of a file that was read already."""
        table = cls.__new__(cls)
        object.__setattr__(table, "constraints", as_constraints(constraints))
        table._list_factors(found, repeats)
        return table

    @property
    def dim(self) -> int:
        """How many encoded columns there are."""
        return int(self.X.shape[1])

    @property
    def n_candidates(self) -> int:
        """How many distinct rows there are."""
        return int(self.X.shape[0])

    @property
    def candidates(self) -> Floats:
        """The codes of the rows."""
        return self.X

    @property
    def size(self) -> int:
        """How many distinct rows there are."""
        return int(self.X.shape[0])

    @property
    def continuous(self) -> npt.NDArray[np.bool_]:
        """False for every encoded column: no values between the rows may be tried."""
        return np.zeros(self.dim, dtype=np.bool_)

    @cached_property
    def ids(self) -> tuple[Scalar, ...]:
        """One id per candidate, that of its first row."""
        first: list[int] = self._first.tolist()
        return tuple(first) if self._row_ids is None else tuple(self._row_ids[row] for row in first)

    def rows(self, i: int) -> tuple[int, ...]:
        """All rows of the source that are candidate i."""
        return tuple(np.flatnonzero(self._candidate == self._as_index(i)).tolist())

    def params(self, i: Any) -> dict[str, Scalar]:
        """The values of candidate i as the user gave them."""
        i = self._as_index(i)
        if self._product is not None and self._product.region is not None:
            return self._product.region.params(self.X[i])  # some parameters may be absent
        return {name: column.item(i) for name, column in zip(self.names, self._columns, strict=True)}

    def at_index(self, index: int) -> Point:
        """The candidate of that number."""
        return Point(self.X[index], index)

    def params_of(self, point: Point) -> dict[str, Scalar]:
        """The values of a candidate as the user gave them."""
        return self.params(point.index)

    def row_of(self, point: Point) -> Scalar | None:
        """The id of a candidate; None where the table only lists the points of a product of parameters."""
        return self.ids[point.index] if self.has_rows and point.index is not None else None

    @property
    def has_rows(self) -> bool:
        """Whether the candidates are rows of the user's; False where the table only lists a product of parameters."""
        return self._product is None

    def place_of_row(self, row: Any) -> Place:
        """Where something was measured, by the id of a row."""
        if self._product is not None:
            return self._product.place_of_row(row)
        index = self.index_of_id(row)
        return Place(self.params(index), self.X[index], index, True)

    def candidate_of(self, name: Any) -> int:
        """The number of a candidate: by the id of its row or, where it has none, by its parameters."""
        return self.index_of_id(name) if self.has_rows else self.index_of(name)

    def name_of(self, index: int) -> Any:
        """The id of a candidate's row or, where it has none, its parameters."""
        return self.ids[index] if self.has_rows else self.params(index)

    def filtered(self, constraints: tuple[Constraint, ...]) -> Self:
        """The rows that satisfy these constraints too, under the ids they have."""
        columns = self._columns_by_name()
        left = rows_left(constraints, columns)
        twin = copy.copy(self)
        for kept in ("ids", "_candidate_of_id"):
            twin.__dict__.pop(kept, None)
        object.__setattr__(twin, "constraints", (*self.constraints, *constraints))
        if left is None:
            return twin
        some = [column.only(left) for column in columns.values()]
        varying = [column for column in some if not column.constant]
        number = np.full(self.n_candidates + 1, UNLISTED)  # the last is for rows that were dropped before
        number[left] = np.arange(len(left))
        twin._set(
            n_levels=tuple(column.n_levels for column in varying),
            X=np.stack([column.codes() for column in varying], axis=1) if varying else np.empty((len(left), 0)),
            _columns=tuple(some),
            _first=self._first[left],
            _candidate=number[np.where(self._candidate < 0, self.n_candidates, self._candidate)],
        )
        return twin

    def numbered(self) -> Self:
        """The same rows called by their number from 0 where they are called by lines: as files once were read."""
        if not self._by_line:
            return self
        twin = copy.copy(self)
        object.__setattr__(twin, "_row_ids", None)
        for kept in ("ids", "_candidate_of_id"):  # from when they were lines
            twin.__dict__.pop(kept, None)
        return twin

    def index_of(self, params: Any) -> int:
        """The candidate with exactly these parameters; constant columns may be left out."""
        given = self._complete(params)
        index = self._find(given)
        if index is None:
            violated = violated_by(self.constraints, given, self._columns_by_name())
            if violated:
                raise InvalidInput(f"{show(given)} violates {violated}. Give a row of the table that satisfies it.")
            nearest = self.nearest(given)
            raise InvalidInput(
                f"no row of the table is {show(given)}. The nearest is row {show(self.ids[nearest])}: "
                f"{show(self.params(nearest))}. Give exactly a row of the table."
            )
        return index

    def index_of_id(self, row_id: Any) -> int:
        """The candidate of a row's id; text and whole numbers stand for each other ("12" and 12)."""
        row_id = as_level(row_id, "id")
        for key in (row_id, *other_spelling(row_id)):
            if key in self._candidate_of_id:
                return self._candidate_of_id[key]
        known = list(self._candidate_of_id)
        raise InvalidInput(f"no row has the id {show(row_id)}; there are {listed(known)}.{did_you_mean(row_id, known)}")

    def check(self, params: Any) -> dict[str, Scalar]:
        """The row with exactly these parameters, in the order of ``names``."""
        return self.params(self.index_of(params))

    def encode(self, params: Any) -> Floats:
        """The (dim,) codes of a row."""
        return np.array(self.X[self.index_of(params)])

    def encode_many(self, many: Sequence[Any]) -> Floats:
        """The (n, dim) codes of a list of rows."""
        rows = np.array([self.index_of(params) for params in many], dtype=np.intp)
        return np.take(self.X, rows, axis=0)

    def place(self, params: Any) -> Place:
        """Where something was measured, which need not be a row: any number near a column's, any level it has.

        >>> Table([{"T": 60, "acid": "HCl"}, {"T": 80, "acid": "HNO3"}]).place({"T": 85, "acid": "HCl"})
        Place(params={'T': 85, 'acid': 'HCl'}, x=array([1.25, 0.  ]), index=None, inside=False)
        """
        if self._product is not None:
            place = self._product.place(params)
            index = self._find(place.params)
            return replace(place, index=index, inside=index is not None)
        given = self._complete(params)
        pairs = zip(self.names, self._columns, strict=True)
        found = {name: column.place(given[name], name) for name, column in pairs}
        values = {name: value for name, (value, _) in found.items()}
        varying = zip(self.names, self._columns, strict=True)
        x = np.array([found[name][1] for name, column in varying if not column.constant], dtype=np.float64)
        index = self._find(values)
        return Place(values, x, index, index is not None)

    def feasible(self, params: Any) -> bool:
        """Whether parameters, of a row or not, satisfy the constraints."""
        if self._product is not None:
            return self._product.feasible(params)
        return not violated_by(self.constraints, self._complete(params), self._columns_by_name())

    def argument(self, params: Any) -> dict[str, Scalar] | Floats:
        """What the user's function gets: a dict, or a float64 array where the columns had no names."""
        return as_argument(self.check(params), unnamed=self.unnamed)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table):
            return NotImplemented
        mine = (self.names, self.repeats, self.unnamed, self.n_levels, self.X.shape, self.ids)
        if mine != (other.names, other.repeats, other.unnamed, other.n_levels, other.X.shape, other.ids):
            return False
        if self.constraints != other.constraints:
            return False
        return np.array_equal(self.X, other.X) and all(
            a.items() == b.items() for a, b in zip(self._columns, other._columns, strict=True)
        )

    def __repr__(self) -> str:
        more = repeats_shown(self.repeats) + constraints_shown(self.constraints)
        return f"Table({self.n_candidates} candidates, names={listed(self.names)}{more})"

    @cached_property
    def _candidate_of_id(self) -> dict[Scalar, int]:
        row_ids = range(len(self._candidate)) if self._row_ids is None else self._row_ids
        pairs = zip(row_ids, self._candidate.tolist(), strict=True)
        return {row_id: i for row_id, i in pairs if i != UNLISTED} if self.constraints else dict(pairs)

    def _columns_by_name(self) -> dict[str, Column]:
        return dict(zip(self.names, self._columns, strict=True))

    def _complete(self, params: Any) -> dict[str, Any]:
        if self._product is not None:
            return self._product.check(params)
        pairs = zip(self.names, self._columns, strict=True)
        constants = {name: column.item(0) for name, column in pairs if column.constant}
        return complete(params, self.names, constants, unnamed=self.unnamed)

    def _find(self, given: dict[str, Any]) -> int | None:
        if self._product is not None and self._product.region is not None:
            place = self._product.place(given)
            same = np.flatnonzero((place.x == self.X).all(axis=1))
            return int(same[0]) if len(same) and place.inside else None
        rows = np.arange(self.n_candidates)
        for name, column in zip(self.names, self._columns, strict=True):
            rows = column.where(given[name], name, rows)
        return int(rows[0]) if len(rows) else None

    def nearest(self, params: Mapping[str, Any]) -> int:
        """The candidate that is least far from these parameters, by the widths of its columns."""
        pairs = zip(self.names, self._columns, strict=True)
        return int(np.argmin(sum(column.distances(params.get(name)) ** 2 for name, column in pairs)))

    def _as_index(self, i: Any) -> int:
        what = "a candidate's index"
        return as_whole(as_int(i, what), what, most=self.n_candidates - 1)


def as_table(space: Mixed, limit: int) -> Table | None:
    """All points of a finite space as a table with the same codes, or None where they are more than ``limit``.

    >>> table = as_table(Mixed({"n": (1, 3), "act": ["relu", "tanh"]}), limit=100)
    >>> table.n_candidates, table.params(3)
    (6, {'n': 2, 'act': 'tanh'})
    """
    size = space.size
    if size is None or size > limit:
        return None
    if space.region is not None:
        return _table_of(space, _columns_left(space))
    columns: list[Column] = []
    inner = size
    for part in space.dimensions.values():
        values = part.values()
        inner //= len(values)
        columns.append(Levels(values, np.resize(np.repeat(np.arange(len(values)), inner), size)))
    return _table_of(space, columns)


def _columns_left(space: Mixed) -> list[Column]:
    """The values of the points that constraints leave; None where a parameter does not exist."""
    assert space.region is not None
    X = space.enumerate()
    active = space.region.activity.at(X)
    columns: dict[str, Column] = {}
    for j, (name, part) in enumerate(zip(space.region.columns, space.region.varying, strict=True)):
        codes, rank = np.unique(X[:, j], return_inverse=True)
        values = [*(part.decode(code) for code in codes.tolist()), None]
        columns[name] = Levels.of([values[r] for r in np.where(active[:, j], rank, -1).tolist()])
    single = np.zeros(len(X), dtype=np.intp)
    return [columns.get(name) or Levels(part.values(), single) for name, part in space.dimensions.items()]


def _table_of(space: Mixed, columns: list[Column]) -> Table:
    X = space.enumerate()
    table = Table.__new__(Table)
    table._set(
        names=space.names,
        repeats=space.repeats,
        unnamed=space.unnamed,
        n_levels=space.n_levels,
        X=X,
        _columns=tuple(columns),
        _first=np.arange(len(X)),
        _candidate=np.arange(len(X)),
        _row_ids=None,
        _product=space,
    )
    return table


def listed_domain(space: Table | Mixed, limit: int) -> Table | Mixed:
    """The space as it is searched: a finite one of up to ``limit`` points becomes the list of them."""
    listed = as_table(space, limit) if isinstance(space, Mixed) else None
    return space if listed is None else listed


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
