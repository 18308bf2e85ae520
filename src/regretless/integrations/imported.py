"""What an import of others' data took and what it left, and why."""

from collections import Counter
from dataclasses import dataclass

from regretless.study import Study

__all__ = ["Imported", "Left"]


@dataclass(frozen=True, slots=True)
class Left:
    """A row that was not taken: what it is called where it comes from, and why."""

    row: str
    why: str


@dataclass(frozen=True, slots=True)
class Imported:
    """A study made from others' data, and a report of every row.

    >>> from regretless import Study
    >>> print(Imported(Study({"x": (0.0, 1.0)}, seed=1), 2, (Left("trial 2", "it is still running"),)))
    2 of 3 rows taken. Left: 1, it is still running (trial 2).
    """

    study: Study
    taken: int
    left: tuple[Left, ...] = ()
    notes: tuple[str, ...] = ()  # what else was not carried over

    def __str__(self) -> str:
        text = f"{self.taken} of {self.taken + len(self.left)} rows taken."
        for why, count in Counter(left.why for left in self.left).items():
            first = next(left.row for left in self.left if left.why == why)
            others = "" if count == 1 else f" and {count - 1} more"
            text += f" Left: {count}, {why} ({first}{others})."
        return " ".join([text, *self.notes])
