"""Trials as data frames: the columns that are documented, the same values in every package, and exact types."""

import math
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from regretless import Categorical, Float, InvalidInput, Study
from regretless.study.frame import columns_of

COLUMNS = [
    *("number", "row", "status", "value", "params_T", "params_c", "source", "zeta", "mean", "sd"),
    *("known_sd", "replicates", "asked", "ended", "author", "excluded", "note"),
]


@pytest.fixture
def study():
    study = Study([{"T": T, "c": c} for T in (20, 40, 60, 80) for c in "ab"], n_initial=2, seed=1)
    for trial in study.ask(2):
        study.tell(trial, float(trial.params["T"]))
    study.tell(study.ask(), failed=True)
    study.tell(study.ask(), [70.0, 72.0], sd=0.5)
    study.add({"T": 90, "c": "a"}, 75.0)
    study.ask()
    study.exclude(0, reason="spilled")
    return study


def rows(frame):
    """Any of the three as lists of plain values."""
    if isinstance(frame, pd.DataFrame):
        nothing = frame.astype(object).where(frame.notna(), None)
        return [dict(zip(frame.columns, row, strict=True)) for row in nothing.itertuples(index=False, name=None)]
    return frame.to_dicts() if isinstance(frame, pl.DataFrame) else frame.to_pylist()


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_every_package_gets_the_documented_columns_and_the_values_of_the_trials(study, backend):
    frame = study.to_frame(backend)
    assert list(getattr(frame, "column_names", None) or frame.columns) == COLUMNS
    found = rows(frame)
    assert len(found) == len(study)
    for row, trial in zip(found, study.trials, strict=True):
        assert (row["number"], row["status"], row["source"]) == (trial.number, trial.status, trial.source)
        assert (row["row"], row["value"], row["zeta"]) == (trial.row, trial.value, trial.zeta)
        assert {"T": row["params_T"], "c": row["params_c"]} == dict(trial.params)
        assert (row["mean"], row["sd"]) == (trial.details.get("mean"), trial.details.get("sd"))
        assert (row["excluded"], row["note"]) == (trial.excluded, trial.note)
        assert (row["ended"] is None) == (trial.status == "pending")
    assert [row["replicates"] for row in found] == [1, 1, None, 2, 1, None]
    assert [row["known_sd"] for row in found] == [None, None, None, 0.5, None, None]
    assert found[4]["note"]
    assert (found[4]["asked"], found[4]["author"]) == (None, study.author)


def test_the_page_names_the_columns():
    page = (Path(__file__).parents[2] / "docs" / "howto" / "frames.md").read_text(encoding="utf-8")
    for name in COLUMNS:
        assert f"`{name.split('_')[0]}" in page


def test_types_do_not_depend_on_what_happens_to_be_missing(study):
    empty = Study([{"T": T, "c": c} for T in (20, 40) for c in "ab"], seed=1)
    assert empty.to_frame("pyarrow").schema == study.to_frame("pyarrow").schema.set(1, pa.field("row", pa.string()))
    assert empty.to_frame("polars").schema["params_T"] == pl.Int64
    types = study.to_frame().dtypes
    assert (types["number"], types["row"], types["replicates"]) == ("int64", "Int64", "Int64")
    assert (types["value"], types["excluded"], types["params_c"]) == ("float64", "bool", "str")
    assert types["asked"] == "datetime64[us, UTC]"


def test_times_are_utc(study):
    times = study.to_frame("polars")["ended"].drop_nulls()
    assert all(abs((datetime.now(UTC) - time).total_seconds()) < 600 for time in times)


def test_who_and_when_of_results_that_were_added_amended_or_failed():
    study = Study([{"T": T} for T in (20, 40, 60)], seed=1)
    study.add({"T": 20}, 1.0)
    study.add({"T": 85}, 1.0)
    study.tell(study.ask(), failed=True)
    study.tell(study.ask(), 2.0)
    before = study.to_frame()["ended"]
    study.amend(3, 2.5, reason="misread")
    frame = study.to_frame()
    assert frame["author"].tolist() == [study.author] * 4
    assert frame["asked"].isna().tolist() == [True, True, False, False]
    assert (frame["ended"] > before).tolist() == [False, False, False, True]


def test_several_outcomes_have_a_column_each():
    study = Study([{"t": t} for t in range(6)], objectives={"yield": "maximize", "cost": "minimize"}, seed=1)
    for _ in range(6):
        trial = study.ask()
        t = trial.params["t"]
        study.tell(trial, {"yield": float(t), "cost": t * t / 3}, failed=()) if t else study.tell(trial, failed="cost")
    frame = study.to_frame()
    assert {"value", "mean"}.isdisjoint(frame.columns)
    for trial, (_, row) in zip(study.trials, frame.iterrows(), strict=True):
        for name in ("yield", "cost"):
            told = trial.values.get(name)
            assert row[f"values_{name}"] == told or (told is None and math.isnan(row[f"values_{name}"]))
        assert row["mean_cost"] == trial.details.get("mean[cost]") or trial.source == "design"
        assert row["mean_yield"] == trial.details.get("mean") or trial.source == "design"


def test_parameters_that_do_not_exist_are_missing_and_mixed_choices_are_text_in_arrow():
    space = {"kind": Categorical([1, "two", False]), "x": Float(0.0, 1.0, when={"kind": "two"})}
    study = Study(space, n_initial=6, seed=3)
    study.ask(6)
    columns = columns_of(study)
    assert columns["params_kind"].kind == "mixed"
    frame = study.to_frame()
    assert [type(value) for value in frame["params_kind"]] == [type(trial.params["kind"]) for trial in study.trials]
    assert frame["params_x"].isna().tolist() == ["x" not in trial.params for trial in study.trials]
    assert 0 < frame["params_x"].isna().sum() < 6
    assert study.to_frame("pyarrow")["params_kind"].to_pylist() == [str(t.params["kind"]) for t in study.trials]


def test_another_package_and_one_that_is_not_there_are_refused_with_the_reason(study):
    with pytest.raises(InvalidInput, match="'pandas', 'polars', 'pyarrow', got 'spark'"):
        study.to_frame("spark")
    code = "import sys; sys.modules['polars'] = None\nfrom regretless import Study\nStudy([(0, 1)]).to_frame('polars')"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "to_frame needs polars, which is not installed: pip install polars." in found.stderr
