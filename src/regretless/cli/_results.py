"""Results of a file, into a new study or into one that has results: what is on record is not recorded again."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from regretless.cli._output import progress, say
from regretless.cli._study import Lab
from regretless.errors import InvalidInput
from regretless.lab.aims import Aims
from regretless.lab.results import contradicted, on_record, told
from regretless.sheets import (
    Experiments,
    Reading,
    Value,
    error_columns,
    read_experiments,
    read_sheet,
    stray_errors,
)
from regretless.spaces import Mixed, Repeats, Table
from regretless.spaces.scalars import did_you_mean
from regretless.study import Study, Trial

__all__ = [
    "Incoming",
    "add_results",
    "conditional",
    "incoming",
    "incoming_trials",
    "read_for",
    "say_stray",
    "store",
    "study_of",
]


_OUTSIDE = "If it was run so, import --outside takes such results as data of the model; ran takes a single one."


def study_of(experiments: Experiments, aims: Aims, *, repeats: Repeats | None = None, seed: int = 0) -> Study:
    """All rows are candidates, those with a result are data. Same file, same study: the seed is fixed."""
    study = Study(experiments.table(repeats), **aims.settings(), seed=seed)
    add_results(study, experiments)
    return study


def add_results(study: Study, experiments: Experiments) -> int:
    """Add the results of a file to a study; how many rows have one."""
    measured = [(row, experiments.measured(i)) for i, row in enumerate(experiments.ids)]
    results = [(row, values) for row, values in measured if values]
    with progress(results, "Adding results") as bar:
        for row, values in bar:
            study.add(row=row, **told(values))
    return len(results)


@dataclass(frozen=True, slots=True)
class Incoming:
    """A result of a file that is not on record: where it belongs, and the trial that waits for it, if there is one."""

    line: int
    params: dict[str, Any]
    values: Mapping[str, Value]
    answers: int | None


def incoming(lab: Lab, path: str, *, outside: bool = False, **reading: Any) -> tuple[list[Incoming], int]:
    """Everything new in a file, and how many results of it are on record already. Nothing is stored yet.

    A result is on record if the same experiment has a result of the same values; of several equal ones in the file as
    many count as are on record. A pending trial that has some outcomes waits for the others. With ``outside``
    experiments need not be candidates, and are told by their factors.
    """
    found, _ = read_for(lab, path, by_factors=outside, **reading)
    measured = ((i, values) for i in range(len(found)) if (values := found.measured(i)))
    return _unrecorded(
        lab, ((found.lines[i], _place(lab, found, i, outside=outside), values) for i, values in measured)
    )


def incoming_trials(lab: Lab, path: str, study: Study, *, outside: bool) -> tuple[list[Incoming], int]:
    """Everything new in a study of another program, and how many of its results are on record already."""
    space, level = lab.study.space, lab.study.fidelity
    names = {outcome.name for outcome in study.outcomes}
    unknown = sorted(names.difference(lab.outcomes))
    if unknown:
        raise InvalidInput(
            f"{path} has results of {unknown[0]!r}, and the study is about {' and '.join(map(repr, lab.outcomes))}. "
            "They must be called the same."
        )

    def rows() -> Iterable[tuple[int, dict[str, Any], Mapping[str, Value]]]:
        for trial in study.trials:
            try:
                at = {} if level is None else {level.name: trial.params.get(level.name, level.target)}
                own = {name: value for name, value in trial.params.items() if name not in at}
                params = {**(space.place(own).params if outside else space.check(own)), **at}
            except InvalidInput as error:
                raise InvalidInput(f"{path}, trial {trial.number}: {error} {_OUTSIDE}") from error
            yield trial.number, params, on_record(trial) or dict.fromkeys(names, "failed")

    return _unrecorded(lab, rows())


def _unrecorded(
    lab: Lab, rows: Iterable[tuple[int, dict[str, Any], Mapping[str, Value]]]
) -> tuple[list[Incoming], int]:
    trials: dict[Hashable, list[Trial]] = {}  # each answers for one row of the file
    for trial in lab.study.trials:
        if trial.status != "released":
            trials.setdefault(_key(trial.params), []).append(trial)
    new, old = [], 0
    for line, params, values in rows:
        there = trials.get(_key(params), [])
        agreeing = [trial for trial in there if not contradicted(trial, values)]
        same = next((trial for trial in agreeing if set(values) <= set(trial.values)), None)
        waits = next((trial for trial in agreeing if trial.status == "pending"), None)
        if taken := same or waits:
            there.remove(taken)
        if same:
            old += 1
        else:
            new.append(Incoming(line, params, values, waits.number if waits else None))
    return new, old


def say_stray(path: str, columns: Iterable[str], outcomes: Sequence[str]) -> None:
    """Say which columns are left out though they look like errors of results."""
    for column, outcome in stray_errors(columns, outcomes).items():
        say(f"{path}: column {column!r} is left out. A known standard deviation stands in a column '{outcome} sd'.")


def store(lab: Lab, results: list[Incoming]) -> list[Trial]:
    """Tell the trials that waited for a result, add the others."""
    stored = []
    with progress(results, "Recording") as bar:
        for result in bar:
            if result.answers is not None:
                stored.append(lab.study.tell(result.answers, **told(result.values)))
            else:
                stored.append(lab.study.add(result.params, **told(result.values)))
    return stored


def read_for(
    lab: Lab, path: str, *, needs_objective: bool = True, by_factors: bool = False, **reading: Any
) -> tuple[Experiments, list[str]]:
    """A file read as one of the study's, and the columns of it that were left out.

    A file with results need not have the factors where it has the names of the rows, unless it is read ``by_factors``.
    It need not have every outcome: what is missing may come later.
    """
    space = lab.study.space
    if Path(path).suffix.lower() in (".xlsx", ".xlsm") and lab.dialect.decimal == ",":
        reading["decimal"] = reading.get("decimal") or ","  # numbers have no mark there, replicates in a cell do
    sheet = read_sheet(path, Reading(**reading, asked_in="prompt"))
    named = lab.has_rows and not lab.row_name.startswith("line") and not by_factors
    by_name = named and (lab.row_name in sheet.columns or not needs_objective)
    needed = [] if by_name and needs_objective else [name for name in space.names if name not in space.constants]
    needed = [lab.row_name, *needed] if by_name else needed
    missing = [name for name in needed if name not in sheet.columns]
    if missing:
        wanted = " or ".join(map(repr, lab.outcomes))
        raise InvalidInput(
            f"{path} has no column {missing[0]!r}. It needs the factors of the study, {', '.join(needed)}"
            f"{f', and {wanted}' if needs_objective else ''}; other columns are left out."
        )
    factors = [name for name in lab.study.parameters if name in sheet.columns]
    outcomes = [name for name in lab.outcomes if name in sheet.columns]
    errors = error_columns(sheet.columns, outcomes, (*lab.study.parameters, lab.row_name)) if needs_objective else {}
    role = {*lab.outcomes, *factors, *errors.values(), *([lab.row_name] if by_name else [])}
    left_out = [name for name in sheet.columns if name not in role]
    chosen = Reading(
        id=lab.row_name if by_name else None,
        ignore=tuple(left_out),
        categorical=tuple(name for name in factors if all(isinstance(v, str) for v in lab.study.examples(name))),
        asked_in="prompt",
        **reading,
    )
    if needs_objective:
        for name in lab.outcomes:
            hint = "" if name in sheet.columns else did_you_mean(name, left_out)
            if hint:
                raise InvalidInput(f"{path} has no column {name!r}.{hint} Spell it as the study does.")
        sheet.check_known(lab.outcomes[:1] if not outcomes else (), "a result")
        say_stray(path, left_out, outcomes)
    return read_experiments(path, chosen, outcomes=outcomes, optional=conditional(space)), left_out


def _place(lab: Lab, found: Experiments, i: int, *, outside: bool) -> dict[str, Any]:
    """The parameters of a row of the file, which must be a candidate of the study unless ``outside`` is allowed."""
    space, level = lab.study.space, lab.study.fidelity
    params: dict[str, Any] = {name: column[i] for name, column in found.factors.items() if column[i] is not None}
    try:
        at = {} if level is None else {level.name: level.decode(level.encode(params.pop(level.name, level.target)))}
        if space.has_rows and found.id is not None:
            row = space.place_of_row(found.ids[i]).params
            odd = [name for name, value in params.items() if row[name] != value]
            if odd:
                raise InvalidInput(
                    f"{found.id} {found.ids[i]} has {odd[0]} {row[odd[0]]}, the file says {params[odd[0]]}."
                )
            return {**row, **at}
        return {**(space.place(params).params if outside else space.check(params)), **at}
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


def conditional(space: Table | Mixed) -> list[str]:
    """Factors that exist under a condition only: where they do not, their cells are empty."""
    dimensions = getattr(space, "dimensions", {})  # the columns of a table exist in every row
    return [name for name, part in dimensions.items() if getattr(part, "when", None) is not None]
