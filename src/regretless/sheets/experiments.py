"""A sheet read as experiments: factors, what was measured, and the names of the rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from regretless.errors import InvalidInput
from regretless.sheets.cells import Value, as_factor, as_measured, decimal_mark, is_pending
from regretless.sheets.sheet import Dialect, Sheet, read_sheet
from regretless.spaces import Repeats, Table
from regretless.spaces.scalars import Scalar, did_you_mean, listed

__all__ = ["Experiments", "read_experiments"]

_EDBO_PREDICTIONS = ("_predicted_mean", "_predicted_variance", "_expected_improvement")


@dataclass(frozen=True, slots=True)
class Experiments:
    """Rows of a sheet, each an experiment that was done (``values[i]`` a number or "failed") or could be (None).

    A row is called by its cell in the column ``id``, or by its line in the file. ``notes`` says what was left out of
    the sheet and why, in sentences for the user.
    """

    path: str
    factors: Mapping[str, list[Scalar]]
    values: tuple[Value, ...]
    lines: tuple[int, ...]
    ids: tuple[Scalar, ...]
    id: str | None
    dialect: Dialect
    notes: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.lines)

    @property
    def row_name(self) -> str:
        """What the names of rows are called: the id's column, or the line of the file."""
        return self.id if self.id is not None else "line" if "line" not in self.factors else "line of the file"

    def table(self, repeats: Repeats | None = None) -> Table:
        """The candidates: every row, measured or not."""
        key = "id"
        while key in self.factors:
            key += "_"
        words = [name for name, column in self.factors.items() if isinstance(column[0], str)]
        return Table({**self.factors, key: list(self.ids)}, id=key, categorical=words, repeats=repeats)


def read_experiments(
    path: str | Path,
    *,
    objective: str | None = None,
    must_have_objective: bool = True,
    id: str | None = None,
    ignore: Sequence[str] = (),
    categorical: Sequence[str] = (),
    decimal: str | None = None,
    worksheet: str | None = None,
) -> Experiments:
    """Read a file as a lab keeps it: columns of factors, and one of results that is filled as far as they are known."""
    sheet = read_sheet(path, worksheet)
    named = [name for name in (objective, id) if name is not None]
    clash = [name for name in named if name in ignore or name in categorical]
    if clash or len(set(named)) != len(named):
        raise InvalidInput(f"column {(clash or named)[0]!r} is named in two roles. Each column has one.")
    if id is not None:
        sheet.check_known((id,), "--id")
    sheet.check_known(tuple(ignore), "--ignore")
    sheet.check_known(tuple(categorical), "--categorical")
    measured = _objective(sheet, objective, must_have_objective)
    left_out, notes = _edbo_columns(sheet, objective, {*named, *ignore})
    used = [name for name in sheet.columns if name not in {*named, *ignore, *left_out}]
    if not used:
        raise InvalidInput(f"{path}: no column of factors is left among {listed(list(sheet.columns))}.")
    if not len(sheet):
        raise InvalidInput(f"{path} has a header but no rows. Give at least one experiment.")
    numeric = {name: sheet.columns[name] for name in used if name not in categorical}
    mark = decimal_mark({**numeric, **_numbers_only(measured, objective)}, sheet.dialect.delimiter, decimal)
    try:
        return Experiments(
            path=str(path),
            factors={
                name: as_factor(sheet.columns[name], sheet.lines, name, decimal=mark, text=name in categorical)
                for name in used
            },
            values=tuple(
                as_measured(cell, line, objective or "", decimal=mark)
                for cell, line in zip(measured, sheet.lines, strict=True)
            ),
            lines=sheet.lines,
            ids=_ids(sheet, id),
            id=id,
            dialect=replace(sheet.dialect, decimal=mark),
            notes=tuple(notes),
        )
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error}") from error


def _objective(sheet: Sheet, objective: str | None, must: bool) -> tuple[str, ...]:
    if objective is not None and objective in sheet.columns:
        return sheet.columns[objective]
    if objective is not None and must:
        sheet.check_known((objective,), "--objective")
    if objective is not None and (hint := did_you_mean(objective, sheet.columns)):
        raise InvalidInput(
            f"{sheet.path} has no column {objective!r}.{hint} Spell it as in the file; or rename what is measured, "
            "so that it cannot be taken for one of the factors."
        )
    return ("",) * len(sheet)


def _numbers_only(measured: Sequence[str], objective: str | None) -> dict[str, list[str]]:
    words = ("failed", "fail", "pending")
    return {f"{objective}": [cell for cell in measured if cell.casefold() not in words]}


def _ids(sheet: Sheet, id: str | None) -> tuple[Scalar, ...]:
    if id is None:
        return sheet.lines
    cells = sheet.columns[id]
    if "" in cells:
        line = sheet.lines[cells.index("")]
        raise InvalidInput(f"line {line} has no name in column {id!r} (--id). Fill it, or choose another column.")
    return cells


def _edbo_columns(sheet: Sheet, objective: str | None, named: set[str]) -> tuple[set[str], list[str]]:
    """Columns that EDBO+ adds to a scope: its priority, its predictions, and other objectives."""
    waiting = {name for name, cells in sheet.columns.items() if name not in named and any(map(is_pending, cells))}
    notes = [f"column {name!r} is left out: PENDING marks it as another objective." for name in sorted(waiting)]
    priority = sheet.columns.get("priority")
    if priority is None or "priority" in named or not {_as_int(cell) for cell in priority} <= {-1, 0, 1}:
        return waiting, notes
    predictions = {
        name for name in sheet.columns if name not in named and name.endswith(_EDBO_PREDICTIONS) and name != objective
    }
    notes.append("column 'priority' is left out: -1, 0 and 1 are the order in which EDBO+ suggests rows.")
    notes += [f"column {name!r} is left out: a prediction by EDBO+." for name in sorted(predictions)]
    return waiting | predictions | {"priority"}, notes


def _as_int(cell: str) -> int | None:
    """Minus one, zero or one, also where pandas wrote 1.0."""
    return {"-1": -1, "0": 0, "1": 1, "-1.0": -1, "0.0": 0, "1.0": 1}.get(cell)
