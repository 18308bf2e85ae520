"""Results as told, stored and shown: numbers, replicates with their error, failures."""

from collections.abc import Mapping
from typing import Any

from regretless.lab.text import result
from regretless.sheets import Measurement, Value, numbers_of, result_cell
from regretless.study import Trial

__all__ = ["contradicted", "in_words", "on_record", "result_cells", "told"]


def told(values: Mapping[str, Value]) -> dict[str, Any]:
    """Results by outcome as the arguments ``value``, ``sd`` and ``failed`` of `Study.tell`, `add` and `amend`."""
    failed = [name for name, value in values.items() if value == "failed"]
    numbers = {name: list(numbers_of(value)) for name, value in values.items() if name not in failed}
    errors = {name: value.sd for name, value in values.items() if isinstance(value, Measurement) and value.sd}
    single = {name: each[0] if len(each) == 1 else each for name, each in numbers.items()}
    return {"value": single or None, "sd": errors or None, "failed": failed}


def on_record(trial: Trial) -> dict[str, Value]:
    """The results of a trial by outcome, as in a file."""
    found: dict[str, Value] = {}
    for name, value in trial.values.items():
        known = trial.noise.get(name)
        if value is None or not known:
            found[name] = "failed" if value is None else value
        else:
            found[name] = Measurement(tuple(known.get("replicates", (value,))), known.get("sd"))
    return found


def contradicted(trial: Trial, values: Mapping[str, Value]) -> dict[str, Value]:
    """The stored results of a trial that these values contradict, by outcome.

    Numbers without an error do not contradict one that is on record.
    """
    known = on_record(trial)
    return {name: known[name] for name, value in values.items() if name in known and not _agree(value, known[name])}


def _agree(value: Value, known: Value) -> bool:
    if "failed" in (value, known):
        return value == known
    sd, had = (each.sd if isinstance(each, Measurement) else None for each in (value, known))
    return numbers_of(value) == numbers_of(known) and sd in (None, had)


def in_words(value: Value) -> str:
    """A result for people.

    >>> in_words(Measurement((81.2,), 0.4)), in_words("failed")
    ('81.2 ± 0.4', 'failed')
    """
    if value is None or isinstance(value, str):
        return value or ""
    return result(numbers_of(value), value.sd if isinstance(value, Measurement) else None)


def result_cells(trial: Trial, errors: Mapping[str, str], decimal: str) -> dict[str, Any]:
    """The results of a trial as cells of a file; ``errors`` has the columns of known standard deviations."""
    cells: dict[str, Any] = {}
    for name, value in on_record(trial).items():
        cells[name] = value if value is None or isinstance(value, str) else result_cell(value, decimal)
        if isinstance(value, Measurement) and value.sd is not None:
            cells[errors[name]] = value.sd
    return cells
