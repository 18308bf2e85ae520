"""A search of PHYSBO: the npz file of its history, beside the table of candidates. PHYSBO is not needed."""

import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from regretless.errors import InvalidInput
from regretless.integrations.imported import Imported
from regretless.integrations.records import Entry, Records, imported, number
from regretless.spaces import Table, as_space
from regretless.study import Study

__all__ = ["from_physbo", "read_physbo"]


def from_physbo(
    path: str | Path,
    candidates: Any,
    *,
    objective: str = "value",
    into: Study | None = None,
    **settings: Any,
) -> Imported:
    """The results in a history of PHYSBO as data of a study of ours, with a report of what was taken.

    Parameters
    ----------
    path
        What ``policy.history.save(path)`` wrote. Only arrays of numbers are read, never pickles: histories of several
        objectives are pickles.
    candidates
        What was ``test_X``: an array, a DataFrame, a CSV path or a `Table`, rows in their order. It is not in the file.
    objective
        What the values are called.
    into
        A study to add the results to, in place of a new one.
    **settings
        Of `regretless.Study`, such as ``seed``. PHYSBO maximises.
    """
    space = as_space(candidates)
    if not isinstance(space, Table):
        raise InvalidInput("candidates must be a table: the rows of test_X, in their order.")
    return imported(read_physbo(path, space, objective), None if into else space, into, **settings)


def read_physbo(path: str | Path, candidates: Table, objective: str = "value") -> Records:
    """The record in a history of PHYSBO."""
    chosen, fx = _arrays(path)
    candidate = {row: i for i in range(candidates.n_candidates) for row in candidates.rows(i)}  # equal rows are one
    entries = []
    for probe, (action, value) in enumerate(zip(chosen.tolist(), fx.tolist(), strict=True)):
        if action not in candidate:
            entries.append(Entry(f"probe {probe}", {}, left=f"the table has no row {action}"))
            continue
        measured = number(value)
        params = candidates.params(candidate[action])
        entries.append(Entry(f"probe {probe}", params, {} if measured is None else {objective: measured}))
    return Records("PHYSBO", tuple(entries), {objective: "maximize"}, space=candidates)


def _arrays(path: str | Path) -> tuple[Any, Any]:
    """Numbers of candidates and values, both (n,)."""
    try:
        with np.load(path, allow_pickle=False) as file:
            chosen, fx = np.asarray(file["chosen_actions"]), np.asarray(file["fx"])
    except (KeyError, ValueError, OSError, EOFError, TypeError, zipfile.BadZipFile) as error:
        raise InvalidInput(
            f"{path} is no history of PHYSBO with one objective, or holds pickles, which could run any code and are "
            f"not read: {type(error).__name__}. Save one with policy.history.save(path)."
        ) from error
    if chosen.ndim != 1 or chosen.dtype.kind not in "iu" or fx.ndim != 1 or fx.dtype.kind != "f":
        raise InvalidInput(f"{path} is no history of PHYSBO: actions and values have other types.")
    if len(chosen) != len(fx):
        raise InvalidInput(f"{path} has {len(chosen)} actions and {len(fx)} values.")
    return chosen, fx
