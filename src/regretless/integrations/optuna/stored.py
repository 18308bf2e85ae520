"""A study in a database of Optuna, as one of ours."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import optuna

from regretless.errors import InvalidInput
from regretless.integrations.imported import Imported
from regretless.integrations.optuna.importing import from_optuna

__all__ = ["from_stored"]


def from_stored(path: Path, name: str | None, settings: Mapping[str, Any]) -> Imported:
    """The study of that name, or the only one, in an SQLite file."""
    storage = optuna.storages.RDBStorage(f"sqlite:///{path}")
    try:
        names = optuna.get_all_study_names(storage)
        if name is None and len(names) != 1:
            listed = f"holds {len(names)} studies: {', '.join(names)}" if names else "holds no study"
            raise InvalidInput(f"{path} {listed}. Choose one: --optuna NAME.")
        if name is not None and name not in names:
            raise InvalidInput(f"{path} holds no study {name!r}; there are {', '.join(names) or 'none'}.")
        return from_optuna(optuna.load_study(study_name=name or names[0], storage=storage), **settings)
    finally:
        storage.remove_session()
        storage.engine.dispose()
