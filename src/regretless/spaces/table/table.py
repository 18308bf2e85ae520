"""Finite spaces: the rows of a table are the candidates."""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats, as_whole
from regretless.engines import Engine, memory_budget
from regretless.errors import InvalidInput
from regretless.spaces.columns import as_column
from regretless.spaces.constraints import Constraint, as_constraints, rows_left, violated_by
from regretless.spaces.dimensions import Dimension
from regretless.spaces.domain import Place, Point
from regretless.spaces.params import (
    Repeats,
    as_argument,
    check_repeats,
    complete,
    constraints_shown,
    repeats_shown,
)
from regretless.spaces.product import Mixed
from regretless.spaces.scalars import Scalar, as_int, listed, show
from regretless.spaces.sources import as_names, check_known, raw_columns, read_file
from regretless.spaces.table.frame import Frame
from regretless.spaces.table.rowids import RowIds, candidates_of

if TYPE_CHECKING:  # files are read by few who import us, and the reader costs a twentieth of the import
    from regretless.spaces.files import Factors
    from regretless.spaces.table.filetable import FileTable

__all__ = ["Table"]


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
    memory
        Bytes that the matrices of posterior covariances with all candidates, n x N numbers each, may take; a study
        keeps this number. Beyond, rows are looked at block by block where the rule permits it. None: a quarter of this
        machine's memory, half of it for the model to search by, half for that of certificates.

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
    constraints: tuple[Constraint, ...]
    memory: int = field(compare=False)  # bytes
    _frame: Frame  # one row per candidate
    _rows: RowIds  # of the source
    _product: Mixed | None  # the space this table lists, which then checks parameters

    def __init__(
        self,
        source: Any,
        *,
        id: str | None = None,
        ignore: str | Sequence[str] = (),
        categorical: str | Sequence[str] = (),
        repeats: Repeats | None = None,
        constraints: Any = (),
        memory: int | None = None,
    ) -> None:
        ignored, forced = as_names(ignore, "ignore"), as_names(categorical, "categorical")
        ids = () if id is None else as_names(id, "id")
        bound = as_constraints(constraints)
        object.__setattr__(self, "memory", memory_budget() if memory is None else as_whole(memory, "memory"))
        if isinstance(source, str | Path):
            self._list_factors(read_file(source, ids[0] if ids else None, ignored, forced), repeats, bound)
            return
        raw, unnamed = raw_columns(source)
        for what, wanted in (("id", ids), ("ignore", ignored), ("categorical", forced)):
            check_known(wanted, raw, what)
        used = [name for name in raw if name not in ignored and name not in ids]
        if not used:
            raise InvalidInput(f"no column is left to search among {listed(list(raw))}. Ignore fewer of them.")
        columns = {name: as_column(raw[name], name, categorical=name in forced) for name in used}
        named = (raw[ids[0]], ids[0]) if ids else None
        self._set(*candidates_of(Frame.of(columns), named, bound), repeats=repeats, unnamed=unnamed, constraints=bound)

    def _list_factors(self, found: "Factors", repeats: Any, constraints: tuple[Constraint, ...]) -> None:
        source = Frame.of({name: as_column(column, name) for name, column in found.factors.items()})
        frame, rows = candidates_of(source, (found.ids, found.id or "line"), constraints)
        rows = replace(rows, by_line=found.id is None)
        self._set(frame, rows, repeats=repeats, unnamed=False, constraints=constraints)

    def _set(
        self,
        frame: Frame,
        rows: RowIds,
        *,
        repeats: Any,
        unnamed: bool,
        constraints: tuple[Constraint, ...] = (),
        encoded: tuple[Floats, tuple[int, ...]] | None = None,
        product: Mixed | None = None,
        memory: int | None = None,
    ) -> None:
        """``encoded`` are codes and numbers of levels, where they are not those of the frame."""
        X, n_levels = (frame.codes(), frame.n_levels) if encoded is None else encoded
        X.flags.writeable = False
        fields: dict[str, Any] = {
            "names": frame.names,
            "repeats": check_repeats(repeats),
            "unnamed": unnamed,
            "n_levels": n_levels,
            "X": X,
            "constraints": constraints,
            "_frame": frame,
            "_rows": rows,
            "_product": product,
        }
        if not hasattr(self, "memory"):
            fields["memory"] = memory_budget() if memory is None else memory
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @classmethod
    def _of(cls, frame: Frame, rows: RowIds, **more: Any) -> Self:
        """The table of candidates that are known to be distinct and feasible."""
        table = cls.__new__(cls)
        table._set(frame, rows, **more)
        return table

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
    def from_parquet(
        cls,
        path: str | Path,
        *,
        columns: str | Sequence[str] | None = None,
        id: str | None = None,
        ignore: str | Sequence[str] = (),
        categorical: str | Sequence[str] = (),
        repeats: Repeats | None = None,
        order: Literal["file", "kd"] = "file",
    ) -> "FileTable":
        """The rows of a Parquet file, which stay there: up to hundreds of millions of them.

        Their codes, 4 bytes per row and column, are written once beside the file, or into the user's cache folder where
        that is not possible. A study keeps the path and the SHA-256 of the file in place of the rows. Equal rows are
        not merged. Only rules that look at mean and sd row by row can be used: the UCB family and EI.

        Parameters
        ----------
        path
            The file.
        columns
            The columns to search over; all but ``id`` and ``ignore`` if not given.
        id
            The column that names the rows, read on demand; by default they are called by their number, from 0.
        ignore, categorical, repeats
            As for `Table`. Text and bools are categories.
        order
            ``"kd"`` sorts the codes once so that neighbours lie together, which leaves more blocks out when a draw of
            zeta is large; names and numbers of rows stay those of the file.
        """
        from regretless.spaces.table.filetable import read_table  # it is a Table itself

        return read_table(
            path, columns=columns, id=id, ignore=ignore, categorical=categorical, repeats=repeats, order=order
        )

    @classmethod
    def from_npy(
        cls,
        path: str | Path,
        *,
        columns: str | Sequence[str] | None = None,
        ignore: str | Sequence[str] = (),
        categorical: str | Sequence[str] = (),
        repeats: Repeats | None = None,
        order: Literal["file", "kd"] = "file",
    ) -> "FileTable":
        """The rows of a two-dimensional array in an ``.npy`` file, as for `from_parquet`; columns are x0, x1, ..."""
        from regretless.spaces.table.filetable import read_table

        return read_table(
            path, columns=columns, id=None, ignore=ignore, categorical=categorical, repeats=repeats, order=order
        )

    @classmethod
    def from_arrow(cls, source: Any, path: str | Path, **more: Any) -> "FileTable":
        """Arrow data written to ``path``, a new Parquet file, and read from there, see `from_parquet`.

        ``source`` is an Arrow table or reader, a DuckDB relation, or a DataFrame of polars or pandas. It is written
        batch by batch.
        """
        from regretless.spaces.table.rowfiles import write_parquet

        file = Path(path)
        if file.exists():
            raise InvalidInput(f"{file} is there already. Read it with Table.from_parquet, or give another path.")
        write_parquet(source, file)
        return cls.from_parquet(file, **more)

    @classmethod
    def of_factors(cls, found: "Factors", *, repeats: Repeats | None = None, constraints: Any = ()) -> Self:
        """The table of a file that was read already."""
        table = cls.__new__(cls)
        table._list_factors(found, repeats, as_constraints(constraints))
        return table

    @property
    def dim(self) -> int:
        """The number of encoded columns."""
        return int(self.X.shape[1])

    @property
    def n_candidates(self) -> int:
        """The number of distinct rows."""
        return int(self.X.shape[0])

    @property
    def candidates(self) -> Floats:
        """The codes of the rows."""
        return self.X

    @property
    def block_codes(self) -> npt.NDArray[Any] | None:
        """None: the rows are in memory; those of a `FileTable` are read block by block."""
        return None

    @property
    def engine(self) -> Engine | None:
        """None: the rows are worked on here; see `FileTable.on`."""
        return None

    @property
    def size(self) -> int:
        """The number of distinct rows."""
        return int(self.X.shape[0])

    @property
    def dimensions(self) -> dict[str, Dimension]:
        """Empty: between the rows of a column there is nothing to try."""
        return {}

    @property
    def constants(self) -> frozenset[str]:
        """The columns that do not vary."""
        return frozenset(self._frame.constants)

    @property
    def continuous(self) -> npt.NDArray[np.bool_]:
        """False for every encoded column: no values between the rows may be tried."""
        return np.zeros(self.dim, dtype=np.bool_)

    @property
    def ids(self) -> tuple[Scalar, ...]:
        """One id per candidate, that of its first row."""
        return self._rows.ids

    def rows(self, i: int) -> tuple[int, ...]:
        """All rows of the source that are candidate i."""
        return self._rows.of(self._as_index(i))

    def params(self, i: Any) -> dict[str, Scalar]:
        """The values of candidate i as the user gave them."""
        i = self._as_index(i)
        if self._product is not None and self._product.region is not None:
            return self._product.region.params(self.X[i])  # some parameters may be absent
        return self._frame.row(i)

    def listed(self) -> list[dict[str, Scalar]]:
        """The values of all candidates, in order."""
        return [self.params(i) for i in range(self.n_candidates)]

    def representatives(self, most: int, rng: np.random.Generator) -> list[dict[str, Scalar]]:
        """The values of all candidates, or of ``most`` drawn at random where they are more."""
        if self.n_candidates <= most:
            return self.listed()
        return [self.params(int(i)) for i in np.sort(rng.choice(self.n_candidates, most, replace=False))]

    def examples(self, name: str) -> tuple[Scalar, ...]:
        """A value of a column, which shows what kind it holds."""
        return (self.params(0)[name],)

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
        """The place of a measurement, by the id of a row."""
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
        left = rows_left(constraints, self._frame.by_name)
        return self._of(
            self._frame if left is None else self._frame.only(left),
            self._rows if left is None else self._rows.only(left),
            repeats=self.repeats,
            unnamed=self.unnamed,
            constraints=(*self.constraints, *constraints),
            memory=self.memory,
        )

    def numbered(self) -> Self:
        """The same rows called by their number from 0 where they are called by lines: as files once were read."""
        rows = self._rows.numbered()
        if rows is self._rows:
            return self
        twin = copy.copy(self)
        object.__setattr__(twin, "_rows", rows)
        return twin

    def index_of(self, params: Any) -> int:
        """The candidate with exactly these parameters; constant columns may be left out."""
        given = self._complete(params)
        index = self._find(given)
        if index is None:
            violated = violated_by(self.constraints, given, self._frame.by_name)
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
        return self._rows.index_of(row_id)

    def check(self, params: Any) -> dict[str, Scalar]:
        """The row with exactly these parameters, in the order of ``names``."""
        return self.params(self.index_of(params))

    def encode(self, params: Any) -> Floats:
        """The (dim,) codes of a row."""
        return np.array(self.X[self.index_of(params)])

    def place(self, params: Any) -> Place:
        """The place of a measurement, which need not be a row: any number near a column's, any level it has.

        >>> Table([{"T": 60, "acid": "HCl"}, {"T": 80, "acid": "HNO3"}]).place({"T": 85, "acid": "HCl"})
        Place(params={'T': 85, 'acid': 'HCl'}, x=array([1.25, 0.  ]), index=None, inside=False)
        """
        if self._product is not None:
            place = self._product.place(params)
            index = self._find(place.params)
            return replace(place, index=index, inside=index is not None)
        given = self._complete(params)
        values, x = self._frame.place(given)
        index = self._find(values)
        return Place(values, x, index, index is not None)

    def feasible(self, params: Any) -> bool:
        """Whether parameters, of a row or not, satisfy the constraints."""
        if self._product is not None:
            return self._product.feasible(params)
        return not violated_by(self.constraints, self._complete(params), self._frame.by_name)

    def argument(self, params: Any) -> dict[str, Scalar] | Floats:
        """The argument of the user's function: a dict, or a float64 array if the columns had no names."""
        return as_argument(self.check(params), unnamed=self.unnamed)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table):
            return NotImplemented
        mine = (self.names, self.repeats, self.unnamed, self.n_levels, self.X.shape, self.ids)
        if mine != (other.names, other.repeats, other.unnamed, other.n_levels, other.X.shape, other.ids):
            return False
        if self.constraints != other.constraints:
            return False
        return np.array_equal(self.X, other.X) and self._frame.same(other._frame)

    def __repr__(self) -> str:
        more = repeats_shown(self.repeats) + constraints_shown(self.constraints)
        return f"Table({self.n_candidates} candidates, names={listed(self.names)}{more})"

    def _complete(self, params: Any) -> dict[str, Any]:
        if self._product is not None:
            return self._product.check(params)
        return complete(params, self.names, self._frame.constants, unnamed=self.unnamed)

    def _find(self, given: dict[str, Any]) -> int | None:
        if self._product is not None and self._product.region is not None:
            place = self._product.place(given)
            same = np.flatnonzero((place.x == self.X).all(axis=1))
            return int(same[0]) if len(same) and place.inside else None
        return self._frame.find(given)

    def nearest(self, params: Mapping[str, Any]) -> int:
        """The candidate nearest to these parameters, by the widths of its columns."""
        return self._frame.nearest(params)

    def _as_index(self, i: Any) -> int:
        what = "a candidate's index"
        return as_whole(as_int(i, what), what, most=self.n_candidates - 1)
