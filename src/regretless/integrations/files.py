"""Files of other programs, told apart by what they hold: what `regretless audit` and `regretless import` take."""

import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from regretless.errors import InvalidInput
from regretless.integrations.ax.importing import from_ax
from regretless.integrations.baybe import NO_PICKLES
from regretless.integrations.imported import Imported
from regretless.integrations.physbo import from_physbo

__all__ = ["is_foreign", "load"]

_PICKLES = (".pkl", ".pickle", ".joblib", ".gz")
_DATABASES = (".db", ".sqlite", ".sqlite3")


def is_foreign(path: str | Path) -> bool:
    """Whether this is a file of another program, by its name; whatever ends otherwise is a spreadsheet."""
    return Path(path).suffix.lower() in (".json", ".npz", *_PICKLES, *_DATABASES)


def load(
    path: str | Path,
    *,
    candidates: Any = None,
    objective: str = "value",
    name: str | None = None,
    **settings: Any,
) -> Imported:
    """The results in a file of Ax (JSON), PHYSBO (npz) or Optuna (SQLite) as data of a study, with a report.

    Parameters
    ----------
    path
        The file. Pickles are refused, and campaigns of BayBE, which hold some.
    candidates
        For PHYSBO: the table that was searched.
    objective
        For PHYSBO: what the values are called.
    name
        For Optuna: the name of the study, where a database holds several.
    **settings
        Of `regretless.Study`.
    """
    suffix = Path(path).suffix.lower()
    if candidates is not None and suffix != ".npz":
        raise InvalidInput("--candidates goes with a history of PHYSBO (.npz): other files say what may be tried.")
    if suffix == ".npz":
        if candidates is None:
            raise InvalidInput(
                f"{path}: a history of PHYSBO does not hold its candidates. Give them: --candidates FILE."
            )
        return from_physbo(path, candidates, objective=objective, **settings)
    if suffix in _DATABASES:
        return _of_optuna(Path(path), name, settings)
    if suffix in _PICKLES:
        raise InvalidInput(
            f"{path} is a pickle, which could run any code and is not read. Load it in Python with the program that "
            "wrote it, and hand the object to from_skopt, from_cv_results or from_baybe of regretless.integrations."
        )
    return from_ax(_json(path), **settings)


def _json(path: str | Path) -> Mapping[str, Any]:
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise InvalidInput(f"{path} is not JSON: {error}.") from error
    if not isinstance(data, Mapping):
        raise InvalidInput(f"{path} holds no experiment: JSON is read as Client.save_to_json_file of Ax writes it.")
    if data.get("type") == "Campaign" or "measurements_exp" in data:
        raise InvalidInput(f"{path}: {NO_PICKLES}.")
    return data


def _of_optuna(path: Path, name: str | None, settings: Mapping[str, Any]) -> Imported:
    """Read by Optuna itself, as its tables change from release to release."""
    if not _is_optuna(path):
        raise InvalidInput(
            f"{path} is no database of Optuna. A study of Regretless is looked at by: status --study {path}."
        )
    from regretless.integrations.optuna.stored import from_stored  # needs Optuna

    return from_stored(path, name, settings)


def _is_optuna(path: Path) -> bool:
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as database:
            names = {row[0] for row in database.execute("select name from sqlite_master where type = 'table'")}
    except sqlite3.DatabaseError:
        return False
    return {"studies", "trials", "trial_params"} <= names
