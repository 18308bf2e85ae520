"""A file of EDBO+: factors, objectives with the word PENDING where nothing was measured, and a column of priorities."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from regretless.errors import InvalidInput
from regretless.integrations.imported import Imported
from regretless.integrations.records import Entry, Records, imported
from regretless.optimizer import Direction
from regretless.sheets import numbers_of, read_experiments
from regretless.spaces.files import Reading
from regretless.study import Study

__all__ = ["from_edbo", "read_edbo"]


def from_edbo(
    path: str | Path, objectives: Mapping[str, Direction], *, into: Study | None = None, **settings: Any
) -> Imported:
    """The results in a file of EDBO+ as data of a study of all its rows, with a report of what was taken.

    Parameters
    ----------
    path
        The CSV file. Rows that are PENDING are candidates, and no rows of the report; priorities are left out.
    objectives
        Names and directions of the columns of results, which the file does not say: ``{"yield": "maximize"}``.
    into
        A study to add the results to, in place of a new one.
    **settings
        Of `regretless.Study`, such as ``seed``.
    """
    return imported(read_edbo(path, objectives), None, into, **settings)


def read_edbo(path: str | Path, objectives: Mapping[str, Direction]) -> Records:
    """The record in a file of EDBO+."""
    found = read_experiments(str(path), Reading(), outcomes=tuple(objectives))
    entries = []
    for i, line in enumerate(found.lines):
        measured = {name: numbers_of(value) for name, value in found.measured(i).items()}
        if not measured:
            continue
        several = [name for name, each in measured.items() if len(each) > 1]
        if several:
            raise InvalidInput(
                f"{path}, line {line}: {several[0]} has replicates, which EDBO+ does not know. Use init."
            )
        params = {name: column[i] for name, column in found.factors.items()}
        entries.append(Entry(f"line {line}", params, {name: each[0] for name, each in measured.items() if each}))
    return Records("EDBO+", tuple(entries), dict(objectives), space=found.table())
