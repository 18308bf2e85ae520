"""Results of a file, into a new study or into one that has results: what is on record is not recorded again."""

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from regretless.cli._output import progress
from regretless.cli._study import Lab
from regretless.errors import InvalidInput
from regretless.sheets import Experiments, Reading, Value, read_experiments, read_sheet
from regretless.spaces import Mixed, Repeats, Table
from regretless.study import Study, Trial

__all__ = ["Incoming", "add_results", "incoming", "read_for", "store", "study_of"]


_OUTSIDE = "If it was run so, import --outside takes such results as data of the model; ran takes a single one."


def study_of(
    experiments: Experiments,
    objective: str,
    *,
    maximize: bool,
    limits: tuple[float, float] | None,
    repeats: Repeats | None = None,
    seed: int = 0,
) -> Study:
    """All rows are candidates, those with a result are data. Same file, same study: the seed is fixed."""
    study = Study(
        experiments.table(repeats),
        direction="maximize" if maximize else "minimize",
        objective=objective,
        limits=limits,
        seed=seed,
    )
    add_results(study, experiments)
    return study


def add_results(study: Study, experiments: Experiments) -> int:
    """Add the results of a file to a study; how many there were."""
    pairs = zip(experiments.ids, experiments.values, strict=True)
    results = [(row, value) for row, value in pairs if value is not None]
    with progress(results, "Adding results") as bar:
        for row, value in bar:
            failed = value == "failed"
            study.add(row=row, value=None if failed else value, failed=failed)
    return len(results)


@dataclass(frozen=True, slots=True)
class Incoming:
    """A result of a file that is not on record: where it belongs, and the pending trial it answers, if there is one."""

    line: int
    params: dict[str, Any]
    value: Value
    answers: int | None


def incoming(lab: Lab, path: str, *, outside: bool = False, **reading: Any) -> tuple[list[Incoming], int]:
    """Everything new in a file, and how many results of it are on record already. Nothing is stored yet.

    A result is on record if the same experiment has a result of the same value; of several equal ones in the file as
    many count as are on record. With ``outside`` experiments need not be candidates, and are told by their factors.
    """
    found, _ = read_for(lab, path, by_factors=outside, **reading)
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
        params = _place(lab, found, i, outside=outside)
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


def read_for(
    lab: Lab, path: str, *, needs_objective: bool = True, by_factors: bool = False, **reading: Any
) -> tuple[Experiments, list[str]]:
    """A file read as one of the study's, and the columns of it that were left out.

    A file with results need not have the factors where it has the names of the rows, unless it is read ``by_factors``.
    """
    space, objective = lab.study.space, lab.study.objective
    sheet = read_sheet(path, Reading(**reading, asked_in="prompt"))
    named = lab.has_rows and not lab.row_name.startswith("line") and not by_factors
    by_name = named and (lab.row_name in sheet.columns or not needs_objective)
    needed = [] if by_name and needs_objective else [name for name in space.names if name not in _constants(space)]
    needed = [lab.row_name, *needed] if by_name else needed
    missing = [name for name in needed if name not in sheet.columns]
    if missing:
        raise InvalidInput(
            f"{path} has no column {missing[0]!r}. It needs the factors of the study, {', '.join(needed)}"
            f"{f', and {objective!r}' if needs_objective else ''}; other columns are left out."
        )
    factors = [name for name in space.names if name in sheet.columns]
    role = {objective, *factors, *([lab.row_name] if by_name else [])}
    left_out = [name for name in sheet.columns if name not in role]
    chosen = Reading(
        id=lab.row_name if by_name else None,
        ignore=tuple(left_out),
        categorical=tuple(name for name in factors if _is_text(space, name)),
        asked_in="prompt",
        **reading,
    )
    found = read_experiments(path, chosen, objective=objective, must_have_objective=needs_objective)
    return found, left_out


def _place(lab: Lab, found: Experiments, i: int, *, outside: bool) -> dict[str, Any]:
    """The parameters of a row of the file, which must be a candidate of the study unless ``outside`` is allowed."""
    space = lab.study.space
    params: dict[str, Any] = {name: column[i] for name, column in found.factors.items()}
    try:
        if space.has_rows and found.id is not None:
            row = space.place_of_row(found.ids[i]).params
            odd = [name for name, value in params.items() if row[name] != value]
            if odd:
                raise InvalidInput(
                    f"{found.id} {found.ids[i]} has {odd[0]} {row[odd[0]]}, the file says {params[odd[0]]}."
                )
            return row
        return space.place(params).params if outside else space.check(params)
    except InvalidInput as error:
        hint = "" if outside or not _placeable(space, params) else f" {_OUTSIDE}"
        raise InvalidInput(f"{found.path}, line {found.lines[i]}: {error} Nothing was recorded.{hint}") from error


def _placeable(space: Table | Mixed, params: dict[str, Any]) -> bool:
    """Whether parameters that are not a candidate could be data all the same."""
    try:
        space.place(params)
    except InvalidInput:
        return False
    return True


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
