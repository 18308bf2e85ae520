"""A place that may be tried, and what every space of such places can do."""

from collections.abc import Mapping, Sequence
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
    """A place that may be tried: its codes, and its number where the candidates are listed."""

    x: Floats
    index: int | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """Where something was measured: values in the order of the names, codes, and which candidate that is.

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
    """What may be tried. `Table` lists its candidates; `Mixed` is the product of its parameters."""

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters."""
        ...

    @property
    def unnamed(self) -> bool:
        """Whether the user's function gets an array in place of a dict."""
        ...

    @property
    def has_rows(self) -> bool:
        """Whether the candidates are rows of the user's, with ids."""
        ...

    @property
    def n_levels(self) -> tuple[int, ...]:
        """For each encoded column the number of its categories, 0 where it is ordered."""
        ...

    @property
    def dim(self) -> int:
        """How many encoded columns there are."""
        ...

    @property
    def size(self) -> int | None:
        """How many points there are; None where they are infinitely many."""
        ...

    @property
    def n_candidates(self) -> int | None:
        """How many candidates are listed; None where they are not."""
        ...

    @property
    def candidates(self) -> Floats | None:
        """The (N, dim) codes of the candidates, where they are listed in memory."""
        ...

    @property
    def block_codes(self) -> npt.NDArray[Any] | None:
        """The (N, dim) codes of candidates that are listed in a file, to be read block by block."""
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
        """The parameters with the values between which anything may be tried; none where candidates are rows."""
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
        """The user's values of points that stand for all: at most so many, spread out or drawn at random."""
        ...

    def examples(self, name: str) -> tuple[Scalar, ...]:
        """Some values of a parameter, which show what kind it is; all where it is a list of them."""
        ...

    def nearest(self, params: Mapping[str, Any]) -> int | None:
        """The listed candidate that is least far from these parameters."""
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
        """Where something was measured."""
        ...

    def place_of_row(self, row: Any) -> Place:
        """Where something was measured, by the id of a row."""
        ...

    def candidate_of(self, name: Any) -> int:
        """The number of a candidate: by the id of its row or, where rows have none, by its parameters."""
        ...

    def name_of(self, index: int) -> Any:
        """The id of a candidate's row or, where rows have none, its parameters."""
        ...

    def encode_many(self, many: Sequence[Any]) -> Floats:
        """The (n, dim) codes of a list of parameters."""
        ...
