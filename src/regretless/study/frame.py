"""The trials of a study as columns, and as a data frame of pandas, polars or pyarrow, which are imported on demand."""

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, get_args

from regretless.arrays import show
from regretless.errors import InvalidInput
from regretless.study.trial import Trial

if TYPE_CHECKING:
    from regretless.study.properties import Properties

__all__ = ["Backend", "Column", "Times", "columns_of", "frame_of", "times_of"]

Backend = Literal["pandas", "polars", "pyarrow"]
Kind: TypeAlias = Literal["int", "float", "bool", "text", "time", "mixed"]


class Column(NamedTuple):
    """One value per trial, None where there is none, all of one kind; ``"mixed"`` are choices of several kinds."""

    kind: Kind
    values: list[Any]


class Times(NamedTuple):
    """When a trial was asked for, when its result came, in seconds since 1970, and who recorded it."""

    asked: float | None = None
    ended: float | None = None
    author: str | None = None


def times_of(study: "Properties") -> dict[int, Times]:
    """Of every trial by number; the last result counts where one was amended."""
    found: dict[int, Times] = {}
    for event in study.events():
        if event.number is None:
            continue
        known = found.get(event.number, Times())
        if event.kind == "asked":
            found[event.number] = known._replace(asked=event.time)
        if event.kind in ("told", "failed", "added", "added_outside", "amended"):
            found[event.number] = known._replace(ended=event.time, author=event.author)
    return found


def columns_of(study: "Properties") -> dict[str, Column]:
    """The columns of `Study.to_frame`, in their order."""
    trials, times, examples = study.trials, times_of(study), study.examples
    when = [times.get(trial.number, Times()) for trial in trials]
    return {
        "number": Column("int", [trial.number for trial in trials]),
        "row": _column([trial.row for trial in trials]),
        "status": Column("text", [str(trial.status) for trial in trials]),
        **_per_outcome("value", study, [trial.values for trial in trials]),
        **{f"params_{name}": _parameter(name, trials, examples(name)) for name in study.parameters},
        "source": Column("text", [trial.source for trial in trials]),
        "zeta": Column("float", [trial.zeta for trial in trials]),
        **_per_outcome("mean", study, [_expected(study, trial, "mean") for trial in trials]),
        **_per_outcome("sd", study, [_expected(study, trial, "sd") for trial in trials]),
        **_per_outcome("known_sd", study, [_known(trial, "sd") for trial in trials]),
        **_per_outcome("replicates", study, [_replicates(trial) for trial in trials], "int"),
        "asked": Column("time", [_utc(each.asked) for each in when]),
        "ended": Column("time", [_utc(each.ended) for each in when]),
        "author": Column("text", [each.author for each in when]),
        "excluded": Column("bool", [trial.excluded for trial in trials]),
        "note": Column("text", [trial.note for trial in trials]),
    }


def frame_of(columns: Mapping[str, Column], backend: Backend) -> Any:
    """A data frame of these columns."""
    makers = {"pandas": _pandas, "polars": _polars, "pyarrow": _pyarrow}
    if backend not in makers:
        raise InvalidInput(f"backend must be one of {', '.join(map(repr, get_args(Backend)))}, got {show(backend)}.")
    try:
        return makers[backend](columns)
    except ModuleNotFoundError as error:
        if error.name != backend:
            raise
        raise InvalidInput(f"to_frame needs {backend}, which is not installed: pip install {backend}.") from error


def _per_outcome(
    word: str, study: "Properties", by_name: Sequence[Mapping[str, Any]], kind: Kind = "float"
) -> dict[str, Column]:
    """One column for one outcome; one per outcome for several, such as ``values_yield`` and ``mean_yield``."""
    names = [outcome.name for outcome in study.outcomes]
    title = {name: word if len(names) == 1 else f"{'values' if word == 'value' else word}_{name}" for name in names}
    return {title[name]: Column(kind, [values.get(name) for values in by_name]) for name in names}


def _expected(study: "Properties", trial: Trial, word: str) -> dict[str, float | None]:
    """Mean or sd that the model expected of each outcome when the trial was suggested."""
    keys = {outcome.name: "" if outcome.name == study.objective else f"[{outcome.name}]" for outcome in study.outcomes}
    return {name: trial.details.get(f"{word}{key}") for name, key in keys.items()}


def _known(trial: Trial, word: str) -> dict[str, Any]:
    return {name: known.get(word) for name, known in trial.noise.items()}


def _replicates(trial: Trial) -> dict[str, int | None]:
    """How many measurements a value is the mean of."""
    many = _known(trial, "replicates")
    return {n: None if v is None else len(many.get(n) or (v,)) for n, v in trial.values.items()}


def _parameter(name: str, trials: Iterable[Trial], examples: Iterable[Any]) -> Column:
    """A conditional parameter is missing where it is inactive."""
    return _column([trial.params.get(name) for trial in trials], examples)


def _column(values: list[Any], examples: Iterable[Any] = ()) -> Column:
    kinds = {_kind(value) for value in (*values, *examples) if value is not None}
    if kinds == {"int", "float"}:
        kinds = {"float"}
    kind: Kind = kinds.pop() if len(kinds) == 1 else "mixed" if kinds else "text"
    return Column(kind, [None if v is None else float(v) for v in values] if kind == "float" else values)


def _kind(value: Any) -> Kind:
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int):
        return "int" if -(2**63) <= value < 2**63 else "mixed"
    return "float" if isinstance(value, float) else "text" if isinstance(value, str) else "mixed"


def _utc(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)


def _pandas(columns: Mapping[str, Column]) -> Any:
    import pandas as pd

    whole: dict[Kind, str] = {"int": "int64", "bool": "bool"}
    gaps: dict[Kind, str] = {"int": "Int64", "bool": "boolean"}
    types: dict[Kind, str] = {"float": "float64", "text": "str", "time": "datetime64[us, UTC]", "mixed": "object"}

    def series(column: Column) -> Any:
        missing = any(value is None for value in column.values)
        values = [math.nan if v is None else v for v in column.values] if column.kind == "float" else column.values
        return pd.Series(values, dtype=(types | (gaps if missing else whole))[column.kind])

    return pd.DataFrame({name: series(column) for name, column in columns.items()})


def _polars(columns: Mapping[str, Column]) -> Any:
    import polars as pl

    types: dict[Kind, Any] = {
        "int": pl.Int64,
        "float": pl.Float64,
        "bool": pl.Boolean,
        "text": pl.String,
        "time": pl.Datetime("us", "UTC"),
        "mixed": pl.String,
    }
    return pl.DataFrame([pl.Series(name, _texts(column), types[column.kind]) for name, column in columns.items()])


def _pyarrow(columns: Mapping[str, Column]) -> Any:
    import pyarrow as pa

    types = {
        "int": pa.int64(),
        "float": pa.float64(),
        "bool": pa.bool_(),
        "text": pa.string(),
        "time": pa.timestamp("us", "UTC"),
        "mixed": pa.string(),
    }
    return pa.table({name: pa.array(_texts(column), types[column.kind]) for name, column in columns.items()})


def _texts(column: Column) -> list[Any]:
    """Columns of polars and Arrow are of one type: choices of several kinds become text there."""
    if column.kind != "mixed":
        return column.values
    return [None if value is None else str(value) for value in column.values]
