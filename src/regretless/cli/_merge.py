"""Results of a file brought into a study, each once: what is on record already is not recorded again."""

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from regretless.cli._output import progress
from regretless.cli._study import Lab
from regretless.errors import InvalidInput
from regretless.sheets import Experiments, Reading, Value, read_experiments, read_sheet
from regretless.spaces import Mixed, Table
from regretless.study import Trial

__all__ = ["Incoming", "incoming", "store"]


@dataclass(frozen=True, slots=True)
class Incoming:
    """A result of a file that is not on record: where it belongs, and the pending trial it answers, if there is one."""

    line: int
    params: dict[str, Any]
    value: Value
    answers: int | None


def incoming(lab: Lab, path: str, **reading: Any) -> tuple[list[Incoming], int]:
    """Everything new in a file, and how many results of it are on record already. Nothing is stored yet.

    A result is on record if the same experiment has a result of the same value; of several equal ones in the file as
    many count as are on record.
    """
    found = _read(lab, path, **reading)
    known = Counter(
        (_key(trial.params), trial.value) for trial in lab.study.trials if trial.status in ("told", "failed")
    )
    waits: dict[Hashable, list[Trial]] = {}
    for trial in lab.pending:
        waits.setdefault(_key(trial.params), []).append(trial)
    new, old = [], 0
    for i, value in enumerate(found.values):
        if value is None:
            continue
        params = _place(lab, found, i)
        key = _key(params)
        mark = (key, None if value == "failed" else value)
        if known[mark]:
            known[mark] -= 1
            old += 1
            continue
        pending = waits.get(key)
        new.append(Incoming(found.lines[i], params, value, pending.pop(0).number if pending else None))
    return new, old


def store(lab: Lab, results: list[Incoming]) -> list[Trial]:
    """Tell the trials that waited for a result, add the others."""
    stored = []
    with progress(results, "Recording") as bar:
        for result in bar:
            failed = result.value == "failed"
            value = None if failed else result.value
            if result.answers is not None:
                stored.append(lab.study.tell(result.answers, value, failed=failed))
            else:
                stored.append(lab.study.add(result.params, value, failed=failed))
    return stored


def _read(lab: Lab, path: str, **reading: Any) -> Experiments:
    space, objective = lab.study.space, lab.study.objective
    sheet = read_sheet(path, Reading(**reading, at_prompt=True))
    by_name = lab.has_rows and lab.row_name in sheet.columns and not lab.row_name.startswith("line")
    needed = [] if by_name else [name for name in space.names if name not in _constants(space)]
    missing = [name for name in needed if name not in sheet.columns]
    if missing:
        raise InvalidInput(
            f"{path} has no column {missing[0]!r}. It needs the factors of the study, {', '.join(needed)}, and "
            f"{objective!r}; other columns are left out."
        )
    factors = [name for name in space.names if name in sheet.columns]
    role = {objective, *factors, *([lab.row_name] if by_name else [])}
    chosen = Reading(
        id=lab.row_name if by_name else None,
        ignore=tuple(name for name in sheet.columns if name not in role),
        categorical=tuple(name for name in factors if _is_text(space, name)),
        at_prompt=True,
        **reading,
    )
    return read_experiments(path, chosen, objective=objective)


def _place(lab: Lab, found: Experiments, i: int) -> dict[str, Any]:
    """The parameters of a row of the file, which must be a point of the study's space."""
    space = lab.study.space
    params: dict[str, Any] = {name: column[i] for name, column in found.factors.items()}
    try:
        if isinstance(space, Table) and found.id is not None:
            row = space.params(space.index_of_id(found.ids[i]))
            odd = [name for name, value in params.items() if row[name] != value]
            if odd:
                raise InvalidInput(
                    f"{found.id} {found.ids[i]} has {odd[0]} {row[odd[0]]}, the file says {params[odd[0]]}."
                )
            return row
        return space.check(params)
    except InvalidInput as error:
        raise InvalidInput(f"{found.path}, line {found.lines[i]}: {error} Nothing was recorded.") from error


def _key(params: Any) -> Hashable:
    return tuple(params.items())


def _constants(space: Table | Mixed) -> set[str]:
    """Factors that never change, which a file may leave out."""
    if isinstance(space, Mixed):
        return {name for name, part in space.dimensions.items() if part.size == 1}
    first = space.params(0)
    varying = {
        name for i in range(space.n_candidates) for name, value in space.params(i).items() if value != first[name]
    }
    return set(space.names) - varying


def _is_text(space: Table | Mixed, name: str) -> bool:
    if isinstance(space, Table):
        return isinstance(space.params(0)[name], str)
    choices = getattr(space.dimensions[name], "choices", None) or getattr(space.dimensions[name], "levels", None)
    return choices is not None and all(isinstance(choice, str) for choice in choices)
