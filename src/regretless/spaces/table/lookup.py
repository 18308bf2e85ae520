"""Searching rows of a long table by their codes, a part at a time, without a text of every row."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from regretless.errors import InvalidInput
from regretless.spaces.columns import Column, Levels
from regretless.spaces.scalars import Scalar, listed, show
from regretless.spaces.table.table import Table

__all__ = ["Term", "rows_where"]

#: Rows looked at together.
_ROWS = 1 << 20
_TERM = re.compile(r"(?P<name>.+?)(?P<sense><=|>=|=|<|>)(?P<text>.+)")
#: How far a code may be off: codes in files are float32.
_ROUNDING = 1e-6


@dataclass(frozen=True, slots=True)
class Term:
    """A column, a comparison and a value, as in ``logP<=2.5`` or ``ring=6``."""

    name: str
    sense: str
    text: str

    @classmethod
    def of(cls, word: str, names: Sequence[str]) -> Self | None:
        """What a word says of one of these columns; None where it is no term.

        >>> Term.of("LOGP<=2,5", ["logP"])
        Term(name='logP', sense='<=', text='2.5')
        """
        found = _TERM.fullmatch(word)
        if found is None:
            return None
        known = {name.casefold(): name for name in names}
        name = known.get(found["name"].strip().casefold())
        if name is None:
            raise InvalidInput(f"no column is called {show(found['name'])}; there are {listed(list(names))}.")
        return cls(name, found["sense"], found["text"].strip().replace(",", "."))

    def possible(self, column: Column, codes: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """Rows that may satisfy it, by their codes."""
        if isinstance(column, Levels):
            ranks = [rank for rank, level in enumerate(column.levels) if self.holds(level)]
            found: npt.NDArray[np.bool_] = np.isin(codes, ranks)
            return found
        low, high = self._between()
        scale = max(abs(end) for end in column.scale)
        ends = column.scaled(np.array([max(low, -1e3 * scale - 1.0), min(high, 1e3 * scale + 1.0)]))
        room = _ROUNDING * (1.0 + np.abs(ends))
        between: npt.NDArray[np.bool_] = (codes >= ends[0] - room[0]) & (codes <= ends[1] + room[1])
        return between

    def holds(self, value: Scalar) -> bool:
        """Whether a value satisfies it; a number with decimals stands for all that read so."""
        if isinstance(value, str | bool) or value is None:
            return self.sense == "=" and str(value).casefold().startswith(self.text.casefold())
        low, high = self._between()
        if self.sense == "=":
            return low < value < high or value == self._number()
        return (low < value if self.sense == ">" else low <= value) and (
            value < high if self.sense == "<" else value <= high
        )

    def _number(self) -> float:
        try:
            return float(self.text)
        except ValueError as error:
            raise InvalidInput(f"{self.name} holds numbers, got {show(self.text)}.") from error

    def _between(self) -> tuple[float, float]:
        number = self._number()
        if self.sense == "=":
            decimals = len(self.text.partition(".")[2])
            room = 10.0**-decimals if decimals else 0.0  # 1.36 stands for 1.355 and for 1.369
            return (number - 0.5 * room, number + room) if number >= 0.0 else (number - room, number + 0.5 * room)
        return (-np.inf, number) if self.sense in ("<", "<=") else (number, np.inf)


def rows_where(table: Table, terms: Sequence[Term], begin: int, most: int, look_at: int) -> tuple[list[int], int]:
    """The next candidates from ``begin`` on that satisfy all terms, and where the search ended.

    It ends behind the last of ``most`` candidates, after ``look_at`` rows, or at the end of the table.

    >>> table = Table([{"t": t, "acid": a} for t in range(50) for a in ("HCl", "HNO3")])
    >>> rows_where(table, [Term("t", ">", "40"), Term("acid", "=", "hcl")], 0, most=3, look_at=1000)
    ([82, 84, 86], 87)
    """
    varying, n = list(table._frame.varying), len(table.X)
    for term in terms:
        if term.name not in varying and not term.holds(table.params(0)[term.name]):
            return [], n  # it has one value, another one
    found: list[int] = []
    last = min(begin + look_at, n)
    for start in range(begin, last, _ROWS):
        codes = np.asarray(table.X[start : min(start + _ROWS, last)])
        good = np.ones(len(codes), dtype=np.bool_)
        for term in terms:
            if term.name in varying:
                good &= term.possible(table._frame.varying[term.name], codes[:, varying.index(term.name)])
        for i in (start + np.flatnonzero(good)).tolist():
            if len(found) == most:
                return found, found[-1] + 1
            params = table.params(i)
            if all(term.holds(params[term.name]) for term in terms):
                found.append(i)
    return (found, found[-1] + 1) if len(found) == most else (found, last)
