"""Named columns of the same rows."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats
from regretless.spaces.columns import Column
from regretless.spaces.scalars import Scalar

__all__ = ["Frame"]


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """Columns by name. Those that vary are encoded, in order; the others are not.

    >>> from regretless.spaces.columns import as_column
    >>> frame = Frame.of({"t": as_column([20, 40], "t"), "acid": as_column(["HCl", "HCl"], "acid")})
    >>> frame.row(1), frame.constants, frame.codes().tolist()
    ({'t': 40, 'acid': 'HCl'}, {'acid': 'HCl'}, [[0.0], [1.0]])
    """

    names: tuple[str, ...]
    columns: tuple[Column, ...]

    @classmethod
    def of(cls, columns: Mapping[str, Column]) -> Self:
        """The frame of columns by name."""
        return cls(tuple(columns), tuple(columns.values()))

    @property
    def by_name(self) -> dict[str, Column]:
        """Name to column, in order; a fresh dict."""
        return dict(zip(self.names, self.columns, strict=True))

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self.columns[0].n_rows

    @property
    def varying(self) -> dict[str, Column]:
        """The columns whose rows are not all equal."""
        return {name: column for name, column in self.by_name.items() if not column.constant}

    @property
    def constants(self) -> dict[str, Scalar]:
        """The one value of each of the other columns."""
        return {name: column.item(0) for name, column in self.by_name.items() if column.constant}

    @property
    def n_levels(self) -> tuple[int, ...]:
        """For each encoded column the number of its categories, 0 where it is ordered."""
        return tuple(column.n_levels for column in self.varying.values())

    def codes(self) -> Floats:
        """(n_rows, dim): the encoded columns."""
        varying = self.varying.values()
        return np.stack([column.codes() for column in varying], axis=1) if varying else np.empty((self.n_rows, 0))

    def row(self, i: int) -> dict[str, Scalar]:
        """The user's values in a row."""
        return {name: column.item(i) for name, column in self.by_name.items()}

    def take(self, rows: npt.NDArray[np.intp]) -> Self:
        """The frame of some rows, on the scales and with the levels of all."""
        return type(self)(self.names, tuple(column.take(rows) for column in self.columns))

    def only(self, rows: npt.NDArray[np.intp]) -> Self:
        """The frame of some rows alone."""
        return type(self)(self.names, tuple(column.only(rows) for column in self.columns))

    def find(self, values: Mapping[str, Any]) -> int | None:
        """The first row with exactly these values."""
        rows = np.arange(self.n_rows)
        for name, column in self.by_name.items():
            rows = column.where(values[name], name, rows)
        return int(rows[0]) if len(rows) else None

    def place(self, values: Mapping[str, Any]) -> tuple[dict[str, Scalar], Floats]:
        """Measured values, which no row need have, and their codes."""
        found = {name: column.place(values[name], name) for name, column in self.by_name.items()}
        x = np.array([found[name][1] for name in self.varying], dtype=np.float64)
        return {name: value for name, (value, _) in found.items()}, x

    def nearest(self, values: Mapping[str, Any]) -> int:
        """The row nearest to these values, by the widths of its columns."""
        return int(np.argmin(sum(column.distances(values.get(name)) ** 2 for name, column in self.by_name.items())))

    def same(self, other: "Frame") -> bool:
        """Whether all values are equal, column by column."""
        return all(a.items() == b.items() for a, b in zip(self.columns, other.columns, strict=True))
