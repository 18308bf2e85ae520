"""The protocol of search spaces, and their points."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats
from regretless.engines import Engine
from regretless.spaces.dimensions import Dimension
from regretless.spaces.scalars import Scalar

__all__ = ["UNLISTED", "Domain", "Place", "Point"]

#: In arrays of candidate numbers: a point that is not in the list of candidates, or of a space that has no such list.
UNLISTED = -1


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """A candidate: its codes, and its number if the candidates are listed."""

    x: Floats
    index: int | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a measurement: values in the order of the names, codes, and the candidate's number if it is one.

    ``index`` is the candidate's number where candidates are listed. What is not ``inside`` is not a candidate: it is
    data for the model and no more. ``context`` are the codes of a parameter beside the space, where there is one.
    """

    params: dict[str, Scalar]
    x: Floats
    index: int | None
    inside: bool
    context: tuple[float, ...] = ()

    @property
    def point(self) -> Point:
        """Its codes and number."""
        return Point(self.x, self.index)


class Domain(Protocol):
    """A search space. `Table` lists its candidates; `Mixed` is the product of its parameters."""

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters."""
        ...

    @property
    def unnamed(self) -> bool:
        """Whether the user's function gets an array instead of a dict."""
        ...

    @property
    def has_rows(self) -> bool:
        """Whether the candidates are rows of a table, with ids."""
        ...

    @property
    def n_levels(self) -> tuple[int, ...]:
        """For each encoded column the number of its categories, 0 where it is ordered."""
        ...

    @property
    def dim(self) -> int:
        """The number of encoded columns."""
        ...

    @property
    def size(self) -> int | None:
        """The number of points; None if infinite."""
        ...

    @property
    def n_candidates(self) -> int | None:
        """The number of listed candidates; None if they are not listed."""
        ...

    @property
    def candidates(self) -> Floats | None:
        """The (N, dim) codes of the candidates, where they are listed in memory."""
        ...

    @property
    def block_codes(self) -> npt.NDArray[Any] | None:
        """The (N, dim) codes of candidates in a file, to be read in blocks."""
        ...

    @property
    def memory(self) -> int:
        """Bytes that the n x N matrices of candidates in memory may take."""
        ...

    @property
    def engine(self) -> Engine | None:
        """Where candidates in a file are worked on."""
        ...

    @property
    def dimensions(self) -> Mapping[str, Dimension]:
        """The parameters of a product space with their ranges; none if the candidates are rows."""
        ...

    @property
    def constants(self) -> frozenset[str]:
        """The parameters that do not vary."""
        ...

    @property
    def continuous(self) -> npt.NDArray[np.bool_]:
        """For each encoded column whether it is real."""
        ...

    def listed(self) -> list[dict[str, Scalar]]:
        """The user's values of all candidates, where they are listed; else none."""
        ...

    def representatives(self, most: int, rng: np.random.Generator) -> list[dict[str, Scalar]]:
        """The user's values of representative points: at most this many, spread out or drawn at random."""
        ...

    def examples(self, name: str) -> tuple[Scalar, ...]:
        """Example values of a parameter, which show its kind; all of them if it is a list."""
        ...

    def nearest(self, params: Mapping[str, Any]) -> int | None:
        """The listed candidate nearest to these parameters."""
        ...

    def params_of(self, point: Point) -> dict[str, Scalar]:
        """The user's values."""
        ...

    def row_of(self, point: Point) -> Scalar | None:
        """The id of the row, where candidates are rows that have one."""
        ...

    def at_index(self, index: int) -> Point:
        """The candidate of that number, where they are listed."""
        ...

    def place(self, params: Any) -> Place:
        """The place of a measurement."""
        ...

    def place_of_row(self, row: Any) -> Place:
        """The place of a measurement, by the id of a row."""
        ...

    def candidate_of(self, name: Any) -> int:
        """The number of a candidate: by the id of its row or, where rows have none, by its parameters."""
        ...

    def name_of(self, index: int) -> Any:
        """The id of a candidate's row or, where rows have none, its parameters."""
        ...
