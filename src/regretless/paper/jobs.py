"""A unit of work: one method on one problem with one seed, and the columns of numbers that come out of it.

A unit is sent as JSON and answered in CSV, so that any executor on any machine can do it. Its seed does not depend on
the method: all methods meet the same functions, the same initial points and the same noise.
"""

import csv
import hashlib
import io
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

import numpy as np

from regretless.arrays import Floats

__all__ = ["Columns", "Unit", "from_csv", "to_csv"]

#: What a unit gives: columns of equal length by name.
Columns: TypeAlias = dict[str, Floats]


@dataclass(frozen=True, slots=True)
class Unit:
    """What is computed in one piece; ``rule`` names the class of a method that does not ship with the package.

    >>> unit = Unit("synthetic", "gp-sample", "ei", 3, {"seed": 1})
    >>> Unit.from_json(unit.to_json()) == unit, unit.key
    (True, 'gp-sample/ei/3')
    """

    experiment: str
    problem: str
    method: str
    seed: int
    settings: Mapping[str, Any]
    rule: str = ""

    @property
    def key(self) -> str:
        """Where its result is kept below the folder of its experiment."""
        return f"{self.problem}/{self.method}/{self.seed}"

    def to_json(self) -> str:
        """The unit as text."""
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> "Unit":
        """The unit that the text says."""
        return cls(**json.loads(text))

    def stream_seed(self, *parts: int | str) -> int:
        """A seed that depends on the experiment's seed, its name and ``parts`` (by default: problem and seed)."""
        chosen = parts or (self.problem, self.seed)
        text = "/".join(map(str, (self.settings["seed"], self.experiment, *chosen)))
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:7], "big")


def to_csv(columns: Columns) -> str:
    """Columns as CSV; every number with all its digits, whole numbers without a point.

    >>> print(to_csv({"t": np.array([1.0, 2.0]), "y": np.array([0.1, np.nan])}), end="")
    t,y
    1,0.1
    2,nan
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    for row in zip(*columns.values(), strict=True):
        writer.writerow(int(v) if float(v).is_integer() else repr(float(v)) for v in row)
    return out.getvalue()


def from_csv(text: str) -> Columns:
    """The columns that :func:`to_csv` wrote.

    >>> from_csv(to_csv({"t": np.array([1.0, 2.0])}))["t"].tolist()
    [1.0, 2.0]
    """
    header, *rows = csv.reader(io.StringIO(text))
    data = np.array([[float(cell) for cell in row] for row in rows], dtype=np.float64).reshape(len(rows), len(header))
    return {name: data[:, j] for j, name in enumerate(header)}
